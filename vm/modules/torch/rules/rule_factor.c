// Rules of the factorisations of matrices (ATen/native/BatchLinearAlgebra.cpp).
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/modules/torch/rules/rules.h"

static bool check_dtype(const Tensor *a, const char *name, const char *kernel)
{
    Dtype dtype = tensor_dtype(a);
    if (name && !dtype_is_inexact(dtype))
        return raise_error(RuntimeError,
                           "%s: Expected a floating point or complex tensor as input. Got %s", name,
                           dtype_table[dtype].scalar);
    return dtype == DTYPE_float32 || dtype == DTYPE_float64 || dtype_is_complex(dtype) ||
           raise_error(RuntimeError, "\"%s\" not implemented for '%s'", kernel,
                       dtype_table[dtype].scalar);
}

static bool check_matrix(const Tensor *a, const char *name)
{
    return a->ndim >= 2 ||
           raise_error(RuntimeError, "%s: The input tensor A must have at least 2 dimensions.",
                       name);
}

static DimRef size_of(const Tensor *a, int from_end)
{
    return tensor_sizes(a)[a->ndim - from_end];
}

static bool check_square(const Tensor *a, const char *name)
{
    bool square;
    if (!check_matrix(a, name) || !dim_equal(size_of(a, 2), size_of(a, 1), &square)) return false;
    return square || raise_error(RuntimeError,
                                 "%s: A must be batches of square matrices, but they are %S by %S "
                                 "matrices",
                                 name, size_of(a, 2), size_of(a, 1));
}

// Strides for matrices column by column, as LAPACK leaves them; the batch dimensions are in order.
static bool by_columns(Shape *shape)
{
    Dim *size = shape->size + shape->ndim - 2, *stride = shape->stride + shape->ndim - 2;
    Dim rows = size[0], columns = size[1];
    size[0] = columns;
    size[1] = rows;
    bool made = shape_contiguous(shape);
    size[0] = rows;
    size[1] = columns;
    Dim one = stride[1];
    stride[1] = stride[0];
    stride[0] = one;
    return made;
}

// Adds a result with the batch dimensions of `a`, and these: VALUE_ERROR = not there.
static bool add_result(OpCall *call, Dtype dtype, DimRef rows, DimRef columns)
{
    const Tensor *a = call_tensor(call, 0);
    Shape *shape = call_result(call, dtype);
    shape_from_sizes(shape, a->ndim - 2, tensor_sizes(a));
    DimRef more[] = {rows, columns};
    for (int i = 0; i < 2; i++) {
        if (more[i] == VALUE_ERROR) continue;
        shape->symbolic |= !is_small(more[i]);
        shape->size[shape->ndim++] = retain(more[i]);
    }
    return columns == VALUE_ERROR || by_columns(shape);
}

// The smaller one of rows and columns.
static bool shorter_side(const Tensor *a, DimRef *shorter)
{
    bool wide;
    if (!dim_less(size_of(a, 2), size_of(a, 1), &wide)) return false;
    *shorter = wide ? size_of(a, 2) : size_of(a, 1);
    return true;
}

// (self, upper, check_errors) -> L, info
bool rule_cholesky(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0);
    if (!check_square(a, "linalg.cholesky") || !check_dtype(a, "linalg.cholesky", "cholesky_cpu"))
        return false;
    return add_result(call, tensor_dtype(a), size_of(a, 2), size_of(a, 1)) &&
           add_result(call, DTYPE_int32, VALUE_ERROR, VALUE_ERROR);
}

// (A, pivot, check_errors) -> LU, pivots, info
bool rule_lu_factor(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0);
    DimRef shorter;
    if (a->ndim < 2) {
        Value text = shape_text(a->ndim, tensor_sizes(a));
        if (text)
            raise_error(RuntimeError,
                        "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: %S "
                        "instead",
                        (ValueRef)text);
        drop(text);
        return false;
    }
    if (!call_bool(call, 1))
        return raise_error(RuntimeError,
                           "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    return check_dtype(a, NULL, "lu_cpu") && shorter_side(a, &shorter) &&
           add_result(call, tensor_dtype(a), size_of(a, 2), size_of(a, 1)) &&
           add_result(call, DTYPE_int32, shorter, VALUE_ERROR) &&
           add_result(call, DTYPE_int32, VALUE_ERROR, VALUE_ERROR);
}

// (A, mode) -> Q, R
bool rule_qr(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0);
    ValueRef mode = call->slots[1];
    bool complete = str_equal_ascii(mode, "complete"), only_r = str_equal_ascii(mode, "r");
    DimRef shorter;
    if (!check_matrix(a, "linalg.qr") || !check_dtype(a, "linalg.qr", "geqrf_cpu")) return false;
    if (!complete && !only_r && !str_equal_ascii(mode, "reduced"))
        return raise_error(RuntimeError,
                           "qr received unrecognized mode '%S' but expected one of 'reduced' "
                           "(default), 'r', or 'complete'",
                           mode);
    if (!shorter_side(a, &shorter)) return false;
    DimRef rows = complete ? size_of(a, 2) : shorter;
    if (only_r)
        shape_from_sizes(call_result(call, tensor_dtype(a)), 1, (Dim[]){dim_of(0)});
    else if (!add_result(call, tensor_dtype(a), size_of(a, 2), rows))
        return false;
    return add_result(call, tensor_dtype(a), rows, size_of(a, 1));
}

// (A, UPLO, compute_v) -> eigenvalues, eigenvectors
bool rule_eigh(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0);
    if (!check_square(a, "linalg.eigh")) return false;
    if (!str_equal_ascii(call->slots[1], "L") && !str_equal_ascii(call->slots[1], "U"))
        return raise_error(RuntimeError, "Expected UPLO argument to be 'L' or 'U', but got %S",
                           call->slots[1]);
    if (!check_dtype(a, NULL, "linalg_eigh_cpu")) return false;
    add_result(call, dtype_to_real(tensor_dtype(a)), size_of(a, 1), VALUE_ERROR);
    if (call_bool(call, 2)) return add_result(call, tensor_dtype(a), size_of(a, 1), size_of(a, 1));
    shape_from_sizes(call_result(call, tensor_dtype(a)), 1, (Dim[]){dim_of(0)});
    return true;
}

// (self) -> eigenvalues, eigenvectors
bool rule_eig(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0);
    if (!check_square(a, "linalg.eig") || !check_dtype(a, NULL, "linalg_eig_cpu")) return false;
    Dtype dtype = dtype_to_complex(tensor_dtype(a));
    return add_result(call, dtype, size_of(a, 1), VALUE_ERROR) &&
           add_result(call, dtype, size_of(a, 1), size_of(a, 1));
}

// (A, full_matrices, compute_uv, driver) -> U, S, Vh
bool rule_svd(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0);
    DimRef shorter;
    if (!check_matrix(a, "linalg.svd") || !check_dtype(a, "linalg.svd", "linalg_svd_cpu") ||
        !shorter_side(a, &shorter))
        return false;
    if (call->slots[3] != NONE)
        return raise_error(RuntimeError, "torch.linalg.svd: keyword argument `driver=` is only "
                                         "supported on CUDA inputs with cuSOLVER backend.");
    bool vectors = call_bool(call, 2), full = call_bool(call, 1);
    const Dim none[] = {dim_of(0)};
    if (!vectors)
        shape_from_sizes(call_result(call, tensor_dtype(a)), 1, none);
    else if (!add_result(call, tensor_dtype(a), size_of(a, 2), full ? size_of(a, 2) : shorter))
        return false;
    add_result(call, dtype_to_real(tensor_dtype(a)), shorter, VALUE_ERROR);
    if (vectors)
        return add_result(call, tensor_dtype(a), full ? size_of(a, 1) : shorter, size_of(a, 1));
    shape_from_sizes(call_result(call, tensor_dtype(a)), 1, none);
    return true;
}

// (A, B, upper, unitriangular) -> X: sizes were made equal by the caller
bool rule_triangular_solve(OpCall *call)
{
    const Tensor *a = call_tensor(call, 0), *b = call_tensor(call, 1);
    bool fits = a->ndim == b->ndim;
    if (!check_square(a, "linalg.solve_triangular") || !check_matrix(b, "linalg.solve_triangular"))
        return false;
    for (int i = 0; fits && i < a->ndim - 1; i++)
        if (!dim_equal(tensor_sizes(a)[i], tensor_sizes(b)[i], &fits)) return false;
    if (!fits)
        return raise_error(RuntimeError, "linalg.solve_triangular: Incompatible shapes of A and B");
    if (!check_dtype(a, "linalg.solve_triangular", "triangular_solve_cpu")) return false;
    Shape *shape = call_result(call, tensor_dtype(b));
    shape_from_sizes(shape, b->ndim, tensor_sizes(b));
    return by_columns(shape);
}
