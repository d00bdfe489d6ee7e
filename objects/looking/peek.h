// Looking at values without running script code: for guards, and for whoever observes a program.
//
// Everything here is borrowed and raises nothing. ABSENT: there is nothing of that name, key or
// index. PEEK_REFUSED: only script code (a property, __getattr__, __eq__, ...), or the call of a
// built-in function that might come to such code, could tell.
#pragma once

#include "objects/object.h"

#define PEEK_REFUSED VALUE_ERROR

// value.name, for an interned str: what the instance or its class holds as it is, __slots__, what
// a class or a module holds, and the plain fields of functions and cells. No bound methods.
ValueRef peek_attribute(ValueRef value, ValueRef name);
// dict[key] for exactly a dict and a key that is exactly a str or an int.
ValueRef peek_key(ValueRef dict, ValueRef key);
// list[index], tuple[index]: `sequence` is exactly that.
ValueRef peek_item(ValueRef sequence, int64_t index);
// len(value), -1 = refused: for instances of list, tuple, dict, set, str, ... without a __len__ of
// their own.
ssize_t peek_length(ValueRef value);

// None, True, 2, "text", b"", 2.5, 1j, ..., NotImplemented, and tuples of these: exactly of
// the built-in types, so that comparing them runs no script code; nested at most PEEK_DEPTH deep
// and at most PEEK_VALUES in all, so that comparing them comes to an end.
#define PEEK_DEPTH 32
#define PEEK_VALUES 1000
bool constant_check(ValueRef value);
// Are a constant and any value of the same type, and equal? Items of tuples likewise: (1,) is not
// (True,). A NaN is the same as any other.
bool constant_equal(ValueRef constant, ValueRef value);
