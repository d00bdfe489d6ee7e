// The module torch._C._dynamo.guards: native guards (guard.h), under PyTorch's names, and what
// compiled graphs call for their tensors (strided.h).
#include "frames/guards/guard.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "vm/modules/torch/inductor/strided.h"

static Value install_object_aliasing_guard(FUNCTION_ARGS)
{
    return guard_manager_relate(args[0], args[1], nargs > 2 ? args[2] : VALUE_ERROR);
}

static Value install_no_tensor_aliasing_guard(FUNCTION_ARGS)
{
    return guard_manager_forbid_aliasing(args[0], args[1], args[2]);
}

static Value dict_version(FUNCTION_ARGS)
{
    if (!dict_check(args[0])) return raise_error(TypeError, "expected a dict, not '%T'", args[0]);
    return int_from_uint64(as_dict(args[0])->version);
}

static const MethodDef functions[] = {
    {"install_object_aliasing_guard", install_object_aliasing_guard, ARGS(2, 3),
     "The values of two GuardManagers of one tree must be the same object."},
    {"install_no_tensor_aliasing_guard", install_no_tensor_aliasing_guard, ARGS(3, 3),
     "No two of the values of GuardManagers of one tree may be the same object."},
    {"dict_version", dict_version, ONE_ARG, "A number that changes with every change of the dict."},
    {"assert_size_stride", assert_size_stride, ARGS(3, 3), "A tensor has this shape."},
    {"_empty_strided_cpu", empty_strided_cpu, ARGS(3, 3), "A tensor that is not filled in."},
    {"_reinterpret_tensor", reinterpret_tensor, ARGS(3, 4), "Another shape of the same memory."},
    {0},
};

static bool fill(ValueRef module)
{
    Type *const types[] = {&guard_manager_type, &root_guard_manager_type, &guard_debug_info_type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!type_ready(types[i]) || !module_add_type(module, types[i])) return false;
    return true;
}

const ModuleDef guards_module = {
    .name = "torch._C._dynamo.guards",
    .functions = functions,
    .fill = fill,
};
