// One element of a storage: between its bytes, the dtypes that are computed in, and Python numbers.
//
// float16 and bfloat16 are stored as 16 bits; half_to_float() and its relatives are the only code
// that knows their bits. Floats that an integer cannot hold become the smallest integer, as on
// x86-64, on every machine, so that the same script prints the same everywhere.
#pragma once

#include "objects/object.h"
#include "objects/tensor/dtype.h"

#ifdef __x86_64__
#include <emmintrin.h>
#endif

static inline float float_from_word(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline uint32_t float_to_word(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// A float16 is | sign 1 | exponent 5 | fraction 10 |. Subnormals are scaled by a multiplication.
static inline float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = half & 0x7FFFu;
    float magnitude = rest >= 0x7C00   ? float_from_word(0x7F800000u | rest << 13)
                      : rest >= 0x0400 ? float_from_word((rest << 13) + 0x38000000u)
                                       : (float)rest * 0x1p-24f;
    return float_from_word(float_to_word(magnitude) | sign);
}

// Rounds half to even. What is too large becomes infinity, NaN stays NaN. Without a branch, so that
// loops are vectorised.
static inline uint16_t half_from_float(float number)
{
    uint32_t bits = float_to_word(number), sign = bits >> 16 & 0x8000;
    int32_t rest = (int32_t)(bits & 0x7FFFFFFF);
    // Adding 0.5 leaves the fraction of a subnormal, rounded, in the lowest bits.
    float shifted = float_from_word((uint32_t)rest) + 0.5f;
    int32_t half = rest < 0x38800000 ? (int32_t)float_to_word(shifted) - 0x3F000000
                                     : (rest + 0xFFF + (rest >> 13 & 1) - 0x38000000) >> 13;
    half = rest >= 0x47800000 ? 0x7C00 : half;
    half = rest > 0x7F800000 ? 0x7E00 : half;
    return (uint16_t)(sign | (uint32_t)half);
}

// A bfloat16 is the upper half of a float32.
static inline float bfloat_to_float(uint16_t bfloat)
{
    return float_from_word((uint32_t)bfloat << 16);
}
static inline uint16_t bfloat_from_float(float number)
{
    uint32_t bits = float_to_word(number);
    if (number != number) return 0x7FC0;
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// A float as an element of a narrower dtype holds it.
static inline float float_as_stored(float number, Dtype dtype)
{
    return dtype == DTYPE_float16    ? half_to_float(half_from_float(number))
           : dtype == DTYPE_bfloat16 ? bfloat_to_float(bfloat_from_float(number))
                                     : number;
}

// What has no int64 becomes the smallest one: what the instruction of x86-64 gives.
static inline int64_t double_to_int64(double number)
{
#ifdef __x86_64__
    return _mm_cvttsd_si64(_mm_set_sd(number));
#else
    return number >= -0x1p63 && number < 0x1p63 ? (int64_t)number : INT64_MIN;
#endif
}
static inline int32_t double_to_int32(double number)
{
    return number > -0x1p31 - 1 && number < 0x1p31 ? (int32_t)number : INT32_MIN;
}

// The element at `data` as a Python number: owned.
Value element_value(Dtype dtype, const void *data);
// Stores a Python number. A float stored in an integer is truncated, as in PyTorch. False with
// TypeError (no number) or RuntimeError pending: an int beyond the dtype, or an imaginary part that
// the dtype has no room for.
bool element_store(Dtype dtype, ValueRef number, void *data);
// False with RuntimeError pending for a float beyond the numbers of the dtype, which
// element_store() takes for infinity: operators refuse what the constructors of tensors round.
bool element_fits(Dtype dtype, ValueRef number);
// Both of them.
bool element_store_fitting(Dtype dtype, ValueRef number, void *data);
// The same with an int64_t: its least significant bits, or the nearest float.
void element_store_int64(Dtype dtype, int64_t number, void *data);
