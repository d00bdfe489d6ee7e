// `from __future__ import ...` at the head of a module.
//
// Only a docstring and other such statements may come before one. For a later one, on a new line,
// the code generator raises the error.
#include "compiler/compilation.h"

#include "objects/names.h"
#include "objects/text/str.h"

// The features of 3.9; those that are the language by now have no flag.
static const struct {
    const char *name;
    int flag;
} known_features[] = {
    {"nested_scopes", 0},    {"generators", 0},
    {"division", 0},         {"absolute_import", 0},
    {"with_statement", 0},   {"print_function", 0},
    {"unicode_literals", 0}, {"barry_as_FLUFL", CO_FUTURE_BARRY_AS_BDFL},
    {"generator_stop", 0},   {"annotations", CO_FUTURE_ANNOTATIONS},
};

static void add_feature(Compilation *c, const Node *statement, ValueRef name)
{
    Position at = statement->position;
    for (size_t i = 0; i < sizeof known_features / sizeof *known_features; i++) {
        if (!str_equal_ascii(name, known_features[i].name)) continue;
        c->features |= known_features[i].flag;
        return;
    }
    if (str_equal_ascii(name, "braces"))
        compile_error_located(c, at.line, at.column + 1, "not a chance");
    compile_error_located(c, at.line, at.column + 1, "future feature %.100S is not defined", name);
}

static bool imports_from_future(const Node *statement)
{
    return statement->kind == ImportFrom_kind && statement->ImportFrom.module &&
           statement->ImportFrom.module == NAME(__future__);
}

static void take_features(Compilation *c, const Node *statement)
{
    const NodeList *names = &statement->ImportFrom.names;
    for (int i = 0; i < names->count; i++) add_feature(c, statement, names->items[i]->alias.name);
    c->future_line = statement->position.line;
}

void future_read(Compilation *c, const Node *tree)
{
    c->future_line = -1;
    if (tree->kind != Module_kind && tree->kind != Interactive_kind) return;
    const NodeList *body = tree->kind == Module_kind ? &tree->Module.body : &tree->Interactive.body;
    bool done = false;
    int previous_line = 0;
    for (int i = docstring_of(body) != NULL; i < body->count; i++) {
        const Node *statement = body->items[i];
        Position at = statement->position;
        if (done && at.line > previous_line) return;
        previous_line = at.line;
        if (!imports_from_future(statement)) {
            done = true;
            continue;
        }
        if (done)
            compile_error_located(
                c, at.line, at.column,
                "from __future__ imports must occur at the beginning of the file");
        take_features(c, statement);
    }
}
