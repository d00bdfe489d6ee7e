// The rows of softmax and log_softmax for one type of elements: kernel_softmax.c includes this text
// once for each dtype, with REAL and NAME(x) defined.
//
//     softmax(x)[i] = exp(x[i] - m) / sum,   log_softmax(x)[i] = x[i] - m - log(sum)
//
// where m is the largest x and sum is the sum of all exp(x[j] - m), so that nothing overflows. A
// NaN is not larger than anything: it takes no part in m, and makes the sum NaN.

static REAL NAME(row_max)(const REAL *row, int64_t n)
{
    REAL parts[PARTS];
    int64_t i = 0;
    for (int j = 0; j < PARTS; j++) parts[j] = -(REAL)INFINITY;
    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++) parts[j] = row[i + j] > parts[j] ? row[i + j] : parts[j];
    for (int j = 0; i + j < n; j++) parts[j] = row[i + j] > parts[j] ? row[i + j] : parts[j];
    for (int half = PARTS / 2; half; half /= 2)
        for (int j = 0; j < half; j++)
            parts[j] = parts[j + half] > parts[j] ? parts[j + half] : parts[j];
    return parts[0];
}

// to[i] = exp(from[i] - max), and returns the sum.
static REAL NAME(row_exp)(const REAL *from, int64_t n, REAL max, REAL *restrict to)
{
    REAL parts[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS) {
        for (int j = 0; j < PARTS; j++) {
            to[i + j] = m_exp_negative(from[i + j] - max);
            parts[j] += to[i + j];
        }
    }
    for (int j = 0; i + j < n; j++) {
        to[i + j] = m_exp_negative(from[i + j] - max);
        parts[j] += to[i + j];
    }
    return NAME(fold_sum)(parts);
}

static void NAME(softmax)(const REAL *from, int64_t n, REAL *restrict to)
{
    REAL sum = NAME(row_exp)(from, n, NAME(row_max)(from, n), to);
    for (int64_t i = 0; i < n; i++) to[i] /= sum;
}

static void NAME(log_softmax)(const REAL *from, int64_t n, REAL *restrict to)
{
    REAL max = NAME(row_max)(from, n), log_sum = m_log(NAME(row_exp)(from, n, max, to));
    for (int64_t i = 0; i < n; i++) to[i] = (from[i] - max) - log_sum;
}

// The gradient of the row, given that of the result and the result.
static void NAME(softmax_backward)(const REAL *grad, const REAL *result, int64_t n,
                                   REAL *restrict to)
{
    REAL sum = NAME(row_dot)(grad, result, n);
    for (int64_t i = 0; i < n; i++) to[i] = (grad[i] - sum) * result[i];
}

static void NAME(log_softmax_backward)(const REAL *grad, const REAL *result, int64_t n,
                                       REAL *restrict to)
{
    REAL sum = NAME(row_sum)(grad, n);
    for (int64_t i = 0; i < n; i++) to[i] = grad[i] - m_exp(result[i]) * sum;
}
