// Functions of the module posix on files by descriptor.
#include "vm/modules/posix/posix.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/io/io_descriptor.h"
#include "vm/io/path.h"
#include "vm/outside/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static Value open_file(FUNCTION_ARGS)
{
    int flags, mode, folder;
    PathArgument path;
    BIND("open", 2, 3, "path", "flags", "mode", "dir_fd");
    if (!posix_int(given[1], 0, &flags) || !posix_int(given[2], 0777, &mode) ||
        !folder_argument(given[3], &folder) ||
        !path_begin_in(&path, given[0], "open", "path", PATH_NAME, folder))
        return VALUE_ERROR;
    int descriptor = path_is_found(&path) ? outside_open(path.name, flags, mode) : -1;
    Value result = descriptor < 0 ? raise_posix_path(&path) : from_small(descriptor);
    path_end(&path);
    return result;
}

static Value close_file(FUNCTION_ARGS)
{
    int descriptor;
    BIND("close", 1, 1, "fd");
    return posix_descriptor(given[0], 0, &descriptor) ? posix_done(descriptor_close(descriptor))
                                                      : VALUE_ERROR;
}

static Value close_range_of(FUNCTION_ARGS)
{
    int first, end;
    if (!posix_int(args[0], 0, &first) || !posix_int(args[1], 0, &end)) return VALUE_ERROR;
    return descriptor_close_range(first, end) ? NONE : VALUE_ERROR;
}

static Value set_mode_of(FUNCTION_ARGS)
{
    int descriptor, mode;
    BIND("fchmod", 2, 2, "fd", "mode");
    if (!posix_descriptor(given[0], 0, &descriptor) || !posix_int(given[1], 0, &mode))
        return VALUE_ERROR;
    return posix_done(
        outside_descriptor_call(CALL_DESCRIPTOR_MODE, descriptor, (int64_t[2]){mode}));
}

static Value set_owner_of(FUNCTION_ARGS)
{
    int descriptor;
    int64_t owner[2];
    BIND("fchown", 3, 3, "fd", "uid", "gid");
    if (!posix_descriptor(given[0], 0, &descriptor) || !posix_owner(given[1], "uid", &owner[0]) ||
        !posix_owner(given[2], "gid", &owner[1]))
        return VALUE_ERROR;
    return posix_done(outside_descriptor_call(CALL_DESCRIPTOR_OWNER, descriptor, owner));
}

static Value read_file(FUNCTION_ARGS)
{
    int descriptor;
    ssize_t size;
    if (!posix_descriptor(args[0], 0, &descriptor) ||
        !object_as_ssize(args[1], &size, OverflowError))
        return VALUE_ERROR;
    if (size < 0) {
        errno = EINVAL;
        return raise_posix();
    }
    char *bytes = memory_alloc((size_t)size + 1);
    if (!bytes) return raise_memory_error();
    ssize_t count = descriptor_read(descriptor, bytes, (size_t)size);
    Value result = count < 0 ? raise_posix() : bytes_new(bytes, (size_t)count);
    memory_free(bytes);
    return result;
}

static Value write_file(FUNCTION_ARGS)
{
    int descriptor;
    Buffer buffer;
    if (!posix_descriptor(args[0], 0, &descriptor) || !buffer_get(args[1], &buffer, false))
        return VALUE_ERROR;
    ssize_t count = descriptor_write(descriptor, buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return count < 0 ? raise_posix() : int_new(count);
}

static Value seek_file(FUNCTION_ARGS)
{
    int descriptor, whence;
    int64_t offset;
    if (!posix_descriptor(args[0], 0, &descriptor) || !posix_offset(args[1], &offset) ||
        !posix_int(args[2], 0, &whence))
        return VALUE_ERROR;
    int64_t position = outside_seek(descriptor, offset, whence);
    return position < 0 ? raise_posix() : int_new(position);
}

static Value truncate_file(FUNCTION_ARGS)
{
    int descriptor;
    int64_t length;
    if (!posix_descriptor(args[0], 0, &descriptor) || !posix_offset(args[1], &length))
        return VALUE_ERROR;
    return posix_done(outside_truncate(descriptor, length));
}

static Value sync_file(FUNCTION_ARGS)
{
    int descriptor;
    BIND("fsync", 1, 1, "fd");
    return posix_file(given[0], &descriptor) ? posix_done(outside_sync(descriptor)) : VALUE_ERROR;
}

static Value duplicate(FUNCTION_ARGS)
{
    int descriptor;
    if (!posix_descriptor(args[0], 0, &descriptor)) return VALUE_ERROR;
    int copy = descriptor_duplicate(descriptor, -1, false);
    return copy < 0 ? raise_posix() : from_small(copy);
}

static Value duplicate_to(FUNCTION_ARGS)
{
    int descriptor, wanted;
    bool inheritable;
    BIND("dup2", 2, 3, "fd", "fd2", "inheritable");
    if (!posix_descriptor(given[0], 0, &descriptor) || !posix_descriptor(given[1], 0, &wanted) ||
        !truth_argument(given[2], true, &inheritable))
        return VALUE_ERROR;
    if (wanted < 0) {
        errno = EBADF;
        return raise_posix();
    }
    int copy = descriptor_duplicate(descriptor, wanted, inheritable);
    return copy < 0 ? raise_posix() : from_small(copy);
}

static Value pipe_with(int flags)
{
    int ends[2];
    if (outside_pipe(ends, flags) < 0) return raise_posix();
    return tuple_pack(2, from_small(ends[0]), from_small(ends[1]));
}

static Value make_pipe(FUNCTION_ARGS)
{
    return pipe_with(O_CLOEXEC);
}

static Value make_pipe_with(FUNCTION_ARGS)
{
    int flags;
    return posix_int(args[0], 0, &flags) ? pipe_with(flags) : VALUE_ERROR;
}

static Value go_to(FUNCTION_ARGS)
{
    int folder;
    BIND("fchdir", 1, 1, "fd");
    return posix_file(given[0], &folder) ? posix_done(outside_go_to(folder)) : VALUE_ERROR;
}

static Value make_memory_file(FUNCTION_ARGS)
{
    int flags;
    BIND("memfd_create", 1, 2, "name", "flags");
    Value name = path_bytes(given[0]);
    const char *text = name ? as_bytes(name)->data : NULL;
    Value result = VALUE_ERROR;
    if (text && strlen(text) != (size_t)as_bytes(name)->size)
        raise_error(ValueError, "embedded null byte");
    else if (text && posix_int(given[1], 1, &flags)) // MFD_CLOEXEC
        result = posix_number_of(SYSTEM_MEMORY_FILE, (int64_t[4]){flags},
                                 (CallBytes){.given = text, .given_size = strlen(text)});
    drop(name);
    return result;
}

// Asks or sets a flag of a descriptor: `flag` is one of the two functions of files.h for that.
static Value get_flag(ValueRef value, int (*flag)(int descriptor, int wanted))
{
    int descriptor;
    if (!posix_descriptor(value, 0, &descriptor)) return VALUE_ERROR;
    int answer = flag(descriptor, -1);
    return answer < 0 ? raise_posix() : from_bool(answer);
}

static Value set_flag(const ValueRef *args, int (*flag)(int descriptor, int wanted))
{
    int descriptor, wanted;
    if (!posix_descriptor(args[0], 0, &descriptor) || !posix_int(args[1], 0, &wanted))
        return VALUE_ERROR;
    return posix_done(flag(descriptor, wanted != 0));
}

static Value get_inheritable(FUNCTION_ARGS)
{
    return get_flag(args[0], outside_inheritable);
}

static Value set_inheritable(FUNCTION_ARGS)
{
    return set_flag(args, outside_inheritable);
}

static Value get_blocking(FUNCTION_ARGS)
{
    return get_flag(args[0], outside_blocking);
}

static Value set_blocking(FUNCTION_ARGS)
{
    return set_flag(args, outside_blocking);
}

const MethodDef posix_descriptor_functions[] = {
    {"open", open_file, KEYWORD_ARGS, NULL},
    {"close", close_file, KEYWORD_ARGS, NULL},
    {"closerange", close_range_of, ARGS(2, 2), NULL},
    {"fchmod", set_mode_of, KEYWORD_ARGS, NULL},
    {"fchown", set_owner_of, KEYWORD_ARGS, NULL},
    {"read", read_file, ARGS(2, 2), NULL},
    {"write", write_file, ARGS(2, 2), NULL},
    {"lseek", seek_file, ARGS(3, 3), NULL},
    {"ftruncate", truncate_file, ARGS(2, 2), NULL},
    {"fsync", sync_file, KEYWORD_ARGS, NULL},
    {"dup", duplicate, ONE_ARG, NULL},
    {"dup2", duplicate_to, KEYWORD_ARGS, NULL},
    {"get_inheritable", get_inheritable, ONE_ARG, NULL},
    {"set_inheritable", set_inheritable, ARGS(2, 2), NULL},
    {"get_blocking", get_blocking, ONE_ARG, NULL},
    {"set_blocking", set_blocking, ARGS(2, 2), NULL},
    {"pipe", make_pipe, NO_ARGS, NULL},
    {"pipe2", make_pipe_with, ONE_ARG, NULL},
    {"fchdir", go_to, KEYWORD_ARGS, NULL},
    {"memfd_create", make_memory_file, KEYWORD_ARGS, NULL},
    {0},
};
