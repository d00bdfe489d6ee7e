// The module _pickle: its types, functions and exceptions. See pickle.h.
//
// vm/lib/pickle.mpy has the opcodes and the names of Python 2 around it.
#include "objects/dict.h"
#include "objects/module.h"
#include "vm/modules/pickle/pickle.h"

#include <stdarg.h>

Value pickling_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_of_module("_pickle", "PicklingError", format, arguments);
    va_end(arguments);
    return VALUE_ERROR;
}

Value unpickling_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_of_module("_pickle", "UnpicklingError", format, arguments);
    va_end(arguments);
    return VALUE_ERROR;
}

static const MethodDef functions[] = {
    {"dump", pickler_dump, KEYWORD_ARGS,
     "dump($module, /, obj, file, protocol=None, *, fix_imports=True,\n     buffer_callback=None)\n"
     "--\n\nWrites an object into a file."},
    {"dumps", pickler_dumps, KEYWORD_ARGS,
     "dumps($module, /, obj, protocol=None, *, fix_imports=True,\n      buffer_callback=None)\n"
     "--\n\nAn object as bytes."},
    {"load", unpickler_load, KEYWORD_ARGS,
     "load($module, /, file, *, fix_imports=True, encoding='ASCII',\n     errors='strict', "
     "buffers=())\n--\n\nReads an object from a file."},
    {"loads", unpickler_loads, KEYWORD_ARGS,
     "loads($module, data, /, *, fix_imports=True, encoding='ASCII',\n      errors='strict', "
     "buffers=())\n--\n\nReads an object from bytes."},
    {0},
};

// The two kinds of PickleError.
static bool add_errors(ValueRef module)
{
    if (!module_add_exception(module, "_pickle", "PickleError", Exception)) return false;
    Type *base = as_type(dict_peek_ascii(as_module(module)->dict, "PickleError"));
    return module_add_exception(module, "_pickle", "PicklingError", base) &&
           module_add_exception(module, "_pickle", "UnpicklingError", base);
}

static bool fill(ValueRef module)
{
    Type *const types[] = {&pickler_type, &unpickler_type, &pickle_buffer_type, &pickler_memo_type,
                           &unpickler_memo_type};
    return types_ready(types, 5) && module_add_type(module, &pickler_type) &&
           module_add_type(module, &unpickler_type) &&
           module_add_type(module, &pickle_buffer_type) && add_errors(module);
}

const ModuleDef _pickle_module = {
    .name = "_pickle",
    .doc = "Objects as bytes and back: the half of pickle in C.",
    .functions = functions,
    .fill = fill,
};
