// set and frozenset: the table.
//
//     table     [ key hash | 0 0  | key hash | ABSENT -1 | ... ]
//                            free              deleted
//
// A search reads the slot of the hash and the nine slots after it (if they do not run over the
// end), then jumps to another slot as a dict does. A free slot ends it. A deleted slot is not
// filled again until the table is rebuilt. Sets of up to four items are stored in the object
// itself. All sizes and orders are CPython's, because the order of the table is the order of
// iteration.
//
// Comparing items may run script code, which may change the set: find_entry() then starts again.
#include "objects/containers/set.h"

#include "objects/containers/set_operations.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/protocols/items.h"
#include "objects/sound.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#define LINEAR_PROBES 9
#define PERTURB_SHIFT 5

static struct {
    GcHead head;
    Set set;
} empty_frozenset = {
    .set = {.base = {1, &frozenset_type},
            .mask = SET_SMALL_SIZE - 1,
            .table = empty_frozenset.set.small,
            .hash = -1},
};

bool set_check(ValueRef value)
{
    if (!is_object(value)) return false;
    const Type *type = type_of(value);
    if (type == &set_type || type == &frozenset_type) return true;
    return type_is_subtype(type, &set_type) || type_is_subtype(type, &frozenset_type);
}

ssize_t set_size(ValueRef set)
{
    return as_set(set)->used;
}

// ---- finding

typedef enum KeyMatch { MATCH_NO, MATCH_YES, MATCH_AGAIN, MATCH_FAILED } KeyMatch;

static KeyMatch entry_matches(const Set *set, const SetEntry *entry, ValueRef item)
{
    int known = quick_equal(entry->key, item);
    if (known >= 0) return known ? MATCH_YES : MATCH_NO;
    const SetEntry *table = set->table;
    size_t mask = set->mask;
    Value held = retain(entry->key);
    bool equal, ok = object_equal(held, item, &equal);
    bool same = table == set->table && mask == set->mask && entry->key == held;
    drop(held);
    if (!ok) return MATCH_FAILED;
    if (equal && same) return MATCH_YES;
    return same ? MATCH_NO : MATCH_AGAIN;
}

// Searches the entries of one jump. True with *result the entry of the item or a free one. NULL if
// a comparison failed or, with *again set, the table has changed.
static inline bool look_along(const Set *set, SetEntry *entry, const SetEntry *last, ValueRef item,
                              int64_t hash, SetEntry **result, bool *again)
{
    for (; entry <= last; entry++) {
        *result = entry;
        if (!entry->key) return true;
        if (entry->hash != hash) continue;
        KeyMatch match = entry_matches(set, entry, item);
        if (match == MATCH_YES) return true;
        if (match == MATCH_NO) continue;
        *again = match == MATCH_AGAIN;
        *result = NULL;
        return true;
    }
    return false;
}

static SetEntry *search(const Set *set, ValueRef item, int64_t hash)
{
    for (;;) {
        size_t mask = set->mask, slot = (size_t)hash & mask;
        uint64_t perturb = (uint64_t)hash;
        SetEntry *entry, *result;
        bool again = false;
        do {
            entry = &set->table[slot];
            const SetEntry *last = slot + LINEAR_PROBES <= mask ? entry + LINEAR_PROBES : entry;
            if (look_along(set, entry, last, item, hash, &result, &again)) break;
            perturb >>= PERTURB_SHIFT;
            slot = (size_t)(slot * 5 + 1 + perturb) & mask;
        } while (true);
        if (!again) return result;
    }
}

// The entry of the item, or the free one for it; NULL with an exception pending. The caller owns
// references to the set and the item.
static inline SetEntry *find_entry(const Set *set, ValueRef item, int64_t hash)
{
    SetEntry *first = &set->table[(size_t)hash & set->mask];
    bool found = !first->key || (first->key == item && first->hash == hash);
    return found ? first : search(set, item, hash);
}

// ---- what is always true of the table

static bool entry_is_sound(const SetEntry *entry)
{
    if (set_entry_is_active(entry)) {
        invariant(entry->hash != -1, "no hash is -1: that marks an item taken away");
        invariant(!str_check_exact(entry->key) || entry->hash == str_hash(entry->key),
                  "an entry has its item's hash");
        invariant(!is_object(entry->key) || is_alive(object_of(entry->key)),
                  "a set owns its items");
    } else {
        invariant(entry->hash == (entry->key ? -1 : 0), "a slot without an item says why");
    }
    return true;
}

// Takes time in proportion to the table.
bool set_is_sound(const Set *set)
{
    invariant(set->used >= 0 && set->used <= set->fill,
              "a set has no more items than slots that are not free");
    invariant((set->mask & (set->mask + 1)) == 0 && set->mask >= SET_SMALL_SIZE - 1,
              "the number of slots is a power of two, eight at least");
    invariant((set->table == set->small) == (set->mask == SET_SMALL_SIZE - 1),
              "eight slots are in the set itself, more in a block");
    ssize_t fill = 0, used = 0;
    for (size_t i = 0; i <= set->mask; i++) {
        const SetEntry *entry = &set->table[i];
        fill += entry_is_sound(entry) && entry->key;
        used += set_entry_is_active(entry);
    }
    invariant(used == set->used, "used counts the slots that hold an item");
    invariant(fill == set->fill, "fill counts the slots that are not free");
    invariant((size_t)fill <= set->mask, "there is a free slot at which every search ends");
    return true;
}

// ---- the table

// Adds an item that is missing to a table without deleted slots.
static void insert_clean(SetEntry *table, size_t mask, Value key, int64_t hash)
{
    size_t slot = (size_t)hash & mask;
    uint64_t perturb = (uint64_t)hash;
    if (!table[slot].key) {
        table[slot] = (SetEntry){key, hash};
        return;
    }
    for (;;) {
        SetEntry *entry = &table[slot];
        const SetEntry *last = slot + LINEAR_PROBES <= mask ? entry + LINEAR_PROBES : entry;
        for (; entry <= last; entry++) {
            if (entry->key) continue;
            *entry = (SetEntry){key, hash};
            return;
        }
        perturb >>= PERTURB_SHIFT;
        slot = (size_t)(slot * 5 + 1 + perturb) & mask;
    }
}

// Rebuilds the table with a power of two of slots that is greater than `more_than`.
static bool resize(Set *set, ssize_t more_than)
{
    size_t size = SET_SMALL_SIZE;
    while (size <= (size_t)more_than) size <<= 1;
    SetEntry *old = set->table, *table, copy[SET_SMALL_SIZE];
    bool was_small = old == set->small;
    if (size == SET_SMALL_SIZE) {
        if (was_small && set->fill == set->used) return true;
        if (was_small) old = memcpy(copy, set->small, sizeof copy);
        table = memset(set->small, 0, sizeof set->small);
    } else {
        if (size > SIZE_MAX / sizeof(SetEntry)) return raise_memory_error();
        table = memory_alloc_zeroed(size * sizeof(SetEntry));
        if (!table) return raise_memory_error();
    }
    set->table = table;
    set->mask = size - 1;
    set->fill = set->used;
    ssize_t left = set->used;
    for (const SetEntry *entry = old; left > 0; entry++) {
        if (!set_entry_is_active(entry)) continue;
        insert_clean(table, set->mask, entry->key, entry->hash);
        left--;
    }
    invariant(set->fill == set->used && set_is_sound(set),
              "a set that was rebuilt has its items and nothing else");
    if (!was_small) memory_free(old);
    return true;
}

static bool grow(Set *set)
{
    return resize(set, set->used > 50000 ? set->used * 2 : set->used * 4);
}

bool set_add_hashed(ValueRef self, ValueRef item, int64_t hash)
{
    Set *set = as_set(self);
    Value held = retain(item); // a comparison may drop the last other reference
    invariant((size_t)set->fill * 5 < set->mask * 3 || set->mask == SET_SMALL_SIZE - 1,
              "a set has room for one more item before it is added");
    invariant(hash != -1, "an item that has a hash is added");
    SetEntry *entry = find_entry(set, held, hash);
    if (!entry || entry->key) {
        drop(held);
        return entry;
    }
    *entry = (SetEntry){held, hash};
    set->used++;
    set->fill++;
    return (size_t)set->fill * 5 < set->mask * 3 || grow(set);
}

bool set_contains_hashed(ValueRef self, ValueRef item, int64_t hash, bool *found)
{
    const SetEntry *entry = find_entry(as_set(self), item, hash);
    *found = entry && entry->key;
    return entry;
}

int set_peek(ValueRef self, ValueRef item, int64_t hash)
{
    const Set *set = as_set(self);
    size_t slot = (size_t)hash & set->mask;
    for (uint64_t perturb = (uint64_t)hash;;) {
        const SetEntry *entry = &set->table[slot];
        const SetEntry *last = slot + LINEAR_PROBES <= set->mask ? entry + LINEAR_PROBES : entry;
        for (; entry <= last; entry++) {
            if (!entry->key) return 0;
            int equal = entry->hash == hash ? quick_equal(entry->key, item) : 0;
            if (equal) return equal;
        }
        perturb >>= PERTURB_SHIFT;
        slot = (size_t)(slot * 5 + 1 + perturb) & set->mask;
    }
}

bool set_discard_hashed(ValueRef self, ValueRef item, int64_t hash, bool *found)
{
    SetEntry *entry = find_entry(as_set(self), item, hash);
    *found = entry && entry->key;
    if (!*found) return entry;
    Value key = entry->key;
    invariant(set_entry_is_active(entry) && as_set(self)->used > 0,
              "what is discarded was an item");
    *entry = (SetEntry){ABSENT, -1};
    as_set(self)->used--;
    drop(key);
    return true;
}

void set_clear(ValueRef self)
{
    Set *set = as_set(self);
    SetEntry *table = set->table, copy[SET_SMALL_SIZE];
    ssize_t used = set->used;
    bool was_small = table == set->small;
    if (was_small && set->fill == 0) return;
    invariant(set_is_sound(set), "a set is whole until it is emptied");
    if (was_small) table = memcpy(copy, set->small, sizeof copy);
    memset(set->small, 0, sizeof set->small);
    set->table = set->small;
    set->mask = SET_SMALL_SIZE - 1;
    set->fill = set->used = 0;
    set->hash = -1;
    for (SetEntry *entry = table; used > 0; entry++) {
        if (!set_entry_is_active(entry)) continue;
        used--;
        drop(entry->key);
    }
    if (!was_small) memory_free(table);
}

bool set_next(ValueRef self, ssize_t *position, ValueRef *item)
{
    const SetEntry *entry = set_entry_after(as_set(self), position);
    if (entry) *item = entry->key;
    return entry;
}

Value set_pop_any(ValueRef self)
{
    Set *set = as_set(self);
    if (set->used == 0) return raise_error(KeyError, "pop from an empty set");
    invariant(set->fill >= set->used, "every item has a slot");
    size_t slot = set->finger & set->mask;
    while (!set_entry_is_active(&set->table[slot])) slot = (slot + 1) & set->mask;
    Value key = set->table[slot].key;
    set->table[slot] = (SetEntry){ABSENT, -1};
    set->used--;
    set->finger = slot + 1;
    return key;
}

// Rebuilds the table if more than a fourth of its slots are deleted.
bool set_shrink(ValueRef self)
{
    Set *set = as_set(self);
    return (size_t)(set->fill - set->used) <= set->mask / 4 || grow(set);
}

// ---- adding many

static bool room_for(Set *set, ssize_t more)
{
    if ((size_t)(set->fill + more) * 5 < set->mask * 3) return true;
    return resize(set, (set->used + more) * 2);
}

// Takes over the items of another set into one that was never filled.
static void copy_table(Set *set, const Set *other)
{
    bool same = set->mask == other->mask && other->fill == other->used;
    ssize_t left = other->used;
    for (const SetEntry *entry = other->table; left > 0; entry++) {
        if (!set_entry_is_active(entry)) continue;
        Value key = retain(entry->key);
        if (same)
            set->table[entry - other->table] = (SetEntry){key, entry->hash};
        else
            insert_clean(set->table, set->mask, key, entry->hash);
        left--;
    }
    set->fill = set->used = other->used;
    invariant(set_is_sound(set), "a copy has the items of the original");
}

static bool merge_set(Set *set, ValueRef other)
{
    ssize_t position = 0;
    SetEntry entry;
    if (ref_of(set) == other || set_size(other) == 0) return true;
    if (!room_for(set, set_size(other))) return false;
    if (set->fill == 0) return copy_table(set, as_set(other)), true;
    while (set_next_entry(other, &position, &entry)) {
        bool ok = set_add_hashed(ref_of(set), entry.key, entry.hash);
        drop(entry.key);
        if (!ok) return false;
    }
    return true;
}

static bool merge_dict(Set *set, ValueRef dict)
{
    if (!room_for(set, dict_size(dict))) return false;
    for (ssize_t i = 0; i < as_dict(dict)->filled; i++) {
        const DictEntry *entry = &as_dict(dict)->entries[i];
        if (!entry->key) continue;
        Value key = retain(entry->key);
        bool ok = set_add_hashed(ref_of(set), key, entry->hash);
        drop(key);
        if (!ok) return false;
    }
    return true;
}

bool set_update(ValueRef self, ValueRef iterable)
{
    if (set_check(iterable)) return merge_set(as_set(self), iterable);
    if (dict_check_exact(iterable)) return merge_dict(as_set(self), iterable);
    Value iterator = object_iter(iterable);
    bool ok = iterator;
    while (ok) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && set_add(self, item) && poll_signals();
        drop(item);
    }
    drop(iterator);
    return ok;
}

// ---- making

Value set_new_of_type(Type *type, ValueRef iterable)
{
    Set *set = object_alloc(type, 0);
    if (!set) return VALUE_ERROR;
    set->table = set->small;
    set->mask = SET_SMALL_SIZE - 1;
    set->hash = -1;
    if (!iterable || set_update(ref_of(set), iterable)) return own(set);
    drop(own(set));
    return VALUE_ERROR;
}

Value set_new(ValueRef iterable)
{
    return set_new_of_type(&set_type, iterable);
}

Value frozenset_new(ValueRef iterable)
{
    if (iterable) {
        if (is_exactly(iterable, &frozenset_type)) return retain(iterable);
        Value set = set_new_of_type(&frozenset_type, iterable);
        if (!set || set_size(set)) return set;
        drop(set);
    }
    return retain(ref_of(&empty_frozenset.set));
}

void set_exchange(ValueRef left, ValueRef right)
{
    Set *a = as_set(left), *b = as_set(right);
    bool a_small = a->table == a->small, b_small = b->table == b->small;
    Set old = *a;
    a->fill = b->fill;
    a->used = b->used;
    a->mask = b->mask;
    a->table = b_small ? a->small : b->table;
    memcpy(a->small, b->small, sizeof a->small);
    b->fill = old.fill;
    b->used = old.used;
    b->mask = old.mask;
    b->table = a_small ? b->small : old.table;
    memcpy(b->small, old.small, sizeof b->small);
    a->hash = b->hash = -1;
    invariant(set_is_sound(a) && set_is_sound(b), "each set has the items of the other now");
}

// ---- by item

bool set_add(ValueRef self, ValueRef item)
{
    int64_t hash;
    return item_hash(item, &hash) && set_add_hashed(self, item, hash);
}

typedef bool (*HashedFn)(ValueRef set, ValueRef item, int64_t hash, bool *found);

// A set is unhashable: a search for a set looks for a frozenset with the same items.
static bool look_for(ValueRef self, ValueRef item, HashedFn look, bool *found)
{
    int64_t hash;
    if (item_hash(item, &hash)) return look(self, item, hash, found);
    bool is_set = is_object(item) && type_is_subtype(type_of(item), &set_type);
    if (!is_set || !error_is(TypeError)) return false;
    error_clear();
    Value frozen = frozenset_new(item);
    if (!frozen) return false;
    bool ok = item_hash(frozen, &hash) && look(self, frozen, hash, found);
    drop(frozen);
    return ok;
}

bool set_contains(ValueRef self, ValueRef item, bool *found)
{
    return look_for(self, item, set_contains_hashed, found);
}

bool set_discard(ValueRef self, ValueRef item, bool *found)
{
    return look_for(self, item, set_discard_hashed, found);
}
