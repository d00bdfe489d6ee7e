// What an input reaches: blocks of C that gcc or clang has marked (-fsanitize-coverage=trace-pc), and
// instructions of mini-Python.
//
//     coverage_begin()           an input begins
//     coverage_end()             true if it took a way that no input before it has taken
//     coverage_blocks(map, …)    how many blocks of some sources were reached, and how many there are
//
// A way is an edge from one block to the next, and how often it was taken: once, twice, up to 4, 8,
// 16, 32, 128, or more. Without marks no input takes a new way: the driver then mutates blindly.
#pragma once

#include <stdbool.h>
#include <stddef.h>

void coverage_begin(void);
bool coverage_end(void);
void coverage_watch_lines(void); // mini-Python counts as well, from now on
size_t coverage_lines(void);     // how many of its instructions were reached

typedef struct Blocks {
    size_t reached, all;
} Blocks;
// Those of the sources in some rooms, such as "compiler/ vm/modules/re". The linker's map says where
// they lie.
Blocks coverage_blocks(const char *map, const char *rooms);
