// Snapshots: forks of the main line, each asleep at the instruction at which it was made.
//
//     instructions   0 ------|---------|-----|--|-|-> the main line
//     snapshots      S       S         S     S  S S   the older, the sparser
//
// A woken snapshot forks a copy of itself, gives the copy a task, and sleeps again. For TASK_TRAVEL
// the copy becomes the main line and runs to a moment, and the old main line ends. For TASK_SEARCH
// the copy is a searcher (searcher.h): it answers a question and ends.
//
// How many snapshots there are, and at which ticks, depends on their cost in time and memory. What
// the user sees does not depend on it, except for speed.
#pragma once

#include "vm/debugger/session.h"

// Called at the beginning of every observed instruction: makes a snapshot if one is due. Returns
// true, with the task, in a copy of the snapshot that was woken; false in the calling process.
bool snapshot_if_due(int64_t tick, Task *task);
// The tick at which the next snapshot is due.
int64_t snapshot_next(void);
// Asks for a snapshot at a tick, if by then this process has run for long since the last one, or
// since it was forked. A step back to a moment after that tick starts from there.
void snapshot_wish(int64_t tick);
// The last snapshot at or before a moment, or NULL. (A snapshot's moment is AT_INSTRUCTION.)
Snapshot *snapshot_before(Moment moment);
// Wakes a snapshot, whose copy does the task, and waits for session->answered. The copy posts it
// when it is the main line; the snapshot posts it when its copy has searched and ended. False if
// there is no such copy, or if the user interrupts a search.
bool snapshot_send(Snapshot *snapshot, Task task);
// If a fork has failed before: ends snapshots until `processes` more can be forked.
void snapshots_make_room(int64_t tick, int processes);
// Ends all of them: the recording is over.
void snapshots_end(void);
// Ends the snapshots after a moment: the program takes another path from there.
void snapshots_drop_after(Moment moment);
