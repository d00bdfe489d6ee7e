// complex: two doubles.
#pragma once

#include "objects/object.h"

typedef struct Complex {
    Object base;
    double real, imag;
} Complex;

extern Type complex_type;

Value complex_new(double real, double imag);
// (ar + ai*j) ** (br + bi*j). ZeroDivisionError, OverflowError as in CPython.
Value complex_power(double ar, double ai, double br, double bi);
bool complex_check(ValueRef value); // or an instance of a subclass
static inline Complex *as_complex(ValueRef value)
{
    return (Complex *)object_of(value);
}
static inline bool complex_check_exact(ValueRef value)
{
    return is_exactly(value, &complex_type);
}
