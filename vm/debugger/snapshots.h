// Snapshots: copies of the main line, asleep at the instruction where they were made.
//
//     instructions   0 ------|---------|-----|--|-|-> the main line
//     snapshots      S       S         S     S  S S   sparse where it is long ago
//
// To go back, the main line wakes the nearest snapshot before the place, which makes a copy of
// itself, and ends; the copy is the main line from then on and runs to the place. A scout is a copy
// that only looks for something and ends. The snapshot itself goes back to sleep.
//
// How many there are, and where, depends on what they cost; nothing else depends on that.
#pragma once

#include "vm/debugger/session.h"

// At the beginning of every instruction that somebody looks at: makes a snapshot where one is due.
// True in a copy that has been woken, with its errand; false in the process that called.
bool snapshot_if_due(int64_t tick, Task *task);
// The tick at which the next one is due.
int64_t snapshot_next(void);
// The program is on its way to a tick, where it will stop: one shortly before is worth its while if
// the way there was long, for the next step back.
void snapshot_wish(int64_t tick);
// The nearest one at or before a place, or NULL. (At a tick: at its instruction.)
Snapshot *snapshot_before(Moment moment);
// Sends a snapshot's copy on an errand, and waits until the copy has posted session->answered: it
// is the main line now, or it has searched. False where that cannot be, or the user interrupts a
// search.
bool snapshot_send(Snapshot *snapshot, Task task);
// Where a process could not be forked before: ends snapshots until there is room for so many.
void snapshots_make_room(int64_t tick, int processes);
// Ends those that are later than a place: the program goes another way from there.
void snapshots_drop_after(Moment moment);
