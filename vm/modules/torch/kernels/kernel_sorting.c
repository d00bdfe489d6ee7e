// Kernels of orders: sort, topk, kthvalue, median, mode, searchsorted.
//
// The input is laid out with the dimension that is sorted last. Each row becomes items, is ordered,
// and its values and indices are written to rows that have the result's layout moved likewise.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/tensor/dense.h"
#include "objects/tensor/iterate.h"
#include "objects/tensor/order.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/promote.h"
#include "vm/modules/torch/kernels/kernels.h"
#include "vm/modules/torch/rules/rule_build.h"

typedef struct Sorting {
    Value input;           // dense, rows of n elements; owned
    Value values, indices; // dense, rows of `kept` elements; owned
    Value memory;          // of 2 n items; owned
    Item *items, *other;
    int64_t rows, n, kept;
    int64_t dim;
    bool descending;
    Dtype computed;
} Sorting;

// ---- rows in, rows out

// A dense tensor in the layout of result number `index` with the dimension moved to the end: owned.
static Value rows_for(const OpCall *call, int index, Dtype dtype, int64_t dim)
{
    const Tensor *result = call->results[index].tensor;
    Dim sizes[TENSOR_MAX_DIMS];
    int at = 0;
    bool moves = result->ndim == call_tensor(call, 0)->ndim;
    for (int i = 0; i < result->ndim; i++)
        if (!moves || i != dim) sizes[at++] = tensor_sizes(result)[i];
    if (moves && result->ndim) sizes[at++] = tensor_sizes(result)[dim];
    return tensor_new(dtype, at, sizes);
}

static void sorting_leave(Sorting *sorting)
{
    drop(sorting->input);
    drop(sorting->values);
    drop(sorting->indices);
    drop(sorting->memory);
}

// `kept` elements of each row are results.
static bool sorting_open(Sorting *sorting, OpCall *call, int64_t dim, int64_t kept)
{
    Tensor *self = call_tensor(call, 0);
    *sorting = (Sorting){.dim = dim, .kept = kept};
    sorting->computed = dtype_computed(tensor_dtype(self));
    sorting->n = self->ndim ? tensor_size(self, (int)dim) : 1;
    sorting->rows = sorting->n ? self->numel / sorting->n : 0;
    sorting->input = tensor_dense_last(self, sorting->computed, (uint64_t)1 << dim);
    if (sorting->input) sorting->values = rows_for(call, 0, sorting->computed, dim);
    if (sorting->values) sorting->indices = rows_for(call, 1, DTYPE_int64, dim);
    if (sorting->indices) sorting->memory = order_memory(2 * sorting->n);
    if (sorting->memory) {
        sorting->items = tensor_elements(sorting->memory);
        sorting->other = sorting->items + sorting->n;
        return true;
    }
    sorting_leave(sorting);
    return false;
}

static const char *row_elements(const Sorting *sorting, int64_t row)
{
    size_t size = dtype_size(sorting->computed) * (size_t)sorting->n;
    return (const char *)tensor_elements(sorting->input) + size * (size_t)row;
}

// Makes the items of a row.
static void row_items(Sorting *sorting, int64_t row, bool descending)
{
    sorting->descending = descending;
    order_items(sorting->items, row_elements(sorting, row), sorting->computed, sorting->n,
                descending);
}

// Writes the first `kept` of these items as a row of the results.
static void write_row(const Sorting *sorting, int64_t row, const Item *items)
{
    int64_t *indices = (int64_t *)tensor_elements(sorting->indices) + row * sorting->kept;
    size_t size = dtype_size(sorting->computed);
    const char *from = (char *)tensor_elements(sorting->input) + size * (size_t)(row * sorting->n);
    char *to = (char *)tensor_elements(sorting->values) + size * (size_t)(row * sorting->kept);
    for (int64_t i = 0; i < sorting->kept; i++) indices[i] = items[i].index;
    order_elements(to, items, from, sorting->computed, sorting->kept, sorting->descending);
}

// Copies rows to the result, whose dimension is elsewhere.
static bool copy_rows(OpCall *call, int index, ValueRef rows, int64_t dim)
{
    Tensor *result = call->results[index].tensor;
    if (result->ndim != call_tensor(call, 0)->ndim) return iterate_copy(result, as_tensor(rows));
    Value moved = tensor_last(result, (uint64_t)1 << dim);
    bool done = moved && iterate_copy(as_tensor(moved), as_tensor(rows));
    drop(moved);
    return done;
}

static bool sorting_close(Sorting *sorting, OpCall *call)
{
    bool done = copy_rows(call, 0, sorting->values, sorting->dim) &&
                copy_rows(call, 1, sorting->indices, sorting->dim);
    sorting_leave(sorting);
    return done;
}

// ---- sort, topk

bool KERNEL(kernel_sort)(OpCall *call)
{
    Sorting sorting;
    int64_t dim;
    bool descending = call_bool(call, call_param(call, "descending"));
    if (!sort_dim(call, &dim)) return false;
    const Tensor *self = call_tensor(call, 0);
    int64_t n = self->ndim ? tensor_size(self, (int)dim) : 1;
    if (!sorting_open(&sorting, call, dim, n)) return false;
    for (int64_t row = 0; row < sorting.rows; row++) {
        row_items(&sorting, row, descending);
        order_sort(sorting.items, n, sorting.other);
        write_row(&sorting, row, sorting.items);
    }
    return sorting_close(&sorting, call);
}

// The first k of a row. Few of many: a heap; else the k-th is selected first. So PyTorch does it.
static void top_items(Sorting *sorting, int64_t row, int64_t k, bool descending, bool sorted)
{
    if (k * 64 <= sorting->n) {
        sorting->descending = descending;
        order_few(sorting->items, row_elements(sorting, row), sorting->computed, sorting->n, k,
                  descending);
        return;
    }
    row_items(sorting, row, descending);
    order_select(sorting->items, sorting->n, k - 1);
    if (sorted) order_unstable(sorting->items, k - 1);
}

bool KERNEL(kernel_topk)(OpCall *call)
{
    Sorting sorting;
    int64_t dim, k;
    if (!sort_dim(call, &dim) || !call_int(call, 1, &k)) return false;
    if (call_tensor(call, 0)->ndim == 0) k = 1; // the result is no row: it has one element
    if (!sorting_open(&sorting, call, dim, k)) return false;
    for (int64_t row = 0; k > 0 && row < sorting.rows; row++) {
        top_items(&sorting, row, k, call_bool(call, 3), call_bool(call, 4));
        write_row(&sorting, row, sorting.items);
    }
    return sorting_close(&sorting, call);
}

// ---- one of each row

// Chooses an item of the row: its index among sorting->items, which it may order.
typedef int64_t (*Choose)(Sorting *sorting, int64_t k);

static bool choose_rows(OpCall *call, Choose choose, int64_t k)
{
    Sorting sorting;
    int64_t dim;
    if (!sort_dim(call, &dim) || !sorting_open(&sorting, call, dim, 1)) return false;
    for (int64_t row = 0; row < sorting.rows; row++) {
        row_items(&sorting, row, false);
        write_row(&sorting, row, sorting.items + choose(&sorting, k));
    }
    return sorting_close(&sorting, call);
}

static int64_t choose_kth(Sorting *sorting, int64_t k)
{
    order_quick_select(sorting->items, sorting->n, k);
    return k;
}

bool KERNEL(kernel_kthvalue)(OpCall *call)
{
    int64_t k;
    return call_int(call, 1, &k) && choose_rows(call, choose_kth, k - 1);
}

#define NAN_KEY (~(uint64_t)0)

static bool is_nan(const Sorting *sorting, int64_t i)
{
    return dtype_is_floating(sorting->computed) && sorting->items[i].key == NAN_KEY;
}

// A NaN is the median of its row.
static int64_t choose_median(Sorting *sorting, int64_t k)
{
    for (int64_t i = 0; i < sorting->n; i++)
        if (is_nan(sorting, i)) return i;
    (void)k;
    return order_nth(sorting->items, sorting->n, (sorting->n - 1) / 2);
}

static int64_t choose_nanmedian(Sorting *sorting, int64_t k)
{
    int64_t nans = 0;
    for (int64_t i = 0; i < sorting->n; i++) nans += is_nan(sorting, i);
    k = nans == sorting->n ? 0 : (sorting->n - nans - 1) / 2;
    return order_nth(sorting->items, sorting->n, k);
}

bool KERNEL(kernel_median_dim)(OpCall *call)
{
    return choose_rows(call, choose_median, 0);
}

bool KERNEL(kernel_nanmedian_dim)(OpCall *call)
{
    return choose_rows(call, choose_nanmedian, 0);
}

// The last item of the longest run of equal ones.
static int64_t choose_mode(Sorting *sorting, int64_t k)
{
    const Item *items = sorting->items;
    int64_t longest = 0, run = 0;
    order_unstable(sorting->items, sorting->n);
    k = 0;
    for (int64_t i = 0; i < sorting->n; i++) {
        bool same = i && items[i].key == items[i - 1].key && !is_nan(sorting, i);
        run = same ? run + 1 : 1;
        if (run <= longest) continue;
        longest = run;
        k = i;
    }
    return k;
}

bool KERNEL(kernel_mode)(OpCall *call)
{
    return choose_rows(call, choose_mode, 0);
}

// ---- the median of all elements

static bool store_chosen(OpCall *call, Sorting *sorting, int64_t chosen)
{
    Tensor *result = call->results[0].tensor;
    size_t size = dtype_size(sorting->computed);
    Value one = tensor_new(sorting->computed, 0, NULL);
    if (!one) return false;
    memcpy(tensor_elements(one),
           (char *)tensor_elements(sorting->input) + size * (size_t)sorting->items[chosen].index,
           size);
    bool done = iterate_copy(result, as_tensor(one));
    drop(one);
    return done;
}

// The median of no elements: a NaN, or the integer that a processor makes of it.
static bool store_nothing(OpCall *call)
{
    Dtype dtype = tensor_dtype(call->results[0].tensor);
    Value number = dtype_is_floating(dtype) ? float_new(__builtin_nan(""))
                   : dtype == DTYPE_int64   ? int_new(INT64_MIN)
                   : dtype == DTYPE_int32   ? int_new(INT32_MIN)
                                            : int_new(0);
    Value none = number ? tensor_of_number(dtype, number) : VALUE_ERROR;
    bool done = none && iterate_copy(call->results[0].tensor, as_tensor(none));
    drop(number);
    drop(none);
    return done;
}

static bool median_of_all(OpCall *call, Choose choose)
{
    Tensor *self = call_tensor(call, 0);
    Sorting sorting = {.rows = 1, .n = self->numel, .computed = dtype_computed(tensor_dtype(self))};
    if (self->numel == 0) return store_nothing(call);
    sorting.input = tensor_dense(self, sorting.computed);
    if (sorting.input) sorting.memory = order_memory(self->numel);
    bool done = sorting.memory != VALUE_ERROR;
    if (done) {
        sorting.items = tensor_elements(sorting.memory);
        row_items(&sorting, 0, false);
        done = store_chosen(call, &sorting, choose(&sorting, 0));
    }
    sorting_leave(&sorting);
    return done;
}

bool KERNEL(kernel_median)(OpCall *call)
{
    return median_of_all(call, choose_median);
}

bool KERNEL(kernel_nanmedian)(OpCall *call)
{
    return median_of_all(call, choose_nanmedian);
}

// ---- searchsorted

// How many of n keys in order are less than `limit`. A step takes the same time whatever it finds,
// and there are as many steps for all: the processor guesses nothing, and several searches go on at
// once. keys[n] can be read, if n is 0.
static inline int64_t find_place(const uint64_t *keys, int64_t n, uint64_t limit)
{
    const uint64_t *from = keys;
    for (int64_t half; n > 1; n -= half) {
        half = n / 2;
        from += half & -(int64_t)(from[half - 1] < limit); // all bits, or none
    }
    return from - keys + (n && *from < limit);
}

// The place that halving finds among keys in no order.
static int64_t find_some_place(const uint64_t *keys, int64_t n, uint64_t limit)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (keys[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool in_order(const uint64_t *keys, int64_t n)
{
    bool wrong = false;
    for (int64_t i = 1; i < n; i++) wrong |= keys[i] < keys[i - 1];
    return !wrong;
}

// The operands of a search, in a common dtype.
typedef struct Search {
    Value sequence, values; // dense, owned
    Value sorter;           // dense, owned; VALUE_ERROR = none
    uint64_t *keys;         // of the sequence, one more than there are; owned
    int64_t total, n;       // elements of the sequence, in rows of n
    int64_t count;          // of the values
} Search;

static Dtype search_dtype(const OpCall *call)
{
    PromoteState state;
    promote_begin(&state);
    promote_tensor(&state, call_tensor(call, 0));
    if (tensor_check(call->slots[1]))
        promote_tensor(&state, call_tensor(call, 1));
    else
        promote_number(&state, call->slots[1]);
    return dtype_computed(promote_result(&state));
}

static void search_leave(Search *search)
{
    drop(search->sequence);
    drop(search->values);
    drop(search->sorter);
    memory_free(search->keys);
}

// The indices of the sorter are in their row.
static bool check_sorter(const Search *search)
{
    const int64_t *indices = tensor_elements(search->sorter);
    for (int64_t i = 0; i < search->total; i++)
        if (indices[i] < 0 || indices[i] >= search->n)
            return raise_error(RuntimeError, "torch.searchsorted(): sorter index out of range");
    return true;
}

static bool search_open(Search *search, const OpCall *call)
{
    Tensor *sequence = call_tensor(call, 0), *sorter = call_optional(call, 5);
    Dtype dtype = search_dtype(call);
    *search = (Search){.total = sequence->numel};
    search->n = tensor_size(sequence, sequence->ndim - 1);
    search->sequence = tensor_dense(sequence, dtype);
    if (search->sequence)
        search->values = tensor_check(call->slots[1]) ? tensor_dense(call_tensor(call, 1), dtype)
                                                      : tensor_of_number(dtype, call->slots[1]);
    bool done = search->values != VALUE_ERROR;
    if (done && sorter) {
        search->sorter = tensor_dense(sorter, DTYPE_int64);
        done = search->sorter && check_sorter(search);
    }
    if (!done) return false;
    search->count = as_tensor(search->values)->numel;
    search->keys = memory_alloc((size_t)(search->total + 1) * sizeof *search->keys);
    return search->keys || raise_memory_error();
}

#define SEARCHED 64 // keys that are made at a time

// Items of up to SEARCHED elements of a tensor, from number `first` on.
static int64_t some_items(ValueRef tensor, int64_t first, int64_t end, Item *items)
{
    Dtype dtype = tensor_dtype(as_tensor(tensor));
    int64_t count = end - first < SEARCHED ? end - first : SEARCHED;
    const char *elements = tensor_elements(tensor);
    order_items(items, elements + (size_t)first * dtype_size(dtype), dtype, count, false);
    return count;
}

// The keys of the sequence, through the order of the sorter if there is one. A NaN in it is before
// all that is searched, also before another one: 0 is no float's key.
static void sequence_keys(const Search *search)
{
    Item items[SEARCHED];
    const int64_t *sorter = search->sorter ? tensor_elements(search->sorter) : NULL;
    bool floating = dtype_is_floating(tensor_dtype(as_tensor(search->sequence)));
    uint64_t *keys = search->keys;
    for (int64_t i = 0, count; i < search->total; i += count) {
        int64_t from = sorter ? i / search->n * search->n + sorter[i] : i;
        count = some_items(search->sequence, from, sorter ? from + 1 : search->total, items);
        for (int64_t k = 0; k < count; k++)
            keys[i + k] = floating && items[k].key == NAN_KEY ? 0 : items[k].key;
    }
    keys[search->total] = 0;
}

// A sequence of one row serves all values, another one those of the same row.
static void search_all(const Search *search, bool right, int64_t *out)
{
    Item items[SEARCHED];
    int64_t n = search->n, rows = n ? search->total / n : 1;
    int64_t per_row = rows > 1 ? search->count / rows : search->count;
    sequence_keys(search);
    for (int64_t end = per_row, i = 0; i < search->count; end += per_row) {
        const uint64_t *keys = search->keys + (end / per_row - 1) * n;
        bool ordered = in_order(keys, n);
        for (int64_t count; i < end; i += count) {
            count = some_items(search->values, i, end, items);
            for (int64_t k = 0; k < count; k++) {
                uint64_t limit = items[k].key + right;
                if (right && !limit)
                    out[i + k] = n; // no key is larger
                else
                    out[i + k] = (ordered ? find_place : find_some_place)(keys, n, limit);
            }
        }
    }
}

bool KERNEL(kernel_searchsorted)(OpCall *call)
{
    Search search;
    Tensor *result = call->results[0].tensor;
    bool right =
        call_bool(call, 3) || (call_has(call, 4) && str_equal_ascii(call->slots[4], "right"));
    bool done = search_open(&search, call);
    Value indices =
        done ? tensor_new(DTYPE_int64, result->ndim, tensor_sizes(result)) : VALUE_ERROR;
    if (indices) search_all(&search, right, tensor_elements(indices));
    done = indices && iterate_copy(result, as_tensor(indices));
    drop(indices);
    search_leave(&search);
    return done;
}
