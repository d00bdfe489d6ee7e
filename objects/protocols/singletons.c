// None, NotImplemented, Ellipsis: their few slots and methods. They are immediates, so nothing is
// ever allocated here.
#include "objects/protocols/singletons.h"

#include "objects/call.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

static bool no_arguments(const char *name, size_t nargs, ValueRef kwnames)
{
    if (nargs == 0 && !kwnames) return true;
    return raise_error(TypeError, "%s takes no arguments", name);
}

// ---- None

static Value none_new(Type *type, METHOD_ARGS)
{
    (void)type;
    return no_arguments("NoneType", nargs, kwnames) ? NONE : VALUE_ERROR;
}

static Value none_repr(ValueRef self)
{
    (void)self;
    return str_intern("None");
}

static bool none_truth(ValueRef self, bool *truth)
{
    (void)self;
    *truth = false;
    return true;
}

Type none_type = {
    STATIC_TYPE("NoneType", sizeof(Object)),
    .new_ = none_new,
    .repr = none_repr,
    .truth = none_truth,
};

// ---- NotImplemented

static Value not_implemented_new(Type *type, METHOD_ARGS)
{
    (void)type;
    return no_arguments("NotImplementedType", nargs, kwnames) ? NOT_IMPLEMENTED : VALUE_ERROR;
}

static Value not_implemented_repr(ValueRef self)
{
    (void)self;
    return str_intern("NotImplemented");
}

static bool not_implemented_truth(ValueRef self, bool *truth)
{
    (void)self;
    *truth = true;
    return warn(DeprecationWarning, 1, "NotImplemented should not be used in a boolean context");
}

static Value not_implemented_reduce(ValueRef self, METHOD_ARGS)
{
    return not_implemented_repr(self);
}

static const MethodDef not_implemented_methods[] = {
    {"__reduce__", not_implemented_reduce, NO_ARGS, NULL},
    {0},
};

Type not_implemented_type = {
    STATIC_TYPE("NotImplementedType", sizeof(Object)),
    .methods = not_implemented_methods,
    .new_ = not_implemented_new,
    .repr = not_implemented_repr,
    .truth = not_implemented_truth,
};

// ---- Ellipsis

static Value ellipsis_new(Type *type, METHOD_ARGS)
{
    (void)type;
    return no_arguments("EllipsisType", nargs, kwnames) ? ELLIPSIS : VALUE_ERROR;
}

static Value ellipsis_repr(ValueRef self)
{
    (void)self;
    return str_intern("Ellipsis");
}

static Value ellipsis_reduce(ValueRef self, METHOD_ARGS)
{
    return ellipsis_repr(self);
}

static const MethodDef ellipsis_methods[] = {
    {"__reduce__", ellipsis_reduce, NO_ARGS, NULL},
    {0},
};

Type ellipsis_type = {
    STATIC_TYPE("ellipsis", sizeof(Object)),
    .methods = ellipsis_methods,
    .new_ = ellipsis_new,
    .repr = ellipsis_repr,
    .getattribute = object_generic_get,
};
