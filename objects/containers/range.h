// range, and its iterator, which the loop knows (FOR_ITER).
#pragma once

#include "objects/object.h"

typedef struct Range {
    Object base;
    Value start, stop, step, length; // ints
} Range;

extern Type range_type, range_iterator_type, long_range_iterator_type;

// An iterator over a range whose numbers all fit a small int.
typedef struct RangeIterator {
    Object base;
    int64_t next, step;
    int64_t left;  // how many are to come
    int64_t start; // the first number, for __reduce__
} RangeIterator;

static inline const Range *as_range(ValueRef value)
{
    return (const Range *)object_of(value);
}
// All three must be ints (of any size). ValueError if the step is 0.
Value range_new(ValueRef start, ValueRef stop, ValueRef step);
