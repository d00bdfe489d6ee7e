// The upcalls: what a lower folder calls in a higher one, or is told by it. vm_init() fills most of
// them; the journal, the traces and the debugger fill the rest while they are at work. One that is
// not filled is NULL, in unit tests all of them, and its caller does without.
#pragma once

#include "objects/gc.h"
#include "objects/object.h"

struct CacheEntry;
struct Code;
struct ExtraState;
struct Frame;
struct Recorder;

// Of the guarded cache; `decision` is a CacheDecision (cache.h).
typedef void (*CacheObserver)(int decision, struct Frame *frame, const struct ExtraState *extra,
                              const struct CacheEntry *entry);

typedef struct Upcalls {
    // warnings.warn(message, category) as from the current frame. False where the warning became an
    // error.
    bool (*warn)(Type *category, const char *message, int stack_level);
    // warnings.warn_explicit(): for the compiler.
    bool (*warn_explicit)(Type *category, const char *message, ValueRef filename, int line);
    // The RuntimeWarning for a coroutine that goes without ever having been awaited; NULL = by
    // warn().
    bool (*warn_unawaited)(ValueRef coroutine);
    // See program_line().
    Value (*program_line)(ValueRef filename, int line);
    // A line of a source file without its newline, for a traceback: an owned str, or ABSENT.
    Value (*source_line)(ValueRef filename, int line);
    // The module of this dotted name, imported where need be: owned.
    Value (*import)(const char *name);
    // globals() of the running frame: borrowed, 0 = none.
    ValueRef (*current_globals)(void);
    // The dict of the module builtins: borrowed.
    ValueRef (*builtins)(void);
    // Makes code ready to run, once (quickened, verified where that is due). False with an
    // exception pending.
    bool (*make_runnable)(struct Code *code);
    // Binds the object that super() without arguments makes, by the running frame.
    bool (*bind_super)(ValueRef super);
    // What hangs on a code object.
    void (*release_quickened)(struct Code *code);
    void (*release_extra)(struct Code *code);
    void (*traverse_extra)(struct Code *code, VisitFn visit, void *arg);
    // sys.unraisablehook, or what it does when nobody changed it.
    void (*report_unraisable)(ValueRef exception, ValueRef where, const char *message);
    // True where a signal is waiting (Ctrl-C): long work in C polls it and then calls
    // signal_check().
    bool (*signal_check)(void); // false with KeyboardInterrupt (or what the handler raised) pending
    // The name that a generator, a coroutine or a frame goes by: a str, borrowed; 0 = the value is
    // none of these.
    ValueRef (*name_of)(ValueRef value);
    // frame.f_lineno = line; `waits`: of a generator at a `yield`. False with an exception pending.
    bool (*jump)(struct Frame *frame, int line, bool waits);
    // The type of tracebacks (frames/): what __traceback__ may be set to.
    Type *traceback_type;

    // ---- for whoever watches; NULL = nobody does

    // Told of every step of a collection: that it begins, of each object (else NULL) that is found
    // unreachable, and at the end how many those were (else 0).
    void (*observe_gc)(GcEvent event, int generation, const Object *object, ssize_t found);
    // Told of every decision of the guarded cache and of the steps on the way to one.
    CacheObserver observe_cache;
    // Which part of a guard written in Python does not hold for these variables: an owned str,
    // ABSENT where nobody can say. Asked after a failure that somebody observes.
    Value (*explain_guard)(ValueRef guard, ValueRef code, ValueRef locals);
    // Told of what a file of the script has written.
    void (*observe_output)(int descriptor, const void *bytes, size_t size);
    // Somebody wants to see each StopIteration (sys.settrace): a __next__ in a script then leaves a
    // plain one pending as well, where otherwise ABSENT says as much.
    bool observe_stop_iteration;
    // sys.settrace is told of the StopIteration that is pending in the frame.
    void (*trace_stop_iteration)(struct Frame *frame);
    // Compiled modules of the embedded library, kept by their file names ("<minivm>/dis.mpy"): the
    // code, or ABSENT. Where there is no room, nothing is kept.
    Value (*find_compiled)(ValueRef filename);
    void (*keep_compiled)(ValueRef filename, ValueRef code);
    // Records what the outside answers, and answers again (outside.h).
    const struct Recorder *recorder;
} Upcalls;

extern Upcalls upcalls;
extern volatile bool signal_pending; // set by the signal handler

// For loops of long work in C: false with an exception pending.
static inline bool poll_signals(void)
{
    return !signal_pending || !upcalls.signal_check || upcalls.signal_check();
}
// A line (counted from 1) of the file of this name as a SyntaxError quotes it, with its newline:
// an owned str; ABSENT where the file cannot be read, or not as UTF-8, or ends before it. (CPython:
// PyErr_ProgramTextObject().)
Value program_line(ValueRef filename, int line);
// Raises a warning through the upcall: nothing happens where there is none. False with an exception
// pending.
bool warn(Type *category, int stack_level, const char *format, ...);
