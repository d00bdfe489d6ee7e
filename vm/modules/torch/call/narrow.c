// Pointwise rows whose steps PyTorch rounds to float16 or bfloat16 one by one. All others are
// computed in float32, and the result is rounded once.
//
// A sum with a factor (alpha) is of both kinds: its product is rounded, but not where PyTorch takes
// 32 elements at a time.
#include "objects/numbers/float.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

// ---- steps, of elements in float32

__attribute__((noinline)) static float rounded(float x, Dtype dtype)
{
    return float_as_stored(x, dtype);
}

__attribute__((noinline)) static float rounded_log(float x, Dtype dtype)
{
    return rounded(m_log(x), dtype);
}

// The next number after x towards y that has 16 bits: a float16 is counted in units of its own.
static float next_after(float x, float y, float s, Dtype dtype)
{
    (void)s;
    bool half = dtype == DTYPE_float16;
    if (x != x || y != y) return x + y;
    if (x == y) return y;
    uint16_t bits = half ? half_from_float(x) : bfloat_from_float(x);
    if (x == 0)
        bits = y < 0 ? 0x8001 : 1;
    else
        bits = (uint16_t)(bits + ((x < y) == (x > 0) ? 1 : -1));
    return half ? half_to_float(bits) : bfloat_to_float(bits);
}

static float times_log(float x, float y, float s, Dtype dtype)
{
    (void)s;
    if (y != y) return y;
    return x == 0 ? 0 : x * rounded_log(y, dtype);
}

static float logit(float x, float y, float eps, Dtype dtype)
{
    (void)y;
    float low = rounded(eps, dtype), high = rounded(1 - low, dtype);
    if (eps == eps) x = x < low ? low : x > high ? high : x;
    return rounded_log(rounded(x / rounded(1 - x, dtype), dtype), dtype);
}

static float added(float a, float b, float alpha, Dtype dtype)
{
    return a + rounded(alpha * b, dtype);
}

static float subtracted(float a, float b, float alpha, Dtype dtype)
{
    return a - rounded(alpha * b, dtype);
}

static float subtracted_from(float a, float b, float alpha, Dtype dtype)
{
    return b - rounded(alpha * a, dtype);
}

// x to the power of 3 or -2.
static float power(float x, float y, float exponent, Dtype dtype)
{
    float square = rounded(x * x, dtype);
    (void)y;
    return exponent == 3 ? square * x : 1 / square;
}

// ---- loops

typedef float (*Step)(float a, float b, float s, Dtype dtype);

// Once, and not in each of the loops below: they are short, and what they do is rare.
__attribute__((noinline)) static void run(int64_t n, char *const *data, const void *scalars,
                                          int operands, Step step, Dtype dtype)
{
    float *out = (void *)data[0], s = *(const float *)scalars;
    const float *a = (const void *)data[1], *b = (const void *)data[operands];
    for (int64_t i = 0; i < n; i++) out[i] = step(a[i], b[i], s, dtype);
}

#define ROUNDED_LOOP(step, operands, dtype)                                                        \
    static void step##_##dtype(int64_t n, char *const *data, const void *scalars)                  \
    {                                                                                              \
        run(n, data, scalars, operands, step, DTYPE_##dtype);                                      \
    }
#define ROUNDED(step, operands)                                                                    \
    ROUNDED_LOOP(step, operands, float16) ROUNDED_LOOP(step, operands, bfloat16)

ROUNDED(added, 2)
ROUNDED(subtracted, 2)
ROUNDED(subtracted_from, 2)
ROUNDED(next_after, 2)
ROUNDED(times_log, 2)
ROUNDED(logit, 1)
ROUNDED_LOOP(power, 1, bfloat16)

static bool is_contiguous(ValueRef operand)
{
    return !tensor_check(operand) || tensor_is(as_tensor(operand), TENSOR_CONTIGUOUS);
}

static bool rounds_product(const OpCall *call)
{
    if (call->slots[2] == from_small(1)) return false;
    return call->results[0].tensor->numel < 32 || !is_contiguous(call->slots[0]) ||
           !is_contiguous(call->slots[1]);
}

// Of bfloat16: float16 is computed in float32. The exponent is a plain number.
static Loop narrow_power(ValueRef exponent)
{
    double number = is_small(exponent)      ? (double)small_value(exponent)
                    : float_check(exponent) ? float_value(exponent)
                                            : 0;
    return number == 3 || number == -2 ? power_bfloat16 : NULL;
}

#define OF_DTYPE(name) (dtype == DTYPE_float16 ? name##_float16 : name##_bfloat16)

Loop narrow_loop(const OpCall *call)
{
    Dtype dtype = call->computed;
    if (dtype != DTYPE_float16 && dtype != DTYPE_bfloat16) return NULL;
    switch (op_index(call->op)) {
    case OP_add_Tensor: return rounds_product(call) ? OF_DTYPE(added) : NULL;
    case OP_sub_Tensor: return rounds_product(call) ? OF_DTYPE(subtracted) : NULL;
    case OP_rsub_Tensor:
    case OP_rsub_Scalar: return rounds_product(call) ? OF_DTYPE(subtracted_from) : NULL;
    case OP_pow_Tensor_Scalar: return dtype == DTYPE_bfloat16 ? narrow_power(call->slots[1]) : NULL;
    case OP_nextafter_: return OF_DTYPE(next_after);
    case OP_xlogy_Tensor:
    case OP_xlogy_Scalar_Self:
    case OP_xlogy_Scalar_Other: return OF_DTYPE(times_log);
    case OP_logit_: return OF_DTYPE(logit);
    default: return NULL;
    }
}
