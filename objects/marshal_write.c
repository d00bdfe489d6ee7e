// Writing marshal's format (version 4, without references): see marshal.h.
#include "objects/marshal.h"

#include "objects/buffer.h"
#include "objects/bytes.h"
#include "objects/code.h"
#include "objects/codecs.h"
#include "objects/complex.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/float.h"
#include "objects/int.h"
#include "objects/list.h"
#include "objects/memory.h"
#include "objects/set.h"
#include "objects/stack.h"
#include "objects/str.h"
#include "objects/tuple.h"

#define MAX_NESTING 2000
#define DIGIT_BITS 15 // of an 'l'
#define MARSHAL_MODE "surrogatepass"

typedef struct Writer {
    char *bytes;
    size_t size, capacity;
    int depth;
} Writer;

static bool put(Writer *writer, const void *bytes, size_t size)
{
    if (writer->capacity - writer->size < size) {
        size_t capacity = writer->capacity * 2 + size + 64;
        char *larger = memory_resize(writer->bytes, capacity);
        if (!larger) return raise_memory_error();
        writer->bytes = larger;
        writer->capacity = capacity;
    }
    if (size) memcpy(writer->bytes + writer->size, bytes, size);
    writer->size += size;
    return true;
}

static bool put_byte(Writer *writer, int byte)
{
    return put(writer, &(char){(char)byte}, 1);
}

static bool put_number(Writer *writer, int64_t number, size_t size)
{
    return put(writer, &number, size); // little-endian, as the machines minivm is for
}

static bool put_sized(Writer *writer, int type, const void *bytes, size_t size)
{
    if (size > INT32_MAX) return raise_error(ValueError, "unmarshallable object");
    return put_byte(writer, type) && put_number(writer, (int64_t)size, 4) &&
           put(writer, bytes, size);
}

static bool write_value(Writer *writer, ValueRef value);

static bool write_int(Writer *writer, ValueRef value)
{
    int64_t number;
    if (int_as_int64_clamped(value, &number) == 0 && number == (int32_t)number)
        return put_byte(writer, 'i') && put_number(writer, number, 4);
    size_t digits = ((size_t)int_bit_length(value) + DIGIT_BITS - 1) / DIGIT_BITS;
    size_t size = digits * 2 + 8;
    bool negative = int_sign(value) < 0;
    Value magnitude = negative ? int_negative(value) : retain(value);
    unsigned char *bytes = magnitude ? memory_alloc_zeroed(size) : NULL;
    bool done = bytes && int_to_bytes(magnitude, bytes, size, true, false) &&
                put_byte(writer, 'l') &&
                put_number(writer, negative ? -(int64_t)digits : (int64_t)digits, 4);
    if (magnitude && !bytes) raise_memory_error();
    for (size_t i = 0; done && i < digits; i++) {
        size_t at = i * DIGIT_BITS / 8;
        uint32_t three = bytes[at] | (uint32_t)bytes[at + 1] << 8 | (uint32_t)bytes[at + 2] << 16;
        done = put_number(writer, three >> i * DIGIT_BITS % 8 & 0x7FFF, 2);
    }
    memory_free(bytes);
    drop(magnitude);
    return done;
}

static bool write_text(Writer *writer, ValueRef value)
{
    const Str *str = as_str(value);
    if (str->ascii)
        return put_sized(writer, str->interned ? 'A' : 'a', str->data, (size_t)str->length);
    Value encoded = text_encode(value, "utf-8", MARSHAL_MODE);
    bool done = encoded && put_sized(writer, str->interned ? 't' : 'u', as_bytes(encoded)->data,
                                     (size_t)as_bytes(encoded)->size);
    drop(encoded);
    return done;
}

static bool write_items(Writer *writer, int type, ValueRef sequence)
{
    Value held = retain(sequence);
    bool is_list = list_check(held);
    ssize_t count = is_list ? list_size(held) : tuple_size(held);
    bool done = put_byte(writer, type) && put_number(writer, count, 4);
    for (ssize_t i = 0; done && i < count; i++)
        done = write_value(writer, is_list ? list_at(held, i) : tuple_at(held, i));
    drop(held);
    return done;
}

static bool write_set(Writer *writer, int type, ValueRef set)
{
    ssize_t position = 0;
    ValueRef item;
    bool done = put_byte(writer, type) && put_number(writer, set_size(set), 4);
    while (done && set_next(set, &position, &item)) done = write_value(writer, item);
    return done;
}

static bool write_dict(Writer *writer, ValueRef dict)
{
    ssize_t position = 0;
    ValueRef key, value;
    bool done = put_byte(writer, '{');
    while (done && dict_next(dict, &position, &key, &value))
        done = write_value(writer, key) && write_value(writer, value);
    return done && put_byte(writer, '0');
}

static bool write_code(Writer *writer, const Code *code)
{
    return put_byte(writer, 'c') && put_number(writer, code->argcount, 4) &&
           put_number(writer, code->posonlyargcount, 4) &&
           put_number(writer, code->kwonlyargcount, 4) && put_number(writer, code->nlocals, 4) &&
           put_number(writer, code->stacksize, 4) && put_number(writer, code->flags, 4) &&
           write_value(writer, code->code) && write_value(writer, code->consts) &&
           write_value(writer, code->names) && write_value(writer, code->varnames) &&
           write_value(writer, code->freevars) && write_value(writer, code->cellvars) &&
           write_value(writer, code->filename) && write_value(writer, code->name) &&
           put_number(writer, code->firstlineno, 4) && write_value(writer, code->lnotab);
}

static bool write_complex(Writer *writer, const Complex *number)
{
    return put_byte(writer, 'y') && put(writer, &number->real, 8) && put(writer, &number->imag, 8);
}

static bool write_buffer(Writer *writer, ValueRef value)
{
    Buffer buffer;
    if (!buffer_check(value)) return raise_error(ValueError, "unmarshallable object");
    if (!buffer_get(value, &buffer, false)) return false;
    bool done = put_sized(writer, 's', buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return done;
}

static bool write_object(Writer *writer, ValueRef value)
{
    if (float_check_exact(value)) {
        double number = float_value(value);
        return put_byte(writer, 'g') && put(writer, &number, sizeof number);
    }
    if (int_check_exact(value)) return write_int(writer, value);
    if (str_check_exact(value)) return write_text(writer, value);
    if (tuple_check_exact(value)) return write_items(writer, '(', value);
    if (list_check_exact(value)) return write_items(writer, '[', value);
    if (dict_check_exact(value)) return write_dict(writer, value);
    if (is_exactly(value, &set_type)) return write_set(writer, '<', value);
    if (is_exactly(value, &frozenset_type)) return write_set(writer, '>', value);
    if (complex_check_exact(value)) return write_complex(writer, as_complex(value));
    if (code_check(value)) return write_code(writer, as_code(value));
    if (value == ref_of(StopIteration)) return put_byte(writer, 'S');
    return write_buffer(writer, value);
}

static bool write_value(Writer *writer, ValueRef value)
{
    if (value == NONE) return put_byte(writer, 'N');
    if (value == TRUE) return put_byte(writer, 'T');
    if (value == FALSE) return put_byte(writer, 'F');
    if (value == ELLIPSIS) return put_byte(writer, '.');
    if (writer->depth >= MAX_NESTING || !stack_has_room())
        return raise_error(ValueError, "object too deeply nested to marshal");
    writer->depth++;
    bool done = write_object(writer, value);
    writer->depth--;
    return done;
}

Value marshal_write(ValueRef value)
{
    Writer writer = {0};
    Value bytes = write_value(&writer, value) ? bytes_new(writer.bytes, writer.size) : VALUE_ERROR;
    memory_free(writer.bytes);
    return bytes;
}
