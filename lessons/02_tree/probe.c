// Lesson 2: the input is a program; the answer is the tree of its expressions, a node a line.
//
//     BinOp Pow 0-7          the kind, the operator, and the columns from and to
//       Name a 0-1           what hangs below it is further in
//       ...
#include "lessons/harness.h"

#include "compiler/ast.h"
#include "compiler/compile.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#define MOST_NODES 20000 // a tree that hangs below itself has no end

#define NAME_OF(enumeration, name, ending) [name##_##ending] = #name,
static const char *const boolops[] = {BOOLOPS(NAME_OF)};
static const char *const operators[] = {OPERATORS(NAME_OF)};
static const char *const unaryops[] = {UNARYOPS(NAME_OF)};
static const char *const cmpops[] = {CMPOPS(NAME_OF)};

static int nodes_left;

void probe_begin(void)
{
    objects_init();
}

static void answer_node(const Node *node, int level);

static void answer_list(const NodeList *list, int level)
{
    for (int i = 0; i < list->count; i++) answer_node(list->items[i], level);
}

static void answer_end(const Node *node)
{
    answer(" %d-%d\n", node->position.column, node->position.end_column);
}

static void answer_repr(ValueRef value)
{
    Value text = object_repr(value);
    if (text) answer(" %s", str_utf8(text, NULL));
    drop(text);
}

static void answer_compare(const Node *node, int level)
{
    for (int i = 0; i < node->Compare.ops.count; i++)
        answer(" %s", cmpops[node->Compare.ops.items[i]]);
    answer_end(node);
    answer_node(node->Compare.left, level);
    answer_list(&node->Compare.comparators, level);
}

static void answer_operation(const Node *node, int level)
{
    switch (node->kind) {
    case BinOp_kind:
        answer(" %s", operators[node->BinOp.op]);
        answer_end(node);
        answer_node(node->BinOp.left, level);
        answer_node(node->BinOp.right, level);
        break;
    case UnaryOp_kind:
        answer(" %s", unaryops[node->UnaryOp.op]);
        answer_end(node);
        answer_node(node->UnaryOp.operand, level);
        break;
    case BoolOp_kind:
        answer(" %s", boolops[node->BoolOp.op]);
        answer_end(node);
        answer_list(&node->BoolOp.values, level);
        break;
    case Compare_kind: answer_compare(node, level); break;
    default: answer_end(node); break;
    }
}

static void answer_node(const Node *node, int level)
{
    if (nodes_left-- <= 0) return;
    answer("%*s", 2 * level, "");
    if (!node) {
        answer("NULL\n");
        return;
    }
    answer("%s", node_name(node->kind));
    if (node->kind == Name_kind) answer(" %s", str_utf8(node->Name.id, NULL));
    if (node->kind == Constant_kind) answer_repr(node->Constant.value);
    answer_operation(node, level + 1);
}

static void answer_statements(const Node *tree)
{
    for (int i = 0; i < tree->Module.body.count; i++) {
        const Node *statement = tree->Module.body.items[i];
        if (statement->kind == Expr_kind) answer_node(statement->Expr.value, 0);
    }
}

static void answer_exception(void)
{
    Value exception = error_take();
    if (!exception) return;
    Value text = object_str(exception);
    answer("%s: %s", type_of(exception)->name, text ? str_utf8(text, NULL) : "?");
    if (type_of(exception) == SyntaxError) {
        answer(", column");
        answer_repr(as_exception(exception)->syntax_error.offset);
    }
    answer("\n");
    drop(text);
    drop(exception);
    error_clear();
}

void probe(const char *input, size_t size)
{
    Arena arena;
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    nodes_left = MOST_NODES;
    arena_begin(&arena);
    if (!setjmp(arena.failure)) {
        const Node *tree = parse_source(&arena, input, size, &options);
        if (tree) answer_statements(tree);
    }
    answer_exception();
    arena_end(&arena);
    drop(filename);
}
