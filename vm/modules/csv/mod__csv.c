// The module _csv: its functions, the registry of dialects, and its exception. See csv.h.
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/modules/csv/csv.h"

#include <stdarg.h>

Value csv_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    raise_of_module("_csv", "Error", format, arguments);
    va_end(arguments);
    return VALUE_ERROR;
}

static Value register_dialect(FUNCTION_ARGS)
{
    if (nargs && !str_check(args[0]))
        return raise_error(TypeError, "dialect name must be a string");
    Value dialect = csv_dialect_of(args, nargs, kwnames);
    Value registry = dialect ? csv_registry() : VALUE_ERROR;
    bool ok = registry && dict_set(registry, args[0], dialect);
    drop(registry);
    drop(dialect);
    return ok ? NONE : VALUE_ERROR;
}

static Value unregister_dialect(FUNCTION_ARGS)
{
    Value registry = csv_registry();
    bool ok = registry && dict_delete(registry, args[0]);
    drop(registry);
    if (ok) return NONE;
    if (!error_is(KeyError)) return VALUE_ERROR;
    error_clear();
    return csv_error("unknown dialect");
}

static Value get_dialect(FUNCTION_ARGS)
{
    return csv_registered(args[0]);
}

static Value list_dialects(FUNCTION_ARGS)
{
    Value registry = csv_registry();
    Value list = registry ? dict_keys(registry) : VALUE_ERROR;
    drop(registry);
    return list;
}

static const MethodDef functions[] = {
    {"reader", csv_reader, KEYWORD_ARGS,
     "reader(lines, dialect='excel', **settings)\n\nAn iterator over the rows of a text."},
    {"writer", csv_writer, KEYWORD_ARGS,
     "writer(file, dialect='excel', **settings)\n\nAn object that writes rows into a file."},
    {"register_dialect", register_dialect, KEYWORD_ARGS, "Gives a dialect a name."},
    {"unregister_dialect", unregister_dialect, ONE_ARG, "Forgets the dialect of a name."},
    {"get_dialect", get_dialect, ONE_ARG, "The dialect of a name."},
    {"list_dialects", list_dialects, NO_ARGS, "The names of all dialects."},
    {"field_size_limit", csv_field_size_limit, ARGS(0, 1),
     "The longest field that is read; an argument sets another."},
    {0},
};

static bool fill(ValueRef module)
{
    static const char *const names[] = {"QUOTE_MINIMAL", "QUOTE_ALL", "QUOTE_NONNUMERIC",
                                        "QUOTE_NONE"};
    for (int i = QUOTE_MINIMAL; i <= QUOTE_NONE; i++)
        if (!module_add(module, names[i], from_small(i))) return false;
    return type_ready(&csv_dialect_type) && type_ready(&csv_reader_type) &&
           type_ready(&csv_writer_type) && module_add_type(module, &csv_dialect_type) &&
           module_add_owned(module, "_dialects", dict_new()) &&
           module_add_owned(module, "__version__", str_new("1.0")) &&
           module_add_exception(module, "_csv", "Error", Exception);
}

const ModuleDef _csv_module = {
    .name = "_csv",
    .doc = "Rows of text and their fields, for the module csv.",
    .functions = functions,
    .fill = fill,
};
