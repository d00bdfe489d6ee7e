// torch.tensor(): a tensor of nested sequences of numbers.
//
// The shape is that of the first item of each level, and all items must agree with it. The dtype is
// the highest category among the numbers: bool, int64, or the default dtype.
// (PyTorch: torch/csrc/utils/tensor_new.cpp, internal_new_from_data.)
#include "vm/modules/torch/tensor_parts.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/torch_objects.h"

// ---- the items of a sequence; a script may change a list meanwhile, so they are held

static bool is_sequence(ValueRef value)
{
    if (list_check(value) || tuple_check(value)) return true;
    return !str_check(value) && !tensor_check(value) && sequence_check(value);
}

static bool is_number(ValueRef value)
{
    return int_check(value) || float_check(value);
}

static bool raise_unknown(const char *function, ValueRef value)
{
    if (str_check(value)) return raise_error(TypeError, "new(): invalid data type 'str'");
    return raise_error(RuntimeError, "Could not infer dtype of %T", value);
    (void)function;
}

// ---- shape

static bool find_shape(ValueRef data, Shape *shape)
{
    Value at = retain(data);
    while (at && is_sequence(at)) {
        ssize_t length;
        if (shape->ndim == TENSOR_MAX_DIMS) {
            drop(at);
            return raise_error(ValueError, "too many dimensions '%T'", data);
        }
        bool known = object_length(at, &length);
        if (known) shape->size[shape->ndim++] = from_small(length);
        Value next = known && length ? sequence_item(at, 0) : VALUE_ERROR;
        drop(at);
        if (!known || !length) return known;
        at = next;
    }
    if (at && tensor_check(at)) {
        const Tensor *tensor = as_tensor(at);
        for (int i = 0; i < tensor->ndim && shape->ndim < TENSOR_MAX_DIMS; i++)
            shape->size[shape->ndim++] = tensor_sizes(tensor)[i];
    }
    drop(at);
    return at != VALUE_ERROR;
}

// ---- dtype

static bool find_dtype(ValueRef data, int depth, Dtype *dtype)
{
    Dtype found;
    if (is_bool(data))
        found = DTYPE_bool;
    else if (int_check(data))
        found = DTYPE_int64;
    else if (float_check(data))
        found = op_state.default_dtype;
    else if (tensor_check(data))
        found = tensor_dtype(as_tensor(data));
    else if (!is_sequence(data) || depth > TENSOR_MAX_DIMS)
        return raise_unknown("tensor", data);
    else {
        Value items = sequence_tuple(data);
        bool done = items != VALUE_ERROR;
        for (ssize_t i = 0; done && i < tuple_size(items); i++)
            done = find_dtype(tuple_at(items, i), depth + 1, dtype);
        drop(items);
        return done;
    }
    *dtype = promote_types(*dtype, found);
    return true;
}

// ---- elements

static bool raise_length(const Shape *shape, int dim, ssize_t length)
{
    return raise_error(ValueError, "expected sequence of length %lld at dim %d (got %zd)",
                       (long long)small_value(shape->size[dim]), dim, length);
}

static bool raise_type(ValueRef value, Dtype dtype)
{
    bool real = dtype_is_floating(dtype);
    if (is_sequence(value)) return raise_error(TypeError, "not a sequence");
    return raise_error(
        TypeError, real ? "must be real number, not %T" : "an integer is required (got type %T)",
        value);
}

static bool store_one(ValueRef value, Dtype dtype, char *to)
{
    if (is_number(value)) return element_store(dtype, value, to);
    if (!tensor_check(value)) return raise_type(value, dtype);
    Value item = op_apply(OP_item_, false, &value, 1);
    bool done = item && element_store(dtype, item, to);
    drop(item);
    return done;
}

// Fills in the elements from dimension `dim` on; *to goes on behind them.
static bool store_items(ValueRef data, const Shape *shape, int dim, Dtype dtype, char **to)
{
    if (dim == shape->ndim) {
        bool done = store_one(data, dtype, *to);
        *to += dtype_size(dtype);
        return done;
    }
    if (tensor_check(data)) {
        Value list = object_call_method_none(data, str_find_interned("tolist"));
        bool done = list && store_items(list, shape, dim, dtype, to);
        drop(list);
        return done;
    }
    if (!is_sequence(data)) return raise_error(TypeError, "new(): invalid data type '%T'", data);
    Value items = sequence_tuple(data);
    if (!items) return false;
    bool done = tuple_size(items) == small_value(shape->size[dim]) ||
                raise_length(shape, dim, tuple_size(items));
    for (ssize_t i = 0; done && i < tuple_size(items); i++)
        done = store_items(tuple_at(items, i), shape, dim + 1, dtype, to);
    drop(items);
    return done;
}

Value tensor_from_data(const char *function, ValueRef data, Dtype dtype)
{
    Shape shape;
    (void)function;
    shape_init(&shape, 0);
    if (!find_shape(data, &shape)) return VALUE_ERROR;
    if (dtype == DTYPE_NONE && !find_dtype(data, 0, &dtype)) return VALUE_ERROR;
    if (dtype == DTYPE_NONE) dtype = op_state.default_dtype; // there is no element
    Value made = tensor_new(dtype, shape.ndim, shape.size);
    if (!made) return VALUE_ERROR;
    char *to = tensor_data(as_tensor(made));
    if (store_items(data, &shape, 0, dtype, &to)) return made;
    drop(made);
    return VALUE_ERROR;
}

// ---- torch.tensor()

// A copy of a tensor, detached.
static Value copy_of(const Tensor *tensor, Dtype dtype)
{
    Value made = tensor_new(dtype == DTYPE_NONE ? tensor_dtype(tensor) : dtype, tensor->ndim,
                            tensor_sizes(tensor));
    if (made && iterate_copy(as_tensor(made), tensor)) return made;
    drop(made);
    return VALUE_ERROR;
}

static Value make_tensor(FUNCTION_ARGS)
{
    static const char *const names[] = {"data",          "dtype",      "device",
                                        "requires_grad", "pin_memory", NULL};
    static const Signature signature = {"tensor", names, 1, 1};
    ValueRef slots[5];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Dtype dtype = DTYPE_NONE;
    if (slots[1] && slots[1] != NONE && !dtype_check(slots[1]))
        return raise_error(TypeError, "tensor(): argument 'dtype' must be torch.dtype, not %T",
                           slots[1]);
    if (slots[1] && slots[1] != NONE) dtype = dtype_of(slots[1]);
    if (slots[2] && !device_is_present(slots[2])) return VALUE_ERROR;
    Value made = tensor_check(slots[0]) ? copy_of(as_tensor(slots[0]), dtype)
                                        : tensor_from_data("tensor", slots[0], dtype);
    if (!made || !slots[3] || slots[3] != TRUE) return made;
    ValueRef arguments[] = {TRUE};
    Value result = object_call_method_one(made, str_find_interned("requires_grad_"), arguments[0]);
    drop(made);
    return result;
}

const MethodDef construct_functions[] = {
    {"tensor", make_tensor, KEYWORD_ARGS,
     "tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor\n\n"
     "A tensor of nested sequences of numbers."},
    {0},
};
