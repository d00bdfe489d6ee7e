// The module _decimal, which `decimal` shows. See decimal.h.
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "vm/modules/decimal/decimal.h"

// Class.register(type), of a class in a module of the library.
static bool register_with(const char *module_name, const char *class_name, Type *type)
{
    Value class = attribute_of(module_name, class_name);
    Value method = class ? str_intern("register") : VALUE_ERROR;
    Value result = method ? object_call_method_one(class, method, ref_of(type)) : VALUE_ERROR;
    drop(result);
    drop(method);
    drop(class);
    return result;
}

static bool add_constants(ValueRef module)
{
    for (int i = 0; i < ROUNDING_COUNT; i++)
        if (!module_add_owned(module, rounding_names[i], str_intern(rounding_names[i])))
            return false;
    return module_add_owned(module, "MAX_PREC", int_new(MAX_PREC)) &&
           module_add_owned(module, "MAX_EMAX", int_new(MAX_EMAX)) &&
           module_add_owned(module, "MIN_EMIN", int_new(MIN_EMIN)) &&
           module_add_owned(module, "MIN_ETINY", int_new(MIN_ETINY)) &&
           module_add(module, "HAVE_THREADS", TRUE) &&
           module_add(module, "HAVE_CONTEXTVAR", TRUE) &&
           module_add_owned(module, "__version__", str_new("1.70")) &&
           module_add_owned(module, "__libmpdec_version__", str_new("2.5.0"));
}

static bool fill(ValueRef module)
{
    Type *const types[] = {&decimal_type, &decimal_context_type, &context_manager_type,
                           &signal_dict_mixin_type};
    return types_ready(types, 4) && register_with("numbers", "Number", &decimal_type) &&
           module_add_type(module, &decimal_type) &&
           module_add_type(module, &decimal_context_type) && signals_init(module) &&
           current_init(module) && add_constants(module);
}

static void finish(void)
{
    current_finish();
    signals_finish();
    logarithms_finish();
}

const ModuleDef _decimal_module = {
    .name = "_decimal",
    .doc = "Decimal arithmetic, for `decimal`.",
    .functions = current_functions,
    .fill = fill,
    .finish = finish,
};
