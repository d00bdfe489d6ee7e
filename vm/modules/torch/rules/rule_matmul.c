// Rules of matrix products: which shapes can be multiplied, and what comes out.
//
// The messages are those of PyTorch 2.5 (ATen/native/LinearAlgebra.cpp, Blas.cpp). They differ from
// one operator to the next.
#include "objects/error.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/rules/rule_build.h"
#include "vm/modules/torch/rules/rules.h"

// ---- dtypes

static const char *scalar_name(const Tensor *tensor)
{
    return dtype_table[tensor_dtype(tensor)].scalar;
}

static bool same_dtype(const Tensor *a, const Tensor *b)
{
    return tensor_dtype(a) == tensor_dtype(b);
}

static bool expect_scalar(const Tensor *expected, const Tensor *found)
{
    if (same_dtype(expected, found)) return true;
    return raise_error(RuntimeError, "expected scalar type %s but found %s", scalar_name(expected),
                       scalar_name(found));
}

// ---- shapes

static DimRef size_at(const Tensor *tensor, int dim)
{
    return tensor_sizes(tensor)[dim];
}

static void set_sizes(Shape *shape, int ndim, const DimRef *sizes)
{
    shape->ndim = ndim;
    for (int i = 0; i < ndim; i++) {
        shape->size[i] = retain(sizes[i]);
        if (!is_small(sizes[i])) shape->symbolic = true;
    }
}

static bool can_multiply(const Tensor *a, const Tensor *b)
{
    bool equal;
    if (!dim_equal(size_at(a, 1), size_at(b, 0), &equal)) return false;
    if (equal) return true;
    if (tensor_is(a, TENSOR_FAKE) && tensor_is(b, TENSOR_FAKE)) // PyTorch's words for fakes
        return raise_error(RuntimeError,
                           "a and b must have same reduction dim, but got [%S, %S] X [%S, %S].",
                           size_at(a, 0), size_at(a, 1), size_at(b, 0), size_at(b, 1));
    return raise_error(RuntimeError, "mat1 and mat2 shapes cannot be multiplied (%Sx%S and %Sx%S)",
                       size_at(a, 0), size_at(a, 1), size_at(b, 0), size_at(b, 1));
}

static bool raise_not_expandable(const Tensor *self, const Shape *target, int dim)
{
    Value want = shape_text(target->ndim, target->size);
    Value have = want ? shape_text(self->ndim, tensor_sizes(self)) : VALUE_ERROR;
    if (have)
        raise_error(RuntimeError,
                    "The expanded size of the tensor (%S) must match the existing size (%S) at "
                    "non-singleton dimension %d.  Target sizes: %S.  Tensor sizes: %S",
                    (ValueRef)target->size[dim], size_at(self, dim - (target->ndim - self->ndim)),
                    dim, (ValueRef)want, (ValueRef)have);
    drop(want);
    drop(have);
    return false;
}

static bool raise_too_many_dims(const Tensor *self, const Shape *target)
{
    Value want = shape_text(target->ndim, target->size);
    Value have = want ? shape_text(self->ndim, tensor_sizes(self)) : VALUE_ERROR;
    if (have)
        raise_error(RuntimeError,
                    "expand(%s{%S}, size=%S): the number of sizes provided (%d) must be greater or "
                    "equal to the number of dimensions in the tensor (%d)",
                    dtype_tensor_type(tensor_dtype(self)), (ValueRef)have, (ValueRef)want,
                    target->ndim, self->ndim);
    drop(want);
    drop(have);
    return false;
}

// `self` must expand to the shape of the product that is added to it.
static bool expands_to(const Tensor *self, const Shape *target)
{
    int more = target->ndim - self->ndim;
    if (more < 0) return raise_too_many_dims(self, target);
    for (int i = self->ndim - 1; i >= 0; i--) {
        bool one, equal;
        if (!dim_is(size_at(self, i), 1, &one)) return false;
        if (one) continue;
        if (!dim_equal(size_at(self, i), target->size[more + i], &equal)) return false;
        if (!equal) return raise_not_expandable(self, target, more + i);
    }
    return true;
}

// ---- two matrices

static Shape *matrix_result(OpCall *call, const Tensor *a, const Tensor *b)
{
    Shape *shape = call_result(call, tensor_dtype(a));
    set_sizes(shape, 2, (const DimRef[]){size_at(a, 0), size_at(b, 1)});
    return shape;
}

bool rule_mm(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *other = call_tensor(call, 1);
    if (self->ndim != 2) return raise_error(RuntimeError, "self must be a matrix");
    if (other->ndim != 2) return raise_error(RuntimeError, "mat2 must be a matrix");
    if (!can_multiply(self, other)) return false;
    if (!same_dtype(self, other))
        return raise_error(RuntimeError,
                           "expected m1 and m2 to have the same dtype, but got: %s != %s",
                           dtype_cpp_name(tensor_dtype(self)), dtype_cpp_name(tensor_dtype(other)));
    matrix_result(call, self, other);
    return is_number(self, "addmm_impl_cpu_");
}

static bool is_matrix(const Tensor *tensor, const char *name)
{
    if (tensor->ndim == 2) return true;
    return raise_error(RuntimeError, "%s must be a matrix, got %d-D tensor", name, tensor->ndim);
}

static bool has_dtype_of_mat2(const Tensor *tensor, const char *name, const Tensor *mat2)
{
    if (same_dtype(tensor, mat2)) return true;
    return raise_error(RuntimeError, "%s and mat2 must have the same dtype, but got %s and %s",
                       name, scalar_name(tensor), scalar_name(mat2));
}

bool rule_addmm(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    const Tensor *a = call_tensor(call, 1), *b = call_tensor(call, 2);
    return has_dtype_of_mat2(self, "self", b) && has_dtype_of_mat2(a, "mat1", b) &&
           is_matrix(a, "mat1") && is_matrix(b, "mat2") && can_multiply(a, b) &&
           expands_to(self, matrix_result(call, a, b)) && is_number(a, "addmm_impl_cpu_");
}

// ---- a matrix and a vector

static bool raise_vector(const Tensor *matrix, const Tensor *vector, DimRef self_size)
{
    return raise_error(RuntimeError, "size mismatch, got input (%S), mat (%Sx%S), vec (%S)",
                       self_size, size_at(matrix, 0), size_at(matrix, 1), size_at(vector, 0));
}

// `self_ndim` and `self_size` are those of what is added to the product.
static bool multiplies_vector(const Tensor *matrix, const Tensor *vector, int self_ndim,
                              DimRef self_size)
{
    bool equal;
    if (matrix->ndim != 2 || vector->ndim != 1 || self_ndim > 1)
        return raise_error(RuntimeError, "vector + matrix @ vector expected, got %d, %d, %d",
                           self_ndim, matrix->ndim, vector->ndim);
    if (!dim_equal(size_at(matrix, 1), size_at(vector, 0), &equal)) return false;
    if (!equal && self_ndim == 0)
        return raise_error(IndexError, "Dimension specified as 0 but tensor has no dimensions");
    return equal || raise_vector(matrix, vector, self_size);
}

static Shape *vector_result(OpCall *call, const Tensor *matrix)
{
    Shape *shape = call_result(call, tensor_dtype(matrix));
    set_sizes(shape, 1, (const DimRef[]){size_at(matrix, 0)});
    return shape;
}

bool rule_mv(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *vector = call_tensor(call, 1);
    if (self->ndim == 0)
        return raise_error(IndexError, "Dimension specified as 0 but tensor has no dimensions");
    DimRef rows = size_at(self, 0);
    bool nothing = rows == from_small(0); // then no dtype is asked for
    if (!multiplies_vector(self, vector, 1, rows)) return false;
    if (!nothing && !expect_scalar(self, vector)) return false;
    vector_result(call, self);
    call->results[0].dtype = tensor_dtype(vector);
    return nothing || is_number(self, "addmv_impl_cpu");
}

bool rule_addmv(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    const Tensor *matrix = call_tensor(call, 1), *vector = call_tensor(call, 2);
    DimRef size = self->ndim ? size_at(self, 0) : from_small(1);
    bool fits, one;
    if (!multiplies_vector(matrix, vector, self->ndim, size) ||
        !dim_equal(size, size_at(matrix, 0), &fits) || !dim_is(size, 1, &one) ||
        !(fits || one || raise_vector(matrix, vector, size)) || !expect_scalar(matrix, vector) ||
        !expect_scalar(matrix, self))
        return false;
    return expands_to(self, vector_result(call, matrix)) && is_number(matrix, "addmv_impl_cpu");
}

// ---- two vectors

bool rule_dot(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *other = call_tensor(call, 1);
    bool equal;
    if (self->ndim != 1 || other->ndim != 1)
        return raise_error(RuntimeError, "1D tensors expected, but got %dD and %dD tensors",
                           self->ndim, other->ndim);
    if (!same_dtype(self, other))
        return raise_error(RuntimeError,
                           "dot : expected both vectors to have same dtype, but found %s and %s",
                           scalar_name(self), scalar_name(other));
    if (!dim_equal(size_at(self, 0), size_at(other, 0), &equal)) return false;
    if (!equal)
        return raise_error(RuntimeError,
                           "inconsistent tensor size, expected tensor [%S] and src [%S] to have "
                           "the same number of elements, but got %S and %S elements respectively",
                           size_at(self, 0), size_at(other, 0), size_at(self, 0),
                           size_at(other, 0));
    call_result(call, tensor_dtype(self));
    return is_number(self, "dot");
}

// ---- batches of matrices

static bool is_batch(const Tensor *tensor, const char *name)
{
    return tensor->ndim == 3 || raise_error(RuntimeError, "%s must be a 3D tensor", name);
}

// The batch and the inner size of the second operand.
static bool batches_match(const Tensor *a, const Tensor *b)
{
    bool batch, inner;
    if (!dim_equal(size_at(a, 0), size_at(b, 0), &batch) ||
        !dim_equal(size_at(a, 2), size_at(b, 1), &inner))
        return false;
    if (batch && inner) return true;
    return raise_error(RuntimeError,
                       "Expected size for first two dimensions of batch2 tensor to be: [%S, %S] "
                       "but got: [%S, %S].",
                       size_at(a, 0), size_at(a, 2), size_at(b, 0), size_at(b, 1));
}

static Shape *batch_result(OpCall *call, const Tensor *a, const Tensor *b)
{
    Shape *shape = call_result(call, tensor_dtype(b));
    set_sizes(shape, 3, (const DimRef[]){size_at(a, 0), size_at(a, 1), size_at(b, 2)});
    return shape;
}

bool rule_bmm(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *other = call_tensor(call, 1);
    if (!is_batch(self, "batch1") || !is_batch(other, "batch2") || !batches_match(self, other))
        return false;
    batch_result(call, self, other);
    if (self->numel == 0 || other->numel == 0) return true; // no dtype is asked for
    return is_number(self, "bmm") && expect_scalar(self, other);
}

// The size of a dimension is asked for before the number of dimensions is looked at.
static bool has_dim(const Tensor *tensor, int64_t dim)
{
    if (tensor->ndim) return shape_wrap_dim(&dim, tensor->ndim);
    return raise_error(IndexError, "Dimension specified as %lld but tensor has no dimensions",
                       (long long)dim);
}

bool rule_baddbmm(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0);
    const Tensor *a = call_tensor(call, 1), *b = call_tensor(call, 2);
    if (!has_dim(a, 0) || !has_dim(a, 1) || !has_dim(b, 2)) return false;
    Shape *shape = batch_result(call, a, b);
    if (!expands_to(self, shape)) return false;
    if (!is_batch(a, "batch1") || !is_batch(b, "batch2")) return false;
    if (!same_dtype(self, a))
        return raise_error(RuntimeError,
                           "Input dtypes must be the same, got: input %s, batch1: %s, batch2: %s",
                           dtype_cpp_name(tensor_dtype(self)), dtype_cpp_name(tensor_dtype(a)),
                           dtype_cpp_name(tensor_dtype(b)));
    if (!batches_match(a, b)) return false;
    return size_at(a, 0) == from_small(0) || (expect_scalar(a, b) && is_number(a, "baddbmm"));
}
