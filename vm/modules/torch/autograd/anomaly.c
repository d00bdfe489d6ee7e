// Anomaly mode: calls of torch/autograd/anomaly_mode.mpy.
#include "vm/modules/torch/autograd/anomaly.h"

#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "vm/modules/torch/autograd/engine.h"
#include "vm/modules/torch/call/call_parts.h"

AnomalyState anomaly_state = {.check_nan = true};

// anomaly_mode.NAME(node, argument). The mode is off meanwhile.
static bool call_mode(const char *name, GradNode *node, ValueRef argument)
{
    AnomalyState state = anomaly_state;
    anomaly_state.enabled = false;
    ValueRef arguments[] = {ref_of(node), argument};
    Value function = library_function("torch.autograd.anomaly_mode", name);
    Value done = function ? object_call(function, arguments, 2, VALUE_ERROR) : VALUE_ERROR;
    anomaly_state = state;
    drop(function);
    drop(done);
    return done != VALUE_ERROR;
}

bool anomaly_node_made(GradNode *node)
{
    GradNode *parent = backward_node();
    return call_mode("keep_traceback", node, parent ? ref_of(parent) : NONE);
}

bool anomaly_check(GradNode *node, const Value *results)
{
    if (!anomaly_state.check_nan) return true;
    Value gradients = tuple_new(node->edge_count);
    for (int i = 0; gradients && i < node->edge_count; i++)
        as_tuple(gradients)->items[i] = retain(results[i] ? (ValueRef)results[i] : NONE);
    bool done = gradients && call_mode("check_nan", node, gradients);
    drop(gradients);
    return done;
}

void anomaly_report(GradNode *node)
{
    Value exception = error_take();
    if (call_mode("report", node, NONE))
        error_restore(exception);
    else
        drop(exception); // the warning has become an exception itself
}

// _set_anomaly(enabled, check_nan) -> what was set before
static Value set_anomaly(FUNCTION_ARGS)
{
    AnomalyState before = anomaly_state;
    anomaly_state = (AnomalyState){args[0] == TRUE, args[1] == TRUE};
    return tuple_pack(2, from_bool(before.enabled), from_bool(before.check_nan));
}

static Value is_anomaly_enabled(FUNCTION_ARGS)
{
    return from_bool(anomaly_state.enabled);
}
static Value is_anomaly_check_nan_enabled(FUNCTION_ARGS)
{
    return from_bool(anomaly_state.check_nan);
}

const MethodDef anomaly_functions[] = {
    {"_set_anomaly", set_anomaly, ARGS(2, 2), NULL},
    {"is_anomaly_enabled", is_anomaly_enabled, NO_ARGS, "Whether anomaly mode is on."},
    {"is_anomaly_check_nan_enabled", is_anomaly_check_nan_enabled, NO_ARGS,
     "Whether anomaly mode looks for NaN."},
    {0},
};
