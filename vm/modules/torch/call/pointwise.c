// Pointwise rows: from the operands of a call to a loop.
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/complex/complex_ops.h"
#include "vm/modules/torch/kernels/kernels.h"

#include <math.h>

#define SCALARS 3

// Numbers among the operands and parameters, converted to the dtype computed in.
typedef struct Numbers {
    _Alignas(16) char operand[3][DTYPE_LARGEST];
    _Alignas(16) char scalars[DTYPE_LARGEST * SCALARS];
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

// A number in the dtype computed in, as the common dtype has it, which may be narrower.
static bool store_as(Dtype common, const void *narrow, Dtype computed, char *element)
{
    Value number = element_value(common, narrow);
    bool done = number && element_store(computed, number, element);
    drop(number);
    return done;
}

// A Scalar parameter: it must fit the common dtype. (A negative number fits uint8, and wraps.) Of a
// narrow float it must fit the wider one that is computed in, or, where `fits`, the float itself,
// to which it is rounded.
static bool store_scalar(ValueRef value, Dtype common, Dtype computed, bool fits, char *element)
{
    _Alignas(16) char narrow[DTYPE_LARGEST];
    if (tensor_check(value)) {
        Value number = tensor_item(as_tensor(value), 0);
        bool done = number && element_store(computed, number, element);
        drop(number);
        return done;
    }
    if (common == computed || (dtype_is_inexact(common) && !fits))
        return ((is_small(value) && common != DTYPE_float16) || element_fits(computed, value)) &&
               element_store(computed, value, element);
    return element_store_fitting(common, value, narrow) &&
           store_as(common, narrow, computed, element);
}

// Is a number rounded to a narrow float, the common dtype, before the loop widens it again? PyTorch
// multiplies and divides by the number itself; a quotient that is made whole rounds the dividend.
static bool is_rounded(const OpCall *call, int i)
{
    OpIndex op = op_index(call->op);
    bool whole = op == OP_div_trunc_ || op == OP_div_floor_ || op == OP_floor_divide_;
    return dtype_is_floating(call->computed) && dtype_computed(call->computed) != call->computed &&
           op != OP_mul_Tensor && op != OP_div_Tensor && !(whole && i == 1);
}

// Is an operand taken as a number? A tensor without dimensions is, if what is common is narrower
// than its own: it wraps, or is rounded, to that before the loop widens it again.
static bool is_number(const OpCall *call, int i)
{
    if (!tensor_check(call->slots[i])) return true;
    const Tensor *tensor = as_tensor(call->slots[i]);
    return tensor->ndim == 0 && tensor_dtype(tensor) != call->computed &&
           (dtype_category(call->computed) == DTYPE_INTEGER || is_rounded(call, i));
}

// A number in place of a Tensor: PyTorch makes an int64 of an int, and converts that, so that it
// wraps: a uint8 is never greater than -1.
static bool store_number(ValueRef value, Dtype common, Dtype computed, char *element)
{
    _Alignas(16) char narrow[DTYPE_LARGEST];
    if (common != computed && dtype_is_floating(common))
        return element_store(common, value, narrow) && store_as(common, narrow, computed, element);
    if (dtype_is_inexact(common) || !int_check(value))
        return element_store(computed, value, element);
    element_store_int64(common, (int64_t)int_as_uint64_mask(value), narrow);
    return store_as(common, narrow, computed, element);
}

// What stands for None: the lowest or the highest number for a parameter called min or max, else a
// NaN, or 0 among integers.
static bool store_absent(const Param *param, Dtype computed, char *element)
{
    bool real = dtype_is_inexact(computed), lowest = str_equal_ascii(param->name, "min");
    if (!lowest && !str_equal_ascii(param->name, "max")) {
        Value nan = real ? float_new((double)NAN) : from_small(0);
        bool done = nan && element_store(computed, nan, element);
        drop(nan);
        return done;
    }
    double limit = lowest ? -(double)INFINITY : (double)INFINITY;
    if (real) return element_store(computed, from_double(limit), element);
    if (computed == DTYPE_bool) return element_store(computed, from_bool(!lowest), element);
    int64_t wide = lowest ? INT64_MIN : INT64_MAX;
    int32_t narrow = lowest ? INT32_MIN : INT32_MAX;
    memcpy(element, computed == DTYPE_int64 ? (const void *)&wide : (const void *)&narrow,
           dtype_size(computed));
    return true;
}

// The Scalar parameters after the operands: s, t, u of the expression.
static bool store_scalars(const OpCall *call, Dtype computed, Numbers *numbers)
{
    int at = 0;
    for (int i = call->op->operands; i < call->schema->count && at < SCALARS; i++) {
        const Param *param = &call->schema->params[i];
        if (param->type != PARAM_SCALAR && param->type != PARAM_FLOAT) continue;
        char *element = numbers->scalars + dtype_size(computed) * (size_t)at++;
        bool given = call->slots[i] != NONE;
        Dtype common = param->type == PARAM_SCALAR ? call->computed : computed;
        bool fits = call->op->kinds & NARROW;
        if (!(given ? store_scalar(call->slots[i], common, computed, fits, element)
                    : store_absent(param, computed, element)))
            return false;
    }
    return true;
}

static bool store_operand(ValueRef value, Dtype common, Dtype computed, char *element)
{
    if (!tensor_check(value)) return store_number(value, common, computed, element);
    Value item = tensor_item(as_tensor(value), 0);
    bool done = item && store_number(item, common, computed, element);
    drop(item);
    return done;
}

static bool store_operands(const OpCall *call, Dtype computed, Numbers *numbers)
{
    for (int i = 0; i < call->op->operands; i++) {
        ValueRef slot = call->slots[i];
        if (!is_number(call, i)) continue;
        bool exact = dtype_is_floating(call->computed) && !is_rounded(call, i);
        Dtype common = exact ? computed : call->computed;
        if (!(slot != NONE ? store_operand(slot, common, computed, numbers->operand[i])
                           : store_absent(&call->schema->params[i], computed, numbers->operand[i])))
            return false;
    }
    return true;
}

// What the loop writes.
static Dtype written_dtype(const OpCall *call, Dtype computed)
{
    if (call->op->promotion == PROMOTE_BOOLEAN) return DTYPE_bool;
    bool real = dtype_is_complex(computed) && !dtype_is_complex(call->promoted);
    return real ? dtype_to_real(computed) : computed;
}

static void iterate_all(OpCall *call, Dtype computed, Loop loop, const Numbers *numbers)
{
    Iteration iteration;
    const Tensor *result = call->results[0].tensor;
    Dtype written = written_dtype(call, computed);
    iteration_begin(&iteration, result->ndim, tensor_sizes(result), 1);
    iteration_add(&iteration, result, written);
    for (int i = 0; i < call->op->operands; i++) {
        ValueRef slot = call->slots[i];
        if (is_number(call, i))
            iteration_add_element(&iteration, computed, numbers->operand[i], computed);
        else
            iteration_add(&iteration, as_tensor(slot), computed);
    }
    iteration_run(&iteration, loop, numbers->scalars);
}

// All operands are contiguous tensors of the result's shape in the dtype computed in: the loop runs
// over them as they are. Fills in their addresses.
static bool is_plain(const OpCall *call, Dtype computed, char **data)
{
    const Tensor *result = call->results[0].tensor;
    Dtype written = written_dtype(call, computed);
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

// ---- integers are divided by anything but 0

// Sets *found, a bool.
static void look_for_zero(int64_t n, char *const *data, const void *found)
{
    const int64_t *divisor = (const int64_t *)(void *)data[0];
    bool *zero = (bool *)(uintptr_t)found;
    for (int64_t i = 0; i < n; i++)
        if (divisor[i] == 0) *zero = true;
}

static bool divisor_is_sound(const OpCall *call)
{
    ValueRef divisor = call->slots[1];
    int64_t number = 1; // 256 becomes 0 among uint8
    bool zero = false;
    if (is_number(call, 1)) {
        if (!store_operand(divisor, call->computed, DTYPE_int64, (char *)&number)) return false;
        zero = number == 0;
    } else {
        Iteration iteration;
        const Tensor *tensor = as_tensor(divisor);
        iteration_begin(&iteration, tensor->ndim, tensor_sizes(tensor), 0);
        iteration_add(&iteration, tensor, DTYPE_int64);
        iteration_run(&iteration, look_for_zero, &zero);
    }
    return !zero || raise_error(RuntimeError, "ZeroDivisionError");
}

const char *op_kernel_name(const OpDef *op)
{
    switch (op_index(op)) {
#define MESSAGE_NAME(row, text)                                                                    \
    case OP_##row: return text;
#include "vm/modules/torch/ops/kernel_names.def"
#undef MESSAGE_NAME
    default: return NULL;
    }
}

static bool raise_not_implemented(const OpCall *call)
{
    const char *name = op_kernel_name(call->op);
    return raise_error(RuntimeError, "\"%s%s\" not implemented for '%s'",
                       name ? name : call->op->name, name ? "" : "_cpu",
                       dtype_table[call->computed].scalar);
}

bool pointwise_run(OpCall *call)
{
    Numbers numbers;
    memset(numbers.scalars, 0, sizeof numbers.scalars); // a loop reads those it does not need
    char *data[4];
    Dtype computed = dtype_computed(call->computed);
    Loop narrow = narrow_loop(call);
    Loop loop = narrow ? narrow
                : dtype_is_complex(computed)
                    ? complex_loop(call->op, computed)
                    : kernel_loop(op_index(call->op), computed_index(computed));
    if (!loop) return raise_not_implemented(call);
    if (call->op->kinds & DIVIDES && !dtype_is_inexact(computed) && !divisor_is_sound(call))
        return false;
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
