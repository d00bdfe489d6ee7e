// What emitted programs (vm/lib/executorch/exir/emit/) call beside their loops: products of
// matrices, convolutions, pools, copies, as plain C. A program has only those in it that it needs.
// Nothing here allocates; sizes have been checked before.
//
//     matmul_float(&(Product_float){...})        c = a b, of any strides
//     convolution_float(&conv, x, weight, bias, room, y)
//     max_pool_float(&pool, x, y, indices)       average_pool_float(&pool, x, y)
//
// The order of additions is that of the kernels that run eagerly (vm/modules/torch/kernels/gemm.h):
// products are added in blocks of DEPTH, so the bits are the same where MUL_ADD rounds as it does
// there. The text for another type of elements has that type's name instead of float.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// a * b + c: rounded once where the processor can, as in the eager kernels.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define MUL_ADD_float(a, b, c) fmaf(a, b, c)
#define MUL_ADD_double(a, b, c) fma(a, b, c)
#else
#define MUL_ADD_float(a, b, c) ((a) * (b) + (c))
#define MUL_ADD_double(a, b, c) ((a) * (b) + (c))
#endif
#define MUL_ADD_int64_t(a, b, c) ((int64_t)((uint64_t)(a) * (uint64_t)(b) + (uint64_t)(c)))
#define MUL_ADD_int32_t(a, b, c) ((int32_t)((uint32_t)(a) * (uint32_t)(b) + (uint32_t)(c)))
#define MUL_ADD_int8_t(a, b, c) ((a) * (b) + (c))

#define IS_NAN_float(x) ((x) != (x))
#define IS_NAN_double(x) ((x) != (x))
#define IS_NAN_int64_t(x) false
#define IS_NAN_int32_t(x) false
#define IS_NAN_int8_t(x) false

#define LEAST_float -INFINITY
#define LEAST_double -(double)INFINITY
#define LEAST_int64_t INT64_MIN
#define LEAST_int32_t INT32_MIN
#define LEAST_int8_t INT8_MIN

// Products are added up in this type; those of int8_t in int32_t.
typedef float Sum_float;

#define DEPTH 256 // products of a block
#define WIDTH 32  // columns of a tile of c, and of a panel

// The rows of a tile: as many as the compiler can keep in registers.
#ifdef __AVX512F__
#define ROWS 7
#elif defined(__AVX__) || defined(__aarch64__)
#define ROWS 3
#else
#define ROWS 1
#endif

#ifdef __GNUC__
#define INLINED inline __attribute__((always_inline))
#else
#define INLINED inline
#endif

static inline int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// ---- products of matrices

// Element (i, j) of a matrix is data[i * row + j * column].
typedef struct Matrix_float {
    Sum_float *data;
    int64_t row, column;
} Matrix_float;
typedef struct Operand_float {
    const float *data;
    int64_t row, column;
} Operand_float;

// c (m x n) = a (m x k) times b (k x n); with `accumulate` it is added to what c has. `is_packed`:
// b is in panels of WIDTH columns, one after the other, with zeros beyond the last column.
typedef struct Product_float {
    int64_t m, n, k;
    Operand_float a, b;
    Matrix_float c;
    bool accumulate, is_packed;
} Product_float;

// The sums of a tile, `depth` products each. Number k of a row is at row[k * step], its factors are
// in line k of a panel; or two tables say where they are.
static INLINED void tile_float(const int rows, int64_t depth, const float *const *row,
                               const bool has_taps, const int32_t *taps, int64_t step,
                               const float *panel, const bool has_lines, const int32_t *lines,
                               Sum_float (*sums)[WIDTH])
{
    Sum_float sum[ROWS][WIDTH] = {{0}};
    for (int64_t k = 0; k < depth; k++) {
        const float *line = panel + (has_lines ? lines[k] : k * WIDTH);
        for (int i = 0; i < rows; i++) {
            const float number = row[i][has_taps ? taps[k] : k * step];
            for (int j = 0; j < WIDTH; j++) sum[i][j] = MUL_ADD_float(number, line[j], sum[i][j]);
        }
    }
    memcpy(sums, sum, (size_t)rows * sizeof *sum);
}

static INLINED void store_float(int64_t rows, int64_t width, Sum_float (*sums)[WIDTH],
                                Matrix_float c, bool add)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < width; j++) {
            Sum_float *to = c.data + i * c.row + j * c.column;
            *to = add ? MUL_ADD_float(1, sums[i][j], *to) : sums[i][j];
        }
    }
}

// `rows` of a times one panel; the rows beyond `count` are the last one again.
static INLINED void rows_float(const int rows, int64_t count, int64_t width, int64_t depth,
                               Operand_float a, const float *panel, Matrix_float c, bool add)
{
    Sum_float sums[ROWS][WIDTH];
    const float *row[ROWS];
    for (int i = 0; i < rows; i++) row[i] = a.data + smaller(i, count - 1) * a.row;
    if (a.column == 1)
        tile_float(rows, depth, row, false, NULL, 1, panel, false, NULL, sums);
    else
        tile_float(rows, depth, row, false, NULL, a.column, panel, false, NULL, sums);
    if (c.column == 1 && width == WIDTH)
        store_float(count, WIDTH, sums, (Matrix_float){c.data, c.row, 1}, add);
    else
        store_float(count, width, sums, c, add);
}

// All rows of a times one panel, of which c has `width` columns.
static void panel_float(int64_t m, int64_t width, int64_t depth, Operand_float a,
                        const float *panel, Matrix_float c, bool add)
{
    int64_t count;
    for (int64_t i = 0; i < m; i += count, a.data += count * a.row, c.data += count * c.row) {
        count = m - i < (ROWS + 1) / 2 ? 1 : smaller(m - i, ROWS);
        if (count > 1)
            rows_float(ROWS, count, width, depth, a, panel, c, add);
        else
            rows_float(1, 1, width, depth, a, panel, c, add);
    }
}

// The columns of b side by side, with zeros beyond the last one.
static void pack_float(int64_t depth, int64_t width, Operand_float b, float *panel)
{
    for (int64_t j = 0; j < WIDTH; j++)
        for (int64_t k = 0; k < depth; k++)
            panel[k * WIDTH + j] = j < width ? b.data[k * b.row + j * b.column] : 0;
}

static void matmul_float(const Product_float *p)
{
    if (!p->is_packed && p->n < WIDTH && p->n < p->m) { // c' = b' a' has wider rows
        const Operand_float a = {p->b.data, p->b.column, p->b.row};
        const Operand_float b = {p->a.data, p->a.column, p->a.row};
        const Matrix_float c = {p->c.data, p->c.column, p->c.row};
        matmul_float(&(Product_float){p->n, p->m, p->k, a, b, c, p->accumulate, false});
        return;
    }
    float packed[DEPTH * WIDTH];
    for (int64_t j = 0; j < p->n; j += WIDTH) {
        for (int64_t k = 0; k < p->k || (k == 0 && !p->accumulate); k += DEPTH) {
            const int64_t width = smaller(p->n - j, WIDTH), depth = smaller(p->k - k, DEPTH);
            const Operand_float a = {p->a.data + k * p->a.column, p->a.row, p->a.column};
            const Matrix_float c = {p->c.data + j * p->c.column, p->c.row, p->c.column};
            const float *panel = p->b.data + j * p->k + k * WIDTH;
            if (!p->is_packed) {
                const float *corner = p->b.data + k * p->b.row + j * p->b.column;
                pack_float(depth, width, (Operand_float){corner, p->b.row, p->b.column}, packed);
                panel = packed;
            }
            panel_float(p->m, width, depth, a, panel, c, k > 0 || p->accumulate);
        }
    }
}

// Rows of c that begin with a vector, which is added to.
static void begin_float(int64_t m, int64_t n, const Sum_float *from, int64_t row, int64_t column,
                        Sum_float *c)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) *c++ = from[i * row + j * column];
}

// ---- convolutions: the windows (points x taps) of an image times a weight

// Sizes are those of one image, [depth, height, width]; all tensors are contiguous.
typedef struct Convolution {
    int64_t images, channels_in, channels_out, groups;
    int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} Convolution;

static inline int64_t volume(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

// Where the numbers of an image are in memory. A copy has a border of zeros, and its rows are taken
// apart in `phases`: those columns that one tap sees from all points of a row are neighbours.
typedef struct Field {
    int64_t size[3], phases;
    bool is_copy;
    int32_t *taps, *points; // where the taps are, seen from the first point; where the points are
    void *copy;             // for one group of channels, and some more numbers
} Field;

static inline int32_t place_in(const Field *field, int64_t channel, int64_t z, int64_t y, int64_t x)
{
    const int64_t *size = field->size, row = (channel * size[0] + z) * size[1] + y;
    const int64_t column = x % field->phases * (size[2] / field->phases) + x / field->phases;
    return (int32_t)(row * size[2] + column);
}

// `room`: for the two tables; the copy is behind them.
static Field field_of(const Convolution *conv, bool is_copy, void *room)
{
    Field field = {.phases = is_copy ? conv->stride[2] : 1, .is_copy = is_copy, .taps = room};
    int32_t *to = field.taps;
    for (int d = 0; d < 3; d++) field.size[d] = conv->in[d] + (is_copy ? 2 * conv->padding[d] : 0);
    field.size[2] = (field.size[2] + field.phases - 1) / field.phases * field.phases;
    for (int64_t c = 0; c < conv->channels_in / conv->groups; c++)
        for (int64_t z = 0; z < conv->kernel[0]; z++)
            for (int64_t y = 0; y < conv->kernel[1]; y++)
                for (int64_t x = 0; x < conv->kernel[2]; x++)
                    *to++ = place_in(&field, c, z * conv->dilation[0], y * conv->dilation[1],
                                     x * conv->dilation[2]);
    field.points = to;
    for (int64_t z = 0; z < conv->out[0]; z++)
        for (int64_t y = 0; y < conv->out[1]; y++)
            for (int64_t x = 0; x < conv->out[2]; x++)
                *to++ = place_in(&field, 0, z * conv->stride[0], y * conv->stride[1],
                                 x * conv->stride[2]);
    field.copy = field.taps + (to - field.taps + 1) / 2 * 2;
    return field;
}

// The channels of one group as the field says.
static const float *copied_float(const Convolution *conv, const Field *field, const float *image)
{
    const int64_t *in = conv->in, *size = field->size, phases = field->phases;
    const int64_t channels = conv->channels_in / conv->groups, padding = conv->padding[2];
    float *const copy = field->copy;
    memset(copy, 0, (size_t)(channels * volume(size) + WIDTH) * sizeof *copy);
    for (int64_t line = 0; line < channels * in[0] * in[1]; line++, image += in[2]) {
        const int64_t y = line % in[1], z = line / in[1] % in[0], channel = line / in[1] / in[0];
        float *row = copy + place_in(field, channel, z + conv->padding[0], y + conv->padding[1], 0);
        for (int64_t phase = 0; phase < phases; phase++, row += size[2] / phases) {
            int64_t x = (phase + (phases - 1) * padding) % phases;
            float *to = row + (x + padding) / phases;
            for (; x < in[2]; x += phases) *to++ = image[x];
        }
    }
    return copy;
}

static INLINED void add_tile_float(Sum_float (*sums)[WIDTH], Sum_float (*more)[WIDTH], int64_t rows,
                                   bool add)
{
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < WIDTH; j++)
            sums[i][j] = add ? MUL_ADD_float(1, sums[i][j], more[i][j]) : more[i][j];
}

// Channels of one group, `width` of them, from one panel of the weight, at all points of an image.
static void convolve_float(const Convolution *conv, const Field *field, const float *image,
                           const float *panel, const Sum_float *bias, int64_t width, Sum_float *y)
{
    const int64_t taps = conv->channels_in / conv->groups * volume(conv->kernel);
    const int64_t area = volume(conv->out);
    for (int64_t point = 0; point < area; point += ROWS) {
        Sum_float sums[ROWS][WIDTH] = {{0}}, more[ROWS][WIDTH];
        const int64_t count = smaller(area - point, ROWS);
        const float *row[ROWS];
        for (int64_t i = 0; i < ROWS; i++) {
            row[i] = image + field->points[point + smaller(i, count - 1)];
            for (int64_t j = 0; bias && j < width; j++) sums[i][j] = bias[j];
        }
        for (int64_t k = 0; k < taps; k += DEPTH) {
            tile_float(ROWS, smaller(taps - k, DEPTH), row, true, field->taps + k, 1,
                       panel + k * WIDTH, false, NULL, more);
            add_tile_float(sums, more, ROWS, k > 0 || bias);
        }
        for (int64_t j = 0; j < width; j++)
            for (int64_t i = 0; i < count; i++) y[j * area + point + i] = sums[i][j];
    }
}

// The weight is in panels as b of a packed product: those of one group after the other.
static void convolution_float(const Convolution *conv, const float *x, const float *weight,
                              const Sum_float *bias, void *room, Sum_float *y)
{
    const int64_t channels = conv->channels_out / conv->groups, area = volume(conv->out);
    const int64_t taps = conv->channels_in / conv->groups * volume(conv->kernel);
    const bool is_copy = conv->padding[0] || conv->padding[1] || conv->padding[2];
    const Field field = field_of(conv, is_copy, room);
    const float *panel = weight;
    for (int64_t i = 0; i < conv->images * conv->groups; i++) {
        const float *image = is_copy ? copied_float(conv, &field, x) : x;
        if (i % conv->groups == 0) panel = weight;
        for (int64_t c = 0; c < channels; c += WIDTH, panel += taps * WIDTH)
            convolve_float(conv, &field, image, panel,
                           bias ? bias + i % conv->groups * channels + c : NULL,
                           smaller(channels - c, WIDTH), y + c * area);
        x += conv->channels_in / conv->groups * volume(conv->in);
        y += channels * area;
    }
}

// One channel at `width` neighbours of a row: `depth` numbers of the weight, which are neighbours
// or where `taps` says, with what they see of the image. Results are `step` apart.
static INLINED void points_float(int64_t depth, const float *weight, const int32_t *taps,
                                 const float *image, const int32_t *lines, const Sum_float *bias,
                                 int64_t width, Sum_float *y, int64_t step)
{
    Sum_float sums[1][WIDTH] = {{0}}, more[1][WIDTH];
    for (int64_t j = 0; bias && j < WIDTH; j++) sums[0][j] = *bias;
    for (int64_t k = 0; k < depth; k += DEPTH, weight += taps ? 0 : DEPTH) {
        if (taps)
            tile_float(1, smaller(depth - k, DEPTH), &weight, true, taps + k, 1, image, true,
                       lines + k, more);
        else
            tile_float(1, smaller(depth - k, DEPTH), &weight, false, NULL, 1, image, true,
                       lines + k, more);
        add_tile_float(sums, more, 1, k > 0 || bias);
    }
    for (int64_t j = 0; j < width; j++) y[j * step] = sums[0][j];
}

// One channel at a time, for groups of few channels, and for weights that are not in panels.
static void convolution_of_rows_float(const Convolution *conv, const float *x, const float *weight,
                                      const Sum_float *bias, void *room, Sum_float *y)
{
    const int64_t taps = conv->channels_in / conv->groups * volume(conv->kernel);
    const int64_t channels = conv->channels_out / conv->groups, area = volume(conv->out);
    const Field field = field_of(conv, true, room);
    const float *image = x;
    for (int64_t i = 0; i < conv->images * conv->channels_out; i++, y += area) {
        const int64_t channel = i % conv->channels_out;
        if (i % channels == 0) {
            image = copied_float(conv, &field, x);
            x += conv->channels_in / conv->groups * volume(conv->in);
        }
        for (int64_t row = 0; row < area; row += conv->out[2])
            for (int64_t j = 0; j < conv->out[2]; j += WIDTH)
                points_float(taps, weight + channel * taps, NULL, image + field.points[row] + j,
                             field.taps, bias ? bias + channel : NULL,
                             smaller(conv->out[2] - j, WIDTH), y + row + j, 1);
    }
}

// Of a transposed convolution: the image in a border of zeros, where each point of the output that
// a tap has meets a number.
static Field transposed_field(const Convolution *conv, Convolution *bordered, void *room)
{
    Field field = {.phases = 1, .is_copy = true, .taps = room};
    const int64_t taps = conv->channels_in / conv->groups * volume(conv->kernel);
    *bordered = *conv;
    for (int d = 0; d < 3; d++) {
        const int64_t reach = (conv->kernel[d] - 1) * conv->dilation[d] - conv->padding[d];
        const int64_t seen = (conv->out[d] - 1 + conv->padding[d]) / conv->stride[d] + 1;
        bordered->padding[d] = reach > 0 ? (reach + conv->stride[d] - 1) / conv->stride[d] : 0;
        field.size[d] = bordered->padding[d] + (seen > conv->in[d] ? seen : conv->in[d]);
    }
    field.points = field.taps + taps;
    field.copy = field.taps + 2 * taps;
    return field;
}

// Which point of the image a tap shows at point `to` of the output, in the border's numbers; -1: no
// one, `to` is between two.
static inline int64_t point_seen(const Convolution *conv, const Convolution *bordered, int d,
                                 int64_t to, int64_t tap)
{
    const int64_t border = bordered->padding[d] * conv->stride[d];
    const int64_t point = to + conv->padding[d] - tap * conv->dilation[d] + border;
    return point % conv->stride[d] ? -1 : point / conv->stride[d];
}

// How many numbers of the weight show something at a point and those that are whole strides away;
// the tables say which, and where in the image: those of the first channel, then of the others.
static int64_t taps_at(const Convolution *conv, const Convolution *bordered, Field *field,
                       const int64_t *to)
{
    const int64_t channels = conv->channels_in / conv->groups;
    const int64_t weight = conv->channels_out / conv->groups * volume(conv->kernel);
    int64_t count = 0;
    for (int64_t k = 0; k < volume(conv->kernel); k++) {
        const int64_t line = k / conv->kernel[2];
        const int64_t z = point_seen(conv, bordered, 0, to[0], line / conv->kernel[1]);
        const int64_t y = point_seen(conv, bordered, 1, to[1], line % conv->kernel[1]);
        const int64_t x = point_seen(conv, bordered, 2, to[2], k % conv->kernel[2]);
        if (z < 0 || y < 0 || x < 0) continue;
        field->taps[count] = (int32_t)k;
        field->points[count++] = place_in(field, 0, z, y, x);
    }
    for (int64_t i = count; i < channels * count; i++) {
        field->taps[i] = field->taps[i - count] + (int32_t)weight;
        field->points[i] = field->points[i - count] + (int32_t)volume(field->size);
    }
    return channels * count;
}

// The channels of one group at those points of a row that are whole strides from the first one.
static void row_transposed_float(const Convolution *conv, const Field *field, int64_t depth,
                                 const float *image, const float *weight, const Sum_float *bias,
                                 int64_t first, Sum_float *y)
{
    const int64_t step = conv->stride[2];
    const int64_t count = (conv->out[2] - first + step - 1) / step;
    for (int64_t c = 0; c < conv->channels_out / conv->groups; c++, y += volume(conv->out))
        for (int64_t j = 0; j < count; j += WIDTH)
            points_float(depth, weight + c * volume(conv->kernel), field->taps, image + j,
                         field->points, bias ? bias + c : NULL, smaller(count - j, WIDTH),
                         y + first + j * step, step);
}

// The channels of the weight are [channels_in, channels_out / groups].
static void convolution_transposed_float(const Convolution *conv, const float *x,
                                         const float *weight, const Sum_float *bias, void *room,
                                         Sum_float *y)
{
    const int64_t group_out = conv->channels_out / conv->groups, *stride = conv->stride;
    const int64_t group_in = conv->channels_in / conv->groups, *out = conv->out;
    Convolution bordered;
    Field field = transposed_field(conv, &bordered, room);
    for (int64_t i = 0; i < conv->images * conv->groups; i++) {
        const int64_t group = i % conv->groups;
        const float *image = copied_float(&bordered, &field, x + i * group_in * volume(conv->in));
        const float *from = weight + group * group_in * group_out * volume(conv->kernel);
        for (int64_t k = 0; k < volume(stride); k++) {
            const int64_t to[3] = {k / (stride[1] * stride[2]), k / stride[2] % stride[1],
                                   k % stride[2]};
            const int64_t depth = taps_at(conv, &bordered, &field, to);
            for (int64_t z = to[0]; z < out[0]; z += stride[0])
                for (int64_t v = to[1]; v < out[1]; v += stride[1])
                    row_transposed_float(
                        conv, &field, depth,
                        image + place_in(&field, 0, z / stride[0], v / stride[1], 0), from,
                        bias ? bias + group * group_out : NULL, to[2],
                        y + i * group_out * volume(out) + (z * out[1] + v) * out[2]);
        }
    }
}

// ---- pools

// `adaptive`: the windows divide the image; else the other sizes say where they are. `divisor` 0:
// as many numbers as a window has, with or without those of the padding.
typedef struct Pool {
    int64_t planes, in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
    bool adaptive, count_padding;
    int64_t divisor;
} Pool;

typedef struct Window {
    int64_t start, end, padded; // within the image; how many numbers with those of the padding
} Window;

static Window pool_window(const Pool *pool, int dim, int64_t o)
{
    const int64_t in = pool->in[dim], out = pool->out[dim], padding = pool->padding[dim];
    const int64_t dilation = pool->dilation[dim];
    if (pool->adaptive) {
        const int64_t start = o * in / out, end = ((o + 1) * in + out - 1) / out;
        return (Window){start, end, end - start};
    }
    int64_t start = o * pool->stride[dim] - padding;
    const int64_t end = smaller(start + (pool->kernel[dim] - 1) * dilation + 1, in + padding);
    const int64_t padded = end - start;
    while (start < 0) start += dilation;
    return (Window){start, end < in ? (end < start ? start : end) : in, padded};
}

// Points first ... end - 1 of a row of the output look at a line of the image, each at column
// x * step + left: the largest number and its place, or the sum.
static INLINED void look_float(bool is_max, int64_t first, int64_t end, const float *line,
                               int64_t step, int64_t left, int64_t place, float *to,
                               int64_t *indices)
{
    for (int64_t x = first; x < end; x++) {
        const float number = line[x * step + left];
        const bool is_more = number > to[x] || IS_NAN_float(number);
        if (!is_max)
            to[x] += number;
        else
            to[x] = is_more ? number : to[x]; // a NaN is the largest
        if (indices && is_more) indices[x] = place + x * step + left;
    }
}

// A row of the output looks at a line of the image through each tap of its windows.
static INLINED void pool_line_float(const Pool *pool, bool is_max, const float *line, int64_t place,
                                    float *to, int64_t *indices)
{
    const int64_t stride = pool->stride[2];
    for (int64_t k = 0; k < pool->kernel[2]; k++) {
        const int64_t left = k * pool->dilation[2] - pool->padding[2];
        int64_t first = 0, end = pool->adaptive ? 0 : pool->out[2];
        while (first < end && first * stride + left < 0) first++;
        while (first < end && (end - 1) * stride + left >= pool->in[2]) end--;
        if (stride == 1)
            look_float(is_max, first, end, line, 1, left, place, to, indices);
        else if (stride == 2)
            look_float(is_max, first, end, line, 2, left, place, to, indices);
        else
            look_float(is_max, first, end, line, stride, left, place, to, indices);
        for (int64_t x = 0; pool->adaptive && x < pool->out[2]; x++) {
            const Window at = pool_window(pool, 2, x);
            if (k < at.end - at.start)
                look_float(is_max, x, x + 1, line, 0, at.start + k, place, to, indices);
        }
    }
}

// A row of the output, which is in these windows of the other two dimensions. Where nothing is
// larger, the place is the window's first, even if that is beyond the image.
static INLINED void pool_row_float(const Pool *pool, bool is_max, Window front, Window up,
                                   const float *plane, float *to, int64_t *indices)
{
    for (int64_t x = 0; x < pool->out[2]; x++) {
        to[x] = is_max ? LEAST_float : 0;
        if (indices)
            indices[x] = (front.start * pool->in[1] + up.start) * pool->in[2] +
                         pool_window(pool, 2, x).start;
    }
    for (int64_t z = front.start; z < front.end; z += pool->dilation[0]) {
        for (int64_t y = up.start; y < up.end; y += pool->dilation[1]) {
            const int64_t place = (z * pool->in[1] + y) * pool->in[2];
            pool_line_float(pool, is_max, plane + place, place, to, indices);
        }
    }
}

// How many numbers a window has, as an average counts them.
static inline int64_t counted(const Pool *pool, Window at)
{
    return pool->count_padding ? at.padded : at.end - at.start;
}

// `indices` may be NULL: nobody asks where the largest numbers are.
static void max_pool_float(const Pool *pool, const float *x, float *to, int64_t *indices)
{
    for (int64_t i = 0; i < pool->planes * pool->out[0] * pool->out[1]; i++) {
        const Window front = pool_window(pool, 0, i / pool->out[1] % pool->out[0]);
        const Window up = pool_window(pool, 1, i % pool->out[1]);
        const float *plane = x + i / (pool->out[0] * pool->out[1]) * volume(pool->in);
        if (indices)
            pool_row_float(pool, true, front, up, plane, to, indices);
        else
            pool_row_float(pool, true, front, up, plane, to, NULL);
        to += pool->out[2];
        indices = indices ? indices + pool->out[2] : NULL;
    }
}

static void average_pool_float(const Pool *pool, const float *x, float *to)
{
    for (int64_t i = 0; i < pool->planes * pool->out[0] * pool->out[1]; i++) {
        const Window front = pool_window(pool, 0, i / pool->out[1] % pool->out[0]);
        const Window up = pool_window(pool, 1, i % pool->out[1]);
        const float *plane = x + i / (pool->out[0] * pool->out[1]) * volume(pool->in);
        pool_row_float(pool, false, front, up, plane, to, NULL);
        for (int64_t j = 0; j < pool->out[2]; j++) {
            const int64_t count =
                counted(pool, front) * counted(pool, up) * counted(pool, pool_window(pool, 2, j));
            *to++ /= (float)(pool->divisor ? pool->divisor : count);
        }
    }
}

// ---- extremes

// Of each n numbers that are `after` apart: the largest (smallest) and where it is first; a NaN is
// both. What is NULL is not asked for.
static void extremes_float(int64_t before, int64_t n, int64_t after, bool largest, const float *x,
                           float *values, int64_t *indices)
{
    for (int64_t i = 0; i < before * after; i++) {
        const float *row = x + i / after * n * after + i % after;
        int64_t best = 0;
        for (int64_t k = 1; k < n && !IS_NAN_float(row[best * after]); k++) {
            const float number = row[k * after], known = row[best * after];
            if ((largest ? number > known : number < known) || IS_NAN_float(number)) best = k;
        }
        if (values) values[i] = row[best * after];
        if (indices) indices[i] = best;
    }
}

// ---- copies

// A row of the table for each index; false if an index has none.
static bool embedding_rows(const void *table, int64_t count, int64_t bytes, const int64_t *indices,
                           int64_t n, void *to)
{
    for (int64_t i = 0; i < n; i++)
        if (indices[i] < 0 || indices[i] >= count) return false;
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)to + i * bytes, (const char *)table + indices[i] * bytes, (size_t)bytes);
    return true;
}

// `rows` times some bytes, into every step-th byte: a part of tensors that are joined.
static void join_rows(const void *from, int64_t bytes, int64_t rows, char *to, int64_t step)
{
    for (int64_t i = 0; i < rows; i++)
        memcpy(to + i * step, (const char *)from + i * bytes, (size_t)bytes);
}

// ---- numbers in order, running totals

#define TOTAL_float double
#define TOTAL_double double
#define TOTAL_int64_t uint64_t
#define TOTAL_int32_t uint32_t
#define TOTAL_int8_t uint32_t

// Running sums, or products, of [before, n, after] numbers along n; floats add up in double.
static void cumulate_float(int64_t before, int64_t n, int64_t after, bool products, const float *x,
                           float *to)
{
    for (int64_t i = 0; i < before * after; i++) {
        const int64_t start = i / after * n * after + i % after;
        TOTAL_float total = products;
        for (int64_t k = start; k < start + n * after; k += after) {
            const TOTAL_float number = (TOTAL_float)x[k];
            total = products ? total * number : total + number;
            to[k] = (float)total;
        }
    }
}

// The logarithms of running sums of exponentials.
static void log_cumulate_float(int64_t before, int64_t n, int64_t after, const float *x, float *to)
{
    for (int64_t i = 0; i < before * after; i++) {
        const int64_t start = i / after * n * after + i % after;
        double total = -(double)INFINITY;
        for (int64_t k = start; k < start + n * after; k += after) {
            total = m_logaddexp(total, (double)x[k]);
            to[k] = (float)total;
        }
    }
}

// Running extremes, and where they are: of equal ones the last, and a NaN stays.
static void running_extremes_float(int64_t before, int64_t n, int64_t after, bool largest,
                                   const float *x, float *values, int64_t *indices)
{
    for (int64_t i = 0; i < before * n * after; i++) {
        const int64_t k = i / after % n;
        const float number = x[i], known = k ? values[i - after] : number;
        const bool wins = largest ? number >= known : number <= known;
        const bool is_new = k == 0 || IS_NAN_float(number) || (wins && !IS_NAN_float(known));
        values[i] = is_new ? number : known;
        indices[i] = is_new ? k : indices[i - after];
    }
}

// Does a come before b? A NaN is larger than all.
static inline bool comes_before_float(float a, float b, bool descending)
{
    if (descending) return IS_NAN_float(a) ? !IS_NAN_float(b) : a > b;
    return IS_NAN_float(b) ? !IS_NAN_float(a) : a < b;
}

// Of [before, n, after] numbers the first `count` along n in order, and where they were. Equal ones
// stay in their order. Each is put where it belongs among those before it.
static void order_float(int64_t before, int64_t n, int64_t after, int64_t count, bool descending,
                        const float *x, float *values, int64_t *indices)
{
    for (int64_t i = 0; i < before * after; i++) {
        const float *row = x + i / after * n * after + i % after;
        const int64_t start = i / after * count * after + i % after;
        int64_t kept = 0;
        for (int64_t k = 0; k < n; k++) {
            const float number = row[k * after];
            int64_t to = start + kept * after;
            if (kept < count)
                kept++;
            else if (count && comes_before_float(number, values[to - after], descending))
                to -= after;
            else
                continue;
            for (; to > start && comes_before_float(number, values[to - after], descending);
                 to -= after) {
                values[to] = values[to - after];
                indices[to] = indices[to - after];
            }
            values[to] = number;
            indices[to] = k;
        }
    }
}

// ---- sums of floats, in the order of vm/modules/torch/kernels/cascade.h, which says why

#define SUM_LEVELS 4
#define LANES_float 8
#define LANES_double 4
#define LANES_int64_t 4
#define LANES_int32_t 8
#define LANES_int8_t 32

// n terms that are `step` apart, in four levels: 2^power sums of a level make one of the next.
static float add_terms_float(const float *x, int64_t step, int64_t n)
{
    float level[SUM_LEVELS] = {0};
    int bits = 1;
    while (bits < 63 && n > (int64_t)1 << bits) bits++;
    const int power = bits / SUM_LEVELS > 4 ? bits / SUM_LEVELS : 4;
    const int64_t block = (int64_t)1 << power;
    for (int64_t i = 0; i < n;) {
        const bool whole = i + block <= n;
        for (const int64_t end = whole ? i + block : n; i < end; i++) level[0] += x[i * step];
        for (int j = 1; whole && j < SUM_LEVELS; j++) {
            level[j] += level[j - 1];
            level[j - 1] = 0;
            if (i & (block - 1) << (j * power)) break;
        }
    }
    for (int j = 1; j < SUM_LEVELS; j++) level[0] += level[j];
    return level[0];
}

// The same with four totals side by side.
static float add_row_float(const float *x, int64_t step, int64_t n)
{
    float sum = add_terms_float(x, 4 * step, n / 4);
    for (int64_t i = n / 4 * 4; i < n; i++) sum += x[i * step];
    for (int64_t k = 1; k < 4; k++) sum += add_terms_float(x + k * step, 4 * step, n / 4);
    return sum;
}

// A row of neighbours, in vectors whose lanes are added up last.
static float add_neighbours_float(const float *x, int64_t n)
{
    const int64_t lanes = LANES_float;
    float sum = 0;
    for (int64_t i = n / lanes * lanes; i < n; i++) sum += x[i];
    for (int64_t k = 0; k < lanes; k++) sum += add_row_float(x + k, lanes, n / lanes);
    return sum;
}

// Dimensions, innermost first, at least two. `out`: steps to the next sum, 0 along a dimension that
// is added up, as the first one is. `step`: to the next term; `in`: that of the eager program,
// which decides about the order.
typedef struct SumPlan {
    int64_t dims;
    const int64_t *size, *in, *out, *step;
} SumPlan;

// How many columns from number j on are added up alike; each has one total if they are many.
static int64_t columns_alike(const SumPlan *plan, int64_t j, int64_t lanes)
{
    const int64_t rest = plan->size[1] - j;
    if (plan->in[1] == 1 && plan->size[1] >= lanes) return rest >= 4 * lanes ? 4 * lanes : 1;
    return plan->in[0] >= plan->in[1] && rest >= 4 ? 4 : 1;
}

static void sum_plane_float(const SumPlan *plan, const float *x, float *to)
{
    const bool is_row = plan->in[0] == 1 && plan->size[0] >= LANES_float;
    const int64_t n = plan->size[0], step = plan->step[0];
    for (int64_t j = 0; j < plan->size[1];) {
        const int64_t alike = is_row ? 1 : columns_alike(plan, j, LANES_float);
        for (const int64_t end = j + alike; j < end; j++) {
            const float *from = x + j * plan->step[1];
            to[j * plan->out[1]] += is_row      ? add_neighbours_float(from, n)
                                    : alike > 1 ? add_terms_float(from, step, n)
                                                : add_row_float(from, step, n);
        }
    }
}

static int64_t planes_of(const SumPlan *plan)
{
    int64_t planes = 1;
    for (int64_t d = 2; d < plan->dims; d++) planes *= plan->size[d];
    return planes;
}

// Where a plane begins, by the steps of the terms or of the sums.
static int64_t plane_at(const SumPlan *plan, int64_t plane, const int64_t *step)
{
    int64_t place = 0;
    for (int64_t d = 2; d < plan->dims; plane /= plan->size[d], d++)
        place += plane % plan->size[d] * step[d];
    return place;
}

static void sums_float(const SumPlan *plan, int64_t count, const float *x, float *to)
{
    for (int64_t i = 0; i < count; i++) to[i] = 0;
    for (int64_t i = 0; i < planes_of(plan); i++)
        sum_plane_float(plan, x + plane_at(plan, i, plan->step), to + plane_at(plan, i, plan->out));
}

// Sums of powers, in the order of vm/modules/torch/kernels/ordered.h: one term after another, but
// squares that are neighbours in a vector.
static void norm_row_float(int64_t n, int64_t step, float power, bool is_vector, const float *x,
                           float *to)
{
    const int64_t lanes = LANES_float, whole = is_vector ? n / lanes * lanes : 0;
    float parts[LANES_float] = {0};
    for (int64_t i = 0; i < whole; i++) parts[i % lanes] += x[i * step] * x[i * step];
    for (int64_t k = 0; whole && k < lanes; k++) *to += parts[k];
    for (int64_t i = whole; i < n; i++) {
        const float number = m_abs(x[i * step]);
        *to += power == 1 ? number : power == 2 ? number * number : m_pow(number, power);
    }
}

static void norms_float(const SumPlan *plan, int64_t count, float power, const float *x, float *to)
{
    bool is_vector = power == 2 && plan->in[0] == 1;
    for (int64_t d = 1; d < plan->dims; d++)
        is_vector = is_vector && (plan->out[d] != 0 || plan->size[d] == 1);
    for (int64_t i = 0; i < count; i++) to[i] = 0;
    for (int64_t i = 0; i < planes_of(plan) * plan->size[1]; i++) {
        const int64_t plane = i / plan->size[1], j = i % plan->size[1];
        norm_row_float(plan->size[0], plan->step[0], power, is_vector,
                       x + plane_at(plan, plane, plan->step) + j * plan->step[1],
                       to + plane_at(plan, plane, plan->out) + j * plan->out[1]);
    }
}

// ---- rows of numbers

// softmax, or its logarithm, of [before, n, after] numbers along n, where that is not the last
// dimension: the terms are added one after another.
static void softmax_float(int64_t before, int64_t n, int64_t after, bool logarithm, const float *x,
                          float *to)
{
    for (int64_t i = 0; i < before * after; i++) {
        const int64_t start = i / after * n * after + i % after, end = start + n * after;
        float max = -(float)INFINITY, sum = 0;
        for (int64_t k = start; k < end; k += after) max = x[k] > max ? x[k] : max;
        for (int64_t k = start; k < end; k += after) {
            to[k] = m_exp_negative(x[k] - max);
            sum += to[k];
        }
        const float log_sum = logarithm ? m_log(sum) : 0;
        for (int64_t k = start; k < end; k += after)
            to[k] = logarithm ? (x[k] - max) - log_sum : to[k] / sum;
    }
}

// The variance, or its root, of each of `rows` rows of n numbers, and the mean, in double: squares
// divided by `rest`. What is NULL is not asked for.
static void moments_float(int64_t rows, int64_t n, double rest, bool root, const float *x,
                          float *to, float *means)
{
    for (int64_t i = 0; i < rows; i++, x += n) {
        double sum = 0, squares = 0;
        for (int64_t k = 0; k < n; k++) sum += (double)x[k];
        const double mean = sum / (double)n;
        for (int64_t k = 0; k < n; k++) squares += ((double)x[k] - mean) * ((double)x[k] - mean);
        if (to) to[i] = (float)(root ? sqrt(squares / rest) : squares / rest);
        if (means) means[i] = (float)mean;
    }
}

// The sums of n numbers that are `step` apart, one after another: of each of `step` columns.
static void add_columns_float(int64_t n, int64_t step, const float *x, float *to)
{
    for (int64_t j = 0; j < step; j++) {
        to[j] = 0;
        for (int64_t i = 0; i < n; i++) to[j] += x[i * step + j];
    }
}

// ---- losses

// The sum of what a loss has for each element, or the mean: blocks of 1,024 numbers with 64 totals
// each, the blocks in double.
static void add_losses_float(int64_t n, bool mean, const float *x, float *to)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i += 1024) {
        float total[64] = {0};
        for (int64_t k = 0; k < smaller(n - i, 1024); k++) total[k % 64] += x[i + k];
        for (int half = 32; half; half /= 2)
            for (int k = 0; k < half; k++) total[k] += total[k + half];
        sum += (double)total[0];
    }
    *to = (float)(mean ? sum / (double)n : sum);
}

// The loss of x [images, classes, inner], log probabilities, where `target` has a class for each
// [images, inner]: a number for each if `reduction` is 0, their mean (1) or sum (2), in double.
// Those of class `ignored` do not count. false: there is no such class.
static bool nll_float(int64_t images, int64_t classes, int64_t inner, int reduction,
                      int64_t ignored, const float *x, const int64_t *target, const float *weight,
                      float *to, float *total_weight)
{
    double sum = 0, total = 0;
    for (int64_t i = 0; i < images * inner; i++) {
        const int64_t class = target[i];
        const bool counts = class != ignored;
        if (counts && (class < 0 || class >= classes)) return false;
        const double factor = !counts ? 0 : weight ? (double)weight[class] : 1;
        const int64_t place = (i / inner * classes + class) * inner + i % inner;
        const double loss = counts ? -factor * (double)x[place] : 0;
        if (reduction == 0) to[i] = (float)loss;
        sum += loss;
        total += factor;
    }
    if (reduction) *to = (float)(reduction == 1 ? sum / total : sum);
    if (total_weight) *total_weight = reduction ? (float)total : 0;
    return true;
}

// ---- numbers that are counted

// How many numbers are in each of `bins` equal parts of [low, high], by default that of the
// numbers; false if that is not finite.
static bool histogram_float(int64_t n, const float *x, double low, double high, int64_t bins,
                            float *to)
{
    if (low == high && n) {
        low = high = (double)x[0];
        for (int64_t i = 0; i < n; i++) {
            const double number = (double)x[i];
            low = number < low ? number : low;
            high = number > high ? number : high;
            if (IS_NAN_double(number)) return false;
        }
    }
    if (low == high) {
        low = (double)(float)(low - 1);
        high = (double)(float)(high + 1);
    }
    if (IS_NAN_double(low - low + high - high)) return false;
    for (int64_t i = 0; i < bins; i++) to[i] = 0;
    for (int64_t i = 0; i < n; i++) {
        const double number = (double)x[i];
        if (!(number >= low && number <= high)) continue;
        const double bin = low < high ? (number - low) * (double)bins / (high - low) : 0;
        to[smaller((int64_t)bin, bins - 1)] += 1;
    }
    return true;
}

// Of [before, n, after] numbers the one along n that is there most often, the smallest of those,
// and where it is last.
static void modes_float(int64_t before, int64_t n, int64_t after, const float *x, float *values,
                        int64_t *indices)
{
    for (int64_t i = 0; i < before * after; i++) {
        const float *row = x + i / after * n * after + i % after;
        int64_t best = 0, most = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t count = 1, last = k;
            for (int64_t j = k + 1; j < n; j++) {
                if (row[j * after] != row[k * after]) continue;
                count++;
                last = j;
            }
            if (count > most ||
                (count == most && comes_before_float(row[k * after], row[best * after], false))) {
                most = count;
                best = last;
            }
        }
        if (values) values[i] = row[best * after];
        if (indices) indices[i] = best;
    }
}

// ---- factors of `count` matrices m x n, in double: `room` is for one (kernels/factor.h)

static void lu_float(int64_t count, int64_t m, int64_t n, const float *x, double *room, float *to,
                     int32_t *pivots, int32_t *info)
{
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < m * n; k++) room[k] = (double)*x++;
        info[i] = (int32_t)factor_lu(m, n, room, pivots + i * smaller(m, n));
        for (int64_t k = 0; k < m * n; k++) *to++ = (float)room[k];
    }
}

static void cholesky_float(int64_t count, int64_t n, bool upper, const float *x, double *room,
                           float *to, int32_t *info)
{
    for (int64_t i = 0; i < count; i++, to += n * n) {
        for (int64_t k = 0; k < n * n; k++) room[k] = (double)*x++;
        if (upper) matrix_transpose(n, n, room, room);
        info[i] = (int32_t)factor_cholesky(n, room);
        if (upper) matrix_transpose(n, n, room, room);
        for (int64_t k = 0; k < n * n; k++) to[k] = (float)room[k];
    }
}

static void triangular_solve_float(int64_t count, int64_t n, int64_t columns, bool upper, bool unit,
                                   const float *a, const float *b, double *room, float *to)
{
    double *const x = room + n * n;
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < n * n; k++) room[k] = (double)*a++;
        for (int64_t k = 0; k < n * columns; k++) x[k] = (double)*b++;
        factor_solve(n, columns, room, x, upper, unit);
        for (int64_t k = 0; k < n * columns; k++) *to++ = (float)x[k];
    }
}

// q (m x columns) and r (rows x n).
static void qr_float(int64_t count, int64_t m, int64_t n, int64_t columns, int64_t rows,
                     const float *x, double *room, float *q, float *r)
{
    double *const tau = room + m * n, *const made = tau + n + m * n;
    const Reflections reflections = {m, tau + n, tau};
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < m * n; k++) room[k] = (double)*x++;
        factor_qr(n, room, &reflections);
        factor_qr_q(n, &reflections, columns, made);
        for (int64_t k = 0; k < m * columns; k++) *q++ = (float)made[k];
        for (int64_t k = 0; k < rows * n; k++) *r++ = k % n < k / n ? 0 : (float)room[k];
    }
}

// ---- elements that an index names

// Row `number` of a tensor [before, size[0], size[1], ..., after] by one index for each size, of
// which negative ones count from the end if `wraps`; -1: there is none.
static int64_t row_of(int64_t sizes, const int64_t *size, const int64_t *const *indices,
                      int64_t number, bool wraps)
{
    int64_t row = 0;
    for (int64_t d = 0; d < sizes; d++) {
        const int64_t index = indices[d][number] + (indices[d][number] < 0 && wraps ? size[d] : 0);
        if (index < 0 || index >= size[d]) return -1;
        row = row * size[d] + index;
    }
    return row;
}

// The rows that `count` indices name, each of so many bytes; false if an index names none.
static bool take_rows(const void *from, int64_t before, int64_t sizes, const int64_t *size,
                      const int64_t *const *indices, int64_t count, bool wraps, int64_t bytes,
                      void *to)
{
    int64_t rows = 1;
    for (int64_t d = 0; d < sizes; d++) rows *= size[d];
    for (int64_t k = 0; k < count; k++) {
        const int64_t row = row_of(sizes, size, indices, k, wraps);
        if (row < 0) return false;
        for (int64_t i = 0; i < before; i++)
            memcpy((char *)to + (i * count + k) * bytes,
                   (const char *)from + (i * rows + row) * bytes, (size_t)bytes);
    }
    return true;
}

// The same rows of `to` become those of `from`, or are added to.
static bool put_rows_float(float *to, int64_t before, int64_t sizes, const int64_t *size,
                           const int64_t *const *indices, int64_t count, bool wraps, int64_t after,
                           const float *from, bool accumulate)
{
    int64_t rows = 1;
    for (int64_t d = 0; d < sizes; d++) rows *= size[d];
    for (int64_t k = 0; k < count; k++) {
        const int64_t row = row_of(sizes, size, indices, k, wraps);
        if (row < 0) return false;
        for (int64_t i = 0; i < before * after; i++) {
            const float number = from[(i / after * count + k) * after + i % after];
            float *const place = to + (i / after * rows + row) * after + i % after;
            *place = accumulate ? (float)((TOTAL_float)*place + (TOTAL_float)number) : number;
        }
    }
    return true;
}

// Where the elements of a tensor of this size are in another one: there dimension `dim` (-1: none)
// is `extent` long, and an index says where.
typedef struct Places {
    int64_t dims, dim, extent;
    const int64_t *size, *step;
} Places;

static int64_t place_of(const Places *places, int64_t i, int64_t index)
{
    int64_t place = 0;
    for (int64_t d = places->dims - 1; d >= 0; i /= places->size[d], d--)
        place += places->step[d] * (d == places->dim ? index : i % places->size[d]);
    return index < 0 || index >= places->extent ? -1 : place;
}

static bool gather_elements(const Places *places, int64_t count, const void *from, int64_t bytes,
                            const int64_t *indices, void *to)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = place_of(places, i, indices[i]);
        if (place < 0) return false;
        memcpy((char *)to + i * bytes, (const char *)from + place * bytes, (size_t)bytes);
    }
    return true;
}

// `how`: what is there becomes the number ('='), their sum ('+') or product ('*'), or the larger
// ('>') or smaller ('<') one, which a NaN is.
static bool scatter_float(const Places *places, int64_t count, const int64_t *indices,
                          const Places *sources, const float *from, char how, float *to)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = place_of(places, i, indices[i]);
        if (place < 0) return false;
        const TOTAL_float number = (TOTAL_float)from[place_of(sources, i, 0)];
        const TOTAL_float old = (TOTAL_float)to[place];
        const bool wins = how == '>' ? to[place] < from[place_of(sources, i, 0)]
                                     : to[place] > from[place_of(sources, i, 0)];
        if (how == '+')
            to[place] = (float)(old + number);
        else if (how == '*')
            to[place] = (float)(old * number);
        else if (how == '=' || wins || IS_NAN_float(number))
            to[place] = (float)number;
    }
    return true;
}

// The elements of a row where the mask is true become the next ones of another one; false if that
// has too few.
static bool masked_scatter_elements(const uint8_t *mask, int64_t n, int64_t bytes, const char *from,
                                    int64_t count, char *to)
{
    for (int64_t i = 0; i < n; i++) {
        if (!mask[i]) continue;
        if (count-- == 0) return false;
        memcpy(to + i * bytes, from, (size_t)bytes);
        from += bytes;
    }
    return true;
}

// Each number i as often as repeats[i] says; false if that is not `count` numbers.
static bool repeat_numbers(const int64_t *repeats, int64_t n, int64_t count, int64_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        if (repeats[i] < 0 || repeats[i] > count) return false;
        count -= repeats[i];
        for (int64_t k = 0; k < repeats[i]; k++) *to++ = i;
    }
    return count == 0;
}
