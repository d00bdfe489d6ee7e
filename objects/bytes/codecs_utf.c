// utf-8, utf-8-sig, utf-16 and utf-32, one code point at a time.
//
// If the name gives no byte order, utf-16 and utf-32 read a byte order mark, and write one,
// little-endian, as CPython does on common machines. If the name gives the order, a mark is a
// character like any other.
#include "objects/bytes/codecs_parts.h"
#include "objects/text/text.h"

static int32_t fail(DecodeProblem *problem, const char *reason, ptrdiff_t size)
{
    problem->reason = reason;
    problem->size = size;
    return -1;
}

static bool is_surrogate(uint32_t point)
{
    return point - 0xD800 < 0x800;
}

// ---- utf-8

static int32_t read_utf8(Decoder *decoder, DecodeProblem *problem)
{
    return utf8_read(&decoder->at, decoder->end, problem);
}

static int write_utf8(const Codec *codec, uint32_t point, char *bytes)
{
    (void)codec;
    return is_surrogate(point) ? -1 : utf8_write(point, bytes);
}

static int write_utf8_surrogate(const Codec *codec, uint32_t point, char *bytes)
{
    (void)codec;
    return utf8_write(point, bytes);
}

// ---- units of two and four bytes

static int write_unit(const Codec *codec, uint32_t value, char *bytes)
{
    int unit = codec->unit;
    for (int i = 0; i < unit; i++)
        bytes[i] = (char)(value >> 8 * (codec->order == ORDER_BIG ? unit - 1 - i : i));
    return unit;
}

static int32_t read_utf16(Decoder *decoder, DecodeProblem *problem)
{
    const unsigned char *at = decoder->at;
    ptrdiff_t left = decoder->end - at;
    if (left < 2) return fail(problem, "truncated data", left);
    uint32_t first = read_unit(at, 2, decoder->order);
    if (!is_surrogate(first)) {
        decoder->at += 2;
        return (int32_t)first;
    }
    if (first >= 0xDC00) return fail(problem, "illegal encoding", 2);
    if (left < 4) return fail(problem, "unexpected end of data", left);
    uint32_t second = read_unit(at + 2, 2, decoder->order);
    if (second - 0xDC00 >= 0x400) return fail(problem, "illegal UTF-16 surrogate", 2);
    decoder->at += 4;
    return (int32_t)(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
}

static int write_utf16(const Codec *codec, uint32_t point, char *bytes)
{
    if (is_surrogate(point)) return -1;
    if (point < 0x10000) return write_unit(codec, point, bytes);
    write_unit(codec, 0xD800 + ((point - 0x10000) >> 10), bytes);
    write_unit(codec, 0xDC00 + ((point - 0x10000) & 0x3FF), bytes + 2);
    return 4;
}

// Code points that are one unit each. The compiler makes a loop for each kind, unit and order.
SPECIALISED ssize_t write_units(int kind, int unit, bool big, const Str *str, ssize_t from,
                                char *bytes)
{
    ssize_t at = from;
    for (; at < str->length; at++, bytes += unit) {
        uint32_t point = point_get(kind, str->data, at);
        if (kind > 1 && (is_surrogate(point) || (unit == 2 && point > 0xFFFF))) break;
        for (int i = 0; i < unit; i++) bytes[i] = (char)(point >> 8 * (big ? unit - 1 - i : i));
    }
    return at - from;
}

static ssize_t write_unit_run(const Codec *codec, const Str *str, ssize_t from, char *bytes)
{
    bool big = codec->order == ORDER_BIG;
    if (codec->unit == 2)
        return big ? BY_KIND(str->kind, write_units, 2, true, str, from, bytes)
                   : BY_KIND(str->kind, write_units, 2, false, str, from, bytes);
    return big ? BY_KIND(str->kind, write_units, 4, true, str, from, bytes)
               : BY_KIND(str->kind, write_units, 4, false, str, from, bytes);
}

#define RUN 256

SPECIALISED ssize_t read_units(int unit, ByteOrder order, Decoder *decoder, uint32_t points[RUN])
{
    const unsigned char *at = decoder->at;
    ssize_t count = 0, left = (decoder->end - at) / unit;
    for (; count < RUN && count < left; count++, at += unit) {
        points[count] = read_unit(at, unit, order);
        if (is_surrogate(points[count]) || points[count] > 0x10FFFF) break;
    }
    decoder->at = at;
    return count;
}

// Units that are one code point each.
static bool read_unit_run(Decoder *decoder)
{
    uint32_t points[RUN];
    bool is_short = decoder->codec->unit == 2, big = decoder->order == ORDER_BIG;
    for (ssize_t count = RUN; count == RUN;) {
        if (is_short)
            count = big ? read_units(2, ORDER_BIG, decoder, points)
                        : read_units(2, ORDER_LITTLE, decoder, points);
        else
            count = big ? read_units(4, ORDER_BIG, decoder, points)
                        : read_units(4, ORDER_LITTLE, decoder, points);
        if (!builder_points(&decoder->text, points, count)) return false;
    }
    return true;
}

static int32_t read_utf32(Decoder *decoder, DecodeProblem *problem)
{
    ptrdiff_t left = decoder->end - decoder->at;
    if (left < 4) return fail(problem, "truncated data", left);
    uint32_t point = read_unit(decoder->at, 4, decoder->order);
    if (is_surrogate(point))
        return fail(problem, "code point in surrogate code point range(0xd800, 0xe000)", 4);
    if (point > 0x10FFFF) return fail(problem, "code point not in range(0x110000)", 4);
    decoder->at += 4;
    return (int32_t)point;
}

static int write_utf32(const Codec *codec, uint32_t point, char *bytes)
{
    return is_surrogate(point) ? -1 : write_unit(codec, point, bytes);
}

void skip_mark(Decoder *decoder)
{
    const Codec *codec = decoder->codec;
    decoder->order = codec->order;
    if (codec == &utf8_sig_codec) {
        if (decoder->end - decoder->at >= 3 && memcmp(decoder->at, codec->mark, 3) == 0)
            decoder->at += 3;
    } else if (codec->order == ORDER_BY_MARK) {
        decoder->order = ORDER_LITTLE;
        if (decoder->end - decoder->at < codec->unit) return;
        bool little = read_unit(decoder->at, codec->unit, ORDER_LITTLE) == 0xFEFF;
        bool big = read_unit(decoder->at, codec->unit, ORDER_BIG) == 0xFEFF;
        if (big) decoder->order = ORDER_BIG;
        if (little || big) decoder->at += codec->unit;
    }
}

const char *decoder_name(const Decoder *decoder)
{
    const Codec *codec = decoder->codec;
    if (codec->order != ORDER_BY_MARK) return codec->name;
    bool big = decoder->order == ORDER_BIG;
    if (codec->unit == 2) return big ? utf16_be_codec.name : utf16_le_codec.name;
    return big ? utf32_be_codec.name : utf32_le_codec.name;
}

#define NO_SURROGATES "surrogates not allowed"
#define UTF8_CODEC                                                                                 \
    .name = "utf-8", .read = read_utf8, .write = write_utf8,                                       \
    .write_surrogate = write_utf8_surrogate, .reason = NO_SURROGATES, .unit = 1
#define UTF16_CODEC                                                                                \
    .read = read_utf16, .write = write_utf16, .write_surrogate = write_unit,                       \
    .write_run = write_unit_run, .read_run = read_unit_run, .reason = NO_SURROGATES, .unit = 2
#define UTF32_CODEC                                                                                \
    .read = read_utf32, .write = write_utf32, .write_surrogate = write_unit,                       \
    .write_run = write_unit_run, .read_run = read_unit_run, .reason = NO_SURROGATES, .unit = 4

const Codec utf8_codec = {UTF8_CODEC};
const Codec utf8_sig_codec = {UTF8_CODEC, .mark = "\xEF\xBB\xBF", .mark_size = 3};
const Codec utf16_codec = {UTF16_CODEC, .name = "utf-16", .order = ORDER_BY_MARK,
                           .mark = "\xFF\xFE", .mark_size = 2};
const Codec utf16_le_codec = {UTF16_CODEC, .name = "utf-16-le", .order = ORDER_LITTLE};
const Codec utf16_be_codec = {UTF16_CODEC, .name = "utf-16-be", .order = ORDER_BIG};
const Codec utf32_codec = {UTF32_CODEC, .name = "utf-32", .order = ORDER_BY_MARK,
                           .mark = "\xFF\xFE\0\0", .mark_size = 4};
const Codec utf32_le_codec = {UTF32_CODEC, .name = "utf-32-le", .order = ORDER_LITTLE};
const Codec utf32_be_codec = {UTF32_CODEC, .name = "utf-32-be", .order = ORDER_BIG};
