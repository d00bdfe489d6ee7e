// slice: start, stop and step.
#pragma once

#include "objects/object.h"

typedef struct Slice {
    Object base;
    Value start, stop, step;
} Slice;

extern Type slice_type;

static inline bool slice_check(ValueRef value)
{
    return is_exactly(value, &slice_type);
}
Value slice_new(ValueRef start, ValueRef stop, ValueRef step);
// The indices for a sequence of a given length, in the two steps of CPython. Only the first runs
// script code (__index__), so read the length after it. *count is the number of items.
bool slice_unpack(ValueRef slice, ssize_t *start, ssize_t *stop, ssize_t *step);
void slice_adjust(ssize_t length, ssize_t *start, ssize_t *stop, ssize_t step, ssize_t *count);
