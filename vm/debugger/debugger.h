// The debugger: runs a program that can be stopped, looked at, and stepped backwards.
//
//     debugger_open()     before the machine starts: forks the root from the main line
//     debugger_begin()    the program is about to run; it will stop at its first line
//     debugger_end()      the program has ended; stops once more
//
// While a step command, a breakpoint or a watch needs every event, an observer (frames/observe.h)
// looks at each one. Otherwise the program runs at full speed up to an alarm: the tick of the next
// snapshot, or the tick of the next stop. At a stop the main line forks the prompt and waits for it
// to end. The prompt has left its answer in the Session: a step command, perhaps statements.
//
// The machine cannot run backwards. A step back runs forwards again from a snapshot, twice: first a
// searcher looks for the moment to stop at, then a new main line runs to it. This is what happens
// after the user has typed `rs` at tick 500 (session.h draws which process forks which):
//
//     root      main line            snapshot, tick 300   copies of the snapshot
//     ----      ---------            ------------------   ----------------------
//     sleeps    forks the prompt,    sleeps
//     |         which reads `rs`     |
//     |         TASK_SEARCH -------> wakes, forks ------> searcher: runs from 300 to 500,
//     |         waits                sleeps               keeps the last moment that `rs` accepts
//     |         reads it: 480 <---------------------------answers, ends
//     |         TASK_TRAVEL -------> wakes, forks ------> main line: runs from 300 to 480
//     |         ends                 sleeps               stops there, forks the prompt
//     |                              |                    ... runs to the end of the program
//     wakes, kills the snapshots, ends with the program's exit status
//
// If the searcher finds nothing after tick 300, the main line wakes the snapshot before that one,
// and so on (searcher.h). A stretch that runs again prints nothing; it gets the recorded input
// (journal.h).
#pragma once

#include "vm/debugger/session.h"

bool debugger_open(void); // both: false after a message on stderr
bool debugger_begin(void);
// breakpoint(): the next line stops, and shows `header` if that is not "". Without a session it
// opens one; then the program does not stop at its end. False with an exception pending.
bool debugger_break(const char *header);
// pdb.run() and its like: the next line stops, in whichever file it is. After debugger_leave() the
// program runs on. False with an exception pending.
bool debugger_enter(void);
void debugger_leave(void);
// Is the pending exception the BdbQuit that `q` raises? Then clears it.
bool debugger_take_quit(void);
// pdb.post_mortem(): a stop at a traceback, whose frames have ended. False with an exception
// pending.
bool debugger_post_mortem(ValueRef traceback);
// Keeps the text of a program that is in no file, for the prompt to show. Does nothing without a
// session, or without memory.
void debugger_keep_source(const char *text, size_t size);
// An uncaught exception is about to be printed, or SystemExit ends the program.
void debugger_uncaught(ValueRef exception);
// Has `q` ended a program that --debug has begun? Then clears its exception: that is no failure.
bool debugger_was_left(void);
// With the exit status that the program would have. Returns when the user has quit.
void debugger_end(int status);

// ---- for the prompt, in its own process
extern Value debugger_source;                      // bytes: what was kept, or 0
extern const char *const *debugger_first_commands; // to run at the first stop; ends with NULL
extern int debugger_channel[2]; // where commands come from and answers go to; -1: the terminal
extern char debugger_face[8];   // who is at the other end: "dap", "tui"
typedef struct Stopped {
    Frame *frame;   // NULL at the end
    ValueRef value; // what it returns, the exception; or 0
} Stopped;
extern Stopped debugger_stopped;
bool debugger_records_all(void); // from the program's first line on; not after breakpoint()
// Runs a statement (`line` 0), or jumps to a line, in the frame `depth` up, and makes it a part of
// the run. The recording after this moment is dropped, and so are watches of variables that begin
// after it. False with an exception pending: the statement's own; RuntimeError if there is no room;
// or KeyboardInterrupt, and then the statement is not a part of the run.
bool debugger_run_statement(int depth, int line, const char *text);
