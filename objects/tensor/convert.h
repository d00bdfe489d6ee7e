// Moves rows of elements: strided to contiguous and back, and from dtype to dtype.
#pragma once

#include "objects/tensor/dtype.h"

// 16 bytes that are moved.
typedef struct uint128_t {
    uint64_t words[2];
} uint128_t;

// Copies n elements of `size` bytes (1, 2, 4, 8 or 16); strides in elements.
void elements_gather(size_t size, int64_t n, void *to, const void *from, int64_t stride);
void elements_scatter(size_t size, int64_t n, void *to, int64_t stride, const void *from);
// Converts n contiguous elements; `to` and `from` do not overlap.
void elements_convert(int64_t n, void *to, Dtype to_dtype, const void *from, Dtype from_dtype);
// Negates the real parts, the imaginary parts, or both: of complex numbers, float32 or float64
// (which are all real).
void elements_flip_signs(int64_t n, void *elements, Dtype dtype, bool real, bool imaginary);
