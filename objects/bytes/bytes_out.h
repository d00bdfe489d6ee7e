// Bytes that are being made: a buffer that grows.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct BytesOut {
    uint8_t *bytes; // memory_alloc()'s, or NULL
    size_t size, capacity;
    bool failed; // there was no memory: what came later is lost
} BytesOut;

// Room for so many more bytes. False: failed.
bool bytes_out_room(BytesOut *out, size_t more);
void bytes_out_add(BytesOut *out, const void *bytes, size_t size);
void bytes_out_byte(BytesOut *out, unsigned byte);
// Copies a buffer for a copy of what owns it. False: there is no memory, and `copy` is empty.
bool bytes_out_copy(BytesOut *copy, const BytesOut *out);
void bytes_out_free(BytesOut *out);
