// BytesIO and StringIO: streams whose file is in memory.
//
// BytesIO keeps its bytes in a growing block, which must not move while getbuffer() lends it.
// StringIO keeps code points, all as wide as the widest that was written, so that any position can
// be overwritten; it translates newlines when text is written.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"
#include "vm/io/io.h"

#include <unistd.h>

typedef struct MemoryIO {
    Stream stream;
    char *items; // bytes, or code points
    size_t size; // items in use
    size_t capacity;
    size_t position; // may be after the end
    size_t exports;  // buffers lent
    size_t width;    // bytes an item: 1, or the kind of the code points
    bool is_text;    // a StringIO
    bool ready;      // __init__ has succeeded; a BytesIO always is
    // StringIO only: how newlines are translated (newline=...)
    bool read_universal;  // a line ends at \r and \r\n as well
    bool write_universal; // those become \n when they are written
    unsigned seen;        // line ends written, where they are translated or kept apart
    const char *line_end; // what \n becomes when written; "\n" = stays
} MemoryIO;

static MemoryIO *as_memory_io(ValueRef value)
{
    return (MemoryIO *)object_of(value);
}

static bool check_ready(const MemoryIO *memory)
{
    return memory->ready || raise_error(ValueError, "I/O operation on uninitialized object");
}

static bool check_not_closed(const MemoryIO *memory)
{
    if (!memory->stream.closed) return true;
    if (!memory->is_text) return raise_closed();
    return raise_error(ValueError, "I/O operation on closed file");
}

static bool check_open(const MemoryIO *memory)
{
    return check_ready(memory) && check_not_closed(memory);
}

static bool check_movable(const MemoryIO *memory)
{
    return !memory->exports ||
           raise_error(BufferError, "Existing exports of data: object cannot be re-sized");
}

// Room for `size` items; those between the end and it are zero.
static bool reserve(MemoryIO *memory, size_t size)
{
    if (size <= memory->capacity) return true;
    size_t capacity = size + size / 8 + 16;
    if (capacity > (SIZE_MAX >> 3)) return raise_memory_error();
    char *items = memory_resize(memory->items, capacity * memory->width);
    if (!items) return raise_memory_error();
    memory->items = items;
    memory->capacity = capacity;
    return true;
}

// Gives each item as many bytes as this kind of code points has.
static bool widen(MemoryIO *memory, int kind)
{
    char *items = memory_alloc(memory->capacity * (size_t)kind + 1);
    if (!items) return raise_memory_error();
    text_copy(kind, items, 0, (int)memory->width, memory->items, 0, (ssize_t)memory->size);
    memory_free(memory->items);
    memory->items = items;
    memory->width = (size_t)kind;
    return true;
}

// Writes items of this kind at the position; fills a gap after the end with zeros.
static bool put(MemoryIO *memory, int kind, const void *items, size_t count)
{
    size_t end = memory->position + count;
    if (count == 0) return true;
    if (end < count) return raise_error(OverflowError, "new position too large");
    if ((end > memory->size && !check_movable(memory)) || !reserve(memory, end) ||
        ((size_t)kind > memory->width && !widen(memory, kind)))
        return false;
    size_t width = memory->width;
    char *to = memory->items + memory->position * width;
    if (memory->position > memory->size)
        memset(memory->items + memory->size * width, 0, (memory->position - memory->size) * width);
    if ((size_t)kind == width)
        memmove(to, items, count * width); // perhaps its own bytes
    else
        text_copy((int)width, to, 0, kind, items, 0, (ssize_t)count);
    memory->position = end;
    if (end > memory->size) memory->size = end;
    return true;
}

static Value value_of(const MemoryIO *memory, size_t from, size_t count)
{
    const char *items = memory->items + from * memory->width;
    if (!memory->is_text) return bytes_new(items, count);
    return str_from_text((int)memory->width, items, (ssize_t)count);
}

static size_t left_in(const MemoryIO *memory)
{
    return memory->position < memory->size ? memory->size - memory->position : 0;
}

static Value take(MemoryIO *memory, size_t count)
{
    Value value = value_of(memory, count ? memory->position : 0, count);
    if (value) memory->position += count;
    return value;
}

// ---- methods of both

static Value read_method(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    ssize_t limit;
    if (!size_argument(nargs ? args[0] : 0, &limit) || !check_open(memory)) return VALUE_ERROR;
    size_t left = left_in(memory);
    return take(memory, limit < 0 || (size_t)limit > left ? left : (size_t)limit);
}

static uint32_t item_at(const MemoryIO *memory, size_t index)
{
    return point_get((int)memory->width, memory->items, (ssize_t)index);
}

// The line ends at the first \r\n; in a universal one also at a \r or \n alone.
static size_t line_size_with_cr(const MemoryIO *memory, size_t left)
{
    for (size_t i = 0; i < left; i++) {
        uint32_t item = item_at(memory, memory->position + i);
        bool next_lf = i + 1 < left && item_at(memory, memory->position + i + 1) == '\n';
        if (item == '\r' && next_lf) return i + 2;
        if (memory->read_universal && (item == '\n' || item == '\r')) return i + 1;
    }
    return left;
}

// How many items there are up to the end of the line.
static size_t line_size(const MemoryIO *memory)
{
    size_t left = left_in(memory);
    const char *line_end = memory->line_end && !memory->write_universal ? memory->line_end : "\n";
    if (!left) return 0;
    if (memory->read_universal || line_end[1]) return line_size_with_cr(memory, left);
    ssize_t found =
        text_find_point((int)memory->width, memory->items + memory->position * memory->width,
                        (ssize_t)left, (uint32_t)*line_end, 1);
    return found < 0 ? left : (size_t)found + 1;
}

static Value readline_method(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    ssize_t limit;
    if (!size_argument(nargs ? args[0] : 0, &limit) || !check_open(memory)) return VALUE_ERROR;
    size_t size = line_size(memory);
    return take(memory, limit >= 0 && size > (size_t)limit ? (size_t)limit : size);
}

static Value next_line(ValueRef self)
{
    MemoryIO *memory = as_memory_io(self);
    if (!check_open(memory)) return VALUE_ERROR;
    size_t size = line_size(memory);
    return size ? take(memory, size) : ABSENT;
}

// Up to the line with which their length reaches the hint.
static Value bytes_io_readlines(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    ssize_t hint = 0;
    if (!check_open(memory)) return VALUE_ERROR;
    if (nargs && args[0] != NONE && !int_check(args[0]))
        return raise_error(TypeError, "integer argument expected, got '%.200T'", args[0]);
    if (nargs && args[0] != NONE && !int_as_ssize(args[0], &hint)) return VALUE_ERROR;
    Value lines = list_new(0);
    size_t start = memory->position, size;
    while (lines && (size = line_size(memory)) > 0) {
        if (!list_append_owned(lines, take(memory, size))) drop_slot(&lines);
        if (hint > 0 && memory->position - start >= (size_t)hint) break;
    }
    return lines;
}

static Value getvalue(ValueRef self, METHOD_ARGS)
{
    const MemoryIO *memory = as_memory_io(self);
    return check_open(memory) ? value_of(memory, 0, memory->size) : VALUE_ERROR;
}

static Value tell(ValueRef self, METHOD_ARGS)
{
    return check_open(as_memory_io(self)) ? int_new((int64_t)as_memory_io(self)->position)
                                          : VALUE_ERROR;
}

static bool seek_base(const MemoryIO *memory, ssize_t offset, int whence, ssize_t *base)
{
    if (whence < 0 || whence > 2) {
        if (!memory->is_text)
            return raise_error(ValueError, "invalid whence (%d, should be 0, 1 or 2)", whence);
        return raise_error(ValueError, "Invalid whence (%d, should be 0, 1 or 2)", whence);
    }
    if (whence == 0 && offset < 0)
        return raise_error(
            ValueError, memory->is_text ? "Negative seek position %zd" : "negative seek value %zd",
            offset);
    if (memory->is_text && whence && offset)
        return raise_error(OSError, "Can't do nonzero cur-relative seeks");
    *base = whence == 0 ? 0 : (ssize_t)(whence == 1 ? memory->position : memory->size);
    return true;
}

static Value seek(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    ssize_t offset, base = 0;
    int whence = 0;
    if (!check_open(memory) || !argument_ssize(args[0], &offset) ||
        (nargs > 1 && !argument_int(args[1], &whence)) || !seek_base(memory, offset, whence, &base))
        return VALUE_ERROR;
    if (base > PTRDIFF_MAX - (offset > 0 ? offset : 0))
        return raise_error(OverflowError, "new position too large");
    ssize_t position = base + offset;
    memory->position = position < 0 ? 0 : (size_t)position;
    return int_new((int64_t)memory->position);
}

static Value truncate_method(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    ssize_t size = (ssize_t)memory->position;
    if (!check_open(memory) || !check_movable(memory)) return VALUE_ERROR;
    if (nargs && args[0] != NONE && !size_argument(args[0], &size)) return VALUE_ERROR;
    if (size < 0)
        return raise_error(ValueError,
                           memory->is_text ? "Negative size value %zd" : "negative size value %zd",
                           size);
    if ((size_t)size < memory->size) memory->size = (size_t)size;
    return int_new(size);
}

static Value close_method(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    if (!check_movable(memory)) return VALUE_ERROR;
    memory->stream.closed = true;
    memory_free(memory->items);
    memory->items = NULL;
    memory->size = memory->capacity = 0;
    return NONE;
}

static Value yes(ValueRef self, METHOD_ARGS)
{
    return check_open(as_memory_io(self)) ? TRUE : VALUE_ERROR;
}

static Value isatty_method(ValueRef self, METHOD_ARGS)
{
    return check_open(as_memory_io(self)) ? FALSE : VALUE_ERROR;
}

static Value get_closed(ValueRef self)
{
    if (!check_ready(as_memory_io(self))) return VALUE_ERROR;
    return from_bool(as_memory_io(self)->stream.closed);
}

static Value memory_new(Type *type, bool is_text)
{
    MemoryIO *memory = object_alloc(type, 0);
    if (!memory) return VALUE_ERROR;
    memory->width = 1;
    memory->is_text = is_text;
    memory->ready = !is_text;
    return own(memory);
}

static void memory_release(Object *self)
{
    stream_clear(self);
    memory_free(((MemoryIO *)self)->items);
}

// ---- what pickling and copying keep: (contents, [newline,] position, __dict__ or None)

static Value saved_dict(const MemoryIO *memory)
{
    Value dict = retain(memory->stream.dict); // a key's __eq__ may give the stream another one
    Value copy = dict ? dict_copy(dict) : NONE;
    drop(dict);
    return copy;
}

static bool check_state(ValueRef self, ValueRef state, ssize_t size)
{
    if (tuple_check(state) && tuple_size(state) >= size) return true;
    return raise_error(TypeError, "%.200T.__setstate__ argument should be %zd-tuple, got %.200T",
                       self, size, state);
}

// The last two parts of a state.
static bool restore(ValueRef self, ValueRef position, ValueRef dict, const char *which)
{
    MemoryIO *memory = as_memory_io(self);
    ssize_t number;
    if (!int_check(position))
        return raise_error(TypeError, "%s item of state must be an integer, %s %.200T", which,
                           memory->is_text ? "got" : "not", position);
    if (!int_as_ssize(position, &number)) return false;
    if (number < 0) return raise_error(ValueError, "position value cannot be negative");
    memory->position = (size_t)number;
    if (dict == NONE) return true;
    if (!dict_check(dict))
        return raise_error(TypeError, "%s item of state should be a dict, got a %.200T",
                           memory->is_text ? "fourth" : "third", dict);
    if (!memory->stream.dict) memory->stream.dict = dict_new();
    Value own_dict = retain(memory->stream.dict); // as in saved_dict()
    bool done = own_dict && dict_merge(own_dict, dict);
    drop(own_dict);
    return done;
}

// ---- BytesIO

static Value bytes_io_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)args, (void)nargs, (void)kwnames;
    return memory_new(type, false);
}

static bool put_buffer(MemoryIO *memory, ValueRef value, ssize_t *size)
{
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return false;
    *size = buffer.size;
    bool done = put(memory, 1, buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return done;
}

static bool bytes_io_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"initial_bytes", NULL};
    static const Signature signature = {"BytesIO", names, 0, 1};
    MemoryIO *memory = as_memory_io(self);
    ValueRef given[1];
    ssize_t size;
    if (!args_bind(&signature, args, nargs, kwnames, given) || !check_movable(memory)) return false;
    memory->size = memory->position = 0;
    if (!given[0] || given[0] == NONE) return true;
    if (bytes_check(given[0])) memory->stream.closed = false; // as in CPython: bytes only
    bool done = check_open(memory) && put_buffer(memory, given[0], &size);
    memory->position = 0;
    return done;
}

static Value bytes_io_write(ValueRef self, METHOD_ARGS)
{
    ssize_t size;
    if (!check_open(as_memory_io(self)) || !put_buffer(as_memory_io(self), args[0], &size))
        return VALUE_ERROR;
    return int_new(size);
}

static Value bytes_io_readinto(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    Buffer buffer;
    if (!fill_argument(args[0], "readinto", &buffer)) return VALUE_ERROR;
    if (!check_open(memory)) {
        buffer_release(&buffer);
        return VALUE_ERROR;
    }
    size_t left = left_in(memory), count = left < (size_t)buffer.size ? left : (size_t)buffer.size;
    if (count) memmove(buffer.bytes, memory->items + memory->position, count);
    memory->position += count;
    buffer_release(&buffer);
    return int_new((int64_t)count);
}

// What getbuffer() looks through: a stream itself is no bytes-like object. It keeps the stream as
// long as it is, also in a cycle that is freed: who has the buffer gives it back before.
typedef struct Lender {
    Object base;
    Value stream;
} Lender;

static bool lend_bytes(ValueRef self, Buffer *buffer, bool writable)
{
    (void)writable;
    MemoryIO *memory = as_memory_io(((Lender *)object_of(self))->stream);
    if (!check_open(memory) || !reserve(memory, memory->size + 1)) return false;
    *buffer = (Buffer){.owner = retain(self),
                       .bytes = memory->items,
                       .size = (ssize_t)memory->size,
                       .item_size = 1,
                       .format = "B",
                       .dimensions = 1};
    memory->exports++;
    return true;
}

static void take_back(Object *self)
{
    as_memory_io(((Lender *)self)->stream)->exports--;
}

static void lender_release(Object *self)
{
    drop_slot(&((Lender *)self)->stream);
}

static void lender_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((Lender *)self)->stream, visit, arg);
}

static Type lender_type = {
    STATIC_TYPE("_io._BytesIOBuffer", sizeof(Lender)),
    .flags = TYPE_GC,
    .release = lender_release,
    .traverse = lender_traverse,
    .buffer = lend_bytes,
    .release_buffer = take_back,
};

static Value getbuffer(ValueRef self, METHOD_ARGS)
{
    if (!check_open(as_memory_io(self)) || !type_ready(&lender_type)) return VALUE_ERROR;
    Value lender = own(object_alloc(&lender_type, 0));
    if (!lender) return VALUE_ERROR;
    ((Lender *)object_of(lender))->stream = retain(self);
    Value view = memoryview_new(lender);
    drop(lender);
    return view;
}

static Value bytes_io_getstate(ValueRef self, METHOD_ARGS)
{
    Value contents = getvalue(self, NULL, 0, 0), position = tell(self, NULL, 0, 0);
    Value dict = contents && position ? saved_dict(as_memory_io(self)) : VALUE_ERROR;
    Value state = dict ? tuple_pack(3, contents, position, dict) : VALUE_ERROR;
    drop(contents);
    drop(position);
    drop(dict);
    return state;
}

static Value bytes_io_setstate(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    ValueRef state = args[0];
    ssize_t size;
    if (!check_state(self, state, 3) || !check_open(memory) || !check_movable(memory))
        return VALUE_ERROR;
    memory->size = memory->position = 0;
    bool done = put_buffer(memory, tuple_at(state, 0), &size) &&
                restore(self, tuple_at(state, 1), tuple_at(state, 2), "second");
    return done ? NONE : VALUE_ERROR;
}

static const MethodDef bytes_io_methods[] = {
    {"__getstate__", bytes_io_getstate, NO_ARGS, NULL},
    {"__setstate__", bytes_io_setstate, ONE_ARG, NULL},
    {"readable", yes, NO_ARGS, NULL},
    {"writable", yes, NO_ARGS, NULL},
    {"seekable", yes, NO_ARGS, NULL},
    {"isatty", isatty_method, NO_ARGS, NULL},
    {"read", read_method, ARGS(0, 1), NULL},
    {"read1", read_method, ARGS(0, 1), NULL},
    {"readinto", bytes_io_readinto, ONE_ARG, NULL},
    {"readline", readline_method, ARGS(0, 1), NULL},
    {"readlines", bytes_io_readlines, ARGS(0, 1), NULL},
    {"write", bytes_io_write, ONE_ARG, NULL},
    {"getvalue", getvalue, NO_ARGS, NULL},
    {"getbuffer", getbuffer, NO_ARGS, NULL},
    {"tell", tell, NO_ARGS, NULL},
    {"seek", seek, ARGS(1, 2), NULL},
    {"truncate", truncate_method, ARGS(0, 1), NULL},
    {"close", close_method, NO_ARGS, NULL},
    {0},
};

static const GetSetDef memory_getset[] = {{"closed", get_closed, NULL, NULL}, {0}};

Type bytes_io_type = {
    STATIC_TYPE("_io.BytesIO", sizeof(MemoryIO)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &buffered_base_type,
    .methods = bytes_io_methods,
    .getset = memory_getset,
    .new_ = bytes_io_new,
    .init = bytes_io_init,
    .release = memory_release,
    .traverse = stream_traverse,
    .clear = stream_clear,
    .next = next_line,
};

// ---- StringIO

static Value string_io_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)args, (void)nargs, (void)kwnames;
    return memory_new(type, true);
}

static void note_ends(MemoryIO *memory, const Str *text)
{
    for (ssize_t i = 0; i < text->length; i++) {
        uint32_t point = str_at(text, i);
        if (point == '\n') memory->seen |= SEEN_LF;
        if (point != '\r') continue;
        bool has_lf = i + 1 < text->length && str_at(text, i + 1) == '\n';
        memory->seen |= has_lf ? SEEN_CRLF : SEEN_CR;
        i += has_lf;
    }
}

static bool put_part(MemoryIO *memory, const Str *text, ssize_t from, ssize_t to)
{
    return put(memory, text->kind, point_at(text->kind, text->data, from), (size_t)(to - from));
}

// Writes a text, with other line ends where newline=... asks for them.
static bool put_text(MemoryIO *memory, ValueRef value)
{
    const Str *text = as_str(value);
    bool universal = memory->write_universal;
    uint32_t translated = universal ? '\r' : '\n';
    const char *line_end = universal ? "\n" : memory->line_end;
    ssize_t from = 0, length = text->length;
    if (universal || memory->read_universal) note_ends(memory, text);
    for (ssize_t i = 0; (universal || line_end[0] != '\n') && i < length; i++) {
        if (str_at(text, i) != translated) continue;
        if (!put_part(memory, text, from, i) || !put(memory, 1, line_end, strlen(line_end)))
            return false;
        i += universal && i + 1 < length && str_at(text, i + 1) == '\n';
        from = i + 1;
    }
    return put_part(memory, text, from, length);
}

// The line ends that newline=... may name, "" first; -1 = none of them.
static const char *const line_ends[] = {"", "\n", "\r", "\r\n"};

static int line_end_number(ValueRef newline)
{
    for (int i = 0; i < 4; i++)
        if (str_equal_ascii(newline, line_ends[i])) return i;
    return -1;
}

static bool check_newline(ValueRef newline)
{
    if (!newline || newline == NONE) return true;
    if (!str_check(newline))
        return raise_error(TypeError, "newline must be str or None, not %.200T", newline);
    return line_end_number(newline) >= 0 ||
           raise_error(ValueError, "illegal newline value: %R", newline);
}

static void set_newline(MemoryIO *memory, ValueRef newline)
{
    int number = newline && newline != NONE ? line_end_number(newline) : 1;
    memory->write_universal = newline == NONE;
    memory->read_universal = number == 0;
    memory->line_end = line_ends[number ? number : 1];
    memory->seen = 0;
}

static bool string_io_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"initial_value", "newline", NULL};
    static const Signature signature = {"StringIO", names, 0, 2};
    MemoryIO *memory = as_memory_io(self);
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given) || !check_newline(given[1]))
        return false;
    if (given[0] && given[0] != NONE && !str_check(given[0]))
        return raise_error(TypeError, "initial_value must be str or None, not %.200T", given[0]);
    set_newline(memory, given[1]);
    memory->size = memory->position = 0;
    memory->ready = !given[0] || given[0] == NONE || put_text(memory, given[0]);
    memory->position = 0;
    memory->stream.closed = false;
    return memory->ready;
}

static Value string_io_write(ValueRef self, METHOD_ARGS)
{
    if (!check_open(as_memory_io(self))) return VALUE_ERROR;
    if (!str_check(args[0]))
        return raise_error(TypeError, "string argument expected, got '%.200T'", args[0]);
    return put_text(as_memory_io(self), args[0]) ? int_new(str_length(args[0])) : VALUE_ERROR;
}

static Value newline_argument(const MemoryIO *memory)
{
    if (memory->write_universal) return NONE;
    return str_new(memory->read_universal ? "" : memory->line_end);
}

static Value string_io_getstate(ValueRef self, METHOD_ARGS)
{
    const MemoryIO *memory = as_memory_io(self);
    if (!check_open(memory)) return VALUE_ERROR;
    Value contents = getvalue(self, NULL, 0, 0), position = tell(self, NULL, 0, 0);
    Value newline = newline_argument(memory);
    Value dict = contents && position && newline ? saved_dict(memory) : VALUE_ERROR;
    Value state = dict ? tuple_pack(4, contents, newline, position, dict) : VALUE_ERROR;
    drop(contents);
    drop(position);
    drop(newline);
    drop(dict);
    return state;
}

static Value string_io_setstate(ValueRef self, METHOD_ARGS)
{
    MemoryIO *memory = as_memory_io(self);
    if (!check_not_closed(memory) || !check_state(self, args[0], 4)) return VALUE_ERROR;
    ValueRef text = tuple_at(args[0], 0), given[] = {text, tuple_at(args[0], 1)};
    if (!string_io_init(self, given, 2, 0)) return VALUE_ERROR;
    if (!str_check(text))
        return raise_error(TypeError, "initial_value must be str or None, not %.200T", text);
    memory->size = 0; // it was translated once, before it was saved
    if (!put_part(memory, as_str(text), 0, str_length(text))) return VALUE_ERROR;
    memory->position = 0;
    bool done = restore(self, tuple_at(args[0], 2), tuple_at(args[0], 3), "third");
    return done ? NONE : VALUE_ERROR;
}

static Value get_newlines(ValueRef self)
{
    return check_open(as_memory_io(self)) ? newlines_seen(as_memory_io(self)->seen) : VALUE_ERROR;
}

static Value get_line_buffering(ValueRef self)
{
    return check_open(as_memory_io(self)) ? FALSE : VALUE_ERROR;
}

static const GetSetDef string_io_getset[] = {
    {"closed", get_closed, NULL, NULL},
    {"newlines", get_newlines, NULL, NULL},
    {"line_buffering", get_line_buffering, NULL, NULL},
    {0},
};

static const MethodDef string_io_methods[] = {
    {"__getstate__", string_io_getstate, NO_ARGS, NULL},
    {"__setstate__", string_io_setstate, ONE_ARG, NULL},
    {"readable", yes, NO_ARGS, NULL},
    {"writable", yes, NO_ARGS, NULL},
    {"seekable", yes, NO_ARGS, NULL},
    {"read", read_method, ARGS(0, 1), NULL},
    {"readline", readline_method, ARGS(0, 1), NULL},
    {"write", string_io_write, ONE_ARG, NULL},
    {"getvalue", getvalue, NO_ARGS, NULL},
    {"tell", tell, NO_ARGS, NULL},
    {"seek", seek, ARGS(1, 2), NULL},
    {"truncate", truncate_method, ARGS(0, 1), NULL},
    {"close", close_method, NO_ARGS, NULL},
    {0},
};

Type string_io_type = {
    STATIC_TYPE("_io.StringIO", sizeof(MemoryIO)),
    .flags = TYPE_BASE | TYPE_GC,
    .base_type = &text_base_type,
    .methods = string_io_methods,
    .getset = string_io_getset,
    .new_ = string_io_new,
    .init = string_io_init,
    .release = memory_release,
    .traverse = stream_traverse,
    .clear = stream_clear,
    .next = next_line,
};
