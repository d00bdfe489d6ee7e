// The part of outside.h that a program needs for other processes, and for signals of its own.
//
// Functions that fail return -1 or false with errno set. In a sandbox and under limits nothing is
// started, and no signal sent (EPERM). While a recorder is there, signals from outside are not
// caught, as they would come at another moment when the program runs once more.
#pragma once

#include "vm/outside/outside.h"

// ---- starting and waiting

// What a process begins with. `files` are tried in order; the first that can be run is.
typedef struct NewProcess {
    char *const *files, *const *arguments; // each ends with NULL
    char *const *environment;              // likewise; NULL = that of this process
    const char *folder;                    // NULL = the same
    int streams[3];    // what become descriptors 0, 1 and 2; -1 = they are inherited
    int other_ends[4]; // descriptors that only this process needs; -1 = none
    int report;        // where a failure is reported, as Popen reads it
    const int *kept;   // descriptors that stay open, ascending, `report` among them
    size_t kept_count;
    bool closes_others;  // above 2
    bool usual_signals;  // what minivm ignores has its usual effect again
    bool new_session;    // setsid(2)
    int64_t user, group; // -1 = the same
    const int64_t *groups;
    ssize_t group_count;     // -1 = the same
    int mask;                // of the modes of files, -1 = the same
    bool (*prepare)(void *); // is called in the new process; false = it failed
    void *prepared;
} NewProcess;
int outside_start(const NewProcess *process); // its number

// What a process has used: times in nanoseconds, and ru_maxrss to ru_nivcsw of getrusage(2).
typedef struct ResourceUsage {
    int64_t user, system, counts[14];
} ResourceUsage;
bool outside_resource_usage(int who, ResourceUsage *usage);
// prlimit(2): -1 = no limit. `limits` NULL only asks.
#define RESOURCE_COUNT 16
bool outside_resource_limit(int process, int resource, const int64_t limits[2], int64_t before[2]);
// wait4(2): the number of the child, 0 = with WNOHANG none has ended. The status is the system's.
int outside_wait_child(int pid, int options, int *status, ResourceUsage *usage);
int outside_copy_process(void); // fork(2) for a program: not while it is recorded (ENOSYS)
// execve(2) in this process, which returns only where it fails.
int outside_become(const char *file, char *const *arguments, char *const *environment);
int outside_shell(const char *command); // system(3): the status; -1

// fcntl(2), ioctl(2) and flock(2): the argument is a number, or bytes that the call may change. A
// sandbox allows what concerns only the program's own descriptors.
typedef enum ControlKind { CONTROL_FILE, CONTROL_DEVICE, CONTROL_LOCK } ControlKind;
int64_t outside_control(ControlKind kind, int descriptor, unsigned request, int64_t number,
                        void *bytes, size_t size);

// ---- the port of the debugger (--dap=PORT), on the loopback address: descriptors

int outside_listen(int *port); // 0 = any that is free; which one is put there
int outside_accept(int listener);

// ---- signals

#define SIGNAL_COUNT 65
typedef enum SignalAction {
    SIGNAL_DEFAULT,
    SIGNAL_IGNORED,
    SIGNAL_CAUGHT,
    SIGNAL_OTHER
} SignalAction;
// Caught: the signal is noted, and eval_breaker.signal set.
bool outside_set_signal(int number, SignalAction action);
SignalAction outside_signal(int number);
int outside_take_signal(void);        // one that was noted; 0 = there is none (any more)
void outside_on_signal(int number);   // the handler of those that are caught
void outside_note_signal(int number); // as if it had been caught
void outside_forget_signal(int number);
bool outside_send_signal(int pid, int number, bool to_group);
bool outside_restart_after(int number, bool restarts); // siginterrupt(3)
// A byte, the number, is written to the descriptor for each signal that is caught; -1 = none.
int outside_set_wakeup(int descriptor);
// Seconds and interval in nanoseconds, of a timer by its number (ITIMER_REAL): `before` gets what
// was left of the one before. EPERM: a limit of time needs it.
bool outside_set_timer(int which, const int64_t times[2], int64_t before[2]);
bool outside_timer(int which, int64_t times[2]);
bool outside_pause(void); // until a signal has been caught; false: its handler raised
// pthread_sigmask(3): masks are one bit for each number. `how` < 0 only asks.
bool outside_signal_mask(int how, uint64_t mask, uint64_t *before);
uint64_t outside_pending_signals(void);
// sigtimedwait(2) for one of the mask, at most so long, < 0 = for ever. fields: number, code,
// errno, process, user, status, band. -1 = none in that time (EAGAIN).
int outside_await_signal(uint64_t mask, int64_t nanoseconds, int64_t fields[7]);
