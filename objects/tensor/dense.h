// Tensors as plain arrays: what a kernel reads that does not go element by element.
//
//     Value dense = tensor_dense(tensor, DTYPE_float32)      owned
//     const float *data = tensor_elements(dense);            numel elements, row-major
//     ...
//     drop(dense);
//
// A tensor that is contiguous and has the dtype is taken as it is, without a copy.
#pragma once

#include "objects/tensor/tensor.h"

// The elements in the dtype, contiguous: owned. VALUE_ERROR with MemoryError pending.
Value tensor_dense(Tensor *tensor, Dtype dtype);
// A view with the dimensions of the bit set `last` moved to the end, in their order: owned.
Value tensor_last(Tensor *tensor, uint64_t last);
// That view, dense: rows run along these dimensions.
Value tensor_dense_last(Tensor *tensor, Dtype dtype, uint64_t last);
// A tensor without dimensions that holds a Python number: owned. VALUE_ERROR with RuntimeError
// pending if the dtype cannot hold it.
Value tensor_of_number(Dtype dtype, ValueRef number);
// A view of a part: start .. start+length-1 along dim. Owned.
Value tensor_part(Tensor *tensor, int dim, int64_t start, int64_t length);

static inline void *tensor_elements(ValueRef dense)
{
    return tensor_data(as_tensor(dense));
}
