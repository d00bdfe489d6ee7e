// A build tool: prints the library's files as one C table for library.h: names, texts, and what the
// compiler makes of them. It is linked with objects/, compiler/ and zlib's compression.
//
//     embed ROOT FILE...             FILE is under ROOT; "ROOT/torch/fx/graph.mpy" gets the name
//     "torch/fx/graph.mpy"; a file elsewhere gets the last part of its path
//     embed --texts ROOT FILE...     does not compile: minivm does, at run time
//
// A file that cannot be compiled is embedded all the same: who imports it sees the error.
#include "compiler/compile.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/init.h"
#include "objects/marshal/marshal.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/import/library.h"
#include "vm/modules/zlib/deflate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64

// gcc reads a string literal ten times faster than a list of numbers. A byte that may not stand in
// a literal as it is becomes three octal digits.
static void print_literal(const uint8_t *bytes, size_t size)
{
    putchar('"');
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < ' ' || bytes[i] > '~' || strchr("\"\\?", bytes[i])) // ??= is a trigraph
            printf("\\%03o", bytes[i]);
        else
            putchar(bytes[i]);
        if (i % LINE_BYTES == LINE_BYTES - 1) printf("\"\n\"");
    }
    putchar('"');
}

// static const char NAME_5[] = "...", the bytes compressed. False: out of memory.
static bool print_packed(const char *name, int number, const char *bytes, size_t size)
{
    BytesOut out = {0};
    Deflater deflater;
    DeflateOptions options = {
        .level = 9, .window_bits = LARGEST_WINDOW, .memory = 9, .wrapping = WRAPPING_NONE};
    if (!deflate_begin(&deflater, &options, &out)) return false;
    deflate_add(&deflater, (const uint8_t *)bytes, size, FLUSH_NONE);
    deflate_add(&deflater, NULL, 0, FLUSH_FINISH);
    deflate_free(&deflater);
    printf("static const char %s_%d[] =\n", name, number);
    print_literal(out.bytes, out.size);
    printf(";\nenum { %s_size_%d = %zu };\n", name, number, size);
    bytes_out_free(&out);
    return !out.failed;
}

static bool ends_in(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// The marshalled code, or ABSENT.
static Value compiled(const char *name, const char *text, size_t size)
{
    if (!ends_in(name, ".mpy")) return ABSENT;
    Value filename = format_text("%s/%s", LIBRARY_ENTRY, name), bytes = VALUE_ERROR;
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
    Value code = filename ? compile_source(text, size, &options) : VALUE_ERROR;
    if (code) bytes = marshal_write(code, MARSHAL_VERSION);
    drop(code);
    drop(filename);
    if (bytes) return bytes;
    fprintf(stderr, "embed: %s is not compiled\n", name);
    error_clear();
    return ABSENT;
}

// All of a file, allocated by memory_alloc().
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        text = memory_alloc(*size + 1);
        if (text && fread(text, 1, *size, file) != *size) {
            memory_free(text);
            text = NULL;
        }
    }
    if (!text) perror(path);
    if (file) fclose(file);
    return text;
}

static const char *root;

static const char *name_of(const char *path)
{
    size_t size = strlen(root);
    if (strncmp(path, root, size) == 0 && path[size] == '/') return path + size + 1;
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int compare_names(const void *left, const void *right)
{
    const char *const *first = left, *const *second = right;
    return strcmp(name_of(*first), name_of(*second));
}

static bool print_file(const char *path, int number, bool with_code)
{
    const char *name = name_of(path);
    size_t size;
    char *text = read_file(path, &size);
    if (!text) return false;
    bool done = print_packed("text", number, text, size);
    Value code = with_code ? compiled(name, text, size) : ABSENT;
    if (code == ABSENT) {
        printf("#define CODE_%d {0}\n", number);
    } else {
        const Bytes *bytes = as_bytes(code);
        done = done && print_packed("code", number, bytes->data, (size_t)bytes->size);
        printf("#define CODE_%d {code_%d, sizeof code_%d - 1, code_size_%d}\n", number, number,
               number, number);
    }
    drop(code);
    memory_free(text);
    return done;
}

int main(int argc, char **argv)
{
    bool with_code = argc < 2 || strcmp(argv[1], "--texts") != 0;
    if (!with_code) argc--, argv++;
    if (argc < 3 || !objects_init()) {
        fprintf(stderr, "usage: embed [--texts] ROOT FILE...\n");
        return 2;
    }
    root = argv[1];
    qsort(argv + 2, (size_t)argc - 2, sizeof *argv, compare_names);
    printf("// Made by vm/import/embed.c from the files of vm/lib.\n#include "
           "\"vm/import/library.h\"\n\n");
    for (int i = 2; i < argc; i++)
        if (!print_file(argv[i], i, with_code)) return 1;
    printf("const LibraryFile library_files[] = {\n");
    for (int i = 2; i < argc; i++)
        printf("    {\"%s\", {text_%d, sizeof text_%d - 1, text_size_%d}, CODE_%d},\n",
               name_of(argv[i]), i, i, i, i);
    printf("};\nconst size_t library_file_count = %d;\n", argc - 2);
    objects_finish();
    return 0;
}
