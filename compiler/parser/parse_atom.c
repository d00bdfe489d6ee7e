// Atoms: names, constants, and what stands in brackets, comprehensions included.
//
// A bracket can begin several rules (a tuple, a group or a generator expression; a dict, a set or
// one of their comprehensions). They are tried in python.gram's order. The result is kept in a
// memo, so nested brackets are not parsed again and again.
#include "compiler/parser/parser.h"

Node *name_token(Parser *p)
{
    if (peek(p) != TOKEN_NAME) return NULL;
    const Token *token = &p->tokens[p->mark++];
    Node *node = node_new(p->arena, Name_kind, token->position);
    node->Name.id = new_identifier(p, token->text, token->size);
    return node;
}

static Node *constant(Parser *p, ValueRef value)
{
    Node *node = node_new(p->arena, Constant_kind, p->tokens[p->mark++].position);
    node->Constant.value = value;
    return node;
}

// ---- comprehensions

// invalid_for_target: [ASYNC] 'for' star_expressions
void invalid_for_target_rule(Parser *p)
{
    int start = p->mark;
    expect(p, TOKEN_ASYNC);
    if (expect(p, TOKEN_for)) {
        Node *target = star_expressions_rule(p);
        if (target) raise_invalid_target(p, FOR_TARGETS, target);
    }
    p->mark = start;
}

// ('if' disjunction)*
static NodeList comprehension_ifs(Parser *p)
{
    int base = p->stack_size;
    for (;;) {
        int mark = p->mark;
        Node *test = expect(p, TOKEN_if) ? disjunction_rule(p) : NULL;
        if (!test) {
            p->mark = mark;
            return stack_take(p, base);
        }
        stack_push(p, test);
    }
}

// for_if_clause:
//     | ASYNC 'for' star_targets 'in' ~ disjunction ('if' disjunction)*
//     | 'for' star_targets 'in' ~ disjunction ('if' disjunction)*
//     | invalid_for_target
static Node *for_if_clause_rule(Parser *p)
{
    int start = p->mark;
    bool is_async = expect(p, TOKEN_ASYNC);
    Node *target = expect(p, TOKEN_for) ? star_targets_rule(p) : NULL;
    if (!target || !expect(p, TOKEN_in)) {
        p->mark = start;
        if (p->call_invalid_rules) invalid_for_target_rule(p);
        return NULL;
    }
    Node *iter = disjunction_rule(p);
    if (!iter) {
        p->mark = start;
        return NULL;
    }
    NodeList ifs = comprehension_ifs(p);
    if (is_async) require_version(p, 6, "Async comprehensions are");
    Node *node = new_node(p, comprehension_kind, start);
    node->comprehension.target = target;
    node->comprehension.iter = iter;
    node->comprehension.ifs = ifs;
    node->comprehension.is_async = is_async;
    return node;
}

// for_if_clauses: for_if_clause+
bool for_if_clauses_rule(Parser *p, NodeList *generators)
{
    int type = peek(p);
    if (type != TOKEN_for && type != TOKEN_ASYNC) return false;
    int base = p->stack_size;
    descend(p, 3);
    for (Node *node; (node = for_if_clause_rule(p));) stack_push(p, node);
    p->level -= 3;
    *generators = stack_take(p, base);
    return generators->count > 0;
}

// invalid_comprehension: ('[' | '(' | '{') starred_expression for_if_clauses
void invalid_comprehension_rule(Parser *p)
{
    int start = p->mark++;
    NodeList generators;
    Node *node = starred_expression_rule(p);
    if (node && for_if_clauses_rule(p, &generators))
        raise_at_node(p, node, "iterable unpacking cannot be used in comprehension");
    p->mark = start;
}

// open named_expression ~ for_if_clauses close | invalid_comprehension, where `open` is next. The
// node has `elt` and `generators` where GeneratorExp has them.
static Node *comprehension(Parser *p, NodeKind kind, int close)
{
    int start = p->mark++;
    NodeList generators;
    descend(p, 1);
    Node *elt = named_expression_rule(p);
    p->level -= 1;
    if (!elt) {
        p->mark = start;
        if (p->call_invalid_rules) invalid_comprehension_rule(p);
        return NULL;
    }
    if (!for_if_clauses_rule(p, &generators) || !expect(p, close)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, kind, start);
    node->GeneratorExp.elt = elt;
    node->GeneratorExp.generators = generators;
    return node;
}

// genexp: '(' named_expression ~ for_if_clauses ')' | invalid_comprehension
Node *genexp_rule(Parser *p)
{
    if (peek(p) != TOKEN_LPAR) return NULL;
    return comprehension(p, GeneratorExp_kind, TOKEN_RPAR);
}

// ---- ( )

// star_named_expression ',' [star_named_expressions], the parenthesis passed. False with `mark`
// where it was.
static bool tuple_items(Parser *p, NodeList *items)
{
    int mark = p->mark;
    descend(p, 1);
    Node *first = star_named_expression_rule(p);
    p->level -= 1;
    if (!first || !expect(p, TOKEN_COMMA)) {
        p->mark = mark;
        return false;
    }
    NodeList rest;
    star_named_expressions_rule(p, &rest);
    *items = list_join(p, list_of(p, first), rest);
    return true;
}

// tuple: '(' [star_named_expression ',' [star_named_expressions]] ')'
Node *tuple_rule(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_LPAR)) return NULL;
    NodeList items = {0};
    tuple_items(p, &items);
    if (!expect(p, TOKEN_RPAR)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, Tuple_kind, start);
    node->Tuple.elts = items;
    return node;
}

// invalid_group: '(' starred_expression ')'
static void invalid_group_rule(Parser *p)
{
    int start = p->mark++;
    Node *node = starred_expression_rule(p);
    if (node && expect(p, TOKEN_RPAR)) raise_at_node(p, node, "can't use starred expression here");
    p->mark = start;
}

// group: '(' (yield_expr | named_expression) ')' | invalid_group
static Node *group_rule(Parser *p)
{
    int start = p->mark++;
    descend(p, 2);
    Node *node = yield_expr_rule(p);
    if (!node) node = named_expression_rule(p);
    p->level -= 2;
    if (node && expect(p, TOKEN_RPAR)) return node;
    p->mark = start;
    if (p->call_invalid_rules) invalid_group_rule(p);
    return NULL;
}

// tuple | group | genexp
static Node *parentheses(Parser *p)
{
    descend(p, 1);
    Node *node = tuple_rule(p);
    p->level -= 1;
    if (!node) node = group_rule(p);
    return node ? node : genexp_rule(p);
}

// ---- [ ]

// list: '[' [star_named_expressions] ']'
Node *list_rule(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_LSQB)) return NULL;
    NodeList items;
    star_named_expressions_rule(p, &items);
    if (!expect(p, TOKEN_RSQB)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, List_kind, start);
    node->List.elts = items;
    return node;
}

// list | listcomp
// listcomp: '[' named_expression ~ for_if_clauses ']' | invalid_comprehension
static Node *brackets(Parser *p)
{
    descend(p, 1);
    Node *node = list_rule(p);
    p->level -= 1;
    return node ? node : comprehension(p, ListComp_kind, TOKEN_RSQB);
}

// ---- { }

typedef struct KeyValuePair {
    Node *key, *value; // key NULL = **value
} KeyValuePair;

// kvpair: expression ':' expression
static bool kvpair_rule(Parser *p, KeyValuePair *pair)
{
    int start = p->mark;
    pair->key = expression_rule(p);
    pair->value = pair->key && expect(p, TOKEN_COLON) ? expression_rule(p) : NULL;
    if (pair->value) return true;
    p->mark = start;
    return false;
}

// double_starred_kvpair: '**' bitwise_or | kvpair
static bool double_starred_kvpair_rule(Parser *p, KeyValuePair *pair)
{
    int start = p->mark;
    if (!expect(p, TOKEN_DOUBLESTAR)) return kvpair_rule(p, pair);
    *pair = (KeyValuePair){NULL, bitwise_or_rule(p)};
    if (pair->value) return true;
    p->mark = start;
    return false;
}

// Every second item from `base` on.
static NodeList take_every_second(Parser *p, int base)
{
    NodeList list = {.count = (p->stack_size - base) / 2};
    if (list.count == 0) return list;
    list.items = arena_alloc(p->arena, (size_t)list.count * sizeof *list.items);
    for (int i = 0; i < list.count; i++) list.items[i] = p->stack[base + 2 * i];
    return list;
}

// dict: '{' [double_starred_kvpairs] '}'
// double_starred_kvpairs: ','.double_starred_kvpair+ [',']
static Node *dict_rule(Parser *p)
{
    int start = p->mark++, base = p->stack_size;
    KeyValuePair pair;
    descend(p, 4);
    bool more = double_starred_kvpair_rule(p, &pair);
    while (more) {
        stack_push(p, pair.key);
        stack_push(p, pair.value);
        more = expect(p, TOKEN_COMMA) && double_starred_kvpair_rule(p, &pair);
    }
    p->level -= 4;
    if (!expect(p, TOKEN_RBRACE)) {
        p->stack_size = base;
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, Dict_kind, start);
    node->Dict.keys = take_every_second(p, base);
    stack_push(p, NULL);
    node->Dict.values = take_every_second(p, base + 1);
    p->stack_size = base;
    return node;
}

// set: '{' star_named_expressions '}'
static Node *set_rule(Parser *p)
{
    int start = p->mark++;
    NodeList items;
    if (!star_named_expressions_rule(p, &items) || !expect(p, TOKEN_RBRACE)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, Set_kind, start);
    node->Set.elts = items;
    return node;
}

// invalid_dict_comprehension: '{' '**' bitwise_or for_if_clauses '}'
static void invalid_dict_comprehension_rule(Parser *p)
{
    int start = p->mark++, stars = p->mark;
    NodeList generators;
    if (expect(p, TOKEN_DOUBLESTAR) && bitwise_or_rule(p) && for_if_clauses_rule(p, &generators) &&
        expect(p, TOKEN_RBRACE)) {
        raise_at_node(p, &p->tokens[stars], "dict unpacking cannot be used in dict comprehension");
    }
    p->mark = start;
}

// dictcomp: '{' kvpair for_if_clauses '}' | invalid_dict_comprehension
static Node *dictcomp_rule(Parser *p)
{
    int start = p->mark++;
    KeyValuePair pair;
    NodeList generators;
    if (!kvpair_rule(p, &pair) || !for_if_clauses_rule(p, &generators) ||
        !expect(p, TOKEN_RBRACE)) {
        p->mark = start;
        if (p->call_invalid_rules) invalid_dict_comprehension_rule(p);
        return NULL;
    }
    Node *node = new_node(p, DictComp_kind, start);
    node->DictComp.key = pair.key;
    node->DictComp.value = pair.value;
    node->DictComp.generators = generators;
    return node;
}

// dict | set | dictcomp | setcomp
// setcomp: '{' named_expression ~ for_if_clauses '}' | invalid_comprehension
static Node *braces(Parser *p)
{
    Node *node = dict_rule(p);
    if (!node) node = set_rule(p);
    if (!node) node = dictcomp_rule(p);
    return node ? node : comprehension(p, SetComp_kind, TOKEN_RBRACE);
}

// ---- atom

static Node *bracketed(Parser *p, Node *(*rule)(Parser *p))
{
    Node *node;
    if (memo_find(p, MEMO_atom, &node)) return node;
    int start = p->mark;
    descend(p, 2);
    node = rule(p);
    p->level -= 2;
    memo_insert(p, start, MEMO_atom, node);
    return node;
}

// atom:
//     | NAME | 'True' | 'False' | 'None' | '__peg_parser__'
//     | &STRING strings
//     | NUMBER
//     | &'(' (tuple | group | genexp)
//     | &'[' (list | listcomp)
//     | &'{' (dict | set | dictcomp | setcomp)
//     | '...'
Node *atom_rule(Parser *p)
{
    switch (peek(p)) {
    case TOKEN_NAME: return name_token(p);
    case TOKEN_True: return constant(p, TRUE);
    case TOKEN_False: return constant(p, FALSE);
    case TOKEN_None: return constant(p, NONE);
    case TOKEN___peg_parser__: raise_syntax(p, "You found it!");
    case TOKEN_STRING: return strings_rule(p);
    case TOKEN_NUMBER: return number_token(p);
    case TOKEN_LPAR: return bracketed(p, parentheses);
    case TOKEN_LSQB: return bracketed(p, brackets);
    case TOKEN_LBRACE: return bracketed(p, braces);
    case TOKEN_ELLIPSIS: return constant(p, ELLIPSIS);
    default: return NULL;
    }
}
