// The short text of a value for an observer: the debugger, --trace, --trace-html.
//
//     [1, 'two', ...]   <function f>   <C object>   <cell: 1>   ValueError('x')   NULL
//     <Tensor float32[2, 3]: 0., 1., 2., 3., 4., ...>
//
// It is repr(), shortened, as far as it can be made without running script code. No script code
// runs, nothing is allocated, and no reference count changes. So a program that is observed
// continues exactly as it would have without. A container that contains itself is shown as `[...]`
// inside.
#pragma once

#include "objects/object.h"

typedef struct ShowLimits {
    int depth; // the most containers in one another; deeper ones are `[...]`
    int items; // the most items of a container; then `...`
    int text;  // characters of a str, bytes, or digits; of a longer one the first and the last
    bool id;   // `<C object at 0x7f0000064650>`: show the id() of objects without a name
} ShowLimits;

extern const ShowLimits show_brief; // for a line of a listing

// Writes UTF-8 and a NUL into buffer[size], as much as fits in whole characters. Returns the bytes
// of the whole text without the NUL, as snprintf() does. VALUE_ERROR and ABSENT are shown as
// `NULL`. NULL as the limits means show_brief.
size_t show_value(char *buffer, size_t size, ValueRef value, const ShowLimits *limits);
// The same for the text of a str: without quotes, with unprintable characters escaped.
size_t show_text(char *buffer, size_t size, ValueRef str);
// The same for the name of a function, a method or a generator: the part of its __qualname__ after
// the last "<locals>.".
size_t show_name(char *buffer, size_t size, ValueRef qualname);
// The same for the last part of a path: the text after its last slash.
size_t show_file_name(char *buffer, size_t size, ValueRef path);
