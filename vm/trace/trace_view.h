// Short texts for code and frames, as --trace and --trace-html show them. The functions run no
// script code, allocate nothing and count no references (show.h). They write text as snprintf()
// does: as much as fits, with a NUL; they return the full length.
#pragma once

#include "frames/frame.h"

// Does the code belong to the program, and not to the embedded library? Modules that the program
// imports from its own folder, and code that it compiles, belong to it.
bool trace_is_own(const Code *code);

typedef struct TraceInstruction {
    int opcode;
    int operand; // with its EXTENDED_ARGs
} TraceInstruction;
TraceInstruction trace_instruction(const Code *code, int offset);
const char *trace_opcode_name(int opcode); // "?" = no such opcode
// What the operand means: "total", "'text'", "to 12", "<", ...; "" if it is only a number.
size_t trace_operand(char *text, size_t size, const Code *code, int offset);

// "f (script.mpy:3)": the function and its location.
size_t trace_location(char *text, size_t size, Frame *frame);
// The value stack: its depth, and the values on top of it: "3 [1, 'a', NULL]".
size_t trace_stack(char *text, size_t size, Frame *frame);

// The variable in a slot of localsplus: its name, and 'l' fast, 'c' cell or 'f' free.
char trace_slot(const Code *code, int slot, ValueRef *name);
