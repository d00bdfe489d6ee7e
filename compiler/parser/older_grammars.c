// ast.parse(text, feature_version=(3, N)): what came into the language after 3.N is refused, and up
// to 3.6 `async` and `await` are names outside of async functions.
#include "compiler/parser/parser.h"

#include <ctype.h>

#define KEYWORDS_MINOR 7    // from here on async and await are keywords
#define OPERATOR_AT_MINOR 5 // a @ b

static bool is_older_than(const Parser *p, int minor)
{
    return NEWEST_GRAMMAR - p->options->grammar_age < minor;
}

void require_version(Parser *p, int minor, const char *what)
{
    if (is_older_than(p, minor))
        raise_syntax(p, "%s only supported in Python 3.%d and greater", what, minor);
}

// Blanks and joined lines.
static const char *skip_blanks(const char *c)
{
    for (;; c++)
        if (c[0] == '\\' && c[1] == '\n')
            c++;
        else if (*c != ' ' && *c != '\t' && *c != '\f')
            return c;
}

static bool def_follows(const Token *token)
{
    const char *word = skip_blanks(token->text + token->size);
    if (strncmp(word, "def", 3) != 0) return false;
    unsigned char after = (unsigned char)word[3];
    return !isalnum(after) && after != '_' && after < 0x80;
}

// An async function is left where a line after its head is indented no deeper than it.
static void note_async_function(Parser *p, const Token *token)
{
    if (!p->in_async_def) return;
    if (token->type == TOKEN_NEWLINE)
        p->after_async_head = true;
    else if (p->after_async_head && !p->tokenizer->pending &&
             p->tokenizer->indent <= p->async_def_indent)
        p->in_async_def = p->after_async_head = false;
}

// What the two words are outside of async functions.
static void classify_async(Parser *p, Token *token)
{
    if (p->in_async_def) return;
    if (token->type != TOKEN_ASYNC || !def_follows(token)) {
        token->type = TOKEN_NAME;
        return;
    }
    p->in_async_def = true;
    p->async_def_indent = p->tokenizer->indent;
}

// '@' is an operator unless a decorator begins with it.
static bool is_operator_at(const Parser *p, const Token *token)
{
    if (token->type != TOKEN_AT || token == p->tokens) return token->type == TOKEN_ATEQUAL;
    TokenType before = token[-1].type;
    return before < TOKEN_NEWLINE || before > TOKEN_DEDENT;
}

void classify_in_older_grammar(Parser *p, Token *token)
{
    if (is_older_than(p, KEYWORDS_MINOR)) {
        note_async_function(p, token);
        if (token->type == TOKEN_ASYNC || token->type == TOKEN_AWAIT) classify_async(p, token);
    }
    if (is_operator_at(p, token)) require_version(p, OPERATOR_AT_MINOR, "The '@' operator is");
}
