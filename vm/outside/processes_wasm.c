// Processes and signals for WebAssembly: there are none (processes.h). See system.h.
#include "vm/outside/processes.h"

#include "vm/outside/outside_parts.h"

static int refuse(void)
{
    return system_refuse(ENOSYS);
}

int outside_start(const NewProcess *process)
{
    (void)process;
    return refuse();
}

int outside_wait_child(int pid, int options, int *status, ResourceUsage *usage)
{
    (void)pid, (void)options, (void)status, (void)usage;
    return system_refuse(ECHILD);
}

bool outside_resource_usage(int who, ResourceUsage *usage)
{
    (void)who, (void)usage;
    return refuse() == 0;
}

bool outside_resource_limit(int process, int resource, const int64_t limits[2], int64_t before[2])
{
    (void)process, (void)resource, (void)limits, (void)before;
    return refuse() == 0;
}

int64_t outside_control(ControlKind kind, int descriptor, unsigned request, int64_t number,
                        void *bytes, size_t size)
{
    (void)kind, (void)descriptor, (void)request, (void)number, (void)bytes, (void)size;
    return refuse();
}

int outside_copy_process(void)
{
    return refuse();
}

int outside_become(const char *file, char *const *arguments, char *const *environment)
{
    (void)file, (void)arguments, (void)environment;
    return refuse();
}

int outside_shell(const char *command)
{
    (void)command;
    return refuse();
}

// A signal that the program sends itself by raise_signal() is the only one.
static int noted;

bool outside_set_signal(int number, SignalAction action)
{
    (void)number, (void)action;
    return true;
}

SignalAction outside_signal(int number)
{
    (void)number;
    return SIGNAL_DEFAULT;
}

void outside_note_signal(int number)
{
    noted = number;
    eval_breaker.signal = true;
}

void outside_forget_signal(int number)
{
    if (noted == number) noted = 0;
}

int outside_take_signal(void)
{
    int number = noted;
    noted = 0;
    return number;
}

bool outside_send_signal(int pid, int number, bool to_group)
{
    (void)pid, (void)number, (void)to_group;
    return refuse() == 0;
}

bool outside_restart_after(int number, bool restarts)
{
    (void)number, (void)restarts;
    return true;
}

int outside_set_wakeup(int descriptor)
{
    (void)descriptor;
    return -1;
}

bool outside_set_timer(int which, const int64_t times[2], int64_t before[2])
{
    (void)which, (void)times, (void)before;
    return refuse() == 0;
}

bool outside_timer(int which, int64_t times[2])
{
    (void)which;
    times[0] = times[1] = 0;
    return true;
}

bool outside_pause(void)
{
    return refuse() == 0;
}

bool outside_signal_mask(int how, uint64_t mask, uint64_t *before)
{
    (void)how, (void)mask, (void)before;
    return refuse() == 0;
}

uint64_t outside_pending_signals(void)
{
    return 0;
}

int outside_await_signal(uint64_t mask, int64_t nanoseconds, int64_t fields[7])
{
    (void)mask, (void)nanoseconds, (void)fields;
    return refuse();
}

int outside_listen(int *port)
{
    (void)port;
    return refuse();
}

int outside_accept(int listener)
{
    (void)listener;
    return refuse();
}
