// None, NotImplemented, Ellipsis: their few slots and methods. They are immediates, so nothing is
// ever allocated here. And ABSENT, whose type answers nothing.
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

// ---- ABSENT: C code has taken it for a value. A build with invariants ends there.

static Value absent_used(void)
{
    invariant(false, "ABSENT is no value: whoever gets it looks before using it");
    return raise_error(SystemError, "a value that is not there was used");
}

static Value absent_unary(ValueRef self)
{
    (void)self;
    return absent_used();
}

static bool absent_hash(ValueRef self, int64_t *hash)
{
    (void)self, (void)hash;
    return absent_used() != VALUE_ERROR;
}

static bool absent_truth(ValueRef self, bool *truth)
{
    (void)self, (void)truth;
    return absent_used() != VALUE_ERROR;
}

static Value absent_compare(ValueRef left, ValueRef right, CompareOp op)
{
    (void)left, (void)right, (void)op;
    return absent_used();
}

static Value absent_call(ValueRef self, METHOD_ARGS)
{
    (void)self, (void)args, (void)nargs, (void)kwnames;
    return absent_used();
}

static Value absent_attribute(ValueRef self, ValueRef name)
{
    (void)self, (void)name;
    return absent_used();
}

static bool absent_set(ValueRef self, ValueRef name, ValueRef value)
{
    (void)self, (void)name, (void)value;
    return absent_used() != VALUE_ERROR;
}

Type absent_type = {
    STATIC_TYPE("ABSENT", sizeof(Object)),
    .repr = absent_unary,
    .str = absent_unary,
    .hash = absent_hash,
    .compare = absent_compare,
    .call = absent_call,
    .getattribute = absent_attribute,
    .setattr = absent_set,
    .iter = absent_unary,
    .truth = absent_truth,
};
