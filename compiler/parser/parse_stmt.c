// Statements of one line, and blocks of statements.
//
// A rule that can make several statements (a line with semicolons) pushes them on the parser's
// stack. The rule of the block then takes them off as one list.
#include "compiler/parser/parser.h"

// ---- assignment

// ['=' annotated_rhs]
static Node *annotation_value(Parser *p)
{
    int start = p->mark;
    Node *node = expect(p, TOKEN_EQUAL) ? annotated_rhs_rule(p) : NULL;
    if (!node) p->mark = start;
    return node;
}

// ':' expression ['=' annotated_rhs] after a target; NULL where it does not go on so.
static Node *annotated(Parser *p, int start, Node *target, bool simple)
{
    if (!expect(p, TOKEN_COLON)) return NULL;
    Node *annotation = expression_rule(p);
    if (!annotation) return NULL;
    Node *value = annotation_value(p);
    require_version(p, 6,
                    simple ? "Variable annotation syntax is" : "Variable annotations syntax is");
    Node *node = new_node(p, AnnAssign_kind, start);
    node->AnnAssign.target = target;
    node->AnnAssign.annotation = annotation;
    node->AnnAssign.value = value;
    node->AnnAssign.simple = simple;
    return node;
}

// NAME ':' expression ['=' annotated_rhs]
static Node *annotated_name(Parser *p)
{
    int start = p->mark;
    if (peek(p) != TOKEN_NAME) return NULL;
    p->mark++;
    bool is_annotated = peek(p) == TOKEN_COLON;
    p->mark--;
    if (!is_annotated) return NULL;
    Node *target = name_token(p);
    target->Name.ctx = Store_context;
    Node *node = annotated(p, start, target, true);
    if (!node) p->mark = start;
    return node;
}

// '(' single_target ')' | single_subscript_attribute_target
static Node *annotated_target(Parser *p)
{
    int start = p->mark;
    if (expect(p, TOKEN_LPAR)) {
        Node *target = single_target_rule(p);
        if (target && expect(p, TOKEN_RPAR)) return target;
        p->mark = start;
    }
    return single_subscript_attribute_target_rule(p);
}

// ('(' single_target ')' | single_subscript_attribute_target) ':' expression ['=' annotated_rhs]
static Node *annotated_expression(Parser *p)
{
    int start = p->mark;
    Node *target = annotated_target(p);
    Node *node = target ? annotated(p, start, target, false) : NULL;
    if (!node) p->mark = start;
    return node;
}

// (star_targets '=')+ (yield_expr | star_expressions) !'=' [TYPE_COMMENT]
static Node *assigned(Parser *p)
{
    int start = p->mark, base = p->stack_size, mark;
    for (;;) {
        mark = p->mark;
        Node *target = star_targets_rule(p);
        if (!target || !expect(p, TOKEN_EQUAL)) break;
        stack_push(p, target);
    }
    p->mark = mark;
    NodeList targets = stack_take(p, base);
    if (targets.count == 0) return NULL;
    Node *value = annotated_rhs_rule(p);
    if (!value || peek(p) == TOKEN_EQUAL) {
        p->mark = start;
        return NULL;
    }
    ValueRef type_comment = type_comment_rule(p);
    Node *node = new_node(p, Assign_kind, start);
    node->Assign.type_comment = type_comment;
    node->Assign.targets = targets;
    node->Assign.value = value;
    return node;
}

// augassign: '+=' | '-=' | '*=' | '@=' | '/=' | '%=' | '&=' | '|=' | '^=' | '<<=' | '>>=' | '**=' |
//     '//='
//
// The operator, passed over; -1 = none.
static int augassign_rule(Parser *p)
{
    static const uint8_t ops[TOKEN_TYPE_COUNT] = {
        [TOKEN_PLUSEQUAL] = 1 + Add_op,
        [TOKEN_MINEQUAL] = 1 + Sub_op,
        [TOKEN_STAREQUAL] = 1 + Mult_op,
        [TOKEN_ATEQUAL] = 1 + MatMult_op,
        [TOKEN_SLASHEQUAL] = 1 + Div_op,
        [TOKEN_PERCENTEQUAL] = 1 + Mod_op,
        [TOKEN_AMPEREQUAL] = 1 + BitAnd_op,
        [TOKEN_VBAREQUAL] = 1 + BitOr_op,
        [TOKEN_CIRCUMFLEXEQUAL] = 1 + BitXor_op,
        [TOKEN_LEFTSHIFTEQUAL] = 1 + LShift_op,
        [TOKEN_RIGHTSHIFTEQUAL] = 1 + RShift_op,
        [TOKEN_DOUBLESTAREQUAL] = 1 + Pow_op,
        [TOKEN_DOUBLESLASHEQUAL] = 1 + FloorDiv_op,
    };
    int op = ops[peek(p)];
    if (op) p->mark++;
    return op - 1;
}

// single_target augassign ~ (yield_expr | star_expressions)
// *cut: the operator was there, so that the statement is nothing else.
static Node *augmented(Parser *p, bool *cut)
{
    int start = p->mark;
    Node *target = single_target_rule(p);
    int op = target ? augassign_rule(p) : -1;
    *cut = op >= 0;
    Node *value = *cut ? annotated_rhs_rule(p) : NULL;
    if (!value) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, AugAssign_kind, start);
    node->AugAssign.target = target;
    node->AugAssign.op = (enum operator)op;
    node->AugAssign.value = value;
    return node;
}

// ---- known mistakes of assignments

// invalid_ann_assign_target: list | tuple | '(' invalid_ann_assign_target ')'
static Node *invalid_ann_assign_target_rule(Parser *p)
{
    Node *node = list_rule(p);
    if (!node) node = tuple_rule(p);
    if (node) return node;
    int start = p->mark;
    if (expect(p, TOKEN_LPAR)) {
        node = invalid_ann_assign_target_rule(p);
        if (node && expect(p, TOKEN_RPAR)) return node;
    }
    p->mark = start;
    return NULL;
}

// ':' expression
static bool is_annotation(Parser *p)
{
    return expect(p, TOKEN_COLON) && expression_rule(p);
}

// invalid_ann_assign_target ':' expression
// star_named_expression ',' star_named_expressions* ':' expression
// expression ':' expression
static void invalid_annotation(Parser *p)
{
    int start = p->mark;
    NodeList items;
    Node *node = invalid_ann_assign_target_rule(p);
    if (node && is_annotation(p))
        raise_at_node(p, node, "only single target (not %s) can be annotated",
                      expression_name(node));
    p->mark = start;
    node = star_named_expression_rule(p);
    if (node && expect(p, TOKEN_COMMA)) {
        while (star_named_expressions_rule(p, &items)) {
        }
        if (is_annotation(p))
            raise_at_node(p, node, "only single target (not tuple) can be annotated");
    }
    p->mark = start;
    node = expression_rule(p);
    if (node && is_annotation(p)) raise_at_node(p, node, "illegal target for annotation");
    p->mark = start;
}

// (star_targets '=')*
static void skip_targets(Parser *p)
{
    int mark;
    do mark = p->mark;
    while (star_targets_rule(p) && expect(p, TOKEN_EQUAL));
    p->mark = mark;
}

// (star_targets '=')* star_expressions '='
// (star_targets '=')* yield_expr '='
// star_expressions augassign (yield_expr | star_expressions)
static void invalid_target(Parser *p)
{
    int start = p->mark;
    skip_targets(p);
    int mark = p->mark;
    Node *node = star_expressions_rule(p);
    if (node && expect(p, TOKEN_EQUAL)) raise_invalid_target(p, STAR_TARGETS, node);
    p->mark = mark;
    node = yield_expr_rule(p);
    if (node && expect(p, TOKEN_EQUAL))
        raise_at_node(p, node, "assignment to yield expression not possible");
    p->mark = start;
    node = star_expressions_rule(p);
    if (node && augassign_rule(p) >= 0 && annotated_rhs_rule(p))
        raise_at_node(p, node, "'%s' is an illegal expression for augmented assignment",
                      expression_name(node));
    p->mark = start;
}

// assignment:
//     | NAME ':' expression ['=' annotated_rhs]
//     | ('(' single_target ')' | single_subscript_attribute_target) ':' expression
//       ['=' annotated_rhs]
//     | (star_targets '=')+ (yield_expr | star_expressions) !'=' [TYPE_COMMENT]
//     | single_target augassign ~ (yield_expr | star_expressions)
//     | invalid_assignment
static Node *assignment_rule(Parser *p)
{
    bool cut = false;
    Node *node = annotated_name(p);
    if (!node) node = annotated_expression(p);
    if (!node) node = assigned(p);
    if (!node) node = augmented(p, &cut);
    if (!node && !cut && p->call_invalid_rules) {
        invalid_annotation(p);
        invalid_target(p);
    }
    return node;
}

// ---- statements that begin with a keyword

// return_stmt: 'return' [star_expressions]
static Node *return_stmt_rule(Parser *p)
{
    int start = p->mark++;
    Node *value = star_expressions_rule(p);
    Node *node = new_node(p, Return_kind, start);
    node->Return.value = value;
    return node;
}

// raise_stmt: 'raise' expression ['from' expression] | 'raise'
static Node *raise_stmt_rule(Parser *p)
{
    int start = p->mark++;
    Node *exc = expression_rule(p), *cause = NULL;
    int mark = p->mark;
    if (exc && expect(p, TOKEN_from)) {
        cause = expression_rule(p);
        if (!cause) p->mark = mark;
    }
    Node *node = new_node(p, Raise_kind, start);
    node->Raise.exc = exc;
    node->Raise.cause = cause;
    return node;
}

// Global and Nonlocal have the same members.
static Node *names_stmt(Parser *p, NodeKind kind)
{
    int start = p->mark++, count = 0, mark = p->mark;
    while (expect(p, TOKEN_NAME)) {
        count++;
        mark = p->mark;
        if (!expect(p, TOKEN_COMMA)) break;
    }
    if (count == 0) {
        p->mark = start;
        return NULL;
    }
    p->mark = mark;
    Node *node = new_node(p, kind, start);
    ValueRef *names = arena_alloc(p->arena, (size_t)count * sizeof *names);
    for (int i = 0; i < count; i++) {
        const Token *name = &p->tokens[start + 1 + 2 * i];
        names[i] = new_identifier(p, name->text, name->size);
    }
    node->Global.names = (IdentList){count, names};
    return node;
}

// assert_stmt: 'assert' expression [',' expression]
static Node *assert_stmt_rule(Parser *p)
{
    int start = p->mark++;
    Node *test = expression_rule(p), *msg = NULL;
    if (!test) {
        p->mark = start;
        return NULL;
    }
    int mark = p->mark;
    if (expect(p, TOKEN_COMMA)) {
        msg = expression_rule(p);
        if (!msg) p->mark = mark;
    }
    Node *node = new_node(p, Assert_kind, start);
    node->Assert.test = test;
    node->Assert.msg = msg;
    return node;
}

// invalid_del_stmt: 'del' star_expressions
static void invalid_del_stmt_rule(Parser *p)
{
    int start = p->mark++;
    Node *node = star_expressions_rule(p);
    if (node) raise_invalid_target(p, DEL_TARGETS, node);
    p->mark = start;
}

// del_stmt: 'del' del_targets &(';' | NEWLINE) | invalid_del_stmt
static Node *del_stmt_rule(Parser *p)
{
    int start = p->mark++;
    NodeList targets;
    if (del_targets_rule(p, &targets) && (peek(p) == TOKEN_SEMI || peek(p) == TOKEN_NEWLINE)) {
        Node *node = new_node(p, Delete_kind, start);
        node->Delete.targets = targets;
        return node;
    }
    p->mark = start;
    if (p->call_invalid_rules) invalid_del_stmt_rule(p);
    return NULL;
}

static Node *expression_stmt(Parser *p, Node *(*rule)(Parser *p))
{
    int start = p->mark;
    Node *value = rule(p);
    if (!value) return NULL;
    Node *node = new_node(p, Expr_kind, start);
    node->Expr.value = value;
    return node;
}

// yield_stmt: yield_expr, where an assignment has been ruled out.
static Node *yield_stmt_rule(Parser *p)
{
    if (p->call_invalid_rules) invalid_target(p);
    return expression_stmt(p, yield_expr_rule);
}

static Node *keyword_stmt(Parser *p, NodeKind kind)
{
    int start = p->mark++;
    return new_node(p, kind, start);
}

static Node *assignment_or_expression(Parser *p)
{
    descend(p, 1);
    Node *node = assignment_rule(p);
    p->level -= 1;
    return node ? node : expression_stmt(p, star_expressions_rule);
}

// small_stmt:
//     | assignment
//     | star_expressions
//     | &'return' return_stmt
//     | &('import' | 'from') import_stmt
//     | &'raise' raise_stmt
//     | 'pass'
//     | &'del' del_stmt
//     | &'yield' yield_stmt
//     | &'assert' assert_stmt
//     | 'break'
//     | 'continue'
//     | &'global' global_stmt
//     | &'nonlocal' nonlocal_stmt
static Node *small_stmt_rule(Parser *p)
{
    switch (peek(p)) {
    case TOKEN_return: return return_stmt_rule(p);
    case TOKEN_import:
    case TOKEN_from: return import_stmt_rule(p);
    case TOKEN_raise: return raise_stmt_rule(p);
    case TOKEN_pass: return keyword_stmt(p, Pass_kind);
    case TOKEN_del: return del_stmt_rule(p);
    case TOKEN_yield: return yield_stmt_rule(p);
    case TOKEN_assert: return assert_stmt_rule(p);
    case TOKEN_break: return keyword_stmt(p, Break_kind);
    case TOKEN_continue: return keyword_stmt(p, Continue_kind);
    case TOKEN_global: return names_stmt(p, Global_kind);
    case TOKEN_nonlocal: return names_stmt(p, Nonlocal_kind);
    default: return assignment_or_expression(p);
    }
}

// simple_stmt: small_stmt !';' NEWLINE | ';'.small_stmt+ [';'] NEWLINE
bool simple_stmt_rule(Parser *p)
{
    int start = p->mark, base = p->stack_size;
    descend(p, 2);
    Node *node = small_stmt_rule(p);
    while (node) {
        stack_push(p, node);
        node = expect(p, TOKEN_SEMI) ? small_stmt_rule(p) : NULL;
    }
    p->level -= 2;
    if (p->stack_size > base && expect(p, TOKEN_NEWLINE)) return true;
    p->stack_size = base;
    p->mark = start;
    return false;
}

// ---- blocks

// statement: compound_stmt | simple_stmt
static bool statement_rule(Parser *p)
{
    Node *node = compound_stmt_rule(p);
    if (!node) return simple_stmt_rule(p);
    stack_push(p, node);
    return true;
}

// statements: statement+
bool statements_rule(Parser *p, NodeList *body)
{
    int base = p->stack_size;
    descend(p, 3);
    while (statement_rule(p)) {
    }
    p->level -= 3;
    *body = stack_take(p, base);
    return body->count > 0;
}

// invalid_block: NEWLINE !INDENT
static void invalid_block_rule(Parser *p)
{
    int start = p->mark;
    if (expect(p, TOKEN_NEWLINE) && peek(p) != TOKEN_INDENT)
        raise_at_last_token(p, IndentationError, "expected an indented block");
    p->mark = start;
}

// NEWLINE INDENT statements DEDENT
static bool indented_block(Parser *p, NodeList *body)
{
    int start = p->mark;
    if (expect(p, TOKEN_NEWLINE) && expect(p, TOKEN_INDENT) && statements_rule(p, body) &&
        expect(p, TOKEN_DEDENT)) {
        return true;
    }
    p->mark = start;
    return false;
}

// block: NEWLINE INDENT statements DEDENT | simple_stmt | invalid_block
bool block_rule(Parser *p, NodeList *body)
{
    NodeList *known;
    if (memo_find(p, MEMO_block, &known)) {
        if (known) *body = *known;
        return known != NULL;
    }
    int start = p->mark, base = p->stack_size;
    descend(p, 1);
    bool ok = indented_block(p, body);
    if (!ok && simple_stmt_rule(p)) {
        *body = stack_take(p, base);
        ok = true;
    }
    p->level -= 1;
    if (!ok && p->call_invalid_rules) invalid_block_rule(p);
    known = ok ? arena_alloc(p->arena, sizeof *known) : NULL;
    if (known) *known = *body;
    memo_insert(p, start, MEMO_block, known);
    return ok;
}
