// Walking over a tensor by indices: what gather, scatter, index_select, x[indices] have in common.
//
// Three operands are walked in step over one shape:
//
//     indexed   the tensor whose elements are chosen: element at + index * dim_stride
//     index     int64 numbers, checked before
//     other     the result (of gather), or the source (of scatter)
//
//     gather    other[i][j] = indexed[index[i][j]][j]        strides of indexed: 0, 1; dim_stride n
//     rows      other[i][j] = indexed[index[i]][j]           strides of index: 1, 0
//
// Calls in order of use: fill in an Indexed, then indexed_run() with the loop that moves one row.
// Dimensions that all operands allow to merge are merged, so rows are long.
#pragma once

#include "objects/tensor/convert.h"
#include "objects/tensor/tensor.h"

typedef struct Operand {
    char *data;
    int64_t stride[TENSOR_MAX_DIMS]; // in elements
} Operand;

typedef struct Indexed {
    int ndim;
    int64_t size[TENSOR_MAX_DIMS];
    size_t element; // bytes of an element of indexed and other
    Operand indexed, index, other;
    int64_t dim_stride;
} Indexed;

// One row of n elements.
typedef struct IndexedRow {
    int64_t n;
    char *indexed;
    const int64_t *index;
    char *other;
    int64_t step, index_step, other_step, dim_stride;
} IndexedRow;

typedef void (*RowLoop)(const IndexedRow *row);

static inline bool indexed_can_merge(const Indexed *walk, int outer, int inner)
{
    int64_t size = walk->size[inner];
    return walk->indexed.stride[outer] == walk->indexed.stride[inner] * size &&
           walk->index.stride[outer] == walk->index.stride[inner] * size &&
           walk->other.stride[outer] == walk->other.stride[inner] * size;
}

static inline void indexed_move_dim(Indexed *walk, int to, int from, int64_t size)
{
    walk->size[to] = size;
    walk->indexed.stride[to] = walk->indexed.stride[from];
    walk->index.stride[to] = walk->index.stride[from];
    walk->other.stride[to] = walk->other.stride[from];
}

// Leaves out dimensions of size 1 and merges neighbours. At least one dimension remains.
static inline void indexed_merge(Indexed *walk)
{
    int last = -1;
    for (int i = 0; i < walk->ndim; i++) {
        if (walk->size[i] == 1) continue;
        if (last >= 0 && indexed_can_merge(walk, last, i))
            indexed_move_dim(walk, last, i, walk->size[last] * walk->size[i]);
        else
            indexed_move_dim(walk, ++last, i, walk->size[i]);
    }
    walk->ndim = last + 1;
    if (walk->ndim) return;
    walk->ndim = 1;
    walk->size[0] = 1;
    walk->indexed.stride[0] = walk->index.stride[0] = walk->other.stride[0] = 0;
}

// Goes to the next row. False after the last one.
static inline bool indexed_next(const Indexed *walk, int64_t *at, IndexedRow *row)
{
    for (int i = walk->ndim - 1; i-- > 0;) {
        int64_t steps = ++at[i] < walk->size[i] ? 1 : 1 - walk->size[i];
        row->indexed += steps * walk->indexed.stride[i] * (int64_t)walk->element;
        row->index += steps * walk->index.stride[i];
        row->other += steps * walk->other.stride[i] * (int64_t)walk->element;
        if (steps == 1) return true;
        at[i] = 0;
    }
    return false;
}

static inline void indexed_run(Indexed *walk, RowLoop loop)
{
    int64_t at[TENSOR_MAX_DIMS] = {0};
    for (int i = 0; i < walk->ndim; i++)
        if (walk->size[i] == 0) return;
    indexed_merge(walk);
    int last = walk->ndim - 1;
    IndexedRow row = {walk->size[last],
                      walk->indexed.data,
                      (const int64_t *)(void *)walk->index.data,
                      walk->other.data,
                      walk->indexed.stride[last],
                      walk->index.stride[last],
                      walk->other.stride[last],
                      walk->dim_stride};
    do loop(&row);
    while (indexed_next(walk, at, &row));
}

// ---- loops that move elements

// Are elements chosen from one contiguous row, for another one?
static inline bool row_is_simple(const IndexedRow *row)
{
    return row->step == 0 && row->index_step == 1 && row->other_step == 1 && row->dim_stride == 1;
}

// (Each loop has a row of its own: what is stored cannot change it, as far as the compiler knows.)
#define INDEXED_MOVES(bits)                                                                        \
    static void row_take_##bits(const IndexedRow *given)                                           \
    {                                                                                              \
        const IndexedRow row = *given;                                                             \
        const uint##bits##_t *from = (const void *)row.indexed;                                    \
        uint##bits##_t *to = (void *)row.other;                                                    \
        if (row_is_simple(given))                                                                  \
            for (int64_t i = 0; i < row.n; i++) to[i] = from[row.index[i]];                        \
        else                                                                                       \
            for (int64_t i = 0; i < row.n; i++)                                                    \
                to[i * row.other_step] =                                                           \
                    from[i * row.step + row.index[i * row.index_step] * row.dim_stride];           \
    }                                                                                              \
    static void row_put_##bits(const IndexedRow *given)                                            \
    {                                                                                              \
        const IndexedRow row = *given;                                                             \
        uint##bits##_t *to = (void *)row.indexed;                                                  \
        const uint##bits##_t *from = (const void *)row.other;                                      \
        if (row_is_simple(given))                                                                  \
            for (int64_t i = 0; i < row.n; i++) to[row.index[i]] = from[i];                        \
        else                                                                                       \
            for (int64_t i = 0; i < row.n; i++)                                                    \
                to[i * row.step + row.index[i * row.index_step] * row.dim_stride] =                \
                    from[i * row.other_step];                                                      \
    }                                                                                              \
    static void row_copy_out_##bits(const IndexedRow *row)                                         \
    {                                                                                              \
        const uint##bits##_t *from = (const void *)row->indexed;                                   \
        memcpy(row->other, from + row->index[0] * row->dim_stride, (size_t)row->n * bits / 8);     \
    }                                                                                              \
    static void row_copy_in_##bits(const IndexedRow *row)                                          \
    {                                                                                              \
        uint##bits##_t *to = (void *)row->indexed;                                                 \
        memmove(to + row->index[0] * row->dim_stride, row->other, (size_t)row->n * bits / 8);      \
    }
INDEXED_MOVES(8)
INDEXED_MOVES(16)
INDEXED_MOVES(32)
INDEXED_MOVES(64)
INDEXED_MOVES(128)

// Makes the loop that combines: with a as the element chosen and b as that of other,
// indexed[index] = expression.
#define INDEXED_COMBINES(name, type, expression)                                                   \
    static void name(const IndexedRow *given)                                                      \
    {                                                                                              \
        const IndexedRow row = *given;                                                             \
        type *to = (void *)row.indexed;                                                            \
        const type *from = (const void *)row.other;                                                \
        for (int64_t i = 0; i < row.n; i++) {                                                      \
            type *at = to + i * row.step + row.index[i * row.index_step] * row.dim_stride;         \
            type a = *at, b = from[i * row.other_step];                                            \
            *at = expression;                                                                      \
        }                                                                                          \
    }

// 0 .. 4 for elements of 1, 2, 4, 8, 16 bytes.
static inline int element_class(size_t element)
{
    return element == 1 ? 0 : element == 2 ? 1 : element == 4 ? 2 : element == 8 ? 3 : 4;
}

// Are rows contiguous on both sides?
static inline bool indexed_has_blocks(Indexed *walk)
{
    indexed_merge(walk);
    int last = walk->ndim - 1;
    return walk->index.stride[last] == 0 && walk->indexed.stride[last] == 1 &&
           walk->other.stride[last] == 1;
}

// other[...] = indexed[index]
static inline void indexed_take(Indexed *walk)
{
    static const RowLoop takes[] = {row_take_8, row_take_16, row_take_32, row_take_64,
                                    row_take_128};
    static const RowLoop copies[] = {row_copy_out_8, row_copy_out_16, row_copy_out_32,
                                     row_copy_out_64, row_copy_out_128};
    bool blocks = indexed_has_blocks(walk);
    indexed_run(walk, (blocks ? copies : takes)[element_class(walk->element)]);
}

// indexed[index] = other[...]
static inline void indexed_put(Indexed *walk)
{
    static const RowLoop puts[] = {row_put_8, row_put_16, row_put_32, row_put_64, row_put_128};
    static const RowLoop copies[] = {row_copy_in_8, row_copy_in_16, row_copy_in_32, row_copy_in_64,
                                     row_copy_in_128};
    bool blocks = indexed_has_blocks(walk);
    indexed_run(walk, (blocks ? copies : puts)[element_class(walk->element)]);
}

// ---- operands

// Strides of a tensor over the shape of the walk; a tensor without dimensions is repeated.
static inline void operand_of(const Indexed *walk, Operand *operand, const Tensor *tensor)
{
    operand->data = tensor_data(tensor);
    for (int i = 0; i < walk->ndim; i++)
        operand->stride[i] = i < tensor->ndim ? tensor_stride(tensor, i) : 0;
}

static inline void indexed_sizes(Indexed *walk, const Tensor *tensor)
{
    walk->ndim = tensor->ndim ? tensor->ndim : 1;
    walk->size[0] = 1;
    for (int i = 0; i < tensor->ndim; i++) walk->size[i] = tensor_size(tensor, i);
}

// The first of n indices that is not in low .. high-1; -1 = all are.
static inline int64_t find_outside(const int64_t *index, int64_t n, int64_t low, int64_t high)
{
    int64_t outside = 0;
    for (int64_t i = 0; i < n; i++) outside |= (index[i] < low) | (index[i] >= high);
    for (int64_t i = 0; outside && i < n; i++)
        if (index[i] < low || index[i] >= high) return i;
    return -1;
}
