// The arguments of a call, or of a class statement: positional ones, *iterables, keywords.
#include "compiler/parser/parser.h"

// What kwargs reads: a keyword node, or a Starred.
static void split_kwargs(Parser *p, int base, NodeList *starreds, NodeList *keywords)
{
    int end = p->stack_size;
    for (int i = base; i < end; i++)
        if (p->stack[i]->kind == Starred_kind) stack_push(p, p->stack[i]);
    *starreds = stack_take(p, end);
    for (int i = base; i < end; i++)
        if (p->stack[i]->kind == keyword_kind) stack_push(p, p->stack[i]);
    *keywords = stack_take(p, end);
    p->stack_size = base;
}

static Node *new_keyword(Parser *p, int start, ValueRef name, Node *value)
{
    Node *node = new_node(p, keyword_kind, start);
    node->keyword.arg = name;
    node->keyword.value = value;
    return node;
}

// invalid_kwarg: !(NAME '=') expression '='
static void invalid_kwarg_rule(Parser *p)
{
    int start = p->mark;
    bool is_keyword = expect(p, TOKEN_NAME) && expect(p, TOKEN_EQUAL);
    p->mark = start;
    if (is_keyword) return;
    Node *node = expression_rule(p);
    if (node && expect(p, TOKEN_EQUAL))
        raise_at_node(p, node, "expression cannot contain assignment, perhaps you meant \"==\"?");
    p->mark = start;
}

// NAME '=' expression
static Node *named_argument(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_NAME)) return NULL;
    Node *value = expect(p, TOKEN_EQUAL) ? expression_rule(p) : NULL;
    if (!value) {
        p->mark = start;
        return NULL;
    }
    const Token *name = &p->tokens[start];
    return new_keyword(p, start, new_identifier(p, name->text, name->size), value);
}

// kwarg_or_starred: NAME '=' expression | starred_expression | invalid_kwarg
static Node *kwarg_or_starred_rule(Parser *p)
{
    Node *node = named_argument(p);
    if (!node) node = starred_expression_rule(p);
    if (!node && p->call_invalid_rules) invalid_kwarg_rule(p);
    return node;
}

// '**' expression
static Node *double_starred(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_DOUBLESTAR)) return NULL;
    Node *value = expression_rule(p);
    if (value) return new_keyword(p, start, VALUE_ERROR, value);
    p->mark = start;
    return NULL;
}

// kwarg_or_double_starred: NAME '=' expression | '**' expression | invalid_kwarg
static Node *kwarg_or_double_starred_rule(Parser *p)
{
    Node *node = named_argument(p);
    if (!node) node = double_starred(p);
    if (!node && p->call_invalid_rules) invalid_kwarg_rule(p);
    return node;
}

// ','.rule+, pushed; `mark` stays before a comma with nothing after it.
static bool gather(Parser *p, Node *(*rule)(Parser *p))
{
    Node *node = rule(p);
    if (!node) return false;
    while (node) {
        stack_push(p, node);
        int mark = p->mark;
        node = expect(p, TOKEN_COMMA) ? rule(p) : NULL;
        if (!node) p->mark = mark;
    }
    return true;
}

// kwargs:
//     | ','.kwarg_or_starred+ ',' ','.kwarg_or_double_starred+
//     | ','.kwarg_or_starred+
//     | ','.kwarg_or_double_starred+
//
// Pushed: keyword and Starred nodes.
static bool kwargs_rule(Parser *p)
{
    descend(p, 3);
    bool any = gather(p, kwarg_or_starred_rule);
    int mark = p->mark;
    bool more = (!any || expect(p, TOKEN_COMMA)) && gather(p, kwarg_or_double_starred_rule);
    if (!more) p->mark = mark;
    p->level -= 3;
    return any || more;
}

// starred_expression | named_expression !'='
static Node *positional(Parser *p)
{
    int start = p->mark;
    if (peek(p) == TOKEN_STAR) return starred_expression_rule(p);
    Node *node = named_expression_rule(p);
    if (!node || peek(p) != TOKEN_EQUAL) return node;
    p->mark = start;
    return NULL;
}

// args:
//     | ','.(starred_expression | named_expression !'=')+ [',' kwargs]
//     | kwargs
static CallArguments *args_rule(Parser *p)
{
    int base = p->stack_size;
    NodeList positionals = {0}, starreds = {0}, keywords = {0};
    descend(p, 3);
    bool any = gather(p, positional);
    if (any) positionals = stack_take(p, base);
    p->level -= 3;
    int mark = p->mark;
    bool more = (!any || expect(p, TOKEN_COMMA)) && kwargs_rule(p);
    if (more)
        split_kwargs(p, base, &starreds, &keywords);
    else
        p->mark = mark;
    if (!any && !more) return NULL;
    CallArguments *arguments = arena_alloc(p->arena, sizeof *arguments);
    arguments->args = list_join(p, positionals, starreds);
    arguments->keywords = keywords;
    return arguments;
}

// ---- known mistakes

static _Noreturn void raise_not_parenthesized(Parser *p, const Node *node)
{
    raise_at_node(p, node, "Generator expression must be parenthesized");
}

static _Noreturn void raise_positional_follows(Parser *p, const CallArguments *arguments)
{
    const char *what = "";
    for (int i = 0; i < arguments->keywords.count; i++)
        if (!arguments->keywords.items[i]->keyword.arg) what = " unpacking";
    raise_syntax(p, "positional argument follows keyword argument%s", what);
}

// args ',' '*'
static void invalid_star(Parser *p)
{
    int start = p->mark;
    if (args_rule(p) && expect(p, TOKEN_COMMA) && expect(p, TOKEN_STAR))
        raise_syntax(p, "iterable argument unpacking follows keyword argument unpacking");
    p->mark = start;
}

// expression for_if_clauses ',' [args | expression for_if_clauses]
static void invalid_first_generator(Parser *p)
{
    int start = p->mark;
    NodeList generators;
    Node *node = expression_rule(p);
    if (node && for_if_clauses_rule(p, &generators) && expect(p, TOKEN_COMMA)) {
        int mark = p->mark;
        if (!args_rule(p)) {
            p->mark = mark;
            if (expression_rule(p)) for_if_clauses_rule(p, &generators);
        }
        raise_not_parenthesized(p, node);
    }
    p->mark = start;
}

// args for_if_clauses: true where it matches a lone argument, which is no mistake of this kind.
static bool invalid_last_generator(Parser *p)
{
    int start = p->mark;
    NodeList generators;
    CallArguments *arguments = args_rule(p);
    bool matches = arguments && for_if_clauses_rule(p, &generators);
    if (matches && arguments->args.count > 1)
        raise_not_parenthesized(p, arguments->args.items[arguments->args.count - 1]);
    p->mark = start;
    return matches;
}

// args ',' expression for_if_clauses | args ',' args
static void invalid_following(Parser *p)
{
    int start = p->mark;
    NodeList generators;
    CallArguments *arguments = args_rule(p);
    if (arguments && expect(p, TOKEN_COMMA)) {
        int mark = p->mark;
        Node *node = expression_rule(p);
        if (node && for_if_clauses_rule(p, &generators)) raise_not_parenthesized(p, node);
        p->mark = mark;
        if (args_rule(p)) raise_positional_follows(p, arguments);
    }
    p->mark = start;
}

// invalid_arguments:
//     | args ',' '*'
//     | expression for_if_clauses ',' [args | expression for_if_clauses]
//     | args for_if_clauses
//     | args ',' expression for_if_clauses
//     | args ',' args
static void invalid_arguments_rule(Parser *p)
{
    invalid_star(p);
    invalid_first_generator(p);
    if (!invalid_last_generator(p)) invalid_following(p);
}

// args [','] &')'
static CallArguments *args_before_parenthesis(Parser *p)
{
    int start = p->mark;
    CallArguments *arguments = args_rule(p);
    if (arguments) {
        expect(p, TOKEN_COMMA);
        if (peek(p) == TOKEN_RPAR) return arguments;
    }
    p->mark = start;
    return NULL;
}

// arguments: args [','] &')' | invalid_arguments
CallArguments *arguments_rule(Parser *p)
{
    CallArguments *arguments;
    if (peek(p) == TOKEN_RPAR) return NULL;
    if (memo_find(p, MEMO_arguments, &arguments)) return arguments;
    int start = p->mark;
    descend(p, 2);
    arguments = args_before_parenthesis(p);
    if (!arguments && p->call_invalid_rules) invalid_arguments_rule(p);
    p->level -= 2;
    memo_insert(p, start, MEMO_arguments, arguments);
    return arguments;
}
