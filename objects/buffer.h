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
void buffer_release(Buffer *buffer);
bool buffer_check(ValueRef value);
