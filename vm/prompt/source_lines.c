// Lines of source files. The last file read is kept, because a traceback often shows several of its
// lines in a row. A SyntaxError quotes its line exactly as the file has it (program_line).
#include "vm/prompt/source_lines.h"

#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/import/library.h"
#include "vm/io/path.h"
#include "vm/outside/outside.h"

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
static bool keep_embedded(const char *filename, const LibraryFile *file)
{
    Value text = library_text(file);
    if (!text) error_clear();
    size_t size = text ? (size_t)as_bytes(text)->size : 0;
    char *copy = text ? memory_alloc(size + 1) : NULL;
    if (copy) memcpy(copy, as_bytes(text)->data, size);
    drop(text);
    return copy && keep(filename, copy, size);
}

static bool load(const char *filename)
{
    if (kept.filename && strcmp(kept.filename, filename) == 0) return true;
    size_t size;
    const LibraryFile *embedded = library_find(filename);
    if (embedded) return keep_embedded(filename, embedded);
    char *text = outside_read_file(filename, &size);
    return text && keep(filename, text, size);
}

static bool load_file(ValueRef filename)
{
    Value name = path_bytes(filename);
    bool done = name && load(as_bytes(name)->data);
    if (!name) error_clear();
    drop(name);
    return done;
}

Value source_line(ValueRef filename, int line)
{
    if (!load_file(filename)) return ABSENT;
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

// ---- the line of a SyntaxError

#define LINE_BUFFER 999 // as much of a line as CPython reads at once: the last piece is shown

static char *line_end(char *text, char *end)
{
    while (text < end && *text != '\n' && *text != '\r') text++;
    return text;
}

static char *next_line(char *text, char *end)
{
    text = line_end(text, end);
    if (end - text > 1 && text[0] == '\r' && text[1] == '\n') text++;
    return text < end ? text + 1 : end;
}

// The line at `text`, up to a NUL in it; its end becomes a newline.
static Value quote(char *text, char *end)
{
    char *stop = line_end(text, end);
    if (stop < end) *stop++ = '\n';
    size_t size = (size_t)(stop - text);
    size_t skipped = size ? (size - 1) / LINE_BUFFER * LINE_BUFFER : 0;
    Value line = str_from_utf8(text + skipped, strnlen(text + skipped, size - skipped));
    if (line) return line;
    error_clear();
    return ABSENT;
}

Value source_program_line(ValueRef filename, int line)
{
    size_t size;
    Value name = path_bytes(filename);
    char *text = name ? outside_read_file(as_bytes(name)->data, &size) : NULL;
    if (!name) error_clear();
    drop(name);
    if (!text) return ABSENT;
    char *start = text, *end = text + size;
    for (int i = 1; i < line; i++) start = next_line(start, end);
    Value result = line > 0 && start < end ? quote(start, end) : ABSENT;
    memory_free(text);
    return result;
}
