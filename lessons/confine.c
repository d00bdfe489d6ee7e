// Starts a program that may do whatever a stranger wrote, behind walls that the program finds when
// its first instruction runs, which is before the dynamic linker reads its file.
//
//     confine program PROGRAM [ARGUMENT...]           a student's C
//     confine compiler FOLDER COMMAND [ARGUMENT...]   what reads a student's text or object files
//
//                   a student's C                     a compiler, with what it starts
//     system calls  those that starting takes, and    not those for sockets, and for other
//                   those of harness.c                processes
//     files         what the dynamic linker reads     it reads the system's and the working folder,
//                                                     writes into FOLDER only
//     limits        processor, size of files          these, and memory (a sanitizer reserves more
//                                                     than there is)
//     environment   none                              as it was, with TMPDIR=FOLDER
//
// Files are kept by Landlock, the network by a namespace besides. Both are second walls: where the
// system has none, the first ones stand alone. Without the filter of system calls, which is for
// Linux on x86-64, the program does not start: exit status 125.
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#endif

#define STATUS_NOT_STARTED 125
#define LAST_FILE 3     // what the program writes as its report
#define MOST_FILES 1024 // whoever starts this may have left some open
#define MEGABYTE ((rlim_t)1 << 20)

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "confine: %s: %s\n", what, strerror(errno));
    exit(STATUS_NOT_STARTED);
}

// ---- limits

static void limit(int resource, rlim_t most)
{
    struct rlimit allowed;
    if (getrlimit(resource, &allowed) != 0) fail("a limit");
    if (allowed.rlim_max > most) allowed.rlim_max = most;
    allowed.rlim_cur = allowed.rlim_max;
    if (setrlimit(resource, &allowed) != 0) fail("a limit");
}

static void set_limits(bool is_compiler)
{
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, is_compiler ? 300 : 60);
    limit(RLIMIT_FSIZE, 256 * MEGABYTE);
    if (is_compiler) limit(RLIMIT_AS, 4096 * MEGABYTE);
}

// ---- namespaces: no network

// Root needs no namespace of users, in which it would have no right to the files of others.
static void leave_network(void)
{
    int network = CLONE_NEWNET | CLONE_NEWIPC;
    if (unshare(geteuid() == 0 ? network : CLONE_NEWUSER | network) != 0) return;
}

// ---- Landlock: no files

#if defined LANDLOCK_CREATE_RULESET_VERSION && defined SYS_landlock_create_ruleset

#define READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define RUN (READ | LANDLOCK_ACCESS_FS_EXECUTE)
#define OF_FILES                                                                                   \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)
#define ALL ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1) // of Landlock's first version

// Not every system has all of them.
typedef struct Visible {
    const char *path;
    uint64_t access;
} Visible;
static const Visible for_linker[] = {{"/lib", READ},
                                     {"/lib32", READ},
                                     {"/lib64", READ},
                                     {"/usr/lib", READ},
                                     {"/usr/lib32", READ},
                                     {"/usr/lib64", READ},
                                     {"/usr/local/lib", READ},
                                     {"/etc/ld.so.cache", READ},
                                     {"/proc/self", READ}, // a sanitizer reads its map
                                     {"/lib64/ld-linux-x86-64.so.2", RUN},
                                     {"/lib/ld-musl-x86_64.so.1", RUN},
                                     {"/nix/store", RUN},
                                     {"/gnu/store", RUN},
                                     {NULL, 0}};
static const Visible for_compiler_too[] = {
    {"/bin", RUN},      {"/lib", RUN}, {"/lib64", RUN},
    {"/usr", RUN},      {"/opt", RUN}, {"/etc/alternatives", READ},
    {"/dev/null", ALL}, {".", READ},   {NULL, 0}};

static void show(int rules, Visible visible)
{
    struct landlock_path_beneath_attr rule = {visible.access,
                                              open(visible.path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0) return;
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
        rule.allowed_access &= OF_FILES; // it is no folder
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(rule.parent_fd);
}

// `own`: what the program may see besides, and in which way.
static void hide_files(bool is_compiler, const char *own)
{
    struct landlock_ruleset_attr handled = {.handled_access_fs = ALL};
    size_t size = sizeof handled.handled_access_fs;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, size, 0);
    if (rules < 0) return;
    for (const Visible *file = for_linker; file->path; file++) show(rules, *file);
    if (is_compiler)
        for (const Visible *file = for_compiler_too; file->path; file++) show(rules, *file);
    show(rules, (Visible){own, is_compiler ? ALL : RUN});
    if (syscall(SYS_landlock_restrict_self, rules, 0) != 0) fail("Landlock");
    close(rules);
}
#else
static void hide_files(bool is_compiler, const char *own)
{
    (void)is_compiler, (void)own;
}
#endif

// ---- system calls

#define LOW_HALF(field) offsetof(struct seccomp_data, field)
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define EQUALS(number, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, yes, no)
#define IF_CALL(name, skipped) EQUALS(SYS_##name, 0, skipped)
#define ALLOW_CALL(name) IF_CALL(name, 1), ALLOW
#define REFUSE_CALL(name) IF_CALL(name, 1), REFUSE
#define HAS_ANY(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no)

#if defined __x86_64__

#define OF_THIS_MACHINE                                                                            \
    LOAD(offsetof(struct seccomp_data, arch)), EQUALS(AUDIT_ARCH_X86_64, 1, 0), REFUSE,            \
        LOAD(offsetof(struct seccomp_data, nr)),                                                   \
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), REFUSE /* the numbers of x32 */

#define WRITES (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))

static void set_filter(const struct sock_filter *rules, size_t count)
{
    struct sock_fprog filter = {(unsigned short)count, (struct sock_filter *)rules};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) fail("no filter of system calls");
}

// harness.c takes away again what is not needed any more once the program has started.
static void filter_calls_of_program(void)
{
    unsigned own = (unsigned)getpid();
    // clang-format off
    const struct sock_filter rules[] = {
        OF_THIS_MACHINE,
        // a file, to be read
        IF_CALL(openat, 4), LOAD(LOW_HALF(args[2])), HAS_ANY(WRITES, 0, 1), REFUSE, ALLOW,
        IF_CALL(open, 4), LOAD(LOW_HALF(args[1])), HAS_ANY(WRITES, 0, 1), REFUSE, ALLOW,
        // limits and a signal, of its own
        IF_CALL(prlimit64, 4), LOAD(LOW_HALF(args[0])), EQUALS(0, 0, 1), ALLOW, REFUSE,
        IF_CALL(tgkill, 4), LOAD(LOW_HALF(args[0])), EQUALS(own, 0, 1), ALLOW, REFUSE,
        // to start
        ALLOW_CALL(execve),
        ALLOW_CALL(pread64),
        ALLOW_CALL(close),
        ALLOW_CALL(access),
        ALLOW_CALL(faccessat),
        ALLOW_CALL(stat),
        ALLOW_CALL(lstat),
        ALLOW_CALL(newfstatat),
        ALLOW_CALL(statx),
        ALLOW_CALL(readlink),
        ALLOW_CALL(readlinkat),
        ALLOW_CALL(getdents64),
        ALLOW_CALL(arch_prctl),
        ALLOW_CALL(set_tid_address),
        ALLOW_CALL(set_robust_list),
        ALLOW_CALL(rseq),
        ALLOW_CALL(getrlimit),
        ALLOW_CALL(uname),
        ALLOW_CALL(sysinfo),
        ALLOW_CALL(sched_getaffinity),
        ALLOW_CALL(getuid),
        ALLOW_CALL(geteuid),
        ALLOW_CALL(getgid),
        ALLOW_CALL(getegid),
        ALLOW_CALL(prctl),
        // and what harness.c leaves
#define SYSTEM_CALL(name) ALLOW_CALL(name),
#include "lessons/system_calls.def"
#undef SYSTEM_CALL
        REFUSE,
    };
    // clang-format on
    set_filter(rules, sizeof rules / sizeof *rules);
}

static void filter_calls_of_compiler(void)
{
    static const struct sock_filter rules[] = {
        OF_THIS_MACHINE,
        REFUSE_CALL(socket),
        REFUSE_CALL(socketpair),
        REFUSE_CALL(connect),
        REFUSE_CALL(bind),
        REFUSE_CALL(ptrace),
        REFUSE_CALL(process_vm_readv),
        REFUSE_CALL(process_vm_writev),
        REFUSE_CALL(kill),
        REFUSE_CALL(tkill),
        REFUSE_CALL(setsid),
        REFUSE_CALL(setpgid),
        REFUSE_CALL(mount),
        REFUSE_CALL(umount2),
        REFUSE_CALL(unshare),
        REFUSE_CALL(setns),
        REFUSE_CALL(bpf),
        REFUSE_CALL(perf_event_open),
        REFUSE_CALL(keyctl),
        REFUSE_CALL(io_uring_setup),
        REFUSE_CALL(pidfd_open),
        REFUSE_CALL(pidfd_send_signal),
        ALLOW,
    };
    set_filter(rules, sizeof rules / sizeof *rules);
}
#else
static void filter_calls_of_program(void)
{
    errno = ENOSYS;
    fail("the filter of system calls is for x86-64");
}

static void filter_calls_of_compiler(void)
{
    filter_calls_of_program();
}
#endif

// ---- the program

static _Noreturn void become(bool is_compiler, char **command)
{
    static char *const nothing[] = {NULL};
    if (is_compiler)
        execvp(command[0], command);
    else
        execve(command[0], command, nothing);
    fail(command[0]);
}

int main(int argc, char **argv)
{
    bool is_compiler = argc > 3 && strcmp(argv[1], "compiler") == 0;
    if (argc < 3 || (!is_compiler && strcmp(argv[1], "program") != 0)) {
        fprintf(stderr, "usage: confine program PROGRAM [ARGUMENT...]\n"
                        "       confine compiler FOLDER COMMAND [ARGUMENT...]\n");
        return STATUS_NOT_STARTED;
    }
    for (int file = LAST_FILE + 1; file < MOST_FILES; file++) close(file);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("privileges");
    if (is_compiler && setenv("TMPDIR", argv[2], 1) != 0) fail("TMPDIR");
    set_limits(is_compiler);
    leave_network();
    hide_files(is_compiler, argv[2]);
    if (is_compiler)
        filter_calls_of_compiler();
    else
        filter_calls_of_program();
    become(is_compiler, argv + (is_compiler ? 3 : 2));
}
