// Pooling: the largest number or the average of each window of a plane, and the gradients.
//
// A plane is the last one, two or three dimensions of the input; those before (images and
// channels) is a number of planes. The window of an output point is the product of three intervals,
// one for each dimension. They are computed once:
//
//     max_pool, avg_pool      from o * stride - padding, kernel numbers, each dilation further
//     adaptive pools          from floor(o * in / out) to ceil((o + 1) * in / out)
#include "objects/error.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/call/windows.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/kernels/scalar_math.h"

#include <math.h>

// One dimension of a window: start, start + step ... below end, all within the plane.
typedef struct Window {
    int64_t start, end, step;
    int64_t padded; // how many numbers it has with those in the padding
} Window;

typedef struct PoolWork {
    int64_t planes, area; // how many; elements of one
    int64_t in[WINDOW_DIMS], out[WINDOW_DIMS];
    Window *windows[WINDOW_DIMS];
    bool count_padding;
    int64_t divisor; // 0 = as many numbers as the window has
    const void *from;
    void *to;
    int64_t *indices; // of the largest numbers
} PoolWork;

// What the sum of a window is divided by.
static inline int64_t elements_counted(const PoolWork *work, const Window *const *at)
{
    if (work->divisor) return work->divisor;
    int64_t count = 1;
    for (int i = 0; i < WINDOW_DIMS; i++)
        count *= work->count_padding ? at[i]->padded : at[i]->end - at[i]->start;
    return count;
}

#define ELEMENT float
#define NAME(x) float32_##x
static const float float32_least = -INFINITY;
#include "vm/modules/torch/kernels/pool_element.h"
#undef ELEMENT
#undef NAME

#define ELEMENT double
#define NAME(x) float64_##x
static const double float64_least = -INFINITY;
#include "vm/modules/torch/kernels/pool_element.h"
#undef ELEMENT
#undef NAME

#define ELEMENT int64_t
#define NAME(x) int64_##x
static const int64_t int64_least = INT64_MIN;
#include "vm/modules/torch/kernels/pool_element.h"
#undef ELEMENT
#undef NAME

#define ELEMENT int32_t
#define NAME(x) int32_##x
static const int32_t int32_least = INT32_MIN;
#include "vm/modules/torch/kernels/pool_element.h"
#undef ELEMENT
#undef NAME

typedef void (*PoolLoop)(const PoolWork *work);
#define LOOPS(name)                                                                                \
    ((const PoolLoop[DTYPE_COUNT]){[DTYPE_float32] = float32_##name,                               \
                                   [DTYPE_float64] = float64_##name,                               \
                                   [DTYPE_int64] = int64_##name,                                   \
                                   [DTYPE_int32] = int32_##name})

// ---- windows

typedef struct PoolArgs {
    int64_t kernel[WINDOW_DIMS], stride[WINDOW_DIMS], padding[WINDOW_DIMS], dilation[WINDOW_DIMS];
    bool adaptive;
} PoolArgs;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static Window fixed_window(const PoolArgs *args, int dim, int64_t in, int64_t o)
{
    int64_t dilation = args->dilation[dim], padding = args->padding[dim];
    int64_t start = o * args->stride[dim] - padding;
    int64_t end = smaller(start + (args->kernel[dim] - 1) * dilation + 1, in + padding);
    Window window = {start, smaller(end, in), dilation, end - start};
    if (start < 0) window.start += (-start + dilation - 1) / dilation * dilation;
    if (window.end < window.start) window.end = window.start;
    return window;
}

static Window adaptive_window(int64_t in, int64_t out, int64_t o)
{
    int64_t start = o * in / out;
    int64_t end = 1 + ((o + 1) * in - 1) / out;
    return (Window){start, end, 1, end - start};
}

// Makes the windows of all output points: the memory, owned. VALUE_ERROR with MemoryError pending.
static Value make_windows(PoolWork *work, const PoolArgs *args)
{
    uint64_t count = (uint64_t)work->out[0] + (uint64_t)work->out[1] + (uint64_t)work->out[2];
    if (count > SIZE_MAX / sizeof(Window)) return raise_memory_error();
    Value memory = storage_new((size_t)count * sizeof(Window));
    if (!memory) return VALUE_ERROR;
    Window *window = as_storage(memory)->data;
    for (int i = 0; i < WINDOW_DIMS; i++) {
        work->windows[i] = window;
        for (int64_t o = 0; o < work->out[i]; o++)
            *window++ = args->adaptive ? adaptive_window(work->in[i], work->out[i], o)
                                       : fixed_window(args, i, work->in[i], o);
    }
    return memory;
}

// Sets sizes: `input` and `output` are tensors of the shapes of the two sides.
static void set_sizes(PoolWork *work, const Tensor *input, const Tensor *output, int dims)
{
    window_sizes(input, dims, work->in);
    window_sizes(output, dims, work->out);
    work->area = work->in[0] * work->in[1] * work->in[2];
    work->planes = 1;
    for (int i = 0; i < output->ndim - dims; i++) work->planes *= tensor_size(output, i);
}

// ---- calls

// The four parameters from `slot` on, the dilation only where there is one.
static bool read_args(const OpCall *call, int slot, int dims, bool dilated, PoolArgs *args)
{
    args->adaptive = false;
    window_fill(args->kernel, 1);
    window_fill(args->padding, 0);
    window_fill(args->dilation, 1);
    if (!window_numbers(call, slot, dims, args->kernel)) return false;
    memcpy(args->stride, args->kernel, sizeof args->stride); // where stride is []
    return window_numbers(call, slot + 1, dims, args->stride) &&
           window_numbers(call, slot + 2, dims, args->padding) &&
           (!dilated || window_numbers(call, slot + 3, dims, args->dilation));
}

// Runs the loop from the parameter `slot` to the first result.
static bool run(OpCall *call, int slot, PoolWork *work, const PoolLoop *loops)
{
    Tensor *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    Rows from, to;
    if (!rows_read(&from, call_tensor(call, slot), ROWS_AS_IS, computed)) return false;
    if (!rows_write(&to, result, ROWS_AS_IS, computed)) return rows_drop(&from);
    work->from = from.data;
    work->to = to.data;
    loops[computed](work);
    rows_drop(&from);
    return rows_store(&to);
}

static bool run_windows(OpCall *call, PoolWork *work, const PoolArgs *args, const PoolLoop *loops)
{
    Value windows = make_windows(work, args);
    bool done = windows && run(call, 0, work, loops);
    drop(windows);
    return done;
}

// ---- the largest number: (self, kernel_size, stride, padding, dilation, ceil_mode)

static bool max_pool(OpCall *call, int dims, const PoolArgs *args)
{
    PoolWork work = {.indices = (int64_t *)(void *)tensor_data(call->results[1].tensor)};
    set_sizes(&work, call_tensor(call, 0), call->results[0].tensor, dims);
    return run_windows(call, &work, args, LOOPS(max_pool));
}

bool KERNEL(kernel_max_pool2d)(OpCall *call)
{
    PoolArgs args;
    return read_args(call, 1, 2, true, &args) && max_pool(call, 2, &args);
}

bool KERNEL(kernel_max_pool3d)(OpCall *call)
{
    PoolArgs args;
    return read_args(call, 1, 3, true, &args) && max_pool(call, 3, &args);
}

static const PoolArgs adaptive = {.adaptive = true};

bool KERNEL(kernel_adaptive_max_pool2d)(OpCall *call)
{
    return max_pool(call, 2, &adaptive);
}

// The indices are those of a kernel of this file, but a script may pass any.
static bool indices_fit(const Tensor *indices, int64_t area)
{
    const int64_t *index = (const int64_t *)(const void *)tensor_data(indices);
    for (int64_t i = 0; i < indices->numel; i++)
        if (index[i] < 0 || index[i] >= area)
            return raise_error(RuntimeError, "found an invalid max index: %lld",
                               (long long)index[i]);
    return true;
}

// (grad_output, self, ..., indices), the latter at `slot`
static bool max_pool_backward(OpCall *call, int dims, int slot)
{
    PoolWork work = {0};
    Rows indices;
    set_sizes(&work, call_tensor(call, 1), call_tensor(call, 0), dims);
    if (!rows_read(&indices, call_tensor(call, slot), ROWS_AS_IS, DTYPE_int64)) return false;
    work.indices = indices.data;
    bool done =
        indices_fit(indices.tensor, work.area) && run(call, 0, &work, LOOPS(max_pool_backward));
    rows_drop(&indices);
    return done;
}

bool KERNEL(kernel_max_pool2d_backward)(OpCall *call)
{
    return max_pool_backward(call, 2, 7);
}

bool KERNEL(kernel_max_pool3d_backward)(OpCall *call)
{
    return max_pool_backward(call, 3, 7);
}

bool KERNEL(kernel_adaptive_max_pool2d_backward)(OpCall *call)
{
    return max_pool_backward(call, 2, 2);
}

// ---- the average

// `slot` is that of count_include_pad, after it stands divisor_override.
static bool read_counting(const OpCall *call, int slot, PoolWork *work)
{
    work->count_padding = call_bool(call, slot);
    return !call_has(call, slot + 1) || call_int(call, slot + 1, &work->divisor);
}

// (self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
static bool average_pool(OpCall *call, int dims)
{
    PoolWork work = {0};
    PoolArgs args;
    set_sizes(&work, call_tensor(call, 0), call->results[0].tensor, dims);
    return read_args(call, 1, dims, false, &args) && read_counting(call, 5, &work) &&
           run_windows(call, &work, &args, LOOPS(average_pool));
}

// (grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
static bool average_pool_backward(OpCall *call, int dims)
{
    PoolWork work = {0};
    PoolArgs args;
    set_sizes(&work, call_tensor(call, 1), call_tensor(call, 0), dims);
    return read_args(call, 2, dims, false, &args) && read_counting(call, 6, &work) &&
           run_windows(call, &work, &args, LOOPS(average_pool_backward));
}

bool KERNEL(kernel_avg_pool2d)(OpCall *call)
{
    return average_pool(call, 2);
}

bool KERNEL(kernel_avg_pool3d)(OpCall *call)
{
    return average_pool(call, 3);
}

bool KERNEL(kernel_avg_pool2d_backward)(OpCall *call)
{
    return average_pool_backward(call, 2);
}

bool KERNEL(kernel_avg_pool3d_backward)(OpCall *call)
{
    return average_pool_backward(call, 3);
}

static bool adaptive_average(OpCall *call, int dims)
{
    PoolWork work = {0};
    set_sizes(&work, call_tensor(call, 0), call->results[0].tensor, dims);
    return run_windows(call, &work, &adaptive, LOOPS(average_pool));
}

static bool adaptive_average_backward(OpCall *call, int dims)
{
    PoolWork work = {0};
    set_sizes(&work, call_tensor(call, 1), call_tensor(call, 0), dims);
    return run_windows(call, &work, &adaptive, LOOPS(average_pool_backward));
}

bool KERNEL(kernel_adaptive_avg_pool2d)(OpCall *call)
{
    return adaptive_average(call, 2);
}

bool KERNEL(kernel_adaptive_avg_pool3d)(OpCall *call)
{
    return adaptive_average(call, 3);
}

bool KERNEL(kernel_adaptive_avg_pool2d_backward)(OpCall *call)
{
    return adaptive_average_backward(call, 2);
}

bool KERNEL(kernel_adaptive_avg_pool3d_backward)(OpCall *call)
{
    return adaptive_average_backward(call, 3);
}
