// What the files of bytes and bytearray share. A method works on a View of self and makes its
// result with bytes_like(), which gives bytes for bytes and a bytearray for a bytearray.
//
// The bytes of a bytearray may move whenever script code runs. So a method reads its arguments
// first and takes the View of self last.
#pragma once

#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/text/str_methods.h"

#define BYTES_METHOD(name, ...)                                                                    \
    Value bytes_method_##name(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
#define BYTES_TAUGHT(name, text, ...) BYTES_METHOD(name)
#define BYTES_ONLY BYTES_METHOD
#define BYTEARRAY_ONLY BYTES_METHOD
#include "objects/bytes/bytes_methods.def"
#undef BYTES_METHOD
#undef BYTES_TAUGHT
#undef BYTES_ONLY
#undef BYTEARRAY_ONLY

typedef struct View {
    char *data;
    ssize_t size;
} View;

static inline View view_of(ValueRef self)
{
    if (bytes_check(self)) return (View){as_bytes(self)->data, as_bytes(self)->size};
    return (View){as_bytearray(self)->data, as_bytearray(self)->size};
}
// A new object like self; data NULL = to be filled.
static inline Value bytes_like(ValueRef self, const void *data, ssize_t size)
{
    return bytes_check(self) ? bytes_new(data, (size_t)size) : bytearray_new(data, (size_t)size);
}
// self if it is exactly bytes, else a copy.
static inline Value bytes_same(ValueRef self)
{
    if (bytes_check_exact(self)) return retain(self);
    View view = view_of(self);
    return bytes_like(self, view.data, view.size);
}

// ---- bytes.c
// An int argument as a byte. ValueError "byte must be in range(0, 256)", or `message`.
bool byte_value(ValueRef value, uint8_t *byte, const char *message);
// The index of a subscript: TypeError with `kind` ("byte", "bytearray"); negative ones count from
// the end.
bool byte_index(ValueRef key, ssize_t size, const char *kind, ssize_t *index);
// `count` times the bytes of the view.
void bytes_fill(char *data, View view, ssize_t count);
// left + right, made by bytes_new() or bytearray_new().
typedef Value (*MakeBytesFn)(const void *data, size_t size);
Value bytes_concat(ValueRef left, ValueRef right, MakeBytesFn make);
Value bytes_iter(ValueRef self);
bool bytes_contains(ValueRef self, ValueRef item, bool *found);
Value bytes_compare(ValueRef left, ValueRef right, CompareOp op);
Value bytes_slice(ValueRef self, ValueRef slice);
// The inside of a repr. `all` = escape single quotes even between double ones (bytearray does).
Value bytes_text(const char *prefix, View view, bool all, const char *suffix);
// Reads the arguments (source, encoding, errors) of bytes() and bytearray(). If an encoding is
// given, *encoded is the encoded text, else VALUE_ERROR.
bool bytes_arguments(const char *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                     ValueRef *source, Value *encoded);
// ---- bytes_layout.c
// hex(sep, bytes_per_sep), of memoryview too. The arguments are read before the bytes are looked
// at: that may run script code.
typedef struct HexStyle {
    char separator;
    int64_t group; // 0 = none
} HexStyle;
bool hex_arguments(const ValueRef *args, size_t nargs, ValueRef kwnames, HexStyle *style);
Value bytes_hex(View view, HexStyle style);
// ---- bytearray.c
bool bytearray_append(ValueRef self, uint8_t byte);
// ---- str_mod.c
// format % arguments
Value bytes_mod(ValueRef format, ValueRef arguments);
