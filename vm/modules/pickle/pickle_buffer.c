// The type PickleBuffer. It stands for the buffer of another object that a pickle of protocol 5 may
// leave to the caller, instead of holding a copy.
//
// It holds that buffer until release(), and lends none of its own: who asks gets one of the object.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/text.h"
#include "objects/type.h"
#include "vm/modules/pickle/pickle.h"

typedef struct PickleBuffer {
    Object base;
    Buffer held; // no owner = released
    Value weakrefs;
} PickleBuffer;

static PickleBuffer *as_pickle_buffer(ValueRef value)
{
    return (PickleBuffer *)object_of(value);
}

static bool check_held(ValueRef self)
{
    return as_pickle_buffer(self)->held.owner ||
           raise_error(ValueError, "operation forbidden on released PickleBuffer object");
}

static Value construct(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"", NULL};
    static const Signature signature = {"PickleBuffer", names, 1, 1};
    ValueRef object;
    Buffer held;
    if (!args_bind(&signature, args, nargs, kwnames, &object) ||
        !buffer_get_strided(object, &held, false))
        return VALUE_ERROR;
    PickleBuffer *self = object_alloc(type, 0);
    if (self)
        self->held = held;
    else
        buffer_release(&held);
    return own(self);
}

static void release(Object *self)
{
    buffer_release(&((PickleBuffer *)self)->held);
}

static void traverse(Object *self, VisitFn visit, void *arg)
{
    Value owner = ((PickleBuffer *)self)->held.owner;
    if (owner) visit(owner, arg);
}

static bool buffer_slot(ValueRef self, Buffer *buffer, bool writable)
{
    return check_held(self) &&
           buffer_get_strided(as_pickle_buffer(self)->held.owner, buffer, writable);
}

static Value method_release(ValueRef self, METHOD_ARGS)
{
    buffer_release(&as_pickle_buffer(self)->held);
    return NONE;
}

// The same memory as a row of bytes.
static Value method_raw(ValueRef self, METHOD_ARGS)
{
    if (!check_held(self)) return VALUE_ERROR;
    if (!buffer_is_contiguous(&as_pickle_buffer(self)->held))
        return raise_error(BufferError, "cannot extract raw buffer from non-contiguous buffer");
    Value view = memoryview_new(self), name = VALUE_ERROR, format = VALUE_ERROR, raw = VALUE_ERROR;
    if (view) name = str_intern("cast");
    if (name) format = str_from_utf8("B", 1);
    if (format) raw = object_call_method_one(view, name, format);
    drop(format);
    drop(name);
    drop(view);
    return raw;
}

static const MethodDef methods[] = {
    {"raw", method_raw, NO_ARGS, NULL},
    {"release", method_release, NO_ARGS, NULL},
    {0},
};

Type pickle_buffer_type = {
    STATIC_TYPE("pickle.PickleBuffer", sizeof(PickleBuffer)),
    .flags = TYPE_GC,
    .weakref_offset = offsetof(PickleBuffer, weakrefs),
    .methods = methods,
    .new_ = construct,
    .release = release,
    .traverse = traverse,
    .clear = release,
    .buffer = buffer_slot,
};
