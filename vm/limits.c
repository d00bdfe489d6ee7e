// The limits of a run: see limits.h.
#include "vm/limits.h"

#include "frames/frame.h"
#include "frames/observe.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"
#include "objects/text/utf8.h"
#include "objects/upcalls.h"
#include "vm/import/library.h"
#include "vm/outside/files.h"
#include "vm/outside/outside.h"
#include "vm/outside/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NANOSECONDS 1e9
#define LONGEST 2e9               // seconds: more than sixty years
#define RESERVE ((size_t)1 << 20) // bytes, for what C does yet when it is out of memory
#define LONGEST_NAME 200          // characters of a file's name in the message: its end

bool limit_reached;

static Limits limits;
static const char *reached_option; // its name
static int reached_status;
static LimitsComplete to_complete;
static int errors = -1; // a copy of standard error, which the program cannot close or replace

// ---- the end

static void note_reached(const char *option, int status)
{
    if (limit_reached) return; // the first one counts
    limit_reached = true;
    reached_option = option;
    reached_status = status;
}

// Not one of the library, whose lines mean nothing to the reader.
static bool is_programs(const Frame *frame)
{
    return !is_library_file(as_code(frame->code)->filename);
}

// The program may call its files what it likes. The message stays one short line.
static void add_name(ValueRef name, char *to)
{
    ssize_t length = str_length(name);
    ssize_t first = length > LONGEST_NAME ? length - LONGEST_NAME : 0;
    if (first) to = stpcpy(to, "...");
    for (ssize_t i = first; i < length; i++) {
        uint32_t point = str_at(as_str(name), i);
        to += utf8_write(unicode_is_printable(point) ? point : '?', to);
    }
    *to = 0;
}

static const char *message(void)
{
    static char text[4 * LONGEST_NAME + 100];
    const Frame *frame = thread_state.frame;
    while (frame && !is_programs(frame)) frame = frame->previous;
    int size = snprintf(text, sizeof text, "minivm: stopped by %s", reached_option);
    if (frame) {
        size += snprintf(text + size, sizeof text - (size_t)size, ", in line %d of ",
                         frame_line(frame));
        add_name(as_code(frame->code)->filename, text + size);
    }
    return strcat(text, "\n");
}

void limits_end(void)
{
    static bool ending;
    if (ending) outside_end(reached_status); // the program's own code ran while it ended
    ending = true;
    outside_limit_output(INT64_MAX, NULL);
    memory_set_limit(0, NULL); // what ends the program may need some
    error_clear();
    to_complete.own();
    const char *text = message();
    outside_blocking(errors, true);
    outside_end_soon(errors, text, reached_status);
    if (reached_status != STATUS_MAX_OUTPUT) to_complete.streams();
    outside_write_all(errors, text, strlen(text));
    outside_end(reached_status);
}

// ---- reaching a limit

static bool before_instruction(Frame *frame, FrameEvent event, ValueRef value)
{
    (void)frame, (void)event, (void)value;
    limits_end();
}

// C is in the middle of something: the program ends before its next instruction, which could be the
// first of a handler.
static void on_memory(void)
{
    note_reached("--max-memory", STATUS_MAX_MEMORY);
    memory_set_limit((size_t)limits.memory + RESERVE, NULL);
    observer_set(OBSERVER_DEBUGGER, before_instruction);
}

static void on_output(void)
{
    note_reached("--max-output", STATUS_MAX_OUTPUT);
    limits_end();
}

// Is called shortly before the last step, then before every step.
static void on_step(void)
{
    if (ticks_now(thread_state.frame) < limits.steps) {
        ticks_set_alarm(limits.steps, on_step);
        return;
    }
    note_reached("--max-steps", STATUS_MAX_STEPS);
    limits_end();
}

void limits_check_time(void)
{
    if (outside_is_late()) note_reached("--max-time", STATUS_MAX_TIME);
    limits_check();
}

bool limits_begin(const Limits *wanted, const LimitsComplete *complete)
{
    limits = *wanted;
    to_complete = *complete;
    if (!limits.steps && !limits.time && !limits.memory && !limits.output) return true;
    sandbox_forbid_processes();
    errors = outside_copy_aside(STDERR_FILENO);
    if (limits.memory) memory_set_limit((size_t)limits.memory, on_memory);
    if (limits.output) outside_limit_output(limits.output, on_output);
    if (limits.steps) {
        ticks_start();
        ticks_set_alarm(limits.steps, on_step);
    }
    return !limits.time || outside_set_deadline(limits.time, errors,
                                                "minivm: stopped by --max-time\n", STATUS_MAX_TIME);
}

// ---- reading them

bool limits_parse_count(const char *text, int64_t *count)
{
    char *end;
    *count = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && *count > 0;
}

// How often a unit is 1024 times the one before; -1 = it is none.
static int power_of(const char *unit)
{
    static const char units[] = "KMG";
    if (!*unit) return 0;
    const char *at = strchr(units, *unit);
    return at && !unit[1] ? (int)(at - units) + 1 : -1;
}

bool limits_parse_size(const char *text, int64_t *bytes)
{
    char *end;
    *bytes = strtoll(text, &end, 10);
    int power = power_of(end);
    if (*text < '0' || *text > '9' || power < 0 || *bytes > INT64_MAX >> 10 * power) return false;
    *bytes <<= 10 * power;
    return *bytes > 0;
}

bool limits_parse_time(const char *text, int64_t *nanoseconds)
{
    char *end;
    double seconds = strtod(text, &end);
    if (*text < '0' || *text > '9' || *end || !(seconds * NANOSECONDS >= 1000)) return false;
    *nanoseconds =
        seconds < LONGEST ? (int64_t)(seconds * NANOSECONDS) : (int64_t)(LONGEST * NANOSECONDS);
    return true;
}
