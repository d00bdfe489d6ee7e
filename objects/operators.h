// The protocols of any value: what repr(), ==, a.b, a + b, a[i], for, in, len() call.
//
// Each function calls the slot of the type (slots.def), and raises CPython's TypeError if there is
// none. All may run script code unless the line says otherwise. (CPython: Objects/object.c and
// Objects/abstract.c.)
#pragma once

#include "objects/object.h"

// ---- basics
Value object_repr(ValueRef value);                  // a str
Value object_str(ValueRef value);                   // a str
Value object_ascii(ValueRef value);                 // a str
Value object_format(ValueRef value, ValueRef spec); // format(); spec is a str or VALUE_ERROR
bool object_hash(ValueRef value, int64_t *hash);
bool object_hash_unhashable(ValueRef value, int64_t *hash); // slot for __hash__ = None: TypeError
bool object_truth(ValueRef value, bool *truth);
Value object_not(ValueRef value);
// The order of two numbers, two strs or two tuples: <0, 0, >0. False = only object_compare() can
// tell. Runs no script code.
bool quick_order(ValueRef left, ValueRef right, int *order);
// Does the order of two values, as `order` is to 0, answer the comparison with yes?
static inline bool order_holds(int order, CompareOp op)
{
    static const uint8_t held[] = {[COMPARE_LT] = 1, [COMPARE_LE] = 3, [COMPARE_EQ] = 2,
                                   [COMPARE_NE] = 5, [COMPARE_GT] = 4, [COMPARE_GE] = 6};
    return held[op] >> ((order > 0) - (order < 0) + 1) & 1;
}
Value object_compare(ValueRef left, ValueRef right, CompareOp op);
bool object_compare_bool(ValueRef left, ValueRef right, CompareOp op,
                         bool *result);                        // identity implies equality
bool object_equal(ValueRef left, ValueRef right, bool *equal); // the same with COMPARE_EQ
bool object_is_instance(ValueRef value, ValueRef classes, bool *result); // isinstance()
bool object_is_subclass(ValueRef value, ValueRef classes, bool *result); // issubclass()
Value object_dir(ValueRef value);          // dir(value): a sorted list
int64_t hash_pointer(const void *pointer); // from memory_id(); runs no script code
// SipHash-2-4, with a zero key where no seed is given; never -1, 0 for no bytes.
int64_t hash_bytes(const void *bytes, size_t size);
void hash_seed(uint32_t seed); // PYTHONHASHSEED; comes before anything is hashed
Value not_implemented(void);   // NotImplemented, for slots

// ---- repr of containers: *again becomes true if the repr of `value` is already being made; print
// "[...]" then
bool repr_enter(ValueRef value, bool *again);
void repr_leave(ValueRef value);

// ---- attributes. `name` is a str.
Value object_get(ValueRef value, ValueRef name);
Value object_get_optional(ValueRef value, ValueRef name); // ABSENT for AttributeError
bool object_set(ValueRef value, ValueRef name, ValueRef attribute);
bool object_delete(ValueRef value, ValueRef name);
Value object_generic_get(ValueRef value,
                         ValueRef name); // the slot of object: descriptors, __dict__
bool object_generic_set(ValueRef value, ValueRef name, ValueRef attribute);
// For LOAD_METHOD. Returns a function, with *bound false, if the call must pass `value` as the
// first argument; else the attribute itself, with *bound true.
Value object_get_method(ValueRef value, ValueRef name, bool *bound);
// type(value).name bound to value; ignores attributes of the instance. ABSENT if the type has none.
Value object_special(ValueRef value, ValueRef name);

// ---- arithmetic
typedef enum BinaryOp {
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_REMAINDER,
    OP_DIVMOD,
    OP_LSHIFT,
    OP_RSHIFT,
    OP_AND,
    OP_XOR,
    OP_OR,
    OP_FLOOR_DIVIDE,
    OP_TRUE_DIVIDE,
    OP_MATRIX_MULTIPLY,
    OP_POWER,
    BINARY_OP_COUNT
} BinaryOp;
Value object_binary(ValueRef left, ValueRef right, BinaryOp op);
Value object_inplace(ValueRef left, ValueRef right, BinaryOp op);
Value object_power(ValueRef base, ValueRef exponent, ValueRef modulus); // modulus NONE = none
Value object_negative(ValueRef value);
Value object_positive(ValueRef value);
Value object_invert(ValueRef value);
Value object_absolute(ValueRef value);
bool object_is_number(ValueRef value); // can it be made an int or a float? (PyNumber_Check)
Value object_int(ValueRef value);      // int(value)
Value object_float(ValueRef value);    // float(value)
Value object_index(ValueRef value);    // operator.index(): an int
// The same; if there is no __index__, the result of __int__, with a DeprecationWarning.
Value object_index_or_int(ValueRef value);
// An index as a ssize_t. If it does not fit, it is clamped if `error` is NULL; else `error` is
// raised (IndexError, OverflowError).
bool object_as_ssize(ValueRef value, ssize_t *number, Type *error);

// ---- containers
bool object_length(ValueRef value, ssize_t *length);
bool object_length_hint(ValueRef value, ssize_t fallback, ssize_t *length);
Value object_subscript(ValueRef value, ValueRef key);
bool object_set_subscript(ValueRef value, ValueRef key, ValueRef item);
bool object_delete_subscript(ValueRef value, ValueRef key);
bool object_contains(ValueRef value, ValueRef item, bool *found);
Value sequence_item(ValueRef value, ssize_t index); // IndexError past the end
Value sequence_list(ValueRef iterable);             // list(iterable)
Value sequence_tuple(ValueRef iterable);            // tuple(iterable)
// `iterable` itself if it is a list or a tuple, else a new list; TypeError with `message` if it is
// not iterable.
Value sequence_fast(ValueRef iterable, const char *message);
bool sequence_check(ValueRef value); // has item slots and is no dict
bool mapping_check(ValueRef value);
Value mapping_keys(ValueRef mapping); // a list

// ---- iteration
Value object_iter(ValueRef value);
Value object_next(ValueRef iterator); // ABSENT at the end (StopIteration is turned into it)
bool object_is_iterator(ValueRef value);
