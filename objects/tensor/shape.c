// Arithmetic on Dims and Shapes.
#include "objects/tensor/shape.h"

#include "objects/call.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"

// ---- Dims that are not both small ints

Dim dim_add_slow(DimRef a, DimRef b)
{
    return object_binary(a, b, OP_ADD);
}
Dim dim_mul_slow(DimRef a, DimRef b)
{
    return object_binary(a, b, OP_MULTIPLY);
}
Dim dim_plus(Dim a, int64_t number)
{
    Dim sum = a ? dim_add(a, from_small(number)) : VALUE_ERROR;
    drop(a);
    return sum;
}
Dim dim_stride(DimRef stride, DimRef factor)
{
    Dim product = dim_mul(stride, factor);
    if (!product || is_small(product) || !int_check(product)) return product;
    drop(product);
    return raise_error(RuntimeError, "Stride calculation overflowed");
}
Dim dim_sub(DimRef a, DimRef b)
{
    if (are_small(a, b) && fits_small(small_value(a) - small_value(b)))
        return from_small(small_value(a) - small_value(b));
    return object_binary(a, b, OP_SUBTRACT);
}
Dim dim_floordiv(DimRef a, DimRef b)
{
    return object_binary(a, b, OP_FLOOR_DIVIDE);
}

// A SymBool is asked as of sizes: one that exists only when the graph runs counts as 2 or more.
static bool compare(DimRef a, DimRef b, CompareOp op, bool *result)
{
    Value answer = object_compare(a, b, op);
    if (answer && !is_bool(answer)) {
        Value decided = object_call_method_none(answer, NAME(of_sizes));
        drop(answer);
        answer = decided;
    }
    bool done = answer && object_truth(answer, result);
    drop(answer);
    return done;
}

bool dim_equal(DimRef a, DimRef b, bool *equal)
{
    *equal = a == b;
    return *equal || are_small(a, b) || compare(a, b, COMPARE_EQ, equal);
}

bool dim_is(DimRef dim, int64_t number, bool *is)
{
    return dim_equal(dim, from_small(number), is);
}

bool dim_less(DimRef a, DimRef b, bool *less)
{
    if (!are_small(a, b)) return compare(a, b, COMPARE_LT, less);
    *less = small_value(a) < small_value(b);
    return true;
}

bool dim_from(int64_t number, Dim *dim)
{
    if (!fits_small(number))
        return raise_error(RuntimeError, "Storage size calculation overflowed with sizes=[%lld]",
                           (long long)number);
    *dim = from_small(number);
    return true;
}

// ---- Shapes

static void retain_dims(Shape *shape, int count, const Dim *from, Dim *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = retain(from[i]);
        if (!is_small(from[i])) shape->symbolic = true;
    }
}

void shape_from_sizes(Shape *shape, int ndim, const Dim *sizes)
{
    shape_init(shape, ndim);
    retain_dims(shape, ndim, sizes, shape->size);
}

void shape_copy(Shape *to, const Shape *from)
{
    shape_from_sizes(to, from->ndim, from->size);
    to->strided = from->strided;
    to->offset = retain(from->offset);
    if (!is_small(to->offset)) to->symbolic = true;
    if (from->strided) retain_dims(to, from->ndim, from->stride, to->stride);
}

void shape_drop(Shape *shape)
{
    if (!shape->symbolic) return;
    for (int i = 0; i < shape->ndim; i++) {
        drop(shape->size[i]);
        if (shape->strided) drop(shape->stride[i]);
    }
    drop(shape->offset);
}

// The stride that a dimension adds for those before it: a size of 0 counts as 1.
static Dim stride_before(DimRef stride, DimRef size)
{
    return size == from_small(0) ? retain(stride) : dim_stride(stride, size);
}

bool shape_contiguous(Shape *shape)
{
    Dim stride = from_small(1);
    for (int i = shape->ndim; i-- > 0;) {
        shape->stride[i] = stride;
        if (i == 0) break;
        stride = stride_before(stride, shape->size[i]);
        if (stride) continue;
        while (i < shape->ndim) drop(shape->stride[i++]);
        return false;
    }
    shape->strided = true;
    return true;
}

bool shape_numel(int ndim, const Dim *sizes, int64_t *numel)
{
    int64_t product = 1;
    bool empty = false, overflow = false;
    for (int i = 0; i < ndim; i++) {
        if (!is_small(sizes[i])) {
            *numel = -1;
            return true;
        }
        int64_t size = small_value(sizes[i]);
        if (size == 0)
            empty = true;
        else if (__builtin_mul_overflow(product, size, &product))
            overflow = true;
    }
    *numel = empty ? 0 : product;
    if (empty || (!overflow && product <= SMALL_MAX)) return true;
    return shape_raise_too_large(ndim, sizes);
}

// The same for Dims that are objects: equal expressions are one object. What cannot be multiplied
// is not contiguous.
static bool symbolic_is_contiguous(int ndim, const Dim *sizes, const Dim *strides)
{
    Dim expected = from_small(1);
    bool contiguous = true;
    for (int i = ndim; contiguous && i-- > 0;) {
        if (sizes[i] == from_small(1)) continue;
        contiguous = strides[i] == expected;
        Dim next = contiguous ? dim_mul(expected, sizes[i]) : VALUE_ERROR;
        if (contiguous && !next) error_clear();
        contiguous = contiguous && next;
        replace_slot(&expected, next);
    }
    drop(expected);
    return contiguous;
}

bool shape_is_contiguous(int ndim, const Dim *sizes, const Dim *strides)
{
    int64_t expected = 1;
    bool contiguous = true;
    for (int i = ndim; i-- > 0;) {
        if (!is_small(sizes[i]) || !is_small(strides[i]))
            return symbolic_is_contiguous(ndim, sizes, strides);
        int64_t size = small_value(sizes[i]);
        if (size == 0) return true;
        if (size == 1) continue;
        if (small_value(strides[i]) != expected) contiguous = false;
        if (__builtin_mul_overflow(expected, size, &expected)) contiguous = false;
    }
    return contiguous;
}

bool shape_extent(const Shape *shape, int64_t *extent)
{
    int64_t last = 0;
    *extent = 0;
    bool overflow = false;
    for (int i = 0; i < shape->ndim; i++) {
        int64_t size = small_value(shape->size[i]), reach;
        if (size == 0) return true;
        if (__builtin_mul_overflow(size - 1, small_value(shape->stride[i]), &reach) ||
            __builtin_add_overflow(last, reach, &last))
            overflow = true;
    }
    *extent = last + 1;
    return (!overflow && last < SMALL_MAX) ||
           raise_error(RuntimeError, "Storage size calculation overflowed");
}

// ---- helpers of rules

bool shape_wrap_dim(int64_t *dim, int ndim)
{
    int64_t range = ndim ? ndim : 1;
    if (*dim < -range || *dim >= range)
        return raise_error(
            IndexError,
            "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)",
            (long long)-range, (long long)range - 1, (long long)*dim);
    if (*dim < 0) *dim += range;
    return true;
}

static bool raise_mismatch(DimRef a, DimRef b, int dim)
{
    return raise_error(RuntimeError,
                       "The size of tensor a (%S) must match the size of tensor b (%S) at "
                       "non-singleton dimension %d",
                       a, b, dim);
}

// One dimension of the result, which has the size `*size` so far.
static bool broadcast_dim(Shape *shape, int dim, DimRef size)
{
    Dim *so_far = &shape->size[dim];
    bool equal, one;
    if (*so_far == size) return true;
    if (!dim_is(size, 1, &one)) return false;
    if (one) return true;
    if (!dim_is(*so_far, 1, &one)) return false;
    if (one) {
        replace_slot(so_far, retain(size));
        if (!is_small(size)) shape->symbolic = true;
        return true;
    }
    return dim_equal(*so_far, size, &equal) && (equal || raise_mismatch(*so_far, size, dim));
}

bool shape_broadcast(Shape *shape, int ndim, const Dim *sizes)
{
    int more = ndim - shape->ndim;
    if (more > 0) {
        memmove(shape->size + more, shape->size, (size_t)shape->ndim * sizeof(Dim));
        for (int i = 0; i < more; i++) shape->size[i] = from_small(1);
        shape->ndim = ndim;
    }
    for (int i = ndim; i-- > 0;)
        if (!broadcast_dim(shape, shape->ndim - ndim + i, sizes[i])) return false;
    return true;
}

bool shape_raise_too_large(int ndim, const Dim *sizes)
{
    Value text = shape_text(ndim, sizes);
    if (text)
        raise_error(RuntimeError, "Storage size calculation overflowed with sizes=%S",
                    (ValueRef)text);
    drop(text);
    return false;
}

Value shape_text(int ndim, const Dim *sizes)
{
    Value text = str_new("[");
    for (int i = 0; text && i < ndim; i++) {
        Value longer = format_text("%S%s%S", (ValueRef)text, i ? ", " : "", (ValueRef)sizes[i]);
        drop(text);
        text = longer;
    }
    Value closed = text ? format_text("%S]", (ValueRef)text) : VALUE_ERROR;
    drop(text);
    return closed;
}
