// What reductions have in common: the input as rows, and where the results go.
//
//     Reduction reduction;
//     if (!reduction_open(&reduction, self, dims, computed, true)) return false;
//     ... for each row r and column c, the n terms are data[(r * n + k) * width + c] ...
//     return reduction_close(&reduction, call, 0);
//
//     input [2, 3, 4], dims {1}:    rows 2, n 3, width 4: a result for each row and column
//     dims {1, 2}:                  rows 2, n 12, width 1
//
// A tensor that is contiguous, whose reduced dimensions are neighbours, is taken as it is. Any
// other one is copied, with the reduced dimensions last.
#pragma once

#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"

typedef struct Reduction {
    Value input, output; // dense tensors of the dtype computed in, owned
    const void *data;
    void *out; // rows * width results
    Dtype computed;
    int64_t rows, n, width;
} Reduction;

// Are the reduced dimensions adjacent? Those of size 1 do not matter. Fills in rows, n
// and width.
static inline bool reduction_is_block(Reduction *reduction, const Tensor *self, uint64_t dims)
{
    int64_t *part[] = {&reduction->rows, &reduction->n, &reduction->width};
    int at = 0;
    for (int i = 0; i < 3; i++) *part[i] = 1;
    for (int i = 0; i < self->ndim; i++) {
        bool reduced = dims >> i & 1;
        if (tensor_size(self, i) == 1) continue;
        if (at == 2 && reduced) return false;
        if (at == 0 && reduced) at = 1;
        if (at == 1 && !reduced) at = 2;
        *part[at] *= tensor_size(self, i);
    }
    return true;
}

// `columns`: may width be more than 1?
static inline bool reduction_read(Reduction *reduction, Tensor *self, uint64_t dims, Dtype computed,
                                  bool columns)
{
    bool block = reduction_is_block(reduction, self, dims) && (columns || reduction->width == 1);
    reduction->computed = computed;
    reduction->output = VALUE_ERROR;
    if (block && tensor_is(self, TENSOR_CONTIGUOUS)) {
        reduction->input = tensor_dense(self, computed);
    } else {
        reduction->rows = reduction->n = reduction->width = 1;
        for (int i = 0; i < self->ndim; i++)
            *(dims >> i & 1 ? &reduction->n : &reduction->rows) *= tensor_size(self, i);
        reduction->input = tensor_dense_last(self, computed, dims);
    }
    if (reduction->input) reduction->data = tensor_elements(reduction->input);
    return reduction->input != VALUE_ERROR;
}

// The memory for a result in the dtype `computed`: the result itself where it has that dtype.
static inline bool reduction_place(Reduction *reduction, OpCall *call, int result, Dtype computed)
{
    Tensor *tensor = call->results[result].tensor;
    bool itself = tensor_dtype(tensor) == computed;
    reduction->output =
        itself ? retain(ref_of(tensor)) : tensor_new(computed, tensor->ndim, tensor_sizes(tensor));
    if (reduction->output) reduction->out = tensor_elements(reduction->output);
    return reduction->output != VALUE_ERROR;
}

static inline bool reduction_open(Reduction *reduction, OpCall *call, uint64_t dims, Dtype computed,
                                  bool columns)
{
    if (!reduction_read(reduction, as_tensor(call->slots[0]), dims, computed, columns))
        return false;
    if (reduction_place(reduction, call, 0, computed)) return true;
    drop(reduction->input);
    return false;
}

// Stores what was computed, and drops the copies.
static inline bool reduction_close(Reduction *reduction, OpCall *call, int result)
{
    Tensor *tensor = call->results[result].tensor;
    bool done = as_tensor(reduction->output) == tensor ||
                iterate_copy(tensor, as_tensor(reduction->output));
    drop(reduction->input);
    drop(reduction->output);
    return done;
}
