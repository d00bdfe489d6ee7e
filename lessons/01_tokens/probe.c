// Lesson 1: the input is a program; the answer has a line for each of its tokens.
#include "lessons/harness.h"

#include "compiler/tokens/tokenizer.h"
#include "objects/error.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

#include <string.h>

#define MOST_TOKENS 100000 // more come only from a tokenizer that does not end

static const char *const names[] = {
#define TOKEN(name, number, text) [number] = #name,
#define KEYWORD(word)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
};

static const char *const reasons[] = {
    [DONE_EXCEPTION] = "SyntaxError",
    [DONE_DEDENT] = "unindent does not match any outer indentation level",
    [DONE_TABS] = "inconsistent use of tabs and spaces in indentation",
    [DONE_TOO_DEEP] = "too many levels of indentation",
    [DONE_END] = "unexpected EOF",
};

void probe_begin(void)
{
    objects_init();
}

static void answer_message(void)
{
    Value exception = error_take();
    Value text = object_str(exception);
    if (text) answer(" %s", str_utf8(text, NULL));
    drop(text);
    drop(exception);
}

static void answer_token(const Tokenizer *tokenizer, TokenType type, const Span *span)
{
    answer("%d %s", tokenizer->line, type < TOKEN_KEYWORDS && names[type] ? names[type] : "?");
    if (span->start) answer(" %.*s", (int)(span->end - span->start), span->start);
    if (type == TOKEN_ERRORTOKEN) {
        const char *reason =
            tokenizer->done < sizeof reasons / sizeof *reasons ? reasons[tokenizer->done] : NULL;
        answer(" %s", reason ? reason : "another error");
        if (error_pending()) answer_message();
    }
    answer("\n");
}

static void answer_tokens(Tokenizer *tokenizer)
{
    TokenType type = TOKEN_NAME;
    for (int i = 0; i < MOST_TOKENS && type != TOKEN_ENDMARKER && type != TOKEN_ERRORTOKEN; i++) {
        Span span;
        type = tokenizer_next(tokenizer, &span);
        answer_token(tokenizer, type, &span);
    }
}

void probe(const char *input, size_t size)
{
    Arena arena;
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    arena_begin(&arena);
    if (!setjmp(arena.failure)) {
        Source *source = arena_alloc(&arena, sizeof *source);
        Tokenizer *tokenizer = arena_alloc(&arena, sizeof *tokenizer);
        source_open(&arena, source, input, size, &options);
        tokenizer_begin(tokenizer, &arena, source, filename);
        answer_tokens(tokenizer);
    }
    error_clear();
    arena_end(&arena);
    drop(filename);
}
