// The evaluator of the cache. cache_eval_frame() takes the rows of cache.h one after the other;
// what it calls follows it: the lookup, the guards, compiling, and at the end how callback and
// evaluator are changed.
//
// A call from here into a script (guard, callback, guard hook, an attribute's setter) may reset
// this code's cache, change the callback, or call the evaluator again. So what is used after such a
// call is held during it, and what the code object owns is read again after it.
#include "frames/cache/cache.h"

#include "frames/cache/custom_code.h"
#include "frames/guards/guard.h"
#include "frames/hook.h"

#include "objects/call.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/thread_parts.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- state

static Value skip_recursive_flag;
static Value hooks[GUARD_HOOKS];

typedef struct Callback {
    Value function; // None, False, or a callable that compiles
    Value backend;  // marks its entries
} Callback;

static Callback current = {NONE, NONE};

// A callback that was set aside. Each is a variable on the C stack, linked to the one before it.
typedef struct Aside {
    Callback callback;
    CacheAside why;
    struct Aside *before;
} Aside;

static Aside *aside; // the newest

// Each thread has its own callback.
static const Callback no_callback = {NONE, NONE};
static void change_thread(void);
static void end_thread(void);
static ThreadPart callback_part = {&current,      sizeof current, &no_callback,
                                   change_thread, end_thread,     NULL};
static ThreadPart aside_part = {&aside, sizeof aside, NULL, NULL, NULL, NULL};

static EvalFrameFn previous_evaluator; // installed before ours, which chains to it
static bool is_installed;              // ours

static Value run_cached(ThreadState *thread, Frame *frame, ExtraState *extra);
static Value run_cached_or_compile(ThreadState *thread, Frame *frame, ExtraState *extra);
static Value run_original(ThreadState *thread, Frame *frame);
static Value run_entry(ThreadState *thread, Frame *frame, Value entry);
static Value lookup(ExtraState *extra, Frame *frame, ValueRef backend);
static Value compile(Aside *taken, Frame *frame, ExtraState *extra);
static void callback_take(Aside *taken, CacheAside why);
static void callback_put(const Aside *taken);
static void callback_forget(const Aside *taken);
static void install(bool wanted);

static void notify(CacheDecision decision, Frame *frame, const ExtraState *extra,
                   const CacheEntry *entry)
{
    if (upcalls.observe_cache) upcalls.observe_cache(decision, frame, extra, entry);
}

// ---- the evaluator

static Value cache_eval_frame(ThreadState *thread, Frame *frame, int throwflag)
{
    invariant(frame->previous == thread->frame, "a hook gets a frame with its caller in it");
    if (current.function == NONE) return previous_evaluator(thread, frame, throwflag);
    if (throwflag) {
        notify(CACHE_THROWN, frame, NULL, NULL);
        return previous_evaluator(thread, frame, throwflag);
    }
    Code *code = as_code(frame->code);
    void *extra = extra_state_get(code);
    bool marked = extra == SKIP_CODE || extra == SKIP_CODE_RECURSIVE;
    if (marked || (!extra && current.function == FALSE)) {
        notify(CACHE_PASSED_BY, frame, extra, NULL);
        return run_original(thread, frame);
    }
    if (!extra && !(extra = extra_state_make(code))) return VALUE_ERROR;
    Value held = retain(ref_of(extra));
    Value result = current.function == FALSE ? run_cached(thread, frame, extra)
                                             : run_cached_or_compile(thread, frame, extra);
    drop(held);
    return result;
}

//> lesson 12: decide
static Value run_cached(ThreadState *thread, Frame *frame, ExtraState *extra)
{
    Value entry = lookup(extra, frame, FALSE);
    if (!entry) return VALUE_ERROR;
    if (entry != ABSENT) return run_entry(thread, frame, entry);
    notify(CACHE_MISSED, frame, extra, NULL);
    return previous_evaluator(thread, frame, 0);
}

static Value run_cached_or_compile(ThreadState *thread, Frame *frame, ExtraState *extra)
{
    Aside taken;
    callback_take(&taken, CACHE_ASIDE_GUARDS);
    Value entry = lookup(extra, frame, taken.callback.backend);
    if (entry == ABSENT) entry = compile(&taken, frame, extra);
    if (!entry) {
        callback_forget(&taken);
        return VALUE_ERROR;
    }
    callback_put(&taken);
    return entry == ABSENT ? run_original(thread, frame) : run_entry(thread, frame, entry);
}
//< lesson 12

// Runs the frame's own code. If it is marked SKIP_CODE_RECURSIVE, the callback is None meanwhile.
static Value run_original(ThreadState *thread, Frame *frame)
{
    if (extra_state_get(as_code(frame->code)) != SKIP_CODE_RECURSIVE)
        return previous_evaluator(thread, frame, 0);
    Aside taken;
    callback_take(&taken, CACHE_ASIDE_RECURSIVE);
    install(false); // frames that it calls need no cache, and run faster without it
    Value result = previous_evaluator(thread, frame, 0);
    callback_put(&taken);
    return result;
}

static Value run_entry(ThreadState *thread, Frame *frame, Value entry)
{
    invariant(previous_evaluator && previous_evaluator != cache_eval_frame,
              "the cache chains to another evaluator");
    invariant(as_code(as_cache_entry(entry)->code)->quickened, "an entry's code was made ready");
    Value result =
        frame_run_code(thread, frame, as_code(as_cache_entry(entry)->code), previous_evaluator);
    drop(entry);
    return result;
}

// ---- guards

// Keeps the reason why an entry does not hold, for upcalls.observe_cache.
static void note_failure(CacheEntry *entry, Value why)
{
    if (!why) error_clear();
    replace_slot(&entry->failure, why);
}

static Value answer_text(ValueRef answer)
{
    return format_text(is_object(answer) ? "the guard returned a '%T'" : "the guard returned %R",
                       answer);
}

// 1 = the guard holds, 0 = it fails, -1 = it raises.
static int ask_native_guard(CacheEntry *entry, Frame *frame)
{
    int holds = guard_manager_holds(entry->check_fn, frame);
    if (upcalls.observe_cache && holds == 0)
        note_failure(entry, guard_manager_failure(entry->check_fn, frame));
    return holds;
}

static Value python_guard_failure(ValueRef guard, const Frame *frame, ValueRef locals,
                                  ValueRef answer)
{
    Value part = upcalls.explain_guard ? upcalls.explain_guard(guard, frame->code, locals) : ABSENT;
    return part == ABSENT ? answer_text(answer) : part;
}

static int ask_guard(CacheEntry *entry, Frame *frame)
{
    if (guard_manager_check(entry->check_fn)) return ask_native_guard(entry, frame);
    ValueRef locals = frame_locals(frame);
    Value answer = locals ? object_call_one(entry->check_fn, locals) : VALUE_ERROR;
    if (!answer) return -1;
    bool truth;
    int holds = object_truth(answer, &truth) ? truth : -1;
    if (upcalls.observe_cache && holds == 0)
        note_failure(entry, python_guard_failure(entry->check_fn, frame, locals, answer));
    drop(answer);
    return holds;
}

// An error of the guard is still pending afterwards, unless the hook raises another one.
static bool call_hook(ValueRef hook, const CacheEntry *entry, Frame *frame, int64_t index,
                      bool is_last)
{
    Value error = error_take(), held = retain(hook), result = VALUE_ERROR;
    ValueRef locals = frame_locals(frame);
    if (locals) {
        ValueRef args[] = {entry->check_fn, entry->code, locals, from_small(index),
                           from_bool(is_last)};
        result = object_call(held, args, 5, VALUE_ERROR);
    }
    drop(held);
    drop(result);
    if (result) {
        error_restore(error);
    } else if (error) {
        exception_set_context(error_peek(), error);
        drop(error);
    }
    return result != VALUE_ERROR;
}

// 1 = the entry serves the backend, which is equal to the one that made it; 0 = it does not, -1 =
// they cannot be compared. `backend` is False where any backend will do.
static int serves(CacheEntry *entry, ValueRef backend)
{
    bool equal = backend == FALSE || entry->backend == backend;
    if (!equal && !items_equal(entry->backend, backend, &equal)) return -1;
    if (!equal && upcalls.observe_cache)
        note_failure(entry, format_text("it is another backend's"));
    return equal;
}

static int try_entry(const ExtraState *extra, CacheEntry *entry, Frame *frame, int64_t index)
{
    int holds = ask_guard(entry, frame);
    if (holds > 0) {
        entry->hits++;
        return 1;
    }
    if (holds == 0) entry->misses++;
    Value hook = hooks[holds ? GUARD_ERROR_HOOK : GUARD_FAIL_HOOK];
    if (hook && !call_hook(hook, entry, frame, index, index + 1 == extra->count)) return -1;
    return holds;
}

// ---- the lookup

static CacheDecision outcome(int holds)
{
    if (holds == 0) return CACHE_GUARD_FAILED;
    return holds > 0 ? CACHE_HIT : CACHE_FAILED;
}

//> lesson 12: walk
// The first entry whose guard holds, which moves to the front; ABSENT if none does. A guard may
// shorten or reorder the list, so the loop ends by the count, which is read each time.
static Value lookup(ExtraState *extra, Frame *frame, ValueRef backend)
{
    Value entry = extra->entries ? retain(extra->entries) : ABSENT;
    for (int64_t index = 0; entry != ABSENT && index < extra->count; index++) {
        CacheEntry *tried = as_cache_entry(entry);
        invariant(is_alive(&tried->base), "an entry is held while its guard is asked");
        int tries = serves(tried, backend);
        int holds = tries > 0 ? try_entry(extra, tried, frame, index) : tries;
        if (tries > 0) notify(outcome(holds), frame, extra, tried);
        if (holds > 0) {
            extra_state_move_to_front(tried);
            invariant(!tried->owner || tried->owner->entries == entry,
                      "the entry that was hit last is the first one");
            return entry;
        }
        if (holds < 0) {
            drop(entry);
            return VALUE_ERROR;
        }
        replace_slot(&entry, tried->next ? retain(tried->next) : ABSENT);
    }
    drop(entry);
    return ABSENT;
}
//< lesson 12

// ---- compiling

static bool add_entry(ValueRef entry, Code *original)
{
    Code *code = as_code(as_cache_entry(entry)->code);
    if (!code_fits(code, original)) return false;
    ExtraState *extra = extra_state_make(original);
    return extra && extra_state_add(extra, entry);
}

//> lesson 12: answer
// The new entry for the callback's result; ABSENT if the result says to skip the code.
static Value take_answer(ValueRef answer, Frame *frame, const ExtraState *extra, ValueRef backend)
{
    Code *original = as_code(frame->code);
    bool recursive = bits_of(answer) == bits_of(skip_recursive_flag);
    if (answer == NONE || recursive) {
        void *mark = recursive ? SKIP_CODE_RECURSIVE : SKIP_CODE;
        notify(CACHE_SKIPPED, frame, extra, NULL);
        return extra_state_mark(original, mark) ? ABSENT : VALUE_ERROR;
    }
    Value entry = cache_entry_new(answer, backend);
    if (entry && add_entry(entry, original)) return entry;
    drop(entry);
    return VALUE_ERROR;
}
//< lesson 12

static Value compile(Aside *taken, Frame *frame, ExtraState *extra)
{
    const Callback callback = taken->callback;
    ValueRef object = frame_object(frame);
    if (!object) return VALUE_ERROR;
    install(false); // as above
    Value first = extra->entries ? retain(extra->entries) : NONE;
    ValueRef args[] = {object, first, extra->frame_state};
    taken->why = CACHE_ASIDE_CALLBACK;
    notify(CACHE_ASKS, frame, extra, NULL);
    Value answer = object_call(callback.function, args, 3, VALUE_ERROR);
    drop(first);
    Value entry = answer ? take_answer(answer, frame, extra, callback.backend) : VALUE_ERROR;
    drop(answer);
    if (!entry) notify(CACHE_FAILED, frame, extra, NULL);
    if (entry && entry != ABSENT) notify(CACHE_COMPILED, frame, extra, as_cache_entry(entry));
    return entry;
}

// ---- installing the evaluator

// Makes cache_eval_frame() the installed evaluator, or takes it out of the chain. If a later hook
// chains to ours, ours stays until that hook is removed.
static void install(bool wanted)
{
    if (wanted && !is_installed) {
        previous_evaluator = eval_frame_get();
        eval_frame_set(cache_eval_frame);
        is_installed = true;
    } else if (!wanted && is_installed && eval_frame_get() == cache_eval_frame) {
        eval_frame_set(previous_evaluator);
        is_installed = false;
    }
}

// ---- the callback

static void callback_drop(Callback callback)
{
    drop(callback.function);
    drop(callback.backend);
}

static void callback_change(Callback callback)
{
    Callback meanwhile = current;
    current = callback;
    install(callback.function != NONE);
    callback_drop(meanwhile);
}

static void change_thread(void)
{
    install(current.function != NONE);
}

static void end_thread(void)
{
    callback_change(no_callback);
}

// The callback is None until callback_put(). The evaluator stays installed and passes frames on.
static void callback_take(Aside *taken, CacheAside why)
{
    invariant(current.function && current.backend, "there is a callback, if only None");
    *taken = (Aside){current, why, aside};
    aside = taken;
    current = (Callback){NONE, NONE};
}

static void callback_put(const Aside *taken)
{
    aside = taken->before;
    callback_change(taken->callback);
}

// Drops the callback that was set aside.
static void callback_forget(const Aside *taken)
{
    aside = taken->before;
    install(current.function != NONE);
    callback_drop(taken->callback);
}

static Value backend_of(ValueRef callback)
{
    if (callback == NONE || callback == FALSE) return retain(callback);
    if (!stack_enter(" while looking for the backend of a callback")) return VALUE_ERROR;
    Value inner = object_get_optional(callback, NAME(_torchdynamo_orig_callable));
    Value backend = inner == ABSENT ? retain(callback) : VALUE_ERROR;
    if (inner && inner != ABSENT) {
        backend = backend_of(inner);
        drop(inner);
    }
    stack_leave();
    return backend;
}

Value cache_set_callback(ValueRef function)
{
    if (function != NONE && function != FALSE && !object_is_callable(function))
        return raise_error(TypeError, "expected a callable");
    Value backend = backend_of(function);
    if (!backend) return VALUE_ERROR;
    thread_part_add(&callback_part);
    thread_part_add(&aside_part);
    Callback before = current;
    current = (Callback){retain(function), backend};
    install(function != NONE);
    drop(before.backend);
    return before.function;
}

ValueRef cache_callback(void)
{
    return current.function;
}

ValueRef cache_callback_aside(CacheAside *why)
{
    *why = aside ? aside->why : CACHE_NOT_ASIDE;
    return aside ? (ValueRef)aside->callback.function : NONE;
}

bool cache_is_evaluator(EvalFrameFn function)
{
    return function == cache_eval_frame;
}

// ---- life

bool cache_init(void)
{
    if (!type_ready(&cache_entry_type) || !type_ready(&extra_state_type)) return false;
    if (!skip_recursive_flag) skip_recursive_flag = own(object_alloc(&object_type, 0));
    if (!skip_recursive_flag) return false;
    return extra_state_init() || raise_error(RuntimeError, "no index of co_extra is left");
}

void cache_finish(void)
{
    end_thread();
    drop_slot(&skip_recursive_flag);
    for (int i = 0; i < GUARD_HOOKS; i++) drop_slot(&hooks[i]);
}

ValueRef cache_skip_recursive_flag(void)
{
    return skip_recursive_flag;
}

void cache_set_guard_hook(GuardHook which, ValueRef hook)
{
    replace_slot(&hooks[which], hook ? retain(hook) : VALUE_ERROR);
}
