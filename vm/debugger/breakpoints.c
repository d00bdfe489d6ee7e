// See breakpoints.h.
#include "vm/debugger/breakpoints.h"

#include "vm/debugger/condition.h"
#include "vm/debugger/visitor.h"

#include "frames/traceback.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/text/str.h"
#include "objects/text/utf8.h"
#include "objects/type.h"

#include <string.h>

#define RAISE "raise"

// Compares a str with UTF-8 text, and allocates nothing.
static bool text_is(ValueRef str, const char *utf8)
{
    const unsigned char *at = (const unsigned char *)utf8, *end = at + strlen(utf8);
    const Str *text = as_str(str);
    if (text->ascii) return str_equal_ascii(str, utf8);
    for (ssize_t i = 0; i < text->length; i++) {
        DecodeProblem problem;
        if (at == end || utf8_read(&at, end, &problem) != (int32_t)str_at(text, i)) return false;
    }
    return at == end;
}

// A function's breakpoint stops at the first line of the body, which is known after the first call.
static bool line_fits(Breakpoint *breakpoint, const Frame *frame, int line)
{
    const Code *code = as_code(frame->code);
    if (!*breakpoint->function) return breakpoint->line == line;
    if (breakpoint->line != code->firstlineno || !text_is(code->name, breakpoint->function))
        return false;
    if (!breakpoint->first_line) breakpoint->first_line = line;
    return breakpoint->first_line == line;
}

// An error in a condition stops the program, as in bdb, and does not count against `ignore`.
static bool condition_holds(Breakpoint *breakpoint, Frame *frame, bool count)
{
    bool holds = !*breakpoint->condition;
    VisitorAnswer answer;
    if (holds || condition_decide(&breakpoint->program, frame, &holds))
        answer = holds ? ANSWER_YES : ANSWER_NO;
    else
        answer = visitor_ask(frame, breakpoint->condition);
    if (answer == ANSWER_NO) return false;
    if (answer == ANSWER_ERROR || breakpoint->ignore <= 0) return true;
    if (count) breakpoint->ignore--;
    return false;
}

// The line whose breakpoints apply: this one if it has any, as in bdb, else the line of the `def`.
static int listed_line(const Frame *frame, int line)
{
    const Code *code = as_code(frame->code);
    for (int i = 0; i < session->breakpoint_count; i++) {
        const Breakpoint *breakpoint = &session->breakpoints[i];
        if (breakpoint->line == line && breakpoint->offset < 0 &&
            text_is(code->filename, breakpoint->file))
            return line;
    }
    return code->firstlineno;
}

// ---- what a breakpoint is on

typedef struct Visit {
    Frame *frame;
    FrameEvent event;
    ValueRef value;
    int line, listed; // 0 = none begins here
} Visit;

static bool is_on_line(Breakpoint *breakpoint, const Visit *visit)
{
    return visit->line && breakpoint->line == visit->listed &&
           line_fits(breakpoint, visit->frame, visit->line) &&
           text_is(as_code(visit->frame->code)->filename, breakpoint->file);
}

static bool is_on_instruction(const Breakpoint *breakpoint, const Visit *visit)
{
    const Code *code = as_code(visit->frame->code);
    return visit->event == EVENT_OPCODE && frame_lasti(visit->frame) == breakpoint->offset &&
           code->firstlineno == breakpoint->line && text_is(code->name, breakpoint->function) &&
           text_is(code->filename, breakpoint->file);
}

static bool has_base_named(const Type *type, const char *name)
{
    for (ssize_t i = 0; i < tuple_size(type->mro); i++)
        if (strcmp(type_short_name(as_type(tuple_at(type->mro, i))), name) == 0) return true;
    return false;
}

bool is_raised_here(FrameEvent event, ValueRef value)
{
    if (event != EVENT_EXCEPTION) return false;
    ValueRef traceback = as_exception(value)->traceback;
    return !traceback || !as_traceback(traceback)->next;
}

// The ends of iterators are everyday events: they stop only what names them.
static bool is_on_raise(const Breakpoint *breakpoint, const Visit *visit)
{
    if (strncmp(breakpoint->function, RAISE, strlen(RAISE)) != 0) return false;
    if (!is_raised_here(visit->event, visit->value)) return false;
    Type *type = type_of(visit->value);
    const char *wanted = breakpoint->function + strlen(RAISE);
    if (*wanted == ' ') return has_base_named(type, wanted + 1);
    return type != StopIteration && type != StopAsyncIteration && type != GeneratorExit;
}

static bool is_on(Breakpoint *breakpoint, const Visit *visit)
{
    if (!breakpoint->line) return is_on_raise(breakpoint, visit);
    if (breakpoint->offset >= 0) return is_on_instruction(breakpoint, visit);
    return is_on_line(breakpoint, visit);
}

Breakpoint *breakpoint_at(Frame *frame, FrameEvent event, ValueRef value, bool line, bool count)
{
    if (!session->breakpoint_count) return NULL;
    Visit visit = {.frame = frame, .event = event, .value = value};
    if (line) {
        visit.line = frame_line(frame);
        visit.listed = listed_line(frame, visit.line);
    }
    for (int i = 0; i < session->breakpoint_count; i++) {
        Breakpoint *breakpoint = &session->breakpoints[i];
        if (!breakpoint->enabled || !is_on(breakpoint, &visit)) continue;
        if (count) breakpoint->hits++;
        if (condition_holds(breakpoint, frame, count)) return breakpoint;
    }
    return NULL;
}

static bool any_enabled(bool uncaught)
{
    for (int i = 0; i < session->breakpoint_count; i++) {
        const Breakpoint *breakpoint = &session->breakpoints[i];
        bool is_on_uncaught = !breakpoint->line && strcmp(breakpoint->function, UNCAUGHT) == 0;
        if (breakpoint->enabled && is_on_uncaught == uncaught) return true;
    }
    return false;
}

bool breakpoints_any(void)
{
    return any_enabled(false);
}

bool breakpoints_any_uncaught(void)
{
    return any_enabled(true);
}

Breakpoint *breakpoint_on_event(const char *event, bool count)
{
    for (int i = 0; i < session->breakpoint_count; i++) {
        Breakpoint *breakpoint = &session->breakpoints[i];
        if (!breakpoint->enabled || breakpoint->line || strcmp(breakpoint->function, event) != 0)
            continue;
        if (count) breakpoint->hits++;
        if (breakpoint->ignore <= 0) return breakpoint;
        if (count) breakpoint->ignore--;
    }
    return NULL;
}

void breakpoint_remove(int number)
{
    int kept = 0;
    for (int i = 0; i < session->breakpoint_count; i++)
        if (session->breakpoints[i].number != number)
            session->breakpoints[kept++] = session->breakpoints[i];
    session->breakpoint_count = kept;
}
