// What convolution and pooling rows say about their windows, as numbers for three dimensions.
//
// Kernels work in three dimensions: those of one or two dimensions have leading ones of size 1. So
// the numbers of a parameter int[2] fill the last two of three entries, and what the caller has set
// stays in the first.
#pragma once

#include "vm/modules/torch/call/op.h"

#define WINDOW_DIMS 3

// Reads an int[] parameter into the last `dims` of three numbers. One number stands for all. An
// empty list leaves them as they are. The rule has checked the length. False with an exception
// pending.
bool window_numbers(const OpCall *call, int slot, int dims, int64_t *numbers);
// Sets all three.
static inline void window_fill(int64_t *numbers, int64_t value)
{
    for (int i = 0; i < WINDOW_DIMS; i++) numbers[i] = value;
}
// The last `dims` sizes of a tensor with data, into the last of three numbers; the others are 1.
void window_sizes(const Tensor *tensor, int dims, int64_t *numbers);
