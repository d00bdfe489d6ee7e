#include "vm/quiet.h"

#include "compiler/opcode.h"
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/type.h"
#include "vm/builtins/builtins.h"
#include "vm/ops.h"

#include <math.h>

static Value made[QUIET_MAX];
struct QuietMade quiet_made = {0, made, quiet_let_go};
bool quiet_now;

static ValueRef hold(Value value)
{
    if (value && !is_object(value)) return value;
    if (value && quiet_made.count < QUIET_MAX) return made[quiet_made.count++] = value;
    drop(value);
    error_clear();
    return VALUE_ERROR;
}

bool quiet_is_leaf(ValueRef value)
{
    if (!is_object(value) || str_check_exact(value)) return true;
    const Type *type = type_of(value);
    return type == &int_type || type == &float_type || type == &bytes_type;
}

static bool are_leaves(const ValueRef *all, size_t count)
{
    bool leaves = true;
    for (size_t i = 0; i < count; i++) leaves &= quiet_is_leaf(all[i]);
    return leaves;
}

static bool is_key(ValueRef value)
{
    if (quiet_is_leaf(value)) return true;
    if (!slice_check(value)) return false;
    const Slice *slice = (const Slice *)object_of(value);
    const ValueRef parts[] = {slice->start, slice->stop, slice->step};
    return are_leaves(parts, 3);
}

// The items of a list or tuple; NULL = it is neither.
static const Value *items_of(ValueRef value, ssize_t *size)
{
    bool is_list = is_exactly(value, &list_type);
    if (!is_list && !is_exactly(value, &tuple_type)) return NULL;
    *size = is_list ? list_size(value) : tuple_size(value);
    return is_list ? as_list(value)->items : as_tuple(value)->items;
}

static bool is_set(ValueRef value)
{
    return is_exactly(value, &set_type) || is_exactly(value, &frozenset_type);
}

// The value of a key in a dict: ABSENT if it is missing, VALUE_ERROR if only script code can tell.
static ValueRef peek(ValueRef dict, ValueRef key)
{
    int64_t hash;
    bool known = (str_check_exact(key) || is_small(key)) && item_hash(key, &hash);
    return known ? dict_peek_key(dict, key, hash) : VALUE_ERROR;
}

static int look_up(ValueRef container, ValueRef key)
{
    int64_t hash;
    if (!dict_check_exact(container))
        return item_hash(key, &hash) ? set_peek(container, key, hash) : -1;
    ValueRef value = peek(container, key);
    return value ? value != ABSENT : -1;
}

// Is the leaf in it? 1, 0, or -1: only script code can tell.
static int look_for(ValueRef container, ValueRef leaf)
{
    ssize_t size;
    const Value *items = items_of(container, &size);
    int found = 0;
    bool there;
    if (items)
        while (size-- > 0 && !found) found = quick_equal(*items++, leaf);
    else if (dict_check_exact(container) || is_set(container))
        found = look_up(container, leaf);
    else
        found = str_check_exact(container) && object_contains(container, leaf, &there) ? there : -1;
    return found;
}

ValueRef quiet_subscript(const ValueRef *all, size_t operand)
{
    ValueRef container = all[0], key = all[1], item = ABSENT;
    ssize_t size;
    (void)operand;
    if (!is_key(key)) return VALUE_ERROR;
    const Value *items = items_of(container, &size);
    if (str_check_exact(container) || is_exactly(container, &bytes_type))
        return hold(object_subscript(container, key));
    if (items && is_small(key)) {
        int64_t at = small_value(key) + (small_value(key) < 0 ? size : 0);
        if ((uint64_t)at < (uint64_t)size) item = items[at];
    } else if (dict_check_exact(container)) {
        item = peek(container, key);
    }
    return item && item != ABSENT ? item : hold(VALUE_ERROR);
}

ValueRef quiet_contains(const ValueRef *all, size_t inverted)
{
    int found = quiet_is_leaf(all[0]) ? look_for(all[1], all[0]) : -1;
    return found < 0 ? hold(VALUE_ERROR) : from_bool(found != (int)inverted);
}

ValueRef quiet_compare(const ValueRef *all, size_t operator)
{
    if (!quiet_is_leaf(all[0]) || !quiet_is_leaf(all[1])) return VALUE_ERROR;
    return hold(compare_operation(all[0], all[1], (uint32_t) operator));
}

// Others may have a result that is much larger than their operands.
ValueRef quiet_operate(const ValueRef *all, size_t opcode)
{
    if (opcode != BINARY_ADD || !quiet_is_leaf(all[0]) || !quiet_is_leaf(all[1]))
        return VALUE_ERROR;
    return hold(binary_operation(BINARY_ADD, all[0], all[1]));
}

double quiet_power(double a, double b)
{
    double result = a > 0.0 ? pow(a, b) : NAN;
    return isinf(a) || isinf(result) ? NAN : result;
}

ValueRef quiet_tuple(const ValueRef *all, size_t count)
{
    return are_leaves(all, count) ? hold(tuple_from_array(all, count)) : VALUE_ERROR;
}

ValueRef quiet_slice(const ValueRef *all, size_t count)
{
    ValueRef step = count == 3 ? all[2] : NONE;
    return are_leaves(all, count) ? hold(slice_new(all[0], all[1], step)) : VALUE_ERROR;
}

ValueRef quiet_span(const ValueRef *all, size_t operand)
{
    (void)operand;
    Value part = str_check_exact(all[0]) ? subscript_span(all[0], all[1], all[2]) : ABSENT;
    return part == ABSENT ? VALUE_ERROR : hold(part);
}

// ---- calls

static ValueRef call(const ValueRef *all, size_t count)
{
    if (!are_leaves(all + 1, count)) return VALUE_ERROR;
    return hold(object_call(all[0], all + 1, count, VALUE_ERROR));
}

// Of a container as well; isinstance() asks for a class whose own class is `type`.
static ValueRef ask(const ValueRef *all, size_t count)
{
    ssize_t size;
    if (!items_of(all[1], &size) && !dict_check_exact(all[1]) && !is_set(all[1]) &&
        !quiet_is_leaf(all[1]))
        return VALUE_ERROR;
    if (count == 2 && !is_exactly(all[2], &type_type)) return VALUE_ERROR;
    return hold(object_call(all[0], all + 1, count, VALUE_ERROR));
}

// Those whose result is about as large as their arguments.
QuietFn *quiet_call_of(ValueRef function)
{
    static const struct {
        const char *name;
        QuietFn *call;
    } names[] = {{"len", ask},      {"isinstance", ask},  {"ord", call},      {"chr", call},
                 {"abs", call},     {"min", call},        {"max", call},      {"isdigit", call},
                 {"isalpha", call}, {"isalnum", call},    {"isspace", call},  {"isupper", call},
                 {"islower", call}, {"startswith", call}, {"endswith", call}, {"lower", call},
                 {"upper", call},   {"strip", call},      {"find", call},     {"count", call}};
    bool is_builtin = is_exactly(function, &builtin_type);
    const char *name =
        is_builtin ? as_builtin(function)->def->name : as_method_descriptor(function)->def->name;
    ValueRef self = is_builtin ? as_builtin(function)->self : VALUE_ERROR;
    // Not [...].count, nor another module's function of that name.
    if (self && self != builtins_module() && !quiet_is_leaf(self)) return NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0) return names[i].call;
    return NULL;
}

void quiet_let_go(void)
{
    while (quiet_made.count) drop(made[--quiet_made.count]);
}
