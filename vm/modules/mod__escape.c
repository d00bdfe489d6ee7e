// The module _escape: bytes as they are written between quotes, for vm/lib/_codecs.mpy.
//
//     encode(bytes) -> bytes
//     decode(bytes, errors) -> (bytes, invalid)
//
// `invalid` is the first byte after a backslash that has no meaning there, 0 = there is none.
// ValueError where nothing follows a backslash, or no two digits \x; "ignore" leaves out such
// digits, and "replace" puts a question mark there.
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/text/text.h"

// After a bad \x: goes on after the digit that it may have.
static bool handle(Unescape *text, const Bytes *data, ValueRef errors)
{
    if (text->at == text->end && text->at[-1] == '\\')
        return raise_error(ValueError, "Trailing \\ in string");
    if (str_equal_ascii(errors, "strict"))
        return raise_error(ValueError, "invalid \\x escape at position %zd",
                           (ssize_t)(text->at - 2 - data->data));
    if (str_equal_ascii(errors, "replace"))
        *text->to++ = '?';
    else if (!str_equal_ascii(errors, "ignore"))
        return raise_error(ValueError, "decoding error; unknown error handling code: %.400S",
                           errors);
    char next = text->at < text->end ? *text->at : 0;
    if ((next >= '0' && next <= '9') || ((next | 0x20) >= 'a' && (next | 0x20) <= 'f')) text->at++;
    return true;
}

static Value decode(FUNCTION_ARGS)
{
    if (!bytes_check(args[0])) return raise_error(TypeError, "bytes expected, not %T", args[0]);
    if (!str_check(args[1])) return raise_error(TypeError, "str expected, not %T", args[1]);
    const Bytes *data = as_bytes(args[0]);
    char *made = memory_alloc((size_t)data->size + 1);
    if (!made) return raise_memory_error();
    Unescape text = {.at = data->data, .end = data->data + data->size, .to = made};
    bool done = true;
    while (done && !bytes_unescape(&text)) done = handle(&text, data, args[1]);
    Value bytes = done ? bytes_new(made, (size_t)(text.to - made)) : VALUE_ERROR;
    memory_free(made);
    Value pair = VALUE_ERROR;
    if (bytes) pair = tuple_pack(2, (ValueRef)bytes, from_small((unsigned char)text.invalid));
    drop(bytes);
    return pair;
}

static Value encode(FUNCTION_ARGS)
{
    if (!bytes_check(args[0]))
        return raise_error(TypeError, "escape_encode() argument 1 must be bytes, not %T", args[0]);
    const Bytes *data = as_bytes(args[0]);
    if (data->size > SSIZE_MAX / ESCAPE_MAX) return raise_memory_error();
    char *made = memory_alloc((size_t)data->size * ESCAPE_MAX + 1);
    if (!made) return raise_memory_error();
    char *end = bytes_escape(data->data, data->size, '\'', made);
    Value bytes = bytes_new(made, (size_t)(end - made));
    memory_free(made);
    return bytes;
}

static const MethodDef functions[] = {
    {"encode", encode, ONE_ARG, NULL},
    {"decode", decode, ARGS(2, 2), NULL},
    {0},
};

const ModuleDef _escape_module = {
    .name = "_escape",
    .doc = "Bytes as they are written between quotes.",
    .functions = functions,
};
