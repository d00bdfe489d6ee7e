// Between the files that make torch._C.TensorBase: tensor_slots.c, tensor_methods.c, construct.c,
// mod__torch.c.
#pragma once

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/tensor/tensor.h"

// tensor_slots.c: fills the slots of the type, before type_ready().
void tensor_fill_slots(Type *type);
// tensor_methods.c: the methods and attributes that are no operators.
extern const MethodDef tensor_methods[];
extern const GetSetDef tensor_getset[];

// tensor_indexing.c: x[key], owned; x[key] = value, and del x[key] for VALUE_ERROR.
Value tensor_subscript(ValueRef self, ValueRef key);
bool tensor_set_subscript(ValueRef self, ValueRef key, ValueRef value);

// construct.c: torch.tensor() and its relatives.
extern const MethodDef construct_functions[];
// A tensor of nested sequences of numbers: owned. dtype DTYPE_NONE = inferred.
Value tensor_from_data(ValueRef data, Dtype dtype);
// TensorBase.__new__: the legacy constructor torch.Tensor(...).
Value tensor_base_new(Type *type, METHOD_ARGS);
// Methods of TensorBase that make tensors.
Value tensor_new_tensor(ValueRef self, METHOD_ARGS);
Value tensor_as_subclass(ValueRef self, METHOD_ARGS);
Value tensor_make_subclass(ValueRef self, METHOD_ARGS);
