// The slots of torch._C.TensorBase: operators, truth, len(), iteration, float() and int().
#include "vm/modules/torch/tensor_parts.h"

#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/iterators.h"
#include "objects/tensor/element.h"
#include "vm/modules/torch/call/op.h"
#include "vm/modules/torch/call/overrides.h"

// A TypeError says that the operand is of no use here: the other one may know. So it is with one of
// a __torch_function__, too.
static Value or_not_implemented(Value result)
{
    if (result || !error_is(TypeError)) return result;
    error_clear();
    return not_implemented();
}

static Value as_method(OpIndex row, ValueRef self, ValueRef other)
{
    ValueRef args[] = {other};
    return or_not_implemented(op_method(row, self, args, 1, VALUE_ERROR));
}

static Value as_inplace(OpIndex row, ValueRef self, ValueRef other)
{
    ValueRef args[] = {other};
    return or_not_implemented(op_inplace(row, self, args, 1, VALUE_ERROR));
}

static Value as_function(OpIndex row, ValueRef left, ValueRef right)
{
    ValueRef args[] = {left, right};
    return or_not_implemented(op_function(row, args, 2, VALUE_ERROR));
}

// x / tensor, as PyTorch has it: tensor.reciprocal() * x.
static Value divide_by(ValueRef number, ValueRef tensor)
{
    Value inverse = op_method(OP_reciprocal_, tensor, NULL, 0, VALUE_ERROR);
    ValueRef args[] = {number};
    Value result = inverse ? op_method(OP_mul_Tensor, inverse, args, 1, VALUE_ERROR) : VALUE_ERROR;
    drop(inverse);
    return or_not_implemented(result);
}

// ---- the operators of tensor_slots.def

#define SWAPPED(row) as_method(OP_##row, right, left)
#define CALLED(row) as_function(OP_##row, left, right)
#define RSUB as_function(OP_rsub_Tensor, right, left)
#define RECIPROCAL divide_by(left, right)
#define BINARY_SLOT(slot, row, other_way, name, reflected)                                         \
    static Value slot_##slot(ValueRef left, ValueRef right)                                        \
    {                                                                                              \
        bool own = tensor_check(left);                                                             \
        Value answer =                                                                             \
            own ? override_binary(name, left, right) : override_binary(reflected, right, left);    \
        if (answer != ABSENT) return or_not_implemented(answer);                                   \
        return own ? as_method(OP_##row, left, right) : other_way;                                 \
    }
#define INPLACE_SLOT(slot, row, name)                                                              \
    static Value slot_##slot(ValueRef left, ValueRef right)                                        \
    {                                                                                              \
        Value answer = override_binary(name, left, right);                                         \
        return answer != ABSENT ? or_not_implemented(answer) : as_inplace(OP_##row, left, right);  \
    }
#define UNARY_SLOT(slot, row, name)                                                                \
    static Value slot_##slot(ValueRef self)                                                        \
    {                                                                                              \
        const char *own = (name);                                                                  \
        Value answer = own ? override_operator(own, self) : ABSENT;                                \
        return answer != ABSENT ? answer : op_method(OP_##row, self, NULL, 0, VALUE_ERROR);        \
    }
#define COMPARE_SLOT(operation, row, name)
#include "vm/modules/torch/tensor_slots.def"
#undef BINARY_SLOT
#undef INPLACE_SLOT
#undef UNARY_SLOT
#undef COMPARE_SLOT

static Value slot_compare(ValueRef left, ValueRef right, CompareOp op)
{
    Value answer;
    switch (op) {
#define BINARY_SLOT(slot, row, other_way, name, reflected)
#define INPLACE_SLOT(slot, row, name)
#define UNARY_SLOT(slot, row, name)
#define COMPARE_SLOT(operation, row, name)                                                         \
    case operation:                                                                                \
        answer = override_binary(name, left, right);                                               \
        return answer != ABSENT ? or_not_implemented(answer) : as_method(OP_##row, left, right);
#include "vm/modules/torch/tensor_slots.def"
#undef BINARY_SLOT
#undef INPLACE_SLOT
#undef UNARY_SLOT
#undef COMPARE_SLOT
    default: return not_implemented();
    }
}

static Value slot_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    if (modulus != NONE) return not_implemented();
    if (tensor_check(base)) return as_method(OP_pow_Tensor_Tensor, base, exponent);
    Value answer = override_binary("__rpow__", exponent, base);
    return answer != ABSENT ? or_not_implemented(answer)
                            : as_function(OP_pow_Tensor_Tensor, base, exponent);
}

static Value slot_inplace_power(ValueRef base, ValueRef exponent, ValueRef modulus)
{
    return modulus == NONE ? as_inplace(OP_pow_Tensor_Tensor, base, exponent) : not_implemented();
}

// ---- a tensor of one element as a number

static bool take_truth(Value value, bool *truth)
{
    bool done = value && object_truth(value, truth);
    drop(value);
    return done;
}

static Value slot_invert(ValueRef self)
{
    Value answer = override_operator("__invert__", self);
    if (answer != ABSENT) return answer;
    if (dtype_is_inexact(tensor_dtype(as_tensor(self))))
        return raise_error(TypeError, "~ (operator.invert) is only implemented on integer and "
                                      "Boolean-type tensors");
    return op_method(OP_bitwise_not_, self, NULL, 0, VALUE_ERROR);
}

static bool slot_truth(ValueRef self, bool *truth)
{
    const Tensor *tensor = as_tensor(self);
    Value answer = override_operator("__bool__", self);
    if (answer != ABSENT) return take_truth(answer, truth);
    if (tensor->numel == 0)
        return raise_error(RuntimeError, "Boolean value of Tensor with no values is ambiguous");
    if (tensor->numel > 1)
        return raise_error(RuntimeError,
                           "Boolean value of Tensor with more than one value is ambiguous");
    OpIndex asked = op_state.transforming ? OP_is_nonzero_ : OP_item_; // vmap refuses each in words
    return take_truth(op_apply(asked, false, &self, 1), truth);
}

// A complex number without an imaginary part, as a float: owned. RuntimeError for any other.
static Value real_item(ValueRef item, UnaryFn convert)
{
    _Alignas(8) char number[8];
    Dtype dtype = convert == object_int ? DTYPE_int64 : DTYPE_float64;
    return element_store(dtype, item, number) ? float_new(as_complex(item)->real) : VALUE_ERROR;
}

static Value item_as(ValueRef self, UnaryFn convert)
{
    if (as_tensor(self)->numel != 1)
        return raise_error(ValueError,
                           "only one element tensors can be converted to Python scalars");
    Value item = op_apply(OP_item_, false, &self, 1);
    if (item && complex_check_exact(item)) replace_slot(&item, real_item(item, convert));
    Value converted = item ? convert(item) : VALUE_ERROR;
    drop(item);
    return converted;
}

static Value slot_int(ValueRef self)
{
    Value answer = override_operator("__int__", self);
    return answer != ABSENT ? answer : item_as(self, object_int);
}
static Value slot_float(ValueRef self)
{
    Value answer = override_operator("__float__", self);
    return answer != ABSENT ? answer : item_as(self, object_float);
}

static Value slot_index(ValueRef self)
{
    const Tensor *tensor = as_tensor(self);
    Value answer = override_operator("__index__", self);
    if (answer != ABSENT) return answer;
    if (tensor->numel != 1 || dtype_is_inexact(tensor_dtype(tensor)))
        return raise_error(TypeError,
                           "only integer tensors of a single element can be converted to an index");
    return item_as(self, object_int);
}

// ---- a tensor as a sequence

static bool take_length(Value size, ssize_t *length)
{
    bool done = size && int_as_ssize(size, length);
    drop(size);
    return done;
}

static bool slot_length(ValueRef self, ssize_t *length)
{
    const Tensor *tensor = as_tensor(self);
    Value answer = override_operator("__len__", self);
    if (answer != ABSENT) return take_length(answer, length);
    if (tensor->ndim == 0) return raise_error(TypeError, "len() of a 0-d tensor");
    return take_length(object_index(tensor_sizes(tensor)[0]), length);
}

// Goes over the slices along the first dimension, as views that unbind() makes at once.
static Value slot_iterate(ValueRef self)
{
    if (as_tensor(self)->ndim == 0) return raise_error(TypeError, "iteration over a 0-d tensor");
    ValueRef first = from_small(0);
    Value slices = op_method(OP_unbind_int, self, &first, 1, VALUE_ERROR);
    Value iterator = slices ? object_iter(slices) : VALUE_ERROR;
    drop(slices);
    return iterator;
}

static bool slot_hash(ValueRef self, int64_t *hash)
{
    *hash = hash_pointer(object_of(self));
    return true;
}

// ---- all of them

void tensor_fill_slots(Type *type)
{
#define BINARY_SLOT(slot, row, other_way, name, reflected) type->slot = slot_##slot;
#define INPLACE_SLOT(slot, row, name) type->slot = slot_##slot;
#define UNARY_SLOT(slot, row, name) type->slot = slot_##slot;
#define COMPARE_SLOT(operation, row, name)
#include "vm/modules/torch/tensor_slots.def"
#undef BINARY_SLOT
#undef INPLACE_SLOT
#undef UNARY_SLOT
#undef COMPARE_SLOT
    type->compare = slot_compare;
    type->power = slot_power;
    type->inplace_power = slot_inplace_power;
    type->invert = slot_invert;
    type->truth = slot_truth;
    type->int_ = slot_int;
    type->float_ = slot_float;
    type->index = slot_index;
    type->length = slot_length;
    type->iter = slot_iterate;
    type->subscript = tensor_subscript;
    type->set_subscript = tensor_set_subscript;
    type->hash = slot_hash;
    type->new_ = tensor_base_new;
    type->getattribute = object_generic_get;
    type->setattr = object_generic_set;
}
