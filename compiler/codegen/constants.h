// Constants of one compilation: equal ones become one.
//
// Two constants are the same where type and value are, down to the items of tuples and frozensets
// and to the sign of zero: 1, 1.0 and True are three, 0.0 and -0.0 two.
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

// The one that stands for all that are the same; `value` must be held by the arena.
ValueRef constant_merge(Arena *arena, ConstantTable *table, ValueRef value);
