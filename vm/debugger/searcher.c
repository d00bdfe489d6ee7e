// See searcher.h.
#include "vm/debugger/searcher.h"

#include "vm/debugger/breakpoints.h"
#include "vm/debugger/snapshots.h"
#include "vm/debugger/step_commands.h"
#include "vm/debugger/watch.h"

#include <stdio.h>
#include <string.h>

#define FIRST_PART 3000 // ticks
#define PART_GROWS 16   // times, where the match is not in it
#define NEAR 50000
#define FAR (INT64_C(1) << 50) // more than any run has
#define NO_MOMENT ((Moment){-1, 0})

// The last match in each frame of the chain; in the searcher only.
static Moment last[MAX_CHAIN];
static bool began_after; // the call of the innermost frame is after the stretch
static bool has_looked;
static bool statement_ran; // a replayed statement has just run at this moment

// ---- in the main line

// Before the call of the innermost frame there is nothing to find, except for STEP_BACK_RETURN,
// which looks in the caller.
static bool is_done(const HistorySearch *search)
{
    return search->found || (search->began && search->command.kind != STEP_BACK_RETURN);
}

static bool look_through(Snapshot *snapshot, int64_t from, Moment until)
{
    HistorySearch *search = &session->search;
    search->from = from;
    search->until = until;
    search->found = false;
    search->breakpoint = 0;
    search->note[0] = search->watches[0] = 0;
    return snapshot_send(snapshot, TASK_SEARCH);
}

// Where the part of a stretch begins that is searched first, because the match is usually there. If
// it is not near the stop, it can be anywhere: then the whole stretch is searched at once.
static int64_t first_tick(const Snapshot *snapshot, Moment until, int64_t part)
{
    bool is_near = session->stop.moment.tick - until.tick < NEAR;
    return is_near && until.tick - part > snapshot->tick ? until.tick - part : snapshot->tick;
}

// The searcher may leave a snapshot where the part begins (snapshot_wish()). What is before that is
// the next stretch then; otherwise the same one is searched again, in a larger part.
bool search_back(const StepCommand *command)
{
    HistorySearch *search = &session->search;
    search->command = *command;
    search->found = search->began = search->is_cut = false;
    if (command->kind == STEP_BACK_RETURN && search->chain_length < 2) return true; // no caller
    Moment until = session->stop.moment, from = until;
    from.event--;
    int64_t part = FIRST_PART;
    for (Snapshot *s; (s = snapshot_before(from)); part *= part < FAR ? PART_GROWS : 1) {
        bool began = search->began;
        int64_t first = first_tick(s, until, part);
        if (!look_through(s, first, until)) return false;
        if (is_done(search)) return true;
        s = snapshot_before(from);
        if (!s || s->tick < first) {
            search->began = began;
            continue;
        }
        from = (Moment){s->tick - 1, AT_INSTRUCTION};
        until = (Moment){s->tick + 1, 0}; // a change there is seen one instruction later
    }
    return true;
}

bool search_birth(ValueRef cell, int64_t *born)
{
    session->search.object = cell;
    bool done = search_back(&(StepCommand){.kind = STEP_BACK_BIRTH});
    *born = session->search.moment.event;
    return done && session->search.found;
}

bool search_raise(ValueRef exception, Moment *raised)
{
    session->search.object = exception;
    bool done = search_back(&(StepCommand){.kind = STEP_BACK_RAISE});
    *raised = session->search.moment;
    return done && session->search.found;
}

// ---- in the searcher

// Cell addresses are reused. A cell freed at this address is an earlier one, because the cell in
// question still exists: forget what was found for it.
static void on_cell_gone(ValueRef cell)
{
    if (cell != session->search.object) return;
    session->search.found = false;
    session->search.began = true;
}

void searcher_begin(void)
{
    for (int i = 0; i < MAX_CHAIN; i++) last[i] = NO_MOMENT;
    outside_end_with_parent();
    began_after = session->search.began;
    bool is_birth = session->search.command.kind == STEP_BACK_BIRTH;
    cells_follow(is_birth ? on_cell_gone : NULL);
}

// Takes the last of all matches in the chain as the answer.
static bool take_last(void)
{
    HistorySearch *search = &session->search;
    bool found = search->found;
    for (int i = 0; i < search->chain_length; i++) {
        if (moment_compare(last[i], NO_MOMENT) == 0) continue;
        if (found && moment_compare(last[i], search->moment) < 0) continue;
        found = true;
        search->moment = last[i];
    }
    return found;
}

_Noreturn void searcher_end(void)
{
    HistorySearch *search = &session->search;
    bool counts = search->command.kind != STEP_BACK_RETURN || began_after;
    if (counts) search->found = take_last();
    outside_end(0);
}

static void find(Moment moment, int breakpoint, const char *note, const char *watches)
{
    HistorySearch *search = &session->search;
    search->found = true;
    search->moment = moment;
    search->breakpoint = breakpoint;
    snprintf(search->note, sizeof search->note, "%s", note);
    snprintf(search->watches, sizeof search->watches, "%s", watches);
}

static int level_of(const Frame *frame)
{
    const HistorySearch *search = &session->search;
    for (int i = 0; i < search->chain_length; i++)
        if (search->chain[i] == frame->number) return i;
    return -1;
}

// For step commands that skip callees: notes matches in the frames of the chain, which are under
// way at the end of the stretch. STEP_BACK_RETURN looks in the callers only, and a match counts
// when the innermost frame is called: the callers may have run on since that frame ended.
static void look_in_chain(const Frame *frame, FrameEvent event, bool fits, Moment now)
{
    HistorySearch *search = &session->search;
    int level = search->chain_length ? level_of(frame) : -1;
    bool returns = search->command.kind == STEP_BACK_RETURN;
    if (fits && level >= (returns ? 1 : 0)) last[level] = now;
    if (fits && !search->chain_length && !frame->previous) find(now, 0, "", "");
    if (!returns || level != 0 || event != EVENT_CALL) return;
    search->began = true;
    search->found = take_last();
}

// A change seen now was made by the instruction before, or by a replayed statement at this moment.
static void look_at_watches(const Frame *frame, FrameEvent event, Moment now)
{
    HistorySearch *search = &session->search;
    int wanted = search->command.kind == STEP_BACK_WRITE ? search->command.line : 0;
    const Watch *one = wanted ? watch_numbered(wanted) : NULL;
    char changes[SESSION_WATCHES] = "", began[SESSION_WATCHES] = "";
    char ended[SESSION_WATCHES] = "";
    bool passed = statement_ran && !wanted && searcher_is_past(now);
    if (watches_changed(frame, event, wanted, changes) && !passed)
        find(statement_ran ? now : (Moment){now.tick - 1, AT_INSTRUCTION}, 0, "", changes);
    if (statement_ran) return;
    (void)watches_ended(frame, event, ended);
    if (!wanted && watches_began(frame, event, began) && !searcher_is_past(now))
        find(now, 0, "", began);
    if (!one || !watch_is_born(one, frame, event)) return;
    search->began = true;
    search->found = false;
}

static void look_for_birth(const Frame *frame, FrameEvent event, Moment now)
{
    bool begins = event == EVENT_CALL && frame_lasti(frame) < 0;
    if (begins && frame_owns_cell(frame, session->search.object)) find(now, 0, "", "");
}

// An earlier exception may have been at the same address; it is not the last one.
static void look_for_raise(FrameEvent event, ValueRef value, Moment now)
{
    if (value == session->search.object && is_raised_here(event, value)) find(now, 0, "", "");
}

static void look_for_breakpoint(Frame *frame, FrameEvent event, ValueRef value, bool line,
                                Moment now)
{
    Breakpoint *breakpoint = breakpoint_at(frame, event, value, line, false);
    if (!breakpoint && moment_compare(now, session->raised) == 0)
        breakpoint = breakpoint_on_event(UNCAUGHT, false);
    if (breakpoint) find(now, breakpoint->number, "", "");
}

void searcher_note_event(int breakpoint, const char *note, Moment now)
{
    HistorySearch *search = &session->search;
    if (search->command.kind != STEP_BACK_CONTINUE || searcher_is_past(now)) return;
    find(now, breakpoint, note, "");
}

bool searcher_looks_in(const Frame *frame)
{
    switch (session->search.command.kind) {
    case STEP_BACK_NEXT:
    case STEP_BACK_NEXT_INSTRUCTION: return level_of(frame) >= 0;
    case STEP_BACK_RETURN: return level_of(frame) > 0;
    default: return true;
    }
}

bool searcher_is_past(Moment now)
{
    return moment_compare(now, session->search.until) >= 0;
}

// A change before the searched part is not a change in it.
static void begin_to_look(const Frame *frame, FrameEvent event)
{
    bool leaves = event == EVENT_RETURN || event == EVENT_UNWIND;
    if (!has_looked) watches_begin(frame, leaves);
    has_looked = true;
}

void searcher_look_before_statement(const Frame *frame, FrameEvent event, Moment now)
{
    StepKind kind = session->search.command.kind;
    begin_to_look(frame, event);
    if (kind == STEP_BACK_CONTINUE || kind == STEP_BACK_WRITE) look_at_watches(frame, event, now);
    statement_ran = true;
}

void searcher_look(Frame *frame, FrameEvent event, ValueRef value, bool line, Moment now)
{
    HistorySearch *search = &session->search;
    StepKind kind = search->command.kind;
    begin_to_look(frame, event);
    // A change is seen one instruction after the one that makes it: look before testing for the
    // end.
    if (kind == STEP_BACK_CONTINUE || kind == STEP_BACK_WRITE) look_at_watches(frame, event, now);
    statement_ran = false;
    if (searcher_is_past(now)) searcher_end();
    switch (kind) {
    case STEP_BACK_STEP:
        if (step_into_stops(frame, event, value, line)) find(now, 0, "", "");
        break;
    case STEP_BACK_NEXT:
    case STEP_BACK_RETURN: look_in_chain(frame, event, line, now); break;
    case STEP_BACK_NEXT_INSTRUCTION: look_in_chain(frame, event, event == EVENT_OPCODE, now); break;
    case STEP_BACK_CONTINUE: look_for_breakpoint(frame, event, value, line, now); break;
    case STEP_BACK_RAISE: look_for_raise(event, value, now); break;
    case STEP_BACK_BIRTH: look_for_birth(frame, event, now); break;
    default: break;
    }
}
