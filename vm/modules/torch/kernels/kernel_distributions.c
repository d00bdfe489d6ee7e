// Kernels of random numbers whose parameters are elements of tensors: gamma, Poisson and binomial;
// and how a gamma or a Dirichlet number changes with its parameters.
//
//     _standard_gamma(alpha)                 x with the density x^(alpha-1) exp(-x)
//     _standard_gamma_grad(alpha, x)         dx / d alpha, at a fixed probability of less than x
//     _dirichlet_grad(x, alpha, total)       dx / d alpha; x is beta(alpha, total - alpha)
//
// No formula inverts these distributions, so their derivatives are approximations: series where x
// is near an end, expansions where the parameters are large, else rational functions that were
// fitted. The numbers of all of them are PyTorch's (ATen/native/Distributions.h): they are drawn
// and computed in double, whatever the dtype.
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"
#include "vm/modules/torch/kernels/scalar_special.h"
#include "vm/modules/torch/random_generator.h"
#include "vm/modules/torch/rules/random_range.h"

#include <float.h>

// ---- elements of the arguments and of the result, one after the other

#define INPUTS 3

typedef struct Elements {
    Value dense[INPUTS]; // owned
    int count;
    Tensor *result;
    bool single; // float32, else float64; float16 and bfloat16 come as float32
} Elements;

static void elements_close(Elements *elements)
{
    for (int i = 0; i < elements->count; i++) drop(elements->dense[i]);
}

static bool elements_open(Elements *elements, OpCall *call, int count)
{
    Tensor *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    *elements = (Elements){.result = result, .single = computed == DTYPE_float32};
    Value sizes = tuple_from_array(lend(result->dims), result->ndim);
    for (int i = 0; sizes && i < count; i++) {
        ValueRef arguments[] = {call->slots[i], sizes};
        Value wide = op_apply(OP_expand_, false, arguments, 2);
        Value dense = wide ? tensor_dense(as_tensor(wide), computed) : VALUE_ERROR;
        drop(wide);
        if (!dense) break;
        elements->dense[elements->count++] = dense;
    }
    drop(sizes);
    if (elements->count < count) elements_close(elements);
    return elements->count == count;
}

static double element(const Elements *elements, int input, int64_t i)
{
    const void *data = tensor_data(as_tensor(elements->dense[input]));
    return elements->single ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void put(const Elements *elements, int64_t i, double number)
{
    void *data = tensor_data(elements->result);
    switch (tensor_dtype(elements->result)) {
    case DTYPE_float64: ((double *)data)[i] = number; break;
    case DTYPE_float32: ((float *)data)[i] = (float)number; break;
    case DTYPE_float16: ((uint16_t *)data)[i] = half_from_float((float)number); break;
    default: ((uint16_t *)data)[i] = bfloat_from_float((float)number); break;
    }
}

// ---- gamma: Marsaglia and Tsang, who accept nearly all numbers that they propose

// `single`: what is done to alpha is rounded to float, as in PyTorch.
static double draw_gamma(Generator *generator, double alpha, bool single)
{
    double scale = 1;
    if (alpha == 0) return 0;
    if (alpha < 1) {
        double power = single ? (double)(1 / (float)alpha) : 1 / alpha;
        scale = m_pow_double(1 - random_double(generator), power);
        alpha = single ? (double)((float)alpha + 1) : alpha + 1;
    }
    double third = (double)(1.0f / 3.0f), d = alpha - third;
    if (single) d = (double)(float)d;
    double c = 1 / sqrt(9 * d);
    for (;;) {
        double x, y;
        do {
            x = random_normal(generator);
            y = 1 + c * x;
        } while (y <= 0);
        double v = y * y * y, u = 1 - random_double(generator), square = x * x;
        if (u < 1 - (double)0.0331f * square * square) return scale * d * v;
        if (m_log_double(u) < 0.5 * square + d * (1 - v + m_log_double(v))) return scale * d * v;
        if (v != v) return v; // of a NaN: no number would be accepted
    }
}

static double smallest(const Elements *elements)
{
    return elements->single ? (double)FLT_MIN : DBL_MIN;
}

bool KERNEL(kernel_standard_gamma)(OpCall *call)
{
    Elements elements;
    Generator *generator = random_of_call(call);
    if (!generator || !elements_open(&elements, call, 1)) return false;
    for (int64_t i = 0; i < elements.result->numel; i++) {
        double number = draw_gamma(generator, element(&elements, 0, i), elements.single);
        put(&elements, i, number > smallest(&elements) ? number : smallest(&elements));
    }
    elements_close(&elements);
    return true;
}

// ---- the derivative of a gamma number

static double gamma_grad_near_zero(double alpha, double x)
{
    double numerator = 1, denominator = alpha;
    double first = 1 / denominator, second = 1 / (denominator * denominator);
    for (int i = 1; i <= 5; i++) {
        numerator *= -x / i;
        denominator += 1;
        first += numerator / denominator;
        second += numerator / (denominator * denominator);
    }
    double power = m_pow_double(x, alpha);
    double density = m_pow_double(x, alpha - 1) * m_exp_double(-x);
    double below = power * first;
    double slope = (m_log_double(x) - m_digamma_double(alpha)) * below - power * second;
    double result = -slope / density;
    return result != result ? 0 : result;
}

static double gamma_grad_large(double alpha, double x)
{
    if ((double)0.9f * alpha <= x && x <= (double)1.1f * alpha) {
        double a = 1 + 24 * alpha * (1 + 12 * alpha);
        double b = 1440 * (alpha * alpha) + 6 * x * (53 - 120 * x) - 65 * x * x / alpha +
                   alpha * (107 + 3600 * x);
        return a * b / (1244160 * (alpha * alpha) * (alpha * alpha));
    }
    double root = sqrt(8 * alpha), ratio = m_log_double(x / alpha), gap = alpha - x;
    double two = root / gap, three = m_pow_double(x - alpha - alpha * ratio, -1.5);
    double both = x < alpha ? two - three : two + three;
    double one = ratio * both - sqrt(2 / alpha) * (alpha + x) / (gap * gap);
    double stirling = 1 + 1 / (12 * alpha) * (1 + 1 / (24 * alpha));
    return -stirling * (x * one) / root;
}

static double cubic(const double *c, double x)
{
    return c[0] + x * (c[1] + x * (c[2] + x * c[3]));
}

static double gamma_grad(double alpha, double x)
{
    static const double fitted[3][8] = {
        {0.16009398, -0.094634809, 0.025146376, -0.0030648343, 1, 0.32668115, 0.10406089,
         0.0014179084},
        {0.53487893, 0.1298071, 0.065735949, -0.0015649758, 0.16639465, 0.020070113, -0.0035938915,
         -0.00058392623},
        {0.040121004, -0.0065914022, -0.0026286047, -0.0013441777, 0.017050642, -0.0021309326,
         0.00085092367, -1.5247877e-07},
    };
    if (x < (double)0.8f) return gamma_grad_near_zero(alpha, x);
    if (alpha > 8) return gamma_grad_large(alpha, x);
    double u = m_log_double(x / alpha), v = m_log_double(alpha), c[8];
    for (int i = 0; i < 8; i++) c[i] = fitted[0][i] + u * (fitted[1][i] + u * fitted[2][i]);
    return m_exp_double(cubic(c, v) / cubic(c + 4, v));
}

bool KERNEL(kernel_standard_gamma_grad)(OpCall *call)
{
    Elements elements;
    if (!elements_open(&elements, call, 2)) return false;
    for (int64_t i = 0; i < elements.result->numel; i++)
        put(&elements, i, gamma_grad(element(&elements, 0, i), element(&elements, 1, i)));
    elements_close(&elements);
    return true;
}

// ---- the derivative of a beta number by alpha

static double beta_grad_alpha_small(double x, double alpha, double beta)
{
    double factor = m_digamma_double(alpha) - m_digamma_double(alpha + beta) - m_log_double(x);
    double numerator = 1, series = numerator / alpha * (factor + 1 / alpha);
    for (int i = 1; i <= 10; i++) {
        numerator *= (i - beta) * x / i;
        double denominator = alpha + i;
        series += numerator / denominator * (factor + 1 / denominator);
    }
    double result = x * m_pow_double(1 - x, -beta) * series;
    return result != result ? 0 : result;
}

static double beta_grad_beta_small(double x, double alpha, double beta)
{
    double factor = m_digamma_double(alpha + beta) - m_digamma_double(beta);
    double numerator = 1, betas = 1, slopes = 0, series = factor / alpha;
    for (int i = 1; i <= 8; i++) {
        numerator *= -x / i;
        slopes = slopes * (beta - i) + betas;
        betas = betas * (beta - i);
        series += numerator / (alpha + i) * (slopes + factor * betas);
    }
    double result = -m_pow_double(1 - x, 1 - beta) * series;
    return result != result ? 0 : result;
}

static double beta_grad_near_mean(double x, double alpha, double beta)
{
    double total = alpha + beta, square = beta * beta;
    double four = 8 * (1 - x) * (135 * beta - 11);
    double three = (453 + 1620 * beta * (1 - x) - 455 * x) * beta + alpha * four;
    double two = 3 * (59 + 180 * beta - 90 * x) * square + alpha * three;
    double one = (43 + 20 * (16 + 27 * beta) * x) * square * beta + alpha * two;
    double polynomial = 47 * x * square * square + alpha * one;
    double above = (1 + 12 * alpha) * (1 + 12 * beta) / (total * total);
    double below = 12960 * alpha * alpha * alpha * beta * beta * (1 + 12 * total);
    return above / (1 - x) * polynomial / below;
}

static double stirling(double x)
{
    return 1 + 1 / (12 * x) + 1 / (288 * x * x);
}

static double beta_grad_alpha_mid(double x, double alpha, double beta)
{
    double total = alpha + beta, mean = alpha / total;
    double deviation = sqrt(alpha * beta / (total + 1)) / total;
    if (mean - 0.1 * deviation <= x && x <= mean + 0.1 * deviation)
        return beta_grad_near_mean(x, alpha, beta);
    double factor = -x / sqrt(2 * alpha * beta / total);
    double correction = stirling(alpha) * stirling(beta) / stirling(total);
    double numerator =
        2 * (alpha * alpha) * (x - 1) + alpha * beta * (x - 1) - x * (beta * beta);
    double gap = alpha * (x - 1) + beta * x;
    double one = numerator / (sqrt(2 * alpha / beta) * m_pow_double(total, 1.5) * gap * gap);
    double two = 0.5 * m_log_double(alpha / (total * x));
    double three = sqrt(8 * alpha * beta / total) / gap;
    double base = beta * m_log_double(beta / (total * (1 - x))) +
                  alpha * m_log_double(alpha / (total * x));
    double four = m_pow_double(base, -1.5);
    return correction * factor * (one + two * (three + (x < mean ? four : -four)));
}

static double beta_grad_fitted(double x, double alpha, double total)
{
    static const double fitted[2][3][3][4] = {
        {{{1.003668233, -0.01061107488, -0.0657888334, 0.01201642863},
          {0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033},
          {-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013}},
         {{0.221950385, -0.3187676331, 0.01799915743, 0.01074823814},
          {-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057},
          {0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05}},
         {{-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565},
          {0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181},
          {0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05}}},
        {{{1, -0.02924021934, -0.04438342661, 0.007285809825},
          {0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521},
          {-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149}},
         {{0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273},
          {0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956},
          {-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05}},
         {{0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05},
          {0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05},
          {-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06}}},
    };
    double u = m_log_double(x), a = m_log_double(alpha) - u, b = m_log_double(total) - a;
    const double by_u[3] = {1, u, u * u}, by_a[3] = {1, a, a * a};
    double p = 0, q = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            p += by_u[i] * by_a[j] * cubic(fitted[0][i][j], b);
            q += by_u[i] * by_a[j] * cubic(fitted[1][i][j], b);
        }
    double slope = m_digamma_double(total) - m_digamma_double(alpha);
    return p / q * (x * slope / (total - alpha));
}

static double dirichlet_grad(double x, double alpha, double total)
{
    double beta = total - alpha, boundary = total * x * (1 - x);
    if (x <= 0.5 && boundary < 2.5) return beta_grad_alpha_small(x, alpha, beta);
    if (x >= 0.5 && boundary < 0.75) return -beta_grad_beta_small(1 - x, beta, alpha);
    if (alpha > 6 && beta > 6) return beta_grad_alpha_mid(x, alpha, beta);
    return beta_grad_fitted(x, alpha, total);
}

bool KERNEL(kernel_dirichlet_grad)(OpCall *call)
{
    Elements elements;
    if (!elements_open(&elements, call, 3)) return false;
    for (int64_t i = 0; i < elements.result->numel; i++)
        put(&elements, i,
            dirichlet_grad(element(&elements, 0, i), element(&elements, 1, i),
                           element(&elements, 2, i)));
    elements_close(&elements);
    return true;
}

// ---- Poisson: by a product of uniform numbers; of large rates by Hoermann's rejection

static double draw_poisson_large(Generator *generator, double rate)
{
    double log_rate = m_log_double(rate), b = 0.931 + 2.53 * sqrt(rate), a = -0.059 + 0.02483 * b;
    double inverse = 1.1239 + 1.1328 / (b - 3.4), accepted = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        double u = random_double(generator) - 0.5, v = random_double(generator);
        double us = 0.5 - m_abs_double(u), k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= accepted) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        double left = m_log_double(v) + m_log_double(inverse) - m_log_double(a / (us * us) + b);
        if (!(left > -rate + k * log_rate - m_lgamma_double(k + 1))) return k;
    }
}

static double draw_poisson(Generator *generator, double rate)
{
    if (rate >= 10) return draw_poisson_large(generator, rate);
    double number = 0, product = 1, limit = m_exp_double(-rate);
    if (rate == 0) return 0;
    while ((product *= random_double(generator)) > limit) number++;
    return number;
}

bool KERNEL(kernel_poisson)(OpCall *call)
{
    Elements elements;
    Generator *generator = random_of_call(call);
    if (!generator || !elements_open(&elements, call, 1)) return false;
    bool done = true;
    for (int64_t i = 0; done && i < elements.result->numel; i++) {
        double rate = element(&elements, 0, i);
        done = rate >= 0;
        if (done) put(&elements, i, draw_poisson(generator, rate));
    }
    elements_close(&elements);
    return done || raise_error(RuntimeError,
                               "invalid Poisson rate, expected rate to be non-negative");
}

// ---- binomial: by counting failures; where many successes are expected by Hoermann's rejection

static double stirling_rest(double k)
{
    static const double first[] = {0.0810614667953272,  0.0413406959554092,  0.0276779256849983,
                                   0.02079067210376509, 0.0166446911898211,  0.0138761288230707,
                                   0.0118967099458917,  0.0104112652619720,  0.00925546218271273,
                                   0.00833056343336287};
    if (k <= 9) return first[k < 0 ? 0 : (int)k];
    double square = (k + 1) * (k + 1);
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

static double draw_binomial_few(Generator *generator, double count, double p)
{
    double trials = 0, successes = 0, log_failure = m_log1p_double(-p);
    for (;;) {
        trials += ceil(m_log_double(random_double(generator)) / log_failure);
        if (!(trials <= count)) return successes;
        successes++;
    }
}

static double draw_binomial_many(Generator *generator, double count, double p)
{
    double deviation = sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * deviation;
    double a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5, accepted = 0.92 - 4.2 / b;
    double r = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation, m = floor((count + 1) * p);
    for (;;) {
        double u = random_double(generator) - 0.5, v = random_double(generator);
        double us = 0.5 - m_abs_double(u), k = floor((2 * a / us + b) * u + c);
        if (!(k >= 0 && k <= count)) continue;
        if (us >= 0.07 && v <= accepted) return k;
        double bound = (m + 0.5) * m_log_double((m + 1) / (r * (count - m + 1))) +
                       (count + 1) * m_log_double((count - m + 1) / (count - k + 1)) +
                       (k + 0.5) * m_log_double(r * (count - k + 1) / (k + 1)) +
                       stirling_rest(m) + stirling_rest(count - m) - stirling_rest(k) -
                       stirling_rest(count - k);
        if (m_log_double(v * alpha / (a / (us * us) + b)) <= bound) return k;
    }
}

static double draw_binomial(Generator *generator, double count, double p)
{
    if (count <= 0 || p <= 0) return 0;
    if (p >= 1) return count;
    if (count != count || p != p || count == (double)INFINITY) return (double)NAN;
    double rarer = p <= 0.5 ? p : 1 - p;
    double drawn = count * rarer >= 10 ? draw_binomial_many(generator, count, rarer)
                                       : draw_binomial_few(generator, count, rarer);
    return p <= 0.5 ? drawn : count - drawn;
}

bool KERNEL(kernel_binomial)(OpCall *call)
{
    Elements elements;
    Generator *generator = random_of_call(call);
    if (!generator || !elements_open(&elements, call, 2)) return false;
    for (int64_t i = 0; i < elements.result->numel; i++)
        put(&elements, i,
            draw_binomial(generator, element(&elements, 0, i), element(&elements, 1, i)));
    elements_close(&elements);
    return true;
}
