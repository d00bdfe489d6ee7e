// The type timedelta: days, seconds and microseconds, of which only the days may be negative.
//
// What is more than adding goes through the total number of microseconds, an int of any size.
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/datetime/datetime.h"

#include <math.h>

#define MAX_DAYS 999999999
#define MILLION 1000000

// ---- making

static int64_t floor_divide(int64_t number, int64_t by, int *rest)
{
    int64_t quotient = number / by - (number % by < 0);
    *rest = (int)(number - quotient * by);
    return quotient;
}

Value delta_make(Type *type, int64_t days, int64_t seconds, int64_t microseconds)
{
    Delta fields;
    seconds += floor_divide(microseconds, MILLION, &fields.microseconds);
    days += floor_divide(seconds, DAY_SECONDS, &fields.seconds);
    if (days < INT32_MIN || days > INT32_MAX)
        return raise_error(OverflowError, "Python int too large to convert to C int");
    if (days < -MAX_DAYS || days > MAX_DAYS)
        return raise_error(OverflowError, "days=%d; must have magnitude <= %d", (int)days,
                           MAX_DAYS);
    Delta *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->days = (int)days;
    made->seconds = fields.seconds;
    made->microseconds = fields.microseconds;
    return own(made);
}

Value delta_new(int64_t days, int64_t seconds, int64_t microseconds)
{
    return delta_make(&timedelta_type, days, seconds, microseconds);
}

// a * by + c, and a drops.
static Value times_plus(Value a, int64_t by, ValueRef c)
{
    Value product = a ? int_multiply(a, from_small(by)) : VALUE_ERROR;
    Value sum = product ? int_add(product, c) : VALUE_ERROR;
    drop(product);
    drop(a);
    return sum;
}

// All of it in microseconds: an int.
static Value total_of(const Delta *delta)
{
    int64_t seconds = (int64_t)delta->days * DAY_SECONDS + delta->seconds;
    return times_plus(int_new(seconds), MILLION, from_small(delta->microseconds));
}

// Steals the total.
static Value from_total(Type *type, Value total)
{
    Value pair = total ? int_divmod(total, from_small(MILLION)) : VALUE_ERROR;
    drop(total);
    if (!pair) return VALUE_ERROR;
    int64_t seconds;
    int far = int_as_int64_clamped(tuple_at(pair, 0), &seconds);
    int64_t microseconds = small_value(tuple_at(pair, 1));
    drop(pair);
    if (far) return raise_error(OverflowError, "Python int too large to convert to C int");
    return delta_make(type, 0, seconds, microseconds);
}

// ---- the arguments of the type

enum { DAYS, SECONDS, MICROSECONDS, MILLISECONDS, MINUTES, HOURS, WEEKS, UNIT_COUNT };

static const char *const unit_names[] = {"days",    "seconds", "microseconds", "milliseconds",
                                         "minutes", "hours",   "weeks",        NULL};

// The sum of small ints, which cannot overflow.
static bool sum_small(const ValueRef given[UNIT_COUNT], int64_t sums[3])
{
    static const int factors[UNIT_COUNT][2] = {{0, 1},  {1, 1},    {2, 1}, {2, 1000},
                                               {1, 60}, {1, 3600}, {0, 7}};
    sums[0] = sums[1] = sums[2] = 0;
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (!given[i]) continue;
        if (!is_small(given[i])) return false;
        int64_t number = small_value(given[i]);
        if (number > INT32_MAX || number < INT32_MIN) return false;
        sums[factors[i][0]] += number * factors[i][1];
    }
    return true;
}

// Adds a float times a factor; what is less than a microsecond is left over.
static bool add_float(Value *total, double amount, int64_t factor, double *left)
{
    double whole, broken = modf(amount, &whole);
    Value number = int_from_double(whole);
    *total = times_plus(number, factor, *total);
    if (!*total || broken == 0) return *total;
    double part = modf(broken * (double)factor, &whole);
    *left += part;
    Value more = int_from_double(whole);
    if (more) replace_slot(total, int_add(*total, more));
    drop(more);
    return more && *total;
}

static bool add_amount(Value *total, ValueRef amount, int64_t factor, const char *name,
                       double *left)
{
    if (int_check(amount)) {
        Value old = *total;
        *total = times_plus(int_exact(amount), factor, old);
        drop(old);
        return *total;
    }
    if (!float_check(amount))
        return raise_error(TypeError, "unsupported type for timedelta %s component: %T", name,
                           amount);
    Value old = *total;
    bool done = add_float(total, float_value(amount), factor, left);
    drop(old);
    return done;
}

// The half of a microsecond goes to the even neighbour of the sum.
static Value round_left(Value total, double left)
{
    double whole = round(left);
    if (fabs(whole - left) == 0.5) {
        int odd = int_is_odd(total);
        whole = 2.0 * round((left + odd) * 0.5) - odd;
    }
    Value more = int_from_double(whole);
    Value sum = more ? int_add(total, more) : VALUE_ERROR;
    drop(more);
    drop(total);
    return sum;
}

static Value sum_exactly(Type *type, const ValueRef given[UNIT_COUNT])
{
    static const struct {
        int unit;
        int64_t factor;
    } rows[] = {{MICROSECONDS, 1},
                {MILLISECONDS, 1000},
                {SECONDS, MILLION},
                {MINUTES, 60 * MILLION},
                {HOURS, 3600ll * MILLION},
                {DAYS, (int64_t)DAY_SECONDS * MILLION},
                {WEEKS, 7ll * DAY_SECONDS * MILLION}};
    Value total = from_small(0);
    double left = 0;
    for (int i = 0; i < UNIT_COUNT; i++) {
        int unit = rows[i].unit;
        if (given[unit] &&
            !add_amount(&total, given[unit], rows[i].factor, unit_names[unit], &left)) {
            drop(total);
            return VALUE_ERROR;
        }
    }
    if (left != 0) total = round_left(total, left);
    return from_total(type, total);
}

static Value construct(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const Signature signature = {"__new__", unit_names, 0, UNIT_COUNT};
    ValueRef given[UNIT_COUNT];
    int64_t sums[3];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (sum_small(given, sums)) return delta_make(type, sums[0], sums[1], sums[2]);
    return sum_exactly(type, given);
}

// ---- arithmetic

int delta_compare(ValueRef left, ValueRef right)
{
    const Delta *a = as_delta(left), *b = as_delta(right);
    if (a->days != b->days) return a->days < b->days ? -1 : 1;
    if (a->seconds != b->seconds) return a->seconds < b->seconds ? -1 : 1;
    return (a->microseconds > b->microseconds) - (a->microseconds < b->microseconds);
}

Value delta_subtract(ValueRef left, ValueRef right)
{
    const Delta *a = as_delta(left), *b = as_delta(right);
    return delta_new((int64_t)a->days - b->days, a->seconds - b->seconds,
                     a->microseconds - b->microseconds);
}

Value delta_negative(ValueRef delta)
{
    const Delta *a = as_delta(delta);
    return delta_new(-(int64_t)a->days, -a->seconds, -a->microseconds);
}

static Value slot_add(ValueRef left, ValueRef right)
{
    if (!delta_check(left) || !delta_check(right)) return NOT_IMPLEMENTED;
    const Delta *a = as_delta(left), *b = as_delta(right);
    return delta_new((int64_t)a->days + b->days, a->seconds + b->seconds,
                     a->microseconds + b->microseconds);
}

static Value slot_subtract(ValueRef left, ValueRef right)
{
    if (!delta_check(left) || !delta_check(right)) return NOT_IMPLEMENTED;
    return delta_subtract(left, right);
}

static Value slot_positive(ValueRef self)
{
    const Delta *a = as_delta(self);
    return delta_new(a->days, a->seconds, a->microseconds);
}

static Value slot_absolute(ValueRef self)
{
    return as_delta(self)->days < 0 ? delta_negative(self) : slot_positive(self);
}

// a / b as an int; a half goes to the even neighbour. Steals both.
static Value divide_nearest(Value a, Value b)
{
    Value pair = a && b ? int_divmod(a, b) : VALUE_ERROR, nearest = VALUE_ERROR;
    if (pair) {
        ValueRef quotient = tuple_at(pair, 0), rest = tuple_at(pair, 1);
        Value twice = int_add(rest, rest);
        int order = twice ? int_compare(twice, b) : 0;
        if (int_sign(b) < 0) order = -order;
        bool up = order > 0 || (order == 0 && int_is_odd(quotient));
        if (twice) nearest = int_add(quotient, from_small(up));
        drop(twice);
    }
    drop(pair);
    drop(a);
    drop(b);
    return nearest;
}

static bool check_ratio(ValueRef ratio)
{
    if (!tuple_check(ratio))
        return raise_error(TypeError,
                           "unexpected return type from as_integer_ratio(): expected tuple, got "
                           "'%.200T'",
                           ratio);
    if (tuple_size(ratio) != 2)
        return raise_error(ValueError, "as_integer_ratio() must return a 2-tuple");
    return (int_check(tuple_at(ratio, 0)) && int_check(tuple_at(ratio, 1))) ||
           raise_error(TypeError, "as_integer_ratio() must return two ints");
}

// The numerator and the denominator of a float, a tuple.
static Value ratio_of(ValueRef number)
{
    Value name = str_intern("as_integer_ratio");
    Value ratio = name ? object_call_method_none(number, name) : VALUE_ERROR;
    drop(name);
    if (ratio && !check_ratio(ratio)) drop_slot(&ratio);
    return ratio;
}

// delta * number, or delta / number.
static Value scale_by_float(ValueRef delta, ValueRef number, bool divide)
{
    Value ratio = ratio_of(number), product = VALUE_ERROR, divisor = VALUE_ERROR;
    Value total = ratio ? total_of(as_delta(delta)) : VALUE_ERROR;
    if (total) {
        product = int_multiply(total, tuple_at(ratio, divide));
        divisor = retain(tuple_at(ratio, !divide));
    }
    drop(total);
    drop(ratio);
    return from_total(&timedelta_type, divide_nearest(product, divisor));
}

static Value multiply(ValueRef delta, ValueRef number)
{
    if (float_check(number)) return scale_by_float(delta, number, false);
    if (!int_check(number)) return NOT_IMPLEMENTED;
    Value total = total_of(as_delta(delta));
    Value product = total ? int_multiply(total, number) : VALUE_ERROR;
    drop(total);
    return from_total(&timedelta_type, product);
}

static Value slot_multiply(ValueRef left, ValueRef right)
{
    return delta_check(left) ? multiply(left, right) : multiply(right, left);
}

// The result of an operation on the totals of two.
static Value of_totals(ValueRef left, ValueRef right, Value (*operation)(ValueRef, ValueRef))
{
    Value a = total_of(as_delta(left)), b = a ? total_of(as_delta(right)) : VALUE_ERROR;
    Value result = b ? operation(a, b) : VALUE_ERROR;
    drop(b);
    drop(a);
    return result;
}

static Value slot_true_divide(ValueRef left, ValueRef right)
{
    if (!delta_check(left)) return NOT_IMPLEMENTED;
    if (delta_check(right)) return of_totals(left, right, int_true_divide);
    if (float_check(right)) return scale_by_float(left, right, true);
    if (!int_check(right)) return NOT_IMPLEMENTED;
    Value nearest = divide_nearest(total_of(as_delta(left)), int_exact(right));
    return from_total(&timedelta_type, nearest);
}

static Value slot_floor_divide(ValueRef left, ValueRef right)
{
    if (!delta_check(left)) return NOT_IMPLEMENTED;
    if (delta_check(right)) return of_totals(left, right, int_floor_divide);
    if (!int_check(right)) return NOT_IMPLEMENTED;
    Value total = total_of(as_delta(left));
    Value quotient = total ? int_floor_divide(total, right) : VALUE_ERROR;
    drop(total);
    return from_total(&timedelta_type, quotient);
}

static Value slot_remainder(ValueRef left, ValueRef right)
{
    if (!delta_check(left) || !delta_check(right)) return NOT_IMPLEMENTED;
    return from_total(&timedelta_type, of_totals(left, right, int_remainder));
}

static Value slot_divmod(ValueRef left, ValueRef right)
{
    if (!delta_check(left) || !delta_check(right)) return NOT_IMPLEMENTED;
    Value pair = of_totals(left, right, int_divmod);
    if (!pair) return VALUE_ERROR;
    Value rest = from_total(&timedelta_type, retain(tuple_at(pair, 1)));
    Value result = rest ? tuple_pack(2, tuple_at(pair, 0), (ValueRef)rest) : VALUE_ERROR;
    drop(rest);
    drop(pair);
    return result;
}

static Value slot_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!delta_check(right)) return NOT_IMPLEMENTED;
    return order_result(delta_compare(left, right), op);
}

static bool slot_truth(ValueRef self, bool *truth)
{
    const Delta *delta = as_delta(self);
    *truth = delta->days || delta->seconds || delta->microseconds;
    return true;
}

static Value state_of(const Delta *delta)
{
    Value items[] = {from_small(delta->days), from_small(delta->seconds),
                     from_small(delta->microseconds)};
    return tuple_from_owned(items, 3);
}

static bool slot_hash(ValueRef self, int64_t *hash)
{
    Value state = state_of(as_delta(self));
    bool done = state && object_hash(state, hash);
    drop(state);
    return done;
}

// ---- text

static Value slot_repr(ValueRef self)
{
    const Delta *delta = as_delta(self);
    const int fields[] = {delta->days, delta->seconds, delta->microseconds};
    StrBuilder text;
    builder_begin(&text);
    bool done = builder_text(&text, type_of(self)->name) && builder_char(&text, '(');
    const char *separator = "";
    for (int i = 0; done && i < 3; i++) {
        if (!fields[i]) continue;
        done = builder_text(&text, separator) && builder_text(&text, unit_names[i]) &&
               builder_char(&text, '=') && builder_int(&text, fields[i]);
        separator = ", ";
    }
    if (done && !*separator) done = builder_char(&text, '0');
    done = done && builder_char(&text, ')');
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

static Value slot_str(ValueRef self)
{
    const Delta *delta = as_delta(self);
    StrBuilder text;
    builder_begin(&text);
    bool done = true;
    if (delta->days)
        done = builder_int(&text, delta->days) &&
               builder_text(&text, delta->days == 1 || delta->days == -1 ? " day, " : " days, ");
    done = done && builder_int(&text, delta->seconds / 3600) && builder_char(&text, ':') &&
           add_number(&text, delta->seconds / 60 % 60, 2) && builder_char(&text, ':') &&
           add_number(&text, delta->seconds % 60, 2);
    if (done && delta->microseconds)
        done = builder_char(&text, '.') && add_number(&text, delta->microseconds, 6);
    Value made = builder_finish(&text);
    if (!done) drop_slot(&made);
    return made;
}

// ---- methods

Value delta_seconds(ValueRef delta)
{
    Value total = total_of(as_delta(delta));
    Value seconds = total ? int_true_divide(total, from_small(MILLION)) : VALUE_ERROR;
    drop(total);
    return seconds;
}

static Value total_seconds(ValueRef self, METHOD_ARGS)
{
    return delta_seconds(self);
}

static Value reduce(ValueRef self, METHOD_ARGS)
{
    Value state = state_of(as_delta(self));
    Value pair = state ? tuple_pack(2, ref_of(type_of(self)), (ValueRef)state) : VALUE_ERROR;
    drop(state);
    return pair;
}

static const MethodDef methods[] = {
    {"total_seconds", total_seconds, NO_ARGS, "Total seconds in the duration."},
    {"__reduce__", reduce, NO_ARGS, "__reduce__() -> (cls, state)"},
    {0},
};

static const MemberDef members[] = {
    {"days", MEMBER_INT, offsetof(Delta, days), true, "Number of days."},
    {"seconds", MEMBER_INT, offsetof(Delta, seconds), true,
     "Number of seconds (>= 0 and less than 1 day)."},
    {"microseconds", MEMBER_INT, offsetof(Delta, microseconds), true,
     "Number of microseconds (>= 0 and less than 1 second)."},
    {0},
};

Type timedelta_type = {
    STATIC_TYPE("datetime.timedelta", sizeof(Delta)),
    .flags = TYPE_BASE,
    .doc = "A span of time: its days, seconds and microseconds.",
    .methods = methods,
    .members = members,
    .new_ = construct,
    .repr = slot_repr,
    .str = slot_str,
    .hash = slot_hash,
    .compare = slot_compare,
    .add = slot_add,
    .subtract = slot_subtract,
    .multiply = slot_multiply,
    .remainder = slot_remainder,
    .divmod = slot_divmod,
    .negative = delta_negative,
    .positive = slot_positive,
    .absolute = slot_absolute,
    .truth = slot_truth,
    .floor_divide = slot_floor_divide,
    .true_divide = slot_true_divide,
};
