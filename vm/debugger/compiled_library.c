// See compiled_library.h. The block is a chain of entries that only grows:
//
//     used | size name code | size name code | ...        name ends with NUL, code is marshalled
#include "vm/debugger/compiled_library.h"

#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/marshal/marshal.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <string.h>

#define LIBRARY_BYTES ((size_t)8 << 20)

typedef struct Entry {
    size_t size; // of the whole entry
    size_t name_size;
    char bytes[];
} Entry;

typedef struct CompiledLibrary {
    size_t used;
    char entries[];
} CompiledLibrary;

static CompiledLibrary *library;

static Value find(ValueRef filename)
{
    const char *name = str_utf8(filename, NULL);
    for (size_t at = 0; name && at < library->used;) {
        const Entry *entry = (const Entry *)(const void *)(library->entries + at);
        if (strcmp(entry->bytes, name) == 0)
            return marshal_read(entry->bytes + entry->name_size,
                                entry->size - sizeof *entry - entry->name_size);
        at += entry->size;
    }
    return ABSENT;
}

static void add(const char *name, const Bytes *code)
{
    size_t name_size = strlen(name) + 1;
    size_t size = sizeof(Entry) + name_size + (size_t)code->size;
    size = (size + 15) & ~(size_t)15;
    if (library->used + size > LIBRARY_BYTES - sizeof *library) return;
    Entry *entry = (Entry *)(void *)(library->entries + library->used);
    *entry = (Entry){size, name_size};
    memcpy(entry->bytes, name, name_size);
    memcpy(entry->bytes + name_size, code->data, (size_t)code->size);
    library->used += size;
}

static void keep(ValueRef filename, ValueRef code)
{
    const char *name = str_utf8(filename, NULL);
    Value bytes = name ? marshal_write(code, MARSHAL_VERSION) : VALUE_ERROR;
    if (bytes) add(name, as_bytes(bytes));
    drop(bytes);
    error_clear();
}

bool compiled_library_open(void)
{
    if (!library) library = memory_share(LIBRARY_BYTES);
    if (!library) return false;
    upcalls.find_compiled = find;
    upcalls.keep_compiled = keep;
    return true;
}
