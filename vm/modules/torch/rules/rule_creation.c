// Rules of the functions that make tensors.
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "vm/modules/torch/rules/rules.h"
#include "vm/modules/torch/torch_objects.h"

#include <math.h>

// The dtype among OPTIONS, which begin at the parameter `index`: dtype, layout, device. False with
// the RuntimeError for another device pending.
static bool options(const OpCall *call, int index, Dtype otherwise, Dtype *dtype)
{
    *dtype = call_dtype(call, index, otherwise);
    return device_is_present(call->slots[index + 2]);
}

static bool raise_negative(DimRef size, int ndim, const Dim *sizes)
{
    Value text = shape_text(ndim, sizes);
    if (text)
        raise_error(RuntimeError, "Trying to create tensor with negative dimension %S: %S", size,
                    (ValueRef)text);
    drop(text);
    return false;
}

// Adds a result of the sizes that the int[] parameter `index` gives.
static bool result_of_sizes(OpCall *call, int index, Dtype dtype)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int ndim = call_dims(call, index, sizes);
    if (ndim < 0) return false;
    for (int i = 0; i < ndim; i++)
        if (is_small(sizes[i]) && small_value(sizes[i]) < 0)
            return raise_negative(sizes[i], ndim, sizes);
    shape_from_sizes(call_result(call, dtype), ndim, sizes);
    return true;
}

bool rule_filled(OpCall *call)
{
    Dtype dtype;
    return options(call, 1, op_state.default_dtype, &dtype) && result_of_sizes(call, 0, dtype);
}

static Dtype dtype_of_number(ValueRef number)
{
    if (tensor_check(number)) return tensor_dtype(as_tensor(number));
    if (is_bool(number)) return DTYPE_bool;
    return int_check(number) ? DTYPE_int64 : op_state.default_dtype;
}

bool rule_full(OpCall *call)
{
    Dtype dtype;
    return options(call, 2, dtype_of_number(call->slots[1]), &dtype) &&
           result_of_sizes(call, 0, dtype);
}

// ---- arange

// The number of steps from start to end, rounded up. In doubles, as PyTorch counts.
static bool count_steps(double start, double end, double step, int64_t *count)
{
    if (!(step > 0 || step < 0)) return raise_error(RuntimeError, "step must be nonzero");
    if (!isfinite(start) || !isfinite(end)) {
        Value first = float_new(start), last = float_new(end);
        raise_error(RuntimeError, "unsupported range: %R -> %R", (ValueRef)first, (ValueRef)last);
        drop(first);
        drop(last);
        return false;
    }
    if ((step > 0 && end < start) || (step < 0 && end > start))
        return raise_error(RuntimeError,
                           "upper bound and larger bound inconsistent with step sign");
    double steps = ceil((end - start) / step);
    if (steps > (double)SMALL_MAX)
        return raise_error(RuntimeError, "invalid size, possible overflow");
    *count = (int64_t)steps;
    return true;
}

static bool arange(OpCall *call, int numbers, double start, double end, double step)
{
    bool integers = true;
    int64_t count = 0;
    Dtype dtype;
    for (int i = 0; i < numbers; i++)
        integers &= !dtype_is_floating(dtype_of_number(call->slots[i]));
    if (!options(call, numbers, integers ? DTYPE_int64 : op_state.default_dtype, &dtype) ||
        !count_steps(start, end, step, &count))
        return false;
    Shape *shape = call_result(call, dtype);
    shape->ndim = 1;
    shape->size[0] = dim_of(count);
    return true;
}

bool rule_arange(OpCall *call)
{
    double end;
    return call_double(call, 0, &end) && arange(call, 1, 0, end, 1);
}

bool rule_arange_from(OpCall *call)
{
    double start, end, step;
    return call_double(call, 0, &start) && call_double(call, 1, &end) &&
           call_double(call, 2, &step) && arange(call, 3, start, end, step);
}
