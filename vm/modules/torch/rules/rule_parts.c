// Shapes of split, split_with_sizes and unbind: a tensor in parts along one dimension.
//
// The number of parts depends on the sizes, so these rules make the views themselves: they leave a
// tuple of them in call->value.
//
// (PyTorch: ATen/native/TensorShape.cpp)
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

// The part start .. start+length-1 of a dimension. With `keep` false the dimension is left out.
static Value part(Tensor *self, int dim, int64_t start, int64_t length, bool keep)
{
    Shape shape;
    shape_init(&shape, 0);
    view_begin(&shape, self);
    DimRef stride = tensor_strides(self)[dim];
    Value made = VALUE_ERROR;
    if (view_move(&shape, dim_mul(from_small(start), stride)) &&
        shape_append_dims(&shape, self, 0, dim) &&
        (!keep || shape_append(&shape, from_small(length), retain(stride))) &&
        shape_append_dims(&shape, self, dim + 1, self->ndim))
        made = tensor_view(self, &shape);
    shape_drop(&shape);
    return made;
}

// A symbolic size becomes a number here, which records a guard: the number of parts is one.
static bool read_length(ValueRef length, int64_t *number)
{
    Value exact = object_index(length);
    bool done = exact && int_as_int64(exact, number);
    drop(exact);
    return done;
}

// Starts the tuple of `count` parts.
static bool begin_parts(OpCall *call, int64_t count)
{
    call->value = tuple_new((ssize_t)count);
    return call->value != VALUE_ERROR;
}

static bool set_part(const OpCall *call, int64_t index, Value made)
{
    as_tuple(call->value)->items[index] = made;
    return made != VALUE_ERROR;
}

// The tensor and the dimension of the call, and the size of that.
static bool read_parts(const OpCall *call, int dim_index, int64_t *dim, int64_t *size)
{
    const Tensor *self = call_tensor(call, 0);
    if (self->ndim == 0)
        return raise_error(RuntimeError, "split expects at least a 1-dimensional tensor");
    return call_dim(call, dim_index, self->ndim, dim) &&
           read_length(tensor_sizes(self)[*dim], size);
}

bool rule_split(OpCall *call)
{
    int64_t dim, size, length;
    if (!call_int(call, 1, &length)) return false;
    if (length < 0 && call_tensor(call, 0)->ndim)
        return raise_error(RuntimeError,
                           "split expects split_size be non-negative, but got split_size=%lld",
                           (long long)length);
    if (!read_parts(call, 2, &dim, &size)) return false;
    if (length == 0 && size != 0)
        return raise_error(RuntimeError,
                           "split_size can only be 0 if dimension size is 0, but got dimension "
                           "size of %lld",
                           (long long)size);
    int64_t count = size ? size / length + (size % length != 0) : 1;
    if (!begin_parts(call, count)) return false;
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = size - i * length, here = rest < length ? rest : length;
        if (!set_part(call, i, part(call_tensor(call, 0), (int)dim, i * length, here, true)))
            return false;
    }
    return true;
}

// Adds up the lengths. Where they do not give the size: false with PyTorch's message, which has the
// dim as it was given.
static bool check_lengths(const ValueRef *lengths, size_t count, int64_t dim, int64_t size)
{
    int64_t sum = 0, length;
    bool negative = false, overflow = false;
    for (size_t i = 0; i < count; i++) {
        if (!read_length(lengths[i], &length)) return false;
        if (length < 0) negative = true;
        if (__builtin_add_overflow(sum, length, &sum)) overflow = true;
    }
    if (!negative && !overflow && sum == size) return true;
    Value list = list_from_array(lengths, count), text = list ? object_repr(list) : VALUE_ERROR;
    drop(list);
    if (text && negative)
        raise_error(RuntimeError,
                    "split_with_sizes expects split_sizes have only non-negative entries, but got "
                    "split_sizes=%S",
                    (ValueRef)text);
    else if (text)
        raise_error(RuntimeError,
                    "split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's "
                    "size at dimension %lld), but got split_sizes=%S",
                    (long long)size, (long long)dim, (ValueRef)text);
    drop(text);
    return false;
}

bool rule_split_with_sizes(OpCall *call)
{
    int64_t dim, given, size, start = 0;
    size_t count;
    if (!read_parts(call, 2, &dim, &size) || !call_int(call, 2, &given)) return false;
    const ValueRef *lengths = call_tensors(call, 1, &count);
    if (!check_lengths(lengths, count, given, size) || !begin_parts(call, (int64_t)count))
        return false;
    for (size_t i = 0; i < count; i++) {
        int64_t length;
        if (!read_length(lengths[i], &length) ||
            !set_part(call, (int64_t)i, part(call_tensor(call, 0), (int)dim, start, length, true)))
            return false;
        start += length;
    }
    return true;
}

bool rule_unbind(OpCall *call)
{
    Tensor *self = call_tensor(call, 0);
    int64_t dim, size;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
    if (self->ndim == 0)
        return raise_error(IndexError, "Dimension specified as 0 but tensor has no dimensions");
    if (!read_length(tensor_sizes(self)[dim], &size) || !begin_parts(call, size)) return false;
    for (int64_t i = 0; i < size; i++)
        if (!set_part(call, i, part(self, (int)dim, i, 1, false))) return false;
    return true;
}
