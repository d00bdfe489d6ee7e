// The entry point of the compiler: source text in, Code out.
//
//     parse_source()    source_open(): decode  ->  tokenizer  ->  parser  ->  tree
//
//     compile_tree()    future_read()      the module's `from __future__` statements
//                       fold_tree()        constants, on the tree
//                       symbols_make()     the scope of every name
//                       generate()         the module's Code
//
//     generate()        visits the tree; for each module, class and function it runs
//                       emit() ...         instructions in basic blocks
//                       unit_to_code()     assemble() -> stack_depth() -> peephole() -> Code
//
// Each step has a file of its own. All steps allocate in one Arena. A step that fails leaves an
// exception pending: SyntaxError with file, line, column and text, MemoryError, RecursionError.
#pragma once

#include "compiler/ast.h"
#include "objects/object.h"

typedef enum CompileMode { MODE_EXEC, MODE_EVAL, MODE_SINGLE, MODE_FUNC_TYPE } CompileMode;

#define NEWEST_GRAMMAR 9 // 3.9's

typedef struct CompileOptions {
    CompileMode mode;
    ValueRef filename;   // str
    int flags;           // CO_FUTURE_* to start with, and the PyCF_ flags below
    int optimize;        // 0, 1, 2 as -O
    int grammar_age;     // NEWEST_GRAMMAR - N for feature_version=(3, N): newer syntax is refused
    bool tree_of_script; // a script built the tree: the verifier checks its code before it runs
    bool is_utf8;        // the text was a str: no BOM, no encoding cookie
    bool is_file;        // the script of the command line or standard input: 3.9 reads it by lines,
                         // so errors at a NUL, a wrong byte and the end of the file differ
} CompileOptions;

#define PyCF_SOURCE_IS_UTF8 0x0100
#define PyCF_DONT_IMPLY_DEDENT 0x0200
#define PyCF_ONLY_AST 0x0400
#define PyCF_TYPE_COMMENTS 0x1000
#define PyCF_ALLOW_TOP_LEVEL_AWAIT 0x2000

// `text` of `size` bytes need not end with NUL.
Value compile_source(const char *text, size_t size, const CompileOptions *options);

// The steps one by one, for --tokens, --ast, --symtable and the unit tests. The caller has set the
// arena's `failure`.
Node *parse_source(Arena *arena, const char *text, size_t size,
                   const CompileOptions *options); // leaves by arena_fail() where it fails
Value compile_tree(Arena *arena, Node *tree, const CompileOptions *options);
Value tokens_dump(const char *text, size_t size,
                  const CompileOptions *options); // as `python -m tokenize` prints
const char *token_name(int type);                 // NULL = there is no such type
const char *token_spelling(int type);             // NULL = it has several
Value symtable_dump(const char *text, size_t size,
                    const CompileOptions *options); // scopes, names, what they are
