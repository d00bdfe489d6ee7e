// The sandbox (--sandbox): a program that may see one folder, and start nothing.
//
//     sandbox_enter("/home/ann/exercise")    from now on, until the process ends
//
// Inside, the functions of outside.h fail with errno EPERM where they are given a path that leads
// out of the folder, or asked for a process or native code. A path is followed to its end first, so
// neither `..` nor a symbolic link leads out. Descriptors that were inherited are closed; standard
// input, output and error stay.
//
// Between the look at a path and its use, somebody else could put a link into the folder. A program
// in the sandbox has no processes that could, but two that run at once in one folder can: each
// needs a folder of its own.
#pragma once

#include <stdbool.h>

// Enters the sandbox, for good. False with errno set, and nothing done: the folder cannot be
// resolved.
bool sandbox_enter(const char *folder);
bool sandbox_is_entered(void);

// May the program use the path? It need not exist. False with errno EPERM. Always true outside of a
// sandbox.
bool sandbox_allows(const char *path);
// May it start a process, send one a signal, or load what a C compiler has made, which could undo
// any limit? Not in a sandbox, and not once that is forbidden. False with errno EPERM.
bool sandbox_allows_processes(void);
void sandbox_forbid_processes(void);
// May it set the variable? libc reads the file that TZ names. False with errno EPERM.
bool sandbox_allows_variable(const char *name, const char *value); // NULL = removes it
