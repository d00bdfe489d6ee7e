// torch.Size, torch.device, torch.layout, torch.memory_format.
#include "vm/modules/torch/call/torch_objects.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/call/call_parts.h"

#include <stdlib.h>

// ---- torch.Size

static Type size_type;

// Gives a tuple's items to a new Size; drops the tuple.
static Value size_from_tuple(Value tuple)
{
    if (!tuple || !tuple_check_exact(tuple)) return tuple; // NotImplemented
    Tuple *made = object_alloc(&size_type, (size_t)tuple_size(tuple));
    if (made) {
        made->size = tuple_size(tuple);
        for (ssize_t i = 0; i < made->size; i++) made->items[i] = retain(tuple_at(tuple, i));
    }
    drop(tuple);
    return own(made);
}

Value size_new(int ndim, const Dim *sizes)
{
    Tuple *made = object_alloc(&size_type, (size_t)ndim);
    if (!made) return VALUE_ERROR;
    made->size = ndim;
    for (int i = 0; i < ndim; i++) made->items[i] = retain(sizes[i]);
    return own(made);
}

bool size_check(ValueRef value)
{
    return is_exactly(value, &size_type);
}

// An item, owned: an int or a symbol as it is, and what an object with __index__ stands for.
static Value size_item(ValueRef item, ssize_t at)
{
    bool is_int = int_check(item) && !is_bool(item);
    if (is_int || symbolic_kind(item) == 0) return retain(item);
    Value number = is_bool(item) || !type_of(item)->index ? VALUE_ERROR : plain_int(item);
    if (number) return number;
    error_clear();
    return raise_error(TypeError, "torch.Size() takes an iterable of 'int' (item %zd is '%T')", at,
                       item);
}

// Steals the tuple.
static Value size_checked(Value given)
{
    Value items = given ? tuple_new(tuple_size(given)) : VALUE_ERROR;
    for (ssize_t i = 0; items && i < tuple_size(given); i++) {
        as_tuple(items)->items[i] = size_item(tuple_at(given, i), i);
        if (!as_tuple(items)->items[i]) drop_slot(&items);
    }
    drop(given);
    return size_from_tuple(items);
}

static Value size_make(Type *type, METHOD_ARGS)
{
    (void)type;
    return size_checked(tuple_type.new_(&tuple_type, args, nargs, kwnames));
}

// Numbers are shown as numbers, whatever repr() of a subclass says.
static Value size_repr(ValueRef self)
{
    Value items = tuple_new(tuple_size(self));
    for (ssize_t i = 0; items && i < tuple_size(self); i++) {
        ValueRef item = tuple_at(self, i);
        as_tuple(items)->items[i] = int_check(item) ? int_exact(item) : retain(item);
        if (!as_tuple(items)->items[i]) drop_slot(&items);
    }
    Value list = items ? sequence_list(items) : VALUE_ERROR;
    Value text = list ? format_text("torch.Size(%R)", (ValueRef)list) : VALUE_ERROR;
    drop(items);
    drop(list);
    return text;
}

static Value size_concat(ValueRef left, ValueRef right)
{
    return size_checked(tuple_type.concat(left, right));
}
static Value size_repeat(ValueRef self, ssize_t count)
{
    return size_from_tuple(tuple_type.repeat(self, count));
}
static Value size_subscript(ValueRef self, ValueRef key)
{
    Value item = tuple_type.subscript(self, key);
    return tuple_check_exact(key) || int_check(key) ? item : size_from_tuple(item);
}

static Value size_numel(ValueRef self, METHOD_ARGS)
{
    Value product = from_small(1);
    for (ssize_t i = 0; product && i < tuple_size(self); i++)
        replace_slot(&product, dim_mul(product, tuple_at(self, i)));
    return product;
}

static const MethodDef size_methods[] = {
    {"numel", size_numel, NO_ARGS, "numel() -> int: the product of the sizes."},
    {0},
};

static Type size_type = {
    STATIC_TYPE("torch.Size", offsetof(Tuple, items)),
    .flags = TYPE_BASE | TYPE_GC,
    .item_size = sizeof(Value),
    .base_type = &tuple_type,
    .methods = size_methods,
    .new_ = size_make,
    .repr = size_repr,
    .concat = size_concat,
    .repeat = size_repeat,
    .subscript = size_subscript,
};

// ---- torch.device

#define DEVICE_NAMES                                                                               \
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, " \
    "mps, meta, hpu, mtia, privateuseone"

typedef struct Device {
    Object base;
    int index; // -1 = none
    char name[16];
} Device;

static const Device *as_device(ValueRef value)
{
    return (const Device *)object_of(value);
}

static bool is_device_name(const char *name, size_t size)
{
    const char *names = DEVICE_NAMES;
    while (names) {
        size_t length = strcspn(names, ",");
        if (length == size && memcmp(names, name, size) == 0) return true;
        names = names[length] ? names + length + 2 : NULL;
    }
    return false;
}

static Value device_named(const char *name, size_t size, int index)
{
    Device *made = object_alloc(&device_type, 0);
    if (!made) return VALUE_ERROR;
    memcpy(made->name, name, size);
    made->index = index;
    return own(made);
}

Value device_new(bool meta)
{
    return meta ? device_named("meta", 4, -1) : device_named("cpu", 3, -1);
}

// "cuda" or "cuda:1".
static Value device_from_text(ValueRef text, int index)
{
    const char *name = str_utf8(text, NULL);
    if (!name) return VALUE_ERROR;
    size_t size = strcspn(name, ":");
    if (!is_device_name(name, size))
        return raise_error(
            RuntimeError,
            "Expected one of " DEVICE_NAMES " device type at start of device string: %s", name);
    if (!name[size]) return device_named(name, size, index);
    char *end;
    long number = strtol(name + size + 1, &end, 10);
    if (end == name + size + 1 || *end || number < 0 || number > 127)
        return raise_error(RuntimeError, "Invalid device string: '%s'", name);
    return device_named(name, size, (int)number);
}

static Value device_make(Type *type, METHOD_ARGS)
{
    static const char *const names[] = {"type", "index", NULL};
    static const Signature signature = {"device", names, 1, 2};
    ValueRef slots[2];
    int64_t index = -1;
    (void)type;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (is_exactly(slots[0], &device_type)) return retain(slots[0]);
    if (slots[1] && slots[1] != NONE && !int_check(slots[1]))
        return raise_error(TypeError, "device(): argument 'index' must be int, not %T", slots[1]);
    if (slots[1] && slots[1] != NONE && !int_as_int64(slots[1], &index)) return VALUE_ERROR;
    bool counted = is_small(slots[0]) && small_value(slots[0]) < 0;
    if (counted || (slots[1] && slots[1] != NONE && index < 0))
        return raise_error(RuntimeError, "Device index must not be negative");
    if (is_small(slots[0]))
        return raise_error(RuntimeError,
                           "Cannot access accelerator device when none is available.");
    if (str_check(slots[0])) return device_from_text(slots[0], (int)index);
    return raise_error(TypeError, "device(): argument 'type' must be str, not %T", slots[0]);
}

static Value device_str(ValueRef self)
{
    const Device *device = as_device(self);
    if (device->index < 0) return str_new(device->name);
    return format_text("%s:%d", device->name, device->index);
}

static Value device_repr(ValueRef self)
{
    const Device *device = as_device(self);
    if (device->index < 0) return format_text("device(type='%s')", device->name);
    return format_text("device(type='%s', index=%d)", device->name, device->index);
}

static Value device_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!is_exactly(right, &device_type) || (op != COMPARE_EQ && op != COMPARE_NE))
        return not_implemented();
    bool same = as_device(left)->index == as_device(right)->index &&
                strcmp(as_device(left)->name, as_device(right)->name) == 0;
    return from_bool(same == (op == COMPARE_EQ));
}

static bool device_hash(ValueRef self, int64_t *hash)
{
    *hash = hash_bytes(as_device(self)->name, sizeof as_device(self)->name) ^
            (as_device(self)->index + 1);
    if (*hash == -1) *hash = -2;
    return true;
}

static Value device_get_type(ValueRef self)
{
    return str_new(as_device(self)->name);
}
static Value device_get_index(ValueRef self)
{
    return as_device(self)->index < 0 ? NONE : from_small(as_device(self)->index);
}

// A function of torch/_settings.mpy, called with the device.
static Value call_settings(const char *name, ValueRef device)
{
    Value function = library_function("torch._settings", name);
    Value result = function ? object_call_one(function, device) : VALUE_ERROR;
    drop(function);
    return result;
}

static Value device_enter(ValueRef self, METHOD_ARGS)
{
    return call_settings("enter_device", self);
}
static Value device_exit(ValueRef self, METHOD_ARGS)
{
    return call_settings("leave_device", self);
}

static Value device_reduce(ValueRef self, METHOD_ARGS)
{
    Value text = device_str(self);
    Value arguments = text ? tuple_from_owned(&text, 1) : VALUE_ERROR;
    Value pair[] = {retain(ref_of(&device_type)), arguments};
    if (arguments) return tuple_from_owned(pair, 2);
    drop(pair[0]);
    return VALUE_ERROR;
}

static const MethodDef device_methods[] = {
    {"__enter__", device_enter, NO_ARGS, "Makes tensors on this device."},
    {"__exit__", device_exit, ARGS(3, 3), NULL},
    {"__reduce__", device_reduce, NO_ARGS, NULL},
    {0},
};

static const GetSetDef device_getset[] = {
    {"type", device_get_type, NULL, NULL},
    {"index", device_get_index, NULL, NULL},
    {0},
};

Type device_type = {
    STATIC_TYPE("torch.device", sizeof(Device)),
    .doc = "Where a tensor is: the CPU, or meta, which keeps no elements.",
    .methods = device_methods,
    .getset = device_getset,
    .new_ = device_make,
    .repr = device_repr,
    .str = device_str,
    .compare = device_compare,
    .hash = device_hash,
    .getattribute = object_generic_get,
};

bool device_fits(ValueRef value)
{
    return is_exactly(value, &device_type) || str_check(value) || is_small(value);
}

bool device_read(ValueRef value, bool *meta)
{
    ValueRef arguments[] = {value};
    Value device = device_make(&device_type, arguments, 1, VALUE_ERROR);
    if (!device) return false;
    *meta = strcmp(as_device(device)->name, "meta") == 0;
    bool present = *meta || strcmp(as_device(device)->name, "cpu") == 0;
    if (!present && strcmp(as_device(device)->name, "cuda") == 0)
        raise_error(AssertionError, "Torch not compiled with CUDA enabled");
    else if (!present)
        raise_error(NotImplementedError, "minivm has no device %S", (ValueRef)device);
    drop(device);
    return present;
}

// ---- layouts and memory formats: objects with a name

typedef struct Named {
    Object base;
    const char *name;
} Named;

static Value named_repr(ValueRef self)
{
    return format_text("torch.%s", ((const Named *)object_of(self))->name);
}

static Value named_reduce(ValueRef self, METHOD_ARGS)
{
    return str_new(((const Named *)object_of(self))->name);
}

static const MethodDef named_methods[] = {{"__reduce__", named_reduce, NO_ARGS, NULL}, {0}};

static Type layout_type = {
    STATIC_TYPE("torch.layout", sizeof(Named)),
    .methods = named_methods,
    .repr = named_repr,
    .getattribute = object_generic_get,
};
static Type memory_format_type = {
    STATIC_TYPE("torch.memory_format", sizeof(Named)),
    .methods = named_methods,
    .repr = named_repr,
    .getattribute = object_generic_get,
};

static Named named[] = {
    {{1, &layout_type}, "strided"},
    {{1, &memory_format_type}, "contiguous_format"},
    {{1, &memory_format_type}, "preserve_format"},
    {{1, &memory_format_type}, "channels_last"},
    {{1, &memory_format_type}, "channels_last_3d"},
};

bool layout_check(ValueRef value)
{
    return is_exactly(value, &layout_type);
}
bool memory_format_check(ValueRef value)
{
    return is_exactly(value, &memory_format_type);
}
int memory_format_of(ValueRef value)
{
    return (int)((const Named *)object_of(value) - &named[1]);
}
ValueRef memory_format_value(int format)
{
    return ref_of(&named[1 + format]);
}
ValueRef layout_strided(void)
{
    return ref_of(&named[0]);
}

// ---- the module

static bool add_dtypes(ValueRef module)
{
    for (int i = 0; i < DTYPE_COUNT; i++) {
        const DtypeInfo *info = &dtype_table[i];
        ValueRef dtype = dtype_value((Dtype)i);
        if (!module_add(module, info->name, dtype)) return false;
        if (*info->short_name && !module_add(module, info->short_name, dtype)) return false;
    }
    return true;
}

bool torch_objects_fill(ValueRef module)
{
    Type *types[] = {&size_type, &device_type, &layout_type, &memory_format_type};
    if (!dtype_init() || !module_add_type(module, &dtype_type)) return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!type_ready(types[i]) || !module_add_type(module, types[i])) return false;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!module_add(module, named[i].name, ref_of(&named[i]))) return false;
    return add_dtypes(module);
}
