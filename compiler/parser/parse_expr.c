// The rules of expressions, from star_expressions down to primary.
//
// python.gram has a rule for every precedence of binary operator, each left-recursive over the
// next. Here one loop does precedence climbing, which builds the same tree and fetches the same
// tokens. A single name or number, with no operator or trailer after it, skips these rules. CPython
// limits the depth of nested rules; descend() counts the rules that are skipped as well.
#include "compiler/parser/parser.h"

#define BINARY_RULES 12 // bitwise_or to term, two of CPython's functions each

// ---- sequences of expressions

// rule (',' rule)* [','] -> the first alone, or a Tuple of all. NULL where the first fails.
static Node *tuple_of(Parser *p, Node *(*rule)(Parser *p))
{
    int start = p->mark;
    Node *node = rule(p);
    if (!node || peek(p) != TOKEN_COMMA) return node;
    int base = p->stack_size;
    while (node) {
        stack_push(p, node);
        node = expect(p, TOKEN_COMMA) ? rule(p) : NULL;
    }
    NodeList items = stack_take(p, base);
    Node *tuple = new_node(p, Tuple_kind, start);
    tuple->Tuple.elts = items;
    return tuple;
}

static Node *starred(Parser *p, int start, Node *value)
{
    Node *node = new_node(p, Starred_kind, start);
    node->Starred.value = value;
    return node;
}

// '*' bitwise_or, where the star is next; NULL with `mark` where it was.
static Node *star_bitwise_or(Parser *p)
{
    int start = p->mark++;
    descend(p, 1);
    Node *value = bitwise_or_rule(p);
    p->level -= 1;
    if (value) return starred(p, start, value);
    p->mark = start;
    return NULL;
}

// star_expression: '*' bitwise_or | expression
static Node *star_expression_rule(Parser *p)
{
    return peek(p) == TOKEN_STAR ? star_bitwise_or(p) : expression_rule(p);
}

// star_expressions:
//     | star_expression (',' star_expression)+ [',']
//     | star_expression ','
//     | star_expression
Node *star_expressions_rule(Parser *p)
{
    descend(p, 2);
    Node *node = tuple_of(p, star_expression_rule);
    p->level -= 2;
    return node;
}

// expressions: expression (',' expression)+ [','] | expression ',' | expression
Node *expressions_rule(Parser *p)
{
    return tuple_of(p, expression_rule);
}

// star_named_expression: '*' bitwise_or | named_expression
Node *star_named_expression_rule(Parser *p)
{
    if (peek(p) == TOKEN_STAR) return star_bitwise_or(p);
    descend(p, 1);
    Node *node = named_expression_rule(p);
    p->level -= 1;
    return node;
}

// star_named_expressions: ','.star_named_expression+ [',']
bool star_named_expressions_rule(Parser *p, NodeList *items)
{
    int base = p->stack_size, level = p->level;
    descend(p, 2);
    Node *node = star_named_expression_rule(p);
    descend(p, 1); // the items after the first are a loop's
    while (node) {
        stack_push(p, node);
        node = expect(p, TOKEN_COMMA) ? star_named_expression_rule(p) : NULL;
    }
    p->level = level;
    *items = stack_take(p, base);
    return items->count > 0;
}

// invalid_named_expression: expression ':=' expression
static void invalid_named_expression_rule(Parser *p)
{
    int start = p->mark;
    Node *target = expression_rule(p);
    if (target && expect(p, TOKEN_COLONEQUAL) && expression_rule(p))
        raise_at_node(p, target, "cannot use assignment expressions with %s",
                      expression_name(target));
    p->mark = start;
}

// NAME ':=' expression, where the two tokens are next.
static Node *assignment_expression(Parser *p)
{
    int start = p->mark;
    Node *target = name_token(p);
    p->mark++;
    Node *value = expression_rule(p);
    if (!value) {
        p->mark = start;
        return NULL;
    }
    target->Name.ctx = Store_context;
    Node *node = new_node(p, NamedExpr_kind, start);
    node->NamedExpr.target = target;
    node->NamedExpr.value = value;
    return node;
}

static bool next_is_assignment_expression(Parser *p)
{
    if (peek(p) != TOKEN_NAME) return false;
    p->mark++;
    bool is_one = peek(p) == TOKEN_COLONEQUAL;
    p->mark--;
    return is_one;
}

// named_expression:
//     | NAME ':=' ~ expression
//     | expression !':='
//     | invalid_named_expression
Node *named_expression_rule(Parser *p)
{
    if (next_is_assignment_expression(p)) return assignment_expression(p);
    int start = p->mark;
    descend(p, 1);
    Node *node = expression_rule(p);
    if (!node || peek(p) == TOKEN_COLONEQUAL) {
        node = NULL;
        p->mark = start;
        if (p->call_invalid_rules) invalid_named_expression_rule(p);
    }
    p->level -= 1;
    return node;
}

// yield_expr: 'yield' 'from' expression | 'yield' [star_expressions]
Node *yield_expr_rule(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_yield)) return NULL;
    if (expect(p, TOKEN_from)) {
        Node *value = expression_rule(p);
        if (value) {
            Node *node = new_node(p, YieldFrom_kind, start);
            node->YieldFrom.value = value;
            return node;
        }
        p->mark = start + 1;
    }
    Node *value = star_expressions_rule(p);
    Node *node = new_node(p, Yield_kind, start);
    node->Yield.value = value;
    return node;
}

// annotated_rhs: yield_expr | star_expressions
Node *annotated_rhs_rule(Parser *p)
{
    return peek(p) == TOKEN_yield ? yield_expr_rule(p) : star_expressions_rule(p);
}

// starred_expression: '*' expression
Node *starred_expression_rule(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_STAR)) return NULL;
    descend(p, 1);
    Node *value = expression_rule(p);
    p->level -= 1;
    if (value) return starred(p, start, value);
    p->mark = start;
    return NULL;
}

// ---- expression

// lambdef: 'lambda' [lambda_params] ':' expression
static Node *lambdef_rule(Parser *p)
{
    int start = p->mark;
    if (!expect(p, TOKEN_lambda)) return NULL;
    descend(p, 1);
    Node *args = lambda_params_rule(p);
    Node *body = expect(p, TOKEN_COLON) ? expression_rule(p) : NULL;
    p->level -= 1;
    if (!body) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, Lambda_kind, start);
    node->Lambda.args = args ? args : empty_arguments(p);
    node->Lambda.body = body;
    return node;
}

// 'if' disjunction 'else' expression, after `body`; where it fails, `body` with `mark` after it.
static Node *conditional(Parser *p, int start, Node *body)
{
    int mark = p->mark++;
    Node *test = disjunction_rule(p);
    Node *orelse = test && expect(p, TOKEN_else) ? expression_rule(p) : NULL;
    if (!orelse) {
        p->mark = mark;
        return body;
    }
    Node *node = new_node(p, IfExp_kind, start);
    node->IfExp.test = test;
    node->IfExp.body = body;
    node->IfExp.orelse = orelse;
    return node;
}

// Whether an operand may be followed by this token and go on: an operator, a bracket, a keyword.
static inline bool continues(int type)
{
    switch (type) {
    case TOKEN_NEWLINE:
    case TOKEN_RPAR:
    case TOKEN_RSQB:
    case TOKEN_RBRACE:
    case TOKEN_COMMA:
    case TOKEN_COLON:
    case TOKEN_EQUAL:
    case TOKEN_for: return false;
    default: return true;
    }
}

// A name or number that is a whole expression, or NULL with `mark` where it was.
static Node *lone_operand(Parser *p)
{
    int type = peek(p);
    if (type != TOKEN_NAME && type != TOKEN_NUMBER) return NULL;
    p->mark++;
    bool more = continues(peek(p));
    p->mark--;
    if (more) return NULL;
    return type == TOKEN_NAME ? name_token(p) : number_token(p);
}

// expression:
//     | disjunction 'if' disjunction 'else' expression
//     | disjunction
//     | lambdef
Node *expression_rule(Parser *p)
{
    Node *node = lone_operand(p);
    if (node || memo_find(p, MEMO_expression, &node)) return node;
    int start = p->mark;
    descend(p, 1);
    node = disjunction_rule(p);
    if (!node)
        node = lambdef_rule(p);
    else if (peek(p) == TOKEN_if)
        node = conditional(p, start, node);
    p->level -= 1;
    memo_insert(p, start, MEMO_expression, node);
    return node;
}

// ---- and, or, not

// inversion: 'not' inversion | comparison
static Node *inversion_rule(Parser *p);

// rule (`type` rule)* as BoolOp; NULL where the first fails.
static Node *bool_op(Parser *p, int type, boolop op, Node *(*rule)(Parser *p))
{
    int start = p->mark;
    Node *node = rule(p);
    if (!node || peek(p) != type) return node;
    Node *first = node;
    int base = p->stack_size, mark = p->mark;
    while (node) {
        stack_push(p, node);
        mark = p->mark;
        node = expect(p, type) ? rule(p) : NULL;
    }
    p->mark = mark;
    NodeList values = stack_take(p, base);
    if (values.count == 1) return first;
    node = new_node(p, BoolOp_kind, start);
    node->BoolOp.op = op;
    node->BoolOp.values = values;
    return node;
}

// conjunction: inversion ('and' inversion)*
static Node *conjunction_rule(Parser *p)
{
    return bool_op(p, TOKEN_and, And_op, inversion_rule);
}

// disjunction: conjunction ('or' conjunction)*
Node *disjunction_rule(Parser *p)
{
    Node *node;
    if (p->call_invalid_rules && memo_find(p, MEMO_disjunction, &node)) return node;
    int start = p->mark;
    descend(p, 4);
    node = bool_op(p, TOKEN_or, Or_op, conjunction_rule);
    p->level -= 4;
    if (p->call_invalid_rules) memo_insert(p, start, MEMO_disjunction, node);
    return node;
}

// ---- comparisons

// The operator of a comparison that is next, passed over; -1 = none, with `mark` where it was.
static int compare_op(Parser *p)
{
    int type = peek(p);
    switch (type) {
    case TOKEN_EQEQUAL: p->mark++; return Eq_op;
    case TOKEN_LESS: p->mark++; return Lt_op;
    case TOKEN_LESSEQUAL: p->mark++; return LtE_op;
    case TOKEN_GREATER: p->mark++; return Gt_op;
    case TOKEN_GREATEREQUAL: p->mark++; return GtE_op;
    case TOKEN_in: p->mark++; return In_op;
    case TOKEN_NOTEQUAL: break;
    case TOKEN_is: p->mark++; return expect(p, TOKEN_not) ? IsNot_op : Is_op;
    case TOKEN_not:
        p->mark++;
        if (expect(p, TOKEN_in)) return NotIn_op;
        p->mark--;
        return -1;
    default: return -1;
    }
    bool is_diamond = p->tokens[p->mark].text[0] == '<';
    bool wants_diamond = p->options->flags & CO_FUTURE_BARRY_AS_BDFL;
    p->mark++;
    if (is_diamond == wants_diamond) return NotEq_op;
    if (wants_diamond) raise_syntax(p, "with Barry as BDFL, use '<>' instead of '!='");
    p->mark--;
    return -1;
}

static EnumList enum_list(Parser *p, const uint8_t *items, int count)
{
    EnumList list = {count, arena_alloc(p->arena, (size_t)count)};
    memcpy(list.items, items, (size_t)count);
    return list;
}

//> lesson 2: comparisons
// compare_op_bitwise_or_pair+ after `left`, whose first operator is `op`.
static Node *compare_pairs(Parser *p, int start, Node *left, int op)
{
    uint8_t few[16], *ops = few;
    int base = p->stack_size, mark = start, count = 0, capacity = sizeof few;
    do {
        Node *right = bitwise_or_rule(p);
        if (!right) {
            p->mark = mark;
            break;
        }
        if (count == capacity) {
            uint8_t *more = arena_alloc(p->arena, (size_t)(capacity *= 2));
            ops = memcpy(more, ops, (size_t)count);
        }
        ops[count++] = (uint8_t)op;
        stack_push(p, right);
        mark = p->mark;
        op = compare_op(p);
    } while (op >= 0);
    NodeList comparators = stack_take(p, base);
    if (count == 0) return left;
    Node *node = new_node(p, Compare_kind, start);
    node->Compare.left = left;
    node->Compare.ops = enum_list(p, ops, count);
    node->Compare.comparators = comparators;
    return node;
}

// comparison: bitwise_or compare_op_bitwise_or_pair+ | bitwise_or
static Node *comparison_rule(Parser *p)
{
    int start = p->mark;
    Node *left = bitwise_or_rule(p);
    if (!left) return NULL;
    int mark = p->mark, op = compare_op(p);
    if (op < 0) return left;
    Node *node = compare_pairs(p, start, left, op);
    if (node == left) p->mark = mark;
    return node;
}
//< lesson 2

static Node *inversion_rule(Parser *p)
{
    if (peek(p) != TOKEN_not) return comparison_rule(p);
    int start = p->mark++;
    descend(p, 1);
    Node *operand = inversion_rule(p);
    p->level -= 1;
    if (!operand) {
        p->mark = start;
        return NULL;
    }
    Node *node = new_node(p, UnaryOp_kind, start);
    node->UnaryOp.op = Not_op;
    node->UnaryOp.operand = operand;
    return node;
}

// ---- operators

typedef struct BinaryRank {
    uint8_t rank; // 0 = no binary operator
    uint8_t op;
} BinaryRank;

// bitwise_or 1, bitwise_xor 2, bitwise_and 3, shift_expr 4, sum 5, term 6
static const BinaryRank binary_ranks[TOKEN_TYPE_COUNT] = {
    [TOKEN_VBAR] = {1, BitOr_op},        [TOKEN_CIRCUMFLEX] = {2, BitXor_op},
    [TOKEN_AMPER] = {3, BitAnd_op},      [TOKEN_LEFTSHIFT] = {4, LShift_op},
    [TOKEN_RIGHTSHIFT] = {4, RShift_op}, [TOKEN_PLUS] = {5, Add_op},
    [TOKEN_MINUS] = {5, Sub_op},         [TOKEN_STAR] = {6, Mult_op},
    [TOKEN_SLASH] = {6, Div_op},         [TOKEN_DOUBLESLASH] = {6, FloorDiv_op},
    [TOKEN_PERCENT] = {6, Mod_op},       [TOKEN_AT] = {6, MatMult_op},
};

static Node *factor_rule(Parser *p);

//> lesson 2: operators
// One operator of at least `rank` after the other, from the left.
static Node *binary(Parser *p, int rank)
{
    int start = p->mark;
    Node *left = factor_rule(p);
    if (!left) return NULL;
    for (;;) {
        BinaryRank next = binary_ranks[peek(p)];
        if (next.rank == 0 || next.rank < rank) return left;
        int mark = p->mark++;
        Node *right = binary(p, next.rank + 1);
        if (!right) {
            p->mark = mark;
            return left;
        }
        Node *node = new_node(p, BinOp_kind, start);
        node->BinOp.left = left;
        node->BinOp.op = next.op;
        node->BinOp.right = right;
        left = node;
    }
}
//< lesson 2

// bitwise_or: bitwise_or '|' bitwise_xor | bitwise_xor        bitwise_xor: ... '^' bitwise_and
// bitwise_and: ... '&' shift_expr        shift_expr: ... ('<<' | '>>') sum
// sum: ... ('+' | '-') term              term: ... ('*' | '/' | '//' | '%' | '@') factor
Node *bitwise_or_rule(Parser *p)
{
    descend(p, BINARY_RULES);
    Node *node = binary(p, 1);
    p->level -= BINARY_RULES;
    return node;
}

// ---- slices

// [':' [expression]] after ':' [expression]: the step.
static Node *slice_step(Parser *p)
{
    return expect(p, TOKEN_COLON) ? expression_rule(p) : NULL;
}

// slice: [expression] ':' [expression] [':' [expression]] | expression
static Node *slice_rule(Parser *p)
{
    int start = p->mark;
    Node *lower = expression_rule(p);
    if (!expect(p, TOKEN_COLON)) return lower;
    Node *upper = expression_rule(p), *step = slice_step(p);
    Node *node = new_node(p, Slice_kind, start);
    node->Slice.lower = lower;
    node->Slice.upper = upper;
    node->Slice.step = step;
    return node;
}

// slices: slice !',' | ','.slice+ [',']
static Node *slices_rule(Parser *p)
{
    descend(p, 2);
    Node *node = tuple_of(p, slice_rule);
    p->level -= 2;
    return node;
}

// ---- primaries

// The node a trailer makes: `.name`, `(genexp)`, `(arguments)`, `[slices]`, or NULL with `mark`
// where it was.
static Node *attribute(Parser *p, int start, Node *value)
{
    int mark = p->mark++;
    if (peek(p) != TOKEN_NAME) {
        p->mark = mark;
        return NULL;
    }
    const Token *token = &p->tokens[p->mark++];
    Node *node = new_node(p, Attribute_kind, start);
    node->Attribute.value = value;
    node->Attribute.attr = new_identifier(p, token->text, token->size);
    return node;
}

static Node *call(Parser *p, int start, Node *func)
{
    int mark = p->mark;
    CallArguments *arguments = NULL;
    descend(p, 1);
    Node *genexp = genexp_rule(p);
    p->level -= 1;
    if (!genexp) {
        p->mark++;
        arguments = arguments_rule(p);
        if (!expect(p, TOKEN_RPAR)) {
            p->mark = mark;
            return NULL;
        }
    }
    Node *node = new_node(p, Call_kind, start);
    node->Call.func = func;
    if (genexp) node->Call.args = list_of(p, genexp);
    if (arguments) {
        node->Call.args = arguments->args;
        node->Call.keywords = arguments->keywords;
    }
    return node;
}

// 3.9 tries genexp here as well, whose invalid alternative takes any bracket.
static Node *subscript(Parser *p, int start, Node *value)
{
    if (p->call_invalid_rules) invalid_comprehension_rule(p);
    int mark = p->mark++;
    Node *slice = slices_rule(p);
    if (!slice || !expect(p, TOKEN_RSQB)) {
        p->mark = mark;
        return NULL;
    }
    Node *node = new_node(p, Subscript_kind, start);
    node->Subscript.value = value;
    node->Subscript.slice = slice;
    return node;
}

// What follows a primary and belongs to it, or NULL.
Node *trailer(Parser *p, int start, Node *value)
{
    switch (peek(p)) {
    case TOKEN_DOT: return attribute(p, start, value);
    case TOKEN_LPAR: return call(p, start, value);
    case TOKEN_LSQB: return subscript(p, start, value);
    default: return NULL;
    }
}

// The atom of a primary, or the longer beginning of it that t_primary has read before.
static Node *primary_head(Parser *p)
{
    Node *node;
    if (memo_find(p, MEMO_t_primary, &node))
        if (node) return node;
    return atom_rule(p);
}

// primary:
//     | invalid_primary
//     | primary '.' NAME
//     | primary genexp
//     | primary '(' [arguments] ')'
//     | primary '[' slices ']'
//     | atom
//
// invalid_primary: primary '{'
static Node *primary_rule(Parser *p)
{
    int start = p->mark;
    Node *node = primary_head(p);
    while (node) {
        if (p->call_invalid_rules && peek(p) == TOKEN_LBRACE)
            raise_at_node(p, &p->tokens[p->mark], "invalid syntax");
        Node *longer = trailer(p, start, node);
        if (!longer) break;
        node = longer;
    }
    return node;
}

// await_primary: AWAIT primary | primary
static Node *await_primary_rule(Parser *p)
{
    if (peek(p) != TOKEN_AWAIT) return primary_rule(p);
    int start = p->mark++;
    Node *value = primary_rule(p);
    if (!value) {
        p->mark = start;
        return NULL;
    }
    require_version(p, 5, "Await expressions are");
    Node *node = new_node(p, Await_kind, start);
    node->Await.value = value;
    return node;
}

//> lesson 2: powers
// power: await_primary '**' factor | await_primary
static Node *power_rule(Parser *p)
{
    int start = p->mark;
    Node *left = await_primary_rule(p);
    if (!left || peek(p) != TOKEN_DOUBLESTAR) return left;
    int mark = p->mark++;
    p->level -= 3; // await_primary and primary are over
    Node *right = factor_rule(p);
    p->level += 3;
    if (!right) {
        p->mark = mark;
        return left;
    }
    Node *node = new_node(p, BinOp_kind, start);
    node->BinOp.left = left;
    node->BinOp.op = Pow_op;
    node->BinOp.right = right;
    return node;
}

static int unary_op(int type)
{
    switch (type) {
    case TOKEN_PLUS: return UAdd_op;
    case TOKEN_MINUS: return USub_op;
    case TOKEN_TILDE: return Invert_op;
    default: return -1;
    }
}

// factor: ('+' | '-' | '~') factor | power
static Node *factor_rule(Parser *p)
{
    int op = unary_op(peek(p));
    Node *node;
    if (op < 0) {
        descend(p, 5);
        node = power_rule(p);
        p->level -= 5;
        return node;
    }
    int start = p->mark++;
    descend(p, 1);
    Node *operand = factor_rule(p);
    p->level -= 1;
    if (!operand) {
        p->mark = start;
        return NULL;
    }
    node = new_node(p, UnaryOp_kind, start);
    node->UnaryOp.op = (enum unaryop)op;
    node->UnaryOp.operand = operand;
    return node;
}
//< lesson 2
