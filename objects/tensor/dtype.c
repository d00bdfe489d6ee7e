// The table of the dtypes, promotion of two of them, and the objects torch.float32, ...
#include "objects/tensor/dtype.h"

#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

#define IS_SIGNED_BOOLEAN(c_type) false
#define IS_SIGNED_INTEGER(c_type) ((c_type) - 1 < 1)
#define IS_SIGNED_FLOAT(c_type) true
#define IS_SIGNED_COMPLEX(c_type) true

const DtypeInfo dtype_table[DTYPE_COUNT] = {
#define DTYPE(name, short_name, c_type, computed, category, scalar, type)                          \
    {#name,          short_name,       #scalar,          type,                                     \
     sizeof(c_type), DTYPE_##computed, DTYPE_##category, IS_SIGNED_##category(c_type)},
#include "objects/tensor/dtype.def"
#undef DTYPE
};

DtypeObject dtype_objects[DTYPE_COUNT] = {
#define DTYPE(name, short_name, c_type, computed, category, scalar, type)                          \
    {{1, &dtype_type}, DTYPE_##name},
#include "objects/tensor/dtype.def"
#undef DTYPE
};

// ---- promotion

// Two different dtypes of one category: the wider one. Of equal width, the one that holds both is
// one step wider: uint8 and int8 give int16, float16 and bfloat16 give float32.
static Dtype promote_in_category(Dtype a, Dtype b)
{
    if (dtype_size(a) != dtype_size(b)) return dtype_size(a) > dtype_size(b) ? a : b;
    return dtype_is_floating(a) ? DTYPE_float32 : DTYPE_int16;
}

Dtype promote_types(Dtype a, Dtype b)
{
    if (a == b || b == DTYPE_NONE) return a;
    if (a == DTYPE_NONE) return b;
    if (dtype_category(a) == dtype_category(b)) return promote_in_category(a, b);
    if (dtype_is_complex(a) && dtype_is_floating(b)) return promote_types(a, dtype_to_complex(b));
    if (dtype_is_complex(b) && dtype_is_floating(a)) return promote_types(dtype_to_complex(a), b);
    return dtype_category(a) > dtype_category(b) ? a : b;
}

bool dtype_can_cast(Dtype from, Dtype to)
{
    return dtype_category(from) <= dtype_category(to);
}

// ---- torch.dtype

static Value dtype_repr(ValueRef self)
{
    return format_text("torch.%s", dtype_table[dtype_of(self)].name);
}

static Value dtype_reduce(ValueRef self, METHOD_ARGS)
{
    return str_new(dtype_table[dtype_of(self)].name);
}

static Value get_is_floating_point(ValueRef self)
{
    return from_bool(dtype_is_floating(dtype_of(self)));
}
static Value get_is_complex(ValueRef self)
{
    return from_bool(dtype_is_complex(dtype_of(self)));
}
static Value dtype_real_method(ValueRef self, METHOD_ARGS)
{
    return retain(dtype_value(dtype_to_real(dtype_of(self))));
}
static Value dtype_complex_method(ValueRef self, METHOD_ARGS)
{
    if (dtype_is_inexact(dtype_of(self)))
        return retain(dtype_value(dtype_to_complex(dtype_of(self))));
    return raise_error(RuntimeError, "Unknown Complex ScalarType for %s",
                       dtype_table[dtype_of(self)].scalar);
}

static Value get_is_signed(ValueRef self)
{
    return from_bool(dtype_table[dtype_of(self)].is_signed);
}
static Value get_itemsize(ValueRef self)
{
    return from_small((int64_t)dtype_size(dtype_of(self)));
}

static const MethodDef dtype_methods[] = {
    {"__reduce__", dtype_reduce, NO_ARGS, NULL},
    {"to_complex", dtype_complex_method, NO_ARGS, NULL},
    {"to_real", dtype_real_method, NO_ARGS, NULL},
    {0},
};

static const GetSetDef dtype_getset[] = {
    {"is_floating_point", get_is_floating_point, NULL, NULL},
    {"is_complex", get_is_complex, NULL, NULL},
    {"is_signed", get_is_signed, NULL, NULL},
    {"itemsize", get_itemsize, NULL, NULL},
    {0},
};

Type dtype_type = {
    STATIC_TYPE("torch.dtype", sizeof(DtypeObject)),
    .doc = "What the elements of a tensor are.",
    .methods = dtype_methods,
    .getset = dtype_getset,
    .repr = dtype_repr,
    .getattribute = object_generic_get,
};

bool dtype_init(void)
{
    return type_ready(&dtype_type);
}
