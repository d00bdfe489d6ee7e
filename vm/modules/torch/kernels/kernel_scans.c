// Kernels of running totals along a dimension: cumsum, cumprod, logcumsumexp, cummax, cummin.
//
// The input is [rows, n, width]; a total runs over n, from row to row of width elements.
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/reduction.h"
#include "vm/modules/torch/kernels/scalar_math.h"
#include "vm/modules/torch/kernels/scalar_special.h"

#define SCAN_COLUMNS 64 // at once: their totals stay in registers and the L1 cache

// The total of a column is kept in its own type: float32 adds up in double, as PyTorch does (its
// acc_type; float16 and bfloat16 are computed in float). Only what is stored is rounded.
#define SCAN(name, type, total, start, expression)                                                 \
    static inline void name##_columns(const type *x, type *out, int64_t n, int64_t width,          \
                                      int count)                                                   \
    {                                                                                              \
        total totals[SCAN_COLUMNS];                                                                \
        for (int c = 0; c < count; c++) totals[c] = start;                                         \
        for (int64_t i = 0; i < n; i++, x += width, out += width)                                  \
            for (int c = 0; c < count; c++) {                                                      \
                total a = totals[c], b = x[c];                                                     \
                totals[c] = (total)(expression);                                                   \
                out[c] = (type)totals[c];                                                          \
            }                                                                                      \
    }                                                                                              \
    static void name(const Reduction *scan)                                                        \
    {                                                                                              \
        int64_t width = scan->width, size = scan->n * width;                                       \
        for (int64_t row = 0; width == 1 && row < scan->rows; row++)                               \
            name##_columns((const type *)scan->data + row * size, (type *)scan->out + row * size,  \
                           size, 1, 1);                                                            \
        for (int64_t row = 0; width > 1 && row < scan->rows; row++)                                \
            for (int64_t c = 0; c < width; c += SCAN_COLUMNS) {                                    \
                int64_t count = width - c < SCAN_COLUMNS ? width - c : SCAN_COLUMNS;               \
                name##_columns((const type *)scan->data + row * size + c,                          \
                               (type *)scan->out + row * size + c, scan->n, width, (int)count);    \
            }                                                                                      \
    }
SCAN(sums_half, float, float, 0, a + b)
SCAN(sums_float32, float, double, 0, a + b)
SCAN(sums_float64, double, double, 0, a + b)
SCAN(sums_int64, uint64_t, uint64_t, 0, a + b)
SCAN(sums_int32, uint32_t, uint32_t, 0, a + b)
SCAN(sums_bool, uint8_t, uint8_t, 0, a | b)
SCAN(products_half, float, float, 1, a *b)
SCAN(products_float32, float, double, 1, a *b)
SCAN(products_float64, double, double, 1, a *b)
SCAN(products_int64, uint64_t, uint64_t, 1, a *b)
SCAN(products_int32, uint32_t, uint32_t, 1, a *b)
SCAN(products_bool, uint8_t, uint8_t, 1, a &b)
SCAN(log_sums_half, float, float, -(float)INFINITY, m_logaddexp(a, b))
SCAN(log_sums_float32, float, double, -(double)INFINITY, m_logaddexp(a, b))
SCAN(log_sums_float64, double, double, -(double)INFINITY, m_logaddexp(a, b))

typedef void (*Scan)(const Reduction *scan);

// `scans`: half, float32, float64, int64, int32, bool.
static Scan scan_for(Dtype dtype, const Scan *scans)
{
    switch (dtype_computed(dtype)) {
    case DTYPE_float32: return scans[dtype == DTYPE_float32];
    case DTYPE_float64: return scans[2];
    case DTYPE_int64: return scans[3];
    case DTYPE_int32: return scans[4];
    default: return scans[5];
    }
}

// Opens a scan along the dimension that is the second parameter. The memory keeps its order.
static bool scan_open(Reduction *scan, OpCall *call, Dtype computed)
{
    Tensor *self = call_tensor(call, 0);
    int64_t dim = 0;
    bool rows = self->ndim && self->numel; // else the dimension may be any number
    if (rows && !call_dim(call, 1, self->ndim, &dim)) return false;
    scan->computed = computed;
    scan->input = tensor_dense(self, computed);
    if (!scan->input) return false;
    scan->data = tensor_elements(scan->input);
    scan->rows = scan->n = scan->width = 1;
    for (int i = 0; i < self->ndim; i++)
        *(i < dim ? &scan->rows : i > dim ? &scan->width : &scan->n) *= tensor_size(self, i);
    if (reduction_place(scan, call, 0, computed)) return true;
    drop(scan->input);
    return false;
}

static bool run_scan(OpCall *call, const Scan *scans)
{
    Reduction scan;
    Dtype dtype = tensor_dtype(call->results[0].tensor);
    if (!scan_open(&scan, call, dtype_computed(dtype))) return false;
    scan_for(dtype, scans)(&scan);
    return reduction_close(&scan, call, 0);
}

bool KERNEL(kernel_cumsum)(OpCall *call)
{
    static const Scan scans[] = {sums_half,  sums_float32, sums_float64,
                                 sums_int64, sums_int32,   sums_bool};
    return run_scan(call, scans);
}

bool KERNEL(kernel_cumprod)(OpCall *call)
{
    static const Scan scans[] = {products_half,  products_float32, products_float64,
                                 products_int64, products_int32,   products_bool};
    return run_scan(call, scans);
}

bool KERNEL(kernel_logcumsumexp)(OpCall *call)
{
    static const Scan scans[] = {log_sums_half, log_sums_float32, log_sums_float64, NULL, NULL,
                                 NULL};
    return run_scan(call, scans);
}

// ---- cummax, cummin: of equal elements the last one counts, and a NaN stays

// In one row the running extreme stays in a register; rows of several columns are gone through
// side by side.
#define SCAN_INDEX(name, type)                                                                     \
    static inline bool name##_wins(type a, type b, bool largest)                                   \
    {                                                                                              \
        return b != b || (a == a && (largest ? b >= a : b <= a));                                  \
    }                                                                                              \
    static void name##_row(const type *x, int64_t n, bool largest, type *out, int64_t *indices)    \
    {                                                                                              \
        type best = n ? x[0] : 0;                                                                  \
        for (int64_t k = 0, at = 0; k < n; k++) {                                                  \
            if (name##_wins(best, x[k], largest)) best = x[k], at = k; /* seldom */                \
            out[k] = best;                                                                         \
            indices[k] = at;                                                                       \
        }                                                                                          \
    }                                                                                              \
    static void name##_columns(const type *x, int64_t n, int64_t width, bool largest, type *out,   \
                               int64_t *indices)                                                   \
    {                                                                                              \
        memcpy(out, x, (size_t)width * sizeof *x);                                                 \
        memset(indices, 0, (size_t)width * sizeof *indices);                                       \
        for (int64_t k = 1; k < n; k++) {                                                          \
            x += width, out += width, indices += width;                                            \
            for (int64_t c = 0; c < width; c++) {                                                  \
                bool wins = name##_wins(out[c - width], x[c], largest);                            \
                out[c] = wins ? x[c] : out[c - width];                                             \
                indices[c] = wins ? k : indices[c - width];                                        \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name(const Reduction *scan, bool largest, int64_t *indices)                        \
    {                                                                                              \
        int64_t n = scan->n, width = scan->width, size = n * width;                                \
        for (int64_t at = 0; at < scan->rows * size; at += size)                                   \
            if (width == 1)                                                                        \
                name##_row((const type *)scan->data + at, n, largest, (type *)scan->out + at,      \
                           indices + at);                                                          \
            else                                                                                   \
                name##_columns((const type *)scan->data + at, n, width, largest,                   \
                               (type *)scan->out + at, indices + at);                              \
    }
SCAN_INDEX(extremes_float32, float)
SCAN_INDEX(extremes_float64, double)
SCAN_INDEX(extremes_int64, int64_t)
SCAN_INDEX(extremes_int32, int32_t)
SCAN_INDEX(extremes_bool, uint8_t)

static bool scan_extremes(OpCall *call, bool largest)
{
    Reduction scan;
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    int64_t *indices = (void *)tensor_data(call->results[1].tensor);
    if (!scan_open(&scan, call, computed)) return false;
    switch (computed) {
    case DTYPE_float32: extremes_float32(&scan, largest, indices); break;
    case DTYPE_float64: extremes_float64(&scan, largest, indices); break;
    case DTYPE_int64: extremes_int64(&scan, largest, indices); break;
    case DTYPE_int32: extremes_int32(&scan, largest, indices); break;
    default: extremes_bool(&scan, largest, indices); break;
    }
    return reduction_close(&scan, call, 0);
}

bool KERNEL(kernel_cummax)(OpCall *call)
{
    return scan_extremes(call, true);
}

bool KERNEL(kernel_cummin)(OpCall *call)
{
    return scan_extremes(call, false);
}
