// Quoted-printable (RFC 1521): text that a mail can carry.
//
// A byte that is no plain text is written as `=` and two hexadecimal digits. A line longer than 76
// characters is broken by a `=` at its end.
#include "vm/modules/binascii/binascii.h"

#include "objects/numbers/digits.h"

#include <string.h>

#define LINE_LENGTH 76

static size_t after_line_end(const uint8_t *text, size_t size, size_t i)
{
    const uint8_t *end = memchr(text + i, '\n', size - i);
    return end ? (size_t)(end - text) + 1 : size;
}

bool binascii_a2b_qp(const uint8_t *text, size_t size, Options *options, BytesOut *out)
{
    if (!bytes_out_room(out, size + 1)) return true; // no byte becomes two
    uint8_t *at = out->bytes + out->size;
    for (size_t i = 0; i < size;) {
        uint8_t byte = text[i++];
        if (byte == '_' && options->header) {
            *at++ = ' ';
        } else if (byte != '=') {
            *at++ = byte;
        } else if (i >= size) {
            break;
        } else if (text[i] == '\n' || text[i] == '\r') {
            i = after_line_end(text, size, i);
        } else if (text[i] == '=') {
            *at++ = '=';
            i++;
        } else if (i + 1 < size && digit_value(text[i]) < 16 && digit_value(text[i + 1]) < 16) {
            *at++ = (uint8_t)(digit_value(text[i]) << 4 | digit_value(text[i + 1]));
            i += 2;
        } else {
            *at++ = '=';
        }
    }
    out->size = (size_t)(at - out->bytes);
    return true;
}

// A text that is being written.
typedef struct Writer {
    const uint8_t *data;
    size_t size;
    const Options *options;
    const char *newline; // as the first line of the data ends
    size_t line;         // how long the line is
    BytesOut *out;
} Writer;

static void write_quoted(BytesOut *out, uint8_t byte)
{
    static const char digits[] = "0123456789ABCDEF";
    bytes_out_byte(out, '=');
    bytes_out_byte(out, (unsigned)digits[byte >> 4]);
    bytes_out_byte(out, (unsigned)digits[byte & 15]);
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t';
}

// A blank at the end of a line would be lost, so it is quoted.
static void end_line(Writer *writer)
{
    BytesOut *out = writer->out;
    if (out->size && is_blank(out->bytes[out->size - 1])) {
        uint8_t blank = out->bytes[--out->size];
        write_quoted(out, blank);
    }
    bytes_out_add(out, writer->newline, strlen(writer->newline));
    writer->line = 0;
}

static bool must_quote(const Writer *writer, size_t i)
{
    const Options *options = writer->options;
    uint8_t byte = writer->data[i];
    bool is_last = i + 1 == writer->size;
    if (byte > 126 || byte == '=' || (options->header && byte == '_')) return true;
    if (is_blank(byte)) return options->quotetabs || is_last;
    if (byte == '\n' || byte == '\r') return !options->istext;
    if (byte < 33) return true;
    // a line that is a lone dot would end a mail
    return byte == '.' && writer->line == 0 && (is_last || memchr("\n\r", writer->data[i + 1], 3));
}

static void write_byte(Writer *writer, size_t i)
{
    bool quoted = must_quote(writer, i), ends_line;
    size_t width = quoted ? 3 : 1;
    ends_line = i + 1 == writer->size || writer->data[i + 1] == '\n';
    if (writer->line + width >= LINE_LENGTH && (quoted || !ends_line)) {
        bytes_out_byte(writer->out, '=');
        bytes_out_add(writer->out, writer->newline, strlen(writer->newline));
        writer->line = 0;
    }
    uint8_t byte = writer->data[i];
    if (quoted)
        write_quoted(writer->out, byte);
    else
        bytes_out_byte(writer->out, writer->options->header && byte == ' ' ? '_' : byte);
    writer->line += width;
}

bool binascii_b2a_qp(const uint8_t *data, size_t size, Options *options, BytesOut *out)
{
    const uint8_t *first = size ? memchr(data, '\n', size) : NULL;
    bool crlf = first && first > data && first[-1] == '\r';
    Writer writer = {data, size, options, crlf ? "\r\n" : "\n", 0, out};
    for (size_t i = 0; i < size; i++) {
        bool pair = data[i] == '\r' && i + 1 < size && data[i + 1] == '\n';
        if (options->istext && (data[i] == '\n' || pair)) {
            end_line(&writer);
            i += pair;
        } else {
            write_byte(&writer, i);
        }
    }
    return true;
}
