// Converts a tree of the compiler to objects of the module `ast`.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/stack.h"
#include "vm/ast/ast_objects.h"

// The object of a node while its fields are set, one after the other.
typedef struct Fields {
    ValueRef dict;
    ValueRef names; // _fields
    ssize_t next;
} Fields;

static Value from_node(const Node *node);

static bool add(Fields *fields, Value value)
{
    return dict_set_owned(fields->dict, tuple_at(fields->names, fields->next++), value);
}

static Value none_or(ValueRef value)
{
    return retain(value ? value : NONE);
}

static Value from_nodes(const NodeList *nodes)
{
    Value list = list_new(nodes->count);
    for (int i = 0; list && i < nodes->count; i++)
        if (!list_append_owned(list, from_node(nodes->items[i]))) drop_slot(&list);
    return list;
}

static Value from_values(const IdentList *values)
{
    Value list = list_new(values->count);
    for (int i = 0; list && i < values->count; i++)
        if (!list_append(list, values->items[i])) drop_slot(&list);
    return list;
}

static Value from_constant(int constant)
{
    return retain(ast_classes()->singles[constant]);
}

static Value from_cmpops(const EnumList *operators)
{
    Value list = list_new(operators->count);
    for (int i = 0; list && i < operators->count; i++)
        if (!list_append_owned(list, from_constant(AST_Eq + operators->items[i]))) drop_slot(&list);
    return list;
}

#define AST_first_boolop AST_And
#define AST_first_operator AST_Add
#define AST_first_unaryop AST_Invert
#define AST_first_expr_context AST_Load

static bool add_fields(Fields *fields, const Node *node)
{
    switch (node->kind) {
#define CHILD(sum, f) &&add(fields, from_node(here->f))
#define CHILD_OPT(sum, f) CHILD(sum, f)
#define CHILDREN(sum, f) &&add(fields, from_nodes(&here->f))
#define CHILDREN_OPT(sum, f) CHILDREN(sum, f)
#define IDENT(f) &&add(fields, none_or(here->f))
#define IDENT_OPT(f) IDENT(f)
#define IDENTS(f) &&add(fields, from_values(&here->f))
#define CONSTANT(f) IDENT(f)
#define TEXT(f) IDENT(f)
#define TEXT_OPT(f) IDENT(f)
#define INT(f) &&add(fields, from_small(here->f))
#define INT_OPT(f) INT(f)
#define ENUM(type, f) &&add(fields, from_constant(AST_first_##type + (int)here->f))
#define ENUMS(type, f) &&add(fields, from_cmpops(&here->f))
#define NODE(sum, name, members)                                                                   \
    case name##_kind: {                                                                            \
        const __typeof__(node->name) *here = &node->name;                                          \
        (void)here;                                                                                \
        return true members;                                                                       \
    }
#include "compiler/ast.def"
    case NODE_KIND_COUNT: break;
    }
    return true;
}

static bool add_places(ValueRef dict, const Node *node)
{
    const Position *position = &node->position;
    return !node_has_attributes(node->kind) ||
           (dict_set_ascii(dict, "lineno", from_small(position->line)) &&
            dict_set_ascii(dict, "col_offset", from_small(position->column)) &&
            dict_set_ascii(dict, "end_lineno", from_small(position->end_line)) &&
            dict_set_ascii(dict, "end_col_offset", from_small(position->end_column)));
}

static Value from_node(const Node *node)
{
    if (!node) return NONE;
    if (!stack_check_room()) return VALUE_ERROR;
    AstObject *object = object_alloc((Type *)object_of(ast_classes()->nodes[node->kind]), 0);
    if (!object) return VALUE_ERROR;
    object->dict = dict_new();
    Fields fields = {.dict = object->dict, .names = ast_classes()->fields[node->kind]};
    if (object->dict && add_fields(&fields, node) && add_places(object->dict, node))
        return own(object);
    drop(own(object));
    return VALUE_ERROR;
}

Value ast_from_tree(const Node *tree)
{
    return ast_classes() ? from_node(tree) : VALUE_ERROR;
}
