// Functions of the module posix on files by name.
#include "vm/modules/posix/posix.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/io/path.h"
#include "vm/outside/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define BILLION 1000000000

// ---- one path, no more

static int path_call(CallKind kind, const PathArgument *path, const PathArgument *other,
                     const int64_t *numbers)
{
    if (!path_is_found(path) || (other && !path_is_found(other))) return -1;
    return outside_path_call(kind, path->name, other ? other->name : NULL, numbers);
}

// CPython does not name the file in all of its errors.
static Value raise_change(CallKind kind, const PathArgument *path)
{
    if (kind == CALL_SET_TIMES || kind == CALL_MAKE_NODE) return raise_posix();
    return kind == CALL_SET_SIZE && !path->name ? raise_posix() : raise_posix_path(path);
}

static Value change(const char *function, CallKind kind, ValueRef value, int folder,
                    const int64_t *numbers)
{
    PathArgument path;
    if (!path_begin_in(&path, value, function, "path", PATH_NAME, folder)) return VALUE_ERROR;
    int result = path_call(kind, &path, NULL, numbers);
    Value answer = result >= 0 ? NONE : raise_change(kind, &path);
    path_end(&path);
    return answer;
}

static int change_descriptor(CallKind kind, int descriptor, const int64_t *numbers)
{
    switch (kind) {
    case CALL_GO_TO_FOLDER: return outside_go_to(descriptor);
    case CALL_SET_SIZE: return outside_truncate(descriptor, numbers[0]);
    case CALL_SET_MODE: return outside_descriptor_call(CALL_DESCRIPTOR_MODE, descriptor, numbers);
    case CALL_SET_OWNER: return outside_descriptor_call(CALL_DESCRIPTOR_OWNER, descriptor, numbers);
    default: return outside_descriptor_call(CALL_DESCRIPTOR_TIMES, descriptor, numbers);
    }
}

// The same for a file that may be open: its descriptor instead of its path. That follows no link.
static Value change_either(const char *function, CallKind kind, ValueRef value, int folder,
                           const int64_t *numbers, bool follow)
{
    PathArgument path;
    if (!path_begin_in(&path, value, function, "path", PATH_OR_DESCRIPTOR, folder))
        return VALUE_ERROR;
    if (!path.name && !follow)
        raise_error(ValueError, "%s: cannot use fd and follow_symlinks together", function);
    else if (kind == CALL_SET_OWNER && !path.name && folder != AT_FDCWD)
        raise_error(ValueError, "%s: can't specify both dir_fd and fd", function);
    else if (kind == CALL_SET_TIMES)
        refuse_folder_of(function, &path, folder);
    if (error_pending()) return path_end(&path), VALUE_ERROR;
    int result = path.name ? path_call(kind, &path, NULL, numbers)
                           : change_descriptor(kind, path.descriptor, numbers);
    Value answer = result >= 0 ? NONE : raise_change(kind, &path);
    path_end(&path);
    return answer;
}

static Value make_folder(FUNCTION_ARGS)
{
    int mode, folder;
    BIND("mkdir", 1, 2, "path", "mode", "dir_fd");
    if (!posix_int(given[1], 0777, &mode) || !folder_argument(given[2], &folder))
        return VALUE_ERROR;
    return change("mkdir", CALL_MAKE_FOLDER, given[0], folder, (int64_t[3]){mode});
}

static Value remove_folder(FUNCTION_ARGS)
{
    int folder;
    BIND("rmdir", 1, 1, "path", "dir_fd");
    if (!folder_argument(given[1], &folder)) return VALUE_ERROR;
    return change("rmdir", CALL_REMOVE_FOLDER, given[0], folder, NULL);
}

static Value remove_file(FUNCTION_ARGS)
{
    int folder;
    BIND("remove", 1, 1, "path", "dir_fd");
    if (!folder_argument(given[1], &folder)) return VALUE_ERROR;
    return change("remove", CALL_REMOVE_FILE, given[0], folder, NULL);
}

static Value unlink_file(FUNCTION_ARGS)
{
    int folder;
    BIND("unlink", 1, 1, "path", "dir_fd");
    if (!folder_argument(given[1], &folder)) return VALUE_ERROR;
    return change("unlink", CALL_REMOVE_FILE, given[0], folder, NULL);
}

static Value go_to_folder(FUNCTION_ARGS)
{
    BIND("chdir", 1, 1, "path");
    return change_either("chdir", CALL_GO_TO_FOLDER, given[0], AT_FDCWD, NULL, true);
}

static Value change_root(FUNCTION_ARGS)
{
    PathArgument path;
    BIND("chroot", 1, 1, "path");
    if (!path_begin(&path, given[0], "chroot", "path", PATH_NAME)) return VALUE_ERROR;
    CallBytes bytes = {.given = path.name, .given_size = strlen(path.name)};
    int64_t result = outside_call(SYSTEM_CHANGE_ROOT, (int64_t[4]){0}, bytes);
    Value answer = result < 0 ? raise_posix_path(&path) : NONE;
    path_end(&path);
    return answer;
}

static Value set_mode(FUNCTION_ARGS)
{
    int mode, folder;
    bool follow;
    BIND("chmod", 2, 2, "path", "mode", "dir_fd", "follow_symlinks");
    if (!posix_int(given[1], 0, &mode) || !folder_argument(given[2], &folder) ||
        !truth_argument(given[3], true, &follow))
        return VALUE_ERROR;
    return change_either("chmod", CALL_SET_MODE, given[0], folder, (int64_t[3]){mode, follow},
                         true);
}

static Value set_owner(FUNCTION_ARGS)
{
    int folder;
    bool follow;
    BIND("chown", 3, 3, "path", "uid", "gid", "dir_fd", "follow_symlinks");
    if (!folder_argument(given[3], &folder) || !truth_argument(given[4], true, &follow))
        return VALUE_ERROR;
    int64_t numbers[3] = {0, 0, follow};
    if (!posix_owner(given[1], "uid", &numbers[0]) || !posix_owner(given[2], "gid", &numbers[1]))
        return VALUE_ERROR;
    return change_either("chown", CALL_SET_OWNER, given[0], folder, numbers, follow);
}

static Value set_link_owner(FUNCTION_ARGS)
{
    int64_t numbers[3] = {0};
    BIND("lchown", 3, 3, "path", "uid", "gid");
    if (!posix_owner(given[1], "uid", &numbers[0]) || !posix_owner(given[2], "gid", &numbers[1]))
        return VALUE_ERROR;
    return change("lchown", CALL_SET_OWNER, given[0], AT_FDCWD, numbers);
}

static Value make_pipe_file(FUNCTION_ARGS)
{
    int mode, folder;
    BIND("mkfifo", 1, 2, "path", "mode", "dir_fd");
    if (!posix_int(given[1], 0666, &mode) || !folder_argument(given[2], &folder))
        return VALUE_ERROR;
    return change("mkfifo", CALL_MAKE_NODE, given[0], folder, (int64_t[3]){S_IFIFO | mode});
}

static Value make_node(FUNCTION_ARGS)
{
    int mode, folder;
    int64_t device = 0;
    BIND("mknod", 1, 3, "path", "mode", "device", "dir_fd");
    if (!posix_int(given[1], 0600, &mode) || (given[2] && !posix_device(given[2], &device)) ||
        !folder_argument(given[3], &folder))
        return VALUE_ERROR;
    return change("mknod", CALL_MAKE_NODE, given[0], folder, (int64_t[3]){mode, device});
}

static Value set_size(FUNCTION_ARGS)
{
    int64_t length;
    BIND("truncate", 2, 2, "path", "length");
    if (!posix_offset(given[1], &length)) return VALUE_ERROR;
    return change_either("truncate", CALL_SET_SIZE, given[0], AT_FDCWD, (int64_t[3]){length}, true);
}

// True or False: it raises nothing where the file is not there.
static Value may_access(FUNCTION_ARGS)
{
    int mode, folder;
    bool effective, follow;
    PathArgument path;
    BIND("access", 2, 2, "path", "mode", "dir_fd", "effective_ids", "follow_symlinks");
    if (!posix_int(given[1], 0, &mode) || !folder_argument(given[2], &folder) ||
        !truth_argument(given[3], false, &effective) || !truth_argument(given[4], true, &follow))
        return VALUE_ERROR;
    if (!path_begin_in(&path, given[0], "access", "path", PATH_NAME, folder)) return VALUE_ERROR;
    const int64_t numbers[3] = {mode, effective, follow};
    int result = path_call(CALL_ACCESS, &path, NULL, numbers);
    path_end(&path);
    return from_bool(result == 0);
}

// ---- two paths

static Value change_two(const char *function, CallKind kind, const ValueRef *paths,
                        const int folders[2], bool follow)
{
    PathArgument source, target;
    if (!path_begin_in(&source, paths[0], function, "src", PATH_NAME, folders[0]))
        return VALUE_ERROR;
    if (!path_begin_in(&target, paths[1], function, "dst", PATH_NAME, folders[1])) {
        path_end(&source);
        return VALUE_ERROR;
    }
    int result = path_call(kind, &source, &target, (int64_t[3]){follow});
    Value answer = result < 0 ? raise_posix_paths(&source, &target) : NONE;
    path_end(&source);
    path_end(&target);
    return answer;
}

#define RENAMING(c_name, name)                                                                     \
    static Value c_name(FUNCTION_ARGS)                                                             \
    {                                                                                              \
        BIND(name, 2, 2, "src", "dst", "src_dir_fd", "dst_dir_fd");                                \
        int folders[2];                                                                            \
        if (!folder_argument(given[2], &folders[0]) || !folder_argument(given[3], &folders[1]))    \
            return VALUE_ERROR;                                                                    \
        return change_two(name, CALL_RENAME, given, folders, false);                               \
    }
RENAMING(rename_file, "rename")
RENAMING(replace_file, "replace")

// A link is followed by linkat(2), which CPython calls where there is a folder.
static Value link_file(FUNCTION_ARGS)
{
    int folders[2];
    bool follow;
    BIND("link", 2, 2, "src", "dst", "src_dir_fd", "dst_dir_fd", "follow_symlinks");
    if (!folder_argument(given[2], &folders[0]) || !folder_argument(given[3], &folders[1]) ||
        !truth_argument(given[4], true, &follow))
        return VALUE_ERROR;
    follow = follow && (folders[0] != AT_FDCWD || folders[1] != AT_FDCWD);
    return change_two("link", CALL_LINK, given, folders, follow);
}

static Value make_symlink(FUNCTION_ARGS)
{
    int folders[2] = {AT_FDCWD};
    BIND("symlink", 2, 3, "src", "dst", "target_is_directory", "dir_fd");
    if (!folder_argument(given[3], &folders[1])) return VALUE_ERROR;
    return change_two("symlink", CALL_SYMLINK, given, folders, false);
}

static Value read_link(FUNCTION_ARGS)
{
    int folder;
    PathArgument path;
    char text[PATH_MAX];
    BIND("readlink", 1, 1, "path", "dir_fd");
    if (!folder_argument(given[1], &folder) ||
        !path_begin_in(&path, given[0], "readlink", "path", PATH_NAME, folder))
        return VALUE_ERROR;
    ssize_t size = path_is_found(&path) ? outside_read_link(path.name, text, sizeof text) : -1;
    Value result = size < 0 ? raise_posix_path(&path) : path_like(&path, text, (size_t)size);
    path_end(&path);
    return result;
}

// ---- times

static bool seconds_from(ValueRef value, int64_t *nanoseconds)
{
    double seconds;
    if (int_check(value)) {
        if (!int_as_int64(value, nanoseconds)) return false;
        return !__builtin_mul_overflow(*nanoseconds, BILLION, nanoseconds) ||
               raise_error(OverflowError, "timestamp out of range for platform time_t");
    }
    if (!float_from_value(value, &seconds)) return false;
    if (isnan(seconds)) return raise_error(ValueError, "Invalid value NaN (not a number)");
    if (fabs(seconds) >= 9e9)
        return raise_error(OverflowError, "timestamp out of range for platform time_t");
    *nanoseconds = (int64_t)floor(seconds * BILLION);
    return true;
}

static bool nanoseconds_from(ValueRef value, int64_t *nanoseconds)
{
    Value number = object_index(value);
    bool done = number && int_as_int64(number, nanoseconds);
    drop(number);
    return done;
}

static bool take_times(ValueRef pair, const char *name, bool (*take)(ValueRef, int64_t *),
                       int64_t *times)
{
    if (!tuple_check_exact(pair) || tuple_size(pair) != 2)
        return raise_error(TypeError, "utime: '%s' must be %s", name,
                           take == seconds_from ? "either a tuple of two ints or None"
                                                : "a tuple of two ints");
    return take(tuple_at(pair, 0), &times[0]) && take(tuple_at(pair, 1), &times[1]);
}

// times=(seconds, seconds), ns=(nanoseconds, nanoseconds), or now.
static bool times_to_set(ValueRef times, ValueRef nanoseconds, int64_t *numbers)
{
    bool has_times = times && times != NONE;
    if (has_times && nanoseconds)
        return raise_error(ValueError,
                           "utime: you may specify either 'times' or 'ns' but not both");
    if (has_times) return take_times(times, "times", seconds_from, numbers);
    if (nanoseconds) return take_times(nanoseconds, "ns", nanoseconds_from, numbers);
    numbers[0] = numbers[1] = outside_clock(CLOCK_WALL);
    return true;
}

static Value set_times(FUNCTION_ARGS)
{
    int folder;
    bool follow;
    int64_t numbers[3];
    BIND("utime", 1, 2, "path", "times", "ns", "dir_fd", "follow_symlinks");
    if (!times_to_set(given[1], given[2], numbers) || !folder_argument(given[3], &folder) ||
        !truth_argument(given[4], true, &follow))
        return VALUE_ERROR;
    numbers[2] = follow;
    return change_either("utime", CALL_SET_TIMES, given[0], folder, numbers, follow);
}

// ---- folders

// As much room as it takes. NULL with an exception pending.
static char *read_folder(const PathArgument *path, ssize_t *size)
{
    for (size_t room = 32768;; room *= 2) {
        char *entries = memory_alloc(room);
        if (!entries) {
            raise_memory_error();
            return NULL;
        }
        *size = outside_read_folder(path->name, path->descriptor, entries, room);
        if (*size >= 0) return entries;
        int error = errno;
        memory_free(entries);
        errno = error;
        if (error == ERANGE) continue;
        path->name || error != EBADF ? raise_posix_path(path) : raise_posix();
        return NULL;
    }
}

// (name, kind, inode)
static Value entry_tuple(ValueRef name, const char *entry)
{
    int64_t number;
    memcpy(&number, entry + 1, sizeof number);
    Value inode = int_new(number);
    Value tuple =
        inode ? tuple_pack(3, name, (ValueRef)from_small((unsigned char)*entry), (ValueRef)inode)
              : VALUE_ERROR;
    drop(inode);
    return tuple;
}

static bool append_entry(Value list, const PathArgument *path, const char *entry, bool with_kind)
{
    const char *text = entry + FOLDER_ENTRY_NAME;
    Value name = path_like(path, text, strlen(text));
    if (!name || !with_kind) return list_append_owned(list, name);
    Value tuple = entry_tuple(name, entry);
    drop(name);
    return list_append_owned(list, tuple);
}

// The names in a folder, or what is known of each entry; sorted, so that every run is alike.
static Value list_entries(const char *function, ValueRef value, bool with_kinds)
{
    PathArgument path;
    ssize_t size = 0;
    if (!path_begin(&path, value, function, "path", PATH_OR_NONE | PATH_OR_DESCRIPTOR))
        return VALUE_ERROR;
    char *entries = read_folder(&path, &size);
    Value list = entries ? list_new(0) : VALUE_ERROR;
    bool done = list;
    for (const char *at = entries; done && at < entries + size;) {
        done = append_entry(list, &path, at, with_kinds);
        at += FOLDER_ENTRY_NAME;
        at += strlen(at) + 1;
    }
    memory_free(entries);
    path_end(&path);
    if (list && !(done && list_sort(list, VALUE_ERROR, false))) drop_slot(&list);
    return list;
}

static Value list_folder(FUNCTION_ARGS)
{
    BIND("listdir", 0, 1, "path");
    return list_entries("listdir", given[0], false);
}

// os.scandir() is made of it (vm/lib/os.mpy).
static Value folder_entries(FUNCTION_ARGS)
{
    return list_entries("scandir", nargs ? args[0] : NONE, true);
}

static Value working_directory(bool as_bytes)
{
    char *text = outside_working_directory();
    if (!text) return raise_posix();
    PathArgument kind = {.as_bytes = as_bytes};
    Value result = path_like(&kind, text, strlen(text));
    memory_free(text);
    return result;
}

static Value working_directory_text(FUNCTION_ARGS)
{
    return working_directory(false);
}
static Value working_directory_bytes(FUNCTION_ARGS)
{
    return working_directory(true);
}

static Value fspath(FUNCTION_ARGS)
{
    BIND("fspath", 1, 1, "path");
    return path_of(given[0]);
}

const MethodDef posix_file_functions[] = {
    {"stat", posix_status, KEYWORD_ARGS,
     "stat($module, /, path, *, dir_fd=None, follow_symlinks=True)\n--\n\n"
     "What the system knows of a file: its kind, size, owner, times."},
    {"lstat", posix_link_status, KEYWORD_ARGS, NULL},
    {"fstat", posix_descriptor_status, KEYWORD_ARGS, NULL},
    {"statvfs", posix_space, KEYWORD_ARGS, NULL},
    {"fstatvfs", posix_descriptor_space, KEYWORD_ARGS, NULL},
    {"major", posix_major, ONE_ARG, NULL},
    {"minor", posix_minor, ONE_ARG, NULL},
    {"makedev", posix_make_device, ARGS(2, 2), NULL},
    {"mkdir", make_folder, KEYWORD_ARGS, NULL},
    {"rmdir", remove_folder, KEYWORD_ARGS, NULL},
    {"remove", remove_file, KEYWORD_ARGS, NULL},
    {"unlink", unlink_file, KEYWORD_ARGS, NULL},
    {"chdir", go_to_folder, KEYWORD_ARGS, NULL},
    {"chroot", change_root, KEYWORD_ARGS, NULL},
    {"chmod", set_mode, KEYWORD_ARGS, NULL},
    {"chown", set_owner, KEYWORD_ARGS, NULL},
    {"lchown", set_link_owner, KEYWORD_ARGS, NULL},
    {"mkfifo", make_pipe_file, KEYWORD_ARGS, NULL},
    {"mknod", make_node, KEYWORD_ARGS, NULL},
    {"truncate", set_size, KEYWORD_ARGS, NULL},
    {"access", may_access, KEYWORD_ARGS, NULL},
    {"rename", rename_file, KEYWORD_ARGS, NULL},
    {"replace", replace_file, KEYWORD_ARGS, NULL},
    {"link", link_file, KEYWORD_ARGS, NULL},
    {"symlink", make_symlink, KEYWORD_ARGS, NULL},
    {"readlink", read_link, KEYWORD_ARGS, NULL},
    {"utime", set_times, KEYWORD_ARGS, NULL},
    {"listdir", list_folder, KEYWORD_ARGS, NULL},
    {"_folder_entries", folder_entries, ARGS(0, 1), NULL},
    {"getcwd", working_directory_text, NO_ARGS, NULL},
    {"getcwdb", working_directory_bytes, NO_ARGS, NULL},
    {"fspath", fspath, KEYWORD_ARGS, NULL},
    {0},
};
