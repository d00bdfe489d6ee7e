// Basic blocks and the instructions in them. The code generator emits every instruction here.
//
// use_block() begins a block, which ends where the next one begins. While `silent` is set the code
// is dead: no instruction is emitted, and no name or constant is added.
#include "compiler/codegen/codegen.h"

BasicBlock *new_block(CodeGenerator *g)
{
    BasicBlock *block = arena_alloc(g->arena, sizeof *block);
    block->first = block->depth = -1;
    return block;
}

void use_block(CodeGenerator *g, BasicBlock *block)
{
    block->first = g->count;
    g->unit->block->next = block;
    g->unit->block = block;
}

void next_block(CodeGenerator *g)
{
    use_block(g, new_block(g));
}

static void grow_code(CodeGenerator *g)
{
    int capacity = g->capacity ? g->capacity * 2 : 256;
    BlockInstruction *code = arena_alloc(g->arena, (size_t)capacity * sizeof *code);
    if (g->count) memcpy(code, g->code, (size_t)g->count * sizeof *code);
    g->code = code;
    g->capacity = capacity;
}

static void write(CodeGenerator *g, Opcode opcode, int operand, BasicBlock *target)
{
    if (g->silent) return;
    if (opcode_rows[opcode].flags & LEAVES_FRAME) g->unit->block->returns = true;
    if (g->count == g->capacity) grow_code(g);
    g->code[g->count++] = (BlockInstruction){.opcode = (uint8_t)opcode,
                                             .line = g->unit->location.line,
                                             .operand = operand,
                                             .target = target,
                                             .position = g->unit->location.position};
}

void emit(CodeGenerator *g, Opcode opcode)
{
    write(g, opcode, 0, NULL);
}

void emit_operand(CodeGenerator *g, Opcode opcode, int operand)
{
    write(g, opcode, operand, NULL);
}

void emit_jump(CodeGenerator *g, Opcode opcode, BasicBlock *target)
{
    write(g, opcode, 0, target);
}

void emit_constant(CodeGenerator *g, ValueRef value)
{
    if (!g->silent) write(g, LOAD_CONST, add_constant(g, value), NULL);
}

void emit_new_constant(CodeGenerator *g, Value value)
{
    emit_constant(g, arena_hold(g->arena, value));
}

void emit_plain_name(CodeGenerator *g, Opcode opcode, ValueRef name)
{
    if (!g->silent) write(g, opcode, map_add(&g->unit->names, g->arena, name), NULL);
}

void emit_name(CodeGenerator *g, Opcode opcode, ValueRef name)
{
    emit_plain_name(g, opcode, compile_mangle(g->c, g->unit->private_name, name));
}
