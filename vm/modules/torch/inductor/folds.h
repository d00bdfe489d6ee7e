// How the kernels of a compiled graph add up terms: in the order of kernels/sums.h, so that the
// result has the bits of the eager one. A generated kernel has this text in front.
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
