// Runs another function's code whenever a function of some name is called.
//
//     SWAP=slow:fast minivm --eval-frame swap_code.so script.mpy
//
// The function object stays as it is, and so do its arguments: the new code runs on a second frame
// that takes the first one's localsplus over, slot by slot. So it must have the same variables in
// the same order (it may have more), else there is a ValueError. A hook is not alone: whoever was
// installed before runs the new frame, and may change it in turn. That is what TorchDynamo does
// with the code that it compiles (custom_code.h).
#include "minivm_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const PluginApi *api;
static EvalFrameFn next;
static char from[100], to[100];

// The code of the function of that name, as the frame would find it in its globals.
static Code *replacement(Frame *frame)
{
    ValueRef function = api->dict_peek(api->frame_globals(frame), to);
    return function ? api->code_of(function) : NULL;
}

static Value swap(ThreadState *thread, Frame *frame, int throwflag)
{
    bool named = strcmp(api->code_info(api->frame_code(frame)).name, from) == 0;
    Code *code = named && !throwflag ? replacement(frame) : NULL;
    return code ? api->eval_custom_code(thread, frame, code, next) : next(thread, frame, throwflag);
}

static bool init(const PluginApi *given)
{
    const char *names = getenv("SWAP");
    if (!names || sscanf(names, "%99[^:]:%99s", from, to) != 2) {
        fprintf(stderr, "swap_code: SWAP=old:new is expected in the environment\n");
        return false;
    }
    api = given;
    next = api->eval_frame_get();
    api->eval_frame_set(swap);
    return true;
}

MINIVM_PLUGIN(init, NULL);
