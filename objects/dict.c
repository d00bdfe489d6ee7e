// dict: the table, and the functions that the rest of minivm calls.
//
//     log2_size 3, so 8 slots and room for 5 entries:
//
//     block     [ entry 0 | entry 1 | entry 2 |    -    |    -    ][ 2 . . 0 . 1 x . ]
//               ^ entries                                          ^ indices
//
// A slot of `indices` holds the index of an entry, EMPTY (.), or DELETED (x), at which a search
// goes on. Deleting a key empties its entry and marks its slot DELETED. Rebuilding the table copies
// only the live entries, in order, and so frees the room of the deleted ones. Probing, growth (used
// * 3) and load (two thirds) are exactly CPython's, because what an iterator sees after a change
// depends on them. All dicts that never had an entry share one table of a single EMPTY slot.
//
// Comparing keys may run script code, which may change the dict: find_any() then starts again.
#include "objects/dict.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/protocols/items.h"
#include "objects/sound.h"
#include "objects/upcalls.h"

#define EMPTY ((ssize_t) - 1)
#define DELETED ((ssize_t) - 2)
#define MIN_LOG2 3
#define PERTURB_SHIFT 5

// Results of the finders other than the index of an entry.
#define NOT_THERE ((ssize_t) - 1)
#define FAILED ((ssize_t) - 2)

static int8_t no_indices[1] = {-1};
uint64_t dict_last_version;
DictFound dict_found;
static uint32_t last_keys_version;

// ---- indices

static inline size_t mask_of(const Dict *dict)
{
    return ((size_t)1 << dict->log2_size) - 1;
}

static inline ssize_t index_at(const Dict *dict, size_t slot)
{
    if (dict->log2_size < 8) return ((const int8_t *)dict->indices)[slot];
    if (dict->log2_size < 16) return ((const int16_t *)dict->indices)[slot];
    if (dict->log2_size < 32) return ((const int32_t *)dict->indices)[slot];
    return (ssize_t)((const int64_t *)dict->indices)[slot];
}

static inline void set_index(Dict *dict, size_t slot, ssize_t index)
{
    if (dict->log2_size < 8)
        ((int8_t *)dict->indices)[slot] = (int8_t)index;
    else if (dict->log2_size < 16)
        ((int16_t *)dict->indices)[slot] = (int16_t)index;
    else if (dict->log2_size < 32)
        ((int32_t *)dict->indices)[slot] = (int32_t)index;
    else
        ((int64_t *)dict->indices)[slot] = index;
}

static size_t index_bytes(int log2_size)
{
    int width = log2_size < 8 ? 0 : log2_size < 16 ? 1 : log2_size < 32 ? 2 : 3;
    return (size_t)1 << (log2_size + width);
}

// The most entries that a table of this size may have.
static inline ssize_t usable_fraction(int log2_size)
{
    return (ssize_t)(((size_t)1 << log2_size << 1) / 3);
}

// The slots where a key may be, in the order of the search.
typedef struct Probe {
    size_t slot, mask;
    uint64_t perturb;
} Probe;

static inline Probe probe_start(const Dict *dict, int64_t hash)
{
    size_t mask = mask_of(dict);
    return (Probe){(size_t)hash & mask, mask, (uint64_t)hash};
}

static inline void probe_step(Probe *probe)
{
    probe->perturb >>= PERTURB_SHIFT;
    probe->slot = (size_t)(probe->slot * 5 + probe->perturb + 1) & probe->mask;
}

static inline void changed(Dict *dict)
{
    dict->version = ++dict_last_version;
}

static inline void keys_changed(Dict *dict)
{
    dict->version = ++dict_last_version;
    dict->keys_version = 0;
}

// ---- what is always true of the table

static bool entry_is_sound(const Dict *dict, const DictEntry *entry)
{
    invariant(!entry->key == !entry->value, "an entry has both a key and a value, or neither");
    if (!entry->key) return true;
    bool is_str = str_check_exact(entry->key);
    invariant(is_str || !dict->str_keys, "str_keys says so only where every key is exactly a str");
    invariant(entry->key != ABSENT && entry->value != ABSENT, "ABSENT is no value of a script");
    invariant(entry->hash != -1, "no hash is -1, which means `not known`");
    invariant(!is_str || entry->hash == str_hash(entry->key), "an entry has its key's hash");
    invariant(!is_object(entry->key) || is_alive(object_of(entry->key)), "a dict owns its keys");
    invariant(!is_object(entry->value) || is_alive(object_of(entry->value)),
              "a dict owns its values");
    Probe probe = probe_start(dict, entry->hash);
    for (; index_at(dict, probe.slot) != entry - dict->entries; probe_step(&probe))
        invariant(index_at(dict, probe.slot) != EMPTY,
                  "an entry is found by its hash before any empty slot");
    return true;
}

// How many slots lead to an entry.
static ssize_t count_indices(const Dict *dict)
{
    ssize_t count = 0, empty = 0;
    for (size_t slot = 0; slot <= mask_of(dict); slot++) {
        ssize_t index = index_at(dict, slot);
        invariant(index >= DELETED && index < dict->filled,
                  "a slot holds the number of an entry in use, EMPTY or DELETED");
        invariant(index < 0 || dict->entries[index].key, "no slot leads to an entry taken out");
        count += index >= 0;
        empty += index == EMPTY;
    }
    invariant(empty > 0, "there is an empty slot at which every search ends");
    return count;
}

// Takes time in proportion to the size of the table.
bool dict_is_sound(const Dict *dict)
{
    invariant(dict->used >= 0 && dict->used <= dict->filled,
              "a dict has no more keys than entries in use");
    invariant(dict->first >= 0 && dict->first <= dict->filled, "the first key is one of the keys");
    invariant(dict->usable >= 0, "there is no less than no room");
    invariant(dict->filled + dict->usable <= usable_fraction(dict->log2_size),
              "no more than two thirds of the slots are ever taken");
    invariant(!dict->entries == !dict->log2_size, "only a dict without a table has one slot");
    invariant(dict->entries ? dict->indices == dict->entries + usable_fraction(dict->log2_size)
                            : dict->indices == (void *)no_indices,
              "the indices are after the entries; without a table they are the shared ones");
    invariant(dict->version && dict->version <= dict_last_version, "versions are counted up");
    invariant(dict->keys_version <= last_keys_version, "a version of keys was given out once");
    ssize_t used = 0;
    for (ssize_t i = 0; i < dict->filled; i++)
        used += entry_is_sound(dict, &dict->entries[i]) && dict->entries[i].key;
    for (ssize_t i = 0; i < dict->first; i++)
        invariant(!dict->entries[i].key, "there is no key before the first");
    invariant(used == dict->used, "used counts the entries that have a key");
    invariant(count_indices(dict) == dict->used, "every key has one slot");
    return true;
}

// ---- finding

// The entry of a str among keys that are all strs.
static inline ssize_t find_str(const Dict *dict, ValueRef key, int64_t hash)
{
    invariant(hash == as_str(key)->hash, "a str is looked for by its own hash");
    for (Probe probe = probe_start(dict, hash);; probe_step(&probe)) {
        ssize_t index = index_at(dict, probe.slot);
        if (index >= 0) {
            const DictEntry *entry = &dict->entries[index];
            invariant(entry->key, "a slot leads to an entry that has a key");
            if (entry->key == key) return index;
            if (entry->hash == hash && str_equal(entry->key, key)) return index;
        } else if (index == EMPTY) {
            return NOT_THERE;
        }
    }
}

// The entry of a str among keys of any type. Skips keys whose __eq__ is script code.
static ssize_t find_str_among_any(const Dict *dict, ValueRef key, int64_t hash)
{
    for (Probe probe = probe_start(dict, hash);; probe_step(&probe)) {
        ssize_t index = index_at(dict, probe.slot);
        if (index == EMPTY) return NOT_THERE;
        if (index < 0) continue;
        const DictEntry *entry = &dict->entries[index];
        if (entry->key == key) return index;
        if (entry->hash == hash && str_check_exact(entry->key) && str_equal(entry->key, key))
            return index;
    }
}

typedef enum KeyMatch { MATCH_NO, MATCH_YES, MATCH_AGAIN, MATCH_FAILED } KeyMatch;

// Is the entry's key equal to the key? MATCH_AGAIN if the comparison changed the table.
static KeyMatch entry_matches(const Dict *dict, ssize_t index, ValueRef key)
{
    const DictEntry *entries = dict->entries;
    int known = quick_equal(entries[index].key, key), log2_size = dict->log2_size;
    if (known >= 0) return known ? MATCH_YES : MATCH_NO;
    Value held = retain(entries[index].key);
    bool equal, ok = object_equal(held, key, &equal);
    bool same = dict->entries == entries && dict->log2_size == log2_size && index < dict->filled &&
                entries[index].key == held;
    drop(held);
    if (!ok) return MATCH_FAILED;
    if (!same) return MATCH_AGAIN;
    return equal ? MATCH_YES : MATCH_NO;
}

static ssize_t find_any(const Dict *dict, ValueRef key, int64_t hash)
{
    invariant(!is_object(key) || is_alive(object_of(key)), "the caller holds the key");
    invariant(dict->base.refcount > 0, "the caller holds the dict");
    Probe probe = probe_start(dict, hash);
    for (;;) {
        ssize_t index = index_at(dict, probe.slot);
        if (index == EMPTY) return NOT_THERE;
        if (index >= 0 && dict->entries[index].key == key) return index;
        if (index >= 0 && dict->entries[index].hash == hash) {
            KeyMatch match = entry_matches(dict, index, key);
            if (match == MATCH_YES) return index;
            if (match == MATCH_FAILED) return FAILED;
            if (match == MATCH_AGAIN) {
                probe = probe_start(dict, hash);
                continue;
            }
        }
        probe_step(&probe);
    }
}

// The index of the key's entry, NOT_THERE or FAILED. The caller owns references to the dict and the
// key.
static inline ssize_t find(const Dict *dict, ValueRef key, int64_t hash)
{
    if (dict->str_keys && str_check_exact(key)) return find_str(dict, key, hash);
    ssize_t first = index_at(dict, probe_start(dict, hash).slot);
    if (first >= 0 && dict->entries[first].key == key) return first;
    return find_any(dict, key, hash);
}

// The same, which knows the last str that it found: `if k in d: d[k] += 1` looks for it once.
static inline ssize_t find_again(const Dict *dict, ValueRef key, int64_t hash)
{
    if (dict_found.key == key && dict_found.version == dict->version) return dict_found.index;
    if (!dict->str_keys || !str_check_exact(key)) return find(dict, key, hash);
    ssize_t index = find_str(dict, key, hash);
    if (index >= 0) dict_found = (DictFound){key, dict->version, index};
    return index;
}

// The slot that holds this index.
static size_t slot_of(const Dict *dict, int64_t hash, ssize_t index)
{
    Probe probe = probe_start(dict, hash);
    while (index_at(dict, probe.slot) != index) probe_step(&probe);
    return probe.slot;
}

// ---- the table

static void use_empty_table(Dict *dict)
{
    dict->entries = NULL;
    dict->indices = no_indices;
    dict->log2_size = 0;
    dict->first = dict->filled = dict->usable = dict->used = 0;
    dict->str_keys = true;
}

// A block for a table of this size with empty indices; NULL with MemoryError pending.
static DictEntry *new_table(int log2_size)
{
    size_t entries = (size_t)usable_fraction(log2_size) * sizeof(DictEntry);
    if (log2_size > 55) return raise_memory_error(), NULL;
    char *block = memory_alloc(entries + index_bytes(log2_size));
    if (!block) return raise_memory_error(), NULL;
    memset(block + entries, 0xFF, index_bytes(log2_size));
    return (DictEntry *)block;
}

static void put_table(Dict *dict, DictEntry *table, int log2_size)
{
    dict->entries = table;
    dict->indices = table + usable_fraction(log2_size);
    dict->log2_size = (uint8_t)log2_size;
    dict->usable = usable_fraction(log2_size) - dict->filled;
}

static int log2_for(ssize_t slots)
{
    int log2_size = MIN_LOG2;
    while (log2_size < 62 && ((ssize_t)1 << log2_size) < slots) log2_size++;
    return log2_size;
}

static void fill_indices(Dict *dict)
{
    for (ssize_t i = dict->first; i < dict->filled; i++) {
        Probe probe = probe_start(dict, dict->entries[i].hash);
        while (index_at(dict, probe.slot) != EMPTY) probe_step(&probe);
        set_index(dict, probe.slot, i);
    }
}

// Rebuilds the table with at least so many slots, with the deleted entries of a gap in front.
static bool rebuild_behind_gap(Dict *dict, ssize_t slots, ssize_t gap)
{
    int log2_size = log2_for(slots);
    DictEntry *table = new_table(log2_size), *old = dict->entries;
    if (!table) return false;
    if (gap) memset(table, 0, (size_t)gap * sizeof(DictEntry));
    ssize_t kept = gap;
    if (dict->used == dict->filled) {
        if (old) memcpy(table + gap, old, (size_t)dict->used * sizeof(DictEntry));
        kept += dict->used;
    } else {
        for (ssize_t i = dict->first; i < dict->filled; i++)
            if (old[i].key) table[kept++] = old[i];
    }
    dict->first = gap;
    dict->filled = kept;
    put_table(dict, table, log2_size);
    fill_indices(dict);
    dict->keys_version = 0;
    dict_found.key = VALUE_ERROR;
    invariant(dict->filled == gap + dict->used, "after a rebuild only the gap has deleted entries");
    invariant(dict_is_sound(dict), "a dict has all its keys after a rebuild");
    memory_free(old);
    return true;
}

// The same without deleted entries.
static bool rebuild(Dict *dict, ssize_t slots)
{
    return rebuild_behind_gap(dict, slots, 0);
}

// Adds an entry for a key that is missing. Retains the key; steals the value, in failure too.
static bool add_entry(Dict *dict, ValueRef key, int64_t hash, Value value)
{
    if (dict->usable <= 0 && !rebuild(dict, dict->used * 3)) {
        drop(value);
        return false;
    }
    Probe probe = probe_start(dict, hash);
    invariant(dict->entries && dict->filled < usable_fraction(dict->log2_size),
              "there is an entry that is free");
    invariant(value, "a key without a value is no entry");
    while (index_at(dict, probe.slot) >= 0) probe_step(&probe);
    set_index(dict, probe.slot, dict->filled);
    dict->entries[dict->filled++] = (DictEntry){hash, retain(key), value};
    if (!str_check_exact(key)) dict->str_keys = false;
    dict->usable--;
    dict->used++;
    keys_changed(dict);
    return true;
}

// Steals the value, in failure too. The caller holds the dict and the key.
static bool insert(Dict *dict, ValueRef key, int64_t hash, Value value)
{
    ssize_t index = find_again(dict, key, hash);
    if (index == NOT_THERE) return add_entry(dict, key, hash, value);
    if (index == FAILED) {
        drop(value);
        return false;
    }
    Value old = dict->entries[index].value;
    dict->entries[index].value = value;
    if (old != value) changed(dict);
    // The module gets other builtins: caches of names missing in its dict become invalid.
    if (dict->keys_version && dict->entries[index].key == NAME(__builtins__)) keys_changed(dict);
    drop(old);
    return true;
}

// Removes an entry and returns its value, owned.
static Value take_entry(Dict *dict, ssize_t index)
{
    DictEntry *entry = &dict->entries[index];
    invariant(index < dict->filled && entry->key, "only an entry in use is taken out");
    invariant(dict->used > 0, "what is taken out was counted");
    set_index(dict, slot_of(dict, entry->hash, index), DELETED);
    Value key = entry->key, value = entry->value;
    entry->key = entry->value = VALUE_ERROR;
    dict->used--;
    keys_changed(dict);
    drop(key);
    return value;
}

// ---- making

Value dict_new_of_type(Type *type)
{
    Dict *dict = object_alloc(type, 0);
    if (!dict) return VALUE_ERROR;
    use_empty_table(dict);
    changed(dict);
    return own(dict);
}

Value dict_new(void)
{
    return dict_new_of_type(&dict_type);
}

Value dict_new_sized(ssize_t keys)
{
    Value dict = dict_new();
    if (!dict || keys <= usable_fraction(MIN_LOG2)) return dict;
    if (rebuild(as_dict(dict), (keys * 3 + 1) / 2)) return dict;
    drop(dict);
    return VALUE_ERROR;
}

// A copy of the table as it is, deleted entries included.
static bool clone_table(Dict *copy, const Dict *dict)
{
    DictEntry *table = new_table(dict->log2_size);
    if (!table) return false;
    for (ssize_t i = 0; i < dict->filled; i++) {
        const DictEntry *from = &dict->entries[i];
        table[i] = (DictEntry){from->hash, retain(from->key), retain(from->value)};
    }
    copy->filled = dict->filled;
    put_table(copy, table, dict->log2_size);
    memcpy(copy->indices, dict->indices, index_bytes(dict->log2_size));
    copy->usable = dict->usable;
    copy->used = dict->used;
    copy->str_keys = dict->str_keys;
    invariant(dict_is_sound(copy), "a copy has all keys of the original");
    return true;
}

Value dict_copy(ValueRef self)
{
    const Dict *dict = as_dict(self);
    Value copy = dict_new();
    if (!copy || dict->used == 0) return copy;
    bool dense = dict_check_exact(self) && dict->used >= dict->filled * 2 / 3;
    if (dense ? clone_table(as_dict(copy), dict) : dict_merge(copy, self)) return copy;
    drop(copy);
    return VALUE_ERROR;
}

// ---- looking up

Value dict_get_hashed(ValueRef self, ValueRef key, int64_t hash)
{
    const Dict *dict = as_dict(self);
    ssize_t index = find_again(dict, key, hash);
    if (index >= 0) return retain(dict->entries[index].value);
    return index == NOT_THERE ? ABSENT : VALUE_ERROR;
}

Value dict_get(ValueRef self, ValueRef key)
{
    int64_t hash;
    if (!item_hash(key, &hash)) return VALUE_ERROR;
    return dict_get_hashed(self, key, hash);
}

static inline int64_t hash_of_str(ValueRef str)
{
    int64_t hash = as_str(str)->hash;
    return hash == -1 ? str_hash(str) : hash;
}

ssize_t dict_entry_index(ValueRef self, ValueRef name)
{
    const Dict *dict = as_dict(self);
    int64_t hash = hash_of_str(name);
    return dict->str_keys ? find_str(dict, name, hash) : find_str_among_any(dict, name, hash);
}

ValueRef dict_peek(ValueRef self, ValueRef name)
{
    ssize_t index = dict_entry_index(self, name);
    return index >= 0 ? as_dict(self)->entries[index].value : 0;
}

ValueRef dict_peek_ascii(ValueRef self, const char *name)
{
    const Dict *dict = as_dict(self);
    int64_t hash = hash_bytes(name, strlen(name));
    for (Probe probe = probe_start(dict, hash);; probe_step(&probe)) {
        ssize_t index = index_at(dict, probe.slot);
        if (index == EMPTY) return 0;
        if (index < 0) continue;
        const DictEntry *entry = &dict->entries[index];
        if (entry->hash == hash && str_check_exact(entry->key) && str_equal_ascii(entry->key, name))
            return entry->value;
    }
}

// Compares the key of an entry with a str or an int: 1, 0, or -1 if only script code could tell.
static int equal_without_script(ValueRef entry_key, ValueRef key)
{
    int known = quick_equal(entry_key, key);
    if (known >= 0) return known;
    if (type_of(entry_key)->flags & TYPE_HEAP) return -1;
    bool number = int_check(entry_key) || float_check(entry_key) || complex_check(entry_key);
    bool equal = false; // of the built-in types only numbers are equal to one of another type
    return number && int_check(key) && object_equal(entry_key, key, &equal) && equal;
}

ValueRef dict_peek_key(ValueRef self, ValueRef key, int64_t hash)
{
    const Dict *dict = as_dict(self);
    bool known = true;
    for (Probe probe = probe_start(dict, hash);; probe_step(&probe)) {
        ssize_t index = index_at(dict, probe.slot);
        if (index == EMPTY) return known ? ABSENT : VALUE_ERROR;
        if (index < 0 || dict->entries[index].hash != hash) continue;
        int equal = equal_without_script(dict->entries[index].key, key);
        if (equal > 0) return dict->entries[index].value;
        if (equal < 0) known = false;
    }
}

bool dict_contains_hashed(ValueRef self, ValueRef key, int64_t hash, bool *found)
{
    ssize_t index = find_again(as_dict(self), key, hash);
    *found = index >= 0;
    return index != FAILED;
}

bool dict_contains(ValueRef self, ValueRef key, bool *found)
{
    int64_t hash;
    return item_hash(key, &hash) && dict_contains_hashed(self, key, hash, found);
}

bool dict_next(ValueRef self, ssize_t *position, ValueRef *key, ValueRef *value)
{
    const Dict *dict = as_dict(self);
    invariant(*position >= 0, "a walk through a dict begins at 0 and goes up");
    for (ssize_t i = *position; i < dict->filled; i++) {
        if (!dict->entries[i].key) continue;
        *key = dict->entries[i].key;
        *value = dict->entries[i].value;
        *position = i + 1;
        return true;
    }
    *position = dict->filled;
    return false;
}

// ---- storing

bool dict_set_hashed(ValueRef self, ValueRef key, int64_t hash, ValueRef value)
{
    return insert(as_dict(self), key, hash, retain(value));
}

bool dict_set(ValueRef self, ValueRef key, ValueRef value)
{
    int64_t hash;
    return item_hash(key, &hash) && insert(as_dict(self), key, hash, retain(value));
}

bool dict_set_owned(ValueRef self, ValueRef key, Value value)
{
    int64_t hash;
    if (!value) return false;
    if (item_hash(key, &hash)) return insert(as_dict(self), key, hash, value);
    drop(value);
    return false;
}

bool dict_set_ascii(ValueRef self, const char *name, ValueRef value)
{
    Value key = str_intern(name);
    bool ok = key && dict_set(self, key, value);
    drop(key);
    return ok;
}

Value dict_set_default(ValueRef self, ValueRef key, ValueRef value)
{
    Dict *dict = as_dict(self);
    int64_t hash;
    if (!item_hash(key, &hash)) return VALUE_ERROR;
    ssize_t index = find(dict, key, hash);
    if (index >= 0) return retain(dict->entries[index].value);
    if (index == FAILED || !add_entry(dict, key, hash, retain(value))) return VALUE_ERROR;
    return retain(value);
}

// ---- taking away

// Removes an entry and returns its value; ABSENT or VALUE_ERROR.
static Value take(Dict *dict, ValueRef key, int64_t hash)
{
    ssize_t index = find(dict, key, hash);
    if (index >= 0) return take_entry(dict, index);
    return index == NOT_THERE ? ABSENT : VALUE_ERROR;
}

Value dict_pop(ValueRef self, ValueRef key)
{
    int64_t hash;
    if (dict_size(self) == 0) return ABSENT; // without hashing the key, as in CPython
    return item_hash(key, &hash) ? take(as_dict(self), key, hash) : VALUE_ERROR;
}

static bool discard_hashed(ValueRef self, ValueRef key, int64_t hash, bool *found)
{
    Value value = take(as_dict(self), key, hash);
    *found = value && value != ABSENT;
    drop(value);
    return value != VALUE_ERROR;
}

bool dict_delete(ValueRef self, ValueRef key)
{
    int64_t hash;
    bool found;
    if (!item_hash(key, &hash) || !discard_hashed(self, key, hash, &found)) return false;
    return found || raise_key_error(key);
}

// ---- the order of entries (OrderedDict)

// The index of the entry with this very key.
static ssize_t index_of_same(const Dict *dict, ValueRef key, int64_t hash)
{
    Probe probe = probe_start(dict, hash);
    for (;; probe_step(&probe)) {
        ssize_t index = index_at(dict, probe.slot);
        if (index >= 0 && dict->entries[index].key == key) return index;
    }
}

// The index of the first or the last key, of which there is one. Deleted entries beyond it are not
// looked at again.
static ssize_t end_entry(Dict *dict, bool last)
{
    if (last) {
        while (!dict->entries[dict->filled - 1].key) dict->filled--;
        return dict->filled - 1;
    }
    while (!dict->entries[dict->first].key) dict->first++;
    return dict->first;
}

ssize_t dict_end_entry(ValueRef self, bool last)
{
    return dict_size(self) ? end_entry(as_dict(self), last) : -1;
}

// Makes room for an entry at an end. A rebuild at the front leaves a gap that is in proportion to
// the keys, so that a key moves in constant time, on average.
static bool make_room(Dict *dict, bool last)
{
    if (last) return dict->usable > 0 || rebuild(dict, dict->used * 3);
    return dict->first > 0 || rebuild_behind_gap(dict, dict->used * 3, (dict->used + 1) / 2);
}

bool dict_move_to_end(ValueRef self, ValueRef key, bool last, bool *found)
{
    int64_t hash;
    return item_hash(key, &hash) && dict_move_to_end_hashed(self, key, hash, last, found);
}

bool dict_move_to_end_hashed(ValueRef self, ValueRef key, int64_t hash, bool last, bool *found)
{
    Dict *dict = as_dict(self);
    ssize_t index = find(dict, key, hash);
    *found = index >= 0;
    if (index < 0) return index == NOT_THERE;
    if (index == end_entry(dict, last)) return true;
    DictEntry entry = dict->entries[index];
    if (!make_room(dict, last)) return false;
    if (last) dict->usable--;
    ssize_t end = last ? dict->filled++ : --dict->first;
    index = index_of_same(dict, entry.key, entry.hash);
    set_index(dict, slot_of(dict, entry.hash, index), end);
    dict->entries[index] = (DictEntry){0};
    dict->entries[end] = entry;
    keys_changed(dict);
    invariant(dict_is_sound(dict), "a key that has moved is there once, as before");
    return true;
}

Value dict_pop_end(ValueRef self, bool last)
{
    Dict *dict = as_dict(self);
    if (last) return dict_pop_last(self);
    Value pair = tuple_new(2);
    if (!pair) return VALUE_ERROR;
    if (dict->used == 0) {
        drop(pair);
        return raise_error(KeyError, "dictionary is empty");
    }
    ssize_t index = end_entry(dict, false);
    as_tuple(pair)->items[0] = retain(dict->entries[index].key);
    as_tuple(pair)->items[1] = take_entry(dict, index);
    return pair;
}

Value dict_pop_last(ValueRef self)
{
    Dict *dict = as_dict(self);
    Value pair = tuple_new(2);
    if (!pair) return VALUE_ERROR;
    if (dict->used == 0) {
        drop(pair);
        return raise_error(KeyError, "popitem(): dictionary is empty");
    }
    ssize_t index = end_entry(dict, true);
    as_tuple(pair)->items[0] = retain(dict->entries[index].key);
    as_tuple(pair)->items[1] = take_entry(dict, index);
    dict->filled = index; // `usable` stays: the slot is DELETED, not EMPTY
    invariant(dict->used <= dict->filled, "after the last key there are only deleted entries");
    return pair;
}

// Deleted entries cost whoever walks through a dict. A dict keeps them as long as CPython's does,
// since its iterators could tell; those of an OrderedDict end at any change.
void dict_compact(ValueRef self)
{
    Dict *dict = as_dict(self);
    if (dict->filled > dict->used * 3 + 8 && !rebuild(dict, dict->used * 3)) error_clear();
}

void dict_clear(ValueRef self)
{
    Dict *dict = as_dict(self);
    DictEntry *entries = dict->entries;
    ssize_t filled = dict->filled;
    invariant(dict_is_sound(dict), "a dict is whole until it is emptied");
    if (!entries) return;
    use_empty_table(dict);
    keys_changed(dict);
    for (ssize_t i = 0; i < filled; i++) {
        drop(entries[i].key);
        drop(entries[i].value);
    }
    memory_free(entries);
}

// ---- merging

// Merging two dicts: what is done with a key that both have.
typedef enum Doubles { TAKE_NEW, REFUSE } Doubles;

static bool merge_entry(Dict *dict, const DictEntry *entry, Doubles doubles)
{
    Value key = retain(entry->key), value = retain(entry->value);
    int64_t hash = entry->hash;
    bool found = false, ok = true;
    if (doubles == REFUSE) ok = dict_contains_hashed(ref_of(dict), key, hash, &found);
    if (found) ok = raise_key_error(key);
    if (ok) ok = insert(dict, key, hash, retain(value));
    drop(value);
    drop(key);
    return ok;
}

static bool merge_dict(Dict *dict, const Dict *other, Doubles doubles)
{
    if (other == dict || other->used == 0) return true;
    if (dict->used == 0) doubles = TAKE_NEW;
    if (usable_fraction(dict->log2_size) < other->used &&
        !rebuild(dict, ((dict->used + other->used) * 3 + 1) / 2))
        return false;
    ssize_t filled = other->filled;
    for (ssize_t i = 0; i < filled; i++) {
        if (!other->entries[i].key) continue;
        if (!merge_entry(dict, &other->entries[i], doubles)) return false;
        if (other->filled != filled) return raise_error(RuntimeError, "dict mutated during update");
    }
    return true;
}

static bool merge_key(ValueRef dict, ValueRef mapping, ValueRef key, Doubles doubles)
{
    bool found = false;
    if (doubles == REFUSE && !dict_contains(dict, key, &found)) return false;
    if (found) return raise_key_error(key);
    return dict_set_owned(dict, key, object_subscript(mapping, key));
}

// Merges by calling keys() and __getitem__. AttributeError if there is no keys().
static bool merge_mapping(ValueRef dict, ValueRef mapping, Doubles doubles)
{
    Value keys = mapping_keys(mapping);
    Value iterator = keys ? object_iter(keys) : VALUE_ERROR;
    drop(keys);
    bool ok = iterator;
    while (ok) {
        Value key = next_of(iterator);
        if (key == ABSENT) break;
        ok = key && merge_key(dict, mapping, key, doubles);
        drop(key);
    }
    drop(iterator);
    return ok;
}

static bool merge(ValueRef dict, ValueRef other, Doubles doubles)
{
    if (dict_check(other) && type_of(other)->iter == dict_type.iter)
        return merge_dict(as_dict(dict), as_dict(other), doubles);
    return merge_mapping(dict, other, doubles);
}

bool dict_merge(ValueRef dict, ValueRef other)
{
    return merge(dict, other, TAKE_NEW);
}

static bool merge_pair(ValueRef dict, ValueRef item, ssize_t number)
{
    Value pair = sequence_fast(item, "");
    if (!pair) {
        if (!error_is(TypeError)) return false;
        error_clear();
        return raise_error(TypeError,
                           "cannot convert dictionary update sequence element #%zd to a sequence",
                           number);
    }
    bool is_list = list_check(pair), ok;
    ssize_t size = is_list ? list_size(pair) : tuple_size(pair);
    if (size != 2) {
        ok = raise_error(ValueError,
                         "dictionary update sequence element #%zd has length %zd; 2 is required",
                         number, size);
    } else {
        Value key = retain(is_list ? list_at(pair, 0) : tuple_at(pair, 0));
        Value value = retain(is_list ? list_at(pair, 1) : tuple_at(pair, 1));
        ok = dict_set(dict, key, value);
        drop(key);
        drop(value);
    }
    drop(pair);
    return ok;
}

static bool merge_pairs(ValueRef dict, ValueRef pairs)
{
    Value iterator = object_iter(pairs);
    bool ok = iterator;
    for (ssize_t number = 0; ok; number++) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && merge_pair(dict, item, number) && poll_signals();
        drop(item);
    }
    drop(iterator);
    return ok;
}

bool dict_update(ValueRef dict, ValueRef other)
{
    if (dict_check_exact(other)) return dict_merge(dict, other);
    Value keys = object_get_optional(other, NAME(keys));
    if (!keys) return false;
    if (keys == ABSENT) return merge_pairs(dict, other);
    drop(keys);
    return dict_merge(dict, other);
}

// The name of a function in errors of a call, as in CPython: "f()", or "module.f()" outside of
// builtins; the str() of a value without __qualname__.
static Value function_text(ValueRef function)
{
    Value qualname = object_get_optional(function, NAME(__qualname__));
    if (!qualname) return VALUE_ERROR;
    if (qualname == ABSENT) return object_str(function);
    Value module = object_get_optional(function, NAME(__module__));
    Value text = VALUE_ERROR;
    if (module && module != ABSENT && module != NONE &&
        !(str_check(module) && str_equal_ascii(module, "builtins")))
        text = format_text("%S.%S()", module, qualname);
    else if (module)
        text = format_text("%S()", qualname);
    drop(module);
    drop(qualname);
    return text;
}

// The key of a KeyError that says that it is a double: the key is in the dict, and no script code
// has raised the error. Owned; 0 = it says something else.
static Value doubled_key(ValueRef dict, ValueRef error)
{
    ValueRef args = as_exception(error)->args;
    bool found = false;
    if (as_exception(error)->traceback || !tuple_check(args) || tuple_size(args) != 1)
        return VALUE_ERROR;
    Value key = retain(tuple_at(args, 0));
    if (!dict_contains(dict, key, &found)) error_clear();
    if (!found) drop_slot(&key);
    return key;
}

// Replaces the pending AttributeError or KeyError of f(**mapping) by CPython's TypeError.
static void explain_keywords(ValueRef dict, ValueRef other, ValueRef function)
{
    bool no_mapping = error_is(AttributeError);
    if (!no_mapping && !error_is(KeyError)) return;
    Value pending = error_take();
    Value key = no_mapping ? VALUE_ERROR : doubled_key(dict, pending);
    Value text = function_text(function);
    if (text && no_mapping)
        raise_error(TypeError, "%S argument after ** must be a mapping, not %T", text, other);
    else if (text && key)
        raise_error(TypeError, "%S got multiple values for keyword argument '%S'", text,
                    (ValueRef)key);
    else if (text)
        error_restore(retain(pending));
    drop(key);
    drop(text);
    drop(pending);
}

bool dict_merge_keywords(ValueRef dict, ValueRef other, ValueRef function)
{
    if (merge(dict, other, REFUSE)) return true;
    explain_keywords(dict, other, function);
    return false;
}

// ---- comparing

bool dict_equal(ValueRef left, ValueRef right, bool *equal)
{
    const Dict *a = as_dict(left);
    *equal = a->used == dict_size(right);
    for (ssize_t i = 0; *equal && i < a->filled; i++) {
        if (!a->entries[i].key) continue;
        int64_t hash = a->entries[i].hash;
        Value key = retain(a->entries[i].key), ours = retain(a->entries[i].value);
        Value theirs = dict_get_hashed(right, key, hash);
        bool ok = theirs;
        if (theirs == ABSENT)
            *equal = false;
        else if (ok)
            ok = items_equal(ours, theirs, equal);
        drop(theirs);
        drop(ours);
        drop(key);
        if (!ok) return false;
    }
    return true;
}

// ---- as lists

typedef enum Part { PART_KEY, PART_VALUE, PART_ITEM } Part;

static Value part_of(ValueRef key, ValueRef value, Part part)
{
    if (part == PART_ITEM) return tuple_pack(2, key, value);
    return retain(part == PART_KEY ? key : value);
}

static Value list_of(ValueRef self, Part part)
{
    Value list = list_new(dict_size(self));
    ssize_t position = 0;
    ValueRef key, value;
    while (list && dict_next(self, &position, &key, &value)) {
        if (list_append_owned(list, part_of(key, value, part))) continue;
        drop(list);
        return VALUE_ERROR;
    }
    return list;
}

Value dict_keys(ValueRef self)
{
    return list_of(self, PART_KEY);
}

Value dict_values(ValueRef self)
{
    return list_of(self, PART_VALUE);
}

Value dict_items(ValueRef self)
{
    return list_of(self, PART_ITEM);
}

// ---- for caches

uint32_t dict_keys_version(ValueRef self)
{
    Dict *dict = as_dict(self);
    if (dict->keys_version == 0 && last_keys_version != UINT32_MAX)
        dict->keys_version = ++last_keys_version;
    return dict->keys_version;
}

// The size of the table that CPython shows.
size_t dict_table_bytes(ValueRef self)
{
    const Dict *dict = as_dict(self);
    if (!dict->entries) return 0;
    size_t entries = (size_t)usable_fraction(dict->log2_size) * sizeof(DictEntry);
    return 40 + entries + index_bytes(dict->log2_size);
}
