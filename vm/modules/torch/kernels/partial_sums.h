// Sums of a contiguous row, with PARTS partial results in a fixed order: element i goes into part i
// modulo PARTS, and the parts are added in halves. The order does not depend on the width of the
// machine's vectors, so all machines give the same bits.
//
// Each name begins with the type of the elements: float32_row_sum() adds up a row of floats.
#pragma once

#include <stdint.h>

#define PARTS 64

#define REAL float
#define NAME(x) float32_##x
#include "vm/modules/torch/kernels/sum_element.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) float64_##x
#include "vm/modules/torch/kernels/sum_element.h"
#undef REAL
#undef NAME

#define REAL int64_t
#define NAME(x) int64_##x
#include "vm/modules/torch/kernels/sum_element.h"
#undef REAL
#undef NAME

#define REAL int32_t
#define NAME(x) int32_##x
#include "vm/modules/torch/kernels/sum_element.h"
#undef REAL
#undef NAME
