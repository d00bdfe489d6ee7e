// Rules of activations that are no pointwise rows.
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/modules/torch/rules/rules.h"

static bool is_approximation(const OpCall *call, int slot)
{
    ValueRef text = call->slots[slot];
    return str_equal_ascii(text, "none") || str_equal_ascii(text, "tanh") ||
           raise_error(RuntimeError, "approximate argument must be either none or tanh.");
}

static bool like(OpCall *call, const Tensor *tensor, const char *kernel)
{
    Dtype dtype = tensor_dtype(tensor);
    if (!dtype_is_floating(dtype))
        return raise_error(RuntimeError, "\"%s\" not implemented for '%s'", kernel,
                           dtype_table[dtype].scalar);
    shape_from_sizes(call_result(call, dtype), tensor->ndim, tensor_sizes(tensor));
    return true;
}

bool rule_gelu(OpCall *call)
{
    if (!is_approximation(call, 1) || !like(call, call_tensor(call, 0), "GeluKernelImpl"))
        return false;
    const Tensor *self = call_tensor(call, 0);
    return tensor_is(self, TENSOR_CONTIGUOUS) || shape_as_cloned(self, &call->results[0].shape);
}

bool rule_gelu_backward(OpCall *call)
{
    const Tensor *grad = call_tensor(call, 0), *self = call_tensor(call, 1);
    bool equal = grad->ndim == self->ndim;
    for (int i = 0; equal && i < self->ndim; i++)
        if (!dim_equal(tensor_sizes(grad)[i], tensor_sizes(self)[i], &equal)) return false;
    if (!equal) return raise_error(RuntimeError, "expected grad_output of the shape of self");
    return is_approximation(call, 2) && like(call, self, "GeluBackwardKernelImpl") &&
           (tensor_is(grad, TENSOR_CONTIGUOUS) || shape_as_cloned(grad, &call->results[0].shape));
}
