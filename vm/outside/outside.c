// See outside.h. Every system call that minivm makes, but for memory, is in this room.
#include "vm/outside/outside_parts.h"

#include "vm/outside/library_door.h"
#include "vm/outside/sandbox.h"
#include "vm/outside/system.h"

#include "objects/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READ_ALL_STEP 65536
#define MOST_AT_ONCE ((size_t)1 << 24) // a signal waits for no more than this
#define ASIDE 255 // the least number of a duplicate made for minivm itself, if so many are allowed

bool outside_try_again(void)
{
    if (system_error(errno) != EINTR) return false;
    if (poll_signals()) return true;
    return system_refuse(EINTR) == 0;
}

// ---- recording

// While there is a recorder, the position in a file is kept here: processes that are forked share
// the system's, and one that repeats the reading of another has to end where that one did.
#define MAX_FILES 1024
static struct {
    bool opened; // by outside_open(), or the duplicate of one that was
    int twin;    // the duplicates of a descriptor, which share the position, form a ring
    off_t position;
} files[MAX_FILES];

static bool keeps_position(int descriptor)
{
    return upcalls.recorder && descriptor >= 0 && descriptor < MAX_FILES &&
           files[descriptor].opened;
}

static bool lies_aside[MAX_FILES]; // minivm's own

bool outside_is_aside(int descriptor)
{
    if (descriptor < 0 || descriptor >= MAX_FILES || !lies_aside[descriptor]) return false;
    system_refuse(EBADF);
    return true;
}

// Of descriptors 0 and 1, which the program may close.
static int input_copy = -1, output_copy = -1;
static int program_output = -1; // what descriptor 1 was when the prompt took it; -1: closed
static bool has_output, was_opened;
static int terminal_input = -1; // where the prompt reads instead

void outside_keep_positions(void)
{
    input_copy = outside_copy_aside(0);
    if (input_copy < 0 && system_error(errno) != EBADF) input_copy = 0; // serves while open
    output_copy = outside_copy_aside(1);
    for (int i = 0; i < MAX_FILES; i++)
        if (files[i].opened) files[i].position = lseek(i, 0, SEEK_CUR);
}

// Before a call that begins at the file position. (Files that cannot seek ignore it.)
static void go_to_position(int descriptor)
{
    if (keeps_position(descriptor)) lseek(descriptor, files[descriptor].position, SEEK_SET);
}

static void set_position(int descriptor, off_t position)
{
    int twin = descriptor;
    do {
        files[twin].position = position;
        twin = files[twin].twin;
    } while (twin != descriptor);
}

static ssize_t advance(int descriptor, ssize_t count)
{
    if (count > 0 && keeps_position(descriptor))
        set_position(descriptor, files[descriptor].position + count);
    return count;
}

static void set_closed(int descriptor)
{
    if (descriptor >= MAX_FILES || !files[descriptor].opened) return;
    int before = descriptor;
    while (files[before].twin != descriptor) before = files[before].twin;
    files[before].twin = files[descriptor].twin;
    files[descriptor].opened = false;
}

void outside_take_output(void)
{
    if (output_copy < 0) return;
    program_output = outside_copy_aside(1);
    has_output = program_output >= 0 || system_error(errno) == EBADF;
    if (!has_output) return;
    dup2(output_copy, 1);
    was_opened = files[1].opened;
    files[1].opened = false;
}

void outside_give_output(void)
{
    if (!has_output) return;
    has_output = false;
    files[1].opened = was_opened;
    if (program_output < 0) {
        close(1);
        return;
    }
    dup2(program_output, 1);
    outside_close_aside(program_output);
}

static void set_opened(int descriptor)
{
    if (descriptor >= MAX_FILES) return;
    set_closed(descriptor);
    files[descriptor].opened = true;
    files[descriptor].twin = descriptor;
    files[descriptor].position = 0;
}

void outside_set_duplicated(int descriptor, int duplicate)
{
    if (duplicate >= MAX_FILES || duplicate == descriptor) return;
    set_closed(duplicate);
    if (descriptor >= MAX_FILES || !files[descriptor].opened) return;
    files[duplicate] = files[descriptor];
    files[descriptor].twin = duplicate;
}

// ---- how much may be written

static int64_t output_left = INT64_MAX;
static void (*output_ended)(void);

void outside_limit_output(int64_t bytes, void (*reached)(void))
{
    output_left = bytes;
    output_ended = reached;
}

// Will opening it for writing count? Where nothing is limited, nobody asks the system.
static bool would_make(const Location *location, int flags)
{
    struct stat status;
    return output_ended && flags & O_CREAT &&
           fstatat(location->folder, location->name, &status, location->at_flags) < 0;
}

int outside_made(int result, size_t text_size)
{
    int64_t size = NEW_NAME + (int64_t)text_size;
    if (!output_ended || result < 0) return result;
    if (size > output_left) output_ended();
    output_left -= size;
    return result;
}

// ---- files by descriptor

static int open_once(const char *path, int flags, int mode)
{
    Location location;
    const char *inside = door_inside(path);
    if (inside) return door_open(inside, flags | O_CLOEXEC);
    if (!sandbox_find(path, !(flags & O_NOFOLLOW), &location)) return -1;
    bool makes = would_make(&location, flags);
    flags |= O_CLOEXEC | location.open_flags;
    int descriptor = system_open(location.folder, location.name, flags, mode);
    sandbox_leave(&location);
    return makes ? outside_made(descriptor, 0) : descriptor;
}

static int open_now(const char *path, int flags, int mode)
{
    int descriptor;
    do descriptor = open_once(path, flags, mode);
    while (descriptor < 0 && outside_try_again());
    return descriptor;
}

// For calls to come, what was opened in the recorded part is open in this process too.
static void open_again(const char *path, int flags, int descriptor)
{
    int mild = flags & ~(O_CREAT | O_EXCL | O_TRUNC);
    int opened = open_once(path, mild | O_NONBLOCK, 0);
    if (opened < 0) opened = open("/dev/null", (mild & O_ACCMODE) | O_CLOEXEC);
    fcntl(opened, F_SETFL, flags); // O_NONBLOCK was for a pipe with no process at the other end
    if (opened == descriptor) return;
    dup3(opened, descriptor, O_CLOEXEC);
    close(opened);
}

int outside_open(const char *path, int flags, int mode)
{
    OutsideCall call = {CALL_OPEN, .numbers = {flags, mode}, .asked = path,
                        .asked_size = strlen(path)};
    int descriptor = (int)RECORDED(&call, open_now(path, flags, mode));
    if (descriptor < 0) return descriptor;
    if (call.replayed) open_again(path, flags, descriptor);
    set_opened(descriptor);
    return descriptor;
}

int outside_close(int descriptor)
{
    OutsideCall call = {CALL_CLOSE, .numbers = {descriptor}};
    int result = (int)RECORDED(&call, close(descriptor));
    if (result < 0) return result;
    if (call.replayed) close(descriptor);
    set_closed(descriptor);
    return result;
}

// No process has a descriptor above its limit.
static int close_range_now(int first, int end)
{
    long most = sysconf(_SC_OPEN_MAX);
    if (most >= 0 && end > most) end = (int)most;
    for (int descriptor = first > 0 ? first : 0; descriptor < end; descriptor++)
        if (!outside_is_aside(descriptor)) close(descriptor);
    return 0;
}

void outside_close_range(int first, int end)
{
    OutsideCall call = {CALL_CLOSE_RANGE, .numbers = {first, end}};
    RECORDED(&call, close_range_now(first, end));
    if (call.replayed) close_range_now(first, end);
    for (int descriptor = first > 0 ? first : 0; descriptor < end && descriptor < MAX_FILES;)
        set_closed(descriptor++);
}

static ssize_t read_descriptor(int descriptor, void *bytes, size_t size)
{
    ssize_t count;
    go_to_position(descriptor);
    do {
        if ((descriptor == 0 || descriptor == input_copy) && !system_await_input())
            return system_refuse(EINTR);
        count = read(descriptor, bytes, size);
    } while (count < 0 && outside_try_again());
    return count;
}

// Not if the program has closed it and opened another file with its number.
static bool is_input(int descriptor)
{
    return descriptor == 0 && upcalls.recorder && !files[0].opened;
}

// While there is a recorder, a read of standard input gets one line at most (in raw mode it ends
// with a carriage return): the next line may be meant for the prompt, or for the program.
static ssize_t read_input(char *bytes, size_t size)
{
    RecordedInput *input = upcalls.recorder->input;
    if (input->at == input->end && size > 0) {
        ssize_t count = read_descriptor(input_copy, input->bytes, sizeof input->bytes);
        if (count <= 0) return count;
        input->at = 0;
        input->end = (size_t)count;
    }
    size_t count = 0;
    char last = 0;
    while (count < size && input->at < input->end && last != '\n' && last != '\r')
        last = bytes[count++] = input->bytes[input->at++];
    return (ssize_t)count;
}

static ssize_t read_now(int descriptor, void *bytes, size_t size)
{
    if (is_input(descriptor)) return read_input(bytes, size);
    return read_descriptor(descriptor, bytes, size);
}

ssize_t outside_read(int descriptor, void *bytes, size_t size)
{
    OutsideCall call = {CALL_READ, .numbers = {descriptor}, .answer = bytes, .room = size};
    return advance(descriptor, (ssize_t)RECORDED(&call, read_now(descriptor, bytes, size)));
}

static ssize_t read_at_now(int descriptor, void *bytes, size_t size, int64_t position, int flags)
{
    ssize_t count;
    do count = system_read_at(descriptor, bytes, size, position, flags);
    while (count < 0 && outside_try_again());
    return count;
}

ssize_t outside_read_at(int descriptor, void *bytes, size_t size, int64_t position, int flags)
{
    OutsideCall call = {CALL_READ_AT, .numbers = {descriptor, position, flags}, .answer = bytes,
                        .room = size};
    return (ssize_t)RECORDED(&call, read_at_now(descriptor, bytes, size, position, flags));
}

ssize_t outside_read_input(void *bytes, size_t size)
{
    if (terminal_input >= 0) return read_descriptor(terminal_input, bytes, size);
    return upcalls.recorder ? read_input(bytes, size) : outside_read(0, bytes, size);
}

bool outside_commands_from_terminal(void)
{
    int opened = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (opened < 0) return false;
    terminal_input = outside_copy_aside(opened);
    close(opened);
    return terminal_input >= 0;
}

// ---- writing

// `place`: NULL = where the file is; else the position and flags.
static ssize_t write_some(int descriptor, const void *bytes, size_t size, const int64_t *place)
{
    ssize_t count;
    if (!place) go_to_position(descriptor);
    do
        count = place ? system_write_at(descriptor, bytes, size, place[0], (int)place[1])
                      : write(descriptor, bytes, size);
    while (count < 0 && outside_try_again());
    return count;
}

// What minivm writes aside is not the program's. A pipe may take less than it is given.
static ssize_t write_now(int descriptor, const void *bytes, size_t size, const int64_t *place)
{
    if (!output_ended || outside_is_aside(descriptor))
        return write_some(descriptor, bytes, size, place);
    size_t allowed = size > (uint64_t)output_left ? (size_t)output_left : size;
    ssize_t count = write_some(descriptor, bytes, allowed, place);
    if (count > 0) output_left -= count;
    if (allowed < size && count == (ssize_t)allowed) output_ended();
    return count;
}

ssize_t outside_write(int descriptor, const void *bytes, size_t size)
{
    OutsideCall call = {CALL_WRITE, .numbers = {descriptor}, .asked = bytes, .asked_size = size};
    return advance(descriptor, (ssize_t)RECORDED(&call, write_now(descriptor, bytes, size, NULL)));
}

ssize_t outside_write_at(int descriptor, const void *bytes, size_t size, int64_t position,
                         int flags)
{
    OutsideCall call = {CALL_WRITE_AT, .numbers = {descriptor, position, flags}, .asked = bytes,
                        .asked_size = size};
    return (ssize_t)RECORDED(
        &call, write_now(descriptor, bytes, size, (const int64_t[2]){position, flags}));
}

bool outside_write_all(int descriptor, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t count = outside_write(descriptor, at, size);
        if (count < 0) return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

// Bytes of standard input that were read and not yet returned are read again from the new file
// position.
static void give_back_input(void)
{
    RecordedInput *input = upcalls.recorder->input;
    if (lseek(0, (off_t)input->at - (off_t)input->end, SEEK_CUR) >= 0) input->at = input->end;
}

static off_t seek_now(int descriptor, off_t offset, int whence)
{
    if (is_input(descriptor)) give_back_input();
    go_to_position(descriptor);
    return lseek(descriptor, offset, whence);
}

off_t outside_seek(int descriptor, off_t offset, int whence)
{
    OutsideCall call = {CALL_SEEK, .numbers = {descriptor, offset, whence}};
    off_t position = RECORDED(&call, seek_now(descriptor, offset, whence));
    if (position >= 0 && keeps_position(descriptor)) set_position(descriptor, position);
    return position;
}

static int truncate_now(int descriptor, off_t size)
{
    int result;
    RETRIED(result, ftruncate(descriptor, size));
    return result;
}

int outside_truncate(int descriptor, off_t size)
{
    OutsideCall call = {CALL_TRUNCATE, .numbers = {descriptor, size}};
    return (int)RECORDED(&call, truncate_now(descriptor, size));
}

bool outside_is_terminal(int descriptor)
{
    OutsideCall call = {CALL_IS_TERMINAL, .numbers = {descriptor}};
    return RECORDED(&call, isatty(descriptor));
}

int outside_copy_aside(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, ASIDE);
    if (copy < 0 && system_error(errno) == EINVAL) copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (copy >= 0 && copy < MAX_FILES) lies_aside[copy] = true;
    return copy;
}

int outside_close_aside(int descriptor)
{
    if (descriptor >= 0 && descriptor < MAX_FILES) lies_aside[descriptor] = false;
    return (int)outside_answered(close(descriptor));
}

int outside_terminal_width(int descriptor)
{
    OutsideCall call = {CALL_TERMINAL_WIDTH, .numbers = {descriptor}};
    return (int)RECORDED(&call, system_terminal_width(descriptor));
}

// ---- the terminal's mode

bool outside_terminal_mode(TerminalMode mode)
{
    OutsideCall call = {CALL_TERMINAL_MODE, .numbers = {mode}};
    return RECORDED(&call, system_terminal_mode(mode));
}

void outside_suspend(void)
{
    OutsideCall call = {.kind = CALL_SUSPEND};
    RECORDED(&call, system_suspend());
}

// ---- files by name

static FileKind kind_of(int64_t result, const struct stat *status)
{
    if (result < 0) return errno == ENOTDIR ? FILE_INSIDE_FILE : FILE_MISSING;
    if (S_ISREG(status->st_mode)) return FILE_REGULAR;
    return S_ISDIR(status->st_mode) ? FILE_DIRECTORY : FILE_OTHER;
}

static FileKind file_kind_now(const char *path)
{
    struct stat status;
    Location location;
    const char *inside = door_inside(path);
    if (inside) return kind_of(outside_answered(door_status(inside, &status) ? 0 : -1), &status);
    if (!sandbox_find(path, true, &location)) return kind_of(outside_answered(-1), &status);
    int failed = fstatat(location.folder, location.name, &status, location.at_flags);
    sandbox_leave(&location);
    return kind_of(outside_answered(failed), &status);
}

FileKind outside_file_kind(const char *path)
{
    OutsideCall call = {CALL_FILE_KIND, .asked = path, .asked_size = strlen(path)};
    return (FileKind)RECORDED(&call, file_kind_now(path));
}

DIR *outside_open_folder(const char *path)
{
    Location location;
    if (!sandbox_find(path, true, &location)) return NULL;
    int flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC | location.open_flags, descriptor;
    RETRIED(descriptor, openat(location.folder, location.name, flags));
    sandbox_leave(&location);
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!folder) outside_close_quietly(descriptor);
    return folder;
}

static ssize_t list_folder(const char *path, char *names, size_t room)
{
    DIR *folder = outside_open_folder(path);
    if (!folder) return -1;
    size_t size = 0;
    for (const struct dirent *entry; (errno = 0, entry = readdir(folder));) {
        struct stat status;
        size_t length = strlen(entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (size + length + 2 > room) break;
        int failed = fstatat(dirfd(folder), entry->d_name, &status,
                             sandbox_is_entered() ? AT_SYMLINK_NOFOLLOW : 0);
        memcpy(names + size, entry->d_name, length);
        size += length;
        if (kind_of(failed, &status) == FILE_DIRECTORY) names[size++] = '/';
        names[size++] = 0;
    }
    int error = errno;
    closedir(folder);
    errno = error;
    return error ? -1 : (ssize_t)size;
}

ssize_t outside_list_folder(const char *path, char *names, size_t room)
{
    OutsideCall call = {CALL_LIST_FOLDER, .asked = path, .asked_size = strlen(path),
                        .answer = names, .room = room};
    return (ssize_t)RECORDED(&call, list_folder(path, names, room));
}

static FileKind descriptor_kind_now(int descriptor)
{
    struct stat status;
    int64_t answer = outside_answered(fstat(descriptor, &status));
    return answer < 0 && errno != EBADF ? FILE_OTHER : kind_of(answer, &status);
}

FileKind outside_descriptor_kind(int descriptor)
{
    OutsideCall call = {CALL_DESCRIPTOR_KIND, .numbers = {descriptor}};
    return (FileKind)RECORDED(&call, descriptor_kind_now(descriptor));
}

static char *give_up(char *bytes, int error)
{
    memory_free(bytes);
    errno = error;
    return NULL;
}

char *outside_read_all(int descriptor, size_t *size)
{
    return outside_read_all_by(outside_read, descriptor, size);
}

char *outside_read_all_by(ReadFn read, int descriptor, size_t *size)
{
    size_t capacity = READ_ALL_STEP, used = 0;
    char *bytes = memory_alloc(capacity);
    if (!bytes) return give_up(bytes, ENOMEM);
    for (ssize_t count = 1; count > 0; used += (size_t)count) {
        if (capacity - used < 2) { // for a byte and the NUL
            char *larger = memory_resize(bytes, capacity *= 2);
            if (!larger) return give_up(bytes, ENOMEM);
            bytes = larger;
        }
        size_t room = capacity - used - 1;
        count = read(descriptor, bytes + used, room < MOST_AT_ONCE ? room : MOST_AT_ONCE);
        if (count < 0) return give_up(bytes, errno);
        if (!poll_signals()) return give_up(bytes, EINTR);
    }
    bytes[used] = 0;
    *size = used;
    return bytes;
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

// How long a path is that was found, with its NUL; -1 where there is none.
static ssize_t path_size(const char *path)
{
    return path ? (ssize_t)strlen(path) + 1 : -1;
}

char *outside_working_directory(void)
{
    char path[PATH_MAX];
    OutsideCall call = {CALL_WORKING_DIRECTORY, .answer = path, .room = sizeof path};
    return RECORDED(&call, path_size(getcwd(path, sizeof path))) > 0 ? copy_path(path) : NULL;
}

// Where the path leads by the time it is resolved is looked at again.
static ssize_t real_path_now(const char *path, char *real)
{
    if (!sandbox_allows(path)) return -1;
    return path_size(realpath(path, real) && sandbox_allows(real) ? real : NULL);
}

char *outside_real_path(const char *path)
{
    char real[PATH_MAX];
    OutsideCall call = {CALL_REAL_PATH, .asked = path, .asked_size = strlen(path), .answer = real,
                        .room = sizeof real};
    return RECORDED(&call, real_path_now(path, real)) > 0 ? copy_path(real) : NULL;
}

// ---- time

static int64_t nanoseconds_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static int64_t clock_now(Clock clock)
{
    struct timespec now = {0};
    clock_gettime(system_clock_id(clock), &now);
    return nanoseconds_of(&now);
}

int64_t outside_clock(Clock clock)
{
    OutsideCall call = {CALL_CLOCK, .numbers = {clock}};
    return RECORDED(&call, clock_now(clock));
}

static int64_t clock_resolution(Clock clock)
{
    struct timespec step = {0};
    clock_getres(system_clock_id(clock), &step);
    return nanoseconds_of(&step);
}

int64_t outside_clock_resolution(Clock clock)
{
    OutsideCall call = {CALL_CLOCK_RESOLUTION, .numbers = {clock}};
    return RECORDED(&call, clock_resolution(clock));
}

// The size of the answer, or -1.
static int system_clock(int number, bool resolution, int64_t *nanoseconds)
{
    struct timespec value;
    if (resolution ? clock_getres(number, &value) : clock_gettime(number, &value)) return -1;
    *nanoseconds = nanoseconds_of(&value);
    return sizeof *nanoseconds;
}

bool outside_system_clock(int number, bool resolution, int64_t *nanoseconds)
{
    OutsideCall call = {CALL_SYSTEM_CLOCK,
                        {number, resolution},
                        .answer = nanoseconds,
                        .room = sizeof *nanoseconds};
    return RECORDED(&call, system_clock(number, resolution, nanoseconds)) > 0;
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

static bool sleep_now(int64_t nanoseconds)
{
    struct timespec left = {nanoseconds / 1000000000, (long)(nanoseconds % 1000000000)};
    while (nanosleep(&left, &left) != 0)
        if (!outside_try_again()) return false;
    return true;
}

bool outside_sleep(int64_t nanoseconds)
{
    OutsideCall call = {CALL_SLEEP, .numbers = {nanoseconds}};
    return RECORDED(&call, sleep_now(nanoseconds));
}

// ---- the rest

static ssize_t fill_randomly(char *bytes, size_t size)
{
    for (size_t filled = 0; filled < size;) {
        ssize_t count = system_random(bytes + filled, size - filled);
        if (count > 0) filled += (size_t)count;
        if (count < 0 && !outside_try_again()) return -1;
    }
    return (ssize_t)size;
}

bool outside_random(void *bytes, size_t size)
{
    OutsideCall call = {CALL_RANDOM, .answer = bytes, .room = size};
    return RECORDED(&call, fill_randomly(bytes, size)) >= 0;
}

_Noreturn void outside_abort(void)
{
    signal(SIGABRT, SIG_DFL); // it is asked for: no crash
    abort();
}

const char *outside_environment(const char *name)
{
    return getenv(name);
}
