// The processes of the debugger, as a user and a hostile user meet them: Ctrl-C, killed processes,
// a terminal. Whatever happens, none of them is left, not even as a zombie: their orphans come to
// the test, which looks for children.
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define SECONDS 60
#define ANSWER_MS 20000

static const char counting[] = "n = 0\nwhile True:\n    n += 1\n";

typedef struct Dialogue {
    pid_t root;
    int in, out;
    char seen[1 << 16]; // what came since the last await()
    size_t size;
} Dialogue;

static Dialogue dialogue;

// ---- the dialogue

static _Noreturn void exec_minivm(const char *option, const char *program)
{
    const char *given = getenv("MINIVM");
    const char *path = given ? given : "./minivm";
    setpgid(0, 0);
    unsetenv("PYTHONUNBUFFERED"); // the answers are those of buffered streams
    setenv("NO_COLOR", "1", 1);
    execl(path, "minivm", option, "-c", program, NULL);
    _exit(127);
}

// What the next minivm may have; 0 = no limit. Root may have any number of processes.
static rlim_t most_memory, most_processes;

static void limit(void)
{
    struct rlimit memory = {most_memory, most_memory}, processes = {most_processes, most_processes};
    if (most_memory) setrlimit(RLIMIT_AS, &memory);
    if (!most_processes) return;
    setrlimit(RLIMIT_NPROC, &processes);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); // that takes a process more, and waits for ever
    if (setgid(50000) || setuid(50000 + (uid_t)(getpid() % 10000))) return;
}

static void start(const char *option, const char *program, int in, int out)
{
    dialogue.size = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    dialogue.root = fork();
    ck_assert(dialogue.root >= 0);
    if (dialogue.root > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves no processes
    dup2(in, 0);
    dup2(out, 1);
    dup2(out, 2);
    limit();
    exec_minivm(option, program);
}

static void start_plain(const char *option, const char *program)
{
    int in[2], out[2];
    ck_assert(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    start(option, program, in[0], out[1]);
    close(in[0]);
    close(out[1]);
    dialogue.in = in[1];
    dialogue.out = out[0];
}

static void start_with_pipes(const char *program)
{
    start_plain("--debug", program);
}

// A process that may start no others can have ended before it reads.
static void say(const char *text)
{
    if (most_processes) signal(SIGPIPE, SIG_IGN);
    ssize_t count = write(dialogue.in, text, strlen(text));
    ck_assert(count == (ssize_t)strlen(text) || (most_processes && errno == EPIPE));
    if (most_processes) signal(SIGPIPE, SIG_DFL);
}

static bool read_more(void)
{
    struct pollfd ready = {.fd = dialogue.out, .events = POLLIN};
    size_t room = sizeof dialogue.seen - dialogue.size - 1;
    if (poll(&ready, 1, ANSWER_MS) <= 0) return false;
    ssize_t count = read(dialogue.out, dialogue.seen + dialogue.size, room);
    if (count <= 0) return false;
    dialogue.size += (size_t)count;
    return true;
}

// Reads up to a text, and forgets it.
static void await(const char *text)
{
    char *found;
    do {
        dialogue.seen[dialogue.size] = 0;
        found = strstr(dialogue.seen, text);
    } while (!found && read_more());
    ck_assert_msg(found != NULL, "waited for %s, there was: %s", text, dialogue.seen);
    char *rest = found + strlen(text);
    dialogue.size -= (size_t)(rest - dialogue.seen);
    memmove(dialogue.seen, rest, dialogue.size);
}

static void interrupt_after(int milliseconds)
{
    usleep((useconds_t)milliseconds * 1000);
    ck_assert(kill(-dialogue.root, SIGINT) == 0);
}

// The exit status of the root, negative for a signal.
static int ended(void)
{
    int status;
    ck_assert(waitpid(dialogue.root, &status, 0) == dialogue.root);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// All that descends from this process has ended, within so long.
static void check_none_left(int milliseconds)
{
    pid_t child;
    for (int i = 0; i <= milliseconds; i++) {
        while ((child = waitpid(-1, NULL, WNOHANG)) > 0) continue;
        if (child < 0) return;
        usleep(1000);
    }
    ck_abort_msg("a process is left");
}

static pid_t child_of(pid_t parent)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
    FILE *file = fopen(path, "r");
    ck_assert(file && fscanf(file, "%d", &child) == 1);
    fclose(file);
    return child;
}

// ---- Ctrl-C

START_TEST(interrupted_program)
{
    start_with_pipes(counting);
    say("c\n");
    await("(Pdb) ");
    interrupt_after(200);
    await("Program interrupted.");
    say("rs\nrs\np n > 1000\nc\n"); // the main line is another process now
    await("True\n(Pdb) ");
    interrupt_after(200);
    await("Program interrupted.");
    say("goto 1000000000000\n");
    await("(Pdb) ");
    interrupt_after(200);
    await("Program interrupted.");
    say("q\n");
    ck_assert_int_eq(ended(), 0);
    check_none_left(0);
}
END_TEST

START_TEST(interrupted_prompt)
{
    start_with_pipes("x = 1\nx = 2\n");
    await("(Pdb) ");
    interrupt_after(100);
    await("--KeyboardInterrupt--\n(Pdb) ");
    say("p [n for n in iter(int, 1)]\n");
    interrupt_after(300);
    await("*** KeyboardInterrupt\n(Pdb) ");
    say("!while True: x = 7\n"); // and the main line does not wait for it
    interrupt_after(300);
    await("*** KeyboardInterrupt\n(Pdb) ");
    say("n\np x\nq\n");
    await("<string>(2)<module>()\n-> x = 2\n(Pdb) 1\n");
    ck_assert_int_eq(ended(), 0);
    check_none_left(0);
}
END_TEST

START_TEST(interrupted_search)
{
    start_with_pipes("x = 1\nn = 0\nwhile True:\n    n += 1\n");
    say("c\n");
    await("(Pdb) ");
    interrupt_after(2000);
    await("Program interrupted.");
    await("(Pdb) ");
    say("who x\n");
    interrupt_after(200);
    await("The search for that moment has not come to its end.");
    say("p n > 1000\nq\n");
    await("True\n");
    ck_assert_int_eq(ended(), 0);
    check_none_left(0);
}
END_TEST

// What takes exponential time, or never ends, in C.
START_TEST(interrupted_c)
{
    static const char *const endless[] = {
        "repr(a)", "a == b",        "a < b",
        "hash(a)", "f'{a}'",        "repr(ValueError(a))",
        "[*r]",    "math.prod(r)",  "math.fsum(r)",
        "sum(r)",  "2 in r",        "str({1: a})",
        "max(r)",  "json.dumps(a)", "re.sub('a*b', '', 'a' * 9**7)"};
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        char program[400];
        snprintf(program, sizeof program,
                 "import itertools, json, math, re\na, b = (1,), (1,)\n"
                 "for i in range(40): a, b = (a, a), (b, b)\n"
                 "r = itertools.repeat(1)\nprint('go', flush=True)\n%s\n",
                 endless[i]);
        start_plain("-q", program);
        await("go\n");
        interrupt_after(20);
        await("KeyboardInterrupt\n");
        ck_assert_int_eq(ended(), -SIGINT);
        check_none_left(0);
    }
}
END_TEST

// ---- killed processes

static void stop_somewhere(void)
{
    start_with_pipes("x = 1\nx = 2\nx = 3\n");
    say("n\nn\nrs\np x + 40\n");
    await("41\n(Pdb) ");
}

START_TEST(killed_root)
{
    stop_somewhere();
    kill(dialogue.root, SIGKILL);
    ck_assert_int_eq(ended(), -SIGKILL);
    check_none_left(5000);
}
END_TEST

START_TEST(killed_while_running)
{
    start_with_pipes(counting);
    say("c\n");
    await("(Pdb) ");
    usleep(100000);
    kill(child_of(dialogue.root), SIGKILL);
    await("minivm: the debugged program's process is gone\n");
    ck_assert_int_eq(ended(), 70);
    check_none_left(0);
}
END_TEST

START_TEST(killed_at_the_prompt)
{
    start_with_pipes(counting);
    await("(Pdb) ");
    pid_t main_line = child_of(dialogue.root);
    kill(main_line, SIGKILL); // and with it its child, which reads
    await("minivm: the debugged program's process is gone\n");
    ck_assert_int_eq(ended(), 70);
    check_none_left(0);
}
END_TEST

// The recording that a killed snapshot kept is gone, and that is said.
START_TEST(killed_snapshot)
{
    start_with_pipes("x = 1\nx = 2\nx = 3\n");
    say("n\nn\np x + 40\n");
    await("42\n(Pdb) ");
    kill(child_of(child_of(dialogue.root)), SIGKILL); // the first child: the prompt comes later
    say("rs\nq\n");
    await("The search for that moment has not come to its end.\n");
    ck_assert_int_eq(ended(), 0);
    check_none_left(0);
}
END_TEST

// ---- programs without a file

START_TEST(source_of_a_command)
{
    start_with_pipes("def f(x):\n    exec('a = 1\\nb = 2')\n    return x\nf(3)\n");
    say("b f\nc\nll\nb 2\ns\ns\ns\nll\nw\nq\n");
    await("-> def f(x):\n");
    await("> <string>(2)f()\n-> exec('a = 1\\nb = 2')\n");
    await(
        "(Pdb)   1 B\tdef f(x):\n  2  ->\t    exec('a = 1\\nb = 2')\n  3  \t    return x\n(Pdb) ");
    await("> <string>(2)<module>()\n(Pdb) *** could not get source code\n"); // what exec() runs
    await("  <string>(4)<module>()\n-> f(3)\n");
    ck_assert_int_eq(ended(), 0);
}
END_TEST

// tests/debugger/203_deep_recursion.mpy, limit 100,000: in g(n) are n + 2 frames under way.
START_TEST(recursion_walked_backwards)
{
    char program[500];
    snprintf(program, sizeof program,
             "\nimport sys\nsys.setrecursionlimit(%d)\ndef f(n):\n    if n == 0:\n"
             "        return 0\n    return f(n - 1) + 1\nprint(f(%d))\ndef g(n):\n"
             "    return g(n + 1)\ntry:\n    g(0)\nexcept RecursionError as e:\n    print(1)\n",
             100000, 50000);
    start_with_pipes(program);
    say("b 6\nc\np n\nrs\nrs\nrs\nrr\np n\nc\ncl 1\nb 14\nc\nrs\nrsi\np n\nrr\np n\nq\n");
    await("> <string>(6)f()\n-> return 0\n(Pdb) 0\n");
    await("--Call--\n> <string>(4)f()\n");
    await("(Pdb) 2\n");
    await("(Pdb) 50000\n> <string>(14)<module>()\n");
    await("> <string>(10)g()\n");
    await("8 CALL_FUNCTION            1\n(Pdb) 99998\n");
    await("> <string>(10)g()\n-> return g(n + 1)\n(Pdb) 99997\n");
    ck_assert_int_eq(ended(), 0);
}
END_TEST

START_TEST(program_from_input)
{
    static const char expected[] =
        "minivm: the program comes from standard input, and there is no terminal to read commands "
        "from: it runs without --debug\n3\n";
    char text[1000] = "";
    FILE *output = popen("echo 'print(3)' | setsid -w ${MINIVM:-./minivm} --debug - 2>&1", "r");
    ck_assert(output && fread(text, 1, sizeof text - 1, output) > 0);
    pclose(output);
    ck_assert_str_eq(text, expected);
}
END_TEST

// ---- breakpoint() without --debug: the program's output stays in order, and its end is its end

static void expect_dialogue(const char *program, const char *input, const char *output, int status)
{
    start_plain("-q", program);
    say(input);
    close(dialogue.in);
    while (read_more()) continue;
    dialogue.seen[dialogue.size] = 0;
    ck_assert_str_eq(dialogue.seen, output);
    ck_assert_int_eq(ended(), status);
    check_none_left(0);
}

static void expect_end(const char *input, const char *output, int status)
{
    expect_dialogue("print('a', end=' ')\nfor i in 1, 2:\n    breakpoint()\nprint('b')\n1 / 0\n",
                    input, output, status);
}

START_TEST(breakpoint_goes_on)
{
    expect_end("c\np i\nrs\nn\nc\n",
               "a > <string>(2)<module>()\n(Pdb) > <string>(2)<module>()\n(Pdb) 2\n"
               "(Pdb) > <string>(3)<module>()\n(Pdb) > <string>(2)<module>()\n(Pdb) b\n"
               "Traceback (most recent call last):\n  File \"<string>\", line 5, in <module>\n"
               "ZeroDivisionError: division by zero\n",
               1);
}
END_TEST

START_TEST(breakpoint_quits)
{
#define QUIT                                                                                       \
    "Traceback (most recent call last):\n  File \"<string>\", line 2, in <module>\nbdb.BdbQuit\n"
    expect_end("q\n", "a > <string>(2)<module>()\n(Pdb) " QUIT, 1);
    expect_end("", "a > <string>(2)<module>()\n(Pdb) \n" QUIT, 1);
}
END_TEST

// The program has ended, and goes back to the raise once.
START_TEST(breakpoint_catches_uncaught)
{
    expect_end("catch uncaught\nc\nc\nrc\np i\nc\nc\n",
               "a > <string>(2)<module>()\n(Pdb) Breakpoint 1 at event uncaught\n"
               "(Pdb) > <string>(2)<module>()\n(Pdb) b\n"
               "Traceback (most recent call last):\n  File \"<string>\", line 5, in <module>\n"
               "ZeroDivisionError: division by zero\nZeroDivisionError: division by zero\n"
               "> <string>(5)<module>()\n(Pdb) > <string>(2)<module>()\n(Pdb) 2\n(Pdb) "
               "ZeroDivisionError: division by zero\n> <string>(5)<module>()\n(Pdb) ",
               1);
}
END_TEST

// After `q` nothing of the debugger is left in the program, and a breakpoint() begins anew.
START_TEST(breakpoint_after_quit)
{
    expect_dialogue("for i in 1, 2:\n    try:\n        x = i\n        breakpoint()\n        y = i\n"
                    "    except Exception as e:\n        print(type(e))\n",
                    "s\nrs\np x\nq\ns\nrs\nwho x\nrs\ninfo ticks\nc\n",
                    "> <string>(5)<module>()\n(Pdb) > <string>(1)<module>()\n"
                    "(Pdb) > <string>(5)<module>()\n(Pdb) 1\n(Pdb) <class 'bdb.BdbQuit'>\n"
                    "> <string>(5)<module>()\n(Pdb) > <string>(1)<module>()\n"
                    "(Pdb) > <string>(5)<module>()\n(Pdb) It has not changed since the recording "
                    "began. (--debug records a program from its first line on.)\n"
                    "> <string>(5)<module>()\n(Pdb) The recording begins here. (--debug records a "
                    "program from its first line on.)\n> <string>(5)<module>()\n(Pdb) tick 1; the "
                    "run is known up to tick 5, and from tick 0 on, where the recording begins\n"
                    "(Pdb) ",
                    0);
}
END_TEST

// What is said of the past is said of what was recorded, which is not the whole run.
START_TEST(breakpoint_begins_to_record)
{
#define ONLY " (--debug records a program from its first line on.)\n"
    expect_dialogue("x = 1\nx = 2\ndef f(y):\n    y += x\n    breakpoint()\n    return y\nf(3)\n",
                    "who x\nwho y\nrc\nrr\nrn\nrsi\nrsi\ninfo ticks\nrun\nq\n",
                    "> <string>(6)f()\n"
                    "(Pdb) It has not changed since the recording began." ONLY "> <string>(6)f()\n"
                    "(Pdb) It has not changed since the recording began." ONLY "> <string>(6)f()\n"
                    "(Pdb) The recording begins here." ONLY "> <string>(6)f()\n"
                    "(Pdb) The recording begins here." ONLY "> <string>(6)f()\n"
                    "(Pdb) The recording begins here." ONLY "> <string>(6)f()\n"
                    "(Pdb) The recording begins here." ONLY "> <string>(6)f()\n"
                    "  6 -->      14 LOAD_FAST                0 (y)\n"
                    "(Pdb) The recording begins here." ONLY "> <string>(6)f()\n"
                    "  6 -->      14 LOAD_FAST                0 (y)\n"
                    "(Pdb) tick 1; the run is known up to tick 1, and from tick 0 on, where the "
                    "recording begins\n"
                    "(Pdb) Back to where the recording begins (--debug records a program from its "
                    "first line on)\n> <string>(6)f()\n(Pdb) "
                    "Traceback (most recent call last):\n  File \"<string>\", line 7, in <module>\n"
                    "  File \"<string>\", line 6, in f\nbdb.BdbQuit\n",
                    1);
}
END_TEST

START_TEST(post_mortem_of_an_unrecorded_frame)
{
#define UNKNOWN "(Pdb) *** This frame has ended, and its past is not known" ONLY_THERE
#define ONLY_THERE " (--debug records a program from its first line on)\n"
    expect_dialogue("import pdb\ndef f(y):\n    y += 1\n    1 / 0\ntry:\n    f(3)\n"
                    "except ZeroDivisionError:\n    pdb.post_mortem()\nprint('on')\n",
                    "p y\nwho y\nrn\nc\n",
                    "> <string>(4)f()\n(Pdb) 4\n" UNKNOWN UNKNOWN "(Pdb) on\n", 0);
}
END_TEST

START_TEST(breakpoint_is_off)
{
    setenv("PYTHONBREAKPOINT", "0", 1);
    expect_end("",
               "Traceback (most recent call last):\n  File \"<string>\", line 5, in <module>\n"
               "ZeroDivisionError: division by zero\na b\n",
               1);
}
END_TEST

// ---- where memory or processes are short: fewer snapshots, and nothing is said that is not known

static void run_counting(const char *input)
{
    start_with_pipes("n = 0\nwhile n < 60000:\n    n += 1\n");
    say(input);
    close(dialogue.in);
    while (read_more()) continue;
    dialogue.seen[dialogue.size] = 0;
}

static bool says(const char *text)
{
    return strstr(dialogue.seen, text) != NULL;
}

START_TEST(little_memory)
{
    const char *sanitizers = getenv("ASAN_OPTIONS");
    most_memory = (rlim_t)400 << 20;
    run_counting("c\nwho n\np n\nrc\nq\n");
    if (sanitizers || says("memory to start") || says("ReserveShadowMemoryRange")) return;
    ck_assert_msg(says("n: 59999 -> 60000") && says("\n(Pdb) 59999\n"), "%s", dialogue.seen);
    ck_assert_msg(says("The run begins here."), "%s", dialogue.seen);
    ck_assert_int_eq(ended(), 0);
    check_none_left(0);
}
END_TEST

START_TEST(few_processes)
{
    for (most_processes = 1; most_processes < 12; most_processes++) {
        run_counting("c\nwho n\nundo\nrc\nq\n");
        int status = ended();
        if (status == 127) return; // another user cannot run it
        check_none_left(1000);
        ck_assert_msg(!says("has not changed"), "%d: %s", (int)most_processes, dialogue.seen);
        bool begins = says("(Pdb) The program finished.");
        ck_assert_int_eq(status, begins ? 0 : 1);
        bool knows = says("n: 59999 -> 60000");
        ck_assert_msg(knows || says("There is no way") || says("The search for that") || !begins,
                      "%d: %s", (int)most_processes, dialogue.seen);
        ck_assert_msg(knows || most_processes < 9 || geteuid(), "%s", dialogue.seen);
        ck_assert_msg(begins || says("minivm: cannot debug: ") || says("minivm: no prompt: "), "%s",
                      dialogue.seen);
    }
}
END_TEST

// ---- a terminal

START_TEST(terminal)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ck_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct termios before, after;
    ck_assert(slave >= 0 && tcgetattr(slave, &before) == 0);
    setenv("HOME", "/nonexistent", 1);
    start("--debug", "x = 1\nx = 2\nx = 3\n", slave, slave);
    dialogue.in = dialogue.out = master;
    await("(Pdb) ");
    say("n\r");
    await("(2)<module>()");
    say("\003"); // Ctrl-C, in raw mode
    await("^C");
    say("rs\r");
    await("(1)<module>()");
    say("q\r");
    ck_assert_int_eq(ended(), 0);
    check_none_left(0);
    ck_assert(tcgetattr(slave, &after) == 0);
    ck_assert_int_eq(before.c_lflag, after.c_lflag);
    ck_assert_int_eq(before.c_iflag, after.c_iflag);
}
END_TEST

Suite *sessions_suite(void)
{
    Suite *suite = suite_create("sessions");
    TCase *tests = bare_case(suite, "sessions");
    tcase_set_timeout(tests, SECONDS);
    tcase_add_test(tests, interrupted_program);
    tcase_add_test(tests, interrupted_prompt);
    tcase_add_test(tests, interrupted_search);
    tcase_add_test(tests, interrupted_c);
    tcase_add_test(tests, killed_root);
    tcase_add_test(tests, killed_while_running);
    tcase_add_test(tests, killed_at_the_prompt);
    tcase_add_test(tests, killed_snapshot);
    tcase_add_test(tests, source_of_a_command);
    tcase_add_test(tests, recursion_walked_backwards);
    tcase_add_test(tests, program_from_input);
    tcase_add_test(tests, breakpoint_goes_on);
    tcase_add_test(tests, breakpoint_catches_uncaught);
    tcase_add_test(tests, breakpoint_quits);
    tcase_add_test(tests, breakpoint_after_quit);
    tcase_add_test(tests, breakpoint_begins_to_record);
    tcase_add_test(tests, post_mortem_of_an_unrecorded_frame);
    tcase_add_test(tests, breakpoint_is_off);
    tcase_add_test(tests, little_memory);
    tcase_add_test(tests, few_processes);
    tcase_add_test(tests, terminal);
    return suite;
}
