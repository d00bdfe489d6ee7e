// See path.h.
#include "vm/io/path.h"

#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"

static bool is_name(ValueRef value)
{
    return str_check(value) || bytes_check(value);
}

Value path_of(ValueRef path)
{
    if (is_name(path)) return retain(path);
    Value method = object_special(path, NAME(__fspath__));
    if (method == ABSENT)
        return raise_error(TypeError, "expected str, bytes or os.PathLike object, not %.200T",
                           path);
    Value result = method ? object_call_none(method) : VALUE_ERROR;
    if (result && !is_name(result)) {
        raise_error(TypeError, "expected %.200T.__fspath__() to return str or bytes, not %.200T",
                    path, (ValueRef)result);
        drop_slot(&result);
    }
    drop(method);
    return result;
}

Value path_bytes(ValueRef path)
{
    Value name = path_of(path);
    if (!name || bytes_check(name)) return name;
    Value bytes = text_encode(name, "utf-8", "surrogateescape");
    drop(name);
    return bytes;
}

Value path_text(ValueRef path)
{
    Value name = path_of(path);
    if (!name || str_check(name)) return name;
    Value text = path_from_system(as_bytes(name)->data, (size_t)as_bytes(name)->size);
    drop(name);
    return text;
}

Value path_from_system(const char *name, size_t size)
{
    return text_decode(name, size, "utf-8", "surrogateescape");
}
