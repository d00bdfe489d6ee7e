// The patterns are those of CPython's tokenize.py, tried in its order: continuation, comment,
// triple-quoted string, number, operator, string, name. Where a pattern would backtrack, the
// function that stands for it says what comes of that.
#include "compiler/tokens/line_tokens.h"

#include "compiler/tokens/tokenizer.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/text/unicode.h"

#define NO_MATCH (-1)
#define LINE_END (-1) // the character after the last one

// One line while its tokens are read.
typedef struct Scan {
    LineTokens *state;
    ValueRef line, tokens;
    ssize_t length;
} Scan;

static const char *const spellings[] = {
#define TOKEN(name, number, text) [number] = text,
#define KEYWORD(word)
#include "compiler/tokens/tokens.def"
#undef TOKEN
#undef KEYWORD
};

const char *token_spelling(int type)
{
    return spellings[type];
}

void line_tokens_begin(LineTokens *state)
{
    *state = (LineTokens){.number = 0};
}

void line_tokens_finish(LineTokens *state)
{
    drop_slot(&state->last_line);
    drop_slot(&state->open);
    memory_free(state->indents);
}

static int32_t char_at(const Scan *s, ssize_t i)
{
    return i < s->length ? (int32_t)str_at(as_str(s->line), i) : LINE_END;
}

static TextPosition here(const Scan *s, ssize_t column)
{
    return (TextPosition){s->state->number, column};
}

// ---- output

static Value pair(TextPosition position)
{
    return tuple_pack(2, from_small(position.line), from_small(position.column));
}

// Takes over `text`.
static bool put_token(const Scan *s, int type, TextPosition from, TextPosition to, Value text,
                      ValueRef line)
{
    Value begin = pair(from), end = pair(to);
    Value token = text && begin && end ? tuple_pack(5, from_small(type), text, begin, end, line)
                                       : VALUE_ERROR;
    drop(text);
    drop(begin);
    drop(end);
    return list_append_owned(s->tokens, token);
}

static bool put_span(const Scan *s, int type, ssize_t begin, ssize_t end)
{
    return put_token(s, type, here(s, begin), here(s, end), str_substring(s->line, begin, end),
                     s->line);
}

// A token after the last line.
static bool put_empty(const Scan *s, int type, TextPosition from, TextPosition to)
{
    Value line = str_from_ascii("", 0);
    bool done = line && put_token(s, type, from, to, retain(line), line);
    drop(line);
    return done;
}

static bool fail(const Scan *s, const char *message, TextPosition where)
{
    s->state->failure = message;
    s->state->failure_position = where;
    s->state->ended = true;
    return true;
}

// ---- patterns: each returns where its match ends, or NO_MATCH

static bool is_decimal(int32_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_binary(int32_t c)
{
    return c == '0' || c == '1';
}

static bool is_octal(int32_t c)
{
    return c >= '0' && c <= '7';
}

static bool is_zero(int32_t c)
{
    return c == '0';
}

static int32_t lower(int32_t c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static bool is_hex(int32_t c)
{
    return is_decimal(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

// digits with single underscores between them
static ssize_t match_digits(const Scan *s, ssize_t i, bool (*is_digit)(int32_t))
{
    if (!is_digit(char_at(s, i))) return NO_MATCH;
    for (;;)
        if (is_digit(char_at(s, i)))
            i++;
        else if (char_at(s, i) == '_' && is_digit(char_at(s, i + 1)))
            i += 2;
        else
            return i;
}

static ssize_t match_exponent(const Scan *s, ssize_t i)
{
    if (lower(char_at(s, i)) != 'e') return NO_MATCH;
    int32_t sign = char_at(s, i + 1);
    return match_digits(s, sign == '+' || sign == '-' ? i + 2 : i + 1, is_decimal);
}

static ssize_t match_float(const Scan *s, ssize_t i)
{
    ssize_t point = match_digits(s, i, is_decimal);
    bool has_digits = point != NO_MATCH;
    if (!has_digits) point = i;
    if (char_at(s, point) != '.') return has_digits ? match_exponent(s, point) : NO_MATCH;
    ssize_t end = match_digits(s, point + 1, is_decimal);
    if (end == NO_MATCH && !has_digits) return NO_MATCH;
    if (end == NO_MATCH) end = point + 1;
    ssize_t exponent = match_exponent(s, end);
    return exponent != NO_MATCH ? exponent : end;
}

static ssize_t match_integer(const Scan *s, ssize_t i)
{
    if (char_at(s, i) != '0') return match_digits(s, i, is_decimal);
    int32_t kind = lower(char_at(s, i + 1));
    bool (*is_digit)(int32_t) = kind == 'x'   ? is_hex
                                : kind == 'b' ? is_binary
                                : kind == 'o' ? is_octal
                                              : NULL;
    ssize_t begin = char_at(s, i + 2) == '_' ? i + 3 : i + 2;
    ssize_t end = is_digit ? match_digits(s, begin, is_digit) : NO_MATCH;
    return end != NO_MATCH ? end : match_digits(s, i, is_zero);
}

static ssize_t match_number(const Scan *s, ssize_t i)
{
    ssize_t end = match_float(s, i);
    bool is_float = end != NO_MATCH;
    if (!is_float) end = match_digits(s, i, is_decimal);
    if (end != NO_MATCH && lower(char_at(s, end)) == 'j') return end + 1;
    return is_float ? end : match_integer(s, i);
}

static bool has_spelling(const Scan *s, ssize_t i, const char *spelling)
{
    for (; *spelling; spelling++, i++)
        if (char_at(s, i) != *spelling) return false;
    return true;
}

// The longest operator.
static ssize_t match_operator(const Scan *s, ssize_t i)
{
    ssize_t longest = 0;
    for (int type = 0; type < TOKEN_KEYWORDS; type++) {
        if (!spellings[type] || !has_spelling(s, i, spellings[type])) continue;
        ssize_t size = (ssize_t)strlen(spellings[type]);
        if (size > longest) longest = size;
    }
    return longest ? i + longest : NO_MATCH;
}

static ssize_t match_newline(const Scan *s, ssize_t i)
{
    if (char_at(s, i) == '\n') return i + 1;
    return char_at(s, i) == '\r' && char_at(s, i + 1) == '\n' ? i + 2 : NO_MATCH;
}

// Here it is the opening quote that is returned: r, b, f, u, br and fr may stand before it.
static ssize_t match_prefix(const Scan *s, ssize_t i)
{
    bool is_raw = false;
    int32_t kind = 0;
    for (;; i++) {
        int32_t c = lower(char_at(s, i));
        if (c == '\'' || c == '"') return is_raw && kind == 'u' ? NO_MATCH : i;
        if (c == 'r' && !is_raw)
            is_raw = true;
        else if ((c == 'b' || c == 'f' || c == 'u') && !kind)
            kind = c;
        else
            return NO_MATCH;
    }
}

static bool is_triple_quote(const Scan *s, ssize_t i)
{
    return char_at(s, i) == char_at(s, i + 1) && char_at(s, i) == char_at(s, i + 2);
}

// The end of the string whose quote the state has, from inside it. A backslash takes any character
// with it but a newline: with that one the string does not end here, whatever follows.
static ssize_t match_string_end(const Scan *s, ssize_t i)
{
    const LineTokens *state = s->state;
    for (; i < s->length; i++) {
        if (char_at(s, i) == '\\') {
            if (++i == s->length || char_at(s, i) == '\n') return NO_MATCH;
        } else if (char_at(s, i) == (int32_t)state->quote) {
            if (!state->is_triple) return i + 1;
            if (is_triple_quote(s, i)) return i + 3;
        }
    }
    return NO_MATCH;
}

// A string in single quotes, from after its opening one: up to the closing one, or to the newline
// after a backslash.
static ssize_t match_first_part(const Scan *s, ssize_t i, int32_t quote)
{
    for (; i < s->length && char_at(s, i) != '\n'; i++) {
        if (char_at(s, i) == quote) return i + 1;
        if (char_at(s, i) != '\\') continue;
        ssize_t newline = match_newline(s, i + 1);
        if (newline != NO_MATCH) return newline;
        i++;
    }
    return NO_MATCH;
}

static bool is_word(int32_t c)
{
    uint32_t point = (uint32_t)c;
    return c == '_' || (c != LINE_END && (unicode_is_alpha(point) || unicode_is_decimal(point) ||
                                          unicode_is_digit(point) || unicode_is_numeric(point)));
}

static ssize_t match_name(const Scan *s, ssize_t i)
{
    ssize_t end = i;
    while (is_word(char_at(s, end))) end++;
    return end > i ? end : NO_MATCH;
}

// ---- tokens: each function puts one and sets *at to where it ends

static bool read_span(const Scan *s, int type, ssize_t begin, ssize_t end, ssize_t *at)
{
    *at = end;
    return put_span(s, type, begin, end);
}

// A string that begins here and does not end in this line.
static bool open_string(const Scan *s, ssize_t begin, ssize_t *at)
{
    s->state->open = retain(s->line);
    s->state->open_position = here(s, begin);
    *at = s->length;
    return true;
}

static bool read_triple_quoted(const Scan *s, ssize_t begin, ssize_t quote, ssize_t *at)
{
    s->state->quote = (uint32_t)char_at(s, quote);
    s->state->is_triple = true;
    ssize_t end = match_string_end(s, quote + 3);
    if (end == NO_MATCH) return open_string(s, begin, at);
    return read_span(s, TOKEN_STRING, begin, end, at);
}

// `end` is what match_first_part() has found.
static bool read_quoted(const Scan *s, ssize_t begin, ssize_t quote, ssize_t end, ssize_t *at)
{
    if (char_at(s, end - 1) != '\n') return read_span(s, TOKEN_STRING, begin, end, at);
    s->state->quote = (uint32_t)char_at(s, quote);
    s->state->is_triple = false;
    s->state->needs_backslash = true;
    return open_string(s, begin, at);
}

static bool read_comment(const Scan *s, ssize_t begin, ssize_t *at)
{
    ssize_t end = begin;
    while (end < s->length && char_at(s, end) != '\n' && char_at(s, end) != '\r') end++;
    return read_span(s, TOKEN_COMMENT, begin, end, at);
}

static bool read_operator(const Scan *s, ssize_t begin, ssize_t end, ssize_t *at)
{
    int32_t c = char_at(s, begin);
    s->state->nesting += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    return read_span(s, TOKEN_OP, begin, end, at);
}

// A digit that is no decimal one may stand in a name, but not begin it.
static bool read_name(const Scan *s, ssize_t begin, ssize_t end, ssize_t *at)
{
    uint32_t point = (uint32_t)char_at(s, begin);
    bool is_name = point == '_' || unicode_is_identifier_start(point);
    return read_span(s, is_name ? TOKEN_NAME : TOKEN_OP, begin, end, at);
}

// What is neither white space nor a string of any kind; NO_MATCH in *at where it is nothing.
static bool read_plain(const Scan *s, ssize_t begin, ssize_t *at)
{
    ssize_t end;
    if ((end = match_number(s, begin)) != NO_MATCH)
        return read_span(s, TOKEN_NUMBER, begin, end, at);
    if ((end = match_newline(s, begin)) != NO_MATCH)
        return read_span(s, s->state->nesting > 0 ? TOKEN_NL : TOKEN_NEWLINE, begin, end, at);
    if ((end = match_operator(s, begin)) != NO_MATCH) return read_operator(s, begin, end, at);
    ssize_t quote = match_prefix(s, begin);
    end = quote == NO_MATCH ? NO_MATCH : match_first_part(s, quote + 1, char_at(s, quote));
    if (end != NO_MATCH) return read_quoted(s, begin, quote, end, at);
    if ((end = match_name(s, begin)) != NO_MATCH) return read_name(s, begin, end, at);
    *at = NO_MATCH;
    return true;
}

// Reads one token and the white space before it.
static bool read_token(const Scan *s, ssize_t *at)
{
    ssize_t first = *at, begin = first, end;
    int32_t c;
    while ((c = char_at(s, begin)) == ' ' || c == '\t' || c == '\f') begin++;
    if (c == LINE_END) {
        *at = begin;
        return true;
    }
    if (c == '\\' && (end = match_newline(s, begin + 1)) != NO_MATCH) {
        s->state->continued = true;
        *at = end;
        return true;
    }
    if (c == '#') return read_comment(s, begin, at);
    ssize_t quote = match_prefix(s, begin);
    if (quote != NO_MATCH && is_triple_quote(s, quote))
        return read_triple_quoted(s, begin, quote, at);
    if (!read_plain(s, begin, at)) return false;
    // A pattern has failed as a whole, its white space included: so a blank is the wrong character.
    return *at != NO_MATCH || read_span(s, TOKEN_ERRORTOKEN, first, first + 1, at);
}

// ---- lines: *at is where the line's tokens begin, its length where it has none

static bool ends_in_backslash(const Scan *s)
{
    ssize_t end = s->length;
    if (end < 2 || char_at(s, end - 1) != '\n') return false;
    if (char_at(s, end - 2) == '\r') end--;
    return end >= 2 && char_at(s, end - 2) == '\\';
}

// The string that goes on ends in this line, at `end`. What was open is no longer.
static bool put_string(const Scan *s, int type, ssize_t end)
{
    LineTokens *state = s->state;
    Value whole = str_concat(state->open, s->line);
    Value text = VALUE_ERROR;
    if (whole)
        text = str_substring(whole, state->open_position.column, str_length(state->open) + end);
    ValueRef shown = type == TOKEN_STRING ? whole : state->open;
    bool done = text && put_token(s, type, state->open_position, here(s, end), text, shown);
    drop(whole);
    drop_slot(&state->open);
    return done;
}

// After an error `needs_backslash` stays, as in tokenize.py: the next string in triple quotes needs
// one too.
static bool go_on_in_string(const Scan *s, ssize_t *at)
{
    LineTokens *state = s->state;
    ssize_t end = match_string_end(s, 0);
    *at = end == NO_MATCH ? s->length : end;
    if (end != NO_MATCH) {
        state->needs_backslash = false;
        return put_string(s, TOKEN_STRING, end);
    }
    if (state->needs_backslash && !ends_in_backslash(s))
        return put_string(s, TOKEN_ERRORTOKEN, s->length);
    return str_append(&state->open, s->line);
}

static ssize_t measure_indent(const Scan *s, ssize_t *column)
{
    ssize_t i = 0;
    *column = 0;
    for (; i < s->length; i++) {
        int32_t c = char_at(s, i);
        if (c == ' ')
            ++*column;
        else if (c == '\t')
            *column = (*column / TAB_SIZE + 1) * TAB_SIZE;
        else if (c == '\f')
            *column = 0;
        else
            break;
    }
    return i;
}

static ssize_t current_indent(const LineTokens *state)
{
    return state->indent_count ? state->indents[state->indent_count - 1] : 0;
}

static bool push_indent(LineTokens *state, ssize_t column)
{
    if (state->indent_count == state->indent_capacity) {
        size_t capacity = state->indent_capacity ? 2 * state->indent_capacity : 16;
        ssize_t *grown = memory_resize(state->indents, capacity * sizeof *grown);
        if (!grown) return raise_memory_error();
        state->indents = grown;
        state->indent_capacity = capacity;
    }
    state->indents[state->indent_count++] = column;
    return true;
}

static bool is_open_indent(const LineTokens *state, ssize_t column)
{
    for (size_t i = 0; i < state->indent_count; i++)
        if (state->indents[i] == column) return true;
    return column == 0;
}

static bool read_indent(const Scan *s, ssize_t column, ssize_t at)
{
    LineTokens *state = s->state;
    if (column > current_indent(state))
        return push_indent(state, column) && put_span(s, TOKEN_INDENT, 0, at);
    while (column < current_indent(state)) {
        if (!is_open_indent(state, column))
            return fail(s, "unindent does not match any outer indentation level", here(s, at));
        state->indent_count--;
        if (!put_span(s, TOKEN_DEDENT, at, at)) return false;
    }
    return true;
}

// A line without a statement. Here a \r within a comment belongs to it: only those at its end are
// cut off.
static bool read_blank(const Scan *s, ssize_t begin)
{
    ssize_t end = begin;
    if (char_at(s, begin) == '#') {
        end = s->length;
        while (char_at(s, end - 1) == '\r' || char_at(s, end - 1) == '\n') end--;
        if (!put_span(s, TOKEN_COMMENT, begin, end)) return false;
    }
    return put_span(s, TOKEN_NL, end, s->length);
}

static bool needs_newline(const LineTokens *state)
{
    ssize_t length = state->last_line ? str_length(state->last_line) : 0, i = 0;
    if (!length) return false;
    const Str *line = as_str(state->last_line);
    if (str_at(line, length - 1) == '\n' || str_at(line, length - 1) == '\r') return false;
    while (i < length && unicode_is_space(str_at(line, i))) i++;
    return i == length || str_at(line, i) != '#';
}

// An implicit NEWLINE if the text does not end in one, then what closes the blocks.
static bool end_text(const Scan *s)
{
    LineTokens *state = s->state;
    state->ended = true;
    if (needs_newline(state)) {
        TextPosition from = {state->number - 1, str_length(state->last_line)};
        TextPosition to = {from.line, from.column + 1};
        if (!put_empty(s, TOKEN_NEWLINE, from, to)) return false;
    }
    for (; state->indent_count; state->indent_count--)
        if (!put_empty(s, TOKEN_DEDENT, here(s, 0), here(s, 0))) return false;
    return put_empty(s, TOKEN_ENDMARKER, here(s, 0), here(s, 0));
}

// The first line of a statement.
static bool begin_statement(const Scan *s, ssize_t *at)
{
    ssize_t column;
    *at = measure_indent(s, &column);
    if (*at == s->length) return end_text(s);
    int32_t c = char_at(s, *at);
    if (c != '#' && c != '\r' && c != '\n') return read_indent(s, column, *at);
    ssize_t begin = *at;
    *at = s->length;
    return read_blank(s, begin);
}

static bool read_line(const Scan *s)
{
    LineTokens *state = s->state;
    ssize_t at = 0;
    bool done = true;
    if (state->open)
        done = go_on_in_string(s, &at);
    else if (state->nesting == 0 && !state->continued)
        done = begin_statement(s, &at);
    else
        state->continued = false;
    while (done && !state->ended && at < s->length) done = read_token(s, &at);
    return done;
}

static bool read_end(const Scan *s)
{
    LineTokens *state = s->state;
    if (state->open) return fail(s, "EOF in multi-line string", state->open_position);
    if (state->nesting || state->continued)
        return fail(s, "EOF in multi-line statement", here(s, 0));
    return end_text(s);
}

bool line_tokens_feed(LineTokens *state, ValueRef line, ValueRef tokens)
{
    invariant(!state->ended, "after its end a text has no lines");
    Scan s = {.state = state, .line = line, .tokens = tokens, .length = str_length(line)};
    state->number++;
    bool done = s.length ? read_line(&s) : read_end(&s);
    if (done) replace_slot(&state->last_line, retain(line));
    return done;
}
