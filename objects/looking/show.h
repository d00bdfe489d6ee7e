// The short text of a value for whoever looks on from outside: the debugger, --trace, --trace-html.
//
//     [1, 'two', ...]   <function f>   <C object>   <cell: 1>   ValueError('x')   NULL
//
// It is repr() as far as that can be told without running script code, shortened. Nothing runs,
// nothing is allocated and no reference count changes, so that a program that is looked at goes on
// exactly as it would have. A container that holds itself is shown as `[...]` inside.
#pragma once

#include "objects/object.h"

typedef struct ShowLimits {
    int depth;  // containers inside containers; what is deeper is `[...]`
    int items;  // of a container; then `...`
    int text;   // characters of a str, bytes, or digits; of a longer one the first and the last
    bool place; // `<C object at 0x7f0000064650>`: id() where a name does not say which object it is
} ShowLimits;

extern const ShowLimits show_brief; // for a line of a listing

// Writes UTF-8 with a NUL behind it into buffer[size], no more than fits, and never a part of a
// character. Returns how many bytes the whole text takes, without the NUL, as snprintf() does. A
// value of 0 or ABSENT is `NULL`. NULL as the limits means show_brief.
size_t show_value(char *buffer, size_t size, ValueRef value, const ShowLimits *limits);
// The same for a str as it is, not as a literal: without quotes, what is not printable escaped.
size_t show_text(char *buffer, size_t size, ValueRef str);
// The same for the name a function, a method or a generator goes by: its __qualname__ behind the
// last "<locals>.".
size_t show_name(char *buffer, size_t size, ValueRef qualname);
// The same for the last part of a path: what follows its last slash.
size_t show_file_name(char *buffer, size_t size, ValueRef path);
