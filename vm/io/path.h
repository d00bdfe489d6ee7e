// File names: str, bytes, and objects with __fspath__.
//
// The system's names are bytes. As a str they are utf-8, with a lone surrogate for each byte that
// is none (surrogateescape), so that every name comes back as it was.
#pragma once

#include "objects/object.h"

// os.fspath(): a str or bytes. TypeError.
Value path_of(ValueRef path);
// The same as bytes or as a str: os.fsencode() and os.fsdecode().
Value path_bytes(ValueRef path);
Value path_text(ValueRef path);
// A name that the system has given, as a str.
Value path_from_system(const char *name, size_t size);
