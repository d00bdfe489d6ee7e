// Expressions: operators, comparisons, conditions, names, attributes, subscripts, f-strings.
//
// visit_expr() emits code that pushes the value of an expression; for a target, code that stores
// the top of the stack, or deletes. jump_if() compiles a condition: the code jumps and leaves no
// value.
#include "compiler/codegen/codegen.h"

#include "objects/error.h"

static const Opcode binary_opcodes[] = {
    [Add_op] = BINARY_ADD,
    [Sub_op] = BINARY_SUBTRACT,
    [Mult_op] = BINARY_MULTIPLY,
    [MatMult_op] = BINARY_MATRIX_MULTIPLY,
    [Div_op] = BINARY_TRUE_DIVIDE,
    [Mod_op] = BINARY_MODULO,
    [Pow_op] = BINARY_POWER,
    [LShift_op] = BINARY_LSHIFT,
    [RShift_op] = BINARY_RSHIFT,
    [BitOr_op] = BINARY_OR,
    [BitXor_op] = BINARY_XOR,
    [BitAnd_op] = BINARY_AND,
    [FloorDiv_op] = BINARY_FLOOR_DIVIDE,
};

Opcode inplace_opcode(operator op)
{
    static const Opcode opcodes[] = {
        [Add_op] = INPLACE_ADD,
        [Sub_op] = INPLACE_SUBTRACT,
        [Mult_op] = INPLACE_MULTIPLY,
        [MatMult_op] = INPLACE_MATRIX_MULTIPLY,
        [Div_op] = INPLACE_TRUE_DIVIDE,
        [Mod_op] = INPLACE_MODULO,
        [Pow_op] = INPLACE_POWER,
        [LShift_op] = INPLACE_LSHIFT,
        [RShift_op] = INPLACE_RSHIFT,
        [BitOr_op] = INPLACE_OR,
        [BitXor_op] = INPLACE_XOR,
        [BitAnd_op] = INPLACE_AND,
        [FloorDiv_op] = INPLACE_FLOOR_DIVIDE,
    };
    return opcodes[op];
}

static Opcode unary_opcode(unaryop op)
{
    static const Opcode opcodes[] = {[Invert_op] = UNARY_INVERT,
                                     [Not_op] = UNARY_NOT,
                                     [UAdd_op] = UNARY_POSITIVE,
                                     [USub_op] = UNARY_NEGATIVE};
    return opcodes[op];
}

void visit_exprs(CodeGenerator *g, const NodeList *list)
{
    for (int i = 0; i < list->count; i++) visit_expr(g, list->items[i]);
}

// ---- operators

// a and b and c: each but the last may end it.
static void bool_expression(CodeGenerator *g, const Node *node)
{
    Opcode jump = node->BoolOp.op == And_op ? JUMP_IF_FALSE_OR_POP : JUMP_IF_TRUE_OR_POP;
    BasicBlock *end = new_block(g);
    int last = node->BoolOp.values.count - 1;
    for (int i = 0; i < last; i++) {
        visit_expr(g, node->BoolOp.values.items[i]);
        emit_jump(g, jump, end);
    }
    visit_expr(g, node->BoolOp.values.items[last]);
    use_block(g, end);
}

static void compare_op(CodeGenerator *g, uint8_t op)
{
    static const CompareOp numbers[] = {
        [Eq_op] = COMPARE_EQ,  [NotEq_op] = COMPARE_NE, [Lt_op] = COMPARE_LT,
        [LtE_op] = COMPARE_LE, [Gt_op] = COMPARE_GT,    [GtE_op] = COMPARE_GE};
    switch ((cmpop)op) {
    case Is_op: emit_operand(g, IS_OP, 0); break;
    case IsNot_op: emit_operand(g, IS_OP, 1); break;
    case In_op: emit_operand(g, CONTAINS_OP, 0); break;
    case NotIn_op: emit_operand(g, CONTAINS_OP, 1); break;
    default: emit_operand(g, COMPARE_OP, (int)numbers[op]); break;
    }
}

// a < b < c but for its last comparison: b stays on the stack for the next, and `jump` leaves
// with it there.
static void compare_chain(CodeGenerator *g, const Node *node, Opcode jump, BasicBlock *cleanup)
{
    int last = node->Compare.ops.count - 1;
    for (int i = 0; i < last; i++) {
        visit_expr(g, node->Compare.comparators.items[i]);
        emit(g, DUP_TOP);
        emit(g, ROT_THREE);
        compare_op(g, node->Compare.ops.items[i]);
        emit_jump(g, jump, cleanup);
        next_block(g);
    }
    visit_expr(g, node->Compare.comparators.items[last]);
    compare_op(g, node->Compare.ops.items[last]);
}

static void compare_expression(CodeGenerator *g, const Node *node)
{
    check_compare(g, node);
    visit_expr(g, node->Compare.left);
    if (node->Compare.ops.count == 1) {
        compare_chain(g, node, NOP, NULL);
        return;
    }
    BasicBlock *cleanup = new_block(g), *end = new_block(g);
    compare_chain(g, node, JUMP_IF_FALSE_OR_POP, cleanup);
    emit_jump(g, JUMP_FORWARD, end);
    use_block(g, cleanup);
    emit(g, ROT_TWO);
    emit(g, POP_TOP);
    use_block(g, end);
}

// ---- conditions

static void jump_if_compare(CodeGenerator *g, const Node *node, BasicBlock *target, bool condition)
{
    check_compare(g, node);
    BasicBlock *cleanup = new_block(g), *end = new_block(g);
    visit_expr(g, node->Compare.left);
    compare_chain(g, node, POP_JUMP_IF_FALSE, cleanup);
    emit_jump(g, condition ? POP_JUMP_IF_TRUE : POP_JUMP_IF_FALSE, target);
    emit_jump(g, JUMP_FORWARD, end);
    use_block(g, cleanup);
    emit(g, POP_TOP);
    if (!condition) emit_jump(g, JUMP_FORWARD, target);
    use_block(g, end);
}

static void jump_if_bool(CodeGenerator *g, const Node *node, BasicBlock *target, bool condition)
{
    bool is_or = node->BoolOp.op == Or_op;
    BasicBlock *early = is_or == condition ? target : new_block(g);
    int last = node->BoolOp.values.count - 1;
    for (int i = 0; i < last; i++) jump_if(g, node->BoolOp.values.items[i], early, is_or);
    jump_if(g, node->BoolOp.values.items[last], target, condition);
    if (early != target) use_block(g, early);
}

static void jump_if_conditional(CodeGenerator *g, const Node *node, BasicBlock *target,
                                bool condition)
{
    BasicBlock *end = new_block(g), *orelse = new_block(g);
    jump_if(g, node->IfExp.test, orelse, false);
    jump_if(g, node->IfExp.body, target, condition);
    emit_jump(g, JUMP_FORWARD, end);
    use_block(g, orelse);
    jump_if(g, node->IfExp.orelse, target, condition);
    use_block(g, end);
}

void jump_if(CodeGenerator *g, const Node *test, BasicBlock *target, bool condition)
{
    compile_check_room(g->c);
    if (test->kind == UnaryOp_kind && test->UnaryOp.op == Not_op) {
        jump_if(g, test->UnaryOp.operand, target, !condition);
    } else if (test->kind == BoolOp_kind) {
        jump_if_bool(g, test, target, condition);
    } else if (test->kind == IfExp_kind) {
        jump_if_conditional(g, test, target, condition);
    } else if (test->kind == Compare_kind && test->Compare.ops.count > 1) {
        jump_if_compare(g, test, target, condition);
    } else {
        visit_expr(g, test);
        emit_jump(g, condition ? POP_JUMP_IF_TRUE : POP_JUMP_IF_FALSE, target);
    }
}

static void conditional_expression(CodeGenerator *g, const Node *node)
{
    BasicBlock *end = new_block(g), *orelse = new_block(g);
    jump_if(g, node->IfExp.test, orelse, false);
    visit_expr(g, node->IfExp.body);
    emit_jump(g, JUMP_FORWARD, end);
    use_block(g, orelse);
    visit_expr(g, node->IfExp.orelse);
    use_block(g, end);
}

// ---- targets and locations

static void attribute_expression(CodeGenerator *g, const Node *node)
{
    static const Opcode opcodes[] = {LOAD_ATTR, STORE_ATTR, DELETE_ATTR};
    visit_expr(g, node->Attribute.value);
    if (node->Attribute.ctx == Store_context) check_store_name(g, node->Attribute.attr);
    emit_name(g, opcodes[node->Attribute.ctx], node->Attribute.attr);
}

static void subscript_expression(CodeGenerator *g, const Node *node)
{
    static const Opcode opcodes[] = {BINARY_SUBSCR, STORE_SUBSCR, DELETE_SUBSCR};
    if (node->Subscript.ctx == Load_context) {
        check_subscripter(g, node->Subscript.value);
        check_index(g, node->Subscript.value, node->Subscript.slice);
    }
    visit_expr(g, node->Subscript.value);
    visit_expr(g, node->Subscript.slice);
    emit(g, opcodes[node->Subscript.ctx]);
}

static void slice_part(CodeGenerator *g, const Node *part)
{
    if (part)
        visit_expr(g, part);
    else
        emit_constant(g, NONE);
}

static void slice_expression(CodeGenerator *g, const Node *node)
{
    slice_part(g, node->Slice.lower);
    slice_part(g, node->Slice.upper);
    if (node->Slice.step) visit_expr(g, node->Slice.step);
    emit_operand(g, BUILD_SLICE, node->Slice.step ? 3 : 2);
}

static void unpack(CodeGenerator *g, const NodeList *targets)
{
    int count = targets->count, star = -1;
    for (int i = 0; i < count; i++) {
        if (targets->items[i]->kind != Starred_kind) continue;
        if (star >= 0) codegen_error(g, "multiple starred expressions in assignment");
        if (i >= 1 << 8 || count - i - 1 >= INT32_MAX >> 8)
            codegen_error(g, "too many expressions in star-unpacking assignment");
        star = i;
        emit_operand(g, UNPACK_EX, i + ((count - i - 1) << 8));
    }
    if (star < 0) emit_operand(g, UNPACK_SEQUENCE, count);
    for (int i = 0; i < count; i++) {
        const Node *target = targets->items[i];
        visit_expr(g, target->kind == Starred_kind ? target->Starred.value : target);
    }
}

static void sequence_expression(CodeGenerator *g, const NodeList *items, expr_context ctx,
                                Display display)
{
    if (ctx == Store_context)
        unpack(g, items);
    else if (ctx == Load_context)
        display_expression(g, items, display);
    else
        visit_exprs(g, items);
}

// ---- the rest

static void named_expression(CodeGenerator *g, const Node *node)
{
    visit_expr(g, node->NamedExpr.value);
    emit(g, DUP_TOP);
    visit_expr(g, node->NamedExpr.target);
}

#define HAVE_SPEC 4 // FORMAT_VALUE: a format spec is on the stack

static void formatted_value(CodeGenerator *g, const Node *node)
{
    visit_expr(g, node->FormattedValue.value);
    int operand = 0;
    switch (node->FormattedValue.conversion) {
    case 's': operand = 1; break;
    case 'r': operand = 2; break;
    case 'a': operand = 3; break;
    case -1: break;
    default:
        raise_error(SystemError, "Unrecognized conversion character %d",
                    node->FormattedValue.conversion);
        arena_fail(g->c->arena);
    }
    if (node->FormattedValue.format_spec) {
        visit_expr(g, node->FormattedValue.format_spec);
        operand |= HAVE_SPEC;
    }
    emit_operand(g, FORMAT_VALUE, operand);
}

static void joined_string(CodeGenerator *g, const Node *node)
{
    visit_exprs(g, &node->JoinedStr.values);
    if (node->JoinedStr.values.count != 1)
        emit_operand(g, BUILD_STRING, node->JoinedStr.values.count);
}

static void yield_expression(CodeGenerator *g, const Node *node)
{
    if (g->unit->scope->type != FUNCTION_SCOPE) codegen_error(g, "'yield' outside function");
    if (node->Yield.value)
        visit_expr(g, node->Yield.value);
    else
        emit_constant(g, NONE);
    emit(g, YIELD_VALUE);
}

static void yield_from_expression(CodeGenerator *g, const Node *node)
{
    if (g->unit->scope->type != FUNCTION_SCOPE) codegen_error(g, "'yield' outside function");
    if (g->unit->kind == ASYNC_FUNCTION_UNIT)
        codegen_error(g, "'yield from' inside async function");
    visit_expr(g, node->YieldFrom.value);
    emit(g, GET_YIELD_FROM_ITER);
    emit_constant(g, NONE);
    emit(g, YIELD_FROM);
}

void emit_await(CodeGenerator *g)
{
    emit(g, GET_AWAITABLE);
    emit_constant(g, NONE);
    emit(g, YIELD_FROM);
}

static void await_expression(CodeGenerator *g, const Node *node)
{
    if (!is_top_level_await(g)) {
        if (g->unit->scope->type != FUNCTION_SCOPE) codegen_error(g, "'await' outside function");
        if (g->unit->kind != ASYNC_FUNCTION_UNIT && g->unit->kind != COMPREHENSION_UNIT)
            codegen_error(g, "'await' outside async function");
    }
    visit_expr(g, node->Await.value);
    emit_await(g);
}

// A starred expression where it may not stand: a display or a call takes its value out of it.
static _Noreturn void starred_expression(CodeGenerator *g, const Node *node)
{
    if (node->Starred.ctx == Store_context)
        codegen_error(g, "starred assignment target must be in a list or tuple");
    codegen_error(g, "can't use starred expression here");
}

static void expression(CodeGenerator *g, const Node *node)
{
    switch (node->kind) {
    case NamedExpr_kind: named_expression(g, node); break;
    case BoolOp_kind: bool_expression(g, node); break;
    case BinOp_kind:
        visit_expr(g, node->BinOp.left);
        visit_expr(g, node->BinOp.right);
        emit(g, binary_opcodes[node->BinOp.op]);
        break;
    case UnaryOp_kind:
        visit_expr(g, node->UnaryOp.operand);
        emit(g, unary_opcode(node->UnaryOp.op));
        break;
    case Lambda_kind: lambda_expression(g, node); break;
    case IfExp_kind: conditional_expression(g, node); break;
    case Dict_kind: dict_expression(g, node); break;
    case Set_kind: display_expression(g, &node->Set.elts, SET_DISPLAY); break;
    case ListComp_kind:
    case SetComp_kind:
    case DictComp_kind:
    case GeneratorExp_kind: comprehension_expression(g, node); break;
    case Yield_kind: yield_expression(g, node); break;
    case YieldFrom_kind: yield_from_expression(g, node); break;
    case Await_kind: await_expression(g, node); break;
    case Compare_kind: compare_expression(g, node); break;
    case Call_kind: call_expression(g, node); break;
    case Constant_kind: emit_constant(g, node->Constant.value); break;
    case JoinedStr_kind: joined_string(g, node); break;
    case FormattedValue_kind: formatted_value(g, node); break;
    case Attribute_kind: attribute_expression(g, node); break;
    case Subscript_kind: subscript_expression(g, node); break;
    case Starred_kind: starred_expression(g, node);
    case Name_kind: name_op(g, node->Name.id, node->Name.ctx); break;
    case List_kind: sequence_expression(g, &node->List.elts, node->List.ctx, LIST_DISPLAY); break;
    case Tuple_kind:
        sequence_expression(g, &node->Tuple.elts, node->Tuple.ctx, TUPLE_DISPLAY);
        break;
    case Slice_kind: slice_expression(g, node); break;
    default: break;
    }
}

// An expression's instructions are on its first line; afterwards the line before is restored.
void visit_expr(CodeGenerator *g, const Node *node)
{
    compile_check_room(g->c);
    Location before = go_to(g, node);
    expression(g, node);
    g->unit->location = before;
}
