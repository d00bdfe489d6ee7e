// The module _operator: the operators as functions, and itemgetter, attrgetter, methodcaller.
//
// The functions are made from three tables: unary operators, binary ones, and those that change
// their left operand in place.
#include "objects/bytes/buffer.h"
#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- operators

#define UNARY_FUNCTIONS(ROW)                                                                       \
    ROW(abs, object_absolute(args[0]))                                                             \
    ROW(index, object_index(args[0]))                                                              \
    ROW(inv, object_invert(args[0]))                                                               \
    ROW(invert, object_invert(args[0]))                                                            \
    ROW(neg, object_negative(args[0]))                                                             \
    ROW(not_, object_not(args[0]))                                                                 \
    ROW(pos, object_positive(args[0]))

#define BINARY_FUNCTIONS(ROW)                                                                      \
    ROW(add, object_binary(args[0], args[1], OP_ADD))                                              \
    ROW(and_, object_binary(args[0], args[1], OP_AND))                                             \
    ROW(eq, object_compare(args[0], args[1], COMPARE_EQ))                                          \
    ROW(floordiv, object_binary(args[0], args[1], OP_FLOOR_DIVIDE))                                \
    ROW(ge, object_compare(args[0], args[1], COMPARE_GE))                                          \
    ROW(getitem, object_subscript(args[0], args[1]))                                               \
    ROW(gt, object_compare(args[0], args[1], COMPARE_GT))                                          \
    ROW(iadd, object_inplace(args[0], args[1], OP_ADD))                                            \
    ROW(iand, object_inplace(args[0], args[1], OP_AND))                                            \
    ROW(ifloordiv, object_inplace(args[0], args[1], OP_FLOOR_DIVIDE))                              \
    ROW(ilshift, object_inplace(args[0], args[1], OP_LSHIFT))                                      \
    ROW(imatmul, object_inplace(args[0], args[1], OP_MATRIX_MULTIPLY))                             \
    ROW(imod, object_inplace(args[0], args[1], OP_REMAINDER))                                      \
    ROW(imul, object_inplace(args[0], args[1], OP_MULTIPLY))                                       \
    ROW(ior, object_inplace(args[0], args[1], OP_OR))                                              \
    ROW(ipow, object_inplace(args[0], args[1], OP_POWER))                                          \
    ROW(irshift, object_inplace(args[0], args[1], OP_RSHIFT))                                      \
    ROW(is_, from_bool(args[0] == args[1]))                                                        \
    ROW(is_not, from_bool(args[0] != args[1]))                                                     \
    ROW(isub, object_inplace(args[0], args[1], OP_SUBTRACT))                                       \
    ROW(itruediv, object_inplace(args[0], args[1], OP_TRUE_DIVIDE))                                \
    ROW(ixor, object_inplace(args[0], args[1], OP_XOR))                                            \
    ROW(le, object_compare(args[0], args[1], COMPARE_LE))                                          \
    ROW(lshift, object_binary(args[0], args[1], OP_LSHIFT))                                        \
    ROW(lt, object_compare(args[0], args[1], COMPARE_LT))                                          \
    ROW(matmul, object_binary(args[0], args[1], OP_MATRIX_MULTIPLY))                               \
    ROW(mod, object_binary(args[0], args[1], OP_REMAINDER))                                        \
    ROW(mul, object_binary(args[0], args[1], OP_MULTIPLY))                                         \
    ROW(ne, object_compare(args[0], args[1], COMPARE_NE))                                          \
    ROW(or_, object_binary(args[0], args[1], OP_OR))                                               \
    ROW(pow, object_binary(args[0], args[1], OP_POWER))                                            \
    ROW(rshift, object_binary(args[0], args[1], OP_RSHIFT))                                        \
    ROW(sub, object_binary(args[0], args[1], OP_SUBTRACT))                                         \
    ROW(truediv, object_binary(args[0], args[1], OP_TRUE_DIVIDE))                                  \
    ROW(xor, object_binary(args[0], args[1], OP_XOR))

#define DEFINE_FUNCTION(name, expression)                                                          \
    static Value op_##name(FUNCTION_ARGS)                                                          \
    {                                                                                              \
        return expression;                                                                         \
    }
UNARY_FUNCTIONS(DEFINE_FUNCTION)
BINARY_FUNCTIONS(DEFINE_FUNCTION)
#undef DEFINE_FUNCTION

static Value truth(FUNCTION_ARGS)
{
    bool result;
    return object_truth(args[0], &result) ? from_bool(result) : VALUE_ERROR;
}

// A sequence in the sense of concat(): not a number.
static bool is_sequence(ValueRef value)
{
    const Type *type = type_of(value);
    return type->concat || type->item || sequence_check(value);
}

static Value concatenated(ValueRef left, ValueRef right, bool in_place)
{
    const Type *type = type_of(left);
    if (in_place && type->inplace_concat) return type->inplace_concat(left, right);
    if (type->concat) return type->concat(left, right);
    if (is_sequence(left) && is_sequence(right))
        return in_place ? object_inplace(left, right, OP_ADD) : object_binary(left, right, OP_ADD);
    return raise_error(TypeError, "'%T' object can't be concatenated", left);
}

static Value concat(FUNCTION_ARGS)
{
    return concatenated(args[0], args[1], false);
}

static Value iconcat(FUNCTION_ARGS)
{
    return concatenated(args[0], args[1], true);
}

static Value contains(FUNCTION_ARGS)
{
    bool found;
    return object_contains(args[0], args[1], &found) ? from_bool(found) : VALUE_ERROR;
}

// Counts the items that are equal, up to `most`; *index is the index of the last one.
static bool search(ValueRef iterable, ValueRef wanted, ssize_t most, ssize_t *count, ssize_t *index)
{
    Value iterator = object_iter(iterable);
    bool ok = iterator;
    *count = 0;
    if (!ok && error_is(TypeError))
        return raise_error(TypeError, "argument of type '%T' is not iterable", iterable);
    for (ssize_t i = 0; ok && *count < most; i++) {
        bool equal = false;
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && items_equal(item, wanted, &equal) && poll_signals();
        drop(item);
        *count += equal;
        *index = i;
    }
    drop(iterator);
    return ok;
}

static Value count_of(FUNCTION_ARGS)
{
    ssize_t count, index;
    return search(args[0], args[1], PTRDIFF_MAX, &count, &index) ? from_small(count) : VALUE_ERROR;
}

static Value index_of(FUNCTION_ARGS)
{
    ssize_t count, index = 0;
    if (!search(args[0], args[1], 1, &count, &index)) return VALUE_ERROR;
    if (count == 0) return raise_error(ValueError, "sequence.index(x): x not in sequence");
    return from_small(index);
}

static Value delitem(FUNCTION_ARGS)
{
    return object_delete_subscript(args[0], args[1]) ? NONE : VALUE_ERROR;
}

static Value setitem(FUNCTION_ARGS)
{
    return object_set_subscript(args[0], args[1], args[2]) ? NONE : VALUE_ERROR;
}

static Value length_hint(FUNCTION_ARGS)
{
    ssize_t fallback = 0, length;
    if (nargs > 1 && !argument_ssize(args[1], &fallback)) return VALUE_ERROR;
    return object_length_hint(args[0], fallback, &length) ? int_new(length) : VALUE_ERROR;
}

// ---- getters: items is a tuple of keys, of dotted names split up, or (name, arguments...)

typedef struct Getter {
    Object base;
    Value items;
    Value kwargs; // methodcaller only
} Getter;

static Getter *as_getter(ValueRef value)
{
    return (Getter *)object_of(value);
}

// Steals the items; VALUE_ERROR passes through.
static Value getter_new(Type *type, Value items)
{
    Getter *getter = items ? object_alloc(type, 0) : NULL;
    if (getter)
        getter->items = items;
    else
        drop(items);
    return own(getter);
}

static void getter_release(Object *self)
{
    drop_slot(&((Getter *)self)->items);
    drop_slot(&((Getter *)self)->kwargs);
}

static void getter_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((Getter *)self)->items, visit, arg);
    visit_item(((Getter *)self)->kwargs, visit, arg);
}

typedef Value (*GetFn)(ValueRef object, ValueRef item);

// What a getter gets: one value, or a tuple of them where it has several items.
static Value get_all(const Getter *getter, const char *name, GetFn get, METHOD_ARGS)
{
    if (!args_no_keywords(name, kwnames) || !args_check(name, nargs, 0, 1, 1)) return VALUE_ERROR;
    ssize_t count = tuple_size(getter->items);
    if (count == 1) return get(args[0], tuple_at(getter->items, 0));
    Value result = tuple_new(count);
    for (ssize_t i = 0; result && i < count; i++) {
        Value value = get(args[0], tuple_at(getter->items, i));
        as_tuple(result)->items[i] = value;
        if (!value) replace_slot(&result, VALUE_ERROR);
    }
    return result;
}

// "operator.itemgetter(1, 2)"
static Value show(ValueRef self, ValueRef items)
{
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return format_text("%T(...)", self);
    Value text = VALUE_ERROR;
    if (tuple_size(items) == 1)
        text = format_text("%T(%R)", self, tuple_at(items, 0));
    else
        text = format_text("%T%R", self, items);
    repr_leave(self);
    return text;
}

static Value reduced(ValueRef self, ValueRef arguments)
{
    return tuple_pack(2, ref_of(type_of(self)), arguments);
}

#define GETTER_TYPE(variable, type_name, prefix)                                                   \
    static Type variable = {                                                                       \
        STATIC_TYPE("operator." type_name, sizeof(Getter)),                                        \
        .getattribute = object_generic_get,                                                        \
        .flags = TYPE_GC,                                                                          \
        .methods = prefix##_methods,                                                               \
        .new_ = prefix##_new,                                                                      \
        .release = getter_release,                                                                 \
        .traverse = getter_traverse,                                                               \
        .clear = getter_release,                                                                   \
        .repr = prefix##_repr,                                                                     \
        .call = prefix##_call,                                                                     \
    }

// ---- itemgetter

static Value item_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!args_no_keywords("itemgetter", kwnames)) return VALUE_ERROR;
    if (nargs == 0 && !args_check("itemgetter", 0, 0, 1, 1)) return VALUE_ERROR;
    return getter_new(type, tuple_from_array(args, nargs));
}

static Value item_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return get_all(as_getter(self), "itemgetter", object_subscript, args, nargs, kwnames);
}

static Value item_repr(ValueRef self)
{
    return show(self, as_getter(self)->items);
}

static Value item_reduce(ValueRef self, METHOD_ARGS)
{
    return reduced(self, as_getter(self)->items);
}

static const MethodDef item_methods[] = {{"__reduce__", item_reduce, NO_ARGS, NULL}, {0}};
GETTER_TYPE(itemgetter_type, "itemgetter", item);

// ---- attrgetter: each item is a str, or a tuple of strs where the name has dots

static Value split_name(ValueRef name)
{
    if (!str_check(name)) return raise_error(TypeError, "attribute name must be a string");
    if (str_find_char(name, '.', 0, str_length(name), 1) < 0) {
        Value plain = retain(name);
        if (str_check_exact(plain)) str_intern_in_place(&plain);
        return plain;
    }
    Value method = str_intern("split"), dot = str_new("."), parts = VALUE_ERROR;
    if (method && dot) parts = object_call_method_one(name, method, dot);
    drop(dot);
    drop(method);
    if (!parts) return VALUE_ERROR;
    Value tuple = list_to_tuple(parts);
    drop(parts);
    return tuple;
}

static Value attr_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!args_no_keywords("attrgetter", kwnames)) return VALUE_ERROR;
    if (nargs == 0 && !args_check("attrgetter", 0, 0, 1, 1)) return VALUE_ERROR;
    Value names = tuple_new((ssize_t)nargs);
    for (size_t i = 0; names && i < nargs; i++) {
        Value name = split_name(args[i]);
        as_tuple(names)->items[i] = name;
        if (!name) replace_slot(&names, VALUE_ERROR);
    }
    return getter_new(type, names);
}

static Value get_attribute(ValueRef object, ValueRef name)
{
    if (!tuple_check(name)) return object_get(object, name);
    Value value = retain(object);
    for (ssize_t i = 0; value && i < tuple_size(name); i++)
        replace_slot(&value, object_get(value, tuple_at(name, i)));
    return value;
}

static Value attr_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return get_all(as_getter(self), "attrgetter", get_attribute, args, nargs, kwnames);
}

// The names as they were given.
static Value attr_names(ValueRef self)
{
    ValueRef items = as_getter(self)->items;
    Value names = tuple_new(tuple_size(items)), dot = str_new(".");
    for (ssize_t i = 0; dot && names && i < tuple_size(items); i++) {
        ValueRef item = tuple_at(items, i);
        Value name = tuple_check(item) ? str_join(dot, item) : retain(item);
        as_tuple(names)->items[i] = name;
        if (!name) replace_slot(&names, VALUE_ERROR);
    }
    if (!dot) replace_slot(&names, VALUE_ERROR);
    drop(dot);
    return names;
}

static Value attr_repr(ValueRef self)
{
    Value names = attr_names(self);
    Value text = names ? show(self, names) : VALUE_ERROR;
    drop(names);
    return text;
}

static Value attr_reduce(ValueRef self, METHOD_ARGS)
{
    Value names = attr_names(self);
    Value result = names ? reduced(self, names) : VALUE_ERROR;
    drop(names);
    return result;
}

static const MethodDef attr_methods[] = {{"__reduce__", attr_reduce, NO_ARGS, NULL}, {0}};
GETTER_TYPE(attrgetter_type, "attrgetter", attr);

// ---- methodcaller

static Value caller_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (nargs < 1)
        return raise_error(TypeError, "methodcaller needs at least one argument, the method name");
    if (!str_check(args[0])) return raise_error(TypeError, "method name must be a string");
    Value self = getter_new(type, tuple_from_array(args, nargs));
    if (!self) return VALUE_ERROR;
    if (str_check_exact(args[0])) str_intern_in_place(&as_tuple(as_getter(self)->items)->items[0]);
    if ((as_getter(self)->kwargs = args_keywords(args, nargs, kwnames))) return self;
    drop(self);
    return VALUE_ERROR;
}

static Value caller_call(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Getter *getter = as_getter(self);
    if (!args_no_keywords("methodcaller", kwnames) || !args_check("methodcaller", nargs, 0, 1, 1))
        return VALUE_ERROR;
    Value method = object_get(args[0], tuple_at(getter->items, 0));
    Value rest = method ? tuple_slice(getter->items, 1, PTRDIFF_MAX) : VALUE_ERROR;
    Value result = rest ? object_call_spread(method, rest, getter->kwargs) : VALUE_ERROR;
    drop(rest);
    drop(method);
    return result;
}

static bool append_argument(StrBuilder *builder, Value text, bool first)
{
    bool ok = text && (first || builder_ascii(builder, ", ", 2)) && builder_str(builder, text);
    drop(text);
    return ok;
}

static Value caller_arguments(const Getter *getter)
{
    StrBuilder builder;
    builder_begin(&builder);
    bool ok = true;
    for (ssize_t i = 0; ok && i < tuple_size(getter->items); i++)
        ok = append_argument(&builder, object_repr(tuple_at(getter->items, i)), i == 0);
    ssize_t position = 0;
    ValueRef name, value;
    while (ok && dict_next(getter->kwargs, &position, &name, &value)) {
        Value held = retain(value), shown = retain(name); // gc.get_referents() shows the dict
        ok =
            append_argument(&builder, format_text("%S=%R", (ValueRef)shown, (ValueRef)held), false);
        drop(shown);
        drop(held);
    }
    if (ok) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static Value caller_repr(ValueRef self)
{
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return format_text("%T(...)", self);
    Value arguments = caller_arguments(as_getter(self));
    Value text = arguments ? format_text("%T(%S)", self, arguments) : VALUE_ERROR;
    drop(arguments);
    repr_leave(self);
    return text;
}

// (partial(type, name, **keywords), arguments) where there are keywords.
static Value caller_reduce(ValueRef self, METHOD_ARGS)
{
    const Getter *getter = as_getter(self);
    if (dict_size(getter->kwargs) == 0) return reduced(self, getter->items);
    Value functools = upcalls.import ? upcalls.import("functools") : VALUE_ERROR;
    Value name = functools ? str_intern("partial") : VALUE_ERROR;
    Value partial = name ? object_get(functools, name) : VALUE_ERROR;
    drop(name);
    drop(functools);
    Value first =
        partial ? tuple_pack(2, ref_of(type_of(self)), tuple_at(getter->items, 0)) : VALUE_ERROR;
    Value maker = first ? object_call_spread(partial, first, getter->kwargs) : VALUE_ERROR;
    Value rest = maker ? tuple_slice(getter->items, 1, PTRDIFF_MAX) : VALUE_ERROR;
    Value result = rest ? tuple_pack(2, (ValueRef)maker, (ValueRef)rest) : VALUE_ERROR;
    drop(rest);
    drop(maker);
    drop(first);
    drop(partial);
    return result;
}

static const MethodDef caller_methods[] = {{"__reduce__", caller_reduce, NO_ARGS, NULL}, {0}};
GETTER_TYPE(methodcaller_type, "methodcaller", caller);

// ---- the module

// ---- comparing secrets

// The bytes that are compared: of a buffer or of an ASCII str. False with TypeError pending.
static bool secret_bytes(ValueRef value, bool text, Buffer *buffer)
{
    if (!text) return buffer_get(value, buffer, false);
    if (!as_str(value)->ascii)
        return raise_error(TypeError,
                           "comparing strings with non-ASCII characters is not supported");
    *buffer = (Buffer){.bytes = as_str(value)->data, .size = as_str(value)->length};
    return true;
}

// As long as the second text, wherever the difference is: the time tells nothing but the length.
static bool same_secret(const Buffer *a, const Buffer *b)
{
    const volatile char *left = a->bytes, *right = b->bytes;
    char different = a->size != b->size;
    if (different) left = right;
    for (ssize_t i = 0; i < b->size; i++) different |= left[i] ^ right[i];
    return !different;
}

// hmac.compare_digest(): both str or both bytes-like.
static Value compare_digest(FUNCTION_ARGS)
{
    bool texts = str_check(args[0]) && str_check(args[1]);
    if (!texts && !buffer_check(args[0]) && !buffer_check(args[1]))
        return raise_error(TypeError,
                           "unsupported operand types(s) or combination of types: '%.100T' and "
                           "'%.100T'",
                           args[0], args[1]);
    Buffer a = {0}, b = {0};
    if (!secret_bytes(args[0], texts, &a)) return VALUE_ERROR;
    Value same = VALUE_ERROR;
    if (secret_bytes(args[1], texts, &b)) {
        same = from_bool(same_secret(&a, &b));
        if (!texts) buffer_release(&b);
    }
    if (!texts) buffer_release(&a);
    return same;
}

static const MethodDef functions[] = {
#define UNARY_DEF(name, expression) {#name, op_##name, ONE_ARG, NULL},
    UNARY_FUNCTIONS(UNARY_DEF)
#undef UNARY_DEF
#define BINARY_DEF(name, expression) {#name, op_##name, ARGS(2, 2), NULL},
        BINARY_FUNCTIONS(BINARY_DEF)
#undef BINARY_DEF
            {"truth", truth, ONE_ARG, NULL},
    {"concat", concat, ARGS(2, 2), NULL},
    {"iconcat", iconcat, ARGS(2, 2), NULL},
    {"contains", contains, ARGS(2, 2), NULL},
    {"countOf", count_of, ARGS(2, 2), NULL},
    {"indexOf", index_of, ARGS(2, 2), NULL},
    {"delitem", delitem, ARGS(2, 2), NULL},
    {"setitem", setitem, ARGS(3, 3), NULL},
    {"length_hint", length_hint, ARGS(1, 2), NULL},
    {"_compare_digest", compare_digest, ARGS(2, 2), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    Type *const types[] = {&itemgetter_type, &attrgetter_type, &methodcaller_type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!type_ready(types[i]) || !module_add_type(module, types[i])) return false;
    return true;
}

const ModuleDef _operator_module = {
    .name = "_operator",
    .functions = functions,
    .fill = fill,
};
