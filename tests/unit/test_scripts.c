// Script tests: a program with its answer beside it, run by the minivm that was built.
//
//     tests/scripts/NNN_name.mpy   tests/scripts/NNN_name.expected
//     tests/faults/NNN_name.mpy    tests/faults/NNN_name.expected
//
// The answer is what CPython 3.9 printed under PYTHONHASHSEED=0 (tests/golden.py writes it):
// standard output, then, where there is any, a line "[stderr]" and standard error, and a line
// "[exit status N]". The folder of the script is left out of both. Each program is one Check test,
// in a process of its own with its folder as working folder.
#include "tests/unit/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PROGRAMS 1000
#define SECONDS 120

typedef struct Programs {
    const char *folder;
    char *names[MAX_PROGRAMS]; // sorted, without the ending
    int count;
} Programs;

static Programs scripts = {.folder = "tests/scripts"}, faults = {.folder = "tests/faults"};
static char root[PATH_MAX]; // the working folder, where minivm and tests/ are

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_programs(Programs *programs)
{
    DIR *folder = opendir(programs->folder);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char *ending = strstr(entry->d_name, ".expected");
        if (!ending || programs->count == MAX_PROGRAMS) continue;
        programs->names[programs->count++] =
            strndup(entry->d_name, (size_t)(ending - entry->d_name));
    }
    if (folder) closedir(folder);
    qsort(programs->names, (size_t)programs->count, sizeof *programs->names, by_name);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    size_t used = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    size_t count;
    while ((count = fread(text + used, 1, capacity - used - 1, file)) > 0) {
        used += count;
        if (capacity - used < 2) text = realloc(text, capacity *= 2);
    }
    text[used] = 0;
    fclose(file);
    return text;
}

// Leaves out every occurrence of `part`.
static void leave_out(char *text, const char *part)
{
    size_t size = strlen(part);
    char *found;
    while ((found = strstr(text, part))) memmove(found, found + size, strlen(found + size) + 1);
}

// 0x7f0000064650 -> 0xPLACE
static void hide_places(char *text)
{
    char *to = text;
    while (*text) {
        size_t digits = strncmp(text, "0x7f", 4) ? 0 : strspn(text + 2, "0123456789abcdef");
        if (digits == 12) {
            memcpy(to, "0xPLACE", 7);
            to += 7;
            text += 2 + digits;
        } else {
            *to++ = *text++;
        }
    }
    *to = 0;
}

static void exec_minivm(const char *folder, const char *program, const char *out, const char *err)
{
    const char *binary = getenv("MINIVM");
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", root, binary ? binary : "minivm");
    if (binary && *binary == '/') snprintf(path, sizeof path, "%s", binary);
    int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int errors = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), input = open("/dev/null", O_RDONLY);
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0 || chdir(folder))
        _exit(126);
    execl(path, "minivm", program, (char *)NULL);
    _exit(127);
}

// The exit status, negative for a signal.
static int run_minivm(const char *folder, const char *program, const char *out, const char *err)
{
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) exec_minivm(folder, program, out, err);
    int status;
    ck_assert(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static char *result_text(const char *out, const char *err, int status, const char *folder)
{
    char *output = read_file(out), *errors = read_file(err), *text;
    char ending[64] = "";
    if (status) snprintf(ending, sizeof ending, "[exit status %d]\n", status);
    ck_assert(asprintf(&text, "%s%s%s%s", output, *errors ? "[stderr]\n" : "", errors, ending) >=
              0);
    char prefix[PATH_MAX + 64];
    snprintf(prefix, sizeof prefix, "%s/%s/", root, folder);
    leave_out(text, prefix);
    hide_places(text);
    free(output);
    free(errors);
    return text;
}

// Points at the first line that differs.
static void compare(const char *name, const char *expected, const char *actual)
{
    if (strcmp(expected, actual) == 0) return;
    int line = 1;
    size_t start = 0, i = 0;
    for (; expected[i] && expected[i] == actual[i]; i++) {
        if (expected[i] != '\n') continue;
        line++;
        start = i + 1;
    }
    ck_abort_msg("%s: line %d of the output\n  expected: %.*s\n  have:     %.*s", name, line,
                 (int)strcspn(expected + start, "\n"), expected + start,
                 (int)strcspn(actual + start, "\n"), actual + start);
}

static void check_program(const Programs *programs, int index)
{
    const char *name = programs->names[index];
    char program[NAME_MAX + 8], golden[PATH_MAX], out[64], err[64];
    snprintf(program, sizeof program, "%s.mpy", name);
    snprintf(golden, sizeof golden, "%s/%s.expected", programs->folder, name);
    snprintf(out, sizeof out, "/tmp/minivm-test-%d.out", (int)getpid());
    snprintf(err, sizeof err, "/tmp/minivm-test-%d.err", (int)getpid());
    int status = run_minivm(programs->folder, program, out, err);
    char *actual = result_text(out, err, status, programs->folder), *expected = read_file(golden);
    unlink(out);
    unlink(err);
    compare(name, expected, actual);
    free(actual);
    free(expected);
}

START_TEST(script)
{
    check_program(&scripts, _i);
}
END_TEST
START_TEST(fault)
{
    check_program(&faults, _i);
}
END_TEST

static void add_case(Suite *suite, Programs *programs, const TTest *test)
{
    find_programs(programs);
    TCase *tests = bare_case(suite, programs->folder);
    tcase_set_timeout(tests, SECONDS);
    tcase_add_loop_test(tests, test, 0, programs->count);
}

Suite *scripts_suite(void)
{
    Suite *suite = suite_create("scripts");
    if (!getcwd(root, sizeof root)) abort();
    add_case(suite, &scripts, script);
    add_case(suite, &faults, fault);
    return suite;
}
