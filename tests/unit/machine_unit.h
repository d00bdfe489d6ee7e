// For the tests of frames and of the loop: code made by hand, and a machine without builtins.
#pragma once

#include "tests/unit/unit.h"

#include "frames/frame.h"

// The machine is ready between the two; inside a live_case.
void machine_start(void);
void machine_stop(void);
// Variables x y z, a free variable or a cell if asked for; names a b; the rest by the fields.
// `size` bytes of code.
typedef struct TestCode {
    const char *bytes;
    size_t size;
    int argcount, stacksize, flags;
    ValueRef consts; // a tuple, or 0
} TestCode;
Value test_code(const TestCode *fields);
// Runs it with these globals as a module's code would be.
Value test_run(const TestCode *fields, ValueRef globals);
// A function of that code.
Value test_function(const TestCode *fields, ValueRef globals);
#define BYTES(...) .bytes = (const char[]){__VA_ARGS__}, .size = sizeof((const char[]){__VA_ARGS__})
