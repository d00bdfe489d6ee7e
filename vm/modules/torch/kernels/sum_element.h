// Sums of a contiguous row for one type of elements: partial_sums.h, which explains the order of
// the terms, includes this text once for each type, with REAL and NAME(x) defined.

// Folds the parts into one: part i and part i + half, and so on.
static inline REAL NAME(fold_sum)(REAL *parts)
{
    for (int half = PARTS / 2; half; half /= 2)
        for (int i = 0; i < half; i++) parts[i] += parts[i + half];
    return parts[0];
}

static inline REAL NAME(row_sum)(const REAL *row, int64_t n)
{
    REAL parts[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++) parts[j] += row[i + j];
    for (int j = 0; i + j < n; j++) parts[j] += row[i + j];
    return NAME(fold_sum)(parts);
}

// The sum of a[i] * b[i].
static inline REAL NAME(row_dot)(const REAL *a, const REAL *b, int64_t n)
{
    REAL parts[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++) parts[j] += a[i + j] * b[i + j];
    for (int j = 0; i + j < n; j++) parts[j] += a[i + j] * b[i + j];
    return NAME(fold_sum)(parts);
}

// The sum of (row[i] - mean)^2.
static inline REAL NAME(row_deviation)(const REAL *row, int64_t n, REAL mean)
{
    REAL parts[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++) parts[j] += (row[i + j] - mean) * (row[i + j] - mean);
    for (int j = 0; i + j < n; j++) parts[j] += (row[i + j] - mean) * (row[i + j] - mean);
    return NAME(fold_sum)(parts);
}
