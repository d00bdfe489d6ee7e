// See colours.h. A text is coloured line by line, by what its words look like:
//
//       File "script.mpy", line 3, in add        the name of the file, the number, the function
//     ZeroDivisionError: division by zero        the type, the message
//       4 >>    6 LOAD_FAST      0 (a)           the opcode, what the operand means
//     > /home/script.mpy(3)add()                 the mark, the file, the number, the function
//     -> return a / b                            the mark, the line
//       3 B->         return a / b               the breakpoint, the mark, the line
//     *** NameError: name 'c' is not defined     all of it
#include "vm/colours.h"

#include "vm/outside/outside.h"

#include "objects/error.h"
#include "objects/text/str.h"

#include <stdio.h>
#include <string.h>

#define RESET "\033[0m"
#define NAMED "\033[35m"   // magenta
#define TYPE "\033[1;35m"  // bold magenta
#define OPCODE "\033[36m"  // cyan
#define MEANING "\033[33m" // yellow
#define MARK "\033[1;32m"  // bold green
#define CURRENT "\033[1m"  // bold
#define TROUBLE "\033[31m" // red

bool colours_wanted(int descriptor)
{
    const char *no = outside_environment("NO_COLOR"), *terminal = outside_environment("TERM");
    if ((no && *no) || !terminal || strcmp(terminal, "dumb") == 0) return false;
    return outside_is_terminal(descriptor);
}

// A line of the text: [at, end), without its newline.
typedef struct Painter {
    StrBuilder out;
    ValueRef text;
    ssize_t at, end;
    bool in_message; // of an exception or of the debugger: it may have several lines
} Painter;

static bool plain(Painter *painter, ssize_t until)
{
    ssize_t from = painter->at;
    painter->at = until;
    return builder_slice(&painter->out, painter->text, from, until);
}

static bool paint(Painter *painter, const char *colour, ssize_t until)
{
    return until == painter->at || (builder_text(&painter->out, colour) && plain(painter, until) &&
                                    builder_text(&painter->out, RESET));
}

static bool stands_at(const Painter *painter, ssize_t at, const char *ascii)
{
    for (; *ascii; at++, ascii++)
        if (at >= painter->end || str_at(as_str(painter->text), at) != (uint32_t)*ascii)
            return false;
    return true;
}

// Where the text stands in the line; -1 = nowhere.
static ssize_t find(const Painter *painter, ssize_t from, const char *ascii)
{
    for (ssize_t at = from; at < painter->end; at++)
        if (stands_at(painter, at, ascii)) return at;
    return -1;
}

static uint32_t point(const Painter *painter, ssize_t at)
{
    return at < painter->end ? str_at(as_str(painter->text), at) : 0;
}

static bool is_digit(uint32_t one)
{
    return one >= '0' && one <= '9';
}

static ssize_t end_of_digits(const Painter *painter, ssize_t at)
{
    while (is_digit(point(painter, at))) at++;
    return at;
}

// ---- tracebacks

static bool paint_location(Painter *painter)
{
    ssize_t line = find(painter, painter->at, "\", line "), number = line + 8;
    if (line < 0) return true;
    ssize_t digits = end_of_digits(painter, number);
    if (!plain(painter, painter->at + 8) || !paint(painter, NAMED, line) ||
        !plain(painter, number) || !paint(painter, NAMED, digits))
        return false;
    bool names = stands_at(painter, digits, ", in ");
    return !names || (plain(painter, digits + 5) && paint(painter, NAMED, painter->end));
}

// The words of a type with its module, before a colon or the end of the line.
static ssize_t end_of_type(const Painter *painter)
{
    ssize_t at = painter->at;
    for (uint32_t one = point(painter, at); one && one != ':'; one = point(painter, ++at))
        if (one == ' ' || one == '"' || one == '(') return -1;
    return at;
}

static bool paint_summary(Painter *painter)
{
    ssize_t end = end_of_type(painter);
    if (end <= painter->at) return true;
    painter->in_message = true;
    return paint(painter, TYPE, end) && plain(painter, end + (end < painter->end)) &&
           paint(painter, NAMED, painter->end);
}

static bool paint_traceback_line(Painter *painter)
{
    bool is_location = stands_at(painter, painter->at, "  File \"");
    if (is_location || stands_at(painter, painter->at, "Traceback (")) painter->in_message = false;
    if (is_location) return paint_location(painter);
    return point(painter, painter->at) == ' ' || painter->in_message || paint_summary(painter);
}

// ---- bytecode

static bool is_of_opcode(uint32_t one)
{
    return (one >= 'A' && one <= 'Z') || one == '_';
}

// The first word in capitals, if numbers, blanks and arrows stand before it.
static bool paint_code_line(Painter *painter)
{
    ssize_t start = painter->at, end;
    while (point(painter, start) && strchr(" 0123456789>-", (int)point(painter, start))) start++;
    for (end = start; is_of_opcode(point(painter, end)); end++) {
    }
    if (end - start < 3 || point(painter, end) > ' ') return true;
    ssize_t arrow = find(painter, painter->at, "-->");
    if (arrow >= 0 && arrow < start && !(plain(painter, arrow) && paint(painter, MARK, arrow + 3)))
        return false;
    if (!plain(painter, start) || !paint(painter, OPCODE, end)) return false;
    while (point(painter, end) && strchr(" 0123456789", (int)point(painter, end))) end++;
    if (point(painter, end) != '(') return true;
    ssize_t close = find(painter, end, ")  "); // before the column of the stack, or at the end
    return plain(painter, end) && paint(painter, MEANING, close < 0 ? painter->end : close + 1);
}

// ---- the debugger's prompt

// FILE(LINE)NAME(), and more where the frame returns.
static bool paint_place(Painter *painter)
{
    ssize_t number = painter->at, end = -1;
    while (end <= number || point(painter, end) != ')') {
        number = find(painter, number, "(") + 1;
        if (number == 0) return true;
        end = end_of_digits(painter, number);
    }
    ssize_t name_end = find(painter, end, "()");
    return paint(painter, NAMED, number - 1) && plain(painter, number) &&
           paint(painter, NAMED, end) && plain(painter, end + 1) &&
           (name_end <= end + 1 || paint(painter, NAMED, name_end));
}

// `> ` or two blanks, then the place.
static bool paint_frame(Painter *painter)
{
    ssize_t start = painter->at;
    bool is_selected = point(painter, start) == '>';
    return (!is_selected || paint(painter, MARK, start + 1)) && plain(painter, start + 2) &&
           paint_place(painter);
}

static bool paint_current(Painter *painter, ssize_t after_mark)
{
    return paint(painter, MARK, after_mark) && plain(painter, after_mark + 1) &&
           paint(painter, CURRENT, painter->end);
}

// A number and blanks, then B, -> or >> in their columns, a tab, and the line.
static bool paint_numbered(Painter *painter, ssize_t number)
{
    ssize_t mark = end_of_digits(painter, number);
    while (point(painter, mark) == ' ') mark++;
    bool breaks = point(painter, mark) == 'B';
    if (breaks && !(plain(painter, mark) && paint(painter, TROUBLE, ++mark))) return false;
    if (stands_at(painter, mark, ">>\t"))
        return plain(painter, mark) && paint(painter, TROUBLE, mark + 2);
    return !stands_at(painter, mark, "->\t") ||
           (plain(painter, mark) && paint_current(painter, mark + 2));
}

static bool paint_debugger_line(Painter *painter)
{
    ssize_t at = painter->at, number = at;
    painter->in_message = painter->in_message || stands_at(painter, at, "*** ");
    if (painter->in_message) return paint(painter, TROUBLE, painter->end);
    if (stands_at(painter, at, "-> ")) return paint_current(painter, at + 2);
    if (stands_at(painter, at, "> ") || stands_at(painter, at, "  /") ||
        stands_at(painter, at, "  <"))
        return paint_frame(painter);
    if (point(painter, at) == '(' || stands_at(painter, at, "--"))
        return paint(painter, MARK, painter->end);
    while (point(painter, number) == ' ') number++;
    return !is_digit(point(painter, number)) || paint_numbered(painter, number);
}

// ---- texts

static bool each_line(Painter *painter, bool paint_line(Painter *))
{
    ssize_t length = str_length(painter->text);
    while (painter->at < length) {
        ssize_t newline = str_find_char(painter->text, '\n', painter->at, length, 1);
        painter->end = newline < 0 ? length : newline;
        if (!paint_line(painter) || !plain(painter, painter->end)) return false;
        if (newline >= 0 && !plain(painter, newline + 1)) return false;
    }
    return true;
}

static Value coloured(Value text, bool wanted, bool paint_line(Painter *))
{
    if (!text || !wanted) return text;
    Painter painter = {.text = text};
    builder_begin(&painter.out);
    bool done = each_line(&painter, paint_line);
    Value result = done ? builder_finish(&painter.out) : VALUE_ERROR;
    if (!done) builder_abandon(&painter.out);
    drop(text);
    return result;
}

Value coloured_traceback(Value text, bool wanted)
{
    return coloured(text, wanted, paint_traceback_line);
}

Value coloured_code(Value text, bool wanted)
{
    return coloured(text, wanted, paint_code_line);
}

Value coloured_place(Value text, bool wanted)
{
    return coloured(text, wanted, paint_debugger_line);
}

// ---- what a terminal obeys

// Marks that turn the direction of a text round are among it: they show a name as another one.
static bool is_obeyed(uint32_t one)
{
    if (one == '\n' || one == '\t') return false;
    return one < 32 || (one >= 127 && one < 0xA0) || (one >= 0x200E && one <= 0x200F) ||
           (one >= 0x2028 && one <= 0x202E) || (one >= 0x2066 && one <= 0x2069);
}

static bool build_without_controls(StrBuilder *out, ValueRef text)
{
    ssize_t length = str_length(text), from = 0;
    for (ssize_t at = 0; at < length; at++) {
        uint32_t one = str_at(as_str(text), at);
        char number[16];
        if (!is_obeyed(one)) continue;
        snprintf(number, sizeof number, one < 0x100 ? "\\x%02x" : "\\u%04x", one);
        if (!builder_slice(out, text, from, at) || !builder_text(out, number)) return false;
        from = at + 1;
    }
    return builder_slice(out, text, from, length);
}

Value without_controls(Value text, bool wanted)
{
    if (!text || !wanted) return text;
    StrBuilder out;
    builder_begin(&out);
    bool done = build_without_controls(&out, text);
    Value result = done ? builder_finish(&out) : VALUE_ERROR;
    if (!done) builder_abandon(&out);
    drop(text);
    return result;
}
