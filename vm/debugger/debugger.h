// The debugger: the main line of a program that can be stopped, looked at, and run again from where
// it was. session.h draws the processes.
//
//     debugger_open()     before the machine comes up: the first fork
//     debugger_begin()    the program is about to run; its first line will stop
//     debugger_end()      it has ended; stops once more
//
// An observer (frames/observe.h) is told of every event while a motion, a breakpoint or a watch has
// to see it; otherwise the program runs at full speed up to an alarm: the next snapshot, or the
// place where it is to stop. At a stop the main line forks the prompt, waits for it, and does what
// it wrote into the Session: a motion, perhaps statements.
//
// Going back is going forwards again from a snapshot; to find the place, scouts run the stretches
// between snapshots, the last one first (searcher.h).
#pragma once

#include "vm/debugger/session.h"

bool debugger_open(void); // both: false after a message on stderr
bool debugger_begin(void);
// breakpoint(): the next line stops, and shows `header` if that is not "". Begins to debug where
// nobody does; then the program does not stop at its end. False with an exception pending.
bool debugger_break(const char *header);
// pdb.run() and its like: the first line that begins from here on stops, wherever it is. When that
// is over the program goes on. False with an exception pending.
bool debugger_enter(void);
void debugger_leave(void);
// pdb.post_mortem(): a stop at a traceback, whose frames have ended. False with an exception
// pending.
bool debugger_post_mortem(ValueRef traceback);
// The text of the program, which is in no file: for the prompt to show. (Nothing where nobody
// debugs, or without memory.)
void debugger_keep_source(const char *text, size_t size);
// An exception that nobody has caught is about to be shown, or SystemExit ends the program.
void debugger_uncaught(ValueRef exception);
// With the exit status that the program would have. Returns when the user has quit.
void debugger_end(int status);

// ---- for the prompt, in its own process
extern Value debugger_source;                      // bytes: what was kept, or 0
extern const char *const *debugger_first_commands; // to do at the first stop; ends with NULL
typedef struct Stopped {
    Frame *frame;   // NULL at the end
    ValueRef value; // what it returns, the exception; or 0
} Stopped;
extern Stopped debugger_stopped;
bool debugger_records_all(void); // from the program's first line on; not after breakpoint()
// Runs a statement (`line` 0), or jumps to a line, in the frame `depth` up, and makes that a part
// of the run: what was recorded after this place is gone, and so are watches of what begins behind
// it. False with an exception pending: its own, RuntimeError where there is no room, or
// KeyboardInterrupt, and then it is no part of the run.
bool debugger_run_statement(int depth, int line, const char *text);
