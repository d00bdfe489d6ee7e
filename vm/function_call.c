// Frames for calls, and calls from C.
//
// The caller makes a frame, binds its arguments, evaluates it and pops it. For calls from C that
// happens here, for calls from script in the loop. A generator's frame is bound in the same way,
// but is in the generator object, not on the frame stack.
#include "vm/function_call.h"

#include "frames/generators/generator.h"
#include "frames/hook.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"

#define GENERATOR_FLAGS (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR)

// ---- making frames

// Code that is not a function's (a module's, a class's) keeps its variables in a mapping: the one
// given, the globals, or with CO_NEWLOCALS a new dict.
static bool set_locals(Frame *frame, ValueRef locals)
{
    int flags = as_code(frame->code)->flags & (CO_OPTIMIZED | CO_NEWLOCALS);
    if (flags == (CO_OPTIMIZED | CO_NEWLOCALS)) return true;
    Value mapping = flags == CO_NEWLOCALS ? dict_new() : retain(locals ? locals : frame->globals);
    if (!mapping) return false;
    frame_set_locals(frame, mapping);
    return true;
}

static Value make_generator(Function *function, const QuickCode *quick, const ValueRef *args,
                            size_t nargs, ValueRef kwnames)
{
    Value generator = generator_new(quick, function->globals, function->name, function->qualname);
    if (!generator) return VALUE_ERROR;
    Frame *frame = &as_generator(generator)->frame;
    if (set_locals(frame, VALUE_ERROR) && bind_arguments(frame, function, args, nargs, kwnames))
        return generator;
    generator_finish(as_generator(generator)); // never to be run, or missed by anybody
    drop(generator);
    return VALUE_ERROR;
}

// A call that only moves its arguments.
static Frame *exact_frame(const Function *function, const QuickCode *quick, const ValueRef *args)
{
    Frame *frame = frame_begin_exact(quick, NULL, function, retain(ref_of(function)), 0);
    uint32_t i = 0, nargs = (uint32_t)quick->simple_argcount;
    frame->ip = (Instruction *)(uintptr_t)quick->instructions - 1;
    frame->sp = frame->localsplus + quick->slots;
    for (; i < nargs; i++) frame->localsplus[i] = retain(args[i]);
    for (; i < quick->slots; i++) frame->localsplus[i] = VALUE_ERROR;
    if (!quick->cells_and_frees || bind_closure(frame, function)) return frame;
    frame_pop(frame);
    return NULL;
}

Frame *function_frame(Function *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                      Value *made)
{
    QuickCode *quick = quicken(as_code(function->code));
    *made = VALUE_ERROR;
    if (!quick) return NULL;
    if (quick->code->flags & GENERATOR_FLAGS) {
        *made = make_generator(function, quick, args, nargs, kwnames);
        return NULL;
    }
    if (!kwnames && quick->simple_argcount == (int32_t)nargs &&
        thread_state.top + quick->frame_words <= thread_state.limit)
        return exact_frame(function, quick, args);
    Frame *frame = frame_push(quick);
    if (!frame) return NULL;
    frame_init(frame, quick, retain(ref_of(function)), function->globals);
    invariant(quick->code == as_code(function->code), "a frame runs the code of its function");
    if (set_locals(frame, VALUE_ERROR) && bind_arguments(frame, function, args, nargs, kwnames))
        return frame;
    frame_pop(frame);
    return NULL;
}

// ---- f(*args, **kwargs)

Frame *function_frame_spread(Function *function, ValueRef self, ValueRef args, ValueRef kwargs,
                             Value *made)
{
    SpreadArguments spread;
    *made = VALUE_ERROR;
    if (!spread_begin(&spread, self, args, kwargs)) return NULL;
    Frame *frame = function_frame(function, spread.values, spread.nargs, spread.names, made);
    spread_end(&spread);
    return frame;
}

// ---- calls from C

Value function_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value made;
    Frame *frame = function_frame(as_function(self), args, nargs, kwnames, &made);
    if (!frame) return made;
    Value result = eval_frame(frame, 0);
    invariant(!result == error_pending(), "a call gives a value, or leaves an exception pending");
    frame_pop(frame);
    return result;
}

static Value run_generator_code(const QuickCode *quick, ValueRef globals, ValueRef locals,
                                const Function *function)
{
    Value generator = generator_new(quick, globals, quick->code->name, quick->code->name);
    if (!generator) return VALUE_ERROR;
    Frame *frame = &as_generator(generator)->frame;
    if (set_locals(frame, locals) && bind_arguments(frame, function, NULL, 0, VALUE_ERROR))
        return generator;
    generator_finish(as_generator(generator));
    drop(generator);
    return VALUE_ERROR;
}

Value code_run(Code *code, ValueRef globals, ValueRef locals, const Function *function)
{
    QuickCode *quick = quicken(code);
    if (!quick) return VALUE_ERROR;
    if (code->flags & GENERATOR_FLAGS) return run_generator_code(quick, globals, locals, function);
    Frame *frame = frame_push(quick);
    if (!frame) return VALUE_ERROR;
    frame_init(frame, quick, retain(globals), globals);
    Value result = VALUE_ERROR;
    if (set_locals(frame, locals) && bind_arguments(frame, function, NULL, 0, VALUE_ERROR))
        result = eval_frame(frame, 0);
    frame_pop(frame);
    return result;
}
