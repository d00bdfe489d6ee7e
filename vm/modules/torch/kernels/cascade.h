// Sums of floats in PyTorch's order: four totals side by side, and four levels of them.
//
//     level 0    takes 16 terms or more, then is added to level 1 and begins again at 0
//     level 1    takes as many sums of level 0 ...                                 up to level 3
//
// So the error grows slowly with n, and the order shows in printed digits: the sum of
// [1e8, 1, -1e8, 1] is 1, since each number is a total of its own and 1e8 + 1 is rounded to 1e8.
//
//     row of n terms that are neighbours    a "term" is a vector of 32 bytes; its lanes come last
//     columns that are neighbours           32 columns at once, each with one total;
//                                           then 8 columns (4 doubles), and single ones, with four
//     else                                  4 columns with one total each, single ones with four
//
// Which of the three it is depends on strides: sum_plan sorts and joins the dimensions as
// PyTorch's iterator does. The first dimension is one that is added up; the first two make a plane,
// which is added to the results. The vectors are those of AVX2 and of no vector instructions;
// under AVX-512, PyTorch's are twice as wide, which gives other last bits.
//
// CASCADE(name, type, vector, add, vector_add) makes the function NAME_planes; the two functions
// add a number, and a vector of them, to a total.
//
// (PyTorch: ATen/native/cpu/SumKernel.cpp, ATen/TensorIterator.cpp)
#pragma once

#include "objects/tensor/tensor.h"
#include "vm/modules/torch/kernels/kernels.h"

#include <string.h>

#define CASCADE_LEVELS 4

// The dimensions of a sum, innermost first, at least two of them. Strides are in elements.
typedef struct SumPlan {
    int ndim;
    int64_t size[TENSOR_MAX_DIMS + 2], in[TENSOR_MAX_DIMS + 2], out[TENSOR_MAX_DIMS + 2];
} SumPlan;

// `dims`: the reduced ones. The results are dense.
void KERNEL(sum_plan)(SumPlan *plan, const Tensor *self, uint64_t dims);

// 2^power sums of a level make one of the next.
static inline int cascade_power(int64_t size)
{
    int bits = size <= 2 ? 1 : 64 - __builtin_clzll((unsigned long long)size - 1);
    return bits / CASCADE_LEVELS > 4 ? bits / CASCADE_LEVELS : 4;
}

// Adds up four rows of `size` terms, which are `side` apart: to[0 .. 3]; one row; and a row of n
// neighbours, by vectors.
#define CASCADE_ROWS(name, type, kind, add)                                                        \
    static inline void name##_rows(const type *x, int64_t step, int64_t side, int64_t size,        \
                                   kind *to)                                                       \
    {                                                                                              \
        kind level[CASCADE_LEVELS][4];                                                             \
        int power = cascade_power(size), used = 1; /* levels that are not zero throughout */       \
        int64_t block = (int64_t)1 << power, i = 0;                                                \
        memset(level[0], 0, sizeof level[0]);                                                      \
        while (i < size) {                                                                         \
            kind a = level[0][0], b = level[0][1], c = level[0][2], d = level[0][3];               \
            bool whole = i + block <= size;                                                        \
            for (int64_t end = whole ? i + block : size; i < end; i++, x += step) {                \
                add(&a, x);                                                                        \
                add(&b, x + side);                                                                 \
                add(&c, x + 2 * side);                                                             \
                add(&d, x + 3 * side);                                                             \
            }                                                                                      \
            level[0][0] = a, level[0][1] = b, level[0][2] = c, level[0][3] = d;                    \
            for (int j = 1; whole && j < CASCADE_LEVELS; j++) {                                    \
                if (j == used) memset(level[used++], 0, sizeof level[j]);                          \
                for (int k = 0; k < 4; k++) level[j][k] += level[j - 1][k];                        \
                memset(level[j - 1], 0, sizeof level[j - 1]);                                      \
                if (i & (block - 1) << (j * power)) break;                                         \
            }                                                                                      \
        }                                                                                          \
        for (int j = 1; j < used; j++)                                                             \
            for (int k = 0; k < 4; k++) level[0][k] += level[j][k];                                \
        memcpy(to, level[0], sizeof level[0]);                                                     \
    }                                                                                              \
    static inline void name##_row(const type *x, int64_t step, int64_t n, kind *to)                \
    {                                                                                              \
        kind parts[4];                                                                             \
        name##_rows(x, 4 * step, step, n / 4, parts);                                              \
        for (int64_t i = n / 4 * 4; i < n; i++) add(&parts[0], x + i * step);                      \
        for (int k = 1; k < 4; k++) parts[0] += parts[k];                                          \
        *to = parts[0];                                                                            \
    }

// NAME_planes: NAME_plane for each plane, the first two dimensions. `number`: what the terms need.
#define PLANES(name, type)                                                                         \
    static void name##_planes(const SumPlan *plan, const void *data, void *results, double number) \
    {                                                                                              \
        int64_t at[TENSOR_MAX_DIMS + 2] = {0};                                                     \
        const type *x = data;                                                                      \
        type *out = results;                                                                       \
        for (int d = 0; d < plan->ndim;) {                                                         \
            name##_plane(x, plan, out, (type)number);                                              \
            for (d = 2; d < plan->ndim; d++) {                                                     \
                x += plan->in[d], out += plan->out[d];                                             \
                if (++at[d] < plan->size[d]) break;                                                \
                x -= at[d] * plan->in[d], out -= at[d] * plan->out[d];                             \
                at[d] = 0;                                                                         \
            }                                                                                      \
        }                                                                                          \
    }

#define CASCADE(name, type, vector, add, vector_add)                                               \
    CASCADE_ROWS(name, type, type, add)                                                            \
    CASCADE_ROWS(name##_vector, type, vector, vector_add)                                          \
    static void name##_neighbours(const type *x, int64_t n, type *to)                              \
    {                                                                                              \
        const int lanes = sizeof(vector) / sizeof(type);                                           \
        type parts[sizeof(vector) / sizeof(type)], sum = 0;                                        \
        vector total;                                                                              \
        name##_vector_row(x, lanes, n / lanes, &total);                                            \
        memcpy(parts, &total, sizeof total);                                                       \
        for (int64_t i = n / lanes * lanes; i < n; i++) add(&sum, x + i);                          \
        for (int k = 0; k < lanes; k++) sum += parts[k];                                           \
        *to += sum;                                                                                \
    }                                                                                              \
    static void name##_columns(const type *x, const SumPlan *plan, type *out)                      \
    {                                                                                              \
        const int lanes = sizeof(vector) / sizeof(type);                                           \
        type sums[4 * sizeof(vector) / sizeof(type)];                                              \
        vector totals[4];                                                                          \
        int64_t j = 0, width;                                                                      \
        for (; j < plan->size[1]; j += width) {                                                    \
            int64_t rest = plan->size[1] - j;                                                      \
            width = rest >= 4 * lanes ? 4 * lanes : rest >= lanes ? lanes : 1;                     \
            if (width == 4 * lanes)                                                                \
                name##_vector_rows(x + j, plan->in[0], lanes, plan->size[0], totals);              \
            else if (width == lanes)                                                               \
                name##_vector_row(x + j, plan->in[0], plan->size[0], totals);                      \
            else                                                                                   \
                name##_row(x + j, plan->in[0], plan->size[0], sums);                               \
            if (width > 1) memcpy(sums, totals, (size_t)width * sizeof(type));                     \
            for (int k = 0; k < width; k++) out[(j + k) * plan->out[1]] += sums[k];                \
        }                                                                                          \
    }                                                                                              \
    static void name##_others(const type *x, const SumPlan *plan, type *out)                       \
    {                                                                                              \
        type sums[4];                                                                              \
        int64_t j = 0, width;                                                                      \
        for (; j < plan->size[1]; j += width) {                                                    \
            const type *from = x + j * plan->in[1];                                                \
            width = plan->in[0] >= plan->in[1] && plan->size[1] - j >= 4 ? 4 : 1;                  \
            if (width == 4)                                                                        \
                name##_rows(from, plan->in[0], plan->in[1], plan->size[0], sums);                  \
            else                                                                                   \
                name##_row(from, plan->in[0], plan->size[0], sums);                                \
            for (int k = 0; k < width; k++) out[(j + k) * plan->out[1]] += sums[k];                \
        }                                                                                          \
    }                                                                                              \
    static void name##_plane(const type *x, const SumPlan *plan, type *out, type number)           \
    {                                                                                              \
        const int64_t lanes = sizeof(vector) / sizeof(type);                                       \
        (void)number;                                                                              \
        if (plan->in[0] == 1 && plan->size[0] >= lanes)                                            \
            for (int64_t j = 0; j < plan->size[1]; j++)                                            \
                name##_neighbours(x + j * plan->in[1], plan->size[0], out + j * plan->out[1]);     \
        else if (plan->in[1] == 1 && plan->size[1] >= lanes)                                       \
            name##_columns(x, plan, out);                                                          \
        else                                                                                       \
            name##_others(x, plan, out);                                                           \
    }                                                                                              \
    PLANES(name, type)
