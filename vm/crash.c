// See crash.h.
#include "vm/crash.h"

#include "vm/outside/outside.h"

#include "compiler/opcode.h"
#include "frames/frame.h"
#include "objects/bytes/bytes.h"
#include "objects/memory.h"
#include "objects/text/text.h"

#include <string.h>

#define MOST_INSTRUCTIONS 32
#define MOST_FRAMES 10
#define LONGEST_TEXT 100 // of a name or a path: its end

static const char advice[] =
    "This is a fault of minivm, unless a plugin has done it. Please report it with these lines,\n"
    "what `minivm --version` prints, and the program, if it may be shown. The instructions that\n"
    "ran last, as far as that is known, the last one of each frame first:\n";

// A line is put together here: a handler's stack is small.
static char line[1024];
static size_t used;

static void put(const char *text)
{
    while (*text && used < sizeof line - 1) line[used++] = *text++;
}

static void put_number(int number)
{
    char digits[DECIMAL_MAX + 1] = {0};
    put(text_decimal(number, digits + DECIMAL_MAX));
}

static void put_str(ValueRef value)
{
    if (!value || !str_check(value)) {
        put("?");
        return;
    }
    const Str *text = as_str(value);
    ssize_t length = str_length(value), first = length > LONGEST_TEXT ? length - LONGEST_TEXT : 0;
    for (ssize_t i = first; i < length && used < sizeof line - 1; i++) {
        uint32_t point = str_at(text, i);
        line[used++] = point >= ' ' && point < 127 ? (char)point : '?';
    }
}

static void end_line(void)
{
    line[used++] = '\n';
    outside_write_last(line, used);
    used = 0;
}

// ---- what ran before

typedef struct Bytecode {
    const uint8_t *bytes;
    int count; // of the instructions
} Bytecode;

// Does any jump, or any block's handler, lead to an instruction?
static bool is_target(const Bytecode *code, int index)
{
    uint32_t arg = 0;
    for (int i = 0; i < code->count; i++) {
        int opcode = code->bytes[2 * i];
        arg |= code->bytes[2 * i + 1];
        if (opcode == EXTENDED_ARG) {
            arg <<= 8;
            continue;
        }
        bool relative = opcode_operand(opcode) == OPERAND_JUMP_RELATIVE;
        int64_t target = (int64_t)arg / 2 + (relative ? i + 1 : 0);
        if (opcode_is_jump(opcode) && target == index) return true;
        arg = 0;
    }
    return false;
}

// The instructions of a frame, as many as there is room for: how many.
static int put_instructions(const Bytecode *code, int index, int room)
{
    int named = 0;
    for (; index >= 0 && named < room; index--) {
        const char *name = opcode_name(code->bytes[2 * index]);
        put(named ? ", " : "    ");
        put_number(2 * index);
        put(" ");
        put(name ? name : "?");
        named++;
        if (is_target(code, index)) {
            put(", to which a jump may have led");
            break;
        }
        if (index > 0 && opcode_is(code->bytes[2 * index - 2], ENDS_FLOW)) break;
    }
    return named;
}

static int put_frame(const Frame *frame, int room)
{
    if (!code_check(frame->code)) {
        put("  a frame without code");
        return 1;
    }
    const Code *code = as_code(frame->code);
    const QuickCode *quick = quick_of(code);
    int64_t index = quick ? frame->ip - quick->instructions : -1;
    bool known = index >= 0 && index < quick->count && bytes_check(code->code);
    put("  File \"");
    put_str(code->filename);
    put("\", line ");
    put_number(known ? code_line_at(code, 2 * (int)index) : code->firstlineno);
    put(" in ");
    put_str(code->name);
    end_line();
    if (!known) {
        put("    before its first instruction");
        return 1;
    }
    const Bytecode bytecode = {(const uint8_t *)as_bytes(code->code)->data, (int)quick->count};
    return put_instructions(&bytecode, (int)index, room);
}

static void put_frames(void)
{
    int left = MOST_INSTRUCTIONS, count = 0;
    const Frame *frame = thread_state.frame;
    if (!frame) {
        put("  none: no program runs");
        end_line();
    }
    for (; frame && left > 0 && count < MOST_FRAMES; frame = frame->previous, count++) {
        left -= put_frame(frame, left);
        end_line();
    }
    if (frame) {
        put("  and its callers");
        end_line();
    }
}

static void report(const char *signal)
{
    put("minivm: crashed by ");
    put(signal);
    end_line();
    outside_write_last(advice, sizeof advice - 1);
    put_frames();
}

void crash_init(void)
{
    if (!MEMORY_SANITIZED) outside_report_crashes(report);
}
