// TENSOR_MATCH: a tensor of exactly this class, with this dtype, requires_grad and shape. And
// DYNAMIC_INDICES, which is about an attribute of tensors.
//
//     expected | class | name | size[0] .. size[n-1] | stride[0] .. stride[n-1] |     a tuple
//     number   flags, number of dimensions and dtype of the tensor, in one word
//
// A size or a stride is a small int, as in a tensor; None = any. So a guard that holds has compared
// words, and has allocated nothing. (PyTorch 2.5's TensorCheck in torch/csrc/dynamo/guards.cpp,
// whose order and whose sentences these are.)
#include "frames/guards/guard_describe.h"
#include "frames/guards/guard_tree.h"

#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/looking/peek.h"
#include "objects/numbers/int.h"
#include "objects/tensor/tensor.h"
#include "objects/type.h"

#include <stdio.h>

enum { ITEM_CLASS, ITEM_NAME, ITEM_DIMS };

// ---- what is guarded besides the class and the Dims

#define GUARDED_FLAGS                                                                              \
    (TENSOR_REQUIRES_GRAD | TENSOR_INFERENCE | TENSOR_META | TENSOR_UNRESOLVED)
#define AUTOCAST ((int64_t)1 << 32) // it is on: the guard is about the keys of a call, too

static inline int64_t properties_of(const Tensor *tensor)
{
    return (tensor_autocast ? AUTOCAST : 0) | (int64_t)(tensor->flags & GUARDED_FLAGS) << 16 |
           tensor->ndim << 8 | tensor->dtype;
}

static int ndim_of(int64_t properties)
{
    return (int)(properties >> 8 & 0xFF);
}

static bool requires_grad(int64_t properties)
{
    return properties >> 16 & TENSOR_REQUIRES_GRAD;
}

// PyTorch's dispatch keys of a tensor, in `text`. One made under inference_mode() has none for
// autograd.
static const char *keys_of(int64_t properties, char text[160])
{
    int64_t flags = properties >> 16;
    bool meta = flags & TENSOR_META, autograd = !(flags & TENSOR_INFERENCE);
    snprintf(text, 160, "DispatchKeySet(%s, BackendSelect%s%s, ADInplaceOrView%s%s)",
             meta ? "Meta" : "CPU", flags & TENSOR_CONJ ? ", Conjugate" : "",
             flags & TENSOR_NEG ? ", Negative" : "",
             !autograd ? "" : meta ? ", AutogradMeta" : ", AutogradCPU",
             properties & AUTOCAST && !meta ? ", AutocastCPU" : "");
    return text;
}

static const char *scalar_of(int64_t properties)
{
    return dtype_table[properties & 0xFF].scalar;
}

// ---- making

static bool check_dims(ValueRef dims, const char *what)
{
    if (!list_check_exact(dims))
        return raise_error(TypeError, "%s must be a list of int, not '%T'", what, dims);
    for (ssize_t i = 0; i < list_size(dims); i++)
        if (!is_small(list_at(dims, i)) && list_at(dims, i) != NONE)
            return raise_error(TypeError, "%s must be a list of int, or None for any, not of '%T'",
                               what, list_at(dims, i));
    return true;
}

static bool check_arguments(const ValueRef *args)
{
    if (!tensor_check(args[0]))
        return raise_error(TypeError, "add_tensor_match_guard() takes a tensor, not '%T'", args[0]);
    if (!check_dims(args[1], "size") || !check_dims(args[2], "stride")) return false;
    if (list_size(args[1]) != list_size(args[2]))
        return raise_error(ValueError, "%zd sizes, but %zd strides", list_size(args[1]),
                           list_size(args[2]));
    if (list_size(args[1]) > TENSOR_MAX_DIMS)
        return raise_error(ValueError, "a tensor has at most %d dimensions", TENSOR_MAX_DIMS);
    return str_check_exact(args[3]) ||
           raise_error(TypeError, "tensor_name must be a str, not '%T'", args[3]);
}

static bool set_expected(Guard *guard, const ValueRef *args)
{
    ValueRef items[ITEM_DIMS + 2 * TENSOR_MAX_DIMS] = {ref_of(type_of(args[0])), args[3]};
    ssize_t ndim = list_size(args[1]);
    for (ssize_t i = 0; i < ndim; i++) {
        items[ITEM_DIMS + i] = list_at(args[1], i);
        items[ITEM_DIMS + ndim + i] = list_at(args[2], i);
    }
    guard->expected = tuple_from_array(items, (size_t)(ITEM_DIMS + 2 * ndim));
    guard->number = (properties_of(as_tensor(args[0])) & ~0xFF00) | ndim << 8;
    return guard->expected;
}

// What follows the source in "check_tensor(L['x'], Tensor, ...)".
static Value text_after(int64_t properties, const ValueRef *args)
{
    char keys[160];
    Value class_name = guard_class_name(type_of(args[0]));
    if (!class_name) return VALUE_ERROR;
    Value text =
        format_text(", %S, %s, torch.%s, device=None, requires_grad=%s, size=%R, stride=%R)",
                    (ValueRef)class_name, keys_of(properties, keys),
                    dtype_table[properties & 0xFF].name,
                    requires_grad(properties) ? "True" : "False", args[1], args[2]);
    drop(class_name);
    return text;
}

bool guard_make_tensor_match(Guard *guard, const ValueRef *args)
{
    if (!check_arguments(args) || !set_expected(guard, args)) return false;
    guard->text[0] = str_new("check_tensor(");
    guard->text[1] = text_after(guard->number, args);
    return guard->text[0] && guard->text[1];
}

// ---- deciding

// The index of the first Dim that differs, among the sizes and then the strides; -1 = none.
static inline int differing_dim(const Value *expected, const Dim *dims, int count)
{
    for (int i = 0; i < count; i++)
        if (expected[i] != dims[i] && expected[i] != NONE) return i;
    return -1;
}

bool guard_tensor_match_holds(const Guard *guard, ValueRef value)
{
    const Value *items = as_tuple(guard->expected)->items;
    if (ref_of(type_of(value)) != items[ITEM_CLASS]) return false;
    const Tensor *tensor = as_tensor(value);
    if (properties_of(tensor) != guard->number) return false;
    return differing_dim(items + ITEM_DIMS, tensor->dims, 2 * tensor->ndim) < 0;
}

// ---- the sentence for what fails, instead of the guard's text

static Value wrong_class(ValueRef name, ValueRef value)
{
    Value text = guard_class_text(type_of(value));
    Value sentence = text ? format_text("expected type of '%S' to be a tensor type, ' but found %S",
                                        name, (ValueRef)text)
                          : VALUE_ERROR;
    drop(text);
    return sentence;
}

static Value wrong_property(ValueRef name, int64_t expected, int64_t found)
{
    int64_t differs = expected ^ found;
    char keys[160], other_keys[160];
    if (differs & AUTOCAST || differs >> 16 & (TENSOR_INFERENCE | TENSOR_UNRESOLVED))
        return format_text("tensor '%S' dispatch key set mismatch. expected %s, actual %s", name,
                           keys_of(expected, keys), keys_of(found, other_keys));
    if (differs & 0xFF)
        return format_text("tensor '%S' dtype mismatch. expected %s, actual %s", name,
                           scalar_of(expected), scalar_of(found));
    if (differs >> 16 & TENSOR_REQUIRES_GRAD)
        return format_text("tensor '%S' requires_grad mismatch. expected requires_grad=%d", name,
                           requires_grad(expected));
    return format_text("tensor '%S' rank mismatch. expected %d, actual %d", name, ndim_of(expected),
                       ndim_of(found));
}

static Value wrong_dim(ValueRef name, const Value *expected, const Tensor *tensor)
{
    int index = differing_dim(expected, tensor->dims, 2 * tensor->ndim);
    invariant(index >= 0, "a guard that fails on nothing else fails on a size or a stride");
    bool stride = index >= tensor->ndim;
    Value actual = guard_describe(tensor->dims[index]); // of a fake tensor: maybe a SymInt
    if (!actual) return VALUE_ERROR;
    Value sentence =
        format_text("tensor '%S' %s mismatch at index %d. expected %S, actual %S", name,
                    stride ? "stride" : "size", stride ? index - tensor->ndim : index,
                    (ValueRef)expected[index], (ValueRef)actual);
    drop(actual);
    return sentence;
}

Value guard_tensor_match_found(const Guard *guard, ValueRef value)
{
    const Value *items = as_tuple(guard->expected)->items;
    if (ref_of(type_of(value)) != items[ITEM_CLASS]) return wrong_class(items[ITEM_NAME], value);
    const Tensor *tensor = as_tensor(value);
    if (properties_of(tensor) != guard->number)
        return wrong_property(items[ITEM_NAME], guard->number, properties_of(tensor));
    return wrong_dim(items[ITEM_NAME], items + ITEM_DIMS, tensor);
}

// ---- DYNAMIC_INDICES: what Dynamo is told to keep dynamic is among these dimensions

static ValueRef marked_indices(ValueRef value)
{
    ValueRef name = str_find_interned("_dynamo_dynamic_indices");
    return name ? peek_attribute(value, name) : ABSENT; // a name that no object has
}

bool guard_make_dynamic_indices(Guard *guard, const ValueRef *args)
{
    if (!is_exactly(args[0], &set_type))
        return raise_error(TypeError, "dynamic indices must be a set of int, not '%T'", args[0]);
    ValueRef item;
    for (ssize_t position = 0; set_next(args[0], &position, &item);)
        if (!is_small(item))
            return raise_error(TypeError, "dynamic indices must be a set of int, not of '%T'",
                               item);
    guard->expected = frozenset_new(args[0]);
    guard->text[0] = str_new("dynamic indices of ");
    guard->text[1] = guard->expected ? format_text(" in %R", args[0]) : VALUE_ERROR;
    return guard->text[0] && guard->text[1];
}

bool guard_dynamic_indices_holds(const Guard *guard, ValueRef value)
{
    ValueRef marked = marked_indices(value), item;
    if (marked == ABSENT || marked == PEEK_REFUSED) return marked == ABSENT;
    if (!is_exactly(marked, &set_type)) return false;
    bool among = true;
    for (ssize_t position = 0; among && set_next(marked, &position, &item);)
        among = is_small(item) && set_contains(guard->expected, item, &among) && among;
    return among;
}

Value guard_dynamic_indices_found(const Guard *guard, ValueRef value)
{
    (void)guard;
    ValueRef marked = marked_indices(value);
    bool plain = marked != PEEK_REFUSED && is_exactly(marked, &set_type);
    return plain ? str_new("others as well") : str_new("what only code could tell");
}
