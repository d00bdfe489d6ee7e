// The part of outside.h that the module posix needs: what is asked of files and done to them, by
// name and by descriptor. Functions that fail return -1 or false with errno set.
#pragma once

#include "vm/outside/outside.h"

#include <limits.h>

typedef struct FileStatus {
    int64_t mode, inode, device, links, user, group, size;
    int64_t accessed, modified, changed; // nanoseconds since 1970
    int64_t block_size, blocks, special_device;
} FileStatus;
bool outside_status(const char *path, bool follow, FileStatus *status);
bool outside_descriptor_status(int descriptor, FileStatus *status);

// statvfs(3) of the file system that holds a path or (NULL) a descriptor.
typedef struct FileSpace {
    int64_t block_size, fragment_size, blocks, free_blocks, available_blocks;
    int64_t inodes, free_inodes, available_inodes, flags, longest_name, number;
} FileSpace;
bool outside_space(const char *path, int descriptor, FileSpace *space);

// What is done to a path, or asked of it. The numbers, and the second path, by kind:
//
//     CALL_MAKE_FOLDER    mode                         CALL_RENAME     path is called `other` then
//     CALL_REMOVE_FOLDER                               CALL_LINK       `other` is the new name;
//                                                                      1 = follow
//     CALL_REMOVE_FILE                                 CALL_SYMLINK    `other` leads to path
//     CALL_GO_TO_FOLDER                                CALL_SET_SIZE   size
//     CALL_ACCESS         R_OK | W_OK | X_OK, 1 = as the effective user, 1 = follow
//     CALL_SET_MODE       mode, 1 = follow
//     CALL_SET_TIMES      accessed, modified in nanoseconds, 1 = follow a symbolic link
//     CALL_SET_OWNER      user, group (-1 = as it is), 1 = follow a symbolic link
//     CALL_MAKE_NODE      mode with the kind of file, and a device's number
//
// A sandbox changes no owner, and makes nodes of ordinary files and of sockets only: a pipe would
// stop whoever reads the folder.
int outside_path_call(CallKind kind, const char *path, const char *other, const int64_t *numbers);
int outside_go_to(int folder); // fchdir(2)
// A path that leads to an open folder; a sandbox resolves it as any other. False: EBADF.
bool outside_folder_path(int folder, char path[PATH_MAX]);

// The text of a symbolic link, without a NUL: its size.
ssize_t outside_read_link(const char *path, char *text, size_t room);
// What is in a folder, by its name or (NULL) its descriptor, in no order: for each entry a byte
// (its d_type: 4 folder, 8 file, 10 symbolic link, 0 not known), the eight of its inode's number,
// the name and a NUL. Returns the size of all; fails with ERANGE where there is not so much room.
#define FOLDER_ENTRY_NAME (1 + sizeof(int64_t)) // where the name begins
ssize_t outside_read_folder(const char *path, int descriptor, char *entries, size_t room);

// Descriptors. `wanted` < 0 = the least free one. In a recording the two ends of a pipe share
// nothing with those of a run that was repeated: what was written before is not read after.
int outside_duplicate(int descriptor, int wanted, bool inheritable);
// Is it kept by a program that this process becomes? `wanted` < 0 = only asks; else 0 or 1 is set.
int outside_inheritable(int descriptor, int wanted);
// Does a read or a write wait? Likewise.
int outside_blocking(int descriptor, int wanted);
int outside_pipe(int ends[2], int flags); // of pipe2(2)
// poll(2): `answer` is as `asked`, with `revents`. Milliseconds < 0: as long as it takes. False
// with errno set. A signal ends the wait: its handler has run, and nothing is ready.
struct pollfd;
bool outside_poll(const struct pollfd *asked, struct pollfd *answer, size_t count,
                  int milliseconds);
int outside_sync(int descriptor);
// What is done to the file of a descriptor: CALL_DESCRIPTOR_MODE (mode), CALL_DESCRIPTOR_OWNER
// (user, group) and CALL_DESCRIPTOR_TIMES (accessed, modified). Not in a sandbox (EPERM): standard
// output may be a file that is outside.
int outside_descriptor_call(CallKind kind, int descriptor, const int64_t *numbers);
bool outside_terminal_size(int descriptor, int size[2]); // columns, lines

// Terminals: their modes (termios(3); the struct is libc's), and what is on its way. `when` is
// TCSANOW, TCSADRAIN or TCSAFLUSH. A sandbox has no say over the terminal: there all of this but
// the first fails with EPERM.
struct termios;
bool outside_terminal_modes(int descriptor, struct termios *modes);
bool outside_set_terminal_modes(int descriptor, int when, const struct termios *modes);
// tcdrain(), tcflush(queue), tcflow(action), tcsendbreak(duration).
typedef enum TerminalRequest {
    TERMINAL_DRAIN,
    TERMINAL_FLUSH,
    TERMINAL_FLOW,
    TERMINAL_BREAK
} TerminalRequest;
bool outside_terminal_request(int descriptor, TerminalRequest request, int number);

// Who runs: processes and users have numbers.
typedef enum Identity {
    IDENTITY_PROCESS,
    IDENTITY_PARENT,
    IDENTITY_USER,
    IDENTITY_EFFECTIVE_USER,
    IDENTITY_GROUP,
    IDENTITY_EFFECTIVE_GROUP,
    IDENTITY_COUNT
} Identity;
int64_t outside_identity(Identity which);
// times(2), in nanoseconds.
typedef struct ProcessTimes {
    int64_t user, system, children_user, children_system, elapsed;
} ProcessTimes;
bool outside_process_times(ProcessTimes *times);
// What the system calls itself: "Linux", the host's name, its release, its version, "x86_64".
typedef struct SystemNames {
    char system[65], host[65], release[65], version[65], machine[65];
} SystemNames;
bool outside_system_names(SystemNames *names);

// Not recorded, for only this process can change them: "NAME=value" strings, ending with NULL; the
// bits that new files lack.
char *const *outside_environment_all(void);
bool outside_set_environment(const char *name, const char *value); // NULL removes it
void outside_environment_finish(void);                             // forgets what was set
int outside_set_mask(int mask);                                    // returns the one before
