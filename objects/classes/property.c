// property, classmethod and staticmethod: the descriptors that scripts put into classes.
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/stack.h"
#include "objects/type.h"

// ---- property

typedef struct Property {
    Object base;
    Value fget, fset, fdel; // VALUE_ERROR = none
    Value doc;
    bool doc_of_getter; // a new getter then brings its own doc
} Property;

static Property *as_property(ValueRef value)
{
    return (Property *)object_of(value);
}

static const char *const property_parameters[] = {"fget", "fset", "fdel", "doc", NULL};
static const Signature property_signature = {"property", property_parameters, 0, 4};

static Value given_or_nothing(ValueRef value)
{
    return value && value != NONE ? retain(value) : VALUE_ERROR;
}

// A subclass has its own __doc__ in its dict, which would hide the field. So the doc becomes an
// attribute of the instance.
static bool take_doc_of_getter(ValueRef self)
{
    Value doc = object_get_optional(as_property(self)->fget, NAME(__doc__));
    if (!doc || doc == ABSENT) return doc != VALUE_ERROR;
    bool done = true;
    if (is_exactly(self, &property_type))
        replace_slot(&as_property(self)->doc, retain(doc));
    else
        done = object_set(self, NAME(__doc__), doc);
    drop(doc);
    if (done) as_property(self)->doc_of_getter = true;
    return done;
}

static bool property_init(ValueRef self, METHOD_ARGS)
{
    ValueRef slots[4];
    Property *property = as_property(self);
    if (!args_bind(&property_signature, args, nargs, kwnames, slots)) return false;
    replace_slot(&property->fget, given_or_nothing(slots[0]));
    replace_slot(&property->fset, given_or_nothing(slots[1]));
    replace_slot(&property->fdel, given_or_nothing(slots[2]));
    replace_slot(&property->doc, retain(slots[3]));
    property->doc_of_getter = false;
    bool has_doc = slots[3] && slots[3] != NONE;
    return has_doc || !property->fget || take_doc_of_getter(self);
}

//> lesson 10: traverse
static void property_traverse(Object *object, VisitFn visit, void *arg)
{
    const Property *self = (const Property *)object;
    visit_item(self->fget, visit, arg);
    visit_item(self->fset, visit, arg);
    visit_item(self->fdel, visit, arg);
    visit_item(self->doc, visit, arg);
}

static void property_clear(Object *object)
{
    Property *self = (Property *)object;
    drop_slot(&self->fget);
    drop_slot(&self->fset);
    drop_slot(&self->fdel);
    drop_slot(&self->doc);
}
//< lesson 10

static void property_release(Object *object)
{
    const Property *self = (const Property *)object;
    drop(self->fget);
    drop(self->fset);
    drop(self->fdel);
    drop(self->doc);
}

static Value property_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)owner;
    if (!instance || instance == NONE) return retain(self);
    ValueRef function = as_property(self)->fget;
    if (!function) return raise_error(AttributeError, "unreadable attribute");
    Value held = retain(function);
    Value result = object_call_one(held, instance);
    drop(held);
    return result;
}

static bool property_set(ValueRef self, ValueRef instance, ValueRef value)
{
    ValueRef function = value ? as_property(self)->fset : as_property(self)->fdel;
    if (!function)
        return raise_error(AttributeError,
                           value ? "can't set attribute" : "can't delete attribute");
    Value held = retain(function);
    Value result = object_call(held, (ValueRef[]){instance, value}, value ? 2 : 1, VALUE_ERROR);
    drop(held);
    drop(result);
    return result != VALUE_ERROR;
}

static ValueRef first_given(ValueRef given, ValueRef old)
{
    if (given && given != NONE) return given;
    return old ? old : NONE;
}

// The same with another function, of the same class.
static Value property_copy(ValueRef self, ValueRef fget, ValueRef fset, ValueRef fdel)
{
    const Property *old = as_property(self);
    bool new_doc = old->doc_of_getter && (fget || old->fget);
    Value parts[] = {
        retain(first_given(fget, old->fget)),
        retain(first_given(fset, old->fset)),
        retain(first_given(fdel, old->fdel)),
        new_doc || !old->doc ? NONE : retain(old->doc),
    };
    Value copy = object_call(ref_of(type_of(self)), lend(parts), 4, VALUE_ERROR);
    for (int i = 0; i < 4; i++) drop(parts[i]);
    return copy;
}

static Value property_getter(ValueRef self, METHOD_ARGS)
{
    return property_copy(self, args[0] == NONE ? VALUE_ERROR : args[0], VALUE_ERROR, VALUE_ERROR);
}

static Value property_setter(ValueRef self, METHOD_ARGS)
{
    return property_copy(self, VALUE_ERROR, args[0], VALUE_ERROR);
}

static Value property_deleter(ValueRef self, METHOD_ARGS)
{
    return property_copy(self, VALUE_ERROR, VALUE_ERROR, args[0]);
}

// function.__isabstractmethod__ is true.
static bool is_abstract(ValueRef function, bool *abstract)
{
    *abstract = false;
    if (!function) return true;
    if (!stack_enter(" while calling a Python object")) return false; // it may be a ring
    Value held = retain(function); // its owner may be given another one by __init__()
    Value flag = object_get_optional(held, NAME(__isabstractmethod__));
    drop(held);
    stack_leave();
    bool done = flag && (flag == ABSENT || object_truth(flag, abstract));
    drop(flag);
    return done;
}

static Value get_property_abstract(ValueRef self)
{
    const Property *property = as_property(self);
    const Value *const functions[] = {&property->fget, &property->fset, &property->fdel};
    bool abstract = false;
    for (int i = 0; i < 3 && !abstract; i++)
        if (!is_abstract(*functions[i], &abstract)) return VALUE_ERROR;
    return from_bool(abstract);
}

static const MethodDef property_methods[] = {
    {"getter", property_getter, ONE_ARG, "Descriptor to change the getter on a property."},
    {"setter", property_setter, ONE_ARG, "Descriptor to change the setter on a property."},
    {"deleter", property_deleter, ONE_ARG, "Descriptor to change the deleter on a property."},
    {0},
};

static const MemberDef property_members[] = {
    {"fget", MEMBER_VALUE, offsetof(Property, fget), true, NULL},
    {"fset", MEMBER_VALUE, offsetof(Property, fset), true, NULL},
    {"fdel", MEMBER_VALUE, offsetof(Property, fdel), true, NULL},
    {"__doc__", MEMBER_VALUE, offsetof(Property, doc), false, NULL},
    {0},
};

static const GetSetDef property_getset[] = {
    {"__isabstractmethod__", get_property_abstract, NULL, NULL},
    {0},
};

Type property_type = {
    STATIC_TYPE("property", sizeof(Property)),
    .flags = TYPE_BASE | TYPE_GC,
    .doc = "property(fget=None, fset=None, fdel=None, doc=None)\n--\n\n"
           "Property attribute.\n\n"
           "  fget\n    function to be used for getting an attribute value\n"
           "  fset\n    function to be used for setting an attribute value\n"
           "  fdel\n    function to be used for del'ing an attribute\n"
           "  doc\n    docstring\n\n"
           "Typical use is to define a managed attribute x:\n\n"
           "class C(object):\n"
           "    def getx(self): return self._x\n"
           "    def setx(self, value): self._x = value\n"
           "    def delx(self): del self._x\n"
           "    x = property(getx, setx, delx, \"I'm the 'x' property.\")\n\n"
           "Decorators make defining new properties or modifying existing ones easy:\n\n"
           "class C(object):\n"
           "    @property\n"
           "    def x(self):\n"
           "        \"I am the 'x' property.\"\n"
           "        return self._x\n"
           "    @x.setter\n"
           "    def x(self, value):\n"
           "        self._x = value\n"
           "    @x.deleter\n"
           "    def x(self):\n"
           "        del self._x",
    .methods = property_methods,
    .members = property_members,
    .getset = property_getset,
    .new_ = new_zeroed,
    .init = property_init,
    .release = property_release,
    .traverse = property_traverse,
    .clear = property_clear,
    .getattribute = object_generic_get,
    .get = property_get,
    .set = property_set,
};

// ---- classmethod and staticmethod

typedef struct FunctionHolder {
    Object base;
    Value function;
    Value dict;
} FunctionHolder;

static FunctionHolder *as_holder(ValueRef value)
{
    return (FunctionHolder *)object_of(value);
}

static Value holder_new(Type *type, ValueRef function)
{
    FunctionHolder *self = object_alloc(type, 0);
    if (!self) return VALUE_ERROR;
    self->function = retain(function);
    return own(self);
}

Value classmethod_new(ValueRef function)
{
    return holder_new(&classmethod_type, function);
}

Value staticmethod_new(ValueRef function)
{
    return holder_new(&staticmethod_type, function);
}

ValueRef held_function(ValueRef holder)
{
    return as_holder(holder)->function;
}

static bool holder_init(ValueRef self, const char *name, METHOD_ARGS)
{
    if (!args_no_keywords(name, kwnames) || !args_check(name, nargs, VALUE_ERROR, 1, 1))
        return false;
    replace_slot(&as_holder(self)->function, retain(args[0]));
    return true;
}

static bool classmethod_init(ValueRef self, METHOD_ARGS)
{
    return holder_init(self, "classmethod", args, nargs, kwnames);
}

static bool staticmethod_init(ValueRef self, METHOD_ARGS)
{
    return holder_init(self, "staticmethod", args, nargs, kwnames);
}

static void holder_traverse(Object *object, VisitFn visit, void *arg)
{
    visit_item(((const FunctionHolder *)object)->function, visit, arg);
    visit_item(((const FunctionHolder *)object)->dict, visit, arg);
}

static void holder_clear(Object *object)
{
    drop_slot(&((FunctionHolder *)object)->function);
    drop_slot(&((FunctionHolder *)object)->dict);
}

static void holder_release(Object *object)
{
    drop(((const FunctionHolder *)object)->function);
    drop(((const FunctionHolder *)object)->dict);
}

static Value raise_uninitialized(const char *kind)
{
    return raise_error(RuntimeError, "uninitialized %s object", kind);
}

// Binds to the class; what the class method wraps may be a descriptor itself (a property).
static Value classmethod_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    ValueRef function = as_holder(self)->function;
    if (!function) return raise_uninitialized("classmethod");
    if (!owner) owner = ref_of(type_of(instance));
    DescrGetFn get = type_of(function)->get;
    if (!get) return method_new(function, owner);
    if (!stack_enter(" while calling a Python object")) return VALUE_ERROR; // it may wrap itself
    Value held = retain(function);
    Value result = get(held, owner, owner);
    drop(held);
    stack_leave();
    return result;
}

static Value staticmethod_get(ValueRef self, ValueRef instance, ValueRef owner)
{
    (void)instance, (void)owner;
    ValueRef function = as_holder(self)->function;
    return function ? retain(function) : raise_uninitialized("staticmethod");
}

static Value get_holder_abstract(ValueRef self)
{
    bool abstract;
    return is_abstract(as_holder(self)->function, &abstract) ? from_bool(abstract) : VALUE_ERROR;
}

static const MemberDef holder_members[] = {
    {"__func__", MEMBER_VALUE, offsetof(FunctionHolder, function), true, NULL},
    {0},
};

static const GetSetDef holder_getset[] = {
    {"__isabstractmethod__", get_holder_abstract, NULL, NULL},
    {"__dict__", generic_get_dict, generic_set_dict, NULL},
    {0},
};

#define HOLDER_TYPE(type_name)                                                                     \
    STATIC_TYPE(type_name, sizeof(FunctionHolder)), .flags = TYPE_BASE | TYPE_GC,                  \
        .dict_offset = offsetof(FunctionHolder, dict), .members = holder_members,                  \
        .getset = holder_getset, .new_ = new_zeroed, .release = holder_release,                    \
        .traverse = holder_traverse, .clear = holder_clear

Type classmethod_type = {
    HOLDER_TYPE("classmethod"),
    .doc = "classmethod(function) -> method\n\n"
           "Convert a function to be a class method.\n\n"
           "A class method receives the class as implicit first argument,\n"
           "just like an instance method receives the instance.\n"
           "To declare a class method, use this idiom:\n\n"
           "  class C:\n"
           "      @classmethod\n"
           "      def f(cls, arg1, arg2, ...):\n"
           "          ...\n\n"
           "It can be called either on the class (e.g. C.f()) or on an instance\n"
           "(e.g. C().f()).  The instance is ignored except for its class.\n"
           "If a class method is called for a derived class, the derived class\n"
           "object is passed as the implied first argument.\n\n"
           "Class methods are different than C++ or Java static methods.\n"
           "If you want those, see the staticmethod builtin.",
    .init = classmethod_init,
    .get = classmethod_get,
};

Type staticmethod_type = {
    HOLDER_TYPE("staticmethod"),
    .doc = "staticmethod(function) -> method\n\n"
           "Convert a function to be a static method.\n\n"
           "A static method does not receive an implicit first argument.\n"
           "To declare a static method, use this idiom:\n\n"
           "     class C:\n"
           "         @staticmethod\n"
           "         def f(arg1, arg2, ...):\n"
           "             ...\n\n"
           "It can be called either on the class (e.g. C.f()) or on an instance\n"
           "(e.g. C().f()). Both the class and the instance are ignored, and\n"
           "neither is passed implicitly as the first argument to the method.\n\n"
           "Static methods in Python are similar to those found in Java or C++.\n"
           "For a more advanced concept, see the classmethod builtin.",
    .init = staticmethod_init,
    .get = staticmethod_get,
};
