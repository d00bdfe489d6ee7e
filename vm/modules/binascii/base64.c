// Base64 and uuencode: three bytes in four characters of six bits each.
#include "vm/modules/binascii/binascii.h"

#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// ---- base64

bool binascii_b2a_base64(const uint8_t *data, size_t size, Options *options, BytesOut *out)
{
    if (!bytes_out_room(out, size / 3 * 4 + 5)) return true;
    uint8_t *to = out->bytes;
    for (; size >= 3; size -= 3, data += 3) {
        unsigned bits = (unsigned)data[0] << 16 | (unsigned)data[1] << 8 | data[2];
        for (int shift = 18; shift >= 0; shift -= 6) *to++ = (uint8_t)letters[bits >> shift & 63];
    }
    if (size) {
        unsigned bits = (unsigned)data[0] << 16 | (size > 1 ? (unsigned)data[1] << 8 : 0);
        *to++ = (uint8_t)letters[bits >> 18];
        *to++ = (uint8_t)letters[bits >> 12 & 63];
        *to++ = size > 1 ? (uint8_t)letters[bits >> 6 & 63] : '=';
        *to++ = '=';
    }
    if (options->newline) *to++ = '\n';
    out->size = (size_t)(to - out->bytes);
    return true;
}

// The value of each letter plus one, 0 for other characters.
static const uint8_t *letter_values(void)
{
    static uint8_t values[256];
    for (int i = 0; !values['/'] && i < 64; i++) values[(uint8_t)letters[i]] = (uint8_t)(i + 1);
    return values;
}

// The letters that a text begins with, four at a time: returns how many.
static size_t read_fours(const uint8_t *values, const uint8_t *text, size_t size, BytesOut *out)
{
    size_t at = 0;
    for (; size - at >= 4; at += 4) {
        unsigned a = values[text[at]], b = values[text[at + 1]], c = values[text[at + 2]],
                 d = values[text[at + 3]];
        if (!a || !b || !c || !d) break;
        unsigned bits = (a - 1) << 18 | (b - 1) << 12 | (c - 1) << 6 | (d - 1);
        out->bytes[out->size++] = (uint8_t)(bits >> 16);
        out->bytes[out->size++] = (uint8_t)(bits >> 8);
        out->bytes[out->size++] = (uint8_t)bits;
    }
    return at;
}

// Other characters are passed over. A text that a pad completes ends there.
bool binascii_a2b_base64(const uint8_t *text, size_t size, Options *options, BytesOut *out)
{
    (void)options;
    const uint8_t *values = letter_values();
    unsigned bits = 0, pads = 0;
    if (!bytes_out_room(out, size / 4 * 3 + 3)) return true;
    size_t count = read_fours(values, text, size, out); // letters
    for (size_t i = count; i < size; i++) {
        if (text[i] == '=') {
            pads++;
            if (count % 4 >= 2 && count % 4 + pads >= 4) return true;
        } else if (values[text[i]]) {
            pads = 0;
            bits = (bits << 6 | (values[text[i]] - 1u)) & 0xFFFF;
            count++;
            if (count % 4 != 1) out->bytes[out->size++] = (uint8_t)(bits >> 2 * (-count % 4));
        }
    }
    if (count % 4 == 1)
        return binascii_error("Error",
                              "Invalid base64-encoded string: number of data characters (%zu) "
                              "cannot be 1 more than a multiple of 4",
                              count);
    return count % 4 == 0 || binascii_error("Error", "Incorrect padding");
}

// ---- uuencode

#define LINE_BYTES 45

bool binascii_b2a_uu(const uint8_t *data, size_t size, Options *options, BytesOut *out)
{
    uint8_t zero = options->backtick ? '`' : ' ';
    if (size > LINE_BYTES) return binascii_error("Error", "At most 45 bytes at once");
    bytes_out_byte(out, size ? ' ' + (unsigned)size : zero);
    for (size_t i = 0; i < size; i += 3) {
        unsigned bits = (unsigned)data[i] << 16;
        if (i + 1 < size) bits |= (unsigned)data[i + 1] << 8;
        if (i + 2 < size) bits |= data[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6) {
            unsigned value = bits >> shift & 63;
            bytes_out_byte(out, value ? ' ' + value : zero);
        }
    }
    bytes_out_byte(out, '\n');
    return true;
}

// The value of a character of a line: of the end of the line too, as blanks there may be lost.
static int uu_value(uint8_t character)
{
    if (character == '\n' || character == '\r') return 0;
    return character >= ' ' && character <= '`' ? (character - ' ') & 63 : -1;
}

bool binascii_a2b_uu(const uint8_t *text, size_t size, Options *options, BytesOut *out)
{
    (void)options;
    size_t length = size ? (text[0] - ' ') & 63 : 32, i = 1, count = 0;
    unsigned bits = 0;
    for (; out->size < length && !out->failed; i++) {
        int value = i < size ? uu_value(text[i]) : 0;
        if (value < 0) return binascii_error("Error", "Illegal char");
        bits = (bits << 6 | (unsigned)value) & 0xFFFF;
        count++;
        if (count % 4 != 1) bytes_out_byte(out, bits >> 2 * (-count % 4) & 0xFF);
    }
    for (; i < size; i++)
        if (!strchr(" `\n\r", text[i]) || !text[i])
            return binascii_error("Error", "Trailing garbage");
    return true;
}
