// The module _struct: values as bytes of C's layouts, for vm/lib/struct.mpy.
//
//     struct_format.c   a format            struct_values.c   bytes to values, values to bytes
//
// A format is read once, into fields:
//
//     "<2hx3s"    { 'h', at 0, 2 values of 2 bytes }  { 's', at 5, 1 value of 3 bytes }     8 bytes
//
// `@`, which is the default, has the sizes and the alignment of this machine, `=` its order of
// bytes, `<`, `>` and `!` the order that they say, with the standard sizes. All that is wrong
// raises _struct.error. CPython: Modules/_struct.c.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/bytes/codecs.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "vm/modules/struct/struct.h"

static Type struct_type;

static Value format_bytes(ValueRef format)
{
    if (str_check(format) && as_str(format)->ascii)
        return bytes_new(as_str(format)->data, (size_t)as_str(format)->length);
    if (str_check(format)) return text_encode(format, "ascii", NULL);
    if (bytes_check(format)) return retain(format);
    return raise_error(TypeError, "Struct() argument 1 must be a str or bytes object, not %.200T",
                       format);
}

static Value struct_new(Type *type, METHOD_ARGS)
{
    Struct *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->size = made->items = -1;
    return own(made);
}

static bool struct_init(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"format", NULL};
    static const Signature signature = {"Struct", names, 1, 1};
    ValueRef format;
    if (!args_bind(&signature, args, nargs, kwnames, &format)) return false;
    if (as_struct(self)->busy) return raise_error(RuntimeError, "the Struct is in use");
    Value bytes = format_bytes(format);
    if (bytes && read_format(as_struct(self), bytes)) return true;
    as_struct(self)->size = as_struct(self)->items = -1;
    forget_format(object_of(self));
    return false;
}

// The Struct of a format: owned.
static Value struct_of(ValueRef format)
{
    if (is_exactly(format, &struct_type)) return retain(format);
    Value bytes = format_bytes(format);
    Struct *made = bytes ? object_alloc(&struct_type, 0) : NULL;
    if (made && read_format(made, bytes)) return own(made);
    if (made)
        drop(own(made));
    else
        drop(bytes);
    return VALUE_ERROR;
}

// ---- offsets in a buffer

// Where the struct is in a buffer, by an offset that may count from the end.
static char *place_in(const Struct *self, const Buffer *buffer, ssize_t offset, bool pack)
{
    ssize_t size = self->size;
    if (offset < 0 && offset + size > 0)
        raise_struct(pack ? "no space to pack %zd bytes at offset %zd"
                          : "not enough data to unpack %zd bytes at offset %zd",
                     size, offset);
    else if (offset < 0 && offset + buffer->size < 0)
        raise_struct("offset %zd out of range for %zd-byte buffer", offset, buffer->size);
    else if (offset < 0)
        return buffer->bytes + buffer->size + offset;
    else if (buffer->size - offset >= size)
        return buffer->bytes + offset;
    else
        raise_struct("%s requires a buffer of at least %zu bytes for %s %zd bytes at offset %zd "
                     "(actual buffer size is %zd)",
                     pack ? "pack_into" : "unpack_from", (size_t)size + (size_t)offset,
                     pack ? "packing" : "unpacking", size, offset, buffer->size);
    return NULL;
}

static Value pack_into(Struct *self, const ValueRef *args, size_t nargs)
{
    if (nargs < 2)
        return raise_struct("pack_into expected %s argument", nargs ? "offset" : "buffer");
    if (!check_count(self, "pack_into", nargs - 2)) return VALUE_ERROR;
    Buffer buffer;
    if (!buffer_get(args[0], &buffer, true)) {
        if (!error_is(BufferError)) return VALUE_ERROR;
        error_clear();
        return raise_error(TypeError, "argument must be read-write bytes-like object, not %.50T",
                           args[0]);
    }
    ssize_t offset;
    char *at = NULL;
    self->busy++;
    if (object_as_ssize(args[1], &offset, IndexError)) at = place_in(self, &buffer, offset, true);
    bool done = at && pack_values(self, args + 2, at);
    self->busy--;
    buffer_release(&buffer);
    return done ? NONE : VALUE_ERROR;
}

static Value unpack(Struct *self, ValueRef value)
{
    Buffer buffer;
    if (!buffer_get(value, &buffer, false)) return VALUE_ERROR;
    Value values = buffer.size == self->size
                       ? unpack_all(self, buffer.bytes)
                       : raise_struct("unpack requires a buffer of %zd bytes", self->size);
    buffer_release(&buffer);
    return values;
}

static Value unpack_from(Struct *self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"buffer", "offset", NULL};
    static const Signature signature = {"unpack_from", names, 1, 2};
    ValueRef slots[2];
    ssize_t offset = 0;
    Buffer buffer;
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (slots[1] && !argument_ssize(slots[1], &offset)) return VALUE_ERROR;
    if (!buffer_get(slots[0], &buffer, false)) return VALUE_ERROR;
    const char *at = self->items < 0 ? NULL : place_in(self, &buffer, offset, false);
    Value values = at ? unpack_all(self, at) : VALUE_ERROR;
    buffer_release(&buffer);
    if (self->items < 0) return raise_struct("unpack_from of a Struct without a format");
    return values;
}

// ---- iter_unpack()

typedef struct UnpackIterator {
    Object base;
    Value layout;  // the Struct
    Buffer buffer; // its owner is VALUE_ERROR at the end
    ssize_t at;
} UnpackIterator;

static UnpackIterator *as_unpack_iterator(ValueRef value)
{
    return (UnpackIterator *)object_of(value);
}

static void end_iterator(Object *object)
{
    UnpackIterator *self = (UnpackIterator *)object;
    Value layout = self->layout;
    if (!layout) return;
    self->layout = VALUE_ERROR; // what the buffer's owner does as it goes may ask for the next one
    as_struct(layout)->busy--;
    buffer_release(&self->buffer);
    drop(layout);
}

static void traverse_iterator(Object *object, VisitFn visit, void *arg)
{
    const UnpackIterator *self = (const UnpackIterator *)object;
    visit_item(self->layout, visit, arg);
    if (self->layout) visit_item(self->buffer.owner, visit, arg);
}

static Value unpack_next(ValueRef value)
{
    UnpackIterator *self = as_unpack_iterator(value);
    if (!self->layout) return ABSENT;
    const Struct *layout = as_struct(self->layout);
    if (self->at + layout->size > self->buffer.size) {
        end_iterator(&self->base);
        return ABSENT;
    }
    self->at += layout->size;
    return unpack_all(layout, self->buffer.bytes + self->at - layout->size);
}

static Value unpack_length_hint(ValueRef value, METHOD_ARGS)
{
    const UnpackIterator *self = as_unpack_iterator(value);
    if (!self->layout) return from_small(0);
    return int_new((self->buffer.size - self->at) / as_struct(self->layout)->size);
}

static const MethodDef iterator_methods[] = {
    {"__length_hint__", unpack_length_hint, NO_ARGS, NULL},
    {0},
};

static Type unpack_iterator_type = {
    STATIC_TYPE("_struct.unpack_iterator", sizeof(UnpackIterator)),
    .flags = TYPE_GC,
    .release = end_iterator,
    .traverse = traverse_iterator,
    .clear = end_iterator,
    .getattribute = object_generic_get,
    .iter = iterator_self,
    .next = unpack_next,
    .methods = iterator_methods,
};

static Value iter_unpack(ValueRef layout, ValueRef value)
{
    Struct *self = as_struct(layout);
    Buffer buffer;
    if (self->size <= 0)
        return raise_struct("cannot iteratively unpack with a struct of length %zd", self->size);
    if (!buffer_get(value, &buffer, false)) return VALUE_ERROR;
    UnpackIterator *made = NULL;
    if (buffer.size % self->size)
        raise_struct("iterative unpacking requires a buffer of a multiple of %zd bytes",
                     self->size);
    else
        made = object_alloc(&unpack_iterator_type, 0);
    if (!made) {
        buffer_release(&buffer);
        return VALUE_ERROR;
    }
    made->layout = retain(layout);
    made->buffer = buffer;
    self->busy++;
    return own(made);
}

// ---- the type

static Value struct_pack(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)kwnames;
    return pack_all(as_struct(self), "pack", args, nargs);
}

static Value struct_pack_into(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)kwnames;
    return pack_into(as_struct(self), args, nargs);
}

static Value struct_unpack(ValueRef self, METHOD_ARGS)
{
    return unpack(as_struct(self), args[0]);
}

static Value struct_unpack_from(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    return unpack_from(as_struct(self), args, nargs, kwnames);
}

static Value struct_iter_unpack(ValueRef self, METHOD_ARGS)
{
    return iter_unpack(self, args[0]);
}

static Value struct_format(ValueRef self)
{
    Value format = as_struct(self)->format;
    if (!format) return NONE;
    return str_from_latin1(as_bytes(format)->data, (size_t)as_bytes(format)->size);
}

static Value struct_size(ValueRef self)
{
    return int_new(as_struct(self)->size);
}

static const MethodDef struct_methods[] = {
    {"pack", struct_pack, ARGS(0, -1), NULL},
    {"pack_into", struct_pack_into, ARGS(0, -1), NULL},
    {"unpack", struct_unpack, ONE_ARG, NULL},
    {"unpack_from", struct_unpack_from, KEYWORD_ARGS, NULL},
    {"iter_unpack", struct_iter_unpack, ONE_ARG, NULL},
    {0},
};

static const GetSetDef struct_getset[] = {
    {"format", struct_format, NULL, NULL},
    {"size", struct_size, NULL, NULL},
    {0},
};

static Type struct_type = {
    STATIC_TYPE("_struct.Struct", sizeof(Struct)),
    .flags = TYPE_BASE,
    .methods = struct_methods,
    .getset = struct_getset,
    .new_ = struct_new,
    .init = struct_init,
    .release = forget_format,
    .getattribute = object_generic_get,
};

// ---- functions: the first argument is a format

static Value calcsize(FUNCTION_ARGS)
{
    Value layout = struct_of(args[0]);
    Value size = layout ? struct_size(layout) : VALUE_ERROR;
    drop(layout);
    return size;
}

static Value pack_function(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    if (!nargs) return raise_error(TypeError, "missing format argument");
    Value layout = struct_of(args[0]);
    Value bytes = layout ? pack_all(as_struct(layout), "pack", args + 1, nargs - 1) : VALUE_ERROR;
    drop(layout);
    return bytes;
}

static Value pack_into_function(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)self, (void)kwnames;
    if (!nargs) return raise_error(TypeError, "missing format argument");
    Value layout = struct_of(args[0]);
    Value result = layout ? pack_into(as_struct(layout), args + 1, nargs - 1) : VALUE_ERROR;
    drop(layout);
    return result;
}

static Value unpack_function(FUNCTION_ARGS)
{
    Value layout = struct_of(args[0]);
    Value values = layout ? unpack(as_struct(layout), args[1]) : VALUE_ERROR;
    drop(layout);
    return values;
}

static Value unpack_from_function(FUNCTION_ARGS)
{
    if (!nargs) return raise_error(TypeError, "unpack_from expected at least 1 argument, got 0");
    Value layout = struct_of(args[0]);
    Value values =
        layout ? unpack_from(as_struct(layout), args + 1, nargs - 1, kwnames) : VALUE_ERROR;
    drop(layout);
    return values;
}

static Value iter_unpack_function(FUNCTION_ARGS)
{
    Value layout = struct_of(args[0]);
    Value iterator = layout ? iter_unpack(layout, args[1]) : VALUE_ERROR;
    drop(layout);
    return iterator;
}

static const MethodDef functions[] = {
    {"calcsize", calcsize, ONE_ARG, NULL},
    {"pack", pack_function, ARGS(0, -1), NULL},
    {"pack_into", pack_into_function, ARGS(0, -1), NULL},
    {"unpack", unpack_function, ARGS(2, 2), NULL},
    {"unpack_from", unpack_from_function, KEYWORD_ARGS, NULL},
    {"iter_unpack", iter_unpack_function, ARGS(2, 2), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&struct_type) && type_ready(&unpack_iterator_type) &&
           module_add_type(module, &struct_type) &&
           module_add_exception(module, "struct", "error", Exception);
}

const ModuleDef _struct_module = {
    .name = "_struct",
    .doc = "Values as bytes of C's layouts.",
    .functions = functions,
    .fill = fill,
};
