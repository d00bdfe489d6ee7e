// Writing marshal's format: see marshal.h. `version` is asked where an older one has no such form.
//
// A value with more than one owner may occur again. So it gets FLAG_REF in its type byte and the
// next number, before its items get theirs. Where it occurs again, only the number is written.
#include "objects/marshal/marshal.h"

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/float_formats.h"
#include "objects/numbers/int.h"
#include "objects/stack.h"
#include "objects/text/str.h"

#include <stdio.h>

#define MAX_NESTING 2000
#define DIGIT_BITS 15 // of an 'l'
#define MARSHAL_MODE "surrogatepass"
#define FLAG_REF 0x80

typedef struct Reference {
    uint64_t bits; // of the value, 0 = the slot is free
    int number;
} Reference;

typedef struct Writer {
    char *bytes;
    size_t size, capacity;
    int depth, version;
    Reference *references; // a hash table
    size_t slots, count;
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

static bool is_short(size_t size)
{
    return size < 256;
}

static bool put_sized(Writer *writer, int type, const void *bytes, size_t size)
{
    if (size > INT32_MAX) return raise_error(ValueError, "unmarshallable object");
    return put_byte(writer, type) && put_number(writer, (int64_t)size, 4) &&
           put(writer, bytes, size);
}

// ---- references

static Reference *find_reference(const Writer *writer, uint64_t bits)
{
    size_t slot = (size_t)(bits * 0x9E3779B97F4A7C15u >> 32) & (writer->slots - 1);
    while (writer->references[slot].bits && writer->references[slot].bits != bits)
        slot = (slot + 1) & (writer->slots - 1);
    return &writer->references[slot];
}

static bool grow_references(Writer *writer)
{
    Writer old = *writer;
    size_t slots = old.slots ? old.slots * 2 : 64;
    writer->references = memory_alloc_zeroed(slots * sizeof *writer->references);
    if (!writer->references) {
        writer->references = old.references;
        return raise_memory_error();
    }
    writer->slots = slots;
    for (size_t i = 0; i < old.slots; i++)
        if (old.references[i].bits)
            *find_reference(writer, old.references[i].bits) = old.references[i];
    memory_free(old.references);
    return true;
}

// The number of a value that was written before; else -1, and the value gets the next number.
static bool number_reference(Writer *writer, ValueRef value, int *number)
{
    if (writer->count * 2 >= writer->slots && !grow_references(writer)) return false;
    Reference *reference = find_reference(writer, bits_of(value));
    *number = reference->bits ? reference->number : -1;
    if (!reference->bits) *reference = (Reference){bits_of(value), (int)writer->count++};
    return true;
}

// ---- values

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

static bool write_ascii(Writer *writer, const Str *str)
{
    size_t size = (size_t)str->length;
    if (!is_short(size)) return put_sized(writer, str->interned ? 'A' : 'a', str->data, size);
    return put_byte(writer, str->interned ? 'Z' : 'z') && put_byte(writer, (int)size) &&
           put(writer, str->data, size);
}

static bool write_text(Writer *writer, ValueRef value)
{
    const Str *str = as_str(value);
    if (str->ascii && writer->version >= 4) return write_ascii(writer, str);
    bool interned = str->interned && writer->version >= 3;
    Value encoded = text_encode(value, "utf-8", MARSHAL_MODE);
    bool done = encoded && put_sized(writer, interned ? 't' : 'u', as_bytes(encoded)->data,
                                     (size_t)as_bytes(encoded)->size);
    drop(encoded);
    return done;
}

static bool write_tuple(Writer *writer, ValueRef tuple)
{
    ssize_t count = tuple_size(tuple);
    bool small = is_short((size_t)count) && writer->version >= 4;
    bool done = small ? put_byte(writer, ')') && put_byte(writer, (int)count)
                      : put_byte(writer, '(') && put_number(writer, count, 4);
    for (ssize_t i = 0; done && i < count; i++) done = write_value(writer, tuple_at(tuple, i));
    return done;
}

static bool write_list(Writer *writer, ValueRef list)
{
    ssize_t count = list_size(list);
    bool done = put_byte(writer, '[') && put_number(writer, count, 4);
    for (ssize_t i = 0; done && i < count; i++) done = write_value(writer, list_at(list, i));
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

// A length byte and 17 digits, which tell every double.
static bool put_digits(Writer *writer, double number)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%.17g", number);
    return put_byte(writer, size) && put(writer, text, (size_t)size);
}

static bool put_double(Writer *writer, double number)
{
    if (float_may_be_written(&number, sizeof number)) return put(writer, &number, sizeof number);
    error_clear();
    return raise_error(ValueError, "unmarshallable object");
}

static bool write_float(Writer *writer, double number)
{
    if (writer->version < 2) return put_byte(writer, 'f') && put_digits(writer, number);
    return put_byte(writer, 'g') && put_double(writer, number);
}

static bool write_complex(Writer *writer, const Complex *number)
{
    if (writer->version < 2)
        return put_byte(writer, 'x') && put_digits(writer, number->real) &&
               put_digits(writer, number->imag);
    return put_byte(writer, 'y') && put_double(writer, number->real) &&
           put_double(writer, number->imag);
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
    if (float_check_exact(value)) return write_float(writer, float_value(value));
    if (int_check_exact(value)) return write_int(writer, value);
    if (str_check_exact(value)) return write_text(writer, value);
    if (tuple_check_exact(value)) return write_tuple(writer, value);
    if (list_check_exact(value)) return write_list(writer, value);
    if (dict_check_exact(value)) return write_dict(writer, value);
    if (is_exactly(value, &set_type)) return write_set(writer, '<', value);
    if (is_exactly(value, &frozenset_type)) return write_set(writer, '>', value);
    if (complex_check_exact(value)) return write_complex(writer, as_complex(value));
    if (code_check(value)) return write_code(writer, as_code(value));
    return write_buffer(writer, value);
}

static bool write_shared(Writer *writer, ValueRef value)
{
    int number;
    if (!number_reference(writer, value, &number)) return false;
    if (number >= 0) return put_byte(writer, 'r') && put_number(writer, number, 4);
    size_t start = writer->size;
    if (!write_object(writer, value)) return false;
    writer->bytes[start] |= (char)FLAG_REF;
    return true;
}

static bool write_value(Writer *writer, ValueRef value)
{
    if (value == NONE) return put_byte(writer, 'N');
    if (value == TRUE) return put_byte(writer, 'T');
    if (value == FALSE) return put_byte(writer, 'F');
    if (value == ELLIPSIS) return put_byte(writer, '.');
    if (value == ref_of(StopIteration)) return put_byte(writer, 'S');
    if (writer->depth >= MAX_NESTING || !stack_has_room())
        return raise_error(ValueError, "object too deeply nested to marshal");
    writer->depth++;
    bool is_shared = is_object(value) && object_of(value)->refcount > 1 && writer->version >= 3;
    bool done = is_shared ? write_shared(writer, value) : write_object(writer, value);
    writer->depth--;
    return done;
}

Value marshal_write(ValueRef value, int version)
{
    Writer writer = {.version = version};
    Value bytes = write_value(&writer, value) ? bytes_new(writer.bytes, writer.size) : VALUE_ERROR;
    memory_free(writer.bytes);
    memory_free(writer.references);
    return bytes;
}
