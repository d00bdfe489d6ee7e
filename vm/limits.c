// The limits of a run: see limits.h.
#include "vm/limits.h"

#include "frames/frame.h"
#include "frames/observe.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/import/library.h"
#include "vm/outside/outside.h"
#include "vm/outside/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NANOSECONDS 1e9
#define LONGEST 2e9 // seconds: more than sixty years
#define RESERVE ((size_t)1 << 20) // bytes, for what C does yet when it is out of memory

bool limit_reached;

static Limits limits;
static const char *reached_option; // its name
static int reached_status;
static void (*before_end)(bool may_write);

// ---- the end

static void note_reached(const char *option, int status)
{
    if (limit_reached) return; // the first one counts
    limit_reached = true;
    reached_option = option;
    reached_status = status;
}

// The file of a frame of the program; NULL for one of the library, whose lines mean nothing to the
// reader.
static const char *file_of(const Frame *frame)
{
    const char *name = str_utf8(as_code(frame->code)->filename, NULL);
    return name && strncmp(name, LIBRARY_ENTRY "/", sizeof LIBRARY_ENTRY) ? name : NULL;
}

static void print_place(void)
{
    const Frame *frame = thread_state.frame;
    while (frame && !file_of(frame)) frame = frame->previous;
    if (frame) fprintf(stderr, ", in line %d of %s", frame_line(frame), file_of(frame));
}

void limits_end(void)
{
    static bool ending;
    if (ending) outside_end(reached_status); // the program's own code ran while it ended
    ending = true;
    outside_limit_output(INT64_MAX, NULL);
    memory_set_limit(0, NULL); // what ends the program may need some
    before_end(reached_status != STATUS_MAX_OUTPUT);
    fprintf(stderr, "minivm: stopped by %s", reached_option);
    print_place();
    fputc('\n', stderr);
    fflush(stderr);
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

bool limits_begin(const Limits *wanted, void (*last)(bool may_write))
{
    limits = *wanted;
    before_end = last;
    if (limits.steps || limits.time || limits.memory || limits.output) sandbox_forbid_processes();
    if (limits.memory) memory_set_limit((size_t)limits.memory, on_memory);
    if (limits.output) outside_limit_output(limits.output, on_output);
    if (limits.steps) {
        ticks_start();
        ticks_set_alarm(limits.steps, on_step);
    }
    return !limits.time ||
           outside_set_deadline(limits.time, "minivm: stopped by --max-time\n", STATUS_MAX_TIME);
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
