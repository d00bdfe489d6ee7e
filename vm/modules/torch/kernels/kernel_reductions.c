// Kernels of sums and of what is made of sums: mean, product, variance, norm, count, any, all.
#include "objects/error.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/reduction.h"
#include "vm/modules/torch/kernels/scalar_math.h"
#include "vm/modules/torch/kernels/sums.h"
#include "vm/modules/torch/rules/rule_build.h"

// ---- the loops. Integers wrap round; a NaN stays.

#define INFINITE __builtin_inff()
#define LARGER(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define SMALLER(a, b) ((b) < (a) || (b) != (b) ? (b) : (a))

FOLD(sum_float32, float, 0, a + b, a + b)
FOLD(sum_float64, double, 0, a + b, a + b)
FOLD(sum_int64, uint64_t, 0, a + b, a + b)
FOLD(sum_int32, uint32_t, 0, a + b, a + b)
FOLD(sum_bool, uint8_t, 0, a | b, a | b)
FOLD(product_float32, float, 1, a *b, a *b)
FOLD(product_float64, double, 1, a *b, a *b)
FOLD(product_int64, uint64_t, 1, a *b, a *b)
FOLD(product_int32, uint32_t, 1, a *b, a *b)
FOLD(product_bool, uint8_t, 1, a &b, a &b)
FOLD(nansum_float32, float, 0, b != b ? a : a + b, a + b)
FOLD(nansum_float64, double, 0, b != b ? a : a + b, a + b)
FOLD(squares_float32, float, 0, a + b * b, a + b)
FOLD(squares_float64, double, 0, a + b * b, a + b)
FOLD(absolutes_float32, float, 0, a + m_abs(b), a + b)
FOLD(absolutes_float64, double, 0, a + m_abs(b), a + b)
FOLD(nonzeros_float32, float, 0, a + (b != 0), a + b)
FOLD(nonzeros_float64, double, 0, a + (b != 0), a + b)
FOLD(powers_float32, float, 0, a + m_pow(m_abs(b), s), a + b)
FOLD(powers_float64, double, 0, a + m_pow(m_abs(b), s), a + b)
FOLD(largest_float32, float, 0, LARGER(a, m_abs(b)), LARGER(a, b))
FOLD(largest_float64, double, 0, LARGER(a, m_abs(b)), LARGER(a, b))
FOLD(smallest_float32, float, INFINITE, SMALLER(a, m_abs(b)), SMALLER(a, b))
FOLD(smallest_float64, double, INFINITE, SMALLER(a, m_abs(b)), SMALLER(a, b))
FOLD_ROWS(tops_float32, float, -INFINITE, LARGER(a, b), LARGER(a, b))
FOLD_ROWS(tops_float64, double, -INFINITE, LARGER(a, b), LARGER(a, b))
FOLD_ROWS(exps_float32, float, 0, a + m_exp(b - s), a + b)
FOLD_ROWS(exps_float64, double, 0, a + m_exp(b - s), a + b)
FOLD_ROWS(deviations_float32, float, 0, a + (b - s) * (b - s), a + b)
FOLD_ROWS(deviations_float64, double, 0, a + (b - s) * (b - s), a + b)

typedef void (*Fold)(const Reduction *reduction, double number);

// A column for each dtype that is computed in.
#define FOLDS(name)                                                                                \
    static Fold name##_fold(Dtype computed)                                                        \
    {                                                                                              \
        switch (computed) {                                                                        \
        case DTYPE_float32: return name##_float32_all;                                             \
        case DTYPE_float64: return name##_float64_all;                                             \
        case DTYPE_int64: return name##_int64_all;                                                 \
        case DTYPE_int32: return name##_int32_all;                                                 \
        default: return name##_bool_all;                                                           \
        }                                                                                          \
    }
FOLDS(sum)
FOLDS(product)

static Fold real_fold(Dtype computed, Fold single, Fold twice)
{
    return computed == DTYPE_float64 ? twice : single;
}

// ---- sum, prod, mean

static bool fold(OpCall *call, Fold (*choose)(Dtype computed))
{
    Reduction reduction;
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!reduce_dims(call, &dims) || !reduction_open(&reduction, call, dims, computed, true))
        return false;
    choose(computed)(&reduction, 0);
    return reduction_close(&reduction, call, 0);
}

bool KERNEL(kernel_sum)(OpCall *call)
{
    return fold(call, sum_fold);
}

bool KERNEL(kernel_prod)(OpCall *call)
{
    return fold(call, product_fold);
}

static Fold nansum_fold(Dtype computed)
{
    if (!dtype_is_floating(computed)) return sum_fold(computed);
    return real_fold(computed, nansum_float32_all, nansum_float64_all);
}

bool KERNEL(kernel_nansum)(OpCall *call)
{
    return fold(call, nansum_fold);
}

static void divide_all(Reduction *reduction, double divisor)
{
    int64_t n = reduction->rows * reduction->width;
    float *single = reduction->out, by = (float)divisor;
    double *twice = reduction->out;
    if (reduction->computed == DTYPE_float32)
        for (int64_t i = 0; i < n; i++) single[i] /= by;
    else
        for (int64_t i = 0; i < n; i++) twice[i] /= divisor;
}

bool KERNEL(kernel_mean)(OpCall *call)
{
    Reduction reduction;
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!reduce_dims(call, &dims) || !reduction_open(&reduction, call, dims, computed, true))
        return false;
    sum_fold(computed)(&reduction, 0);
    divide_all(&reduction, (double)reduction.n);
    return reduction_close(&reduction, call, 0);
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

// ---- variance: the mean first, then the squares of the distances from it

typedef struct Moments {
    double correction;
    bool root;
} Moments;

#define MOMENTS(name, type)                                                                        \
    static void moments_##name(const Reduction *reduction, const Moments *moments, type *means)    \
    {                                                                                              \
        const type *x = reduction->data;                                                           \
        type *out = reduction->out;                                                                \
        int64_t n = reduction->n;                                                                  \
        double rest = (double)n - moments->correction;                                             \
        type divisor = n > 0 && rest > 0 ? (type)rest : 0;                                         \
        for (int64_t row = 0; row < reduction->rows; row++, x += n) {                              \
            type mean = sum_##name##_row(x, n, 0) / (type)n;                                       \
            type variance = deviations_##name##_row(x, n, mean) / divisor;                         \
            out[row] = moments->root ? m_sqrt(variance) : variance;                                \
            if (means) means[row] = mean;                                                          \
        }                                                                                          \
    }
MOMENTS(float32, float)
MOMENTS(float64, double)

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
           warn(UserWarning, call_warning_level(),
                "%s(): degrees of freedom is <= 0. Correction should be strictly less than the "
                "reduction factor (input numel divided by output numel). (Triggered internally at "
                "../aten/src/ATen/native/ReduceOps.cpp:1823.)",
                call->op->name);
}

// The means go to the second result, if there is one.
static bool find_moments(OpCall *call, bool root)
{
    Reduction reduction, second;
    Moments moments;
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!read_moments(call, &moments, root) || !reduce_dims(call, &dims) ||
        !reduction_open(&reduction, call, dims, computed, false))
        return false;
    second.input = second.output = VALUE_ERROR;
    second.out = NULL;
    bool two = call->result_count > 1;
    bool done = warn_of_freedom(call, &reduction, moments.correction) &&
                (!two || reduction_place(&second, call, 1, computed));
    if (done && computed == DTYPE_float32) moments_float32(&reduction, &moments, second.out);
    if (done && computed == DTYPE_float64) moments_float64(&reduction, &moments, second.out);
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

static const Fold norm_folds[][2] = {
    [NORM_ZERO] = {nonzeros_float32_all, nonzeros_float64_all},
    [NORM_ONE] = {absolutes_float32_all, absolutes_float64_all},
    [NORM_TWO] = {squares_float32_all, squares_float64_all},
    [NORM_LARGEST] = {largest_float32_all, largest_float64_all},
    [NORM_SMALLEST] = {smallest_float32_all, smallest_float64_all},
    [NORM_ANY] = {powers_float32_all, powers_float64_all},
};

#define ROOTS(name, type)                                                                          \
    static void roots_##name(const Reduction *reduction, NormKind kind, type inverse)              \
    {                                                                                              \
        type *out = reduction->out;                                                                \
        int64_t n = reduction->rows * reduction->width;                                            \
        for (int64_t i = 0; kind == NORM_TWO && i < n; i++) out[i] = m_sqrt(out[i]);               \
        for (int64_t i = 0; kind == NORM_ANY && i < n; i++) out[i] = m_pow(out[i], inverse);       \
    }
ROOTS(float32, float)
ROOTS(float64, double)

bool KERNEL(kernel_norm)(OpCall *call)
{
    Reduction reduction;
    double order;
    uint64_t dims;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!call_double(call, 1, &order) || !reduce_dims(call, &dims) ||
        !reduction_open(&reduction, call, dims, computed, true))
        return false;
    NormKind kind = norm_kind(order);
    norm_folds[kind][computed == DTYPE_float64](&reduction, order);
    if (computed == DTYPE_float32)
        roots_float32(&reduction, kind, (float)(1 / order));
    else
        roots_float64(&reduction, kind, 1 / order);
    return reduction_close(&reduction, call, 0);
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
