// A source text prepared for the tokenizer: UTF-8, lines that end with \n, a NUL after the end.
//
// CPython reads the script of the command line from its file, line by line, and any other source
// from memory. The two treat wrong bytes, NUL and the end of the text differently. `is_file`
// chooses the first.
#pragma once

#include "compiler/compile.h"

typedef struct Source {
    const char *text, *end;
    const char *encoding; // what the cookie named, NULL = none
    bool is_file;
    bool has_encoding;       // from a BOM or a cookie, or the text was a str: errors count columns
                             // in characters, otherwise in bytes
    bool has_bom;            // there was a BOM
    bool is_recoded;         // a codec other than utf-8 has decoded it
    bool ended_with_newline; // in the original
    const char *not_utf8;    // is_file: the first byte that cannot be UTF-8, or NULL
} Source;

// Leaves by arena_fail() with SyntaxError (wrong encoding) or ValueError (NUL) pending.
void source_open(Arena *arena, Source *source, const char *text, size_t size,
                 const CompileOptions *options);
