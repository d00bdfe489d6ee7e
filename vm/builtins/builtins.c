// The module `builtins`: the functions that only use their arguments (not the frame, not the
// streams), and the table of all.
//
// CPython: Python/bltinmodule.c, whose messages these are.
#include "vm/builtins/builtins.h"

#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/range.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/build_class.h"
#include "vm/builtins/frame_builtins.h"
#include "vm/builtins/site_builtins.h"
#include "vm/import/import.h"
#include "vm/io/io.h"

static Value module; // the module itself; sys.modules holds it as well

ValueRef builtins_dict(void)
{
    return as_module(module)->dict;
}

ValueRef builtins_module(void)
{
    return module;
}

// ---- asking a value

static Value builtin_abs(FUNCTION_ARGS)
{
    return object_absolute(args[0]);
}
static Value builtin_ascii(FUNCTION_ARGS)
{
    return object_ascii(args[0]);
}
static Value builtin_repr(FUNCTION_ARGS)
{
    return object_repr(args[0]);
}

static Value builtin_callable(FUNCTION_ARGS)
{
    return from_bool(object_is_callable(args[0]));
}

static Value builtin_format(FUNCTION_ARGS)
{
    if (nargs == 2 && !str_check(args[1]))
        return raise_error(TypeError, "format() argument 2 must be str, not %G", args[1]);
    return object_format(args[0], nargs == 2 ? args[1] : 0);
}

static Value builtin_hash(FUNCTION_ARGS)
{
    int64_t hash;
    return object_hash(args[0], &hash) ? int_new(hash) : VALUE_ERROR;
}

// The address of an object; a number made of the word itself for what is no object.
static Value builtin_id(FUNCTION_ARGS)
{
    if (is_object(args[0])) return int_new(memory_id(object_of(args[0])));
    return int_from_uint64(bits_of(args[0]));
}

static Value builtin_len(FUNCTION_ARGS)
{
    ssize_t length;
    return object_length(args[0], &length) ? int_new(length) : VALUE_ERROR;
}

static Value builtin_divmod(FUNCTION_ARGS)
{
    return object_binary(args[0], args[1], OP_DIVMOD);
}

static Value in_base(ValueRef value, int base)
{
    Value number = object_index(value);
    Value text = number ? int_to_text(number, base, true) : VALUE_ERROR;
    drop(number);
    return text;
}

static Value builtin_bin(FUNCTION_ARGS)
{
    return in_base(args[0], 2);
}
static Value builtin_oct(FUNCTION_ARGS)
{
    return in_base(args[0], 8);
}
static Value builtin_hex(FUNCTION_ARGS)
{
    return in_base(args[0], 16);
}

// ---- characters

static Value builtin_chr(FUNCTION_ARGS)
{
    int point;
    if (!argument_int(args[0], &point)) return VALUE_ERROR;
    if (point < 0 || point > 0x10FFFF)
        return raise_error(ValueError, "chr() arg not in range(0x110000)");
    return str_from_code_point((uint32_t)point);
}

static Value builtin_ord(FUNCTION_ARGS)
{
    ssize_t length;
    if (str_check(args[0])) {
        length = str_length(args[0]);
        if (length == 1) return from_small(str_at(as_str(args[0]), 0));
    } else if (bytes_check(args[0])) {
        length = as_bytes(args[0])->size;
        if (length == 1) return from_small((unsigned char)as_bytes(args[0])->data[0]);
    } else if (type_is_subtype(type_of(args[0]), &bytearray_type)) {
        const ByteArray *array = (const ByteArray *)object_of(args[0]);
        length = array->size;
        if (length == 1) return from_small((unsigned char)array->data[0]);
    } else {
        return raise_error(TypeError, "ord() expected string of length 1, but %.200T found",
                           args[0]);
    }
    return raise_error(TypeError, "ord() expected a character, but string of length %zd found",
                       length);
}

// ---- attributes

static bool attribute_name(ValueRef name, const char *function)
{
    return str_check(name) ||
           raise_error(TypeError, "%s(): attribute name must be string", function);
}

static Value builtin_getattr(FUNCTION_ARGS)
{
    if (!attribute_name(args[1], "getattr")) return VALUE_ERROR;
    if (nargs == 2) return object_get(args[0], args[1]);
    Value value = object_get_optional(args[0], args[1]);
    return value == ABSENT ? retain(args[2]) : value;
}

static Value builtin_hasattr(FUNCTION_ARGS)
{
    if (!attribute_name(args[1], "hasattr")) return VALUE_ERROR;
    Value value = object_get_optional(args[0], args[1]);
    if (!value) return VALUE_ERROR;
    bool there = value != ABSENT;
    drop(value);
    return from_bool(there);
}

static Value builtin_setattr(FUNCTION_ARGS)
{
    return object_set(args[0], args[1], args[2]) ? NONE : VALUE_ERROR;
}

static Value builtin_delattr(FUNCTION_ARGS)
{
    return object_delete(args[0], args[1]) ? NONE : VALUE_ERROR;
}

static Value builtin_isinstance(FUNCTION_ARGS)
{
    bool result;
    return object_is_instance(args[0], args[1], &result) ? from_bool(result) : VALUE_ERROR;
}

static Value builtin_issubclass(FUNCTION_ARGS)
{
    bool result;
    return object_is_subclass(args[0], args[1], &result) ? from_bool(result) : VALUE_ERROR;
}

// ---- iteration

static Value builtin_iter(FUNCTION_ARGS)
{
    if (nargs == 1) return object_iter(args[0]);
    if (!object_is_callable(args[0]))
        return raise_error(TypeError, "iter(v, w): v must be callable");
    return callable_iterator_new(args[0], args[1]);
}

static Value builtin_next(FUNCTION_ARGS)
{
    UnaryFn next = type_of(args[0])->next;
    if (!next) return raise_error(TypeError, "'%.200T' object is not an iterator", args[0]);
    Value item = next(args[0]);
    if (nargs == 1) return item == ABSENT ? raise_error(StopIteration, NULL) : item;
    if (!item && error_is(StopIteration)) {
        error_clear();
        item = ABSENT;
    }
    return item == ABSENT ? retain(args[1]) : item;
}

// any() is true with the first true item, all() false with the first false one.
static Value find_truth(ValueRef iterable, bool wanted)
{
    Value iterator = object_iter(iterable);
    if (!iterator) return VALUE_ERROR;
    Value item;
    bool truth = !wanted;
    while (truth != wanted && (item = next_of(iterator)) && item != ABSENT) {
        bool known = object_truth(item, &truth);
        drop(item);
        if (!known || !poll_signals()) break;
    }
    drop(iterator);
    return error_pending() ? VALUE_ERROR : from_bool(truth);
}

static Value builtin_any(FUNCTION_ARGS)
{
    return find_truth(args[0], true);
}
static Value builtin_all(FUNCTION_ARGS)
{
    return find_truth(args[0], false);
}

// ---- the rest

static Value builtin_import(FUNCTION_ARGS)
{
    static const char *const names[] = {"name", "globals", "locals", "fromlist", "level", NULL};
    static const Signature signature = {"__import__", names, 1, 5};
    ValueRef given[5];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    int64_t level = 0;
    if (given[4]) {
        ssize_t number;
        if (!object_as_ssize(given[4], &number, OverflowError)) return VALUE_ERROR;
        level = number;
    }
    return import_module_level(given[0], given[1], given[3], (int)level, 0);
}

// Calls a hook of sys by its name, with the arguments as they are.
static Value builtin_breakpoint(FUNCTION_ARGS)
{
    Value sys = import_module("sys");
    Value name = str_intern("breakpointhook");
    Value hook = sys && name ? object_get_optional(sys, name) : VALUE_ERROR;
    drop(sys);
    drop(name);
    if (hook == ABSENT) return raise_error(RuntimeError, "lost sys.breakpointhook");
    Value result = hook ? object_call(hook, args, nargs, kwnames) : VALUE_ERROR;
    drop(hook);
    return result;
}

static const MethodDef functions[] = {
    {"__build_class__", build_class, KEYWORD_ARGS,
     "__build_class__(func, name, /, *bases, metaclass=None, **kwds)\n\nWhat a class statement "
     "calls."},
    {"__import__", builtin_import, KEYWORD_ARGS,
     "__import__(name, globals=None, locals=None, fromlist=(), level=0)\n\nImports a module: "
     "what the import statement calls."},
    {"abs", builtin_abs, ONE_ARG, "abs($module, x, /)\n--\n\nThe absolute value of a number."},
    {"all", builtin_all, ONE_ARG,
     "all($module, iterable, /)\n--\n\nWhether every item is true. True if there is none."},
    {"any", builtin_any, ONE_ARG,
     "any($module, iterable, /)\n--\n\nWhether some item is true. False if there is none."},
    {"ascii", builtin_ascii, ONE_ARG,
     "ascii($module, obj, /)\n--\n\nrepr() of an object, in which what is not ASCII is escaped."},
    {"bin", builtin_bin, ONE_ARG,
     "bin($module, number, /)\n--\n\nThe binary digits of an integer.\n\n>>> bin(10)\n'0b1010'"},
    {"breakpoint", builtin_breakpoint, KEYWORD_ARGS,
     "breakpoint(*args, **kws)\n\nCalls sys.breakpointhook(*args, **kws): the debugger."},
    {"callable", builtin_callable, ONE_ARG,
     "callable($module, obj, /)\n--\n\nWhether an object looks as if it could be called."},
    {"chr", builtin_chr, ONE_ARG,
     "chr($module, i, /)\n--\n\nThe character of a code point, 0 <= i <= 0x10ffff."},
    {"compile", builtin_compile, KEYWORD_ARGS,
     "compile($module, /, source, filename, mode, flags=0, dont_inherit=False, optimize=-1, *, "
     "_feature_version=-1)\n--\n\nThe code object (or tree) of a source for exec(), eval() or "
     "a prompt."},
    {"delattr", builtin_delattr, ARGS(2, 2),
     "delattr($module, obj, name, /)\n--\n\nDeletes an attribute: delattr(x, 'y') is `del x.y`."},
    {"dir", builtin_dir, ARGS(0, 1),
     "dir([object])\n\nThe sorted names of an object's attributes; without one, the names here."},
    {"divmod", builtin_divmod, ARGS(2, 2),
     "divmod($module, x, y, /)\n--\n\nThe pair (x // y, x % y)."},
    {"eval", builtin_eval, ARGS(1, 3),
     "eval($module, source, globals=None, locals=None, /)\n--\n\nThe value of an expression, a "
     "text or a code object."},
    {"exec", builtin_exec, ARGS(1, 3),
     "exec($module, source, globals=None, locals=None, /)\n--\n\nRuns statements, a text or a "
     "code object."},
    {"format", builtin_format, ARGS(1, 2),
     "format($module, value, format_spec='', /)\n--\n\nThe text of a value in a format: "
     "value.__format__(format_spec)."},
    {"getattr", builtin_getattr, ARGS(2, 3),
     "getattr(object, name[, default])\n\ngetattr(x, 'y') is `x.y`; a third argument is given "
     "where there is none."},
    {"globals", builtin_globals, NO_ARGS,
     "globals($module, /)\n--\n\nThe dictionary of the module's variables."},
    {"hasattr", builtin_hasattr, ARGS(2, 2),
     "hasattr($module, obj, name, /)\n--\n\nWhether getattr() finds such an attribute."},
    {"hash", builtin_hash, ONE_ARG,
     "hash($module, obj, /)\n--\n\nThe hash of an object; equal ones have the same."},
    {"hex", builtin_hex, ONE_ARG,
     "hex($module, number, /)\n--\n\nThe hexadecimal digits of an integer.\n\n>>> "
     "hex(255)\n'0xff'"},
    {"id", builtin_id, ONE_ARG,
     "id($module, obj, /)\n--\n\nA number that no other object has at the same time."},
    {"input", builtin_input, ARGS(0, 1),
     "input($module, prompt=None, /)\n--\n\nA line of standard input without its newline, "
     "after the prompt."},
    {"isinstance", builtin_isinstance, ARGS(2, 2),
     "isinstance($module, obj, class_or_tuple, /)\n--\n\nWhether an object is of a class, of a "
     "subclass, or of one of a tuple."},
    {"issubclass", builtin_issubclass, ARGS(2, 2),
     "issubclass($module, cls, class_or_tuple, /)\n--\n\nWhether a class is derived from a "
     "class or from one of a tuple."},
    {"iter", builtin_iter, ARGS(1, 2),
     "iter(iterable), iter(callable, sentinel)\n\nAn iterator over an object, or over a "
     "function's results up to a sentinel."},
    {"len", builtin_len, ONE_ARG,
     "len($module, obj, /)\n--\n\nThe number of items in a container."},
    {"locals", builtin_locals, NO_ARGS,
     "locals($module, /)\n--\n\nThe dictionary of the variables here."},
    {"max", builtin_max, KEYWORD_ARGS,
     "max(iterable, *[, default, key]), max(arg1, arg2, *args, *[, key])\n\nThe largest item, "
     "or argument; `key` says what is compared."},
    {"min", builtin_min, KEYWORD_ARGS,
     "min(iterable, *[, default, key]), min(arg1, arg2, *args, *[, key])\n\nThe smallest item, "
     "or argument; `key` says what is compared."},
    {"next", builtin_next, ARGS(1, 2),
     "next(iterator[, default])\n\nThe iterator's next item; a second argument is given at its "
     "end."},
    {"oct", builtin_oct, ONE_ARG,
     "oct($module, number, /)\n--\n\nThe octal digits of an integer.\n\n>>> oct(64)\n'0o100'"},
    {"open", io_open, KEYWORD_ARGS,
     "open($module, file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, "
     "closefd=True, opener=None)\n--\n\nOpens a file: a stream of text or bytes."},
    {"ord", builtin_ord, ONE_ARG, "ord($module, c, /)\n--\n\nThe code point of a character."},
    {"pow", builtin_pow, KEYWORD_ARGS,
     "pow($module, /, base, exp, mod=None)\n--\n\nbase ** exp, with three arguments modulo the "
     "third."},
    {"print", builtin_print, KEYWORD_ARGS,
     "print(value, ..., sep=' ', end='\\n', file=sys.stdout, flush=False)\n\nWrites values to "
     "sys.stdout or `file`, `sep` between and `end` after them."},
    {"repr", builtin_repr, ONE_ARG,
     "repr($module, obj, /)\n--\n\nThe text of an object as it would be written in a program, "
     "if it can be."},
    {"round", builtin_round, KEYWORD_ARGS,
     "round($module, /, number, ndigits=None)\n--\n\nThe number with so many digits after the "
     "point, an int without `ndigits`."},
    {"setattr", builtin_setattr, ARGS(3, 3),
     "setattr($module, obj, name, value, /)\n--\n\nSets an attribute: setattr(x, 'y', v) is "
     "`x.y = v`."},
    {"sorted", builtin_sorted, KEYWORD_ARGS,
     "sorted($module, iterable, /, *, key=None, reverse=False)\n--\n\nA list of all items in "
     "ascending order."},
    {"sum", builtin_sum, KEYWORD_ARGS,
     "sum($module, iterable, /, start=0)\n--\n\n`start` plus all items."},
    {"vars", builtin_vars, ARGS(0, 1),
     "vars([object])\n\nx.__dict__; without an argument, locals()."},
    {0},
};

static Type *const types[] = {
    &bool_type,         &memoryview_type, &bytearray_type, &bytes_type,  &classmethod_type,
    &complex_type,      &dict_type,       &enumerate_type, &filter_type, &float_type,
    &frozenset_type,    &property_type,   &int_type,       &list_type,   &map_type,
    &object_type,       &range_type,      &reversed_type,  &set_type,    &slice_type,
    &staticmethod_type, &str_type,        &super_type,     &tuple_type,  &type_type,
    &zip_type,
};

static bool add_constants(void)
{
    return module_add(module, "None", NONE) && module_add(module, "Ellipsis", ELLIPSIS) &&
           module_add(module, "NotImplemented", NOT_IMPLEMENTED) &&
           module_add(module, "False", FALSE) && module_add(module, "True", TRUE) &&
           module_add(module, "__debug__", TRUE);
}

static bool add_types(void)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!module_add_type(module, types[i])) return false;
#define EXCEPTION(name, base, layout, doc)                                                         \
    if (!module_add_type(module, name)) return false;
#include "objects/exceptions/exceptions.def"
#undef EXCEPTION
    return module_add(module, "EnvironmentError", ref_of(OSError)) &&
           module_add(module, "IOError", ref_of(OSError));
}

bool builtins_init(void)
{
    static const ModuleDef def = {
        .name = "builtins",
        .doc = "Functions, types and exceptions that every program finds without import.",
        .functions = functions,
    };
    module = import_c_module(&def);
    return module && add_constants() && add_types() && site_builtins_add(module);
}

bool builtins_renew(void)
{
    Value before = module;
    module = VALUE_ERROR;
    if (builtins_init()) {
        drop(before);
        return true;
    }
    replace_slot(&module, before);
    return false;
}

void builtins_finish(void)
{
    drop_slot(&module);
}
