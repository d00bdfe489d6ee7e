// Plugins, as a user loads them.
//
//     tests/plugins/NAME.sh   what is typed, with $MINIVM and the folder $PLUGINS of the libraries
//     tests/plugins/NAME.expected   both streams of it, written by hand; but every_kind's by a hook
//                                   in CPython 3.9 (tests/golden_frames.py)
//
// The folder is left out of the output, and addresses of objects are.
#include "tests/unit/unit.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 120

static void set_environment(void)
{
    const char *given = getenv("MINIVM");
    char minivm[PATH_MAX], plugins[PATH_MAX + 16];
    ck_assert_ptr_nonnull(realpath(given ? given : "minivm", minivm));
    setenv("MINIVM", minivm, 1);
    snprintf(plugins, sizeof plugins, "%s/plugins", dirname(minivm));
    setenv("PLUGINS", plugins, 1);
}

static char *read_all(FILE *file)
{
    enum { SIZE = 1 << 16 };
    ck_assert_ptr_nonnull(file);
    char *text = calloc(1, SIZE);
    fread(text, 1, SIZE - 1, file);
    return text;
}

static void check_script(const char *name)
{
    char command[500], golden[100];
    set_environment();
    ck_assert_int_eq(chdir("tests/plugins"), 0);
    snprintf(command, sizeof command,
             "sh ./%s.sh 2>&1 | sed \"s#$PWD/##g; s/0x7f[0-9a-f]\\{10\\}/0xPLACE/g\"", name);
    snprintf(golden, sizeof golden, "%s.expected", name);
    FILE *run = popen(command, "r"), *answer = fopen(golden, "r");
    char *actual = read_all(run), *expected = read_all(answer);
    ck_assert_str_eq(actual, expected);
    free(actual);
    free(expected);
    pclose(run);
    fclose(answer);
}

#define SCRIPT_TEST(name)                                                                          \
    START_TEST(name)                                                                               \
    {                                                                                              \
        check_script(#name);                                                                       \
    }                                                                                              \
    END_TEST

SCRIPT_TEST(count_calls)
SCRIPT_TEST(show_localsplus)
SCRIPT_TEST(swap_code)
SCRIPT_TEST(refusals)
SCRIPT_TEST(every_kind)
SCRIPT_TEST(small_evaluator)
SCRIPT_TEST(small_jit)

Suite *plugins_suite(void)
{
    Suite *suite = suite_create("plugins");
    TCase *tests = bare_case(suite, "plugins");
    tcase_set_timeout(tests, SECONDS);
    tcase_add_test(tests, count_calls);
    tcase_add_test(tests, show_localsplus);
    tcase_add_test(tests, swap_code);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, every_kind);
    tcase_add_test(tests, small_evaluator);
    tcase_add_test(tests, small_jit);
    return suite;
}
