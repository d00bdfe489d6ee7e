// Kernels of running totals along a dimension: cumsum, cumprod, logcumsumexp, cummax, cummin.
//
// The input is [rows, n, width]; a total runs over n, from row to row of width elements.
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/reduction.h"
#include "vm/modules/torch/kernels/scalar_math.h"
#include "vm/modules/torch/kernels/scalar_special.h"

#define SCAN(name, type, expression)                                                               \
    static void name(const Reduction *scan)                                                        \
    {                                                                                              \
        const type *x = scan->data;                                                                \
        type *out = scan->out;                                                                     \
        int64_t n = scan->n, width = scan->width;                                                  \
        for (int64_t row = 0; row < scan->rows; row++, x += n * width, out += n * width) {         \
            memcpy(out, x, (size_t)width * sizeof(type));                                          \
            for (int64_t i = width; i < n * width; i++) {                                          \
                type a = out[i - width], b = x[i];                                                 \
                out[i] = (type)(expression);                                                       \
            }                                                                                      \
        }                                                                                          \
    }
SCAN(sums_float32, float, a + b)
SCAN(sums_float64, double, a + b)
SCAN(sums_int64, uint64_t, a + b)
SCAN(sums_int32, uint32_t, a + b)
SCAN(sums_bool, uint8_t, a | b)
SCAN(products_float32, float, a *b)
SCAN(products_float64, double, a *b)
SCAN(products_int64, uint64_t, a *b)
SCAN(products_int32, uint32_t, a *b)
SCAN(products_bool, uint8_t, a &b)
SCAN(log_sums_float32, float, m_logaddexp(a, b))
SCAN(log_sums_float64, double, m_logaddexp(a, b))

typedef void (*Scan)(const Reduction *scan);

static Scan scan_for(Dtype computed, const Scan *scans)
{
    switch (computed) {
    case DTYPE_float32: return scans[0];
    case DTYPE_float64: return scans[1];
    case DTYPE_int64: return scans[2];
    case DTYPE_int32: return scans[3];
    default: return scans[4];
    }
}

// Opens a scan along the dimension that is the second parameter. The memory keeps its order.
static bool scan_open(Reduction *scan, OpCall *call, Dtype computed)
{
    Tensor *self = call_tensor(call, 0);
    int64_t dim;
    if (!call_dim(call, 1, self->ndim, &dim)) return false;
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
    Dtype computed = dtype_computed(tensor_dtype(call->results[0].tensor));
    if (!scan_open(&scan, call, computed)) return false;
    if (call->results[0].tensor->numel) scan_for(computed, scans)(&scan);
    return reduction_close(&scan, call, 0);
}

bool KERNEL(kernel_cumsum)(OpCall *call)
{
    static const Scan scans[] = {sums_float32, sums_float64, sums_int64, sums_int32, sums_bool};
    return run_scan(call, scans);
}

bool KERNEL(kernel_cumprod)(OpCall *call)
{
    static const Scan scans[] = {products_float32, products_float64, products_int64, products_int32,
                                 products_bool};
    return run_scan(call, scans);
}

bool KERNEL(kernel_logcumsumexp)(OpCall *call)
{
    static const Scan scans[] = {log_sums_float32, log_sums_float64, NULL, NULL, NULL};
    return run_scan(call, scans);
}

// ---- cummax, cummin: of equal elements the last one counts, and a NaN stays

#define SCAN_INDEX(name, type)                                                                     \
    static void name(const Reduction *scan, bool largest, int64_t *indices)                        \
    {                                                                                              \
        const type *x = scan->data;                                                                \
        type *out = scan->out;                                                                     \
        int64_t n = scan->n, width = scan->width;                                                  \
        for (int64_t row = 0; row < scan->rows; row++)                                             \
            for (int64_t k = 0; k < n; k++)                                                        \
                for (int64_t c = 0; c < width; c++) {                                              \
                    int64_t i = (row * n + k) * width + c;                                         \
                    type b = x[i], a = k ? out[i - width] : b;                                     \
                    bool wins = largest ? b >= a : b <= a;                                         \
                    wins = k == 0 || b != b || (a == a && wins);                                   \
                    out[i] = wins ? b : a;                                                         \
                    indices[i] = wins ? k : indices[i - width];                                    \
                }                                                                                  \
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
