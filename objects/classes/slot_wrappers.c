// From script to C: how a wrapper_descriptor calls the slot that it wraps.
//
//     (3).__add__(4)  ->  wrap_binary(int_type.add, 3, {4})  ->  int_type.add(3, 4)
//
// Each function checks the number of arguments, calls the slot, and makes a Value of its result (a
// bool and an out parameter, or ABSENT). To delete, it passes VALUE_ERROR. CPython has two messages
// for a wrong number of arguments. One begins with an empty function name, hence the space.
#include "objects/classes/slots.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

#define WRAPPER(name)                                                                              \
    Value name(SlotFn slot, ValueRef self, __attribute__((unused)) const ValueRef *args,           \
               size_t nargs, __attribute__((unused)) ValueRef kwnames)

static bool check_exactly(size_t nargs, size_t expected)
{
    if (nargs == expected) return true;
    return raise_error(TypeError, "expected %zu argument%s, got %zu", expected,
                       expected == 1 ? "" : "s", nargs);
}

static bool check_between(size_t nargs, size_t least, size_t most)
{
    if (nargs >= least && nargs <= most) return true;
    size_t bound = nargs < least ? least : most;
    const char *how = least == most ? "" : nargs < least ? "at least " : "at most ";
    return raise_error(TypeError, " expected %s%zu argument%s, got %zu", how, bound,
                       bound == 1 ? "" : "s", nargs);
}

static Value none_or_error(bool done)
{
    return done ? NONE : VALUE_ERROR;
}

// ---- unary

WRAPPER(wrap_unary)
{
    return check_exactly(nargs, 0) ? ((UnaryFn)slot)(self) : VALUE_ERROR;
}

WRAPPER(wrap_hash)
{
    int64_t hash;
    if (!check_exactly(nargs, 0) || !((HashFn)slot)(self, &hash)) return VALUE_ERROR;
    return int_new(hash);
}

WRAPPER(wrap_truth)
{
    bool truth;
    if (!check_exactly(nargs, 0) || !((TruthFn)slot)(self, &truth)) return VALUE_ERROR;
    return from_bool(truth);
}

WRAPPER(wrap_length)
{
    ssize_t length;
    if (!check_exactly(nargs, 0) || !((LengthFn)slot)(self, &length)) return VALUE_ERROR;
    return int_new(length);
}

WRAPPER(wrap_next)
{
    if (!check_exactly(nargs, 0)) return VALUE_ERROR;
    Value item = ((UnaryFn)slot)(self);
    return item == ABSENT ? raise_value(ref_of(StopIteration)) : item;
}

WRAPPER(wrap_finalize)
{
    if (!check_exactly(nargs, 0)) return VALUE_ERROR;
    ((ReleaseFn)slot)(object_of(self));
    return NONE;
}

// ---- binary and ternary

WRAPPER(wrap_binary)
{
    return check_exactly(nargs, 1) ? ((BinaryFn)slot)(self, args[0]) : VALUE_ERROR;
}

WRAPPER(wrap_binary_reflected)
{
    return check_exactly(nargs, 1) ? ((BinaryFn)slot)(args[0], self) : VALUE_ERROR;
}

WRAPPER(wrap_ternary)
{
    if (!check_between(nargs, 1, 2)) return VALUE_ERROR;
    return ((TernaryFn)slot)(self, args[0], nargs == 2 ? args[1] : NONE);
}

WRAPPER(wrap_ternary_reflected)
{
    if (!check_between(nargs, 1, 2)) return VALUE_ERROR;
    return ((TernaryFn)slot)(args[0], self, nargs == 2 ? args[1] : NONE);
}

#define COMPARE_WRAPPER(name, op)                                                                  \
    WRAPPER(name)                                                                                  \
    {                                                                                              \
        return check_exactly(nargs, 1) ? ((CompareFn)slot)(self, args[0], op) : VALUE_ERROR;       \
    }
COMPARE_WRAPPER(wrap_lt, COMPARE_LT)
COMPARE_WRAPPER(wrap_le, COMPARE_LE)
COMPARE_WRAPPER(wrap_eq, COMPARE_EQ)
COMPARE_WRAPPER(wrap_ne, COMPARE_NE)
COMPARE_WRAPPER(wrap_gt, COMPARE_GT)
COMPARE_WRAPPER(wrap_ge, COMPARE_GE)

// ---- calls

WRAPPER(wrap_call)
{
    return ((CallFn)slot)(self, args, nargs, kwnames);
}

WRAPPER(wrap_init)
{
    return none_or_error(((InitFn)slot)(self, args, nargs, kwnames));
}

// ---- attributes

// The attribute name as the slots take it, interned: owned.
static Value attribute_name(ValueRef name)
{
    if (!str_check(name))
        return raise_error(TypeError, "attribute name must be string, not '%.200T'", name);
    Value interned =
        str_check_exact(name) ? retain(name) : str_substring(name, 0, str_length(name));
    if (interned) str_intern_in_place(&interned);
    return interned;
}

WRAPPER(wrap_getattribute)
{
    Value name = check_exactly(nargs, 1) ? attribute_name(args[0]) : VALUE_ERROR;
    if (!name) return VALUE_ERROR;
    Value found = ((GetAttrFn)slot)(self, name);
    drop(name);
    return found;
}

// The type that defines the `setattr` slot which `type` has.
static const Type *setattr_owner(const Type *type)
{
    for (ssize_t i = tuple_size(type->mro) - 1; i >= 0; i--) {
        const Type *base = as_type(tuple_at(type->mro, i));
        if (base->setattr != slot_setattr && base->setattr == type->setattr) return base;
    }
    return type;
}

// Prevents object.__setattr__ from bypassing the setattr of a type written in C, such as `type`'s.
static bool may_apply(ValueRef self, SetAttrFn slot, const char *name)
{
    const Type *type = type_of(self);
    if (!type->mro) return true;
    for (const Type *base = setattr_owner(type); base; base = base->base_type) {
        if (base->setattr == slot) return true;
        if (base->setattr != slot_setattr)
            return raise_error(TypeError, "can't apply this %s to %s object", name, type->name);
    }
    return true;
}

static Value set_attribute(SetAttrFn set, ValueRef self, ValueRef name, ValueRef value)
{
    Value interned = attribute_name(name);
    if (!interned) return VALUE_ERROR;
    bool done = set(self, interned, value);
    drop(interned);
    return none_or_error(done);
}

WRAPPER(wrap_setattr)
{
    SetAttrFn set = (SetAttrFn)slot;
    if (!check_between(nargs, 2, 2) || !may_apply(self, set, "__setattr__")) return VALUE_ERROR;
    return set_attribute(set, self, args[0], args[1]);
}

WRAPPER(wrap_delattr)
{
    SetAttrFn set = (SetAttrFn)slot;
    if (!check_exactly(nargs, 1) || !may_apply(self, set, "__delattr__")) return VALUE_ERROR;
    return set_attribute(set, self, args[0], VALUE_ERROR);
}

// ---- descriptors

WRAPPER(wrap_get)
{
    if (!check_between(nargs, 1, 2)) return VALUE_ERROR;
    ValueRef instance = args[0] == NONE ? VALUE_ERROR : args[0];
    ValueRef owner = nargs < 2 || args[1] == NONE ? VALUE_ERROR : args[1];
    if (!instance && !owner) return raise_error(TypeError, "__get__(None, None) is invalid");
    return ((DescrGetFn)slot)(self, instance, owner);
}

WRAPPER(wrap_set)
{
    if (!check_between(nargs, 2, 2)) return VALUE_ERROR;
    return none_or_error(((DescrSetFn)slot)(self, args[0], args[1]));
}

WRAPPER(wrap_delete)
{
    if (!check_exactly(nargs, 1)) return VALUE_ERROR;
    return none_or_error(((DescrSetFn)slot)(self, args[0], VALUE_ERROR));
}

// ---- containers

WRAPPER(wrap_set_subscript)
{
    if (!check_between(nargs, 2, 2)) return VALUE_ERROR;
    return none_or_error(((SetSubscriptFn)slot)(self, args[0], args[1]));
}

WRAPPER(wrap_delete_subscript)
{
    if (!check_exactly(nargs, 1)) return VALUE_ERROR;
    return none_or_error(((SetSubscriptFn)slot)(self, args[0], VALUE_ERROR));
}

WRAPPER(wrap_contains)
{
    bool found;
    if (!check_exactly(nargs, 1) || !((ContainsFn)slot)(self, args[0], &found)) return VALUE_ERROR;
    return from_bool(found);
}

WRAPPER(wrap_repeat)
{
    ssize_t count;
    if (!check_between(nargs, 1, 1) || !object_as_ssize(args[0], &count, OverflowError))
        return VALUE_ERROR;
    return ((ItemFn)slot)(self, count);
}

// The index of a sequence, counted from the end where it is negative.
static bool item_index(ValueRef self, ValueRef value, ssize_t *index)
{
    if (!object_as_ssize(value, index, OverflowError)) return false;
    const Type *type = type_of(self);
    if (*index >= 0 || !type->length) return true;
    ssize_t length;
    if (!type->length(self, &length)) return false;
    *index += length;
    return true;
}

WRAPPER(wrap_item)
{
    ssize_t index;
    if (!check_exactly(nargs, 1) || !item_index(self, args[0], &index)) return VALUE_ERROR;
    return ((ItemFn)slot)(self, index);
}

WRAPPER(wrap_set_item)
{
    ssize_t index;
    if (!check_between(nargs, 2, 2) || !item_index(self, args[0], &index)) return VALUE_ERROR;
    return none_or_error(((SetItemFn)slot)(self, index, args[1]));
}

WRAPPER(wrap_delete_item)
{
    ssize_t index;
    if (!check_exactly(nargs, 1) || !item_index(self, args[0], &index)) return VALUE_ERROR;
    return none_or_error(((SetItemFn)slot)(self, index, VALUE_ERROR));
}
