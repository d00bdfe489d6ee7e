// Nodes of the graph: their life, and how a tensor is the result of one.
#include "vm/modules/torch/autograd/grad_node.h"

#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/autograd/anomaly.h"

static uint64_t next_sequence;

bool grad_node_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(object_of(value)->type, &grad_node_type);
}

// ---- making nodes

Value grad_node_new_empty(Type *type, GradNodeKind kind)
{
    GradNode *node = object_alloc(type, 0);
    if (!node) return VALUE_ERROR;
    node->kind = (uint8_t)kind;
    node->sequence = next_sequence++;
    bool is_noted = anomaly_state.enabled && kind != NODE_ACCUMULATE;
    if (!is_noted || anomaly_node_made(node)) return own(node);
    drop(own(node));
    return VALUE_ERROR;
}

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
    Value node = grad_node_new_empty(type, kind);
    if (node && grad_node_make_room(as_grad_node(node), edges, saved, results)) return node;
    drop(node);
    return VALUE_ERROR;
}

void grad_node_traverse(Object *object, VisitFn visit, void *arg)
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

void grad_node_clear(Object *object)
{
    GradNode *node = (GradNode *)object;
    drop_slot(&node->dict);
    drop_slot(&node->metadata);
    for (int i = 0; i < node->edge_count; i++) drop_slot(&node->edges[i].target);
    // Not grad_node_free_saved(): at the end of the program the formula that it asks may be gone.
    for (int i = 0; i < node->saved_count; i++) {
        drop_slot(&node->saved[i].value);
        drop_slot(&node->saved[i].unpack);
        drop_slot(&node->saved[i].source);
    }
    node->freed = true;
    for (int i = 0; i < node->result_count; i++) drop_slot(&node->results[i]);
    drop_slot(&node->variable);
    drop_slot(&node->inner);
    drop_slot(&node->hooks);
    drop_slot(&node->prehooks);
    drop_slot(&node->tensor_hooks);
    drop_slot(&node->retained);
}

void grad_node_release(Object *object)
{
    grad_node_clear(object);
    memory_free(((GradNode *)object)->edges);
}

// ---- edges

// It refers to nothing, and so is no part of a cycle: the collector has half as much to walk over
// in a long graph.
Value tensor_metadata(const Tensor *tensor)
{
    Shape shape;
    tensor_shape(tensor, &shape);
    Value fake = tensor_new_fake(&tensor_base_type, VALUE_ERROR, tensor_is(tensor, TENSOR_META),
                                 tensor_dtype(tensor), &shape);
    shape_drop(&shape);
    if (fake && !tensor_is(tensor, TENSOR_SYMBOLIC)) gc_untrack(object_of(fake));
    return fake;
}

bool tensor_set_edge(Tensor *tensor, GradNode *node, uint32_t result_nr)
{
    invariant((int)result_nr < node->result_count, "a node has the result that a tensor is");
    if (!node->results[result_nr]) node->results[result_nr] = tensor_metadata(tensor);
    if (!node->results[result_nr]) return false;
    replace_slot(&tensor->grad_fn, retain(ref_of(node)));
    tensor->output_nr = result_nr;
    tensor->flags |= TENSOR_REQUIRES_GRAD;
    tensor->history_version = tensor_version(tensor);
    return true;
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
