// The program that checks a student's C: it reads inputs, hands each to the lesson's probe and
// writes down what came back. It does not know what would be right; that is known to the process
// that started it (checker.mpy).
//
//     standard input   "5\nif a:3\nb+c"                        each input after its size
//     descriptor 3     "answer 9\n...answer 4\n...calls 7\n"   likewise, and how often the
//                                                             student's functions were entered
//
// Where a sanitizer ends the process, the last is not an answer but "until 5\n...": what there is
// of one. With an argument, `program alone`, the standard input is one input as it is.
//
// The student's file is compiled with -finstrument-functions, which calls
// __cyg_profile_func_enter() wherever one of its functions begins.
//
// The program is started by confine.c, whose walls stand when it begins: whatever the student's
// file has brought into it is behind them. Once it has started it needs still less: then a second
// filter takes all system calls away that have to do with files, processes and sockets, also where
// a debugger has started it alone. They fail with EPERM. There is one for Linux on x86-64 only.
#include "lessons/harness.h"

#include <errno.h>
#include <sanitizer/common_interface_defs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REPORT 3
#define DESCRIPTORS 1024 // those that are closed: who started this may have left some open
#define INPUT_SIZE (1 << 20)
#define ANSWER_SIZE (1 << 20)

#define UNTRACED __attribute__((no_instrument_function))

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
void __ubsan_on_report(void);

void (*answer_rest)(void);

static char input[INPUT_SIZE + 1], text[ANSWER_SIZE];
static size_t text_size;
static bool is_probing;
static long calls;

void count_call(void)
{
    calls += is_probing;
}

UNTRACED void __cyg_profile_func_enter(void *function, void *caller)
{
    (void)function, (void)caller;
    count_call();
}

UNTRACED void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function, (void)caller;
}

// A report of the sanitizer names addresses: finding the lines would open files. Who started this
// finds them.
const char *__asan_default_options(void)
{
    return "detect_leaks=0:symbolize=0:allocator_may_return_null=1";
}

const char *__ubsan_default_options(void)
{
    return "print_stacktrace=1:symbolize=0";
}

// ---- no files, processes, sockets

#if defined __linux__ && defined __x86_64__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// The student's file may have a function close() or prctl(): the linker would take it for libc's.
static long call_system(long number, long first, long second, const void *third)
{
    long result;
    register long fourth __asm__("r10") = 0, fifth __asm__("r8") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

extern void __asan_init(void);

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW_CALL(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), ALLOW

// Runs before all constructors: it is the first entry of the program's .preinit_array. The
// sanitizer reads files when it starts, so it starts first.
static void close_doors(void)
{
    __asan_init();
    for (int descriptor = REPORT + 1; descriptor < DESCRIPTORS; descriptor++)
        call_system(SYS_close, descriptor, 0, NULL);
    long process = call_system(SYS_getpid, 0, 0, NULL);
    struct sock_filter rules[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        REFUSE,
        LOAD(nr),
#define SYSTEM_CALL(name) ALLOW_CALL(name),
#include "lessons/system_calls.def"
#undef SYSTEM_CALL
        // a signal to itself, to nobody else
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)process, 0, 1),
        ALLOW,
        REFUSE,
    };
    struct sock_fprog filter = {sizeof rules / sizeof *rules, rules};
    if (call_system(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, NULL) ||
        call_system(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
        call_system(SYS_exit_group, EXIT_FAILURE, 0, NULL);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = close_doors;
#endif

// ---- inputs and answers

void answer(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text + text_size, sizeof text - text_size, format, arguments);
    va_end(arguments);
    text_size += size < 0 ? 0 : (size_t)size;
    if (text_size >= sizeof text) text_size = sizeof text - 1;
}

static void write_report(const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t count = write(REPORT, bytes, size);
        if (count <= 0) _exit(EXIT_FAILURE);
        bytes += count;
        size -= (size_t)count;
    }
}

static void write_answer(const char *title)
{
    char head[40];
    write_report(head, (size_t)snprintf(head, sizeof head, "%s %zu\n", title, text_size));
    write_report(text, text_size);
    text_size = 0;
}

// A sanitizer calls it before the process ends. Where the memory is in such a state that this
// fails, too, the sanitizer ends the process all the same.
static void write_until(void)
{
    if (!is_probing) return;
    is_probing = false;
    if (answer_rest) answer_rest();
    write_answer("until");
}

// gcc's other sanitizer does not know what the first one calls.
void __ubsan_on_report(void)
{
    write_until();
}

static void write_calls(void)
{
    char line[40];
    write_report(line, (size_t)snprintf(line, sizeof line, "calls %ld\n", calls));
}

// The probe gets a copy of its own: the sanitizer notices what is read after its end.
static void probe_one(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) _exit(EXIT_FAILURE);
    memcpy(copy, bytes, size);
    copy[size] = 0;
    is_probing = true;
    probe(copy, size);
    is_probing = false;
    free(copy);
    write_answer("answer");
}

static size_t read_input(void)
{
    size_t size = 0;
    ssize_t count;
    while ((count = read(STDIN_FILENO, input + size, INPUT_SIZE - size)) > 0) size += (size_t)count;
    return size;
}

static bool probe_all(char *at, const char *end)
{
    while (at < end) {
        size_t size = strtoul(at, &at, 10);
        if (*at++ != '\n' || size > (size_t)(end - at)) return false;
        probe_one(at, size);
        at += size;
    }
    return true;
}

int main(int argc, char **argv)
{
    (void)argv;
    size_t size = read_input();
    __sanitizer_set_death_callback(write_until);
    probe_begin();
    if (argc > 1)
        probe_one(input, size);
    else if (!probe_all(input, input + size))
        return EXIT_FAILURE;
    write_calls();
    return EXIT_SUCCESS;
}
