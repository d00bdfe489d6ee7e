// What is folded to one: one order of the terms on every machine. (Sums of floats: cascade.h.)
//
//     block of 1,024 terms     acc[0]  = x[0] + x[64] + x[128] ...
//                              acc[1]  = x[1] + x[65] ...              64 partial sums: SIMD lanes
//                              ...
//     then as a tree           acc[0] + acc[32], acc[1] + acc[33] ...;  + acc[16] ...;  down to one
//     the blocks, too          (b0 + b1) + (b2 + b3) ...
//
// The order depends on the number of terms only, so a sum along a row and one along a column give
// the same bits, and so do vectors of any width. The error grows with log n.
//
// FOLD(name, type, start, expression, join) makes name_all, for all rows and columns of a
// Reduction; FOLD_ROWS makes name_row only. In the expression, a is what has been added up, b the
// next term and s a number; in join, a and b are two partial sums.
#pragma once

#include "vm/modules/torch/kernels/reduction.h"

#define FOLD_LANES 64
#define FOLD_BLOCK 1024
#define FOLD_LEVELS 44 // partial sums of 2^level blocks
#ifdef __OPTIMIZE_SIZE__
#define FOLD_SMALL true
#else
#define FOLD_SMALL false
#endif
#define FOLD_TILE(type)                                                                            \
    (256 / (int)sizeof(type)) // columns at once: their sums stay in the L1 cache

// The tree of acc[]: of all lanes by loops of a known length, which need no memory, but where the
// copy for old processors is to be small; or of the first n.
#define FOLD_HALF(name, half)                                                                      \
    for (int j = 0; j < half; j++) acc[j] = name##_join(acc[j], acc[j + half]);
#define FOLD_WHOLE_TREE(name)                                                                      \
    FOLD_HALF(name, 32)                                                                            \
    FOLD_HALF(name, 16)                                                                            \
    FOLD_HALF(name, 8)                                                                             \
    FOLD_HALF(name, 4)                                                                             \
    FOLD_HALF(name, 2)                                                                             \
    FOLD_HALF(name, 1)
#define FOLD_TREE(name)                                                                            \
    for (int half = FOLD_LANES / 2; half && (FOLD_SMALL || n < FOLD_LANES); half /= 2)             \
        for (int j = 0; j < half && j + half < n; j++)                                             \
            acc[j] = name##_join(acc[j], acc[j + half]);                                           \
    if (!FOLD_SMALL && n >= FOLD_LANES) {                                                          \
        FOLD_WHOLE_TREE(name)                                                                      \
    }

#define FOLD_ROWS(name, type, start, expression, join)                                             \
    static type name##_join(type a, type b)                                                        \
    {                                                                                              \
        return (type)(join);                                                                       \
    }                                                                                              \
    static type name##_block(const type *x, int64_t n, type s)                                     \
    {                                                                                              \
        type acc[FOLD_LANES];                                                                      \
        (void)s;                                                                                   \
        for (int j = 0; j < FOLD_LANES; j++) acc[j] = start;                                       \
        int64_t i = 0;                                                                             \
        for (; i + FOLD_LANES <= n; i += FOLD_LANES)                                               \
            for (int j = 0; j < FOLD_LANES; j++) {                                                 \
                type a = acc[j], b = x[i + j];                                                     \
                acc[j] = (type)(expression);                                                       \
            }                                                                                      \
        for (int j = 0; j < n - i; j++) {                                                          \
            type a = acc[j], b = x[i + j];                                                         \
            acc[j] = (type)(expression);                                                           \
        }                                                                                          \
        FOLD_TREE(name)                                                                            \
        return acc[0];                                                                             \
    }                                                                                              \
    static type name##_row(const type *x, int64_t n, type s)                                       \
    {                                                                                              \
        type level[FOLD_LEVELS];                                                                   \
        if (n <= FOLD_BLOCK) return name##_block(x, n, s);                                         \
        int64_t blocks = 0;                                                                        \
        for (int64_t i = 0; i < n; i += FOLD_BLOCK, blocks++) {                                    \
            int at = 0;                                                                            \
            type sum = name##_block(x + i, n - i < FOLD_BLOCK ? n - i : FOLD_BLOCK, s);            \
            for (int64_t b = blocks; b & 1; b >>= 1) sum = name##_join(level[at++], sum);          \
            level[at] = sum;                                                                       \
        }                                                                                          \
        int at = __builtin_ctzll((unsigned long long)blocks);                                      \
        type sum = level[at];                                                                      \
        for (int64_t b = blocks >> at >> 1; b; b >>= 1)                                            \
            if (++at, b & 1) sum = name##_join(level[at], sum);                                    \
        return sum;                                                                                \
    }

#define FOLD(name, type, start, expression, join)                                                  \
    FOLD_ROWS(name, type, start, expression, join)                                                 \
    static void name##_tile(const type *x, int64_t n, int64_t width, int count, type s, type *out) \
    {                                                                                              \
        static _Alignas(64) type acc[FOLD_LANES][FOLD_TILE(type)];                                 \
        (void)s;                                                                                   \
        for (int j = 0; j < FOLD_LANES; j++)                                                       \
            for (int c = 0; c < count; c++) acc[j][c] = start;                                     \
        for (int64_t i = 0; i < n; i++, x += width) {                                              \
            type *sums = acc[i % FOLD_LANES];                                                      \
            for (int c = 0; c < count; c++) {                                                      \
                type a = sums[c], b = x[c];                                                        \
                sums[c] = (type)(expression);                                                      \
            }                                                                                      \
        }                                                                                          \
        for (int half = FOLD_LANES / 2; half; half /= 2)                                           \
            for (int j = 0; j < half && j + half < n; j++)                                         \
                for (int c = 0; c < count; c++)                                                    \
                    acc[j][c] = name##_join(acc[j][c], acc[j + half][c]);                          \
        for (int c = 0; c < count; c++) out[c] = acc[0][c];                                        \
    }                                                                                              \
    static void name##_tiles(const type *x, int64_t n, int64_t width, int count, type s,           \
                             type *out)                                                            \
    {                                                                                              \
        static type level[FOLD_LEVELS][FOLD_TILE(type)], sum[FOLD_TILE(type)];                     \
        int64_t blocks = 0;                                                                        \
        for (int64_t i = 0; i < n || i == 0; i += FOLD_BLOCK, blocks++) {                          \
            int at = 0;                                                                            \
            int64_t rest = n - i < FOLD_BLOCK ? n - i : FOLD_BLOCK;                                \
            name##_tile(x + i * width, rest, width, count, s, sum);                                \
            for (int64_t b = blocks; b & 1; b >>= 1, at++)                                         \
                for (int c = 0; c < count; c++) sum[c] = name##_join(level[at][c], sum[c]);        \
            for (int c = 0; c < count; c++) level[at][c] = sum[c];                                 \
        }                                                                                          \
        int at = __builtin_ctzll((unsigned long long)blocks);                                      \
        for (int c = 0; c < count; c++) out[c] = level[at][c];                                     \
        for (int64_t b = blocks >> at >> 1; b; b >>= 1)                                            \
            if (++at, b & 1)                                                                       \
                for (int c = 0; c < count; c++) out[c] = name##_join(level[at][c], out[c]);        \
    }                                                                                              \
    static void name##_all(const Reduction *reduction, double number)                              \
    {                                                                                              \
        const type *x = reduction->data;                                                           \
        type *out = reduction->out, s = (type)number;                                              \
        int64_t n = reduction->n, width = reduction->width;                                        \
        for (int64_t row = 0; row < reduction->rows; row++, x += n * width, out += width) {        \
            if (width == 1) {                                                                      \
                *out = name##_row(x, n, s);                                                        \
                continue;                                                                          \
            }                                                                                      \
            for (int64_t c = 0; c < width; c += FOLD_TILE(type)) {                                 \
                int64_t rest = width - c;                                                          \
                int count = rest < FOLD_TILE(type) ? (int)rest : FOLD_TILE(type);                  \
                name##_tiles(x + c, n, width, count, s, out + c);                                  \
            }                                                                                      \
        }                                                                                          \
    }
