// Converts objects of the module `ast` to a tree of the compiler.
//
// A script may have set an attribute to anything. This file checks that every field holds a node of
// the right kind; ast_validate() checks whether the tree makes sense. As in 3.9, all fields of a
// node are read before an error says that one of them is None.
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "vm/ast/ast_objects.h"

#include <limits.h>
#include <stdio.h>

// A node that is being read from an object.
typedef struct Reader {
    Arena *arena;
    ValueRef object;
    const char *name;    // of its class
    const char *missing; // the first field that may not be None and is
} Reader;

typedef Node *(*ReadNode)(Arena *arena, ValueRef object);

static void require(Arena *arena, bool ok)
{
    if (!ok) arena_fail(arena);
}

// An attribute: borrowed (the arena holds it); 0 where there is none, or (of an optional one) None.
static ValueRef get(Arena *arena, ValueRef object, const char *field, bool optional)
{
    Value name = str_intern(field);
    Value value = name ? object_get_optional(object, name) : VALUE_ERROR;
    drop(name);
    if (value == ABSENT || (optional && value == NONE)) return 0;
    return arena_hold(arena, value);
}

static ValueRef get_required(Arena *arena, ValueRef object, const char *class, const char *field)
{
    ValueRef value = get(arena, object, field, false);
    require(arena,
            value || raise_error(TypeError, "required field \"%s\" missing from %s", field, class));
    return value;
}

static int as_int(Arena *arena, ValueRef value)
{
    int64_t number;
    require(arena, int_check(value) || raise_error(ValueError, "invalid integer value: %R", value));
    if (int_as_int64_clamped(value, &number) || number < INT_MIN || number > INT_MAX)
        require(arena, raise_error(OverflowError, "Python int too large to convert to C int"));
    return (int)number;
}

// ---- fields of a node, one function for each kind of field in ast.def

static ValueRef read_ident(Reader *reader, const char *field, bool optional)
{
    ValueRef value = optional ? get(reader->arena, reader->object, field, true)
                              : get_required(reader->arena, reader->object, reader->name, field);
    if (value == NONE && !reader->missing) reader->missing = field;
    if (!value || value == NONE) return 0;
    require(reader->arena,
            str_check_exact(value) || raise_error(TypeError, "AST identifier must be of type str"));
    Value name = retain(value);
    str_intern_in_place(&name);
    return arena_hold(reader->arena, name);
}

static ValueRef read_text(Reader *reader, const char *field, bool optional)
{
    ValueRef value = optional ? get(reader->arena, reader->object, field, true)
                              : get_required(reader->arena, reader->object, reader->name, field);
    require(reader->arena, !value || str_check_exact(value) || bytes_check_exact(value) ||
                               raise_error(TypeError, "AST string must be of type str"));
    return value;
}

static int read_int(Reader *reader, const char *field, bool optional)
{
    ValueRef value = optional ? get(reader->arena, reader->object, field, true)
                              : get_required(reader->arena, reader->object, reader->name, field);
    return value ? as_int(reader->arena, value) : 0;
}

// Reads a child node, and counts a level of recursion. The function that catches an arena failure
// restores the count.
static Node *read_below(Reader *reader, const char *sum, ReadNode read, ValueRef object)
{
    char where[64];
    snprintf(where, sizeof where, " while traversing '%s' node", sum);
    require(reader->arena, stack_enter(where));
    Node *node = read(reader->arena, object);
    stack_leave();
    return node;
}

static Node *read_child(Reader *reader, const char *field, const char *sum, ReadNode read)
{
    Node *node = read_below(reader, sum, read,
                            get_required(reader->arena, reader->object, reader->name, field));
    if (!node && !reader->missing) reader->missing = field;
    return node;
}

static Node *read_optional(Reader *reader, const char *field, const char *sum, ReadNode read)
{
    ValueRef value = get(reader->arena, reader->object, field, true);
    return value ? read_below(reader, sum, read, value) : NULL;
}

static ValueRef read_list(Reader *reader, const char *field)
{
    ValueRef list = get_required(reader->arena, reader->object, reader->name, field);
    require(reader->arena, list_check(list) || raise_error(TypeError,
                                                           "%s field \"%s\" must be a list, not "
                                                           "a %.200T",
                                                           reader->name, field, list));
    return list;
}

// An item of a list, which reading the one before may have changed.
static ValueRef item_at(Reader *reader, const char *field, ValueRef list, ssize_t index, int count)
{
    require(reader->arena,
            list_size(list) == count ||
                raise_error(RuntimeError, "%s field \"%s\" changed size during iteration",
                            reader->name, field));
    return index < count ? arena_hold(reader->arena, retain(list_at(list, index))) : 0;
}

static NodeList read_nodes(Reader *reader, const char *field, const char *sum, ReadNode read)
{
    ValueRef list = read_list(reader, field);
    int count = (int)list_size(list);
    NodeList nodes = {count, arena_alloc(reader->arena, (size_t)count * sizeof *nodes.items)};
    for (int i = 0; i < count; i++)
        nodes.items[i] = read_below(reader, sum, read, item_at(reader, field, list, i, count));
    item_at(reader, field, list, count, count);
    return nodes;
}

static IdentList read_idents(Reader *reader, const char *field)
{
    ValueRef list = read_list(reader, field);
    int count = (int)list_size(list);
    IdentList names = {count, arena_alloc(reader->arena, (size_t)count * sizeof *names.items)};
    for (int i = 0; i < count; i++) {
        ValueRef name = item_at(reader, field, list, i, count);
        require(reader->arena, str_check_exact(name) ||
                                   raise_error(TypeError, "AST identifier must be of type str"));
        Value interned = retain(name);
        str_intern_in_place(&interned);
        names.items[i] = arena_hold(reader->arena, interned);
    }
    return names;
}

// ---- enumerations

static int as_constant(Arena *arena, ValueRef object, const char *type, int first, int end)
{
    for (int i = first; i < end; i++) {
        bool is_one;
        require(arena, object_is_instance(object, ast_classes()->constants[i], &is_one));
        if (is_one) return i - first;
    }
    raise_error(TypeError, "expected some sort of %s, but got %R", type, object);
    arena_fail(arena);
}

#define CONSTANTS_OF(enumeration, first, end)                                                      \
    static int as_##enumeration(Arena *arena, ValueRef object)                                     \
    {                                                                                              \
        return as_constant(arena, object, #enumeration, first, end);                               \
    }
CONSTANTS_OF(boolop, AST_And, AST_Add)
CONSTANTS_OF(operator, AST_Add, AST_Invert)
CONSTANTS_OF(unaryop, AST_Invert, AST_Eq)
CONSTANTS_OF(cmpop, AST_Eq, AST_Load)
CONSTANTS_OF(expr_context, AST_Load, AST_CONSTANT_COUNT)

static int read_constant(Reader *reader, const char *field, int (*read)(Arena *, ValueRef))
{
    return read(reader->arena, get_required(reader->arena, reader->object, reader->name, field));
}

static EnumList read_constants(Reader *reader, const char *field, int (*read)(Arena *, ValueRef))
{
    ValueRef list = read_list(reader, field);
    int count = (int)list_size(list);
    EnumList values = {count, arena_alloc(reader->arena, (size_t)count)};
    for (int i = 0; i < count; i++)
        values.items[i] = (uint8_t)read(reader->arena, item_at(reader, field, list, i, count));
    item_at(reader, field, list, count, count);
    return values;
}

// ---- nodes

static Node *read_mod(Arena *arena, ValueRef object);
static Node *read_stmt(Arena *arena, ValueRef object);
static Node *read_expr(Arena *arena, ValueRef object);
static Node *read_comprehension(Arena *arena, ValueRef object);
static Node *read_excepthandler(Arena *arena, ValueRef object);
static Node *read_arguments(Arena *arena, ValueRef object);
static Node *read_arg(Arena *arena, ValueRef object);
static Node *read_keyword(Arena *arena, ValueRef object);
static Node *read_alias(Arena *arena, ValueRef object);
static Node *read_withitem(Arena *arena, ValueRef object);
static Node *read_type_ignore(Arena *arena, ValueRef object);

static void read_fields(Reader *reader, Node *node)
{
    switch (node->kind) {
#define CHILD(sum, f) here->f = read_child(reader, #f, #sum, read_##sum);
#define CHILD_OPT(sum, f) here->f = read_optional(reader, #f, #sum, read_##sum);
#define CHILDREN(sum, f) here->f = read_nodes(reader, #f, #sum, read_##sum);
#define CHILDREN_OPT(sum, f) CHILDREN(sum, f)
#define IDENT(f) here->f = read_ident(reader, #f, false);
#define IDENT_OPT(f) here->f = read_ident(reader, #f, true);
#define IDENTS(f) here->f = read_idents(reader, #f);
#define CONSTANT(f) here->f = get_required(reader->arena, reader->object, reader->name, #f);
#define TEXT(f) here->f = read_text(reader, #f, false);
#define TEXT_OPT(f) here->f = read_text(reader, #f, true);
#define INT(f) here->f = read_int(reader, #f, false);
#define INT_OPT(f) here->f = read_int(reader, #f, true);
#define ENUM(type, f) here->f = (enum type)read_constant(reader, #f, as_##type);
#define ENUMS(type, f) here->f = read_constants(reader, #f, as_##type);
#define NODE(sum, name, members)                                                                   \
    case name##_kind: {                                                                            \
        __typeof__(node->name) *here = &node->name;                                                \
        (void)here;                                                                                \
        members                                                                                    \
    } break;
#include "compiler/ast.def"
    case NODE_KIND_COUNT: break;
    }
}

static Node *read_node(Arena *arena, ValueRef object, NodeKind kind, Position position)
{
    Node *node = node_new(arena, kind, position);
    Reader reader = {.arena = arena, .object = object, .name = node_name(kind)};
    read_fields(&reader, node);
    require(arena, !reader.missing || raise_error(ValueError, "field '%s' is required for %s",
                                                  reader.missing, reader.name));
    return node;
}

static Position read_position(Arena *arena, ValueRef object, const char *sum)
{
    Position position = {0};
    position.line = as_int(arena, get_required(arena, object, sum, "lineno"));
    position.column = as_int(arena, get_required(arena, object, sum, "col_offset"));
    ValueRef end_line = get(arena, object, "end_lineno", true);
    if (end_line) position.end_line = as_int(arena, end_line);
    ValueRef end_column = get(arena, object, "end_col_offset", true);
    if (end_column) position.end_column = as_int(arena, end_column);
    return position;
}

// A node of the kinds first..last, which are those of a sum; NULL for None.
static Node *read_sum(Arena *arena, ValueRef object, const char *sum, NodeKind first, NodeKind last)
{
    Position position = {0};
    if (object == NONE) return NULL;
    if (node_has_attributes(first)) position = read_position(arena, object, sum);
    for (NodeKind kind = first; kind <= last; kind++) {
        bool is_one;
        require(arena, object_is_instance(object, ast_classes()->nodes[kind], &is_one));
        if (is_one) return read_node(arena, object, kind, position);
    }
    raise_error(TypeError, "expected some sort of %s, but got %R", sum, object);
    arena_fail(arena);
}

// A node of the only kind: whatever has its attributes will do.
static Node *read_product(Arena *arena, ValueRef object, NodeKind kind)
{
    Node *node = read_node(arena, object, kind, (Position){0});
    if (node_has_attributes(kind)) node->position = read_position(arena, object, node_name(kind));
    return node;
}

#define SUM(sum, first, last)                                                                      \
    static Node *read_##sum(Arena *arena, ValueRef object)                                         \
    {                                                                                              \
        return read_sum(arena, object, #sum, first##_kind, last##_kind);                           \
    }
SUM(mod, Module, FunctionType)
SUM(stmt, FunctionDef, Continue)
SUM(expr, BoolOp, Slice)
SUM(excepthandler, ExceptHandler, ExceptHandler)
SUM(type_ignore, TypeIgnore, TypeIgnore)

#define PRODUCT(name)                                                                              \
    static Node *read_##name(Arena *arena, ValueRef object)                                        \
    {                                                                                              \
        return read_product(arena, object, name##_kind);                                           \
    }
PRODUCT(comprehension)
PRODUCT(arguments)
PRODUCT(arg)
PRODUCT(keyword)
PRODUCT(alias)
PRODUCT(withitem)

Node *ast_to_tree(Arena *arena, ValueRef object, CompileMode mode)
{
    static const NodeKind roots[] = {Module_kind, Expression_kind, Interactive_kind};
    bool is_root;
    require(arena, ast_classes() != NULL);
    require(arena, object_is_instance(object, ast_classes()->nodes[roots[mode]], &is_root));
    require(arena, is_root || raise_error(TypeError, "expected %s node, got %.400T",
                                          node_name(roots[mode]), object));
    return read_mod(arena, object);
}
