// The text of tracebacks and of uncaught exceptions, as CPython 3.9 prints it to the letter.
//
// The result is one str. Script code runs here (__str__, attributes of a SyntaxError); what it
// raises is dropped, as in CPython. A chain of causes and contexts is followed in a loop, without
// recursion. It ends at an exception that is in the chain already.
#include "frames/traceback.h"

#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#include <stdio.h>

#define REPEATS_SHOWN 3 // equal lines of a traceback, before "[Previous line repeated ...]"

// ---- tracebacks

static bool append_owned(StrBuilder *out, Value text)
{
    if (!text) return false;
    bool done = builder_str(out, text);
    drop(text);
    return done;
}

static bool is_blank(uint32_t point)
{
    return point == ' ' || point == '\t' || point == '\f';
}

// The line of the file, without its indentation; nothing where it cannot be read.
static bool append_source_line(StrBuilder *out, ValueRef filename, int number)
{
    if (!upcalls.source_line) return true;
    Value line = upcalls.source_line(filename, number);
    if (!line) error_clear();
    if (!line || line == ABSENT) return true;
    ssize_t start = 0, end = str_length(line);
    while (start < end && is_blank(str_at(as_str(line), start))) start++;
    bool done = builder_text(out, "    ") && builder_slice(out, line, start, end) &&
                builder_char(out, '\n');
    drop(line);
    return done;
}

static bool append_location(StrBuilder *out, const Code *code, int line)
{
    Value text = format_text("  File \"%S\", line %d, in %S\n", code->filename, line, code->name);
    return append_owned(out, text) && append_source_line(out, code->filename, line);
}

static bool append_repeats(StrBuilder *out, ssize_t count)
{
    if (count <= REPEATS_SHOWN) return true;
    count -= REPEATS_SHOWN;
    char text[80];
    snprintf(text, sizeof text, "  [Previous line repeated %zd more time%s]\n", count,
             count > 1 ? "s" : "");
    return builder_text(out, text);
}

static const Code *traceback_code(const Traceback *traceback)
{
    return as_code(as_frame_object(traceback->frame)->frame->code);
}

static bool append_places(StrBuilder *out, ValueRef traceback)
{
    const Code *last = NULL;
    int last_line = -1;
    ssize_t count = 0;
    for (; traceback; traceback = as_traceback(traceback)->next) {
        const Code *code = traceback_code(as_traceback(traceback));
        int line = traceback_line(as_traceback(traceback));
        if (!last || code->filename != last->filename || code->name != last->name ||
            line != last_line) {
            if (!append_repeats(out, count)) return false;
            last = code;
            last_line = line;
            count = 0;
        }
        if (++count <= REPEATS_SHOWN && !append_location(out, code, line)) return false;
    }
    return append_repeats(out, count);
}

static bool append_traceback(StrBuilder *out, ValueRef traceback, ssize_t limit)
{
    ssize_t depth = 0;
    for (ValueRef link = traceback; link; link = as_traceback(link)->next) depth++;
    if (limit <= 0) return true;
    for (; depth > limit; depth--) traceback = as_traceback(traceback)->next;
    return builder_text(out, "Traceback (most recent call last):\n") &&
           append_places(out, traceback);
}

static Value finish_text(StrBuilder *out, bool done)
{
    if (done) return builder_finish(out);
    builder_abandon(out);
    return VALUE_ERROR;
}

Value traceback_format(ValueRef traceback, ssize_t limit)
{
    StrBuilder out;
    builder_begin(&out);
    return finish_text(&out, append_traceback(&out, traceback, limit));
}

// ---- the form of a SyntaxError

typedef struct SyntaxLocation {
    Value message, filename, text; // text 0 = none
    ssize_t line, offset;
} SyntaxLocation;

static bool number_attribute(ValueRef exception, ValueRef name, ssize_t *number)
{
    Value value = object_get(exception, name);
    if (!value) return false;
    bool done = true;
    if (value == NONE && name == NAME(offset))
        *number = -1;
    else
        done = object_as_ssize(value, number, OverflowError);
    drop(value);
    return done;
}

static void location_drop(SyntaxLocation *location)
{
    drop(location->message);
    drop(location->filename);
    drop(location->text);
}

static bool read_location(ValueRef exception, SyntaxLocation *location)
{
    *location = (SyntaxLocation){0};
    if ((location->message = object_get(exception, NAME(msg))) &&
        (location->filename = object_get(exception, NAME(filename))) &&
        number_attribute(exception, NAME(lineno), &location->line) &&
        number_attribute(exception, NAME(offset), &location->offset) &&
        (location->text = object_get(exception, NAME(text)))) {
        if (location->text == NONE) location->text = VALUE_ERROR;
        return true;
    }
    error_clear();
    location_drop(location);
    return false;
}

// The caret's column counts bytes of UTF-8, as in CPython; it goes with the text when leading
// blanks and whole lines in front of it are left out.
static bool append_marked_line(StrBuilder *out, const char *text, ssize_t offset)
{
    offset--;
    for (; is_blank((uint32_t)(unsigned char)*text); text++) offset--;
    ssize_t length = (ssize_t)strlen(text);
    if (length > 0 && text[length - 1] == '\n') length--;
    if (offset > length) offset = length;
    const char *newline;
    while ((newline = strchr(text, '\n')) && newline - text < offset) {
        ssize_t skipped = newline + 1 - text;
        text += skipped;
        length -= skipped;
        offset -= skipped;
    }
    bool ends = length >= 0 && text[length] == '\n';
    return builder_text(out, "    ") && builder_text(out, text) &&
           (ends || builder_char(out, '\n')) &&
           (offset < 0 || (builder_text(out, "    ") && builder_fill(out, ' ', offset) &&
                           builder_text(out, "^\n")));
}

static bool append_syntax_location(StrBuilder *out, const SyntaxLocation *location)
{
    Value line = location->filename == NONE
                     ? format_text("  File \"<string>\", line %zd\n", location->line)
                     : format_text("  File \"%S\", line %zd\n", location->filename, location->line);
    if (!append_owned(out, line)) return false;
    if (!location->text) return true;
    if (!str_check(location->text)) return raise_error(TypeError, "bad argument type");
    const char *text = str_utf8(location->text, NULL);
    return text && append_marked_line(out, text, location->offset);
}

// ---- an exception's own line

static bool append_class(StrBuilder *out, Type *type)
{
    Value module = object_get(ref_of(type), NAME(__module__));
    bool done;
    if (!module || !str_check(module)) {
        error_clear();
        done = builder_text(out, "<unknown>.");
    } else {
        done = str_equal_ascii(module, "builtins") ||
               (builder_str(out, module) && builder_char(out, '.'));
    }
    drop(module);
    return done && append_owned(out, type_qualname(type));
}

static bool append_message(StrBuilder *out, ValueRef value)
{
    if (value == NONE) return true;
    Value text = object_str(value);
    if (!text) {
        error_clear();
        return builder_text(out, ": <exception str() failed>");
    }
    bool done = str_length(text) == 0 || (builder_text(out, ": ") && builder_str(out, text));
    drop(text);
    return done;
}

// "type: text"; of a SyntaxError, after its location. False = something could not be shown.
static bool append_summary(StrBuilder *out, ValueRef exception)
{
    Value mark = object_get_optional(exception, NAME(print_file_and_line));
    SyntaxLocation location;
    if (!mark) error_clear();
    bool has_location = mark && mark != ABSENT && read_location(exception, &location);
    drop(mark);
    if (!has_location)
        return append_class(out, type_of(exception)) && append_message(out, exception);
    bool done = append_syntax_location(out, &location) && append_class(out, type_of(exception)) &&
                append_message(out, location.message);
    location_drop(&location);
    return done;
}

// Errors of script code are dropped, and the line is ended; only MemoryError makes this fail.
static bool append_exception(StrBuilder *out, ValueRef exception, ssize_t limit)
{
    if (!exception_check(exception)) {
        Value text = format_text("TypeError: print_exception(): Exception expected for value, %T "
                                 "found\n",
                                 exception);
        return append_owned(out, text);
    }
    Value traceback = as_exception(exception)->traceback;
    if (traceback) {
        traceback = retain(traceback);
        bool done = append_traceback(out, traceback, limit);
        drop(traceback);
        if (!done) return false;
    }
    if (!append_summary(out, exception)) {
        if (error_is(MemoryError)) return false;
        error_clear();
    }
    return builder_char(out, '\n');
}

Value exception_format_only(ValueRef exception)
{
    StrBuilder out;
    builder_begin(&out);
    bool done = append_summary(&out, exception) && builder_char(&out, '\n');
    return finish_text(&out, done);
}

// ---- chains

typedef enum ChainRelation { RELATION_NONE, RELATION_CAUSE, RELATION_CONTEXT } ChainRelation;

// How an exception is related to the one that is printed before it.
static ChainRelation relation_of(ValueRef value)
{
    if (!exception_check(value)) return RELATION_NONE;
    const ExceptionObject *exception = as_exception(value);
    if (exception->cause) return RELATION_CAUSE;
    return exception->context && !exception->suppress_context ? RELATION_CONTEXT : RELATION_NONE;
}

// The exception that is printed before this one: borrowed, VALUE_ERROR = none.
static ValueRef printed_before(ValueRef exception)
{
    switch (relation_of(exception)) {
    case RELATION_CAUSE: return as_exception(exception)->cause;
    case RELATION_CONTEXT: return as_exception(exception)->context;
    default: return VALUE_ERROR;
    }
}

// The exceptions of the chain, the last one raised first, in a list.
static bool collect_chain(ValueRef exception, ValueRef chain, ValueRef seen)
{
    for (; exception; exception = printed_before(exception)) {
        Value address = from_small(memory_id(object_of(exception)));
        bool found;
        if (!set_contains(seen, address, &found)) return false;
        if (found) return true;
        if (!set_add(seen, address) || !list_append(chain, exception)) return false;
    }
    return true;
}

static bool append_chain(StrBuilder *out, ValueRef chain, ssize_t limit)
{
    static const char *const texts[] = {
        [RELATION_CAUSE] = "\nThe above exception was the direct cause of the following "
                           "exception:\n\n",
        [RELATION_CONTEXT] = "\nDuring handling of the above exception, another exception "
                             "occurred:\n\n",
    };
    for (ssize_t i = list_size(chain); --i >= 0;) {
        if (!append_exception(out, list_at(chain, i), limit)) return false;
        if (i == 0) return true;
        ChainRelation relation = relation_of(list_at(chain, i - 1));
        if (relation != RELATION_NONE && !builder_text(out, texts[relation])) return false;
    }
    return true;
}

Value exception_format(ValueRef exception, ssize_t limit)
{
    StrBuilder out;
    builder_begin(&out);
    Value chain = list_new(0), seen = set_new(VALUE_ERROR);
    bool done = chain && seen;
    if (done && is_object(exception)) done = collect_chain(exception, chain, seen);
    if (done && is_object(exception)) done = append_chain(&out, chain, limit);
    if (done && !is_object(exception)) done = append_exception(&out, exception, limit);
    drop(chain);
    drop(seen);
    return finish_text(&out, done);
}
