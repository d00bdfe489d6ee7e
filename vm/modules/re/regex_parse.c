// The parser of regular expressions: recursive descent over the tokens, one function a rule.
//
//     alternatives: sequence ("|" sequence)*
//     sequence:     (atom quantifier?)*
//
// Two of 3.9's rewrites are made here, because later steps depend on them: a common prefix of all
// alternatives is moved before them, and alternatives of one character each become a set. Flags in
// the middle, (?i), apply to the whole pattern. (?x) changes how the pattern is read: the parser
// gives up without an exception, and its caller starts again with that flag.
#include "objects/bytes/bytes.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/stack.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"
#include "vm/modules/re/regex_tree.h"

typedef struct RegexCondition RegexCondition;
struct RegexCondition {
    RegexCondition *next;
    uint32_t group;
    ssize_t position;
};

typedef struct RegexParser {
    RegexSource source;
    int flags;
    ValueRef names;       // dict: the group of each name
    RegexGroup *groups;   // [0] is the whole
    uint32_t group_count; // open ones included
    uint32_t group_capacity;
    uint32_t look_behind_groups; // the number of groups when a look-behind began, 0 = not in one
    RegexCondition *conditions;  // in order; each group that a condition names by number, once
} RegexParser;

static RegexSequence *parse_alternatives(RegexParser *parser, bool verbose, bool outermost);
static RegexSequence *parse_sequence(RegexParser *parser, bool verbose, bool first);

static RegexNode *new_node(RegexParser *parser, RegexKind kind, uint32_t value)
{
    RegexNode *node = arena_alloc(parser->source.arena, sizeof *node);
    node->kind = kind;
    node->value = value;
    node->min_width = node->max_width = kind != NODE_AT;
    return node;
}

static RegexSequence *new_sequence(RegexParser *parser, RegexNode *first, size_t count)
{
    RegexSequence *sequence = arena_alloc(parser->source.arena, sizeof *sequence);
    sequence->first = first;
    sequence->count = count;
    return sequence;
}

static uint64_t at_most(uint64_t number, uint64_t bound)
{
    return number < bound ? number : bound;
}

static void sum_widths(RegexSequence *sequence)
{
    uint64_t least = 0, most = 0;
    for (const RegexNode *node = sequence->first; node; node = node->next) {
        least = at_most(least + node->min_width, RE_MAX_REPEAT - 1);
        most = at_most(most + node->max_width, RE_MAX_REPEAT);
    }
    sequence->min_width = (uint32_t)least;
    sequence->max_width = (uint32_t)most;
}

static void take_widths(RegexNode *node, const RegexSequence *body)
{
    node->min_width = body->min_width;
    node->max_width = body->max_width;
}

// ---- groups

static uint32_t open_group(RegexParser *parser, ValueRef name)
{
    uint32_t number = parser->group_count;
    if (number == parser->group_capacity) {
        uint32_t capacity = number ? number * 2 : 8;
        RegexGroup *groups = arena_alloc(parser->source.arena, capacity * sizeof *groups);
        if (number) memcpy(groups, parser->groups, number * sizeof *groups);
        parser->groups = groups;
        parser->group_capacity = capacity;
    }
    parser->group_count++;
    if (!name) return number;
    ValueRef known = dict_peek(parser->names, name);
    if (known)
        source_error(&parser->source, str_length(name) + 1,
                     "redefinition of group name %R as group %u; was group %S", name, number,
                     known);
    if (!dict_set(parser->names, name, from_small(number))) arena_fail(parser->source.arena);
    return number;
}

static void close_group(RegexParser *parser, uint32_t number, const RegexSequence *body)
{
    parser->groups[number] = (RegexGroup){true, body->min_width, body->max_width};
}

static bool group_is_closed(const RegexParser *parser, uint32_t number)
{
    return number < parser->group_count && parser->groups[number].closed;
}

static void check_look_behind(RegexParser *parser, uint32_t number)
{
    if (!parser->look_behind_groups) return;
    if (!group_is_closed(parser, number))
        source_error(&parser->source, 0, "cannot refer to an open group");
    if (number >= parser->look_behind_groups)
        source_error(&parser->source, 0,
                     "cannot refer to group defined in the same lookbehind subpattern");
}

static RegexNode *refer_back(RegexParser *parser, uint32_t number, ssize_t offset)
{
    if (!group_is_closed(parser, number))
        source_error(&parser->source, offset, "cannot refer to an open group");
    check_look_behind(parser, number);
    RegexNode *node = new_node(parser, NODE_BACKREF, number);
    node->min_width = parser->groups[number].min_width;
    node->max_width = parser->groups[number].max_width;
    return node;
}

// The group that a name means; `name` and its bracket have been taken.
static uint32_t group_named(RegexParser *parser, ValueRef name)
{
    ValueRef number = dict_peek(parser->names, name);
    if (!number) source_error(&parser->source, str_length(name) + 1, "unknown group name %R", name);
    return (uint32_t)small_value(number);
}

static ValueRef parse_group_name(RegexParser *parser, uint32_t terminator)
{
    ValueRef name = source_until(&parser->source, terminator, "group name");
    if (!str_is_identifier(name))
        source_error(&parser->source, str_length(name) + 1, "bad character in group name %R", name);
    return name;
}

// ---- escapes

// \1 to \99, or three octal digits. The backslash and the first digit have been taken.
static RegexNode *parse_number_escape(RegexParser *parser, uint32_t first, ssize_t start)
{
    RegexSource *source = &parser->source;
    uint32_t number = first - '0', second = source->ahead;
    if (is_digit(second)) {
        source_take(source);
        if (is_octal(first) && is_octal(second) && is_octal(source->ahead)) {
            uint32_t value = number * 64 + (second - '0') * 8 + (source_take(source) - '0');
            if (value <= 0377) return new_node(parser, NODE_LITERAL, value);
            source_error(source, source_position(source) - start,
                         "octal escape value %S outside of range 0-0o377",
                         source_slice(source, start, start + 4));
        }
        number = number * 10 + (second - '0');
    }
    ssize_t length = source_position(source) - start;
    if (number < parser->group_count) return refer_back(parser, number, length);
    source_error(source, length - 1, "invalid group reference %u", number);
}

static RegexNode *parse_escape(RegexParser *parser, uint32_t token, ssize_t start)
{
    RegexSource *source = &parser->source;
    uint32_t escaped = token & ~TOKEN_ESCAPE, point;
    int count;
    RegexCategory category = category_of(token);
    if (category) {
        RegexNode *node = new_node(parser, NODE_SET, 0);
        node->items = arena_alloc(source->arena, sizeof *node->items);
        node->items->category = category;
        return node;
    }
    switch (escaped) {
    case 'A': return new_node(parser, NODE_AT, AT_BEGINNING);
    case 'b': return new_node(parser, NODE_AT, AT_BOUNDARY);
    case 'B': return new_node(parser, NODE_AT, AT_NON_BOUNDARY);
    case 'Z': return new_node(parser, NODE_AT, AT_END_STRING);
    case '0': return new_node(parser, NODE_LITERAL, source_digits(source, 8, 2, &count));
    default: break;
    }
    if (parse_character_escape(source, escaped, start, &point))
        return new_node(parser, NODE_LITERAL, point);
    return parse_number_escape(parser, escaped, start);
}

// ---- quantifiers

// The digits of a bound, all of them; RE_MAX_REPEAT where it is too large. False = there is none.
static bool parse_bound(RegexSource *source, uint32_t *bound)
{
    uint64_t value = 0;
    if (!is_digit(source->ahead)) return false;
    while (is_digit(source->ahead))
        value = at_most(value * 10 + (source_take(source) - '0'), RE_MAX_REPEAT);
    if (value == RE_MAX_REPEAT) {
        raise_error(OverflowError, "the repetition number is too large");
        arena_fail(source->arena);
    }
    *bound = (uint32_t)value;
    return true;
}

// What follows "{": false where that is a plain character after all. Here OverflowError comes late:
// 3.9 looks for the bracket first.
static bool parse_bounds(RegexSource *source, uint32_t *low, uint32_t *high)
{
    if (source->ahead == '}') return false;
    ssize_t start = source_position(source), end = start;
    const Str *text = as_str(source->text);
    while (end < text->length && is_digit(str_at(text, end))) end++;
    if (end < text->length && str_at(text, end) == ',') end++;
    while (end < text->length && is_digit(str_at(text, end))) end++;
    if (end == text->length || str_at(text, end) != '}') return false;
    *low = 0;
    *high = RE_MAX_REPEAT;
    bool lower = parse_bound(source, low);
    if (source_match(source, ','))
        parse_bound(source, high);
    else if (lower)
        *high = *low;
    source_match(source, '}');
    if (*high < *low)
        source_error(source, source_position(source) - start, "min repeat greater than max repeat");
    return true;
}

// Turns the last node of a sequence into its repetition.
static void repeat_node(RegexParser *parser, RegexNode *node, uint32_t low, uint32_t high)
{
    RegexNode *item = arena_alloc(parser->source.arena, sizeof *item);
    *item = *node;
    RegexSequence *body = new_sequence(parser, item, 1);
    if (item->kind == NODE_GROUP && !item->value && !item->add_flags && !item->del_flags)
        body = item->body;
    else
        sum_widths(body);
    *node = (RegexNode){.kind = NODE_REPEAT, .low = low, .high = high, .body = body};
    node->lazy = source_match(&parser->source, '?');
    node->min_width = (uint64_t)body->min_width * low;
    node->max_width = (uint64_t)body->max_width * high;
}

// quantifier: "?" | "*" | "+" | "{" low ("," high)? "}", each followed by "?" if it is lazy. False
// if the brace is an ordinary character.
static bool parse_quantifier(RegexParser *parser, uint32_t token, RegexNode *last)
{
    RegexSource *source = &parser->source;
    ssize_t start = source_position(source);
    uint32_t low = token == '+', high = token == '?' ? 1 : RE_MAX_REPEAT;
    if (token == '{' && !parse_bounds(source, &low, &high)) return false;
    ssize_t length = source_position(source) - start + 1;
    if (!last || last->kind == NODE_AT) source_error(source, length, "nothing to repeat");
    if (last->kind == NODE_REPEAT) source_error(source, length, "multiple repeat");
    repeat_node(parser, last, low, high);
    return true;
}

// ---- flags

static int flag_of(uint32_t token)
{
    switch (token) {
    case 'i': return RE_IGNORECASE;
    case 'L': return RE_LOCALE;
    case 'm': return RE_MULTILINE;
    case 's': return RE_DOTALL;
    case 'x': return RE_VERBOSE;
    case 'a': return RE_ASCII;
    case 't': return RE_TEMPLATE;
    case 'u': return RE_UNICODE;
    default: return 0;
    }
}

// The token after a flag: another flag, or one that ends the flags.
static uint32_t take_behind_flag(RegexSource *source, const char *ends, const char *missing)
{
    uint32_t token = source_take(source);
    if (token == TOKEN_END) source_error(source, 0, "%s", missing);
    if (flag_of(token) || (token && token < 128 && strchr(ends, (int)token))) return token;
    bool letter = !(token & TOKEN_ESCAPE) && unicode_is_alpha(token);
    source_error(source, token & TOKEN_ESCAPE ? 2 : 1, "%s", letter ? "unknown flag" : missing);
}

// Flags that are turned on; `token` becomes what ends them.
static int parse_flags_on(RegexSource *source, uint32_t *token)
{
    int flags = 0;
    do {
        int flag = flag_of(*token);
        if (source->is_text && *token == 'L')
            source_error(source, 0, "bad inline flags: cannot use 'L' flag with a str pattern");
        if (!source->is_text && *token == 'u')
            source_error(source, 0, "bad inline flags: cannot use 'u' flag with a bytes pattern");
        flags |= flag;
        if (flag & RE_TYPE_FLAGS && (flags & RE_TYPE_FLAGS) != flag)
            source_error(source, 0, "bad inline flags: flags 'a', 'u' and 'L' are incompatible");
        *token = take_behind_flag(source, ")-:", "missing -, : or )");
    } while (flag_of(*token));
    return flags;
}

static int parse_flags_off(RegexSource *source)
{
    int flags = 0;
    uint32_t token = take_behind_flag(source, "", "missing flag");
    do {
        int flag = flag_of(token);
        if (flag & RE_TYPE_FLAGS)
            source_error(source, 0, "bad inline flags: cannot turn off flags 'a', 'u' and 'L'");
        flags |= flag;
        token = take_behind_flag(source, ":", "missing :");
    } while (flag_of(token));
    return flags;
}

// Flags after "(?": true if they apply to a group, false if to the whole pattern. `token` has been
// taken.
static bool parse_flags(RegexParser *parser, uint32_t token, int *add, int *del)
{
    RegexSource *source = &parser->source;
    *add = *del = 0;
    if (token != '-') *add = parse_flags_on(source, &token);
    if (token == ')') {
        parser->flags |= *add;
        return false;
    }
    if (*add & RE_GLOBAL_FLAGS)
        source_error(source, 1, "bad inline flags: cannot turn on global flag");
    if (token == '-') *del = parse_flags_off(source);
    if (*del & RE_GLOBAL_FLAGS)
        source_error(source, 1, "bad inline flags: cannot turn off global flag");
    if (*add & *del) source_error(source, 1, "bad inline flags: flag turned on and off");
    return true;
}

// The first 20 characters of the pattern.
static ValueRef beginning_of(RegexSource *source)
{
    if (source->is_text) return source_slice(source, 0, 20);
    return arena_hold(source->arena, bytes_new(as_bytes(source->pattern)->data, 20));
}

static void apply_global_flags(RegexParser *parser, bool verbose, bool at_start, ssize_t start)
{
    RegexSource *source = &parser->source;
    bool is_long = str_length(source->text) > 20;
    if (!at_start && !warn(DeprecationWarning, 3,
                           "Flags not at the start of the expression %R%s but at position %zd",
                           is_long ? beginning_of(source) : source->pattern,
                           is_long ? " (truncated)" : "", start))
        arena_fail(source->arena);
    if (parser->flags & RE_VERBOSE && !verbose) arena_fail(source->arena); // without an exception
}

// ---- what stands in parentheses

static void close_parenthesis(RegexParser *parser, ssize_t start)
{
    if (source_match(&parser->source, ')')) return;
    source_error(&parser->source, source_position(&parser->source) - start,
                 "missing ), unterminated subpattern");
}

static RegexNode *parse_group(RegexParser *parser, ValueRef name, bool verbose, ssize_t start)
{
    uint32_t number = open_group(parser, name);
    RegexNode *node = new_node(parser, NODE_GROUP, number);
    node->body = parse_alternatives(parser, verbose, false);
    close_parenthesis(parser, start);
    close_group(parser, number, node->body);
    take_widths(node, node->body);
    return node;
}

// A group that captures nothing, with the flags that hold in it.
static RegexNode *parse_scope(RegexParser *parser, int add, int del, bool verbose, ssize_t start)
{
    RegexNode *node = new_node(parser, NODE_GROUP, 0);
    node->add_flags = add;
    node->del_flags = del;
    verbose = (verbose || add & RE_VERBOSE) && !(del & RE_VERBOSE);
    node->body = parse_alternatives(parser, verbose, false);
    close_parenthesis(parser, start);
    take_widths(node, node->body);
    return node;
}

static uint32_t take_option(RegexSource *source)
{
    uint32_t token = source_take(source);
    if (token == TOKEN_END) source_error(source, 0, "unexpected end of pattern");
    return token;
}

static _Noreturn void unknown_extension(RegexSource *source, const char *prefix, uint32_t token)
{
    char backslash[] = "\\";
    int length = token & TOKEN_ESCAPE ? 2 : 1;
    source_error(source, (ssize_t)strlen(prefix) + length, "unknown extension %s%s%c", prefix,
                 backslash + (length == 1), (int)(token & ~TOKEN_ESCAPE));
}

// (?P<name>...) and (?P=name)
static RegexNode *parse_python_extension(RegexParser *parser, bool verbose, ssize_t start)
{
    RegexSource *source = &parser->source;
    if (source_match(source, '<'))
        return parse_group(parser, parse_group_name(parser, '>'), verbose, start);
    if (!source_match(source, '=')) unknown_extension(source, "?P", take_option(source));
    ValueRef name = parse_group_name(parser, ')');
    return refer_back(parser, group_named(parser, name), str_length(name) + 1);
}

// (?=...) (?!...) (?<=...) (?<!...)
static RegexNode *parse_assertion(RegexParser *parser, uint32_t token, bool verbose, ssize_t start)
{
    RegexSource *source = &parser->source;
    RegexNode *node = new_node(parser, NODE_ASSERT, 0);
    uint32_t outer = parser->look_behind_groups;
    node->look_behind = token == '<';
    if (node->look_behind) {
        token = take_option(source);
        if (token != '=' && token != '!') unknown_extension(source, "?<", token);
        if (!outer) parser->look_behind_groups = parser->group_count;
    }
    node->body = parse_alternatives(parser, verbose, false);
    parser->look_behind_groups = outer;
    close_parenthesis(parser, start);
    node->negative = token == '!';
    node->min_width = node->max_width = 0;
    return node;
}

// A group may be named before it is there: what is left unknown is found at the end.
static void note_condition(RegexParser *parser, uint32_t group, ssize_t position)
{
    RegexCondition **last = &parser->conditions;
    for (; *last; last = &(*last)->next)
        if ((*last)->group == group) return;
    *last = arena_alloc(parser->source.arena, sizeof **last);
    **last = (RegexCondition){NULL, group, position};
}

static uint32_t parse_condition_group(RegexParser *parser)
{
    RegexSource *source = &parser->source;
    ValueRef name = source_until(source, ')', "group name");
    if (str_is_identifier(name)) return group_named(parser, name);
    ssize_t length = str_length(name) + 1;
    uint32_t group;
    if (!source_number(source, name, &group))
        source_error(source, length, "bad character in group name %R", name);
    if (!group) source_error(source, length, "bad group number");
    if (group >= RE_MAX_GROUPS) source_error(source, length, "invalid group reference %S", name);
    note_condition(parser, group, source_position(source) - length);
    return group;
}

// (?(group)yes|no)
static RegexNode *parse_condition(RegexParser *parser, bool verbose, ssize_t start)
{
    RegexSource *source = &parser->source;
    RegexNode *node = new_node(parser, NODE_CONDITION, parse_condition_group(parser));
    check_look_behind(parser, node->value);
    node->body = parse_sequence(parser, verbose, false);
    take_widths(node, node->body);
    if (source_match(source, '|')) {
        RegexSequence *other = parse_sequence(parser, verbose, false);
        node->body->next = other;
        if (source->ahead == '|')
            source_error(source, 0, "conditional backref with more than two branches");
        if (other->min_width < node->min_width) node->min_width = other->min_width;
        if (other->max_width > node->max_width) node->max_width = other->max_width;
    } else {
        node->min_width = 0;
    }
    close_parenthesis(parser, start);
    return node;
}

static void skip_comment(RegexSource *source, ssize_t start)
{
    do {
        if (source->ahead == TOKEN_END)
            source_error(source, source_position(source) - start,
                         "missing ), unterminated comment");
    } while (source_take(source) != ')');
}

// Parses what follows "("; NULL if it leaves no node in the tree. `at_start`: of the whole pattern.
static RegexNode *parse_parenthesis(RegexParser *parser, bool verbose, bool at_start)
{
    RegexSource *source = &parser->source;
    ssize_t start = source_position(source) - 1;
    if (!source_match(source, '?')) return parse_group(parser, 0, verbose, start);
    uint32_t token = take_option(source);
    int add, del;
    switch (token) {
    case 'P': return parse_python_extension(parser, verbose, start);
    case ':': return parse_scope(parser, 0, 0, verbose, start);
    case '#': skip_comment(source, start); return NULL;
    case '=':
    case '!':
    case '<': return parse_assertion(parser, token, verbose, start);
    case '(': return parse_condition(parser, verbose, start);
    default: break;
    }
    if (!flag_of(token) && token != '-') unknown_extension(source, "?", token);
    if (parse_flags(parser, token, &add, &del))
        return parse_scope(parser, add, del, verbose, start);
    apply_global_flags(parser, verbose, at_start, start);
    return NULL;
}

// ---- sequences

static bool skip_blank(RegexSource *source, uint32_t token)
{
    if (token < 128 && token && strchr(" \t\n\r\v\f", (int)token)) return true;
    if (token != '#') return false;
    do token = source_take(source);
    while (token != TOKEN_END && token != '\n');
    return true;
}

// The node of a token that is no quantifier; NULL where it leaves none.
static RegexNode *parse_atom(RegexParser *parser, uint32_t token, ssize_t start, bool verbose,
                             bool at_start)
{
    if (token & TOKEN_ESCAPE) return parse_escape(parser, token, start);
    switch (token) {
    case '[': return parse_set(&parser->source);
    case '.': return new_node(parser, NODE_ANY, 0);
    case '^': return new_node(parser, NODE_AT, AT_BEGINNING_LINE);
    case '$': return new_node(parser, NODE_AT, AT_END);
    case '(': return parse_parenthesis(parser, verbose, at_start);
    default: return new_node(parser, NODE_LITERAL, token);
    }
}

// Replaces groups that neither capture nor set flags by their contents.
static void unpack_groups(RegexSequence *sequence)
{
    RegexNode **link = &sequence->first;
    sequence->count = 0;
    while (*link) {
        RegexNode *node = *link;
        if (node->kind == NODE_GROUP && !node->value && !node->add_flags && !node->del_flags) {
            RegexNode *after = node->next;
            *link = node->body->first;
            for (; *link; link = &(*link)->next) sequence->count++;
            *link = after;
        } else {
            sequence->count++;
            link = &node->next;
        }
    }
}

static bool is_quantifier(uint32_t token)
{
    return token == '*' || token == '+' || token == '?' || token == '{';
}

static RegexSequence *parse_sequence(RegexParser *parser, bool verbose, bool first)
{
    RegexSource *source = &parser->source;
    RegexSequence *sequence = new_sequence(parser, NULL, 0);
    RegexNode **link = &sequence->first, *last = NULL;
    if (!stack_check_room()) arena_fail(source->arena);
    while (source->ahead != TOKEN_END && source->ahead != '|' && source->ahead != ')') {
        ssize_t start = source_position(source);
        uint32_t token = source_take(source);
        if (verbose && skip_blank(source, token)) continue;
        if (is_quantifier(token) && parse_quantifier(parser, token, last)) continue;
        RegexNode *node = parse_atom(parser, token, start, verbose, first && !last);
        if (!node) continue;
        *link = last = node;
        link = &node->next;
    }
    unpack_groups(sequence);
    sum_widths(sequence);
    return sequence;
}

// ---- alternatives

static bool same_items(const RegexItem *a, const RegexItem *b)
{
    for (; a && b; a = a->next, b = b->next)
        if (a->category != b->category || a->low != b->low || a->high != b->high) return false;
    return a == b;
}

static bool same_node(const RegexNode *a, const RegexNode *b)
{
    if (a->kind > NODE_BACKREF || a->kind != b->kind) return false;
    return a->kind == NODE_SET ? a->negative == b->negative && same_items(a->items, b->items)
                               : a->value == b->value;
}

static bool share_first(const RegexSequence *sequences)
{
    for (const RegexSequence *each = sequences; each; each = each->next)
        if (!each->first || !same_node(each->first, sequences->first)) return false;
    return true;
}

// Takes from each alternative the first node, which all share, and returns it.
static RegexNode *take_first(RegexSequence *sequences)
{
    RegexNode *node = sequences->first;
    for (RegexSequence *each = sequences; each; each = each->next) {
        each->first = each->first->next;
        each->count--;
        sum_widths(each);
    }
    node->next = NULL;
    return node;
}

static bool are_characters(const RegexSequence *sequences)
{
    for (const RegexSequence *each = sequences; each; each = each->next) {
        const RegexNode *node = each->first;
        if (each->count != 1) return false;
        if (node->kind != NODE_LITERAL && (node->kind != NODE_SET || node->negative)) return false;
    }
    return true;
}

static RegexNode *merge_characters(RegexParser *parser, const RegexSequence *sequences)
{
    RegexNode *set = new_node(parser, NODE_SET, 0);
    RegexItem **link = &set->items;
    for (const RegexSequence *each = sequences; each; each = each->next) {
        const RegexNode *node = each->first;
        if (node->kind == NODE_SET) {
            *link = node->items;
        } else {
            *link = arena_alloc(parser->source.arena, sizeof **link);
            (*link)->low = (*link)->high = node->value;
        }
        while (*link) link = &(*link)->next;
    }
    return set;
}

static RegexNode *new_branch(RegexParser *parser, RegexSequence *sequences)
{
    RegexNode *branch = new_node(parser, NODE_BRANCH, 0);
    branch->body = sequences;
    branch->min_width = RE_MAX_REPEAT - 1;
    branch->max_width = 0;
    for (const RegexSequence *each = sequences; each; each = each->next) {
        if (each->min_width < branch->min_width) branch->min_width = each->min_width;
        if (each->max_width > branch->max_width) branch->max_width = each->max_width;
    }
    return branch;
}

static RegexSequence *parse_alternatives(RegexParser *parser, bool verbose, bool outermost)
{
    RegexSequence *first = parse_sequence(parser, verbose, outermost), *last = first;
    while (source_match(&parser->source, '|'))
        last = last->next = parse_sequence(parser, verbose, false);
    if (last == first) return first;
    RegexSequence *result = new_sequence(parser, NULL, 1);
    RegexNode **link = &result->first;
    for (; share_first(first); link = &(*link)->next, result->count++) *link = take_first(first);
    *link = are_characters(first) ? merge_characters(parser, first) : new_branch(parser, first);
    sum_widths(result);
    return result;
}

// ---- the whole

// The flags of the pattern and the arguments together.
static void check_flags(RegexParser *parser)
{
    const char *message = NULL;
    int flags = parser->flags;
    if (parser->source.is_text) {
        if (flags & RE_LOCALE) message = "cannot use LOCALE flag with a str pattern";
        if (!message && flags & RE_ASCII && flags & RE_UNICODE)
            message = "ASCII and UNICODE flags are incompatible";
        if (!(flags & RE_ASCII)) parser->flags |= RE_UNICODE;
    } else {
        if (flags & RE_UNICODE) message = "cannot use UNICODE flag with a bytes pattern";
        if (!message && flags & RE_LOCALE && flags & RE_ASCII)
            message = "ASCII and LOCALE flags are incompatible";
    }
    if (!message) return;
    raise_error(ValueError, "%s", message);
    arena_fail(parser->source.arena);
}

static RegexSequence *parse_whole(RegexParser *parser)
{
    parser->names = arena_hold(parser->source.arena, dict_new());
    open_group(parser, 0);
    RegexSequence *body = parse_alternatives(parser, (parser->flags & RE_VERBOSE) != 0, true);
    check_flags(parser);
    if (parser->source.ahead != TOKEN_END)
        source_error(&parser->source, 0, "unbalanced parenthesis");
    for (const RegexCondition *each = parser->conditions; each; each = each->next)
        if (each->group >= parser->group_count)
            source_error(&parser->source, source_position(&parser->source) - each->position,
                         "invalid group reference %u", each->group);
    return body;
}

void regex_parse(Arena *arena, ValueRef pattern, int flags, RegexTree *tree)
{
    RegexParser parser = {.flags = flags};
    source_begin(&parser.source, arena, pattern);
    tree->body = parse_whole(&parser);
    tree->flags = parser.flags;
    tree->groups = parser.group_count;
    tree->group_index = parser.names;
}
