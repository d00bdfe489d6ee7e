// What --trace and --trace-html show of code and of frames, in short texts. Nothing here runs
// script code, takes memory or counts references (show.h); all texts are written as by
// snprintf(): as much as fits, with a NUL, and the whole length is returned.
#pragma once

#include "frames/frame.h"

// Does the code belong to the program: not to the embedded library? What the program imports from
// its own folder, and what it compiles itself, counts as its own.
bool trace_is_own(const Code *code);

typedef struct TraceInstruction {
    int opcode;
    int operand; // EXTENDED_ARG counted in
} TraceInstruction;
TraceInstruction trace_instruction(const Code *code, int offset);
const char *trace_opcode_name(int opcode); // "?" where there is no such opcode
// "total", "'text'", "to 12", "<", ...; "" where the operand is a mere number.
size_t trace_operand(char *text, size_t size, const Code *code, int offset);

// "f (script.mpy:3)": the function and where it is.
size_t trace_place(char *text, size_t size, Frame *frame);
// The value stack: its depth, and the values on top of it: "3 [1, 'a', NULL]".
size_t trace_stack(char *text, size_t size, Frame *frame);

// The variable in a slot of localsplus: its name, and 'l' fast, 'c' cell or 'f' free.
char trace_slot(const Code *code, int slot, ValueRef *name);
