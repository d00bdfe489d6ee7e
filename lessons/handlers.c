// How high the value stack is before each instruction: see handlers.h.
//
// It is found as stack_depth.c finds it: from one instruction to the next, and along the jumps. The
// table is that of the code that was asked about last; it is made anew where code begins, for that
// may be where other code lay before.
#include "lessons/handlers.h"

#define MOST_INSTRUCTIONS 1000

static const QuickCode *known;
static int heights[MOST_INSTRUCTIONS];

static void set_height(int at, int height)
{
    if (at >= 0 && at < MOST_INSTRUCTIONS) heights[at] = height;
}

static void follow(const QuickCode *quick, int at)
{
    const Instruction *ip = &quick->instructions[at];
    int opcode = quick_opcode(quick, ip), operand = (int)quick_operand(quick, ip);
    int there = heights[at] + opcode_stack_effect(opcode, operand, true);
    if (opcode_operand(opcode) == OPERAND_JUMP_RELATIVE) set_height(at + 1 + operand / 2, there);
    if (opcode_operand(opcode) == OPERAND_JUMP_ABSOLUTE) set_height(operand / 2, there);
    if (!opcode_is(opcode, ENDS_FLOW))
        set_height(at + 1, heights[at] + opcode_stack_effect(opcode, operand, false));
}

static void find_heights(const QuickCode *quick)
{
    for (int i = 0; i < MOST_INSTRUCTIONS; i++) heights[i] = -1;
    heights[0] = 0;
    for (int i = 0; i < (int)quick->count && i < MOST_INSTRUCTIONS; i++)
        if (heights[i] >= 0) follow(quick, i);
    known = quick;
}

int stack_height(const Frame *frame, const Value *sp)
{
    return (int)(sp - frame->localsplus) - (int)quick_of(as_code(frame->code))->slots;
}

int stack_height_wanted(const Frame *frame, const Instruction *ip)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    if (quick != known || ip == quick->instructions) find_heights(quick);
    return heights[ip - quick->instructions];
}
