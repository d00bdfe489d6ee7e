// The finders of sys.meta_path: importlib._finding asks them, in mini-Python. The list is empty
// until a script puts a finder there, or imports importlib.machinery.
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

// importlib._finding.load_by_hooks, which is itself imported without them.
static Value hooks_function(void)
{
    static bool importing;
    if (importing) return ABSENT;
    importing = true;
    Value module = import_module("importlib._finding");
    importing = false;
    Value name = module ? str_intern("load_by_hooks") : VALUE_ERROR;
    Value function = name ? object_get(module, name) : VALUE_ERROR;
    drop(name);
    drop(module);
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
