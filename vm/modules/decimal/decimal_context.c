// The type Context: precision, rounding, limits, flags and traps, and methods that compute in it.
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/gc.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/decimal/decimal.h"

const char *const rounding_names[ROUNDING_COUNT] = {
    "ROUND_UP",      "ROUND_DOWN",      "ROUND_CEILING",   "ROUND_FLOOR",
    "ROUND_HALF_UP", "ROUND_HALF_DOWN", "ROUND_HALF_EVEN", "ROUND_05UP",
};

// ---- what operations need of a context

bool context_raise(ContextObject *object, uint32_t status)
{
    *signal_bits(object->flags) |= status;
    uint32_t trapped = status & *signal_bits(object->traps);
    return !trapped || raise_signals(trapped);
}

ContextObject *context_argument(ValueRef value)
{
    if (!value || value == (ValueRef)NONE) return current_context();
    if (context_check(value)) return as_context(value);
    raise_error(TypeError, "optional argument must be a context");
    return NULL;
}

Value finish_operation(bool done, Number *result, ContextObject *object, const Context *work)
{
    Value made = done && context_end(object, work) ? decimal_new(result) : VALUE_ERROR;
    number_end(result);
    return made;
}

bool bind_operands(const char *const *names, int operands, const ValueRef *args, size_t nargs,
                   ValueRef kwnames, ValueRef *slots, ContextObject **context)
{
    Signature signature = {"", names, operands, operands + 1};
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    *context = context_argument(slots[operands]);
    return *context != NULL;
}

// ---- making one

static Value make(Type *type, const Context *context)
{
    ContextObject *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->context = *context;
    made->context.traps = made->context.status = 0;
    made->traps = signal_dict_new(context->traps);
    made->flags = made->traps ? signal_dict_new(context->status) : VALUE_ERROR;
    if (made->flags) return own(made);
    drop(own(made));
    return VALUE_ERROR;
}

Value context_new(const Context *context)
{
    return make(&decimal_context_type, context);
}

// With flags and traps.
static Context settings_of(const ContextObject *object)
{
    Context settings = object->context;
    settings.traps = *signal_bits(object->traps);
    settings.status = *signal_bits(object->flags);
    return settings;
}

Value context_copy(const ContextObject *context)
{
    Context copy = settings_of(context);
    return context_new(&copy);
}

// What DefaultContext is now.
static Value construct(Type *type, METHOD_ARGS)
{
    const ContextObject *template = default_template();
    if (!template) return make(type, &default_settings);
    Context context = settings_of(template);
    return make(type, &context);
}

// ---- attributes

// An int between two limits; `range` says which.
static bool int_between(ValueRef value, int64_t least, int64_t most, const char *range,
                        int64_t *number)
{
    if (!value) return raise_error(AttributeError, "context attributes cannot be deleted");
    int64_t given;
    if (!int_check(value)) return raise_error(TypeError, "an integer is required");
    if (!int64_from(value, &given)) return false;
    if (given < least || given > most) return raise_error(ValueError, range);
    *number = given;
    return true;
}

static bool set_prec(ValueRef self, ValueRef value)
{
    return int_between(value, 1, MAX_PREC, "valid range for prec is [1, MAX_PREC]",
                       &as_context(self)->context.prec);
}

static bool set_emin(ValueRef self, ValueRef value)
{
    return int_between(value, MIN_EMIN, 0, "valid range for Emin is [MIN_EMIN, 0]",
                       &as_context(self)->context.emin);
}

static bool set_emax(ValueRef self, ValueRef value)
{
    return int_between(value, 0, MAX_EMAX, "valid range for Emax is [0, MAX_EMAX]",
                       &as_context(self)->context.emax);
}

static bool set_capitals(ValueRef self, ValueRef value)
{
    int64_t number;
    if (!int_between(value, 0, 1, "valid values for capitals are 0 or 1", &number)) return false;
    as_context(self)->context.capitals = number;
    return true;
}

static bool set_clamp(ValueRef self, ValueRef value)
{
    int64_t number;
    if (!int_between(value, 0, 1, "valid values for clamp are 0 or 1", &number)) return false;
    as_context(self)->context.clamp = number;
    return true;
}

bool rounding_from(ValueRef value, uint8_t *rounding)
{
    for (int i = 0; str_check(value) && i < ROUNDING_COUNT; i++) {
        if (!str_equal_ascii(value, rounding_names[i])) continue;
        *rounding = (uint8_t)i;
        return true;
    }
    return raise_error(TypeError, "valid values for rounding are:\n  [ROUND_CEILING, ROUND_FLOOR, "
                                  "ROUND_UP, ROUND_DOWN,\n   ROUND_HALF_UP, ROUND_HALF_DOWN, "
                                  "ROUND_HALF_EVEN,\n   ROUND_05UP]");
}

static bool set_rounding(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(AttributeError, "context attributes cannot be deleted");
    return rounding_from(value, &as_context(self)->context.rounding);
}

static Value get_prec(ValueRef self)
{
    return int_new(as_context(self)->context.prec);
}

static Value get_emin(ValueRef self)
{
    return int_new(as_context(self)->context.emin);
}

static Value get_emax(ValueRef self)
{
    return int_new(as_context(self)->context.emax);
}

static Value get_capitals(ValueRef self)
{
    return from_small(as_context(self)->context.capitals);
}

static Value get_clamp(ValueRef self)
{
    return from_small(as_context(self)->context.clamp);
}

static Value get_rounding(ValueRef self)
{
    return str_intern(rounding_names[as_context(self)->context.rounding]);
}

static const GetSetDef getset[] = {
    {"prec", get_prec, set_prec, NULL},
    {"Emax", get_emax, set_emax, NULL},
    {"Emin", get_emin, set_emin, NULL},
    {"rounding", get_rounding, set_rounding, NULL},
    {"capitals", get_capitals, set_capitals, NULL},
    {"clamp", get_clamp, set_clamp, NULL},
    {0},
};

// The SignalDict that has this name, or NULL. dir() does not show them, as in CPython.
static Value *signals_named(ValueRef self, ValueRef name)
{
    if (str_equal_ascii(name, "traps")) return &as_context(self)->traps;
    return str_equal_ascii(name, "flags") ? &as_context(self)->flags : NULL;
}

static Value slot_getattribute(ValueRef self, ValueRef name)
{
    Value *dict = signals_named(self, name);
    return dict ? retain(*dict) : object_generic_get(self, name);
}

static bool slot_setattr(ValueRef self, ValueRef name, ValueRef value)
{
    Value *dict = signals_named(self, name);
    uint32_t bits;
    if (!value) return raise_error(AttributeError, "context attributes cannot be deleted");
    if (!dict) return object_generic_set(self, name, value);
    if (!signal_bits_from_dict(value, &bits)) return false;
    *signal_bits(*dict) = bits;
    return true;
}

static bool set_signals(ValueRef value, ValueRef dict)
{
    uint32_t bits;
    bool done = list_check(value) ? signal_bits_from_list(value, &bits)
                                  : signal_bits_from_dict(value, &bits);
    if (done) *signal_bits(dict) = bits;
    return done;
}

static bool initialise(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"prec",  "rounding", "Emin",  "Emax", "capitals",
                                        "clamp", "flags",    "traps", NULL};
    static const Signature signature = {"", names, 0, 8};
    static bool (*const setters[])(ValueRef, ValueRef) = {set_prec, set_rounding, set_emin,
                                                          set_emax, set_capitals, set_clamp};
    ValueRef slots[8];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    for (int i = 0; i < 8; i++) {
        if (!slots[i] || slots[i] == (ValueRef)NONE) continue;
        bool done = i < 6 ? setters[i](self, slots[i])
                          : set_signals(slots[i],
                                        i == 6 ? as_context(self)->flags : as_context(self)->traps);
        if (!done) return false;
    }
    return true;
}

static Value slot_repr(ValueRef self)
{
    const ContextObject *object = as_context(self);
    const Context *context = &object->context;
    StrBuilder text;
    builder_begin(&text);
    bool done =
        builder_text(&text, "Context(prec=") && builder_int(&text, context->prec) &&
        builder_text(&text, ", rounding=") &&
        builder_text(&text, rounding_names[context->rounding]) && builder_text(&text, ", Emin=") &&
        builder_int(&text, context->emin) && builder_text(&text, ", Emax=") &&
        builder_int(&text, context->emax) && builder_text(&text, ", capitals=") &&
        builder_int(&text, context->capitals) && builder_text(&text, ", clamp=") &&
        builder_int(&text, context->clamp) && builder_text(&text, ", flags=") &&
        add_signal_names(&text, *signal_bits(object->flags)) && builder_text(&text, ", traps=") &&
        add_signal_names(&text, *signal_bits(object->traps)) && builder_char(&text, ')');
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

// ---- computing

static Value apply_unary(UnaryOperation operation, ValueRef self, ValueRef x)
{
    Number a, result;
    Context work;
    context_begin(as_context(self), &work);
    number_begin(&result);
    bool done = operand_from(&a, x) && operation(&result, &a, &work);
    number_end(&a);
    return finish_operation(done, &result, as_context(self), &work);
}

static Value apply_binary(BinaryOperation operation, ValueRef self, ValueRef x, ValueRef y)
{
    Number a, b, result;
    Context work;
    context_begin(as_context(self), &work);
    number_begin(&result);
    number_begin(&b);
    bool done = operand_from(&a, x) && operand_from(&b, y) && operation(&result, &a, &b, &work);
    number_end(&b);
    number_end(&a);
    return finish_operation(done, &result, as_context(self), &work);
}

#define BOTH_UNARY CONTEXT_UNARY
#define BOTH_BINARY CONTEXT_BINARY
#define CONTEXT_UNARY(name, operation, doc)                                                        \
    static Value context_##name(ValueRef self, METHOD_ARGS)                                        \
    {                                                                                              \
        return apply_unary(number_##operation, self, args[0]);                                     \
    }
#define CONTEXT_BINARY(name, operation, doc)                                                       \
    static Value context_##name(ValueRef self, METHOD_ARGS)                                        \
    {                                                                                              \
        return apply_binary(number_##operation, self, args[0], args[1]);                           \
    }
#include "vm/modules/decimal/decimal_operations.def"
#undef CONTEXT_UNARY
#undef CONTEXT_BINARY

static Value context_divmod(ValueRef self, METHOD_ARGS)
{
    Number a, b, quotient, rest;
    Context work;
    context_begin(as_context(self), &work);
    number_begin(&b);
    number_begin(&quotient);
    number_begin(&rest);
    bool done = operand_from(&a, args[0]) && operand_from(&b, args[1]) &&
                number_divmod(&quotient, &rest, &a, &b, &work);
    number_end(&b);
    number_end(&a);
    Value first = finish_operation(done, &quotient, as_context(self), &work);
    Value second = first ? decimal_new(&rest) : VALUE_ERROR;
    number_end(&rest);
    Value pair = second ? tuple_pack(2, (ValueRef)first, (ValueRef)second) : VALUE_ERROR;
    drop(second);
    drop(first);
    return pair;
}

static Value context_fma(ValueRef self, METHOD_ARGS)
{
    Number a, b, c, result;
    Context work;
    context_begin(as_context(self), &work);
    number_begin(&b);
    number_begin(&c);
    number_begin(&result);
    bool done = operand_from(&a, args[0]) && operand_from(&b, args[1]) &&
                operand_from(&c, args[2]) && number_fma(&result, &a, &b, &c, &work);
    number_end(&c);
    number_end(&b);
    number_end(&a);
    return finish_operation(done, &result, as_context(self), &work);
}

static Value context_power(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"a", "b", "modulo", NULL};
    static const Signature signature = {"", names, 2, 3};
    ValueRef slots[3];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!slots[2] || slots[2] == (ValueRef)NONE)
        return apply_binary(number_power, self, slots[0], slots[1]);
    Number a, b, modulus, result;
    Context work;
    context_begin(as_context(self), &work);
    number_begin(&b);
    number_begin(&modulus);
    number_begin(&result);
    bool done = operand_from(&a, slots[0]) && operand_from(&b, slots[1]) &&
                operand_from(&modulus, slots[2]) &&
                number_power_modulo(&result, &a, &b, &modulus, &work);
    number_end(&modulus);
    number_end(&b);
    number_end(&a);
    return finish_operation(done, &result, as_context(self), &work);
}

// ---- methods of the Decimal, in this context

// A Decimal of the operand: itself, or of an int.
static Value operand_decimal(ValueRef value)
{
    if (decimal_check(value)) return retain(value);
    Number number;
    Value made = operand_from(&number, value) ? decimal_new(&number) : VALUE_ERROR;
    number_end(&number);
    return made;
}

// x.name(*others) or x.name(*others, self): what Decimal has already is not written twice.
static Value call_decimal(ValueRef self, const char *name, const ValueRef *args, size_t nargs,
                          bool in_context)
{
    Value decimal = operand_decimal(args[0]);
    Value method = decimal ? str_intern(name) : VALUE_ERROR, result = VALUE_ERROR;
    if (method) {
        ValueRef given[] = {decimal, nargs > 1 ? args[1] : self, self};
        result = object_call_method(method, given, nargs + in_context, VALUE_ERROR);
    }
    drop(method);
    drop(decimal);
    return result;
}

#define OF_DECIMAL(name, in_context)                                                               \
    static Value context_##name(ValueRef self, METHOD_ARGS)                                        \
    {                                                                                              \
        return call_decimal(self, #name, args, nargs, in_context);                                 \
    }
OF_DECIMAL(is_finite, false)
OF_DECIMAL(is_infinite, false)
OF_DECIMAL(is_nan, false)
OF_DECIMAL(is_qnan, false)
OF_DECIMAL(is_signed, false)
OF_DECIMAL(is_snan, false)
OF_DECIMAL(is_zero, false)
OF_DECIMAL(is_normal, true)
OF_DECIMAL(is_subnormal, true)
OF_DECIMAL(copy_abs, false)
OF_DECIMAL(copy_negate, false)
OF_DECIMAL(copy_sign, true)
OF_DECIMAL(compare_total, true)
OF_DECIMAL(compare_total_mag, true)
OF_DECIMAL(same_quantum, true)
OF_DECIMAL(number_class, true)
OF_DECIMAL(to_eng_string, true)

static Value context_copy_decimal(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return operand_decimal(args[0]);
}

static Value context_is_canonical(ValueRef self, METHOD_ARGS)
{
    (void)self;
    if (decimal_check(args[0])) return TRUE;
    return raise_error(TypeError, "argument must be a Decimal");
}

static Value context_canonical(ValueRef self, METHOD_ARGS)
{
    (void)self;
    if (decimal_check(args[0])) return retain(args[0]);
    return raise_error(TypeError, "argument must be a Decimal");
}

static Value context_to_sci_string(ValueRef self, METHOD_ARGS)
{
    Value decimal = operand_decimal(args[0]);
    Value text =
        decimal ? decimal_text(decimal, false, as_context(self)->context.capitals) : VALUE_ERROR;
    drop(decimal);
    return text;
}

static Value context_create_decimal(ValueRef self, METHOD_ARGS)
{
    Number number;
    Context work;
    context_begin(as_context(self), &work);
    number_begin(&number);
    ValueRef value = nargs ? args[0] : VALUE_ERROR;
    bool done = number_from_value(&number, value, false, as_context(self), &work);
    return finish_operation(done, &number, as_context(self), &work);
}

static Value context_from_float(ValueRef self, METHOD_ARGS)
{
    Number number;
    Context work;
    context_begin(as_context(self), &work);
    number_begin(&number);
    bool done = number_from_real(&number, args[0]) && number_finish(&number, &work);
    return finish_operation(done, &number, as_context(self), &work);
}

// ---- others

static Value context_etiny_method(ValueRef self, METHOD_ARGS)
{
    return int_new(context_etiny(&as_context(self)->context));
}

static Value context_etop_method(ValueRef self, METHOD_ARGS)
{
    return int_new(context_etop(&as_context(self)->context));
}

static Value context_radix(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return decimal_from_small(10);
}

static Value context_copy_method(ValueRef self, METHOD_ARGS)
{
    return context_copy(as_context(self));
}

static Value context_clear_flags(ValueRef self, METHOD_ARGS)
{
    *signal_bits(as_context(self)->flags) = 0;
    return NONE;
}

static Value context_clear_traps(ValueRef self, METHOD_ARGS)
{
    *signal_bits(as_context(self)->traps) = 0;
    return NONE;
}

static Value context_reduce(ValueRef self, METHOD_ARGS)
{
    const ContextObject *object = as_context(self);
    Value items[] = {get_prec(self),
                     get_rounding(self),
                     get_emin(self),
                     get_emax(self),
                     get_capitals(self),
                     get_clamp(self),
                     signal_list(*signal_bits(object->flags)),
                     signal_list(*signal_bits(object->traps))};
    bool done = true;
    for (int i = 0; i < 8; i++) done = done && items[i];
    Value state = tuple_from_owned(items, 8);
    if (!done) drop_slot(&state);
    Value pair = state ? tuple_pack(2, ref_of(type_of(self)), (ValueRef)state) : VALUE_ERROR;
    drop(state);
    return pair;
}

#define UNARY_DOC(name, doc) #name "($self, x, /)\n--\n\n" doc
#define BINARY_DOC(name, doc) #name "($self, x, y, /)\n--\n\n" doc
#define CONTEXT_UNARY(name, operation, doc) {#name, context_##name, ONE_ARG, UNARY_DOC(name, doc)},
#define CONTEXT_BINARY(name, operation, doc)                                                       \
    {#name, context_##name, PARSED_ARGS(2, 2), BINARY_DOC(name, doc)},
#define X_ROW(name, doc) {#name, context_##name, ONE_ARG, UNARY_DOC(name, doc)}
#define XY_ROW(name, doc) {#name, context_##name, PARSED_ARGS(2, 2), BINARY_DOC(name, doc)}
#define SELF_DOC(name, doc) #name "($self, /)\n--\n\n" doc

static const MethodDef methods[] = {
#include "vm/modules/decimal/decimal_operations.def"
    X_ROW(is_canonical, "True."),
    X_ROW(is_finite, "Is it a number, and not infinite?"),
    X_ROW(is_infinite, "Is it infinite?"),
    X_ROW(is_nan, "Is it a NaN of either kind?"),
    X_ROW(is_normal, "Is it neither zero, subnormal nor special?"),
    X_ROW(is_qnan, "Is it a quiet NaN?"),
    X_ROW(is_signed, "Is its sign negative?"),
    X_ROW(is_snan, "Is it a signalling NaN?"),
    X_ROW(is_subnormal, "Is it smaller than the smallest normal number?"),
    X_ROW(is_zero, "Is it zero?"),
    X_ROW(canonical, "The Decimal itself."),
    X_ROW(copy_abs, "The absolute value, not rounded."),
    X_ROW(copy_decimal, "The number, not rounded."),
    X_ROW(copy_negate, "The number with the other sign, not rounded."),
    X_ROW(number_class, "The name of the class of the number."),
    X_ROW(to_sci_string, "The number as str() writes it."),
    X_ROW(to_eng_string, "With an exponent that is a multiple of 3."),
    XY_ROW(divmod, "The integer quotient and the remainder."),
    XY_ROW(compare_total, "-1, 0 or 1, by the order of all representations."),
    XY_ROW(compare_total_mag, "As compare_total(), without the signs."),
    XY_ROW(copy_sign, "The first number with the sign of the second."),
    XY_ROW(same_quantum, "Have they the same exponent?"),
    {"fma", context_fma, PARSED_ARGS(3, 3),
     "fma($self, x, y, z, /)\n--\n\nx * y + z, rounded once."},
    {"power", context_power, KEYWORD_ARGS,
     "power($self, /, a, b, modulo=None)\n--\n\na ** b, or (a ** b) % modulo of integers."},
    {"Etiny", context_etiny_method, NO_ARGS, SELF_DOC(Etiny, "The smallest exponent.")},
    {"Etop", context_etop_method, NO_ARGS,
     SELF_DOC(Etop, "The largest exponent of a number with all digits.")},
    {"radix", context_radix, NO_ARGS, SELF_DOC(radix, "Decimal(10).")},
    {"copy", context_copy_method, NO_ARGS, SELF_DOC(copy, "Another context with the same values.")},
    {"__copy__", context_copy_method, NO_ARGS, NULL},
    {"__reduce__", context_reduce, NO_ARGS, NULL},
    {"_apply", context_plus, ONE_ARG, NULL},
    {"clear_flags", context_clear_flags, NO_ARGS, SELF_DOC(clear_flags, "Resets all flags.")},
    {"clear_traps", context_clear_traps, NO_ARGS, SELF_DOC(clear_traps, "Resets all traps.")},
    {"create_decimal", context_create_decimal, PARSED_ARGS(0, 1),
     "create_decimal($self, num=\"0\", /)\n--\n\nThe number, rounded to this context."},
    {"create_decimal_from_float", context_from_float, ONE_ARG,
     "create_decimal_from_float($self, f, /)\n--\n\nThe float, rounded to this context."},
    {0},
};

static void release(Object *self)
{
    ContextObject *object = (ContextObject *)self;
    drop(object->traps);
    drop(object->flags);
}

static void traverse(Object *self, VisitFn visit, void *arg)
{
    ContextObject *object = (ContextObject *)self;
    if (object->traps) visit(object->traps, arg);
    if (object->flags) visit(object->flags, arg);
}

Type decimal_context_type = {
    STATIC_TYPE("decimal.Context", sizeof(ContextObject)),
    .flags = TYPE_BASE | TYPE_GC,
    .doc = "Context(prec=None, rounding=None, Emin=None, Emax=None, capitals=None, clamp=None, "
           "flags=None, traps=None)\n--\n\nPrecision, rounding and limits of operations, with "
           "flags of what has happened and traps for what raises an exception.",
    .new_ = construct,
    .init = initialise,
    .release = release,
    .traverse = traverse,
    .repr = slot_repr,
    .getattribute = slot_getattribute,
    .setattr = slot_setattr,
    .methods = methods,
    .getset = getset,
};
