// The buffer protocol: an object lends its bytes, and does not move them meanwhile.
#pragma once

#include "objects/object.h"

struct Buffer {
    Value owner; // owned; VALUE_ERROR = no reference is held
    char *bytes;
    ssize_t size; // in bytes
    ssize_t item_size;
    bool read_only;
    const char *format; // struct-module format of an item; "B" for bytes
    int dimensions;     // 1, but for a cast memoryview
    ssize_t *shape,
        *strides; // `dimensions` each, owned by the lender; NULL = contiguous and one-dimensional
};

// TypeError "a bytes-like object is required, not 'T'" if the type lends no bytes; BufferError if
// it cannot lend them now.
bool buffer_get(ValueRef value, Buffer *buffer, bool writable);
// The same for a caller that uses `shape` and `strides`; buffer_get() refuses a buffer with gaps.
bool buffer_get_strided(ValueRef value, Buffer *buffer, bool writable);
// Are the items contiguous, with the last dimension varying fastest?
bool buffer_is_contiguous(const Buffer *buffer);
// Fills in the fields for contiguous bytes, for a type's slot `buffer`. Retains the owner.
void buffer_fill(Buffer *buffer, ValueRef owner, void *bytes, ssize_t size, bool read_only);
// Copies all items to `target`, `size` bytes, the last dimension varying fastest.
void buffer_copy(const Buffer *buffer, char *target);
void buffer_release(Buffer *buffer);
bool buffer_check(ValueRef value);
