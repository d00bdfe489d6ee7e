// A small table in the arena from keys to numbers, which keeps the order of insertion.
//
// A key is a borrowed value, compared by its bits: names by the address of the interned str,
// constants as they are, nodes by their own address, as ref_of() gives it. So one table serves
// scopes, symbols, co_names and co_consts alike.
//
//     entries  [ key number | key number | ... ]   in order; the position is the index
//     slots    [ 3 | 0 | 0 | 1 | 2 | 0 | ... ]     position + 1, made when there are many entries
#pragma once

#include "compiler/arena.h"

typedef struct MapEntry {
    ValueRef key;
    int number; // for the user
} MapEntry;

typedef struct PointerMap {
    MapEntry *entries;
    int count, capacity;
    int *slots; // NULL while the entries are few enough to be looked through
    uint32_t mask;
} PointerMap;

// The position of a key, -1 = not there.
int map_find(const PointerMap *map, ValueRef key);
// The same; a key that is not there is added with the number 0.
int map_add(PointerMap *map, Arena *arena, ValueRef key);
// Adds a key at the end whether it is there or not: nothing may be looked up afterwards.
int map_append(PointerMap *map, Arena *arena, ValueRef key);
// An owned tuple of the keys, which are values.
Value map_keys(const PointerMap *map);
