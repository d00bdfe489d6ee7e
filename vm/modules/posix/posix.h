// What the files of the module posix share: its arguments, its errors and its tables of functions.
#pragma once

#include "objects/call.h"
#include "objects/module.h"
#include "vm/outside/calls.h"

#include <stdint.h>

// An argument that names a file.
typedef struct PathArgument {
    Value bytes;      // of a name; 0 for a descriptor
    const char *name; // NULL for a descriptor
    int descriptor;
    bool as_bytes; // the program gave bytes, and gets bytes
    bool is_lost;  // the folder that it is in is none
    Value given;   // as errors name it: of a path-like object what os.fspath() gives
} PathArgument;

typedef enum PathKinds { PATH_NAME = 0, PATH_OR_DESCRIPTOR = 1, PATH_OR_NONE = 2 } PathKinds;

// "mkdir: path should be string, bytes or os.PathLike, not int"; "mkdir: embedded null character in
// path". `function` and `parameter` are those two names. None is ".".
bool path_begin(PathArgument *path, ValueRef value, const char *function, const char *parameter,
                PathKinds kinds);
// The same for a name that is to be looked for in a folder that is open, unless it begins with a
// slash. Where that is, /proc tells the system: a sandbox resolves such a path as any other.
bool path_begin_in(PathArgument *path, ValueRef value, const char *function, const char *parameter,
                   PathKinds kinds, int folder);
bool path_is_found(const PathArgument *path); // false with errno EBADF: it is lost
void path_end(PathArgument *path);
// A name as the program gave its own: bytes or a str.
Value path_like(const PathArgument *path, const char *name, size_t size);

// OSError of errno, unless a signal's handler has raised. Returns VALUE_ERROR.
Value raise_posix(void);
Value raise_posix_path(const PathArgument *path);
Value raise_posix_paths(const PathArgument *path, const PathArgument *other);
// None, or an error where the call's result is below 0.
Value posix_done(int64_t result);

// What a call answers as an int; for `posix_does` None. OSError. `...` are its numbers.
#define posix_number(which, ...) posix_number_of((which), (int64_t[4]){__VA_ARGS__}, NONE_GIVEN)
#define posix_does(which, ...)                                                                     \
    posix_done(outside_call((which), (int64_t[4]){__VA_ARGS__}, NONE_GIVEN))
Value posix_number_of(SystemCall which, const int64_t numbers[4], CallBytes bytes);
// Of a call for which -1 is an answer too, with errno 0.
Value posix_setting(SystemCall which, const int64_t numbers[4], CallBytes bytes);

// Binds arguments to `given`: the names of the parameters, how many are needed, and how many may be
// given by position.
#define BIND(function, required, positional, ...)                                                  \
    static const char *const parameter_names[] = {__VA_ARGS__, NULL};                              \
    static const Signature bound_signature = {(function), parameter_names, (required),             \
                                              (positional)};                                       \
    ValueRef given[sizeof parameter_names / sizeof *parameter_names];                              \
    if (!args_bind(&bound_signature, args, nargs, kwnames, given)) return VALUE_ERROR

// dir_fd: the descriptor of a folder; not given or None, AT_FDCWD.
bool folder_argument(ValueRef value, int *folder);
// A path that is a descriptor is in no folder. ValueError.
bool refuse_folder_of(const char *function, const PathArgument *path, int folder);
bool truth_argument(ValueRef value, bool otherwise, bool *answer);
bool posix_int(ValueRef value, int otherwise, int *number); // 0 = not given
// Likewise; minivm's own descriptors are none to a script (EBADF).
bool posix_descriptor(ValueRef value, int otherwise, int *descriptor);
// Likewise of an object with fileno(), too. ValueError for what is below 0. (CPython:
// PyObject_AsFileDescriptor().)
bool posix_file(ValueRef value, int *descriptor);
// A user's or a group's number, -1 = none. `parameter` is "uid" or "gid".
bool posix_owner(ValueRef value, const char *parameter, int64_t *owner);
// A position or a size in a file.
bool posix_offset(ValueRef value, int64_t *offset);
// A device's number as system calls take it.
bool posix_device(ValueRef value, int64_t *device);

extern const MethodDef posix_file_functions[], posix_descriptor_functions[],
    posix_process_functions[], posix_children_functions[], posix_transfer_functions[],
    posix_attribute_functions[], posix_terminal_functions[], posix_user_functions[],
    posix_schedule_functions[], posix_setting_functions[];
bool posix_add_settings(ValueRef module); // sysconf_names, pathconf_names, confstr_names
bool posix_add_schedule(ValueRef module); // sched_param
bool posix_add_children(ValueRef module); // waitid_result
bool posix_add_status(ValueRef module);   // stat_result, statvfs_result
bool posix_add_terminal_size(ValueRef module);
bool posix_add_system_names(ValueRef module);  // uname_result
bool posix_add_process_times(ValueRef module); // times_result
bool posix_add_environment(ValueRef module);   // environ
struct ResourceUsage;
Value posix_usage(const struct ResourceUsage *usage); // a struct_rusage
bool posix_add_usage(ValueRef module);                // its type
Value posix_status(FUNCTION_ARGS);
Value posix_link_status(FUNCTION_ARGS);
Value posix_descriptor_status(FUNCTION_ARGS);
Value posix_space(FUNCTION_ARGS);
Value posix_major(FUNCTION_ARGS);
Value posix_minor(FUNCTION_ARGS);
Value posix_make_device(FUNCTION_ARGS);
Value posix_descriptor_space(FUNCTION_ARGS);
