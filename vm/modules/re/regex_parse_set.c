// The parser of regular expressions: sets, and escapes for a single character.
#include "objects/error.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"
#include "vm/modules/re/regex_tree.h"

RegexCategory category_of(uint32_t token)
{
    switch (token) {
    case ESCAPED('d'): return CATEGORY_DIGIT;
    case ESCAPED('D'): return CATEGORY_NOT_DIGIT;
    case ESCAPED('s'): return CATEGORY_SPACE;
    case ESCAPED('S'): return CATEGORY_NOT_SPACE;
    case ESCAPED('w'): return CATEGORY_WORD;
    case ESCAPED('W'): return CATEGORY_NOT_WORD;
    default: return CATEGORY_NONE;
    }
}

static _Noreturn void bad_escape(RegexSource *source, const char *what, ssize_t start)
{
    ssize_t end = source_position(source);
    source_error(source, end - start, "%s %S", what, source_slice(source, start, end));
}

// \N{name}: the backslash and the N have been taken.
static uint32_t parse_named(RegexSource *source)
{
    if (!source_match(source, '{')) source_error(source, 0, "missing {");
    ValueRef name = source_until(source, '}', "character name");
    size_t size;
    const char *text = str_utf8(name, &size);
    if (!text) arena_fail(source->arena);
    int64_t point = unicode_by_name(text, size);
    if (point < 0) source_error(source, str_length(name) + 4, "undefined character name %R", name);
    return (uint32_t)point;
}

static uint32_t parse_hexadecimal(RegexSource *source, int digits, ssize_t start)
{
    int count;
    uint32_t value = source_digits(source, 16, digits, &count);
    if (count != digits) bad_escape(source, "incomplete escape", start);
    if (value > 0x10FFFF) bad_escape(source, "bad escape", start);
    return value;
}

bool parse_character_escape(RegexSource *source, uint32_t escaped, ssize_t start, uint32_t *point)
{
    static const char letters[] = "afnrtv\\", meanings[] = "\a\f\n\r\t\v\\";
    const char *letter = escaped && escaped < 128 ? strchr(letters, (int)escaped) : NULL;
    if (letter)
        *point = (uint32_t)meanings[letter - letters];
    else if (escaped == 'x')
        *point = parse_hexadecimal(source, 2, start);
    else if (escaped == 'u' && source->is_text)
        *point = parse_hexadecimal(source, 4, start);
    else if (escaped == 'U' && source->is_text)
        *point = parse_hexadecimal(source, 8, start);
    else if (escaped == 'N' && source->is_text)
        *point = parse_named(source);
    else if (is_ascii_letter(escaped))
        bad_escape(source, "bad escape", start);
    else
        *point = escaped;
    return !is_digit(escaped);
}

static uint32_t parse_octal(RegexSource *source, uint32_t first, ssize_t start)
{
    int count;
    if (!is_octal(first)) bad_escape(source, "bad escape", start);
    uint32_t rest = source_digits(source, 8, 2, &count);
    uint32_t value = ((first - '0') << 3 * count) + rest;
    if (value <= 0377) return value;
    ssize_t end = source_position(source);
    source_error(source, end - start, "octal escape value %S outside of range 0-0o377",
                 source_slice(source, start, end));
}

// One end of a range, or a category; `token` has been taken and began at `start`.
static RegexItem parse_item(RegexSource *source, uint32_t token, ssize_t start)
{
    RegexItem item = {.category = category_of(token), .low = token, .high = token};
    if (item.category || !(token & TOKEN_ESCAPE)) return item;
    uint32_t escaped = token & ~TOKEN_ESCAPE;
    if (escaped == 'b')
        item.low = '\b';
    else if (!parse_character_escape(source, escaped, start, &item.low))
        item.low = parse_octal(source, escaped, start);
    item.high = item.low;
    return item;
}

// ---- warnings of what may once mean something else

static void warn_future(RegexSource *source, const char *what, ssize_t position)
{
    if (!warn(FutureWarning, 3, "Possible %s at position %zd", what, position))
        arena_fail(source->arena);
}

static void warn_of_operator(RegexSource *source, uint32_t token)
{
    if (token >= 128 || !strchr("-&~|", (int)token) || source->ahead != token) return;
    warn_future(source,
                token == '-'   ? "set difference"
                : token == '&' ? "set intersection"
                : token == '~' ? "set symmetric difference"
                               : "set union",
                source_position(source) - 1);
}

// ---- [...]

typedef struct SetParser {
    RegexSource *source;
    ssize_t start; // of the bracket
    RegexItem *items, **last;
    size_t count;
} SetParser;

static void add_item(SetParser *set, RegexItem item)
{
    RegexItem *copy = arena_alloc(set->source->arena, sizeof *copy);
    *copy = item;
    *set->last = copy;
    set->last = &copy->next;
    set->count++;
}

static uint32_t take_in_set(SetParser *set)
{
    RegexSource *source = set->source;
    uint32_t token = source_take(source);
    if (token == TOKEN_END)
        source_error(source, source_position(source) - set->start, "unterminated character set");
    return token;
}

// item | item "-" item; true at the bracket that ends the set.
static bool parse_range(SetParser *set)
{
    RegexSource *source = set->source;
    ssize_t start = source_position(source);
    uint32_t token = take_in_set(set);
    if (token == ']' && set->count) return true;
    if (set->count) warn_of_operator(source, token);
    ssize_t end = source_position(source);
    RegexItem low = parse_item(source, token, start);
    if (!source_match(source, '-')) {
        add_item(set, low);
        return false;
    }
    ssize_t second = source_position(source);
    token = take_in_set(set);
    if (token == ']') {
        add_item(set, low);
        add_item(set, (RegexItem){.low = '-', .high = '-'});
        return true;
    }
    if (token == '-') warn_future(source, "set difference", source_position(source) - 2);
    ssize_t length = source_position(source) - second;
    RegexItem high = parse_item(source, token, second);
    if (low.category || high.category || high.low < low.low)
        source_error(source, end - start + 1 + length, "bad character range %S-%S",
                     source_slice(source, start, end),
                     source_slice(source, second, second + length));
    add_item(set, (RegexItem){.low = low.low, .high = high.low});
    return false;
}

static bool is_one_character(const RegexItem *items)
{
    for (const RegexItem *item = items; item; item = item->next)
        if (item->category || item->low != item->high || item->low != items->low) return false;
    return true;
}

RegexNode *parse_set(RegexSource *source)
{
    SetParser set = {.source = source, .start = source_position(source) - 1};
    set.last = &set.items;
    if (source->ahead == '[') warn_future(source, "nested set", source_position(source));
    RegexNode *node = arena_alloc(source->arena, sizeof *node);
    bool negative = source_match(source, '^');
    while (!parse_range(&set)) {
    }
    node->min_width = node->max_width = 1;
    node->kind = NODE_SET;
    node->items = set.items;
    node->negative = negative;
    if (is_one_character(set.items)) {
        node->kind = negative ? NODE_NOT_LITERAL : NODE_LITERAL;
        node->value = set.items->low;
    }
    return node;
}
