// Kernels of masks: masked_fill, masked_select, masked_scatter, where, nonzero, repeat_interleave.
#include "objects/error.h"
#include "objects/tensor/convert.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"

// ---- where, masked_fill: one loop for each size of an element

#define CHOOSES(bits)                                                                              \
    static void choose_##bits(int64_t n, char *const *data, const void *scalars)                   \
    {                                                                                              \
        uint##bits##_t *out = (void *)data[0];                                                     \
        const uint8_t *mask = (const void *)data[1];                                               \
        const uint##bits##_t *a = (const void *)data[2], *b = (const void *)data[3];               \
        (void)scalars;                                                                             \
        for (int64_t i = 0; i < n; i++) out[i] = mask[i] ? a[i] : b[i];                            \
    }
CHOOSES(8)
CHOOSES(32)
CHOOSES(64)
CHOOSES(128)

static Loop choose_loop(Dtype computed)
{
    size_t size = dtype_size(computed);
    return size == 1 ? choose_8 : size == 4 ? choose_32 : size == 8 ? choose_64 : choose_128;
}

typedef struct Number {
    _Alignas(16) char element[DTYPE_LARGEST];
} Number;

// Adds a Tensor, or a number that is stored in *number.
static bool add_choice(Iteration *iteration, ValueRef slot, Dtype dtype, Number *number)
{
    Dtype computed = dtype_computed(dtype);
    if (tensor_check(slot)) {
        iteration_add(iteration, as_tensor(slot), computed);
        return true;
    }
    if (!element_store_fitting(dtype, slot, number->element)) return false;
    iteration_add_element(iteration, dtype, number->element, computed);
    return true;
}

bool KERNEL(kernel_where)(OpCall *call)
{
    Iteration iteration;
    Number numbers[2];
    const Tensor *result = call->results[0].tensor;
    Dtype dtype = tensor_dtype(result);
    iteration_begin(&iteration, result->ndim, tensor_sizes(result), 1);
    iteration_add(&iteration, result, dtype_computed(dtype));
    iteration_add(&iteration, call_tensor(call, 0), DTYPE_bool);
    for (int i = 0; i < 2; i++)
        if (!add_choice(&iteration, call->slots[i + 1], dtype, &numbers[i])) return false;
    iteration_run(&iteration, choose_loop(dtype_computed(dtype)), NULL);
    return true;
}

// Are there more elements than places in memory? Then what one has written is the other's as well.
static bool shares_places(const Tensor *tensor)
{
    int64_t places = 1;
    for (int i = 0; i < tensor->ndim; i++)
        places += (tensor_size(tensor, i) - 1) * tensor_stride(tensor, i);
    return places < tensor->numel;
}

bool KERNEL(kernel_masked_fill)(OpCall *call)
{
    Iteration iteration;
    Number number;
    const Tensor *result = call->results[0].tensor;
    Dtype computed = dtype_computed(tensor_dtype(result));
    iteration_begin(&iteration, result->ndim, tensor_sizes(result), 1);
    iteration_add(&iteration, result, computed);
    iteration_add(&iteration, call_tensor(call, 1), DTYPE_bool);
    if (!add_choice(&iteration, call->slots[2], tensor_dtype(result), &number)) return false;
    iteration_add(&iteration, result, computed);
    if (shares_places(result)) iteration.chunk = 1;
    iteration_run(&iteration, choose_loop(computed), NULL);
    return true;
}

// ---- masked_select, masked_scatter

static int64_t count_true(const uint8_t *mask, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) count += mask[i] != 0;
    return count;
}

#define PACKS(bits)                                                                                \
    static void pack_##bits(const uint8_t *mask, int64_t n, const void *from, void *to)            \
    {                                                                                              \
        const uint##bits##_t *in = from;                                                           \
        uint##bits##_t *out = to;                                                                  \
        for (int64_t i = 0; i < n; i++)                                                            \
            if (mask[i]) *out++ = in[i];                                                           \
    }                                                                                              \
    static void unpack_##bits(const uint8_t *mask, int64_t n, const void *from, void *to)          \
    {                                                                                              \
        const uint##bits##_t *in = from;                                                           \
        uint##bits##_t *out = to;                                                                  \
        for (int64_t i = 0; i < n; i++)                                                            \
            if (mask[i]) out[i] = *in++;                                                           \
    }
PACKS(8)
PACKS(16)
PACKS(32)
PACKS(64)
PACKS(128)

typedef void (*Pack)(const uint8_t *mask, int64_t n, const void *from, void *to);

static Pack pack_of(size_t size, bool unpacks)
{
    switch (size) {
    case 1: return unpacks ? unpack_8 : pack_8;
    case 2: return unpacks ? unpack_16 : pack_16;
    case 4: return unpacks ? unpack_32 : pack_32;
    case 8: return unpacks ? unpack_64 : pack_64;
    default: return unpacks ? unpack_128 : pack_128;
    }
}

// A tensor expanded to a shape, dense: owned.
static Value spread(const Tensor *tensor, Dtype dtype, const Shape *shape)
{
    Value made = tensor_new(dtype, shape->ndim, shape->size);
    if (!made || iterate_copy(as_tensor(made), tensor)) return made;
    drop(made);
    return VALUE_ERROR;
}

static bool select_masked(OpCall *call, const Tensor *self, const Tensor *mask, const Shape *common)
{
    Value flags = spread(mask, DTYPE_bool, common);
    Value data = flags ? spread(self, tensor_dtype(self), common) : VALUE_ERROR;
    bool done = data != VALUE_ERROR;
    if (done) {
        int64_t n = as_tensor(flags)->numel;
        const Dim sizes[] = {from_small(count_true(tensor_elements(flags), n))};
        Tensor *result = call_allocate(call, tensor_dtype(self), 1, sizes);
        done = result != NULL;
        if (done)
            pack_of(dtype_size(tensor_dtype(self)),
                    false)(tensor_elements(flags), n, tensor_elements(data), tensor_data(result));
    }
    drop(flags);
    drop(data);
    return done;
}

bool KERNEL(kernel_masked_select)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *mask = call_tensor(call, 1);
    Shape common;
    shape_init(&common, 0);
    if (tensor_dtype(mask) != DTYPE_bool)
        return raise_error(RuntimeError, "masked_select: expected BoolTensor for mask");
    return shape_broadcast(&common, mask->ndim, tensor_sizes(mask)) &&
           shape_broadcast(&common, self->ndim, tensor_sizes(self)) &&
           select_masked(call, self, mask, &common);
}

static bool scatter_masked(Tensor *result, ValueRef data, const uint8_t *flags, Tensor *source)
{
    if (count_true(flags, result->numel) > source->numel)
        return raise_error(RuntimeError, "Number of elements of source < number of ones in mask");
    Value from = tensor_dense(source, tensor_dtype(source));
    if (!from) return false;
    pack_of(dtype_size(tensor_dtype(result)), true)(flags, result->numel, tensor_elements(from),
                                                    tensor_elements(data));
    drop(from);
    return as_tensor(data) == result || iterate_copy(result, as_tensor(data));
}

bool KERNEL(kernel_masked_scatter)(OpCall *call)
{
    Tensor *result = call->results[0].tensor;
    Shape shape;
    tensor_shape(result, &shape);
    Value flags = spread(call_tensor(call, 1), DTYPE_bool, &shape);
    Value data = flags ? tensor_dense(result, tensor_dtype(result)) : VALUE_ERROR;
    bool done = data && scatter_masked(result, data, tensor_elements(flags), call_tensor(call, 2));
    drop(flags);
    drop(data);
    return done;
}

// ---- nonzero, repeat_interleave

// Goes to the next element in row-major order.
static void next_position(const Tensor *self, int64_t *position)
{
    for (int i = self->ndim; i-- > 0; position[i] = 0)
        if (++position[i] < tensor_size(self, i)) return;
}

// The j-th number of a position goes to the j-th of the rows, each of `count` numbers.
static void write_positions(const Tensor *self, const uint8_t *flags, int64_t count, int64_t *rows)
{
    int64_t position[TENSOR_MAX_DIMS] = {0};
    for (int64_t i = 0; i < self->numel; i++) {
        for (int j = 0; flags[i] && j < self->ndim; j++) rows[j * count] = position[j];
        rows += flags[i] != 0;
        next_position(self, position);
    }
}

// Makes the transpose of a matrix out of the matrix that is the result.
static bool transpose_result(OpCall *call)
{
    Shape shape, *planned = &call->results[0].shape;
    Tensor *result = call->results[0].tensor;
    tensor_shape(result, &shape);
    Dim size = shape.size[0];
    shape.size[0] = shape.size[1], shape.stride[0] = shape.stride[1];
    shape.size[1] = size, shape.stride[1] = shape.size[0];              // 0 where nothing is found
    planned->size[0] = shape.size[0], planned->size[1] = shape.size[1]; // both are small ints
    bool done = tensor_set_shape(result, &shape);
    shape_drop(&shape);
    return done;
}

bool KERNEL(kernel_nonzero)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0);
    Value flags = tensor_dense(self, DTYPE_bool);
    if (!flags) return false;
    const uint8_t *data = tensor_elements(flags);
    int64_t count = count_true(data, self->numel);
    const Dim sizes[] = {from_small(self->ndim), from_small(count)};
    Tensor *result = call_allocate(call, DTYPE_int64, 2, sizes);
    if (result) write_positions(self, data, count, (void *)tensor_data(result));
    drop(flags);
    return result && transpose_result(call);
}

// The sum of the counts, at most INT64_MAX; -1 with RuntimeError pending if one is negative.
static int64_t sum_counts(const int64_t *counts, int64_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        if (counts[i] < 0) {
            raise_error(RuntimeError, "repeats can not be negative");
            return -1;
        }
        if (__builtin_add_overflow(sum, counts[i], &sum)) sum = INT64_MAX;
    }
    return sum;
}

static bool repeat_indices(OpCall *call, const int64_t *counts, int64_t n)
{
    int64_t sum = sum_counts(counts, n), expected;
    if (sum < 0) return false;
    if (call_has(call, 1)) {
        if (!call_int(call, 1, &expected)) return false;
        if (expected != sum)
            return raise_error(RuntimeError, "allocated size does not match required size");
    }
    Dim size;
    if (!dim_from(sum, &size)) return false;
    const Tensor *result = call_allocate(call, tensor_dtype(call_tensor(call, 0)), 1, &size);
    Value numbers = result ? tensor_new(DTYPE_int64, 1, &size) : VALUE_ERROR;
    if (!numbers) return false;
    int64_t *to = tensor_elements(numbers);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < counts[i]; j++) *to++ = i;
    bool done = iterate_copy(call->results[0].tensor, as_tensor(numbers));
    drop(numbers);
    return done;
}

bool KERNEL(kernel_repeat_interleave)(OpCall *call)
{
    Tensor *repeats = call_tensor(call, 0);
    if (repeats->ndim != 1)
        return raise_error(RuntimeError, "repeat_interleave only accept 1D vector as repeat");
    if (tensor_dtype(repeats) != DTYPE_int64 && tensor_dtype(repeats) != DTYPE_int32)
        return raise_error(RuntimeError, "\"repeat_interleave_cpu\" not implemented for '%s'",
                           dtype_table[repeats->dtype].scalar);
    Value counts = tensor_dense(repeats, DTYPE_int64);
    bool done = counts && repeat_indices(call, tensor_elements(counts), repeats->numel);
    drop(counts);
    return done;
}
