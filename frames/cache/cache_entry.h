// What the cache keeps on a code object, under its index of co_extra.
//
//     co_extra -> ExtraState -> CacheEntry -> CacheEntry -> ...      the newest or last used first
//                     |             |
//                 frame_state   check_fn, code, backend, compile_id
//
// In the place of an ExtraState there may be nothing, or a mark: SKIP_CODE (the code's frames are
// not looked at) or SKIP_CODE_RECURSIVE (nor are those that they call).
//
// An entry and its guard know each other: the guard has the attributes `cache_entry` and
// `extra_state` while the entry is in the list, and finds None there afterwards. Entries often hold
// the code that they hang on; the collector sees through co_extra.
#pragma once

#include "frames/frame.h"

typedef struct CacheEntry {
    Object base;
    Value check_fn; // the guard: a callable over f_locals, or a native one (guard.h)
    Value code;     // what runs where it holds
    Value backend;  // of the callback that made it, see cache.h; compared by identity
    Value compile_id;
    Value next;    // the next entry, or 0
    Value failure; // str: how the guard failed last, noted while upcalls.observe_cache is set; or 0
    struct ExtraState *owner; // borrowed; NULL = no longer in a list
    int64_t hits, misses;
} CacheEntry;

typedef struct ExtraState {
    Object base;
    Value entries;     // the first entry, or 0
    int64_t count;     // of the entries
    Value frame_state; // dict: the callback's own notes on this code
} ExtraState;

extern Type cache_entry_type, extra_state_type;

static inline CacheEntry *as_cache_entry(ValueRef value)
{
    return (CacheEntry *)object_of(value);
}

#define SKIP_CODE ((void *)1)
#define SKIP_CODE_RECURSIVE ((void *)2)

bool extra_state_init(void); // asks for the index; false = there is none left

// What is on the code: an ExtraState (borrowed), a mark, or NULL.
void *extra_state_get(const Code *code);
// The ExtraState of the code, made where there is none or a mark: borrowed, NULL with MemoryError
// pending.
ExtraState *extra_state_make(Code *code);
// Puts a mark, or NULL for nothing, in the place of what was there. False with MemoryError pending.
bool extra_state_mark(Code *code, void *mark);

// An entry for what a callback has returned: an object with the attributes `code` and `check_fn`,
// perhaps `compile_id`. It is in no list yet. TypeError where it is not such an object. Runs script
// code.
Value cache_entry_new(ValueRef guarded_code, ValueRef backend);
// Puts an entry in front and tells its guard. False with what the guard raised pending. Runs script
// code.
bool extra_state_add(ExtraState *extra, ValueRef entry);
// Does nothing where the entry is in no list any more: its guard may have reset the code.
void extra_state_move_to_front(CacheEntry *entry);
