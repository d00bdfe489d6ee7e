// What is wrong with arguments that no row of a name accepts, in PyTorch's words.
//
// If one signature could take that many arguments, the message says what is wrong with them; else
// it lists all signatures (op_bind_list.c). What a signature meets on its way may raise before
// that: an item that is no tensor, the name of a dimension.
// (PyTorch: torch/csrc/utils/python_arg_parser.cpp)
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/signatures.h"

// ---- one row: what is wrong

static bool raise_count(const Schema *schema, const Given *given)
{
    int most = schema->positional - (given->style == BIND_METHOD);
    int least = signature_least(schema, given);
    if (least != most)
        return raise_error(TypeError,
                           "%s%s() takes from %d to %d positional arguments but %zu were given",
                           given->name, given->suffix, least, most, given->nargs);
    return raise_error(TypeError, "%s%s() takes %d positional argument%s but %zu %s given",
                       given->name, given->suffix, most, most == 1 ? "" : "s", given->nargs,
                       given->nargs == 1 ? "was" : "were");
}

// The value of a parameter: by position, by keyword, or VALUE_ERROR. *position is 0 for a keyword.
static ValueRef value_of(const Schema *schema, int index, const Given *given, int *position)
{
    int at = index - (given->style == BIND_METHOD);
    *position = at + 1;
    if ((size_t)at < given->nargs && !schema->params[index].keyword_only) return given->args[at];
    *position = 0;
    for (size_t i = 0; i < given_keywords(given); i++)
        if (schema_find(schema, tuple_at(given->kwnames, (ssize_t)i),
                        given->style == BIND_FUNCTION) == index)
            return given->args[given->nargs + i];
    return VALUE_ERROR;
}

// All required parameters from the first missing one on, given or not.
static bool raise_missing(const Schema *schema, const Given *given, int first)
{
    Value names = str_new("");
    int count = 0;
    for (int i = first; names && i < schema->count; i++) {
        if (!schema->params[i].required) continue;
        text_append(&names,
                    format_text("%s\"%s\"", count++ ? ", " : "", signature_name(schema, i, given)));
    }
    // The plural is the wrong way round in PyTorch as well.
    if (names)
        raise_error(TypeError, "%s%s() missing %d required positional argument%s: %S", given->name,
                    given->suffix, count, count == 1 ? "s" : "", (ValueRef)names);
    drop(names);
    return false;
}

// The first item of a sequence that is no int; its index in *at. VALUE_ERROR = it is no sequence.
static ValueRef bad_item(ValueRef value, ssize_t *at)
{
    *at = 0;
    if (list_check(value)) return list_size(value) ? list_at(value, 0) : VALUE_ERROR;
    return tuple_check(value) && tuple_size(value) ? tuple_at(value, 0) : VALUE_ERROR;
}

static bool raise_type(const Schema *schema, int index, const Given *given, ValueRef value,
                       int position)
{
    const Param *param = &schema->params[index];
    const char *name = given->name, *type = param_type_text(param);
    const char *argument = signature_name(schema, index, given);
    Value where = position ? format_text(" (position %d)", position) : str_new("");
    if (!where) return false;
    ssize_t at;
    ValueRef item = param->type == PARAM_INTS ? bad_item(value, &at) : VALUE_ERROR;
    bool packed =
        param->type == PARAM_INTS && schema->positional - (given->style == BIND_METHOD) == 1;
    if (!item && packed && position) item = value;
    if (item)
        raise_error(TypeError,
                    "%s%s(): argument '%s'%S must be %s, but found element of type %T at pos 0",
                    name, given->suffix, argument, (ValueRef)where, type, item);
    else
        raise_error(TypeError, "%s%s(): argument '%s'%S must be %s, not %T", name, given->suffix,
                    argument, (ValueRef)where, type, value);
    drop(where);
    return false;
}

// False with an exception pending if the value is a list or tuple with an item that is no tensor.
static bool check_tensors(const Schema *schema, int index, const Given *given)
{
    int position;
    ValueRef value = value_of(schema, index, given, &position);
    if (!value || !(list_check(value) || tuple_check(value))) return true;
    ssize_t count = list_check(value) ? list_size(value) : tuple_size(value);
    for (ssize_t i = 0; i < count; i++) {
        ValueRef item = list_check(value) ? list_at(value, i) : tuple_at(value, i);
        if (op_bind_is_tensor(item) || (item == NONE && schema->params[index].holes)) continue;
        return raise_error(TypeError, "expected Tensor as element %zd in argument %d, but got %T",
                           i, index - (given->style == BIND_METHOD), item);
    }
    return true;
}

static bool raise_keyword(const Schema *schema, const Given *given)
{
    for (size_t i = 0; i < given_keywords(given); i++) {
        ValueRef name = tuple_at(given->kwnames, (ssize_t)i);
        int index = schema_find(schema, name, given->style == BIND_FUNCTION);
        if (index < 0 || !signature_shows(schema, index, given))
            return raise_error(TypeError, "%s%s() got an unexpected keyword argument '%S'",
                               given->name, given->suffix, name);
        if ((size_t)(index - (given->style == BIND_METHOD)) < given->nargs)
            return raise_error(TypeError, "%s%s() got multiple values for argument '%S'",
                               given->name, given->suffix, name);
    }
    return raise_bad_call("raise_keyword");
}

static bool raise_for_row(const Schema *schema, const Given *given)
{
    int self = given->style == BIND_METHOD;
    size_t all = given->nargs + given_keywords(given);
    if (self && !signature_most(schema, given) && all)
        return given->nargs
                   ? raise_error(TypeError, "TensorBase.%s%s() takes no arguments (%zu given)",
                                 given->name, given->suffix, given->nargs)
                   : raise_error(TypeError, "Tensor.%s%s() takes no keyword arguments", given->name,
                                 given->suffix);
    bool packs = schema->positional - self == 1 && schema->params[self].type == PARAM_INTS &&
                 given->nargs && !list_check(given->args[0]) && !tuple_check(given->args[0]);
    if ((ssize_t)given->nargs > schema->positional - self && !packs)
        return raise_count(schema, given);
    for (int i = self; i < schema->count; i++) {
        int position;
        if (!signature_shows(schema, i, given)) continue;
        ValueRef value = value_of(schema, i, given, &position);
        if (!value && schema->params[i].required) return raise_missing(schema, given, i);
        if (value && !op_bind_fits(&schema->params[i], value))
            return raise_type(schema, i, given, value, position);
    }
    return raise_keyword(schema, given);
}

// ---- the name of a dimension in place of its number

// PyTorch has such a signature, and refuses to look the name up.
static bool is_refused(const Given *given)
{
    size_t size = strlen(given->name);
#define DIM_REFUSED(function)                                                                      \
    if (!strncmp(#function, given->name, size) && !strcmp(&#function[size], given->suffix))        \
        return true;
#include "vm/modules/torch/ops/dim_names.def"
#undef DIM_REFUSED
    return false;
}

bool raise_no_dim_name(ValueRef tensor, ValueRef name)
{
    Value names = str_new("");
    for (int i = 0; names && i < as_tensor(tensor)->ndim; i++)
        text_append(&names, str_new(i ? ", None" : "None"));
    if (names) raise_error(RuntimeError, "Name %R not found in Tensor[%S].", name, (ValueRef)names);
    drop(names);
    return false;
}

// The parameter whose names are looked up first: of dim0 and dim1 the last one.
static int dim_parameter(const Schema *schema)
{
    int found = -1;
    for (int i = 0; i < schema->count; i++) {
        ParamType type = schema->params[i].type;
        if (type != PARAM_DIMNAME && type != PARAM_DIMNAMES) continue;
        const char *name = as_str(schema->params[i].name)->data;
        if (found < 0 || !strncmp(name, "dim", 3)) found = i;
    }
    return found;
}

// All items of a tuple of names are read before the first is looked up.
static bool check_names(ValueRef names)
{
    bool list = list_check(names);
    ssize_t size = list ? list_size(names) : tuple_check(names) ? tuple_size(names) : 0;
    for (ssize_t i = 0; i < size; i++) {
        ValueRef name = list ? list_at(names, i) : tuple_at(names, i);
        if (name != NONE && !str_check(name))
            return raise_error(TypeError, "expected None or string for Dimname but got %T", name);
    }
    return true;
}

static ValueRef first_item(ValueRef value)
{
    if (list_check(value) && list_size(value)) return list_at(value, 0);
    return tuple_check(value) && tuple_size(value) ? tuple_at(value, 0) : value;
}

// False with an exception pending if these names stand for dimensions.
static bool check_dim_names(const Schema *schema, const Given *given, ValueRef self)
{
    int dim = dim_parameter(schema), position;
    ValueRef value = dim < 0 ? VALUE_ERROR : value_of(schema, dim, given, &position);
    if (!value || !check_names(value)) return !value;
    ValueRef name = first_item(value), tensor = self ? self : first_item(given->args[0]);
    if (!tensor_check(tensor) || !(name == NONE || str_check(name))) return true;
    if (is_refused(given))
        return raise_error(RuntimeError,
                           "%s: You passed a dimname (string) to this op in place of a dimension "
                           "index but it does not yet support this behavior. Please pass a "
                           "dimension index to work around this.",
                           given->name);
    if (name == NONE)
        return raise_error(RuntimeError, "Please look up dimensions by name, got: name = None.");
    return raise_no_dim_name(tensor, name);
}

// ---- all signatures

// Reads the arguments in order, as far as they fit. False with an exception pending.
static bool try_signature(const Schema *schema, const Given *given, ValueRef self)
{
    size_t keywords = 0;
    int method = given->style == BIND_METHOD;
    if ((ssize_t)given->nargs > schema->positional - method) return true;
    for (int i = method; i < schema->count; i++) {
        int position;
        if (!signature_shows(schema, i, given)) continue;
        ValueRef value = value_of(schema, i, given, &position);
        if (!value && schema->params[i].required) return true;
        if (!value) continue;
        keywords += !position;
        if (schema->params[i].type == PARAM_TENSORS && !check_tensors(schema, i, given))
            return false;
        if (!op_bind_fits(&schema->params[i], value)) return true;
    }
    return keywords < given_keywords(given) || check_dim_names(schema, given, self);
}

static bool could_take(const Schema *schema, const Given *given)
{
    int all = (int)(given->nargs + given_keywords(given));
    return signature_least(schema, given) <= all && all <= signature_most(schema, given);
}

static bool raise_for(const Signatures *signatures, const Given *given, ValueRef self)
{
    const Schema *plausible = NULL;
    int could = 0;
    for (int i = 0; i < signatures->count; i++) {
        const Schema *schema = signatures->items[i];
        if (!try_signature(schema, given, self)) return false;
        if (!could_take(schema, given)) continue;
        could++;
        plausible = schema;
    }
    if (!signatures->listed && signatures->count == 1)
        return raise_for_row(signatures->items[0], given);
    return could == 1 ? raise_for_row(plausible, given)
                      : raise_invalid_combination(given, signatures);
}

bool op_bind_error(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                   const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Given given = {style, inplace, args, nargs, kwnames, op_table[first].name, inplace ? "_" : ""};
    Signatures signatures;
    if (signatures_find(first, &given, &signatures)) raise_for(&signatures, &given, self);
    signatures_end(&signatures);
    return false;
}

bool op_bind_method_error(const char *name, ValueRef self, const ValueRef *args, size_t nargs,
                          ValueRef kwnames)
{
    Given given = {BIND_METHOD, false, args, nargs, kwnames, name, ""};
    Signatures signatures;
    if (signatures_find(OP_alias_, &given, &signatures)) raise_for(&signatures, &given, self);
    signatures_end(&signatures);
    return false;
}

bool op_bind_row_error(OpIndex op, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Given given = {BIND_FUNCTION, false, args, nargs, kwnames, op_table[op].name, ""};
    Signatures one = {.items = {schema_of(op)}, .count = 1, .listed = true};
    return one.items[0] && raise_for(&one, &given, VALUE_ERROR);
}
