// The module _decimal, which `decimal` shows: what a script sees of the numbers that
// decimal_number.h has.
//
//     Decimal("1.20")        a number, which never changes            decimal_object.c and
//                                                                     decimal_type.c
//     Context(prec=28)       precision, limits, flags and traps       decimal_context.c
//     context.flags          a mapping from signals to bools          decimal_signals.c
//     getcontext()           the context of operators                 decimal_current.c
//
// An operation in C goes
//
//     operand           a Decimal lends its limbs to a Number; an int becomes one
//     context_begin()   a copy of the context, in which nothing has happened yet
//     number_...()      computes, and notes in the copy what has happened
//     context_end()     adds that to the flags, and raises what is trapped
//     decimal_new()     a Decimal of the result
#pragma once

#include "objects/call.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/decimal/decimal_number.h"

typedef struct DecimalObject {
    Object base;
    int64_t hash; // -1 = not computed yet
    int64_t exponent;
    size_t size; // of the coefficient, which is normal
    uint8_t kind;
    bool negative;
    Limb9 limbs[];
} DecimalObject;

// A mapping from signals to bools: the traps or the flags of a context. `bits` are Conditions.
typedef struct SignalDict {
    Object base;
    uint32_t bits;
} SignalDict;

typedef struct ContextObject {
    Object base;
    Context context; // but for status and traps, which are the bits of these two
    Value traps, flags;
} ContextObject;

extern Type decimal_type, decimal_context_type, context_manager_type, signal_dict_mixin_type;

static inline bool decimal_check(ValueRef value)
{
    return is_exactly(value, &decimal_type) ||
           (is_object(value) && type_is_subtype(type_of(value), &decimal_type));
}
static inline DecimalObject *as_decimal(ValueRef value)
{
    invariant(is_allocated(value) && decimal_check(value), "what is read as a Decimal is one");
    return (DecimalObject *)object_of(value);
}
static inline bool context_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &decimal_context_type);
}
static inline ContextObject *as_context(ValueRef value)
{
    invariant(is_allocated(value) && context_check(value), "what is read as a context is one");
    return (ContextObject *)object_of(value);
}

// ---- decimal_object.c: values to numbers, and back

// Lends what a Decimal holds; number_end() is not needed, and does no harm.
static inline void decimal_lend(Number *number, ValueRef decimal)
{
    DecimalObject *object = as_decimal(decimal);
    number->kind = (NumberKind)object->kind;
    number->negative = object->negative;
    number->exponent = object->exponent;
    number->size = object->size;
    number->capacity = 0;
    number->limbs = object->limbs;
}
Value decimal_make(Type *type, const Number *number);
static inline Value decimal_new(const Number *number)
{
    return decimal_make(&decimal_type, number);
}
// OverflowError where it does not fit, in CPython's words.
bool int64_from(ValueRef integer, int64_t *number);
// The number of an int, exactly. False with an exception pending.
bool number_from_int(Number *number, ValueRef integer);
// An operand: a Decimal or an int. `number` is begun here; the caller ends it, in failure too.
// False with TypeError pending where it is anything else.
bool operand_from(Number *number, ValueRef value);
bool is_operand(ValueRef value);
// The integer part of a finite number: an int.
Value int_from_number(const Number *number);
bool number_from_double(Number *number, double value);
// The number of a value that Decimal() and create_decimal() take. `exact` is for the former.
bool number_from_value(Number *number, ValueRef value, bool exact, ContextObject *context,
                       Context *work);

// An int or a float, exactly; TypeError where it is anything else. For the methods from_float().
bool number_from_real(Number *number, ValueRef value);
Value decimal_from_small(int64_t integer);
// The attribute of a module of the library: owned.
Value attribute_of(const char *module_name, const char *name);

// ---- decimal_convert.c
Value decimal_to_int(ValueRef self, Rounding rounding);
Value decimal_float(ValueRef self); // __float__
bool decimal_hash(ValueRef self, int64_t *hash);
Value decimal_compare(ValueRef left, ValueRef right, CompareOp op);
Value decimal_as_integer_ratio(ValueRef self, METHOD_ARGS);
Value decimal_as_tuple(ValueRef self, METHOD_ARGS);
Value decimal_round(ValueRef self, METHOD_ARGS); // __round__
Value decimal_text(ValueRef self, bool engineering, bool capitals);

// ---- decimal_format.c
Value decimal_format(ValueRef self, METHOD_ARGS); // __format__

// ---- decimal_signals.c
bool signals_init(ValueRef module); // makes the exceptions and the class SignalDict
void signals_finish(void);
Value signal_dict_new(uint32_t bits);
uint32_t *signal_bits(ValueRef dict); // NULL = it is no SignalDict
// The conditions of a signal, of a list of signals, or of a mapping from all signals.
bool signal_bits_from_list(ValueRef list, uint32_t *bits);
bool signal_bits_from_dict(ValueRef dict, uint32_t *bits);
Value signal_list(uint32_t bits);                                 // those that are set
bool add_signal_names(StrBuilder *text, uint32_t bits);           // [Inexact, Rounded]
Value raise_signals(uint32_t bits);                               // always VALUE_ERROR
Value decimal_tuple(ValueRef sign, Value digits, Value exponent); // steals the last two

// ---- decimal_context.c
extern const char *const rounding_names[ROUNDING_COUNT];
Value context_new(const Context *context);
Value context_copy(const ContextObject *context);
bool rounding_from(ValueRef value, uint8_t *rounding);
static inline void context_begin(const ContextObject *object, Context *work)
{
    *work = object->context;
    work->status = 0;
}
// Adds what has happened to the flags. False with the exception of a trapped signal pending.
bool context_raise(ContextObject *object, uint32_t status);
static inline bool context_end(ContextObject *object, const Context *work)
{
    return !work->status || context_raise(object, work->status);
}
// The context of an argument, borrowed; the current one for None or no argument. NULL with
// TypeError pending.
ContextObject *context_argument(ValueRef value);
// A result of an operation that `done` says has succeeded; ends the number.
Value finish_operation(bool done, Number *result, ContextObject *object, const Context *work);
// Binds the operands and `context` of a method of Decimal.
bool bind_operands(const char *const *names, int operands, const ValueRef *args, size_t nargs,
                   ValueRef kwnames, ValueRef *slots, ContextObject **context);

// ---- decimal_current.c
extern const MethodDef current_functions[];
bool current_init(ValueRef module);
void current_finish(void);
// DefaultContext, borrowed; NULL while the module is made.
const ContextObject *default_template(void);
extern const Context default_settings; // what DefaultContext is made of
// False with RuntimeError pending: the machine ends, and the module has been freed.
bool decimal_lives(void);
// The context of operators, borrowed: valid until script code may have run. NULL with an exception
// pending.
ContextObject *current_context(void);
