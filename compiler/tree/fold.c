// Constant folding on the tree: the pass of CPython 3.9's ast_opt.c, rewrite for rewrite.
//
// The walk is bottom-up: a node's children are folded before the node, so `2 * 3 + 1` becomes 7.
// Each rewrite is one function named fold_... . It must fold exactly what 3.9 folds, since code
// objects show it. If a rewrite fails (1 / 0, "a" + 1), the tree stays as it is, and the error
// comes at run time.
//
// Results above the limits of fold_arithmetic.c are not folded: large numbers and long repetitions
// would make the code object large.
#include "compiler/tree/fold.h"

#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"

static void fold_expression(Compilation *c, Node **slot);
static void fold_statements(Compilation *c, NodeList *list);

static void fold_list(Compilation *c, NodeList *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i]) fold_expression(c, &list->items[i]);
}

static void fold_optional(Compilation *c, Node **slot)
{
    if (*slot) fold_expression(c, slot);
}

// Replaces an expression by a constant. For VALUE_ERROR (an exception is pending) the expression
// stays and the exception is dropped, except KeyboardInterrupt.
static void make_constant(Compilation *c, Node **slot, Value value)
{
    if (!value) {
        if (error_is(KeyboardInterrupt)) arena_fail(c->arena);
        error_clear();
        return;
    }
    ValueRef held = arena_hold(c->arena, value);
    Node *constant = node_new(c->arena, Constant_kind, (*slot)->position);
    constant->Constant.value = held;
    *slot = constant;
}

// A tuple of the items' values; ABSENT where one is no constant.
static Value tuple_of_constants(const NodeList *items)
{
    for (int i = 0; i < items->count; i++)
        if (items->items[i]->kind != Constant_kind) return ABSENT;
    Value tuple = tuple_new(items->count);
    for (int i = 0; tuple && i < items->count; i++)
        as_tuple(tuple)->items[i] = retain(items->items[i]->Constant.value);
    return tuple;
}

// ---- the rewrites

// `not (a is b)` is `a is not b`, `not (a in b)` is `a not in b`, and the other way round. Not so
// for ==, < and the like: __eq__ and __ne__ need not be opposites.
static void fold_not_of_comparison(Node **slot)
{
    static const cmpop opposites[] = {
        [Is_op] = IsNot_op, [IsNot_op] = Is_op, [In_op] = NotIn_op, [NotIn_op] = In_op};
    Node *compare = (*slot)->UnaryOp.operand;
    if (compare->kind != Compare_kind || compare->Compare.ops.count != 1) return;
    uint8_t *op = &compare->Compare.ops.items[0];
    if (*op < Is_op) return;
    *op = (uint8_t)opposites[*op];
    *slot = compare;
}

// `-1`, `+1.5`, `~0`, `not 3` are constants.
static void fold_unary(Compilation *c, Node **slot)
{
    const Node *operand = (*slot)->UnaryOp.operand;
    unaryop op = (*slot)->UnaryOp.op;
    if (operand->kind != Constant_kind) {
        if (op == Not_op) fold_not_of_comparison(slot);
        return;
    }
    ValueRef value = operand->Constant.value;
    switch (op) {
    case Invert_op: make_constant(c, slot, object_invert(value)); break;
    case Not_op: make_constant(c, slot, object_not(value)); break;
    case UAdd_op: make_constant(c, slot, object_positive(value)); break;
    case USub_op: make_constant(c, slot, object_negative(value)); break;
    }
}

// `2 * 3`, `"a" + "b"`, `1 << 10` are constants where the result is not large.
static void fold_binary(Compilation *c, Node **slot)
{
    const Node *left = (*slot)->BinOp.left, *right = (*slot)->BinOp.right;
    if (left->kind != Constant_kind || right->kind != Constant_kind) return;
    Value result = fold_operation((*slot)->BinOp.op, left->Constant.value, right->Constant.value);
    if (result != ABSENT) make_constant(c, slot, result);
}

// `(1, 2)` is a constant where it is read.
static void fold_tuple(Compilation *c, Node **slot)
{
    if ((*slot)->Tuple.ctx != Load_context) return;
    Value tuple = tuple_of_constants(&(*slot)->Tuple.elts);
    if (tuple != ABSENT) make_constant(c, slot, tuple);
}

// `"abc"[1]` and `(1, 2)[0]` are constants; `"abc"[0:1]` is not, since a slice is none.
static void fold_subscript(Compilation *c, Node **slot)
{
    const Node *value = (*slot)->Subscript.value, *index = (*slot)->Subscript.slice;
    if ((*slot)->Subscript.ctx != Load_context || value->kind != Constant_kind ||
        index->kind != Constant_kind)
        return;
    make_constant(c, slot, object_subscript(value->Constant.value, index->Constant.value));
}

static void list_to_tuple(Compilation *c, Node **slot)
{
    NodeList items = (*slot)->List.elts;
    if (nodes_have_starred(&items)) return;
    Node *node = node_new(c->arena, Tuple_kind, (*slot)->position);
    node->Tuple.elts = items;
    node->Tuple.ctx = (*slot)->List.ctx;
    *slot = node;
    Value tuple = tuple_of_constants(&items);
    if (tuple != ABSENT) make_constant(c, slot, tuple);
}

static void set_to_frozenset(Compilation *c, Node **slot)
{
    Value tuple = tuple_of_constants(&(*slot)->Set.elts);
    if (tuple == ABSENT) return;
    Value set = tuple ? frozenset_new(tuple) : VALUE_ERROR;
    drop(tuple);
    make_constant(c, slot, set);
}

// What is only gone through (`for x in [1, 2]`, `x in {1, 2}`) may be a tuple or a frozenset, and
// so a constant. A list becomes a tuple even where its items are no constants.
static void fold_iterated(Compilation *c, Node **slot)
{
    if ((*slot)->kind == List_kind) list_to_tuple(c, slot);
    if ((*slot)->kind == Set_kind) set_to_frozenset(c, slot);
}

// The container of the last `in` or `not in` of a comparison.
static void fold_membership(Compilation *c, Node *node)
{
    int last = node->Compare.ops.count - 1;
    uint8_t op = node->Compare.ops.items[last];
    if (op == In_op || op == NotIn_op) fold_iterated(c, &node->Compare.comparators.items[last]);
}

// `__debug__` is True, or False under -O.
static void fold_debug(Compilation *c, Node **slot)
{
    if ((*slot)->Name.ctx == Load_context && (*slot)->Name.id == NAME(__debug__))
        make_constant(c, slot, from_bool(c->options->optimize <= 0));
}

// Under `from __future__ import annotations` an annotation is a text: it stays as it was written.
static void fold_annotation(Compilation *c, Node **slot)
{
    if (!(c->features & CO_FUTURE_ANNOTATIONS)) fold_optional(c, slot);
}

const Node *docstring_of(const NodeList *body)
{
    if (body->count == 0 || body->items[0]->kind != Expr_kind) return NULL;
    const Node *value = body->items[0]->Expr.value;
    bool is_text = value->kind == Constant_kind && str_check_exact(value->Constant.value);
    return is_text ? value : NULL;
}

// What has become a str by folding (`"a" + "b"`) must not turn into a docstring: 3.9 wraps it up.
static void fold_body(Compilation *c, NodeList *body)
{
    bool has_docstring = docstring_of(body) != NULL;
    fold_statements(c, body);
    const Node *value = docstring_of(body);
    if (has_docstring || !value) return;
    Node *statement = body->items[0];
    Node **items = arena_alloc(c->arena, sizeof *items);
    items[0] = statement->Expr.value;
    Node *joined = node_new(c->arena, JoinedStr_kind, statement->position);
    joined->JoinedStr.values = (NodeList){1, items};
    statement->Expr.value = joined;
}

// ---- the walk

static void fold_arg(Compilation *c, Node *arg)
{
    if (arg) fold_annotation(c, &arg->arg.annotation);
}

static void fold_args(Compilation *c, NodeList *list)
{
    for (int i = 0; i < list->count; i++) fold_arg(c, list->items[i]);
}

static void fold_arguments(Compilation *c, Node *node)
{
    fold_args(c, &node->arguments.posonlyargs);
    fold_args(c, &node->arguments.args);
    fold_arg(c, node->arguments.vararg);
    fold_args(c, &node->arguments.kwonlyargs);
    fold_list(c, &node->arguments.kw_defaults);
    fold_arg(c, node->arguments.kwarg);
    fold_list(c, &node->arguments.defaults);
}

static void fold_keywords(Compilation *c, NodeList *list)
{
    for (int i = 0; i < list->count; i++) fold_expression(c, &list->items[i]->keyword.value);
}

static void fold_generators(Compilation *c, NodeList *list)
{
    for (int i = 0; i < list->count; i++) {
        Node *node = list->items[i];
        fold_expression(c, &node->comprehension.target);
        fold_expression(c, &node->comprehension.iter);
        fold_list(c, &node->comprehension.ifs);
        fold_iterated(c, &node->comprehension.iter);
    }
}

// a + b + c + ... nests to the left as deep as the text is long: the spine is walked by its links.
static void fold_binary_chain(Compilation *c, Node **slot)
{
    int count = 0;
    for (Node *node = *slot; node->kind == BinOp_kind; node = node->BinOp.left) count++;
    Node ***spine = arena_alloc(c->arena, (size_t)count * sizeof *spine);
    for (int i = 0; i < count; i++, slot = &(*slot)->BinOp.left) spine[i] = slot;
    fold_expression(c, slot);
    while (count-- > 0) {
        fold_expression(c, &(*spine[count])->BinOp.right);
        fold_binary(c, spine[count]);
    }
}

static void fold_expression(Compilation *c, Node **slot)
{
    compile_check_room(c);
    Node *node = *slot;
    switch (node->kind) {
    case BoolOp_kind: fold_list(c, &node->BoolOp.values); break;
    case BinOp_kind: fold_binary_chain(c, slot); break;
    case UnaryOp_kind:
        fold_expression(c, &node->UnaryOp.operand);
        fold_unary(c, slot);
        break;
    case Lambda_kind:
        fold_arguments(c, node->Lambda.args);
        fold_expression(c, &node->Lambda.body);
        break;
    case IfExp_kind:
        fold_expression(c, &node->IfExp.test);
        fold_expression(c, &node->IfExp.body);
        fold_expression(c, &node->IfExp.orelse);
        break;
    case Dict_kind:
        fold_list(c, &node->Dict.keys);
        fold_list(c, &node->Dict.values);
        break;
    case Set_kind: fold_list(c, &node->Set.elts); break;
    case ListComp_kind:
        fold_expression(c, &node->ListComp.elt);
        fold_generators(c, &node->ListComp.generators);
        break;
    case SetComp_kind:
        fold_expression(c, &node->SetComp.elt);
        fold_generators(c, &node->SetComp.generators);
        break;
    case DictComp_kind:
        fold_expression(c, &node->DictComp.key);
        fold_expression(c, &node->DictComp.value);
        fold_generators(c, &node->DictComp.generators);
        break;
    case GeneratorExp_kind:
        fold_expression(c, &node->GeneratorExp.elt);
        fold_generators(c, &node->GeneratorExp.generators);
        break;
    case Await_kind: fold_expression(c, &node->Await.value); break;
    case Yield_kind: fold_optional(c, &node->Yield.value); break;
    case YieldFrom_kind: fold_expression(c, &node->YieldFrom.value); break;
    case Compare_kind:
        fold_expression(c, &node->Compare.left);
        fold_list(c, &node->Compare.comparators);
        fold_membership(c, node);
        break;
    case Call_kind:
        fold_expression(c, &node->Call.func);
        fold_list(c, &node->Call.args);
        fold_keywords(c, &node->Call.keywords);
        break;
    case FormattedValue_kind:
        fold_expression(c, &node->FormattedValue.value);
        fold_optional(c, &node->FormattedValue.format_spec);
        break;
    case JoinedStr_kind: fold_list(c, &node->JoinedStr.values); break;
    case Attribute_kind: fold_expression(c, &node->Attribute.value); break;
    case Subscript_kind:
        fold_expression(c, &node->Subscript.value);
        fold_expression(c, &node->Subscript.slice);
        fold_subscript(c, slot);
        break;
    case Starred_kind: fold_expression(c, &node->Starred.value); break;
    case Name_kind: fold_debug(c, slot); break;
    case List_kind: fold_list(c, &node->List.elts); break;
    case Tuple_kind:
        fold_list(c, &node->Tuple.elts);
        fold_tuple(c, slot);
        break;
    case Slice_kind:
        fold_optional(c, &node->Slice.lower);
        fold_optional(c, &node->Slice.upper);
        fold_optional(c, &node->Slice.step);
        break;
    default: break; // 3.9 does not look into x := 1 + 2 either
    }
}

// FunctionDef or AsyncFunctionDef, which have the same fields.
#define FOLD_FUNCTION(c, function)                                                                 \
    do {                                                                                           \
        fold_arguments(c, (function).args);                                                        \
        fold_body(c, &(function).body);                                                            \
        fold_list(c, &(function).decorator_list);                                                  \
        fold_annotation(c, &(function).returns);                                                   \
    } while (0)

#define FOLD_FOR(c, loop)                                                                          \
    do {                                                                                           \
        fold_expression(c, &(loop).target);                                                        \
        fold_expression(c, &(loop).iter);                                                          \
        fold_statements(c, &(loop).body);                                                          \
        fold_statements(c, &(loop).orelse);                                                        \
    } while (0)

static void fold_class(Compilation *c, Node *node)
{
    fold_list(c, &node->ClassDef.bases);
    fold_keywords(c, &node->ClassDef.keywords);
    fold_body(c, &node->ClassDef.body);
    fold_list(c, &node->ClassDef.decorator_list);
}

static void fold_withitems(Compilation *c, NodeList *items)
{
    for (int i = 0; i < items->count; i++) {
        fold_expression(c, &items->items[i]->withitem.context_expr);
        fold_optional(c, &items->items[i]->withitem.optional_vars);
    }
}

static void fold_try(Compilation *c, Node *node)
{
    fold_statements(c, &node->Try.body);
    for (int i = 0; i < node->Try.handlers.count; i++) {
        Node *handler = node->Try.handlers.items[i];
        fold_optional(c, &handler->ExceptHandler.type);
        fold_statements(c, &handler->ExceptHandler.body);
    }
    fold_statements(c, &node->Try.orelse);
    fold_statements(c, &node->Try.finalbody);
}

static void fold_compound(Compilation *c, Node *node)
{
    switch (node->kind) {
    case FunctionDef_kind: FOLD_FUNCTION(c, node->FunctionDef); break;
    case AsyncFunctionDef_kind: FOLD_FUNCTION(c, node->AsyncFunctionDef); break;
    case ClassDef_kind: fold_class(c, node); break;
    case For_kind:
        FOLD_FOR(c, node->For);
        fold_iterated(c, &node->For.iter);
        break;
    case AsyncFor_kind: FOLD_FOR(c, node->AsyncFor); break;
    case While_kind:
        fold_expression(c, &node->While.test);
        fold_statements(c, &node->While.body);
        fold_statements(c, &node->While.orelse);
        break;
    case If_kind:
        fold_expression(c, &node->If.test);
        fold_statements(c, &node->If.body);
        fold_statements(c, &node->If.orelse);
        break;
    case With_kind:
        fold_withitems(c, &node->With.items);
        fold_statements(c, &node->With.body);
        break;
    case AsyncWith_kind:
        fold_withitems(c, &node->AsyncWith.items);
        fold_statements(c, &node->AsyncWith.body);
        break;
    case Try_kind: fold_try(c, node); break;
    default: break;
    }
}

static void fold_statement(Compilation *c, Node *node)
{
    compile_check_room(c);
    switch (node->kind) {
    case Return_kind: fold_optional(c, &node->Return.value); break;
    case Delete_kind: fold_list(c, &node->Delete.targets); break;
    case Assign_kind:
        fold_list(c, &node->Assign.targets);
        fold_expression(c, &node->Assign.value);
        break;
    case AugAssign_kind:
        fold_expression(c, &node->AugAssign.target);
        fold_expression(c, &node->AugAssign.value);
        break;
    case AnnAssign_kind:
        fold_expression(c, &node->AnnAssign.target);
        fold_annotation(c, &node->AnnAssign.annotation);
        fold_optional(c, &node->AnnAssign.value);
        break;
    case Raise_kind:
        fold_optional(c, &node->Raise.exc);
        fold_optional(c, &node->Raise.cause);
        break;
    case Assert_kind:
        fold_expression(c, &node->Assert.test);
        fold_optional(c, &node->Assert.msg);
        break;
    case Expr_kind: fold_expression(c, &node->Expr.value); break;
    default: fold_compound(c, node); break;
    }
}

static void fold_statements(Compilation *c, NodeList *list)
{
    for (int i = 0; i < list->count; i++) fold_statement(c, list->items[i]);
}

void fold_tree(Compilation *c, Node *tree)
{
    switch (tree->kind) {
    case Module_kind: fold_body(c, &tree->Module.body); break;
    case Interactive_kind: fold_statements(c, &tree->Interactive.body); break;
    case Expression_kind: fold_expression(c, &tree->Expression.body); break;
    default: break;
    }
}
