// The text that int(), float() and complex() read: private to int_text.c, float_text.c and
// complex.c.
#pragma once

#include "objects/object.h"

// A str in ASCII: decimal digits and spaces of any script are converted, and all other characters
// become '?'. Or the bytes of an object that lends a buffer, unchanged.
typedef struct NumberText {
    const char *text;
    size_t size;
    char *copy; // owned; NULL = text belongs to the source
} NumberText;

// False with an exception pending: TypeError where the value is no text.
bool number_text_open(ValueRef value, NumberText *source);
void number_text_close(NumberText *source);
// Is it a str, bytes or something else with a buffer?
bool number_text_check(ValueRef value);
// The value for an error message: the str itself, or bytes. Owned.
Value number_text_shown(ValueRef value);
// Removes the underscores from the digits of a float or complex literal, in place. False if one is
// not between two digits.
bool number_text_join(char *text, size_t *size);

static inline bool is_ascii_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
