// A build tool: prints the library's files as one C table of names and texts, for library.h.
//
//     embed ROOT FILE...     FILE is under ROOT; "ROOT/torch/fx/graph.mpy" gets the name
//     "torch/fx/graph.mpy"; a file elsewhere gets the last part of its path
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A string literal, a line of it for each line of the text: gcc reads one ten times faster than a
// list of numbers. A byte that may not stand in a literal as it is becomes three octal digits.
static void print_text(FILE *file)
{
    int byte;
    putchar('"');
    while ((byte = getc(file)) != EOF)
        if (byte == '\n')
            printf("\\n\"\n\"");
        else if (byte < ' ' || byte > '~' || strchr("\"\\?", byte)) // ??= would be a trigraph
            printf("\\%03o", byte);
        else
            putchar(byte);
    putchar('"');
}

static int print_file(const char *path, int number)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 0;
    }
    printf("static const char text_%d[] =\n", number);
    print_text(file);
    printf(";\n");
    fclose(file);
    return 1;
}

static const char *name_of(const char *path, const char *root)
{
    size_t size = strlen(root);
    if (strncmp(path, root, size) == 0 && path[size] == '/') return path + size + 1;
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: embed ROOT FILE...\n");
        return 2;
    }
    printf("// Made by vm/import/embed.c from the files of vm/lib.\n#include "
           "\"vm/import/library.h\"\n\n");
    for (int i = 2; i < argc; i++)
        if (!print_file(argv[i], i)) return 1;
    printf("const LibraryFile library_files[] = {\n");
    for (int i = 2; i < argc; i++)
        printf("    {\"%s\", text_%d, sizeof text_%d - 1},\n", name_of(argv[i], argv[1]), i, i);
    printf("};\nconst size_t library_file_count = %d;\n", argc - 2);
    return 0;
}
