// embedding: a row of the weight for each index, and the gradient of the weight.
#include "objects/error.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/rows.h"
#include "vm/modules/torch/kernels/kernels.h"

static bool raise_out_of_range(void)
{
    return raise_error(IndexError, "index out of range in self");
}

static bool copy_rows(const Rows *weight, const Rows *indices, Tensor *result)
{
    int64_t count = tensor_size(weight->tensor, 0);
    size_t bytes =
        (size_t)tensor_size(weight->tensor, 1) * dtype_size(tensor_dtype(weight->tensor));
    const int64_t *index = indices->data;
    char *to = tensor_data(result);
    for (int64_t i = 0; i < indices->tensor->numel; i++, to += bytes) {
        if (count == 0)
            return raise_error(RuntimeError,
                               "index_select(): self indexing axis dim should be positive");
        if (index[i] < 0 || index[i] >= count) return raise_out_of_range();
        memcpy(to, (const char *)weight->data + (size_t)index[i] * bytes, bytes);
    }
    return true;
}

// (weight, indices, padding_idx, scale_grad_by_freq, sparse)
bool KERNEL(kernel_embedding)(OpCall *call)
{
    Tensor *tensor = call_tensor(call, 0);
    Rows weight, indices;
    if (!rows_read(&weight, tensor, ROWS_AS_IS, tensor_dtype(tensor))) return false;
    if (!rows_read(&indices, call_tensor(call, 1), ROWS_AS_IS, DTYPE_int64))
        return rows_drop(&weight);
    bool done = copy_rows(&weight, &indices, call->results[0].tensor);
    rows_drop(&weight);
    rows_drop(&indices);
    return done;
}

// ---- the gradient: rows of the same index are added, in the order of the indices

typedef struct EmbeddingWork {
    Rows grad, indices, to;
    int64_t count, size, padding; // rows of the weight, their length; the row that stays zero
    const int64_t *uses;          // how often each row occurs; NULL = the rows are not scaled
} EmbeddingWork;

#define ADD_ROW(real)                                                                              \
    do {                                                                                           \
        const real *from = (const real *)work->grad.data + i * work->size;                         \
        real *to = (real *)work->to.data + row * work->size;                                       \
        for (int64_t j = 0; j < work->size; j++) to[j] += from[j] * (real)scale;                   \
    } while (0)

static void add_rows(const EmbeddingWork *work, Dtype dtype)
{
    const int64_t *index = work->indices.data;
    for (int64_t i = 0; i < work->indices.tensor->numel; i++) {
        int64_t row = index[i];
        if (row == work->padding) continue;
        double scale = work->uses ? 1 / (double)work->uses[row] : 1;
        if (dtype == DTYPE_float32)
            ADD_ROW(float);
        else
            ADD_ROW(double);
    }
}

static bool indices_fit(const EmbeddingWork *work)
{
    const int64_t *index = work->indices.data;
    for (int64_t i = 0; i < work->indices.tensor->numel; i++)
        if (index[i] < 0 || index[i] >= work->count) return raise_out_of_range();
    return true;
}

// Counts how often each row occurs: owned memory. VALUE_ERROR with MemoryError pending.
static Value count_uses(EmbeddingWork *work)
{
    Dim count = dim_of(work->count);
    Value memory = tensor_new(DTYPE_int64, 1, &count);
    if (!memory) return VALUE_ERROR;
    int64_t *uses = (int64_t *)(void *)tensor_data(as_tensor(memory));
    const int64_t *index = work->indices.data;
    memset(uses, 0, (size_t)work->count * sizeof *uses);
    for (int64_t i = 0; i < work->indices.tensor->numel; i++) uses[index[i]]++;
    work->uses = uses;
    return memory;
}

static bool add_all(OpCall *call, EmbeddingWork *work, Dtype dtype)
{
    Value uses = VALUE_ERROR;
    if (!indices_fit(work)) return false;
    if (call_bool(call, 4) && !(uses = count_uses(work))) return false;
    memset(work->to.data, 0, (size_t)(work->count * work->size) * dtype_size(dtype));
    add_rows(work, dtype);
    drop(uses);
    return true;
}

// (grad_output, indices, num_weights, padding_idx, scale_grad_by_freq)
bool KERNEL(kernel_embedding_backward)(OpCall *call)
{
    Tensor *grad = call_tensor(call, 0), *result = call->results[0].tensor;
    Dtype dtype = dtype_computed(tensor_dtype(result));
    EmbeddingWork work = {.size = tensor_size(result, 1)};
    if (!call_int(call, 2, &work.count) || !call_int(call, 3, &work.padding) ||
        !rows_read(&work.grad, grad, ROWS_AS_IS, dtype))
        return false;
    if (!rows_read(&work.indices, call_tensor(call, 1), ROWS_AS_IS, DTYPE_int64))
        return rows_drop(&work.grad);
    bool done = rows_write(&work.to, result, ROWS_AS_IS, dtype);
    if (done) done = add_all(call, &work, dtype) ? rows_store(&work.to) : rows_drop(&work.to);
    rows_drop(&work.grad);
    rows_drop(&work.indices);
    return done;
}
