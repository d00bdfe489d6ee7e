// Watches: expressions whose value is looked at after every instruction, without running script
// code: a variable (local, cell or global), then attributes and items.
//
// A change is another value in the place, by identity; a list that grows is the same list. What was
// seen last is private to the process; nothing is allocated and no reference is taken.
//
//     a variable of a call    there from the call to its end; not seen while a generator waits
//     a cell                  there from the call that it was made for until nobody holds it
//
// Where it comes to its end is told as well, to who goes back where it begins: what is not there
// does not change.
#pragma once

#include "vm/debugger/session.h"

// Looks at all of them for the first time: nothing counts as a change. `frame` runs, or is about to
// be left.
void watches_begin(const Frame *frame, bool leaves);
// At every event, in this order. Does one of them, or the one with the number `wanted`, have
// another value now; does the call that it belongs to end here, or begin? Appends a line for each
// to said[SESSION_WATCHES], its number in front: "1 2 -> 3".
bool watches_changed(const Frame *frame, FrameEvent event, int wanted, char *said);
bool watches_ended(const Frame *frame, FrameEvent event, char *said);
bool watches_began(const Frame *frame, FrameEvent event, char *said); // it tells who goes back

const Watch *watch_numbered(int number); // NULL = there is none
// Does the variable come into being with this event, the call that it belongs to?
bool watch_is_born(const Watch *watch, const Frame *frame, FrameEvent event);
// A cell is there from this call on: does the frame, which has just begun, own it?
bool frame_owns_cell(const Frame *frame, ValueRef cell);
// The program goes another way from here on, the ticks and events until now: the end of a cell
// behind it is unknown again, and watches of what begins behind it are removed.
void watches_forget_after(Moment moment);

// From here on this process notes where watched cells end; `gone`, or NULL, is called before one
// does. A copy that is no part of the program must not.
void cells_follow(void (*gone)(ValueRef cell));
void cells_unfollow(void);
