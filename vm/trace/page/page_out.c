// Writing the page's file: a buffer, JSON, and the chunk of steps at hand.
#include "vm/trace/page/page_out.h"

#include "vm/import/library.h"
#include "vm/outside/outside.h"

#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

// ---- the file

static struct {
    int descriptor; // -1 = none
    int error;      // errno of the first write that failed
    size_t used;
    bool after_value; // a comma is due before the next number
    bool in_wholes;   // the record at hand is one of whole values
} out = {.descriptor = -1};

// What flush() writes. It is no part of `out`: the binary would then hold all of its zeros.
static char pending[1 << 16];

static void flush(void)
{
    if (!out.error && !outside_write_all(out.descriptor, pending, out.used)) out.error = errno;
    out.used = 0;
}

static void put_bytes(const char *bytes, size_t size)
{
    while (size > 0) {
        if (out.used == sizeof pending) flush();
        size_t room = sizeof pending - out.used, part = size < room ? size : room;
        memcpy(pending + out.used, bytes, part);
        out.used += part;
        bytes += part;
        size -= part;
    }
}

static void put_library_text(const char *name)
{
    Value text = library_text(library_find(name));
    if (text) {
        put_bytes(as_bytes(text)->data, (size_t)as_bytes(text)->size);
        drop(text);
    } else {
        error_clear();
        out.error = ENOMEM;
    }
}

bool page_open(const char *path)
{
    int opened = outside_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (opened < 0) return false;
    out.descriptor = outside_copy_aside(opened);
    out.error = out.descriptor < 0 ? errno : 0;
    outside_close(opened);
    put_library_text(LIBRARY_ENTRY "/trace_page.html");
    put_library_text(LIBRARY_ENTRY "/trace_run.js");
    put_library_text(LIBRARY_ENTRY "/trace_heap.js");
    put_library_text(LIBRARY_ENTRY "/trace_view.js");
    page_put("</script>\n");
    flush();
    return !(errno = out.error);
}

int page_close(void)
{
    flush();
    if (outside_close_aside(out.descriptor) < 0 && !out.error) out.error = errno;
    out.descriptor = -1;
    return out.error;
}

bool page_failed(void)
{
    return out.error != 0;
}

// ---- JSON

void page_put(const char *json)
{
    put_bytes(json, strlen(json));
    out.after_value = false;
}

#define NUMBER_BYTES 20 // the most that a number has

// A page has millions of numbers, most of few digits: snprintf() was a third of a run.
static size_t write_number(char *to, int64_t number)
{
    char digits[NUMBER_BYTES], *start = digits + sizeof digits;
    uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
    do *--start = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0) *--start = '-';
    size_t size = (size_t)(digits + sizeof digits - start);
    memcpy(to, start, size);
    return size;
}

void page_put_number(int64_t number)
{
    char digits[NUMBER_BYTES];
    if (out.after_value) put_bytes(",", 1);
    put_bytes(digits, write_number(digits, number));
    out.after_value = true;
}

// What is special to JSON, and what would be to the HTML around it or to an older JavaScript.
static bool is_special(int32_t point)
{
    return point < ' ' || point == '"' || point == '\\' || point == '<' || point == 0x7F ||
           point == 0x2028 || point == 0x2029;
}

// Bytes that are no UTF-8 become U+FFFD.
void page_put_text(const char *utf8, size_t size)
{
    const unsigned char *at = (const unsigned char *)utf8, *end = at + size, *start = at;
    while (at < end) {
        const unsigned char *before = at;
        DecodeProblem problem;
        char escape[16];
        int32_t point = utf8_read(&at, end, &problem);
        if (point >= 0 && !is_special(point)) continue;
        put_bytes((const char *)start, (size_t)(before - start));
        if (point < 0) at += problem.size > 0 ? problem.size : 1;
        int length = point == '\n' ? sprintf(escape, "\\n")
                     : point == '"' || point == '\\'
                         ? sprintf(escape, "\\%c", (char)point)
                         : sprintf(escape, "\\u%04x", point < 0 ? 0xFFFDu : (unsigned)point);
        put_bytes(escape, (size_t)length);
        start = at;
    }
    put_bytes((const char *)start, (size_t)(end - start));
}

void page_put_string(const char *utf8)
{
    page_put("\"");
    page_put_text(utf8, strlen(utf8));
    page_put("\"");
}

void page_begin_record(void)
{
    if (out.in_wholes) {
        out.in_wholes = false;
        page_put("]}");
        page_end_record();
    }
    page_put("<script type=\"application/json\">");
}

void page_end_record(void)
{
    page_put("</script>\n");
}

void page_begin_whole(int number)
{
    if (!out.in_wholes) {
        page_begin_record();
        page_put("{\"wholes\":");
        page_put_number(number);
        page_put(",\"values\":[\n");
        out.in_wholes = true;
    } else {
        page_put(",\n");
    }
}

// ---- the chunk

// A chunk begins with the full state, which may be as large as a step can be; so it goes on for
// four times the bytes of that, and ends where there might be no room for such a step.
#define CHUNK_STEPS 1024 // at least
#define TEXT_BYTES (12 << 20)
#define MOST_TEXT_BYTES (3 << 20) // of a step: page_heap.c has 15,000 values of 180 characters
#define STEP_BYTES (1 << 20)
#define MOST_STEP_BYTES (1 << 18)
#define MAX_TEXTS 60000
#define MOST_TEXTS 16384
#define TABLE_SIZE (2 * MAX_TEXTS)
#define NOTE_BYTES (1 << 14)

static struct Chunk {
    int64_t first; // number of its first step
    int steps;
    char texts[TEXT_BYTES]; // one after the other
    size_t text_bytes;
    uint32_t starts[MAX_TEXTS + 1];
    int text_count;
    uint16_t table[TABLE_SIZE];     // texts by their hash: number + 1
    char json[STEP_BYTES];          // the steps
    size_t json_bytes, first_bytes; // in all; of the first step, its texts too
    bool in_step;
    char notes[NOTE_BYTES]; // numbers, each with a comma in front
    size_t note_bytes;
} *chunk;

bool chunk_set_aside(void)
{
    return (chunk = memory_set_aside(sizeof *chunk));
}

void chunk_begin(int64_t first)
{
    chunk->first = first;
    chunk->steps = chunk->text_count = 0;
    chunk->text_bytes = chunk->json_bytes = 0;
    memset(chunk->table, 0, sizeof chunk->table);
    chunk_text("...", 3);
}

static uint32_t hash_of(const char *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

int chunk_text(const char *utf8, size_t size)
{
    uint32_t slot = hash_of(utf8, size) % TABLE_SIZE;
    for (; chunk->table[slot]; slot = (slot + 1) % TABLE_SIZE) {
        int number = chunk->table[slot] - 1;
        size_t start = chunk->starts[number], length = chunk->starts[number + 1] - start;
        if (length == size && memcmp(chunk->texts + start, utf8, size) == 0) return number;
    }
    if (chunk->text_count == MAX_TEXTS || size > sizeof chunk->texts - chunk->text_bytes) return 0;
    memcpy(chunk->texts + chunk->text_bytes, utf8, size);
    chunk->starts[chunk->text_count] = (uint32_t)chunk->text_bytes;
    chunk->text_bytes += size;
    chunk->starts[chunk->text_count + 1] = (uint32_t)chunk->text_bytes;
    chunk->table[slot] = (uint16_t)(chunk->text_count + 1);
    return chunk->text_count++;
}

static void put_json(const char *bytes, size_t size)
{
    memcpy(chunk->json + chunk->json_bytes, bytes, size);
    chunk->json_bytes += size;
}

void chunk_number(int64_t number)
{
    const char *before = chunk->in_step ? "," : chunk->steps ? ",\n[" : "[";
    put_json(before, strlen(before));
    chunk->json_bytes += write_number(chunk->json + chunk->json_bytes, number);
    if (!chunk->in_step) { // the notes come after the first number
        put_json(chunk->notes, chunk->note_bytes);
        chunk->note_bytes = 0;
    }
    chunk->in_step = true;
}

void chunk_end_step(void)
{
    put_json("]", 1);
    chunk->in_step = false;
    if (!chunk->steps++) chunk->first_bytes = chunk->json_bytes + chunk->text_bytes;
}

bool chunk_note(const int64_t *numbers, size_t count)
{
    if (sizeof chunk->notes - chunk->note_bytes < count * (NUMBER_BYTES + 1)) return false;
    for (size_t i = 0; i < count; i++) {
        chunk->notes[chunk->note_bytes++] = ',';
        chunk->note_bytes += write_number(chunk->notes + chunk->note_bytes, numbers[i]);
    }
    return true;
}

bool chunk_is_full(void)
{
    size_t bytes = chunk->json_bytes + chunk->text_bytes;
    return (chunk->steps >= CHUNK_STEPS && bytes >= 4 * chunk->first_bytes) ||
           chunk->json_bytes > STEP_BYTES - MOST_STEP_BYTES ||
           chunk->text_bytes > TEXT_BYTES - MOST_TEXT_BYTES ||
           chunk->text_count > MAX_TEXTS - MOST_TEXTS;
}

void chunk_write(void)
{
    if (!chunk->steps) return;
    page_begin_record();
    page_put("{\"first\":");
    page_put_number(chunk->first);
    page_put(",\"texts\":[\"");
    for (int i = 0; i < chunk->text_count; i++) {
        if (i > 0) page_put("\",\"");
        page_put_text(chunk->texts + chunk->starts[i], chunk->starts[i + 1] - chunk->starts[i]);
    }
    page_put("\"],\"steps\":[\n");
    put_bytes(chunk->json, chunk->json_bytes);
    page_put("]}");
    page_end_record();
}
