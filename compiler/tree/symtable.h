// The symbol table: the scopes of a tree, and what each name is in each scope.
//
//     Module            x: local                    a Scope for the module, each function, lambda,
//       function f      x: global, y: cell          class and comprehension
//         function g    y: free
//
// The first walk (symtable.c) records for each scope how it uses its names. The second walk
// (symtable_resolve.c) derives the NameScope of each name. The code generator calls scope_of_node()
// and scope_kind_of(). Names are interned strs, mangled inside a class.
#pragma once

#include "compiler/codegen/pointer_map.h"
#include "compiler/compilation.h"

typedef enum ScopeType { FUNCTION_SCOPE, CLASS_SCOPE, MODULE_SCOPE } ScopeType;

// How a name is used in a scope. CPython's flags.
typedef enum SymbolFlag {
    DEF_GLOBAL = 1 << 0,    // in a global statement
    DEF_LOCAL = 1 << 1,     // assigned to, in any way
    DEF_PARAM = 1 << 2,     // a parameter
    DEF_NONLOCAL = 1 << 3,  // in a nonlocal statement
    SYMBOL_USE = 1 << 4,    // read
    FREE_CLASS = 1 << 6,    // free in a method, and of the class's own namespace as well
    DEF_IMPORT = 1 << 7,    // by an import
    DEF_ANNOT = 1 << 8,     // annotated
    DEF_COMP_ITER = 1 << 9, // the target of a comprehension's `for`
    DEF_BOUND = DEF_LOCAL | DEF_PARAM | DEF_IMPORT,
    NAME_SCOPE_SHIFT = 11, // a NameScope from this bit on
} SymbolFlag;

// Where a name lives.
typedef enum NameScope {
    SCOPE_UNKNOWN, // not a name of this scope
    LOCAL,
    GLOBAL_EXPLICIT,
    GLOBAL_IMPLICIT,
    FREE, // in a cell of an outer function
    CELL, // here, in a cell that inner functions share
} NameScope;

typedef struct Scope Scope;
struct Scope {
    ScopeType type;
    ValueRef name;                                  // "top" for a module, "lambda", "listcomp" ...
    Scope *outer, *first_inner, *last_inner, *next; // `next` of the same outer one
    PointerMap symbols;                             // SymbolFlag of each name
    PointerMap parameters;                          // in co_varnames' order
    PointerMap free_names;                          // found while resolving
    int line, column;
    int iterating;      // inside the iterables of this many comprehensions
    bool in_target;     // inside a comprehension's target
    bool nested;        // in a function, however deep
    bool generator;     // has a yield
    bool coroutine;     // async, or has an await
    bool comprehension; // of one
    bool varargs, varkeywords;
    bool needs_class_cell; // a method uses __class__ or super()
};

// A `global` or `nonlocal` statement, for errors found while resolving.
typedef struct Directive {
    struct Directive *next;
    const Scope *scope;
    ValueRef name;
    int line, column;
} Directive;

typedef struct SymbolTable {
    Compilation *c;
    Scope *top, *current;
    ValueRef private_name; // of the class around, or 0
    Directive *directives;
    PointerMap nodes; // from a node to its number in `scopes`
    Scope **scopes;
    int scope_capacity;
} SymbolTable;

SymbolTable *symbols_make(Compilation *c, const Node *tree);
void symbols_resolve(SymbolTable *table); // the second walk
Scope *scope_of_node(const SymbolTable *table, const Node *node);
NameScope scope_kind_of(const Scope *scope, ValueRef mangled);
// The SymbolFlags of a name, 0 = none.
int scope_flags_of(const Scope *scope, ValueRef mangled);
