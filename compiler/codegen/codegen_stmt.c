// Statements without frame blocks: assignments, imports, assert, if; and visit_statement().
//
// A statement's instructions are on its line, until a statement or expression inside it sets
// another line.
#include "compiler/codegen/codegen.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

// ---- assignments

static void assign_statement(CodeGenerator *g, const Node *node)
{
    const NodeList *targets = &node->Assign.targets;
    visit_expr(g, node->Assign.value);
    for (int i = 0; i < targets->count; i++) {
        if (i + 1 < targets->count) emit(g, DUP_TOP);
        visit_expr(g, targets->items[i]);
    }
}

// Puts the target's value on the stack, above what the store will need.
static void load_augmented(CodeGenerator *g, const Node *target)
{
    switch (target->kind) {
    case Attribute_kind:
        visit_expr(g, target->Attribute.value);
        emit(g, DUP_TOP);
        emit_name(g, LOAD_ATTR, target->Attribute.attr);
        break;
    case Subscript_kind:
        visit_expr(g, target->Subscript.value);
        visit_expr(g, target->Subscript.slice);
        emit(g, DUP_TOP_TWO);
        emit(g, BINARY_SUBSCR);
        break;
    default: name_op(g, target->Name.id, Load_context); break;
    }
}

static void store_augmented(CodeGenerator *g, const Node *target)
{
    switch (target->kind) {
    case Attribute_kind:
        emit(g, ROT_TWO);
        emit_name(g, STORE_ATTR, target->Attribute.attr);
        break;
    case Subscript_kind:
        emit(g, ROT_THREE);
        emit(g, STORE_SUBSCR);
        break;
    default: name_op(g, target->Name.id, Store_context); break;
    }
}

static void augmented_statement(CodeGenerator *g, const Node *node)
{
    Location before = go_to(g, node->AugAssign.target);
    load_augmented(g, node->AugAssign.target);
    g->unit->location = before;
    visit_expr(g, node->AugAssign.value);
    emit(g, inplace_opcode(node->AugAssign.op));
    go_to(g, node->AugAssign.target);
    store_augmented(g, node->AugAssign.target);
}

static void evaluate(CodeGenerator *g, const Node *node)
{
    if (!node) return;
    visit_expr(g, node);
    emit(g, POP_TOP);
}

// `a[i:j]: int`: the parts are evaluated though nothing is stored.
static void evaluate_index(CodeGenerator *g, const Node *index)
{
    compile_check_room(g->c);
    if (index->kind == Slice_kind) {
        evaluate(g, index->Slice.lower);
        evaluate(g, index->Slice.upper);
        evaluate(g, index->Slice.step);
    } else if (index->kind == Tuple_kind) {
        for (int i = 0; i < index->Tuple.elts.count; i++)
            evaluate_index(g, index->Tuple.elts.items[i]);
    } else {
        evaluate(g, index);
    }
}

static bool keeps_annotations(const CodeGenerator *g)
{
    return g->unit->kind == MODULE_UNIT || g->unit->kind == CLASS_UNIT;
}

static void annotate_name(CodeGenerator *g, const Node *node)
{
    check_store_name(g, node->AnnAssign.target->Name.id);
    if (!node->AnnAssign.simple || !keeps_annotations(g)) return;
    annotation(g, node->AnnAssign.annotation);
    emit_name(g, LOAD_NAME, NAME(__annotations__));
    emit_constant(g, compile_mangle(g->c, g->unit->private_name, node->AnnAssign.target->Name.id));
    emit(g, STORE_SUBSCR);
}

static void annotated_statement(CodeGenerator *g, const Node *node)
{
    const Node *target = node->AnnAssign.target;
    if (node->AnnAssign.value) {
        visit_expr(g, node->AnnAssign.value);
        visit_expr(g, target);
    }
    switch (target->kind) {
    case Name_kind: annotate_name(g, node); break;
    case Attribute_kind:
        check_store_name(g, target->Attribute.attr);
        if (!node->AnnAssign.value) evaluate(g, target->Attribute.value);
        break;
    case Subscript_kind:
        if (node->AnnAssign.value) break;
        evaluate(g, target->Subscript.value);
        evaluate_index(g, target->Subscript.slice);
        break;
    default: break;
    }
    if (!node->AnnAssign.simple && keeps_annotations(g)) evaluate(g, node->AnnAssign.annotation);
}

// ---- imports

static ValueRef part_of_name(CodeGenerator *g, ValueRef name, ssize_t start, ssize_t end)
{
    Value part = str_substring(name, start, end < 0 ? str_length(name) : end);
    if (part) str_intern_in_place(&part);
    return arena_hold(g->arena, part);
}

static ssize_t find_dot(ValueRef name, ssize_t start)
{
    return str_find_char(name, '.', start, str_length(name), 1);
}

// import a.b.c as d: IMPORT_NAME gave a, from which b and then c are taken.
static void import_as(CodeGenerator *g, ValueRef name, ValueRef asname)
{
    ssize_t dot = find_dot(name, 0);
    if (dot < 0) {
        name_op(g, asname, Store_context);
        return;
    }
    while (dot >= 0) {
        ssize_t start = dot + 1;
        dot = find_dot(name, start);
        emit_plain_name(g, IMPORT_FROM, part_of_name(g, name, start, dot));
        if (dot < 0) break;
        emit(g, ROT_TWO);
        emit(g, POP_TOP);
    }
    name_op(g, asname, Store_context);
    emit(g, POP_TOP);
}

static void import_statement(CodeGenerator *g, const Node *node)
{
    for (int i = 0; i < node->Import.names.count; i++) {
        const Node *alias = node->Import.names.items[i];
        ValueRef name = alias->alias.name;
        emit_constant(g, from_small(0));
        emit_constant(g, NONE);
        emit_name(g, IMPORT_NAME, name);
        if (alias->alias.asname) {
            import_as(g, name, alias->alias.asname);
            continue;
        }
        ssize_t dot = find_dot(name, 0);
        name_op(g, dot < 0 ? name : part_of_name(g, name, 0, dot), Store_context);
    }
}

static ValueRef imported_names(CodeGenerator *g, const NodeList *aliases)
{
    Value names = tuple_new(aliases->count);
    for (int i = 0; names && i < aliases->count; i++)
        as_tuple(names)->items[i] = retain(aliases->items[i]->alias.name);
    return arena_hold(g->arena, names);
}

static void import_from_statement(CodeGenerator *g, const Node *node)
{
    const NodeList *aliases = &node->ImportFrom.names;
    ValueRef module = node->ImportFrom.module;
    int level = node->ImportFrom.level;
    emit_constant(g, from_small(level < 0 ? 0 : level));
    if (node->position.line > g->c->future_line && module && module == NAME(__future__))
        codegen_error(g, "from __future__ imports must occur at the beginning of the file");
    emit_constant(g, imported_names(g, aliases));
    emit_name(g, IMPORT_NAME, module ? module : compile_name(g->c, ""));
    for (int i = 0; i < aliases->count; i++) {
        const Node *alias = aliases->items[i];
        if (i == 0 && str_equal_ascii(alias->alias.name, "*")) {
            emit(g, IMPORT_STAR);
            return;
        }
        emit_name(g, IMPORT_FROM, alias->alias.name);
        name_op(g, alias->alias.asname ? alias->alias.asname : alias->alias.name, Store_context);
    }
    emit(g, POP_TOP);
}

// ---- the rest

int constant_truth(CodeGenerator *g, const Node *node)
{
    if (node->kind != Constant_kind) return -1;
    bool truth;
    if (!object_truth(node->Constant.value, &truth)) arena_fail(g->arena);
    return truth;
}

static void dead_statements(CodeGenerator *g, const NodeList *list)
{
    g->silent++;
    visit_statements(g, list);
    g->silent--;
}

//> lesson 4: branches
// `if 0:` and `if 1:` compile one branch; the other is visited only for its errors.
static void if_statement(CodeGenerator *g, const Node *node)
{
    const NodeList *body = &node->If.body, *orelse = &node->If.orelse;
    BasicBlock *end = new_block(g);
    int constant = constant_truth(g, node->If.test);
    if (constant == 0) {
        dead_statements(g, body);
        visit_statements(g, orelse);
    } else if (constant == 1) {
        visit_statements(g, body);
        dead_statements(g, orelse);
    } else {
        BasicBlock *next = orelse->count ? new_block(g) : end;
        jump_if(g, node->If.test, next, false);
        visit_statements(g, body);
        if (orelse->count) {
            emit_jump(g, JUMP_FORWARD, end);
            use_block(g, next);
            visit_statements(g, orelse);
        }
    }
    use_block(g, end);
}
//< lesson 4

static void assert_statement(CodeGenerator *g, const Node *node)
{
    if (g->c->options->optimize > 0) return;
    const Node *test = node->Assert.test;
    // A tuple of constants has been folded, and passes unnoticed, as in 3.9.
    if (test->kind == Tuple_kind && test->Tuple.elts.count > 0)
        codegen_warning(g, "assertion is always true, perhaps remove parentheses?");
    BasicBlock *end = new_block(g);
    jump_if(g, test, end, true);
    emit(g, LOAD_ASSERTION_ERROR);
    if (node->Assert.msg) {
        visit_expr(g, node->Assert.msg);
        emit_operand(g, CALL_FUNCTION, 1);
    }
    emit_operand(g, RAISE_VARARGS, 1);
    use_block(g, end);
}

static void raise_statement(CodeGenerator *g, const Node *node)
{
    if (node->Raise.exc) visit_expr(g, node->Raise.exc);
    if (node->Raise.cause) visit_expr(g, node->Raise.cause);
    emit_operand(g, RAISE_VARARGS, (node->Raise.exc != NULL) + (node->Raise.cause != NULL));
}

// In an interactive module the value is shown; elsewhere a constant is not even computed.
static void expression_statement(CodeGenerator *g, const Node *node)
{
    const Node *value = node->Expr.value;
    if (g->interactive && g->unit_depth <= 1) {
        visit_expr(g, value);
        emit(g, PRINT_EXPR);
    } else if (value->kind != Constant_kind) {
        visit_expr(g, value);
        emit(g, POP_TOP);
    }
}

static void statement(CodeGenerator *g, const Node *node)
{
    switch (node->kind) {
    case FunctionDef_kind:
    case AsyncFunctionDef_kind: function_statement(g, node); break;
    case ClassDef_kind: class_statement(g, node); break;
    case Return_kind: return_statement(g, node); break;
    case Delete_kind: visit_exprs(g, &node->Delete.targets); break;
    case Assign_kind: assign_statement(g, node); break;
    case AugAssign_kind: augmented_statement(g, node); break;
    case AnnAssign_kind: annotated_statement(g, node); break;
    case For_kind: for_statement(g, node); break;
    case AsyncFor_kind: async_for_statement(g, node); break;
    case While_kind: while_statement(g, node); break;
    case If_kind: if_statement(g, node); break;
    case With_kind: with_statement(g, node, 0); break;
    case AsyncWith_kind: async_with_statement(g, node, 0); break;
    case Raise_kind: raise_statement(g, node); break;
    case Try_kind: try_statement(g, node); break;
    case Assert_kind: assert_statement(g, node); break;
    case Import_kind: import_statement(g, node); break;
    case ImportFrom_kind: import_from_statement(g, node); break;
    case Expr_kind: expression_statement(g, node); break;
    case Break_kind: break_statement(g); break;
    case Continue_kind: continue_statement(g); break;
    default: break; // global, nonlocal, pass
    }
}

void visit_statement(CodeGenerator *g, const Node *node)
{
    compile_check_room(g->c);
    go_to(g, node);
    statement(g, node);
}

void visit_statements(CodeGenerator *g, const NodeList *list)
{
    for (int i = 0; i < list->count; i++) visit_statement(g, list->items[i]);
}
