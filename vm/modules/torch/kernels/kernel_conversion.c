// Kernels of copies, fills, where(), equal(), and of single elements as Python numbers.
#include "objects/error.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"

bool KERNEL(kernel_copy)(OpCall *call)
{
    return iterate_copy(call_tensor(call, 0), call_tensor(call, 1));
}

static bool fill(Tensor *self, ValueRef number)
{
    _Alignas(16) char element[DTYPE_LARGEST];
    if (!element_store_fitting(tensor_dtype(self), number, element)) return false;
    iterate_fill(self, element);
    return true;
}

bool KERNEL(kernel_fill)(OpCall *call)
{
    ValueRef number = call->slots[1];
    if (!tensor_check(number)) return fill(call_tensor(call, 0), number);
    Value item = tensor_item(as_tensor(number), 0);
    bool done = item && fill(call_tensor(call, 0), item);
    drop(item);
    return done;
}

bool KERNEL(kernel_zero)(OpCall *call)
{
    return fill(call_tensor(call, 0), from_small(0));
}

bool KERNEL(kernel_item)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    if (self->numel != 1)
        return raise_error(RuntimeError,
                           "a Tensor with %lld elements cannot be converted to Scalar",
                           (long long)self->numel);
    call->value = tensor_item(self, 0);
    return call->value != VALUE_ERROR;
}

bool KERNEL(kernel_resize)(OpCall *call)
{
    Dim sizes[TENSOR_MAX_DIMS];
    int ndim = call_dims(call, 1, sizes);
    return ndim >= 0 && tensor_resize(call_tensor(call, 0), ndim, sizes) &&
           memory_format_restride(call);
}

bool KERNEL(kernel_clone)(OpCall *call)
{
    return iterate_copy(call->results[0].tensor, call_tensor(call, 0));
}

// ---- equal

static bool all_true(const Tensor *tensor)
{
    const char *data = tensor_data(tensor);
    return !memchr(data, 0, (size_t)tensor->numel);
}

bool KERNEL(kernel_equal)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *other = call_tensor(call, 1);
    call->value = FALSE;
    if (self->ndim != other->ndim ||
        memcmp(tensor_sizes(self), tensor_sizes(other), (size_t)self->ndim * sizeof(Dim)) != 0)
        return true;
    Value same = op_apply(OP_eq_Tensor, false, call->slots, 2);
    if (!same) return false;
    Value dense = tensor_is(as_tensor(same), TENSOR_CONTIGUOUS)
                      ? retain(same)
                      : op_apply(OP_clone_, false, (const ValueRef[]){same}, 1);
    if (dense) call->value = from_bool(all_true(as_tensor(dense)));
    drop(same);
    drop(dense);
    return dense != VALUE_ERROR;
}
