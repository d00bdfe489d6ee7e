// The tree as text, as ast.dump() of 3.9 prints it.
//
// A node is printed on one line if it has at most three fields and all are simple (no list with
// items, no node with fields). That is known only after its fields are printed. So each node is
// written with the separators for several lines, whose offsets are recorded; if it turns out to be
// short, they are replaced by those for one line. The text is one buffer of UTF-8.
#include "compiler/ast.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

typedef struct Dump {
    char *text;
    size_t size, capacity;
    bool include_attributes;
    int indent; // -1 = on one line
} Dump;

// What is known of a node while its fields are printed.
typedef struct Fields {
    int level; // of the fields
    int count;
    bool all_simple;
} Fields;

static bool dump_node(Dump *dump, const Node *node, int level, bool *simple);

// ---- text

static bool put(Dump *dump, const char *text, size_t size)
{
    if (dump->capacity - dump->size < size) {
        size_t capacity = dump->capacity * 2 + size;
        char *grown = memory_resize(dump->text, capacity);
        if (!grown) return raise_memory_error();
        dump->text = grown;
        dump->capacity = capacity;
    }
    memcpy(dump->text + dump->size, text, size);
    dump->size += size;
    return true;
}

static bool put_text(Dump *dump, const char *text)
{
    return put(dump, text, strlen(text));
}

static bool put_line(Dump *dump, int level)
{
    if (!put(dump, "\n", 1)) return false;
    for (int i = 0; i < level * dump->indent; i++)
        if (!put(dump, " ", 1)) return false;
    return true;
}

// In front of a field or an item: the first begins a line of its own, the others follow a comma.
static bool put_separator(Dump *dump, int level, bool is_first)
{
    if (dump->indent < 0) return is_first || put(dump, ", ", 2);
    if (!is_first && !put(dump, ",", 1)) return false;
    return put_line(dump, level);
}

static bool put_repr(Dump *dump, ValueRef value)
{
    Value repr = object_repr(value);
    if (repr == VALUE_ERROR) return false;
    size_t size;
    const char *text = str_utf8(repr, &size);
    bool ok = text && put(dump, text, size);
    drop(repr);
    return ok;
}

static bool put_int(Dump *dump, int number)
{
    return put_repr(dump, from_small(number));
}

// ---- fields

static bool begin_field(Dump *dump, Fields *fields, const char *name)
{
    if (!put_separator(dump, fields->level, fields->count++ == 0)) return false;
    return put_text(dump, name) && put(dump, "=", 1);
}

static bool dump_child(Dump *dump, Fields *fields, const char *name, const Node *child)
{
    bool simple;
    if (!begin_field(dump, fields, name)) return false;
    if (!dump_node(dump, child, fields->level, &simple)) return false;
    fields->all_simple &= simple;
    return true;
}

static bool dump_optional(Dump *dump, Fields *fields, const char *name, const Node *child)
{
    return !child || dump_child(dump, fields, name, child);
}

// The nth item of some list of the tree.
typedef bool (*ItemDump)(Dump *dump, const void *items, int index, int level);

static bool dump_list(Dump *dump, Fields *fields, const char *name, const void *items, int count,
                      ItemDump dump_item)
{
    if (!begin_field(dump, fields, name)) return false;
    if (count == 0) return put(dump, "[]", 2);
    fields->all_simple = false;
    if (!put(dump, "[", 1)) return false;
    for (int i = 0; i < count; i++) {
        if (!put_separator(dump, fields->level + 1, i == 0)) return false;
        if (!dump_item(dump, items, i, fields->level + 1)) return false;
    }
    return put(dump, "]", 1);
}

static bool dump_node_item(Dump *dump, const void *items, int index, int level)
{
    bool simple;
    const Node *node = ((Node *const *)items)[index];
    return node ? dump_node(dump, node, level, &simple) : put_text(dump, "None");
}

static bool dump_ident_item(Dump *dump, const void *items, int index, int level)
{
    (void)level;
    return put_repr(dump, ((const ValueRef *)items)[index]);
}

#define ENUM_NAME(enumeration, name, ending) #name "()",
static const char *const boolop_names[] = {BOOLOPS(ENUM_NAME)};
static const char *const operator_names[] = {OPERATORS(ENUM_NAME)};
static const char *const unaryop_names[] = {UNARYOPS(ENUM_NAME)};
static const char *const cmpop_names[] = {CMPOPS(ENUM_NAME)};
static const char *const expr_context_names[] = {EXPR_CONTEXTS(ENUM_NAME)};
#undef ENUM_NAME

static bool dump_cmpop_item(Dump *dump, const void *items, int index, int level)
{
    (void)level;
    return put_text(dump, cmpop_names[((const uint8_t *)items)[index]]);
}

static bool dump_value(Dump *dump, Fields *fields, const char *name, ValueRef value)
{
    return begin_field(dump, fields, name) && put_repr(dump, value);
}

static bool dump_optional_value(Dump *dump, Fields *fields, const char *name, ValueRef value)
{
    return value == VALUE_ERROR || dump_value(dump, fields, name, value);
}

static bool dump_int(Dump *dump, Fields *fields, const char *name, int number)
{
    return begin_field(dump, fields, name) && put_int(dump, number);
}

static bool dump_enum(Dump *dump, Fields *fields, const char *name, const char *value)
{
    return begin_field(dump, fields, name) && put_text(dump, value);
}

static bool dump_fields(Dump *dump, const Node *node, Fields *fields)
{
    switch (node->kind) {
#define CHILD(sum, f) &&dump_child(dump, fields, #f, here->f)
#define CHILD_OPT(sum, f) &&dump_optional(dump, fields, #f, here->f)
#define CHILDREN(sum, f) &&dump_list(dump, fields, #f, here->f.items, here->f.count, dump_node_item)
#define CHILDREN_OPT(sum, f) CHILDREN(sum, f)
#define IDENT(f) &&dump_value(dump, fields, #f, here->f)
#define IDENT_OPT(f) &&dump_optional_value(dump, fields, #f, here->f)
#define IDENTS(f) &&dump_list(dump, fields, #f, here->f.items, here->f.count, dump_ident_item)
#define CONSTANT(f) &&dump_value(dump, fields, #f, here->f)
#define TEXT(f) &&dump_value(dump, fields, #f, here->f)
#define TEXT_OPT(f) &&dump_optional_value(dump, fields, #f, here->f)
#define INT(f) &&dump_int(dump, fields, #f, here->f)
#define INT_OPT(f) &&dump_int(dump, fields, #f, here->f)
#define ENUM(type, f) &&dump_enum(dump, fields, #f, type##_names[here->f])
#define ENUMS(type, f) &&dump_list(dump, fields, #f, here->f.items, here->f.count, dump_cmpop_item)
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

// ---- nodes

static bool dump_attributes(Dump *dump, const Node *node, Fields *fields)
{
    if (!dump->include_attributes || !node_has_attributes(node->kind)) return true;
    const Position *position = &node->position;
    return dump_int(dump, fields, "lineno", position->line) &&
           dump_int(dump, fields, "col_offset", position->column) &&
           dump_int(dump, fields, "end_lineno", position->end_line) &&
           dump_int(dump, fields, "end_col_offset", position->end_column);
}

// A node whose fields, written from `start` on, turned out to be few and simple: on one line. No
// simple value has a newline in it (repr escapes them), so every one belongs to a separator.
static void join_lines(Dump *dump, size_t start)
{
    size_t to = start;
    bool first = true;
    for (size_t from = start; from < dump->size;) {
        if (dump->text[from] != '\n') {
            dump->text[to++] = dump->text[from++];
            continue;
        }
        from++;
        while (from < dump->size && dump->text[from] == ' ') from++;
        if (!first) dump->text[to++] = ' ';
        first = false;
    }
    dump->size = to;
}

static bool dump_node(Dump *dump, const Node *node, int level, bool *simple)
{
    if (!stack_has_room()) return raise_error(RecursionError, "maximum recursion depth exceeded");
    Fields fields = {.level = level + 1, .all_simple = true};
    if (!put_text(dump, node_name(node->kind)) || !put(dump, "(", 1)) return false;
    size_t start = dump->size;
    if (!dump_fields(dump, node, &fields)) return false;
    if (!dump_attributes(dump, node, &fields)) return false;
    if (dump->indent >= 0 && fields.all_simple && fields.count <= 3) join_lines(dump, start);
    *simple = fields.count == 0;
    return put(dump, ")", 1);
}

Value ast_dump(const Node *tree, bool include_attributes, int indent)
{
    Dump dump = {.include_attributes = include_attributes, .indent = indent};
    bool simple;
    Value result = VALUE_ERROR;
    if (dump_node(&dump, tree, 0, &simple)) result = str_from_utf8(dump.text, dump.size);
    memory_free(dump.text);
    return result;
}
