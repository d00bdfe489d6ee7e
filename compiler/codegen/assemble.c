// From blocks to a Code: bytes, line table, positions, stack depth, flags, and the tuples.
//
// A jump's operand is a distance or an offset in bytes. An operand above 255 needs an EXTENDED_ARG
// before its instruction, which moves all that follows. So the sizes are computed again until none
// changes. This ends, since a longer instruction moves targets only further away: sizes only grow.
#include "compiler/codegen/codegen.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"

#define FUTURE_FLAGS                                                                               \
    (CO_FUTURE_DIVISION | CO_FUTURE_ABSOLUTE_IMPORT | CO_FUTURE_WITH_STATEMENT |                   \
     CO_FUTURE_PRINT_FUNCTION | CO_FUTURE_UNICODE_LITERALS | CO_FUTURE_BARRY_AS_BDFL |             \
     CO_FUTURE_GENERATOR_STOP | CO_FUTURE_ANNOTATIONS)

int instruction_size(unsigned operand)
{
    return operand <= 0xFF ? 1 : operand <= 0xFFFF ? 2 : operand <= 0xFFFFFF ? 3 : 4;
}

void write_instruction(uint8_t *bytes, int at, int opcode, unsigned operand, int size)
{
    for (int k = size - 1; k >= 0; k--, at++) {
        bytes[2 * at] = k ? EXTENDED_ARG : (uint8_t)opcode;
        bytes[2 * at + 1] = (uint8_t)(operand >> 8 * k);
    }
}

static int size_of(const BlockInstruction *instruction)
{
    return instruction_size((unsigned)instruction->operand);
}

// ---- jumps

//> lesson 4: jumps
// Sets each block's offset. Returns the size of all.
static int set_offsets(CodeGenerator *g)
{
    int offset = 0;
    for (BasicBlock *block = g->unit->first_block; block; block = block->next) {
        block->offset = offset;
        int end = block_end(g, block);
        for (int i = block->first; i < end; i++) offset += size_of(&g->code[i]);
    }
    return offset;
}

// Sets each jump's operand. True if an instruction has become longer.
static bool set_operands(CodeGenerator *g)
{
    bool changed = false;
    int offset = 0;
    for (int i = g->unit->base; i < g->count; i++) {
        BlockInstruction *instruction = &g->code[i];
        int size = size_of(instruction);
        offset += size;
        if (!instruction->target) continue;
        bool is_relative = opcode_operand(instruction->opcode) == OPERAND_JUMP_RELATIVE;
        instruction->operand = (instruction->target->offset - (is_relative ? offset : 0)) * 2;
        if (size_of(instruction) != size) changed = true;
    }
    return changed;
}
//< lesson 4

// ---- bytes

static void write_bytes(CodeGenerator *g, Bytecode *code)
{
    LineTable table = {g->unit->first_line, 0};
    int at = 0;
    for (int i = g->unit->base; i < g->count; i++) {
        const BlockInstruction *instruction = &g->code[i];
        if (instruction->line) lnotab_add(g->arena, code, &table, at, instruction->line);
        int size = size_of(instruction), end = at + size;
        write_instruction(code->bytes, at, instruction->opcode, (unsigned)instruction->operand,
                          size);
        while (at < end) code->positions[at++] = *instruction->position;
    }
}

static Bytecode assemble(CodeGenerator *g)
{
    Bytecode code = {0};
    do code.size = set_offsets(g);
    while (set_operands(g));
    code.bytes = arena_alloc(g->arena, (size_t)code.size * 2);
    code.positions = arena_alloc(g->arena, (size_t)code.size * sizeof *code.positions);
    write_bytes(g, &code);
    return code;
}

// ---- the Code

static int code_flags(const CodeGenerator *g)
{
    const Scope *scope = g->unit->scope;
    int flags = g->c->features & FUTURE_FLAGS;
    if (scope->type == FUNCTION_SCOPE) {
        flags |= CO_NEWLOCALS | CO_OPTIMIZED;
        if (scope->nested) flags |= CO_NESTED;
        if (scope->generator)
            flags |= scope->coroutine ? CO_ASYNC_GENERATOR : CO_GENERATOR;
        else if (scope->coroutine)
            flags |= CO_COROUTINE;
        if (scope->varargs) flags |= CO_VARARGS;
        if (scope->varkeywords) flags |= CO_VARKEYWORDS;
    }
    if (is_top_level_await(g) && scope->coroutine && !scope->generator) flags |= CO_COROUTINE;
    if (!g->unit->cellvars.count && !g->unit->freevars.count) flags |= CO_NOFREE;
    return flags;
}

static ValueRef tuple_of(CodeGenerator *g, const PointerMap *map)
{
    ValueRef tuple = arena_hold(g->arena, map_keys(map));
    return constant_merge(g->arena, &g->constants, tuple); // () and the like are shared
}

static ValueRef make_code(CodeGenerator *g, const Bytecode *bytecode, int depth)
{
    const Unit *unit = g->unit;
    CodeFields fields = {
        .argcount = unit->posonlyargcount + unit->argcount,
        .posonlyargcount = unit->posonlyargcount,
        .kwonlyargcount = unit->kwonlyargcount,
        .nlocals = unit->varnames.count,
        .stacksize = depth,
        .flags = code_flags(g),
        .firstlineno = unit->first_line,
        .consts = arena_hold(g->arena, map_keys(&unit->constants)),
        .names = tuple_of(g, &unit->names),
        .varnames = tuple_of(g, &unit->varnames),
        .freevars = tuple_of(g, &unit->freevars),
        .cellvars = tuple_of(g, &unit->cellvars),
        .filename = g->c->options->filename,
        .name = unit->name,
    };
    fields.code = arena_hold(g->arena, bytes_new(bytecode->bytes, (size_t)bytecode->size * 2));
    fields.lnotab =
        arena_hold(g->arena, bytes_new(bytecode->lnotab, (size_t)bytecode->lnotab_size));
    ValueRef code = arena_hold(g->arena, code_new(&fields));
    as_code(code)->compiled = !g->c->options->tree_of_script;
    return code;
}

static void keep_positions(CodeGenerator *g, ValueRef code, const Bytecode *bytecode)
{
    size_t size = (size_t)bytecode->size * sizeof(Position);
    Position *positions = memory_alloc(size);
    if (!positions) {
        raise_memory_error();
        arena_fail(g->arena);
    }
    memcpy(positions, bytecode->positions, size);
    code_set_positions(as_code(code), positions);
}

// A module's first line is that of its first instruction.
static void find_first_line(CodeGenerator *g)
{
    Unit *unit = g->unit;
    if (unit->first_line) return;
    bool filled = block_end(g, unit->first_block) > unit->base;
    unit->first_line = filled && g->code[unit->base].line ? g->code[unit->base].line : 1;
}

static void return_at_end(CodeGenerator *g, bool returns_none)
{
    if (g->unit->block->returns) return;
    next_block(g);
    if (returns_none) emit_constant(g, NONE);
    emit(g, RETURN_VALUE);
}

ValueRef unit_to_code(CodeGenerator *g, bool returns_none)
{
    return_at_end(g, returns_none);
    if (g->silent) return NONE;
    find_first_line(g);
    Bytecode bytecode = assemble(g);
    int depth = stack_depth(g);
    peephole(g, &bytecode);
    ValueRef code = make_code(g, &bytecode, depth);
    keep_positions(g, code, &bytecode);
    return code;
}
