// The journal: what the outside has answered, so that a program that is run again gets it again.
//
//     shared by all processes      | used, input | entry | entry | entry | entry |
//     private, copied by a fork                      cursor ^            ^ used
//
// journal_start() in the process that all others are forked from; journal_attach() in the one that
// runs the program. From then on every call that a Recorder (outside.h) is handed asks here
// first. With the cursor before the end of the entries it is answered from them and nothing happens
// outside, so what was printed is not printed again; at the end the call is made, and its answer
// becomes the next entry. A process forked at the fifth entry goes on from the fifth entry,
// whatever others have added meanwhile.
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
