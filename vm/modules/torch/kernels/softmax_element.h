// The rows of softmax and log_softmax for one type of elements: kernel_softmax.c includes this text
// once for each dtype, with REAL and NAME(x) defined.
//
//     softmax(x)[i] = exp(x[i] - m) / sum,   log_softmax(x)[i] = x[i] - m - log(sum)
//
// where m is the largest x and sum is the sum of all exp(x[j] - m), so that nothing overflows. A
// NaN is not larger than anything: it takes no part in m, and makes the sum NaN. `last`: the row is
// along the last dimension of the tensor. PyTorch has another loop for that: its sums and quotients
// differ in the last bits. (ATen/native/cpu/SoftMaxKernel.cpp)

static REAL NAME(row_max)(const REAL *row, int64_t n)
{
    REAL parts[PARTS];
    int64_t i = 0;
    for (int j = 0; j < PARTS; j++) parts[j] = -(REAL)INFINITY;
    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++) parts[j] = row[i + j] > parts[j] ? row[i + j] : parts[j];
    for (int j = 0; i + j < n; j++) parts[j] = row[i + j] > parts[j] ? row[i + j] : parts[j];
    LARGER_HALF(32)
    LARGER_HALF(16)
    LARGER_HALF(8)
    LARGER_HALF(4)
    LARGER_HALF(2)
    LARGER_HALF(1)
    return parts[0];
}

// The sum in so many lanes, from the left: PyTorch adds up a last dimension in a vector of 32
// bytes, any other one term after another.
static inline REAL NAME(sum_in_lanes)(const REAL *row, int64_t n, int lanes)
{
    REAL parts[32 / sizeof(REAL)] = {0};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes)
        for (int j = 0; j < lanes; j++) parts[j] += row[i + j];
    for (int j = 0; i + j < n; j++) parts[j] += row[i + j];
    for (int j = 1; j < lanes; j++) parts[0] += parts[j];
    return parts[0];
}

static REAL NAME(sum)(const REAL *row, int64_t n, bool last)
{
    return last ? NAME(sum_in_lanes)(row, n, 32 / sizeof(REAL)) : NAME(sum_in_lanes)(row, n, 1);
}

// to[i] = exp(from[i] - max), and returns the sum.
M_CALLED REAL NAME(row_exp)(const REAL *from, int64_t n, REAL max, bool last, REAL *restrict to)
{
    for (int64_t i = 0; i < n; i++) to[i] = m_exp_negative(from[i] - max);
    return NAME(sum)(to, n, last);
}

// PyTorch multiplies a last dimension by 1 / sum, and divides any other one.
static void NAME(softmax)(const REAL *from, int64_t n, bool last, REAL *restrict to)
{
    REAL sum = NAME(row_exp)(from, n, NAME(row_max)(from, n), last, to), factor = 1 / sum;
    if (last)
        for (int64_t i = 0; i < n; i++) to[i] *= factor;
    else
        for (int64_t i = 0; i < n; i++) to[i] /= sum;
}

static void NAME(log_softmax)(const REAL *from, int64_t n, bool last, REAL *restrict to)
{
    REAL max = NAME(row_max)(from, n), log_sum = m_log(NAME(row_exp)(from, n, max, last, to));
    for (int64_t i = 0; i < n; i++) to[i] = (from[i] - max) - log_sum;
}

// The same along a dimension that is not the last one: `width` rows are side by side. Each sum is
// still taken from the first element to the last.
static void NAME(columns)(const REAL *from, int64_t n, int64_t width, bool logarithm,
                          REAL *restrict to)
{
    for (int64_t first = 0; first < width; first += PARTS) {
        int64_t count = width - first < PARTS ? width - first : PARTS, end = first + n * width;
        REAL max[PARTS], sum[PARTS];
        for (int j = 0; j < PARTS; j++) max[j] = -(REAL)INFINITY, sum[j] = 0;
        for (int64_t i = first; i < end; i += width)
            for (int64_t j = 0; j < count; j++)
                max[j] = from[i + j] > max[j] ? from[i + j] : max[j];
        for (int64_t i = first; i < end; i += width)
            for (int64_t j = 0; j < count; j++)
                sum[j] += to[i + j] = m_exp_negative(from[i + j] - max[j]);
        for (int64_t j = 0; logarithm && j < count; j++) sum[j] = m_log(sum[j]);
        for (int64_t i = first; i < end; i += width)
            for (int64_t j = 0; j < count; j++)
                to[i + j] = logarithm ? (from[i + j] - max[j]) - sum[j] : to[i + j] / sum[j];
    }
}

// The gradient of the row, given that of the result and the result.
static void NAME(softmax_backward)(const REAL *grad, const REAL *result, int64_t n, bool last,
                                   REAL *restrict to)
{
    for (int64_t i = 0; i < n; i++) to[i] = grad[i] * result[i];
    REAL sum = NAME(sum)(to, n, last);
    for (int64_t i = 0; i < n; i++) to[i] = (grad[i] - sum) * result[i];
}

static void NAME(log_softmax_backward)(const REAL *grad, const REAL *result, int64_t n, bool last,
                                       REAL *restrict to)
{
    REAL sum = NAME(sum)(grad, n, last);
    for (int64_t i = 0; i < n; i++) to[i] = grad[i] - m_exp(result[i]) * sum;
}
