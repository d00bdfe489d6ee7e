// See library.h.
#include "vm/import/library.h"

#include "objects/text/str.h"

#include <string.h>

static const LibraryFile *forgotten;

static const LibraryFile *find(const char *filename)
{
    size_t prefix = strlen(LIBRARY_ENTRY "/");
    if (strncmp(filename, LIBRARY_ENTRY "/", prefix) != 0) return NULL;
    for (size_t i = 0; i < library_file_count; i++)
        if (strcmp(library_files[i].name, filename + prefix) == 0)
            return library_has(&library_files[i]) ? &library_files[i] : NULL;
    return NULL;
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
    const LibraryFile *file = find(filename);
    if (file) forgotten = file;
}

const char *library_text(const char *filename, size_t *size)
{
    const LibraryFile *file = find(filename);
    if (!file) return NULL;
    *size = file->size;
    return file->text;
}
