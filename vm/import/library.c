// See library.h.
#include "vm/import/library.h"

#include "compiler/compile.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/inflate.h"
#include "objects/code.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/marshal/marshal.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdlib.h>
#include <string.h>

static const LibraryFile *forgotten;

static int compare_name(const void *name, const void *file)
{
    return strcmp(name, ((const LibraryFile *)file)->name);
}

const LibraryFile *library_find(const char *filename)
{
    size_t prefix = strlen(LIBRARY_ENTRY "/");
    if (strncmp(filename, LIBRARY_ENTRY "/", prefix) != 0) return NULL;
    const LibraryFile *file = bsearch(filename + prefix, library_files, library_file_count,
                                      sizeof *library_files, compare_name);
    return file && library_has(file) ? file : NULL;
}

bool library_has(const LibraryFile *file)
{
    return file != forgotten;
}

bool is_library_file(ValueRef filename)
{
    static const char folder[] = LIBRARY_ENTRY "/";
    return str_check(filename) && as_str(filename)->ascii &&
           strncmp(as_str(filename)->data, folder, sizeof folder - 1) == 0;
}

void library_forget(const char *filename)
{
    const LibraryFile *file = library_find(filename);
    if (file) forgotten = file;
}

// What `make` makes of the bytes: an owned value. `known`: the bytes that they were packed with, or
// ABSENT.
static Value unpack(const PackedBytes *packed, ValueRef known,
                    Value (*make)(const void *bytes, size_t size))
{
    Inflater inflater;
    inflate_begin(&inflater, INFLATE_RAW, LARGEST_WINDOW);
    if (known != ABSENT)
        inflate_set_dictionary(&inflater, (const uint8_t *)as_bytes(known)->data,
                               (size_t)as_bytes(known)->size);
    inflate_take(&inflater, (const uint8_t *)packed->bytes, packed->size);
    size_t room = packed->unpacked_size + INFLATE_SLACK;
    InflateResult result = INFLATE_NO_MEMORY;
    if (bytes_out_room(&inflater.out, room)) result = inflate_run(&inflater, room);
    invariant(result != INFLATE_WRONG, "embed.c has packed the library's files");
    const size_t begin = inflater.out_begin;
    Value value = result == INFLATE_END
                      ? make(inflater.out.bytes + begin, inflater.out.size - begin)
                      : raise_memory_error();
    inflate_free(&inflater);
    return value;
}

static Value make_bytes(const void *bytes, size_t size)
{
    return bytes_new(bytes, size);
}

Value library_text(const LibraryFile *file)
{
    Value code = file->code->bytes ? unpack(file->code, ABSENT, make_bytes) : ABSENT;
    Value text = code ? unpack(file->text, code, make_bytes) : VALUE_ERROR;
    drop(code);
    return text;
}

// The compiler of this minivm has made it, at build time.
static void trust(ValueRef value)
{
    as_code(value)->compiled = true;
    ValueRef constants = as_code(value)->consts;
    for (ssize_t i = 0; i < tuple_size(constants); i++)
        if (code_check(tuple_at(constants, i))) trust(tuple_at(constants, i));
}

Value library_code(const LibraryFile *file)
{
    if (!file->code->bytes) return ABSENT;
    GcYoung others;
    gc_set_aside(&others);
    Value code = unpack(file->code, ABSENT, marshal_read);
    gc_settle_new(&others);
    if (code) trust(code);
    return code;
}

// ---- positions

// Moves them from the code that is equal, the compiled one or one within it.
static bool move_positions(ValueRef compiled, ValueRef value)
{
    bool equal;
    Code *from = as_code(compiled), *to = as_code(value);
    if (!object_equal(compiled, value, &equal)) return false;
    if (equal) {
        code_set_positions(to, from->positions);
        from->positions = NULL;
    }
    for (ssize_t i = 0; !to->positions && i < tuple_size(from->consts); i++) {
        ValueRef inner = tuple_at(from->consts, i);
        if (code_check(inner) && !move_positions(inner, value)) return false;
    }
    return true;
}

void library_find_positions(ValueRef code)
{
    ValueRef filename = as_code(code)->filename;
    const char *name = str_utf8(filename, NULL);
    const LibraryFile *file = name ? library_find(name) : NULL;
    Value text = file && !as_code(code)->positions ? library_text(file) : VALUE_ERROR;
    if (text) {
        CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
        Value compiled =
            compile_source(as_bytes(text)->data, (size_t)as_bytes(text)->size, &options);
        if (compiled) move_positions(compiled, code);
        drop(compiled);
        drop(text);
    }
    error_clear();
}
