// The module torch._C: tensors and their operators, for torch/__init__.mpy.
//
// TensorBase is made ready when the module is imported, so a script that does not import torch pays
// nothing. `class Tensor(TensorBase)` of torch/_tensor.mpy is announced by _set_tensor_type().
#include "frames/guards/guard.h"
#include "objects/call.h"
#include "objects/classes/method.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/autograd/anomaly.h"
#include "vm/modules/torch/autograd/gradient.h"
#include "vm/modules/torch/call/autocast.h"
#include "vm/modules/torch/call/dispatch.h"
#include "vm/modules/torch/call/fake.h"
#include "vm/modules/torch/call/functions.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/overrides.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/call/torch_objects.h"
#include "vm/modules/torch/call/transform.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/random_generator.h"
#include "vm/modules/torch/tensor_parts.h"

ValueRef torch_disabled_function;
static Value held_tensor_type;

// ---- functions for the library

static Value set_tensor_type(FUNCTION_ARGS)
{
    if (!type_check(args[0]) || !type_is_subtype(as_type(args[0]), &tensor_base_type))
        return raise_error(TypeError, "_set_tensor_type() expects a class derived from TensorBase");
    replace_slot(&held_tensor_type, retain(args[0]));
    tensor_type = as_type(args[0]);
    return NONE;
}

// What runs an operator on a class that derives from Tensor as if it were a Tensor.
static Value disabled_torch_function(FUNCTION_ARGS)
{
    if (nargs != 4 || kwnames)
        return raise_error(TypeError, "__torch_function__ expects four arguments");
    if (!tuple_check(args[2]) || !dict_check(args[3]))
        return raise_error(TypeError,
                           "__torch_function__ expects a tuple and a dict, not %T and %T", args[2],
                           args[3]);
    bool before = op_state.subclasses_off;
    op_state.subclasses_off = true;
    Value result = object_call_spread(args[0], args[2], args[3]);
    op_state.subclasses_off = before;
    return result;
}

// Switches __torch_function__ of classes derived from Tensor off or on; returns what was before.
static Value set_subclasses_off(FUNCTION_ARGS)
{
    bool before = op_state.subclasses_off;
    op_state.subclasses_off = args[0] == TRUE;
    return from_bool(before);
}

static Value result_type(FUNCTION_ARGS)
{
    PromoteState state;
    promote_begin(&state);
    for (size_t i = 0; i < nargs; i++) {
        bool fits = tensor_check(args[i]) || int_check(args[i]) || float_check(args[i]) ||
                    complex_check(args[i]) || symbolic_kind(args[i]) >= 0;
        if (!fits)
            return raise_error(TypeError, "_result_type() expects tensors and numbers, not %T",
                               args[i]);
        promote_operand(&state, args[i]);
    }
    return retain(dtype_value(promote_result(&state)));
}

static Value promote_two_types(FUNCTION_ARGS)
{
    if (!dtype_check(args[0]) || !dtype_check(args[1]))
        return raise_error(TypeError, "two dtypes are expected");
    return retain(dtype_value(promote_types(dtype_of(args[0]), dtype_of(args[1]))));
}

static Value can_cast(FUNCTION_ARGS)
{
    if (!dtype_check(args[0]) || !dtype_check(args[1]))
        return raise_error(TypeError, "two dtypes are expected");
    return from_bool(dtype_can_cast(dtype_of(args[0]), dtype_of(args[1])));
}

static Value get_default_dtype(FUNCTION_ARGS)
{
    return retain(dtype_value(op_state.default_dtype));
}

static Value set_default_dtype(FUNCTION_ARGS)
{
    if (!dtype_check(args[0]))
        return raise_error(TypeError, "invalid dtype object: only floating-point types are "
                                      "supported as the default type");
    if (!dtype_is_floating(dtype_of(args[0])))
        return raise_error(TypeError,
                           "only floating-point types are supported as the default type");
    op_state.default_dtype = dtype_of(args[0]);
    return NONE;
}

// The word of GLOBAL_STATE guards.
static uint64_t settings = 1 << 16; // what is set for a whole run, three fields: one thread
static uint64_t global_state(void)
{
    bool off = op_state.subclasses_off || op_state.functions_off;
    return (uint64_t)op_state.grad_enabled | (uint64_t)op_state.inference << 8 |
           (uint64_t)off << 16 | settings << 24 | (uint64_t)op_state.default_dtype << 48;
}

// _guard_settings(is_deterministic, warns_only, threads)
static Value guard_settings(FUNCTION_ARGS)
{
    settings = 0;
    for (int i = 0; i < 3; i++) {
        int number;
        if (!argument_int(args[i], &number)) return VALUE_ERROR;
        settings |= (uint64_t)(number & 0xFF) << 8 * i;
    }
    return NONE;
}

// _op(name): what the library reads of the rows of a name.
static Value op_rows(FUNCTION_ARGS);

// _call_row(index, inplace, args, kwargs[, overload]): that row of the table and no other. With the
// object of torch.ops, those that override are asked before.
static Value call_row(FUNCTION_ARGS)
{
    int index;
    if (!argument_int(args[0], &index)) return VALUE_ERROR;
    if (index < 0 || index >= OP_COUNT || !tuple_check(args[2]) || !dict_check(args[3]))
        return raise_error(TypeError, "_call_row() expects a row, a bool, a tuple and a dict");
    Value answer = nargs == 5 ? override_object(args[4], args[2], args[3]) : ABSENT;
    if (answer != ABSENT) return answer;
    return op_row_call((OpIndex)index, args[1] == TRUE, args[2], args[3]);
}

// _op_name(index): the name and overload of a row.
static Value op_name(FUNCTION_ARGS)
{
    int index;
    if (!argument_int(args[0], &index)) return VALUE_ERROR;
    if (index < 0 || index >= OP_COUNT) return raise_error(IndexError, "there is no such row");
    Value items[] = {str_new(op_table[index].name), str_new(op_table[index].overload)};
    return tuple_from_owned(items, 2);
}

// _op_kind(name): the bit of a kind, in the kinds of a row.
static Value op_kind(FUNCTION_ARGS)
{
#define KIND(name) {#name, name}
    static const struct {
        const char *name;
        OpKind kind;
    } kinds[] = {KIND(INPLACE), KIND(OUT),       KIND(MUTATES), KIND(FACTORY), KIND(RANDOM),
                 KIND(VIEWS),   KIND(POINTWISE), KIND(DIVIDES), KIND(COMPOSED)};
#undef KIND
    for (size_t i = 0; str_check(args[0]) && i < sizeof kinds / sizeof *kinds; i++)
        if (str_equal_ascii(args[0], kinds[i].name)) return from_small(kinds[i].kind);
    return raise_error(ValueError, "there is no such kind: %R", args[0]);
}

// PyTorch counts uses here; a module that traced code makes shows this call in the graph.
static Value log_api_usage_once(FUNCTION_ARGS)
{
    return NONE;
}

static const MethodDef functions[] = {
    {"_log_api_usage_once", log_api_usage_once, ONE_ARG, "Does nothing: uses are not counted."},
    {"_set_tensor_type", set_tensor_type, ONE_ARG, "The class of results."},
    {"_disabled_torch_function_impl", disabled_torch_function, KEYWORD_ARGS, NULL},
    {"_set_subclasses_off", set_subclasses_off, ONE_ARG, NULL},
    {"_result_type", result_type, ARGS(2, 2), "The dtype of an operation on tensors and numbers."},
    {"_promote_types", promote_two_types, ARGS(2, 2), NULL},
    {"_can_cast", can_cast, ARGS(2, 2), NULL},
    {"get_default_dtype", get_default_dtype, NO_ARGS, NULL},
    {"set_default_dtype", set_default_dtype, ONE_ARG, NULL},
    {"_guard_settings", guard_settings, ARGS(3, 3), "What compiled code is guarded by."},
    {"_call_row", call_row, ARGS(4, 5), "Calls one row: torch/_ops.mpy."},
    {"_op_name", op_name, ONE_ARG, "The name and overload of a row."},
    {"_op_kind", op_kind, ONE_ARG, "The bit of a kind of operators."},
    {"_op", op_rows, ONE_ARG, "The rows of an operator's name: a list of dicts."},
    {0},
};

// ---- the table, for the library

// A second name shows the row that it stands for.
static Value op_row(const OpDef *op)
{
    if (op->called) op = op->called;
    Value dict = dict_new();
    const char *texts[][2] = {
        {"name", op->name},
        {"overload", op->overload},
        {"schema", op->schema},
        {"expression", op->expression},
        {"rule", op->rule_name},
        {"kernel", op->kernel_name},
        {"derivative", op->derivative},
        {"decomposition", op->decomposition},
        {"doc", op->doc},
    };
    for (size_t i = 0; dict && i < sizeof texts / sizeof *texts; i++) {
        Value text = str_new(texts[i][1]);
        if (!text || !dict_set_ascii(dict, texts[i][0], text)) drop_slot(&dict);
        drop(text);
    }
    if (dict && !(dict_set_ascii(dict, "index", from_small(op_index(op))) &&
                  dict_set_ascii(dict, "kinds", from_small(op->kinds)) &&
                  dict_set_ascii(dict, "promotion", from_small(op->promotion)) &&
                  dict_set_ascii(dict, "operands", from_small(op->operands))))
        drop_slot(&dict);
    return dict;
}

static Value op_rows(FUNCTION_ARGS)
{
    const char *name = str_check(args[0]) ? str_utf8(args[0], NULL) : NULL;
    if (!name) return raise_error(TypeError, "_op() expects a str");
    Value list = list_new(0);
    for (int i = 0; list && i < OP_COUNT; i++)
        if (strcmp(op_table[i].name, name) == 0 && !list_append_owned(list, op_row(&op_table[i])))
            drop_slot(&list);
    return list;
}

// ---- the module

// A name that torch does not take over (`from torch._C import *`) says that it is of torch._C.
static bool add_functions(ValueRef module, const MethodDef *defs)
{
    bool done = true;
    for (; done && defs->name; defs++) {
        Value home = str_new(defs->name[0] == '_' ? "torch._C" : "torch");
        done = home && module_add_owned(module, defs->name, builtin_new(defs, module, home));
        drop(home);
    }
    return done;
}

static bool fill_tensor_base(ValueRef module)
{
    tensor_base_type.methods = tensor_methods;
    tensor_base_type.getset = tensor_getset;
    tensor_fill_slots(&tensor_base_type);
    return type_ready(&storage_type) && type_ready(&tensor_base_type) &&
           module_add_type(module, &tensor_base_type) &&
           module_add(module, "UntypedStorage", ref_of(&storage_type));
}

// A package: torch._C._dynamo is in the library.
static bool add_path(ValueRef module)
{
    Value path = list_new(1);
    bool done = path && list_append_owned(path, str_new("<minivm>/torch/_C")) &&
                module_add(module, "__path__", path);
    drop(path);
    return done;
}

static bool add_to_type(Type *type, const char *name, Value descriptor)
{
    bool done = descriptor && dict_set_ascii(type->dict, name, descriptor);
    drop(descriptor);
    return done;
}

// Methods and attributes that autograd gives to tensors.
static bool extend_tensor_base(const MethodDef *method, const GetSetDef *getset)
{
    Type *type = &tensor_base_type;
    for (; method->name; method++)
        if (!add_to_type(type, method->name, method_descriptor_new(type, method))) return false;
    for (; getset->name; getset++)
        if (!add_to_type(type, getset->name, getset_descriptor_new(type, getset))) return false;
    return true;
}

static bool fill_autograd(ValueRef module)
{
    return autograd_init() && extend_tensor_base(autograd_tensor_methods, autograd_tensor_getset) &&
           add_functions(module, autograd_functions) && add_functions(module, anomaly_functions) &&
           add_functions(module, saved_functions) &&
           module_add(module, "Node", ref_of(&grad_node_type)) &&
           module_add_type(module, &function_base_type);
}

static bool fill(ValueRef module)
{
    guard_global_state = global_state;
    op_state_init();
    fake_init();
    dispatch_init();
    transform_init();
    overrides_init();
    autocast_init();
    kernels_choose();
    if (!add_path(module) || !torch_objects_fill(module) || !fill_tensor_base(module) ||
        !functions_fill(module) || !random_fill(module) ||
        !add_functions(module, construct_functions) || !add_functions(module, fake_functions) ||
        !add_functions(module, autocast_functions) || !add_functions(module, dispatch_functions) ||
        !add_functions(module, transform_functions) || !add_functions(module, override_functions) ||
        !fill_autograd(module))
        return false;
    torch_disabled_function =
        dict_peek_ascii(as_module(module)->dict, "_disabled_torch_function_impl");
    return true;
}

// Drops what the module holds: schemas, the class Tensor, idle blocks of storages. Tensors that a
// script has left behind stay valid.
static void finish(void)
{
    tensor_type = &tensor_base_type;
    drop_slot(&held_tensor_type);
    fake_finish();
    autocast_finish();
    dispatch_finish();
    transform_finish();
    overrides_finish();
    autograd_finish();
    schemas_finish();
}

const ModuleDef torch_C_module = {
    .name = "torch._C",
    .doc = "Tensors and their operators.",
    .functions = functions,
    .fill = fill,
    .finish = finish,
};
