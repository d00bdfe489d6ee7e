// Runs every suite of suites.def. CK_RUN_SUITE=name runs one, CK_FORK=no keeps it in this process
// (for a debugger). Fails where nothing has run: a suite that there is not is refused.
#include "tests/unit/unit.h"

#include "objects/error.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
#define SUITE(name) {#name, name##_suite},
#if CORE
#define WHOLE_SUITE(name)
#else
#define WHOLE_SUITE SUITE
#endif
#include "tests/unit/suites.def"
#undef SUITE
#undef WHOLE_SUITE
};
#define SUITE_COUNT (sizeof suites / sizeof *suites)

static void start(void)
{
    ck_assert(objects_init());
}

static void stop(void)
{
    assert_no_error();
    objects_finish();
}

TCase *bare_case(Suite *suite, const char *name)
{
    TCase *tests = tcase_create(name);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return tests;
}

TCase *live_case(Suite *suite, const char *name)
{
    TCase *tests = bare_case(suite, name);
    tcase_add_checked_fixture(tests, start, stop);
    return tests;
}

void assert_no_error(void)
{
    if (!error_pending()) return;
    Value exception = error_take();
    Value text = object_repr(exception);
    ck_abort_msg("an exception is pending: %s", text ? str_utf8(text, NULL) : "?");
}

// Compiled kernels of torch are kept beside the build, not in the user's home. Where there is no
// compiler, nothing is said about it: the answers are the same.
static void set_cache(void)
{
    char folder[PATH_MAX], path[PATH_MAX + 16];
    if (!getcwd(folder, sizeof folder)) return;
    snprintf(path, sizeof path, "%s/build/kernels", folder);
    setenv("MINIVM_CACHE", path, 0);
    if (system("command -v cc >/dev/null 2>&1") != 0) setenv("TORCH_LOGS", "-inductor", 0);
}

static bool is_suite(const char *name)
{
    for (size_t i = 0; i < SUITE_COUNT; i++)
        if (strcmp(suites[i].name, name) == 0) return true;
    fprintf(stderr, "there is no suite \"%s\"; the suites:", name);
    for (size_t i = 0; i < SUITE_COUNT; i++) fprintf(stderr, " %s", suites[i].name);
    fprintf(stderr, "\n");
    return false;
}

// On a slow machine a test may be ended before it has failed.
static void explain_timeouts(SRunner *runner)
{
    int failed = srunner_ntests_failed(runner), late = 0;
    TestResult **failures = srunner_failures(runner);
    for (int i = 0; i < failed; i++) late += strstr(tr_msg(failures[i]), "timeout expired") != NULL;
    free(failures);
    if (late)
        fprintf(stderr,
                "%d of these tests took too long. On a slow machine give each four times as long:\n"
                "    CK_TIMEOUT_MULTIPLIER=4 make check\n",
                late);
}

int main(void)
{
    const char *only = getenv("CK_RUN_SUITE");
    if (only && !is_suite(only)) return EXIT_FAILURE;
    set_cache();
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < SUITE_COUNT; i++) srunner_add_suite(runner, suites[i].make());
    srunner_run_all(runner, CK_ENV);
    int run = srunner_ntests_run(runner), failed = srunner_ntests_failed(runner);
    explain_timeouts(runner);
    srunner_free(runner);
    if (run == 0) fprintf(stderr, "no test has run\n");
    return run == 0 || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
