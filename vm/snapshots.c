// Making snapshots, choosing which of them stay, and waking them.
//
// A snapshot costs the fork, and every page that the program writes afterwards
// is copied once. Both together may take a twentieth of the time between two,
// and all copies together 40 MiB: where that is not kept the distance grows, or
// snapshots in the middle go.
#include "vm/snapshots.h"

#include <signal.h>

#define FIRST_DISTANCE 20000 // instructions
#define TIME_SHARE 20        // a snapshot may cost one part in so many of the time
#define PAGE_NANOSECONDS 700 // for a page to be copied
#define MAX_PAGES (40 * 256) // of 4 KiB
#define SLEEPER_LOOKS_MS 2000
#define ANSWER_LOOKS_MS 200

static int64_t next_tick;
static int64_t pages_then,
    time_then; // when the last one was made; 0 = not by this process

int64_t snapshot_next(void)
{
    return next_tick;
}

Snapshot *snapshot_before(Place place)
{
    Snapshot *best = NULL;
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++) {
        Place there = {s->tick, AT_INSTRUCTION};
        if (!s->process || place_compare(there, place) > 0) continue;
        if (!best || s->tick > best->tick) best = s;
    }
    return best;
}

static Snapshot *snapshot_after(int64_t tick)
{
    Snapshot *best = NULL;
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++)
        if (s->process && s->tick > tick && (!best || s->tick < best->tick)) best = s;
    return best;
}

static void end_snapshot(Snapshot *snapshot)
{
    outside_kill(snapshot->process, SIGKILL);
    snapshot->process = 0;
    outside_reap();
}

void snapshots_drop_after(Place place)
{
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++) {
        Place there = {s->tick, AT_INSTRUCTION};
        if (s->process && place_compare(there, place) > 0) end_snapshot(s);
    }
}

// ---- which of them stay

// The one that leaves the smallest gap, in proportion to how long ago it was;
// not the first.
static Snapshot *most_dispensable(int64_t now)
{
    Snapshot *worst = NULL;
    double least = 0;
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++) {
        Snapshot *before =
            s->process ? snapshot_before((Place){s->tick - 1, AT_INSTRUCTION}) : NULL;
        if (!before) continue;
        Snapshot *after = snapshot_after(s->tick);
        int64_t end = after ? after->tick : now;
        double share =
            (double)(end - before->tick) / (double)(now - before->tick + session->distance);
        if (worst && share >= least) continue;
        worst = s;
        least = share;
    }
    return worst;
}

static void dispense(Snapshot *snapshot)
{
    Snapshot *after = snapshot_after(snapshot->tick);
    if (after) after->pages += snapshot->pages;
    end_snapshot(snapshot);
}

static int64_t pages_in_all(void)
{
    int64_t pages = 0;
    for (int i = 0; i < MAX_SNAPSHOTS; i++)
        if (session->snapshots[i].process) pages += session->snapshots[i].pages;
    return pages;
}

static Snapshot *free_snapshot(int64_t now)
{
    for (int tries = 0; tries < 2; tries++) {
        for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++)
            if (!s->process) return s;
        Snapshot *worst = most_dispensable(now);
        if (worst) dispense(worst);
    }
    return NULL;
}

// ---- asleep

// Returns in the copies that are woken.
static Errand sleep_as(Snapshot *snapshot)
{
    for (;;) {
        if (!wakeup_wait(&snapshot->wakeup, SLEEPER_LOOKS_MS)) {
            outside_reap();
            if (!outside_process_lives(session->root)) outside_end(0);
            continue;
        }
        outside_reap();
        Errand errand = snapshot->errand;
        int process = outside_fork();
        if (process < 0) {
            session->search.process = -1;
            wakeup_post(&session->answered);
        }
        if (process == 0) {
            session->search.process = outside_pid();
            outside_take_interrupt(); // it was for those who were awake
            time_then = 0;
            return errand;
        }
    }
}

// A search may be interrupted; a travel takes no time.
static bool wait_for_answer(const Snapshot *snapshot, Errand errand)
{
    const Search *search = &session->search;
    while (!wakeup_wait(&session->answered, ANSWER_LOOKS_MS)) {
        int process = search->process ? search->process : snapshot->process;
        if (!outside_process_lives(process)) return false;
        if (errand == ERRAND_TRAVEL || !outside_take_interrupt()) continue;
        if (search->process) outside_kill(search->process, SIGKILL);
        return false;
    }
    return search->process > 0;
}

bool snapshot_send(Snapshot *snapshot, Errand errand)
{
    session->search.process = 0;
    if (!outside_process_lives(snapshot->process) || !wakeup_init(&session->answered) ||
        !wakeup_init(&session->taken))
        return false;
    snapshot->errand = errand;
    wakeup_post(&snapshot->wakeup);
    return wait_for_answer(snapshot, errand);
}

// ---- making one

// How much the last one has cost until now, against the time that has gone by.
static void adapt_distance(int64_t fork_time)
{
    int64_t now = outside_clock(CLOCK_STEADY), pages = outside_page_faults();
    int64_t cost = fork_time + (pages - pages_then) * PAGE_NANOSECONDS;
    int64_t passed = now - time_then;
    if (time_then && cost * TIME_SHARE > passed)
        session->distance += session->distance / 2;
    else if (time_then && cost * TIME_SHARE * 4 < passed && session->distance > FIRST_DISTANCE)
        session->distance -= session->distance / 4;
    pages_then = pages;
    time_then = now;
}

static bool make(int64_t tick, Errand *errand)
{
    Snapshot *snapshot = free_snapshot(tick);
    if (!snapshot || !wakeup_init(&snapshot->wakeup)) return false;
    int64_t start = outside_clock(CLOCK_STEADY);
    snapshot->tick = tick;
    snapshot->pages = outside_page_faults() - pages_then;
    int process = outside_fork();
    if (process == 0) {
        *errand = sleep_as(snapshot);
        return true;
    }
    if (process > 0) snapshot->process = process;
    adapt_distance(outside_clock(CLOCK_STEADY) - start);
    while (pages_in_all() > MAX_PAGES) {
        Snapshot *worst = most_dispensable(tick);
        if (!worst) break;
        dispense(worst);
    }
    return false;
}

bool snapshot_if_due(int64_t tick, Errand *errand)
{
    if (tick < next_tick) return false;
    if (!session->distance) session->distance = FIRST_DISTANCE;
    int64_t distance = session->distance;
    next_tick = tick + distance;
    Snapshot *before = snapshot_before((Place){tick, AT_INSTRUCTION});
    Snapshot *after = snapshot_after(tick);
    if (before && tick - before->tick < distance) return false;
    if (after && after->tick - tick < distance / 2) return false;
    return make(tick, errand);
}
