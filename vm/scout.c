// See scout.h.
#include "vm/scout.h"

#include "vm/breakpoints.h"
#include "vm/motions.h"
#include "vm/snapshots.h"
#include "vm/watch.h"

#include <stdio.h>
#include <string.h>

#define FIRST_PART 3000 // ticks
#define NEAR 50000
#define NO_PLACE ((Place){-1, 0})

// The last place in each frame of the chain; in the scout only.
static Place last[MAX_CHAIN];

// ---- in the main line

static void set_chain(Search *search, Frame *frame)
{
    search->chain_length = 0;
    for (; frame && search->chain_length < MAX_CHAIN; frame = frame->previous)
        search->chain[search->chain_length++] = frame;
}

static bool look_through(Snapshot *snapshot, int64_t from, Place until)
{
    Search *search = &session->search;
    search->from = from;
    search->until = until;
    search->found = search->began = false;
    search->breakpoint = search->watch = 0;
    search->note[0] = 0;
    return snapshot_send(snapshot, ERRAND_SEARCH);
}

// The last part of a stretch first, for there it is found, as a rule; what is not found near the
// stop is anywhere.
static bool look_from_behind(Snapshot *snapshot, Place until)
{
    const Search *search = &session->search;
    bool is_near = session->stop.place.tick - until.tick < NEAR;
    for (int64_t part = FIRST_PART; is_near && until.tick - part > snapshot->tick; part *= 16) {
        if (!look_through(snapshot, until.tick - part, until)) return false;
        if (search->found) return true;
    }
    return look_through(snapshot, snapshot->tick, until);
}

bool scout_search(const Motion *motion, Frame *frame)
{
    Search *search = &session->search;
    search->motion = *motion;
    search->found = search->began = false;
    set_chain(search, frame);
    if (motion->kind == MOVE_BACK_RETURN && search->chain_length < 2) return true; // nobody called
    Place until = session->stop.place, from = until;
    from.event--;
    for (Snapshot *s; (s = snapshot_before(from));) {
        if (!look_from_behind(s, until)) return false;
        if (search->found || search->began) return true;
        from = (Place){s->tick - 1, AT_INSTRUCTION};
        until = (Place){s->tick + 1, 0}; // what has changed there is seen in this stretch
    }
    return true;
}

// ---- in the scout

void scout_begin(const Frame *frame)
{
    for (int i = 0; i < MAX_CHAIN; i++) last[i] = NO_PLACE;
    outside_end_with_parent();
    watches_begin(frame);
}

_Noreturn void scout_end(void)
{
    Search *search = &session->search;
    for (int i = 0; i < search->chain_length; i++) {
        if (place_compare(last[i], NO_PLACE) == 0) continue;
        if (search->found && place_compare(last[i], search->place) < 0) continue;
        search->found = true;
        search->place = last[i];
    }
    wakeup_post(&session->answered);
    outside_end(0);
}

static void find(Place place, int breakpoint, int watch)
{
    Search *search = &session->search;
    search->found = true;
    search->place = place;
    search->breakpoint = breakpoint;
    search->watch = watch;
}

static int level_of(const Frame *frame)
{
    const Search *search = &session->search;
    for (int i = 0; i < search->chain_length; i++)
        if (search->chain[i] == frame) return i;
    return -1;
}

// For motions that leave out what other functions do: the places in the frames that are under way
// at the end. A frame that begins where one of these lay says that what was seen there, and in the
// frames that it called, was of others.
static void look_in_chain(const Frame *frame, FrameEvent event, bool fits, Place now)
{
    const Search *search = &session->search;
    int level = search->chain_length ? level_of(frame) : -1;
    if (level >= 0 && event == EVENT_CALL && frame_lasti(frame) < 0)
        for (int i = 0; i <= level; i++) last[i] = NO_PLACE;
    int first = search->motion.kind == MOVE_BACK_RETURN ? 1 : 0;
    if (fits && level >= first) last[level] = now;
    if (fits && !search->chain_length && !frame->previous) find(now, 0, 0);
}

static const Watch *watch_numbered(int number)
{
    for (int i = 0; i < session->watch_count; i++)
        if (session->watches[i].number == number) return &session->watches[i];
    return NULL;
}

// The instruction that changed it is the one before.
static void look_at_watches(const Frame *frame, FrameEvent event, Place now)
{
    Search *search = &session->search;
    char note[SESSION_TEXT];
    const Watch *watch = watch_changed(frame, event, note);
    int wanted = search->motion.kind == MOVE_BACK_WRITE ? search->motion.line : 0;
    const Watch *one = wanted ? watch_numbered(wanted) : NULL;
    if (watch && (!wanted || watch->number == wanted)) {
        find((Place){now.tick - 1, AT_INSTRUCTION}, 0, watch->number);
        snprintf(search->note, sizeof search->note, "%s", note);
    }
    if (one && one->root == WATCH_SLOT && one->frame == frame && event == EVENT_CALL &&
        frame_lasti(frame) < 0) {
        search->began = true;
        search->found = false;
    }
}

static void look_for_breakpoint(Frame *frame, bool line, Place now)
{
    Breakpoint *breakpoint = line ? breakpoint_at(frame, false) : NULL;
    if (breakpoint) find(now, breakpoint->number, 0);
    session->search.note[0] = breakpoint ? 0 : session->search.note[0];
}

void scout_note_event(int breakpoint, const char *note, Place now)
{
    Search *search = &session->search;
    if (search->motion.kind != MOVE_BACK_CONTINUE) return;
    find(now, breakpoint, 0);
    snprintf(search->note, sizeof search->note, "%s", note);
}

bool scout_looks_in(const Frame *frame)
{
    switch (session->search.motion.kind) {
    case MOVE_BACK_NEXT:
    case MOVE_BACK_NEXT_INSTRUCTION: return level_of(frame) >= 0;
    case MOVE_BACK_RETURN: return level_of(frame) > 0;
    default: return true;
    }
}

bool scout_is_behind(Place now)
{
    return place_compare(now, session->search.until) >= 0;
}

void scout_look(Frame *frame, FrameEvent event, ValueRef value, bool line, Place now)
{
    Search *search = &session->search;
    MotionKind kind = search->motion.kind;
    // A change is seen one place later than it is made.
    if (kind == MOVE_BACK_CONTINUE || kind == MOVE_BACK_WRITE) look_at_watches(frame, event, now);
    if (scout_is_behind(now)) scout_end();
    switch (kind) {
    case MOVE_BACK_STEP:
        if (motion_step_stops(frame, event, value, line)) find(now, 0, 0);
        break;
    case MOVE_BACK_NEXT:
    case MOVE_BACK_RETURN: look_in_chain(frame, event, line, now); break;
    case MOVE_BACK_NEXT_INSTRUCTION: look_in_chain(frame, event, event == EVENT_OPCODE, now); break;
    case MOVE_BACK_CONTINUE: look_for_breakpoint(frame, line, now); break;
    default: break;
    }
}
