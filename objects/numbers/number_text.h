// The text that int(), float() and complex() read: private to int_text.c, float_text.c and
// complex.c.
#pragma once

#include "objects/object.h"

// A str in which decimal digits and spaces of any script have become ASCII ones and all else beyond
// ASCII '?'; or the bytes of what lends a buffer, as they are.
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
// What an error message shows of it: the str itself, or bytes. Owned.
Value number_text_shown(ValueRef value);
// Takes the underscores out of the digits of a float or complex literal, in place: each must be
// between two digits. False where one is not.
bool number_text_join(char *text, size_t *size);

static inline bool is_ascii_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
