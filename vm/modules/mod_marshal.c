// The module marshal: converts values to bytes and back, in CPython 3.9's format, that of its .pyc
// files.
//
// marshal.c does the conversion; this file handles the file objects. load() asks a file by its
// readinto() for a few bytes at a time, because the format does not begin with a length.
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

// The argument `version` at this index, if it is given. False with an exception pending.
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
    Value result = object_call_method_one(file, name, argument);
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

static Value marshal_loads(FUNCTION_ARGS)
{
    Buffer buffer;
    if (!buffer_get(args[0], &buffer, false)) return VALUE_ERROR;
    Value value = marshal_read(buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return value;
}

// As bytes, what readinto() has put into an array, if it says that it was as much as asked for.
static Value filled(ValueRef array, ValueRef count, ssize_t size)
{
    ssize_t read;
    if (!object_as_ssize(count, &read, ValueError)) return VALUE_ERROR;
    if (read > size)
        return raise_error(ValueError,
                           "read() returned too much data: %zd bytes requested, %zd returned", size,
                           read);
    if (read < size || as_bytearray(array)->size != size)
        return raise_error(EOFError, "EOF read where not expected");
    return bytes_new(as_bytearray(array)->data, (size_t)size);
}

// A MarshalSource.
static Value read_from(ValueRef file, ssize_t size)
{
    Value array = bytearray_new(NULL, (size_t)size);
    Value view = array ? memoryview_new(array) : VALUE_ERROR;
    Value count = view ? call_named(file, "readinto", view) : VALUE_ERROR;
    Value bytes = count ? filled(array, count, size) : VALUE_ERROR;
    drop(count);
    drop(view);
    drop(array);
    return bytes;
}

static Value marshal_load(FUNCTION_ARGS)
{
    Value bytes = call_named(args[0], "read", from_small(0)); // has it a read() at all?
    if (!bytes) return VALUE_ERROR;
    bool is_bytes = bytes_check(bytes);
    if (!is_bytes)
        raise_error(TypeError, "file.read() returned not bytes but %.100T", (ValueRef)bytes);
    drop(bytes);
    return is_bytes ? marshal_read_file(args[0], read_from) : VALUE_ERROR;
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

const ModuleDef marshal_module = {
    .name = "marshal",
    .functions = functions,
    .fill = fill,
};
