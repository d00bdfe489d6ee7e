// From C to script: the functions in the slots of a class whose methods are written in script.
//
//     a + b  ->  type_of(a)->add == slot_add  ->  type(a).__add__(a, b)
//
// A slot function looks the method up in the type, never in the instance. A method that LOAD_METHOD
// need not bind (TYPE_METHOD) is called with self as its first argument, without a bound method.
#include "objects/call.h"
#include "objects/classes/slots.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#define ARGS_ON_STACK 8

// ---- finding and calling methods

Value special_find(ValueRef self, ValueRef name, bool *unbound)
{
    *unbound = false;
    Type *type = type_of(self);
    ValueRef found = type_lookup(type, name);
    if (!found) return ABSENT;
    const Type *kind = type_of(found);
    if (kind->flags & TYPE_METHOD) {
        *unbound = true;
        return retain(found);
    }
    if (!kind->get) return retain(found);
    Value held = retain(found);
    Value bound = kind->get(held, self, ref_of(type));
    drop(held);
    return bound;
}

Value call_with_self(ValueRef function, ValueRef self, const ValueRef *args, size_t nargs,
                     ValueRef kwnames)
{
    if (!self) return object_call(function, args, nargs, kwnames);
    size_t total = nargs + (kwnames ? (size_t)tuple_size(kwnames) : 0);
    ValueRef few[ARGS_ON_STACK], *all = few;
    if (total >= ARGS_ON_STACK && !(all = memory_alloc((total + 1) * sizeof *all)))
        return raise_memory_error();
    all[0] = self;
    for (size_t i = 0; i < total; i++) all[i + 1] = args[i];
    Value result = object_call(function, all, nargs + 1, kwnames);
    if (all != few) memory_free(all);
    return result;
}

// Calls a method found by special_find(), and drops it.
static Value call_found(Value method, bool unbound, const ValueRef *args, size_t nargs)
{
    if (!method) return VALUE_ERROR;
    size_t skip = unbound ? 0 : 1;
    Value result = object_call(method, args + skip, nargs - skip, VALUE_ERROR);
    drop(method);
    return result;
}

Value special_call(ValueRef name, const ValueRef *args, size_t nargs)
{
    bool unbound;
    Value method = special_find(args[0], name, &unbound);
    if (method == ABSENT) return raise_with(AttributeError, name);
    return call_found(method, unbound, args, nargs);
}

// NotImplemented where there is no such method.
static Value special_maybe(ValueRef name, ValueRef self, ValueRef other)
{
    bool unbound;
    Value method = special_find(self, name, &unbound);
    if (method == ABSENT) return NOT_IMPLEMENTED;
    return call_found(method, unbound, (ValueRef[]){self, other}, 2);
}

// ABSENT also if binding the method fails: for slots that treat this as "no method".
static Value special_find_quietly(ValueRef self, ValueRef name, bool *unbound)
{
    Value method = special_find(self, name, unbound);
    if (method) return method;
    error_clear();
    return ABSENT;
}

// Calls a special method that takes self alone.
static Value special_unary(ValueRef name, ValueRef self)
{
    return special_call(name, &self, 1);
}

static bool done(Value result)
{
    drop(result);
    return result != VALUE_ERROR;
}

// ---- operators

// Does the type of `other` have another method `name` than that of `self`?
static bool is_overloaded(ValueRef self, ValueRef other, ValueRef name, bool *overloaded)
{
    Value theirs = object_get_optional(ref_of(type_of(other)), name);
    *overloaded = false;
    if (theirs == ABSENT) return true;
    Value ours = theirs ? object_get_optional(ref_of(type_of(self)), name) : VALUE_ERROR;
    bool fine = ours != VALUE_ERROR;
    if (ours == ABSENT)
        *overloaded = true;
    else if (fine)
        fine = object_compare_bool(ours, theirs, COMPARE_NE, overloaded);
    drop(theirs);
    drop(ours);
    return fine;
}

// left OP right. left_has and right_has: does the type hold the slot function of this operator?
static Value binary_special(ValueRef left, ValueRef right, bool left_has, bool right_has,
                            ValueRef name, ValueRef reflected)
{
    const Type *left_type = type_of(left), *right_type = type_of(right);
    bool try_right = right_has && left_type != right_type;
    if (left_has) {
        bool first = false;
        if (try_right && type_is_subtype(right_type, left_type) &&
            !is_overloaded(left, right, reflected, &first))
            return VALUE_ERROR;
        if (first) {
            Value result = special_maybe(reflected, right, left);
            if (result != NOT_IMPLEMENTED) return result;
            try_right = false;
        }
        Value result = special_maybe(name, left, right);
        if (result != NOT_IMPLEMENTED || type_of(right) == type_of(left)) return result;
    }
    return try_right ? special_maybe(reflected, right, left) : NOT_IMPLEMENTED;
}

#define SLOT(...)
#define SLOT_ONLY(...)
#define WRAPPER_ONLY(...)
#define UNARY(name, field, doc)                                                                    \
    Value slot_##field(ValueRef self)                                                              \
    {                                                                                              \
        return special_unary(NAME(name), self);                                                    \
    }
#define BINARY(name, reflected, field, doc, reflected_doc)                                         \
    Value slot_##field(ValueRef left, ValueRef right)                                              \
    {                                                                                              \
        return binary_special(left, right, type_of(left)->field == slot_##field,                   \
                              type_of(right)->field == slot_##field, NAME(name), NAME(reflected)); \
    }
#define INPLACE(name, field, doc)                                                                  \
    Value slot_##field(ValueRef self, ValueRef other)                                              \
    {                                                                                              \
        return special_call(NAME(name), (ValueRef[]){self, other}, 2);                             \
    }
#include "objects/classes/slots.def"
#undef SLOT
#undef SLOT_ONLY
#undef WRAPPER_ONLY
#undef UNARY
#undef BINARY
#undef INPLACE

// With a modulus there is no __rpow__; but then the slot may be called for its second operand.
Value slot_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    bool has = type_of(base)->power == slot_power;
    if (modulus == NONE)
        return binary_special(base, exponent, has, type_of(exponent)->power == slot_power,
                              NAME(__pow__), NAME(__rpow__));
    if (!has) return NOT_IMPLEMENTED;
    return special_call(NAME(__pow__), (ValueRef[]){base, exponent, modulus}, 3);
}

Value slot_inplace_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    (void)modulus;
    return special_call(NAME(__ipow__), (ValueRef[]){base, exponent}, 2);
}

Value slot_index(ValueRef self)
{
    return special_unary(NAME(__index__), self);
}

// __bool__, else __len__, else true.
bool slot_truth(ValueRef self, bool *truth)
{
    bool unbound, by_length = false;
    Value method = special_find(self, NAME(__bool__), &unbound);
    if (method == ABSENT) {
        method = special_find(self, NAME(__len__), &unbound);
        by_length = true;
    }
    *truth = true;
    if (method == ABSENT) return true;
    Value result = call_found(method, unbound, &self, 1);
    if (!result) return false;
    bool fine = true;
    if (by_length)
        fine = object_truth(result, truth);
    else if (is_bool(result))
        *truth = result == TRUE;
    else
        fine = raise_error(TypeError, "__bool__ should return bool, returned %T", (ValueRef)result);
    drop(result);
    return fine;
}

static ValueRef compare_name(CompareOp op)
{
    switch (op) {
    case COMPARE_LT: return NAME(__lt__);
    case COMPARE_LE: return NAME(__le__);
    case COMPARE_EQ: return NAME(__eq__);
    case COMPARE_NE: return NAME(__ne__);
    case COMPARE_GT: return NAME(__gt__);
    case COMPARE_GE: break;
    }
    return NAME(__ge__);
}

Value slot_compare(ValueRef left, ValueRef right, CompareOp op)
{
    bool unbound;
    Value method = special_find_quietly(left, compare_name(op), &unbound);
    if (method == ABSENT) return NOT_IMPLEMENTED;
    return call_found(method, unbound, (ValueRef[]){left, right}, 2);
}

// ---- text and hash

Value slot_repr(ValueRef self)
{
    bool unbound;
    Value method = special_find_quietly(self, NAME(__repr__), &unbound);
    if (method == ABSENT)
        return format_text("<%T object at 0x%llx>", self,
                           (unsigned long long)memory_id(object_of(self)));
    return call_found(method, unbound, &self, 1);
}

Value slot_str(ValueRef self)
{
    return special_unary(NAME(__str__), self);
}

bool slot_hash(ValueRef self, int64_t *hash)
{
    bool unbound;
    Value method = special_find_quietly(self, NAME(__hash__), &unbound);
    if (method == ABSENT || method == NONE) return object_hash_unhashable(self, hash);
    Value result = call_found(method, unbound, &self, 1);
    if (!result) return false;
    bool fine = true;
    if (!int_check(result))
        fine = raise_error(TypeError, "__hash__ method should return an integer");
    else if (int_as_int64_clamped(result, hash) != 0)
        *hash = int_hash(result); // too large to be a hash itself
    else if (*hash == -1)
        *hash = -2;
    drop(result);
    return fine;
}

// ---- calls and life

static Value call_special(ValueRef self, ValueRef name, const ValueRef *args, size_t nargs,
                          ValueRef kwnames)
{
    bool unbound;
    Value method = special_find(self, name, &unbound);
    if (!method) return VALUE_ERROR;
    if (method == ABSENT) return raise_with(AttributeError, name);
    Value result = call_with_self(method, unbound ? self : VALUE_ERROR, args, nargs, kwnames);
    drop(method);
    return result;
}

Value slot_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return call_special(self, NAME(__call__), args, nargs, kwnames);
}

bool slot_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value result = call_special(self, NAME(__init__), args, nargs, kwnames);
    if (!result) return false;
    if (result == NONE) return true;
    raise_error(TypeError, "__init__() should return None, not '%.200T'", (ValueRef)result);
    drop(result);
    return false;
}

Value slot_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Value function = object_get(ref_of(type), NAME(__new__));
    if (!function) return VALUE_ERROR;
    Value made = call_with_self(function, ref_of(type), args, nargs, kwnames);
    drop(function);
    return made;
}

// __del__: an exception that it raises is reported and cleared.
void slot_finalize(Object *object)
{
    ValueRef self = ref_of(object);
    Value pending = error_take();
    bool unbound;
    Value method = special_find_quietly(self, NAME(__del__), &unbound);
    if (method != ABSENT) {
        Value held = retain(method);
        Value result = call_found(method, unbound, &self, 1);
        if (!result) report_unraisable(held, NULL);
        drop(result);
        drop(held);
    }
    error_restore(pending);
}

// ---- attributes

static Value call_getattribute(ValueRef self, ValueRef name)
{
    return special_call(NAME(__getattribute__), (ValueRef[]){self, name}, 2);
}

// Recognises the wrapper of object.__getattribute__, to save calling it.
static bool is_generic_get(ValueRef method)
{
    if (!is_exactly(method, &wrapper_descriptor_type)) return false;
    const SlotWrapper *wrapper = (const SlotWrapper *)object_of(method);
    return (GetAttrFn)wrapper->slot == object_generic_get;
}

// Calls __getattribute__; if that raises AttributeError, calls __getattr__.
Value slot_getattr_hook(ValueRef self, ValueRef name)
{
    ValueRef found = type_lookup(type_of(self), NAME(__getattribute__));
    Value result = !found || is_generic_get(found) ? object_generic_get(self, name)
                                                   : call_getattribute(self, name);
    if (result || !error_is(AttributeError)) return result;
    bool unbound;
    Value pending = error_take();
    Value hook = special_find(self, NAME(__getattr__), &unbound);
    if (hook == ABSENT) {
        error_restore(pending);
        return VALUE_ERROR;
    }
    drop(pending);
    return call_found(hook, unbound, (ValueRef[]){self, name}, 2);
}

bool slot_setattr(ValueRef self, ValueRef name, ValueRef value)
{
    if (!value) return done(special_call(NAME(__delattr__), (ValueRef[]){self, name}, 2));
    return done(special_call(NAME(__setattr__), (ValueRef[]){self, name, value}, 3));
}

// Calls __get__ as it stands in the type of the descriptor, without binding it.
Value slot_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    ValueRef found = type_lookup(type_of(self), NAME(__get__));
    if (!found) return retain(self);
    Value held = retain(found);
    ValueRef args[] = {self, instance ? instance : NONE, owner ? owner : NONE};
    Value result = object_call(held, args, 3, VALUE_ERROR);
    drop(held);
    return result;
}

bool slot_set(ValueRef self, ValueRef instance, ValueRef value)
{
    if (!value) return done(special_call(NAME(__delete__), (ValueRef[]){self, instance}, 2));
    return done(special_call(NAME(__set__), (ValueRef[]){self, instance, value}, 3));
}

// ---- containers

bool slot_length(ValueRef self, ssize_t *length)
{
    Value result = special_unary(NAME(__len__), self);
    if (!result) return false;
    Value number = object_index(result);
    drop(result);
    if (!number) return false;
    bool fine = false;
    if (int_sign(number) < 0)
        raise_error(ValueError, "__len__() should return >= 0");
    else
        fine = object_as_ssize(number, length, OverflowError);
    drop(number);
    return fine;
}

Value slot_subscript(ValueRef self, ValueRef key)
{
    return special_call(NAME(__getitem__), (ValueRef[]){self, key}, 2);
}

bool slot_set_subscript(ValueRef self, ValueRef key, ValueRef value)
{
    if (!value) return done(special_call(NAME(__delitem__), (ValueRef[]){self, key}, 2));
    return done(special_call(NAME(__setitem__), (ValueRef[]){self, key, value}, 3));
}

Value slot_item(ValueRef self, ssize_t index)
{
    Value key = int_new(index);
    if (!key) return VALUE_ERROR;
    Value item = slot_subscript(self, key);
    drop(key);
    return item;
}

bool slot_set_item(ValueRef self, ssize_t index, ValueRef value)
{
    Value key = int_new(index);
    if (!key) return false;
    bool set = slot_set_subscript(self, key, value);
    drop(key);
    return set;
}

static bool contains_by_iteration(ValueRef self, ValueRef item, bool *found)
{
    Value iterator = object_iter(self);
    if (!iterator) return false;
    bool fine = true;
    *found = false;
    while (fine && !*found) {
        Value next = object_next(iterator);
        if (next == ABSENT) break;
        fine = next && object_equal(item, next, found);
        drop(next);
    }
    drop(iterator);
    return fine;
}

bool slot_contains(ValueRef self, ValueRef item, bool *found)
{
    bool unbound;
    Value method = special_find(self, NAME(__contains__), &unbound);
    if (method == ABSENT) return contains_by_iteration(self, item, found);
    if (method == NONE) return raise_error(TypeError, "'%.200T' object is not a container", self);
    Value result = call_found(method, unbound, (ValueRef[]){self, item}, 2);
    bool fine = result && object_truth(result, found);
    drop(result);
    return fine;
}

// ---- iteration and awaiting

Value slot_iter(ValueRef self)
{
    bool unbound;
    Value method = special_find_quietly(self, NAME(__iter__), &unbound);
    if (method == NONE) return raise_error(TypeError, "'%.200T' object is not iterable", self);
    if (method != ABSENT) return call_found(method, unbound, &self, 1);
    method = special_find_quietly(self, NAME(__getitem__), &unbound);
    drop(method);
    if (method != ABSENT) return sequence_iterator_new(self);
    return raise_error(TypeError, "'%.200T' object is not iterable", self);
}

// The end is ABSENT. A StopIteration with a value stays pending, because `yield from` reads the
// value. So does any other while upcalls.observe_stop_iteration is set.
Value slot_next(ValueRef self)
{
    bool unbound;
    Value method = special_find(self, NAME(__next__), &unbound);
    if (method == ABSENT) return raise_error(TypeError, "'%.200T' object is not iterable", self);
    Value item = call_found(method, unbound, &self, 1);
    if (item || !error_is(StopIteration)) return item;
    Value value = as_exception(error_peek())->stop_iteration.value;
    if ((value && value != NONE) || upcalls.observe_stop_iteration) return VALUE_ERROR;
    error_clear();
    return ABSENT;
}

static Value call_async(ValueRef self, ValueRef name)
{
    bool unbound;
    Value method = special_find_quietly(self, name, &unbound);
    if (method == ABSENT)
        return raise_error(AttributeError, "object %.50T does not have %S method", self, name);
    return call_found(method, unbound, &self, 1);
}

Value slot_await(ValueRef self)
{
    return call_async(self, NAME(__await__));
}

Value slot_aiter(ValueRef self)
{
    return call_async(self, NAME(__aiter__));
}

Value slot_anext(ValueRef self)
{
    return call_async(self, NAME(__anext__));
}
