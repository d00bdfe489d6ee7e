// A build tool: prints the library's files as one C table of names and texts, for library.h.
//
//     embed ROOT FILE...     FILE lies under ROOT; "ROOT/torch/fx/graph.mpy" gets the name
//     "torch/fx/graph.mpy"; a file elsewhere gets the last part of its path
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_text(FILE *file)
{
    int byte, column = 0;
    while ((byte = getc(file)) != EOF) {
        column += printf("%d,", byte);
        if (column > 90) column = 0 * putchar('\n');
    }
    printf("0");
}

static int print_file(const char *path, int number)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 0;
    }
    printf("static const unsigned char text_%d[] = {\n", number);
    print_text(file);
    printf("};\n");
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
        printf("    {\"%s\", (const char *)text_%d, sizeof text_%d - 1},\n",
               name_of(argv[i], argv[1]), i, i);
    printf("};\nconst size_t library_file_count = %d;\n", argc - 2);
    return 0;
}
