// The module _utf_7: UTF-7 (RFC 2152), for vm/lib/_codecs.mpy. It is text in ASCII, where +...-
// encloses UTF-16 in base64, and +- is a plus.
//
//     encode(text) -> bytes
//     decode(data, final, fail) -> (text, how many bytes it came from)
//
// What is no UTF-7 is handed to fail(data, start, end, reason) -> (text in its place, the position
// to go on at, data to go on with). Without `final`, a sequence that is not complete is left.
#include "objects/bytes/bytes.h"
#include "objects/bytes/bytes_out.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool is_direct(uint32_t point)
{
    if (point == '\t' || point == '\n' || point == '\r') return true;
    return point >= ' ' && point < 0x7F && point != '+' && point != '\\' && point != '~';
}

static int digit_value(uint32_t point)
{
    const char *digit = point && point < 0x80 ? strchr(digits, (int)point) : NULL;
    return digit ? (int)(digit - digits) : -1;
}

// ---- encoding

typedef struct Bits {
    uint32_t bits;
    int count;
} Bits;

static void write_unit(Bits *bits, uint32_t unit, BytesOut *out)
{
    bits->bits = (bits->bits << 16 | unit) & 0xFFFFFF;
    for (bits->count += 16; bits->count >= 6; bits->count -= 6)
        bytes_out_byte(out, (unsigned)digits[bits->bits >> (bits->count - 6) & 63]);
}

// Writes what cannot stand for itself, as a sequence; returns where it ends.
static ssize_t write_sequence(const Str *text, ssize_t i, BytesOut *out)
{
    Bits bits = {0, 0};
    bytes_out_byte(out, '+');
    for (; i < text->length && !is_direct(str_at(text, i)); i++) {
        uint32_t point = str_at(text, i);
        if (point >= 0x10000) {
            write_unit(&bits, 0xD800 + ((point - 0x10000) >> 10), out);
            point = 0xDC00 + ((point - 0x10000) & 0x3FF);
        }
        write_unit(&bits, point, out);
    }
    if (bits.count) bytes_out_byte(out, (unsigned)digits[bits.bits << (6 - bits.count) & 63]);
    uint32_t after = i < text->length ? str_at(text, i) : '-';
    if (after == '-' || digit_value(after) >= 0) bytes_out_byte(out, '-');
    return i;
}

static Value encode(FUNCTION_ARGS)
{
    if (!str_check(args[0])) return raise_error(TypeError, "encode() takes a str");
    const Str *text = as_str(args[0]);
    BytesOut out = {0};
    for (ssize_t i = 0; i < text->length;) {
        uint32_t point = str_at(text, i);
        if (point != '+' && !is_direct(point)) {
            i = write_sequence(text, i, &out);
            continue;
        }
        bytes_out_byte(&out, point);
        if (point == '+') bytes_out_byte(&out, '-');
        i++;
    }
    Value result =
        out.failed ? raise_memory_error() : bytes_new(out.size ? (char *)out.bytes : "", out.size);
    bytes_out_free(&out);
    return result;
}

// ---- decoding

typedef struct Decoder {
    Value data;    // bytes; a handler may replace them
    ValueRef fail; // a callable
    ssize_t position;
    ssize_t start; // of the sequence, or of what is wrong
    ssize_t whole; // the length of the text before the sequence
    bool shifted;  // within a sequence
    Bits bits;     // that are no unit yet
    uint32_t high; // the first half of a pair, 0 = none
    StrBuilder text;
} Decoder;

static ssize_t data_size(const Decoder *decoder)
{
    return as_bytes(decoder->data)->size;
}

static uint8_t byte_at(const Decoder *decoder, ssize_t index)
{
    return (uint8_t)as_bytes(decoder->data)->data[index];
}

static bool add(Decoder *decoder, uint32_t point)
{
    return builder_char(&decoder->text, point);
}

// Takes over what the handler returns.
static bool go_on_with(Decoder *decoder, ValueRef answer)
{
    if (!tuple_check(answer) || tuple_size(answer) != 3 || !str_check(tuple_at(answer, 0)) ||
        !bytes_check(tuple_at(answer, 2)))
        return raise_error(TypeError, "fail() must return a str, a position and bytes");
    ssize_t position;
    if (!argument_ssize(tuple_at(answer, 1), &position)) return false;
    replace_slot(&decoder->data, retain(tuple_at(answer, 2)));
    if (position < 0 || position > data_size(decoder))
        return raise_error(IndexError, "the position is out of range");
    decoder->position = position;
    return builder_str(&decoder->text, tuple_at(answer, 0));
}

static bool fail_at(Decoder *decoder, ssize_t end, const char *reason)
{
    Value text = str_new(reason), answer = VALUE_ERROR;
    if (text) {
        ValueRef args[] = {decoder->data, from_small(decoder->start), from_small(end), text};
        answer = object_call(decoder->fail, args, 4, 0);
    }
    drop(text);
    bool ok = answer && go_on_with(decoder, answer);
    drop(answer);
    return ok;
}

// One unit of UTF-16; the first half of a pair waits for the other.
static bool add_unit(Decoder *decoder, uint32_t unit)
{
    uint32_t high = decoder->high;
    decoder->high = 0;
    if (high && unit - 0xDC00 < 0x400)
        return add(decoder, 0x10000 + ((high - 0xD800) << 10) + unit - 0xDC00);
    if (high && !add(decoder, high)) return false;
    if (unit - 0xD800 >= 0x400) return add(decoder, unit);
    decoder->high = unit;
    return true;
}

static bool add_digit(Decoder *decoder, int value)
{
    Bits *bits = &decoder->bits;
    decoder->position++;
    bits->bits = bits->bits << 6 | (uint32_t)value;
    bits->count += 6;
    if (bits->count < 16) return true;
    bits->count -= 16;
    uint32_t unit = bits->bits >> bits->count;
    bits->bits &= (1u << bits->count) - 1;
    return add_unit(decoder, unit);
}

// After the digits: a hyphen belongs to them, all else stands for itself.
static bool end_sequence(Decoder *decoder, uint8_t byte)
{
    decoder->shifted = false;
    ssize_t end = decoder->position + 1;
    if (decoder->bits.count >= 6)
        return fail_at(decoder, end, "partial character in shift sequence");
    if (decoder->bits.bits) return fail_at(decoder, end, "non-zero padding bits in shift sequence");
    uint32_t high = decoder->high;
    decoder->high = 0;
    decoder->position += byte == '-';
    return !high || byte >= 0x80 || add(decoder, high);
}

static bool begin_sequence(Decoder *decoder)
{
    decoder->start = decoder->position++;
    bool more = decoder->position < data_size(decoder);
    uint8_t follows = more ? byte_at(decoder, decoder->position) : 0;
    if (more && follows == '-') {
        decoder->position++;
        return add(decoder, '+');
    }
    if (more && digit_value(follows) < 0)
        return fail_at(decoder, decoder->position + 1, "ill-formed sequence");
    decoder->shifted = true;
    decoder->whole = decoder->text.length;
    decoder->bits = (Bits){0, 0};
    decoder->high = 0;
    return true;
}

static bool step(Decoder *decoder)
{
    uint8_t byte = byte_at(decoder, decoder->position);
    if (decoder->shifted) {
        int value = digit_value(byte);
        return value >= 0 ? add_digit(decoder, value) : end_sequence(decoder, byte);
    }
    if (byte == '+') return begin_sequence(decoder);
    if (byte < 0x80) {
        decoder->position++;
        return add(decoder, byte);
    }
    decoder->start = decoder->position;
    return fail_at(decoder, decoder->position + 1, "unexpected special character");
}

// A handler may go on within the data, so there may be several ends.
static bool run(Decoder *decoder, bool final)
{
    for (;;) {
        while (decoder->position < data_size(decoder))
            if (!step(decoder)) return false;
        if (!decoder->shifted || !final) return true;
        decoder->shifted = false;
        if (!decoder->high && decoder->bits.count < 6 && !decoder->bits.bits) return true;
        if (!fail_at(decoder, data_size(decoder), "unterminated shift sequence")) return false;
    }
}

static Value result_of(Decoder *decoder)
{
    Value text = builder_finish(&decoder->text);
    if (text && decoder->shifted) {
        replace_slot(&text, str_substring(text, 0, decoder->whole));
        decoder->position = decoder->start;
    }
    if (!text) return VALUE_ERROR;
    Value result = tuple_pack(2, (ValueRef)text, (ValueRef)from_small(decoder->position));
    drop(text);
    return result;
}

static Value decode(FUNCTION_ARGS)
{
    bool final;
    if (!bytes_check(args[0])) return raise_error(TypeError, "decode() takes bytes");
    if (!object_truth(args[1], &final)) return VALUE_ERROR;
    Decoder decoder = {.data = retain(args[0]), .fail = args[2]};
    builder_begin(&decoder.text);
    Value result = run(&decoder, final) ? result_of(&decoder) : VALUE_ERROR;
    builder_abandon(&decoder.text);
    drop(decoder.data);
    return result;
}

static const MethodDef functions[] = {
    {"encode", encode, ONE_ARG, NULL},
    {"decode", decode, ARGS(3, 3), NULL},
    {0},
};

const ModuleDef _utf_7_module = {
    .name = "_utf_7",
    .doc = "Text in UTF-7.",
    .functions = functions,
};
