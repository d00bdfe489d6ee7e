// Where a line begins: see the header.
//
// An instruction that has an EXTENDED_ARG in front began there, as in CPython.
#include "vm/line_events.h"

static uint32_t period;

static bool has_prefix(const Frame *frame, int at)
{
    return quick_of(as_code(frame->code))->has_prefix && frame_lasti(frame) != 2 * at;
}

static bool jumped_back(const Frame *frame, int at)
{
    if (!(frame->flags & FRAME_LINES) || frame->line_period != period) return false;
    return at < frame->line_passed;
}

bool line_event(const Frame *frame)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    int at = (int)(frame->ip - quick->instructions);
    if (has_prefix(frame, at)) return false;
    return quick_begins_line(quick, at) || jumped_back(frame, at);
}

static void remember(Frame *frame, int32_t passed)
{
    frame->line_passed = passed;
    frame->line_period = period;
    frame->flags |= FRAME_LINES;
}

void line_event_passed(Frame *frame)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    ptrdiff_t at = frame->ip - quick->instructions;
    remember(frame, (int32_t)(quick->has_prefix ? frame_lasti(frame) / 2 : at));
}

void line_event_handler(Frame *frame)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    int at = frame_lasti(frame) / 2, start = at;
    while (!quick_begins_line(quick, start)) start--;
    if (start != at && start > 0) remember(frame, INT32_MAX);
}

void line_events_restart(void)
{
    period++;
}
