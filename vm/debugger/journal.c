// See journal.h. An entry is an Entry, then the bytes of the answer, then nothing up to the next
// multiple of 8.
#include "vm/debugger/journal.h"

#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/upcalls.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LEAST_BYTES ((size_t)1 << 20)

typedef struct Entry {
    int64_t result;
    int64_t asked;  // a hash of the call's arguments
    int64_t number; // the first argument, for the message
    int32_t kind, error;
} Entry;

typedef struct Journal {
    size_t size;         // bytes for entries
    _Atomic size_t used; // set when an entry is complete: its writer may be killed before
    bool full, diverged;
    RecordedInput input;
    _Alignas(8) char entries[];
} Journal;

static const char *const call_names[] = {
#define CALL(name, text) text,
    OUTSIDE_CALLS(CALL)
#undef CALL
};

static Journal *journal;
static size_t cursor;
static int64_t printed;
static Recorder recorder;

bool journal_replaying(void)
{
    return recorder.attached && cursor < journal->used;
}

size_t journal_cursor(void)
{
    return cursor;
}

size_t journal_used(void)
{
    return journal->used;
}

int64_t journal_printed(void)
{
    return printed;
}

void journal_drop_future(void)
{
    if (cursor < journal->used) journal->full = false;
    journal->used = cursor;
}

void journal_go_back(size_t to)
{
    cursor = to;
    journal_drop_future();
}

bool journal_diverged(void)
{
    return journal->diverged;
}

bool journal_is_full(void)
{
    return journal->full;
}

// ---- entries

static int64_t hash_of(const OutsideCall *call)
{
    int64_t all[] = {call->kind,          call->numbers[0],
                     call->numbers[1],    call->numbers[2],
                     (int64_t)call->room, hash_bytes(call->asked, call->asked_size)};
    return hash_bytes(all, sizeof all);
}

// The size of a call's answer: its result says it.
static size_t answer_size(const OutsideCall *call, int64_t result)
{
    return call->answer && result > 0 ? (size_t)result : 0;
}

static size_t entry_size(size_t answer)
{
    return sizeof(Entry) + (answer + 7) / 8 * 8;
}

static void diverge(const Entry *entry, const OutsideCall *call)
{
    if (!journal->diverged)
        fprintf(stderr,
                "minivm: the run does not repeat itself: at byte %zu of the journal is %s(%lld), "
                "and now it calls %s(%lld)%s\n",
                cursor, call_names[entry->kind], (long long)entry->number, call_names[call->kind],
                (long long)call->numbers[0],
                entry->kind == (int)call->kind ? " with other arguments" : "");
    journal->diverged = true;
    journal_drop_future();
}

static void count_printed(const OutsideCall *call, int64_t result)
{
    bool prints = call->kind == CALL_WRITE && (call->numbers[0] == 1 || call->numbers[0] == 2);
    if (prints && result > 0) printed += result;
}

static bool replay(OutsideCall *call)
{
    if (cursor >= journal->used) return false;
    const Entry *entry = (const void *)(journal->entries + cursor);
    if (entry->kind != (int)call->kind || entry->asked != hash_of(call)) {
        diverge(entry, call);
        return false;
    }
    size_t size = answer_size(call, entry->result);
    if (size) memcpy(call->answer, entry + 1, size);
    call->result = entry->result;
    call->replayed = true;
    count_printed(call, entry->result);
    cursor += entry_size(size);
    errno = entry->error;
    return true;
}

static int64_t record(const OutsideCall *call, int64_t result)
{
    int error = errno;
    size_t answer = answer_size(call, result), size = entry_size(answer);
    if (!journal->full && size > journal->size - journal->used) {
        journal->full = true;
        fprintf(stderr, "minivm: the journal is full: what the program does from here on is not "
                        "recorded\n");
    }
    if (!journal->full) {
        Entry *entry = (void *)(journal->entries + journal->used);
        *entry = (Entry){result, hash_of(call), call->numbers[0], (int)call->kind, error};
        if (answer) memcpy(entry + 1, call->answer, answer);
        journal->used += size;
        cursor = journal->used;
    }
    count_printed(call, result);
    errno = error;
    return result;
}

// ---- the recorder

// If memory is short, takes a quarter of the largest block there is: the program needs the rest.
static Journal *share_block(size_t *bytes)
{
    Journal *block = memory_share(sizeof *block + *bytes);
    if (block) return block;
    while (!block && *bytes > LEAST_BYTES) block = memory_share(sizeof *block + (*bytes /= 2));
    if (block) memory_unshare(block, sizeof *block + *bytes);
    *bytes /= 4;
    return memory_share(sizeof *block + *bytes);
}

bool journal_start(size_t bytes)
{
    static size_t shared; // bytes of the block
    if (!journal) {
        journal = share_block(&bytes);
        shared = bytes;
    }
    if (!journal) return false;
    journal->size = bytes < shared ? bytes : shared;
    journal->diverged = false;
    printed = 0;
    journal_go_back(0);
    outside_keep_positions();
    recorder = (Recorder){false, replay, record, &journal->input};
    upcalls.recorder = &recorder;
    return true;
}

void journal_attach(void)
{
    recorder.attached = true;
}

void journal_detach(void)
{
    recorder.attached = false;
}
