// The size and the name of each kind of node.
#include "compiler/ast.h"

static const uint8_t sizes[NODE_KIND_COUNT] = {
#define NODE(sum, name, fields) [name##_kind] = sizeof(((Node *)0)->name),
#include "compiler/ast.def"
};

static const char *const names[NODE_KIND_COUNT] = {
#define NODE(sum, name, fields) [name##_kind] = #name,
#include "compiler/ast.def"
};

Node *node_new(Arena *arena, NodeKind kind, Position position)
{
    Node *node = arena_alloc(arena, offsetof(Node, Module) + sizes[kind]);
    node->kind = kind;
    node->position = position;
    return node;
}

const char *node_name(NodeKind kind)
{
    return names[kind];
}

bool node_has_attributes(NodeKind kind)
{
    return (kind >= FunctionDef_kind && kind <= Slice_kind) || kind == ExceptHandler_kind ||
           kind == arg_kind || kind == keyword_kind;
}

bool nodes_have_starred(const NodeList *nodes)
{
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i]->kind == Starred_kind) return true;
    return false;
}
