// Lending bytes: the general part. bytes, bytearray and memoryview lend their bytes by the slot
// `buffer`.
//
// A buffer owns a reference to the lender. A lender whose bytes may move counts its buffers, and
// does not move them meanwhile. buffer_release() undoes both.
#include "objects/bytes/buffer.h"
#include "objects/error.h"

bool buffer_check(ValueRef value)
{
    return type_of(value)->buffer != NULL;
}

void buffer_fill(Buffer *buffer, ValueRef owner, void *bytes, ssize_t size, bool read_only)
{
    *buffer = (Buffer){
        .owner = retain(owner),
        .bytes = bytes,
        .size = size,
        .item_size = 1,
        .read_only = read_only,
        .format = "B",
        .dimensions = 1,
    };
}

bool buffer_is_contiguous(const Buffer *buffer)
{
    if (!buffer->strides) return true;
    // As in CPython, one dimension without items is judged by its stride, several are not.
    if (buffer->dimensions == 1)
        return buffer->shape[0] == 1 || buffer->strides[0] == buffer->item_size;
    ssize_t expected = buffer->item_size;
    for (int i = buffer->dimensions - 1; i >= 0; i--) {
        if (buffer->shape[i] == 0) return true;
        if (buffer->shape[i] != 1 && buffer->strides[i] != expected) return false;
        expected *= buffer->shape[i];
    }
    return true;
}

// One dimension after the other; returns the end of what was written.
static char *copy_dimension(const Buffer *buffer, int dimension, const char *bytes, char *target)
{
    if (dimension == buffer->dimensions) {
        memcpy(target, bytes, (size_t)buffer->item_size);
        return target + buffer->item_size;
    }
    for (ssize_t i = 0; i < buffer->shape[dimension]; i++)
        target =
            copy_dimension(buffer, dimension + 1, bytes + i * buffer->strides[dimension], target);
    return target;
}

void buffer_copy(const Buffer *buffer, char *target)
{
    if (buffer->size == 0) return;
    if (buffer_is_contiguous(buffer))
        memcpy(target, buffer->bytes, (size_t)buffer->size);
    else
        copy_dimension(buffer, 0, buffer->bytes, target);
}

bool buffer_get_strided(ValueRef value, Buffer *buffer, bool writable)
{
    BufferFn lend_buffer = type_of(value)->buffer;
    *buffer = (Buffer){0};
    if (!lend_buffer)
        return raise_error(TypeError, "a bytes-like object is required, not '%.100T'", value);
    return lend_buffer(value, buffer, writable);
}

bool buffer_get(ValueRef value, Buffer *buffer, bool writable)
{
    if (!buffer_get_strided(value, buffer, writable)) return false;
    if (buffer_is_contiguous(buffer)) return true;
    buffer_release(buffer);
    return raise_error(BufferError, "memoryview: underlying buffer is not C-contiguous");
}

void buffer_release(Buffer *buffer)
{
    if (!buffer->owner) return;
    ReleaseFn release = type_of(buffer->owner)->release_buffer;
    if (release) release(object_of(buffer->owner));
    drop_slot(&buffer->owner);
}
