// Generators, coroutines and async generators: objects that contain a frame, which can be
// suspended.
//
//     +--------+------+---------+-------+------------------------------------+
//     | header | name | handled | state | Frame: locals, cells, value stack  |
//     +--------+------+---------+-------+------------------------------------+
//
//                          +------yield------> SUSPENDED
//                          |                       |
//     CREATED --resume--> RUNNING <----resume------+
//                          |
//                          +--return, raise--> FINISHED
//
// C resumes a generator with generator_send() or a function like it, which calls the evaluator. The
// loop itself resumes the generators of `for`, `yield from` and `await`, without recursion in C,
// with generator_enter() and the functions after it.
#pragma once

#include "frames/frame.h"

#include "objects/call.h"
#include "objects/error.h"

typedef enum GeneratorState {
    GENERATOR_CREATED,
    GENERATOR_SUSPENDED,
    GENERATOR_RUNNING,
    GENERATOR_FINISHED, // the frame is gone
} GeneratorState;

typedef struct Generator {
    Object base;
    Value weakrefs;
    Value code, name, qualname;
    HandledItem handled;                // the exception that it was handling when it yielded
    Value origin;                       // cr_origin of a coroutine, or 0
    Value finalizer;                    // of an async generator, or 0
    uint8_t state;                      // GeneratorState
    bool hooked, closed, running_async; // of an async generator
    Frame frame;
} Generator;

extern Type generator_type, coroutine_type, coroutine_wrapper_type, async_generator_type;
extern Type async_generator_asend_type, async_generator_athrow_type, async_generator_value_type;

static inline Generator *as_generator(ValueRef value)
{
    return (Generator *)object_of(value);
}
static inline Generator *generator_of(Frame *frame)
{
    return (Generator *)((char *)frame - offsetof(Generator, frame));
}
// Is it a generator or a coroutine, which `yield from` resumes directly?
static inline bool generator_check(ValueRef value)
{
    return is_exactly(value, &generator_type) || is_exactly(value, &coroutine_type);
}

// A new generator, coroutine or async generator, by the flags of the code. Of the frame only the
// header is filled; the caller binds the arguments. The frame owns the globals.
Value generator_new(const QuickCode *quick, ValueRef globals, ValueRef name, ValueRef qualname);

// ---- resuming from C. Owned: what it yields; VALUE_ERROR with StopIteration (StopAsyncIteration)
// pending when it returns.
Value generator_send(ValueRef generator, ValueRef value);
// next(): the same for None, but ABSENT for a plain end (one that returned None).
Value generator_next(ValueRef generator);
// throw(type, value, traceback): the last two may be 0.
Value generator_throw(ValueRef generator, ValueRef type, ValueRef value, ValueRef traceback);
// The same for async generators: GeneratorExit does not close the receiver of `yield from`.
Value generator_throw_through(ValueRef generator, ValueRef type, ValueRef value,
                              ValueRef traceback);
bool generator_close(ValueRef generator);

// ---- resuming from the loop
// Marks it as running. The value sent must be on its stack already.
static inline void generator_enter(Generator *generator)
{
    invariant(generator->state <= GENERATOR_SUSPENDED, "only a generator that waits is entered");
    invariant(!generator->frame.previous || thread_state.hooked,
              "a generator that waits has no caller");
    invariant(generator->frame.code, "a generator that waits has its frame");
    generator->state = GENERATOR_RUNNING;
    generator->frame.flags &= ~(uint32_t)(FRAME_DELEGATES | FRAME_LINES | FRAME_LINES_SEEN);
    generator->handled.previous = handled_top;
    handled_top = &generator->handled;
}
// Marks it as not running, after a yield, a return or an exception.
static inline void generator_leave(Generator *generator)
{
    invariant(handled_top == &generator->handled, "the generator entered last is left first");
    handled_top = generator->handled.previous;
    generator->frame.previous = NULL;
}
// Ends the frame, after generator_leave(), if it returned or raised. Keeps a pending exception.
void generator_finish(Generator *generator);
// Converts the exception that left it: StopIteration becomes RuntimeError "generator raised
// StopIteration".
void generator_convert_error(const Generator *generator);

// For upcalls.name_of.
ValueRef generator_or_frame_name(ValueRef value);

// ---- for the frame object
bool generator_running(Frame *frame);
// f_locals: a borrowed mapping. The frame counts as running meanwhile, so that script code called
// here (the __eq__ of a key) cannot end it.
ValueRef generator_locals(Frame *frame);
void generator_abandon(Frame *frame); // frame.clear(): closes it

// ---- await and async for
// The iterator that `await value` goes through.
Value awaitable_iter(ValueRef value);
// Wraps the value of an async generator's `yield`; asend() unwraps it.
Value async_generator_wrap(Value value); // steals

// sys.set_asyncgen_hooks(), sys.set_coroutine_origin_tracking_depth(): owned, 0 = none.
extern Value async_generator_firstiter, async_generator_finalizer;
extern int coroutine_origin_depth;

// Shared by generator.c, coroutine.c and async_generator.c.
const char *generator_kind(const Generator *generator); // "generator", "coroutine" ...
Value generator_get_code(ValueRef self);
Value generator_throw_method(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value generator_send_method(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value generator_close_method(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames);
Value generator_repr(ValueRef self);
Value generator_get_frame(ValueRef self);
Value generator_get_running(ValueRef self);
Value generator_get_receiver(ValueRef self);
Value generator_get_name(ValueRef self);
Value generator_get_qualname(ValueRef self);
bool generator_set_name(ValueRef self, ValueRef value);
bool generator_set_qualname(ValueRef self, ValueRef value);
void generator_release(Object *self);
void generator_traverse(Object *self, VisitFn visit, void *arg);
void generator_finalize(Object *self);

// Attributes and slots of the three types; a prefix is "gi", "cr" or "ag".
// clang-format off
#define GENERATOR_FRAME(prefix, get_running)                                                       \
    {prefix "_frame", generator_get_frame, refuse_as_member, NULL},                                \
    {prefix "_running", get_running, refuse_as_member, NULL},                                      \
    {prefix "_code", generator_get_code, refuse_as_member, NULL}
#define GENERATOR_NAMES(kind)                                                                      \
    {"__name__", generator_get_name, generator_set_name, "name of the " kind},                     \
    {"__qualname__", generator_get_qualname, generator_set_qualname,                               \
     "qualified name of the " kind}
// clang-format on
#define GENERATOR_SLOTS                                                                            \
    .flags = TYPE_GC, .weakref_offset = offsetof(Generator, weakrefs),                             \
    .release = generator_release, .traverse = generator_traverse, .finalize = generator_finalize,  \
    .repr = generator_repr, .getattribute = object_generic_get
