// The type Decimal: its operators and methods. What they compute is in decimal_number.h.
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/decimal/decimal.h"

// ---- construction

static Value construct(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"value", "context", NULL};
    static const Signature signature = {"", names, 0, 2};
    ValueRef slots[2];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    ContextObject *context = context_argument(slots[1]);
    if (!context) return VALUE_ERROR;
    if (type == &decimal_type && slots[0] && is_exactly(slots[0], type)) return retain(slots[0]);
    Value held = retain(ref_of(context)), made = VALUE_ERROR;
    Number number;
    Context work;
    context_begin(context, &work);
    number_begin(&number);
    if (number_from_value(&number, slots[0], true, context, &work) && context_end(context, &work))
        made = decimal_make(type, &number);
    number_end(&number);
    drop(held);
    return made;
}

static Value from_float(ValueRef class, METHOD_ARGS)
{
    Number number;
    number_begin(&number);
    Value made = number_from_real(&number, args[0]) ? decimal_new(&number) : VALUE_ERROR;
    number_end(&number);
    if (made && class != ref_of(&decimal_type)) replace_slot(&made, object_call_one(class, made));
    return made;
}

// ---- operators

static Value operate(ValueRef left, ValueRef right, BinaryOperation operation)
{
    Number a, b, result;
    Context work;
    if (!is_operand(left) || !is_operand(right)) return NOT_IMPLEMENTED;
    ContextObject *context = current_context();
    if (!context) return VALUE_ERROR;
    context_begin(context, &work);
    number_begin(&b);
    number_begin(&result);
    bool done =
        operand_from(&a, left) && operand_from(&b, right) && operation(&result, &a, &b, &work);
    number_end(&b);
    number_end(&a);
    return finish_operation(done, &result, context, &work);
}

static Value slot_add(ValueRef left, ValueRef right)
{
    return operate(left, right, number_add);
}

static Value slot_subtract(ValueRef left, ValueRef right)
{
    return operate(left, right, number_subtract);
}

static Value slot_multiply(ValueRef left, ValueRef right)
{
    return operate(left, right, number_multiply);
}

static Value slot_true_divide(ValueRef left, ValueRef right)
{
    return operate(left, right, number_divide);
}

static Value slot_floor_divide(ValueRef left, ValueRef right)
{
    return operate(left, right, number_divide_int);
}

static Value slot_remainder(ValueRef left, ValueRef right)
{
    return operate(left, right, number_remainder);
}

// As a method of the current context has it, with operands that are none refused politely.
static Value call_current(const char *name, const ValueRef *operands, size_t count)
{
    ContextObject *context = current_context();
    Value method = context ? str_intern(name) : VALUE_ERROR, result = VALUE_ERROR;
    ValueRef args[4] = {ref_of(context)};
    for (size_t i = 0; i < count; i++) args[i + 1] = operands[i];
    if (method) result = object_call_method(method, args, count + 1, VALUE_ERROR);
    drop(method);
    return result;
}

static Value slot_divmod(ValueRef left, ValueRef right)
{
    ValueRef operands[] = {left, right};
    if (!is_operand(left) || !is_operand(right)) return NOT_IMPLEMENTED;
    return call_current("divmod", operands, 2);
}

static Value slot_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    if (!modulus || modulus == (ValueRef)NONE) return operate(base, exponent, number_power);
    if (!is_operand(base) || !is_operand(exponent) || !is_operand(modulus)) return NOT_IMPLEMENTED;
    ValueRef operands[] = {base, exponent, modulus};
    return call_current("power", operands, 3);
}

static Value operate_unary(ValueRef self, UnaryOperation operation, ContextObject *context)
{
    Number a, result;
    Context work;
    if (!context) return VALUE_ERROR;
    context_begin(context, &work);
    decimal_lend(&a, self);
    number_begin(&result);
    bool done = operation(&result, &a, &work);
    return finish_operation(done, &result, context, &work);
}

static Value slot_negative(ValueRef self)
{
    return operate_unary(self, number_minus, current_context());
}

static Value slot_positive(ValueRef self)
{
    return operate_unary(self, number_plus, current_context());
}

static Value slot_absolute(ValueRef self)
{
    return operate_unary(self, number_abs, current_context());
}

static bool slot_truth(ValueRef self, bool *truth)
{
    *truth = as_decimal(self)->kind != FINITE || as_decimal(self)->size;
    return true;
}

static Value slot_int(ValueRef self)
{
    return decimal_to_int(self, ROUND_DOWN);
}

static Value slot_str(ValueRef self)
{
    ContextObject *context = current_context();
    return context ? decimal_text(self, false, context->context.capitals) : VALUE_ERROR;
}

static Value slot_repr(ValueRef self)
{
    Value text = slot_str(self);
    Value made = text ? format_text("Decimal('%S')", (ValueRef)text) : VALUE_ERROR;
    drop(text);
    return made;
}

// ---- methods with a context

static Value method_unary(ValueRef self, UnaryOperation operation, METHOD_ARGS)
{
    static const char *const names[] = {"context", NULL};
    ValueRef slots[1];
    ContextObject *context;
    if (!bind_operands(names, 0, args, nargs, kwnames, slots, &context)) return VALUE_ERROR;
    return operate_unary(self, operation, context);
}

static const char *const binary_names[] = {"other", "context", NULL};

static Value method_binary(ValueRef self, BinaryOperation operation, METHOD_ARGS)
{
    Number a, b, result;
    Context work;
    ValueRef slots[2];
    ContextObject *context;
    if (!bind_operands(binary_names, 1, args, nargs, kwnames, slots, &context)) return VALUE_ERROR;
    context_begin(context, &work);
    decimal_lend(&a, self);
    number_begin(&result);
    bool done = operand_from(&b, slots[0]) && operation(&result, &a, &b, &work);
    number_end(&b);
    return finish_operation(done, &result, context, &work);
}

#define BOTH_UNARY(name, operation, doc)                                                           \
    static Value method_##name(ValueRef self, METHOD_ARGS)                                         \
    {                                                                                              \
        return method_unary(self, number_##operation, args, nargs, kwnames);                       \
    }
#define BOTH_BINARY(name, operation, doc)                                                          \
    static Value method_##name(ValueRef self, METHOD_ARGS)                                         \
    {                                                                                              \
        return method_binary(self, number_##operation, args, nargs, kwnames);                      \
    }
#define CONTEXT_UNARY(name, operation, doc)
#define CONTEXT_BINARY(name, operation, doc)
#include "vm/modules/decimal/decimal_operations.def"
#undef BOTH_UNARY
#undef BOTH_BINARY

static Value method_fma(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"other", "third", "context", NULL};
    Number a, b, c, result;
    Context work;
    ValueRef slots[3];
    ContextObject *context;
    if (!bind_operands(names, 2, args, nargs, kwnames, slots, &context)) return VALUE_ERROR;
    context_begin(context, &work);
    decimal_lend(&a, self);
    number_begin(&c);
    number_begin(&result);
    bool done = operand_from(&b, slots[0]) && operand_from(&c, slots[1]) &&
                number_fma(&result, &a, &b, &c, &work);
    number_end(&c);
    number_end(&b);
    return finish_operation(done, &result, context, &work);
}

// The arguments of a method that has a rounding of its own, `rounding` and `context`, after
// `operands` others.
static bool bind_rounding(const char *const *names, int operands, const ValueRef *args,
                          size_t nargs, ValueRef kwnames, ValueRef *slots, ContextObject **context,
                          Context *work)
{
    const Signature signature = {"", names, operands, operands + 2};
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    *context = context_argument(slots[operands + 1]);
    if (!*context) return false;
    context_begin(*context, work);
    ValueRef rounding = slots[operands];
    return !rounding || rounding == (ValueRef)NONE || rounding_from(rounding, &work->rounding);
}

static Value method_quantize(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"exp", "rounding", "context", NULL};
    Number a, b, result;
    Context work;
    ValueRef slots[3];
    ContextObject *context;
    if (!bind_rounding(names, 1, args, nargs, kwnames, slots, &context, &work)) return VALUE_ERROR;
    decimal_lend(&a, self);
    number_begin(&result);
    bool done = operand_from(&b, slots[0]) && number_quantize(&result, &a, &b, &work);
    number_end(&b);
    return finish_operation(done, &result, context, &work);
}

static Value round_to_integral(ValueRef self, UnaryOperation operation, METHOD_ARGS)
{
    static const char *const names[] = {"rounding", "context", NULL};
    Number a, result;
    Context work;
    ValueRef slots[2];
    ContextObject *context;
    if (!bind_rounding(names, 0, args, nargs, kwnames, slots, &context, &work)) return VALUE_ERROR;
    decimal_lend(&a, self);
    number_begin(&result);
    bool done = operation(&result, &a, &work);
    return finish_operation(done, &result, context, &work);
}

static Value method_to_integral_value(ValueRef self, METHOD_ARGS)
{
    return round_to_integral(self, number_to_integral_value, args, nargs, kwnames);
}

static Value method_to_integral_exact(ValueRef self, METHOD_ARGS)
{
    return round_to_integral(self, number_to_integral_exact, args, nargs, kwnames);
}

// ---- methods that no rounding is in

// The other operand of a method that takes a context, but does not ask it.
static bool other_operand(const ValueRef *args, size_t nargs, ValueRef kwnames, Number *other)
{
    ValueRef slots[2];
    ContextObject *context;
    number_begin(other);
    return bind_operands(binary_names, 1, args, nargs, kwnames, slots, &context) &&
           operand_from(other, slots[0]);
}

static Value compare_totally(ValueRef self, int (*order)(const Number *, const Number *),
                             METHOD_ARGS)
{
    Number a, b, result;
    decimal_lend(&a, self);
    number_begin(&result);
    bool done = other_operand(args, nargs, kwnames, &b);
    if (done) number_set_int(&result, order(&a, &b));
    number_end(&b);
    return done ? decimal_new(&result) : VALUE_ERROR;
}

static Value method_compare_total(ValueRef self, METHOD_ARGS)
{
    return compare_totally(self, number_order_total, args, nargs, kwnames);
}

static Value method_compare_total_mag(ValueRef self, METHOD_ARGS)
{
    return compare_totally(self, number_order_total_mag, args, nargs, kwnames);
}

static Value method_same_quantum(ValueRef self, METHOD_ARGS)
{
    Number a, b;
    decimal_lend(&a, self);
    bool done = other_operand(args, nargs, kwnames, &b);
    Value same = done ? from_bool(number_same_quantum(&a, &b)) : VALUE_ERROR;
    number_end(&b);
    return same;
}

static Value with_sign(ValueRef self, bool negative)
{
    Number number;
    decimal_lend(&number, self);
    number.negative = negative;
    return decimal_new(&number);
}

static Value method_copy_sign(ValueRef self, METHOD_ARGS)
{
    Number other;
    bool done = other_operand(args, nargs, kwnames, &other);
    Value made = done ? with_sign(self, other.negative) : VALUE_ERROR;
    number_end(&other);
    return made;
}

static Value method_copy_abs(ValueRef self, METHOD_ARGS)
{
    return with_sign(self, false);
}

static Value method_copy_negate(ValueRef self, METHOD_ARGS)
{
    return with_sign(self, !as_decimal(self)->negative);
}

static Value method_self(ValueRef self, METHOD_ARGS)
{
    return retain(self);
}

static Value method_radix(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return decimal_from_small(10);
}

static Value method_adjusted(ValueRef self, METHOD_ARGS)
{
    Number number;
    decimal_lend(&number, self);
    return is_special(&number) ? from_small(0) : int_new(number_adjusted(&number));
}

static Value method_to_eng_string(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"context", NULL};
    ValueRef slots[1];
    ContextObject *context;
    if (!bind_operands(names, 0, args, nargs, kwnames, slots, &context)) return VALUE_ERROR;
    return decimal_text(self, true, context->context.capitals);
}

static Value method_number_class(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"context", NULL};
    ValueRef slots[1];
    ContextObject *context;
    Number number;
    if (!bind_operands(names, 0, args, nargs, kwnames, slots, &context)) return VALUE_ERROR;
    decimal_lend(&number, self);
    return str_new(number_class(&number, &context->context));
}

typedef bool (*ContextQuestion)(const Number *number, const Context *context);

static Value ask_in_context(ValueRef self, ContextQuestion question, METHOD_ARGS)
{
    static const char *const names[] = {"context", NULL};
    ValueRef slots[1];
    ContextObject *context;
    Number number;
    if (!bind_operands(names, 0, args, nargs, kwnames, slots, &context)) return VALUE_ERROR;
    decimal_lend(&number, self);
    return from_bool(question(&number, &context->context));
}

static Value method_is_normal(ValueRef self, METHOD_ARGS)
{
    return ask_in_context(self, number_is_normal, args, nargs, kwnames);
}

static Value method_is_subnormal(ValueRef self, METHOD_ARGS)
{
    return ask_in_context(self, number_is_subnormal, args, nargs, kwnames);
}

#define QUESTION(name, condition)                                                                  \
    static Value method_##name(ValueRef self, METHOD_ARGS)                                         \
    {                                                                                              \
        __attribute__((unused)) const DecimalObject *a = as_decimal(self);                         \
        return from_bool(condition);                                                               \
    }
QUESTION(is_canonical, true)
QUESTION(is_finite, a->kind == FINITE)
QUESTION(is_infinite, a->kind == INFINITE)
QUESTION(is_nan, a->kind >= QUIET_NAN)
QUESTION(is_qnan, a->kind == QUIET_NAN)
QUESTION(is_snan, a->kind == SIGNALING_NAN)
QUESTION(is_signed, a->negative)
QUESTION(is_zero, a->kind == FINITE && !a->size)

// ---- other protocols

static Value method_floor(ValueRef self, METHOD_ARGS)
{
    return decimal_to_int(self, ROUND_FLOOR);
}

static Value method_ceil(ValueRef self, METHOD_ARGS)
{
    return decimal_to_int(self, ROUND_CEILING);
}

static Value method_trunc(ValueRef self, METHOD_ARGS)
{
    return decimal_to_int(self, ROUND_DOWN);
}

static Value method_complex(ValueRef self, METHOD_ARGS)
{
    Value real = decimal_float(self);
    Value made = real ? complex_new(float_value(real), 0) : VALUE_ERROR;
    drop(real);
    return made;
}

static Value method_reduce(ValueRef self, METHOD_ARGS)
{
    Value text = slot_str(self), state = text ? tuple_pack(1, (ValueRef)text) : VALUE_ERROR;
    Value pair = state ? tuple_pack(2, ref_of(type_of(self)), (ValueRef)state) : VALUE_ERROR;
    drop(state);
    drop(text);
    return pair;
}

static Value method_sizeof(ValueRef self, METHOD_ARGS)
{
    return int_new((int64_t)(sizeof(DecimalObject) + as_decimal(self)->size * sizeof(Limb9)));
}

static Value get_real(ValueRef self)
{
    return retain(self);
}

static Value get_imag(ValueRef self)
{
    (void)self;
    return decimal_from_small(0);
}

static const GetSetDef getset[] = {
    {"real", get_real, NULL, NULL},
    {"imag", get_imag, NULL, NULL},
    {0},
};

#define DOC(name, parameters, text) #name "($self, /" parameters ")\n--\n\n" text
#define BOTH_UNARY(name, operation, doc)                                                           \
    {#name, method_##name, KEYWORD_ARGS, DOC(name, ", context=None", doc)},
#define BOTH_BINARY(name, operation, doc)                                                          \
    {#name, method_##name, KEYWORD_ARGS, DOC(name, ", other, context=None", doc)},
#define KEYWORDS_ROW(name, parameters, doc)                                                        \
    {#name, method_##name, KEYWORD_ARGS, DOC(name, parameters, doc)}
#define PLAIN_ROW(name, function, doc) {#name, function, NO_ARGS, DOC(name, "", doc)}

static const MethodDef methods[] = {
#include "vm/modules/decimal/decimal_operations.def"
    KEYWORDS_ROW(fma, ", other, third, context=None", "self * other + third, rounded once."),
    KEYWORDS_ROW(quantize, ", exp, rounding=None, context=None",
                 "The number with the exponent of the other one."),
    KEYWORDS_ROW(to_integral_exact, ", rounding=None, context=None",
                 "Rounded to an integer, with the flags."),
    KEYWORDS_ROW(to_integral_value, ", rounding=None, context=None",
                 "Rounded to an integer, silently."),
    {"to_integral", method_to_integral_value, KEYWORD_ARGS,
     DOC(to_integral, ", rounding=None, context=None", "As to_integral_value().")},
    KEYWORDS_ROW(compare_total, ", other, context=None",
                 "-1, 0 or 1, by the order of all representations."),
    KEYWORDS_ROW(compare_total_mag, ", other, context=None",
                 "As compare_total(), without the signs."),
    KEYWORDS_ROW(copy_sign, ", other, context=None", "The number with the sign of the other one."),
    KEYWORDS_ROW(same_quantum, ", other, context=None", "Have both the same exponent?"),
    KEYWORDS_ROW(is_normal, ", context=None", "Is it neither zero, subnormal nor special?"),
    KEYWORDS_ROW(is_subnormal, ", context=None", "Is it smaller than the smallest normal number?"),
    KEYWORDS_ROW(number_class, ", context=None", "The name of the class of the number."),
    KEYWORDS_ROW(to_eng_string, ", context=None", "With an exponent that is a multiple of 3."),
    PLAIN_ROW(is_canonical, method_is_canonical, "True."),
    PLAIN_ROW(is_finite, method_is_finite, "Is it a number, and not infinite?"),
    PLAIN_ROW(is_infinite, method_is_infinite, "Is it infinite?"),
    PLAIN_ROW(is_nan, method_is_nan, "Is it a NaN of either kind?"),
    PLAIN_ROW(is_qnan, method_is_qnan, "Is it a quiet NaN?"),
    PLAIN_ROW(is_snan, method_is_snan, "Is it a signalling NaN?"),
    PLAIN_ROW(is_signed, method_is_signed, "Is its sign negative?"),
    PLAIN_ROW(is_zero, method_is_zero, "Is it zero?"),
    PLAIN_ROW(adjusted, method_adjusted, "The exponent of the first digit."),
    PLAIN_ROW(canonical, method_self, "The number itself."),
    PLAIN_ROW(conjugate, method_self, "The number itself."),
    PLAIN_ROW(radix, method_radix, "Decimal(10)."),
    PLAIN_ROW(copy_abs, method_copy_abs, "The absolute value, not rounded."),
    PLAIN_ROW(copy_negate, method_copy_negate, "With the other sign, not rounded."),
    PLAIN_ROW(as_tuple, decimal_as_tuple, "DecimalTuple(sign, digits, exponent)."),
    PLAIN_ROW(as_integer_ratio, decimal_as_integer_ratio, "The numerator and the denominator."),
    {"from_float", from_float, METHOD_ONE, METHOD_CLASS, 1, 1,
     "from_float($type, f, /)\n--\n\nThe float, exactly."},
    {"__copy__", method_self, NO_ARGS, NULL},
    {"__deepcopy__", method_self, ONE_ARG, NULL},
    {"__format__", decimal_format, PARSED_ARGS(1, 2), NULL},
    {"__reduce__", method_reduce, NO_ARGS, NULL},
    {"__round__", decimal_round, PARSED_ARGS(0, 1), NULL},
    {"__ceil__", method_ceil, NO_ARGS, NULL},
    {"__floor__", method_floor, NO_ARGS, NULL},
    {"__trunc__", method_trunc, NO_ARGS, NULL},
    {"__complex__", method_complex, NO_ARGS, NULL},
    {"__sizeof__", method_sizeof, NO_ARGS, NULL},
    {0},
};

Type decimal_type = {
    STATIC_TYPE("decimal.Decimal", sizeof(DecimalObject)),
    .item_size = sizeof(Limb9),
    .flags = TYPE_BASE,
    .doc = "Decimal(value='0', context=None)\n--\n\nA decimal number of any precision, exactly "
           "that of the value: an int, a float, a text, a tuple or another Decimal.",
    .new_ = construct,
    .methods = methods,
    .getset = getset,
    .repr = slot_repr,
    .str = slot_str,
    .hash = decimal_hash,
    .compare = decimal_compare,
    .add = slot_add,
    .subtract = slot_subtract,
    .multiply = slot_multiply,
    .remainder = slot_remainder,
    .divmod = slot_divmod,
    .power = slot_power,
    .negative = slot_negative,
    .positive = slot_positive,
    .absolute = slot_absolute,
    .truth = slot_truth,
    .int_ = slot_int,
    .float_ = decimal_float,
    .floor_divide = slot_floor_divide,
    .true_divide = slot_true_divide,
};
