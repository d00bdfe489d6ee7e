// See line_text.h.
#include "vm/prompt/line_text.h"

#include "objects/error.h"
#include "objects/memory.h"

#include <string.h>

// ---- bytes

bool line_text_insert(Text *text, size_t at, const char *bytes, size_t size)
{
    if (text->size + size + 1 > text->capacity) {
        size_t capacity = (text->size + size + 1) * 2;
        char *larger = memory_resize(text->bytes, capacity);
        if (!larger) return raise_memory_error();
        text->bytes = larger;
        text->capacity = capacity;
    }
    memmove(text->bytes + at + size, text->bytes + at, text->size - at);
    memcpy(text->bytes + at, bytes, size);
    text->size += size;
    text->bytes[text->size] = 0;
    return true;
}

bool line_text_set(Text *text, const char *bytes, size_t size)
{
    text->size = 0;
    return line_text_insert(text, 0, bytes, size);
}

void line_text_remove(Text *text, size_t from, size_t to)
{
    if (from == to) return;
    memmove(text->bytes + from, text->bytes + to, text->size - to);
    text->size -= to - from;
    text->bytes[text->size] = 0;
}

void line_text_free(Text *text)
{
    memory_free(text->bytes);
    *text = (Text){0};
}

// ---- characters

int line_text_utf8_length(char first)
{
    unsigned char byte = (unsigned char)first;
    return byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 1;
}

static bool is_continuation(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

uint32_t line_text_point(const char *bytes, size_t size, size_t *length)
{
    unsigned char first = (unsigned char)bytes[0];
    size_t wanted = (size_t)line_text_utf8_length(bytes[0]);
    uint32_t point = wanted == 1 ? first : first & (0xFFu >> (wanted + 1));
    *length = 1;
    for (size_t i = 1; i < wanted; i++) {
        if (i == size || !is_continuation(bytes[i])) return first;
        point = point << 6 | ((unsigned char)bytes[i] & 0x3F);
    }
    *length = wanted;
    return point;
}

typedef struct PointRange {
    uint32_t first, last;
} PointRange;

// Combining marks, joiners and selectors: what terminals draw over the character before it.
static const PointRange without_width[] = {
    {0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},    {0x610, 0x61A},   {0x64B, 0x65F},
    {0x6D6, 0x6DC},   {0x900, 0x902},   {0x93C, 0x93C},    {0x941, 0x948},   {0x94D, 0x94D},
    {0xE31, 0xE31},   {0xE34, 0xE3A},   {0xE47, 0xE4E},    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0x302A, 0x302D},  {0x3099, 0x309A}, {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
static const PointRange wide[] = {
    {0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1FAFF}, {0x20000, 0x3FFFD}};

static bool is_in(const PointRange *ranges, size_t count, uint32_t point)
{
    for (size_t i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last) return true;
    return false;
}

int line_text_width(uint32_t point)
{
    if (point < 0x300) return 1;
    if (is_in(without_width, sizeof without_width / sizeof *without_width, point)) return 0;
    return is_in(wide, sizeof wide / sizeof *wide, point) ? 2 : 1;
}

// ---- positions

static size_t next_point(const Text *text, size_t at)
{
    size_t length;
    line_text_point(text->bytes + at, text->size - at, &length);
    return at + length;
}

static size_t previous_point(const Text *text, size_t at)
{
    size_t start = at - 1;
    while (start > 0 && at - start < 4 && is_continuation(text->bytes[start])) start--;
    return next_point(text, start) == at ? start : at - 1;
}

static bool has_no_width(const Text *text, size_t at)
{
    size_t length;
    return line_text_width(line_text_point(text->bytes + at, text->size - at, &length)) == 0;
}

size_t line_text_previous(const Text *text, size_t at)
{
    while (at > 0) {
        at = previous_point(text, at);
        if (!has_no_width(text, at)) break;
    }
    return at;
}

size_t line_text_next(const Text *text, size_t at)
{
    if (at == text->size) return at;
    do at = next_point(text, at);
    while (at < text->size && has_no_width(text, at));
    return at;
}

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || (byte & 0x80);
}

static bool is_blank_byte(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n';
}

size_t line_text_word_left(const Text *text, size_t at)
{
    while (at > 0 && !is_word_byte(text->bytes[at - 1])) at--;
    while (at > 0 && is_word_byte(text->bytes[at - 1])) at--;
    return at;
}

size_t line_text_word_right(const Text *text, size_t at)
{
    while (at < text->size && !is_word_byte(text->bytes[at])) at++;
    while (at < text->size && is_word_byte(text->bytes[at])) at++;
    return at;
}

size_t line_text_blank_left(const Text *text, size_t at)
{
    while (at > 0 && is_blank_byte(text->bytes[at - 1])) at--;
    while (at > 0 && !is_blank_byte(text->bytes[at - 1])) at--;
    return at;
}

size_t line_text_row_start(const Text *text, size_t at)
{
    while (at > 0 && text->bytes[at - 1] != '\n') at--;
    return at;
}
