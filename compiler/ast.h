// The tree that the parser makes and the code generator reads.
//
// ast.def lists the kinds of nodes and their fields. A node has one struct for each kind: if
// `node->kind == BinOp_kind`, its fields are `node->BinOp.left` and so on.
//
// Nodes and lists are in the compilation's arena, which also owns the values in them; so these are
// borrowed here. Positions are those of the module ast: lines from 1, columns from 0 in bytes of
// UTF-8. In 3.9's ast alias, withitem, arguments and comprehension have no position; here they
// have.
#pragma once

#include "compiler/arena.h"
#include "objects/code.h"

typedef enum NodeKind {
#define NODE(sum, name, fields) name##_kind,
#include "compiler/ast.def"
    NODE_KIND_COUNT
} NodeKind;

// The enumerations, in Python.asdl's order: ROW(enumeration, the class's name in `ast`, what ends
// the name in C).
// clang-format off
#define BOOLOPS(ROW) ROW(boolop, And, op) ROW(boolop, Or, op)
#define OPERATORS(ROW)                                                                             \
    ROW(operator, Add, op) ROW(operator, Sub, op) ROW(operator, Mult, op)                          \
    ROW(operator, MatMult, op) ROW(operator, Div, op) ROW(operator, Mod, op)                       \
    ROW(operator, Pow, op) ROW(operator, LShift, op) ROW(operator, RShift, op)                     \
    ROW(operator, BitOr, op) ROW(operator, BitXor, op) ROW(operator, BitAnd, op)                   \
    ROW(operator, FloorDiv, op)
#define UNARYOPS(ROW)                                                                              \
    ROW(unaryop, Invert, op) ROW(unaryop, Not, op) ROW(unaryop, UAdd, op) ROW(unaryop, USub, op)
#define CMPOPS(ROW)                                                                                \
    ROW(cmpop, Eq, op) ROW(cmpop, NotEq, op) ROW(cmpop, Lt, op) ROW(cmpop, LtE, op)                \
    ROW(cmpop, Gt, op) ROW(cmpop, GtE, op) ROW(cmpop, Is, op) ROW(cmpop, IsNot, op)                \
    ROW(cmpop, In, op) ROW(cmpop, NotIn, op)
#define EXPR_CONTEXTS(ROW)                                                                         \
    ROW(expr_context, Load, context) ROW(expr_context, Store, context)                             \
    ROW(expr_context, Del, context)
// clang-format on

#define ENUM_VALUE(enumeration, name, ending) name##_##ending,
typedef enum boolop { BOOLOPS(ENUM_VALUE) } boolop;
typedef enum operator{ OPERATORS(ENUM_VALUE) } operator;
typedef enum unaryop { UNARYOPS(ENUM_VALUE) } unaryop;
typedef enum cmpop { CMPOPS(ENUM_VALUE) } cmpop;
typedef enum expr_context { EXPR_CONTEXTS(ENUM_VALUE) } expr_context;
#undef ENUM_VALUE

typedef struct Node Node;
typedef struct NodeList {
    int count;
    Node **items;
} NodeList;
typedef struct IdentList {
    int count;
    ValueRef *items;
} IdentList;
typedef struct EnumList {
    int count;
    uint8_t *items;
} EnumList;

#define CHILD(sum, field) Node *field;
#define CHILD_OPT(sum, field) Node *field;
#define CHILDREN(sum, field) NodeList field;
#define CHILDREN_OPT(sum, field) NodeList field;
#define IDENT(field) ValueRef field;
#define IDENT_OPT(field) ValueRef field;
#define IDENTS(field) IdentList field;
#define CONSTANT(field) ValueRef field;
#define TEXT(field) ValueRef field;
#define TEXT_OPT(field) ValueRef field;
#define INT(field) int field;
#define INT_OPT(field) int field;
#define ENUM(type, field) enum type field;
#define ENUMS(type, field) EnumList field;
struct Node {
    NodeKind kind;
    Position position;
    union {
#define NODE(sum, name, fields)                                                                    \
    struct {                                                                                       \
        fields                                                                                     \
    } name;
#include "compiler/ast.def"
    };
};

// A zeroed node of the kind, only as large as the kind needs.
Node *node_new(Arena *arena, NodeKind kind, Position position);
const char *node_name(NodeKind kind);
// Whether the kind has a position in 3.9's `ast`.
bool node_has_attributes(NodeKind kind);
bool nodes_have_starred(const NodeList *nodes); // is one of them `*x`?
// ast.dump(tree, include_attributes=..., indent=...): an owned str. indent < 0 = on one line.
Value ast_dump(const Node *tree, bool include_attributes, int indent);
// Checks a Module, Interactive or Expression that did not come from the parser. False with
// ValueError or TypeError pending.
bool ast_validate(const Node *tree);
