// The negative log likelihood: of each row of log-probabilities the one of the row's class.
//
// The input is [images, classes, inner], the target [images, inner]: nll_loss2d has points (inner),
// nll_loss has none. A target of ignore_index counts nothing. The mean is weighted.
#include "objects/error.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/kernels.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };

typedef struct NllWork {
    int64_t images, classes, inner, reduction, ignored;
    Rows input, target, weight, output; // output: of the rows, or the gradient of the input
    Dtype dtype;
} NllWork;

static double number_at(const NllWork *work, const Rows *rows, int64_t i)
{
    return work->dtype == DTYPE_float32 ? (double)((const float *)rows->data)[i]
                                        : ((const double *)rows->data)[i];
}

static void set_number(const NllWork *work, const Rows *rows, int64_t i, double number)
{
    if (work->dtype == DTYPE_float32)
        ((float *)rows->data)[i] = (float)number;
    else
        ((double *)rows->data)[i] = number;
}

// [images, classes, inner] of a tensor of log-probabilities.
static void set_sizes(NllWork *work, const Tensor *input)
{
    int channel = input->ndim == 1 ? 0 : 1;
    work->images = channel ? tensor_size(input, 0) : 1;
    work->classes = tensor_size(input, channel);
    work->inner = 1;
    for (int i = channel + 1; i < input->ndim; i++) work->inner *= tensor_size(input, i);
}

// Reads target, weight, reduction and ignore_index, which stand from `slot` on.
static bool read_work(OpCall *call, int slot, NllWork *work)
{
    Tensor *weight = call_optional(call, slot + 1);
    if (!call_int(call, slot + 2, &work->reduction) || !call_int(call, slot + 3, &work->ignored) ||
        !rows_read(&work->target, call_tensor(call, slot), ROWS_AS_IS, DTYPE_int64))
        return false;
    work->weight = (Rows){0};
    if (!weight || rows_read(&work->weight, weight, ROWS_AS_IS, work->dtype)) return true;
    return rows_drop(&work->target);
}

static void drop_work(NllWork *work)
{
    rows_drop(&work->target);
    rows_drop(&work->weight);
}

// The class of a row; -1 = it does not count, -2 = an exception is pending.
static int64_t class_of(const NllWork *work, int64_t row)
{
    int64_t target = ((const int64_t *)work->target.data)[row];
    if (target == work->ignored) return -1;
    if (target >= 0 && target < work->classes) return target;
    raise_error(IndexError, "Target %lld is out of bounds.", (long long)target);
    return -2;
}

static double weight_of(const NllWork *work, int64_t class)
{
    return work->weight.data ? number_at(work, &work->weight, class) : 1;
}

// The element of the input that belongs to a row and a class.
static int64_t place_of(const NllWork *work, int64_t row, int64_t class)
{
    int64_t image = row / work->inner;
    return (image * work->classes + class) * work->inner + row % work->inner;
}

static bool forward(const NllWork *work, double *sum, double *total)
{
    for (int64_t row = 0; row < work->images * work->inner; row++) {
        int64_t class = class_of(work, row);
        if (class == -2) return false;
        double weight = class < 0 ? 0 : weight_of(work, class);
        double value =
            class < 0 ? 0 : -weight * number_at(work, &work->input, place_of(work, row, class));
        if (work->reduction == REDUCE_NONE) {
            set_number(work, &work->output, row, value);
            continue;
        }
        *sum += value;
        *total += weight;
    }
    return true;
}

static bool store_number(Tensor *tensor, double number)
{
    Value scalar = tensor_new_scalar(DTYPE_float64, &number);
    bool done = scalar && iterate_copy(tensor, as_tensor(scalar));
    drop(scalar);
    return done;
}

// (self, target, weight, reduction, ignore_index) -> output, total_weight
bool KERNEL(kernel_nll_loss)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    NllWork work = {.dtype = dtype_computed(tensor_dtype(self))};
    double sum = 0, total = 0;
    set_sizes(&work, self);
    if (!rows_read(&work.input, self, ROWS_AS_IS, work.dtype)) return false;
    if (!rows_write(&work.output, result, ROWS_AS_IS, work.dtype)) return rows_drop(&work.input);
    bool done = read_work(call, 1, &work);
    if (done) {
        done = forward(&work, &sum, &total);
        drop_work(&work);
    }
    if (work.reduction != REDUCE_NONE)
        set_number(&work, &work.output, 0, work.reduction == REDUCE_MEAN ? sum / total : sum);
    rows_drop(&work.input);
    done = done ? rows_store(&work.output) : rows_drop(&work.output);
    return done && store_number(call->results[1].tensor, total);
}

static bool backward(const NllWork *work, const Rows *grad, double scale)
{
    for (int64_t row = 0; row < work->images * work->inner; row++) {
        int64_t class = class_of(work, row);
        if (class == -2) return false;
        if (class < 0) continue;
        double each = number_at(work, grad, work->reduction == REDUCE_NONE ? row : 0);
        set_number(work, &work->output, place_of(work, row, class),
                   -weight_of(work, class) * each * scale);
    }
    return true;
}

// (grad_output, self, target, weight, reduction, ignore_index, total_weight)
bool KERNEL(kernel_nll_loss_backward)(OpCall *call)
{
    Tensor *self = call_tensor(call, 1), *result = call->results[0].tensor;
    NllWork work = {.dtype = dtype_computed(tensor_dtype(self))};
    Rows grad, total;
    set_sizes(&work, self);
    if (!read_work(call, 2, &work)) return false;
    bool done = rows_read(&grad, call_tensor(call, 0), ROWS_AS_IS, work.dtype);
    if (!done) grad = (Rows){0};
    done = done && rows_read(&total, call_tensor(call, 6), ROWS_AS_IS, work.dtype);
    if (!done) total = (Rows){0};
    if (done && rows_write(&work.output, result, ROWS_AS_IS, work.dtype)) {
        memset(work.output.data, 0, (size_t)result->numel * dtype_size(work.dtype));
        done = backward(&work, &grad,
                        work.reduction == REDUCE_MEAN ? 1 / number_at(&work, &total, 0) : 1);
        done = done ? rows_store(&work.output) : rows_drop(&work.output);
    } else {
        done = false;
    }
    rows_drop(&grad);
    rows_drop(&total);
    drop_work(&work);
    return done;
}
