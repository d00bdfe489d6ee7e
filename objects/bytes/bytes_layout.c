// Methods of bytes and bytearray about case, layout and conversion: upper ... swapcase, isalpha
// and its like, center, ljust, rjust, zfill, expandtabs, translate, maketrans, hex, fromhex,
// decode.
//
// Letters are those of ASCII, whatever the locale; all other bytes stay as they are.
#include "objects/bytes/bytes_parts.h"
#include "objects/bytes/codecs.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/digits.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"

static bool is_lower(unsigned char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(unsigned char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_alpha(unsigned char c)
{
    return is_lower(c | 0x20);
}

static bool is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alnum(unsigned char c)
{
    return is_alpha(c) || is_digit(c);
}

static bool is_space(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// ---- case

typedef enum CaseForm { UPPER, LOWER, SWAPPED, TITLE, CAPITALIZED } CaseForm;

static Value map_case(ValueRef self, CaseForm form)
{
    View view = view_of(self);
    Value result = bytes_like(self, view.size ? NULL : "", view.size);
    if (!result) return VALUE_ERROR;
    char *to = view_of(result).data;
    if (form != TITLE) {
        char first = form == UPPER ? 'a' : form == SWAPPED ? ANY_LETTER : 'A';
        text_change_case(to, view.data, view.size, first);
        if (form == CAPITALIZED && view.size) text_change_case(to, view.data, 1, 'a');
        return result;
    }
    unsigned char inside = 0; // the bit of a small letter, where a letter stands before
    for (ssize_t i = 0; i < view.size; i++) {
        unsigned char c = (unsigned char)view.data[i], small = is_alpha(c) ? 0x20 : 0;
        to[i] = (char)((c & ~small) | (small & inside));
        inside = small;
    }
    return result;
}

METHOD_HEAD(bytes, upper)
{
    return map_case(self, UPPER);
}

METHOD_HEAD(bytes, lower)
{
    return map_case(self, LOWER);
}

METHOD_HEAD(bytes, swapcase)
{
    return map_case(self, SWAPPED);
}

METHOD_HEAD(bytes, title)
{
    return map_case(self, TITLE);
}

METHOD_HEAD(bytes, capitalize)
{
    return map_case(self, CAPITALIZED);
}

// ---- questions

static Value all_bytes(ValueRef self, bool (*question)(unsigned char c))
{
    View view = view_of(self);
    for (ssize_t i = 0; i < view.size; i++)
        if (!question((unsigned char)view.data[i])) return FALSE;
    return from_bool(view.size > 0);
}

METHOD_HEAD(bytes, isalnum)
{
    return all_bytes(self, is_alnum);
}

METHOD_HEAD(bytes, isalpha)
{
    return all_bytes(self, is_alpha);
}

METHOD_HEAD(bytes, isdigit)
{
    return all_bytes(self, is_digit);
}

METHOD_HEAD(bytes, isspace)
{
    return all_bytes(self, is_space);
}

METHOD_HEAD(bytes, isascii)
{
    View view = view_of(self);
    return from_bool(bytes_are_ascii(view.data, (size_t)view.size));
}

#define PIECE 256 // bytes that are looked at before the first of them can decide

// There is a letter of ASCII from `wanted` ('a' or 'A') on, and none of the other case.
static Value all_cased(ValueRef self, char wanted, char other)
{
    View view = view_of(self);
    bool seen = false;
    for (ssize_t at = 0, size; at < view.size; at += size) {
        size = view.size - at < PIECE ? view.size - at : PIECE;
        if (text_has_letter(view.data + at, size, other)) return FALSE;
        seen = seen || text_has_letter(view.data + at, size, wanted);
    }
    return from_bool(seen);
}

METHOD_HEAD(bytes, islower)
{
    return all_cased(self, 'a', 'A');
}

METHOD_HEAD(bytes, isupper)
{
    return all_cased(self, 'A', 'a');
}

METHOD_HEAD(bytes, istitle)
{
    View view = view_of(self);
    bool seen = false, inside = false;
    for (ssize_t i = 0; i < view.size; i++) {
        unsigned char c = (unsigned char)view.data[i];
        if ((is_upper(c) && inside) || (is_lower(c) && !inside)) return FALSE;
        inside = is_alpha(c);
        seen = seen || inside;
    }
    return from_bool(seen);
}

// ---- padding

static Value pad(ValueRef self, ssize_t left, ssize_t right, char fill)
{
    if (left <= 0 && right <= 0) return bytes_same(self);
    if (left < 0) left = 0;
    if (right < 0) right = 0;
    View view = view_of(self);
    ssize_t size;
    if (__builtin_add_overflow(view.size, left, &size) ||
        __builtin_add_overflow(size, right, &size))
        return raise_memory_error();
    Value result = bytes_like(self, NULL, size);
    if (!result) return VALUE_ERROR;
    view = view_of(self);
    char *to = view_of(result).data;
    memset(to, fill, (size_t)left);
    memcpy(to + left, view.data, (size_t)view.size);
    memset(to + left + view.size, fill, (size_t)right);
    return result;
}

// A single byte in bytes or a bytearray.
static bool fill_argument(const char *function, ValueRef value, char *fill)
{
    bool right = bytes_check(value) || bytearray_check(value);
    if (!right || view_of(value).size != 1)
        return raise_error(TypeError,
                           "%s() argument 2 must be a byte string of length 1, not %.50G", function,
                           value);
    *fill = view_of(value).data[0];
    return true;
}

static bool pad_arguments(const char *function, const ValueRef *args, size_t nargs, ssize_t *width,
                          char *fill)
{
    *fill = ' ';
    return argument_ssize(args[0], width) && (nargs < 2 || fill_argument(function, args[1], fill));
}

METHOD_HEAD(bytes, ljust)
{
    ssize_t width;
    char fill;
    if (!pad_arguments("ljust", args, nargs, &width, &fill)) return VALUE_ERROR;
    return pad(self, 0, width - view_of(self).size, fill);
}

METHOD_HEAD(bytes, rjust)
{
    ssize_t width;
    char fill;
    if (!pad_arguments("rjust", args, nargs, &width, &fill)) return VALUE_ERROR;
    return pad(self, width - view_of(self).size, 0, fill);
}

METHOD_HEAD(bytes, center)
{
    ssize_t width;
    char fill;
    if (!pad_arguments("center", args, nargs, &width, &fill)) return VALUE_ERROR;
    ssize_t margin = width - view_of(self).size;
    if (margin <= 0) return bytes_same(self);
    ssize_t left = margin / 2 + (margin & width & 1);
    return pad(self, left, margin - left, fill);
}

METHOD_HEAD(bytes, zfill)
{
    ssize_t width;
    if (!argument_ssize(args[0], &width)) return VALUE_ERROR;
    View view = view_of(self);
    ssize_t zeros = width - view.size;
    if (width <= view.size) return bytes_same(self);
    Value padded = pad(self, zeros, 0, '0');
    if (!padded || view.size == 0) return padded;
    char *data = view_of(padded).data;
    if (data[zeros] == '+' || data[zeros] == '-') {
        data[0] = data[zeros];
        data[zeros] = '0';
    }
    return padded;
}

METHOD_HEAD(bytes, expandtabs)
{
    int tab;
    if (!tabsize_argument(args, nargs, kwnames, &tab)) return VALUE_ERROR;
    View view = view_of(self);
    StrBuilder builder;
    builder_begin(&builder);
    ssize_t line = 0; // where it began in the result
    for (const char *at = view.data, *end = at + view.size; at < end;) {
        const char *stop = memchr(at, '\t', (size_t)(end - at));
        ssize_t run = (stop ? stop : end) - at, last = run;
        while (last > 0 && at[last - 1] != '\n' && at[last - 1] != '\r') last--;
        if (last) line = builder.length + last;
        if (!builder_latin1(&builder, at, run)) return VALUE_ERROR;
        at += stop ? run + 1 : run;
        ssize_t spaces = stop && tab > 0 ? tab - (builder.length - line) % tab : 0;
        if (!builder_fill(&builder, ' ', spaces)) return VALUE_ERROR;
    }
    Value result = bytes_like(self, builder.data ? builder.data : "", builder.length);
    builder_abandon(&builder);
    return result;
}

// ---- translate

static void exchange_all(char *to, const char *from, ssize_t size, const char table[256])
{
#pragma GCC unroll 8
    for (ssize_t i = 0; i < size; i++) to[i] = table[(uint8_t)from[i]];
}

static Value translate_all(ValueRef self, const char *table)
{
    View view = view_of(self);
    Value result = bytes_like(self, view.size ? NULL : "", view.size);
    if (result) exchange_all(view_of(result).data, view.data, view.size, table);
    return result;
}

static Value translate(ValueRef self, const Buffer *table, const Buffer *deleted)
{
    if (table->owner && !deleted->size) return translate_all(self, table->bytes);
    bool stays[256];
    memset(stays, true, sizeof stays);
    for (ssize_t i = 0; i < deleted->size; i++) stays[(uint8_t)deleted->bytes[i]] = false;
    View view = view_of(self);
    char *made = memory_alloc((size_t)view.size + 1);
    if (!made) return raise_memory_error();
    ssize_t size = 0;
    for (ssize_t i = 0; i < view.size; i++) {
        made[size] = view.data[i];
        size += stays[(uint8_t)view.data[i]];
    }
    if (table->owner) exchange_all(made, made, size, table->bytes);
    Value result = bytes_like(self, made, size);
    memory_free(made);
    return result;
}

METHOD_HEAD(bytes, translate)
{
    static const char *const names[] = {"", "delete", NULL};
    static const Signature signature = {"translate", names, 1, 2};
    ValueRef slots[2];
    Buffer table = {0}, deleted = {0};
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (bits_of(slots[0]) != bits_of(NONE)) {
        if (!buffer_get(slots[0], &table, false)) return VALUE_ERROR;
        if (table.size != 256) {
            buffer_release(&table);
            return raise_error(ValueError, "translation table must be 256 characters long");
        }
    }
    Value result = VALUE_ERROR;
    if (!slots[1] || buffer_get(slots[1], &deleted, false))
        result = translate(self, &table, &deleted);
    buffer_release(&deleted);
    buffer_release(&table);
    return result;
}

METHOD_HEAD(bytes, maketrans)
{
    Buffer from, to;
    if (!buffer_get(args[0], &from, false)) return VALUE_ERROR;
    if (!buffer_get(args[1], &to, false)) {
        buffer_release(&from);
        return VALUE_ERROR;
    }
    char table[256];
    for (int i = 0; i < 256; i++) table[i] = (char)i;
    Value result;
    if (from.size != to.size) {
        result = raise_error(ValueError, "maketrans arguments must have same length");
    } else {
        for (ssize_t i = 0; i < from.size; i++) table[(uint8_t)from.bytes[i]] = to.bytes[i];
        result = bytes_new(table, sizeof table);
    }
    buffer_release(&to);
    buffer_release(&from);
    return result;
}

// ---- hex and fromhex

static bool separator_argument(ValueRef value, char *separator)
{
    ssize_t length;
    if (!object_length(value, &length)) return false;
    if (length != 1) return raise_error(ValueError, "sep must be length 1.");
    uint32_t point;
    if (str_check(value))
        point = str_at(as_str(value), 0);
    else if (bytes_check(value))
        point = (uint8_t)as_bytes(value)->data[0];
    else
        return raise_error(TypeError, "sep must be str or bytes.");
    if (point > 127) return raise_error(ValueError, "sep must be ASCII.");
    *separator = (char)point;
    return true;
}

// Groups of `group` bytes counted from the right, or from the left where it is negative; 0 = none.
Value bytes_hex(View view, HexStyle style)
{
    char separator = style.separator;
    int64_t group = style.group;
    static const char hex[] = "0123456789abcdef";
    int64_t width = group < 0 ? -group : group;
    ssize_t extra = width && view.size ? (view.size - 1) / (ssize_t)width : 0;
    if (view.size > (SSIZE_MAX - extra) / 2) return raise_memory_error();
    if (view.size == 0) return str_empty();
    Str *text = str_alloc(view.size * 2 + extra, 0x7F);
    if (!text) return VALUE_ERROR;
    char *to = text->data;
    int64_t left = group < 0 ? width : (view.size - 1) % (width ? width : 1) + 1; // of the group
    for (ssize_t i = 0; i < view.size; i++) {
        uint8_t byte = (uint8_t)view.data[i];
        *to++ = hex[byte >> 4];
        *to++ = hex[byte & 15];
        if (!width || --left > 0 || i == view.size - 1) continue;
        *to++ = separator;
        left = width;
    }
    return own(text);
}

bool hex_arguments(const ValueRef *args, size_t nargs, ValueRef kwnames, HexStyle *style)
{
    static const char *const names[] = {"sep", "bytes_per_sep", NULL};
    static const Signature signature = {"hex", names, 0, 2};
    ValueRef slots[2];
    int group = 1;
    *style = (HexStyle){0};
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    if (slots[1] && !argument_int(slots[1], &group)) return false;
    if (!slots[0]) return true;
    style->group = group;
    return separator_argument(slots[0], &style->separator);
}

METHOD_HEAD(bytes, hex)
{
    HexStyle style;
    return hex_arguments(args, nargs, kwnames, &style) ? bytes_hex(view_of(self), style)
                                                       : VALUE_ERROR;
}

static ssize_t raise_no_hex(ssize_t at)
{
    raise_error(ValueError, "non-hexadecimal number found in fromhex() arg at position %zd", at);
    return -1;
}

// Writes the bytes that the text spells: there is room for half as many as it has digits. Returns
// how many, -1 with an exception pending. The text is ASCII.
static ssize_t parse_hex(const char *text, ssize_t length, char *bytes)
{
    ssize_t size = 0;
    for (ssize_t at = 0;; at++) {
        for (; length - at >= 2; at += 2) {
            unsigned high = digit_values[(int)text[at]], low = digit_values[(int)text[at + 1]];
            if ((high | low) > 15) break;
            bytes[size++] = (char)(high << 4 | low);
        }
        int high = NO_DIGIT, low = NO_DIGIT;
        while (at < length && (high = digit_value((unsigned)text[at])) == NO_DIGIT &&
               is_space((unsigned char)text[at]))
            at++;
        if (at == length) return size;
        if (high < 16 && ++at < length) low = digit_value((unsigned)text[at]);
        if (low >= 16) return raise_no_hex(at);
        bytes[size++] = (char)(high << 4 | low);
    }
}

// A text that is not ASCII is wrong where it is not, whatever stands before.
static ssize_t parse_hex_text(const Str *text, char *bytes)
{
    ssize_t at = 0;
    if (text->ascii) return parse_hex(text->data, text->length, bytes);
    while (str_at(text, at) < 128) at++;
    return raise_no_hex(at);
}

METHOD_HEAD(bytes, fromhex)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "fromhex() argument must be str, not %.50G", args[0]);
    const Str *text = as_str(args[0]);
    char *bytes = memory_alloc((size_t)text->length / 2 + 1);
    if (!bytes) return raise_memory_error();
    ssize_t size = parse_hex_text(text, bytes);
    Value result = VALUE_ERROR;
    bool is_array = self == ref_of(&bytearray_type);
    if (size >= 0) result = is_array ? bytearray_new(bytes, size) : bytes_new(bytes, (size_t)size);
    memory_free(bytes);
    if (!result || is_array || self == ref_of(&bytes_type)) return result;
    Value instance = object_call_one(self, result);
    drop(result);
    return instance;
}

METHOD_HEAD(bytes, decode)
{
    const char *encoding, *errors;
    if (!codec_arguments("decode", args, nargs, kwnames, &encoding, &errors)) return VALUE_ERROR;
    Buffer buffer; // an error handler may not change the size of a bytearray
    if (!buffer_get(self, &buffer, false)) return VALUE_ERROR;
    Value text = text_decode(buffer.bytes, (size_t)buffer.size, encoding, errors);
    buffer_release(&buffer);
    return text;
}
