// The short text of a tensor for an observer, and whether a tensor has changed.
//
//     float32[2, 3]: 0., 1., 2., 3., 4., ...      dtype, sizes, the first elements
//     float32[]: 1.5    int64[0, 3]    float32[2, ?]: no data
//
// As all of show.h, this runs no script code, allocates nothing and counts no references. Of a
// large tensor it reads the first elements only. An element has as many digits as its dtype needs.
//
// A TensorMark tells whether a tensor that is still alive has been left alone since: it has the
// same storage, whose `writes` says that nothing has been written to it. That costs no more than
// reading the shape. A TensorState is what a watch keeps, to tell at the next instruction whether a
// tensor has changed in place: its address does not tell. Where the mark is another, the elements
// decide, since a view changes only where its own part of the storage does.
#pragma once

#include "objects/tensor/tensor.h"

// As show_value(), with at most `most` elements.
size_t show_tensor(char *buffer, size_t size, const Tensor *tensor, int most);

typedef struct TensorMark {
    const Type *type; // these are only compared
    const Storage *storage;
    uint64_t writes; // of the storage
    uint64_t shape;  // a hash of dtype, sizes, strides, offset and the storage's length
} TensorMark;

TensorMark tensor_mark(const Tensor *tensor);
bool tensor_mark_equal(const TensorMark *a, const TensorMark *b);

typedef struct TensorState {
    TensorMark mark;
    uint64_t elements; // a hash
} TensorState;

void tensor_state(TensorState *state, const Tensor *tensor);
// Has the tensor changed since? Then, and where only other parts of its storage have been written,
// brings the state up to date.
bool tensor_state_changes(TensorState *state, const Tensor *tensor);
