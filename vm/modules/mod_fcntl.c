// The module fcntl: fcntl(2), ioctl(2), flock(2), and locks of parts of a file.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/io/path.h"
#include "vm/modules/posix/posix.h"
#include "vm/outside/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>

#define MOST 1024 // bytes of an argument

static const struct {
    const char *name;
    int number;
} constants[] = {
#define CONSTANT(name) {#name, (int)name}
    CONSTANT(LOCK_SH),
    CONSTANT(LOCK_EX),
    CONSTANT(LOCK_NB),
    CONSTANT(LOCK_UN),
    CONSTANT(F_DUPFD),
    CONSTANT(F_DUPFD_CLOEXEC),
    CONSTANT(F_GETFD),
    CONSTANT(F_SETFD),
    CONSTANT(F_GETFL),
    CONSTANT(F_SETFL),
    CONSTANT(F_GETLK),
    CONSTANT(F_SETLK),
    CONSTANT(F_SETLKW),
    CONSTANT(F_GETOWN),
    CONSTANT(F_SETOWN),
    CONSTANT(F_RDLCK),
    CONSTANT(F_WRLCK),
    CONSTANT(F_UNLCK),
    CONSTANT(FD_CLOEXEC),
    CONSTANT(O_NONBLOCK),
    {"LOCK_MAND", 32},
    {"LOCK_READ", 64},
    {"LOCK_WRITE", 128},
    {"LOCK_RW", 192},
    {"F_EXLCK", 4},
    {"F_SHLCK", 8},
    {"F_SETSIG", 10},
    {"F_GETSIG", 11},
    {"F_SETLEASE", 1024},
    {"F_GETLEASE", 1025},
    {"F_NOTIFY", 1026},
    {"F_SETPIPE_SZ", 1031},
    {"F_GETPIPE_SZ", 1032},
    {"F_ADD_SEALS", 1033},
    {"F_GET_SEALS", 1034},
    {"F_OFD_GETLK", 36},
    {"F_OFD_SETLK", 37},
    {"F_OFD_SETLKW", 38},
    {"F_SEAL_SEAL", 1},
    {"F_SEAL_SHRINK", 2},
    {"F_SEAL_GROW", 4},
    {"F_SEAL_WRITE", 8},
    {"DN_ACCESS", 1},
    {"DN_MODIFY", 2},
    {"DN_CREATE", 4},
    {"DN_DELETE", 8},
    {"DN_RENAME", 16},
    {"DN_ATTRIB", 32},
    {"DN_MULTISHOT", -0x7fffffff - 1},
    {"FASYNC", 8192},
    {"F_GETLK64", F_GETLK},
    {"F_SETLK64", F_SETLK},
    {"F_SETLKW64", F_SETLKW},
#undef CONSTANT
};

static bool request_argument(ValueRef value, unsigned *request)
{
    Value index = object_index(value);
    if (!index) return false;
    *request = (unsigned)int_as_uint64_mask(index);
    drop(index);
    return true;
}

// A number is passed as it is; bytes are copied, and what the call makes of them is the answer.
static Value control(ControlKind kind, const char *function, int descriptor, unsigned request,
                     ValueRef argument)
{
    char bytes[MOST];
    Buffer given;
    if (!argument || int_check(argument)) {
        uint64_t number = argument ? int_as_uint64_mask(argument) : 0;
        int64_t answer = outside_control(kind, descriptor, request, (int64_t)number, NULL, 0);
        return answer < 0 ? raise_posix() : int_new(answer);
    }
    Value encoded = str_check(argument) ? path_bytes(argument) : retain(argument);
    if (!encoded || !buffer_get(encoded, &given, false)) {
        drop(encoded);
        return VALUE_ERROR;
    }
    size_t size = (size_t)given.size;
    if (size <= MOST) memcpy(bytes, given.bytes, size);
    buffer_release(&given);
    drop(encoded);
    if (size > MOST) return raise_error(ValueError, "%s string arg too long", function);
    if (outside_control(kind, descriptor, request, 0, bytes, size) < 0) return raise_posix();
    return bytes_new(bytes, size);
}

static Value control_file(FUNCTION_ARGS)
{
    int descriptor;
    unsigned request;
    if (!posix_file(args[0], &descriptor) || !request_argument(args[1], &request))
        return VALUE_ERROR;
    return control(CONTROL_FILE, "fcntl", descriptor, request, nargs > 2 ? args[2] : 0);
}

// A buffer that can be written is changed in place, unless the fourth argument is false.
static Value control_device(FUNCTION_ARGS)
{
    int descriptor;
    unsigned request;
    bool changes;
    Buffer given;
    if (!posix_file(args[0], &descriptor) || !request_argument(args[1], &request) ||
        !truth_argument(nargs > 3 ? args[3] : 0, true, &changes))
        return VALUE_ERROR;
    ValueRef argument = nargs > 2 ? args[2] : 0;
    bool is_plain = !argument || int_check(argument) || str_check(argument) || !changes;
    if (is_plain || bytes_check(argument))
        return control(CONTROL_DEVICE, "ioctl", descriptor, request, argument);
    if (!buffer_get(argument, &given, true)) return VALUE_ERROR;
    int64_t answer =
        outside_control(CONTROL_DEVICE, descriptor, request, 0, given.bytes, (size_t)given.size);
    buffer_release(&given);
    return answer < 0 ? raise_posix() : int_new(answer);
}

static Value lock_whole(FUNCTION_ARGS)
{
    int descriptor, operation;
    if (!posix_file(args[0], &descriptor) || !posix_int(args[1], 0, &operation))
        return VALUE_ERROR;
    return posix_done(outside_control(CONTROL_LOCK, descriptor, 0, operation, NULL, 0));
}

static bool size_argument(ValueRef value, off_t *size)
{
    int64_t number = 0;
    Value index = value ? object_index(value) : from_small(0);
    bool done = index && int_as_int64(index, &number);
    drop(index);
    *size = (off_t)number;
    return done;
}

static Value lock_part(FUNCTION_ARGS)
{
    int descriptor, operation, whence = 0;
    struct flock lock = {0};
    if (!posix_file(args[0], &descriptor) || !posix_int(args[1], 0, &operation) ||
        !size_argument(nargs > 2 ? args[2] : 0, &lock.l_len) ||
        !size_argument(nargs > 3 ? args[3] : 0, &lock.l_start) ||
        !posix_int(nargs > 4 ? args[4] : 0, 0, &whence))
        return VALUE_ERROR;
    if (operation != LOCK_UN && !(operation & (LOCK_SH | LOCK_EX)))
        return raise_error(ValueError, "unrecognized lockf argument");
    lock.l_type = operation == LOCK_UN ? F_UNLCK : operation & LOCK_SH ? F_RDLCK : F_WRLCK;
    lock.l_whence = (short)whence;
    unsigned request = operation & LOCK_NB ? F_SETLK : F_SETLKW;
    return posix_done(outside_control(CONTROL_FILE, descriptor, request, 0, &lock, sizeof lock));
}

static const MethodDef functions[] = {
    {"fcntl", control_file, ARGS(2, 3), NULL},
    {"ioctl", control_device, ARGS(2, 4), NULL},
    {"flock", lock_whole, ARGS(2, 2), NULL},
    {"lockf", lock_part, ARGS(2, 5), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (!module_add_owned(module, constants[i].name, int_new(constants[i].number)))
            return false;
    return true;
}

const ModuleDef fcntl_module = {
    .name = "fcntl",
    .doc = "Control of files and devices by descriptor.",
    .functions = functions,
    .fill = fill,
};
