// See replayed_statements.h.
#include "vm/debugger/replayed_statements.h"

#include "compiler/compile.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/growing.h"
#include "vm/io/stream.h"
#include "vm/settrace/jump.h"
#include "vm/sys/sys.h"

#include "objects/classes/method.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <string.h>

static Value compile_statement(const char *text)
{
    Value name = str_new("<stdin>");
    CompileOptions options = {.mode = MODE_SINGLE, .filename = name, .optimize = sys_optimize()};
    Value code = name ? compile_source(text, strlen(text), &options) : VALUE_ERROR;
    drop(name);
    return code;
}

// ---- its output

static Value display(FUNCTION_ARGS)
{
    return args[0] == NONE || sys_show_value(args[0]) ? NONE : VALUE_ERROR;
}

// Exchanges a value of sys with *value; 0 = none.
static bool swap_in_sys(const char *name, Value *value)
{
    ValueRef there = sys_get(name);
    Value before = there ? retain(there) : VALUE_ERROR, key = str_new(name);
    bool done = false;
    if (key && *value)
        done = sys_set(name, *value);
    else if (key)
        done = !there || dict_delete(as_module(sys_module())->dict, key);
    drop(key);
    drop(*value);
    *value = before;
    return done;
}

static Value run_with_output(ValueRef code, ValueRef globals, ValueRef locals)
{
    static const MethodDef hook = {"displayhook", display, ONE_ARG, NULL};
    Value output = stream_standard(1, "<stdout>", true, true);
    Value show = output ? builtin_new(&hook, 0, 0) : VALUE_ERROR, result = VALUE_ERROR;
    bool swapped = show && swap_in_sys("stdout", &output) && swap_in_sys("displayhook", &show);
    if (swapped) result = run_code("exec", code, globals, locals);
    Value exception = error_take();
    if (swapped && (!swap_in_sys("stdout", &output) || !swap_in_sys("displayhook", &show)))
        error_clear();
    drop(output);
    drop(show);
    if (exception) error_restore(exception);
    return result;
}

// ---- what it does

static bool run_statement(Frame *frame, const char *text)
{
    ValueRef locals = frame_locals(frame);
    Value code = locals ? compile_statement(text) : VALUE_ERROR;
    Value result = code ? run_with_output(code, frame->globals, locals) : VALUE_ERROR;
    bool done = result != VALUE_ERROR;
    drop(result);
    drop(code);
    Value exception = error_take();
    bool stored = frame_locals_to_fast(frame, true);
    if (exception) error_restore(exception);
    return done && stored;
}

bool statement_replay(const ReplayedStatement *statement, Frame *stopped_in)
{
    Frame *frame = stopped_in;
    for (int depth = statement->depth; frame && depth > 0; depth--) frame = frame->previous;
    if (!frame) return raise_error(RuntimeError, "there is no such frame");
    if (!growing_undo()) return false;
    if (statement->line) return frame_jump(frame, statement->line);
    bool before = gc_pause(true); // a collection would come at another moment in the prompt
    bool done = run_statement(frame, session->statement_text + statement->text);
    gc_pause(before);
    return done;
}
