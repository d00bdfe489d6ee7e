// From a call of an operator to its node.
#include "vm/modules/torch/autograd/record.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/autograd/gradient.h"

// ---- results

// Operators whose rule or decomposition has made the result leave it in call->value: a tensor, or a
// sequence of tensors.
static int count_results(const OpCall *call)
{
    if (!call->value) return call->result_count;
    if (tuple_check(call->value)) return (int)tuple_size(call->value);
    return list_check(call->value) ? (int)list_size(call->value) : 1;
}

static ValueRef result_at(const OpCall *call, int index)
{
    if (!call->value) return ref_of(call->results[index].tensor);
    if (tuple_check(call->value)) return tuple_at(call->value, index);
    return list_check(call->value) ? list_at(call->value, index) : (ValueRef)call->value;
}

// A dispatch mode, or a class that has answered an operator inside, may have given anything.
static bool results_are_tensors(const OpCall *call)
{
    for (int i = 0; i < count_results(call); i++)
        if (!tensor_check(result_at(call, i)))
            return raise_error(TypeError, "%s(): %T is no tensor that can be differentiated",
                               call->op->name, result_at(call, i));
    return true;
}

// ---- edges

// A Tensor parameter has one edge, a Tensor[] parameter one for each item.
static int count_edges(const OpCall *call, const Formula *formula)
{
    int edges = 0;
    for (int i = 0; i < formula->clause_count; i++) {
        const Clause *clause = &formula->clauses[i];
        for (int j = 0; j < clause->target_count; j++) {
            size_t count = 1;
            if (call->schema->params[clause->targets[j]].type == PARAM_TENSORS)
                call_tensors(call, clause->targets[j], &count);
            edges += (int)count;
        }
    }
    return edges;
}

static bool add_edges(const OpCall *call, int param, GradEdge **edge, bool *wanted)
{
    ValueRef slot = call->slots[param];
    const ValueRef *tensors = &slot;
    size_t count = 1;
    if (call->schema->params[param].type == PARAM_TENSORS)
        tensors = call_tensors(call, param, &count);
    for (size_t i = 0; i < count; i++, (*edge)++) {
        if (!tensor_check(tensors[i])) continue;
        if (!tensor_edge(as_tensor(tensors[i]), *edge)) return false;
        if ((*edge)->target) *wanted = true;
    }
    return true;
}

// Fills in the edges; sets a bit of *wanted for each clause that has one.
static bool fill_edges(const OpCall *call, GradNode *node, uint32_t *wanted)
{
    const Formula *formula = node->formula;
    GradEdge *edge = node->edges;
    *wanted = 0;
    for (int i = 0; i < formula->clause_count; i++) {
        const Clause *clause = &formula->clauses[i];
        bool any = false;
        for (int j = 0; j < clause->target_count; j++)
            if (!add_edges(call, clause->targets[j], &edge, &any)) return false;
        if (any) *wanted |= 1u << i;
    }
    return true;
}

// ---- saved values

static bool is_written(const OpCall *call)
{
    return call->inplace || call->op->kinds & MUTATES;
}

static bool clause_names(const Clause *clause, int saved)
{
    for (int i = 0; i < clause->argument_count; i++)
        if (clause->arguments[i] == ARGUMENT_SAVED + saved) return true;
    return false;
}

static bool is_needed(const Formula *formula, int saved, uint32_t wanted)
{
    for (int i = 0; i < formula->clause_count; i++)
        if (wanted & (1u << i) && clause_names(&formula->clauses[i], saved)) return true;
    return false;
}

static Value argument_to_save(const OpCall *call, int param, SavedFrom from)
{
    ValueRef slot = call->slots[param];
    if (param == 0 && call->original) slot = call->original;
    if (from == FROM_SHAPE && tensor_check(slot)) return tensor_metadata(as_tensor(slot));
    return retain(slot);
}

// A fake that shares its version has a counter.
static bool shares_version(const Tensor *tensor, const Tensor *other)
{
    if (tensor == other || tensor->counter || other->counter)
        return tensor == other || tensor->counter == other->counter;
    return tensor->storage && tensor->storage == other->storage;
}

// An argument that shares its memory with what the call has written is not what it was: the version
// before the call makes backward() say so.
static void mark_overwritten(const OpCall *call, Saved *saved)
{
    if (!is_written(call) || saved->value == call->original || !tensor_check(saved->value)) return;
    if (shares_version(as_tensor(saved->value), as_tensor(result_at(call, 0)))) saved->version--;
}

static bool save(const OpCall *call, GradNode *node, int index)
{
    const SavedSource *source = &node->formula->saved[index];
    if (source->from == FROM_RESULT)
        return grad_node_save(node, index, result_at(call, source->index), source->index);
    Value value = argument_to_save(call, source->index, source->from);
    bool saved = value && grad_node_save(node, index, value, -1);
    if (saved) mark_overwritten(call, &node->saved[index]);
    drop(value);
    return saved;
}

static bool fill_saved(const OpCall *call, GradNode *node, uint32_t wanted)
{
    for (int i = 0; i < node->saved_count; i++)
        if (is_needed(node->formula, i, wanted) && !save(call, node, i)) return false;
    return true;
}

// ---- the whole call

static bool connect_results(const OpCall *call, GradNode *node)
{
    int count = call->op->kinds & FIRST_GRADED ? 1 : node->result_count;
    for (int i = 0; i < count; i++) {
        Tensor *result = as_tensor(result_at(call, i));
        // What is written has a history, be it of whole numbers: only copy_() asks for the dtype.
        bool written = is_written(call);
        bool any_dtype = written && op_index(call->op) != OP_copy__;
        if (!any_dtype && !dtype_is_inexact(tensor_dtype(result))) continue;
        bool rebase = written && !(call->op->kinds & VIEWS);
        bool connected = rebase ? tensor_rebase_history(result, node, (uint32_t)i)
                                : tensor_set_edge(result, node, (uint32_t)i);
        if (!connected) return false;
    }
    return true;
}

// A tensor whose gradient the operator cannot give must not ask for one. What derivatives are made
// of takes any.
static bool check_others(const OpCall *call, const Formula *formula)
{
    if (call->op->name[0] == '_' || strstr(call->op->name, "_backward")) return true;
    for (int i = 0; i < call->schema->count; i++) {
        if (formula->targets >> i & 1 || !tensor_check(call->slots[i])) continue;
        if (call->slots[i] != call->out && tensor_is(call_tensor(call, i), TENSOR_REQUIRES_GRAD))
            return raise_error(RuntimeError,
                               "The function '%s' is not differentiable with respect to argument "
                               "'%S'. This input cannot have requires_grad True.",
                               call->op->name, (ValueRef)call->schema->params[i].name);
    }
    return true;
}

static bool record_as(const OpCall *call, const Formula *formula)
{
    if (!results_are_tensors(call) || !check_others(call, formula)) return false;
    Value made =
        grad_node_new(call->inplace ? formula->inplace_type : formula->type, NODE_FORMULA,
                      count_edges(call, formula), formula->saved_count, count_results(call));
    if (!made) return false;
    GradNode *node = as_grad_node(made);
    uint32_t wanted;
    node->formula = formula;
    bool done = fill_edges(call, node, &wanted) && fill_saved(call, node, wanted) &&
                connect_results(call, node);
    drop(made);
    return done;
}

static bool record(OpCall *call)
{
    if (!call_is_differentiable(call)) return true;
    const Formula *formula = formula_of(call->op);
    return formula && record_as(call, formula);
}

// ---- writing

// What stands in the way of writing a view: its history could not be rebuilt from the base.
typedef enum ViewOrigin {
    VIEW_IS_PLAIN,     // nothing does
    VIEW_IS_QUIET,     // made under no_grad
    VIEW_IN_INFERENCE, // made under inference_mode
    VIEW_IS_ONE_OF_MANY,
    VIEW_BY_FUNCTION, // by a torch.autograd.Function, whose backward would be passed over
} ViewOrigin;

static ViewOrigin view_origin(const Tensor *view)
{
    const GradNode *node =
        view->grad_fn && grad_node_check(view->grad_fn) ? as_grad_node(view->grad_fn) : NULL;
    if (node && node->kind == NODE_FUNCTION)
        return node->result_count > 1 ? VIEW_IS_ONE_OF_MANY : VIEW_BY_FUNCTION;
    if (tensor_is(view, TENSOR_VIEW_OF_MANY)) return VIEW_IS_ONE_OF_MANY;
    if (tensor_is(view, TENSOR_INFERENCE_VIEW)) return VIEW_IN_INFERENCE;
    return tensor_is(view, TENSOR_QUIET_VIEW) ? VIEW_IS_QUIET : VIEW_IS_PLAIN;
}

static const char *const origin_advice[] = {
    [VIEW_IS_PLAIN] = "",
    [VIEW_IS_QUIET] =
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
        "your code by moving both the view and the inplace either both inside the no_grad block "
        "(if you don't want the inplace to be tracked) or both outside (if you want the inplace to "
        "be tracked).",
    [VIEW_IN_INFERENCE] =
        "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify "
        "your code by moving both the view and the inplace either both inside the inference_mode "
        "block (if you don't want the inplace to be tracked) or both outside (if you want the "
        "inplace to be tracked).",
    [VIEW_IS_ONE_OF_MANY] =
        "This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace. You should replace the inplace operation "
        "by an out-of-place one.",
    [VIEW_BY_FUNCTION] =
        "This view was created inside a custom Function (or because an input was returned as-is) "
        "and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is "
        "forbidden. You can fix this by cloning the output of the custom Function.",
};

// RuntimeError: the view is being written, or (`indirect`) what it is a view of has been.
static bool raise_written(const Tensor *view, ViewOrigin origin, bool indirect)
{
    const char *what = indirect ? "its base or another view of its base has been" : "is being";
    const char *advice = origin_advice[origin];
    bool inference = origin == VIEW_IN_INFERENCE;
    const char *mode = inference ? "inference mode" : "no_grad mode";
    const char *now = inference ? "in normal mode" : "with grad mode enabled";
    if (origin > VIEW_IN_INFERENCE && view->grad_fn)
        return raise_error(RuntimeError, "Output %u of %T is a view and %s modified inplace. %s",
                           view->output_nr, (ValueRef)view->grad_fn, what, advice);
    if (!view->grad_fn)
        return raise_error(RuntimeError, "A view was created in %s and %s modified inplace %s. %s",
                           mode, what, now, advice);
    return raise_error(RuntimeError,
                       "Output %u of %T is a view of a view which was created in %s and %s "
                       "modified inplace %s. %s",
                       view->output_nr, (ValueRef)view->grad_fn, mode, what, now, advice);
}

static bool raise_leaf(const char *which)
{
    return raise_error(RuntimeError,
                       "a %sleaf Variable that requires grad is being used in an in-place "
                       "operation.",
                       which);
}

// Some argument of the call requires a gradient. How a view came about is asked first, also of one
// whose base requires none.
static bool check_write(Tensor *tensor)
{
    const Tensor *base = tensor->view_base ? as_tensor(tensor->view_base) : NULL;
    ViewOrigin origin = base ? view_origin(tensor) : VIEW_IS_PLAIN;
    if (origin) return raise_written(tensor, origin, false);
    if (!tensor_refresh_history(tensor)) return false;
    if (base && tensor_requires_grad(tensor) && tensor_is_leaf(base))
        return raise_leaf("view of a ");
    bool leaf = tensor_is(tensor, TENSOR_REQUIRES_GRAD) && tensor_is_leaf(tensor);
    return !leaf || raise_leaf(base ? "view of a " : "");
}

// The derivative of an in-place form may name what self was. Afterwards that is gone: of
// Tensor.t_ and its like the shape, of others the elements.
static bool keep_original(OpCall *call)
{
    const Formula *formula = formula_of(call->op);
    if (!formula) return false;
    if (call->op->kinds & VIEWS) {
        call->original = tensor_metadata(as_tensor(call->slots[0]));
        return call->original;
    }
    for (int i = 0; i < formula->saved_count; i++) {
        if (formula->saved[i].from != FROM_PARAM || formula->saved[i].index != 0) continue;
        bool enabled = op_state.grad_enabled;
        op_state.grad_enabled = false;
        call->original = op_apply(OP_clone_, false, &call->slots[0], 1);
        op_state.grad_enabled = enabled;
        return call->original;
    }
    return true;
}

static bool before_write(OpCall *call, Tensor *written)
{
    if (tensor_is(written, TENSOR_INFERENCE) && !op_state.inference)
        return raise_error(
            RuntimeError,
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make "
            "a clone to get a normal tensor before doing inplace update.See "
            "https://github.com/pytorch/rfcs/pull/17 for more details.");
    if (!call->wants_grad || !call_is_differentiable(call)) return true;
    return check_write(written) && (!call->inplace || call->original || keep_original(call));
}

// ---- views of what was written

// view = base.as_strided(sizes, strides, offset)
static bool record_as_strided(Tensor *view)
{
    Value sizes = tuple_from_array(lend(view->dims), view->ndim);
    Value strides =
        sizes ? tuple_from_array(lend(view->dims + view->ndim), view->ndim) : VALUE_ERROR;
    const Formula *formula = strides ? formula_of(&op_table[OP_as_strided_]) : NULL;
    OpCall call = {.op = &op_table[OP_as_strided_], .result_count = 1, .results[0].tensor = view};
    bool done = false;
    if (formula) {
        call.schema = formula->schema;
        call.slots[0] = view->view_base;
        call.slots[1] = sizes;
        call.slots[2] = strides;
        call.slots[3] = view->offset;
        done = record_as(&call, formula);
    }
    drop(strides);
    drop(sizes);
    return done;
}

bool tensor_refresh_history(Tensor *tensor)
{
    if (!tensor->view_base) return true;
    const Tensor *base = as_tensor(tensor->view_base);
    if (tensor->history_version == tensor_version(tensor)) return true;
    if (!tensor->grad_fn && !tensor_is(base, TENSOR_REQUIRES_GRAD)) return true;
    if (!dtype_is_inexact(tensor_dtype(tensor))) return true;
    ViewOrigin origin = view_origin(tensor);
    return origin ? raise_written(tensor, origin, true) : record_as_strided(tensor);
}

// The edges of CopySlices: the base in place of the view, then what else the operator read.
static bool fill_copy_slices(GradNode *slices, Tensor *base, Tensor *view, GradNode *inner)
{
    slices->inner = retain(ref_of(inner));
    slices->variable = tensor_metadata(view);
    if (!slices->variable || !tensor_edge(base, &slices->edges[0])) return false;
    for (int i = 1; i < inner->edge_count; i++) {
        slices->edges[i].target = retain(inner->edges[i].target);
        slices->edges[i].result_nr = inner->edges[i].result_nr;
    }
    return tensor_set_edge(base, slices, 0);
}

bool tensor_rebase_history(Tensor *tensor, GradNode *node, uint32_t result_nr)
{
    if (!tensor->view_base) return tensor_set_edge(tensor, node, result_nr);
    if (!node->results[result_nr]) node->results[result_nr] = tensor_metadata(tensor);
    int edges = node->edge_count > 1 ? node->edge_count : 1;
    Value slices = node->results[result_nr]
                       ? grad_node_new(&copy_slices_type, NODE_COPY_SLICES, edges, 0, 1)
                       : VALUE_ERROR;
    if (!slices) return false;
    bool done = fill_copy_slices(as_grad_node(slices), as_tensor(tensor->view_base), tensor, node);
    drop(slices);
    return done && record_as_strided(tensor);
}

void autograd_record_init(void)
{
    op_hooks.before_write = before_write;
    op_hooks.record = record;
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
