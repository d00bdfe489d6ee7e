// The integers that random_() and randint() draw from.
//
//     RandomRange range = {.from = low, .to = high};       low .. high - 1
//     if (!random_range_check(call, &range, dtype)) return false;
//     ... range.from + draw % range.count, where a count of 0 stands for 2^64
//
// A dtype must be able to hold both ends, or RuntimeError is raised. A floating dtype counts
// without gaps up to 2^digits only; outside of that PyTorch warns, and moves the ends inwards, to
// numbers that the dtype has.
//
// (PyTorch: ATen/native/DistributionTemplates.h)
#pragma once

#include "objects/tensor/dtype.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/random_generator.h"

typedef struct RandomRange {
    int64_t from, to; // `to` is not drawn
    bool endless;     // no `to` was given: up to the largest number of the dtype
    uint64_t count;
    bool wide; // takes 64 bits a number
} RandomRange;

// The generator= of a call, or the default one: borrowed. NULL with TypeError pending.
Generator *random_of_call(const OpCall *call);
bool random_range_check(const OpCall *call, RandomRange *range, Dtype dtype);
// The digits of a floating dtype; 0 for others.
int random_digits(Dtype dtype);
