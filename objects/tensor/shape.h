// Shapes: sizes and strides as Dims, and the arithmetic of views and broadcasting on them.
//
// A Dim is a Value: a small int, or a SymInt object while a graph is captured with symbolic sizes.
// dim_add(), dim_mul() ... take two small ints on an inline path. All else goes through the
// language's own operators, so a shape rule is written once and C knows no expressions. A rule that
// decides by a symbolic size (dim_equal(), dim_is()) asks its truth value, which records a guard.
//
// A Shape is what a shape rule computes and what a tensor is made of. Its Dims are owned: a Shape
// begins with shape_init() and ends with shape_drop(), which costs nothing while all are small
// ints.
//
//     shape_init(&shape, 2)                sizes and strides empty, offset 0
//     shape.size[0] = dim_of(3) ...        small ints need no retain
//     shape_contiguous(&shape)             fills in the strides
//
// (PyTorch: ATen/ExpandUtils.cpp, ATen/TensorUtils.cpp, c10/core/WrapDimMinimal.h)
#pragma once

#include "objects/object.h"

#define TENSOR_MAX_DIMS 64

typedef Value Dim;
typedef ValueRef DimRef;

static inline Dim dim_of(int64_t number)
{
    return from_small(number);
}

typedef struct Shape {
    int ndim;
    bool strided;  // strides are given; else the result is contiguous and they are left out
    bool symbolic; // some Dim may be an object
    Dim offset;
    Dim size[TENSOR_MAX_DIMS];
    Dim stride[TENSOR_MAX_DIMS];
} Shape;

// ---- Dims. The results are owned; VALUE_ERROR with the exception of the operator pending.
Dim dim_add_slow(DimRef a, DimRef b);
Dim dim_mul_slow(DimRef a, DimRef b);
static inline Dim dim_add(DimRef a, DimRef b)
{
    int64_t sum;
    if (are_small(a, b) && !__builtin_add_overflow(small_value(a), small_value(b), &sum) &&
        fits_small(sum))
        return from_small(sum);
    return dim_add_slow(a, b);
}
static inline Dim dim_mul(DimRef a, DimRef b)
{
    int64_t product;
    if (are_small(a, b) && !__builtin_mul_overflow(small_value(a), small_value(b), &product) &&
        fits_small(product))
        return from_small(product);
    return dim_mul_slow(a, b);
}
// a + number, a small int; takes a, which may be VALUE_ERROR.
Dim dim_plus(Dim a, int64_t number);
// A stride times a size or a step. RuntimeError where it is a number beyond 2^48: an object that is
// no symbol would be dropped by nobody.
Dim dim_stride(DimRef stride, DimRef factor);
Dim dim_sub(DimRef a, DimRef b);
Dim dim_floordiv(DimRef a, DimRef b);
// Sets *equal. False with an exception pending (a guard on data that does not exist yet).
bool dim_equal(DimRef a, DimRef b, bool *equal);
// Is the Dim this number? *is is set.
bool dim_is(DimRef dim, int64_t number, bool *is);
// a < b.
bool dim_less(DimRef a, DimRef b, bool *less);
// The Dim of a number that a script or the elements of a tensor give. False with RuntimeError
// pending, "Storage size calculation overflowed ...", if it is no small int.
bool dim_from(int64_t number, Dim *dim);

// ---- Shapes
static inline void shape_init(Shape *shape, int ndim)
{
    shape->ndim = ndim;
    shape->strided = shape->symbolic = false;
    shape->offset = from_small(0);
}
// Copies sizes (retained). Strides are left out.
void shape_from_sizes(Shape *shape, int ndim, const Dim *sizes);
void shape_copy(Shape *to, const Shape *from);
void shape_drop(Shape *shape);
// Fills in the strides of a row-major array. False with an exception pending (symbolic sizes, or a
// product beyond 2^48).
bool shape_contiguous(Shape *shape);
// The product of the sizes: -1 with *known false where a size is symbolic. False with RuntimeError
// pending where it is beyond 2^48, as "Storage size calculation overflowed ...".
bool shape_numel(int ndim, const Dim *sizes, int64_t *numel);
// Are the strides those of a row-major array? Dimensions of size 1 may have any stride.
bool shape_is_contiguous(int ndim, const Dim *sizes, const Dim *strides);
// Elements from the first to the last one that the shape reaches, offset not counted; 0 = none.
// False with an exception pending. For shapes without symbols.
bool shape_extent(const Shape *shape, int64_t *extent);

// ---- helpers of shape rules

// Wraps a dimension given by a script, -ndim .. ndim-1, into 0 .. ndim-1. A tensor without
// dimensions counts as one of one dimension. False with PyTorch's IndexError pending.
bool shape_wrap_dim(int64_t *dim, int ndim);
// Broadcasts `sizes` into `shape`: shapes are aligned at the right, size 1 stretches. Start with a
// shape of 0 dimensions. False with PyTorch's RuntimeError ("The size of tensor a (2) must match
// the size of tensor b (3) at non-singleton dimension 0") pending.
bool shape_broadcast(Shape *shape, int ndim, const Dim *sizes);
// RuntimeError, "Storage size calculation overflowed with sizes=[4, 70368744177664]".
bool shape_raise_too_large(int ndim, const Dim *sizes);
// "[2, 3]", as messages show sizes: an owned str.
Value shape_text(int ndim, const Dim *sizes);
