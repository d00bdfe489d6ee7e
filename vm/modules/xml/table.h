// A table of items by name, which are kept in the order in which they were added and stay where
// they are until the table is freed. Each item is a struct that begins with a Keyed; its name, in
// UTF-8, is stored after it.
//
//     items    [ first | second | third | ... ]        in order
//     slots    [ 2 | 0 | 0 | 1 | 0 | 0 | 3 | 0 ]       open addressing; n = items[n-1], 0 = free
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Keyed {
    int64_t hash;
    size_t size;
    const uint8_t *bytes;
} Keyed;

typedef struct Table {
    Keyed **items;
    uint32_t *slots;
    size_t count, room; // of items; there are twice as many slots
} Table;

// NULL = it is not there.
void *table_find(const Table *table, const uint8_t *bytes, size_t size);
// The item of this name; `item_size` zeroed bytes are made where there is none (*added). NULL with
// MemoryError pending.
void *table_add(Table *table, const uint8_t *bytes, size_t size, size_t item_size, bool *added);
// Frees the items too: what they own is the caller's to drop first.
void table_free(Table *table);

static inline bool key_is(const Keyed *key, const uint8_t *bytes, size_t size)
{
    if (key->size != size) return false;
    for (size_t i = 0; i < size; i++)
        if (key->bytes[i] != bytes[i]) return false;
    return true;
}
