// The JIT (vm/jit/jit.h) from outside: the answers of hot loops where each guard fails in turn, and
// on systems that give no executable memory; what it says of a loop that is not compiled. The suite
// `machine` (test_scripts.c) runs all scripts with every loop compiled at its first turn.
#include "tests/unit/unit.h"

#include "vm/jit/jit.h"

#if JIT

#include "vm/jit/code_memory.h"
#include "vm/jit/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAMS "tests/scripts/vm/*_hot_*.expected"
#define SECONDS 120

static char *text_of(const char *path)
{
    static char text[2][1 << 16];
    static int turn;
    char *into = text[turn ^= 1];
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    size_t size = fread(into, 1, sizeof text[0] - 1, file);
    into[size] = 0;
    fclose(file);
    return into;
}

// minivm with these words; what it prints goes to the files /tmp/minivm-jit-PID.out and .err.
static void name_files(char out[64], char err[64])
{
    snprintf(out, 64, "/tmp/minivm-jit-%d.out", (int)getpid());
    snprintf(err, 64, "/tmp/minivm-jit-%d.err", (int)getpid());
}

static void remove_files(void)
{
    char out[64], err[64];
    name_files(out, err);
    unlink(out);
    unlink(err);
}

static int run(const char *const *words, void (*before)(void))
{
    const char *binary = getenv("MINIVM");
    char out[64], err[64];
    name_files(out, err);
    pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) {
        int output = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int errors = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (dup2(output, 1) < 0 || dup2(errors, 2) < 0) _exit(126);
        unsetenv("MINIVM_CHECK_HEAP"); // its loop is observed: that one compiles nothing
        if (before) before();
        execv(binary ? binary : "./minivm", (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int status;
    ck_assert(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void assert_answer(const char *stem, const char *what)
{
    char out[64], err[64], golden[200];
    name_files(out, err);
    snprintf(golden, sizeof golden, "%s.expected", stem);
    ck_assert_msg(strcmp(text_of(golden), text_of(out)) == 0, "%s: another answer: %s", stem, what);
}

static bool said(const char *text)
{
    char out[64], err[64];
    name_files(out, err);
    return strstr(text_of(err), text) != NULL;
}

// How many programs there are, and the stem of the path of one.
static int find_programs(int number, char stem[200])
{
    glob_t found;
    if (glob(PROGRAMS, 0, NULL, &found)) return 0;
    int count = (int)found.gl_pathc;
    snprintf(stem, 200, "%s", found.gl_pathv[number]);
    *strrchr(stem, '.') = 0;
    globfree(&found);
    return count;
}

static void with_program(int number, void (*test)(const char *stem, const char *program))
{
    char stem[200], program[210];
    ck_assert(find_programs(number, stem) > number);
    snprintf(program, sizeof program, "%s.mpy", stem);
    test(stem, program);
    remove_files();
}

static void fail_each_guard(const char *stem, const char *program)
{
    char number[16];
    const char *const words[] = {"minivm",     "--jit-after", "1",     "--trace-jit",
                                 "--jit-fail", number,        program, NULL};
    int guard = 0;
    do {
        snprintf(number, sizeof number, "%d", ++guard);
        ck_assert_int_eq(run(words, NULL), 0);
        assert_answer(stem, number);
    } while (said("a guard always fails"));
    ck_assert_msg(guard > 20, "%s: only %d guards were compiled", stem, guard);
}

START_TEST(every_guard)
{
    with_program(_i, fail_each_guard);
}
END_TEST

// The reason why a loop is not compiled, where an instruction is no longer as it was decoded.
START_TEST(reason)
{
    static const char text[] = "class C:\n"
                               "    def __init__(self, n): self.n = n\n"
                               "def run():\n"
                               "    for i in range(300): C(i)\n"
                               "run()\n";
    const char *const words[] = {"minivm", "--trace-jit", "-c", text, NULL};
    ck_assert_int_eq(run(words, NULL), 0);
    ck_assert(said("run, line 4: the loop is not compiled: a call of what is no function"));
    remove_files();
}
END_TEST

static bool printed(const char *text)
{
    char out[64], err[64];
    name_files(out, err);
    return strstr(text_of(out), text) != NULL;
}

// --no-jit: nothing is compiled, and dis.machine() says why.
START_TEST(without)
{
    static const char text[] = "import dis\n"
                               "def run():\n"
                               "    for i in range(300): pass\n"
                               "run()\n"
                               "dis.machine(run)\n";
    const char *const words[] = {"minivm", "--no-jit", "--trace-jit", "-c", text, NULL};
    ck_assert_int_eq(run(words, NULL), 0);
    ck_assert(!said("jit: "));
    ck_assert(printed("run: no machine code: there is no JIT"));
    remove_files();
}
END_TEST

// The sum outgrows a register: --trace-jit names the guard that has failed, and why.
START_TEST(failed_guard)
{
    static const char text[] = "def run(n, step):\n"
                               "    total = 0\n"
                               "    for i in range(n): total += step\n"
                               "    return total\n"
                               "run(500, 1)\n"
                               "print(run(10000, 1 << 40))\n";
    const char *const words[] = {"minivm", "--jit", "--trace-jit", "-c", text, NULL};
    ck_assert_int_eq(run(words, NULL), 0);
    ck_assert(printed("10995116277760000\n"));
    ck_assert(said("run, line 3: 1 times left as a guard failed, add_i"));
    ck_assert(said(": the sum is too large for a register\n"));
    remove_files();
}
END_TEST

// dis.machine(): the types that the walk has found, the stencils, and what has no machine code.
START_TEST(machine_shown)
{
    static const char text[] = "import dis\n"
                               "def half(n):\n"
                               "    total = 0.0\n"
                               "    for i in range(n): total += i * 0.5\n"
                               "    return total\n"
                               "def tries(n):\n"
                               "    for i in range(n):\n"
                               "        try: pass\n"
                               "        finally: i\n"
                               "half(500), tries(500)\n"
                               "for function in half, tries, dis.dis: dis.machine(function)\n";
    const char *const words[] = {"minivm", "--jit", "-c", text, NULL};
    ck_assert_int_eq(run(words, NULL), 0);
    ck_assert(printed("half, line 4: a loop of 9 instructions, "));
    ck_assert(printed(" 12 FOR_ITER                16 (to 30)\n"));
    ck_assert(printed(" 16 LOAD_FAST                1 (total)     float, d0\n"));
    ck_assert(printed(" 20 LOAD_CONST               2 (0.5)       float, constant\n"));
    ck_assert(printed(" multiply_constant_d7 "));
    ck_assert(printed(" exit: no float any more, or a NaN\n"));
    ck_assert(printed("    at 12: once ended\n"));
    ck_assert(printed("tries, line 7: a loop: no machine code: SETUP_FINALLY, line 8\n"));
    ck_assert(printed("dis: no machine code: no loop of it has run often; without one, only a "
                      "plain function that returned often is compiled\n"));
    remove_files();
}
END_TEST

// Each stencil that may exit has a reason (vm/jit/reasons.def).
START_TEST(reasons)
{
    int guards = 0;
    for (size_t i = 0; i < stencil_count; i++) {
        const char *guard = emit_guard(stencils[i].name);
        ck_assert_msg(!guard || *jit_reason(guard), "%s: no reason", guard);
        guards += guard != NULL;
    }
    ck_assert(guards > 100 && !*jit_reason("move_i0_i1") && !*jit_reason(NULL));
}
END_TEST

// The instructions of aarch64 with their holes filled, as an assembler and a linker write them, on
// every machine. A call has no hole.
bool hole_fill_of_aarch64(uint8_t *bytes, const Hole *hole, uint64_t target, uint64_t place);
#define hole_fill hole_fill_of_aarch64
#include "vm/jit/machine_aarch64.c"
#undef hole_fill

START_TEST(instructions)
{
    static const struct {
        uint16_t type;
        int16_t addend;
        uint64_t target, place;
        uint32_t empty, filled;
    } holes[] = {
        {R_AARCH64_MOVW_UABS_G0_NC, 0, 0x12345678, 0, 0xD2800006, 0xD28ACF06}, // movz x6, 0x5678
        {R_AARCH64_MOVW_UABS_G1, 0, 0x12345678, 0, 0xF2A00006, 0xF2A24686},    // movk x6, 0x1234
        {R_AARCH64_ADR_PREL_PG_HI21, 0, 0x4A3010, 0x401FF8, 0x90000007, 0xD0000507}, // adrp x7
        {R_AARCH64_ADR_PREL_PG_HI21, 0, 0x10, 0x401FFC, 0x90000007, 0xF0FFDFE7},     // behind it
        {R_AARCH64_ADD_ABS_LO12_NC, 8, 0x4A3008, 1, 0x910000E7, 0x910040E7},    // add x7, x7, 16
        {R_AARCH64_LDST64_ABS_LO12_NC, 0, 0x4A3010, 1, 0xF94000E7, 0xF94008E7}, // ldr x7, [x7, 16]
        {R_AARCH64_LDST32_ABS_LO12_NC, 0, 0x4A3010, 1, 0xB94000E7, 0xB94010E7}, // ldr w7, [x7, 16]
        {R_AARCH64_LDST16_ABS_LO12_NC, 0, 0x4A3012, 1, 0x794000E7, 0x794024E7}, // ldrh w7, [x7, 18]
        {R_AARCH64_LDST8_ABS_LO12_NC, 0, 0x4A3011, 1, 0x394000E7, 0x394044E7},  // ldrb w7, [x7, 17]
        {R_AARCH64_JUMP26, 0, 0x401FF4, 0x401FF8, 0x14000000, 0x17FFFFFF},      // b, 4 bytes back
        {R_AARCH64_CONDBR19, 0, 0x4020F8, 0x401FF8, 0x54000006, 0x54000806},    // b.vs, 256 further
    };
    for (size_t i = 0; i < sizeof holes / sizeof *holes; i++) {
        Hole hole = {0, holes[i].type, holes[i].addend, HOLE_NEXT};
        uint32_t code = holes[i].empty;
        ck_assert(hole_fill_of_aarch64((uint8_t *)&code, &hole, holes[i].target, holes[i].place));
        ck_assert_msg(code == holes[i].filled, "type %d: %08x", holes[i].type, code);
    }
    Hole call = {0, R_AARCH64_CALL26, 0, HOLE_NEXT};
    ck_assert(!hole_fill_of_aarch64((uint8_t[4]){0}, &call, 0, 0));
}
END_TEST

// From now on mprotect() with PROT_EXEC is refused, as some systems do.
static void refuse_executable_memory(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) _exit(125);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) _exit(125);
}

static void refuse_memory(const char *stem, const char *program)
{
    const char *const words[] = {"minivm", "--jit-after", "1", "--trace-jit", program, NULL};
    int status = run(words, refuse_executable_memory);
    if (status == 125 || status == 127) return; // this system has no such filters
    ck_assert_int_eq(status, 0);
    assert_answer(stem, "no executable memory");
    ck_assert(said("the system refuses executable memory") && !said("compiled to"));
}

START_TEST(no_executable_memory)
{
    with_program(_i, refuse_memory);
}
END_TEST

// Blocks are taken in the first gap, are writable until they are sealed, and come back.
START_TEST(blocks)
{
#ifdef __aarch64__
    const uint32_t returns = 0xD65F03C0;
#else
    const uint32_t returns = 0xC3;
#endif
    CodeBlock first, second, third, again;
    ck_assert(code_memory_take(&first, 5000) && code_memory_take(&second, 1));
    ck_assert(code_memory_take(&third, 4096));
    ck_assert(second.bytes >= first.bytes + 5000 && third.bytes >= second.bytes + 1);
    memcpy(second.bytes, &returns, sizeof returns);
    ck_assert(code_memory_seal(&second));
    ((void (*)(void))(uintptr_t)second.bytes)();
    uint8_t *was = second.bytes;
    code_memory_give_back(&second);
    ck_assert(code_memory_take(&again, 100) && again.bytes == was);
    again.bytes[0] = 0;
    ck_assert(!code_memory_take(&second, (size_t)1 << 40));
    code_memory_give_back(&first);
    code_memory_give_back(&third);
    code_memory_give_back(&again);
}
END_TEST

Suite *jit_suite(void)
{
    Suite *suite = suite_create("jit");
    TCase *tests = bare_case(suite, "jit");
    tcase_set_timeout(tests, SECONDS);
    char stem[200];
    int count = find_programs(0, stem), programs = count ? count : 1; // a test fails without them
    tcase_add_loop_test(tests, every_guard, 0, programs);
    tcase_add_loop_test(tests, no_executable_memory, 0, programs);
    tcase_add_test(tests, reason);
    tcase_add_test(tests, without);
    tcase_add_test(tests, failed_guard);
    tcase_add_test(tests, machine_shown);
    tcase_add_test(tests, reasons);
    tcase_add_test(tests, instructions);
    tcase_add_test(tests, blocks);
    return suite;
}

#else

Suite *jit_suite(void)
{
    return suite_create("jit");
}

#endif
