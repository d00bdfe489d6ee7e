// The verifier's first pass: the code object's fields, and every instruction by itself. Unreachable
// instructions are checked as well, since vm/quicken.c decodes all. What code_new() refuses
// (nameless parameters, names that are no strs) needs no check here.
#include "compiler/verify/verify_parts.h"

#include "objects/config.h"
#include "objects/containers/set.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/stack.h"

#include <stdarg.h>
#include <stdio.h>

// ---- refusing

static bool refuse_code(const Verifier *v, const char *reason)
{
    return raise_error(SystemError, "code '%.200S' cannot run: %s", (ValueRef)v->code->name,
                       reason);
}

// "CALL_FUNCTION 3", "POP_TOP", "<200>"
static void name_instruction(const Verifier *v, int32_t at, char *text, size_t size)
{
    int opcode = opcode_at(v, at);
    const char *name = opcode_name(opcode);
    if (!name)
        snprintf(text, size, "<%d>", opcode);
    else if (opcode < HAVE_ARGUMENT || v->slots[at].operand == NOTHING)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s %d", name, (int)v->slots[at].operand);
}

bool refuse(const Verifier *v, int32_t at, const char *format, ...)
{
    char instruction[64], reason[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    name_instruction(v, at, instruction, sizeof instruction);
    return raise_error(SystemError, "code '%.200S' cannot run: offset %d, %s: %s",
                       (ValueRef)v->code->name, 2 * (int)at, instruction, reason);
}

// ---- the fields

static bool check_sizes(const Verifier *v)
{
    char text[100];
    const Code *code = v->code;
    ssize_t names = tuple_size(code->varnames), lines = as_bytes(code->lnotab)->size;
    if (code_size(code) == 0) return refuse_code(v, "co_code is empty");
    if (code_size(code) % 2)
        snprintf(text, sizeof text, "co_code has %zd bytes, but an instruction has two",
                 code_size(code));
    else if (lines % 2)
        snprintf(text, sizeof text, "co_lnotab has %zd bytes, but it is made of pairs", lines);
    else if (code->nlocals != names)
        snprintf(text, sizeof text, "co_nlocals is %d, but co_varnames has %zd", code->nlocals,
                 names);
    else if (code->stacksize > MAX_STACKSIZE)
        snprintf(text, sizeof text, "co_stacksize is %d, but the most is %d", code->stacksize,
                 MAX_STACKSIZE);
    else
        return true;
    return refuse_code(v, text);
}

static bool check_flags(const Verifier *v)
{
    int flags = v->code->flags;
    int kinds =
        !!(flags & CO_GENERATOR) + !!(flags & CO_COROUTINE) + !!(flags & CO_ASYNC_GENERATOR);
    return kinds <= 1 || refuse_code(v, "co_flags say more than one of generator, coroutine and "
                                        "async generator");
}

static bool check_distinct(const Verifier *v, const char *field, ValueRef names)
{
    Value seen = set_new(VALUE_ERROR);
    bool good = seen;
    for (ssize_t i = 0; good && i < tuple_size(names); i++) {
        good = set_add(seen, tuple_at(names, i));
        if (good && set_size(seen) == i)
            good = raise_error(SystemError, "code '%.200S' cannot run: %s has '%.200S' twice",
                               (ValueRef)v->code->name, field, tuple_at(names, i));
    }
    drop(seen);
    return good;
}

static bool check_fields(const Verifier *v)
{
    return check_sizes(v) && check_flags(v) &&
           check_distinct(v, "co_varnames", v->code->varnames) &&
           check_distinct(v, "co_cellvars", v->code->cellvars) &&
           check_distinct(v, "co_freevars", v->code->freevars);
}

// ---- operands

static bool check_index(const Verifier *v, int32_t at, ssize_t size, const char *field)
{
    int index = v->slots[at].operand;
    return index < size ||
           refuse(v, at, "there is no item %d in %s, which has %zd", index, field, size);
}

static bool check_range(const Verifier *v, int32_t at, const OperandRow *kind)
{
    int operand = v->slots[at].operand;
    if (operand >= kind->least && operand <= kind->most) return true;
    if (kind->most == INT32_MAX)
        return refuse(v, at, "the operand must be at least %d", (int)kind->least);
    return refuse(v, at, "the operand must be from %d to %d", (int)kind->least, (int)kind->most);
}

static bool check_jump(Verifier *v, int32_t at, bool is_relative)
{
    Slot *slot = &v->slots[at];
    int64_t offset = slot->operand + (is_relative ? 2 * ((int64_t)at + 1) : 0);
    if (offset >= 2 * (int64_t)v->count)
        return refuse(v, at, "jumps to offset %lld, but the code ends at %lld", (long long)offset,
                      2 * (long long)v->count);
    if (offset % 2)
        return refuse(v, at, "jumps to offset %lld, into an instruction", (long long)offset);
    slot->target = (int32_t)(offset / 2);
    if (slot->target > 0 && opcode_at(v, slot->target - 1) == EXTENDED_ARG)
        return refuse(v, at, "jumps to offset %lld, past the EXTENDED_ARG of that instruction",
                      (long long)offset);
    // Other jumps back would make loops that cannot be interrupted: the loop looks for signals only
    // where these jump (and where FOR_ITER is).
    return slot->target > at || opcode_is(opcode_at(v, at), JUMPS_BACK) ||
           refuse(v, at, "jumps back, as only JUMP_ABSOLUTE and POP_JUMP_IF_... may");
}

static bool check_operand(Verifier *v, int32_t at)
{
    const Code *code = v->code;
    Operand kind = opcode_operand(opcode_at(v, at));
    if (!check_range(v, at, &operand_rows[kind])) return false;
    switch (kind) {
    case OPERAND_CONST: return check_index(v, at, tuple_size(code->consts), "co_consts");
    case OPERAND_NAME: return check_index(v, at, tuple_size(code->names), "co_names");
    case OPERAND_LOCAL: return check_index(v, at, code->nlocals, "co_varnames");
    case OPERAND_FREE:
        return check_index(v, at, (ssize_t)code_cell_count(code) + code_free_count(code),
                           "co_cellvars + co_freevars");
    case OPERAND_JUMP_RELATIVE: return check_jump(v, at, true);
    case OPERAND_JUMP_ABSOLUTE: return check_jump(v, at, false);
    default: return true;
    }
}

// ---- instructions

static bool check_instruction(Verifier *v, int32_t at)
{
    int opcode = opcode_at(v, at);
    if (!opcode_name(opcode)) return refuse(v, at, "CPython 3.9 has no such opcode");
    if (opcode == EXTENDED_ARG && at + 1 == v->count)
        return refuse(v, at, "there is no instruction after it");
    if (opcode_is(opcode, SUSPENDS) &&
        !(v->code->flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)))
        return refuse(v, at, "co_flags say that this is no generator");
    return check_operand(v, at);
}

static bool check_instructions(Verifier *v)
{
    uint32_t prefix = 0;
    for (int32_t at = 0; at < v->count; at++) {
        Slot *slot = &v->slots[at];
        uint64_t operand = (uint64_t)prefix << 8 | v->bytes[2 * at + 1];
        slot->operand = operand > INT32_MAX ? NOTHING : (int32_t)operand;
        slot->state.depth = slot->same = NOTHING;
        if (slot->operand == NOTHING) return refuse(v, at, "the operand must be less than 2**31");
        if (!check_instruction(v, at)) return false;
        prefix = opcode_at(v, at) == EXTENDED_ARG ? (uint32_t)operand : 0;
    }
    return true;
}

// What was proved of each instruction: see code_verify_noting().
static void note_proved(const Verifier *v, int32_t *depths, int32_t *blocks)
{
    for (int32_t at = 0; at < v->count; at++) {
        const FlowState *state = &v->slots[at].state;
        depths[at] = state->depth;
        blocks[at] = 0;
        if (state->depth == NOTHING) continue;
        int32_t setup = state->setup;
        for (; setup != NOTHING; setup = v->slots[setup].below) blocks[at]++;
    }
}

static inline __attribute__((always_inline)) bool verify(const Code *code, int32_t *depths,
                                                         int32_t *blocks)
{
    Verifier v = {.code = code,
                  .bytes = (const uint8_t *)as_bytes(code->code)->data,
                  .count = (int32_t)(code_size(code) / 2)};
    if (!check_fields(&v)) return false;
    // All tables of a code object, here and where it runs, have less than 64 bytes an instruction.
    if ((size_t)v.count > PTRDIFF_MAX / 64) return raise_memory_error();
    v.slots = memory_alloc_zeroed((size_t)v.count * sizeof *v.slots);
    if (!v.slots) return raise_memory_error();
    bool good = check_instructions(&v) && verify_flow(&v);
    if (good && depths) note_proved(&v, depths, blocks);
    memory_free(v.slots);
    return good;
}

bool code_verify(const Code *code)
{
    return verify(code, NULL, NULL);
}

#if DEBUG_INVARIANTS
bool code_verify_noting(const Code *code, int32_t *depths, int32_t *blocks)
{
    return verify(code, depths, blocks);
}
#endif

bool code_verify_all(const Code *code, int *count)
{
    if (!stack_check_room() || !code_verify(code)) return false;
    ++*count;
    for (ssize_t i = 0; i < tuple_size(code->consts); i++) {
        ValueRef constant = tuple_at(code->consts, i);
        if (code_check(constant) && !code_verify_all(as_code(constant), count)) return false;
    }
    return true;
}
