// Losses: a number for each pair of elements, and their sum or mean.
//
//     LOSS(name, expression)     a = input, b = target, w = weight (1 where it is None),
//                                p = pos_weight (likewise), s = beta or delta
//
// The elements are computed by the iteration, which broadcasts. A reduction adds them in blocks
// with 64 partial sums, and the blocks in double: the same bits on every machine.
#include "objects/error.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/partial_sums.h"
#include "vm/modules/torch/kernels/scalar_math.h"

// ---- the elements

#define LOSS_LOOP(name, real, expression)                                                          \
    static void name##_##real(int64_t n, char *const *data, const void *scalars)                   \
    {                                                                                              \
        real *restrict to = (real *)(void *)data[0];                                               \
        const real *restrict from = (const real *)(const void *)data[1];                           \
        const real *restrict target = (const real *)(const void *)data[2];                         \
        const real *restrict weights = (const real *)(const void *)data[3];                        \
        const real *restrict positive = (const real *)(const void *)data[4];                       \
        const real s = (real) * (const double *)scalars;                                           \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const real a = from[i], b = target[i], w = weights[i], p = positive[i];                \
            (void)w, (void)p, (void)s;                                                             \
            to[i] = expression;                                                                    \
        }                                                                                          \
    }
#define LOSS(name, expression)                                                                     \
    LOSS_LOOP(name, float, expression) LOSS_LOOP(name, double, expression)

#define AT_LEAST(x, y) ((x) < (y) ? (y) : (x))

LOSS(mse, (a - b) * (a - b))
LOSS(smooth_l1, m_abs(a - b) < s ? m_abs(a - b) * m_abs(a - b) / (2 * s) : m_abs(a - b) - s / 2)
LOSS(huber, m_abs(a - b) <= s ? (a - b) * (a - b) / 2 : s * (m_abs(a - b) - s / 2))
LOSS(soft_margin, m_log1p(m_exp(-b *a)))
LOSS(bce, w *((b - 1) * AT_LEAST(m_log1p(-a), -100) - b * AT_LEAST(m_log(a), -100)))

// -log(sigmoid(a)) is log(1 + exp(-|a|)) + max(-a, 0): by the loop of that row, which is quicker.
#define LOGITS_BLOCK 512
#define LOGITS_LOOP(real, computed)                                                                \
    static void bce_logits_part_##real(int64_t n, char *const *data)                               \
    {                                                                                              \
        static const real unused[3];                                                               \
        real logs[LOGITS_BLOCK], *restrict to = (real *)(void *)data[0];                           \
        const real *restrict from = (const real *)(const void *)data[1];                           \
        const real *restrict target = (const real *)(const void *)data[2];                         \
        const real *restrict weights = (const real *)(const void *)data[3];                        \
        const real *restrict positive = (const real *)(const void *)data[4];                       \
        kernel_loop(OP_log_sigmoid_, computed)(n, (char *[]){(char *)logs, data[1]}, unused);      \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const real a = from[i], b = target[i], w = weights[i], p = positive[i];                \
            to[i] = w * ((1 - b) * a - ((p - 1) * b + 1) * logs[i]);                               \
        }                                                                                          \
    }                                                                                              \
    static void bce_logits_##real(int64_t n, char *const *data, const void *scalars)               \
    {                                                                                              \
        char *at[5];                                                                               \
        (void)scalars;                                                                             \
        for (int64_t done = 0; done < n; done += LOGITS_BLOCK) {                                   \
            for (int i = 0; i < 5; i++) at[i] = data[i] + done * (int64_t)sizeof(real);            \
            bce_logits_part_##real(n - done < LOGITS_BLOCK ? n - done : LOGITS_BLOCK, at);         \
        }                                                                                          \
    }
LOGITS_LOOP(float, COMPUTED_float32)
LOGITS_LOOP(double, COMPUTED_float64)

// ---- a call

typedef struct LossSlots {
    int weight, positive, reduction, number; // parameters; 0 = there is none
} LossSlots;

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };

static double sum_of(const Tensor *tensor)
{
    const int64_t block = 1024, all = tensor->numel;
    double sum = 0;
    for (int64_t i = 0; i < all; i += block) {
        int64_t n = all - i < block ? all - i : block;
        sum += tensor_dtype(tensor) == DTYPE_float32
                   ? (double)float32_row_sum((float *)(void *)tensor_data(tensor) + i, n)
                   : float64_row_sum((double *)(void *)tensor_data(tensor) + i, n);
    }
    return sum;
}

// Stores a number as the only element of a tensor.
static bool store_number(Tensor *tensor, double number)
{
    Value scalar = tensor_new_scalar(DTYPE_float64, &number);
    bool done = scalar && iterate_copy(tensor, as_tensor(scalar));
    drop(scalar);
    return done;
}

// The shape of the elements: all operands broadcast. Owned, NULL with an exception pending.
static Tensor *elements_new(const OpCall *call, const LossSlots *slots, Dtype dtype)
{
    Shape shape;
    const Tensor *first = call_tensor(call, 0), *target = call_tensor(call, 1);
    shape_init(&shape, 0);
    shape_from_sizes(&shape, first->ndim, tensor_sizes(first));
    bool done = shape_broadcast(&shape, target->ndim, tensor_sizes(target));
    for (int i = 0; done && i < 2; i++) {
        int slot = i == 0 ? slots->weight : slots->positive;
        const Tensor *tensor = slot ? call_optional(call, slot) : NULL;
        if (tensor) done = shape_broadcast(&shape, tensor->ndim, tensor_sizes(tensor));
    }
    Value elements = done ? tensor_new(dtype, shape.ndim, shape.size) : VALUE_ERROR;
    shape_drop(&shape);
    return as_tensor(elements);
}

static void add_optional(const OpCall *call, Iteration *iteration, int slot, Dtype dtype)
{
    static const float one = 1;
    Tensor *tensor = slot ? call_optional(call, slot) : NULL;
    if (tensor)
        iteration_add(iteration, tensor, dtype);
    else
        iteration_add_element(iteration, DTYPE_float32, &one, dtype);
}

static void fill_elements(const OpCall *call, const LossSlots *slots, Tensor *elements, Loop loop,
                          double number)
{
    Iteration iteration;
    Dtype dtype = tensor_dtype(elements);
    iteration_begin(&iteration, elements->ndim, tensor_sizes(elements), 1);
    iteration_add(&iteration, elements, dtype);
    iteration_add(&iteration, call_tensor(call, 0), dtype);
    iteration_add(&iteration, call_tensor(call, 1), dtype);
    add_optional(call, &iteration, slots->weight, dtype);
    add_optional(call, &iteration, slots->positive, dtype);
    iteration_run(&iteration, loop, &number);
}

static bool loss(OpCall *call, const LossSlots *slots, Loop floats, Loop doubles)
{
    Tensor *result = call->results[0].tensor;
    Dtype dtype = dtype_computed(tensor_dtype(result));
    int64_t reduction;
    double number = 0;
    if (!call_int(call, slots->reduction, &reduction) ||
        (slots->number && !call_double(call, slots->number, &number)))
        return false;
    Tensor *elements = elements_new(call, slots, dtype);
    if (!elements) return false;
    fill_elements(call, slots, elements, dtype == DTYPE_float32 ? floats : doubles, number);
    bool done;
    if (reduction == REDUCE_NONE)
        done = iterate_copy(result, elements);
    else
        done = store_number(result, sum_of(elements) /
                                        (reduction == REDUCE_MEAN ? (double)elements->numel : 1));
    drop(own(elements));
    return done;
}

// (self, target, reduction)
bool KERNEL(kernel_mse_loss)(OpCall *call)
{
    return loss(call, &(LossSlots){.reduction = 2}, mse_float, mse_double);
}

bool KERNEL(kernel_soft_margin_loss)(OpCall *call)
{
    return loss(call, &(LossSlots){.reduction = 2}, soft_margin_float, soft_margin_double);
}

// (self, target, reduction, beta)
bool KERNEL(kernel_smooth_l1_loss)(OpCall *call)
{
    return loss(call, &(LossSlots){.reduction = 2, .number = 3}, smooth_l1_float, smooth_l1_double);
}

// (self, target, reduction, delta)
bool KERNEL(kernel_huber_loss)(OpCall *call)
{
    return loss(call, &(LossSlots){.reduction = 2, .number = 3}, huber_float, huber_double);
}

static bool are_probabilities(Tensor *tensor)
{
    Rows rows;
    if (!rows_read(&rows, tensor, ROWS_AS_IS, DTYPE_float64)) return false;
    const double *number = rows.data;
    bool sound = true;
    for (int64_t i = 0; i < tensor->numel; i++) sound &= number[i] >= 0 && number[i] <= 1;
    rows_drop(&rows);
    return sound || raise_error(RuntimeError, "all elements of input should be between 0 and 1");
}

// (self, target, weight, reduction)
bool KERNEL(kernel_binary_cross_entropy)(OpCall *call)
{
    return are_probabilities(call_tensor(call, 0)) &&
           loss(call, &(LossSlots){.weight = 2, .reduction = 3}, bce_float, bce_double);
}

// (self, target, weight, pos_weight, reduction)
bool KERNEL(kernel_binary_cross_entropy_with_logits)(OpCall *call)
{
    return loss(call, &(LossSlots){.weight = 2, .positive = 3, .reduction = 4}, bce_logits_float,
                bce_logits_double);
}
