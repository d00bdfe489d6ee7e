// Searchers: copies that run a stretch of the recorded run again, to find the last moment in it at
// which the program would have stopped.
//
//     ...S------------S-------x---S----- now
//                     |------>|          the stretch, from a snapshot to a moment
//
// The question and the answer are in session->search. The last match before the end of the stretch
// is the answer.
#pragma once

#include "vm/debugger/session.h"

// ---- in the main line
// Looks for the last moment before the stop that a backward step command accepts. The caller has
// put the chain of frames into session->search; the answer is there as well. False if the user
// interrupts, or if no searcher can be forked.
bool search_back(const StepCommand *command);
// Finds the number of the frame for which an existing cell was made. False if no frame of the
// recorded run has made it, or if no searcher can be forked.
bool search_birth(ValueRef cell, int64_t *born);
// Finds where an existing exception was raised. False as above.
bool search_raise(ValueRef exception, Moment *raised);

// ---- in the searcher
void searcher_begin(void);
// Can this frame itself hold a match (not only its callees)?
bool searcher_looks_in(const Frame *frame);
// Is this moment at or after the end of the stretch?
bool searcher_is_past(Moment now);
// Called at every event. Ends the process at the end of the stretch.
void searcher_look(Frame *frame, FrameEvent event, ValueRef value, bool line, Moment now);
// The same, if a replayed statement is about to run.
void searcher_look_before_statement(const Frame *frame, FrameEvent event, Moment now);
// An event of the guarded cache that a breakpoint is set on; with 0, a breakpoint() call of the
// program.
void searcher_note_event(int breakpoint, const char *note, Moment now);
// Called at the end of the stretch: leaves the answer and ends the process.
_Noreturn void searcher_end(void);
