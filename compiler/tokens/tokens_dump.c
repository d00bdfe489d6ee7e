// The tokens of a source text, for --tokens, as `python3.9 -m tokenize` prints them:
//
//     1,0-1,5:            NAME           'print'
//
// The text is decoded first, as for the compiler, so its lines end with \n.
#include "compiler/tokens/line_tokens.h"
#include "compiler/tokens/tokenizer.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <stdio.h>

static const char *const type_names[] = {
#define TOKEN(name, number, text) [number] = #name,
#define KEYWORD(word)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
};

const char *token_name(int type)
{
    return type_names[type];
}

// ---- as text

static int number_at(ValueRef token, int part, int index)
{
    return (int)small_value(tuple_at(tuple_at(token, part), index));
}

static bool write_row(StrBuilder *builder, const char *range, int type, ValueRef text)
{
    char columns[128];
    snprintf(columns, sizeof columns, "%-20s%-15s", range, type_names[type]);
    Value repr = str_repr(text);
    if (!repr) return false;
    ssize_t padding = 15 - str_length(repr);
    bool done = builder_text(builder, columns) && builder_str(builder, repr) &&
                (padding <= 0 || builder_fill(builder, ' ', padding)) &&
                builder_text(builder, "\n");
    drop(repr);
    return done;
}

static bool write_token(StrBuilder *builder, ValueRef token)
{
    char range[64];
    snprintf(range, sizeof range, "%d,%d-%d,%d:", number_at(token, 2, 0), number_at(token, 2, 1),
             number_at(token, 3, 0), number_at(token, 3, 1));
    return write_row(builder, range, (int)small_value(tuple_at(token, 0)), tuple_at(token, 1));
}

static bool write_encoding(StrBuilder *builder, const Source *source)
{
    Value name = str_new(source->encoding ? source->encoding : "utf-8");
    bool done = name && write_row(builder, "0,0-0,0:", TOKEN_ENCODING, name);
    drop(name);
    return done;
}

// ---- line by line

static bool raise_failure(const LineTokens *state, ValueRef line, ValueRef filename)
{
    TextPosition where = state->failure_position;
    Type *type = str_length(line) ? IndentationError : SyntaxError;
    return raise_syntax_error(type, state->failure, filename, (int)where.line, (int)where.column,
                              NONE);
}

static bool write_line(StrBuilder *builder, LineTokens *state, ValueRef line, ValueRef filename)
{
    Value tokens = list_new(0);
    bool done = tokens && line_tokens_feed(state, line, tokens);
    for (ssize_t i = 0; done && i < list_size(tokens); i++)
        done = write_token(builder, list_at(tokens, i));
    drop(tokens);
    return done && (!state->failure || raise_failure(state, line, filename));
}

static bool write_lines(StrBuilder *builder, LineTokens *state, const Source *source,
                        ValueRef filename)
{
    const char *end = source->end, *next;
    if (!source->ended_with_newline && end > source->text) end--;
    bool done = write_encoding(builder, source);
    for (const char *begin = source->text; done && !state->ended; begin = next) {
        const char *newline = memchr(begin, '\n', (size_t)(end - begin));
        next = newline ? newline + 1 : end;
        Value line = str_from_utf8(begin, (size_t)(next - begin));
        done = line && write_line(builder, state, line, filename);
        drop(line);
    }
    return done;
}

// Not inlined: gcc warns of variables that are in the function of a setjmp().
static __attribute__((noinline)) bool write_all(StrBuilder *builder, Arena *arena, const char *text,
                                                size_t size, const CompileOptions *options)
{
    Source *source = arena_alloc(arena, sizeof *source);
    source_open(arena, source, text, size, options);
    LineTokens state;
    line_tokens_begin(&state);
    bool done = write_lines(builder, &state, source, options->filename);
    line_tokens_finish(&state);
    return done;
}

Value tokens_dump(const char *text, size_t size, const CompileOptions *options)
{
    Arena arena;
    StrBuilder builder;
    arena_begin(&arena);
    builder_begin(&builder);
    volatile bool done = false;
    if (!setjmp(arena.failure)) done = write_all(&builder, &arena, text, size, options);
    arena_end(&arena);
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}
