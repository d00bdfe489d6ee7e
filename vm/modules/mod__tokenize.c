// The module `_tokenize`: the compiler's token table for vm/lib/token.mpy, and tokens with their
// positions for vm/lib/tokenize.mpy.
//
// table() -> [(name, spelling or None), ...] in the order of their numbers
// The type LineTokenizer, made without arguments, has
//     feed(line)   the tokens of the next line, "" = the text has ended
//     ended        no more tokens come, whatever is fed
//     failure      None, or why and where the text has ended early: (message, (line, column))
#include "compiler/compile.h"
#include "compiler/tokens/line_tokens.h"
#include "compiler/tokens/tokenizer.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/type.h"

static Value table(FUNCTION_ARGS)
{
    Value list = list_new(TOKEN_KEYWORDS);
    for (int type = 0; list && type < TOKEN_KEYWORDS; type++) {
        const char *text = token_spelling(type);
        Value name = str_intern(token_name(type)), spelling = text ? str_intern(text) : NONE;
        Value row = name && spelling ? tuple_pack(2, name, spelling) : VALUE_ERROR;
        drop(name);
        drop(spelling);
        if (!list_append_owned(list, row)) drop_slot(&list);
    }
    return list;
}

// ---- LineTokenizer

typedef struct LineTokenizer {
    Object base;
    LineTokens state;
} LineTokenizer;

static LineTokens *state_of(ValueRef self)
{
    return &((LineTokenizer *)object_of(self))->state;
}

static void release(Object *self)
{
    line_tokens_finish(&((LineTokenizer *)self)->state);
}

static Value feed(ValueRef self, METHOD_ARGS)
{
    LineTokens *state = state_of(self);
    if (!str_check(args[0]))
        return raise_error(TypeError, "a line must be str, not %.80T", args[0]);
    Value tokens = list_new(0);
    if (tokens && !state->ended && !line_tokens_feed(state, args[0], tokens)) drop_slot(&tokens);
    return tokens;
}

static Value get_ended(ValueRef self)
{
    return from_bool(state_of(self)->ended);
}

static Value get_failure(ValueRef self)
{
    const LineTokens *state = state_of(self);
    if (!state->failure) return NONE;
    TextPosition where = state->failure_position;
    Value message = str_new(state->failure);
    Value location = tuple_pack(2, from_small(where.line), from_small(where.column));
    Value failure = message && location ? tuple_pack(2, message, location) : VALUE_ERROR;
    drop(message);
    drop(location);
    return failure;
}

static const MethodDef methods[] = {
    {"feed", feed, ONE_ARG, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"ended", get_ended, NULL, NULL},
    {"failure", get_failure, NULL, NULL},
    {0},
};

static Value new(Type *type, METHOD_ARGS)
{
    if (!args_check("LineTokenizer", nargs, kwnames, 0, 0)) return VALUE_ERROR;
    LineTokenizer *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    line_tokens_begin(&made->state);
    return own(made);
}

static Type line_tokenizer_type = {
    STATIC_TYPE("_tokenize.LineTokenizer", sizeof(LineTokenizer)),
    .methods = methods,
    .getset = getset,
    .new_ = new,
    .release = release,
};

static const MethodDef functions[] = {
    {"table", table, NO_ARGS, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&line_tokenizer_type) && module_add_type(module, &line_tokenizer_type);
}

const ModuleDef _tokenize_module = {
    .name = "_tokenize",
    .doc = "Tokens with their positions, line by line.",
    .functions = functions,
    .fill = fill,
};
