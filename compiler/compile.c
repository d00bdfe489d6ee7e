// The front door of the compiler: see compile.h.
//
// One Arena and one setjmp() for everything: whatever fails on the way, the exception is pending,
// and what was allocated and held goes with the arena.
#include "compiler/codegen/codegen.h"

static ValueRef compile_in(Arena *arena, Node *tree, const CompileOptions *options)
{
    Compilation *c = arena_alloc(arena, sizeof *c);
    *c = (Compilation){.arena = arena, .options = options, .features = options->flags};
    future_read(c, tree);
    fold_tree(c, tree);
    return arena_hold(arena, generate(symbols_make(c, tree), tree));
}

Value compile_tree(Arena *arena, Node *tree, const CompileOptions *options)
{
    return retain(compile_in(arena, tree, options));
}

Value compile_source(const char *text, size_t size, const CompileOptions *options)
{
    Arena arena;
    Value volatile code = VALUE_ERROR;
    arena_begin(&arena);
    if (setjmp(arena.failure) == 0) {
        Node *tree = parse_source(&arena, text, size, options);
        if (tree) code = retain(compile_in(&arena, tree, options));
    }
    arena_end(&arena);
    return code;
}
