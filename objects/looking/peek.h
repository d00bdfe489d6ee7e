// Looking at values without running script code: for guards, and for observers of a program.
//
// All results are borrowed, and nothing is raised. ABSENT: there is no such name, key or index.
// PEEK_REFUSED: only script code (a property, __getattr__, __eq__, ...) could tell, or a built-in
// function that might call script code.
#pragma once

#include "objects/object.h"

#define PEEK_REFUSED VALUE_ERROR

// value.name, for an interned str: attributes stored in the instance or its class, __slots__,
// attributes of classes and modules, the plain fields of functions, methods and cells, and the
// gradient of a tensor; of a class its properties, and the functions of its static methods. No
// bound methods.
ValueRef peek_attribute(ValueRef value, ValueRef name);
// cls.name.__func__, where the class or one of its bases has a classmethod of that name.
ValueRef peek_classmethod(ValueRef cls, ValueRef name);
// dict.__getitem__(dict, key); a key that is no constant is the one object.
ValueRef peek_key(ValueRef dict, ValueRef key);
// The item that the built-in sequence has, whatever a subclass defines: of list, tuple, deque.
ValueRef peek_item(ValueRef sequence, int64_t index);
// len(value), -1 = refused: for instances of list, tuple, deque, dict, set, str, ... whose class
// defines no __len__ of its own.
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
