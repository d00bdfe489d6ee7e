// The least that a plugin can do: it hands every frame on to whoever was there before.
#include "minivm_plugin.h"

static EvalFrameFn next;

static Value chain(ThreadState *thread, Frame *frame, int throwflag)
{
    return next(thread, frame, throwflag);
}

static bool init(const PluginApi *api)
{
    next = api->eval_frame_get();
    api->eval_frame_set(chain);
    return true;
}

MINIVM_PLUGIN(init, NULL);
