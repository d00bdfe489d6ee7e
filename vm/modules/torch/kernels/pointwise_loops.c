// The loops of all pointwise rows, one for each dtype that a row is computed in, and the tables of
// this copy.
//
// A row UNARY(exp, ..., FLOATING, m_exp(a), ...) expands to exp__float32 and exp__float64:
//
//     for (i < n) { float a = pa[i]; out[i] = m_exp(a); }
//
// The output may be the same memory as an input (in-place forms), element by element, and never
// overlaps one in another way. That is what IVDEP says to the compiler.
//
// The copy for vectors of 512 bits (WIDE) has only what twice the width makes faster: rows of
// floating functions, in float32. Other rows wait for memory. Rows that are QUICK compute blocks by
// the functions of scalar_quick.h, and those that are in doubt by the others.

// In the loops for bool, a * b and a < 0 are what is meant. Rows with a division or a call stay
// scalar under clang, which would complain of that (where a row first stands: before all includes).
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define IVDEP _Pragma("clang loop vectorize(assume_safety)")
#else
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#pragma GCC diagnostic ignored "-Wbool-compare"
#define IVDEP _Pragma("GCC ivdep")
#endif

#include "vm/modules/torch/kernels/kernels.h"

#include "vm/modules/torch/kernels/scalar_bessel.h"

#define INPUT(T, letter, index) const T *p##letter = (const T *)(const void *)data[index];
#define INPUTS_1(T) INPUT(T, a, 1)
#define INPUTS_2(T) INPUTS_1(T) INPUT(T, b, 2)
#define INPUTS_3(T) INPUTS_2(T) INPUT(T, c, 3)
#define ELEMENTS_1(T) T a = pa[i];
#define ELEMENTS_2(T) ELEMENTS_1(T) T b = pb[i];
#define ELEMENTS_3(T) ELEMENTS_2(T) T c = pc[i];
#define UNUSED __attribute__((unused))
// What an expression calls becomes a part of its loop, which can then be vectorised; but not in a
// page, which is to be small.
#ifdef __wasm__
#define FLATTEN
#else
#define FLATTEN __attribute__((flatten))
#endif

#define BODY(count, T, R, operands, expression)                                                    \
    R *out = (R *)(void *)data[0];                                                                 \
    INPUTS_##operands(T) UNUSED T s = ((const T *)scalars)[0], t = ((const T *)scalars)[1],        \
                                  u = ((const T *)scalars)[2];                                     \
    IVDEP for (int64_t i = 0; i < (count); i++)                                                    \
    {                                                                                              \
        ELEMENTS_##operands(T) out[i] = (R)(expression);                                           \
    }

#define LOOP_OVER(declaration, name, count, T, R, operands, expression)                            \
    FLATTEN static void name(int64_t n, char *const *data, const void *scalars)                    \
    {                                                                                              \
        declaration BODY(count, T, R, operands, expression)                                        \
    }

#if WIDE
#include "vm/modules/torch/kernels/scalar_quick.h"

#define NO_SPECIAL 1
// A whole number of vectors, and one more for the elements that are left over.
#define WIDTH 16
static void run_whole(Loop loop, int operands, int64_t n, char *const *data, const void *scalars)
{
    float elements[4][WIDTH] = {{0}};
    char *rest[4];
    int64_t whole = n & -WIDTH;
    size_t left = (size_t)(n - whole) * sizeof(float);
    loop(whole, data, scalars);
    if (!left) return;
    for (int i = 0; i <= operands; i++) rest[i] = (char *)elements[i];
    for (int i = 1; i <= operands; i++) memcpy(rest[i], (float *)(void *)data[i] + whole, left);
    loop(WIDTH, rest, scalars);
    memcpy((float *)(void *)data[0] + whole, rest[0], left);
}
#define LOOP_WITH(declaration, name, T, R, operands, expression)                                   \
    LOOP_OVER(UNUSED m_Doubt *const doubt = NULL;                                                  \
              declaration, whole_##name, n & -WIDTH, T, R, operands, expression)                   \
    static void name(int64_t n, char *const *data, const void *scalars)                            \
    {                                                                                              \
        run_whole(whole_##name, operands, n, data, scalars);                                       \
    }

// Computes whole vectors, to memory that no input shares: is one of the elements in doubt?
typedef bool (*QuickLoop)(int64_t n, char *const *data, const void *scalars);
#define BLOCK 512
#define MOST_WAITING 15
static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
// The last block is copied, and its last element makes up a whole vector.
static int64_t fill_up(int operands, int64_t count, char **data, float copies[3][BLOCK])
{
    int64_t whole = (count + WIDTH - 1) & -WIDTH;
    if (whole == count) return count;
    for (int i = 1; i <= operands; i++) {
        float *copy = copies[i - 1];
        memcpy(copy, data[i], (size_t)count * sizeof(float));
        for (int64_t k = count; k < whole; k++) copy[k] = copy[count - 1];
        data[i] = (char *)copy;
    }
    return whole;
}
// The results wait aside where they would fall on an input, or on more than the output.
static bool try_block(QuickLoop quick, int operands, int64_t count, char *const *at,
                      const void *scalars)
{
    float found[BLOCK], copies[3][BLOCK];
    char *data[4] = {at[0]};
    bool aside = count % WIDTH != 0;
    for (int i = 1; i <= operands; i++) {
        data[i] = at[i];
        if (at[i] == at[0]) aside = true;
    }
    if (aside) data[0] = (char *)found;
    if (quick(fill_up(operands, count, data, copies), data, scalars)) return false;
    if (aside) memcpy(at[0], found, (size_t)count * sizeof(float));
    return true;
}
// Blocks in doubt are computed by the loop for vectors of 256 bits. After two in turn, the next is
// not even tried, then the next 3, 7 and 15: little is lost where all are in doubt.
extern const KernelTables kernel_tables_v3;
static void run_quick(QuickLoop quick, OpIndex op, int operands, int64_t n, char *const *data,
                      const void *scalars)
{
    Loop exact = kernel_tables_v3.loops[op][COMPUTED_float32];
    char *at[4];
    int64_t count, untried = 0, wait = 0;
    for (int64_t done = 0; done < n; done += count) {
        count = min_of(n - done, BLOCK);
        for (int i = 0; i <= operands; i++) at[i] = data[i] + done * (int64_t)sizeof(float);
        bool tried = untried == 0;
        if (tried && try_block(quick, operands, count, at, scalars)) {
            wait = 0;
            continue;
        }
        exact(count, at, scalars);
        untried = tried ? wait : untried - 1;
        if (tried) wait = min_of(2 * wait + 1, MOST_WAITING);
    }
}
#define QUICK_LOOP_IF(condition, name, k, e)                                                       \
    FLATTEN static bool quick_##name(int64_t n, char *const *data, const void *scalars)            \
    {                                                                                              \
        m_Doubt found = M_NO_DOUBT, *doubt = &found;                                               \
        BODY(n & -WIDTH, float, float, k, e)                                                       \
        return m_is_doubtful(found);                                                               \
    }                                                                                              \
    static void name##_float32(int64_t n, char *const *data, const void *scalars)                  \
    {                                                                                              \
        UNUSED float s = *(const float *)scalars;                                                  \
        if (condition)                                                                             \
            run_quick(quick_##name, OP_##name, k, n, data, scalars);                               \
        else                                                                                       \
            kernel_tables_v3.loops[OP_##name][COMPUTED_float32](n, data, scalars);                 \
    }
#define QUICK_LOOP(name, k, e) QUICK_LOOP_IF(true, name, k, e)
#else
#define LOOP_WITH(declaration, name, T, R, operands, expression)                                   \
    LOOP_OVER(declaration, name, n, T, R, operands, expression)
#endif

#define LOOP(name, T, R, operands, expression) LOOP_WITH(, name, T, R, operands, expression)

// Two loops, and which of them serves: is an angle far (scalar_angles.h), or a number from another
// one (m_fmod() in scalar_math.h)?
#define NEAR_AND_FAR(name, T, operands, expression, is_far)                                        \
    LOOP_WITH(const bool far = false;, near_##name, T, T, operands, expression)                    \
    LOOP_WITH(const bool far = true;, far_##name, T, T, operands, expression)                      \
    static void name(int64_t n, char *const *data, const void *scalars)                            \
    {                                                                                              \
        int32_t far = 0;                                                                           \
        INPUTS_##operands(T) for (int64_t i = 0; i < n; i++)                                       \
        {                                                                                          \
            ELEMENTS_##operands(T) far |= is_far;                                                  \
        }                                                                                          \
        (far ? far_##name : near_##name)(n, data, scalars);                                        \
    }

// A power that is the same for all: loops for some, one for all that are no root or the like.
#define POWER_LOOPS(name, T, operands, expression)                                                 \
    LOOP(plain_##name, T, T, operands, m_pow(a, s))                                                \
    LOOP(root_##name, T, T, operands, m_sqrt(a))                                                   \
    LOOP(inverse_##name, T, T, operands, 1 / a)                                                    \
    LOOP(any_##name, T, T, operands, expression)                                                   \
    static void name(int64_t n, char *const *data, const void *scalars)                            \
    {                                                                                              \
        const T power = *(const T *)scalars;                                                       \
        Loop loop = m_is_plain_power(power) ? plain_##name : any_##name;                           \
        if (power == 0.5f) loop = root_##name;                                                     \
        if (power == -1) loop = inverse_##name;                                                    \
        loop(n, data, scalars);                                                                    \
    }

#define ANGLE_LOOPS(name, T, k, e) NEAR_AND_FAR(name, T, k, e, m_is_far(a))
#define LOOPS_REAL(name, k, e) LOOPS_FLOATING(name, k, e)
#if WIDE
#define LOOPS_FLOATING(name, k, e) LOOP(name##_float32, float, float, k, e)
#define LOOPS_ANGLE(name, k, e) ANGLE_LOOPS(name##_float32, float, k, e)
#define LOOPS_QUICK(name, k, e) QUICK_LOOP(name, k, e)
#define LOOPS_QUICK_REAL(name, k, e) QUICK_LOOP(name, k, e)
#define LOOPS_QUICK_NUMERIC(name, k, e) QUICK_LOOP(name, k, e)
// What depends on the power alone would be decided before the loop, which hinders vectors: so it is
// another one for a NaN, which is in doubt.
#define LOOPS_POWER(name, k, e)                                                                    \
    QUICK_LOOP_IF(m_is_plain_power(s), name, k, m_pow(a, m_choose(a == a, s, a)))
#define LOOPS_QUOTIENT(name, k, e)
#define LOOPS_INTEGER(name, k, e)
#define LOOPS_NUMERIC(name, k, e)
#define LOOPS_COUNTED(name, k, e)
#define LOOPS_COMMON(name, k, e)
#define LOOPS_INTEGRAL(name, k, e)
#define LOOPS_BOOLEAN(name, k, e)
#else
#define LOOPS_FLOATING(name, k, e)                                                                 \
    LOOP(name##_float32, float, float, k, e) LOOP(name##_float64, double, double, k, e)
#define LOOPS_INTEGER(name, k, e)                                                                  \
    LOOP(name##_int64, int64_t, int64_t, k, e) LOOP(name##_int32, int32_t, int32_t, k, e)
#define LOOPS_BOOL(name, k, e) LOOP(name##_bool, bool, bool, k, e)
#define LOOPS_ANGLE(name, k, e)                                                                    \
    ANGLE_LOOPS(name##_float32, float, k, e) ANGLE_LOOPS(name##_float64, double, k, e)
#define LOOPS_QUICK(name, k, e) LOOPS_FLOATING(name, k, e)
#define LOOPS_QUICK_REAL(name, k, e) LOOPS_FLOATING(name, k, e)
#define LOOPS_QUOTIENT(name, k, e)                                                                 \
    NEAR_AND_FAR(name##_float32, float, k, e, m_is_far_from(a, b))                                 \
    LOOP_WITH(const bool far = true;, name##_float64, double, double, k, e)                        \
    LOOP_WITH(const bool far = true;, name##_int64, int64_t, int64_t, k, e)                        \
    LOOP_WITH(const bool far = true;, name##_int32, int32_t, int32_t, k, e)
#define LOOPS_POWER(name, k, e)                                                                    \
    POWER_LOOPS(name##_float32, float, k, e)                                                       \
    POWER_LOOPS(name##_float64, double, k, e) LOOPS_INTEGER(name, k, e)
#define LOOPS_NUMERIC(name, k, e) LOOPS_FLOATING(name, k, e) LOOPS_INTEGER(name, k, e)
#define LOOPS_QUICK_NUMERIC(name, k, e) LOOPS_NUMERIC(name, k, e)
#define LOOPS_COUNTED(name, k, e) LOOPS_NUMERIC(name, k, e)
#define LOOPS_COMMON(name, k, e) LOOPS_NUMERIC(name, k, e) LOOPS_BOOL(name, k, e)
#define LOOPS_INTEGRAL(name, k, e) LOOPS_INTEGER(name, k, e) LOOPS_BOOL(name, k, e)
#define LOOPS_BOOLEAN(name, k, e)                                                                  \
    LOOP(name##_float32, float, bool, k, e)                                                        \
    LOOP(name##_float64, double, bool, k, e)                                                       \
    LOOP(name##_int64, int64_t, bool, k, e)                                                        \
    LOOP(name##_int32, int32_t, bool, k, e)                                                        \
    LOOPS_BOOL(name, k, e)
#endif

#define UNARY(name, schema, kinds, promotion, expression, ...)                                     \
    LOOPS_##promotion(name##_, 1, expression)
#define UNARY_WITH(name, overload, schema, kinds, promotion, expression, ...)                      \
    LOOPS_##promotion(name##_##overload, 1, expression)
#define BINARY(name, overload, schema, kinds, promotion, expression, ...)                          \
    LOOPS_##promotion(name##_##overload, 2, expression)
#define TERNARY(name, overload, schema, kinds, promotion, expression, ...)                         \
    LOOPS_##promotion(name##_##overload, 3, expression)
#define OP(...)
#define VIEW(...)
#define DATA(...)
#define COMPOSITE(...)
#define ALIAS(...)
#define NODE(...)
#include "vm/modules/torch/ops/ops.def"

// ---- the tables

#if WIDE
#define TABLE_FLOATING(name) name##_float32
#define TABLE_ANGLE(name) TABLE_FLOATING(name)
#define TABLE_QUICK(name) TABLE_FLOATING(name)
#define TABLE_QUICK_REAL(name) TABLE_FLOATING(name)
#define TABLE_REAL(name) TABLE_FLOATING(name)
#define TABLE_QUICK_NUMERIC(name) TABLE_FLOATING(name)
#define TABLE_POWER(name) TABLE_FLOATING(name)
#define TABLE_INTEGER(name) NULL
#define TABLE_NUMERIC(name) NULL
#define TABLE_COUNTED(name) NULL
#define TABLE_QUOTIENT(name) NULL
#define TABLE_COMMON(name) NULL
#define TABLE_INTEGRAL(name) NULL
#define TABLE_BOOLEAN(name) NULL
#define ROW(row, loop) [OP_##row] = loop,

extern const Loop KERNEL(wide_loops)[OP_COUNT];
const Loop KERNEL(wide_loops)[OP_COUNT] = {
#else
#define ENTRY(name, dtype) [COMPUTED_##dtype] = name##_##dtype
#define TABLE_FLOATING(name) ENTRY(name, float32), ENTRY(name, float64)
#define TABLE_ANGLE(name) TABLE_FLOATING(name)
#define TABLE_QUICK(name) TABLE_FLOATING(name)
#define TABLE_QUICK_REAL(name) TABLE_FLOATING(name)
#define TABLE_REAL(name) TABLE_FLOATING(name)
#define TABLE_INTEGER(name) ENTRY(name, int64), ENTRY(name, int32)
#define TABLE_NUMERIC(name) TABLE_FLOATING(name), TABLE_INTEGER(name)
#define TABLE_QUICK_NUMERIC(name) TABLE_NUMERIC(name)
#define TABLE_COUNTED(name) TABLE_NUMERIC(name)
#define TABLE_POWER(name) TABLE_NUMERIC(name)
#define TABLE_QUOTIENT(name) TABLE_NUMERIC(name)
#define TABLE_COMMON(name) TABLE_NUMERIC(name), ENTRY(name, bool)
#define TABLE_INTEGRAL(name) TABLE_INTEGER(name), ENTRY(name, bool)
#define TABLE_BOOLEAN(name) TABLE_COMMON(name)
#define ROW(row, ...) [OP_##row] = {__VA_ARGS__},

extern const KernelTables KERNEL(kernel_tables);
const KernelTables KERNEL(kernel_tables) = {
    .kernels =
        {
#define UNARY(...)
#define UNARY_WITH(...)
#define BINARY(...)
#define TERNARY(...)
#define OP(name, overload, schema, kinds, promotion, rule, kernel, ...)                            \
    [OP_##name##_##overload] = KERNEL(kernel),
#define VIEW(...)
#define DATA(name, overload, schema, kinds, kernel, ...) [OP_##name##_##overload] = KERNEL(kernel),
#define COMPOSITE(...)
#define ALIAS(...)
#define NODE(...)
#include "vm/modules/torch/ops/ops.def"
#if HAS_SHORTCUTS
#define SHORTCUT(row, kernel) [OP_##row] = KERNEL(kernel),
#include "vm/modules/torch/ops/shortcuts.def"
#endif
        },
    .loops =
        {
#endif
#define UNARY(name, schema, kinds, promotion, ...) ROW(name##_, TABLE_##promotion(name##_))
#define UNARY_WITH(name, overload, schema, kinds, promotion, ...)                                  \
    ROW(name##_##overload, TABLE_##promotion(name##_##overload))
#define BINARY(...) UNARY_WITH(__VA_ARGS__)
#define TERNARY(...) UNARY_WITH(__VA_ARGS__)
#define OP(...)
#define VIEW(...)
#define DATA(...)
#define COMPOSITE(...)
#define ALIAS(...)
#define NODE(...)
#include "vm/modules/torch/ops/ops.def"
#if !WIDE
},
#endif
}
;
