// What a node saves for its derivative.
//
// A tensor is kept with its version: if that has changed when the derivative asks
// for the tensor, backward() raises. A result of the node is kept without its grad_fn, which would
// be a cycle, and gets it back. Under torch.autograd.graph.saved_tensors_hooks(pack, unpack) what
// `pack` makes of the tensor is kept instead, and `unpack` makes a tensor of that.
// (PyTorch: torch/csrc/autograd/saved_variable.cpp)
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/thread_parts.h"
#include "vm/modules/torch/autograd/anomaly.h"
#include "vm/modules/torch/autograd/grad_node.h"
#include "vm/modules/torch/autograd/gradient.h"

static uint64_t version_of(ValueRef value)
{
    return tensor_check(value) ? tensor_version(as_tensor(value)) : 0;
}

// The tensor as another object without history: owned. A dispatch mode sees a detach(), as in
// PyTorch: it knows tensors by their objects.
static Value detached(ValueRef value)
{
    Tensor *tensor = as_tensor(value);
    if (!op_state.dispatching || tensor_is(tensor, TENSOR_WRAPPER))
        return tensor_alias(tensor, tensor->storage ? tensor_type : tensor->base.type);
    bool enabled = op_state.grad_enabled;
    op_state.grad_enabled = false;
    Value made = op_apply(OP_detach_, false, &value, 1);
    op_state.grad_enabled = enabled;
    return made;
}

// ---- packing

static Value hooks; // the pair (pack, unpack) in force in this thread; VALUE_ERROR = none

// Whole tensors go to the hooks; what is saved for its shape only stays.
static bool is_packed(ValueRef value)
{
    return tensor_check(value) && object_of(value)->type != &tensor_base_type;
}

// Of an input: what its gradient goes to, when the formula is differentiated in its turn.
static bool keep_source(Saved *saved, Tensor *tensor)
{
    if (saved->is_result || !tensor_is(tensor, TENSOR_REQUIRES_GRAD)) return true;
    bool leaf = tensor_is_leaf(tensor);
    saved->source = leaf ? leaf_accumulate(tensor) : retain(tensor->grad_fn);
    saved->result_nr = leaf ? 0 : tensor->output_nr;
    return saved->source;
}

static Value call_pack(ValueRef hook, ValueRef tensor)
{
    uint64_t version = version_of(tensor);
    bool enabled = op_state.grad_enabled;
    op_state.grad_enabled = false;
    Value packed = object_call_one(hook, tensor);
    op_state.grad_enabled = enabled;
    if (!packed || version_of(tensor) == version) return packed;
    drop(packed);
    return raise_error(
        RuntimeError,
        "A saved tensor pack hook is modifying its input in place. Tensors provided as input to "
        "pack hook can not be modified by in-place operations as this can lead to unexpected "
        "side-effects. Please open an issue if you need to perform in-place operations on the "
        "input to a pack hook.");
}

// A new result has its history when the hook sees it.
static bool give_history(GradNode *node, const Saved *saved, Tensor *tensor)
{
    bool is_new = saved->is_result && !tensor_is(tensor, TENSOR_REQUIRES_GRAD) &&
                  dtype_is_inexact(tensor_dtype(tensor));
    return !is_new || tensor_set_edge(tensor, node, saved->result_nr);
}

static bool pack(GradNode *node, Saved *saved, Tensor *tensor)
{
    Value pair = retain(hooks);
    if (give_history(node, saved, tensor) && keep_source(saved, tensor)) {
        saved->value = call_pack(tuple_at(pair, 0), ref_of(tensor));
        if (saved->value) saved->unpack = retain(tuple_at(pair, 1));
    }
    drop(pair);
    return saved->value;
}

// The tensor that the hook gives, with the history of the one that was saved.
static Value unpacked(GradNode *node, const Saved *saved)
{
    Value hook = retain(saved->unpack), source = retain(saved->source);
    Value packed = retain(saved->value); // the hook may free the graph
    Value given = object_call_one(hook, packed), result = VALUE_ERROR;
    if (given && !tensor_check(given))
        raise_error(TypeError,
                    "Output of saved tensor unpack_hook expected to be a Tensor but got result "
                    "of type %T",
                    (ValueRef)given);
    else if (given)
        result = detached(given);
    drop(given);
    drop(packed);
    drop(hook);
    GradNode *maker = saved->is_result ? node : source ? as_grad_node(source) : NULL;
    if (result && maker && dtype_is_inexact(tensor_dtype(as_tensor(result))) &&
        !tensor_set_edge(as_tensor(result), maker, saved->result_nr))
        drop_slot(&result);
    drop(source);
    return result;
}

// _set_saved_tensors_hooks((pack, unpack) or None) -> what was set before
static Value set_saved_tensors_hooks(FUNCTION_ARGS)
{
    if (args[0] != NONE && (!tuple_check(args[0]) || tuple_size(args[0]) != 2))
        return raise_bad_call("_set_saved_tensors_hooks");
    Value before = hooks ? hooks : retain(NONE);
    hooks = args[0] == NONE ? VALUE_ERROR : retain(args[0]);
    return before;
}

static Value has_saved_tensors_hooks(FUNCTION_ARGS)
{
    return from_bool(hooks);
}

const MethodDef saved_functions[] = {
    {"_set_saved_tensors_hooks", set_saved_tensors_hooks, ONE_ARG, NULL},
    {"_has_saved_tensors_hooks", has_saved_tensors_hooks, NO_ARGS, NULL},
    {0},
};

void saved_init(void)
{
    static ThreadPart part = {.variables = &hooks, .size = sizeof hooks, .end = saved_finish};
    thread_part_add(&part);
}

void saved_finish(void)
{
    drop_slot(&hooks);
}

// ---- saving

bool grad_node_save(GradNode *node, int index, ValueRef value, int result_nr)
{
    Saved *saved = &node->saved[index];
    if (tensor_check(value) && tensor_is(as_tensor(value), TENSOR_INFERENCE))
        return raise_error(RuntimeError, "Inference tensors cannot be saved for backward. To work "
                                         "around you can make a clone to get a normal tensor and "
                                         "use it in autograd.");
    saved->is_result = result_nr >= 0;
    saved->result_nr = (uint32_t)(result_nr >= 0 ? result_nr : 0);
    if (hooks && is_packed(value)) return pack(node, saved, as_tensor(value));
    saved->version = version_of(value);
    saved->value = saved->is_result ? detached(value) : retain(value);
    return saved->value;
}

// ---- what was saved

static Value raise_modified(const GradNode *node, const Saved *saved)
{
    const char *hint =
        anomaly_state.enabled
            ? "the backtrace further above shows the operation that failed to compute its "
              "gradient. The variable in question was changed in there or anywhere later. Good "
              "luck!"
            : "enable anomaly detection to find the operation that failed to compute its "
              "gradient, with torch.autograd.set_detect_anomaly(True).";
    const Tensor *tensor = as_tensor(saved->value);
    Value sizes = shape_text(tensor->ndim, tensor_sizes(tensor));
    bool whole = !dtype_is_inexact(tensor_dtype(tensor)); // such a result has no history
    const GradNode *maker = saved->is_result  ? (whole ? NULL : node)
                            : tensor->grad_fn ? as_grad_node(tensor->grad_fn)
                                              : NULL;
    Value name = maker ? grad_node_name(maker) : str_new("");
    uint32_t number = saved->is_result ? saved->result_nr : tensor->output_nr;
    Value made = maker && name ? format_text(", which is output %u of %S,", number, (ValueRef)name)
                               : retain(name);
    drop(name);
    if (sizes && made)
        raise_error(RuntimeError,
                    "one of the variables needed for gradient computation has been modified by an "
                    "inplace operation: [%s %S]%S is at version %llu; expected version %llu "
                    "instead. Hint: %s",
                    dtype_table[tensor->dtype].type, (ValueRef)sizes, (ValueRef)made,
                    (unsigned long long)tensor_version(tensor), (unsigned long long)saved->version,
                    hint);
    drop(made);
    drop(sizes);
    return VALUE_ERROR;
}

static Value raise_freed(void)
{
    return raise_error(
        RuntimeError,
        "Trying to backward through the graph a second time (or directly access saved "
        "tensors after they have already been freed). Saved intermediate values of the "
        "graph are freed when you call .backward() or autograd.grad(). Specify "
        "retain_graph=True if you need to backward through the graph a second time or "
        "if you need to access saved tensors after calling backward.");
}

Value grad_node_saved(GradNode *node, int index)
{
    const Saved *saved = &node->saved[index];
    if (!saved->value) return raise_freed();
    if (saved->unpack) return unpacked(node, saved);
    if (version_of(saved->value) != saved->version) return raise_modified(node, saved);
    if (!saved->is_result) return retain(saved->value);
    Value result = detached(saved->value);
    if (!result || !dtype_is_inexact(tensor_dtype(as_tensor(result)))) return result;
    if (tensor_set_edge(as_tensor(result), node, saved->result_nr)) return result;
    drop(result);
    return VALUE_ERROR;
}

// A number in a tensor's place counts as a tensor.
static bool stays(const GradNode *node, int index)
{
    const Saved *saved = &node->saved[index];
    if (saved->unpack) return false;
    if (node->kind != NODE_FORMULA) return !is_object(saved->value);
    const SavedSource *source = &node->formula->saved[index];
    // Sizes that are symbols would keep what they are symbols of.
    if (source->from == FROM_SHAPE)
        return !tensor_check(saved->value) || !tensor_is(as_tensor(saved->value), TENSOR_SYMBOLIC);
    if (source->from == FROM_RESULT) return false;
    ParamType type = node->formula->schema->params[source->index].type;
    if (type == PARAM_TENSOR) return saved->value == NONE;
    return type != PARAM_TENSORS;
}

void grad_node_free_saved(GradNode *node)
{
    for (int i = 0; i < node->saved_count; i++) {
        if (!stays(node, i)) drop_slot(&node->saved[i].value);
        drop_slot(&node->saved[i].unpack);
        drop_slot(&node->saved[i].source);
    }
    node->freed = true;
}
