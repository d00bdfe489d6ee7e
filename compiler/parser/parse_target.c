// Targets: what can be before '=', and after 'for', 'as' and 'del'.
//
// A target that ends in `.name` or `[...]` begins with a t_primary: the longest primary that still
// has a trailer after it. If the text turns out to be no target, it is parsed again as an
// expression; primary_rule() then continues from the t_primary in the memo.
#include "compiler/parser/parser.h"

// ---- t_primary

// t_lookahead: '(' | '[' | '.'
static bool t_lookahead_rule(Parser *p)
{
    int type = peek(p);
    return type == TOKEN_LPAR || type == TOKEN_LSQB || type == TOKEN_DOT;
}

static Node *longest_t_primary(Parser *p)
{
    int start = p->mark;
    Node *node = atom_rule(p);
    if (!node || !t_lookahead_rule(p)) {
        p->mark = start;
        return NULL;
    }
    for (;;) {
        int mark = p->mark;
        Node *longer = trailer(p, start, node);
        if (!longer || !t_lookahead_rule(p)) {
            p->mark = mark;
            return node;
        }
        node = longer;
    }
}

// A name with no trailer, the most frequent beginning of a statement, is none.
static bool is_lone_name(Parser *p)
{
    if (peek(p) != TOKEN_NAME) return false;
    p->mark++;
    bool is_lone = !t_lookahead_rule(p);
    p->mark--;
    return is_lone;
}

// t_primary:
//     | t_primary '.' NAME &t_lookahead
//     | t_primary '[' slices ']' &t_lookahead
//     | t_primary genexp &t_lookahead
//     | t_primary '(' [arguments] ')' &t_lookahead
//     | atom &t_lookahead
static Node *t_primary_rule(Parser *p)
{
    if (is_lone_name(p)) return NULL;
    Node *node;
    if (memo_find(p, MEMO_t_primary, &node)) return node;
    int start = p->mark;
    descend(p, 3);
    node = longest_t_primary(p);
    p->level -= 3;
    memo_insert(p, start, MEMO_t_primary, node);
    return node;
}

// t_primary '.' NAME !t_lookahead | t_primary '[' slices ']' !t_lookahead
static Node *subscript_or_attribute(Parser *p, expr_context context)
{
    int start = p->mark;
    Node *value = t_primary_rule(p);
    if (!value) return NULL;
    Node *node = peek(p) == TOKEN_LPAR ? NULL : trailer(p, start, value);
    if (!node || t_lookahead_rule(p)) {
        p->mark = start;
        return NULL;
    }
    if (node->kind == Attribute_kind)
        node->Attribute.ctx = context;
    else
        node->Subscript.ctx = context;
    return node;
}

// ---- names and brackets

static Node *name_target(Parser *p, expr_context context)
{
    Node *node = name_token(p);
    if (node) node->Name.ctx = context;
    return node;
}

typedef bool (*ItemsRule)(Parser *p, NodeList *items);

// open [items] close, where `open` is next: a Tuple or a List.
static Node *target_display(Parser *p, NodeKind kind, int close, ItemsRule rule,
                            expr_context context)
{
    int start = p->mark++;
    NodeList items;
    if (!rule(p, &items)) items = (NodeList){0};
    if (!expect(p, close)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, kind, start);
    if (kind == Tuple_kind) {
        node->Tuple.elts = items;
        node->Tuple.ctx = context;
    } else {
        node->List.elts = items;
        node->List.ctx = context;
    }
    return node;
}

// '(' rule ')', where '(' is next.
static Node *target_in_parentheses(Parser *p, Node *(*rule)(Parser *p))
{
    int start = p->mark++;
    Node *node = rule(p);
    if (node && expect(p, TOKEN_RPAR)) return node;
    p->mark = start;
    return NULL;
}

// Brackets may be read as several things, so what came out is kept.
static Node *remembered(Parser *p, MemoRule memo, Node *(*rule)(Parser *p))
{
    int type = peek(p);
    if (type != TOKEN_LPAR && type != TOKEN_LSQB) return rule(p);
    Node *node;
    if (memo_find(p, memo, &node)) return node;
    int start = p->mark;
    node = rule(p);
    memo_insert(p, start, memo, node);
    return node;
}

// ','.rule+ [',']
static bool target_items(Parser *p, Node *(*rule)(Parser *p), NodeList *items)
{
    int base = p->stack_size;
    Node *node = rule(p);
    while (node) {
        stack_push(p, node);
        node = expect(p, TOKEN_COMMA) ? rule(p) : NULL;
    }
    *items = stack_take(p, base);
    return items->count > 0;
}

// ---- star_targets

static Node *target_with_star_atom_rule(Parser *p);

// star_targets_list_seq: ','.star_target+ [',']
static bool star_targets_list_seq_rule(Parser *p, NodeList *items)
{
    return target_items(p, star_target_rule, items);
}

// star_targets_tuple_seq: star_target (',' star_target)+ [','] | star_target ','
static bool star_targets_tuple_seq_rule(Parser *p, NodeList *items)
{
    int start = p->mark;
    if (!target_items(p, star_target_rule, items)) return false;
    if (items->count > 1 || p->tokens[p->mark - 1].type == TOKEN_COMMA) return true;
    p->mark = start;
    return false;
}

// star_atom:
//     | NAME
//     | '(' target_with_star_atom ')'
//     | '(' [star_targets_tuple_seq] ')'
//     | '[' [star_targets_list_seq] ']'
static Node *star_atom_rule(Parser *p)
{
    Node *node;
    switch (peek(p)) {
    case TOKEN_NAME: return name_target(p, Store_context);
    case TOKEN_LPAR:
        node = target_in_parentheses(p, target_with_star_atom_rule);
        if (node) return node;
        return target_display(p, Tuple_kind, TOKEN_RPAR, star_targets_tuple_seq_rule,
                              Store_context);
    case TOKEN_LSQB:
        return target_display(p, List_kind, TOKEN_RSQB, star_targets_list_seq_rule, Store_context);
    default: return NULL;
    }
}

static Node *subscript_attribute_or_star_atom(Parser *p)
{
    Node *node = subscript_or_attribute(p, Store_context);
    if (node) return node;
    descend(p, 3);
    node = star_atom_rule(p);
    p->level -= 3;
    return node;
}

// target_with_star_atom:
//     | t_primary '.' NAME !t_lookahead
//     | t_primary '[' slices ']' !t_lookahead
//     | star_atom
static Node *target_with_star_atom_rule(Parser *p)
{
    return remembered(p, MEMO_target_with_star_atom, subscript_attribute_or_star_atom);
}

// '*' (!'*' star_target), where '*' is next.
static Node *starred_target(Parser *p)
{
    int start = p->mark++;
    Node *value = peek(p) == TOKEN_STAR ? NULL : star_target_rule(p);
    if (!value) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, Starred_kind, start);
    node->Starred.value = value;
    node->Starred.ctx = Store_context;
    return node;
}

// star_target: '*' (!'*' star_target) | target_with_star_atom
Node *star_target_rule(Parser *p)
{
    return peek(p) == TOKEN_STAR ? starred_target(p) : target_with_star_atom_rule(p);
}

// star_targets: star_target !',' | star_target (',' star_target)* [',']
Node *star_targets_rule(Parser *p)
{
    int start = p->mark;
    Node *node = star_target_rule(p);
    if (!node || peek(p) != TOKEN_COMMA) return node;
    int base = p->stack_size;
    while (node) {
        stack_push(p, node);
        node = expect(p, TOKEN_COMMA) ? star_target_rule(p) : NULL;
    }
    NodeList items = stack_take(p, base);
    node = new_node(p, Tuple_kind, start);
    node->Tuple.elts = items;
    node->Tuple.ctx = Store_context;
    return node;
}

// ---- single targets

// single_subscript_attribute_target:
//     | t_primary '.' NAME !t_lookahead
//     | t_primary '[' slices ']' !t_lookahead
Node *single_subscript_attribute_target_rule(Parser *p)
{
    return subscript_or_attribute(p, Store_context);
}

// single_target: single_subscript_attribute_target | NAME | '(' single_target ')'
Node *single_target_rule(Parser *p)
{
    Node *node = single_subscript_attribute_target_rule(p);
    if (node) return node;
    if (peek(p) == TOKEN_NAME) return name_target(p, Store_context);
    if (peek(p) != TOKEN_LPAR) return NULL;
    return target_in_parentheses(p, single_target_rule);
}

// ---- del targets

static Node *del_target_rule(Parser *p);

// del_t_atom: NAME | '(' del_target ')' | '(' [del_targets] ')' | '[' [del_targets] ']'
static Node *del_t_atom_rule(Parser *p)
{
    Node *node;
    switch (peek(p)) {
    case TOKEN_NAME: return name_target(p, Del_context);
    case TOKEN_LPAR:
        node = target_in_parentheses(p, del_target_rule);
        if (node) return node;
        return target_display(p, Tuple_kind, TOKEN_RPAR, del_targets_rule, Del_context);
    case TOKEN_LSQB: return target_display(p, List_kind, TOKEN_RSQB, del_targets_rule, Del_context);
    default: return NULL;
    }
}

static Node *subscript_attribute_or_atom(Parser *p)
{
    Node *node = subscript_or_attribute(p, Del_context);
    if (node) return node;
    descend(p, 3);
    node = del_t_atom_rule(p);
    p->level -= 3;
    return node;
}

// del_target:
//     | t_primary '.' NAME !t_lookahead
//     | t_primary '[' slices ']' !t_lookahead
//     | del_t_atom
static Node *del_target_rule(Parser *p)
{
    return remembered(p, MEMO_del_target, subscript_attribute_or_atom);
}

// del_targets: ','.del_target+ [',']
bool del_targets_rule(Parser *p, NodeList *targets)
{
    return target_items(p, del_target_rule, targets);
}
