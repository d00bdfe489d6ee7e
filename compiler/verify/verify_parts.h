// What the two files of the verifier share: verify.c looks at the code object and at each
// instruction by itself, verify_flow.c follows the ways through them. Private to them.
#pragma once

#include "compiler/opcode.h"
#include "compiler/verify/verify.h"

#define NOTHING (-1) // in place of a slot's number

// What a block is doing: a SETUP_ is in force, or its handler runs, or that handler's values have
// been moved by ROT_FOUR to be on top for POP_EXCEPT.
typedef enum Form { FORM_SETUP, FORM_HANDLER, FORM_LIFTED } Form;

// What is the same on all ways to an instruction.
typedef struct FlowState {
    int32_t depth; // of the value stack; NOTHING = no way has been found yet
    int32_t mark;  // the LOAD_METHOD (its slot) whose mark is the topmost on the stack
    int32_t setup; // the SETUP_ (its slot) of the innermost block
    Form form;     // of that block
} FlowState;

// Two bytes of co_code, and what is known of them. An instruction's number is its offset / 2.
typedef struct Slot {
    FlowState state; // before it
    int32_t operand; // EXTENDED_ARG counted in
    int32_t target;  // of a jump or a SETUP_
    int32_t next;    // in the list of those to be followed
    // Of a LOAD_METHOD that was followed: where its mark lies, and the next mark below. Of a
    // SETUP_: the depth that its handler begins with, and the block around.
    int32_t level;
    int32_t below;
    Form below_form;
    int32_t same; // a mark that was found to be as good as this one
} Slot;

typedef struct Verifier {
    const Code *code;
    const uint8_t *bytes;
    int32_t count; // of the slots
    Slot *slots;
    int32_t waiting; // the list of those to be followed
} Verifier;

static inline int opcode_at(const Verifier *v, int32_t at)
{
    return v->bytes[2 * at];
}

// Raises SystemError: what is wrong with the instruction. The format is printf's.
__attribute__((format(printf, 3, 4))) bool refuse(const Verifier *v, int32_t at, const char *format,
                                                  ...);

// Follows every way from the first instruction. All operands are good.
bool verify_flow(Verifier *v);
