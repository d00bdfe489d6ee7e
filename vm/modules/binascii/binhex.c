// BinHex 4, of old Macintosh files: six bits in a digit, and runs of a byte made short.
#include "vm/modules/binascii/binascii.h"

#include <string.h>

#define RUN 0x90 // a byte, RUN, n: n times the byte; RUN, 0: the byte RUN itself
#define LONGEST_RUN 255

static const char digits[] = "!\"#$%&'()*+,-012345689@ABCDEFGHIJKLMNPQRSTUVXYZ[`abcdefhijklmpqr";

bool binascii_b2a_hqx(const uint8_t *data, size_t size, Options *options, BytesOut *out)
{
    (void)options;
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < size; i++) {
        bits = (bits << 8 | data[i]) & 0xFFFF;
        for (count += 8; count >= 6; count -= 6)
            bytes_out_byte(out, (unsigned)digits[bits >> (count - 6) & 63]);
    }
    if (count) bytes_out_byte(out, (unsigned)digits[bits << (6 - count) & 63]);
    return true;
}

bool binascii_a2b_hqx(const uint8_t *text, size_t size, Options *options, BytesOut *out)
{
    unsigned bits = 0, count = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\n' || text[i] == '\r') continue;
        options->ended = text[i] == ':';
        if (options->ended) return true;
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit) return binascii_error("Error", "Illegal char");
        bits = (bits << 6 | (unsigned)(digit - digits)) & 0xFFFF;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes_out_byte(out, bits >> count & 0xFF);
    }
    return count == 0 || binascii_error("Incomplete", "String has incomplete number of bytes");
}

bool binascii_rlecode_hqx(const uint8_t *data, size_t size, Options *options, BytesOut *out)
{
    (void)options;
    for (size_t i = 0; i < size;) {
        uint8_t byte = data[i];
        size_t end = i + 1;
        while (byte != RUN && end < size && data[end] == byte && end - i < LONGEST_RUN) end++;
        uint8_t run[] = {byte, RUN, (uint8_t)(end - i)}, escaped[] = {RUN, 0};
        if (byte == RUN)
            bytes_out_add(out, escaped, sizeof escaped);
        else if (end - i > sizeof run)
            bytes_out_add(out, run, sizeof run);
        else
            bytes_out_add(out, data + i, end - i);
        i = end;
    }
    return true;
}

bool binascii_rledecode_hqx(const uint8_t *data, size_t size, Options *options, BytesOut *out)
{
    (void)options;
    for (size_t i = 0; i < size && !out->failed; i++) {
        if (data[i] != RUN) {
            bytes_out_byte(out, data[i]);
            continue;
        }
        if (++i >= size) return binascii_error("Incomplete", NULL);
        if (data[i] == 0) {
            bytes_out_byte(out, RUN);
        } else if (out->size == 0) {
            return binascii_error("Error", "Orphaned RLE code at start");
        } else if (bytes_out_room(out, data[i])) {
            memset(out->bytes + out->size, out->bytes[out->size - 1], data[i] - 1u);
            out->size += data[i] - 1u;
        }
    }
    return true;
}
