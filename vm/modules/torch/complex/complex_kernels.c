// Kernels for complex numbers that are made of those for real ones.
//
//     linear      f(x) = f(re) + f(im) j                             sum, cumsum, index_put
//     bilinear    f(x, y) = f(xr, yr) - f(xi, yi) + (f(xr, yi) + f(xi, yr)) j     mm, convolution
//
// The inner calls have the arguments of the outer one with parts in place of the complex tensors,
// and real results, whose elements are then stored as the parts of the outer results.
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/tensor/convert.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/element.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/complex/complex_math.h"
#include "vm/modules/torch/complex/complex_ops.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/rules/rule_build.h"

// ---- parts as views

static Value part_view(Tensor *tensor, bool imaginary, bool pairs)
{
    Shape shape;
    int ndim = tensor->ndim;
    tensor_shape(tensor, &shape);
    for (int i = 0; i < ndim; i++) shape.stride[i] = from_small(2 * tensor_stride(tensor, i));
    shape.offset = from_small(2 * small_value(tensor->offset) + imaginary);
    if (pairs && !shape_append(&shape, from_small(2), from_small(1))) return VALUE_ERROR;
    return tensor_view_as(tensor, dtype_to_real(tensor_dtype(tensor)), &shape);
}

Value complex_part(Tensor *tensor, bool imaginary)
{
    return part_view(tensor, imaginary, false);
}

Value complex_as_real(Tensor *tensor)
{
    return part_view(tensor, false, true);
}

// ---- inner calls

bool complex_run_kernel(OpCall *call)
{
    return kernel_tables->kernels[op_index(call->op)](call);
}

static bool is_complex(ValueRef slot)
{
    return is_object(slot) && tensor_check(slot) && dtype_is_complex(tensor_dtype(as_tensor(slot)));
}

// The first conversion to a real dtype warns; to bool is a comparison with 0.
static bool warn_discarded(const OpCall *call)
{
    static bool warned;
    int source = call->op == &op_table[OP_copy__] ? 1 : 0;
    bool copies = source || call->op == &op_table[OP__to_copy_];
    if (warned || !copies || !is_complex(call->slots[source])) return true;
    Dtype to = tensor_dtype(call->results[0].tensor);
    if (dtype_is_complex(to) || to == DTYPE_bool) return true;
    warned = true;
    return call_warn(call, "Casting complex values to real discards the imaginary part (Triggered "
                           "internally at ../aten/src/ATen/native/Copy.cpp:308.)");
}

bool complex_moves(OpCall *call)
{
    return warn_discarded(call) && complex_run_kernel(call);
}

// An inner call, and what its slots own.
typedef struct Inner {
    OpCall call;
    Value slots[SCHEMA_PARAMS];
    Value results[OP_RESULTS];
} Inner;

static void inner_end(Inner *inner)
{
    for (int i = 0; i < SCHEMA_PARAMS; i++) drop(inner->slots[i]);
    for (int i = 0; i < OP_RESULTS; i++) drop(inner->results[i]);
}

// Puts `made`, which it takes, into the slot. False if it is VALUE_ERROR.
static bool inner_set(Inner *inner, int index, Value made)
{
    replace_slot(&inner->slots[index], made);
    inner->call.slots[index] = made;
    return made != VALUE_ERROR;
}

// The call with contiguous real results of its own.
static bool inner_begin(Inner *inner, const OpCall *call)
{
    memset(inner->slots, 0, sizeof inner->slots);
    memset(inner->results, 0, sizeof inner->results);
    inner->call = *call;
    for (int i = 0; i < call->result_count; i++) {
        const Tensor *result = call->results[i].tensor;
        Dtype dtype = dtype_to_real(tensor_dtype(result));
        inner->results[i] = tensor_new(dtype, result->ndim, tensor_sizes(result));
        if (!inner->results[i]) return false;
        inner->call.results[i].tensor = as_tensor(inner->results[i]);
        inner->call.results[i].dtype = dtype;
    }
    return true;
}

static bool set_part(Inner *inner, const OpCall *call, int index, bool imaginary)
{
    ValueRef slot = call->slots[index];
    return !is_complex(slot) || inner_set(inner, index, complex_part(as_tensor(slot), imaginary));
}

// Between a complex tensor's parts and a real tensor.
static bool copy_part(Tensor *whole, bool imaginary, Tensor *real, bool out)
{
    Value part = complex_part(whole, imaginary);
    bool done =
        part && (out ? iterate_copy(as_tensor(part), real) : iterate_copy(real, as_tensor(part)));
    drop(part);
    return done;
}

// ---- linear

static bool linear_part(const OpCall *call, bool imaginary)
{
    Inner inner;
    bool done = inner_begin(&inner, call);
    for (int i = 0; done && i < call->schema->count; i++)
        done = set_part(&inner, call, i, imaginary);
    if (call->op->kinds & UPDATES) // what is not updated stays
        done = done &&
               copy_part(call->results[0].tensor, imaginary, inner.call.results[0].tensor, false);
    done = done && complex_run_kernel(&inner.call);
    Tensor *result = call->results[0].tensor, *part = done ? inner.call.results[0].tensor : NULL;
    if (done)
        done = is_complex(ref_of(result)) ? copy_part(result, imaginary, part, true)
                                          : iterate_copy(result, part);
    inner_end(&inner);
    return done;
}

// Real tensors, of which a complex result is asked, are converted before. Only out= may be complex.
static bool linear_of_reals(OpCall *call)
{
    if (!dtype_is_complex(call->results[0].dtype)) return complex_run_kernel(call);
    OpCall inner = *call;
    const ValueRef arguments[] = {call->slots[0], dtype_value(call->results[0].dtype)};
    Value wide = op_apply(OP_to_dtype, false, arguments, 2);
    inner.slots[0] = wide;
    bool done = wide && complex_linear(&inner);
    drop(wide);
    return done;
}

bool complex_linear(OpCall *call)
{
    if (!is_complex(call->slots[0])) return linear_of_reals(call);
    bool real = !is_complex(ref_of(call->results[0].tensor)); // asked for: sum(dtype=torch.float32)
    return linear_part(call, false) && (real || linear_part(call, true));
}

// ---- bilinear

// f of a part of the first and one of the second factor: owned. A bias is given with the real part
// of the first one, once for each part of the result. Of another tensor the shape counts only.
static Value product_of_parts(const OpCall *call, bool first, bool second)
{
    Inner inner;
    bool has_bias = call->op == &op_table[OP_convolution_];
    bool done = inner_begin(&inner, call);
    for (int i = 0; done && i < call->schema->count; i++)
        done = set_part(&inner, call, i, i == 0 ? first : second);
    if (has_bias && first) inner.call.slots[2] = NONE;
    done = done && complex_run_kernel(&inner.call);
    Value product = done ? retain(inner.results[0]) : VALUE_ERROR;
    inner_end(&inner);
    return product;
}

static bool store_sum(Tensor *result, bool imaginary, Value a, Value b)
{
    OpIndex op = imaginary ? OP_add_Tensor : OP_sub_Tensor;
    Value sum = a && b ? op_apply(op, true, (const ValueRef[]){a, b}, 2) : VALUE_ERROR;
    bool done = sum && copy_part(result, imaginary, as_tensor(sum), true);
    drop(sum);
    drop(a);
    drop(b);
    return done;
}

bool complex_bilinear(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    for (int imaginary = 0; imaginary < 2; imaginary++) {
        Value a = product_of_parts(call, false, imaginary);
        Value b = a ? product_of_parts(call, true, !imaginary) : VALUE_ERROR;
        if (!store_sum(result, imaginary, a, b)) return false;
    }
    return true;
}

// beta * self + alpha * (a @ b), for the rows (self, a, b, *, beta, alpha).
bool complex_product_added(OpCall *call)
{
    OpIndex op = call->op == &op_table[OP_addmm_]   ? OP_mm_
                 : call->op == &op_table[OP_addmv_] ? OP_mv_
                                                    : OP_bmm_;
    ValueRef beta = call->slots[3], alpha = call->slots[4];
    Value product = op_apply(op, false, call->slots + 1, 2);
    Value sum = product ? op_apply(OP_mul_Tensor, false, (const ValueRef[]){product, alpha}, 2)
                        : VALUE_ERROR;
    bool nothing = is_small(beta) ? beta == from_small(0) : beta == from_double(0);
    if (sum && !nothing) {
        Value scaled = op_apply(OP_mul_Tensor, false, (const ValueRef[]){call->slots[0], beta}, 2);
        Value both = scaled ? op_apply(OP_add_Tensor, false, (const ValueRef[]){sum, scaled}, 2)
                            : VALUE_ERROR;
        drop(scaled);
        replace_slot(&sum, both);
    }
    bool done = sum && iterate_copy(call->results[0].tensor, as_tensor(sum));
    drop(product);
    drop(sum);
    return done;
}

// ---- through bools and absolute values

static bool run_with_first(OpCall *call, Value first)
{
    ValueRef given = call->slots[0];
    if (!first) return false;
    call->slots[0] = first;
    bool done = complex_run_kernel(call);
    call->slots[0] = given;
    drop(first);
    return done;
}

bool complex_truth(OpCall *call)
{
    return run_with_first(call, tensor_dense(call_tensor(call, 0), DTYPE_bool));
}

bool complex_size(OpCall *call)
{
    return run_with_first(call, op_apply(OP_abs_, false, call->slots, 1));
}

// ---- joined from reals

static void polar_64(int64_t n, char *const *data, const void *scalars)
{
    Complex64 *out = (void *)data[0];
    const float *size = (const void *)data[1], *angle = (const void *)data[2];
    (void)scalars;
    for (int64_t i = 0; i < n; i++)
        out[i] = (Complex64){size[i] * (float)c_cos_of((double)angle[i]),
                             size[i] * (float)c_sin_of((double)angle[i])};
}
static void polar_128(int64_t n, char *const *data, const void *scalars)
{
    Complex128 *out = (void *)data[0];
    const double *size = (const void *)data[1], *angle = (const void *)data[2];
    (void)scalars;
    for (int64_t i = 0; i < n; i++)
        out[i] = (Complex128){size[i] * c_cos_of(angle[i]), size[i] * c_sin_of(angle[i])};
}
static void join_64(int64_t n, char *const *data, const void *scalars)
{
    Complex64 *out = (void *)data[0];
    const float *re = (const void *)data[1], *im = (const void *)data[2];
    (void)scalars;
    for (int64_t i = 0; i < n; i++) out[i] = (Complex64){re[i], im[i]};
}
static void join_128(int64_t n, char *const *data, const void *scalars)
{
    Complex128 *out = (void *)data[0];
    const double *re = (const void *)data[1], *im = (const void *)data[2];
    (void)scalars;
    for (int64_t i = 0; i < n; i++) out[i] = (Complex128){re[i], im[i]};
}

bool complex_join(OpCall *call)
{
    Iteration iteration;
    const Tensor *result = call->results[0].tensor;
    bool polar = call->op == &op_table[OP_polar_], wide = tensor_dtype(result) == DTYPE_complex128;
    Dtype real = dtype_to_real(tensor_dtype(result));
    iteration_begin(&iteration, result->ndim, tensor_sizes(result), 1);
    iteration_add(&iteration, result, tensor_dtype(result));
    for (int i = 0; i < 2; i++) iteration_add(&iteration, call_tensor(call, i), real);
    Loop loop = polar ? (wide ? polar_128 : polar_64) : (wide ? join_128 : join_64);
    iteration_run(&iteration, loop, NULL);
    return true;
}

// ---- linspace, logspace: from both ends towards the middle

bool complex_spaced(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    char *to = tensor_data(result);
    Complex128 start, end, base;
    bool powers = call->op == &op_table[OP_logspace_];
    if (!element_store(DTYPE_complex128, call->slots[0], &start) ||
        !element_store(DTYPE_complex128, call->slots[1], &end) ||
        (powers && !element_store(DTYPE_complex128, call->slots[3], &base)))
        return false;
    int64_t steps = result->numel;
    Complex128 step = c_scale(c_sub_128(end, start), steps > 1 ? 1 / (double)(steps - 1) : 0);
    for (int64_t i = 0; i < steps; i++) {
        Complex128 x = i < steps / 2 || steps == 1
                           ? c_add_128(start, c_scale(step, (double)i))
                           : c_sub_128(end, c_scale(step, (double)(steps - i - 1)));
        if (powers) x = c_pow_128(base, x);
        elements_convert(1, to, tensor_dtype(result), &x, DTYPE_complex128);
        to += dtype_size(tensor_dtype(result));
    }
    return true;
}

// ---- random numbers: those of the parts, which share the variance

static bool scale_real(Value real, double factor)
{
    Value product = op_apply(OP_mul_Tensor, true, (const ValueRef[]){real, from_double(factor)}, 2);
    drop(product);
    return product != VALUE_ERROR;
}

bool complex_random(OpCall *call)
{
    OpCall inner = *call;
    const double half = 0.7071067811865476; // sqrt(1 / 2)
    bool filled = call->op == &op_table[OP_normal__];
    bool normal = call->op == &op_table[OP_randn_] || call->op == &op_table[OP_randn_like_];
    double deviation;
    Value real = complex_as_real(call->results[0].tensor), scaled = VALUE_ERROR;
    if (!real) return false;
    inner.results[0].tensor = as_tensor(real);
    inner.results[0].dtype = tensor_dtype(as_tensor(real));
    bool done = true;
    if (call->op->kinds & MUTATES) inner.slots[0] = real;
    if (filled && (done = call_double(call, 2, &deviation))) {
        scaled = float_new(deviation * half);
        inner.slots[2] = scaled;
    }
    done = done && complex_run_kernel(&inner) && (!normal || scale_real(real, half));
    drop(scaled);
    drop(real);
    return done;
}

// ---- elements joined one after another along a dimension

typedef Complex128 (*Join)(Complex128 total, Complex128 element);

// log(exp(total) + exp(element)), for logcumsumexp: a NaN in either part takes both.
static Complex128 join_logarithms(Complex128 total, Complex128 element)
{
    if (total.re != total.re || total.im != total.im || element.re != element.re ||
        element.im != element.im)
        return (Complex128){NAN, NAN};
    bool less = element.re < total.re;
    Complex128 small = less ? element : total, large = less ? total : element;
    if (small.re != large.re || small.re - small.re == 0)
        return c_add_128(large, c_log1p_128(c_exp_128(c_sub_128(small, large))));
    if (small.re < 0) return small;
    return c_log_128(c_add_128(c_exp_128(small), c_exp_128(large)));
}

// One row of n elements; a running total stores each step.
static void join_row(int64_t n, const Complex128 *row, Complex128 *to, Join join, bool running)
{
    bool product = join == c_mul_128;
    Complex128 total = {product ? 1 : -HUGE_VAL, 0};
    for (int64_t i = 0; i < n; i++) {
        total = join(total, row[i]);
        if (running) to[i] = total;
    }
    if (!running) *to = total;
}

bool complex_joined(OpCall *call)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    Join join = call->op == &op_table[OP_logcumsumexp_] ? join_logarithms : c_mul_128;
    bool all = call->op == &op_table[OP_prod_];
    bool running = !all && call->op != &op_table[OP_prod_dim_int];
    int64_t dim = 0;
    if (!all && !call_dim(call, 1, self->ndim, &dim)) return false;
    uint64_t last = all ? ~(uint64_t)0 : self->ndim ? (uint64_t)1 << dim : 0;
    Value dense = tensor_dense_last(self, DTYPE_complex128, last);
    Value to = dense ? tensor_new(DTYPE_complex128, running ? as_tensor(dense)->ndim : result->ndim,
                                  running ? tensor_sizes(as_tensor(dense)) : tensor_sizes(result))
                     : VALUE_ERROR;
    if (!to) {
        drop(dense);
        return false;
    }
    int64_t n = all ? self->numel : self->ndim ? tensor_size(self, (int)dim) : 1;
    int64_t rows = all ? 1 : running ? (n ? self->numel / n : 0) : result->numel;
    const Complex128 *from = tensor_elements(dense);
    Complex128 *out = tensor_elements(to);
    for (int64_t i = 0; i < rows; i++)
        join_row(n, from + i * n, out + i * (running ? n : 1), join, running);
    Value view = running ? tensor_last(result, last) : retain(ref_of(result));
    bool done = view && iterate_copy(as_tensor(view), as_tensor(to));
    drop(view);
    drop(to);
    drop(dense);
    return done;
}

// ---- variances: the sum of those of the parts

// The first result of the row `op` for a part, with the arguments of the call: owned.
static Value variance_of_part(const OpCall *call, bool imaginary)
{
    Inner inner;
    bool done = inner_begin(&inner, call) && set_part(&inner, call, 0, imaginary);
    inner.call.op = &op_table[OP_var_correction];
    inner.call.result_count = 1;
    done = done && complex_run_kernel(&inner.call);
    Value variance = done ? retain(inner.results[0]) : VALUE_ERROR;
    inner_end(&inner);
    return variance;
}

static bool store_mean(OpCall *call)
{
    if (call->result_count < 2) return true;
    const ValueRef arguments[] = {call->slots[0], call->slots[1], call->slots[3]};
    Value mean = op_apply(OP_mean_dim, false, arguments, 3);
    bool done = mean && iterate_copy(call->results[1].tensor, as_tensor(mean));
    drop(mean);
    return done;
}

bool complex_variance(OpCall *call)
{
    bool root =
        call->op == &op_table[OP_std_correction] || call->op == &op_table[OP_std_mean_correction];
    Value re = variance_of_part(call, false);
    Value im = re ? variance_of_part(call, true) : VALUE_ERROR;
    Value sum = im ? op_apply(OP_add_Tensor, true, (const ValueRef[]){re, im}, 2) : VALUE_ERROR;
    if (sum && root) replace_slot(&sum, op_apply(OP_sqrt_, false, (const ValueRef[]){sum}, 1));
    bool done = sum && iterate_copy(call->results[0].tensor, as_tensor(sum)) && store_mean(call);
    drop(sum);
    drop(re);
    drop(im);
    return done;
}

// ---- logsumexp: (self, dim, keepdim); the largest real part is taken out of the sums

static Value shifted_sum(const OpCall *call, ValueRef shift)
{
    const ValueRef rest[] = {call->slots[0], shift};
    Value less = op_apply(OP_sub_Tensor, false, rest, 2);
    Value powers = less ? op_apply(OP_exp_, true, (const ValueRef[]){less}, 1) : VALUE_ERROR;
    Value sum = powers ? op_apply(OP_sum_dim_IntList, false,
                                  (const ValueRef[]){powers, call->slots[1], TRUE}, 3)
                       : VALUE_ERROR;
    Value log = sum ? op_apply(OP_log_, true, (const ValueRef[]){sum}, 1) : VALUE_ERROR;
    Value whole =
        log ? op_apply(OP_add_Tensor, true, (const ValueRef[]){log, shift}, 2) : VALUE_ERROR;
    drop(less);
    drop(powers);
    drop(sum);
    drop(log);
    return whole;
}

bool complex_logsumexp(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    Value real = complex_part(call_tensor(call, 0), false);
    Value largest =
        real && as_tensor(real)->numel
            ? op_apply(OP_amax_, false, (const ValueRef[]){real, call->slots[1], TRUE}, 3)
        : real ? tensor_of_number(tensor_dtype(as_tensor(real)), from_small(0))
               : VALUE_ERROR;
    Value whole = largest ? shifted_sum(call, largest) : VALUE_ERROR;
    Value shaped = whole ? tensor_dense(as_tensor(whole), tensor_dtype(result)) : VALUE_ERROR;
    if (shaped)
        memcpy(tensor_data(result), tensor_elements(shaped),
               (size_t)result->numel * dtype_size(tensor_dtype(result)));
    drop(real);
    drop(largest);
    drop(whole);
    drop(shaped);
    return shaped != VALUE_ERROR;
}

// ---- the way here

static bool raise_not_implemented(const OpCall *call)
{
    const char *name = op_kernel_name(call->op);
    Dtype dtype = call->result_count ? call->results[0].dtype : DTYPE_complex64;
    for (int i = call->schema->count; i-- > 0;)
        if (is_complex(call->slots[i])) dtype = tensor_dtype(as_tensor(call->slots[i]));
    const char *message = complex_refusal(call->op);
    if (message) return raise_error(RuntimeError, "%s", message);
    return raise_error(RuntimeError, "\"%s%s\" not implemented for '%s'",
                       name ? name : call->op->name, name ? "" : "_cpu", dtype_table[dtype].scalar);
}

bool complex_nothing(OpCall *call)
{
    return call->results[0].tensor->numel == 0 || raise_not_implemented(call);
}

bool complex_compute(OpCall *call)
{
    bool (*kernel)(OpCall *call) = complex_kernel(call->op);
    return kernel ? kernel(call) : raise_not_implemented(call);
}
