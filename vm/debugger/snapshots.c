// Makes snapshots, chooses which of them to keep, and wakes them.
//
// A snapshot costs a fork, and then a copy of each page that the program writes for the first time
// after it. The budget for both is 1/30 of the processor time, and 42 MiB of copied pages for all
// snapshots together. Over the time budget, the distance between snapshots grows. Over the memory
// budget, the snapshot whose loss leaves the smallest relative gap is ended. While a copy has a
// task, the pages that it will write count as well, and the bound is 54 MiB. A page that the
// program has freed counts too: a snapshot keeps it.
//
// A process that runs a stretch again shares none of the pages that it writes with the snapshots
// later in the run, not even pages of memory that the program allocates in that stretch.
#include "vm/debugger/snapshots.h"

#include "objects/memory.h"

#include <signal.h>

#define FIRST_DISTANCE 20000 // instructions
#define MILLISECOND 1000000
#define TIME_SHARE 30 // a snapshot may cost this part of the time
#define MOST_OVER 5   // times the budget, as far as it counts
#define TIMED_PAGES 32
#define PAGE_BYTES 4096
#define MAX_PAGES (42 * 256)
#define MAX_PAGES_BACK (54 * 256)
#define LARGE_PAGES (24 * 256) // of a program that gets no snapshot shortly before a stop
#define CHECK_DISTANCE 50000   // from one look at the pages to the next, where they may be too many
#define LONG_RUN (2 * MILLISECOND) // takes longer than making a snapshot
#define SLEEPER_LOOKS_MS 2000
#define ANSWER_LOOKS_MS 200
#define ENDING_LOOKS 1000
#define NO_PROCESS (-1)  // in search.process: it could not be forked
#define TASK_PROCESSES 2 // who goes on one, and who has been on the one before and is about to end

static int64_t next_tick;
// Counters at the time of the last snapshot; time_then 0 = another process made it.
static int64_t faults_then, touched_then, time_then;
static int64_t touched_now;      // pages, by count_pages(): that takes a while
static int64_t page_nanoseconds; // that it takes to copy one; 0 = not known yet

static int64_t wished = INT64_MAX; // the tick of a snapshot that is due however near others are
static Snapshot *answering;        // in a searcher: the one that waits for it to end

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
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

void snapshots_end(void)
{
    snapshots_drop_after((Moment){-1, 0});
    next_tick = time_then = faults_then = 0;
    wished = INT64_MAX;
}

// ---- which of them stay

// The snapshot whose loss leaves the smallest gap, relative to its age. Never the first one, nor
// `needed`, nor the one that a searcher answers to.
static Snapshot *most_dispensable(int64_t tick, const Snapshot *needed)
{
    Snapshot *worst = NULL, *last = snapshot_before((Moment){INT64_MAX, AT_INSTRUCTION});
    int64_t now = last && last->tick > tick ? last->tick : tick;
    double least = 0;
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++) {
        Snapshot *before =
            s->process ? snapshot_before((Moment){s->tick - 1, AT_INSTRUCTION}) : NULL;
        if (!before || s == needed || s == answering) continue;
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

static void count_pages(void)
{
    touched_now = (int64_t)(memory_counts().touched_bytes / PAGE_BYTES);
}

// How many pages this process has copied since the last snapshot, or since it was forked.
static int64_t copied_pages(int64_t tick)
{
    int64_t faults = outside_page_faults() - faults_then, grown = touched_now - touched_then;
    if (snapshot_after(tick)) return smaller(faults, touched_now);
    if (grown > 0) faults -= smaller(grown, faults);
    return faults;
}

// How many pages the snapshot before a tick would keep alone after a new one is made at that tick.
static int64_t kept_pages(int64_t tick, int64_t copied)
{
    const Snapshot *before = snapshot_before((Moment){tick - 1, AT_INSTRUCTION});
    if (snapshot_after(tick)) return copied;
    return before ? smaller(copied, before->touched) : 0;
}

static void dispense(Snapshot *snapshot)
{
    Snapshot *after = snapshot_after(snapshot->tick);
    const Snapshot *before = snapshot_before((Moment){snapshot->tick - 1, AT_INSTRUCTION});
    if (after) after->pages = smaller(before->touched, after->pages + snapshot->pages);
    end_snapshot(snapshot);
}

static int64_t pages_of_snapshots(void)
{
    int64_t pages = 0;
    for (int i = 0; i < MAX_SNAPSHOTS; i++)
        if (session->snapshots[i].process) pages += session->snapshots[i].pages;
    return pages;
}

// With the pages that the program has copied since the last snapshot.
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

// ---- when no more processes can be forked

// Can so many processes exist at once? Tries it: each forks the next one, and all end.
static bool room_for(int count)
{
    int process = outside_fork(), status;
    if (process == 0) outside_end(count > 1 && !room_for(count - 1));
    return process > 0 && outside_wait(process, &status) && !status;
}

// A process that has ended still counts until its parent, this process or the root, reaps
// it.
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

// The snapshot answers for its searcher when that has ended: only then are the searcher's pages
// free, and the next one may write its own.
static void answer_for(int searcher)
{
    int status;
    if (!outside_wait(searcher, &status) || status) session->search.process = 0;
    wakeup_post(&session->answered);
}

// Sleeps for ever in the snapshot; returns in the copies that it forks when it is woken.
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
        if (process > 0) snapshot->copy = process;
        if (process < 0) {
            session->search.process = NO_PROCESS;
            wakeup_post(&session->answered);
        }
        if (process > 0 && task == TASK_SEARCH) answer_for(process);
        if (process == 0) {
            session->search.process = outside_pid();
            outside_take_interrupt(); // it was meant for the processes that were awake
            time_then = faults_then = 0;
            bool searches = task == TASK_SEARCH;
            answering = searches ? snapshot : NULL;
            wished = INT64_MAX;
            next_tick = searches ? INT64_MAX : 0; // a searcher makes only what is wished for
            count_pages();
            touched_then = touched_now;
            return task;
        }
    }
}

// A search may be interrupted. A travel may not: its copy already is the main line.
static bool wait_for_answer(const Snapshot *snapshot, Task task)
{
    const HistorySearch *search = &session->search;
    bool interrupted = false;
    while (!wakeup_wait(&session->answered, ANSWER_LOOKS_MS)) {
        bool travels = task == TASK_TRAVEL && snapshot->copy;
        if (!outside_process_lives(travels ? snapshot->copy : snapshot->process)) return false;
        if (task == TASK_TRAVEL || search->process <= 0 || !outside_take_interrupt()) continue;
        interrupted = true;
        outside_kill(search->process, SIGKILL);
    }
    return !interrupted && search->process > 0;
}

// The main line, which shares their pages, is about to end: from then on they hold all pages alone.
static void end_large_after(int64_t tick)
{
    for (Snapshot *s = session->snapshots; s < session->snapshots + MAX_SNAPSHOTS; s++)
        if (s->process && s->tick > tick && s->touched > MAX_PAGES) end_snapshot(s);
}

// How many pages a copy of a snapshot will write until the next snapshot, or until `tick`.
static int64_t pages_of_task(const Snapshot *snapshot, int64_t tick)
{
    const Snapshot *after = snapshot_after(snapshot->tick);
    if (!after) return kept_pages(tick, copied_pages(tick));
    int64_t grown = after->touched > snapshot->touched ? after->touched - snapshot->touched : 0;
    return smaller(after->pages + grown, after->touched);
}

// Ends snapshots until the task's pages are within the bound. In a search the main line's own pages
// count as well; in a travel the main line ends.
static void leave_room(const Snapshot *snapshot, Task task)
{
    count_pages();
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
    snapshot->copy = 0;
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

// Writes pages of its own; the first time after a fork, the system copies them. Gives the
// nanoseconds for a page.
static int64_t write_pages(void)
{
    static volatile char pages[TIMED_PAGES][PAGE_BYTES];
    int64_t start = outside_clock(CLOCK_PROCESS);
    for (int i = 0; i < TIMED_PAGES; i++) pages[i][0]++;
    return (outside_clock(CLOCK_PROCESS) - start) / TIMED_PAGES;
}

// Compares what the last snapshot has cost with the time since, and adapts the distance.
static void adapt_distance(int64_t fork_time, int64_t copied)
{
    int64_t now = outside_clock(CLOCK_PROCESS);
    int64_t cost = fork_time + copied * page_nanoseconds;
    int64_t passed = now - time_then + 1;
    int64_t percents = smaller(cost * TIME_SHARE * 100 / passed, MOST_OVER * 100);
    int64_t wanted = session->distance * percents / 100;
    if (percents < 100) wanted = (wanted + session->distance) / 2; // nearer only step by step
    if (time_then) session->distance = larger(wanted, FIRST_DISTANCE);
    faults_then = outside_page_faults();
    touched_then = touched_now;
    time_then = now;
}

static bool make(int64_t tick, Task *task)
{
    Snapshot *snapshot = free_snapshot(tick);
    if (!snapshot || !wakeup_init(&snapshot->wakeup)) return false;
    int64_t start = outside_clock(CLOCK_PROCESS), copied = copied_pages(tick);
    snapshot->tick = tick;
    snapshot->touched = touched_now;
    snapshot->pages = kept_pages(tick, copied);
    if (!page_nanoseconds) (void)write_pages();
    int process = session_fork();
    if (process == 0) {
        snapshot->process = outside_pid(); // in case the main line is killed before it does
        *task = sleep_as(snapshot);
        return true;
    }
    if (process > 0) snapshot->process = process;
    if (!page_nanoseconds) page_nanoseconds = write_pages();
    adapt_distance(outside_clock(CLOCK_PROCESS) - start, copied);
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

void snapshot_wish(int64_t tick)
{
    wished = tick;
}

// Is it worth it, after what this process has run since it was forked or made one? Not in a large
// program: when the main line ends at a step back, the snapshot would hold all pages alone.
static bool is_worth_it(void)
{
    return outside_clock(CLOCK_PROCESS) - time_then > LONG_RUN && touched_now < LARGE_PAGES;
}

static bool is_apart(int64_t tick, int64_t distance)
{
    const Snapshot *before = snapshot_before((Moment){tick, AT_INSTRUCTION});
    const Snapshot *after = snapshot_after(tick);
    if (before && tick - before->tick < distance) return false;
    return !after || (after->tick - tick >= distance / 2 && touched_now < LARGE_PAGES);
}

bool snapshot_if_due(int64_t tick, Task *task)
{
    if (tick < snapshot_next()) return false;
    count_pages();
    bool is_due = tick >= wished && is_worth_it();
    if (tick >= wished) wished = INT64_MAX;
    if (!session->distance) session->distance = FIRST_DISTANCE;
    int64_t distance = session->distance;
    keep_within_bounds(tick);
    if (tick >= next_tick) {
        bool may_be_many = pages_in_all(tick) + touched_now > MAX_PAGES;
        next_tick = tick + (may_be_many ? smaller(distance, CHECK_DISTANCE) : distance);
        if (is_apart(tick, distance)) is_due = true;
    }
    return is_due && make(tick, task);
}
