// Padding: with a number, by reflection, or with the nearest element; and the gradients.
#include "objects/error.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/call/windows.h"
#include "vm/modules/torch/kernels/kernels.h"

// ---- constant_pad_nd: (self, pad, value); pad has (before, after) of the last dimension first

// The parts of input and result that correspond, as two shapes. A negative padding cuts off.
static bool common_part(const OpCall *call, const Tensor *self, Shape *from, Shape *to)
{
    Dim pad[TENSOR_MAX_DIMS];
    int count = call_dims(call, 1, pad);
    if (count < 0) return false;
    int64_t from_offset = small_value(from->offset), to_offset = small_value(to->offset);
    for (int i = 0; i < count / 2; i++) {
        int dim = self->ndim - 1 - i;
        int64_t before = small_value(pad[2 * i]), after = small_value(pad[2 * i + 1]);
        int64_t cut = before < 0 ? -before : 0, skip = before > 0 ? before : 0;
        int64_t size = tensor_size(self, dim) - cut + (after < 0 ? after : 0);
        if (size < 0) size = 0;
        from->size[dim] = to->size[dim] = dim_of(size);
        from_offset += cut * small_value(from->stride[dim]);
        to_offset += skip * small_value(to->stride[dim]);
    }
    from->offset = dim_of(from_offset);
    to->offset = dim_of(to_offset);
    return true;
}

bool KERNEL(kernel_constant_pad)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    char element[DTYPE_LARGEST];
    Shape from, to;
    if (!element_store_fitting(tensor_dtype(result), call->slots[2], element)) return false;
    iterate_fill(result, element);
    tensor_shape(self, &from);
    tensor_shape(result, &to);
    if (!common_part(call, self, &from, &to)) return false;
    Value inner = tensor_view(self, &from), target = inner ? tensor_view(result, &to) : VALUE_ERROR;
    bool done = target && iterate_copy(as_tensor(target), as_tensor(inner));
    drop(inner);
    drop(target);
    return done;
}

// ---- reflection and replication: (self, padding)

typedef struct PadWork {
    int64_t planes, in[WINDOW_DIMS], out[WINDOW_DIMS];
    const int64_t *source[WINDOW_DIMS]; // of each index of the output, the index in the input
} PadWork;

static int64_t reflected(int64_t i, int64_t n)
{
    if (i < 0) return -i;
    return i < n ? i : 2 * (n - 1) - i;
}

static int64_t nearest(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

// Fills in the sizes and the sources: their memory, owned.
static Value make_sources(OpCall *call, const Tensor *input, const Tensor *output, bool reflects,
                          PadWork *work)
{
    Dim pad[TENSOR_MAX_DIMS];
    int count = call_dims(call, call->schema->count - 1, pad), dims = count / 2;
    if (count < 0) return VALUE_ERROR;
    window_sizes(input, dims, work->in);
    window_sizes(output, dims, work->out);
    work->planes = 1;
    for (int i = 0; i < input->ndim - dims; i++) work->planes *= tensor_size(input, i);
    Dim length = dim_of(work->out[0] + work->out[1] + work->out[2]);
    Value memory = tensor_new(DTYPE_int64, 1, &length);
    if (!memory) return VALUE_ERROR;
    int64_t *source = (int64_t *)(void *)tensor_data(as_tensor(memory));
    for (int i = 0; i < WINDOW_DIMS; i++) {
        int behind = WINDOW_DIMS - 1 - i;
        int64_t before = behind < dims ? small_value(pad[2 * behind]) : 0;
        work->source[i] = source;
        for (int64_t o = 0; o < work->out[i]; o++)
            *source++ =
                reflects ? reflected(o - before, work->in[i]) : nearest(o - before, work->in[i]);
    }
    return memory;
}

// Calls the statement for each element of the output: `at` is its index in the input.
#define FOR_ELEMENTS(work, at, statement)                                                          \
    for (int64_t plane = 0; plane < (work)->planes; plane++)                                       \
        for (int64_t z = 0; z < (work)->out[0]; z++)                                               \
            for (int64_t y = 0; y < (work)->out[1]; y++)                                           \
                for (int64_t x = 0; x < (work)->out[2]; x++) {                                     \
                    int64_t line = plane * (work)->in[0] + (work)->source[0][z];                   \
                    line = line * (work)->in[1] + (work)->source[1][y];                            \
                    int64_t at = line * (work)->in[2] + (work)->source[2][x];                      \
                    statement;                                                                     \
                }

// How many elements of a line, from its element `first` on, are neighbours in the input as well.
static int64_t run_from(const PadWork *work, int64_t first)
{
    const int64_t *source = work->source[2];
    int64_t end = first + 1;
    while (end < work->out[2] && source[end] == source[end - 1] + 1) end++;
    return end - first;
}

// The longest run of a line is copied at once; it is the one that begins with the input's line.
static void gather(const PadWork *work, const char *from, char *to, size_t size)
{
    int64_t first = 0, length = 1;
    for (int64_t x = 0, run; x < work->out[2]; x += run) {
        run = run_from(work, x);
        if (run > length) first = x, length = run;
    }
    FOR_ELEMENTS(work, at, {
        int64_t run = x == first ? length : 1;
        memcpy(to, from + (size_t)at * size, (size_t)run * size);
        to += (size_t)run * size;
        x += run - 1;
    })
}

static void scatter_float(const PadWork *work, const float *grad, float *to)
{
    FOR_ELEMENTS(work, at, to[at] += *grad++)
}

static void scatter_double(const PadWork *work, const double *grad, double *to)
{
    FOR_ELEMENTS(work, at, to[at] += *grad++)
}

static bool pad(OpCall *call, bool reflects)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    PadWork work;
    Rows from;
    Value sources = make_sources(call, self, result, reflects, &work);
    bool done = sources && rows_read(&from, self, ROWS_AS_IS, tensor_dtype(self));
    if (done) {
        gather(&work, from.data, tensor_data(result), dtype_size(tensor_dtype(self)));
        rows_drop(&from);
    }
    drop(sources);
    return done;
}

bool KERNEL(kernel_reflection_pad)(OpCall *call)
{
    return pad(call, true);
}

bool KERNEL(kernel_replication_pad)(OpCall *call)
{
    return pad(call, false);
}

// (grad_output, self, padding)
static bool pad_backward(OpCall *call, bool reflects)
{
    Tensor *grad = call_tensor(call, 0), *result = call->results[0].tensor;
    Dtype dtype = dtype_computed(tensor_dtype(result));
    PadWork work;
    Rows from, to;
    if (!rows_read(&from, grad, ROWS_AS_IS, dtype)) return false;
    if (!rows_write(&to, result, ROWS_AS_IS, dtype)) return rows_drop(&from);
    Value sources = make_sources(call, result, grad, reflects, &work);
    if (sources) {
        memset(to.data, 0, (size_t)result->numel * dtype_size(dtype));
        if (dtype == DTYPE_float32)
            scatter_float(&work, from.data, to.data);
        else
            scatter_double(&work, from.data, to.data);
    }
    rows_drop(&from);
    bool done = sources ? rows_store(&to) : rows_drop(&to);
    drop(sources);
    return done;
}

bool KERNEL(kernel_reflection_pad_backward)(OpCall *call)
{
    return pad_backward(call, true);
}

bool KERNEL(kernel_replication_pad_backward)(OpCall *call)
{
    return pad_backward(call, false);
}
