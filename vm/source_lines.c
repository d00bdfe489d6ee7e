// Lines of source files: the last file asked for is kept, since a traceback asks for several of its
// lines in a row.
#include "vm/source_lines.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/str.h"
#include "vm/import.h"
#include "vm/outside.h"

static struct {
    char *filename; // NULL = nothing is kept
    char *text;
    size_t size;
} kept;

void source_lines_finish(void)
{
    memory_free(kept.filename);
    memory_free(kept.text);
    kept.filename = kept.text = NULL;
}

// Takes over the text.
static bool keep(const char *filename, char *text, size_t size)
{
    source_lines_finish();
    size_t length = strlen(filename) + 1;
    kept.filename = memory_alloc(length);
    kept.text = text;
    kept.size = size;
    if (!kept.filename) return false;
    memcpy(kept.filename, filename, length);
    return true;
}

// An embedded text, which is copied so that all are kept alike.
static bool keep_copy(const char *filename, const char *text, size_t size)
{
    char *copy = memory_alloc(size + 1);
    if (!copy) return false;
    memcpy(copy, text, size);
    return keep(filename, copy, size);
}

static bool load(const char *filename)
{
    if (kept.filename && strcmp(kept.filename, filename) == 0) return true;
    size_t size;
    const char *embedded = import_library_text(filename, &size);
    if (embedded) return keep_copy(filename, embedded, size);
    char *text = outside_read_file(filename, &size);
    return text && keep(filename, text, size);
}

Value source_line(ValueRef filename, int line)
{
    const char *name = str_utf8(filename, NULL);
    if (!name) error_clear();
    if (!name || !load(name)) return ABSENT;
    const char *start = kept.text, *end = kept.text + kept.size;
    for (int i = 1; i < line && start < end; i++) {
        const char *newline = memchr(start, '\n', (size_t)(end - start));
        start = newline ? newline + 1 : end;
    }
    if (start == end) return ABSENT;
    const char *newline = memchr(start, '\n', (size_t)(end - start));
    size_t size = (size_t)((newline ? newline : end) - start);
    if (size && start[size - 1] == '\r') size--;
    Value text = str_from_utf8(start, size);
    if (text) return text;
    error_clear();
    return str_from_latin1(start, size);
}
