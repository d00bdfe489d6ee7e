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

// Sizes are those of one image, [depth, height, width]; all tensors are contiguous.
typedef struct Convolution {
    int64_t images, channels_in, channels_out, groups;
    int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} Convolution;

static inline int64_t volume(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

// The points x, x + 1, ... of a row of the output, through a tap that sees column x * stride + left
// of this line of the image; NULL = of no line.
static inline void line_float(const Convolution *conv, const float *line, int64_t left, int64_t x,
                              int64_t count, float *to)
{
    const int64_t stride = conv->stride[2];
    int64_t first = (stride - 1 - left) / stride - x,
            end = (conv->in[2] - left + stride - 1) / stride - x;
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
    const int64_t *in = conv->in, *kernel = conv->kernel, *out = conv->out;
    for (int64_t k = tap; k < tap + depth; k++, panel += WIDTH) {
        const float *plane = image + k / volume(kernel) * volume(in);
        const int64_t front =
            k / (kernel[1] * kernel[2]) % kernel[0] * conv->dilation[0] - conv->padding[0];
        const int64_t up = k / kernel[2] % kernel[1] * conv->dilation[1] - conv->padding[1];
        const int64_t left = k % kernel[2] * conv->dilation[2] - conv->padding[2];
        int64_t row = point / out[2], x = point % out[2], count;
        for (int64_t j = 0; j < width; j += count, x = 0, row++) {
            const int64_t z = row / out[1] * conv->stride[0] + front;
            const int64_t y = row % out[1] * conv->stride[1] + up;
            const bool is_inside = z >= 0 && z < in[0] && y >= 0 && y < in[1];
            count = smaller(width - j, out[2] - x);
            line_float(conv, is_inside ? plane + (z * in[1] + y) * in[2] : NULL, left, x, count,
                       panel + j);
        }
        for (int64_t j = width; j < WIDTH; j++) panel[j] = 0;
    }
}

// The channels of one group of one image.
static void convolve_float(const Convolution *conv, const float *image, const float *weight,
                           Sum_float *y, bool accumulate)
{
    const int64_t taps = conv->channels_in / conv->groups * volume(conv->kernel);
    const int64_t channels = conv->channels_out / conv->groups, area = volume(conv->out);
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
    const int64_t taps = channels_in * volume(conv->kernel);
    const int64_t area_in = volume(conv->in), area_out = volume(conv->out);
    for (int64_t i = 0; i < conv->images; i++) {
        if (bias) begin_float(conv->channels_out, area_out, bias, 1, 0, y);
        for (int64_t group = 0; group < conv->groups; group++) {
            convolve_float(conv, x, weight + group * channels_out * taps, y, bias);
            x += channels_in * area_in;
            y += channels_out * area_out;
        }
    }
}

// A point of the image, from which a tap is seen along one dimension; -1: it is beyond the image;
// -2: it is between two points.
static inline int64_t point_seen(const Convolution *conv, int d, int64_t to, int64_t tap)
{
    const int64_t point = to + conv->padding[d] - tap * conv->dilation[d];
    if (point % conv->stride[d]) return -2;
    return point >= 0 && point / conv->stride[d] < conv->in[d] ? point / conv->stride[d] : -1;
}

// One number of a transposed convolution: the points of the image that it is seen from. The
// channels of the weight are [channels_in, channels_out / groups].
static Sum_float transposed_float(const Convolution *conv, const float *image, const float *weight,
                                  const int64_t *to, Sum_float begun, bool accumulate)
{
    const int64_t channels = conv->channels_in / conv->groups, *in = conv->in;
    const int64_t *kernel = conv->kernel, taps = volume(kernel);
    const int64_t step = conv->channels_out / conv->groups * taps;
    Sum_float sum = 0;
    int64_t count = 0;
    for (int64_t c = 0; c < channels; c++, image += volume(in), weight += step) {
        for (int64_t k = 0; k < taps; k += kernel[2]) {
            const int64_t z = point_seen(conv, 0, to[0], k / (kernel[1] * kernel[2]));
            const int64_t y = point_seen(conv, 1, to[1], k / kernel[2] % kernel[1]);
            if (z < -1 || y < -1) continue;
            for (int64_t i = 0; i < kernel[2]; i++) {
                const int64_t x = point_seen(conv, 2, to[2], i);
                if (x < -1) continue;
                if (z >= 0 && y >= 0 && x >= 0)
                    sum = MUL_ADD_float(weight[k + i], image[(z * in[1] + y) * in[2] + x], sum);
                if (++count % DEPTH) continue;
                begun = accumulate ? begun + sum : sum;
                accumulate = true;
                sum = 0;
            }
        }
    }
    return count % DEPTH || !accumulate ? (accumulate ? begun + sum : sum) : begun;
}

static void convolution_transposed_float(const Convolution *conv, const float *x,
                                         const float *weight, const Sum_float *bias, Sum_float *y)
{
    const int64_t group_out = conv->channels_out / conv->groups, taps = volume(conv->kernel);
    const int64_t group_in = conv->channels_in / conv->groups, area = volume(conv->in);
    for (int64_t plane = 0; plane < conv->images * conv->channels_out; plane++) {
        const int64_t channel = plane % conv->channels_out, group = channel / group_out;
        const float *from = weight + (group * group_in * group_out + channel % group_out) * taps;
        const float *image =
            x + (plane / conv->channels_out * conv->channels_in + group * group_in) * area;
        for (int64_t i = 0; i < volume(conv->out); i++) {
            const int64_t row = i / conv->out[2];
            const int64_t to[3] = {row / conv->out[1], row % conv->out[1], i % conv->out[2]};
            *y++ = transposed_float(conv, image, from, to, bias ? bias[channel] : 0, bias);
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

// The windows of number i of the output, one for each dimension; the plane that it is in.
static int64_t pool_windows(const Pool *pool, int64_t i, Window *windows)
{
    for (int d = 2; d >= 0; i /= pool->out[d], d--)
        windows[d] = pool_window(pool, d, i % pool->out[d]);
    return i;
}

// `indices` may be NULL: nobody asks where the largest numbers are.
static void max_pool_float(const Pool *pool, const float *x, float *to, int64_t *indices)
{
    const int64_t *in = pool->in;
    for (int64_t i = 0; i < pool->planes * volume(pool->out); i++) {
        Window at[3];
        const float *plane = x + pool_windows(pool, i, at) * volume(in);
        int64_t index = (at[0].start * in[1] + at[1].start) * in[2] + at[2].start;
        float max = plane[index];
        for (int64_t a = at[0].start; a < at[0].end; a += pool->dilation[0]) {
            for (int64_t b = at[1].start; b < at[1].end; b += pool->dilation[1]) {
                for (int64_t c = at[2].start; c < at[2].end; c += pool->dilation[2]) {
                    const float number = plane[(a * in[1] + b) * in[2] + c];
                    if (!(number > max || IS_NAN_float(number))) continue; // a NaN is the largest
                    max = number;
                    index = (a * in[1] + b) * in[2] + c;
                }
            }
        }
        to[i] = max;
        if (indices) indices[i] = index;
    }
}

static void average_pool_float(const Pool *pool, const float *x, float *to)
{
    const int64_t *in = pool->in;
    for (int64_t i = 0; i < pool->planes * volume(pool->out); i++) {
        Window at[3];
        const float *plane = x + pool_windows(pool, i, at) * volume(in);
        float sum = 0;
        for (int64_t a = at[0].start; a < at[0].end; a++)
            for (int64_t b = at[1].start; b < at[1].end; b++)
                for (int64_t c = at[2].start; c < at[2].end; c++)
                    sum += plane[(a * in[1] + b) * in[2] + c];
        int64_t count = 1;
        for (int d = 0; d < 3; d++)
            count *= pool->count_padding ? at[d].padded : at[d].end - at[d].start;
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

static void sums_float(const SumPlan *plan, int64_t count, const float *x, float *to)
{
    int64_t planes = 1;
    for (int64_t i = 0; i < count; i++) to[i] = 0;
    for (int64_t d = 2; d < plan->dims; d++) planes *= plan->size[d];
    for (int64_t plane = 0; plane < planes; plane++) {
        int64_t rest = plane, in = 0, out = 0;
        for (int64_t d = 2; d < plan->dims; rest /= plan->size[d], d++) {
            in += rest % plan->size[d] * plan->step[d];
            out += rest % plan->size[d] * plan->out[d];
        }
        sum_plane_float(plan, x + in, to + out);
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

// The variance of each of `rows` rows of n numbers, in double: squares divided by `rest`.
static void variances_float(int64_t rows, int64_t n, double rest, const float *x, float *to)
{
    for (int64_t i = 0; i < rows; i++, x += n) {
        double sum = 0, squares = 0;
        for (int64_t k = 0; k < n; k++) sum += (double)x[k];
        const double mean = sum / (double)n;
        for (int64_t k = 0; k < n; k++) squares += ((double)x[k] - mean) * ((double)x[k] - mean);
        to[i] = (float)(squares / rest);
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

// `how`: what is there becomes the number ('='), or their sum ('+') or product ('*').
static bool scatter_float(const Places *places, int64_t count, const int64_t *indices,
                          const Places *sources, const float *from, char how, float *to)
{
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = place_of(places, i, indices[i]);
        if (place < 0) return false;
        const TOTAL_float number = (TOTAL_float)from[place_of(sources, i, 0)];
        const TOTAL_float old = (TOTAL_float)to[place];
        to[place] = (float)(how == '+' ? old + number : how == '*' ? old * number : number);
    }
    return true;
}
