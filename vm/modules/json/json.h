// What the files of the module _json share: strings (mod__json.c), the type of make_scanner
// (json_scanner.c) and that of make_encoder (json_encoder.c).
#pragma once

#include "objects/call.h"
#include "objects/text/str.h"

extern Type json_scanner_type, json_encoder_type;

// The str whose opening quote is before index *at; moves *at after the closing one.
Value json_scan_string(ValueRef text, ssize_t *at, bool strict);
// Raises json.decoder.JSONDecodeError; always VALUE_ERROR.
Value json_raise_decode_error(ValueRef text, const char *message, ssize_t position);

// Writes a str in quotes with its escapes; `ascii`: escapes all characters above "~" too.
bool json_add_string(StrBuilder *builder, ValueRef string, bool ascii);
Value json_encode_basestring(FUNCTION_ARGS);
Value json_encode_basestring_ascii(FUNCTION_ARGS);
