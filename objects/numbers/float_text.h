// Hexadecimal and special floats as text: private to float*.c, complex.c and marshal.c.
#pragma once

#include "objects/object.h"

// float.hex() and float.fromhex(). The text is a str.
Value double_to_hex(double number);
bool double_from_hex(ValueRef text, double *number);

// The length of the longest prefix that is a decimal number, inf, infinity or nan (any case,
// signed); 0 if there is none.
size_t double_scan(const char *text, size_t size, double *number);
