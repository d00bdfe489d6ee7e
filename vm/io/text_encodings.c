// Byte order marks, and characters that are cut at the end of a chunk.
#include "vm/io/text_encodings.h"

#include <ctype.h>
#include <string.h>

size_t mark_size(const char *encoding)
{
    static const struct {
        const char *name;
        size_t size;
    } marks[] = {{"utf16", 2}, {"u16", 2}, {"utf32", 4}, {"u32", 4}, {"utf8sig", 3}};
    char name[16];
    size_t length = 0;
    for (const char *c = encoding; *c && length < sizeof name - 1; c++)
        if (isalnum((unsigned char)*c)) name[length++] = (char)tolower((unsigned char)*c);
    name[length] = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strcmp(name, marks[i].name) == 0) return marks[i].size;
    return 0;
}

const char *encoding_after_mark(size_t size, const char *mark)
{
    bool big = (unsigned char)*mark == 0xFE || *mark == 0;
    if (size == 3) return "utf-8";
    if (size == 2) return big ? "utf-16-be" : "utf-16-le";
    return big ? "utf-32-be" : "utf-32-le";
}

static size_t wide_unit(const char *encoding)
{
    if (strstr(encoding, "16")) return 2;
    return strstr(encoding, "32") ? 4 : 0;
}

size_t cut_character(const char *encoding, const char *bytes, size_t size)
{
    size_t unit = wide_unit(encoding);
    if (unit) {
        size_t left = size % unit;
        if (unit == 4 || size < 2) return left;
        bool big = strstr(encoding, "be") || strstr(encoding, "BE");
        unsigned char byte = (unsigned char)bytes[size - left - (big ? 2 : 1)];
        return left + ((byte & 0xFC) == 0xD8 ? 2 : 0); // half a surrogate pair
    }
    if (!strstr(encoding, "8") || strstr(encoding, "8859")) return 0;
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        unsigned char byte = (unsigned char)bytes[size - back];
        if ((byte & 0xC0) == 0x80) continue;
        size_t needs = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        return needs > back ? back : 0;
    }
    return 0;
}

bool errors_are_local(const char *errors)
{
    static const char *const names[] = {"strict", "replace", "ignore", "surrogateescape"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(errors, names[i]) == 0) return true;
    return false;
}
