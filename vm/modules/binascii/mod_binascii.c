// The module binascii: its functions' arguments. The formats are in binascii.h.
//
// What reads text (a2b_...) takes bytes or a str of ASCII; what reads bytes takes bytes only.
#include "vm/modules/binascii/binascii.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/bytes_parts.h"
#include "objects/bytes/checksums.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/digits.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <stdarg.h>

bool binascii_error(const char *class, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_of_module("binascii", class, format, arguments);
    va_end(arguments);
    return false;
}

// ---- arguments and results

// Lends the bytes of a text. A str lends its UTF-8, which is ASCII.
static bool get_text(ValueRef value, Buffer *buffer)
{
    if (str_check(value)) {
        size_t size;
        const char *utf8 = str_utf8(value, &size);
        if (!utf8 && !error_is(UnicodeEncodeError)) return false;
        if (!utf8 || size != (size_t)as_str(value)->length) {
            error_clear();
            return raise_error(ValueError, "string argument should contain only ASCII characters");
        }
        buffer_fill(buffer, value, (char *)utf8, (ssize_t)size, true);
        return true;
    }
    if (buffer_get(value, buffer, false)) return true;
    error_clear();
    return raise_error(TypeError, "argument should be bytes, buffer or ASCII string, not '%.100T'",
                       value);
}

// The buffer is released.
static Value convert(Conversion conversion, Buffer *buffer, Options *options)
{
    BytesOut out = {0};
    bool ok = conversion((const uint8_t *)buffer->bytes, (size_t)buffer->size, options, &out);
    buffer_release(buffer);
    Value result = VALUE_ERROR;
    if (out.failed)
        raise_memory_error();
    else if (ok)
        result = bytes_new(out.size ? (char *)out.bytes : "", out.size);
    bytes_out_free(&out);
    return result;
}

static Value convert_bytes(Conversion conversion, ValueRef data, Options options)
{
    Buffer buffer;
    return buffer_get(data, &buffer, false) ? convert(conversion, &buffer, &options) : VALUE_ERROR;
}

static Value convert_text(Conversion conversion, ValueRef text, Options options)
{
    Buffer buffer;
    return get_text(text, &buffer) ? convert(conversion, &buffer, &options) : VALUE_ERROR;
}

// A flag that an int gives; unchanged where the argument is not given.
static bool get_flag(ValueRef argument, bool *flag)
{
    int number;
    if (!argument) return true;
    if (!argument_int(argument, &number)) return false;
    *flag = number != 0;
    return true;
}

// f(data, /, *, name=flag)
static bool data_and_flag(const char *function, const char *name, METHOD_ARGS, ValueRef *data,
                          bool *flag)
{
    const char *const names[] = {"", name, NULL};
    const Signature signature = {function, names, 1, 1};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    *data = slots[0];
    return get_flag(slots[1], flag);
}

// ---- hexadecimal

static Value b2a_hex(FUNCTION_ARGS)
{
    static const char *const names[] = {"data", "sep", "bytes_per_sep", NULL};
    static const Signature signature = {"hexlify", names, 1, 3};
    ValueRef slots[3], options[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Buffer buffer;
    if (!buffer_get(slots[0], &buffer, false)) return VALUE_ERROR;
    options[0] = slots[1];
    options[1] = slots[2] ? slots[2] : from_small(1);
    HexStyle style;
    Value text = VALUE_ERROR;
    if (hex_arguments(options, slots[1] ? 2 : 0, 0, &style))
        text = bytes_hex((View){buffer.bytes, buffer.size}, style);
    buffer_release(&buffer);
    if (!text) return VALUE_ERROR;
    size_t size;
    const char *digits = str_utf8(text, &size);
    Value result = digits ? bytes_new(digits, size) : VALUE_ERROR;
    drop(text);
    return result;
}

static bool from_hex(const uint8_t *text, size_t size, Options *options, BytesOut *out)
{
    (void)options;
    if (size % 2) return binascii_error("Error", "Odd-length string");
    for (size_t i = 0; i < size; i += 2) {
        int high = digit_value(text[i]), low = digit_value(text[i + 1]);
        if (high >= 16 || low >= 16) return binascii_error("Error", "Non-hexadecimal digit found");
        bytes_out_byte(out, (unsigned)(high << 4 | low));
    }
    return true;
}

static Value a2b_hex(FUNCTION_ARGS)
{
    return convert_text(from_hex, args[0], (Options){0});
}

// ---- base64, uuencode, quoted-printable

static Value b2a_base64(FUNCTION_ARGS)
{
    Options options = {.newline = true};
    ValueRef data;
    if (!data_and_flag("b2a_base64", "newline", args, nargs, kwnames, &data, &options.newline))
        return VALUE_ERROR;
    return convert_bytes(binascii_b2a_base64, data, options);
}

static Value a2b_base64(FUNCTION_ARGS)
{
    return convert_text(binascii_a2b_base64, args[0], (Options){0});
}

static Value b2a_uu(FUNCTION_ARGS)
{
    Options options = {0};
    ValueRef data;
    if (!data_and_flag("b2a_uu", "backtick", args, nargs, kwnames, &data, &options.backtick))
        return VALUE_ERROR;
    return convert_bytes(binascii_b2a_uu, data, options);
}

static Value a2b_uu(FUNCTION_ARGS)
{
    return convert_text(binascii_a2b_uu, args[0], (Options){0});
}

static Value b2a_qp(FUNCTION_ARGS)
{
    static const char *const names[] = {"data", "quotetabs", "istext", "header", NULL};
    static const Signature signature = {"b2a_qp", names, 1, 4};
    ValueRef slots[4];
    Options options = {.istext = true};
    if (!args_bind(&signature, args, nargs, kwnames, slots) ||
        !get_flag(slots[1], &options.quotetabs) || !get_flag(slots[2], &options.istext) ||
        !get_flag(slots[3], &options.header))
        return VALUE_ERROR;
    return convert_bytes(binascii_b2a_qp, slots[0], options);
}

static Value a2b_qp(FUNCTION_ARGS)
{
    static const char *const names[] = {"data", "header", NULL};
    static const Signature signature = {"a2b_qp", names, 1, 2};
    ValueRef slots[2];
    Options options = {0};
    if (!args_bind(&signature, args, nargs, kwnames, slots) || !get_flag(slots[1], &options.header))
        return VALUE_ERROR;
    return convert_text(binascii_a2b_qp, slots[0], options);
}

// ---- BinHex

static bool deprecated(const char *name)
{
    return warn(DeprecationWarning, 1, "binascii.%s() is deprecated", name);
}

static Value b2a_hqx(FUNCTION_ARGS)
{
    if (!deprecated("b2a_hqx")) return VALUE_ERROR;
    return convert_bytes(binascii_b2a_hqx, args[0], (Options){0});
}

static Value a2b_hqx(FUNCTION_ARGS)
{
    Options options = {0};
    Buffer buffer;
    if (!deprecated("a2b_hqx") || !get_text(args[0], &buffer)) return VALUE_ERROR;
    Value bytes = convert(binascii_a2b_hqx, &buffer, &options);
    if (!bytes) return VALUE_ERROR;
    Value result = tuple_pack(2, (ValueRef)bytes, (ValueRef)from_small(options.ended));
    drop(bytes);
    return result;
}

static Value rlecode_hqx(FUNCTION_ARGS)
{
    if (!deprecated("rlecode_hqx")) return VALUE_ERROR;
    return convert_bytes(binascii_rlecode_hqx, args[0], (Options){0});
}

static Value rledecode_hqx(FUNCTION_ARGS)
{
    if (!deprecated("rledecode_hqx")) return VALUE_ERROR;
    return convert_bytes(binascii_rledecode_hqx, args[0], (Options){0});
}

// ---- checksums

// The polynomial x^16 + x^12 + x^5 + 1 has so few terms that a byte is divided by it in three
// shifts, after its upper half was added to its lower one.
static uint32_t crc_ccitt(uint32_t sum, const uint8_t *data, size_t size)
{
    sum &= 0xFFFF;
    for (size_t i = 0; i < size; i++) {
        uint32_t byte = sum >> 8 ^ data[i];
        byte ^= byte >> 4;
        sum = (sum << 8 ^ byte << 12 ^ byte << 5 ^ byte) & 0xFFFF;
    }
    return sum;
}

static Value checksum(uint32_t (*function)(uint32_t, const uint8_t *, size_t), ValueRef data,
                      ValueRef start)
{
    Buffer buffer;
    Value index = start ? object_index(start) : from_small(0);
    if (!index) return VALUE_ERROR;
    uint32_t sum = (uint32_t)int_as_uint64_mask(index);
    drop(index);
    if (!buffer_get(data, &buffer, false)) return VALUE_ERROR;
    sum = function(sum, (const uint8_t *)buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return int_new(sum);
}

static Value crc32(FUNCTION_ARGS)
{
    return checksum(zlib_crc32, args[0], nargs > 1 ? args[1] : 0);
}

static Value crc_hqx(FUNCTION_ARGS)
{
    return checksum(crc_ccitt, args[0], args[1]);
}

// ---- the module

static const MethodDef functions[] = {
    {"hexlify", b2a_hex, KEYWORD_ARGS, "Two hexadecimal digits for each byte."},
    {"b2a_hex", b2a_hex, KEYWORD_ARGS, "Two hexadecimal digits for each byte."},
    {"unhexlify", a2b_hex, ONE_ARG, "The bytes that hexadecimal digits stand for."},
    {"a2b_hex", a2b_hex, ONE_ARG, "The bytes that hexadecimal digits stand for."},
    {"b2a_base64", b2a_base64, KEYWORD_ARGS, "Base64, on one line."},
    {"a2b_base64", a2b_base64, ONE_ARG,
     "The bytes of a base64 text; other characters in it are passed over."},
    {"b2a_uu", b2a_uu, KEYWORD_ARGS, "One line of uuencode, of at most 45 bytes."},
    {"a2b_uu", a2b_uu, ONE_ARG, "The bytes of a line of uuencode."},
    {"b2a_qp", b2a_qp, KEYWORD_ARGS, "Quoted-printable text."},
    {"a2b_qp", a2b_qp, KEYWORD_ARGS, "The bytes of a quoted-printable text."},
    {"b2a_hqx", b2a_hqx, ONE_ARG, "Three bytes as four digits of BinHex."},
    {"a2b_hqx", a2b_hqx, ONE_ARG, "The bytes of a BinHex text, and 1 where a colon ended it."},
    {"rlecode_hqx", rlecode_hqx, ONE_ARG, "The bytes with their runs of four and more made short."},
    {"rledecode_hqx", rledecode_hqx, ONE_ARG, "The bytes with their runs as long as they were."},
    {"crc32", crc32, ARGS(1, 2), "The checksum of zip and gzip files."},
    {"crc_hqx", crc_hqx, ARGS(2, 2), "The checksum CRC-CCITT."},
    {0},
};

static bool fill(ValueRef module)
{
    return module_add_exception(module, "binascii", "Error", ValueError) &&
           module_add_exception(module, "binascii", "Incomplete", Exception);
}

const ModuleDef binascii_module = {
    .name = "binascii",
    .doc = "Bytes as text and back: hexadecimal, base64, uuencode, quoted-printable, BinHex.",
    .functions = functions,
    .fill = fill,
};
