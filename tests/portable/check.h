// The part of the library Check that tests/unit uses, for platforms that have no Check: another C
// library, another machine. `make CHECK=own` takes this header and check.c in place of the library.
//
// A test is a function; it runs in a process of its own, between the functions of its case's
// fixture, and may take as long as its case says. CK_RUN_SUITE=name runs one suite, CK_RUN_CASE=name
// the cases of that name.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*TestFn)(int number);
typedef struct TTest {
    const char *name;
    TestFn run;
} TTest;
typedef struct TCase TCase;
typedef struct Suite Suite;
typedef struct SRunner SRunner;

#define START_TEST(name)                                                                           \
    static void name##_run(int _i);                                                                \
    static const TTest name##_test = {#name, name##_run}, *const name = &name##_test;              \
    static void name##_run(int _i __attribute__((unused)))
#define END_TEST

Suite *suite_create(const char *name);
TCase *tcase_create(const char *name);
void suite_add_tcase(Suite *suite, TCase *tests);
void tcase_set_timeout(TCase *tests, double seconds);
void tcase_add_checked_fixture(TCase *tests, void (*start)(void), void (*stop)(void));
// _i = start .. end-1
void tcase_add_loop_test(TCase *tests, const TTest *test, int start, int end);
#define tcase_add_test(tests, test) tcase_add_loop_test(tests, test, 0, 1)

#define CK_ENV 0
SRunner *srunner_create(Suite *suite); // NULL: none yet
void srunner_add_suite(SRunner *runner, Suite *suite);
void srunner_run_all(SRunner *runner, int mode);
int srunner_ntests_run(SRunner *runner);
int srunner_ntests_failed(SRunner *runner);
// What failed: freed by the caller, with free(). Only of those that took too long is there a text.
typedef struct TestResult TestResult;
TestResult **srunner_failures(SRunner *runner);
const char *tr_msg(TestResult *result);
void srunner_free(SRunner *runner);

_Noreturn void check_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define ck_abort_msg(...) check_fail(__FILE__, __LINE__, __VA_ARGS__)
#define ck_assert_msg(condition, ...) ((condition) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define ck_assert(condition) ck_assert_msg(condition, "Assertion '%s' failed", #condition)

#define CHECK_NUMBERS(type, format, a, op, b)                                                      \
    do {                                                                                           \
        type x_ = (type)(a), y_ = (type)(b);                                                       \
        ck_assert_msg(x_ op y_, "'%s' failed: " format ", " format, #a " " #op " " #b, x_, y_);    \
    } while (0)
#define CHECK_INTS(a, op, b) CHECK_NUMBERS(long long, "%lld", a, op, b)
#define CHECK_UINTS(a, op, b) CHECK_NUMBERS(unsigned long long, "%llu", a, op, b)
#define ck_assert_int_eq(a, b) CHECK_INTS(a, ==, b)
#define ck_assert_int_lt(a, b) CHECK_INTS(a, <, b)
#define ck_assert_int_le(a, b) CHECK_INTS(a, <=, b)
#define ck_assert_int_gt(a, b) CHECK_INTS(a, >, b)
#define ck_assert_int_ge(a, b) CHECK_INTS(a, >=, b)
#define ck_assert_uint_eq(a, b) CHECK_UINTS(a, ==, b)
#define ck_assert_uint_ne(a, b) CHECK_UINTS(a, !=, b)
#define ck_assert_uint_lt(a, b) CHECK_UINTS(a, <, b)
#define ck_assert_uint_gt(a, b) CHECK_UINTS(a, >, b)
#define ck_assert_uint_ge(a, b) CHECK_UINTS(a, >=, b)

// Of pointers and of Values, which are no pointers everywhere.
#define ck_assert_ptr_eq(a, b) ck_assert((a) == (b))
#define ck_assert_ptr_ne(a, b) ck_assert((a) != (b))
#define ck_assert_ptr_null(a) ck_assert(!(a))
#define ck_assert_ptr_nonnull(a) ck_assert(!!(a))

#define ck_assert_mem_eq(a, b, size) ck_assert(memcmp(a, b, size) == 0)
#define ck_assert_mem_ne(a, b, size) ck_assert(memcmp(a, b, size) != 0)
#define ck_assert_str_eq(a, b)                                                                     \
    do {                                                                                           \
        const char *x_ = (a), *y_ = (b);                                                           \
        ck_assert_msg(strcmp(x_, y_) == 0, "%s == %s failed:\n%s\n%s", #a, #b, x_, y_);            \
    } while (0)
