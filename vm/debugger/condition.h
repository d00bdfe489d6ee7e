// Conditions of breakpoints that can be evaluated without a copy of the process.
//
// The prompt keeps the bytecode of a condition in the Session. The main line interprets it, using
// only operations that allocate nothing, count no reference and run no script code (peek.h): names,
// attributes, items, constants, comparisons, `is`, and, or, not, if, and + - * // % of small
// numbers. At anything else, errors included, it gives up. Then visitor_ask() evaluates the
// condition in a copy of the process, which takes a thousand times longer.
#pragma once

#include "vm/debugger/session.h"

// Compiles an expression. VALUE_ERROR with the exception pending.
Value condition_compile(const char *text);
// For the prompt: keeps the condition's bytecode; keeps nothing if it is too large, or not an
// expression.
void condition_keep(SimpleCondition *condition, const char *text);
// For the main line: evaluates the condition into *holds. False: use visitor_ask().
bool condition_decide(const SimpleCondition *condition, const Frame *frame, bool *holds);
