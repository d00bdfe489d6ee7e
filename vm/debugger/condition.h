// Conditions of breakpoints that can be decided by looking, without a copy of the process.
//
// The prompt keeps the bytecode of a condition in the Session; the main line interprets it as far
// as nothing has to be allocated, counted or run for that (peek.h): names, attributes,
// items, constants, comparisons, `is`, and, or, not, if, and + - * // % of small numbers. At
// anything else, errors included, it gives up, and the condition is evaluated in a copy
// (visitor_ask()), a thousand times slower.
#pragma once

#include "vm/debugger/session.h"

// An expression's code. VALUE_ERROR with the exception pending.
Value condition_compile(const char *text);
// For the prompt: keeps the condition's bytecode, or nothing where it is large or no expression.
void condition_keep(SimpleCondition *condition, const char *text);
// For the main line. False: a copy has to say whether it holds.
bool condition_decide(const SimpleCondition *condition, const Frame *frame, bool *holds);
