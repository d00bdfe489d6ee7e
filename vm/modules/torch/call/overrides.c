// __torch_function__: classes that answer calls of operators themselves.
//
// A call looks at its positional and keyword arguments. A tensor of the class Tensor, or of a class
// that has switched the protocol off (Parameter: `__torch_function__ =
// torch._C._disabled_torch_function_impl`), does not take part. All others that have the attribute
// are asked, if the arguments are right, subclasses before their bases, until one does not return
// NotImplemented:
//
//     type(argument).__torch_function__(function, types, args, kwargs)
//
// where `function` is torch.add or Tensor.add. A function that takes no tensors, such as
// torch.zeros, asks nobody.
//
// Before them the mode that was entered last is asked (torch.overrides.TorchFunctionMode), of every
// call: mode.__torch_function__(function, types, args, kwargs). While it answers, the one entered
// before it is the last. (PyTorch: torch/csrc/utils/python_arg_parser.cpp,
// handle_torch_function_no_python_arg_parser.)
#include "vm/modules/torch/call/overrides.h"

#include "frames/guards/guard.h"
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/thread_parts.h"
#include "objects/type.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/functions.h"
#include "vm/modules/torch/call/op_bind.h"
#include "vm/modules/torch/call/torch_objects.h"

bool op_bind_has_override(ValueRef value)
{
    if (!is_object(value)) return false;
    Type *type = object_of(value)->type;
    if (type == tensor_type || type == &tensor_base_type || !(type->flags & TYPE_HEAP))
        return false;
    ValueRef found = type_lookup(type, NAME(__torch_function__));
    return found && found != torch_disabled_function;
}

// ---- the stack of modes

static Value modes; // a list, of this thread; 0 = there was none yet

static void note_modes(void)
{
    op_state.function_mode = modes && list_size(modes) && !op_state.functions_off;
    guard_function_modes = modes;
}

static bool push_mode(Value mode)
{
    if (!modes) modes = list_new(1);
    bool done = modes ? list_append_owned(modes, mode) : (drop(mode), false);
    note_modes();
    return done;
}

// Owned. There is one.
static Value pop_mode(void)
{
    ssize_t last = list_size(modes) - 1;
    Value mode = retain(list_at(modes, last));
    list_set_slice(modes, last, last + 1, VALUE_ERROR);
    note_modes();
    return mode;
}

static void drop_modes(void)
{
    drop_slot(&modes);
    note_modes();
}

void overrides_init(void)
{
    static ThreadPart part = {
        .variables = &modes, .size = sizeof modes, .changed = note_modes, .end = drop_modes};
    thread_part_add(&part);
}

void overrides_finish(void)
{
    drop_modes();
}

// ---- gathering

static bool overrides(ValueRef value)
{
    return op_bind_has_override(value) && !op_state.functions_off &&
           !(op_state.subclasses_off && tensor_check(value));
}

// Is somebody asked about an attribute or method of `self`?
static inline bool is_asked(ValueRef self)
{
    return op_state.function_mode || overrides(self);
}

// Adds an argument that overrides: before the first one whose class is a base of its class, and
// once for each class.
static bool add_override(Value list, ValueRef value)
{
    ssize_t at = list_size(list);
    for (ssize_t i = 0; i < list_size(list); i++) {
        const Type *other = type_of(list_at(list, i));
        if (other == type_of(value)) return true;
        if (at == list_size(list) && type_is_subtype(type_of(value), other)) at = i;
    }
    return list_insert(list, at, value);
}

static bool gather(Value *list, ValueRef value, bool into_sequences);

static bool gather_items(Value *list, ValueRef sequence)
{
    ssize_t count = list_check(sequence) ? list_size(sequence) : tuple_size(sequence);
    for (ssize_t i = 0; i < count; i++) {
        ValueRef item = list_check(sequence) ? list_at(sequence, i) : tuple_at(sequence, i);
        if (!gather(list, item, false)) return false;
    }
    return true;
}

static bool gather(Value *list, ValueRef value, bool into_sequences)
{
    if (into_sequences && (list_check(value) || tuple_check_exact(value)))
        return gather_items(list, value);
    if (!overrides(value)) return true;
    if (!*list) *list = list_new(2);
    return *list && add_override(*list, value);
}

// A number or a tensor of the class Tensor, as nearly all arguments are.
static inline bool is_plain(ValueRef value)
{
    return !is_object(value) || object_of(value)->type == tensor_type;
}

// The overriding arguments, in the order in which they are asked: owned, VALUE_ERROR = none, and
// then an exception may be pending.
static Value overriding(ValueRef self, const ValueRef *args, size_t count)
{
    Value list = VALUE_ERROR;
    bool done = !self || is_plain(self) || gather(&list, self, false);
    for (size_t i = 0; done && i < count; i++)
        if (!is_plain(args[i])) done = gather(&list, args[i], true);
    if (!done) drop_slot(&list);
    return list;
}

// The same while there is a mode: an empty list, if nobody else is asked.
static Value those_asked(ValueRef self, const ValueRef *args, size_t count)
{
    Value list = overriding(self, args, count);
    return list || !op_state.function_mode || error_pending() ? list : list_new(0);
}

// ---- asking

static Value types_of(ValueRef list)
{
    Value types = tuple_new(list_size(list));
    for (ssize_t i = 0; types && i < list_size(list); i++)
        as_tuple(types)->items[i] = retain(ref_of(type_of(list_at(list, i))));
    return types;
}

// "torch.Tensor.add", "torch.Tensor.shape.__get__", "torch.stack": how messages name a function.
static Value name_of(ValueRef function)
{
    Value owner = VALUE_ERROR, name = object_get(function, NAME(__name__));
    bool of_class = is_exactly(function, &method_descriptor_type) ||
                    is_exactly(function, &wrapper_descriptor_type);
    if (name && is_exactly(function, &method_wrapper_type)) {
        Value key = str_new("__self__"), self = key ? object_get(function, key) : VALUE_ERROR;
        owner = self ? object_get(self, NAME(__name__)) : VALUE_ERROR;
        drop(key);
        drop(self);
    }
    Value text = !name      ? VALUE_ERROR
                 : owner    ? format_text("torch.Tensor.%S.%S", (ValueRef)owner, (ValueRef)name)
                 : of_class ? format_text("torch.Tensor.%S", (ValueRef)name)
                            : format_text("torch.%S", (ValueRef)name);
    drop(owner);
    drop(name);
    return text;
}

static Value raise_refused(ValueRef function, ValueRef types)
{
    Value name = name_of(function), classes = name ? str_new("") : VALUE_ERROR;
    if (classes && op_state.function_mode)
        replace_slot(&classes,
                     format_text("  - mode object %R\n", list_at(modes, list_size(modes) - 1)));
    for (ssize_t i = 0; classes && i < tuple_size(types); i++) {
        Value more =
            format_text("%S  - tensor subclass %R\n", (ValueRef)classes, tuple_at(types, i));
        drop(classes);
        classes = more;
    }
    if (classes)
        raise_error(TypeError,
                    "Multiple dispatch failed for '%S'; all __torch_function__ handlers returned "
                    "NotImplemented:\n\n%S\nFor more information, try re-running with "
                    "TORCH_LOGS=not_implemented",
                    (ValueRef)name, (ValueRef)classes);
    drop(name);
    drop(classes);
    return VALUE_ERROR;
}

// owner.__torch_function__(function, types, args, kwargs), without kwargs if there are none.
static Value ask(ValueRef owner, ValueRef function, ValueRef types, ValueRef args, ValueRef kwargs)
{
    Value method = object_get(owner, NAME(__torch_function__));
    ValueRef arguments[] = {function, types, args, kwargs};
    size_t count = dict_size(kwargs) ? 4 : 3;
    Value answer = method ? object_call(method, arguments, count, VALUE_ERROR) : VALUE_ERROR;
    drop(method);
    return answer;
}

static Value ask_mode(ValueRef function, ValueRef types, ValueRef args, ValueRef kwargs)
{
    Value mode = pop_mode();
    Value answer = ask(mode, function, types, args, kwargs);
    if (push_mode(mode)) return answer;
    drop(answer);
    return VALUE_ERROR;
}

static Value ask_each(ValueRef list, ValueRef function, ValueRef args, ValueRef kwargs)
{
    Value types = types_of(list), answer = types ? not_implemented() : VALUE_ERROR;
    if (types && op_state.function_mode) answer = ask_mode(function, types, args, kwargs);
    for (ssize_t i = 0; answer == NOT_IMPLEMENTED && i < list_size(list); i++) {
        if (!overrides(list_at(list, i))) continue; // named for the mode only
        answer = ask(ref_of(type_of(list_at(list, i))), function, types, args, kwargs);
    }
    if (answer == NOT_IMPLEMENTED) answer = raise_refused(function, types);
    drop(types);
    return answer;
}

// The arguments as a tuple, with self in front.
static Value all_arguments(ValueRef self, const ValueRef *args, size_t nargs)
{
    Value tuple = tuple_new((ssize_t)nargs + (self ? 1 : 0));
    Value *items = tuple ? as_tuple(tuple)->items : NULL;
    if (items && self) *items++ = retain(self);
    for (size_t i = 0; items && i < nargs; i++) items[i] = retain(args[i]);
    return tuple;
}

static Value answer_call(ValueRef list, ValueRef function, ValueRef self, const ValueRef *args,
                         size_t nargs, ValueRef kwnames)
{
    Value tuple = all_arguments(self, args, nargs);
    Value keywords = tuple ? args_keywords(args, nargs, kwnames) : VALUE_ERROR;
    Value answer = keywords ? ask_each(list, function, tuple, keywords) : VALUE_ERROR;
    drop(tuple);
    drop(keywords);
    return answer;
}

// torch.add, torch._C._nn.gelu, Tensor.add or Tensor.add_: what a script has called.
static Value public_function(OpIndex first, BindStyle style, bool inplace)
{
    Value name = format_text("%s%s", op_table[first].name, inplace ? "_" : "");
    if (!name) return VALUE_ERROR;
    str_intern_in_place(&name);
    Value owner = style == BIND_METHOD ? retain(ref_of(tensor_type)) : functions_owner(first);
    Value function = owner ? object_get(owner, name) : VALUE_ERROR;
    drop(owner);
    drop(name);
    return function;
}

// These take their ends as tensors, too, though their rows have no such parameter.
static bool has_ends(OpIndex first)
{
    return first == OP_linspace_ || first == OP_logspace_;
}

// Has some row of the name a parameter that is a tensor?
static bool takes_tensors(OpIndex first)
{
    if (!(op_table[first].kinds & FACTORY) || has_ends(first)) return true;
    for (OpIndex op = first; op_bind_same_name(op, first); op++) {
        const char *tensor = strstr(op_table[op].schema, "Tensor");
        if (tensor < strstr(op_table[op].schema, ") ->")) return true;
    }
    return false;
}

Value override_call(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                    const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (!op_state.function_mode && !takes_tensors(first)) return ABSENT;
    Value list = those_asked(self, args, nargs + (kwnames ? (size_t)tuple_size(kwnames) : 0));
    if (!list) return error_pending() ? VALUE_ERROR : ABSENT;
    bool fits =
        has_ends(first) || op_bind_accepts(first, style, inplace, self, args, nargs, kwnames);
    Value function = fits ? public_function(first, style, inplace) : VALUE_ERROR;
    Value answer = function ? answer_call(list, function, self, args, nargs, kwnames) : VALUE_ERROR;
    drop(function);
    drop(list);
    return answer;
}

// PyTorch tells a mode the class of the tensor that an attribute is of, also of a plain one.
static bool name_self(Value list, ValueRef self)
{
    return list_size(list) || list_append(list, self);
}

// Tensor.name(self, *args), by those who are asked. ABSENT = nobody is. `of_self`: see above.
static Value override_named(ValueRef name, bool of_self, ValueRef self, METHOD_ARGS)
{
    Value list = those_asked(self, args, nargs + (kwnames ? (size_t)tuple_size(kwnames) : 0));
    if (!list) return error_pending() ? VALUE_ERROR : ABSENT;
    if (of_self && !name_self(list, self)) drop_slot(&list);
    Value function = list ? object_get(ref_of(tensor_type), name) : VALUE_ERROR;
    Value answer = function ? answer_call(list, function, self, args, nargs, kwnames) : VALUE_ERROR;
    drop(function);
    drop(list);
    return answer;
}

Value override_slot(ValueRef name, ValueRef self, const ValueRef *args, size_t nargs)
{
    return override_named(name, false, self, args, nargs, VALUE_ERROR);
}

// An index comes in a tuple where it is asked, and the tensor is not.
Value override_item(ValueRef self, ValueRef key)
{
    bool by_index = !is_asked(self) && overrides(key);
    Value index = by_index ? tuple_pack(1, key) : retain(key);
    ValueRef given = index;
    Value answer = index ? override_slot(NAME(__getitem__), self, &given, 1) : VALUE_ERROR;
    drop(index);
    return answer;
}

// ---- attributes: the function asked about is Tensor.shape.__get__, __set__ or __delete__

static Value answer_attribute(const char *name, ValueRef method, ValueRef self, ValueRef value)
{
    Value list = those_asked(self, NULL, 0);
    if (list && !name_self(list, self)) drop_slot(&list);
    Value text = list ? str_intern(name) : VALUE_ERROR;
    ValueRef descriptor = text ? type_lookup(&tensor_base_type, text) : VALUE_ERROR;
    Value function = descriptor ? object_get(descriptor, method) : VALUE_ERROR;
    Value answer = VALUE_ERROR;
    if (function) answer = answer_call(list, function, self, &value, value ? 1 : 0, VALUE_ERROR);
    drop(function);
    drop(text);
    drop(list);
    return answer;
}

// The methods whose arguments PyTorch parses as those of an operator.
static bool is_parsed(const char *name)
{
    static const char *const names[] = {"size",           "stride",     "is_contiguous",
                                        "requires_grad_", "new_tensor", "numpy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

static Value answer_method(const char *name, ValueRef self, METHOD_ARGS)
{
    Value text = str_intern(name);
    bool of_self = !is_parsed(name);
    Value answer = text ? override_named(text, of_self, self, args, nargs, kwnames) : VALUE_ERROR;
    drop(text);
    return answer;
}

Value override_method(const char *name, ValueRef self, METHOD_ARGS, TensorMethod method)
{
    return is_asked(self) ? answer_method(name, self, args, nargs, kwnames)
                          : method(self, args, nargs, kwnames);
}

Value override_operator(const char *name, ValueRef self)
{
    return is_asked(self) ? answer_method(name, self, NULL, 0, VALUE_ERROR) : ABSENT;
}

Value override_binary(const char *name, ValueRef self, ValueRef other)
{
    if (!name || !(is_asked(self) || overrides(other))) return ABSENT;
    return answer_method(name, self, &other, 1, VALUE_ERROR);
}

Value override_get(const char *name, ValueRef self, Value (*get)(ValueRef self))
{
    return is_asked(self) ? answer_attribute(name, NAME(__get__), self, VALUE_ERROR) : get(self);
}

bool override_set(const char *name, ValueRef self, ValueRef value,
                  bool (*set)(ValueRef self, ValueRef value))
{
    if (!is_asked(self)) return set(self, value);
    ValueRef method = value ? NAME(__set__) : NAME(__delete__);
    Value answer = answer_attribute(name, method, self, value);
    drop(answer);
    return answer != VALUE_ERROR;
}

// ---- for functions that are written in Python: torch/overrides.mpy

static Value has_torch_function_variadic(FUNCTION_ARGS)
{
    for (size_t i = 0; i < nargs; i++)
        if (is_asked(args[i])) return TRUE;
    return FALSE;
}

static bool check_sequence(ValueRef value)
{
    if (list_check(value) || tuple_check(value)) return true;
    raise_error(TypeError, "expected a sequence");
    return false;
}

static Value has_torch_function(FUNCTION_ARGS)
{
    if (!check_sequence(args[0])) return VALUE_ERROR;
    bool is_list = list_check(args[0]);
    ssize_t count = is_list ? list_size(args[0]) : tuple_size(args[0]);
    for (ssize_t i = 0; i < count; i++)
        if (is_asked(is_list ? list_at(args[0], i) : tuple_at(args[0], i))) return TRUE;
    return FALSE;
}

static Value overloaded_args(FUNCTION_ARGS)
{
    if (!check_sequence(args[0])) return VALUE_ERROR;
    Value list = list_new(2);
    if (list && !gather_items(&list, args[0])) drop_slot(&list);
    return list;
}

static bool gather_call(Value *list, ValueRef positional, ValueRef keywords)
{
    bool done = true;
    ssize_t position = 0;
    ValueRef key, value;
    for (ssize_t i = 0; done && i < tuple_size(positional); i++)
        done = gather(list, tuple_at(positional, i), true);
    while (done && dict_next(keywords, &position, &key, &value)) done = gather(list, value, true);
    return done;
}

Value override_object(ValueRef function, ValueRef args, ValueRef kwargs)
{
    Value list = VALUE_ERROR;
    if (!gather_call(&list, args, kwargs)) drop_slot(&list);
    if (!list && !error_pending() && op_state.function_mode) list = list_new(0);
    if (!list) return error_pending() ? VALUE_ERROR : ABSENT;
    Value answer = ask_each(list, function, args, kwargs);
    drop(list);
    return answer;
}

// _ask_overriding(function, args, kwargs): NotImplemented = nobody is to be asked.
static Value ask_overriding(FUNCTION_ARGS)
{
    if (!tuple_check(args[1]) || !dict_check(args[2]))
        return raise_error(TypeError, "_ask_overriding() expects a function, a tuple and a dict");
    Value answer = override_object(args[0], args[1], args[2]);
    return answer == ABSENT ? not_implemented() : answer;
}

// ---- the stack, for torch/overrides.mpy

static Value push_on_stack(FUNCTION_ARGS)
{
    return push_mode(retain(args[0])) ? NONE : VALUE_ERROR;
}

static Value pop_stack(FUNCTION_ARGS)
{
    if (modes && list_size(modes)) return pop_mode();
    return raise_error(RuntimeError, "Expected stack of torch function modes to be non-empty");
}

static Value stack_length(FUNCTION_ARGS)
{
    return from_small(modes ? list_size(modes) : 0);
}

static Value stack_at(FUNCTION_ARGS)
{
    int index;
    if (!argument_int(args[0], &index)) return VALUE_ERROR;
    if (index < 0 || !modes || index >= list_size(modes))
        return raise_error(RuntimeError, "there is no mode at that index");
    return retain(list_at(modes, index));
}

static Value is_mode_enabled(FUNCTION_ARGS)
{
    return from_bool(op_state.function_mode);
}

static Value is_enabled(FUNCTION_ARGS)
{
    return from_bool(!op_state.functions_off && !op_state.subclasses_off);
}

// Switches all of the protocol off or on; returns what was before.
static Value set_functions_off(FUNCTION_ARGS)
{
    bool before = op_state.functions_off;
    op_state.functions_off = args[0] == TRUE;
    note_modes();
    return from_bool(before);
}

static Value are_all_disabled(FUNCTION_ARGS)
{
    return from_bool(op_state.functions_off);
}

const MethodDef override_functions[] = {
    {"_push_on_torch_function_stack", push_on_stack, ONE_ARG, "A mode is entered."},
    {"_pop_torch_function_stack", pop_stack, NO_ARGS, "It is left: the mode."},
    {"_len_torch_function_stack", stack_length, NO_ARGS, NULL},
    {"_get_function_stack_at", stack_at, ONE_ARG, NULL},
    {"_is_torch_function_mode_enabled", is_mode_enabled, NO_ARGS, "Would a mode be asked now?"},
    {"_is_torch_function_enabled", is_enabled, NO_ARGS, "Are subclasses asked?"},
    {"_is_torch_function_all_disabled", are_all_disabled, NO_ARGS, NULL},
    {"_set_torch_functions_off", set_functions_off, ONE_ARG, NULL},
    {"_has_torch_function", has_torch_function, ONE_ARG, "Does an item of a sequence override?"},
    {"_has_torch_function_unary", has_torch_function_variadic, ONE_ARG, "Does it override?"},
    {"_has_torch_function_variadic", has_torch_function_variadic, ARGS(0, -1),
     "Does an argument override?"},
    {"_overloaded_args", overloaded_args, ONE_ARG, "Those that override, in the order of asking."},
    {"_ask_overriding", ask_overriding, ARGS(3, 3), "Asks about a call of torch.ops."},
    {0},
};
