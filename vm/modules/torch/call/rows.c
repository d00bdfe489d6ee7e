// Copies of tensors in the layout that a kernel wants (rows.h).
#include "vm/modules/torch/call/rows.h"

#include "objects/tensor/iterate.h"

// Of a value that may have failed: NULL then.
static Tensor *made(Value value)
{
    return value ? as_tensor(value) : NULL;
}

static void move_last(Dim *dims, int ndim, int dim)
{
    Dim moved = dims[dim];
    for (int i = dim; i + 1 < ndim; i++) dims[i] = dims[i + 1];
    dims[ndim - 1] = moved;
}

// A view of the tensor with the dimension moved: owned, NULL with an exception pending.
static Tensor *view_of(Tensor *tensor, int dim)
{
    if (dim == ROWS_AS_IS || dim >= tensor->ndim - 1) return as_tensor(retain(ref_of(tensor)));
    Shape shape;
    tensor_shape(tensor, &shape);
    move_last(shape.size, shape.ndim, dim);
    move_last(shape.stride, shape.ndim, dim);
    Value view = tensor_view(tensor, &shape);
    shape_drop(&shape);
    return made(view);
}

static bool use(Rows *rows, Tensor *tensor)
{
    rows->tensor = tensor;
    rows->data = tensor ? tensor_data(tensor) : NULL;
    return tensor != NULL;
}

static bool is_plain(const Tensor *tensor, Dtype dtype)
{
    return tensor_is(tensor, TENSOR_CONTIGUOUS) && tensor_dtype(tensor) == dtype;
}

bool rows_read(Rows *rows, Tensor *tensor, int dim, Dtype dtype)
{
    rows->target = NULL;
    Tensor *view = view_of(tensor, dim);
    if (!view || is_plain(view, dtype)) return use(rows, view);
    Value copy = tensor_new(dtype, view->ndim, tensor_sizes(view));
    if (copy && !iterate_copy(as_tensor(copy), view)) drop_slot(&copy);
    drop(own(view));
    return use(rows, made(copy));
}

bool rows_write(Rows *rows, Tensor *tensor, int dim, Dtype dtype)
{
    rows->target = NULL;
    Tensor *view = view_of(tensor, dim);
    if (!view || is_plain(view, dtype)) return use(rows, view);
    Value beside = tensor_new(dtype, view->ndim, tensor_sizes(view));
    drop(own(view));
    rows->target = tensor;
    rows->dim = dim;
    return use(rows, made(beside));
}

bool rows_store(Rows *rows)
{
    bool done = true;
    if (rows->target) {
        Tensor *view = view_of(rows->target, rows->dim);
        done = view && iterate_copy(view, rows->tensor);
        drop(own(view));
    }
    drop(own(rows->tensor));
    return done;
}

bool rows_drop(Rows *rows)
{
    drop(own(rows->tensor));
    return false;
}
