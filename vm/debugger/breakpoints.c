// See breakpoints.h.
#include "vm/debugger/breakpoints.h"

#include "vm/debugger/condition.h"
#include "vm/debugger/visitor.h"

#include "objects/text/str.h"
#include "objects/text/utf8.h"

#include <string.h>

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
        if (breakpoint->line == line && text_is(code->filename, breakpoint->file)) return line;
    }
    return code->firstlineno;
}

Breakpoint *breakpoint_at(Frame *frame, bool count)
{
    if (!session->breakpoint_count) return NULL;
    int line = frame_line(frame), listed = listed_line(frame, line);
    for (int i = 0; i < session->breakpoint_count; i++) {
        Breakpoint *breakpoint = &session->breakpoints[i];
        if (!breakpoint->enabled || !breakpoint->line || breakpoint->line != listed) continue;
        if (!line_fits(breakpoint, frame, line)) continue;
        if (!text_is(as_code(frame->code)->filename, breakpoint->file)) continue;
        if (count) breakpoint->hits++;
        if (condition_holds(breakpoint, frame, count)) return breakpoint;
    }
    return NULL;
}

bool breakpoints_any(void)
{
    for (int i = 0; i < session->breakpoint_count; i++)
        if (session->breakpoints[i].enabled) return true;
    return false;
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
