// Reading marshal's format: a letter that says the type, then the data of that type.
//
//     [type | FLAG_REF] payload     FLAG_REF: the value gets the next number; later `r` + number
//                                   refers to it
//
// Numbers are little-endian. A list, dict or set gets its number before its items are read, so it
// may contain itself. A tuple, a frozenset or a code object that contains itself is refused
// (CPython returns the unfinished tuple). Nesting is limited as in CPython, so the C stack
// suffices.
//
// Invariant: no allocation is larger than the input that is left, whatever sizes the input claims;
// of a file's bytes, no more are asked for than the value has, and what follows it stays there.
#include "objects/marshal/marshal.h"

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
#include "objects/numbers/float_text.h"
#include "objects/numbers/int.h"
#include "objects/stack.h"
#include "objects/text/str.h"

#define FLAG_REF 0x80
#define MAX_NESTING 2000
#define DIGIT_BITS 15                // of an 'l'
#define PYC_MAGIC "\x61\x0d\x0d\x0a" // 3425, then CR LF
#define MARSHAL_MODE "surrogatepass"
#define NO_NUMBER (-1)

typedef struct Reader {
    const unsigned char *next, *end;
    Value references; // list; ABSENT = numbered, not complete
    int depth;
    ValueRef file; // or 0: all bytes are there
    MarshalSource source;
    Value piece; // of the file: what next and end point into
} Reader;

// The value, or ABSENT for a '0', which means no value.
static Value read_value(Reader *reader);

// ---- bytes and numbers

static Value no_object(void)
{
    return raise_error(EOFError, "EOF read where object expected");
}

static Value out_of_range(const char *what)
{
    return raise_error(ValueError, "bad marshal data (%s out of range)", what);
}

static size_t bytes_left(const Reader *reader)
{
    return (size_t)(reader->end - reader->next);
}

// Where they are not at `next`: from the file.
static bool fetch(Reader *reader, size_t size)
{
    if (!reader->file) return raise_error(EOFError, "marshal data too short");
    Value piece = reader->source(reader->file, (ssize_t)size);
    if (!piece) return false;
    replace_slot(&reader->piece, piece);
    reader->next = (const unsigned char *)as_bytes(piece)->data;
    reader->end = reader->next + size;
    return true;
}

// So many bytes are at `next`.
static inline bool hold(Reader *reader, size_t size)
{
    return bytes_left(reader) >= size || fetch(reader, size);
}

static inline const unsigned char *take(Reader *reader, size_t size)
{
    if (!hold(reader, size)) return NULL;
    const unsigned char *bytes = reader->next;
    reader->next += size;
    return bytes;
}

static inline bool take_number(Reader *reader, int *number)
{
    const unsigned char *bytes = take(reader, 4);
    if (!bytes) return false;
    *number = (int)(bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                    (uint32_t)bytes[3] << 24);
    return true;
}

// How many bytes or items follow.
static bool take_size(Reader *reader, const char *what, size_t *size)
{
    int number;
    if (!take_number(reader, &number)) return false;
    if (number < 0) return out_of_range(what);
    *size = (size_t)number;
    return true;
}

static bool no_byte(void)
{
    error_clear();
    return no_object();
}

// A letter or a short size: where it is missing, for whatever reason, no object begins.
static inline bool take_byte(Reader *reader, size_t *byte)
{
    if (!hold(reader, 1)) return no_byte();
    *byte = *reader->next++;
    return true;
}

// ---- references

// The number of the value to come.
static bool reserve(Reader *reader, bool numbered, ssize_t *number)
{
    *number = numbered ? list_size(reader->references) : NO_NUMBER;
    return !numbered || list_append(reader->references, ABSENT);
}

static void set_reference(const Reader *reader, ssize_t number, ValueRef value)
{
    if (number != NO_NUMBER)
        replace_slot(&as_list(reader->references)->items[number], retain(value));
}

static Value read_reference(Reader *reader)
{
    int number;
    if (!take_number(reader, &number)) return VALUE_ERROR;
    if (number < 0 || number >= list_size(reader->references) ||
        list_at(reader->references, number) == ABSENT)
        return raise_error(ValueError, "bad marshal data (invalid reference)");
    return retain(list_at(reader->references, number));
}

// ---- numbers

// Not written any more: CPython did so on machines of 64 bits before version 3.4.
static Value read_int64(Reader *reader)
{
    const unsigned char *bytes = take(reader, 8);
    return bytes ? int_from_bytes(bytes, 8, true, true) : VALUE_ERROR;
}

// Digits of 15 bits as the bytes of an integer.
static bool take_digits(Reader *reader, size_t count, unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *pair = take(reader, 2);
        if (!pair) return false;
        uint32_t digit = pair[0] | (uint32_t)pair[1] << 8;
        if (digit >> DIGIT_BITS)
            return raise_error(ValueError, "bad marshal data (digit out of range in long)");
        if (digit == 0 && i == count - 1)
            return raise_error(ValueError, "bad marshal data (unnormalized long data)");
        size_t at = i * DIGIT_BITS / 8;
        uint32_t shifted = digit << i * DIGIT_BITS % 8;
        for (size_t k = 0; k < 3 && at + k < size; k++)
            bytes[at + k] |= (unsigned char)(shifted >> 8 * k);
    }
    return true;
}

// An 'l': the sign is that of the count of digits.
static Value read_long(Reader *reader)
{
    int count;
    if (!take_number(reader, &count)) return VALUE_ERROR;
    if (count == INT32_MIN) return out_of_range("long size");
    size_t digits = (size_t)(count < 0 ? -count : count);
    if (reader->file && !hold(reader, digits * 2)) return VALUE_ERROR; // CPython: each alone
    size_t present = digits < bytes_left(reader) / 2 ? digits : bytes_left(reader) / 2;
    size_t size = present * DIGIT_BITS / 8 + 3;
    unsigned char *bytes = memory_alloc_zeroed(size);
    if (!bytes) return raise_memory_error();
    Value number = VALUE_ERROR;
    if (take_digits(reader, digits, bytes, size)) number = int_from_bytes(bytes, size, true, false);
    memory_free(bytes);
    if (!number || count >= 0) return number;
    Value negative = int_negative(number);
    drop(number);
    return negative;
}

static bool take_double(Reader *reader, double *number)
{
    const unsigned char *bytes = take(reader, sizeof *number);
    if (!bytes) return false;
    memcpy(number, bytes, sizeof *number);
    return float_may_be_read(*number, sizeof *number);
}

// The form of version 0 and 1: decimal digits.
static bool take_double_text(Reader *reader, double *number)
{
    size_t size = 0;
    if (!take_byte(reader, &size)) return false;
    const unsigned char *bytes = take(reader, size);
    if (!bytes) return false;
    char text[256];
    memcpy(text, bytes, size);
    text[size] = 0;
    if (text[0] && double_scan(text, strlen(text), number) == strlen(text)) return true;
    Value shown = str_from_latin1(text, strlen(text));
    if (shown) raise_error(ValueError, "could not convert string to float: '%S'", shown);
    drop(shown);
    return false;
}

static Value read_float(Reader *reader, int type)
{
    double number;
    bool taken = type == 'g' ? take_double(reader, &number) : take_double_text(reader, &number);
    return taken ? float_new(number) : VALUE_ERROR;
}

static Value read_complex(Reader *reader, int type)
{
    bool (*take_part)(Reader *, double *) = type == 'y' ? take_double : take_double_text;
    double real, imag;
    if (!take_part(reader, &real) || !take_part(reader, &imag)) return VALUE_ERROR;
    return complex_new(real, imag);
}

// ---- strings

static Value read_text(Reader *reader, int type)
{
    size_t size = 0;
    bool is_short = type == 'z' || type == 'Z';
    if (is_short ? !take_byte(reader, &size) : !take_size(reader, "string size", &size))
        return VALUE_ERROR;
    const unsigned char *bytes = take(reader, size);
    if (!bytes) return VALUE_ERROR;
    bool is_utf8 = type == 'u' || type == 't';
    Value text =
        is_utf8 ? text_decode(bytes, size, "utf-8", MARSHAL_MODE) : str_from_latin1(bytes, size);
    if (text && (type == 't' || type == 'A' || type == 'Z')) str_intern_in_place(&text);
    return text;
}

static Value read_bytes(Reader *reader)
{
    size_t size = 0;
    if (!take_size(reader, "bytes object size", &size)) return VALUE_ERROR;
    const unsigned char *bytes = take(reader, size);
    return bytes ? bytes_new(bytes, size) : VALUE_ERROR;
}

// ---- containers

// An item of a container; VALUE_ERROR where there is none.
static Value read_item(Reader *reader, const char *container)
{
    Value item = read_value(reader);
    if (item != ABSENT) return item;
    return raise_error(TypeError, "NULL object in marshal data for %s", container);
}

static bool read_items(Reader *reader, ValueRef list, size_t count, const char *container)
{
    for (size_t i = 0; i < count; i++)
        if (!list_append_owned(list, read_item(reader, container))) return false;
    return true;
}

// No more room than there are bytes left, because each item takes at least one.
static Value list_for(const Reader *reader, size_t count)
{
    return list_new((ssize_t)(count < bytes_left(reader) ? count : bytes_left(reader)));
}

static Value read_list(Reader *reader, ssize_t number)
{
    size_t count = 0;
    if (!take_size(reader, "list size", &count)) return VALUE_ERROR;
    Value list = list_for(reader, count);
    if (list) set_reference(reader, number, list);
    if (list && !read_items(reader, list, count, "list")) drop_slot(&list);
    return list;
}

// All bytes are there, and as many as it has items.
static Value read_whole_tuple(Reader *reader, size_t count)
{
    Value tuple = tuple_new((ssize_t)count);
    for (size_t i = 0; tuple && i < count; i++) {
        Value item = read_item(reader, "tuple");
        as_tuple(tuple)->items[i] = item;
        if (!item) drop_slot(&tuple);
    }
    return tuple;
}

static Value read_tuple(Reader *reader, int type)
{
    size_t count = 0;
    if (type == ')' ? !take_byte(reader, &count) : !take_size(reader, "tuple size", &count))
        return VALUE_ERROR;
    if (!reader->file && count <= bytes_left(reader)) return read_whole_tuple(reader, count);
    Value list = list_for(reader, count);
    bool filled = list && read_items(reader, list, count, "tuple");
    Value tuple = filled ? list_to_tuple(list) : VALUE_ERROR;
    drop(list);
    return tuple;
}

static bool read_set_items(Reader *reader, ValueRef set, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Value item = read_item(reader, "set");
        bool added = item && set_add(set, item);
        drop(item);
        if (!added) return false;
    }
    return true;
}

static Value read_set(Reader *reader, int type, ssize_t number)
{
    size_t count = 0;
    if (!take_size(reader, "set size", &count)) return VALUE_ERROR;
    Value set = set_new(0);
    if (set && type == '<') set_reference(reader, number, set);
    if (set && !read_set_items(reader, set, count)) drop_slot(&set);
    if (!set || type == '<') return set;
    Value frozen = frozenset_new(set);
    drop(set);
    return frozen;
}

// Reads pairs until a '0' comes instead of a key or a value.
static Value read_dict(Reader *reader, ssize_t number)
{
    Value dict = dict_new();
    if (dict) set_reference(reader, number, dict);
    while (dict) {
        Value key = read_value(reader);
        Value value = key && key != ABSENT ? read_value(reader) : key;
        bool ended = value == ABSENT;
        bool done = ended || (value && dict_set(dict, key, value));
        drop(key);
        drop(value);
        if (ended) return dict;
        if (!done) drop_slot(&dict);
    }
    return VALUE_ERROR;
}

// ---- code

#define CODE_PARTS 9 // code consts names varnames freevars cellvars filename name, lnotab

static bool read_part(Reader *reader, Value *part)
{
    *part = read_item(reader, "object");
    return *part != VALUE_ERROR;
}

static bool read_fields(Reader *reader, CodeFields *fields, Value *parts)
{
    int *const numbers[] = {&fields->argcount, &fields->posonlyargcount, &fields->kwonlyargcount,
                            &fields->nlocals,  &fields->stacksize,       &fields->flags};
    for (int i = 0; i < 6; i++)
        if (!take_number(reader, numbers[i])) return false;
    for (int i = 0; i < CODE_PARTS - 1; i++)
        if (!read_part(reader, &parts[i])) return false;
    return take_number(reader, &fields->firstlineno) && read_part(reader, &parts[CODE_PARTS - 1]);
}

static Value read_code(Reader *reader)
{
    CodeFields fields = {0};
    Value parts[CODE_PARTS] = {0}, code = VALUE_ERROR;
    if (read_fields(reader, &fields, parts)) {
        ValueRef *const targets[CODE_PARTS] = {&fields.code,     &fields.consts,   &fields.names,
                                               &fields.varnames, &fields.freevars, &fields.cellvars,
                                               &fields.filename, &fields.name,     &fields.lnotab};
        for (int i = 0; i < CODE_PARTS; i++) *targets[i] = parts[i];
        code = code_new(&fields);
    }
    for (int i = 0; i < CODE_PARTS; i++) drop(parts[i]);
    return code;
}

// ---- the switch

// What may have a number.
static Value read_object(Reader *reader, int type, ssize_t number)
{
    int small;
    switch (type) {
    case 'i': return take_number(reader, &small) ? int_new(small) : VALUE_ERROR;
    case 'I': return read_int64(reader);
    case 'l': return read_long(reader);
    case 'f':
    case 'g': return read_float(reader, type);
    case 'x':
    case 'y': return read_complex(reader, type);
    case 's': return read_bytes(reader);
    case 'u':
    case 't':
    case 'a':
    case 'A':
    case 'z':
    case 'Z': return read_text(reader, type);
    case '(':
    case ')': return read_tuple(reader, type);
    case '[': return read_list(reader, number);
    case '<':
    case '>': return read_set(reader, type, number);
    case '{': return read_dict(reader, number);
    case 'c': return read_code(reader);
    default: return raise_error(ValueError, "bad marshal data (unknown type code)");
    }
}

static Value read_typed(Reader *reader, int type, bool numbered)
{
    switch (type) {
    case 'N': return NONE;
    case 'T': return TRUE;
    case 'F': return FALSE;
    case 'S': return retain(ref_of(StopIteration));
    case '.': return ELLIPSIS;
    case '0': return ABSENT;
    case 'r': return read_reference(reader);
    default: break;
    }
    ssize_t number;
    if (!reserve(reader, numbered, &number)) return VALUE_ERROR;
    Value value = read_object(reader, type, number);
    if (value) set_reference(reader, number, value);
    return value;
}

static Value read_value(Reader *reader)
{
    size_t letter = 0;
    if (!take_byte(reader, &letter)) return VALUE_ERROR;
    if (reader->depth >= MAX_NESTING || !stack_has_room())
        return raise_error(ValueError, "recursion limit exceeded");
    reader->depth++;
    Value value = read_typed(reader, (int)letter & ~FLAG_REF, letter & FLAG_REF);
    reader->depth--;
    return value;
}

static Value read_whole(Reader *reader)
{
    reader->references = list_new(64);
    Value value = reader->references ? read_item(reader, "object") : VALUE_ERROR;
    drop(reader->references);
    drop(reader->piece);
    return value;
}

Value marshal_read(const void *bytes, size_t size)
{
    Reader reader = {.next = bytes, .end = (const unsigned char *)bytes + size};
    return read_whole(&reader);
}

Value marshal_read_file(ValueRef file, MarshalSource source)
{
    Reader reader = {.file = file, .source = source};
    return read_whole(&reader);
}

bool pyc_has_magic(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, PYC_MAGIC, 4) == 0;
}

Value pyc_read(const void *bytes, size_t size)
{
    if (size < PYC_HEADER || !pyc_has_magic(bytes, size))
        return raise_error(ImportError, "bad magic number: not compiled by CPython 3.9");
    Value code = marshal_read((const char *)bytes + PYC_HEADER, size - PYC_HEADER);
    if (!code || code_check(code)) return code;
    drop(code);
    return raise_error(ImportError, "Non-code object in a .pyc file");
}
