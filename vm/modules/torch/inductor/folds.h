// How the kernels of a compiled graph add up terms: in the order of kernels/sums.h and cascade.h,
// so that the result has the bits of the eager one. A generated kernel has this text in front.
//
//     FOLD(sum_float, float, a + b)        makes the functions below
//
//     sum_float fold;                      64 partial results of up to 1,024 terms
//     sum_float_begin(&fold, 0);          ... which are 0 at first
//     fold.lane[i % 64] = sum_float_join(fold.lane[i % 64], term);
//     sum_float_close(&fold, 1024);        the lanes as a tree, then the blocks as a tree
//     sum_float_total(&fold);             the sum of all blocks
//
// sum_float_joined(&fold, n) is the result where there is one block of n terms.
// CASCADE(cascade_float, float, 8)     sums of a row of floats (kernels/cascade.h):
//
//     cascade_float_begin(&fold, n);       `group` lanes: 4 vectors of 8, or 4 single ones if n < 8
//     fold.lane[i % fold.group] += term;   for the terms of whole groups ...
//     cascade_float_row(&fold);            ... after each group
//     cascade_float_rest(&fold, i, n, term);   for the others, and for any
//     cascade_float_total(&fold);
//
// FOLD_VECTOR(vector_float, float, 8)  the sum of a row of softmax, in 8 lanes from the left
// (kernels/softmax_element.h); the same functions, for groups of 64 terms.
//
// FOLD_COLUMNS(sum_float, float) makes the same for 64 columns side by side, as sum_float_columns.
#pragma once

#include <stdint.h>

#define FOLD_LANES 64
#define FOLD_LEVELS 44

#define FOLD(name, type, expression)                                                               \
    typedef struct {                                                                               \
        type lane[FOLD_LANES], level[FOLD_LEVELS];                                                 \
        int64_t blocks;                                                                            \
    } name;                                                                                        \
    static inline type name##_join(type a, type b)                                                 \
    {                                                                                              \
        return (type)(expression);                                                                 \
    }                                                                                              \
    static inline void name##_begin(name *fold, type start)                                        \
    {                                                                                              \
        for (int i = 0; i < FOLD_LANES; i++) fold->lane[i] = start;                                \
    }                                                                                              \
    static inline type name##_joined(name *fold, int64_t n)                                        \
    {                                                                                              \
        type *lane = fold->lane;                                                                   \
        for (int half = FOLD_LANES / 2; half; half /= 2)                                           \
            for (int i = 0; i < half; i++)                                                         \
                if (i + half < n) lane[i] = name##_join(lane[i], lane[i + half]);                  \
        return lane[0];                                                                            \
    }                                                                                              \
    static inline void name##_close(name *fold, int64_t n)                                         \
    {                                                                                              \
        int at = 0;                                                                                \
        type sum = name##_joined(fold, n);                                                         \
        for (int64_t b = fold->blocks++; b & 1; b >>= 1)                                           \
            sum = name##_join(fold->level[at++], sum);                                             \
        fold->level[at] = sum;                                                                     \
    }                                                                                              \
    static inline type name##_total(const name *fold)                                              \
    {                                                                                              \
        int at = __builtin_ctzll((unsigned long long)fold->blocks);                                \
        type sum = fold->level[at];                                                                \
        for (int64_t b = fold->blocks >> at >> 1; b; b >>= 1)                                      \
            if (++at, b & 1) sum = name##_join(fold->level[at], sum);                              \
        return sum;                                                                                \
    }

#define CASCADE_LEVELS 3 // above the lanes

#define CASCADE(name, type, width)                                                                 \
    typedef struct {                                                                               \
        type lane[4 * width], level[CASCADE_LEVELS][4 * width], tail;                              \
        int64_t rows, group;                                                                       \
        int power;                                                                                 \
    } name;                                                                                        \
    static inline void name##_begin(name *fold, int64_t n)                                         \
    {                                                                                              \
        fold->group = n < width ? 4 : 4 * width;                                                   \
        int64_t size = n / fold->group;                                                            \
        int bits = size <= 2 ? 1 : 64 - __builtin_clzll((unsigned long long)size - 1);             \
        fold->power = bits / 4 > 4 ? bits / 4 : 4;                                                 \
        fold->rows = 0;                                                                            \
        fold->tail = 0;                                                                            \
        for (int k = 0; k < 4 * width; k++) fold->lane[k] = 0;                                     \
        for (int j = 0; j < CASCADE_LEVELS; j++)                                                   \
            for (int k = 0; k < 4 * width; k++) fold->level[j][k] = 0;                             \
    }                                                                                              \
    static inline void name##_row(name *fold)                                                      \
    {                                                                                              \
        int64_t rows = ++fold->rows, mask = ((int64_t)1 << fold->power) - 1;                       \
        type *from = fold->lane;                                                                   \
        if (rows & mask) return;                                                                   \
        for (int j = 0; j < CASCADE_LEVELS; from = fold->level[j++]) {                             \
            for (int k = 0; k < 4 * width; k++) fold->level[j][k] += from[k];                      \
            for (int k = 0; k < 4 * width; k++) from[k] = 0;                                       \
            if (rows & mask << ((j + 1) * fold->power)) break;                                     \
        }                                                                                          \
    }                                                                                              \
    static inline void name##_levels(name *fold)                                                   \
    {                                                                                              \
        for (int j = 0; j < CASCADE_LEVELS; j++)                                                   \
            for (int k = 0; k < 4 * width; k++) {                                                  \
                fold->lane[k] += fold->level[j][k];                                                \
                fold->level[j][k] = 0;                                                             \
            }                                                                                      \
    }                                                                                              \
    static inline void name##_rest(name *fold, int64_t i, int64_t n, type term)                    \
    {                                                                                              \
        int64_t group = fold->group, vector = group / 4, whole = n / group * group;                \
        if (i < whole) {                                                                           \
            fold->lane[i % group] += term;                                                         \
            if (i % group == group - 1) name##_row(fold);                                          \
            return;                                                                                \
        }                                                                                          \
        if (i == whole) name##_levels(fold);                                                       \
        if (i < n / vector * vector)                                                               \
            fold->lane[i % vector] += term;                                                        \
        else                                                                                       \
            fold->tail += term;                                                                    \
    }                                                                                              \
    static inline type name##_total(name *fold)                                                    \
    {                                                                                              \
        int64_t vector = fold->group / 4;                                                          \
        type total = fold->tail;                                                                   \
        name##_levels(fold);                                                                       \
        for (int64_t k = vector; k < fold->group; k++) fold->lane[k % vector] += fold->lane[k];    \
        for (int64_t k = 0; k < vector; k++) total += fold->lane[k];                               \
        return total;                                                                              \
    }

#define FOLD_VECTOR(name, type, width)                                                             \
    typedef struct {                                                                               \
        type lane[FOLD_LANES], sum[width];                                                         \
    } name;                                                                                        \
    static inline void name##_begin(name *fold, int64_t n)                                         \
    {                                                                                              \
        (void)n;                                                                                   \
        for (int k = 0; k < FOLD_LANES; k++) fold->lane[k] = 0;                                    \
        for (int k = 0; k < width; k++) fold->sum[k] = 0;                                          \
    }                                                                                              \
    static inline void name##_row(name *fold)                                                      \
    {                                                                                              \
        for (int i = 0; i < FOLD_LANES; i += width)                                                \
            for (int k = 0; k < width; k++) fold->sum[k] += fold->lane[i + k];                     \
        for (int k = 0; k < FOLD_LANES; k++) fold->lane[k] = 0;                                    \
    }                                                                                              \
    static inline void name##_rest(name *fold, int64_t i, int64_t n, type term)                    \
    {                                                                                              \
        if (i >= n / FOLD_LANES * FOLD_LANES) {                                                    \
            fold->sum[i % width] += term;                                                          \
            return;                                                                                \
        }                                                                                          \
        fold->lane[i % FOLD_LANES] += term;                                                        \
        if (i % FOLD_LANES == FOLD_LANES - 1) name##_row(fold);                                    \
    }                                                                                              \
    static inline type name##_total(const name *fold)                                              \
    {                                                                                              \
        type total = fold->sum[0];                                                                 \
        for (int k = 1; k < width; k++) total += fold->sum[k];                                     \
        return total;                                                                              \
    }

#define FOLD_WIDTH 64 // columns

#define FOLD_COLUMNS(name, type)                                                                   \
    typedef struct {                                                                               \
        type lane[FOLD_LANES][FOLD_WIDTH], level[FOLD_LEVELS][FOLD_WIDTH];                         \
        int64_t blocks;                                                                            \
    } name##_columns;                                                                              \
    static inline void name##_columns_begin(name##_columns *fold, type start)                      \
    {                                                                                              \
        for (int i = 0; i < FOLD_LANES; i++)                                                       \
            for (int c = 0; c < FOLD_WIDTH; c++) fold->lane[i][c] = start;                         \
    }                                                                                              \
    static inline void name##_columns_joined(name##_columns *fold, int64_t n, type *out)           \
    {                                                                                              \
        for (int half = FOLD_LANES / 2; half; half /= 2)                                           \
            for (int i = 0; i < half && i + half < n; i++)                                         \
                for (int c = 0; c < FOLD_WIDTH; c++)                                               \
                    fold->lane[i][c] = name##_join(fold->lane[i][c], fold->lane[i + half][c]);     \
        for (int c = 0; c < FOLD_WIDTH; c++) out[c] = fold->lane[0][c];                            \
    }                                                                                              \
    static inline void name##_columns_close(name##_columns *fold, int64_t n)                       \
    {                                                                                              \
        int at = 0;                                                                                \
        type sum[FOLD_WIDTH];                                                                      \
        name##_columns_joined(fold, n, sum);                                                       \
        for (int64_t b = fold->blocks++; b & 1; b >>= 1, at++)                                     \
            for (int c = 0; c < FOLD_WIDTH; c++) sum[c] = name##_join(fold->level[at][c], sum[c]); \
        for (int c = 0; c < FOLD_WIDTH; c++) fold->level[at][c] = sum[c];                          \
    }                                                                                              \
    static inline void name##_columns_total(const name##_columns *fold, type *out)                 \
    {                                                                                              \
        int at = __builtin_ctzll((unsigned long long)fold->blocks);                                \
        for (int c = 0; c < FOLD_WIDTH; c++) out[c] = fold->level[at][c];                          \
        for (int64_t b = fold->blocks >> at >> 1; b; b >>= 1)                                      \
            if (++at, b & 1)                                                                       \
                for (int c = 0; c < FOLD_WIDTH; c++)                                               \
                    out[c] = name##_join(fold->level[at][c], out[c]);                              \
    }
