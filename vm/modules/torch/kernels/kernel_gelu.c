// gelu and its gradient: by the error function, or by the approximation with tanh.
//
//     gelu(x) = x * P(x),   P(x) = (1 + erf(x / sqrt 2)) / 2
//     or      x * (1 + tanh(k (x + 0.044715 x^3))) / 2,   k = sqrt(2 / pi)
//
// It is no pointwise row because the parameter `approximate`, a str, chooses the expression. The
// loops of gelu itself are those of such rows.
#include "objects/text/str.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"
#include "vm/modules/torch/kernels/scalar_special.h"

#define K (real)0.79788456080286535588 // sqrt(2 / pi)
#define C (real)0.044715
#define HALF_ROOT (real)0.70710678118654752440 // sqrt(1 / 2)
#define DENSITY (real)0.39894228040143267794   // 1 / sqrt(2 pi)
#define INNER(x) (K * ((x) + C * (x) * (x) * (x)))

#define BACKWARD(name, expression)                                                                 \
    static void name(int64_t n, char *const *data, const void *scalars)                            \
    {                                                                                              \
        real *restrict to = (real *)(void *)data[0];                                               \
        const real *restrict grad = (const real *)(const void *)data[1];                           \
        const real *restrict from = (const real *)(const void *)data[2];                           \
        (void)scalars;                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const real x = from[i];                                                                \
            to[i] = grad[i] * (expression);                                                        \
        }                                                                                          \
    }

#define TANH_SLOPE(t) ((1 + (t)) / 2 + x * (1 - (t) * (t)) / 2 * K * (1 + 3 * C * x * x))

#define real float
BACKWARD(exact_backward_float, (1 + m_erf(x * HALF_ROOT)) / 2 + x * m_exp(-x * x / 2) * DENSITY)
BACKWARD(tanh_backward_float, TANH_SLOPE(m_tanh(INNER(x))))
#undef real
#define real double
BACKWARD(exact_backward_double, (1 + m_erf(x * HALF_ROOT)) / 2 + x * m_exp(-x * x / 2) * DENSITY)
BACKWARD(tanh_backward_double, TANH_SLOPE(m_tanh(INNER(x))))
#undef real

// The rule has checked that it is one of "none" and "tanh".
static bool is_tanh(const OpCall *call, int slot)
{
    return str_equal_ascii(call->slots[slot], "tanh");
}

static bool run(OpCall *call, int inputs, Dtype dtype, Loop loop)
{
    static const double unused[3]; // a row's loop reads the numbers that it does not need, too
    Tensor *result = call->results[0].tensor;
    Iteration iteration;
    iteration_begin(&iteration, result->ndim, tensor_sizes(result), 1);
    iteration_add(&iteration, result, dtype);
    for (int i = 0; i < inputs; i++) iteration_add(&iteration, call_tensor(call, i), dtype);
    iteration_run(&iteration, loop, unused);
    return true;
}

bool KERNEL(kernel_gelu)(OpCall *call)
{
    // oneDNN computes what is exact, but for float16 and float64: it makes a NaN of an infinity.
    Dtype dtype = tensor_dtype(call_tensor(call, 0)), computed = dtype_computed(dtype);
    bool finite = computed == DTYPE_float32 && dtype != DTYPE_float16;
    int row = is_tanh(call, 1) ? OP__gelu_tanh_ : finite ? OP__gelu_finite_ : OP__gelu_erf_;
    bool single = computed == DTYPE_float32;
    return run(call, 1, computed, kernel_loop(row, single ? COMPUTED_float32 : COMPUTED_float64));
}

bool KERNEL(kernel_gelu_backward)(OpCall *call)
{
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    bool single = computed == DTYPE_float32;
    Loop loop = is_tanh(call, 2) ? single ? tanh_backward_float : tanh_backward_double
                : single         ? exact_backward_float
                                 : exact_backward_double;
    return run(call, 2, computed, loop);
}
