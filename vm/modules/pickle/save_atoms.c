// Saving None, bools, numbers, bytes and strs.
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/text.h"
#include "objects/text/utf8.h"
#include "vm/modules/pickle/pickle.h"

#include <stdio.h>

// ---- numbers

static void save_bool(Pickler *self, bool truth)
{
    if (self->protocol >= 2)
        output_op(&self->output, truth ? PICKLE_NEWTRUE : PICKLE_NEWFALSE);
    else
        output_line(&self->output, PICKLE_INT, truth ? "01" : "00");
}

static void save_small(Pickler *self, int64_t number)
{
    PickleOutput *output = &self->output;
    if (!self->binary) {
        char text[16];
        snprintf(text, sizeof text, "%lld", (long long)number);
        output_line(output, PICKLE_INT, text);
    } else if (number >= 0 && number <= UINT8_MAX) {
        output_op_number(output, PICKLE_BININT1, (uint64_t)number, 1);
    } else if (number >= 0 && number <= UINT16_MAX) {
        output_op_number(output, PICKLE_BININT2, (uint64_t)number, 2);
    } else {
        output_op_number(output, PICKLE_BININT, (uint64_t)number, 4);
    }
}

static bool save_digits(Pickler *self, ValueRef number)
{
    Value text = int_to_text(number, 10, false);
    if (!text) return false;
    output_op(&self->output, PICKLE_LONG);
    output_add(&self->output, as_str(text)->data, (size_t)str_length(text));
    output_text(&self->output, "L\n");
    drop(text);
    return true;
}

// In two's complement, in as few bytes as hold it; 0 has none.
static bool save_large(Pickler *self, ValueRef number)
{
    int64_t bits = int_bit_length(number);
    if (bits >= (int64_t)INT32_MAX * 8)
        return raise_error(OverflowError, "int too large to pickle");
    size_t size = bits ? (size_t)(bits >> 3) + 1 : 0;
    unsigned char *bytes = memory_alloc(size + 1);
    if (!bytes) return raise_memory_error();
    bool done = int_to_bytes(number, bytes, size, true, true);
    if (done && size > 1 && bytes[size - 1] == 0xFF && bytes[size - 2] & 0x80) size--;
    if (done && size < 256)
        output_op_number(&self->output, PICKLE_LONG1, size, 1);
    else if (done)
        output_op_number(&self->output, PICKLE_LONG4, size, 4);
    if (done) output_add(&self->output, bytes, size);
    memory_free(bytes);
    return done;
}

static bool save_int(Pickler *self, ValueRef number)
{
    int64_t small = is_small(number) ? small_value(number) : INT64_MAX; // others are larger
    if (small >= INT32_MIN && small <= INT32_MAX) {
        save_small(self, small);
        return true;
    }
    return self->protocol >= 2 ? save_large(self, number) : save_digits(self, number);
}

static void save_float(Pickler *self, double number)
{
    if (!self->binary) {
        char text[40];
        double_repr(number, text);
        output_line(&self->output, PICKLE_FLOAT, text);
        return;
    }
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    char bytes[9] = {PICKLE_BINFLOAT};
    for (int i = 0; i < 8; i++) bytes[1 + i] = (char)(bits >> (56 - 8 * i));
    output_add(&self->output, bytes, sizeof bytes);
}

bool pickle_save_atom(Pickler *self, ValueRef value, bool *done)
{
    *done = true;
    if (value == NONE)
        output_op(&self->output, PICKLE_NONE);
    else if (is_bool(value))
        save_bool(self, value == TRUE);
    else if (int_check_exact(value))
        return save_int(self, value);
    else if (float_check_exact(value))
        save_float(self, float_value(value));
    else
        *done = false;
    return true;
}

// ---- bytes and strs

// The instructions for a text of up to 2**8, 2**32 and 2**64 bytes. 0 = there is none.
typedef struct Sized {
    PickleOpcode small, medium, large;
    int small_protocol; // the first that has `small`
    const char *what;
} Sized;

static bool save_sized(Pickler *self, const Sized *ops, const void *bytes, size_t size)
{
    char head[9];
    int operand = 8;
    PickleOpcode op = ops->large;
    if (size <= UINT8_MAX && ops->small && self->protocol >= ops->small_protocol) {
        op = ops->small;
        operand = 1;
    } else if (size <= UINT32_MAX && ops->medium) {
        op = ops->medium;
        operand = 4;
    } else if (self->protocol < 4) {
        return raise_error(OverflowError,
                           "serializing a %s larger than 4 GiB requires pickle protocol 4 or "
                           "higher",
                           ops->what);
    }
    head[0] = (char)op;
    for (int i = 0; i < operand; i++) head[1 + i] = (char)((uint64_t)size >> 8 * i);
    return output_payload(&self->output, head, (size_t)operand + 1, bytes, size);
}

static bool save_byte_data(Pickler *self, ValueRef value, const void *bytes, size_t size)
{
    static const Sized ops = {PICKLE_SHORT_BINBYTES, PICKLE_BINBYTES, PICKLE_BINBYTES8, 3,
                              "bytes object"};
    return save_sized(self, &ops, bytes, size) && pickler_memoize(self, value);
}

static bool save_array_data(Pickler *self, ValueRef value, const void *bytes, size_t size)
{
    static const Sized ops = {0, 0, PICKLE_BYTEARRAY8, 5, "bytearray"};
    return save_sized(self, &ops, bytes, size) && pickler_memoize(self, value);
}

// Protocols below 3 have strs only: _codecs.encode(text, "latin1").
static bool save_as_latin1(Pickler *self, ValueRef bytes)
{
    const Bytes *data = as_bytes(bytes);
    if (!data->size) return pickle_save_call(self, ref_of(&bytes_type), tuple_new(0), bytes);
    Value encode = pickle_attribute_of("codecs", "encode");
    Value text = encode ? str_from_latin1(data->data, (size_t)data->size) : VALUE_ERROR;
    Value name = text ? str_intern("latin1") : VALUE_ERROR;
    Value arguments = name ? tuple_pack(2, (ValueRef)text, (ValueRef)name) : VALUE_ERROR;
    bool done = arguments && pickle_save_call(self, encode, retain(arguments), bytes);
    drop(arguments);
    drop(name);
    drop(text);
    drop(encode);
    return done;
}

static bool save_bytes(Pickler *self, ValueRef bytes)
{
    if (self->protocol < 3) return save_as_latin1(self, bytes);
    return save_byte_data(self, bytes, as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size);
}

static bool save_bytearray(Pickler *self, ValueRef array)
{
    const ByteArray *data = as_bytearray(array);
    size_t size = (size_t)data->size;
    if (self->protocol < 5) {
        Value bytes = size ? bytes_new(data->data, size) : NONE;
        Value arguments = VALUE_ERROR;
        if (bytes) arguments = size ? tuple_pack(1, (ValueRef)bytes) : tuple_new(0);
        drop(bytes);
        return pickle_save_call(self, ref_of(&bytearray_type), arguments, array);
    }
    Buffer held; // keeps the bytes where they are while the file writes
    if (!buffer_get(array, &held, false)) return false;
    bool done = save_array_data(self, array, held.bytes, (size_t)held.size);
    buffer_release(&held);
    return done;
}

// Does the receiver get the bytes in the pickle, or the buffer beside it?
static bool ask_in_band(Pickler *self, ValueRef value, bool *in_band)
{
    *in_band = true;
    if (!self->buffer_callback) return true;
    Value callback = retain(self->buffer_callback);
    Value answer = object_call_one(callback, value);
    bool done = answer && object_truth(answer, in_band);
    drop(answer);
    drop(callback);
    return done;
}

static bool save_lent(Pickler *self, ValueRef value, const Buffer *lent)
{
    bool in_band;
    if (!buffer_is_contiguous(lent))
        return pickling_error("PickleBuffer can not be pickled when pointing to a non-contiguous "
                              "buffer");
    if (!ask_in_band(self, value, &in_band)) return false;
    if (in_band)
        return (lent->read_only ? save_byte_data : save_array_data)(self, value, lent->bytes,
                                                                    (size_t)lent->size);
    output_op(&self->output, PICKLE_NEXT_BUFFER);
    if (lent->read_only) output_op(&self->output, PICKLE_READONLY_BUFFER);
    return true;
}

static bool save_buffer(Pickler *self, ValueRef value)
{
    if (self->protocol < 5)
        return pickling_error("PickleBuffer can only pickled with protocol >= 5");
    Buffer lent;
    if (!buffer_get_strided(value, &lent, false)) return false;
    bool done = save_lent(self, value, &lent);
    buffer_release(&lent);
    return done;
}

// Protocol 0: one line of Latin-1, where \uXXXX stands for all that cannot be in it.
static bool save_line(Pickler *self, ValueRef text)
{
    const Str *str = as_str(text);
    char escape[12];
    output_op(&self->output, PICKLE_UNICODE);
    for (ssize_t i = 0; i < str->length; i++) {
        uint32_t point = str_at(str, i);
        char byte = (char)point;
        if (point > 0xFFFF)
            snprintf(escape, sizeof escape, "\\U%08x", point);
        else if (point > 0xFF || !point || point == '\\' || point == '\n' || point == '\r' ||
                 point == 0x1A)
            snprintf(escape, sizeof escape, "\\u%04x", point);
        else {
            output_add(&self->output, &byte, 1);
            continue;
        }
        output_text(&self->output, escape);
    }
    output_text(&self->output, "\n");
    return true;
}

static bool save_utf8(Pickler *self, ValueRef text)
{
    static const Sized ops = {PICKLE_SHORT_BINUNICODE, PICKLE_BINUNICODE, PICKLE_BINUNICODE8, 4,
                              "string"};
    const Str *str = as_str(text);
    if (str->ascii) return save_sized(self, &ops, str->data, (size_t)str->length);
    char *bytes = memory_alloc((size_t)str->length * 4 + 1);
    if (!bytes) return raise_memory_error();
    const char *end = str_write_utf8(str, bytes);
    bool done = save_sized(self, &ops, bytes, (size_t)(end - bytes));
    memory_free(bytes);
    return done;
}

static bool save_str(Pickler *self, ValueRef text)
{
    return (self->binary ? save_utf8 : save_line)(self, text) && pickler_memoize(self, text);
}

bool pickle_save_text(Pickler *self, ValueRef value, bool *done)
{
    static const struct {
        const Type *type;
        bool (*save)(Pickler *, ValueRef);
    } rows[] = {{&str_type, save_str},
                {&bytes_type, save_bytes},
                {&bytearray_type, save_bytearray},
                {&pickle_buffer_type, save_buffer}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((*done = is_exactly(value, rows[i].type))) return rows[i].save(self, value);
    return true;
}
