// See table.h.
#include "vm/modules/xml/table.h"

#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"

#include <string.h>

// The slot of the name, or the free one where it would be.
static uint32_t *slot_of(const Table *table, int64_t hash, const uint8_t *bytes, size_t size)
{
    size_t mask = table->room * 2 - 1, at = (size_t)hash & mask;
    for (;; at = (at + 1) & mask) {
        uint32_t *slot = &table->slots[at];
        if (!*slot) return slot;
        const Keyed *item = table->items[*slot - 1];
        if (item->hash == hash && item->size == size && memcmp(item->bytes, bytes, size) == 0)
            return slot;
    }
}

void *table_find(const Table *table, const uint8_t *bytes, size_t size)
{
    if (!table->count) return NULL;
    uint32_t slot = *slot_of(table, hash_bytes(bytes, size), bytes, size);
    return slot ? table->items[slot - 1] : NULL;
}

static bool grow(Table *table)
{
    size_t room = table->room ? table->room * 2 : 16;
    uint32_t *slots = room < UINT32_MAX / 4 ? memory_alloc_zeroed(room * 2 * sizeof *slots) : NULL;
    Keyed **items = slots ? memory_resize(table->items, room * sizeof(Keyed *)) : NULL;
    if (!items) {
        memory_free(slots);
        raise_memory_error();
        return false;
    }
    memory_free(table->slots);
    *table = (Table){items, slots, table->count, room};
    for (size_t i = 0; i < table->count; i++) {
        const Keyed *item = items[i];
        *slot_of(table, item->hash, item->bytes, item->size) = (uint32_t)(i + 1);
    }
    return true;
}

void *table_add(Table *table, const uint8_t *bytes, size_t size, size_t item_size, bool *added)
{
    *added = false;
    if (table->count == table->room && !grow(table)) return NULL;
    int64_t hash = hash_bytes(bytes, size);
    uint32_t *slot = slot_of(table, hash, bytes, size);
    if (*slot) return table->items[*slot - 1];
    Keyed *item = memory_alloc_zeroed(item_size + size);
    if (!item) {
        raise_memory_error();
        return NULL;
    }
    uint8_t *name = (uint8_t *)item + item_size;
    memcpy(name, bytes, size);
    *item = (Keyed){hash, size, name};
    table->items[table->count++] = item;
    *slot = (uint32_t)table->count;
    *added = true;
    return item;
}

void table_free(Table *table)
{
    for (size_t i = 0; i < table->count; i++) memory_free(table->items[i]);
    memory_free(table->items);
    memory_free(table->slots);
    *table = (Table){0};
}
