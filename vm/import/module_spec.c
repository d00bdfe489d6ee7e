// See module_spec.h.
#include "vm/import/module_spec.h"

#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/instance.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- from a stand-in to the class

static Type spec_stand_in;

static bool is_stand_in(const Type *type)
{
    return type->flags & TYPE_STAND_IN;
}

// Loading the class runs code, which may use this very object.
static bool load_class(ValueRef self)
{
    Type *type = type_of(self);
    if (!is_stand_in(type)) return true;
    Value module = import_machinery(type == &spec_stand_in ? MACHINERY_SPECS : MACHINERY_FILES);
    Value name = module ? type_name(type) : VALUE_ERROR;
    Value class = name ? object_get(module, name) : VALUE_ERROR;
    bool done = class && instance_use_dict(self); // the class numbers the attributes anew
    if (done && is_stand_in(type_of(self)))
        object_of(self)->type = as_type(retain(class)); // an instance counts as an owner
    drop(class);
    drop(name);
    drop(module);
    return done;
}

// The attributes that every module's repr asks for, without the class.
static Value known_attribute(ValueRef self, ValueRef name)
{
    if (type_of(self) != &spec_stand_in)
        return str_equal_ascii(name, "module_repr") ? raise_with(AttributeError, name) : ABSENT;
    return str_equal_ascii(name, "has_location") ? instance_get(self, NAME(_set_fileattr)) : ABSENT;
}

static Value stand_in_get(ValueRef self, ValueRef name)
{
    Value found = instance_get(self, name);
    if (found == ABSENT) found = known_attribute(self, name);
    if (found != ABSENT) return found;
    return load_class(self) ? object_get(self, name) : VALUE_ERROR;
}

static bool stand_in_set(ValueRef self, ValueRef name, ValueRef value)
{
    if (!load_class(self)) return false;
    return value ? object_set(self, name, value) : object_delete(self, name);
}

static Value stand_in_repr(ValueRef self)
{
    return load_class(self) ? object_repr(self) : VALUE_ERROR;
}

static bool stand_in_hash(ValueRef self, int64_t *hash)
{
    return load_class(self) && object_hash(self, hash);
}

static Value stand_in_compare(ValueRef left, ValueRef right, CompareOp op)
{
    return load_class(left) ? object_compare(left, right, op) : VALUE_ERROR;
}

#define STAND_IN(class_name, shared_keys)                                                          \
    {                                                                                              \
        STATIC_TYPE(class_name, sizeof(Instance)),                                                 \
        .flags = TYPE_GC | TYPE_INLINE | TYPE_STAND_IN,                                            \
        .dict_offset = offsetof(Instance, dict),                                                   \
        .weakref_offset = offsetof(Instance, weakrefs),                                            \
        .keys = &(shared_keys),                                                                    \
        .traverse = instance_traverse,                                                             \
        .clear = instance_clear,                                                                   \
        .release = instance_release,                                                               \
    }

static SharedKeys spec_keys = {.capacity = 8}, source_keys = {.capacity = 2},
                  sourceless_keys = {.capacity = 2};
static Type spec_stand_in = STAND_IN("_frozen_importlib.ModuleSpec", spec_keys);
static Type source_stand_in = STAND_IN("_frozen_importlib_external.SourceFileLoader", source_keys);
static Type sourceless_stand_in =
    STAND_IN("_frozen_importlib_external.SourcelessFileLoader", sourceless_keys);

// The slots are set last: type_ready() would make methods of them, which nobody can see.
static bool ready(Type *type)
{
    if (type->flags & TYPE_READY) return true;
    if (!type_ready(type)) return false;
    type->getattribute = stand_in_get;
    type->setattr = stand_in_set;
    type->repr = stand_in_repr;
    type->hash = stand_in_hash;
    type->compare = stand_in_compare;
    return true;
}

bool module_spec_init(void)
{
    upcalls.load_class = load_class;
    builtin_importer_type.new_ = object_type.new_; // it can be made, as the class that it is there
    return ready(&spec_stand_in) && type_ready(&builtin_importer_type);
}

static void drop_keys(SharedKeys *keys)
{
    while (keys->count > 0) drop_slot(&keys->names[--keys->count]);
}

void module_spec_finish(void)
{
    drop_keys(&spec_keys);
    drop_keys(&source_keys);
    drop_keys(&sourceless_keys);
}

// ---- making them

Value module_spec_new(ValueRef name, ValueRef loader, ValueRef origin, bool has_location,
                      ValueRef search)
{
    Value spec = instance_new(&spec_stand_in);
    bool done =
        spec && instance_set(spec, NAME(name), name) && instance_set(spec, NAME(loader), loader) &&
        instance_set(spec, NAME(origin), origin) && instance_set(spec, NAME(loader_state), NONE) &&
        instance_set(spec, NAME(submodule_search_locations), search ? search : NONE) &&
        instance_set(spec, NAME(_set_fileattr), from_bool(has_location)) &&
        instance_set(spec, NAME(_cached), NONE) && instance_set(spec, NAME(_initializing), FALSE);
    if (!done) drop_slot(&spec);
    return spec;
}

Value module_loader_new(LoaderKind kind, ValueRef name, ValueRef filename)
{
    Type *type = kind == LOADER_SOURCE ? &source_stand_in : &sourceless_stand_in;
    Value loader = ready(type) ? instance_new(type) : VALUE_ERROR;
    bool done = loader && instance_set(loader, NAME(name), name) &&
                instance_set(loader, NAME(path), filename);
    if (!done) drop_slot(&loader);
    return loader;
}

bool module_spec_is_own(ValueRef spec)
{
    return type_of(spec) == &spec_stand_in;
}

bool module_spec_set_initializing(ValueRef spec, bool flag)
{
    if (is_stand_in(type_of(spec))) return instance_set(spec, NAME(_initializing), from_bool(flag));
    return object_set(spec, NAME(_initializing), from_bool(flag));
}
