// The format specification mini-language: format(), f-strings and str.format().
//
//     [[fill]align][sign][#][0][width][grouping][.precision][type]
#pragma once

#include "objects/object.h"

Value int_format(ValueRef self, ValueRef spec);      // int.__format__
Value float_format(ValueRef self, ValueRef spec);    // float.__format__
Value complex_format(ValueRef self, ValueRef spec);  // complex.__format__
Value str_format_spec(ValueRef self, ValueRef spec); // str.__format__
