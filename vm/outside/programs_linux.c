// Running other programs, and loading what a compiler has made. See outside.h.
//
// Nothing is written to a disk: the program's input, what it makes and what it complains about are
// files in memory, which it finds as descriptors 0, 3 and 2. So there is no pipe that could fill
// up, and one wait is all that is needed.
#include "vm/outside/outside_parts.h"
#include "vm/outside/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MADE 3 // where the program writes its file

extern char **environ;

typedef struct Files {
    int input, made, messages; // -1 = not open
} Files;

static void close_files(const Files *files)
{
    int error = errno;
    if (files->input >= 0) close(files->input);
    if (files->made >= 0) close(files->made);
    if (files->messages >= 0) close(files->messages);
    errno = error;
}

// A file in memory, under a number that is none of those that the program gets.
static int memory_file(void)
{
    int low = memfd_create("minivm", MFD_CLOEXEC);
    int high = low < 0 ? -1 : outside_copy_aside(low);
    if (low >= 0) close(low);
    return high;
}

static bool write_file(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(file, bytes, size);
        if (count < 0) return false;
        bytes += count;
        size -= (size_t)count;
    }
    return lseek(file, 0, SEEK_SET) == 0;
}

static bool open_files(Files *files, const void *input, size_t size)
{
    files->input = memory_file();
    files->made = memory_file();
    files->messages = memory_file();
    return files->input >= 0 && files->made >= 0 && files->messages >= 0 &&
           write_file(files->input, input, size);
}

static void add_files(posix_spawn_file_actions_t *actions, const Files *files)
{
    posix_spawn_file_actions_adddup2(actions, files->input, 0);
    posix_spawn_file_actions_adddup2(actions, files->messages, 1);
    posix_spawn_file_actions_adddup2(actions, files->messages, 2);
    posix_spawn_file_actions_adddup2(actions, files->made, MADE);
}

// A process group of its own: Ctrl-C on the terminal reaches this process only, which then ends the
// program with all its helpers. Signals mean to it what they mean to any program.
static void set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGPIPE);
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
    int error = posix_spawnp(&process, command[0], &actions, &attributes, (char *const *)command,
                             environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    errno = error;
    return error ? -1 : process;
}

// Waits for the end. A signal's handler that raises ends the program first: no zombie is left.
static bool wait_for(pid_t process, int *status)
{
    int ended;
    while (waitpid(process, &ended, 0) < 0) {
        if (outside_try_again()) continue;
        int error = errno;
        kill(-process, SIGTERM);
        while (waitpid(process, &ended, 0) < 0 && errno == EINTR) {}
        errno = error;
        return false;
    }
    *status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    return true;
}

// The exit status stands before the bytes: both are one recorded answer.
static ssize_t run_now(const char *const *command, const void *input, size_t size, char *answer,
                       size_t room)
{
    Files files = {-1, -1, -1};
    ssize_t count = -1;
    int status;
    if (!sandbox_allows_processes()) return -1;
    pid_t process = open_files(&files, input, size) ? start(command, &files) : -1;
    if (process > 0 && wait_for(process, &status)) {
        answer[0] = (char)status;
        count = pread(status ? files.messages : files.made, answer + 1, room - 1, 0) + 1;
    }
    close_files(&files);
    return count;
}

ssize_t outside_run(const char *const *command, const void *input, size_t size, int *status,
                    char *answer, size_t room)
{
    OutsideCall call = {CALL_RUN, .asked = input, .asked_size = size, .answer = answer,
                        .room = room};
    ssize_t count =
        (ssize_t)RECORDED(&call, run_now(command, input, size, answer, room));
    if (count <= 0) return -1;
    *status = (unsigned char)answer[0];
    memmove(answer, answer + 1, (size_t)count - 1);
    return count - 1;
}

// ---- libraries

// The descriptor stays open as long as the library: dlopen() knows a library by its path.
bool outside_load(SharedLibrary *library, const void *bytes, size_t size)
{
    char path[40];
    library->handle = NULL;
    library->descriptor = sandbox_is_entered() ? -1 : memory_file();
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
    close(library->descriptor);
}
