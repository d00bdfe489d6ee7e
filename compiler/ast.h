// The tree that the parser makes and the code generator reads: one struct for every kind of node,
// whose members come from ast.def, so that `node->kind == BinOp_kind` goes with `node->BinOp.left`.
//
// Nodes and lists lie in the compilation's arena; the values in them are held by it (so they are
// borrowed here). Positions are ast's: lines from 1, columns from 0 in bytes of UTF-8. alias,
// withitem, arguments and comprehension have none in 3.9's `ast`, but keep theirs here.
#pragma once

#include "compiler/arena.h"
#include "objects/code.h"

typedef enum NodeKind {
#define NODE(sum, name, fields) name##_kind,
#include "compiler/ast.def"
#undef NODE
    NODE_KIND_COUNT
} NodeKind;

// The enumerations, in Python.asdl's order; the names are the classes' names in `ast`.
typedef enum boolop { And_op, Or_op } boolop;
typedef enum operator{
    Add_op,
    Sub_op,
    Mult_op,
    MatMult_op,
    Div_op,
    Mod_op,
    Pow_op,
    LShift_op,
    RShift_op,
    BitOr_op,
    BitXor_op,
    BitAnd_op,
    FloorDiv_op
}
operator;
typedef enum unaryop { Invert_op, Not_op, UAdd_op, USub_op } unaryop;
typedef enum cmpop {
    Eq_op,
    NotEq_op,
    Lt_op,
    LtE_op,
    Gt_op,
    GtE_op,
    Is_op,
    IsNot_op,
    In_op,
    NotIn_op
} cmpop;
typedef enum expr_context { Load_context, Store_context, Del_context } expr_context;

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
#undef NODE
    };
};
#undef CHILD
#undef CHILD_OPT
#undef CHILDREN
#undef CHILDREN_OPT
#undef IDENT
#undef IDENT_OPT
#undef IDENTS
#undef CONSTANT
#undef TEXT_OPT
#undef INT
#undef INT_OPT
#undef ENUM
#undef ENUMS

// A zeroed node of the kind, only as large as the kind needs.
Node *node_new(Arena *arena, NodeKind kind, Position position);
const char *node_name(NodeKind kind);
// ast.dump(tree, include_attributes=..., indent=...): an owned str. indent < 0 = on one line.
Value ast_dump(const Node *tree, bool include_attributes, int indent);
