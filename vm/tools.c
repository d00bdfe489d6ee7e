// See tools.h.
#include "vm/tools.h"

#include "vm/debugger/debugger.h"
#include "vm/debugger/guard_reason.h"
#include "vm/debugger/pdb_line.h"
#include "vm/outside/files.h"
#include "vm/sys/sys.h"
#include "vm/trace/compile_page.h"
#include "vm/trace/page/trace_page.h"
#include "vm/trace/trace_cache.h"
#include "vm/trace/trace_text.h"

#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool page_is_open, compile_page_is_open;

static int parse_pdb(const char *const *words, int count, PdbProgram *program)
{
    static PdbLine line;
    int status = pdb_line_parse(words, count, &line);
    debugger_first_commands = line.commands;
    *program = (PdbProgram){line.is_module, line.program};
    return status;
}

static bool read_channel(const char *text)
{
    int read =
        sscanf(text, "%7[a-z],%d,%d", debugger_face, &debugger_channel[0], &debugger_channel[1]);
    bool is_open = read == 3; // what the program starts does not get them
    for (int i = 0; i < 2 && is_open; i++)
        is_open = outside_inheritable(debugger_channel[i], false) >= 0;
    if (is_open) outside_end_with_parent(); // whoever is at the other end is killed: nothing stays
    if (is_open) return true;
    fprintf(stderr, "minivm: --debug=%s: there are --debug and --debug=tui\n", text);
    return false;
}

static bool open_tools(const ToolOptions *options)
{
    if (options->page && !trace_page_set_aside()) {
        fprintf(stderr, "minivm: --trace-html: %s\n", strerror(errno));
        return false;
    }
    if (options->channel && !read_channel(options->channel)) return false;
    return !options->debug || debugger_open();
}

static bool start_traces(const ToolOptions *options)
{
    if (options->trace) trace_text_start();
    if (options->trace_cache || options->trace_compile || options->page || options->compile_page)
        guard_reason_start();
    if (options->trace_cache) trace_cache_start();
    if (options->trace_compile) trace_compile_start();
    if (options->page) page_is_open = trace_page_start(options->page, options->page_steps);
    return page_is_open || !options->page;
}

static bool compile_page_failed(void)
{
    Value error = error_take(), text = object_str(error);
    const char *reason = text ? str_utf8(text, NULL) : NULL;
    fprintf(stderr, "minivm: --compile-html: %s\n", reason ? reason : "not enough memory");
    error_clear();
    drop(text);
    drop(error);
    return false;
}

static bool begin(const ToolOptions *options)
{
    if (options->debug && !debugger_begin()) return false;
    compile_page_is_open = options->compile_page && compile_page_begin(options->compile_page);
    return compile_page_is_open || !options->compile_page || compile_page_failed();
}

// breakpoint() may have opened a session as well.
static void end(int status)
{
    if (compile_page_is_open && !compile_page_end()) sys_print_error();
    if (session) debugger_end(status);
}

static bool finish_page(void)
{
    return !page_is_open || trace_page_finish();
}

static void complete_page(void)
{
    finish_page();
}

static void close_session(int status)
{
    if (session) session_close(status);
}

static const Tools all_tools = {
    .parse_pdb = parse_pdb,
    .open = open_tools,
    .start = start_traces,
    .begin = begin,
    .keep_source = debugger_keep_source,
    .uncaught = debugger_uncaught,
    .was_left = debugger_was_left,
    .end = end,
    .complete = complete_page,
    .finish = finish_page,
    .close = close_session,
};
const Tools *const tools = &all_tools;
