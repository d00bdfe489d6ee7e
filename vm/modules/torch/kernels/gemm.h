// C = A B for matrices of any layout: the one loop that mm, conv, linear and attention end in.
//
//     B: k x n      | . . b . . |         c(i, j) = sum over k of a(i, k) * b(k, j)
//                   | . . b . . |
//     A: m x k      +-----------+
//     | a a |       | . . c . . |  C: m x n
//     | . . |       | . . . . . |
//
// An Axis says where the rows or the columns of a matrix are: row i is `step * i` elements from the
// start, or `table[i]` where there is a table. Element (i, j) is at the sum of both. So a
// transposed matrix is one whose steps are exchanged, a batch is an axis with a table, and the
// columns of a convolution (a window of the image for every output point) are an axis with a table
// over the image itself: nothing is copied to make such a matrix (conv.h).
//
// The products are added in blocks of GEMM_DEPTH along k: each block from its first k to its last,
// starting from zero; then the sum of the block is added to c. That order is the same for every
// size, layout and processor. A processor with FMA rounds once for each product and sum, others
// twice: bits can differ between the two kinds, and only between them.
#pragma once

#include "objects/tensor/dtype.h"
#include "vm/modules/torch/kernels/kernels.h"

#define GEMM_DEPTH 256

typedef struct Axis {
    const int64_t *table; // offsets in elements; NULL = there are none: use the step
    int64_t step;
} Axis;

typedef struct Matrix {
    void *data; // of element (0, 0)
    Axis rows, columns;
} Matrix;

typedef struct Gemm {
    int64_t m, n, k; // 0 is allowed
    Matrix a, b, c;
    bool accumulate; // C += A B: the sums begin with what C holds
} Gemm;

static inline int64_t axis_at(const Axis *axis, int64_t i)
{
    return axis->table ? axis->table[i] : i * axis->step;
}

static inline Axis axis_step(int64_t step)
{
    return (Axis){NULL, step};
}
static inline Axis axis_table(const int64_t *table)
{
    return (Axis){table, 0};
}

// Computes it in one of the dtypes that are computed in, but bool. C must not overlap A or B.
// False with MemoryError pending.
bool KERNEL(gemm)(Dtype dtype, const Gemm *gemm);

// The copy for this processor, after kernels_choose(). It has one for x86-64-v4 (512 bits),
// as it does nothing but multiply vectors that are in registers.
extern bool (*gemm_multiply)(Dtype dtype, const Gemm *gemm);
