// Async generators, and the awaitables that their methods give.
//
//     async for / __anext__() / asend(v)   -> async_generator_asend    next() resumes the generator
//     athrow(...) / aclose()               -> async_generator_athrow   once it throws, then resumes
//
// A value that the generator yields is wrapped (async_generator_value), which distinguishes it from
// values that an `await` passes through. The awaitable unwraps it and ends with
// StopIteration(value). The states of an awaitable are INIT -> ITER -> CLOSED.
#include "frames/generators/generator.h"

#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/gc.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"

#define IGNORED_EXIT "async generator ignored GeneratorExit"
#define REUSED_SEND "cannot reuse already awaited __anext__()/asend()"
#define REUSED_THROW "cannot reuse already awaited aclose()/athrow()"

Value async_generator_firstiter, async_generator_finalizer;

typedef enum AwaitState { AWAIT_INIT, AWAIT_ITER, AWAIT_CLOSED } AwaitState;

typedef struct Awaitable {
    Object base;
    Value generator;
    Value argument; // of asend(): a value; of athrow(): a tuple; 0 = __anext__(), aclose()
    AwaitState state;
} Awaitable;

static Awaitable *as_awaitable(ValueRef value)
{
    return (Awaitable *)object_of(value);
}
static Generator *generator_driven(ValueRef self)
{
    return as_generator(as_awaitable(self)->generator);
}

// ---- the wrapped value

typedef struct WrappedValue {
    Object base;
    Value value;
} WrappedValue;

static void value_release(Object *self)
{
    drop_slot(&((WrappedValue *)self)->value);
}

static void value_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((const WrappedValue *)self)->value, visit, arg);
}

Type async_generator_value_type = {
    STATIC_TYPE("async_generator_wrapped_value", sizeof(WrappedValue)),
    .flags = TYPE_GC,
    .release = value_release,
    .traverse = value_traverse,
    .getattribute = object_generic_get,
};

Value async_generator_wrap(Value value)
{
    WrappedValue *wrapped = object_alloc(&async_generator_value_type, 0);
    if (!wrapped) {
        drop(value);
        return VALUE_ERROR;
    }
    wrapped->value = value;
    return own(wrapped);
}

static bool is_wrapped(ValueRef value)
{
    return is_exactly(value, &async_generator_value_type);
}

// The generator's result as its awaitable shows it: a yielded value ends it with StopIteration.
static Value unwrap(Generator *generator, Value result)
{
    if (!result) {
        if (!error_pending()) raise_value(ref_of(StopAsyncIteration));
        if (error_is(StopAsyncIteration) || error_is(GeneratorExit)) generator->closed = true;
        generator->running_async = false;
        return VALUE_ERROR;
    }
    if (!is_wrapped(result)) return result;
    raise_stop_iteration(((const WrappedValue *)object_of(result))->value);
    drop(result);
    generator->running_async = false;
    return VALUE_ERROR;
}

// ---- the awaitable of asend() and __anext__()

static Value close_awaitable(ValueRef self, METHOD_ARGS)
{
    as_awaitable(self)->state = AWAIT_CLOSED;
    return NONE;
}

static Value asend_send_value(ValueRef self, ValueRef value)
{
    Awaitable *awaitable = as_awaitable(self);
    Generator *generator = generator_driven(self);
    if (awaitable->state == AWAIT_CLOSED) return raise_error(RuntimeError, REUSED_SEND);
    if (awaitable->state == AWAIT_INIT) {
        if (generator->running_async)
            return raise_error(RuntimeError, "anext(): asynchronous generator is already running");
        if (value == NONE && awaitable->argument) value = awaitable->argument;
        awaitable->state = AWAIT_ITER;
    }
    generator->running_async = true;
    Value result = unwrap(generator, generator_send(awaitable->generator, value));
    if (!result) awaitable->state = AWAIT_CLOSED;
    return result;
}

static Value asend_next(ValueRef self)
{
    return asend_send_value(self, NONE);
}

static Value asend_send(ValueRef self, METHOD_ARGS)
{
    return asend_send_value(self, args[0]);
}

static Value asend_throw(ValueRef self, METHOD_ARGS)
{
    Awaitable *awaitable = as_awaitable(self);
    if (awaitable->state == AWAIT_CLOSED) return raise_error(RuntimeError, REUSED_SEND);
    Value result = generator_throw_method(awaitable->generator, args, nargs, kwnames);
    result = unwrap(generator_driven(self), result);
    if (!result) awaitable->state = AWAIT_CLOSED;
    return result;
}

static void awaitable_release(Object *self)
{
    Awaitable *awaitable = (Awaitable *)self;
    drop_slot(&awaitable->generator);
    drop_slot(&awaitable->argument);
}

static void awaitable_traverse(Object *self, VisitFn visit, void *arg)
{
    const Awaitable *awaitable = (const Awaitable *)self;
    visit_item(awaitable->generator, visit, arg);
    visit_item(awaitable->argument, visit, arg);
}

static const MethodDef asend_methods[] = {
    {"send", asend_send, ONE_ARG, NULL},
    {"throw", asend_throw, ARGS(1, 3), NULL},
    {"close", close_awaitable, NO_ARGS, NULL},
    {0},
};

static Value await_self(ValueRef self)
{
    return retain(self);
}

Type async_generator_asend_type = {
    STATIC_TYPE("async_generator_asend", sizeof(Awaitable)),
    .flags = TYPE_GC,
    .methods = asend_methods,
    .release = awaitable_release,
    .traverse = awaitable_traverse,
    .getattribute = object_generic_get,
    .iter = iterator_self,
    .next = asend_next,
    .await = await_self,
};

// ---- the awaitable of athrow() and aclose()

static Value raise_ignored_exit(Awaitable *awaitable)
{
    as_generator(awaitable->generator)->running_async = false;
    awaitable->state = AWAIT_CLOSED;
    return raise_error(RuntimeError, IGNORED_EXIT);
}

// The generator raised. For aclose() its end is success: the awaitable raises StopIteration.
static Value athrow_failed(Awaitable *awaitable)
{
    as_generator(awaitable->generator)->running_async = false;
    awaitable->state = AWAIT_CLOSED;
    if (!awaitable->argument && (error_is(StopAsyncIteration) || error_is(GeneratorExit))) {
        error_clear();
        raise_value(ref_of(StopIteration));
    }
    return VALUE_ERROR;
}

static Value athrow_result(Awaitable *awaitable, Value result)
{
    if (awaitable->argument) {
        result = unwrap(as_generator(awaitable->generator), result);
    } else if (result && is_wrapped(result)) {
        drop(result);
        return raise_ignored_exit(awaitable);
    }
    return result;
}

static Value athrow_start(Awaitable *awaitable, ValueRef value)
{
    Generator *generator = as_generator(awaitable->generator);
    if (generator->running_async)
        return raise_error(RuntimeError, "%s(): asynchronous generator is already running",
                           awaitable->argument ? "athrow" : "aclose");
    if (generator->closed) return raise_value(ref_of(StopAsyncIteration));
    if (value != NONE)
        return raise_error(RuntimeError, "can't send non-None value to a just-started coroutine");
    awaitable->state = AWAIT_ITER;
    generator->running_async = true;
    ValueRef args[3] = {ref_of(GeneratorExit), VALUE_ERROR, VALUE_ERROR};
    if (awaitable->argument) {
        const Tuple *given = as_tuple(awaitable->argument);
        for (ssize_t i = 0; i < given->size; i++) args[i] = given->items[i];
    } else {
        generator->closed = true;
    }
    Value result = generator_throw_through(awaitable->generator, args[0], args[1], args[2]);
    result = athrow_result(awaitable, result);
    return result ? result : athrow_failed(awaitable);
}

static Value athrow_send_value(ValueRef self, ValueRef value)
{
    Awaitable *awaitable = as_awaitable(self);
    Generator *generator = generator_driven(self);
    if (awaitable->state == AWAIT_CLOSED) return raise_error(RuntimeError, REUSED_THROW);
    if (generator->state == GENERATOR_FINISHED) {
        awaitable->state = AWAIT_CLOSED;
        return raise_value(ref_of(StopIteration));
    }
    if (awaitable->state == AWAIT_INIT) return athrow_start(awaitable, value);
    Value result = athrow_result(awaitable, generator_send(awaitable->generator, value));
    if (result || awaitable->argument) return result;
    return athrow_failed(awaitable);
}

static Value athrow_next(ValueRef self)
{
    return athrow_send_value(self, NONE);
}

static Value athrow_send(ValueRef self, METHOD_ARGS)
{
    return athrow_send_value(self, args[0]);
}

static Value athrow_throw(ValueRef self, METHOD_ARGS)
{
    Awaitable *awaitable = as_awaitable(self);
    if (awaitable->state == AWAIT_CLOSED) return raise_error(RuntimeError, REUSED_THROW);
    Value result = generator_throw_method(awaitable->generator, args, nargs, kwnames);
    result = athrow_result(awaitable, result);
    if (!result && !awaitable->argument &&
        (error_is(StopAsyncIteration) || error_is(GeneratorExit))) {
        error_clear();
        raise_value(ref_of(StopIteration));
    }
    return result;
}

static const MethodDef athrow_methods[] = {
    {"send", athrow_send, ONE_ARG, NULL},
    {"throw", athrow_throw, ARGS(1, 3), NULL},
    {"close", close_awaitable, NO_ARGS, NULL},
    {0},
};

Type async_generator_athrow_type = {
    STATIC_TYPE("async_generator_athrow", sizeof(Awaitable)),
    .flags = TYPE_GC,
    .methods = athrow_methods,
    .release = awaitable_release,
    .traverse = awaitable_traverse,
    .getattribute = object_generic_get,
    .iter = iterator_self,
    .next = athrow_next,
    .await = await_self,
};

// ---- the generator

// Before the first awaitable is made: sys.set_asyncgen_hooks().
static bool call_hooks(Generator *generator)
{
    if (generator->hooked) return true;
    generator->hooked = true;
    if (async_generator_finalizer) generator->finalizer = retain(async_generator_finalizer);
    if (!async_generator_firstiter) return true;
    Value hook = retain(async_generator_firstiter);
    Value result = object_call_one(hook, ref_of(generator));
    drop(hook);
    drop(result);
    return result != VALUE_ERROR;
}

static Value awaitable_new(Type *type, ValueRef generator, ValueRef argument)
{
    if (!call_hooks(as_generator(generator))) return VALUE_ERROR;
    Awaitable *awaitable = object_alloc(type, 0);
    if (!awaitable) return VALUE_ERROR;
    awaitable->generator = retain(generator);
    awaitable->argument = argument ? retain(argument) : VALUE_ERROR;
    return own(awaitable);
}

static Value async_generator_anext(ValueRef self)
{
    return awaitable_new(&async_generator_asend_type, self, VALUE_ERROR);
}

static Value async_generator_asend(ValueRef self, METHOD_ARGS)
{
    return awaitable_new(&async_generator_asend_type, self, args[0]);
}

static Value async_generator_aclose(ValueRef self, METHOD_ARGS)
{
    return awaitable_new(&async_generator_athrow_type, self, VALUE_ERROR);
}

static Value async_generator_athrow(ValueRef self, METHOD_ARGS)
{
    Value given = tuple_from_array(args, nargs);
    if (!given) return VALUE_ERROR;
    Value awaitable = awaitable_new(&async_generator_athrow_type, self, given);
    drop(given);
    return awaitable;
}

static const MethodDef methods[] = {
    {"asend", async_generator_asend, ONE_ARG, "asend(v) -> send 'v' in generator."},
    {"athrow", async_generator_athrow, ARGS(1, 3),
     "athrow(typ[,val[,tb]]) -> raise exception in generator."},
    {"aclose", async_generator_aclose, NO_ARGS,
     "aclose() -> raise GeneratorExit inside generator."},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, "See PEP 585"},
    {0},
};

static Value get_running(ValueRef self)
{
    return from_bool(as_generator(self)->running_async);
}

static const GetSetDef getset[] = {
    GENERATOR_FRAME("ag", get_running),
    GENERATOR_NAMES("async generator"),
    {"ag_await", generator_get_receiver, NULL, "object being awaited on, or None"},
    {0},
};

Type async_generator_type = {
    STATIC_TYPE("async_generator", sizeof(Generator)),
    GENERATOR_SLOTS,
    .methods = methods,
    .getset = getset,
    .aiter = await_self,
    .anext = async_generator_anext,
};
