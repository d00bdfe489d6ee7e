// The only access to the outside world: files, streams, time, randomness and the environment.
//
// No file of another folder calls the operating system, except for memory (objects/memory.c). So
// input can be limited, made to fail, recorded and replayed here. Functions that fail return -1 or
// false with errno set and raise nothing: the caller knows the file's name for the message. A call
// that a signal interrupts is tried again after the signal's handler has run; if the handler
// raises, the function fails with errno EINTR and the exception pending. files.h has more calls on
// files.
//
// A Recorder (below) may record the answers, and answer the same calls again when the program runs
// once more: the debugger's journal is one.
#pragma once

#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- files by descriptor
int outside_open(const char *path, int flags, int mode);
int outside_close(int descriptor);
// Those from `first` to below `end`, open or not; minivm's own stay.
void outside_close_range(int first, int end);
ssize_t outside_read(int descriptor, void *bytes, size_t size);
ssize_t outside_write(int descriptor, const void *bytes, size_t size);
// At a position, which is not moved: pread(2), pwrite(2); the flags are those of preadv2(2).
ssize_t outside_read_at(int descriptor, void *bytes, size_t size, int64_t position, int flags);
ssize_t outside_write_at(int descriptor, const void *bytes, size_t size, int64_t position,
                         int flags);
bool outside_write_all(int descriptor, const void *bytes, size_t size);
// The program may write so many bytes from now on, to all descriptors together; each file, folder
// or link that it makes counts as NEW_NAME, a link's text too. What is above is not written, and
// reached() is called, which ends the process.
#define NEW_NAME 256 // about what file systems keep for one
void outside_limit_output(int64_t bytes, void (*reached)(void));
off_t outside_seek(int descriptor, off_t offset, int whence);
enum { SEEK_TO_DATA = 3, SEEK_TO_HOLE = 4 }; // Linux's; not every <unistd.h> has them
int outside_truncate(int descriptor, off_t size);
bool outside_is_terminal(int descriptor);
int outside_terminal_width(int descriptor); // columns, 0 = not known
// Duplicates a descriptor for minivm itself, under a high number, so that the program's own
// descriptors get the numbers that they would have had. -1 with errno set.
int outside_copy_aside(int descriptor);
int outside_close_aside(int descriptor);
// Is it such a one? Then, with errno EBADF, whoever has the number from a script must not use it.
bool outside_is_aside(int descriptor);
// Terminal modes for the line editor: the terminal edits lines (the mode it had before); each key
// is delivered at once, without echo; the same, but Ctrl-C is a signal. In the latter two,
// outside_read() of standard input fails once with EINTR, and no exception pending, when the
// terminal's size changes or when this process continues after a stop: then set the mode again.
typedef enum TerminalMode {
    TERMINAL_LINES,
    TERMINAL_KEYS,
    TERMINAL_KEYS_AND_INTERRUPT
} TerminalMode;
bool outside_terminal_mode(TerminalMode mode);
// Ctrl-Z: stops all processes of this job, until the shell continues them.
void outside_suspend(void);

// ---- files by name
typedef enum FileKind {
    FILE_MISSING,
    FILE_REGULAR,
    FILE_DIRECTORY,
    FILE_OTHER,
    FILE_INSIDE_FILE // missing, because a part of the path before the last one is a file
} FileKind;
FileKind outside_file_kind(const char *path);
// FILE_MISSING = it is closed. Not every system has a status of a file that was removed.
FileKind outside_descriptor_kind(int descriptor);
// The names in a folder, in no order, as many as there is room for. Each ends with NUL, a folder's
// with "/" and NUL. Returns their size in bytes; -1 with errno set.
ssize_t outside_list_folder(const char *path, char *names, size_t room);
// The whole file and a NUL, allocated by memory_alloc(). NULL with errno set.
char *outside_read_file(const char *path, size_t *size);
char *outside_read_all(int descriptor, size_t *size);
typedef ssize_t (*ReadFn)(int descriptor, void *bytes, size_t size); // as outside_read()
char *outside_read_all_by(ReadFn read, int descriptor, size_t *size);
// The absolute path of the working directory / of a file, allocated by memory_alloc(); NULL with
// errno set.
char *outside_working_directory(void);
char *outside_real_path(const char *path);

// ---- time, in nanoseconds
typedef enum Clock { CLOCK_WALL, CLOCK_STEADY, CLOCK_PROCESS, CLOCK_OF_THREAD } Clock;
int64_t outside_clock(Clock clock);
int64_t outside_clock_resolution(Clock clock);
// Reads any clock of the system by its number, or its resolution. False with errno set.
bool outside_system_clock(int number, bool resolution, int64_t *nanoseconds);
// The calendar time of seconds since 1970, in the local zone or in UTC; false if out of range.
// `struct tm` and the time zones are libc's.
struct tm;
bool outside_calendar(int64_t seconds, bool local, struct tm *calendar);
bool outside_seconds(struct tm *local, int64_t *seconds); // the reverse
bool outside_sleep(int64_t nanoseconds);                  // false: a signal's handler raised

// ---- the rest
bool outside_random(void *bytes, size_t size);
const char *outside_environment(const char *name); // NULL = not set

// ---- what a system may not have (system.h)
typedef enum OutsideFeature {
    FEATURE_PROCESSES,
    FEATURE_PROGRAMS,
    FEATURE_LIBRARIES
} OutsideFeature;
// NULL where it is there; else a sentence that says so, and what to use instead.
const char *outside_lacks(OutsideFeature feature);

// ---- signals: Ctrl-C sets eval_breaker.signal (upcalls.h)
void outside_signals_init(void);
bool outside_take_interrupt(void);             // true once for every Ctrl-C
_Noreturn void outside_die_by_interrupt(void); // as a process that SIGINT has ended
// When so much time has passed, sets eval_breaker.signal and outside_is_late(). If the process
// still runs 0.8 s later, it is in the middle of a long computation in C, or of a call that does
// not return: then it ends, with the message to a descriptor and the exit status; another 0.1 s
// later without the message, which may wait for a reader as well. False with errno set.
bool outside_set_deadline(int64_t nanoseconds, int descriptor, const char *message, int status);
bool outside_is_late(void);
// In 0.1 s it is so late: the process ends in the same way, whatever it waits for.
void outside_end_soon(int descriptor, const char *message, int status);

// ---- processes
int outside_fork(void); // 0 in the child, its id in the parent, -1 with errno set; flushes nothing
int outside_pid(void);
// Waits until the child has ended: its exit status, or 128 + the signal that ended it. False with
// errno ECHILD if there is no such child (any more).
bool outside_wait(int pid, int *status);
bool outside_reap(void);  // waits for the children that have ended; is there one that has not?
bool outside_adopt(void); // from now on orphans among its descendants become its children
// From now on children that have ended can be waited for, even if whoever started minivm ignores
// SIGCHLD, which a process inherits.
void outside_keep_children(void);
bool outside_kill(int pid, int number); // false with errno set: ESRCH = no such process
bool outside_process_lives(int pid);    // a child of this process that has ended is waited for
_Noreturn void outside_end(int status); // at once: no atexit functions, no flushing
_Noreturn void outside_abort(void);     // abort(3)
// From now on, where this process has crashed (by SIGSEGV, SIGBUS, SIGILL, SIGFPE or abort(), but
// not by somebody's kill()), `report` is called with the signal's name, in the signal's handler, on
// a stack of its own. Then the signal ends the process. For the report there is
// outside_write_last(): to standard error, unrecorded; what cannot be written is lost.
void outside_report_crashes(void (*report)(const char *name));
void outside_write_last(const char *text, size_t size);
void outside_ignore_interrupts(void);   // this process and its forks ignore SIGINT
void outside_end_with_parent(void);     // from now on it is killed when its parent ends;
void outside_end_without(int guardian); // the same, unless `guardian` adopts it
long outside_page_faults(void);         // so far, without those that read a file
// Calls the function in a copy of this process, and waits for the copy's end. Of what it does to
// memory only the bytes at `shared` are kept, which are memory_share()'s. False = there is no copy.
bool outside_run_copy(void (*function)(const void *), const void *argument, char *shared,
                      size_t size);

// ---- other programs (programs_linux.c)
// Runs a program to its end. It finds `input` as its descriptor 0, and three empty files as 1
// (standard output), 2 (standard error) and 3 (what it makes, /dev/fd/3). A limit ends it.
#define PROGRAM_FILES 3
typedef struct Program {
    const char *const *command; // ends with NULL; the program is looked for on PATH
    const void *input;
    size_t input_size;
    int64_t time, memory, output; // limits: nanoseconds, bytes it holds, bytes it writes; 0 = none
} Program;
typedef enum ProgramLimit {
    PROGRAM_NO_LIMIT,
    PROGRAM_TIME,
    PROGRAM_MEMORY,
    PROGRAM_OUTPUT
} ProgramLimit;
typedef struct ProgramEnd {
    int status;         // its exit status, or 128 + the signal that ended it
    ProgramLimit limit; // the one that ended it
    size_t sizes[PROGRAM_FILES];
} ProgramEnd;
// `answer` gets the three files, one after the other, cut to `room`; PROGRAM_ROOM is the least.
// False with errno set where the program did not run. It ends with this process's wait: an
// exception of a signal's handler ends it too (EINTR).
#define PROGRAM_ROOM sizeof(ProgramEnd)
bool outside_run(const Program *program, ProgramEnd *end, char *answer, size_t room);
// A shared library that is in memory. It is not recorded: what it is depends on the bytes only.
// In a sandbox and under limits none is loaded.
typedef struct SharedLibrary {
    void *handle;
    int descriptor; // the file in memory that it was loaded from
} SharedLibrary;
bool outside_load(SharedLibrary *library, const void *bytes, size_t size);
void *outside_symbol(const SharedLibrary *library, const char *name); // NULL = there is none
void outside_unload(SharedLibrary *library);

// ---- wake-ups: a post of one process ends one wait of another, before or after. A Wakeup is
// in memory that they share (memory_share()), and needs no release.
typedef struct Wakeup {
    sem_t semaphore;
} Wakeup;
bool wakeup_init(Wakeup *wakeup); // false with errno set: ENOSYS = processes cannot share one
void wakeup_post(Wakeup *wakeup);
// Waits for a post, at most so long; < 0 = for ever. False = there was none in that time. Signals
// neither end nor prolong the wait, and no script code runs meanwhile.
bool wakeup_wait(Wakeup *wakeup, int milliseconds);

// ---- recording: every call above whose answer may differ from one run to the next, or that
// changes the world, is described by an OutsideCall and handed to upcalls.recorder.
#define OUTSIDE_CALLS(CALL)                                                                        \
    CALL(OPEN, "open")                                                                             \
    CALL(CLOSE, "close")                                                                           \
    CALL(CLOSE_RANGE, "close_range")                                                               \
    CALL(READ, "read")                                                                             \
    CALL(WRITE, "write")                                                                           \
    CALL(READ_AT, "pread")                                                                         \
    CALL(WRITE_AT, "pwrite")                                                                       \
    CALL(SEEK, "seek")                                                                             \
    CALL(TRUNCATE, "truncate")                                                                     \
    CALL(IS_TERMINAL, "is_terminal")                                                               \
    CALL(TERMINAL_WIDTH, "terminal_width")                                                         \
    CALL(TERMINAL_MODE, "terminal_mode")                                                           \
    CALL(SUSPEND, "suspend")                                                                       \
    CALL(FILE_KIND, "file_kind")                                                                   \
    CALL(LIST_FOLDER, "list_folder")                                                               \
    CALL(RUN, "run")                                                                               \
    CALL(DESCRIPTOR_KIND, "descriptor_kind")                                                       \
    CALL(WORKING_DIRECTORY, "working_directory")                                                   \
    CALL(REAL_PATH, "real_path")                                                                   \
    CALL(CLOCK, "clock")                                                                           \
    CALL(CLOCK_RESOLUTION, "clock_resolution")                                                     \
    CALL(SYSTEM_CLOCK, "system_clock")                                                             \
    CALL(SLEEP, "sleep")                                                                           \
    CALL(RANDOM, "random")                                                                         \
    CALL(STATUS, "stat")                                                                           \
    CALL(DESCRIPTOR_STATUS, "fstat")                                                               \
    CALL(SPACE, "statvfs")                                                                         \
    CALL(MAKE_FOLDER, "mkdir")                                                                     \
    CALL(REMOVE_FOLDER, "rmdir")                                                                   \
    CALL(REMOVE_FILE, "unlink")                                                                    \
    CALL(GO_TO_FOLDER, "chdir")                                                                    \
    CALL(RENAME, "rename")                                                                         \
    CALL(LINK, "link")                                                                             \
    CALL(SYMLINK, "symlink")                                                                       \
    CALL(SET_MODE, "chmod")                                                                        \
    CALL(SET_OWNER, "chown")                                                                       \
    CALL(MAKE_NODE, "mknod")                                                                       \
    CALL(SET_SIZE, "truncate_path")                                                                \
    CALL(SET_TIMES, "utime")                                                                       \
    CALL(ACCESS, "access")                                                                         \
    CALL(READ_LINK, "readlink")                                                                    \
    CALL(READ_FOLDER, "read_folder")                                                               \
    CALL(DUPLICATE, "dup")                                                                         \
    CALL(INHERITABLE, "inheritable")                                                               \
    CALL(BLOCKING, "blocking")                                                                     \
    CALL(PIPE, "pipe")                                                                             \
    CALL(POLL, "poll")                                                                             \
    CALL(SYNC, "fsync")                                                                            \
    CALL(DESCRIPTOR_MODE, "fchmod")                                                                \
    CALL(DESCRIPTOR_OWNER, "fchown")                                                               \
    CALL(DESCRIPTOR_TIMES, "futimens")                                                             \
    CALL(TERMINAL_SIZE, "terminal_size")                                                           \
    CALL(TERMINAL_MODES, "tcgetattr")                                                              \
    CALL(SET_TERMINAL_MODES, "tcsetattr")                                                          \
    CALL(TERMINAL_REQUEST, "terminal_request")                                                     \
    CALL(IDENTITY, "identity")                                                                     \
    CALL(START, "start")                                                                           \
    CALL(WAIT, "wait")                                                                             \
    CALL(SHELL, "system")                                                                          \
    CALL(SEND_SIGNAL, "kill")                                                                      \
    CALL(SYSTEM, "system_call")                                                                    \
    CALL(DESCRIPTOR_CONTROL, "fcntl")                                                              \
    CALL(RESOURCE_LIMIT, "rlimit")                                                                 \
    CALL(RESOURCE_USAGE, "rusage")                                                                 \
    CALL(PROCESS_TIMES, "times")                                                                   \
    CALL(SYSTEM_NAMES, "uname")

typedef enum CallKind {
#define CALL(name, text) CALL_##name,
    OUTSIDE_CALLS(CALL)
#undef CALL
} CallKind;

typedef struct OutsideCall {
    CallKind kind;
    int64_t numbers[3]; // the arguments: numbers, a descriptor first, and bytes
    const void *asked;
    size_t asked_size;
    void *answer; // where the answer's bytes belong, or NULL; `result` is their number,
    size_t room;  // <= 0: none
    int64_t result;
    bool replayed; // the answer was a recorded one
} OutsideCall;

// Bytes that were read from descriptor 0 and not yet returned to a caller.
typedef struct RecordedInput {
    size_t at, end;
    bool in_paste; // the debugger's prompt is in the middle of one (line_keys.h)
    char bytes[65536];
} RecordedInput;

typedef struct Recorder {
    bool attached; // calls go through `replay` and `record`; else straight to the world
    // True if the recording answers: it sets the result, the bytes and errno.
    bool (*replay)(OutsideCall *call);
    // Records the world's answer. Returns the result; keeps errno.
    int64_t (*record)(const OutsideCall *call, int64_t result);
    // The program and the debugger's prompt read standard input in turn. Shared by all processes.
    RecordedInput *input;
} Recorder;

// When a recorder is installed: notes the file position of each open file, and keeps duplicates of
// standard input and output.
void outside_keep_positions(void);
// For the debugger's prompt, too: descriptor 1 is again what it was then, whatever the program has
// made of it; and is the program's again.
void outside_take_output(void);
void outside_give_output(void);
// For the debugger's prompt: standard input, while there is a recorder even if the program has
// closed descriptor 0.
ssize_t outside_read_input(void *bytes, size_t size);
// From now on that reads the terminal. False: there is none.
bool outside_commands_from_terminal(void);
