// What a script sees of the nodes of the graph: their types, attributes and methods.
#include "vm/modules/torch/autograd/grad_node.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/autograd/engine.h"
#include "vm/modules/torch/autograd/gradient.h"
#include "vm/modules/torch/autograd/hooks.h"
#include "vm/modules/torch/autograd/record.h"

static Value node_name(ValueRef self, METHOD_ARGS)
{
    return grad_node_name(as_grad_node(self));
}

static Value edge_pair(const GradEdge *edge)
{
    Value target = !edge->target                   ? retain(NONE)
                   : grad_node_check(edge->target) ? retain(edge->target)
                                                   : leaf_accumulate(as_tensor(edge->target));
    Value pair = target ? tuple_pack(2, (ValueRef)target, (ValueRef)from_small(edge->result_nr))
                        : VALUE_ERROR;
    drop(target);
    return pair;
}

static Value get_next_functions(ValueRef self)
{
    const GradNode *node = as_grad_node(self);
    Value pairs = tuple_new(node->edge_count);
    for (int i = 0; pairs && i < node->edge_count; i++) {
        as_tuple(pairs)->items[i] = edge_pair(&node->edges[i]);
        if (!as_tuple(pairs)->items[i]) {
            drop(pairs);
            return VALUE_ERROR;
        }
    }
    return pairs;
}

static Value get_sequence(ValueRef self, METHOD_ARGS)
{
    return int_from_uint64(as_grad_node(self)->sequence);
}

// A dict for whatever a script wants to keep with the node.
static Value get_metadata(ValueRef self)
{
    GradNode *node = as_grad_node(self);
    if (!node->metadata) node->metadata = dict_new();
    return node->metadata ? retain(node->metadata) : VALUE_ERROR;
}

static Value node_new(Type *type, METHOD_ARGS)
{
    return raise_error(TypeError, "cannot create '%s' instances", type->name);
}

// Attributes _saved_NAME: the values that the formula names.
static Value node_getattribute(ValueRef self, ValueRef name)
{
    static const char prefix[] = "_saved_";
    GradNode *node = as_grad_node(self);
    size_t size;
    const char *text = str_utf8(name, &size);
    if (!text) return VALUE_ERROR;
    bool saved =
        node->formula && size >= sizeof prefix && memcmp(text, prefix, sizeof prefix - 1) == 0;
    int index = saved ? formula_saved_named(node->formula, text + sizeof prefix - 1) : -1;
    return index >= 0 ? grad_node_saved(node, index) : object_generic_get(self, name);
}

// ---- hooks

static Value node_register_hook(ValueRef self, METHOD_ARGS)
{
    return hooks_register(&as_grad_node(self)->hooks, args[0]);
}

static Value node_register_prehook(ValueRef self, METHOD_ARGS)
{
    return hooks_register(&as_grad_node(self)->prehooks, args[0]);
}

// ---- the ctx of a Function (torch/autograd/function.mpy)

// torch._C._FunctionBase(): the room is made when the results are known.
static Value function_base_new(Type *type, METHOD_ARGS)
{
    return grad_node_new_empty(type, NODE_FUNCTION);
}

// The number of the result that this is; -1 = it is none.
static int result_index(ValueRef results, ValueRef value)
{
    for (ssize_t i = 0; value != NONE && i < tuple_size(results); i++)
        if (tuple_at(results, i) == value) return (int)i;
    return -1;
}

// What the results look like: backward gets zeros for one that has no gradient.
static bool describe_results(GradNode *node, ValueRef results)
{
    for (int i = 0; i < node->result_count; i++) {
        ValueRef result = tuple_at(results, i);
        if (!tensor_check(result)) continue;
        node->results[i] = tensor_metadata(as_tensor(result));
        if (!node->results[i]) return false;
    }
    return true;
}

static bool fill_function(GradNode *node, ValueRef args, ValueRef results, ValueRef saved)
{
    if (!describe_results(node, results)) return false;
    for (int i = 0; i < node->edge_count; i++) {
        ValueRef argument = tuple_at(args, i);
        if (tensor_check(argument) && !tensor_edge(as_tensor(argument), &node->edges[i]))
            return false;
    }
    for (int i = 0; i < node->saved_count; i++) {
        ValueRef value = tuple_at(saved, i);
        if (value != NONE && !tensor_check(value))
            return raise_error(TypeError,
                               "save_for_backward can only save variables, but argument %d "
                               "is of type %T",
                               i, value);
        if (!grad_node_save(node, i, value, result_index(results, value))) return false;
    }
    return true;
}

// _record(args, results, saved): edges from the arguments of forward, and what backward needs. All
// three are tuples.
static Value function_record(ValueRef self, METHOD_ARGS)
{
    GradNode *node = as_grad_node(self);
    for (int i = 0; i < 3; i++)
        if (!tuple_check(args[i]) || tuple_size(args[i]) > INT32_MAX || node->edges)
            return raise_bad_call("_record");
    if (!grad_node_make_room(node, (int)tuple_size(args[0]), (int)tuple_size(args[2]),
                             (int)tuple_size(args[1])))
        return VALUE_ERROR;
    return fill_function(node, args[0], args[1], args[2]) ? NONE : VALUE_ERROR;
}

static Value get_saved_tensors(ValueRef self)
{
    GradNode *node = as_grad_node(self);
    Value tensors = tuple_new(node->saved_count);
    for (int i = 0; tensors && i < node->saved_count; i++) {
        as_tuple(tensors)->items[i] = grad_node_saved(node, i);
        if (as_tuple(tensors)->items[i]) continue;
        drop(tensors);
        return VALUE_ERROR;
    }
    return tensors;
}

static const MethodDef function_methods[] = {
    {"_record", function_record, ARGS(3, 3), NULL},
    {0},
};
static const GetSetDef function_getset[] = {
    {"saved_tensors", get_saved_tensors, NULL, "What save_for_backward() was given."},
    {0},
};

// ---- the types

static Value get_variable(ValueRef self)
{
    return retain(as_grad_node(self)->variable);
}

static bool check_gradients(const GradNode *node, const ValueRef *grads, size_t count)
{
    if ((int)count != node->result_count)
        return raise_error(TypeError, "expected %d arguments, got %zu instead", node->result_count,
                           count);
    for (size_t i = 0; i < count; i++)
        if (grads[i] != NONE && !tensor_check(grads[i]))
            return raise_error(TypeError, "argument %zu is not a Variable", i);
    return true;
}

// One gradient alone, or a tuple of them; None where an input has none.
static Value gradients_given(Value *results, int count)
{
    for (int i = 0; i < count; i++)
        if (!results[i]) results[i] = NONE;
    return count == 1 ? retain(results[0]) : tuple_from_array(lend(results), (size_t)count);
}

static Value run_alone(GradNode *node, ValueRef grads)
{
    Value *results = memory_alloc_zeroed((node->edge_count + 1u) * sizeof *results);
    if (!results) return raise_memory_error();
    int count = node->edge_count;
    Value given =
        grad_node_run(node, grads, results) ? gradients_given(results, count) : VALUE_ERROR;
    for (int i = 0; i < count; i++) drop(results[i]);
    memory_free(results);
    return given;
}

// node(grad, ...): what the engine does with it, without hooks. An AccumulateGrad adds to .grad.
static Value node_call(ValueRef self, METHOD_ARGS)
{
    GradNode *node = as_grad_node(self);
    if (!args_no_keywords("grad_fn", kwnames) || !check_gradients(node, args, nargs))
        return VALUE_ERROR;
    Value grads = tuple_from_array(args, nargs);
    Value given = VALUE_ERROR;
    if (grads && node->kind != NODE_ACCUMULATE)
        given = run_alone(node, grads);
    else if (grads && (args[0] == NONE ||
                       tensor_accumulate(as_tensor(node->variable), &as_tuple(grads)->items[0])))
        given = tuple_new(0);
    drop(grads);
    return given;
}

static const MethodDef node_methods[] = {
    {"name", node_name, NO_ARGS, "The name of the class: what grad_fn=<...> shows."},
    {"register_hook", node_register_hook, ONE_ARG,
     "Calls hook(grad_inputs, grad_outputs) after the node has run: a RemovableHandle."},
    {"register_prehook", node_register_prehook, ONE_ARG,
     "Calls hook(grad_outputs) before the node runs: a RemovableHandle."},
    {"_sequence_nr", get_sequence, NO_ARGS, "How many nodes were made before this one."},
    {0},
};
static const GetSetDef node_getset[] = {
    {"next_functions", get_next_functions, NULL, "A pair (node, result number) for each edge."},
    {"metadata", get_metadata, NULL, "A dict of the script's own."},
    {0},
};
static const GetSetDef accumulate_getset[] = {{"variable", get_variable, NULL, "The leaf."}, {0}};

#define NODE_SLOTS                                                                                 \
    .release = grad_node_release, .traverse = grad_node_traverse, .clear = grad_node_clear,        \
    .weakref_offset = offsetof(GradNode, weakrefs)

Type grad_node_type = {
    STATIC_TYPE("torch.autograd.graph.Node", sizeof(GradNode)),
    .flags = TYPE_BASE | TYPE_GC,
    .methods = node_methods,
    .getset = node_getset,
    .getattribute = node_getattribute,
    .call = node_call,
    .new_ = node_new,
    .doc = "A step of the graph that backward() walks.",
    NODE_SLOTS,
};
Type function_base_type = {
    STATIC_TYPE("torch._C._FunctionBase", sizeof(GradNode)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &grad_node_type,
    .methods = function_methods,
    .getset = function_getset,
    .new_ = function_base_new,
    .dict_offset = offsetof(GradNode, dict),
    NODE_SLOTS,
};
Type accumulate_type = {
    STATIC_TYPE("AccumulateGrad", sizeof(GradNode)),
    .flags = TYPE_GC,
    .base_type = &grad_node_type,
    .getset = accumulate_getset,
    NODE_SLOTS,
};
Type copy_slices_type = {
    STATIC_TYPE("CopySlices", sizeof(GradNode)),
    .flags = TYPE_GC,
    .base_type = &grad_node_type,
    NODE_SLOTS,
};

bool grad_nodes_init(void)
{
    return type_ready(&grad_node_type) && type_ready(&function_base_type) &&
           type_ready(&accumulate_type) && type_ready(&copy_slices_type);
}
