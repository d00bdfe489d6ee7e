// The evaluator pointer and the registry of co_extra.
#include "frames/hook.h"

#include "objects/error.h"
#include "objects/memory.h"

static EvalFrameFn first;
static struct {
    ExtraFreeFn release;
    ExtraTraverseFn traverse;
} extra_users[MAX_EXTRA_USERS];
static int extra_user_count;

static void update_diverted(void)
{
    thread_state.hooked = thread_state.eval_frame != first;
    thread_state.diverted = thread_state.hooked || thread_state.observer;
}

EvalFrameFn eval_frame_get(void)
{
    return thread_state.eval_frame;
}

void eval_frame_set(EvalFrameFn function)
{
    thread_state.eval_frame = function ? function : first;
    update_diverted();
}

EvalFrameFn eval_frame_first(void)
{
    return first;
}

void eval_frame_set_first(EvalFrameFn function)
{
    first = function;
    eval_frame_set(function);
}

void observer_set(ObserverFn observer)
{
    thread_state.observer = observer;
    update_diverted();
}

// ---- co_extra

int extra_request_index(ExtraFreeFn release, ExtraTraverseFn traverse)
{
    if (extra_user_count >= MAX_EXTRA_USERS - 1) return -1;
    extra_users[extra_user_count].release = release;
    extra_users[extra_user_count].traverse = traverse;
    return extra_user_count++;
}

void *code_get_extra(const Code *code, int index)
{
    return index >= 0 && index < code->extra_count ? code->extra[index] : NULL;
}

static bool make_room(Code *code)
{
    size_t count = (size_t)extra_user_count;
    void **extra = memory_resize(code->extra, count * sizeof(void *));
    if (!extra) return raise_memory_error();
    for (size_t i = (size_t)code->extra_count; i < count; i++) extra[i] = NULL;
    code->extra = extra;
    code->extra_count = extra_user_count;
    return true;
}

bool code_set_extra(Code *code, int index, void *extra)
{
    if (index < 0 || index >= extra_user_count) return raise_bad_call("code_set_extra");
    if (index >= code->extra_count && !make_room(code)) return false;
    void *old = code->extra[index];
    code->extra[index] = extra;
    if (old && extra_users[index].release) extra_users[index].release(old);
    return true;
}

// What a free function hangs on the code meanwhile goes when the code is next cleared or freed.
void code_release_extra(Code *code)
{
    void **extra = code->extra;
    int count = code->extra_count;
    code->extra = NULL;
    code->extra_count = 0;
    for (int i = 0; i < count; i++)
        if (extra_users[i].release) extra_users[i].release(extra[i]);
    memory_free(extra);
}

void code_traverse_extra(Code *code, VisitFn visit, void *arg)
{
    for (int i = 0; i < code->extra_count; i++)
        if (code->extra[i] && extra_users[i].traverse)
            extra_users[i].traverse(code->extra[i], visit, arg);
}
