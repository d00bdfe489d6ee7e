// The lines of --trace:
//
//     --> add (script.mpy:3)
//       4      0 LOAD_FAST                0 (a)           0 [] -> 1 [2]
//              2 LOAD_GLOBAL              0 (other)       1 [2] -> 2 [2, <function other>]
//              4 CALL_FUNCTION            0               2 [2, <function other>] -> ...
//     --> other (script.mpy:1)
//       ...
//     <-- other returns 5
//     ... add (script.mpy:4)                              -> 2 [2, 5]
//       |      | |                        |               |
//       line   | opcode, operand and what the operand     the value stack before -> after: how many
//              offset                     means           values, and these
//
// The stack after an instruction is known only at the frame's next event. So the line of an
// instruction that enters another frame ends in dots. When the first frame continues, a line that
// begins with dots names it and shows its stack. For an instruction that raises, the exception is
// shown instead of the stack.
#include "vm/trace/trace_text.h"

#include "compiler/opcode.h"
#include "frames/observe.h"
#include "vm/colours.h"
#include "vm/outside/outside.h"
#include "vm/trace/trace_view.h"

#include "objects/error.h"
#include "objects/looking/show.h"
#include "objects/text/str.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_BYTES 8192
#define STACK_COLUMN 56
#define TEXT_BYTES 2000

static struct {
    char line[LINE_BYTES]; // of an instruction, up to the arrow
    size_t length;
    Frame *frame;     // the instruction's; NULL = no line has begun
    Frame *last;      // the frame that the last line is about, NULL = one that was left
    LineCursor lines; // in its code
    int number;       // the source line that was named last, in this frame
    int descriptor;
    bool is_coloured;
} trace;

// ---- lines

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    size_t room = sizeof trace.line - trace.length;
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(trace.line + trace.length, room, format, arguments);
    va_end(arguments);
    trace.length += (size_t)count < room ? (size_t)count : room - 1;
}

static void put_column(void)
{
    put("%*s", trace.length < STACK_COLUMN ? (int)(STACK_COLUMN - trace.length) : 1, "");
}

static void write_coloured(void)
{
    Value error = error_take();
    Value line = coloured_code(str_from_utf8(trace.line, trace.length), true);
    size_t size;
    const char *text = line ? str_utf8(line, &size) : NULL;
    if (text) outside_write_all(trace.descriptor, text, size);
    drop(line);
    error_clear();
    error_restore(error);
}

// False where that was interrupted and the signal's handler raised.
static bool end_line(void)
{
    bool pending = error_pending();
    put("\n");
    if (trace.is_coloured)
        write_coloured();
    else
        outside_write_all(trace.descriptor, trace.line, trace.length);
    trace.length = 0;
    trace.frame = NULL;
    return pending || !error_pending();
}

static void put_value(ValueRef value)
{
    char text[TEXT_BYTES];
    show_value(text, sizeof text, value, NULL);
    put("%s", text);
}

static void put_location(Frame *frame)
{
    char text[300];
    trace_location(text, sizeof text, frame);
    put("%s", text);
}

static void put_stack(Frame *frame)
{
    char text[LINE_BYTES / 2 - 200];
    trace_stack(text, sizeof text, frame);
    put("%s", text);
}

// ---- what is said of each event

static void set_last(Frame *frame)
{
    trace.last = frame;
    trace.lines = (LineCursor){.code = as_code(frame->code)};
}

static int line_of_last(int offset)
{
    if (offset < trace.lines.start) set_last(trace.last);
    return code_next_line(&trace.lines, offset);
}

// A line that another frame's event cuts short.
static bool interrupt_line(void)
{
    if (!trace.frame) return true;
    put(" -> ...");
    return end_line();
}

// The arrow after the last instruction that this frame began. A frame just entered has none.
static bool begin_result(Frame *frame)
{
    if (trace.frame == frame) {
        put(" -> ");
        return true;
    }
    if (!interrupt_line() || trace.last == frame) return false;
    put("... ");
    put_location(frame);
    put_column();
    put("-> ");
    set_last(frame);
    trace.number = line_of_last(frame_lasti(frame));
    return true;
}

static bool end_instruction(Frame *frame)
{
    if (!begin_result(frame)) return !error_pending();
    put_stack(frame);
    return end_line();
}

static bool on_instruction(Frame *frame)
{
    char meaning[200];
    if (!end_instruction(frame)) return false;
    if (trace.last != frame) set_last(frame);
    const Code *code = as_code(frame->code);
    int offset = frame_lasti(frame), line = line_of_last(offset);
    TraceInstruction at = trace_instruction(code, offset);
    put("%*.0d %6d ", 5, line != trace.number ? line : 0, offset);
    if (at.opcode >= HAVE_ARGUMENT)
        put("%-20s %5d", trace_opcode_name(at.opcode), at.operand);
    else
        put("%s", trace_opcode_name(at.opcode));
    if (trace_operand(meaning, sizeof meaning, code, offset)) put(" (%s)", meaning);
    put_column();
    put_stack(frame);
    trace.frame = frame;
    trace.number = line;
    return true;
}

static bool on_call(Frame *frame)
{
    if (!interrupt_line()) return false;
    put("--> ");
    put_location(frame);
    if (frame_lasti(frame) >= 0) put(" goes on");
    set_last(frame);
    trace.number = -1;
    return end_line();
}

static bool on_exception(Frame *frame, ValueRef exception)
{
    if (!begin_result(frame)) put("    ");
    put_value(exception);
    return end_line();
}

// `how`: what becomes of the value.
static bool on_leave(Frame *frame, const char *how, ValueRef value)
{
    if (!interrupt_line()) return false;
    put("<-- ");
    put_location(frame);
    put(" %s ", how);
    put_value(value);
    trace.last = NULL;
    return end_line();
}

static bool on_return(Frame *frame, ValueRef value)
{
    int opcode = trace_instruction(as_code(frame->code), frame_lasti(frame)).opcode;
    bool yields = opcode_is(opcode, SUSPENDS);
    return end_instruction(frame) && on_leave(frame, yields ? "yields" : "returns", value);
}

static bool observe(Frame *frame, FrameEvent event, ValueRef value)
{
    if (!trace_is_own(as_code(frame->code))) return true;
    switch (event) {
    case EVENT_CALL: return on_call(frame);
    case EVENT_OPCODE: return on_instruction(frame);
    case EVENT_RETURN: return on_return(frame, value);
    case EVENT_EXCEPTION: return on_exception(frame, value);
    default: return on_leave(frame, "is left by", value);
    }
}

void trace_text_start(void)
{
    trace.descriptor = outside_copy_aside(2);
    trace.is_coloured = colours_wanted(2);
    observer_set(OBSERVER_RECORDER, observe);
}
