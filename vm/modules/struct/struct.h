// What the files of the module _struct share: a format that was read, and its errors.
#pragma once

#include "objects/object.h"

typedef enum FieldKind { PAD, CHARACTER, TEXT, PASCAL, TRUTH, SIGNED, UNSIGNED, REAL } FieldKind;

typedef struct Letter {
    char letter;
    uint8_t kind, standard, native, alignment; // sizes in bytes; standard 0 = only native
} Letter;

typedef struct Field {
    const Letter *letter;
    ssize_t offset, size, count; // of values; `size` bytes each
} Field;

typedef struct Struct {
    Object base;
    Value format; // bytes; 0 before __init__
    Field *fields;
    ssize_t field_count;
    ssize_t size, items; // bytes and values in all; -1 before __init__
    int busy;            // how often it is being used: then its fields must not change
    bool native, big;
} Struct;

static inline Struct *as_struct(ValueRef value)
{
    return (Struct *)object_of(value);
}

// struct.error with a text of C.
Value raise_struct(const char *format, ...) __attribute__((format(printf, 1, 2)));

// struct_format.c. Steals `format`, which is bytes; what the object was before is lost.
bool read_format(Struct *self, Value format);
void forget_format(Object *object);

// struct_values.c. Are there as many values as the format wants? `function` is for the message.
bool check_count(const Struct *self, const char *function, size_t count);
// Packs as many values to `size` bytes, which are zero where there is no value.
bool pack_values(Struct *self, const ValueRef *values, char *bytes);
// The values as new bytes, or bytes as a tuple.
Value pack_all(Struct *self, const char *function, const ValueRef *values, size_t count);
Value unpack_all(const Struct *self, const char *bytes);
