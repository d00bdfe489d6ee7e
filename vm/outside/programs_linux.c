// Running other programs, and loading what a compiler has made. See outside.h.
//
// Nothing is written to a disk: the program's input, what it prints, what it complains about and
// what it makes are files in memory, which it finds as descriptors 0 to 3. So there is no pipe that
// could fill up, and one wait is all that is needed. Limits are kept from outside, by looking now
// and then: there is nothing in the program's own process that it could undo.
#include "vm/outside/outside_parts.h"
#include "vm/outside/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FILES (PROGRAM_FILES + 1) // descriptor 0 is its input
#define LOOK_EVERY 1000000        // nanoseconds between two looks at a program under limits

extern char **environ;

typedef struct Files {
    int descriptors[FILES]; // as the program finds them; -1 = not open
} Files;

static void close_files(const Files *files)
{
    int error = errno;
    for (int i = 0; i < FILES; i++)
        if (files->descriptors[i] >= 0) outside_close_aside(files->descriptors[i]);
    errno = error;
}

// A file in memory, under a number that is none of those that the program gets.
static int memory_file(void)
{
    int low = system_memory_file();
    int high = low < 0 ? -1 : outside_copy_aside(low);
    if (low >= 0) close(low);
    return high;
}

static bool write_file(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(file, bytes, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        bytes += count;
        size -= (size_t)count;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

static bool open_files(Files *files, const void *input, size_t size)
{
    for (int i = 0; i < FILES; i++) files->descriptors[i] = -1;
    for (int i = 0; i < FILES; i++)
        if ((files->descriptors[i] = memory_file()) < 0) return false;
    return write_file(files->descriptors[0], input, size);
}

static void add_files(posix_spawn_file_actions_t *actions, const Files *files)
{
    for (int i = 0; i < FILES; i++)
        posix_spawn_file_actions_adddup2(actions, files->descriptors[i], i);
}

// A process group of its own: Ctrl-C on the terminal reaches this process only, which then ends the
// program with all its helpers. Signals mean to it what they mean to any program.
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setsigdefault(attributes, &usual);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

// The id of the process; -1 with errno set.
static pid_t start(const char *const *command, const Files *files)
{
    pid_t process;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    add_files(&actions, files);
    set_attributes(&attributes);
    int error =
        posix_spawnp(&process, command[0], &actions, &attributes, (char *const *)command, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    errno = error;
    return error ? -1 : process;
}

// ---- limits

static int64_t resident_bytes(pid_t process)
{
    char path[40];
    long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    if (fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
    fclose(file);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static int64_t written_bytes(const Files *files)
{
    int64_t bytes = 0;
    for (int i = 1; i < FILES; i++) {
        struct stat status;
        if (fstat(files->descriptors[i], &status) == 0) bytes += status.st_size;
    }
    return bytes;
}

static int64_t now(void)
{
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static ProgramLimit limit_reached_by(pid_t process, const Program *program, const Files *files,
                                     int64_t started)
{
    if (program->time && now() - started > program->time) return PROGRAM_TIME;
    if (program->memory && resident_bytes(process) > program->memory) return PROGRAM_MEMORY;
    if (program->output && written_bytes(files) > program->output) return PROGRAM_OUTPUT;
    return PROGRAM_NO_LIMIT;
}

// ---- the end

// The whole group ends, also what the program has started and left running.
static void end_group(pid_t process, int *ended)
{
    int error = errno;
    kill(-process, SIGKILL);
    while (ended && waitpid(process, ended, 0) < 0 && errno == EINTR) {
    }
    errno = error;
}

// While a program runs SIGINT is let in here only: one that comes a moment before is not missed.
static void wait_a_while(int watched, bool limited, const sigset_t *usual)
{
    struct pollfd end = {.fd = watched, .events = POLLIN};
    struct timespec soon = {.tv_nsec = LOOK_EVERY};
    ppoll(&end, 1, limited || watched < 0 ? &soon : NULL, usual);
    errno = EINTR;
}

// False: a signal's handler has raised, or the wait failed.
static bool wait_watching(pid_t process, int watched, const Program *program, const Files *files,
                          const sigset_t *usual, ProgramEnd *end, int *ended)
{
    int64_t started = now();
    bool limited = program->time || program->memory || program->output;
    pid_t answer;
    errno = EINTR;
    while (outside_try_again() && (answer = waitpid(process, ended, WNOHANG)) >= 0) {
        if (answer > 0) return true;
        end->limit = limit_reached_by(process, program, files, started);
        if (end->limit != PROGRAM_NO_LIMIT) {
            end_group(process, ended);
            return true;
        }
        wait_a_while(watched, limited, usual);
    }
    end_group(process, ended);
    return false;
}

// Waits until the program ends, or reaches a limit and is ended. False: a signal's handler has
// raised, or the wait failed. No zombie is left.
static bool wait_for(pid_t process, const Program *program, const Files *files, ProgramEnd *end)
{
    int ended;
    sigset_t interrupt, usual;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &usual);
    int watched = (int)syscall(SYS_pidfd_open, process, 0); // -1, before Linux 5.3: it is looked at
    bool waited = wait_watching(process, watched, program, files, &usual, end, &ended);
    if (watched >= 0) close(watched);
    sigprocmask(SIG_SETMASK, &usual, NULL);
    if (!waited) return false;
    end_group(process, NULL);
    if (written_bytes(files) > program->output && program->output) end->limit = PROGRAM_OUTPUT;
    end->status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    return true;
}

// All of the file that there is room for: its size, or -1.
static ssize_t read_file(int file, char *bytes, size_t room)
{
    size_t used = 0;
    for (ssize_t count = 1; count != 0 && used < room;) {
        count = pread(file, bytes + used, room - used, (off_t)used);
        if (count < 0 && errno != EINTR) return -1;
        if (count > 0) used += (size_t)count;
    }
    return (ssize_t)used;
}

// The files one after the other, each cut to the room that is left: the size of all, or -1.
static ssize_t read_files(const Files *files, ProgramEnd *end, char *answer, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < PROGRAM_FILES; i++) {
        ssize_t count = read_file(files->descriptors[i + 1], answer + used, room - used);
        if (count < 0) return -1;
        end->sizes[i] = (size_t)count;
        used += end->sizes[i];
    }
    return (ssize_t)used;
}

// The ProgramEnd stands before the bytes: both are one recorded answer.
static ssize_t run_now(const Program *program, char *answer, size_t room)
{
    Files files;
    ProgramEnd end = {0};
    ssize_t count = -1;
    if (!sandbox_allows_processes()) return -1;
    pid_t process = open_files(&files, program->input, program->input_size)
                        ? start(program->command, &files)
                        : -1;
    if (process > 0 && wait_for(process, program, &files, &end)) {
        count = read_files(&files, &end, answer + sizeof end, room - sizeof end);
        if (count >= 0) count += (ssize_t)sizeof end;
        memcpy(answer, &end, sizeof end);
    }
    close_files(&files);
    return count;
}

bool outside_run(const Program *program, ProgramEnd *end, char *answer, size_t room)
{
    OutsideCall call = {CALL_RUN, .asked = program->input, .asked_size = program->input_size,
                        .answer = answer, .room = room};
    ssize_t count = (ssize_t)RECORDED(&call, run_now(program, answer, room));
    if (count < 0) return false;
    memcpy(end, answer, sizeof *end);
    memmove(answer, answer + sizeof *end, (size_t)count - sizeof *end);
    return true;
}

// ---- libraries

// The descriptor stays open as long as the library: dlopen() knows a library by its path.
bool outside_load(SharedLibrary *library, const void *bytes, size_t size)
{
    char path[40];
    library->handle = NULL;
    library->descriptor = sandbox_allows_processes() ? memory_file() : -1;
    if (library->descriptor < 0) return false;
    snprintf(path, sizeof path, "/proc/self/fd/%d", library->descriptor);
    if (write_file(library->descriptor, bytes, size))
        library->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library->handle) outside_unload(library);
    return library->handle;
}

void *outside_symbol(const SharedLibrary *library, const char *name)
{
    return dlsym(library->handle, name);
}

void outside_unload(SharedLibrary *library)
{
    if (library->handle) dlclose(library->handle);
    outside_close_aside(library->descriptor);
}
