// The module `_tokenize`: the compiler's token table for vm/lib/token.mpy, and tokens with their
// positions for vm/lib/tokenize.mpy.
#include "compiler/compile.h"
#include "objects/bytes/buffer.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#define TOKEN_TYPES 63

// [(name, spelling or None), ...] in the order of their numbers.
static Value table(FUNCTION_ARGS)
{
    Value list = list_new(TOKEN_TYPES);
    for (int type = 0; list && type < TOKEN_TYPES; type++) {
        const char *text = token_spelling(type);
        Value name = str_intern(token_name(type)), spelling = text ? str_intern(text) : NONE;
        Value row = name && spelling ? tuple_pack(2, name, spelling) : VALUE_ERROR;
        drop(name);
        drop(spelling);
        if (!list_append_owned(list, row)) drop_slot(&list);
    }
    return list;
}

// collect(list, source): appends the tokens of a str, or of bytes that say their encoding, up to
// where an error is.
static Value collect(FUNCTION_ARGS)
{
    if (!list_check(args[0]))
        return raise_error(TypeError, "collect() argument 1 must be list, not %.200T", args[0]);
    Value filename = str_new("<tokenize>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename};
    bool done = false;
    if (filename && str_check(args[1])) {
        size_t size;
        options.is_utf8 = true;
        const char *text = str_utf8(args[1], &size);
        done = text && tokens_collect(args[0], text, size, &options);
    } else if (filename) {
        Buffer buffer;
        if (buffer_get(args[1], &buffer, false)) {
            done = tokens_collect(args[0], buffer.bytes, (size_t)buffer.size, &options);
            buffer_release(&buffer);
        }
    }
    drop(filename);
    return done ? NONE : VALUE_ERROR;
}

static const MethodDef functions[] = {
    {"table", table, NO_ARGS, NULL},
    {"collect", collect, ARGS(2, 2), NULL},
    {0},
};

const ModuleDef _tokenize_module = {"_tokenize", NULL, functions, NULL};
