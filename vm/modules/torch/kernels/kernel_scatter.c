// gather, scatter and the kernels index_*: elements chosen along one dimension.
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/complex/complex_math.h"
#include "vm/modules/torch/kernels/indexed.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/rules/rule_build.h"

static int64_t size_along(const Tensor *tensor, int64_t dim)
{
    return tensor->ndim ? tensor_size(tensor, (int)dim) : 1;
}

// The stride along dim goes out of the operand and becomes dim_stride.
static void take_dim_stride(Indexed *walk, const Tensor *indexed, int64_t dim)
{
    walk->dim_stride = indexed->ndim ? tensor_stride(indexed, (int)dim) : 0;
    walk->indexed.stride[dim] = 0;
}

// ---- gather, scatter

// The indices as int64, checked: owned. 0 <= index < size of `self` along dim.
static Value checked_index(Tensor *index, const Tensor *self, int64_t dim)
{
    Value dense = tensor_dense(index, DTYPE_int64);
    if (!dense) return VALUE_ERROR;
    const int64_t *data = tensor_elements(dense);
    int64_t bad = find_outside(data, index->numel, 0, size_along(self, dim));
    if (bad < 0) return dense;
    raise_error(RuntimeError, "index %lld is out of bounds for dimension %lld with size %lld",
                (long long)data[bad], (long long)dim, (long long)size_along(self, dim));
    drop(dense);
    return VALUE_ERROR;
}

// A walk over the positions of `index`, which is dense.
static void walk_positions(Indexed *walk, const Tensor *indexed, const Tensor *index, int64_t dim)
{
    indexed_sizes(walk, index);
    operand_of(walk, &walk->indexed, indexed);
    operand_of(walk, &walk->index, index);
    take_dim_stride(walk, indexed, dim);
    walk->element = dtype_size(tensor_dtype(indexed));
}

bool KERNEL(kernel_gather)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    int64_t dim;
    Indexed walk;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (result->numel == 0) return true;
    Value index = checked_index(call_tensor(call, 2), self, dim);
    if (!index) return false;
    walk_positions(&walk, self, as_tensor(index), dim);
    operand_of(&walk, &walk.other, result);
    indexed_take(&walk);
    drop(index);
    return true;
}

// ---- combining

typedef enum Combine { SET, SUM, PRODUCT, LARGEST, SMALLEST, COMBINE_COUNT } Combine;

#define COMBINES_FOR(type, wrapping, name)                                                         \
    INDEXED_COMBINES(sum_##name, wrapping, a + b)                                                  \
    INDEXED_COMBINES(product_##name, wrapping, a *b)                                               \
    INDEXED_COMBINES(largest_##name, type, b > a || b != b ? b : a)                                \
    INDEXED_COMBINES(smallest_##name, type, b < a || b != b ? b : a)
COMBINES_FOR(float, float, float32)
COMBINES_FOR(double, double, float64)
COMBINES_FOR(int64_t, uint64_t, int64)
COMBINES_FOR(int32_t, uint32_t, int32)
INDEXED_COMBINES(either, uint8_t, a || b) // `a` may be any byte: storage.h, raw_bools
INDEXED_COMBINES(both, uint8_t, a &&b)
INDEXED_COMBINES(sum_complex64, Complex64, c_add_64(a, b))
INDEXED_COMBINES(sum_complex128, Complex128, c_add_128(a, b))
INDEXED_COMBINES(product_complex64, Complex64, c_mul_64(a, b))
INDEXED_COMBINES(product_complex128, Complex128, c_mul_128(a, b))

// The sums of a row of floats that are neighbours and have one index: a plain loop.
static void sum_block_float32(const IndexedRow *row)
{
    float *to = (float *)(void *)row->indexed + row->index[0] * row->dim_stride;
    const float *from = (const void *)row->other;
    for (int64_t i = 0, n = row->n; i < n; i++) to[i] += from[i];
}

// Integers wrap round in sums and products. NULL = complex numbers are not ordered.
static const RowLoop combine_loops[DTYPE_COUNT][COMBINE_COUNT] = {
    [DTYPE_float32] = {NULL, sum_float32, product_float32, largest_float32, smallest_float32},
    [DTYPE_float64] = {NULL, sum_float64, product_float64, largest_float64, smallest_float64},
    [DTYPE_int64] = {NULL, sum_int64, product_int64, largest_int64, smallest_int64},
    [DTYPE_int32] = {NULL, sum_int32, product_int32, largest_int32, smallest_int32},
    [DTYPE_bool] = {NULL, either, both, either, both},
    [DTYPE_complex64] = {NULL, sum_complex64, product_complex64, NULL, NULL},
    [DTYPE_complex128] = {NULL, sum_complex128, product_complex128, NULL, NULL},
};

// Where elements go: `to[...]` along dim, by a dense index. An index with `repeated` is a vector:
// it serves all positions of the other dimensions.
typedef struct Target {
    Tensor *to;
    const Tensor *index;
    int64_t dim;
    bool repeated;
} Target;

static void walk_target(Indexed *walk, const Target *target)
{
    if (!target->repeated) {
        walk_positions(walk, target->to, target->index, target->dim);
        return;
    }
    indexed_sizes(walk, target->to);
    walk->size[target->dim] = target->index->numel;
    operand_of(walk, &walk->indexed, target->to);
    walk->index.data = tensor_data(target->index);
    for (int i = 0; i < walk->ndim; i++) walk->index.stride[i] = i == target->dim;
    take_dim_stride(walk, target->to, target->dim);
    walk->element = dtype_size(tensor_dtype(target->to));
}

static RowLoop combine_loop(Indexed *walk, Dtype dtype, Combine how)
{
    bool block = dtype == DTYPE_float32 && how == SUM && indexed_has_blocks(walk);
    return block ? sum_block_float32 : combine_loops[dtype][how];
}

static void combine_computed(const Target *target, const Tensor *from, Combine how)
{
    Indexed walk;
    walk_target(&walk, target);
    operand_of(&walk, &walk.other, from);
    if (how == SET)
        indexed_put(&walk);
    else
        indexed_run(&walk, combine_loop(&walk, tensor_dtype(target->to), how));
}

// Combines `from` into the target. It has the target's dtype; if that is not one to compute in,
// both are widened first.
static bool combine(const Target *target, Tensor *from, Combine how)
{
    Dtype computed = dtype_computed(tensor_dtype(target->to));
    if (how == SET || computed == tensor_dtype(target->to)) {
        combine_computed(target, from, how);
        return true;
    }
    Value wide = tensor_dense(target->to, computed);
    Value source = wide ? tensor_dense(from, computed) : VALUE_ERROR;
    Target inner = *target;
    inner.to = as_tensor(wide);
    if (source) combine_computed(&inner, as_tensor(source), how);
    bool done = source && iterate_copy(target->to, as_tensor(wide));
    drop(wide);
    drop(source);
    return done;
}

// ---- scatter

static bool scatter(OpCall *call, ValueRef source, Combine how)
{
    Tensor *result = call->results[0].tensor;
    Target target = {result, NULL, 0, false};
    if (!call_dim(call, 1, result->ndim, &target.dim)) return false;
    if (call_tensor(call, 2)->numel == 0) return true;
    Value index = checked_index(call_tensor(call, 2), result, target.dim);
    if (!index) return false;
    target.index = as_tensor(index);
    bool done = combine(&target, as_tensor(source), how);
    drop(index);
    return done;
}

static bool scatter_number(OpCall *call, Combine how)
{
    if (call_tensor(call, 2)->numel == 0) return true; // nor is the number converted
    Value number = tensor_of_number(tensor_dtype(call->results[0].tensor), call->slots[3]);
    bool done = number && scatter(call, number, how);
    drop(number);
    return done;
}

static Combine old_reduce(const OpCall *call)
{
    return str_equal_ascii(call->slots[4], "add") ? SUM : PRODUCT;
}

bool KERNEL(kernel_scatter)(OpCall *call)
{
    return scatter(call, call->slots[3], SET);
}

bool KERNEL(kernel_scatter_value)(OpCall *call)
{
    return scatter_number(call, SET);
}

bool KERNEL(kernel_scatter_old_reduce)(OpCall *call)
{
    return scatter(call, call->slots[3], old_reduce(call));
}

bool KERNEL(kernel_scatter_value_reduce)(OpCall *call)
{
    return scatter_number(call, old_reduce(call));
}

bool KERNEL(kernel_scatter_add)(OpCall *call)
{
    return scatter(call, call->slots[3], SUM);
}

// ---- scatter_reduce

typedef struct Reduce {
    const char *name;
    Combine how;
    double start; // what positions begin with that do not include self
} Reduce;

static const Reduce reduces[] = {
    {"sum", SUM, 0},
    {"prod", PRODUCT, 1},
    {"mean", SUM, 0},
    {"amax", LARGEST, -__builtin_inf()},
    {"amin", SMALLEST, __builtin_inf()},
};

static const Reduce *find_reduce(ValueRef name)
{
    size_t i = 0;
    while (!str_equal_ascii(name, reduces[i].name)) i++;
    return &reduces[i];
}

// The smallest or largest number of an integer dtype stands for an infinity.
static Value start_number(Dtype dtype, double start)
{
    if (dtype_is_floating(dtype) || (start == 0 || start == 1)) return from_double(start);
    if (dtype == DTYPE_bool) return start < 0 ? FALSE : TRUE;
    int bits = 8 * (int)dtype_size(dtype) - dtype_table[dtype].is_signed;
    if (start < 0)
        return dtype_table[dtype].is_signed ? int_new(INT64_MIN >> (63 - bits)) : from_small(0);
    return int_new((int64_t)(~(uint64_t)0 >> (64 - bits)));
}

static bool put_start(OpCall *call, double start)
{
    Value number = start_number(tensor_dtype(call->results[0].tensor), start);
    Value filler =
        number ? tensor_of_number(tensor_dtype(call->results[0].tensor), number) : VALUE_ERROR;
    bool done = filler && scatter(call, filler, SET);
    drop(number);
    drop(filler);
    return done;
}

#define DIVIDES(name, type, expression)                                                            \
    static void name(int64_t n, type *to, const int64_t *counts)                                   \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            type a = to[i], b = (type)(counts[i] > 0 ? counts[i] : 1);                             \
            to[i] = (type)(expression);                                                            \
        }                                                                                          \
    }
DIVIDES(divide_float32, float, a / b)
DIVIDES(divide_float64, double, a / b)
DIVIDES(divide_int64, int64_t, a / b - (a % b < 0))
DIVIDES(divide_int32, int32_t, a / b - (a % b < 0))

static bool divide_complex(Tensor *result, const Tensor *counts)
{
    const ValueRef arguments[] = {ref_of(result), ref_of(counts)};
    Value quotient = op_apply(OP_div_Tensor, false, arguments, 2);
    bool done = quotient && iterate_copy(result, as_tensor(quotient));
    drop(quotient);
    return done;
}

// result /= counts, element by element.
static bool divide_by(Tensor *result, const Tensor *counts)
{
    Dtype computed = dtype_computed(tensor_dtype(result));
    if (computed == DTYPE_bool) return true;
    if (dtype_is_complex(computed)) return divide_complex(result, counts);
    Value wide = tensor_dense(result, computed);
    if (!wide) return false;
    void *data = tensor_elements(wide);
    const int64_t *numbers = (const void *)tensor_data(counts);
    switch (computed) {
    case DTYPE_float32: divide_float32(result->numel, data, numbers); break;
    case DTYPE_float64: divide_float64(result->numel, data, numbers); break;
    case DTYPE_int64: divide_int64(result->numel, data, numbers); break;
    default: divide_int32(result->numel, data, numbers); break;
    }
    bool done = as_tensor(wide) == result || iterate_copy(result, as_tensor(wide));
    drop(wide);
    return done;
}

// How many elements went to each position; self counts as one.
static bool divide_by_counts(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    Value one = tensor_of_number(DTYPE_int64, from_small(1));
    Value zero = one ? tensor_of_number(DTYPE_int64, from_small(0)) : VALUE_ERROR;
    Value counts = zero ? tensor_new(DTYPE_int64, result->ndim, tensor_sizes(result)) : VALUE_ERROR;
    bool done = counts && iterate_copy(as_tensor(counts), as_tensor(one));
    if (done) {
        call->results[0].tensor = as_tensor(counts);
        done = (call_bool(call, 5) || scatter(call, zero, SET)) && scatter(call, one, SUM);
        call->results[0].tensor = result;
    }
    done = done && divide_by(result, as_tensor(counts));
    drop(one);
    drop(zero);
    drop(counts);
    return done;
}

static bool check_ordered(const Reduce *reduce, Dtype dtype)
{
    return !dtype_is_complex(dtype) || reduce->how == SUM || reduce->how == PRODUCT ||
           raise_error(RuntimeError,
                       "\"scatter_gather_tensor_cpu_reduce_%s\" not implemented for '%s'",
                       reduce->name, dtype_table[dtype].scalar);
}

bool KERNEL(kernel_scatter_reduce)(OpCall *call)
{
    const Reduce *reduce = find_reduce(call->slots[4]);
    if (!check_ordered(reduce, call->results[0].dtype)) return false;
    if (!call_bool(call, 5) && !put_start(call, reduce->start)) return false;
    if (!scatter(call, call->slots[3], reduce->how)) return false;
    return !str_equal_ascii(call->slots[4], "mean") || divide_by_counts(call);
}

// ---- index_select, index_add, index_copy, index_fill

// PyTorch has two ways of copying, which say it in different words.
static bool raise_outside(const Tensor *self, int64_t dim, int64_t index)
{
    int64_t size = size_along(self, dim);
    if (self->ndim > 1 && size == 0)
        return raise_error(RuntimeError,
                           "index_select(): self indexing axis dim should be positive");
    if (self->ndim > 1 && (dim == 1 || self->numel == 0))
        return raise_error(RuntimeError,
                           "INDICES element is out of DATA bounds, id=%lld axis_dim=%lld",
                           (long long)index, (long long)size);
    return raise_error(IndexError, "index out of range in self");
}

// result = the slices `index` of `self` along dim.
static bool select_slices(const Tensor *self, int64_t dim, Tensor *indices, Tensor *result)
{
    Indexed walk;
    Value index = tensor_dense(indices, DTYPE_int64);
    if (!index) return false;
    const int64_t *data = tensor_elements(index);
    int64_t bad = find_outside(data, indices->numel, 0, size_along(self, dim));
    if (bad >= 0) {
        raise_outside(self, dim, data[bad]);
        drop(index);
        return false;
    }
    Target target = {(Tensor *)(uintptr_t)self, as_tensor(index), dim, true};
    walk_target(&walk, &target);
    operand_of(&walk, &walk.other, result);
    indexed_take(&walk);
    drop(index);
    return true;
}

bool KERNEL(kernel_index_select)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    return call_dim(call, 1, self->ndim, &dim) &&
           select_slices(self, dim, call_tensor(call, 2), call->results[0].tensor);
}

// The indices as int64, wrapped if `wraps`: owned.
static Value slice_index(OpCall *call, int64_t dim, const char *prefix, Type *error, bool wraps)
{
    const Tensor *result = call->results[0].tensor;
    Tensor *given = call_tensor(call, 2);
    int64_t size = size_along(result, dim);
    Value index = tensor_new(DTYPE_int64, given->ndim, tensor_sizes(given));
    if (!index || !iterate_copy(as_tensor(index), given)) {
        drop(index);
        return VALUE_ERROR;
    }
    int64_t *data = tensor_elements(index);
    int64_t bad = find_outside(data, given->numel, wraps ? -size : 0, size);
    for (int64_t i = 0; bad < 0 && i < given->numel; i++) data[i] += data[i] < 0 ? size : 0;
    if (bad < 0) return index;
    raise_error(error, "%sindex %lld is out of bounds for dimension %lld with size %lld", prefix,
                (long long)data[bad], (long long)dim, (long long)size);
    drop(index);
    return VALUE_ERROR;
}

static bool change_slices(OpCall *call, Value index, int64_t dim, Tensor *source, Combine how)
{
    if (!index) return false;
    Target target = {call->results[0].tensor, as_tensor(index), dim, true};
    bool done = combine(&target, source, how);
    drop(index);
    return done;
}

// PyTorch makes a view of as many slices as there are indices, before it reads them.
static bool has_slices(const Tensor *result, const Tensor *index, int64_t dim)
{
    Shape shape;
    tensor_shape(result, &shape);
    if (result->ndim) {
        shape.size[dim] = from_small(index->numel);
        shape.stride[dim] = from_small(0);
    }
    bool done = check_bounds(result, &shape);
    shape_drop(&shape);
    return done;
}

bool KERNEL(kernel_index_copy)(OpCall *call)
{
    int64_t dim;
    const Tensor *result = call->results[0].tensor;
    return call_dim(call, 1, result->ndim, &dim) && has_slices(result, call_tensor(call, 2), dim) &&
           change_slices(call, slice_index(call, dim, "index_copy_(): ", IndexError, false), dim,
                         call_tensor(call, 3), SET);
}

// source * alpha in the dtype of source, to which a narrow float rounds alpha first: owned.
static Value scaled(Tensor *source, ValueRef alpha)
{
    Dtype dtype = tensor_dtype(source);
    if (alpha == from_small(1)) return retain(ref_of(source));
    bool narrow = dtype_is_floating(dtype) && dtype_computed(dtype) != dtype;
    Value factor = narrow ? tensor_of_number(dtype, alpha) : retain(alpha);
    const ValueRef arguments[] = {ref_of(source), factor};
    Value product = factor ? op_apply(OP_mul_Tensor, false, arguments, 2) : VALUE_ERROR;
    drop(factor);
    Value back = product ? tensor_dense(as_tensor(product), dtype) : VALUE_ERROR;
    drop(product);
    return back;
}

bool KERNEL(kernel_index_add)(OpCall *call)
{
    int64_t dim;
    if (!call_dim(call, 1, call->results[0].tensor->ndim, &dim)) return false;
    if (call->results[0].tensor->numel == 0) return true; // the indices are not read
    Value source = scaled(call_tensor(call, 3), call->slots[4]);
    bool done = source && change_slices(call, slice_index(call, dim, "", RuntimeError, false), dim,
                                        as_tensor(source), SUM);
    drop(source);
    return done;
}

bool KERNEL(kernel_index_fill)(OpCall *call)
{
    int64_t dim;
    Dtype dtype = tensor_dtype(call->results[0].tensor);
    const Tensor *result = call->results[0].tensor;
    if (!call_dim(call, 1, result->ndim, &dim)) return false;
    if (!has_slices(result, call_tensor(call, 2), dim)) return false;
    if (result->numel == 0) return true; // the indices are not read
    Value number = tensor_check(call->slots[3]) ? tensor_dense(call_tensor(call, 3), dtype)
                                                : tensor_of_number(dtype, call->slots[3]);
    bool done = number && change_slices(call, slice_index(call, dim, "", IndexError, true), dim,
                                        as_tensor(number), SET);
    drop(number);
    return done;
}

// ---- views written into

bool KERNEL(kernel_view_scatter)(OpCall *call)
{
    Shape shape;
    shape_init(&shape, 0);
    Tensor *result = call->results[0].tensor;
    Value view =
        view_scattered(call, ref_of(result), &shape) ? tensor_view(result, &shape) : VALUE_ERROR;
    shape_drop(&shape);
    bool done = view && iterate_copy(as_tensor(view), call_tensor(call, 1));
    drop(view);
    return done;
}
