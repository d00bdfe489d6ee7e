// The operations of sets: intersection, difference and the like.
//
// The order of the result depends on which operand is iterated and which one is searched, so both
// are chosen as in CPython. Every loop retains its current item, because comparing may run script
// code.
#include "objects/containers/set_operations.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/protocols/items.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// An empty set or frozenset, as this one is, or with the items of an iterable.
static Value same_kind(ValueRef set, ValueRef iterable)
{
    bool is_set = type_is_subtype(type_of(set), &set_type);
    return set_new_of_type(is_set ? &set_type : &frozenset_type, iterable);
}

Value set_copy(ValueRef set)
{
    return same_kind(set, set);
}

// Is called for each item of a walk; false = failed.
typedef bool (*ItemAction)(ValueRef item, int64_t hash, ValueRef set, ValueRef result);

static bool walk_set(ValueRef walked, ItemAction action, ValueRef set, ValueRef result)
{
    ssize_t position = 0;
    SetEntry entry;
    bool ok = true;
    while (ok && set_next_entry(walked, &position, &entry)) {
        ok = action(entry.key, entry.hash, set, result);
        drop(entry.key);
    }
    return ok;
}

static bool walk_dict(ValueRef walked, ItemAction action, ValueRef set, ValueRef result)
{
    bool ok = true;
    for (ssize_t i = 0; ok && i < as_dict(walked)->filled; i++) {
        const DictEntry *entry = &as_dict(walked)->entries[i];
        if (!entry->key) continue;
        Value key = retain(entry->key);
        ok = action(key, entry->hash, set, result);
        drop(key);
    }
    return ok;
}

static bool walk_iterable(ValueRef walked, ItemAction action, ValueRef set, ValueRef result)
{
    Value iterator = object_iter(walked);
    bool ok = iterator;
    while (ok) {
        int64_t hash;
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && item_hash(item, &hash) && action(item, hash, set, result) && poll_signals();
        drop(item);
    }
    drop(iterator);
    return ok;
}

static bool walk(ValueRef walked, ItemAction action, ValueRef set, ValueRef result)
{
    return set_check(walked) ? walk_set(walked, action, set, result)
                             : walk_iterable(walked, action, set, result);
}

static Value finish(Value result, bool ok)
{
    if (ok) return result;
    drop(result);
    return VALUE_ERROR;
}

// ---- intersection

static bool add_where_found(ValueRef item, int64_t hash, ValueRef set, ValueRef result)
{
    bool found;
    if (!set_contains_hashed(set, item, hash, &found)) return false;
    return !found || set_add_hashed(result, item, hash);
}

Value set_intersection(ValueRef set, ValueRef other)
{
    if (set == other) return set_copy(set);
    Value result = same_kind(set, 0);
    if (!result) return VALUE_ERROR;
    if (set_check(other) && set_size(other) > set_size(set))
        return finish(result, walk(set, add_where_found, other, result));
    return finish(result, walk(other, add_where_found, set, result));
}

// ---- difference

static bool discard_item(ValueRef item, int64_t hash, ValueRef set, ValueRef result)
{
    (void)result;
    bool found;
    return set_discard_hashed(set, item, hash, &found);
}

bool set_difference_update(ValueRef set, ValueRef other)
{
    if (set == other) return set_clear(set), true;
    // If the other is much larger, only the items in both are searched for.
    bool narrow = set_check(other) && set_size(other) >> 3 > set_size(set);
    Value items = narrow ? set_intersection(set, other) : retain(other);
    bool ok = items && walk(items, discard_item, set, 0);
    drop(items);
    return ok && set_shrink(set);
}

static Value copy_and_subtract(ValueRef set, ValueRef other)
{
    Value result = set_copy(set);
    return result ? finish(result, set_difference_update(result, other)) : VALUE_ERROR;
}

static bool add_where_not_found(ValueRef item, int64_t hash, ValueRef set, ValueRef result)
{
    bool found;
    if (!set_contains_hashed(set, item, hash, &found)) return false;
    return found || set_add_hashed(result, item, hash);
}

static bool add_where_no_key(ValueRef item, int64_t hash, ValueRef dict, ValueRef result)
{
    bool found;
    if (!dict_contains_hashed(dict, item, hash, &found)) return false;
    return found || set_add_hashed(result, item, hash);
}

Value set_difference(ValueRef set, ValueRef other)
{
    bool is_dict = dict_check_exact(other);
    if (!is_dict && !set_check(other)) return copy_and_subtract(set, other);
    ssize_t other_size = is_dict ? dict_size(other) : set_size(other);
    if (set_size(set) >> 2 > other_size) return copy_and_subtract(set, other);
    Value result = same_kind(set, 0);
    ItemAction action = is_dict ? add_where_no_key : add_where_not_found;
    return result ? finish(result, walk_set(set, action, other, result)) : VALUE_ERROR;
}

// ---- symmetric difference

static bool toggle(ValueRef item, int64_t hash, ValueRef set, ValueRef result)
{
    (void)result;
    bool found;
    if (!set_discard_hashed(set, item, hash, &found)) return false;
    return found || set_add_hashed(set, item, hash);
}

bool set_symmetric_difference_update(ValueRef set, ValueRef other)
{
    if (set == other) return set_clear(set), true;
    if (dict_check_exact(other)) return walk_dict(other, toggle, set, 0);
    Value items = set_check(other) ? retain(other) : same_kind(set, other);
    bool ok = items && walk_set(items, toggle, set, 0);
    drop(items);
    return ok;
}

Value set_symmetric_difference(ValueRef set, ValueRef other)
{
    Value result = same_kind(set, other);
    return result ? finish(result, set_symmetric_difference_update(result, set)) : VALUE_ERROR;
}

// ---- questions

static bool subset_of_set(ValueRef set, ValueRef other, bool *result)
{
    ssize_t position = 0;
    SetEntry entry;
    *result = set_size(set) <= set_size(other);
    while (*result && set_next_entry(set, &position, &entry)) {
        bool ok = set_contains_hashed(other, entry.key, entry.hash, result);
        drop(entry.key);
        if (!ok) return false;
    }
    return true;
}

bool set_is_subset(ValueRef set, ValueRef other, bool *result)
{
    Value items = set_check(other) ? retain(other) : set_new(other);
    bool ok = items && subset_of_set(set, items, result);
    drop(items);
    return ok;
}

bool set_is_superset(ValueRef set, ValueRef other, bool *result)
{
    Value items = set_check(other) ? retain(other) : set_new(other);
    bool ok = items && subset_of_set(items, set, result);
    drop(items);
    return ok;
}

static bool disjoint_with_iterable(ValueRef set, ValueRef other, bool *result)
{
    Value iterator = object_iter(other);
    bool ok = iterator, found = false;
    while (ok && !found) {
        int64_t hash;
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && item_hash(item, &hash) && set_contains_hashed(set, item, hash, &found) &&
             poll_signals();
        drop(item);
    }
    drop(iterator);
    *result = !found;
    return ok;
}

bool set_is_disjoint(ValueRef set, ValueRef other, bool *result)
{
    if (set == other) return *result = set_size(set) == 0, true;
    if (!is_exactly(other, &set_type) && !is_exactly(other, &frozenset_type))
        return disjoint_with_iterable(set, other, result);
    bool swap = set_size(other) > set_size(set), found = false;
    ValueRef walked = swap ? set : other, asked = swap ? other : set;
    ssize_t position = 0;
    const SetEntry *next;
    while (!found && (next = set_entry_after(as_set(walked), &position))) {
        if (!as_set(asked)->table[(size_t)next->hash & as_set(asked)->mask].key) continue;
        Value key = retain(next->key);
        bool ok = set_contains_hashed(asked, key, next->hash, &found);
        drop(key);
        if (!ok) return false;
    }
    *result = !found;
    return true;
}
