// The lines of --trace-cache:
//
//     f (script.mpy:7): entry 0 fails: the guard returned False; entry 1 hits
//     |  |              |                                        |
//     |  where it is    the entries tried, first to last         what follows from that
//     the frame's code
//
// With --trace-compile a frame that gets compiled has more of them. Those in the middle are told by
// the compiler (vm/lib/torch/_dynamo/logging.mpy):
//
//     f (script.mpy:7): entry 0 fails: the guard returned False; is compiled
//         graph __compiled_fn_1(x): add
//         compiled
//
// If there is no memory for a part of a line, the part is left out, and the program runs on.
#include "vm/trace/trace_cache.h"

#include "vm/import/library.h"
#include "vm/outside/outside.h"

#include "objects/error.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

static void put(StrBuilder *line, Value part)
{
    if (!part || !builder_str(line, part)) error_clear();
    drop(part);
}

static void put_location(StrBuilder *line, Frame *frame)
{
    const Code *code = as_code(frame->code);
    ssize_t length = str_length(code->filename);
    ssize_t slash = str_find_char(code->filename, '/', 0, length, -1);
    Value file = str_substring(code->filename, slash + 1, length);
    if (file)
        put(line,
            format_text("%S (%S:%d): ", (ValueRef)code->name, (ValueRef)file, frame_line(frame)));
    drop(file);
}

// The entries from `first` that were tried before `last`; NULL = all. Returns how many these are.
static int put_failed_entries(StrBuilder *line, ValueRef first, const CacheEntry *last)
{
    int number = 0;
    for (ValueRef next = first; next; next = as_cache_entry(next)->next) {
        const CacheEntry *entry = as_cache_entry(next);
        if (entry == last) break;
        put(line, format_text("entry %d fails", number++));
        if (entry->failure) put(line, format_text(": %S", (ValueRef)entry->failure));
        put(line, format_text("; "));
    }
    return number;
}

static Value reason_to_pass(CacheDecision decision, const void *extra)
{
    if (decision == CACHE_THROWN) return format_text("not looked at, an exception is thrown in");
    if (!extra) return format_text("not looked at, nothing is cached and nothing gets compiled");
    return format_text("not looked at, the code is marked %s",
                       extra == SKIP_CODE ? "SKIP_CODE" : "SKIP_CODE_RECURSIVE");
}

static void put_decision(StrBuilder *line, CacheDecision decision, const ExtraState *extra,
                         const CacheEntry *entry, ValueRef error)
{
    if (decision == CACHE_THROWN || decision == CACHE_PASSED_BY) {
        put(line, reason_to_pass(decision, extra));
        return;
    }
    bool is_new = decision == CACHE_COMPILED;
    int number = put_failed_entries(line, is_new ? entry->next : extra->entries, entry);
    switch (decision) {
    case CACHE_HIT: put(line, format_text("entry %d hits", number)); break;
    case CACHE_MISSED: put(line, format_text("runs as it is")); break;
    case CACHE_COMPILED: put(line, format_text("compiled")); break;
    case CACHE_SKIPPED: put(line, format_text("skipped from now on")); break;
    case CACHE_ASKS: put(line, format_text("is compiled")); break;
    default:
        put(line, entry ? format_text("the guard of entry %d raises %T", number, error)
                        : format_text("compiling raises %T", error));
    }
}

Value trace_cache_text(int decision, Frame *frame, const ExtraState *extra, const CacheEntry *entry,
                       ValueRef error)
{
    StrBuilder line;
    builder_begin(&line);
    put_location(&line, frame);
    put_decision(&line, decision, extra, entry, error);
    put(&line, format_text("\n"));
    return builder_finish(&line);
}

static void write_owned(Value text)
{
    size_t size;
    const char *utf8 = text ? str_utf8(text, &size) : NULL;
    if (utf8) outside_write_all(2, utf8, size);
    drop(text);
    error_clear();
}

static void trace(int decision, Frame *frame, const ExtraState *extra, const CacheEntry *entry)
{
    if (cache_is_step(decision)) return;
    Value error = error_take();
    write_owned(trace_cache_text(decision, frame, extra, entry, error));
    error_restore(error);
}

void trace_cache_start(void)
{
    upcalls.observe_cache = trace;
}

// ---- with what the compiler tells

static void told(ValueRef line)
{
    Value error = error_take();
    write_owned(format_text("    %S\n", line));
    error_restore(error);
}

bool trace_is_of_program(const Frame *frame)
{
    ValueRef filename = as_code(frame->code)->filename;
    const char *file = str_utf8(filename, NULL);
    if (!file) error_clear();
    return file && !is_library_file(filename) && strncmp(file, "<eval_with_key>", 15) != 0;
}

static void trace_compile(int decision, Frame *frame, const ExtraState *extra,
                          const CacheEntry *entry)
{
    if (decision == CACHE_GUARD_FAILED || !trace_is_of_program(frame)) return;
    Value error = error_take();
    if (decision == CACHE_COMPILED)
        write_owned(format_text("    compiled\n"));
    else if (decision == CACHE_SKIPPED)
        write_owned(format_text("    skipped from now on\n"));
    else if (decision == CACHE_FAILED && !entry)
        write_owned(format_text("    raises %T\n", (ValueRef)error));
    else
        write_owned(trace_cache_text(decision, frame, extra, entry, error));
    error_restore(error);
}

void trace_compile_start(void)
{
    upcalls.observe_cache = trace_compile;
    upcalls.observe_compiler = told;
}
