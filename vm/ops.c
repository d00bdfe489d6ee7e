// Bodies of instructions.
#include "vm/ops.h"

#include "compiler/opcode.h"
#include "frames/generators/generator.h"
#include "frames/traceback.h"
#include "vm/import/import.h"
#include "vm/inline_cache.h"
#include "vm/quicken.h"
#include "vm/sys/sys.h"

#include "objects/cell.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/exceptions/exception.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

// ---- operators

typedef struct OperatorRow {
    uint8_t op;
    bool is_inplace;
} OperatorRow;

static const OperatorRow operators[256] = {
    [BINARY_POWER] = {OP_POWER, false},
    [BINARY_MULTIPLY] = {OP_MULTIPLY, false},
    [BINARY_MATRIX_MULTIPLY] = {OP_MATRIX_MULTIPLY, false},
    [BINARY_MODULO] = {OP_REMAINDER, false},
    [BINARY_ADD] = {OP_ADD, false},
    [BINARY_SUBTRACT] = {OP_SUBTRACT, false},
    [BINARY_FLOOR_DIVIDE] = {OP_FLOOR_DIVIDE, false},
    [BINARY_TRUE_DIVIDE] = {OP_TRUE_DIVIDE, false},
    [BINARY_LSHIFT] = {OP_LSHIFT, false},
    [BINARY_RSHIFT] = {OP_RSHIFT, false},
    [BINARY_AND] = {OP_AND, false},
    [BINARY_XOR] = {OP_XOR, false},
    [BINARY_OR] = {OP_OR, false},
    [INPLACE_POWER] = {OP_POWER, true},
    [INPLACE_MULTIPLY] = {OP_MULTIPLY, true},
    [INPLACE_MATRIX_MULTIPLY] = {OP_MATRIX_MULTIPLY, true},
    [INPLACE_MODULO] = {OP_REMAINDER, true},
    [INPLACE_ADD] = {OP_ADD, true},
    [INPLACE_SUBTRACT] = {OP_SUBTRACT, true},
    [INPLACE_FLOOR_DIVIDE] = {OP_FLOOR_DIVIDE, true},
    [INPLACE_TRUE_DIVIDE] = {OP_TRUE_DIVIDE, true},
    [INPLACE_LSHIFT] = {OP_LSHIFT, true},
    [INPLACE_RSHIFT] = {OP_RSHIFT, true},
    [INPLACE_AND] = {OP_AND, true},
    [INPLACE_XOR] = {OP_XOR, true},
    [INPLACE_OR] = {OP_OR, true},
};

Value binary_operation(int opcode, ValueRef left, ValueRef right)
{
    OperatorRow row = operators[opcode];
    return row.is_inplace ? object_inplace(left, right, row.op)
                          : object_binary(left, right, row.op);
}

Value compare_operation(ValueRef left, ValueRef right, uint32_t operator)
{
    if (!str_check_exact(left) || !str_check_exact(right))
        return object_compare(left, right, (CompareOp) operator);
    return from_bool(compare_texts(left, right, operator));
}

static bool is_bound(ValueRef value)
{
    return is_small(value) || value == NONE;
}

Value subscript_span(ValueRef container, ValueRef from, ValueRef to)
{
    if (!is_object(container) || !is_bound(from) || !is_bound(to)) return ABSENT;
    const Type *type = object_of(container)->type;
    if (type != &str_type && type != &list_type && type != &tuple_type) return ABSENT;
    ssize_t length = type == &str_type    ? str_length(container)
                     : type == &list_type ? list_size(container)
                                          : tuple_size(container);
    ssize_t start = 0, stop = length, count;
    if (from != NONE) ssize_clamped(small_value(from), &start);
    if (to != NONE) ssize_clamped(small_value(to), &stop);
    slice_adjust(length, &start, &stop, 1, &count);
    if (type == &str_type) return str_substring(container, start, start + count);
    if (type == &list_type) return list_slice(container, start, start + count);
    return tuple_slice(container, start, start + count);
}

// ---- building

Value build_list(Value *items, uint32_t count)
{
    Value list = list_new((ssize_t)count);
    if (!list) {
        for (uint32_t i = 0; i < count; i++) drop(items[i]);
        return VALUE_ERROR;
    }
    for (uint32_t i = 0; i < count; i++) as_list(list)->items[i] = items[i];
    as_list(list)->size = (ssize_t)count;
    return list;
}

Value build_set(Value *items, uint32_t count)
{
    Value set = set_new(VALUE_ERROR);
    for (uint32_t i = 0; set && i < count; i++)
        if (!set_add(set, items[i])) {
            drop(set);
            return VALUE_ERROR;
        }
    return set;
}

Value build_map(Value *items, uint32_t count)
{
    Value dict = dict_new_sized((ssize_t)count);
    for (uint32_t i = 0; dict && i < count; i++)
        if (!dict_set(dict, items[2 * i], items[2 * i + 1])) {
            drop(dict);
            return VALUE_ERROR;
        }
    return dict;
}

Value build_const_key_map(Value *values, uint32_t count, ValueRef keys)
{
    if (!tuple_check_exact(keys) || tuple_size(keys) != (ssize_t)count)
        return raise_error(SystemError, "bad BUILD_CONST_KEY_MAP keys argument");
    Value dict = dict_new_sized((ssize_t)count);
    for (uint32_t i = 0; dict && i < count; i++)
        if (!dict_set(dict, tuple_at(keys, i), values[i])) {
            drop(dict);
            return VALUE_ERROR;
        }
    return dict;
}

Value build_string(Value *items, uint32_t count)
{
    Value empty = str_new("");
    Value text = empty ? str_join_array(empty, lend(items), count) : VALUE_ERROR;
    drop(empty);
    return text;
}

//> lesson 8: functions
// items: defaults, keyword defaults, annotations, closure (each only if its flag is set), code,
// qualified name.
Value make_function(Frame *frame, Value *items, uint32_t flags)
{
    int count = function_extras(flags);
    Value made = function_new(items[count], frame->globals, items[count + 1]);
    if (!made) return VALUE_ERROR;
    Function *function = as_function(made);
    if (flags & MAKE_FUNCTION_DEFAULTS) function->defaults = retain(*items++);
    if (flags & MAKE_FUNCTION_KWDEFAULTS) function->kwdefaults = retain(*items++);
    if (flags & MAKE_FUNCTION_ANNOTATIONS) function->annotations = retain(*items++);
    if (flags & MAKE_FUNCTION_CLOSURE) function->closure = retain(*items);
    return made;
}
//< lesson 8

static Value convert(ValueRef value, uint32_t conversion)
{
    switch (conversion & 3) {
    case 1: return object_str(value);
    case 2: return object_repr(value);
    case 3: return object_ascii(value);
    default: return retain(value);
    }
}

Value format_value(ValueRef value, ValueRef spec, uint32_t conversion)
{
    Value converted = convert(value, conversion);
    if (!converted || (!spec && str_check_exact(converted))) return converted;
    Value text = object_format(converted, spec);
    drop(converted);
    return text;
}

bool list_extend_by(ValueRef list, ValueRef iterable)
{
    if (list_extend(list, iterable)) return true;
    if (error_is(TypeError) && !type_of(iterable)->iter && !sequence_check(iterable))
        raise_error(TypeError, "Value after * must be an iterable, not %.200T", iterable);
    return false;
}

bool dict_update_by(ValueRef dict, ValueRef mapping)
{
    if (dict_merge(dict, mapping)) return true;
    if (error_is(AttributeError))
        raise_error(TypeError, "'%.200T' object is not a mapping", mapping);
    return false;
}

static bool has_annotations(ValueRef locals, bool *found)
{
    if (dict_check_exact(locals)) return dict_contains(locals, NAME(__annotations__), found);
    Value value = object_subscript(locals, NAME(__annotations__));
    *found = value != VALUE_ERROR;
    drop(value);
    if (*found) return true;
    if (!error_is(KeyError)) return false;
    error_clear();
    return true;
}

bool setup_annotations(Frame *frame)
{
    if (!(frame->flags & FRAME_LOCALS))
        return raise_error(SystemError, "no locals found when setting up annotations");
    bool found;
    if (!has_annotations(frame->locals, &found)) return false;
    if (found) return true;
    Value annotations = dict_new();
    bool done =
        annotations && object_set_subscript(frame->locals, NAME(__annotations__), annotations);
    drop(annotations);
    return done;
}

// ---- unpacking

// iter() of what is to be unpacked.
static Value unpack_iter(ValueRef sequence)
{
    Value iterator = object_iter(sequence);
    if (!iterator && error_is(TypeError) && !type_of(sequence)->iter && !sequence_check(sequence))
        raise_error(TypeError, "cannot unpack non-iterable %.200T object", sequence);
    return iterator;
}

static void drop_all(Value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) drop(values[i]);
}

// Takes `count` values, the first into end[-1], the next in front of it.
static bool take_values(ValueRef iterator, uint32_t count, Value *end, bool at_least, uint32_t all)
{
    for (uint32_t i = 0; i < count; i++) {
        Value value = object_next(iterator);
        if (value && value != ABSENT) {
            *--end = value;
            continue;
        }
        if (value == ABSENT)
            raise_error(ValueError, "not enough values to unpack (expected %s%u, got %u)",
                        at_least ? "at least " : "", all, i);
        drop_all(end, i);
        return false;
    }
    return true;
}

static bool unpack_iterator(ValueRef iterator, uint32_t count, Value *to)
{
    if (!take_values(iterator, count, to + count, false, count)) return false;
    Value more = object_next(iterator);
    if (more == ABSENT) return true;
    if (more) raise_error(ValueError, "too many values to unpack (expected %u)", count);
    drop(more);
    drop_all(to, count);
    return false;
}

bool unpack_sequence(ValueRef sequence, uint32_t count, Value *to)
{
    Value iterator = unpack_iter(sequence);
    bool done = iterator && unpack_iterator(iterator, count, to);
    drop(iterator);
    return done;
}

// The list for the starred name, and what follows it taken off the list's end.
static bool take_rest(ValueRef iterator, uint32_t before, uint32_t after, Value *to)
{
    Value rest = sequence_list(iterator);
    if (!rest) return false;
    ssize_t size = list_size(rest);
    if (size < (ssize_t)after) {
        raise_error(ValueError, "not enough values to unpack (expected at least %u, got %zd)",
                    before + after, before + size);
        drop(rest);
        return false;
    }
    Value *items = as_list(rest)->items;
    for (uint32_t i = 0; i < after; i++) to[i] = items[size - 1 - (ssize_t)i];
    as_list(rest)->size = size - (ssize_t)after;
    to[after] = rest;
    return true;
}

bool unpack_ex(ValueRef sequence, uint32_t before, uint32_t after, Value *to)
{
    Value iterator = unpack_iter(sequence);
    if (!iterator) return false;
    Value *firsts = to + after + 1;
    bool done = take_values(iterator, before, firsts + before, true, before + after);
    if (done && !take_rest(iterator, before, after, to)) {
        drop_all(firsts, before);
        done = false;
    }
    drop(iterator);
    return done;
}

// ---- names that are not bound

bool raise_unbound_local(const Frame *frame, uint32_t index)
{
    return raise_error(UnboundLocalError, "local variable '%.200S' referenced before assignment",
                       tuple_at(as_code(frame->code)->varnames, index));
}

bool raise_unbound_cell(const Frame *frame, uint32_t index)
{
    const Code *code = as_code(frame->code);
    ssize_t cells = code_cell_count(code);
    if ((ssize_t)index < cells)
        return raise_error(UnboundLocalError,
                           "local variable '%.200S' referenced before assignment",
                           tuple_at(code->cellvars, index));
    return raise_error(NameError,
                       "free variable '%.200S' referenced before assignment in enclosing scope",
                       tuple_at(code->freevars, (ssize_t)index - cells));
}

// In a class body: the class's own name goes before the variable around it.
Value load_classderef(const Frame *frame, uint32_t index)
{
    const Code *code = as_code(frame->code);
    ssize_t cells = code_cell_count(code);
    ValueRef name = (ssize_t)index < cells ? tuple_at(code->cellvars, index)
                                           : tuple_at(code->freevars, (ssize_t)index - cells);
    if (frame->flags & FRAME_LOCALS) {
        Value value = object_subscript(frame->locals, name);
        if (value || !error_is(KeyError)) return value;
        error_clear();
    }
    Value cell = frame->localsplus[(uint32_t)code->nlocals + index];
    Value contents = cell ? as_cell(cell)->contents : VALUE_ERROR;
    if (contents) return retain(contents);
    raise_unbound_cell(frame, index);
    return VALUE_ERROR;
}

static bool raise_name_error(ValueRef name)
{
    return raise_error(NameError, "name '%.200S' is not defined", name);
}

bool delete_name(Frame *frame, ValueRef name)
{
    if (!(frame->flags & FRAME_LOCALS))
        return raise_error(SystemError, "no locals when deleting %R", name);
    return object_delete_subscript(frame->locals, name) || raise_name_error(name);
}

bool delete_global(Frame *frame, ValueRef name)
{
    if (dict_delete(frame->globals, name)) return true;
    return error_is(KeyError) && raise_name_error(name);
}

Value load_build_class(const Frame *frame)
{
    Value held = retain(globals_builtins(frame->globals));
    Value found = namespace_get(held, NAME(__build_class__));
    drop(held);
    return found == ABSENT ? raise_error(NameError, "__build_class__ not found") : found;
}

// ---- exceptions

// What `raise` is given, as an instance: owned.
static Value exception_instance(ValueRef given, const char *complaint)
{
    if (exception_check(given)) return retain(given);
    if (!exception_type_check(given)) return raise_error(TypeError, complaint);
    Value made = object_call_none(given);
    if (!made || exception_check(made)) return made;
    raise_error(TypeError, "calling %R should have returned an instance of BaseException, not %R",
                given, ref_of(type_of(made)));
    drop(made);
    return VALUE_ERROR;
}

static bool set_raised_cause(ValueRef exception, ValueRef cause)
{
    Value instance = NONE;
    if (cause != NONE)
        instance = exception_instance(cause, "exception causes must derive from BaseException");
    if (!instance) return false;
    exception_set_cause(exception, instance);
    drop(instance);
    return true;
}

static bool raise_again(void)
{
    ValueRef handled = handled_exception();
    if (!handled) return raise_error(RuntimeError, "No active exception to reraise");
    error_restore(retain(handled));
    return true;
}

bool raise_varargs(Value *items, uint32_t count, bool *again)
{
    *again = false;
    if (count == 0) {
        *again = raise_again();
        return false;
    }
    Value exception = exception_instance(items[0], "exceptions must derive from BaseException");
    if (exception && (count == 1 || set_raised_cause(exception, items[1]))) raise_value(exception);
    drop(exception);
    return false;
}

//> lesson 9: again
void reraise(Value type, Value exception, Value traceback)
{
    if (exception_check(exception)) {
        Value left = traceback_check(traceback) ? retain(traceback) : VALUE_ERROR;
        replace_slot(&as_exception(exception)->traceback, left);
        error_restore(retain(exception));
    } else if (exception_type_check(type)) {
        raise_value(type);
    } else {
        raise_error(SystemError, "nothing to raise again");
    }
    drop(type);
    drop(exception);
    drop(traceback);
}
//< lesson 9

static bool check_class(ValueRef wanted)
{
    if (exception_type_check(wanted)) return true;
    return raise_error(TypeError, "catching classes that do not inherit from BaseException is not "
                                  "allowed");
}

static bool is_subclass(ValueRef type, ValueRef wanted)
{
    return exception_type_check(type) && type_is_subtype(as_type(type), as_type(wanted));
}

bool exception_matches(ValueRef type, ValueRef wanted, bool *matches)
{
    *matches = false;
    if (!tuple_check(wanted)) {
        if (!check_class(wanted)) return false;
        *matches = is_subclass(type, wanted);
        return true;
    }
    for (ssize_t i = 0; i < tuple_size(wanted); i++)
        if (!check_class(tuple_at(wanted, i))) return false;
    for (ssize_t i = 0; !*matches && i < tuple_size(wanted); i++)
        *matches = is_subclass(type, tuple_at(wanted, i));
    return true;
}

// ---- with

static Value special_method(ValueRef manager, ValueRef name)
{
    Value method = object_special(manager, name);
    return method == ABSENT ? raise_with(AttributeError, name) : method;
}

Value find_with(Value *manager, ValueRef enter_name, ValueRef exit_name, Value *self)
{
    ValueRef found = type_lookup(type_of(*manager), enter_name);
    bool is_function = found && function_check(found);
    Value enter = is_function ? retain(found) : special_method(*manager, enter_name);
    Value exit = enter ? special_method(*manager, exit_name) : VALUE_ERROR;
    if (!exit) {
        drop(enter);
        return VALUE_ERROR;
    }
    if (is_function) *self = retain(*manager);
    replace_slot(manager, exit);
    return enter;
}

Value call_enter(Value enter, Value self)
{
    ValueRef args[] = {self};
    Value result = object_call(enter, args, self ? 1 : 0, VALUE_ERROR);
    drop(enter);
    drop(self);
    return result;
}

// Stack: exit method, three of the handler, traceback, exception, type.
Value call_exit(Value *top)
{
    ValueRef args[] = {top[0], top[-1], top[-2]};
    return object_call(top[-6], args, 3, VALUE_ERROR);
}

// ---- iteration and await

Value get_yield_from_iter(const Frame *frame, ValueRef value)
{
    if (is_exactly(value, &coroutine_type)) {
        if (as_code(frame->code)->flags & (CO_COROUTINE | CO_ITERABLE_COROUTINE))
            return retain(value);
        return raise_error(TypeError, "cannot 'yield from' a coroutine object in a non-coroutine "
                                      "generator");
    }
    return is_exactly(value, &generator_type) ? retain(value) : object_iter(value);
}

Value get_aiter(ValueRef value)
{
    UnaryFn aiter = type_of(value)->aiter;
    if (!aiter)
        return raise_error(
            TypeError, "'async for' requires an object with __aiter__ method, got %.100T", value);
    Value iterator = aiter(value);
    if (!iterator || type_of(iterator)->anext) return iterator;
    raise_error(TypeError,
                "'async for' received an object from __aiter__ that does not implement __anext__: "
                "%.100T",
                iterator);
    drop(iterator);
    return VALUE_ERROR;
}

Value get_anext(ValueRef iterator)
{
    UnaryFn anext = type_of(iterator)->anext;
    if (!anext)
        return raise_error(TypeError,
                           "'async for' requires an iterator with __anext__ method, got %.100T",
                           iterator);
    Value next = anext(iterator);
    if (!next || is_exactly(iterator, &async_generator_type)) return next;
    Value awaitable = awaitable_iter(next);
    if (!awaitable)
        raise_from_pending(TypeError,
                           "'async for' received an invalid object from __anext__: %.100T", next);
    drop(next);
    return awaitable;
}

// TypeError for a result of `async with`'s methods that cannot be awaited.
static void reword_awaitable_error(ValueRef value, const Frame *frame, const Instruction *ip)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    if (type_of(value)->await || ip - quick->instructions < 2) return;
    int before = quick_opcode(quick, ip - 1), earlier = quick_opcode(quick, ip - 2);
    const char *method = NULL;
    if (before == BEFORE_ASYNC_WITH) method = "__aenter__";
    if (before == WITH_EXCEPT_START || (before == CALL_FUNCTION && earlier == DUP_TOP))
        method = "__aexit__";
    if (method)
        raise_error(TypeError,
                    "'async with' received an object from %s that does not implement __await__: "
                    "%.100T",
                    method, value);
}

Value get_awaitable(ValueRef value, const Frame *frame, const Instruction *ip)
{
    Value iterator = awaitable_iter(value);
    if (!iterator) {
        reword_awaitable_error(value, frame, ip);
        return VALUE_ERROR;
    }
    if (is_exactly(iterator, &coroutine_type) &&
        (as_generator(iterator)->frame.flags & FRAME_DELEGATES) &&
        as_generator(iterator)->state == GENERATOR_SUSPENDED) {
        drop(iterator);
        return raise_error(RuntimeError, "coroutine is being awaited already");
    }
    return iterator;
}

static Value step_object(ValueRef receiver, ValueRef sent)
{
    if (generator_check(receiver)) return generator_send(receiver, sent);
    if (sent != NONE) return object_call_method_one(receiver, NAME(send), sent);
    UnaryFn next = type_of(receiver)->next;
    if (!next) return raise_error(TypeError, "'%.200T' object is not an iterator", receiver);
    return next(receiver);
}

Value delegate_step(ValueRef receiver, ValueRef sent, Value *result)
{
    Value value = step_object(receiver, sent);
    if (value == ABSENT) {
        *result = NONE;
        return ABSENT;
    }
    if (value) return value;
    if (error_is(StopIteration)) upcalls.trace_stop_iteration(thread_state.frame);
    *result = stop_iteration_take();
    return *result == ABSENT ? VALUE_ERROR : ABSENT;
}

// ---- calls

// How messages call a function: "f()", "module.f()" outside of builtins; str() of what has no
// __qualname__.
static Value callable_text(ValueRef callable)
{
    Value qualname = object_get_optional(callable, NAME(__qualname__));
    if (!qualname) return VALUE_ERROR;
    if (qualname == ABSENT) return object_str(callable);
    Value module = object_get_optional(callable, NAME(__module__)), text = VALUE_ERROR;
    bool is_plain = module == ABSENT || module == NONE ||
                    (module && str_check(module) && str_equal_ascii(module, "builtins"));
    if (module)
        text = is_plain ? format_text("%S()", qualname) : format_text("%S.%S()", module, qualname);
    drop(module);
    drop(qualname);
    return text;
}

Value call_with_keywords(Value *items, uint32_t count, ValueRef names)
{
    size_t nargs = count - (size_t)tuple_size(names);
    return object_call(items[0], lend(items + 1), nargs, names);
}

bool spread_arguments(ValueRef callable, Value *args, Value *kwargs)
{
    if (kwargs && !dict_check_exact(*kwargs)) {
        Value dict = dict_new();
        if (!dict || !dict_merge_keywords(dict, *kwargs, callable)) {
            drop(dict);
            return false;
        }
        replace_slot(kwargs, dict);
    }
    if (tuple_check_exact(*args)) return true;
    if (!type_of(*args)->iter && !sequence_check(*args)) {
        Value text = callable_text(callable);
        if (text)
            raise_error(TypeError, "%S argument after * must be an iterable, not %.200T",
                        (ValueRef)text, (ValueRef)*args);
        drop(text);
        return false;
    }
    Value tuple = sequence_tuple(*args);
    if (!tuple) return false;
    replace_slot(args, tuple);
    return true;
}

Value print_expression(ValueRef value)
{
    // Not by sys.modules, where a script may put another one.
    Value hook = retain(dict_peek(as_module(sys_module())->dict, NAME(displayhook)));
    if (!hook) return raise_error(RuntimeError, "lost sys.displayhook");
    Value result = object_call_one(hook, value);
    drop(hook);
    return result;
}
