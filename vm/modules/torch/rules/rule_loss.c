// Rules of losses and of embedding (ATen/native/Loss.cpp, LossNLL.cpp, Embedding.cpp).
#include "objects/error.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/rules/rules.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };

static DimRef size_at(const Tensor *tensor, int dim)
{
    return tensor_sizes(tensor)[dim];
}

static const char *scalar_name(const Tensor *tensor)
{
    return dtype_table[tensor_dtype(tensor)].scalar;
}

static bool read_reduction(const OpCall *call, int slot, int64_t *reduction)
{
    if (!call_int(call, slot, reduction)) return false;
    return (*reduction >= REDUCE_NONE && *reduction <= REDUCE_SUM) ||
           raise_error(RuntimeError, "Invalid reduction: %lld", (long long)*reduction);
}

// ---- losses of pairs of elements: the operands are broadcast; slots of 0 are not there

static bool promote_pair(OpCall *call, const char *kernel)
{
    PromoteState state;
    promote_begin(&state);
    promote_tensor(&state, call_tensor(call, 0));
    promote_tensor(&state, call_tensor(call, 1));
    Dtype dtype = promote_result(&state);
    call->promoted = call->computed = dtype;
    return dtype_is_floating(dtype) || raise_error(RuntimeError, "\"%s\" not implemented for '%s'",
                                                   kernel, dtype_table[dtype].scalar);
}

static bool pairs(OpCall *call, int weight, int positive, int reduction_slot, const char *kernel)
{
    const Tensor *self = call_tensor(call, 0), *target = call_tensor(call, 1);
    int64_t reduction;
    if (!read_reduction(call, reduction_slot, &reduction) || !promote_pair(call, kernel))
        return false;
    Shape *shape = call_result(call, call->promoted);
    shape_from_sizes(shape, self->ndim, tensor_sizes(self));
    if (!shape_broadcast(shape, target->ndim, tensor_sizes(target))) return false;
    for (int i = 0; i < 2; i++) {
        int slot = i == 0 ? weight : positive;
        const Tensor *tensor = slot ? call_optional(call, slot) : NULL;
        if (tensor && !shape_broadcast(shape, tensor->ndim, tensor_sizes(tensor))) return false;
    }
    if (reduction == REDUCE_NONE) return true;
    shape_drop(shape);
    shape_init(shape, 0);
    return true;
}

// A loss of each element is a pointwise loop.
static bool loop_pairs(OpCall *call, const char *kernel)
{
    int64_t reduction;
    if (!read_reduction(call, 2, &reduction)) return false;
    if (reduction != REDUCE_NONE) return pairs(call, 0, 0, 2, kernel);
    return promote_pair(call, kernel) && rule_layout(call, 2);
}

// Lays a loss of each element out as a clone of the operand.
static bool lay_out_as(OpCall *call, const Tensor *operand)
{
    Shape *shape = &call->results[0].shape;
    bool fits = shape->ndim == operand->ndim;
    for (int i = 0; fits && i < shape->ndim; i++) fits = shape->size[i] == tensor_sizes(operand)[i];
    return !fits || shape_as_cloned(operand, shape);
}

// A loss that is written over a clone of the operand: what the common dtype gives is converted.
static bool written_over(OpCall *call, const Tensor *operand)
{
    Dtype own = tensor_dtype(operand), common = call->results[0].dtype;
    call->results[0].dtype = own;
    if (!dtype_can_cast(common, own))
        return raise_error(RuntimeError,
                           "result type %s can't be cast to the desired output type %s",
                           dtype_table[common].scalar, dtype_table[own].scalar);
    return lay_out_as(call, operand);
}

bool rule_mse_loss(OpCall *call)
{
    if (!loop_pairs(call, "mse_cpu")) return false;
    return call->results[0].dtype != DTYPE_bfloat16 ||
           raise_error(RuntimeError, "\"mse_cpu\" not implemented for 'BFloat16'");
}

bool rule_soft_margin_loss(OpCall *call)
{
    return loop_pairs(call, "soft_margin_cpu");
}

bool rule_smooth_l1_loss(OpCall *call)
{
    double beta;
    if (!call_double(call, 3, &beta)) return false;
    if (!(beta >= 0))
        return raise_error(RuntimeError,
                           "smooth_l1_loss does not support negative values for beta.");
    return loop_pairs(call, "smooth_l1_cpu");
}

bool rule_huber_loss(OpCall *call)
{
    double delta;
    if (!call_double(call, 3, &delta)) return false;
    if (!(delta > 0))
        return raise_error(RuntimeError,
                           "huber_loss does not support non-positive values for delta.");
    return pairs(call, 0, 0, 2, "huber_cpu") && written_over(call, call_tensor(call, 0));
}

bool rule_binary_cross_entropy(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *target = call_tensor(call, 1);
    if (tensor_dtype(self) == tensor_dtype(target) || call->fake)
        return pairs(call, 2, 0, 3, "binary_cross_entropy") && lay_out_as(call, self);
    return raise_error(RuntimeError, "Found dtype %s but expected %s", scalar_name(target),
                       scalar_name(self));
}

// What comes of 1 - target, in place.
bool rule_binary_cross_entropy_with_logits(OpCall *call)
{
    return pairs(call, 2, 3, 4, "binary_cross_entropy_with_logits") &&
           written_over(call, call_tensor(call, 1));
}

// ---- nll_loss: (self, target, weight, reduction, ignore_index)

static bool raise_mismatch(const char *format, const Tensor *input, const Tensor *target)
{
    Value have = shape_text(input->ndim, tensor_sizes(input));
    Value want = have ? shape_text(target->ndim, tensor_sizes(target)) : VALUE_ERROR;
    if (want) raise_error(RuntimeError, format, (ValueRef)have, (ValueRef)want);
    drop(have);
    drop(want);
    return false;
}

static bool weight_matches(const Tensor *weight, DimRef classes, const Tensor *input)
{
    bool equal = false;
    if (!weight) return true;
    if (weight->ndim == 1 && !dim_equal(size_at(weight, 0), classes, &equal)) return false;
    if (!equal) {
        Value text = shape_text(weight->ndim, tensor_sizes(weight));
        if (text)
            raise_error(RuntimeError,
                        "weight tensor should be defined either for all %S classes or no classes "
                        "but got weight tensor of shape: %S",
                        classes, (ValueRef)text);
        drop(text);
        return false;
    }
    return tensor_dtype(weight) == tensor_dtype(input) ||
           raise_error(RuntimeError, "expected scalar type %s but found %s", scalar_name(input),
                       scalar_name(weight));
}

static bool dtypes_match(const Tensor *input, const Tensor *target, const char *kernel)
{
    if (!dtype_is_floating(tensor_dtype(input)))
        return raise_error(RuntimeError, "\"%s\" not implemented for '%s'", kernel,
                           scalar_name(input));
    return tensor_dtype(target) == DTYPE_int64 ||
           raise_error(RuntimeError, "expected scalar type Long but found %s", scalar_name(target));
}

// [N, C] and [N], or [C] and [].
static bool rows_match(const Tensor *input, const Tensor *target)
{
    bool equal = true;
    if (input->ndim < 1 || input->ndim > 2)
        return raise_error(RuntimeError, "input tensor should be 1D or 2D");
    if (target->ndim > 1)
        return raise_error(RuntimeError,
                           "0D or 1D target tensor expected, multi-target not supported");
    if (input->ndim == 1)
        equal = target->ndim == 0;
    else if (target->ndim == 0)
        equal = false;
    else if (!dim_equal(size_at(input, 0), size_at(target, 0), &equal))
        return false;
    return equal || raise_mismatch("size mismatch (got input: %S, target: %S)", input, target);
}

// [N, C, H, W] and [N, H, W].
static bool images_match(const Tensor *input, const Tensor *target)
{
    if (target->ndim != 3)
        return raise_error(RuntimeError,
                           "only batches of spatial targets supported (3D tensors) but got targets "
                           "of dimension: %d",
                           target->ndim);
    if (input->ndim != 4)
        return raise_error(
            RuntimeError,
            "only batches of spatial inputs supported (4D tensors), but got input of "
            "dimension: %d",
            input->ndim);
    for (int i = 0; i < 3; i++) {
        bool equal;
        if (!dim_equal(size_at(input, i ? i + 1 : 0), size_at(target, i), &equal)) return false;
        if (!equal)
            return raise_mismatch("size mismatch (got input: %S , target: %S", input, target);
    }
    return true;
}

static bool nll(OpCall *call, bool images)
{
    const Tensor *self = call_tensor(call, 0), *target = call_tensor(call, 1);
    int64_t reduction;
    if (!read_reduction(call, 3, &reduction) ||
        !(images ? images_match(self, target) : rows_match(self, target)) ||
        !weight_matches(call_optional(call, 2), size_at(self, self->ndim == 1 ? 0 : 1), self) ||
        !dtypes_match(self, target, images ? "nll_loss2d_forward_out_frame" : "nll_loss_out_frame"))
        return false;
    Shape *shape = call_result(call, tensor_dtype(self));
    if (reduction == REDUCE_NONE) shape_from_sizes(shape, target->ndim, tensor_sizes(target));
    call_result(call, tensor_dtype(self));
    return true;
}

bool rule_nll_loss(OpCall *call)
{
    return nll(call, false);
}

bool rule_nll_loss2d(OpCall *call)
{
    return nll(call, true);
}

// The gradient of each row, or of the one sum.
static bool gradient_matches(const Tensor *grad, const Tensor *target, bool reduced)
{
    bool equal = grad->ndim == (reduced ? 0 : target->ndim);
    for (int i = 0; equal && !reduced && i < grad->ndim; i++)
        if (!dim_equal(size_at(grad, i), size_at(target, i), &equal)) return false;
    return equal || raise_error(RuntimeError, "expected grad_output of the shape of the loss");
}

// (grad_output, self, target, weight, reduction, ignore_index, total_weight)
static bool nll_backward(OpCall *call, bool images)
{
    const Tensor *self = call_tensor(call, 1), *target = call_tensor(call, 2);
    int64_t reduction;
    if (!read_reduction(call, 4, &reduction) ||
        !(images ? images_match(self, target) : rows_match(self, target)) ||
        !weight_matches(call_optional(call, 3), size_at(self, self->ndim == 1 ? 0 : 1), self) ||
        !dtypes_match(self, target, "nll_loss_backward_out_frame") ||
        !gradient_matches(call_tensor(call, 0), target, reduction != REDUCE_NONE))
        return false;
    if (call_tensor(call, 6)->numel != 1)
        return raise_error(RuntimeError, "expected total_weight to be a single element tensor");
    shape_from_sizes(call_result(call, tensor_dtype(self)), self->ndim, tensor_sizes(self));
    return true;
}

bool rule_nll_loss_backward(OpCall *call)
{
    return nll_backward(call, false);
}

// PyTorch gives the gradient the layout of self, and then refuses any but the usual one.
bool rule_nll_loss2d_backward(OpCall *call)
{
    if (!nll_backward(call, true)) return false;
    const Tensor *self = call_tensor(call, 1);
    bool usual = tensor_is(self, TENSOR_CONTIGUOUS) || tensor_is(self, TENSOR_FAKE);
    if (!usual && tensor_is_dense(self))
        return raise_error(RuntimeError, "grad_input must be contiguous");
    return shape_as_cloned(self, &call->results[0].shape);
}

// ---- embedding: (weight, indices, padding_idx, scale_grad_by_freq, sparse)

static bool are_indices(const Tensor *tensor)
{
    if (tensor_dtype(tensor) == DTYPE_int64 || tensor_dtype(tensor) == DTYPE_int32) return true;
    return raise_error(RuntimeError,
                       "Expected tensor for argument #1 'indices' to have one of the following "
                       "scalar types: Long, Int; but got %s instead (while checking arguments for "
                       "embedding)",
                       dtype_table[tensor_dtype(tensor)].type);
}

bool rule_embedding(OpCall *call)
{
    const Tensor *weight = call_tensor(call, 0), *indices = call_tensor(call, 1);
    if (weight->ndim != 2) return raise_error(RuntimeError, "'weight' must be 2-D");
    if (!are_indices(indices)) return false;
    if (indices->ndim == TENSOR_MAX_DIMS)
        return raise_error(RuntimeError, "tensors have at most %d dimensions", TENSOR_MAX_DIMS);
    Shape *shape = call_result(call, tensor_dtype(weight));
    shape_from_sizes(shape, indices->ndim, tensor_sizes(indices));
    shape->size[shape->ndim] = retain(size_at(weight, 1));
    shape->symbolic |= !is_small(shape->size[shape->ndim++]);
    return true;
}

// (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
bool rule_embedding_backward(OpCall *call)
{
    const Tensor *grad = call_tensor(call, 0), *indices = call_tensor(call, 1);
    int64_t rows;
    bool equal = grad->ndim == indices->ndim + 1;
    if (!are_indices(indices) || !call_int(call, 2, &rows)) return false;
    for (int i = 0; equal && i < indices->ndim; i++)
        if (!dim_equal(size_at(grad, i), size_at(indices, i), &equal)) return false;
    if (!equal || rows < 0)
        return raise_error(RuntimeError, "expected grad_output to have a row for each index");
    if (!dtype_is_floating(tensor_dtype(grad)))
        return raise_error(RuntimeError, "\"embedding_backward\" not implemented for '%s'",
                           scalar_name(grad));
    Shape *shape = call_result(call, tensor_dtype(grad));
    shape->ndim = 2;
    shape->size[0] = dim_of(rows);
    shape->size[1] = retain(size_at(grad, grad->ndim - 1));
    shape->symbolic = !is_small(shape->size[1]);
    return true;
}
