// Looking at values without running script code.
//
// An attribute is searched in the order of object_generic_get() and type_getattribute(). Where
// these would call a function, the result is PEEK_REFUSED.
#include "objects/looking/peek.h"

#include "objects/bytes/bytes.h"
#include "objects/cell.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/classes/slots.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/function.h"
#include "objects/instance.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/protocols/items.h"
#include "objects/protocols/singletons.h"
#include "objects/tensor/tensor.h"
#include "objects/type.h"

// ---- attributes

// Fields of functions and cells that a getter shows.
static const struct Field {
    Type *type;
    const char *name;
    size_t offset;
    Value empty; // the value that an empty field shows
} fields[] = {
    {&function_type, "__code__", offsetof(Function, code), ABSENT},
    {&function_type, "__defaults__", offsetof(Function, defaults), NONE},
    {&function_type, "__kwdefaults__", offsetof(Function, kwdefaults), NONE},
    {&cell_type, "cell_contents", offsetof(Cell, contents), ABSENT},
};

static ValueRef peek_field(ValueRef value, ValueRef name)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const struct Field *field = &fields[i];
        if (!is_exactly(value, field->type) || !str_equal_ascii(name, field->name)) continue;
        ValueRef found = *(Value *)(void *)((char *)object_of(value) + field->offset);
        return found ? found : field->empty;
    }
    return PEEK_REFUSED;
}

// The gradient of a tensor, where the class has not replaced that attribute.
static bool is_gradient(ValueRef descriptor, ValueRef value, ValueRef name)
{
    return is_getset_of(descriptor, &tensor_base_type) && tensor_check(value) &&
           str_equal_ascii(name, "grad");
}

// A data descriptor: __slots__ and the fields of C structs can be read.
static ValueRef peek_descriptor(ValueRef descriptor, ValueRef value, ValueRef name)
{
    ValueRef found = member_peek(descriptor, value);
    if (found) return found;
    if (!is_gradient(descriptor, value, name)) return peek_field(value, name);
    ValueRef grad = as_tensor(value)->grad;
    return grad ? grad : NONE;
}

// A str among the keys of a namespace.
static ValueRef peek_name(ValueRef dict, ValueRef name)
{
    return dict_peek_key(dict, name, str_hash(name));
}

static ValueRef peek_own(ValueRef value, const Type *type, ValueRef name)
{
    Value dict;
    if (type->flags & TYPE_INLINE) {
        const Instance *self = as_instance(value);
        int index = self->dict ? -1 : instance_key_index(type, name);
        if (index >= 0 && (uint32_t)index < self->count) return self->values[index];
        dict = self->dict;
    } else {
        if (!type->dict_offset) return ABSENT;
        dict = *(Value *)(void *)((char *)object_of(value) + type->dict_offset);
    }
    return dict ? peek_name(dict, name) : ABSENT;
}

static bool is_known_lookup(GetAttrFn lookup)
{
    return lookup == object_generic_get || lookup == module_type.getattribute;
}

// Does the class define its own __getattribute__? With only a __getattr__, an attribute that exists
// is found without calling it.
static bool has_own_lookup(Type *type)
{
    if (is_known_lookup(type->getattribute)) return false;
    ValueRef found = type_lookup(type, NAME(__getattribute__));
    return !found || !is_exactly(found, &wrapper_descriptor_type) ||
           !is_known_lookup((GetAttrFn)((const SlotWrapper *)object_of(found))->slot);
}

static bool has_fallback(ValueRef value, Type *type)
{
    if (type_lookup(type, NAME(__getattr__))) return true;
    return module_check(value) && peek_own(value, type, NAME(__getattr__)) != ABSENT;
}

// What a class gives for an attribute found in its namespaces.
static ValueRef peek_unbound(ValueRef found)
{
    if (function_check(found) || is_exactly(found, &property_type)) return found;
    if (is_exactly(found, &staticmethod_type)) return held_function(found);
    return type_of(found)->get ? PEEK_REFUSED : found;
}

static ValueRef peek_in_class(ValueRef value, ValueRef name)
{
    Type *metatype = type_of(value);
    ValueRef in_meta = type_lookup(metatype, name);
    if (metatype->getattribute != type_type.getattribute) return PEEK_REFUSED;
    if (in_meta && is_data_descriptor(in_meta)) return member_peek(in_meta, value);
    ValueRef found = type_lookup(as_type(value), name);
    if (found) return peek_unbound(found);
    if (!in_meta) return ABSENT;
    return type_of(in_meta)->get ? PEEK_REFUSED : in_meta;
}

ValueRef peek_classmethod(ValueRef cls, ValueRef name)
{
    if (!type_check(cls) || type_of(cls)->getattribute != type_type.getattribute)
        return PEEK_REFUSED;
    ValueRef in_meta = type_lookup(type_of(cls), name);
    ValueRef found = type_lookup(as_type(cls), name);
    if (!found) return ABSENT;
    if ((in_meta && is_data_descriptor(in_meta)) || !is_exactly(found, &classmethod_type))
        return PEEK_REFUSED;
    ValueRef held = held_function(found);
    return held && function_check(held) ? held : PEEK_REFUSED;
}

// A bound method has __func__ and __self__, and else what its function has.
static ValueRef peek_in_method(ValueRef value, ValueRef name)
{
    ValueRef found = type_lookup(&method_type, name);
    if (!found) return peek_attribute(as_method(value)->function, name);
    return is_data_descriptor(found) ? peek_descriptor(found, value, name) : PEEK_REFUSED;
}

ValueRef peek_attribute(ValueRef value, ValueRef name)
{
    Type *type = type_of(value);
    if (type_check(value)) return peek_in_class(value, name);
    if (method_check(value)) return peek_in_method(value, name);
    if (has_own_lookup(type)) return PEEK_REFUSED;
    ValueRef found = type_lookup(type, name);
    if (found && is_data_descriptor(found)) return peek_descriptor(found, value, name);
    ValueRef own = peek_own(value, type, name);
    if (own != ABSENT) return own;
    if (!found) return has_fallback(value, type) ? PEEK_REFUSED : ABSENT;
    return type_of(found)->get ? PEEK_REFUSED : found;
}

// ---- items

// No str or int: compared with each key, since hashing it could run script code.
static ValueRef search_key(ValueRef dict, ValueRef wanted)
{
    bool is_constant = constant_check(wanted);
    ssize_t position = 0;
    ValueRef key, item;
    while (dict_next(dict, &position, &key, &item))
        if (key == wanted || (is_constant && constant_equal(wanted, key))) return item;
    return ABSENT;
}

ValueRef peek_key(ValueRef dict, ValueRef key)
{
    int64_t hash;
    if (item_hash(key, &hash)) return dict_peek_key(dict, key, hash);
    return search_key(dict, key);
}

// The built-in sequence that the type is, or is derived from; NULL = none.
static const Type *sequence_base(const Type *type)
{
    while (type && !(type->flags & TYPE_ITEMS)) type = type->base_type;
    return type;
}

ValueRef peek_item(ValueRef sequence, int64_t index)
{
    const Type *base = sequence_base(type_of(sequence));
    ssize_t size;
    if (!base || !base->length(sequence, &size)) return PEEK_REFUSED;
    if (index < 0) index += size;
    if (index < 0 || index >= size) return ABSENT;
    Value item = base->item(sequence, (ssize_t)index);
    drop(item); // the sequence holds it
    return item;
}

ssize_t peek_length(ValueRef value)
{
    static const Type *const known[] = {&dict_type,      &str_type, &bytes_type,
                                        &bytearray_type, &set_type, &frozenset_type};
    LengthFn length = type_of(value)->length;
    const Type *base = sequence_base(type_of(value));
    bool is_known = base && length == base->length;
    for (size_t i = 0; length && i < sizeof known / sizeof *known; i++)
        is_known |= length == known[i]->length;
    ssize_t number;
    return is_known && length(value, &number) ? number : -1;
}

// ---- constants

static bool is_plain(ValueRef value)
{
    static const Type *const types[] = {&none_type,  &bool_type,     &int_type,
                                        &float_type, &complex_type,  &str_type,
                                        &bytes_type, &ellipsis_type, &not_implemented_type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (type_of(value) == types[i]) return true;
    return false;
}

// `room`: the number of values allowed, since tuples that share items can be of any size.
static bool is_constant(ValueRef value, int depth, int *room)
{
    if (--*room < 0) return false;
    if (is_plain(value)) return true;
    if (!tuple_check_exact(value) || depth == PEEK_DEPTH) return false;
    for (ssize_t i = 0; i < tuple_size(value); i++)
        if (!is_constant(tuple_at(value, i), depth + 1, room)) return false;
    return true;
}

bool constant_check(ValueRef value)
{
    int room = PEEK_VALUES;
    return is_constant(value, 0, &room);
}

static bool tuples_equal(ValueRef constant, ValueRef value)
{
    if (tuple_size(constant) != tuple_size(value)) return false;
    for (ssize_t i = 0; i < tuple_size(constant); i++)
        if (!constant_equal(tuple_at(constant, i), tuple_at(value, i))) return false;
    return true;
}

bool constant_equal(ValueRef constant, ValueRef value)
{
    invariant(constant_check(constant), "to compare with a constant runs no script code");
    if (constant == value) return true;
    if (type_of(constant) != type_of(value)) return false;
    if (tuple_check_exact(constant)) return tuples_equal(constant, value);
    if (float_check_exact(constant)) {
        double a = float_value(constant), b = float_value(value);
        return a == b || (a != a && b != b);
    }
    bool equal;
    return object_equal(constant, value, &equal) && equal;
}
