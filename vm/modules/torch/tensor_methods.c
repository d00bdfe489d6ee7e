// Attributes and methods of tensors that are no operators: what a tensor is, not what is computed.
#include "vm/modules/torch/tensor_parts.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/memory_format.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/op_bind.h"
#include "vm/modules/torch/call/overrides.h"
#include "vm/modules/torch/call/torch_objects.h"
#include "vm/modules/torch/call/transform.h"

// ---- attributes

static Value get_shape(ValueRef self)
{
    return size_new(as_tensor(self)->ndim, tensor_sizes(as_tensor(self)));
}
static Value get_dtype(ValueRef self)
{
    return retain(dtype_value(tensor_dtype(as_tensor(self))));
}
static Value get_device(ValueRef self)
{
    return device_new(tensor_is(as_tensor(self), TENSOR_META));
}
static Value get_layout(ValueRef self)
{
    (void)self;
    return retain(layout_strided());
}
static Value get_T(ValueRef self)
{
    return op_apply(OP_numpy_T_, false, &self, 1);
}
static Value get_H(ValueRef self)
{
    return op_apply(OP_matrix_H_, false, &self, 1);
}
static Value get_mT(ValueRef self)
{
    return op_apply(OP_mT_, false, &self, 1);
}
static Value get_mH(ValueRef self)
{
    return op_apply(OP_mH_, false, &self, 1);
}
static Value get_ndim(ValueRef self)
{
    return from_small(as_tensor(self)->ndim);
}
static Value get_false(ValueRef self)
{
    (void)self;
    return FALSE;
}
static Value get_is_meta(ValueRef self)
{
    return from_bool(tensor_is(as_tensor(self), TENSOR_META));
}
static Value get_is_cpu(ValueRef self)
{
    return from_bool(!tensor_is(as_tensor(self), TENSOR_META));
}
static Value get_none(ValueRef self)
{
    (void)self;
    return NONE;
}
static Value get_names(ValueRef self)
{
    Value names = tuple_new(as_tensor(self)->ndim);
    for (int i = 0; names && i < as_tensor(self)->ndim; i++) as_tuple(names)->items[i] = NONE;
    return names;
}
static Value get_real(ValueRef self)
{
    bool complex = dtype_is_complex(tensor_dtype(as_tensor(self)));
    return complex ? op_apply(OP_real_, false, &self, 1) : retain(self);
}
static Value get_imag(ValueRef self)
{
    return op_apply(OP_imag_, false, &self, 1);
}
// x.real = y writes into x.
static bool set_part(ValueRef self, OpIndex part, ValueRef value)
{
    if (!value) return raise_error(RuntimeError, "can't delete the parts of a tensor");
    Value view = op_apply(part, false, &self, 1);
    Value written = VALUE_ERROR;
    if (view && tensor_check(value))
        written = op_apply(OP_copy__, false, (const ValueRef[]){view, value}, 2);
    else if (view)
        written = op_apply(OP_fill__Scalar, false, (const ValueRef[]){view, value}, 2);
    drop(view);
    drop(written);
    return written != VALUE_ERROR;
}
static bool set_real(ValueRef self, ValueRef value)
{
    return set_part(self, OP_real_, value);
}
static bool set_imag(ValueRef self, ValueRef value)
{
    return set_part(self, OP_imag_, value);
}
static Value get_itemsize(ValueRef self)
{
    return from_small((int64_t)dtype_size(tensor_dtype(as_tensor(self))));
}
static Value elements(const Tensor *tensor)
{
    Value product = from_small(1);
    if (tensor->numel >= 0) return from_small(tensor->numel);
    for (int i = 0; product && i < tensor->ndim; i++)
        replace_slot(&product, dim_mul(product, tensor_sizes(tensor)[i]));
    return product;
}
static Value get_nbytes(ValueRef self)
{
    Value count = elements(as_tensor(self));
    int64_t size = (int64_t)dtype_size(tensor_dtype(as_tensor(self)));
    if (count) replace_slot(&count, dim_mul(count, from_small(size)));
    return count;
}
static Value get_version(ValueRef self)
{
    if (tensor_is(as_tensor(self), TENSOR_INFERENCE))
        return raise_error(RuntimeError, "Inference tensors do not track version counter.");
    return from_small((int64_t)tensor_version(as_tensor(self)));
}
static Value get_fake_mode(ValueRef self)
{
    ValueRef mode = as_tensor(self)->fake_mode;
    return mode ? retain(mode) : NONE;
}
static Value get_base(ValueRef self)
{
    ValueRef base = as_tensor(self)->view_base;
    return base ? retain(base) : NONE;
}
static Value get_data(ValueRef self)
{
    Tensor *tensor = as_tensor(self);
    if (tensor_is(tensor, TENSOR_BATCHED))
        return raise_error(RuntimeError, "accessing `data` under vmap transform is not allowed");
    Type *type = tensor->fake_mode ? tensor->base.type : tensor_type;
    Value made =
        op_state.dispatching ? op_apply(OP_detach_, false, &self, 1) : tensor_alias(tensor, type);
    if (!made || !tensor_check(made) || tensor_set_version(as_tensor(made), 0)) return made;
    drop(made);
    return VALUE_ERROR;
}
static bool set_data(ValueRef self, ValueRef value)
{
    if (!value || !tensor_check(value))
        return raise_error(TypeError, "Variable data has to be a tensor, but got %T",
                           value ? value : NONE);
    if (tensor_is(as_tensor(self), TENSOR_META) != tensor_is(as_tensor(value), TENSOR_META))
        return raise_error(RuntimeError,
                           "Attempted to call `variable.set_data(tensor)`, but `variable` and "
                           "`tensor` have incompatible tensor type.");
    return tensor_set_data(as_tensor(self), as_tensor(value));
}

#define READ(name, get) ASKED_GETTER(name, get)
#define WRITE(name, get, set) ASKED_GETTER(name, get) ASKED_SETTER(name, set)
#include "vm/modules/torch/tensor_attributes.def"
#undef READ
#undef WRITE

const GetSetDef tensor_getset[] = {
#define READ(name, get) {#name, asked_get_##name, NULL, NULL},
#define WRITE(name, get, set) {#name, asked_get_##name, asked_set_##name, NULL},
#include "vm/modules/torch/tensor_attributes.def"
#undef READ
#undef WRITE
    {"_fake_mode", get_fake_mode, NULL, NULL},
    {"_wrapper", tensor_get_wrapper, NULL, NULL},
    {"__dict__", generic_get_dict, generic_set_dict, NULL},
    {0},
};

// ---- sizes

// size() and stride(): all of them, or that of one dimension.
static Value all_or_one(ValueRef self, const char *function, const Dim *dims, bool sizes,
                        METHOD_ARGS)
{
    size_t all = nargs + (kwnames ? (size_t)tuple_size(kwnames) : 0);
    ValueRef slot = all ? args[0] : (ValueRef)NONE;
    int64_t dim;
    int ndim = as_tensor(self)->ndim;
    if (all > 1 || is_bool(slot) || !(slot == NONE || str_check(slot) || int_check(slot)) ||
        (all > nargs && !str_equal_ascii(tuple_at(kwnames, 0), "dim")))
        return op_bind_method_error(function, self, args, nargs, kwnames) ? NONE : VALUE_ERROR;
    if (slot == NONE && sizes) return size_new(ndim, dims);
    if (slot == NONE) return tuple_from_array(lend(dims), (size_t)ndim);
    if (str_check(slot)) return raise_no_dim_name(self, slot) ? NONE : VALUE_ERROR;
    if (!int_as_int64(slot, &dim)) return VALUE_ERROR;
    if (ndim == 0)
        return raise_error(IndexError, "Dimension specified as %lld but tensor has no dimensions",
                           (long long)dim);
    return shape_wrap_dim(&dim, ndim) ? retain(dims[dim]) : VALUE_ERROR;
}

static Value tensor_size_method(ValueRef self, METHOD_ARGS)
{
    return all_or_one(self, "size", tensor_sizes(as_tensor(self)), true, args, nargs, kwnames);
}
static Value tensor_stride_method(ValueRef self, METHOD_ARGS)
{
    return all_or_one(self, "stride", tensor_strides(as_tensor(self)), false, args, nargs, kwnames);
}
static Value tensor_dim(ValueRef self, METHOD_ARGS)
{
    return get_ndim(self);
}
static Value tensor_numel(ValueRef self, METHOD_ARGS)
{
    return elements(as_tensor(self));
}
static Value tensor_storage_offset(ValueRef self, METHOD_ARGS)
{
    return retain(as_tensor(self)->offset);
}
static Value tensor_element_size(ValueRef self, METHOD_ARGS)
{
    return get_itemsize(self);
}
static Value raise_no_data(void)
{
    return raise_error(RuntimeError,
                       "Cannot access data pointer of Tensor that doesn't have storage");
}
static Value tensor_data_ptr(ValueRef self, METHOD_ARGS)
{
    const Tensor *tensor = as_tensor(self);
    if (tensor_is(tensor, TENSOR_META) && !tensor->fake_mode) return from_small(0);
    if (!tensor->storage || tensor_is(tensor, TENSOR_WRAPPER)) return raise_no_data();
    if (!tensor->numel) return from_small(0);
    // The address of the storage's object stands for that of its data: the same in every run.
    return from_small(memory_id(tensor->storage) +
                      small_value(tensor->offset) * (int64_t)dtype_size(tensor_dtype(tensor)));
}
// A keyword of is_contiguous(), which PyTorch parses as an operator's.
static bool check_format_keyword(ValueRef kwnames, ValueRef given)
{
    ValueRef name = tuple_at(kwnames, 0);
    if (tuple_size(kwnames) != 1 || !str_equal_ascii(name, "memory_format"))
        return raise_error(TypeError, "is_contiguous() got an unexpected keyword argument '%S'",
                           name);
    return memory_format_check(given) ||
           raise_error(TypeError,
                       "is_contiguous(): argument 'memory_format' must be torch.memory_format, "
                       "not %s",
                       type_of(given)->name);
}
static Value tensor_is_contiguous(ValueRef self, METHOD_ARGS)
{
    MemoryFormat format = FORMAT_CONTIGUOUS;
    if (nargs)
        return raise_error(TypeError,
                           "is_contiguous() takes 0 positional arguments but %zu %s given", nargs,
                           nargs == 1 ? "was" : "were");
    if (kwnames) {
        if (!check_format_keyword(kwnames, args[0])) return VALUE_ERROR;
        format = (MemoryFormat)memory_format_of(args[0]);
    }
    return from_bool(memory_format_holds(as_tensor(self), format));
}
static Value tensor_suggested_format(ValueRef self, METHOD_ARGS)
{
    return retain(memory_format_value(memory_format_suggested(as_tensor(self))));
}

// ---- kinds

static Value tensor_is_floating_point(ValueRef self, METHOD_ARGS)
{
    return from_bool(dtype_is_floating(tensor_dtype(as_tensor(self))));
}
static Value tensor_is_complex(ValueRef self, METHOD_ARGS)
{
    return from_bool(dtype_is_complex(tensor_dtype(as_tensor(self))));
}
static Value tensor_is_signed(ValueRef self, METHOD_ARGS)
{
    return from_bool(dtype_table[tensor_dtype(as_tensor(self))].is_signed);
}
static Value tensor_is_inference(ValueRef self, METHOD_ARGS)
{
    return from_bool(tensor_is(as_tensor(self), TENSOR_INFERENCE));
}

// ---- tolist()

// The elements from dimension `dim` on, nested. Of a dimension longer than 2 * edges only so many
// from each end.
static Value list_from(const Tensor *tensor, int dim, int64_t at, int64_t edges)
{
    if (dim == tensor->ndim) return tensor_item(tensor, at);
    int64_t size = tensor_size(tensor, dim), stride = tensor_stride(tensor, dim);
    bool cut = edges < size - edges;
    Value list = list_new((ssize_t)(cut ? 2 * edges : size));
    for (int64_t i = 0; list && i < size; i++) {
        if (cut && i == edges) i = size - edges;
        if (i == size) break;
        if (!list_append_owned(list, list_from(tensor, dim + 1, at + i * stride, edges)))
            drop_slot(&list);
    }
    return list;
}

static Value nested_list(const Tensor *tensor, int64_t edges)
{
    if (tensor_is(tensor, TENSOR_BATCHED)) return raise_no_data();
    if (!tensor->storage)
        return raise_error(NotImplementedError, "Cannot copy out of meta tensor; no data!");
    return list_from(tensor, 0, 0, edges);
}

static Value tensor_tolist(ValueRef self, METHOD_ARGS)
{
    return nested_list(as_tensor(self), INT64_MAX / 2);
}

// _shown(edges): the elements that are printed; -1 = all.
static Value tensor_shown(ValueRef self, METHOD_ARGS)
{
    int edges;
    if (!argument_int(args[0], &edges)) return VALUE_ERROR;
    return nested_list(as_tensor(self), edges < 0 ? INT64_MAX / 2 : edges);
}

static Value tensor_get_storage(ValueRef self, METHOD_ARGS)
{
    Storage *storage = as_tensor(self)->storage;
    return storage ? retain(ref_of(storage))
                   : raise_error(RuntimeError, "a fake tensor has no storage");
}

static Value tensor_is_view(ValueRef self, METHOD_ARGS)
{
    const Tensor *tensor = as_tensor(self);
    return from_bool(tensor->view_base && !tensor_is(tensor, TENSOR_INFERENCE));
}

static Value tensor_is_fake(ValueRef self, METHOD_ARGS)
{
    return from_bool(tensor_is(as_tensor(self), TENSOR_FAKE));
}

ASKED_METHOD(size, tensor_size_method)
ASKED_METHOD(stride, tensor_stride_method)
ASKED_METHOD(dim, tensor_dim)
ASKED_METHOD(numel, tensor_numel)
ASKED_METHOD(storage_offset, tensor_storage_offset)
ASKED_METHOD(element_size, tensor_element_size)
ASKED_METHOD(data_ptr, tensor_data_ptr)
ASKED_METHOD(is_contiguous, tensor_is_contiguous)
ASKED_METHOD(is_floating_point, tensor_is_floating_point)
ASKED_METHOD(is_complex, tensor_is_complex)
ASKED_METHOD(is_signed, tensor_is_signed)
ASKED_METHOD(is_inference, tensor_is_inference)
ASKED_METHOD(new_tensor, tensor_new_tensor)
ASKED_METHOD(_is_view, tensor_is_view)
ASKED_METHOD(tolist, tensor_tolist)

const MethodDef tensor_methods[] = {
    {"size", asked_size, KEYWORD_ARGS, "size(dim=None) -> torch.Size or int"},
    {"stride", asked_stride, KEYWORD_ARGS, "stride(dim=None) -> tuple or int"},
    {"dim", asked_dim, NO_ARGS, "dim() -> int"},
    {"ndimension", asked_dim, NO_ARGS, "ndimension() -> int: alias of dim()."},
    {"numel", asked_numel, NO_ARGS, "numel() -> int: the number of elements."},
    {"nelement", asked_numel, NO_ARGS, "nelement() -> int: alias of numel()."},
    {"storage_offset", asked_storage_offset, NO_ARGS, "storage_offset() -> int"},
    {"element_size", asked_element_size, NO_ARGS, "element_size() -> int: bytes of an element."},
    {"data_ptr", asked_data_ptr, NO_ARGS, "data_ptr() -> int"},
    {"is_contiguous", asked_is_contiguous, KEYWORD_ARGS, "is_contiguous() -> bool"},
    {"is_floating_point", asked_is_floating_point, NO_ARGS, NULL},
    {"is_complex", asked_is_complex, NO_ARGS, NULL},
    {"is_signed", asked_is_signed, NO_ARGS, NULL},
    {"is_inference", asked_is_inference, NO_ARGS, NULL},
    {"new_tensor", asked_new_tensor, KEYWORD_ARGS, "new_tensor(data, dtype=None) -> Tensor"},
    {"as_subclass", tensor_as_subclass, ONE_ARG, "as_subclass(cls) -> Tensor"},
    {"_make_subclass", tensor_make_subclass, METHOD_POSITIONAL, METHOD_STATIC, 2, 3, NULL},
    {"_shown", tensor_shown, ONE_ARG, "_shown(edges) -> list: the elements that are printed."},
    {"_storage", tensor_get_storage, NO_ARGS, NULL},
    {"_suggested_format", tensor_suggested_format, NO_ARGS, NULL},
    {"_is_view", asked__is_view, NO_ARGS, NULL},
    {"_is_fake", tensor_is_fake, NO_ARGS, NULL},
    {"tolist", asked_tolist, NO_ARGS, "tolist() -> list or number"},
    {0},
};
