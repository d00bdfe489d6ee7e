// Matching the arguments of a call with schemas.
//
// The rows of a name are tried in order; the first whose parameters accept all arguments is called.
// An argument whose class defines __torch_function__ is accepted by every parameter: the call then
// goes to that method (call/overrides.c). What no row accepts is reported by call/op_bind_error.c.
#include "vm/modules/torch/call/op_bind.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/torch/torch_objects.h"

// ---- does an argument fit a parameter?

static bool is_number(ValueRef value)
{
    return int_check(value) || float_check(value) || symbolic_kind(value) >= 0;
}

// A SymInt counts as an int, a tensor of one integer too.
static bool is_int_like(ValueRef value)
{
    if (is_small(value)) return true;
    if (is_bool(value)) return false;
    if (tensor_check(value))
        return as_tensor(value)->ndim == 0 && !dtype_is_floating(tensor_dtype(as_tensor(value)));
    return int_check(value) || type_of(value)->index;
}

static bool is_scalar(ValueRef value)
{
    if (is_number(value)) return true;
    return tensor_check(value) && as_tensor(value)->ndim == 0 &&
           !tensor_is(as_tensor(value), TENSOR_REQUIRES_GRAD);
}

// PyTorch looks at the first item only; the rule or kernel meets the others.
static bool is_list_of(ValueRef value, bool (*fits)(ValueRef item))
{
    if (list_check(value)) return list_size(value) == 0 || fits(list_at(value, 0));
    return tuple_check(value) && (tuple_size(value) == 0 || fits(tuple_at(value, 0)));
}

static bool all_tensors(ValueRef value, bool holes)
{
    if (!list_check(value) && !tuple_check(value)) return false;
    ssize_t count = list_check(value) ? list_size(value) : tuple_size(value);
    for (ssize_t i = 0; i < count; i++) {
        ValueRef item = list_check(value) ? list_at(value, i) : tuple_at(value, i);
        if (holes && item == NONE) continue;
        if (!tensor_check(item) && !op_bind_has_override(item)) return false;
    }
    return true;
}

bool op_bind_none_is_default(const Param *param)
{
    return param->type == PARAM_INTS && !param->required && param->default_size == 2 &&
           memcmp(param->default_text, "[]", 2) == 0;
}

bool op_bind_fits(const Schema *schema, const Param *param, ValueRef value)
{
    if (value == NONE && (param->optional || param->fallback == NONE) && !param->required)
        return true;
    if (value == NONE && (param->optional || op_bind_none_is_default(param))) return true;
    switch (param->type) {
    case PARAM_TENSOR:
        return tensor_check(value) || (schema->op->kinds & NUMBERS && is_number(value));
    case PARAM_SCALAR: return is_scalar(value);
    case PARAM_INT: return is_int_like(value);
    case PARAM_FLOAT: return is_scalar(value) && !is_bool(value);
    case PARAM_BOOL: return is_bool(value);
    case PARAM_STR: return str_check(value);
    case PARAM_INTS: return is_list_of(value, is_int_like) || (param->length && is_int_like(value));
    case PARAM_FLOATS: return is_list_of(value, is_number);
    case PARAM_TENSORS: return all_tensors(value, param->holes);
    case PARAM_DTYPE:
        return dtype_check(value) || value == ref_of(&float_type) || value == ref_of(&int_type) ||
               value == ref_of(&bool_type);
    case PARAM_LAYOUT: return layout_check(value);
    case PARAM_DEVICE: return device_fits(value);
    case PARAM_MEMORY_FORMAT: return memory_format_check(value);
    case PARAM_GENERATOR:
    case PARAM_ANY: return true;
    case PARAM_TYPE_COUNT: break;
    }
    return false;
}

// ---- one row

// torch.zeros(2, 3), x.view(2, 3): the only positional parameter is an int[], and gets all.
static bool takes_varargs(const Schema *schema, int first, const ValueRef *args, size_t nargs)
{
    return schema->positional - first == 1 && schema->params[first].type == PARAM_INTS && nargs &&
           is_int_like(args[0]);
}

// May an argument of any type stand here, because its class answers the call? A row that takes no
// tensors asks no class (overrides.c).
static bool may_answer(const Schema *schema, ValueRef value)
{
    return !(schema->op->kinds & FACTORY) && op_bind_has_override(value);
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
    if (takes_varargs(schema, first, args, nargs)) {
        call->packed = tuple_from_array(args, nargs);
        call->slots[first] = call->packed;
        return call->packed ? BIND_FITS : BIND_FAILS;
    }
    if ((ssize_t)nargs > schema->positional - first) return BIND_MISMATCH;
    for (size_t i = 0; i < nargs; i++) {
        if (!op_bind_fits(schema, &schema->params[first + (int)i], args[i]) &&
            !may_answer(schema, args[i]))
            return BIND_MISMATCH;
        take(call, schema, first + (int)i, args[i]);
    }
    return BIND_FITS;
}

static bool bind_keywords(const Schema *schema, BindStyle style, const ValueRef *values,
                          ValueRef kwnames, OpCall *call)
{
    for (ssize_t i = 0; kwnames && i < tuple_size(kwnames); i++) {
        int index = schema_find(schema, tuple_at(kwnames, i), style == BIND_FUNCTION);
        if (index < 0 || call->slots[index]) return false;
        if (!op_bind_fits(schema, &schema->params[index], values[i]) &&
            !may_answer(schema, values[i]))
            return false;
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
    if (schema->results < 2 || tensor_check(out)) return true;
    ssize_t count = list_check(out) ? list_size(out) : tuple_size(out);
    return count == schema->results ||
           raise_error(TypeError, "expected tuple of %d elements but got %zd", schema->results,
                       count);
}

BindResult op_bind_row(OpIndex op, BindStyle style, ValueRef self, const ValueRef *args,
                       size_t nargs, ValueRef kwnames, OpCall *call)
{
    const Schema *schema = schema_of(op);
    if (!schema) return BIND_FAILS;
    int first = style == BIND_METHOD;
    for (int i = 0; i < schema->count; i++) call->slots[i] = VALUE_ERROR;
    if (first) call->slots[0] = self;
    BindResult result = bind_positional(schema, first, args, nargs, call);
    if (result != BIND_FITS) return result;
    if (!bind_keywords(schema, style, args + nargs, kwnames, call) ||
        !bind_defaults(schema, call)) {
        drop_slot(&call->packed);
        return BIND_MISMATCH;
    }
    const OpDef *called = op_table[op].called;
    call->op = called ? called : &op_table[op];
    call->schema = called ? schema_of(op_index(called)) : schema;
    ValueRef *last = &call->slots[call->schema->count - 1];
    bool has_out = call->op->kinds & OUT;
    if (has_out && !(op_table[op].kinds & OUT)) *last = NONE; // an alias without the row's out=
    call->out = has_out && *last != NONE ? *last : VALUE_ERROR;
    return call->out && !check_out(schema, call->out) ? BIND_FAILS : BIND_FITS;
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
    call->packed = VALUE_ERROR;
    call->inplace = inplace;
    for (OpIndex op = first; op_bind_same_name(op, first); op++) {
        if (!op_bind_reaches(&op_table[op], style, inplace)) continue;
        BindResult result = op_bind_row(op, style, self, args, nargs, kwnames, call);
        if (result == BIND_FITS) return true;
        if (result == BIND_FAILS) return false;
    }
    return op_bind_error(first, style, inplace, self, args, nargs, kwnames);
}
