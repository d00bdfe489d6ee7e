// Statements that hold blocks: if, while, for, with, try, def, class.
//
// The first token decides which statement it is; after ASYNC the second one. If two alternatives of
// a rule in python.gram begin alike (if with elif, if with else), their common beginning is parsed
// once.
#include "compiler/parser/parser.h"

// keyword ':' block
static bool block_after(Parser *p, int keyword, NodeList *body)
{
    int start = p->mark;
    if (expect(p, keyword) && expect(p, TOKEN_COLON) && block_rule(p, body)) return true;
    *body = (NodeList){0};
    p->mark = start;
    return false;
}

// else_block: 'else' ':' block
static bool else_block_rule(Parser *p, NodeList *body)
{
    return block_after(p, TOKEN_else, body);
}

// ---- if, while

static Node *if_stmt_rule(Parser *p, int keyword);

// elif_stmt | [else_block]
static NodeList rest_of_if(Parser *p)
{
    NodeList orelse;
    Node *elif = if_stmt_rule(p, TOKEN_elif);
    if (elif) return list_of(p, elif);
    else_block_rule(p, &orelse);
    return orelse;
}

// if_stmt:
//     | 'if' named_expression ':' block elif_stmt
//     | 'if' named_expression ':' block [else_block]
//
// elif_stmt: the same with 'elif'
static Node *if_stmt_rule(Parser *p, int keyword)
{
    int start = p->mark;
    NodeList body;
    if (!expect(p, keyword)) return NULL;
    descend(p, 1);
    Node *test = named_expression_rule(p);
    bool ok = test && expect(p, TOKEN_COLON) && block_rule(p, &body);
    NodeList orelse = ok ? rest_of_if(p) : (NodeList){0};
    p->level -= 1;
    if (!ok) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, If_kind, start);
    node->If.test = test;
    node->If.body = body;
    node->If.orelse = orelse;
    return node;
}

// while_stmt: 'while' named_expression ':' block [else_block]
static Node *while_stmt_rule(Parser *p)
{
    int start = p->mark++;
    NodeList body, orelse;
    Node *test = named_expression_rule(p);
    if (!test || !expect(p, TOKEN_COLON) || !block_rule(p, &body)) {
        p->mark = start;
        return NULL;
    }
    else_block_rule(p, &orelse);
    Node *node = new_node(p, While_kind, start);
    node->While.test = test;
    node->While.body = body;
    node->While.orelse = orelse;
    return node;
}

// ---- for

// for_stmt:
//     | [ASYNC] 'for' star_targets 'in' ~ star_expressions ':' [TYPE_COMMENT] block [else_block]
//     | invalid_for_target
static Node *for_stmt_rule(Parser *p, NodeKind kind)
{
    int start = p->mark;
    NodeList body, orelse;
    if (kind == AsyncFor_kind) p->mark++;
    Node *target = expect(p, TOKEN_for) ? star_targets_rule(p) : NULL;
    if (!target || !expect(p, TOKEN_in)) {
        p->mark = start;
        if (p->call_invalid_rules) invalid_for_target_rule(p);
        return NULL;
    }
    Node *iter = star_expressions_rule(p);
    bool ok = iter && expect(p, TOKEN_COLON);
    ValueRef type_comment = ok ? type_comment_rule(p) : 0;
    if (!ok || !block_rule(p, &body)) {
        p->mark = start;
        return NULL;
    }
    else_block_rule(p, &orelse);
    if (kind == AsyncFor_kind) require_version(p, 5, "Async for loops are");
    Node *node = new_node(p, kind, start);
    node->For.target = target;
    node->For.iter = iter;
    node->For.body = body;
    node->For.orelse = orelse;
    node->For.type_comment = type_comment;
    return node;
}

// ---- with

static Node *new_withitem(Parser *p, int start, Node *context_expr, Node *optional_vars)
{
    Node *node = new_node(p, withitem_kind, start);
    node->withitem.context_expr = context_expr;
    node->withitem.optional_vars = optional_vars;
    return node;
}

// invalid_with_item: expression 'as' expression
static void invalid_with_item_rule(Parser *p)
{
    int start = p->mark;
    if (expression_rule(p) && expect(p, TOKEN_as)) {
        Node *target = expression_rule(p);
        if (target) raise_invalid_target(p, STAR_TARGETS, target);
    }
    p->mark = start;
}

// with_item:
//     | expression 'as' star_target &(',' | ')' | ':')
//     | invalid_with_item
//     | expression
static Node *with_item_rule(Parser *p)
{
    int start = p->mark;
    Node *value = expression_rule(p);
    if (value && expect(p, TOKEN_as)) {
        Node *target = star_target_rule(p);
        int type = target ? peek(p) : TOKEN_ERRORTOKEN;
        if (type == TOKEN_COMMA || type == TOKEN_RPAR || type == TOKEN_COLON)
            return new_withitem(p, start, value, target);
    }
    p->mark = start;
    if (p->call_invalid_rules) invalid_with_item_rule(p);
    value = expression_rule(p);
    return value ? new_withitem(p, start, value, NULL) : NULL;
}

// ','.with_item+
static bool with_items(Parser *p, NodeList *items)
{
    int base = p->stack_size, mark = p->mark;
    Node *node = with_item_rule(p);
    while (node) {
        stack_push(p, node);
        mark = p->mark;
        node = expect(p, TOKEN_COMMA) ? with_item_rule(p) : NULL;
    }
    p->mark = mark;
    *items = stack_take(p, base);
    return items->count > 0;
}

// '(' ','.with_item+ [','] ')' ':' block
static bool with_in_parentheses(Parser *p, NodeList *items, NodeList *body)
{
    int start = p->mark;
    if (expect(p, TOKEN_LPAR) && with_items(p, items)) {
        expect(p, TOKEN_COMMA);
        if (expect(p, TOKEN_RPAR) && expect(p, TOKEN_COLON) && block_rule(p, body)) return true;
    }
    p->mark = start;
    return false;
}

// with_stmt:
//     | [ASYNC] 'with' '(' ','.with_item+ [','] ')' ':' block
//     | [ASYNC] 'with' ','.with_item+ ':' [TYPE_COMMENT] block
static Node *with_stmt_rule(Parser *p, NodeKind kind)
{
    int start = p->mark;
    NodeList items, body;
    ValueRef type_comment = 0;
    if (kind == AsyncWith_kind) p->mark++;
    bool ok = expect(p, TOKEN_with);
    if (ok && !with_in_parentheses(p, &items, &body)) {
        ok = with_items(p, &items) && expect(p, TOKEN_COLON);
        if (ok) type_comment = type_comment_rule(p);
        ok = ok && block_rule(p, &body);
    }
    if (!ok) {
        p->mark = start;
        return NULL;
    }
    if (kind == AsyncWith_kind) require_version(p, 5, "Async with statements are");
    Node *node = new_node(p, kind, start);
    node->With.items = items;
    node->With.body = body;
    node->With.type_comment = type_comment;
    return node;
}

// ---- try

// expression ['as' NAME] after 'except'.
static Node *exception_type(Parser *p, ValueRef *name)
{
    *name = VALUE_ERROR;
    Node *type = expression_rule(p);
    int mark = p->mark;
    if (!type || !expect(p, TOKEN_as)) return type;
    if (expect(p, TOKEN_NAME)) {
        const Token *token = &p->tokens[p->mark - 1];
        *name = new_identifier(p, token->text, token->size);
    } else {
        p->mark = mark;
    }
    return type;
}

// except_block: 'except' expression ['as' NAME] ':' block | 'except' ':' block
static Node *except_block_rule(Parser *p)
{
    int start = p->mark;
    NodeList body;
    ValueRef name;
    if (!expect(p, TOKEN_except)) return NULL;
    Node *type = exception_type(p, &name);
    if (!expect(p, TOKEN_COLON) || !block_rule(p, &body)) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, ExceptHandler_kind, start);
    node->ExceptHandler.type = type;
    node->ExceptHandler.name = name;
    node->ExceptHandler.body = body;
    return node;
}

// finally_block: 'finally' ':' block
static bool finally_block_rule(Parser *p, NodeList *body)
{
    return block_after(p, TOKEN_finally, body);
}

static NodeList except_blocks(Parser *p)
{
    int base = p->stack_size;
    for (Node *node; (node = except_block_rule(p));) stack_push(p, node);
    return stack_take(p, base);
}

// try_stmt:
//     | 'try' ':' block finally_block
//     | 'try' ':' block except_block+ [else_block] [finally_block]
static Node *try_stmt_rule(Parser *p)
{
    int start = p->mark;
    NodeList body, handlers = {0}, orelse = {0}, finalbody;
    bool ok = block_after(p, TOKEN_try, &body);
    if (ok && !finally_block_rule(p, &finalbody)) {
        handlers = except_blocks(p);
        ok = handlers.count > 0;
        if (ok) {
            else_block_rule(p, &orelse);
            finally_block_rule(p, &finalbody);
        }
    }
    if (!ok) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, Try_kind, start);
    node->Try.body = body;
    node->Try.handlers = handlers;
    node->Try.orelse = orelse;
    node->Try.finalbody = finalbody;
    return node;
}

// ---- def, class

// '(' [params] ')'
static bool params_in_parentheses(Parser *p, Node **args)
{
    if (!expect(p, TOKEN_LPAR)) return false;
    *args = params_rule(p);
    if (!*args) *args = empty_arguments(p);
    return expect(p, TOKEN_RPAR);
}

// ['->' expression]
static Node *return_annotation(Parser *p)
{
    int mark = p->mark;
    Node *node = expect(p, TOKEN_RARROW) ? expression_rule(p) : NULL;
    if (!node) p->mark = mark;
    return node;
}

// invalid_double_type_comments: TYPE_COMMENT NEWLINE TYPE_COMMENT NEWLINE INDENT
static void invalid_double_type_comments_rule(Parser *p)
{
    int start = p->mark;
    if (expect(p, TOKEN_TYPE_COMMENT) && expect(p, TOKEN_NEWLINE) &&
        expect(p, TOKEN_TYPE_COMMENT) && expect(p, TOKEN_NEWLINE) && expect(p, TOKEN_INDENT))
        raise_syntax(p, "Cannot have two type comments on def");
    p->mark = start;
}

// func_type_comment:
//     | NEWLINE TYPE_COMMENT &(NEWLINE INDENT)
//     | invalid_double_type_comments
//     | TYPE_COMMENT
static ValueRef func_type_comment_rule(Parser *p)
{
    int start = p->mark;
    if (expect(p, TOKEN_NEWLINE)) {
        ValueRef comment = type_comment_rule(p);
        int mark = p->mark;
        bool ok = comment && expect(p, TOKEN_NEWLINE) && expect(p, TOKEN_INDENT);
        p->mark = mark;
        if (ok) return comment;
    }
    p->mark = start;
    if (p->call_invalid_rules) invalid_double_type_comments_rule(p);
    return type_comment_rule(p);
}

// function_def_raw:
//     | [ASYNC] 'def' NAME '(' [params] ')' ['->' expression] ':' [func_type_comment] block
static Node *function_def_raw_rule(Parser *p)
{
    int start = p->mark;
    NodeList body;
    Node *args, *returns = NULL;
    NodeKind kind = expect(p, TOKEN_ASYNC) ? AsyncFunctionDef_kind : FunctionDef_kind;
    bool ok = expect(p, TOKEN_def) && expect(p, TOKEN_NAME);
    int name_mark = p->mark - 1;
    ok = ok && params_in_parentheses(p, &args);
    if (ok) returns = return_annotation(p);
    ok = ok && expect(p, TOKEN_COLON);
    ValueRef type_comment = ok ? func_type_comment_rule(p) : 0;
    if (!ok || !block_rule(p, &body)) {
        p->mark = start;
        return NULL;
    }
    if (kind == AsyncFunctionDef_kind) require_version(p, 5, "Async functions are");
    const Token *name = &p->tokens[name_mark];
    Node *node = new_node(p, kind, start);
    node->FunctionDef.name = new_identifier(p, name->text, name->size);
    node->FunctionDef.args = args;
    node->FunctionDef.body = body;
    node->FunctionDef.returns = returns;
    node->FunctionDef.type_comment = type_comment;
    return node;
}

// ['(' [arguments] ')']
static CallArguments *class_arguments(Parser *p)
{
    int mark = p->mark;
    if (!expect(p, TOKEN_LPAR)) return NULL;
    CallArguments *arguments = arguments_rule(p);
    if (expect(p, TOKEN_RPAR)) return arguments;
    p->mark = mark;
    return NULL;
}

// class_def_raw: 'class' NAME ['(' [arguments] ')'] ':' block
static Node *class_def_raw_rule(Parser *p)
{
    int start = p->mark;
    NodeList body;
    CallArguments *arguments = NULL;
    bool ok = expect(p, TOKEN_class) && expect(p, TOKEN_NAME);
    if (ok) arguments = class_arguments(p);
    if (!ok || !expect(p, TOKEN_COLON) || !block_rule(p, &body)) {
        p->mark = start;
        return NULL;
    }
    const Token *name = &p->tokens[start + 1];
    Node *node = new_node(p, ClassDef_kind, start);
    node->ClassDef.name = new_identifier(p, name->text, name->size);
    if (arguments) {
        node->ClassDef.bases = arguments->args;
        node->ClassDef.keywords = arguments->keywords;
    }
    node->ClassDef.body = body;
    return node;
}

// decorators: ('@' named_expression NEWLINE)+
static NodeList decorators_rule(Parser *p)
{
    int base = p->stack_size;
    for (;;) {
        int mark = p->mark;
        Node *node = expect(p, TOKEN_AT) ? named_expression_rule(p) : NULL;
        if (!node || !expect(p, TOKEN_NEWLINE)) {
            p->mark = mark;
            return stack_take(p, base);
        }
        stack_push(p, node);
    }
}

// function_def: decorators function_def_raw | function_def_raw
// class_def: decorators class_def_raw | class_def_raw
static Node *decorated(Parser *p)
{
    int start = p->mark;
    NodeList decorators = decorators_rule(p);
    Node *node = NULL;
    if (decorators.count > 0) {
        node = function_def_raw_rule(p);
        if (!node) node = class_def_raw_rule(p);
    }
    if (!node)
        p->mark = start;
    else if (node->kind == ClassDef_kind)
        node->ClassDef.decorator_list = decorators;
    else
        node->FunctionDef.decorator_list = decorators;
    return node;
}

// What begins with ASYNC: def, with, for, in this order.
static Node *async_stmt(Parser *p)
{
    Node *node = function_def_raw_rule(p);
    if (!node) node = with_stmt_rule(p, AsyncWith_kind);
    return node ? node : for_stmt_rule(p, AsyncFor_kind);
}

// compound_stmt:
//     | &('def' | '@' | ASYNC) function_def
//     | &'if' if_stmt
//     | &('class' | '@') class_def
//     | &('with' | ASYNC) with_stmt
//     | &('for' | ASYNC) for_stmt
//     | &'try' try_stmt
//     | &'while' while_stmt
Node *compound_stmt_rule(Parser *p)
{
    Node *node;
    descend(p, 2);
    switch (peek(p)) {
    case TOKEN_def: node = function_def_raw_rule(p); break;
    case TOKEN_AT: node = decorated(p); break;
    case TOKEN_ASYNC: node = async_stmt(p); break;
    case TOKEN_if: node = if_stmt_rule(p, TOKEN_if); break;
    case TOKEN_class: node = class_def_raw_rule(p); break;
    case TOKEN_with: node = with_stmt_rule(p, With_kind); break;
    case TOKEN_for: node = for_stmt_rule(p, For_kind); break;
    case TOKEN_try: node = try_stmt_rule(p); break;
    case TOKEN_while: node = while_stmt_rule(p); break;
    default: node = NULL;
    }
    p->level -= 2;
    return node;
}
