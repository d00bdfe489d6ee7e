// Kernels of random numbers.
//
// A tensor that is not contiguous is filled through a copy, whose dimensions are sorted by their
// strides where PyTorch's iterator does it.
//
// Two sources: mt19937 (random_generator.h), and for bernoulli_(p) and exponential_() a stream of
// the vendor library that PyTorch is built with: x <- 1132489760 x mod 2^31 - 1, begun by one draw
// of 32 bits.
//
// (PyTorch: ATen/native/cpu/DistributionTemplates.h, DistributionKernels.cpp, Distributions.cpp)
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_angles.h"
#include "vm/modules/torch/random_generator.h"
#include "vm/modules/torch/rules/random_range.h"
#include "vm/modules/torch/rules/rule_build.h"

#include <float.h>

// ---- where the numbers go

static void swap_dims(Shape *shape, int i, int j)
{
    Dim size = shape->size[i], stride = shape->stride[i];
    shape->size[i] = shape->size[j];
    shape->stride[i] = shape->stride[j];
    shape->size[j] = size;
    shape->stride[j] = stride;
}

// A view of `tensor`, whose sizes are those of `ordered`, with the dimensions in the order of
// ordered's memory, largest stride first: owned.
static Value in_order_of(Tensor *ordered, Tensor *tensor)
{
    Shape order, shape;
    tensor_shape(ordered, &order);
    tensor_shape(tensor, &shape);
    for (int i = 1; i < order.ndim; i++)
        for (int j = i; j > 0 && small_value(order.stride[j - 1]) < small_value(order.stride[j]);
             j--) {
            swap_dims(&order, j - 1, j);
            swap_dims(&shape, j - 1, j);
        }
    return tensor_view(tensor, &shape);
}

// Memory for the numbers of a tensor, in double or float: filled in order, then stored.
typedef struct Fill {
    Tensor *tensor;
    Value view;  // of the tensor, in the order in which it is filled; owned
    Value dense; // the numbers; owned
    int64_t n;
    float *single; // one of the two is NULL
    double *twice;
    Generator *generator;
} Fill;

// float64 tensors and integers are filled with doubles, all others with floats. Takes the view.
static bool fill_view(Fill *fill, const OpCall *call, Tensor *tensor, Value view)
{
    *fill = (Fill){
        .tensor = tensor, .view = view, .n = tensor->numel, .generator = random_of_call(call)};
    if (!view || !fill->generator) {
        drop(view);
        return false;
    }
    Dtype computed = dtype_computed(tensor_dtype(tensor));
    Dtype dtype = computed == DTYPE_float32 ? DTYPE_float32 : DTYPE_float64;
    const Tensor *seen = as_tensor(view);
    fill->dense = tensor_is(seen, TENSOR_CONTIGUOUS) && tensor_dtype(seen) == dtype
                      ? retain(view)
                      : tensor_new(dtype, seen->ndim, tensor_sizes(seen));
    if (!fill->dense) {
        drop(view);
        return false;
    }
    void *data = tensor_elements(fill->dense);
    if (dtype == DTYPE_float32)
        fill->single = data;
    else
        fill->twice = data;
    return true;
}

// The draws of the generator go to the elements in the order of memory.
static bool fill_open(Fill *fill, const OpCall *call, Tensor *tensor)
{
    return fill_view(fill, call, tensor, in_order_of(tensor, tensor));
}

// The numbers of the vendor library's stream go to the elements in the order of their indices.
static bool fill_open_stream(Fill *fill, const OpCall *call, Tensor *tensor)
{
    return fill_view(fill, call, tensor, retain(ref_of(tensor)));
}

static bool fill_close(Fill *fill)
{
    bool done =
        fill->dense == fill->view || iterate_copy(as_tensor(fill->view), as_tensor(fill->dense));
    drop(fill->dense);
    drop(fill->view);
    return done;
}

static void put(Fill *fill, int64_t i, double number)
{
    if (fill->single)
        fill->single[i] = (float)number;
    else
        fill->twice[i] = number;
}

// ---- uniform

#define DRAWS 256 // at once

// Floats in [0, 1) of as many bits as the dtype has.
static void short_uniforms(Generator *generator, Dtype dtype, int64_t n, float *to)
{
    uint32_t words[DRAWS], mask = ((uint32_t)1 << random_digits(dtype)) - 1;
    const float scale = 1 / (float)(mask + 1); // a power of 2
    for (int64_t i = 0, count; i < n; i += count) {
        count = n - i < DRAWS ? n - i : DRAWS;
        random_draws(generator, count, words);
        for (int64_t j = 0; j < count; j++) to[i + j] = (float)(int32_t)(words[j] & mask) * scale;
    }
}

static void uniform_floats(Generator *generator, int64_t n, float *to)
{
    short_uniforms(generator, DTYPE_float32, n, to);
}

static void uniform_doubles(Generator *generator, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = random_double(generator);
}

// PyTorch's own build multiplies and adds with one rounding: the weights of layers depend on it.
static void fill_uniform(Fill *fill, double from, double to)
{
    Dtype dtype = tensor_dtype(fill->tensor);
    float low = float_as_stored((float)from, dtype);
    float range = float_as_stored(float_as_stored((float)to, dtype) - low, dtype);
    float *single = fill->single;
    double *twice = fill->twice;
    if (single) short_uniforms(fill->generator, dtype, fill->n, single);
    if (twice) uniform_doubles(fill->generator, fill->n, twice);
    for (int64_t i = 0; single && i < fill->n; i++) single[i] = m_fma_float(single[i], range, low);
    for (int64_t i = 0; twice && i < fill->n; i++)
        twice[i] = m_fma_double(twice[i], to - from, from);
}

static bool uniform(const OpCall *call, Tensor *tensor, double from, double to)
{
    Fill fill;
    if (!fill_open(&fill, call, tensor)) return false;
    fill_uniform(&fill, from, to);
    return fill_close(&fill);
}

bool KERNEL(kernel_rand)(OpCall *call)
{
    return uniform(call, call->results[0].tensor, 0, 1);
}

bool KERNEL(kernel_uniform)(OpCall *call)
{
    double from, to;
    return call_double(call, 1, &from) && call_double(call, 2, &to) &&
           uniform(call, call_tensor(call, 0), from, to);
}

// ---- normal

// 16 uniform numbers become 16 normal ones, in pairs of j and j + 8.
#define NORMALS(name, type)                                                                        \
    static void normal_16_##name(type *data, type mean, type deviation)                            \
    {                                                                                              \
        for (int j = 0; j < 8; j++) {                                                              \
            type u = 1 - data[j], angle = (type)(2 * 3.14159265358979323846) * data[j + 8];        \
            type radius = m_sqrt(-2 * m_log(u));                                                   \
            data[j] = m_fma_##type(radius * m_cos(angle), deviation, mean);                        \
            data[j + 8] = m_fma_##type(radius * m_sin(angle), deviation, mean);                    \
        }                                                                                          \
    }                                                                                              \
    static void normal_##name(type *data, int64_t n, Generator *generator, type mean,              \
                              type deviation)                                                      \
    {                                                                                              \
        uniform_##name##s(generator, n, data);                                                     \
        for (int64_t i = 0; i + 16 <= n; i += 16) normal_16_##name(data + i, mean, deviation);     \
        if (n % 16 == 0) return;                                                                   \
        data += n - 16;                                                                            \
        uniform_##name##s(generator, 16, data);                                                    \
        normal_16_##name(data, mean, deviation);                                                   \
    }
NORMALS(float, float)
NORMALS(double, double)

// float16 and bfloat16: every step is rounded to the dtype, the angle alone is a double. (Releases
// of PyTorch after 2.5.1 draw floats for them: other numbers.)
static void normal_16_short(float *data, Dtype dtype, float mean, float deviation)
{
    for (int j = 0; j < 8; j++) {
        float angle =
            float_as_stored((float)(2 * 3.14159265358979323846 * (double)data[j + 8]), dtype);
        float log = float_as_stored(m_log(float_as_stored(1 - data[j], dtype)), dtype);
        float radius = float_as_stored(m_sqrt(float_as_stored(-2 * log, dtype)), dtype);
        const float parts[] = {m_cos(angle), m_sin(angle)};
        for (int i = 0; i < 2; i++) {
            float part = float_as_stored(radius * float_as_stored(parts[i], dtype), dtype);
            float wide = float_as_stored(part * deviation, dtype);
            data[j + 8 * i] = float_as_stored(wide + mean, dtype);
        }
    }
}

static void normal_short(float *data, int64_t n, Generator *generator, Dtype dtype, double mean,
                         double deviation)
{
    float centre = float_as_stored((float)mean, dtype);
    float spread = float_as_stored((float)deviation, dtype);
    short_uniforms(generator, dtype, n, data);
    for (int64_t i = 0; i + 16 <= n; i += 16) normal_16_short(data + i, dtype, centre, spread);
    if (n % 16 == 0) return;
    data += n - 16;
    short_uniforms(generator, dtype, 16, data);
    normal_16_short(data, dtype, centre, spread);
}

static void fill_normal(Fill *fill, double mean, double deviation)
{
    Dtype dtype = tensor_dtype(fill->tensor);
    if (fill->n < 16 || !tensor_is(fill->tensor, TENSOR_CONTIGUOUS))
        for (int64_t i = 0; i < fill->n; i++)
            put(fill, i, random_normal(fill->generator) * deviation + mean);
    else if (dtype == DTYPE_float16 || dtype == DTYPE_bfloat16)
        normal_short(fill->single, fill->n, fill->generator, dtype, mean, deviation);
    else if (fill->single)
        normal_float(fill->single, fill->n, fill->generator, (float)mean, (float)deviation);
    else
        normal_double(fill->twice, fill->n, fill->generator, mean, deviation);
}

static bool normal(const OpCall *call, Tensor *tensor, double mean, double deviation)
{
    Fill fill;
    if (!fill_open(&fill, call, tensor)) return false;
    fill_normal(&fill, mean, deviation);
    return fill_close(&fill);
}

bool KERNEL(kernel_randn)(OpCall *call)
{
    return normal(call, call->results[0].tensor, 0, 1);
}

bool KERNEL(kernel_normal)(OpCall *call)
{
    double mean, deviation;
    return call_double(call, 1, &mean) && call_double(call, 2, &deviation) &&
           normal(call, call_tensor(call, 0), mean, deviation);
}

// ---- other distributions: a function of the generator and two numbers

typedef double (*Draw)(Generator *generator, double a, double b);

static bool draw_all(OpCall *call, Draw draw, double a, double b)
{
    Fill fill;
    if (!fill_open(&fill, call, call_tensor(call, 0))) return false;
    for (int64_t i = 0; i < fill.n; i++) put(&fill, i, draw(fill.generator, a, b));
    return fill_close(&fill);
}

static double draw_log_normal(Generator *generator, double mean, double deviation)
{
    return m_exp(random_normal(generator) * deviation + mean);
}

static double draw_cauchy(Generator *generator, double median, double sigma)
{
    double angle = 3.14159265358979323846 * (random_double(generator) - 0.5);
    return median + sigma * (m_sin(angle) / m_cos(angle));
}

static double draw_geometric(Generator *generator, double p, double unused)
{
    (void)unused;
    return ceil(m_log(random_double(generator)) / m_log1p(-p));
}

bool KERNEL(kernel_log_normal)(OpCall *call)
{
    double mean, deviation;
    return call_double(call, 1, &mean) && call_double(call, 2, &deviation) &&
           draw_all(call, draw_log_normal, mean, deviation);
}

bool KERNEL(kernel_cauchy)(OpCall *call)
{
    double median, sigma;
    return call_double(call, 1, &median) && call_double(call, 2, &sigma) &&
           draw_all(call, draw_cauchy, median, sigma);
}

bool KERNEL(kernel_geometric)(OpCall *call)
{
    double p;
    return call_double(call, 1, &p) && draw_all(call, draw_geometric, p, 0);
}

// ---- the vendor library's stream

#define STREAM_MODULUS 2147483647u
#define STREAM_FACTOR 1132489760u

static uint32_t stream_begin(Generator *generator)
{
    uint32_t x = random_draw(generator) % STREAM_MODULUS;
    return x ? x : 1;
}

// The product modulo 2^31 - 1, of smaller numbers: there 2^31 counts as 1.
static uint32_t stream_product(uint32_t x, uint32_t y)
{
    uint64_t product = (uint64_t)x * y;
    uint32_t sum = (uint32_t)(product & STREAM_MODULUS) + (uint32_t)(product >> 31);
    uint32_t less = sum - STREAM_MODULUS; // huge where sum is below the modulus
    return less < sum ? less : sum;
}

static uint32_t stream_next(uint32_t x)
{
    return stream_product(x, STREAM_FACTOR);
}

#define LANES 32 // numbers of the stream that are worked on at a time, as vectors

// The first numbers of the stream, and what leads from each of them over all lanes. A fill of
// nothing does not come here: it takes no draw.
static uint32_t begin_lanes(Fill *fill, uint32_t *lanes)
{
    uint32_t leap = 1;
    uint32_t x = stream_begin(fill->generator);
    for (int i = 0; i < LANES; i++, x = stream_next(x)) {
        lanes[i] = x;
        leap = stream_product(leap, STREAM_FACTOR);
    }
    return leap;
}

// What the lanes have become, from element i on.
static void put_lanes(Fill *fill, int64_t i, const float *single, const double *twice)
{
    size_t left = (size_t)(fill->n - i), count = left < LANES ? left : LANES;
    if (fill->single)
        memcpy(fill->single + i, single, count * sizeof *single);
    else
        memcpy(fill->twice + i, twice, count * sizeof *twice);
}

// How many numbers of the stream are below p, as parts of the modulus. (p times the modulus is
// rounded: it may be one beside.)
static uint32_t numbers_below(double p)
{
    uint32_t count = (uint32_t)(p * STREAM_MODULUS);
    while (count && (double)(count - 1) / STREAM_MODULUS >= p) count--;
    while (count < STREAM_MODULUS && (double)count / STREAM_MODULUS < p) count++;
    return count;
}

static void fill_bernoulli(Fill *fill, double p)
{
    if (!fill->n) return;
    uint32_t lanes[LANES], leap = begin_lanes(fill, lanes), limit = numbers_below(p);
    float single[LANES];
    double twice[LANES];
    for (int64_t i = 0; i < fill->n; i += LANES) {
        for (int j = 0; j < LANES; j++) // 1 below the limit: the sign of the difference
            single[j] = (float)(int32_t)((lanes[j] - limit) >> 31);
        for (int j = 0; j < LANES; j++) twice[j] = (double)single[j];
        for (int j = 0; j < LANES; j++) lanes[j] = stream_product(lanes[j], leap);
        put_lanes(fill, i, single, twice);
    }
}

static bool bernoulli(OpCall *call, Tensor *tensor)
{
    Fill fill;
    double p;
    if (!call_double(call, 1, &p) || !fill_open_stream(&fill, call, tensor)) return false;
    fill_bernoulli(&fill, p);
    return fill_close(&fill);
}

bool KERNEL(kernel_bernoulli_fill)(OpCall *call)
{
    return bernoulli(call, call_tensor(call, 0));
}

bool KERNEL(kernel_bernoulli_like)(OpCall *call)
{
    return bernoulli(call, call->results[0].tensor);
}

// m_log_double() of a number of the stream, which is none of those that this takes care of.
static inline double log_inside(double u)
{
    uint64_t bits = m_bits_of_double(u) + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD);
    double m = m_double_from((bits & 0xFFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD);
    return m_log_join_double(m - 1, (double)((int32_t)(bits >> 52) - 1023), 0);
}

// Doubles are computed in double, and the stream begins with the lower half of 64 bits; all others
// are computed in float. The smallest number is added because none may be zero.
static void fill_exponential(Fill *fill, double scale)
{
    if (!fill->n) return;
    if (fill->twice) random_draw(fill->generator);
    uint32_t lanes[LANES], leap = begin_lanes(fill, lanes);
    double drawn[LANES];
    float single[LANES];
    for (int64_t i = 0; i < fill->n; i += LANES) {
        for (int j = 0; j < LANES; j++) drawn[j] = (double)(int32_t)lanes[j] / STREAM_MODULUS;
        for (int j = 0; j < LANES && fill->single; j++) drawn[j] = (double)(float)drawn[j];
        for (int j = 0; j < LANES; j++) drawn[j] = -log_inside(drawn[j]);
        for (int j = 0; j < LANES; j++) lanes[j] = stream_product(lanes[j], leap);
        for (int j = 0; j < LANES; j++) single[j] = (float)drawn[j] * (float)scale + FLT_MIN;
        for (int j = 0; j < LANES; j++) drawn[j] = drawn[j] * scale + DBL_MIN;
        put_lanes(fill, i, single, drawn);
    }
}

bool KERNEL(kernel_exponential)(OpCall *call)
{
    Fill fill;
    double rate;
    if (!call_double(call, 1, &rate) || !fill_open_stream(&fill, call, call_tensor(call, 0)))
        return false;
    fill_exponential(&fill, 1 / rate);
    return fill_close(&fill);
}

// ---- bernoulli with a probability for each element

// The probabilities, expanded to the tensor and in the order of its memory: owned.
static Value probabilities(const Fill *fill, Tensor *p, Dtype dtype)
{
    Value sizes = tuple_from_array(lend(fill->tensor->dims), fill->tensor->ndim);
    ValueRef arguments[] = {ref_of(p), sizes};
    Value wide = sizes ? op_apply(OP_expand_, false, arguments, 2) : VALUE_ERROR;
    Value view = wide ? in_order_of(fill->tensor, as_tensor(wide)) : VALUE_ERROR;
    Value chances = view ? tensor_dense(as_tensor(view), dtype) : VALUE_ERROR;
    drop(view);
    drop(wide);
    drop(sizes);
    return chances;
}

static bool draw_bernoulli(OpCall *call, Tensor *tensor, Tensor *p)
{
    Fill fill;
    Dtype dtype = tensor_dtype(p) == DTYPE_float64 ? DTYPE_float64 : DTYPE_float32;
    if (!dtype_is_floating(tensor_dtype(p)))
        return raise_error(RuntimeError, "\"bernoulli_tensor_cpu_p_\" not implemented for '%s'",
                           dtype_table[p->dtype].scalar);
    if (!fill_open(&fill, call, tensor)) return false;
    Value chances = probabilities(&fill, p, dtype);
    const float *single = chances ? tensor_elements(chances) : NULL;
    const double *twice = chances ? tensor_elements(chances) : NULL;
    bool done = chances != VALUE_ERROR;
    for (int64_t i = 0; done && i < fill.n; i++) {
        double chance = dtype == DTYPE_float64 ? twice[i] : (double)single[i];
        done = chance >= 0 && chance <= 1;
        if (!done)
            raise_error(RuntimeError,
                        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this "
                        "error message be improved?  If so, please report an enhancement request "
                        "to PyTorch.)");
        else if (dtype == DTYPE_float64)
            put(&fill, i, random_double(fill.generator) < chance);
        else
            put(&fill, i, random_float(fill.generator) < single[i]);
    }
    drop(chances);
    return fill_close(&fill) && done;
}

bool KERNEL(kernel_bernoulli)(OpCall *call)
{
    return draw_bernoulli(call, call->results[0].tensor, call_tensor(call, 0));
}

bool KERNEL(kernel_bernoulli_tensor)(OpCall *call)
{
    return draw_bernoulli(call, call_tensor(call, 0), call_tensor(call, 1));
}

// ---- integers

static void draw_wide(Generator *generator, const RandomRange *range, int64_t n, uint64_t *to)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = random_draw64(generator);
        to[i] = (range->count ? x % range->count : x) + (uint64_t)range->from;
    }
}

// Numbers of 32 bits, of which each is drawn where more could be.
static void draw_short(Generator *generator, const RandomRange *range, int64_t n, uint64_t *to)
{
    uint32_t words[DRAWS], divisor = range->count > UINT32_MAX ? 0 : (uint32_t)range->count;
    for (int64_t i = 0, count; i < n; i += count) {
        count = n - i < DRAWS ? n - i : DRAWS;
        random_draws(generator, count, words);
        for (int64_t j = 0; j < count; j++)
            to[i + j] = (divisor ? words[j] % divisor : words[j]) + (uint64_t)range->from;
    }
}

static bool integers(const OpCall *call, Tensor *tensor, const RandomRange *range)
{
    Generator *generator = random_of_call(call);
    Value view = generator ? in_order_of(tensor, tensor) : VALUE_ERROR;
    Value dense =
        view ? tensor_new(DTYPE_int64, as_tensor(view)->ndim, tensor_sizes(as_tensor(view)))
             : VALUE_ERROR;
    uint64_t *data = dense ? tensor_elements(dense) : NULL;
    if (data) (range->wide ? draw_wide : draw_short)(generator, range, tensor->numel, data);
    bool done = dense && iterate_copy(as_tensor(view), as_tensor(dense));
    drop(view);
    drop(dense);
    return done;
}

// The number of integers that Tensor.random_ draws from for a dtype: all that are not negative, or
// all that a float can count.
static uint64_t whole_range(Dtype dtype)
{
    if (random_digits(dtype)) return ((uint64_t)1 << random_digits(dtype)) + 1;
    if (dtype == DTYPE_bool) return 2;
    if (dtype == DTYPE_uint8) return 256;
    return (uint64_t)1 << (8 * dtype_size(dtype) - 1);
}

bool KERNEL(kernel_random_all)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0);
    RandomRange range = {.count = whole_range(tensor_dtype(self))};
    range.wide = range.count > UINT32_MAX;
    return integers(call, self, &range);
}

bool KERNEL(kernel_random_in)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0);
    RandomRange range = {0};
    int last = call_param(call, "to");
    if (last == 2 && !call_int(call, 1, &range.from)) return false;
    range.endless = !call_has(call, last);
    if (!range.endless && !call_int(call, last, &range.to)) return false;
    return random_range_check(call, &range, tensor_dtype(self)) && integers(call, self, &range);
}

bool KERNEL(kernel_randint)(OpCall *call)
{
    RandomRange range = {0};
    Tensor *result = call->results[0].tensor;
    int first = tensor_check(call->slots[0]) ? 1 : 0;
    bool has_low = call_param(call, "low") >= 0;
    if (has_low && !call_int(call, first, &range.from)) return false;
    if (!call_int(call, first + has_low, &range.to)) return false;
    if (range.from >= range.to)
        return raise_error(RuntimeError,
                           "random_ expects 'from' to be less than 'to', but got from=%lld >= "
                           "to=%lld",
                           (long long)range.from, (long long)range.to);
    return random_range_check(call, &range, tensor_dtype(result)) && integers(call, result, &range);
}

bool KERNEL(kernel_randperm)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    Generator *generator = random_of_call(call);
    int64_t n = result->numel;
    Value numbers = generator ? tensor_new(DTYPE_int64, 1, tensor_sizes(result)) : VALUE_ERROR;
    if (!numbers) return false;
    int64_t *data = tensor_elements(numbers);
    for (int64_t i = 0; i < n; i++) data[i] = i;
    for (int64_t i = 0; i < n - 1; i++) {
        int64_t other = i + (int64_t)(random_draw(generator) % (uint64_t)(n - i)), kept = data[i];
        data[i] = data[other];
        data[other] = kept;
    }
    bool done = iterate_copy(result, as_tensor(numbers));
    drop(numbers);
    return done;
}
