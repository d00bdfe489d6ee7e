// Scouts: copies that run a stretch of the recorded run once more, to find the last place in it
// where the program would have stopped.
//
//     ...S------------S-------x---S----- now
//                     |------>|          the stretch, from a snapshot on: what fits last is found
//
// The question and the answer are session->search.
#pragma once

#include "vm/debugger/session.h"

// ---- in the main line
// Looks for the last place before the stop that fits a backward motion; whether there is one, and
// which, is in session->search, where the frames that it counts from have been put. False where the
// user has interrupted, or nobody can look.
bool search_back(const StepCommand *command);
// The number of the frame that a cell was made for, which is there now. False where none of the
// recorded run has made it, or nobody can look.
bool search_birth(ValueRef cell, int64_t *born);

// ---- in the scout
void searcher_begin(void);
// Is there something to be found in this frame itself?
bool searcher_looks_in(const Frame *frame);
// Is this place behind the stretch?
bool searcher_is_past(Moment now);
// At every event. Ends the process at the end of the stretch.
void searcher_look(Frame *frame, FrameEvent event, ValueRef value, bool line, Moment now);
// The same, where a statement of the user is about to be done.
void searcher_look_before_statement(const Frame *frame, FrameEvent event, Moment now);
// An event of the guarded cache, for which a breakpoint waits; with 0, a stop that the program has
// asked for.
void searcher_note_event(int breakpoint, const char *note, Moment now);
// The stretch is at its end: gives the answer.
_Noreturn void searcher_end(void);
