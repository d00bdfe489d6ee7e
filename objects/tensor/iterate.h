// Walks over the elements of several tensors in step, and feeds contiguous chunks to a loop.
//
// A loop sees contiguous memory of one dtype only, so it is one plain `for` that the compiler
// vectorises (PyTorch has a TensorIterator, whose loops see strides):
//
//     static void loop_add(int64_t n, char *const *data, const void *scalars)
//     {
//         float *out = data[0]; const float *a = data[1], *b = data[2];
//         for (int64_t i = 0; i < n; i++) out[i] = a[i] + b[i];
//     }
//
// Calls in order of use: iteration_begin() with the shape of the result; iteration_add() for each
// operand, the written ones first; iteration_run(). The operands are aligned at the right and
// broadcast: a dimension of size 1 is repeated with stride 0. Dimensions are sorted so that the
// last one has the smallest strides, and merged where all operands allow it.
//
//     operand as it is in memory                    what the loop gets
//     contiguous, in the dtype computed in        ->  its own memory
//     strided, or of another dtype, or repeated   ->  a buffer of 1,024 elements (in the L1 cache)
//
//     strided, but contiguous in long rows        ->  its own memory, row by row
//
// A buffered input is gathered and widened before each chunk; a buffered output is narrowed and
// scattered after it. The buffers are static: a loop calls no script code and no iteration.
#pragma once

#include "objects/tensor/tensor.h"

#define ITERATE_CHUNK 1024
#define ITERATE_MAX 6 // operands

// data[0] .. data[outputs-1] are written, the rest is read. `scalars` is what iteration_run() got.
typedef void (*Loop)(int64_t n, char *const *data, const void *scalars);

typedef struct IterateOperand {
    char *data;
    Dtype dtype, computed;           // as stored; as the loop wants it
    bool direct;                     // the loop gets the memory itself
    bool repeated;                   // one element for all
    const Tensor *unresolved;        // whose elements are flipped on the way; NULL = as they are
    int64_t stride[TENSOR_MAX_DIMS]; // in elements, by dimension of the iteration
} IterateOperand;

typedef struct Iteration {
    int ndim, count, outputs;
    int64_t numel, chunk; // 1 where what is written has to be read again at once
    int64_t size[TENSOR_MAX_DIMS];
    IterateOperand operand[ITERATE_MAX];
} Iteration;

// `sizes` are small ints.
void iteration_begin(Iteration *iteration, int ndim, const Dim *sizes, int outputs);
// The loop sees the operand in the dtype `computed`. The tensor's shape broadcasts to the
// iteration's.
void iteration_add(Iteration *iteration, const Tensor *tensor, Dtype computed);
// One element, of the dtype `dtype`, for all positions. Borrows `element` until the run ends.
void iteration_add_element(Iteration *iteration, Dtype dtype, const void *element, Dtype computed);
// Sorts the dimensions and merges them, as iteration_run() does.
void iteration_arrange(Iteration *iteration);
// Copies operand 1 to operand 0 without a buffer; false = it needs one: they differ in dtype, or
// neither has contiguous rows or columns (copy.c).
bool iteration_copy(Iteration *iteration);
// Runs the loop over all elements, in the order of memory.
void iteration_run(Iteration *iteration, Loop loop, const void *scalars);

// to[...] = from[...], broadcast and converted. They may share memory: then `from` is copied first.
// The shapes have been checked.
bool iterate_copy(Tensor *to, const Tensor *from);
// The same, with these dimensions of `from` walked from their ends. They share no memory.
void iterate_copy_flipped(Tensor *to, const Tensor *from, uint64_t dims);
// Sets all elements to one of the tensor's dtype.
void iterate_fill(Tensor *tensor, const void *element);
