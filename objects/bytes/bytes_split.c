// Methods of bytes and bytearray that split and join them: split, rsplit, splitlines, strip,
// lstrip, rstrip, join.
#include "objects/bytes/bytes_parts.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/split.h"
#include "objects/upcalls.h"

static bool is_space(uint32_t byte)
{
    return byte == ' ' || byte - 9 < 5;
}

// ---- split

static bool append_part(ValueRef list, ValueRef self, ssize_t start, ssize_t end)
{
    View view = view_of(self);
    // Not over a bytearray: the handler of a signal might change it.
    if (bytes_check(self) && !poll_signals()) return false;
    if (start == 0 && end == view.size) return list_append_owned(list, bytes_same(self));
    return list_append_owned(list, bytes_like(self, view.data + start, end - start));
}

static inline SplitText text_of(ValueRef list, ValueRef self)
{
    View view = view_of(self);
    return (SplitText){1, view.data, view.size, list, self, is_space, append_part};
}

static bool split_words(ValueRef list, ValueRef self, ssize_t most)
{
    SplitText text = text_of(list, self);
    return split_at_spaces(&text, most);
}

static bool rsplit_words(ValueRef list, ValueRef self, ssize_t most)
{
    SplitText text = text_of(list, self);
    return rsplit_at_spaces(&text, most);
}

static bool split_at(ValueRef list, ValueRef self, const Buffer *separator, ssize_t most)
{
    SplitText text = text_of(list, self);
    return split_at_text(&text, 1, separator->bytes, separator->size, most);
}

static bool rsplit_at(ValueRef list, ValueRef self, const Buffer *separator, ssize_t most)
{
    SplitText text = text_of(list, self);
    return rsplit_at_text(&text, 1, separator->bytes, separator->size, most);
}

typedef bool (*WordsFn)(ValueRef list, ValueRef self, ssize_t most);
typedef bool (*SplitFn)(ValueRef list, ValueRef self, const Buffer *separator, ssize_t most);

static bool split_by(ValueRef list, ValueRef self, ValueRef separator, ssize_t most, SplitFn at)
{
    Buffer buffer;
    if (!buffer_get(separator, &buffer, false)) return false;
    bool done = buffer.size > 0 ? at(list, self, &buffer, most)
                                : (bool)raise_error(ValueError, "empty separator");
    buffer_release(&buffer);
    return done;
}

static Value split(ValueRef self, ValueRef separator, ssize_t most, WordsFn words, SplitFn at)
{
    Value list = list_new(0);
    if (!list) return VALUE_ERROR;
    if (separator ? split_by(list, self, separator, most, at) : words(list, self, most))
        return list;
    drop(list);
    return VALUE_ERROR;
}

SPLIT_METHOD(bytes, split)
SPLIT_METHOD(bytes, rsplit)

METHOD_HEAD(bytes, splitlines)
{
    bool keep;
    if (!keepends_argument(args, nargs, kwnames, &keep)) return VALUE_ERROR;
    Value list = list_new(0);
    View view = view_of(self);
    for (ssize_t start = 0, next; list && start < view.size; start = next) {
        ssize_t end = start;
        while (end < view.size && ((unsigned char)view.data[end] > '\r' ||
                                   (view.data[end] != '\n' && view.data[end] != '\r')))
            end++;
        bool pair = end + 1 < view.size && view.data[end] == '\r' && view.data[end + 1] == '\n';
        next = end == view.size ? end : end + (pair ? 2 : 1);
        if (!append_part(list, self, start, keep ? next : end)) drop_slot(&list);
    }
    return list;
}

// ---- strip

enum { LEFT = 1, RIGHT = 2 };

static bool stripped(char byte, const Buffer *set)
{
    if (!set->owner) return is_space(byte);
    return set->size > 0 && memchr(set->bytes, byte, (size_t)set->size);
}

static Value strip(ValueRef self, const ValueRef *args, size_t nargs, int sides)
{
    Buffer set = {0};
    if (nargs > 0 && bits_of(args[0]) != bits_of(NONE) && !buffer_get(args[0], &set, false))
        return VALUE_ERROR;
    View view = view_of(self);
    ssize_t start = 0, end = view.size;
    if (sides & LEFT)
        while (start < end && stripped(view.data[start], &set)) start++;
    if (sides & RIGHT)
        while (end > start && stripped(view.data[end - 1], &set)) end--;
    Value result = start == 0 && end == view.size
                       ? bytes_same(self)
                       : bytes_like(self, view.data + start, end - start);
    buffer_release(&set);
    return result;
}

METHOD_HEAD(bytes, strip)
{
    return strip(self, args, nargs, LEFT | RIGHT);
}

METHOD_HEAD(bytes, lstrip)
{
    return strip(self, args, nargs, LEFT);
}

METHOD_HEAD(bytes, rstrip)
{
    return strip(self, args, nargs, RIGHT);
}

// ---- join

// Buffers of all items, which keep them from changing; false with those it had released again.
static bool get_buffers(Buffer *buffers, const Value *items, ssize_t count, ssize_t separator_size,
                        ssize_t *size)
{
    *size = count > 0 && separator_size > SSIZE_MAX / count ? -1 : separator_size * (count - 1);
    for (ssize_t i = 0; i < count; i++) {
        bool done = buffer_check(items[i]) && buffer_get(items[i], &buffers[i], false);
        if (!done) {
            error_clear();
            raise_error(TypeError, "sequence item %zd: expected a bytes-like object, %.80T found",
                        i, (ValueRef)items[i]);
        }
        if (done && (*size < 0 || __builtin_add_overflow(*size, buffers[i].size, size))) {
            buffer_release(&buffers[i]);
            done = raise_error(OverflowError, "join() result is too long");
        }
        if (done) continue;
        while (i-- > 0) buffer_release(&buffers[i]);
        return false;
    }
    return true;
}

static void write_joined(char *to, View separator, const Buffer *buffers, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++) {
        if (i > 0) {
            memcpy(to, separator.data, (size_t)separator.size);
            to += separator.size;
        }
        if (buffers[i].size) memcpy(to, buffers[i].bytes, (size_t)buffers[i].size);
        to += buffers[i].size;
    }
}

static Value join_items(ValueRef self, const Value *items, ssize_t count)
{
    size_t bytes;
    if (__builtin_mul_overflow((size_t)count, sizeof(Buffer), &bytes)) return raise_memory_error();
    Buffer *buffers = memory_alloc(bytes);
    if (!buffers) return raise_memory_error();
    ssize_t size;
    Value result = VALUE_ERROR;
    if (get_buffers(buffers, items, count, view_of(self).size, &size)) {
        result = bytes_like(self, size ? NULL : "", size);
        if (result && size) write_joined(view_of(result).data, view_of(self), buffers, count);
        for (ssize_t i = 0; i < count; i++) buffer_release(&buffers[i]);
    }
    memory_free(buffers);
    return result;
}

METHOD_HEAD(bytes, join)
{
    Value sequence = sequence_fast(args[0], "can only join an iterable");
    if (!sequence) return VALUE_ERROR;
    bool is_list = list_check(sequence);
    const Value *items = is_list ? as_list(sequence)->items : as_tuple(sequence)->items;
    ssize_t count = is_list ? list_size(sequence) : tuple_size(sequence);
    Value result;
    if (count == 0)
        result = bytes_like(self, "", 0);
    else if (count == 1 && bytes_check(self) && bytes_check_exact(items[0]))
        result = retain(items[0]);
    else
        result = join_items(self, items, count);
    drop(sequence);
    return result;
}
