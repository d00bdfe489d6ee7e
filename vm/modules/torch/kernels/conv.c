// The axes of a convolution's products, and the copy of an image with its margin (conv.h).
#include "vm/modules/torch/kernels/conv.h"

#include "objects/error.h"
#include "objects/tensor/storage.h"
#include "vm/modules/torch/kernels/gemm.h"

#include <string.h>

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t volume(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

// ---- axes

// An axis that runs through nested counters, the last one fastest. Its offsets are
// first + counter[0] * step[0] + counter[1] * step[1] + ...
#define COUNTERS (1 + CONV_DIMS)
typedef struct Counters {
    int64_t first, count[COUNTERS], step[COUNTERS];
} Counters;

static int64_t axis_length(const Counters *axis)
{
    return axis->count[0] * axis->count[1] * axis->count[2] * axis->count[3];
}

// Writes the table of the axis and returns where the next one begins.
static int64_t *fill_table(const Counters *axis, int64_t *table)
{
    const int64_t *count = axis->count, *step = axis->step;
    for (int64_t a = 0; a < count[0]; a++) {
        for (int64_t b = 0; b < count[1]; b++) {
            for (int64_t c = 0; c < count[2]; c++) {
                int64_t start = axis->first + a * step[0] + b * step[1] + c * step[2];
                for (int64_t d = 0; d < count[3]; d++) *table++ = start + d * step[3];
            }
        }
    }
    return table;
}

// The outer counter, and one for each dimension, whose steps are `scale` times those of an array.
static Counters grid(int64_t count, int64_t step, const int64_t *counts, const int64_t *array,
                     const int64_t *scale)
{
    return (Counters){0,
                      {count, counts[0], counts[1], counts[2]},
                      {step, array[1] * array[2] * scale[0], array[2] * scale[1], scale[2]}};
}

// The index of a point in an array of three dimensions.
static int64_t index_of(const int64_t *point, const int64_t *array)
{
    return (point[0] * array[1] + point[1]) * array[2] + point[2];
}

// ---- images with a margin

// A stack of images, each [size...], with a margin of zeros. `data` is the caller's own memory
// where no margin is wanted, and `copy` VALUE_ERROR.
typedef struct Padded {
    const char *data; // the first corner, margin included
    int64_t size[CONV_DIMS];
    Value copy;
} Padded;

// Copies the lines of one image into the middle of its part of the copy.
static void copy_image(const char *from, const int64_t *size, const int64_t *before, char *to,
                       const int64_t *padded, size_t element)
{
    size_t bytes = (size_t)size[2] * element;
    for (int64_t z = 0; z < size[0]; z++) {
        for (int64_t y = 0; y < size[1]; y++) {
            int64_t line = ((z + before[0]) * padded[1] + y + before[1]) * padded[2] + before[2];
            memcpy(to + (size_t)line * element, from, bytes);
            from += bytes;
        }
    }
}

// The bytes of `count` images of this size. False with MemoryError pending where they are too many.
static bool images_bytes(int64_t count, const int64_t *size, size_t element, size_t *bytes)
{
    size_t total = element;
    bool over = __builtin_mul_overflow(total, (size_t)count, &total);
    for (int i = 0; i < CONV_DIMS; i++)
        over |= __builtin_mul_overflow(total, (size_t)size[i], &total);
    *bytes = total;
    return !over || raise_memory_error();
}

// `count` images with `before` and `after` zeros on the two sides of each dimension.
static bool pad_images(Padded *padded, const void *images, int64_t count, const int64_t *size,
                       const int64_t *before, const int64_t *after, size_t element)
{
    bool margin = false;
    for (int i = 0; i < CONV_DIMS; i++) {
        padded->size[i] = size[i] + before[i] + after[i];
        margin |= before[i] || after[i];
    }
    padded->copy = VALUE_ERROR;
    padded->data = images;
    size_t bytes;
    if (!margin) return true;
    if (!images_bytes(count, padded->size, element, &bytes)) return false;
    padded->copy = storage_new(bytes);
    if (!padded->copy) return false;
    char *to = as_storage(padded->copy)->data;
    padded->data = memset(to, 0, bytes);
    size_t from_step = (size_t)volume(size) * element;
    size_t to_step = (size_t)volume(padded->size) * element;
    for (int64_t i = 0; i < count; i++)
        copy_image((const char *)images + (size_t)i * from_step, size, before,
                   to + (size_t)i * to_step, padded->size, element);
    return true;
}

static void drop_images(Padded *padded)
{
    if (padded->copy) drop(padded->copy);
}

// ---- tables

static const int64_t each[CONV_DIMS] = {1, 1, 1};

// Fills in the tables of some axes, and returns the memory that holds them: owned. VALUE_ERROR
// with MemoryError pending.
static Value tables_new(const Counters *axes, int count, Axis *tables)
{
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++) bytes += (uint64_t)axis_length(&axes[i]) * sizeof(int64_t);
    if (bytes > SIZE_MAX) return raise_memory_error();
    Value memory = storage_new((size_t)bytes);
    if (!memory) return VALUE_ERROR;
    int64_t *table = as_storage(memory)->data;
    for (int i = 0; i < count; i++) {
        tables[i] = axis_table(table);
        table = fill_table(&axes[i], table);
    }
    return memory;
}

static void *element_at(const void *data, int64_t index, size_t element)
{
    return (char *)data + (size_t)index * element;
}

// ---- the convolution, and the gradient of its weight

// The matrix of windows of a group: rows are taps of channels, columns are points of images. The
// output has the same columns.
typedef struct Windows {
    Padded image;
    Axis taps, points, outputs;
    int64_t tap_count, point_count;
    Value tables;
} Windows;

static bool windows_make(Windows *windows, const Conv *conv, const void *image)
{
    size_t element = dtype_size(conv->dtype);
    if (!pad_images(&windows->image, image, conv->images * conv->channels_in, conv->size_in,
                    conv->padding, conv->padding, element))
        return false;
    const int64_t *padded = windows->image.size, *out = conv->size_out;
    int64_t area = volume(padded);
    Counters axes[3] = {
        grid(conv->channels_in / conv->groups, area, conv->kernel, padded, conv->dilation),
        grid(conv->images, conv->channels_in * area, out, padded, conv->stride),
        grid(conv->images, conv->channels_out * volume(out), out, out, each)};
    Axis tables[3] = {0};
    windows->tables = tables_new(axes, 3, tables);
    windows->taps = tables[0];
    windows->points = tables[1];
    windows->outputs = tables[2];
    windows->tap_count = axis_length(&axes[0]);
    windows->point_count = axis_length(&axes[1]);
    if (!windows->tables) drop_images(&windows->image);
    return windows->tables != VALUE_ERROR;
}

static void windows_drop(Windows *windows)
{
    drop_images(&windows->image);
    drop(windows->tables);
}

// The first number of a group in the stack of padded images.
static void *group_image(const Windows *windows, const Conv *conv, int64_t group)
{
    int64_t channel = group * (conv->channels_in / conv->groups);
    return element_at(windows->image.data, channel * volume(windows->image.size),
                      dtype_size(conv->dtype));
}

bool KERNEL(conv_forward)(const Conv *conv, const void *image, const void *weight, void *output,
                          bool accumulate)
{
    Windows windows;
    if (!windows_make(&windows, conv, image)) return false;
    size_t element = dtype_size(conv->dtype);
    int64_t channels = conv->channels_out / conv->groups, area = volume(conv->size_out);
    int64_t taps = windows.tap_count;
    bool done = true;
    for (int64_t group = 0; done && group < conv->groups; group++) {
        int64_t first = group * channels;
        Gemm product = {
            channels,
            windows.point_count,
            taps,
            {element_at(weight, first * taps, element), axis_step(taps), axis_step(1)},
            {group_image(&windows, conv, group), windows.taps, windows.points},
            {element_at(output, first * area, element), axis_step(area), windows.outputs},
            accumulate};
        done = gemm_multiply(conv->dtype, &product);
    }
    windows_drop(&windows);
    return done;
}

bool KERNEL(conv_weight_gradient)(const Conv *conv, const void *output, const void *image,
                                  void *weight)
{
    Windows windows;
    if (!windows_make(&windows, conv, image)) return false;
    size_t element = dtype_size(conv->dtype);
    int64_t channels = conv->channels_out / conv->groups, area = volume(conv->size_out);
    int64_t taps = windows.tap_count;
    bool done = true;
    for (int64_t group = 0; done && group < conv->groups; group++) {
        int64_t first = group * channels;
        Gemm product = {
            channels,
            taps,
            windows.point_count,
            {element_at(output, first * area, element), axis_step(area), windows.outputs},
            {group_image(&windows, conv, group), windows.points, windows.taps},
            {element_at(weight, first * taps, element), axis_step(taps), axis_step(1)},
            false};
        done = gemm_multiply(conv->dtype, &product);
    }
    windows_drop(&windows);
    return done;
}

// ---- the gradient of the image

// The input points of one remainder, in one dimension: first, first + stride, ... Tap number
// tap + n * tap_step sees the input point number q from the output point out + q - n * out_step.
typedef struct Remainder {
    int64_t first, count;
    int64_t tap, taps, tap_step;
    int64_t out, out_step;
} Remainder;

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

static Remainder remainder_of(const Conv *conv, int dim, int64_t first)
{
    int64_t stride = conv->stride[dim], dilation = conv->dilation[dim];
    int64_t reach = first + conv->padding[dim], divisor = common_divisor(stride, dilation);
    Remainder rest = {.first = first,
                      .count = (conv->size_in[dim] - first + stride - 1) / stride,
                      .tap_step = stride / divisor,
                      .out_step = dilation / divisor};
    while (rest.tap < conv->kernel[dim] && (reach - rest.tap * dilation) % stride) rest.tap++;
    if (rest.tap == conv->kernel[dim]) return rest; // no tap sees these points
    rest.taps = (conv->kernel[dim] - rest.tap + rest.tap_step - 1) / rest.tap_step;
    rest.out = (reach - rest.tap * dilation) / stride;
    return rest;
}

static int64_t remainder_count(const Conv *conv, int dim)
{
    int64_t stride = conv->stride[dim], size = conv->size_in[dim];
    return stride < size ? stride : size;
}

// How far the taps of all remainders reach beyond the output.
static void output_margins(const Conv *conv, int dim, int64_t *before, int64_t *after)
{
    *before = *after = 0;
    for (int64_t first = 0; first < remainder_count(conv, dim); first++) {
        Remainder rest = remainder_of(conv, dim, first);
        if (!rest.taps) continue;
        *before = larger(*before, (rest.taps - 1) * rest.out_step - rest.out);
        *after = larger(*after, rest.out + rest.count - conv->size_out[dim]);
    }
}

// The product of one remainder for one group at a time.
typedef struct ImageGradient {
    const Conv *conv;
    Padded output;
    int64_t before[CONV_DIMS];
    const void *weight;
    void *image;
    bool accumulate;
} ImageGradient;

static bool multiply_groups(const ImageGradient *work, const Axis *tables, int64_t k,
                            int64_t points)
{
    const Conv *conv = work->conv;
    size_t element = dtype_size(conv->dtype);
    int64_t channels_in = conv->channels_in / conv->groups, taps = volume(conv->kernel);
    int64_t channels_out = conv->channels_out / conv->groups, area_in = volume(conv->size_in);
    for (int64_t group = 0; group < conv->groups; group++) {
        int64_t first_out = group * channels_out, first_in = group * channels_in;
        const void *weight = element_at(work->weight, first_out * channels_in * taps, element);
        const void *output =
            element_at(work->output.data, first_out * volume(work->output.size), element);
        Gemm product = {
            channels_in,
            points,
            k,
            {(void *)weight, axis_step(taps), tables[0]},
            {(void *)output, tables[1], tables[2]},
            {element_at(work->image, first_in * area_in, element), axis_step(area_in), tables[3]},
            work->accumulate};
        if (!gemm_multiply(conv->dtype, &product)) return false;
    }
    return true;
}

// The axes of the product of one remainder: weights and windows have rows of (output channel, tap).
static Value remainder_tables(const ImageGradient *work, const Remainder *rest, Axis *tables,
                              int64_t *k, int64_t *points)
{
    const Conv *conv = work->conv;
    int64_t first[CONV_DIMS], count[CONV_DIMS], tap[CONV_DIMS], taps[CONV_DIMS];
    int64_t tap_step[CONV_DIMS], out[CONV_DIMS], out_step[CONV_DIMS];
    for (int i = 0; i < CONV_DIMS; i++) {
        first[i] = rest[i].first;
        count[i] = rest[i].count;
        tap[i] = rest[i].tap;
        taps[i] = rest[i].taps;
        tap_step[i] = rest[i].tap_step;
        out[i] = rest[i].out + work->before[i];
        out_step[i] = -rest[i].out_step;
    }
    const int64_t *kernel = conv->kernel, *in = conv->size_in, *padded = work->output.size;
    int64_t channels = conv->channels_out / conv->groups;
    int64_t filter = conv->channels_in / conv->groups * volume(kernel);
    Counters axes[4] = {
        grid(channels, filter, taps, kernel, tap_step),
        grid(channels, volume(padded), taps, padded, out_step),
        grid(conv->images, conv->channels_out * volume(padded), count, padded, each),
        grid(conv->images, conv->channels_in * volume(in), count, in, conv->stride)};
    axes[0].first = index_of(tap, kernel);
    axes[2].first = index_of(out, padded);
    axes[3].first = index_of(first, in);
    *k = axis_length(&axes[0]);
    *points = axis_length(&axes[2]);
    return tables_new(axes, 4, tables);
}

static bool multiply_remainder(const ImageGradient *work, const Remainder *rest)
{
    Axis tables[4];
    int64_t k, points;
    Value memory = remainder_tables(work, rest, tables, &k, &points);
    if (!memory) return false;
    bool done = multiply_groups(work, tables, k, points);
    drop(memory);
    return done;
}

static bool multiply_remainders(const ImageGradient *work)
{
    const Conv *conv = work->conv;
    Remainder rest[CONV_DIMS];
    for (int64_t z = 0; z < remainder_count(conv, 0); z++) {
        rest[0] = remainder_of(conv, 0, z);
        for (int64_t y = 0; y < remainder_count(conv, 1); y++) {
            rest[1] = remainder_of(conv, 1, y);
            for (int64_t x = 0; x < remainder_count(conv, 2); x++) {
                rest[2] = remainder_of(conv, 2, x);
                if (!multiply_remainder(work, rest)) return false;
            }
        }
    }
    return true;
}

bool KERNEL(conv_image_gradient)(const Conv *conv, const void *output, const void *weight,
                                 void *image, bool accumulate)
{
    ImageGradient work = {.conv = conv, .weight = weight, .image = image, .accumulate = accumulate};
    int64_t after[CONV_DIMS];
    for (int i = 0; i < CONV_DIMS; i++) output_margins(conv, i, &work.before[i], &after[i]);
    if (!pad_images(&work.output, output, conv->images * conv->channels_out, conv->size_out,
                    work.before, after, dtype_size(conv->dtype)))
        return false;
    bool done = multiply_remainders(&work);
    drop_images(&work.output);
    return done;
}
