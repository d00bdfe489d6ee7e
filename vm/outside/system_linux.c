// See system.h: Linux.
#include "vm/outside/system.h"

#include "vm/outside/files.h"
#include "vm/outside/processes.h"
#include "vm/outside/sandbox.h"

#include "objects/upcalls.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t terminal_changed; // another size, or this process was stopped

int system_error(int number)
{
    return number;
}

int system_refuse(int linux_number)
{
    errno = linux_number;
    return -1;
}

const char *outside_lacks(OutsideFeature feature)
{
    (void)feature;
    return NULL;
}

ssize_t system_random(void *bytes, size_t size)
{
    return getrandom(bytes, size, 0);
}

clockid_t system_clock_id(Clock clock)
{
    switch (clock) {
    case CLOCK_STEADY: return CLOCK_MONOTONIC;
    case CLOCK_PROCESS: return CLOCK_PROCESS_CPUTIME_ID;
    case CLOCK_OF_THREAD: return CLOCK_THREAD_CPUTIME_ID;
    default: return CLOCK_REALTIME;
    }
}

// ---- descriptors

// The halves of a position are two arguments; where a long has 64 bits the first has all.
ssize_t system_read_at(int descriptor, void *bytes, size_t size, int64_t position, int flags)
{
    struct iovec part = {bytes, size};
    if (!flags) return pread(descriptor, bytes, size, position);
    return syscall(SYS_preadv2, descriptor, &part, 1, (long)position, (long)(position >> 32),
                   flags);
}

ssize_t system_write_at(int descriptor, const void *bytes, size_t size, int64_t position, int flags)
{
    struct iovec part = {(void *)(uintptr_t)bytes, size};
    if (!flags) return pwrite(descriptor, bytes, size, position);
    return syscall(SYS_pwritev2, descriptor, &part, 1, (long)position, (long)(position >> 32),
                   flags);
}

bool system_folder_path(int folder, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "/proc/self/fd/%d", folder);
    return fcntl(folder, F_GETFD) >= 0;
}

int system_open(int folder, const char *name, int flags, int mode)
{
    return openat(folder, name, flags, mode);
}

int system_symlink(const char *text, int folder, const char *name)
{
    return symlinkat(text, folder, name);
}

int system_make_node(int folder, const char *name, mode_t mode, dev_t device)
{
    return mknodat(folder, name, mode, device);
}

int system_poll(struct pollfd *polled, size_t count, int milliseconds)
{
    return poll(polled, count, milliseconds);
}

// ---- the terminal

bool system_await_input(void)
{
    bool changed = terminal_changed;
    terminal_changed = 0;
    return !changed;
}

int system_terminal_width(int descriptor)
{
    struct winsize window;
    return ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

int system_terminal_request(int descriptor, int request, int number)
{
    switch (request) {
    case TERMINAL_DRAIN: return tcdrain(descriptor);
    case TERMINAL_FLUSH: return tcflush(descriptor, number);
    case TERMINAL_FLOW: return tcflow(descriptor, number);
    default: return tcsendbreak(descriptor, number);
    }
}

static struct termios lines_mode; // how the terminal was
static bool keys_come;            // not where a recorded answer says that they do

static void on_terminal_changed(int number)
{
    (void)number;
    terminal_changed = 1;
}

// Without SA_RESTART: a read that waits for a key ends.
static void heed_terminal(bool heed)
{
    struct sigaction action = {.sa_handler = heed ? on_terminal_changed : SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(SIGWINCH, &action, NULL);
    sigaction(SIGCONT, &action, NULL);
}

static bool lines_come_again(void)
{
    if (!keys_come) return false;
    keys_come = false;
    terminal_changed = 0;
    heed_terminal(false);
    return tcsetattr(0, TCSADRAIN, &lines_mode) == 0;
}

bool system_terminal_mode(TerminalMode mode)
{
    if (mode == TERMINAL_LINES) return lines_come_again();
    if (!keys_come && tcgetattr(0, &lines_mode) != 0) return false;
    struct termios keys = lines_mode;
    keys.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    keys.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN);
    if (mode == TERMINAL_KEYS) keys.c_lflag &= ~(tcflag_t)ISIG;
    keys.c_cc[VSUSP] = keys.c_cc[VQUIT] = _POSIX_VDISABLE;
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    terminal_changed = 0;
    if (!keys_come) heed_terminal(true);
    keys_come = tcsetattr(0, TCSADRAIN, &keys) == 0;
    if (!keys_come) heed_terminal(false);
    return keys_come;
}

int system_suspend(void)
{
    return kill(0, SIGTSTP);
}

// ---- signals

static void on_interrupt(int number)
{
    interrupted = 1;
    outside_on_signal(number);
}

bool system_catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGINT, &action, NULL) == 0;
}

void outside_signals_init(void)
{
    struct sigaction current;
    // A shell that starts a job in the background has it ignore SIGINT; CPython leaves that so.
    if (sigaction(SIGINT, NULL, &current) == 0 && current.sa_handler != SIG_IGN)
        system_catch_interrupt();
    signal(SIGPIPE, SIG_IGN); // a closed pipe is BrokenPipeError
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is OSError
}

bool outside_take_interrupt(void)
{
    eval_breaker.signal = false;
    bool taken = interrupted;
    interrupted = 0;
    return taken;
}

_Noreturn void outside_die_by_interrupt(void)
{
    signal(SIGINT, SIG_DFL);
    kill(getpid(), SIGINT);
    _exit(130);
}

// ---- a limit of time

static volatile sig_atomic_t alarms;
static const char *late_message;
static int late_descriptor, late_status;
static bool has_deadline;

bool system_has_deadline(void)
{
    return has_deadline;
}

// What a late process may take yet, in nanoseconds: a computation in C that does not look, so that
// it ends within a second, and one stream that takes nothing.
#define FOR_C 800000000
#define FOR_A_STREAM 100000000

// An alarm at `first`, and more for streams.
static bool set_timer(int64_t first)
{
    struct itimerval timer = {.it_interval.tv_usec = FOR_A_STREAM / 1000};
    timer.it_value.tv_sec = (time_t)(first / 1000000000);
    timer.it_value.tv_usec = (suseconds_t)(first % 1000000000 / 1000);
    return setitimer(ITIMER_REAL, &timer, NULL) == 0;
}

static void on_deadline(int number)
{
    (void)number;
    eval_breaker.signal = true;
    if (++alarms == 1 && set_timer(FOR_C)) return;
    if (alarms == 2 && write(late_descriptor, late_message, strlen(late_message)) < 0)
        _exit(late_status);
    _exit(late_status);
}

// SA_NODEFER: an alarm interrupts what the one before waits for.
static bool handle_alarms(int descriptor, const char *message, int status)
{
    late_descriptor = descriptor;
    late_message = message;
    late_status = status;
    has_deadline = true;
    struct sigaction action = {.sa_handler = on_deadline, .sa_flags = SA_NODEFER};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGALRM, &action, NULL) == 0;
}

bool outside_set_deadline(int64_t nanoseconds, int descriptor, const char *message, int status)
{
    return handle_alarms(descriptor, message, status) && set_timer(nanoseconds);
}

void outside_end_soon(int descriptor, const char *message, int status)
{
    alarms = 1;
    if (handle_alarms(descriptor, message, status)) set_timer(FOR_A_STREAM);
}

bool outside_is_late(void)
{
    return alarms > 0;
}

// ---- processes

static pid_t forked_by; // 0: this process was started by somebody else

int outside_fork(void)
{
    if (!sandbox_allows_processes()) return -1;
    pid_t parent = getpid(), process = fork();
    if (process == 0) forked_by = parent;
    return process;
}

int outside_pid(void)
{
    return getpid();
}

bool outside_wait(int pid, int *status)
{
    int ended, result;
    do result = waitpid(pid, &ended, 0);
    while (result < 0 && errno == EINTR);
    if (result < 0) return false;
    *status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    return true;
}

bool outside_run_copy(void (*function)(const void *), const void *argument, char *shared,
                      size_t size)
{
    (void)shared, (void)size;
    int process = outside_fork(), status;
    if (process == 0) {
        function(argument);
        _exit(0);
    }
    return process > 0 && outside_wait(process, &status);
}

bool outside_reap(void)
{
    int ended;
    do ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0);
    return ended == 0;
}

bool outside_adopt(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

void outside_keep_children(void)
{
    signal(SIGCHLD, SIG_DFL);
}

bool outside_kill(int pid, int number)
{
    return sandbox_allows_processes() && kill(pid, number) == 0;
}

bool outside_process_lives(int pid)
{
    if (waitpid(pid, NULL, WNOHANG) == pid) return false; // a child that had ended
    return kill(pid, 0) == 0 || errno == EPERM;
}

_Noreturn void outside_end(int status)
{
    _exit(status);
}

void outside_ignore_interrupts(void)
{
    signal(SIGINT, SIG_IGN);
}

void outside_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (forked_by && getppid() != forked_by) _exit(1); // it had ended before
}

static volatile sig_atomic_t guardian_process;

static void on_parent_ended(int number)
{
    (void)number;
    if (getppid() != guardian_process) _exit(1);
}

void outside_end_without(int guardian)
{
    struct sigaction action = {.sa_handler = on_parent_ended};
    sigemptyset(&action.sa_mask);
    guardian_process = guardian;
    sigaction(SIGUSR1, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
    pid_t parent = getppid();
    if (parent != guardian && parent != forked_by) _exit(1); // both had ended before
}

long outside_page_faults(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : 0;
}

bool wakeup_init(Wakeup *wakeup)
{
    return sem_init(&wakeup->semaphore, 1, 0) == 0;
}

void wakeup_post(Wakeup *wakeup)
{
    sem_post(&wakeup->semaphore);
}

bool wakeup_wait(Wakeup *wakeup, int milliseconds)
{
    struct timespec end = {0}; // long ago, should the clock fail
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000L;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    int result;
    do
        result = milliseconds < 0 ? sem_wait(&wakeup->semaphore)
                                  : sem_timedwait(&wakeup->semaphore, &end);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

int system_memory_file(void)
{
    return memfd_create("minivm", MFD_CLOEXEC);
}
