// Functions, lambdas and classes: each is a unit, whose code MAKE_FUNCTION turns into a function.
//
//     decorators, defaults, keyword defaults, annotations, cells, code, qualified name
//     MAKE_FUNCTION flags        says which of the first parts are there: MakeFunctionFlag
//     CALL_FUNCTION 1            for each decorator
#include "compiler/codegen/codegen.h"

#include "objects/containers/tuple.h"
#include "objects/names.h"

static ValueRef mangled_name(CodeGenerator *g, ValueRef name)
{
    return compile_mangle(g->c, g->unit->private_name, name);
}

// A class keeps __class__ for its methods in a cell. That is so even if the class body itself uses
// the __class__ of an outer class.
static void load_closure(CodeGenerator *g, ValueRef name)
{
    bool is_own_class = g->unit->kind == CLASS_UNIT && name == NAME(__class__);
    NameScope kind = is_own_class ? CELL : scope_kind_of(g->unit->scope, name);
    emit_operand(g, LOAD_CLOSURE, closure_index(g, name, kind == CELL ? CELL : FREE));
}

// Emits LOAD_CLOSURE for each free variable of the inner code; here it is a cell or free as well.
void make_closure(CodeGenerator *g, ValueRef code, int flags, ValueRef qualname)
{
    if (!g->silent) {
        ValueRef freevars = as_code(code)->freevars;
        ssize_t count = tuple_size(freevars);
        for (ssize_t i = 0; i < count; i++) load_closure(g, tuple_at(freevars, i));
        if (count) {
            flags |= MAKE_FUNCTION_CLOSURE;
            emit_operand(g, BUILD_TUPLE, (int)count);
        }
    }
    emit_constant(g, code);
    emit_constant(g, qualname);
    emit_operand(g, MAKE_FUNCTION, flags);
}

// ---- defaults and annotations

static void check_parameter(CodeGenerator *g, const Node *arg)
{
    if (arg) check_store_name(g, arg->arg.arg);
}

static void check_parameters(CodeGenerator *g, const Node *args)
{
    const NodeList *lists[] = {&args->arguments.posonlyargs, &args->arguments.args,
                               &args->arguments.kwonlyargs};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < lists[k]->count; i++) check_parameter(g, lists[k]->items[i]);
    check_parameter(g, args->arguments.vararg);
    check_parameter(g, args->arguments.kwarg);
}

static void emit_names_tuple(CodeGenerator *g, const ValueRef *names, int count)
{
    emit_new_constant(g, tuple_from_array(names, (size_t)count));
    emit_operand(g, BUILD_CONST_KEY_MAP, count);
}

static int keyword_defaults(CodeGenerator *g, const Node *args)
{
    const NodeList *parameters = &args->arguments.kwonlyargs;
    const NodeList *defaults = &args->arguments.kw_defaults;
    if (!parameters->count) return 0;
    ValueRef *names = arena_alloc(g->arena, (size_t)parameters->count * sizeof *names);
    int count = 0;
    for (int i = 0; i < parameters->count; i++) {
        if (!defaults->items[i]) continue;
        names[count++] = mangled_name(g, parameters->items[i]->arg.arg);
        visit_expr(g, defaults->items[i]);
    }
    if (!count) return 0;
    emit_names_tuple(g, names, count);
    return MAKE_FUNCTION_KWDEFAULTS;
}

// The flags for what is on the stack afterwards.
static int default_arguments(CodeGenerator *g, const Node *args)
{
    int flags = 0;
    if (args->arguments.defaults.count) {
        visit_exprs(g, &args->arguments.defaults);
        emit_operand(g, BUILD_TUPLE, args->arguments.defaults.count);
        flags |= MAKE_FUNCTION_DEFAULTS;
    }
    return flags | keyword_defaults(g, args);
}

void annotation(CodeGenerator *g, const Node *node)
{
    if (g->c->features & CO_FUTURE_ANNOTATIONS)
        emit_constant(g, unparse(g->c, node));
    else
        visit_expr(g, node);
}

typedef struct Annotations {
    ValueRef *names;
    int count;
} Annotations;

static void annotate(CodeGenerator *g, Annotations *annotations, ValueRef name, const Node *node)
{
    if (!node) return;
    annotation(g, node);
    annotations->names[annotations->count++] = mangled_name(g, name);
}

static void annotate_parameter(CodeGenerator *g, Annotations *annotations, const Node *arg)
{
    if (arg) annotate(g, annotations, arg->arg.arg, arg->arg.annotation);
}

static void annotate_parameters(CodeGenerator *g, Annotations *annotations, const NodeList *list)
{
    for (int i = 0; i < list->count; i++) annotate_parameter(g, annotations, list->items[i]);
}

// In 3.9's order, which is not that of the source.
static int annotations_of(CodeGenerator *g, const Node *args, const Node *returns)
{
    size_t most = (size_t)args->arguments.args.count + (size_t)args->arguments.posonlyargs.count +
                  (size_t)args->arguments.kwonlyargs.count + 3;
    Annotations annotations = {arena_alloc(g->arena, most * sizeof(ValueRef)), 0};
    annotate_parameters(g, &annotations, &args->arguments.args);
    annotate_parameters(g, &annotations, &args->arguments.posonlyargs);
    annotate_parameter(g, &annotations, args->arguments.vararg);
    annotate_parameters(g, &annotations, &args->arguments.kwonlyargs);
    annotate_parameter(g, &annotations, args->arguments.kwarg);
    annotate(g, &annotations, NAME(return), returns);
    if (!annotations.count) return 0;
    emit_names_tuple(g, annotations.names, annotations.count);
    return MAKE_FUNCTION_ANNOTATIONS;
}

// ---- functions

static void count_parameters(Unit *unit, const Node *args)
{
    unit->argcount = args->arguments.args.count;
    unit->posonlyargcount = args->arguments.posonlyargs.count;
    unit->kwonlyargcount = args->arguments.kwonlyargs.count;
}

static int first_line_of(const Node *node, const NodeList *decorators)
{
    return decorators->count ? decorators->items[0]->position.line : node->position.line;
}

static void call_decorators(CodeGenerator *g, const NodeList *decorators)
{
    for (int i = 0; i < decorators->count; i++) emit_operand(g, CALL_FUNCTION, 1);
}

typedef struct FunctionParts {
    ValueRef name;
    const Node *args, *returns;
    const NodeList *body, *decorators;
    UnitKind kind;
} FunctionParts;

static FunctionParts parts_of(const Node *node)
{
    if (node->kind == FunctionDef_kind)
        return (FunctionParts){node->FunctionDef.name,
                               node->FunctionDef.args,
                               node->FunctionDef.returns,
                               &node->FunctionDef.body,
                               &node->FunctionDef.decorator_list,
                               FUNCTION_UNIT};
    return (FunctionParts){node->AsyncFunctionDef.name,
                           node->AsyncFunctionDef.args,
                           node->AsyncFunctionDef.returns,
                           &node->AsyncFunctionDef.body,
                           &node->AsyncFunctionDef.decorator_list,
                           ASYNC_FUNCTION_UNIT};
}

void function_statement(CodeGenerator *g, const Node *node)
{
    FunctionParts parts = parts_of(node);
    check_parameters(g, parts.args);
    visit_exprs(g, parts.decorators);
    int flags = default_arguments(g, parts.args);
    flags |= annotations_of(g, parts.args, parts.returns);
    enter_unit(g, parts.kind, parts.name, node, first_line_of(node, parts.decorators));
    // The first constant is the docstring, or None where there is none.
    const Node *docstring = g->c->options->optimize < 2 ? docstring_of(parts.body) : NULL;
    add_constant(g, docstring ? docstring->Constant.value : NONE);
    count_parameters(g->unit, parts.args);
    visit_statements(g, parts.body);
    ValueRef code = unit_to_code(g, true), qualname = g->unit->qualname;
    leave_unit(g);
    make_closure(g, code, flags, qualname);
    call_decorators(g, parts.decorators);
    name_op(g, parts.name, Store_context);
}

void lambda_expression(CodeGenerator *g, const Node *node)
{
    const Node *args = node->Lambda.args;
    check_parameters(g, args);
    int flags = default_arguments(g, args);
    enter_unit(g, LAMBDA_UNIT, compile_name(g->c, "<lambda>"), node, node->position.line);
    add_constant(g, NONE); // a lambda has no docstring
    count_parameters(g->unit, args);
    visit_expr(g, node->Lambda.body);
    bool is_generator = g->unit->scope->generator;
    if (!is_generator) emit(g, RETURN_VALUE);
    ValueRef code = unit_to_code(g, !is_generator), qualname = g->unit->qualname;
    leave_unit(g);
    make_closure(g, code, flags, qualname);
}

// ---- classes

// The body returns the cell of __class__ for its methods, or None.
static void return_class_cell(CodeGenerator *g)
{
    if (g->unit->scope->needs_class_cell) {
        emit_operand(g, LOAD_CLOSURE, closure_index(g, NAME(__class__), CELL));
        emit(g, DUP_TOP);
        name_op(g, NAME(__classcell__), Store_context);
    } else {
        emit_constant(g, NONE);
    }
    emit(g, RETURN_VALUE);
}

static ValueRef class_body(CodeGenerator *g, const Node *node, int first_line)
{
    enter_unit(g, CLASS_UNIT, node->ClassDef.name, node, first_line);
    g->unit->private_name = node->ClassDef.name;
    name_op(g, NAME(__name__), Load_context);
    name_op(g, NAME(__module__), Store_context);
    emit_constant(g, g->unit->qualname);
    name_op(g, NAME(__qualname__), Store_context);
    visit_body(g, &node->ClassDef.body);
    return_class_cell(g);
    ValueRef code = unit_to_code(g, true);
    leave_unit(g);
    return code;
}

void class_statement(CodeGenerator *g, const Node *node)
{
    const NodeList *decorators = &node->ClassDef.decorator_list;
    visit_exprs(g, decorators);
    ValueRef code = class_body(g, node, first_line_of(node, decorators));
    emit(g, LOAD_BUILD_CLASS);
    make_closure(g, code, 0, node->ClassDef.name);
    emit_constant(g, node->ClassDef.name);
    call_arguments(g, 2, &node->ClassDef.bases, &node->ClassDef.keywords);
    call_decorators(g, decorators);
    name_op(g, node->ClassDef.name, Store_context);
}
