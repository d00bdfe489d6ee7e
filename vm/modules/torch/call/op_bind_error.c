// PyTorch's messages for arguments that no row of a name accepts.
//
// If one row could take that many arguments, the message says what is wrong with it; else it lists
// all signatures. A signature is shown as PyTorch's Python binding has it: `self` is `input` in a
// function and left out in a method, Scalar is Number, int[] is "tuple of ints".
// (PyTorch: torch/csrc/utils/python_arg_parser.cpp, invalid_arguments.cpp)
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/numbers/float.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/op_bind.h"

// What a script has given, and the row it is held against.
typedef struct Given {
    BindStyle style;
    bool inplace;
    const ValueRef *args;
    size_t nargs;
    ValueRef kwnames; // VALUE_ERROR = none
    const char *suffix;
} Given;

static const char *const type_texts[PARAM_TYPE_COUNT] = {
    [PARAM_TENSOR] = "Tensor",
    [PARAM_SCALAR] = "Number",
    [PARAM_INT] = "int",
    [PARAM_FLOAT] = "float",
    [PARAM_BOOL] = "bool",
    [PARAM_STR] = "str",
    [PARAM_INTS] = "tuple of ints",
    [PARAM_FLOATS] = "tuple of floats",
    [PARAM_TENSORS] = "tuple of Tensors",
    [PARAM_DTYPE] = "torch.dtype",
    [PARAM_LAYOUT] = "torch.layout",
    [PARAM_DEVICE] = "torch.device",
    [PARAM_GENERATOR] = "torch.Generator",
    [PARAM_MEMORY_FORMAT] = "torch.memory_format",
};

static size_t keyword_count(const Given *given)
{
    return given->kwnames ? (size_t)tuple_size(given->kwnames) : 0;
}

// ---- texts that grow

// Appends formatted text to *text; after a failure *text is VALUE_ERROR and stays so.
static void append(Value *text, Value more)
{
    if (*text && more)
        str_append(text, more);
    else
        drop_slot(text);
    drop(more);
}

static const char *param_name(const Schema *schema, int index, BindStyle style)
{
    if (style == BIND_FUNCTION && schema_is_self(schema, index)) return "input";
    return as_str(schema->params[index].name)->data; // ASCII
}

static void append_default(Value *text, const Param *param)
{
    Value shown = op_bind_none_is_default(param)
                      ? str_new("None")
                      : str_from_ascii(param->default_text, (size_t)param->default_size);
    append(text, str_new(" = "));
    append(text, shown);
}

static void append_param(Value *text, const Schema *schema, int index, BindStyle style, bool *star)
{
    const Param *param = &schema->params[index];
    bool first = str_length(*text) == 1;
    if (!first) append(text, str_new(", "));
    if (*text && param->keyword_only && !*star) append(text, str_new("*, "));
    *star |= param->keyword_only;
    append(text, format_text("%s %s", type_texts[param->type], param_name(schema, index, style)));
    if (*text && !param->required) append_default(text, param);
}

// out= is the last parameter; in a function that makes tensors it is shown before dtype.
static bool shows_out_first(const Schema *schema)
{
    return (schema->op->kinds & (FACTORY | OUT)) == (FACTORY | OUT);
}

Value schema_text(const Schema *schema, BindStyle style, bool inplace)
{
    Value text = str_new("(");
    bool star = false, out = schema->op->kinds & OUT, moved = false;
    int last = schema->count - out;
    for (int i = style == BIND_METHOD; text && i < last; i++) {
        if (schema->params[i].keyword_only && shows_out_first(schema) && !moved) {
            append_param(&text, schema, last, style, &star);
            moved = true;
        }
        if (text) append_param(&text, schema, i, style, &star);
    }
    if (text && out && !moved && style == BIND_FUNCTION && !inplace)
        append_param(&text, schema, last, style, &star);
    append(&text, str_new(")"));
    return text;
}

// ---- one row: what is wrong

static bool raise_count(const Schema *schema, const Given *given)
{
    const char *name = schema->op->name;
    int self = given->style == BIND_METHOD, most = schema->positional - self, least = 0;
    for (int i = self; i < schema->positional; i++) least += schema->params[i].required;
    if (least != most)
        return raise_error(TypeError,
                           "%s%s() takes from %d to %d positional arguments but %zu were given",
                           name, given->suffix, least, most, given->nargs);
    return raise_error(TypeError, "%s%s() takes %d positional argument%s but %zu %s given", name,
                       given->suffix, most, most == 1 ? "" : "s", given->nargs,
                       given->nargs == 1 ? "was" : "were");
}

// The value of a parameter: by position, by keyword, or VALUE_ERROR. *position is 0 for a keyword.
static ValueRef value_of(const Schema *schema, int index, const Given *given, int *position)
{
    int at = index - (given->style == BIND_METHOD);
    *position = at + 1;
    if ((size_t)at < given->nargs && !schema->params[index].keyword_only) return given->args[at];
    *position = 0;
    for (size_t i = 0; i < keyword_count(given); i++)
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
        append(&names,
               format_text("%s\"%s\"", count++ ? ", " : "", param_name(schema, i, given->style)));
    }
    // The plural is the wrong way round in PyTorch as well.
    if (names)
        raise_error(TypeError, "%s%s() missing %d required positional argument%s: %S",
                    schema->op->name, given->suffix, count, count == 1 ? "s" : "", (ValueRef)names);
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
    const char *name = schema->op->name, *type = type_texts[param->type];
    const char *argument = param_name(schema, index, given->style);
    Value where = position ? format_text(" (position %d)", position) : str_new("");
    if (!where) return false;
    ssize_t at;
    ValueRef item = param->type == PARAM_INTS ? bad_item(value, &at) : VALUE_ERROR;
    bool packed =
        param->type == PARAM_INTS && schema->positional - (given->style == BIND_METHOD) == 1;
    if (!item && packed && value != NONE) item = value;
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
        if (tensor_check(item) || (item == NONE && schema->params[index].holes)) continue;
        return raise_error(TypeError, "expected Tensor as element %zd in argument %d, but got %T",
                           i, index - (given->style == BIND_METHOD), item);
    }
    return true;
}

static bool check_all_tensors(const Schema *schema, const Given *given)
{
    for (int i = 0; i < schema->count; i++)
        if (schema->params[i].type == PARAM_TENSORS && !check_tensors(schema, i, given))
            return false;
    return true;
}

static bool raise_keyword(const Schema *schema, const Given *given)
{
    for (size_t i = 0; i < keyword_count(given); i++) {
        ValueRef name = tuple_at(given->kwnames, (ssize_t)i);
        int index = schema_find(schema, name, given->style == BIND_FUNCTION);
        if (index < 0)
            return raise_error(TypeError, "%s%s() got an unexpected keyword argument '%S'",
                               schema->op->name, given->suffix, name);
        if ((size_t)(index - (given->style == BIND_METHOD)) < given->nargs)
            return raise_error(TypeError, "%s%s() got multiple values for argument '%S'",
                               schema->op->name, given->suffix, name);
    }
    return raise_bad_call("raise_keyword");
}

static bool raise_for_row(const Schema *schema, const Given *given)
{
    int self = given->style == BIND_METHOD;
    size_t all = given->nargs + keyword_count(given);
    if (self && schema->count - !!(schema->op->kinds & OUT) == 1 && all)
        return raise_error(TypeError, "TensorBase.%s%s() takes no %sarguments%s", schema->op->name,
                           given->suffix, given->nargs ? "" : "keyword ",
                           given->nargs ? " (1 given)" : "");
    bool packs = schema->positional - self == 1 && schema->params[self].type == PARAM_INTS &&
                 given->nargs && !list_check(given->args[0]) && !tuple_check(given->args[0]);
    if ((ssize_t)given->nargs > schema->positional - self && !packs)
        return raise_count(schema, given);
    for (int i = self; i < schema->count; i++) {
        int position;
        ValueRef value = value_of(schema, i, given, &position);
        if (!value && schema->params[i].required) return raise_missing(schema, given, i);
        if (value && !op_bind_fits(&schema->params[i], value))
            return raise_type(schema, i, given, value, position);
    }
    return raise_keyword(schema, given);
}

// ---- all rows

static bool is_listed(OpIndex op, const Given *given)
{
    return !(op_table[op].kinds & DEPRECATED) &&
           op_bind_reaches(&op_table[op], given->style, given->inplace);
}

static Value given_text(const Given *given)
{
    Value text = str_new("(");
    for (size_t i = 0; text && i < given->nargs; i++)
        append(&text, format_text("%s%T", i ? ", " : "", given->args[i]));
    for (size_t i = 0; text && i < keyword_count(given); i++)
        append(&text,
               format_text("%s%S=%T", i + given->nargs ? ", " : "",
                           tuple_at(given->kwnames, (ssize_t)i), given->args[given->nargs + i]));
    append(&text, str_new(keyword_count(given) && !given->nargs ? ", )" : ")"));
    return text;
}

// As many arguments as the signature has; PyTorch counts out= of a function.
static bool count_matches(const Schema *schema, const Given *given)
{
    int shown = schema->count;
    if (given->style == BIND_METHOD) shown -= 1 + !!(schema->op->kinds & OUT);
    return (ssize_t)(given->nargs + keyword_count(given)) == shown;
}

// What PyTorch marks it finds by the names of types: an int is no Number here.
static bool matches_by_name(const Param *param, ValueRef value)
{
    if (param->type == PARAM_SCALAR) return false;
    if (param->type == PARAM_FLOAT) return float_check(value);
    return op_bind_fits(param, value);
}

// The types of the arguments, those that do not fit between exclamation marks.
static Value marked_text(const Schema *schema, const Given *given)
{
    Value text = str_new("(");
    for (size_t i = 0; text && i < given->nargs + keyword_count(given); i++) {
        ValueRef name =
            i < given->nargs ? VALUE_ERROR : tuple_at(given->kwnames, (ssize_t)(i - given->nargs));
        int index = name ? schema_find(schema, name, given->style == BIND_FUNCTION)
                         : (int)i + (given->style == BIND_METHOD);
        bool fits = index >= 0 && index < schema->count &&
                    matches_by_name(&schema->params[index], given->args[i]);
        if (i) append(&text, str_new(", "));
        if (name) append(&text, format_text("%S=", name));
        append(&text, format_text("%s%T%s", fits ? "" : "!", given->args[i], fits ? "" : "!"));
    }
    append(&text, str_new(keyword_count(given) && !given->nargs ? ", )" : ")"));
    return text;
}

static void append_row(Value *text, const Schema *schema, const Given *given)
{
    append(text, str_new(" * "));
    append(text, schema_text(schema, given->style, given->inplace));
    append(text, str_new("\n"));
    if (!count_matches(schema, given)) return;
    append(text, str_new("      didn't match because some of the arguments have invalid types: "));
    append(text, marked_text(schema, given));
    append(text, str_new("\n"));
}

static bool raise_for_all(OpIndex first, const Given *given, int rows)
{
    Value got = given_text(given), expected = str_new("");
    for (OpIndex op = first; expected && op_bind_same_name(op, first); op++) {
        if (!is_listed(op, given)) continue;
        const Schema *schema = schema_of(op);
        if (!schema)
            drop_slot(&expected);
        else if (rows == 1)
            append(&expected, schema_text(schema, given->style, given->inplace));
        else
            append_row(&expected, schema, given);
    }
    if (got && expected)
        raise_error(
            TypeError,
            "%s%s() received an invalid combination of arguments - got %S, but expected %s%S",
            op_table[first].name, given->suffix, (ValueRef)got, rows == 1 ? "" : "one of:\n",
            (ValueRef)expected);
    drop(got);
    drop(expected);
    return false;
}

static bool could_take(const Schema *schema, const Given *given)
{
    ssize_t all = (ssize_t)(given->nargs + keyword_count(given)),
            self = given->style == BIND_METHOD;
    return schema->required - self <= all && all <= schema->count - self;
}

// ---- the name of a dimension in place of its number

typedef enum DimNames { DIM_NAMES_UNKNOWN, DIM_NAMES_TAKEN, DIM_NAMES_REFUSED } DimNames;

static DimNames dim_names_of(const char *function)
{
#define DIM_NAMED(name)                                                                            \
    if (!strcmp(function, #name)) return DIM_NAMES_TAKEN;
#define DIM_REFUSED(name)                                                                          \
    if (!strcmp(function, #name)) return DIM_NAMES_REFUSED;
#include "vm/modules/torch/ops/dim_names.def"
#undef DIM_NAMED
#undef DIM_REFUSED
    return DIM_NAMES_UNKNOWN;
}

// The str given for the parameter `dim`, or the first one of a sequence; VALUE_ERROR = none.
static ValueRef given_dim_name(const Schema *schema, const Given *given)
{
    int dim = 0, position;
    while (dim < schema->count && !str_equal_ascii(schema->params[dim].name, "dim")) dim++;
    if (dim == schema->count || !could_take(schema, given)) return VALUE_ERROR;
    ValueRef value = value_of(schema, dim, given, &position);
    bool many = value && schema->params[dim].type == PARAM_INTS;
    if (many && list_check(value) && list_size(value)) value = list_at(value, 0);
    if (many && tuple_check(value) && tuple_size(value)) value = tuple_at(value, 0);
    return value && str_check(value) ? value : VALUE_ERROR;
}

bool raise_no_dim_name(ValueRef tensor, ValueRef name)
{
    Value names = str_new("");
    for (int i = 0; names && i < as_tensor(tensor)->ndim; i++)
        append(&names, str_new(i ? ", None" : "None"));
    if (names) raise_error(RuntimeError, "Name %R not found in Tensor[%S].", name, (ValueRef)names);
    drop(names);
    return false;
}

// True if that is what is wrong, and then the exception is pending.
static bool raise_for_dim_name(const Schema *schema, const Given *given, ValueRef self)
{
    const char *function = schema->op->name;
    DimNames kind = dim_names_of(function);
    ValueRef name = kind ? given_dim_name(schema, given) : VALUE_ERROR;
    ValueRef tensor = self ? self : given->nargs ? given->args[0] : VALUE_ERROR;
    if (tensor && list_check(tensor) && list_size(tensor)) tensor = list_at(tensor, 0);
    if (tensor && tuple_check(tensor) && tuple_size(tensor)) tensor = tuple_at(tensor, 0);
    if (!name || !tensor || !tensor_check(tensor)) return false;
    if (kind == DIM_NAMES_TAKEN)
        raise_no_dim_name(tensor, name);
    else
        raise_error(RuntimeError,
                    "%s: You passed a dimname (string) to this op in place of a dimension index "
                    "but it does not yet support this behavior. Please pass a dimension index to "
                    "work around this.",
                    function);
    return true;
}

bool op_bind_error(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                   const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Given given = {style, inplace, args, nargs, kwnames, inplace ? "_" : ""};
    const Schema *plausible = NULL;
    int rows = 0, could = 0;
    bool old_forms = false;
    for (OpIndex op = first; op_bind_same_name(op, first); op++) {
        if (!is_listed(op, &given)) continue;
        const Schema *schema = schema_of(op);
        if (!schema || raise_for_dim_name(schema, &given, self)) return false;
        if (!check_all_tensors(schema, &given)) return false;
        rows++;
        old_forms |= op_table[op].kinds & OLD_FORMS;
        if (!could_take(schema, &given) && (rows > 1 || old_forms)) continue;
        could++;
        plausible = schema;
    }
    bool single = could == 1 && (rows > 1 || old_forms ? could_take(plausible, &given) : true);
    return single ? raise_for_row(plausible, &given) : raise_for_all(first, &given, rows);
}
