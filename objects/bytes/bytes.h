// bytes and bytearray. They share their methods (bytes_methods.def), which differ only in the type
// of the result.
#pragma once

#include "objects/type.h"

typedef struct Bytes {
    Object base;
    ssize_t size;
    int64_t hash; // -1 = not computed yet
    char data[];  // `size` bytes and a NUL
} Bytes;

//     block                 data                                  block + capacity
//     | deleted in front    | `size` bytes, then a NUL | room     |
typedef struct ByteArray {
    Object base;
    ssize_t size, capacity;
    ssize_t exports; // buffers lent: the bytes may not move
    char *data;
    char *block; // NULL = nothing allocated yet; `data` then points to an empty text
} ByteArray;

extern Type bytes_type, bytearray_type, memoryview_type;
extern Type bytes_iterator_type, bytearray_iterator_type;

// Frees the shared bytes: the empty one and those of one byte.
void bytes_finish(void);

static inline bool bytes_check(ValueRef value)
{
    return has_flag(value, TYPE_BYTES);
}
static inline bool bytes_check_exact(ValueRef value)
{
    return is_exactly(value, &bytes_type);
}
static inline Bytes *as_bytes(ValueRef value)
{
    invariant(is_allocated(value) && bytes_check(value), "what is read as a bytes object is one");
    return (Bytes *)object_of(value);
}

static inline bool bytearray_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(object_of(value)->type, &bytearray_type);
}
static inline ByteArray *as_bytearray(ValueRef value)
{
    invariant(is_allocated(value) && bytearray_check(value), "what is read as a bytearray is one");
    return (ByteArray *)object_of(value);
}

Value bytes_new(const void *data, size_t size); // data NULL = not initialised
Value bytearray_new(const void *data, size_t size);
Value memoryview_new(ValueRef value);
Value bytes_from_value(ValueRef value);  // bytes(value)
Value bytes_from_object(ValueRef value); // the same, but a number is no count of zeros
Value bytes_repr(ValueRef bytes);
