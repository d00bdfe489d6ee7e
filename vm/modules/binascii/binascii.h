// The formats of the module binascii: bytes as text of few characters, and back.
//
//     base64   four characters for three bytes; `=` for what is missing in the last four
//     uu       the same with other characters, and one in front of each line for its length
//     qp       quoted-printable: `=41` for a byte that is no plain text, `=` where a line is broken
//     hqx      BinHex 4: digits of six bits; and runs of a byte as the byte, 0x90 and their length
//
// A Conversion adds its result to `out`. False: binascii.Error or Incomplete is pending. That there
// was no memory is noted in `out`.
#pragma once

#include "objects/bytes/bytes_out.h"
#include "objects/object.h"

typedef struct Options {
    bool newline;   // b2a_base64: a newline at the end
    bool backtick;  // b2a_uu: ` for zero, not a blank
    bool quotetabs; // b2a_qp: tabs and blanks are quoted
    bool istext;    // b2a_qp: line ends stay as they are
    bool header;    // both of qp: _ is a blank
    bool ended;     // result of a2b_hqx: a colon ended the text
} Options;

typedef bool (*Conversion)(const uint8_t *data, size_t size, Options *options, BytesOut *out);

// Raises the module's Error or Incomplete; false.
bool binascii_error(const char *class, const char *format, ...);

// base64.c
bool binascii_b2a_base64(const uint8_t *data, size_t size, Options *options, BytesOut *out);
bool binascii_a2b_base64(const uint8_t *text, size_t size, Options *options, BytesOut *out);
bool binascii_b2a_uu(const uint8_t *data, size_t size, Options *options, BytesOut *out);
bool binascii_a2b_uu(const uint8_t *text, size_t size, Options *options, BytesOut *out);
// quoted_printable.c
bool binascii_b2a_qp(const uint8_t *data, size_t size, Options *options, BytesOut *out);
bool binascii_a2b_qp(const uint8_t *text, size_t size, Options *options, BytesOut *out);
// binhex.c
bool binascii_b2a_hqx(const uint8_t *data, size_t size, Options *options, BytesOut *out);
bool binascii_a2b_hqx(const uint8_t *text, size_t size, Options *options, BytesOut *out);
bool binascii_rlecode_hqx(const uint8_t *data, size_t size, Options *options, BytesOut *out);
bool binascii_rledecode_hqx(const uint8_t *data, size_t size, Options *options, BytesOut *out);
