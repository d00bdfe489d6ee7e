// Nodes of the graph: their life, what they save, and what a script sees of them.
#include "vm/modules/torch/autograd/grad_node.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/weakref.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/autograd/anomaly.h"
#include "vm/modules/torch/autograd/engine.h"
#include "vm/modules/torch/autograd/gradient.h"
#include "vm/modules/torch/autograd/hooks.h"
#include "vm/modules/torch/autograd/record.h"

static uint64_t next_sequence;

bool grad_node_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(object_of(value)->type, &grad_node_type);
}

// ---- making nodes

// One block: the edges, the saved values, the results.
bool grad_node_make_room(GradNode *node, int edges, int saved, int results)
{
    invariant(!node->edges, "a node gets its room once");
    size_t bytes = (size_t)edges * sizeof(GradEdge) + (size_t)saved * sizeof(Saved) +
                   (size_t)results * sizeof(Value);
    char *block = memory_alloc_zeroed(bytes ? bytes : 1);
    if (!block) return raise_memory_error();
    node->edges = (GradEdge *)(void *)block;
    node->saved = (Saved *)(void *)(block + (size_t)edges * sizeof(GradEdge));
    node->results = (Value *)(void *)(node->saved + saved);
    node->edge_count = edges;
    node->saved_count = saved;
    node->result_count = results;
    return true;
}

Value grad_node_new(Type *type, GradNodeKind kind, int edges, int saved, int results)
{
    GradNode *node = object_alloc(type, 0);
    if (!node) return VALUE_ERROR;
    node->kind = (uint8_t)kind;
    node->sequence = next_sequence++;
    bool done = grad_node_make_room(node, edges, saved, results);
    if (done && anomaly_state.enabled && kind != NODE_ACCUMULATE) done = anomaly_node_made(node);
    if (done) return own(node);
    drop(own(node));
    return VALUE_ERROR;
}

// torch._C._FunctionBase(): the room is made when the results are known.
static Value function_base_new(Type *type, METHOD_ARGS)
{
    GradNode *node = object_alloc(type, 0);
    if (!node) return VALUE_ERROR;
    node->kind = NODE_FUNCTION;
    node->sequence = next_sequence++;
    if (!anomaly_state.enabled || anomaly_node_made(node)) return own(node);
    drop(own(node));
    return VALUE_ERROR;
}

static void node_traverse(Object *object, VisitFn visit, void *arg)
{
    const GradNode *node = (const GradNode *)object;
    visit_item(node->dict, visit, arg);
    visit_item(node->metadata, visit, arg);
    for (int i = 0; i < node->edge_count; i++) visit_item(node->edges[i].target, visit, arg);
    for (int i = 0; i < node->saved_count; i++) {
        visit_item(node->saved[i].value, visit, arg);
        visit_item(node->saved[i].unpack, visit, arg);
        visit_item(node->saved[i].source, visit, arg);
    }
    visit_items(node->results, node->result_count, visit, arg);
    visit_item(node->variable, visit, arg);
    visit_item(node->inner, visit, arg);
    visit_item(node->hooks, visit, arg);
    visit_item(node->prehooks, visit, arg);
    visit_item(node->tensor_hooks, visit, arg);
    visit_item(node->retained, visit, arg);
}

static void node_clear(Object *object)
{
    GradNode *node = (GradNode *)object;
    drop_slot(&node->dict);
    drop_slot(&node->metadata);
    for (int i = 0; i < node->edge_count; i++) drop_slot(&node->edges[i].target);
    grad_node_free_saved(node);
    for (int i = 0; i < node->result_count; i++) drop_slot(&node->results[i]);
    drop_slot(&node->variable);
    drop_slot(&node->inner);
    drop_slot(&node->hooks);
    drop_slot(&node->prehooks);
    drop_slot(&node->tensor_hooks);
    drop_slot(&node->retained);
}

static void node_release(Object *object)
{
    node_clear(object);
    memory_free(((GradNode *)object)->edges);
}

// ---- edges

// It refers to nothing, and so is no part of a cycle: the collector has half as much to walk over
// in a long graph.
Value tensor_metadata(const Tensor *tensor)
{
    Shape shape;
    tensor_shape(tensor, &shape);
    Value fake = tensor_new_fake(&tensor_base_type, VALUE_ERROR, tensor_dtype(tensor), &shape);
    shape_drop(&shape);
    if (fake && !tensor_is(tensor, TENSOR_SYMBOLIC)) gc_untrack(object_of(fake));
    return fake;
}

bool tensor_edge(Tensor *tensor, GradEdge *edge)
{
    *edge = (GradEdge){0};
    if (!tensor_refresh_history(tensor)) return false;
    if (!tensor_is(tensor, TENSOR_REQUIRES_GRAD)) return true;
    const GradNode *node = tensor->grad_fn ? as_grad_node(tensor->grad_fn) : NULL;
    bool leaf = !node || node->kind == NODE_ACCUMULATE;
    ValueRef target = !node ? ref_of(tensor) : leaf ? (ValueRef)node->variable : ref_of(node);
    edge->target = retain(target);
    edge->result_nr = leaf ? 0 : tensor->output_nr;
    return true;
}

bool tensor_set_edge(Tensor *tensor, GradNode *node, uint32_t result_nr)
{
    invariant((int)result_nr < node->result_count, "a node has the result that a tensor is");
    if (!node->results[result_nr]) node->results[result_nr] = tensor_metadata(tensor);
    if (!node->results[result_nr]) return false;
    replace_slot(&tensor->grad_fn, retain(ref_of(node)));
    tensor->output_nr = result_nr;
    tensor->flags |= TENSOR_REQUIRES_GRAD;
    tensor->history_version = tensor->storage ? tensor->storage->version : 0;
    return true;
}

// ---- what a script sees

// The nodes that PyTorch writes by hand are called as in C++.
Value grad_node_name(const GradNode *node)
{
    Type *type = node->base.type;
    const Formula *formula = node->formula;
    bool by_hand = type == &accumulate_type || type == &copy_slices_type ||
                   strcmp(type->name, "CopyBackwards") == 0 ||
                   (formula && strcmp(formula->op->derivative, "NotImplemented") == 0);
    return by_hand ? format_text("torch::autograd::%s", type->name) : type_name(type);
}

static Value node_name(ValueRef self, METHOD_ARGS)
{
    return grad_node_name(as_grad_node(self));
}

Value leaf_accumulate(Tensor *leaf)
{
    if (leaf->grad_fn) return retain(leaf->grad_fn);
    Value node = grad_node_new(&accumulate_type, NODE_ACCUMULATE, 0, 0, 1);
    if (!node) return VALUE_ERROR;
    as_grad_node(node)->variable = retain(ref_of(leaf));
    leaf->grad_fn = retain(node);
    return node;
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
    else if (grads && (args[0] == NONE || tensor_accumulate(as_tensor(node->variable),
                                                            &as_tuple(grads)->items[0])))
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
    .release = node_release, .traverse = node_traverse, .clear = node_clear,                       \
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
