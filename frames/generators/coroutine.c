// Coroutines: generators that `await` resumes. `coroutine_wrapper` is the iterator that __await__()
// of a coroutine gives.
#include "frames/generators/generator.h"

#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"

// ---- the type

static const MethodDef methods[] = {
    {"send", generator_send_method, ONE_ARG,
     "send(arg) -> send 'arg' into coroutine,\nreturn next iterated value or raise StopIteration."},
    {"throw", generator_throw_method, ARGS(1, 3),
     "throw(value)\nthrow(type[,value[,traceback]])\n\nRaise exception in coroutine, return next "
     "iterated value or raise\nStopIteration."},
    {"close", generator_close_method, NO_ARGS, "close() -> raise GeneratorExit inside coroutine."},
    {0},
};

static Value get_origin(ValueRef self)
{
    Value origin = as_generator(self)->origin;
    return origin ? retain(origin) : NONE;
}

static const GetSetDef getset[] = {
    GENERATOR_FRAME("cr", generator_get_running),
    {"cr_origin", get_origin, refuse_as_member, NULL},
    GENERATOR_NAMES("coroutine"),
    {"cr_await", generator_get_receiver, NULL, "object being awaited on, or None"},
    {0},
};

static Value coroutine_await(ValueRef self);

Type coroutine_type = {
    STATIC_TYPE("coroutine", sizeof(Generator)),
    GENERATOR_SLOTS,
    .methods = methods,
    .getset = getset,
    .await = coroutine_await,
};

// ---- the wrapper

typedef struct CoroutineWrapper {
    Object base;
    Value coroutine;
} CoroutineWrapper;

static ValueRef wrapped(ValueRef self)
{
    return ((const CoroutineWrapper *)object_of(self))->coroutine;
}

static Value coroutine_await(ValueRef self)
{
    CoroutineWrapper *wrapper = object_alloc(&coroutine_wrapper_type, 0);
    if (!wrapper) return VALUE_ERROR;
    wrapper->coroutine = retain(self);
    return own(wrapper);
}

static Value wrapper_next(ValueRef self)
{
    return generator_next(wrapped(self));
}

static Value wrapper_send(ValueRef self, METHOD_ARGS)
{
    return generator_send(wrapped(self), args[0]);
}

static Value wrapper_throw(ValueRef self, METHOD_ARGS)
{
    return generator_throw_method(wrapped(self), args, nargs, kwnames);
}

static Value wrapper_close(ValueRef self, METHOD_ARGS)
{
    return generator_close_method(wrapped(self), args, nargs, kwnames);
}

static const MethodDef wrapper_methods[] = {
    {"send", wrapper_send, ONE_ARG,
     "send(arg) -> send 'arg' into coroutine,\nreturn next iterated value or raise StopIteration."},
    {"throw", wrapper_throw, ARGS(1, 3),
     "throw(value)\nthrow(type[,value[,traceback]])\n\nRaise exception in coroutine, return next "
     "iterated value or raise\nStopIteration."},
    {"close", wrapper_close, NO_ARGS, "close() -> raise GeneratorExit inside coroutine."},
    {0},
};

static void wrapper_release(Object *self)
{
    drop_slot(&((CoroutineWrapper *)self)->coroutine);
}

static void wrapper_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((const CoroutineWrapper *)self)->coroutine, visit, arg);
}

Type coroutine_wrapper_type = {
    STATIC_TYPE("coroutine_wrapper", sizeof(CoroutineWrapper)),
    .flags = TYPE_GC,
    .methods = wrapper_methods,
    .doc = "A wrapper object implementing __await__ for coroutines.",
    .release = wrapper_release,
    .traverse = wrapper_traverse,
    .getattribute = object_generic_get,
    .iter = iterator_self,
    .next = wrapper_next,
};

// ---- await

// A coroutine, or a generator that types.coroutine() made one.
static bool is_coroutine(ValueRef value)
{
    if (is_exactly(value, &coroutine_type)) return true;
    return is_exactly(value, &generator_type) &&
           (as_code(as_generator(value)->code)->flags & CO_ITERABLE_COROUTINE);
}

Value awaitable_iter(ValueRef value)
{
    if (is_coroutine(value)) return retain(value);
    UnaryFn await = type_of(value)->await;
    if (!await)
        return raise_error(TypeError, "object %T can't be used in 'await' expression", value);
    Value iterator = await(value);
    if (!iterator) return VALUE_ERROR;
    if (is_coroutine(iterator))
        raise_error(TypeError, "__await__() returned a coroutine");
    else if (!object_is_iterator(iterator))
        raise_error(TypeError, "__await__() returned non-iterator of type '%T'", iterator);
    else
        return iterator;
    drop(iterator);
    return VALUE_ERROR;
}
