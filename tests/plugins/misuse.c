// Calls the functions of version 2 in every wrong way that can be told, where the function victim is
// called; each is refused. And looks at f_locals where an exception is thrown into the frame of a
// generator.
#include "minivm_plugin.h"

#include <string.h>

static const PluginApi *api;
static EvalFrameFn next;
static Frame *outside;

// The exception that this leaves is what the caller of victim prints.
static Value fails(Frame *frame, void *arg)
{
    const Code *code = api->frame_code(frame);
    ValueRef one = api->frame_localsplus(frame)[0], two[] = {one, 0};
    int64_t number;
    switch (*(int *)arg) {
    case 0: return 0; // neither a value nor an exception
    case 1: api->raise("raised"); return api->singleton(PLUGIN_NONE); // both
    case 2: return api->frame_at(frame, 1) ? api->int_new(1) : 0;
    case 3: return api->frame_at(frame, 1 << 20) ? api->int_new(1) : 0;
    case 4: return api->frame_set_local(frame, 99, api->int_new(1)) ? api->int_new(1) : 0;
    case 5: return api->frame_set_local(outside, 0, api->int_new(1)) ? api->int_new(1) : 0;
    case 6: return api->code_constant(code, -1) ? api->int_new(1) : 0;
    case 7: return api->code_name(code, 99) ? api->int_new(1) : 0;
    case 8: return api->int_of(api->code_name(code, 0), &number) ? api->int_new(1) : 0;
    case 9: return api->operate(1000, one, one);
    case 10: return api->operate(23, one, 0);
    case 11: return api->operate(83, one, one);
    case 12: return api->compare(one, one, 77);
    case 13: return api->call(one, two, 2);
    case 14: return api->call(one, &one, 1);
    case 15: return api->find_global(frame, one);
    case 16: return api->run_frame(NULL, frame, fails, arg);
    case 17: return api->text_new(NULL);
    default: return next(NULL, frame, 0); // it runs already
    }
}

static Value evaluate(ThreadState *thread, Frame *frame, int throwflag)
{
    static int kind;
    const char *name = api->code_info(api->frame_code(frame)).name;
    if (strcmp(name, "refused") == 0) return api->run_frame(thread, frame, fails, &kind);
    if (strcmp(name, "victim") == 0) {
        outside = api->frame_back(frame);
        Value result = api->run_frame(thread, frame, fails, &kind);
        kind++;
        return result;
    }
    if (throwflag) (void)api->frame_locals(frame); // which has names to take out
    return next(thread, frame, throwflag);
}

static bool init(const PluginApi *given)
{
    api = given;
    next = api->eval_frame_get();
    api->eval_frame_set(evaluate);
    return true;
}

MINIVM_PLUGIN(init, NULL);
