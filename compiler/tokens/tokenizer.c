// The tokenizer: a pointer runs over the text, line by line.
//
//     buffer      line_start   start    cur          line_end
//     |           |            |        |            |
//     x = """abc\n               def""" + y          \n|next line
//
// Invariants: from `cur` to `line_end` is the rest of one line. So a loop over the characters of a
// token need not test for the end: it stops at \n, or at the NUL after the text. Inside a token
// `cur` reaches `line_end` only at the end of the text or after a \n. As in CPython, reading at the
// end of the text sets `done`, from which the parser tells "unexpected EOF" from "invalid syntax".
#include "compiler/tokens/tokenizer.h"

#include "objects/bytes/codecs.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"

#include <stdio.h>

#define END (-1)

enum { NAME_START = 1, NAME_PART = 2, DIGIT = 4, HEX = 8 };

static const uint8_t classes[256] = {
    ['0' ... '1'] = NAME_PART | DIGIT | HEX,
    ['2' ... '9'] = NAME_PART | DIGIT | HEX,
    ['A' ... 'F'] = NAME_START | NAME_PART | HEX,
    ['G' ... 'Z'] = NAME_START | NAME_PART,
    ['_'] = NAME_START | NAME_PART,
    ['a' ... 'f'] = NAME_START | NAME_PART | HEX,
    ['g' ... 'z'] = NAME_START | NAME_PART,
    [128 ... 255] = NAME_START | NAME_PART,
};

static inline bool is_class(int c, int class)
{
    return c >= 0 && (classes[c] & class);
}

void tokenizer_begin(Tokenizer *tokenizer, Arena *arena, const Source *source, ValueRef filename)
{
    *tokenizer = (Tokenizer){.arena = arena,
                             .source = source,
                             .filename = filename,
                             .cur = source->text,
                             .line_end = source->text,
                             .line_start = source->text,
                             .buffer = source->text,
                             .at_line_start = true};
}

// ---- errors

static size_t count_characters(const char *text, const char *end)
{
    Value str = text_decode(text, (size_t)(end - text), "utf-8", "replace");
    if (str == VALUE_ERROR) return 0;
    size_t count = (size_t)str_length(str);
    drop(str);
    return count;
}

// SyntaxError at `cur`, with the current line without its newline.
static TokenType syntax_error(Tokenizer *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    Value message = format_text_v(format, arguments);
    va_end(arguments);
    t->done = DONE_EXCEPTION;
    const char *words = message == VALUE_ERROR ? NULL : str_utf8(message, NULL);
    if (words) {
        size_t length = strcspn(t->line_start, "\n");
        Value text = text_decode(t->line_start, length, "utf-8", "replace");
        int offset = (int)count_characters(t->line_start, t->cur);
        if (text != VALUE_ERROR) {
            raise_syntax_error(SyntaxError, words, t->filename, t->line, offset, text);
            drop(text);
        }
    }
    drop(message);
    return TOKEN_ERRORTOKEN;
}

// What has failed already stays so.
static TokenType fail_at_line_end(Tokenizer *t, TokenizerDone done)
{
    if (t->done != DONE_EXCEPTION) t->done = done;
    t->cur = t->line_end;
    return TOKEN_ERRORTOKEN;
}

// ---- characters

static int at_end(Tokenizer *t)
{
    const Source *source = t->source;
    t->done = DONE_END;
    if (source->is_file) {
        // In a string or after a backslash 3.9 first finds an empty line where the last one was
        // complete.
        bool one_more = t->start && source->ended_with_newline && !source->is_recoded;
        t->line += one_more ? 2 : 1;
        t->file_ended = !t->start;
    }
    return END;
}

// In a string or after a backslash 3.9 counts the line twice.
static bool check_line_is_utf8(Tokenizer *t)
{
    const char *bad = t->source->not_utf8;
    if (!bad || t->line_end <= bad) return true;
    raise_error(SyntaxError,
                "Non-UTF-8 code starting with '\\x%x' in file %S on line %d, but no encoding "
                "declared; see https://python.org/dev/peps/pep-0263/ for details",
                (unsigned)(unsigned char)*bad, t->filename, t->line + (t->start != NULL));
    t->done = DONE_EXCEPTION;
    t->line_end = t->cur;
    return false;
}

static int next_line(Tokenizer *t)
{
    if (t->done != DONE_NOT) return END;
    if (t->cur == t->source->end) return at_end(t);
    if (!t->start) t->buffer = t->cur;
    t->line_start = t->cur;
    t->line++;
    size_t left = (size_t)(t->source->end - t->cur);
    const char *newline = memchr(t->cur, '\n', left);
    t->line_end = newline ? newline + 1 : t->source->end;
    if (!check_line_is_utf8(t)) return END;
    return (unsigned char)*t->cur++;
}

static inline int next_char(Tokenizer *t)
{
    return t->cur != t->line_end ? (unsigned char)*t->cur++ : next_line(t);
}

static inline void back_up(Tokenizer *t, int c)
{
    if (c != END) t->cur--;
}

// ---- indentation

//> lesson 1: indentation
// The line is indented more than the one before.
static TokenType indented(Tokenizer *t, int column, int alternate)
{
    if (t->indent + 1 >= MAX_INDENT) return fail_at_line_end(t, DONE_TOO_DEEP);
    if (alternate <= t->alternate_columns[t->indent]) return fail_at_line_end(t, DONE_TABS);
    t->pending++;
    t->indent++;
    t->columns[t->indent] = column;
    t->alternate_columns[t->indent] = alternate;
    return TOKEN_NEWLINE;
}

// The line is indented less: it must be as far in as a line before that has not been closed.
static TokenType dedented(Tokenizer *t, int column, int alternate)
{
    while (t->indent > 0 && column < t->columns[t->indent]) {
        t->pending--;
        t->indent--;
    }
    if (column != t->columns[t->indent]) return fail_at_line_end(t, DONE_DEDENT);
    if (alternate != t->alternate_columns[t->indent]) return fail_at_line_end(t, DONE_TABS);
    return TOKEN_NEWLINE;
}

// Compares a line's first column with the top of the stack. TOKEN_ERRORTOKEN, or TOKEN_NEWLINE;
// `pending` says how many tokens are to come.
static TokenType compare_indentation(Tokenizer *t, int column, int alternate)
{
    if (column > t->columns[t->indent]) return indented(t, column, alternate);
    if (column < t->columns[t->indent]) return dedented(t, column, alternate);
    if (alternate != t->alternate_columns[t->indent]) return fail_at_line_end(t, DONE_TABS);
    return TOKEN_NEWLINE;
}
//< lesson 1

// Measures the white space that a line begins with. A line that has nothing else, or a comment,
// does not count: *blank. TOKEN_ERRORTOKEN, or anything else.
static TokenType indentation(Tokenizer *t, bool *blank)
{
    int column = 0, alternate = 0, c;
    t->at_line_start = false;
    for (;;) {
        c = next_char(t);
        if (c == ' ') {
            column++;
            alternate++;
        } else if (c == '\t') {
            column = (column / TAB_SIZE + 1) * TAB_SIZE;
            alternate++;
        } else if (c == '\f') {
            column = alternate = 0;
        } else {
            break;
        }
    }
    back_up(t, c);
    *blank = c == '#' || c == '\n' || c == '\\';
    if (*blank || t->level > 0) return TOKEN_NEWLINE;
    return compare_indentation(t, column, alternate);
}

// ---- numbers

// The rest of a row of digits, with single underscores between them: the character after it, 0 =
// an error.
static int decimal_tail(Tokenizer *t)
{
    int c;
    for (;;) {
        do c = next_char(t);
        while (is_class(c, DIGIT));
        if (c != '_') return c;
        c = next_char(t);
        if (!is_class(c, DIGIT)) {
            back_up(t, c);
            syntax_error(t, "invalid decimal literal");
            return 0;
        }
    }
}

static TokenType number_ends(Tokenizer *t, int c)
{
    if (c == 'j' || c == 'J') c = next_char(t);
    back_up(t, c);
    return TOKEN_NUMBER;
}

// exponent: ('e' | 'E') ['+' | '-'] digits, and what may follow; `c` is the next character.
static TokenType exponent(Tokenizer *t, int c)
{
    if (c != 'e' && c != 'E') return number_ends(t, c);
    int e = c;
    c = next_char(t);
    if (c == '+' || c == '-') {
        c = next_char(t);
        if (!is_class(c, DIGIT)) {
            back_up(t, c);
            return syntax_error(t, "invalid decimal literal");
        }
    } else if (!is_class(c, DIGIT)) {
        back_up(t, c);
        back_up(t, e);
        return TOKEN_NUMBER;
    }
    c = decimal_tail(t);
    return c ? number_ends(t, c) : TOKEN_ERRORTOKEN;
}

static TokenType fraction(Tokenizer *t, int c)
{
    if (is_class(c, DIGIT)) {
        c = decimal_tail(t);
        if (c == 0) return TOKEN_ERRORTOKEN;
    }
    return exponent(t, c);
}

static bool is_digit_of(int c, int base)
{
    if (base == 16) return is_class(c, HEX);
    return c >= '0' && c < '0' + base;
}

// 0x.., 0o.., 0b..: the prefix has been read.
static TokenType prefixed_number(Tokenizer *t, int base)
{
    const char *name = base == 16 ? "hexadecimal" : base == 8 ? "octal" : "binary";
    int c = next_char(t);
    do {
        if (c == '_') c = next_char(t);
        if (!is_digit_of(c, base)) {
            back_up(t, c);
            if (!is_class(c, DIGIT)) return syntax_error(t, "invalid %s literal", name);
            return syntax_error(t, "invalid digit '%c' in %s literal", c, name);
        }
        do c = next_char(t);
        while (is_digit_of(c, base));
    } while (c == '_');
    if (is_class(c, DIGIT)) return syntax_error(t, "invalid digit '%c' in %s literal", c, name);
    back_up(t, c);
    return TOKEN_NUMBER;
}

// A number that begins with 0 and has no prefix: zeros only, unless it is no integer.
static TokenType leading_zero(Tokenizer *t, int c)
{
    bool nonzero = false;
    for (;;) {
        if (c == '_') {
            c = next_char(t);
            if (!is_class(c, DIGIT)) {
                back_up(t, c);
                return syntax_error(t, "invalid decimal literal");
            }
        }
        if (c != '0') break;
        c = next_char(t);
    }
    if (is_class(c, DIGIT)) {
        nonzero = true;
        c = decimal_tail(t);
        if (c == 0) return TOKEN_ERRORTOKEN;
    }
    if (c == '.') return fraction(t, next_char(t));
    if (c == 'e' || c == 'E') return exponent(t, c);
    if (c == 'j' || c == 'J') return number_ends(t, c);
    back_up(t, c);
    if (!nonzero) return TOKEN_NUMBER;
    return syntax_error(t, "leading zeros in decimal integer literals are not permitted; "
                           "use an 0o prefix for octal integers");
}

static TokenType number(Tokenizer *t, int c)
{
    if (c == '0') {
        c = next_char(t);
        if (c == 'x' || c == 'X') return prefixed_number(t, 16);
        if (c == 'o' || c == 'O') return prefixed_number(t, 8);
        if (c == 'b' || c == 'B') return prefixed_number(t, 2);
        return leading_zero(t, c);
    }
    c = decimal_tail(t);
    if (c == 0) return TOKEN_ERRORTOKEN;
    if (c == '.') return fraction(t, next_char(t));
    return exponent(t, c);
}

// ---- names

// How many bytes the UTF-8 of a code point has.
static int utf8_size(uint32_t point)
{
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
}

static TokenType invalid_character(Tokenizer *t, uint32_t point)
{
    char hex[9];
    snprintf(hex, sizeof hex, "%04X", point);
    if (!unicode_is_printable(point))
        return syntax_error(t, "invalid non-printable character U+%s", hex);
    return syntax_error(t, "invalid character '%c' (U+%s)", (int)point, hex);
}

// A name beyond ASCII must be an identifier by PEP 3131; `cur` moves after the first character
// that may not be in one.
static TokenType verify_name(Tokenizer *t)
{
    Value str = str_from_utf8(t->start, (size_t)(t->cur - t->start));
    if (str == VALUE_ERROR) {
        t->done = error_is(UnicodeDecodeError) ? DONE_DECODE : DONE_EXCEPTION;
        return TOKEN_ERRORTOKEN;
    }
    const Str *name = as_str(str);
    const char *end = t->start;
    uint32_t point = 0;
    bool valid = true;
    for (ssize_t i = 0; i < name->length && valid; i++) {
        point = str_at(name, i);
        end += utf8_size(point);
        valid = point == '_' ||
                (i == 0 ? unicode_is_identifier_start(point) : unicode_is_identifier_part(point));
    }
    drop(str);
    if (valid) return TOKEN_NAME;
    t->cur = end;
    return invalid_character(t, point);
}

static TokenType name(Tokenizer *t)
{
    const unsigned char *cur = (const unsigned char *)t->cur;
    unsigned all = cur[-1];
    while (classes[*cur] & NAME_PART) all |= *cur++;
    t->cur = (const char *)cur;
    if (t->cur == t->line_end) next_line(t);
    return all & 0x80 ? verify_name(t) : TOKEN_NAME;
}

// ---- strings

static TokenType string_is_open(Tokenizer *t, int quote_size)
{
    return fail_at_line_end(t, quote_size == 3 ? DONE_IN_TRIPLE_QUOTED : DONE_IN_STRING);
}

// The opening quote has been read: 1, 3, or 0 for an empty string, read as well.
static int quote_size_of(Tokenizer *t, int quote)
{
    int c = next_char(t), size = 1;
    if (c == quote) {
        c = next_char(t);
        size = c == quote ? 3 : 0;
    }
    if (c != quote) back_up(t, c);
    return size;
}

static TokenType string(Tokenizer *t, int quote)
{
    t->first_line = t->line;
    t->multi_line_start = t->line_start;
    int quote_size = quote_size_of(t, quote);
    if (quote_size == 0) return TOKEN_STRING;
    for (int closing = 0; closing != quote_size;) {
        int c = next_char(t);
        if (c == END || (quote_size == 1 && c == '\n')) return string_is_open(t, quote_size);
        if (c == quote) {
            closing++;
        } else {
            closing = 0;
            if (c == '\\') next_char(t);
        }
    }
    return TOKEN_STRING;
}

// The prefix of a string before `cur` and at it: b, r, u, f, and br, rb, fr, rf, in any case. The
// quote where there is one, else 0.
static int string_prefix(Tokenizer *t, int c)
{
    bool saw_b = false, saw_r = false, saw_u = false, saw_f = false;
    const char *next = t->cur;
    for (;;) {
        int lower = c | 0x20;
        if (lower == 'b' && !(saw_b || saw_u || saw_f))
            saw_b = true;
        else if (lower == 'u' && !(saw_b || saw_u || saw_r || saw_f))
            saw_u = true;
        else if (lower == 'r' && !(saw_r || saw_u))
            saw_r = true;
        else if (lower == 'f' && !(saw_f || saw_b || saw_u))
            saw_f = true;
        else
            return 0;
        c = (unsigned char)*next++;
        if (c == '"' || c == '\'') {
            t->cur = next;
            return c;
        }
    }
}

static TokenType name_or_string(Tokenizer *t, int c)
{
    int lower = c | 0x20;
    if (lower == 'b' || lower == 'r' || lower == 'u' || lower == 'f') {
        int quote = string_prefix(t, c);
        if (quote) return string(t, quote);
    }
    return name(t);
}

// ---- operators

static TokenType one_char(int c)
{
    static const uint8_t types[128] = {
        ['%'] = TOKEN_PERCENT, ['&'] = TOKEN_AMPER,  ['('] = TOKEN_LPAR,       [')'] = TOKEN_RPAR,
        ['*'] = TOKEN_STAR,    ['+'] = TOKEN_PLUS,   [','] = TOKEN_COMMA,      ['-'] = TOKEN_MINUS,
        ['.'] = TOKEN_DOT,     ['/'] = TOKEN_SLASH,  [':'] = TOKEN_COLON,      [';'] = TOKEN_SEMI,
        ['<'] = TOKEN_LESS,    ['='] = TOKEN_EQUAL,  ['>'] = TOKEN_GREATER,    ['@'] = TOKEN_AT,
        ['['] = TOKEN_LSQB,    [']'] = TOKEN_RSQB,   ['^'] = TOKEN_CIRCUMFLEX, ['{'] = TOKEN_LBRACE,
        ['|'] = TOKEN_VBAR,    ['}'] = TOKEN_RBRACE, ['~'] = TOKEN_TILDE,
    };
    return c < 128 && types[c] ? types[c] : TOKEN_OP;
}

// The operator that is `c` and '='; TOKEN_OP = none.
static TokenType with_equal(int c)
{
    switch (c) {
    case '!': return TOKEN_NOTEQUAL;
    case '%': return TOKEN_PERCENTEQUAL;
    case '&': return TOKEN_AMPEREQUAL;
    case '*': return TOKEN_STAREQUAL;
    case '+': return TOKEN_PLUSEQUAL;
    case '-': return TOKEN_MINEQUAL;
    case '/': return TOKEN_SLASHEQUAL;
    case ':': return TOKEN_COLONEQUAL;
    case '<': return TOKEN_LESSEQUAL;
    case '=': return TOKEN_EQEQUAL;
    case '>': return TOKEN_GREATEREQUAL;
    case '@': return TOKEN_ATEQUAL;
    case '^': return TOKEN_CIRCUMFLEXEQUAL;
    case '|': return TOKEN_VBAREQUAL;
    default: return TOKEN_OP;
    }
}

static TokenType two_chars(int c, int second)
{
    if (second == '=') return with_equal(c);
    if (second == '>')
        return c == '-'   ? TOKEN_RARROW
               : c == '<' ? TOKEN_NOTEQUAL
               : c == '>' ? TOKEN_RIGHTSHIFT
                          : TOKEN_OP;
    if (second != c) return TOKEN_OP;
    return c == '*'   ? TOKEN_DOUBLESTAR
           : c == '/' ? TOKEN_DOUBLESLASH
           : c == '<' ? TOKEN_LEFTSHIFT
                      : TOKEN_OP;
}

static TokenType three_chars(TokenType two, int third)
{
    if (third != '=') return TOKEN_OP;
    switch (two) {
    case TOKEN_DOUBLESTAR: return TOKEN_DOUBLESTAREQUAL;
    case TOKEN_DOUBLESLASH: return TOKEN_DOUBLESLASHEQUAL;
    case TOKEN_LEFTSHIFT: return TOKEN_LEFTSHIFTEQUAL;
    case TOKEN_RIGHTSHIFT: return TOKEN_RIGHTSHIFTEQUAL;
    default: return TOKEN_OP;
    }
}

static TokenType open_parenthesis(Tokenizer *t, int c)
{
    if (t->level >= MAX_NESTING) return syntax_error(t, "too many nested parentheses");
    t->open[t->level] = (char)c;
    t->open_lines[t->level] = t->line;
    t->level++;
    return one_char(c);
}

static TokenType close_parenthesis(Tokenizer *t, int c)
{
    if (t->level == 0) return syntax_error(t, "unmatched '%c'", c);
    t->level--;
    int opening = t->open[t->level];
    if (opening == (c == ')' ? '(' : c == ']' ? '[' : '{')) return one_char(c);
    if (t->open_lines[t->level] == t->line)
        return syntax_error(t, "closing parenthesis '%c' does not match opening parenthesis '%c'",
                            c, opening);
    return syntax_error(
        t, "closing parenthesis '%c' does not match opening parenthesis '%c' on line %d", c,
        opening, t->open_lines[t->level]);
}

//> lesson 1: operators
// The longest operator that begins with `c`, which has been read.
static TokenType operator_token(Tokenizer *t, int c)
{
    int second = next_char(t);
    TokenType type = two_chars(c, second);
    if (type != TOKEN_OP) {
        int third = next_char(t);
        TokenType longer = three_chars(type, third);
        if (longer != TOKEN_OP) return longer;
        back_up(t, third);
        return type;
    }
    back_up(t, second);
    if (c == '(' || c == '[' || c == '{') return open_parenthesis(t, c);
    if (c == ')' || c == ']' || c == '}') return close_parenthesis(t, c);
    return one_char(c);
}
//< lesson 1

// '.', '...', or a number that begins with a period.
static TokenType period(Tokenizer *t)
{
    int c = next_char(t);
    if (is_class(c, DIGIT)) return fraction(t, c);
    if (c == '.') {
        c = next_char(t);
        if (c == '.') return TOKEN_ELLIPSIS;
        back_up(t, c);
        c = '.';
    }
    back_up(t, c);
    return TOKEN_DOT;
}

// ---- one token

// A backslash has been read: true where the line goes on after it.
static bool continuation(Tokenizer *t)
{
    int c = next_char(t);
    if (c != '\n') {
        t->done = DONE_CONTINUATION;
        return false;
    }
    c = next_char(t);
    if (c == END) {
        fail_at_line_end(t, DONE_END);
        return false;
    }
    back_up(t, c);
    return true;
}

// What follows "# type: " in a comment, with any white space for the blanks; NULL = it is another.
static const char *after_type_prefix(const char *at, const char *end)
{
    for (const char *prefix = "# type: "; *prefix; prefix++) {
        if (*prefix == ' ')
            while (at < end && (*at == ' ' || *at == '\t')) at++;
        else if (at == end || *at++ != *prefix)
            return NULL;
    }
    return at;
}

// The text of a type comment has been read. "# type: ignore" takes the line with it where it is all
// that the line has.
static TokenType type_comment(Tokenizer *t, bool blank, Span *span)
{
    static const char ignore[] = "ignore";
    size_t size = sizeof ignore - 1;
    const char *text = after_type_prefix(t->start, t->cur);
    *span = (Span){text, t->cur};
    if ((size_t)(t->cur - text) < size || memcmp(text, ignore, size) != 0)
        return TOKEN_TYPE_COMMENT;
    if (text + size < t->cur && is_class((unsigned char)text[size], NAME_PART) && text[size] != '_')
        return TOKEN_TYPE_COMMENT;
    span->start = text + size;
    if (blank) {
        next_char(t);
        t->at_line_start = true;
    }
    return TOKEN_TYPE_IGNORE;
}

// The first character of a token, white space and comments skipped; '#' = a type comment is read.
static int first_char(Tokenizer *t)
{
    t->start = NULL;
    int c;
    do c = next_char(t);
    while (c == ' ' || c == '\t' || c == '\f');
    t->start = t->cur - 1;
    if (c == '#') {
        do c = next_char(t);
        while (c != END && c != '\n');
        back_up(t, c);
        if (t->type_comments && after_type_prefix(t->start, t->cur)) return '#';
        c = next_char(t);
    }
    return c;
}

static TokenType token_from(Tokenizer *t, int c)
{
    if (is_class(c, NAME_START)) return name_or_string(t, c);
    if (is_class(c, DIGIT)) return number(t, c);
    if (c == '.') return period(t);
    if (c == '\'' || c == '"') return string(t, c);
    return operator_token(t, c);
}

static TokenType pending_indentation(Tokenizer *t)
{
    t->start = t->cur;
    if (t->pending > 0) {
        t->pending--;
        return TOKEN_INDENT;
    }
    t->pending++;
    return TOKEN_DEDENT;
}

// A \n was read: TOKEN_OP where it does not end a statement.
static TokenType newline(Tokenizer *t, bool blank, Span *span)
{
    t->at_line_start = true;
    if (blank || t->level > 0) return TOKEN_OP;
    *span = (Span){t->start, t->cur - 1};
    return TOKEN_NEWLINE;
}

TokenType tokenizer_next(Tokenizer *t, Span *span)
{
    bool blank;
    int c;
    *span = (Span){NULL, NULL};
    for (;;) {
        t->start = NULL;
        blank = false;
        if (t->at_line_start && indentation(t, &blank) == TOKEN_ERRORTOKEN) return TOKEN_ERRORTOKEN;
        if (t->done == DONE_EXCEPTION) return TOKEN_ERRORTOKEN;
        if (t->pending != 0) return pending_indentation(t);
        while ((c = first_char(t)) == '\\')
            if (!continuation(t)) return TOKEN_ERRORTOKEN;
        if (c == END) return t->done == DONE_END ? TOKEN_ENDMARKER : TOKEN_ERRORTOKEN;
        if (c == '#') return type_comment(t, blank, span);
        if (c != '\n') break;
        if (newline(t, blank, span) == TOKEN_NEWLINE) return TOKEN_NEWLINE;
    }
    TokenType type = token_from(t, c);
    if (type != TOKEN_ERRORTOKEN) *span = (Span){t->start, t->cur};
    return type;
}

// ---- keywords

typedef struct Keyword {
    const char *word;
    uint8_t size, type;
} Keyword;

static const Keyword keywords[] = {
#define TOKEN(name, number, text)
#define KEYWORD(word) {#word, sizeof #word - 1, TOKEN_##word},
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
    {"async", 5, TOKEN_ASYNC},
    {"await", 5, TOKEN_AWAIT},
};

// No two keywords share a slot.
static inline unsigned keyword_slot(const char *name, size_t size)
{
    unsigned first = (unsigned char)name[0], second = (unsigned char)name[1];
    unsigned last = (unsigned char)name[size - 1];
    return (first + second + last + (unsigned)size * 15) & 255;
}

TokenType keyword_type(const char *name, size_t size)
{
    static uint8_t slots[256];
    if (!slots[keyword_slot("if", 2)])
        for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
            slots[keyword_slot(keywords[i].word, keywords[i].size)] = (uint8_t)(i + 1);
    if (size < 2) return TOKEN_NAME;
    unsigned index = slots[keyword_slot(name, size)];
    if (index == 0) return TOKEN_NAME;
    const Keyword *keyword = &keywords[index - 1];
    if (keyword->size != size || memcmp(keyword->word, name, size)) return TOKEN_NAME;
    return keyword->type;
}
