// dict: entries in the order of insertion, and a sparse table of indices into them.
//
//     indices   [ 2 | - | 0 | - | - | 1 | - | - ]        open addressing, CPython's probing
//     entries   [ hash key value | hash key value | ... ] in order; the key of a deleted one is
//                                                         VALUE_ERROR
//
// `version` is new after every change (PEP 509). `keys_version` is for inline caches: 0 until
// somebody asks for it by dict_keys_version(), 0 again as soon as a key comes or goes or an entry
// moves; while it is the same, entries[i] is still the entry of the same key.
//
// Script code (__hash__, __eq__) may run in any call with a key that is not exactly a str, and may
// change the dict meanwhile; the functions then start again, as CPython does.
#pragma once

#include "objects/object.h"

typedef struct DictEntry {
    int64_t hash;
    Value key;
    Value value;
} DictEntry;

typedef struct Dict {
    Object base;
    ssize_t used; // keys
    uint64_t version;
    uint32_t keys_version;
    uint8_t log2_size;  // of the index table
    bool str_keys;      // all keys are exactly str: a lookup by a str runs nothing
    ssize_t filled;     // entries in use, deleted ones included
    ssize_t usable;     // entries that can still be added before the table has to grow
    void *indices;      // 1, 2, 4 or 8 bytes each, by log2_size
    DictEntry *entries; // one block with the indices behind them; NULL where nothing was ever set
} Dict;

extern Type dict_type, dict_keys_type, dict_values_type, dict_items_type;
extern Type dict_key_iterator_type, dict_value_iterator_type, dict_item_iterator_type;
extern Type dict_reverse_key_iterator_type, dict_reverse_value_iterator_type,
    dict_reverse_item_iterator_type;

static inline bool dict_check(ValueRef value)
{
    return has_flag(value, TYPE_DICT);
}
static inline bool dict_check_exact(ValueRef value)
{
    return is_exactly(value, &dict_type);
}
static inline Dict *as_dict(ValueRef value)
{
    return (Dict *)object_of(value);
}
static inline ssize_t dict_size(ValueRef value)
{
    return as_dict(value)->used;
}

Value dict_new(void);
Value dict_new_sized(ssize_t keys); // with room for so many
Value dict_new_of_type(Type *type); // dict or a subclass
Value dict_copy(ValueRef dict);
// The value of a key: owned, or ABSENT.
Value dict_get(ValueRef dict, ValueRef key);
// The same for a str key, borrowed, 0 where it is not there. Compares with str keys only and runs
// nothing.
ValueRef dict_peek(ValueRef dict, ValueRef name);
ValueRef dict_peek_ascii(ValueRef dict, const char *name);
// The value of a key that is exactly a str or an int, borrowed; ABSENT where it is not there, 0
// where only a script's __eq__ could tell. Runs nothing.
ValueRef dict_peek_key(ValueRef dict, ValueRef key, int64_t hash);
bool dict_set(ValueRef dict, ValueRef key, ValueRef value);
bool dict_set_ascii(ValueRef dict, const char *name, ValueRef value); // interns the name
bool dict_set_owned(ValueRef dict, ValueRef key, Value value); // steals the value, in failure too
bool dict_delete(ValueRef dict, ValueRef key);                 // KeyError where it is not there
Value dict_pop(ValueRef dict, ValueRef key);                   // owned, or ABSENT
Value dict_set_default(ValueRef dict, ValueRef key, ValueRef value); // owned
bool dict_contains(ValueRef dict, ValueRef key, bool *found);
Value dict_pop_last(ValueRef dict); // popitem(): the pair; KeyError where it is empty
// For OrderedDict: moves a key behind (or in front of) all others; takes the last (or first) pair.
bool dict_move_to_end(ValueRef dict, ValueRef key, bool last, bool *found);
Value dict_pop_end(ValueRef dict, bool last);
void dict_clear(ValueRef dict);
// Adds all of a mapping (or of an iterable of pairs); `override` false keeps what is there.
bool dict_update(ValueRef dict, ValueRef other, bool override);
// The same for a mapping only ({**other}): AttributeError of `keys` where it is none.
bool dict_merge(ValueRef dict, ValueRef other, bool override);
bool dict_merge_keywords(ValueRef dict, ValueRef other,
                         ValueRef function); // f(**a, **b): TypeError for doubles
// Goes through the entries in order: *position starts at 0. key and value are borrowed. Not for
// loops that run script code, unless they hold both and tolerate changes.
bool dict_next(ValueRef dict, ssize_t *position, ValueRef *key, ValueRef *value);
Value dict_keys(ValueRef dict);   // a list
Value dict_values(ValueRef dict); // a list
Value dict_items(ValueRef dict);  // a list of pairs
// The same three with a hash that the caller knows already.
Value dict_get_hashed(ValueRef dict, ValueRef key, int64_t hash);
bool dict_set_hashed(ValueRef dict, ValueRef key, int64_t hash, ValueRef value);
bool dict_contains_hashed(ValueRef dict, ValueRef key, int64_t hash, bool *found);
bool dict_equal(ValueRef left, ValueRef right, bool *equal); // both dicts
// Views: keys(), values(), items() of a dict.
typedef struct DictView {
    Object base;
    Value dict;
} DictView;
static inline DictView *as_dict_view(ValueRef value)
{
    return (DictView *)object_of(value);
}
Value dict_view_new(Type *type, ValueRef dict); // one of the three types, or derived from one
Value dict_keys_view(ValueRef dict);
Value dict_values_view(ValueRef dict);
Value dict_items_view(ValueRef dict);
Value dict_iter(ValueRef dict); // the slot `iter`: over the keys
Value dict_reverse_iterator(ValueRef dict);
Value dict_next_pair(ValueRef iterator, Value *second); // of a dict_item_iterator: see PairFn
// The index of a str key's entry, -1 = not there; runs nothing.
ssize_t dict_entry_index(ValueRef dict, ValueRef name);
uint32_t dict_keys_version(ValueRef dict); // 0 = cannot be cached
// Must be called after a value was stored into an entry directly.
void dict_modified(ValueRef dict);
size_t dict_table_bytes(ValueRef dict); // for __sizeof__
