// Transforms of functions (torch.func): where a call of an operator leaves C for an interpreter.
//
//     vmap(grad(f))(x)      the stack of interpreters:  grad, level 2      <- answers first
//                                                       vmap, level 1
//
//     y = x.sin()           grad: records sin for x, calls sin with what x wraps
//                           vmap: calls sin once, with the tensor that holds all examples
//                           (the stack is empty: the kernel runs)
//
// A wrapper is a tensor that stands for another one at some level. It shares the storage and has
// a history of its own, so each level of grad has a graph of its own; of a batched tensor it has
// the shape of one example. `wrapper` is a record of the library, which knows the level and the
// tensor within.
//
//     _set_transform((answer, lift, rows)) -> what was set before, or None
//     answer(row, inplace, args, kwargs)    the result; the next transform is in force meanwhile
//     lift(tensor)                          a wrapper of this level; None = nothing is recorded
//     rows                                  the COMPOSED rows that it answers as they are: a dict,
//                                           or True = those that autograd records as a whole
//
// The stack, the levels and the rules are mini-Python's: vm/lib/torch/_C/_functorch.mpy.
// (PyTorch: aten/src/ATen/functorch/DynamicLayer.cpp, TensorWrapper.cpp, BatchedTensorImpl.cpp.)
#include "vm/modules/torch/call/transform.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/thread_parts.h"
#include "vm/modules/torch/call/call_parts.h"

static Value held_transform; // the triple, of this thread; VALUE_ERROR = none
static bool requires_grad_allowed;

// ---- arguments

// What is given for a tensor, by the library, or by a script that has put itself in its place.
static Value a_tensor(Value given)
{
    if (!given || tensor_check(given)) return given;
    raise_error(TypeError, "the transform gave %T for a tensor", (ValueRef)given);
    drop_slot(&given);
    return given;
}

static Value lift(ValueRef value)
{
    if (!tensor_check(value) || !held_transform) return retain(value); // lift() itself can end it
    Value function = retain(tuple_at(held_transform, 1));
    Value lifted = object_call_one(function, value);
    drop(function);
    return a_tensor(lifted);
}

// What a wrapper of a transform that has ended stands for: owned.
static Value unwrap(ValueRef value)
{
    if (!tensor_check(value) || !tensor_is(as_tensor(value), TENSOR_WRAPPER)) return retain(value);
    Value live = library_function("torch._C._functorch", "live");
    Value inner = live ? object_call_one(live, value) : VALUE_ERROR;
    drop(live);
    if (inner == value) // a script has changed the stack by hand
        raise_error(RuntimeError, "a tensor has reached a level below that of its transform");
    if (inner == value) drop_slot(&inner);
    return a_tensor(inner);
}

static Value each_of(ValueRef items, Value (*change)(ValueRef))
{
    Value changed = tuple_new(tuple_size(items));
    for (ssize_t i = 0; changed && i < tuple_size(items); i++) {
        Value item = change(tuple_at(items, i));
        if (!item) drop_slot(&changed);
        if (item) replace_slot(&as_tuple(changed)->items[i], item);
    }
    return changed;
}

// Replaces each tensor among the arguments by change(tensor).
static bool change_tensors(OpCall *call, Value (*change)(ValueRef))
{
    for (int i = 0; i < call->schema->count; i++) {
        ValueRef slot = call->slots[i];
        bool many = call->schema->params[i].type == PARAM_TENSORS && tuple_check(slot);
        if (!many && !tensor_check(slot)) continue;
        if (!call_hold(call, i, many ? each_of(slot, change) : change(slot))) return false;
    }
    return true;
}

bool transform_lift(OpCall *call)
{
    return !op_state.level_records || change_tensors(call, lift);
}

bool transform_unwrap(OpCall *call)
{
    return change_tensors(call, unwrap);
}

// ---- the answer

// Owned; ABSENT = the row is made of others, which are asked about in its place.
static Value row_answered(const OpCall *call, ValueRef rows)
{
    if (!(call->op->kinds & COMPOSED)) return TRUE;
    if (rows == TRUE) return *call->op->derivative ? TRUE : ABSENT;
    return dict_get(rows, from_small((int64_t)op_index(call->op)));
}

static Value ask(const OpCall *call, ValueRef function)
{
    Value args = call_positional(call), kwargs = args ? call_keywords(call) : VALUE_ERROR;
    Value answer = VALUE_ERROR;
    bool enabled = op_state.grad_enabled;
    if (kwargs) {
        ValueRef given[] = {from_small((int64_t)op_index(call->op)), from_bool(call->inplace), args,
                            kwargs};
        answer = object_call(function, given, 4, VALUE_ERROR);
    }
    op_state.grad_enabled = enabled;
    drop(args);
    drop(kwargs);
    return answer;
}

bool transform_run(OpCall *call)
{
    Value transform = retain(held_transform); // a script that runs meanwhile can set another
    Value row = row_answered(call, tuple_at(transform, 2));
    bool done = row == ABSENT ? call_run_composed(call)
                              : row && (!op_state.level_records || call_may_mutate(call)) &&
                                    call_take_answer(call, ask(call, tuple_at(transform, 0)));
    drop(row);
    drop(transform);
    return done;
}

// ---- functions of torch._C

static Value set_transform(FUNCTION_ARGS)
{
    ValueRef given = args[0];
    bool sound = given == NONE || (tuple_check(given) && tuple_size(given) == 3 &&
                                   (tuple_at(given, 2) == TRUE || dict_check(tuple_at(given, 2))));
    if (!sound)
        return raise_error(TypeError, "_set_transform() expects two functions and a dict, or None");
    Value before = held_transform;
    held_transform = given == NONE ? VALUE_ERROR : retain(given);
    op_state.transforming = held_transform != VALUE_ERROR;
    op_state.level_records = held_transform && tuple_at(given, 1) != NONE;
    return before ? before : NONE;
}

// Takes a dimension out of a shape.
static void take_out(Shape *shape, int64_t dim)
{
    drop(shape->size[dim]);
    drop(shape->stride[dim]);
    shape->ndim--;
    for (int64_t i = dim; i < shape->ndim; i++) {
        shape->size[i] = shape->size[i + 1];
        shape->stride[i] = shape->stride[i + 1];
    }
}

// The shape of a tensor without a dimension; None = all. False with an exception pending.
static bool example_shape(ValueRef tensor, ValueRef dim, Shape *shape)
{
    int index;
    if (!tensor_check(tensor))
        return raise_error(TypeError, "a tensor is expected, not %T", tensor);
    tensor_shape(as_tensor(tensor), shape);
    if (dim == NONE) return true;
    bool known = argument_int(dim, &index);
    if (known && index >= 0 && index < shape->ndim) {
        take_out(shape, index);
        return true;
    }
    shape_drop(shape);
    return known && raise_error(IndexError, "there is no such dimension");
}

// _wrap_tensor(record, tensor, dim, base)
static Value wrap_tensor(FUNCTION_ARGS)
{
    Shape shape;
    if (!example_shape(args[1], args[2], &shape)) return VALUE_ERROR;
    Value made = tensor_alias(as_tensor(args[1]), tensor_type);
    if (made && !tensor_set_shape(as_tensor(made), &shape)) drop_slot(&made);
    shape_drop(&shape);
    if (!made) return VALUE_ERROR;
    Tensor *wrapper = as_tensor(made);
    replace_slot(&wrapper->wrapper, retain(args[0]));
    wrapper->flags |= args[2] == NONE ? TENSOR_WRAPPER : TENSOR_WRAPPER | TENSOR_BATCHED;
    if (tensor_check(args[3])) {
        ValueRef base = as_tensor(args[3])->view_base;
        wrapper->view_base = retain(base ? base : args[3]);
    }
    return made;
}

// Does the memory of one tensor serve the shapes of the other?
static bool share_memory(const Tensor *a, const Tensor *b)
{
    return a->storage == b->storage && a->dtype == b->dtype;
}

// _rewrap(wrapper, tensor, dim): the tensor within has another shape now.
static Value rewrap(FUNCTION_ARGS)
{
    Shape shape;
    if (!tensor_check(args[0])) return raise_error(TypeError, "_rewrap() expects a wrapper");
    if (!example_shape(args[1], args[2], &shape)) return VALUE_ERROR;
    if (!share_memory(as_tensor(args[0]), as_tensor(args[1]))) {
        shape_drop(&shape);
        return raise_error(TypeError, "_rewrap() expects a wrapper of the tensor");
    }
    bool done = tensor_set_shape(as_tensor(args[0]), &shape);
    shape_drop(&shape);
    return done ? NONE : VALUE_ERROR;
}

static Value are_active(FUNCTION_ARGS)
{
    return from_bool(op_state.transforming);
}

static Value allow_requires_grad(FUNCTION_ARGS)
{
    bool before = requires_grad_allowed;
    requires_grad_allowed = args[0] == TRUE;
    return from_bool(before);
}

bool transform_allows_requires_grad(void)
{
    if (!op_state.transforming || requires_grad_allowed) return true;
    return raise_error(
        RuntimeError,
        "You are attempting to call Tensor.requires_grad_() (or perhaps using "
        "torch.autograd.functional.* APIs) inside of a function being transformed by a functorch "
        "transform. This is unsupported, please attempt to use the functorch transforms (e.g. "
        "grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
        "transformed instead.");
}

Value tensor_get_wrapper(ValueRef self)
{
    const Tensor *tensor = as_tensor(self);
    return tensor_is(tensor, TENSOR_WRAPPER) ? retain(tensor->wrapper) : NONE;
}

const MethodDef transform_functions[] = {
    {"_set_transform", set_transform, ONE_ARG, "Sets the transform that answers operators."},
    {"_wrap_tensor", wrap_tensor, ARGS(4, 4), "A wrapper: record, tensor, dimension, base."},
    {"_rewrap", rewrap, ARGS(3, 3), "Gives a wrapper the shape of what is within."},
    {"_are_functorch_transforms_active", are_active, NO_ARGS, "Is a transform in force?"},
    {"_allow_requires_grad", allow_requires_grad, ONE_ARG, NULL},
    {0},
};

static void end_of_thread(void)
{
    op_state.transforming = op_state.level_records = false;
    drop_slot(&held_transform);
}

void transform_init(void)
{
    static ThreadPart part = {
        .variables = &held_transform, .size = sizeof held_transform, .end = end_of_thread};
    thread_part_add(&part);
}

void transform_finish(void)
{
    end_of_thread();
}
