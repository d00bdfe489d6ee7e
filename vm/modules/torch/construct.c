// torch.tensor(), torch.as_tensor() and the constructor torch.Tensor(): from nested sequences of
// numbers to a tensor.
//
// The shape is that of the first item of each level, and all items must agree with it. The dtype is
// the highest category among the numbers: bool, int64, or the default dtype.
// (PyTorch: torch/csrc/utils/tensor_new.cpp, internal_new_from_data.)
#include "vm/modules/torch/tensor_parts.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/fake.h"
#include "vm/modules/torch/call/torch_objects.h"

static bool is_sequence(ValueRef value)
{
    return tuple_check(value) || (!tensor_check(value) && sequence_check(value));
}

// Its items are no numbers, although bytes have some.
static bool is_text(ValueRef value)
{
    return str_check(value) || bytes_check(value);
}

// ---- shape

// Adds the length of a sequence; *first is its first item, ABSENT if there is none.
static bool add_length(ValueRef sequence, Shape *shape, Value *first)
{
    ssize_t length;
    Dim size;
    if (shape->ndim == TENSOR_MAX_DIMS)
        return raise_error(ValueError, "too many dimensions '%T'", sequence);
    if (!object_length(sequence, &length) || !dim_from(length, &size)) return false;
    shape->size[shape->ndim++] = size;
    *first = length ? sequence_item(sequence, 0) : ABSENT;
    return *first != VALUE_ERROR;
}

static bool find_shape(ValueRef data, Shape *shape)
{
    Value at = retain(data);
    while (is_sequence(at)) {
        Value first = VALUE_ERROR;
        bool done = add_length(at, shape, &first);
        drop(at);
        if (!done || first == ABSENT) return done;
        at = first;
    }
    drop(at);
    return true;
}

// ---- dtype

static bool promote_all(ValueRef sequence, int depth, Dtype *dtype);

static bool raise_text(ValueRef data)
{
    return raise_error(TypeError, "new(): invalid data type '%T'", data);
}

// Raises *dtype to what the data needs.
static bool promote_data(ValueRef data, int depth, Dtype *dtype)
{
    if (is_bool(data))
        *dtype = promote_types(*dtype, DTYPE_bool);
    else if (int_check(data))
        *dtype = promote_types(*dtype, DTYPE_int64);
    else if (float_check(data))
        *dtype = promote_types(*dtype, op_state.default_dtype);
    else if (complex_check(data))
        *dtype = promote_types(*dtype, dtype_to_complex(op_state.default_dtype));
    else if (tensor_check(data))
        *dtype = promote_types(*dtype, tensor_dtype(as_tensor(data)));
    else if (is_text(data))
        return raise_text(data);
    else if (!is_sequence(data) || depth > TENSOR_MAX_DIMS)
        return raise_error(RuntimeError, "Could not infer dtype of %T", data);
    else
        return promote_all(data, depth, dtype);
    return true;
}

// The items are held in a tuple: a script may change a list meanwhile.
static bool promote_all(ValueRef sequence, int depth, Dtype *dtype)
{
    Value items = sequence_tuple(sequence);
    bool done = items != VALUE_ERROR;
    for (ssize_t i = 0; done && i < tuple_size(items); i++)
        done = promote_data(tuple_at(items, i), depth + 1, dtype);
    drop(items);
    return done;
}

// ---- elements

static bool raise_type(ValueRef value, Dtype dtype)
{
    if (complex_check(value))
        return raise_error(TypeError, "can't convert complex to %s",
                           dtype_is_floating(dtype) ? "float" : "int");
    if (dtype_is_inexact(dtype))
        return raise_error(TypeError, "must be real number, not %T", value);
    return raise_error(TypeError, "an integer is required (got type %T)", value);
}

static bool store_int(ValueRef value, Dtype dtype, char *to)
{
    int64_t number;
    if (dtype_is_inexact(dtype)) return element_store(dtype, value, to);
    if (int_as_int64_clamped(value, &number) != 0)
        return raise_error(RuntimeError, "Overflow when unpacking long");
    element_store_int64(dtype, number, to);
    return true;
}

static bool store_one(ValueRef value, Dtype dtype, char *to)
{
    if (is_bool(value)) return store_int(from_small(value == TRUE), dtype, to);
    if (int_check(value)) return store_int(value, dtype, to);
    if (float_check(value)) {
        if (dtype_is_inexact(dtype) || dtype == DTYPE_bool) return element_store(dtype, value, to);
        element_store_int64(dtype, double_to_int64(float_value(value)), to);
        return true;
    }
    if (complex_check(value) && (dtype_is_complex(dtype) || dtype == DTYPE_bool))
        return element_store(dtype, value, to);
    if (!tensor_check(value)) return raise_type(value, dtype);
    if (!dtype_is_inexact(dtype) && dtype_is_inexact(tensor_dtype(as_tensor(value))))
        return raise_error(TypeError,
                           "only integer tensors of a single element can be converted to an index");
    if (as_tensor(value)->numel != 1)
        return raise_error(ValueError,
                           "only one element tensors can be converted to Python scalars");
    Value item = op_apply(OP_item_, false, &value, 1);
    bool done = item && store_one(item, dtype, to);
    drop(item);
    return done;
}

static bool store_items(ValueRef data, const Shape *shape, int dim, Dtype dtype, char **to);

static bool store_sequence(ValueRef data, const Shape *shape, int dim, Dtype dtype, char **to)
{
    Value items = sequence_tuple(data);
    bool done = items != VALUE_ERROR;
    int64_t want = small_value(shape->size[dim]);
    if (done && tuple_size(items) != want)
        done = raise_error(ValueError, "expected sequence of length %lld at dim %d (got %zd)",
                           (long long)want, dim, tuple_size(items));
    for (ssize_t i = 0; done && i < tuple_size(items); i++)
        done = store_items(tuple_at(items, i), shape, dim + 1, dtype, to);
    drop(items);
    return done;
}

// Fills in the elements from dimension `dim` on; *to goes on past them.
static bool store_items(ValueRef data, const Shape *shape, int dim, Dtype dtype, char **to)
{
    if (dim < shape->ndim) {
        if (is_sequence(data)) return store_sequence(data, shape, dim, dtype, to);
        return raise_error(TypeError, "not a sequence");
    }
    bool done = store_one(data, dtype, *to);
    *to += dtype_size(dtype);
    return done;
}

Value tensor_from_data(ValueRef data, Dtype dtype)
{
    Shape shape;
    shape_init(&shape, 0);
    if (is_text(data)) return raise_text(data) ? NONE : VALUE_ERROR;
    if (!find_shape(data, &shape)) return VALUE_ERROR;
    if (dtype == DTYPE_NONE && !promote_data(data, 0, &dtype)) return VALUE_ERROR;
    if (dtype == DTYPE_NONE) dtype = op_state.default_dtype; // there is no element
    Value made = tensor_new(dtype, shape.ndim, shape.size);
    if (!made) return VALUE_ERROR;
    char *to = tensor_data(as_tensor(made));
    if (store_items(data, &shape, 0, dtype, &to)) return made;
    drop(made);
    return VALUE_ERROR;
}

// ---- torch.tensor() and its relatives

// The tensor in another dtype, or a copy of it: outside of the graph, as all that tensor() makes.
static Value copy_of(ValueRef tensor, Dtype dtype)
{
    ValueRef arguments[] = {tensor, dtype == DTYPE_NONE ? NONE : dtype_value(dtype), FALSE, TRUE};
    bool enabled = op_state.grad_enabled;
    op_state.grad_enabled = false;
    Value made = op_apply(OP_to_dtype, false, arguments, 4);
    op_state.grad_enabled = enabled;
    return made;
}

// None or not given: DTYPE_NONE. False with TypeError pending.
static bool read_dtype(const char *function, ValueRef slot, Dtype *dtype)
{
    *dtype = DTYPE_NONE;
    if (!slot || slot == NONE) return true;
    if (slot == ref_of(&float_type)) *dtype = DTYPE_float64;
    if (slot == ref_of(&complex_type)) *dtype = DTYPE_complex128;
    if (slot == ref_of(&int_type)) *dtype = DTYPE_int64;
    if (slot == ref_of(&bool_type)) *dtype = DTYPE_bool;
    if (dtype_check(slot)) *dtype = dtype_of(slot);
    return *dtype != DTYPE_NONE ||
           raise_error(TypeError, "%s(): argument 'dtype' must be torch.dtype, not %T", function,
                       slot);
}

// Arguments of torch.tensor() and its relatives.
typedef struct DataArguments {
    ValueRef slots[5]; // as below
    Dtype dtype;       // DTYPE_NONE: that of the data
    bool meta;         // on the device meta
} DataArguments;

// False with PyTorch's TypeError pending for what has no parameter. as_tensor() has three of them,
// all by position.
static bool check_given(const char *function, const char *const *names, int positional,
                        size_t nargs, ValueRef kwnames)
{
    if (nargs > (size_t)positional)
        return raise_error(TypeError, "%s() takes 1 positional argument but %zu were given",
                           function, nargs);
    for (ssize_t i = 0; kwnames && i < tuple_size(kwnames); i++) {
        ValueRef name = tuple_at(kwnames, i);
        int at = 0, last = positional > 1 ? positional : 5;
        while (at < last && !str_equal_ascii(name, names[at])) at++;
        if (at == last)
            return raise_error(TypeError, "%s() got an unexpected keyword argument '%S'", function,
                               name);
        if ((size_t)at < nargs)
            return raise_error(TypeError, "%s() got multiple values for argument '%S'", function,
                               name);
    }
    return true;
}

// Binds (data, dtype, device, requires_grad, pin_memory), of which only data goes by position
// unless `positional` says more. `meta`: what goes for no device.
static bool bind(const char *function, int positional, bool meta, METHOD_ARGS, DataArguments *given)
{
    static const char *const names[] = {"data",          "dtype",      "device",
                                        "requires_grad", "pin_memory", NULL};
    const Signature signature = {function, names, 0, positional};
    ValueRef *slots = given->slots;
    if (!check_given(function, names, positional, nargs, kwnames) ||
        !args_bind(&signature, args, nargs, kwnames, slots))
        return false;
    if (!slots[0])
        return raise_error(TypeError, "%s() missing 1 required positional arguments: \"data\"",
                           function);
    given->meta = meta;
    bool placed = slots[2] && slots[2] != NONE;
    return read_dtype(function, slots[1], &given->dtype) &&
           (!placed || device_read(slots[2], &given->meta));
}

static Value with_requires_grad(Value made, ValueRef flag)
{
    if (!made || flag != TRUE || call_require_grad(as_tensor(made))) return made;
    drop(made);
    return VALUE_ERROR;
}

// A fake instead of a tensor, which is its attribute `constant`: its elements are known.
static void replace_by_fake(Value *made, bool meta)
{
    Value fake = fake_like(as_tensor(*made), meta);
    Value name = fake ? str_new("constant") : VALUE_ERROR;
    if (!name || !object_set(fake, name, *made)) drop_slot(&fake);
    drop(name);
    replace_slot(made, fake);
}

// A new tensor of a tensor or of nested sequences.
static Value tensor_like_data(const DataArguments *given)
{
    ValueRef data = given->slots[0];
    bool copies = tensor_check(data);
    if (copies && !given->meta && !op_state.fake_mode && tensor_is(as_tensor(data), TENSOR_META))
        return raise_error(NotImplementedError, "Cannot copy out of meta tensor; no data!");
    Value made = copies ? copy_of(data, given->dtype) : tensor_from_data(data, given->dtype);
    if (!made || !as_tensor(made)->storage) return made;
    if (op_state.fake_mode)
        replace_by_fake(&made, given->meta);
    else if (given->meta)
        replace_slot(&made, fake_like(as_tensor(made), true));
    return made;
}

static Value make_tensor(FUNCTION_ARGS)
{
    DataArguments given;
    if (!bind("tensor", 1, op_state.makes_meta, args, nargs, kwnames, &given)) return VALUE_ERROR;
    return with_requires_grad(tensor_like_data(&given), given.slots[3]);
}

static Value make_as_tensor(FUNCTION_ARGS)
{
    DataArguments given;
    if (!bind("as_tensor", 3, op_state.makes_meta, args, nargs, kwnames, &given))
        return VALUE_ERROR;
    ValueRef data = given.slots[0];
    if (!tensor_check(data)) return tensor_like_data(&given);
    ValueRef dtype = given.dtype == DTYPE_NONE ? NONE : dtype_value(given.dtype);
    bool placed = given.slots[2] || op_state.makes_meta;
    Value device = placed ? device_new(given.meta) : NONE;
    if (!device) return VALUE_ERROR;
    Value made = op_apply(OP_to_device, false, (const ValueRef[]){data, device, dtype}, 3);
    drop(device);
    return made;
}

const MethodDef construct_functions[] = {
    {"tensor", make_tensor, KEYWORD_ARGS,
     "tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False) -> Tensor\n\n"
     "A tensor of nested sequences of numbers."},
    {"as_tensor", make_as_tensor, KEYWORD_ARGS,
     "as_tensor(data, dtype=None, device=None) -> Tensor\n\n"
     "The tensor itself, or a tensor of nested sequences of numbers."},
    {0},
};

Value tensor_new_tensor(ValueRef self, METHOD_ARGS)
{
    const Tensor *like = as_tensor(self);
    DataArguments given;
    if (!bind("new_tensor", 1, tensor_is(like, TENSOR_META), args, nargs, kwnames, &given))
        return VALUE_ERROR;
    if (given.dtype == DTYPE_NONE) given.dtype = tensor_dtype(like);
    return with_requires_grad(tensor_like_data(&given), given.slots[3]);
}

// ---- torch.Tensor(): sizes, a sequence, or a tensor

static Value empty_of(const ValueRef *args, size_t nargs)
{
    Dim sizes[TENSOR_MAX_DIMS];
    if (nargs > TENSOR_MAX_DIMS) return raise_error(RuntimeError, "too many dimensions");
    for (size_t i = 0; i < nargs; i++) {
        if (!is_small(args[i]))
            return raise_error(TypeError, "new(): data must be a sequence (got %T)", args[i]);
        if (small_value(args[i]) < 0)
            return raise_error(RuntimeError, "Trying to create tensor with negative dimension %S",
                               args[i]);
        sizes[i] = from_bits(bits_of(args[i]));
    }
    return tensor_new(op_state.default_dtype, (int)nargs, sizes);
}

static Value legacy_tensor(const ValueRef *args, size_t nargs)
{
    Dim none = from_small(0);
    if (nargs == 0) return tensor_new(op_state.default_dtype, 1, &none);
    if (nargs == 1 && tensor_check(args[0])) return tensor_alias(as_tensor(args[0]), tensor_type);
    if (nargs == 1 && size_check(args[0]))
        return empty_of(lend(as_tuple(args[0])->items), (size_t)tuple_size(args[0]));
    if (nargs == 1 && is_sequence(args[0]))
        return tensor_from_data(args[0], op_state.default_dtype);
    return empty_of(args, nargs);
}

Value tensor_base_new(Type *type, METHOD_ARGS)
{
    if (!args_no_keywords(type->name, kwnames)) return VALUE_ERROR;
    Value made = legacy_tensor(args, nargs);
    if (!made || type == tensor_type) return made;
    Value result = tensor_alias(as_tensor(made), type);
    drop(made);
    return result;
}

// ---- classes

// as_subclass(cls): the same data as an instance of a class derived from Tensor.
// `made` is the result of the operator in place of `view`.
static void take_history(Tensor *made, Tensor *view)
{
    made->flags |= view->flags & (TENSOR_REQUIRES_GRAD | TENSOR_INFERENCE | TENSOR_QUIET_VIEW);
    made->output_nr = view->output_nr;
    made->history_version = view->history_version;
    made->grad_fn = view->grad_fn;
    made->view_base = view->view_base;
    view->grad_fn = view->view_base = VALUE_ERROR;
}

// Without a history.
static Value alias_of_class(ValueRef tensor, ValueRef type)
{
    if (!type_check(type)) return raise_error(TypeError, "cls must be a type (got %T)", type);
    if (!type_is_subtype(as_type(type), &tensor_base_type))
        return raise_error(RuntimeError,
                           "Creating a Tensor subclass from a class that does not inherit from "
                           "Tensor is not possible. Make sure your class inherits from Tensor.");
    return tensor_alias(as_tensor(tensor), as_type(type));
}

Value tensor_as_subclass(ValueRef self, METHOD_ARGS)
{
    if (!tensor_is(as_tensor(self), TENSOR_REQUIRES_GRAD) || !op_state.grad_enabled)
        return alias_of_class(self, args[0]);
    Value view = op_apply(OP_alias_, false, &self, 1);
    Value made = view ? alias_of_class(view, args[0]) : VALUE_ERROR;
    if (made) take_history(as_tensor(made), as_tensor(view));
    drop(view);
    return made;
}

// _make_subclass(cls, data, require_grad=False): the same, detached; a leaf.
Value tensor_make_subclass(ValueRef self, METHOD_ARGS)
{
    (void)self;
    if (!tensor_check(args[1]))
        return raise_error(TypeError, "_make_subclass() expects a class and a Tensor");
    Value made = alias_of_class(args[1], args[0]);
    return with_requires_grad(made, nargs > 2 ? args[2] : FALSE);
}
