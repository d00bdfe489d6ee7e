// A hash table in the arena from keys to numbers, which keeps the order of insertion.
//
// A key is a borrowed value, compared by its bits. For a name these are the address of the interned
// str, for a node its own address (ref_of()). So one kind of table serves scopes, symbols, co_names
// and co_consts.
//
//     entries  [ key number | key number | ... ]   in the order of insertion
//     slots    [ 3 | 0 | 0 | 1 | 2 | 0 | ... ]     index + 1 of an entry; only if there are many
#pragma once

#include "compiler/arena.h"

typedef struct MapEntry {
    ValueRef key;
    int number; // for the user
} MapEntry;

typedef struct PointerMap {
    MapEntry *entries;
    int count, capacity;
    int *slots; // NULL while there are so few entries that a search in order is fast
    uint32_t mask;
} PointerMap;

// The index of a key, -1 = not there.
int map_find(const PointerMap *map, ValueRef key);
// The same, but adds a missing key with the number 0.
int map_add(PointerMap *map, Arena *arena, ValueRef key);
// Adds a key at the end even if it is there already: afterwards nothing may be looked up.
int map_append(PointerMap *map, Arena *arena, ValueRef key);
// An owned tuple of the keys, which are values.
Value map_keys(const PointerMap *map);
