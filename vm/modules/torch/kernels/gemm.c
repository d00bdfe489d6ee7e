// Blocks and packing of a matrix multiplication (gemm.h).
//
//     for each block of columns                      panels of B: BLOCK_COLUMNS x GEMM_DEPTH
//         for each block of k                        packed once, a megabyte at most
//             for each block of rows                 panels of A: BLOCK_ROWS x GEMM_DEPTH
//                 multiply                           packed once, stays in the second-level cache
#include "vm/modules/torch/kernels/gemm.h"

#include "objects/tensor/storage.h"
#include "vm/modules/torch/kernels/gemm_tile.h"

#include <string.h>

#define ELEMENT float
#define NAME(x) float32_##x
#include "vm/modules/torch/kernels/gemm_element.h"
#undef ELEMENT
#undef NAME

#define ELEMENT double
#define NAME(x) float64_##x
#include "vm/modules/torch/kernels/gemm_element.h"
#undef ELEMENT
#undef NAME

#define ELEMENT int64_t
#define NAME(x) int64_##x
#include "vm/modules/torch/kernels/gemm_element.h"
#undef ELEMENT
#undef NAME

#define ELEMENT int32_t
#define NAME(x) int32_##x
#include "vm/modules/torch/kernels/gemm_element.h"
#undef ELEMENT
#undef NAME

static const GemmLoops *const loops_of[DTYPE_COUNT] = {
    [DTYPE_float32] = &float32_loops,
    [DTYPE_float64] = &float64_loops,
    [DTYPE_int64] = &int64_loops,
    [DTYPE_int32] = &int32_loops,
};

#define BLOCK_ROWS 96 // about: rounded down to whole panels
#define BLOCK_COLUMNS 1024

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t round_up(int64_t number, int64_t unit)
{
    return (number + unit - 1) / unit * unit;
}

// ---- which of two equal products

static Matrix transposed(const Matrix *matrix)
{
    return (Matrix){matrix->data, matrix->columns, matrix->rows};
}

// What the tiles cost, in steps along k; one that is not contiguous in C takes some more.
static double cost(const GemmLoops *loops, int64_t m, int64_t n, int64_t k, const Axis *columns)
{
    int64_t rows = m / loops->rows * loops->rows + tile_height(m % loops->rows);
    double tiles = (double)rows * (double)round_up(n, loops->columns);
    bool contiguous = columns->table || columns->step == 1;
    return tiles * ((double)smaller(k, GEMM_DEPTH) + (contiguous ? 0 : 32));
}

// C' = B' A' is the same product. A tile is wider than high, so for a narrow C it may cost less.
static Gemm cheaper(const GemmLoops *loops, const Gemm *gemm)
{
    const Gemm *g = gemm;
    if (cost(loops, g->m, g->n, g->k, &g->c.columns) <= cost(loops, g->n, g->m, g->k, &g->c.rows))
        return *g;
    return (Gemm){g->n,         g->m, g->k, transposed(&g->b), transposed(&g->a), transposed(&g->c),
                  g->accumulate};
}

// ---- blocks

typedef struct Work {
    const Gemm *gemm;
    const GemmLoops *loops;
    char *panels_a, *panels_b;
    int64_t block_rows;
} Work;

static void pack_rows(const Work *work, GemmBlock *block, int64_t k)
{
    const Matrix *a = &work->gemm->a;
    PanelSource source = {a->data, a->rows, a->columns, block->row, block->m, k, block->depth};
    work->loops->pack_a(&source, work->panels_a);
}

static void pack_columns(const Work *work, GemmBlock *block, int64_t k)
{
    const Matrix *b = &work->gemm->b;
    PanelSource source = {b->data, b->columns, b->rows, block->column, block->n, k, block->depth};
    work->loops->pack_b(&source, work->panels_b);
}

// All rows of a block of columns, for one block of k.
static void multiply_columns(const Work *work, GemmBlock *block, int64_t k)
{
    pack_columns(work, block, k);
    for (block->row = 0; block->row < work->gemm->m; block->row += work->block_rows) {
        block->m = smaller(work->block_rows, work->gemm->m - block->row);
        pack_rows(work, block, k);
        work->loops->multiply(block);
    }
}

static void multiply_all(const Work *work)
{
    const Gemm *gemm = work->gemm;
    GemmBlock block = {.c = &gemm->c, .panels_a = work->panels_a, .panels_b = work->panels_b};
    for (block.column = 0; block.column < gemm->n; block.column += BLOCK_COLUMNS) {
        block.n = smaller(BLOCK_COLUMNS, gemm->n - block.column);
        int64_t k = 0; // without any k the sums are zero, and are stored as well
        do {
            block.depth = smaller(GEMM_DEPTH, gemm->k - k);
            block.accumulate = k > 0 || gemm->accumulate;
            multiply_columns(work, &block, k);
            k += GEMM_DEPTH;
        } while (k < gemm->k);
    }
}
// ---- a single row

static void multiply_row(const GemmLoops *loops, const Gemm *gemm)
{
    int64_t row[GEMM_DEPTH]; // of elements, which have at most 8 bytes
    GemmBlock block = {.c = &gemm->c, .m = 1, .n = gemm->n, .panels_a = row};
    int64_t k = 0;
    do {
        block.depth = smaller(GEMM_DEPTH, gemm->k - k);
        block.accumulate = k > 0 || gemm->accumulate;
        PanelSource a = {gemm->a.data, gemm->a.rows, gemm->a.columns, 0, 1, k, block.depth};
        PanelSource b = {gemm->b.data, gemm->b.columns, gemm->b.rows, 0, gemm->n, k, block.depth};
        loops->pack_row(&a, row);
        loops->multiply_row(&block, &b);
        k += GEMM_DEPTH;
    } while (k < gemm->k);
}

// ---- memory

static size_t panel_bytes(Dtype dtype, int64_t width, int64_t unit, int64_t depth)
{
    size_t bytes = (size_t)(round_up(width, unit) * depth) * dtype_size(dtype);
    return (bytes + STORAGE_ALIGNMENT - 1) / STORAGE_ALIGNMENT * STORAGE_ALIGNMENT;
}

bool KERNEL(gemm)(Dtype dtype, const Gemm *given)
{
    const GemmLoops *loops = loops_of[dtype];
    invariant(loops, "gemm() is asked for a dtype that is computed in");
    if (!given->m || !given->n || (!given->k && given->accumulate)) return true;
    Gemm product = cheaper(loops, given);
    if (product.m == 1) {
        multiply_row(loops, &product);
        return true;
    }
    Work work = {&product, loops, NULL, NULL, BLOCK_ROWS / loops->rows * loops->rows};
    int64_t depth = smaller(product.k, GEMM_DEPTH);
    size_t bytes_a = panel_bytes(dtype, smaller(product.m, work.block_rows), loops->rows, depth);
    size_t bytes_b = panel_bytes(dtype, smaller(product.n, BLOCK_COLUMNS), loops->columns, depth);
    Value memory = storage_new(bytes_a + bytes_b);
    if (!memory) return false;
    work.panels_a = as_storage(memory)->data;
    work.panels_b = work.panels_a + bytes_a;
    multiply_all(&work);
    drop(memory);
    return true;
}
