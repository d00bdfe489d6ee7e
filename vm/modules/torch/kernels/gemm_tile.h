// What the innermost loops of gemm() work on. gemm_element.h has the loops.
//
// A panel is a strip of A or B, some rows of A or columns of B wide and up to GEMM_DEPTH deep,
// packed so that the k-th step of the multiplication finds its operands side by side:
//
//     panel of A, width 3      | a(0,0) a(1,0) a(2,0) | a(0,1) a(1,1) a(2,1) | ...
//     panel of B, width 4      | b(0,0) b(0,1) b(0,2) b(0,3) | b(1,0) b(1,1) ...
//
// Two panels give a tile of C: for each k every number of A's strip is multiplied with every number
// of B's, and the products are added to `rows` x `columns` sums, which stay in registers. What is
// beyond the edge of the matrix is packed as zero and never stored.
#pragma once

#include "vm/modules/torch/kernels/gemm.h"

// A part of an operand: `width` of `across`, from `first`; `depth` of `along` (the k axis), from k.
typedef struct PanelSource {
    const void *data;
    Axis across, along;
    int64_t first, width, k, depth;
} PanelSource;

// A block of C, m x n from (row, column), whose panels are packed.
typedef struct GemmBlock {
    const Matrix *c;
    int64_t row, column, m, n, depth;
    const void *panels_a, *panels_b;
    bool accumulate;
} GemmBlock;

// The loops for one dtype. Panels are packed one after the other, depth * width elements apart.
typedef struct GemmLoops {
    int rows, columns; // of a tile
    void (*pack_a)(const PanelSource *source, void *panels);
    void (*pack_b)(const PanelSource *source, void *panels);
    void (*pack_row)(const PanelSource *source, void *panel); // of A, one row wide
    void (*multiply)(const GemmBlock *block);
    // A block of one row: `b` is what would be packed.
    void (*multiply_row)(const GemmBlock *block, PanelSource *b);
} GemmLoops;

// A tile is ROWS x 2 vectors, which fills the registers: with AVX2 a tile of 6 x 2 takes 12 of 16,
// the strip of B two and a number of A one.
#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#define ROWS 14
#elif defined(__AVX__)
#define VECTOR_BYTES 32
#define ROWS 6
#elif defined(__aarch64__)
#define VECTOR_BYTES 16
#define ROWS 8
#else
#define VECTOR_BYTES 16
#define ROWS 4
#endif
#define MAX_WIDTH 32 // of a panel of any dtype

#define LINE 8 // numbers of a line of memory that are packed together

// Has the compiler the builtin that shuffles vectors (gcc 12, clang)?
#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define CAN_SHUFFLE 1
#endif
#endif

// How many rows of a tile are computed for m of C: the last tile may be lower.
static inline int64_t tile_height(int64_t m)
{
    int64_t height = (m + 3) / 4 * 4;
    return height < ROWS ? height : ROWS;
}

// How many offsets are consecutive, from each first one of a run; returns the number of runs.
static inline int find_runs(const int64_t *offsets, int64_t count, int *lengths)
{
    int runs = 0;
    for (int64_t i = 0; i < count; i += lengths[i], runs++) {
        lengths[i] = 1;
        while (i + lengths[i] < count && offsets[i + lengths[i]] == offsets[i] + lengths[i])
            lengths[i]++;
    }
    return runs;
}

// Are these elements of an axis adjacent in memory?
static inline bool axis_is_run(const Axis *axis, int64_t first, int64_t count)
{
    if (!axis->table) return axis->step == 1 || count == 1;
    const int64_t *table = axis->table + first;
    int64_t differences = 0;
    for (int64_t i = 0; i < count; i++) differences |= table[i] ^ (table[0] + i);
    return !differences;
}
