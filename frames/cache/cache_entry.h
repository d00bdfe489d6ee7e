// What the cache keeps on a code object, under its index of co_extra.
//
//     co_extra -> ExtraState -> CacheEntry -> CacheEntry -> ...      newest or last used first
//                     |             |
//                 frame_state   check_fn, code, backend, compile_id
//
// Instead of an ExtraState, co_extra may have nothing or a mark. SKIP_CODE: the cache ignores the
// code's frames. SKIP_CODE_RECURSIVE: it also ignores the frames that they call.
//
// An entry and its guard refer to each other. The guard's attributes `cache_entry` and
// `extra_state` are set while the entry is in the list, and None afterwards. An entry often refers
// to the code object that owns it; the collector finds such cycles through co_extra.
#pragma once

#include "frames/frame.h"

typedef struct CacheEntry {
    Object base;
    Value check_fn; // the guard: a callable over f_locals, or a native one (guard.h)
    Value code;     // runs if the guard holds
    Value backend;  // of the callback that made the entry (cache.h); compared by ==
    Value compile_id;
    Value next;    // the next entry, or 0
    Value failure; // str: why the guard failed last, kept if upcalls.observe_cache is set; or 0
    struct ExtraState *owner; // borrowed; NULL = the entry is in no list
    int64_t hits, misses;
} CacheEntry;

typedef struct ExtraState {
    Object base;
    Value entries;     // the first entry, or 0
    int64_t count;     // of the entries
    Value frame_state; // dict: for the callback's own use
} ExtraState;

extern Type cache_entry_type, extra_state_type;

static inline CacheEntry *as_cache_entry(ValueRef value)
{
    invariant(is_allocated(value) && is_exactly(value, &cache_entry_type),
              "what is read as a cache entry is one");
    return (CacheEntry *)object_of(value);
}

#define SKIP_CODE ((void *)1)
#define SKIP_CODE_RECURSIVE ((void *)2)

bool extra_state_init(void); // requests the index; false = none is left

// What the code has: an ExtraState (borrowed), a mark, or NULL.
void *extra_state_get(const Code *code);
// The ExtraState of the code, made if there is none: borrowed, NULL with MemoryError pending.
ExtraState *extra_state_make(Code *code);
// Replaces what the code has by a mark, or by NULL. False with MemoryError pending.
bool extra_state_mark(Code *code, void *mark);

// A new entry, in no list yet, for the result of a callback: an object with the attributes `code`
// and `check_fn`, and perhaps `compile_id`; else TypeError. Runs script code.
Value cache_entry_new(ValueRef guarded_code, ValueRef backend);
// Puts an entry first in the list and sets its guard's attributes. False if that raises. Runs
// script code.
bool extra_state_add(ExtraState *extra, ValueRef entry);
// Does nothing if the entry is in no list any more, since its guard may have reset the code.
void extra_state_move_to_front(CacheEntry *entry);
