// The guarded code cache: TorchDynamo's eval_frame.c on 3.9's hook. (PyTorch 2.5; seeds 002, 003.)
//
//     cache_init()              once; then
//     cache_set_callback(f)     None: off; False: run what is cached; a callable: compile as well
//
// While there is a callback, the cache evaluates every frame. The first row that applies says how
// (PyTorch 2.6's cache_limit_hit_flag is not among them):
//
//     an exception is thrown into a generator      the frame runs as it is
//     the code is marked SKIP_CODE                 likewise
//     marked SKIP_CODE_RECURSIVE                   likewise; meanwhile the callback is None
//     callback False, a guard holds                the entry's code runs
//     callback False, no guard holds               the frame runs as it is
//     callable, a guard holds                      the entry's code runs
//     callable, no guard holds                     it is called: the frame, the first entry or
//                                                  None, frame_state
//         it returns a GuardedCode                 a new entry; its code runs, its guard unasked
//         None                                     the code is marked SKIP_CODE
//         skip_code_recursive_flag                 it is marked SKIP_CODE_RECURSIVE
//     a guard or the callback raises               the error goes to the program
//
// While guards or the callable itself run, the callback is None. It is restored before the frame
// runs. After an error it stays None: a callback that failed is not called again.
//
// An entry serves only a backend that is equal (==) to the one that made it. The backend is the
// callback, or what its attribute `_torchdynamo_orig_callable` leads to, and that one's. With
// callback False an entry serves any.
#pragma once

#include "frames/cache/cache_entry.h"

bool cache_init(void);
void cache_finish(void);

// set_eval_frame(): returns the callback that was set before, owned. TypeError if `callback` is
// neither None, False nor callable.
Value cache_set_callback(ValueRef callback);
ValueRef cache_callback(void); // borrowed

// The callback that was set aside last (NONE = none), and what must end before it is restored.
typedef enum CacheAside {
    CACHE_NOT_ASIDE,
    CACHE_ASIDE_GUARDS,    // the guards of its entries
    CACHE_ASIDE_CALLBACK,  // the call of the callback
    CACHE_ASIDE_RECURSIVE, // a frame whose code is marked SKIP_CODE_RECURSIVE
} CacheAside;
ValueRef cache_callback_aside(CacheAside *why); // borrowed
bool cache_is_evaluator(EvalFrameFn function);

// The object that a callback returns to have the code marked SKIP_CODE_RECURSIVE: borrowed.
ValueRef cache_skip_recursive_flag(void);

// hook(check_fn, code, f_locals, index, is_last) is called when a guard raises (before the error
// propagates) or fails; 0 = no hook.
typedef enum GuardHook { GUARD_ERROR_HOOK, GUARD_FAIL_HOOK, GUARD_HOOKS } GuardHook;
void cache_set_guard_hook(GuardHook which, ValueRef hook);

// What upcalls.observe_cache is called with: every decision, and the steps before one.
typedef enum CacheDecision {
    CACHE_THROWN,    // an exception is about to be raised in a generator
    CACHE_PASSED_BY, // a marked code, or no entries and callback False; `extra`: the mark or NULL
    CACHE_HIT,       // `entry`
    CACHE_MISSED,    // with callback False: the frame runs as it is
    CACHE_COMPILED,  // `entry` is new
    CACHE_SKIPPED,   // the callback returned None or the flag
    CACHE_FAILED,    // an exception is pending: of the guard of `entry`, or of the callback (NULL)
    // Steps:
    CACHE_GUARD_FAILED, // the guard of `entry`: the next entry is tried
    CACHE_ASKS,         // the callback is about to be called
} CacheDecision;
static inline bool cache_is_step(CacheDecision decision)
{
    return decision >= CACHE_GUARD_FAILED;
}
