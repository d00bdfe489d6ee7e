// The side of autograd that a script sees: attributes and methods of tensors, functions of
// torch._C.
#include "vm/modules/torch/autograd/gradient.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/weakref.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/autograd/engine.h"
#include "vm/modules/torch/autograd/hooks.h"
#include "vm/modules/torch/autograd/record.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/overrides.h"
#include "vm/modules/torch/call/torch_objects.h"
#include "vm/modules/torch/call/transform.h"

// ---- .grad

bool tensor_set_grad(Tensor *tensor, ValueRef grad)
{
    replace_slot(&tensor->grad, grad == NONE ? VALUE_ERROR : retain(grad));
    return true;
}

// `.grad` is laid out as its tensor is, if that has no gaps; else it is contiguous. A dimension of
// size 1 may have any stride but that of an expanded one.
static bool has_layout(const Tensor *grad, const Tensor *tensor)
{
    if (grad->ndim != tensor->ndim) return false; // a hook may have changed it in place
    if (!tensor_is_dense(tensor)) return tensor_is(grad, TENSOR_CONTIGUOUS);
    for (int i = 0; i < grad->ndim; i++)
        if (tensor_sizes(grad)[i] == from_small(1)
                ? tensor_strides(grad)[i] == from_small(0)
                : tensor_strides(grad)[i] != tensor_strides(tensor)[i])
            return false;
    return true;
}

// The gradient may become `.grad` as it is, be it a view: nothing else refers to it.
static bool may_steal(ValueRef grad, const Tensor *tensor)
{
    const Tensor *given = as_tensor(grad);
    return !op_state.grad_enabled && given->base.refcount == 1 && has_layout(given, tensor);
}

static Value contiguous_clone(ValueRef grad)
{
    const ValueRef format = memory_format_value(FORMAT_CONTIGUOUS);
    Value name = str_intern("memory_format");
    Value names = name ? tuple_pack(1, (ValueRef)name) : VALUE_ERROR;
    Value made = names ? op_method(OP_clone_, grad, &format, 0, names) : VALUE_ERROR;
    drop(name);
    drop(names);
    return made;
}

// A copy into new memory, which counts as a write where it is laid out as the tensor is, and is
// recorded where a graph of the gradients is made.
static Value copy_of(ValueRef grad, Tensor *tensor)
{
    if (!tensor_is_dense(tensor)) return contiguous_clone(grad);
    ValueRef like = ref_of(tensor);
    Value made = op_apply(OP_empty_like_, false, &like, 1);
    Value copied = made ? op_apply(OP_copy__, false, (ValueRef[]){made, grad}, 2) : VALUE_ERROR;
    drop(made);
    return copied;
}

static Value sum_of_grads(Tensor *tensor, ValueRef grad)
{
    if (!tensor->grad && may_steal(grad, tensor))
        return as_tensor(grad)->view_base ? op_apply(OP_detach_, false, &grad, 1) : retain(grad);
    if (!tensor->grad) return copy_of(grad, tensor);
    return op_apply(OP_add_Tensor, !op_state.grad_enabled, (ValueRef[]){tensor->grad, grad}, 2);
}

// Hooks of register_post_accumulate_grad_hook(): they are in the leaf's AccumulateGrad.
static bool run_post_hooks(Tensor *tensor)
{
    ValueRef hooks =
        tensor->grad_fn ? (ValueRef)as_grad_node(tensor->grad_fn)->tensor_hooks : VALUE_ERROR;
    Value list = hooks ? dict_values(hooks) : VALUE_ERROR;
    bool done = !hooks || list;
    for (ssize_t i = 0; done && list && i < list_size(list); i++) {
        Value hook = retain(list_at(list, i)), result = object_call_one(hook, ref_of(tensor));
        done = result;
        drop(result);
        drop(hook);
    }
    drop(list);
    return done;
}

bool tensor_accumulate(Tensor *tensor, Value *grad)
{
    Value sum = sum_of_grads(tensor, *grad);
    if (!sum) return false;
    replace_slot(&tensor->grad, sum);
    return run_post_hooks(tensor);
}

static Value get_grad(ValueRef self)
{
    const Tensor *tensor = as_tensor(self);
    if (tensor->grad) return retain(tensor->grad);
    bool warned =
        tensor_is_leaf(tensor) || !tensor_is(tensor, TENSOR_REQUIRES_GRAD) ||
        tensor_is(tensor, TENSOR_RETAINS_GRAD) ||
        warn(
            UserWarning, 1,
            "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
            ".grad "
            "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
            "field "
            "to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If "
            "you "
            "access the non-leaf Tensor by mistake, make sure you access the leaf Tensor instead. "
            "See "
            "github.com/pytorch/pytorch/pull/30531 for more informations. (Triggered internally at "
            "aten/src/ATen/core/TensorBody.h:489.)");
    return warned ? retain(NONE) : VALUE_ERROR;
}

static bool same_sizes(const Tensor *a, const Tensor *b)
{
    return a->ndim == b->ndim &&
           memcmp(tensor_sizes(a), tensor_sizes(b), a->ndim * sizeof(Dim)) == 0;
}

static bool raise_grad_size(const Tensor *grad, const Tensor *tensor)
{
    Value have = shape_text(grad->ndim, tensor_sizes(grad));
    Value want = have ? shape_text(tensor->ndim, tensor_sizes(tensor)) : VALUE_ERROR;
    if (want)
        raise_error(RuntimeError,
                    "attempting to assign a gradient of size '%S' to a tensor of size '%S'. Please "
                    "ensure that the "
                    "gradient and the tensor are the same size",
                    (ValueRef)have, (ValueRef)want);
    drop(want);
    drop(have);
    return false;
}

static bool check_grad(const Tensor *tensor, ValueRef value)
{
    if (!tensor_check(value))
        return raise_error(TypeError,
                           "assigned grad expected to be a Tensor or None but got grad of type %T",
                           value);
    const Tensor *grad = as_tensor(value);
    if (grad == tensor) return raise_error(RuntimeError, "can't assign Variable as its own grad");
    if (grad->dtype != tensor->dtype)
        return raise_error(RuntimeError,
                           "attempting to assign a gradient with dtype '%s' to a tensor with dtype "
                           "'%s'. Please ensure "
                           "that the gradient and the tensor have the same dtype",
                           dtype_table[grad->dtype].short_name,
                           dtype_table[tensor->dtype].short_name);
    return same_sizes(grad, tensor) || raise_grad_size(grad, tensor);
}

static bool set_grad(ValueRef self, ValueRef value)
{
    Tensor *tensor = as_tensor(self);
    if (!value || value == NONE) return tensor_set_grad(tensor, NONE);
    return check_grad(tensor, value) && tensor_set_grad(tensor, value);
}

// ---- .requires_grad, .grad_fn

static Value get_requires_grad(ValueRef self)
{
    return from_bool(tensor_requires_grad(as_tensor(self)));
}

static bool set_requires_grad(ValueRef self, ValueRef value)
{
    Tensor *tensor = as_tensor(self);
    if (!value || !is_bool(value)) return raise_error(RuntimeError, "requires_grad must be a bool");
    bool on = value == TRUE;
    if (!tensor_is_leaf(tensor))
        return on || raise_error(
                         RuntimeError,
                         "you can only change requires_grad flags of leaf variables. If you want "
                         "to use a "
                         "computed variable in a subgraph that doesn't require differentiation use "
                         "var_no_grad = var.detach().");
    if (on && !dtype_is_inexact(tensor_dtype(tensor)))
        return raise_error(
            RuntimeError, "only Tensors of floating point and complex dtype can require gradients");
    if (on && tensor_is(tensor, TENSOR_INFERENCE) && !op_state.inference)
        return raise_error(
            RuntimeError,
            "Setting requires_grad=True on inference tensor outside InferenceMode is not "
            "allowed.");
    tensor->flags = (uint16_t)(on ? tensor->flags | TENSOR_REQUIRES_GRAD
                                  : tensor->flags & ~TENSOR_REQUIRES_GRAD);
    return true;
}

static Value requires_grad_(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"requires_grad", NULL};
    static const Signature signature = {"requires_grad_", names, 0, 1};
    ValueRef slot;
    if (!args_bind(&signature, args, nargs, kwnames, &slot)) return VALUE_ERROR;
    if (slot && !is_bool(slot))
        return raise_error(
            TypeError,
            "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not %T", slot);
    if (!transform_allows_requires_grad()) return VALUE_ERROR;
    if (slot != FALSE && !dtype_is_inexact(tensor_dtype(as_tensor(self))))
        return raise_error(RuntimeError,
                           "only Tensors of floating point dtype can require gradients");
    return set_requires_grad(self, slot ? slot : (ValueRef)TRUE) ? retain(self) : VALUE_ERROR;
}

static Value get_is_leaf(ValueRef self)
{
    if (!tensor_refresh_history(as_tensor(self))) return VALUE_ERROR;
    return from_bool(tensor_is_leaf(as_tensor(self)));
}

static Value get_grad_fn(ValueRef self)
{
    Tensor *tensor = as_tensor(self);
    if (!tensor_refresh_history(tensor)) return VALUE_ERROR;
    return retain(tensor_is_leaf(tensor) ? (ValueRef)NONE : (ValueRef)tensor->grad_fn);
}

static Value get_output_nr(ValueRef self)
{
    return from_small(as_tensor(self)->output_nr);
}

// ---- hooks

static bool needs_gradient(Tensor *tensor, const char *message)
{
    if (!tensor_refresh_history(tensor)) return false;
    return tensor_requires_grad(tensor) || raise_error(RuntimeError, message);
}

static Value get_backward_hooks(ValueRef self)
{
    ValueRef hooks = as_tensor(self)->hooks;
    return retain(hooks ? hooks : (ValueRef)NONE);
}

static Value register_hook(ValueRef self, METHOD_ARGS)
{
    Tensor *tensor = as_tensor(self);
    if (!needs_gradient(tensor, "cannot register a hook on a tensor that doesn't require gradient"))
        return VALUE_ERROR;
    Value handle = hooks_register(&tensor->hooks, args[0]);
    if (!handle || tensor_is_leaf(tensor)) return handle;
    if (hooks_keep(&as_grad_node(tensor->grad_fn)->tensor_hooks, tensor->output_nr, tensor->hooks))
        return handle;
    drop(handle);
    return VALUE_ERROR;
}

static Value register_post_accumulate_grad_hook(ValueRef self, METHOD_ARGS)
{
    Tensor *tensor = as_tensor(self);
    if (!needs_gradient(tensor, "cannot register a hook on a tensor that doesn't require gradient"))
        return VALUE_ERROR;
    if (!tensor_is_leaf(tensor))
        return raise_error(RuntimeError,
                           "post accumulate grad hooks cannot be registered on non-leaf tensors");
    Value node = leaf_accumulate(tensor);
    Value handle = node ? hooks_register(&as_grad_node(node)->tensor_hooks, args[0]) : VALUE_ERROR;
    drop(node);
    return handle;
}

bool tensor_retain_grad(Tensor *tensor)
{
    if (!needs_gradient(tensor, "can't retain_grad on Tensor that has requires_grad=False"))
        return false;
    if (tensor_is_leaf(tensor) || tensor_is(tensor, TENSOR_RETAINS_GRAD)) return true;
    Value reference = weakref_new(ref_of(tensor), VALUE_ERROR);
    bool done = reference &&
                hooks_keep(&as_grad_node(tensor->grad_fn)->retained, tensor->output_nr, reference);
    drop(reference);
    if (done) tensor->flags |= TENSOR_RETAINS_GRAD;
    return done;
}

static Value retain_grad(ValueRef self, METHOD_ARGS)
{
    return tensor_retain_grad(as_tensor(self)) ? NONE : VALUE_ERROR;
}

static Value get_retains_grad(ValueRef self)
{
    return from_bool(tensor_is(as_tensor(self), TENSOR_RETAINS_GRAD));
}

// ---- detaching

static Value detach(ValueRef self, METHOD_ARGS)
{
    Tensor *tensor = as_tensor(self);
    if (op_state.dispatching || op_state.transforming || tensor_is(tensor, TENSOR_WRAPPER))
        return op_apply(OP_detach_, false, &self, 1);
    Value alias = tensor_alias(tensor, tensor->storage ? tensor_type : tensor->base.type);
    if (alias) as_tensor(alias)->flags |= tensor->flags & TENSOR_INFERENCE;
    return alias;
}

static Value detach_(ValueRef self, METHOD_ARGS)
{
    Tensor *tensor = as_tensor(self);
    if (tensor->view_base)
        return raise_error(RuntimeError, "Can't detach views in-place. Use detach() instead. If "
                                         "you are using DistributedDataParallel "
                                         "(DDP) for training, and gradient_as_bucket_view is set "
                                         "as True, gradients are views of DDP "
                                         "buckets, and hence detach_() cannot be called on these "
                                         "gradients. To fix this error, please "
                                         "refer to the Optimizer.zero_grad() function in "
                                         "torch/optim/optimizer.py as the solution.");
    drop_slot(&tensor->grad_fn);
    tensor->output_nr = 0;
    tensor->flags = (uint16_t)(tensor->flags & ~TENSOR_REQUIRES_GRAD);
    return retain(self);
}

// ---- functions of torch._C

static Value is_grad_enabled(FUNCTION_ARGS)
{
    return from_bool(op_state.grad_enabled);
}

static Value set_grad_enabled(FUNCTION_ARGS)
{
    if (!is_bool(args[0]))
        return raise_error(
            TypeError, "set_grad_enabled(): argument 'enabled' (position 1) must be bool, not %T",
            args[0]);
    op_state.grad_enabled = args[0] == TRUE;
    return NONE;
}

static Value is_inference_mode_enabled(FUNCTION_ARGS)
{
    return from_bool(op_state.inference);
}

// _set_inference_mode(inference, grad=not inference): the pair that puts back what was.
static Value set_inference_mode(FUNCTION_ARGS)
{
    Value previous = tuple_pack(2, (ValueRef)from_bool(op_state.inference),
                                (ValueRef)from_bool(op_state.grad_enabled));
    if (!previous) return VALUE_ERROR;
    op_state.inference = args[0] == TRUE;
    op_state.grad_enabled = nargs == 2 ? args[1] == TRUE : !op_state.inference;
    return previous;
}

static bool all_tensors(ValueRef values, bool allow_none)
{
    if (!tuple_check(values))
        return raise_error(TypeError, "expected a tuple of tensors, not %T", values);
    for (ssize_t i = 0; i < tuple_size(values); i++) {
        ValueRef value = tuple_at(values, i);
        if (!tensor_check(value) && !(allow_none && value == NONE))
            return raise_error(TypeError, "element %zd of tensors is not a Tensor", i);
    }
    return true;
}

static bool is_gradient_edge(ValueRef value)
{
    return tuple_check(value) && tuple_size(value) == 2 && grad_node_check(tuple_at(value, 0)) &&
           is_small(tuple_at(value, 1)) && small_value(tuple_at(value, 1)) >= 0 &&
           small_value(tuple_at(value, 1)) < as_grad_node(tuple_at(value, 0))->result_count;
}

static bool all_inputs(ValueRef inputs)
{
    for (ssize_t i = 0; tuple_check(inputs) && i < tuple_size(inputs); i++) {
        ValueRef value = tuple_at(inputs, i);
        if (!tensor_check(value) && !is_gradient_edge(value))
            return raise_error(TypeError,
                               "all inputs have to be Tensors or GradientEdges, but got %T", value);
    }
    return tuple_check(inputs) || raise_bad_call("_run_backward");
}

// _run_backward(tensors, grads, keep_graph, create_graph, inputs, allow_unused, accumulate)
static Value run_backward(FUNCTION_ARGS)
{
    if (!all_tensors(args[0], false) || !all_tensors(args[1], true) || !all_inputs(args[4]))
        return VALUE_ERROR;
    if (tuple_size(args[0]) != tuple_size(args[1]))
        return raise_error(RuntimeError, "got %zd tensors and %zd gradients", tuple_size(args[0]),
                           tuple_size(args[1]));
    BackwardOptions options = {.keep_graph = args[2] == TRUE,
                               .create_graph = args[3] == TRUE,
                               .allow_unused = args[5] == TRUE,
                               .accumulate = args[6] == TRUE};
    return backward_run(args[0], args[1], args[4], &options);
}

// _set_gradient_edge(tensor, node, result_nr, written): the tensor is that result of the node,
// which has written it in place, or made it.
static Value set_gradient_edge(FUNCTION_ARGS)
{
    int number;
    if (!tensor_check(args[0]) || !grad_node_check(args[1]) || !argument_int(args[2], &number))
        return error_pending() ? VALUE_ERROR : raise_bad_call("_set_gradient_edge");
    if (number < 0 || number >= as_grad_node(args[1])->result_count)
        return raise_bad_call("_set_gradient_edge");
    bool (*connect)(Tensor *, GradNode *, uint32_t) =
        args[3] == TRUE ? tensor_rebase_history : tensor_set_edge;
    return connect(as_tensor(args[0]), as_grad_node(args[1]), (uint32_t)number) ? NONE
                                                                                : VALUE_ERROR;
}

static Value bump_version(FUNCTION_ARGS)
{
    if (!tensor_check(args[0])) return raise_bad_call("_bump_version");
    return tensor_count_write(as_tensor(args[0])) ? NONE : VALUE_ERROR;
}

ASKED_METHOD(requires_grad_, requires_grad_)
ASKED_METHOD(register_hook, register_hook)
ASKED_METHOD(register_post_accumulate_grad_hook, register_post_accumulate_grad_hook)
ASKED_METHOD(retain_grad, retain_grad)
ASKED_METHOD(detach, detach)
ASKED_METHOD(detach_, detach_)

const MethodDef autograd_tensor_methods[] = {
    {"requires_grad_", asked_requires_grad_, KEYWORD_ARGS,
     "Sets requires_grad, which is True if not given: the tensor."},
    {"register_hook", asked_register_hook, ONE_ARG,
     "Calls hook(grad) when the gradient is there; it may give another."},
    {"register_post_accumulate_grad_hook", asked_register_post_accumulate_grad_hook, ONE_ARG,
     "Calls hook(tensor) when `.grad` of a leaf has been added to."},
    {"retain_grad", asked_retain_grad, NO_ARGS,
     "backward() stores the gradient of this tensor, which is no leaf, too."},
    {"detach", asked_detach, NO_ARGS, "The same data without a history."},
    {"detach_", asked_detach_, NO_ARGS, "Forgets the history."},
    {0},
};

ASKED_GETTER(requires_grad, get_requires_grad)
ASKED_SETTER(requires_grad, set_requires_grad)
ASKED_GETTER(is_leaf, get_is_leaf)
ASKED_GETTER(grad_fn, get_grad_fn)
ASKED_GETTER(grad, get_grad)
ASKED_SETTER(grad, set_grad)
ASKED_GETTER(_grad, get_grad)
ASKED_SETTER(_grad, set_grad)
ASKED_GETTER(output_nr, get_output_nr)
ASKED_GETTER(retains_grad, get_retains_grad)
ASKED_GETTER(_backward_hooks, get_backward_hooks)

const GetSetDef autograd_tensor_getset[] = {
    {"requires_grad", asked_get_requires_grad, asked_set_requires_grad, NULL},
    {"is_leaf", asked_get_is_leaf, NULL, NULL},
    {"grad_fn", asked_get_grad_fn, NULL, NULL},
    {"grad", asked_get_grad, asked_set_grad, NULL},
    {"_grad", asked_get__grad, asked_set__grad, NULL},
    {"output_nr", asked_get_output_nr, NULL, NULL},
    {"retains_grad", asked_get_retains_grad, NULL, NULL},
    {"_backward_hooks", asked_get__backward_hooks, NULL, NULL},
    {0},
};

// The number of the backward pass that goes on, or -1.
static Value current_graph_task_id(FUNCTION_ARGS)
{
    return int_new(backward_id());
}

// May a function be run again in this backward pass, with a pass of its own?
static Value is_checkpoint_valid(FUNCTION_ARGS)
{
    return from_bool(backward_accumulates());
}

// Does the backward pass that goes on call this node?
static Value will_engine_execute_node(FUNCTION_ARGS)
{
    bool answer;
    if (!grad_node_check(args[0]))
        return raise_error(TypeError, "expected a Node, but got %T", args[0]);
    return backward_will_run(as_grad_node(args[0]), &answer) ? from_bool(answer) : VALUE_ERROR;
}

const MethodDef autograd_functions[] = {
    {"is_grad_enabled", is_grad_enabled, NO_ARGS, "Whether operators record."},
    {"_set_grad_enabled", set_grad_enabled, ONE_ARG, NULL},
    {"is_inference_mode_enabled", is_inference_mode_enabled, NO_ARGS, NULL},
    {"_set_inference_mode", set_inference_mode, ARGS(1, 2), NULL},
    {"_run_backward", run_backward, ARGS(7, 7), "The engine: torch/autograd/__init__.mpy."},
    {"_set_gradient_edge", set_gradient_edge, ARGS(4, 4), NULL},
    {"_bump_version", bump_version, ONE_ARG, NULL},
    {"_current_graph_task_id", current_graph_task_id, NO_ARGS, NULL},
    {"_is_checkpoint_valid", is_checkpoint_valid, NO_ARGS, NULL},
    {"_will_engine_execute_node", will_engine_execute_node, ONE_ARG, NULL},
    {0},
};

bool autograd_init(void)
{
    autograd_record_init();
    saved_init();
    backward_init();
    return grad_nodes_init();
}

void autograd_finish(void)
{
    formulas_finish();
    saved_finish();
}
