// See coverage.h.
#include "tests/fuzz/coverage.h"

#include "frames/observe.h"
#include "objects/code.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDGES 65536

extern const char __executable_start[], etext[];

static bool counting;
static uintptr_t previous;      // the block before, shifted: an edge has a direction
static uint8_t hits[EDGES];     // of this input
static uint16_t touched[EDGES]; // those that are not 0
static size_t touched_count;
static uint8_t ways[EDGES]; // a bit for each number of hits, by all inputs
static uint8_t *reached;    // a byte for each address of the program
static uint8_t instructions[EDGES];

// True if it is the first time that this input comes by. Half of the time of a run is spent here.
static inline bool count_edge(uintptr_t block)
{
    uint16_t edge = (uint16_t)((block ^ previous) * 0x9E3779B97F4A7C15 >> 48);
    uint8_t before = hits[edge];
    previous = block >> 1;
    hits[edge] = (uint8_t)(before + (before < 255));
    if (before) return false;
    touched[touched_count++] = edge;
    return true;
}

// The compiler calls this at the start of each block. Weak: libFuzzer has one of its own.
__attribute__((weak)) void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
    uintptr_t block = (uintptr_t)__builtin_return_address(0);
    if (counting && count_edge(block)) reached[block - (uintptr_t)__executable_start] = 1;
}

static bool note_instruction(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)value;
    if (!counting || event != EVENT_OPCODE) return true;
    uintptr_t place = (uintptr_t)frame->ip;
    if (count_edge(place)) instructions[(uint16_t)(place * 0x9E3779B97F4A7C15 >> 48)] = 1;
    return true;
}

void coverage_watch_lines(void)
{
    observer_set(OBSERVER_RECORDER, note_instruction);
}

void coverage_begin(void)
{
    if (!reached) reached = calloc(1, (size_t)(etext - __executable_start));
    while (touched_count) hits[touched[--touched_count]] = 0;
    previous = 0;
    counting = reached != NULL;
}

static uint8_t way_of(uint8_t count)
{
    int bits = count > 1 ? 32 - __builtin_clz(count - 1u) : 0; // of 128 at most: 7
    return (uint8_t)(1 << (bits < 6 ? bits : bits < 8 ? 6 : 7));
}

bool coverage_end(void)
{
    bool is_new = false;
    counting = false;
    for (size_t i = 0; i < touched_count; i++) {
        uint8_t way = way_of(hits[touched[i]]);
        is_new |= !(ways[touched[i]] & way);
        ways[touched[i]] |= way;
    }
    return is_new;
}

size_t coverage_lines(void)
{
    size_t count = 0;
    for (size_t i = 0; i < EDGES; i++) count += instructions[i];
    return count;
}

// ---- the blocks of rooms

// Is there a call of __sanitizer_cov_trace_pc() right before this address? (E8 and a distance, on x86-64.)
static bool follows_mark(const uint8_t *at)
{
    int32_t distance;
    memcpy(&distance, at - 4, sizeof distance);
    return at[-5] == 0xE8 && at + distance == (const uint8_t *)__sanitizer_cov_trace_pc;
}

static void count_blocks(size_t from, size_t size, Blocks *blocks)
{
    const uint8_t *text = (const uint8_t *)__executable_start;
    for (size_t at = from + 5; at <= from + size; at++) {
        blocks->all += follows_mark(text + at);
        blocks->reached += reached && reached[at];
    }
}

static bool is_of_rooms(const char *object, const char *rooms)
{
    while (*rooms) {
        size_t size = strcspn(rooms, " ");
        for (const char *at = object; (at = strchr(at, '/')); at++)
            if (strncmp(at + 1, rooms, size) == 0) return true;
        rooms += size + strspn(rooms + size, " ");
    }
    return false;
}

Blocks coverage_blocks(const char *map, const char *rooms)
{
    Blocks blocks = {0, 0};
    char line[1000], object[1000];
    size_t from, size, base = 0;
    FILE *file = fopen(map, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strstr(line, "PROVIDE (__executable_start")) sscanf(line, " %zx", &base);
        if (sscanf(line, " .text %zx %zx %999s", &from, &size, object) == 3 &&
            is_of_rooms(object, rooms))
            count_blocks(from - base, size, &blocks);
    }
    if (file) fclose(file);
    return blocks;
}
