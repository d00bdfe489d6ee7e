// Instructions that push a value: None, numbers, strs, bytes, buffers.
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/containers/tuple.h"
#include "objects/numbers/float.h"
#include "objects/numbers/float_text.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/modules/pickle/pickle.h"

#include <errno.h>
#include <stdlib.h>

bool load_NONE(Unpickler *self)
{
    return unpickler_push(self, NONE);
}

bool load_NEWTRUE(Unpickler *self)
{
    return unpickler_push(self, TRUE);
}

bool load_NEWFALSE(Unpickler *self)
{
    return unpickler_push(self, FALSE);
}

// ---- ints

// An int in decimal digits, with an optional prefix.
static Value int_of_line(const char *line, ssize_t size)
{
    Value text = str_from_latin1(line, (size_t)size);
    const char *digits = line + (*line == '-' || *line == '+');
    Value number = text ? int_from_text(text, *digits == '0' ? 0 : 10) : VALUE_ERROR;
    drop(text);
    return number;
}

bool load_INT(Unpickler *self)
{
    ssize_t size;
    char copy[32], *end = copy;
    const char *line = input_line(&self->input, &size);
    if (!line) return false;
    if (size < 2) return pickle_truncated();
    if (size < (ssize_t)sizeof copy) { // as in C: with 0 in front it is octal
        memcpy(copy, line, (size_t)size);
        copy[size] = 0;
        errno = 0;
        long long number = strtoll(copy, &end, 0);
        if (!errno && *end == '\n' && !end[1]) {
            bool is_bool = size == 3 && (number == 0 || number == 1);
            return unpickler_push(self, is_bool ? from_bool(number) : int_new(number));
        }
    }
    Value number = int_of_line(line, size);
    if (!number && error_is(ValueError)) {
        error_clear();
        raise_error(ValueError, "could not convert string to int");
    }
    return unpickler_push(self, number);
}

static bool push_number(Unpickler *self, int size)
{
    uint64_t number;
    if (!unpickler_operand(self, size, &number)) return false;
    return unpickler_push(self, from_small(size == 4 ? (int32_t)number : (int64_t)number));
}

bool load_BININT(Unpickler *self)
{
    return push_number(self, 4);
}

bool load_BININT1(Unpickler *self)
{
    return push_number(self, 1);
}

bool load_BININT2(Unpickler *self)
{
    return push_number(self, 2);
}

bool load_LONG(Unpickler *self)
{
    ssize_t size;
    const char *line = input_line(&self->input, &size);
    if (!line) return false;
    if (size < 2) return pickle_truncated();
    return unpickler_push(self, int_of_line(line, line[size - 2] == 'L' ? size - 2 : size));
}

static bool push_long(Unpickler *self, int operand)
{
    uint64_t number;
    if (!unpickler_operand(self, operand, &number)) return false;
    if (number > INT32_MAX) return unpickling_error("LONG pickle has negative byte count");
    if (!number) return unpickler_push(self, from_small(0));
    const char *bytes = input_read(&self->input, (ssize_t)number);
    return bytes && unpickler_push(self, int_from_bytes((const unsigned char *)bytes,
                                                        (size_t)number, true, true));
}

bool load_LONG1(Unpickler *self)
{
    return push_long(self, 1);
}

bool load_LONG4(Unpickler *self)
{
    return push_long(self, 4);
}

// ---- floats

bool load_FLOAT(Unpickler *self)
{
    ssize_t size;
    double number;
    const char *line = input_line(&self->input, &size);
    if (!line) return false;
    if (size < 2) return pickle_truncated();
    size_t scanned = double_scan(line, (size_t)size, &number);
    if (scanned == (size_t)size - 1 && number - number == 0)
        return unpickler_push(self, float_new(number));
    Value text = str_from_latin1(line, (size_t)size);
    if (!text) return false;
    bool is_word = line[scanned ? scanned - 1 : 0] > '9'; // inf, nan
    if (!scanned)
        raise_error(ValueError, "could not convert string to float: '%.200S'", (ValueRef)text);
    else if (number - number != 0 && !is_word)
        raise_error(OverflowError, "value too large to convert to float: '%.200S'", (ValueRef)text);
    else if (scanned < (size_t)size - 1)
        raise_error(ValueError, "could not convert string to float");
    drop(text);
    return !error_pending() && unpickler_push(self, float_new(number));
}

bool load_BINFLOAT(Unpickler *self)
{
    const char *bytes = input_read(&self->input, 8);
    if (!bytes) return false;
    uint64_t bits = 0;
    double number;
    for (int i = 0; i < 8; i++) bits = bits << 8 | (unsigned char)bytes[i];
    memcpy(&number, &bits, sizeof number);
    return unpickler_push(self, float_new(number));
}

// ---- strs of Python 2: bytes, which are decoded by what the unpickler was told

static Value decoded(const Unpickler *self, Value bytes)
{
    if (!bytes || str_equal_ascii(self->encoding, "bytes")) return bytes;
    Value held = retain(self->encoding), held_errors = retain(self->errors), text = VALUE_ERROR;
    const char *encoding = str_utf8(held, NULL);
    const char *errors = encoding ? str_utf8(held_errors, NULL) : NULL;
    if (errors)
        text = text_decode(as_bytes(bytes)->data, (size_t)as_bytes(bytes)->size, encoding, errors);
    drop(held_errors);
    drop(held);
    drop(bytes);
    return text;
}

// The bytes that a literal of bytes stands for.
static Value unescaped(const char *text, ssize_t size)
{
    Value literal = bytes_new(text, (size_t)size), bytes = VALUE_ERROR; // before a script runs
    Value decode = literal ? pickle_attribute_of("_codecs", "escape_decode") : VALUE_ERROR;
    Value pair = decode ? object_call_one(decode, literal) : VALUE_ERROR;
    if (pair && tuple_check(pair) && tuple_size(pair) == 2 && bytes_check(tuple_at(pair, 0)))
        bytes = retain(tuple_at(pair, 0));
    else if (pair)
        raise_error(TypeError, "escape_decode() did not return bytes");
    drop(pair);
    drop(literal);
    drop(decode);
    return bytes;
}

bool load_STRING(Unpickler *self)
{
    ssize_t size;
    const char *line = input_line(&self->input, &size);
    if (!line) return false;
    size--;
    if (size < 2 || line[0] != line[size - 1] || (*line != '\'' && *line != '"'))
        return unpickling_error("the STRING opcode argument must be quoted");
    return unpickler_push(self, decoded(self, unescaped(line + 1, size - 2)));
}

static bool push_string(Unpickler *self, int operand)
{
    ssize_t size;
    if (!unpickler_size(self, operand, "BINSTRING", &size)) return false;
    return unpickler_push(self, decoded(self, input_bytes(&self->input, size)));
}

bool load_BINSTRING(Unpickler *self)
{
    return push_string(self, 4);
}

bool load_SHORT_BINSTRING(Unpickler *self)
{
    return push_string(self, 1);
}

// ---- strs

bool load_UNICODE(Unpickler *self)
{
    ssize_t size;
    const char *line = input_line(&self->input, &size);
    return line &&
           unpickler_push(self, text_decode(line, (size_t)size - 1, "raw_unicode_escape", NULL));
}

static bool push_str(Unpickler *self, int operand)
{
    ssize_t size;
    if (!unpickler_size(self, operand, "BINUNICODE", &size)) return false;
    const char *bytes = input_read(&self->input, size);
    return bytes &&
           unpickler_push(self, text_decode(bytes, (size_t)size, "utf-8", "surrogatepass"));
}

bool load_SHORT_BINUNICODE(Unpickler *self)
{
    return push_str(self, 1);
}

bool load_BINUNICODE(Unpickler *self)
{
    return push_str(self, 4);
}

bool load_BINUNICODE8(Unpickler *self)
{
    return push_str(self, 8);
}

// ---- bytes

static bool push_bytes(Unpickler *self, int operand)
{
    ssize_t size;
    if (!unpickler_size(self, operand, "BINBYTES", &size)) return false;
    return unpickler_push(self, input_bytes(&self->input, size));
}

bool load_SHORT_BINBYTES(Unpickler *self)
{
    return push_bytes(self, 1);
}

bool load_BINBYTES(Unpickler *self)
{
    return push_bytes(self, 4);
}

bool load_BINBYTES8(Unpickler *self)
{
    return push_bytes(self, 8);
}

bool load_BYTEARRAY8(Unpickler *self)
{
    ssize_t size;
    if (!unpickler_size(self, 8, "BYTEARRAY8", &size)) return false;
    return unpickler_push(self, input_bytearray(&self->input, size));
}

bool load_NEXT_BUFFER(Unpickler *self)
{
    if (!self->buffers)
        return unpickling_error("pickle stream refers to out-of-band data but no *buffers* "
                                "argument was given");
    Value buffers = retain(self->buffers);
    Value buffer = next_of(buffers);
    drop(buffers);
    if (buffer == ABSENT) return unpickling_error("not enough out-of-band buffers");
    return unpickler_push(self, buffer);
}

static bool is_read_only(ValueRef view, bool *read_only)
{
    Buffer lent;
    if (!buffer_get_strided(view, &lent, false)) return false;
    *read_only = lent.read_only;
    buffer_release(&lent);
    return true;
}

bool load_READONLY_BUFFER(Unpickler *self)
{
    ValueRef top = unpickler_top(self);
    Value view = top ? memoryview_new(top) : VALUE_ERROR, name = VALUE_ERROR, locked = VALUE_ERROR;
    bool read_only = false, done = view && is_read_only(view, &read_only);
    if (done && !read_only) {
        name = str_intern("toreadonly");
        locked = name ? object_call_method_none(view, name) : VALUE_ERROR;
        if (locked) drop(unpickler_pop(self));
        done = unpickler_push(self, locked);
    }
    drop(name);
    drop(view);
    return done;
}
