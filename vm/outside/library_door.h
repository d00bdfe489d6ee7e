// The embedded library, as files that can be read: linecache, trace, inspect and other readers of
// sources open "<minivm>/json/__init__.mpy", look at its status and list its folder.
//
// A path leads into the library if one of its parts is LIBRARY_ENTRY, whatever stands before: a
// program may have made it absolute. Nothing can be written there, in a sandbox or outside.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

// The path inside of the library: "" for its root, "json/__init__.mpy"; NULL = it leads elsewhere.
const char *door_inside(const char *path);
bool door_status(const char *inside, struct stat *status); // false with errno ENOENT
int door_open(const char *inside, int flags);              // -1 with errno set
// Calls add() with each name in a folder; ENOENT, ENOTDIR, or the error of add(), which returns
// the size of what was added so far, or -1.
ssize_t door_read_folder(const char *inside,
                         ssize_t (*add)(const char *name, size_t length, bool is_folder,
                                        char *entries, size_t size, size_t room),
                         char *entries, size_t room);
