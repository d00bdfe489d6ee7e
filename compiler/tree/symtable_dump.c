// The symbol table as text, for --symtable: nested scopes, and what each name is.
//
//     module
//         f: local                                a name and its kind,
//         x: global (declared)                    and how the scope uses it
//         function f, line 1
//             n: local (parameter)
//             total: cell (assigned)
//             function add, line 3
//                 total: free (nonlocal, assigned, read)
#include "compiler/tree/symtable.h"

#include "objects/error.h"
#include "objects/text/str.h"

#define INDENT 4

typedef struct Dump {
    Compilation *c;
    StrBuilder builder;
} Dump;

static void write_text(Dump *dump, const char *text)
{
    if (builder_text(&dump->builder, text)) return;
    builder_abandon(&dump->builder);
    arena_fail(dump->c->arena);
}

static void write_str(Dump *dump, ValueRef str)
{
    if (builder_str(&dump->builder, str)) return;
    builder_abandon(&dump->builder);
    arena_fail(dump->c->arena);
}

static void write_indent(Dump *dump, int level)
{
    if (builder_fill(&dump->builder, ' ', level * INDENT)) return;
    builder_abandon(&dump->builder);
    arena_fail(dump->c->arena);
}

static const char *kind_text(const Scope *scope, int flags)
{
    switch ((NameScope)(flags >> NAME_SCOPE_SHIFT)) {
    case LOCAL: return scope->type == MODULE_SCOPE ? "global" : "local";
    case GLOBAL_EXPLICIT:
    case GLOBAL_IMPLICIT: return "global";
    case FREE: return "free";
    case CELL: return "cell";
    default: return "unknown";
    }
}

// The uses of a name, in parentheses.
static void write_uses(Dump *dump, int flags)
{
    static const struct {
        int flag;
        const char *word;
    } uses[] = {
        {DEF_PARAM, "parameter"},        {DEF_GLOBAL, "declared global"},
        {DEF_NONLOCAL, "nonlocal"},      {DEF_IMPORT, "imported"},
        {DEF_ANNOT, "annotated"},        {DEF_COMP_ITER, "iteration variable"},
        {DEF_LOCAL, "assigned"},         {SYMBOL_USE, "read"},
        {FREE_CLASS, "free in methods"},
    };
    const char *before = " (";
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (!(flags & uses[i].flag)) continue;
        write_text(dump, before);
        write_text(dump, uses[i].word);
        before = ", ";
    }
    write_text(dump, before[0] == ',' ? ")\n" : " (carried for an inner function)\n");
}

static void write_head(Dump *dump, const Scope *scope, int level)
{
    static const char *const words[] = {
        [FUNCTION_SCOPE] = "function ", [CLASS_SCOPE] = "class ", [MODULE_SCOPE] = "module"};
    write_indent(dump, level);
    write_text(dump, scope->comprehension ? "comprehension " : words[scope->type]);
    if (scope->type != MODULE_SCOPE) {
        write_str(dump, scope->name);
        write_str(dump, arena_hold(dump->c->arena, format_text(", line %d", scope->line)));
    }
    if (scope->coroutine) write_text(dump, ", async");
    if (scope->generator) write_text(dump, ", generator");
    if (scope->needs_class_cell) write_text(dump, ", keeps __class__ for its methods");
    write_text(dump, "\n");
}

static void write_scope(Dump *dump, const Scope *scope, int level)
{
    compile_check_room(dump->c);
    write_head(dump, scope, level);
    for (int i = 0; i < scope->symbols.count; i++) {
        int flags = scope->symbols.entries[i].number;
        write_indent(dump, level + 1);
        write_str(dump, scope->symbols.entries[i].key);
        write_text(dump, ": ");
        write_text(dump, kind_text(scope, flags));
        write_uses(dump, flags);
    }
    for (const Scope *inner = scope->first_inner; inner; inner = inner->next)
        write_scope(dump, inner, level + 1);
}

static Value dump_in(Arena *arena, const char *text, size_t size, const CompileOptions *options)
{
    Compilation *c = arena_alloc(arena, sizeof *c);
    *c = (Compilation){.arena = arena, .options = options, .features = options->flags};
    Node *tree = parse_source(arena, text, size, options);
    if (!tree) return VALUE_ERROR;
    future_read(c, tree);
    fold_tree(c, tree);
    Dump *dump = arena_alloc(arena, sizeof *dump);
    dump->c = c;
    const SymbolTable *table = symbols_make(c, tree);
    builder_begin(&dump->builder);
    write_scope(dump, table->top, 0);
    return builder_finish(&dump->builder);
}

Value symtable_dump(const char *text, size_t size, const CompileOptions *options)
{
    Arena arena;
    Value volatile dump = VALUE_ERROR;
    arena_begin(&arena);
    if (setjmp(arena.failure) == 0) dump = dump_in(&arena, text, size, options);
    arena_end(&arena);
    return dump;
}
