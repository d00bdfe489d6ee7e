// Making code from script: types.CodeType(...) and code.replace(...), with CPython's checks in
// CPython's order.
#include "objects/call.h"
#include "objects/error.h"
#include "objects/marshal/code_parts.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"

// ---- types.CodeType(argcount, ...)

static bool check_argument(ValueRef value, size_t number, const Type *type)
{
    if (type_is_subtype(type_of(value), type)) return true;
    return raise_error(TypeError, "code() argument %zu must be %s, not %.50s", number, type->name,
                       value == NONE ? "None" : type_of(value)->name);
}

static bool check_arguments(const ValueRef *args, size_t nargs)
{
    static const Type *const types[] = {&bytes_type, &tuple_type, &tuple_type, &tuple_type,
                                        &str_type,   &str_type,   NULL,        &bytes_type,
                                        &tuple_type, &tuple_type};
    for (size_t i = 6; i < nargs; i++)
        if (types[i - 6] && !check_argument(args[i], i + 1, types[i - 6])) return false;
    return true;
}

static bool check_not_negative(const CodeFields *f)
{
    static const char message[] = "code: %s must not be negative";
    if (f->argcount < 0) return raise_error(ValueError, message, "argcount");
    if (f->posonlyargcount < 0) return raise_error(ValueError, message, "posonlyargcount");
    if (f->kwonlyargcount < 0) return raise_error(ValueError, message, "kwonlyargcount");
    if (f->nlocals < 0) return raise_error(ValueError, message, "nlocals");
    return true;
}

// A tuple of exact strs: owned.
static Value copy_names(ValueRef names)
{
    Value copy = tuple_new(tuple_size(names));
    for (ssize_t i = 0; copy && i < tuple_size(names); i++) {
        ValueRef name = tuple_at(names, i);
        Value exact = VALUE_ERROR;
        if (str_check(name))
            exact = str_check_exact(name) ? retain(name) : str_substring(name, 0, str_length(name));
        else
            raise_error(TypeError, "name tuples must contain only strings, not '%.500T'", name);
        as_tuple(copy)->items[i] = exact;
        if (!exact) drop_slot(&copy);
    }
    return copy;
}

static bool take_numbers(const ValueRef *args, CodeFields *f)
{
    int *const numbers[] = {&f->argcount, &f->posonlyargcount, &f->kwonlyargcount,
                            &f->nlocals,  &f->stacksize,       &f->flags};
    for (int i = 0; i < 6; i++)
        if (!argument_int(args[i], numbers[i])) return false;
    return true;
}

Value code_make(Type *type, METHOD_ARGS)
{
    CodeFields f = {0};
    (void)type;
    if (nargs < 14 || nargs > 16)
        return raise_error(TypeError, "code() takes at %s %d arguments (%zu given)",
                           nargs < 14 ? "least" : "most", nargs < 14 ? 14 : 16, nargs);
    if (!take_numbers(args, &f) || !check_arguments(args, nargs) ||
        !argument_int(args[12], &f.firstlineno) || !check_not_negative(&f))
        return VALUE_ERROR;
    Value empty = tuple_new(0);
    const ValueRef given[] = {args[8], args[9], nargs > 14 ? args[14] : empty,
                              nargs > 15 ? args[15] : empty};
    Value names[4] = {0}, made = VALUE_ERROR;
    for (int i = 0; empty && i < 4 && (i == 0 || names[i - 1]); i++)
        names[i] = copy_names(given[i]);
    if (names[3]) {
        f.code = args[6], f.consts = args[7], f.filename = args[10], f.name = args[11];
        f.lnotab = args[13];
        f.names = names[0], f.varnames = names[1], f.freevars = names[2], f.cellvars = names[3];
        made = code_new(&f);
    }
    for (int i = 0; i < 4; i++) drop(names[i]);
    drop(empty);
    return made;
}

// ---- code.replace(co_name=...)

static const char *const replace_parameters[] = {
    "co_argcount",  "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals",
    "co_stacksize", "co_flags",           "co_firstlineno",    "co_code",
    "co_consts",    "co_names",           "co_varnames",       "co_freevars",
    "co_cellvars",  "co_filename",        "co_name",           "co_lnotab",
    NULL,
};
static const Signature replace_signature = {"replace", replace_parameters, 0, 0};

#define NUMBERS 7 // of the parameters, the first ones
#define PARAMETERS 16

static bool replace_numbers(const ValueRef *given, CodeFields *f)
{
    int *const fields[NUMBERS] = {&f->argcount,   &f->posonlyargcount, &f->kwonlyargcount,
                                  &f->nlocals,    &f->stacksize,       &f->flags,
                                  &f->firstlineno};
    for (int i = 0; i < NUMBERS; i++)
        if (given[i] && !argument_int(given[i], fields[i])) return false;
    return true;
}

static bool check_positive(const CodeFields *f)
{
    const int numbers[NUMBERS] = {f->argcount,  f->posonlyargcount, f->kwonlyargcount, f->nlocals,
                                  f->stacksize, f->flags,           f->firstlineno};
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i] < 0)
            return raise_error(ValueError, "%s must be a positive integer", replace_parameters[i]);
    return true;
}

static bool replace_values(const ValueRef *given, CodeFields *f)
{
    static const Type *const types[] = {&bytes_type, &tuple_type, &tuple_type,
                                        &tuple_type, &tuple_type, &tuple_type,
                                        &str_type,   &str_type,   &bytes_type};
    ValueRef *const fields[] = {&f->code,     &f->consts,   &f->names, &f->varnames, &f->freevars,
                                &f->cellvars, &f->filename, &f->name,  &f->lnotab};
    for (int i = 0; i < PARAMETERS - NUMBERS; i++) {
        ValueRef value = given[NUMBERS + i];
        if (!value) continue;
        if (!type_is_subtype(type_of(value), types[i]))
            return raise_error(TypeError, "replace() argument '%s' must be %s, not %.50s",
                               replace_parameters[NUMBERS + i], types[i]->name,
                               value == NONE ? "None" : type_of(value)->name);
        *fields[i] = value;
    }
    return true;
}

Value code_replace(ValueRef self, METHOD_ARGS)
{
    const Code *code = as_code(self);
    ValueRef given[PARAMETERS];
    CodeFields f = {
        .argcount = code->argcount,
        .posonlyargcount = code->posonlyargcount,
        .kwonlyargcount = code->kwonlyargcount,
        .nlocals = code->nlocals,
        .stacksize = code->stacksize,
        .flags = code->flags,
        .firstlineno = code->firstlineno,
        .code = code->code,
        .consts = code->consts,
        .names = code->names,
        .varnames = code->varnames,
        .freevars = code->freevars,
        .cellvars = code->cellvars,
        .filename = code->filename,
        .name = code->name,
        .lnotab = code->lnotab,
    };
    if (!args_bind(&replace_signature, args, nargs, kwnames, given) ||
        !replace_numbers(given, &f) || !replace_values(given, &f) || !check_positive(&f))
        return VALUE_ERROR;
    return code_new(&f);
}
