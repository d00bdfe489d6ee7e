// Trees of the compiler as script objects: the classes of the module `ast`, and the conversions in
// both directions.
//
//     source --parse--> Node tree --ast_from_tree()--> objects      compile(..., PyCF_ONLY_AST)
//     objects --ast_to_tree()--> Node tree --ast_validate(), compile_tree()--> Code
//
// The classes are made at their first use, so that other programs pay nothing for them. They come
// from the tables in compiler/ast.def and compiler/ast.h.
#pragma once

#include "compiler/compile.h"

// An instance: like any object with a __dict__.
typedef struct AstObject {
    Object base;
    Value dict; // 0 until there is an attribute
} AstObject;

// Every value of the enumerations, one number each, in the tables' order.
typedef enum AstConstant {
#define CONSTANT_ROW(enumeration, name, ending) AST_##name,
    BOOLOPS(CONSTANT_ROW) OPERATORS(CONSTANT_ROW) UNARYOPS(CONSTANT_ROW) CMPOPS(CONSTANT_ROW)
        EXPR_CONTEXTS(CONSTANT_ROW)
#undef CONSTANT_ROW
            AST_CONSTANT_COUNT,
} AstConstant;

typedef struct AstClasses {
    Value all;                           // dict: name -> class, sums and enumerations included
    Value nodes[NODE_KIND_COUNT];        // classes
    Value fields[NODE_KIND_COUNT];       // their _fields
    Value constants[AST_CONSTANT_COUNT]; // classes
    Value singles[AST_CONSTANT_COUNT];   // the instance of each that trees share
} AstClasses;

// The classes: borrowed. NULL with an exception pending.
const AstClasses *ast_classes(void);
void ast_classes_finish(void);
// An instance of ast.AST.
bool ast_check(ValueRef value);

Value ast_from_tree(const Node *tree);
// Leaves by arena_fail() if the object is not a valid tree (TypeError, ValueError, or an exception
// of its attributes). The mode says which class the root must have.
Node *ast_to_tree(Arena *arena, ValueRef object, CompileMode mode);
