// The sandbox (--sandbox): a program that may see one folder, and start nothing.
//
//     sandbox_enter("/home/ann/exercise")    from now on, until the process ends
//
// Inside, the functions of outside.h fail with errno EPERM where they are given a path that leads
// out of the folder, or asked for a process or native code. A path is followed to its end first, so
// neither `..` nor a symbolic link leads out. Descriptors that were inherited are closed; standard
// input, output and error stay.
//
// Between the look at a path and its use, somebody else could put a link in its way: another
// program that runs in the same folder. So a path is used as a Location, with the calls that take a
// folder's descriptor (openat(2) and its like): its folder is reached from the sandbox's own, step
// by step, by names that must not be links.
#pragma once

#include <limits.h>
#include <stdbool.h>

// Enters the sandbox, for good. False with errno set, and nothing done: the folder cannot be
// resolved.
bool sandbox_enter(const char *folder);
bool sandbox_is_entered(void);

// Where a path leads: outside of a sandbox the path as it is, to be followed by the system.
typedef struct Location {
    int folder;       // AT_FDCWD outside of a sandbox
    int depth;        // how many folders that one is below the sandbox's own
    const char *name; // in that folder
    int at_flags;     // AT_SYMLINK_NOFOLLOW, if a link at its end is not to be followed (any more)
    int open_flags;   // for openat(): O_NOFOLLOW in a sandbox
    char text[PATH_MAX];
} Location;

// Finds the location that a path leads to; `follow`: through a link at its end. It need not exist,
// but for its folder. False with errno set, EPERM if it is not allowed: nothing is to be left then.
bool sandbox_find(const char *path, bool follow, Location *location);
void sandbox_leave(const Location *location); // keeps errno
// Does the path lead into the sandbox, by a look at it now? False with errno EPERM.
bool sandbox_allows(const char *path);
// May a symbolic link with this text be made at the path, which leads to the location? It has to
// lead into the sandbox now, and whatever becomes of the names in its text. False with errno EPERM.
bool sandbox_allows_link(const char *text, const char *path, const Location *location);
// May what is at a location be moved, or get a second name, so that it is at the path, which leads
// to the location `to`? As for a link made there; all links in a folder that comes nearer to the
// sandbox's own have to lead into the sandbox from there. False with errno EPERM, or the system's.
bool sandbox_allows_move(const Location *from, const char *path, const Location *to);
// May it start a process, send one a signal, or load what a C compiler has made, which could undo
// any limit? Not in a sandbox, and not once that is forbidden. False with errno EPERM.
bool sandbox_allows_processes(void);
void sandbox_forbid_processes(void);
// May it set the variable? libc reads the file that TZ names. False with errno EPERM.
bool sandbox_allows_variable(const char *name, const char *value); // NULL = removes it
