// The first walk of the symbol table: scopes, and how names are used in them.
//
// The order of visits is that of CPython's symtable.c, since errors depend on it ("name 'x' is used
// prior to global declaration"): defaults, annotations and decorators are visited before the
// function's scope is entered, and so on. enter() counts nested statements and expressions as
// CPython does: three of them are one frame of the recursion limit.
#include "compiler/tree/symtable.h"

#include "objects/error.h"
#include "objects/names.h"
#include "objects/stack.h"
#include "objects/text/str.h"

#define DEPTH_PER_FRAME 3

static void visit_expression(SymbolTable *t, const Node *node);
static void visit_statement(SymbolTable *t, const Node *node);

// ---- scopes

static Scope *new_scope(SymbolTable *t, ScopeType type, ValueRef name, const Node *node)
{
    Scope *scope = arena_alloc(t->c->arena, sizeof *scope);
    Scope *outer = t->current;
    *scope = (Scope){.type = type, .name = name, .outer = outer};
    scope->line = node->position.line;
    scope->column = node->position.column;
    if (outer) {
        scope->nested = outer->nested || outer->type == FUNCTION_SCOPE;
        // := may not stand in an iterable of a comprehension, not even inside a lambda there.
        scope->iterating = outer->iterating;
        *(outer->last_inner ? &outer->last_inner->next : &outer->first_inner) = scope;
        outer->last_inner = scope;
    }
    return scope;
}

static void remember_scope(SymbolTable *t, const Node *node, Scope *scope)
{
    int number = t->nodes.count;
    if (number == t->scope_capacity) {
        int capacity = number ? number * 2 : 16;
        Scope **scopes = arena_alloc(t->c->arena, (size_t)capacity * sizeof *scopes);
        if (number) memcpy(scopes, t->scopes, (size_t)number * sizeof *scopes);
        t->scopes = scopes;
        t->scope_capacity = capacity;
    }
    map_add(&t->nodes, t->c->arena, ref_of(node));
    t->scopes[number] = scope;
}

static void enter_scope(SymbolTable *t, ScopeType type, ValueRef name, const Node *node)
{
    Scope *scope = new_scope(t, type, name, node);
    remember_scope(t, node, scope);
    t->current = scope;
}

static void leave_scope(SymbolTable *t)
{
    t->current = t->current->outer;
}

Scope *scope_of_node(const SymbolTable *table, const Node *node)
{
    return table->scopes[map_find(&table->nodes, ref_of(node))];
}

int scope_flags_of(const Scope *scope, ValueRef mangled)
{
    int position = map_find(&scope->symbols, mangled);
    return position < 0 ? 0 : scope->symbols.entries[position].number;
}

NameScope scope_kind_of(const Scope *scope, ValueRef mangled)
{
    return (NameScope)(scope_flags_of(scope, mangled) >> NAME_SCOPE_SHIFT);
}

// ---- names

#define fail_at(t, position, ...)                                                                  \
    compile_error_located((t)->c, (position)->line, (position)->column + 1, __VA_ARGS__)

// Where := is wrong 3.9 gives the column counted from 0.
#define fail_under(t, node, ...)                                                                   \
    compile_error_located((t)->c, (node)->position.line, (node)->position.column, __VA_ARGS__)

static void define_in(SymbolTable *t, Scope *scope, ValueRef name, int flag)
{
    ValueRef mangled = compile_mangle(t->c, t->private_name, name);
    int position = map_add(&scope->symbols, t->c->arena, mangled);
    int *flags = &scope->symbols.entries[position].number;
    if (flag & *flags & DEF_PARAM)
        fail_at(t, scope, "duplicate argument '%S' in function definition", name);
    *flags |= flag;
    if (scope->in_target) {
        if (*flags & (DEF_GLOBAL | DEF_NONLOCAL))
            fail_at(t, scope,
                    "comprehension inner loop cannot rebind assignment expression target '%S'",
                    name);
        *flags |= DEF_COMP_ITER;
    }
    if (flag & DEF_PARAM) map_add(&scope->parameters, t->c->arena, mangled);
    if ((flag & DEF_GLOBAL) && scope != t->top) {
        // A module knows the names that its functions declare global.
        position = map_add(&t->top->symbols, t->c->arena, mangled);
        t->top->symbols.entries[position].number |= flag;
    }
}

static void define(SymbolTable *t, ValueRef name, int flag)
{
    define_in(t, t->current, name, flag);
}

static int lookup(const SymbolTable *t, ValueRef name)
{
    return scope_flags_of(t->current, compile_mangle(t->c, t->private_name, name));
}

static void record_directive(SymbolTable *t, ValueRef name, const Node *node)
{
    Directive *directive = arena_alloc(t->c->arena, sizeof *directive);
    *directive = (Directive){.scope = t->current,
                             .name = compile_mangle(t->c, t->private_name, name),
                             .line = node->position.line,
                             .column = node->position.column};
    Directive **end = &t->directives;
    directive->next = *end;
    *end = directive;
}

// ---- expressions

static void visit_list(SymbolTable *t, const NodeList *list)
{
    for (int i = 0; i < list->count; i++)
        if (list->items[i]) visit_expression(t, list->items[i]);
}

static void visit_optional(SymbolTable *t, const Node *node)
{
    if (node) visit_expression(t, node);
}

static void visit_keywords(SymbolTable *t, const NodeList *list)
{
    for (int i = 0; i < list->count; i++) visit_expression(t, list->items[i]->keyword.value);
}

static void define_parameters(SymbolTable *t, const NodeList *list)
{
    for (int i = 0; i < list->count; i++) define(t, list->items[i]->arg.arg, DEF_PARAM);
}

static void visit_parameters(SymbolTable *t, const Node *node)
{
    define_parameters(t, &node->arguments.posonlyargs);
    define_parameters(t, &node->arguments.args);
    define_parameters(t, &node->arguments.kwonlyargs);
    if (node->arguments.vararg) {
        define(t, node->arguments.vararg->arg.arg, DEF_PARAM);
        t->current->varargs = true;
    }
    if (node->arguments.kwarg) {
        define(t, node->arguments.kwarg->arg.arg, DEF_PARAM);
        t->current->varkeywords = true;
    }
}

static void visit_lambda(SymbolTable *t, const Node *node)
{
    const Node *args = node->Lambda.args;
    visit_list(t, &args->arguments.defaults);
    visit_list(t, &args->arguments.kw_defaults);
    enter_scope(t, FUNCTION_SCOPE, compile_name(t->c, "lambda"), node);
    visit_parameters(t, args);
    visit_expression(t, node->Lambda.body);
    leave_scope(t);
}

static void visit_name(SymbolTable *t, const Node *node)
{
    bool loads = node->Name.ctx == Load_context;
    define(t, node->Name.id, loads ? SYMBOL_USE : DEF_LOCAL);
    // super() without arguments finds its class in a cell named __class__.
    if (loads && t->current->type == FUNCTION_SCOPE && node->Name.id == NAME(super))
        define(t, NAME(__class__), SYMBOL_USE);
}

// The target of := inside a comprehension belongs to the function or module around it.
static void define_outside_comprehension(SymbolTable *t, const Node *target)
{
    ValueRef name = target->Name.id;
    for (Scope *scope = t->current; scope; scope = scope->outer) {
        int flags = scope_flags_of(scope, name);
        if (scope->comprehension) {
            if (flags & DEF_COMP_ITER)
                fail_under(t, target,
                           "assignment expression cannot rebind comprehension iteration variable "
                           "'%S'",
                           name);
            continue;
        }
        if (scope->type == CLASS_SCOPE)
            fail_under(
                t, target,
                "assignment expression within a comprehension cannot be used in a class body");
        bool is_global = scope->type == MODULE_SCOPE || (flags & DEF_GLOBAL);
        define(t, name, is_global ? DEF_GLOBAL : DEF_NONLOCAL);
        record_directive(t, name, target);
        define_in(t, scope, name, scope->type == MODULE_SCOPE ? DEF_GLOBAL : DEF_LOCAL);
        return;
    }
}

static void visit_named_expression(SymbolTable *t, const Node *node)
{
    if (t->current->iterating)
        fail_under(t, node,
                   "assignment expression cannot be used in a comprehension iterable expression");
    if (t->current->comprehension) define_outside_comprehension(t, node->NamedExpr.target);
    visit_expression(t, node->NamedExpr.value);
    visit_expression(t, node->NamedExpr.target);
}

// ---- comprehensions

static void visit_target(SymbolTable *t, const Node *target)
{
    t->current->in_target = true;
    visit_expression(t, target);
    t->current->in_target = false;
}

static void visit_iterable(SymbolTable *t, const Node *iterable)
{
    t->current->iterating++;
    visit_expression(t, iterable);
    t->current->iterating--;
}

static void visit_generators(SymbolTable *t, const NodeList *generators)
{
    for (int i = 0; i < generators->count; i++) {
        const Node *generator = generators->items[i];
        visit_target(t, generator->comprehension.target);
        if (i > 0) visit_iterable(t, generator->comprehension.iter);
        visit_list(t, &generator->comprehension.ifs);
        if (i > 0 && generator->comprehension.is_async) t->current->coroutine = true;
    }
}

// `what` names it in the error that a yield inside is.
static void visit_comprehension(SymbolTable *t, const Node *node, const char *name,
                                const NodeList *generators, const Node *element, const Node *value,
                                const char *what)
{
    const Node *outermost = generators->items[0];
    visit_iterable(t, outermost->comprehension.iter); // by the scope around
    enter_scope(t, FUNCTION_SCOPE, compile_name(t->c, name), node);
    Scope *scope = t->current;
    scope->coroutine = outermost->comprehension.is_async;
    scope->comprehension = true;
    define(t, compile_name(t->c, ".0"), DEF_PARAM);
    visit_generators(t, generators);
    if (value) visit_expression(t, value);
    visit_expression(t, element);
    if (scope->generator) fail_at(t, scope, "'yield' inside %s", what);
    scope->generator = node->kind == GeneratorExp_kind;
    leave_scope(t);
}

// ---- the walk over expressions

static void visit_simple_expression(SymbolTable *t, const Node *node)
{
    switch (node->kind) {
    case UnaryOp_kind: visit_expression(t, node->UnaryOp.operand); break;
    case BinOp_kind:
        visit_expression(t, node->BinOp.left);
        visit_expression(t, node->BinOp.right);
        break;
    case BoolOp_kind: visit_list(t, &node->BoolOp.values); break;
    case IfExp_kind:
        visit_expression(t, node->IfExp.test);
        visit_expression(t, node->IfExp.body);
        visit_expression(t, node->IfExp.orelse);
        break;
    case Dict_kind:
        visit_list(t, &node->Dict.keys);
        visit_list(t, &node->Dict.values);
        break;
    case Set_kind: visit_list(t, &node->Set.elts); break;
    case List_kind: visit_list(t, &node->List.elts); break;
    case Tuple_kind: visit_list(t, &node->Tuple.elts); break;
    case Compare_kind:
        visit_expression(t, node->Compare.left);
        visit_list(t, &node->Compare.comparators);
        break;
    case Call_kind:
        visit_expression(t, node->Call.func);
        visit_list(t, &node->Call.args);
        visit_keywords(t, &node->Call.keywords);
        break;
    case FormattedValue_kind:
        visit_expression(t, node->FormattedValue.value);
        visit_optional(t, node->FormattedValue.format_spec);
        break;
    case JoinedStr_kind: visit_list(t, &node->JoinedStr.values); break;
    case Attribute_kind: visit_expression(t, node->Attribute.value); break;
    case Subscript_kind:
        visit_expression(t, node->Subscript.value);
        visit_expression(t, node->Subscript.slice);
        break;
    case Starred_kind: visit_expression(t, node->Starred.value); break;
    case Slice_kind:
        visit_optional(t, node->Slice.lower);
        visit_optional(t, node->Slice.upper);
        visit_optional(t, node->Slice.step);
        break;
    default: break;
    }
}

static void enter(SymbolTable *t)
{
    bool has_room = stack_has_room();
    if (++t->c->depth <= recursion_limit * (int64_t)DEPTH_PER_FRAME && has_room) return;
    raise_error(RecursionError, "maximum recursion depth exceeded during compilation");
    arena_fail(t->c->arena);
}

static void visit_expression(SymbolTable *t, const Node *node)
{
    enter(t);
    switch (node->kind) {
    case Name_kind: visit_name(t, node); break;
    case Constant_kind: break;
    case NamedExpr_kind: visit_named_expression(t, node); break;
    case Lambda_kind: visit_lambda(t, node); break;
    case ListComp_kind:
        visit_comprehension(t, node, "listcomp", &node->ListComp.generators, node->ListComp.elt,
                            NULL, "list comprehension");
        break;
    case SetComp_kind:
        visit_comprehension(t, node, "setcomp", &node->SetComp.generators, node->SetComp.elt, NULL,
                            "set comprehension");
        break;
    case DictComp_kind:
        visit_comprehension(t, node, "dictcomp", &node->DictComp.generators, node->DictComp.key,
                            node->DictComp.value, "dict comprehension");
        break;
    case GeneratorExp_kind:
        visit_comprehension(t, node, "genexpr", &node->GeneratorExp.generators,
                            node->GeneratorExp.elt, NULL, "generator expression");
        break;
    case Yield_kind:
        visit_optional(t, node->Yield.value);
        t->current->generator = true;
        break;
    case YieldFrom_kind:
        visit_expression(t, node->YieldFrom.value);
        t->current->generator = true;
        break;
    case Await_kind:
        visit_expression(t, node->Await.value);
        t->current->coroutine = true;
        break;
    default: visit_simple_expression(t, node); break;
    }
    t->c->depth--;
}

// ---- statements

static void visit_body(SymbolTable *t, const NodeList *body)
{
    for (int i = 0; i < body->count; i++) visit_statement(t, body->items[i]);
}

static void visit_arg_annotations(SymbolTable *t, const NodeList *list)
{
    for (int i = 0; i < list->count; i++) visit_optional(t, list->items[i]->arg.annotation);
}

static void visit_annotations(SymbolTable *t, const Node *args, const Node *returns)
{
    visit_arg_annotations(t, &args->arguments.posonlyargs);
    visit_arg_annotations(t, &args->arguments.args);
    if (args->arguments.vararg) visit_optional(t, args->arguments.vararg->arg.annotation);
    if (args->arguments.kwarg) visit_optional(t, args->arguments.kwarg->arg.annotation);
    visit_arg_annotations(t, &args->arguments.kwonlyargs);
    visit_optional(t, returns);
}

static void visit_function(SymbolTable *t, const Node *node, ValueRef name, const Node *args,
                           const NodeList *body, const NodeList *decorators, const Node *returns)
{
    define(t, name, DEF_LOCAL);
    visit_list(t, &args->arguments.defaults);
    visit_list(t, &args->arguments.kw_defaults);
    visit_annotations(t, args, returns);
    visit_list(t, decorators);
    enter_scope(t, FUNCTION_SCOPE, name, node);
    t->current->coroutine = node->kind == AsyncFunctionDef_kind;
    visit_parameters(t, args);
    visit_body(t, body);
    leave_scope(t);
}

static void visit_class(SymbolTable *t, const Node *node)
{
    define(t, node->ClassDef.name, DEF_LOCAL);
    visit_list(t, &node->ClassDef.bases);
    visit_keywords(t, &node->ClassDef.keywords);
    visit_list(t, &node->ClassDef.decorator_list);
    enter_scope(t, CLASS_SCOPE, node->ClassDef.name, node);
    ValueRef outer_name = t->private_name;
    t->private_name = node->ClassDef.name;
    visit_body(t, &node->ClassDef.body);
    t->private_name = outer_name;
    leave_scope(t);
}

static void visit_annotated_assignment(SymbolTable *t, const Node *node)
{
    const Node *target = node->AnnAssign.target;
    if (target->kind == Name_kind) {
        ValueRef name = target->Name.id;
        int flags = lookup(t, name);
        if ((flags & (DEF_GLOBAL | DEF_NONLOCAL)) && t->current != t->top && node->AnnAssign.simple)
            fail_at(t, &node->position, "annotated name '%S' can't be %s", name,
                    flags & DEF_GLOBAL ? "global" : "nonlocal");
        if (node->AnnAssign.simple)
            define(t, name, DEF_ANNOT | DEF_LOCAL);
        else if (node->AnnAssign.value)
            define(t, name, DEF_LOCAL);
    } else {
        visit_expression(t, target);
    }
    visit_expression(t, node->AnnAssign.annotation);
    visit_optional(t, node->AnnAssign.value);
}

static void visit_declaration(SymbolTable *t, const Node *node, const IdentList *names, int flag,
                              const char *word)
{
    for (int i = 0; i < names->count; i++) {
        ValueRef name = names->items[i];
        int flags = lookup(t, name);
        if (flags & DEF_PARAM)
            fail_at(t, &node->position, "name '%S' is parameter and %s", name, word);
        if (flags & SYMBOL_USE)
            fail_at(t, &node->position, "name '%S' is used prior to %s declaration", name, word);
        if (flags & DEF_ANNOT)
            fail_at(t, &node->position, "annotated name '%S' can't be %s", name, word);
        if (flags & DEF_LOCAL)
            fail_at(t, &node->position, "name '%S' is assigned to before %s declaration", name,
                    word);
        define(t, name, flag);
        record_directive(t, name, node);
    }
}

// `import a.b.c` binds a, `import a.b as x` binds x.
static void visit_aliases(SymbolTable *t, const NodeList *names)
{
    for (int i = 0; i < names->count; i++) {
        const Node *alias = names->items[i];
        ValueRef name = alias->alias.asname ? alias->alias.asname : alias->alias.name;
        if (str_equal_ascii(name, "*")) {
            if (t->current->type != MODULE_SCOPE)
                fail_at(t, t->current, "import * only allowed at module level");
            continue;
        }
        ssize_t dot = str_find_char(name, '.', 0, str_length(name), 1);
        if (dot >= 0) {
            Value first = str_substring(name, 0, dot);
            if (first) str_intern_in_place(&first);
            name = arena_hold(t->c->arena, first);
        }
        define(t, name, DEF_IMPORT);
    }
}

static void visit_try(SymbolTable *t, const Node *node)
{
    visit_body(t, &node->Try.body);
    visit_body(t, &node->Try.orelse);
    for (int i = 0; i < node->Try.handlers.count; i++) {
        const Node *handler = node->Try.handlers.items[i];
        visit_optional(t, handler->ExceptHandler.type);
        if (handler->ExceptHandler.name) define(t, handler->ExceptHandler.name, DEF_LOCAL);
        visit_body(t, &handler->ExceptHandler.body);
    }
    visit_body(t, &node->Try.finalbody);
}

static void visit_with(SymbolTable *t, const NodeList *items, const NodeList *body)
{
    for (int i = 0; i < items->count; i++) {
        visit_expression(t, items->items[i]->withitem.context_expr);
        visit_optional(t, items->items[i]->withitem.optional_vars);
    }
    visit_body(t, body);
}

static void visit_loop(SymbolTable *t, const Node *target, const Node *iter, const NodeList *body,
                       const NodeList *orelse)
{
    visit_optional(t, target);
    visit_expression(t, iter);
    visit_body(t, body);
    visit_body(t, orelse);
}

static void visit_compound(SymbolTable *t, const Node *node)
{
    switch (node->kind) {
    case FunctionDef_kind:
        visit_function(t, node, node->FunctionDef.name, node->FunctionDef.args,
                       &node->FunctionDef.body, &node->FunctionDef.decorator_list,
                       node->FunctionDef.returns);
        break;
    case AsyncFunctionDef_kind:
        visit_function(t, node, node->AsyncFunctionDef.name, node->AsyncFunctionDef.args,
                       &node->AsyncFunctionDef.body, &node->AsyncFunctionDef.decorator_list,
                       node->AsyncFunctionDef.returns);
        break;
    case ClassDef_kind: visit_class(t, node); break;
    case For_kind:
        visit_loop(t, node->For.target, node->For.iter, &node->For.body, &node->For.orelse);
        break;
    case AsyncFor_kind:
        visit_loop(t, node->AsyncFor.target, node->AsyncFor.iter, &node->AsyncFor.body,
                   &node->AsyncFor.orelse);
        break;
    case While_kind:
        visit_loop(t, NULL, node->While.test, &node->While.body, &node->While.orelse);
        break;
    case If_kind: visit_loop(t, NULL, node->If.test, &node->If.body, &node->If.orelse); break;
    case With_kind: visit_with(t, &node->With.items, &node->With.body); break;
    case AsyncWith_kind: visit_with(t, &node->AsyncWith.items, &node->AsyncWith.body); break;
    case Try_kind: visit_try(t, node); break;
    default: break;
    }
}

static void visit_statement(SymbolTable *t, const Node *node)
{
    enter(t);
    switch (node->kind) {
    case Return_kind: visit_optional(t, node->Return.value); break;
    case Delete_kind: visit_list(t, &node->Delete.targets); break;
    case Assign_kind:
        visit_list(t, &node->Assign.targets);
        visit_expression(t, node->Assign.value);
        break;
    case AugAssign_kind:
        visit_expression(t, node->AugAssign.target);
        visit_expression(t, node->AugAssign.value);
        break;
    case AnnAssign_kind: visit_annotated_assignment(t, node); break;
    case Raise_kind:
        visit_optional(t, node->Raise.exc);
        visit_optional(t, node->Raise.cause);
        break;
    case Assert_kind:
        visit_expression(t, node->Assert.test);
        visit_optional(t, node->Assert.msg);
        break;
    case Import_kind: visit_aliases(t, &node->Import.names); break;
    case ImportFrom_kind: visit_aliases(t, &node->ImportFrom.names); break;
    case Global_kind: visit_declaration(t, node, &node->Global.names, DEF_GLOBAL, "global"); break;
    case Nonlocal_kind:
        visit_declaration(t, node, &node->Nonlocal.names, DEF_NONLOCAL, "nonlocal");
        break;
    case Expr_kind: visit_expression(t, node->Expr.value); break;
    default: visit_compound(t, node); break;
    }
    t->c->depth--;
}

SymbolTable *symbols_make(Compilation *c, const Node *tree)
{
    SymbolTable *t = arena_alloc(c->arena, sizeof *t);
    t->c = c;
    c->depth = recursion_depth * DEPTH_PER_FRAME;
    Node no_position = {.kind = tree->kind}; // 3.9 gives the module no position
    t->top = new_scope(t, MODULE_SCOPE, compile_name(c, "top"), &no_position);
    t->current = t->top;
    remember_scope(t, tree, t->top);
    switch (tree->kind) {
    case Module_kind: visit_body(t, &tree->Module.body); break;
    case Interactive_kind: visit_body(t, &tree->Interactive.body); break;
    case Expression_kind: visit_expression(t, tree->Expression.body); break;
    default: break;
    }
    symbols_resolve(t);
    return t;
}
