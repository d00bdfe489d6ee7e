// str: an immutable sequence of code points, in the narrowest of three widths.
//
//     +----------+------+--------+------+------+-----+-------------------------------------------+
//     | refcount | type | length | hash | kind | ... | `length` code points of `kind` bytes, NUL |
//     +----------+------+--------+------+------+-----+-------------------------------------------+
//
// A str whose largest code point is below 256 has kind 1 (Latin-1), below 65536 kind 2, else kind
// 4. So two equal strs have the same bytes, and the hash (SipHash of those bytes) is CPython's
// under PYTHONHASHSEED=0. Interned strs are compared by address. Surrogates are allowed, as in
// CPython (surrogateescape).
#pragma once

#include "objects/object.h"

typedef struct Str {
    Object base;
    ssize_t length; // in code points
    int64_t hash;   // -1 = not computed yet
    uint8_t kind;   // 1, 2 or 4 bytes a code point
    bool ascii;     // all below 128: the bytes are UTF-8 as well
    bool interned;
    uint32_t room;         // bytes after the NUL that str_grow() may still use
    struct Utf8Text *utf8; // cached by str_utf8(); NULL = the data are UTF-8, or none is cached yet
    char data[];
} Str;

// True if a str is as described above; takes time in proportion to its length.
bool str_is_sound(const Str *str);

extern Type str_type, str_iterator_type;

// Frees the shared strs (the empty one, the single characters) and the table of interned ones. No
// str may be made after it; strs that are still referenced stay valid.
void strs_finish(void);

static inline bool str_check(ValueRef value)
{
    return has_flag(value, TYPE_STR);
}
static inline bool str_check_exact(ValueRef value)
{
    return is_exactly(value, &str_type);
}
static inline Str *as_str(ValueRef value)
{
    invariant(is_allocated(value) && str_check(value), "what is read as a str is one");
    return (Str *)object_of(value);
}
static inline ssize_t str_length(ValueRef value)
{
    return as_str(value)->length;
}

static inline uint32_t str_at(const Str *str, ssize_t index)
{
    if (str->kind == 1) return ((const uint8_t *)str->data)[index];
    if (str->kind == 2) return ((const uint16_t *)str->data)[index];
    return ((const uint32_t *)str->data)[index];
}

Value str_new(const char *utf8);                     // of a NUL-terminated, valid UTF-8 text
Value str_from_utf8(const char *bytes, size_t size); // strict: UnicodeDecodeError
Value str_from_latin1(const void *bytes, size_t size);
Value str_from_ascii(const char *bytes, size_t size); // all below 128
Value str_from_code_points(const uint32_t *points, size_t count);
Value str_from_code_point(uint32_t point); // the single characters below 256 are shared
// The character at an index, which may count from the end: borrowed. VALUE_ERROR = the str has no
// such index, or the character is not one of the shared ones, or not made yet.
ValueRef str_shared_at(ValueRef str, int64_t index);
extern Value str_shared_characters[256]; // those that are made: for the JIT
// All characters, owned, into an array of that size: how many, fewer where memory ran out.
ssize_t str_characters(ValueRef str, Value *characters);
Value str_intern(const char *utf8);   // an interned str
void str_intern_in_place(Value *str); // replaces the str by the interned one of the same text
bool str_is_interned(ValueRef str);
// The interned str of this ASCII text, borrowed; VALUE_ERROR = there is none, and none is made.
ValueRef str_find_interned(const char *ascii);

// NUL-terminated UTF-8, owned by the str. NULL with UnicodeEncodeError pending where it holds a
// surrogate. `size` may be NULL.
const char *str_utf8(ValueRef str, size_t *size);

Value str_concat(ValueRef left, ValueRef right); // both str
// left + right, where *left is not shared: grows it in place if possible. Replaces *left. False
// with *left dropped and set to VALUE_ERROR.
bool str_append(Value *left, ValueRef right);
// Grows *left in the same way, though its address may change. False if that is impossible: *left is
// then unchanged, and nothing is pending.
bool str_grow(Value *left, ValueRef right);
Value str_repeat(ValueRef str, ssize_t count);
Value str_substring(ValueRef str, ssize_t start, ssize_t end); // within 0..length
Value str_join(ValueRef separator, ValueRef iterable);
Value str_join_array(ValueRef separator, const ValueRef *items,
                     size_t count); // BUILD_STRING: all are str
static inline bool same_8_bytes(const char *a, const char *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y;
}
static inline bool same_4_bytes(const char *a, const char *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x == y;
}
// Most strs that are compared are short, and equal: a call would cost more than the comparison.
static inline bool same_bytes(const char *a, const char *b, size_t size)
{
    if (size > 16) return memcmp(a, b, size) == 0;
    if (size >= 8) return same_8_bytes(a, b) && same_8_bytes(a + size - 8, b + size - 8);
    if (size >= 4) return same_4_bytes(a, b) && same_4_bytes(a + size - 4, b + size - 4);
    return !size || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}
// Both are str; runs nothing.
static inline bool str_equal(ValueRef left, ValueRef right)
{
    const Str *a = as_str(left), *b = as_str(right);
    if (a == b) return true;
    if (a->length != b->length || a->kind != b->kind) return false;
    return same_bytes(a->data, b->data, (size_t)(a->length * a->kind));
}
bool str_equal_ascii(ValueRef str, const char *text);
int str_compare(ValueRef a, ValueRef b); // <0, 0, >0
int64_t str_hash_slow(ValueRef str);
// Never -1; runs no script code. For an instance of a subclass it hashes the text and ignores its
// __hash__.
static inline int64_t str_hash(ValueRef str)
{
    int64_t hash = as_str(str)->hash;
    return hash != -1 ? hash : str_hash_slow(str);
}
ssize_t str_find_char(ValueRef str, uint32_t point, ssize_t start, ssize_t end,
                      int direction); // -1 = not there
bool str_is_identifier(ValueRef str);
Value str_mod(ValueRef format, ValueRef arguments); // format % arguments
Value str_repr(ValueRef str);

// Builds a str piece by piece: begin, append, then finish or abandon. Do not copy a StrBuilder:
// while the text is short, `data` points into it.
#define BUILDER_LOCAL 32
typedef struct StrBuilder {
    char *data;
    ssize_t length, capacity; // in code points
    uint8_t kind;
    bool beyond_ascii; // perhaps: then the widest code point is looked for at the end
    uint32_t local[BUILDER_LOCAL];
} StrBuilder;
void builder_begin(StrBuilder *builder);
bool builder_char(StrBuilder *builder, uint32_t point);
bool builder_text(StrBuilder *builder, const char *utf8); // valid UTF-8
bool builder_ascii(StrBuilder *builder, const char *text, size_t size);
bool builder_int(StrBuilder *builder, int64_t number); // in decimal digits
bool builder_str(StrBuilder *builder, ValueRef str);
bool builder_latin1(StrBuilder *builder, const void *text, ssize_t size);
// The valid UTF-8 that *at begins with, which it is moved past.
bool builder_utf8(StrBuilder *builder, const unsigned char **at, const unsigned char *end);
bool builder_points(StrBuilder *builder, const uint32_t *points, ssize_t count);
bool builder_slice(StrBuilder *builder, ValueRef str, ssize_t start, ssize_t end);
bool builder_fill(StrBuilder *builder, uint32_t point, ssize_t count);
Value builder_finish(StrBuilder *builder); // owned; the builder is empty again
void builder_abandon(StrBuilder *builder);
