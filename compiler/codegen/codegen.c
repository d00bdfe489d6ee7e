// The code generator: units, names and constants, and the root of the tree.
//
// CPython: compiler_enter_scope(), compiler_set_qualname(), compiler_nameop(), compiler_mod() of
// Python/compile.c.
#include "compiler/codegen/codegen.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/text/str.h"

#include <stdlib.h>

// ---- errors

void codegen_error(CodeGenerator *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ValueRef message = arena_hold(g->arena, format_text_v(format, arguments));
    compile_error(g->c, g->unit->location.line, g->unit->location.column + 1, "%S", message);
}

// ---- units

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const ValueRef *)a, *(const ValueRef *)b);
}

// Adds the names of a scope that live in cells of the kind, sorted, as 3.9 does.
static void add_cells(CodeGenerator *g, PointerMap *map, const Scope *scope, NameScope kind,
                      int flag)
{
    const PointerMap *symbols = &scope->symbols;
    ValueRef *names = NULL;
    size_t count = 0;
    for (int i = 0; i < symbols->count; i++) {
        int flags = symbols->entries[i].number;
        if (flags >> NAME_SCOPE_SHIFT != (int)kind && !(flags & flag)) continue;
        if (!names) names = arena_alloc(g->arena, (size_t)symbols->count * sizeof *names);
        names[count++] = symbols->entries[i].key;
    }
    if (!count) return;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++) map_add(map, g->arena, names[i]);
}

static ValueRef join_names(CodeGenerator *g, ValueRef outer, const char *between, ValueRef name)
{
    return arena_hold(g->arena, format_text("%S%s.%S", outer, between, name));
}

// Functions and classes directly in a module are called by their name alone; so are those that a
// `global` statement puts there.
static ValueRef qualified_name(CodeGenerator *g, const Unit *unit)
{
    const Unit *outer = unit->outer;
    if (g->unit_depth < 2) return unit->name;
    if (unit->kind == FUNCTION_UNIT || unit->kind == ASYNC_FUNCTION_UNIT ||
        unit->kind == CLASS_UNIT) {
        ValueRef mangled = compile_mangle(g->c, outer->private_name, unit->name);
        if (scope_kind_of(outer->scope, mangled) == GLOBAL_EXPLICIT) return unit->name;
    }
    bool is_function = outer->kind == FUNCTION_UNIT || outer->kind == ASYNC_FUNCTION_UNIT ||
                       outer->kind == LAMBDA_UNIT;
    return join_names(g, outer->qualname, is_function ? ".<locals>" : "", unit->name);
}

void enter_unit(CodeGenerator *g, UnitKind kind, ValueRef name, const Node *node, int first_line)
{
    Unit *unit = arena_alloc(g->arena, sizeof *unit);
    unit->outer = g->unit;
    unit->kind = kind;
    unit->name = name;
    unit->scope = scope_of_node(g->symbols, node);
    unit->first_line = first_line;
    unit->location.position = &node->position;
    unit->base = g->count;
    if (unit->outer) unit->private_name = unit->outer->private_name;
    for (int i = 0; i < unit->scope->parameters.count; i++)
        map_add(&unit->varnames, g->arena, unit->scope->parameters.entries[i].key);
    add_cells(g, &unit->cellvars, unit->scope, CELL, 0);
    if (unit->scope->needs_class_cell) map_add(&unit->cellvars, g->arena, NAME(__class__));
    add_cells(g, &unit->freevars, unit->scope, FREE, FREE_CLASS);
    unit->qualname = qualified_name(g, unit);
    unit->first_block = unit->block = new_block(g);
    unit->block->first = g->count;
    g->unit = unit;
    g->unit_depth++;
}

void leave_unit(CodeGenerator *g)
{
    g->count = g->unit->base;
    g->unit = g->unit->outer;
    g->unit_depth--;
}

// ---- constants and names

int add_constant(CodeGenerator *g, ValueRef value)
{
    ValueRef merged = constant_merge(g->arena, &g->constants, value);
    return map_add(&g->unit->constants, g->arena, merged);
}

int closure_index(CodeGenerator *g, ValueRef name, NameScope kind)
{
    const Unit *unit = g->unit;
    int index = map_find(kind == CELL ? &unit->cellvars : &unit->freevars, name);
    if (index >= 0) return kind == CELL ? index : unit->cellvars.count + index;
    raise_error(SystemError, "compiler: no cell for %R in %S", name, unit->name);
    arena_fail(g->arena);
}

void check_store_name(CodeGenerator *g, ValueRef name)
{
    if (name == NAME(__debug__)) codegen_error(g, "cannot assign to __debug__");
}

static void cell_op(CodeGenerator *g, ValueRef name, NameScope kind, expr_context ctx)
{
    static const Opcode opcodes[] = {LOAD_DEREF, STORE_DEREF, DELETE_DEREF};
    Opcode opcode = opcodes[ctx];
    // A class body looks into its own namespace first.
    if (opcode == LOAD_DEREF && g->unit->scope->type == CLASS_SCOPE) opcode = LOAD_CLASSDEREF;
    emit_operand(g, opcode, closure_index(g, name, kind));
}

static void local_op(CodeGenerator *g, ValueRef name, expr_context ctx)
{
    static const Opcode opcodes[] = {LOAD_FAST, STORE_FAST, DELETE_FAST};
    if (!g->silent) emit_operand(g, opcodes[ctx], map_add(&g->unit->varnames, g->arena, name));
}

// In dead code the name gets into co_names all the same, unlike attributes and locals.
static void counted_name_op(CodeGenerator *g, Opcode opcode, ValueRef name)
{
    emit_operand(g, opcode, map_add(&g->unit->names, g->arena, name));
}

void name_op(CodeGenerator *g, ValueRef name, expr_context ctx)
{
    static const Opcode global_opcodes[] = {LOAD_GLOBAL, STORE_GLOBAL, DELETE_GLOBAL};
    static const Opcode name_opcodes[] = {LOAD_NAME, STORE_NAME, DELETE_NAME};
    ValueRef mangled = compile_mangle(g->c, g->unit->private_name, name);
    if (ctx == Store_context) check_store_name(g, name);
    bool in_function = g->unit->scope->type == FUNCTION_SCOPE;
    NameScope kind = scope_kind_of(g->unit->scope, mangled);
    switch (kind) {
    case FREE:
    case CELL: cell_op(g, mangled, kind, ctx); return;
    case LOCAL:
        if (!in_function) break;
        local_op(g, mangled, ctx);
        return;
    case GLOBAL_IMPLICIT:
        if (!in_function) break;
        counted_name_op(g, global_opcodes[ctx], mangled);
        return;
    case GLOBAL_EXPLICIT: counted_name_op(g, global_opcodes[ctx], mangled); return;
    case SCOPE_UNKNOWN: break;
    }
    counted_name_op(g, name_opcodes[ctx], mangled);
}

// ---- the top of the tree

static bool has_annotation(const NodeList *body);

static bool handlers_have_annotation(const NodeList *handlers)
{
    for (int i = 0; i < handlers->count; i++)
        if (has_annotation(&handlers->items[i]->ExceptHandler.body)) return true;
    return false;
}

// Is there an annotated assignment that belongs to this scope?
static bool has_annotation_in(const Node *node)
{
    switch (node->kind) {
    case AnnAssign_kind: return true;
    case For_kind: return has_annotation(&node->For.body) || has_annotation(&node->For.orelse);
    case AsyncFor_kind:
        return has_annotation(&node->AsyncFor.body) || has_annotation(&node->AsyncFor.orelse);
    case While_kind:
        return has_annotation(&node->While.body) || has_annotation(&node->While.orelse);
    case If_kind: return has_annotation(&node->If.body) || has_annotation(&node->If.orelse);
    case With_kind: return has_annotation(&node->With.body);
    case AsyncWith_kind: return has_annotation(&node->AsyncWith.body);
    case Try_kind:
        return has_annotation(&node->Try.body) || has_annotation(&node->Try.finalbody) ||
               has_annotation(&node->Try.orelse) || handlers_have_annotation(&node->Try.handlers);
    default: return false;
    }
}

static bool has_annotation(const NodeList *body)
{
    for (int i = 0; i < body->count; i++)
        if (has_annotation_in(body->items[i])) return true;
    return false;
}

void visit_body(CodeGenerator *g, const NodeList *body)
{
    // SETUP_ANNOTATIONS is on the line of the first statement, or on none.
    if (g->unit->kind == MODULE_UNIT && body->count) go_to(g, body->items[0]);
    if (has_annotation(body)) emit(g, SETUP_ANNOTATIONS);
    const Node *docstring = g->c->options->optimize < 2 ? docstring_of(body) : NULL;
    if (docstring) {
        visit_expr(g, docstring);
        name_op(g, NAME(__doc__), Store_context);
    }
    for (int i = docstring ? 1 : 0; i < body->count; i++) visit_statement(g, body->items[i]);
}

bool is_top_level_await(const CodeGenerator *g)
{
    return (g->c->options->flags & PyCF_ALLOW_TOP_LEVEL_AWAIT) &&
           g->unit->scope->type == MODULE_SCOPE;
}

static void visit_tree(CodeGenerator *g, Node *tree)
{
    switch (tree->kind) {
    case Interactive_kind:
        if (has_annotation(&tree->Interactive.body)) emit(g, SETUP_ANNOTATIONS);
        g->interactive = true;
        visit_statements(g, &tree->Interactive.body);
        break;
    case Expression_kind: visit_expr(g, tree->Expression.body); break;
    case Module_kind: visit_body(g, &tree->Module.body); break;
    default: break;
    }
}

ValueRef generate(SymbolTable *symbols, Node *tree)
{
    CodeGenerator *g = arena_alloc(symbols->c->arena, sizeof *g);
    g->c = symbols->c;
    g->arena = symbols->c->arena;
    g->symbols = symbols;
    enter_unit(g, MODULE_UNIT, compile_name(g->c, "<module>"), tree, 0);
    visit_tree(g, tree);
    ValueRef code = unit_to_code(g, tree->kind != Expression_kind);
    leave_unit(g);
    return code;
}
