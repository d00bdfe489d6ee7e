// Elements to and from Python numbers.
#include "objects/tensor/element.h"

#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"

#include <float.h>
#include <math.h>

#define LOAD(c_type) (*(const c_type *)data)

Value element_value(Dtype dtype, const void *data)
{
    switch (dtype) {
    case DTYPE_uint8: return from_small(LOAD(uint8_t));
    case DTYPE_int8: return from_small(LOAD(int8_t));
    case DTYPE_int16: return from_small(LOAD(int16_t));
    case DTYPE_int32: return from_small(LOAD(int32_t));
    case DTYPE_int64: return int_new(LOAD(int64_t));
    case DTYPE_float16: return float_new(half_to_float(LOAD(uint16_t)));
    case DTYPE_bfloat16: return float_new(bfloat_to_float(LOAD(uint16_t)));
    case DTYPE_float32: return float_new(LOAD(float));
    case DTYPE_float64: return float_new(LOAD(double));
    case DTYPE_complex64:
        return complex_new((double)LOAD(Complex64).re, (double)LOAD(Complex64).im);
    case DTYPE_complex128: return complex_new(LOAD(Complex128).re, LOAD(Complex128).im);
    case DTYPE_bool: return from_bool(LOAD(uint8_t) != 0);
    case DTYPE_COUNT: break;
    }
    return raise_bad_call("element_value");
}

static bool store_complex(Dtype dtype, double re, double im, void *data)
{
    Complex128 wide = {re, im};
    Complex64 narrow = {(float)re, (float)im};
    if (dtype == DTYPE_complex128)
        memcpy(data, &wide, sizeof wide);
    else
        memcpy(data, &narrow, sizeof narrow);
    return true;
}

static bool store_float(Dtype dtype, double number, void *data)
{
    if (dtype_is_complex(dtype)) return store_complex(dtype, number, 0, data);
    float single = (float)number;
    uint16_t half = dtype == DTYPE_float16 ? half_from_float(single) : bfloat_from_float(single);
    if (dtype == DTYPE_float64)
        memcpy(data, &number, sizeof number);
    else if (dtype == DTYPE_float32)
        memcpy(data, &single, sizeof single);
    else
        memcpy(data, &half, sizeof half);
    return true;
}

// The least significant bytes, whatever the order of bytes of the machine.
static void store_integer(Dtype dtype, int64_t number, void *data)
{
    int8_t byte = (int8_t)number;
    int16_t two = (int16_t)number;
    int32_t four = (int32_t)number;
    size_t size = dtype_size(dtype);
    const void *from = size == 1   ? (void *)&byte
                       : size == 2 ? (void *)&two
                       : size == 4 ? (void *)&four
                                   : (void *)&number;
    memcpy(data, from, size);
}

void element_store_int64(Dtype dtype, int64_t number, void *data)
{
    if (dtype_is_inexact(dtype))
        store_float(dtype, (double)number, data);
    else
        store_integer(dtype, dtype == DTYPE_bool ? number != 0 : number, data);
}

static bool integer_fits(Dtype dtype, int64_t number)
{
    switch (dtype) {
    case DTYPE_uint8: return number >= -UINT8_MAX && number <= UINT8_MAX;
    case DTYPE_int8: return number == (int8_t)number;
    case DTYPE_int16: return number == (int16_t)number;
    case DTYPE_int32: return number == (int32_t)number;
    default: return true;
    }
}

static bool raise_overflow(Dtype dtype)
{
    const char *name = dtype == DTYPE_int32     ? "int"
                       : dtype == DTYPE_float16 ? "at::Half"
                       : dtype_is_floating(dtype) && *dtype_table[dtype].short_name
                           ? dtype_table[dtype].short_name
                           : dtype_table[dtype].name;
    if (dtype == DTYPE_bfloat16) name = "at::BFloat16";
    if (dtype == DTYPE_complex64) name = "c10::complex<float>";
    bool whole = dtype_category(dtype) == DTYPE_INTEGER && dtype != DTYPE_int32;
    return raise_error(RuntimeError, "value cannot be converted to type %s%s without overflow",
                       name, whole ? "_t" : "");
}

static bool store_int(Dtype dtype, ValueRef value, void *data)
{
    int64_t number;
    if (dtype_is_inexact(dtype)) {
        double real;
        return int_as_double(value, &real) && store_float(dtype, real, data);
    }
    bool outside = int_as_int64_clamped(value, &number) != 0;
    if (dtype == DTYPE_bool) number = number != 0;
    if (dtype != DTYPE_bool && (outside || !integer_fits(dtype, number)))
        return raise_overflow(dtype);
    store_integer(dtype, number, data);
    return true;
}

bool element_store(Dtype dtype, ValueRef value, void *data)
{
    if (is_bool(value)) value = from_small(value == TRUE);
    if (int_check(value)) return store_int(dtype, value, data);
    double number;
    if (complex_check(value)) {
        const Complex *pair = as_complex(value);
        if (dtype_is_complex(dtype)) return store_complex(dtype, pair->real, pair->imag, data);
        if (dtype != DTYPE_bool && pair->imag != 0) return raise_overflow(dtype);
        number = pair->real != 0 ? pair->real : pair->imag;
    } else if (!float_from_value(value, &number)) {
        return false;
    }
    if (dtype_is_inexact(dtype)) return store_float(dtype, number, data);
    int64_t integer = dtype == DTYPE_bool ? number != 0 : double_to_int64(number);
    // 255.5 does not fit a uint8, nor does -0.5: only a negative int wraps.
    int64_t outer = double_to_int64(number > 0 ? ceil(number) : floor(number));
    bool below = dtype == DTYPE_uint8 && number < 0;
    if (dtype != DTYPE_bool && (below || !integer_fits(dtype, outer))) return raise_overflow(dtype);
    store_integer(dtype, integer, data);
    return true;
}

// 0 = it has no largest number that a double could exceed.
static double largest_number(Dtype dtype)
{
    switch (dtype) {
    case DTYPE_float16: return 65504;
    case DTYPE_bfloat16: return 0x1.FEp127;
    case DTYPE_float32:
    case DTYPE_complex64: return (double)FLT_MAX;
    case DTYPE_int64: return 0x1p63;
    default: return 0;
    }
}

bool element_fits(Dtype dtype, ValueRef number)
{
    double real;
    bool whole = is_small(number) && dtype != DTYPE_float16;
    if (is_bool(number) || whole || complex_check(number)) return true;
    if (!float_from_value(number, &real)) return false;
    double most = largest_number(dtype);
    return !most || fabs(real) <= most || !isfinite(real) || raise_overflow(dtype);
}

bool element_store_fitting(Dtype dtype, ValueRef number, void *data)
{
    return element_fits(dtype, number) && element_store(dtype, number, data);
}
