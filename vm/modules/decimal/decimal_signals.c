// Signals: the exceptions of the module, and SignalDict, which says of each whether it is set.
//
// A context's flags and its traps are two SignalDicts; they own their bits, so that they may
// outlive the context.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/decimal/decimal.h"

typedef struct Signal {
    const char *name;
    uint32_t bits;
    const char *bases[3]; // exceptions of the module that stand above, or one that Python has
} Signal;

#define SIGNAL_COUNT 9    // the first ones: the keys of a SignalDict, in their order
#define FIRST_CONDITION 9 // kinds of InvalidOperation, which a list of what was raised names
#define CLASS_COUNT 13

static const Signal signals[CLASS_COUNT] = {
    {"InvalidOperation", ANY_INVALID, {"DecimalException"}},
    {"FloatOperation", FLOAT_OPERATION, {"DecimalException", "TypeError"}},
    {"DivisionByZero", DIVISION_BY_ZERO, {"DecimalException", "ZeroDivisionError"}},
    {"Overflow", OVERFLOWED, {"Inexact", "Rounded"}},
    {"Underflow", UNDERFLOWED, {"Inexact", "Rounded", "Subnormal"}},
    {"Subnormal", SUBNORMAL, {"DecimalException"}},
    {"Inexact", INEXACT, {"DecimalException"}},
    {"Rounded", ROUNDED, {"DecimalException"}},
    {"Clamped", CLAMPED, {"DecimalException"}},
    {"ConversionSyntax", CONVERSION_SYNTAX, {"InvalidOperation"}},
    {"DivisionImpossible", DIVISION_IMPOSSIBLE, {"InvalidOperation"}},
    {"DivisionUndefined", DIVISION_UNDEFINED, {"InvalidOperation", "ZeroDivisionError"}},
    {"InvalidContext", INVALID_CONTEXT, {"InvalidOperation"}},
};
// The order in which they are made, the bases first.
static const uint8_t making_order[CLASS_COUNT] = {0, 1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12};
// The order of the repr of a context.
static const uint8_t repr_order[SIGNAL_COUNT] = {8, 0, 2, 6, 1, 3, 7, 5, 4};

static Value classes[CLASS_COUNT];
static Value signal_keys;       // a tuple of the first ones
static Value signal_dict_class; // SignalDict: the mixin below, and MutableMapping
static Value decimal_tuple_class;

// ---- raising

Value raise_signals(uint32_t bits)
{
    int first = 0;
    if (!decimal_lives()) return VALUE_ERROR;
    while (first < SIGNAL_COUNT - 1 && !(bits & signals[first].bits)) first++;
    Value list = list_new(2);
    bool done = list;
    if (done && (bits & INVALID_OPERATION)) done = list_append(list, classes[0]);
    for (int i = FIRST_CONDITION; done && i < CLASS_COUNT; i++)
        if (bits & signals[i].bits) done = list_append(list, classes[i]);
    for (int i = 1; done && i < SIGNAL_COUNT; i++)
        if (bits & signals[i].bits) done = list_append(list, classes[i]);
    if (done) raise_with(as_type(classes[first]), list);
    drop(list);
    return VALUE_ERROR;
}

// ---- bits of signals

static bool bits_of_signal(ValueRef signal, uint32_t *bits)
{
    *bits = 0;
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if ((ValueRef)classes[i] == signal) *bits = signals[i].bits;
    if (*bits) return true;
    return raise_error(KeyError, "valid values for signals are:\n  [InvalidOperation, "
                                 "FloatOperation, DivisionByZero,\n   Overflow, Underflow, "
                                 "Subnormal, Inexact, Rounded,\n   Clamped]");
}

bool signal_bits_from_list(ValueRef list, uint32_t *bits)
{
    *bits = 0;
    for (ssize_t i = 0; i < list_size(list); i++) {
        uint32_t more;
        if (!bits_of_signal(list_at(list, i), &more)) return false;
        *bits |= more;
    }
    return true;
}

bool signal_bits_from_dict(ValueRef dict, uint32_t *bits)
{
    uint32_t *given = signal_bits(dict);
    *bits = given ? *given : 0;
    if (given) return true;
    if (!dict_check(dict)) return raise_error(TypeError, "argument must be a signal dict");
    static const char refusal[] = "invalid signal dict";
    if (dict_size(dict) != SIGNAL_COUNT) return raise_error(KeyError, refusal);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        bool truth; // a script may be asked for it, and empty the dict
        Value value = dict_get(dict, classes[i]);
        if (!value) return false;
        if (value == ABSENT) return raise_error(KeyError, refusal);
        bool done = object_truth(value, &truth);
        drop(value);
        if (!done) return false;
        if (truth) *bits |= signals[i].bits;
    }
    return true;
}

Value signal_list(uint32_t bits)
{
    Value list = decimal_lives() ? list_new(0) : VALUE_ERROR;
    for (int i = 0; list && i < SIGNAL_COUNT; i++)
        if ((bits & signals[i].bits) && !list_append(list, classes[i])) drop_slot(&list);
    return list;
}

bool add_signal_names(StrBuilder *text, uint32_t bits)
{
    const char *separator = "";
    if (!builder_char(text, '[')) return false;
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        const Signal *signal = &signals[repr_order[i]];
        if (!(bits & signal->bits)) continue;
        if (!builder_text(text, separator) || !builder_text(text, signal->name)) return false;
        separator = ", ";
    }
    return builder_char(text, ']');
}

// ---- SignalDict

uint32_t *signal_bits(ValueRef dict)
{
    if (!is_object(dict) || !type_is_subtype(type_of(dict), &signal_dict_mixin_type)) return NULL;
    return &((SignalDict *)object_of(dict))->bits;
}

Value signal_dict_new(uint32_t bits)
{
    Value made = decimal_lives() ? object_call_none(signal_dict_class) : VALUE_ERROR;
    if (made && !signal_bits(made)) { // its __new__ is a script's
        raise_error(TypeError, "SignalDict() has given %T", (ValueRef)made);
        drop_slot(&made);
    }
    if (made) *signal_bits(made) = bits;
    return made;
}

static Value mixin_repr(ValueRef self)
{
    StrBuilder text;
    builder_begin(&text);
    bool done = builder_char(&text, '{');
    for (int i = 0; done && i < SIGNAL_COUNT; i++)
        done = builder_text(&text, i ? ", <class 'decimal." : "<class 'decimal.") &&
               builder_text(&text, signals[i].name) && builder_text(&text, "'>:") &&
               builder_text(&text, *signal_bits(self) & signals[i].bits ? "True" : "False");
    done = done && builder_char(&text, '}');
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static bool mixin_length(ValueRef self, ssize_t *length)
{
    (void)self;
    *length = SIGNAL_COUNT;
    return true;
}

static Value mixin_iter(ValueRef self)
{
    (void)self;
    return decimal_lives() ? object_iter(signal_keys) : VALUE_ERROR;
}

static Value mixin_subscript(ValueRef self, ValueRef key)
{
    uint32_t bits;
    if (!bits_of_signal(key, &bits)) return VALUE_ERROR;
    return from_bool(*signal_bits(self) & bits);
}

static bool mixin_set_subscript(ValueRef self, ValueRef key, ValueRef item)
{
    uint32_t bits;
    bool truth;
    if (!item) return raise_error(ValueError, "signal keys cannot be deleted");
    if (!bits_of_signal(key, &bits) || !object_truth(item, &truth)) return false;
    if (truth)
        *signal_bits(self) |= bits;
    else
        *signal_bits(self) &= ~bits;
    return true;
}

static Value mixin_compare(ValueRef left, ValueRef right, CompareOp op)
{
    uint32_t bits;
    if (op != COMPARE_EQ && op != COMPARE_NE) return NOT_IMPLEMENTED;
    if (!signal_bits(right) && !dict_check(right)) return NOT_IMPLEMENTED;
    bool known = signal_bits_from_dict(right, &bits);
    if (!known && !error_is(KeyError)) return VALUE_ERROR;
    if (!known) {
        error_clear();
        return NOT_IMPLEMENTED;
    }
    return from_bool((*signal_bits(left) == bits) == (op == COMPARE_EQ));
}

static Value mixin_copy(ValueRef self, METHOD_ARGS)
{
    Value dict = decimal_lives() ? dict_new() : VALUE_ERROR;
    for (int i = 0; dict && i < SIGNAL_COUNT; i++) {
        Value truth = from_bool(*signal_bits(self) & signals[i].bits);
        if (!dict_set(dict, classes[i], truth)) drop_slot(&dict);
    }
    return dict;
}

static const MethodDef mixin_methods[] = {
    {"copy", mixin_copy, NO_ARGS, NULL},
    {0},
};

static Value mixin_new(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}

Type signal_dict_mixin_type = {
    STATIC_TYPE("decimal.SignalDictMixin", sizeof(SignalDict)),
    .flags = TYPE_BASE,
    .new_ = mixin_new,
    .methods = mixin_methods,
    .repr = mixin_repr,
    .hash = object_hash_unhashable,
    .compare = mixin_compare,
    .iter = mixin_iter,
    .length = mixin_length,
    .subscript = mixin_subscript,
    .set_subscript = mixin_set_subscript,
};

// ---- making the classes

// class NAME(*bases), whose __module__ is "decimal" (or none is set): steals the bases.
static Value make_class(const char *name, Value bases, const char *module)
{
    Value text = bases ? str_new(name) : VALUE_ERROR, namespace = text ? dict_new() : VALUE_ERROR;
    Value module_name = namespace ? str_new(module) : VALUE_ERROR, class = VALUE_ERROR;
    if (module_name && dict_set_ascii(namespace, "__module__", module_name)) {
        Type *metatype = type_metatype(&type_type, bases);
        ValueRef args[] = {text, bases, namespace};
        if (metatype) class = object_call(ref_of(metatype), args, 3, VALUE_ERROR);
    }
    drop(module_name);
    drop(namespace);
    drop(text);
    drop(bases);
    return class;
}

// A base of a class: one of the module, or one that Python has. Borrowed.
static ValueRef base_named(ValueRef module, const char *name)
{
    ValueRef found = dict_peek_ascii(as_module(module)->dict, name);
    if (found) return found;
    return ref_of(strcmp(name, "TypeError") ? ZeroDivisionError : TypeError);
}

static bool make_signal(ValueRef module, int index)
{
    const Signal *signal = &signals[index];
    ValueRef bases[3];
    size_t count = 0;
    for (; count < 3 && signal->bases[count]; count++)
        bases[count] = base_named(module, signal->bases[count]);
    if (!classes[index])
        classes[index] = make_class(signal->name, tuple_from_array(bases, count), "decimal");
    return classes[index] && module_add(module, signal->name, classes[index]);
}

static bool make_signal_dict(void)
{
    if (signal_dict_class) return true;
    Value mapping = attribute_of("_collections_abc", "MutableMapping");
    if (!mapping) return false;
    Value bases = tuple_pack(2, ref_of(&signal_dict_mixin_type), (ValueRef)mapping);
    drop(mapping);
    signal_dict_class = make_class("SignalDict", bases, "abc");
    return signal_dict_class;
}

static bool make_decimal_tuple(ValueRef module)
{
    if (!decimal_tuple_class) {
        Value function = attribute_of("collections", "namedtuple");
        Value name = function ? str_new("DecimalTuple") : VALUE_ERROR;
        Value fields = name ? str_new("sign digits exponent") : VALUE_ERROR;
        Value made = fields ? object_call_two(function, name, fields) : VALUE_ERROR;
        Value text = made ? str_new("decimal") : VALUE_ERROR;
        if (text && object_set(made, NAME(__module__), text)) decimal_tuple_class = retain(made);
        drop(text);
        drop(made);
        drop(fields);
        drop(name);
        drop(function);
    }
    return decimal_tuple_class && module_add(module, "DecimalTuple", decimal_tuple_class);
}

bool signals_init(ValueRef module)
{
    Value top;
    if (!classes[0])
        top = make_class("DecimalException", tuple_pack(1, ref_of(ArithmeticError)), "decimal");
    else
        top = retain(ref_of(as_type(classes[0])->base_type));
    if (!module_add_owned(module, "DecimalException", top)) return false;
    for (int i = 0; i < CLASS_COUNT; i++)
        if (!make_signal(module, making_order[i])) return false;
    if (!signal_keys) signal_keys = tuple_from_array(lend(classes), SIGNAL_COUNT);
    return signal_keys && make_signal_dict() && make_decimal_tuple(module);
}

void signals_finish(void)
{
    for (int i = 0; i < CLASS_COUNT; i++) drop_slot(&classes[i]);
    drop_slot(&signal_keys);
    drop_slot(&signal_dict_class);
    drop_slot(&decimal_tuple_class);
}

Value decimal_tuple(ValueRef sign, Value digits, Value exponent)
{
    Value result = VALUE_ERROR;
    if (digits && exponent && decimal_lives()) {
        ValueRef args[] = {sign, digits, exponent};
        result = object_call(decimal_tuple_class, args, 3, VALUE_ERROR);
    }
    drop(exponent);
    drop(digits);
    return result;
}
