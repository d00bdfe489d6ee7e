// dict: entries in insertion order, and a sparse hash table of indices into them.
//
//     indices   [ 2 | - | 0 | - | - | 1 | - | - ]           open addressing, CPython's probing
//     entries   [ hash key value | hash key value | ... ]   in insertion order; a deleted one
//                                                           has the key VALUE_ERROR
//
// Every change gives the dict a new `version` (PEP 509). `keys_version` is for inline caches. It is
// 0 until dict_keys_version() assigns one, and 0 again as soon as a key is added or removed or an
// entry moves. While it stays the same, entries[i] is the entry of the same key.
//
// A call with a key that is not exactly a str may run script code (__hash__, __eq__), which may
// change the dict meanwhile. The functions then start again, as CPython does.
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
    ssize_t first;      // every entry before this one is deleted
    ssize_t filled;     // entries in use, deleted ones included
    ssize_t usable;     // entries that can still be added before the table has to grow
    void *indices;      // 1, 2, 4 or 8 bytes each, by log2_size
    DictEntry *entries; // one block, the indices after the entries; NULL = no entry yet
} Dict;

// Where the last str was found that a dict was asked for. It is there as long as the dict has that
// version, and the str its text: who frees or changes a str calls dict_forget().
typedef struct DictFound {
    ValueRef key; // VALUE_ERROR = none; not owned
    uint64_t version;
    ssize_t index;
} DictFound;
extern DictFound dict_found;
static inline void dict_forget(const void *str)
{
    if (dict_found.key == ref_of(str)) dict_found.key = VALUE_ERROR;
}

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
    invariant(is_allocated(value) && dict_check(value), "what is read as a dict is one");
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
// The same for a str key: borrowed, VALUE_ERROR if it is missing. Compares with str keys only and
// runs no script code.
ValueRef dict_peek(ValueRef dict, ValueRef name);
ValueRef dict_peek_ascii(ValueRef dict, const char *name);
// The value of a key that is exactly a str or an int: borrowed, ABSENT if it is missing,
// VALUE_ERROR if only a script's __eq__ could tell. Runs no script code.
ValueRef dict_peek_key(ValueRef dict, ValueRef key, int64_t hash);
bool dict_set(ValueRef dict, ValueRef key, ValueRef value);
bool dict_set_ascii(ValueRef dict, const char *name, ValueRef value); // interns the name
bool dict_set_owned(ValueRef dict, ValueRef key, Value value); // steals the value, in failure too
bool dict_delete(ValueRef dict, ValueRef key);                 // KeyError where it is not there
Value dict_pop(ValueRef dict, ValueRef key);                   // owned, or ABSENT
Value dict_set_default(ValueRef dict, ValueRef key, ValueRef value); // owned
bool dict_contains(ValueRef dict, ValueRef key, bool *found);
Value dict_pop_last(ValueRef dict); // popitem(): the pair; KeyError where it is empty
// For OrderedDict: moves a key to the end (`last`) or the front; takes the last or the first pair.
bool dict_move_to_end(ValueRef dict, ValueRef key, bool last, bool *found);
bool dict_move_to_end_hashed(ValueRef dict, ValueRef key, int64_t hash, bool last, bool *found);
Value dict_pop_end(ValueRef dict, bool last);
ssize_t dict_end_entry(ValueRef dict, bool last); // the index of that pair's entry, -1 = no keys
void dict_compact(ValueRef dict);                 // frees deleted entries where they are most
void dict_clear(ValueRef dict);
// Sets all pairs of a mapping or of an iterable of pairs.
bool dict_update(ValueRef dict, ValueRef other);
// The same for a mapping only ({**other}): AttributeError of `keys` if it is no mapping.
bool dict_merge(ValueRef dict, ValueRef other);
bool dict_merge_keywords(ValueRef dict, ValueRef other,
                         ValueRef function); // f(**a, **b): TypeError for doubles
// Iterates over the entries in order; *position starts at 0. key and value are borrowed. A loop
// that runs script code must retain both and cope with changes of the dict.
bool dict_next(ValueRef dict, ssize_t *position, ValueRef *key, ValueRef *value);
Value dict_keys(ValueRef dict);   // a list
Value dict_values(ValueRef dict); // a list
Value dict_items(ValueRef dict);  // a list of pairs
// get, set and contains for a key whose hash the caller has already.
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
// The index of a str key's entry, -1 = missing. Runs no script code.
ssize_t dict_entry_index(ValueRef dict, ValueRef name);
uint32_t dict_keys_version(ValueRef dict); // 0 = cannot be cached
extern uint64_t dict_last_version;
// Must be called after a value was stored into an entry directly. (The JIT does the same.)
static inline void dict_modified(ValueRef dict)
{
    invariant(as_dict(dict)->used > 0, "a value that was stored into an entry has a key");
    as_dict(dict)->version = ++dict_last_version;
}
size_t dict_table_bytes(ValueRef dict); // for __sizeof__
