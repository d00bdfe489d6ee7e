// The module _mmap: the memory of a map, for vm/lib/mmap.mpy, and bytes_of(), which copies those of
// a bytes-like object.
//
// Memory is a base class. Its bytes are lent as a buffer, so its size does not change meanwhile. A
// program may write into a buffer at any time: what has changed since the first was lent is found
// by comparing with a copy of that time.
//
// _start(size, read_only)   zeros; once, before anything else
// _get(start, stop)         bytes; _put(start, bytes) changes them, read-only or not
// _find(bytes, start, stop, direction)   where they are first, or last (-1); -1 = nowhere
// _line(start)              bytes, up to the end of a line or of the memory
// _changed()                None, or where the bytes begin and end that were changed in a buffer
// _resize(size), _stop()    BufferError while a buffer is lent
// _writes                   what is put by index or slice goes to _write_file(start, bytes), too
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/bytes_parts.h"
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/text.h"
#include "objects/type.h"

typedef struct Memory {
    Object base;
    char *bytes; // NULL = not started, or stopped
    char *known; // what they were when a buffer was lent, or put since; NULL = none was lent
    ssize_t size;
    ssize_t exports;
    bool read_only, writes;
} Memory;

static Memory *as_memory(ValueRef value)
{
    return (Memory *)object_of(value);
}

static bool check_open(const Memory *memory)
{
    return memory->bytes || raise_error(ValueError, "mmap closed or invalid");
}

static bool check_range(const Memory *memory, ssize_t start, ssize_t size)
{
    if (!check_open(memory)) return false;
    return (start >= 0 && size >= 0 && size <= memory->size - start) ||
           raise_error(IndexError, "mmap index out of range");
}

static bool check_span(const Memory *memory, ssize_t start, ssize_t stop)
{
    return check_range(memory, start, start < 0 || stop < start ? -1 : stop - start);
}

static Value memory_new(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}

static void memory_release(Object *self)
{
    Memory *memory = (Memory *)self;
    memory_free(memory->bytes);
    memory_free(memory->known);
    memory->bytes = memory->known = NULL;
}

static Value memory_start(ValueRef self, METHOD_ARGS)
{
    Memory *memory = as_memory(self);
    ssize_t size;
    bool read_only; // both are asked first: that may run script code, which may come here as well
    if (!argument_ssize(args[0], &size) || !object_truth(args[1], &read_only)) return VALUE_ERROR;
    if (memory->bytes) return raise_error(ValueError, "the memory is in use");
    if (size <= 0) return raise_error(ValueError, "there is no empty memory");
    memory->bytes = memory_alloc_zeroed((size_t)size);
    if (!memory->bytes) return raise_memory_error();
    memory->size = size;
    memory->read_only = read_only;
    return NONE;
}

static Value memory_get(ValueRef self, METHOD_ARGS)
{
    const Memory *memory = as_memory(self);
    ssize_t start, stop;
    if (!argument_ssize(args[0], &start) || !argument_ssize(args[1], &stop) ||
        !check_span(memory, start, stop))
        return VALUE_ERROR;
    return bytes_new(memory->bytes + start, (size_t)(stop - start));
}

static Value memory_find(ValueRef self, METHOD_ARGS)
{
    const Memory *memory = as_memory(self);
    ssize_t start, stop;
    int direction;
    Buffer searched;
    if (!argument_ssize(args[1], &start) || !argument_ssize(args[2], &stop) ||
        !argument_int(args[3], &direction) || !check_span(memory, start, stop) ||
        !buffer_get(args[0], &searched, false))
        return VALUE_ERROR;
    ssize_t found = text_find(1, memory->bytes + start, stop - start, 1, searched.bytes,
                              searched.size, direction);
    buffer_release(&searched);
    return from_small(found < 0 ? -1 : start + found);
}

static Value memory_line(ValueRef self, METHOD_ARGS)
{
    const Memory *memory = as_memory(self);
    ssize_t start;
    if (!argument_ssize(args[0], &start) || !check_open(memory)) return VALUE_ERROR;
    if (start < 0 || start >= memory->size) return bytes_new("", 0);
    const char *line = memory->bytes + start, *end = memory->bytes + memory->size;
    const char *found = memchr(line, '\n', (size_t)(end - line));
    return bytes_new(line, (size_t)((found ? found + 1 : end) - line));
}

static bool put(Memory *memory, ssize_t start, const Buffer *data)
{
    if (!check_range(memory, start, data->size)) return false;
    memmove(memory->bytes + start, data->bytes, (size_t)data->size);
    if (memory->known) memcpy(memory->known + start, memory->bytes + start, (size_t)data->size);
    return true;
}

static Value memory_put(ValueRef self, METHOD_ARGS)
{
    ssize_t start;
    Buffer data;
    if (!argument_ssize(args[0], &start) || !buffer_get(args[1], &data, false)) return VALUE_ERROR;
    bool done = put(as_memory(self), start, &data);
    buffer_release(&data);
    return done ? NONE : VALUE_ERROR;
}

static Value memory_changed(ValueRef self, METHOD_ARGS)
{
    const Memory *memory = as_memory(self);
    if (!memory->bytes || !memory->known) return NONE;
    ssize_t start = 0, stop = memory->size;
    while (start < stop && memory->bytes[start] == memory->known[start]) start++;
    while (stop > start && memory->bytes[stop - 1] == memory->known[stop - 1]) stop--;
    if (start >= stop) return NONE;
    memcpy(memory->known + start, memory->bytes + start, (size_t)(stop - start));
    return tuple_pack(2, from_small(start), from_small(stop));
}

static bool change_size(Memory *memory, ssize_t size)
{
    char *grown = memory_resize(memory->bytes, (size_t)size);
    if (!grown) return raise_memory_error();
    if (size > memory->size) memset(grown + memory->size, 0, (size_t)(size - memory->size));
    memory->bytes = grown;
    memory->size = size;
    memory_free(memory->known); // no buffer is lent now
    memory->known = NULL;
    return true;
}

static Value memory_change_size(ValueRef self, METHOD_ARGS)
{
    Memory *memory = as_memory(self);
    ssize_t size;
    if (!argument_ssize(args[0], &size) || !check_open(memory)) return VALUE_ERROR;
    if (memory->exports)
        return raise_error(BufferError, "mmap can't resize with extant buffers exported.");
    if (size <= 0) return raise_error(ValueError, "there is no empty memory");
    return change_size(memory, size) ? NONE : VALUE_ERROR;
}

static Value memory_stop(ValueRef self, METHOD_ARGS)
{
    if (as_memory(self)->exports)
        return raise_error(BufferError, "cannot close exported pointers exist");
    memory_release(object_of(self));
    return NONE;
}

static bool length(ValueRef self, ssize_t *size)
{
    *size = as_memory(self)->size;
    return check_open(as_memory(self));
}

static bool remember(Memory *memory)
{
    if (memory->known) return true;
    memory->known = memory_alloc((size_t)memory->size);
    if (!memory->known) return raise_memory_error();
    memcpy(memory->known, memory->bytes, (size_t)memory->size);
    return true;
}

static bool buffer_slot(ValueRef self, Buffer *buffer, bool writable)
{
    Memory *memory = as_memory(self);
    if (!check_open(memory)) return false;
    if (writable && memory->read_only) return raise_error(BufferError, "Object is not writable.");
    if (!memory->read_only && !remember(memory)) return false;
    buffer_fill(buffer, self, memory->bytes, memory->size, memory->read_only);
    memory->exports++;
    return true;
}

static void release_buffer_slot(Object *self)
{
    ((Memory *)self)->exports--;
}

// ---- by index and by slice

static bool find_index(ValueRef self, ValueRef key, const char *refusal, ssize_t *index)
{
    const Memory *memory = as_memory(self);
    if (!is_small(key) && !type_of(key)->index) return raise_error(TypeError, "%s", refusal);
    if (!object_as_ssize(key, index, IndexError)) return false;
    if (*index < 0) *index += memory->size;
    return check_range(memory, *index, 1); // the key's __index__ may have closed it
}

typedef struct Range {
    ssize_t start, stop, step, count;
} Range;

static bool find_range(ValueRef self, ValueRef slice, Range *range)
{
    const Memory *memory = as_memory(self);
    if (!slice_unpack(slice, &range->start, &range->stop, &range->step) || !check_open(memory))
        return false;
    slice_adjust(memory->size, &range->start, &range->stop, range->step, &range->count);
    return true;
}

static Value subscript_slot(ValueRef self, ValueRef key)
{
    const Memory *memory = as_memory(self);
    ssize_t index;
    Range range;
    if (!check_open(memory)) return VALUE_ERROR;
    if (!slice_check(key))
        return find_index(self, key, "mmap indices must be integers", &index)
                   ? from_small((uint8_t)memory->bytes[index])
                   : VALUE_ERROR;
    if (!find_range(self, key, &range)) return VALUE_ERROR;
    if (range.step == 1 || range.count == 0)
        return bytes_new(memory->bytes + range.start, (size_t)range.count);
    Value bytes = bytes_new(NULL, (size_t)range.count);
    for (ssize_t i = 0; bytes && i < range.count; i++)
        as_bytes(bytes)->data[i] = memory->bytes[range.start + i * range.step];
    return bytes;
}

// Puts as many bytes as the range has, and hands on to the file all from the first to the last.
static bool change(ValueRef self, Range range, const char *bytes)
{
    Memory *memory = as_memory(self);
    for (ssize_t i = 0; i < range.count; i++) {
        ssize_t index = range.start + i * range.step;
        memory->bytes[index] = bytes[i];
        if (memory->known) memory->known[index] = bytes[i];
    }
    if (!memory->writes || range.count == 0) return true;
    ssize_t last = range.start + (range.count - 1) * range.step;
    ssize_t low = range.step > 0 ? range.start : last, high = range.step > 0 ? last : range.start;
    Value method = str_intern("_write_file"), done = VALUE_ERROR;
    Value data = method ? bytes_new(memory->bytes + low, (size_t)(high + 1 - low)) : VALUE_ERROR;
    ValueRef args[] = {self, from_small(low), data};
    if (data) done = object_call_method(method, args, 3, 0);
    bool written = bits_of(done) != bits_of(VALUE_ERROR);
    drop(done);
    drop(data);
    drop(method);
    return written;
}

static bool set_item(ValueRef self, ValueRef key, ValueRef value)
{
    ssize_t index;
    uint8_t byte;
    if (!find_index(self, key, "mmap indices must be integer", &index)) return false;
    if (!is_small(value) && !type_of(value)->index)
        return raise_error(TypeError, "mmap item value must be an int");
    if (!byte_value(value, &byte, "mmap item value must be in range(0, 256)") ||
        !check_range(as_memory(self), index, 1))
        return false;
    return change(self, (Range){index, index + 1, 1, 1}, (const char *)&byte);
}

static bool set_slice(ValueRef self, ValueRef slice, ValueRef data)
{
    Range range;
    if (!find_range(self, slice, &range)) return false;
    if (as_bytes(data)->size != range.count)
        return raise_error(IndexError, "mmap slice assignment is wrong size");
    return change(self, range, as_bytes(data)->data);
}

static Value copy_of(ValueRef value)
{
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return VALUE_ERROR;
    Value copy = bytes_new(buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return copy;
}

static bool set_subscript_slot(ValueRef self, ValueRef key, ValueRef value)
{
    if (!check_open(as_memory(self))) return false;
    if (as_memory(self)->read_only)
        return raise_error(TypeError, "mmap can't modify a readonly memory map.");
    if (!value) return raise_error(TypeError, "mmap doesn't support item deletion");
    if (!slice_check(key)) return set_item(self, key, value);
    Value data = copy_of(value); // it may be a view of this memory
    bool done = data && set_slice(self, key, data);
    drop(data);
    return done;
}

static Value get_closed(ValueRef self)
{
    return from_bool(!as_memory(self)->bytes);
}

static const MethodDef methods[] = {
    {"_start", memory_start, ARGS(2, 2), NULL},
    {"_get", memory_get, ARGS(2, 2), NULL},
    {"_find", memory_find, ARGS(4, 4), NULL},
    {"_put", memory_put, ARGS(2, 2), NULL},
    {"_changed", memory_changed, NO_ARGS, NULL},
    {"_resize", memory_change_size, ONE_ARG, NULL},
    {"_stop", memory_stop, NO_ARGS, NULL},
    {"_line", memory_line, ONE_ARG, NULL},
    {0},
};

static const MemberDef members[] = {
    {"_writes", MEMBER_BOOL, offsetof(Memory, writes), false, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"closed", get_closed, NULL, NULL},
    {0},
};

static Type memory_type = {
    STATIC_TYPE("_mmap.Memory", sizeof(Memory)),
    .flags = TYPE_BASE,
    .methods = methods,
    .members = members,
    .getset = getset,
    .new_ = memory_new,
    .release = memory_release,
    .length = length,
    .subscript = subscript_slot,
    .set_subscript = set_subscript_slot,
    .buffer = buffer_slot,
    .release_buffer = release_buffer_slot,
};

static Value bytes_of(FUNCTION_ARGS)
{
    return copy_of(args[0]);
}

static const MethodDef functions[] = {
    {"bytes_of", bytes_of, ONE_ARG, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&memory_type) && module_add_type(module, &memory_type);
}

const ModuleDef _mmap_module = {
    .name = "_mmap",
    .doc = "The memory of maps.",
    .functions = functions,
    .fill = fill,
};
