// A line for every evaluation of a frame: what is evaluated, where it goes on, what comes of it.
#include "minivm_plugin.h"

#include <stdio.h>
#include <string.h>

static const PluginApi *api;
static EvalFrameFn next;

// Frames of the library are not shown: CPython's is another one.
static bool is_of_script(const Code *code)
{
    const char *name = api->code_info(code).filename;
    return strstr(name, "every_kind.mpy") || name[0] == '<';
}

static Value log_frame(ThreadState *thread, Frame *frame, int throwflag)
{
    const Code *code = api->frame_code(frame);
    if (!is_of_script(code)) return next(thread, frame, throwflag);
    Frame *back = api->frame_back(frame);
    fprintf(stderr, "%s from %s at %d%s\n", api->code_info(code).name,
            back ? api->code_info(api->frame_code(back)).name : "nowhere", api->frame_lasti(frame),
            throwflag ? " throwing" : "");
    return next(thread, frame, throwflag);
}

static bool init(const PluginApi *given)
{
    api = given;
    next = api->eval_frame_get();
    api->eval_frame_set(log_frame);
    return true;
}

MINIVM_PLUGIN(init, NULL);
