// Shapes of masked_*, where, take, put and of indexing with tensors.
//
// (PyTorch: ATen/native/TensorAdvancedIndexing.cpp, IndexingUtils.h expandTensors, Embedding.cpp)
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/text/format.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

static const char *scalar_name(const Tensor *tensor)
{
    return dtype_table[tensor->dtype].scalar;
}

// ---- masks

// Adds a result with the common shape of the first two parameters and the dtype of the first.
// A message names the mask first, but what an in-place form writes before it.
static bool broadcast_first_two(OpCall *call)
{
    const Tensor *a = call_tensor(call, !call->inplace), *b = call_tensor(call, call->inplace);
    Shape *shape = call_result(call, tensor_dtype(call_tensor(call, 0)));
    return shape_broadcast(shape, a->ndim, tensor_sizes(a)) &&
           shape_broadcast(shape, b->ndim, tensor_sizes(b));
}

bool rule_masked_fill(OpCall *call)
{
    const Tensor *mask = call_tensor(call, 1);
    if (tensor_check(call->slots[2]) && call_tensor(call, 2)->ndim)
        return raise_error(RuntimeError,
                           "masked_fill_ only supports a 0-dimensional value tensor, but got "
                           "tensor with %d dimension(s).",
                           call_tensor(call, 2)->ndim);
    if (tensor_dtype(mask) != DTYPE_bool)
        return raise_error(RuntimeError,
                           "masked_fill_ only supports boolean masks, but got mask with dtype %s",
                           dtype_cpp_name(tensor_dtype(mask)));
    return broadcast_first_two(call);
}

bool rule_masked_scatter(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *mask = call_tensor(call, 1);
    const Tensor *source = call_tensor(call, 2);
    if (tensor_dtype(self) != tensor_dtype(source))
        return raise_error(RuntimeError,
                           "masked_scatter: expected self and source to have same dtypes but "
                           "got%s and %s",
                           scalar_name(self), scalar_name(source));
    if (tensor_dtype(mask) != DTYPE_bool)
        return raise_error(RuntimeError,
                           "masked_scatter_ only supports boolean masks, but got mask with dtype "
                           "%s",
                           scalar_name(mask));
    return broadcast_first_two(call);
}

bool rule_where(OpCall *call)
{
    const Tensor *condition = call_tensor(call, 0);
    if (tensor_dtype(condition) != DTYPE_bool && tensor_dtype(condition) != DTYPE_uint8)
        return raise_error(RuntimeError,
                           "where expected condition to be a boolean tensor, but got a tensor with "
                           "dtype %s",
                           scalar_name(condition));
    PromoteState state;
    promote_begin(&state);
    for (int i = 1; i < 3; i++)
        if (tensor_check(call->slots[i]))
            promote_tensor(&state, call_tensor(call, i));
        else
            promote_number(&state, call->slots[i]);
    call->promoted = promote_result(&state);
    return rule_layout(call, 3);
}

// ---- the flattened tensor

bool rule_take(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *index = call_tensor(call, 1);
    if (tensor_dtype(index) != DTYPE_int64)
        return raise_error(RuntimeError, "take(): Expected a long tensor for index, but got %s",
                           scalar_name(index));
    if (self->numel == 0 && index->numel != 0)
        return raise_error(IndexError, "take(): tried to take from an empty tensor");
    shape_from_sizes(call_result(call, tensor_dtype(self)), index->ndim, tensor_sizes(index));
    return true;
}

bool rule_put(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *index = call_tensor(call, 1);
    const Tensor *source = call_tensor(call, 2);
    if (tensor_dtype(index) != DTYPE_int64)
        return raise_error(RuntimeError, "put_(): Expected a long tensor for index, but got %s",
                           scalar_name(index));
    if (tensor_dtype(self) != tensor_dtype(source))
        return raise_error(RuntimeError,
                           "put_(): self and source expected to have the same dtype, but got "
                           "self.dtype = %s and source.dtype = %s",
                           scalar_name(self), scalar_name(source));
    if (index->numel != source->numel)
        return raise_error(IndexError,
                           "put_(): Expected source and index to have the same number of "
                           "elements, but got source.numel() = %lld, index.numel() = %lld",
                           (long long)source->numel, (long long)index->numel);
    if (self->numel == 0 && index->numel != 0)
        return raise_error(IndexError, "put_(): Tried to put elements into an empty tensor");
    return rule_cloned(call);
}

// ---- self[indices]

static bool is_mask(const Tensor *index)
{
    return tensor_dtype(index) == DTYPE_bool || tensor_dtype(index) == DTYPE_uint8;
}

static bool check_index_dtype(const Tensor *index)
{
    if (is_mask(index) || tensor_dtype(index) == DTYPE_int64 || tensor_dtype(index) == DTYPE_int32)
        return true;
    return raise_error(IndexError,
                       "tensors used as indices must be long, int, byte or bool tensors");
}

// A mask over dimensions dim .. has their sizes.
static bool check_mask(const Tensor *self, const Tensor *mask, int dim)
{
    for (int i = 0; i < mask->ndim; i++) {
        bool equal = dim + i < self->ndim;
        if (equal && !dim_equal(tensor_sizes(mask)[i], tensor_sizes(self)[dim + i], &equal))
            return false;
        if (equal) continue;
        Value have = shape_text(mask->ndim, tensor_sizes(mask));
        Value want = have ? shape_text(self->ndim, tensor_sizes(self)) : VALUE_ERROR;
        if (want)
            raise_error(IndexError,
                        "The shape of the mask %S at index %d does not match the shape of the "
                        "indexed tensor %S at index %d",
                        (ValueRef)have, i, (ValueRef)want, dim + i);
        drop(have);
        drop(want);
        return false;
    }
    return true;
}

// Appends the indices of the elements that are not zero, one tensor for each dimension of the mask.
static bool append_mask(Value list, const Tensor *self, Tensor *mask)
{
    ValueRef argument = ref_of(mask);
    if (!check_mask(self, mask, (int)list_size(list))) return false;
    Value rows = op_apply(OP_nonzero_, false, &argument, 1);
    for (int i = 0; rows && i < mask->ndim; i++) {
        const ValueRef arguments[] = {rows, from_small(1), from_small(i)};
        Value column = op_apply(OP_select_int, false, arguments, 3);
        bool done = column && list_append(list, column);
        drop(column);
        if (done) continue;
        drop(rows);
        return false;
    }
    drop(rows);
    return rows != VALUE_ERROR;
}

// Puts masks into the form of index tensors: call->slots[1] becomes a new tuple.
static bool expand_masks(OpCall *call, bool *fake)
{
    const Tensor *self = call_tensor(call, 0);
    size_t count;
    const ValueRef *indices = call_tensors(call, 1, &count);
    Value list = list_new(0);
    *fake = false;
    for (size_t i = 0; list && i < count; i++) {
        bool done = indices[i] == NONE || check_index_dtype(as_tensor(indices[i]));
        if (done && indices[i] != NONE && is_mask(as_tensor(indices[i]))) {
            if (call->fake) *fake = true;
            done = !*fake && append_mask(list, self, as_tensor(indices[i]));
        } else {
            done = done && list_append(list, indices[i]);
        }
        if (done) continue;
        drop(list);
        return false;
    }
    Value expanded = list ? list_to_tuple(list) : VALUE_ERROR;
    drop(list);
    return expanded && call_hold(call, 1, expanded);
}

static bool raise_index_shapes(const ValueRef *indices, size_t count)
{
    Value text = str_new("");
    error_clear();
    for (size_t i = 0; text && i < count; i++) {
        if (indices[i] == NONE) continue;
        const Tensor *index = as_tensor(indices[i]);
        Value sizes = shape_text(index->ndim, tensor_sizes(index));
        const char *comma = str_length(text) ? ", " : "";
        replace_slot(&text, sizes ? format_text("%S%s%S", (ValueRef)text, comma, (ValueRef)sizes)
                                  : VALUE_ERROR);
        drop(sizes);
    }
    return raise_about(IndexError,
                       "shape mismatch: indexing tensors could not be broadcast together with "
                       "shapes %S",
                       text);
}

// The common shape of the index tensors.
static bool broadcast_indices(const ValueRef *indices, size_t count, Shape *common)
{
    for (size_t i = 0; i < count; i++) {
        if (indices[i] == NONE) continue;
        const Tensor *index = as_tensor(indices[i]);
        if (shape_broadcast(common, index->ndim, tensor_sizes(index))) continue;
        return error_is(RuntimeError) && raise_index_shapes(indices, count);
    }
    return true;
}

int index_result_position(const ValueRef *indices, size_t count)
{
    int first = -1, last = -1, seen = 0;
    for (int i = 0; i < (int)count; i++) {
        if (indices[i] == NONE) continue;
        if (first < 0) first = i;
        last = i;
        seen++;
    }
    return seen && last - first + 1 == seen ? first : 0;
}

// The sizes of the result: the dimensions without an index, and at `position` the common shape.
static bool append_result(Shape *shape, const Tensor *self, const ValueRef *indices, size_t count,
                          const Shape *common)
{
    int position = index_result_position(indices, count);
    for (int i = 0; i < self->ndim; i++) {
        for (int j = 0; i == position && j < common->ndim; j++)
            if (!shape_append_size(shape, retain(common->size[j]))) return false;
        if (i < (int)count && indices[i] != NONE) continue;
        if (!shape_append_size(shape, retain(tensor_sizes(self)[i]))) return false;
    }
    return true;
}

// An index as it is once it is expanded to the common shape, which begins at `sizes`, and reshaped
// to the result's dimensions: `after` of them follow.
static Layout layout_of_index(const Tensor *index, const Dim *sizes, int ndim, int after)
{
    Layout layout = layout_of(index);
    int more = ndim - index->ndim, first = 0;
    layout.after = after;
    layout.left = layout.right = 1;
    if (index->ndim == 0 || tensor_is(index, TENSOR_SYMBOLIC)) return layout;
    layout.right = tensor_stride(index, index->ndim - 1);
    if (tensor_sizes(index)[index->ndim - 1] != sizes[ndim - 1]) layout.right = 0;
    layout.left = layout.right;
    while (first < ndim && sizes[first] == from_small(1)) first++;
    if (first == ndim) return layout;
    layout.left = 0;
    if (first >= more && tensor_sizes(index)[first - more] == sizes[first])
        layout.left = tensor_stride(index, first - more) * tensor_size(index, first - more);
    return layout;
}

// Have all operands the shape of the result, and one element or none? Then all are contiguous.
static bool has_one_shape(const Shape *shape, int position, int after)
{
    bool empty = false, many = false;
    for (int i = 0; i < shape->ndim; i++) {
        bool inside = i >= position && i < shape->ndim - after;
        if (!inside && shape->size[i] != from_small(1)) return false;
        empty |= shape->size[i] == from_small(0);
        many |= shape->size[i] != from_small(1);
    }
    return empty || !many;
}

// The result is in memory as its operands: self, which does not tell about the common shape of the
// indices (strides of 0), then each index.
static bool lay_out_indexed(const OpCall *call, Shape *shape)
{
    const Tensor *self = call_tensor(call, 0);
    size_t count;
    const ValueRef *indices = call_tensors(call, 1, &count);
    Layout layouts[TENSOR_MAX_DIMS + 1];
    Dim strides[TENSOR_MAX_DIMS];
    int position = index_result_position(indices, count), operands = 1, after = 0;
    for (int i = 0; i < shape->ndim; i++) strides[i] = from_small(0);
    for (int i = self->ndim; i-- > 0;)
        if (i < position)
            strides[i] = tensor_strides(self)[i];
        else if (i >= (int)count || indices[i] == NONE)
            strides[shape->ndim - ++after] = tensor_strides(self)[i];
    if (has_one_shape(shape, position, after)) return true;
    layouts[0] = (Layout){shape->ndim, 0, shape->size, strides, 0, 0};
    for (size_t i = 0; i < count; i++)
        if (indices[i] != NONE)
            layouts[operands++] = layout_of_index(as_tensor(indices[i]), shape->size + position,
                                                  shape->ndim - position - after, after);
    return lay_out(layouts, operands, shape);
}

// Fills in the shape of self[indices], and replaces masks in the call.
static bool index_shape(OpCall *call, Shape *shape)
{
    const Tensor *self = call_tensor(call, 0);
    bool fake;
    size_t count;
    if (!expand_masks(call, &fake)) return fake && fake_data_run(call);
    const ValueRef *indices = call_tensors(call, 1, &count);
    if (count > (size_t)self->ndim)
        return raise_error(IndexError, "too many indices for tensor of dimension %d (got %zu)",
                           self->ndim, count);
    Shape common;
    shape_init(&common, 0);
    bool done = broadcast_indices(indices, count, &common) &&
                append_result(shape, self, indices, count, &common);
    shape_drop(&common);
    return done;
}

bool rule_index(OpCall *call)
{
    Shape *shape = call_result(call, tensor_dtype(call_tensor(call, 0)));
    if (!index_shape(call, shape)) return false;
    return call->fake || lay_out_indexed(call, shape); // a fake result is contiguous
}

static bool check_values(const Tensor *values, const Shape *result)
{
    int more = result->ndim - values->ndim;
    bool fits = more >= 0, equal, one;
    for (int i = 0; fits && i < values->ndim; i++) {
        DimRef size = tensor_sizes(values)[i];
        if (!dim_is(size, 1, &one)) return false;
        if (one) continue;
        if (!dim_equal(size, result->size[i + more], &equal)) return false;
        fits = equal;
    }
    return fits || raise_about_two(RuntimeError,
                                   "shape mismatch: value tensor of shape %S cannot be broadcast "
                                   "to indexing result of shape %S",
                                   shape_text(values->ndim, tensor_sizes(values)),
                                   shape_text(result->ndim, result->size));
}

// How many of the indices are masks, and how many are not.
static int count_masks(OpCall *call, int *others)
{
    size_t count;
    int masks = 0;
    const ValueRef *indices = call_tensors(call, 1, &count);
    *others = 0;
    for (size_t i = 0; i < count; i++) {
        if (indices[i] == NONE) continue;
        if (is_mask(as_tensor(indices[i])))
            masks++;
        else
            *others += 1;
    }
    return masks;
}

// A single element that goes where a mask is True: it is converted, as masked_fill_ does.
static bool fills_mask(OpCall *call)
{
    int others;
    return count_masks(call, &others) == 1 && !others && call_tensor(call, 2)->numel == 1 &&
           !call_bool(call, 3);
}

// No index but one of no elements fits a dimension of size 0.
static bool check_indexed(const OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    size_t count;
    const ValueRef *indices = call_tensors(call, 1, &count);
    bool none = false, empty = false;
    for (size_t i = 0; i < count; i++) {
        if (indices[i] == NONE) continue;
        none |= as_tensor(indices[i])->numel == 0;
        empty |= tensor_sizes(self)[i] == from_small(0);
    }
    return none || !empty ||
           raise_error(IndexError, "index is out of bounds for dimension with size 0");
}

// How many elements a fake mask selects is not known, nor does the result depend on it.
static bool fits_indices(OpCall *call, const Tensor *values)
{
    int others;
    if (call->fake && count_masks(call, &others)) return true;
    Shape result;
    shape_init(&result, 0);
    bool done = index_shape(call, &result) &&
                (!call->inplace || call_check_overlap(call, call_tensor(call, 0))) &&
                check_indexed(call) && check_values(values, &result);
    shape_drop(&result);
    return done;
}

bool rule_index_put(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *values = call_tensor(call, 2);
    bool fills = fills_mask(call); // index_shape() puts indices in place of masks
    bool done = fits_indices(call, values);
    if (done && tensor_dtype(self) != tensor_dtype(values) && !fills)
        return raise_error(RuntimeError,
                           "Index put requires the source and destination dtypes match, got %s "
                           "for the destination and %s for the source.",
                           scalar_name(self), scalar_name(values));
    return done && rule_cloned(call);
}
