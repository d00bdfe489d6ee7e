// Code as text, as CPython's dis prints it, for --dis. (The `dis` module is vm/lib/dis.mpy.)
#pragma once

#include "objects/code.h"
#include "objects/text/str.h"

// The whole listing, nested code objects after their outer one, as dis.dis(): an owned str.
Value disassemble(ValueRef code, bool recursive);

// The meaning of an operand that is not just a number. operand_item() returns the value that it
// refers to (a constant, or a str with the name of a variable): borrowed, 0 = it refers to none.
ValueRef operand_item(const Code *code, int opcode, int operand);
// For other operands, a text: "to 30", "<=", "str, with format", "defaults, closure", "". Returns
// the length, as snprintf() does.
int operand_words(char *text, size_t size, int offset, int opcode, int operand);
