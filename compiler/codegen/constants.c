// Merging equal constants: see constants.h.
//
// CPython makes keys of type and value (_PyCode_ConstantKey); here the hash and the comparison take
// account of types. Immediates (small ints, unboxed floats) need no merging: equal ones have equal
// bits. The items of a tuple or frozenset are merged before it.
#include "compiler/codegen/constants.h"

#include "objects/bytes/bytes.h"
#include "objects/code.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

#include <stdlib.h>

static int64_t hash_items(ValueRef value)
{
    uint64_t hash = 0x345678;
    for (ssize_t i = 0; i < tuple_size(value); i++)
        hash = (hash ^ bits_of(tuple_at(value, i))) * 1000003;
    return (int64_t)hash;
}

static int compare_bits(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

// The addresses of a set's merged items, which do for their values, in order.
static uint64_t *sorted_items(Arena *arena, ValueRef set)
{
    size_t count = 0;
    uint64_t *items = arena_alloc(arena, (size_t)set_size(set) * sizeof *items);
    ssize_t position = 0;
    ValueRef item;
    while (set_next(set, &position, &item)) items[count++] = bits_of(item);
    qsort(items, count, sizeof *items, compare_bits);
    return items;
}

static int64_t hash_set(Arena *arena, ValueRef set)
{
    const uint64_t *items = sorted_items(arena, set);
    uint64_t hash = 0x9876;
    for (ssize_t i = 0; i < set_size(set); i++) hash = (hash ^ items[i]) * 1000003;
    return (int64_t)hash;
}

static int64_t hash_of(Arena *arena, ValueRef value)
{
    if (str_check_exact(value)) return str_hash(value);
    if (tuple_check_exact(value)) return hash_items(value);
    if (set_check(value)) return hash_set(arena, value);
    int64_t hash;
    if (!object_hash(value, &hash)) arena_fail(arena);
    return hash;
}

static bool same_items(ValueRef a, ValueRef b)
{
    if (tuple_size(a) != tuple_size(b)) return false;
    for (ssize_t i = 0; i < tuple_size(a); i++)
        if (tuple_at(a, i) != tuple_at(b, i)) return false;
    return true;
}

static bool same_set(Arena *arena, ValueRef a, ValueRef b)
{
    if (set_size(a) != set_size(b)) return false;
    size_t bytes = (size_t)set_size(a) * sizeof(uint64_t);
    return memcmp(sorted_items(arena, a), sorted_items(arena, b), bytes) == 0;
}

static bool same_complex(const Complex *a, const Complex *b)
{
    return memcmp(&a->real, &b->real, sizeof a->real) == 0 &&
           memcmp(&a->imag, &b->imag, sizeof a->imag) == 0;
}

static bool same(Arena *arena, ValueRef a, ValueRef b)
{
    if (a == b) return true;
    if (type_of(a) != type_of(b)) return false;
    if (str_check(a)) return str_equal(a, b);
    if (tuple_check(a)) return same_items(a, b);
    if (set_check(a)) return same_set(arena, a, b);
    if (complex_check_exact(a)) return same_complex(as_complex(a), as_complex(b));
    if (!bytes_check(a) && !int_check(a) && !code_check(a)) return false; // a NaN is itself only
    bool equal;
    if (!object_equal(a, b, &equal)) arena_fail(arena);
    return equal;
}

static void grow(Arena *arena, ConstantTable *table)
{
    uint32_t size = table->slots ? (table->mask + 1) * 2 : 64;
    ConstantSlot *slots = arena_alloc(arena, size * sizeof *slots);
    for (uint32_t i = 0; table->slots && i <= table->mask; i++) {
        if (!table->slots[i].value) continue;
        uint32_t slot = (uint32_t)table->slots[i].hash & (size - 1);
        while (slots[slot].value) slot = (slot + 1) & (size - 1);
        slots[slot] = table->slots[i];
    }
    table->slots = slots;
    table->mask = size - 1;
}

// Changes the tuple itself: only the tree and the code objects refer to it so far.
static void merge_items(Arena *arena, ConstantTable *table, ValueRef tuple)
{
    if (!stack_check_room()) arena_fail(arena);
    for (ssize_t i = 0; i < tuple_size(tuple); i++) {
        ValueRef item = constant_merge(arena, table, tuple_at(tuple, i));
        replace_slot(&as_tuple(tuple)->items[i], retain(item));
    }
}

static ValueRef merge_set(Arena *arena, ConstantTable *table, ValueRef set)
{
    ValueRef items = arena_hold(arena, sequence_tuple(set));
    merge_items(arena, table, items);
    return arena_hold(arena, frozenset_new(items));
}

// Interns now what code_new() would intern later. Later would be wrong: in a tuple that two code
// objects share, the interned str would replace the merged str, by whose address the tuple is
// found.
static ValueRef intern(Arena *arena, ValueRef text)
{
    if (as_str(text)->interned) return text;
    Value interned = retain(text);
    str_intern_in_place(&interned);
    return arena_hold(arena, interned);
}

ValueRef constant_merge(Arena *arena, ConstantTable *table, ValueRef value)
{
    if (!is_object(value)) return value;
    if (code_interns(value)) value = intern(arena, value);
    if (tuple_check_exact(value)) merge_items(arena, table, value);
    if (is_exactly(value, &frozenset_type)) value = merge_set(arena, table, value);
    if (!table->slots || (uint32_t)table->count * 2 > table->mask) grow(arena, table);
    int64_t hash = hash_of(arena, value);
    uint32_t slot = (uint32_t)hash & table->mask;
    for (; table->slots[slot].value; slot = (slot + 1) & table->mask)
        if (table->slots[slot].hash == hash && same(arena, table->slots[slot].value, value))
            return table->slots[slot].value;
    table->slots[slot] = (ConstantSlot){value, hash};
    table->count++;
    return value;
}
