// Methods of bytes and bytearray that search bytes in bytes: find, index, count, startswith,
// endswith, removeprefix, removesuffix, replace, partition.
//
// The pattern is a Buffer, or a single byte given as an int. bytes_parts.h says why arguments are
// read before self.
#include "objects/bytes/bytes_parts.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"

// ---- the pattern

typedef struct Needle {
    Buffer buffer; // no owner where it is the single byte
    uint8_t byte;
    const char *data;
    ssize_t size;
} Needle;

static bool needle_get(ValueRef value, Needle *needle)
{
    needle->buffer.owner = VALUE_ERROR;
    if (buffer_check(value)) {
        if (!buffer_get(value, &needle->buffer, false)) return false;
        needle->data = needle->buffer.bytes;
        needle->size = needle->buffer.size;
        return true;
    }
    if (!is_small(value) && !type_of(value)->index)
        return raise_error(TypeError,
                           "argument should be integer or bytes-like object, not '%.200T'", value);
    if (!byte_value(value, &needle->byte, NULL)) return false;
    needle->data = (const char *)&needle->byte;
    needle->size = 1;
    return true;
}

static bool search_arguments(const ValueRef *args, size_t nargs, Needle *needle, ssize_t *start,
                             ssize_t *end)
{
    return range_arguments(args, nargs, start, end) && needle_get(args[0], needle);
}

// ---- find and its kin

static bool find(ValueRef self, const ValueRef *args, size_t nargs, int direction,
                 ssize_t *position)
{
    Needle needle;
    ssize_t start, end;
    if (!search_arguments(args, nargs, &needle, &start, &end)) return false;
    View view = view_of(self);
    range_clamp(view.size, &start, &end);
    *position = -1;
    if (end - start >= needle.size)
        *position =
            text_find(1, view.data + start, end - start, 1, needle.data, needle.size, direction);
    if (*position >= 0) *position += start;
    buffer_release(&needle.buffer);
    return true;
}

static Value find_or_raise(ValueRef self, const ValueRef *args, size_t nargs, int direction)
{
    ssize_t position;
    if (!find(self, args, nargs, direction, &position)) return VALUE_ERROR;
    return position < 0 ? raise_error(ValueError, "subsection not found") : from_small(position);
}

METHOD_HEAD(bytes, find)
{
    ssize_t position;
    return find(self, args, nargs, 1, &position) ? from_small(position) : VALUE_ERROR;
}

METHOD_HEAD(bytes, rfind)
{
    ssize_t position;
    return find(self, args, nargs, -1, &position) ? from_small(position) : VALUE_ERROR;
}

METHOD_HEAD(bytes, index)
{
    return find_or_raise(self, args, nargs, 1);
}

METHOD_HEAD(bytes, rindex)
{
    return find_or_raise(self, args, nargs, -1);
}

METHOD_HEAD(bytes, count)
{
    Needle needle;
    ssize_t start, end, count = 0;
    if (!search_arguments(args, nargs, &needle, &start, &end)) return VALUE_ERROR;
    View view = view_of(self);
    range_clamp(view.size, &start, &end);
    if (end - start >= needle.size)
        count = needle.size == 0 ? end - start + 1
                                 : text_count(1, view.data + start, end - start, 1, needle.data,
                                              needle.size, SSIZE_MAX, NULL);
    buffer_release(&needle.buffer);
    return from_small(count);
}

// ---- beginnings and ends

// self[start:end] begins (direction 1) or ends (-1) with the bytes that `value` lends.
static bool matches_tail(ValueRef self, ValueRef value, ssize_t start, ssize_t end, int direction,
                         bool *matches)
{
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return false;
    View view = view_of(self);
    range_clamp(view.size, &start, &end);
    *matches = false;
    if (end - start >= buffer.size) {
        ssize_t at = direction > 0 ? start : end - buffer.size;
        *matches =
            buffer.size == 0 || memcmp(view.data + at, buffer.bytes, (size_t)buffer.size) == 0;
    }
    buffer_release(&buffer);
    return true;
}

static Value match_tail(const char *function, ValueRef self, const ValueRef *args, size_t nargs,
                        int direction)
{
    ssize_t start, end;
    bool matches = false;
    if (!range_arguments(args, nargs, &start, &end)) return VALUE_ERROR;
    if (tuple_check(args[0])) {
        for (ssize_t i = 0; i < tuple_size(args[0]) && !matches; i++)
            if (!matches_tail(self, tuple_at(args[0], i), start, end, direction, &matches))
                return VALUE_ERROR;
        return from_bool(matches);
    }
    if (!buffer_check(args[0]))
        return raise_error(TypeError, "%s first arg must be bytes or a tuple of bytes, not %.100T",
                           function, args[0]);
    if (!matches_tail(self, args[0], start, end, direction, &matches)) return VALUE_ERROR;
    return from_bool(matches);
}

METHOD_HEAD(bytes, startswith)
{
    return match_tail("startswith", self, args, nargs, 1);
}

METHOD_HEAD(bytes, endswith)
{
    return match_tail("endswith", self, args, nargs, -1);
}

// self without the bytes at one end, if they are there.
static Value remove_tail(ValueRef self, ValueRef value, int direction)
{
    Buffer buffer;
    bool matches;
    if (!matches_tail(self, value, 0, SSIZE_MAX, direction, &matches)) return VALUE_ERROR;
    if (!matches) return bytes_same(self);
    if (!buffer_get(value, &buffer, false)) return VALUE_ERROR;
    View view = view_of(self);
    ssize_t start = direction > 0 ? buffer.size : 0, size = view.size - buffer.size;
    Value result = bytes_like(self, view.data + start, size);
    buffer_release(&buffer);
    return result;
}

METHOD_HEAD(bytes, removeprefix)
{
    return remove_tail(self, args[0], 1);
}

METHOD_HEAD(bytes, removesuffix)
{
    return remove_tail(self, args[0], -1);
}

// ---- replace

static void write_replaced(char *to, View view, const Buffer *old, const Buffer *new, ssize_t count,
                           const TextPlaces *places)
{
    const char *from = view.data, *end = view.data + view.size;
    for (ssize_t i = 0; i < count; i++) {
        ssize_t gap;
        if (i < places->count)
            gap = view.data + places->at[i] - from;
        else if (old->size == 1)
            gap = (const char *)memchr(from, old->bytes[0], (size_t)(end - from)) - from;
        else
            gap = text_find(1, from, end - from, 1, old->bytes, old->size, 1);
        memcpy(to, from, (size_t)gap);
        if (new->size) memcpy(to + gap, new->bytes, (size_t) new->size);
        to += gap + new->size;
        from += gap + old->size;
    }
    memcpy(to, from, (size_t)(end - from));
}

// Inserts the bytes before each of the first `count` bytes, and at the end if `count` is one more
// than there are.
static void write_interleaved(char *to, View view, const Buffer *new, ssize_t count)
{
    const char *from = view.data, *end = view.data + view.size;
    for (; count > 0; count--) {
        memcpy(to, new->bytes, (size_t) new->size);
        to += new->size;
        if (from == end) return;
        *to++ = *from++;
    }
    memcpy(to, from, (size_t)(end - from));
}

static Value replace(ValueRef self, const Buffer *old, const Buffer *new, ssize_t most)
{
    View view = view_of(self);
    if (most < 0) most = SSIZE_MAX;
    TextPlaces places;
    ssize_t count = 0;
    if (old->size == 0 && new->size > 0)
        count = most <= view.size ? most : view.size + 1;
    else if (old->size > 0 && most > 0)
        count = text_count(1, view.data, view.size, 1, old->bytes, old->size, most, &places);
    if (count == 0) return bytes_same(self);
    ssize_t growth, size;
    if (__builtin_mul_overflow(new->size - old->size, count, &growth) ||
        __builtin_add_overflow(view.size, growth, &size))
        return raise_error(OverflowError, "replace bytes is too long");
    Value result = bytes_like(self, size ? NULL : "", size);
    if (!result || size == 0) return result;
    // A result of one byte may be new all the same: bytes_like(NULL) never gives a shared one.
    char *to = view_of(result).data;
    if (old->size == 0) {
        write_interleaved(to, view, new, count);
    } else if (old->size == 1 && new->size == 1 && most >= view.size) {
        memcpy(to, view.data, (size_t)size);
        text_exchange(1, to, 0, size, (uint8_t)old->bytes[0], (uint8_t) new->bytes[0]);
    } else {
        write_replaced(to, view, old, new, count, &places);
    }
    return result;
}

METHOD_HEAD(bytes, replace)
{
    Buffer old, new;
    ssize_t most = -1;
    if (!buffer_get(args[0], &old, false)) return VALUE_ERROR;
    if (!buffer_get(args[1], &new, false)) {
        buffer_release(&old);
        return VALUE_ERROR;
    }
    Value result = VALUE_ERROR;
    if (nargs < 3 || argument_ssize(args[2], &most)) result = replace(self, &old, &new, most);
    buffer_release(&new);
    buffer_release(&old);
    return result;
}

// ---- partition

static Value three_parts(ValueRef self, ssize_t first, Value middle, ssize_t second)
{
    View view = view_of(self);
    Value parts[3] = {bytes_like(self, view.data, first), middle,
                      bytes_like(self, view.data + second, view.size - second)};
    if (parts[0] && parts[1] && parts[2]) return tuple_from_owned(parts, 3);
    for (int i = 0; i < 3; i++) drop(parts[i]);
    return VALUE_ERROR;
}

static Value partition(ValueRef self, ValueRef separator, int direction)
{
    Buffer buffer;
    if (!buffer_get(separator, &buffer, false)) return VALUE_ERROR;
    View view = view_of(self);
    Value result;
    if (buffer.size == 0) {
        result = raise_error(ValueError, "empty separator");
    } else {
        ssize_t position =
            text_find(1, view.data, view.size, 1, buffer.bytes, buffer.size, direction);
        ssize_t all = direction > 0 ? view.size : 0;
        if (position < 0)
            result = three_parts(self, all, bytes_like(self, "", 0), all);
        else if (bytes_check(self))
            result = three_parts(self, position, retain(separator), position + buffer.size);
        else
            result = three_parts(self, position, bytearray_new(buffer.bytes, (size_t)buffer.size),
                                 position + buffer.size);
    }
    buffer_release(&buffer);
    return result;
}

METHOD_HEAD(bytes, partition)
{
    return partition(self, args[0], 1);
}

METHOD_HEAD(bytes, rpartition)
{
    return partition(self, args[0], -1);
}
