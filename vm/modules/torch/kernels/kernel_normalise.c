// layer_norm, batch_norm and group_norm, and their gradients.
//
//     y = (x - mean) * rstd * weight + bias        rstd = 1 / sqrt(variance + eps)
//
// They differ in which elements share mean and variance. The input is an array of three dimensions,
// [outer, channels, inner]:
//
//     layer_norm     a row: [outer, 1, inner], a weight for each element of the row
//     batch_norm     a channel: all of outer and inner
//     group_norm     channels / groups channels of one outer index
//
// The statistics depend on x too. With g = grad * weight and x' = (x - mean) * rstd the gradient of
// x is rstd * (g - mean of g - x' * mean of (g * x')); that of weight is the sum of grad * x', that
// of bias the sum of grad. batch_norm outside of training takes constants instead of statistics,
// and the two means fall away.
#include "objects/error.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/partial_sums.h"

#include <math.h>

typedef struct NormWork {
    int64_t outer, channels, inner, groups;
    double eps;
    bool training;
    const void *from, *grad, *weight, *bias; // weight, bias: NULL = 1, 0
    void *mean, *rstd, *variance, *to;
} NormWork;

#define REAL float
#define NAME(x) float32_##x
#include "vm/modules/torch/kernels/norm_element.h"
#undef REAL
#undef NAME

#define REAL double
#define NAME(x) float64_##x
#include "vm/modules/torch/kernels/norm_element.h"
#undef REAL
#undef NAME

// The loop of a name for the dtype computed in.
#define RUN(loop, dtype, work)                                                                     \
    ((dtype) == DTYPE_float32 ? float32_##loop(work) : float64_##loop(work))

// ---- operands

// Which parameters of a row are the inputs of the work; NONE_GIVEN = none.
#define NONE_GIVEN (-1)
#define INPUTS 6
typedef struct Inputs {
    int from, grad, weight, bias, mean, rstd;
} Inputs;

typedef struct Operands {
    NormWork work;
    Dtype dtype; // computed in
    int count;
    Rows read[INPUTS];
    Rows results[OP_RESULTS];
} Operands;

// The data of a parameter in *data. `dim` is moved to the end.
static bool read_input(OpCall *call, Operands *operands, int slot, int dim, const void **data)
{
    if (slot == NONE_GIVEN || !call_has(call, slot)) return true;
    Rows *rows = &operands->read[operands->count];
    if (!rows_read(rows, call_tensor(call, slot), dim, operands->dtype)) return false;
    operands->count++;
    *data = rows->data;
    return true;
}

static void drop_inputs(Operands *operands)
{
    while (operands->count) rows_drop(&operands->read[--operands->count]);
}

static bool read_inputs(OpCall *call, Operands *operands, const Inputs *inputs, int dim)
{
    NormWork *work = &operands->work;
    const void *mean = NULL, *rstd = NULL;
    bool done = read_input(call, operands, inputs->from, dim, &work->from) &&
                read_input(call, operands, inputs->grad, dim, &work->grad) &&
                read_input(call, operands, inputs->weight, ROWS_AS_IS, &work->weight) &&
                read_input(call, operands, inputs->bias, ROWS_AS_IS, &work->bias) &&
                read_input(call, operands, inputs->mean, ROWS_AS_IS, &mean) &&
                read_input(call, operands, inputs->rstd, ROWS_AS_IS, &rstd);
    work->mean = (void *)mean; // what is read is not written
    work->rstd = (void *)rstd;
    return done;
}

// Memory for the results. `dim` is that of the first.
static bool write_results(OpCall *call, Operands *operands, int dim)
{
    for (int i = 0; i < call->result_count; i++) {
        int moved = i == 0 ? dim : ROWS_AS_IS;
        if (rows_write(&operands->results[i], call->results[i].tensor, moved, operands->dtype))
            continue;
        while (i) rows_drop(&operands->results[--i]);
        return false;
    }
    NormWork *work = &operands->work;
    work->to = operands->results[0].data;
    if (call->result_count < 3) return true;
    work->mean = operands->results[1].data;
    work->rstd = operands->results[2].data;
    return true;
}

static bool begin(OpCall *call, Operands *operands, const Inputs *inputs, int dim)
{
    operands->dtype = dtype_computed(tensor_dtype(call->results[0].tensor));
    operands->count = 0;
    if (read_inputs(call, operands, inputs, dim) && write_results(call, operands, dim)) return true;
    drop_inputs(operands);
    return false;
}

// Ends a call: stores the results of loops that have run (`done`).
static bool end(OpCall *call, Operands *operands, bool done)
{
    drop_inputs(operands);
    for (int i = 0; i < call->result_count; i++) {
        Rows *rows = &operands->results[i];
        done = done ? rows_store(rows) : rows_drop(rows);
    }
    return done;
}

// ---- layer_norm

// Sets outer and inner: the last dimensions, as many as normalized_shape has, make a row.
static void layer_sizes(const OpCall *call, int slot, int shape_slot, NormWork *work)
{
    const Tensor *tensor = call_tensor(call, slot);
    Dim sizes[TENSOR_MAX_DIMS];
    int dims = call_dims(call, shape_slot, sizes);
    work->outer = work->inner = 1;
    for (int i = 0; i < tensor->ndim; i++) {
        int64_t size = tensor_size(tensor, i);
        *(i < tensor->ndim - dims ? &work->outer : &work->inner) *= size;
    }
}

// (input, normalized_shape, weight, bias, eps)
bool KERNEL(kernel_layer_norm)(OpCall *call)
{
    Operands operands = {.work = {.channels = 1}};
    NormWork *work = &operands.work;
    Inputs inputs = {0, NONE_GIVEN, 2, 3, NONE_GIVEN, NONE_GIVEN};
    layer_sizes(call, 0, 1, work);
    if (!call_double(call, 4, &work->eps) || !begin(call, &operands, &inputs, ROWS_AS_IS))
        return false;
    RUN(layer_norm, operands.dtype, work);
    return end(call, &operands, true);
}

// (grad, input, normalized_shape, mean, rstd, weight)
bool KERNEL(kernel_layer_norm_backward)(OpCall *call)
{
    Operands operands = {.work = {.channels = 1}};
    Inputs inputs = {1, 0, 5, NONE_GIVEN, 3, 4};
    layer_sizes(call, 1, 2, &operands.work);
    if (!begin(call, &operands, &inputs, ROWS_AS_IS)) return false;
    RUN(layer_norm_backward, operands.dtype, &operands.work);
    return end(call, &operands, true);
}

// (grad, input, normalized_shape, mean, rstd)
bool KERNEL(kernel_layer_norm_weight)(OpCall *call)
{
    Operands operands = {.work = {.channels = 1}};
    Inputs inputs = {1, 0, NONE_GIVEN, NONE_GIVEN, 3, 4};
    layer_sizes(call, 1, 2, &operands.work);
    if (!begin(call, &operands, &inputs, ROWS_AS_IS)) return false;
    RUN(layer_norm_weight, operands.dtype, &operands.work);
    return end(call, &operands, true);
}

// ---- group_norm

static bool group_sizes(const OpCall *call, int slot, NormWork *work)
{
    return call_int(call, slot, &work->outer) && call_int(call, slot + 1, &work->channels) &&
           call_int(call, slot + 2, &work->inner) && call_int(call, slot + 3, &work->groups);
}

// (input, weight, bias, N, C, HxW, group, eps)
bool KERNEL(kernel_group_norm)(OpCall *call)
{
    Operands operands = {.work = {.channels = 1}};
    NormWork *work = &operands.work;
    Inputs inputs = {0, NONE_GIVEN, 1, 2, NONE_GIVEN, NONE_GIVEN};
    if (!group_sizes(call, 3, work) || !call_double(call, 7, &work->eps) ||
        !begin(call, &operands, &inputs, ROWS_AS_IS))
        return false;
    RUN(group_norm, operands.dtype, work);
    return end(call, &operands, true);
}

// (grad, input, mean, rstd, weight, N, C, HxW, group)
bool KERNEL(kernel_group_norm_backward)(OpCall *call)
{
    Operands operands = {.work = {.channels = 1}};
    Inputs inputs = {1, 0, 4, NONE_GIVEN, 2, 3};
    if (!group_sizes(call, 5, &operands.work) || !begin(call, &operands, &inputs, ROWS_AS_IS))
        return false;
    RUN(group_norm_backward, operands.dtype, &operands.work);
    return end(call, &operands, true);
}

// (grad, input, mean, rstd, N, C, HxW, group)
bool KERNEL(kernel_group_norm_weight)(OpCall *call)
{
    Operands operands = {.work = {.channels = 1}};
    Inputs inputs = {1, 0, NONE_GIVEN, NONE_GIVEN, 2, 3};
    if (!group_sizes(call, 4, &operands.work) || !begin(call, &operands, &inputs, ROWS_AS_IS))
        return false;
    RUN(group_norm_weight, operands.dtype, &operands.work);
    return end(call, &operands, true);
}

// ---- batch_norm

static void batch_sizes(const Tensor *input, NormWork *work)
{
    work->outer = tensor_size(input, 0);
    work->channels = tensor_size(input, 1);
    work->inner = 1;
    for (int i = 2; i < input->ndim; i++) work->inner *= tensor_size(input, i);
}

// Points without extent: [N, C] is read as [1, C, N], so that a run is not a single element.
static int batch_runs(NormWork *work)
{
    if (work->inner != 1) return ROWS_AS_IS;
    work->inner = work->outer;
    work->outer = 1;
    return 0;
}

// Memory for a number for each channel: owned.
static Value channel_memory(const NormWork *work, Dtype dtype)
{
    Dim size = dim_of(work->channels);
    return tensor_new(dtype, 1, &size);
}

// A running statistic takes in the one of this batch.
static bool update_running(Tensor *running, const void *value, Dtype dtype, double factor,
                           double momentum)
{
    Rows rows;
    if (!rows_read(&rows, running, ROWS_AS_IS, dtype)) return false;
    if (dtype == DTYPE_float32)
        float32_update(rows.data, value, running->numel, factor, momentum);
    else
        float64_update(rows.data, value, running->numel, factor, momentum);
    bool done = rows.tensor == running || iterate_copy(running, rows.tensor);
    running->storage->writes++; // autograd does not hear of it: its version stays, as in PyTorch
    rows_drop(&rows);
    return done;
}

static bool update_both(OpCall *call, const Operands *operands)
{
    const NormWork *work = &operands->work;
    double momentum, n = (double)work->outer * (double)work->inner;
    if (!call_double(call, 6, &momentum)) return false;
    return (!call_has(call, 3) ||
            update_running(call_tensor(call, 3), work->mean, operands->dtype, 1, momentum)) &&
           (!call_has(call, 4) || update_running(call_tensor(call, 4), work->variance,
                                                 operands->dtype, n / (n - 1), momentum));
}

// The statistics of the runs.
static bool batch_statistics(OpCall *call, const Operands *operands)
{
    NormWork runs = operands->work;
    Rows rows;
    if (!rows_read(&rows, call_tensor(call, 0), batch_runs(&runs), operands->dtype)) return false;
    runs.from = rows.data;
    RUN(batch_moments, operands->dtype, &runs);
    RUN(batch_rstd, operands->dtype, &runs);
    rows_drop(&rows);
    return true;
}

static bool train(OpCall *call, Operands *operands)
{
    NormWork *work = &operands->work;
    Value variance = channel_memory(work, operands->dtype);
    if (!variance) return false;
    work->variance = tensor_data(as_tensor(variance));
    bool done = batch_statistics(call, operands);
    if (done) RUN(batch_norm, operands->dtype, work);
    done = done && update_both(call, operands);
    drop(variance);
    return done;
}

// Takes mean and variance from the parameters `slot` and `slot` + 1, and runs the loops.
static bool with_constants(OpCall *call, Operands *operands, int slot,
                           void (*floats)(const NormWork *), void (*doubles)(const NormWork *))
{
    NormWork *work = &operands->work;
    const void *mean = NULL, *variance = NULL;
    if (!read_input(call, operands, slot, ROWS_AS_IS, &mean) ||
        !read_input(call, operands, slot + 1, ROWS_AS_IS, &variance))
        return false;
    Value rstd = channel_memory(work, operands->dtype);
    if (!rstd) return false;
    work->mean = (void *)mean;
    work->variance = (void *)variance;
    work->rstd = tensor_data(as_tensor(rstd));
    RUN(batch_rstd, operands->dtype, work);
    (operands->dtype == DTYPE_float32 ? floats : doubles)(work);
    drop(rstd);
    return true;
}

// (input, weight, bias, running_mean, running_var, training, momentum, eps)
bool KERNEL(kernel_batch_norm)(OpCall *call)
{
    Operands operands = {.work = {.training = call_bool(call, 5)}};
    NormWork *work = &operands.work;
    Inputs inputs = {0, NONE_GIVEN, 1, 2, NONE_GIVEN, NONE_GIVEN};
    batch_sizes(call_tensor(call, 0), work);
    if (!call_double(call, 7, &work->eps) || !begin(call, &operands, &inputs, ROWS_AS_IS))
        return false;
    bool done = work->training
                    ? train(call, &operands)
                    : with_constants(call, &operands, 3, float32_batch_norm, float64_batch_norm);
    return end(call, &operands, done);
}

// A gradient: (grad, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps)
static bool batch_gradient(OpCall *call, void (*floats)(const NormWork *),
                           void (*doubles)(const NormWork *))
{
    Operands operands = {.work = {.training = call_bool(call, 7)}};
    NormWork *work = &operands.work;
    bool training = work->training, done = true;
    Inputs inputs = {1, 0, 2, NONE_GIVEN, training ? 5 : NONE_GIVEN, training ? 6 : NONE_GIVEN};
    batch_sizes(call_tensor(call, 1), work);
    int dim = batch_runs(work);
    if (!call_double(call, 8, &work->eps) || !begin(call, &operands, &inputs, dim)) return false;
    if (training)
        (operands.dtype == DTYPE_float32 ? floats : doubles)(work);
    else
        done = with_constants(call, &operands, 3, floats, doubles);
    return end(call, &operands, done);
}

bool KERNEL(kernel_batch_norm_backward)(OpCall *call)
{
    return batch_gradient(call, float32_batch_norm_backward, float64_batch_norm_backward);
}

bool KERNEL(kernel_batch_norm_weight)(OpCall *call)
{
    return batch_gradient(call, float32_batch_norm_weight, float64_batch_norm_weight);
}
