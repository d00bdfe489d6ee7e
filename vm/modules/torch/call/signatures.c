// The signatures of a name, for messages.
#include "vm/modules/torch/call/signatures.h"

#include "objects/containers/tuple.h"
#include "objects/text/str.h"

static const struct {
    const char *name;
    uint32_t places; // OpKind
    const char *text;
} overloads[] = {
#define OVERLOAD(name, places, text) {#name, places, text},
#include "vm/modules/torch/ops/overloads.def"
#undef OVERLOAD
};

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
    [PARAM_SCALARS] = "tuple of Scalars",
    [PARAM_DIMNAME] = "name",
    [PARAM_DIMNAMES] = "tuple of names",
};

const char *param_type_text(const Param *param)
{
    return type_texts[param->type];
}

// ---- of a name

static uint32_t place_of(const Given *given)
{
    if (given->style == BIND_METHOD) return given->inplace ? INPLACE : METHOD;
    return given->inplace ? INPLACE_FUNCTION : ANY_FUNCTION;
}

static bool add(Signatures *signatures, const Schema *schema)
{
    invariant(signatures->count < SIGNATURES, "there is room for the signatures of a name");
    if (schema) signatures->items[signatures->count++] = schema;
    return schema;
}

static bool add_rows(OpIndex first, const Given *given, Signatures *signatures)
{
    for (OpIndex op = first; op_bind_same_name(op, first); op++)
        if (op_bind_reaches(&op_table[op], given->style, given->inplace) &&
            !add(signatures, schema_of(op)))
            return false;
    return true;
}

bool signatures_find(OpIndex first, const Given *given, Signatures *signatures)
{
    signatures->count = 0;
    signatures->listed = true;
    for (size_t i = 0; i < sizeof overloads / sizeof *overloads; i++)
        if (overloads[i].places & place_of(given) && strcmp(overloads[i].name, given->name) == 0 &&
            !add(signatures, schema_parse(&op_table[first], overloads[i].text)))
            return false;
    if (signatures->count) return true;
    signatures->listed = false;
    return add_rows(first, given, signatures);
}

void signatures_end(Signatures *signatures)
{
    for (int i = 0; signatures->listed && i < signatures->count; i++)
        schema_free((Schema *)signatures->items[i]);
}

// ---- of one of them

size_t given_keywords(const Given *given)
{
    return given->kwnames ? (size_t)tuple_size(given->kwnames) : 0;
}

bool signature_shows(const Schema *schema, int index, const Given *given)
{
    bool method = given->style == BIND_METHOD;
    if (method && index == 0) return false;
    return !(method || given->inplace) || !str_equal_ascii(schema->params[index].name, "out");
}

const char *signature_name(const Schema *schema, int index, const Given *given)
{
    if (given->style == BIND_FUNCTION && schema_is_self(schema, index)) return "input";
    return as_str(schema->params[index].name)->data; // ASCII
}

int signature_least(const Schema *schema, const Given *given)
{
    return schema->required - (given->style == BIND_METHOD);
}

int signature_most(const Schema *schema, const Given *given)
{
    int most = 0;
    for (int i = 0; i < schema->count; i++) most += signature_shows(schema, i, given);
    return most;
}
