// The module _sre: re.Pattern, and the scanner that finditer() uses. vm/lib/re.mpy builds `re` on
// it.
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"
#include "vm/modules/re/regex_objects.h"
#include "vm/modules/re/regex_tree.h"

#include <stdio.h>

// ---- making a pattern

static Value names_by_number(const RegexProgram *program)
{
    ValueRef name, number;
    ssize_t position = 0;
    Value names = tuple_new((ssize_t)program->groups + 1);
    if (!names) return VALUE_ERROR;
    for (uint32_t i = 0; i <= program->groups; i++) as_tuple(names)->items[i] = NONE;
    while (dict_next(program->group_index, &position, &name, &number))
        as_tuple(names)->items[small_value(number)] = retain(name);
    return names;
}

// compile(pattern, flags): a Pattern.
static Value module_compile(FUNCTION_ARGS)
{
    int flags;
    if (!argument_int(args[1], &flags)) return VALUE_ERROR;
    if (!str_check(args[0]) && !bytes_check(args[0]))
        return raise_error(TypeError, "first argument must be string or compiled pattern");
    Pattern *pattern = object_alloc(&pattern_type, 0);
    if (!pattern) return VALUE_ERROR;
    pattern->pattern = retain(args[0]);
    if (regex_compile(args[0], flags, &pattern->program))
        pattern->index_group = names_by_number(&pattern->program);
    if (pattern->index_group) return own(pattern);
    drop(own(pattern));
    return VALUE_ERROR;
}

static void pattern_release(Object *self)
{
    Pattern *pattern = (Pattern *)self;
    drop_slot(&pattern->pattern);
    drop_slot(&pattern->index_group);
    drop_slot(&pattern->program.group_index);
    memory_free(pattern->program.code);
    pattern->program.code = NULL;
}

// ---- a search under way

typedef struct PatternSearch {
    RegexState state;
    Subject subject;
    ValueRef string; // borrowed from the caller
    ssize_t pos, endpos;
} PatternSearch;

static ssize_t clamp(ssize_t position, ssize_t length)
{
    return position < 0 ? 0 : position > length ? length : position;
}

// str patterns search strs, bytes patterns bytes.
static bool check_kind(const Pattern *pattern, const Subject *subject)
{
    bool is_text = str_check(pattern->pattern);
    if (is_text && subject->is_bytes)
        return raise_error(TypeError, "cannot use a string pattern on a bytes-like object");
    if (!is_text && !subject->is_bytes)
        return raise_error(TypeError, "cannot use a bytes pattern on a string-like object");
    return true;
}

static bool search_begin(PatternSearch *search, const Pattern *pattern, ValueRef string,
                         ssize_t pos, ssize_t endpos)
{
    const RegexProgram *program = &pattern->program;
    Subject *subject = &search->subject;
    search->string = string;
    if (!subject_get(string, subject)) return false;
    if (!check_kind(pattern, subject) ||
        !regex_begin(&search->state, program->code, program->groups, program->min_width)) {
        subject_release(subject);
        return false;
    }
    search->state.kind = subject->kind;
    search->state.data = subject->data;
    search->pos = search->state.start = clamp(pos, subject->length);
    search->endpos = search->state.end = clamp(endpos, subject->length);
    return true;
}

static void search_end(PatternSearch *search)
{
    regex_end(&search->state);
    subject_release(&search->subject);
}

// After a match: the next one begins where it ended, and is not empty where it was.
static void search_on(PatternSearch *search)
{
    RegexState *state = &search->state;
    state->must_advance = state->at == state->start;
    state->start = state->at;
}

static Value search_slice(const PatternSearch *search, ssize_t start, ssize_t end)
{
    return subject_slice(search->string, &search->subject, start, end);
}

static Value search_match(const PatternSearch *search, ValueRef pattern)
{
    return match_new(pattern, search->string, &search->state, search->pos, search->endpos);
}

// The arguments string, pos and endpos, which most methods have.
typedef struct Region {
    ValueRef string;
    ssize_t pos, endpos;
} Region;

static bool read_region(const char *function, const ValueRef *args, size_t nargs, ValueRef kwnames,
                        Region *region)
{
    static const char *const names[] = {"string", "pos", "endpos", NULL};
    const Signature signature = {function, names, 1, 3};
    ValueRef given[3];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return false;
    *region = (Region){given[0], 0, PTRDIFF_MAX};
    return (!given[1] || argument_ssize(given[1], &region->pos)) &&
           (!given[2] || argument_ssize(given[2], &region->endpos));
}

// ---- one match

static Value find_one(ValueRef self, const char *function, int (*find)(RegexState *),
                      const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Region region;
    PatternSearch search;
    if (!read_region(function, args, nargs, kwnames, &region) ||
        !search_begin(&search, as_pattern(self), region.string, region.pos, region.endpos))
        return VALUE_ERROR;
    int found = find(&search.state);
    Value result = found > 0 ? search_match(&search, self) : found < 0 ? VALUE_ERROR : NONE;
    search_end(&search);
    return result;
}

static int match_whole(RegexState *state)
{
    state->match_all = true;
    return regex_match(state);
}

static Value method_match(ValueRef self, METHOD_ARGS)
{
    return find_one(self, "match", regex_match, args, nargs, kwnames);
}

static Value method_fullmatch(ValueRef self, METHOD_ARGS)
{
    return find_one(self, "fullmatch", match_whole, args, nargs, kwnames);
}

static Value method_search(ValueRef self, METHOD_ARGS)
{
    return find_one(self, "search", regex_search, args, nargs, kwnames);
}

// ---- all matches

static Value group_or_empty(const PatternSearch *search, uint32_t group)
{
    ssize_t start = 0, end = 0;
    regex_group(&search->state, group, &start, &end);
    return search_slice(search, start, end);
}

// What findall() lists for a match: the whole, the group, or a tuple of the groups.
static Value found_item(const PatternSearch *search)
{
    uint32_t groups = search->state.groups;
    if (!groups) return search_slice(search, search->state.start, search->state.at);
    if (groups == 1) return group_or_empty(search, 1);
    Value item = tuple_new((ssize_t)groups);
    for (uint32_t i = 0; item && i < groups; i++) {
        as_tuple(item)->items[i] = group_or_empty(search, i + 1);
        if (!as_tuple(item)->items[i]) drop_slot(&item);
    }
    return item;
}

static Value method_findall(ValueRef self, METHOD_ARGS)
{
    Region region;
    PatternSearch search;
    if (!read_region("findall", args, nargs, kwnames, &region) ||
        !search_begin(&search, as_pattern(self), region.string, region.pos, region.endpos))
        return VALUE_ERROR;
    Value list = list_new(0);
    int found = list ? 1 : -1;
    while (found > 0 && (found = regex_search(&search.state)) > 0) {
        if (!list_append_owned(list, found_item(&search))) found = -1;
        search_on(&search);
    }
    if (found < 0) drop_slot(&list);
    search_end(&search);
    return list;
}

// ---- split

// The text before a match, and the groups of it; None for those that took no part.
static bool add_split(const PatternSearch *search, ValueRef list, ssize_t last)
{
    const RegexState *state = &search->state;
    if (!list_append_owned(list, search_slice(search, last, state->start))) return false;
    for (uint32_t i = 1; i <= state->groups; i++) {
        ssize_t start, end;
        bool there = regex_group(state, i, &start, &end);
        if (!list_append_owned(list, there ? search_slice(search, start, end) : NONE)) return false;
    }
    return true;
}

static bool split_all(PatternSearch *search, ValueRef list, ssize_t most)
{
    ssize_t last = 0;
    int found = 1;
    for (ssize_t n = 0; (!most || n < most) && (found = regex_search(&search->state)) > 0; n++) {
        if (!add_split(search, list, last)) return false;
        last = search->state.at;
        search_on(search);
    }
    return found >= 0 && list_append_owned(list, search_slice(search, last, search->state.end));
}

static Value method_split(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"string", "maxsplit", NULL};
    static const Signature signature = {"split", names, 1, 2};
    ValueRef given[2];
    ssize_t most = 0;
    PatternSearch search;
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        (given[1] && !argument_ssize(given[1], &most)) ||
        !search_begin(&search, as_pattern(self), given[0], 0, PTRDIFF_MAX))
        return VALUE_ERROR;
    Value list = list_new(0);
    if (list && !split_all(&search, list, most)) drop_slot(&list);
    search_end(&search);
    return list;
}

// ---- sub

// The replacement of a match.
typedef struct Replacement {
    Value function; // to be called with the match, else 0
    Value parts;    // of a template, else 0
    Value literal;  // else this
} Replacement;

static bool has_backslash(ValueRef text)
{
    Subject subject;
    if (!subject_get(text, &subject)) return error_clear(), true;
    bool found = text_find_point(subject.kind, subject.data, subject.length, '\\', 1) >= 0;
    subject_release(&subject);
    return found;
}

static bool replacement_begin(Replacement *replacement, const Pattern *pattern, ValueRef value)
{
    *replacement = (Replacement){0};
    if (object_is_callable(value)) {
        replacement->function = retain(value);
    } else if (!has_backslash(value)) {
        replacement->literal = retain(value);
    } else {
        const RegexProgram *program = &pattern->program;
        replacement->parts = regex_template(value, program->groups, program->group_index);
        return replacement->parts;
    }
    return true;
}

static void replacement_end(Replacement *replacement)
{
    drop(replacement->function);
    drop(replacement->parts);
    drop(replacement->literal);
}

static Value replace_one(const PatternSearch *search, ValueRef pattern,
                         const Replacement *replacement)
{
    if (replacement->literal) return retain(replacement->literal);
    Value match = search_match(search, pattern), text = VALUE_ERROR;
    if (match && replacement->function)
        text = object_call_one(replacement->function, match);
    else if (match)
        text = match_expand(match, replacement->parts);
    drop(match);
    return text;
}

// Lists the parts of the new text; returns the number of replacements, -1 = an exception.
static ssize_t replace_all(PatternSearch *search, ValueRef pattern, const Replacement *replacement,
                           ValueRef list, ssize_t most)
{
    RegexState *state = &search->state;
    ssize_t last = 0, n = 0;
    for (; !most || n < most; n++) {
        int found = regex_search(state);
        if (found < 0) return -1;
        if (!found) break;
        if (last < state->start &&
            !list_append_owned(list, search_slice(search, last, state->start)))
            return -1;
        Value text = replace_one(search, pattern, replacement);
        if (!text || (text != NONE && !list_append(list, text))) return drop(text), -1;
        drop(text);
        last = state->at;
        search_on(search);
    }
    if (last < state->end && !list_append_owned(list, search_slice(search, last, state->end)))
        return -1;
    return n;
}

// The new text, and the number of replacements.
static Value substitute(ValueRef self, const char *function, const ValueRef *args, size_t nargs,
                        ValueRef kwnames, ssize_t *count)
{
    static const char *const names[] = {"repl", "string", "count", NULL};
    const Signature signature = {function, names, 2, 3};
    ValueRef given[3];
    ssize_t most = 0;
    Replacement replacement;
    PatternSearch search;
    Value list = VALUE_ERROR, text = VALUE_ERROR;
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        (given[2] && !argument_ssize(given[2], &most)) ||
        !replacement_begin(&replacement, as_pattern(self), given[0]))
        return VALUE_ERROR;
    if (search_begin(&search, as_pattern(self), given[1], 0, PTRDIFF_MAX)) {
        list = list_new(0);
        *count = list ? replace_all(&search, self, &replacement, list, most) : -1;
        if (*count >= 0) text = subject_join(given[1], &search.subject, list);
        drop(list);
        search_end(&search);
    }
    replacement_end(&replacement);
    return text;
}

static Value method_sub(ValueRef self, METHOD_ARGS)
{
    ssize_t count;
    return substitute(self, "sub", args, nargs, kwnames, &count);
}

static Value method_subn(ValueRef self, METHOD_ARGS)
{
    ssize_t count;
    Value text = substitute(self, "subn", args, nargs, kwnames, &count);
    Value result = text ? tuple_pack(2, (ValueRef)text, (ValueRef)from_small(count)) : VALUE_ERROR;
    drop(text);
    return result;
}

// ---- scanner: one match after the other

typedef struct Scanner {
    Object base;
    Value pattern, string;
    PatternSearch search; // begun where `pattern` is set
    bool done;            // it has found no more
    bool busy;            // it looks: a handler of a signal may run meanwhile
} Scanner;

static Type scanner_type;

static void scanner_release(Object *self)
{
    Scanner *scanner = (Scanner *)self;
    if (scanner->pattern) search_end(&scanner->search);
    drop_slot(&scanner->pattern);
    drop_slot(&scanner->string);
}

static Value scanner_new(ValueRef pattern, const Region *region)
{
    Scanner *scanner = object_alloc(&scanner_type, 0);
    if (!scanner) return VALUE_ERROR;
    scanner->string = retain(region->string);
    if (search_begin(&scanner->search, as_pattern(pattern), region->string, region->pos,
                     region->endpos)) {
        scanner->pattern = retain(pattern);
        return own(scanner);
    }
    drop(own(scanner));
    return VALUE_ERROR;
}

static Value scanner_step(ValueRef self, int (*find)(RegexState *))
{
    Scanner *scanner = (Scanner *)object_of(self);
    if (scanner->done) return NONE;
    if (scanner->busy) return raise_error(RuntimeError, "the scanner is in use");
    scanner->busy = true;
    int found = find(&scanner->search.state);
    scanner->busy = false;
    if (found < 0) return VALUE_ERROR;
    scanner->done = !found;
    if (!found) return NONE;
    Value match = search_match(&scanner->search, scanner->pattern);
    search_on(&scanner->search);
    return match;
}

static Value scanner_match(ValueRef self, METHOD_ARGS)
{
    return scanner_step(self, regex_match);
}

static Value scanner_search(ValueRef self, METHOD_ARGS)
{
    return scanner_step(self, regex_search);
}

static const MethodDef scanner_methods[] = {
    {"match", scanner_match, NO_ARGS, NULL},
    {"search", scanner_search, NO_ARGS, NULL},
    {0},
};

static const MemberDef scanner_members[] = {
    {"pattern", MEMBER_VALUE, offsetof(Scanner, pattern), true, NULL},
    {0},
};

static Type scanner_type = {
    STATIC_TYPE("_sre.SRE_Scanner", sizeof(Scanner)),
    .getattribute = object_generic_get,
    .methods = scanner_methods,
    .members = scanner_members,
    .release = scanner_release,
};

static Value method_scanner(ValueRef self, METHOD_ARGS)
{
    Region region;
    if (!read_region("scanner", args, nargs, kwnames, &region)) return VALUE_ERROR;
    return scanner_new(self, &region);
}

static Value method_finditer(ValueRef self, METHOD_ARGS)
{
    Region region;
    if (!read_region("finditer", args, nargs, kwnames, &region)) return VALUE_ERROR;
    Value scanner = scanner_new(self, &region), name = str_intern("search");
    Value search = scanner && name ? object_get(scanner, name) : VALUE_ERROR;
    Value iterator = search ? callable_iterator_new(search, NONE) : VALUE_ERROR;
    drop(search);
    drop(name);
    drop(scanner);
    return iterator;
}

// ---- the type

static bool add_flag(StrBuilder *builder, const char *name)
{
    return (!builder->length || builder_char(builder, '|')) && builder_text(builder, name);
}

// "re.IGNORECASE|re.MULTILINE", and the rest as a number.
static Value flags_text(int flags)
{
    static const char *const names[] = {"re.TEMPLATE",  "re.IGNORECASE", "re.LOCALE",
                                        "re.MULTILINE", "re.DOTALL",     "re.UNICODE",
                                        "re.VERBOSE",   "re.DEBUG",      "re.ASCII"};
    char rest[16];
    StrBuilder builder;
    builder_begin(&builder);
    bool ok = true;
    for (int i = 0; ok && i < 9; i++)
        if (flags & 1 << i) ok = add_flag(&builder, names[i]);
    snprintf(rest, sizeof rest, "0x%x", (unsigned)flags & ~0x1FFu);
    if (ok && flags & ~0x1FF) ok = add_flag(&builder, rest);
    if (ok) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static Value pattern_repr(ValueRef self)
{
    const Pattern *pattern = as_pattern(self);
    int flags = pattern->program.flags;
    if (str_check(pattern->pattern) && (flags & RE_TYPE_FLAGS) == RE_UNICODE) flags &= ~RE_UNICODE;
    if (!flags) return format_text("re.compile(%.200R)", (ValueRef)pattern->pattern);
    Value names = flags_text(flags);
    Value text = VALUE_ERROR;
    if (names)
        text = format_text("re.compile(%.200R, %S)", (ValueRef)pattern->pattern, (ValueRef)names);
    drop(names);
    return text;
}

static bool pattern_hash(ValueRef self, int64_t *hash)
{
    const Pattern *pattern = as_pattern(self);
    const RegexProgram *program = &pattern->program;
    if (!object_hash(pattern->pattern, hash)) return false;
    *hash ^= hash_bytes(program->code, program->size * sizeof *program->code) ^ program->flags;
    if (*hash == -1) *hash = -2;
    return true;
}

static Value pattern_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (op != COMPARE_EQ && op != COMPARE_NE) return NOT_IMPLEMENTED;
    if (!is_exactly(left, &pattern_type) || !is_exactly(right, &pattern_type))
        return NOT_IMPLEMENTED;
    const Pattern *a = as_pattern(left), *b = as_pattern(right);
    const RegexProgram *ours = &a->program, *theirs = &b->program;
    bool equal = left == right;
    if (!equal && ours->flags == theirs->flags && ours->size == theirs->size &&
        str_check(a->pattern) == str_check(b->pattern) &&
        !memcmp(ours->code, theirs->code, ours->size * sizeof *ours->code) &&
        !object_equal(a->pattern, b->pattern, &equal))
        return VALUE_ERROR;
    return from_bool(equal == (op == COMPARE_EQ));
}

static Value method_copy(ValueRef self, METHOD_ARGS)
{
    return retain(self);
}

static Value get_flags(ValueRef self)
{
    return from_small(as_pattern(self)->program.flags);
}

static Value get_groups(ValueRef self)
{
    return from_small(as_pattern(self)->program.groups);
}

static Value get_groupindex(ValueRef self)
{
    ValueRef index = as_pattern(self)->program.group_index;
    return dict_size(index) ? mappingproxy_new(index) : dict_new(); // an empty one is not shared
}

static const MethodDef pattern_methods[] = {
    {"match", method_match, KEYWORD_ARGS, NULL},
    {"fullmatch", method_fullmatch, KEYWORD_ARGS, NULL},
    {"search", method_search, KEYWORD_ARGS, NULL},
    {"sub", method_sub, KEYWORD_ARGS, NULL},
    {"subn", method_subn, KEYWORD_ARGS, NULL},
    {"findall", method_findall, KEYWORD_ARGS, NULL},
    {"split", method_split, KEYWORD_ARGS, NULL},
    {"finditer", method_finditer, KEYWORD_ARGS, NULL},
    {"scanner", method_scanner, KEYWORD_ARGS, NULL},
    {"__copy__", method_copy, NO_ARGS, NULL},
    {"__deepcopy__", method_copy, ONE_ARG, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

static const GetSetDef pattern_getset[] = {
    {"groupindex", get_groupindex, NULL, NULL},
    {"flags", get_flags, refuse_as_member, NULL},
    {"groups", get_groups, refuse_as_member, NULL},
    {0},
};

static const MemberDef pattern_members[] = {
    {"pattern", MEMBER_VALUE, offsetof(Pattern, pattern), true, NULL},
    {0},
};

Type pattern_type = {
    STATIC_TYPE("re.Pattern", sizeof(Pattern)),
    .getattribute = object_generic_get,
    .weakref_offset = offsetof(Pattern, weakrefs),
    .methods = pattern_methods,
    .getset = pattern_getset,
    .members = pattern_members,
    .release = pattern_release,
    .repr = pattern_repr,
    .hash = pattern_hash,
    .compare = pattern_compare,
};

// ---- the module

// What CPython's sre_constants asks for: the largest numbers of its code, and its version.
static bool add_limits(ValueRef module)
{
    return module_add(module, "MAGIC", from_small(20171005)) &&
           module_add(module, "CODESIZE", from_small(4)) &&
           module_add(module, "MAXREPEAT", from_small(UINT32_MAX)) &&
           module_add(module, "MAXGROUPS", from_small(INT32_MAX));
}

static bool fill(ValueRef module)
{
    return type_ready(&pattern_type) && type_ready(&match_type) && type_ready(&scanner_type) &&
           module_add(module, "Pattern", ref_of(&pattern_type)) &&
           module_add(module, "Match", ref_of(&match_type)) && add_limits(module);
}

// What ignoring case does to a character, by its number: CPython's sre_compile asks.
#define CASE_FUNCTION(name, answer)                                                                \
    static Value name(FUNCTION_ARGS)                                                               \
    {                                                                                              \
        int point;                                                                                 \
        return argument_int(args[0], &point) ? (answer) : VALUE_ERROR;                             \
    }
CASE_FUNCTION(ascii_lower, from_small(regex_lower(FOLD_ASCII, (uint32_t)point)))
CASE_FUNCTION(unicode_lower, from_small(regex_lower(FOLD_UNICODE, (uint32_t)point)))
CASE_FUNCTION(cased_in_ascii, from_bool(regex_is_cased(FOLD_ASCII, (uint32_t)point)))
CASE_FUNCTION(cased_in_unicode, from_bool(regex_is_cased(FOLD_UNICODE, (uint32_t)point)))

static const MethodDef functions[] = {
    {"compile", module_compile, ARGS(2, 2), NULL},
    {"ascii_tolower", ascii_lower, ONE_ARG, NULL},
    {"unicode_tolower", unicode_lower, ONE_ARG, NULL},
    {"ascii_iscased", cased_in_ascii, ONE_ARG, NULL},
    {"unicode_iscased", cased_in_unicode, ONE_ARG, NULL},
    {0},
};

const ModuleDef _sre_module = {
    .name = "_sre",
    .functions = functions,
    .fill = fill,
};
