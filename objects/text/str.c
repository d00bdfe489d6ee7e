// str: making, comparing, hashing and joining two of them.
//
//     +----------+------+--------+------+------+-------+--------+------+------+------------------+
//     | refcount | type | length | hash | kind | ascii | intern | room | utf8 | data ... NUL room|
//     +----------+------+--------+------+------+-------+--------+------+------+------------------+
//
// str_alloc() makes a str from a bound for its code points. The caller fills it, and then it never
// changes, with one exception: str_grow() on a str with a single owner. It writes into the `room`
// after the data, or moves the str to a block with a quarter more than it needs. So a loop of `s +=
// x` is linear.
//
// Invariant: `kind` is the narrowest that holds every code point, and `ascii` is exact. Therefore
// equality and hashing may compare bytes.
//
// The empty str and the first 256 single characters are shared; strs_finish() frees them.
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/str_parts.h"
#include "objects/text/text.h"
#include "objects/text/utf8.h"

// What str_utf8() keeps for a str that is not ASCII.
struct Utf8Text {
    size_t size;
    char text[];
};

static Value empty_str;
Value str_shared_characters[256];

#if DEBUG_INVARIANTS
static bool points_are_unicode(const Str *str)
{
    for (ssize_t i = 0; i < str->length; i++)
        if (str_at(str, i) > 0x10FFFF) return false;
    return true;
}

bool str_is_sound(const Str *str)
{
    invariant(str->length >= 0, "no text is shorter than the empty one");
    invariant(str->kind == 1 || str->kind == 2 || str->kind == 4,
              "code points have 1, 2 or 4 bytes");
    invariant(str_at(str, str->length) == 0, "a NUL follows the text");
    invariant(str->kind < 4 || points_are_unicode(str),
              "no code point is beyond Unicode's last one");
    uint32_t bound = text_bound(str->kind, str->data, str->length);
    invariant(str->kind == kind_of_point(bound), "kind is the narrowest that holds the text");
    invariant(str->ascii == (bound < 0x80), "ascii says whether all of the text is");
    invariant(!str->interned || str->base.type == &str_type,
              "only what is exactly a str is interned");
    invariant(str->hash == -1 ||
                  str->hash == hash_bytes(str->data, (size_t)(str->length * str->kind)),
              "a hash that is kept is that of the text");
    invariant(!str->utf8 || !str->ascii, "ASCII is its own UTF-8");
    return true;
}
#endif

// ---- making

// NULL without an exception.
static inline Str *alloc_block(ssize_t length, int kind, size_t room)
{
    if (length > SSIZE_MAX / 8) return NULL;
    size_t bytes = (size_t)(length + 1) * (size_t)kind;
    Str *str = memory_alloc_object(sizeof(Str) + bytes + room);
    if (!str) return NULL;
    memory_mark_object(str, 0);
    str->base.refcount = 1;
    str->base.type = &str_type;
    str->length = length;
    str->hash = -1;
    str->kind = (uint8_t)kind;
    str->ascii = false;
    str->interned = false;
    str->room = (uint32_t)room;
    str->utf8 = NULL;
    point_put(kind, str->data, length, 0);
    return str;
}

Str *str_alloc(ssize_t length, uint32_t bound)
{
    invariant(length >= 0 && bound <= 0x10FFFF, "a str is made with a bound for its code points");
    Str *str = alloc_block(length, kind_of_point(bound), 0);
    if (!str) {
        raise_memory_error();
        return NULL;
    }
    str->ascii = bound < 0x80;
    return str;
}

Value str_empty(void)
{
    if (!empty_str) empty_str = own(str_alloc(0, 0));
    return retain(empty_str);
}

static Value single_char(uint8_t point)
{
    if (!str_shared_characters[point]) {
        Str *str = str_alloc(1, point);
        if (!str) return VALUE_ERROR;
        str->data[0] = (char)point;
        invariant(str_is_sound(str), "a character below 256 has one byte");
        str_shared_characters[point] = own(str);
    }
    return retain(str_shared_characters[point]);
}

ssize_t str_characters(ValueRef value, Value *characters)
{
    const Str *str = as_str(value);
    ssize_t made = 0;
    while (made < str->length && (characters[made] = str_from_code_point(str_at(str, made))))
        made++;
    return made;
}

ValueRef str_shared_at(ValueRef value, int64_t index)
{
    const Str *str = as_str(value);
    if (index < 0) index += str->length;
    if ((uint64_t)index >= (uint64_t)str->length || str->kind != 1) return VALUE_ERROR;
    return str_shared_characters[(uint8_t)str->data[index]];
}

void strs_finish(void)
{
    for (int i = 0; i < 256; i++) drop_slot(&str_shared_characters[i]);
    drop_slot(&empty_str);
    intern_finish();
}

__attribute__((noinline)) Value str_from_code_point(uint32_t point)
{
    if (point < 256) return single_char((uint8_t)point);
    Str *str = str_alloc(1, point);
    if (!str) return VALUE_ERROR;
    point_put(str->kind, str->data, 0, point);
    invariant(str_is_sound(str), "a str of one character is of that character's kind");
    return own(str);
}

Value str_from_text(int kind, const void *data, ssize_t count)
{
    if (count == 0) return str_empty();
    if (count == 1) return str_from_code_point(point_get(kind, data, 0));
    Str *str = str_alloc(count, text_bound(kind, data, count));
    if (!str) return VALUE_ERROR;
    text_copy(str->kind, str->data, 0, kind, data, 0, count);
    invariant(str_is_sound(str), "a text is copied into the narrowest kind");
    return own(str);
}

Value str_from_latin1(const void *bytes, size_t size)
{
    return str_from_text(1, bytes, (ssize_t)size);
}

Value str_from_code_points(const uint32_t *points, size_t count)
{
    return str_from_text(4, points, (ssize_t)count);
}

Value str_new(const char *utf8)
{
    return str_from_utf8(utf8, strlen(utf8));
}

static Value raise_not_utf8(const char *bytes, size_t size, const unsigned char *at)
{
    DecodeProblem error;
    ssize_t start = at - (const unsigned char *)bytes;
    utf8_read(&at, (const unsigned char *)bytes + size, &error);
    return raise_decode_error("utf-8", bytes, size, start, start + error.size, error.reason);
}

Value str_from_ascii(const char *bytes, size_t size)
{
    if (size == 0) return str_empty();
    if (size == 1) return single_char((uint8_t)bytes[0]);
    Str *str = str_alloc((ssize_t)size, 0x7F);
    if (str) memcpy(str->data, bytes, size);
    invariant(!str || str_is_sound(str), "bytes that are called ASCII are");
    return own(str);
}

Value str_from_valid_utf8(const char *bytes, size_t size, size_t *valid)
{
    *valid = size;
    if (bytes_are_ascii(bytes, size)) return str_from_ascii(bytes, size);
    ssize_t length;
    uint32_t bits;
    const unsigned char *start = (const unsigned char *)bytes, *end = start + size;
    const unsigned char *stop = utf8_measure(start, end, &length, &bits);
    *valid = (size_t)(stop - start);
    if (stop < end) return ABSENT;
    if (length == 1) return str_from_code_point(bits);
    Str *str = str_alloc(length, bits < 0x100 ? 0xFF : bits < 0x10000 ? 0xFFFF : 0x10FFFF);
    if (!str) return VALUE_ERROR;
    text_copy_utf8(str->kind, str->data, 0, start, end);
    invariant(str_is_sound(str), "what was measured of UTF-8 is what was decoded");
    return own(str);
}

Value str_from_utf8(const char *bytes, size_t size)
{
    size_t valid;
    Value str = str_from_valid_utf8(bytes, size, &valid);
    if (bits_of(str) != bits_of(ABSENT)) return str;
    return raise_not_utf8(bytes, size, (const unsigned char *)bytes + valid);
}

Value str_exact(ValueRef str)
{
    return str_check_exact(str) ? retain(str) : str_copy(str);
}

Value str_or_same(Value made, ValueRef other)
{
    if (made && str_length(made) && str_equal(made, other)) replace_slot(&made, retain(other));
    return made;
}

Value str_copy(ValueRef str)
{
    return str_from_text(as_str(str)->kind, as_str(str)->data, str_length(str));
}

void str_release(Object *self)
{
    Str *str = (Str *)self;
    invariant(str_is_sound(str), "a str is to its end what it was made to be");
    dict_forget(str);
    if (str->interned) intern_forget(str);
    if (str->utf8) memory_free(str->utf8);
}

// ---- as UTF-8

#define BLOCK 1024

// How many bytes more than one each code point of a block takes, and whether surrogates are among
// them. All numbers have one width and nothing branches, so that the compiler makes vectors of it.
#define COUNT_MORE(type)                                                                           \
    static ssize_t count_more_##type(const type *points, ssize_t count, bool *surrogates)          \
    {                                                                                              \
        type two = 0, three = 0, four = 0, bad = 0;                                                \
        for (ssize_t i = 0; i < count; i++) {                                                      \
            type point = points[i];                                                                \
            two += point > 0x7F;                                                                   \
            three += point >> 11 > 0;                                                              \
            four += point >> 8 >> 8 > 0;                                                           \
            bad += point >> 11 == 0xD800 >> 11;                                                    \
        }                                                                                          \
        *surrogates = bad > 0;                                                                     \
        return (ssize_t)two + three + four;                                                        \
    }
COUNT_MORE(uint8_t)
COUNT_MORE(uint16_t)
COUNT_MORE(uint32_t)

SPECIALISED ssize_t utf8_size_in(int kind, const void *data, ssize_t length, ssize_t *bad)
{
    ssize_t size = length;
    for (ssize_t at = 0, count; at < length; at += count) {
        const void *block = point_at(kind, data, at);
        bool surrogates;
        ssize_t most = kind == 1 ? UINT8_MAX : BLOCK; // so high it can count
        count = length - at < most ? length - at : most;
        size += kind == 1   ? count_more_uint8_t(block, count, &surrogates)
                : kind == 2 ? count_more_uint16_t(block, count, &surrogates)
                            : count_more_uint32_t(block, count, &surrogates);
        for (*bad = at; surrogates; ++*bad)
            if (point_get(kind, data, *bad) >> 11 == 0xD800 >> 11) return -1;
    }
    return size;
}

ssize_t str_utf8_size(const Str *str, ssize_t *bad)
{
    return str->ascii ? str->length : BY_KIND(str->kind, utf8_size_in, str->data, str->length, bad);
}

SPECIALISED char *write_utf8_in(int kind, const void *data, ssize_t length, char *to)
{
    for (const char *end = point_at(kind, data, length), *at = data; at < end; at += kind) {
        uint32_t point = point_get(kind, at, 0);
        if (point < 0x80) {
            *to++ = (char)point;
        } else if (point < 0x800) { // most of those that are not ASCII
            to[0] = (char)(0xC0 | point >> 6);
            to[1] = (char)(0x80 | (point & 0x3F));
            to += 2;
        } else
            to += utf8_write(point, to);
    }
    return to;
}

char *str_write_utf8(const Str *str, char *to)
{
    return BY_KIND(str->kind, write_utf8_in, str->data, str->length, to);
}

static Value raise_surrogate(ValueRef str, ssize_t start)
{
    ssize_t end = start + 1;
    while (end < str_length(str) && str_at(as_str(str), end) - 0xD800 < 0x800) end++;
    return raise_encode_error("utf-8", str, start, end, "surrogates not allowed");
}

static bool cache_utf8(Str *str)
{
    ssize_t bad = 0, size = str_utf8_size(str, &bad);
    if (size < 0) return raise_surrogate(ref_of(str), bad);
    struct Utf8Text *utf8 = memory_alloc(sizeof *utf8 + (size_t)size + 1);
    if (!utf8) return raise_memory_error();
    char *end = str_write_utf8(str, utf8->text);
    invariant(end - utf8->text == size, "as much UTF-8 is written as was measured");
    *end = 0;
    utf8->size = (size_t)size;
    str->utf8 = utf8;
    return true;
}

const char *str_utf8(ValueRef value, size_t *size)
{
    Str *str = as_str(value);
    if (str->ascii) {
        if (size) *size = (size_t)str->length;
        return str->data;
    }
    if (!str->utf8 && !cache_utf8(str)) return NULL;
    invariant(str->utf8->text[str->utf8->size] == 0, "a NUL follows the UTF-8");
    if (size) *size = str->utf8->size;
    return str->utf8->text;
}

// ---- comparing

int64_t str_hash_slow(ValueRef value)
{
    Str *str = as_str(value);
    invariant(str_is_sound(str), "a str is filled before it is hashed");
    return str->hash = hash_bytes(str->data, (size_t)(str->length * str->kind));
}

bool str_equal_ascii(ValueRef value, const char *text)
{
    const Str *str = as_str(value);
    size_t size = strlen(text);
    return str->ascii && (size_t)str->length == size && memcmp(str->data, text, size) == 0;
}

int str_compare(ValueRef left, ValueRef right)
{
    const Str *a = as_str(left), *b = as_str(right);
    ssize_t shorter = a->length < b->length ? a->length : b->length;
    if (a->kind == 1 && b->kind == 1) {
        int order = shorter ? (uint8_t)a->data[0] - (uint8_t)b->data[0] : 0; // most differ there
        if (!order && shorter > 1) order = memcmp(a->data, b->data, (size_t)shorter);
        if (order) return order;
    } else {
        for (ssize_t i = 0; i < shorter; i++) {
            uint32_t x = str_at(a, i), y = str_at(b, i);
            if (x != y) return x < y ? -1 : 1;
        }
    }
    return a->length < b->length ? -1 : a->length > b->length;
}

ssize_t str_find_char(ValueRef value, uint32_t point, ssize_t start, ssize_t end, int direction)
{
    const Str *str = as_str(value);
    if (start >= end) return -1;
    const char *text = point_at(str->kind, str->data, start);
    ssize_t found = text_find_point(str->kind, text, end - start, point, direction);
    return found < 0 ? -1 : start + found;
}

// ---- putting together

Value str_concat(ValueRef left, ValueRef right)
{
    const Str *a = as_str(left), *b = as_str(right);
    if (a->length == 0) return str_exact(right);
    if (b->length == 0) return str_exact(left);
    if (a->length > SSIZE_MAX - b->length)
        return raise_error(OverflowError, "strings are too large to concat");
    uint32_t bound = str_bound(a) > str_bound(b) ? str_bound(a) : str_bound(b);
    Str *str = str_alloc(a->length + b->length, bound);
    if (!str) return VALUE_ERROR;
    text_copy(str->kind, str->data, 0, a->kind, a->data, 0, a->length);
    text_copy(str->kind, str->data, a->length, b->kind, b->data, 0, b->length);
    invariant(str_is_sound(str), "the wider of two texts decides about their sum");
    return own(str);
}

static bool can_append(const Str *left, const Str *right)
{
    return left->base.refcount == 1 && left->base.type == &str_type && !left->interned &&
           left != right && right->kind <= left->kind && left->length > 0;
}

// Moves to a block with `extra` bytes of room, rounded up to the next block size; a long text gets
// a quarter more. A short text does not, because many short texts are made by adding, and kept.
static bool make_room(Value *left, size_t extra)
{
    const Str *old = as_str(*left);
    size_t bytes = (size_t)(old->length * old->kind) + extra;
    size_t room = extra + (bytes < 256 ? 0 : bytes / 4);
    room += -(sizeof(Str) + bytes - extra + old->kind + room) % 16;
    if (room > UINT32_MAX) return false;
    Str *str = alloc_block(old->length, old->kind, room);
    if (!str) return false;
    str->ascii = old->ascii;
    memcpy(str->data, old->data, (size_t)(old->length * old->kind));
    replace_slot(left, own(str));
    return true;
}

bool str_grow(Value *left, ValueRef right)
{
    const Str *addition = as_str(right);
    if (!can_append(as_str(*left), addition)) return false;
    dict_forget(object_of(*left));
    size_t extra = (size_t)(addition->length * as_str(*left)->kind);
    if (extra > as_str(*left)->room && !make_room(left, extra)) return false;
    Str *str = as_str(*left);
    invariant(extra <= str->room, "what is added fits into the room after the text");
    invariant(str->base.refcount == 1, "a str changes only while it has a single owner");
    text_copy(str->kind, str->data, str->length, addition->kind, addition->data, 0,
              addition->length);
    str->length += addition->length;
    point_put(str->kind, str->data, str->length, 0);
    str->room -= (uint32_t)extra;
    str->ascii = str->ascii && addition->ascii;
    str->hash = -1;
    memory_free(str->utf8);
    str->utf8 = NULL;
    invariant(str_is_sound(str), "a str that has grown is as one just made");
    return true;
}

bool str_append(Value *left, ValueRef right)
{
    if (!str_grow(left, right)) replace_slot(left, str_concat(*left, right));
    return *left;
}

Value str_substring(ValueRef value, ssize_t start, ssize_t end)
{
    const Str *str = as_str(value);
    if (start == 0 && end == str->length) return str_exact(value);
    invariant(start >= 0 && end <= str->length, "a part of a text is in it");
    if (start >= end) return str_empty();
    if (!str->ascii)
        return str_from_text(str->kind, point_at(str->kind, str->data, start), end - start);
    if (end - start == 1) return single_char((uint8_t)str->data[start]);
    Str *part = str_alloc(end - start, 0x7F);
    if (!part) return VALUE_ERROR;
    memcpy(part->data, str->data + start, (size_t)(end - start));
    invariant(str_is_sound(part), "a part of an ASCII text is ASCII");
    return own(part);
}

Value str_repeat(ValueRef value, ssize_t count)
{
    const Str *str = as_str(value);
    if (count <= 0 || str->length == 0) return str_empty();
    if (count == 1) return str_exact(value);
    if (str->length > SSIZE_MAX / count)
        return raise_error(OverflowError, "repeated string is too long");
    Str *result = str_alloc(str->length * count, str_bound(str));
    if (!result) return VALUE_ERROR;
    if (str->length == 1) {
        text_fill(result->kind, result->data, 0, str_at(str, 0), count);
    } else {
        size_t unit = (size_t)(str->length * str->kind);
        memcpy(result->data, str->data, unit);
        memory_repeat(result->data, unit, unit * (size_t)count);
    }
    invariant(str_is_sound(result), "a repeated text has the kind of its unit");
    return own(result);
}
