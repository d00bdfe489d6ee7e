// `minivm -m name`: finds a module and runs it as __main__. (CPython: Lib/runpy.py.)
//
// Of a package its submodule __main__ is run. What is wrong with the name is a message and status 1
// (SystemExit); what is wrong in a package that is imported on the way is an exception as others.
#include "objects/containers/list.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/import/find_module.h"
#include "vm/import/import.h"
#include "vm/io/path.h"
#include "vm/sys/sys.h"

static bool ends_with(ValueRef name, const char *end)
{
    ssize_t size = (ssize_t)strlen(end), start = str_length(name) - size;
    Value tail = start < 0 ? VALUE_ERROR : str_substring(name, start, str_length(name));
    bool same = tail && str_equal_ascii(tail, end);
    drop(tail);
    return same;
}

// Is the pending error that `package`, or one that it is in, does not exist?
static bool lacks_package(ValueRef package)
{
    if (!error_is(ImportError)) return false;
    ValueRef missing = as_exception(error_peek())->import_error.name;
    if (!missing || !str_check(missing)) return false;
    ssize_t size = str_length(missing);
    if (size > str_length(package)) return false; // one that the package itself imports
    Value first = str_substring(package, 0, size);
    bool lacks = first && str_equal(first, missing) &&
                 (str_length(package) == size || str_at(as_str(package), size) == '.');
    drop(first);
    return lacks;
}

// The message for an error that finding the module has raised, which is cleared.
static Value search_failed(ValueRef name)
{
    if (!error_is(ImportError) && !error_is(AttributeError) && !error_is(TypeError) &&
        !error_is(ValueError))
        return VALUE_ERROR;
    Value error = error_take();
    Value text = format_text("Error while finding module specification for %R (%T: %S)", name,
                             (ValueRef)error, (ValueRef)error);
    if (text && ends_with(name, ".py")) {
        Value stem = str_substring(name, 0, str_length(name) - 3);
        Value more = stem ? format_text("%S. Try using '%S' instead of '%S' as the module name.",
                                        (ValueRef)text, (ValueRef)stem, name)
                          : VALUE_ERROR;
        drop(stem);
        replace_slot(&text, more);
    }
    drop(error);
    return text;
}

// The packages are imported first: an error in one of them is shown as it is.
static bool import_package(ValueRef name)
{
    ssize_t dot = str_find_char(name, '.', 0, str_length(name), -1);
    if (dot <= 0) return true;
    Value package = str_substring(name, 0, dot);
    Value module = package ? import_for_program(package) : VALUE_ERROR;
    bool done = module || (package && lacks_package(package));
    if (!module && done) error_clear(); // the search says so in its own words
    drop(module);
    drop(package);
    return done;
}

typedef struct MainModule {
    Value name;
    FoundModule found;
} MainModule;

static Value find_main(ValueRef name, MainModule *main);

// A package: its __main__.
static Value find_in_package(ValueRef name, MainModule *main)
{
    if (str_equal_ascii(name, "__main__") || ends_with(name, ".__main__"))
        return str_new("Cannot use package as __main__ module");
    found_module_drop(&main->found);
    Value inner = format_text("%S.__main__", name);
    Value message = inner ? find_main(inner, main) : VALUE_ERROR;
    drop(inner);
    if (!message || message == NONE || !dict_peek(import_modules(), name)) return message;
    Value longer =
        format_text("%S; %R is a package and cannot be directly executed", (ValueRef)message, name);
    drop(message);
    return longer;
}

// Its package has imported the module already: it will be there twice. NONE: it can be run all the
// same. A str: it is another module by a second name, os.path.
static Value check_imported(ValueRef name, ValueRef module)
{
    Value path = object_get_optional(module, NAME(__path__));
    bool is_module = path == ABSENT;
    drop(path);
    if (!is_module) return path ? NONE : VALUE_ERROR;
    Value package = str_substring(name, 0, str_find_char(name, '.', 0, str_length(name), -1));
    bool warned =
        package && warn(RuntimeWarning, 1,
                        "%R found in sys.modules after import of package %R, but prior to "
                        "execution of %R; this may result in unpredictable behaviour",
                        name, (ValueRef)package, name);
    drop(package);
    Value own_name = warned ? object_get_optional(module, NAME(__name__)) : VALUE_ERROR;
    if (!own_name || own_name == ABSENT || !str_check(own_name) || str_equal(own_name, name)) {
        drop(own_name);
        return own_name ? NONE : VALUE_ERROR;
    }
    Value message = format_text("loader for %S cannot handle %S", (ValueRef)own_name, name);
    drop(own_name);
    return message;
}

// NONE: it is found. A str: why there is nothing to run. VALUE_ERROR: an exception.
static Value find_main(ValueRef name, MainModule *main)
{
    if (!import_package(name)) return VALUE_ERROR;
    Value imported = dict_get(import_modules(), name);
    bool has_package = str_find_char(name, '.', 0, str_length(name), 1) > 0;
    Value message =
        imported != ABSENT && has_package ? check_imported(name, imported) : (Value)NONE;
    drop(imported);
    if (message != NONE) return message;
    if (!import_find_for_main(name, &main->found)) return search_failed(name);
    if (main->found.is_package) return find_in_package(name, main);
    main->name = retain(name);
    if (main->found.kind) return NONE;
    return import_is_in_c(name) ? format_text("No code object available for %S", name)
                                : format_text("No module named %S", name);
}

// sys.argv[0] becomes the file; one of the library is called as in CPython there, dis.py.
static bool set_program_name(const FoundModule *found)
{
    ValueRef words = sys_get("argv"), file = found->filename;
    if (!words || !list_check(words) || !list_size(words)) return true;
    Value stem = VALUE_ERROR, name = VALUE_ERROR;
    if (found->kind == MODULE_LIBRARY)
        stem = str_substring(file, 0, str_length(file) - (ssize_t)strlen("mpy"));
    if (found->kind == MODULE_LIBRARY)
        name = stem ? format_text("%Spy", (ValueRef)stem) : VALUE_ERROR;
    else
        name = retain(file);
    bool done = name && object_set_subscript(words, from_small(0), name);
    drop(stem);
    drop(name);
    return done;
}

// What only the finders can find: in a zip file, say.
static bool run_by_finders(ValueRef name, bool alter_argv)
{
    Value module = import_module("runpy");
    Value key = module ? str_intern("_run_module_as_main") : VALUE_ERROR;
    Value function = key ? object_get(module, key) : VALUE_ERROR;
    Value result = function ? object_call_two(function, name, from_bool(alter_argv)) : VALUE_ERROR;
    drop(result);
    drop(function);
    drop(key);
    drop(module);
    return result != VALUE_ERROR;
}

bool import_run_zip(const char *file)
{
    (void)file; // sys.path has it
    return run_by_finders(NAME(__main__), false);
}

static bool run_name(ValueRef name)
{
    MainModule main = {0};
    Value message = str_length(name) && str_at(as_str(name), 0) == '.'
                        ? str_new("Relative module names not supported")
                        : find_main(name, &main);
    bool done = message == NONE && main.found.kind == MODULE_BY_HOOKS
                    ? run_by_finders(name, true)
                    : message == NONE && set_program_name(&main.found) &&
                          import_run_found(main.name, &main.found);
    if (message && message != NONE) {
        raise_error(SystemExit, "minivm: %S", (ValueRef)message);
        drop(message);
    }
    drop(main.name);
    found_module_drop(&main.found);
    return done;
}

bool import_run_as_main(const char *name)
{
    Value text = path_from_system(name, strlen(name));
    bool done = text && run_name(text);
    drop(text);
    return done;
}

bool import_run_folder(const char *folder)
{
    Value entry = path_from_system(folder, strlen(folder)), path = list_new(1);
    FoundModule found = {0};
    bool done =
        entry && path && list_append(path, entry) && find_module(NAME(__main__), path, &found);
    if (done && found.kind == MODULE_FILE)
        done = import_run_found(NAME(__main__), &found);
    else if (done)
        done =
            raise_error(SystemExit, "minivm: can't find '__main__' module in %R", (ValueRef)entry);
    found_module_drop(&found);
    drop(path);
    drop(entry);
    return done;
}
