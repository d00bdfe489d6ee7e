// The evaluator, and the users of co_extra: see hook.h.
#include "frames/hook.h"

#include "objects/error.h"
#include "objects/function.h"
#include "objects/memory.h"

// ---- the evaluator

static EvalFrameFn installed, default_evaluator, direct_evaluator;

//> lesson 11: evaluator
// A hook returns a value and no exception, or no value and an exception: _Py_CheckFunctionResult.
static Value checked(Value result, const Frame *frame)
{
    if ((result != VALUE_ERROR) != error_pending()) return result;
    ValueRef called = function_check(frame->globals_owner) ? frame->globals_owner : frame->code;
    if (!result)
        return raise_error(SystemError, "%R returned NULL without setting an error", called);
    drop(result);
    return raise_from_pending(SystemError, "%R returned a result with an error set", called);
}

// thread_state.eval_frame while there is a hook: a hook finds f_back set.
static Value eval_frame_hooked(ThreadState *thread, Frame *frame, int throwflag)
{
    frame->previous = thread->frame;
    return checked(installed(thread, frame, throwflag), frame);
}

EvalFrameFn eval_frame_get(void)
{
    return installed;
}

void eval_frame_set(EvalFrameFn function)
{
    invariant(default_evaluator && direct_evaluator, "evaluators are registered before any hook");
    installed = function ? function : default_evaluator;
    thread_state.hooked = installed != default_evaluator;
    thread_state.eval_frame = thread_state.hooked ? eval_frame_hooked : direct_evaluator;
}
//< lesson 11

EvalFrameFn eval_frame_get_default(void)
{
    return default_evaluator;
}

// ---- co_extra

static struct {
    ExtraFreeFn release;
    ExtraTraverseFn traverse;
} extra_users[MAX_EXTRA_USERS];
static int extra_user_count;

void hook_init(EvalFrameFn default_function, EvalFrameFn direct_function)
{
    default_evaluator = default_function;
    direct_evaluator = direct_function;
    extra_user_count = 0;
    eval_frame_set(NULL);
}

int extra_request_index(ExtraFreeFn release, ExtraTraverseFn traverse)
{
    if (extra_user_count >= MAX_EXTRA_USERS - 1) return -1;
    extra_users[extra_user_count].release = release;
    extra_users[extra_user_count].traverse = traverse;
    return extra_user_count++;
}

//> lesson 11: extra
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
    invariant(code->extra_count <= extra_user_count, "a code has no more slots than users");
    code->extra[index] = extra;
    if (old && extra_users[index].release) extra_users[index].release(old);
    return true;
}

// A release function may set extras again: they are released when the code is next cleared or
// freed.
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
//< lesson 11

void code_traverse_extra(Code *code, VisitFn visit, void *arg)
{
    invariant(!code->extra == !code->extra_count, "a code has co_extra slots, or none");
    for (int i = 0; i < code->extra_count; i++)
        if (code->extra[i] && extra_users[i].traverse)
            extra_users[i].traverse(code->extra[i], visit, arg);
}
