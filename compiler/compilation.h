// What the passes after the parser share, and how they fail.
//
//     future_read() -> fold_tree() -> symbols_make() -> generate()     called by compile_tree()
//
// An error leaves by arena_fail() with the exception pending; none of the passes frees anything.
#pragma once

#include "compiler/compile.h"

#include "objects/stack.h"

typedef struct Compilation {
    Arena *arena;
    const CompileOptions *options;
    int features;    // CO_FUTURE_*: the caller's and those of the module
    int future_line; // of the last `from __future__ import`, -1 = none
    int depth;       // nesting of the tree, counted where CPython counts it
} Compilation;

// Raise SyntaxError at a line and an offset in it, both counted from 1. The two differ in `args`:
// the code generator's errors have their position there as well, the symbol table's have not.
_Noreturn void compile_error(Compilation *c, int line, int offset, const char *format, ...);
_Noreturn void compile_error_located(Compilation *c, int line, int offset, const char *format, ...);
// A SyntaxWarning, which the filters may turn into a SyntaxError.
void compile_warning(Compilation *c, int line, int offset, const char *format, ...);

// RecursionError if the C stack is full. Every function that recurses on the tree calls this.
_Noreturn void compile_too_deep(Compilation *c);
static inline __attribute__((always_inline)) void compile_check_room(Compilation *c)
{
    if (!stack_has_room()) compile_too_deep(c);
}

// The interned str of a text that C code knows.
ValueRef compile_name(Compilation *c, const char *text);
// The mangled name in a class named `private_name` (0 = none): __x is _C__x in class C.
ValueRef compile_mangle(Compilation *c, ValueRef private_name, ValueRef name);

// ---- the passes
// Reads the statements `from __future__ import ...` at the head of a module into the features.
void future_read(Compilation *c, const Node *tree);
// Replaces constant expressions by their values, on the tree itself.
void fold_tree(Compilation *c, Node *tree);
// The docstring of a body: its first statement, if that is a str and nothing else; or NULL.
const Node *docstring_of(const NodeList *body);
// The source text of an expression, as 3.9 keeps it under `from __future__ import annotations`.
ValueRef unparse(Compilation *c, const Node *expression);
