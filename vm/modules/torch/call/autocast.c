// Autocast: see the header. The casts are operators, so gradients come back in the dtype of what
// was cast.
//
//     _get_autocast(device)                (enabled, dtype) of the device type of that number
//     _set_autocast(device, enabled, dtype)
//
// The device types are listed in torch/amp/_state.mpy; 0 is the CPU, the only one that computes.
//
// A leaf that requires a gradient, as a weight, is cast once: the cast is kept until the outermost
// block of autocast ends, beside a weak reference to the leaf. (PyTorch: aten/src/ATen/
// autocast_mode.cpp)
#include "vm/modules/torch/call/autocast.h"

#include "objects/classes/weakref.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/thread_parts.h"
#include "vm/modules/torch/call/op_bind.h"
#include "vm/modules/torch/call/torch_objects.h"

#define AUTOCAST_DEVICES 8

typedef enum Policy { AS_GIVEN, LOWER, FLOAT32, WIDEST } Policy;

typedef struct AutocastState {
    bool cached;                      // are casts of leaves kept?
    uint8_t others;                   // device types but the CPU: bit i, it is on for the i-th
    uint8_t dtypes[AUTOCAST_DEVICES]; // Dtype
    int nesting;                      // blocks entered
} AutocastState;

static const AutocastState first_state = {
    .cached = true,
    .dtypes = {DTYPE_bfloat16, DTYPE_float16, DTYPE_float16, DTYPE_float16, DTYPE_bfloat16,
               DTYPE_bfloat16, DTYPE_float16, DTYPE_float16},
};
static AutocastState state;
static Value casts; // number of a leaf -> (weak reference to it, its cast); VALUE_ERROR = none yet

// ---- what is listed

static uint8_t policies[OP_COUNT]; // Policy, by row; filled when autocast is first switched on

static void add_policy(const char *name, const char *overload, Policy policy)
{
    for (int op = 0; op < OP_COUNT; op++)
        if (!strcmp(op_table[op].name, name) && !strcmp(op_table[op].overload, overload))
            policies[op] = (uint8_t)policy;
}

static void fill_policies(void)
{
    if (policies[OP_mm_]) return;
#define AUTOCAST(policy, name, overload) add_policy(#name, #overload, policy);
#include "vm/modules/torch/ops/autocast.def"
}

bool autocast_takes(const OpCall *call)
{
    return policies[op_index(call->op)] && !call->inplace && !call->out;
}

// ---- a cast

static bool is_eligible(ValueRef value)
{
    if (!tensor_check(value)) return false;
    Dtype dtype = tensor_dtype(as_tensor(value));
    return dtype_is_floating(dtype) && dtype != DTYPE_float64;
}

static bool is_kept(const Tensor *tensor, Dtype to)
{
    return state.cached && to == state.dtypes[0] && tensor_dtype(tensor) == DTYPE_float32 &&
           tensor_is(tensor, TENSOR_REQUIRES_GRAD) && !tensor->grad_fn && !tensor->view_base;
}

// Owned; ABSENT = there is none.
static Value kept_cast(ValueRef number, ValueRef tensor)
{
    Value entry = casts ? dict_get(casts, number) : ABSENT;
    if (entry == ABSENT || !entry) return entry;
    bool same = weakref_target(tuple_at(entry, 0)) == tensor;
    Value cast = same ? retain(tuple_at(entry, 1)) : ABSENT;
    drop(entry);
    return cast;
}

static bool keep_cast(ValueRef number, ValueRef tensor, ValueRef cast)
{
    if (!casts) casts = dict_new();
    Value reference = casts ? weakref_new(tensor, VALUE_ERROR) : VALUE_ERROR;
    Value entry = reference ? tuple_from_array((ValueRef[]){reference, cast}, 2) : VALUE_ERROR;
    bool done = entry && dict_set(casts, number, entry);
    drop(reference);
    drop(entry);
    return done;
}

static Value converted(ValueRef tensor, Dtype to)
{
    return op_apply(OP_to_dtype, false, (ValueRef[]){tensor, dtype_value(to)}, 2);
}

static Value cast_leaf(ValueRef tensor, Dtype to)
{
    Value number = int_new(memory_id(object_of(tensor)));
    Value cast = kept_cast(number, tensor);
    if (cast == ABSENT) {
        cast = converted(tensor, to);
        if (cast && !keep_cast(number, tensor, cast)) drop_slot(&cast);
    }
    drop(number);
    return cast;
}

// The argument in that dtype, if it is a tensor that autocast casts, else itself: owned.
static Value cast_value(ValueRef value, Dtype to)
{
    if (!is_eligible(value) || tensor_dtype(as_tensor(value)) == to) return retain(value);
    return is_kept(as_tensor(value), to) ? cast_leaf(value, to) : converted(value, to);
}

static Value cast_items(ValueRef items, Dtype to)
{
    Value tuple = tuple_new(tuple_size(items));
    for (ssize_t i = 0; tuple && i < tuple_size(items); i++) {
        Value cast = cast_value(tuple_at(items, i), to);
        if (cast)
            as_tuple(tuple)->items[i] = cast;
        else
            drop_slot(&tuple);
    }
    return tuple;
}

// ---- a call

// Float32 if a tensor has that, else autocast's dtype. DTYPE_NONE with RuntimeError pending.
static Dtype widest_of(const ValueRef *values, size_t count, Dtype widest)
{
    for (size_t i = 0; widest != DTYPE_NONE && i < count; i++) {
        Dtype dtype = is_eligible(values[i]) ? tensor_dtype(as_tensor(values[i])) : widest;
        if (dtype == DTYPE_float32) widest = dtype;
        if (dtype == widest || widest == DTYPE_float32) continue;
        raise_error(RuntimeError, "Unexpected floating ScalarType in at::autocast::prioritize");
        widest = DTYPE_NONE;
    }
    return widest;
}

static bool is_list(const OpCall *call, int index)
{
    return call->schema->params[index].type == PARAM_TENSORS && tuple_check(call->slots[index]);
}

static Dtype target_of(const OpCall *call)
{
    Policy policy = (Policy)policies[op_index(call->op)];
    Dtype target = policy == FLOAT32 ? DTYPE_float32 : (Dtype)state.dtypes[0];
    for (int i = 0; policy == WIDEST && target != DTYPE_NONE && i < call->schema->count; i++) {
        size_t count = 1;
        const ValueRef *values = is_list(call, i) ? call_tensors(call, i, &count) : &call->slots[i];
        target = widest_of(values, count, target);
    }
    return target;
}

static bool cast_arguments(OpCall *call)
{
    Dtype to = target_of(call);
    bool done = to != DTYPE_NONE;
    for (int i = call->schema->count - 1; done && i >= 0; i--) { // PyTorch's order, in graphs
        ValueRef slot = call->slots[i];
        if (is_list(call, i))
            done = call_hold(call, i, cast_items(slot, to));
        else if (is_eligible(slot))
            done = call_hold(call, i, cast_value(slot, to));
    }
    return done;
}

Value autocast_call(OpCall *call)
{
    Value answer = VALUE_ERROR;
    tensor_autocast = false;
    if (cast_arguments(call))
        answer = op_call(call);
    else
        op_bind_release(call);
    tensor_autocast = true;
    return answer;
}

// ---- functions of torch._C

static bool device_number(ValueRef value, int *number, const char *function)
{
    return argument_int(value, number) &&
           ((*number >= 0 && *number < AUTOCAST_DEVICES) || raise_bad_call(function));
}

static Value get_autocast(FUNCTION_ARGS)
{
    int device;
    if (!device_number(args[0], &device, "_get_autocast")) return VALUE_ERROR;
    bool enabled = device ? state.others >> device & 1 : tensor_autocast;
    return tuple_from_array(
        (ValueRef[]){from_bool(enabled), dtype_value((Dtype)state.dtypes[device])}, 2);
}

static Value set_autocast(FUNCTION_ARGS)
{
    int device;
    if (!device_number(args[0], &device, "_set_autocast")) return VALUE_ERROR;
    if (!dtype_check(args[2])) return raise_bad_call("_set_autocast");
    fill_policies();
    if (device)
        state.others = (uint8_t)((state.others & ~(1 << device)) | (args[1] == TRUE) << device);
    else
        tensor_autocast = args[1] == TRUE;
    state.dtypes[device] = dtype_of(args[2]);
    return NONE;
}

static Value is_cache_enabled(FUNCTION_ARGS)
{
    return from_bool(state.cached);
}

static Value set_cache_enabled(FUNCTION_ARGS)
{
    if (!is_bool(args[0]))
        return raise_error(TypeError, "enabled must be a bool (got %T)", args[0]);
    state.cached = args[0] == TRUE;
    return NONE;
}

static Value increment_nesting(FUNCTION_ARGS)
{
    return from_small(++state.nesting);
}

static Value decrement_nesting(FUNCTION_ARGS)
{
    return from_small(--state.nesting);
}

static Value clear_cache(FUNCTION_ARGS)
{
    drop_slot(&casts);
    return NONE;
}

const MethodDef autocast_functions[] = {
    {"_get_autocast", get_autocast, ONE_ARG, NULL},
    {"_set_autocast", set_autocast, ARGS(3, 3), NULL},
    {"is_autocast_cache_enabled", is_cache_enabled, NO_ARGS, NULL},
    {"set_autocast_cache_enabled", set_cache_enabled, ONE_ARG, NULL},
    {"autocast_increment_nesting", increment_nesting, NO_ARGS, "A block of autocast begins."},
    {"autocast_decrement_nesting", decrement_nesting, NO_ARGS, "A block of autocast ends."},
    {"clear_autocast_cache", clear_cache, NO_ARGS, "Drops the casts of leaves."},
    {0},
};

void autocast_init(void)
{
    static ThreadPart on = {.variables = &tensor_autocast, .size = sizeof tensor_autocast};
    static ThreadPart part = {.variables = &state, .size = sizeof state, .first = &first_state};
    state = first_state;
    thread_part_add(&on);
    thread_part_add(&part);
}

void autocast_finish(void)
{
    tensor_autocast = false;
    drop_slot(&casts);
}
