// The loops of the normalisations for one type of elements: kernel_normalise.c includes this text
// once for each dtype, with REAL and NAME(x) defined. NormWork is explained there.
//
// Each normalisation has three loops: for layer_norm they are layer_norm, layer_norm_backward (the
// gradient of x) and layer_norm_weight (those of weight and bias). batch_norm has batch_moments and
// batch_rstd as well, which find its statistics, and update, which moves the running ones.

static inline const REAL *NAME(at)(const void *data, int64_t index)
{
    return data ? (const REAL *)data + index : NULL;
}

// ---- over a run: contiguous elements that share their statistics

static void NAME(moments)(const REAL *run, int64_t n, double eps, REAL *mean, REAL *rstd)
{
    *mean = NAME(row_sum)(run, n) / (REAL)n;
    REAL variance = NAME(row_deviation)(run, n, *mean) / (REAL)n;
    *rstd = 1 / (REAL)sqrt((double)(variance + (REAL)eps));
}

static void NAME(normalise)(const REAL *from, int64_t n, REAL mean, REAL rstd, const REAL *weight,
                            const REAL *bias, REAL *restrict to)
{
    if (weight && bias)
        for (int64_t i = 0; i < n; i++) to[i] = (from[i] - mean) * rstd * weight[i] + bias[i];
    else if (weight)
        for (int64_t i = 0; i < n; i++) to[i] = (from[i] - mean) * rstd * weight[i];
    else if (bias)
        for (int64_t i = 0; i < n; i++) to[i] = (from[i] - mean) * rstd + bias[i];
    else
        for (int64_t i = 0; i < n; i++) to[i] = (from[i] - mean) * rstd;
}

static void NAME(scale)(const REAL *from, int64_t n, REAL scale, REAL shift, REAL *restrict to)
{
    for (int64_t i = 0; i < n; i++) to[i] = from[i] * scale + shift;
}

// The sum of grad[i] * (from[i] - mean).
static REAL NAME(slope)(const REAL *grad, const REAL *from, int64_t n, REAL mean)
{
    REAL parts[PARTS] = {0};
    int64_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (int j = 0; j < PARTS; j++) parts[j] += grad[i + j] * (from[i + j] - mean);
    for (int j = 0; i + j < n; j++) parts[j] += grad[i + j] * (from[i + j] - mean);
    return NAME(fold_sum)(parts);
}

// run[i] = factor * (run[i] - average - (from[i] - mean) * slope): the gradient of a run, in place.
static void NAME(run_backward)(REAL *restrict run, const REAL *restrict from, int64_t n, REAL mean,
                               REAL average, REAL slope, REAL factor)
{
    for (int64_t i = 0; i < n; i++) run[i] = factor * (run[i] - average - (from[i] - mean) * slope);
}

// The same for a run that holds grad * weight and whose statistics are its own.
static void NAME(own_run_backward)(REAL *run, const REAL *from, int64_t n, REAL mean, REAL rstd)
{
    REAL average = NAME(row_sum)(run, n) / (REAL)n;
    REAL slope = NAME(slope)(run, from, n, mean) * rstd * rstd / (REAL)n;
    NAME(run_backward)(run, from, n, mean, average, slope, rstd);
}

// ---- layer_norm: a run is a row; weight and bias have one number for each element of a row

static void NAME(layer_norm)(const NormWork *work)
{
    int64_t n = work->inner;
    REAL *mean = work->mean, *rstd = work->rstd;
    for (int64_t i = 0; i < work->outer; i++) {
        const REAL *row = NAME(at)(work->from, i * n);
        NAME(moments)(row, n, work->eps, &mean[i], &rstd[i]);
        NAME(normalise)
        (row, n, mean[i], rstd[i], work->weight, work->bias, (REAL *)work->to + i * n);
    }
}

static void NAME(layer_norm_backward)(const NormWork *work)
{
    int64_t n = work->inner;
    const REAL *mean = work->mean, *rstd = work->rstd, *weight = work->weight;
    for (int64_t i = 0; i < work->outer; i++) {
        const REAL *grad = NAME(at)(work->grad, i * n);
        REAL *restrict to = (REAL *)work->to + i * n;
        for (int64_t j = 0; j < n; j++) to[j] = weight ? grad[j] * weight[j] : grad[j];
        NAME(own_run_backward)(to, NAME(at)(work->from, i * n), n, mean[i], rstd[i]);
    }
}

static void NAME(layer_norm_weight)(const NormWork *work)
{
    int64_t n = work->inner;
    const REAL *means = work->mean, *rstd = work->rstd;
    REAL *restrict to = work->to;
    for (int64_t j = 0; j < n; j++) to[j] = 0;
    for (int64_t i = 0; i < work->outer; i++) {
        const REAL *grad = NAME(at)(work->grad, i * n), *row = NAME(at)(work->from, i * n);
        REAL mean = means[i], factor = rstd[i];
        for (int64_t j = 0; j < n; j++) to[j] += grad[j] * (row[j] - mean) * factor;
    }
}

// ---- batch_norm: the runs of one channel share their statistics

// Fills in mean and variance (not corrected) of every channel.
static void NAME(batch_moments)(const NormWork *work)
{
    int64_t n = work->inner, all = work->outer * n;
    for (int64_t c = 0; c < work->channels; c++) {
        REAL sum = 0, deviation = 0;
        for (int64_t i = 0; i < work->outer; i++)
            sum += NAME(row_sum)(NAME(at)(work->from, (i * work->channels + c) * n), n);
        REAL mean = sum / (REAL)all;
        for (int64_t i = 0; i < work->outer; i++)
            deviation +=
                NAME(row_deviation)(NAME(at)(work->from, (i * work->channels + c) * n), n, mean);
        ((REAL *)work->mean)[c] = mean;
        ((REAL *)work->variance)[c] = deviation / (REAL)all;
    }
}

static void NAME(batch_rstd)(const NormWork *work)
{
    const REAL *variance = work->variance;
    for (int64_t c = 0; c < work->channels; c++)
        ((REAL *)work->rstd)[c] = 1 / (REAL)sqrt((double)(variance[c] + (REAL)work->eps));
}

// Moves the running statistics towards these: running + momentum * (value * factor - running).
static void NAME(update)(REAL *running, const REAL *value, int64_t n, double factor,
                         double momentum)
{
    for (int64_t i = 0; i < n; i++)
        running[i] =
            (REAL)(momentum * factor * (double)value[i] + (1 - momentum) * (double)running[i]);
}

// from * scale + shift is what a channel becomes.
static __attribute__((noinline)) void NAME(channel_scale)(const NormWork *work, int64_t c,
                                                          REAL *scale, REAL *shift)
{
    const REAL *mean = work->mean, *rstd = work->rstd, *weight = work->weight, *bias = work->bias;
    *scale = weight ? rstd[c] * weight[c] : rstd[c];
    *shift = (bias ? bias[c] : 0) - mean[c] * *scale;
}

// Runs of one element: the channels of a row are the inner loop, some at a time.
static void NAME(batch_norm_rows)(const NormWork *work)
{
    REAL scale[PARTS], shift[PARTS];
    int64_t n = work->channels;
    for (int64_t c = 0; c < n; c += PARTS) {
        int64_t count = n - c < PARTS ? n - c : PARTS;
        for (int64_t j = 0; j < count; j++) NAME(channel_scale)(work, c + j, &scale[j], &shift[j]);
        for (int64_t i = 0; i < work->outer; i++) {
            const REAL *from = NAME(at)(work->from, i * n + c);
            REAL *restrict to = (REAL *)work->to + i * n + c;
            for (int64_t j = 0; j < count; j++) to[j] = from[j] * scale[j] + shift[j];
        }
    }
}

static void NAME(batch_norm)(const NormWork *work)
{
    if (work->inner == 1) {
        NAME(batch_norm_rows)(work);
        return;
    }
    for (int64_t i = 0; i < work->outer * work->channels; i++) {
        int64_t n = work->inner;
        REAL scale, shift;
        NAME(channel_scale)(work, i % work->channels, &scale, &shift);
        NAME(scale)(NAME(at)(work->from, i * n), n, scale, shift, (REAL *)work->to + i * n);
    }
}

// The gradient of one channel: `average` and `slope` are 0 where the statistics are constants.
static void NAME(channel_backward)(const NormWork *work, int64_t c, REAL average, REAL slope)
{
    int64_t n = work->inner;
    REAL rstd = ((const REAL *)work->rstd)[c], mean = ((const REAL *)work->mean)[c];
    REAL factor = work->weight ? rstd * ((const REAL *)work->weight)[c] : rstd;
    for (int64_t i = 0; i < work->outer; i++) {
        int64_t at = (i * work->channels + c) * n;
        REAL *run = (REAL *)work->to + at;
        memcpy(run, NAME(at)(work->grad, at), (size_t)n * sizeof(REAL));
        NAME(run_backward)(run, NAME(at)(work->from, at), n, mean, average, slope, factor);
    }
}

static REAL NAME(channel_slope)(const NormWork *work, int64_t c)
{
    REAL slope = 0, mean = ((const REAL *)work->mean)[c];
    for (int64_t i = 0; i < work->outer; i++) {
        int64_t at = (i * work->channels + c) * work->inner;
        slope += NAME(slope)(NAME(at)(work->grad, at), NAME(at)(work->from, at), work->inner, mean);
    }
    return slope;
}

static void NAME(batch_norm_backward)(const NormWork *work)
{
    REAL all = (REAL)(work->outer * work->inner);
    for (int64_t c = 0; c < work->channels; c++) {
        REAL sum = 0, slope = 0, rstd = ((const REAL *)work->rstd)[c];
        for (int64_t i = 0; work->training && i < work->outer; i++)
            sum += NAME(row_sum)(NAME(at)(work->grad, (i * work->channels + c) * work->inner),
                                 work->inner);
        if (work->training) slope = NAME(channel_slope)(work, c) * rstd * rstd / all;
        NAME(channel_backward)(work, c, sum / all, slope);
    }
}

static void NAME(batch_norm_weight)(const NormWork *work)
{
    const REAL *rstd = work->rstd;
    for (int64_t c = 0; c < work->channels; c++)
        ((REAL *)work->to)[c] = NAME(channel_slope)(work, c) * rstd[c];
}

// ---- group_norm: a run is the channels of a group, one after the other

static void NAME(group_norm)(const NormWork *work)
{
    const REAL *weight = work->weight, *bias = work->bias;
    int64_t each = work->channels / work->groups, n = work->inner;
    for (int64_t i = 0; i < work->outer * work->groups; i++) {
        REAL *mean = (REAL *)work->mean + i, *rstd = (REAL *)work->rstd + i;
        NAME(moments)(NAME(at)(work->from, i * each * n), each * n, work->eps, mean, rstd);
        for (int64_t j = 0; j < each; j++) {
            int64_t c = i % work->groups * each + j, at = (i * each + j) * n;
            REAL scale = weight ? *rstd * weight[c] : *rstd;
            REAL shift = (bias ? bias[c] : 0) - *mean * scale;
            NAME(scale)(NAME(at)(work->from, at), n, scale, shift, (REAL *)work->to + at);
        }
    }
}

static void NAME(group_norm_backward)(const NormWork *work)
{
    const REAL *weight = work->weight, *mean = work->mean, *rstd = work->rstd;
    int64_t each = work->channels / work->groups, n = work->inner;
    for (int64_t i = 0; i < work->outer * work->groups; i++) {
        for (int64_t j = 0; j < each; j++) {
            int64_t c = i % work->groups * each + j, at = (i * each + j) * n;
            NAME(scale)
            (NAME(at)(work->grad, at), n, weight ? weight[c] : 1, 0, (REAL *)work->to + at);
        }
        int64_t at = i * each * n;
        NAME(own_run_backward)
        ((REAL *)work->to + at, NAME(at)(work->from, at), each * n, mean[i], rstd[i]);
    }
}

static void NAME(group_norm_weight)(const NormWork *work)
{
    const REAL *mean = work->mean, *rstd = work->rstd;
    int64_t each = work->channels / work->groups, n = work->inner;
    memset(work->to, 0, (size_t)work->channels * sizeof(REAL));
    for (int64_t i = 0; i < work->outer * work->channels; i++) {
        int64_t group = i / each;
        ((REAL *)work->to)[i % work->channels] +=
            NAME(slope)(NAME(at)(work->grad, i * n), NAME(at)(work->from, i * n), n, mean[group]) *
            rstd[group];
    }
}
