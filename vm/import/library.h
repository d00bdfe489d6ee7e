// The library written in mini-Python, embedded in the binary: embed.c makes the table from
// vm/lib/ at build time.
#pragma once

#include <stddef.h>

typedef struct LibraryFile {
    const char *name; // under vm/lib: "collections/__init__.mpy"
    const char *text;
    size_t size;
} LibraryFile;

extern const LibraryFile library_files[];
extern const size_t library_file_count;
