// Pointwise rows: from the operands of a call to a loop.
#include "objects/error.h"
#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/kernels/kernels.h"

#define SCALARS 3

// Numbers among the operands and parameters, converted to the dtype computed in.
typedef struct Numbers {
    _Alignas(8) char operand[3][8];
    _Alignas(8) char scalars[8 * SCALARS];
} Numbers;

static int computed_index(Dtype dtype)
{
    switch (dtype_computed(dtype)) {
    case DTYPE_float32: return COMPUTED_float32;
    case DTYPE_float64: return COMPUTED_float64;
    case DTYPE_int64: return COMPUTED_int64;
    case DTYPE_int32: return COMPUTED_int32;
    default: return COMPUTED_bool;
    }
}

static bool store_number(ValueRef value, Dtype common, Dtype computed, char *element)
{
    if (!tensor_check(value)) return element_store(computed, value, element);
    Value number = tensor_item(as_tensor(value), 0);
    bool done = number && element_store(common, number, element) &&
                element_store(computed, number, element);
    drop(number);
    return done;
}

static bool check_alpha(const Param *param, ValueRef value, Dtype common)
{
    if (!str_equal_ascii(param->name, "alpha")) return true;
    if (is_bool(value) && common != DTYPE_bool)
        return raise_error(RuntimeError, "Boolean alpha only supported for Boolean results.");
    if (is_double(value) && !dtype_is_floating(common))
        return raise_error(RuntimeError, "For integral input tensors, argument alpha must not be a "
                                         "floating point number.");
    return true;
}

// The Scalar parameters after the operands: s, t, u of the expression.
static bool store_scalars(const OpCall *call, Dtype computed, Numbers *numbers)
{
    int at = 0;
    for (int i = call->op->operands; i < call->schema->count && at < SCALARS; i++) {
        const Param *param = &call->schema->params[i];
        if (param->type != PARAM_SCALAR && param->type != PARAM_FLOAT) continue;
        if (!check_alpha(param, call->slots[i], call->computed)) return false;
        char *element = numbers->scalars + dtype_size(computed) * (size_t)at++;
        if (call->slots[i] != NONE && !store_number(call->slots[i], computed, computed, element))
            return false;
    }
    return true;
}

static bool store_operands(const OpCall *call, Dtype computed, Numbers *numbers)
{
    for (int i = 0; i < call->op->operands; i++) {
        ValueRef slot = call->slots[i];
        if (!tensor_check(slot) &&
            !store_number(slot, call->computed, computed, numbers->operand[i]))
            return false;
    }
    return true;
}

static void iterate_all(OpCall *call, Dtype computed, Loop loop, const Numbers *numbers)
{
    Iteration iteration;
    const Tensor *result = call->results[0].tensor;
    Dtype written = call->op->promotion == PROMOTE_BOOLEAN ? DTYPE_bool : computed;
    iteration_begin(&iteration, result->ndim, tensor_sizes(result), 1);
    iteration_add(&iteration, result, written);
    for (int i = 0; i < call->op->operands; i++) {
        ValueRef slot = call->slots[i];
        if (tensor_check(slot))
            iteration_add(&iteration, as_tensor(slot), computed);
        else
            iteration_add_element(&iteration, computed, numbers->operand[i], computed);
    }
    iteration_run(&iteration, loop, numbers->scalars);
}

// All operands are contiguous tensors of the result's shape in the dtype computed in: the loop runs
// over them as they are. Fills in their addresses.
static bool is_plain(const OpCall *call, Dtype computed, char **data)
{
    const Tensor *result = call->results[0].tensor;
    Dtype written = call->op->promotion == PROMOTE_BOOLEAN ? DTYPE_bool : computed;
    if (!tensor_is(result, TENSOR_CONTIGUOUS) || tensor_dtype(result) != written) return false;
    data[0] = tensor_data(result);
    for (int i = 0; i < call->op->operands; i++) {
        if (!tensor_check(call->slots[i])) return false;
        const Tensor *operand = call_tensor(call, i);
        if (operand->dtype != computed || operand->numel != result->numel ||
            !tensor_is(operand, TENSOR_CONTIGUOUS))
            return false;
        data[i + 1] = tensor_data(operand);
    }
    return true;
}

static bool raise_not_implemented(const OpCall *call)
{
    return raise_error(NotImplementedError, "\"%s_cpu\" not implemented for '%s'", call->op->name,
                       dtype_table[call->computed].scalar);
}

bool pointwise_run(OpCall *call)
{
    Numbers numbers;
    char *data[4];
    Dtype computed = dtype_computed(call->computed);
    Loop loop = kernel_tables->loops[op_index(call->op)][computed_index(computed)];
    if (!loop) return raise_not_implemented(call);
    if (call->schema->count > call->op->operands && !store_scalars(call, computed, &numbers))
        return false;
    if (is_plain(call, computed, data)) {
        loop(call->results[0].tensor->numel, data, numbers.scalars);
        return true;
    }
    if (!store_operands(call, computed, &numbers)) return false;
    iterate_all(call, computed, loop, &numbers);
    return true;
}
