// The outside fails: a library that is loaded before libc (LD_PRELOAD), in which the n-th system
// call fails.
//
//     MINIVM_FAIL_OUTSIDE=HOW:N     the n-th call of those that can fail so
//     MINIVM_FAIL_OUTSIDE=HOW:N+    that one and all after it
//     MINIVM_FAILED=FILE            gets a line for each call that failed: its name and errno
//
// HOW is `error` (the row's own error), `full` (no space for what is written or made), `EINTR` (a
// signal came, and nothing was done; with + every second call), `blocks` (EAGAIN) or `short` (half
// of the bytes). So nothing in minivm is made for the test, and what does not go through the
// recorder is met as well: fork, mmap, what other programs are started with.
//
// A row of the table is a call that minivm makes. Programs that are started by the one under test
// are left alone: the variables are gone when main() begins. A process that was forked goes on
// counting from its parent's number.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// How a call can fail but by its own error.
enum { INTERRUPTED = 1, FULL = 2, BLOCKS = 4, SHORT = 8 };

static int how; // 0 = by an error
static bool armed, from_then_on;
static unsigned long long left; // calls to come until one fails
static char report[200];

static void *next_of(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

// The error of the call is what the report has; a call that is short has none.
static void write_report(const char *name, int error)
{
    int (*open_file)(const char *, int, ...) = next_of("open64");
    ssize_t (*write_bytes)(int, const void *, size_t) = next_of("write");
    int (*close_file)(int) = next_of("close");
    char line[100];
    if (!*report) return;
    int file = open_file(report, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0) return;
    int size = snprintf(line, sizeof line, "%s %d\n", name, error);
    if (write_bytes(file, line, (size_t)size) < 0) abort();
    close_file(file);
}

// Counts a call: does it fail? Then errno is set.
static bool fails(const char *name, int error, int kinds)
{
    if (!armed || (how && !(kinds & how))) return false;
    if (left > 1) {
        left--;
        return false;
    }
    armed = from_then_on;
    if (how == INTERRUPTED && from_then_on) left = 2; // the next try is let through
    if (how == SHORT) error = 0;
    if (how == INTERRUPTED) error = EINTR;
    if (how == FULL) error = ENOSPC;
    if (how == BLOCKS) error = EAGAIN;
    write_report(name, error);
    errno = error;
    return true;
}

__attribute__((constructor)) static void read_variables(void)
{
    static const struct {
        const char *name;
        int kind;
    } ways[] = {
        {"error", 0}, {"EINTR", INTERRUPTED}, {"full", FULL}, {"blocks", BLOCKS}, {"short", SHORT}};
    const char *text = getenv("MINIVM_FAIL_OUTSIDE"), *file = getenv("MINIVM_FAILED");
    const char *number = text ? strchr(text, ':') : NULL;
    for (size_t i = 0; number && i < sizeof ways / sizeof *ways; i++)
        if (strlen(ways[i].name) == (size_t)(number - text) &&
            !strncmp(text, ways[i].name, (size_t)(number - text))) {
            char *end;
            how = ways[i].kind;
            left = strtoull(number + 1, &end, 10);
            from_then_on = *end == '+';
            armed = left > 0;
        }
    if (file) snprintf(report, sizeof report, "%s", file);
    unsetenv("MINIVM_FAIL_OUTSIDE");
    unsetenv("MINIVM_FAILED");
    unsetenv("LD_PRELOAD");
}

// A row: type of the result, what it is where the call fails, name, error, kinds, parameters, arguments.
#define CALL(type, failure, name, error, kinds, parameters, arguments)                             \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*next) parameters;                                                             \
        if (!next) next = next_of(#name);                                                          \
        return fails(#name, error, kinds) ? failure : next arguments;                              \
    }

// Those that move bytes can move fewer. Half of one byte is the byte.
#define MOVES(name, error, kinds, parameters, size, arguments)                                     \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        static ssize_t(*next) parameters;                                                          \
        if (!next) next = next_of(#name);                                                          \
        bool failed = fails(#name, error, (kinds) | SHORT | INTERRUPTED | BLOCKS);                 \
        if (failed && how != SHORT) return -1;                                                     \
        if (failed && size > 1) size /= 2;                                                         \
        return next arguments;                                                                     \
    }

MOVES(read, EIO, 0, (int file, void *bytes, size_t size), size, (file, bytes, size))
MOVES(write, EIO, FULL, (int file, const void *bytes, size_t size), size, (file, bytes, size))
MOVES(pread64, EIO, 0, (int file, void *bytes, size_t size, off64_t at), size,
      (file, bytes, size, at))
MOVES(pwrite64, EIO, FULL, (int file, const void *bytes, size_t size, off64_t at), size,
      (file, bytes, size, at))
MOVES(getrandom, ENOSYS, 0, (void *bytes, size_t size, unsigned flags), size, (bytes, size, flags))

// The argument that may not be there is handed on: these machines read it where it would be.
#define VARIADIC(name, error, kinds, first, argument, last, ...)                                   \
    int name(first, argument, ...)                                                                 \
    {                                                                                              \
        static int (*next)(first, argument, ...);                                                  \
        va_list more;                                                                              \
        if (!next) next = next_of(#name);                                                          \
        if (fails(#name, error, kinds)) return -1;                                                 \
        va_start(more, last);                                                                      \
        void *value = va_arg(more, void *);                                                        \
        va_end(more);                                                                              \
        return next(__VA_ARGS__, value);                                                           \
    }

// What only finds a place waits for nothing.
#define FROM_OPEN(flags) ((flags) & O_PATH ? 0 : INTERRUPTED | ((flags) & O_CREAT ? FULL : 0))

VARIADIC(open64, EMFILE, FROM_OPEN(flags), const char *path, int flags, flags, path, flags)
VARIADIC(fcntl64, EMFILE, 0, int file, int command, command, file, command)
VARIADIC(ioctl, EIO, 0, int file, unsigned long request, request, file, request)

int openat64(int at, const char *path, int flags, ...)
{
    static int (*next)(int, const char *, int, ...);
    va_list more;
    if (!next) next = next_of("openat64");
    if (fails("openat64", EMFILE, FROM_OPEN(flags))) return -1;
    va_start(more, flags);
    mode_t mode = va_arg(more, mode_t);
    va_end(more);
    return next(at, path, flags, mode);
}

CALL(int, -1, close, EIO, 0, (int file), (file))
CALL(int, -1, dup2, EMFILE, INTERRUPTED, (int file, int other), (file, other))
CALL(int, -1, dup3, EMFILE, INTERRUPTED, (int file, int other, int flags), (file, other, flags))
CALL(int, -1, pipe2, EMFILE, 0, (int ends[2], int flags), (ends, flags))
CALL(off64_t, -1, lseek64, EIO, 0, (int file, off64_t offset, int whence), (file, offset, whence))
CALL(int, -1, ftruncate64, EIO, INTERRUPTED | FULL, (int file, off64_t size), (file, size))
CALL(int, -1, fsync, EIO, INTERRUPTED | FULL, (int file), (file))
CALL(int, -1, fdatasync, EIO, INTERRUPTED | FULL, (int file), (file))
CALL(int, -1, fstat64, EIO, 0, (int file, struct stat64 *status), (file, status))
CALL(int, -1, lstat64, EACCES, 0, (const char *path, struct stat64 *status), (path, status))
CALL(int, -1, fstatat64, EACCES, 0, (int at, const char *path, struct stat64 *status, int flags),
     (at, path, status, flags))
CALL(int, -1, fstatvfs64, EIO, INTERRUPTED, (int file, struct statvfs64 *space), (file, space))
CALL(int, -1, statvfs64, EIO, INTERRUPTED, (const char *path, struct statvfs64 *space),
     (path, space))
CALL(DIR *, NULL, fdopendir, ENOMEM, 0, (int file), (file))
CALL(struct dirent64 *, NULL, readdir64, EIO, 0, (DIR * folder), (folder))
CALL(char *, NULL, getcwd, EACCES, 0, (char *path, size_t size), (path, size))
CALL(char *, NULL, realpath, EACCES, 0, (const char *path, char *real), (path, real))
CALL(int, -1, renameat, EACCES, FULL, (int at, const char *path, int to, const char *name),
     (at, path, to, name))
CALL(int, -1, linkat, EACCES, FULL, (int at, const char *path, int to, const char *name, int flags),
     (at, path, to, name, flags))
CALL(int, -1, symlinkat, EACCES, FULL, (const char *text, int at, const char *path),
     (text, at, path))
CALL(int, -1, unlinkat, EACCES, 0, (int at, const char *path, int flags), (at, path, flags))
CALL(int, -1, mkdirat, EACCES, FULL, (int at, const char *path, mode_t mode), (at, path, mode))
CALL(ssize_t, -1, readlinkat, EACCES, 0, (int at, const char *path, char *text, size_t size),
     (at, path, text, size))
CALL(int, -1, fchmodat, EPERM, 0, (int at, const char *path, mode_t mode, int flags),
     (at, path, mode, flags))
CALL(int, -1, utimensat, EPERM, 0,
     (int at, const char *path, const struct timespec times[2], int flags),
     (at, path, times, flags))
CALL(int, -1, faccessat, EACCES, 0, (int at, const char *path, int mode, int flags),
     (at, path, mode, flags))
CALL(int, -1, chdir, EACCES, 0, (const char *path), (path))
CALL(int, 0, isatty, ENOTTY, 0, (int file), (file))
CALL(int, -1, poll, ENOMEM, INTERRUPTED, (struct pollfd * files, nfds_t count, int timeout),
     (files, count, timeout))
CALL(int, -1, ppoll, ENOMEM, INTERRUPTED,
     (struct pollfd * files, nfds_t count, const struct timespec *timeout, const sigset_t *mask),
     (files, count, timeout, mask))
CALL(int, -1, memfd_create, EMFILE, FULL, (const char *name, unsigned flags), (name, flags))

CALL(void *, MAP_FAILED, mmap64, ENOMEM, 0,
     (void *at, size_t size, int access, int flags, int file, off64_t offset),
     (at, size, access, flags, file, offset))
CALL(int, -1, mprotect, ENOMEM, 0, (void *at, size_t size, int access), (at, size, access))
CALL(int, -1, madvise, EAGAIN, 0, (void *at, size_t size, int advice), (at, size, advice))

CALL(pid_t, -1, fork, EAGAIN, 0, (void), ())
CALL(int, -1, execve, ENOEXEC, 0,
     (const char *path, char *const *arguments, char *const *environment),
     (path, arguments, environment))
CALL(pid_t, -1, waitpid, ECHILD, INTERRUPTED, (pid_t process, int *status, int options),
     (process, status, options))
CALL(pid_t, -1, wait4, ECHILD, INTERRUPTED,
     (pid_t process, int *status, int options, struct rusage *usage),
     (process, status, options, usage))
CALL(int, -1, kill, ESRCH, 0, (pid_t process, int number), (process, number))
CALL(int, -1, sem_init, ENOSYS, 0, (sem_t * semaphore, int shared, unsigned value),
     (semaphore, shared, value))
CALL(int, -1, sem_wait, EINTR, INTERRUPTED, (sem_t * semaphore), (semaphore))
CALL(int, -1, sem_timedwait, ETIMEDOUT, INTERRUPTED,
     (sem_t * semaphore, const struct timespec *end), (semaphore, end))
CALL(int, -1, nanosleep, EINTR, INTERRUPTED, (const struct timespec *time, struct timespec *rest),
     (time, rest))
CALL(int, -1, clock_gettime, EINVAL, 0, (clockid_t clock, struct timespec *time), (clock, time))
CALL(int, -1, sigaction, EINVAL, 0,
     (int number, const struct sigaction *action, struct sigaction *before),
     (number, action, before))
CALL(int, -1, setitimer, EINVAL, 0,
     (__itimer_which_t which, const struct itimerval *time, struct itimerval *before),
     (which, time, before))
CALL(int, -1, getrlimit64, EPERM, 0, (__rlimit_resource_t resource, struct rlimit64 *limit),
     (resource, limit))
CALL(int, -1, getrusage, EINVAL, 0, (__rusage_who_t who, struct rusage *usage), (who, usage))

// It returns the error.
int posix_spawnp(pid_t *process, const char *path, const posix_spawn_file_actions_t *files,
                 const posix_spawnattr_t *attributes, char *const *arguments,
                 char *const *environment)
{
    static int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                       const posix_spawnattr_t *, char *const *, char *const *);
    if (!next) next = next_of("posix_spawnp");
    if (fails("posix_spawnp", ENOENT, 0)) return errno;
    return next(process, path, files, attributes, arguments, environment);
}
