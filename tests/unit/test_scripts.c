// Script tests: a program with its answer beside it, run by the minivm that was built.
//
//     tests/scripts/ROOM/NNN_name.mpy      and .expected: ROOM is where to look
//     tests/faults/NNN_name.mpy    tests/faults/NNN_name.expected
//     tests/cache/NNN_name.mpy     tests/cache/NNN_name.expected      the guarded code cache
//     tests/guards/NNN_name.mpy    tests/guards/NNN_name.expected     native guards
//     tests/verify/NNN_name.mpy    tests/verify/NNN_name.expected     code that is made by hand
//     tests/code/NNN_name.mpy      tests/code/NNN_name.expected      sources and their code objects
//     tests/decompile/NNN_name.mpy tests/decompile/NNN_name.expected code objects as text (depyf)
//     tests/torch/NNN_name.mpy     tests/torch/NNN_name.expected     tensors, autograd, nn, fx
//     tests/inductor/NNN_name.mpy  tests/inductor/NNN_name.expected  graphs as C
//     tests/trace/NNN_name.mpy     tests/trace/NNN_name.expected     --trace
//     tests/hostile/NNN_name.mpy   asserts by itself and prints "ok"
//     tests/adapter/NNN_name.mpy   tests/adapter/NNN_name.expected   an editor of minivm --dap
//     tests/debugger/NNN_name.mpy  tests/debugger/NNN_name.expected  under --debug; NNN_name.in is
//                                                                    what is typed
//
// The answer is what CPython 3.9 printed under PYTHONHASHSEED=0 (tests/golden.py writes it), in
// tests/cache, tests/guards and tests/trace what the document says that the program names, in
// tests/torch and tests/inductor what PyTorch 2.5.1 printed, in tests/decompile the source or what
// the document says that the program names, in tests/verify what the rules say that it breaks:
// standard output, then, where there is any, a line "[stderr]" and standard error, and a line
// "[exit status N]". The folder of the script is left out of both. Each program is one Check test,
// in a process of its own with its folder as working folder. A first line "#!minivm WORD" has it
// run with that option.
//
// The suite `hooked` runs all of tests/scripts again with other evaluators in place, and wants the
// same answers. (A callback written in script is traced like any other function, so what traces
// itself gives another one under it: NAME_settrace. NAME_once takes seconds in a few frames.) The
// suite `machine` runs them with the JIT at its lowest threshold.
//
// TEST=tests/scripts/ROOM/NNN_name.mpy runs this program alone.
//
// MINIVM_PLATFORM names the platform where it is not the one of the answers: the programs that
// tests/portable/differs.txt lists for it must print something else there.
#include "tests/unit/unit.h"

#include "objects/memory.h"

#include <fcntl.h>
#include <glob.h>
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
    const char *before[3];     // words between minivm and the program
    const char *plugin;        // of --eval-frame, in the folder plugins/ beside minivm
    const char *answer;        // of programs without a file .expected
    const char *without[2];    // programs with one of these in their names are left out
    bool has_input;            // NAME.in is standard input
    bool has_rooms;            // the programs stand in folders of the folder
    char *paths[MAX_PROGRAMS]; // sorted, without the ending
    int count;
} Programs;

static Programs scripts = {.folder = "tests/scripts", .has_rooms = true};
static Programs faults = {.folder = "tests/faults"};
static Programs cache = {.folder = "tests/cache"}, guards = {.folder = "tests/guards"};
static Programs sources = {.folder = "tests/code", .before = {"../code_dump.mpy"}};
static Programs decompile = {.folder = "tests/decompile"};
static Programs torch = {.folder = "tests/torch"}, inductor = {.folder = "tests/inductor"};
static Programs trace = {.folder = "tests/trace"};
static Programs verify = {.folder = "tests/verify"};
static Programs sessions = {.folder = "tests/debugger", .before = {"--debug"}, .has_input = true};
static Programs adapter = {.folder = "tests/adapter"};
static Programs hostile = {.folder = "tests/hostile", .answer = "ok\n"};
#define LAUNCHED(mode)                                                                             \
    {.folder = "tests/scripts",                                                                    \
     .before = {"../../hooked/launch.mpy", mode},                                                  \
     .without = {"_settrace", "_once"},                                                            \
     .has_rooms = true}
static Programs identity = LAUNCHED("identity"), missing = LAUNCHED("missing");
static Programs cached = LAUNCHED("cached");
static Programs chained = {
    .folder = "tests/scripts", .plugin = "chain", .without = {"_once"}, .has_rooms = true};
static Programs machine = {
    .folder = "tests/scripts", .before = {"--jit-after", "1"}, .has_rooms = true};
static char root[PATH_MAX]; // the working folder, where minivm and tests/ are

bool lacks_modules(const char *path)
{
    return CORE && (strstr(path, "/modules/") || strstr(path, "/lib/"));
}

// Is the program the one of TEST, where that is set?
static bool is_wanted(const Programs *programs, const char *path, int size)
{
    const char *test = getenv("TEST");
    for (int i = 0; i < 2; i++)
        if (programs->without[i] && strstr(path, programs->without[i])) return false;
    if (lacks_modules(path)) return false;
    return !test || (strncmp(test, path, (size_t)size) == 0 && strcmp(test + size, ".mpy") == 0);
}

static void find_programs(Programs *programs)
{
    char pattern[PATH_MAX];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/%s*%s", programs->folder, programs->has_rooms ? "*/" : "",
             programs->answer ? ".mpy" : ".expected");
    int answer = glob(pattern, 0, NULL, &found);
    for (size_t i = 0; answer == 0 && i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        size_t size = (size_t)(strrchr(path, '.') - path);
        if (!is_wanted(programs, path, (int)size)) continue;
        if (programs->count == MAX_PROGRAMS) abort(); // MAX_PROGRAMS is to be raised
        programs->paths[programs->count++] = strndup(path, size);
    }
    if (answer == 0) globfree(&found);
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

// What the address sanitizer says of programs that switch stacks, and of a copy of a process that
// ends on another stack than the system's: no switch of its options silences it.
static void leave_out_notices(char *errors)
{
    static const char *const notices[] = {
        "WARNING: ASan doesn't fully support makecontext",
        "WARNING: ASan is ignoring requested __asan_handle_no_return",
        "False positive error reports may follow",
        "For details see https://github.com/google/sanitizers/"};
    for (size_t i = 0; MEMORY_SANITIZED && i < sizeof notices / sizeof *notices; i++) {
        char *found;
        while ((found = strstr(errors, notices[i]))) {
            char *next = strchrnul(found, '\n');
            while (found > errors && found[-1] != '\n') found--; // ==PROCESS==
            next += *next == '\n';
            memmove(found, next, strlen(next) + 1);
        }
    }
}

// 0x7f0000064650 -> 0xPLACE
static void hide_addresses(char *text)
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

// The word after "#!minivm " in the program's first line: false = there is none.
static bool read_option(const char *program, char word[64])
{
    FILE *file = fopen(program, "r");
    bool found = file && fscanf(file, "#!minivm %63s", word) == 1;
    if (file) fclose(file);
    return found;
}

static int open_input(const Programs *programs, const char *path)
{
    char input[PATH_MAX];
    snprintf(input, sizeof input, "%s.in", path);
    return open(programs->has_input ? input : "/dev/null", O_RDONLY);
}

// Into the program's folder: the rest of the path is the name to run it by.
static const char *enter_folder(const char *program)
{
    const char *name = strrchr(program, '/') + 1;
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(name - program), program);
    if (chdir(folder)) _exit(126);
    return name;
}

static void exec_minivm(const Programs *programs, const char *stem, const char *out,
                        const char *err)
{
    const char *binary = getenv("MINIVM");
    char path[PATH_MAX + 16], program[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", root, binary ? binary : "minivm");
    if (binary && *binary == '/') snprintf(path, sizeof path, "%s", binary);
    int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int errors = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int input = open_input(programs, stem);
    if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0) _exit(126);
    snprintf(program, sizeof program, "%s.mpy", stem);
    char option[64], plugin[2 * PATH_MAX];
    const char *words[8] = {"minivm"};
    int count = 1;
    if (programs->plugin) {
        int folder = (int)(strrchr(path, '/') - path);
        snprintf(plugin, sizeof plugin, "%.*s/plugins/%s.so", folder, path, programs->plugin);
        words[count++] = "--eval-frame";
        words[count++] = plugin;
    }
    for (int i = 0; programs->before[i]; i++) words[count++] = programs->before[i];
    if (read_option(program, option)) words[count++] = option;
    words[count] = enter_folder(program);
    execv(path, (char *const *)(uintptr_t)words);
    _exit(127);
}

// The exit status, negative for a signal.
static int run_minivm(const Programs *programs, const char *stem, const char *out, const char *err)
{
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) exec_minivm(programs, stem, out, err);
    int status;
    ck_assert(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static char *result_text(const char *out, const char *err, int status, const char *stem)
{
    char *output = read_file(out), *errors = read_file(err), *text;
    char ending[64] = "";
    leave_out_notices(errors);
    if (status) snprintf(ending, sizeof ending, "[exit status %d]\n", status);
    ck_assert(asprintf(&text, "%s%s%s%s", output, *errors ? "[stderr]\n" : "", errors, ending) >=
              0);
    char prefix[2 * PATH_MAX];
    snprintf(prefix, sizeof prefix, "%s/%.*s", root, (int)(strrchr(stem, '/') + 1 - stem), stem);
    leave_out(text, prefix);
    hide_addresses(text);
    free(output);
    free(errors);
    return text;
}

// Whether a row of the list begins with this platform and this program.
static bool is_to_differ(const char *stem)
{
    const char *platform = getenv("MINIVM_PLATFORM");
    char path[PATH_MAX + 32], row[300], wanted[PATH_MAX];
    snprintf(path, sizeof path, "%s/tests/portable/differs.txt", root);
    int size = snprintf(wanted, sizeof wanted, "%s %s ", platform ? platform : "",
                        stem + strlen("tests/"));
    FILE *list = platform ? fopen(path, "r") : NULL;
    bool found = false;
    while (list && !found && fgets(row, sizeof row, list))
        found = strncmp(row, wanted, (size_t)size) == 0;
    if (list) fclose(list);
    return found;
}

// How much of a line is shown: Check ends a test whose message is too long for it.
enum { SHOWN = 1000 };
static int shown(const char *text)
{
    size_t size = strcspn(text, "\n");
    return size < SHOWN ? (int)size : SHOWN;
}

// Points at the first line that differs, and to the place in it.
static void compare(const char *name, const char *expected, const char *actual, bool differs)
{
    ck_assert_msg(!differs || strcmp(expected, actual), "%s is listed, but does not differ", name);
    if (differs || strcmp(expected, actual) == 0) return;
    int line = 1;
    size_t start = 0, i = 0;
    for (; expected[i] && expected[i] == actual[i]; i++) {
        if (expected[i] != '\n') continue;
        line++;
        start = i + 1;
    }
    if (i - start > SHOWN / 2) start = i - SHOWN / 2;
    ck_abort_msg("%s: line %d of the output\n  expected: %.*s\n  have:     %.*s", name, line,
                 shown(expected + start), expected + start, shown(actual + start), actual + start);
}

static void check_program(const Programs *programs, int index)
{
    const char *stem = programs->paths[index];
    char golden[PATH_MAX], out[64], err[64];
    snprintf(golden, sizeof golden, "%s.expected", stem);
    snprintf(out, sizeof out, "/tmp/minivm-test-%d.out", (int)getpid());
    snprintf(err, sizeof err, "/tmp/minivm-test-%d.err", (int)getpid());
    int status = run_minivm(programs, stem, out, err);
    char *actual = result_text(out, err, status, stem);
    char *expected = programs->answer ? strdup(programs->answer) : read_file(golden);
    unlink(out);
    unlink(err);
    compare(stem + strlen("tests/"), expected, actual, is_to_differ(stem));
    free(actual);
    free(expected);
}

#define PROGRAM_TEST(programs)                                                                     \
    START_TEST(programs##_program)                                                                 \
    {                                                                                              \
        check_program(&programs, _i);                                                              \
    }                                                                                              \
    END_TEST

PROGRAM_TEST(scripts)
PROGRAM_TEST(faults)
PROGRAM_TEST(cache)
PROGRAM_TEST(guards)
PROGRAM_TEST(sources)
PROGRAM_TEST(decompile)
PROGRAM_TEST(torch)
PROGRAM_TEST(inductor)
PROGRAM_TEST(verify)
PROGRAM_TEST(trace)
PROGRAM_TEST(hostile)
PROGRAM_TEST(sessions)
PROGRAM_TEST(adapter)
PROGRAM_TEST(identity)
PROGRAM_TEST(missing)
PROGRAM_TEST(cached)
PROGRAM_TEST(chained)
PROGRAM_TEST(machine)

static void add_case(Suite *suite, Programs *programs, const char *name, const TTest *test)
{
    find_programs(programs);
    TCase *tests = bare_case(suite, name);
    tcase_set_timeout(tests, SECONDS);
    tcase_add_loop_test(tests, test, 0, programs->count);
}
#define ADD_CASE(suite, programs) add_case(suite, &programs, #programs, programs##_program)

static Suite *programs_suite(const char *name)
{
    if (!getcwd(root, sizeof root)) abort();
    return suite_create(name);
}

Suite *scripts_suite(void)
{
    Suite *suite = programs_suite("scripts");
    ADD_CASE(suite, scripts);
    ADD_CASE(suite, faults);
    return suite;
}

Suite *torch_suite(void)
{
    Suite *suite = programs_suite("torch");
    ADD_CASE(suite, torch);
    return suite;
}

// What a C compiler has made must be loaded: not in a static program (tests/portable/run.sh).
Suite *inductor_suite(void)
{
    Suite *suite = programs_suite("inductor");
    ADD_CASE(suite, inductor);
    return suite;
}

Suite *sources_suite(void)
{
    Suite *suite = programs_suite("sources");
    ADD_CASE(suite, sources);
    return suite;
}

// Every function of the tree's own programs and library comes back as the same instructions, or as
// a text that says that it does not.
START_TEST(own_functions)
{
    const char *binary = getenv("MINIVM");
    char command[PATH_MAX + 200];
    snprintf(command, sizeof command,
             "find tests/scripts vm/lib -name '*.mpy' | %s tests/decompile/library.mpy >&2",
             binary ? binary : "./minivm");
    ck_assert_int_eq(system(command), 0);
}
END_TEST

Suite *decompile_suite(void)
{
    Suite *suite = programs_suite("decompile");
    ADD_CASE(suite, decompile);
    TCase *tests = bare_case(suite, "own_functions");
    tcase_set_timeout(tests, SECONDS);
    tcase_add_test(tests, own_functions);
    return suite;
}

// The seeds' own programs, where SEEDS names their folder and it is there.
START_TEST(seeds)
{
    const char *binary = getenv("MINIVM"), *folder = getenv("SEEDS");
    char command[2 * PATH_MAX + 200];
    if (!folder || access(folder, R_OK)) {
        printf("no folder of seeds: their programs are not run\n");
        return;
    }
    snprintf(command, sizeof command,
             "%s/check_seeds.sh %s 002_always_skip 002_always_hit 002_always_miss "
             "003_first_callback",
             folder, binary ? binary : "./minivm");
    ck_assert_int_eq(system(command), 0);
}
END_TEST

Suite *guarded_suite(void)
{
    Suite *suite = programs_suite("guarded");
    ADD_CASE(suite, cache);
    ADD_CASE(suite, guards);
    ADD_CASE(suite, verify);
    ADD_CASE(suite, trace);
    TCase *tests = bare_case(suite, "seeds");
    tcase_set_timeout(tests, SECONDS);
    tcase_add_test(tests, seeds);
    return suite;
}

Suite *hostile_suite(void)
{
    Suite *suite = programs_suite("hostile");
    ADD_CASE(suite, hostile);
    return suite;
}

Suite *debugger_suite(void)
{
    Suite *suite = programs_suite("debugger");
    ADD_CASE(suite, sessions);
    ADD_CASE(suite, adapter);
    return suite;
}

Suite *hooked_suite(void)
{
    Suite *suite = programs_suite("hooked");
    ADD_CASE(suite, identity);
    ADD_CASE(suite, missing);
    ADD_CASE(suite, cached);
    ADD_CASE(suite, chained);
    return suite;
}

// Every loop is compiled to machine code when it first jumps back.
Suite *machine_suite(void)
{
    Suite *suite = programs_suite("machine");
    ADD_CASE(suite, machine);
    return suite;
}
