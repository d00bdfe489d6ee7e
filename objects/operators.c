// The basic protocols: printing, hashing, truth, comparison, isinstance() and issubclass(), dir().
//
// The others are in attributes.c, arithmetic.c and containers.c. All pass borrowed values to the
// slots, and check a result that script code has made before they return it.
#include "objects/operators.h"

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/stack.h"
#include "objects/text/format.h"
#include "objects/text/text.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- printing

// Checks the result of a slot that must be a str.
static Value check_text(Value text, const char *method)
{
    if (!text || str_check(text)) return text;
    raise_error(TypeError, "%s returned non-string (type %.200T)", method, (ValueRef)text);
    drop(text);
    return VALUE_ERROR;
}

// The value is held, here and in object_str(): callers often lend it from a field of an object, to
// which the script code of a slot, or of a signal's handler, may give another value.
Value object_repr(ValueRef value)
{
    Value held = retain(value), text = VALUE_ERROR;
    // Nested repr, hash and comparison take exponential time where one list is in a list twice.
    if (poll_signals() && stack_enter(" while getting the repr of an object")) {
        text = type_of(held)->repr(held);
        stack_leave();
    }
    drop(held);
    return check_text(text, "__repr__");
}

Value object_str(ValueRef value)
{
    if (str_check_exact(value)) return retain(value);
    UnaryFn slot = type_of(value)->str;
    if (!slot) return object_repr(value);
    if (!stack_enter(" while getting the str of an object")) return VALUE_ERROR;
    Value held = retain(value), text = slot(held);
    drop(held);
    stack_leave();
    return check_text(text, "__str__");
}

#define RUN 256 // characters that are added at once

static bool add_escaped(StrBuilder *builder, const Str *str)
{
    char run[RUN + TEXT_ESCAPE_MAX];
    int count = 0;
    for (ssize_t i = 0; i < str->length; i++) {
        uint32_t point = str_at(str, i);
        if (point < 0x80)
            run[count++] = (char)point;
        else
            count += text_escape(point, run + count);
        if (count < RUN) continue;
        if (!builder_ascii(builder, run, (size_t)count)) return false;
        count = 0;
    }
    return builder_ascii(builder, run, (size_t)count);
}

Value object_ascii(ValueRef value)
{
    Value text = object_repr(value);
    if (!text || as_str(text)->ascii) return text;
    StrBuilder builder;
    builder_begin(&builder);
    bool done = add_escaped(&builder, as_str(text));
    drop(text);
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static Value format_by_method(ValueRef value, ValueRef spec)
{
    Value method = object_special(value, NAME(__format__));
    if (!method) return VALUE_ERROR;
    if (method == ABSENT)
        return raise_error(TypeError, "Type %.100T doesn't define __format__", value);
    Value text = object_call_one(method, spec);
    drop(method);
    if (!text || str_check(text)) return text;
    raise_error(TypeError, "__format__ must return a str, not %.200T", (ValueRef)text);
    drop(text);
    return VALUE_ERROR;
}

Value object_format(ValueRef value, ValueRef spec)
{
    if (!spec || (str_check(spec) && str_length(spec) == 0)) {
        if (str_check_exact(value)) return retain(value);
        if (int_check_exact(value) || is_double(value)) return object_str(value);
    } else if (str_check(spec)) {
        if (is_small(value)) return int_format(value, spec);
        if (is_double(value)) return float_format(value, spec);
        if (str_check_exact(value)) return str_format_spec(value, spec);
    }
    if (spec) return format_by_method(value, spec);
    Value empty = str_new("");
    if (!empty) return VALUE_ERROR;
    Value text = format_by_method(value, empty);
    drop(empty);
    return text;
}

// ---- hash and truth

bool object_hash(ValueRef value, int64_t *hash)
{
    if (str_check_exact(value)) {
        *hash = str_hash(value);
        return true;
    }
    if (!stack_check_room() || !poll_signals()) return false;
    HashFn slot = type_of(value)->hash;
    return slot ? slot(value, hash) : object_hash_unhashable(value, hash);
}

bool object_hash_unhashable(ValueRef value, int64_t *hash)
{
    (void)hash;
    return raise_error(TypeError, "unhashable type: '%.200T'", value);
}

bool object_truth(ValueRef value, bool *truth)
{
    if (is_bool(value) || value == NONE) {
        *truth = value == TRUE;
        return true;
    }
    if (is_small(value)) {
        *truth = small_value(value) != 0;
        return true;
    }
    const Type *type = type_of(value);
    if (type->truth) return type->truth(value, truth);
    *truth = true;
    if (!type->length) return true;
    ssize_t length;
    if (!type->length(value, &length)) return false;
    *truth = length != 0;
    return true;
}

Value object_not(ValueRef value)
{
    bool truth;
    return object_truth(value, &truth) ? from_bool(!truth) : VALUE_ERROR;
}

Value not_implemented(void)
{
    return NOT_IMPLEMENTED;
}

// ---- comparison

static const CompareOp reflected[] = {
    [COMPARE_LT] = COMPARE_GT, [COMPARE_LE] = COMPARE_GE, [COMPARE_EQ] = COMPARE_EQ,
    [COMPARE_NE] = COMPARE_NE, [COMPARE_GT] = COMPARE_LT, [COMPARE_GE] = COMPARE_LE,
};
static const char *const compare_signs[] = {"<", "<=", "==", "!=", ">", ">="};

// The result of == and != if neither operand knows: identity decides. The others raise TypeError.
static Value compare_default(ValueRef left, ValueRef right, CompareOp op)
{
    if (op == COMPARE_EQ) return from_bool(left == right);
    if (op == COMPARE_NE) return from_bool(left != right);
    return raise_error(TypeError, "'%s' not supported between instances of '%.100T' and '%.100T'",
                       compare_signs[op], left, right);
}

// By the slot of the type of left, as that is now: a slot called before may run script code that
// gives the operands other classes, and frees the old ones.
static Value compare_by_left(ValueRef left, ValueRef right, CompareOp op)
{
    const Type *type = type_of(left);
    return type->compare ? type->compare(left, right, op) : NOT_IMPLEMENTED;
}

// Calls the right operand first if its type is a subclass of the left one.
static Value compare_slots(ValueRef left, ValueRef right, CompareOp op)
{
    Type *left_type = type_of(left), *right_type = type_of(right);
    Value result = NOT_IMPLEMENTED;
    bool first =
        left_type != right_type && right_type->compare && type_is_subtype(right_type, left_type);
    if (first) result = compare_by_left(right, left, reflected[op]);
    if (result == NOT_IMPLEMENTED) result = compare_by_left(left, right, op);
    if (result == NOT_IMPLEMENTED && !first) result = compare_by_left(right, left, reflected[op]);
    return result == NOT_IMPLEMENTED ? compare_default(left, right, op) : result;
}

static inline bool is_number_word(ValueRef value)
{
    return is_small(value) || is_double(value);
}

// Exact, as a double holds every small int.
static inline double number_in(ValueRef value)
{
    return is_small(value) ? (double)small_value(value) : double_value(value);
}

// -1, 0 or 1 for two numbers in their words.
static inline int numbers_order(ValueRef left, ValueRef right)
{
    double a = number_in(left), b = number_in(right);
    return (a > b) - (a < b);
}

// The order of two items of tuples: <0, 0, >0. False = they are not both numbers in their words, or
// both exactly str.
static inline bool items_order(ValueRef a, ValueRef b, int *order)
{
    *order = 0;
    if (a == b) return true;
    if (is_number_word(a)) {
        if (!is_number_word(b)) return false;
        *order = numbers_order(a, b);
        return true;
    }
    if (!str_check_exact(a) || !str_check_exact(b)) return false;
    *order = str_compare(a, b);
    return true;
}

// The same for two tuples: by the first items that differ, as far as that needs no slot of a type.
static bool tuples_order(ValueRef left, ValueRef right, int *order)
{
    const Tuple *a = as_tuple(left), *b = as_tuple(right);
    ssize_t shorter = a->size < b->size ? a->size : b->size;
    for (ssize_t i = 0; i < shorter; i++) {
        if (!items_order(a->items[i], b->items[i], order)) return false;
        if (*order) return true;
    }
    *order = (a->size > b->size) - (a->size < b->size);
    return true;
}

static inline bool find_order(ValueRef left, ValueRef right, int *order)
{
    if (!is_object(left)) {
        if (!is_number_word(left) || !is_number_word(right)) return false;
        *order = numbers_order(left, right);
        return true;
    }
    const Type *type = object_of(left)->type;
    if (!is_exactly(right, type)) return false;
    if (type == &tuple_type) return tuples_order(left, right, order);
    if (type != &str_type) return false;
    *order = str_compare(left, right);
    return true;
}

bool quick_order(ValueRef left, ValueRef right, int *order)
{
    return find_order(left, right, order);
}

static Value compare_by_slots(ValueRef left, ValueRef right, CompareOp op)
{
    if (!poll_signals() || !stack_enter(" in comparison")) return VALUE_ERROR;
    Value result = compare_slots(left, right, op);
    stack_leave();
    return result;
}

Value object_compare(ValueRef left, ValueRef right, CompareOp op)
{
    int order;
    if (find_order(left, right, &order)) return from_bool(order_holds(order, op));
    return compare_by_slots(left, right, op);
}

bool object_compare_bool(ValueRef left, ValueRef right, CompareOp op, bool *result)
{
    if (left == right && (op == COMPARE_EQ || op == COMPARE_NE)) {
        *result = op == COMPARE_EQ;
        return true;
    }
    int order;
    if (find_order(left, right, &order)) {
        *result = order_holds(order, op);
        return true;
    }
    Value answer = compare_by_slots(left, right, op);
    if (!answer) return false;
    if (is_bool(answer)) {
        *result = answer == TRUE;
        return true;
    }
    bool done = object_truth(answer, result);
    drop(answer);
    return done;
}

bool object_equal(ValueRef left, ValueRef right, bool *equal)
{
    if (str_check_exact(left) && str_check_exact(right)) {
        *equal = left == right || str_equal(left, right);
        return true;
    }
    return object_compare_bool(left, right, COMPARE_EQ, equal);
}

// ---- isinstance() and issubclass()

// __bases__ of a value that may act as a class: an owned tuple, or ABSENT.
static Value bases_of(ValueRef value)
{
    Value bases = object_get_optional(value, NAME(__bases__));
    if (!bases || bases == ABSENT || tuple_check(bases)) return bases;
    drop(bases);
    return ABSENT;
}

static bool check_class(ValueRef value, const char *message)
{
    Value bases = bases_of(value);
    if (!bases) return false;
    if (bases == ABSENT) return raise_error(TypeError, "%s", message);
    drop(bases);
    return true;
}

static bool abstract_is_subclass(ValueRef derived, ValueRef class_, bool *result);

static bool any_base_is_subclass(ValueRef bases, ValueRef class_, bool *result)
{
    if (!stack_enter(" in __subclasscheck__")) return false;
    bool done = true;
    for (ssize_t i = 0; done && !*result && i < tuple_size(bases); i++)
        done = abstract_is_subclass(tuple_at(bases, i), class_, result);
    stack_leave();
    return done;
}

// Searches along __bases__, for values that act as classes and are no types.
static bool abstract_is_subclass(ValueRef derived, ValueRef class_, bool *result)
{
    *result = derived == class_;
    if (*result) return true;
    Value bases = bases_of(derived);
    if (!bases || bases == ABSENT) return bases != VALUE_ERROR;
    bool done = any_base_is_subclass(bases, class_, result);
    drop(bases);
    return done;
}

// Is __class__ the one that object has, so that it says what type_of() says?
static bool claims_no_class(ValueRef value)
{
    return type_of(value)->getattribute == object_generic_get &&
           type_lookup(type_of(value), NAME(__class__)) ==
               type_lookup(&object_type, NAME(__class__));
}

static bool is_instance_of_type(ValueRef value, Type *type, bool *result)
{
    *result = type_is_subtype(type_of(value), type);
    if (*result || claims_no_class(value)) return true;
    Value claimed = object_get_optional(value, NAME(__class__));
    if (!claimed) return false;
    if (type_check(claimed) && as_type(claimed) != type_of(value))
        *result = type_is_subtype(as_type(claimed), type);
    drop(claimed);
    return true;
}

static bool is_instance_plainly(ValueRef value, ValueRef class_, bool *result)
{
    if (type_check(class_)) return is_instance_of_type(value, as_type(class_), result);
    if (!check_class(class_, "isinstance() arg 2 must be a type or tuple of types")) return false;
    Value claimed = object_get_optional(value, NAME(__class__));
    if (!claimed) return false;
    *result = false;
    bool done = claimed == ABSENT || abstract_is_subclass(claimed, class_, result);
    drop(claimed);
    return done;
}

static bool is_subclass_plainly(ValueRef derived, ValueRef class_, bool *result)
{
    if (type_check(class_) && type_check(derived)) {
        *result = type_is_subtype(as_type(derived), as_type(class_));
        return true;
    }
    return check_class(derived, "issubclass() arg 1 must be a class") &&
           check_class(class_, "issubclass() arg 2 must be a class or tuple of classes") &&
           abstract_is_subclass(derived, class_, result);
}

typedef bool (*ClassTest)(ValueRef value, ValueRef classes, bool *result);

static bool test_each(ValueRef value, ValueRef classes, ClassTest test, const char *where,
                      bool *result)
{
    if (!stack_enter(where)) return false;
    bool done = true;
    for (ssize_t i = 0; done && !*result && i < tuple_size(classes); i++)
        done = test(value, tuple_at(classes, i), result);
    stack_leave();
    return done;
}

// Calls __instancecheck__ or __subclasscheck__, bound already, and drops it.
static bool ask_class(Value checker, ValueRef value, const char *where, bool *result)
{
    Value answer = VALUE_ERROR;
    if (stack_enter(where)) {
        answer = object_call_one(checker, value);
        stack_leave();
    }
    drop(checker);
    if (!answer) return false;
    bool done = object_truth(answer, result);
    drop(answer);
    return done;
}

bool object_is_instance(ValueRef value, ValueRef classes, bool *result)
{
    static const char where[] = " in __instancecheck__";
    *result = ref_of(type_of(value)) == classes;
    if (*result) return true;
    if (is_exactly(classes, &type_type)) return is_instance_plainly(value, classes, result);
    if (tuple_check(classes)) return test_each(value, classes, object_is_instance, where, result);
    Value checker = object_special(classes, NAME(__instancecheck__));
    if (!checker) return false;
    if (checker == ABSENT) return is_instance_plainly(value, classes, result);
    return ask_class(checker, value, where, result);
}

bool object_is_subclass(ValueRef value, ValueRef classes, bool *result)
{
    static const char where[] = " in __subclasscheck__";
    *result = false;
    if (is_exactly(classes, &type_type)) {
        *result = value == classes;
        return *result || is_subclass_plainly(value, classes, result);
    }
    if (tuple_check(classes)) return test_each(value, classes, object_is_subclass, where, result);
    Value checker = object_special(classes, NAME(__subclasscheck__));
    if (!checker) return false;
    if (checker == ABSENT) return is_subclass_plainly(value, classes, result);
    return ask_class(checker, value, where, result);
}

// ---- dir()

Value object_dir(ValueRef value)
{
    Value method = object_special(value, NAME(__dir__));
    if (!method) return VALUE_ERROR;
    if (method == ABSENT) return raise_error(TypeError, "object does not provide __dir__");
    Value names = object_call_none(method);
    drop(method);
    if (!names) return VALUE_ERROR;
    Value list = sequence_list(names);
    drop(names);
    if (!list || list_sort(list, VALUE_ERROR, false)) return list;
    drop(list);
    return VALUE_ERROR;
}
