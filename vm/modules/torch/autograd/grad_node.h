// The graph of autograd: what was computed, as nodes that know how to go back.
//
//     y = (x * w).sum()            x, w: leaves that require gradients
//
//     y.grad_fn ---> SumBackward0 ---> MulBackward0 ---> the leaf x
//                        edges[0]          edges[0], [1] --> the leaf w
//
// A node stands for one call of an operator. Its edges lead to where the inputs of that call came
// from: a node, or a leaf tensor, or nothing, where an input needs no gradient. The node keeps what
// the derivative names (saved) and what the results looked like (results: fake tensors). Results
// refer to their node (Tensor.grad_fn), nodes never to their results. So a graph has no cycle, and
// the reference counts free it.
//
//     NODE_FORMULA      an operator: the derivative of its row (formula.h)
//     NODE_FUNCTION     a torch.autograd.Function: the node is the `ctx` of script code
//     NODE_COPY_SLICES  a tensor of which a view was written in place
//     NODE_ACCUMULATE   a leaf, as next_functions shows it; made only when a script asks
//
// (PyTorch: torch/csrc/autograd/function.h, variable.h, saved_variable.h)
#pragma once

#include "objects/call.h"
#include "objects/tensor/tensor.h"
#include "vm/modules/torch/autograd/formula.h"

typedef enum GradNodeKind {
    NODE_FORMULA,
    NODE_FUNCTION,
    NODE_COPY_SLICES,
    NODE_ACCUMULATE
} GradNodeKind;

typedef struct GradEdge {
    Value target;       // a GradNode or a leaf Tensor; VALUE_ERROR = no gradient is wanted
    uint32_t result_nr; // which result of the target
} GradEdge;

// A value that a formula needs. Of a tensor also the version at which it was saved.
typedef struct Saved {
    Value value;  // VALUE_ERROR = freed
    Value unpack; // the hook that makes a tensor of the value; VALUE_ERROR = it is what was saved
    Value source; // of an input that was packed: its grad_fn or AccumulateGrad
    uint64_t version;
    bool is_result; // a result of this node: saved without its grad_fn, which would be a cycle
    uint32_t result_nr;
} Saved;

typedef struct GradNode {
    Object base;
    Value dict;     // the attributes of a NODE_FUNCTION
    Value metadata; // a dict of the script's own, made when it is asked for
    Value weakrefs;
    uint8_t kind; // GradNodeKind
    bool freed;   // what was saved is gone: a second backward is an error
    int edge_count, saved_count, result_count;
    uint64_t sequence; // nodes made later run first
    const Formula *formula;
    GradEdge *edges;
    Saved *saved;
    Value *results;     // what each result looked like: a fake tensor
    Value variable;     // of NODE_ACCUMULATE: the leaf. Of NODE_COPY_SLICES: the view, as a fake
    Value inner;        // of NODE_COPY_SLICES: the node of the operator that wrote the view
    Value hooks;        // OrderedDict id -> hook(grad_inputs, grad_outputs)
    Value prehooks;     // OrderedDict id -> hook(grad_outputs)
    Value tensor_hooks; // dict: result number -> OrderedDict of the hooks on that tensor
    Value retained;     // dict: result number -> weak reference to a tensor with retain_grad()
} GradNode;

extern Type grad_node_type;     // the base of all: torch.autograd.graph.Node
extern Type function_base_type; // torch._C._FunctionBase: its subclasses are script classes
extern Type accumulate_type;    // AccumulateGrad
extern Type copy_slices_type;   // CopySlices

bool grad_node_check(ValueRef value);

static inline GradNode *as_grad_node(ValueRef value)
{
    invariant(grad_node_check(value), "what is read as a node is one");
    return (GradNode *)object_of(value);
}
bool grad_nodes_init(void); // node_types.c: the types, ready
// "MulBackward0"; "torch::autograd::CopySlices" of a node that PyTorch writes by hand.
Value grad_node_name(const GradNode *node);

// A node with room for so many edges, saved values and results, all empty. VALUE_ERROR with
// MemoryError pending.
Value grad_node_new(Type *type, GradNodeKind kind, int edges, int saved, int results);
// The same without room: for a NODE_FUNCTION, which a script makes before it knows how much.
Value grad_node_new_empty(Type *type, GradNodeKind kind);
// Gives it its room. False with MemoryError pending.
bool grad_node_make_room(GradNode *node, int edges, int saved, int results);

// Makes the tensor result number `result_nr` of the node.
bool tensor_set_edge(Tensor *tensor, GradNode *node, uint32_t result_nr);

// Keeps a value in saved[index]. False with RuntimeError for an inference tensor, or MemoryError.
bool grad_node_save(GradNode *node, int index, ValueRef value, int result_nr);
// The AccumulateGrad of a leaf, owned: made here where a script has not asked for it yet.
Value leaf_accumulate(Tensor *leaf);

// What was saved, owned: checks the version; a result gets its grad_fn back. VALUE_ERROR with
// RuntimeError "one of the variables needed for gradient computation has been modified ..." or
// "Trying to backward through the graph a second time ..." pending.
Value grad_node_saved(GradNode *node, int index);
// Lets go of saved tensors. Numbers and shapes stay: a node without tensors can be called again.
void grad_node_free_saved(GradNode *node);
// For the types of nodes.
void grad_node_traverse(Object *object, VisitFn visit, void *arg);
void grad_node_clear(Object *object);
void grad_node_release(Object *object);
// saved.c: the functions of torch._C that set the hooks; each thread has its
// own. saved_finish() lets go of those in force.
extern const MethodDef saved_functions[];
void saved_init(void);
void saved_finish(void);
// A fake tensor that looks like this one: what `results` has.
Value tensor_metadata(const Tensor *tensor);
