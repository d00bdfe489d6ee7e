// Methods of str that search a text in a text: find, index, count, startswith, endswith,
// removeprefix, removesuffix, replace.
//
// They read all arguments first, because an __index__ may run script code. After that nothing can
// change, since strs are immutable. search.c has the algorithms.
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str_methods.h"
#include "objects/text/text.h"

// ---- find and its kin

// The index of the pattern in self[start:end]; -1 = not found. An empty pattern is not found beyond
// the end.
static ssize_t find_in_range(ValueRef self, ValueRef pattern, ssize_t start, ssize_t end,
                             int direction)
{
    const Str *str = as_str(self), *part = as_str(pattern);
    range_clamp(str->length, &start, &end);
    if (end - start < part->length) return -1;
    const char *text = point_at(str->kind, str->data, start);
    ssize_t found =
        text_find(str->kind, text, end - start, part->kind, part->data, part->length, direction);
    return found < 0 ? -1 : start + found;
}

// The arguments (pattern, start, end).
static bool search_arguments(const ValueRef *args, size_t nargs, ssize_t *start, ssize_t *end)
{
    if (!range_arguments(args, nargs, start, end)) return false;
    return str_check(args[0]) || raise_error(TypeError, "must be str, not %.100T", args[0]);
}

static Value find(ValueRef self, const ValueRef *args, size_t nargs, int direction)
{
    ssize_t start, end;
    if (!search_arguments(args, nargs, &start, &end)) return VALUE_ERROR;
    return from_small(find_in_range(self, args[0], start, end, direction));
}

static Value find_or_raise(ValueRef self, const ValueRef *args, size_t nargs, int direction)
{
    ssize_t start, end;
    if (!search_arguments(args, nargs, &start, &end)) return VALUE_ERROR;
    ssize_t found = find_in_range(self, args[0], start, end, direction);
    return found < 0 ? raise_error(ValueError, "substring not found") : from_small(found);
}

METHOD_HEAD(str, find)
{
    return find(self, args, nargs, 1);
}

METHOD_HEAD(str, rfind)
{
    return find(self, args, nargs, -1);
}

METHOD_HEAD(str, index)
{
    return find_or_raise(self, args, nargs, 1);
}

METHOD_HEAD(str, rindex)
{
    return find_or_raise(self, args, nargs, -1);
}

METHOD_HEAD(str, count)
{
    ssize_t start, end;
    if (!search_arguments(args, nargs, &start, &end)) return VALUE_ERROR;
    const Str *str = as_str(self), *part = as_str(args[0]);
    range_clamp(str->length, &start, &end);
    if (end - start < part->length) return from_small(0);
    if (part->length == 0) return from_small(end - start + 1);
    return from_small(text_count(str->kind, point_at(str->kind, str->data, start), end - start,
                                 part->kind, part->data, part->length, SSIZE_MAX, NULL));
}

// ---- beginnings and ends

// self[start:end] begins (direction 1) or ends (-1) with the text.
static bool matches_tail(ValueRef self, ValueRef text, ssize_t start, ssize_t end, int direction)
{
    const Str *str = as_str(self), *part = as_str(text);
    range_clamp(str->length, &start, &end);
    if (end - start < part->length) return false;
    return part->kind <= str->kind &&
           text_has_at(str->kind, str->data, direction > 0 ? start : end - part->length, part->kind,
                       part->data, part->length);
}

static Value match_any(const char *function, ValueRef self, ValueRef choices, ssize_t start,
                       ssize_t end, int direction)
{
    for (ssize_t i = 0; i < tuple_size(choices); i++) {
        ValueRef choice = tuple_at(choices, i);
        if (!str_check(choice))
            return raise_error(TypeError, "tuple for %s must only contain str, not %.100T",
                               function, choice);
        if (matches_tail(self, choice, start, end, direction)) return TRUE;
    }
    return FALSE;
}

static Value match_tail(const char *function, ValueRef self, const ValueRef *args, size_t nargs,
                        int direction)
{
    ssize_t start, end;
    if (!range_arguments(args, nargs, &start, &end)) return VALUE_ERROR;
    if (str_check(args[0])) return from_bool(matches_tail(self, args[0], start, end, direction));
    if (tuple_check(args[0])) return match_any(function, self, args[0], start, end, direction);
    return raise_error(TypeError, "%s first arg must be str or a tuple of str, not %.100T",
                       function, args[0]);
}

METHOD_HEAD(str, startswith)
{
    return match_tail("startswith", self, args, nargs, 1);
}

METHOD_HEAD(str, endswith)
{
    return match_tail("endswith", self, args, nargs, -1);
}

METHOD_HEAD(str, removeprefix)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "removeprefix() argument must be str, not %.50G", args[0]);
    ssize_t length = str_length(self);
    if (!matches_tail(self, args[0], 0, length, 1)) return str_exact(self);
    return str_substring(self, str_length(args[0]), length);
}

METHOD_HEAD(str, removesuffix)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "removesuffix() argument must be str, not %.50G", args[0]);
    ssize_t length = str_length(self);
    if (!matches_tail(self, args[0], 0, length, -1)) return str_exact(self);
    return str_substring(self, 0, length - str_length(args[0]));
}

// ---- replace

// Copies the text with the first `count` occurrences of the pattern replaced.
static void write_replaced(Str *target, const Str *str, const Str *old, const Str *new,
                           ssize_t count, const TextPlaces *places)
{
    ssize_t from = 0, to = 0;
    for (ssize_t i = 0; i < count; i++) {
        ssize_t gap = i < places->count
                          ? places->at[i] - from
                          : text_find(str->kind, point_at(str->kind, str->data, from),
                                      str->length - from, old->kind, old->data, old->length, 1);
        text_copy(target->kind, target->data, to, str->kind, str->data, from, gap);
        text_copy(target->kind, target->data, to + gap, new->kind, new->data, 0, new->length);
        to += gap + new->length;
        from += gap + old->length;
    }
    text_copy(target->kind, target->data, to, str->kind, str->data, from, str->length - from);
}

// Inserts the text before each of the first `count` code points, and at the end if `count` is one
// more than there are.
static void write_interleaved(Str *target, const Str *str, const Str *new, ssize_t count)
{
    ssize_t to = 0, from = 0;
    for (; count > 0; count--) {
        text_copy(target->kind, target->data, to, new->kind, new->data, 0, new->length);
        to += new->length;
        if (from == str->length) return;
        text_copy(target->kind, target->data, to++, str->kind, str->data, from++, 1);
    }
    text_copy(target->kind, target->data, to, str->kind, str->data, from, str->length - from);
}

// The end of the `most`-th occurrence of a code point of which the first is at `first`; of the
// text, if there are fewer.
static ssize_t end_of_last(const Str *str, ssize_t first, uint32_t point, ssize_t most)
{
    ssize_t end = first + 1;
    if (most >= str->length) return str->length;
    for (; most > 1; most--) {
        ssize_t gap = text_find_point(str->kind, point_at(str->kind, str->data, end),
                                      str->length - end, point, 1);
        if (gap < 0) return str->length;
        end += gap + 1;
    }
    return end;
}

// A copy in which one code point replaces another, from the index `first` on.
static Value substitute(ValueRef self, ssize_t first, uint32_t old, uint32_t new, ssize_t most)
{
    const Str *str = as_str(self);
    uint32_t bound = text_bound(4, &new, 1);
    Str *result = str_alloc(str->length, bound > str_bound(str) ? bound : str_bound(str));
    if (!result) return VALUE_ERROR;
    text_copy(result->kind, result->data, 0, str->kind, str->data, 0, str->length);
    text_exchange(result->kind, result->data, first, end_of_last(str, first, old, most), old, new);
    return own(result);
}

// Replacing may remove the widest code points: makes the result in the narrowest kind.
static Value narrowed(Value value)
{
    Str *str = as_str(value);
    uint32_t bound = text_bound(str->kind, str->data, str->length);
    if (kind_of_point(bound) == str->kind) {
        str->ascii = bound < 0x80;
        return value;
    }
    Value narrow = str_from_text(str->kind, str->data, str->length);
    memory_free_object(str); // it is not the narrowest kind, so it is no valid str
    return narrow;
}

static Value replace(ValueRef self, ValueRef old_text, ValueRef new_text, ssize_t most)
{
    const Str *str = as_str(self), *old = as_str(old_text), *new = as_str(new_text);
    if (most < 0) most = SSIZE_MAX;
    if (most == 0 || str->length < old->length || str_equal(old_text, new_text))
        return str_exact(self);
    if (old->length == 1 && new->length == 1) {
        ssize_t first = text_find_point(str->kind, str->data, str->length, str_at(old, 0), 1);
        if (first < 0) return str_exact(self);
        Value result = substitute(self, first, str_at(old, 0), str_at(new, 0), most);
        return result && !str->ascii ? narrowed(result) : result;
    }
    TextPlaces places;
    ssize_t count = old->length == 0 ? (most <= str->length ? most : str->length + 1)
                                     : text_count(str->kind, str->data, str->length, old->kind,
                                                  old->data, old->length, most, &places);
    if (count == 0) return str_exact(self);
    ssize_t growth, length;
    if (__builtin_mul_overflow(new->length - old->length, count, &growth) ||
        __builtin_add_overflow(str->length, growth, &length))
        return raise_error(OverflowError, "replace string is too long");
    if (length == 0) return str_empty();
    uint32_t bound = str_bound(str) > str_bound(new) ? str_bound(str) : str_bound(new);
    Str *result = str_alloc(length, bound);
    if (!result) return VALUE_ERROR;
    if (old->length == 0)
        write_interleaved(result, str, new, count);
    else
        write_replaced(result, str, old, new, count, &places);
    return result->ascii ? own(result) : narrowed(own(result));
}

METHOD_HEAD(str, replace)
{
    for (size_t i = 0; i < 2; i++)
        if (!str_check(args[i]))
            return raise_error(TypeError, "replace() argument %d must be str, not %.50G",
                               (int)i + 1, args[i]);
    ssize_t most = -1;
    if (nargs > 2 && !argument_ssize(args[2], &most)) return VALUE_ERROR;
    return replace(self, args[0], args[1], most);
}
