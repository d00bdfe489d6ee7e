// super: attributes of an object, searched from the class after a given one in the MRO.
//
//     super(B, x).f    the f of the first class after B in type(x).__mro__ that has one, bound to x
//
// super() without arguments reads the running frame: upcalls.bind_super() does that, and calls
// super_bind().
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

typedef struct Super {
    Object base;
    Value type;        // the search begins after it; VALUE_ERROR = not initialised
    Value object;      // VALUE_ERROR = unbound
    Value object_type; // the class whose MRO is searched
} Super;

static Super *as_super(ValueRef value)
{
    return (Super *)object_of(value);
}

// ---- making

static bool has_class(ValueRef object, ValueRef type, Value *start)
{
    Value claimed = object_get_optional(object, NAME(__class__));
    if (!claimed) return false;
    if (claimed != ABSENT && type_check(claimed) && as_type(claimed) != type_of(object) &&
        type_is_subtype(as_type(claimed), as_type(type))) {
        *start = claimed;
        return true;
    }
    drop(claimed);
    return raise_error(TypeError, "super(type, obj): obj must be an instance or subtype of type");
}

// The class whose MRO is searched: owned. VALUE_ERROR with TypeError pending.
static Value find_object_type(ValueRef type, ValueRef object)
{
    Value start = VALUE_ERROR;
    if (type_check(object) && type_is_subtype(as_type(object), as_type(type)))
        return retain(object);
    if (type_is_subtype(type_of(object), as_type(type))) return retain(ref_of(type_of(object)));
    return has_class(object, type, &start) ? start : VALUE_ERROR;
}

bool super_bind(ValueRef self, ValueRef type, ValueRef object)
{
    Value start = VALUE_ERROR;
    if (object == NONE) object = VALUE_ERROR;
    if (object && !(start = find_object_type(type, object))) return false;
    Super *super = as_super(self);
    replace_slot(&super->type, retain(type));
    replace_slot(&super->object, retain(object));
    replace_slot(&super->object_type, start);
    return true;
}

Value super_new(ValueRef type, ValueRef object)
{
    Value made = own(object_alloc(&super_type, 0));
    if (!made || super_bind(made, type, object)) return made;
    drop(made);
    return VALUE_ERROR;
}

static bool super_init(ValueRef self, METHOD_ARGS)
{
    if (!args_no_keywords("super", kwnames)) return false;
    if (nargs > 2)
        return raise_error(TypeError, "super() takes at most 2 arguments (%zu given)", nargs);
    if (nargs == 0 && upcalls.bind_super) return upcalls.bind_super(self);
    if (nargs == 0) return raise_error(RuntimeError, "super(): no current frame");
    if (!type_check(args[0]))
        return raise_error(TypeError, "super() argument 1 must be type, not %.50G", args[0]);
    return super_bind(self, args[0], nargs == 2 ? args[1] : VALUE_ERROR);
}

static void super_traverse(Object *object, VisitFn visit, void *arg)
{
    const Super *self = (const Super *)object;
    visit_item(self->type, visit, arg);
    visit_item(self->object, visit, arg);
    visit_item(self->object_type, visit, arg);
}

static void super_release(Object *object)
{
    Super *self = (Super *)object;
    drop_slot(&self->type);
    drop_slot(&self->object);
    drop_slot(&self->object_type);
}

// ---- looking

// Is the rest of the MRO from number `i` on that of the class there?
static bool has_mro_from(const Type *start, ssize_t i)
{
    ssize_t left = tuple_size(start->mro) - i;
    if (left <= 0) return false;
    ValueRef rest = as_type(tuple_at(start->mro, i))->mro;
    if (!rest || tuple_size(rest) != left) return false;
    for (ssize_t k = 0; k < left; k++)
        if (tuple_at(rest, k) != tuple_at(start->mro, i + k)) return false;
    return true;
}

// The attribute, in the classes after `type` in the MRO of `start`: borrowed, VALUE_ERROR = none.
static ValueRef find_after(const Type *start, ValueRef type, ValueRef name)
{
    if (!start->mro) return VALUE_ERROR;
    ssize_t i = 0, count = tuple_size(start->mro);
    while (i + 1 < count && tuple_at(start->mro, i) != type) i++;
    i++;
    if (has_mro_from(start, i)) return type_lookup(as_type(tuple_at(start->mro, i)), name);
    for (; i < count; i++) {
        Value dict = as_type(tuple_at(start->mro, i))->dict;
        ValueRef found = dict ? dict_peek(dict, name) : VALUE_ERROR;
        if (found) return found;
    }
    return VALUE_ERROR;
}

Value super_find_method(ValueRef value, ValueRef name, ValueRef *self)
{
    const Super *super = as_super(value);
    if (!super->object || super->object == super->object_type || name == NAME(__class__))
        return VALUE_ERROR;
    ValueRef found = find_after(as_type(super->object_type), super->type, name);
    if (!found || !(type_of(found)->flags & TYPE_METHOD)) return VALUE_ERROR;
    *self = super->object;
    return retain(found);
}

Value super_method(ValueRef type, ValueRef object, ValueRef name)
{
    if (object == NONE || type_check(object) || name == NAME(__class__)) return VALUE_ERROR;
    if (!type_is_subtype(type_of(object), as_type(type))) return VALUE_ERROR;
    ValueRef found = find_after(type_of(object), type, name);
    return found && (type_of(found)->flags & TYPE_METHOD) ? retain(found) : VALUE_ERROR;
}

// super().__class__ is the class of the super object itself.
static Value super_getattribute(ValueRef self, ValueRef name)
{
    const Super *super = as_super(self);
    ValueRef found = VALUE_ERROR;
    if (super->object_type && !str_equal_ascii(name, "__class__"))
        found = find_after(as_type(super->object_type), super->type, name);
    if (!found) return object_generic_get(self, name);
    Value held = retain(found);
    DescrGetFn get = type_of(found)->get;
    if (!get) return held;
    bool on_class = super->object == super->object_type;
    Value owner = retain(super->object_type), object = retain(super->object);
    Value result = get(held, on_class ? VALUE_ERROR : object, owner);
    drop(held);
    drop(owner);
    drop(object);
    return result;
}

// An unbound super object in a class is bound when it is reached through an instance.
static Value super_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    const Super *super = as_super(self);
    if (!instance || instance == NONE || super->object) return retain(self);
    if (!super->type) return object_call_none(ref_of(type_of(self)));
    Value type = retain(super->type); // self may be given another one by __init__()
    Value bound = is_exactly(self, &super_type)
                      ? super_new(type, instance)
                      : object_call_two(ref_of(type_of(self)), type, instance);
    drop(type);
    return bound;
}

static Value super_repr(ValueRef self)
{
    const Super *super = as_super(self);
    const char *name = super->type ? as_type(super->type)->name : "NULL";
    if (!super->object_type) return format_text("<super: <class '%s'>, NULL>", name);
    return format_text("<super: <class '%s'>, <%s object>>", name,
                       as_type(super->object_type)->name);
}

static const MemberDef members[] = {
    {"__thisclass__", MEMBER_VALUE, offsetof(Super, type), true, "the class invoking super()"},
    {"__self__", MEMBER_VALUE, offsetof(Super, object), true,
     "the instance invoking super(); may be None"},
    {"__self_class__", MEMBER_VALUE, offsetof(Super, object_type), true,
     "the type of the instance invoking super(); may be None"},
    {0},
};

Type super_type = {
    STATIC_TYPE("super", sizeof(Super)),
    .flags = TYPE_BASE | TYPE_GC,
    .doc = "super() -> same as super(__class__, <first argument>)\n"
           "super(type) -> unbound super object\n"
           "super(type, obj) -> bound super object; requires isinstance(obj, type)\n"
           "super(type, type2) -> bound super object; requires issubclass(type2, type)\n"
           "Typical use to call a cooperative superclass method:\n"
           "class C(B):\n"
           "    def meth(self, arg):\n"
           "        super().meth(arg)\n"
           "This works for class methods too:\n"
           "class C(B):\n"
           "    @classmethod\n"
           "    def cmeth(cls, arg):\n"
           "        super().cmeth(arg)\n",
    .members = members,
    .new_ = new_zeroed,
    .init = super_init,
    .release = super_release,
    .traverse = super_traverse,
    .clear = super_release,
    .repr = super_repr,
    .getattribute = super_getattribute,
    .get = super_get,
};
