// What emitted programs (vm/lib/executorch/exir/emit/) call beside their loops: products of
// matrices, convolutions, pools, copies, as plain C. A program has only those in it that it needs.
// Nothing here allocates; sizes have been checked before.
//
//     matmul_float(&(Product_float){...})        c = a b, of any strides
//     convolution_float(&conv, x, weight, bias, y)
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
#define MUL_ADD_int64_t(a, b, c) ((a) * (b) + (c))
#define MUL_ADD_int32_t(a, b, c) ((a) * (b) + (c))
#define MUL_ADD_int8_t(a, b, c) ((a) * (b) + (c))

#define IS_NAN_float(x) ((x) != (x))
#define IS_NAN_double(x) ((x) != (x))
#define IS_NAN_int64_t(x) false
#define IS_NAN_int32_t(x) false
#define IS_NAN_int8_t(x) false

// Products are added up in this type; those of int8_t in int32_t.
typedef float Sum_float;

#define DEPTH 256 // products of a block

// A tile of c, which the compiler keeps in registers.
#ifdef __AVX512F__
#define ROWS 8
#define WIDTH 32
#elif defined(__AVX__)
#define ROWS 6
#define WIDTH 16
#else
#define ROWS 2
#define WIDTH 16
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

// c (m x n) = a (m x k) times b (k x n); with `accumulate` it is added to what c has.
typedef struct Product_float {
    int64_t m, n, k;
    Operand_float a, b;
    Matrix_float c;
    bool accumulate;
} Product_float;

// The sums of `rows` rows: `depth` products each, of a with a panel of WIDTH columns.
static inline void tile_float(const int rows, int64_t depth, Operand_float a, Operand_float panel,
                              Sum_float sums[ROWS][WIDTH])
{
    Sum_float sum[ROWS][WIDTH] = {{0}};
    for (int64_t k = 0; k < depth; k++) {
        const float *line = panel.data + k * panel.row;
        for (int i = 0; i < rows; i++) {
            const float number = a.data[i * a.row + k * a.column];
            for (int j = 0; j < WIDTH; j++) sum[i][j] = MUL_ADD_float(number, line[j], sum[i][j]);
        }
    }
    memcpy(sums, sum, sizeof sum);
}

static void store_float(int rows, int64_t width, Sum_float sums[ROWS][WIDTH], Matrix_float c,
                        bool add)
{
    for (int i = 0; i < rows; i++) {
        for (int64_t j = 0; j < width; j++) {
            Sum_float *to = c.data + i * c.row + j * c.column;
            *to = add ? *to + sums[i][j] : sums[i][j];
        }
    }
}

// All rows of a times one panel, of which c has `width` columns.
static void panel_float(int64_t m, int64_t width, int64_t depth, Operand_float a,
                        Operand_float panel, Matrix_float c, bool add)
{
    Sum_float sums[ROWS][WIDTH];
    int64_t i = 0;
    for (; i + ROWS <= m; i += ROWS, a.data += ROWS * a.row, c.data += ROWS * c.row) {
        tile_float(ROWS, depth, a, panel, sums);
        store_float(ROWS, width, sums, c, add);
    }
    for (; i < m; i++, a.data += a.row, c.data += c.row) {
        tile_float(1, depth, a, panel, sums);
        store_float(1, width, sums, c, add);
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
    if (p->n < WIDTH && p->n < p->m) { // c' = b' a' has wider rows
        const Operand_float a = {p->b.data, p->b.column, p->b.row};
        const Operand_float b = {p->a.data, p->a.column, p->a.row};
        const Matrix_float c = {p->c.data, p->c.column, p->c.row};
        matmul_float(&(Product_float){p->n, p->m, p->k, a, b, c, p->accumulate});
        return;
    }
    float packed[DEPTH * WIDTH];
    for (int64_t j = 0; j < p->n; j += WIDTH) {
        for (int64_t k = 0; k < p->k; k += DEPTH) {
            const int64_t width = smaller(p->n - j, WIDTH), depth = smaller(p->k - k, DEPTH);
            const Operand_float a = {p->a.data + k * p->a.column, p->a.row, p->a.column};
            const Matrix_float c = {p->c.data + j * p->c.column, p->c.row, p->c.column};
            Operand_float b = {p->b.data + k * p->b.row + j * p->b.column, p->b.row, p->b.column};
            if (width < WIDTH || b.column != 1) {
                pack_float(depth, width, b, packed);
                b = (Operand_float){packed, WIDTH, 1};
            }
            panel_float(p->m, width, depth, a, b, c, k > 0 || p->accumulate);
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

// ---- convolutions: weight (channels_out x taps) times the windows (taps x points) of an image

// Sizes are those of one image, [height, width]; all tensors are contiguous.
typedef struct Convolution {
    int64_t images, channels_in, channels_out, groups;
    int64_t in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
} Convolution;

// The points x, x + 1, ... of a row of the output, through a tap that sees column x * stride + left
// of this line of the image; NULL = of no line.
static inline void line_float(const Convolution *conv, const float *line, int64_t left, int64_t x,
                              int64_t count, float *to)
{
    const int64_t stride = conv->stride[1];
    int64_t first = (stride - 1 - left) / stride - x,
            end = (conv->in[1] - left + stride - 1) / stride - x;
    first = !line ? count : first < 0 ? 0 : smaller(first, count);
    end = end < first ? first : smaller(end, count);
    for (int64_t i = 0; i < first; i++) to[i] = 0;
    if (stride == 1)
        for (int64_t i = first; i < end; i++) to[i] = line[x + i + left];
    else
        for (int64_t i = first; i < end; i++) to[i] = line[(x + i) * stride + left];
    for (int64_t i = end; i < count; i++) to[i] = 0;
}

// What `width` points see through each of `depth` taps, from the first ones named: a panel.
static void windows_float(const Convolution *conv, const float *image, int64_t point, int64_t width,
                          int64_t tap, int64_t depth, float *panel)
{
    const int64_t area = conv->kernel[0] * conv->kernel[1];
    for (int64_t k = tap; k < tap + depth; k++, panel += WIDTH) {
        const float *plane = image + k / area * conv->in[0] * conv->in[1];
        const int64_t up = k % area / conv->kernel[1] * conv->dilation[0] - conv->padding[0];
        const int64_t left = k % conv->kernel[1] * conv->dilation[1] - conv->padding[1];
        int64_t y = point / conv->out[1], x = point % conv->out[1], count;
        for (int64_t j = 0; j < width; j += count, x = 0, y++) {
            const int64_t i = y * conv->stride[0] + up;
            count = smaller(width - j, conv->out[1] - x);
            line_float(conv, i >= 0 && i < conv->in[0] ? plane + i * conv->in[1] : NULL, left, x,
                       count, panel + j);
        }
        for (int64_t j = width; j < WIDTH; j++) panel[j] = 0;
    }
}

// The channels of one group of one image.
static void convolve_float(const Convolution *conv, const float *image, const float *weight,
                           Sum_float *y, bool accumulate)
{
    const int64_t taps = conv->channels_in / conv->groups * conv->kernel[0] * conv->kernel[1];
    const int64_t channels = conv->channels_out / conv->groups, area = conv->out[0] * conv->out[1];
    float panel[DEPTH * WIDTH];
    for (int64_t j = 0; j < area; j += WIDTH) {
        for (int64_t k = 0; k < taps; k += DEPTH) {
            const int64_t width = smaller(area - j, WIDTH), depth = smaller(taps - k, DEPTH);
            windows_float(conv, image, j, width, k, depth, panel);
            const Operand_float a = {weight + k, taps, 1}, b = {panel, WIDTH, 1};
            panel_float(channels, width, depth, a, b, (Matrix_float){y + j, area, 1},
                        k > 0 || accumulate);
        }
    }
}

static void convolution_float(const Convolution *conv, const float *x, const float *weight,
                              const Sum_float *bias, Sum_float *y)
{
    const int64_t channels_in = conv->channels_in / conv->groups;
    const int64_t channels_out = conv->channels_out / conv->groups;
    const int64_t taps = channels_in * conv->kernel[0] * conv->kernel[1];
    const int64_t area_in = conv->in[0] * conv->in[1], area_out = conv->out[0] * conv->out[1];
    for (int64_t i = 0; i < conv->images; i++) {
        if (bias) begin_float(conv->channels_out, area_out, bias, 1, 0, y);
        for (int64_t group = 0; group < conv->groups; group++) {
            convolve_float(conv, x, weight + group * channels_out * taps, y, bias);
            x += channels_in * area_in;
            y += channels_out * area_out;
        }
    }
}

// One number of a transposed convolution: the points of the image that it is seen from. The
// channels of the weight are [channels_in, channels_out / groups].
static Sum_float transposed_float(const Convolution *conv, const float *image, const float *weight,
                                  int64_t i0, int64_t i1, Sum_float begun, bool accumulate)
{
    const int64_t channels = conv->channels_in / conv->groups, *kernel = conv->kernel;
    const int64_t step = conv->channels_out / conv->groups * kernel[0] * kernel[1];
    Sum_float sum = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < channels; c++, image += conv->in[0] * conv->in[1], weight += step) {
        for (int64_t k = 0; k < kernel[0] * kernel[1]; k++) {
            const int64_t y = i0 + conv->padding[0] - k / kernel[1] * conv->dilation[0];
            const int64_t x = i1 + conv->padding[1] - k % kernel[1] * conv->dilation[1];
            if (y % conv->stride[0] || x % conv->stride[1]) continue;
            const int64_t from[2] = {y / conv->stride[0], x / conv->stride[1]};
            if (y >= 0 && x >= 0 && from[0] < conv->in[0] && from[1] < conv->in[1])
                sum = MUL_ADD_float(weight[k], image[from[0] * conv->in[1] + from[1]], sum);
            if (++count % DEPTH) continue;
            begun = accumulate ? begun + sum : sum;
            accumulate = true;
            sum = 0;
        }
    }
    return count % DEPTH || !accumulate ? (accumulate ? begun + sum : sum) : begun;
}

static void convolution_transposed_float(const Convolution *conv, const float *x,
                                         const float *weight, const Sum_float *bias, Sum_float *y)
{
    const int64_t group_out = conv->channels_out / conv->groups, *out = conv->out;
    const int64_t taps = conv->kernel[0] * conv->kernel[1];
    const int64_t group_in = conv->channels_in / conv->groups, area = conv->in[0] * conv->in[1];
    for (int64_t plane = 0; plane < conv->images * conv->channels_out; plane++) {
        const int64_t channel = plane % conv->channels_out, group = channel / group_out;
        const float *from = weight + (group * group_in * group_out + channel % group_out) * taps;
        const float *image =
            x + (plane / conv->channels_out * conv->channels_in + group * group_in) * area;
        for (int64_t i = 0; i < out[0] * out[1]; i++)
            *y++ = transposed_float(conv, image, from, i / out[1], i % out[1],
                                    bias ? bias[channel] : 0, bias);
    }
}

// ---- pools

// `adaptive`: the windows divide the image; else the other sizes say where they are. `divisor` 0:
// as many numbers as a window has, with or without those of the padding.
typedef struct Pool {
    int64_t planes, in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
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

// `indices` may be NULL: nobody asks where the largest numbers are.
static void max_pool_float(const Pool *pool, const float *x, float *to, int64_t *indices)
{
    const int64_t *out = pool->out, *in = pool->in;
    for (int64_t i = 0; i < pool->planes * out[0] * out[1]; i++) {
        const float *plane = x + i / (out[0] * out[1]) * in[0] * in[1];
        const Window rows = pool_window(pool, 0, i / out[1] % out[0]);
        const Window columns = pool_window(pool, 1, i % out[1]);
        int64_t index = rows.start * in[1] + columns.start;
        float max = plane[index];
        for (int64_t a = rows.start; a < rows.end; a += pool->dilation[0]) {
            for (int64_t b = columns.start; b < columns.end; b += pool->dilation[1]) {
                const float number = plane[a * in[1] + b];
                if (!(number > max || IS_NAN_float(number))) continue; // a NaN is larger than all
                max = number;
                index = a * in[1] + b;
            }
        }
        to[i] = max;
        if (indices) indices[i] = index;
    }
}

static void average_pool_float(const Pool *pool, const float *x, float *to)
{
    const int64_t *out = pool->out, *in = pool->in;
    for (int64_t i = 0; i < pool->planes * out[0] * out[1]; i++) {
        const float *plane = x + i / (out[0] * out[1]) * in[0] * in[1];
        const Window rows = pool_window(pool, 0, i / out[1] % out[0]);
        const Window columns = pool_window(pool, 1, i % out[1]);
        float sum = 0;
        for (int64_t a = rows.start; a < rows.end; a++)
            for (int64_t b = columns.start; b < columns.end; b++) sum += plane[a * in[1] + b];
        int64_t count = (rows.end - rows.start) * (columns.end - columns.start);
        if (pool->count_padding) count = rows.padded * columns.padded;
        to[i] = sum / (float)(pool->divisor ? pool->divisor : count);
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
