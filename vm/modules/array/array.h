// What the files of the module array share: an array, and the kinds of its items.
//
//     +----------+------+------+------+----------+-------+          +----+----+----+- - -+
//     | refcount | type | kind | size | capacity | items | -------> | 10 | 20 | 30 |     |
//     +----------+------+------+------+----------+-------+          +----+----+----+- - -+
//
// Items are numbers of C, or code points, beside each other; a Value is made when one is read.
// While a buffer is lent (`exports`) the size may not change, so every change goes through
// array_resize(). Making an item of a value may run script code, which may change the array: its
// bytes are made first, then the array is looked at.
#pragma once

#include "objects/bytes/buffer.h"
#include "objects/bytes/item_format.h"
#include "objects/call.h"
#include "objects/type.h"

#define ARRAY_ITEM_MAX 8 // bytes

// Why a number does not fit: "<name> is less than minimum".
typedef struct ItemRange {
    const char *name;
    int64_t min, max;
} ItemRange;

typedef enum ItemClass { ITEM_SIGNED, ITEM_UNSIGNED, ITEM_REAL, ITEM_CHARACTER } ItemClass;

typedef struct ArrayKind {
    const char *letter;     // the typecode
    const char *format;     // in the buffer protocol
    uint8_t class;          // ItemClass
    uint8_t size;           // bytes of an item
    uint8_t machine_format; // a code for all this, the same on every machine (array_pickle.c)
    ItemRange ranges[2];    // asked one after the other, as CPython does; a NULL name ends them
} ArrayKind;

typedef struct Array {
    Object base;
    const ArrayKind *kind;
    ssize_t size, capacity; // in items
    char *items;            // NULL = no capacity
    ssize_t exports;        // buffers that are lent
    Value weakrefs;
} Array;

extern Type array_type, array_iterator_type;

static inline bool array_check(ValueRef value)
{
    return type_of(value) == &array_type || type_is_subtype(type_of(value), &array_type);
}
static inline Array *as_array(ValueRef value)
{
    return (Array *)object_of(value);
}
static inline char *array_at(const Array *array, ssize_t index)
{
    return array->items + index * array->kind->size;
}

// ---- array_kind.c

extern const ArrayKind array_kinds[]; // ends with a NULL letter
// The kind of a typecode; NULL where there is none, and nothing is raised.
const ArrayKind *array_kind(uint32_t typecode);
// An argument that is one character. TypeError "<function> argument <number> must be a unicode
// character, not T".
bool typecode_argument(ValueRef value, const char *function, int number, uint32_t *typecode);
// The item at this address, owned. ValueError for a code point that Unicode has not.
Value item_read(const ArrayKind *kind, const char *bytes);
// The bytes of a value, at most ARRAY_ITEM_MAX. TypeError, OverflowError. May run script code.
bool item_write(const ArrayKind *kind, ValueRef value, char *bytes);

// ---- array.c

// A new array of this type with `size` items, which are zeros. MemoryError.
Value array_new(Type *type, const ArrayKind *kind, ssize_t size);
// BufferError while a buffer is lent.
bool array_can_resize(const Array *array);
// Sets the size; new items are to be filled. BufferError while a buffer is lent, MemoryError.
bool array_resize(Array *array, ssize_t size);
// Replaces the items low..high by room for `count` others.
bool array_make_gap(Array *array, ssize_t low, ssize_t high, ssize_t count);
bool array_insert(Array *array, ssize_t index, ValueRef value);
// Copies `count` items of the same kind to the index `at` and after it.
void array_copy(Array *array, ssize_t at, const char *items, ssize_t count);
static inline Value array_item(const Array *array, ssize_t index)
{
    return item_read(array->kind, array_at(array, index));
}
// An equal array of exactly the type array: the items low..high.
Value array_part(const Array *array, ssize_t low, ssize_t high);
// Appends the items of another array, which may be the same. TypeError for another kind.
bool array_extend_array(Array *array, ValueRef other);
bool array_extend(Array *array, ValueRef iterable);
// Appends the items that these bytes are. ValueError where the last one is not whole.
bool array_append_bytes(Array *array, const void *bytes, ssize_t size);
Value array_list(const Array *array);
Value array_bytes(const Array *array);
// Appends the characters of a str; the items are characters.
bool array_append_text(Array *array, ValueRef text);
// array(typecode, initial); `initial` may be 0.
Value array_make(Type *type, uint32_t typecode, ValueRef initial);

// ---- array_methods.c, array_pickle.c

extern const MethodDef array_methods[];
Value array_text(const Array *array); // the characters as a str
Value array_reduce_ex(ValueRef self, METHOD_ARGS);
Value array_reconstruct(FUNCTION_ARGS);
