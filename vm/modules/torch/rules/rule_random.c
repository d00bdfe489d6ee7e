// Rules of random numbers: shapes of new tensors, and what the distributions ask of their numbers.
//
// (PyTorch: ATen/native/TensorFactories.cpp, Distributions.cpp, DistributionTemplates.h)
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "vm/modules/torch/rules/random_range.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

// ---- new tensors

static bool raise_negative(DimRef size, int ndim, const Dim *sizes)
{
    return raise_about_two(RuntimeError, "Trying to create tensor with negative dimension %S: %S",
                           retain(size), shape_text(ndim, sizes));
}

// Adds a result like `self`, or of the sizes that the parameter `size` gives.
static bool add_result(OpCall *call, Dtype dtype)
{
    Dim sizes[TENSOR_MAX_DIMS];
    call->promoted = dtype;
    if (tensor_check(call->slots[0])) return rule_preserve(call);
    int ndim = call_dims(call, call_param(call, "size"), sizes);
    if (ndim < 0) return false;
    for (int i = 0; i < ndim; i++)
        if (is_small(sizes[i]) && small_value(sizes[i]) < 0)
            return raise_negative(sizes[i], ndim, sizes);
    shape_from_sizes(call_result(call, dtype), ndim, sizes);
    return true;
}

static Dtype result_dtype(const OpCall *call, Dtype otherwise)
{
    if (tensor_check(call->slots[0])) otherwise = tensor_dtype(call_tensor(call, 0));
    return call_dtype(call, call_param(call, "dtype"), otherwise);
}

static bool check_floating(Dtype dtype, const char *kernel)
{
    return dtype_is_inexact(dtype) || raise_error(RuntimeError, "\"%s\" not implemented for '%s'",
                                                  kernel, dtype_table[dtype].scalar);
}

bool rule_rand(OpCall *call)
{
    Dtype dtype = result_dtype(call, op_state.default_dtype);
    return check_floating(dtype, "check_uniform_bounds") && add_result(call, dtype);
}

bool rule_randn(OpCall *call)
{
    Dtype dtype = result_dtype(call, op_state.default_dtype);
    return check_floating(dtype, "normal_kernel_cpu") && add_result(call, dtype);
}

bool rule_random_int(OpCall *call)
{
    return add_result(call, result_dtype(call, DTYPE_int64));
}

// Can the dtype hold 0 .. n - 1? PyTorch asks whether it can hold n.
static bool check_count(int64_t n, Dtype dtype)
{
    int digits = random_digits(dtype);
    int bits = 8 * (int)dtype_size(dtype) - (dtype != DTYPE_uint8);
    if (dtype == DTYPE_bool)
        return raise_error(RuntimeError, "\"randperm\" not implemented for 'Bool'");
    if (dtype == DTYPE_float16 && n > 2049)
        return raise_error(RuntimeError, "n cannot be greater than 2049 for Half type.");
    if (digits && dtype != DTYPE_bfloat16 && n > ((int64_t)1 << digits) + 1)
        return raise_error(RuntimeError, "n cannot be greater than 2^%d+1 for %s type.", digits,
                           dtype_table[dtype].scalar);
    return digits || bits >= 63 || n >> bits == 0 ||
           raise_error(RuntimeError, "value cannot be converted to type %s_t without overflow",
                       dtype_table[dtype].name);
}

bool rule_randperm(OpCall *call)
{
    Dim n = call_dim_value(call, 0);
    if (!n) return false;
    if (is_small(n) && small_value(n) < 0) return raise_negative(n, 1, &n);
    Dtype dtype = result_dtype(call, DTYPE_int64);
    if (is_small(n) && !check_count(small_value(n), dtype)) return false;
    return shape_append_size(call_result(call, dtype), n);
}

// ---- distributions

static bool check_self(const OpCall *call, const char *kernel)
{
    return check_floating(tensor_dtype(call_tensor(call, 0)), kernel);
}

// A number as C++ prints it: "2", "0.5". Owned.
static Value text_of_number(double number)
{
    bool whole = number > -1e15 && number < 1e15 && number == (double)(int64_t)number;
    return whole ? int_new((int64_t)number) : float_new(number);
}

bool rule_uniform(OpCall *call)
{
    double from, to;
    if (!check_self(call, "check_uniform_bounds") || !call_double(call, 1, &from) ||
        !call_double(call, 2, &to))
        return false;
    return from <= to || raise_about_two(RuntimeError,
                                         "uniform_ expects to return a [from, to) range, but "
                                         "found from=%S > to=%S",
                                         text_of_number(from), text_of_number(to));
}

static bool check_deviation(OpCall *call)
{
    double deviation;
    if (!call_double(call, 2, &deviation)) return false;
    return deviation >= 0 ||
           raise_about(RuntimeError, "normal expects std >= 0.0, but found std %S",
                       text_of_number(deviation));
}

bool rule_normal(OpCall *call)
{
    return check_deviation(call) && check_self(call, "normal_kernel_cpu");
}

bool rule_log_normal(OpCall *call)
{
    double deviation;
    if (!call_double(call, 2, &deviation)) return false;
    if (!(deviation > 0))
        return raise_about(RuntimeError, "log_normal_ expects std > 0.0, but found std=%S",
                           text_of_number(deviation));
    return check_self(call, "log_normal_cpu");
}

bool rule_exponential(OpCall *call)
{
    double rate;
    if (!call_double(call, 1, &rate)) return false;
    if (!(rate > 0))
        return raise_about(RuntimeError, "exponential_ expects lambda > 0.0, but found lambda=%S",
                           text_of_number(rate));
    Dtype dtype = tensor_dtype(call_tensor(call, 0));
    return dtype_is_floating(dtype) ||
           raise_error(RuntimeError,
                       "Exponential distribution is a continuous probability distribution. dtype "
                       "must be a floating point but you specified %s",
                       dtype_table[dtype].scalar);
}

bool rule_cauchy(OpCall *call)
{
    double sigma;
    if (!call_double(call, 2, &sigma)) return false;
    if (!(sigma > 0))
        return raise_about(RuntimeError, "cauchy_ expects sigma > 0.0, but found sigma=%S",
                           text_of_number(sigma));
    return check_self(call, "cauchy_cpu");
}

bool rule_geometric(OpCall *call)
{
    double p;
    if (!call_double(call, 1, &p)) return false;
    if (!(p > 0 && p < 1))
        return raise_about(RuntimeError, "geometric_ expects p to be in (0, 1), but got p=%S",
                           text_of_number(p));
    return tensor_dtype(call_tensor(call, 0)) != DTYPE_bool ||
           raise_error(RuntimeError, "\"geometric_cpu\" not implemented for 'Bool'");
}

bool rule_random_in(OpCall *call)
{
    int64_t from = 0, to = 0;
    int last = call_param(call, "to");
    if (last == 2 && !call_int(call, 1, &from)) return false;
    if (!call_has(call, last)) return true;
    if (!call_int(call, last, &to)) return false;
    return from < to || raise_error(RuntimeError,
                                    "random_ expects 'from' to be less than 'to', but got "
                                    "from=%lld >= to=%lld",
                                    (long long)from, (long long)to);
}

static bool check_probability(const OpCall *call)
{
    double p;
    if (!call_double(call, 1, &p)) return false;
    return (p >= 0 && p <= 1) ||
           raise_about(RuntimeError, "bernoulli_ expects p to be in [0, 1], but got p=%S",
                       text_of_number(p));
}

bool rule_bernoulli_p(OpCall *call)
{
    return check_probability(call) && rule_same(call);
}

bool rule_bernoulli_fill(OpCall *call)
{
    return check_probability(call);
}

// ---- numbers whose parameters are tensors: these are broadcast, and have one dtype

static bool rule_drawn(OpCall *call, int tensors, const char *kernel, bool shorts)
{
    Dtype dtype = tensor_dtype(call_tensor(call, 0));
    Shape *shape = call_result(call, dtype);
    bool wide = dtype == DTYPE_float32 || dtype == DTYPE_float64;
    if (!wide && !(shorts && dtype_is_floating(dtype)))
        return raise_error(RuntimeError, "\"%s\" not implemented for '%s'", kernel,
                           dtype_table[dtype].scalar);
    for (int i = 0; i < tensors; i++) {
        const Tensor *tensor = call_tensor(call, i);
        if (tensor_dtype(tensor) != dtype)
            return raise_error(RuntimeError, "Found dtype %s but expected %s",
                               dtype_table[tensor->dtype].scalar, dtype_table[dtype].scalar);
        if (!shape_broadcast(shape, tensor->ndim, tensor_sizes(tensor))) return false;
    }
    return true;
}

bool rule_standard_gamma(OpCall *call)
{
    return rule_drawn(call, 1, "gamma_cpu", false);
}

bool rule_standard_gamma_grad(OpCall *call)
{
    return rule_drawn(call, 2, "_standard_gamma_grad_cpu", false);
}

bool rule_dirichlet_grad(OpCall *call)
{
    return rule_drawn(call, 3, "_dirichlet_grad_cpu", false);
}

bool rule_poisson(OpCall *call)
{
    return rule_drawn(call, 1, "poisson_cpu", true);
}

bool rule_binomial(OpCall *call)
{
    return rule_drawn(call, 2, "binomial_cpu", false);
}
