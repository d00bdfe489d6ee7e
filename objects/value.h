// A value of the language in one 64-bit word (NaN-boxing), on every machine.
//
//     0000 0000 0000 0000            VALUE_ERROR, also "unbound" in a slot: no value at all
//     0000 pppp pppp pppp            a pointer to a heap object, as it is
//     0001 0000 0000 000n            None, False, True, NotImplemented, Ellipsis, ABSENT
//     0002 .... to FFF2 ....         a double, its bits plus 2^49; every double but a NaN
//     FFFE .... to FFFF ....         an integer of 49 bits, -2^48 .. 2^48-1
//
// A NaN has identity in Python (`nan in [nan]`), so it is a heap object (float.c). Integers
// beyond 49 bits are heap objects (int.c); a heap integer is never in the small range, else
// equality and hashing would split.
//
// The C type says who owns. A `Value` is owned: its owner must drop() it or hand it on. A
// `ValueRef` is borrowed: it is valid only while its owner keeps the value, so do not use it after
// script code may have run. The two are different C types. A Value converts to a ValueRef
// implicitly; a ValueRef becomes a Value only through retain(), and anything else does not compile.
// Arguments are borrowed and results are owned, unless a header says otherwise.
//
// Where pointers have 64 bits, both types are pointers to structs that are never defined, so the
// compiler tells them apart. Where pointers have 32 bits, both are a 64-bit integer, so the
// compiler refuses whatever would cut a Value in two: NULL, `void *`, long. `make check` compiles
// the sources both ways (tests/house/values.sh).
//
// Failure has one shape. A function that makes a Value returns VALUE_ERROR with the exception
// pending (objects/error.h); a status function returns false. Where a missing result is no failure
// (a missing key, the end of an iterator), the Value returned is ABSENT, and the header says so.
//
// VALUE_ERROR also stands for an optional Value that is not given: an empty field, or an argument
// such as `kwnames`. For a pointer that is NULL. VALUE_ERROR is the word 0, so zeroed memory holds
// empty fields, and `!value` tests for one.
#pragma once

#include "objects/invariant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#if UINTPTR_MAX > UINT32_MAX
typedef struct ValueBits *Value;
typedef const struct ValueBits *ValueRef;
#else
typedef uint64_t Value, ValueRef;
#endif

typedef struct Object Object;
typedef struct Type Type;

#define VALUE_ERROR ((Value)0)

#define IMMEDIATE_BASE 0x0001000000000000ull
#define FLOAT_OFFSET 0x0002000000000000ull
#define INT_TAG 0xFFFE000000000000ull
#define SMALL_BITS 49
#define SMALL_MAX ((int64_t)0x0000FFFFFFFFFFFF)
#define SMALL_MIN (-SMALL_MAX - 1)

#define IMMEDIATE(n) ((Value)(IMMEDIATE_BASE + (n)))
#define NONE IMMEDIATE(0)
#define FALSE IMMEDIATE(1)
#define TRUE IMMEDIATE(2)
#define NOT_IMPLEMENTED IMMEDIATE(3)
#define ELLIPSIS IMMEDIATE(4)
#define ABSENT IMMEDIATE(5) // never seen by a script
#define IMMEDIATE_COUNT 6

static inline uint64_t bits_of(ValueRef value)
{
    return (uint64_t)value;
}
static inline Value from_bits(uint64_t bits)
{
    return (Value)bits;
}

// Only these three functions convert between a pointer to an object and a Value. The cast goes
// through uintptr_t, because a compiler may extend the sign of a pointer that is cast to a wider
// integer.
//
// ref_of() lends an object as a value.
static inline ValueRef ref_of(const void *object)
{
    return (ValueRef)(uintptr_t)object;
}
// Turns a pointer that owns a reference (to an object just made, or a field) into a Value that owns
// it.
static inline Value own(void *object)
{
    return (Value)(uintptr_t)object;
}
static inline Object *object_of(ValueRef value)
{
    return (Object *)(uintptr_t)value;
}

// A pointer to a heap object; false for VALUE_ERROR and for everything immediate.
static inline bool is_object(ValueRef value)
{
    return bits_of(value) - 1 < IMMEDIATE_BASE - 1;
}

// An integer held in the word itself. Not every int: see int_check() in int.h.
static inline bool is_small(ValueRef value)
{
    return bits_of(value) >= INT_TAG;
}
static inline bool are_small(ValueRef a, ValueRef b)
{
    return (bits_of(a) & bits_of(b)) >= INT_TAG;
}

// A float held in the word itself: every float but a NaN and instances of subclasses.
static inline bool is_double(ValueRef value)
{
    return bits_of(value) - FLOAT_OFFSET < INT_TAG - FLOAT_OFFSET;
}

static inline bool is_bool(ValueRef value)
{
    return bits_of(value) - (IMMEDIATE_BASE + 1) < 2;
}

static inline int64_t small_value(ValueRef value)
{
    invariant(is_small(value), "only a small int is read from the word");
    return (int64_t)(bits_of(value) << 15) >> 15;
}
static inline bool fits_small(int64_t number)
{
    return number >= SMALL_MIN && number <= SMALL_MAX;
}
static inline Value from_small(int64_t number)
{
    invariant(fits_small(number), "a word holds a small int alone");
    return from_bits(INT_TAG | (uint64_t)number);
}

static inline double double_value(ValueRef value)
{
    invariant(is_double(value), "only a float that is no NaN is read from the word");
    uint64_t bits = bits_of(value) - FLOAT_OFFSET;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// The number must not be a NaN: float_new() in float.h takes any double.
static inline Value from_double(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return from_bits(bits + FLOAT_OFFSET);
}

static inline Value from_bool(bool truth)
{
    return truth ? TRUE : FALSE;
}

// An array of owned values lent as an array of borrowed ones.
static inline const ValueRef *lend(const Value *values)
{
    return (const ValueRef *)values;
}
