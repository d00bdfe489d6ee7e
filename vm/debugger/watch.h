// Watches: expressions whose value is compared after every instruction. That runs no script code.
// An expression is a variable (local, cell or global), then attributes and items.
//
// Values are compared by identity, and containers, instances and tensors also by what is in them
// (contents.h, show_tensor.h): a list that grows has changed, by whichever name it was reached. The
// value seen last is private to the process; nothing is allocated and no reference is taken.
//
//     a variable of a call    exists from the call to its end; not seen while a generator waits
//     a cell                  exists from the call that it was made for until it is freed
//
// The end of a watched variable is reported as well, and, to a searcher, its beginning: a variable
// that does not exist cannot change.
#pragma once

#include "vm/debugger/session.h"

// Looks at all watches for the first time: nothing counts as a change. `leaves`: `frame` is about
// to return or unwind.
void watches_begin(const Frame *frame, bool leaves);
// Called at every event, in this order. Has the value of a watch changed (0: of any; else of the
// one with the number `wanted`)? Does the variable of one end here, or begin? Each appends a line
// per watch to said[SESSION_WATCHES], the number first: "1 2 -> 3".
bool watches_changed(const Frame *frame, FrameEvent event, int wanted, char *said);
bool watches_ended(const Frame *frame, FrameEvent event, char *said);
bool watches_began(const Frame *frame, FrameEvent event, char *said); // for searchers

const Watch *watch_numbered(int number); // NULL = there is none
// Is this event the call with which the watched variable begins?
bool watch_is_born(const Watch *watch, const Frame *frame, FrameEvent event);
// Does this frame, which has just begun, own the cell? Then the cell exists from this call on.
bool frame_owns_cell(const Frame *frame, ValueRef cell);
// The program takes another path after this moment: a cell's end after it is unknown again, and
// watches of variables that begin after it are removed.
void watches_forget_after(Moment moment);

// From here on this process notes the moments at which watched cells are freed, and calls `gone`,
// if not NULL, before each. Visitors must not do that: cells_unfollow().
void cells_follow(void (*gone)(ValueRef cell));
void cells_unfollow(void);
