// split() and rsplit() of str, bytes and bytearray: the loops that find the parts. The functions
// are inlined into one file for each of the types, which gives the kind as a constant.
//
// Parts come from left to right; the functions with r go from right to left, and reverse the list
// at the end. At most `most` times the text is cut.
#pragma once

#include "objects/containers/list.h"
#include "objects/text/text.h"

typedef struct SplitText {
    int kind; // of the code points; 1 for bytes
    const void *data;
    ssize_t length;
    ValueRef list, self;
    bool (*is_space)(uint32_t point);
    // Appends the part of `self` from start to end to the list.
    bool (*append)(ValueRef list, ValueRef self, ssize_t start, ssize_t end);
} SplitText;

// Moves over white space (or over all but white space) from `at` in steps of `step`.
SPECIALISED ssize_t split_skip(const SplitText *text, ssize_t at, ssize_t stop, int step,
                               bool space)
{
    while (at != stop && text->is_space(point_get(text->kind, text->data, at)) == space) at += step;
    return at;
}

SPECIALISED bool split_at_spaces(const SplitText *text, ssize_t most)
{
    ssize_t length = text->length, start = split_skip(text, 0, length, 1, true);
    while (start < length) {
        ssize_t end = most-- > 0 ? split_skip(text, start, length, 1, false) : length;
        if (!text->append(text->list, text->self, start, end)) return false;
        start = split_skip(text, end, length, 1, true);
    }
    return true;
}

SPECIALISED bool rsplit_at_spaces(const SplitText *text, ssize_t most)
{
    ssize_t end = split_skip(text, text->length - 1, -1, -1, true) + 1;
    while (end > 0) {
        ssize_t start = most-- > 0 ? split_skip(text, end - 1, -1, -1, false) + 1 : 0;
        if (!text->append(text->list, text->self, start, end)) return false;
        end = split_skip(text, start - 1, -1, -1, true) + 1;
    }
    return list_reverse(text->list);
}

// The separator: `size` code points of `kind`.
SPECIALISED bool split_at_text(const SplitText *text, int kind, const void *separator, ssize_t size,
                               ssize_t most)
{
    ssize_t start = 0;
    for (; most > 0; most--) {
        ssize_t gap = text_find(text->kind, point_at(text->kind, text->data, start),
                                text->length - start, kind, separator, size, 1);
        if (gap < 0) break;
        if (!text->append(text->list, text->self, start, start + gap)) return false;
        start += gap + size;
    }
    return text->append(text->list, text->self, start, text->length);
}

SPECIALISED bool rsplit_at_text(const SplitText *text, int kind, const void *separator,
                                ssize_t size, ssize_t most)
{
    ssize_t end = text->length;
    for (; most > 0; most--) {
        ssize_t found = text_find(text->kind, text->data, end, kind, separator, size, -1);
        if (found < 0) break;
        if (!text->append(text->list, text->self, found + size, end)) return false;
        end = found;
    }
    return text->append(text->list, text->self, 0, end) && list_reverse(text->list);
}

// The method split or rsplit of a type. Its file has NAME_words, which cuts at white space,
// NAME_at, which cuts at a separator, and split(), which calls one of them.
#define SPLIT_METHOD(prefix, name)                                                                 \
    Value prefix##_method_##name(FUNCTION_ARGS)                                                    \
    {                                                                                              \
        ValueRef separator;                                                                        \
        ssize_t most;                                                                              \
        if (!split_arguments(#name, args, nargs, kwnames, &separator, &most)) return VALUE_ERROR;  \
        return split(self, separator, most, name##_words, name##_at);                              \
    }
