// The library written in mini-Python, embedded in the binary: embed.c makes the table from
// vm/lib/ at build time.
#pragma once

#include "objects/object.h"

#include <stddef.h>

typedef struct LibraryFile {
    const char *name; // under vm/lib: "collections/__init__.mpy"
    const char *text;
    size_t size;
} LibraryFile;

#define LIBRARY_ENTRY "<minivm>" // the entry of sys.path that stands for the library

extern const LibraryFile library_files[];
extern const size_t library_file_count;

// The text of a file of the library, by the co_filename of its code objects, "<minivm>/dis.mpy";
// NULL = there is none.
const char *library_text(const char *filename, size_t *size);
// Is this the name of a file of the library, as its code objects have it?
bool is_library_file(ValueRef filename);
// From now on there is no such file. It is the only one.
void library_forget(const char *filename);
bool library_has(const LibraryFile *file); // a row of library_files: it was not forgotten
