// A build tool: prints files of the library as C for library.h, their texts and what the compiler
// makes of them; one table for each folder, so that only one is made anew when a module is changed.
// It is linked with objects/, compiler/ and zlib's compression.
//
//     embed ROOT FILE...             FILE is under ROOT; "ROOT/torch/fx/graph.mpy" gets the name
//     "torch/fx/graph.mpy"; a file elsewhere gets the last part of its path
//     embed --texts ROOT FILE...     does not compile: minivm does, at run time
//     embed --index ROOT FILE...     the list of all files, whose bytes stand in the tables
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

#include <ctype.h>
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

// "torch/fx/graph.mpy" as a part of a name in C, torch__fx__graph_mpy.
static void print_symbol(const char *prefix, const char *name)
{
    fputs(prefix, stdout);
    for (; *name; name++)
        if (*name == '/')
            fputs("__", stdout);
        else
            putchar(isalnum((unsigned char)*name) ? *name : '_');
}

// A variable of C, the bytes compressed: at level 9, 15 ms more for a folder than level 6 and 0.6%
// less. `known`: bytes that whoever unpacks it has, or ABSENT. False: out of memory.
static bool print_packed(const char *prefix, const char *name, const char *bytes, size_t size,
                         ValueRef known)
{
    BytesOut out = {0};
    Deflater deflater;
    DeflateOptions options = {
        .level = 9, .window_bits = LARGEST_WINDOW, .memory = 9, .wrapping = WRAPPING_NONE};
    if (known != ABSENT) {
        options.dictionary = (const uint8_t *)as_bytes(known)->data;
        options.dictionary_size = (size_t)as_bytes(known)->size;
    }
    if (!deflate_begin(&deflater, &options, &out)) return false;
    deflate_add(&deflater, (const uint8_t *)bytes, size, FLUSH_NONE);
    deflate_add(&deflater, NULL, 0, FLUSH_FINISH);
    deflate_free(&deflater);
    printf("const PackedBytes ");
    print_symbol(prefix, name);
    printf(" = {\n");
    print_literal(out.bytes, out.size);
    printf(",\n%zu, %zu};\n", out.size, size);
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

// The text is packed with the code as what is known: names and strings stand in both.
static bool print_file(const char *path, bool with_code)
{
    const char *name = name_of(path);
    size_t size = 0;
    char *text = read_file(path, &size);
    if (!text) return false;
    Value code = with_code ? compiled(name, text, size) : ABSENT;
    bool done = print_packed("text_", name, text, size, code);
    if (code == ABSENT) {
        printf("const PackedBytes ");
        print_symbol("code_", name);
        printf(" = {0};\n");
    } else {
        const Bytes *bytes = as_bytes(code);
        done = done && print_packed("code_", name, bytes->data, (size_t)bytes->size, ABSENT);
    }
    drop(code);
    memory_free(text);
    return done;
}

static bool print_table(char **paths, size_t count, bool with_code)
{
    for (size_t i = 0; i < count; i++)
        if (!print_file(paths[i], with_code)) return false;
    return true;
}

static void print_index(char **paths, size_t count)
{
    qsort(paths, count, sizeof *paths, compare_names);
    for (size_t i = 0; i < count; i++) {
        print_symbol("extern const PackedBytes text_", name_of(paths[i]));
        print_symbol(", code_", name_of(paths[i]));
        printf(";\n");
    }
    printf("\nconst LibraryFile library_files[] = {\n");
    for (size_t i = 0; i < count; i++) {
        printf("    {\"%s\", ", name_of(paths[i]));
        print_symbol("&text_", name_of(paths[i]));
        print_symbol(", &code_", name_of(paths[i]));
        printf("},\n");
    }
    printf("};\nconst size_t library_file_count = %zu;\n", count);
}

int main(int argc, char **argv)
{
    bool texts = argc > 1 && strcmp(argv[1], "--texts") == 0;
    bool index = argc > 1 && strcmp(argv[1], "--index") == 0;
    if (texts || index) argc--, argv++;
    if (argc < 3 || !objects_init()) {
        fprintf(stderr, "usage: embed [--texts | --index] ROOT FILE...\n");
        return 2;
    }
    root = argv[1];
    printf("// Made by vm/import/embed.c from the files of vm/lib.\n#include "
           "\"vm/import/library.h\"\n\n");
    bool done = true;
    if (index)
        print_index(argv + 2, (size_t)argc - 2);
    else
        done = print_table(argv + 2, (size_t)argc - 2, !texts);
    objects_finish();
    return done ? 0 : 1;
}
