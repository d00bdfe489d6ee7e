// The tokens of a text as the module `tokenize` has them, in a list; and, for --tokens, as
// `python3.9 -m tokenize` prints them:
//
//     1,0-1,5:            NAME           'print'
//
// That is not what the parser sees. The module `tokenize` is a tokenizer of its own, made of
// regular expressions: it keeps comments (COMMENT), line ends that end no statement (NL) and what
// it does not know (ERRORTOKEN), and calls every operator OP. Its patterns are tried here in its
// order: continuation, comment, triple-quoted string, number, operator, string, name. Columns count
// characters.
#include "compiler/tokens/tokenizer.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"

#include <ctype.h>
#include <stdio.h>

typedef struct TextPosition {
    int line, column;
} TextPosition;

typedef struct Dump {
    Arena *arena;
    ValueRef filename, tokens;
    ValueRef shown; // the text of the current line
    const char *shown_begin, *shown_end;
    const char *text, *end;      // of the source
    const char *line, *line_end; // the current line, its newline included
    const char *last, *last_end; // the one before
    int number;                  // of the current line
    const char *counted;         // an address in the current line whose column is known: `columns`
    int columns;
    int nesting;
    bool continued;     // by a backslash
    const char *string; // a string that goes on from an earlier line, or NULL
    TextPosition string_position;
    char quote;
    bool is_triple;
    int indents[MAX_INDENT * 10], indent;
} Dump;

static const char *const type_names[] = {
#define TOKEN(name, number, text) [number] = #name,
#define KEYWORD(word)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
};

static const char *const operators[] = {
#define TOKEN(name, number, text) [number] = text,
#define KEYWORD(word)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
};

// ---- output

// The line as a token shows it: all lines of a string that goes over several.
static ValueRef shown_line(Dump *d)
{
    const char *begin = d->string ? d->string : d->line;
    while (d->string && begin > d->text && begin[-1] != '\n') begin--;
    if (!d->shown || begin != d->shown_begin || d->line_end != d->shown_end) {
        d->shown = arena_hold(d->arena, str_from_utf8(begin, (size_t)(d->line_end - begin)));
        d->shown_begin = begin;
        d->shown_end = d->line_end;
    }
    return d->shown;
}

static Value pair(TextPosition position)
{
    return tuple_pack(2, from_small(position.line), from_small(position.column));
}

// (type, text, (line, column), (line, column), line)
static void put_token(Dump *d, int type, TextPosition from, TextPosition to, const char *text,
                      size_t size)
{
    ValueRef line = shown_line(d);
    Value string = str_from_utf8(text, size), begin = pair(from), end = pair(to);
    Value token = string && begin && end ? tuple_pack(5, from_small(type), string, begin, end, line)
                                         : VALUE_ERROR;
    drop(string);
    drop(begin);
    drop(end);
    if (!list_append_owned(d->tokens, token)) arena_fail(d->arena);
}

// Counts columns from the address of the previous call, if that is before `cur` in the same line.
static TextPosition position_of(Dump *d, const char *cur)
{
    if (d->counted <= d->line || d->counted > cur) {
        d->counted = d->line;
        d->columns = 0;
    }
    for (; d->counted < cur; d->counted++) d->columns += (*d->counted & 0xC0) != 0x80;
    return (TextPosition){d->number, d->columns};
}

static void put_span(Dump *d, int type, const char *begin, const char *end)
{
    TextPosition from = position_of(d, begin); // before the end: see position_of()
    put_token(d, type, from, position_of(d, end), begin, (size_t)(end - begin));
}

static _Noreturn void fail(Dump *d, Type *type, const char *message, TextPosition where)
{
    raise_syntax_error(type, message, d->filename, where.line, where.column, NONE);
    arena_fail(d->arena);
}

// ---- patterns: each returns where its match ends, NULL = none

// digits with single underscores between them
static const char *match_digits(const char *c, int (*is_digit)(int))
{
    if (!is_digit((unsigned char)*c)) return NULL;
    for (;;) {
        if (is_digit((unsigned char)*c))
            c++;
        else if (*c == '_' && is_digit((unsigned char)c[1]))
            c += 2;
        else
            return c;
    }
}

static int is_binary_digit(int c)
{
    return c == '0' || c == '1';
}

static int is_octal_digit(int c)
{
    return c >= '0' && c <= '7';
}

static int is_zero(int c)
{
    return c == '0';
}

static const char *match_exponent(const char *c)
{
    if (*c != 'e' && *c != 'E') return NULL;
    c++;
    if (*c == '+' || *c == '-') c++;
    return match_digits(c, isdigit);
}

static const char *match_float(const char *c)
{
    const char *digits = match_digits(c, isdigit), *exponent;
    if (digits && *digits != '.') return match_exponent(digits);
    if (!digits && *c != '.') return NULL;
    const char *fraction = match_digits(digits ? digits + 1 : c + 1, isdigit);
    if (!digits && !fraction) return NULL;
    c = fraction ? fraction : digits + 1;
    exponent = match_exponent(c);
    return exponent ? exponent : c;
}

static const char *match_integer(const char *c)
{
    if (*c != '0') return match_digits(c, isdigit);
    char kind = c[1] | 0x20;
    int (*is_digit)(int) = kind == 'x' ? isxdigit : kind == 'b' ? is_binary_digit : is_octal_digit;
    if (kind == 'x' || kind == 'b' || kind == 'o') {
        const char *digits = match_digits(c[2] == '_' ? c + 3 : c + 2, is_digit);
        if (digits) return digits;
    }
    return match_digits(c, is_zero);
}

static const char *match_number(const char *c)
{
    const char *number = match_float(c);
    if (!number) {
        const char *digits = match_digits(c, isdigit);
        if (digits && (*digits | 0x20) == 'j') return digits + 1;
        return match_integer(c);
    }
    return (*number | 0x20) == 'j' ? number + 1 : number;
}

static const char *match_operator(const char *c)
{
    size_t longest = 0;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!operators[i]) continue;
        size_t size = strlen(operators[i]);
        if (size > longest && !strncmp(c, operators[i], size)) longest = size;
    }
    return longest ? c + longest : NULL;
}

static const char *match_newline(const char *c)
{
    return *c == '\n' ? c + 1 : NULL;
}

// The quote after a string's prefix, or NULL.
static const char *match_prefix(const char *c)
{
    int letters[256] = {0};
    for (int length = 0; length <= 2; length++, c++) {
        if (*c == '\'' || *c == '"') break;
        int letter = (unsigned char)*c | 0x20;
        if (!strchr("brfu", letter) || ++letters[letter] > 1) return NULL;
        if (length == 2) return NULL;
    }
    bool combines = letters['b'] + letters['f'] + letters['u'] <= 1;
    return combines && !(letters['u'] && letters['r']) ? c : NULL;
}

static bool is_triple_quote(const char *c)
{
    return c[0] == c[1] && c[1] == c[2];
}

// The end of a string from inside it, in this line; NULL = it does not end here.
static const char *match_string_end(const Dump *d, const char *c)
{
    for (; c < d->line_end; c++) {
        if (*c == '\\') {
            if (++c >= d->line_end || *c == '\n') return NULL;
        } else if (*c == d->quote) {
            if (!d->is_triple) return c + 1;
            if (is_triple_quote(c)) return c + 3;
        }
    }
    return NULL;
}

// A string in single quotes after its opening one: up to the closing quote, or after a backslash
// and a newline.
static const char *match_continued_string(const char *c, char quote)
{
    for (; *c && *c != '\n'; c++) {
        if (*c == quote) return c + 1;
        if (*c != '\\') continue;
        c++;
        if (*c == '\n') return c + 1;
        if (!*c) return NULL;
    }
    return NULL;
}

static const char *read_point(const char *c, uint32_t *point)
{
    unsigned char lead = (unsigned char)*c++;
    *point = lead < 0x80 ? lead : lead < 0xE0 ? lead & 0x1F : lead < 0xF0 ? lead & 0x0F : lead & 7;
    while ((*c & 0xC0) == 0x80) *point = *point << 6 | (*c++ & 0x3F);
    return c;
}

static const char *match_name(const char *c)
{
    const char *begin = c;
    for (;;) {
        uint32_t point;
        const char *next = read_point(c, &point);
        bool is_word = point == '_' || unicode_is_alpha(point) || unicode_is_decimal(point) ||
                       unicode_is_digit(point) || unicode_is_numeric(point);
        if (!is_word) return c > begin ? c : NULL;
        c = next;
    }
}

// ---- tokens

// Reads a string, whose quote is at `quote`, and returns where it ends. NULL = it ends in a later
// line: d->string notes where it began. NULL and *is_string false: this is no string.
static const char *read_string(Dump *d, const char *begin, const char *quote, bool *is_string)
{
    const char *end;
    d->quote = *quote;
    d->is_triple = is_triple_quote(quote);
    if (d->is_triple) {
        end = match_string_end(d, quote + 3);
        *is_string = true;
    } else {
        end = match_continued_string(quote + 1, *quote);
        *is_string = end != NULL;
        if (end && end[-1] == '\n') end = NULL;
    }
    if (end) put_span(d, TOKEN_STRING, begin, end);
    if (*is_string && !end) {
        d->string = begin;
        d->string_position = position_of(d, begin);
    }
    return end;
}

static const char *read_comment(Dump *d, const char *begin)
{
    const char *end = begin;
    while (end < d->line_end && *end != '\n') end++;
    put_span(d, TOKEN_COMMENT, begin, end);
    return end;
}

static const char *read_operator(Dump *d, const char *begin, const char *end)
{
    char c = *begin;
    d->nesting += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    put_span(d, TOKEN_OP, begin, end);
    return end;
}

static const char *read_newline(Dump *d, const char *begin)
{
    put_span(d, d->nesting > 0 ? TOKEN_NL : TOKEN_NEWLINE, begin, begin + 1);
    return begin + 1;
}

// Reads one token and the white space before it. Returns where the next one begins, which is the
// line's end if a string goes on in the next line.
static const char *read_token(Dump *d, const char *cur)
{
    const char *c = cur, *end;
    while (*c == ' ' || *c == '\t' || *c == '\f') c++;
    if (c == d->line_end) return c;
    if (c[0] == '\\' && c[1] == '\n') {
        d->continued = true;
        return c + 2;
    }
    if (*c == '#') return read_comment(d, c);
    const char *quote = match_prefix(c);
    bool is_string = false;
    if (quote && is_triple_quote(quote)) {
        end = read_string(d, c, quote, &is_string);
        return end ? end : d->line_end;
    }
    if ((end = match_number(c))) {
        put_span(d, TOKEN_NUMBER, c, end);
        return end;
    }
    if (match_newline(c)) return read_newline(d, c);
    if ((end = match_operator(c))) return read_operator(d, c, end);
    if (quote) {
        end = read_string(d, c, quote, &is_string);
        if (is_string) return end ? end : d->line_end;
    }
    uint32_t point;
    if ((end = match_name(c))) {
        read_point(c, &point);
        bool is_name = point == '_' || unicode_is_identifier_start(point);
        put_span(d, is_name ? TOKEN_NAME : TOKEN_OP, c, end);
        return end;
    }
    end = read_point(cur, &point);
    put_span(d, TOKEN_ERRORTOKEN, cur, end);
    return end;
}

// ---- lines

static bool next_line(Dump *d)
{
    d->last = d->line;
    d->last_end = d->line_end;
    d->line = d->line_end;
    d->number++;
    if (d->line == d->end) return false;
    const char *newline = memchr(d->line, '\n', (size_t)(d->end - d->line));
    d->line_end = newline ? newline + 1 : d->end;
    return true;
}

// A line in a string that began before: where its tokens begin, NULL = the string goes on.
static const char *go_on_in_string(Dump *d)
{
    const char *end = match_string_end(d, d->line);
    bool ends_in_backslash = d->line_end - d->line >= 2 && d->line_end[-2] == '\\';
    int type = TOKEN_STRING;
    if (!end) {
        if (d->is_triple || ends_in_backslash) return NULL;
        type = TOKEN_ERRORTOKEN;
        end = d->line_end;
    }
    put_token(d, type, d->string_position, position_of(d, end), d->string,
              (size_t)(end - d->string));
    d->string = NULL;
    return end;
}

static const char *measure_indent(const Dump *d, int *column)
{
    const char *c = d->line;
    *column = 0;
    for (; c < d->line_end; c++) {
        if (*c == ' ')
            ++*column;
        else if (*c == '\t')
            *column = (*column / TAB_SIZE + 1) * TAB_SIZE;
        else if (*c == '\f')
            *column = 0;
        else
            break;
    }
    return c;
}

static void put_dedents(Dump *d, int column, const char *cur)
{
    while (column < d->indents[d->indent]) {
        d->indent--;
        if (column > d->indents[d->indent])
            fail(d, IndentationError, "unindent does not match any outer indentation level",
                 position_of(d, cur));
        put_span(d, TOKEN_DEDENT, cur, cur);
    }
}

// The beginning of a line that begins a statement: where its tokens begin, NULL = it has none.
static const char *begin_statement(Dump *d)
{
    int column;
    const char *c = measure_indent(d, &column);
    if (c == d->line_end) return NULL;
    if (*c == '#' || *c == '\n') {
        if (*c == '#') c = read_comment(d, c);
        put_span(d, TOKEN_NL, c, d->line_end);
        return NULL;
    }
    if (column > d->indents[d->indent]) {
        if (d->indent + 1 == (int)(sizeof d->indents / sizeof *d->indents))
            fail(d, IndentationError, "too many levels of indentation", position_of(d, c));
        d->indents[++d->indent] = column;
        put_span(d, TOKEN_INDENT, d->line, c);
    }
    put_dedents(d, column, c);
    return c;
}

static void dump_line(Dump *d)
{
    const char *c = d->line;
    if (d->string)
        c = go_on_in_string(d);
    else if (d->nesting == 0 && !d->continued)
        c = begin_statement(d);
    d->continued = false;
    while (c && c < d->line_end) c = read_token(d, c);
}

static bool is_comment(const char *line, const char *end)
{
    while (line < end && isspace((unsigned char)*line)) line++;
    return line < end && *line == '#';
}

static void dump_end(Dump *d)
{
    if (d->string) fail(d, SyntaxError, "EOF in multi-line string", d->string_position);
    TextPosition end = {d->number, 0};
    if (d->nesting > 0 || d->continued) fail(d, SyntaxError, "EOF in multi-line statement", end);
    bool is_open = d->last_end > d->last && d->last_end[-1] != '\n';
    if (is_open && !is_comment(d->last, d->last_end)) {
        d->line = d->last;
        int column = position_of(d, d->last_end).column, line = d->number - 1;
        d->line = d->line_end;
        put_token(d, TOKEN_NEWLINE, (TextPosition){line, column}, (TextPosition){line, column + 1},
                  "", 0);
    }
    for (int i = 0; i < d->indent; i++) put_token(d, TOKEN_DEDENT, end, end, "", 0);
    put_token(d, TOKEN_ENDMARKER, end, end, "", 0);
}

static void dump_all(Dump *d, const Source *source)
{
    const char *encoding = source->encoding ? source->encoding : "utf-8";
    d->text = d->line = d->line_end = d->last = d->last_end = source->text;
    d->end = source->end;
    put_token(d, TOKEN_ENCODING, (TextPosition){0, 0}, (TextPosition){0, 0}, encoding,
              strlen(encoding));
    if (!source->ended_with_newline && d->end > d->text) d->end--;
    while (next_line(d)) dump_line(d);
    dump_end(d);
}

// Not inlined: gcc warns of variables that lie in the function of a setjmp().
static __attribute__((noinline)) void collect(Arena *arena, ValueRef list, const char *text,
                                              size_t size, const CompileOptions *options)
{
    Source *source = arena_alloc(arena, sizeof *source);
    Dump *d = arena_alloc(arena, sizeof *d);
    d->arena = arena;
    d->filename = options->filename;
    d->tokens = list;
    source_open(arena, source, text, size, options);
    dump_all(d, source);
}

bool tokens_collect(ValueRef list, const char *text, size_t size, const CompileOptions *options)
{
    Arena arena;
    arena_begin(&arena);
    volatile bool done = false;
    if (!setjmp(arena.failure)) {
        collect(&arena, list, text, size, options);
        done = true;
    }
    arena_end(&arena);
    return done;
}

const char *token_name(int type)
{
    return type_names[type];
}

const char *token_spelling(int type)
{
    return operators[type];
}

// ---- as text

static int number_at(ValueRef token, int part, int index)
{
    return (int)small_value(tuple_at(tuple_at(token, part), index));
}

static bool write_token(StrBuilder *builder, ValueRef token)
{
    char range[64], columns[128];
    snprintf(range, sizeof range, "%d,%d-%d,%d:", number_at(token, 2, 0), number_at(token, 2, 1),
             number_at(token, 3, 0), number_at(token, 3, 1));
    int type = (int)small_value(tuple_at(token, 0));
    snprintf(columns, sizeof columns, "%-20s%-15s", range, type_names[type]);
    Value repr = str_repr(tuple_at(token, 1));
    if (!repr) return false;
    ssize_t padding = 15 - str_length(repr);
    bool done = builder_text(builder, columns) && builder_str(builder, repr) &&
                (padding <= 0 || builder_fill(builder, ' ', padding)) &&
                builder_text(builder, "\n");
    drop(repr);
    return done;
}

Value tokens_dump(const char *text, size_t size, const CompileOptions *options)
{
    Value list = list_new(0);
    StrBuilder builder;
    builder_begin(&builder);
    bool done = list && tokens_collect(list, text, size, options);
    for (ssize_t i = 0; done && i < list_size(list); i++)
        done = write_token(&builder, list_at(list, i));
    drop(list);
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}
