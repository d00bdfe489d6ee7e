// The upcalls: functions of higher folders that a lower folder calls. vm_init() sets most of them;
// the journal, the traces and the debugger set the others while they are active. An upcall that is
// not set is NULL (in unit tests all are), and its caller does without it.
#pragma once

#include "objects/gc.h"
#include "objects/object.h"

struct CacheEntry;
struct Code;
struct ExtraState;
struct Frame;
struct Recorder;

// What `_sockets` does for the descriptor of a socket in memory. A read or a write that fails
// (-1), and what answers false, leaves an exception pending.
typedef struct SocketCalls {
    bool (*has)(int descriptor);
    ssize_t (*read)(int descriptor, void *bytes, size_t size);
    ssize_t (*write)(int descriptor, const void *bytes, size_t size);
    bool (*forget)(int descriptor); // it is closed
    bool (*share)(int descriptor, int other);
} SocketCalls;

// Is called with every decision of the guarded cache; `decision` is a CacheDecision (cache.h).
typedef void (*CacheObserver)(int decision, struct Frame *frame, const struct ExtraState *extra,
                              const struct CacheEntry *entry);

typedef struct Upcalls {
    // warnings.warn(message, category) as from the current frame. False where the warning became an
    // error.
    bool (*warn)(Type *category, const char *message, int stack_level);
    // warnings.warn_explicit(): for the compiler.
    bool (*warn_explicit)(Type *category, const char *message, ValueRef filename, int line);
    // The RuntimeWarning for a coroutine that is freed and was never awaited; if NULL, warn() is
    // called.
    bool (*warn_unawaited)(ValueRef coroutine);
    // See program_line().
    Value (*program_line)(ValueRef filename, int line);
    // A line of a source file without its newline, for a traceback: an owned str, or ABSENT.
    Value (*source_line)(ValueRef filename, int line);
    // The module with this dotted name, imported if it is not loaded yet: owned.
    Value (*import)(const char *name);
    // globals() of the running frame: borrowed, VALUE_ERROR = no frame runs.
    ValueRef (*current_globals)(void);
    // The dict of the module builtins: borrowed.
    ValueRef (*builtins)(void);
    // Makes code ready to run, once: verifies it if it does not come from the compiler, and
    // quickens it. False with an exception pending.
    bool (*make_runnable)(struct Code *code);
    // Initialises the object of super() without arguments from the running frame.
    bool (*bind_super)(ValueRef super);
    // Free and traverse what higher folders attached to a code object: its quickened copy and
    // co_extra.
    void (*release_quickened)(struct Code *code);
    void (*release_extra)(struct Code *code);
    void (*traverse_extra)(struct Code *code, VisitFn visit, void *arg);
    // Calls sys.unraisablehook, or its default.
    void (*report_unraisable)(ValueRef exception, ValueRef where, const char *message);
    // Runs the handlers of the signals that have arrived (Ctrl-C). See poll_signals().
    bool (*signal_check)(void); // false with KeyboardInterrupt (or what the handler raised) pending
    // The name of a generator, a coroutine or a frame: a str, borrowed; VALUE_ERROR = the value is
    // none of these.
    ValueRef (*name_of)(ValueRef value);
    // frame.f_lineno = line; `waits`: the frame is that of a generator suspended at a `yield`.
    // False with an exception pending.
    bool (*jump)(struct Frame *frame, int line, bool waits);
    // The type of tracebacks (frames/): what __traceback__ may be set to.
    Type *traceback_type;

    // While there are several threads (eval_breaker.strands): lets the next one run, if the turn
    // of this one is over. False with an exception pending.
    bool (*take_turns)(void);
    // While there are several threads: lets the others run until a read from the descriptor would
    // not wait, or until `*owner` is not another thread's; or nobody else can go on. False with an
    // exception pending.
    bool (*await_input)(int descriptor);
    bool (*await_owner)(const int64_t *owner);
    int64_t (*thread_ident)(void); // never 0; NULL until `_strands` is imported, as are these all
    // What sys._current_frames() returns: a dict. NULL until `_strands` is imported.
    Value (*thread_frames)(void);

    // NULL until `_socket` is imported.
    const SocketCalls *sockets;

    // ---- for observers; NULL = there is none

    // Is called when a collection begins, for each `object` that it finds unreachable (else NULL),
    // and when it ends with the number of these in `found` (else 0).
    void (*observe_gc)(GcEvent event, int generation, const Object *object, ssize_t found);
    // Is called with every decision of the guarded cache, and with each step towards one.
    CacheObserver observe_cache;
    // Is called with a line, a str, about what the compiler does that a callback of the cache is.
    void (*observe_compiler)(ValueRef line);
    // Says which part of a guard written in Python fails for these variables: an owned str, or
    // ABSENT if it is not known. Called after a guard failed and if observe_cache is set.
    Value (*explain_guard)(ValueRef guard, ValueRef code, ValueRef locals);
    // Is called with the bytes that a file object of the script has written.
    void (*observe_output)(int descriptor, const void *bytes, size_t size);
    // Set while sys.settrace wants to see each StopIteration. Then a __next__ written in script
    // also leaves a StopIteration without a value pending, which is otherwise returned as ABSENT
    // only.
    bool observe_stop_iteration;
    // Reports the StopIteration that is pending in the frame to sys.settrace.
    void (*trace_stop_iteration)(struct Frame *frame);
    // Makes an instance of a TYPE_STAND_IN type one of its class, which is loaded for that.
    bool (*load_class)(ValueRef instance);
    // Records the answers of the outside world, and replays them (outside.h).
    const struct Recorder *recorder;
} Upcalls;

extern Upcalls upcalls;

// What the loop looks at where it may be interrupted, at a call and at a jump back: one word, in
// which each byte has an owner. (CPython: the eval breaker.)
typedef union EvalBreaker {
    struct {
        bool gc;      // an allocation has requested a collection: gc_poll()
        bool signal;  // set by the signal handler
        bool strands; // there is more than one thread: they take turns
        bool none;
    };
    uint32_t any;
} EvalBreaker;
extern volatile EvalBreaker eval_breaker;

// To be called in long loops in C: false with an exception pending.
static inline bool poll_signals(void)
{
    return !eval_breaker.signal || !upcalls.signal_check || upcalls.signal_check();
}
// A line (counted from 1) of a source file, as a SyntaxError quotes it, with its newline: an owned
// str. ABSENT if the file cannot be read, is not UTF-8, or ends before that line. (CPython:
// PyErr_ProgramTextObject().)
Value program_line(ValueRef filename, int line);
// Raises a warning through the upcall; does nothing if it is not set. False with an exception
// pending.
bool warn(Type *category, int stack_level, const char *format, ...);
