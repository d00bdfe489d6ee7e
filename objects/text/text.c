// Code points in three widths: measuring, copying, filling; and the arguments that methods of str
// and bytes share.
//
// Nothing here uses objects, except that an argument may have an __index__.
#include "objects/text/text.h"
#include "objects/call.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/utf8.h"

// ---- measuring

static inline uint64_t word_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

// Eight bytes at a time: the sign bits of all of them together.
bool bytes_are_ascii(const void *data, size_t size)
{
    const char *at = data, *end = at + size;
    for (; end - at >= 32; at += 32) {
        uint64_t all = word_at(at) | word_at(at + 8) | word_at(at + 16) | word_at(at + 24);
        if (all & 0x8080808080808080ull) return false;
    }
    uint64_t rest = 0;
    for (; end - at >= 8; at += 8) rest |= word_at(at);
    for (; at < end; at++) rest |= (unsigned char)*at;
    return !(rest & 0x8080808080808080ull);
}

// The bits that occur are enough: all bounds are one less than a power of two.
#define BITS_OF(type)                                                                              \
    static type bits_of_##type(const type *points, ssize_t count)                                  \
    {                                                                                              \
        type bits = 0;                                                                             \
        for (ssize_t i = 0; i < count; i++) bits |= points[i];                                     \
        return bits;                                                                               \
    }
BITS_OF(uint16_t)
BITS_OF(uint32_t)

#define BLOCK 256 // code points that are looked at before the widest can end it

uint32_t text_bound(int kind, const void *data, ssize_t count)
{
    if (kind == 1) return bytes_are_ascii(data, (size_t)count) ? 0x7F : 0xFF;
    uint32_t bits = count ? point_get(kind, data, 0) : 0, widest = kind == 2 ? 0x100 : 0x10000;
    for (ssize_t at = 0, size; at < count && bits < widest; at += size) {
        const void *block = point_at(kind, data, at);
        size = count - at < BLOCK ? count - at : BLOCK;
        bits |= kind == 2 ? bits_of_uint16_t(block, size) : bits_of_uint32_t(block, size);
    }
    return bits < 0x80 ? 0x7F : bits < 0x100 ? 0xFF : bits < 0x10000 ? 0xFFFF : 0x10FFFF;
}

const bool latin1_spaces[256] = {
    ['\t'] = true, ['\n'] = true, ['\v'] = true, ['\f'] = true, ['\r'] = true, [0x1C] = true,
    [0x1D] = true, [0x1E] = true, [0x1F] = true, [' '] = true,  [0x85] = true, [0xA0] = true,
};

// ---- digits

char *text_decimal(int64_t number, char *end)
{
    uint64_t rest = number < 0 ? -(uint64_t)number : (uint64_t)number;
    for (; rest > UINT32_MAX; rest /= 10) *--end = (char)('0' + rest % 10);
    uint32_t few = (uint32_t)rest; // these are divided in less time
    for (; few > 99; few /= 100) {
        uint32_t two = few % 100;
        *--end = (char)('0' + two % 10);
        *--end = (char)('0' + two / 10);
    }
    if (few > 9) {
        *--end = (char)('0' + few % 10);
        few /= 10;
    }
    *--end = (char)('0' + few);
    if (number < 0) *--end = '-';
    return end;
}

int text_escape(uint32_t point, char *to)
{
    static const char hex[] = "0123456789abcdef";
    int digits = point < 0x100 ? 2 : point < 0x10000 ? 4 : 8;
    *to++ = '\\';
    *to++ = digits == 2 ? 'x' : digits == 4 ? 'u' : 'U';
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) *to++ = hex[point >> shift & 15];
    return digits + 2;
}

// ---- copying

SPECIALISED void copy_between(int to_kind, void *to, int from_kind, const void *from, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++) point_put(to_kind, to, i, point_get(from_kind, from, i));
}

void text_copy(int to_kind, void *to, ssize_t at, int from_kind, const void *from, ssize_t start,
               ssize_t count)
{
    if (count <= 0) return;
    void *target = (char *)to + at * to_kind;
    const void *source = point_at(from_kind, from, start);
    if (to_kind == from_kind)
        memcpy(target, source, (size_t)(count * to_kind));
    else if (to_kind == 2 && from_kind == 1)
        copy_between(2, target, 1, source, count);
    else if (to_kind == 4 && from_kind == 1)
        copy_between(4, target, 1, source, count);
    else if (to_kind == 4)
        copy_between(4, target, 2, source, count);
    else if (to_kind == 2) // narrowing: the caller knows that all of it fits
        copy_between(2, target, 4, source, count);
    else if (from_kind == 2)
        copy_between(1, target, 2, source, count);
    else
        copy_between(1, target, 4, source, count);
}

SPECIALISED void copy_utf8(int kind, void *to, ssize_t at, const unsigned char *from,
                           const unsigned char *end)
{
    while (from < end) {
        bool is_pair = kind > 1 && (from[0] & 0xE0) == 0xC0; // in words of most alphabets
        point_put(kind, to, at++,
                  is_pair ? (from[0] & 0x1Fu) << 6 | (from[1] & 0x3Fu) : utf8_read_valid(&from));
        if (is_pair) from += 2;
    }
}

void text_copy_utf8(int kind, void *to, ssize_t at, const unsigned char *from,
                    const unsigned char *end)
{
    if (kind == 1)
        copy_utf8(1, to, at, from, end);
    else if (kind == 2)
        copy_utf8(2, to, at, from, end);
    else
        copy_utf8(4, to, at, from, end);
}

// Eight characters with the other case, where they are letters as text_change_case() has them: the
// top bits of two sums say of each whether it is at or after the first, and after the last.
static inline uint64_t other_case(uint64_t word, char first)
{
    const uint64_t each = 0x0101010101010101, top = each << 7;
    uint64_t begin = first == ANY_LETTER ? 'a' : (unsigned char)first;
    uint64_t letters = first == ANY_LETTER ? word | each * 0x20 : word;
    uint64_t from_first = (letters & ~top) + each * (0x80 - begin);
    uint64_t after_last = (letters & ~top) + each * (0x80 - begin - 26);
    return word ^ ((from_first & ~after_last & ~word & top) >> 2);
}

// `to` may be `from`. The last four or eight characters may overlap those before them.
void text_change_case(char *to, const char *from, ssize_t size, char first)
{
    uint64_t word, last;
    if (size < 4) {
        for (ssize_t i = 0; i < size; i++) to[i] = (char)other_case((unsigned char)from[i], first);
        return;
    }
    if (size < 8) {
        memcpy(&word, from, 4);
        memcpy((char *)&word + 4, from + size - 4, 4);
        word = other_case(word, first);
        memcpy(to, &word, 4);
        memcpy(to + size - 4, (char *)&word + 4, 4);
        return;
    }
    memcpy(&last, from + size - 8, 8);
    for (ssize_t i = 0; i < size - 8; i += 8) {
        memcpy(&word, from + i, 8);
        word = other_case(word, first);
        memcpy(to + i, &word, 8);
    }
    last = other_case(last, first);
    memcpy(to + size - 8, &last, 8);
}

// Without branches: the compiler makes vectors of it.
bool text_has_letter(const char *text, ssize_t size, char first)
{
    unsigned char found = 0;
    for (ssize_t i = 0; i < size; i++) found |= (unsigned char)(text[i] - first) < 26 ? 1 : 0;
    return found;
}

// Likewise.
#define EXCHANGE(type)                                                                             \
    static void exchange_##type(type *points, ssize_t count, type old, type new)                   \
    {                                                                                              \
        for (ssize_t i = 0; i < count; i++) points[i] = points[i] == old ? new : points[i];        \
    }
EXCHANGE(uint8_t)
EXCHANGE(uint16_t)
EXCHANGE(uint32_t)

void text_exchange(int kind, void *data, ssize_t start, ssize_t stop, uint32_t old, uint32_t new)
{
    if (kind == 1)
        exchange_uint8_t((uint8_t *)data + start, stop - start, (uint8_t)old, (uint8_t) new);
    else if (kind == 2)
        exchange_uint16_t((uint16_t *)data + start, stop - start, (uint16_t)old, (uint16_t) new);
    else
        exchange_uint32_t((uint32_t *)data + start, stop - start, old, new);
}

SPECIALISED void fill(int kind, void *data, ssize_t at, uint32_t point, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++) point_put(kind, data, at + i, point);
}

void text_fill(int kind, void *data, ssize_t at, uint32_t point, ssize_t count)
{
    if (kind == 1)
        memset((char *)data + at, (int)point, (size_t)count);
    else if (kind == 2)
        fill(2, data, at, point, count);
    else
        fill(4, data, at, point, count);
}

// ---- arguments

static bool slice_argument(ValueRef value, ssize_t *index)
{
    if (bits_of(value) == bits_of(NONE)) return true;
    if (is_small(value) && !ssize_clamped(small_value(value), index)) return true;
    if (!type_of(value)->index)
        return raise_error(TypeError, "slice indices must be integers or None or have an "
                                      "__index__ method");
    return object_as_ssize(value, index, NULL);
}

bool range_arguments(const ValueRef *args, size_t nargs, ssize_t *start, ssize_t *end)
{
    *start = 0;
    *end = SSIZE_MAX;
    return (nargs < 2 || slice_argument(args[1], start)) &&
           (nargs < 3 || slice_argument(args[2], end));
}

void range_clamp(ssize_t length, ssize_t *start, ssize_t *end)
{
    if (*end > length) *end = length;
    if (*end < 0 && (*end += length) < 0) *end = 0;
    if (*start < 0 && (*start += length) < 0) *start = 0;
}

const char *text_argument(ValueRef value, const char *where)
{
    if (!str_check(value)) {
        raise_error(TypeError, "%s must be str, not %G", where, value);
        return NULL;
    }
    size_t size;
    const char *text = str_utf8(value, &size);
    if (text && strlen(text) != size) {
        raise_error(ValueError, "embedded null character");
        return NULL;
    }
    return text;
}

bool codec_arguments(const char *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                     const char **encoding, const char **errors)
{
    static const char *const names[] = {"encoding", "errors", NULL};
    Signature signature = {function, names, 0, 2};
    ValueRef slots[2];
    bool encode = function[0] == 'e';
    *encoding = *errors = NULL;
    if (nargs == 0 && !kwnames) return true;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    if (slots[0] && !(*encoding = text_argument(slots[0], encode ? "encode() argument 'encoding'"
                                                                 : "decode() argument 'encoding'")))
        return false;
    return !slots[1] || (*errors = text_argument(slots[1], encode ? "encode() argument 'errors'"
                                                                  : "decode() argument 'errors'"));
}

bool split_arguments(const char *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                     ValueRef *separator, ssize_t *most)
{
    static const char *const names[] = {"sep", "maxsplit", NULL};
    Signature signature = {function, names, 0, 2};
    ValueRef slots[2] = {nargs > 0 ? args[0] : 0, nargs > 1 ? args[1] : 0};
    if ((nargs > 2 || kwnames) && !args_bind(&signature, args, nargs, kwnames, slots)) return false;
    *separator = bits_of(slots[0]) == bits_of(NONE) ? 0 : slots[0];
    *most = -1;
    if (slots[1] && !argument_ssize(slots[1], most)) return false;
    if (*most < 0) *most = SSIZE_MAX;
    return true;
}

bool keepends_argument(const ValueRef *args, size_t nargs, ValueRef kwnames, bool *keep)
{
    static const char *const names[] = {"keepends", NULL};
    static const Signature signature = {"splitlines", names, 0, 1};
    ValueRef slots[1];
    int number = 0;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    if (slots[0] && !argument_int(slots[0], &number)) return false;
    *keep = number != 0;
    return true;
}

bool tabsize_argument(const ValueRef *args, size_t nargs, ValueRef kwnames, int *size)
{
    static const char *const names[] = {"tabsize", NULL};
    static const Signature signature = {"expandtabs", names, 0, 1};
    ValueRef slots[1];
    *size = 8;
    return args_bind(&signature, args, nargs, kwnames, slots) &&
           (!slots[0] || argument_int(slots[0], size));
}
