// The journal: what the outside has answered, so that a program that is run again gets it again.
//
//     shared by all processes      | used, input | entry | entry | entry | entry |
//     private, copied by a fork                      cursor ^            ^ used
//
// journal_start() in the process that all others are forked from; journal_attach() in the one that
// runs the program. From then on every call of vm/outside.h whose answer may differ from one run to
// the next, or that changes the world, asks here first. With the cursor before the end of the
// entries it is answered from them and nothing happens outside, so what was printed is not printed
// again; at the end the call is made, and its answer becomes the next entry. A process forked at
// the fifth entry goes on from the fifth entry, whatever others have added meanwhile.
//
// A process that only looks at the program is detached: its calls go straight to the world. Signals
// are not recorded, nor what cannot change while a process runs (the environment, the zone).
//
// The world itself is not turned back: a file keeps what was written to it. A descriptor that was
// opened in the recorded part is opened again without truncating, at the place it had; where its
// file is gone, on /dev/null.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum JournalMode { JOURNAL_OFF, JOURNAL_ATTACHED, JOURNAL_DETACHED } JournalMode;
extern JournalMode journal_mode; // to be read only

#define JOURNAL_BYTES ((size_t)1 << 30) // costs only what is used of it

// An empty journal with room for so many bytes; this process is detached. False with errno set
// where there is no memory; then nothing has changed.
bool journal_start(size_t bytes);
void journal_attach(void);
void journal_detach(void);

// ---- for the debugger
bool journal_replaying(void);   // attached, and the next answer comes from an entry
size_t journal_cursor(void);    // where this process is, and where the entries end: in bytes
size_t journal_used(void);      // from the start of the journal
void journal_drop_future(void); // the entries behind the cursor: the program goes another way now
void journal_go_back(size_t cursor); // ... and what has been called since then is no part of it
// The program has asked for something else than what was recorded at that place: it does not repeat
// itself, which is a fault of minivm or of a plugin. It was said on stderr, once; the future was
// dropped, and the program goes on with the world's answers.
bool journal_diverged(void);
// An answer had no room, which was said on stderr: neither it nor any that followed is recorded,
// until the future of an earlier place is dropped. A process that comes to the end of such a
// journal again makes the calls again.
bool journal_is_full(void);

// ---- standard input, of which the program and the debugger's prompt read in turn: bytes that were
// read from descriptor 0 and not yet given to anybody. Shared by all processes.
typedef struct JournalInput {
    size_t at, end;
    char bytes[65536];
} JournalInput;
JournalInput *journal_input(void); // not while JOURNAL_OFF

// ---- for vm/outside.c
#define JOURNAL_CALLS(CALL)                                                                        \
    CALL(OPEN, "open")                                                                             \
    CALL(CLOSE, "close")                                                                           \
    CALL(READ, "read")                                                                             \
    CALL(WRITE, "write")                                                                           \
    CALL(SEEK, "seek")                                                                             \
    CALL(TRUNCATE, "truncate")                                                                     \
    CALL(IS_TERMINAL, "is_terminal")                                                               \
    CALL(TERMINAL_WIDTH, "terminal_width")                                                         \
    CALL(RAW_MODE, "raw_mode")                                                                     \
    CALL(FILE_KIND, "file_kind")                                                                   \
    CALL(DESCRIPTOR_KIND, "descriptor_kind")                                                       \
    CALL(WORKING_DIRECTORY, "working_directory")                                                   \
    CALL(REAL_PATH, "real_path")                                                                   \
    CALL(CLOCK, "clock")                                                                           \
    CALL(CLOCK_RESOLUTION, "clock_resolution")                                                     \
    CALL(SYSTEM_CLOCK, "system_clock")                                                             \
    CALL(SLEEP, "sleep")                                                                           \
    CALL(RANDOM, "random")

typedef enum CallKind {
#define CALL(name, text) CALL_##name,
    JOURNAL_CALLS(CALL)
#undef CALL
} CallKind;

typedef struct JournalCall {
    CallKind kind;
    int64_t numbers[3]; // what is asked: numbers, a descriptor first, and bytes
    const void *asked;
    size_t asked_size;
    void *answer; // where the answer's bytes belong, or NULL; `result` is their number,
    size_t room;  // <= 0: none
    int64_t result;
    bool replayed; // the answer was an entry's
} JournalCall;

// True where an entry answers: the result, the bytes and errno are there.
bool journal_replay(JournalCall *call);
// What the world has answered becomes an entry. Returns the result; keeps errno.
int64_t journal_record(const JournalCall *call, int64_t result);
