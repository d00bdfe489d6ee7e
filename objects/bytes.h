// bytes and bytearray. Their methods are the same but for what they return; both are in bytes.c.
#pragma once

#include "objects/object.h"

typedef struct Bytes {
    Object base;
    ssize_t size;
    int64_t hash; // -1 = not computed yet
    char data[];  // `size` bytes and a NUL
} Bytes;

typedef struct ByteArray {
    Object base;
    ssize_t size, capacity;
    ssize_t exports; // buffers lent: the bytes may not move
    char *data;
} ByteArray;

extern Type bytes_type, bytearray_type, memoryview_type;

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
    return (Bytes *)object_of(value);
}

Value bytes_new(const void *data, size_t size); // data NULL = not initialised
Value bytearray_new(const void *data, size_t size);
Value memoryview_new(ValueRef value);
Value bytes_from_value(ValueRef value); // bytes(value)
Value bytes_repr(ValueRef bytes);
