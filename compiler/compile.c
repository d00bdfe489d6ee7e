// The entry point of the compiler: see compile.h.
//
// One Arena and one setjmp() serve all steps. A step that fails leaves its exception pending and
// jumps to compile_source(), which releases everything with the arena.
#include "compiler/codegen/codegen.h"

Value compile_tree(Arena *arena, Node *tree, const CompileOptions *options)
{
    Compilation *c = arena_alloc(arena, sizeof *c);
    *c = (Compilation){.arena = arena, .options = options, .features = options->flags};
    future_read(c, tree);
    fold_tree(c, tree);
    SymbolTable *symbols = symbols_make(c, tree);
    ValueRef code = generate(symbols, tree);
    return retain(code);
}

Value compile_source(const char *text, size_t size, const CompileOptions *options)
{
    Arena arena;
    Value volatile code = VALUE_ERROR;
    arena_begin(&arena);
    if (setjmp(arena.failure) == 0) {
        Node *tree = parse_source(&arena, text, size, options);
        if (tree) code = compile_tree(&arena, tree, options);
    }
    arena_end(&arena);
    return code;
}
