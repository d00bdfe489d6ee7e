// Kernels of the largest and the smallest: max, min, amax, amin, aminmax, argmax, argmin.
//
// A NaN is larger, and smaller, than all else. Of equal elements the first one counts. In a row the
// value is found first, by SIMD lanes, then its index; columns are gone through side by side.
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/sums.h"
#include "vm/modules/torch/rules/rule_build.h"

// A partial result starts as the first term of its row: there is no number below all others.
#define FIRST x[0]
#define LARGER(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define SMALLER(a, b) ((b) < (a) || (b) != (b) ? (b) : (a))

// NAME_extreme: that of a row, in one pass without a look at NaNs, which show in the sum of all. If
// there is one, or infinite numbers of both signs, or the extreme is one of the two zeros, the row
// is folded again. The last FOLD_LANES numbers may be looked at twice.
#define QUICK_ROWS(name, type, better)                                                             \
    static type name##_quick(const type *x, int64_t n, bool *nan)                                  \
    {                                                                                              \
        type acc[FOLD_LANES], sums[8] = {0};                                                       \
        for (int j = 0; j < FOLD_LANES; j++) acc[j] = x[0];                                        \
        for (int64_t next = 0, i; next < n; next += FOLD_LANES) {                                  \
            i = next + FOLD_LANES <= n ? next : n - FOLD_LANES;                                    \
            for (int j = 0; j < FOLD_LANES; j++)                                                   \
                acc[j] = x[i + j] better acc[j] ? x[i + j] : acc[j];                               \
            for (int j = 0; j < 8; j++)                                                            \
                sums[j] += ((x[i + j] + x[i + j + 8]) + (x[i + j + 16] + x[i + j + 24])) +         \
                           ((x[i + j + 32] + x[i + j + 40]) + (x[i + j + 48] + x[i + j + 56]));    \
        }                                                                                          \
        FOLD_WHOLE_TREE(name)                                                                      \
        for (int j = 0; j < 8; j++) *nan |= sums[j] != sums[j];                                    \
        return acc[0];                                                                             \
    }                                                                                              \
    static type name##_extreme(const type *x, int64_t n)                                           \
    {                                                                                              \
        bool nan = false;                                                                          \
        type best = n < FOLD_LANES ? 0 : name##_quick(x, n, &nan);                                 \
        return nan || best == 0 ? name##_row(x, n, 0) : best;                                      \
    }

// There is no NaN, and one zero, among integers.
#define PLAIN_ROWS(name, type, better)                                                             \
    static type name##_extreme(const type *x, int64_t n)                                           \
    {                                                                                              \
        return name##_row(x, n, 0);                                                                \
    }

#define EXTREMES_COLUMNS 64 // at once: their extremes stay in the L1 cache

#define EXTREMES(name, type, ROWS)                                                                 \
    FOLD_ROWS(largest_##name, type, FIRST, LARGER(a, b), LARGER(a, b))                             \
    FOLD_ROWS(smallest_##name, type, FIRST, SMALLER(a, b), SMALLER(a, b))                          \
    ROWS(largest_##name, type, >)                                                                  \
    ROWS(smallest_##name, type, <)                                                                 \
    static int64_t find_##name(const type *x, int64_t n, type value)                               \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            if (x[i] == value || x[i] != x[i]) return i;                                           \
        return 0;                                                                                  \
    }                                                                                              \
    static void columns_##name(const type *x, int64_t n, int64_t width, int count, bool largest,   \
                               type *out, int64_t *indices)                                        \
    {                                                                                              \
        type best[EXTREMES_COLUMNS];                                                               \
        int64_t at[EXTREMES_COLUMNS] = {0};                                                        \
        memcpy(best, x, (size_t)count * sizeof *x);                                                \
        for (int64_t i = 1; i < n; i++)                                                            \
            for (int c = 0; c < count; c++) {                                                      \
                type a = best[c], b = x[i * width + c];                                            \
                bool wins = ((b > a) & largest) | ((b < a) & !largest) | ((b != b) & (a == a));    \
                best[c] = wins ? b : a;                                                            \
                if (indices) at[c] = wins ? i : at[c];                                             \
            }                                                                                      \
        if (out) memcpy(out, best, (size_t)count * sizeof *x);                                     \
        if (indices) memcpy(indices, at, (size_t)count * sizeof *at);                              \
    }                                                                                              \
    static void extremes_##name(const Reduction *reduction, bool largest, int64_t *indices)        \
    {                                                                                              \
        const type *x = reduction->data;                                                           \
        type *out = reduction->out;                                                                \
        int64_t n = reduction->n, width = reduction->width, all = reduction->rows * width;         \
        for (int64_t done = 0, count; width > 1 && done < all; done += count) {                    \
            int64_t column = done % width;                                                         \
            count = width - column < EXTREMES_COLUMNS ? width - column : EXTREMES_COLUMNS;         \
            columns_##name(x + (done - column) * n + column, n, width, (int)count, largest,        \
                           out ? out + done : NULL, indices ? indices + done : NULL);              \
        }                                                                                          \
        if (width != 1) return;                                                                    \
        for (int64_t row = 0; row < reduction->rows; row++, x += n) {                              \
            type value =                                                                           \
                largest ? largest_##name##_extreme(x, n) : smallest_##name##_extreme(x, n);        \
            if (out) out[row] = value;                                                             \
            if (indices) indices[row] = find_##name(x, n, value);                                  \
        }                                                                                          \
    }
EXTREMES(float32, float, QUICK_ROWS)
EXTREMES(float64, double, QUICK_ROWS)
EXTREMES(int64, int64_t, PLAIN_ROWS)
EXTREMES(int32, int32_t, PLAIN_ROWS)
EXTREMES(bool, uint8_t, PLAIN_ROWS)

// The extremes of all rows; `indices` may be NULL, reduction->out too.
static void find_extremes(const Reduction *reduction, bool largest, int64_t *indices)
{
    if (reduction->n == 0) return;
    switch (reduction->computed) {
    case DTYPE_float32: extremes_float32(reduction, largest, indices); return;
    case DTYPE_float64: extremes_float64(reduction, largest, indices); return;
    case DTYPE_int64: extremes_int64(reduction, largest, indices); return;
    case DTYPE_int32: extremes_int32(reduction, largest, indices); return;
    default: extremes_bool(reduction, largest, indices); return;
    }
}

static Dtype computed_of(const OpCall *call)
{
    return dtype_computed(tensor_dtype(call_tensor(call, 0)));
}

// ---- values

static bool extreme(OpCall *call, bool largest)
{
    Reduction reduction;
    uint64_t dims;
    if (!reduce_dims(call, &dims) ||
        !reduction_open(&reduction, call, dims, computed_of(call), true))
        return false;
    find_extremes(&reduction, largest, NULL);
    return reduction_close(&reduction, call, 0);
}

bool KERNEL(kernel_amax)(OpCall *call)
{
    return extreme(call, true);
}

bool KERNEL(kernel_amin)(OpCall *call)
{
    return extreme(call, false);
}

bool KERNEL(kernel_aminmax)(OpCall *call)
{
    Reduction smallest, largest;
    uint64_t dims;
    if (!reduce_dims(call, &dims) ||
        !reduction_open(&smallest, call, dims, computed_of(call), true))
        return false;
    largest = smallest;
    largest.input = VALUE_ERROR;
    bool done = reduction_place(&largest, call, 1, smallest.computed);
    if (done) {
        find_extremes(&smallest, false, NULL);
        find_extremes(&largest, true, NULL);
        done = reduction_close(&largest, call, 1);
    }
    return reduction_close(&smallest, call, 0) && done;
}

// ---- indices

static bool extreme_index(OpCall *call, bool largest)
{
    Reduction reduction;
    uint64_t dims;
    if (!reduce_dims(call, &dims) ||
        !reduction_open(&reduction, call, dims, computed_of(call), true))
        return false;
    find_extremes(&reduction, largest, (void *)tensor_data(call->results[1].tensor));
    return reduction_close(&reduction, call, 0);
}

bool KERNEL(kernel_max_dim)(OpCall *call)
{
    return extreme_index(call, true);
}

bool KERNEL(kernel_min_dim)(OpCall *call)
{
    return extreme_index(call, false);
}

static bool argument(OpCall *call, bool largest)
{
    Reduction reduction;
    uint64_t dims;
    Tensor *result = call->results[0].tensor;
    if (result->numel == call_tensor(call, 0)->numel) {
        memset(tensor_data(result), 0, (size_t)result->numel * dtype_size(DTYPE_int64));
        return true;
    }
    if (!reduce_dims(call, &dims) ||
        !reduction_read(&reduction, call_tensor(call, 0), dims, computed_of(call), true))
        return false;
    reduction.out = NULL;
    find_extremes(&reduction, largest, (void *)tensor_data(result));
    drop(reduction.input);
    return true;
}

bool KERNEL(kernel_argmax)(OpCall *call)
{
    return argument(call, true);
}

bool KERNEL(kernel_argmin)(OpCall *call)
{
    return argument(call, false);
}
