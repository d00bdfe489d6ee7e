// Attributes and methods of tensors that are no operators, and objects of torch.ops: a class
// with a __torch_function__ is asked, for Tensor.dim and for Tensor.shape.__get__.
//
//     ASKED_METHOD(dim, tensor_dim)             the method `asked_dim`, for a table of methods
//     ASKED_GETTER(shape, get_shape)            `asked_get_shape`, for a getset table
//     ASKED_SETTER(data, set_data)              `asked_set_data`
#pragma once

#include "objects/call.h"
#include "objects/object.h"

// Each thread has modes of its own. At the end of the program they are dropped.
void overrides_init(void);
void overrides_finish(void);

// What the class of `self` answers for the attribute, else get(self): owned.
Value override_get(const char *name, ValueRef self, Value (*get)(ValueRef self));
// The same for setting it, and for deleting it (value VALUE_ERROR).
bool override_set(const char *name, ValueRef self, ValueRef value,
                  bool (*set)(ValueRef self, ValueRef value));

typedef Value (*TensorMethod)(ValueRef self, METHOD_ARGS);

// What the class of `self` answers for Tensor.name(*args), else the method's own result: owned.
Value override_method(const char *name, ValueRef self, METHOD_ARGS, TensorMethod method);
// The same for an operator of the language, such as __bool__: ABSENT = nobody is asked.
Value override_operator(const char *name, ValueRef self);
// The same for one of two operands, such as __and__, and __rsub__ of the right operand: the class
// of either is asked. `name` NULL = the operator has no name of its own, so nobody is.
Value override_binary(const char *name, ValueRef self, ValueRef other);
// The same for a call of an object of torch.ops, with a tuple and a dict: arguments and items of
// lists are asked, and told of `function`.
Value override_object(ValueRef function, ValueRef args, ValueRef kwargs);

#define ASKED_METHOD(name, method)                                                                 \
    static Value asked_##name(ValueRef self, METHOD_ARGS)                                          \
    {                                                                                              \
        return override_method(#name, self, args, nargs, kwnames, method);                         \
    }
#define ASKED_GETTER(name, get)                                                                    \
    static Value asked_get_##name(ValueRef self)                                                   \
    {                                                                                              \
        return override_get(#name, self, get);                                                     \
    }
#define ASKED_SETTER(name, set)                                                                    \
    static bool asked_set_##name(ValueRef self, ValueRef value)                                    \
    {                                                                                              \
        return override_set(#name, self, value, set);                                              \
    }
