// Where a line begins: see the header.
//
// An instruction begins at its first EXTENDED_ARG, as in CPython.
#include "vm/settrace/line_events.h"

static uint32_t flag_of[LINE_READERS] = {FRAME_LINES, FRAME_LINES_SEEN};
static bool reading[LINE_READERS];
static uint32_t period[LINE_READERS];

void line_events_read(LineReader reader, bool reads)
{
    reading[reader] = reads;
}

void line_events_forget(LineReader reader)
{
    period[reader]++;
}

static bool has_prefix(const Frame *frame, int at)
{
    return quick_of(as_code(frame->code))->has_prefix && frame_lasti(frame) != 2 * at;
}

static bool jumped_back(const Frame *frame, LineReader reader, int at)
{
    const LinesPassed *passed = &frame->passed[reader];
    if (!(frame->flags & flag_of[reader]) || passed->period != period[reader]) return false;
    return at < passed->at;
}

bool line_event(const Frame *frame, LineReader reader)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    int at = (int)(frame->ip - quick->instructions);
    if (has_prefix(frame, at)) return false;
    return quick_begins_line(quick, at) || jumped_back(frame, reader, at);
}

static void remember_for(Frame *frame, LineReader reader, int32_t at)
{
    frame->passed[reader] = (LinesPassed){at, period[reader]};
    frame->flags |= flag_of[reader];
}

static void remember(Frame *frame, int32_t at)
{
    for (LineReader reader = 0; reader < LINE_READERS; reader++)
        if (reading[reader]) remember_for(frame, reader, at);
}

static int32_t instruction_at(const Frame *frame)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    ptrdiff_t at = frame->ip - quick->instructions;
    return (int32_t)(quick->has_prefix ? frame_lasti(frame) / 2 : at);
}

void line_event_passed(Frame *frame)
{
    remember(frame, instruction_at(frame));
}

void line_event_passed_by(Frame *frame, LineReader reader)
{
    remember_for(frame, reader, instruction_at(frame));
}

void line_event_handler(Frame *frame)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    int at = frame_lasti(frame) / 2, start = at;
    while (!quick_begins_line(quick, start)) start--;
    if (start != at && start > 0) remember(frame, INT32_MAX);
}
