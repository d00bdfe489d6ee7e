// The journal: records what the outside world has answered, so that a program that runs again gets
// the same answers.
//
//     shared by all processes      | used, input | entry | entry | entry | entry |
//     private, copied by a fork                      cursor ^            ^ used
//
// journal_start() runs in the process from which all others are forked; journal_attach() in the one
// that runs the program. From then on every call that a Recorder (outside.h) receives looks here
// first. If the cursor is before the end of the entries, the next entry is the answer, and the
// world is not asked: what was printed is not printed again. At the end of the entries the call is
// made, and its answer becomes a new entry. A process forked when its cursor is at the fifth entry
// continues from the fifth entry, even if other processes have added entries since.
//
// A process that only looks at the program is detached: its calls go straight to the world. Signals
// are not recorded, nor what cannot change while a process runs (the environment, the time zone).
//
// The world itself is not turned back: a file keeps what was written to it. A descriptor that the
// recorded part opened is opened again without truncating, at the same file position; if the file
// is gone, /dev/null takes its place.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define JOURNAL_BYTES ((size_t)1 << 30) // costs only what is used of it

// Makes an empty journal with room for `bytes`, or empties the one there is, which does not grow;
// this process is detached. False with errno set if there is no memory; then nothing has changed.
bool journal_start(size_t bytes);
void journal_attach(void);
void journal_detach(void);

// ---- for the debugger
bool journal_replaying(void);   // attached, and the next answer comes from an entry
size_t journal_cursor(void);    // bytes from the start of the journal: where this process is,
size_t journal_used(void);      // ... and where the entries end
int64_t journal_printed(void);  // bytes that the program has printed up to here, in any run of it
void journal_drop_future(void); // the entries after the cursor: the program takes another path
void journal_go_back(size_t cursor); // ... and drop the entries after it
// True after the program has made another call than the one recorded at the cursor: the run does
// not repeat itself, which is a fault of minivm or of a plugin. A message was printed on stderr,
// once; the entries after the cursor were dropped, and calls go to the world again.
bool journal_diverged(void);
// True after an entry had no room, which was printed on stderr. Neither it nor later ones are
// recorded until journal_drop_future() makes room. A process that runs to the end of such a journal
// again makes the unrecorded calls again.
bool journal_is_full(void);
