// PyTorch's message for arguments that no signature of a name accepts: it lists all.
//
//     sum() received an invalid combination of arguments - got (int, int), but expected one of:
//      * (*, torch.dtype dtype = None)
//          didn't match because some of the arguments have invalid types: (!int!, !int!)
//
// PyTorch writes each signature first, and then compares what is given with that text, cut at its
// commas: so `*` is a part like the others, a signature without parameters has one part, a type is
// the same only by its name, and what has a default is never the same. So it is here.
// (PyTorch: torch/csrc/utils/invalid_arguments.cpp)
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/text/str.h"
#include "vm/modules/torch/call/signatures.h"

typedef struct Parts {
    int count;
    int index[SCHEMA_PARAMS + 1]; // of the parameter; -1 is the star, or nothing at all
} Parts;

void text_append(Value *text, Value more)
{
    if (*text && more)
        str_append(text, more);
    else
        drop_slot(text);
    drop(more);
}

static void append_ascii(Value *text, const char *more)
{
    text_append(text, str_new(more));
}

// ---- a signature

static Parts parts_of(const Schema *schema, const Given *given)
{
    Parts parts = {0};
    bool star = false;
    for (int i = 0; i < schema->count; i++) {
        if (!signature_shows(schema, i, given)) continue;
        if (schema->params[i].keyword_only && !star) parts.index[parts.count++] = -1;
        star |= schema->params[i].keyword_only;
        parts.index[parts.count++] = i;
    }
    return parts;
}

static void append_default(Value *text, const Param *param)
{
    const char *start = param->default_text;
    size_t size = (size_t)param->default_size;
    append_ascii(text, " = ");
    if (op_bind_none_is_default(param)) {
        append_ascii(text, "None");
    } else if (*start == '\'') {
        append_ascii(text, "\"");
        text_append(text, str_from_ascii(start + 1, size - 2));
        append_ascii(text, "\"");
    } else {
        text_append(text, str_from_ascii(start, size));
    }
}

static void append_signature(Value *text, const Schema *schema, const Parts *parts,
                             const Given *given)
{
    append_ascii(text, "(");
    for (int i = 0; i < parts->count; i++) {
        int index = parts->index[i];
        if (i) append_ascii(text, ", ");
        if (index < 0) {
            append_ascii(text, "*");
            continue;
        }
        const Param *param = &schema->params[index];
        text_append(text, format_text("%s %s", param_type_text(param),
                                      signature_name(schema, index, given)));
        if (!param->required) append_default(text, param);
    }
    append_ascii(text, ")");
}

// ---- what is given

static Value name_of_type(ValueRef value)
{
    return format_text("%T", value);
}

// "tuple of (int, str)", "list of [int]"; of anything else its type.
static Value inner_types(ValueRef value)
{
    bool list = list_check(value);
    if (!list && !tuple_check(value)) return name_of_type(value);
    Value text = format_text("%T of %s", value, list ? "[" : "(");
    ssize_t size = list ? list_size(value) : tuple_size(value);
    for (ssize_t i = 0; i < size; i++) {
        if (i) append_ascii(&text, ", ");
        text_append(&text, name_of_type(list ? list_at(value, i) : tuple_at(value, i)));
    }
    append_ascii(&text, list ? "]" : size == 1 ? ",)" : ")");
    return text;
}

static void append_end(Value *text, const Given *given)
{
    append_ascii(text, given_keywords(given) && !given->nargs ? ", )" : ")");
}

// Keywords stand in a hash table in PyTorch, from which the last one comes first.
static Value given_text(const Given *given)
{
    Value text = str_new("(");
    size_t keywords = given_keywords(given);
    for (size_t i = 0; i < given->nargs; i++) {
        if (i) append_ascii(&text, ", ");
        text_append(&text, name_of_type(given->args[i]));
    }
    for (size_t i = keywords; i-- > 0;)
        text_append(&text, format_text("%s%S=%T", given->nargs || i + 1 < keywords ? ", " : "",
                                       tuple_at(given->kwnames, (ssize_t)i),
                                       given->args[given->nargs + i]));
    append_end(&text, given);
    return text;
}

// ---- one against the other

// Is that the name of a part, which has no default?
static bool is_named(const Schema *schema, int index, const Given *given, ValueRef name)
{
    return index >= 0 && schema->params[index].required &&
           str_equal_ascii(name, signature_name(schema, index, given));
}

// The keywords that are not the names of the last parts: "nope, dim"; "" = all are.
static Value wrong_keywords(const Schema *schema, const Parts *parts, const Given *given)
{
    Value text = str_new("");
    int keywords = (int)given_keywords(given), first = parts->count - keywords;
    for (int i = keywords; i-- > 0;) {
        ValueRef name = tuple_at(given->kwnames, i);
        bool known = false;
        for (int j = first > 0 ? first : 0; j < parts->count; j++)
            known |= is_named(schema, parts->index[j], given, name);
        if (known) continue;
        if (text && str_length(text)) append_ascii(&text, ", ");
        text_append(&text, retain(name));
    }
    return text;
}

// Is the type of the value called as the part's? A float part takes an int.
static bool fits_by_name(const Schema *schema, int index, ValueRef value)
{
    if (index < 0 || !schema->params[index].required) return false;
    const char *wanted = param_type_text(&schema->params[index]);
    Value name = name_of_type(value);
    bool fits =
        name && (str_equal_ascii(name, wanted) ||
                 (schema->params[index].type == PARAM_FLOAT && str_equal_ascii(name, "int")));
    drop(name);
    return fits;
}

static ValueRef value_named(const Schema *schema, int index, const Given *given)
{
    for (size_t i = 0; i < given_keywords(given); i++)
        if (is_named(schema, index, given, tuple_at(given->kwnames, (ssize_t)i)))
            return given->args[given->nargs + i];
    return NONE;
}

// The types of the arguments, those that do not fit between exclamation marks. The keywords are
// names of the last parts.
static Value marked_text(const Schema *schema, const Parts *parts, const Given *given)
{
    Value text = str_new("(");
    for (int i = 0; i < (int)(given->nargs + given_keywords(given)); i++) {
        int index = i < parts->count ? parts->index[i] : -1;
        bool keyword = i >= (int)given->nargs;
        ValueRef value = keyword ? value_named(schema, index, given) : given->args[i];
        const char *mark = fits_by_name(schema, index, value) ? "" : "!";
        if (i) append_ascii(&text, ", ");
        append_ascii(&text, mark);
        if (keyword && index >= 0)
            text_append(&text, format_text("%s=", signature_name(schema, index, given)));
        text_append(&text, inner_types(value));
        append_ascii(&text, mark);
    }
    append_end(&text, given);
    return text;
}

static bool count_matches(const Parts *parts, const Given *given)
{
    int count = parts->count ? parts->count : 1;
    return (int)(given->nargs + given_keywords(given)) == count;
}

static void append_row(Value *text, const Schema *schema, const Given *given)
{
    Parts parts = parts_of(schema, given);
    append_ascii(text, " * ");
    append_signature(text, schema, &parts, given);
    append_ascii(text, "\n");
    if (!count_matches(&parts, given)) return;
    Value keywords = wrong_keywords(schema, &parts, given);
    bool wrong = keywords && str_length(keywords);
    append_ascii(text, wrong ? "      didn't match because some of the keywords were incorrect: "
                             : "      didn't match because some of the arguments have invalid "
                               "types: ");
    text_append(text, wrong ? retain(keywords) : marked_text(schema, &parts, given));
    append_ascii(text, "\n");
    drop(keywords);
}

// The end of the message where the name has one signature, and old ones.
static Value only_one(const Schema *schema, const Given *given)
{
    Parts parts = parts_of(schema, given);
    Value keywords = wrong_keywords(schema, &parts, given);
    if (!keywords) return VALUE_ERROR;
    Value text = str_new(str_length(keywords) ? "unrecognized keyword arguments: " : "");
    if (str_length(keywords)) {
        text_append(&text, keywords);
        return text;
    }
    drop(keywords);
    text_append(&text, count_matches(&parts, given) ? marked_text(schema, &parts, given)
                                                    : given_text(given));
    append_ascii(&text, ", but expected ");
    append_signature(&text, schema, &parts, given);
    return text;
}

static Value all_of_them(const Signatures *signatures, const Given *given)
{
    Value text = given_text(given);
    append_ascii(&text, ", but expected one of:\n");
    for (int i = 0; i < signatures->count; i++) append_row(&text, signatures->items[i], given);
    return text;
}

// PyTorch writes into a buffer of this size.
#define MESSAGE_SIZE 1023

bool raise_invalid_combination(const Given *given, const Signatures *signatures)
{
    Value text = format_text("%s%s() received an invalid combination of arguments - got ",
                             given->name, given->suffix);
    text_append(&text, signatures->count == 1 ? only_one(signatures->items[0], given)
                                              : all_of_them(signatures, given));
    bool cut = text && str_length(text) > MESSAGE_SIZE;
    Value start = cut ? str_substring(text, 0, MESSAGE_SIZE) : retain(text);
    if (start) raise_error(TypeError, "%S", (ValueRef)start);
    drop(start);
    drop(text);
    return false;
}
