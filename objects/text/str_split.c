// Methods of str that split and join texts: split, rsplit, splitlines, partition, rpartition,
// strip, lstrip, rstrip, join.
//
// str_substring() makes the parts; it returns shared single characters, and the text itself if the
// part is all of it.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/split.h"
#include "objects/text/str_methods.h"
#include "objects/text/text.h"
#include "objects/upcalls.h"

// ---- split

static bool append_part(ValueRef list, ValueRef self, ssize_t start, ssize_t end)
{
    return poll_signals() && list_append_owned(list, str_substring(self, start, end));
}

SPECIALISED SplitText text_of(int kind, ValueRef list, ValueRef self)
{
    const Str *str = as_str(self);
    return (SplitText){kind, str->data, str->length, list, self, point_is_space, append_part};
}

SPECIALISED bool split_words_in(int kind, ValueRef list, ValueRef self, ssize_t most)
{
    SplitText text = text_of(kind, list, self);
    return split_at_spaces(&text, most);
}

static bool split_words(ValueRef list, ValueRef self, ssize_t most)
{
    return BY_KIND(as_str(self)->kind, split_words_in, list, self, most);
}

SPECIALISED bool rsplit_words_in(int kind, ValueRef list, ValueRef self, ssize_t most)
{
    SplitText text = text_of(kind, list, self);
    return rsplit_at_spaces(&text, most);
}

static bool rsplit_words(ValueRef list, ValueRef self, ssize_t most)
{
    return BY_KIND(as_str(self)->kind, rsplit_words_in, list, self, most);
}

static bool split_at(ValueRef list, ValueRef self, ValueRef separator, ssize_t most)
{
    const Str *part = as_str(separator);
    SplitText text = text_of(as_str(self)->kind, list, self);
    return split_at_text(&text, part->kind, part->data, part->length, most);
}

static bool rsplit_at(ValueRef list, ValueRef self, ValueRef separator, ssize_t most)
{
    const Str *part = as_str(separator);
    SplitText text = text_of(as_str(self)->kind, list, self);
    return rsplit_at_text(&text, part->kind, part->data, part->length, most);
}

typedef bool (*SplitFn)(ValueRef list, ValueRef self, ValueRef separator, ssize_t most);
typedef bool (*WordsFn)(ValueRef list, ValueRef self, ssize_t most);

static Value split(ValueRef self, ValueRef separator, ssize_t most, WordsFn words, SplitFn at)
{
    if (separator && !str_check(separator))
        return raise_error(TypeError, "must be str or None, not %.100T", separator);
    if (separator && str_length(separator) == 0) return raise_error(ValueError, "empty separator");
    Value list = list_new(0);
    if (!list) return VALUE_ERROR;
    if (separator ? at(list, self, separator, most) : words(list, self, most)) return list;
    drop(list);
    return VALUE_ERROR;
}

SPLIT_METHOD(str, split)
SPLIT_METHOD(str, rsplit)

SPECIALISED ssize_t skip_line(int kind, const void *data, ssize_t at, ssize_t end)
{
    for (; at < end; at++) {
        uint32_t point = point_get(kind, data, at);
        bool plain = point - ' ' < 0x7F - ' '; // so are most
        if (!plain && unicode_is_line_break(point)) break;
    }
    return at;
}

// The end of the line that starts at `start`, and the index after its line break.
static ssize_t line_end(const Str *str, ssize_t start, ssize_t *next)
{
    ssize_t end = BY_KIND(str->kind, skip_line, str->data, start, str->length);
    *next = end;
    if (end < str->length) {
        bool pair =
            str_at(str, end) == '\r' && end + 1 < str->length && str_at(str, end + 1) == '\n';
        *next = end + (pair ? 2 : 1);
    }
    return end;
}

METHOD_HEAD(str, splitlines)
{
    bool keep;
    if (!keepends_argument(args, nargs, kwnames, &keep)) return VALUE_ERROR;
    Value list = list_new(0);
    ssize_t next;
    for (ssize_t start = 0; list && start < str_length(self); start = next) {
        ssize_t end = line_end(as_str(self), start, &next);
        if (!append_part(list, self, start, keep ? next : end)) drop_slot(&list);
    }
    return list;
}

// ---- partition

// (self[:first], middle, self[second:]), where self is as it is, of whatever class.
static Value three_parts(ValueRef self, ssize_t first, Value middle, ssize_t second)
{
    ssize_t length = str_length(self);
    Value parts[3] = {first == length ? retain(self) : str_substring(self, 0, first), middle,
                      second ? str_substring(self, second, length) : retain(self)};
    if (parts[0] && parts[1] && parts[2]) return tuple_from_owned(parts, 3);
    for (int i = 0; i < 3; i++) drop(parts[i]);
    return VALUE_ERROR;
}

static Value partition(ValueRef self, ValueRef separator, int direction)
{
    if (!str_check(separator)) return raise_error(TypeError, "must be str, not %.100T", separator);
    const Str *str = as_str(self), *part = as_str(separator);
    if (part->length == 0) return raise_error(ValueError, "empty separator");
    ssize_t found = text_find(str->kind, str->data, str->length, part->kind, part->data,
                              part->length, direction);
    if (found >= 0) return three_parts(self, found, retain(separator), found + part->length);
    ssize_t all = direction > 0 ? str->length : 0;
    return three_parts(self, all, str_empty(), all);
}

METHOD_HEAD(str, partition)
{
    return partition(self, args[0], 1);
}

METHOD_HEAD(str, rpartition)
{
    return partition(self, args[0], -1);
}

// ---- strip

enum { LEFT = 1, RIGHT = 2 };

static bool is_in(const Str *set, uint32_t point)
{
    return text_find_point(set->kind, set->data, set->length, point, 1) >= 0;
}

// Moves one end of the text past what is to go: the characters of the set, or white space.
SPECIALISED ssize_t strip_left(int kind, const void *data, ssize_t start, ssize_t end,
                               const Str *set)
{
    if (!set)
        while (start < end && point_is_space(point_get(kind, data, start))) start++;
    else
        while (start < end && is_in(set, point_get(kind, data, start))) start++;
    return start;
}

SPECIALISED ssize_t strip_right(int kind, const void *data, ssize_t start, ssize_t end,
                                const Str *set)
{
    if (!set)
        while (start < end && point_is_space(point_get(kind, data, end - 1))) end--;
    else
        while (start < end && is_in(set, point_get(kind, data, end - 1))) end--;
    return end;
}

static Value strip(const char *function, ValueRef self, const ValueRef *args, size_t nargs,
                   int sides)
{
    const Str *str = as_str(self), *set = NULL;
    if (nargs > 0 && bits_of(args[0]) != bits_of(NONE)) {
        if (!str_check(args[0]))
            return raise_error(TypeError, "%s arg must be None or str", function);
        set = as_str(args[0]);
    }
    ssize_t start = 0, end = str->length;
    if (sides & LEFT) start = BY_KIND(str->kind, strip_left, str->data, start, end, set);
    if (sides & RIGHT) end = BY_KIND(str->kind, strip_right, str->data, start, end, set);
    return str_substring(self, start, end);
}

METHOD_HEAD(str, strip)
{
    return strip("strip", self, args, nargs, LEFT | RIGHT);
}

METHOD_HEAD(str, lstrip)
{
    return strip("lstrip", self, args, nargs, LEFT);
}

METHOD_HEAD(str, rstrip)
{
    return strip("rstrip", self, args, nargs, RIGHT);
}

// ---- join

// The length of all items with separators between them, and the bound of their code points.
static bool measure_join(const Str *separator, const ValueRef *items, size_t count, ssize_t *length,
                         uint32_t *bound)
{
    *bound = separator && count > 1 ? str_bound(separator) : 0x7F;
    *length = 0;
    for (size_t i = 0; i < count; i++) {
        if (!str_check(items[i]))
            return raise_error(TypeError, "sequence item %zd: expected str instance, %.80T found",
                               (ssize_t)i, items[i]);
        const Str *item = as_str(items[i]);
        ssize_t extra = item->length + (i > 0 && separator ? separator->length : 0);
        if (__builtin_add_overflow(*length, extra, length))
            return raise_error(OverflowError, "join() result is too long for a Python string");
        if (str_bound(item) > *bound) *bound = str_bound(item);
    }
    return true;
}

// All of one width, with a separator of one code point or none between them.
static void write_joined_simply(Str *target, const Str *separator, const ValueRef *items,
                                size_t count)
{
    char *to = target->data;
    int kind = target->kind;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && separator) {
            point_put(kind, to, 0, str_at(separator, 0));
            to += kind;
        }
        const Str *item = as_str(items[i]);
        memcpy(to, item->data, (size_t)(item->length * kind));
        to += item->length * kind;
    }
}

static void write_joined(Str *target, const Str *separator, const ValueRef *items, size_t count)
{
    ssize_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && separator) {
            text_copy(target->kind, target->data, at, separator->kind, separator->data, 0,
                      separator->length);
            at += separator->length;
        }
        const Str *item = as_str(items[i]);
        text_copy(target->kind, target->data, at, item->kind, item->data, 0, item->length);
        at += item->length;
    }
}

Value str_join_array(ValueRef separator, const ValueRef *items, size_t count)
{
    const Str *between = separator && str_length(separator) > 0 ? as_str(separator) : NULL;
    if (count == 0) return str_empty();
    if (count == 1 && str_check_exact(items[0])) return retain(items[0]);
    ssize_t length;
    uint32_t bound;
    if (!measure_join(between, items, count, &length, &bound)) return VALUE_ERROR;
    if (length == 0) return str_empty();
    Str *result = str_alloc(length, bound);
    if (!result) return VALUE_ERROR;
    if (result->kind == 1 && (!between || between->length == 1))
        write_joined_simply(result, between, items, count);
    else
        write_joined(result, between, items, count);
    invariant(str_is_sound(result), "a joined text has the kind of its widest part");
    return own(result);
}

Value str_join(ValueRef separator, ValueRef iterable)
{
    Value sequence = sequence_fast(iterable, "can only join an iterable");
    if (!sequence) return VALUE_ERROR;
    bool is_list = list_check(sequence);
    const Value *items = is_list ? as_list(sequence)->items : as_tuple(sequence)->items;
    ssize_t count = is_list ? list_size(sequence) : tuple_size(sequence);
    Value joined = str_join_array(separator, lend(items), (size_t)count);
    drop(sequence);
    return joined;
}

METHOD_HEAD(str, join)
{
    return str_join(self, args[0]);
}
