// The second walk of the symbol table: is a name local, global, a cell or free?
//
// CPython passes sets of bound, global and free names down and up the tree of scopes. Here, a name
// that a scope uses but does not bind is searched in the scopes around it, the nearest first.
// Classes are skipped, since inner scopes do not see their names; only __class__ is found in every
// class. A name found in a function is free in this scope and in all scopes between, which carry
// it:
//
//     def f():             x: cell
//         def g():         x: free (carried)
//             def h(): x   x: free
#include "compiler/tree/symtable.h"

#include "objects/names.h"

static int flags_at(const Scope *scope, int position)
{
    return scope->symbols.entries[position].number;
}

static void set_kind(Scope *scope, int position, NameScope kind)
{
    int *flags = &scope->symbols.entries[position].number;
    *flags = (*flags & ((1 << NAME_SCOPE_SHIFT) - 1)) | kind << NAME_SCOPE_SHIFT;
}

//> lesson 3: outside
// Is the name bound in a function around this scope, so that it is free here?
static bool is_bound_outside(const Scope *scope, ValueRef name)
{
    for (scope = scope->outer; scope; scope = scope->outer) {
        if (scope->type == CLASS_SCOPE && name == NAME(__class__)) return true;
        if (scope->type != FUNCTION_SCOPE) continue;
        int flags = scope_flags_of(scope, name);
        if (flags & DEF_GLOBAL) return false;
        if (!(flags & DEF_NONLOCAL) && (flags & DEF_BOUND)) return true;
    }
    return false;
}
//< lesson 3

// At the statement that declared the name.
static _Noreturn void fail_at_directive(SymbolTable *t, const Scope *scope, ValueRef name,
                                        const char *format)
{
    const Directive *found = NULL;
    for (const Directive *d = t->directives; d; d = d->next)
        if (d->scope == scope && d->name == name) found = d;
    compile_error_located(t->c, found ? found->line : scope->line,
                          found ? found->column + 1 : scope->column + 1, format, name);
}

//> lesson 3: kinds
static NameScope kind_of_symbol(SymbolTable *t, const Scope *scope, ValueRef name, int flags)
{
    if (flags & DEF_GLOBAL) {
        if (flags & DEF_NONLOCAL)
            fail_at_directive(t, scope, name, "name '%S' is nonlocal and global");
        return GLOBAL_EXPLICIT;
    }
    if (flags & DEF_NONLOCAL) {
        if (scope == t->top)
            fail_at_directive(t, scope, name, "nonlocal declaration not allowed at module level");
        if (!is_bound_outside(scope, name))
            fail_at_directive(t, scope, name, "no binding for nonlocal '%S' found");
        return FREE;
    }
    if (flags & DEF_BOUND) return LOCAL;
    return is_bound_outside(scope, name) ? FREE : GLOBAL_IMPLICIT;
}
//< lesson 3

//> lesson 3: free_names
// A name that is free in an inner scope: it ends here, or this scope carries it further out.
static void take_free_name(SymbolTable *t, Scope *scope, ValueRef name)
{
    if (scope->type == CLASS_SCOPE && name == NAME(__class__)) {
        scope->needs_class_cell = true;
        return;
    }
    int position = map_find(&scope->symbols, name);
    if (position < 0) {
        position = map_add(&scope->symbols, t->c->arena, name);
        set_kind(scope, position, FREE);
    } else {
        int kind = flags_at(scope, position) >> NAME_SCOPE_SHIFT;
        if (scope->type == FUNCTION_SCOPE && (kind == LOCAL || kind == CELL)) {
            set_kind(scope, position, CELL);
            return;
        }
        if (scope->type == CLASS_SCOPE && (flags_at(scope, position) & (DEF_BOUND | DEF_GLOBAL)))
            scope->symbols.entries[position].number |= FREE_CLASS;
    }
    map_add(&scope->free_names, t->c->arena, name);
}

static void resolve(SymbolTable *t, Scope *scope)
{
    compile_check_room(t->c);
    for (int i = 0; i < scope->symbols.count; i++) {
        ValueRef name = scope->symbols.entries[i].key;
        NameScope kind = kind_of_symbol(t, scope, name, flags_at(scope, i));
        set_kind(scope, i, kind);
        if (kind == FREE) map_add(&scope->free_names, t->c->arena, name);
    }
    for (Scope *inner = scope->first_inner; inner; inner = inner->next) {
        resolve(t, inner);
        for (int i = 0; i < inner->free_names.count; i++)
            take_free_name(t, scope, inner->free_names.entries[i].key);
    }
}
//< lesson 3

void symbols_resolve(SymbolTable *table)
{
    resolve(table, table->top);
}
