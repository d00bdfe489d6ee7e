// The source argument of compile(), eval() and exec(): a str, or an object with the buffer
// protocol.
#pragma once

#include "objects/bytes/buffer.h"

typedef struct SourceText {
    const char *text; // borrowed from the value or the buffer
    size_t size;
    bool is_utf8; // it was a str
    Buffer buffer;
} SourceText;

// `what` completes "compile() arg 1 must be a ... object". ValueError if the text holds a NUL.
bool source_text_get(ValueRef source, const char *function, const char *what, SourceText *text);
void source_text_drop(SourceText *text);
// The filename argument as a str: a path, or (with a DeprecationWarning) what else lends bytes.
Value source_filename(ValueRef value);
