// The module _charmap: runs of text in an encoding of one byte per character, for
// vm/lib/_codecs.mpy.
//
//     encode(text, start, mapping) -> (bytes, stop)      mapping: a dict of code points to bytes
//     decode(data, start, table) -> (text, stop)         table: a str, or a dict of bytes
//
// A run ends at what is not simply one for one: what is missing, or is mapped to anything else.
// _codecs.mpy sees to that, and asks for the next run.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"

#define UNDEFINED 0xFFFE

// What an exact dict has for a number: borrowed, VALUE_ERROR where that is not known.
static ValueRef mapped(ValueRef mapping, int64_t number)
{
    if (!dict_check_exact(mapping)) return VALUE_ERROR;
    ValueRef found = dict_peek_key(mapping, from_small(number), number);
    return found == ABSENT ? (ValueRef)VALUE_ERROR : found;
}

// (made, stop); steals `made`.
static Value run_of(Value made, ssize_t stop)
{
    Value number = made ? int_new(stop) : VALUE_ERROR;
    Value pair = number ? tuple_pack(2, (ValueRef)made, (ValueRef)number) : VALUE_ERROR;
    drop(number);
    drop(made);
    return pair;
}

static Value charmap_encode(FUNCTION_ARGS)
{
    ssize_t start;
    if (!str_check(args[0])) return raise_error(TypeError, "str expected, not %T", args[0]);
    if (!argument_ssize(args[1], &start)) return VALUE_ERROR;
    const Str *text = as_str(args[0]);
    if (start < 0 || start > text->length) return raise_error(ValueError, "start out of range");
    char *bytes = memory_alloc((size_t)(text->length - start) + 1);
    if (!bytes) return raise_memory_error();
    ssize_t stop = start;
    for (; stop < text->length; stop++) {
        ValueRef byte = mapped(args[2], str_at(text, stop));
        if (!byte || !is_small(byte) || (uint64_t)small_value(byte) > 255) break;
        bytes[stop - start] = (char)small_value(byte);
    }
    Value made = bytes_new(bytes, (size_t)(stop - start));
    memory_free(bytes);
    return run_of(made, stop);
}

// The character of a byte; UNDEFINED = the run ends here.
static uint32_t character_of(ValueRef table, unsigned char byte)
{
    if (str_check(table)) return byte < str_length(table) ? str_at(as_str(table), byte) : UNDEFINED;
    ValueRef found = mapped(table, byte);
    if (found && is_small(found) && (uint64_t)small_value(found) <= 0x10FFFF)
        return (uint32_t)small_value(found);
    if (found && str_check(found) && str_length(found) == 1) return str_at(as_str(found), 0);
    return UNDEFINED;
}

static Value charmap_decode(FUNCTION_ARGS)
{
    ssize_t start;
    StrBuilder text;
    if (!bytes_check(args[0])) return raise_error(TypeError, "bytes expected, not %T", args[0]);
    if (!argument_ssize(args[1], &start)) return VALUE_ERROR;
    const Bytes *data = as_bytes(args[0]);
    if (start < 0 || start > data->size) return raise_error(ValueError, "start out of range");
    builder_begin(&text);
    ssize_t stop = start;
    for (; stop < data->size; stop++) {
        uint32_t character = character_of(args[2], (unsigned char)data->data[stop]);
        if (character == UNDEFINED) break;
        if (!builder_char(&text, character)) return VALUE_ERROR;
    }
    return run_of(builder_finish(&text), stop);
}

static const MethodDef functions[] = {
    {"encode", charmap_encode, ARGS(3, 3), NULL},
    {"decode", charmap_decode, ARGS(3, 3), NULL},
    {0},
};

const ModuleDef _charmap_module = {
    .name = "_charmap",
    .doc = "Runs of text in an encoding of one byte per character.",
    .functions = functions,
};
