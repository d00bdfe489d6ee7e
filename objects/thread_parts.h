// Variables of C that each thread of a program has values of its own for.
//
//     thread_part_add(&part)       once, when the variables exist
//     thread_parts_keep(kept)      the thread that runs is about to wait
//     thread_parts_use(kept)       another one goes on with its own
//
// There is one thread as long as a program starts no other (vm/modules/mod__strands.c): until then
// this costs nothing. What belongs to the frames and to the C stack is kept there.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct ThreadPart {
    void *variables; // in a new thread: all bytes 0, or as `first` has them
    size_t size;
    const void *first;
    void (*changed)(void);   // they are another thread's now; NULL = nothing follows from that
    void (*end)(void);       // the thread ends: gives back what they own; NULL = they own nothing
    struct ThreadPart *next; // of all parts: thread_part_add() sets it
} ThreadPart;

// Room for the variables of all parts, in which a thread that waits keeps its own.
typedef struct ThreadParts {
    size_t used; // parts that were added later have their first values yet
    _Alignas(8) char bytes[256];
} ThreadParts;

void thread_part_add(ThreadPart *part); // again: nothing happens
void thread_parts_keep(ThreadParts *kept);
void thread_parts_use(const ThreadParts *kept); // .used = 0: those of a new thread
void thread_parts_end(void);
