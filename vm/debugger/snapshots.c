// Making snapshots, choosing which of them stay, and waking them.
//
// A snapshot costs the fork, and every page that the program writes afterwards is copied once. Both
// together may take a thirtieth of the time between two, and all copies together 42 MiB: where that
// is not kept the distance grows, or snapshots in the middle go, or the last one, if it costs so
// much alone. While one of them is on an errand, what it will write counts as well, and all may
// have 54 MiB.
//
// A process that goes a way once more shares nothing of what it writes there with the snapshots
// that lie ahead, not even what is new in the program.
#include "vm/debugger/snapshots.h"

#include "objects/memory.h"

#include <signal.h>

#define FIRST_DISTANCE 20000  // instructions
#define TIME_SHARE 30         // a snapshot may cost one part in so many of the time
#define PAGE_NANOSECONDS 1000 // for a page to be copied
#define PAGE_BYTES 4096
#define MAX_PAGES (42 * 256)
#define MAX_PAGES_BACK (54 * 256)
#define CHECK_DISTANCE 50000 // from one look at the pages to the next, where they may be too many
#define LONG_WAY 200000      // of ticks: what takes longer than a snapshot
#define SHORTLY 2000
#define SLEEPER_LOOKS_MS 2000
#define ANSWER_LOOKS_MS 200
#define ENDING_LOOKS 1000
#define MILLISECOND 1000000
#define NO_PROCESS (-1)  // in search.process: it could not be forked
#define TASK_PROCESSES 2 // who goes on one, and who has been on the one before and is about to end

static int64_t next_tick;
// When the last one was made, by this process; time_then 0 = by another.
static int64_t faults_then, live_then, time_then;

static int64_t wished = INT64_MAX; // the tick of one that is due however near others are

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t snapshot_next(void)
{
    return smaller(next_tick, wished);
}

Snapshot *snapshot_before(Moment moment)
{
    Snapshot *best = NULL;
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++) {
        Moment there = {s->tick, AT_INSTRUCTION};
        if (!s->process || moment_compare(there, moment) > 0) continue;
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

void snapshots_drop_after(Moment moment)
{
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++) {
        Moment there = {s->tick, AT_INSTRUCTION};
        if (s->process && moment_compare(there, moment) > 0) end_snapshot(s);
    }
}

// ---- which of them stay

// The one that leaves the smallest gap, in proportion to how long ago it was; not the first, and
// not the one that is needed.
static Snapshot *most_dispensable(int64_t tick, const Snapshot *needed)
{
    Snapshot *worst = NULL, *last = snapshot_before((Moment){INT64_MAX, AT_INSTRUCTION});
    int64_t now = last && last->tick > tick ? last->tick : tick;
    double least = 0;
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++) {
        Snapshot *before =
            s->process ? snapshot_before((Moment){s->tick - 1, AT_INSTRUCTION}) : NULL;
        if (!before || s == needed) continue;
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

static int64_t live_pages(void)
{
    return (int64_t)(memory_counts().bytes / PAGE_BYTES);
}

// How many more pages there are since the last one was made, or since this process was.
static int64_t copied_pages(int64_t tick)
{
    int64_t faults = outside_page_faults() - faults_then, grown = live_pages() - live_then;
    if (snapshot_after(tick)) return smaller(faults, live_pages());
    if (grown > 0) faults -= smaller(grown, faults);
    return faults;
}

// What a snapshot at a tick makes the one before it keep, where so many pages were copied since.
static int64_t kept_pages(int64_t tick, int64_t copied)
{
    const Snapshot *before = snapshot_before((Moment){tick - 1, AT_INSTRUCTION});
    if (snapshot_after(tick)) return copied;
    return before ? smaller(copied, before->live) : 0;
}

static void dispense(Snapshot *snapshot)
{
    Snapshot *after = snapshot_after(snapshot->tick);
    const Snapshot *before = snapshot_before((Moment){snapshot->tick - 1, AT_INSTRUCTION});
    if (after) after->pages = smaller(before->live, after->pages + snapshot->pages);
    end_snapshot(snapshot);
}

static int64_t pages_of_snapshots(void)
{
    int64_t pages = 0;
    for (int i = 0; i < MAX_SNAPSHOTS; i++)
        if (session->snapshots[i].process) pages += session->snapshots[i].pages;
    return pages;
}

// With those that the program has copied since.
static int64_t pages_in_all(int64_t tick)
{
    return pages_of_snapshots() + kept_pages(tick, copied_pages(tick));
}

static Snapshot *free_snapshot(int64_t now)
{
    for (int tries = 0; tries < 2; tries++) {
        for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++)
            if (!s->process) return s;
        Snapshot *worst = most_dispensable(now, NULL);
        if (worst) dispense(worst);
    }
    return NULL;
}

// ---- where processes are short

// Could so many be there at the same time? They are made, each by the one before it, and end.
static bool room_for(int count)
{
    int process = outside_fork(), status;
    if (process == 0) outside_end(count > 1 && !room_for(count - 1));
    return process > 0 && outside_wait(process, &status) && !status;
}

// It counts as long as nobody has asked for its status: this process, or the root.
static void await_end(int process)
{
    wakeup_post(&session->ended);
    for (int i = 0; i < ENDING_LOOKS && outside_process_lives(process); i++) {
        outside_reap();
        outside_sleep(MILLISECOND);
    }
}

void snapshots_make_room(int64_t tick, int processes)
{
    if (!session->is_short) return;
    while (!room_for(processes)) {
        Snapshot *worst = most_dispensable(tick, NULL);
        if (!worst) worst = snapshot_before((Moment){INT64_MAX, AT_INSTRUCTION});
        if (!worst) return;
        int process = worst->process;
        dispense(worst);
        await_end(process);
    }
}

// ---- asleep

// Returns in the copies that are woken.
static Task sleep_as(Snapshot *snapshot)
{
    for (;;) {
        if (!wakeup_wait(&snapshot->wakeup, SLEEPER_LOOKS_MS)) {
            outside_reap();
            if (!outside_process_lives(session->root)) outside_end(0);
            continue;
        }
        outside_reap();
        Task task = snapshot->task;
        int process = session_fork();
        if (process < 0) {
            session->search.process = NO_PROCESS;
            wakeup_post(&session->answered);
        }
        if (process == 0) {
            session->search.process = outside_pid();
            outside_take_interrupt(); // it was for those who were awake
            time_then = faults_then = 0;
            wished = INT64_MAX;
            live_then = live_pages();
            return task;
        }
    }
}

// A search may be interrupted; a travel takes no time.
static bool wait_for_answer(const Snapshot *snapshot, Task task)
{
    const HistorySearch *search = &session->search;
    while (!wakeup_wait(&session->answered, ANSWER_LOOKS_MS)) {
        int process = search->process ? search->process : snapshot->process;
        if (!outside_process_lives(process)) return false;
        if (task == TASK_TRAVEL || !outside_take_interrupt()) continue;
        if (search->process) outside_kill(search->process, SIGKILL);
        return false;
    }
    return search->process > 0;
}

// Who shares their pages is about to end.
static void end_large_after(int64_t tick)
{
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++)
        if (s->process && s->tick > tick && s->live > MAX_PAGES) end_snapshot(s);
}

// What a copy of it will write on the way to the next one, or to here.
static int64_t pages_of_task(const Snapshot *snapshot, int64_t tick)
{
    const Snapshot *after = snapshot_after(snapshot->tick);
    if (!after) return kept_pages(tick, copied_pages(tick));
    int64_t grown = after->live > snapshot->live ? after->live - snapshot->live : 0;
    return smaller(after->pages + grown, after->live);
}

// (The main line ends where the copy takes its place.)
static void leave_room(const Snapshot *snapshot, Task task)
{
    int64_t tick = session->stop.moment.tick, needed = pages_of_task(snapshot, tick);
    if (task == TASK_SEARCH) needed += kept_pages(tick, copied_pages(tick));
    while (pages_of_snapshots() + needed > MAX_PAGES_BACK) {
        Snapshot *worst = most_dispensable(tick, snapshot);
        if (!worst) break;
        dispense(worst);
    }
}

static bool send(Snapshot *snapshot, Task task)
{
    session->search.process = 0;
    if (!outside_process_lives(snapshot->process) || !wakeup_init(&session->answered) ||
        !wakeup_init(&session->taken))
        return false;
    snapshot->task = task;
    wakeup_post(&snapshot->wakeup);
    return wait_for_answer(snapshot, task);
}

bool snapshot_send(Snapshot *snapshot, Task task)
{
    leave_room(snapshot, task);
    if (task == TASK_TRAVEL) end_large_after(snapshot->tick);
    if (send(snapshot, task)) return true;
    if (session->search.process != NO_PROCESS) return false;
    int64_t tick = snapshot->tick;
    snapshots_make_room(tick, TASK_PROCESSES);
    return snapshot->process && snapshot->tick == tick && send(snapshot, task);
}

// ---- making one

// How much the last one has cost until now, against the time that has gone by.
static void adapt_distance(int64_t fork_time, int64_t copied)
{
    int64_t now = outside_clock(CLOCK_STEADY);
    int64_t cost = fork_time + copied * PAGE_NANOSECONDS;
    int64_t passed = now - time_then;
    if (time_then && cost * TIME_SHARE > passed)
        session->distance += session->distance / 2;
    else if (time_then && cost * TIME_SHARE * 4 < passed && session->distance > FIRST_DISTANCE)
        session->distance -= session->distance / 4;
    faults_then = outside_page_faults();
    live_then = live_pages();
    time_then = now;
}

static bool make(int64_t tick, Task *task)
{
    Snapshot *snapshot = free_snapshot(tick);
    if (!snapshot || !wakeup_init(&snapshot->wakeup)) return false;
    int64_t start = outside_clock(CLOCK_STEADY), copied = copied_pages(tick);
    snapshot->tick = tick;
    snapshot->live = live_pages();
    snapshot->pages = kept_pages(tick, copied);
    int process = session_fork();
    if (process == 0) {
        snapshot->process = outside_pid(); // the main line may be killed before it says so
        *task = sleep_as(snapshot);
        return true;
    }
    if (process > 0) snapshot->process = process;
    adapt_distance(outside_clock(CLOCK_STEADY) - start, copied);
    return false;
}

static void keep_within_bounds(int64_t tick)
{
    while (pages_in_all(tick) > MAX_PAGES) {
        Snapshot *worst = most_dispensable(tick, NULL);
        if (!worst) break;
        dispense(worst);
    }
}

// (Not of a large program: the main line will go away, and then nobody shares the pages with it.)
void snapshot_wish(int64_t tick)
{
    const Snapshot *before = snapshot_before((Moment){tick, AT_INSTRUCTION});
    bool is_far = before && tick - before->tick > LONG_WAY;
    wished = is_far && live_pages() < MAX_PAGES / 2 ? tick - SHORTLY : INT64_MAX;
}

static bool is_apart(int64_t tick, int64_t distance)
{
    const Snapshot *before = snapshot_before((Moment){tick, AT_INSTRUCTION});
    const Snapshot *after = snapshot_after(tick);
    if (before && tick - before->tick < distance) return false;
    return !after || (after->tick - tick >= distance / 2 && live_pages() < MAX_PAGES / 2);
}

bool snapshot_if_due(int64_t tick, Task *task)
{
    if (tick < snapshot_next()) return false;
    bool is_wished = tick >= wished;
    if (is_wished) wished = INT64_MAX;
    if (!session->distance) session->distance = FIRST_DISTANCE;
    int64_t distance = session->distance;
    keep_within_bounds(tick);
    bool may_be_many = pages_in_all(tick) + live_pages() > MAX_PAGES;
    next_tick = tick + (may_be_many ? smaller(distance, CHECK_DISTANCE) : distance);
    return (is_wished || is_apart(tick, distance)) && make(tick, task);
}
