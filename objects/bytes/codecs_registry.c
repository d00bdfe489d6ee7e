// Codecs and error handlers that scripts have registered: the library's module _codecs has them
// (vm/lib/_codecs.mpy). It is imported only when a name is asked for that C does not know.
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs_parts.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/upcalls.h"

// _codecs.function(...)
static Value registry_call(const char *function, const ValueRef *args, size_t nargs)
{
    Value module = upcalls.import("_codecs");
    Value name = module ? str_intern(function) : VALUE_ERROR;
    Value callable = name ? object_get(module, name) : VALUE_ERROR;
    Value result = callable ? object_call(callable, args, nargs, 0) : VALUE_ERROR;
    drop(callable);
    drop(name);
    drop(module);
    return result;
}

// What was given must be bytes (of encoding) or a str.
static Value checked(Value result, bool encode, const char *encoding)
{
    if (!result || (encode ? bytes_check(result) : str_check(result))) return result;
    raise_error(TypeError, "'%s' %s returned '%T' instead of '%s'", encoding,
                encode ? "encoder" : "decoder", result, encode ? "bytes" : "str");
    drop(result);
    return VALUE_ERROR;
}

Value registry_convert(bool encode, ValueRef data, const char *encoding, const char *errors)
{
    if (!upcalls.import) return raise_error(LookupError, "unknown encoding: %s", encoding);
    Value result = VALUE_ERROR, handler = VALUE_ERROR;
    Value name = str_from_utf8(encoding, strlen(encoding));
    if (name) handler = errors ? str_from_utf8(errors, strlen(errors)) : NONE;
    if (handler) {
        ValueRef args[] = {data, name, handler};
        result = registry_call(encode ? "_encode_text" : "_decode_text", args, 3);
    }
    drop(handler);
    drop(name);
    return checked(result, encode, encoding);
}

Value registry_codec(const char *encoding)
{
    if (!upcalls.import) return raise_error(LookupError, "unknown encoding: %s", encoding);
    Value name = str_new(encoding), function = str_new("open"), codec = VALUE_ERROR;
    if (name && function) {
        ValueRef args[] = {name, function};
        codec = registry_call("_text_codec", args, 2);
    }
    drop(function);
    drop(name);
    return codec;
}

bool registry_has(const char *lookup, const char *name)
{
    Value text = upcalls.import ? str_from_utf8(name, strlen(name)) : VALUE_ERROR;
    Value found = text ? registry_call(lookup, (ValueRef[]){text}, 1) : VALUE_ERROR;
    drop(text);
    drop(found);
    return found;
}

Value registry_handle(const char *errors, ssize_t *position, Value *source)
{
    Value problem = error_take(), result = VALUE_ERROR;
    if (!upcalls.import) {
        drop(problem);
        return raise_error(LookupError, "unknown error handler name '%s'", errors);
    }
    Value name = str_from_utf8(errors, strlen(errors));
    if (name) {
        ValueRef args[] = {name, problem};
        result = registry_call("_handle", args, 2);
    }
    drop(name);
    drop(problem);
    if (!result) return VALUE_ERROR;
    Value replacement = VALUE_ERROR;
    if (!tuple_check(result) || tuple_size(result) != 3) {
        raise_error(TypeError, "_codecs._handle() must return a tuple of three");
    } else if (object_as_ssize(tuple_at(result, 1), position, IndexError)) {
        replacement = retain(tuple_at(result, 0));
        *source = retain(tuple_at(result, 2));
    }
    drop(result);
    return replacement;
}
