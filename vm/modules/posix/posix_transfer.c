// Functions of the module posix that move bytes: at a position, in several buffers, from file to
// file; and what is said of a file's parts: locks, advice, room.
//
// What stands in several buffers is read or written in one call, through a buffer of minivm's own.
// os.sendfile and os.copy_file_range read and write as a program would, MOST_AT_ONCE at most: so
// that limits count it, and a recording has it.
#include "vm/modules/posix/posix.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/io/io_descriptor.h"
#include "vm/outside/files.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define MOST_AT_ONCE ((size_t)1 << 20)

static Value refuse(int error)
{
    errno = error;
    return raise_posix();
}

// ---- at a position

static Value read_at(FUNCTION_ARGS)
{
    int descriptor;
    ssize_t size;
    int64_t position;
    if (!posix_descriptor(args[0], 0, &descriptor) ||
        !object_as_ssize(args[1], &size, OverflowError) || !posix_offset(args[2], &position))
        return VALUE_ERROR;
    if (size < 0) return refuse(EINVAL);
    char *bytes = memory_alloc((size_t)size + 1);
    if (!bytes) return raise_memory_error();
    ssize_t count = outside_read_at(descriptor, bytes, (size_t)size, position, 0);
    Value result = count < 0 ? raise_posix() : bytes_new(bytes, (size_t)count);
    memory_free(bytes);
    return result;
}

static Value write_at(FUNCTION_ARGS)
{
    int descriptor;
    Buffer buffer;
    int64_t position;
    if (!posix_descriptor(args[0], 0, &descriptor) || !buffer_get(args[1], &buffer, false))
        return VALUE_ERROR;
    ssize_t count = -1;
    bool done = posix_offset(args[2], &position);
    if (done) count = outside_write_at(descriptor, buffer.bytes, (size_t)buffer.size, position, 0);
    buffer_release(&buffer);
    return count >= 0 ? int_new(count) : done ? raise_posix() : VALUE_ERROR;
}

// ---- several buffers

typedef struct Parts {
    Buffer *buffers;
    ssize_t count;
    char *bytes; // room for all of them
    size_t size;
} Parts;

static void parts_end(Parts *parts)
{
    for (ssize_t i = 0; i < parts->count; i++) buffer_release(&parts->buffers[i]);
    memory_free(parts->buffers);
    memory_free(parts->bytes);
}

static bool take_parts(Parts *parts, ValueRef items, bool writable)
{
    parts->buffers = memory_alloc(((size_t)tuple_size(items) + 1) * sizeof *parts->buffers);
    if (!parts->buffers) return raise_memory_error();
    for (ssize_t i = 0; i < tuple_size(items); i++) {
        if (!buffer_get(tuple_at(items, i), &parts->buffers[i], writable)) return false;
        parts->size += (size_t)parts->buffers[i].size;
        parts->count++;
    }
    parts->bytes = memory_alloc(parts->size + 1);
    return parts->bytes || raise_memory_error();
}

static bool parts_begin(Parts *parts, const char *function, ValueRef sequence, bool writable)
{
    *parts = (Parts){0};
    if (!sequence_check(sequence))
        return raise_error(TypeError, "%s() arg 2 must be a sequence", function);
    Value items = sequence_tuple(sequence);
    bool done = items && take_parts(parts, items, writable);
    drop(items);
    if (!done) parts_end(parts);
    return done;
}

static void scatter(const Parts *parts, size_t size)
{
    const char *from = parts->bytes;
    for (ssize_t i = 0; i < parts->count && size > 0; i++) {
        size_t room = (size_t)parts->buffers[i].size, part = size < room ? size : room;
        memcpy(parts->buffers[i].bytes, from, part);
        from += part;
        size -= part;
    }
}

static void gather(const Parts *parts)
{
    char *to = parts->bytes;
    for (ssize_t i = 0; i < parts->count; i++) {
        memcpy(to, parts->buffers[i].bytes, (size_t)parts->buffers[i].size);
        to += parts->buffers[i].size;
    }
}

static Value read_parts(int descriptor, Parts *parts, const int64_t *place)
{
    ssize_t count =
        place ? outside_read_at(descriptor, parts->bytes, parts->size, place[0], (int)place[1])
              : descriptor_read(descriptor, parts->bytes, parts->size);
    Value result = count < 0 ? raise_posix() : int_new(count);
    if (count > 0) scatter(parts, (size_t)count);
    parts_end(parts);
    return result;
}

static Value write_parts(int descriptor, Parts *parts, const int64_t *place)
{
    gather(parts);
    ssize_t count =
        place ? outside_write_at(descriptor, parts->bytes, parts->size, place[0], (int)place[1])
              : descriptor_write(descriptor, parts->bytes, parts->size);
    Value result = count < 0 ? raise_posix() : int_new(count);
    parts_end(parts);
    return result;
}

static Value read_into_parts(FUNCTION_ARGS)
{
    int descriptor;
    Parts parts;
    if (!posix_descriptor(args[0], 0, &descriptor) || !parts_begin(&parts, "readv", args[1], true))
        return VALUE_ERROR;
    return read_parts(descriptor, &parts, NULL);
}

static Value write_from_parts(FUNCTION_ARGS)
{
    int descriptor;
    Parts parts;
    if (!posix_descriptor(args[0], 0, &descriptor) ||
        !parts_begin(&parts, "writev", args[1], false))
        return VALUE_ERROR;
    return write_parts(descriptor, &parts, NULL);
}

// A position, and the flags of preadv2(2).
static bool take_place(const ValueRef *args, size_t nargs, int64_t place[2])
{
    int flags;
    bool done = posix_offset(args[2], &place[0]) && posix_int(nargs > 3 ? args[3] : 0, 0, &flags);
    if (done) place[1] = flags;
    return done;
}

static Value read_into_parts_at(FUNCTION_ARGS)
{
    int descriptor;
    int64_t place[2];
    Parts parts;
    if (!posix_descriptor(args[0], 0, &descriptor) || !take_place(args, nargs, place) ||
        !parts_begin(&parts, "preadv", args[1], true))
        return VALUE_ERROR;
    return read_parts(descriptor, &parts, place);
}

static Value write_from_parts_at(FUNCTION_ARGS)
{
    int descriptor;
    int64_t place[2];
    Parts parts;
    if (!posix_descriptor(args[0], 0, &descriptor) || !take_place(args, nargs, place) ||
        !parts_begin(&parts, "pwritev", args[1], false))
        return VALUE_ERROR;
    return write_parts(descriptor, &parts, place);
}

// ---- from file to file

// One end: where it is, or (`has_position`) a position of its own.
typedef struct End {
    int descriptor;
    bool has_position;
    int64_t position;
} End;

static bool end_argument(ValueRef value, ValueRef position, End *end)
{
    if (!posix_descriptor(value, 0, &end->descriptor)) return false;
    end->has_position = position && position != NONE;
    return !end->has_position || posix_offset(position, &end->position);
}

static bool is_file(int descriptor)
{
    FileKind kind = outside_descriptor_kind(descriptor);
    if (kind == FILE_REGULAR) return true;
    errno = kind == FILE_MISSING ? EBADF : EINVAL;
    return false;
}

static ssize_t move_some(const End *from, const End *to, char *bytes, size_t size)
{
    ssize_t count = from->has_position
                        ? outside_read_at(from->descriptor, bytes, size, from->position, 0)
                        : descriptor_read(from->descriptor, bytes, size);
    if (count <= 0) return count;
    ssize_t written = to->has_position
                          ? outside_write_at(to->descriptor, bytes, (size_t)count, to->position, 0)
                          : descriptor_write(to->descriptor, bytes, (size_t)count);
    int error = errno;
    if (written < count && !from->has_position) // what was not taken is read again
        outside_seek(from->descriptor, (written < 0 ? 0 : written) - count, SEEK_CUR);
    errno = error;
    return written;
}

static Value move_bytes(const End *from, const End *to, ssize_t count)
{
    if (!is_file(from->descriptor)) return raise_posix();
    size_t size = (size_t)count < MOST_AT_ONCE ? (size_t)count : MOST_AT_ONCE;
    char *bytes = memory_alloc(size + 1);
    if (!bytes) return raise_memory_error();
    ssize_t moved = move_some(from, to, bytes, size);
    memory_free(bytes);
    return moved < 0 ? raise_posix() : int_new(moved);
}

static Value send_file(FUNCTION_ARGS)
{
    End from = {0}, to = {0};
    ssize_t count;
    BIND("sendfile", 4, 4, "out_fd", "in_fd", "offset", "count");
    if (!end_argument(given[0], 0, &to) || !end_argument(given[1], given[2], &from) ||
        !object_as_ssize(given[3], &count, OverflowError))
        return VALUE_ERROR;
    return count < 0 ? refuse(EINVAL) : move_bytes(&from, &to, count);
}

static Value copy_range(FUNCTION_ARGS)
{
    End from = {0}, to = {0};
    ssize_t count;
    BIND("copy_file_range", 3, 5, "src", "dst", "count", "offset_src", "offset_dst");
    if (!end_argument(given[0], given[3], &from) || !end_argument(given[1], given[4], &to) ||
        !object_as_ssize(given[2], &count, OverflowError))
        return VALUE_ERROR;
    if (count < 0) return raise_error(ValueError, "negative value for 'count' not allowed");
    return is_file(to.descriptor) ? move_bytes(&from, &to, count) : raise_posix();
}

// ---- parts of a file

static Value sync_bytes(FUNCTION_ARGS)
{
    int descriptor;
    BIND("fdatasync", 1, 1, "fd");
    return posix_file(given[0], &descriptor) ? posix_does(SYSTEM_SYNC_DATA, descriptor)
                                             : VALUE_ERROR;
}

static Value sync_all(FUNCTION_ARGS)
{
    return posix_does(SYSTEM_SYNC_ALL);
}

static Value lock_part(FUNCTION_ARGS)
{
    int descriptor, command;
    int64_t length;
    if (!posix_descriptor(args[0], 0, &descriptor) || !posix_int(args[1], 0, &command) ||
        !posix_offset(args[2], &length))
        return VALUE_ERROR;
    return posix_does(SYSTEM_LOCK_PART, descriptor, command, length);
}

static bool part_argument(const ValueRef *args, int *descriptor, int64_t *offset, int64_t *length)
{
    return posix_descriptor(args[0], 0, descriptor) && posix_offset(args[1], offset) &&
           posix_offset(args[2], length);
}

static Value give_advice(FUNCTION_ARGS)
{
    int descriptor, advice;
    int64_t offset, length;
    if (!part_argument(args, &descriptor, &offset, &length) || !posix_int(args[3], 0, &advice))
        return VALUE_ERROR;
    return posix_does(SYSTEM_ADVISE, descriptor, offset, length, advice);
}

static Value make_room(FUNCTION_ARGS)
{
    int descriptor;
    int64_t offset, length;
    if (!part_argument(args, &descriptor, &offset, &length)) return VALUE_ERROR;
    return posix_does(SYSTEM_ALLOCATE, descriptor, offset, length);
}

const MethodDef posix_transfer_functions[] = {
    {"pread", read_at, ARGS(3, 3), NULL},
    {"pwrite", write_at, ARGS(3, 3), NULL},
    {"readv", read_into_parts, ARGS(2, 2), NULL},
    {"writev", write_from_parts, ARGS(2, 2), NULL},
    {"preadv", read_into_parts_at, ARGS(3, 4), NULL},
    {"pwritev", write_from_parts_at, ARGS(3, 4), NULL},
    {"sendfile", send_file, KEYWORD_ARGS, NULL},
    {"copy_file_range", copy_range, KEYWORD_ARGS, NULL},
    {"fdatasync", sync_bytes, KEYWORD_ARGS, NULL},
    {"sync", sync_all, NO_ARGS, NULL},
    {"lockf", lock_part, ARGS(3, 3), NULL},
    {"posix_fadvise", give_advice, ARGS(4, 4), NULL},
    {"posix_fallocate", make_room, ARGS(3, 3), NULL},
    {0},
};
