// Values as bytes, in the format of CPython 3.9's `marshal`: version 4 is what a .pyc file holds.
//
// The input need not be valid: wrong bytes raise ValueError, EOFError or TypeError with marshal's
// messages. Code objects that are read are not trusted (Code.compiled is false).
#pragma once

#include "objects/object.h"

// Reads the value that the bytes begin with.
Value marshal_read(const void *bytes, size_t size);
// The next `size` bytes of a file, as an owned bytes of that size, or VALUE_ERROR.
typedef Value (*MarshalSource)(ValueRef file, ssize_t size);
// Reads the value that a file continues with, and no byte more.
Value marshal_read_file(ValueRef file, MarshalSource source);
// Writes a value: an owned bytes object. Below version 2 numbers are written as text, below 3 what
// occurs twice is written twice, and below 4 short forms are missing. ValueError "unmarshallable
// object" for types without a format.
#define MARSHAL_VERSION 4
Value marshal_write(ValueRef value, int version);
// The code object of a .pyc file: the header's magic number must be 3.9's. ImportError "bad magic
// number".
#define PYC_HEADER 16
bool pyc_has_magic(const void *bytes, size_t size);
Value pyc_read(const void *bytes, size_t size);
