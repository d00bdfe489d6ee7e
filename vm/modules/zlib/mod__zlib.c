// The module _zlib: checksums, and objects that compress and decompress, for vm/lib/zlib.mpy.
//
//     crc32(data, sum) -> sum                 adler32(data, sum) -> sum
//     Deflater(level, wrapping, window_bits, memory, strategy, dictionary or None)
//         .run(data, flush) -> bytes          .copy()
//     Inflater(wrapping, window_bits)
//         .run(data, most) -> (result, bytes, how much was not read, zlib's words or None)
//         .set_dictionary(data) -> bool       .copy()
//
// Numbers are those of deflate.h and inflate.h.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/checksums.h"
#include "objects/bytes/inflate.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/zlib/deflate.h"

// What counts how much memory there is, or is an index, must be in range.
static bool in_range(int number, int least, int most)
{
    return (number >= least && number <= most) ||
           raise_error(ValueError, "%d is not one of %d to %d", number, least, most);
}

// ---- checksums

typedef uint32_t (*Checksum)(uint32_t sum, const uint8_t *bytes, size_t size);

static Value checksum_of(Checksum checksum, const ValueRef *args)
{
    Buffer buffer;
    int64_t sum;
    if (!int_check(args[1]))
        return raise_error(TypeError, "an integer is required (got type %.200T)", args[1]);
    if (!int_as_int64(args[1], &sum) || !buffer_get(args[0], &buffer, false)) return VALUE_ERROR;
    Value result = int_new(checksum((uint32_t)sum, (uint8_t *)buffer.bytes, (size_t)buffer.size));
    buffer_release(&buffer);
    return result;
}

static Value crc32_function(FUNCTION_ARGS)
{
    return checksum_of(zlib_crc32, args);
}

static Value adler32_function(FUNCTION_ARGS)
{
    return checksum_of(zlib_adler32, args);
}

// ---- Deflater

typedef struct DeflaterObject {
    Object base;
    BytesOut out;
    Deflater deflater;
} DeflaterObject;

static DeflaterObject *as_deflater(ValueRef value)
{
    return (DeflaterObject *)object_of(value);
}

static void deflater_release(Object *object)
{
    DeflaterObject *self = (DeflaterObject *)object;
    deflate_free(&self->deflater);
    bytes_out_free(&self->out);
}

static Type deflater_type, inflater_type;

static Value deflater_made(DeflaterObject *made, bool done)
{
    if (done) return own(made);
    drop(own(made));
    return raise_memory_error();
}

static Value make_deflater(FUNCTION_ARGS)
{
    static const struct {
        int least, most;
    } ranges[] = {{-1, 9},
                  {WRAPPING_NONE, WRAPPING_GZIP},
                  {9, 15},
                  {1, 9},
                  {STRATEGY_DEFAULT, STRATEGY_FIXED}};
    int numbers[5];
    Buffer dictionary = {0};
    for (int i = 0; i < 5; i++)
        if (!argument_int(args[i], &numbers[i]) ||
            !in_range(numbers[i], ranges[i].least, ranges[i].most))
            return VALUE_ERROR;
    if (args[5] != NONE && !buffer_get(args[5], &dictionary, false)) return VALUE_ERROR;
    DeflateOptions options = {
        .level = numbers[0],
        .wrapping = (Wrapping)numbers[1],
        .window_bits = numbers[2],
        .memory = numbers[3],
        .strategy = (Strategy)numbers[4],
        .dictionary = args[5] == NONE ? NULL : (uint8_t *)dictionary.bytes,
        .dictionary_size = (size_t)dictionary.size,
    };
    DeflaterObject *made = object_alloc(&deflater_type, 0);
    bool done = made && deflate_begin(&made->deflater, &options, &made->out);
    if (args[5] != NONE) buffer_release(&dictionary);
    return made ? deflater_made(made, done) : VALUE_ERROR;
}

static Value deflater_run(ValueRef self, METHOD_ARGS)
{
    int flush;
    Buffer buffer;
    DeflaterObject *object = as_deflater(self);
    if (!argument_int(args[1], &flush) || !in_range(flush, FLUSH_NONE, FLUSH_BLOCK) ||
        !buffer_get(args[0], &buffer, false))
        return VALUE_ERROR;
    object->out.size = 0;
    deflate_add(&object->deflater, (uint8_t *)buffer.bytes, (size_t)buffer.size, (Flush)flush);
    buffer_release(&buffer);
    if (object->out.failed) return raise_memory_error();
    return bytes_new(object->out.size ? (char *)object->out.bytes : "", object->out.size);
}

static Value deflater_copy(ValueRef self, METHOD_ARGS)
{
    DeflaterObject *made = object_alloc(&deflater_type, 0);
    if (!made) return VALUE_ERROR;
    return deflater_made(made,
                         deflate_copy(&made->deflater, &as_deflater(self)->deflater, &made->out));
}

static const MethodDef deflater_methods[] = {
    {"run", deflater_run, ARGS(2, 2), NULL},
    {"copy", deflater_copy, NO_ARGS, NULL},
    {0},
};

static Type deflater_type = {
    STATIC_TYPE("_zlib.Deflater", sizeof(DeflaterObject)),
    .methods = deflater_methods,
    .release = deflater_release,
};

// ---- Inflater

typedef struct InflaterObject {
    Object base;
    Inflater inflater;
} InflaterObject;

static Inflater *as_inflater(ValueRef value)
{
    return &((InflaterObject *)object_of(value))->inflater;
}

static void inflater_release(Object *object)
{
    inflate_free(&((InflaterObject *)object)->inflater);
}

static Value make_inflater(FUNCTION_ARGS)
{
    int wrapping, window_bits;
    if (!argument_int(args[0], &wrapping) || !argument_int(args[1], &window_bits) ||
        !in_range(wrapping, INFLATE_RAW, INFLATE_ANY) ||
        (window_bits && !in_range(window_bits, 8, 15)))
        return VALUE_ERROR;
    InflaterObject *made = object_alloc(&inflater_type, 0);
    if (!made) return VALUE_ERROR;
    inflate_begin(&made->inflater, (InflateWrapping)wrapping, window_bits);
    return own(made);
}

static Value written_bytes(const Inflater *inflater)
{
    size_t size = inflater->out.size - inflater->out_begin;
    return bytes_new(size ? (char *)inflater->out.bytes + inflater->out_begin : "", size);
}

static Value inflater_run(ValueRef self, METHOD_ARGS)
{
    ssize_t most;
    Buffer buffer;
    Inflater *inflater = as_inflater(self);
    if (!object_as_ssize(args[1], &most, OverflowError) || !buffer_get(args[0], &buffer, false))
        return VALUE_ERROR;
    inflate_take(inflater, (uint8_t *)buffer.bytes, (size_t)buffer.size);
    InflateResult result = inflate_run(inflater, (size_t)most);
    buffer_release(&buffer);
    if (result == INFLATE_NO_MEMORY) return raise_memory_error();
    bool is_wrong = result == INFLATE_WRONG;
    Value parts[] = {from_small(result), written_bytes(inflater),
                     int_new((int64_t)inflater->input_size),
                     is_wrong ? str_new(inflater->fault) : NONE};
    return tuple_from_owned(parts, 4);
}

static Value inflater_set_dictionary(ValueRef self, METHOD_ARGS)
{
    Buffer buffer;
    if (!buffer_get(args[0], &buffer, false)) return VALUE_ERROR;
    bool done =
        inflate_set_dictionary(as_inflater(self), (uint8_t *)buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return as_inflater(self)->out.failed ? raise_memory_error() : from_bool(done);
}

static Value inflater_copy(ValueRef self, METHOD_ARGS)
{
    InflaterObject *made = object_alloc(&inflater_type, 0);
    if (!made) return VALUE_ERROR;
    if (inflate_copy(&made->inflater, as_inflater(self))) return own(made);
    drop(own(made));
    return raise_memory_error();
}

static const MethodDef inflater_methods[] = {
    {"run", inflater_run, ARGS(2, 2), NULL},
    {"set_dictionary", inflater_set_dictionary, ONE_ARG, NULL},
    {"copy", inflater_copy, NO_ARGS, NULL},
    {0},
};

static Type inflater_type = {
    STATIC_TYPE("_zlib.Inflater", sizeof(InflaterObject)),
    .methods = inflater_methods,
    .release = inflater_release,
};

// ---- the module

static const MethodDef functions[] = {
    {"crc32", crc32_function, ARGS(2, 2), NULL},
    {"adler32", adler32_function, ARGS(2, 2), NULL},
    {"Deflater", make_deflater, ARGS(6, 6), NULL},
    {"Inflater", make_inflater, ARGS(2, 2), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    (void)module;
    return type_ready(&deflater_type) && type_ready(&inflater_type);
}

const ModuleDef _zlib_module = {
    .name = "_zlib",
    .doc = "Checksums, and objects that compress and decompress.",
    .functions = functions,
    .fill = fill,
};
