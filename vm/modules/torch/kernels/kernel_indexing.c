// self[indices], self[indices] = values, take and put: elements chosen by several indices at once.
//
// The index tensors are turned into one table of distances: for each position of their common
// shape, the sum of index * stride over the indexed dimensions. Then the walk of indexed.h does the
// rest, with the table as index and 1 as dim_stride.
//
//     x[i, :, j]   ->   table[b] = i[b] * stride[0] + j[b] * stride[2],  result[b][k]
#include "objects/error.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/kernels/indexed.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/rules/rule_build.h"

// ---- the table

static bool raise_outside(int64_t index, int dim, int64_t size)
{
    if (size == 0)
        return raise_error(IndexError, "index is out of bounds for dimension with size 0");
    return raise_error(IndexError, "index %lld is out of bounds for dimension %d with size %lld",
                       (long long)index, dim, (long long)size);
}

// Adds the wrapped indices times the stride of dimension `dim` to the table. A message calls the
// number of the index the dimension.
static bool add_distances(Tensor *table, Tensor *index, const Tensor *self, int dim, int number)
{
    Value spread = tensor_new(DTYPE_int64, table->ndim, tensor_sizes(table));
    if (!spread || !iterate_copy(as_tensor(spread), index)) {
        drop(spread);
        return false;
    }
    const int64_t *numbers = tensor_elements(spread);
    int64_t *distances = (void *)tensor_data(table);
    int64_t size = tensor_size(self, dim), stride = tensor_stride(self, dim);
    int64_t bad = find_outside(numbers, table->numel, -size, size);
    for (int64_t i = 0; bad < 0 && i < table->numel; i++)
        distances[i] += (numbers[i] < 0 ? numbers[i] + size : numbers[i]) * stride;
    if (bad >= 0) raise_outside(numbers[bad], number, size);
    drop(spread);
    return bad < 0;
}

// The table of distances, in the common shape of the indices: owned.
static Value make_table(const Tensor *self, const ValueRef *indices, size_t count)
{
    Shape common;
    shape_init(&common, 0);
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        if (indices[i] != NONE)
            done = shape_broadcast(&common, as_tensor(indices[i])->ndim,
                                   tensor_sizes(as_tensor(indices[i])));
    Value table = done ? tensor_new(DTYPE_int64, common.ndim, common.size) : VALUE_ERROR;
    if (!table) return VALUE_ERROR;
    memset(tensor_elements(table), 0, 8 * (size_t)as_tensor(table)->numel);
    int number = 0;
    for (size_t i = 0; done && i < count; i++)
        if (indices[i] != NONE)
            done = add_distances(as_tensor(table), as_tensor(indices[i]), self, (int)i, number++);
    if (done) return table;
    drop(table);
    return VALUE_ERROR;
}

// ---- the walk

static void append_walk_dim(Indexed *walk, int64_t size, int64_t indexed, int64_t index)
{
    int i = walk->ndim++;
    walk->size[i] = size;
    walk->indexed.stride[i] = indexed;
    walk->index.stride[i] = index;
}

// A walk over the shape of self[indices].
static void walk_result(Indexed *walk, const Tensor *self, const ValueRef *indices, size_t count,
                        const Tensor *table)
{
    int position = index_result_position(indices, count);
    walk->ndim = 0;
    walk->dim_stride = 1;
    walk->element = dtype_size(tensor_dtype(self));
    walk->indexed.data = tensor_data(self);
    walk->index.data = tensor_data(table);
    for (int i = 0; i < self->ndim; i++) {
        for (int j = 0; i == position && j < table->ndim; j++)
            append_walk_dim(walk, tensor_size(table, j), 0, tensor_stride(table, j));
        if (i < (int)count && indices[i] != NONE) continue;
        append_walk_dim(walk, tensor_size(self, i), tensor_stride(self, i), 0);
    }
}

// The operand has the shape of the walk, or one that broadcasts to it.
static void broadcast_operand(const Indexed *walk, Operand *operand, const Tensor *tensor)
{
    int more = walk->ndim - tensor->ndim;
    operand->data = tensor_data(tensor);
    for (int i = 0; i < walk->ndim; i++) {
        bool repeats = i < more || tensor_size(tensor, i - more) == 1;
        operand->stride[i] = repeats ? 0 : tensor_stride(tensor, i - more);
    }
}

bool KERNEL(kernel_index)(OpCall *call)
{
    const Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    size_t count;
    Indexed walk;
    const ValueRef *indices = call_tensors(call, 1, &count);
    if (result->numel == 0) return true;
    Value table = make_table(self, indices, count);
    if (!table) return false;
    walk_result(&walk, self, indices, count, as_tensor(table));
    broadcast_operand(&walk, &walk.other, result);
    indexed_take(&walk);
    drop(table);
    return true;
}

// ---- index_put

INDEXED_COMBINES(add_float32, float, a + b)
INDEXED_COMBINES(add_float64, double, a + b)
INDEXED_COMBINES(add_int64, uint64_t, a + b)
INDEXED_COMBINES(add_int32, uint32_t, a + b)
INDEXED_COMBINES(add_bool, uint8_t, a || b) // `a` may be any byte: storage.h, raw_bools

static RowLoop add_loop(Dtype computed)
{
    switch (computed) {
    case DTYPE_float32: return add_float32;
    case DTYPE_float64: return add_float64;
    case DTYPE_int64: return add_int64;
    case DTYPE_int32: return add_int32;
    default: return add_bool;
    }
}

// Has the walk no position? Then indices are not checked.
static bool is_empty(const Tensor *self, const ValueRef *indices, size_t count)
{
    for (int i = 0; i < self->ndim; i++) {
        bool indexed = i < (int)count && indices[i] != NONE;
        if (indexed ? as_tensor(indices[i])->numel == 0 : tensor_size(self, i) == 0) return true;
    }
    return false;
}

// self[indices] (+)= values, in a dtype that is computed in (or any, if nothing is added).
static bool put_values(Tensor *self, const ValueRef *indices, size_t count, const Tensor *values,
                       bool accumulate)
{
    Indexed walk;
    if (is_empty(self, indices, count)) return true;
    Value table = make_table(self, indices, count);
    if (!table) return false;
    walk_result(&walk, self, indices, count, as_tensor(table));
    broadcast_operand(&walk, &walk.other, values);
    if (accumulate)
        indexed_run(&walk, add_loop(tensor_dtype(self)));
    else
        indexed_put(&walk);
    drop(table);
    return true;
}

// The same for any dtype: a narrow one is widened to be added to.
static bool put_any(Tensor *self, const ValueRef *indices, size_t count, Tensor *values,
                    bool accumulate)
{
    Dtype own = tensor_dtype(self), computed = dtype_computed(own);
    if (!accumulate && own != tensor_dtype(values)) {
        Value converted = tensor_dense(values, own);
        bool done = converted && put_values(self, indices, count, as_tensor(converted), false);
        drop(converted);
        return done;
    }
    if (!accumulate || computed == own) return put_values(self, indices, count, values, accumulate);
    Value wide = tensor_dense(self, computed);
    Value source = wide ? tensor_dense(values, computed) : VALUE_ERROR;
    bool done = source &&
                put_values(as_tensor(wide), indices, count, as_tensor(source), accumulate) &&
                iterate_copy(self, as_tensor(wide));
    drop(wide);
    drop(source);
    return done;
}

bool KERNEL(kernel_index_put)(OpCall *call)
{
    size_t count;
    const ValueRef *indices = call_tensors(call, 1, &count);
    return put_any(call->results[0].tensor, indices, count, call_tensor(call, 2),
                   call_bool(call, 3));
}

// ---- take, put: the tensor as one row

static bool check_flat(Tensor *given, int64_t numel)
{
    Value index = tensor_dense(given, DTYPE_int64);
    if (!index) return false;
    const int64_t *data = tensor_elements(index);
    int64_t bad = find_outside(data, given->numel, -numel, numel);
    if (bad >= 0)
        raise_error(IndexError,
                    "out of range: tried to access index %lld on a tensor of %lld elements.",
                    (long long)data[bad], (long long)numel);
    drop(index);
    return bad < 0;
}

// A contiguous tensor as a view of one dimension: owned.
static Value flat_view(Tensor *tensor)
{
    Shape shape;
    shape_init(&shape, 1);
    shape.offset = tensor->offset;
    shape.size[0] = from_small(tensor->numel);
    return shape_contiguous(&shape) ? tensor_view(tensor, &shape) : VALUE_ERROR;
}

// The elements of any tensor as one row: owned.
static Value flat_dense(Tensor *tensor)
{
    Value dense = tensor_dense(tensor, tensor_dtype(tensor));
    Value flat = dense ? flat_view(as_tensor(dense)) : VALUE_ERROR;
    drop(dense);
    return flat;
}

bool KERNEL(kernel_take)(OpCall *call)
{
    Tensor *self = call_tensor(call, 0), *result = call->results[0].tensor;
    Indexed walk;
    const ValueRef indices[] = {call->slots[1]};
    if (!check_flat(call_tensor(call, 1), self->numel)) return false;
    Value flat = flat_dense(self);
    Value table = flat ? make_table(as_tensor(flat), indices, 1) : VALUE_ERROR;
    if (table) {
        walk_result(&walk, as_tensor(flat), indices, 1, as_tensor(table));
        broadcast_operand(&walk, &walk.other, result);
        indexed_take(&walk);
    }
    drop(flat);
    drop(table);
    return table != VALUE_ERROR;
}

bool KERNEL(kernel_put)(OpCall *call)
{
    Tensor *self = call->results[0].tensor, *index = call_tensor(call, 1);
    if (!check_flat(index, self->numel)) return false;
    if (index->numel == 0) return true;
    Value dense = tensor_dense(self, tensor_dtype(self));
    Value flat = dense ? flat_view(as_tensor(dense)) : VALUE_ERROR;
    Value row = flat ? flat_dense(index) : VALUE_ERROR;
    Value values = row ? flat_dense(call_tensor(call, 2)) : VALUE_ERROR;
    const ValueRef indices[] = {row};
    bool done = values &&
                put_any(as_tensor(flat), indices, 1, as_tensor(values), call_bool(call, 3)) &&
                (as_tensor(dense) == self || iterate_copy(self, as_tensor(dense)));
    drop(dense);
    drop(flat);
    drop(row);
    drop(values);
    return done;
}
