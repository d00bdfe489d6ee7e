// The buffer protocol: bytes that an object lends, and what keeps it from moving them meanwhile.
#pragma once

#include "objects/object.h"

struct Buffer {
    Value owner; // owned; 0 where nothing is held
    char *bytes;
    ssize_t size; // in bytes
    ssize_t item_size;
    bool read_only;
    const char *format; // struct-module format of an item; "B" for bytes
    int dimensions;     // 1, but for a cast memoryview
    ssize_t *shape,
        *strides; // `dimensions` each, owned by the lender; NULL = contiguous and one-dimensional
};

// TypeError "a bytes-like object is required, not 'T'" where the type lends nothing; BufferError
// where it cannot now.
bool buffer_get(ValueRef value, Buffer *buffer, bool writable);
// The same for one who minds `shape` and `strides`: buffer_get() refuses a buffer with gaps.
bool buffer_get_strided(ValueRef value, Buffer *buffer, bool writable);
// The items lie one behind the other, the last dimension fastest.
bool buffer_is_contiguous(const Buffer *buffer);
// Fills in the fields of a plain run of bytes; what a type's `buffer` slot does. Retains the owner.
void buffer_fill(Buffer *buffer, ValueRef owner, void *bytes, ssize_t size, bool read_only);
// All items one behind the other, the last dimension fastest: `size` bytes into `target`.
void buffer_copy(const Buffer *buffer, char *target);
void buffer_release(Buffer *buffer);
bool buffer_check(ValueRef value);
