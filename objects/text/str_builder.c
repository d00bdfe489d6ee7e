// Building a str: code points in a buffer that grows by half, and widens when a code point needs
// it.
//
//     data      | length code points of `kind` bytes | free ... |
//               |<------------- capacity code points ---------->|
//
// The first buffer is `local`, in the builder itself, so short texts allocate nothing. The buffer
// is no object; builder_finish() copies it into a str of the right size. After a failure the
// builder is empty, and abandoning it once more does nothing.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/text.h"
#include "objects/text/utf8.h"

void builder_begin(StrBuilder *builder)
{
    builder->data = (char *)builder->local;
    builder->length = 0;
    builder->capacity = sizeof builder->local;
    builder->kind = 1;
    builder->beyond_ascii = false;
}

static bool is_local(const StrBuilder *builder)
{
    return builder->data == (const char *)builder->local;
}

void builder_abandon(StrBuilder *builder)
{
    if (!is_local(builder)) memory_free(builder->data);
    builder_begin(builder);
}

static bool give_up(StrBuilder *builder)
{
    builder_abandon(builder);
    return raise_memory_error();
}

// Moves the text to a new buffer, perhaps of a wider kind.
static bool move(StrBuilder *builder, int kind, ssize_t capacity)
{
    invariant(capacity >= builder->length, "the new buffer holds what was built so far");
    invariant(kind >= builder->kind, "a builder only gets wider");
    char *data = memory_alloc((size_t)capacity * (size_t)kind);
    if (!data) return give_up(builder);
    text_copy(kind, data, 0, builder->kind, builder->data, 0, builder->length);
    if (!is_local(builder)) memory_free(builder->data);
    builder->data = data;
    builder->kind = (uint8_t)kind;
    builder->capacity = capacity;
    return true;
}

// For invariants: the text fits into its buffer. The first buffer holds code points of one byte.
static bool builder_is_sound(const StrBuilder *builder)
{
    return builder->length <= builder->capacity && (!is_local(builder) || builder->kind == 1);
}

// Makes room for `extra` more code points of up to the width of `kind`.
static bool make_room(StrBuilder *builder, ssize_t extra, int kind)
{
    if (kind < builder->kind) kind = builder->kind;
    if (extra > (SSIZE_MAX / 8) - builder->length) return give_up(builder);
    ssize_t needed = builder->length + extra;
    ssize_t capacity = builder->capacity;
    if (needed > capacity) capacity = needed + needed / 2 + 16;
    if (kind != builder->kind || is_local(builder)) return move(builder, kind, capacity);
    char *data = memory_resize(builder->data, (size_t)capacity * (size_t)kind);
    if (!data) return give_up(builder);
    builder->data = data;
    builder->capacity = capacity;
    return true;
}

static inline bool reserve(StrBuilder *builder, ssize_t extra, int kind)
{
    if (extra <= builder->capacity - builder->length && kind <= builder->kind) return true;
    return make_room(builder, extra, kind);
}

// For invariants: what was built is in the buffer, and its last code point is this one.
static bool ends_with(const StrBuilder *builder, uint32_t point)
{
    ssize_t length = builder->length;
    return length > 0 && length <= builder->capacity &&
           point_get(builder->kind, builder->data, length - 1) == point;
}

bool builder_char(StrBuilder *builder, uint32_t point)
{
    invariant(builder_is_sound(builder), "a wider text has left the first buffer");
    int kind = kind_of_point(point);
    if ((builder->length == builder->capacity || kind > builder->kind) &&
        !reserve(builder, 1, kind))
        return false;
    point_put(builder->kind, builder->data, builder->length++, point);
    builder->beyond_ascii |= point > 0x7F;
    invariant(ends_with(builder, point), "the code point that was added is the last one");
    return true;
}

static bool append(StrBuilder *builder, int kind, const void *data, ssize_t start, ssize_t count)
{
    invariant(builder_is_sound(builder), "a wider text has left the first buffer");
    if (!reserve(builder, count, kind)) return false;
    text_copy(builder->kind, builder->data, builder->length, kind, data, start, count);
    builder->length += count;
    invariant(count == 0 || ends_with(builder, point_get(kind, data, start + count - 1)),
              "what is built ends with the text that was added");
    return true;
}

bool builder_latin1(StrBuilder *builder, const void *text, ssize_t size)
{
    builder->beyond_ascii = true;
    return append(builder, 1, text, 0, size);
}

bool builder_utf8(StrBuilder *builder, const unsigned char **at, const unsigned char *end)
{
    ssize_t count;
    uint32_t bits;
    const unsigned char *start = *at;
    *at = utf8_measure(start, end, &count, &bits);
    if (!reserve(builder, count, kind_of_point(bits))) return false;
    text_copy_utf8(builder->kind, builder->data, builder->length, start, *at);
    builder->length += count;
    builder->beyond_ascii |= bits > 0x7F;
    return true;
}

bool builder_points(StrBuilder *builder, const uint32_t *points, ssize_t count)
{
    uint32_t bound = text_bound(4, points, count);
    if (!reserve(builder, count, kind_of_point(bound))) return false;
    builder->beyond_ascii |= bound > 0x7F;
    text_copy(builder->kind, builder->data, builder->length, 4, points, 0, count);
    builder->length += count;
    return true;
}

bool builder_ascii(StrBuilder *builder, const char *text, size_t size)
{
    return append(builder, 1, text, 0, (ssize_t)size);
}

bool builder_int(StrBuilder *builder, int64_t number)
{
    char digits[DECIMAL_MAX], *end = digits + sizeof digits, *start = text_decimal(number, end);
    return builder_ascii(builder, start, (size_t)(end - start));
}

bool builder_text(StrBuilder *builder, const char *utf8)
{
    size_t size = strlen(utf8);
    if (bytes_are_ascii(utf8, size)) return builder_ascii(builder, utf8, size);
    const unsigned char *at = (const unsigned char *)utf8, *end = at + size;
    while (builder_utf8(builder, &at, end)) {
        if (at == end) return true;
        DecodeProblem error;
        utf8_fail(at, end, &error);
        at += error.size;
        if (!builder_char(builder, 0xFFFD)) return false;
    }
    return false;
}

bool builder_str(StrBuilder *builder, ValueRef value)
{
    const Str *str = as_str(value);
    builder->beyond_ascii |= !str->ascii;
    return append(builder, str->kind, str->data, 0, str->length);
}

bool builder_slice(StrBuilder *builder, ValueRef value, ssize_t start, ssize_t end)
{
    const Str *str = as_str(value);
    if (start >= end) return true;
    // A part may be narrower than the whole.
    int kind = str->kind;
    if (kind > builder->kind) {
        uint32_t bound = text_bound(kind, point_at(kind, str->data, start), end - start);
        if (!reserve(builder, 0, kind_of_point(bound))) return false;
    }
    if (!reserve(builder, end - start, builder->kind)) return false;
    builder->beyond_ascii |= !str->ascii;
    text_copy(builder->kind, builder->data, builder->length, kind, str->data, start, end - start);
    builder->length += end - start;
    invariant(ends_with(builder, str_at(str, end - 1)), "what is built ends with the part");
    return true;
}

bool builder_fill(StrBuilder *builder, uint32_t point, ssize_t count)
{
    if (count <= 0) return true;
    if (!reserve(builder, count, kind_of_point(point))) return false;
    builder->beyond_ascii |= point > 0x7F;
    text_fill(builder->kind, builder->data, builder->length, point, count);
    builder->length += count;
    invariant(ends_with(builder, point), "what is built ends with what it was filled with");
    return true;
}

Value builder_finish(StrBuilder *builder)
{
    Value str = builder->beyond_ascii ? str_from_text(builder->kind, builder->data, builder->length)
                                      : str_from_ascii(builder->data, (size_t)builder->length);
    builder_abandon(builder);
    return str;
}
