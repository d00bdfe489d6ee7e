// Products and norms of floats in PyTorch's order; sums: cascade.h.
//
//     product of neighbours     32 terms (16 doubles) at a time: four vectors of 32 bytes are
//                               multiplied by the four before them; then (a b) (c d), its
//                               lanes from the left, and the terms that are left over
//     product of columns        32 columns (16 doubles) at a time, each from above; then times
//                               what is there. Single columns, and all others, one term after
//                               another
//     norm 2 of neighbours      the squares in one vector; its lanes from the left, and then the
//                               terms that are left over
//     other norms               one term after another, in the type of the elements
//
// (PyTorch: ATen/native/cpu/ReduceOpsKernel.cpp. Its vectors are twice as wide under
// AVX-512.)
#pragma once

#include "vm/modules/torch/kernels/cascade.h"

#define LANES(type) (32 / (int)sizeof(type))
#define ROWS_AT_ONCE 4 // whose squares are added up: the sums of one wait for each other

#define PRODUCTS(name, type)                                                                       \
    static void name##_neighbours(const type *x, int64_t n, type *to)                              \
    {                                                                                              \
        const int lanes = LANES(type), chunk = 4 * lanes;                                          \
        int64_t i = chunk;                                                                         \
        type parts[4 * LANES(type)], product;                                                      \
        if (n >= chunk) {                                                                          \
            memcpy(parts, x, sizeof parts);                                                        \
            for (; i + chunk <= n; i += chunk)                                                     \
                for (int k = 0; k < chunk; k++) parts[k] *= x[i + k];                              \
            for (int k = 0; k < lanes; k++)                                                        \
                parts[k] =                                                                         \
                    (parts[k] * parts[lanes + k]) * (parts[2 * lanes + k] * parts[3 * lanes + k]); \
            product = parts[0];                                                                    \
            for (int k = 1; k < lanes; k++) product *= parts[k];                                   \
            *to *= product;                                                                        \
        }                                                                                          \
        for (i = n / chunk * chunk; i < n; i++) *to *= x[i];                                       \
    }                                                                                              \
    static void name##_columns(const type *x, const SumPlan *plan, type *out)                      \
    {                                                                                              \
        const int chunk = 4 * LANES(type);                                                         \
        type parts[4 * LANES(type)];                                                               \
        int64_t j = 0;                                                                             \
        for (; j + chunk <= plan->size[1]; j += chunk) {                                           \
            memcpy(parts, x + j, sizeof parts);                                                    \
            for (int64_t i = 1; i < plan->size[0]; i++)                                            \
                for (int k = 0; k < chunk; k++) parts[k] *= x[i * plan->in[0] + j + k];            \
            for (int k = 0; k < chunk; k++) out[j + k] *= parts[k];                                \
        }                                                                                          \
        for (; j < plan->size[1]; j++)                                                             \
            for (int64_t i = 0; i < plan->size[0]; i++) out[j] *= x[i * plan->in[0] + j];          \
    }                                                                                              \
    IN_TURN(name##_single, type, a *b)                                                             \
    static void name##_plane(const type *x, const SumPlan *plan, type *out, type number)           \
    {                                                                                              \
        bool reduces = plan->out[0] == 0;                                                          \
        if (reduces && plan->in[0] == 1)                                                           \
            for (int64_t j = 0; j < plan->size[1]; j++)                                            \
                name##_neighbours(x + j * plan->in[1], plan->size[0], out + j * plan->out[1]);     \
        else if (reduces && plan->in[1] == 1 && plan->out[1] == 1)                                 \
            name##_columns(x, plan, out);                                                          \
        else                                                                                       \
            name##_single_plane(x, plan, out, number);                                             \
    }                                                                                              \
    PLANES(name, type)

// NAME_plane: one term after another. In the expression, a is what has been found so far, b the
// next term and s a number. Columns are taken side by side, for the same results in less time.
#define IN_TURN(name, type, expression)                                                            \
    static void name##_plane(const type *x, const SumPlan *plan, type *out, type s)                \
    {                                                                                              \
        int64_t n = plan->size[0], width = plan->size[1];                                          \
        bool columns = plan->in[1] == 1 && plan->out[1] == 1;                                      \
        (void)s;                                                                                   \
        for (int64_t i = 0; columns && i < n; i++, x += plan->in[0])                               \
            for (int64_t j = 0; j < width; j++) {                                                  \
                type a = out[j], b = x[j];                                                         \
                out[j] = expression;                                                               \
            }                                                                                      \
        for (int64_t j = 0; !columns && j < width; j++) {                                          \
            type a = out[j * plan->out[1]];                                                        \
            for (int64_t i = 0; i < n; i++) {                                                      \
                type b = x[j * plan->in[1] + i * plan->in[0]];                                     \
                a = expression;                                                                    \
            }                                                                                      \
            out[j * plan->out[1]] = a;                                                             \
        }                                                                                          \
    }

#define NORMS(name, type, vector)                                                                  \
    IN_TURN(absolutes_##name, type, a + m_abs(b))                                                  \
    IN_TURN(squares_##name, type, a + b * b)                                                       \
    IN_TURN(powers_##name, type, a + m_pow(m_abs(b), s))                                           \
    PLANES(absolutes_##name, type)                                                                 \
    PLANES(powers_##name, type)                                                                    \
    static ALWAYS_INLINE void squares_##name##_of(int rows, const type *x, int64_t n,              \
                                                  int64_t step, type *to, int64_t to_step)         \
    {                                                                                              \
        vector parts[ROWS_AT_ONCE], term;                                                          \
        int64_t whole = n / LANES(type) * LANES(type);                                             \
        memset(parts, 0, sizeof parts);                                                            \
        for (int64_t i = 0; i < whole; i += LANES(type)) UNROLL for (int r = 0; r < rows; r++)     \
            {                                                                                      \
                memcpy(&term, x + r * step + i, sizeof term);                                      \
                parts[r] += term * term;                                                           \
            }                                                                                      \
        for (int r = 0; r < rows; r++, x += step) {                                                \
            type sum = parts[r][0];                                                                \
            for (int k = 1; k < LANES(type); k++) sum += parts[r][k];                              \
            for (int64_t i = whole; i < n; i++) sum += x[i] * x[i];                                \
            to[r * to_step] = sum;                                                                 \
        }                                                                                          \
    }                                                                                              \
    static void squares_##name##_neighbours(const type *x, const SumPlan *plan, type *out)         \
    {                                                                                              \
        int64_t n = plan->size[0], step = plan->in[1], to_step = plan->out[1], j = 0;              \
        for (; j + ROWS_AT_ONCE <= plan->size[1]; j += ROWS_AT_ONCE)                               \
            squares_##name##_of(ROWS_AT_ONCE, x + j * step, n, step, out + j * to_step, to_step);  \
        for (; j < plan->size[1]; j++)                                                             \
            squares_##name##_of(1, x + j * step, n, step, out + j * to_step, to_step);             \
    }                                                                                              \
    static void norm_squares_##name##_plane(const type *x, const SumPlan *plan, type *out, type s) \
    {                                                                                              \
        if (!sum_is_of_rows(plan))                                                                 \
            squares_##name##_plane(x, plan, out, s);                                               \
        else                                                                                       \
            squares_##name##_neighbours(x, plan, out);                                             \
    }                                                                                              \
    PLANES(norm_squares_##name, type)

// Is a single dimension added up, and has it neighbours in memory?
static inline bool sum_is_of_rows(const SumPlan *plan)
{
    if (plan->in[0] != 1 || plan->out[0] != 0) return false;
    for (int i = 1; i < plan->ndim; i++)
        if (plan->out[i] == 0 && plan->size[i] > 1) return false;
    return true;
}
