// Checks a tree that a script has built for what the grammar guarantees of a parsed tree.
//
// Each expression has the context (Load, Store, Del) that its parent requires. Lists that must have
// items have some. Constants are values that code objects can hold. The order of the checks is that
// of 3.9's PyAST_Validate, since the first check that fails gives the message.
#include "compiler/ast.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/stack.h"
#include "objects/text/str.h"

static bool check_expr(const Node *node, expr_context context);
static bool check_stmts(const NodeList *list);

static bool refuse(const char *message)
{
    return raise_error(ValueError, "%s", message);
}

static bool check_optional(const Node *node)
{
    return !node || check_expr(node, Load_context);
}

static bool check_list(const NodeList *list, expr_context context, bool null_ok)
{
    for (int i = 0; i < list->count; i++) {
        const Node *node = list->items[i];
        if (!node && !null_ok) return refuse("None disallowed in expression list");
        if (node && !check_expr(node, context)) return false;
    }
    return true;
}

static bool check_exprs(const NodeList *list)
{
    return check_list(list, Load_context, false);
}

static bool check_not_empty(int count, const char *what, const char *owner)
{
    return count > 0 || raise_error(ValueError, "empty %s on %s", what, owner);
}

// ---- parts of expressions

static bool check_generators(const NodeList *generators)
{
    if (!generators->count) return refuse("comprehension with no generators");
    for (int i = 0; i < generators->count; i++) {
        const Node *node = generators->items[i];
        if (!check_expr(node->comprehension.target, Store_context) ||
            !check_expr(node->comprehension.iter, Load_context) ||
            !check_exprs(&node->comprehension.ifs))
            return false;
    }
    return true;
}

static bool check_keywords(const NodeList *keywords)
{
    for (int i = 0; i < keywords->count; i++)
        if (!check_expr(keywords->items[i]->keyword.value, Load_context)) return false;
    return true;
}

static bool check_annotations(const NodeList *args)
{
    for (int i = 0; i < args->count; i++)
        if (!check_optional(args->items[i]->arg.annotation)) return false;
    return true;
}

static bool check_arguments(const Node *node)
{
    const __typeof__(node->arguments) *args = &node->arguments;
    if (!check_annotations(&args->posonlyargs) || !check_annotations(&args->args)) return false;
    if (args->vararg && !check_optional(args->vararg->arg.annotation)) return false;
    if (!check_annotations(&args->kwonlyargs)) return false;
    if (args->kwarg && !check_optional(args->kwarg->arg.annotation)) return false;
    if (args->defaults.count > args->posonlyargs.count + args->args.count)
        return refuse("more positional defaults than args on arguments");
    if (args->kw_defaults.count != args->kwonlyargs.count)
        return refuse("length of kwonlyargs is not the same as kw_defaults on arguments");
    return check_exprs(&args->defaults) && check_list(&args->kw_defaults, Load_context, true);
}

// The first value in a constant that code objects cannot hold: borrowed; 0 = there is none.
static ValueRef bad_constant(ValueRef value)
{
    if (value == NONE || value == ELLIPSIS || is_bool(value) || int_check_exact(value) ||
        type_of(value) == &float_type || type_of(value) == &complex_type ||
        str_check_exact(value) || bytes_check_exact(value))
        return 0;
    if (!stack_has_room()) return value;
    ValueRef bad = value, item;
    ssize_t position = 0;
    if (tuple_check_exact(value))
        for (bad = 0; !bad && position < tuple_size(value); position++)
            bad = bad_constant(tuple_at(value, position));
    else if (is_exactly(value, &frozenset_type))
        for (bad = 0; !bad && set_next(value, &position, &item);) bad = bad_constant(item);
    return bad;
}

static bool check_constant(ValueRef value)
{
    ValueRef bad = bad_constant(value);
    return !bad || raise_error(TypeError, "got an invalid type in Constant: %T", bad);
}

static bool check_name(ValueRef name)
{
    static const char *const forbidden[] = {"None", "True", "False"};
    for (int i = 0; i < 3; i++)
        if (str_equal_ascii(name, forbidden[i]))
            return raise_error(ValueError, "Name node can't be used with '%s' constant",
                               forbidden[i]);
    return true;
}

// ---- expressions

static bool check_context(const Node *node, expr_context context)
{
    static const char *const names[] = {"Load", "Store", "Del"};
    expr_context actual = Load_context;
    switch (node->kind) {
    case Attribute_kind: actual = node->Attribute.ctx; break;
    case Subscript_kind: actual = node->Subscript.ctx; break;
    case Starred_kind: actual = node->Starred.ctx; break;
    case List_kind: actual = node->List.ctx; break;
    case Tuple_kind: actual = node->Tuple.ctx; break;
    case Name_kind:
        if (!check_name(node->Name.id)) return false;
        actual = node->Name.ctx;
        break;
    default:
        return context == Load_context ||
               raise_error(ValueError, "expression which can't be assigned to in %s context",
                           names[context]);
    }
    return actual == context ||
           raise_error(ValueError, "expression must have %s context but has %s instead",
                       names[context], names[actual]);
}

static bool check_load(const Node *node)
{
    return check_expr(node, Load_context);
}

static bool check_compare(const Node *node)
{
    const NodeList *comparators = &node->Compare.comparators;
    if (!comparators->count) return refuse("Compare with no comparators");
    if (comparators->count != node->Compare.ops.count)
        return refuse("Compare has a different number of comparators and operands");
    return check_exprs(comparators) && check_load(node->Compare.left);
}

static bool check_dict(const Node *node)
{
    if (node->Dict.keys.count != node->Dict.values.count)
        return refuse("Dict doesn't have the same number of keys as values");
    return check_list(&node->Dict.keys, Load_context, true) && check_exprs(&node->Dict.values);
}

static bool check_comprehension(const NodeList *generators, const Node *first, const Node *second)
{
    return check_generators(generators) && check_load(first) && check_optional(second);
}

static bool check_parts(const Node *node, expr_context context)
{
    switch (node->kind) {
    case BoolOp_kind:
        if (node->BoolOp.values.count < 2) return refuse("BoolOp with less than 2 values");
        return check_exprs(&node->BoolOp.values);
    case BinOp_kind: return check_load(node->BinOp.left) && check_load(node->BinOp.right);
    case UnaryOp_kind: return check_load(node->UnaryOp.operand);
    case Lambda_kind: return check_arguments(node->Lambda.args) && check_load(node->Lambda.body);
    case IfExp_kind:
        return check_load(node->IfExp.test) && check_load(node->IfExp.body) &&
               check_load(node->IfExp.orelse);
    case Dict_kind: return check_dict(node);
    case Set_kind: return check_exprs(&node->Set.elts);
    case ListComp_kind:
        return check_comprehension(&node->ListComp.generators, node->ListComp.elt, NULL);
    case SetComp_kind:
        return check_comprehension(&node->SetComp.generators, node->SetComp.elt, NULL);
    case GeneratorExp_kind:
        return check_comprehension(&node->GeneratorExp.generators, node->GeneratorExp.elt, NULL);
    case DictComp_kind:
        return check_comprehension(&node->DictComp.generators, node->DictComp.key,
                                   node->DictComp.value);
    case Yield_kind: return check_optional(node->Yield.value);
    case YieldFrom_kind: return check_load(node->YieldFrom.value);
    case Await_kind: return check_load(node->Await.value);
    case Compare_kind: return check_compare(node);
    case Call_kind:
        return check_load(node->Call.func) && check_exprs(&node->Call.args) &&
               check_keywords(&node->Call.keywords);
    case Constant_kind: return check_constant(node->Constant.value);
    case JoinedStr_kind: return check_exprs(&node->JoinedStr.values);
    case FormattedValue_kind:
        return check_load(node->FormattedValue.value) &&
               check_optional(node->FormattedValue.format_spec);
    case Attribute_kind: return check_load(node->Attribute.value);
    case Subscript_kind:
        return check_load(node->Subscript.slice) && check_load(node->Subscript.value);
    case Starred_kind: return check_expr(node->Starred.value, context);
    case Slice_kind:
        return check_optional(node->Slice.lower) && check_optional(node->Slice.upper) &&
               check_optional(node->Slice.step);
    case List_kind: return check_list(&node->List.elts, context, false);
    case Tuple_kind: return check_list(&node->Tuple.elts, context, false);
    case NamedExpr_kind: // 3.9 does not look at the target
        if (node->NamedExpr.target->kind != Name_kind)
            return refuse("NamedExpr with a target that is no Name");
        return check_expr(node->NamedExpr.target, Store_context) &&
               check_load(node->NamedExpr.value);
    default: return true; // Name
    }
}

static bool check_expr(const Node *node, expr_context context)
{
    if (!stack_check_room()) return false;
    return check_context(node, context) && check_parts(node, context);
}

// ---- statements

static bool check_body(const NodeList *body, const char *owner)
{
    return check_not_empty(body->count, "body", owner) && check_stmts(body);
}

static bool check_targets(const NodeList *targets, expr_context context)
{
    return check_not_empty(targets->count, "targets",
                           context == Del_context ? "Delete" : "Assign") &&
           check_list(targets, context, false);
}

static bool check_function(const Node *args, const NodeList *body, const NodeList *decorators,
                           const Node *returns, const char *owner)
{
    return check_body(body, owner) && check_arguments(args) && check_exprs(decorators) &&
           check_optional(returns);
}

// What the code generator cannot store into, and so says in 3.9; the number is CPython's.
static bool check_target(const Node *target, const char *statement)
{
    if (target->kind == Name_kind || target->kind == Attribute_kind ||
        target->kind == Subscript_kind)
        return true;
    return raise_error(SystemError, "invalid node type (%d) for %s assignment",
                       target->kind - BoolOp_kind + 1, statement);
}

static bool check_augmented(const Node *node)
{
    return check_expr(node->AugAssign.target, Store_context) && check_load(node->AugAssign.value) &&
           check_target(node->AugAssign.target, "augmented");
}

static bool check_annotated(const Node *node)
{
    if (node->AnnAssign.target->kind != Name_kind && node->AnnAssign.simple)
        return raise_error(TypeError, "AnnAssign with simple non-Name target");
    return check_expr(node->AnnAssign.target, Store_context) &&
           check_optional(node->AnnAssign.value) && check_load(node->AnnAssign.annotation) &&
           check_target(node->AnnAssign.target, "annotated");
}

static bool check_loop(const Node *target, const Node *iter, const NodeList *body,
                       const NodeList *orelse, const char *owner)
{
    return check_expr(target, Store_context) && check_load(iter) && check_body(body, owner) &&
           check_stmts(orelse);
}

static bool check_with(const NodeList *items, const NodeList *body, const char *owner)
{
    if (!check_not_empty(items->count, "items", owner)) return false;
    for (int i = 0; i < items->count; i++) {
        const Node *item = items->items[i], *vars = item->withitem.optional_vars;
        if (!check_load(item->withitem.context_expr)) return false;
        if (vars && !check_expr(vars, Store_context)) return false;
    }
    return check_body(body, owner);
}

static bool check_handlers(const NodeList *handlers)
{
    for (int i = 0; i < handlers->count; i++) {
        const Node *handler = handlers->items[i];
        if (!handler) return refuse("None disallowed in handler list");
        if (!check_optional(handler->ExceptHandler.type) ||
            !check_body(&handler->ExceptHandler.body, "ExceptHandler"))
            return false;
    }
    return true;
}

static bool check_try(const Node *node)
{
    const NodeList *handlers = &node->Try.handlers;
    if (!check_body(&node->Try.body, "Try")) return false;
    if (!handlers->count && !node->Try.finalbody.count)
        return refuse("Try has neither except handlers nor finalbody");
    if (!handlers->count && node->Try.orelse.count)
        return refuse("Try has orelse but no except handlers");
    return check_handlers(handlers) && check_stmts(&node->Try.finalbody) &&
           check_stmts(&node->Try.orelse);
}

static bool check_raise(const Node *node)
{
    if (!node->Raise.exc && node->Raise.cause) return refuse("Raise with cause but no exception");
    return check_optional(node->Raise.exc) && check_optional(node->Raise.cause);
}

static bool check_import_from(const Node *node)
{
    if (node->ImportFrom.level < 0) return refuse("Negative ImportFrom level");
    return check_not_empty(node->ImportFrom.names.count, "names", "ImportFrom");
}

static bool check_class(const Node *node)
{
    return check_body(&node->ClassDef.body, "ClassDef") && check_exprs(&node->ClassDef.bases) &&
           check_keywords(&node->ClassDef.keywords) && check_exprs(&node->ClassDef.decorator_list);
}

static bool check_stmt(const Node *node)
{
    switch (node->kind) {
    case FunctionDef_kind:
        return check_function(node->FunctionDef.args, &node->FunctionDef.body,
                              &node->FunctionDef.decorator_list, node->FunctionDef.returns,
                              "FunctionDef");
    case AsyncFunctionDef_kind:
        return check_function(node->AsyncFunctionDef.args, &node->AsyncFunctionDef.body,
                              &node->AsyncFunctionDef.decorator_list,
                              node->AsyncFunctionDef.returns, "AsyncFunctionDef");
    case ClassDef_kind: return check_class(node);
    case Return_kind: return check_optional(node->Return.value);
    case Delete_kind: return check_targets(&node->Delete.targets, Del_context);
    case Assign_kind:
        return check_targets(&node->Assign.targets, Store_context) &&
               check_load(node->Assign.value);
    case AugAssign_kind: return check_augmented(node);
    case AnnAssign_kind: return check_annotated(node);
    case For_kind:
        return check_loop(node->For.target, node->For.iter, &node->For.body, &node->For.orelse,
                          "For");
    case AsyncFor_kind:
        return check_loop(node->AsyncFor.target, node->AsyncFor.iter, &node->AsyncFor.body,
                          &node->AsyncFor.orelse, "AsyncFor");
    case While_kind:
        return check_load(node->While.test) && check_body(&node->While.body, "While") &&
               check_stmts(&node->While.orelse);
    case If_kind:
        return check_load(node->If.test) && check_body(&node->If.body, "If") &&
               check_stmts(&node->If.orelse);
    case With_kind: return check_with(&node->With.items, &node->With.body, "With");
    case AsyncWith_kind:
        return check_with(&node->AsyncWith.items, &node->AsyncWith.body, "AsyncWith");
    case Raise_kind: return check_raise(node);
    case Try_kind: return check_try(node);
    case Assert_kind: return check_load(node->Assert.test) && check_optional(node->Assert.msg);
    case Import_kind: return check_not_empty(node->Import.names.count, "names", "Import");
    case ImportFrom_kind: return check_import_from(node);
    case Global_kind: return check_not_empty(node->Global.names.count, "names", "Global");
    case Nonlocal_kind: return check_not_empty(node->Nonlocal.names.count, "names", "Nonlocal");
    case Expr_kind: return check_load(node->Expr.value);
    default: return true; // Pass, Break, Continue
    }
}

static bool check_stmts(const NodeList *list)
{
    if (!stack_check_room()) return false;
    for (int i = 0; i < list->count; i++) {
        if (!list->items[i]) return refuse("None disallowed in statement list");
        if (!check_stmt(list->items[i])) return false;
    }
    return true;
}

bool ast_validate(const Node *tree)
{
    switch (tree->kind) {
    case Module_kind: return check_stmts(&tree->Module.body);
    case Interactive_kind: return check_stmts(&tree->Interactive.body);
    default: return check_load(tree->Expression.body);
    }
}
