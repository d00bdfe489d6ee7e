// The module marshal: converts values to bytes and back, in CPython 3.9's format, that of its .pyc
// files.
//
// marshal.c does the conversion; this file handles the file objects. load() reads the whole file,
// then seeks back to the end of the value, because the format does not begin with a length.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/error.h"
#include "objects/marshal/marshal.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"

// The argument `version` at this place, if it is given. False with an exception pending.
static bool read_version(const ValueRef *args, size_t nargs, size_t at, int *version)
{
    *version = MARSHAL_VERSION;
    return nargs <= at || argument_int(args[at], version);
}

static Value marshal_dumps(FUNCTION_ARGS)
{
    int version;
    return read_version(args, nargs, 1, &version) ? marshal_write(args[0], version) : VALUE_ERROR;
}

static Value call_named(ValueRef file, const char *method, ValueRef argument)
{
    Value name = str_intern(method);
    if (!name) return VALUE_ERROR;
    Value result = argument ? object_call_method_one(file, name, argument)
                            : object_call_method_none(file, name);
    drop(name);
    return result;
}

static Value marshal_dump(FUNCTION_ARGS)
{
    int version;
    if (!read_version(args, nargs, 2, &version)) return VALUE_ERROR;
    Value bytes = marshal_write(args[0], version);
    Value result = bytes ? call_named(args[1], "write", bytes) : VALUE_ERROR;
    drop(bytes);
    return result;
}

// The value that the bytes begin with; *left is how many follow it.
static Value read_from(ValueRef bytes, ssize_t *left)
{
    Buffer buffer;
    size_t used;
    if (!buffer_get(bytes, &buffer, false)) return VALUE_ERROR;
    Value value = marshal_read(buffer.bytes, (size_t)buffer.size, &used);
    *left = buffer.size - (ssize_t)used;
    buffer_release(&buffer);
    return value;
}

static Value marshal_loads(FUNCTION_ARGS)
{
    ssize_t left;
    return read_from(args[0], &left);
}

static bool go_back(ValueRef file, ssize_t count)
{
    if (count == 0) return true;
    Value position = call_named(file, "tell", 0);
    Value target = position ? object_binary(position, from_small(count), OP_SUBTRACT) : VALUE_ERROR;
    Value result = target ? call_named(file, "seek", target) : VALUE_ERROR;
    drop(position);
    drop(target);
    drop(result);
    return result != VALUE_ERROR;
}

static Value marshal_load(FUNCTION_ARGS)
{
    Value bytes = call_named(args[0], "read", 0);
    if (!bytes) return VALUE_ERROR;
    Value value = VALUE_ERROR;
    ssize_t left;
    if (!bytes_check(bytes))
        raise_error(TypeError, "file.read() returned not bytes but %.100T", (ValueRef)bytes);
    else if ((value = read_from(bytes, &left)) && !go_back(args[0], left))
        drop_slot(&value);
    drop(bytes);
    return value;
}

static const MethodDef functions[] = {
    {"dump", marshal_dump, ARGS(2, 3), NULL},
    {"load", marshal_load, ONE_ARG, NULL},
    {"dumps", marshal_dumps, ARGS(1, 2), NULL},
    {"loads", marshal_loads, ONE_ARG, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return module_add(module, "version", from_small(MARSHAL_VERSION));
}

const ModuleDef marshal_module = {"marshal", NULL, functions, fill};
