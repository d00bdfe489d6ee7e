// See debugger.h.
#include "vm/debugger/debugger.h"

#include "frames/cache/cache.h"
#include "frames/observe.h"
#include "frames/traceback.h"
#include "vm/builtins/builtins.h"
#include "vm/debugger/breakpoints.h"
#include "vm/debugger/journal.h"
#include "vm/debugger/replayed_statements.h"
#include "vm/debugger/searcher.h"
#include "vm/debugger/snapshots.h"
#include "vm/debugger/state_hash.h"
#include "vm/debugger/step_commands.h"
#include "vm/debugger/visitor.h"
#include "vm/debugger/watch.h"
#include "vm/growing.h"
#include "vm/import/import.h"
#include "vm/io/stream.h"
#include "vm/modules/signals.h"
#include "vm/outside/processes.h"
#include "vm/settrace/line_events.h"
#include "vm/sys/sys.h"

#include "objects/bytes/bytes.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/looking/show.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define TAKEN_MS 5000
#define SHORTLY 2000       // ticks before a stop: from there the next step back is fast
#define PROMPT_PROCESSES 2 // the prompt, and the copy in which it looks at something

const char *const *debugger_first_commands;
int debugger_channel[2] = {-1, -1};
char debugger_face[8];
Value debugger_source;
Stopped debugger_stopped;

// What belongs to this process alone. What all processes of the debugger share is in `session`.
static struct {
    Moment now;
    Moment run_then;     // ticks and events up to the stop
    bool is_searcher;    // see searcher.h
    bool has_started;    // the first line has been reached
    int statements_done; // how many of session->statements this process has run
    int64_t alarm_tick;  // no event before this tick is needed
    bool break_asked;    // breakpoint() was called: stop at the next event at which `step` would
    char break_header[SESSION_TEXT];
    Frame *skipped;        // no event is needed until this frame is left
    bool begun_by_program; // with breakpoint(), not with --debug
    bool has_left;         // the user has quit: nothing observes the program, which ends
    bool stops_anywhere;   // at any first line, not only at one of __main__
    bool is_aside;         // a replayed statement runs: nothing stops in it
    Value uncaught;        // the exception that has ended the program
    CacheObserver next_observer;
} mine = {.now = {-1, AT_INSTRUCTION}};

static bool observe(Frame *frame, FrameEvent event, ValueRef value);
static void leave(void);

// ---- how fast it goes

static void set_observed(bool observed)
{
    observer_set(OBSERVER_DEBUGGER, observed ? observe : NULL);
    line_events_read(LINES_OF_DEBUGGER, observed);
    if (!observed) line_events_forget(LINES_OF_DEBUGGER);
}

static void on_alarm(void)
{
    set_observed(true);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// Is every event needed now?
static bool must_look(void)
{
    Moment until;
    if (mine.skipped) return false;
    if (mine.break_asked) return true;
    if (mine.is_searcher) return mine.now.tick >= session->search.from;
    if (step_looks(&until) || !mine.has_started) return true;
    return session->command.kind != STEP_TO && (breakpoints_any() || session->watch_count);
}

// The tick at which something must be done even if no event is needed until then.
static int64_t next_alarm(void)
{
    const HistorySearch *search = &session->search;
    Moment until;
    step_looks(&until);
    int64_t tick = smaller(until.tick - 1, snapshot_next());
    if (mine.is_searcher)
        tick = smaller(snapshot_next(),
                       mine.now.tick < search->from ? search->from : search->until.tick - 1);
    if (mine.statements_done == session->statement_count) return tick;
    return smaller(tick, session->statements[mine.statements_done].moment.tick - 1);
}

static void choose_pace(void)
{
    mine.alarm_tick = must_look() ? INT64_MAX : next_alarm();
    if (mine.alarm_tick == INT64_MAX || mine.alarm_tick <= mine.now.tick + ticks_longest()) return;
    set_observed(false);
    ticks_set_alarm(mine.alarm_tick, on_alarm);
}

static void on_skip_ends(Frame *frame)
{
    if (frame != mine.skipped) return;
    mine.skipped = NULL;
    mine.alarm_tick = 0; // the pace is chosen anew
    set_observed(true);
}

static bool looks_in(const Frame *frame)
{
    if (mine.is_searcher) return searcher_looks_in(frame);
    if (session->command.kind == STEP_TO || breakpoints_any() || session->watch_count) return true;
    return step_looks_in(frame);
}

// If no event of the innermost frames is needed, the program runs at full speed until they are
// left.
static void skip_from(Frame *frame)
{
    Frame *last = NULL;
    for (; frame && !looks_in(frame); frame = frame->previous) last = frame;
    if (!last || !frame) return;
    mine.skipped = last;
    frame_skip(last, on_skip_ends);
}

// ---- replayed statements

// Runs a statement without counting its ticks or stopping in it.
static bool apply_uncounted(const ReplayedStatement *statement)
{
    int64_t base = ticks_base();
    const Instruction *ip = thread_state.frame->ip;
    Value pending = error_take();
    set_observed(false);
    ticks_set_alarm(INT64_MAX, NULL);
    mine.is_aside = true;
    bool done = statement_replay(statement, debugger_stopped.frame);
    mine.is_aside = false;
    growing_forget();
    Value raised = error_take();
    error_restore(pending);
    ticks_turn_back(base, tick_counter.events); // (the events go on: they number the frames)
    ticks_move(ip, thread_state.frame->ip);     // a jump
    set_observed(true);
    if (raised) error_restore(raised);
    return done;
}

static bool statement_is_due(void)
{
    return mine.statements_done < session->statement_count &&
           moment_compare(session->statements[mine.statements_done].moment, mine.now) <= 0;
}

static void apply_due_statements(Frame *frame)
{
    while (statement_is_due()) {
        Value pending = error_take();
        debugger_stopped.frame = frame;
        if (!apply_uncounted(&session->statements[mine.statements_done++]))
            error_clear(); // the prompt has printed it
        error_restore(pending);
    }
}

// Drops the recording after the stop, including later statements, and adds a statement. NULL: there
// is no room.
static ReplayedStatement *add_statement(int depth, int line, const char *text)
{
    int used = 0;
    if (mine.statements_done) used = session->statements[mine.statements_done - 1].text_end;
    size_t size = strlen(text) + 1;
    if (mine.statements_done == MAX_STATEMENTS || size > (size_t)(SESSION_STATEMENT_BYTES - used))
        return NULL;
    snapshots_drop_after(session->stop.moment);
    watches_forget_after(mine.run_then);
    journal_drop_future();
    session->frontier = session->stop.moment;
    session->raised = (Moment){0, 0};
    ReplayedStatement *statement = &session->statements[mine.statements_done];
    *statement = (ReplayedStatement){session->stop.moment, depth, line, used, used + (int)size};
    memcpy(session->statement_text + used, text, size);
    session->statement_count = ++mine.statements_done;
    return statement;
}

bool debugger_run_statement(int depth, int line, const char *text)
{
    const ReplayedStatement *statement = add_statement(depth, line, text);
    if (!statement) return raise_error(RuntimeError, "too many statements");
    size_t begin = journal_cursor();
    outside_give_output();
    journal_attach();
    bool done = import_isolate(false) && statement_replay(statement, debugger_stopped.frame);
    journal_detach();
    outside_take_output();
    Value exception = error_take();
    done = import_isolate(true) && done;
    if (!exception) return done;
    error_restore(exception);
    if (error_is(KeyboardInterrupt)) { // or else each replay might run for ever
        session->statement_count = --mine.statements_done;
        journal_go_back(begin);
    }
    return false;
}

// ---- the prompt

static _Noreturn void run_prompt(void)
{
    visitor_become();
    outside_take_output();
    visitor_heed_interrupts(false);
    Value pending = error_take();
    bool leaves = session->stop.reason == STOP_RETURN; // it returns nothing, as in pdb
    if (pending) debugger_stopped.value = leaves ? VALUE_ERROR : (ValueRef)pending;
    bool apart = import_isolate(true) && builtins_renew();
    Value module = apart ? import_module("debugger") : VALUE_ERROR;
    Value name = module ? str_intern("prompt") : VALUE_ERROR;
    Value result = name ? object_call_method_none(module, name) : VALUE_ERROR;
    if (!result) sys_print_error();
    outside_end(result ? 0 : 1);
}

// Forks the prompt and waits for its step command. Ends the program if there is none.
static void ask_user(void)
{
    session->has_command = false;
    snapshots_make_room(mine.now.tick, PROMPT_PROCESSES);
    int process = session_fork(), status;
    if (process < 0) {
        snapshots_make_room(mine.now.tick, PROMPT_PROCESSES);
        process = session_fork();
    }
    if (process == 0) run_prompt();
    bool ended = process > 0 && outside_wait(process, &status);
    if (!ended) fprintf(stderr, "minivm: no prompt: %s\n", strerror(errno));
    outside_take_interrupt(); // it was for the prompt
    if (!ended || !session->has_command) session_close(1);
}

// ---- going back

static void note(const char *text)
{
    snprintf(session->stop.note, sizeof session->stop.note, "%s", text);
}

// The program may have called breakpoint() long after its beginning.
#define ONLY_RECORDED " (--debug records a program from its first line on.)"

static const char *beginning(void)
{
    return mine.begun_by_program ? "The recording begins here." ONLY_RECORDED
                                 : "The run begins here.";
}

// Can the program be run again from the first stop? If not, says why.
static bool can_repeat(void)
{
    if (journal_is_full()) note("There is no way back: the journal is full.");
    if (journal_diverged()) note("There is no way back: the run does not repeat itself.");
    bool reaches = session->visited_count && snapshot_before(session->visited[0]);
    if (!reaches)
        note(session->visited_count ? "There is no way back: there was no room for a snapshot."
                                    : beginning());
    return reaches && !journal_is_full() && !journal_diverged();
}

static const char *no_change(void)
{
    if (session->search.began) return "It has not changed since the function was called.";
    return mine.begun_by_program ? "It has not changed since the recording began." ONLY_RECORDED
                                 : "It has not changed since the run began.";
}

// Hands the main line over to a copy of a snapshot, which runs to a moment. Returns only if it
// cannot.
static void go_to(Moment moment, const char *text)
{
    Snapshot *snapshot = snapshot_before(moment);
    session->command = (StepCommand){.kind = STEP_TO, .moment = moment};
    note(text);
    if (snapshot && snapshot_send(snapshot, TASK_TRAVEL)) {
        wakeup_post(&session->taken);
        outside_end(0);
    }
    note("There is no way to that moment.");
}

static void travel(Moment moment, const char *text)
{
    if (can_repeat()) go_to(moment, text);
}

static void arrive_from_snapshot(Frame *frame, Task task)
{
    mine.is_searcher = task == TASK_SEARCH;
    cells_follow(NULL);
    set_observed(true);
    mine.skipped = NULL;
    if (mine.is_searcher) {
        searcher_begin();
        snapshot_wish(session->search.from);
        skip_from(frame);
        choose_pace();
        return;
    }
    outside_end_without(session->root);
    session->main_line = outside_pid();
    mine.has_started = session->visited_count > 0;
    wakeup_post(&session->answered);
    wakeup_wait(&session->taken, TAKEN_MS); // before this one wakes a snapshot itself
    step_begin(&session->command, &session->stop, frame);
    snapshot_wish(session->command.moment.tick - SHORTLY);
    choose_pace();
}

static void go_back(const StepCommand *command)
{
    const HistorySearch *search = &session->search;
    if (!can_repeat()) return;
    if (!search_back(command)) {
        note("The search for that moment has not come to its end.");
        return;
    }
    bool found = search->found;
    session->stop.breakpoint = found ? search->breakpoint : 0;
    if (found) memcpy(session->stop.watches, search->watches, SESSION_WATCHES);
    if (!found && command->kind == STEP_BACK_WRITE) {
        snprintf(session->stop.note, sizeof session->stop.note, "%s%s", no_change(),
                 search->is_cut ? " (It is large, and was not compared as a whole.)" : "");
        return;
    }
    if (found)
        travel(search->moment, search->note);
    else
        travel(session->visited[0], beginning());
}

static void arrive(StopReason reason)
{
    session->stop.reason = reason;
    session->stop.moment = mine.now;
    if (moment_compare(mine.now, session->frontier) > 0) session->frontier = mine.now;
}

// ---- the exception that has ended the program

// At the end only: where it was raised. Not known as long as nobody wants to stop there.
static void find_raise(void)
{
    Moment raised;
    bool wanted = session->stop.reason == STOP_POST_MORTEM && breakpoints_any_uncaught();
    if (!wanted || session->raised.tick || !can_repeat()) return;
    if (search_raise(mine.uncaught, &raised)) session->raised = raised;
}

// Has the program run past a raise that stops it? Then it goes back there, and does not return.
static void stop_at_raise(void)
{
    if (session->command.kind == STEP_TO || !session->visited_count) return;
    journal_detach();
    arrive(STOP_POST_MORTEM);
    find_raise();
    Moment last = session->visited[session->visited_count - 1];
    if (!session->raised.tick || moment_compare(session->raised, last) <= 0) return;
    const Breakpoint *breakpoint = breakpoint_on_event(UNCAUGHT, true);
    if (!breakpoint) return;
    session->stop.breakpoint = breakpoint->number;
    travel(session->raised, "");
}

// ---- stops

static void remember_visit(void)
{
    if (session->visited_count == MAX_VISITED) {
        memmove(&session->visited[1], &session->visited[2],
                (MAX_VISITED - 2) * sizeof *session->visited);
        session->visited_count--;
    }
    session->visited[session->visited_count++] = session->stop.moment;
}

static void undo(void)
{
    if (session->visited_count < 2) {
        note("There is nothing to undo.");
        return;
    }
    if (!can_repeat()) return;
    session->visited_count -= 2; // this one, and the one that the stop there will add again
    go_to(session->visited[session->visited_count], "");
}

static bool is_over(void)
{
    return session->stop.reason == STOP_END || session->stop.reason == STOP_POST_MORTEM;
}

static void step_back(void)
{
    if (session->stop.moment.tick > session->visited[0].tick)
        travel((Moment){session->stop.moment.tick - 1, AT_INSTRUCTION}, "");
    else
        note(beginning());
}

static void note_state(void)
{
    int64_t event = mine.now.event == AT_INSTRUCTION ? 0 : mine.now.event;
    snprintf(session->stop.note, sizeof session->stop.note, "tick %lld, event %lld: state %016llx",
             (long long)mine.now.tick, (long long)event,
             (unsigned long long)state_hash(debugger_stopped.frame));
}

// Carries out the user's step command. True: the program runs on. False: it stays at this stop.
static bool begin_command(void)
{
    StepCommand command = session->command;
    find_raise();
    if (moment_compare(command.moment, session->visited[0]) < 0)
        command.moment = session->visited[0];
    switch (command.kind) {
    case STEP_QUIT: leave(); return true;
    case STEP_BACK_INSTRUCTION: step_back(); return false;
    case STEP_UNDO: undo(); return false;
    case STEP_NOWHERE: note_state(); return false;
    case STEP_TO:
        if (moment_compare(command.moment, session->stop.moment) <= 0 || is_over()) {
            travel(command.moment, "");
            return false;
        }
        snapshot_wish(command.moment.tick - SHORTLY);
        break;
    case STEP_BACK_STEP:
    case STEP_BACK_NEXT:
    case STEP_BACK_RETURN:
    case STEP_BACK_CONTINUE:
    case STEP_BACK_NEXT_INSTRUCTION:
    case STEP_BACK_WRITE: go_back(&command); return false;
    default: break;
    }
    step_begin(&command, &session->stop, debugger_stopped.frame);
    bool leaves = session->stop.reason == STOP_RETURN;
    if (debugger_stopped.frame) watches_begin(debugger_stopped.frame, leaves);
    return true;
}

static void stop(Frame *frame, ValueRef value, StopReason reason)
{
    debugger_stopped = (Stopped){frame, value};
    arrive(reason);
    if (reason != STOP_TRACEBACK || session->visited_count) remember_visit();
    mine.run_then = (Moment){ticks_now(frame), tick_counter.events};
    session->stop.again = false;
    journal_detach();
    do {
        ask_user();
        cells_follow(NULL);
        journal_attach();
        if (frame) apply_due_statements(frame);
        journal_detach();
        session->stop.note[0] = session->stop.watches[0] = 0;
        session->stop.breakpoint = 0;
        session->stop.again = true;
    } while (!begin_command());
    if (!mine.has_left) journal_attach();
}

// ---- events

static void set_now(const Frame *frame, FrameEvent event)
{
    int64_t tick = ticks_now(frame);
    mine.now = event == EVENT_OPCODE ? (Moment){tick, AT_INSTRUCTION}
                                     : (Moment){tick + 1, tick_counter.events};
}

// The first stop is at the first line of the program itself.
static bool starts_here(const Frame *frame, bool line)
{
    if (line && mine.stops_anywhere) {
        mine.stops_anywhere = false;
        return mine.has_started = true;
    }
    ValueRef module = line ? dict_peek_ascii(import_modules(), "__main__") : 0;
    if (!module || !module_check(module)) return false;
    return mine.has_started = frame->globals == as_module(module)->dict;
}

static bool stops_for_breakpoint(Frame *frame, FrameEvent event, ValueRef value, bool line)
{
    if (session->command.kind == STEP_TO) return false;
    Stop *stop_here = &session->stop;
    (void)watches_changed(frame, event, 0, stop_here->watches);
    (void)watches_ended(frame, event, stop_here->watches);
    bool watch = stop_here->watches[0];
    Breakpoint *breakpoint = breakpoint_at(frame, event, value, line, true);
    if (breakpoint) stop_here->breakpoint = breakpoint->number;
    if (breakpoint && breakpoint->temporary) breakpoint_remove(breakpoint->number);
    return watch || breakpoint || stop_here->breakpoint; // set by an event of the cache
}

// Does breakpoint() of the program stop at this event?
static bool is_asked(Frame *frame, FrameEvent event, ValueRef value, bool line)
{
    if (!mine.break_asked || !step_into_stops(frame, event, value, line)) return false;
    mine.break_asked = false;
    mine.alarm_tick = 0; // the pace is chosen anew
    return true;
}

static void look_as_searcher(Frame *frame, FrameEvent event, ValueRef value, bool line)
{
    bool looks = !mine.skipped && mine.now.tick >= session->search.from;
    if (is_asked(frame, event, value, line) && looks)
        searcher_note_event(0, mine.break_header, mine.now);
    if (looks || searcher_is_past(mine.now)) searcher_look(frame, event, value, line, mine.now);
}

// BdbQuit; NULL = nobody has imported it.
static Type *quit_type(void)
{
    ValueRef module = dict_peek_ascii(import_modules(), "_session");
    if (!module || !module_check(module)) return NULL;
    ValueRef type = dict_peek_ascii(as_module(module)->dict, "BdbQuit");
    return type && exception_type_check(type) ? as_type(type) : NULL;
}

// The exception with which pdb, too, leaves a program: its `finally` blocks and exit functions run.
static bool raise_quit(void)
{
    int depth = recursion_depth;
    recursion_depth = 0;                      // a program that stands at the limit is left as well
    Value module = import_module("_session"); // in C: it needs no path
    Type *type = module ? quit_type() : NULL;
    Value exception = type ? exception_new(type, NULL, 0) : VALUE_ERROR;
    recursion_depth = depth;
    if (exception) (void)raise_value(exception);
    if (module && !type) raise_error(SystemError, "the module _session has no BdbQuit");
    drop(exception);
    drop(module);
    return false;
}

static bool look(Frame *frame, FrameEvent event, ValueRef value, bool line)
{
    (void)is_asked(frame, event, value, line);
    bool stops = mine.has_started ? step_stops(frame, event, value, line, mine.now)
                                  : starts_here(frame, line);
    if (mine.has_started && stops_for_breakpoint(frame, event, value, line)) stops = true;
    if (!stops) return true;
    stop(frame, value, step_reason(event, line));
    if (mine.has_left) return raise_quit();
    bool leaves = event == EVENT_RETURN || event == EVENT_UNWIND;
    skip_from(leaves ? frame->previous : frame);
    choose_pace();
    return true;
}

// Looks at the watches before a statement runs, so that a change of the instruction before is not
// taken for one of the statement.
static void look_before_statement(const Frame *frame, FrameEvent event)
{
    if (mine.skipped) return;
    if (!mine.is_searcher && mine.has_started && session->command.kind != STEP_TO)
        (void)watches_changed(frame, event, 0, session->stop.watches);
    if (mine.is_searcher && (mine.now.tick >= session->search.from || searcher_is_past(mine.now)))
        searcher_look_before_statement(frame, event, mine.now);
}

static void take_snapshot(Frame *frame)
{
    Task task;
    journal_detach();
    if (snapshot_if_due(mine.now.tick, &task)) arrive_from_snapshot(frame, task);
    journal_attach();
}

static bool observe(Frame *frame, FrameEvent event, ValueRef value)
{
    set_now(frame, event);
    if (event == EVENT_OPCODE && mine.now.tick >= snapshot_next()) take_snapshot(frame);
    if (statement_is_due()) look_before_statement(frame, event);
    apply_due_statements(frame);
    bool line = event == EVENT_OPCODE && line_event(frame, LINES_OF_DEBUGGER);
    if (mine.is_searcher)
        look_as_searcher(frame, event, value, line);
    else if (!mine.skipped && !look(frame, event, value, line))
        return false;
    // The caller is tested first: walking the whole stack at every call would be slow if it is
    // deep.
    if (event == EVENT_CALL && !mine.skipped && frame->previous && looks_in(frame->previous)) {
        skip_from(frame);
        if (mine.skipped) choose_pace();
    }
    if (mine.now.tick >= mine.alarm_tick) choose_pace();
    return true;
}

// ---- events of the guarded cache

static void on_cache_event(const char *name, const Frame *frame)
{
    Breakpoint *breakpoint = breakpoint_on_event(name, !mine.is_searcher);
    if (!breakpoint) return;
    char text[SESSION_TEXT], code[SESSION_TEXT / 2];
    show_name(code, sizeof code, as_code(frame->code)->name);
    snprintf(text, sizeof text, "%s: %s", name, code);
    if (mine.is_searcher)
        searcher_note_event(breakpoint->number, text, mine.now);
    else {
        session->stop.breakpoint = breakpoint->number;
        note(text);
    }
}

static const char *event_name(CacheDecision decision, const CacheEntry *entry)
{
    switch (decision) {
    case CACHE_ASKS: return "callback";
    case CACHE_GUARD_FAILED: return "guard_failed";
    case CACHE_COMPILED: return "entry_added";
    case CACHE_HIT: return "hit";
    case CACHE_FAILED: return entry ? "guard_raised" : "callback_raised";
    default: return NULL;
    }
}

static void on_cache_decision(int decision, Frame *frame, const ExtraState *extra,
                              const CacheEntry *entry)
{
    if (mine.next_observer) mine.next_observer(decision, frame, extra, entry);
    const char *name = event_name(decision, entry);
    if (name && session->command.kind != STEP_TO) on_cache_event(name, frame);
}

// ---- interrupts and breakpoint()

// From here on every event is seen.
static void look_closely(void)
{
    mine.skipped = NULL;
    mine.alarm_tick = INT64_MAX;
    set_observed(true);
}

// The next line stops.
static void ask_to_stop(void)
{
    session->command = (StepCommand){.kind = STEP_INTO};
    step_begin(&session->command, &session->stop, NULL);
    look_closely();
}

// The upcall signal_check: Ctrl-C stops the program here, instead of raising KeyboardInterrupt.
// Signals that the program has sent itself are handled.
static bool on_interrupt(void)
{
    if (!outside_take_interrupt()) return signals_run();
    outside_forget_signal(SIGINT);
    if (!mine.is_searcher) {
        note("\nProgram interrupted. (Use 'cont' to resume).");
        ask_to_stop();
    }
    return signals_run();
}

static bool cannot_debug(const char *why)
{
    fprintf(stderr, "minivm: cannot debug: %s\n", why);
    return false;
}

// Where there are none, the program goes on after breakpoint().
static bool has_processes(void)
{
    const char *lack = outside_lacks(FEATURE_PROCESSES);
    return !lack || cannot_debug(lack);
}

static bool unbuffer_output(void)
{
    ValueRef stream = sys_get("stdout");
    if (!stream || stream == NONE) return true;
    Value held = retain(stream);
    bool done = stream_unbuffer(held);
    drop(held);
    return done;
}

// After `q` a program may come to another breakpoint(), as it does in CPython.
static bool reopen(void)
{
    session_renew();
    mine.has_left = mine.has_started = mine.break_asked = false;
    mine.statements_done = 0;
    mine.now = (Moment){-1, AT_INSTRUCTION};
    return true;
}

static bool begin_here(void)
{
    mine.begun_by_program = true;
    if (!unbuffer_output()) return false;
    bool open = session ? reopen() : debugger_open();
    return (open && debugger_begin()) || raise_error(RuntimeError, "cannot debug");
}

// The program's call needs a session, and there is none yet or the user has left it.
static bool is_open(void)
{
    return session && !mine.has_left;
}

// Only the main line itself stops for the program's calls.
static bool goes_by(void)
{
    return mine.is_aside || is_visitor || mine.is_searcher || session->command.kind == STEP_TO;
}

bool debugger_records_all(void)
{
    return !mine.begun_by_program;
}

bool debugger_break(const char *header)
{
    if (!has_processes()) return true;
    if (!is_open() && !begin_here()) return false;
    bool is_searched = !mine.is_searcher || session->search.command.kind == STEP_BACK_CONTINUE;
    if (mine.is_aside || is_visitor || !is_searched) return true;
    mine.break_asked = true; // for `rc`, whatever the process is doing
    snprintf(mine.break_header, sizeof mine.break_header, "%s", header);
    if (mine.is_searcher || session->command.kind == STEP_TO) {
        look_closely();
        return true;
    }
    note(header);
    mine.has_started = true;
    ask_to_stop();
    return true;
}

bool debugger_enter(void)
{
    if (!has_processes()) return true;
    if (!is_open() && !begin_here()) return false;
    if (goes_by()) return true;
    mine.stops_anywhere = true;
    mine.has_started = false;
    ask_to_stop();
    return true;
}

void debugger_leave(void)
{
    if (!is_open() || goes_by()) return;
    mine.stops_anywhere = false;
    mine.has_started = true;
    session->command = (StepCommand){.kind = STEP_CONTINUE};
    step_begin(&session->command, &session->stop, NULL);
}

bool debugger_post_mortem(ValueRef traceback)
{
    if (!has_processes()) return true;
    if (!is_open() && !begin_here()) return false;
    if (goes_by()) return true;
    mine.has_started = true;
    mine.now = (Moment){ticks_now(thread_state.frame) + 1, tick_counter.events};
    stop(NULL, traceback, STOP_TRACEBACK);
    if (mine.has_left) return true; // as in pdb, which raises nothing here
    set_observed(true);
    choose_pace();
    return true;
}

// ---- begin and end

bool debugger_open(void)
{
    return has_processes() && (session_open() || cannot_debug(strerror(errno)));
}

bool debugger_begin(void)
{
    if (!journal_start(JOURNAL_BYTES)) return cannot_debug(strerror(errno));
    visitor_signals = upcalls.signal_check;
    upcalls.signal_check = on_interrupt;
    mine.next_observer = upcalls.observe_cache;
    upcalls.observe_cache = on_cache_decision;
    session->command = (StepCommand){.kind = STEP_INTO};
    step_begin(&session->command, &session->stop, NULL);
    mine.alarm_tick = INT64_MAX;
    ticks_start();
    set_observed(true);
    journal_attach();
    return true;
}

// From here on the program runs as it would without a debugger.
static void leave(void)
{
    mine.has_left = true;
    mine.skipped = NULL;
    set_observed(false);
    ticks_stop();
    cells_unfollow();
    snapshots_end();
    upcalls.signal_check = visitor_signals;
    upcalls.observe_cache = mine.next_observer;
}

bool debugger_take_quit(void)
{
    Type *type = error_pending() ? quit_type() : NULL;
    if (!type || !error_is(type)) return false;
    error_clear();
    return true;
}

bool debugger_was_left(void)
{
    return mine.has_left && !mine.begun_by_program && debugger_take_quit();
}

void debugger_keep_source(const char *text, size_t size)
{
    if (!session) return;
    replace_slot(&debugger_source, bytes_new(text, size));
    if (!debugger_source) error_clear();
}

void debugger_uncaught(ValueRef exception)
{
    if (is_open() && mine.has_started) replace_slot(&mine.uncaught, retain(exception));
}

static bool has_exited(void)
{
    return mine.uncaught && type_is_subtype(type_of(mine.uncaught), SystemExit);
}

static void stop_at_end(int status)
{
    set_observed(false);
    ticks_set_alarm(INT64_MAX, NULL);
    session->status = status;
    mine.now = (Moment){ticks_now(NULL), AT_INSTRUCTION};
    if (mine.is_searcher) searcher_end();
    if (status && (!mine.uncaught || has_exited()))
        snprintf(session->stop.note, sizeof session->stop.note,
                 "The program exited via sys.exit(). Exit status: %d", status);
    if (!mine.has_started) return;
    StopReason reason = mine.uncaught && !has_exited() ? STOP_POST_MORTEM : STOP_END;
    if (reason == STOP_POST_MORTEM) stop_at_raise();
    if (!mine.begun_by_program) stop(NULL, mine.uncaught, reason);
}

void debugger_end(int status)
{
    if (!mine.has_left) stop_at_end(status);
    drop_slot(&mine.uncaught);
    drop_slot(&debugger_source);
}
