// See step_commands.h. stop_frame, return_frame and stop_line are bdb's names.
#include "vm/debugger/step_commands.h"

#include "vm/debugger/expression_parts.h"

#include "objects/error.h"
#include "objects/exceptions/exception.h"

#define NOWHERE (-1) // a stop_line that no line reaches
#define FAR_AWAY INT64_MAX

typedef enum Manner { BY_EVENTS, BY_INSTRUCTIONS, TO_A_MOMENT } Manner;

// The command under way. stop_frame NULL: every frame stops.
static struct {
    Manner manner;
    Frame *stop_frame, *return_frame; // only compared, never read: they may have ended
    bool in_generator;                // stop_frame is a generator's
    int stop_line;
    bool expression; // BY_INSTRUCTIONS: after those that compute something
    bool part_ends;  // with the instruction at which stop_frame was seen last
    Moment to;
} plan;

static bool is_generator(const Frame *frame)
{
    return frame->flags & FRAME_GENERATOR;
}

static void stop_in(Frame *stop_frame, Frame *return_frame, int stop_line)
{
    plan.stop_frame = stop_frame;
    plan.in_generator = stop_frame && is_generator(stop_frame);
    plan.return_frame = return_frame;
    plan.stop_line = stop_line;
}

// The address of no frame that runs. As stop_frame it means: stop at breakpoints only, as
// `continue` does.
static Frame *no_frame(void)
{
    static Frame none;
    return &none;
}

static void stop_after(Frame *frame)
{
    if (is_generator(frame))
        stop_in(frame, NULL, NOWHERE);
    else
        stop_in(frame->previous ? frame->previous : no_frame(), frame, 0);
}

static void begin_events(const StepCommand *command, bool returning)
{
    switch (command->kind) {
    case STEP_NEXT: stop_in(returning ? NULL : command->frame, NULL, 0); break;
    case STEP_UNTIL:
        if (returning)
            stop_in(NULL, NULL, 0);
        else
            stop_in(command->frame, command->frame, command->line);
        break;
    case STEP_RETURN: stop_after(command->frame); break;
    case STEP_CONTINUE: stop_in(no_frame(), NULL, NOWHERE); break;
    default: stop_in(NULL, NULL, 0);
    }
}

static bool part_ends_here(const Frame *frame)
{
    return frame_lasti(frame) >= 0 && part_ends(as_code(frame->code), frame_lasti(frame));
}

// Does the instruction at which the command's frame stands end a part? It is about to run, or waits
// for a call.
static bool part_under_way_ends(const StepCommand *command, const Stop *stop,
                                const Frame *stopped_in)
{
    const Frame *frame = command->frame;
    bool begins = stop->reason == STOP_LINE || stop->reason == STOP_INSTRUCTION;
    return frame && (frame != stopped_in || begins) && part_ends_here(frame);
}

void step_begin(const StepCommand *command, const Stop *stop, const Frame *stopped_in)
{
    bool returning = stop->reason == STOP_RETURN && command->frame == stopped_in;
    plan.manner = BY_EVENTS;
    plan.expression = command->kind == STEP_EXPRESSION;
    plan.part_ends = part_under_way_ends(command, stop, stopped_in);
    switch (command->kind) {
    case STEP_INSTRUCTION:
    case STEP_NEXT_INSTRUCTION:
    case STEP_EXPRESSION:
        plan.manner = BY_INSTRUCTIONS;
        plan.stop_frame = command->kind == STEP_INSTRUCTION || returning ? NULL : command->frame;
        break;
    case STEP_TO:
        plan.manner = TO_A_MOMENT;
        plan.to = command->moment;
        break;
    default: begin_events(command, returning);
    }
}

bool step_looks(Moment *until)
{
    *until = plan.manner == TO_A_MOMENT ? plan.to : (Moment){FAR_AWAY, 0};
    return plan.manner == BY_INSTRUCTIONS ||
           (plan.manner == BY_EVENTS && plan.stop_frame != no_frame());
}

bool step_looks_in(const Frame *frame)
{
    bool leaves_generator = plan.stop_line == NOWHERE && plan.in_generator;
    return !plan.stop_frame || plan.stop_frame == frame || leaves_generator;
}

StopReason step_reason(FrameEvent event, bool line)
{
    switch (event) {
    case EVENT_CALL: return STOP_CALL;
    case EVENT_RETURN:
    case EVENT_UNWIND: return STOP_RETURN;
    case EVENT_EXCEPTION: return STOP_EXCEPTION;
    default: return line ? STOP_LINE : STOP_INSTRUCTION;
    }
}

// ---- bdb's rules

static bool stops_here(const Frame *frame)
{
    if (!plan.stop_frame) return true;
    if (plan.stop_frame != frame || plan.stop_line == NOWHERE) return false;
    return plan.stop_line == 0 || frame_line(frame) >= plan.stop_line;
}

// bdb's rule: a StopIteration that ends a generator does not stop in the generator itself. After
// `return` in a generator it stops in the frame that iterates over it.
static bool stops_at_exception(const Frame *frame, ValueRef exception)
{
    Type *type = type_of(exception);
    if (stops_here(frame))
        return !(is_generator(frame) && type == StopIteration &&
                 !as_exception(exception)->traceback);
    return plan.in_generator && plan.stop_frame != frame &&
           (type == StopIteration || type == GeneratorExit);
}

static bool stops_at_event(const Frame *frame, FrameEvent event, ValueRef value, bool line)
{
    bool resumes = plan.stop_frame && is_generator(frame);
    switch (event) {
    case EVENT_OPCODE: return line && stops_here(frame);
    case EVENT_CALL: return stops_here(frame) && !resumes;
    case EVENT_RETURN:
    case EVENT_UNWIND:
        return (stops_here(frame) || frame == plan.return_frame) &&
               !(plan.stop_frame && is_generator(frame));
    case EVENT_EXCEPTION: return stops_at_exception(frame, value);
    default: return false;
    }
}

bool step_into_stops(Frame *frame, FrameEvent event, ValueRef value, bool line)
{
    Frame *before = plan.stop_frame;
    plan.stop_frame = NULL;
    bool stops = stops_at_event(frame, event, value, line);
    plan.stop_frame = before;
    return stops;
}

// ---- single instructions

static bool stops_at_instruction(const Frame *frame, FrameEvent event)
{
    if (plan.stop_frame && frame != plan.stop_frame) return false;
    bool leaves = event == EVENT_UNWIND || (event == EVENT_RETURN && !is_generator(frame));
    if (leaves) plan.stop_frame = NULL;
    if (event != EVENT_OPCODE) return false;
    if (!plan.expression || !plan.stop_frame) return true;
    bool ended = plan.part_ends;
    plan.part_ends = part_ends_here(frame);
    return ended;
}

bool step_stops(Frame *frame, FrameEvent event, ValueRef value, bool line, Moment now)
{
    switch (plan.manner) {
    case TO_A_MOMENT: return moment_compare(now, plan.to) >= 0;
    case BY_INSTRUCTIONS: return stops_at_instruction(frame, event);
    default: return stops_at_event(frame, event, value, line);
    }
}
