// Kernels that put elements in other positions: cat, stack, flip, roll, tril, triu, repeat.
//
// Most copy whole parts: a part of the result is a view, and iterate_copy() does the rest.
#include "objects/error.h"
#include "objects/tensor/convert.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"

// Copies `from` into the part of `to` that starts at `start` along `dim`. Broadcasts.
static bool copy_part(Tensor *to, int dim, int64_t start, int64_t length, const Tensor *from)
{
    Value part = tensor_part(to, dim, start, length);
    bool done = part && iterate_copy(as_tensor(part), from);
    drop(part);
    return done;
}

// ---- cat, stack

static int64_t product(const Tensor *tensor, int from, int to)
{
    int64_t size = 1;
    for (int i = from; i < to; i++) size *= tensor_size(tensor, i);
    return size;
}

bool KERNEL(kernel_cat)(OpCall *call)
{
    size_t count;
    Tensor *result = call->results[0].tensor;
    const ValueRef *tensors = call_tensors(call, 0, &count);
    int64_t dim, start = 0;
    if (result->numel == 0) return true;
    if (!call_dim(call, 1, result->ndim, &dim)) return false;
    for (size_t i = 0; i < count; i++) {
        const Tensor *tensor = as_tensor(tensors[i]);
        if (tensor->ndim == 1 && tensor->numel == 0) continue;
        int64_t length = tensor_size(tensor, (int)dim);
        if (!copy_part(result, (int)dim, start, length, tensor)) return false;
        start += length;
    }
    return true;
}

// Stacking is a copy into slices of size 1: a tensor lacks the dimension, so it is put back.
static bool copy_slice(Tensor *result, int dim, int64_t index, const Tensor *tensor)
{
    Shape shape;
    tensor_shape(result, &shape);
    int64_t stride = tensor_stride(result, dim);
    shape.offset = from_small(small_value(shape.offset) + index * stride);
    shape.ndim--;
    size_t after = (size_t)(shape.ndim - dim) * sizeof(Dim);
    memmove(shape.size + dim, shape.size + dim + 1, after);
    memmove(shape.stride + dim, shape.stride + dim + 1, after);
    Value slice = tensor_view(result, &shape);
    bool done = slice && iterate_copy(as_tensor(slice), tensor);
    drop(slice);
    return done;
}

bool KERNEL(kernel_stack)(OpCall *call)
{
    size_t count;
    Tensor *result = call->results[0].tensor;
    const ValueRef *tensors = call_tensors(call, 0, &count);
    int64_t dim;
    if (!call_dim(call, 1, result->ndim, &dim)) return false;
    for (size_t i = 0; i < count; i++)
        if (!copy_slice(result, (int)dim, (int64_t)i, as_tensor(tensors[i]))) return false;
    return true;
}

// The result gets the memory of its argument, though it does not count as a view of it.
bool KERNEL(kernel_unsafe_view)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Tensor *result = call->results[0].tensor;
    Shape shape;
    tensor_shape(result, &shape);
    shape.offset = retain(self->offset);
    return tensor_set_data(result, self) && tensor_set_shape(result, &shape);
}

// ---- flip, roll

bool KERNEL(kernel_flip)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    Tensor *result = call->results[0].tensor;
    Dim given[TENSOR_MAX_DIMS];
    uint64_t dims;
    int count = call_dims(call, 1, given);
    if (count < 0 || !call_dim_set(call, 1, self->ndim, &dims)) return false;
    iterate_copy_flipped(result, self, count ? dims : 0);
    return true;
}

static int64_t positive_remainder(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

// Moves what is contiguous, as [rows, n, inner], round by `shift` along its middle dimension.
static void roll(Tensor *result, ValueRef self, int64_t rows, int64_t n, int64_t inner,
                 int64_t shift)
{
    size_t size = dtype_size(tensor_dtype(result)) * (size_t)inner, row = size * (size_t)n;
    size_t front = size * (size_t)positive_remainder(shift, n);
    char *to = tensor_data(result), *from = tensor_elements(self);
    for (int64_t i = 0; i < rows; i++, from += row, to += row) {
        memcpy(to + front, from, row - front);
        memcpy(to, from + row - front, front);
    }
}

// Along one dimension after another; from the second on, out of a copy.
static bool roll_dims(OpCall *call, Tensor *result, const int64_t *shifts, int64_t *dims, int count)
{
    for (int i = 0; i < count; i++) {
        if (!shape_wrap_dim(&dims[i], result->ndim)) return false;
        int dim = (int)dims[i];
        Value from = i == 0 ? tensor_dense(call_tensor(call, 0), tensor_dtype(result))
                            : tensor_new(tensor_dtype(result), result->ndim, tensor_sizes(result));
        if (!from || (i && !iterate_copy(as_tensor(from), result))) {
            drop(from);
            return false;
        }
        roll(result, from, product(result, 0, dim), tensor_size(result, dim),
             product(result, dim + 1, result->ndim), shifts[i]);
        drop(from);
    }
    return true;
}

bool KERNEL(kernel_roll)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    int64_t shifts[TENSOR_MAX_DIMS], dims[TENSOR_MAX_DIMS];
    int dim_count = call_ints(call, 2, dims);
    if (dim_count < 0 || call_ints(call, 1, shifts) < 0) return false;
    if (result->numel == 0) return true;
    if (result->ndim == 0) return iterate_copy(result, call_tensor(call, 0));
    if (dim_count) return roll_dims(call, result, shifts, dims, dim_count);
    Value from = tensor_dense(call_tensor(call, 0), tensor_dtype(result));
    if (from) roll(result, from, 1, result->numel, 1, shifts[0]);
    drop(from);
    return from != VALUE_ERROR;
}

// ---- tril, triu

// Zeroes of each row the columns from .. to-1; both move right by one from row to row.
static void clear_matrix(char *data, size_t size, int64_t rows, int64_t columns, int64_t diagonal,
                         bool upper)
{
    for (int64_t i = 0; i < rows; i++, data += size * (size_t)columns) {
        int64_t border = upper ? i + diagonal : i + diagonal + 1;
        border = border < 0 ? 0 : border > columns ? columns : border;
        if (upper)
            memset(data, 0, size * (size_t)border);
        else
            memset(data + size * (size_t)border, 0, size * (size_t)(columns - border));
    }
}

static bool triangle(OpCall *call, bool upper)
{
    Tensor *result = call->results[0].tensor;
    int64_t diagonal, limit = SMALL_MAX;
    if (!call_int(call, 1, &diagonal) || !iterate_copy(result, call_tensor(call, 0))) return false;
    diagonal = diagonal > limit ? limit : diagonal < -limit ? -limit : diagonal;
    if (result->numel == 0) return true;
    size_t size = dtype_size(tensor_dtype(result));
    int64_t rows = tensor_size(result, result->ndim - 2);
    int64_t columns = tensor_size(result, result->ndim - 1);
    char *data = tensor_data(result);
    for (int64_t i = 0; i < result->numel / (rows * columns); i++)
        clear_matrix(data + size * (size_t)(i * rows * columns), size, rows, columns, diagonal,
                     upper);
    return true;
}

bool KERNEL(kernel_tril)(OpCall *call)
{
    return triangle(call, false);
}

bool KERNEL(kernel_triu)(OpCall *call)
{
    return triangle(call, true);
}

// ---- repeat

// The result as [repeats[0], size[0], repeats[1], size[1] ...]: one copy that broadcasts. The
// dimensions that are not repeated are left out, so 64 are enough for up to 32 repeated ones.
static bool repeat_into(Tensor *result, Tensor *self)
{
    Shape to, from;
    int more = result->ndim - self->ndim;
    shape_init(&to, 0);
    shape_init(&from, 0);
    to.strided = from.strided = true;
    to.offset = result->offset;
    from.offset = self->offset;
    for (int i = 0; i < result->ndim; i++) {
        int64_t size = i < more ? 1 : tensor_size(self, i - more);
        int64_t stride = i < more ? 0 : tensor_stride(self, i - more);
        int64_t copies = tensor_size(result, i) / size;
        if (copies > 1) {
            to.size[to.ndim] = from.size[to.ndim] = from_small(copies);
            to.stride[to.ndim] = from_small(size * tensor_stride(result, i));
            from.stride[to.ndim++] = from_small(0);
        }
        if (size == 1) continue;
        to.size[to.ndim] = from.size[to.ndim] = from_small(size);
        to.stride[to.ndim] = from_small(tensor_stride(result, i));
        from.stride[to.ndim++] = from_small(stride);
    }
    from.ndim = to.ndim;
    Value wide = tensor_view(result, &to), narrow = wide ? tensor_view(self, &from) : VALUE_ERROR;
    bool done = narrow && iterate_copy(as_tensor(wide), as_tensor(narrow));
    drop(wide);
    drop(narrow);
    return done;
}

bool KERNEL(kernel_repeat)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    return result->numel == 0 || repeat_into(result, call_tensor(call, 0));
}
