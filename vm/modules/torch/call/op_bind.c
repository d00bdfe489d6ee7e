// Matching the arguments of a call with schemas.
//
// The rows of a name are tried in order; the first whose parameters accept all arguments is called,
// and the arguments are made plain (call/plain.c). What no row accepts is reported by
// call/op_bind_error.c.
#include "vm/modules/torch/call/op_bind.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/complex.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/call/torch_objects.h"
#include "vm/modules/torch/random_generator.h"

// ---- does an argument fit a parameter?

// Does what answers calls itself count as a tensor? While op_bind_accepts() looks: only then, for
// no kernel may see it.
static bool overrides_fit;

bool op_bind_is_tensor(ValueRef value)
{
    return tensor_check(value) || (overrides_fit && op_bind_has_override(value));
}

static bool is_number(ValueRef value)
{
    return int_check(value) || float_check(value) || complex_check(value) ||
           symbolic_kind(value) >= 0;
}

// A SymInt counts as an int.
static bool is_int(ValueRef value)
{
    return (int_check(value) && !is_bool(value)) || symbolic_kind(value) == 0;
}

static bool is_tensor_of_int(ValueRef value)
{
    if (!tensor_check(value)) return false;
    Dtype dtype = tensor_dtype(as_tensor(value));
    return !dtype_is_inexact(dtype) && dtype != DTYPE_bool && as_tensor(value)->numel == 1;
}

// An int of 64 bits.
static bool is_int_like(ValueRef value)
{
    return is_int(value) || (is_tensor_of_int(value) && as_tensor(value)->ndim == 0);
}

// A SymInt, an item of an int[].
static bool is_index(ValueRef value)
{
    if (tensor_check(value)) return is_tensor_of_int(value);
    return !is_bool(value) && (is_int(value) || type_of(value)->index);
}

static bool is_scalar(ValueRef value)
{
    if (is_number(value)) return true;
    return tensor_check(value) && as_tensor(value)->ndim == 0 &&
           !(as_tensor(value)->flags & (TENSOR_REQUIRES_GRAD | TENSOR_WRAPPER));
}

// PyTorch looks at the first item only; the rule or kernel meets the others.
static bool is_list_of(ValueRef value, bool (*fits)(ValueRef item))
{
    if (list_check(value)) return list_size(value) == 0 || fits(list_at(value, 0));
    return tuple_check(value) && (tuple_size(value) == 0 || fits(tuple_at(value, 0)));
}

static bool is_dim_name(ValueRef value)
{
    return value == NONE || str_check(value);
}

static bool all_tensors(ValueRef value, bool holes)
{
    if (!list_check(value) && !tuple_check(value)) return false;
    ssize_t count = list_check(value) ? list_size(value) : tuple_size(value);
    for (ssize_t i = 0; i < count; i++) {
        ValueRef item = list_check(value) ? list_at(value, i) : tuple_at(value, i);
        if (holes && item == NONE) continue;
        if (!op_bind_is_tensor(item)) return false;
    }
    return true;
}

bool op_bind_none_is_default(const Param *param)
{
    return param->type == PARAM_INTS && !param->required && param->default_size == 2 &&
           memcmp(param->default_text, "[]", 2) == 0;
}

bool op_bind_fits(const Param *param, ValueRef value)
{
    if (value == NONE && (param->optional || param->fallback == NONE) && !param->required)
        return true;
    if (value == NONE && (param->optional || op_bind_none_is_default(param))) return true;
    switch (param->type) {
    case PARAM_TENSOR: return op_bind_is_tensor(value) || (param->numbers && is_number(value));
    case PARAM_SCALAR: return is_scalar(value);
    case PARAM_INT: return param->symbolic ? is_index(value) : is_int_like(value);
    case PARAM_FLOAT: return is_scalar(value) && !complex_check(value);
    case PARAM_BOOL: return is_bool(value);
    case PARAM_STR: return str_check(value);
    case PARAM_INTS: return is_list_of(value, is_index) || (param->length && is_int_like(value));
    case PARAM_FLOATS:
    case PARAM_SCALARS: return is_list_of(value, is_number);
    case PARAM_TENSORS: return all_tensors(value, param->holes);
    case PARAM_DTYPE:
        return dtype_check(value) || value == ref_of(&float_type) || value == ref_of(&int_type) ||
               value == ref_of(&bool_type);
    case PARAM_LAYOUT: return layout_check(value);
    case PARAM_DEVICE: return device_fits(value);
    case PARAM_MEMORY_FORMAT: return memory_format_check(value);
    case PARAM_GENERATOR: return random_generator_check(value);
    case PARAM_DIMNAME: return is_dim_name(value);
    case PARAM_DIMNAMES:
        return is_list_of(value, is_dim_name) || (param->length && is_dim_name(value));
    case PARAM_TYPE_COUNT: break;
    }
    return false;
}

// ---- one row

// torch.zeros(2, 3), x.view(2, 3): the only positional parameter is an int[], and gets all.
static bool takes_varargs(const Schema *schema, int first, const ValueRef *args, size_t nargs)
{
    const Param *param = &schema->params[first];
    return schema->positional - first == 1 && param->type == PARAM_INTS && !param->length &&
           nargs && is_index(args[0]);
}

static void take(OpCall *call, const Schema *schema, int index, ValueRef value)
{
    const Param *param = &schema->params[index];
    bool is_default = value == NONE && op_bind_none_is_default(param);
    call->slots[index] = is_default ? param->fallback : value;
}

static BindResult bind_positional(const Schema *schema, int first, const ValueRef *args,
                                  size_t nargs, OpCall *call)
{
    if (takes_varargs(schema, first, args, nargs))
        return call_hold(call, first, tuple_from_array(args, nargs)) ? BIND_FITS : BIND_FAILS;
    if ((ssize_t)nargs > schema->positional - first) return BIND_MISMATCH;
    for (size_t i = 0; i < nargs; i++) {
        if (!op_bind_fits(&schema->params[first + (int)i], args[i])) return BIND_MISMATCH;
        take(call, schema, first + (int)i, args[i]);
    }
    return BIND_FITS;
}

static bool is_nameless(const Schema *schema, ValueRef name, ValueRef value)
{
    return schema->op->kinds & NAMED && value == NONE && str_equal_ascii(name, "names");
}

static bool bind_keywords(const Schema *schema, BindStyle style, const ValueRef *values,
                          ValueRef kwnames, OpCall *call)
{
    for (ssize_t i = 0; kwnames && i < tuple_size(kwnames); i++) {
        ValueRef name = tuple_at(kwnames, i);
        int index = schema_find(schema, name, style == BIND_FUNCTION);
        if (index < 0 && is_nameless(schema, name, values[i])) continue;
        bool out = schema->op->kinds & OUT && index == schema->count - 1;
        if (index < 0 || call->slots[index] || (out && style == BIND_METHOD)) return false;
        if (!op_bind_fits(&schema->params[index], values[i])) return false;
        take(call, schema, index, values[i]);
    }
    return true;
}

// What has not been given gets its default.
static bool bind_defaults(const Schema *schema, OpCall *call)
{
    for (int i = 0; i < schema->count; i++) {
        if (call->slots[i]) continue;
        if (schema->params[i].required) return false;
        call->slots[i] = schema->params[i].fallback;
    }
    return true;
}

// out= of several results has a tensor for each.
static bool check_out(const Schema *schema, ValueRef out)
{
    return schema->results < 2 || tuple_size(out) == schema->results ||
           raise_error(TypeError, "expected tuple of %d elements but got %zd", schema->results,
                       tuple_size(out));
}

// The row that is called, which is another one for an alias.
static void choose(OpCall *call, const Schema *schema)
{
    const OpDef *called = schema->op->called;
    call->op = called ? called : schema->op;
    call->schema = called ? schema_of(op_index(called)) : schema;
    // An alias without the row's out=
    if (call->op->kinds & OUT && !(schema->op->kinds & OUT))
        call->slots[call->schema->count - 1] = NONE;
}

// What is written must be a tensor, where a row takes numbers too.
static bool fits_self(const OpCall *call, const Schema *schema)
{
    if (!schema->count) return true;
    bool written = call->inplace || schema->op->kinds & MUTATES;
    return written ? op_bind_is_tensor(call->slots[0])
                   : op_bind_fits(&schema->params[0], call->slots[0]);
}

static bool take_arguments(OpCall *call, const Schema *schema)
{
    choose(call, schema);
    if (!call->schema || !op_bind_plain(call)) return false;
    ValueRef last = call->schema->count ? call->slots[call->schema->count - 1] : (ValueRef)NONE;
    call->out = call->op->kinds & OUT && last != NONE ? last : VALUE_ERROR;
    return !call->out || check_out(call->schema, call->out);
}

static BindResult match(const Schema *schema, BindStyle style, ValueRef self, const ValueRef *args,
                        size_t nargs, ValueRef kwnames, OpCall *call)
{
    int first = style == BIND_METHOD;
    for (int i = 0; i < schema->count; i++) call->slots[i] = VALUE_ERROR;
    if (first) call->slots[0] = self;
    BindResult result = bind_positional(schema, first, args, nargs, call);
    if (result != BIND_FITS) return result;
    bool fits = bind_keywords(schema, style, args + nargs, kwnames, call) &&
                bind_defaults(schema, call) && fits_self(call, schema);
    return fits ? BIND_FITS : BIND_MISMATCH;
}

BindResult op_bind_row(OpIndex op, BindStyle style, ValueRef self, const ValueRef *args,
                       size_t nargs, ValueRef kwnames, OpCall *call)
{
    const Schema *schema = schema_of(op);
    call->holds = 0;
    if (!schema) return BIND_FAILS;
    BindResult result = match(schema, style, self, args, nargs, kwnames, call);
    bool takes = result == BIND_FITS && !overrides_fit;
    if (takes && !take_arguments(call, schema)) result = BIND_FAILS;
    if (result != BIND_FITS) op_bind_release(call);
    return result;
}

// ---- the rows of a name

bool op_bind_reaches(const OpDef *op, BindStyle style, bool inplace)
{
    if (inplace) return op->kinds & (INPLACE | INPLACE_FUNCTION);
    return op->kinds & (style == BIND_METHOD ? METHOD : ANY_FUNCTION);
}

bool op_bind_same_name(OpIndex op, OpIndex first)
{
    return op < OP_COUNT && (op == first || strcmp(op_table[op].name, op_table[first].name) == 0);
}

bool op_bind_arguments(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                       const ValueRef *args, size_t nargs, ValueRef kwnames, OpCall *call)
{
    call->inplace = inplace;
    for (OpIndex op = first; op_bind_same_name(op, first); op++) {
        if (!op_bind_reaches(&op_table[op], style, inplace)) continue;
        BindResult result = op_bind_row(op, style, self, args, nargs, kwnames, call);
        if (result == BIND_FITS) return true;
        if (result == BIND_FAILS) return false;
    }
    return op_bind_error(first, style, inplace, self, args, nargs, kwnames);
}

bool op_bind_accepts(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                     const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    OpCall call;
    overrides_fit = true;
    bool fits = op_bind_arguments(first, style, inplace, self, args, nargs, kwnames, &call);
    overrides_fit = false;
    if (fits) op_bind_release(&call);
    return fits;
}
