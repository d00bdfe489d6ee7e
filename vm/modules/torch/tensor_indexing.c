// x[key] and x[key] = value, as PyTorch takes a key apart.
//
//     x[0, :, None, mask]      each item of the key changes the tensor, from left to right:
//
//     0        select: the dimension goes            :      slice: the dimension stays
//     None     unsqueeze: a new one                  ...    goes on to the dimensions at the end
//     True     unsqueeze, indexed by [0] ([] for False)
//     tensor   noted in the list of indices at its dimension; a 0-dim integer is as an int
//
// Then index or index_put_ takes the list of indices, if there is one. All steps are operators
// of the table, so autograd and tracing see them.
//
// (PyTorch: torch/csrc/autograd/python_variable_indexing.cpp, ATen/TensorIndexing.h)
#include "objects/containers/list.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/names.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/tensor/dense.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/call_parts.h"
#include "vm/modules/torch/tensor_parts.h"

typedef struct Indexing {
    Value tensor;  // what the items so far have made of x
    Value indices; // a list of tensors and None, VALUE_ERROR = none yet
    int64_t dim;   // of tensor, where the next item applies
    int64_t item;  // the number of the item: messages call it the dimension
    int specified; // dimensions of x that items name
    int ndim;      // of x
} Indexing;

// ---- the key

// A list that holds tensors, slices, sequences, None or ... is a tuple of indices; so is a str.
static bool is_index_list(ValueRef key)
{
    if (!list_check(key)) return false;
    if (list_size(key) >= 32) return false;
    for (ssize_t i = 0; i < list_size(key); i++) {
        ValueRef item = list_at(key, i);
        if (tensor_check(item) || slice_check(item) || item == NONE || item == ELLIPSIS ||
            list_check(item) || tuple_check(item) || (is_object(item) && type_of(item)->item))
            return true;
    }
    return false;
}

// The items of the key: a tuple, owned.
static Value key_items(ValueRef key)
{
    if (tuple_check(key)) return retain(key);
    if (is_index_list(key))
        return tuple_from_array(lend(as_list(key)->items), (size_t)list_size(key));
    return tuple_pack(1, key);
}

// How many dimensions of x an item names.
static int specified_by(ValueRef item)
{
    if (item == NONE || item == ELLIPSIS || is_bool(item)) return 0;
    if (!tensor_check(item)) return 1;
    Dtype dtype = tensor_dtype(as_tensor(item));
    return dtype == DTYPE_bool || dtype == DTYPE_uint8 ? as_tensor(item)->ndim : 1;
}

// ---- steps

static bool step(Indexing *indexing, OpIndex op, const ValueRef *args, size_t nargs)
{
    Value made = op_apply(op, false, args, nargs);
    if (made) replace_slot(&indexing->tensor, made);
    return made != VALUE_ERROR;
}

static bool raise_outside(const Indexing *indexing, int64_t at, int64_t size)
{
    return raise_error(IndexError, "index %lld is out of bounds for dimension %lld with size %lld",
                       (long long)at, (long long)indexing->item, (long long)size);
}

static bool raise_zero_dim(const Indexing *indexing, ValueRef index)
{
    int64_t at;
    if (int_check(index) && int_as_int64(index, &at) && at != 0)
        return raise_outside(indexing, at, 0);
    return raise_error(IndexError,
                       "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                       "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
}

// -size <= index < size, for a size that is a number. A second `...` leads past all dimensions,
// which select() refuses.
static bool check_index(const Indexing *indexing, ValueRef index)
{
    int64_t at;
    const Tensor *tensor = as_tensor(indexing->tensor);
    if (!int_check(index) || indexing->dim >= tensor->ndim) return true;
    DimRef size = tensor_sizes(tensor)[indexing->dim];
    if (!is_small(size)) return true;
    int64_t n = small_value(size);
    int_as_int64_clamped(index, &at);
    return (at >= -n && at < n) || raise_outside(indexing, at, n);
}

// `index` is an exact int or a SymInt.
static bool select_at(Indexing *indexing, ValueRef index)
{
    int64_t number;
    if (int_check(index) && int_as_int64_clamped(index, &number) != 0)
        return raise_error(RuntimeError, "Overflow when unpacking long");
    if (as_tensor(indexing->tensor)->ndim == 0) return raise_zero_dim(indexing, index);
    const ValueRef args[] = {indexing->tensor, from_small(indexing->dim), index};
    return check_index(indexing, index) && step(indexing, OP_select_int, args, 3);
}

static bool step_select(Indexing *indexing, ValueRef index)
{
    if (is_small(index)) return select_at(indexing, index);
    Value exact = plain_int(index);
    bool done = exact && select_at(indexing, exact);
    drop(exact);
    return done;
}

// A bound of a slice as an int, clamped to 49 bits; a SymInt stays as it is. Owned.
static Value slice_bound(ValueRef bound)
{
    if (bound == NONE || is_small(bound)) return retain(bound);
    if (!int_check(bound) && !type_of(bound)->index)
        return raise_error(TypeError,
                           "slice indices must be integers or None or have an __index__ method");
    Value exact = plain_int(bound);
    if (!exact || is_small(exact) || !int_check(exact)) return exact;
    bool negative = int_sign(exact) < 0;
    drop(exact);
    return from_small(negative ? SMALL_MIN : SMALL_MAX);
}

static bool step_slice(Indexing *indexing, ValueRef key)
{
    const Slice *slice = (const Slice *)object_of(key);
    Value start = slice_bound(slice->start);
    Value stop = start ? slice_bound(slice->stop) : VALUE_ERROR;
    Value distance = stop ? slice_bound(slice->step) : VALUE_ERROR;
    bool done = distance != VALUE_ERROR;
    if (done && distance == from_small(0))
        done = raise_error(ValueError, "slice step cannot be zero");
    if (done && is_small(distance) && small_value(distance) < 0)
        done = raise_error(ValueError, "step must be greater than zero");
    if (done && as_tensor(indexing->tensor)->ndim == 0)
        done = raise_error(IndexError, "slice() cannot be applied to a 0-dim tensor.");
    const ValueRef args[] = {indexing->tensor, from_small(indexing->dim), start, stop,
                             distance == NONE ? from_small(1) : (ValueRef)distance};
    done = done && step(indexing, OP_slice_Tensor, args, 5);
    drop(start);
    drop(stop);
    drop(distance);
    indexing->dim++;
    return done;
}

static bool step_unsqueeze(Indexing *indexing)
{
    const ValueRef args[] = {indexing->tensor, from_small(indexing->dim)};
    return step(indexing, OP_unsqueeze_, args, 2);
}

// Notes a tensor as the index of the current dimension.
static bool note_index(Indexing *indexing, ValueRef index)
{
    if (!indexing->indices) indexing->indices = list_new(4);
    if (!indexing->indices) return false;
    while (list_size(indexing->indices) < indexing->dim)
        if (!list_append(indexing->indices, NONE)) return false;
    indexing->dim++;
    return list_append(indexing->indices, index);
}

// True is a new dimension with all of x, False one with nothing of it.
static bool step_bool(Indexing *indexing, bool all)
{
    const Dim sizes[] = {from_small(all)};
    if (!step_unsqueeze(indexing)) return false;
    Value index = tensor_new(DTYPE_int64, 1, sizes);
    if (!index) return false;
    if (all) memset(tensor_data(as_tensor(index)), 0, 8);
    bool done = note_index(indexing, index);
    drop(index);
    return done;
}

// A tensor without dimensions is a number; a bool or byte is a mask of no dimensions.
static bool step_scalar_tensor(Indexing *indexing, ValueRef tensor)
{
    Dtype dtype = tensor_dtype(as_tensor(tensor));
    Value item = op_apply(OP_item_, false, &tensor, 1);
    bool truth, done = item != VALUE_ERROR;
    if (done && (dtype == DTYPE_bool || dtype == DTYPE_uint8))
        done = object_truth(item, &truth) && step_bool(indexing, truth);
    else if (done)
        done = step_select(indexing, item);
    drop(item);
    return done;
}

static bool step_tensor(Indexing *indexing, ValueRef tensor)
{
    if (as_tensor(tensor)->ndim == 0 && !dtype_is_inexact(tensor_dtype(as_tensor(tensor))))
        return step_scalar_tensor(indexing, tensor);
    return note_index(indexing, tensor);
}

// A sequence of numbers: bools are a mask, all else becomes int64.
static bool step_sequence(Indexing *indexing, ValueRef sequence)
{
    Value tensor = tensor_from_data(sequence, DTYPE_NONE);
    if (!tensor) return false;
    Dtype dtype = tensor_dtype(as_tensor(tensor));
    if (dtype != DTYPE_bool && dtype != DTYPE_uint8 && dtype != DTYPE_int64) {
        drop(tensor);
        tensor = tensor_from_data(sequence, DTYPE_int64);
    }
    bool done = tensor && step_tensor(indexing, tensor);
    drop(tensor);
    return done;
}

static bool raise_invalid(ValueRef item)
{
    return raise_error(IndexError,
                       "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
                       "Variables are valid indices (got %G)",
                       item);
}

static bool apply_item(Indexing *indexing, ValueRef item)
{
    if (item == ELLIPSIS) {
        indexing->dim += indexing->ndim - indexing->specified;
        return true;
    }
    if (item == NONE) {
        bool done = step_unsqueeze(indexing);
        indexing->dim++;
        return done;
    }
    if (is_bool(item)) return step_bool(indexing, item == TRUE);
    if (int_check(item)) return step_select(indexing, item);
    if (slice_check(item)) return step_slice(indexing, item);
    if (tensor_check(item)) return step_tensor(indexing, item);
    if (!is_object(item)) return raise_invalid(item);
    if (type_of(item)->index) return step_select(indexing, item);
    return type_of(item)->item ? step_sequence(indexing, item) : raise_invalid(item);
}

// An int or slice alone: what is wrong with it for a tensor without dimensions is said otherwise.
static bool is_single(ValueRef key)
{
    return int_check(key) || slice_check(key);
}

// Applies all items of the key to `self`. The fields of *indexing are owned, in failure too.
static bool apply_key(Indexing *indexing, ValueRef self, ValueRef key)
{
    *indexing = (Indexing){retain(self), VALUE_ERROR, 0, 0, 0, as_tensor(self)->ndim};
    Value items = key_items(key);
    if (!items) return false;
    for (ssize_t i = 0; i < tuple_size(items); i++)
        indexing->specified += specified_by(tuple_at(items, i));
    bool done = indexing->specified <= indexing->ndim || is_single(key);
    if (!done)
        raise_error(IndexError, "too many indices for tensor of dimension %d", indexing->ndim);
    for (; done && indexing->item < tuple_size(items); indexing->item++)
        done = apply_item(indexing, tuple_at(items, (ssize_t)indexing->item));
    drop(items);
    return done;
}

static void leave_key(Indexing *indexing)
{
    drop(indexing->tensor);
    drop(indexing->indices);
}

// ---- x[key]

Value tensor_subscript(ValueRef self, ValueRef key)
{
    Indexing indexing;
    Value result = override_item(self, key);
    if (result != ABSENT) return result;
    if (apply_key(&indexing, self, key)) {
        const ValueRef args[] = {indexing.tensor, indexing.indices};
        if (indexing.indices)
            result = op_apply(OP_index_Tensor, false, args, 2);
        else if ((ValueRef)indexing.tensor == self)
            result = op_apply(OP_alias_, false, args, 1);
        else
            result = retain(indexing.tensor);
    } else {
        result = VALUE_ERROR;
    }
    leave_key(&indexing);
    return result;
}

// ---- x[key] = value

// A number as a fake tensor, by a call of torch.full() that a dispatch mode sees. Owned.
static Value fake_number(const Tensor *self, ValueRef value)
{
    Value name = str_intern("dtype");
    ValueRef borrowed = name;
    Value names = name ? tuple_from_array(&borrowed, 1) : VALUE_ERROR;
    Value none = tuple_new(0), made = VALUE_ERROR;
    const ValueRef args[] = {none, value, dtype_value(tensor_dtype(self))};
    ValueRef entered = op_state.fake_mode;
    bool makes_meta = op_state.makes_meta;
    op_state.makes_meta = tensor_is(self, TENSOR_META);
    if (self->fake_mode) op_state.fake_mode = self->fake_mode;
    if (names && none) made = op_function(OP_full_, args, 2, names);
    op_state.fake_mode = entered;
    op_state.makes_meta = makes_meta;
    drop(none);
    drop(names);
    drop(name);
    return made;
}

// A number as a tensor of x's dtype; a tensor as it is. Owned.
static Value value_tensor(ValueRef self, ValueRef value)
{
    if (tensor_check(value)) return retain(value);
    Dtype dtype = tensor_dtype(as_tensor(self));
    bool fake = tensor_is(as_tensor(self), TENSOR_FAKE);
    int64_t number;
    if (int_check(value) && int_as_int64_clamped(value, &number) != 0)
        return raise_error(RuntimeError, "Overflow when unpacking long");
    if (!int_check(value) && !float_check(value) && !complex_check(value) &&
        !(fake && symbolic_kind(value) >= 0))
        return raise_error(TypeError, "can't assign a %T to a %s", value, dtype_table[dtype].type);
    if (fake) return fake_number(as_tensor(self), value);
    return tensor_of_number(dtype, value);
}

// The tensor without its first dimensions of size 1. Owned.
static Value without_prefix(ValueRef value)
{
    const Tensor *tensor = as_tensor(value);
    int first = 0;
    while (first < tensor->ndim && tensor_sizes(tensor)[first] == from_small(1)) first++;
    if (first == 0) return retain(value);
    Value sizes = tuple_new(tensor->ndim - first);
    if (!sizes) return VALUE_ERROR;
    for (int i = first; i < tensor->ndim; i++)
        as_tuple(sizes)->items[i - first] = retain(tensor_sizes(tensor)[i]);
    const ValueRef args[] = {value, sizes};
    Value view = op_apply(OP_view_, false, args, 2);
    drop(sizes);
    return view;
}

static bool has_sizes_of(const Tensor *a, const Tensor *b)
{
    if (a->ndim != b->ndim) return false;
    for (int i = 0; i < a->ndim; i++)
        if (tensor_sizes(a)[i] != tensor_sizes(b)[i]) return false;
    return true;
}

// The value as it fits into `target`: expanded if it has other sizes. Owned.
static Value expanded(ValueRef value, ValueRef target)
{
    if (has_sizes_of(as_tensor(value), as_tensor(target))) return retain(value);
    Value narrow = without_prefix(value);
    Value sizes =
        narrow ? tuple_from_array(lend(tensor_sizes(as_tensor(target))), as_tensor(target)->ndim)
               : VALUE_ERROR;
    const ValueRef args[] = {narrow, sizes};
    Value wide = sizes ? op_apply(OP_expand_, false, args, 2) : VALUE_ERROR;
    drop(narrow);
    drop(sizes);
    return wide;
}

static bool copy_into_part(ValueRef part, ValueRef value)
{
    Value wide = expanded(value, part);
    const ValueRef args[] = {part, wide};
    Value done = wide ? op_apply(OP_copy__, false, args, 2) : VALUE_ERROR;
    drop(wide);
    drop(done);
    return done != VALUE_ERROR;
}

static bool put_into_part(const Indexing *indexing, ValueRef value)
{
    Value narrow = without_prefix(value);
    const ValueRef args[] = {indexing->tensor, indexing->indices, narrow};
    Value done = narrow ? op_apply(OP_index_put_, true, args, 3) : VALUE_ERROR;
    drop(narrow);
    drop(done);
    return done != VALUE_ERROR;
}

bool tensor_set_subscript(ValueRef self, ValueRef key, ValueRef value)
{
    Indexing indexing;
    if (!value) return raise_error(TypeError, "Tensor does not support deleting items");
    const ValueRef args[] = {key, value};
    Value answer = override_slot(NAME(__setitem__), self, args, 2);
    if (answer != ABSENT) {
        drop(answer);
        return answer != VALUE_ERROR;
    }
    Value tensor = value_tensor(self, value);
    if (!tensor) return false;
    bool done = key == FALSE || apply_key(&indexing, self, key);
    if (done && key != FALSE)
        done = indexing.indices ? put_into_part(&indexing, tensor)
                                : copy_into_part(indexing.tensor, tensor);
    if (key != FALSE) leave_key(&indexing);
    drop(tensor);
    return done;
}
