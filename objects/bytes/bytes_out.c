// See bytes_out.h.
#include "objects/bytes/bytes_out.h"

#include "objects/memory.h"

#include <string.h>

bool bytes_out_room(BytesOut *out, size_t more)
{
    if (out->failed) return false;
    if (out->capacity - out->size >= more) return true;
    size_t wanted = out->size + more;
    size_t capacity = wanted < SIZE_MAX / 2 ? wanted + wanted / 2 + 256 : wanted;
    uint8_t *bytes = wanted < more ? NULL : memory_resize(out->bytes, capacity);
    out->failed = !bytes;
    if (out->failed) return false;
    out->bytes = bytes;
    out->capacity = capacity;
    return true;
}

void bytes_out_add(BytesOut *out, const void *bytes, size_t size)
{
    if (size == 0 || !bytes_out_room(out, size)) return;
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

void bytes_out_byte(BytesOut *out, unsigned byte)
{
    if (bytes_out_room(out, 1)) out->bytes[out->size++] = (uint8_t)byte;
}

bool bytes_out_copy(BytesOut *copy, const BytesOut *out)
{
    *copy = (BytesOut){0};
    bytes_out_add(copy, out->bytes, out->size);
    return !copy->failed;
}

void bytes_out_free(BytesOut *out)
{
    memory_free(out->bytes);
    *out = (BytesOut){0};
}
