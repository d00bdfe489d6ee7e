// The elementary functions of kernels, as scalar inline functions: branch-free where they are used
// most, so that a loop over them is vectorised, and made of exact operations (+ - * /, square root,
// conversions, bits), so that every machine and every vector width gives the same bits. Of libm
// only what is exact is called: sqrt(), fmod() and the fused multiply-add.
//
//     m_exp(x)      float -> m_exp_float(x), double -> m_exp_double(x)
//
// An expression of ops.def is written with these names. It is compiled into the loops of
// kernels/pointwise_loops.c, and printed into the C text of the backend, which puts this file,
// scalar_angles.h, scalar_special.h, scalar_polynomials.h and scalar_bessel.h in front.
//
// The method is the same throughout: the argument is reduced to a short interval, where a
// polynomial serves; then the reduction is undone. The coefficients are minimax (Remez) for that
// interval. Errors in units of the last place: float exp, log, sin, cos below 1, tanh and erf
// below 1.4; what float takes from double is correctly rounded but for rare ties; double below 2.5.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define M_REAL(name, x) _Generic((x), float: name##_float, default: name##_double)(x)
#define M_REAL2(name, x, y) _Generic((x), float: name##_float, default: name##_double)(x, y)
// The same with int64_t, and int32_t, which serves bool too.
#define M_NUMBER(name, x)                                                                          \
    _Generic((x),                                                                                  \
        float: name##_float,                                                                       \
        double: name##_double,                                                                     \
        int64_t: name##_int64,                                                                     \
        default: name##_int32)(x)
#define M_NUMBER2(name, x, y)                                                                      \
    _Generic((x),                                                                                  \
        float: name##_float,                                                                       \
        double: name##_double,                                                                     \
        int64_t: name##_int64,                                                                     \
        default: name##_int32)(x, y)
// Loops are made of copies of the functions, of all but these, which are long or seldom run.
#define M_CALLED static __attribute__((noinline, unused))
// Of these there are copies that take vectors, of eight elements (for loops over floats) and of
// four, where the Makefile asks for them.
#if WIDE
// gcc makes such copies no wider than 256 bits: the functions become parts of the loops as well.
#define M_CALLED_BY_VECTORS static inline
#elif VECTOR_CALLS
#define M_CALLED_BY_VECTORS                                                                        \
    _Pragma("omp declare simd notinbranch simdlen(8)")                                             \
        _Pragma("omp declare simd notinbranch simdlen(4)") M_CALLED                                \
        __attribute__((const, flatten))
#else
#define M_CALLED_BY_VECTORS M_CALLED
#endif
// The float version of a function is the double one, rounded.
#define M_ROUNDED(name)                                                                            \
    static inline float name##_float(float x)                                                      \
    {                                                                                              \
        return (float)name##_double(x);                                                            \
    }
#define M_ROUNDED2(name)                                                                           \
    static inline float name##_float(float x, float y)                                             \
    {                                                                                              \
        return (float)name##_double(x, y);                                                         \
    }

// ---- bits

static inline float m_float_from(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline double m_double_from(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}
static inline uint32_t m_bits_of_float(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
static inline uint64_t m_bits_of_double(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

// |x| with the sign of y.
static inline float m_copysign_float(float x, float y)
{
    return m_float_from((m_bits_of_float(x) & 0x7FFFFFFF) | (m_bits_of_float(y) & 0x80000000));
}
static inline double m_copysign_double(double x, double y)
{
    const uint64_t sign = (uint64_t)1 << 63;
    return m_double_from((m_bits_of_double(x) & ~sign) | (m_bits_of_double(y) & sign));
}
#define m_copysign(x, y) M_REAL2(m_copysign, x, y)

static inline bool m_signbit_float(float x)
{
    return (int32_t)m_bits_of_float(x) < 0;
}
static inline bool m_signbit_double(double x)
{
    return (int64_t)m_bits_of_double(x) < 0;
}
static inline bool m_signbit_int64(int64_t x)
{
    return x < 0;
}
static inline bool m_signbit_int32(int32_t x)
{
    return x < 0;
}
#define m_signbit(x) M_NUMBER(m_signbit, x)

static inline float m_abs_float(float x)
{
    return m_float_from(m_bits_of_float(x) & 0x7FFFFFFF);
}
static inline double m_abs_double(double x)
{
    return m_double_from(m_bits_of_double(x) & ~((uint64_t)1 << 63));
}
static inline int64_t m_abs_int64(int64_t x)
{
    return (int64_t)(x < 0 ? -(uint64_t)x : (uint64_t)x);
}
static inline int32_t m_abs_int32(int32_t x)
{
    return (int32_t)(x < 0 ? -(uint32_t)x : (uint32_t)x);
}
#define m_abs(x) M_NUMBER(m_abs, x)

// max(x, 0); a zero keeps its sign. (WebAssembly's own instruction takes 0 for larger than -0, and
// clang 14 makes that of a comparison with a 0 that it can see.)
#ifdef __wasm__
#define M_UNSEEN(number) __asm__("" : "+r"(number))
#else
#define M_UNSEEN(number) ((void)0)
#endif
static inline float m_relu_float(float x)
{
    float zero = 0;
    M_UNSEEN(zero);
    return x < zero ? zero : x;
}
static inline double m_relu_double(double x)
{
    double zero = 0;
    M_UNSEEN(zero);
    return x < zero ? zero : x;
}
static inline int64_t m_relu_int64(int64_t x)
{
    return x < 0 ? 0 : x;
}
static inline int32_t m_relu_int32(int32_t x)
{
    return x < 0 ? 0 : x;
}
#define m_relu(x) M_NUMBER(m_relu, x)

#define m_isnan(x) ((x) != (x))
#define m_isfinite(x) ((x) - (x) == 0)

// A constant in the dtype of x.
#define m_constant(x, number) _Generic((x), float: (float)(number), default: (number))

// first ? x : y, both of which are computed: what y does to a variable hinders no vectors.
static inline float m_choose_float(bool first, float x, float y)
{
    return first ? x : y;
}
static inline double m_choose_double(bool first, double x, double y)
{
    return first ? x : y;
}
#define m_choose(first, x, y)                                                                      \
    _Generic((x), float: m_choose_float, default: m_choose_double)(first, x, y)

// The largest finite number.
#define m_largest(x)                                                                               \
    _Generic((x),                                                                                  \
        float: 0x1.fffffep127f,                                                                    \
        double: 0x1.fffffffffffffp1023,                                                            \
        int64_t: INT64_MAX,                                                                        \
        default: INT32_MAX)

// ---- rounding. Adding 1.5 * 2^23 (2^52) leaves no fraction of what is below 2^22 (2^51).
// m_round() adds 2^23 to the size, and larger numbers have none. The sign of a zero stays.

static inline float m_near_float(float x)
{
    return (x + 0x1.8p23f) - 0x1.8p23f;
}
static inline double m_near_double(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

#define M_ROUND(type, limit)                                                                       \
    static inline type m_round_##type(type x)                                                      \
    {                                                                                              \
        type size = m_abs_##type(x), near = (size + limit) - limit;                                \
        return size < limit ? m_copysign_##type(near, x) : x;                                      \
    }
M_ROUND(float, 0x1p23f)
M_ROUND(double, 0x1p52)

// Has the processor instructions for it? (They would make other bits of a NaN.)
#if defined(__SSE4_1__) || defined(__aarch64__)
#define M_ROUNDS true
#else
#define M_ROUNDS false
#endif
#define M_ROUNDING(type, limit, floor, ceil, trunc)                                                \
    static inline type m_floor_##type(type x)                                                      \
    {                                                                                              \
        if (M_ROUNDS) return x == x ? floor(x) : x;                                                \
        type near = m_round_##type(x), below = near > x ? near - 1 : near;                         \
        return m_abs_##type(x) < limit ? m_copysign_##type(below, x) : x;                          \
    }                                                                                              \
    static inline type m_ceil_##type(type x)                                                       \
    {                                                                                              \
        if (M_ROUNDS) return x == x ? ceil(x) : x;                                                 \
        type near = m_round_##type(x), above = near < x ? near + 1 : near;                         \
        return m_abs_##type(x) < limit ? m_copysign_##type(above, x) : x;                          \
    }                                                                                              \
    static inline type m_trunc_##type(type x)                                                      \
    {                                                                                              \
        if (M_ROUNDS) return x == x ? trunc(x) : x;                                                \
        return m_copysign_##type(m_floor_##type(m_abs_##type(x)), x);                              \
    }
M_ROUNDING(float, 0x1p23f, __builtin_floorf, __builtin_ceilf, __builtin_truncf)
M_ROUNDING(double, 0x1p52, __builtin_floor, __builtin_ceil, __builtin_trunc)

#define M_WHOLE(name)                                                                              \
    static inline int64_t name##_int64(int64_t x)                                                  \
    {                                                                                              \
        return x;                                                                                  \
    }                                                                                              \
    static inline int32_t name##_int32(int32_t x)                                                  \
    {                                                                                              \
        return x;                                                                                  \
    }
M_WHOLE(m_round)
M_WHOLE(m_floor)
M_WHOLE(m_ceil)
M_WHOLE(m_trunc)
#define m_round(x) M_NUMBER(m_round, x)
#define m_floor(x) M_NUMBER(m_floor, x)
#define m_ceil(x) M_NUMBER(m_ceil, x)
#define m_trunc(x) M_NUMBER(m_trunc, x)

#define m_sqrt(x) _Generic((x), float: sqrtf, default: sqrt)(x)

// ---- exp: x = k * ln 2 + r, |r| <= ln 2 / 2; exp(x) = 2^k * exp(r)

// 2^k in two factors, so that subnormal results and 2^128 are reached.
static inline float m_scale_float(float x, float k)
{
    int32_t whole = (int32_t)k, half = whole >> 1, rest = whole - half;
    return x * m_float_from((uint32_t)(half + 127) << 23) *
           m_float_from((uint32_t)(rest + 127) << 23);
}
static inline double m_scale_double(double x, double k)
{
    int32_t whole = (int32_t)k, half = whole >> 1, rest = whole - half;
    return x * m_double_from((uint64_t)(half + 1023) << 52) *
           m_double_from((uint64_t)(rest + 1023) << 52);
}

// exp(r) - 1, for a short r.
static inline float m_expm1_near_float(float r)
{
    float p = 0x1.a17ebp-13f;
    p = p * r + 0x1.6d43b2p-10f;
    p = p * r + 0x1.1110acp-7f;
    p = p * r + 0x1.5554e8p-5f;
    p = p * r + 0x1.555556p-3f;
    p = p * r + 0.5f;
    return p * (r * r) + r;
}
static inline double m_expm1_near_double(double r)
{
    double p = 0x1.1f8b94e16636ep-29;
    p = p * r + 0x1.af4e55f28192cp-26;
    p = p * r + 0x1.27e4cca2a0ab5p-22;
    p = p * r + 0x1.71de01fd60961p-19;
    p = p * r + 0x1.a01a01ad0cf62p-16;
    p = p * r + 0x1.a01a01abf87d2p-13;
    p = p * r + 0x1.6c16c16c151cap-10;
    p = p * r + 0x1.11111111100bdp-7;
    p = p * r + 0x1.5555555555558p-5;
    p = p * r + 0x1.5555555555557p-3;
    p = p * r + 0.5;
    return p * (r * r) + r;
}

// r, and k; ln 2 is subtracted in two parts, the first of which has trailing zero bits.
static inline float m_reduce_exp_float(float x, float *k)
{
    *k = m_near_float(x * 0x1.715476p0f);
    return (x - *k * 0x1.62e4p-1f) - *k * 0x1.7f7d1cp-20f;
}
static inline double m_reduce_exp_double(double x, double *k)
{
    *k = m_near_double(x * 0x1.71547652b82fep0);
    return (x - *k * 0x1.62e42feep-1) - *k * 0x1.a39ef35793c76p-33;
}

static inline float m_exp_float(float x)
{
    float k, inside = x < -104 ? -104 : x > 89 ? 89 : x;
    float r = m_reduce_exp_float(inside, &k);
    float result = m_scale_float(m_expm1_near_float(r) + 1, k);
    return x != x ? x : result;
}
// exp(x + rest), where |rest| is below an ulp or so of x.
static inline double m_exp_parts(double x, double rest)
{
    double k, inside = x < -746 ? -746 : x > 710 ? 710 : x;
    double near = m_expm1_near_double(m_reduce_exp_double(inside, &k));
    double result = m_scale_double(1 + (near + (rest + rest * near)), k);
    return x != x ? x : result;
}
static inline double m_exp_double(double x)
{
    double k, inside = x < -746 ? -746 : x > 710 ? 710 : x;
    double near = m_expm1_near_double(m_reduce_exp_double(inside, &k));
    return x != x ? x : m_scale_double(1 + near, k);
}
#define m_exp(x) M_REAL(m_exp, x)

// exp(x) for x <= 0: less work than m_exp(), which it equals but below exp(-87), where it is 0.
// 2^k is made of the bits of a sum: to add 1.5 * 2^23 rounds x / ln 2 to the integer k and leaves
// k in the last bits; 127 is the bias of the exponent.
static inline float m_exp_negative_float(float x)
{
    const float shift = 0x1.8p23f + 127;
    float inside = x < -87 ? -87 : x;
    float shifted = inside * 0x1.715476p0f + shift;
    float k = shifted - shift;
    float r = (inside - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    float p = 0x1.6850e4p-10f;
    p = p * r + 0x1.123bccp-7f;
    p = p * r + 0x1.555b98p-5f;
    p = p * r + 0x1.55548ep-3f;
    p = p * r + 0x1.fffff8p-2f;
    p = (p * (r * r) + r) + 1;
    p *= m_float_from(m_bits_of_float(shifted) << 23);
    return x < -87 ? 0 : p;
}

static inline double m_exp_negative_double(double x)
{
    return m_exp_double(x);
}
#define m_exp_negative(x) M_REAL(m_exp_negative, x)

// 2^k * (exp(r) - 1) + (2^k - 1): nothing is lost near 0. For -50 <= x <= 710.
static inline double m_expm1_inside(double x)
{
    double k, r = m_reduce_exp_double(x, &k);
    double half = m_scale_double(0.5, k), near = m_expm1_near_double(r);
    return 2 * (half * near + (half - 0.5));
}
static inline double m_expm1_double(double x)
{
    double result = m_expm1_inside(x < -50 ? -50 : x > 710 ? 710 : x);
    return x != x || x == 0 ? x : result;
}
M_ROUNDED(m_expm1)
#define m_expm1(x) M_REAL(m_expm1, x)

static inline double m_exp2_double(double x)
{
    double inside = x < -1080 ? -1080 : x > 1025 ? 1025 : x, k = m_near_double(inside);
    double result = m_scale_double(m_expm1_near_double((inside - k) * 0x1.62e42fefa39efp-1) + 1, k);
    return x != x ? x : result;
}
M_ROUNDED(m_exp2)
#define m_exp2(x) M_REAL(m_exp2, x)

// 1 / (1 + exp(-x)).
#define m_sigmoid(x) (1 / (1 + m_exp(-(x))))

// ---- log: x = 2^k * m, m in [sqrt(1/2), sqrt(2)); with f = m - 1 and s = f / (2 + f),
// log(m) = 2 s + s^3 * q(s^2) = f - s * (f - s^2 * q(s^2))

static inline double m_split_double(double x, double *k)
{
    bool small = x < 0x1p-1022;
    uint64_t bits =
        m_bits_of_double(small ? x * 0x1p54 : x) + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD);
    *k = (double)((int32_t)(bits >> 52) - 1023) - (small ? 54 : 0);
    return m_double_from((bits & 0xFFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD);
}
static inline double m_log_near_double(double z)
{
    double q = 0x1.2f5720e59fd1dp-3;
    q = q * z + 0x1.3999f76331baep-3;
    q = q * z + 0x1.7466884607c32p-3;
    q = q * z + 0x1.c71c50b6a3c4dp-3;
    q = q * z + 0x1.24924943793a3p-2;
    q = q * z + 0x1.999999997e3e5p-2;
    return q * z + 0x1.5555555555597p-1;
}
// log(1 + f) + k ln 2, with a correction c that belongs to f.
static inline double m_log_join_double(double f, double k, double c)
{
    double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    double tail = s * (half + z * m_log_near_double(z)) + (k * 0x1.a39ef35793c76p-33 + c);
    return k * 0x1.62e42feep-1 - ((half - tail) - f);
}
// What is no positive finite number.
static inline double m_log_edges_double(double x, double result)
{
    double edge = x == 0 ? -(double)INFINITY : x < 0 ? (double)NAN : x;
    return x > 0 && x < (double)INFINITY ? result : edge;
}
static inline double m_log_double(double x)
{
    double k, m = m_split_double(x, &k);
    return m_log_edges_double(x, m_log_join_double(m - 1, k, 0));
}

static inline float m_log_float(float x)
{
    bool small = x < 0x1p-126f;
    uint32_t bits = m_bits_of_float(small ? x * 0x1p25f : x) + (0x3F800000 - 0x3F3504F3);
    float k = (float)((int32_t)(bits >> 23) - 127) - (small ? 25 : 0);
    float f = m_float_from((bits & 0x7FFFFF) + 0x3F3504F3) - 1;
    float s = f / (2 + f), z = s * s, half = 0.5f * f * f;
    float q = ((0x1.32063ap-2f * z + 0x1.995d84p-2f) * z + 0x1.55557cp-1f) * z;
    float result = k * 0x1.62ep-1f - ((half - (s * (half + q) + k * 0x1.0bfbe8p-15f)) - f);
    float edge = x == 0 ? -INFINITY : x < 0 ? NAN : x;
    return x > 0 && x < INFINITY ? result : edge;
}
#define m_log(x) M_REAL(m_log, x)

// log(u) with u = 1 + x, and what rounding u has lost.
static inline double m_log1p_double(double x)
{
    double u = 1 + x, k, m = m_split_double(u, &k);
    double lost = x < 1 ? x - (u - 1) : 1 - (u - x);
    double result = m_log_join_double(m - 1, k, u == 0 ? 0 : lost / u);
    return x == 0 ? x : m_log_edges_double(u, result);
}
M_ROUNDED(m_log1p)
#define m_log1p(x) M_REAL(m_log1p, x)

static inline double m_log2_double(double x)
{
    double k, m = m_split_double(x, &k);
    return m_log_edges_double(x, m_log_join_double(m - 1, 0, 0) * 0x1.71547652b82fep0 + k);
}
M_ROUNDED(m_log2)
#define m_log2(x) M_REAL(m_log2, x)

static inline double m_log10_double(double x)
{
    double k, m = m_split_double(x, &k);
    double near = m_log_join_double(m - 1, 0, 0) * 0x1.bcb7b1526e50ep-2;
    return m_log_edges_double(x, near + k * 0x1.9fef311f12b36p-42 + k * 0x1.34413509f6p-2);
}
M_ROUNDED(m_log10)
#define m_log10(x) M_REAL(m_log10, x)

// ---- pow: exp(y * log|x|), the logarithm and the product in two doubles each

// a * b = result + *rest exactly (Dekker).
static inline double m_product(double a, double b, double *rest)
{
    double ah = m_double_from(m_bits_of_double(a) & ~(uint64_t)0x7FFFFFF), al = a - ah;
    double bh = m_double_from(m_bits_of_double(b) & ~(uint64_t)0x7FFFFFF), bl = b - bh;
    double p = a * b;
    *rest = ((ah * bh - p) + ah * bl + al * bh) + al * bl;
    return p;
}

// log(x) = result + *rest, to some 65 bits, for a positive finite x.
static inline double m_log_parts(double x, double *rest)
{
    double k, f = m_split_double(x, &k) - 1, s = f / (2 + f), z = s * s;
    double lost, p = m_product(s, 2 + f, &lost);
    double sum = 2 + f, slip = f - (sum - 2);               // 2 + f = sum + slip
    double s_rest = (((f - p) - lost) - s * slip) / sum;    // s + s_rest = f / (2 + f)
    double head = k * 0x1.62e42feep-1, high = head + 2 * s; // 2 s dominates where k is 0
    double low = k != 0 ? 2 * s - (high - head) : head;
    double tail = low + (k * 0x1.a39ef35793c76p-33 + (2 * s_rest + s * z * m_log_near_double(z)));
    double result = high + tail;
    *rest = (high - result) + tail;
    return result;
}

static inline double m_pow_positive(double x, double y)
{
    double rest, lost, log_x = m_log_parts(x, &rest);
    double product = m_product(y, log_x, &lost);
    bool large = !(product > -800 && product < 800);
    return m_exp_parts(product, large ? 0 : lost + y * rest);
}

// The special values of C99's pow(): where |x| is 0 or infinite, where y is, and where x < 0.
M_CALLED_BY_VECTORS double m_pow_double(double x, double y)
{
    double a = m_abs_double(x), size = m_abs_double(y), infinity = (double)INFINITY;
    double raised = a < 1 ? 0 : infinity, lowered = a < 1 ? infinity : 0; // to +-infinity
    double limit = y > 0 ? raised : lowered, edge = y > 0 ? a : 1 / a;
    bool is_edge = (a == 0) | (a == infinity), whole = m_trunc_double(y) == y;
    bool odd = whole & (size < 0x1p53) & (m_trunc_double(y / 2) * 2 != y);
    bool no_number = ((x < 0) & (x != -infinity) & !whole) | (x != x) | (y != y);
    bool is_one = (y == 0) | (x == 1);
    double result = is_edge ? edge : m_pow_positive(a, y);
    result = size == infinity ? (a == 1 ? 1 : limit) : result;
    result = no_number ? (double)NAN : m_copysign_double(result, odd ? x : 1);
    return is_one ? 1 : result;
}
M_ROUNDED2(m_pow)

// By squaring, modulo 2^64. A negative exponent leaves 1, -1 or 0.
static inline int64_t m_pow_int64(int64_t x, int64_t y)
{
    if (y < 0) return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
    uint64_t result = 1, power = (uint64_t)x;
    for (; y > 0; y >>= 1, power *= power)
        if (y & 1) result *= power;
    return (int64_t)result;
}
static inline int32_t m_pow_int32(int32_t x, int32_t y)
{
    return (int32_t)m_pow_int64(x, y);
}

// x ** y for a y that is the same for all elements: PyTorch has roots and reciprocals for some. A
// loop over the others is one of vectors.
#define m_is_plain_power(y)                                                                        \
    ((y) != 0.5f && (y) != -0.5f && (y) != -1 && (y) != -2 && (y) != 1 && (y) != 2 && (y) != 3)
#define M_POWER(type)                                                                              \
    static inline type m_power_##type(type x, type y)                                              \
    {                                                                                              \
        if (y == 0.5f) return m_sqrt(x);                                                           \
        if (y == -0.5f) return 1 / m_sqrt(x);                                                      \
        if (y == -1) return 1 / x;                                                                 \
        if (y == -2) return 1 / (x * x);                                                           \
        return m_pow_##type(x, y);                                                                 \
    }
M_POWER(float)
M_POWER(double)
static inline int64_t m_power_int64(int64_t x, int64_t y)
{
    return m_pow_int64(x, y);
}
static inline int32_t m_power_int32(int32_t x, int32_t y)
{
    return m_pow_int32(x, y);
}
#define m_power(x, y) M_NUMBER2(m_power, x, y)
#define m_pow(x, y) M_NUMBER2(m_pow, x, y)

// ---- hyperbolic functions, by t = exp(2|x|) - 1 or exp(|x|) - 1

static inline double m_tanh_double(double x)
{
    double far = m_abs_double(x) > 22 ? 22 : m_abs_double(x), t = m_expm1_inside(2 * far);
    return x != x ? x : m_copysign_double(t / (t + 2), x);
}
static inline float m_tanh_float(float x)
{
    float a = m_abs_float(x), z = x * x, far = 1 - 2 / (m_exp_float(2 * (a > 10 ? 10 : a)) + 1);
    float p = -0x1.830cp-8f;
    p = p * z + 0x1.54e01cp-6f;
    p = p * z - 0x1.b89edap-5f;
    p = p * z + 0x1.1109dcp-3f;
    p = p * z - 0x1.55553ep-2f;
    float near = p * (z * x) + x;
    return x != x || x == 0 ? x : a < 0.6f ? near : m_copysign_float(far, x);
}
#define m_tanh(x) M_REAL(m_tanh, x)

static inline double m_sinh_double(double x)
{
    double a = m_abs_double(x), t = m_expm1_inside(a > 709 ? 709 : a), half = m_exp_double(0.5 * a);
    double result = a > 709 ? 0.5 * half * half : 0.5 * (t + t / (t + 1));
    return x != x ? x : m_copysign_double(result, x);
}
static inline double m_cosh_double(double x)
{
    double a = m_abs_double(x), e = m_exp_double(a > 709 ? 709 : a), half = m_exp_double(0.5 * a);
    return a > 709 ? 0.5 * half * half : 0.5 * e + 0.5 / e;
}
static inline double m_asinh_double(double x)
{
    double a = m_abs_double(x), z = a * a;
    double result = a > 0x1p28 ? m_log_double(a) + 0x1.62e42fefa39efp-1
                               : m_log1p_double(a + z / (1 + sqrt(z + 1)));
    return m_copysign_double(result, x);
}
static inline double m_acosh_double(double x)
{
    double t = x - 1;
    double result = x > 0x1p28 ? m_log_double(x) + 0x1.62e42fefa39efp-1
                               : m_log1p_double(t + sqrt(2 * t + t * t));
    return x < 1 ? (double)NAN : result;
}
static inline double m_atanh_double(double x)
{
    double a = m_abs_double(x);
    return m_copysign_double(0.5 * m_log1p_double(2 * a / (1 - a)), x);
}
M_ROUNDED(m_sinh)
M_ROUNDED(m_cosh)
M_ROUNDED(m_asinh)
M_ROUNDED(m_acosh)
M_ROUNDED(m_atanh)
#define m_sinh(x) M_REAL(m_sinh, x)
#define m_cosh(x) M_REAL(m_cosh, x)
#define m_asinh(x) M_REAL(m_asinh, x)
#define m_acosh(x) M_REAL(m_acosh, x)
#define m_atanh(x) M_REAL(m_atanh, x)

// ---- inverse trigonometric functions

// atan(x): x > 1 is turned into 1 / x, and x > tan(pi / 8) into (x - 1) / (x + 1).
static inline double m_atan_double(double x)
{
    double a = m_abs_double(x);
    bool over = a > 1, middle;
    double t = over ? 1 / a : a;
    middle = t > 0x1.a827999fcef32p-2;
    t = middle ? (t - 1) / (t + 1) : t;
    double z = t * t, p = 0x1.eddd94247c0c8p-7;
    p = p * z - 0x1.1139868aad327p-5;
    p = p * z + 0x1.7080630f8b27dp-5;
    p = p * z - 0x1.ab62cfc04e3f0p-5;
    p = p * z + 0x1.e16ddf00858ccp-5;
    p = p * z - 0x1.110c3d1ca83bbp-4;
    p = p * z + 0x1.3b136a90fff87p-4;
    p = p * z - 0x1.745d14912c894p-4;
    p = p * z + 0x1.c71c71b62dda5p-4;
    p = p * z - 0x1.24924924732e2p-3;
    p = p * z + 0x1.9999999999603p-3;
    p = p * z - 0x1.5555555555554p-2;
    double near = p * (z * t) + (middle ? t + 0x1.1a62633145c07p-55 : t);
    double result = middle ? 0x1.921fb54442d18p-1 + near : near;
    result = over ? 0x1.921fb54442d18p0 - (result - 0x1.1a62633145c07p-54) : result;
    return x != x ? x : m_copysign_double(result, x);
}
static inline double m_atan2_double(double y, double x)
{
    double a = m_abs_double(x), b = m_abs_double(y), infinity = (double)INFINITY;
    double ratio = a == b ? (a == 0 ? 0 : 1) : b / a;
    double angle = a == infinity && b == infinity ? 0x1.921fb54442d18p-1 : m_atan_double(ratio);
    bool upright = a == 0 && b != 0; // exactly pi / 2
    if (m_signbit_double(x) && !upright)
        angle = 0x1.921fb54442d18p1 - (angle - 0x1.1a62633145c07p-53);
    return x != x || y != y ? (double)NAN : m_copysign_double(angle, y);
}

// asin(x) = x + x^3 p(x^2) up to 1/2; beyond that pi / 2 - 2 asin(sqrt((1 - x) / 2)).
static inline double m_asin_near(double z)
{
    double p = 0x1.0c35b6efb6b11p-5;
    p = p * z - 0x1.5af50396a0034p-6;
    p = p * z + 0x1.65b1dbf3536bap-6;
    p = p * z + 0x1.df266230d66ccp-9;
    p = p * z + 0x1.61af373395e87p-7;
    p = p * z + 0x1.757134b37c0f5p-7;
    p = p * z + 0x1.ca22058d13822p-7;
    p = p * z + 0x1.1c49d62c194f3p-6;
    p = p * z + 0x1.6e8be052ea4efp-6;
    p = p * z + 0x1.f1c71a87e3161p-6;
    p = p * z + 0x1.6db6db7235051p-5;
    p = p * z + 0x1.333333332de4dp-4;
    return (p * z + 0x1.5555555555578p-3) * z;
}
static inline double m_asin_double(double x)
{
    double a = m_abs_double(x), z = a > 0.5 ? (1 - a) * 0.5 : a * a, r = a > 0.5 ? sqrt(z) : a;
    double near = r + r * m_asin_near(z);
    double result = a > 0.5 ? 0x1.921fb54442d18p0 - (2 * near - 0x1.1a62633145c07p-54) : near;
    return m_copysign_double(result, x);
}
static inline double m_acos_double(double x)
{
    double a = m_abs_double(x), z = a > 0.5 ? (1 - a) * 0.5 : a * a, r = a > 0.5 ? sqrt(z) : x;
    double near = r + r * m_asin_near(z);
    if (a <= 0.5) return 0x1.921fb54442d18p0 - (near - 0x1.1a62633145c07p-54);
    return x > 0 ? 2 * near : 0x1.921fb54442d18p1 - (2 * near - 0x1.1a62633145c07p-53);
}
M_ROUNDED(m_atan)
M_ROUNDED(m_asin)
M_ROUNDED(m_acos)
M_ROUNDED2(m_atan2)
#define m_atan(x) M_REAL(m_atan, x)
#define m_asin(x) M_REAL(m_asin, x)
#define m_acos(x) M_REAL(m_acos, x)
#define m_atan2(y, x) M_REAL2(m_atan2, y, x)

// ---- division

// Remainders: fmod() has the sign of a, Python's % that of b. Of integers, the row has refused b =
// 0.
static inline int64_t m_fmod_int64(int64_t a, int64_t b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}
static inline int32_t m_fmod_int32(int32_t a, int32_t b)
{
    return b == 0 || b == -1 ? 0 : a % b;
}
// In double a quotient below 2^29 times b is exact. The quotient may have been rounded up. A loop
// asks first whether numbers are far apart, and is made of vectors where none are.
static inline bool m_is_far_from_float(float a, float b)
{
    return !(m_abs_float(a) < m_abs_float(b) * 0x1p29f);
}
static inline float m_fmod_near_float(float a, float b)
{
    double x = m_abs_float(a), y = m_abs_float(b), whole = (int32_t)(x / y);
    double rest = x - whole * (x < y ? 0 : y); // 0, as y may be infinite
    return m_copysign_float((float)(rest + (rest < 0 ? y : 0)), a);
}
static inline float m_fmod_float(float a, float b)
{
    return m_is_far_from_float(a, b) ? fmodf(a, b) : m_fmod_near_float(a, b);
}
static inline double m_fmod_double(double a, double b)
{
    return fmod(a, b);
}
#define m_fmod(a, b) M_NUMBER2(m_fmod, a, b)
#define M_NEVER_FAR(name, type)                                                                    \
    static inline bool m_is_far_from_##name(type a, type b)                                        \
    {                                                                                              \
        (void)a, (void)b;                                                                          \
        return false;                                                                              \
    }
M_NEVER_FAR(double, double)
M_NEVER_FAR(int64, int64_t)
M_NEVER_FAR(int32, int32_t)
#define m_is_far_from(a, b) M_NUMBER2(m_is_far_from, a, b)
// The same function for numbers that are not far from each other.
#define M_NEAR2(name, a, b)                                                                        \
    _Generic((a),                                                                                  \
        float: name##_near_float,                                                                  \
        double: name##_double,                                                                     \
        int64_t: name##_int64,                                                                     \
        default: name##_int32)(a, b)
#define m_fmod_near(a, b) M_NEAR2(m_fmod, a, b)

#define M_DIVISION(type, suffix)                                                                   \
    static inline type m_remainder_##suffix(type a, type b)                                        \
    {                                                                                              \
        type rest = m_fmod_##suffix(a, b);                                                         \
        return ((rest != 0) & ((b < 0) != (rest < 0))) ? rest + b : rest;                          \
    }
M_DIVISION(float, float)
M_DIVISION(float, near_float)
M_DIVISION(double, double)
M_DIVISION(int64_t, int64)
M_DIVISION(int32_t, int32)
#define m_remainder(a, b) M_NUMBER2(m_remainder, a, b)
#define m_remainder_near(a, b) M_NEAR2(m_remainder, a, b)

// Python's //: exact by way of the remainder, then rounded to a whole number.
#define M_FLOOR_DIVIDE(type, suffix)                                                               \
    static inline type m_floordiv_##suffix(type a, type b)                                         \
    {                                                                                              \
        type rest = m_fmod_##suffix(a, b), whole = (a - rest) / b;                                 \
        whole -= (rest != 0) & ((b < 0) != (rest < 0));                                            \
        type below = m_floor_##type(whole);                                                        \
        below += whole - below > 0.5f ? 1 : 0;                                                     \
        type result = whole == 0 ? m_copysign_##type(0, a / b) : below;                            \
        return b == 0 ? a / b : result;                                                            \
    }
M_FLOOR_DIVIDE(float, float)
M_FLOOR_DIVIDE(float, near_float)
M_FLOOR_DIVIDE(double, double)
static inline int64_t m_truncdiv_int64(int64_t a, int64_t b)
{
    return b == 0 ? 0 : b == -1 ? (int64_t) - (uint64_t)a : a / b;
}
static inline int64_t m_floordiv_int64(int64_t a, int64_t b)
{
    return m_truncdiv_int64(a, b) - (m_fmod_int64(a, b) != 0 && (a < 0) != (b < 0));
}
static inline int32_t m_floordiv_int32(int32_t a, int32_t b)
{
    return (int32_t)m_floordiv_int64(a, b);
}
static inline int32_t m_truncdiv_int32(int32_t a, int32_t b)
{
    return (int32_t)m_truncdiv_int64(a, b);
}
static inline float m_truncdiv_float(float a, float b)
{
    return m_trunc_float(a / b);
}
static inline double m_truncdiv_double(double a, double b)
{
    return m_trunc_double(a / b);
}
#define m_floordiv(a, b) M_NUMBER2(m_floordiv, a, b)
#define m_floordiv_near(a, b) M_NEAR2(m_floordiv, a, b)
#define m_truncdiv(a, b) M_NUMBER2(m_truncdiv, a, b)

// ---- a * b + c, rounded once

#if defined(__FMA__) || defined(__aarch64__) || defined(__ARM_FEATURE_FMA)
static inline float m_fma_float(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
#else
// The product is exact in double. A sum that is not exact is rounded to odd, so the second rounding
// finds the same result as if it were the only one.
static inline float m_fma_float(float a, float b, float c)
{
    double product = (double)a * (double)b, sum = product + (double)c;
    double part = sum - product;
    double error = (product - (sum - part)) + ((double)c - part);
    uint64_t bits = m_bits_of_double(sum);
    uint64_t step = (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
    bool between = (error < 0 || error > 0) && !(bits & 1);
    return (float)m_double_from(bits + (between ? step : 0));
}
#endif
static inline double m_fma_double(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
static inline int64_t m_fma_int64(int64_t a, int64_t b, int64_t c)
{
    return (int64_t)((uint64_t)a * (uint64_t)b + (uint64_t)c);
}
static inline int32_t m_fma_int32(int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)a * (uint32_t)b + (uint32_t)c);
}
#define m_fma(a, b, c)                                                                             \
    _Generic((c),                                                                                  \
        float: m_fma_float,                                                                        \
        double: m_fma_double,                                                                      \
        int64_t: m_fma_int64,                                                                      \
        default: m_fma_int32)(a, b, c)

// ---- choosing: of equals the first one; a NaN wins, or loses (fmax, fmin)

#define m_max(a, b) ((a) < (b) || (b) != (b) ? (b) : (a))
#define m_min(a, b) ((a) > (b) || (b) != (b) ? (b) : (a))
#define m_fmax(a, b) ((a) < (b) || (a) != (a) ? (b) : (a))
#define m_fmin(a, b) ((a) > (b) || (a) != (a) ? (b) : (a))
#define m_sign(a) (((a) > 0) - ((a) < 0))

// ---- bits. A shift by the width or more gives what is left: 0, or the sign.

#define M_BITS(type, width)                                                                        \
    static inline type##_t m_shift_left_##type(type##_t a, type##_t b)                             \
    {                                                                                              \
        return b < 0 || b >= width ? 0 : (type##_t)((u##type##_t)a << b);                          \
    }                                                                                              \
    static inline type##_t m_shift_right_##type(type##_t a, type##_t b)                            \
    {                                                                                              \
        return a >> (b < 0 || b >= width ? width - 1 : b);                                         \
    }
M_BITS(int64, 64)
M_BITS(int32, 32)
#define m_shift_left(a, b)                                                                         \
    _Generic((a), int64_t: m_shift_left_int64, default: m_shift_left_int32)(a, b)
#define m_shift_right(a, b)                                                                        \
    _Generic((a), int64_t: m_shift_right_int64, default: m_shift_right_int32)(a, b)

static inline int64_t m_not_int64(int64_t a)
{
    return ~a;
}
static inline int32_t m_not_int32(int32_t a)
{
    return ~a;
}
static inline bool m_not_bool(bool a)
{
    int8_t with = (int8_t)(a | 2); // of !a gcc 12 makes no vectors
    return with < 3;
}
#define m_not(a) _Generic((a), int64_t: m_not_int64, int32_t: m_not_int32, default: m_not_bool)(a)
#define m_is_zero(a) _Generic((a), bool: m_not_bool(a), default: (a) == 0)
