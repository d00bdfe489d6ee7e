// The guarded code cache: TorchDynamo's eval_frame.c on 3.9's hook. (PyTorch 2.5; seeds 002, 003.)
//
//     cache_init()              once; then
//     cache_set_callback(f)     None: off; False: run what is cached; a callable: compile as well
//
// While there is a callback, every frame comes by here before it runs. The rows, first to last
// (cache_limit_hit_flag, PyTorch 2.6, is not among them):
//
//     an exception is thrown into a generator      the frame runs as it is
//     the code is marked SKIP_CODE                 likewise
//     marked SKIP_CODE_RECURSIVE                   likewise, without a callback meanwhile
//     callback False, a guard holds                the entry's code runs
//     callback False, no guard holds               the frame runs as it is
//     callable, a guard holds                      the entry's code runs
//     callable, no guard holds                     it is called: the frame, the first entry or
//                                                  None, frame_state
//         it returns a GuardedCode                 a new entry; its code runs, unasked
//         None                                     the code is marked SKIP_CODE
//         skip_code_recursive_flag                 it is marked SKIP_CODE_RECURSIVE
//     a guard or the callback raises               the error goes to the program
//
// While a callable's guards, or itself, are at work the callback is None. It is put back before the
// frame runs, but stays None after an error: what compiles badly is not asked again.
//
// An entry serves only the backend that made it: the callback, or what lies behind it on
// `_torchdynamo_orig_callable` and `compiler_fn`. With callback False it serves everybody.
#pragma once

#include "frames/cache/cache_entry.h"

bool cache_init(void);
void cache_finish(void);

// set_eval_frame(): the callback before, owned. TypeError for what is neither None, False nor
// callable.
Value cache_set_callback(ValueRef callback);
ValueRef cache_callback(void); // borrowed
// The callback that was put aside last, NONE = none, and what has to end before it comes back.
typedef enum CacheAside {
    CACHE_NOT_ASIDE,
    CACHE_ASIDE_GUARDS,    // its guards are asked
    CACHE_ASIDE_CALLBACK,  // itself
    CACHE_ASIDE_RECURSIVE, // code marked SKIP_CODE_RECURSIVE
} CacheAside;
ValueRef cache_callback_aside(CacheAside *why); // borrowed
bool cache_is_evaluator(EvalFrameFn function);

// What a callback returns to have its code marked SKIP_CODE_RECURSIVE: borrowed.
ValueRef cache_skip_recursive_flag(void);

// hook(check_fn, code, f_locals, index, is_last) is called where a guard raises (before the error
// goes on) or fails; 0 = nobody.
typedef enum GuardHook { GUARD_ERROR_HOOK, GUARD_FAIL_HOOK, GUARD_HOOKS } GuardHook;
void cache_set_guard_hook(GuardHook which, ValueRef hook);

// What upcalls.observe_cache is told: every decision, and the steps on the way to one.
typedef enum CacheDecision {
    CACHE_THROWN,    // an exception is about to be raised in a generator
    CACHE_PASSED_BY, // marked, or callback False and nothing there: `extra` is the mark or NULL
    CACHE_HIT,       // `entry`
    CACHE_MISSED,    // with callback False: the frame runs as it is
    CACHE_COMPILED,  // `entry` is new
    CACHE_SKIPPED,   // the callback says so
    CACHE_FAILED,    // an exception is pending: of the guard of `entry`, or of the callback (NULL)
    // Steps:
    CACHE_GUARD_FAILED, // that of `entry`: the next one is tried
    CACHE_ASKS,         // the callback is about to be called
} CacheDecision;
static inline bool cache_is_step(CacheDecision decision)
{
    return decision >= CACHE_GUARD_FAILED;
}
