// Methods of str that lay a text out or translate it: center, ljust, rjust, zfill, expandtabs,
// translate, maketrans, encode.
#include "objects/bytes/codecs.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str_methods.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"

// ---- padding

static Value pad(ValueRef self, ssize_t left, ssize_t right, uint32_t fill)
{
    const Str *str = as_str(self);
    if (left < 0) left = 0;
    if (right < 0) right = 0;
    if (left == 0 && right == 0) return str_exact(self);
    ssize_t length;
    if (__builtin_add_overflow(str->length, left, &length) ||
        __builtin_add_overflow(length, right, &length))
        return raise_error(OverflowError, "padded string is too long");
    uint32_t bound = text_bound(4, &fill, 1);
    Str *result = str_alloc(length, bound > str_bound(str) ? bound : str_bound(str));
    if (!result) return VALUE_ERROR;
    text_fill(result->kind, result->data, 0, fill, left);
    text_copy(result->kind, result->data, left, str->kind, str->data, 0, str->length);
    text_fill(result->kind, result->data, left + str->length, fill, right);
    return own(result);
}

// The width and the fill character.
static bool pad_arguments(const ValueRef *args, size_t nargs, ssize_t *width, uint32_t *fill)
{
    *fill = ' ';
    if (!argument_ssize(args[0], width)) return false;
    if (nargs < 2) return true;
    if (!str_check(args[1]))
        return raise_error(TypeError, "The fill character must be a unicode character, not %.100T",
                           args[1]);
    if (str_length(args[1]) != 1)
        return raise_error(TypeError, "The fill character must be exactly one character long");
    *fill = str_at(as_str(args[1]), 0);
    return true;
}

METHOD_HEAD(str, ljust)
{
    ssize_t width;
    uint32_t fill;
    if (!pad_arguments(args, nargs, &width, &fill)) return VALUE_ERROR;
    return pad(self, 0, width - str_length(self), fill);
}

METHOD_HEAD(str, rjust)
{
    ssize_t width;
    uint32_t fill;
    if (!pad_arguments(args, nargs, &width, &fill)) return VALUE_ERROR;
    return pad(self, width - str_length(self), 0, fill);
}

METHOD_HEAD(str, center)
{
    ssize_t width;
    uint32_t fill;
    if (!pad_arguments(args, nargs, &width, &fill)) return VALUE_ERROR;
    if (width <= str_length(self)) return str_exact(self);
    // Where the padding is odd, the left side gets more if the width is odd.
    ssize_t margin = width - str_length(self);
    ssize_t left = margin / 2 + (margin & width & 1);
    return pad(self, left, margin - left, fill);
}

METHOD_HEAD(str, zfill)
{
    ssize_t width;
    if (!argument_ssize(args[0], &width)) return VALUE_ERROR;
    ssize_t zeros = width - str_length(self);
    if (width <= str_length(self)) return str_exact(self);
    Value padded = pad(self, zeros, 0, '0');
    if (!padded || str_length(self) == 0) return padded;
    uint32_t first = str_at(as_str(self), 0);
    if (first == '+' || first == '-') {
        Str *str = as_str(padded);
        point_put(str->kind, str->data, 0, first);
        point_put(str->kind, str->data, zeros, '0');
    }
    return padded;
}

// Spaces for tabs; a line break begins a new line of columns.
METHOD_HEAD(str, expandtabs)
{
    int tab;
    if (!tabsize_argument(args, nargs, kwnames, &tab)) return VALUE_ERROR;
    const Str *str = as_str(self);
    if (str_find_char(self, '\t', 0, str->length, 1) < 0) return str_exact(self);
    StrBuilder builder;
    builder_begin(&builder);
    ssize_t column = 0;
    for (ssize_t i = 0; i < str->length; i++) {
        uint32_t point = str_at(str, i);
        if (point == '\t') {
            ssize_t spaces = tab > 0 ? tab - column % tab : 0;
            if (!builder_fill(&builder, ' ', spaces)) return VALUE_ERROR;
            column += spaces;
            continue;
        }
        if (!builder_char(&builder, point)) return VALUE_ERROR;
        column = point == '\n' || point == '\r' ? 0 : column + 1;
    }
    return builder_finish(&builder);
}

// ---- translate

// Looks a code point up in the table: owned, or ABSENT if it is not there.
static Value look_up(ValueRef table, uint32_t point)
{
    Value found = object_subscript(table, from_small(point));
    if (found || !error_is(LookupError)) return found;
    error_clear();
    return ABSENT;
}

static bool append_number(StrBuilder *builder, ValueRef number)
{
    int64_t point;
    if (int_as_int64_clamped(number, &point) != 0 || point < 0 || point > 0x10FFFF)
        return raise_error(ValueError, "character mapping must be in range(0x110000)");
    return builder_char(builder, (uint32_t)point);
}

static bool append_mapped(StrBuilder *builder, uint32_t point, ValueRef mapped)
{
    if (bits_of(mapped) == bits_of(ABSENT)) return builder_char(builder, point);
    if (bits_of(mapped) == bits_of(NONE)) return true;
    if (int_check(mapped)) return append_number(builder, mapped);
    if (str_check(mapped)) return builder_str(builder, mapped);
    return raise_error(TypeError, "character mapping must return integer, None or str");
}

// Characters of Latin-1 are looked up once each: the code point, or one of these. A table that
// counts is asked for each, but where all is ASCII.
enum { UNKNOWN = -1, LOOK_UP = -2, LEFT_OUT = -3, MEMORY = 256 };

static int remember(ValueRef mapped, uint32_t point)
{
    if (bits_of(mapped) == bits_of(ABSENT)) return (int)point;
    if (bits_of(mapped) == bits_of(NONE)) return LEFT_OUT;
    if (is_small(mapped) && small_value(mapped) >= 0 && small_value(mapped) < 0x110000)
        return (int)small_value(mapped);
    if (str_check(mapped) && str_length(mapped) == 1) return (int)str_at(as_str(mapped), 0);
    return LOOK_UP;
}

#define RUN 256 // characters that are added at once

static inline bool is_known(uint32_t point, const int *memory)
{
    return point < MEMORY && memory[point] >= 0;
}

// Adds those at *at whose code points are known, and moves past them.
SPECIALISED ssize_t known_points(int kind, const Str *str, ssize_t *at, const int *memory,
                                 uint32_t points[RUN])
{
    ssize_t end = str->length - *at < RUN ? str->length : *at + RUN, made = 0, i = *at;
    const char *data = str->data;
    for (; i < end; i++) {
        uint32_t point = point_get(kind, data, i);
        if (point < MEMORY && memory[point] == LEFT_OUT) continue;
        if (!is_known(point, memory)) break;
        points[made++] = (uint32_t)memory[point];
    }
    *at = i;
    return made;
}

// The same where all is ASCII, before and after: four at a time, and no code point is measured.
static ssize_t known_ascii(const Str *str, ssize_t *at, const int *memory, char bytes[RUN])
{
    const unsigned char *data = (const unsigned char *)str->data;
    ssize_t end = str->length - *at < RUN ? str->length : *at + RUN, i = *at;
    char *to = bytes;
    while (i + 4 <= end) {
        int a = memory[data[i]], b = memory[data[i + 1]];
        int c = memory[data[i + 2]], d = memory[data[i + 3]];
        if ((unsigned)(a | b | c | d) < 0x80) {
            to[0] = (char)a, to[1] = (char)b, to[2] = (char)c, to[3] = (char)d;
            to += 4;
            i += 4;
            continue;
        }
        if (a != LEFT_OUT && (unsigned)a >= 0x80) break;
        *to = (char)a;
        to += a != LEFT_OUT;
        i++;
    }
    *at = i;
    return to - bytes;
}

static bool translate_known(StrBuilder *builder, const Str *str, ssize_t *at, const int *memory)
{
    uint32_t points[RUN];
    char bytes[RUN];
    ssize_t ascii = str->kind == 1 ? known_ascii(str, at, memory, bytes) : 0;
    if (ascii) return builder_ascii(builder, bytes, (size_t)ascii);
    return builder_points(builder, points,
                          BY_KIND(str->kind, known_points, str, at, memory, points));
}

static bool translate_point(StrBuilder *builder, ValueRef table, uint32_t point, int *memory)
{
    bool remembers = memory && point < MEMORY;
    if (remembers && memory[point] == LEFT_OUT) return true;
    Value mapped = look_up(table, point);
    if (!mapped) return false;
    if (remembers) memory[point] = remember(mapped, point);
    bool done = append_mapped(builder, point, mapped);
    drop(mapped);
    return done;
}

METHOD_HEAD(str, translate)
{
    int memory[MEMORY];
    for (int i = 0; i < MEMORY; i++) memory[i] = UNKNOWN;
    StrBuilder builder;
    builder_begin(&builder);
    const Str *str = as_str(self);
    bool done = true, remembers = str->ascii || dict_check_exact(args[0]);
    for (ssize_t i = 0; done && i < str->length;) {
        done = poll_signals() && translate_known(&builder, str, &i, memory);
        if (done && i < str->length && !is_known(str_at(str, i), memory))
            done = translate_point(&builder, args[0], str_at(str, i++), remembers ? memory : NULL);
    }
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

// ---- maketrans

static bool add_mapping(ValueRef table, ValueRef key, ValueRef value)
{
    if (str_check(key) && str_length(key) != 1)
        return raise_error(ValueError, "string keys in translate table must be of length 1");
    if (str_check(key)) return dict_set(table, from_small(str_at(as_str(key), 0)), value);
    if (int_check(key)) return dict_set(table, key, value);
    return raise_error(TypeError, "keys in translate table must be strings or integers");
}

// A table like {"a": 1, 98: 2} with all keys as numbers. Keys and values are held: a key's __hash__
// may change the dict.
static Value table_of_dict(ValueRef given)
{
    if (!dict_check_exact(given))
        return raise_error(TypeError,
                           "if you give only one argument to maketrans it must be a dict");
    Value table = dict_new();
    ssize_t position = 0;
    ValueRef key, value;
    while (table && dict_next(given, &position, &key, &value)) {
        Value held_key = retain(key), held_value = retain(value);
        if (!add_mapping(table, held_key, held_value)) drop_slot(&table);
        drop(held_key);
        drop(held_value);
    }
    return table;
}

static bool fill_table(ValueRef table, ValueRef from, ValueRef to, ValueRef removed)
{
    for (ssize_t i = 0; i < str_length(from); i++)
        if (!dict_set(table, from_small(str_at(as_str(from), i)),
                      from_small(str_at(as_str(to), i))))
            return false;
    for (ssize_t i = 0; removed && i < str_length(removed); i++)
        if (!dict_set(table, from_small(str_at(as_str(removed), i)), NONE)) return false;
    return true;
}

METHOD_HEAD(str, maketrans)
{
    for (size_t i = 1; i < nargs; i++)
        if (!str_check(args[i]))
            return raise_error(TypeError, "maketrans() argument %d must be str, not %.50G",
                               (int)i + 1, args[i]);
    if (nargs == 1) return table_of_dict(args[0]);
    if (!str_check(args[0]))
        return raise_error(
            TypeError, "first maketrans argument must be a string if there is a second argument");
    if (str_length(args[0]) != str_length(args[1]))
        return raise_error(ValueError, "the first two maketrans arguments must have equal length");
    Value table = dict_new();
    if (table && !fill_table(table, args[0], args[1], nargs > 2 ? args[2] : 0)) drop_slot(&table);
    return table;
}

METHOD_HEAD(str, encode)
{
    const char *encoding, *errors;
    if (!codec_arguments("encode", args, nargs, kwnames, &encoding, &errors)) return VALUE_ERROR;
    return text_encode(self, encoding, errors);
}
