// What the elements of a tensor are: twelve dtypes, of which seven are computed in.
//
// A row of dtype.def describes a dtype. A Dtype is the index of its row. `torch.float32` is a
// static object, dtype_objects[DTYPE_float32], so `==` and `is` agree.
//
//     storage      uint8 int8 int16 int32   int64   float16 bfloat16 float32   float64   bool
//                     \    |    |    /        |          \     |     /            |        |
//     computed in         int32             int64            float32           float64    bool
//
// complex64 and complex128 are computed in as well: two floats, two doubles, `re` before `im`. What
// each operator does with them is listed apart (vm/modules/torch/ops/complex.def).
//
// promote_types() is PyTorch's table for two dtypes (c10/core/ScalarType.h). How tensors,
// 0-dimensional tensors and Python numbers combine is in vm/modules/torch/call/promote.h.
#pragma once

#include "objects/object.h"

typedef enum Dtype {
#define DTYPE(name, short_name, c_type, computed, category, scalar, type) DTYPE_##name,
#include "objects/tensor/dtype.def"
#undef DTYPE
    DTYPE_COUNT,
    DTYPE_NONE = DTYPE_COUNT // no dtype: not given, or not known yet
} Dtype;

typedef struct Complex64 {
    float re, im;
} Complex64;
typedef struct Complex128 {
    double re, im;
} Complex128;

#define DTYPE_LARGEST sizeof(Complex128) // bytes of the largest element

typedef enum DtypeCategory {
    DTYPE_BOOLEAN,
    DTYPE_INTEGER,
    DTYPE_FLOAT,
    DTYPE_COMPLEX,
} DtypeCategory;

typedef struct DtypeInfo {
    const char *name;       // "float32"
    const char *short_name; // "float", or ""
    const char *scalar;     // "Float", in messages
    const char *type;       // "torch.FloatTensor"
    uint8_t size;           // bytes of an element
    uint8_t computed;       // a Dtype
    uint8_t category;       // a DtypeCategory
    bool is_signed;
} DtypeInfo;
extern const DtypeInfo dtype_table[DTYPE_COUNT];

// torch.dtype: a singleton for each row.
typedef struct DtypeObject {
    Object base;
    Dtype dtype;
} DtypeObject;
extern Type dtype_type;
extern DtypeObject dtype_objects[DTYPE_COUNT];

static inline size_t dtype_size(Dtype dtype)
{
    return dtype_table[dtype].size;
}
static inline DtypeCategory dtype_category(Dtype dtype)
{
    return (DtypeCategory)dtype_table[dtype].category;
}
static inline Dtype dtype_computed(Dtype dtype)
{
    return (Dtype)dtype_table[dtype].computed;
}
static inline bool dtype_is_floating(Dtype dtype)
{
    return dtype_category(dtype) == DTYPE_FLOAT;
}

static inline bool dtype_is_complex(Dtype dtype)
{
    return dtype == DTYPE_complex64 || dtype == DTYPE_complex128;
}
// Can a tensor of it have a gradient?
static inline bool dtype_is_inexact(Dtype dtype)
{
    return dtype_category(dtype) >= DTYPE_FLOAT;
}
// The dtype of the real parts; of a real dtype the dtype itself.
static inline Dtype dtype_to_real(Dtype dtype)
{
    if (dtype == DTYPE_complex64) return DTYPE_float32;
    return dtype == DTYPE_complex128 ? DTYPE_float64 : dtype;
}
// The complex dtype whose parts hold a floating one.
static inline Dtype dtype_to_complex(Dtype dtype)
{
    return dtype == DTYPE_float64 || dtype == DTYPE_complex128 ? DTYPE_complex128 : DTYPE_complex64;
}

static inline bool dtype_check(ValueRef value)
{
    return is_exactly(value, &dtype_type);
}
// `value` must pass dtype_check().
static inline Dtype dtype_of(ValueRef value)
{
    return ((const DtypeObject *)object_of(value))->dtype;
}
static inline ValueRef dtype_value(Dtype dtype)
{
    return ref_of(&dtype_objects[dtype]);
}

// What C++ calls the type of such tensors: that of x.type(), but the newer dtypes have none there.
static inline const char *dtype_tensor_type(Dtype dtype)
{
    switch (dtype) {
    case DTYPE_bool: return "CPUBoolType";
    case DTYPE_bfloat16: return "CPUBFloat16Type";
    case DTYPE_complex64: return "CPUComplexFloatType";
    case DTYPE_complex128: return "CPUComplexDoubleType";
    default: return dtype_table[dtype].type;
    }
}

// The dtype that can hold both, DTYPE_NONE standing for no operand.
Dtype promote_types(Dtype a, Dtype b);
// torch.can_cast(): no cast to a lower category; and no number becomes a bool.
bool dtype_can_cast(Dtype from, Dtype to);
// Makes dtype_type ready. Once.
bool dtype_init(void);
