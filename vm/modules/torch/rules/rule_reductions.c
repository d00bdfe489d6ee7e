// Shapes of reductions and running totals.
//
// The parameters are found by their names (dim, keepdim, dtype), so one rule serves many rows. The
// column `promotion` gives the dtype of the result.
//
// (PyTorch: ATen/native/ReduceOps.cpp, ReduceOpsUtils.h)
#include <stdio.h>
#include <string.h>

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

int call_param(const OpCall *call, const char *name)
{
    for (int i = 0; i < call->schema->count; i++)
        if (str_equal_ascii(call->schema->params[i].name, name)) return i;
    return -1;
}

// For all() and any() an empty list is no dimension; elsewhere it is all of them.
static bool is_no_dimension(const OpCall *call, int index)
{
    OpIndex op = op_index(call->op);
    if (op != OP_all_dims && op != OP_any_dims) return false;
    ValueRef dims = call->slots[index];
    return tuple_check(dims) && !tuple_size(dims);
}

bool reduce_dims(const OpCall *call, uint64_t *dims)
{
    int ndim = call_tensor(call, 0)->ndim, index = call_param(call, "dim");
    *dims = 0;
    if (index >= 0 && is_no_dimension(call, index)) return true;
    if (index >= 0) return call_dim_set(call, index, ndim, dims);
    *dims = ndim ? ~(uint64_t)0 >> (64 - ndim) : 0;
    return true;
}

static bool keeps_dims(const OpCall *call)
{
    int index = call_param(call, "keepdim");
    return index >= 0 && call_bool(call, index);
}

// Adds a result: the shape of the first parameter without the dimensions that are reduced.
static bool add_reduced(OpCall *call, Dtype dtype, uint64_t dims)
{
    const Tensor *self = call_tensor(call, 0);
    Shape *shape = call_result(call, dtype);
    bool keep = keeps_dims(call);
    for (int i = 0; i < self->ndim; i++) {
        bool reduced = dims >> i & 1;
        if (reduced && !keep) continue;
        if (!shape_append_size(shape, reduced ? from_small(1) : retain(tensor_sizes(self)[i])))
            return false;
    }
    return true;
}

// ---- dtypes

static Dtype given_dtype(const OpCall *call)
{
    int index = call_param(call, "dtype");
    return index < 0 ? DTYPE_NONE : call_dtype(call, index, DTYPE_NONE);
}

static Dtype sum_dtype(const OpCall *call)
{
    Dtype given = given_dtype(call), own = tensor_dtype(call_tensor(call, 0));
    if (given != DTYPE_NONE) return given;
    if (call->out) return tensor_dtype(as_tensor(call->out));
    return dtype_is_inexact(own) ? own : DTYPE_int64;
}

// DTYPE_NONE with RuntimeError pending where the result would be no float.
static Dtype mean_dtype(const OpCall *call)
{
    Dtype given = given_dtype(call), own = tensor_dtype(call_tensor(call, 0));
    Dtype dtype = given != DTYPE_NONE ? given : own;
    if (dtype_is_inexact(dtype)) return dtype;
    raise_error(RuntimeError,
                "mean(): could not infer output dtype. %s dtype must be either a floating point or "
                "complex dtype. Got: %s",
                given != DTYPE_NONE ? "Optional" : "Input", dtype_table[dtype].scalar);
    return DTYPE_NONE;
}

static Dtype reduced_dtype(const OpCall *call)
{
    Dtype own = tensor_dtype(call_tensor(call, 0));
    switch (call->op->promotion) {
    case PROMOTE_SUM: return sum_dtype(call);
    case PROMOTE_MEAN: return mean_dtype(call);
    case PROMOTE_BOOLEAN: return own == DTYPE_uint8 ? own : DTYPE_bool;
    default: return own;
    }
}

bool rule_reduce(OpCall *call)
{
    uint64_t dims;
    Dtype dtype = reduced_dtype(call);
    return dtype != DTYPE_NONE && reduce_dims(call, &dims) && add_reduced(call, dtype, dims);
}

bool rule_count(OpCall *call)
{
    uint64_t dims;
    return reduce_dims(call, &dims) && add_reduced(call, DTYPE_int64, dims);
}

// ---- the largest, the smallest

// The message has the dimension as it was `given`.
static bool check_given_dim(const OpCall *call, int64_t dim, int64_t given)
{
    bool empty = false;
    const Tensor *self = call_tensor(call, 0);
    if (self->ndim && !dim_is(tensor_sizes(self)[dim], 0, &empty)) return false;
    bool nans = strcmp(call->op->name, "nanmedian") == 0; // PyTorch calls both median
    return !empty ||
           raise_error(IndexError, "%s(): Expected reduction dim %lld to have non-zero size.",
                       nans ? "median" : call->op->name, (long long)given);
}

bool reduce_check_dim(const OpCall *call, int64_t dim)
{
    return check_given_dim(call, dim, dim);
}

// No element of the result is made of nothing.
static bool check_reduced(const OpCall *call, uint64_t dims, const char *hint, Type *error)
{
    const Tensor *self = call_tensor(call, 0);
    if (self->numel != 0) return true;
    int index = call_param(call, "dim");
    bool all = index < 0 || !call_has(call, index);
    size_t count = 1;
    if (!all && call->schema->params[index].type == PARAM_INTS) call_tensors(call, index, &count);
    if (all || count == 0)
        return raise_error(error,
                           "%s(): Expected reduction dim to be specified for input.numel() == 0.%s",
                           call->op->name, hint);
    bool ints = call->schema->params[index].type == PARAM_INTS;
    int64_t given[TENSOR_MAX_DIMS];
    int many = ints ? call_ints(call, index, given) : 0;
    for (int i = 0; i < many; i++) {
        int64_t dim = given[i];
        if (!shape_wrap_dim(&dim, self->ndim) || !check_given_dim(call, dim, given[i]))
            return false;
    }
    for (int i = 0; !ints && i < self->ndim; i++)
        if (dims >> i & 1 && !reduce_check_dim(call, i)) return false;
    return many >= 0;
}

bool rule_extreme(OpCall *call)
{
    uint64_t dims = 0;
    return check_reduced(call, dims, " Specify the reduction dim with the 'dim' argument.",
                         RuntimeError) &&
           reduce_dims(call, &dims) && add_reduced(call, tensor_dtype(call_tensor(call, 0)), dims);
}

// A dim of size 1 is not looked at: any dtype will do.
static bool is_single(const OpCall *call, uint64_t dims)
{
    const Tensor *self = call_tensor(call, 0);
    for (int i = 0; i < self->ndim; i++)
        if (dims >> i & 1) return call_has(call, 1) && tensor_sizes(self)[i] == from_small(1);
    return false;
}

bool rule_argument(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    const char *kernel = op_index(call->op) == OP_argmax_ ? "argmax_cpu" : "argmin_cpu";
    uint64_t dims;
    return reduce_dims(call, &dims) && check_reduced(call, dims, "", IndexError) &&
           (self->numel == 0 || is_single(call, dims) || is_number(self, kernel)) &&
           add_reduced(call, DTYPE_int64, dims);
}

bool rule_extreme_index(OpCall *call)
{
    uint64_t dims;
    int64_t dim;
    return call_dim(call, 1, call_tensor(call, 0)->ndim, &dim) && reduce_check_dim(call, dim) &&
           reduce_dims(call, &dims) &&
           add_reduced(call, tensor_dtype(call_tensor(call, 0)), dims) &&
           add_reduced(call, DTYPE_int64, dims);
}

bool rule_aminmax(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    uint64_t dims;
    if (!reduce_dims(call, &dims)) return false;
    if (self->numel == 0 && !call_has(call, 1))
        return raise_error(RuntimeError, "aminmax(): cannot compute aminmax over an empty "
                                         "dimension as the operation has no identity.");
    int64_t dim = 0;
    bool empty = false;
    if (call_has(call, 1)) {
        if (!call_dim(call, 1, self->ndim, &dim) ||
            (self->ndim && !dim_is(tensor_sizes(self)[dim], 0, &empty)))
            return false;
        if (empty)
            return raise_error(IndexError,
                               "aminmax: Expected reduction dim %lld to have non-zero size.",
                               (long long)dim);
    }
    return add_reduced(call, tensor_dtype(self), dims) &&
           add_reduced(call, tensor_dtype(self), dims);
}

// ---- variance, norms

static bool check_variance(const OpCall *call)
{
    const char *name = call->schema->results == 1 ? "std and var" : call->op->name;
    return dtype_is_inexact(tensor_dtype(call_tensor(call, 0))) ||
           raise_error(RuntimeError, "%s only support floating point and complex dtypes", name);
}

// The variance of complex numbers is real.
bool rule_variance(OpCall *call)
{
    uint64_t dims;
    return check_variance(call) && reduce_dims(call, &dims) &&
           add_reduced(call, dtype_to_real(tensor_dtype(call_tensor(call, 0))), dims);
}

bool rule_variance_mean(OpCall *call)
{
    return rule_variance(call) && rule_reduce(call);
}

bool rule_norm(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    double order;
    uint64_t dims;
    if (!dtype_is_inexact(tensor_dtype(self)))
        return raise_error(RuntimeError,
                           "linalg.vector_norm: Expected a floating point or complex tensor as "
                           "input. Got %s",
                           dtype_table[self->dtype].scalar);
    Dtype dtype = call_dtype(call, 4, tensor_dtype(self));
    if (!dtype_is_inexact(dtype))
        return raise_error(
            RuntimeError,
            "linalg.vector_norm: dtype should be floating point or complex, but got %s",
            dtype_table[dtype].scalar);
    if (!call_double(call, 1, &order) || !reduce_dims(call, &dims)) return false;
    if (self->numel == 0 && (order < 0 || order > 1e308)) {
        char name[32];
        snprintf(name, sizeof name, "%g", order);
        return raise_error(RuntimeError,
                           "linalg.vector_norm cannot compute the %s norm on an empty tensor "
                           "because the operation does not have an identity",
                           name);
    }
    return add_reduced(call, dtype_to_real(dtype), dims);
}

bool rule_logsumexp(OpCall *call)
{
    uint64_t dims;
    Dtype own = tensor_dtype(call_tensor(call, 0));
    return reduce_dims(call, &dims) &&
           add_reduced(call, dtype_is_inexact(own) ? own : op_state.default_dtype, dims);
}

// ---- running totals

static bool add_same(OpCall *call, Dtype dtype)
{
    const Tensor *self = call_tensor(call, 0);
    shape_from_sizes(call_result(call, dtype), self->ndim, tensor_sizes(self));
    return true;
}

// A total of bools is of integers, unless the result was asked to be of bools.
static bool check_scan(const OpCall *call, Dtype dtype)
{
    const Tensor *self = call_tensor(call, 0);
    if (call->inplace && dtype != tensor_dtype(self))
        return raise_error(RuntimeError,
                           "Bad in-place call: input tensor dtype %s and output tensor dtype %s "
                           "should match",
                           dtype_cpp_name(tensor_dtype(self)), dtype_cpp_name(dtype));
    if (dtype != DTYPE_bool || tensor_is(self, TENSOR_FAKE) || !self->numel || !self->ndim)
        return true;
    return raise_error(RuntimeError, "\"%s_out_cpu\" not implemented for 'Bool'", call->op->name);
}

bool rule_scan(OpCall *call)
{
    int64_t dim;
    const Tensor *self = call_tensor(call, 0);
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    bool keeps = call->inplace && given_dtype(call) == DTYPE_NONE;
    Dtype dtype = keeps ? tensor_dtype(self) : sum_dtype(call);
    return check_scan(call, dtype) && add_same(call, dtype);
}

bool rule_logcumsumexp(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (!dtype_is_inexact(tensor_dtype(self)))
        return raise_error(RuntimeError, "\"logcumsumexp_out_cpu\" not implemented for '%s'",
                           dtype_table[self->dtype].scalar);
    return add_same(call, tensor_dtype(self));
}

bool rule_scan_index(OpCall *call)
{
    int64_t dim;
    const Tensor *self = call_tensor(call, 0);
    bool single = self->ndim == 0 || self->numel == 0; // then no dimension is looked at
    return (single || call_dim(call, 1, self->ndim, &dim)) && add_same(call, tensor_dtype(self)) &&
           add_same(call, DTYPE_int64);
}
