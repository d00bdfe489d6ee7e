// Rows of elements, moved and converted.
//
// A conversion goes through the dtypes that are computed in: float16 to int16 is float16 -> float32
// -> int32 -> int16. So there are 5 loops that widen, 4 that narrow (one for both kinds of 8 bits),
// and 20 between the computed. A complex number is converted by its parts: a real number becomes
// one with the imaginary part 0, and loses it on the way back.
#include "objects/tensor/convert.h"

#include "objects/tensor/element.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

// Each loop is there twice on x86-64: one copy is made of vectors of 256 bits, for processors that
// have them. NAME_each is the loop, NAME chooses.
#ifdef __x86_64__
#define BY_PROCESSOR static __attribute__((target("avx2,f16c"))) // all that have AVX2 have F16C
#define TWICE(name, parameters, ...)                                                               \
    BY_PROCESSOR void name##_wide parameters                                                       \
    {                                                                                              \
        name##_each(__VA_ARGS__);                                                                  \
    }                                                                                              \
    static void name parameters                                                                    \
    {                                                                                              \
        if (__builtin_cpu_supports("avx2"))                                                        \
            name##_wide(__VA_ARGS__);                                                              \
        else                                                                                       \
            name##_each(__VA_ARGS__);                                                              \
    }
#else
#define TWICE(name, parameters, ...)                                                               \
    static void name parameters                                                                    \
    {                                                                                              \
        name##_each(__VA_ARGS__);                                                                  \
    }
#endif
#define INLINE static inline __attribute__((always_inline))

// ---- strided

#define MOVES(bits)                                                                                \
    INLINE void gather_##bits##_each(int64_t n, uint##bits##_t *restrict to,                       \
                                     const uint##bits##_t *restrict from, int64_t stride)          \
    {                                                                                              \
        if (stride == 0 && n > 0) {                                                                \
            const uint##bits##_t repeated = *from;                                                 \
            for (int64_t i = 0; i < n; i++) to[i] = repeated;                                      \
            return;                                                                                \
        }                                                                                          \
        if (stride == -1) /* a loop of its own, which becomes vectors */                           \
            for (int64_t i = 0; i < n; i++) to[i] = from[-i];                                      \
        else                                                                                       \
            for (int64_t i = 0; i < n; i++) to[i] = from[i * stride];                              \
    }                                                                                              \
    TWICE(gather_##bits,                                                                           \
          (int64_t n, uint##bits##_t * to, const uint##bits##_t *from, int64_t stride), n, to,     \
          from, stride)                                                                            \
    static void scatter_##bits(int64_t n, uint##bits##_t *to, int64_t stride,                      \
                               const uint##bits##_t *from)                                         \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) to[i * stride] = from[i];                                  \
    }
MOVES(8)
MOVES(16)
MOVES(32)
MOVES(64)
MOVES(128)

void elements_gather(size_t size, int64_t n, void *to, const void *from, int64_t stride)
{
    if (stride == 1) return (void)memcpy(to, from, (size_t)n * size);
    switch (size) {
    case 1: gather_8(n, to, from, stride); return;
    case 2: gather_16(n, to, from, stride); return;
    case 4: gather_32(n, to, from, stride); return;
    case 8: gather_64(n, to, from, stride); return;
    default: gather_128(n, to, from, stride); return;
    }
}

void elements_scatter(size_t size, int64_t n, void *to, int64_t stride, const void *from)
{
    if (stride == 1) return (void)memcpy(to, from, (size_t)n * size);
    switch (size) {
    case 1: scatter_8(n, to, stride, from); return;
    case 2: scatter_16(n, to, stride, from); return;
    case 4: scatter_32(n, to, stride, from); return;
    case 8: scatter_64(n, to, stride, from); return;
    default: scatter_128(n, to, stride, from); return;
    }
}

// ---- between dtypes

#define CONVERT(name, to_type, from_type, expression)                                              \
    INLINE void name##_each(int64_t n, void *restrict to, const void *restrict from)               \
    {                                                                                              \
        to_type *restrict out = to;                                                                \
        const from_type *restrict in = from;                                                       \
        for (int64_t i = 0; i < n; i++) {                                                          \
            from_type x = in[i];                                                                   \
            out[i] = (to_type)(expression);                                                        \
        }                                                                                          \
    }                                                                                              \
    TWICE(name, (int64_t n, void *restrict to, const void *restrict from), n, to, from)
typedef void (*ConvertFn)(int64_t n, void *restrict to, const void *restrict from);

CONVERT(widen_uint8, int32_t, uint8_t, x)
CONVERT(widen_int8, int32_t, int8_t, x)
CONVERT(widen_int16, int32_t, int16_t, x)
CONVERT(widen_others_float16, float, uint16_t, half_to_float(x))
CONVERT(widen_bfloat16, float, uint16_t, bfloat_to_float(x))
CONVERT(narrow_8, uint8_t, int32_t, x)
CONVERT(narrow_16, uint16_t, int32_t, x)
CONVERT(narrow_others_float16, uint16_t, float, half_from_float(x))
CONVERT(narrow_bfloat16, uint16_t, float, bfloat_from_float(x))

CONVERT(int32_to_int64, int64_t, int32_t, x)
CONVERT(int32_to_float32, float, int32_t, x)
CONVERT(int32_to_float64, double, int32_t, x)
CONVERT(int32_to_bool, uint8_t, int32_t, x != 0)
CONVERT(int64_to_int32, int32_t, int64_t, x)
CONVERT(int64_to_float32, float, int64_t, x)
CONVERT(int64_to_float64, double, int64_t, x)
CONVERT(int64_to_bool, uint8_t, int64_t, x != 0)
CONVERT(float32_to_int32, int32_t, float, x >= -0x1p31f && x < 0x1p31f ? (int32_t)x : INT32_MIN)
CONVERT(float32_to_int64, int64_t, float, double_to_int64(x))
CONVERT(float32_to_float64, double, float, x)
CONVERT(float32_to_bool, uint8_t, float, x != 0)
CONVERT(float64_to_int32, int32_t, double, double_to_int32(x))
CONVERT(float64_to_int64, int64_t, double, double_to_int64(x))
CONVERT(float64_to_float32, float, double, x)
CONVERT(float64_to_bool, uint8_t, double, x != 0)
CONVERT(bool_to_int32, int32_t, uint8_t, x)
CONVERT(bool_to_int64, int64_t, uint8_t, x)
CONVERT(bool_to_float32, float, uint8_t, x)
CONVERT(bool_to_float64, double, uint8_t, x)

// ---- float16, eight at a time by the processor's own instructions; how many have been done. They
// make quiet each NaN that they widen, and cut one that they narrow: both are put right.

#ifdef __x86_64__
static int64_t in_eights(int64_t n)
{
    return __builtin_cpu_supports("avx2") ? n & ~(int64_t)7 : 0;
}

BY_PROCESSOR int64_t widen_eights(int64_t n, float *to, const uint16_t *from)
{
    const __m256i quiet = _mm256_set1_epi32(0x400000);
    for (int64_t i = 0; i < n; i += 8) {
        __m128i halves = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        __m256 wide = _mm256_cvtph_ps(halves);
        __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 13);
        __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(wide, wide, _CMP_UNORD_Q));
        __m256i added = _mm256_andnot_si256(bits, _mm256_and_si256(nan, quiet));
        _mm256_storeu_ps(to + i, _mm256_andnot_ps(_mm256_castsi256_ps(added), wide));
    }
    return n;
}

BY_PROCESSOR int64_t narrow_eights(int64_t n, uint16_t *to, const float *from)
{
    const __m256 sign = _mm256_set1_ps(-0.0f),
                 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7FC00000));
    for (int64_t i = 0; i < n; i += 8) {
        __m256 wide = _mm256_loadu_ps(from + i);
        __m256 nan = _mm256_or_ps(_mm256_and_ps(wide, sign), quiet);
        wide = _mm256_blendv_ps(wide, nan, _mm256_cmp_ps(wide, wide, _CMP_UNORD_Q));
        _mm_storeu_si128((__m128i *)(void *)(to + i), _mm256_cvtps_ph(wide, 0)); // to the nearest
    }
    return n;
}
#else
static int64_t in_eights(int64_t n)
{
    (void)n;
    return 0;
}
#define widen_eights(n, to, from) (n)
#define narrow_eights(n, to, from) (n)
#endif

static void widen_float16(int64_t n, void *restrict to, const void *restrict from)
{
    int64_t done = widen_eights(in_eights(n), to, from);
    widen_others_float16(n - done, (float *)to + done, (const uint16_t *)from + done);
}
static void narrow_float16(int64_t n, void *restrict to, const void *restrict from)
{
    int64_t done = narrow_eights(in_eights(n), to, from);
    narrow_others_float16(n - done, (uint16_t *)to + done, (const float *)from + done);
}

static const ConvertFn widen[DTYPE_COUNT] = {
    [DTYPE_uint8] = widen_uint8,     [DTYPE_int8] = widen_int8,         [DTYPE_int16] = widen_int16,
    [DTYPE_float16] = widen_float16, [DTYPE_bfloat16] = widen_bfloat16,
};
static const ConvertFn narrow[DTYPE_COUNT] = {
    [DTYPE_uint8] = narrow_8,           [DTYPE_int8] = narrow_8,
    [DTYPE_int16] = narrow_16,          [DTYPE_float16] = narrow_float16,
    [DTYPE_bfloat16] = narrow_bfloat16,
};

#define TO(to, from) [DTYPE_##from][DTYPE_##to] = from##_to_##to
static const ConvertFn between[DTYPE_COUNT][DTYPE_COUNT] = {
    TO(int64, int32),   TO(float32, int32), TO(float64, int32),   TO(bool, int32),
    TO(int32, int64),   TO(float32, int64), TO(float64, int64),   TO(bool, int64),
    TO(int32, float32), TO(int64, float32), TO(float64, float32), TO(bool, float32),
    TO(int32, float64), TO(int64, float64), TO(float32, float64), TO(bool, float64),
    TO(int32, bool),    TO(int64, bool),    TO(float32, bool),    TO(float64, bool),
};

#define ROW 1024

// At most ROW elements, by up to three steps through two buffers.
static void convert_row(int64_t n, void *to, Dtype to_dtype, const void *from, Dtype from_dtype)
{
    static _Alignas(64) char wide[8 * ROW], other[8 * ROW];
    Dtype source = dtype_computed(from_dtype), target = dtype_computed(to_dtype);
    if (source != from_dtype) {
        void *out = to_dtype == source ? to : wide;
        widen[from_dtype](n, out, from);
        from = out;
    }
    if (source != target) {
        void *out = to_dtype == target ? to : other;
        between[source][target](n, out, from);
        from = out;
    }
    if (target != to_dtype) narrow[to_dtype](n, to, from);
}

// ---- complex numbers

#define PARTS(complex_type, type)                                                                  \
    static void join_##complex_type(int64_t n, complex_type *to, const type *parts)                \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) to[i] = (complex_type){parts[i], 0};                       \
    }                                                                                              \
    static void real_of_##complex_type(int64_t n, type *parts, const complex_type *from)           \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) parts[i] = from[i].re;                                     \
    }                                                                                              \
    static void truth_of_##complex_type(int64_t n, uint8_t *to, const complex_type *from)          \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) to[i] = from[i].re != 0 || from[i].im != 0;                \
    }
PARTS(Complex64, float)
PARTS(Complex128, double)

// At most ROW elements, of which one side or both are complex numbers.
static void convert_complex(int64_t n, void *to, Dtype to_dtype, const void *from, Dtype from_dtype)
{
    static _Alignas(64) char parts[sizeof(double) * ROW];
    Dtype to_real = dtype_to_real(to_dtype), from_real = dtype_to_real(from_dtype);
    bool wide = from_dtype == DTYPE_complex128;
    if (to_real != to_dtype && from_real != from_dtype) {
        between[from_real][to_real](2 * n, to, from);
    } else if (to_real != to_dtype) {
        elements_convert(n, parts, to_real, from, from_dtype);
        if (to_dtype == DTYPE_complex128)
            join_Complex128(n, to, (const double *)(const void *)parts);
        else
            join_Complex64(n, to, (const float *)(const void *)parts);
    } else if (to_dtype == DTYPE_bool) {
        wide ? truth_of_Complex128(n, to, from) : truth_of_Complex64(n, to, from);
    } else {
        if (wide)
            real_of_Complex128(n, (double *)(void *)parts, from);
        else
            real_of_Complex64(n, (float *)(void *)parts, from);
        elements_convert(n, to, to_dtype, parts, from_real);
    }
}

void elements_flip_signs(int64_t n, void *elements, Dtype dtype, bool real, bool imaginary)
{
    bool pairs = dtype_is_complex(dtype);
    int64_t step = pairs && real != imaginary ? 2 : 1, count = pairs ? 2 * n : n;
    uint32_t *words = elements;
    uint64_t *wide = elements;
    for (int64_t i = pairs && !real; i < count; i += step)
        if (dtype_to_real(dtype) == DTYPE_float64)
            wide[i] ^= (uint64_t)1 << 63;
        else
            words[i] ^= (uint32_t)1 << 31;
}

void elements_convert(int64_t n, void *to, Dtype to_dtype, const void *from, Dtype from_dtype)
{
    if (to_dtype == from_dtype) {
        memcpy(to, from, (size_t)n * dtype_size(to_dtype));
        return;
    }
    char *out = to;
    const char *in = from;
    for (int64_t done = 0; done < n; done += ROW) {
        int64_t count = n - done < ROW ? n - done : ROW;
        if (dtype_is_complex(to_dtype) || dtype_is_complex(from_dtype))
            convert_complex(count, out, to_dtype, in, from_dtype);
        else
            convert_row(count, out, to_dtype, in, from_dtype);
        out += (size_t)count * dtype_size(to_dtype);
        in += (size_t)count * dtype_size(from_dtype);
    }
}
