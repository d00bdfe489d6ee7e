// import and from.
#include "compiler/parser/parser.h"

#include "objects/text/str.h"

// ['as' NAME]: the name, 0 = none.
static ValueRef as_name(Parser *p)
{
    int mark = p->mark;
    if (expect(p, TOKEN_as) && expect(p, TOKEN_NAME)) {
        const Token *token = &p->tokens[p->mark - 1];
        return new_identifier(p, token->text, token->size);
    }
    p->mark = mark;
    return VALUE_ERROR;
}

// The names at start, start + 2, ... as one text with dots between them.
static ValueRef joined_name(Parser *p, int start, int end)
{
    const Token *first = &p->tokens[start];
    if (end == start + 1) return new_identifier(p, first->text, first->size);
    StrBuilder builder;
    builder_begin(&builder);
    bool ok = true;
    for (int i = start; i < end && ok; i += 2) {
        const Token *token = &p->tokens[i];
        ValueRef name = new_identifier(p, token->text, token->size);
        ok = (i == start || builder_char(&builder, '.')) && builder_str(&builder, name);
    }
    if (!ok) {
        builder_abandon(&builder);
        arena_fail(p->arena);
    }
    Value joined = builder_finish(&builder);
    if (joined != VALUE_ERROR) str_intern_in_place(&joined);
    return arena_hold(p->arena, joined);
}

// dotted_name: dotted_name '.' NAME | NAME
static ValueRef dotted_name_rule(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_NAME)) return VALUE_ERROR;
    for (;;) {
        int mark = p->mark;
        if (!expect(p, TOKEN_DOT) || !expect(p, TOKEN_NAME)) {
            p->mark = mark;
            return joined_name(p, start, mark);
        }
    }
}

static Node *new_alias(Parser *p, int start, ValueRef name, ValueRef asname)
{
    Node *node = new_node(p, alias_kind, start);
    node->alias.name = name;
    node->alias.asname = asname;
    return node;
}

// dotted_as_name: dotted_name ['as' NAME]
static Node *dotted_as_name_rule(Parser *p)
{
    int start = p->mark;
    ValueRef name = dotted_name_rule(p);
    return name ? new_alias(p, start, name, as_name(p)) : NULL;
}

// import_from_as_name: NAME ['as' NAME]
static Node *import_from_as_name_rule(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_NAME)) return NULL;
    const Token *token = &p->tokens[start];
    ValueRef name = new_identifier(p, token->text, token->size);
    return new_alias(p, start, name, as_name(p));
}

// ','.rule+
static bool gather(Parser *p, Node *(*rule)(Parser *p), NodeList *items)
{
    int base = p->stack_size, mark = p->mark;
    Node *node = rule(p);
    while (node) {
        stack_push(p, node);
        mark = p->mark;
        node = expect(p, TOKEN_COMMA) ? rule(p) : NULL;
    }
    p->mark = mark;
    *items = stack_take(p, base);
    return items->count > 0;
}

// import_name: 'import' dotted_as_names
// dotted_as_names: ','.dotted_as_name+
static Node *import_name_rule(Parser *p)
{
    int start = p->mark++;
    NodeList names;
    if (!gather(p, dotted_as_name_rule, &names)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, Import_kind, start);
    node->Import.names = names;
    return node;
}

// '(' import_from_as_names [','] ')'
static bool names_in_parentheses(Parser *p, NodeList *names)
{
    int start = p->mark;
    if (expect(p, TOKEN_LPAR) && gather(p, import_from_as_name_rule, names)) {
        expect(p, TOKEN_COMMA);
        if (expect(p, TOKEN_RPAR)) return true;
    }
    p->mark = start;
    return false;
}

// invalid_import_from_targets: import_from_as_names ',' NEWLINE
static void invalid_import_from_targets_rule(Parser *p)
{
    int start = p->mark;
    NodeList names;
    if (gather(p, import_from_as_name_rule, &names) && expect(p, TOKEN_COMMA) &&
        expect(p, TOKEN_NEWLINE)) {
        raise_syntax(p, "trailing comma not allowed without surrounding parentheses");
    }
    p->mark = start;
}

// import_from_targets:
//     | '(' import_from_as_names [','] ')'
//     | import_from_as_names !','
//     | '*'
//     | invalid_import_from_targets
//
// import_from_as_names: ','.import_from_as_name+
static bool import_from_targets_rule(Parser *p, NodeList *names)
{
    int start = p->mark;
    if (names_in_parentheses(p, names)) return true;
    if (gather(p, import_from_as_name_rule, names) && peek(p) != TOKEN_COMMA) return true;
    p->mark = start;
    if (expect(p, TOKEN_STAR)) {
        *names = list_of(p, new_alias(p, start, new_identifier(p, "*", 1), VALUE_ERROR));
        return true;
    }
    if (p->call_invalid_rules) invalid_import_from_targets_rule(p);
    return false;
}

// ('.' | '...')*
static int count_dots(Parser *p)
{
    int dots = 0;
    for (;;)
        if (expect(p, TOKEN_DOT))
            dots++;
        else if (expect(p, TOKEN_ELLIPSIS))
            dots += 3;
        else
            return dots;
}

// import_from:
//     | 'from' ('.' | '...')* dotted_name 'import' import_from_targets
//     | 'from' ('.' | '...')+ 'import' import_from_targets
static Node *import_from_rule(Parser *p)
{
    int start = p->mark++;
    NodeList names;
    int dots = count_dots(p);
    ValueRef module = dotted_name_rule(p);
    if ((!module && dots == 0) || !expect(p, TOKEN_import) ||
        !import_from_targets_rule(p, &names)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, ImportFrom_kind, start);
    node->ImportFrom.module = module;
    node->ImportFrom.names = names;
    node->ImportFrom.level = dots;
    return node;
}

// import_stmt: import_name | import_from
Node *import_stmt_rule(Parser *p)
{
    return peek(p) == TOKEN_import ? import_name_rule(p) : import_from_rule(p);
}
