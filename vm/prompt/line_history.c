// See line_history.h.
#include "vm/prompt/line_history.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "vm/outside/outside.h"
#include "vm/prompt/line_text.h"

#include <fcntl.h>
#include <string.h>

#define MAX_HISTORY 1000

static char *entries[MAX_HISTORY];
static int entry_count;

void line_history_add(const char *bytes, size_t size)
{
    bool again = entry_count && strlen(entries[entry_count - 1]) == size &&
                 memcmp(entries[entry_count - 1], bytes, size) == 0;
    char *copy = size && !again ? memory_alloc(size + 1) : NULL;
    if (!copy) return;
    memcpy(copy, bytes, size);
    copy[size] = 0;
    if (entry_count == MAX_HISTORY) {
        memory_free(entries[0]);
        memmove(entries, entries + 1, (MAX_HISTORY - 1) * sizeof *entries);
        entry_count--;
    }
    entries[entry_count++] = copy;
}

int line_history_count(void)
{
    return entry_count;
}

const char *line_history_at(int index)
{
    return entries[index];
}

int line_history_find(const char *wanted, int from, int step)
{
    for (int i = from; i >= 0 && i < entry_count; i += step)
        if (strstr(entries[i], wanted)) return i;
    return -1;
}

// ---- the file

void line_history_load(const char *path)
{
    size_t size;
    char *text = outside_read_file(path, &size);
    Text entry = {0};
    bool done = true;
    for (const char *line = text; done && line && line < text + size;) {
        size_t length = strcspn(line, "\n");
        bool goes_on = length && line[length - 1] == '\r';
        done = line_text_insert(&entry, entry.size, line, length - goes_on);
        if (done && goes_on) done = line_text_insert(&entry, entry.size, "\n", 1);
        if (done && !goes_on) {
            line_history_add(entry.bytes, entry.size);
            entry.size = 0;
        }
        line += length + 1;
    }
    if (!done) error_clear();
    line_text_free(&entry);
    memory_free(text);
}

static bool write_entry(int descriptor, const char *entry)
{
    for (size_t length; entry[length = strcspn(entry, "\n")]; entry += length + 1)
        if (!outside_write_all(descriptor, entry, length) ||
            !outside_write_all(descriptor, "\r\n", 2))
            return false;
    return outside_write_all(descriptor, entry, strlen(entry)) &&
           outside_write_all(descriptor, "\n", 1);
}

void line_history_save(const char *path)
{
    int descriptor = outside_open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0) return;
    for (int i = 0; i < entry_count && write_entry(descriptor, entries[i]); i++) continue;
    outside_close(descriptor);
}

void line_history_finish(void)
{
    while (entry_count > 0) memory_free(entries[--entry_count]);
}
