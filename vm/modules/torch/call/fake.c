// Fake tensors: what torch/_subclasses/fake_tensor.mpy needs of C, and what a call asks it.
//
//     _set_fake_type(FakeTensor)         the class of fake results
//     _set_fake_mode(mode) -> before     the mode entered: functions that make tensors make fakes
//     _make_fake(mode, dtype, sizes, strides, offset, meta)
//
// Shapes are C's subject (the rules); what a mode allows is mini-Python's. A mode is any object: C
// only hands it on from the arguments of a call to the results.
#include "vm/modules/torch/call/fake.h"

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/thread_parts.h"
#include "objects/type.h"
#include "vm/modules/torch/call/call_parts.h"

static Value held_type, held_symbolic;
static Value held_mode; // of this thread

// ---- what a call asks the mode

// "function" of torch._subclasses.fake_tensor, called with (mode, name, overload, args, kwargs).
static Value ask_mode(const OpCall *call, const char *function)
{
    Value asked = library_function("torch._subclasses.fake_tensor", function);
    Value parts[] = {call->fake_mode ? retain(call->fake_mode) : NONE, str_new(call->op->name),
                     str_new(call->op->overload), call_positional(call), call_keywords(call)};
    bool done = asked != VALUE_ERROR;
    for (size_t i = 0; i < 5; i++) done = done && parts[i];
    Value answer = done ? object_call(asked, lend(parts), 5, VALUE_ERROR) : VALUE_ERROR;
    for (size_t i = 0; i < 5; i++) drop(parts[i]);
    drop(asked);
    return answer;
}

// What PyTorch calls the operator that finds no function for tensors on the device meta.
static const char *name_without_kernel(const OpCall *call)
{
    if (strncmp(call->op->name, "unique", 6) == 0) return "_unique2";
    bool looks = strcmp(call->op->name, "index") == 0 || strcmp(call->op->name, "argwhere") == 0;
    return looks ? "nonzero" : call->op->name;
}

static bool raise_no_data(const OpCall *call)
{
    bool item = call->op == &op_table[OP_item_];
    if (item && call_tensor(call, 0)->numel != 1)
        return raise_error(RuntimeError,
                           "a Tensor with %lld elements cannot be converted to Scalar",
                           (long long)call_tensor(call, 0)->numel);
    if (item) return raise_error(RuntimeError, "Tensor.item() cannot be called on meta tensors");
    return raise_error(
        NotImplementedError,
        "aten::%s: attempted to run this operator with Meta tensors, but there was no fake impl or "
        "Meta kernel registered. You may have run into this message while using an operator with "
        "PT2 compilation APIs (torch.compile/torch.export); in order to use this operator with "
        "those APIs you'll need to add a fake impl. Please see the following for next steps:  "
        "https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html",
        name_without_kernel(call));
}

bool fake_data_run(OpCall *call)
{
    if (!call->fake_mode) return raise_no_data(call);
    bool sizes = call->schema->results > 0;
    call->result_count = 0;
    return call_take_value(
        call, ask_mode(call, sizes ? "_dynamic_output_shape" : "_data_dependent_output"));
}

bool fake_check_mixed(OpCall *call)
{
    Value answer = ask_mode(call, "_check_mixed");
    drop(answer);
    return answer != VALUE_ERROR;
}

Value fake_like(const Tensor *tensor, bool meta)
{
    Shape shape;
    tensor_shape(tensor, &shape);
    Type *type = op_state.fake_mode ? as_type(op_state.fake_type) : tensor_type;
    Value made = tensor_new_fake(type, op_state.fake_mode, meta, tensor_dtype(tensor), &shape);
    shape_drop(&shape);
    return made;
}

// ---- functions of torch._C

static Value set_fake_type(FUNCTION_ARGS)
{
    if (!type_check(args[0]) || !type_is_subtype(as_type(args[0]), &tensor_base_type))
        return raise_error(TypeError, "_set_fake_type() expects a class derived from TensorBase");
    replace_slot(&held_type, retain(args[0]));
    op_state.fake_type = args[0];
    return NONE;
}

static Value set_fake_mode(FUNCTION_ARGS)
{
    if (!op_state.fake_type) return raise_error(RuntimeError, "there is no class for fakes yet");
    Value before = held_mode ? held_mode : NONE;
    held_mode = args[0] == NONE ? VALUE_ERROR : retain(args[0]);
    op_state.fake_mode = held_mode;
    return before;
}

static bool is_dim(ValueRef value)
{
    return is_small(value) ? small_value(value) >= 0 : symbolic_kind(value) == 0;
}

// The ints and SymInts of a tuple, as Dims: how many; -1 = an exception is pending.
static int read_dims(ValueRef items, Dim *dims)
{
    if (!tuple_check(items) || tuple_size(items) > TENSOR_MAX_DIMS) {
        raise_error(TypeError, "_make_fake() expects tuples of at most %d sizes", TENSOR_MAX_DIMS);
        return -1;
    }
    for (ssize_t i = 0; i < tuple_size(items); i++)
        if (!is_dim(tuple_at(items, i))) {
            raise_error(TypeError, "a size of _make_fake() is %T", tuple_at(items, i));
            return -1;
        }
    for (ssize_t i = 0; i < tuple_size(items); i++) dims[i] = retain(tuple_at(items, i));
    return (int)tuple_size(items);
}

static void drop_dims(Dim *dims, int count)
{
    for (int i = 0; i < count; i++) drop(dims[i]);
}

static Value make_fake(FUNCTION_ARGS)
{
    Shape shape;
    if (!dtype_check(args[1]) || !op_state.fake_type)
        return raise_error(TypeError, "_make_fake() expects a dtype, once there is a class");
    if (!is_dim(args[4])) return raise_error(TypeError, "an offset is an int, not %T", args[4]);
    shape_init(&shape, read_dims(args[2], shape.size));
    if (shape.ndim < 0) return VALUE_ERROR;
    int strides = read_dims(args[3], shape.stride);
    shape.strided = shape.symbolic = true;
    shape.offset = retain(args[4]);
    Value made = VALUE_ERROR;
    if (strides == shape.ndim)
        made = tensor_new_fake(as_type(op_state.fake_type), args[0], nargs > 5 && args[5] == TRUE,
                               dtype_of(args[1]), &shape);
    else if (strides >= 0)
        raise_error(ValueError, "there are %d sizes and %d strides", shape.ndim, strides);
    if (made && nargs > 6 && tensor_check(args[6]))
        tensor_set_unresolved(as_tensor(made), as_tensor(args[6])->flags & TENSOR_UNRESOLVED);
    drop_dims(shape.size, shape.ndim);
    if (strides > 0) drop_dims(shape.stride, strides);
    drop(shape.offset);
    return made;
}

static Value set_makes_meta(FUNCTION_ARGS)
{
    op_state.makes_meta = args[0] == TRUE;
    return NONE;
}

static Value set_symbolic_types(FUNCTION_ARGS)
{
    for (int i = 0; i < 3; i++)
        if (!type_check(args[i])) return raise_error(TypeError, "three classes are expected");
    replace_slot(&held_symbolic, tuple_from_array(args, 3));
    for (int i = 0; held_symbolic && i < 3; i++) op_state.symbolic[i] = as_type(args[i]);
    return held_symbolic ? NONE : VALUE_ERROR;
}

const MethodDef fake_functions[] = {
    {"_set_fake_type", set_fake_type, ONE_ARG, "The class of fake results."},
    {"_set_fake_mode", set_fake_mode, ONE_ARG, "Enters a FakeTensorMode; None = leaves it."},
    {"_make_fake", make_fake, ARGS(5, 7),
     "A fake tensor: mode, dtype, sizes, strides, offset, whether on the device meta; a tensor "
     "that is conjugated or negated as the fake is."},
    {"_set_makes_meta", set_makes_meta, ONE_ARG,
     "Whether functions that are given no device make tensors on the device meta."},
    {"_set_symbolic_types", set_symbolic_types, ARGS(3, 3), "SymInt, SymFloat and SymBool."},
    {0},
};

static void leave_mode(void)
{
    op_state.fake_mode = VALUE_ERROR;
    drop_slot(&held_mode);
}

void fake_init(void)
{
    static ThreadPart part = {.variables = &held_mode, .size = sizeof held_mode, .end = leave_mode};
    thread_part_add(&part);
}

void fake_finish(void)
{
    leave_mode();
    op_state.fake_type = VALUE_ERROR;
    op_state.makes_meta = false;
    memset(op_state.symbolic, 0, sizeof op_state.symbolic);
    drop_slot(&held_type);
    drop_slot(&held_symbolic);
}
