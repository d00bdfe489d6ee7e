// The items of a memoryview: native formats of one letter, as in the struct module.
#pragma once

#include "objects/object.h"

typedef struct ItemFormat {
    const char *text; // as it was given: "I" or "@I"
    char letter;
    uint8_t class;
    ssize_t size; // 1, 2, 4 or 8
} ItemFormat;

// Copies the bytes of an item: one instruction for each size, where memcpy() would be called.
static inline void item_copy(void *to, const void *from, ssize_t size)
{
    switch (size) {
    case 1: memcpy(to, from, 1); break;
    case 2: memcpy(to, from, 2); break;
    case 4: memcpy(to, from, 4); break;
    case 8: memcpy(to, from, 8); break;
    }
}

extern const ItemFormat item_formats[128]; // by letter
// The format of this name, with an '@' in front or not; NULL = none.
const ItemFormat *item_format(const char *text);
// Can its items be moved only? Then item_unpack() and item_pack() raise NotImplementedError
// "memoryview: format w not supported", and no two items are equal.
bool item_is_opaque(const ItemFormat *format);
// The item at this address as a value.
Value item_unpack(const ItemFormat *format, const char *bytes);
// The bytes of a value. TypeError or ValueError "memoryview: invalid type/value for format 'I'".
// May run script code.
bool item_pack(const ItemFormat *format, ValueRef value, char *bytes);
// Are items equal where their bits are?
bool item_bits_decide(const ItemFormat *a, const ItemFormat *b);
// Are two items equal? If both have the same format no values are made (a NaN equals nothing).
bool item_format_equal(const ItemFormat *a, const char *a_bytes, const ItemFormat *b,
                       const char *b_bytes, bool *equal);
