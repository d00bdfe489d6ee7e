// Hexadecimal and special floats as text: private to objects/float*.c and complex.c.
#pragma once

#include "objects/object.h"

// float.hex() and float.fromhex(). The text is a str.
Value double_to_hex(double number);
bool double_from_hex(ValueRef text, double *number);

// The longest prefix that is a decimal number, inf, infinity or nan (any case, signed): returns its
// length, 0 where there is none.
size_t double_scan(const char *text, size_t size, double *number);
