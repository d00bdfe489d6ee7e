// Values as bytes, in the format of CPython 3.9's `marshal` (version 4): what a .pyc file holds.
//
// What is read may come from anywhere: wrong bytes give ValueError, EOFError or TypeError with
// marshal's messages, and code objects read are not trusted (Code.compiled is false).
#pragma once

#include "objects/object.h"

// The value in the bytes; *used (may be NULL) is how many it took.
Value marshal_read(const void *bytes, size_t size, size_t *used);
// An owned bytes object. ValueError "unmarshallable object" for what has no form.
Value marshal_write(ValueRef value);
// The code object of a .pyc file: the header's magic number must be 3.9's. ImportError "bad magic
// number".
Value pyc_read(const void *bytes, size_t size);
