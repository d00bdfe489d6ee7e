// See calls.h.
#include "vm/outside/calls.h"

#include "vm/outside/outside_parts.h"
#include "vm/outside/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>

#ifndef __GLIBC__
typedef int __priority_which_t;
#endif

// Of functions that return the error.
static int of_error(int error)
{
    if (error) errno = error;
    return error ? -1 : 0;
}

static int64_t text_size(int error, const char *text)
{
    return of_error(error) < 0 ? -1 : (int64_t)strlen(text);
}

// ---- users and groups

static int64_t get_groups(void *answer, size_t room)
{
    int count = getgroups((int)(room / sizeof(gid_t)), answer);
    return count < 0 ? -1 : count * (int64_t)sizeof(gid_t);
}

// The one that is real, the effective one, the saved one.
static int64_t get_identities(int (*get)(unsigned *, unsigned *, unsigned *), unsigned *answer)
{
    return get(&answer[0], &answer[1], &answer[2]) < 0 ? -1 : (int64_t)sizeof(unsigned[3]);
}

static int64_t groups_of(const char *user, int64_t group, void *answer, size_t room)
{
    int count = (int)(room / sizeof(gid_t));
    if (getgrouplist(user, (gid_t)group, answer, &count) < 0) return system_refuse(ERANGE);
    return count * (int64_t)sizeof(gid_t);
}

// ---- processes

static int64_t wait_state(const int64_t *n, ChildState *state)
{
    siginfo_t found = {0};
    if (waitid((idtype_t)n[0], (id_t)n[1], &found, (int)n[2]) < 0) return -1;
    *state =
        (ChildState){found.si_pid, found.si_uid, found.si_signo, found.si_status, found.si_code};
    return found.si_pid ? (int64_t)sizeof *state : 0;
}

static int set_scheduler(const int64_t *n)
{
    const struct sched_param param = {.sched_priority = (int)n[2]};
    return sched_setscheduler((pid_t)n[0], (int)n[1], &param);
}

static int scheduled_priority(pid_t process)
{
    struct sched_param param;
    return sched_getparam(process, &param) < 0 ? -1 : param.sched_priority;
}

static int set_scheduled_priority(const int64_t *n)
{
    const struct sched_param param = {.sched_priority = (int)n[1]};
    return sched_setparam((pid_t)n[0], &param);
}

static int64_t scheduler_interval(pid_t process)
{
    struct timespec interval;
    if (sched_rr_get_interval(process, &interval) < 0) return -1;
    return interval.tv_sec * INT64_C(1000000000) + interval.tv_nsec;
}

static int64_t processors(pid_t process, void *answer, size_t room)
{
    memset(answer, 0, room);
    return sched_getaffinity(process, room, answer) < 0 ? -1 : (int64_t)room;
}

// ---- files

static int64_t setting_text(int number, char *answer, size_t room)
{
    errno = 0;
    size_t size = confstr(number, answer, room);
    if (size == 0) return errno ? -1 : 0;
    return (int64_t)(size < room ? size : room) - 1;
}

static const char *after(const char *text)
{
    return text + strlen(text) + 1;
}

static int64_t attribute(const char *path, const int64_t *n, void *answer, size_t room)
{
    const char *name = after(path);
    if (n[0] >= 0) return fgetxattr((int)n[0], name, answer, room);
    return n[1] ? getxattr(path, name, answer, room) : lgetxattr(path, name, answer, room);
}

static int set_attribute(const char *path, size_t size, const int64_t *n)
{
    const char *name = after(path), *value = after(name);
    size -= (size_t)(value - path);
    if (n[0] >= 0) return fsetxattr((int)n[0], name, value, size, (int)n[2]);
    return n[1] ? setxattr(path, name, value, size, (int)n[2])
                : lsetxattr(path, name, value, size, (int)n[2]);
}

static int remove_attribute(const char *path, const int64_t *n)
{
    const char *name = after(path);
    if (n[0] >= 0) return fremovexattr((int)n[0], name);
    return n[1] ? removexattr(path, name) : lremovexattr(path, name);
}

static int64_t attributes(const char *path, const int64_t *n, char *answer, size_t room)
{
    if (n[0] >= 0) return flistxattr((int)n[0], answer, room);
    return n[1] ? listxattr(path, answer, room) : llistxattr(path, answer, room);
}

// ---- terminals

// The other end of the terminal: what a program runs in. libutil's openpty() is not everywhere.
static int other_end(int controller)
{
    char name[40];
    if (grantpt(controller) < 0 || unlockpt(controller) < 0) return -1;
    if (of_error(ptsname_r(controller, name, sizeof name)) < 0) return -1;
    return open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
}

static int64_t new_terminal(int *ends)
{
    ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (ends[0] < 0) return -1;
    ends[1] = other_end(ends[0]);
    if (ends[1] < 0) outside_close_quietly(ends[0]);
    return ends[1] < 0 ? -1 : (int64_t)sizeof(int[2]);
}

// It becomes the terminal of a new session, and its standard streams.
static int take_terminal(int terminal)
{
    setsid();
    if (ioctl(terminal, TIOCSCTTY, NULL) < 0) return -1;
    for (int stream = 0; stream < 3; stream++)
        if (dup2(terminal, stream) < 0) return -1;
    if (terminal > 2) close(terminal);
    return 0;
}

// ---- the call

typedef enum Allowed { ANYBODY, OF_ITSELF, UNLIMITED, UNRECORDED, AT_LARGE } Allowed;

static bool may_call(Allowed allowed, const int64_t *n)
{
    if (allowed == ANYBODY || (allowed == OF_ITSELF && n[0] == 0)) return true;
    if (allowed == AT_LARGE) return !sandbox_is_entered() || system_refuse(EOPNOTSUPP) == 0;
    if (!sandbox_allows_processes()) return false;
    return allowed != UNRECORDED || !upcalls.recorder || system_refuse(ENOSYS) == 0;
}

static int64_t call_once(SystemCall which, const int64_t *n, const void *given, size_t given_size,
                         void *answer, size_t room)
{
    switch (which) {
#define SYSTEM_CALL(name, allowed, made)                                                           \
    case SYSTEM_##name: return may_call(allowed, n) ? (int64_t)(made) : -1;
#include "vm/outside/calls.def"
#undef SYSTEM_CALL
    }
    return system_refuse(ENOSYS);
}

static int64_t call_now(SystemCall which, const int64_t *numbers, CallBytes bytes)
{
    int64_t result;
    do result = call_once(which, numbers, bytes.given, bytes.given_size, bytes.answer, bytes.room);
    while (result < 0 && outside_try_again());
    return result;
}

int64_t outside_call(SystemCall which, const int64_t numbers[4], CallBytes bytes)
{
    OutsideCall call = {CALL_SYSTEM,
                        .numbers = {which, numbers[0], numbers[1]},
                        .asked = bytes.given,
                        .asked_size = bytes.given_size,
                        .answer = bytes.answer,
                        .room = bytes.room};
    return RECORDED(&call, call_now(which, numbers, bytes));
}
