// Copies: the two operands of an iteration, row by row, without a buffer where one side is
// contiguous.
//
// The rows are those of the last two dimensions, a plane. Of a plane that is short in its last
// dimension the columns are copied; one that is turned over (a matrix, transposed) is copied by
// tiles, which stay in the L1 cache with the lines that they touch.
//
//     x.t().contiguous()    to: strides n, 1;  from: 1, m      tiles
//     pixel_shuffle         to: strides 2, 1;  from: 1, h * w  two columns, contiguous in from
#include "objects/tensor/convert.h"
#include "objects/tensor/iterate.h"

#define TILE 16

// The last two dimensions: rows of n elements.
typedef struct Plane {
    int64_t rows, n;
    int64_t to_step, to_stride, from_step, from_stride; // from row to row, and within one
    size_t size;                                        // of an element
} Plane;

static void swap(int64_t *a, int64_t *b)
{
    int64_t kept = *a;
    *a = *b;
    *b = kept;
}

static void turn_over(Plane *plane)
{
    swap(&plane->rows, &plane->n);
    swap(&plane->to_step, &plane->to_stride);
    swap(&plane->from_step, &plane->from_stride);
}

static char *ahead(const Plane *plane, const char *at, int64_t elements)
{
    return (char *)(uintptr_t)at + elements * (int64_t)plane->size;
}

// A tile of rows that are contiguous in `to`, columns in `from`, which is read in order.
#define TILES(bits)                                                                                \
    static void tile_##bits(const Plane *plane, void *out, const void *in, int64_t rows,           \
                            int64_t n)                                                             \
    {                                                                                              \
        uint##bits##_t *restrict to = out;                                                         \
        const uint##bits##_t *restrict from = in;                                                  \
        const int64_t step = plane->to_step, stride = plane->from_stride;                          \
        for (int64_t j = 0; j < n; j++)                                                            \
            for (int64_t i = 0; i < rows; i++) to[i * step + j] = from[j * stride + i];            \
    }
TILES(8)
TILES(16)
TILES(32)
TILES(64)
TILES(128)

static void copy_tiles(const Plane *plane, char *to, const char *from)
{
    static void (*const tiles[])(const Plane *, void *, const void *, int64_t, int64_t) = {
        [1] = tile_8, [2] = tile_16, [4] = tile_32, [8] = tile_64, [16] = tile_128};
    for (int64_t i = 0; i < plane->rows; i += TILE)
        for (int64_t j = 0; j < plane->n; j += TILE)
            tiles[plane->size](plane, ahead(plane, to, i * plane->to_step + j),
                               ahead(plane, from, j * plane->from_stride + i),
                               plane->rows - i < TILE ? plane->rows - i : TILE,
                               plane->n - j < TILE ? plane->n - j : TILE);
}

static void copy_plane(const Plane *plane, char *to, const char *from)
{
    bool turned = plane->from_step == 1 && plane->to_stride == 1 && plane->from_stride != 1;
    if (turned && plane->rows >= TILE && plane->n >= TILE) return copy_tiles(plane, to, from);
    for (int64_t i = 0; i < plane->rows; i++) {
        if (plane->to_stride == 1)
            elements_gather(plane->size, plane->n, to, from, plane->from_stride);
        else
            elements_scatter(plane->size, plane->n, to, plane->to_stride, from);
        to = ahead(plane, to, plane->to_step);
        from = ahead(plane, from, plane->from_step);
    }
}

// May the rows be copied without a buffer: is one side contiguous?
static bool has_side(const Plane *plane)
{
    return plane->to_stride == 1 || plane->from_stride == 1;
}

// The last two dimensions, turned where columns are longer or the only ones that have a side.
static bool plane_of(const Iteration *iteration, Plane *plane)
{
    const IterateOperand *to = &iteration->operand[0], *from = &iteration->operand[1];
    int last = iteration->ndim - 1;
    bool rows = last > 0;
    *plane = (Plane){.rows = rows ? iteration->size[last - 1] : 1,
                     .n = last < 0 ? 1 : iteration->size[last],
                     .to_step = rows ? to->stride[last - 1] : 1,
                     .to_stride = last < 0 ? 1 : to->stride[last],
                     .from_step = rows ? from->stride[last - 1] : 1,
                     .from_stride = last < 0 ? 1 : from->stride[last],
                     .size = dtype_size(to->dtype)};
    Plane turned = *plane;
    turn_over(&turned);
    if (!has_side(plane) || (plane->n < TILE && plane->n < plane->rows && has_side(&turned)))
        *plane = turned;
    return has_side(plane);
}

// To the next plane: of the outer dimensions, the last one that has not come to its end.
static void next_plane(const Iteration *iteration, int64_t *index, char **to, char **from)
{
    const IterateOperand *out = &iteration->operand[0], *in = &iteration->operand[1];
    int64_t size = (int64_t)dtype_size(out->dtype);
    for (int i = iteration->ndim - 2; i-- > 0;) {
        int64_t steps = ++index[i] < iteration->size[i] ? 1 : 1 - index[i];
        *to += steps * out->stride[i] * size;
        *from += steps * in->stride[i] * size;
        if (steps == 1) return;
        index[i] = 0;
    }
}

bool iteration_copy(Iteration *iteration)
{
    const IterateOperand *to = &iteration->operand[0], *from = &iteration->operand[1];
    Plane plane;
    if (iteration->numel == 0) return true;
    if (to->dtype != from->dtype || to->unresolved || from->unresolved) return false;
    iteration_arrange(iteration);
    if (!plane_of(iteration, &plane)) return false;
    int64_t index[TENSOR_MAX_DIMS] = {0};
    char *out = to->data, *in = from->data;
    for (int64_t done = 0; done < iteration->numel; done += plane.rows * plane.n) {
        copy_plane(&plane, out, in);
        next_plane(iteration, index, &out, &in);
    }
    return true;
}
