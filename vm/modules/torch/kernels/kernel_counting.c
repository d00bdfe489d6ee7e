// Kernels that look for equal elements: unique, bincount, histc.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/element.h"
#include "objects/tensor/iterate.h"
#include "objects/tensor/order.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/kernels.h"

#include <math.h>
#include <stdio.h>

// ---- unique

// What unique() gives of a sequence of groups: the element that stands for each group, the group of
// each element, and how many elements it has.
typedef struct Groups {
    int64_t n, count;
    Value memory;     // of the three; owned
    int64_t *first;   // of each group: an index of an element; count of them
    int64_t *group;   // of each element
    int64_t *members; // of each group
} Groups;

static bool groups_open(Groups *groups, int64_t n)
{
    *groups = (Groups){.n = n, .memory = order_memory(2 * n)}; // an item has two numbers
    if (!groups->memory) return false;
    groups->first = tensor_elements(groups->memory);
    groups->group = groups->first + n;
    groups->members = groups->group + n;
    return true;
}

static void groups_leave(Groups *groups)
{
    drop(groups->memory);
}

// Adds the element `index` to the last group, or begins a new one.
static void groups_add(Groups *groups, int64_t index, bool begins)
{
    if (begins) {
        groups->first[groups->count] = index;
        groups->members[groups->count++] = 0;
    }
    groups->group[index] = groups->count - 1;
    groups->members[groups->count - 1]++;
}

// A result of int64 numbers; of size 0 if it is not asked for.
static bool give_numbers(OpCall *call, const int64_t *numbers, int ndim, const Dim *sizes,
                         bool asked)
{
    const Dim none[] = {from_small(0)};
    const Tensor *result = asked ? call_allocate(call, DTYPE_int64, ndim, sizes)
                                 : call_allocate(call, DTYPE_int64, 1, none);
    if (result) memcpy(tensor_data(result), numbers, 8 * (size_t)result->numel);
    return result != NULL;
}

#define PICKS(bits)                                                                                \
    static void pick_##bits(int64_t n, const int64_t *index, const void *from, void *to)           \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                            \
            ((uint##bits##_t *)to)[i] = ((const uint##bits##_t *)from)[index[i]];                  \
    }
PICKS(8)
PICKS(16)
PICKS(32)
PICKS(64)

// The elements that stand for the groups, out of a dense tensor: the first result.
static bool give_elements(OpCall *call, const Groups *groups, ValueRef dense)
{
    const Tensor *self = call_tensor(call, 0);
    const Dim sizes[] = {from_small(groups->count)};
    Tensor *result = call_allocate(call, tensor_dtype(self), 1, sizes);
    if (!result) return false;
    const void *from = tensor_elements(dense);
    void *to = tensor_data(result);
    switch (dtype_size(tensor_dtype(self))) {
    case 1: pick_8(groups->count, groups->first, from, to); return true;
    case 2: pick_16(groups->count, groups->first, from, to); return true;
    case 4: pick_32(groups->count, groups->first, from, to); return true;
    default: pick_64(groups->count, groups->first, from, to); return true;
    }
}

// Inverse and counts; the inverse has these sizes.
static bool give_groups(OpCall *call, const Groups *groups, int ndim, const Dim *sizes,
                        bool inverse, bool counts)
{
    const Dim count[] = {from_small(groups->count)};
    return give_numbers(call, groups->group, ndim, sizes, inverse) &&
           give_numbers(call, groups->members, 1, count, counts);
}

// A NaN is equal to nothing, itself included.
static bool same_key(const Item *items, int64_t a, int64_t b, bool floats)
{
    return items[a].key == items[b].key && !(floats && items[a].key == ~(uint64_t)0);
}

// The items of all elements, in memory for 2 n items: owned.
static Value all_items(Tensor *self, bool sorted)
{
    Dtype computed = dtype_computed(tensor_dtype(self));
    Value memory = order_memory(2 * self->numel);
    Value dense = memory ? tensor_dense(self, computed) : VALUE_ERROR;
    if (!dense) {
        drop(memory);
        return VALUE_ERROR;
    }
    Item *items = tensor_elements(memory);
    order_items(items, tensor_elements(dense), computed, self->numel, false);
    if (sorted) order_sort(items, self->numel, items + self->numel);
    drop(dense);
    return memory;
}

static bool unique_elements(OpCall *call, bool inverse, bool counts)
{
    Tensor *self = call_tensor(call, 0);
    bool floats = dtype_is_floating(tensor_dtype(self));
    Groups groups = {0};
    Value memory = all_items(self, true);
    if (!memory) return false;
    if (!groups_open(&groups, self->numel)) {
        drop(memory);
        return false;
    }
    const Item *items = tensor_elements(memory);
    for (int64_t i = 0; i < self->numel; i++)
        groups_add(&groups, items[i].index, i == 0 || !same_key(items, i, i - 1, floats));
    Value dense = tensor_dense(self, tensor_dtype(self));
    bool done = dense && give_elements(call, &groups, dense) &&
                give_groups(call, &groups, self->ndim, tensor_sizes(self), inverse, counts);
    drop(dense);
    drop(memory);
    groups_leave(&groups);
    return done;
}

bool KERNEL(kernel_unique)(OpCall *call)
{
    bool counts = call_bool(call, 3);
    return unique_elements(call, call_bool(call, 2) || counts, counts);
}

// ---- runs of equal elements

#define RUNS(name, type)                                                                           \
    static int64_t name(const type *x, int64_t n, int64_t *first)                                  \
    {                                                                                              \
        int64_t count = 0;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                          \
            first[count] = i; /* if no run begins here, the next one writes over it */             \
            count += i == 0 || x[i] != x[i - 1];                                                   \
        }                                                                                          \
        return count;                                                                              \
    }
RUNS(runs_float32, float)
RUNS(runs_float64, double)
RUNS(runs_int64, int64_t)
RUNS(runs_int32, int32_t)
RUNS(runs_bool, uint8_t)

// Where the runs of n elements begin; how many there are. A NaN is a run of its own.
static int64_t find_runs(ValueRef dense, int64_t n, int64_t *first)
{
    const void *x = tensor_elements(dense);
    switch (tensor_dtype(as_tensor(dense))) {
    case DTYPE_float32: return runs_float32(x, n, first);
    case DTYPE_float64: return runs_float64(x, n, first);
    case DTYPE_int64: return runs_int64(x, n, first);
    case DTYPE_int32: return runs_int32(x, n, first);
    default: return runs_bool(x, n, first);
    }
}

// The group of each element, and how many elements a group has, from where its run begins.
static void number_runs(Groups *groups)
{
    for (int64_t g = 0; g < groups->count; g++) {
        int64_t end = g + 1 < groups->count ? groups->first[g + 1] : groups->n;
        groups->members[g] = end - groups->first[g];
        for (int64_t i = groups->first[g]; i < end; i++) groups->group[i] = g;
    }
}

static bool unique_runs(OpCall *call, bool inverse, bool counts)
{
    Tensor *self = call_tensor(call, 0);
    Groups groups;
    Value computed = tensor_dense(self, dtype_computed(tensor_dtype(self)));
    Value dense = computed ? tensor_dense(self, tensor_dtype(self)) : VALUE_ERROR;
    bool done = dense && groups_open(&groups, self->numel);
    if (done) {
        groups.count = find_runs(computed, self->numel, groups.first);
        if (inverse || counts) number_runs(&groups);
        done = give_elements(call, &groups, dense) &&
               give_groups(call, &groups, self->ndim, tensor_sizes(self), inverse, counts);
        groups_leave(&groups);
    }
    drop(computed);
    drop(dense);
    return done;
}

// ---- unique slices along a dimension

typedef struct Slices {
    const uint64_t *keys; // rows of `width` keys
    int64_t width;
} Slices;

static int compare_slices(const Slices *slices, int64_t a, int64_t b)
{
    const uint64_t *left = slices->keys + a * slices->width;
    const uint64_t *right = slices->keys + b * slices->width;
    for (int64_t i = 0; i < slices->width; i++)
        if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    return 0;
}

// A stable merge sort of indices of slices. `other` has room for n.
static void sort_slices(const Slices *slices, int64_t *order, int64_t n, int64_t *other)
{
    if (n < 2) return;
    int64_t half = n / 2, a = 0, b = half;
    sort_slices(slices, order, half, other);
    sort_slices(slices, order + half, n - half, other);
    for (int64_t i = 0; i < n; i++) {
        bool right = a == half || (b < n && compare_slices(slices, order[b], order[a]) < 0);
        other[i] = order[right ? b++ : a++];
    }
    memcpy(order, other, (size_t)n * sizeof *order);
}

static void group_slices(const Slices *slices, Groups *groups, const int64_t *order)
{
    for (int64_t i = 0; i < groups->n; i++) {
        bool begins = i == 0 || compare_slices(slices, order[i], order[i - 1]) != 0;
        groups_add(groups, order[i], begins);
    }
}

// The chosen slices of self along dim: index_select.
static bool give_slices(OpCall *call, const Groups *groups, int64_t dim)
{
    const Tensor *self = call_tensor(call, 0);
    const Dim count[] = {from_small(groups->count)};
    Dim sizes[TENSOR_MAX_DIMS];
    Value index = tensor_new(DTYPE_int64, 1, count);
    if (!index) return false;
    memcpy(tensor_elements(index), groups->first, 8 * (size_t)groups->count);
    const ValueRef args[] = {call->slots[0], from_small(dim), index};
    Value chosen = op_apply(OP_index_select_, false, args, 3);
    for (int i = 0; i < self->ndim; i++) sizes[i] = i == dim ? count[0] : tensor_sizes(self)[i];
    Tensor *result = chosen ? call_allocate(call, tensor_dtype(self), self->ndim, sizes) : NULL;
    bool done = result && iterate_copy(result, as_tensor(chosen));
    drop(index);
    drop(chosen);
    return done;
}

static bool check_slices(const Tensor *self, int64_t dim)
{
    for (int i = 0; i < self->ndim; i++)
        if (i != dim && tensor_size(self, i) == 0 && tensor_size(self, (int)dim) != 0)
            return raise_error(RuntimeError, "There are 0 sized dimensions, and they aren't "
                                             "selected, so unique cannot be applied");
    return true;
}

// The keys of all elements, slice by slice: owned.
static Value slice_keys(Tensor *self, int64_t dim)
{
    Value moved = tensor_last(self, ~((uint64_t)1 << dim));
    Value memory = moved ? all_items(as_tensor(moved), false) : VALUE_ERROR;
    const Item *items = memory ? tensor_elements(memory) : NULL;
    uint64_t *keys = (void *)items; // in their own place
    for (int64_t i = 0; items && i < self->numel; i++) keys[i] = items[i].key;
    drop(moved);
    return memory;
}

static bool unique_slices(OpCall *call, int64_t dim, bool sorted, bool inverse, bool counts)
{
    Tensor *self = call_tensor(call, 0);
    int64_t n = self->ndim ? tensor_size(self, (int)dim) : 1;
    const Dim sizes[] = {from_small(n)};
    Groups groups = {0};
    if (!check_slices(self, dim) || !groups_open(&groups, n)) return false;
    int64_t *order = memory_alloc(2 * ((size_t)n + 1) * sizeof *order);
    Value keys = order ? slice_keys(self, dim) : VALUE_ERROR;
    if (!order) raise_memory_error();
    Slices slices = {keys ? tensor_elements(keys) : NULL, n ? self->numel / n : 0};
    for (int64_t i = 0; order && i < n; i++) order[i] = i;
    if (keys && sorted) sort_slices(&slices, order, n, order + n);
    if (keys) group_slices(&slices, &groups, order);
    bool done = keys && give_slices(call, &groups, dim) &&
                give_groups(call, &groups, 1, sizes, inverse, counts);
    drop(keys);
    memory_free(order);
    groups_leave(&groups);
    return done;
}

bool KERNEL(kernel_unique_dim)(OpCall *call)
{
    int64_t dim;
    return call_dim(call, 1, call_tensor(call, 0)->ndim, &dim) &&
           unique_slices(call, dim, true, call_bool(call, 3), call_bool(call, 4));
}

bool KERNEL(kernel_unique_consecutive)(OpCall *call)
{
    int64_t dim;
    if (!call_has(call, 3)) return unique_runs(call, call_bool(call, 1), call_bool(call, 2));
    return call_dim(call, 3, call_tensor(call, 0)->ndim, &dim) &&
           unique_slices(call, dim, false, call_bool(call, 1), call_bool(call, 2));
}

// ---- bincount

static bool check_bincount(const OpCall *call, int64_t least)
{
    const Tensor *self = call_tensor(call, 0), *weights = call_optional(call, 1);
    if (dtype_category(tensor_dtype(self)) != DTYPE_INTEGER)
        return raise_error(RuntimeError, "\"bincount_cpu\" not implemented for '%s'",
                           dtype_table[self->dtype].scalar);
    if (least < 0) return raise_error(RuntimeError, "minlength should be >= 0");
    if (self->ndim != 1 && self->numel)
        return raise_error(RuntimeError,
                           "bincount only supports 1-d non-negative integral inputs.");
    if (weights && (weights->ndim != 1 || weights->numel != self->numel))
        return raise_error(RuntimeError, "weights should be 1-d and have the same length as input");
    return true;
}

// One more than the largest number; -1 with RuntimeError pending if there is a negative one.
static int64_t count_bins(const int64_t *numbers, int64_t n, int64_t least)
{
    int64_t bins = least, smallest = 0;
    for (int64_t i = 0; i < n; i++) {
        if (numbers[i] < smallest) smallest = numbers[i];
        if (numbers[i] >= bins) bins = numbers[i] + (numbers[i] < INT64_MAX);
    }
    if (smallest == 0) return bins;
    raise_error(RuntimeError, "bincount only supports 1-d non-negative integral inputs.");
    return -1;
}

static void add_weights(const int64_t *numbers, int64_t n, ValueRef weights, Tensor *result)
{
    const float *single = weights ? tensor_elements(weights) : NULL;
    const double *twice = weights ? tensor_elements(weights) : NULL;
    int64_t *counts = (void *)tensor_data(result);
    float *singles = (void *)counts;
    double *doubles = (void *)counts;
    memset(counts, 0, (size_t)result->numel * dtype_size(tensor_dtype(result)));
    for (int64_t i = 0; i < n; i++)
        if (!weights)
            counts[numbers[i]]++;
        else if (tensor_dtype(result) == DTYPE_float32)
            singles[numbers[i]] += single[i];
        else
            doubles[numbers[i]] += twice[i];
}

bool KERNEL(kernel_bincount)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0), *weights = call_optional(call, 1);
    int64_t least;
    if (!call_int(call, 2, &least) || !check_bincount(call, least)) return false;
    Dtype dtype = !weights                                 ? DTYPE_int64
                  : tensor_dtype(weights) == DTYPE_float32 ? DTYPE_float32
                                                           : DTYPE_float64;
    Value numbers = tensor_dense(self, DTYPE_int64);
    Value factors = numbers && weights ? tensor_dense(weights, dtype) : VALUE_ERROR;
    bool done = numbers && (factors || !weights);
    int64_t bins = done ? count_bins(tensor_elements(numbers), self->numel, least) : -1;
    Dim size;
    bool fits = bins >= 0 && dim_from(bins, &size);
    Tensor *result = fits ? call_allocate(call, dtype, 1, &size) : NULL;
    if (result) add_weights(tensor_elements(numbers), self->numel, factors, result);
    drop(numbers);
    drop(factors);
    return result != NULL;
}

// ---- histc

// The bounds: those given, or those of the elements if both are equal.
static bool find_bounds(const double *x, int64_t n, double *low, double *high)
{
    if (*low == *high && n) {
        *low = *high = x[0];
        for (int64_t i = 0; i < n; i++) {
            if (x[i] < *low) *low = x[i];
            if (x[i] > *high) *high = x[i];
            if (x[i] != x[i] && n > 1) *low = *high = -(double)NAN; // with this sign in PyTorch
        }
    }
    if (*low == *high) { // of large numbers they stay equal
        *low -= 1;
        *high += 1;
    }
    if (*low - *low != 0 || *high - *high != 0) {
        char first[24], second[24];
        snprintf(first, sizeof first, "%g", *low);
        snprintf(second, sizeof second, "%g", *high);
        return raise_error(RuntimeError, "torch.histc: range of [%s, %s] is not finite", first,
                           second);
    }
    return *low < *high || raise_error(RuntimeError, "torch.histc: max must be larger than min");
}

// Where x stands among the bins, in the precision of the elements: what overflows or is no number
// is in the first one.
static int64_t place_of(double x, double low, double high, int64_t bins, Dtype dtype)
{
    double place = dtype == DTYPE_float64
                       ? (x - low) * (double)bins / (high - low)
                       : (double)(((float)x - (float)low) * (float)bins / (float)(high - low));
    int64_t bin = double_to_int64(place);
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
}

// Between bounds whose distance overflows there is nothing.
static void count_between(const double *x, int64_t n, double low, double high, double *counts,
                          int64_t bins, Dtype dtype)
{
    if (dtype != DTYPE_float64) {
        low = (double)(float)low;
        high = (double)(float)high;
    }
    double distance = dtype == DTYPE_float64 ? high - low : (double)(float)(high - low);
    memset(counts, 0, (size_t)bins * sizeof *counts);
    for (int64_t i = 0; i < n && isfinite(distance); i++)
        if (x[i] >= low && x[i] <= high) counts[place_of(x[i], low, high, bins, dtype)]++;
}

bool KERNEL(kernel_histc)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    double low, high;
    Dtype dtype = tensor_dtype(self);
    if (!call_double(call, 2, &low) || !call_double(call, 3, &high)) return false;
    for (int i = 2; i < 4; i++)
        if (low != high && !element_fits(dtype, call->slots[i])) return false;
    Value elements = tensor_dense(self, DTYPE_float64);
    Value counts = elements ? tensor_new(DTYPE_float64, 1, tensor_sizes(result)) : VALUE_ERROR;
    bool done = counts && find_bounds(tensor_elements(elements), self->numel, &low, &high);
    if (done)
        count_between(tensor_elements(elements), self->numel, low, high, tensor_elements(counts),
                      result->numel, dtype);
    done = done && iterate_copy(result, as_tensor(counts));
    drop(elements);
    drop(counts);
    return done;
}
