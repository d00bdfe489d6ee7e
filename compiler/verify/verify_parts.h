// Private to the two files of the verifier. verify.c checks the code object, and each instruction
// by itself; verify_flow.c follows the paths through the instructions.
#pragma once

#include "compiler/opcode.h"
#include "compiler/verify/verify.h"

#define NOTHING (-1) // instead of a slot's index

// The state of a block: the body of a SETUP_ runs, or its handler runs, or a ROT_FOUR in the
// handler has moved the handler's values to the top for POP_EXCEPT.
typedef enum Form { FORM_SETUP, FORM_HANDLER, FORM_LIFTED } Form;

// What is the same on all paths to an instruction.
typedef struct FlowState {
    int32_t depth; // of the value stack; NOTHING = no path has been found yet
    int32_t mark;  // slot of the LOAD_METHOD whose mark is the topmost on the stack
    int32_t setup; // slot of the SETUP_ of the innermost block
    Form form;     // of that block
} FlowState;

// Two bytes of co_code, and what is known of them. The index of a slot is its offset / 2.
typedef struct Slot {
    FlowState state; // before it
    int32_t operand; // with what EXTENDED_ARG adds
    int32_t target;  // of a jump or a SETUP_
    int32_t next;    // in the list of slots to be followed
    // Of a LOAD_METHOD that was followed: the depth of its mark, and the next mark below. Of a
    // SETUP_: the depth at which its handler begins, and the block around it.
    int32_t level;
    int32_t below;
    Form below_form;
    int32_t same; // another mark that was found to be equivalent
} Slot;

typedef struct Verifier {
    const Code *code;
    const uint8_t *bytes;
    int32_t count; // of the slots
    Slot *slots;
    int32_t waiting; // the list of slots to be followed
} Verifier;

static inline int opcode_at(const Verifier *v, int32_t at)
{
    return v->bytes[2 * at];
}

// Raises SystemError about the instruction. The format is printf's.
__attribute__((format(printf, 3, 4))) bool refuse(const Verifier *v, int32_t at, const char *format,
                                                  ...);

// Follows every path from the first instruction. All operands have been checked.
bool verify_flow(Verifier *v);
