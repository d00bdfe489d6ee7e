// Binds arguments to a frame's slots: see bind.h.
//
// The steps come in the order of CPython's _PyEval_EvalCode. So if several things are wrong, the
// error is about the same one.
//
//     slots   | positional-only | positional | keyword-only | *args | **kwargs | other locals |
//              <------------- argcount ------>                cells | free
//
// A slot owns its value as soon as it is bound. If binding fails, the caller ends the frame, which
// drops what is bound so far.
#include "frames/bind.h"

#include "objects/cell.h"
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"

typedef struct Call {
    const Code *code;
    const Function *function; // or NULL
    Value *slots;
    const ValueRef *args;
    size_t nargs;
    ValueRef kwnames; // or 0
} Call;

static int parameter_count(const Code *code)
{
    return code->argcount + code->kwonlyargcount;
}

static ValueRef defaults_of(const Call *call)
{
    return call->function ? call->function->defaults : VALUE_ERROR;
}

static int default_count(const Call *call)
{
    ValueRef defaults = defaults_of(call);
    return defaults ? (int)tuple_size(defaults) : 0;
}

// ---- messages

// Several names in a message are listed like this: 'a', 'b', and 'c'.
static Value join_names(ValueRef names)
{
    ssize_t count = list_size(names);
    if (count == 1) return format_text("%R", list_at(names, 0));
    if (count == 2) return format_text("%R and %R", list_at(names, 0), list_at(names, 1));
    StrBuilder text;
    builder_begin(&text);
    bool done = true;
    for (ssize_t i = 0; done && i < count; i++) {
        Value shown = object_repr(list_at(names, i));
        done = shown && (i == 0 || builder_text(&text, i + 1 == count ? ", and " : ", ")) &&
               builder_str(&text, shown);
        drop(shown);
    }
    if (done) return builder_finish(&text);
    builder_abandon(&text);
    return VALUE_ERROR;
}

// The parameters from..to that have no value, as a list.
static Value missing_names(const Call *call, int from, int to)
{
    Value names = list_new(0);
    for (int i = from; names && i < to; i++)
        if (!call->slots[i] && !list_append(names, tuple_at(call->code->varnames, i))) {
            drop(names);
            return VALUE_ERROR;
        }
    return names;
}

static bool raise_missing(const Call *call, const char *kind, int from, int to)
{
    Value names = missing_names(call, from, to);
    Value text = names ? join_names(names) : VALUE_ERROR;
    if (text)
        raise_error(TypeError, "%S() missing %zd required %s argument%s: %S", call->code->name,
                    list_size(names), kind, list_size(names) == 1 ? "" : "s", (ValueRef)text);
    drop(names);
    drop(text);
    return false;
}

static int given_keyword_only(const Call *call)
{
    int given = 0;
    for (int i = call->code->argcount; i < parameter_count(call->code); i++)
        if (call->slots[i]) given++;
    return given;
}

static bool raise_too_many(const Call *call)
{
    int most = call->code->argcount, defaults = default_count(call);
    int least = most - defaults, keyword_only = given_keyword_only(call);
    ssize_t given = (ssize_t)call->nargs;
    Value takes = defaults ? format_text("from %d to %d", least, most) : format_text("%d", most);
    const char *plural = given != 1 ? "s" : "", *keyword_plural = keyword_only != 1 ? "s" : "";
    Value others = keyword_only
                       ? format_text(" positional argument%s (and %d keyword-only argument%s)",
                                     plural, keyword_only, keyword_plural)
                       : str_new("");
    if (takes && others)
        raise_error(TypeError, "%S() takes %S positional argument%s but %zd%S %s given",
                    call->code->name, (ValueRef)takes, defaults || most != 1 ? "s" : "", given,
                    (ValueRef)others, given == 1 && !keyword_only ? "was" : "were");
    drop(takes);
    drop(others);
    return false;
}

static bool is_keyword(ValueRef kwnames, ValueRef name)
{
    for (ssize_t i = 0; i < tuple_size(kwnames); i++)
        if (str_equal(tuple_at(kwnames, i), name)) return true;
    return false;
}

// Was a positional-only parameter given by name? Then the message is about that.
static bool raise_positional_only(const Call *call, bool *raised)
{
    Value names = list_new(0);
    if (!names) return false;
    for (int i = 0; i < call->code->posonlyargcount; i++) {
        ValueRef name = tuple_at(call->code->varnames, i);
        if (is_keyword(call->kwnames, name) && !list_append(names, name)) {
            drop(names);
            return false;
        }
    }
    *raised = list_size(names) > 0;
    if (*raised) {
        Value comma = str_new(", ");
        Value text = comma ? str_join(comma, names) : VALUE_ERROR;
        if (text)
            raise_error(TypeError,
                        "%S() got some positional-only arguments passed as keyword arguments: '%S'",
                        call->code->name, (ValueRef)text);
        drop(comma);
        drop(text);
    }
    drop(names);
    return true;
}

static bool raise_unexpected(const Call *call, ValueRef name)
{
    bool raised = false;
    if (call->code->posonlyargcount && !raise_positional_only(call, &raised)) return false;
    if (raised) return false;
    return raise_error(TypeError, "%S() got an unexpected keyword argument '%S'", call->code->name,
                       name);
}

// ---- what is given

//> lesson 7: arguments
// Each positional argument that has a parameter goes into the slot of the same number.
static void bind_positional(const Call *call)
{
    size_t count = (size_t)call->code->argcount;
    if (call->nargs < count) count = call->nargs;
    invariant(count <= (size_t)call->code->nlocals, "parameters are the first of the variables");
    for (size_t i = 0; i < count; i++) call->slots[i] = retain(call->args[i]);
}

// What is left over goes into the tuple *args, if there is one.
static bool bind_rest(const Call *call)
{
    if (!(call->code->flags & CO_VARARGS)) return true;
    size_t taken = (size_t)call->code->argcount;
    if (taken > call->nargs) taken = call->nargs;
    Value rest = tuple_from_array(call->args + taken, call->nargs - taken);
    call->slots[parameter_count(call->code)] = rest;
    return rest != VALUE_ERROR;
}
//< lesson 7

// The slot of a parameter that may be given by name; -1 = there is none. Most names are interned,
// so the first loop finds them by identity.
static int find_parameter(const Code *code, ValueRef name)
{
    int count = parameter_count(code);
    for (int i = code->posonlyargcount; i < count; i++)
        if (tuple_at(code->varnames, i) == name) return i;
    for (int i = code->posonlyargcount; i < count; i++)
        if (str_equal(tuple_at(code->varnames, i), name)) return i;
    return -1;
}

static bool bind_keyword(const Call *call, ValueRef name, ValueRef value, ValueRef kwargs)
{
    if (!str_check(name))
        return raise_error(TypeError, "%S() keywords must be strings", call->code->name);
    int slot = find_parameter(call->code, name);
    if (slot < 0) return kwargs ? dict_set(kwargs, name, value) : raise_unexpected(call, name);
    if (call->slots[slot])
        return raise_error(TypeError, "%S() got multiple values for argument '%S'",
                           call->code->name, name);
    call->slots[slot] = retain(value);
    return true;
}

static bool bind_keywords(const Call *call)
{
    ValueRef kwargs = VALUE_ERROR;
    if (call->code->flags & CO_VARKEYWORDS) {
        int slot = parameter_count(call->code) + !!(call->code->flags & CO_VARARGS);
        kwargs = call->slots[slot] = dict_new();
        if (!kwargs) return false;
    }
    ssize_t count = call->kwnames ? tuple_size(call->kwnames) : 0;
    for (ssize_t i = 0; i < count; i++)
        if (!bind_keyword(call, tuple_at(call->kwnames, i), call->args[call->nargs + (size_t)i],
                          kwargs))
            return false;
    return true;
}

// ---- what is not given

static inline void bind_missing(const Call *call, ssize_t missing)
{
    if (!missing) return;
    ValueRef defaults = call->function->defaults;
    for (ssize_t at = tuple_size(defaults) - missing, slot = (ssize_t)call->nargs; missing > 0;
         missing--)
        call->slots[slot++] = retain(tuple_at(defaults, at++));
}

//> lesson 7: defaults
// Parameters that nothing was given for get their defaults; the last of these belongs to the last
// parameter. raise_missing() if one has none.
static bool bind_defaults(const Call *call)
{
    int count = call->code->argcount, defaults = default_count(call);
    if (defaults > count) defaults = count;
    if (call->nargs >= (size_t)count) return true;
    int required = count - defaults;
    for (int i = 0; i < required; i++)
        if (!call->slots[i]) return raise_missing(call, "positional", 0, required);
    ValueRef values = defaults_of(call);
    ssize_t skipped = values ? tuple_size(values) - defaults : 0;
    invariant(skipped >= 0, "no more defaults are bound than there are");
    for (int i = required; i < count; i++)
        if (!call->slots[i]) call->slots[i] = retain(tuple_at(values, skipped + i - required));
    return true;
}
//< lesson 7

static bool bind_keyword_only(const Call *call)
{
    int from = call->code->argcount, to = parameter_count(call->code);
    // Held: a key of the dict may give the function another one in its __eq__.
    Value values = call->function ? retain(call->function->kwdefaults) : VALUE_ERROR;
    Value value = ABSENT;
    bool missing = false;
    for (int i = from; value && i < to; i++) {
        if (call->slots[i]) continue;
        value = values ? dict_get(values, tuple_at(call->code->varnames, i)) : ABSENT;
        if (value == ABSENT)
            missing = true;
        else
            call->slots[i] = value;
    }
    drop(values);
    if (!value) return false;
    return !missing || raise_missing(call, "keyword-only", from, to);
}

// ---- cells

//> lesson 7: cells
// Makes the frame's own cells. That of a parameter takes the argument out of its slot.
static bool link_cells(Frame *frame, const Code *code, Value *cells)
{
    int count = code_cell_count(code);
    for (int i = 0; i < count; i++) {
        Value *argument = NULL;
        if (code->cell2arg && code->cell2arg[i] >= 0)
            argument = &frame->localsplus[code->cell2arg[i]];
        Value cell = cell_new(argument ? *argument : VALUE_ERROR);
        if (!cell) return false;
        invariant(!cells[i], "a cell is made for a slot that is empty");
        cells[i] = cell;
        if (argument) drop_slot(argument);
    }
    return true;
}

// The cells of the closure are those of the free variables, in their order.
static bool link_free_variables(ValueRef closure, Value *slots, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        invariant(as_cell(tuple_at(closure, (ssize_t)i)), "a closure is made of cells");
        invariant(!slots[i], "the slot of a free variable is empty before");
        slots[i] = retain(tuple_at(closure, (ssize_t)i));
    }
    return true;
}
//< lesson 7

bool bind_closure(Frame *frame, const Function *function)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    Value *cells = frame->localsplus + quick->slots - quick->cells_and_frees;
    if (quick->cells && !link_cells(frame, quick->code, cells)) return false;
    size_t count = quick->cells_and_frees - quick->cells;
    if (!count) return true;
    ValueRef closure = function ? function->closure : VALUE_ERROR;
    if (!closure || (size_t)tuple_size(closure) < count) return raise_bad_call("bind_closure");
    return link_free_variables(closure, cells + quick->cells, count);
}

bool bind_arguments(Frame *frame, const Function *function, const ValueRef *args, size_t nargs,
                    ValueRef kwnames)
{
    Call call = {as_code(frame->code), function, frame->localsplus, args, nargs, kwnames};
    const Code *code = call.code;
    invariant(frame->sp == frame_stack(frame), "arguments are bound while nothing is on the stack");
    bind_positional(&call);
    ssize_t missing =
        kwnames || !function ? -1 : positional_missing(quick_of(code), function, nargs);
    if (missing >= 0) {
        bind_missing(&call, missing);
        return !quick_of(code)->cells_and_frees || bind_closure(frame, function);
    }
    if (!bind_rest(&call) || !bind_keywords(&call)) return false;
    if (nargs > (size_t)code->argcount && !(code->flags & CO_VARARGS)) return raise_too_many(&call);
    if (!bind_defaults(&call)) return false;
    if (code->kwonlyargcount && !bind_keyword_only(&call)) return false;
    return bind_closure(frame, function);
}
