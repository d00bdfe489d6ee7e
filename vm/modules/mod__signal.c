// The module _signal: signals of the system, and the handlers of a script. vm/lib/signal.mpy makes
// enumerations of its numbers.
//
// A signal that is caught is only noted when it arrives (vm/outside/processes.h). signals_run()
// calls the handlers when the loop looks next, between two instructions, or when a call of the
// system that the signal has ended is to be made again. Handlers run in the main thread.
//
//     handlers[n]   0 SIG_DFL, 1 SIG_IGN, a callable, or None: what the C library has set
#include "vm/modules/signals.h"

#include "frames/frame.h"
#include "objects/call.h"
#include "objects/classes/struct_sequence.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/import/import.h"
#include "vm/modules/posix/posix.h"
#include "vm/modules/strands.h"
#include "vm/outside/files.h"
#include "vm/outside/processes.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

static Value handlers[SIGNAL_COUNT];
static Value timer_error; // signal.ItimerError; 0 = the module has ended
static int wakeup = -1;   // the descriptor of set_wakeup_fd()

static const struct {
    const char *name;
    int number;
} constants[] = {
    {"SIG_DFL", 0},      {"SIG_IGN", 1},         {"NSIG", SIGNAL_COUNT},
#define SIGNAL(name) {#name, name}
    SIGNAL(SIGHUP),      SIGNAL(SIGINT),         SIGNAL(SIGQUIT),        SIGNAL(SIGILL),
    SIGNAL(SIGTRAP),     SIGNAL(SIGABRT),        SIGNAL(SIGIOT),         SIGNAL(SIGBUS),
    SIGNAL(SIGFPE),      SIGNAL(SIGKILL),        SIGNAL(SIGUSR1),        SIGNAL(SIGSEGV),
    SIGNAL(SIGUSR2),     SIGNAL(SIGPIPE),        SIGNAL(SIGALRM),        SIGNAL(SIGTERM),
    SIGNAL(SIGCHLD),     {"SIGCLD", SIGCHLD},    SIGNAL(SIGCONT),        SIGNAL(SIGSTOP),
    SIGNAL(SIGTSTP),     SIGNAL(SIGTTIN),        SIGNAL(SIGTTOU),        SIGNAL(SIGURG),
    SIGNAL(SIGXCPU),     SIGNAL(SIGXFSZ),        SIGNAL(SIGVTALRM),      SIGNAL(SIGPROF),
    SIGNAL(SIGWINCH),    SIGNAL(SIGIO),          {"SIGPOLL", SIGIO},     SIGNAL(SIGPWR),
    SIGNAL(SIGSYS),      SIGNAL(SIG_BLOCK),      SIGNAL(SIG_UNBLOCK),    SIGNAL(SIG_SETMASK),
    SIGNAL(ITIMER_REAL), SIGNAL(ITIMER_VIRTUAL), SIGNAL(ITIMER_PROF),
#undef SIGNAL
};

static bool signal_argument(ValueRef value, int *number)
{
    if (!posix_int(value, 0, number)) return false;
    return (*number >= 1 && *number < SIGNAL_COUNT) ||
           raise_error(ValueError, "signal number out of range");
}

// ---- handlers

static bool is_valid(int number)
{
    return number < 32 || number >= SIGRTMIN;
}

static bool action_of(ValueRef handler, SignalAction *action)
{
    bool is_default = false, is_ignore = false;
    *action = SIGNAL_CAUGHT;
    if (object_is_callable(handler)) return true;
    if (!object_equal(handler, from_small(0), &is_default) ||
        !object_equal(handler, from_small(1), &is_ignore))
        return false;
    *action = is_default ? SIGNAL_DEFAULT : SIGNAL_IGNORED;
    return is_default || is_ignore ||
           raise_error(TypeError, "signal handler must be signal.SIG_IGN, signal.SIG_DFL, or a "
                                  "callable object");
}

static Value set_handler(FUNCTION_ARGS)
{
    int number;
    SignalAction action;
    if (!strands_is_main())
        return raise_error(ValueError, "signal only works in main thread of the main interpreter");
    if (!action_of(args[1], &action) || !signal_argument(args[0], &number)) return VALUE_ERROR;
    if (!is_valid(number)) errno = EINVAL;
    if (!is_valid(number) || !outside_set_signal(number, action)) return raise_posix();
    Value before = handlers[number] ? handlers[number] : NONE;
    handlers[number] = action == SIGNAL_CAUGHT ? retain(args[1]) : from_small(action);
    return before;
}

static Value get_handler(FUNCTION_ARGS)
{
    int number;
    if (!signal_argument(args[0], &number)) return VALUE_ERROR;
    return handlers[number] ? retain(handlers[number]) : NONE; // after the end of the module: none
}

static Value raise_interrupt(FUNCTION_ARGS)
{
    return raise_error(KeyboardInterrupt, NULL);
}

static bool run_handler(int number)
{
    ValueRef handler = handlers[number];
    if (number == SIGINT && handler == VALUE_ERROR) return raise_error(KeyboardInterrupt, NULL);
    if (handler == VALUE_ERROR || !object_is_callable(handler)) return true;
    Value held = retain(handler);
    ValueRef frame = thread_state.frame ? frame_object(thread_state.frame) : NONE;
    Value result = frame ? object_call_two(held, from_small(number), frame) : VALUE_ERROR;
    drop(result);
    drop(held);
    return result;
}

// The sockets of a script are in memory, where the system writes to none: this one does (_socket).
static bool wake_socket(int number)
{
    ValueRef sockets = wakeup < 0 ? VALUE_ERROR : dict_peek_ascii(import_modules(), "_socket");
    if (!sockets) return true;
    Value name = str_intern("_wake");
    ValueRef arguments[] = {sockets, from_small(wakeup), from_small(number)};
    Value done = name ? object_call_method(name, arguments, 3, VALUE_ERROR) : VALUE_ERROR;
    drop(name);
    drop(done);
    return done;
}

// The exception of a handler goes to the main thread, which goes on with it.
bool signals_run(void)
{
    int number;
    while ((number = outside_take_signal()) != 0)
        if (!wake_socket(number) || !run_handler(number))
            return !strands_is_main() && strands_interrupt_main();
    return true;
}

static void finish(void)
{
    for (int number = 1; number < SIGNAL_COUNT; number++) drop_slot(&handlers[number]);
    drop_slot(&timer_error);
}

// ---- sending

// What has a handler here is noted at once, and so runs before the next instruction.
static Value send_to_itself(int number)
{
    int process = (int)outside_identity(IDENTITY_PROCESS);
    if (!outside_send_signal(process, number, false)) return raise_posix();
    return poll_signals() ? NONE : VALUE_ERROR;
}

static Value raise_signal(FUNCTION_ARGS)
{
    int number;
    if (!posix_int(args[0], 0, &number)) return VALUE_ERROR;
    if (number >= 1 && number < SIGNAL_COUNT && object_is_callable(handlers[number])) {
        outside_note_signal(number);
        return poll_signals() ? NONE : VALUE_ERROR;
    }
    if (number < 0 || number >= SIGNAL_COUNT) errno = EINVAL;
    if (number < 0 || number >= SIGNAL_COUNT) return raise_posix();
    return send_to_itself(number);
}

static Value thread_kill(FUNCTION_ARGS)
{
    int number;
    if (!posix_int(args[1], 0, &number)) return VALUE_ERROR;
    return send_to_itself(number);
}

static Value set_interrupting(FUNCTION_ARGS)
{
    int number, interrupts;
    if (!signal_argument(args[0], &number) || !posix_int(args[1], 0, &interrupts))
        return VALUE_ERROR;
    return posix_done(outside_restart_after(number, !interrupts) ? 0 : -1);
}

static Value set_wakeup(FUNCTION_ARGS)
{
    static const char *const names[] = {"", "warn_on_full_buffer", NULL};
    static const Signature signature = {"set_wakeup_fd", names, 1, 1};
    ValueRef given[2];
    int descriptor;
    if (!args_bind(&signature, args, nargs, kwnames, given) || !posix_int(given[0], 0, &descriptor))
        return VALUE_ERROR;
    if (!strands_is_main())
        return raise_error(ValueError,
                           "set_wakeup_fd only works in main thread of the main interpreter");
    int blocks = descriptor < 0 ? 0 : outside_blocking(descriptor, -1);
    if (blocks < 0) return raise_posix();
    if (blocks > 0)
        return raise_error(ValueError, "the fd %d must be in non-blocking mode", descriptor);
    wakeup = descriptor;
    return from_small(outside_set_wakeup(descriptor));
}

// ---- timers

static bool nanoseconds_argument(ValueRef value, int64_t *nanoseconds)
{
    double seconds;
    *nanoseconds = 0;
    if (!value) return true;
    if (!float_from_value(value, &seconds)) return false;
    if (isnan(seconds)) return raise_error(ValueError, "Invalid value NaN (not a number)");
    if (fabs(seconds) > 9e9)
        return raise_error(OverflowError, "timestamp out of range for platform time_t");
    *nanoseconds = (int64_t)(seconds * 1e9);
    return true;
}

static Value times_tuple(const int64_t times[2])
{
    Value items[] = {float_new((double)times[0] / 1e9), float_new((double)times[1] / 1e9)};
    return tuple_from_owned(items, 2);
}

static Value raise_timer_error(void)
{
    ValueRef type = timer_error ? (ValueRef)timer_error : ref_of(OSError);
    Value text = str_new(os_error_text(errno));
    Value error = text ? object_call_two(type, from_small(errno), text) : VALUE_ERROR;
    drop(text);
    if (error) raise_value(error);
    drop(error);
    return VALUE_ERROR;
}

static Value set_timer(FUNCTION_ARGS)
{
    int which;
    int64_t times[2], before[2];
    if (!posix_int(args[0], 0, &which) || !nanoseconds_argument(args[1], &times[0]) ||
        !nanoseconds_argument(nargs > 2 ? args[2] : 0, &times[1]))
        return VALUE_ERROR;
    errno = EINVAL;
    bool done = times[0] >= 0 && times[1] >= 0 && outside_set_timer(which, times, before);
    if (!done) return raise_timer_error();
    return poll_signals() ? times_tuple(before) : VALUE_ERROR;
}

static Value get_timer(FUNCTION_ARGS)
{
    int which;
    int64_t times[2];
    if (!posix_int(args[0], 0, &which)) return VALUE_ERROR;
    return outside_timer(which, times) ? times_tuple(times) : raise_timer_error();
}

static Value set_alarm(FUNCTION_ARGS)
{
    int seconds;
    int64_t before[2];
    if (!posix_int(args[0], 0, &seconds)) return VALUE_ERROR;
    int64_t times[2] = {(int64_t)(unsigned)seconds * 1000000000, 0};
    if (!outside_set_timer(ITIMER_REAL, times, before)) return raise_posix();
    return int_new((before[0] + 999999999) / 1000000000);
}

// ---- masks, and waiting

static Value set_from_mask(uint64_t mask)
{
    Value set = set_new(VALUE_ERROR);
    for (int number = 1; set && number < SIGNAL_COUNT; number++)
        if (mask >> (number - 1) & 1 && !set_add(set, from_small(number))) drop_slot(&set);
    return set;
}

static bool mask_argument(ValueRef iterable, uint64_t *mask)
{
    *mask = 0;
    Value signals = sequence_tuple(iterable);
    for (ssize_t i = 0; signals && i < tuple_size(signals); i++) {
        int number;
        bool read = posix_int(tuple_at(signals, i), 0, &number);
        if (read && (number < 1 || number >= SIGNAL_COUNT))
            read = raise_error(ValueError, "signal number %d out of range", number);
        if (read)
            *mask |= (uint64_t)1 << (number - 1);
        else
            drop_slot(&signals);
    }
    drop(signals);
    return signals;
}

static Value change_mask(FUNCTION_ARGS)
{
    int how;
    uint64_t mask, before;
    if (!posix_int(args[0], 0, &how) || !mask_argument(args[1], &mask)) return VALUE_ERROR;
    if (how < 0) errno = EINVAL;
    if (how < 0 || !outside_signal_mask(how, mask, &before)) return raise_posix();
    return poll_signals() ? set_from_mask(before) : VALUE_ERROR;
}

static Value pending_signals(FUNCTION_ARGS)
{
    return set_from_mask(outside_pending_signals());
}

static Value wait_paused(FUNCTION_ARGS)
{
    return outside_pause() ? NONE : raise_posix();
}

static const MemberDef info_fields[] = {
    STRUCT_FIELD("si_signo", 0), STRUCT_FIELD("si_code", 1),
    STRUCT_FIELD("si_errno", 2), STRUCT_FIELD("si_pid", 3),
    STRUCT_FIELD("si_uid", 4),   STRUCT_FIELD("si_status", 5),
    STRUCT_FIELD("si_band", 6),  {0},
};
static StructType info_type = STRUCT_SEQUENCE("signal.struct_siginfo", info_fields, 7);

static Value await_signal(ValueRef signals, int64_t nanoseconds, bool number_only)
{
    uint64_t mask;
    int64_t fields[7];
    Value items[7];
    if (!mask_argument(signals, &mask)) return VALUE_ERROR;
    int number = outside_await_signal(mask, nanoseconds, fields);
    if (number < 0 && errno == EAGAIN && nanoseconds >= 0) return NONE;
    if (number < 0) return raise_posix();
    if (number_only) return from_small(number);
    for (int i = 0; i < 7; i++) items[i] = int_new(fields[i]);
    return struct_sequence_from_owned(&info_type, items);
}

static Value wait_signal(FUNCTION_ARGS)
{
    return await_signal(args[0], -1, true);
}

static Value wait_info(FUNCTION_ARGS)
{
    return await_signal(args[0], -1, false);
}

static Value wait_timed(FUNCTION_ARGS)
{
    int64_t nanoseconds;
    if (!nanoseconds_argument(args[1], &nanoseconds)) return VALUE_ERROR;
    if (nanoseconds < 0) return raise_error(ValueError, "timeout must be non-negative");
    return await_signal(args[0], nanoseconds, false);
}

static Value valid_signals(FUNCTION_ARGS)
{
    uint64_t mask = 0;
    for (int number = 1; number < SIGNAL_COUNT; number++)
        if (is_valid(number)) mask |= (uint64_t)1 << (number - 1);
    return set_from_mask(mask);
}

static Value signal_text(FUNCTION_ARGS)
{
    int number;
    if (!signal_argument(args[0], &number)) return VALUE_ERROR;
    const char *text = strsignal(number);
    return !text || strstr(text, "Unknown signal") ? NONE : str_new(text);
}

// ---- the module

static const MethodDef functions[] = {
    {"signal", set_handler, ARGS(2, 2), NULL},
    {"getsignal", get_handler, ONE_ARG, NULL},
    {"default_int_handler", raise_interrupt, ARGS(0, -1), NULL},
    {"raise_signal", raise_signal, ONE_ARG, NULL},
    {"pthread_kill", thread_kill, ARGS(2, 2), NULL},
    {"siginterrupt", set_interrupting, ARGS(2, 2), NULL},
    {"set_wakeup_fd", set_wakeup, KEYWORD_ARGS, NULL},
    {"setitimer", set_timer, ARGS(2, 3), NULL},
    {"getitimer", get_timer, ONE_ARG, NULL},
    {"alarm", set_alarm, ONE_ARG, NULL},
    {"pthread_sigmask", change_mask, ARGS(2, 2), NULL},
    {"sigpending", pending_signals, NO_ARGS, NULL},
    {"pause", wait_paused, NO_ARGS, NULL},
    {"sigwait", wait_signal, ONE_ARG, NULL},
    {"sigwaitinfo", wait_info, ONE_ARG, NULL},
    {"sigtimedwait", wait_timed, ARGS(2, 2), NULL},
    {"valid_signals", valid_signals, NO_ARGS, NULL},
    {"strsignal", signal_text, ONE_ARG, NULL},
    {0},
};

static bool add_constants(ValueRef module)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!module_add(module, constants[i].name, from_small(constants[i].number))) return false;
    return module_add(module, "SIGRTMIN", from_small(SIGRTMIN)) &&
           module_add(module, "SIGRTMAX", from_small(SIGRTMAX));
}

static bool read_handlers(ValueRef module)
{
    for (int number = 1; number < SIGNAL_COUNT; number++) {
        SignalAction action = is_valid(number) ? outside_signal(number) : SIGNAL_OTHER;
        handlers[number] =
            action == SIGNAL_DEFAULT || action == SIGNAL_IGNORED ? from_small(action) : NONE;
    }
    ValueRef handler = dict_peek_ascii(as_module(module)->dict, "default_int_handler");
    if (handlers[SIGINT] == NONE && handler) handlers[SIGINT] = retain(handler);
    return handler;
}

static bool add_timer_error(ValueRef module)
{
    if (!module_add_exception(module, "signal", "ItimerError", OSError)) return false;
    replace_slot(&timer_error, retain(dict_peek_ascii(as_module(module)->dict, "ItimerError")));
    return true;
}

static bool fill(ValueRef module)
{
    return add_constants(module) && read_handlers(module) && add_timer_error(module) &&
           struct_sequence_ready(&info_type) && module_add_type(module, &info_type.type);
}

const ModuleDef _signal_module = {
    .name = "_signal",
    .doc = "This module provides mechanisms to use signal handlers in Python.",
    .functions = functions,
    .fill = fill,
    .finish = finish,
};
