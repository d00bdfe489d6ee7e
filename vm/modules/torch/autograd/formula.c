// Reading derivative texts: from a row of ops.def to the functions that the engine calls.
#include "vm/modules/torch/autograd/formula.h"

#include "compiler/compile.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/function_call.h"
#include "vm/modules/torch/autograd/grad_node.h"

#include <ctype.h>
#include <stdio.h>

#define CLAUSE_TEXT 2000

static Formula *formulas[OP_COUNT];

// A stretch of a derivative text.
typedef struct Phrase {
    const char *at;
    size_t size;
} Phrase;

static bool phrase_is(Phrase text, const char *word)
{
    return strlen(word) == text.size && memcmp(text.at, word, text.size) == 0;
}

static Phrase trimmed(const char *from, const char *end)
{
    while (from < end && *from == ' ') from++;
    while (from < end && end[-1] == ' ') end--;
    return (Phrase){from, (size_t)(end - from)};
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// ---- names

static bool is_named(ValueRef str, Phrase name)
{
    size_t size;
    const char *text = str_utf8(str, &size);
    return text && size == name.size && memcmp(text, name.at, size) == 0;
}

// The index of the parameter of this name; -1 = there is none.
static int param_named(const Schema *schema, Phrase name)
{
    for (int i = 0; i < schema->count; i++)
        if (is_named(schema->params[i].name, name)) return i;
    return -1;
}

// The number of the result of this name; -1 = no result has it.
static int result_named(const Schema *schema, Phrase name)
{
    if (phrase_is(name, "result")) return 0;
    if (name.size == 7 && memcmp(name.at, "result", 6) == 0)
        return name.at[6] >= '0' && name.at[6] < '0' + schema->results ? name.at[6] - '0' : -1;
    ssize_t count = schema->result_names ? tuple_size(schema->result_names) : 0;
    for (ssize_t i = 0; i < count; i++)
        if (is_named(tuple_at(schema->result_names, i), name)) return (int)i;
    return -1;
}

// Does the text go on with a property that a fake tensor has too?
static bool reads_shape_only(const char *after)
{
    static const char *const properties[] = {
        ".shape", ".dtype", ".ndim", ".device", ".stride()", ".storage_offset()", ".numel()"};
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        size_t size = strlen(properties[i]);
        bool called = properties[i][size - 1] == ')';
        if (strncmp(after, properties[i], size) == 0 && (called || !is_word(after[size])))
            return true;
    }
    return false;
}

// Is the word that begins here the name of a keyword, as `dim` in f(x, dim=0)?
static bool is_keyword(const char *before, const char *after)
{
    return (*before == '(' || *before == ',') && after[0] == '=' && after[1] != '=';
}

typedef struct FormulaReader {
    Formula *formula;
    Clause *clause;
    char parameters[CLAUSE_TEXT]; // of the lambda: "grad,self,other"
    size_t size;
} FormulaReader;

static bool add_argument(FormulaReader *reader, uint8_t argument, Phrase name)
{
    Clause *clause = reader->clause;
    for (int i = 0; i < clause->argument_count; i++)
        if (clause->arguments[i] == argument) return true;
    if (clause->argument_count == FORMULA_ARGUMENTS || reader->size + name.size + 2 > CLAUSE_TEXT)
        return raise_error(SystemError, "the derivative of %s names too much",
                           reader->formula->op->name);
    clause->arguments[clause->argument_count++] = argument;
    if (reader->size) reader->parameters[reader->size++] = ',';
    memcpy(reader->parameters + reader->size, name.at, name.size);
    reader->size += name.size;
    return true;
}

// The index in saved[] of what comes from there. A tensor whose shape was enough so far is saved
// whole as soon as one use needs more.
static int saved_index(Formula *formula, SavedFrom from, int index)
{
    for (int i = 0; i < formula->saved_count; i++) {
        SavedSource *source = &formula->saved[i];
        if ((source->from == FROM_RESULT) != (from == FROM_RESULT) || source->index != index)
            continue;
        if (from == FROM_PARAM) source->from = FROM_PARAM;
        return i;
    }
    invariant(formula->saved_count < FORMULA_SAVED, "a derivative names few values");
    formula->saved[formula->saved_count] = (SavedSource){(uint8_t)from, (uint8_t)index};
    return formula->saved_count++;
}

// A free name of the expression: an argument of the lambda, or a function of _derivatives.mpy.
static bool read_name(FormulaReader *reader, Phrase name)
{
    const Schema *schema = reader->formula->schema;
    if (phrase_is(name, "grad")) return add_argument(reader, ARGUMENT_GRAD, name);
    if (phrase_is(name, "grads")) return add_argument(reader, ARGUMENT_GRADS, name);
    if (phrase_is(name, "needs")) return add_argument(reader, ARGUMENT_NEEDS, name);
    int index = param_named(schema, name), saved = -1;
    if (index >= 0) {
        bool tensor = schema->params[index].type == PARAM_TENSOR;
        bool shape = tensor && reads_shape_only(name.at + name.size);
        saved = saved_index(reader->formula, shape ? FROM_SHAPE : FROM_PARAM, index);
    } else {
        index = result_named(schema, name);
        if (index < 0) return !error_pending();
        saved = saved_index(reader->formula, FROM_RESULT, index);
    }
    return add_argument(reader, (uint8_t)(ARGUMENT_SAVED + saved), name);
}

static bool read_names(FormulaReader *reader, Phrase expression)
{
    const char *at = expression.at, *end = at + expression.size;
    char before = '(';
    while (at < end) {
        if (!is_word(*at)) {
            if (*at != ' ') before = *at;
            at++;
            continue;
        }
        const char *from = at;
        while (at < end && is_word(*at)) at++;
        bool free_name =
            before != '.' && !isdigit((unsigned char)*from) && !is_keyword(&before, at);
        if (free_name && !read_name(reader, (Phrase){from, (size_t)(at - from)})) return false;
        before = at[-1];
    }
    return true;
}

// ---- compiling

static Value derivatives_globals(void)
{
    Value module = upcalls.import("torch._derivatives");
    Value globals = module ? object_get(module, NAME(__dict__)) : VALUE_ERROR;
    drop(module);
    return globals;
}

static Value compile_lambda(const char *text, const OpDef *op)
{
    Value filename = format_text("<derivative of %s>", op->name);
    if (!filename) return VALUE_ERROR;
    CompileOptions options = {.mode = MODE_EVAL, .filename = filename, .is_utf8 = true};
    Value code = compile_source(text, strlen(text), &options);
    drop(filename);
    Value globals = code ? derivatives_globals() : VALUE_ERROR;
    Value function = globals ? code_run(as_code(code), globals, 0, NULL) : VALUE_ERROR;
    drop(globals);
    drop(code);
    return function;
}

static bool compile_expression(FormulaReader *reader, Phrase expression)
{
    char text[2 * CLAUSE_TEXT];
    int size = snprintf(text, sizeof text, "lambda %.*s: (%.*s)", (int)reader->size,
                        reader->parameters, (int)expression.size, expression.at);
    if (size >= (int)sizeof text)
        return raise_error(SystemError, "the derivative of %s is too long",
                           reader->formula->op->name);
    reader->clause->function = compile_lambda(text, reader->formula->op);
    return reader->clause->function;
}

// "input, weight, bias" before the colon.
static bool read_targets(Formula *formula, Clause *clause, Phrase names)
{
    const char *at = names.at, *end = at + names.size;
    while (at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        Phrase name = trimmed(at, comma ? comma : end);
        int index = param_named(formula->schema, name);
        if (index < 0 || clause->target_count == FORMULA_CLAUSES)
            return raise_error(SystemError, "the derivative of %s: no parameter %.40s",
                               formula->op->name, name.at);
        clause->targets[clause->target_count++] = index;
        formula->targets |= (uint32_t)1 << index;
        at = comma ? comma + 1 : end;
    }
    return true;
}

static bool read_clause(Formula *formula, Phrase text)
{
    const char *colon = memchr(text.at, ':', text.size);
    if (!colon || formula->clause_count == FORMULA_CLAUSES)
        return raise_error(SystemError, "the derivative of %s is malformed", formula->op->name);
    FormulaReader reader = {.formula = formula,
                            .clause = &formula->clauses[formula->clause_count++]};
    Phrase expression = trimmed(colon + 1, text.at + text.size);
    return read_targets(formula, reader.clause, trimmed(text.at, colon)) &&
           read_names(&reader, expression) && compile_expression(&reader, expression);
}

// "NotImplemented": one clause for all tensors, which raises.
static bool add_refusal(Formula *formula)
{
    Clause *clause = &formula->clauses[formula->clause_count++];
    const Schema *schema = formula->schema;
    int count = schema->count - (formula->op->kinds & OUT ? 1 : 0);
    for (int i = 0; i < count && clause->target_count < FORMULA_CLAUSES; i++)
        if (schema->params[i].type == PARAM_TENSOR) clause->targets[clause->target_count++] = i;
    formula->targets = UINT32_MAX;
    char text[100];
    snprintf(text, sizeof text, "lambda: not_implemented('%s')", formula->op->name);
    clause->function = compile_lambda(text, formula->op);
    return clause->function;
}

// ---- the classes of the nodes

// "LogSoftmaxBackward0" for log_softmax, "Log1PBackward0" for log1p.
static Value default_class_name(const OpDef *op)
{
    char text[100];
    size_t size = 0;
    bool begins = true;
    for (const char *at = op->name; *at && size < sizeof text - 12; at++) {
        char letter = begins ? (char)toupper((unsigned char)*at) : *at;
        begins = !isalpha((unsigned char)*at);
        if (letter != '_') text[size++] = letter;
    }
    memcpy(text + size, "Backward0", 10);
    return str_new(text);
}

// As PyTorch's classes of nodes, it belongs to no module. Takes the name. NULL with an exception
// pending.
static Type *make_class(Value name)
{
    Value bases = name ? tuple_pack(1, ref_of(&grad_node_type)) : VALUE_ERROR;
    Value namespace = bases ? dict_new() : VALUE_ERROR;
    Value builtins = namespace ? str_new("builtins") : VALUE_ERROR;
    Value made = VALUE_ERROR;
    Value slots = builtins ? tuple_new(0) : VALUE_ERROR;
    if (slots && dict_set(namespace, NAME(__module__), builtins) &&
        dict_set(namespace, NAME(__slots__), slots))
        made = type_new(&type_type, (ValueRef[]){name, bases, namespace}, 3, VALUE_ERROR);
    drop(slots);
    drop(builtins);
    drop(namespace);
    drop(bases);
    drop(name);
    return made ? as_type(made) : NULL;
}

// From "EluBackward0 EluBackward1", or from the operator's name where the text gives none.
static bool make_classes(Formula *formula, Phrase names)
{
    const char *end = names.at + names.size;
    const char *space = names.size ? memchr(names.at, ' ', names.size) : NULL;
    size_t size = space ? (size_t)(space - names.at) : names.size;
    formula->type =
        make_class(size ? str_from_utf8(names.at, size) : default_class_name(formula->op));
    if (!formula->type) return false;
    formula->inplace_type = space ? make_class(str_from_utf8(space + 1, (size_t)(end - space - 1)))
                                  : as_type(retain(ref_of(formula->type)));
    return formula->inplace_type;
}

// ---- the whole text

static bool read_formula(Formula *formula)
{
    const char *at = formula->op->derivative, *end = at + strlen(at);
    if (!strncmp(at, FORMULA_IN_PLACE, strlen(FORMULA_IN_PLACE))) at += strlen(FORMULA_IN_PLACE);
    Phrase names = {at, 0};
    for (bool first = true; at < end; first = false) {
        const char *semicolon = memchr(at, ';', (size_t)(end - at));
        Phrase clause = trimmed(at, semicolon ? semicolon : end);
        at = semicolon ? semicolon + 1 : end;
        if (first && !memchr(clause.at, ':', clause.size))
            names = clause;
        else if (!read_clause(formula, clause))
            return false;
    }
    return (formula->clause_count || add_refusal(formula)) && make_classes(formula, names);
}

static void formula_free(Formula *formula)
{
    for (int i = 0; i < formula->clause_count; i++) drop(formula->clauses[i].function);
    drop(own(formula->type));
    drop(own(formula->inplace_type));
    memory_free(formula);
}

static Formula *formula_new(const OpDef *op)
{
    const Schema *schema = schema_of(op_index(op));
    if (!schema) return NULL;
    Formula *formula = memory_alloc_zeroed(sizeof *formula);
    if (!formula) {
        raise_memory_error();
        return NULL;
    }
    formula->op = op;
    formula->schema = schema;
    if (read_formula(formula)) return formula;
    formula_free(formula);
    return NULL;
}

int formula_saved_named(const Formula *formula, const char *name)
{
    Phrase text = {name, strlen(name)};
    int param = param_named(formula->schema, text), result = result_named(formula->schema, text);
    for (int i = 0; i < formula->saved_count; i++) {
        const SavedSource *source = &formula->saved[i];
        if (source->index == (source->from == FROM_RESULT ? result : param)) return i;
    }
    return -1;
}

const Formula *formula_of(const OpDef *op)
{
    Formula **slot = &formulas[op_index(op)];
    if (!*slot) *slot = formula_new(op);
    return *slot;
}

void formulas_finish(void)
{
    for (int i = 0; i < OP_COUNT; i++) {
        if (formulas[i]) formula_free(formulas[i]);
        formulas[i] = NULL;
    }
}
