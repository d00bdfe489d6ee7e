// The library written in mini-Python, embedded in the binary: embed.c makes the tables from vm/lib/
// at build time. Texts and code are compressed (inflate.h), so each call unpacks a file again.
#pragma once

#include "objects/object.h"

#include <stddef.h>

typedef struct PackedBytes {
    const char *bytes;
    size_t size, unpacked_size;
} PackedBytes;

typedef struct LibraryFile {
    const char *name;        // under vm/lib: "collections/__init__.mpy"
    const PackedBytes *text; // packed with the code as dictionary, which shares names and strings
    const PackedBytes *code; // marshalled, as compiled without -O; no bytes: it was not compiled
} LibraryFile;

#define LIBRARY_ENTRY "<minivm>" // the entry of sys.path that stands for the library

extern const LibraryFile library_files[]; // sorted by their names
extern const size_t library_file_count;

// The file of the library that code objects call so in co_filename, "<minivm>/dis.mpy"; NULL =
// there is none.
const LibraryFile *library_find(const char *filename);
// Its text, an owned bytes object.
Value library_text(const LibraryFile *file);
// Its code, owned and ready to run; ABSENT: the text must be compiled.
Value library_code(const LibraryFile *file);
// Gives a code object of the library its positions, which library_code() leaves out, by compiling
// the text again. Quietly nothing where that fails.
void library_find_positions(ValueRef code);
// Is this the name of a file of the library, as its code objects have it?
bool is_library_file(ValueRef filename);
// From now on there is no such file. It is the only one.
void library_forget(const char *filename);
bool library_has(const LibraryFile *file); // a row of library_files: it was not forgotten
