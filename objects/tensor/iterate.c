// The iteration: sort and merge dimensions, then chunks.
#include "objects/tensor/iterate.h"

#include "objects/tensor/convert.h"

// ---- operands

void iteration_begin(Iteration *iteration, int ndim, const Dim *sizes, int outputs)
{
    iteration->ndim = ndim;
    iteration->count = 0;
    iteration->outputs = outputs;
    iteration->numel = 1;
    iteration->chunk = ITERATE_CHUNK;
    for (int i = 0; i < ndim; i++) {
        iteration->size[i] = small_value(sizes[i]);
        iteration->numel *= iteration->size[i];
    }
}

static IterateOperand *add_operand(Iteration *iteration, void *data, Dtype dtype, Dtype computed)
{
    invariant(iteration->count < ITERATE_MAX, "an iteration has room for its operands");
    IterateOperand *operand = &iteration->operand[iteration->count++];
    operand->data = data;
    operand->dtype = dtype;
    operand->computed = computed;
    operand->unresolved = NULL;
    return operand;
}

void iteration_add(Iteration *iteration, const Tensor *tensor, Dtype computed)
{
    IterateOperand *operand =
        add_operand(iteration, tensor_data(tensor), tensor_dtype(tensor), computed);
    if (tensor_is(tensor, TENSOR_UNRESOLVED)) operand->unresolved = tensor;
    int more = iteration->ndim - tensor->ndim;
    invariant(more >= 0, "an operand has no more dimensions than the iteration");
    for (int i = 0; i < more; i++) operand->stride[i] = 0;
    for (int i = 0; i < tensor->ndim; i++) {
        bool stretches = tensor_size(tensor, i) == 1;
        invariant(stretches || tensor_size(tensor, i) == iteration->size[more + i],
                  "an operand broadcasts to the shape of the iteration");
        operand->stride[more + i] = stretches ? 0 : tensor_stride(tensor, i);
    }
}

void iteration_add_element(Iteration *iteration, Dtype dtype, const void *element, Dtype computed)
{
    IterateOperand *operand = add_operand(iteration, (void *)(uintptr_t)element, dtype, computed);
    for (int i = 0; i < iteration->ndim; i++) operand->stride[i] = 0;
}

// ---- dimensions

static void swap_dims(Iteration *iteration, int a, int b)
{
    int64_t size = iteration->size[a];
    iteration->size[a] = iteration->size[b];
    iteration->size[b] = size;
    for (int i = 0; i < iteration->count; i++) {
        int64_t *stride = iteration->operand[i].stride, kept = stride[a];
        stride[a] = stride[b];
        stride[b] = kept;
    }
}

// Should dimension `outer` go inside of `inner`? The first operand that tells them apart decides.
static bool in_wrong_order(const Iteration *iteration, int outer, int inner)
{
    for (int i = 0; i < iteration->count; i++) {
        const int64_t *stride = iteration->operand[i].stride;
        if (stride[outer] == 0 || stride[inner] == 0 || stride[outer] == stride[inner]) continue;
        return stride[outer] < stride[inner];
    }
    return false;
}

static void sort_dims(Iteration *iteration)
{
    for (int i = 1; i < iteration->ndim; i++)
        for (int j = i; j > 0 && in_wrong_order(iteration, j - 1, j); j--)
            swap_dims(iteration, j - 1, j);
}

static bool can_merge(const Iteration *iteration, int outer, int inner)
{
    if (iteration->size[outer] == 1 || iteration->size[inner] == 1) return true;
    for (int i = 0; i < iteration->count; i++) {
        const int64_t *stride = iteration->operand[i].stride;
        if (stride[outer] != stride[inner] * iteration->size[inner]) return false;
    }
    return true;
}

// Merges dimension `inner` into `outer`, which keeps the strides of the one that has steps.
static void merge(Iteration *iteration, int outer, int inner)
{
    if (iteration->size[inner] != 1)
        for (int i = 0; i < iteration->count; i++)
            iteration->operand[i].stride[outer] = iteration->operand[i].stride[inner];
    iteration->size[outer] *= iteration->size[inner];
}

static void merge_dims(Iteration *iteration)
{
    int last = 0;
    for (int i = 1; i < iteration->ndim; i++) {
        if (can_merge(iteration, last, i)) {
            merge(iteration, last, i);
            continue;
        }
        last++;
        swap_dims(iteration, last, i);
    }
    if (iteration->ndim) iteration->ndim = last + 1;
}

// ---- buffers

static _Alignas(64) char buffers[ITERATE_MAX][DTYPE_LARGEST * ITERATE_CHUNK];
static _Alignas(64) char raw[DTYPE_LARGEST * ITERATE_CHUNK]; // gathered, not converted yet

// Where in the iteration: the index in each dimension.
typedef struct Position {
    int64_t index[TENSOR_MAX_DIMS];
} Position;

static void position_at(const Iteration *iteration, int64_t element, Position *position)
{
    for (int i = iteration->ndim; i-- > 0;) {
        position->index[i] = element % iteration->size[i];
        element /= iteration->size[i];
    }
}

static char *address_of(const Iteration *iteration, const IterateOperand *operand,
                        const Position *position)
{
    int64_t at = 0;
    for (int i = 0; i < iteration->ndim; i++) at += position->index[i] * operand->stride[i];
    return operand->data + (ptrdiff_t)at * (ptrdiff_t)dtype_size(operand->dtype);
}

// Goes on by `count` elements of the last dimension, and to the next row at its end.
static void advance(const Iteration *iteration, Position *position, int64_t count)
{
    int i = iteration->ndim - 1;
    position->index[i] += count;
    for (; i > 0 && position->index[i] == iteration->size[i]; i--) {
        position->index[i] = 0;
        position->index[i - 1]++;
    }
}

// Moves n elements that begin at `element` between the operand and contiguous `memory`.
static void move(const Iteration *iteration, const IterateOperand *operand, int64_t element,
                 int64_t n, char *memory, bool out)
{
    Position position;
    size_t size = dtype_size(operand->dtype);
    int last = iteration->ndim - 1;
    position_at(iteration, element, &position);
    while (n > 0) {
        int64_t run = iteration->size[last] - position.index[last];
        if (run > n) run = n;
        char *at = address_of(iteration, operand, &position);
        if (out)
            elements_scatter(size, run, at, operand->stride[last], memory);
        else
            elements_gather(size, run, memory, at, operand->stride[last]);
        memory += (size_t)run * size;
        n -= run;
        advance(iteration, &position, run);
    }
}

// Is the operand one contiguous row in the order of the iteration?
static bool is_row(const Iteration *iteration, const IterateOperand *operand)
{
    int64_t expected = 1;
    for (int i = iteration->ndim; i-- > 0; expected *= iteration->size[i])
        if (iteration->size[i] != 1 && operand->stride[i] != expected) return false;
    return true;
}

static bool is_repeated(const Iteration *iteration, const IterateOperand *operand)
{
    for (int i = 0; i < iteration->ndim; i++)
        if (iteration->size[i] != 1 && operand->stride[i] != 0) return false;
    return true;
}

static char *row_at(const IterateOperand *operand, int64_t element)
{
    return operand->data + (size_t)element * dtype_size(operand->dtype);
}

// Where elements wait in the dtype of the tensor: in the buffer itself, if that is computed in.
static char *waiting(const IterateOperand *operand, int index)
{
    return operand->dtype == operand->computed ? buffers[index] : raw;
}

// What has been gathered becomes what the loop reads.
static void widen_input(const IterateOperand *operand, int index, int64_t n, char *gathered)
{
    if (operand->unresolved) tensor_flip_signs(operand->unresolved, n, gathered);
    if (gathered != buffers[index])
        elements_convert(n, buffers[index], operand->computed, gathered, operand->dtype);
}

static void fill_input(const Iteration *iteration, int index, int64_t element, int64_t n)
{
    const IterateOperand *operand = &iteration->operand[index];
    if (operand->repeated && element > 0) return; // the first chunk has filled the buffer
    char *gathered = waiting(operand, index), *from = row_at(operand, element);
    if (operand->repeated || !is_row(iteration, operand)) {
        move(iteration, operand, element, n, gathered, false);
        from = gathered;
    } else if (operand->unresolved) {
        from = memcpy(gathered, from, (size_t)n * dtype_size(operand->dtype));
    }
    widen_input(operand, index, n, from);
}

// What the loop has written becomes elements as the tensor has them.
static void narrow_output(const IterateOperand *operand, int index, int64_t n, char *to)
{
    if (to != buffers[index])
        elements_convert(n, to, operand->dtype, buffers[index], operand->computed);
    if (operand->unresolved) tensor_flip_signs(operand->unresolved, n, to);
}

static void empty_output(const Iteration *iteration, int index, int64_t element, int64_t n)
{
    const IterateOperand *operand = &iteration->operand[index];
    bool row = is_row(iteration, operand);
    char *to = row ? row_at(operand, element) : waiting(operand, index);
    narrow_output(operand, index, n, to);
    if (!row) move(iteration, operand, element, n, to, true);
}

// ---- running

static void run_chunk(const Iteration *iteration, int64_t element, int64_t n, Loop loop,
                      const void *scalars)
{
    char *data[ITERATE_MAX];
    for (int i = 0; i < iteration->count; i++) {
        const IterateOperand *operand = &iteration->operand[i];
        data[i] = operand->direct ? row_at(operand, element) : buffers[i];
        if (!operand->direct && i >= iteration->outputs) fill_input(iteration, i, element, n);
    }
    loop(n, data, scalars);
    for (int i = 0; i < iteration->outputs; i++)
        if (!iteration->operand[i].direct) empty_output(iteration, i, element, n);
}

static void run_chunks(const Iteration *iteration, int64_t chunk, Loop loop, const void *scalars)
{
    for (int64_t i = 0; i < iteration->numel; i += chunk) {
        int64_t left = iteration->numel - i;
        run_chunk(iteration, i, left < chunk ? left : chunk, loop, scalars);
    }
}

// ---- running row by row: of long rows, an operand whose rows are contiguous needs no buffer

#define LONG_ROW 64

static bool is_in_place(const IterateOperand *operand)
{
    return operand->dtype == operand->computed && !operand->unresolved;
}

// Makes operands direct whose rows are contiguous: is there one?
static bool choose_rows(Iteration *iteration)
{
    int last = iteration->ndim - 1;
    bool chosen = false;
    if (iteration->chunk == 1 || last < 1 || iteration->size[last] < LONG_ROW) return false;
    for (int i = 0; i < iteration->count; i++) {
        IterateOperand *operand = &iteration->operand[i];
        if (operand->direct || !is_in_place(operand) || operand->stride[last] != 1) continue;
        operand->direct = chosen = true;
    }
    return chosen;
}

static void run_part(const Iteration *iteration, const Position *position, int64_t n, bool first,
                     Loop loop, const void *scalars)
{
    char *data[ITERATE_MAX], *at[ITERATE_MAX];
    int last = iteration->ndim - 1;
    for (int i = 0; i < iteration->count; i++) {
        const IterateOperand *operand = &iteration->operand[i];
        at[i] = address_of(iteration, operand, position);
        data[i] = operand->direct ? at[i] : buffers[i];
        if (operand->direct || i < iteration->outputs || (operand->repeated && !first)) continue;
        elements_gather(dtype_size(operand->dtype), n, waiting(operand, i), at[i],
                        operand->stride[last]);
        widen_input(operand, i, n, waiting(operand, i));
    }
    loop(n, data, scalars);
    for (int i = 0; i < iteration->outputs; i++) {
        const IterateOperand *operand = &iteration->operand[i];
        if (operand->direct) continue;
        narrow_output(operand, i, n, waiting(operand, i));
        elements_scatter(dtype_size(operand->dtype), n, at[i], operand->stride[last],
                         waiting(operand, i));
    }
}

static void run_rows(const Iteration *iteration, bool all_direct, Loop loop, const void *scalars)
{
    Position position = {{0}};
    int last = iteration->ndim - 1;
    int64_t most = all_direct ? iteration->size[last] : iteration->chunk;
    for (int64_t done = 0, n; done < iteration->numel; done += n) {
        n = iteration->size[last] - position.index[last];
        if (n > most) n = most;
        run_part(iteration, &position, n, done == 0, loop, scalars);
        advance(iteration, &position, n);
    }
}

static bool all_are_direct(const Iteration *iteration)
{
    for (int i = 0; i < iteration->count; i++)
        if (!iteration->operand[i].direct) return false;
    return true;
}

void iteration_arrange(Iteration *iteration)
{
    sort_dims(iteration);
    merge_dims(iteration);
}

void iteration_run(Iteration *iteration, Loop loop, const void *scalars)
{
    if (iteration->numel == 0) return;
    iteration_arrange(iteration);
    for (int i = 0; i < iteration->count; i++) {
        IterateOperand *operand = &iteration->operand[i];
        operand->repeated =
            iteration->numel > 1 && iteration->chunk > 1 && is_repeated(iteration, operand);
        operand->direct = is_in_place(operand) && is_row(iteration, operand);
    }
    if (all_are_direct(iteration))
        run_chunks(iteration, iteration->numel, loop, scalars);
    else if (choose_rows(iteration))
        run_rows(iteration, all_are_direct(iteration), loop, scalars);
    else
        run_chunks(iteration, iteration->chunk, loop, scalars);
}

// ---- copies

// `scalars` points to the size of an element.
static void copy_row(int64_t n, char *const *data, const void *scalars)
{
    if (data[0] != data[1]) memcpy(data[0], data[1], (size_t)n * *(const size_t *)scalars);
}

// Does the copy convert one row into another one?
static bool convert_row(const Iteration *iteration)
{
    const IterateOperand *to = &iteration->operand[0], *from = &iteration->operand[1];
    if (to->unresolved || from->unresolved || !is_row(iteration, to) || !is_row(iteration, from))
        return false;
    elements_convert(iteration->numel, to->data, to->dtype, from->data, from->dtype);
    return true;
}

static void copy_operands(Iteration *iteration)
{
    size_t size = dtype_size(iteration->operand[0].dtype);
    if (!iteration_copy(iteration) && !convert_row(iteration))
        iteration_run(iteration, copy_row, &size);
}

void iterate_copy_flipped(Tensor *to, const Tensor *from, uint64_t dims)
{
    Iteration iteration;
    iteration_begin(&iteration, to->ndim, tensor_sizes(to), 1);
    iteration_add(&iteration, to, tensor_dtype(to));
    iteration_add(&iteration, from, tensor_dtype(to));
    IterateOperand *operand = &iteration.operand[1];
    for (int i = 0; i < to->ndim; i++) {
        if (!(dims >> i & 1) || iteration.size[i] < 2) continue;
        operand->data +=
            (iteration.size[i] - 1) * operand->stride[i] * (int64_t)dtype_size(operand->dtype);
        operand->stride[i] = -operand->stride[i];
    }
    copy_operands(&iteration);
}

bool iterate_copy(Tensor *to, const Tensor *from)
{
    if (to->storage != from->storage) {
        iterate_copy_flipped(to, from, 0);
        return true;
    }
    Value fresh = tensor_new(tensor_dtype(from), from->ndim, tensor_sizes(from));
    if (!fresh) return false;
    iterate_copy_flipped(as_tensor(fresh), from, 0);
    iterate_copy_flipped(to, as_tensor(fresh), 0);
    drop(fresh);
    return true;
}

void iterate_fill(Tensor *tensor, const void *element)
{
    Iteration iteration;
    iteration_begin(&iteration, tensor->ndim, tensor_sizes(tensor), 1);
    iteration_add(&iteration, tensor, tensor_dtype(tensor));
    iteration_add_element(&iteration, tensor_dtype(tensor), element, tensor_dtype(tensor));
    copy_operands(&iteration);
}
