// The bodies of instructions that are too long for the loop, by subject. Some get a pointer to
// their operands on the value stack, in the order in which they were pushed. The loop drops the
// operands afterwards, unless the line says "steals".
#pragma once

#include "frames/frame.h"
#include "objects/function.h"
#include "objects/operators.h"
#include "objects/text/str.h"

// ---- operators
Value binary_operation(int opcode, ValueRef left, ValueRef right);
// Both are exactly str. Most differ in the first character.
static inline bool compare_texts(ValueRef left, ValueRef right, uint32_t operator)
{
    const Str *a = as_str(left), *b = as_str(right);
    bool narrow = a->kind == 1 && b->kind == 1,
         equality = operator== COMPARE_EQ || operator== COMPARE_NE;
    int order = narrow ? (uint8_t)a->data[0] - (uint8_t)b->data[0] : 0;
    if (!order) order = equality ? !str_equal(left, right) : str_compare(left, right);
    return order_holds(order, (CompareOp) operator);
}
Value compare_operation(ValueRef left, ValueRef right, uint32_t operator);
// container[from:to] of a str, list or tuple, exactly; ABSENT for others, and where a bound is
// neither None nor a small int.
Value subscript_span(ValueRef container, ValueRef from, ValueRef to);

// ---- building
Value build_list(Value *items, uint32_t count); // steals the items, in failure too
Value build_set(Value *items, uint32_t count);
Value build_map(Value *items, uint32_t count); // `count` pairs
Value build_const_key_map(Value *values, uint32_t count, ValueRef keys);
Value build_string(Value *items, uint32_t count);
Value make_function(Frame *frame, Value *items, uint32_t flags);
// What MAKE_FUNCTION takes besides the code and the name: a value for each of four flags.
static inline int function_extras(uint32_t flags)
{
    return (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1) + (flags >> 3 & 1);
}
Value format_value(ValueRef value, ValueRef spec, uint32_t conversion); // spec 0 = none
bool list_extend_by(ValueRef list, ValueRef iterable);
bool dict_update_by(ValueRef dict, ValueRef mapping);
bool setup_annotations(Frame *frame);

// ---- unpacking: writes the values so that the first one comes out on top of the stack
bool unpack_sequence(ValueRef sequence, uint32_t count, Value *to);
bool unpack_ex(ValueRef sequence, uint32_t before, uint32_t after, Value *to);

// ---- names that are not bound
bool raise_unbound_local(const Frame *frame, uint32_t index);
bool raise_unbound_cell(const Frame *frame,
                        uint32_t index); // index among cells, then free variables
Value load_classderef(const Frame *frame, uint32_t index);
bool delete_name(Frame *frame, ValueRef name);
bool delete_global(Frame *frame, ValueRef name);
Value load_build_class(const Frame *frame);

// ---- exceptions
// raise, raise exception, raise exception from cause. Always false. *again: a bare `raise` of the
// handled exception, whose traceback must not change.
bool raise_varargs(Value *items, uint32_t count, bool *again);
// Makes the exception of a handler pending again. Steals the three values.
void reraise(Value type, Value exception, Value traceback);
bool exception_matches(ValueRef type, ValueRef wanted, bool *matches);

// ---- with
// Replaces the manager by its bound exit method. Returns its enter method, bound too; or a function
// of a script, and then the manager moves to *self. AttributeError if it lacks one of them.
Value find_with(Value *manager, ValueRef enter_name, ValueRef exit_name, Value *self);
Value call_enter(Value enter, Value self); // steals both; `self` may be 0
Value call_exit(Value *top);               // of the stack in a handler of `with`

// ---- iteration and await
Value get_yield_from_iter(const Frame *frame, ValueRef value);
Value get_aiter(ValueRef value);
Value get_anext(ValueRef iterator);
Value get_awaitable(ValueRef value, const Frame *frame, const Instruction *ip);
// One step of `yield from` an object of any kind: the yielded value, or ABSENT with the returned
// value in *result.
Value delegate_step(ValueRef receiver, ValueRef sent, Value *result);

// ---- calls
Value call_with_keywords(Value *items, uint32_t count, ValueRef names); // items[0] is the callable
// f(*args, **kwargs): converts the two to a tuple and a dict, in place.
bool spread_arguments(ValueRef callable, Value *args, Value *kwargs);
Value print_expression(ValueRef value);

// ---- import (import_ops.c)
Value import_name(Frame *frame, ValueRef name, ValueRef fromlist, ValueRef level);
Value import_from(ValueRef module, ValueRef name);
bool import_star(Frame *frame, ValueRef module);
