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

// A code point above U+FFFF is a pair of them in utf-16.
static bool is_high(uint32_t unit)
{
    return unit - 0xD800 < 0x400;
}
static bool is_low(uint32_t unit)
{
    return unit - 0xDC00 < 0x400;
}
static uint32_t high_surrogate(uint32_t point)
{
    return 0xD800 + ((point - 0x10000) >> 10);
}
static uint32_t low_surrogate(uint32_t point)
{
    return 0xDC00 + ((point - 0x10000) & 0x3FF);
}
static uint32_t join_pair(uint32_t high, uint32_t low)
{
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
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

static bool read_utf8_run(Decoder *decoder)
{
    return builder_utf8(&decoder->text, &decoder->at, decoder->end);
}

SPECIALISED char *write_characters(int kind, const Str *str, ssize_t *from, char *bytes)
{
    const char *data = str->data; // which the compiler takes for changed with each byte
    ssize_t at = *from, length = str->length;
    for (; at < length; at++) {
        uint32_t point = point_get(kind, data, at);
        if (kind > 1 && is_surrogate(point)) break;
        bytes += utf8_write(point, bytes);
    }
    *from = at;
    return bytes;
}

static char *write_utf8_run(const Codec *codec, const Str *str, ssize_t *at, char *bytes)
{
    (void)codec;
    return BY_KIND(str->kind, write_characters, str, at, bytes);
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
    if (!is_high(first)) return fail(problem, "illegal encoding", 2);
    if (left < 4) return fail(problem, "unexpected end of data", left);
    uint32_t second = read_unit(at + 2, 2, decoder->order);
    if (!is_low(second)) return fail(problem, "illegal UTF-16 surrogate", 2);
    decoder->at += 4;
    return (int32_t)join_pair(first, second);
}

static int write_utf16(const Codec *codec, uint32_t point, char *bytes)
{
    if (is_surrogate(point)) return -1;
    if (point < 0x10000) return write_unit(codec, point, bytes);
    write_unit(codec, high_surrogate(point), bytes);
    write_unit(codec, low_surrogate(point), bytes + 2);
    return 4;
}

// Runs go in blocks that the compiler makes vectors of: nothing in one asks whether it is the last.
// A block with a surrogate in it is done again, unit by unit.
#define BLOCK 16

// A unit of the text as this machine has it, or the reverse: `swap` turns its bytes round.
SPECIALISED uint32_t ordered(int unit, bool swap, uint32_t value)
{
    if (!swap) return value;
    if (unit == 2) return (uint16_t)(value << 8 | value >> 8);
    return value << 24 | (value & 0xFF00) << 8 | (value >> 8 & 0xFF00) | value >> 24;
}

static bool needs_swap(ByteOrder order)
{
    return (order == ORDER_BIG) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

SPECIALISED uint32_t get_unit(int unit, bool swap, const unsigned char *at)
{
    uint16_t two;
    uint32_t four;
    if (unit == 2) return memcpy(&two, at, 2), ordered(2, swap, two);
    return memcpy(&four, at, 4), ordered(4, swap, four);
}

SPECIALISED void put_unit(int unit, bool swap, uint32_t value, char *bytes)
{
    uint32_t four = ordered(unit, swap, value);
    uint16_t two = (uint16_t)four;
    memcpy(bytes, unit == 2 ? (void *)&two : (void *)&four, (size_t)unit);
}

// The code points of a wide str may be two units: they go one by one.
SPECIALISED char *write_units(int kind, int unit, bool swap, const Str *str, ssize_t *from,
                              char *bytes)
{
    ssize_t at = *from;
    for (unsigned bad = 0; kind <= unit && at + BLOCK <= str->length; at += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            uint32_t point = point_get(kind, str->data, at + i);
            bad |= kind > 1 && is_surrogate(point);
            put_unit(unit, swap, point, bytes + i * unit);
        }
        if (bad) break;
        bytes += BLOCK * unit;
    }
    for (; at < str->length; at++, bytes += unit) {
        uint32_t point = point_get(kind, str->data, at);
        if (is_surrogate(point)) break;
        if (unit == 2 && point > 0xFFFF) {
            put_unit(2, swap, high_surrogate(point), bytes);
            bytes += unit;
            point = low_surrogate(point);
        }
        put_unit(unit, swap, point, bytes);
    }
    *from = at;
    return bytes;
}

// A surrogate, or no code point at all.
static inline bool is_bad(uint32_t point)
{
    return is_surrogate(point) || point > 0x10FFFF;
}

// As many units of two or four bytes, in this machine's order, as are all code points.
// The compiler makes vectors of it, as all numbers of a loop have one width.
static bool has_bad(int unit, const void *units, ssize_t count)
{
    const uint16_t *shorts = units;
    const uint32_t *longs = units;
    uint16_t bad = 0;
    uint32_t wide_bad = 0;
    if (unit == 2)
        for (ssize_t i = 0; i < count; i++) bad |= (shorts[i] & 0xF800) == 0xD800 ? 0xFFFF : 0;
    else
        for (ssize_t i = 0; i < count; i++) wide_bad |= is_bad(longs[i]) ? UINT32_MAX : 0;
    return bad || wide_bad;
}

#define PIECE 1024 // units that are looked through at once: a bad one costs no more than that

// A text of the codec's own units is copied, up to the piece that has a bad one.
static char *copy_good(int unit, const Str *str, ssize_t *from, char *bytes)
{
    for (ssize_t count; *from < str->length; *from += count, bytes += count * unit) {
        const char *units = point_at(unit, str->data, *from);
        count = str->length - *from < PIECE ? str->length - *from : PIECE;
        if (has_bad(unit, units, count)) break;
        memcpy(bytes, units, (size_t)(count * unit));
    }
    return bytes;
}

static char *write_unit_run(const Codec *codec, const Str *str, ssize_t *from, char *bytes)
{
    bool swap = needs_swap(codec->order);
    if (!swap && str->kind == codec->unit) bytes = copy_good(codec->unit, str, from, bytes);
    if (!swap && str->kind == 1 && (uintptr_t)bytes % (unsigned)codec->unit == 0) {
        ssize_t count = str->length - *from;
        text_copy(codec->unit, bytes, 0, 1, str->data, *from, count);
        *from = str->length;
        return bytes + count * codec->unit;
    }
    if (codec->unit == 2)
        return swap ? BY_KIND(str->kind, write_units, 2, true, str, from, bytes)
                    : BY_KIND(str->kind, write_units, 2, false, str, from, bytes);
    return swap ? BY_KIND(str->kind, write_units, 4, true, str, from, bytes)
                : BY_KIND(str->kind, write_units, 4, false, str, from, bytes);
}

SPECIALISED ssize_t read_units(int unit, bool swap, Decoder *decoder, uint32_t points[RUN])
{
    const unsigned char *at = decoder->at, *end = decoder->end;
    ssize_t count = 0;
    for (unsigned bad = 0; count < RUN && end - at >= BLOCK * unit; count += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            points[count + i] = get_unit(unit, swap, at + i * unit);
            bad |= is_bad(points[count + i]);
        }
        if (bad) break;
        at += BLOCK * unit;
    }
    for (; count < RUN && end - at >= unit; count++, at += unit) {
        uint32_t point = get_unit(unit, swap, at), second;
        if (unit == 2 && is_high(point) && end - at >= 4 &&
            is_low(second = get_unit(2, swap, at + 2))) {
            point = join_pair(point, second);
            at += unit;
        } else if (is_bad(point)) {
            break;
        }
        points[count] = point;
    }
    decoder->at = at;
    return count;
}

Value decode_units(const Decoder *decoder)
{
    int unit = decoder->codec->unit;
    ssize_t size = decoder->end - decoder->at, count = size / unit;
    if (needs_swap(decoder->order) || size % unit || (uintptr_t)decoder->at % (unsigned)unit ||
        has_bad(unit, decoder->at, count))
        return ABSENT;
    return str_from_text(unit, decoder->at, count);
}

static bool read_unit_run(Decoder *decoder)
{
    uint32_t points[RUN];
    bool is_short = decoder->codec->unit == 2, swap = needs_swap(decoder->order);
    for (ssize_t count = RUN; count == RUN;) {
        if (is_short)
            count =
                swap ? read_units(2, true, decoder, points) : read_units(2, false, decoder, points);
        else
            count =
                swap ? read_units(4, true, decoder, points) : read_units(4, false, decoder, points);
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
            decoder->start = decoder->at += 3; // as in CPython, errors are counted from here
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
    .write_surrogate = write_utf8_surrogate, .write_run = write_utf8_run,                          \
    .read_run = read_utf8_run, .widest = 4, .reason = NO_SURROGATES, .unit = 1
#define UTF16_CODEC                                                                                \
    .read = read_utf16, .write = write_utf16, .write_surrogate = write_unit,                       \
    .write_run = write_unit_run, .widest = 4, .read_run = read_unit_run, .reason = NO_SURROGATES,  \
    .unit = 2
#define UTF32_CODEC                                                                                \
    .read = read_utf32, .write = write_utf32, .write_surrogate = write_unit,                       \
    .write_run = write_unit_run, .widest = 4, .read_run = read_unit_run, .reason = NO_SURROGATES,  \
    .unit = 4

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
