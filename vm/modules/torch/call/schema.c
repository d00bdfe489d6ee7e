// Parsing schemas.
#include "vm/modules/torch/call/schema.h"

#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"

#include <ctype.h>

static Schema *schemas[OP_COUNT];

static const struct {
    const char *name;
    ParamType type;
} type_names[] = {
    {"Tensor", PARAM_TENSOR},
    {"Scalar", PARAM_SCALAR},
    {"int", PARAM_INT},
    {"SymInt", PARAM_INT},
    {"float", PARAM_FLOAT},
    {"bool", PARAM_BOOL},
    {"str", PARAM_STR},
    {"int[]", PARAM_INTS},
    {"float[]", PARAM_FLOATS},
    {"Tensor[]", PARAM_TENSORS},
    {"Layout", PARAM_LAYOUT},
    {"ScalarType", PARAM_DTYPE},
    {"Device", PARAM_DEVICE},
    {"Generator", PARAM_GENERATOR},
    {"MemoryFormat", PARAM_MEMORY_FORMAT},
    {"Scalar[]", PARAM_SCALARS},
    {"Dimname", PARAM_DIMNAME},
    {"Dimname[]", PARAM_DIMNAMES},
};

// ---- a cursor over the text

static bool take(const char **at, const char *text)
{
    size_t size = strlen(text);
    if (strncmp(*at, text, size) != 0) return false;
    *at += size;
    return true;
}

static bool raise_malformed(const Schema *schema, const char *at)
{
    return raise_error(SystemError, "schema of %s: unexpected '%s'", schema->op->name, at);
}

static size_t word_length(const char *at)
{
    size_t size = 0;
    while (isalnum((unsigned char)at[size]) || at[size] == '_') size++;
    return size;
}

// ---- parameters

// int[2] is read as int[], its length is noted.
static bool parse_type(const Schema *schema, const char **at, Param *param)
{
    char name[24];
    size_t size = word_length(*at);
    if (size + 3 > sizeof name) return raise_malformed(schema, *at);
    memcpy(name, *at, size);
    name[size] = 0;
    *at += size;
    param->symbolic = strcmp(name, "SymInt") == 0;
    param->holes = take(at, "?[]");
    if (param->holes) memcpy(name + size, "[]", 3);
    if (take(at, "[")) {
        while (isdigit((unsigned char)**at))
            param->length = (uint8_t)(param->length * 10 + *(*at)++ - '0');
        if (!take(at, "]")) return raise_malformed(schema, *at);
        memcpy(name + size, "[]", 3);
    }
    param->optional = take(at, "?");
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        if (strcmp(type_names[i].name, name) != 0) continue;
        param->type = type_names[i].type;
        return true;
    }
    return raise_malformed(schema, name);
}

static Value parse_number(const char *text, size_t size)
{
    double number;
    bool real = memchr(text, '.', size) || memchr(text, 'e', size) || memchr(text, 'n', size);
    if (!real) {
        bool negative = *text == '-';
        Value digits = int_from_digits(text + negative, size - negative, 10);
        Value value = negative && digits ? int_negative(digits) : retain(digits);
        drop(digits);
        return value;
    }
    if (size >= 3 && memcmp(text + size - 3, "inf", 3) == 0)
        return from_double(*text == '-' ? -__builtin_inf() : __builtin_inf());
    if (!double_from_digits(text, size, &number)) return raise_bad_call("parse_number");
    return from_double(number);
}

static Value parse_int_list(const char *text, size_t size)
{
    Value items[8];
    size_t count = 0;
    const char *end = text + size - 1;
    for (text++; text < end && count < 8; text += *text == ',') {
        while (*text == ' ') text++;
        size_t digits = strcspn(text, ",]}");
        items[count++] = parse_number(text, digits);
        text += digits;
    }
    return tuple_from_owned(items, count);
}

static Value parse_default(const char *text, size_t size)
{
    bool named = memchr(text, ':', size); // a constant of C++, in a message
    if (named || (size == 4 && memcmp(text, "None", 4) == 0)) return NONE;
    if (size == 4 && memcmp(text, "True", 4) == 0) return TRUE;
    if (size == 5 && memcmp(text, "False", 5) == 0) return FALSE;
    if (*text == '\'') return str_from_ascii(text + 1, size - 2);
    if (*text == '[' || *text == '{') return parse_int_list(text, size); // {} in a message
    return parse_number(text, size);
}

// A default ends at a comma or the closing parenthesis that is in no brackets.
static size_t default_length(const char *at)
{
    size_t size = 0;
    for (int depth = 0; at[size] && (depth || (at[size] != ',' && at[size] != ')')); size++) {
        if (at[size] == '[' || at[size] == '{') depth++;
        if (at[size] == ']' || at[size] == '}') depth--;
    }
    return size;
}

static bool parse_param(Schema *schema, const char **at, bool keyword_only)
{
    if (schema->count == SCHEMA_PARAMS) return raise_malformed(schema, *at);
    Param *param = &schema->params[schema->count];
    if (!parse_type(schema, at, param) || !take(at, " ")) return false;
    size_t size = word_length(*at);
    param->name = str_from_ascii(*at, size);
    if (!param->name) return false;
    str_intern_in_place(&param->name);
    schema->count++;
    *at += size;
    param->keyword_only = keyword_only;
    param->required = !take(at, "=");
    param->fallback = NONE;
    if (!keyword_only) schema->positional++;
    if (param->required) {
        schema->required++;
        return true;
    }
    param->default_text = *at;
    param->default_size = (int)default_length(*at);
    param->fallback = parse_default(*at, (size_t)param->default_size);
    *at += param->default_size;
    return param->fallback != VALUE_ERROR;
}

static bool parse_params(Schema *schema, const char **at)
{
    bool keyword_only = false;
    if (!take(at, "(")) return raise_malformed(schema, *at);
    while (!take(at, ")"))
        if (take(at, "*, "))
            keyword_only = true;
        else if (!parse_param(schema, at, keyword_only) || (**at != ')' && !take(at, ", ")))
            return error_pending() ? false : raise_malformed(schema, *at);
    return true;
}

// A row of kind NUMBERS takes a number for each tensor that it reads, which out= is not.
static void allow_numbers(Schema *schema)
{
    for (int i = 0; i < schema->count; i++)
        schema->params[i].numbers = schema->op->kinds & NUMBERS &&
                                    schema->params[i].type == PARAM_TENSOR &&
                                    !str_equal_ascii(schema->params[i].name, "out");
}

// out= of a row of kind OUT stands in no schema: PyTorch has a row of its own for it.
static bool add_out(Schema *schema)
{
    const char *text = schema->results > 1 ? "Tensor[]? out=None)" : "Tensor? out=None)";
    return !(schema->op->kinds & OUT) || parse_param(schema, &text, true);
}

// ---- results

static bool parse_results(Schema *schema, const char *at)
{
    Value names[8];
    size_t count = 0;
    if (!*at) return true; // a signature of a message
    if (!take(&at, " -> ")) return raise_malformed(schema, at);
    if (strcmp(at, "Tensor") == 0) schema->results = 1;
    if (!take(&at, "(")) return true;
    while (take(&at, "Tensor")) {
        schema->results++;
        if (take(&at, " ")) {
            size_t size = word_length(at);
            names[count++] = str_from_ascii(at, size);
            at += size;
        }
        take(&at, ", ");
    }
    if (count) schema->result_names = tuple_from_owned(names, count);
    return !count || schema->result_names;
}

// ---- all of it

void schema_free(Schema *schema)
{
    for (int i = 0; i < schema->count; i++) {
        drop(schema->params[i].name);
        drop(schema->params[i].fallback);
    }
    drop(schema->result_names);
    drop(schema->result_class);
    drop(schema->out_class);
    drop(schema->composite);
    memory_free(schema);
}

// The index of the parameter of this name, -1 = none.
static int find_param(const Schema *schema, const char *name)
{
    for (int i = 0; i < schema->count; i++)
        if (str_equal_ascii(schema->params[i].name, name)) return i;
    return -1;
}

Schema *schema_parse(const OpDef *op, const char *text)
{
    Schema *schema = memory_alloc_zeroed(sizeof *schema);
    if (!schema) {
        raise_memory_error();
        return NULL;
    }
    schema->op = op;
    bool parsed = parse_params(schema, &text) && parse_results(schema, text);
    allow_numbers(schema);
    if (parsed) return schema;
    schema_free(schema);
    return NULL;
}

static Schema *parse_row(const OpDef *op)
{
    Schema *schema = schema_parse(op, op->schema);
    if (!schema) return NULL;
    if (!add_out(schema)) {
        schema_free(schema);
        return NULL;
    }
    schema->requires_grad = find_param(schema, "requires_grad");
    schema->pin_memory = find_param(schema, "pin_memory");
    schema->device = find_param(schema, "device");
    schema->memory_format = find_param(schema, "memory_format");
    return schema;
}

const Schema *schema_of(OpIndex op)
{
    if (!schemas[op]) schemas[op] = parse_row(&op_table[op]);
    return schemas[op];
}

void schemas_finish(void)
{
    for (int i = 0; i < OP_COUNT; i++) {
        if (schemas[i]) schema_free(schemas[i]);
        schemas[i] = NULL;
    }
}

bool schema_is_self(const Schema *schema, int index)
{
    const Param *param = &schema->params[index];
    return param->type == PARAM_TENSOR && str_equal_ascii(param->name, "self");
}

int schema_find(const Schema *schema, ValueRef name, bool as_function)
{
    bool input = as_function && str_equal_ascii(name, "input");
    for (int i = as_function ? 0 : 1; i < schema->count; i++) {
        bool renamed = as_function && schema_is_self(schema, i);
        if (renamed ? input : str_equal(schema->params[i].name, name)) return i;
    }
    return -1;
}
