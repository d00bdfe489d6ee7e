// Making classes: what `class` and type(name, bases, namespace) do.
//
//     arguments -> metatype -> best base -> __slots__ -> the Type -> its dict -> layout -> MRO
//               -> fields from methods -> __set_name__ of the attributes -> __init_subclass__
//
// The order is that of CPython's type_new() and PyType_Ready(), because it shows: in the order of
// __dict__, in which error comes first, in what the mro() of a metaclass sees. An unfinished Type
// is an object like any other whose missing fields are zero, so dropping it frees what it has.
#include "objects/call.h"
#include "objects/cell.h"
#include "objects/classes/slots.h"
#include "objects/classes/type_parts.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/instance.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// A class in the making.
typedef struct Making {
    Type *metatype, *base;
    ValueRef name;
    Value bases; // tuple
    Value dict;  // becomes the type's
    Value slots; // tuple of the names that become members, sorted; VALUE_ERROR = no __slots__
    bool may_add_dict, may_add_weakrefs;
    bool add_dict, add_weakrefs;
} Making;

// ---- arguments and metatype

static const char *type_name_or_none(ValueRef value)
{
    return value == NONE ? "None" : type_of(value)->name;
}

static bool check_argument(ValueRef value, int number, const Type *type)
{
    if (type_is_subtype(type_of(value), type)) return true;
    return raise_error(TypeError, "type.__new__() argument %d must be %s, not %.50s", number,
                       type->name, type_name_or_none(value));
}

static bool check_arguments(const ValueRef *args, size_t nargs)
{
    if (nargs != 3)
        return raise_error(TypeError, "type.__new__() takes exactly 3 arguments (%zu given)",
                           nargs);
    return check_argument(args[0], 1, &str_type) && check_argument(args[1], 2, &tuple_type) &&
           check_argument(args[2], 3, &dict_type);
}

Type *type_metatype(Type *metatype, ValueRef bases)
{
    for (ssize_t i = 0; i < tuple_size(bases); i++) {
        Type *candidate = type_of(tuple_at(bases, i));
        if (type_is_subtype(metatype, candidate)) continue;
        if (!type_is_subtype(candidate, metatype)) {
            raise_error(TypeError, "metaclass conflict: the metaclass of a derived class must be a "
                                   "(non-strict) subclass of the metaclasses of all its bases");
            return NULL;
        }
        metatype = candidate;
    }
    return metatype;
}

// Bases that are no classes: `class` has replaced those that have __mro_entries__.
static bool check_mro_entries(ValueRef bases)
{
    for (ssize_t i = 0; i < tuple_size(bases); i++) {
        ValueRef base = tuple_at(bases, i);
        if (type_check(base)) continue;
        Value entries = object_get_optional(base, NAME(__mro_entries__));
        if (entries == ABSENT) continue;
        drop(entries);
        if (!entries) return false;
        return raise_error(TypeError, "type() doesn't support MRO entry resolution; "
                                      "use types.new_class()");
    }
    return true;
}

// ---- __slots__

// "__name" in class "_C" is "_C__name".
static Value mangle(ValueRef class_name, ValueRef name)
{
    ssize_t length = str_length(name), skip = 0;
    const Str *text = as_str(name), *owner = as_str(class_name);
    bool is_private = length > 2 && str_at(text, 0) == '_' && str_at(text, 1) == '_';
    bool is_dunder =
        length > 2 && str_at(text, length - 1) == '_' && str_at(text, length - 2) == '_';
    while (skip < owner->length && str_at(owner, skip) == '_') skip++;
    if (!is_private || is_dunder || skip == owner->length) return retain(name);
    StrBuilder builder;
    builder_begin(&builder);
    if (builder_char(&builder, '_') && builder_slice(&builder, class_name, skip, owner->length) &&
        builder_str(&builder, name))
        return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static bool check_slot_name(ValueRef name)
{
    if (!str_check(name))
        return raise_error(TypeError, "__slots__ items must be strings, not '%.200T'", name);
    if (str_is_identifier(name)) return true;
    return raise_error(TypeError, "__slots__ must be identifiers");
}

// __dict__ and __weakref__ do not become members: they request these fields.
static bool take_request(Making *making, ValueRef name)
{
    if (str_equal_ascii(name, "__dict__")) {
        if (!making->may_add_dict || making->add_dict)
            return raise_error(TypeError, "__dict__ slot disallowed: we already got one");
        making->add_dict = true;
    } else if (str_equal_ascii(name, "__weakref__")) {
        if (!making->may_add_weakrefs || making->add_weakrefs)
            return raise_error(TypeError, "__weakref__ slot disallowed: either we already got one, "
                                          "or __itemsize__ != 0");
        making->add_weakrefs = true;
    }
    return true;
}

// The compiler's own entries do not count as class variables.
static bool check_no_conflict(const Making *making, ValueRef name)
{
    if (!dict_peek(making->dict, name) || str_equal_ascii(name, "__qualname__") ||
        str_equal_ascii(name, "__classcell__"))
        return true;
    return raise_error(ValueError, "%R in __slots__ conflicts with class variable", name);
}

static bool append_slot(const Making *making, ValueRef list, ValueRef name)
{
    if (making->add_dict && str_equal_ascii(name, "__dict__")) return true;
    if (making->add_weakrefs && str_equal_ascii(name, "__weakref__")) return true;
    Value mangled = mangle(making->name, name);
    bool done = mangled && check_no_conflict(making, mangled) && list_append(list, mangled);
    drop(mangled);
    return done;
}

// Turns the names in __slots__ into the sorted tuple of members.
static Value member_names(Making *making, ValueRef names)
{
    for (ssize_t i = 0; i < tuple_size(names); i++)
        if (!check_slot_name(tuple_at(names, i)) || !take_request(making, tuple_at(names, i)))
            return VALUE_ERROR;
    Value list = list_new(tuple_size(names));
    bool done = list;
    for (ssize_t i = 0; done && i < tuple_size(names); i++)
        done = append_slot(making, list, tuple_at(names, i));
    Value sorted = done && list_sort(list, VALUE_ERROR, false) ? list_to_tuple(list) : VALUE_ERROR;
    drop(list);
    return sorted;
}

// A base other than the best one may have a __dict__ or take weak references.
static void add_for_other_bases(Making *making)
{
    for (ssize_t i = 0; i < tuple_size(making->bases); i++) {
        const Type *base = as_type(tuple_at(making->bases, i));
        if (base == making->base) continue;
        making->add_dict |= making->may_add_dict && base->dict_offset;
        making->add_weakrefs |= making->may_add_weakrefs && base->weakref_offset;
    }
}

static bool no_room_for_slots(const Type *base)
{
    if (base->flags & TYPE_TYPE) return true;
    return base->item_size && !(base->flags & TYPE_STR);
}

static bool take_slots(Making *making)
{
    const Type *base = making->base;
    making->may_add_dict = !base->dict_offset;
    making->may_add_weakrefs = !base->weakref_offset && !no_room_for_slots(base);
    ValueRef given = dict_peek(making->dict, NAME(__slots__));
    if (!given) {
        making->add_dict = making->may_add_dict;
        making->add_weakrefs = making->may_add_weakrefs;
        return true;
    }
    Value held = retain(given);
    Value names = str_check(held) ? tuple_pack(1, (ValueRef)held) : sequence_tuple(held);
    drop(held);
    if (!names) return false;
    if (tuple_size(names) > 0 && no_room_for_slots(base))
        raise_error(TypeError, "nonempty __slots__ not supported for subtype of '%s'", base->name);
    else
        making->slots = member_names(making, names);
    drop(names);
    if (making->slots) add_for_other_bases(making);
    return making->slots != VALUE_ERROR;
}

// One block: the table of members, then their names. The offsets come with the layout.
static bool make_members(Type *type, ValueRef slots)
{
    size_t count = (size_t)tuple_size(slots), bytes = (count + 1) * sizeof(MemberDef), size;
    if (count == 0) return true;
    for (size_t i = 0; i < count; i++) {
        if (!str_utf8(tuple_at(slots, (ssize_t)i), &size)) return false;
        bytes += size + 1;
    }
    MemberDef *members = memory_alloc_zeroed(bytes);
    if (!members) return raise_memory_error();
    char *names = (char *)(members + count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *name = str_utf8(tuple_at(slots, (ssize_t)i), &size);
        members[i].kind = MEMBER_VALUE_REQUIRED;
        members[i].name = memcpy(names, name, size + 1);
        names += size + 1;
    }
    type->members = members;
    return true;
}

// ---- the dict

// A copy in which every key of a subclass of str is replaced by an exact str, so that attribute
// lookups need not call __eq__ of keys.
static Value copy_namespace(ValueRef namespace)
{
    if (as_dict(namespace)->str_keys) return dict_copy(namespace);
    Value source = dict_copy(namespace), copy = source ? dict_new() : VALUE_ERROR;
    ssize_t position = 0;
    ValueRef key, value;
    while (copy && dict_next(source, &position, &key, &value)) {
        Value exact = str_check(key) && !str_check_exact(key)
                          ? str_substring(key, 0, str_length(key))
                          : retain(key);
        if (!exact || !dict_set(copy, exact, value)) drop_slot(&copy);
        drop(exact);
    }
    drop(source);
    return copy;
}

static bool set_module(ValueRef dict)
{
    if (dict_peek(dict, NAME(__module__)) || !upcalls.current_globals) return true;
    ValueRef globals = upcalls.current_globals();
    ValueRef module = globals ? dict_peek(globals, NAME(__name__)) : VALUE_ERROR;
    return !module || dict_set(dict, NAME(__module__), module);
}

static bool take_qualname(Type *type, ValueRef dict)
{
    ValueRef qualname = dict_peek(dict, NAME(__qualname__));
    if (!qualname) {
        type->heap_qualname = retain(type->heap_name);
        return true;
    }
    if (!str_check(qualname))
        return raise_error(TypeError, "type __qualname__ must be a str, not %T", qualname);
    type->heap_qualname = retain(qualname);
    return dict_delete(dict, NAME(__qualname__));
}

static bool wrap_function(ValueRef dict, ValueRef name, Value (*wrap)(ValueRef function))
{
    ValueRef function = dict_peek(dict, name);
    return !function || !function_check(function) || dict_set_owned(dict, name, wrap(function));
}

// The cell that __class__ and super() in the methods read.
static bool fill_class_cell(Type *type, ValueRef dict)
{
    ValueRef cell = dict_peek(dict, NAME(__classcell__));
    if (!cell) return true;
    if (!is_exactly(cell, &cell_type))
        return raise_error(TypeError, "__classcell__ must be a nonlocal cell, not %.200R",
                           ref_of(type_of(cell)));
    replace_slot(&as_cell(cell)->contents, retain(ref_of(type)));
    return dict_delete(dict, NAME(__classcell__));
}

static Value get_weakrefs(ValueRef self)
{
    const Type *type = type_of(self);
    if (!type->weakref_offset) return raise_error(AttributeError, "This object has no __weakref__");
    Value first = *(Value *)(void *)((char *)object_of(self) + type->weakref_offset);
    return first ? retain(first) : NONE;
}

// The __dict__ attribute of the built-in type that gives the instances their dict. VALUE_ERROR = a
// class written in script gives it; ABSENT = the type has no such attribute.
static ValueRef inherited_dict_attribute(const Type *type)
{
    for (Type *base = type->base_type; base; base = base->base_type) {
        if (!base->dict_offset || (base->flags & TYPE_HEAP)) continue;
        ValueRef found = type_lookup(base, NAME(__dict__));
        return found && is_data_descriptor(found) ? found : ABSENT;
    }
    return VALUE_ERROR;
}

static Value raise_no_dict(ValueRef self)
{
    return raise_error(TypeError, "this __dict__ descriptor does not support '%.200T' objects",
                       self);
}

static Value get_dict(ValueRef self)
{
    Type *type = type_of(self);
    ValueRef attribute = inherited_dict_attribute(type);
    if (!attribute) return retain(object_dict(self));
    if (attribute == ABSENT || !type_of(attribute)->get) return raise_no_dict(self);
    return type_of(attribute)->get(attribute, self, ref_of(type));
}

static bool set_dict(ValueRef self, ValueRef dict)
{
    ValueRef attribute = inherited_dict_attribute(type_of(self));
    if (!attribute) return object_set_dict(self, dict);
    if (attribute == ABSENT) return raise_no_dict(self);
    return type_of(attribute)->set(attribute, self, dict);
}

static const GetSetDef dict_and_weakref[] = {
    {"__dict__", get_dict, set_dict, "dictionary for instance variables (if defined)"},
    {"__weakref__", get_weakrefs, NULL, "list of weak references to the object (if defined)"},
    {0},
};
static const GetSetDef only_dict[] = {
    {"__dict__", get_dict, set_dict, "dictionary for instance variables (if defined)"},
    {0},
};

static const GetSetDef *attributes_for(const Making *making)
{
    if (making->add_dict) return making->add_weakrefs ? dict_and_weakref : only_dict;
    return making->add_weakrefs ? dict_and_weakref + 1 : NULL;
}

// CPython also stores a text __doc__ as UTF-8, so it must be encodable.
static bool check_doc(ValueRef dict)
{
    ValueRef doc = dict_peek(dict, NAME(__doc__));
    return !doc || !str_check(doc) || str_utf8(doc, NULL);
}

static bool fill_dict(Type *type, const Making *making)
{
    ValueRef dict = type->dict;
    return set_module(dict) && take_qualname(type, dict) && check_doc(dict) &&
           wrap_function(dict, NAME(__new__), staticmethod_new) &&
           wrap_function(dict, NAME(__init_subclass__), classmethod_new) &&
           wrap_function(dict, NAME(__class_getitem__), classmethod_new) &&
           (!making->slots || make_members(type, making->slots)) && fill_class_cell(type, dict);
}

// ---- the type

static bool set_heap_name(Type *type, ValueRef name)
{
    size_t size;
    const char *text = str_utf8(name, &size);
    if (!text) return false;
    if (strlen(text) != size)
        return raise_error(ValueError, "type name must not contain null characters");
    type->heap_name = retain(name);
    type->name = text;
    return true;
}

static bool lay_out(Type *type, const Making *making)
{
    type->getset = attributes_for(making);
    size_t slots = making->slots ? (size_t)tuple_size(making->slots) : 0;
    type_extend_layout(type, making->add_dict, making->add_weakrefs, slots);
    if (!(type->flags & TYPE_INLINE)) return true;
    type->keys = memory_alloc_zeroed(sizeof *type->keys);
    if (!type->keys) return raise_memory_error();
    type->keys->capacity = SHARED_KEYS_MAX;
    return true;
}

static bool add_to_bases(Type *type)
{
    for (ssize_t i = 0; i < tuple_size(type->bases); i++) {
        Type *base = as_type(tuple_at(type->bases, i));
        type->flags |= base->flags & BUILT_IN_FLAGS;
        if (!type_add_subclass(base, type)) return false;
    }
    return true;
}

// __eq__ without __hash__ makes the instances unhashable.
static bool add_missing(Type *type)
{
    if (!type_set_default(type, NAME(__doc__), NONE)) return false;
    return !dict_peek(type->dict, NAME(__eq__)) || type_set_default(type, NAME(__hash__), NONE);
}

static bool make_ready(Type *type)
{
    if (!type_add_tables(type) || !type_make_mro(type) || !add_missing(type)) return false;
    if (!type->mro || !type->dict) return raise_bad_call("type_new");
    slots_fill(type);
    if (!add_to_bases(type)) return false;
    type->flags |= TYPE_READY;
    return true;
}

static Value make_type(Making *making)
{
    Type *type = object_alloc(making->metatype, 0);
    if (!type) return VALUE_ERROR;
    Value made = own(type);
    type->flags = TYPE_HEAP | TYPE_BASE;
    type->base_type = as_type(retain(ref_of(making->base)));
    type->bases = retain(making->bases);
    type->dict = retain(making->dict);
    if (set_heap_name(type, making->name) && fill_dict(type, making) && lay_out(type, making) &&
        make_ready(type))
        return made;
    drop(made);
    return VALUE_ERROR;
}

// ---- hooks

static bool call_set_name(Type *type, ValueRef name, ValueRef value)
{
    bool unbound;
    Value method = special_find(value, NAME(__set_name__), &unbound);
    if (method == ABSENT) return true;
    if (!method) return false;
    ValueRef self = unbound ? value : VALUE_ERROR;
    Value result = call_with_self(method, self, (ValueRef[]){ref_of(type), name}, 2, VALUE_ERROR);
    drop(method);
    drop(result);
    if (result) return true;
    return raise_from_pending(RuntimeError,
                              "Error calling __set_name__ on '%.100T' instance %R in '%.100s'",
                              value, name, type->name);
}

static bool set_names(Type *type)
{
    Value names = dict_copy(type->dict);
    ssize_t position = 0;
    ValueRef name, value;
    bool done = names;
    while (done && dict_next(names, &position, &name, &value))
        done = call_set_name(type, name, value);
    drop(names);
    return done;
}

static bool call_init_subclass(Type *type, const ValueRef *keywords, ValueRef kwnames)
{
    Value parent = super_new(ref_of(type), ref_of(type));
    Value method = parent ? object_get(parent, NAME(__init_subclass__)) : VALUE_ERROR;
    drop(parent);
    Value result = method ? object_call(method, keywords, 0, kwnames) : VALUE_ERROR;
    drop(method);
    drop(result);
    return result != VALUE_ERROR;
}

// ---- the whole

static void making_end(Making *making)
{
    drop(making->bases);
    drop(making->dict);
    drop(making->slots);
}

Value type_new(Type *metatype, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!check_arguments(args, nargs)) return VALUE_ERROR;
    bool no_bases = tuple_size(args[1]) == 0;
    if (!no_bases && !check_mro_entries(args[1])) return VALUE_ERROR;
    Type *winner = type_metatype(metatype, args[1]);
    if (!winner) return VALUE_ERROR;
    if (winner != metatype && winner->new_ != type_new)
        return winner->new_(winner, args, nargs, kwnames);
    Making making = {.metatype = winner, .name = args[0]};
    making.bases = no_bases ? tuple_pack(1, ref_of(&object_type)) : retain(args[1]);
    making.base = making.bases ? type_best_base(making.bases) : NULL;
    making.dict = making.base ? copy_namespace(args[2]) : VALUE_ERROR;
    Value made = making.dict && take_slots(&making) ? make_type(&making) : VALUE_ERROR;
    making_end(&making);
    if (made &&
        (!set_names(as_type(made)) || !call_init_subclass(as_type(made), args + nargs, kwnames)))
        drop_slot(&made);
    return made;
}

bool type_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)args;
    if (nargs == 1 && kwnames && tuple_size(kwnames) > 0)
        return raise_error(TypeError, "type.__init__() takes no keyword arguments");
    if (nargs == 1 || nargs == 3) return true;
    return raise_error(TypeError, "type.__init__() takes 1 or 3 arguments");
}

// type(value)
static Value class_of(ValueRef value)
{
    bool is_loaded = !(type_of(value)->flags & TYPE_STAND_IN) || upcalls.load_class(value);
    return is_loaded ? retain(ref_of(type_of(value))) : VALUE_ERROR;
}

Value type_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Type *type = as_type(self);
    if (type == &type_type) {
        if (nargs == 1 && !kwnames) return class_of(args[0]);
        if (nargs != 3) return raise_error(TypeError, "type() takes 1 or 3 arguments");
    }
    if (!type->new_) return raise_error(TypeError, "cannot create '%.100s' instances", type->name);
    Value made = type->new_(type, args, nargs, kwnames);
    if (!made) return VALUE_ERROR;
    const Type *kind = type_of(made);
    if (kind != type && !type_is_subtype(kind, type)) return made;
    if (!kind->init || kind->init(made, args, nargs, kwnames)) return made;
    drop(made);
    return VALUE_ERROR;
}
