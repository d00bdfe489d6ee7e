// re.Match: the result of a search. Group 0 is the whole match.
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"
#include "vm/modules/re/regex_objects.h"

// ---- texts

bool subject_get(ValueRef string, Subject *subject)
{
    *subject = (Subject){0};
    if (str_check(string)) {
        subject->kind = as_str(string)->kind;
        subject->data = as_str(string)->data;
        subject->length = str_length(string);
        return true;
    }
    if (!buffer_check(string) || !buffer_get(string, &subject->buffer, false)) {
        error_clear();
        return raise_error(TypeError, "expected string or bytes-like object");
    }
    subject->is_bytes = true;
    subject->kind = 1;
    subject->data = subject->buffer.bytes;
    subject->length = subject->buffer.size;
    return true;
}

void subject_release(Subject *subject)
{
    if (subject->is_bytes) buffer_release(&subject->buffer);
}

Value subject_slice(ValueRef string, const Subject *subject, ssize_t start, ssize_t end)
{
    if (end > subject->length) end = subject->length;
    if (start > end) start = end;
    if (!subject->is_bytes) return str_substring(string, start, end);
    if (bytes_check_exact(string) && !start && end == subject->length) return retain(string);
    return bytes_new((const char *)subject->data + start, (size_t)(end - start));
}

// ---- making

static void copy_span(const RegexState *state, uint32_t group, ssize_t *span)
{
    if (!regex_group(state, group, &span[0], &span[1])) span[0] = span[1] = -1;
}

Value match_new(ValueRef pattern, ValueRef string, const RegexState *state, ssize_t pos,
                ssize_t endpos)
{
    uint32_t groups = state->groups + 1;
    Match *match = object_alloc(&match_type, 2 * (size_t)groups);
    if (!match) return VALUE_ERROR;
    match->pattern = retain(pattern);
    match->string = retain(string);
    match->pos = pos;
    match->endpos = endpos;
    match->last_group = state->last_group;
    match->groups = groups;
    match->marks[0] = state->start;
    match->marks[1] = state->at;
    for (uint32_t i = 1; i < groups; i++) copy_span(state, i, match->marks + 2 * i);
    return own(match);
}

static void match_release(Object *self)
{
    Match *match = (Match *)self;
    drop_slot(&match->string);
    drop_slot(&match->pattern);
    drop_slot(&match->regs);
}

// ---- groups

Value match_group(ValueRef match, const Subject *subject, uint32_t group, ValueRef missing)
{
    const ssize_t *span = as_match(match)->marks + 2 * group;
    if (span[0] < 0) return retain(missing);
    return subject_slice(as_match(match)->string, subject, span[0], span[1]);
}

static bool no_such_group(void)
{
    return raise_error(IndexError, "no such group");
}

// The group that a number or a name means.
static bool find_group(const Match *match, ValueRef index, uint32_t *group)
{
    ssize_t number = -1;
    if (is_index(index)) {
        if (!object_as_ssize(index, &number, NULL)) return false;
    } else {
        Value found = dict_get(as_pattern(match->pattern)->program.group_index, index);
        if (!found) return false;
        if (found != ABSENT) number = (ssize_t)small_value(found);
        drop(found);
    }
    if (number < 0 || number >= (int64_t)match->groups) return no_such_group();
    *group = (uint32_t)number;
    return true;
}

static Value group_of(ValueRef self, ValueRef index, ValueRef missing)
{
    uint32_t group;
    Subject subject;
    if (!find_group(as_match(self), index, &group)) return VALUE_ERROR;
    if (!subject_get(as_match(self)->string, &subject)) return VALUE_ERROR;
    Value text = match_group(self, &subject, group, missing);
    subject_release(&subject);
    return text;
}

static Value method_group(ValueRef self, METHOD_ARGS)
{
    if (nargs == 0) return group_of(self, from_small(0), NONE);
    if (nargs == 1) return group_of(self, args[0], NONE);
    Value tuple = tuple_new((ssize_t)nargs);
    for (size_t i = 0; tuple && i < nargs; i++) {
        as_tuple(tuple)->items[i] = group_of(self, args[i], NONE);
        if (as_tuple(tuple)->items[i]) continue;
        drop(tuple);
        return VALUE_ERROR;
    }
    return tuple;
}

static Value subscript(ValueRef self, ValueRef index)
{
    return group_of(self, index, NONE);
}

static Value method_groups(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"default", NULL};
    static const Signature signature = {"groups", names, 0, 1};
    ValueRef missing;
    Subject subject;
    if (!args_bind(&signature, args, nargs, kwnames, &missing)) return VALUE_ERROR;
    const Match *match = as_match(self);
    if (!subject_get(match->string, &subject)) return VALUE_ERROR;
    Value tuple = tuple_new((ssize_t)match->groups - 1);
    for (uint32_t i = 1; tuple && i < match->groups; i++) {
        Value text = match_group(self, &subject, i, missing ? missing : NONE);
        as_tuple(tuple)->items[i - 1] = text;
        if (!text) drop_slot(&tuple);
    }
    subject_release(&subject);
    return tuple;
}

static Value method_groupdict(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"default", NULL};
    static const Signature signature = {"groupdict", names, 0, 1};
    ValueRef missing, name, number;
    if (!args_bind(&signature, args, nargs, kwnames, &missing)) return VALUE_ERROR;
    ValueRef index = as_pattern(as_match(self)->pattern)->program.group_index;
    Value dict = dict_new();
    ssize_t position = 0;
    while (dict && dict_next(index, &position, &name, &number)) {
        Value held = retain(name), group = retain(number); // a script may have got at the dict
        Value text = group_of(self, group, missing ? missing : NONE);
        if (!text || !dict_set_owned(dict, held, text)) drop_slot(&dict);
        drop(group);
        drop(held);
    }
    return dict;
}

// ---- positions

static bool group_argument(ValueRef self, const ValueRef *args, size_t nargs, const ssize_t **span)
{
    uint32_t group = 0;
    if (nargs && !find_group(as_match(self), args[0], &group)) return false;
    *span = as_match(self)->marks + 2 * group;
    return true;
}

static Value method_start(ValueRef self, METHOD_ARGS)
{
    const ssize_t *span;
    return group_argument(self, args, nargs, &span) ? from_small(span[0]) : VALUE_ERROR;
}

static Value method_end(ValueRef self, METHOD_ARGS)
{
    const ssize_t *span;
    return group_argument(self, args, nargs, &span) ? from_small(span[1]) : VALUE_ERROR;
}

static Value pair(const ssize_t *span)
{
    return tuple_pack(2, (ValueRef)from_small(span[0]), (ValueRef)from_small(span[1]));
}

static Value method_span(ValueRef self, METHOD_ARGS)
{
    const ssize_t *span;
    return group_argument(self, args, nargs, &span) ? pair(span) : VALUE_ERROR;
}

static Value get_regs(ValueRef self)
{
    Match *match = as_match(self);
    if (match->regs) return retain(match->regs);
    Value regs = tuple_new((ssize_t)match->groups);
    for (uint32_t i = 0; regs && i < match->groups; i++) {
        as_tuple(regs)->items[i] = pair(match->marks + 2 * i);
        if (!as_tuple(regs)->items[i]) drop_slot(&regs);
    }
    if (regs) match->regs = retain(regs);
    return regs;
}

// ---- templates

// The text of a part of a template, as join() takes it.
static bool add_part(ValueRef match, const Subject *subject, ValueRef list, ValueRef part)
{
    if (!int_check(part)) return list_append(list, part);
    Value text = match_group(match, subject, (uint32_t)small_value(part), ABSENT);
    return text == ABSENT || list_append_owned(list, text);
}

Value subject_join(ValueRef string, const Subject *subject, ValueRef list)
{
    Value empty = subject_slice(string, subject, 0, 0), name = str_intern("join");
    Value joined = empty && name ? object_call_method_one(empty, name, list) : VALUE_ERROR;
    drop(name);
    drop(empty);
    return joined;
}

Value match_expand(ValueRef match, ValueRef parts)
{
    Subject subject;
    ValueRef string = as_match(match)->string;
    if (!subject_get(string, &subject)) return VALUE_ERROR;
    Value list = list_new(list_size(parts)), text = VALUE_ERROR;
    bool ok = list;
    for (ssize_t i = 0; ok && i < list_size(parts); i++)
        ok = add_part(match, &subject, list, list_at(parts, i));
    if (ok) text = subject_join(string, &subject, list);
    drop(list);
    subject_release(&subject);
    return text;
}

static Value method_expand(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"template", NULL};
    static const Signature signature = {"expand", names, 1, 1};
    ValueRef template;
    if (!args_bind(&signature, args, nargs, kwnames, &template)) return VALUE_ERROR;
    const Match *match = as_match(self);
    Value parts = regex_template(template, match->groups - 1,
                                 as_pattern(match->pattern)->program.group_index);
    Value text = parts ? match_expand(self, parts) : VALUE_ERROR;
    drop(parts);
    return text;
}

// ---- the type

static Value match_repr(ValueRef self)
{
    const Match *match = as_match(self);
    Value text = group_of(self, from_small(0), NONE);
    Value shown = text ? object_repr(text) : VALUE_ERROR, result = VALUE_ERROR;
    if (shown)
        result = format_text("<%T object; span=(%zd, %zd), match=%.50S>", self, match->marks[0],
                             match->marks[1], (ValueRef)shown);
    drop(shown);
    drop(text);
    return result;
}

static Value method_copy(ValueRef self, METHOD_ARGS)
{
    return retain(self);
}

static Value get_lastindex(ValueRef self)
{
    int32_t group = as_match(self)->last_group;
    return group < 0 ? NONE : from_small(group);
}

static Value get_lastgroup(ValueRef self)
{
    const Match *match = as_match(self);
    ValueRef names = as_pattern(match->pattern)->index_group;
    if (match->last_group < 0 || match->last_group >= tuple_size(names)) return NONE;
    return retain(tuple_at(names, match->last_group));
}

static const MethodDef methods[] = {
    {"group", method_group, ARGS(0, -1), NULL},
    {"start", method_start, ARGS(0, 1), NULL},
    {"end", method_end, ARGS(0, 1), NULL},
    {"span", method_span, ARGS(0, 1), NULL},
    {"groups", method_groups, KEYWORD_ARGS, NULL},
    {"groupdict", method_groupdict, KEYWORD_ARGS, NULL},
    {"expand", method_expand, KEYWORD_ARGS, NULL},
    {"__copy__", method_copy, NO_ARGS, NULL},
    {"__deepcopy__", method_copy, ONE_ARG, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"lastindex", get_lastindex, NULL, NULL},
    {"lastgroup", get_lastgroup, NULL, NULL},
    {"regs", get_regs, NULL, NULL},
    {0},
};

static const MemberDef members[] = {
    {"string", MEMBER_VALUE, offsetof(Match, string), true, NULL},
    {"re", MEMBER_VALUE, offsetof(Match, pattern), true, NULL},
    {"pos", MEMBER_SSIZE, offsetof(Match, pos), true, NULL},
    {"endpos", MEMBER_SSIZE, offsetof(Match, endpos), true, NULL},
    {0},
};

Type match_type = {
    STATIC_TYPE("re.Match", sizeof(Match)),
    .item_size = sizeof(ssize_t),
    .getattribute = object_generic_get,
    .methods = methods,
    .getset = getset,
    .members = members,
    .release = match_release,
    .repr = match_repr,
    .subscript = subscript,
};
