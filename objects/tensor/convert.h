// Moves rows of elements: strided to contiguous and back, and from dtype to dtype.
#pragma once

#include "objects/tensor/dtype.h"

// Copies n elements of `size` bytes (1, 2, 4 or 8); strides in elements.
void elements_gather(size_t size, int64_t n, void *to, const void *from, int64_t stride);
void elements_scatter(size_t size, int64_t n, void *to, int64_t stride, const void *from);
// Converts n contiguous elements; `to` and `from` do not overlap.
void elements_convert(int64_t n, void *to, Dtype to_dtype, const void *from, Dtype from_dtype);
