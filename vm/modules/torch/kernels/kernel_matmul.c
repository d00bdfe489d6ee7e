// Matrix products: each is a gemm(), or one for each matrix of a batch.
//
// Operands keep their strides: a transposed matrix is an axis with another step. Only an operand of
// a dtype that is not computed in, or one to be multiplied by alpha, is copied.
#include "objects/numbers/float.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/gemm.h"
#include "vm/modules/torch/kernels/partial_sums.h"

// ---- operands

// A tensor in the dtype computed in, strided as it is where it can be used directly. Owned, NULL
// with MemoryError pending.
static Tensor *operand(Tensor *tensor, Dtype computed)
{
    Rows rows;
    if (tensor_dtype(tensor) == computed) return as_tensor(retain(ref_of(tensor)));
    return rows_read(&rows, tensor, ROWS_AS_IS, computed) ? rows.tensor : NULL;
}

// The last two dimensions of a tensor as a matrix; `batch` counts along the dimension before.
static Matrix matrix_of(const Tensor *tensor, int64_t batch)
{
    int rows = tensor->ndim - 2;
    int64_t offset = rows > 0 ? batch * tensor_stride(tensor, rows - 1) : 0;
    return (Matrix){tensor_data(tensor) + offset * (int64_t)dtype_size(tensor_dtype(tensor)),
                    axis_step(tensor_stride(tensor, rows)),
                    axis_step(tensor_stride(tensor, rows + 1))};
}

// A vector as a matrix of one column.
static Matrix column_of(const Tensor *vector)
{
    return (Matrix){tensor_data(vector), axis_step(tensor_stride(vector, 0)), axis_step(0)};
}

// ---- multiplication by a number: beta and alpha

static bool is_one(const OpCall *call, int slot)
{
    double number = 0;
    return call_double(call, slot, &number) && number == 1;
}

#define SCALE(type, number)                                                                        \
    for (int64_t i = 0; i < n; i++) ((type *)data)[i] *= (type)(number)

// Multiplies contiguous elements by the number of a parameter.
static bool scale(OpCall *call, int slot, Dtype dtype, void *data, int64_t n)
{
    double real;
    int64_t whole = 0;
    if (!call_double(call, slot, &real)) return false;
    if (dtype == DTYPE_float32) {
        SCALE(float, real);
        return true;
    }
    if (dtype == DTYPE_float64) {
        SCALE(double, real);
        return true;
    }
    if (float_check(call->slots[slot]))
        whole = double_to_int64(real);
    else if (!call_int(call, slot, &whole))
        return false;
    if (dtype == DTYPE_int64)
        SCALE(int64_t, whole);
    else
        SCALE(int32_t, whole);
    return true;
}

// The first factor times alpha, for which it is copied unless alpha is 1.
static Tensor *scaled_operand(OpCall *call, int slot, int alpha, Dtype computed)
{
    Tensor *tensor = call_tensor(call, slot);
    if (is_one(call, alpha)) return operand(tensor, computed);
    Value copy = tensor_new(computed, tensor->ndim, tensor_sizes(tensor));
    if (copy && iterate_copy(as_tensor(copy), tensor) &&
        scale(call, alpha, computed, tensor_data(as_tensor(copy)), tensor->numel))
        return as_tensor(copy);
    drop(copy);
    return NULL;
}

// Fills the result with beta * self. *begun says whether the sums begin with it: a beta of 0 means
// that self is not looked at, so a NaN in it has no effect.
static bool begin_with(OpCall *call, Tensor *result, int beta, bool *begun)
{
    double number;
    if (!call_double(call, beta, &number)) return false;
    *begun = number != 0;
    if (!*begun) return true;
    return iterate_copy(result, call_tensor(call, 0)) &&
           (number == 1 ||
            scale(call, beta, tensor_dtype(result), tensor_data(result), result->numel));
}

// ---- products

// The operands of a product and its result, all in the dtype computed in.
typedef struct Product {
    Tensor *a, *b;
    Rows to;
    Dtype dtype;
    bool accumulate;
} Product;

static bool product_begin(OpCall *call, Product *product)
{
    Tensor *result = call->results[0].tensor;
    product->dtype = dtype_computed(tensor_dtype(result));
    product->a = product->b = NULL;
    product->accumulate = false;
    return rows_write(&product->to, result, ROWS_AS_IS, product->dtype);
}

static bool product_end(Product *product, bool done)
{
    drop(own(product->a));
    drop(own(product->b));
    return done ? rows_store(&product->to) : rows_drop(&product->to);
}

// result = a @ b, from the parameter `slot` on.
static bool plain(OpCall *call, Product *product, int slot)
{
    product->a = operand(call_tensor(call, slot), product->dtype);
    product->b = product->a ? operand(call_tensor(call, slot + 1), product->dtype) : NULL;
    return product->b != NULL;
}

// result = beta * self + alpha * (a @ b): (self, a, b, beta, alpha)
static bool added(OpCall *call, Product *product)
{
    if (!begin_with(call, product->to.tensor, 3, &product->accumulate)) return false;
    product->a = scaled_operand(call, 1, 4, product->dtype);
    product->b = product->a ? operand(call_tensor(call, 2), product->dtype) : NULL;
    return product->b != NULL;
}

static bool multiply_matrices(const Product *product)
{
    const Tensor *a = product->a, *b = product->b, *c = product->to.tensor;
    int64_t batches = c->ndim == 3 ? tensor_size(c, 0) : 1;
    Gemm work = {.m = tensor_size(a, a->ndim - 2),
                 .n = tensor_size(b, b->ndim - 1),
                 .k = tensor_size(a, a->ndim - 1),
                 .accumulate = product->accumulate};
    for (int64_t i = 0; i < batches; i++) {
        work.a = matrix_of(a, i);
        work.b = matrix_of(b, i);
        work.c = matrix_of(c, i);
        if (!gemm_multiply(product->dtype, &work)) return false;
    }
    return true;
}

static bool multiply_vector(const Product *product)
{
    const Tensor *a = product->a;
    Gemm work = {tensor_size(a, 0),     1,
                 tensor_size(a, 1),     matrix_of(a, 0),
                 column_of(product->b), column_of(product->to.tensor),
                 product->accumulate};
    return gemm_multiply(product->dtype, &work);
}

bool KERNEL(kernel_mm)(OpCall *call)
{
    Product product;
    if (!product_begin(call, &product)) return false;
    return product_end(&product, plain(call, &product, 0) && multiply_matrices(&product));
}

bool KERNEL(kernel_bmm)(OpCall *call)
{
    return KERNEL(kernel_mm)(call);
}

bool KERNEL(kernel_addmm)(OpCall *call)
{
    Product product;
    if (!product_begin(call, &product)) return false;
    return product_end(&product, added(call, &product) && multiply_matrices(&product));
}

bool KERNEL(kernel_baddbmm)(OpCall *call)
{
    return KERNEL(kernel_addmm)(call);
}

bool KERNEL(kernel_mv)(OpCall *call)
{
    Product product;
    if (!product_begin(call, &product)) return false;
    return product_end(&product, plain(call, &product, 0) && multiply_vector(&product));
}

bool KERNEL(kernel_addmv)(OpCall *call)
{
    Product product;
    if (!product_begin(call, &product)) return false;
    return product_end(&product, added(call, &product) && multiply_vector(&product));
}

// ---- dot

static void dot(Dtype dtype, const void *a, const void *b, int64_t n, void *to)
{
    switch (dtype) {
    case DTYPE_float32: *(float *)to = float32_row_dot(a, b, n); return;
    case DTYPE_float64: *(double *)to = float64_row_dot(a, b, n); return;
    case DTYPE_int64: *(int64_t *)to = int64_row_dot(a, b, n); return;
    default: *(int32_t *)to = int32_row_dot(a, b, n);
    }
}

bool KERNEL(kernel_dot)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    Rows a, b, to;
    if (!rows_read(&a, call_tensor(call, 0), ROWS_AS_IS, computed)) return false;
    if (!rows_read(&b, call_tensor(call, 1), ROWS_AS_IS, computed)) return rows_drop(&a);
    bool done = rows_write(&to, result, ROWS_AS_IS, computed);
    if (done) dot(computed, a.data, b.data, a.tensor->numel, to.data);
    rows_drop(&a);
    rows_drop(&b);
    return done && rows_store(&to);
}
