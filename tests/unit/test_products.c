// Matrix products and convolutions against plain loops, for each copy of the kernels that this
// processor can run.
//
// Random sizes, layouts and tables in all four dtypes. Integers and small whole numbers in floats
// make every sum exact, so that the answers must be equal whatever the order; one test with
// fractions checks the order itself: blocks of GEMM_DEPTH, each from its first k to its last. The
// last test lets the copies of operands fail.
#include "tests/unit/unit.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/tensor/dtype.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/conv.h"
#include "vm/modules/torch/kernels/gemm.h"

#include <math.h>
#include <stdlib.h>

// ---- the copies

typedef struct Copy {
    bool (*gemm)(Dtype dtype, const Gemm *gemm);
    bool (*forward)(const Conv *conv, const void *image, const void *weight, void *output,
                    bool accumulate);
    bool (*image_gradient)(const Conv *conv, const void *output, const void *weight, void *image,
                           bool accumulate);
    bool (*weight_gradient)(const Conv *conv, const void *output, const void *image, void *weight);
} Copy;

static const Copy plain = {gemm_plain, conv_forward_plain, conv_image_gradient_plain,
                           conv_weight_gradient_plain};

#if defined(__x86_64__)
bool gemm_v3(Dtype dtype, const Gemm *gemm);
bool conv_forward_v3(const Conv *conv, const void *image, const void *weight, void *output,
                     bool accumulate);
bool conv_image_gradient_v3(const Conv *conv, const void *output, const void *weight, void *image,
                            bool accumulate);
bool conv_weight_gradient_v3(const Conv *conv, const void *output, const void *image, void *weight);
bool gemm_v4(Dtype dtype, const Gemm *gemm);

static const Copy v3 = {gemm_v3, conv_forward_v3, conv_image_gradient_v3, conv_weight_gradient_v3};
static const Copy v4 = {gemm_v4, conv_forward_v3, conv_image_gradient_v3, conv_weight_gradient_v3};

static bool can_run(const Copy *copy)
{
    if (copy == &v3) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return copy != &v4 || __builtin_cpu_supports("avx512dq");
}
static const Copy *const copies[] = {&plain, &v3, &v4};
#else
static bool can_run(const Copy *copy)
{
    return copy == &plain;
}
static const Copy *const copies[] = {&plain};
#endif
#define COPIES (int)(sizeof copies / sizeof *copies)

static int64_t below(int64_t n)
{
    return rand() % n;
}

// ---- elements of any dtype, as doubles

static const Dtype dtypes[] = {DTYPE_float32, DTYPE_float64, DTYPE_int64, DTYPE_int32};

static double get(Dtype dtype, const void *data, int64_t i)
{
    switch (dtype) {
    case DTYPE_float32: return (double)((const float *)data)[i];
    case DTYPE_float64: return ((const double *)data)[i];
    case DTYPE_int64: return (double)((const int64_t *)data)[i];
    default: return ((const int32_t *)data)[i];
    }
}

static void set(Dtype dtype, void *data, int64_t i, double number)
{
    switch (dtype) {
    case DTYPE_float32: ((float *)data)[i] = (float)number; return;
    case DTYPE_float64: ((double *)data)[i] = number; return;
    case DTYPE_int64: ((int64_t *)data)[i] = (int64_t)number; return;
    default: ((int32_t *)data)[i] = (int32_t)number;
    }
}

static void *numbers(Dtype dtype, int64_t n)
{
    void *data = malloc((size_t)(n + 1) * 8);
    for (int64_t i = 0; i < n; i++) set(dtype, data, i, (double)(below(19) - 9));
    return data;
}

// ---- gemm

typedef struct Layout {
    int64_t rows[700], columns[700]; // offsets
    Matrix matrix;
    int64_t elements;
} Layout;

// Rows after columns, columns after rows, every second element, or tables in any order.
static void lay_out(Layout *layout, int64_t m, int64_t n)
{
    int64_t gap = 1 + below(2);
    bool columns_first = below(2);
    Axis rows = axis_step(columns_first ? gap : n * gap);
    Axis columns = axis_step(columns_first ? m * gap : gap);
    for (int64_t i = 0; i < m; i++) layout->rows[i] = i * rows.step;
    for (int64_t j = 0; j < n; j++) layout->columns[j] = j * columns.step;
    if (below(3) == 0) {
        for (int64_t i = 0; i + 1 < m; i += 2) {
            int64_t kept = layout->rows[i];
            layout->rows[i] = layout->rows[i + 1];
            layout->rows[i + 1] = kept;
        }
        rows = axis_table(layout->rows);
    }
    if (below(3) == 0) columns = axis_table(layout->columns);
    layout->elements = m * n * gap + gap;
    layout->matrix = (Matrix){NULL, rows, columns};
}

static double expected_at(Dtype dtype, const Gemm *gemm, const Layout *a, const Layout *b,
                          int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < gemm->k; k++)
        sum += get(dtype, gemm->a.data, a->rows[i] + a->columns[k]) *
               get(dtype, gemm->b.data, b->rows[k] + b->columns[j]);
    return sum;
}

static void check_gemm(const Copy *copy, Dtype dtype, int64_t m, int64_t n, int64_t k)
{
    static Layout a, b, c;
    lay_out(&a, m, k);
    lay_out(&b, k, n);
    lay_out(&c, m, n);
    Gemm gemm = {m, n, k, a.matrix, b.matrix, c.matrix, below(2)};
    gemm.a.data = numbers(dtype, a.elements);
    gemm.b.data = numbers(dtype, b.elements);
    gemm.c.data = numbers(dtype, c.elements);
    void *before = malloc((size_t)(c.elements + 1) * 8);
    memcpy(before, gemm.c.data, (size_t)(c.elements + 1) * 8);
    ck_assert(copy->gemm(dtype, &gemm));
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) {
            int64_t at = c.rows[i] + c.columns[j];
            double expected = expected_at(dtype, &gemm, &a, &b, i, j) +
                              (gemm.accumulate ? get(dtype, before, at) : 0);
            ck_assert(get(dtype, gemm.c.data, at) == expected);
            set(dtype, before, at, expected);
        }
    }
    ck_assert(memcmp(before, gemm.c.data, (size_t)c.elements * dtype_size(dtype)) == 0);
    free(gemm.a.data);
    free(gemm.b.data);
    free(gemm.c.data);
    free(before);
}

START_TEST(products_equal_loops)
{
    srand(1);
    for (int copy = 0; copy < COPIES; copy++) {
        if (!can_run(copies[copy])) continue;
        for (int i = 0; i < 400; i++)
            check_gemm(copies[copy], dtypes[i % 4], below(40), below(70), below(40));
        for (int i = 0; i < 8; i++)
            check_gemm(copies[copy], dtypes[i % 4], 1 + below(200), 1 + below(60),
                       200 + below(400));
        check_gemm(copies[copy], DTYPE_float32, 1, 300, 600);
        check_gemm(copies[copy], DTYPE_int32, 300, 1, 600);
    }
}
END_TEST

// Fused or not: a processor rounds each product, or each product and sum.
static float blocked_sum(const float *a, const float *b, int64_t k, bool fused)
{
    float sum = 0;
    for (int64_t from = 0; from < k; from += GEMM_DEPTH) {
        float part = 0;
        for (int64_t i = from; i < k && i < from + GEMM_DEPTH; i++) {
            volatile float product = a[i] * b[i];
            part = fused ? fmaf(a[i], b[i], part) : part + product;
        }
        sum = from ? sum + part : part;
    }
    return sum;
}

enum { M = 23, N = 35, K = 700 };
static float left[M * K], right[N * K], product[M * N];

static bool all_are(bool fused)
{
    bool equal = true;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            equal &= product[i * N + j] == blocked_sum(left + i * K, right + j * K, K, fused);
    return equal;
}

START_TEST(sums_have_one_order)
{
    srand(2);
    for (int i = 0; i < M * K; i++) left[i] = (float)below(1000) / 7;
    for (int i = 0; i < N * K; i++) right[i] = (float)below(1000) / 9;
    for (int copy = 0; copy < COPIES; copy++) {
        if (!can_run(copies[copy])) continue;
        Gemm gemm = {.m = M, .n = N, .k = K};
        gemm.a = (Matrix){left, axis_step(K), axis_step(1)};
        gemm.b = (Matrix){right, axis_step(1), axis_step(K)};
        gemm.c = (Matrix){product, axis_step(N), axis_step(1)};
        ck_assert(copies[copy]->gemm(DTYPE_float32, &gemm));
        ck_assert(all_are(true) || all_are(false));
    }
}
END_TEST

// ---- convolutions, in int64

// A convolution whose output has at least one point in each dimension.
static Conv random_conv(void)
{
    Conv conv = {.dtype = DTYPE_int64, .images = 1 + below(3), .groups = 1 + below(3)};
    conv.channels_in = conv.groups * (1 + below(3));
    conv.channels_out = conv.groups * (1 + below(4));
    for (int i = 0; i < CONV_DIMS; i++) {
        int64_t room = -1;
        while (room < 0) {
            conv.size_in[i] = 1 + below(i ? 9 : 4);
            conv.kernel[i] = 1 + below(i ? 4 : 2);
            conv.stride[i] = 1 + below(4);
            conv.padding[i] = below(5);
            conv.dilation[i] = 1 + below(4);
            room =
                conv.size_in[i] + 2 * conv.padding[i] - conv.dilation[i] * (conv.kernel[i] - 1) - 1;
        }
        conv.size_out[i] = room / conv.stride[i] + 1;
    }
    return conv;
}

static int64_t volume(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

typedef struct ConvData {
    int64_t *image, *weight, *output;
} ConvData;

// The index in the image that tap `tap` sees from point `point`; -1 = it is in the padding.
static int64_t index_seen(const Conv *conv, int64_t point, int64_t tap)
{
    int64_t at[CONV_DIMS];
    for (int i = CONV_DIMS - 1; i >= 0; i--) {
        at[i] = point % conv->size_out[i] * conv->stride[i] - conv->padding[i] +
                tap % conv->kernel[i] * conv->dilation[i];
        point /= conv->size_out[i];
        tap /= conv->kernel[i];
        if (at[i] < 0 || at[i] >= conv->size_in[i]) return -1;
    }
    return (at[0] * conv->size_in[1] + at[1]) * conv->size_in[2] + at[2];
}

// Adds what one output channel of one image contributes in all three directions.
static void add_channel(const Conv *conv, int64_t image, int64_t channel, const ConvData *data,
                        const ConvData *sums)
{
    int64_t points = volume(conv->size_out), taps = volume(conv->kernel);
    int64_t each_in = conv->channels_in / conv->groups;
    int64_t first_in = channel / (conv->channels_out / conv->groups) * each_in;
    for (int64_t i = 0; i < points * each_in * taps; i++) {
        int64_t point = i / (each_in * taps), in = i / taps % each_in, tap = i % taps;
        int64_t index = index_seen(conv, point, tap);
        if (index < 0) continue;
        int64_t x = (image * conv->channels_in + first_in + in) * volume(conv->size_in) + index;
        int64_t y = (image * conv->channels_out + channel) * points + point;
        int64_t w = (channel * each_in + in) * taps + tap;
        sums->output[y] += data->image[x] * data->weight[w];
        sums->image[x] += data->output[y] * data->weight[w];
        sums->weight[w] += data->output[y] * data->image[x];
    }
}

static void check_conv(const Copy *copy, const Conv *conv)
{
    int64_t images = conv->images * conv->channels_in * volume(conv->size_in);
    int64_t outputs = conv->images * conv->channels_out * volume(conv->size_out);
    int64_t weights =
        conv->channels_out * (conv->channels_in / conv->groups) * volume(conv->kernel);
    ConvData data = {numbers(DTYPE_int64, images), numbers(DTYPE_int64, weights),
                     numbers(DTYPE_int64, outputs)};
    ConvData sums = {calloc((size_t)images, 8), calloc((size_t)weights, 8),
                     calloc((size_t)outputs, 8)};
    ConvData found = {malloc((size_t)images * 8), malloc((size_t)weights * 8),
                      malloc((size_t)outputs * 8)};
    for (int64_t i = 0; i < conv->images; i++)
        for (int64_t c = 0; c < conv->channels_out; c++) add_channel(conv, i, c, &data, &sums);
    gemm_multiply = copy->gemm;
    ck_assert(copy->forward(conv, data.image, data.weight, found.output, false));
    ck_assert(copy->image_gradient(conv, data.output, data.weight, found.image, false));
    ck_assert(copy->weight_gradient(conv, data.output, data.image, found.weight));
    ck_assert(memcmp(found.output, sums.output, (size_t)outputs * 8) == 0);
    ck_assert(memcmp(found.image, sums.image, (size_t)images * 8) == 0);
    ck_assert(memcmp(found.weight, sums.weight, (size_t)weights * 8) == 0);
    for (int i = 0; i < 3; i++) {
        const ConvData *each = i == 0 ? &data : i == 1 ? &sums : &found;
        free(each->image);
        free(each->weight);
        free(each->output);
    }
}

START_TEST(convolutions_equal_loops)
{
    srand(3);
    for (int copy = 0; copy < COPIES; copy++) {
        if (!can_run(copies[copy])) continue;
        for (int i = 0; i < 150; i++) {
            Conv conv = random_conv();
            check_conv(copies[copy], &conv);
        }
    }
}
END_TEST

// Operands of another dtype than that computed in are copied: a copy that fails is MemoryError.
START_TEST(operands_that_cannot_be_copied)
{
    const Dim sizes[] = {from_small(3), from_small(2)};
    Value tensor = tensor_new(DTYPE_bfloat16, 2, sizes);
    Rows rows;
    bool (*const copies_of[])(Rows *rows, Tensor *tensor, int dim, Dtype dtype) = {rows_read,
                                                                                   rows_write};
    for (int i = 0; i < 4; i++) {
        memory_fail_at(1, true);
        int dim = i % 2 ? 0 : ROWS_AS_IS;
        bool done = copies_of[i / 2](&rows, as_tensor(tensor), dim, DTYPE_float32);
        memory_fail_at(0, false);
        ck_assert(!done && error_is(MemoryError));
        error_clear();
    }
    drop(tensor);
}
END_TEST

Suite *products_suite(void)
{
    Suite *suite = suite_create("products");
    TCase *tests = live_case(suite, "products");
    tcase_add_test(tests, products_equal_loops);
    tcase_add_test(tests, sums_have_one_order);
    tcase_add_test(tests, convolutions_equal_loops);
    tcase_add_test(tests, operands_that_cannot_be_copied);
    return suite;
}
