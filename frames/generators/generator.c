// Generators, and what coroutines and async generators share with them: resuming, throwing,
// closing, ending.
//
// All messages name the kind: "generator already executing", "coroutine already executing". While a
// generator waits in `yield from` (FRAME_DELEGATES), throw() and close() go to its receiver, which
// is on top of its stack. Its ip is then the instruction before YIELD_FROM.
#include "frames/generators/generator.h"

#include "frames/hook.h"
#include "frames/observe.h"
#include "frames/traceback.h"

#include "objects/classes/descriptor.h"
#include "objects/exceptions/exception.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

int coroutine_origin_depth;

const char *generator_kind(const Generator *generator)
{
    Type *type = generator->base.type;
    if (type == &coroutine_type) return "coroutine";
    return type == &async_generator_type ? "async generator" : "generator";
}

// ---- making

static Type *type_for(const Code *code)
{
    if (code->flags & CO_COROUTINE) return &coroutine_type;
    return code->flags & CO_ASYNC_GENERATOR ? &async_generator_type : &generator_type;
}

// cr_origin: where the coroutine was made, as a tuple of (file, line, function).
static Value current_origin(int depth)
{
    ssize_t count = 0;
    for (Frame *frame = thread_state.frame; frame && count < depth; frame = frame->previous)
        count++;
    Value origin = tuple_new(count);
    if (!origin) return VALUE_ERROR;
    Frame *frame = thread_state.frame;
    for (ssize_t i = 0; i < count; i++, frame = frame->previous) {
        const Code *code = as_code(frame->code);
        Value location = tuple_pack(3, (ValueRef)code->filename,
                                    (ValueRef)from_small(frame_line(frame)), (ValueRef)code->name);
        if (!location) {
            drop(origin);
            return VALUE_ERROR;
        }
        as_tuple(origin)->items[i] = location;
    }
    return origin;
}

Value generator_new(const QuickCode *quick, ValueRef globals, ValueRef name, ValueRef qualname)
{
    size_t bytes = sizeof(Generator) + quick->frame_words * sizeof(Value) - sizeof(Frame);
    Type *type = type_for(quick->code);
    Generator *generator = object_alloc_bytes(type, bytes);
    if (!generator) return VALUE_ERROR;
    generator->code = retain(ref_of(quick->code));
    generator->name = retain(name);
    generator->qualname = retain(qualname);
    generator->frame.flags = FRAME_GENERATOR;
    generator->frame.number = 0;
    frame_init(&generator->frame, quick, retain(globals), globals);
    if (type == &coroutine_type && coroutine_origin_depth > 0 &&
        !(generator->origin = current_origin(coroutine_origin_depth))) {
        generator->state = GENERATOR_FINISHED;
        drop(own(generator));
        return VALUE_ERROR;
    }
    return own(generator);
}

// ---- the end

void generator_finish(Generator *generator)
{
    invariant(handled_top != &generator->handled, "a generator is left before it ends");
    generator->state = GENERATOR_FINISHED;
    if (!generator->frame.code) return;
    Value pending = error_take();
    drop_slot(&generator->handled.exception);
    frame_finish(&generator->frame);
    generator->frame.code = VALUE_ERROR;
    generator->frame.flags = FRAME_GENERATOR;
    error_restore(pending);
}

void generator_convert_error(const Generator *generator)
{
    const char *kind = generator_kind(generator);
    if (error_is(StopIteration))
        raise_from_pending(RuntimeError, "%s raised StopIteration", kind);
    else if (generator->base.type == &async_generator_type && error_is(StopAsyncIteration))
        raise_from_pending(RuntimeError, "%s raised StopAsyncIteration", kind);
}

// ---- resuming

static bool is_waiting(const Generator *generator)
{
    return generator->state <= GENERATOR_SUSPENDED;
}

static Value raise_running(const Generator *generator)
{
    return raise_error(ValueError, "%s already executing", generator_kind(generator));
}

// A hook has returned a value without running the frame: the value counts as yielded, and the value
// that was sent is dropped.
static void wait_again(Generator *generator, uint8_t before, uint32_t flags, bool throwing)
{
    invariant(before <= GENERATOR_SUSPENDED, "a generator that waits again was waiting");
    if (before == GENERATOR_SUSPENDED && !throwing) drop(*--generator->frame.sp);
    generator->frame.flags |= flags & FRAME_DELEGATES;
    generator->state = before;
}

// Runs the evaluator on the frame. `throwing`: the pending exception is raised where it waits.
static inline Value run(Generator *generator, bool throwing)
{
    uint8_t before = generator->state;
    uint32_t flags = generator->frame.flags;
    Value held = retain(ref_of(generator));
    generator_enter(generator);
    if (throwing && generator->handled.exception) {
        Value exception = error_take();
        raise_value(exception); // again, for its context: what the generator is handling
        drop(exception);
    }
    Value result = eval_frame(&generator->frame, throwing);
    invariant(!result == error_pending(), "a generator gives a value, or leaves an exception");
    generator_leave(generator);
    if (!result) {
        generator->state = GENERATOR_FINISHED;
        generator_convert_error(generator);
    } else if (generator->state == GENERATOR_RUNNING) {
        wait_again(generator, before, flags, throwing);
    }
    if (generator->state == GENERATOR_FINISHED) generator_finish(generator);
    drop(held);
    return result;
}

static void raise_end(const Generator *generator)
{
    bool is_async = generator->base.type == &async_generator_type;
    raise_value(ref_of(is_async ? StopAsyncIteration : StopIteration));
}

// The result of run() as send() returns it: a return raises StopIteration.
static Value finish_result(Generator *generator, Value result, bool is_next)
{
    if (!result || generator->state != GENERATOR_FINISHED) return result;
    if (result != NONE && generator->base.type != &async_generator_type)
        raise_stop_iteration(result);
    else if (is_next && generator->base.type != &async_generator_type)
        return ABSENT;
    else
        raise_end(generator);
    drop(result);
    return VALUE_ERROR;
}

// The generator cannot be resumed: what send() and next() say then.
static Value resume_finished(const Generator *generator, bool is_next)
{
    if (generator->state == GENERATOR_RUNNING) return raise_running(generator);
    if (generator->base.type == &coroutine_type)
        return raise_error(RuntimeError, "cannot reuse already awaited coroutine");
    if (is_next) return ABSENT;
    raise_end(generator);
    return VALUE_ERROR;
}

static Value resume(ValueRef self, ValueRef value, bool is_next)
{
    Generator *generator = as_generator(self);
    if (!is_waiting(generator)) return resume_finished(generator, is_next);
    if (generator->state == GENERATOR_SUSPENDED)
        *generator->frame.sp++ = retain(value);
    else if (value != NONE)
        return raise_error(TypeError, "can't send non-None value to a just-started %s",
                           generator_kind(generator));
    return finish_result(generator, run(generator, false), is_next);
}

Value generator_send(ValueRef generator, ValueRef value)
{
    return resume(generator, value, false);
}

Value generator_next(ValueRef generator)
{
    return resume(generator, NONE, true);
}

// Raises the pending exception in the generator.
static Value resume_throwing(Generator *generator, bool closing)
{
    if (generator->state == GENERATOR_RUNNING) return raise_running(generator);
    if (generator->state == GENERATOR_FINISHED) {
        if (generator->base.type == &coroutine_type && !closing)
            return raise_error(RuntimeError, "cannot reuse already awaited coroutine");
        return VALUE_ERROR;
    }
    return finish_result(generator, run(generator, true), false);
}

// ---- delegation

// The receiver of the `yield from` in which it waits: borrowed, 0 = it does not wait in one.
static ValueRef receiver_of(const Generator *generator)
{
    invariant(!(generator->frame.flags & FRAME_DELEGATES) || generator->state != GENERATOR_CREATED,
              "a generator that has not begun has no receiver");
    if (generator->state != GENERATOR_SUSPENDED) return VALUE_ERROR;
    return generator->frame.flags & FRAME_DELEGATES ? generator->frame.sp[-1] : VALUE_ERROR;
}

static bool close_receiver(ValueRef receiver)
{
    if (generator_check(receiver)) return generator_close(receiver);
    Value method = object_get_optional(receiver, NAME(close));
    if (!method) {
        report_unraisable(receiver, NULL);
        return true;
    }
    if (method == ABSENT) return true;
    Value result = object_call_none(method);
    drop(method);
    drop(result);
    return result != VALUE_ERROR;
}

// While its receiver runs, the generator counts as running.
static bool close_delegate(Generator *generator, ValueRef receiver)
{
    Value held = retain(receiver);
    generator->state = GENERATOR_RUNNING;
    bool done = close_receiver(held);
    generator->state = GENERATOR_SUSPENDED;
    drop(held);
    return done;
}

bool generator_close(ValueRef self)
{
    Generator *generator = as_generator(self);
    ValueRef receiver = receiver_of(generator);
    if (!receiver || close_delegate(generator, receiver)) raise_value(ref_of(GeneratorExit));
    Value result = resume_throwing(generator, true);
    if (result) {
        drop(result);
        return raise_error(RuntimeError, "%s ignored GeneratorExit", generator_kind(generator));
    }
    if (!error_is(StopIteration) && !error_is(GeneratorExit)) return false;
    error_clear();
    return true;
}

// ---- throw()

// The exception of throw(type, value): owned, an instance in any case.
static Value make_exception(ValueRef type, ValueRef value)
{
    bool is_class;
    if (!value || value == NONE) return object_call_none(type);
    if (exception_check(value)) {
        if (!object_is_subclass(ref_of(type_of(value)), type, &is_class)) return VALUE_ERROR;
        if (is_class) return retain(value);
    }
    if (tuple_check(value)) return object_call_spread(type, value, VALUE_ERROR);
    return object_call_one(type, value);
}

static Value checked_exception(ValueRef type, ValueRef value)
{
    Value exception = make_exception(type, value);
    if (!exception) return error_take();
    if (exception_check(exception)) return exception;
    raise_error(TypeError, "calling %R should have returned an instance of BaseException, not %T",
                type, exception);
    drop(exception);
    return error_take();
}

// Leaves the exception that throw() was called with pending. False where the arguments are wrong.
static bool raise_thrown(ValueRef type, ValueRef value, ValueRef traceback)
{
    if (traceback == NONE) traceback = VALUE_ERROR;
    if (traceback && !traceback_check(traceback))
        return raise_error(TypeError, "throw() third argument must be a traceback object");
    Value exception;
    if (exception_type_check(type)) {
        exception = checked_exception(type, value);
        replace_slot(&as_exception(exception)->traceback,
                     traceback ? retain(traceback) : VALUE_ERROR);
    } else if (exception_check(type)) {
        if (value && value != NONE)
            return raise_error(TypeError, "instance exception may not have a separate value");
        exception = retain(type);
        if (traceback) replace_slot(&as_exception(exception)->traceback, retain(traceback));
    } else {
        return raise_error(TypeError,
                           "exceptions must be classes or instances deriving from BaseException, "
                           "not %T",
                           type);
    }
    error_restore(exception);
    return true;
}

// Takes the receiver off the stack. Its __del__ may resume the generator, as in CPython.
static void drop_receiver(Generator *generator)
{
    Value pending = error_take(), receiver = *--generator->frame.sp;
    drop(receiver);
    error_restore(pending);
}

// The receiver raised, so `yield from` is over: with a value, or with that exception.
static Value resume_after_receiver(Generator *generator)
{
    Frame *frame = &generator->frame;
    frame->flags &= ~(uint32_t)FRAME_DELEGATES;
    invariant(frame->sp > frame_stack(frame), "a receiver is on top of the stack");
    frame->ip++;
    Value value = stop_iteration_take();
    drop_receiver(generator);
    if (value == ABSENT) return resume_throwing(generator, false);
    if (generator->state != GENERATOR_SUSPENDED) {
        drop(value);
        return resume_finished(generator, false);
    }
    *frame->sp++ = value;
    return finish_result(generator, run(generator, false), false);
}

static Value throw_into(ValueRef self, ValueRef type, ValueRef value, ValueRef traceback,
                        bool close_on_exit);

// While the exception is thrown into the receiver, the generator's frame is on the frame stack, so
// that tracebacks show it.
static Value throw_into_generator(Generator *generator, ValueRef receiver, ValueRef type,
                                  ValueRef value, ValueRef traceback, bool close_on_exit)
{
    Frame *frame = &generator->frame;
    frame->previous = thread_state.frame;
    ticks_move_frame(frame->previous, frame);
    thread_state.frame = frame;
    Value result = throw_into(receiver, type, value, traceback, close_on_exit);
    thread_state.frame = frame->previous;
    ticks_move_frame(frame, frame->previous);
    frame->previous = NULL;
    return result;
}

// ABSENT: the receiver has no throw(). `*asked` = false: it failed when it was asked for one.
static Value throw_into_receiver(Generator *generator, ValueRef receiver, ValueRef type,
                                 ValueRef value, ValueRef traceback, bool close_on_exit,
                                 bool *asked)
{
    *asked = true;
    if (generator_check(receiver))
        return throw_into_generator(generator, receiver, type, value, traceback, close_on_exit);
    Value method = object_get_optional(receiver, NAME(throw));
    *asked = method != VALUE_ERROR;
    if (!method || method == ABSENT) return method;
    ValueRef args[] = {type, value, traceback};
    Value result = object_call(method, args, !value ? 1 : !traceback ? 2 : 3, VALUE_ERROR);
    drop(method);
    return result;
}

// throw() to a generator that waits in `yield from`. ABSENT: it must be raised in itself. It still
// waits where the receiver could not be asked for its throw().
static Value throw_delegating(Generator *generator, ValueRef receiver, ValueRef type,
                              ValueRef value, ValueRef traceback, bool close_on_exit)
{
    bool is_exit = false, asked;
    if (close_on_exit) {
        ValueRef class = exception_check(type) ? ref_of(type_of(type)) : type;
        is_exit = exception_type_check(class) && type_is_subtype(as_type(class), GeneratorExit);
    }
    if (is_exit) {
        if (close_delegate(generator, receiver)) return ABSENT;
        return resume_throwing(generator, false);
    }
    Value held = retain(receiver);
    generator->state = GENERATOR_RUNNING;
    Value result =
        throw_into_receiver(generator, held, type, value, traceback, close_on_exit, &asked);
    generator->state = GENERATOR_SUSPENDED;
    drop(held);
    return result || !asked ? result : resume_after_receiver(generator);
}

static Value throw_into(ValueRef self, ValueRef type, ValueRef value, ValueRef traceback,
                        bool close_on_exit)
{
    Generator *generator = as_generator(self);
    ValueRef receiver = receiver_of(generator);
    if (receiver) {
        Value result = throw_delegating(generator, receiver, type, value, traceback, close_on_exit);
        if (result != ABSENT) return result;
    }
    if (!raise_thrown(type, value, traceback)) return VALUE_ERROR;
    return resume_throwing(generator, false);
}

Value generator_throw(ValueRef self, ValueRef type, ValueRef value, ValueRef traceback)
{
    return throw_into(self, type, value, traceback, true);
}

Value generator_throw_through(ValueRef self, ValueRef type, ValueRef value, ValueRef traceback)
{
    return throw_into(self, type, value, traceback, false);
}

// ---- methods

Value generator_send_method(ValueRef self, METHOD_ARGS)
{
    return generator_send(self, args[0]);
}

Value generator_throw_method(ValueRef self, METHOD_ARGS)
{
    return generator_throw(self, args[0], nargs > 1 ? args[1] : VALUE_ERROR,
                           nargs > 2 ? args[2] : VALUE_ERROR);
}

Value generator_close_method(ValueRef self, METHOD_ARGS)
{
    return generator_close(self) ? NONE : VALUE_ERROR;
}

static const MethodDef methods[] = {
    {"send", generator_send_method, ONE_ARG,
     "send(arg) -> send 'arg' into generator,\nreturn next yielded value or raise StopIteration."},
    {"throw", generator_throw_method, ARGS(1, 3),
     "throw(value)\nthrow(type[,value[,tb]])\n\nRaise exception in generator, return next yielded "
     "value or raise\nStopIteration."},
    {"close", generator_close_method, NO_ARGS, "close() -> raise GeneratorExit inside generator."},
    {0},
};

// ---- attributes

Value generator_get_frame(ValueRef self)
{
    Generator *generator = as_generator(self);
    if (generator->state == GENERATOR_FINISHED) return NONE;
    ValueRef object = frame_object(&generator->frame);
    return object ? retain(object) : VALUE_ERROR;
}

Value generator_get_running(ValueRef self)
{
    return from_bool(as_generator(self)->state == GENERATOR_RUNNING);
}

Value generator_get_code(ValueRef self)
{
    return retain(as_generator(self)->code);
}

Value generator_get_receiver(ValueRef self)
{
    ValueRef receiver = receiver_of(as_generator(self));
    return receiver ? retain(receiver) : NONE;
}

Value generator_get_name(ValueRef self)
{
    return retain(as_generator(self)->name);
}

Value generator_get_qualname(ValueRef self)
{
    return retain(as_generator(self)->qualname);
}

bool generator_set_name(ValueRef self, ValueRef value)
{
    if (!value || !str_check(value))
        return raise_error(TypeError, "__name__ must be set to a string object");
    replace_slot(&as_generator(self)->name, retain(value));
    return true;
}

bool generator_set_qualname(ValueRef self, ValueRef value)
{
    if (!value || !str_check(value))
        return raise_error(TypeError, "__qualname__ must be set to a string object");
    replace_slot(&as_generator(self)->qualname, retain(value));
    return true;
}

static const GetSetDef getset[] = {
    GENERATOR_FRAME("gi", generator_get_running),
    GENERATOR_NAMES("generator"),
    {"gi_yieldfrom", generator_get_receiver, NULL, "object being iterated by yield from, or None"},
    {0},
};

Value generator_repr(ValueRef self)
{
    const Generator *generator = as_generator(self);
    return format_text("<%T object %S at 0x%llx>", self, generator->qualname,
                       (long long)memory_id(&generator->base));
}

// ---- life

bool generator_running(Frame *frame)
{
    return generator_of(frame)->state == GENERATOR_RUNNING;
}

ValueRef generator_locals(Frame *frame)
{
    Generator *generator = generator_of(frame);
    uint8_t before = generator->state;
    Value held = retain(ref_of(generator));
    generator->state = GENERATOR_RUNNING;
    ValueRef locals = frame_locals(frame);
    generator->state = before;
    drop(held);
    return locals;
}

void generator_abandon(Frame *frame)
{
    Generator *generator = generator_of(frame);
    Value held = retain(ref_of(generator));
    generator_finalize(&generator->base);
    if (is_waiting(generator)) generator_finish(generator);
    drop(held);
}

static void call_finalizer(Generator *generator)
{
    Value finalizer = retain(generator->finalizer);
    Value result = object_call_one(finalizer, ref_of(generator));
    if (!result) report_unraisable(ref_of(generator), NULL);
    drop(result);
    drop(finalizer);
}

static void warn_unawaited(Generator *generator)
{
    ValueRef self = ref_of(generator);
    bool done = upcalls.warn_unawaited ? upcalls.warn_unawaited(self)
                                       : warn(RuntimeWarning, 1, "coroutine '%S' was never awaited",
                                              generator->qualname);
    if (!done) report_unraisable(self, NULL);
}

void generator_finalize(Object *self)
{
    Generator *generator = (Generator *)self;
    if (!is_waiting(generator)) return;
    Value pending = error_take();
    if (self->type == &async_generator_type && generator->finalizer && !generator->closed)
        call_finalizer(generator);
    else if (self->type == &coroutine_type && generator->state == GENERATOR_CREATED)
        warn_unawaited(generator);
    else if (generator->state == GENERATOR_SUSPENDED && !generator_close(ref_of(self)))
        report_unraisable(ref_of(self), NULL);
    error_restore(pending);
}

void generator_release(Object *self)
{
    Generator *generator = (Generator *)self;
    invariant(generator->state != GENERATOR_RUNNING, "the caller that runs a generator holds it");
    generator_finish(generator);
    invariant(!generator->frame.code, "a generator that is freed has no frame any more");
    drop_slot(&generator->code);
    drop_slot(&generator->name);
    drop_slot(&generator->qualname);
    drop_slot(&generator->origin);
    drop_slot(&generator->finalizer);
}

// While a generator runs, the loop owns its stack: the collector does not visit its values, which
// so count as reachable.
void generator_traverse(Object *self, VisitFn visit, void *arg)
{
    Generator *generator = (Generator *)self;
    visit_item(generator->code, visit, arg);
    visit_item(generator->name, visit, arg);
    visit_item(generator->qualname, visit, arg);
    visit_item(generator->origin, visit, arg);
    visit_item(generator->finalizer, visit, arg);
    visit_item(generator->handled.exception, visit, arg);
    if (is_waiting(generator)) frame_traverse(&generator->frame, visit, arg);
}

ValueRef generator_or_frame_name(ValueRef value)
{
    const Type *type = type_of(value);
    if (type == &generator_type || type == &coroutine_type || type == &async_generator_type)
        return as_generator(value)->qualname;
    if (type == &frame_type) return as_code(as_frame_object(value)->frame->code)->name;
    return 0;
}

Type generator_type = {
    STATIC_TYPE("generator", sizeof(Generator)),
    GENERATOR_SLOTS,
    .methods = methods,
    .getset = getset,
    .iter = iterator_self,
    .next = generator_next,
};
