// Functions of the module posix on extended attributes of files: names with bytes (xattr(7)).
#include "vm/modules/posix/posix.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "vm/io/path.h"

#include <string.h>

// One call: a file, an attribute's name (or none), whether a link is followed.
typedef struct Call {
    PathArgument path;
    PathArgument attribute;
    int64_t numbers[4];
    char *given; // path, NUL, name, NUL, value
    size_t size;
} Call;

static void call_end(Call *call)
{
    memory_free(call->given);
    path_end(&call->attribute);
    path_end(&call->path);
}

static bool join(Call *call, const char *value, size_t value_size)
{
    const char *path = call->path.name ? call->path.name : "";
    const char *name = call->attribute.name ? call->attribute.name : "";
    size_t first = strlen(path) + 1, second = strlen(name) + 1;
    call->size = first + second + value_size;
    call->given = memory_alloc(call->size);
    if (!call->given) return raise_memory_error();
    memcpy(call->given, path, first);
    memcpy(call->given + first, name, second);
    if (value_size) memcpy(call->given + first + second, value, value_size);
    return true;
}

// False with an exception pending, and nothing to end.
static bool call_begin(Call *call, const char *function, ValueRef path, ValueRef attribute,
                       ValueRef follows, PathKinds kinds)
{
    bool follow;
    *call = (Call){0};
    if (!path_begin(&call->path, path, function, "path", kinds | PATH_OR_DESCRIPTOR)) return false;
    bool done =
        (!attribute || path_begin(&call->attribute, attribute, function, "attribute", PATH_NAME)) &&
        truth_argument(follows, true, &follow);
    if (done && !call->path.name && !follow)
        done = raise_error(ValueError, "%s: cannot use fd and follow_symlinks together", function);
    if (!done) return call_end(call), false;
    call->numbers[0] = call->path.name ? -1 : call->path.descriptor;
    call->numbers[1] = follow;
    return true;
}

// Makes the call and ends it; what the bytes of the answer are is for `value_of` to say.
static Value answered(Call *call, SystemCall which, Value (*value_of)(const void *, size_t))
{
    Value result = VALUE_ERROR;
    char *answer = join(call, NULL, 0) ? memory_alloc(LARGEST_ATTRIBUTE) : NULL;
    if (answer) {
        CallBytes bytes = {call->given, call->size, answer, LARGEST_ATTRIBUTE};
        int64_t size = outside_call(which, call->numbers, bytes);
        result = size < 0 ? raise_posix_path(&call->path) : value_of(answer, (size_t)size);
    } else if (call->given)
        raise_memory_error();
    memory_free(answer);
    call_end(call);
    return result;
}

static Value get_attribute(FUNCTION_ARGS)
{
    Call call;
    BIND("getxattr", 2, 2, "path", "attribute", "follow_symlinks");
    if (!call_begin(&call, "getxattr", given[0], given[1], given[2], PATH_NAME)) return VALUE_ERROR;
    return answered(&call, SYSTEM_ATTRIBUTE, bytes_new);
}

static Value change(Call *call, SystemCall which)
{
    CallBytes bytes = {.given = call->given, .given_size = call->size};
    return outside_call(which, call->numbers, bytes) < 0 ? raise_posix_path(&call->path) : NONE;
}

static Value set_attribute(FUNCTION_ARGS)
{
    Call call;
    Buffer value;
    int flags;
    BIND("setxattr", 3, 4, "path", "attribute", "value", "flags", "follow_symlinks");
    if (!posix_int(given[3], 0, &flags) ||
        !call_begin(&call, "setxattr", given[0], given[1], given[4], PATH_NAME))
        return VALUE_ERROR;
    Value result = VALUE_ERROR;
    call.numbers[2] = flags;
    if (buffer_get(given[2], &value, false)) {
        if (join(&call, value.bytes, (size_t)value.size))
            result = change(&call, SYSTEM_SET_ATTRIBUTE);
        buffer_release(&value);
    }
    call_end(&call);
    return result;
}

static Value remove_attribute(FUNCTION_ARGS)
{
    Call call;
    BIND("removexattr", 2, 2, "path", "attribute", "follow_symlinks");
    if (!call_begin(&call, "removexattr", given[0], given[1], given[2], PATH_NAME))
        return VALUE_ERROR;
    Value result = join(&call, NULL, 0) ? change(&call, SYSTEM_REMOVE_ATTRIBUTE) : VALUE_ERROR;
    call_end(&call);
    return result;
}

static Value list_of_names(const void *answer, size_t size)
{
    const char *names = answer;
    Value list = list_new(0);
    for (const char *at = names; list && at < names + size; at += strlen(at) + 1)
        if (!list_append_owned(list, path_from_system(at, strlen(at)))) drop_slot(&list);
    return list;
}

static Value list_attributes(FUNCTION_ARGS)
{
    Call call;
    BIND("listxattr", 0, 1, "path", "follow_symlinks");
    if (!call_begin(&call, "listxattr", given[0], 0, given[1], PATH_OR_NONE)) return VALUE_ERROR;
    return answered(&call, SYSTEM_ATTRIBUTES, list_of_names);
}

const MethodDef posix_attribute_functions[] = {
    {"getxattr", get_attribute, KEYWORD_ARGS, NULL},
    {"setxattr", set_attribute, KEYWORD_ARGS, NULL},
    {"removexattr", remove_attribute, KEYWORD_ARGS, NULL},
    {"listxattr", list_attributes, KEYWORD_ARGS, NULL},
    {0},
};
