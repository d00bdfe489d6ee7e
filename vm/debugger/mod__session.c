// The module `_session`: the interface between the debugger's commands (vm/lib/debugger) and the
// main line (session.h).
//
//     stop() frame() value()                  where the program stands, and why
//     first_commands()                        the commands to run at the first stop
//     channel()                               who asks instead of a user at a terminal, and where
//     source()                                the program's text, if it is in no file
//     heed_interrupts()                       from now on somebody catches a KeyboardInterrupt
//     printed()                               how much the program has printed up to this moment
//     records_all()                           was the run recorded from its first line on?
//     step_command(kind, ...)                 what the main line does when the prompt has ended
//     statement(text, depth) jump(line, depth)     they become a part of the run
//     set_breakpoints(list) hits()            the main line's copy of the breakpoints
//     watch(number, root, steps) unwatch(number) watches()
//     load() save(bytes)                      the prompt's own state, kept between two stops
//     set_trace(header)                       breakpoint(), for the program
//     call(function, args, kwargs) post_mortem(traceback)     for pdb.run() and its like
//     BdbQuit                                 what `q` raises, for the module bdb
//
// All but the last two lines are for the prompt's process, and raise RuntimeError if there is no
// session.
#include "frames/traceback.h"
#include "vm/debugger/condition.h"
#include "vm/debugger/debugger.h"
#include "vm/debugger/journal.h"
#include "vm/debugger/pdb_line.h"
#include "vm/debugger/searcher.h"
#include "vm/debugger/visitor.h"
#include "vm/debugger/watch.h"
#include "vm/import/import.h"
#include "vm/sys/sys.h"

#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdio.h>
#include <string.h>

#define MAX_TICK (INT64_MAX / 4)

static bool session_required(void)
{
    return session || raise_error(RuntimeError, "no debugger runs");
}

// ---- arguments

// Copies a text into a field of the Session, if it fits; None is "".
static bool copy_text(char *field, size_t size, ValueRef value, const char *what)
{
    field[0] = 0;
    if (value == NONE) return true;
    if (!str_check(value)) return raise_error(TypeError, "%s must be str, not %.200T", what, value);
    size_t length;
    const char *text = str_utf8(value, &length);
    if (!text) return false;
    if (length >= size || strlen(text) != length)
        return raise_error(ValueError, "%s is too long", what);
    memcpy(field, text, length + 1);
    return true;
}

static bool as_number(ValueRef value, int64_t *number)
{
    if (!int_check(value)) return raise_error(TypeError, "expected an int, not %.200T", value);
    return int_as_int64(value, number);
}

static bool as_small_number(ValueRef value, int *number)
{
    int64_t wide;
    if (!as_number(value, &wide)) return false;
    if (wide < 0 || wide > INT32_MAX) return raise_error(ValueError, "out of range");
    *number = (int)wide;
    return true;
}

static bool as_frame(ValueRef value, Frame **frame)
{
    *frame = NULL;
    if (value == NONE) return true;
    if (!is_exactly(value, &frame_type))
        return raise_error(TypeError, "expected a frame, not %.200T", value);
    *frame = as_frame_object(value)->frame;
    return true;
}

// ---- where the program stands

static const char *const reasons[] = {
    [STOP_LINE] = "line",
    [STOP_CALL] = "call",
    [STOP_RETURN] = "return",
    [STOP_EXCEPTION] = "exception",
    [STOP_INSTRUCTION] = "instruction",
    [STOP_END] = "end",
    [STOP_POST_MORTEM] = "postmortem",
    [STOP_TRACEBACK] = "traceback",
};

static Value session_stop(FUNCTION_ARGS)
{
    if (!session_required()) return VALUE_ERROR;
    const Stop *stop = &session->stop;
    Value items[] = {str_new(reasons[stop->reason]),
                     int_new(stop->moment.tick),
                     int_new(session->frontier.tick),
                     from_small(stop->breakpoint),
                     str_from_utf8(stop->watches, strlen(stop->watches)),
                     str_from_utf8(stop->note, strlen(stop->note)),
                     from_bool(stop->again)};
    return tuple_from_owned(items, sizeof items / sizeof *items);
}

// The frame in which an uncaught exception was raised. It has ended.
static Value innermost_frame(ValueRef exception)
{
    ValueRef traceback = as_exception(exception)->traceback;
    if (!traceback) return NONE;
    while (as_traceback(traceback)->next) traceback = as_traceback(traceback)->next;
    return retain(as_traceback(traceback)->frame);
}

static Value session_frame(FUNCTION_ARGS)
{
    if (!session_required()) return VALUE_ERROR;
    if (session->stop.reason == STOP_POST_MORTEM) return innermost_frame(debugger_stopped.value);
    if (!debugger_stopped.frame) return NONE;
    ValueRef object = frame_object(debugger_stopped.frame);
    if (!object) return VALUE_ERROR;
    // A trace function of the program has not been told of this line yet.
    as_frame_object(object)->line = frame_line(debugger_stopped.frame);
    return retain(object);
}

static Value session_value(FUNCTION_ARGS)
{
    return debugger_stopped.value ? retain(debugger_stopped.value) : NONE;
}

static Value session_records_all(FUNCTION_ARGS)
{
    return from_bool(debugger_records_all());
}

static Value session_printed(FUNCTION_ARGS)
{
    return int_new(journal_printed());
}

static Value session_heed_interrupts(FUNCTION_ARGS)
{
    visitor_heed_interrupts(true);
    return NONE;
}

static Value session_source(FUNCTION_ARGS)
{
    return debugger_source ? retain(debugger_source) : NONE;
}

static Value session_first_commands(FUNCTION_ARGS)
{
    Value list = list_new(0);
    for (const char *const *at = debugger_first_commands; list && at && *at; at++)
        if (!list_append_owned(list, text_decode(*at, strlen(*at), "utf-8", "surrogateescape")))
            drop_slot(&list);
    return list;
}

static Value session_channel(FUNCTION_ARGS)
{
    if (debugger_channel[0] < 0) return NONE;
    Value items[] = {str_new(debugger_face), from_small(debugger_channel[0]),
                     from_small(debugger_channel[1])};
    return tuple_from_owned(items, 3);
}

// ---- step commands

static const struct {
    const char *name;
    StepKind kind;
} step_commands[] = {{"step", STEP_INTO},
                     {"next", STEP_NEXT},
                     {"return", STEP_RETURN},
                     {"until", STEP_UNTIL},
                     {"continue", STEP_CONTINUE},
                     {"si", STEP_INSTRUCTION},
                     {"ni", STEP_NEXT_INSTRUCTION},
                     {"so", STEP_EXPRESSION},
                     {"goto", STEP_TO},
                     {"rs", STEP_BACK_STEP},
                     {"rn", STEP_BACK_NEXT},
                     {"rr", STEP_BACK_RETURN},
                     {"rc", STEP_BACK_CONTINUE},
                     {"rsi", STEP_BACK_INSTRUCTION},
                     {"rni", STEP_BACK_NEXT_INSTRUCTION},
                     {"who", STEP_BACK_WRITE},
                     {"undo", STEP_UNDO},
                     {"state", STEP_NOWHERE},
                     {"quit", STEP_QUIT}};

static bool step_kind(ValueRef name, StepKind *kind)
{
    for (size_t i = 0; str_check(name) && i < sizeof step_commands / sizeof *step_commands; i++) {
        if (!str_equal_ascii(name, step_commands[i].name)) continue;
        *kind = step_commands[i].kind;
        return true;
    }
    return raise_error(ValueError, "no such step command: %R", name);
}

static bool has_ended(ValueRef frame)
{
    return as_frame_object(frame)->frame == &as_frame_object(frame)->kept;
}

static Value caller_of(ValueRef frame)
{
    Value name = str_intern("f_back");
    Value back = name ? object_get(frame, name) : VALUE_ERROR;
    drop(name);
    return back;
}

// Sets the chain of frames in which a backward step command looks: a frame and its callers. The
// callers of a frame that has ended may have run on since, so that frame stands alone; but
// STEP_BACK_RETURN looks for its call, which is in a caller.
static bool set_chain(ValueRef object, Frame *frame, StepKind kind)
{
    HistorySearch *search = &session->search;
    search->chain_length = 0;
    if (object == NONE && frame) object = frame_object(frame);
    bool alone = object && object != NONE && has_ended(object) && kind != STEP_BACK_RETURN;
    Value next = object ? retain(object) : VALUE_ERROR;
    while (next && next != NONE && search->chain_length < (alone ? 1 : MAX_CHAIN)) {
        search->chain[search->chain_length++] = as_frame_object(next)->frame->number;
        Value back = caller_of(next);
        drop(next);
        next = back;
    }
    drop(next);
    return next != VALUE_ERROR;
}

static Value session_step_command(FUNCTION_ARGS)
{
    static const char *const names[] = {"kind", "frame", "line", "tick", NULL};
    static const Signature signature = {"step_command", names, 1, 4};
    ValueRef slots[4];
    StepCommand command = {.moment = {0, AT_INSTRUCTION}};
    if (!session_required() || !args_bind(&signature, args, nargs, kwnames, slots) ||
        !step_kind(slots[0], &command.kind))
        return VALUE_ERROR;
    if (slots[1] && !as_frame(slots[1], &command.frame)) return VALUE_ERROR;
    if (slots[2] && !as_small_number(slots[2], &command.line)) return VALUE_ERROR;
    if (slots[3] && !as_number(slots[3], &command.moment.tick)) return VALUE_ERROR;
    if (command.moment.tick < 0 || command.moment.tick > MAX_TICK)
        return raise_error(ValueError, "no such tick");
    if (!command.frame) command.frame = debugger_stopped.frame;
    if (!set_chain(slots[1] ? slots[1] : NONE, command.frame, command.kind)) return VALUE_ERROR;
    session->command = command;
    session->has_command = true;
    return NONE;
}

// ---- a part of the run

static Value session_statement(FUNCTION_ARGS)
{
    int depth;
    const char *text = str_check(args[0]) ? str_utf8(args[0], NULL) : NULL;
    if (!session_required() || !as_small_number(args[1], &depth)) return VALUE_ERROR;
    if (!text) return error_pending() ? VALUE_ERROR : raise_error(TypeError, "expected a str");
    return debugger_run_statement(depth, 0, text) ? NONE : VALUE_ERROR;
}

static Value session_jump(FUNCTION_ARGS)
{
    int line, depth;
    if (!session_required() || !as_small_number(args[0], &line) ||
        !as_small_number(args[1], &depth))
        return VALUE_ERROR;
    return debugger_run_statement(depth, line, "") ? NONE : VALUE_ERROR;
}

// ---- breakpoints

static int first_line_of(const Breakpoint *old, int count, const Breakpoint *same)
{
    for (int i = 0; i < count; i++)
        if (old[i].number == same->number && strcmp(old[i].function, same->function) == 0)
            return old[i].first_line;
    return 0;
}

// (number, file, line, temporary, enabled, function, condition, ignore, hits, offset or None)
static bool read_breakpoint(ValueRef row, Breakpoint *breakpoint)
{
    if (!tuple_check(row) || tuple_size(row) != 10)
        return raise_error(TypeError, "a breakpoint is a tuple of 10");
    breakpoint->temporary = tuple_at(row, 3) == TRUE;
    breakpoint->enabled = tuple_at(row, 4) == TRUE;
    breakpoint->first_line = 0;
    breakpoint->offset = -1;
    bool done =
        as_small_number(tuple_at(row, 0), &breakpoint->number) &&
        copy_text(breakpoint->file, SESSION_TEXT, tuple_at(row, 1), "the file's name") &&
        as_small_number(tuple_at(row, 2), &breakpoint->line) &&
        copy_text(breakpoint->function, SESSION_TEXT, tuple_at(row, 5), "the function's name") &&
        copy_text(breakpoint->condition, SESSION_TEXT, tuple_at(row, 6), "the condition") &&
        as_number(tuple_at(row, 7), &breakpoint->ignore) &&
        as_number(tuple_at(row, 8), &breakpoint->hits) &&
        (tuple_at(row, 9) == NONE || as_small_number(tuple_at(row, 9), &breakpoint->offset));
    if (done) condition_keep(&breakpoint->program, breakpoint->condition);
    return done;
}

static Value session_set_breakpoints(FUNCTION_ARGS)
{
    static Breakpoint read[MAX_BREAKPOINTS];
    ValueRef rows = args[0];
    if (!session_required()) return VALUE_ERROR;
    if (!list_check(rows)) return raise_error(TypeError, "expected a list");
    if (list_size(rows) > MAX_BREAKPOINTS) return raise_error(ValueError, "too many breakpoints");
    int count = (int)list_size(rows);
    for (int i = 0; i < count; i++) {
        if (!read_breakpoint(list_at(rows, i), &read[i])) return VALUE_ERROR;
        read[i].first_line =
            first_line_of(session->breakpoints, session->breakpoint_count, &read[i]);
    }
    memcpy(session->breakpoints, read, (size_t)count * sizeof *read);
    session->breakpoint_count = count;
    return NONE;
}

static Value session_hits(FUNCTION_ARGS)
{
    Value dict = session_required() ? dict_new() : VALUE_ERROR;
    for (int i = 0; dict && i < session->breakpoint_count; i++) {
        const Breakpoint *breakpoint = &session->breakpoints[i];
        Value items[] = {int_new(breakpoint->hits), int_new(breakpoint->ignore)};
        Value pair = tuple_from_owned(items, 2);
        if (!dict_set_owned(dict, from_small(breakpoint->number), pair)) drop_slot(&dict);
    }
    return dict;
}

// ---- watches

// A name that watches look up in a dict. It must be ASCII: then the lookup needs no str.
static bool copy_name(char *field, size_t size, ValueRef value)
{
    if (!copy_text(field, size, value, "the name")) return false;
    for (const char *at = field; *at; at++)
        if (*at & 0x80) return raise_error(ValueError, "only names in ASCII can be followed");
    return true;
}

// ('attr', name) or ('item', str or int)
static bool read_step(ValueRef row, WatchStep *step)
{
    if (!tuple_check(row) || tuple_size(row) != 2 || !str_check(tuple_at(row, 0)))
        return raise_error(TypeError, "a step is a tuple of 2");
    ValueRef what = tuple_at(row, 1);
    bool attribute = str_equal_ascii(tuple_at(row, 0), "attr");
    step->kind = attribute ? PATH_ATTRIBUTE : str_check(what) ? PATH_KEY : PATH_INDEX;
    if (step->kind == PATH_INDEX) return as_number(what, &step->index);
    return copy_name(step->name, sizeof step->name, what);
}

// The number of the call that a cell was made for: usually one of this frame's callers.
static bool find_birth(ValueRef frame, Watch *watch)
{
    Value next = retain(frame);
    bool found = false;
    while (next && next != NONE && !found) {
        const Frame *one = as_frame_object(next)->frame;
        found = frame_owns_cell(one, watch->cell);
        watch->born = one->number;
        Value back = caller_of(next);
        drop(next);
        next = back;
    }
    drop(next);
    if (found || (next && search_birth(watch->cell, &watch->born))) return true;
    return next && raise_error(ValueError, "it is not known which call its cell belongs to");
}

// A variable of a call, or its cell if it has one.
static bool read_local(ValueRef object, ValueRef index, Watch *watch)
{
    Frame *frame;
    if (!as_frame(object, &frame) || !as_small_number(index, &watch->slot)) return false;
    const QuickCode *quick = frame ? quick_of(as_code(frame->code)) : NULL;
    if (!quick || (uint32_t)watch->slot >= quick->slots)
        return raise_error(IndexError, "the frame has no such slot");
    watch->born = frame->number;
    if ((uint32_t)watch->slot < quick->slots - quick->cells_and_frees) return true;
    watch->root = WATCH_CELL;
    watch->cell = frame->localsplus[watch->slot];
    watch->died = (Moment){INT64_MAX, INT64_MAX};
    if (!watch->cell) return raise_error(ValueError, "its cell is gone");
    return find_birth(object, watch);
}

// In the program's sys.modules, not in the prompt's.
static ValueRef program_module(const char *name)
{
    bool apart = import_isolate(false);
    ValueRef module = apart ? dict_peek_ascii(import_modules(), name) : VALUE_ERROR;
    apart = import_isolate(true) && apart;
    return module && apart && module_check(module) ? module : VALUE_ERROR;
}

// A global of a module. If the frame's globals belong to no module, the call's own view of them.
static bool read_global(ValueRef object, ValueRef module_name, Watch *watch)
{
    Frame *frame;
    if (!as_frame(object, &frame)) return false;
    watch->root = WATCH_GLOBAL;
    ValueRef module = VALUE_ERROR;
    if (str_check(module_name)) {
        if (!copy_name(watch->module, sizeof watch->module, module_name)) return false;
        module = program_module(watch->module);
    }
    if (module) watch->globals = as_module(module)->dict;
    if (module && (!frame || watch->globals == frame->globals)) return true;
    if (!frame) return raise_error(ValueError, "there is no such module");
    watch->root = WATCH_NAME;
    watch->in_globals = true;
    watch->born = frame->number;
    return true;
}

// ('local', frame, index), ('name', frame, name): in its f_locals, or
// ('global', frame or None, name, module)
static bool read_root(ValueRef row, Watch *watch)
{
    ValueRef kind = tuple_check(row) && tuple_size(row) > 2 ? tuple_at(row, 0) : NONE;
    if (!str_check(kind)) return raise_error(TypeError, "a root is a tuple of 3 or 4");
    ValueRef object = tuple_at(row, 1), what = tuple_at(row, 2);
    watch->root = WATCH_SLOT;
    if (str_equal_ascii(kind, "local")) return read_local(object, what, watch);
    if (!copy_name(watch->name, sizeof watch->name, what)) return false;
    if (str_equal_ascii(kind, "global"))
        return read_global(object, tuple_size(row) > 3 ? tuple_at(row, 3) : NONE, watch);
    Frame *frame;
    if (!as_frame(object, &frame)) return false;
    if (!frame) return raise_error(TypeError, "expected a frame");
    watch->root = WATCH_NAME;
    watch->born = frame->number;
    return true;
}

static Value session_watch(FUNCTION_ARGS)
{
    Watch watch = {.number = 0};
    if (!session_required() || !as_small_number(args[0], &watch.number) ||
        !read_root(args[1], &watch))
        return VALUE_ERROR;
    if (session->watch_count == MAX_WATCHES) return raise_error(ValueError, "too many watches");
    ValueRef steps = args[2];
    if (!list_check(steps) || list_size(steps) > MAX_WATCH_STEPS)
        return raise_error(ValueError, "too many steps");
    watch.step_count = (int)list_size(steps);
    for (int i = 0; i < watch.step_count; i++)
        if (!read_step(list_at(steps, i), &watch.steps[i])) return VALUE_ERROR;
    session->watches[session->watch_count++] = watch;
    return NONE;
}

static Value session_unwatch(FUNCTION_ARGS)
{
    int number, kept = 0;
    if (!session_required() || !as_small_number(args[0], &number)) return VALUE_ERROR;
    for (int i = 0; i < session->watch_count; i++)
        if (session->watches[i].number != number) session->watches[kept++] = session->watches[i];
    session->watch_count = kept;
    return NONE;
}

static Value session_watches(FUNCTION_ARGS)
{
    Value list = session_required() ? list_new(0) : VALUE_ERROR;
    for (int i = 0; list && i < session->watch_count; i++)
        if (!list_append_owned(list, from_small(session->watches[i].number))) drop_slot(&list);
    return list;
}

// ---- the prompt's own state

static Value session_load(FUNCTION_ARGS)
{
    return session_required() ? bytes_new(session->state, session->state_size) : VALUE_ERROR;
}

static Value session_save(FUNCTION_ARGS)
{
    if (!session_required()) return VALUE_ERROR;
    if (!bytes_check(args[0])) return raise_error(TypeError, "expected bytes");
    const Bytes *bytes = as_bytes(args[0]);
    if ((size_t)bytes->size > SESSION_STATE_BYTES) return raise_error(ValueError, "too much");
    memcpy(session->state, bytes->data, (size_t)bytes->size);
    session->state_size = (size_t)bytes->size;
    return NONE;
}

static Value session_snapshots(FUNCTION_ARGS)
{
    Value list = session_required() ? list_new(0) : VALUE_ERROR;
    for (int i = 0; list && i < MAX_SNAPSHOTS; i++) {
        if (!session->snapshots[i].process) continue;
        if (!list_append_owned(list, int_new(session->snapshots[i].tick))) drop_slot(&list);
    }
    return list && list_sort(list, 0, false) ? list : VALUE_ERROR;
}

// A program that has replaced sys.stdin wants its own lines to be the commands, and one that has
// replaced sys.stdout wants to have what the debugger writes. Only a debugger in the program itself
// does so (vm/lib/_pdb.mpy). But a debugger that runs already goes on where it is.
static bool streams_are_replaced(void)
{
    if (sys_get("stdin") != sys_get("__stdin__")) return true;
    return !session && sys_get("stdout") != sys_get("__stdout__");
}

static Value set_trace_in_program(const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value module = import_module("_pdb"), name = module ? str_intern("set_trace") : VALUE_ERROR;
    Value function = name ? object_get(module, name) : VALUE_ERROR;
    Value result = function ? object_call(function, args, nargs, kwnames) : VALUE_ERROR;
    drop(function);
    drop(name);
    drop(module);
    return result;
}

static Value session_streams_are_replaced(FUNCTION_ARGS)
{
    return from_bool(streams_are_replaced());
}
static Value session_set_trace(FUNCTION_ARGS)
{
    if (streams_are_replaced()) return set_trace_in_program(args, nargs, kwnames);
    static const char *const names[] = {"header", NULL};
    static const Signature signature = {"set_trace", names, 0, 0};
    ValueRef slots[1];
    char header[SESSION_TEXT] = "";
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (slots[0] && !copy_text(header, sizeof header, slots[0], "the header")) return VALUE_ERROR;
    return debugger_break(header) ? NONE : VALUE_ERROR;
}

static Value session_call(FUNCTION_ARGS)
{
    if (!tuple_check(args[1]) || !dict_check(args[2]))
        return raise_error(TypeError, "expected a tuple and a dict");
    if (!debugger_enter()) return VALUE_ERROR;
    Value result = object_call_spread(args[0], args[1], args[2]);
    debugger_leave();
    return result || !debugger_take_quit() ? result : NONE;
}

static Value session_post_mortem(FUNCTION_ARGS)
{
    if (!is_exactly(args[0], &traceback_type))
        return raise_error(TypeError, "expected a traceback, not %.200T", args[0]);
    return debugger_post_mortem(args[0]) ? NONE : VALUE_ERROR;
}

static const MethodDef functions[] = {
    {"call", session_call, ARGS(3, 3), "call(function, args, kwargs): its first line stops."},
    {"post_mortem", session_post_mortem, ONE_ARG, "post_mortem(traceback): stops at its frames."},
    {"streams_are_replaced", session_streams_are_replaced, NO_ARGS, NULL},
    {"set_trace", session_set_trace, KEYWORD_ARGS,
     "set_trace(*, header=None): the next line stops."},
    {"stop", session_stop, NO_ARGS,
     "stop() -> (reason, tick, last tick known, breakpoint, watches, note, again)"},
    {"frame", session_frame, NO_ARGS, "The frame stopped in, or None."},
    {"value", session_value, NO_ARGS, "What is returned, the exception, or None."},
    {"first_commands", session_first_commands, NO_ARGS, "The commands of -m pdb -c."},
    {"channel", session_channel, NO_ARGS,
     "channel() -> ('dap' or 'tui', descriptor of requests, of answers); None: the terminal."},
    {"printed", session_printed, NO_ARGS, "How many bytes the program has printed up to here."},
    {"heed_interrupts", session_heed_interrupts, NO_ARGS,
     "From now on Ctrl-C raises KeyboardInterrupt in the prompt."},
    {"source", session_source, NO_ARGS,
     "The text of a program that is in no file, as bytes, or None."},
    {"records_all", session_records_all, NO_ARGS,
     "Is the whole run recorded? Not where breakpoint() has begun to."},
    {"step_command", session_step_command, KEYWORD_ARGS,
     "step_command(kind, frame=None, line=0, tick=0)"},
    {"statement", session_statement, ARGS(2, 2),
     "statement(text, depth): runs a statement in a frame."},
    {"jump", session_jump, ARGS(2, 2), "jump(line, depth)"},
    {"set_breakpoints", session_set_breakpoints, ONE_ARG,
     "[(number, file, line, temporary, enabled, function, condition, ignore, hits, offset), ...]"},
    {"hits", session_hits, NO_ARGS, "hits() -> {number: (hits, ignore)}"},
    {"watch", session_watch, ARGS(3, 3),
     "watch(number, ('local', frame, index) | ('name', frame, name) | "
     "('global', frame or None, name, module), [('attr' | 'item', x), ...])"},
    {"watches", session_watches, NO_ARGS, "The numbers of the watches there are."},
    {"unwatch", session_unwatch, ONE_ARG, "unwatch(number)"},
    {"load", session_load, NO_ARGS, "The bytes that were saved last."},
    {"save", session_save, ONE_ARG, "Keeps bytes for the next stop."},
    {"snapshots", session_snapshots, NO_ARGS, "The ticks of the snapshots there are."},
    {0},
};

static bool fill(ValueRef module)
{
    return module_add_exception(module, "bdb", "BdbQuit", Exception) &&
           module_add_owned(module, "pdb_usage", str_new(pdb_usage));
}

const ModuleDef _session_module = {
    .name = "_session",
    .doc = "The debugger's commands and the program they move.",
    .functions = functions,
    .fill = fill,
};
