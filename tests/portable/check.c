// A small Check: see check.h. Suites, cases and tests hang in lists in the order of their making.
#include "tests/portable/check.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_FIXTURES 4

typedef struct Loop {
    const TTest *test;
    int start, end;
    struct Loop *next;
} Loop;

struct TCase {
    const char *name;
    double seconds;
    struct {
        void (*start)(void), (*stop)(void);
    } fixtures[MAX_FIXTURES];
    int fixture_count;
    Loop *first, **last;
    TCase *next;
};

struct Suite {
    const char *name;
    TCase *first, **last;
    Suite *next;
};

struct TestResult {
    const char *message;
    TestResult *next;
};

struct SRunner {
    Suite *first, **last;
    int run, failed;
    TestResult *failures;
};

// ---- making them

static void *make(size_t size)
{
    void *made = calloc(1, size);
    if (!made) abort();
    return made;
}

Suite *suite_create(const char *name)
{
    Suite *suite = make(sizeof *suite);
    suite->name = name;
    suite->last = &suite->first;
    return suite;
}

TCase *tcase_create(const char *name)
{
    TCase *tests = make(sizeof *tests);
    tests->name = name;
    tests->last = &tests->first;
    return tests;
}

void suite_add_tcase(Suite *suite, TCase *tests)
{
    *suite->last = tests;
    suite->last = &tests->next;
}

void tcase_set_timeout(TCase *tests, double seconds)
{
    tests->seconds = seconds;
}

void tcase_add_checked_fixture(TCase *tests, void (*start)(void), void (*stop)(void))
{
    if (tests->fixture_count == MAX_FIXTURES) abort();
    tests->fixtures[tests->fixture_count].start = start;
    tests->fixtures[tests->fixture_count++].stop = stop;
}

void tcase_add_loop_test(TCase *tests, const TTest *test, int start, int end)
{
    Loop *loop = make(sizeof *loop);
    *loop = (Loop){test, start, end, NULL};
    *tests->last = loop;
    tests->last = &loop->next;
}

SRunner *srunner_create(Suite *suite)
{
    SRunner *runner = make(sizeof *runner);
    runner->last = &runner->first;
    if (suite) srunner_add_suite(runner, suite);
    return runner;
}

void srunner_add_suite(SRunner *runner, Suite *suite)
{
    *runner->last = suite;
    runner->last = &suite->next;
}

// ---- running them

void check_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    _exit(EXIT_FAILURE);
}

// Ends without the functions of atexit(), which belong to the process of all tests.
static void run_in_child(const TCase *tests, const TTest *test, int number)
{
    setpgid(0, 0);
    for (int i = 0; i < tests->fixture_count; i++)
        if (tests->fixtures[i].start) tests->fixtures[i].start();
    test->run(number);
    for (int i = tests->fixture_count; i > 0; i--)
        if (tests->fixtures[i - 1].stop) tests->fixtures[i - 1].stop();
    fflush(NULL);
    _exit(EXIT_SUCCESS);
}

static volatile sig_atomic_t child, too_late;

// Time is up: the test goes, and all that it has started.
static void on_alarm(int number)
{
    (void)number;
    too_late = 1;
    kill(-child, SIGKILL);
    kill(child, SIGKILL);
}

static int run_test(const TCase *tests, const TTest *test, int number)
{
    fflush(NULL);
    pid_t made = fork();
    if (made == 0) run_in_child(tests, test, number);
    child = made;
    too_late = 0;
    const char *factor = getenv("CK_TIMEOUT_MULTIPLIER");
    alarm((unsigned)(tests->seconds * (factor ? atof(factor) : 1)));
    int status = -1;
    if (made < 0 || waitpid(made, &status, 0) != made) status = -1;
    alarm(0);
    return status;
}

static void add_failure(SRunner *runner)
{
    TestResult *result = make(sizeof *result);
    *result = (TestResult){too_late ? "Test timeout expired" : "failed", runner->failures};
    runner->failures = result;
    runner->failed++;
}

static void run_loop(SRunner *runner, const Suite *suite, const TCase *tests, const Loop *loop)
{
    for (int i = loop->start; i < loop->end; i++) {
        int status = run_test(tests, loop->test, i);
        runner->run++;
        if (status == 0) continue;
        add_failure(runner);
        fprintf(stderr, "%s:%s:%s:%d: failed", suite->name, tests->name, loop->test->name, i);
        if (WIFSIGNALED(status)) fprintf(stderr, " (signal %d)", WTERMSIG(status));
        fprintf(stderr, "\n");
    }
}

void srunner_run_all(SRunner *runner, int mode)
{
    (void)mode;
    const char *only = getenv("CK_RUN_SUITE"), *only_case = getenv("CK_RUN_CASE");
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    for (const Suite *suite = runner->first; suite; suite = suite->next) {
        if (only && strcmp(only, suite->name)) continue;
        for (const TCase *tests = suite->first; tests; tests = tests->next) {
            if (only_case && strcmp(only_case, tests->name)) continue;
            for (const Loop *loop = tests->first; loop; loop = loop->next)
                run_loop(runner, suite, tests, loop);
        }
    }
    printf("%d tests, %d failed\n", runner->run, runner->failed);
}

int srunner_ntests_run(SRunner *runner)
{
    return runner->run;
}

int srunner_ntests_failed(SRunner *runner)
{
    return runner->failed;
}

TestResult **srunner_failures(SRunner *runner)
{
    TestResult **failures = make(((size_t)runner->failed + 1) * sizeof *failures), **at = failures;
    for (TestResult *result = runner->failures; result; result = result->next) *at++ = result;
    return failures;
}

const char *tr_msg(TestResult *result)
{
    return result->message;
}

static void suite_free(Suite *suite)
{
    for (TCase *tests = suite->first, *next; tests; tests = next) {
        next = tests->next;
        for (Loop *loop = tests->first, *after; loop; loop = after) {
            after = loop->next;
            free(loop);
        }
        free(tests);
    }
    free(suite);
}

void srunner_free(SRunner *runner)
{
    for (Suite *suite = runner->first, *next; suite; suite = next) {
        next = suite->next;
        suite_free(suite);
    }
    for (TestResult *result = runner->failures, *next; result; result = next) {
        next = result->next;
        free(result);
    }
    free(runner);
}
