// Shapes of sorted and selected elements.
//
// (PyTorch: ATen/native/Sorting.cpp, TensorCompare.cpp mode, Bucketization.cpp, SummaryOps.cpp)
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

bool sort_dim(const OpCall *call, int64_t *dim)
{
    return call_dim(call, call_param(call, "dim"), call_tensor(call, 0)->ndim, dim);
}

// In memory as a clone of self is.
static bool add_same(OpCall *call, Dtype dtype)
{
    call->promoted = dtype;
    return rule_preserve(call);
}

bool rule_sort(OpCall *call)
{
    int64_t dim;
    return sort_dim(call, &dim) && add_same(call, tensor_dtype(call_tensor(call, 0))) &&
           add_same(call, DTYPE_int64);
}

// ---- topk

static bool add_top(OpCall *call, Dtype dtype, int64_t dim, int64_t k)
{
    const Tensor *self = call_tensor(call, 0);
    Shape *shape = call_result(call, dtype);
    for (int i = 0; i < self->ndim; i++)
        if (!shape_append_size(shape, i == dim ? from_small(k) : retain(tensor_sizes(self)[i])))
            return false;
    return true;
}

bool rule_topk(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim, k;
    bool less = false;
    if (!sort_dim(call, &dim) || !call_int(call, 1, &k)) return false;
    DimRef size = self->ndim ? (DimRef)tensor_sizes(self)[dim] : from_small(1);
    if (k >= 0 && k <= SMALL_MAX && !dim_less(size, from_small(k), &less)) return false;
    if (k < 0 || k > SMALL_MAX || less)
        return raise_error(RuntimeError, "selected index k out of range");
    return (self->ndim == 0 || is_number(self, "topk_cpu")) &&
           add_top(call, tensor_dtype(self), dim, k) && add_top(call, DTYPE_int64, dim, k);
}

// ---- one element of each row

static bool add_selected(OpCall *call, Dtype dtype, int64_t dim)
{
    const Tensor *self = call_tensor(call, 0);
    Shape *shape = call_result(call, dtype);
    bool keep = call_bool(call, call_param(call, "keepdim"));
    for (int i = 0; i < self->ndim; i++) {
        if (i == dim && !keep) continue;
        if (!shape_append_size(shape, i == dim ? from_small(1) : retain(tensor_sizes(self)[i])))
            return false;
    }
    return true;
}

bool rule_select_one(OpCall *call)
{
    int64_t dim;
    return sort_dim(call, &dim) && reduce_check_dim(call, dim) &&
           add_selected(call, tensor_dtype(call_tensor(call, 0)), dim) &&
           add_selected(call, DTYPE_int64, dim);
}

bool rule_kthvalue(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t dim, k;
    bool less = false;
    if (!sort_dim(call, &dim) || !reduce_check_dim(call, dim) || !call_int(call, 1, &k))
        return false;
    DimRef size = self->ndim ? (DimRef)tensor_sizes(self)[dim] : from_small(1);
    if (k >= 1 && k <= SMALL_MAX && !dim_less(size, from_small(k), &less)) return false;
    if (k < 1 || k > SMALL_MAX || less)
        return raise_error(RuntimeError,
                           "kthvalue(): selected number k out of range for dimension %lld",
                           (long long)dim);
    return (self->ndim == 0 || is_number(self, "kthvalue_cpu")) && rule_select_one(call);
}

bool rule_median(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    call_result(call, tensor_dtype(self));
    return is_number(self, "median_cpu");
}

bool rule_median_dim(OpCall *call)
{
    return rule_select_one(call) && is_number(call_tensor(call, 0), "median_out");
}

// ---- searchsorted

static bool check_side(const OpCall *call)
{
    ValueRef side = call->slots[4];
    if (side == NONE) return true;
    bool left = str_equal_ascii(side, "left"), right = str_equal_ascii(side, "right");
    if (!left && !right)
        return raise_error(RuntimeError,
                           "torch.searchsorted(): side can only be 'left' or 'right' but got %S",
                           side);
    if (left && call_bool(call, 3))
        return raise_error(RuntimeError, "torch.searchsorted(): side and right can't be set to "
                                         "opposites, got side of left while right was True");
    return true;
}

static bool check_sorter(const OpCall *call)
{
    const Tensor *sequence = call_tensor(call, 0), *sorter = call_optional(call, 5);
    if (!sorter) return true;
    bool equal = sorter->ndim == sequence->ndim;
    for (int i = 0; equal && i < sorter->ndim; i++)
        if (!dim_equal(tensor_sizes(sorter)[i], tensor_sizes(sequence)[i], &equal)) return false;
    if (!equal)
        return raise_about_two(RuntimeError,
                               "torch.searchsorted(): boundary and sorter must have the same size, "
                               "but got boundary tensor %Sand got sorter tensor %S",
                               shape_text(sequence->ndim, tensor_sizes(sequence)),
                               shape_text(sorter->ndim, tensor_sizes(sorter)));
    if (tensor_dtype(sorter) != DTYPE_int64)
        return raise_error(RuntimeError,
                           "torch.searchsorted(): sorter must be a tensor of long dtype but got "
                           "dtype %s",
                           dtype_table[sorter->dtype].scalar);
    return true;
}

// All dimensions but the last one agree.
static bool check_rows(const Tensor *sequence, const Tensor *values)
{
    bool equal = sequence->ndim == values->ndim;
    for (int i = 0; equal && i < values->ndim - 1; i++)
        if (!dim_equal(tensor_sizes(sequence)[i], tensor_sizes(values)[i], &equal)) return false;
    return equal ||
           raise_about_two(RuntimeError,
                           "torch.searchsorted(): boundaries tensor should be 1 dimension or the "
                           "first N-1 dimensions of boundaries tensor and input value tensor must "
                           "match, but we got boundaries tensor %S and input value tensor %S",
                           shape_text(sequence->ndim, tensor_sizes(sequence)),
                           shape_text(values->ndim, tensor_sizes(values)));
}

bool rule_searchsorted(OpCall *call)
{
    const Tensor *sequence = call_tensor(call, 0);
    const Tensor *values = tensor_check(call->slots[1]) ? call_tensor(call, 1) : NULL;
    if (!check_side(call) || !check_sorter(call)) return false;
    int ndim = values ? values->ndim : 0;
    if (ndim == 0 && sequence->ndim != 1)
        return raise_error(RuntimeError,
                           "torch.searchsorted(): input value can be a scalar only when boundaries "
                           "tensor dimension is 1, but we got boundaries tensor dim(%d) and input "
                           "value's dim(%d) numel(%lld)",
                           sequence->ndim, ndim, (long long)(values ? values->numel : 1));
    if (sequence->ndim == 0)
        return raise_error(RuntimeError, "torch.searchsorted(): boundaries tensor should have "
                                         "positive dimension, but got 0 dimension");
    if (sequence->ndim != 1 && !check_rows(sequence, values)) return false;
    Shape *shape = call_result(call, call_bool(call, 2) ? DTYPE_int32 : DTYPE_int64);
    if (values) shape_from_sizes(shape, ndim, tensor_sizes(values));
    return true;
}

bool rule_histc(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    int64_t bins;
    double low, high;
    if (!call_int(call, 1, &bins) || !call_double(call, 2, &low) || !call_double(call, 3, &high))
        return false;
    if (low > high) return raise_error(RuntimeError, "torch.histc: max must be larger than min");
    if (bins <= 0)
        return raise_error(RuntimeError,
                           "torch.histogram(): bins must be > 0, but got %lld for dimension 0",
                           (long long)bins);
    if (!dtype_is_floating(tensor_dtype(self)))
        return raise_error(RuntimeError, "\"%s\" not implemented for '%s'",
                           tensor_dtype(self) == DTYPE_bool       ? "linspace_cpu"
                           : dtype_is_complex(tensor_dtype(self)) ? "aminmax_cpu"
                                                                  : "histogram_cpu",
                           dtype_table[self->dtype].scalar);
    Dim size;
    return dim_from(bins, &size) && shape_append_size(call_result(call, tensor_dtype(self)), size);
}
