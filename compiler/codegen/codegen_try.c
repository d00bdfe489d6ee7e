// Loops, `try` and `with`, and what leaves them: frame blocks.
//
// While the body of such a statement is compiled, a FrameBlock says how to leave it. `return`
// leaves all frame blocks; `break` and `continue` leave those inside the loop. To leave one, the
// code pops an iterator, ends a handler, calls __exit__, or runs the body of a `finally`, which is
// compiled again at this point. So in 3.9 the code has a copy of a finally body for each path out
// of its try.
#include "compiler/codegen/codegen.h"

#include "objects/names.h"

// ---- frame blocks

static void push_frame_block(CodeGenerator *g, FrameBlock frame_block)
{
    if (g->unit->frame_block_count >= MAX_BLOCKS)
        codegen_error(g, "too many statically nested blocks");
    g->unit->frame_blocks[g->unit->frame_block_count++] = frame_block;
}

static void pop_frame_block(CodeGenerator *g)
{
    g->unit->frame_block_count--;
}

static void call_exit_with_nones(CodeGenerator *g)
{
    emit_constant(g, NONE);
    emit(g, DUP_TOP);
    emit(g, DUP_TOP);
    emit_operand(g, CALL_FUNCTION, 3);
}

static void forget_name(CodeGenerator *g, ValueRef name)
{
    emit_constant(g, NONE);
    name_op(g, name, Store_context);
    name_op(g, name, Del_context);
}

// The finally body has its own lines; afterwards the line is restored. The value of a `return`
// stays on the stack under it.
static void unwind_finally(CodeGenerator *g, const FrameBlock *block, bool keep_top)
{
    emit(g, POP_BLOCK);
    if (keep_top) push_frame_block(g, (FrameBlock){.type = POP_VALUE});
    Location before = g->unit->location;
    visit_statements(g, block->finally_body);
    before.column = g->unit->location.column; // which 3.9 does not bring back
    g->unit->location = before;
    if (keep_top) pop_frame_block(g);
}

static void unwind_with(CodeGenerator *g, const FrameBlock *block, bool keep_top)
{
    emit(g, POP_BLOCK);
    if (keep_top) emit(g, ROT_TWO);
    call_exit_with_nones(g);
    if (block->type == ASYNC_WITH_BLOCK) emit_await(g);
    emit(g, POP_TOP);
}

static void unwind_handler(CodeGenerator *g, const FrameBlock *block, bool keep_top)
{
    if (block->name) emit(g, POP_BLOCK);
    if (keep_top) emit(g, ROT_FOUR);
    emit(g, POP_EXCEPT);
    if (block->name) forget_name(g, block->name);
}

// Leaves one block. `keep_top`: the value to be returned is on the stack.
static void unwind(CodeGenerator *g, const FrameBlock *block, bool keep_top)
{
    switch (block->type) {
    case WHILE_LOOP:
    case EXCEPTION_HANDLER: break;
    case FOR_LOOP:
    case POP_VALUE:
        if (keep_top) emit(g, ROT_TWO);
        emit(g, POP_TOP);
        break;
    case EXCEPT_BLOCK: emit(g, POP_BLOCK); break;
    case FINALLY_TRY: unwind_finally(g, block, keep_top); break;
    case FINALLY_END:
        if (keep_top) emit(g, ROT_FOUR);
        emit(g, POP_TOP);
        emit(g, POP_TOP);
        emit(g, POP_TOP);
        if (keep_top) emit(g, ROT_FOUR);
        emit(g, POP_EXCEPT);
        break;
    case WITH_BLOCK:
    case ASYNC_WITH_BLOCK: unwind_with(g, block, keep_top); break;
    case HANDLER_CLEANUP: unwind_handler(g, block, keep_top); break;
    }
}

// Leaves the blocks from the innermost outwards. With `to_loop` it stops at the first loop, which
// it returns. While the code that leaves a block is compiled, that block and those inside it are
// gone.
static const FrameBlock *unwind_all(CodeGenerator *g, bool keep_top, bool to_loop)
{
    Unit *unit = g->unit;
    FrameBlock saved[MAX_BLOCKS];
    int count = unit->frame_block_count;
    memcpy(saved, unit->frame_blocks, (size_t)count * sizeof *saved);
    int depth = count;
    for (; depth > 0; depth--) {
        FrameBlockType type = saved[depth - 1].type;
        if (to_loop && (type == WHILE_LOOP || type == FOR_LOOP)) break;
        unit->frame_block_count = depth - 1;
        unwind(g, &saved[depth - 1], keep_top);
    }
    memcpy(unit->frame_blocks, saved, (size_t)count * sizeof *saved);
    unit->frame_block_count = count;
    return depth > 0 ? &unit->frame_blocks[depth - 1] : NULL;
}

void return_statement(CodeGenerator *g, const Node *node)
{
    const Node *value = node->Return.value;
    const Scope *scope = g->unit->scope;
    bool keep_top = value && value->kind != Constant_kind;
    if (scope->type != FUNCTION_SCOPE) codegen_error(g, "'return' outside function");
    if (value && scope->coroutine && scope->generator)
        codegen_error(g, "'return' with value in async generator");
    if (keep_top) visit_expr(g, value);
    unwind_all(g, keep_top, false);
    if (!value)
        emit_constant(g, NONE);
    else if (!keep_top)
        visit_expr(g, value);
    emit(g, RETURN_VALUE);
}

void break_statement(CodeGenerator *g)
{
    const FrameBlock *loop = unwind_all(g, false, true);
    if (!loop) codegen_error(g, "'break' outside loop");
    unwind(g, loop, false);
    emit_jump(g, JUMP_ABSOLUTE, loop->exit);
}

void continue_statement(CodeGenerator *g)
{
    const FrameBlock *loop = unwind_all(g, false, true);
    if (!loop) codegen_error(g, "'continue' not properly in loop");
    emit_jump(g, JUMP_ABSOLUTE, loop->block);
}

// ---- loops

void for_statement(CodeGenerator *g, const Node *node)
{
    BasicBlock *start = new_block(g), *cleanup = new_block(g), *end = new_block(g);
    push_frame_block(g, (FrameBlock){.type = FOR_LOOP, .block = start, .exit = end});
    visit_expr(g, node->For.iter);
    emit(g, GET_ITER);
    use_block(g, start);
    emit_jump(g, FOR_ITER, cleanup);
    visit_expr(g, node->For.target);
    visit_statements(g, &node->For.body);
    emit_jump(g, JUMP_ABSOLUTE, start);
    use_block(g, cleanup);
    pop_frame_block(g);
    visit_statements(g, &node->For.orelse);
    use_block(g, end);
}

void async_for_statement(CodeGenerator *g, const Node *node)
{
    if (is_top_level_await(g))
        g->unit->scope->coroutine = true;
    else if (g->unit->kind != ASYNC_FUNCTION_UNIT)
        codegen_error(g, "'async for' outside async function");
    BasicBlock *start = new_block(g), *except = new_block(g), *end = new_block(g);
    visit_expr(g, node->AsyncFor.iter);
    emit(g, GET_AITER);
    use_block(g, start);
    push_frame_block(g, (FrameBlock){.type = FOR_LOOP, .block = start, .exit = end});
    emit_jump(g, SETUP_FINALLY, except); // StopAsyncIteration of __anext__ ends the loop
    emit(g, GET_ANEXT);
    emit_constant(g, NONE);
    emit(g, YIELD_FROM);
    emit(g, POP_BLOCK);
    visit_expr(g, node->AsyncFor.target);
    visit_statements(g, &node->AsyncFor.body);
    emit_jump(g, JUMP_ABSOLUTE, start);
    pop_frame_block(g);
    use_block(g, except);
    if (node->AsyncFor.orelse.count) // where 3.9 puts the end of the loop
        g->unit->location.line = node->AsyncFor.orelse.items[0]->position.line;
    emit(g, END_ASYNC_FOR);
    visit_statements(g, &node->AsyncFor.orelse);
    use_block(g, end);
}

// The body is dead; a loop is around it all the same, for its break and continue.
static void dead_while(CodeGenerator *g, const Node *node)
{
    g->silent++;
    BasicBlock *nowhere = new_block(g);
    push_frame_block(g, (FrameBlock){.type = WHILE_LOOP, .block = nowhere, .exit = nowhere});
    visit_statements(g, &node->While.body);
    pop_frame_block(g);
    g->silent--;
    visit_statements(g, &node->While.orelse);
}

//> lesson 4: loops
void while_statement(CodeGenerator *g, const Node *node)
{
    int constant = constant_truth(g, node->While.test);
    if (constant == 0) {
        dead_while(g, node);
        return;
    }
    BasicBlock *loop = new_block(g), *anchor = new_block(g), *end = new_block(g);
    use_block(g, loop);
    push_frame_block(g, (FrameBlock){.type = WHILE_LOOP, .block = loop, .exit = end});
    if (constant < 0) jump_if(g, node->While.test, anchor, false);
    visit_statements(g, &node->While.body);
    emit_jump(g, JUMP_ABSOLUTE, loop);
    if (constant < 0) use_block(g, anchor);
    pop_frame_block(g);
    visit_statements(g, &node->While.orelse);
    use_block(g, end);
}
//< lesson 4

// ---- try

// except E as name: the body is a try of its own, whose end forgets the name.
static void named_handler(CodeGenerator *g, const Node *handler, BasicBlock *end)
{
    ValueRef name = handler->ExceptHandler.name;
    BasicBlock *cleanup_end = new_block(g), *cleanup_body = new_block(g);
    name_op(g, name, Store_context);
    emit(g, POP_TOP);
    emit_jump(g, SETUP_FINALLY, cleanup_end);
    use_block(g, cleanup_body);
    push_frame_block(g, (FrameBlock){.type = HANDLER_CLEANUP, .block = cleanup_body, .name = name});
    visit_statements(g, &handler->ExceptHandler.body);
    pop_frame_block(g);
    emit(g, POP_BLOCK);
    emit(g, POP_EXCEPT);
    forget_name(g, name);
    emit_jump(g, JUMP_FORWARD, end);
    use_block(g, cleanup_end);
    forget_name(g, name);
    emit(g, RERAISE);
}

static void plain_handler(CodeGenerator *g, const Node *handler, BasicBlock *end)
{
    BasicBlock *cleanup_body = new_block(g);
    emit(g, POP_TOP);
    emit(g, POP_TOP);
    use_block(g, cleanup_body);
    push_frame_block(g, (FrameBlock){.type = HANDLER_CLEANUP, .block = cleanup_body});
    visit_statements(g, &handler->ExceptHandler.body);
    pop_frame_block(g);
    emit(g, POP_EXCEPT);
    emit_jump(g, JUMP_FORWARD, end);
}

static void except_handler(CodeGenerator *g, const Node *handler, BasicBlock *end)
{
    go_to(g, handler);
    BasicBlock *next = new_block(g);
    if (handler->ExceptHandler.type) {
        emit(g, DUP_TOP);
        visit_expr(g, handler->ExceptHandler.type);
        emit_jump(g, JUMP_IF_NOT_EXC_MATCH, next);
    }
    emit(g, POP_TOP);
    if (handler->ExceptHandler.name)
        named_handler(g, handler, end);
    else
        plain_handler(g, handler, end);
    use_block(g, next);
}

static void try_except(CodeGenerator *g, const Node *node)
{
    const NodeList *handlers = &node->Try.handlers;
    BasicBlock *body = new_block(g), *except = new_block(g), *orelse = new_block(g),
               *end = new_block(g);
    emit_jump(g, SETUP_FINALLY, except);
    use_block(g, body);
    push_frame_block(g, (FrameBlock){.type = EXCEPT_BLOCK, .block = body});
    visit_statements(g, &node->Try.body);
    emit(g, POP_BLOCK);
    pop_frame_block(g);
    emit_jump(g, JUMP_FORWARD, orelse);
    use_block(g, except);
    push_frame_block(g, (FrameBlock){.type = EXCEPTION_HANDLER}); // the loop has one there
    for (int i = 0; i < handlers->count; i++) {
        if (!handlers->items[i]->ExceptHandler.type && i < handlers->count - 1)
            codegen_error(g, "default 'except:' must be last");
        except_handler(g, handlers->items[i], end);
    }
    pop_frame_block(g);
    emit(g, RERAISE);
    use_block(g, orelse);
    visit_statements(g, &node->Try.orelse);
    use_block(g, end);
}

static void try_finally(CodeGenerator *g, const Node *node)
{
    const NodeList *finally_body = &node->Try.finalbody;
    BasicBlock *body = new_block(g), *end = new_block(g), *exit = new_block(g);
    emit_jump(g, SETUP_FINALLY, end);
    use_block(g, body);
    push_frame_block(
        g, (FrameBlock){
               .type = FINALLY_TRY, .block = body, .exit = end, .finally_body = finally_body});
    if (node->Try.handlers.count)
        try_except(g, node);
    else
        visit_statements(g, &node->Try.body);
    emit(g, POP_BLOCK);
    pop_frame_block(g);
    visit_statements(g, finally_body);
    emit_jump(g, JUMP_FORWARD, exit);
    use_block(g, end);
    push_frame_block(g, (FrameBlock){.type = FINALLY_END, .block = end});
    visit_statements(g, finally_body);
    pop_frame_block(g);
    emit(g, RERAISE);
    use_block(g, exit);
}

void try_statement(CodeGenerator *g, const Node *node)
{
    if (node->Try.finalbody.count)
        try_finally(g, node);
    else
        try_except(g, node);
}

// ---- with

// __exit__ was called with an exception; its result says whether the exception is handled.
static void finish_exception(CodeGenerator *g)
{
    BasicBlock *exit = new_block(g);
    emit_jump(g, POP_JUMP_IF_TRUE, exit);
    emit(g, RERAISE);
    use_block(g, exit);
    emit(g, POP_TOP);
    emit(g, POP_TOP);
    emit(g, POP_TOP);
    emit(g, POP_EXCEPT);
    emit(g, POP_TOP);
}

static void with_target(CodeGenerator *g, const Node *item)
{
    if (item->withitem.optional_vars)
        visit_expr(g, item->withitem.optional_vars);
    else
        emit(g, POP_TOP);
}

void with_statement(CodeGenerator *g, const Node *node, int item)
{
    const Node *with = node->With.items.items[item];
    BasicBlock *block = new_block(g), *final = new_block(g), *exit = new_block(g);
    visit_expr(g, with->withitem.context_expr);
    emit_jump(g, SETUP_WITH, final);
    use_block(g, block);
    push_frame_block(g, (FrameBlock){.type = WITH_BLOCK, .block = block, .exit = final});
    with_target(g, with);
    if (item + 1 < node->With.items.count)
        with_statement(g, node, item + 1);
    else
        visit_statements(g, &node->With.body);
    emit(g, POP_BLOCK);
    pop_frame_block(g);
    call_exit_with_nones(g);
    emit(g, POP_TOP);
    emit_jump(g, JUMP_FORWARD, exit);
    use_block(g, final);
    emit(g, WITH_EXCEPT_START);
    finish_exception(g);
    use_block(g, exit);
}

void async_with_statement(CodeGenerator *g, const Node *node, int item)
{
    const Node *with = node->AsyncWith.items.items[item];
    if (is_top_level_await(g))
        g->unit->scope->coroutine = true;
    else if (g->unit->kind != ASYNC_FUNCTION_UNIT)
        codegen_error(g, "'async with' outside async function");
    BasicBlock *block = new_block(g), *final = new_block(g), *exit = new_block(g);
    visit_expr(g, with->withitem.context_expr);
    emit(g, BEFORE_ASYNC_WITH);
    emit_await(g);
    emit_jump(g, SETUP_ASYNC_WITH, final);
    use_block(g, block);
    push_frame_block(g, (FrameBlock){.type = ASYNC_WITH_BLOCK, .block = block, .exit = final});
    with_target(g, with);
    if (item + 1 < node->AsyncWith.items.count)
        async_with_statement(g, node, item + 1);
    else
        visit_statements(g, &node->AsyncWith.body);
    pop_frame_block(g);
    emit(g, POP_BLOCK);
    call_exit_with_nones(g);
    emit_await(g);
    emit(g, POP_TOP);
    emit_jump(g, JUMP_ABSOLUTE, exit); // as 3.9 has it
    use_block(g, final);
    emit(g, WITH_EXCEPT_START);
    emit_await(g);
    finish_exception(g);
    use_block(g, exit);
}
