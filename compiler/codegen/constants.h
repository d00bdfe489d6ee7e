// The constants of one compilation: equal constants become one object.
//
// Two constants are equal if types and values are, also those of the items of tuples and
// frozensets, and the sign of zero: 1, 1.0 and True are three constants, 0.0 and -0.0 are two.
#pragma once

#include "compiler/arena.h"

typedef struct ConstantSlot {
    ValueRef value; // 0 = free
    int64_t hash;
} ConstantSlot;

typedef struct ConstantTable {
    ConstantSlot *slots;
    int count;
    uint32_t mask;
} ConstantTable;

// The one object for all constants equal to `value`, which the arena must hold.
ValueRef constant_merge(Arena *arena, ConstantTable *table, ValueRef value);
