// Text to bytes and back: utf-8, utf-8-sig, utf-16, utf-32, ascii, latin-1, latin-9, cp1252,
// koi8-r, unicode_escape, raw_unicode_escape, with the error handlers strict, ignore, replace,
// backslashreplace, xmlcharrefreplace, namereplace, surrogateescape, surrogatepass. Names are
// normalised as in Python (`UTF8`, `Latin_1`).
#pragma once

#include "objects/object.h"

extern bool codecs_check_names; // -X dev: names are looked up where nothing needs them, too
// NULL names mean "utf-8" and "strict". LookupError "unknown encoding: x". UnicodeDecodeError,
// UnicodeEncodeError.
Value text_decode(const void *bytes, size_t size, const char *encoding, const char *errors);
Value text_encode(ValueRef str, const char *encoding, const char *errors);
bool encoding_known(const char *encoding);
// The name that a codec gives itself (CodecInfo.name); an unknown one stays as it is.
void encoding_name(const char *encoding, char *name, size_t room);
// Writes bytes as they stand between these quotes, each as ESCAPE_MAX characters of ASCII at most:
// returns the end.
#define ESCAPE_MAX 4
char *bytes_escape(const char *bytes, ssize_t size, char quote, char *to);
// Bytes as they are written between quotes, from `at` on, to what they stand for, which is never
// longer. False where there is nothing after a backslash, or are no two digits after \x: `at` is
// then after that. `invalid` is the first letter after a backslash that has no meaning; 0 = none.
typedef struct Unescape {
    const char *at, *end;
    char *to;
    char invalid;
} Unescape;
bool bytes_unescape(Unescape *text);
// The CodecInfo of an encoding that is not known here, for a file. LookupError.
Value registered_codec(const char *encoding);
