// Rules of the functions that make tensors.
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

#include <math.h>

// ---- filled

static bool raise_negative(DimRef size, int ndim, const Dim *sizes)
{
    Value text = shape_text(ndim, sizes);
    if (text)
        raise_error(RuntimeError, "Trying to create tensor with negative dimension %S: %S", size,
                    (ValueRef)text);
    drop(text);
    return false;
}

// Adds a result of the sizes that the int[] parameter `index` gives.
static bool result_of_sizes(OpCall *call, int index, Dtype dtype)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int ndim = call_dims(call, index, sizes);
    if (ndim < 0) return false;
    for (int i = 0; i < ndim; i++)
        if (is_small(sizes[i]) && small_value(sizes[i]) < 0)
            return raise_negative(sizes[i], ndim, sizes);
    shape_from_sizes(call_result(call, dtype), ndim, sizes);
    return true;
}

static Dtype dtype_of_number(ValueRef number)
{
    if (tensor_check(number)) return tensor_dtype(as_tensor(number));
    if (is_bool(number)) return DTYPE_bool;
    if (complex_check(number)) return dtype_to_complex(op_state.default_dtype);
    return int_check(number) || symbolic_kind(number) == 0 ? DTYPE_int64 : op_state.default_dtype;
}

bool rule_filled(OpCall *call)
{
    return result_of_sizes(call, 0, call_dtype(call, 1, op_state.default_dtype));
}

bool rule_full(OpCall *call)
{
    return result_of_sizes(call, 0, call_dtype(call, 2, dtype_of_number(call->slots[1])));
}

bool rule_scalar_tensor(OpCall *call)
{
    call_result(call, call_dtype(call, 1, op_state.default_dtype));
    return true;
}

// Does a tensor of these sizes and strides reach beyond what can be addressed? With a stride below
// 0 it does, unless the size is 1.
static bool reaches_too_far(int ndim, const Dim *sizes, const Dim *strides)
{
    int64_t last = 0, reach;
    bool far = false;
    for (int i = 0; i < ndim; i++) {
        if (!are_small(sizes[i], strides[i])) continue;
        if (small_value(sizes[i]) == 0) return false;
        int64_t stride = small_value(strides[i]);
        far |= __builtin_mul_overflow(small_value(sizes[i]) - 1, stride, &reach) || reach < 0 ||
               __builtin_add_overflow(last, reach, &last) || last >= SMALL_MAX;
    }
    return far;
}

// In place of a stride below 0 stands that of a tensor that is contiguous from there on.
static Dim stride_or_contiguous(const Shape *shape, int dim, DimRef stride)
{
    if (!is_small(stride) || small_value(stride) >= 0) return retain(stride);
    if (dim + 1 == shape->ndim) return from_small(1);
    DimRef size = shape->size[dim + 1];
    return dim_stride(size == from_small(0) ? from_small(1) : size, shape->stride[dim + 1]);
}

// The result has the sizes of an argument, and the strides of the next one.
static bool result_of_strides(OpCall *call, int sizes, Dtype dtype)
{
    Dim strides[TENSOR_MAX_DIMS];
    if (!result_of_sizes(call, sizes, dtype)) return false;
    Shape *shape = &call->results[0].shape;
    int count = call_dims(call, sizes + 1, strides);
    if (count < 0) return false;
    if (count != shape->ndim)
        return raise_error(RuntimeError,
                           "dimensionality of sizes (%d) must match dimensionality of "
                           "strides (%d)",
                           shape->ndim, count);
    if (reaches_too_far(count, shape->size, strides))
        return raise_about_two(RuntimeError,
                               "Storage size calculation overflowed with sizes=%S and strides=%S",
                               shape_text(count, shape->size), shape_text(count, strides));
    shape->strided = true;
    for (int i = 0; i < count; i++) shape->stride[i] = from_small(0);
    for (int i = count - 1; i >= 0; i--) {
        if (!(shape->stride[i] = stride_or_contiguous(shape, i, strides[i]))) return false;
        shape->symbolic |= !is_small(shape->stride[i]);
    }
    return true;
}

bool rule_empty_strided(OpCall *call)
{
    return result_of_strides(call, 0, call_dtype(call, 2, op_state.default_dtype));
}

// ---- like another tensor

// Of that tensor's dtype, unless the parameter `index` names another one.
static Dtype dtype_like(const OpCall *call, int index)
{
    return call_dtype(call, index, tensor_dtype(call_tensor(call, 0)));
}

// A result of the shape of the first parameter, which is in memory in the same order.
static void result_like(OpCall *call, int dtype)
{
    call->promoted = dtype_like(call, dtype);
    rule_preserve(call);
}

bool rule_like(OpCall *call)
{
    result_like(call, 1);
    return true;
}

bool rule_full_like(OpCall *call)
{
    result_like(call, 2);
    return true;
}

bool rule_new(OpCall *call)
{
    return result_of_sizes(call, 1, dtype_like(call, 2));
}

bool rule_new_empty_strided(OpCall *call)
{
    return result_of_strides(call, 1, dtype_like(call, 3));
}

bool rule_new_full(OpCall *call)
{
    return result_of_sizes(call, 1, dtype_like(call, 3));
}

// ---- counted

static bool raise_range(double start, double end)
{
    Value first = float_new(start), last = float_new(end);
    raise_error(RuntimeError, "unsupported range: %S -> %S", (ValueRef)first, (ValueRef)last);
    drop(first);
    drop(last);
    return false;
}

// (end - start) / step, in doubles, as PyTorch counts. False for a step in the wrong direction;
// `bound` is the word of the message for the start.
static bool count_steps(double start, double end, double step, const char *bound, double *steps)
{
    if (!(step > 0 || step < 0)) return raise_error(RuntimeError, "step must be nonzero");
    if (!isfinite(start) || !isfinite(end)) return raise_range(start, end);
    if ((step > 0 && end < start) || (step < 0 && end > start))
        return raise_error(RuntimeError, "upper bound and %s bound inconsistent with step sign",
                           bound);
    *steps = (end - start) / step;
    return *steps < (double)SMALL_MAX ||
           raise_error(RuntimeError, "invalid size, possible overflow");
}

static void result_row(OpCall *call, Dtype dtype, int64_t count)
{
    Shape *shape = call_result(call, dtype);
    shape->ndim = 1;
    shape->size[0] = dim_of(count);
}

static bool is_symint(ValueRef value)
{
    return symbolic_kind(value) == 0;
}

// arange over ints of which one is a SymInt, in steps of 1: end - start elements.
static bool symbolic_row(OpCall *call, Dtype dtype, DimRef start, DimRef end)
{
    Shape *shape = call_result(call, dtype);
    shape->symbolic = true;
    return shape_append_size(shape, dim_sub(end, start));
}

// The dtype of arange: int64 unless one of the first `numbers` arguments is a float.
static Dtype arange_dtype(const OpCall *call, int numbers)
{
    bool integers = true;
    for (int i = 0; i < numbers; i++)
        integers &= !dtype_is_inexact(dtype_of_number(call->slots[i]));
    return call_dtype(call, numbers, integers ? DTYPE_int64 : op_state.default_dtype);
}

bool rule_arange(OpCall *call)
{
    double end, steps;
    if (is_symint(call->slots[0]))
        return symbolic_row(call, call_dtype(call, 1, DTYPE_int64), from_small(0), call->slots[0]);
    Dtype dtype = arange_dtype(call, 1);
    if (!call_double(call, 0, &end) ||
        !count_steps(0, dtype == DTYPE_int64 ? trunc(end) : end, 1, "larger", &steps))
        return false;
    result_row(call, dtype, (int64_t)ceil(steps));
    return true;
}

static bool three_numbers(const OpCall *call, double *start, double *end, double *step)
{
    return call_double(call, 0, start) && call_double(call, 1, end) && call_double(call, 2, step);
}

// Ints, one of them a SymInt, and a step of 1.
static bool counts_symbols(const OpCall *call)
{
    ValueRef start = call->slots[0], end = call->slots[1];
    return (is_symint(start) || is_symint(end)) && (is_symint(start) || is_small(start)) &&
           (is_symint(end) || is_small(end)) && call->slots[2] == from_small(1);
}

bool rule_arange_from(OpCall *call)
{
    double start, end, step, steps;
    if (counts_symbols(call))
        return symbolic_row(call, call_dtype(call, 3, DTYPE_int64), call->slots[0], call->slots[1]);
    Dtype dtype = arange_dtype(call, 3);
    if (!three_numbers(call, &start, &end, &step)) return false;
    if (dtype == DTYPE_int64) { // counted in integers, whatever is given
        start = trunc(start);
        end = trunc(end);
        step = trunc(step);
    }
    if (!count_steps(start, end, step, "larger", &steps)) return false;
    result_row(call, dtype, (int64_t)ceil(steps));
    return true;
}

bool rule_range(OpCall *call)
{
    double start, end, step, steps;
    if (!three_numbers(call, &start, &end, &step) ||
        !count_steps(start, end, step, "lower", &steps))
        return false;
    result_row(call, call_dtype(call, 3, op_state.default_dtype), (int64_t)floor(steps) + 1);
    return true;
}

// `first` is the parameter where OPTIONS begin.
static bool rule_spaced(OpCall *call, int first)
{
    int64_t steps;
    bool complex = dtype_is_complex(dtype_of_number(call->slots[0])) ||
                   dtype_is_complex(dtype_of_number(call->slots[1]));
    Dtype usual = complex ? dtype_to_complex(op_state.default_dtype) : op_state.default_dtype;
    if (!call_int(call, 2, &steps)) return false;
    if (steps < 0) return raise_error(RuntimeError, "number of steps must be non-negative");
    if (!fits_small(steps)) return raise_error(RuntimeError, "invalid size, possible overflow");
    result_row(call, call_dtype(call, first, usual), steps);
    return true;
}

bool rule_linspace(OpCall *call)
{
    return rule_spaced(call, 3);
}
bool rule_logspace(OpCall *call)
{
    return rule_spaced(call, 4);
}

static bool rule_matrix(OpCall *call, int64_t rows, int64_t columns, int first)
{
    if (rows < 0)
        return raise_error(RuntimeError, "n must be greater or equal to 0, got %lld",
                           (long long)rows);
    if (columns < 0)
        return raise_error(RuntimeError, "m must be greater or equal to 0, got %lld",
                           (long long)columns);
    if (!fits_small(rows) || !fits_small(columns))
        return raise_error(RuntimeError, "invalid size, possible overflow");
    Shape *shape = call_result(call, call_dtype(call, first, op_state.default_dtype));
    shape->ndim = 2;
    shape->size[0] = dim_of(rows);
    shape->size[1] = dim_of(columns);
    return true;
}

bool rule_eye(OpCall *call)
{
    int64_t n;
    return call_int(call, 0, &n) && rule_matrix(call, n, n, 1);
}
bool rule_eye_m(OpCall *call)
{
    int64_t n, m;
    return call_int(call, 0, &n) && call_int(call, 1, &m) && rule_matrix(call, n, m, 2);
}
