// See files.h.
#include "vm/outside/files.h"

#include "vm/outside/library_door.h"
#include "vm/outside/outside_parts.h"
#include "vm/outside/sandbox.h"

#include "objects/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

// ---- status

static int64_t nanoseconds_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

// The size of the answer, or -1.
static int take_status(int failed, const struct stat *found, FileStatus *status)
{
    if (failed) return -1;
    *status = (FileStatus){.mode = found->st_mode,
                           .inode = (int64_t)found->st_ino,
                           .device = (int64_t)found->st_dev,
                           .links = (int64_t)found->st_nlink,
                           .user = found->st_uid,
                           .group = found->st_gid,
                           .size = found->st_size,
                           .accessed = nanoseconds_of(&found->st_atim),
                           .modified = nanoseconds_of(&found->st_mtim),
                           .changed = nanoseconds_of(&found->st_ctim),
                           .block_size = found->st_blksize,
                           .blocks = found->st_blocks,
                           .special_device = (int64_t)found->st_rdev};
    return sizeof *status;
}

static int status_now(const char *path, bool follow, FileStatus *status)
{
    struct stat found;
    Location location;
    const char *inside = door_inside(path);
    if (inside) return take_status(door_status(inside, &found) ? 0 : -1, &found, status);
    if (!sandbox_find(path, follow, &location)) return -1;
    int failed = fstatat(location.folder, location.name, &found, location.at_flags);
    sandbox_leave(&location);
    return take_status(failed, &found, status);
}

bool outside_status(const char *path, bool follow, FileStatus *status)
{
    OutsideCall call = {CALL_STATUS,      .numbers = {follow},
                        .asked = path,    .asked_size = strlen(path),
                        .answer = status, .room = sizeof *status};
    return RECORDED(&call, status_now(path, follow, status)) > 0;
}

static int descriptor_status_now(int descriptor, FileStatus *status)
{
    struct stat found;
    return take_status(fstat(descriptor, &found), &found, status);
}

bool outside_descriptor_status(int descriptor, FileStatus *status)
{
    OutsideCall call = {CALL_DESCRIPTOR_STATUS, .numbers = {descriptor}, .answer = status,
                        .room = sizeof *status};
    return RECORDED(&call, descriptor_status_now(descriptor, status)) > 0;
}

// Of the folder that a sandboxed path is in: it need not be opened itself.
static int find_space(const char *path, int descriptor, struct statvfs *found)
{
    Location location;
    if (!path) return fstatvfs(descriptor, found);
    if (!sandbox_is_entered()) return statvfs(path, found);
    if (!sandbox_find(path, true, &location)) return -1;
    int result = fstatvfs(location.folder, found);
    sandbox_leave(&location);
    return result;
}

static int space_now(const char *path, int descriptor, FileSpace *space)
{
    struct statvfs found;
    int failed;
    RETRIED(failed, find_space(path, descriptor, &found));
    if (failed) return -1;
    *space = (FileSpace){.block_size = (int64_t)found.f_bsize,
                         .fragment_size = (int64_t)found.f_frsize,
                         .blocks = (int64_t)found.f_blocks,
                         .free_blocks = (int64_t)found.f_bfree,
                         .available_blocks = (int64_t)found.f_bavail,
                         .inodes = (int64_t)found.f_files,
                         .free_inodes = (int64_t)found.f_ffree,
                         .available_inodes = (int64_t)found.f_favail,
                         .flags = (int64_t)found.f_flag,
                         .longest_name = (int64_t)found.f_namemax,
                         .number = (int64_t)found.f_fsid};
    return sizeof *space;
}

bool outside_space(const char *path, int descriptor, FileSpace *space)
{
    OutsideCall call = {CALL_SPACE,      .numbers = {descriptor},
                        .asked = path,   .asked_size = path ? strlen(path) : 0,
                        .answer = space, .room = sizeof *space};
    return RECORDED(&call, space_now(path, descriptor, space)) > 0;
}

// ---- paths

static void times_from(const int64_t *numbers, struct timespec times[2])
{
    for (int i = 0; i < 2; i++) {
        times[i].tv_sec = (time_t)(numbers[i] / 1000000000);
        times[i].tv_nsec = (long)(numbers[i] % 1000000000);
        if (times[i].tv_nsec < 0) times[i].tv_sec--, times[i].tv_nsec += 1000000000;
    }
}

static int set_times(const Location *location, const int64_t *numbers)
{
    struct timespec times[2];
    times_from(numbers, times);
    return utimensat(location->folder, location->name, times, location->at_flags);
}

static int set_owner(const Location *location, const int64_t *numbers)
{
    if (sandbox_is_entered()) return system_refuse(EPERM);
    return fchownat(location->folder, location->name, (uid_t)numbers[0], (gid_t)numbers[1],
                    location->at_flags);
}

static int make_node(const Location *location, const int64_t *numbers)
{
    mode_t mode = (mode_t)numbers[0];
    bool is_harmless = S_ISREG(mode) || S_ISSOCK(mode) || (mode & S_IFMT) == 0;
    if (sandbox_is_entered() && !is_harmless) return system_refuse(EPERM);
    return outside_made(system_make_node(location->folder, location->name, mode, (dev_t)numbers[1]),
                        0);
}

static int go_to_folder(const Location *location)
{
    int folder = openat(location->folder, location->name,
                        O_PATH | O_DIRECTORY | O_CLOEXEC | location->open_flags);
    int result = folder < 0 ? -1 : fchdir(folder);
    outside_close_quietly(folder);
    return result;
}

// O_NONBLOCK: a pipe at whose other end nobody is cannot be cut, and is not waited for.
static int set_size(const Location *location, int64_t size)
{
    int file = openat(location->folder, location->name,
                      O_WRONLY | O_NONBLOCK | O_CLOEXEC | location->open_flags);
    int result = file < 0 ? -1 : ftruncate(file, size);
    outside_close_quietly(file);
    return result;
}

// What a sandbox has followed is followed no further.
static int make_link(const Location *location, const Location *other, bool follow)
{
    int flags = follow && !sandbox_is_entered() ? AT_SYMLINK_FOLLOW : 0;
    return linkat(location->folder, location->name, other->folder, other->name, flags);
}

static int may_access(const Location *location, const int64_t *numbers)
{
    int flags = location->at_flags | (numbers[1] ? AT_EACCESS : 0);
    return faccessat(location->folder, location->name, (int)numbers[0], flags);
}

static int location_call_now(CallKind kind, const Location *location, const Location *other,
                             const int64_t *numbers)
{
    int folder = location->folder;
    const char *name = location->name;
    switch (kind) {
    case CALL_MAKE_FOLDER: return outside_made(mkdirat(folder, name, (mode_t)numbers[0]), 0);
    case CALL_REMOVE_FOLDER: return unlinkat(folder, name, AT_REMOVEDIR);
    case CALL_REMOVE_FILE: return unlinkat(folder, name, 0);
    case CALL_GO_TO_FOLDER: return go_to_folder(location);
    case CALL_RENAME: return renameat(folder, name, other->folder, other->name);
    case CALL_LINK: return outside_made(make_link(location, other, numbers[0]), 0);
    case CALL_SET_MODE: return fchmodat(folder, name, (mode_t)numbers[0], location->at_flags);
    case CALL_SET_OWNER: return set_owner(location, numbers);
    case CALL_MAKE_NODE: return make_node(location, numbers);
    case CALL_SET_SIZE: return set_size(location, numbers[0]);
    case CALL_SET_TIMES: return set_times(location, numbers);
    default: return may_access(location, numbers);
    }
}

// Is a link at the end of the path followed?
static bool follows_link(CallKind kind, const int64_t *numbers)
{
    switch (kind) {
    case CALL_GO_TO_FOLDER:
    case CALL_SET_SIZE: return true;
    case CALL_LINK: return numbers[0];
    case CALL_SET_MODE: return numbers[1];
    case CALL_ACCESS:
    case CALL_SET_OWNER:
    case CALL_SET_TIMES: return numbers[2];
    default: return false;
    }
}

static int call_two_now(CallKind kind, const Location *location, const char *other,
                        const int64_t *numbers)
{
    Location second;
    if (!other) return location_call_now(kind, location, NULL, numbers);
    if (!sandbox_find(other, false, &second)) return -1;
    int result = sandbox_allows_move(location, other, &second)
                     ? location_call_now(kind, location, &second, numbers)
                     : -1;
    sandbox_leave(&second);
    return result;
}

// What the link leads to need not be there.
static int make_symlink_now(const char *text, const char *path)
{
    Location location;
    if (!sandbox_find(path, false, &location)) return -1;
    bool allowed = sandbox_allows_link(text, path, &location);
    int result = allowed ? system_symlink(text, location.folder, location.name) : -1;
    sandbox_leave(&location);
    return outside_made(result, strlen(text));
}

static int path_call_once(CallKind kind, const char *path, const char *other,
                          const int64_t *numbers)
{
    Location location;
    struct stat status;
    const char *inside = kind == CALL_ACCESS ? door_inside(path) : NULL;
    if (inside && numbers[0] & W_OK) return system_refuse(EROFS);
    if (inside) return door_status(inside, &status) ? 0 : -1;
    if (kind == CALL_SYMLINK) return make_symlink_now(path, other);
    if (!sandbox_find(path, follows_link(kind, numbers), &location)) return -1;
    int result = call_two_now(kind, &location, other, numbers);
    sandbox_leave(&location);
    return result;
}

static int path_call_now(CallKind kind, const char *path, const char *other, const int64_t *numbers)
{
    int result;
    RETRIED(result, path_call_once(kind, path, other, numbers));
    return result;
}

int outside_path_call(CallKind kind, const char *path, const char *other, const int64_t *numbers)
{
    static const int64_t none[3];
    char both[2 * PATH_MAX + 2];
    OutsideCall call = {kind, .asked = both};
    if (!numbers) numbers = none;
    memcpy(call.numbers, numbers, sizeof call.numbers);
    int size = snprintf(both, sizeof both, "%s%c%s", path, 0, other ? other : "");
    if (size >= (int)sizeof both) {
        errno = ENAMETOOLONG;
        return -1;
    }
    call.asked_size = (size_t)size;
    int result = (int)RECORDED(&call, path_call_now(kind, path, other, numbers));
    if (call.replayed && kind == CALL_GO_TO_FOLDER && result == 0) // for calls to come
        path_call_now(kind, path, NULL, numbers);
    return result;
}

// In a sandbox the path that the system has for a descriptor says where it leads.
static int go_to_now(int folder)
{
    char path[PATH_MAX];
    if (!system_folder_path(folder, path) || !sandbox_allows(path)) return -1;
    return fchdir(folder);
}

bool outside_folder_path(int folder, char path[PATH_MAX])
{
    return system_folder_path(folder, path);
}

int outside_go_to(int folder)
{
    OutsideCall call = {CALL_GO_TO_FOLDER, .numbers = {folder}};
    int result = (int)RECORDED(&call, go_to_now(folder));
    if (call.replayed && result == 0) go_to_now(folder); // for calls to come
    return result;
}

static ssize_t read_link_now(const char *path, char *text, size_t room)
{
    Location location;
    if (!sandbox_find(path, false, &location)) return -1;
    ssize_t size = readlinkat(location.folder, location.name, text, room);
    sandbox_leave(&location);
    return size;
}

ssize_t outside_read_link(const char *path, char *text, size_t room)
{
    OutsideCall call = {CALL_READ_LINK, .asked = path, .asked_size = strlen(path), .answer = text,
                        .room = room};
    return (ssize_t)RECORDED(&call, read_link_now(path, text, room));
}

typedef struct FolderEntry {
    const char *name;
    size_t length;
    char kind;
    int64_t inode;
} FolderEntry;

static ssize_t add_folder_entry(FolderEntry entry, char *entries, size_t size, size_t room)
{
    size_t whole = FOLDER_ENTRY_NAME + entry.length + 1;
    if (whole > room - size) return system_refuse(ERANGE);
    entries[size] = entry.kind;
    memcpy(entries + size + 1, &entry.inode, sizeof entry.inode);
    memcpy(entries + size + FOLDER_ENTRY_NAME, entry.name, entry.length);
    entries[size + whole - 1] = 0;
    return (ssize_t)(size + whole);
}

static ssize_t add_entry(const struct dirent *entry, char *entries, size_t size, size_t room)
{
    const char *name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return (ssize_t)size;
    FolderEntry added = {name, strlen(name), (char)entry->d_type, (int64_t)entry->d_ino};
    return add_folder_entry(added, entries, size, room);
}

static ssize_t add_library_entry(const char *name, size_t length, bool is_folder, char *entries,
                                 size_t size, size_t room)
{
    FolderEntry added = {name, length, is_folder ? DT_DIR : DT_REG, 0};
    return add_folder_entry(added, entries, size, room);
}

// closedir() closes the descriptor, so that it gets a copy. They share the position.
static DIR *open_folder_again(int descriptor)
{
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    if (folder) rewinddir(folder);
    if (!folder) outside_close_quietly(copy);
    return folder;
}

static ssize_t read_folder_now(const char *path, int descriptor, char *entries, size_t room)
{
    const char *inside = path ? door_inside(path) : NULL;
    if (inside) return door_read_folder(inside, add_library_entry, entries, room);
    DIR *folder = path ? outside_open_folder(path) : open_folder_again(descriptor);
    if (!folder) return -1;
    ssize_t size = 0;
    errno = 0;
    for (const struct dirent *entry; size >= 0 && (entry = readdir(folder));)
        size = add_entry(entry, entries, (size_t)size, room);
    int error = errno;
    closedir(folder);
    errno = error;
    return error ? -1 : size;
}

ssize_t outside_read_folder(const char *path, int descriptor, char *entries, size_t room)
{
    OutsideCall call = {CALL_READ_FOLDER,  .numbers = {descriptor},
                        .asked = path,     .asked_size = path ? strlen(path) : 0,
                        .answer = entries, .room = room};
    return (ssize_t)RECORDED(&call, read_folder_now(path, descriptor, entries, room));
}

// ---- descriptors

static int duplicate_now(int descriptor, int wanted, bool inheritable)
{
    if (wanted < 0) return fcntl(descriptor, inheritable ? F_DUPFD : F_DUPFD_CLOEXEC, 0);
    if (wanted == descriptor) return fcntl(descriptor, F_GETFD) < 0 ? -1 : wanted;
    int result;
    RETRIED(result, dup3(descriptor, wanted, inheritable ? 0 : O_CLOEXEC));
    return result;
}

int outside_duplicate(int descriptor, int wanted, bool inheritable)
{
    OutsideCall call = {CALL_DUPLICATE, .numbers = {descriptor, wanted, inheritable}};
    int result = (int)RECORDED(&call, duplicate_now(descriptor, wanted, inheritable));
    if (result < 0) return result;
    if (call.replayed) duplicate_now(descriptor, result, inheritable);
    outside_set_duplicated(descriptor, result);
    return result;
}

static int inheritable_now(int descriptor, int wanted)
{
    int flags = fcntl(descriptor, F_GETFD);
    if (flags < 0 || wanted < 0) return flags < 0 ? -1 : !(flags & FD_CLOEXEC);
    int changed = wanted ? flags & ~FD_CLOEXEC : flags | FD_CLOEXEC;
    return fcntl(descriptor, F_SETFD, changed) < 0 ? -1 : wanted;
}

int outside_inheritable(int descriptor, int wanted)
{
    OutsideCall call = {CALL_INHERITABLE, .numbers = {descriptor, wanted}};
    int result = (int)RECORDED(&call, inheritable_now(descriptor, wanted));
    if (call.replayed && wanted >= 0) inheritable_now(descriptor, wanted);
    return result;
}

static int blocking_now(int descriptor, int wanted)
{
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0 || wanted < 0) return flags < 0 ? -1 : !(flags & O_NONBLOCK);
    int changed = wanted ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
    return fcntl(descriptor, F_SETFL, changed) < 0 ? -1 : wanted;
}

int outside_blocking(int descriptor, int wanted)
{
    OutsideCall call = {CALL_BLOCKING, .numbers = {descriptor, wanted}};
    int result = (int)RECORDED(&call, blocking_now(descriptor, wanted));
    if (call.replayed && wanted >= 0) blocking_now(descriptor, wanted);
    return result;
}

static int pipe_now(int ends[2], int flags)
{
    return pipe2(ends, flags) < 0 ? -1 : (int)sizeof(int[2]);
}

// For calls to come there is a pipe with these ends in this process too.
static void pipe_again(const int ends[2], int flags)
{
    int made[2];
    if (pipe_now(made, flags) < 0) return;
    for (int i = 0; i < 2; i++) {
        if (made[i] == ends[i]) continue;
        dup3(made[i], ends[i], flags & O_CLOEXEC);
        close(made[i]);
    }
}

int outside_pipe(int ends[2], int flags)
{
    OutsideCall call = {CALL_PIPE, .numbers = {flags}, .answer = ends, .room = sizeof(int[2])};
    int size = (int)RECORDED(&call, pipe_now(ends, flags));
    if (call.replayed && size > 0) pipe_again(ends, flags);
    return size > 0 ? 0 : -1;
}

// The size of the answer, or -1.
static int64_t poll_now(const struct pollfd *asked, struct pollfd *answer, size_t count,
                        int milliseconds)
{
    memcpy(answer, asked, count * sizeof *asked);
    if (system_poll(answer, count, milliseconds) < 0) {
        if (!outside_try_again()) return -1;
        for (size_t i = 0; i < count; i++) answer[i].revents = 0;
    }
    return (int64_t)(count * sizeof *asked);
}

bool outside_poll(const struct pollfd *asked, struct pollfd *answer, size_t count, int milliseconds)
{
    size_t size = count * sizeof *asked;
    OutsideCall call = {CALL_POLL,          .numbers = {milliseconds}, .asked = asked,
                        .asked_size = size, .answer = answer,          .room = size};
    return RECORDED(&call, poll_now(asked, answer, count, milliseconds)) >= 0;
}

static int sync_now(int descriptor)
{
    int result;
    RETRIED(result, fsync(descriptor));
    return result;
}

int outside_sync(int descriptor)
{
    OutsideCall call = {CALL_SYNC, .numbers = {descriptor}};
    return (int)RECORDED(&call, sync_now(descriptor));
}

static int descriptor_call_now(CallKind kind, int descriptor, const int64_t *numbers)
{
    struct timespec times[2];
    if (sandbox_is_entered()) return system_refuse(EPERM);
    switch (kind) {
    case CALL_DESCRIPTOR_MODE: return fchmod(descriptor, (mode_t)numbers[0]);
    case CALL_DESCRIPTOR_OWNER: return fchown(descriptor, (uid_t)numbers[0], (gid_t)numbers[1]);
    default: times_from(numbers, times); return futimens(descriptor, times);
    }
}

int outside_descriptor_call(CallKind kind, int descriptor, const int64_t *numbers)
{
    OutsideCall call = {kind, .numbers = {descriptor, numbers[0], numbers[1]}};
    return (int)RECORDED(&call, descriptor_call_now(kind, descriptor, numbers));
}

static int terminal_size_now(int descriptor, int size[2])
{
    struct winsize window;
    if (ioctl(descriptor, TIOCGWINSZ, &window) < 0) return -1;
    size[0] = window.ws_col;
    size[1] = window.ws_row;
    return sizeof(int[2]);
}

bool outside_terminal_size(int descriptor, int size[2])
{
    OutsideCall call = {CALL_TERMINAL_SIZE, .numbers = {descriptor}, .answer = size,
                        .room = sizeof(int[2])};
    return RECORDED(&call, terminal_size_now(descriptor, size)) > 0;
}

static bool may_change_terminals(void)
{
    if (!sandbox_is_entered()) return true;
    system_refuse(EPERM);
    return false;
}

bool outside_terminal_modes(int descriptor, struct termios *modes)
{
    OutsideCall call = {CALL_TERMINAL_MODES, .numbers = {descriptor}, .answer = modes,
                        .room = sizeof *modes};
    *modes = (struct termios){0}; // the kernel fills fewer control characters than musl has
    return RECORDED(&call, tcgetattr(descriptor, modes) < 0 ? -1 : (int)sizeof *modes) > 0;
}

bool outside_set_terminal_modes(int descriptor, int when, const struct termios *modes)
{
    OutsideCall call = {CALL_SET_TERMINAL_MODES, .numbers = {descriptor, when}, .asked = modes,
                        .asked_size = sizeof *modes};
    return RECORDED(&call, may_change_terminals() ? tcsetattr(descriptor, when, modes) : -1) == 0;
}

static int request_now(int descriptor, TerminalRequest request, int number)
{
    return may_change_terminals() ? system_terminal_request(descriptor, request, number) : -1;
}

bool outside_terminal_request(int descriptor, TerminalRequest request, int number)
{
    OutsideCall call = {CALL_TERMINAL_REQUEST, .numbers = {descriptor, request, number}};
    return RECORDED(&call, request_now(descriptor, request, number)) == 0;
}

// ---- this process

static int64_t identity_now(Identity which)
{
    switch (which) {
    case IDENTITY_PROCESS: return getpid();
    case IDENTITY_PARENT: return getppid();
    case IDENTITY_USER: return getuid();
    case IDENTITY_EFFECTIVE_USER: return geteuid();
    case IDENTITY_GROUP: return getgid();
    default: return getegid();
    }
}

// While it is recorded other processes may go on with a program (vm/debugger/session.h), which must
// not notice: its numbers stay what they were when it first asked.
int64_t outside_identity(Identity which)
{
    static int64_t first[IDENTITY_COUNT];
    OutsideCall call = {CALL_IDENTITY, .numbers = {which}};
    int64_t now = upcalls.recorder && first[which] ? first[which] : identity_now(which);
    int64_t answer = RECORDED(&call, now);
    if (upcalls.recorder) first[which] = answer;
    return answer;
}

static int process_times_now(ProcessTimes *answer)
{
    struct tms found;
    clock_t elapsed = times(&found);
    if (elapsed == (clock_t)-1) return -1;
    int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
    *answer = (ProcessTimes){.user = found.tms_utime * tick,
                             .system = found.tms_stime * tick,
                             .children_user = found.tms_cutime * tick,
                             .children_system = found.tms_cstime * tick,
                             .elapsed = elapsed * tick};
    return sizeof *answer;
}

bool outside_process_times(ProcessTimes *times)
{
    OutsideCall call = {CALL_PROCESS_TIMES, .answer = times, .room = sizeof *times};
    return RECORDED(&call, process_times_now(times)) > 0;
}

static int system_names_now(SystemNames *names)
{
    struct utsname found;
    if (uname(&found) < 0) return -1;
    snprintf(names->system, sizeof names->system, "%s", found.sysname);
    snprintf(names->host, sizeof names->host, "%s", found.nodename);
    snprintf(names->release, sizeof names->release, "%s", found.release);
    snprintf(names->version, sizeof names->version, "%s", found.version);
    snprintf(names->machine, sizeof names->machine, "%s", found.machine);
    return sizeof *names;
}

bool outside_system_names(SystemNames *names)
{
    OutsideCall call = {CALL_SYSTEM_NAMES, .answer = names, .room = sizeof *names};
    return RECORDED(&call, system_names_now(names)) > 0;
}

char *const *outside_environment_all(void)
{
    return environ;
}

// A variable that a script has set. setenv() would keep a copy of all that it ever got, which no
// limit of memory counts; putenv() keeps these.
typedef struct Variable Variable;
struct Variable {
    Variable *next;
    const char *name; // after the text
    char text[];      // "NAME=value"
};
static Variable *variables;

static Variable *new_variable(const char *name, const char *value)
{
    size_t name_size = strlen(name) + 1, size = name_size + strlen(value) + 1;
    Variable *made = memory_alloc(sizeof *made + size + name_size);
    if (!made) {
        errno = ENOMEM;
        return NULL;
    }
    made->name = memcpy(made->text + size, name, name_size);
    snprintf(made->text, size, "%s=%s", name, value);
    return made;
}

// The environment has another text in its place by now.
static void free_variable(const char *name)
{
    for (Variable **at = &variables; *at; at = &(*at)->next) {
        Variable *found = *at;
        if (strcmp(found->name, name) != 0) continue;
        *at = found->next;
        memory_free(found);
        return;
    }
}

static int set_variable(const char *name, const char *value)
{
    if (!*name) return system_refuse(EINVAL);
    Variable *made = new_variable(name, value);
    if (!made) return -1;
    if (putenv(made->text) != 0) {
        memory_free(made);
        return -1;
    }
    free_variable(name);
    made->next = variables;
    variables = made;
    return 0;
}

static int remove_variable(const char *name)
{
    if (unsetenv(name) != 0) return -1;
    free_variable(name);
    return 0;
}

bool outside_set_environment(const char *name, const char *value)
{
    if (!sandbox_allows_variable(name, value)) return false;
    return outside_answered(value ? set_variable(name, value) : remove_variable(name)) == 0;
}

void outside_environment_finish(void)
{
    while (variables) {
        Variable *next = variables->next;
        unsetenv(variables->name);
        memory_free(variables);
        variables = next;
    }
}

int outside_set_mask(int mask)
{
    return (int)umask((mode_t)mask);
}
