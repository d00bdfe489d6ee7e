// Reading and writing marshal's format: a letter that says the type, then what belongs to it.
//
//     [type | FLAG_REF] payload          FLAG_REF: the value gets the next number, and `r` + number
//     means it again
//
// Numbers are little-endian. Containers that refer to themselves do not occur in what compilers
// write; a reference to a container that is not complete yet is refused. Nesting is limited as in
// CPython (2,000), which the C stack bears.
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

#define FLAG_REF 0x80
#define MAX_NESTING 2000
#define DIGIT_BITS 15 // of an 'l'
#define PYC_HEADER 16
#define PYC_MAGIC "\x61\x0d\x0d\x0a" // 3425, then CR LF
#define MARSHAL_MODE "surrogatepass"

// ---- reading

typedef struct Reader {
    const unsigned char *next, *end;
    Value references; // list; None = reserved, not complete
    int depth;
} Reader;

static bool too_short(void)
{
    return raise_error(EOFError, "marshal data too short");
}

static const unsigned char *take(Reader *reader, size_t size)
{
    if ((size_t)(reader->end - reader->next) < size) return too_short(), NULL;
    const unsigned char *bytes = reader->next;
    reader->next += size;
    return bytes;
}

static bool take_number(Reader *reader, int size, int64_t *number)
{
    const unsigned char *bytes = take(reader, (size_t)size);
    if (!bytes) return false;
    uint64_t value = 0;
    for (int i = 0; i < size; i++) value |= (uint64_t)bytes[i] << 8 * i;
    int unused = 64 - 8 * size;
    *number = (int64_t)(value << unused) >> unused;
    return true;
}

// A size of 32 bits; what follows must have at least that many bytes.
static bool take_size(Reader *reader, size_t *size)
{
    int64_t number;
    if (!take_number(reader, 4, &number)) return false;
    if (number < 0) return raise_error(ValueError, "bad marshal data (size out of range)");
    *size = (size_t)number;
    return number <= reader->end - reader->next || too_short();
}

static Value read_value(Reader *reader);

// An 'l': the sign is that of the count of 15-bit digits.
static Value read_long(Reader *reader)
{
    int64_t count, digit = 0;
    if (!take_number(reader, 4, &count)) return VALUE_ERROR;
    size_t digits = (size_t)(count < 0 ? -count : count);
    if ((size_t)(reader->end - reader->next) < 2 * digits) return too_short(), VALUE_ERROR;
    size_t size = (digits * DIGIT_BITS + 7) / 8 + 1;
    unsigned char *bytes = memory_alloc_zeroed(size);
    if (!bytes) return raise_memory_error();
    for (size_t i = 0; i < digits; i++) {
        take_number(reader, 2, &digit);
        uint32_t shifted = (uint32_t)(digit & 0x7FFF) << i * DIGIT_BITS % 8;
        size_t at = i * DIGIT_BITS / 8;
        for (int byte = 0; byte < 3 && at + (size_t)byte < size; byte++)
            bytes[at + (size_t)byte] |= (unsigned char)(shifted >> 8 * byte);
    }
    Value number = int_from_bytes(bytes, size, true, false);
    memory_free(bytes);
    if (!number || count >= 0) return number;
    Value negative = int_negative(number);
    drop(number);
    return negative;
}

static bool take_double(Reader *reader, double *number)
{
    const unsigned char *bytes = take(reader, sizeof *number);
    if (bytes) memcpy(number, bytes, sizeof *number);
    return bytes != NULL;
}

static Value read_float(Reader *reader)
{
    double number;
    return take_double(reader, &number) ? float_new(number) : VALUE_ERROR;
}

static Value read_complex(Reader *reader)
{
    double real, imag;
    return take_double(reader, &real) && take_double(reader, &imag) ? complex_new(real, imag)
                                                                    : VALUE_ERROR;
}

static bool read_size_by_type(Reader *reader, int type, size_t *size)
{
    bool small = type == 'z' || type == 'Z' || type == ')';
    if (!small) return take_size(reader, size);
    const unsigned char *byte = take(reader, 1);
    if (byte) *size = *byte;
    return byte != NULL;
}

static Value read_text(Reader *reader, int type)
{
    size_t size;
    if (!read_size_by_type(reader, type, &size)) return VALUE_ERROR;
    const unsigned char *bytes = take(reader, size);
    if (!bytes) return VALUE_ERROR;
    bool utf8 = type == 'u' || type == 't';
    Value text =
        utf8 ? text_decode(bytes, size, "utf-8", MARSHAL_MODE) : str_from_latin1(bytes, size);
    if (text && (type == 't' || type == 'A' || type == 'Z')) str_intern_in_place(&text);
    return text;
}

static Value read_bytes(Reader *reader)
{
    size_t size;
    if (!take_size(reader, &size)) return VALUE_ERROR;
    const unsigned char *bytes = take(reader, size);
    return bytes ? bytes_new(bytes, size) : VALUE_ERROR;
}

static Value read_items(Reader *reader, size_t count)
{
    Value list = list_new((ssize_t)count);
    for (size_t i = 0; list && i < count; i++)
        if (!list_append_owned(list, read_value(reader))) drop_slot(&list);
    return list;
}

static Value read_sequence(Reader *reader, int type)
{
    size_t count;
    if (!read_size_by_type(reader, type, &count)) return VALUE_ERROR;
    Value list = read_items(reader, count);
    if (!list || type == '[') return list;
    Value made = type == '<'   ? set_new(list)
                 : type == '>' ? frozenset_new(list)
                               : list_to_tuple(list);
    drop(list);
    return made;
}

// Pairs until a NULL ('0') stands for a key.
static Value read_dict(Reader *reader)
{
    Value dict = dict_new();
    while (dict) {
        if (reader->next < reader->end && *reader->next == '0') {
            reader->next++;
            return dict;
        }
        Value key = read_value(reader), value = key ? read_value(reader) : VALUE_ERROR;
        bool done = value && dict_set(dict, key, value);
        drop(key);
        drop(value);
        if (!done) drop_slot(&dict);
    }
    return VALUE_ERROR;
}

static bool take_int(Reader *reader, int *number)
{
    int64_t wide;
    if (!take_number(reader, 4, &wide)) return false;
    *number = (int)wide;
    return true;
}

#define CODE_PARTS 8 // code consts names varnames freevars cellvars filename name

static Value read_code(Reader *reader)
{
    CodeFields fields = {0};
    Value parts[CODE_PARTS + 1] = {0};
    bool done = take_int(reader, &fields.argcount) && take_int(reader, &fields.posonlyargcount) &&
                take_int(reader, &fields.kwonlyargcount) && take_int(reader, &fields.nlocals) &&
                take_int(reader, &fields.stacksize) && take_int(reader, &fields.flags);
    for (int i = 0; done && i < CODE_PARTS; i++) done = (parts[i] = read_value(reader)) != 0;
    done = done && take_int(reader, &fields.firstlineno) &&
           (parts[CODE_PARTS] = read_value(reader)) != 0;
    fields.code = parts[0];
    fields.consts = parts[1];
    fields.names = parts[2];
    fields.varnames = parts[3];
    fields.freevars = parts[4];
    fields.cellvars = parts[5];
    fields.filename = parts[6];
    fields.name = parts[7];
    fields.lnotab = parts[CODE_PARTS];
    Value code = done ? code_new(&fields) : VALUE_ERROR;
    for (int i = 0; i <= CODE_PARTS; i++) drop(parts[i]);
    return code;
}

static Value read_reference(Reader *reader)
{
    int64_t index;
    if (!take_number(reader, 4, &index)) return VALUE_ERROR;
    if (index < 0 || index >= list_size(reader->references) ||
        list_at(reader->references, index) == ABSENT)
        return raise_error(ValueError, "bad marshal data (invalid reference)");
    return retain(list_at(reader->references, index));
}

static Value read_payload(Reader *reader, int type)
{
    int64_t number;
    switch (type) {
    case 'N': return NONE;
    case 'T': return TRUE;
    case 'F': return FALSE;
    case 'S': return retain(ref_of(StopIteration));
    case '.': return ELLIPSIS;
    case 'i': return take_number(reader, 4, &number) ? int_new(number) : VALUE_ERROR;
    case 'l': return read_long(reader);
    case 'g': return read_float(reader);
    case 'y': return read_complex(reader);
    case 's': return read_bytes(reader);
    case 'u':
    case 't':
    case 'a':
    case 'A':
    case 'z':
    case 'Z': return read_text(reader, type);
    case '(':
    case ')':
    case '[':
    case '<':
    case '>': return read_sequence(reader, type);
    case '{': return read_dict(reader);
    case 'c': return read_code(reader);
    case 'r': return read_reference(reader);
    case '0': return raise_error(TypeError, "NULL object in marshal data for object");
    default: return raise_error(ValueError, "bad marshal data (unknown type code)");
    }
}

// A value with FLAG_REF gets its number before what it contains does.
static Value read_numbered(Reader *reader, int type)
{
    ssize_t index = list_size(reader->references);
    if (!list_append(reader->references, ABSENT)) return VALUE_ERROR;
    Value value = read_payload(reader, type);
    if (value) replace_slot(&as_list(reader->references)->items[index], retain(value));
    return value;
}

static Value read_value(Reader *reader)
{
    const unsigned char *type = take(reader, 1);
    if (!type) return VALUE_ERROR;
    if (reader->depth >= MAX_NESTING || !stack_has_room())
        return raise_error(ValueError, "recursion limit exceeded");
    reader->depth++;
    Value value = *type & FLAG_REF && *type != ('r' | FLAG_REF)
                      ? read_numbered(reader, *type & ~FLAG_REF)
                      : read_payload(reader, *type & ~FLAG_REF);
    reader->depth--;
    return value;
}

Value marshal_read(const void *bytes, size_t size, size_t *used)
{
    Reader reader = {bytes, (const unsigned char *)bytes + size, list_new(64), 0};
    Value value = reader.references ? read_value(&reader) : VALUE_ERROR;
    drop(reader.references);
    if (used) *used = (size_t)(reader.next - (const unsigned char *)bytes);
    return value;
}

Value pyc_read(const void *bytes, size_t size)
{
    if (size < PYC_HEADER || memcmp(bytes, PYC_MAGIC, 4) != 0)
        return raise_error(ImportError, "bad magic number: not compiled by CPython 3.9");
    Value code = marshal_read((const char *)bytes + PYC_HEADER, size - PYC_HEADER, NULL);
    if (!code || code_check(code)) return code;
    drop(code);
    return raise_error(ImportError, "Non-code object in a .pyc file");
}

// ---- writing

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
