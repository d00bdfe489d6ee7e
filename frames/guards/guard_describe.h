// Short descriptions of values and classes, for the texts of guards. Nothing here runs script code.
#pragma once

#include "objects/type.h"

Value guard_type_phrase(const Type *type); // "an int"
Value guard_class_name(const Type *type);  // "int": exactly a str
Value guard_class_text(const Type *type);  // "<class 'int'>"
// A constant as repr() shows it, shortened; an object with a name as "<function f>"; any other as
// "<Point object>".
Value guard_describe(ValueRef value);
// As repr() shows it, where that runs no script code: a guard may be added meanwhile.
Value guard_key_text(ValueRef key);
