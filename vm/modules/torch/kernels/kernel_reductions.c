// Kernels of sums and of what is made of sums: mean, product, variance, norm, count, any, all.
#include "objects/error.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/cascade.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/ordered.h"
#include "vm/modules/torch/kernels/reduction.h"
#include "vm/modules/torch/kernels/scalar_math.h"
#include "vm/modules/torch/kernels/sums.h"
#include "vm/modules/torch/rules/rule_build.h"

// ---- the loops. Integers wrap round; a NaN stays.

#define INFINITE __builtin_inff()
#define LARGER(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define SMALLER(a, b) ((b) < (a) || (b) != (b) ? (b) : (a))

FOLD(sum_int64, uint64_t, 0, a + b, a + b)
FOLD(sum_int32, uint32_t, 0, a + b, a + b)
FOLD(sum_bool, uint8_t, 0, a | b, a | b)
FOLD(product_int64, uint64_t, 1, a *b, a *b)
FOLD(product_int32, uint32_t, 1, a *b, a *b)
FOLD(product_bool, uint8_t, 1, a &b, a &b)
FOLD(nonzeros_float32, float, 0, a + (b != 0), a + b)
FOLD(nonzeros_float64, double, 0, a + (b != 0), a + b)
FOLD(largest_float32, float, 0, LARGER(a, m_abs(b)), LARGER(a, b))
FOLD(largest_float64, double, 0, LARGER(a, m_abs(b)), LARGER(a, b))
FOLD(smallest_float32, float, INFINITE, SMALLER(a, m_abs(b)), SMALLER(a, b))
FOLD(smallest_float64, double, INFINITE, SMALLER(a, m_abs(b)), SMALLER(a, b))
FOLD_ROWS(tops_float32, float, -INFINITE, LARGER(a, b), LARGER(a, b))
FOLD_ROWS(tops_float64, double, -INFINITE, LARGER(a, b), LARGER(a, b))
FOLD_ROWS(exps_float32, float, 0, a + m_exp(b - s), a + b)
FOLD_ROWS(exps_float64, double, 0, a + m_exp(b - s), a + b)

// What cascade.h adds: a number or a vector of 32 bytes as it is, or with 0 for a NaN.
#define ADDS(name, kind, type, bits, mask)                                                         \
    static inline void add_##name(kind *to, const type *x)                                         \
    {                                                                                              \
        kind a;                                                                                    \
        memcpy(&a, x, sizeof a);                                                                   \
        *to += a;                                                                                  \
    }                                                                                              \
    static inline void add_number_##name(kind *to, const type *x)                                  \
    {                                                                                              \
        kind a;                                                                                    \
        bits word;                                                                                 \
        memcpy(&a, x, sizeof a);                                                                   \
        memcpy(&word, x, sizeof a);                                                                \
        word &= mask;                                                                              \
        memcpy(&a, &word, sizeof a);                                                               \
        *to += a;                                                                                  \
    }
typedef float Floats __attribute__((vector_size(32)));
typedef double Doubles __attribute__((vector_size(32)));
typedef int32_t FloatBits __attribute__((vector_size(32)));
typedef int64_t DoubleBits __attribute__((vector_size(32)));
ADDS(float, float, float, int32_t, -(a == a))
ADDS(floats, Floats, float, FloatBits, (a == a))
ADDS(double, double, double, int64_t, -(int64_t)(a == a))
ADDS(doubles, Doubles, double, DoubleBits, (a == a))
CASCADE(sum_float32, float, Floats, add_float, add_floats)
CASCADE(sum_float64, double, Doubles, add_double, add_doubles)
CASCADE(nansum_float32, float, Floats, add_number_float, add_number_floats)
CASCADE(nansum_float64, double, Doubles, add_number_double, add_number_doubles)
PRODUCTS(product_float32, float)
PRODUCTS(product_float64, double)
NORMS(float32, float, Floats)
NORMS(float64, double, Doubles)

typedef void (*Fold)(const Reduction *reduction, double number);

// Of int64, int32 and bool.
static Fold whole_fold(Dtype computed, const Fold *folds)
{
    return folds[computed == DTYPE_int64 ? 0 : computed == DTYPE_int32 ? 1 : 2];
}

// ---- sum, prod, mean

static bool fold(OpCall *call, Fold all, Dtype computed)
{
    Reduction reduction;
    uint64_t dims;
    if (!reduce_dims(call, &dims) || !reduction_open(&reduction, call, dims, computed, true))
        return false;
    all(&reduction, 0);
    return reduction_close(&reduction, call, 0);
}

typedef void (*Planes)(const SumPlan *plan, const void *data, void *results, double number);

static void fill(Tensor *dense, double start)
{
    for (int64_t i = 0; i < dense->numel; i++)
        if (tensor_dtype(dense) == DTYPE_float32)
            ((float *)(void *)tensor_data(dense))[i] = (float)start;
        else
            ((double *)(void *)tensor_data(dense))[i] = start;
}

// What the terms along `dims` come to, as a dense tensor of the dtype `computed`, which floats are
// added up in: owned. `planes` has one function for float32 and one for float64.
static Value in_order(const OpCall *call, Tensor *self, uint64_t dims, Dtype computed,
                      const Planes *planes, double start, double number)
{
    SumPlan plan;
    const Tensor *result = call->results[0].tensor;
    Value sums = tensor_new(computed, result->ndim, tensor_sizes(result));
    Value input =
        tensor_dtype(self) == computed ? retain(ref_of(self)) : tensor_dense(self, computed);
    if (sums && input) {
        const Tensor *terms = as_tensor(input);
        fill(as_tensor(sums), start);
        KERNEL(sum_plan)(&plan, terms, dims);
        if (terms->numel)
            planes[computed == DTYPE_float64](&plan, tensor_data(terms), tensor_elements(sums),
                                              number);
    }
    bool failed = !input;
    drop(input);
    if (failed) drop(sums);
    return failed ? VALUE_ERROR : sums;
}

static const Planes sums[] = {sum_float32_planes, sum_float64_planes};
static const Planes nansums[] = {nansum_float32_planes, nansum_float64_planes};
static const Planes products[] = {product_float32_planes, product_float64_planes};

// How many terms there are to a sum.
static int64_t terms_of(const Tensor *self, uint64_t dims)
{
    int64_t terms = 1;
    for (int i = 0; i < self->ndim; i++)
        if (dims >> i & 1) terms *= tensor_size(self, i);
    return terms;
}

static void divide_all(Tensor *dense, double divisor)
{
    float *single = (void *)tensor_data(dense), by = (float)divisor;
    double *twice = (void *)tensor_data(dense);
    if (tensor_dtype(dense) == DTYPE_float32)
        for (int64_t i = 0; i < dense->numel; i++) single[i] /= by;
    else
        for (int64_t i = 0; i < dense->numel; i++) twice[i] /= divisor;
}

// Stores what has been found, which it takes.
static bool store(OpCall *call, Value found)
{
    bool done = found && iterate_copy(call->results[0].tensor, as_tensor(found));
    drop(found);
    return done;
}

bool KERNEL(kernel_prod)(OpCall *call)
{
    static const Fold whole[] = {product_int64_all, product_int32_all, product_bool_all};
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!dtype_is_floating(computed)) return fold(call, whole_fold(computed, whole), computed);
    return reduce_dims(call, &dims) &&
           store(call, in_order(call, as_tensor(call->slots[0]), dims, computed, products, 1, 0));
}

static bool sum_up(OpCall *call, const Planes *planes, bool mean)
{
    static const Fold whole[] = {sum_int64_all, sum_int32_all, sum_bool_all};
    uint64_t dims;
    Tensor *self = as_tensor(call->slots[0]), *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    if (!dtype_is_floating(computed)) return fold(call, whole_fold(computed, whole), computed);
    if (!reduce_dims(call, &dims)) return false;
    Value total = in_order(call, self, dims, computed, planes, 0, 0);
    if (total && mean) divide_all(as_tensor(total), (double)terms_of(self, dims));
    return store(call, total);
}

bool KERNEL(kernel_sum)(OpCall *call)
{
    return sum_up(call, sums, false);
}

bool KERNEL(kernel_nansum)(OpCall *call)
{
    return sum_up(call, nansums, false);
}

bool KERNEL(kernel_mean)(OpCall *call)
{
    return sum_up(call, sums, true);
}

// ---- count_nonzero, all, any: over bools

bool KERNEL(kernel_count_nonzero)(OpCall *call)
{
    Reduction reduction;
    uint64_t dims;
    if (!reduce_dims(call, &dims) ||
        !reduction_read(&reduction, call_tensor(call, 0), dims, DTYPE_bool, false))
        return false;
    const uint8_t *flags = reduction.data;
    int64_t *out = (void *)tensor_data(call->results[0].tensor);
    for (int64_t row = 0; row < reduction.rows; row++, flags += reduction.n) {
        int64_t count = 0;
        for (int64_t i = 0; i < reduction.n; i++) count += flags[i];
        out[row] = count;
    }
    drop(reduction.input);
    return true;
}

static bool fold_flags(OpCall *call, Fold all)
{
    Reduction reduction;
    uint64_t dims;
    if (!reduce_dims(call, &dims) || !reduction_open(&reduction, call, dims, DTYPE_bool, true))
        return false;
    all(&reduction, 0);
    return reduction_close(&reduction, call, 0);
}

bool KERNEL(kernel_all)(OpCall *call)
{
    return fold_flags(call, product_bool_all);
}

bool KERNEL(kernel_any)(OpCall *call)
{
    return fold_flags(call, sum_bool_all);
}

// ---- variance, in double
//
// One variance of a whole tensor: the mean as mean() gives it, then the squares of the distances
// from it. Others: mean and squares of float64 grow together, element by element (Welford), which
// shows in the last digits; float32 shows none of the way that its doubles took.
// (PyTorch: ATen/native/ReduceOps.cpp:std_var_all_cpu, ATen/native/SharedReduceOps.h:WelfordOps)

typedef struct Moments {
    double correction;
    bool root;
    const double *mean; // of the whole tensor, or NULL
} Moments;

#define MOMENT_LANES 8
#define ADD_UP(total, x, n, term)                                                                  \
    double lanes[MOMENT_LANES] = {0}, total = 0;                                                   \
    int64_t at = 0;                                                                                \
    for (; at + MOMENT_LANES <= n; at += MOMENT_LANES)                                             \
        for (int j = 0; j < MOMENT_LANES; j++) {                                                   \
            double a = (double)x[at + j];                                                          \
            lanes[j] += term;                                                                      \
        }                                                                                          \
    for (; at < n; at++) {                                                                         \
        double a = (double)x[at];                                                                  \
        total += term;                                                                             \
    }                                                                                              \
    for (int j = 0; j < MOMENT_LANES; j++) total += lanes[j];

static double sum_of_row(const float *x, int64_t n)
{
    ADD_UP(total, x, n, a)
    return total;
}

static double squares_float32(const float *x, int64_t n, double mean)
{
    ADD_UP(total, x, n, (a - mean) * (a - mean))
    return total;
}

static double squares_float64(const double *x, int64_t n, double mean)
{
    double total = 0;
    for (int64_t i = 0; i < n; i++) total += (x[i] - mean) * (x[i] - mean);
    return total;
}

// The means and the squares of up to MOMENT_LANES rows.
static void moments_float32(const float *x, int64_t n, int count, double *means, double *squares)
{
    for (int j = 0; j < count; j++, x += n) {
        means[j] = sum_of_row(x, n) / (double)n;
        squares[j] = squares_float32(x, n, means[j]);
    }
}

static void moments_float64(const double *x, int64_t n, int count, double *means, double *squares)
{
    for (int j = 0; j < count; j++) means[j] = squares[j] = n ? 0 : NAN;
    for (int64_t i = 0; i < n; i++) // the rows side by side: each waits for its division
        for (int j = 0; j < count; j++) {
            double term = x[j * n + i], distance = term - means[j];
            means[j] += distance / (double)(i + 1);
            squares[j] += distance * (term - means[j]);
        }
}

#define MOMENTS(name, type)                                                                        \
    static void all_moments_##name(const Reduction *reduction, const Moments *moments, type *to)   \
    {                                                                                              \
        const type *x = reduction->data;                                                           \
        type *out = reduction->out;                                                                \
        int64_t n = reduction->n;                                                                  \
        double rest = (double)n - moments->correction, divisor = n > 0 && rest > 0 ? rest : 0;     \
        double means[MOMENT_LANES], squares[MOMENT_LANES];                                         \
        for (int64_t row = 0; row < reduction->rows; row += MOMENT_LANES) {                        \
            int64_t left = reduction->rows - row;                                                  \
            int count = left < MOMENT_LANES ? (int)left : MOMENT_LANES;                            \
            if (moments->mean)                                                                     \
                squares[0] = squares_##name(x, n, *moments->mean);                                 \
            else                                                                                   \
                moments_##name(x + row * n, n, count, means, squares);                             \
            for (int j = 0; j < count; j++) {                                                      \
                double variance = squares[j] / divisor;                                            \
                out[row + j] = (type)(moments->root ? sqrt(variance) : variance);                  \
                if (to) to[row + j] = (type)means[j];                                              \
            }                                                                                      \
        }                                                                                          \
    }
MOMENTS(float32, float)
MOMENTS(float64, double)

// The mean of all elements, where PyTorch begins with it.
static bool whole_mean(OpCall *call, uint64_t dims, double *mean, Moments *moments)
{
    Tensor *self = as_tensor(call->slots[0]), *result = call->results[0].tensor;
    Dtype dtype = tensor_dtype(result);
    bool wide = dtype == DTYPE_float32 || dtype == DTYPE_float64;
    moments->mean = NULL;
    if (result->numel != 1 || call->result_count > 1 || !wide) return true;
    Value total = in_order(call, self, dims, dtype, sums, 0, 0);
    if (!total) return false;
    divide_all(as_tensor(total), (double)self->numel);
    void *data = tensor_elements(total);
    *mean = dtype == DTYPE_float32 ? (double)*(float *)data : *(double *)data;
    moments->mean = mean;
    drop(total);
    return true;
}

static bool read_moments(const OpCall *call, Moments *moments, bool root)
{
    moments->root = root;
    moments->correction = 1;
    int index = call_param(call, "correction");
    return !call_has(call, index) || call_double(call, index, &moments->correction);
}

static bool warn_of_freedom(const OpCall *call, const Reduction *reduction, double correction)
{
    return (reduction->rows && (double)reduction->n > correction) ||
           call_warn(call,
                     "%s(): degrees of freedom is <= 0. Correction should be strictly less than "
                     "the reduction factor (input numel divided by output numel). (Triggered "
                     "internally at ../aten/src/ATen/native/ReduceOps.cpp:1823.)",
                     call->op->name);
}

// The means go to the second result, if there is one.
static bool find_moments(OpCall *call, bool root)
{
    Reduction reduction, second;
    Moments moments;
    double mean;
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!read_moments(call, &moments, root) || !reduce_dims(call, &dims) ||
        !whole_mean(call, dims, &mean, &moments) ||
        !reduction_open(&reduction, call, dims, computed, false))
        return false;
    second.input = second.output = VALUE_ERROR;
    second.out = NULL;
    bool two = call->result_count > 1;
    bool done = warn_of_freedom(call, &reduction, moments.correction) &&
                (!two || reduction_place(&second, call, 1, computed));
    if (done && computed == DTYPE_float32) all_moments_float32(&reduction, &moments, second.out);
    if (done && computed == DTYPE_float64) all_moments_float64(&reduction, &moments, second.out);
    if (done && two) done = reduction_close(&second, call, 1);
    return reduction_close(&reduction, call, 0) && done;
}

bool KERNEL(kernel_var)(OpCall *call)
{
    return find_moments(call, false);
}

bool KERNEL(kernel_std)(OpCall *call)
{
    return find_moments(call, true);
}

bool KERNEL(kernel_var_mean)(OpCall *call)
{
    return find_moments(call, false);
}

bool KERNEL(kernel_std_mean)(OpCall *call)
{
    return find_moments(call, true);
}

// ---- norms: what is added up, and what becomes of the sum

typedef enum NormKind {
    NORM_ZERO,
    NORM_ONE,
    NORM_TWO,
    NORM_LARGEST,
    NORM_SMALLEST,
    NORM_ANY
} NormKind;

static NormKind norm_kind(double order)
{
    if (order == 0) return NORM_ZERO;
    if (order == 1) return NORM_ONE;
    if (order == 2) return NORM_TWO;
    if (order - order == 0) return NORM_ANY;
    return order > 0 ? NORM_LARGEST : NORM_SMALLEST;
}

// Where the order of the terms does not show.
static const Fold norm_folds[][2] = {
    [NORM_ZERO] = {nonzeros_float32_all, nonzeros_float64_all},
    [NORM_LARGEST] = {largest_float32_all, largest_float64_all},
    [NORM_SMALLEST] = {smallest_float32_all, smallest_float64_all},
};
static const Planes norm_planes[][2] = {
    [NORM_ONE] = {absolutes_float32_planes, absolutes_float64_planes},
    [NORM_TWO] = {norm_squares_float32_planes, norm_squares_float64_planes},
    [NORM_ANY] = {powers_float32_planes, powers_float64_planes},
};

#define ROOTS(name, type)                                                                          \
    static void roots_##name(Tensor *dense, NormKind kind, double order)                           \
    {                                                                                              \
        type *out = (void *)tensor_data(dense), inverse = 1 / (type)order;                         \
        int64_t n = dense->numel;                                                                  \
        for (int64_t i = 0; kind == NORM_TWO && i < n; i++) out[i] = m_sqrt(out[i]);               \
        for (int64_t i = 0; kind == NORM_ANY && i < n; i++) out[i] = m_pow(out[i], inverse);       \
    }
ROOTS(float32, float)
ROOTS(float64, double)

bool KERNEL(kernel_norm)(OpCall *call)
{
    double order;
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    bool wide = computed == DTYPE_float64;
    if (!call_double(call, 1, &order) || !reduce_dims(call, &dims)) return false;
    NormKind kind = norm_kind(order);
    bool single = call_tensor(call, 0)->numel == call->results[0].tensor->numel;
    if (single && (kind == NORM_ANY || kind == NORM_TWO)) kind = NORM_ONE; // no power is rounded
    if (kind == NORM_ZERO || kind == NORM_LARGEST || kind == NORM_SMALLEST)
        return fold(call, norm_folds[kind][wide], computed);
    Value norms = in_order(call, call_tensor(call, 0), dims, computed, norm_planes[kind], 0, order);
    if (norms) (wide ? roots_float64 : roots_float32)(as_tensor(norms), kind, order);
    return store(call, norms);
}

// ---- logsumexp: the largest element is taken out first, so that no exponential overflows

#define LOG_SUMS(name, type)                                                                       \
    static void log_sums_##name(const Reduction *reduction)                                        \
    {                                                                                              \
        const type *x = reduction->data;                                                           \
        type *out = reduction->out;                                                                \
        for (int64_t row = 0; row < reduction->rows; row++, x += reduction->n) {                   \
            type top = tops_##name##_row(x, reduction->n, 0);                                      \
            if (top - top != 0 && top == top) top = 0;                                             \
            out[row] = m_log(exps_##name##_row(x, reduction->n, top)) + top;                       \
        }                                                                                          \
    }
LOG_SUMS(float32, float)
LOG_SUMS(float64, double)

bool KERNEL(kernel_logsumexp)(OpCall *call)
{
    Reduction reduction;
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!reduce_dims(call, &dims) || !reduction_open(&reduction, call, dims, computed, false))
        return false;
    if (computed == DTYPE_float32)
        log_sums_float32(&reduction);
    else
        log_sums_float64(&reduction);
    return reduction_close(&reduction, call, 0);
}
