// What is said where the machine crashes: in processes of their own, whose builtin functions do it.
#include "tests/unit/unit.h"

#include "vm/builtins/builtins.h"
#include "vm/crash.h"
#include "vm/run.h"
#include "vm/vm.h"

#include "frames/frame.h"
#include "objects/call.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/int.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static Value crash(FUNCTION_ARGS)
{
    int64_t number;
    if (int_as_int64(args[0], &number)) raise((int)number);
    return NONE;
}

static Value aborts(FUNCTION_ARGS)
{
    abort();
}

// Below no stack that is left.
static int deeper(volatile char *above)
{
    volatile char bytes[10000];
    bytes[0] = *above;
    if (!bytes[0]) return 0;
    return deeper(bytes) + bytes[0];
}

static Value overflow(FUNCTION_ARGS)
{
    return from_small(deeper((volatile char[]){1}));
}

// Then the report itself meets a fault.
static Value crash_without_frames(FUNCTION_ARGS)
{
    thread_state.frame = (Frame *)(uintptr_t)4096;
    raise(SIGSEGV);
    return NONE;
}

static const MethodDef acts[] = {{"crash", crash, ONE_ARG, NULL},
                                 {"aborts", aborts, NO_ARGS, NULL},
                                 {"overflow", overflow, NO_ARGS, NULL},
                                 {"crash_without_frames", crash_without_frames, NO_ARGS, NULL},
                                 {0}};

static _Noreturn void run_in_child(const char *program)
{
    const char *argv[] = {"test", NULL};
    SysOptions options = {.argc = 1, .argv = argv, .executable = "minivm"};
    crash_init();
    if (vm_init(&options) && module_add_functions(builtins_module(), acts)) run_command(program);
    _exit(0);
}

// Runs the program in a process that it must end by the signal; returns what was said.
static const char *said(const char *program, int number)
{
    static char text[8192];
    int status;
    FILE *file = tmpfile();
    ck_assert_ptr_nonnull(file);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(file), STDERR_FILENO);
        run_in_child(program);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == number, "status %d: %s", status, text);
    return text;
}

static const char program[] = "def inner(x, number):\n"
                              "    y = x + x\n"
                              "    if y:\n"
                              "        return crash(number)\n"
                              "def outer(number):\n"
                              "    secret = 'secret'\n"
                              "    for i in range(3):\n"
                              "        inner(3, number)\n";

static const char *said_of(const char *call, int number)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s\n", program, call);
    return said(text, number);
}

START_TEST(instructions_that_ran)
{
    const char *text = said_of("outer(11)", SIGSEGV);
    ck_assert_ptr_eq(strstr(text, "minivm: crashed by SIGSEGV\nThis is a fault of minivm"), text);
    ck_assert_ptr_nonnull(strstr(text, "Please report it"));
    ck_assert_ptr_nonnull(strstr(text,
                                 "  File \"<string>\", line 4 in inner\n"
                                 "    16 CALL_FUNCTION, 14 LOAD_FAST, 12 LOAD_GLOBAL, "
                                 "10 POP_JUMP_IF_FALSE, 8 LOAD_FAST, 6 STORE_FAST, 4 BINARY_ADD, "
                                 "2 LOAD_FAST, 0 LOAD_FAST\n"
                                 "  File \"<string>\", line 8 in outer\n"));
    ck_assert_ptr_nonnull(strstr(text, "  File \"<string>\", line 9 in <module>\n"));
    ck_assert_ptr_null(strstr(text, "'secret'")); // no values
}
END_TEST

START_TEST(what_a_jump_leads_to)
{
    const char *text = said_of("outer(8)", SIGFPE);
    const char *caller = strstr(text, "in outer\n");
    ck_assert_ptr_nonnull(caller);
    ck_assert_ptr_nonnull(
        strstr(caller, "STORE_FAST, 12 FOR_ITER, to which a jump may have led\n"));
    ck_assert_ptr_null(strstr(caller, "GET_ITER"));
}
END_TEST

START_TEST(what_is_jumped_over)
{
    const char *text = said("x = 1 if str() else 2\ncrash(11)", SIGSEGV);
    ck_assert_ptr_nonnull(strstr(text, "    18 CALL_FUNCTION, 16 LOAD_CONST, 14 LOAD_NAME, "
                                       "12 STORE_NAME, to which a jump may have led\n"));
}
END_TEST

START_TEST(other_ways_to_crash)
{
    ck_assert_ptr_nonnull(strstr(said("aborts()", SIGABRT), "crashed by SIGABRT\n"));
    ck_assert_ptr_nonnull(strstr(said("crash(7)", SIGBUS), "crashed by SIGBUS\n"));
    const char *text = said("overflow()", SIGSEGV);
    ck_assert_ptr_nonnull(strstr(text, "crashed by SIGSEGV\n"));
    ck_assert_ptr_nonnull(strstr(text, "line 1 in <module>\n"));
    ck_assert_ptr_nonnull(strstr(said("crash_without_frames()", SIGSEGV), "Please report it"));
}
END_TEST

START_TEST(no_longer_than_a_page)
{
    const char *text = said("def f(n): return n and f(n - 1) or crash(11)\nf(200)", SIGSEGV);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    ck_assert_int_le(lines, 26);
    ck_assert_ptr_nonnull(strstr(text, "\n  and its callers\n"));
}
END_TEST

START_TEST(what_is_no_crash)
{
    static const char text[] = "import os\nos.kill(os.getpid(), 11)";
    ck_assert_str_eq(said(text, SIGSEGV), "");
    ck_assert_str_eq(said("import os\nos.abort()", SIGABRT), "");
    ck_assert_str_eq(said("import os, signal\n"
                          "assert signal.getsignal(11) == signal.SIG_DFL\n"
                          "signal.signal(11, lambda *_: os.abort())\n"
                          "signal.raise_signal(11)",
                          SIGABRT),
                     "");
}
END_TEST

Suite *crash_suite(void)
{
    Suite *suite = suite_create("crash");
    TCase *tests = bare_case(suite, "crash");
    if (MEMORY_SANITIZED) return suite; // which reports by itself
    tcase_add_test(tests, instructions_that_ran);
    tcase_add_test(tests, what_a_jump_leads_to);
    tcase_add_test(tests, what_is_jumped_over);
    tcase_add_test(tests, other_ways_to_crash);
    tcase_add_test(tests, no_longer_than_a_page);
    tcase_add_test(tests, what_is_no_crash);
    return suite;
}
