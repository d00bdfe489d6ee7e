// Looking at values without running script code: for guards, and for observers of a program.
//
// All results are borrowed, and nothing is raised. ABSENT: there is no such name, key or index.
// PEEK_REFUSED: only script code (a property, __getattr__, __eq__, ...) could tell, or a built-in
// function that might call script code.
#pragma once

#include "objects/object.h"

#define PEEK_REFUSED VALUE_ERROR

// value.name, for an interned str: attributes stored in the instance or its class, __slots__,
// attributes of classes and modules, the plain fields of functions and cells, and the gradient of a
// tensor. No bound methods.
ValueRef peek_attribute(ValueRef value, ValueRef name);
// dict[key] for exactly a dict and a key that is a constant.
ValueRef peek_key(ValueRef dict, ValueRef key);
// list[index], tuple[index]: `sequence` is exactly that.
ValueRef peek_item(ValueRef sequence, int64_t index);
// len(value), -1 = refused: for instances of list, tuple, dict, set, str, ... whose class defines
// no __len__ of its own.
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
