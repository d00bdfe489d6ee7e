// The bodies of instructions as machine code calls them (vm/jit/walk_quiet.c): like those of
// vm/ops.h, but quiet. They run no script code, and change nothing that a script could see; what
// is borrowed stays alive. Where one cannot do it, or there is an error, it gives VALUE_ERROR and
// raises nothing: the interpreter does the same again, and finds out.
//
// The result is borrowed. What a function makes is a leaf, or a tuple of leaves. A leaf is
// compared, hashed and freed without script code: a number, a str, bytes, None. A slice of such is
// made as well, and is a key, but is no leaf: another slice may hold anything.
// What is made belongs to quiet_made until quiet_let_go(): nobody can see that it lives so long.
#pragma once

#include "objects/object.h"

// The operands, in the order in which they were pushed; the instruction's operand, or its opcode.
typedef ValueRef QuietFn(const ValueRef *operands, size_t operand);
QuietFn quiet_subscript, quiet_contains, quiet_compare, quiet_operate;
QuietFn quiet_tuple, quiet_slice; // of so many operands
QuietFn quiet_span;               // text[from:to]
// For a call of this builtin or method, which is the first operand; the operand says how many
// others follow. NULL = such calls may not be quiet.
QuietFn *quiet_call_of(ValueRef function);

double quiet_power(double a, double b); // a ** b where it is a float without more ado; else a NaN

#define QUIET_MAX 256
extern struct QuietMade {
    uint32_t count;
    Value *values;
    void (*let_go)(void); // quiet_let_go()
} quiet_made;
void quiet_let_go(void); // drops it all
bool quiet_is_leaf(ValueRef value);
// While machine code runs or is made, signals wait: their handlers are script code.
extern bool quiet_now;
