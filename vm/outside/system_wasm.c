// See system.h: WebAssembly, under node and in a browser.
//
// There is one process and nobody who sends it a signal: Stop in the playground ends the whole
// instance. What is asked of the system all the same is refused with ENOSYS. Standard input comes
// by lines, from node or from the page's glue (vm/playground/).
#include "vm/outside/system.h"

#include "objects/upcalls.h"

#include <emscripten.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- errors

static const struct {
    int wasi, linux_number;
    const char *text;
} errors[] = {
#define ERROR(name, wasi, linux, text) {wasi, linux, text},
#include "vm/outside/wasm/errors.def"
#undef ERROR
};
#define ERRORS (sizeof errors / sizeof *errors)

int system_error(int number)
{
    for (size_t i = 0; i < ERRORS; i++)
        if (number && errors[i].wasi == number) return errors[i].linux_number;
    return number;
}

int system_refuse(int linux_number)
{
    errno = 0;
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].linux_number == linux_number) errno = errors[i].wasi;
    invariant(errno, "an error that minivm makes itself has a number of WASI's");
    return -1;
}

// Instead of the C library's, which knows WASI's numbers.
char *strerror(int number)
{
    static char unknown[32];
    for (size_t i = 0; i < ERRORS; i++)
        if (errors[i].linux_number == number) return (char *)(uintptr_t)errors[i].text;
    snprintf(unknown, sizeof unknown, number ? "Unknown error %d" : "Success", number);
    return unknown;
}

static int refuse(void)
{
    return system_refuse(ENOSYS);
}

// ---- what it has not

const char *outside_lacks(OutsideFeature feature)
{
    switch (feature) {
    case FEATURE_PROCESSES:
        return "there are no processes here for the debugger to go back with; record the run "
               "instead (--trace-html, \"Step through\" in the playground)";
    case FEATURE_PROGRAMS: return "other programs cannot be started here";
    case FEATURE_LIBRARIES:
        return "there are no shared libraries here; set a callback from the program instead "
               "(tests/cache has examples), or use minivm on Linux";
    }
    return NULL;
}

ssize_t system_random(void *bytes, size_t size)
{
    size_t part = size < 256 ? size : 256; // no more at once
    return getentropy(bytes, part) ? -1 : (ssize_t)part;
}

// Nobody counts the processor's time there: what has passed stands for it.
clockid_t system_clock_id(Clock clock)
{
    return clock == CLOCK_WALL ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

// ---- descriptors

// emcc duplicates a descriptor by opening its path again, with the flags of the first time: a file
// would be emptied again.
EM_JS(void, forget_creation, (int descriptor, int creation), {
    const stream = FS.getStream(descriptor);
    if (stream) stream.flags &= ~creation;
})

// The link of /proc can be read, not followed.
bool system_folder_path(int folder, char path[PATH_MAX])
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t size = fcntl(folder, F_GETFD) < 0 ? -1 : readlink(link, path, PATH_MAX - 1);
    if (size >= 0) path[size] = 0;
    return size >= 0;
}

int system_open(int folder, const char *name, int flags, int mode)
{
    int descriptor = openat(folder, name, flags, mode);
    forget_creation(descriptor, O_CREAT | O_EXCL | O_TRUNC);
    return descriptor;
}

// That of emcc 3.1.6 takes the addresses of the texts for the texts.
EM_JS(int, make_symlink, (const char *text, int folder, const char *name), {
    try {
        FS.symlink(UTF8ToString(text), SYSCALLS.calculateAt(folder, UTF8ToString(name)));
        return 0;
    } catch (error) {
        if (!(error instanceof FS.ErrnoError)) throw error;
        return error.errno;
    }
})

int system_symlink(const char *text, int folder, const char *name)
{
    int number = make_symlink(text, folder, name);
    if (number == 0) return 0;
    errno = number;
    return -1;
}

ssize_t system_read_at(int descriptor, void *bytes, size_t size, int64_t position, int flags)
{
    return flags ? refuse() : pread(descriptor, bytes, size, position);
}

ssize_t system_write_at(int descriptor, const void *bytes, size_t size, int64_t position, int flags)
{
    return flags ? refuse() : pwrite(descriptor, bytes, size, position);
}

// A socket's name is an ordinary file: there is no such kind in the memory of a page. (Under node
// emcc's mknod() empties a file that is there.)
int system_make_node(int folder, const char *name, mode_t mode, dev_t device)
{
    (void)device;
    if (S_ISFIFO(mode) || S_ISCHR(mode) || S_ISBLK(mode)) return refuse();
    if ((mode & S_IFMT) && !S_ISREG(mode) && !S_ISSOCK(mode)) return system_refuse(EINVAL);
    int made = openat(folder, name, O_CREAT | O_EXCL | O_WRONLY, mode & 07777);
    if (made >= 0) close(made);
    return made < 0 ? -1 : 0;
}

// emcc's poll() is silent about what is closed.
int system_poll(struct pollfd *polled, size_t count, int milliseconds)
{
    int ready = poll(polled, count, milliseconds);
    for (size_t i = 0; ready >= 0 && i < count; i++) {
        if (polled[i].fd < 0 || fcntl(polled[i].fd, F_GETFD) >= 0) continue;
        ready += polled[i].revents == 0;
        polled[i].revents = POLLNVAL;
    }
    return ready;
}

// ---- the terminal

// emcc's ioctl() ends the program where it does not know a request.
int system_terminal_request(int descriptor, int request, int number)
{
    (void)request, (void)number;
    return fcntl(descriptor, F_GETFD) < 0 ? -1 : system_refuse(25); // ENOTTY
}

bool system_terminal_mode(TerminalMode mode)
{
    (void)mode;
    return false;
}

int system_terminal_width(int descriptor)
{
    (void)descriptor;
    return 0;
}

int system_suspend(void)
{
    return refuse();
}

// Here vm/playground/worker.js puts a function that suspends the call. It is not in read() itself:
// files are read below frames of JavaScript, which nothing can suspend (those of setjmp()).
EM_JS(void, await_line, (void), {})

bool system_await_input(void)
{
    await_line();
    return true;
}

// ---- signals

void outside_signals_init(void) {}

bool outside_take_interrupt(void)
{
    eval_breaker.signal = false;
    return false;
}

_Noreturn void outside_die_by_interrupt(void)
{
    _exit(130);
}

void outside_ignore_interrupts(void) {}
void outside_report_crashes(void (*report)(const char *name))
{
    (void)report; // the browser says where its own machine stopped
}
void outside_write_last(const char *text, size_t size)
{
    outside_write(2, text, size);
}

void outside_end_soon(int descriptor, const char *message, int status)
{
    (void)descriptor, (void)message, (void)status;
}

bool outside_set_deadline(int64_t nanoseconds, int descriptor, const char *message, int status)
{
    (void)nanoseconds, (void)descriptor, (void)message, (void)status;
    return refuse() == 0;
}

bool outside_is_late(void)
{
    return false;
}

// ---- processes

int outside_fork(void)
{
    return refuse();
}

int outside_pid(void)
{
    return 1;
}

bool outside_wait(int pid, int *status)
{
    (void)pid, (void)status;
    errno = ECHILD;
    return false;
}

bool outside_reap(void)
{
    return false;
}

bool outside_adopt(void)
{
    return false;
}

void outside_keep_children(void) {}

bool outside_kill(int pid, int number)
{
    (void)pid, (void)number;
    return refuse() == 0;
}

bool outside_process_lives(int pid)
{
    return pid == outside_pid();
}

// A copy is this process: what its memory was is put back after the call. (The engine's stack
// is as it was when an exception has been caught.) Variables of C are in memory, this one too.
static bool is_copy;

// clang-format off
EM_JS(void, run_and_put_back, (const void *called, const void *argument, char *shared,
                               size_t size, size_t used), {
    const before = HEAPU8.slice(0, used), stack = stackSave();
    try {
        getWasmTableEntry(called)(argument);
    } catch (error) { /* its end, be it by end_copy() or by the engine */ }
    const answer = HEAPU8.slice(shared, shared + size);
    HEAPU8.fill(0, used);
    HEAPU8.set(before);
    HEAPU8.set(answer, shared);
    stackRestore(stack);
})
EM_JS(void, end_copy, (void), { throw new Error("the copy has ended"); })
// clang-format on

bool outside_run_copy(void (*function)(const void *), const void *argument, char *shared,
                      size_t size)
{
    is_copy = true;
    run_and_put_back((const void *)(uintptr_t)function, argument, shared, size,
                     (size_t)(uintptr_t)sbrk(0));
    is_copy = false;
    return true;
}

_Noreturn void outside_end(int status)
{
    if (is_copy) end_copy();
    _exit(status);
}

void outside_end_with_parent(void) {}

void outside_end_without(int guardian)
{
    (void)guardian;
}

long outside_page_faults(void)
{
    return 0;
}

// ---- wake-ups

bool wakeup_init(Wakeup *wakeup)
{
    (void)wakeup;
    return refuse() == 0;
}

void wakeup_post(Wakeup *wakeup)
{
    (void)wakeup;
}

bool wakeup_wait(Wakeup *wakeup, int milliseconds)
{
    (void)wakeup, (void)milliseconds;
    return false;
}

int system_memory_file(void)
{
    char name[] = "/tmp/minivmXXXXXX";
    int file = mkstemp(name);
    if (file >= 0) unlink(name);
    return file;
}
