// Arguments and errors of the module posix: see posix.h.
#include "vm/modules/posix/posix.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/io/path.h"
#include "vm/outside/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

// ---- paths

static const char *kinds_text(PathKinds kinds)
{
    switch ((int)kinds) {
    case PATH_NAME: return "string, bytes or os.PathLike";
    case PATH_OR_DESCRIPTOR: return "string, bytes, os.PathLike or integer";
    case PATH_OR_NONE: return "string, bytes, os.PathLike or None";
    default: return "string, bytes, os.PathLike, integer or None";
    }
}

static bool take_descriptor(PathArgument *path, ValueRef value)
{
    int64_t number;
    Value index = object_index(value);
    if (!index) return false;
    int_as_int64_clamped(index, &number);
    drop(index);
    if (number > INT_MAX) return raise_error(OverflowError, "fd is greater than maximum");
    if (number < INT_MIN) return raise_error(OverflowError, "fd is less than minimum");
    path->descriptor = (int)number;
    if (outside_is_aside(path->descriptor)) return raise_posix();
    path->given = retain(value);
    return true;
}

static bool take_name(PathArgument *path, ValueRef value, const char *function,
                      const char *parameter)
{
    Value name = path_of(value);
    if (!name) return false;
    path->as_bytes = bytes_check(name);
    path->bytes = path_bytes(name);
    path->given = name;
    if (!path->bytes) return path_end(path), false;
    path->name = as_bytes(path->bytes)->data;
    if (strlen(path->name) == (size_t)as_bytes(path->bytes)->size) return true;
    path_end(path);
    if (!path->as_bytes) return raise_error(ValueError, "embedded null byte");
    return raise_error(ValueError, "%s: embedded null character in %s", function, parameter);
}

// Bytes that are in a buffer; the way out of it, so with a warning.
static bool take_buffer(PathArgument *path, ValueRef value, const char *function,
                        const char *parameter, PathKinds kinds)
{
    Buffer buffer;
    if (!warn(DeprecationWarning, 1, "%s: %s should be %s, not %.200T", function, parameter,
              kinds_text(kinds), value) ||
        !buffer_get_strided(value, &buffer, false))
        return false;
    Value bytes = bytes_new(NULL, (size_t)buffer.size);
    if (bytes) buffer_copy(&buffer, as_bytes(bytes)->data);
    buffer_release(&buffer);
    bool taken = bytes && take_name(path, bytes, function, parameter);
    drop(bytes);
    if (!taken) return false;
    drop(path->given);
    path->given = retain(value);
    return true;
}

static bool is_path(ValueRef value)
{
    return str_check(value) || bytes_check(value) ||
           type_lookup(type_of(value), NAME(__fspath__)) != 0;
}

bool path_begin(PathArgument *path, ValueRef value, const char *function, const char *parameter,
                PathKinds kinds)
{
    *path = (PathArgument){.descriptor = -1};
    if ((!value || value == NONE) && (kinds & PATH_OR_NONE)) {
        path->name = ".";
        path->given = retain(value);
        return true;
    }
    if (is_path(value)) return take_name(path, value, function, parameter);
    if (buffer_check(value)) return take_buffer(path, value, function, parameter, kinds);
    if (!(kinds & PATH_OR_DESCRIPTOR) || !type_of(value)->index)
        return raise_error(TypeError, "%s: %s should be %s, not %.200T", function, parameter,
                           kinds_text(kinds), value);
    return take_descriptor(path, value);
}

// "name" becomes "/proc/self/fd/5/name".
static bool look_in(PathArgument *path, int folder)
{
    char text[PATH_MAX];
    path->is_lost = !outside_folder_path(folder, text);
    if (path->is_lost) return true;
    size_t front = strlen(text), size = strlen(path->name);
    Value bytes = bytes_new(NULL, front + 1 + size);
    if (!bytes) return false;
    char *joined = as_bytes(bytes)->data;
    memcpy(joined, text, front);
    joined[front] = '/';
    memcpy(joined + front + 1, path->name, size);
    replace_slot(&path->bytes, bytes);
    path->name = as_bytes(bytes)->data;
    return true;
}

bool path_begin_in(PathArgument *path, ValueRef value, const char *function, const char *parameter,
                   PathKinds kinds, int folder)
{
    if (!path_begin(path, value, function, parameter, kinds)) return false;
    bool as_it_is = folder == AT_FDCWD || !path->name || !*path->name || *path->name == '/';
    if (as_it_is || look_in(path, folder)) return true;
    path_end(path);
    return false;
}

bool path_is_found(const PathArgument *path)
{
    if (path->is_lost) errno = EBADF;
    return !path->is_lost;
}

void path_end(PathArgument *path)
{
    drop_slot(&path->bytes);
    drop_slot(&path->given);
    path->name = NULL;
}

Value path_like(const PathArgument *path, const char *name, size_t size)
{
    return path->as_bytes ? bytes_new(name, size) : path_from_system(name, size);
}

// ---- errors

Value raise_posix(void)
{
    return error_pending() ? VALUE_ERROR : raise_os_error(errno, 0);
}

Value raise_posix_path(const PathArgument *path)
{
    return error_pending() ? VALUE_ERROR : raise_os_error(errno, path->given);
}

Value raise_posix_paths(const PathArgument *path, const PathArgument *other)
{
    Value text = str_new(strerror(errno));
    ValueRef arguments[] = {from_small(errno), text, path->given, NONE, other->given};
    Value exception = text ? exception_new(OSError, arguments, 5) : VALUE_ERROR;
    drop(text);
    if (exception) raise_value(exception);
    drop(exception);
    return VALUE_ERROR;
}

Value posix_done(int64_t result)
{
    return result < 0 ? raise_posix() : NONE;
}

Value posix_number_of(SystemCall which, const int64_t numbers[4], CallBytes bytes)
{
    int64_t answer = outside_call(which, numbers, bytes);
    return answer < 0 ? raise_posix() : int_new(answer);
}

Value posix_setting(SystemCall which, const int64_t numbers[4], CallBytes bytes)
{
    int64_t answer = outside_call(which, numbers, bytes);
    return answer < 0 && errno ? raise_posix() : int_new(answer);
}

// ---- others

bool folder_argument(ValueRef value, int *folder)
{
    *folder = AT_FDCWD;
    if (!value || value == NONE) return true;
    if (!type_of(value)->index)
        return raise_error(TypeError, "argument should be integer or None, not %.200T", value);
    PathArgument taken = {0};
    if (!take_descriptor(&taken, value)) return false;
    *folder = taken.descriptor;
    path_end(&taken);
    return true;
}

bool refuse_folder_of(const char *function, const PathArgument *path, int folder)
{
    return path->name || folder == AT_FDCWD ||
           raise_error(ValueError, "%s: can't specify dir_fd without matching path", function);
}

bool truth_argument(ValueRef value, bool otherwise, bool *answer)
{
    *answer = otherwise;
    return !value || object_truth(value, answer);
}

bool posix_descriptor(ValueRef value, int otherwise, int *descriptor)
{
    if (!posix_int(value, otherwise, descriptor)) return false;
    return !outside_is_aside(*descriptor) || raise_posix();
}

bool posix_file(ValueRef value, int *descriptor)
{
    Value number = int_check(value) ? retain(value) : object_get_optional(value, NAME(fileno));
    if (number == ABSENT)
        return raise_error(TypeError, "argument must be an int, or have a fileno() method.");
    if (number && !int_check(value)) replace_slot(&number, object_call_none(number));
    bool done =
        number && (int_check(number) || raise_error(TypeError, "fileno() returned a non-integer"));
    done = done && posix_int(number, 0, descriptor);
    drop(number);
    if (!done) return false;
    if (*descriptor < 0)
        return raise_error(ValueError, "file descriptor cannot be a negative integer (%d)",
                           *descriptor);
    return !outside_is_aside(*descriptor) || raise_posix();
}

// What is above UINT32_MAX is "less than minimum" too, as long as C's long has it.
bool posix_owner(ValueRef value, const char *parameter, int64_t *owner)
{
    if (!type_of(value)->index)
        return raise_error(TypeError, "%s should be integer, not %.200T", parameter, value);
    Value index = object_index(value);
    int beyond = index ? int_as_int64_clamped(index, owner) : 0;
    drop(index);
    if (!index || (!beyond && *owner >= -1 && *owner <= UINT32_MAX)) return index;
    return raise_error(OverflowError, "%s is %s", parameter,
                       beyond > 0 ? "greater than maximum" : "less than minimum");
}

bool posix_offset(ValueRef value, int64_t *offset)
{
    Value index = object_index_or_int(value);
    bool done = index && int_as_int64(index, offset);
    drop(index);
    return done;
}

bool posix_device(ValueRef value, int64_t *device)
{
    uint64_t number;
    if (!int_check(value)) return raise_error(TypeError, "an integer is required");
    int beyond = int_as_int64_clamped(value, device);
    if (beyond < 0 || *device < 0)
        return raise_error(OverflowError, "can't convert negative int to unsigned");
    if (!beyond) return true;
    if (!int_as_uint64(value, &number)) {
        error_clear();
        return raise_error(OverflowError, "int too big to convert");
    }
    *device = (int64_t)number;
    return true;
}

bool posix_int(ValueRef value, int otherwise, int *number)
{
    *number = otherwise;
    return !value || argument_int(value, number);
}
