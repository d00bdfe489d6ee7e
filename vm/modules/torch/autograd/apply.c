// Calling one node: from the gradients of its results to those of its inputs.
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/complex.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/modules/torch/autograd/engine.h"
#include "vm/modules/torch/complex/complex_ops.h"

// torch.autograd._engine.NAME(arguments): what of the engine is written in mini-Python.
static Value call_graph(ValueRef name, const ValueRef *arguments, size_t count)
{
    Value module = upcalls.import("torch.autograd._engine");
    Value function = module ? object_get(module, name) : VALUE_ERROR;
    Value result = function ? object_call(function, arguments, count, VALUE_ERROR) : VALUE_ERROR;
    drop(function);
    drop(module);
    return result;
}

// ---- formulas

static Value edge_needs(const GradNode *node, int edge, int count)
{
    Value needs = tuple_new(count);
    for (int i = 0; needs && i < count; i++)
        as_tuple(needs)->items[i] = from_bool(node->edges[edge + i].target);
    return needs;
}

// ---- complex gradients: ops/complex.def says why what was saved is conjugated

static bool conjugates_saved(const GradNode *node, ValueRef grads)
{
    bool complex = false;
    for (ssize_t i = 0; i < tuple_size(grads); i++) {
        ValueRef grad = tuple_at(grads, i);
        complex |= grad != NONE && dtype_is_complex(tensor_dtype(as_tensor(grad)));
    }
    return complex && !complex_has_formula(node->formula->op);
}

static Value conjugate(Value saved);

static Value conjugate_items(Value items)
{
    Value all = tuple_new(tuple_size(items));
    for (ssize_t i = 0; all && i < tuple_size(items); i++) {
        as_tuple(all)->items[i] = conjugate(retain(tuple_at(items, i)));
        if (!as_tuple(all)->items[i]) drop_slot(&all);
    }
    drop(items);
    return all;
}

// The conjugate of a tensor, of a number or of the items of a tuple, in place of `saved`.
static Value conjugate(Value saved)
{
    if (!saved || !is_object(saved)) return saved;
    if (tuple_check(saved)) return conjugate_items(saved);
    if (complex_check(saved))
        replace_slot(&saved, complex_new(as_complex(saved)->real, -as_complex(saved)->imag));
    else if (tensor_check(saved))
        replace_slot(&saved, op_apply(OP_conj_, false, (const ValueRef[]){saved}, 1));
    return saved;
}

// An argument of a clause's function, owned.
static Value clause_argument(GradNode *node, const Clause *clause, int edge, int index,
                             ValueRef grads, bool conjugates)
{
    Value saved;
    switch (clause->arguments[index]) {
    case ARGUMENT_GRAD: return retain(tuple_at(grads, 0));
    case ARGUMENT_GRADS: return retain(grads);
    case ARGUMENT_NEEDS: return edge_needs(node, edge, clause->target_count);
    default:
        saved = grad_node_saved(node, clause->arguments[index] - ARGUMENT_SAVED);
        return conjugates ? conjugate(saved) : saved;
    }
}

// Is a gradient on the device meta? Then what a formula makes is, too.
static bool any_on_meta(ValueRef grads)
{
    for (ssize_t i = 0; i < tuple_size(grads); i++)
        if (tensor_check(tuple_at(grads, i)))
            return tensor_is(as_tensor(tuple_at(grads, i)), TENSOR_META);
    return false;
}

static Value call_clause(GradNode *node, const Clause *clause, int edge, ValueRef grads)
{
    Value arguments[FORMULA_ARGUMENTS];
    int count = 0;
    bool conjugates = conjugates_saved(node, grads);
    while (count < clause->argument_count) {
        arguments[count] = clause_argument(node, clause, edge, count, grads, conjugates);
        if (!arguments[count]) break;
        count++;
    }
    Value result = VALUE_ERROR;
    bool makes_meta = op_state.makes_meta;
    op_state.makes_meta = any_on_meta(grads);
    if (count == clause->argument_count)
        result = object_call(clause->function, lend(arguments), (size_t)count, VALUE_ERROR);
    op_state.makes_meta = makes_meta;
    for (int i = 0; i < count; i++) drop(arguments[i]);
    return result;
}

static bool takes_list(const Formula *formula, const Clause *clause)
{
    return formula->schema->params[clause->targets[0]].type == PARAM_TENSORS;
}

// A clause has an edge for each target; one for a Tensor[] has all those that the others leave.
static int clause_edges(const GradNode *node, const Clause *clause)
{
    const Formula *formula = node->formula;
    if (!takes_list(formula, clause)) return clause->target_count;
    int others = 0;
    for (int i = 0; i < formula->clause_count; i++)
        if (&formula->clauses[i] != clause) others += formula->clauses[i].target_count;
    return node->edge_count - others;
}

static bool any_target(const GradNode *node, int edge, int count)
{
    for (int i = 0; i < count; i++)
        if (node->edges[edge + i].target) return true;
    return false;
}

// A class with __torch_function__ may have answered an operator of a formula with anything.
static bool keep_gradient(Value *to, ValueRef given)
{
    if (given != NONE && !tensor_check(given))
        return raise_error(RuntimeError, "expected Variable or None (got %T)", given);
    if (given != NONE) *to = retain(given);
    return true;
}

static bool keep_gradients(Value *to, int count, ValueRef items)
{
    if (tuple_size(items) < count)
        return raise_error(SystemError, "a derivative gave %zd gradients for %d inputs",
                           tuple_size(items), count);
    for (int i = 0; i < count; i++)
        if (!keep_gradient(&to[i], tuple_at(items, i))) return false;
    return true;
}

// Stores what a clause gave: one gradient, or a sequence of one for each edge.
static bool store(Value *to, int count, bool sequence, Value given)
{
    Value items = given && sequence ? sequence_tuple(given) : given;
    bool done = items && (sequence ? keep_gradients(to, count, items) : keep_gradient(to, items));
    if (sequence) drop(items);
    drop(given);
    return done;
}

static bool run_formula(GradNode *node, ValueRef grads, Value *results)
{
    const Formula *formula = node->formula;
    int edge = 0;
    for (int i = 0; i < formula->clause_count; i++) {
        const Clause *clause = &formula->clauses[i];
        int count = clause_edges(node, clause);
        bool sequence = clause->target_count > 1 || takes_list(formula, clause);
        if (any_target(node, edge, count) &&
            !store(results + edge, count, sequence, call_clause(node, clause, edge, grads)))
            return false;
        edge += count;
    }
    return true;
}

// ---- Functions and CopySlices

// None as a gradient of a Function is a tensor of zeros, unless it asked for None.
static Value materialized(const GradNode *node, ValueRef grads)
{
    ValueRef flag = node->dict ? dict_peek(node->dict, NAME(materialize_grads)) : VALUE_ERROR;
    if (flag == FALSE) return retain(grads);
    Value all = tuple_new(tuple_size(grads));
    for (ssize_t i = 0; all && i < tuple_size(grads); i++) {
        ValueRef grad = tuple_at(grads, i), like = node->results[i];
        as_tuple(all)->items[i] =
            grad == NONE && like ? call_graph(NAME(zeros), &like, 1) : retain(grad);
        if (as_tuple(all)->items[i]) continue;
        drop(all);
        return VALUE_ERROR;
    }
    return all;
}

// More gradients than arguments are allowed if they are None.
static Value check_count(const GradNode *node, Value given)
{
    if (!given) return VALUE_ERROR;
    Value items = tuple_check(given) ? retain(given) : tuple_pack(1, (ValueRef)given);
    drop(given);
    ssize_t count = items ? tuple_size(items) : 0;
    while (count > node->edge_count && tuple_at(items, count - 1) == NONE) count--;
    if (!items || count == node->edge_count) return items;
    raise_error(RuntimeError,
                "function %s returned an incorrect number of gradients (expected %d, got %zd)",
                node->base.type->name, node->edge_count, tuple_size(items));
    drop(items);
    return VALUE_ERROR;
}

static bool take_gradients(const GradNode *node, Value given, Value *results)
{
    Value items = check_count(node, given);
    bool done = items && keep_gradients(results, node->edge_count, items);
    drop(items);
    return done;
}

static bool run_function(GradNode *node, ValueRef grads, Value *results)
{
    Value all = materialized(node, grads);
    Value apply = all ? object_get(ref_of(node), NAME(apply)) : VALUE_ERROR;
    Value given = apply ? object_call_spread(apply, all, VALUE_ERROR) : VALUE_ERROR;
    drop(apply);
    drop(all);
    return take_gradients(node, given, results);
}

static bool run_copy_slices(GradNode *node, ValueRef grads, Value *results)
{
    ValueRef arguments[] = {tuple_at(grads, 0), node->results[0], node->variable, node->inner};
    Value given = call_graph(NAME(copy_slices), arguments, 4);
    return take_gradients(node, given, results);
}

// ---- what came out

static bool same_shape(const Tensor *a, const Tensor *b)
{
    if (a->ndim != b->ndim || a->dtype != b->dtype) return false;
    return memcmp(tensor_sizes(a), tensor_sizes(b), a->ndim * sizeof(Dim)) == 0;
}

// A gradient gets the shape and the dtype of what its edge leads to: a broadcast input sums it up.
static bool fit(GradNode *node, int index, Value *grad)
{
    const GradEdge *edge = &node->edges[index];
    ValueRef target = edge->target;
    ValueRef like =
        grad_node_check(target) ? (ValueRef)as_grad_node(target)->results[edge->result_nr] : target;
    if (same_shape(as_tensor(*grad), as_tensor(like))) return true;
    ValueRef arguments[] = {*grad, like, ref_of(node), from_small(index)};
    Value fitted = call_graph(NAME(fit), arguments, 4);
    drop_slot(grad);
    bool done = fitted && keep_gradient(grad, fitted);
    drop(fitted);
    return done;
}

// A gradient that leads nowhere stays as it is: hooks see it.
static bool fit_all(GradNode *node, Value *results)
{
    for (int i = 0; i < node->edge_count; i++)
        if (results[i] && node->edges[i].target && !fit(node, i, &results[i])) return false;
    return true;
}

bool grad_node_run(GradNode *node, ValueRef grads, Value *results)
{
    bool undefined = true;
    for (ssize_t i = 0; i < tuple_size(grads); i++) undefined &= tuple_at(grads, i) == NONE;
    if (undefined && node->kind != NODE_FUNCTION) return true;
    bool done = node->kind == NODE_FORMULA    ? run_formula(node, grads, results)
                : node->kind == NODE_FUNCTION ? run_function(node, grads, results)
                                              : run_copy_slices(node, grads, results);
    return done && fit_all(node, results);
}
