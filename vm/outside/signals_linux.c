// Signals of a program: see processes.h. That SIGINT has come is noted for the debugger and the
// prompt as well, which call outside_take_interrupt() (system_linux.c).
#include "vm/outside/processes.h"

#include "vm/outside/files.h"
#include "vm/outside/outside_parts.h"
#include "vm/outside/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t noted[SIGNAL_COUNT];
static volatile sig_atomic_t any_noted;
static volatile sig_atomic_t wakeup = -1;

// What a program does with each signal since it is recorded, + 1; 0 = as before.
static uint8_t recorded_actions[SIGNAL_COUNT];

static bool is_recorded(void)
{
    return upcalls.recorder;
}

void outside_on_signal(int number)
{
    int error = errno;
    unsigned char byte = (unsigned char)number;
    noted[number] = any_noted = 1;
    eval_breaker.signal = true;
    if (wakeup >= 0 && write(wakeup, &byte, 1) < 0) {
    }
    errno = error;
}

void outside_note_signal(int number)
{
    if (!is_recorded()) {
        outside_on_signal(number);
        return;
    }
    noted[number] = any_noted = 1;
    eval_breaker.signal = true;
    if (wakeup >= 0) outside_write(wakeup, (const char[]){(char)number}, 1);
}

void outside_forget_signal(int number)
{
    noted[number] = 0;
}

int outside_take_signal(void)
{
    if (!any_noted) return 0;
    for (int number = 1; number < SIGNAL_COUNT; number++) {
        if (!noted[number]) continue;
        noted[number] = 0;
        return number;
    }
    any_noted = 0;
    return 0;
}

// The limit of time has its own.
static bool is_free(int number)
{
    return number != SIGALRM || !system_has_deadline() || system_refuse(EPERM) == 0;
}

bool outside_set_signal(int number, SignalAction action)
{
    struct sigaction now = {.sa_handler = action == SIGNAL_DEFAULT   ? SIG_DFL
                                          : action == SIGNAL_IGNORED ? SIG_IGN
                                                                     : outside_on_signal};
    if (!is_free(number)) return false;
    if (is_recorded()) {
        if (number == SIGKILL || number == SIGSTOP) return false;
        recorded_actions[number] = (uint8_t)(action + 1);
        return true;
    }
    if (number == SIGINT && action == SIGNAL_CAUGHT) return system_catch_interrupt();
    sigemptyset(&now.sa_mask);
    return sigaction(number, &now, NULL) == 0;
}

// ---- crashes

#define CRASH_STACK 32768

static void (*crash_report)(const char *name);

static const char *crash_name(int number)
{
    switch (number) {
    case SIGSEGV: return "SIGSEGV";
    case SIGBUS: return "SIGBUS";
    case SIGILL: return "SIGILL";
    case SIGFPE: return "SIGFPE";
    default: return "SIGABRT";
    }
}

// SA_RESETHAND: the signal that comes again does what it always does. SI_USER is kill(2).
static void on_crash(int number, siginfo_t *what, void *context)
{
    (void)context;
    if (what->si_code != SI_USER) crash_report(crash_name(number));
    kill(getpid(), number);
}

void outside_report_crashes(void (*report)(const char *name))
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    static char stack[CRASH_STACK];
    const stack_t apart = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    struct sigaction before;
    crash_report = report;
    sigemptyset(&action.sa_mask);
    if (sigaltstack(&apart, NULL) < 0) return;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
}

void outside_write_last(const char *text, size_t size)
{
    if (write(STDERR_FILENO, text, size) < 0) return;
}

// ---- what a signal does

SignalAction outside_signal(int number)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) < 0) return SIGNAL_OTHER;
    if (now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_crash) return SIGNAL_DEFAULT;
    return now.sa_handler == SIG_DFL   ? SIGNAL_DEFAULT
           : now.sa_handler == SIG_IGN ? SIGNAL_IGNORED
                                       : SIGNAL_CAUGHT;
}

// A recorded program that sends itself a signal gets it at this instruction, in every run. False:
// it is for somebody else, or ends the program.
static bool send_to_itself(int pid, int number, bool to_group)
{
    if (!is_recorded() || to_group || pid != outside_identity(IDENTITY_PROCESS)) return false;
    if (number <= 0 || number >= SIGNAL_COUNT) return false;
    if (recorded_actions[number] == SIGNAL_CAUGHT + 1) outside_note_signal(number);
    return recorded_actions[number] > SIGNAL_DEFAULT + 1;
}

bool outside_send_signal(int pid, int number, bool to_group)
{
    OutsideCall call = {CALL_SEND_SIGNAL, .numbers = {pid, number, to_group}};
    if (!sandbox_allows_processes()) return false;
    if (send_to_itself(pid, number, to_group)) return true;
    return RECORDED(&call, to_group ? killpg(pid, number) : kill(pid, number)) == 0;
}

bool outside_restart_after(int number, bool restarts)
{
    struct sigaction now;
    if (sigaction(number, NULL, &now) < 0) return false;
    now.sa_flags = restarts ? now.sa_flags | SA_RESTART : now.sa_flags & ~SA_RESTART;
    return is_recorded() || sigaction(number, &now, NULL) == 0;
}

int outside_set_wakeup(int descriptor)
{
    int before = wakeup;
    wakeup = descriptor;
    return before;
}

// ---- timers

#define BILLION 1000000000

static struct timeval time_from(int64_t nanoseconds)
{
    int64_t microseconds = (nanoseconds + 999) / 1000; // a little is not nothing
    return (struct timeval){.tv_sec = (time_t)(microseconds / 1000000),
                            .tv_usec = (suseconds_t)(microseconds % 1000000)};
}

static void read_timer(const struct itimerval *timer, int64_t times[2])
{
    times[0] = timer->it_value.tv_sec * (int64_t)BILLION + timer->it_value.tv_usec * 1000;
    times[1] = timer->it_interval.tv_sec * (int64_t)BILLION + timer->it_interval.tv_usec * 1000;
}

bool outside_set_timer(int which, const int64_t times[2], int64_t before[2])
{
    struct itimerval now = {.it_value = time_from(times[0]), .it_interval = time_from(times[1])};
    struct itimerval old = {0};
    if (which == ITIMER_REAL && !is_free(SIGALRM)) return false;
    if (is_recorded()) return system_refuse(ENOSYS) == 0;
    if (setitimer(which, &now, &old) < 0) return false;
    read_timer(&old, before);
    return true;
}

bool outside_timer(int which, int64_t times[2])
{
    struct itimerval now = {0};
    if (!is_recorded() && getitimer(which, &now) < 0) return false;
    read_timer(&now, times);
    return true;
}

// ---- waiting for them

bool outside_pause(void)
{
    sigset_t all, usual;
    sigfillset(&all);
    if (is_recorded()) return system_refuse(ENOSYS) == 0;
    sigprocmask(SIG_BLOCK, &all, &usual);
    if (!eval_breaker.signal) sigsuspend(&usual);
    sigprocmask(SIG_SETMASK, &usual, NULL);
    return poll_signals();
}

// The signal of a limit is never blocked, nor taken by whoever waits for it.
static void set_from(uint64_t mask, sigset_t *set)
{
    if (system_has_deadline()) mask &= ~((uint64_t)1 << (SIGALRM - 1));
    sigemptyset(set);
    for (int number = 1; number < SIGNAL_COUNT; number++)
        if (mask >> (number - 1) & 1) sigaddset(set, number);
}

static uint64_t mask_from(const sigset_t *set)
{
    uint64_t mask = 0;
    for (int number = 1; number < SIGNAL_COUNT; number++)
        if (sigismember(set, number) == 1) mask |= (uint64_t)1 << (number - 1);
    return mask;
}

bool outside_signal_mask(int how, uint64_t mask, uint64_t *before)
{
    sigset_t set, old;
    set_from(mask, &set);
    if (is_recorded() && how >= 0) return system_refuse(ENOSYS) == 0;
    if (sigprocmask(how < 0 ? SIG_BLOCK : how, how < 0 ? NULL : &set, &old) < 0) return false;
    *before = mask_from(&old);
    return true;
}

uint64_t outside_pending_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    if (!is_recorded()) sigpending(&set);
    return mask_from(&set);
}

int outside_await_signal(uint64_t mask, int64_t nanoseconds, int64_t fields[7])
{
    sigset_t set;
    siginfo_t found = {0};
    struct timespec most = {.tv_sec = (time_t)(nanoseconds / BILLION),
                            .tv_nsec = (long)(nanoseconds % BILLION)};
    set_from(mask, &set);
    if (is_recorded()) return system_refuse(ENOSYS);
    int number;
    do number = nanoseconds < 0 ? sigwaitinfo(&set, &found) : sigtimedwait(&set, &found, &most);
    while (number < 0 && outside_try_again());
    const int64_t found_fields[] = {found.si_signo, found.si_code,   found.si_errno, found.si_pid,
                                    found.si_uid,   found.si_status, found.si_band};
    for (int i = 0; i < 7; i++) fields[i] = found_fields[i];
    return number;
}
