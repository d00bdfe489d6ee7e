// Calling values, and what a built-in function does with its arguments.
//
// Every built-in function has the same C signature, CallFn. Its MethodDef says which arguments it
// takes. builtin_call() in method.c checks them before it calls the function, and raises CPython's
// TypeError. So the body of the function starts with the right number of arguments.
#pragma once

#include "objects/object.h"

// The parameters of a CallFn after self, for functions that do not use all of them.
#define METHOD_ARGS                                                                                \
    __attribute__((unused)) const ValueRef *args, __attribute__((unused)) size_t nargs,            \
        __attribute__((unused)) ValueRef kwnames
// All parameters of a CallFn, for the functions of a module, which rarely need `self`.
#define FUNCTION_ARGS __attribute__((unused)) ValueRef self, METHOD_ARGS

typedef enum MethodKind {
    METHOD_NONE,       // no arguments: "f() takes no arguments (1 given)" (METH_NOARGS)
    METHOD_ONE,        // one: "f() takes exactly one argument (2 given)" (METH_O)
    METHOD_POSITIONAL, // min..max positional: "f expected at most 2 arguments, got 3"
                       // (METH_FASTCALL)
    METHOD_UNPACKED,   // the same, with its bare name where it takes no keywords (METH_VARARGS)
    METHOD_PARSED,     // the same: "f() takes at most 2 arguments (3 given)" (PyArg_ParseTuple)
    METHOD_KEYWORDS,   // any: the body calls args_bind() (METH_FASTCALL | METH_KEYWORDS)
} MethodKind;

typedef struct MethodDef {
    const char *name;
    CallFn function;
    uint8_t kind;     // MethodKind
    uint8_t flags;    // MethodFlag
    int16_t min, max; // of METHOD_POSITIONAL and what follows it; max -1 = any number
    const char *doc;  // may be NULL; "name(sig)\n--\n\ntext" gives __text_signature__ as in CPython
} MethodDef;

typedef enum MethodFlag {
    METHOD_STATIC = 1,
    METHOD_CLASS = 2,
    METHOD_COEXIST = 4,
    METHOD_ANY_NAMES = 8, // bound to an object, f(**{1: 2}) is no TypeError: it checks `kwnames`
} MethodFlag;

#define NO_ARGS METHOD_NONE, 0, 0, 0
#define ONE_ARG METHOD_ONE, 0, 1, 1
#define ARGS(min, max) METHOD_POSITIONAL, 0, min, max
#define UNPACKED_ARGS(min, max) METHOD_UNPACKED, 0, min, max
#define PARSED_ARGS(min, max) METHOD_PARSED, 0, min, max
#define KEYWORD_ARGS METHOD_KEYWORDS, 0, 0, -1
#define ANY_KEYWORD_ARGS METHOD_KEYWORDS, METHOD_ANY_NAMES, 0, -1

// Calls anything callable. See CallFn for the arguments. TypeError "'T' object is not callable".
Value object_call(ValueRef callable, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value object_call_none(ValueRef callable);
Value object_call_one(ValueRef callable, ValueRef argument);
Value object_call_two(ValueRef callable, ValueRef first, ValueRef second);
// f(*args, **kwargs): a tuple, and a dict or VALUE_ERROR.
Value object_call_spread(ValueRef callable, ValueRef args, ValueRef kwargs);
// The arguments of f(*args, **kwargs) as object_call() takes them, `self` in front unless it is 0.
#define FEW_ARGUMENTS 12
typedef struct SpreadArguments {
    const ValueRef *values; // the positional ones are borrowed, those of keywords owned
    size_t nargs, keywords; // how many of each
    Value names;            // of the keywords, or 0
    ValueRef *array;        // where `values` were put together; NULL = they are the items of `args`
    ValueRef few[FEW_ARGUMENTS];
} SpreadArguments;
// False with TypeError or MemoryError pending. `args` must live until spread_end().
bool spread_begin(SpreadArguments *spread, ValueRef self, ValueRef args, ValueRef kwargs);
void spread_end(SpreadArguments *spread);
// Calls self.name(args...), `args[0]` being self and counted in nargs.
Value object_call_method(ValueRef name, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value object_call_method_none(ValueRef self, ValueRef name);
Value object_call_method_one(ValueRef self, ValueRef name, ValueRef argument);
bool object_is_callable(ValueRef value);

// Binds the arguments of a METHOD_KEYWORDS function (or of new_ and init) to named parameters.
typedef struct Signature {
    const char *function;     // its name in messages, without the parentheses; "" = none
    const char *const *names; // ends with NULL; "" = positional only
    int required;             // how many of the first parameters must be given
    int positional;           // how many may be given by position; the rest are keyword-only
} Signature;
// Sets slots[i] (borrowed) for each parameter, to VALUE_ERROR if it is not given. False with
// TypeError pending.
bool args_bind(const Signature *signature, const ValueRef *args, size_t nargs, ValueRef kwnames,
               ValueRef *slots);
// For functions that take positional arguments only: checks the number and that there are no
// keywords.
bool args_check(const char *function, size_t nargs, ValueRef kwnames, ssize_t min, ssize_t max);
bool args_no_keywords(const char *function, ValueRef kwnames);
// The keyword arguments as an owned dict (empty where there are none).
Value args_keywords(const ValueRef *args, size_t nargs, ValueRef kwnames);
