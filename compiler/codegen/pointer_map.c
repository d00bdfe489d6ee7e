// A small table from keys to numbers: see pointer_map.h.
//
// Up to FEW entries are compared one by one. For more, the slots are a hash table of their indices:
// open addressing, linear probing, at most half full. Nothing is ever removed.
#include "compiler/codegen/pointer_map.h"

#include "objects/containers/tuple.h"

#define FEW 8
#define FIRST_SLOTS 32

static uint32_t slot_of(const PointerMap *map, ValueRef key)
{
    uint64_t bits = bits_of(key);
    return (uint32_t)((bits ^ bits >> 32) * 0x9E3779B97F4A7C15ull >> 32) & map->mask;
}

int map_find(const PointerMap *map, ValueRef key)
{
    if (!map->slots) {
        for (int i = 0; i < map->count; i++)
            if (map->entries[i].key == key) return i;
        return -1;
    }
    for (uint32_t slot = slot_of(map, key);; slot = (slot + 1) & map->mask) {
        int position = map->slots[slot] - 1;
        if (position < 0 || map->entries[position].key == key) return position;
    }
}

static void fill_slot(PointerMap *map, int position)
{
    uint32_t slot = slot_of(map, map->entries[position].key);
    while (map->slots[slot]) slot = (slot + 1) & map->mask;
    map->slots[slot] = position + 1;
}

static void grow_entries(PointerMap *map, Arena *arena)
{
    int capacity = map->capacity ? map->capacity * 2 : 4;
    MapEntry *entries = arena_alloc(arena, (size_t)capacity * sizeof *entries);
    if (map->count) memcpy(entries, map->entries, (size_t)map->count * sizeof *entries);
    map->entries = entries;
    map->capacity = capacity;
}

static void grow_slots(PointerMap *map, Arena *arena)
{
    uint32_t size = map->slots ? (map->mask + 1) * 4 : FIRST_SLOTS;
    map->slots = arena_alloc(arena, size * sizeof *map->slots);
    map->mask = size - 1;
    for (int i = 0; i < map->count; i++) fill_slot(map, i);
}

int map_append(PointerMap *map, Arena *arena, ValueRef key)
{
    if (map->count == map->capacity) grow_entries(map, arena);
    map->entries[map->count++] = (MapEntry){key, 0};
    return map->count - 1;
}

int map_add(PointerMap *map, Arena *arena, ValueRef key)
{
    int position = map_find(map, key);
    if (position >= 0) return position;
    map_append(map, arena, key);
    if (!map->slots && map->count <= FEW) return map->count - 1;
    if (!map->slots || (uint32_t)map->count * 2 > map->mask)
        grow_slots(map, arena);
    else
        fill_slot(map, map->count - 1);
    return map->count - 1;
}

Value map_keys(const PointerMap *map)
{
    Value keys = tuple_new(map->count);
    for (int i = 0; keys && i < map->count; i++)
        as_tuple(keys)->items[i] = retain(map->entries[i].key);
    return keys;
}
