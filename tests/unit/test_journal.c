// The journal: a program is run once by a child of the test, and again by others, which must get
// the same answers though the world has changed. Standard input, output and errors are files of a
// folder of their own. Also the processes, wake-ups and shared memory that the debugger is made of.
#include "tests/unit/unit.h"

#include "objects/memory.h"
#include "objects/upcalls.h"
#include "vm/debugger/journal.h"
#include "vm/outside/files.h"
#include "vm/run.h"
#include "vm/vm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What a program has seen, in shared memory.
typedef struct Seen {
    size_t size;
    char bytes[8192];
    Wakeup wakeup;
} Seen;
static Seen *seen;

static void see(const void *bytes, size_t size)
{
    memcpy(seen->bytes + seen->size, bytes, size);
    seen->size += size;
}

static void see_number(int64_t number)
{
    see(&number, sizeof number);
}

static void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void redirect(int descriptor, const char *path)
{
    int opened = open(path, O_RDWR | O_CREAT, 0600);
    ck_assert(opened >= 0 && dup2(opened, descriptor) == descriptor);
    close(opened);
}

static void assert_file(const char *path, const char *text)
{
    char bytes[1000] = "";
    FILE *file = fopen(path, "r");
    ck_assert(file);
    fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    ck_assert_str_eq(bytes, text);
}

static void begin(void)
{
    char folder[] = "/tmp/journal.XXXXXX";
    ck_assert(mkdtemp(folder) && chdir(folder) == 0);
    put_file("in", "first\nsecond\nthird\nfourth\n");
    put_file("data", "0123456789");
    redirect(0, "in");
    redirect(1, "out");
    redirect(2, "err");
    seen = memory_share(sizeof *seen);
    ck_assert(seen && wakeup_init(&seen->wakeup) && journal_start(JOURNAL_BYTES));
}

static void end(void)
{
    char folder[64];
    ck_assert(getcwd(folder, sizeof folder));
    char *const names[] = {"in", "out", "err", "data", "made"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlink(names[i]);
    rmdir(folder);
}

// Runs the program from the start of the journal: its exit status.
static int run_again(int (*program)(void))
{
    seen->size = 0;
    int status, child = outside_fork();
    if (child == 0) {
        journal_attach();
        outside_end(program());
    }
    ck_assert(child > 0 && outside_wait(child, &status));
    return status;
}

static void assert_seen(const char *text)
{
    ck_assert_int_eq(seen->size, strlen(text));
    ck_assert_mem_eq(seen->bytes, text, seen->size);
}

static void read_line(void)
{
    char bytes[100];
    ssize_t count = outside_read(0, bytes, sizeof bytes);
    if (count > 0) see(bytes, (size_t)count);
}

// ---- the same answers

static void make_file(void)
{
    int file = outside_open("made", O_RDWR | O_CREAT | O_TRUNC, 0600);
    see_number(file);
    see_number(outside_write(file, "abcdef", 6));
    see_number(outside_seek(file, -3, SEEK_END));
    see_number(outside_truncate(file, 5));
    char bytes[10] = "";
    see_number(outside_read(file, bytes, sizeof bytes));
    see(bytes, sizeof bytes);
    see_number(outside_descriptor_call(CALL_DESCRIPTOR_MODE, file, (int64_t[2]){0640}));
    see_number(outside_descriptor_call(CALL_DESCRIPTOR_OWNER, file, (int64_t[2]){-1, -1}));
    see_number(outside_descriptor_call(CALL_DESCRIPTOR_TIMES, file, (int64_t[2]){1, 2}));
    see_number(outside_close(file));
    outside_close_range(file, file + 2);
    see_number(outside_close(file));
    see_number(errno);
}

static void see_text(char *text)
{
    see(text ? text : "none", text ? strlen(text) : 4);
    memory_free(text);
}

// What the module posix asks and does.
static void see_folder(void)
{
    FileStatus status;
    see_number(outside_path_call(CALL_MAKE_FOLDER, "folder", NULL, (int64_t[3]){0700}));
    see_number(outside_path_call(CALL_SYMLINK, "folder", "linked", NULL));
    see_number(outside_status("linked", false, &status));
    see(&status, sizeof status);
    see_number(outside_descriptor_status(1, &status) ? status.inode : -1);
    char text[100] = "";
    see_number(outside_read_link("linked", text, sizeof text));
    see_number(outside_path_call(CALL_SET_OWNER, "linked", NULL, (int64_t[3]){-1, -1}));
    see_number(outside_path_call(CALL_RENAME, "linked", "folder/renamed", NULL));
    see_number(outside_path_call(CALL_MAKE_NODE, "folder/renamed", NULL, (int64_t[3]){0600}));
    see_number(errno);
    see_number(outside_read_folder("folder", -1, text, sizeof text));
    see(text, sizeof text);
    see_number(outside_read_folder(".", -1, text, 4));
    see_number(errno);
    see(text, sizeof text);
    see_number(outside_path_call(CALL_REMOVE_FILE, "folder/renamed", NULL, NULL));
    see_number(outside_path_call(CALL_REMOVE_FOLDER, "folder", NULL, NULL));
    see_number(outside_identity(IDENTITY_PROCESS));
    ProcessTimes times;
    see_number(outside_process_times(&times));
    see_number(times.elapsed);
    int ends[2] = {-1, -1};
    see_number(outside_pipe(ends, O_CLOEXEC));
    see_number(outside_duplicate(ends[1], -1, false));
    see_number(outside_write(ends[1], "sent", 4));
    see_number(outside_read(ends[0], text, sizeof text));
    see(text, sizeof text);
}

static int look_around(void)
{
    memory_init();
    read_line();
    size_t size = 0;
    see_text(outside_read_file("data", &size));
    see_number((int64_t)size);
    see_text(outside_read_file("missing", &size));
    see_number(errno);
    see_text(outside_working_directory());
    see_text(outside_real_path("data"));
    see_number(outside_file_kind("data"));
    see_number(outside_descriptor_kind(0));
    see_number(outside_is_terminal(0));
    see_number(outside_terminal_width(1));
    for (Clock clock = CLOCK_WALL; clock <= CLOCK_OF_THREAD; clock++) {
        see_number(outside_clock(clock));
        see_number(outside_clock_resolution(clock));
    }
    int64_t now = 0;
    see_number(outside_system_clock(0, false, &now));
    see_number(now);
    see_number(outside_system_clock(12345, false, &now));
    see_number(errno);
    char bytes[32];
    see_number(outside_random(bytes, sizeof bytes));
    see(bytes, sizeof bytes);
    see_number(outside_sleep(1000000));
    see_number(outside_terminal_mode(TERMINAL_KEYS));
    char names[1000] = "";
    see_number(outside_list_folder("./", names, sizeof names));
    see(names, sizeof names);
    see_number(outside_list_folder("missing", names, sizeof names));
    see_folder();
    make_file();
    see_number(outside_write(1, "hello\n", 6));
    return 7;
}

START_TEST(answers_come_again_though_the_world_has_changed)
{
    ck_assert_int_eq(run_again(look_around), 7);
    Seen first = *seen;
    ck_assert_uint_gt(first.size, 300);
    size_t used = journal_used();
    put_file("made", "mine");
    unlink("data");
    redirect(0, "out"); // and the line was read
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(run_again(look_around), 7);
        ck_assert_int_eq(seen->size, first.size);
        ck_assert_mem_eq(seen->bytes, first.bytes, first.size);
    }
    ck_assert_uint_eq(journal_used(), used);
    ck_assert(!journal_diverged());
    assert_file("made", "mine");
    assert_file("out", "hello\n");
    assert_file("err", "");
}
END_TEST

static int sleep_long(void)
{
    int64_t before = outside_clock(CLOCK_STEADY);
    outside_sleep(300000000);
    see_number(outside_clock(CLOCK_STEADY) - before);
    return 0;
}

START_TEST(sleep_is_not_slept_again)
{
    run_again(sleep_long);
    int64_t before = outside_clock(CLOCK_STEADY), slept;
    run_again(sleep_long);
    ck_assert_int_lt(outside_clock(CLOCK_STEADY) - before, 300000000);
    memcpy(&slept, seen->bytes, sizeof slept);
    ck_assert_int_ge(slept, 300000000);
}
END_TEST

// ---- going on where the entries end

static int lines_to_read;

static int read_lines(void)
{
    for (int i = 0; i < lines_to_read; i++) read_line();
    return journal_replaying() || journal_cursor() != journal_used();
}

START_TEST(at_the_end_of_the_entries_the_world_answers)
{
    lines_to_read = 1;
    ck_assert_int_eq(run_again(read_lines), 0);
    assert_seen("first\n");
    lines_to_read = 3;
    ck_assert_int_eq(run_again(read_lines), 0);
    assert_seen("first\nsecond\nthird\n");
    lines_to_read = 2;
    ck_assert_int_eq(run_again(read_lines), 1); // there is a third
    lines_to_read = 6;
    ck_assert_int_eq(run_again(read_lines), 0);
    assert_seen("first\nsecond\nthird\nfourth\n");
}
END_TEST

static int leave_a_snapshot(void)
{
    read_line();
    if (outside_fork() == 0) {
        wakeup_wait(&seen->wakeup, -1);
        seen->size = 0;
        read_line();
        read_line();
        read_line();
        outside_end(3);
    }
    read_line();
    read_line();
    return 0;
}

START_TEST(a_process_goes_on_from_where_it_was_forked)
{
    bool adopts = outside_adopt();          // the snapshot's parent ends before it
    if (!adopts && errno == EINVAL) return; // qemu-user does not know the call
    ck_assert(adopts);
    ck_assert_int_eq(run_again(leave_a_snapshot), 0);
    assert_seen("first\nsecond\nthird\n");
    wakeup_post(&seen->wakeup);
    int status;
    ck_assert(outside_wait(-1, &status));
    ck_assert_int_eq(status, 3);
    assert_seen("second\nthird\nfourth\n");
}
END_TEST

START_TEST(the_prompt_reads_of_the_same_input)
{
    lines_to_read = 1;
    run_again(read_lines);
    char byte, line[100];
    ck_assert_int_eq(outside_read(0, &byte, 1), 1); // detached
    ck_assert_int_eq(byte, 's');
    ck_assert_int_eq(outside_read(0, line, sizeof line), 6);
    ck_assert_mem_eq(line, "econd\n", 6);
    lines_to_read = 2;
    run_again(read_lines);
    assert_seen("first\nthird\n");
    ck_assert_int_eq(outside_read(0, line, sizeof line), 7);
    ck_assert_mem_eq(line, "fourth\n", 7);
    ck_assert_int_eq(outside_read(0, line, sizeof line), 0);
}
END_TEST

START_TEST(input_goes_on_at_the_place_sought)
{
    char line[100];
    ck_assert_int_eq(outside_read(0, line, sizeof line), 6);
    ck_assert_int_eq(outside_seek(0, 0, SEEK_CUR), 6);
    ck_assert_int_eq(outside_seek(0, -2, SEEK_CUR), 4);
    ck_assert_int_eq(outside_read(0, line, sizeof line), 2);
    ck_assert_mem_eq(line, "t\n", 2);
}
END_TEST

// ---- files that stay open

static int reads, started; // how often; a descriptor opened before the journal, or 0

static int read_data(void)
{
    char bytes[3];
    int file = started ? started : outside_open("data", O_RDONLY, 0);
    for (int i = 0; i < reads; i++) {
        ssize_t count = outside_read(file, bytes, sizeof bytes);
        if (count > 0) see(bytes, (size_t)count);
    }
    return 0;
}

START_TEST(a_file_is_read_on_from_its_place)
{
    reads = 1;
    run_again(read_data);
    reads = 2;
    run_again(read_data);
    assert_seen("012345");
    unlink("data");
    reads = 4;
    run_again(read_data); // nothing comes any more, and nothing bad
    assert_seen("012345");
}
END_TEST

START_TEST(a_file_opened_before_the_journal_too)
{
    upcalls.recorder = NULL; // as if there had been none so far
    started = outside_open("data", O_RDONLY, 0);
    char byte;
    ck_assert_int_eq(outside_read(started, &byte, 1), 1);
    ck_assert(journal_start(JOURNAL_BYTES));
    for (reads = 1; reads <= 3; reads++) run_again(read_data);
    assert_seen("123456789");
}
END_TEST

static int read_by_turns(void)
{
    char byte;
    int file = outside_open("data", O_RDONLY, 0);
    int other = outside_duplicate(file, -1, false), third = outside_duplicate(other, -1, false);
    for (int i = 0; i < reads; i++) {
        if (i == 3) outside_seek(third, 1, SEEK_SET);
        if (i == 4) outside_close(other);
        if (outside_read(i % 2 ? file : third, &byte, 1) == 1) see(&byte, 1);
    }
    return 0;
}

START_TEST(duplicates_share_their_place)
{
    for (reads = 1; reads <= 6; reads++) run_again(read_by_turns);
    assert_seen("012123");
}
END_TEST

static int open_often(void)
{
    for (int i = 0; i < reads; i++) {
        int file = outside_open("data", O_RDONLY, 0);
        see_number(file);
        outside_close(file);
    }
    return 0;
}

START_TEST(what_was_closed_is_closed)
{
    for (reads = 1; reads <= 3; reads++) run_again(open_often);
    ck_assert_uint_eq(seen->size, 3 * sizeof(int64_t));
    ck_assert_mem_eq(seen->bytes, seen->bytes + sizeof(int64_t), 2 * sizeof(int64_t));
}
END_TEST

static int look_aside(void)
{
    int file = outside_open("data", O_RDONLY, 0), status;
    char bytes[3];
    outside_read(file, bytes, 2);
    int child = outside_fork();
    if (child == 0) {
        journal_detach();
        outside_end((int)outside_read(file, bytes, 3));
    }
    outside_wait(child, &status);
    outside_read(file, bytes, 3);
    see(bytes, 3);
    return status;
}

START_TEST(who_looks_does_not_move_the_place)
{
    ck_assert_int_eq(run_again(look_aside), 3);
    assert_seen("234");
}
END_TEST

static int pieces;

static int write_and_stop(void)
{
    int file = outside_open("made", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < pieces; i++) outside_write(file, &"abcdef"[2 * i], 2);
    return 0;
}

START_TEST(what_was_written_is_written_once)
{
    for (pieces = 1; pieces <= 3; pieces++) run_again(write_and_stop);
    assert_file("made", "abcdef");
    ck_assert(!journal_diverged());
}
END_TEST

// ---- other ways

static const char *word;

static int say(void)
{
    see_number(outside_clock(CLOCK_STEADY));
    outside_write(1, word, strlen(word));
    see_number(outside_clock(CLOCK_STEADY));
    return 0;
}

static int say_otherwise(void)
{
    see_number(outside_clock(CLOCK_STEADY));
    journal_drop_future();
    outside_write(1, word, strlen(word));
    return 0;
}

START_TEST(a_new_future_replaces_the_old_one)
{
    word = "one ";
    run_again(say);
    size_t used = journal_used();
    word = "two ";
    run_again(say_otherwise);
    ck_assert_uint_lt(journal_used(), used);
    run_again(say_otherwise);
    run_again(say);
    ck_assert_uint_eq(journal_used(), used);
    ck_assert(!journal_diverged());
    assert_file("out", "one two two ");
}
END_TEST

START_TEST(a_program_that_does_not_repeat_itself_is_found)
{
    word = "one ";
    run_again(say);
    word = "two ";
    ck_assert_int_eq(run_again(say), 0);
    ck_assert(journal_diverged());
    word = "three ";
    ck_assert_int_eq(run_again(say), 0);
    assert_file("out", "one two three ");
    assert_file("err", "minivm: the run does not repeat itself: at byte 32 of the journal is "
                       "write(1), and now it calls write(1) with other arguments\n");
}
END_TEST

START_TEST(another_call_is_found)
{
    lines_to_read = 1;
    run_again(read_lines);
    word = "";
    ck_assert_int_eq(run_again(say), 0);
    ck_assert(journal_diverged());
    assert_file("err", "minivm: the run does not repeat itself: at byte 0 of the journal is "
                       "read(0), and now it calls clock(1)\n");
}
END_TEST

static int ask_clock(void)
{
    for (int i = 0; i < 10; i++) see_number(outside_clock(CLOCK_STEADY));
    return journal_is_full();
}

static int forget_and_ask_clock(void)
{
    for (int i = 0; i < 2; i++) outside_clock(CLOCK_STEADY);
    journal_drop_future();
    return journal_is_full();
}

START_TEST(a_full_journal_says_so_and_the_program_goes_on)
{
    ck_assert(journal_start(5 * 32 + 8));
    ck_assert_int_eq(run_again(ask_clock), 1);
    ck_assert_uint_eq(journal_used(), 5 * 32);
    Seen first = *seen;
    ck_assert_uint_eq(first.size, 10 * sizeof(int64_t));
    ck_assert_int_eq(run_again(ask_clock), 1);
    ck_assert_mem_eq(seen->bytes, first.bytes, 5 * sizeof(int64_t));
    ck_assert_mem_ne(seen->bytes, first.bytes, first.size);
    assert_file("err", "minivm: the journal is full: what the program does from here on is not "
                       "recorded\n");
    ck_assert_int_eq(run_again(forget_and_ask_clock), 0);
    ck_assert_uint_eq(journal_used(), 2 * 32);
}
END_TEST

// ---- a script, with everything between it and the world

static const char *script = "import time, random, sys\n"
                            "print(input(), time.time(), random.random(), object())\n"
                            "with open('data') as file: text = file.read()\n"
                            "with open('made', 'w') as file: print(text, id(file), file=file)\n"
                            "table = {str(random.randrange(1000)): sys.stdin.readline()}\n"
                            "table[time.perf_counter()] = [time.localtime()] * len(text)\n"
                            "print(table, id(table))\n";

static int run_script(void)
{
    int status = run_command(script);
    status = vm_finish(status);
    see_number((int64_t)memory_counts().allocations);
    see_number((int64_t)memory_counts().peak_bytes);
    return status;
}

START_TEST(a_script_takes_the_same_memory_again)
{
    char *argv[] = {"-c"};
    ck_assert(vm_init(
        &(SysOptions){.argc = 1, .argv = (const char *const *)argv, .executable = "minivm"}));
    ck_assert_int_eq(run_again(run_script), 0);
    Seen first = *seen;
    struct stat before, after;
    ck_assert(stat("out", &before) == 0 && before.st_size > 300);
    unlink("data");
    put_file("made", "mine");
    ck_assert_int_eq(run_again(run_script), 0);
    ck_assert_mem_eq(seen->bytes, first.bytes, first.size);
    ck_assert(stat("out", &after) == 0 && after.st_size == before.st_size);
    assert_file("made", "mine");
    assert_file("err", "");
}
END_TEST

// ---- processes

START_TEST(a_wakeup_wakes_one_wait)
{
    ck_assert(!wakeup_wait(&seen->wakeup, 10));
    wakeup_post(&seen->wakeup);
    ck_assert(wakeup_wait(&seen->wakeup, -1));
    ck_assert(!wakeup_wait(&seen->wakeup, 0));
    int child = outside_fork();
    if (child == 0) {
        outside_sleep(20000000);
        wakeup_post(&seen->wakeup);
        outside_end(0);
    }
    ck_assert(wakeup_wait(&seen->wakeup, 30000));
    int status;
    ck_assert(outside_wait(child, &status));
}
END_TEST

START_TEST(processes_live_until_they_are_waited_for)
{
    int status, child = outside_fork();
    if (child == 0) {
        outside_ignore_interrupts();
        wakeup_post(&seen->wakeup);
        outside_sleep(60000000000);
        outside_end(0);
    }
    ck_assert(wakeup_wait(&seen->wakeup, 30000));
    ck_assert(outside_process_lives(child) && outside_kill(child, SIGINT));
    outside_reap();
    ck_assert(outside_process_lives(child) && outside_kill(child, SIGKILL));
    ck_assert(outside_wait(child, &status));
    ck_assert_int_eq(status, 128 + SIGKILL);
    ck_assert(!outside_process_lives(child) && !outside_kill(child, SIGKILL));
    ck_assert(!outside_wait(child, &status));
    ck_assert_int_gt(outside_page_faults(), 0);
}
END_TEST

static void end_with_parent(void)
{
    outside_end_with_parent();
}

static void end_without_nobody(void)
{
    outside_end_without(-1);
}

// Forks a process whose own child asks for its end with another when that one has ended already.
static void orphan(void (*ask)(void))
{
    int status, parent = outside_fork();
    if (parent == 0) {
        int self = outside_pid();
        if (outside_fork() != 0) outside_end(0);
        while (getppid() == self) outside_sleep(1000000);
        ask();
        wakeup_post(&seen->wakeup);
        outside_end(0);
    }
    ck_assert(outside_wait(parent, &status));
}

START_TEST(a_process_that_asks_too_late_ends_as_well)
{
    bool adopts = outside_adopt();          // so that its end can be waited for
    if (!adopts && errno == EINVAL) return; // qemu-user does not know the call
    void (*const asks[])(void) = {end_with_parent, end_without_nobody};
    int status;
    for (size_t i = 0; i < 2; i++) {
        orphan(asks[i]);
        ck_assert(outside_wait(-1, &status));
        ck_assert_int_eq(status, 1);
        ck_assert(!wakeup_wait(&seen->wakeup, 0));
    }
}
END_TEST

static size_t count_variables(void)
{
    size_t count = 0;
    for (char *const *at = outside_environment_all(); *at; at++) count++;
    return count;
}

START_TEST(variables_that_were_set_are_forgotten)
{
    memory_init();
    size_t before = count_variables();
    ck_assert(outside_set_environment("MINIVM_ONE", "1"));
    ck_assert(outside_set_environment("MINIVM_TWO", "2"));
    ck_assert(outside_set_environment("MINIVM_ONE", "other"));
    ck_assert(outside_set_environment("MINIVM_TWO", NULL));
    ck_assert_str_eq(outside_environment("MINIVM_ONE"), "other");
    outside_environment_finish();
    ck_assert_uint_eq(count_variables(), before);
}
END_TEST

Suite *journal_suite(void)
{
    Suite *suite = suite_create("journal");
    TCase *tests = bare_case(suite, "journal");
    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, answers_come_again_though_the_world_has_changed);
    tcase_add_test(tests, sleep_is_not_slept_again);
    tcase_add_test(tests, at_the_end_of_the_entries_the_world_answers);
    tcase_add_test(tests, a_process_goes_on_from_where_it_was_forked);
    tcase_add_test(tests, the_prompt_reads_of_the_same_input);
    tcase_add_test(tests, input_goes_on_at_the_place_sought);
    tcase_add_test(tests, a_file_is_read_on_from_its_place);
    tcase_add_test(tests, a_file_opened_before_the_journal_too);
    tcase_add_test(tests, duplicates_share_their_place);
    tcase_add_test(tests, what_was_closed_is_closed);
    tcase_add_test(tests, who_looks_does_not_move_the_place);
    tcase_add_test(tests, what_was_written_is_written_once);
    tcase_add_test(tests, a_new_future_replaces_the_old_one);
    tcase_add_test(tests, a_program_that_does_not_repeat_itself_is_found);
    tcase_add_test(tests, another_call_is_found);
    tcase_add_test(tests, a_full_journal_says_so_and_the_program_goes_on);
    tcase_add_test(tests, a_script_takes_the_same_memory_again);
    tcase_add_test(tests, a_wakeup_wakes_one_wait);
    tcase_add_test(tests, processes_live_until_they_are_waited_for);
    tcase_add_test(tests, a_process_that_asks_too_late_ends_as_well);
    tcase_add_test(tests, variables_that_were_set_are_forgotten);
    return suite;
}
