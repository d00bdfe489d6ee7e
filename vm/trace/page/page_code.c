// Files and code objects for the page.
//
// A record that was written is remembered by a hash of its contents, not by address: code objects
// are freed and their addresses reused. When the table is full it is emptied; then a code object
// may be written again under a new number.
#include "vm/trace/page/page_code.h"

#include "compiler/opcode.h"
#include "vm/outside/outside.h"
#include "vm/trace/page/page_out.h"
#include "vm/trace/trace_view.h"

#include "objects/looking/show.h"
#include "objects/text/str.h"
#include "objects/text/utf8.h"

#include <fcntl.h>
#include <stdio.h>

#define MAX_KNOWN 4096 // a power of two
#define PATH_BYTES 4096
#define DIGEST_START 14695981039346656037ull // of FNV-1a

typedef struct Known {
    uint64_t digests[MAX_KNOWN]; // 0 = free
    int numbers[MAX_KNOWN];
    int used, count; // `count`: of all numbers given so far
} Known;

static Known codes, sources;

// The number of a digest: a new one where it was not known, or was forgotten.
static int find(Known *known, uint64_t digest, bool *is_new)
{
    if (known->used > MAX_KNOWN / 2) {
        memset(known->digests, 0, sizeof known->digests);
        known->used = 0;
    }
    uint32_t slot = digest % MAX_KNOWN;
    digest += !digest;
    while (known->digests[slot] && known->digests[slot] != digest) slot = (slot + 1) % MAX_KNOWN;
    *is_new = !known->digests[slot];
    if (*is_new) {
        known->digests[slot] = digest;
        known->numbers[slot] = known->count++;
        known->used++;
    }
    return known->numbers[slot];
}

static uint64_t digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < size; i++) digest = (digest ^ at[i]) * 1099511628211ull;
    return digest;
}

static uint64_t digest_tuple(uint64_t digest, ValueRef tuple)
{
    return digest_bytes(digest, as_tuple(tuple)->items, (size_t)tuple_size(tuple) * sizeof(Value));
}

static uint64_t digest_code(const Code *code)
{
    const Bytes *bytes = as_bytes(code->code);
    uint64_t digest = digest_bytes(DIGEST_START, bytes->data, (size_t)bytes->size);
    const ValueRef rest[] = {ref_of(code), code->code, code->name, code->filename,
                             from_small(code->firstlineno)};
    digest = digest_bytes(digest, rest, sizeof rest);
    digest = digest_tuple(digest, code->consts);
    return digest_tuple(digest_tuple(digest, code->names), code->varnames);
}

// ---- files

// How many bytes at the end are the start of a character that is cut there.
static size_t cut_bytes(const char *bytes, size_t size)
{
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        uint8_t byte = (uint8_t)bytes[size - back];
        if ((byte & 0xC0) == 0x80) continue;
        size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

// A file that is none, a terminal or a pipe, is left to the program.
static void put_file(const char *path)
{
    if (outside_file_kind(path) != FILE_REGULAR) return;
    int file = outside_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return;
    char bytes[4096];
    size_t kept = 0; // of the last read
    ssize_t count;
    page_put(",\"text\":\"");
    while ((count = outside_read(file, bytes + kept, sizeof bytes - kept)) > 0) {
        size_t size = kept + (size_t)count;
        kept = cut_bytes(bytes, size);
        page_put_text(bytes, size - kept);
        memmove(bytes, bytes + size - kept, kept);
    }
    page_put_text(bytes, kept);
    page_put("\"");
    outside_close(file);
}

// The name of a file as the system has it: bytes that are no UTF-8 stand in a str as surrogates.
// False where it is too long, or cannot be one.
static bool find_path(char *path, size_t size, const Str *name)
{
    size_t length = 0;
    for (ssize_t i = 0; i < name->length; i++) {
        uint32_t point = str_at(name, i);
        if (!point || size - length < 5) return false;
        if (point >= 0xDC80 && point <= 0xDCFF)
            path[length++] = (char)(point - 0xDC00);
        else
            length += (size_t)utf8_write(point, path + length);
    }
    path[length] = 0;
    return length > 0 && *path != '<';
}

static int source_of(const Code *code)
{
    char path[PATH_BYTES], name[PATH_BYTES];
    bool is_new;
    if (!find_path(path, sizeof path, as_str(code->filename))) return -1;
    int number = find(&sources, digest_bytes(DIGEST_START, path, strlen(path)), &is_new);
    if (!is_new) return number;
    show_file_name(name, sizeof name, code->filename);
    page_begin_record();
    page_put("{\"source\":");
    page_put_number(number);
    page_put(",\"name\":");
    page_put_string(name);
    put_file(path);
    page_put("}");
    page_end_record();
    return number;
}

// ---- code objects

static void put_variables(const Code *code)
{
    int slots = code->nlocals + code_cell_count(code) + code_free_count(code);
    char name[400], kind[2] = "";
    ValueRef variable;
    page_put(",\"kinds\":\"");
    for (int i = 0; i < slots; i++) {
        kind[0] = trace_slot(code, i, &variable);
        page_put(kind);
    }
    page_put("\",\"names\":[");
    for (int i = 0; i < slots; i++) {
        trace_slot(code, i, &variable);
        show_text(name, sizeof name, variable);
        page_put(i ? "," : "");
        page_put_string(name);
    }
    page_put("]");
}

static void put_position(const Code *code, int offset)
{
    if (!code->positions) return;
    const Position *position = &code->positions[offset / 2];
    page_put(",");
    page_put_number(position->line);
    page_put_number(position->column);
    page_put_number(position->end_line);
    page_put_number(position->end_column);
}

static void put_row(const Code *code, int offset, int line)
{
    char meaning[400];
    TraceInstruction at = trace_instruction(code, offset);
    trace_operand(meaning, sizeof meaning, code, offset);
    page_put(offset ? ",\n[" : "[");
    page_put_string(trace_opcode_name(at.opcode));
    page_put(",");
    page_put_number(at.opcode >= HAVE_ARGUMENT ? at.operand : -1);
    page_put(",");
    page_put_string(meaning);
    page_put(",");
    page_put_number(line);
    put_position(code, offset);
    page_put("]");
}

static void put_code(const Code *code, int number, int source)
{
    char name[400];
    show_text(name, sizeof name, code->name);
    page_begin_record();
    page_put("{\"code\":");
    page_put_number(number);
    page_put(",\"name\":");
    page_put_string(name);
    page_put(",\"source\":");
    page_put_number(source);
    page_put(",\"line\":");
    page_put_number(code->firstlineno);
    put_variables(code);
    page_put(",\"rows\":[");
    LineCursor lines = {.code = code};
    for (int offset = 0; offset + 1 < code_size(code); offset += 2)
        put_row(code, offset, code_next_line(&lines, offset));
    page_put("]}");
    page_end_record();
}

int page_code(const Code *code)
{
    bool is_new;
    int number = find(&codes, digest_code(code), &is_new);
    if (is_new) put_code(code, number, source_of(code));
    return number;
}
