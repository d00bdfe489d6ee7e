// See outside.h. Every system call that minivm makes, but for memory, is in this file.
#include "vm/outside.h"

#include "objects/doors.h"
#include "objects/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define READ_ALL_STEP 65536

static volatile sig_atomic_t interrupted;

// True where a system call that failed should be tried again.
static bool try_again(void)
{
    if (errno != EINTR) return false;
    if (poll_signals()) return true;
    errno = EINTR;
    return false;
}

int outside_open(const char *path, int flags, int mode)
{
    int descriptor;
    do descriptor = open(path, flags | O_CLOEXEC, mode);
    while (descriptor < 0 && try_again());
    return descriptor;
}

int outside_close(int descriptor)
{
    return close(descriptor);
}

ssize_t outside_read(int descriptor, void *bytes, size_t size)
{
    ssize_t count;
    do count = read(descriptor, bytes, size);
    while (count < 0 && try_again());
    return count;
}

ssize_t outside_write(int descriptor, const void *bytes, size_t size)
{
    ssize_t count;
    do count = write(descriptor, bytes, size);
    while (count < 0 && try_again());
    return count;
}

off_t outside_seek(int descriptor, off_t offset, int whence)
{
    return lseek(descriptor, offset, whence);
}

int outside_truncate(int descriptor, off_t size)
{
    return ftruncate(descriptor, size);
}

bool outside_is_terminal(int descriptor)
{
    return isatty(descriptor);
}

int outside_terminal_width(int descriptor)
{
    struct winsize window;
    return ioctl(descriptor, TIOCGWINSZ, &window) == 0 ? window.ws_col : 0;
}

bool outside_raw_mode(bool raw)
{
    static struct termios before;
    if (!raw) return tcsetattr(0, TCSADRAIN, &before) == 0;
    if (tcgetattr(0, &before) != 0) return false;
    struct termios keys = before;
    keys.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    keys.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    return tcsetattr(0, TCSADRAIN, &keys) == 0;
}

static FileKind kind_of_mode(mode_t mode)
{
    if (S_ISREG(mode)) return FILE_REGULAR;
    return S_ISDIR(mode) ? FILE_DIRECTORY : FILE_OTHER;
}

FileKind outside_file_kind(const char *path)
{
    struct stat status;
    return stat(path, &status) ? FILE_MISSING : kind_of_mode(status.st_mode);
}

FileKind outside_descriptor_kind(int descriptor)
{
    struct stat status;
    return fstat(descriptor, &status) ? FILE_MISSING : kind_of_mode(status.st_mode);
}

char *outside_read_all(int descriptor, size_t *size)
{
    size_t capacity = READ_ALL_STEP, used = 0;
    char *bytes = memory_alloc(capacity);
    while (bytes) {
        ssize_t count = outside_read(descriptor, bytes + used, capacity - used - 1);
        if (count < 0) break;
        used += (size_t)count;
        if (count == 0) {
            bytes[used] = 0;
            *size = used;
            return bytes;
        }
        if (capacity - used > 1) continue;
        char *larger = memory_resize(bytes, capacity * 2);
        if (!larger) break;
        bytes = larger;
        capacity *= 2;
    }
    int error = bytes ? errno : ENOMEM;
    memory_free(bytes);
    errno = error;
    return NULL;
}

char *outside_read_file(const char *path, size_t *size)
{
    int descriptor = outside_open(path, O_RDONLY, 0);
    if (descriptor < 0) return NULL;
    char *bytes = NULL;
    if (outside_descriptor_kind(descriptor) == FILE_DIRECTORY)
        errno = EISDIR;
    else
        bytes = outside_read_all(descriptor, size);
    int error = errno;
    outside_close(descriptor);
    errno = error;
    return bytes;
}

static char *copy_path(const char *path)
{
    size_t size = strlen(path) + 1;
    char *copy = memory_alloc(size);
    if (!copy) {
        errno = ENOMEM;
        return NULL;
    }
    return memcpy(copy, path, size);
}

char *outside_working_directory(void)
{
    char path[PATH_MAX];
    return getcwd(path, sizeof path) ? copy_path(path) : NULL;
}

char *outside_real_path(const char *path)
{
    char resolved[PATH_MAX];
    return realpath(path, resolved) ? copy_path(resolved) : NULL;
}

static clockid_t clock_id(Clock clock)
{
    switch (clock) {
    case CLOCK_STEADY: return CLOCK_MONOTONIC;
    case CLOCK_PROCESS: return CLOCK_PROCESS_CPUTIME_ID;
    case CLOCK_OF_THREAD: return CLOCK_THREAD_CPUTIME_ID;
    default: return CLOCK_REALTIME;
    }
}

static int64_t nanoseconds_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

int64_t outside_clock(Clock clock)
{
    struct timespec now;
    clock_gettime(clock_id(clock), &now);
    return nanoseconds_of(&now);
}

int64_t outside_clock_resolution(Clock clock)
{
    struct timespec step;
    clock_getres(clock_id(clock), &step);
    return nanoseconds_of(&step);
}

bool outside_system_clock(int number, bool resolution, int64_t *nanoseconds)
{
    struct timespec value;
    if (resolution ? clock_getres(number, &value) : clock_gettime(number, &value)) return false;
    *nanoseconds = nanoseconds_of(&value);
    return true;
}

bool outside_calendar(int64_t seconds, bool local, struct tm *calendar)
{
    time_t time = (time_t)seconds;
    return (local ? localtime_r(&time, calendar) : gmtime_r(&time, calendar)) != NULL;
}

bool outside_seconds(struct tm *local, int64_t *seconds)
{
    local->tm_wday = -1; // stays so where mktime() cannot
    *seconds = mktime(local);
    return *seconds != -1 || local->tm_wday != -1;
}

bool outside_sleep(int64_t nanoseconds)
{
    struct timespec left = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    while (nanosleep(&left, &left) != 0)
        if (!try_again()) return false;
    return true;
}

bool outside_random(void *bytes, size_t size)
{
    char *next = bytes;
    while (size > 0) {
        ssize_t count = getrandom(next, size, 0);
        if (count < 0 && !try_again()) return false;
        if (count < 0) continue;
        next += count;
        size -= (size_t)count;
    }
    return true;
}

const char *outside_environment(const char *name)
{
    return getenv(name);
}

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
    signal_pending = true;
}

void outside_signals_init(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    struct sigaction current;
    sigemptyset(&action.sa_mask);
    // A shell that starts a job in the background has it ignore SIGINT; CPython leaves that so.
    if (sigaction(SIGINT, NULL, &current) == 0 && current.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
    signal(SIGPIPE, SIG_IGN); // a closed pipe is BrokenPipeError
}

bool outside_take_interrupt(void)
{
    signal_pending = false;
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

// ---- processes

int outside_fork(void)
{
    return fork();
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

void outside_reap(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
}

bool outside_adopt(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
}

bool outside_kill(int pid, int number)
{
    return kill(pid, number) == 0;
}

bool outside_process_lives(int pid)
{
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
    struct timespec end;
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
