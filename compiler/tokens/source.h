// A source text made ready for the tokenizer: UTF-8, lines ending with \n, a NUL behind the end.
//
// CPython reads the script given on the command line line by line from the file, and all else from
// memory; the two differ in how they treat wrong bytes, NUL and the end of the text. `is_file`
// chooses the first.
#pragma once

#include "compiler/compile.h"

typedef struct Source {
    const char *text, *end;
    const char *encoding; // what the cookie named, NULL = none
    bool is_file;
    bool has_encoding;       // a BOM or a cookie named one, or the text was a str: errors count
                             // characters, otherwise bytes
    bool has_bom;            // one was cut off
    bool is_recoded;         // a codec other than utf-8 has read it
    bool ended_with_newline; // before one was added
    const char *not_utf8;    // is_file: the first byte that cannot be UTF-8, or NULL
} Source;

// Leaves by arena_fail() with SyntaxError (wrong encoding) or ValueError (NUL) pending.
void source_open(Arena *arena, Source *source, const char *text, size_t size,
                 const CompileOptions *options);
