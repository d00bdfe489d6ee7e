// Processes of a program: see processes.h.
//
// A new process is a copy of this one until it runs the file. What fails in it before that is
// reported through a pipe, as subprocess.Popen reads it: "OSError:<errno in base 16>:<where>". The
// pipe closes by itself when the file runs.
#include "vm/outside/processes.h"

#include "vm/outside/outside_parts.h"
#include "vm/outside/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

static void write_report(int report, const char *text)
{
    size_t size = strlen(text);
    while (size > 0) {
        ssize_t written = write(report, text, size);
        if (written < 0 && errno != EINTR) return;
        if (written > 0) text += written, size -= (size_t)written;
    }
}

_Noreturn static void fail(int report, const char *where)
{
    char text[80];
    snprintf(text, sizeof text, "OSError:%x:%s", (unsigned)errno, where);
    write_report(report, text);
    _exit(255);
}

// ---- in the new process

static bool keep_open(int descriptor)
{
    int flags = fcntl(descriptor, F_GETFD);
    return flags >= 0 && fcntl(descriptor, F_SETFD, flags & ~FD_CLOEXEC) == 0;
}

static bool becomes(int descriptor, int stream)
{
    int result;
    do result = dup2(descriptor, stream);
    while (result < 0 && errno == EINTR);
    return result >= 0;
}

// A descriptor that has the number of an earlier stream would be closed when that one gets its
// number: it is moved first.
static bool set_streams(const NewProcess *process)
{
    int streams[3];
    memcpy(streams, process->streams, sizeof streams);
    for (int i = 1; i < 3; i++)
        if (streams[i] >= 0 && streams[i] < i &&
            (streams[i] = fcntl(streams[i], F_DUPFD_CLOEXEC, 3)) < 0)
            return false;
    for (int i = 0; i < 3; i++) {
        if (streams[i] == i && !keep_open(i)) return false;
        if (streams[i] >= 0 && streams[i] != i && !becomes(streams[i], i)) return false;
    }
    return true;
}

static bool set_owner(const NewProcess *process)
{
    gid_t groups[64];
    if (process->group_count > (ssize_t)(sizeof groups / sizeof *groups)) {
        errno = EINVAL;
        return false;
    }
    for (ssize_t i = 0; i < process->group_count; i++) groups[i] = (gid_t)process->groups[i];
    if (process->group_count >= 0 && setgroups((size_t)process->group_count, groups) < 0)
        return false;
    if (process->group >= 0 && setregid((gid_t)process->group, (gid_t)process->group) < 0)
        return false;
    return process->user < 0 || setreuid((uid_t)process->user, (uid_t)process->user) == 0;
}

static void close_from(int first, int last)
{
    if (first > last || syscall(SYS_close_range, first, last, 0) == 0) return;
    long most = sysconf(_SC_OPEN_MAX); // before Linux 5.9
    for (int descriptor = first; descriptor <= last && descriptor < most; descriptor++)
        close(descriptor);
}

static void close_others(const NewProcess *process)
{
    int next = 3;
    for (size_t i = 0; i < process->kept_count; i++) {
        if (process->kept[i] < next) continue;
        close_from(next, process->kept[i] - 1);
        next = process->kept[i] + 1;
    }
    close_from(next, INT_MAX);
}

static void set_usual_signals(void)
{
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
}

static bool prepare(const NewProcess *process)
{
    for (size_t i = 0; i < process->kept_count; i++)
        if (process->kept[i] != process->report && !keep_open(process->kept[i])) return false;
    for (int i = 0; i < 4; i++)
        if (process->other_ends[i] >= 0) close(process->other_ends[i]);
    if (!set_streams(process)) return false;
    if (process->folder && chdir(process->folder) < 0) return false;
    if (process->mask >= 0) umask((mode_t)process->mask);
    if (process->usual_signals) set_usual_signals();
    if (process->new_session) setsid();
    return set_owner(process);
}

_Noreturn static void run_child(const NewProcess *process)
{
    if (!prepare(process)) fail(process->report, "noexec");
    if (process->prepare && !process->prepare(process->prepared)) {
        write_report(process->report, "SubprocessError:0:Exception occurred in preexec_fn.");
        _exit(255);
    }
    if (process->closes_others) close_others(process);
    int error = 0;
    for (char *const *file = process->files; *file; file++) {
        execve(*file, process->arguments, process->environment ? process->environment : environ);
        if (errno != ENOENT && errno != ENOTDIR && !error) error = errno;
    }
    if (error) errno = error;
    fail(process->report, "");
}

// ---- in this one

static int start_now(const NewProcess *process)
{
    if (!sandbox_allows_processes()) return -1;
    int child = fork();
    if (child == 0) run_child(process);
    return child;
}

int outside_start(const NewProcess *process)
{
    OutsideCall call = {CALL_START, .asked = *process->files,
                        .asked_size = *process->files ? strlen(*process->files) : 0};
    return (int)RECORDED(&call, start_now(process));
}

static int64_t nanoseconds_of(const struct timeval *time)
{
    return time->tv_sec * INT64_C(1000000000) + time->tv_usec * 1000;
}

static void take_usage(const struct rusage *used, ResourceUsage *usage)
{
    *usage = (ResourceUsage){nanoseconds_of(&used->ru_utime),
                             nanoseconds_of(&used->ru_stime),
                             {used->ru_maxrss, used->ru_ixrss, used->ru_idrss, used->ru_isrss,
                              used->ru_minflt, used->ru_majflt, used->ru_nswap, used->ru_inblock,
                              used->ru_oublock, used->ru_msgsnd, used->ru_msgrcv, used->ru_nsignals,
                              used->ru_nvcsw, used->ru_nivcsw}};
}

// One recorded answer.
typedef struct ChildEnd {
    int child, status;
    ResourceUsage usage;
} ChildEnd;

static int wait_now(int pid, int options, ChildEnd *end)
{
    struct rusage used = {0};
    do end->child = wait4(pid, &end->status, options, &used);
    while (end->child < 0 && outside_try_again());
    take_usage(&used, &end->usage);
    return end->child < 0 ? -1 : (int)sizeof *end;
}

int outside_wait_child(int pid, int options, int *status, ResourceUsage *usage)
{
    ChildEnd end = {0};
    OutsideCall call = {CALL_WAIT, .numbers = {pid, options}, .answer = &end, .room = sizeof end};
    if (RECORDED(&call, wait_now(pid, options, &end)) < 0) return -1;
    *status = end.status;
    *usage = end.usage;
    return end.child;
}

static int usage_now(int who, ResourceUsage *usage)
{
    struct rusage used;
    if (getrusage(who, &used) < 0) return -1;
    take_usage(&used, usage);
    return sizeof *usage;
}

bool outside_resource_usage(int who, ResourceUsage *usage)
{
    OutsideCall call = {CALL_RESOURCE_USAGE, .numbers = {who}, .answer = usage,
                        .room = sizeof *usage};
    return RECORDED(&call, usage_now(who, usage)) > 0;
}

// In a sandbox and under limits none is changed, as minivm may need what is left.
static int limit_now(int process, int resource, const int64_t limits[2], int64_t before[2])
{
    struct rlimit old, now = {0};
    if (limits && !sandbox_allows_processes()) return -1;
    if (limits) now = (struct rlimit){(rlim_t)limits[0], (rlim_t)limits[1]};
    if (prlimit(process, (int)resource, limits ? &now : NULL, &old) < 0) return -1;
    before[0] = (int64_t)old.rlim_cur;
    before[1] = (int64_t)old.rlim_max;
    return 2 * sizeof *before;
}

bool outside_resource_limit(int process, int resource, const int64_t limits[2], int64_t before[2])
{
    OutsideCall call = {CALL_RESOURCE_LIMIT, .numbers = {process, resource}, .answer = before,
                        .room = 2 * sizeof *before};
    return RECORDED(&call, limit_now(process, resource, limits, before)) > 0;
}

int outside_copy_process(void)
{
    return upcalls.recorder ? system_refuse(ENOSYS) : outside_fork();
}

int outside_become(const char *file, char *const *arguments, char *const *environment)
{
    if (!sandbox_allows_processes()) return -1;
    if (upcalls.recorder) return system_refuse(ENOSYS);
    return execve(file, arguments, environment ? environment : environ);
}

// ---- descriptors

static bool is_allowed(ControlKind kind, unsigned request)
{
    if (kind != CONTROL_FILE) return kind == CONTROL_LOCK || sandbox_allows_processes();
    bool own = request == F_GETFD || request == F_SETFD || request == F_GETFL ||
               request == F_SETFL || request == F_GETLK || request == F_SETLK ||
               request == F_SETLKW || request == F_DUPFD || request == F_DUPFD_CLOEXEC;
    return own || sandbox_allows_processes();
}

static int64_t control_once(ControlKind kind, int descriptor, unsigned request, int64_t number,
                            void *bytes)
{
    if (kind == CONTROL_LOCK) return flock(descriptor, (int)number);
    if (kind == CONTROL_DEVICE)
        return bytes ? ioctl(descriptor, request, bytes) : ioctl(descriptor, request, (int)number);
    return bytes ? fcntl(descriptor, (int)request, bytes)
                 : fcntl(descriptor, (int)request, (int)number);
}

static int64_t control_now(ControlKind kind, int descriptor, unsigned request, int64_t number,
                           void *bytes)
{
    int64_t result;
    if (!is_allowed(kind, request)) return -1;
    do result = control_once(kind, descriptor, request, number, bytes);
    while (result < 0 && outside_try_again());
    return result;
}

// A call that was recorded changes nothing once more; bytes that it had filled are not kept.
int64_t outside_control(ControlKind kind, int descriptor, unsigned request, int64_t number,
                        void *bytes, size_t size)
{
    OutsideCall call = {CALL_DESCRIPTOR_CONTROL, .numbers = {descriptor, request, number},
                        .asked = bytes, .asked_size = size};
    if (outside_is_aside(descriptor)) return -1;
    return RECORDED(&call, control_now(kind, descriptor, request, number, bytes));
}

static int shell_now(const char *command)
{
    return sandbox_allows_processes() ? system(command) : -1;
}

int outside_shell(const char *command)
{
    OutsideCall call = {CALL_SHELL, .asked = command, .asked_size = strlen(command)};
    return (int)RECORDED(&call, shell_now(command));
}
