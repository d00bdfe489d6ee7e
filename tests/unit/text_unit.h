// Short ways to call methods and compare what they give, for the tests of str, bytes and codecs.
// All Values are taken over by the function they are passed to.
#pragma once

#include "tests/unit/unit.h"

#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdarg.h>

#define END VALUE_ERROR // after the last argument
#define S(text) str_new(text)
#define B(text) bytes_new(text, sizeof(text) - 1)
#define I(number) int_new(number)

// The repr of a value, or "TypeError: message" where there is none; as an owned str.
static inline Value outcome(Value value)
{
    Value shown;
    if (value) {
        shown = object_repr(value);
        drop(value);
        ck_assert_ptr_nonnull(shown);
        return shown;
    }
    Value error = error_take();
    ck_assert_ptr_nonnull(error);
    shown = format_text("%T: %S", (ValueRef)error, (ValueRef)error);
    drop(error);
    return shown;
}

// value.name(arguments..., END)
static inline Value call(Value self, const char *name, ...)
{
    Value args[8] = {self}, method_name = str_intern(name);
    size_t count = 1;
    va_list list;
    va_start(list, name);
    for (Value arg; (arg = va_arg(list, Value)) != END;) args[count++] = arg;
    va_end(list);
    Value result = object_call_method(method_name, lend(args), count, 0);
    for (size_t i = 0; i < count; i++) drop(args[i]);
    drop(method_name);
    return result;
}

// type(arguments..., END)
static inline Value make(Type *type, ...)
{
    Value args[8] = {0};
    size_t count = 0;
    va_list list;
    va_start(list, type);
    for (Value arg; (arg = va_arg(list, Value)) != END;) args[count++] = arg;
    va_end(list);
    Value result = object_call(ref_of(type), lend(args), count, 0);
    for (size_t i = 0; i < count; i++) drop(args[i]);
    return result;
}

static inline Value binary(Value left, BinaryOp op, Value right)
{
    Value result = object_binary(left, right, op);
    drop(left);
    drop(right);
    return result;
}

static inline Value subscript(Value value, Value key)
{
    Value result = object_subscript(value, key);
    drop(value);
    drop(key);
    return result;
}

static inline Value tuple2(Value a, Value b)
{
    Value items[2] = {a, b};
    return tuple_from_owned(items, 2);
}

#define CHECK(expected, value)                                                                     \
    do {                                                                                           \
        Value shown_ = outcome(value);                                                             \
        ck_assert_str_eq(str_utf8(shown_, NULL), expected);                                        \
        drop(shown_);                                                                              \
    } while (0)
