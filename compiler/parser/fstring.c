// The inside of an f-string: text, and expressions in braces.
//
//     f'text {expression = !r : spec {width} } text'
//
// The end of an expression is found by counting brackets and skipping strings. A parser of its own
// parses the expression's text, in parentheses; its tokens get their positions in the file. So its
// errors show the text "(expression)" and say "f-string: ...", as in 3.9. A format spec is an
// f-string again, one level deeper; expressions may be nested no deeper than that.
#include "compiler/parser/parser.h"

#include "objects/text/str.h"

#include <ctype.h>

typedef struct FormatReader {
    Parser *p;
    StringRow *row;
    const Token *token; // the string that the text is part of
    const char *cur, *end;
    const char *counted; // as far as here lines are counted: `lines`, `line`
    const char *line;    // the last newline, or where the token begins
    int lines;
    bool is_raw;
    int depth; // 0, or 1 in a format spec, ...
} FormatReader;

static void read_format(FormatReader *r);

// ---- text

// Passes an escape, `cur` after the backslash; a brace stays, it counts all the same. What is
// wrong with an escape, decode_text() finds.
static void skip_escape(FormatReader *r)
{
    char c = *r->cur;
    if (c == '{') warn_invalid_escape(r->p, c, r->token);
    if (c == '{' || c == '}') return;
    r->cur++;
    if (c != 'N' || r->cur == r->end || *r->cur++ != '{') return;
    while (r->cur < r->end && *r->cur++ != '}') {
    }
}

// Text up to the next expression, or to the end. True where it stopped after the first of two
// braces, which stand for one, and more text may follow; `cur` is after the second.
static bool read_literal(FormatReader *r)
{
    const char *begin = r->cur, *stop;
    bool doubled = false;
    while (r->cur < r->end) {
        char c = *r->cur++;
        if (!r->is_raw && c == '\\' && r->cur < r->end) {
            skip_escape(r);
            continue;
        }
        if (c != '{' && c != '}') continue;
        doubled = r->depth == 0 && r->cur < r->end && *r->cur == c;
        if (doubled) break;
        r->cur--;
        if (c == '}' && r->depth == 0) raise_syntax(r->p, "f-string: single '}' is not allowed");
        break;
    }
    stop = r->cur;
    if (doubled) r->cur++;
    if (stop > begin) row_add(r->p, r->row, decode_text(r->p, begin, stop, r->is_raw, r->token));
    return doubled;
}

// ---- the end of an expression

typedef struct Nesting {
    char open[MAX_NESTING];
    int depth;
    char quote; // of the string that the scan is in, 0 = none
    bool is_triple;
} Nesting;

static bool is_tripled(const FormatReader *r)
{
    char c = *r->cur;
    return r->cur + 2 < r->end && r->cur[1] == c && r->cur[2] == c;
}

static void scan_in_string(FormatReader *r, Nesting *nesting)
{
    if (*r->cur != nesting->quote) return;
    if (nesting->is_triple) {
        if (!is_tripled(r)) return;
        r->cur += 2;
    }
    nesting->quote = 0;
}

static void scan_quote(FormatReader *r, Nesting *nesting)
{
    nesting->quote = *r->cur;
    nesting->is_triple = is_tripled(r);
    if (nesting->is_triple) r->cur += 2;
}

static void scan_open(FormatReader *r, Nesting *nesting)
{
    if (nesting->depth >= MAX_NESTING) raise_syntax(r->p, "f-string: too many nested parenthesis");
    nesting->open[nesting->depth++] = *r->cur;
}

static void scan_close(FormatReader *r, Nesting *nesting)
{
    char c = *r->cur;
    if (nesting->depth == 0) raise_syntax(r->p, "f-string: unmatched '%c'", c);
    char open = nesting->open[--nesting->depth];
    if (open == (c == ')' ? '(' : c == ']' ? '[' : '{')) return;
    raise_syntax(r->p, "f-string: closing parenthesis '%c' does not match opening parenthesis '%c'",
                 c, open);
}

// Whether the expression ends at one of ! : } = < >, outside of brackets. != == <= >= do not end
// it, and are passed.
static bool is_end_of_expression(FormatReader *r)
{
    char c = *r->cur;
    bool compares = r->cur + 1 < r->end && r->cur[1] == '=' && c != ':' && c != '}';
    if (compares) r->cur++;
    return !compares && c != '<' && c != '>';
}

// Looks at one character: true where the expression ends there.
static bool scan(FormatReader *r, Nesting *nesting)
{
    char c = *r->cur;
    if (c == '\\') raise_syntax(r->p, "f-string expression part cannot include a backslash");
    if (nesting->quote) {
        scan_in_string(r, nesting);
        return false;
    }
    switch (c) {
    case '\'':
    case '"': scan_quote(r, nesting); return false;
    case '(':
    case '[':
    case '{': scan_open(r, nesting); return false;
    case '#': raise_syntax(r->p, "f-string expression part cannot include '#'");
    case '!':
    case ':':
    case '}':
    case '=':
    case '<':
    case '>':
        if (nesting->depth == 0) return is_end_of_expression(r);
        break;
    default: break;
    }
    if (c == ')' || c == ']' || c == '}') scan_close(r, nesting);
    return false;
}

static _Noreturn void raise_expecting_brace(FormatReader *r)
{
    raise_syntax(r->p, "f-string: expecting '}'");
}

static void find_end_of_expression(FormatReader *r)
{
    Nesting nesting = {.depth = 0};
    while (r->cur < r->end && !scan(r, &nesting)) r->cur++;
    if (nesting.quote) raise_syntax(r->p, "f-string: unterminated string");
    if (nesting.depth > 0)
        raise_syntax(r->p, "f-string: unmatched '%c'", nesting.open[nesting.depth - 1]);
    if (r->cur >= r->end) raise_expecting_brace(r);
}

// ---- the expression

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f';
}

// The lines of the token are counted on from the position that was asked for last.
static void count_lines(FormatReader *r, const char *brace)
{
    for (; r->counted < brace; r->counted++) {
        if (*r->counted != '\n') continue;
        r->lines++;
        r->line = r->counted;
    }
}

// How far the line with the opening brace begins before it; 0 where nothing but white space is
// after the brace in its line.
static int columns_before(const FormatReader *r, const char *brace)
{
    const char *c = brace + 1;
    while (is_space(*c) && *c != '\n') c++;
    if (*c == '\n' || *c == '}') return 0;
    return (int)(brace - r->line);
}

static Node *parse_expression(FormatReader *r, const char *begin, const char *end)
{
    const char *c = begin;
    while (c < end && is_space(*c)) c++;
    if (c == end) raise_syntax(r->p, "f-string: empty expression not allowed");
    const char *brace = begin - 1;
    count_lines(r, brace);
    size_t size = (size_t)(end - begin);
    char *text = arena_alloc(r->p->arena, size + 4);
    text[0] = '(';
    memcpy(text + 1, begin, size);
    memcpy(text + 1 + size, ")\n", 3);
    const Position *position = &r->token->position;
    return parse_fstring_expression(r->p, text, size + 3, position->line + r->lines - 1,
                                    position->column + columns_before(r, brace));
}

// [':' spec] '}': the spec as a JoinedStr, or NULL.
static Node *read_spec(FormatReader *r)
{
    if (*r->cur != ':') return NULL;
    if (++r->cur >= r->end) raise_expecting_brace(r);
    int base = r->p->stack_size;
    StringRow row = {.first = r->row->first, .last = r->row->last};
    FormatReader inner = *r;
    inner.row = &row;
    inner.depth++;
    read_format(&inner);
    if (*inner.cur != '}') raise_expecting_brace(r);
    row_flush(r->p, &row, r->token, r->token);
    r->cur = inner.cur;
    Node *node = node_new(r->p->arena, JoinedStr_kind, r->token->position);
    node->JoinedStr.values = stack_take(r->p, base);
    return node;
}

// ['!' ('s' | 'r' | 'a')]: the letter, -1 = none.
static int read_conversion(FormatReader *r)
{
    if (*r->cur != '!') return -1;
    if (++r->cur >= r->end) raise_expecting_brace(r);
    char c = *r->cur++;
    if (c == 's' || c == 'r' || c == 'a') return c;
    raise_syntax(r->p, "f-string: invalid conversion character: expected 's', 'r', or 'a'");
}

// ['=' white space]: the expression's own text goes before its value.
static bool read_debug_text(FormatReader *r, const char *begin)
{
    if (*r->cur != '=') return false;
    require_version(r->p, 8, "f-string: self documenting expressions are");
    do r->cur++;
    while (isspace((unsigned char)*r->cur));
    row_add(r->p, r->row, decode_text(r->p, begin, r->cur, true, r->token));
    return true;
}

// '{' expression ['='] ['!' conversion] [':' spec] '}', `cur` at the brace. Pushes the text so far
// and a FormattedValue.
static void read_expression(FormatReader *r)
{
    if (r->depth >= 2) raise_syntax(r->p, "f-string: expressions nested too deeply");
    const char *begin = ++r->cur;
    find_end_of_expression(r);
    Node *value = parse_expression(r, begin, r->cur), *spec = NULL;
    bool has_text = read_debug_text(r, begin);
    row_flush(r->p, r->row, r->row->first, r->row->last);
    int conversion = read_conversion(r);
    if (r->cur >= r->end) raise_expecting_brace(r);
    spec = read_spec(r);
    if (r->cur >= r->end || *r->cur != '}') raise_expecting_brace(r);
    r->cur++;
    if (has_text && !spec && conversion == -1) conversion = 'r';
    const Position *first = &r->row->first->position, *last = &r->row->last->position;
    Position position = {first->line, first->column, last->end_line, last->end_column};
    Node *node = node_new(r->p->arena, FormattedValue_kind, position);
    node->FormattedValue.value = value;
    node->FormattedValue.conversion = conversion;
    node->FormattedValue.format_spec = spec;
    stack_push(r->p, node);
}

static void read_format(FormatReader *r)
{
    for (;;) {
        if (read_literal(r)) continue;
        if (r->cur >= r->end || *r->cur == '}') return;
        read_expression(r);
    }
}

void row_add_fstring(Parser *p, StringRow *row, const char *text, const char *end, bool is_raw,
                     const Token *token)
{
    FormatReader reader = {.p = p,
                           .row = row,
                           .token = token,
                           .cur = text,
                           .end = end,
                           .counted = token->text,
                           .line = token->text,
                           .is_raw = is_raw};
    read_format(&reader);
    if (reader.cur < end - 1) raise_syntax(p, "f-string: unexpected end of string");
}
