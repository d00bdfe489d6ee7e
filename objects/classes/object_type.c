// `object`: what every class inherits.
//
// object.__new__ and object.__init__ take no arguments. object.__new__ rejects extra arguments only
// if __init__ is not overridden, and the reverse; otherwise the arguments are meant for the other
// method.
#include "objects/classes/descriptor.h"
#include "objects/classes/object_parts.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- making and initialising

// "a, b": the names of __abstractmethods__, sorted.
static Value abstract_names(ValueRef names, ssize_t *count)
{
    Value list = sequence_list(names);
    Value separator = list && list_sort(list, VALUE_ERROR, false) ? str_new(", ") : VALUE_ERROR;
    Value text = separator ? str_join(separator, list) : VALUE_ERROR;
    if (text) *count = list_size(list);
    drop(list);
    drop(separator);
    return text;
}

static Value raise_abstract(const Type *type)
{
    ssize_t count;
    Value names = object_get(ref_of(type), NAME(__abstractmethods__));
    Value text = names ? abstract_names(names, &count) : VALUE_ERROR;
    drop(names);
    if (!text) return VALUE_ERROR;
    raise_error(TypeError, "Can't instantiate abstract class %s with abstract method%s %S",
                type->name, count > 1 ? "s" : "", (ValueRef)text);
    drop(text);
    return VALUE_ERROR;
}

static bool object_init(ValueRef self, METHOD_ARGS);

static Value object_new(Type *type, METHOD_ARGS)
{
    if (nargs || kwnames) {
        if (type->new_ != object_new)
            return raise_error(TypeError, "object.__new__() takes exactly one argument "
                                          "(the type to instantiate)");
        if (type->init == object_init)
            return raise_error(TypeError, "%.200s() takes no arguments", type->name);
    }
    if (type->flags & TYPE_INLINE)
        return type->flags & TYPE_ABSTRACT ? raise_abstract(type) : instance_new(type);
    if (type->flags & TYPE_ABSTRACT) return raise_abstract(type);
    return own(object_alloc(type, 0));
}

static bool object_init(ValueRef self, METHOD_ARGS)
{
    if (!nargs && !kwnames) return true;
    const Type *type = type_of(self);
    if (type->init != object_init)
        return raise_error(TypeError, "object.__init__() takes exactly one argument "
                                      "(the instance to initialize)");
    if (type->new_ != object_new) return true;
    return raise_error(TypeError,
                       "%.200s.__init__() takes exactly one argument (the instance to initialize)",
                       type->name);
}

// ---- text, comparison, hash

static Value object_default_repr(ValueRef self)
{
    const Type *type = type_of(self);
    int64_t id = value_id(self);
    Value module = type_module(type);
    if (!module) error_clear();
    Value qualname = type_qualname(type);
    Value text = VALUE_ERROR;
    if (qualname && module && str_check(module) && !str_equal_ascii(module, "builtins"))
        text = format_text("<%S.%S object at 0x%llx>", (ValueRef)module, (ValueRef)qualname, id);
    else if (qualname)
        text = format_text("<%s object at 0x%llx>", type->name, id);
    drop(module);
    drop(qualname);
    return text;
}

static Value object_default_str(ValueRef self)
{
    return type_of(self)->repr(self);
}

static Value compare_not_equal(ValueRef left, ValueRef right)
{
    CompareFn compare = type_of(left)->compare;
    Value equal = compare ? compare(left, right, COMPARE_EQ) : NOT_IMPLEMENTED;
    if (!equal || equal == NOT_IMPLEMENTED) return equal;
    bool truth, done = object_truth(equal, &truth);
    drop(equal);
    return done ? from_bool(!truth) : VALUE_ERROR;
}

static Value object_default_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (op == COMPARE_NE) return compare_not_equal(left, right);
    return op == COMPARE_EQ && left == right ? TRUE : NOT_IMPLEMENTED;
}

int64_t value_id(ValueRef value)
{
    return is_object(value) ? memory_id(object_of(value)) : (int64_t)bits_of(value);
}

int64_t identity_hash(ValueRef value)
{
    if (is_object(value)) return hash_pointer(object_of(value));
    int64_t bits = (int64_t)bits_of(value);
    return bits == -1 ? -2 : bits;
}

static bool object_default_hash(ValueRef self, int64_t *hash)
{
    *hash = identity_hash(self);
    return true;
}

static Value object_format_method(ValueRef self, METHOD_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "__format__() argument must be str, not %.50s",
                           args[0] == NONE ? "None" : type_of(args[0])->name);
    if (str_length(args[0]) > 0)
        return raise_error(TypeError, "unsupported format string passed to %.200T.__format__",
                           self);
    return object_str(self);
}

// ---- dir()

static bool merge_bases(ValueRef dict, ValueRef bases)
{
    ssize_t count;
    if (!stack_enter(" while calling a Python object")) return false; // they may be a ring
    bool done = object_length(bases, &count);
    for (ssize_t i = 0; done && i < count; i++) {
        Value base = sequence_item(bases, i);
        done = base && merge_class_dict(dict, base);
        drop(base);
    }
    stack_leave();
    return done;
}

bool merge_class_dict(ValueRef dict, ValueRef class)
{
    Value own_names = object_get_optional(class, NAME(__dict__));
    bool done = own_names && (own_names == ABSENT || dict_update(dict, own_names));
    drop(own_names);
    Value bases = done ? object_get_optional(class, NAME(__bases__)) : VALUE_ERROR;
    if (!bases || bases == ABSENT) return bases != VALUE_ERROR;
    done = merge_bases(dict, bases);
    drop(bases);
    return done;
}

// A copy of __dict__; an empty dict if the object has none, or one that is no dict.
static Value own_attributes(ValueRef self)
{
    Value dict = object_get_optional(self, NAME(__dict__));
    if (!dict) return VALUE_ERROR;
    Value copy = dict != ABSENT && dict_check(dict) ? dict_copy(dict) : dict_new();
    drop(dict);
    return copy;
}

static Value object_dir_method(ValueRef self, METHOD_ARGS)
{
    Value dict = own_attributes(self);
    if (!dict) return VALUE_ERROR;
    Value class = object_get_optional(self, NAME(__class__));
    bool done = class && (class == ABSENT || merge_class_dict(dict, class));
    Value names = done ? dict_keys(dict) : VALUE_ERROR;
    drop(class);
    drop(dict);
    return names;
}

// ---- __class__

static Value get_class(ValueRef self)
{
    return retain(ref_of(type_of(self)));
}

static bool may_change_class(const Type *old_type, const Type *new_type)
{
    if (type_is_subtype(new_type, &module_type) && type_is_subtype(old_type, &module_type))
        return true;
    if (new_type->flags & old_type->flags & TYPE_HEAP) return true;
    return raise_error(TypeError, "__class__ assignment only supported for heap types or "
                                  "ModuleType subclasses");
}

// The class numbers the values of an Instance, so they move into a dict first.
static bool set_class(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "can't delete __class__ attribute");
    if (!type_check(value))
        return raise_error(TypeError, "__class__ must be set to a class, not '%T' object", value);
    Type *old_type = type_of(self), *new_type = as_type(value);
    if (!may_change_class(old_type, new_type) ||
        !type_layouts_agree(old_type, new_type, "__class__"))
        return false;
    if ((old_type->flags & TYPE_INLINE) && !instance_use_dict(self)) return false;
    if (new_type->flags & TYPE_HEAP) retain(value);
    object_of(self)->type = new_type;
    if (old_type->flags & TYPE_HEAP) drop(own(old_type));
    return true;
}

// ---- methods

static Value size_of(ValueRef self, METHOD_ARGS)
{
    const Type *type = type_of(self);
    int64_t size = (int64_t)type->size, item_size = (int64_t)type->item_size;
    ssize_t length = 0; // a __len__ may give self another class, and free this one
    if (item_size && type->length && !type->length(self, &length)) return VALUE_ERROR;
    return int_new(size + length * item_size);
}

static Value subclass_hook(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return NOT_IMPLEMENTED;
}

static Value init_subclass(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return NONE;
}

static const MethodDef methods[] = {
    {"__reduce_ex__", object_reduce_ex, ONE_ARG,
     "__reduce_ex__($self, protocol, /)\n--\n\nHelper for pickle."},
    {"__reduce__", object_reduce, NO_ARGS, "__reduce__($self, /)\n--\n\nHelper for pickle."},
    {"__subclasshook__", subclass_hook, METHOD_POSITIONAL, METHOD_CLASS, 0, -1,
     "Abstract classes can override this to customize issubclass()."},
    {"__init_subclass__", init_subclass, METHOD_NONE, METHOD_CLASS, 0, 0,
     "This method is called when a class is subclassed."},
    {"__format__", object_format_method, ONE_ARG,
     "__format__($self, format_spec, /)\n--\n\nDefault object formatter."},
    {"__sizeof__", size_of, NO_ARGS,
     "__sizeof__($self, /)\n--\n\nSize of object in memory, in bytes."},
    {"__dir__", object_dir_method, NO_ARGS,
     "__dir__($self, /)\n--\n\nDefault dir() implementation."},
    {0},
};

static const GetSetDef getset[] = {
    {"__class__", get_class, set_class, "the object's class"},
    {0},
};

Type object_type = {
    STATIC_TYPE("object", sizeof(Object)),
    .flags = TYPE_BASE,
    .doc = "object()\n--\n\n"
           "The base class of the class hierarchy.\n\n"
           "When called, it accepts no arguments and returns a new featureless\n"
           "instance that has no instance attributes and cannot be given any.\n",
    .methods = methods,
    .getset = getset,
    .new_ = object_new,
    .init = object_init,
    .repr = object_default_repr,
    .str = object_default_str,
    .hash = object_default_hash,
    .compare = object_default_compare,
    .getattribute = object_generic_get,
    .setattr = object_generic_set,
};
