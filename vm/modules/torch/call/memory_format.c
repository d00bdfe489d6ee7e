// Strides of channels-last formats.
#include "vm/modules/torch/call/memory_format.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "vm/modules/torch/call/torch_objects.h"

#define LEAST_DIMS 4 // of an image; a volume has one more

static int dims_of(MemoryFormat format)
{
    return format == FORMAT_CHANNELS_LAST ? LEAST_DIMS : LEAST_DIMS + 1;
}

// The i-th dimension from the innermost one: channels, then the last one to the first.
static int inner_dim(int ndim, int i)
{
    return i == 0 ? 1 : i == ndim - 1 ? 0 : ndim - i;
}

bool memory_format_lay_out(Shape *shape, MemoryFormat format)
{
    int ndim = dims_of(format);
    Dim stride = from_small(1);
    if (shape->ndim != ndim)
        return raise_error(RuntimeError, "required rank %d tensor to use channels_last%s format",
                           ndim, ndim == LEAST_DIMS ? "" : "_3d");
    for (int i = 0; shape->strided && i < ndim; i++) drop(shape->stride[i]);
    shape->strided = true;
    for (int i = 0; i < ndim; i++) {
        int dim = inner_dim(ndim, i);
        shape->stride[dim] = retain(stride);
        Dim next = dim_stride(stride, shape->size[dim]);
        replace_slot(&stride, next ? next : from_small(1));
    }
    drop(stride);
    return !error_pending();
}

bool memory_format_restride(OpCall *resize)
{
    Shape shape;
    Tensor *tensor = call_tensor(resize, 0);
    if (!call_has(resize, 2)) return true;
    MemoryFormat format = memory_format_of(resize->slots[2]);
    if (format == FORMAT_PRESERVE)
        return raise_error(RuntimeError, "Unsupported memory formatPreserve");
    if (format == FORMAT_CONTIGUOUS) return true;
    tensor_shape(tensor, &shape);
    bool done = memory_format_lay_out(&shape, format) && tensor_set_shape(tensor, &shape);
    shape_drop(&shape);
    return done;
}

// ---- what a tensor is

bool memory_format_holds(const Tensor *tensor, MemoryFormat format)
{
    if (format == FORMAT_CONTIGUOUS || format == FORMAT_PRESERVE)
        return tensor_is(tensor, TENSOR_UNRESOLVED) ? tensor_is_row_major(tensor)
                                                    : tensor_is(tensor, TENSOR_CONTIGUOUS);
    int ndim = tensor->ndim;
    if (ndim != dims_of(format)) return false;
    Dim expected = from_small(1);
    bool equal = true, done = true;
    for (int i = 0; equal && done && i < ndim; i++) {
        int dim = inner_dim(ndim, i);
        DimRef size = tensor_sizes(tensor)[dim];
        if (size == from_small(1)) continue;
        done = dim_equal(tensor_strides(tensor)[dim], expected, &equal);
        Dim next = done ? dim_mul(expected, size) : VALUE_ERROR;
        replace_slot(&expected, next ? next : from_small(1));
    }
    drop(expected);
    if (error_pending()) error_clear();
    return equal && done;
}

// Takes *least on to the next dimension further out. *fits: the stride of this one is no less.
static bool step_out(const Tensor *tensor, int dim, Dim *least, bool *fits)
{
    bool less;
    DimRef size = tensor_sizes(tensor)[dim], stride = tensor_strides(tensor)[dim];
    *fits = false;
    if (size == from_small(0)) return true;
    if (!dim_less(stride, *least, &less)) return false;
    if (dim == 0 && !less && !dim_equal(*least, tensor_strides(tensor)[1], &less)) return false;
    *fits = !less;
    Dim next = size == from_small(1) ? retain(stride) : dim_mul(stride, size);
    if (next) replace_slot(least, next);
    return next != VALUE_ERROR;
}

// Do the strides grow from the channels outwards? Each is at least that of the dimension before,
// times its size. Where the outermost one is no larger than that of the channels, all sizes but
// that of the channels are 1, and nothing tells the formats apart. What asks for no guard on
// symbolic sizes is asked first.
static bool seems_channels_last(const Tensor *tensor)
{
    bool fits = tensor_strides(tensor)[1] != from_small(0);
    bool symbolic = tensor_is(tensor, TENSOR_SYMBOLIC);
    if (symbolic &&
        (tensor_is(tensor, TENSOR_CONTIGUOUS) || tensor_strides(tensor)[1] != from_small(1)))
        return false;
    Dim least = from_small(0);
    for (int i = 0; fits && i < tensor->ndim; i++) {
        if (step_out(tensor, inner_dim(tensor->ndim, i), &least, &fits)) continue;
        error_clear(); // a size that only the data tells
        fits = false;
    }
    drop(least);
    return fits;
}

MemoryFormat memory_format_suggested(const Tensor *tensor)
{
    bool fits = tensor->ndim == LEAST_DIMS || tensor->ndim == LEAST_DIMS + 1;
    if (!fits || !seems_channels_last(tensor)) return FORMAT_CONTIGUOUS;
    return tensor->ndim == LEAST_DIMS ? FORMAT_CHANNELS_LAST : FORMAT_CHANNELS_LAST_3D;
}

// ---- of a call

const ValueRef *memory_format_model(const OpCall *call)
{
    return call->slots + (call->op->kinds & INTERNAL && tensor_check(call->slots[1]));
}

bool memory_format_apply(OpCall *call)
{
    int index = call->schema->memory_format;
    if (index < 0 || !call_has(call, index) || !call->result_count) return true;
    MemoryFormat format = memory_format_of(call->slots[index]);
    Shape *shape = &call->results[0].shape;
    if (format == FORMAT_PRESERVE)
        return call->op != &op_table[OP_empty_memory_format] ||
               raise_error(RuntimeError, "unsupported memory format Preserve");
    if (format != FORMAT_CONTIGUOUS) return memory_format_lay_out(shape, format);
    for (int i = 0; shape->strided && i < shape->ndim; i++) drop(shape->stride[i]);
    shape->strided = false;
    return true;
}

MemoryFormat memory_format_common(const ValueRef *tensors, size_t count)
{
    MemoryFormat format = memory_format_suggested(as_tensor(tensors[0]));
    for (size_t i = 1; i < count && format != FORMAT_CONTIGUOUS; i++)
        if (memory_format_suggested(as_tensor(tensors[i])) != format) return FORMAT_CONTIGUOUS;
    return format;
}

bool memory_format_follow(OpCall *call, const ValueRef *tensors, size_t count)
{
    MemoryFormat format = memory_format_common(tensors, count);
    for (int i = 0; format != FORMAT_CONTIGUOUS && i < call->result_count; i++) {
        Shape *shape = &call->results[i].shape;
        if (shape->ndim != dims_of(format)) continue;
        if (!memory_format_lay_out(shape, format)) return false;
        call->relaid = true;
    }
    return true;
}

// A copy of a result in another format; takes the result.
static Value in_format(Value tensor, MemoryFormat format)
{
    OpCall call = {.op = &op_table[OP_clone_], .schema = schema_of(OP_clone_)};
    call.slots[0] = tensor;
    call.slots[1] = memory_format_value(format);
    Value copy = call.schema ? op_call(&call) : VALUE_ERROR;
    drop(tensor);
    return copy;
}

bool memory_format_follow_composed(OpCall *call)
{
    MemoryFormat format = memory_format_common(memory_format_model(call), 1);
    if (format == FORMAT_CONTIGUOUS) return true;
    if (tensor_check(call->value)) {
        call->value = in_format(call->value, format);
        return call->value != VALUE_ERROR;
    }
    for (ssize_t i = 0; i < tuple_size(call->value); i++) {
        Value *item = &as_tuple(call->value)->items[i];
        if (!(*item = in_format(*item, format))) return false;
    }
    return true;
}
