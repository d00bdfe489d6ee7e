// The module _weakref, on which vm/lib/weakref.mpy is built.
#include "objects/classes/weakref.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/type.h"

static Value weakref_module_getweakrefcount(FUNCTION_ARGS)
{
    return int_new(weakref_count(args[0]));
}

static Value weakref_module_getweakrefs(FUNCTION_ARGS)
{
    return weakref_list(args[0]);
}

static Value weakref_module_proxy(FUNCTION_ARGS)
{
    return weakref_proxy_new(args[0], nargs > 1 ? args[1] : VALUE_ERROR);
}

// del dict[key], if the value there is a dead reference; a living one has been put in its place
// meanwhile.
static Value weakref_module_remove_dead(FUNCTION_ARGS)
{
    if (!dict_check(args[0]))
        return raise_error(TypeError, "_remove_dead_weakref() argument 1 must be dict, not %.50T",
                           args[0]);
    Value found = dict_get(args[0], args[1]);
    if (!found || found == ABSENT) return found ? NONE : VALUE_ERROR;
    bool reference = type_is_subtype(type_of(found), &weakref_type);
    bool dead = reference && !weakref_target(found);
    drop(found);
    if (!reference) return raise_error(TypeError, "not a weakref");
    return !dead || dict_delete(args[0], args[1]) ? NONE : VALUE_ERROR;
}

static const MethodDef functions[] = {
    {"getweakrefcount", weakref_module_getweakrefcount, ONE_ARG, NULL},
    {"_remove_dead_weakref", weakref_module_remove_dead, ARGS(2, 2), NULL},
    {"getweakrefs", weakref_module_getweakrefs, ONE_ARG, NULL},
    {"proxy", weakref_module_proxy, UNPACKED_ARGS(1, 2), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return module_add(module, "ref", ref_of(&weakref_type)) &&
           module_add(module, "ReferenceType", ref_of(&weakref_type)) &&
           module_add(module, "ProxyType", ref_of(&weakproxy_type)) &&
           module_add(module, "CallableProxyType", ref_of(&weakcallableproxy_type));
}

const ModuleDef _weakref_module = {
    .name = "_weakref",
    .doc = "Weak-reference support module.",
    .functions = functions,
    .fill = fill,
};
