// Shapes of gather, scatter, index_*, masked_* and their like.
//
// Rows of kind UPDATES have a result like their first parameter; what they check here is that the
// other operands fit it.
//
// (PyTorch: ATen/native/TensorAdvancedIndexing.cpp, ScatterGatherChecks.h, IndexingUtils.h)
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

static const char *scalar_name(const Tensor *tensor)
{
    return dtype_table[tensor->dtype].scalar;
}

// A tensor without dimensions counts as one of size 1.
static int dims_of(const Tensor *tensor)
{
    return tensor->ndim ? tensor->ndim : 1;
}

static DimRef size_of(const Tensor *tensor, int64_t dim)
{
    return tensor->ndim ? (DimRef)tensor_sizes(tensor)[dim] : from_small(1);
}

// ---- gather, scatter

static bool is_index_dtype(const Tensor *index)
{
    return tensor_dtype(index) == DTYPE_int64;
}

// Is each size of `index`, but that of `dim`, no larger than that of `other`?
static bool is_smaller(const Tensor *index, const Tensor *other, int64_t dim, int *where,
                       bool *smaller)
{
    *smaller = true;
    for (int i = 0; i < dims_of(index); i++) {
        bool larger;
        if (i == dim) continue;
        if (!dim_less(size_of(other, i), size_of(index, i), &larger)) return false;
        if (!larger) continue;
        *where = i;
        *smaller = false;
        return true;
    }
    return true;
}

static bool check_gather(const Tensor *self, const Tensor *index, int64_t dim)
{
    int where;
    bool smaller;
    if (index->numel == 0) return true;
    if (dims_of(index) != dims_of(self))
        return raise_error(RuntimeError, "Index tensor must have the same number of dimensions as "
                                         "input tensor");
    if (!is_smaller(index, self, dim, &where, &smaller)) return false;
    if (smaller) return true;
    Value have = shape_text(index->ndim, tensor_sizes(index));
    Value want = have ? shape_text(self->ndim, tensor_sizes(self)) : VALUE_ERROR;
    if (want)
        raise_error(RuntimeError,
                    "Size does not match at dimension %d expected index %S to be smaller than "
                    "self %S apart from dimension %lld",
                    where, (ValueRef)have, (ValueRef)want, (long long)dim);
    drop(have);
    drop(want);
    return false;
}

bool rule_gather(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *index = call_tensor(call, 2);
    int64_t dim;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (index->numel != 0 && !is_index_dtype(index))
        return raise_error(RuntimeError, "gather(): Expected dtype int64 for index");
    if (!check_gather(self, index, dim)) return false;
    shape_from_sizes(call_result(call, tensor_dtype(self)), index->ndim, tensor_sizes(index));
    return true;
}

static bool raise_scatter(const Tensor *self, const Tensor *index, const Tensor *src, int64_t dim)
{
    Value have = shape_text(index->ndim, tensor_sizes(index));
    Value want = have ? shape_text(self->ndim, tensor_sizes(self)) : VALUE_ERROR;
    Value from = want && src ? shape_text(src->ndim, tensor_sizes(src)) : VALUE_ERROR;
    if (from)
        raise_error(RuntimeError,
                    "Expected index %S to be smaller than self %S apart from dimension %lld and "
                    "to be smaller size than src %S",
                    (ValueRef)have, (ValueRef)want, (long long)dim, (ValueRef)from);
    else if (want)
        raise_error(RuntimeError,
                    "Expected index %S to be smaller than self %S apart from dimension %lld",
                    (ValueRef)have, (ValueRef)want, (long long)dim);
    drop(have);
    drop(want);
    drop(from);
    return false;
}

// `src` is NULL where a number is scattered.
static bool check_scatter(const Tensor *self, const Tensor *index, const Tensor *src, int64_t dim)
{
    bool smaller, other = true;
    int where;
    if (index->numel != 0 && !is_index_dtype(index))
        return raise_error(RuntimeError, "scatter(): Expected dtype int64 for index");
    if (src && tensor_dtype(src) != tensor_dtype(self))
        return raise_error(RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype");
    if (index->numel == 0) return true;
    if (dims_of(index) != dims_of(self) || (src && dims_of(index) != dims_of(src)))
        return raise_error(RuntimeError,
                           "Index tensor must have the same number of dimensions as %s tensor",
                           dims_of(index) != dims_of(self) ? "self" : "src");
    if (!is_smaller(index, self, dim, &where, &smaller) ||
        (src && !is_smaller(index, src, -1, &where, &other)))
        return false;
    return (smaller && other) || raise_scatter(self, index, src, dim);
}

static bool check_reduce(const OpCall *call, int index)
{
    static const char *const names[] = {"sum", "prod", "mean", "amax", "amin"};
    for (size_t i = 0; i < 5; i++)
        if (str_equal_ascii(call->slots[index], names[i])) return true;
    return raise_error(RuntimeError,
                       "reduce argument must be either sum, prod, mean, amax or amin, got %S",
                       call->slots[index]);
}

static bool check_old_reduce(const OpCall *call, int index)
{
    if (str_equal_ascii(call->slots[index], "add") ||
        str_equal_ascii(call->slots[index], "multiply"))
        return true;
    return raise_error(RuntimeError, "reduce argument must be either add or multiply.");
}

bool rule_scatter(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    return call_dim(call, 1, self->ndim, &dim) &&
           check_scatter(self, call_tensor(call, 2), call_tensor(call, 3), dim) && rule_same(call);
}

bool rule_scatter_reduce(OpCall *call)
{
    return check_reduce(call, 4) && rule_scatter(call);
}

bool rule_scatter_old_reduce(OpCall *call)
{
    return check_old_reduce(call, 4) && rule_scatter(call);
}

bool rule_scatter_value(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim;
    return call_dim(call, 1, self->ndim, &dim) &&
           check_scatter(self, call_tensor(call, 2), NULL, dim) && rule_same(call);
}

bool rule_scatter_value_reduce(OpCall *call)
{
    return check_old_reduce(call, 4) && rule_scatter_value(call);
}

// ---- index_select, index_add, index_copy, index_fill

bool rule_index_select(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *index = call_tensor(call, 2);
    int64_t dim;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (index->ndim > 1)
        return raise_error(IndexError, "index_select(): Index is supposed to be a vector");
    if (tensor_dtype(index) != DTYPE_int64 && tensor_dtype(index) != DTYPE_int32)
        return raise_error(RuntimeError, "index_select(): Expected dtype int32 or int64 for index");
    if (self->ndim == 0 && index->numel != 1)
        return raise_error(RuntimeError,
                           "index_select(): Index to scalar can have only 1 value, got %lld "
                           "value(s)",
                           (long long)index->numel);
    Shape *shape = call_result(call, tensor_dtype(self));
    for (int i = 0; i < self->ndim; i++)
        if (!shape_append_size(
                shape, retain(i == dim ? size_of(index, 0) : (DimRef)tensor_sizes(self)[i])))
            return false;
    return true;
}

static bool check_slices(const Tensor *self, const Tensor *source, int64_t dim)
{
    bool equal = self->ndim == source->ndim;
    for (int i = 0; equal && i < self->ndim; i++)
        if (i != dim && !dim_equal(tensor_sizes(self)[i], tensor_sizes(source)[i], &equal))
            return false;
    return equal || raise_about_two(RuntimeError,
                                    "source tensor shape must match self tensor shape, excluding "
                                    "the specified dimension. Got self.shape = %S source.shape = "
                                    "%S",
                                    shape_text(self->ndim, tensor_sizes(self)),
                                    shape_text(source->ndim, tensor_sizes(source)));
}

bool rule_index_add(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *index = call_tensor(call, 2);
    const Tensor *source = call_tensor(call, 3);
    int64_t dim;
    bool equal;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (index->ndim > 1) {
        Value sizes = shape_text(index->ndim, tensor_sizes(index));
        if (sizes)
            raise_error(IndexError,
                        "index_add_(): Index is supposed to be a vector, but got dim: %d with "
                        "type: %s and size: %S",
                        index->ndim, scalar_name(index), (ValueRef)sizes);
        drop(sizes);
        return false;
    }
    if (tensor_dtype(index) != DTYPE_int64 && tensor_dtype(index) != DTYPE_int32)
        return raise_error(RuntimeError,
                           "index_add_(): Expected dtype int32/int64 for index but "
                           "got: %s",
                           scalar_name(index));
    if (tensor_dtype(self) != tensor_dtype(source))
        return raise_error(RuntimeError,
                           "index_add_(): self (%s) and source (%s) must have the same scalar "
                           "type",
                           scalar_name(self), scalar_name(source));
    if (dim >= dims_of(source))
        return raise_error(RuntimeError,
                           "index_add_(): Indexing dim %lld is out of bounds of the source tensor "
                           "with dim %d",
                           (long long)dim, source->ndim);
    if (!dim_equal(size_of(index, 0), size_of(source, dim), &equal)) return false;
    if (!equal)
        return raise_error(RuntimeError,
                           "index_add_(): Number of indices (%S) should be equal to "
                           "source.size(dim): (%S), for dim: %lld",
                           size_of(index, 0), size_of(source, dim), (long long)dim);
    return check_slices(self, source, dim) && rule_same(call);
}

// "2, 3", which this message has instead of "[2, 3]".
static Value bare_text(const Shape *shape)
{
    Value text = shape_text(shape->ndim, shape->size);
    Value bare = text ? str_substring(text, 1, str_length(text) - 1) : VALUE_ERROR;
    drop(text);
    return bare;
}

// The slices of both tensors have one shape.
static bool check_copied_slices(const Tensor *self, const Tensor *source, int64_t dim)
{
    Shape have, want;
    shape_init(&have, 0);
    shape_init(&want, 0);
    for (int i = 0; i < self->ndim; i++)
        if (i != dim) have.size[have.ndim++] = tensor_sizes(self)[i];
    for (int i = 0; i < source->ndim; i++)
        if (i != dim) want.size[want.ndim++] = tensor_sizes(source)[i];
    bool equal = have.ndim == want.ndim;
    for (int i = 0; equal && i < have.ndim; i++)
        if (!dim_equal(have.size[i], want.size[i], &equal)) return false;
    if (equal) return true;
    Value left = bare_text(&have), right = left ? bare_text(&want) : VALUE_ERROR;
    if (right)
        raise_error(RuntimeError,
                    "index_copy_(): Source/destination tensor must have same slice shapes. "
                    "Destination slice shape: %S at dimension %lld and source slice shape: %S at "
                    "dimension 0.",
                    (ValueRef)left, (long long)dim, (ValueRef)right);
    drop(left);
    drop(right);
    return false;
}

bool rule_index_copy(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *index = call_tensor(call, 2);
    const Tensor *source = call_tensor(call, 3);
    int64_t dim;
    bool equal = true;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (index->ndim > 1)
        return raise_error(IndexError, "index_copy_(): Index should have dimension 1 or 0 (got %d)",
                           index->ndim);
    if (source->ndim == 0 && index->numel != 1)
        return raise_error(IndexError,
                           "index_copy_(): When source is scalar, index should have one element "
                           "(got %lld)",
                           (long long)index->numel);
    if (source->ndim != self->ndim && source->ndim != 0 && self->ndim != 0)
        return raise_error(IndexError,
                           "index_copy_(): When source and destination are not scalars, their "
                           "dimensionality must match. Source dimensionality (%d), destination "
                           "dimensionality (%d)",
                           source->ndim, self->ndim);
    if (!is_index_dtype(index))
        return raise_error(RuntimeError,
                           "index_copy_(): Expected a long tensor for index, but got %s",
                           scalar_name(index));
    if (tensor_dtype(self) != tensor_dtype(source))
        return raise_error(RuntimeError,
                           "index_copy_(): self and source expected to have the same dtype, but "
                           "got (self) %s and (source) %s",
                           scalar_name(self), scalar_name(source));
    if (!check_copied_slices(self, source, dim)) return false;
    if (source->ndim && !dim_equal(size_of(index, 0), size_of(source, dim), &equal)) return false;
    if (!equal)
        return raise_error(IndexError,
                           "index_copy_(): Number of indices (%S) should be equal to "
                           "source.size(dim) (%S)",
                           size_of(index, 0), size_of(source, dim));
    return rule_same(call);
}

static bool is_complex(ValueRef value)
{
    return tensor_check(value) ? dtype_is_complex(tensor_dtype(as_tensor(value)))
                               : complex_check(value);
}

bool rule_index_fill(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *index = call_tensor(call, 2);
    int64_t dim;
    if (tensor_check(call->slots[3]) && call_tensor(call, 3)->ndim)
        return raise_error(RuntimeError,
                           "index_fill_ only supports a 0-dimensional value tensor, but got tensor "
                           "with %d dimension(s).",
                           call_tensor(call, 3)->ndim);
    if (!is_index_dtype(index))
        return raise_error(IndexError, "index_fill_(): Expected dtype int64 for index.");
    if (is_complex(call->slots[3]) && !dtype_is_complex(tensor_dtype(self)))
        return raise_error(RuntimeError, "index_fill_(): Converting complex Scalar to non-complex "
                                         "type is not supported");
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (index->ndim > 1) return raise_error(RuntimeError, "Index has to be a vector/scalar");
    return rule_cloned(call);
}
