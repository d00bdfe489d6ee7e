// Weak proxies. Every operation on a proxy is applied to its target, which is retained meanwhile.
// Once the target is dead, it raises ReferenceError. (weakref.c makes proxies and keeps their
// lists.)
#include "objects/classes/weakref.h"

#include "objects/call.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/operators.h"

static bool is_proxy(ValueRef value)
{
    return is_exactly(value, &weakproxy_type) || is_exactly(value, &weakcallableproxy_type);
}

// The target if the operand is a proxy, else the operand itself. Owned.
static Value unwrap(ValueRef value)
{
    if (!is_proxy(value)) return retain(value);
    ValueRef target = weakref_target(value);
    if (target) return retain(target);
    return raise_error(ReferenceError, "weakly-referenced object no longer exists");
}

static Value unary(ValueRef self, UnaryFn operation)
{
    Value target = unwrap(self);
    if (!target) return VALUE_ERROR;
    Value result = operation(target);
    drop(target);
    return result;
}

static Value binary(ValueRef left, ValueRef right, BinaryOp op, bool inplace)
{
    Value a = unwrap(left), b = a ? unwrap(right) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (b) result = inplace ? object_inplace(a, b, op) : object_binary(a, b, op);
    drop(a);
    drop(b);
    return result;
}

#define BINARY(name, op)                                                                           \
    static Value proxy_##name(ValueRef left, ValueRef right)                                       \
    {                                                                                              \
        return binary(left, right, op, false);                                                     \
    }
#define BINARY_INPLACE(name, op)                                                                   \
    BINARY(name, op)                                                                               \
    static Value proxy_inplace_##name(ValueRef left, ValueRef right)                               \
    {                                                                                              \
        return binary(left, right, op, true);                                                      \
    }
#define UNARY(name, operation)                                                                     \
    static Value proxy_##name(ValueRef self)                                                       \
    {                                                                                              \
        return unary(self, operation);                                                             \
    }

BINARY_INPLACE(add, OP_ADD)
BINARY_INPLACE(subtract, OP_SUBTRACT)
BINARY_INPLACE(multiply, OP_MULTIPLY)
BINARY_INPLACE(remainder, OP_REMAINDER)
BINARY_INPLACE(lshift, OP_LSHIFT)
BINARY_INPLACE(rshift, OP_RSHIFT)
BINARY_INPLACE(and, OP_AND)
BINARY_INPLACE(xor, OP_XOR)
BINARY_INPLACE(or, OP_OR)
BINARY_INPLACE(floor_divide, OP_FLOOR_DIVIDE)
BINARY_INPLACE(true_divide, OP_TRUE_DIVIDE)
BINARY_INPLACE(matrix_multiply, OP_MATRIX_MULTIPLY)
BINARY(divmod, OP_DIVMOD)

static Value next_of_object(ValueRef object)
{
    if (type_of(object)->next) return object_next(object);
    return raise_error(TypeError, "Weakref proxy referenced a non-iterator '%s' object",
                       type_of(object)->name);
}

UNARY(str, object_str)
UNARY(iter, object_iter)
UNARY(next, next_of_object)
UNARY(negative, object_negative)
UNARY(positive, object_positive)
UNARY(absolute, object_absolute)
UNARY(invert, object_invert)
UNARY(int, object_int)
UNARY(float, object_float)
UNARY(index, object_index)

static Value power(ValueRef base, ValueRef exponent, ValueRef modulus, bool inplace)
{
    Value a = unwrap(base), b = a ? unwrap(exponent) : VALUE_ERROR;
    Value c = b ? unwrap(modulus) : VALUE_ERROR, result = VALUE_ERROR;
    if (c) result = inplace ? object_inplace(a, b, OP_POWER) : object_power(a, b, c);
    drop(a);
    drop(b);
    drop(c);
    return result;
}

static Value proxy_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    return power(base, exponent, modulus, false);
}

static Value proxy_inplace_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    return power(base, exponent, modulus, true);
}

// ---- attributes, items

static Value proxy_getattribute(ValueRef self, ValueRef name)
{
    Value target = unwrap(self);
    if (!target) return VALUE_ERROR;
    Value result = object_get(target, name);
    drop(target);
    return result;
}

static bool proxy_setattr(ValueRef self, ValueRef name, ValueRef value)
{
    Value target = unwrap(self);
    if (!target) return false;
    bool done = value ? object_set(target, name, value) : object_delete(target, name);
    drop(target);
    return done;
}

static Value proxy_subscript(ValueRef self, ValueRef key)
{
    Value target = unwrap(self), index = target ? unwrap(key) : VALUE_ERROR;
    Value result = index ? object_subscript(target, index) : VALUE_ERROR;
    drop(target);
    drop(index);
    return result;
}

static bool proxy_set_subscript(ValueRef self, ValueRef key, ValueRef value)
{
    Value target = unwrap(self);
    if (!target) return false;
    bool done =
        value ? object_set_subscript(target, key, value) : object_delete_subscript(target, key);
    drop(target);
    return done;
}

static bool proxy_contains(ValueRef self, ValueRef item, bool *found)
{
    Value target = unwrap(self);
    if (!target) return false;
    bool done = object_contains(target, item, found);
    drop(target);
    return done;
}

static bool proxy_length(ValueRef self, ssize_t *length)
{
    Value target = unwrap(self);
    if (!target) return false;
    bool done = object_length(target, length);
    drop(target);
    return done;
}

// ---- the rest

static bool proxy_truth(ValueRef self, bool *truth)
{
    Value target = unwrap(self);
    if (!target) return false;
    bool done = object_truth(target, truth);
    drop(target);
    return done;
}

static Value proxy_compare(ValueRef left, ValueRef right, CompareOp op)
{
    Value a = unwrap(left), b = a ? unwrap(right) : VALUE_ERROR;
    Value result = b ? object_compare(a, b, op) : VALUE_ERROR;
    drop(a);
    drop(b);
    return result;
}

static Value proxy_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value target = unwrap(self);
    if (!target) return VALUE_ERROR;
    Value result = object_call(target, args, nargs, kwnames);
    drop(target);
    return result;
}

static Value proxy_repr(ValueRef self)
{
    ValueRef target = weakref_target(self);
    if (!target) target = NONE;
    unsigned long long id = (unsigned long long)memory_id(object_of(self));
    unsigned long long target_id = 0;
    if (is_object(target)) target_id = (unsigned long long)memory_id(object_of(target));
    return format_text("<weakproxy at 0x%llx to %T at 0x%llx>", id, target, target_id);
}

static Value proxy_bytes(ValueRef self, METHOD_ARGS)
{
    Value target = unwrap(self);
    if (!target) return VALUE_ERROR;
    Value result = object_call_method_none(target, NAME(__bytes__));
    drop(target);
    return result;
}

static Value proxy_reversed(ValueRef self, METHOD_ARGS)
{
    Value target = unwrap(self);
    if (!target) return VALUE_ERROR;
    Value result = object_call_method_none(target, NAME(__reversed__));
    drop(target);
    return result;
}

static const MethodDef proxy_methods[] = {
    {"__bytes__", proxy_bytes, NO_ARGS, NULL},
    {"__reversed__", proxy_reversed, NO_ARGS, NULL},
    {0},
};

static void proxy_release(Object *self)
{
    WeakRef *reference = (WeakRef *)self;
    weakref_unlink(reference);
    drop_slot(&reference->callback);
}

static void proxy_traverse(Object *self, VisitFn visit, void *arg)
{
    visit(((WeakRef *)self)->callback, arg);
}

// All that the two types have in common.
#define PROXY_SLOTS                                                                                \
    .flags = TYPE_GC, .release = proxy_release, .traverse = proxy_traverse,                        \
    .clear = proxy_release, .repr = proxy_repr, .str = proxy_str, .compare = proxy_compare,        \
    .getattribute = proxy_getattribute, .setattr = proxy_setattr, .iter = proxy_iter,              \
    .next = proxy_next, .add = proxy_add, .subtract = proxy_subtract, .multiply = proxy_multiply,  \
    .remainder = proxy_remainder, .divmod = proxy_divmod, .power = proxy_power,                    \
    .negative = proxy_negative, .positive = proxy_positive, .absolute = proxy_absolute,            \
    .truth = proxy_truth, .invert = proxy_invert, .lshift = proxy_lshift, .rshift = proxy_rshift,  \
    .and_ = proxy_and, .xor_ = proxy_xor, .or_ = proxy_or, .int_ = proxy_int,                      \
    .float_ = proxy_float, .inplace_add = proxy_inplace_add,                                       \
    .inplace_subtract = proxy_inplace_subtract, .inplace_multiply = proxy_inplace_multiply,        \
    .inplace_remainder = proxy_inplace_remainder, .inplace_power = proxy_inplace_power,            \
    .inplace_lshift = proxy_inplace_lshift, .inplace_rshift = proxy_inplace_rshift,                \
    .inplace_and = proxy_inplace_and, .inplace_xor = proxy_inplace_xor,                            \
    .inplace_or = proxy_inplace_or, .floor_divide = proxy_floor_divide,                            \
    .true_divide = proxy_true_divide, .inplace_floor_divide = proxy_inplace_floor_divide,          \
    .inplace_true_divide = proxy_inplace_true_divide, .index = proxy_index,                        \
    .matrix_multiply = proxy_matrix_multiply,                                                      \
    .inplace_matrix_multiply = proxy_inplace_matrix_multiply, .length = proxy_length,              \
    .contains = proxy_contains, .subscript = proxy_subscript, .set_subscript = proxy_set_subscript

Type weakproxy_type = {
    STATIC_TYPE("weakproxy", sizeof(WeakRef)),
    PROXY_SLOTS,
    .methods = proxy_methods,
};

Type weakcallableproxy_type = {
    STATIC_TYPE("weakcallableproxy", sizeof(WeakRef)),
    PROXY_SLOTS,
    .call = proxy_call,
};
