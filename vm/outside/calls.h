// The part of outside.h for system calls that few programs make: calls.def lists them.
//
//     int64_t max = outside_call(SYSTEM_HIGHEST_PRIORITY, (int64_t[4]){SCHED_RR}, NONE_GIVEN);
//
// Returns the number that the system answers, -1 with errno set; where bytes are the answer, how
// many. Of SYSTEM_NICE, SYSTEM_PRIORITY and the SYSTEM_SETTING...s -1 is an answer too: then errno
// is 0. WebAssembly has none of them (ENOSYS).
#pragma once

#include "vm/outside/outside.h"

typedef enum SystemCall {
#define SYSTEM_CALL(name, allowed, made) SYSTEM_##name,
#include "vm/outside/calls.def"
#undef SYSTEM_CALL
} SystemCall;

// The bytes of a call, in and out. Texts end with NUL.
typedef struct CallBytes {
    const void *given;
    size_t given_size;
    void *answer;
    size_t room;
} CallBytes;
#define NONE_GIVEN ((CallBytes){0})

int64_t outside_call(SystemCall which, const int64_t numbers[4], CallBytes bytes);

// What SYSTEM_WAIT_STATE answers (waitid(2)): n = kind, process, options. Its number is 0 where
// with WNOHANG there was nothing.
typedef struct ChildState {
    int64_t process, user, signal, status, code;
} ChildState;

// Extended attributes: `given` is a path and an attribute's name, each with its NUL, and the value;
// n = a descriptor in the path's place, or -1; 1 = follow a symbolic link; flags.
#define LARGEST_ATTRIBUTE 65536
