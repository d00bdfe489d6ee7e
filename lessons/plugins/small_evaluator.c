// An evaluator of its own: a loop over 25 opcodes, instead of minivm's.
//
//     minivm --eval-frame small_evaluator.so script.mpy
//
// It runs a frame if the code has no opcode but these, no cells, and is no generator's; it leaves
// all others to the evaluator before it. At the end it says how many it has run. Add an opcode: a
// case in step(), and its number in `known`.
//
//     values    | a | b |   |   |      a stack: an instruction takes its operands from the top
//                       ^ top          and puts its result there; each slot owns its value
#include "minivm_plugin.h"

#include <stdio.h>

#define STACK 64
#define NOT_EXACT (~(0x4 | 0x8 | 0x10 | 0x40)) // of co_flags, but *args, **kwargs, nested, no cells
#define OPTIMIZED_NEWLOCALS 0x3

enum {
    POP_TOP = 1,
    UNARY_NEGATIVE = 11,
    UNARY_NOT = 12,
    BINARY_MULTIPLY = 20,
    BINARY_ADD = 23,
    BINARY_SUBTRACT = 24,
    BINARY_SUBSCR = 25,
    BINARY_FLOOR_DIVIDE = 26,
    INPLACE_ADD = 55,
    INPLACE_SUBTRACT = 56,
    INPLACE_MULTIPLY = 57,
    GET_ITER = 68,
    RETURN_VALUE = 83,
    FOR_ITER = 93,
    LOAD_CONST = 100,
    LOAD_ATTR = 106,
    COMPARE_OP = 107,
    JUMP_FORWARD = 110,
    JUMP_ABSOLUTE = 113,
    POP_JUMP_IF_FALSE = 114,
    POP_JUMP_IF_TRUE = 115,
    LOAD_GLOBAL = 116,
    LOAD_FAST = 124,
    STORE_FAST = 125,
    CALL_FUNCTION = 131,
};

static const unsigned char known[] = {
    POP_TOP,         UNARY_NEGATIVE,      UNARY_NOT,        BINARY_MULTIPLY,  BINARY_ADD,
    BINARY_SUBTRACT, BINARY_SUBSCR,       INPLACE_ADD,      INPLACE_SUBTRACT, INPLACE_MULTIPLY,
    GET_ITER,        BINARY_FLOOR_DIVIDE, RETURN_VALUE,     FOR_ITER,         LOAD_CONST,
    LOAD_ATTR,       COMPARE_OP,          JUMP_FORWARD,     JUMP_ABSOLUTE,    LOAD_GLOBAL,
    LOAD_FAST,       POP_JUMP_IF_FALSE,   POP_JUMP_IF_TRUE, STORE_FAST,       CALL_FUNCTION,
};

typedef struct Run {
    Frame *frame;
    const Code *code;
    const unsigned char *bytes;
    int offset; // of the next instruction
    Value stack[STACK], *top;
} Run;

typedef enum Outcome { GOES_ON, RETURNS, FAILED } Outcome;

static const PluginApi *api;
static EvalFrameFn next;
static long here, elsewhere;

// ---- the stack

static Outcome push(Run *run, Value value)
{
    if (!value) return FAILED;
    *run->top++ = value;
    return GOES_ON;
}

// Replaces so many operands by a result.
static Outcome replace(Run *run, int operands, Value result)
{
    while (operands-- > 0) api->drop(*--run->top);
    return push(run, result);
}

static ValueRef peek(const Run *run, int below)
{
    return (ValueRef)run->top[-1 - below];
}

// ---- instructions

static Outcome load_fast(Run *run, int index)
{
    ValueRef value = api->frame_localsplus(run->frame)[index];
    if (value) return push(run, api->retain(value));
    api->raise("a variable has no value yet");
    return FAILED;
}

static Outcome jump_if(Run *run, bool wanted, int target)
{
    bool truth;
    if (!api->truth(peek(run, 0), &truth)) return FAILED;
    api->drop(*--run->top);
    if (truth == wanted) run->offset = target;
    return GOES_ON;
}

static Outcome for_iter(Run *run, int distance)
{
    bool ended;
    Value item = api->next(peek(run, 0), &ended);
    if (!ended) return push(run, item);
    api->drop(*--run->top);
    run->offset += distance;
    return GOES_ON;
}

static Outcome call_function(Run *run, int count)
{
    const ValueRef *args = (const ValueRef *)(const void *)(run->top - count);
    return replace(run, count + 1, api->call(peek(run, count), args, (size_t)count));
}

static Outcome step(Run *run, int opcode, int operand)
{
    switch (opcode) {
    case LOAD_FAST: return load_fast(run, operand);
    case STORE_FAST:
        return api->frame_set_local(run->frame, operand, *--run->top) ? GOES_ON : FAILED;
    case LOAD_CONST: return push(run, api->retain(api->code_constant(run->code, operand)));
    case LOAD_GLOBAL:
        return push(run, api->find_global(run->frame, api->code_name(run->code, operand)));
    case LOAD_ATTR:
        return replace(run, 1,
                       api->get_attribute(peek(run, 0), api->code_name(run->code, operand)));
    case POP_TOP: api->drop(*--run->top); return GOES_ON;
    case COMPARE_OP: return replace(run, 2, api->compare(peek(run, 1), peek(run, 0), operand));
    case UNARY_NEGATIVE:
    case UNARY_NOT:
    case GET_ITER: return replace(run, 1, api->operate(opcode, peek(run, 0), 0));
    case JUMP_FORWARD: run->offset += operand; return GOES_ON;
    case JUMP_ABSOLUTE: run->offset = operand; return GOES_ON;
    case POP_JUMP_IF_FALSE: return jump_if(run, false, operand);
    case POP_JUMP_IF_TRUE: return jump_if(run, true, operand);
    case FOR_ITER: return for_iter(run, operand);
    case CALL_FUNCTION: return call_function(run, operand);
    case RETURN_VALUE: return RETURNS;
    default: return replace(run, 2, api->operate(opcode, peek(run, 1), peek(run, 0)));
    }
}

static Value run_code(Frame *frame, void *arg)
{
    (void)arg;
    size_t size;
    Run run = {.frame = frame, .code = api->frame_code(frame)};
    run.bytes = api->code_bytecode(run.code, &size);
    run.top = run.stack;
    Outcome outcome = GOES_ON;
    while (outcome == GOES_ON) {
        int at = run.offset;
        run.offset += 2;
        outcome = api->frame_at(frame, at) ? step(&run, run.bytes[at], run.bytes[at + 1]) : FAILED;
    }
    Value result = outcome == RETURNS ? *--run.top : 0;
    while (run.top > run.stack) api->drop(*--run.top);
    return result;
}

// ---- which frames

static bool knows(unsigned char opcode)
{
    for (size_t i = 0; i < sizeof known; i++)
        if (known[i] == opcode) return true;
    return false;
}

static bool can_run(const Code *code)
{
    CodeInfo info = api->code_info(code);
    bool is_function = (info.flags & NOT_EXACT) == OPTIMIZED_NEWLOCALS;
    size_t size;
    const unsigned char *bytes = api->code_bytecode(code, &size);
    if (!is_function || info.ncells + info.nfrees || info.stacksize > STACK) return false;
    for (size_t i = 0; i < size; i += 2)
        if (!knows(bytes[i])) return false;
    return true;
}

static Value evaluate(ThreadState *thread, Frame *frame, int throwflag)
{
    if (throwflag || !can_run(api->frame_code(frame))) {
        elsewhere++;
        return next(thread, frame, throwflag);
    }
    here++;
    return api->run_frame(thread, frame, run_code, NULL);
}

static bool init(const PluginApi *given)
{
    api = given;
    next = api->eval_frame_get();
    api->eval_frame_set(evaluate);
    return true;
}

static void finish(void)
{
    fprintf(stderr, "small_evaluator: %ld frames here, %ld by minivm\n", here, elsewhere);
}

MINIVM_PLUGIN(init, finish);
