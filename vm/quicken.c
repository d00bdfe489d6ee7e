// Makes the private copy of a code: decodes every instruction, then fuses neighbours.
//
// Code that the compiler of this process did not make is verified first (verify.h). If an
// instruction of it relies on the type of a value, CHECKED replaces the instruction (vm/checks.h).
//
// Fusing changes the first slot of a pattern only. A jump into the middle of the pattern finds the
// later slots unchanged; the fused instruction skips them.
#include "vm/quicken.h"

#include "compiler/verify/verify.h"
#include "frames/observe.h"
#include "objects/config.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "vm/checks.h"
#include "vm/jit/jit.h"

#define SPARE_SLOTS 3 // after the last instruction: a pattern looks three slots ahead

_Static_assert(sizeof(Instruction) == 16, "an instruction is two words");

// ---- questions about a quick op

int quick_base(int op)
{
    static const uint8_t bases[QUICK_END - QUICK_BASE] = {
#define FUSED(op, base) [op - QUICK_BASE] = base,
#include "vm/quick.def"
    };
    if (op <= QUICK_BASE || !bases[op - QUICK_BASE]) return op;
    return bases[op - QUICK_BASE];
}

static int index_of(const QuickCode *quick, const Instruction *ip)
{
    return (int)(ip - quick->instructions);
}

static const uint8_t *bytes_of(const QuickCode *quick)
{
    return (const uint8_t *)as_bytes(quick->code->code)->data;
}

int quick_opcode(const QuickCode *quick, const Instruction *ip)
{
    invariant(index_of(quick, ip) >= 0 && index_of(quick, ip) < (int)quick->count,
              "the instruction is one of this code");
    return bytes_of(quick)[2 * index_of(quick, ip)];
}

int quick_jump_target(const QuickCode *quick, const Instruction *jump)
{
    const Instruction *target = (const Instruction *)((const char *)jump + jump->jump);
    while (quick_opcode(quick, target) == EXTENDED_ARG) target++;
    return index_of(quick, target);
}

uint32_t quick_operand(const QuickCode *quick, const Instruction *ip)
{
    return opcode_operand_at(bytes_of(quick), index_of(quick, ip));
}

void quick_set_op(QuickCode *quick, Instruction *ip, int op)
{
    invariant(op > 0 && op < QUICK_END, "the loop has a handler for every op");
    ip->op = (uint16_t)op;
    if (ip == quick->instructions) return;
    Instruction *front = ip - 1;
    int opcode = quick_opcode(quick, ip);
    if (opcode != LOAD_ATTR && opcode != LOAD_METHOD) return;
    if (quick_opcode(quick, front) != LOAD_FAST) return;
    if (op == LOAD_ATTR_SLOT)
        front->op = LOAD_FAST_ATTR_SLOT;
    else if (op == LOAD_ATTR_MEMBER)
        front->op = LOAD_FAST_ATTR_MEMBER;
    else if (op == LOAD_METHOD_INSTANCE)
        front->op = LOAD_FAST_METHOD_INSTANCE;
    else
        front->op = LOAD_FAST;
}

// ---- decoding

typedef struct OperandDecoder {
    Code *code;
    QuickCode *quick;
    const uint8_t *bytes;
    uint32_t setups; // SETUP_ instructions seen
} OperandDecoder;

static void decode_jump(const OperandDecoder *decoder, Instruction *instruction, bool relative)
{
    int64_t index = instruction - decoder->quick->instructions;
    int64_t target = instruction->arg / 2 + (relative ? index + 1 : 0);
    invariant(target >= 0 && target < (int64_t)decoder->quick->count,
              "the verifier lets no jump leave the code");
    instruction->jump = (int32_t)((target - index) * (int64_t)sizeof(Instruction));
}

static bool is_for_iter(const OperandDecoder *decoder, const Instruction *instruction)
{
    int64_t target =
        index_of(decoder->quick, instruction) + instruction->jump / (int64_t)sizeof(Instruction);
    return decoder->bytes[2 * target] == FOR_ITER;
}

// Every loop must poll for signals: FOR_ITER does it, and so does every other jump backwards.
static void decode_back_jump(const OperandDecoder *decoder, Instruction *instruction)
{
    if (instruction->jump > 0) return;
    bool polled = is_for_iter(decoder, instruction);
    if (instruction->op == JUMP_ABSOLUTE && polled && !DEBUG_NO_QUICKEN)
        instruction->op = JUMP_FOR_ITER;
    else if (instruction->op == JUMP_ABSOLUTE && !polled && jit_is_on())
        instruction->op = JUMP_WARM;
    else if (instruction->op == POP_JUMP_IF_FALSE && !polled)
        instruction->op = POP_JUMP_BACK_IF_FALSE;
    else if (instruction->op == POP_JUMP_IF_TRUE && !polled)
        instruction->op = POP_JUMP_BACK_IF_TRUE;
}

static void decode_operand(OperandDecoder *decoder, Instruction *instruction)
{
    const Code *code = decoder->code;
    switch (opcode_operand(instruction->op)) {
    case OPERAND_CONST: instruction->value = tuple_at(code->consts, instruction->arg); break;
    case OPERAND_FREE: instruction->slot = (uint32_t)code->nlocals + instruction->arg; break;
    case OPERAND_JUMP_RELATIVE: decode_jump(decoder, instruction, true); break;
    case OPERAND_JUMP_ABSOLUTE:
        decode_jump(decoder, instruction, false);
        decode_back_jump(decoder, instruction);
        break;
    default: break;
    }
}

// A SETUP keeps the number of its handler's first instruction instead of a distance.
static void decode_setup(OperandDecoder *decoder, Instruction *instruction)
{
    if (!opcode_is(instruction->op, SETS_UP_BLOCK)) return;
    instruction->jump +=
        (int32_t)((instruction - decoder->quick->instructions) * (int64_t)sizeof(Instruction));
    instruction->jump /= (int32_t)sizeof(Instruction);
    instruction->blocks = decoder->quick->blocks;
    decoder->setups++;
}

// Every SETUP knows how many blocks there is room for.
static void limit_blocks(QuickCode *quick)
{
    for (uint32_t i = 0; i < quick->count; i++) {
        Instruction *at = &quick->instructions[i];
        if (opcode_is(at->op, SETS_UP_BLOCK)) at->index = (uint16_t)quick->max_blocks;
    }
}

static void make_checked(Instruction *instruction)
{
    instruction->index = instruction->op;
    instruction->op = CHECKED;
}

// The compiler's own code relies on one thing that it does not make itself: the argument of a
// comprehension, over which its first FOR_ITER goes.
static void check_argument(const OperandDecoder *decoder, Instruction *instruction)
{
    if (instruction->op != FOR_ITER) return;
    while (instruction > decoder->quick->instructions && instruction[-1].op == EXTENDED_ARG)
        instruction--;
    if (instruction > decoder->quick->instructions && instruction[-1].op == LOAD_FAST)
        make_checked(instruction - 1);
}

static void decode_all(OperandDecoder *decoder)
{
    QuickCode *quick = decoder->quick;
    for (uint32_t i = 0; i < quick->count; i++) {
        Instruction *instruction = &quick->instructions[i];
        instruction->op = decoder->bytes[2 * i];
        instruction->arg = opcode_operand_at(decoder->bytes, (int)i);
        if (instruction->op == EXTENDED_ARG) quick->has_prefix = true;
        decode_operand(decoder, instruction);
        decode_setup(decoder, instruction);
        if (decoder->code->compiled)
            check_argument(decoder, instruction);
        else if (needs_check(instruction->op))
            make_checked(instruction);
    }
}

// ---- fusing

// How far from an operator's first op the others are.
enum {
    FORM_FAST_FAST = 0,
    FORM_FAST_CONST = ADD_FAST_CONST - ADD_FAST_FAST,
    FORM_FAST = ADD_FAST - ADD_FAST_FAST,
    FORM_CONST = ADD_CONST - ADD_FAST_FAST,
    FORM_STORED = ADD_FAST_FAST_STORE - ADD_FAST_FAST,
    FORM_STACK = JUMP_LT - JUMP_LT_FAST_FAST
};

static bool is_pop_jump(const Instruction *at)
{
    return at->op == POP_JUMP_IF_FALSE || at->op == POP_JUMP_IF_TRUE;
}

static int fused_arithmetic(int opcode, int form, bool stored)
{
    // clang-format off
    switch (opcode) {
#define ARITHMETIC(name, function, binary, inplace)                                                \
    case binary: case inplace: return name##_FAST_FAST + form + (stored ? FORM_STORED : 0);
#include "vm/quick.def"
    default: return 0;
    }
    // clang-format on
}

static int fused_comparison(uint32_t operator, bool if_true, int form)
{
    static const int firsts[] = {
#define COMPARISON(name, function, operator, opposite) [operator] = JUMP_##name##_FAST_FAST,
#include "vm/quick.def"
    };
    static const uint8_t opposites[] = {
#define COMPARISON(name, function, operator, opposite) [operator] = opposite,
#include "vm/quick.def"
    };
    return firsts[if_true ? opposites[operator] : operator] + form;
}

// The operator at `instruction`, fused with loads in front of it in that form; 0 = it cannot be.
static int fused_operator(const Instruction *instruction, int form)
{
    if (instruction->op != COMPARE_OP)
        return fused_arithmetic(instruction->op, form, instruction[1].op == STORE_FAST);
    if (!is_pop_jump(&instruction[1])) return 0;
    return fused_comparison(instruction->arg, instruction[1].op == POP_JUMP_IF_TRUE, form);
}

static int fused_two_loads(const Instruction *at)
{
    if (at[0].op != LOAD_FAST) return 0;
    if (at[1].op == LOAD_FAST) return fused_operator(at + 2, FORM_FAST_FAST);
    return at[1].op == LOAD_CONST ? fused_operator(at + 2, FORM_FAST_CONST) : 0;
}

static int fused_one_load(const Instruction *at)
{
    if (at[0].op == LOAD_FAST) return fused_operator(at + 1, FORM_FAST);
    return at[0].op == LOAD_CONST ? fused_operator(at + 1, FORM_CONST) : 0;
}

// `is` and `is not` in front of a jump, and of a constant.
static int fused_is(const Instruction *at)
{
    if (at[0].op == LOAD_FAST && at[1].op == LOAD_CONST)
        return at[2].op == IS_OP && is_pop_jump(&at[3]) ? IS_FAST_CONST_JUMP : 0;
    if (at[0].op == LOAD_CONST) return at[1].op == IS_OP && is_pop_jump(&at[2]) ? IS_CONST_JUMP : 0;
    return at[0].op == IS_OP && is_pop_jump(&at[1]) ? IS_OP_JUMP : 0;
}

// A variable that is tested, returned or subscripted.
static int fused_load(const Instruction *at)
{
    if (at[1].op == RETURN_VALUE) return LOAD_FAST_RETURN_VALUE;
    if (is_pop_jump(&at[1])) return LOAD_FAST_POP_JUMP;
    if (at[2].op == BINARY_SUBSCR) {
        if (at[1].op == LOAD_FAST) return SUBSCR_FAST_FAST;
        if (at[1].op == LOAD_CONST) return SUBSCR_FAST_CONST;
    }
    if (at[1].op == LOAD_FAST && at[2].op == STORE_SUBSCR) return STORE_SUBSCR_FAST_FAST;
    return 0;
}

// Loads and stores that only stand side by side; not where the second would begin more.
static int fused_pair(const Instruction *at)
{
    if (at[1].op == LOAD_FAST) {
        if (fused_two_loads(at + 1) || fused_one_load(at + 1) || fused_load(at + 1)) return 0;
        if (at[2].op == LOAD_CONST && at[3].op == IS_OP) return 0;
        if (at[2].op == LOAD_ATTR || at[2].op == LOAD_METHOD) return 0;
        if (at[0].op == LOAD_FAST) return LOAD_FAST_LOAD_FAST;
        if (at[2].op == LOAD_FAST || at[2].op == LOAD_CONST) return 0;
        return at[0].op == STORE_FAST ? STORE_FAST_LOAD_FAST : 0;
    }
    return at[0].op == LOAD_FAST && at[1].op == LOAD_CONST ? LOAD_FAST_LOAD_CONST : 0;
}

static int fused_at(const Instruction *at)
{
    int op = fused_two_loads(at);
    if (!op) op = fused_one_load(at);
    if (!op && at->op == COMPARE_OP) op = fused_operator(at, FORM_STACK);
    if (!op && at->op == LOAD_FAST) op = fused_load(at);
    if (at->op == FOR_ITER && at[1].op == STORE_FAST) return FOR_ITER_STORE_FAST;
    if (at->op == FOR_ITER && at[1].op == UNPACK_SEQUENCE && at[1].arg == 2)
        return at[2].op == STORE_FAST && at[3].op == STORE_FAST ? FOR_ITER_UNPACK_STORE
                                                                : FOR_ITER_UNPACK;
    if (fused_is(at)) return fused_is(at);
    return op ? op : fused_pair(at);
}

// Goes forwards, so that the slots after the current one are still as they were decoded.
static void fuse_all(QuickCode *quick)
{
    for (uint32_t i = 0; i < quick->count; i++) {
        int op = fused_at(&quick->instructions[i]);
        if (op) quick->instructions[i].op = (uint16_t)op;
    }
}

static bool is_plain_function(const QuickCode *quick)
{
    bool plain = quick->simple_argcount >= 0 && !quick->cells_and_frees && !quick->max_blocks;
    for (uint32_t i = 0; plain && i < quick->count; i++) {
        int opcode = bytes_of(quick)[2 * i];
        plain = opcode != FOR_ITER && !(opcode_is_jump(opcode) && quick->instructions[i].jump < 0);
    }
    return plain;
}

// For the JIT the head of a `for` counts; so does JUMP_WARM, the jump back of a `while`, and the
// end of a function without loops.
static void warm_heads(QuickCode *quick)
{
    bool returns = is_plain_function(quick);
    for (uint32_t i = 0; i < quick->count; i++) {
        Instruction *at = &quick->instructions[i];
        if (at->op == FOR_ITER || at->op == FOR_ITER_STORE_FAST) at->op = FOR_ITER_WARM;
        if (returns && at->op == RETURN_VALUE) at->op = RETURN_WARM;
        if (returns && at->op == LOAD_FAST_RETURN_VALUE) at->op = LOAD_FAST;
    }
}

// ---- the whole

// With so many positional arguments a call has only to move them; -1 = there is always more to do.
static int simple_argcount(const Code *code)
{
    const int needed = CO_OPTIMIZED | CO_NEWLOCALS;
    const int other =
        CO_VARARGS | CO_VARKEYWORDS | CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR;
    if ((code->flags & (needed | other)) != needed || code->kwonlyargcount) return -1;
    return code->argcount <= code->nlocals ? code->argcount : -1;
}

static void measure(QuickCode *quick, Code *code)
{
    quick->code = code;
    quick->count = (uint32_t)(code_size(code) / 2);
    quick->cells = (uint32_t)code_cell_count(code);
    quick->cells_and_frees = quick->cells + (uint32_t)code_free_count(code);
    quick->slots = (uint32_t)code->nlocals + quick->cells_and_frees;
    quick->blocks = quick->slots + (uint32_t)code->stacksize + 1; // room for the self of a method
    quick->simple_argcount = simple_argcount(code);
}

// A line begins with the first instruction, and wherever lnotab changes the number.
static void mark_lines(QuickCode *quick, uint8_t *line_starts)
{
    const Bytes *lnotab = as_bytes(quick->code->lnotab);
    uint32_t offset = 0;
    line_starts[0] = 1;
    for (ssize_t i = 0; i + 1 < lnotab->size; i += 2) {
        offset += (uint8_t)lnotab->data[i];
        if (offset / 2 >= quick->count) break;
        if (lnotab->data[i + 1] && offset % 2 == 0)
            line_starts[offset / 16] |= (uint8_t)(1 << offset / 2 % 8);
    }
    quick->line_starts = line_starts;
}

#if DEBUG_INVARIANTS
// After all else in the block: what the loop is held against (evaluator.c).
static size_t proved_bytes(const Code *code)
{
    return ((size_t)code_size(code) + 2) * sizeof(int32_t);
}
static bool note_proved(QuickCode *quick, Code *code, void *after)
{
    quick->depths = after;
    quick->block_counts = quick->depths + quick->count;
    return code_verify_noting(code, quick->depths, quick->block_counts);
}
#else
static size_t proved_bytes(const Code *code)
{
    return (void)code, 0;
}
static bool note_proved(QuickCode *quick, Code *code, void *after)
{
    return (void)quick, (void)code, (void)after, true;
}
#endif

QuickCode *quicken_code(Code *code)
{
    if ((!code->compiled || DEBUG_VERIFY) && !code_verify(code)) return NULL;
    size_t count = (size_t)code_size(code) / 2 + SPARE_SLOTS;
    size_t size = sizeof(QuickCode) + count * sizeof(Instruction);
    size_t bits = count / 8 + 1; // after the instructions: a bit for each that begins a line
    if (DEBUG_INVARIANTS) bits = (bits + 3) / 4 * 4;
    QuickCode *quick = memory_alloc_zeroed(size + bits + proved_bytes(code));
    if (!quick) {
        raise_memory_error();
        return NULL;
    }
    measure(quick, code);
    mark_lines(quick, (uint8_t *)quick + size);
    if (!note_proved(quick, code, (char *)quick + size + bits)) {
        memory_free(quick);
        return NULL;
    }
    OperandDecoder decoder = {code, quick, (const uint8_t *)as_bytes(code->code)->data, 0};
    decode_all(&decoder);
    quick->max_blocks = decoder.setups < MAX_BLOCKS ? decoder.setups : MAX_BLOCKS;
    if (decoder.setups) limit_blocks(quick);
    size_t header = (sizeof(Frame) + sizeof(Value) - 1) / sizeof(Value);
    size_t words = header + quick->blocks + quick->max_blocks;
    quick->frame_words = (uint32_t)words;
    if (!DEBUG_NO_QUICKEN) fuse_all(quick);
    if (jit_is_on()) warm_heads(quick);
    invariant(!code->quickened, "a code is quickened once");
    invariant(quick->blocks > quick->slots, "a frame has a value stack");
    invariant(quick->cells_and_frees <= quick->slots && quick->cells <= quick->cells_and_frees,
              "cells and free variables are the last of the slots");
    code->quickened = quick;
    ticks_note_code(quick->count);
    return quick;
}

void quicken_release(Code *code)
{
    memory_free(code->quickened);
    code->quickened = NULL;
}
