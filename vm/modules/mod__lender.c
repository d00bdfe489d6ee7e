// The module `_lender`: a base class for objects that are a view of other bytes, such as those of
// `ctypes` (vm/lib/_ctypes/). They lend these bytes as a buffer.
//
// _lend(memory, offset, size)   once it is made: a bytearray or a memoryview, and which bytes of it
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "objects/type.h"

typedef struct Lender {
    Object base;
    Value memory; // 0 = there is none yet
    ssize_t offset, size;
} Lender;

static Lender *as_lender(ValueRef value)
{
    return (Lender *)object_of(value);
}

static Value lender_new(Type *type, METHOD_ARGS)
{
    return own(object_alloc(type, 0));
}

static void lender_release(Object *self)
{
    drop_slot(&((Lender *)self)->memory);
}

static void lender_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((Lender *)self)->memory, visit, arg);
}

static Value lender_lend(ValueRef self, METHOD_ARGS)
{
    Lender *lender = as_lender(self);
    ssize_t offset, size;
    if (!is_exactly(args[0], &bytearray_type) && !is_exactly(args[0], &memoryview_type))
        return raise_error(TypeError, "_lend() needs a bytearray or a memoryview");
    if (!argument_ssize(args[1], &offset) || !argument_ssize(args[2], &size)) return VALUE_ERROR;
    Value old = lender->memory;
    lender->memory = retain(args[0]);
    lender->offset = offset;
    lender->size = size;
    drop(old);
    return NONE;
}

// The bytes may have become fewer since.
static bool buffer_slot(ValueRef self, Buffer *buffer, bool writable)
{
    const Lender *lender = as_lender(self);
    if (!lender->memory) return raise_error(BufferError, "the object has no bytes yet");
    if (!buffer_get(lender->memory, buffer, writable)) return false;
    ssize_t offset = lender->offset, size = lender->size;
    if (offset >= 0 && size >= 0 && offset <= buffer->size && size <= buffer->size - offset) {
        Buffer whole = *buffer;
        *buffer = (Buffer){
            .owner = whole.owner,
            .bytes = whole.bytes + offset,
            .size = size,
            .item_size = 1,
            .read_only = whole.read_only,
            .format = "B",
            .dimensions = 1,
        };
        return true;
    }
    buffer_release(buffer);
    return raise_error(BufferError, "the object's bytes are gone");
}

static const MethodDef methods[] = {
    {"_lend", lender_lend, ARGS(3, 3), NULL},
    {0},
};

static Type lender_type = {
    STATIC_TYPE("_lender.Lender", sizeof(Lender)),
    .flags = TYPE_BASE | TYPE_GC,
    .methods = methods,
    .new_ = lender_new,
    .release = lender_release,
    .traverse = lender_traverse,
    .clear = lender_release,
    .buffer = buffer_slot,
};

static bool fill(ValueRef module)
{
    return type_ready(&lender_type) && module_add_type(module, &lender_type);
}

const ModuleDef _lender_module = {
    .name = "_lender",
    .doc = "A base class for views of other objects' bytes.",
    .fill = fill,
};
