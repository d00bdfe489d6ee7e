// What the import in C leaves to importlib._finding, in mini-Python: the finders of sys.meta_path,
// and packages that are nothing but folders. The list of finders is empty until a script puts one
// there, or imports importlib.machinery.
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "vm/import/find_module.h"
#include "vm/import/import.h"
#include "vm/sys/sys.h"

static bool have_finders(void)
{
    ValueRef finders = sys_get("meta_path");
    return finders && list_check(finders) && list_size(finders) > 0;
}

static Value finding_function(const char *function_name)
{
    Value module = import_module("importlib._finding");
    Value name = module ? str_intern(function_name) : VALUE_ERROR;
    Value function = name ? object_get(module, name) : VALUE_ERROR;
    drop(name);
    drop(module);
    return function;
}

// importlib._finding is itself imported without the finders.
static Value hooks_function(void)
{
    static bool importing;
    if (importing) return ABSENT;
    importing = true;
    Value function = finding_function("load_by_hooks");
    importing = false;
    return function;
}

Value load_by_hooks(ValueRef name, ValueRef path)
{
    if (!have_finders()) return ABSENT;
    Value function = hooks_function();
    if (!function || function == ABSENT) return function;
    Value module = object_call_two(function, name, path);
    drop(function);
    return module == NONE ? ABSENT : module;
}

Value load_namespace(ValueRef name, ValueRef portions)
{
    Value function = finding_function("load_namespace");
    Value module = function ? object_call_two(function, name, portions) : VALUE_ERROR;
    drop(function);
    return module;
}
