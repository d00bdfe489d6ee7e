// What the unit tests share. A test file defines `Suite *NAME_suite(void)` and has a row in
// suites.def; tests/unit/main.c runs them all, each test in a process of its own.
#pragma once

#include "objects/value.h"

#include <check.h>

#define SUITE(name) Suite *name##_suite(void);
#define WHOLE_SUITE SUITE
#include "tests/unit/suites.def"
#undef SUITE
#undef WHOLE_SUITE

// A test case whose tests start with live objects (objects_init()) and end with objects_finish(),
// which in a debug build fails where anything is left.
TCase *live_case(Suite *suite, const char *name);
// One that starts with nothing.
TCase *bare_case(Suite *suite, const char *name);
// Is this a program of tests/scripts whose room is about modules that the core leaves out?
bool lacks_modules(const char *path);
// Fails with the text of the pending exception where there is one.
void assert_no_error(void);
