// Storages, and the idle blocks that are kept for the next one of their size class.
#include "objects/tensor/storage.h"

#include "objects/call.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"

#include <stdlib.h>

// Classes: 64 KiB, 80, 96, 112, 128, 160 ... KiB; every power of two has four.
#define CLASS_FIRST 16 // 2^16 bytes
#define CLASS_COUNT 100
#define IDLE_MAX ((size_t)256 << 20)

typedef struct IdleBlock {
    struct IdleBlock *next;
} IdleBlock;

static IdleBlock *idle[CLASS_COUNT];
static size_t idle_bytes;

// ---- size classes

// The class whose blocks have room for so many bytes, at least 2^CLASS_FIRST of them; -1 = none.
static int class_of(size_t bytes)
{
    int power = 63 - __builtin_clzll((unsigned long long)bytes - 1);
    if (bytes <= (size_t)1 << CLASS_FIRST) return 0;
    int quarter = (int)(((unsigned long long)bytes - 1) >> (power - 2) & 3) + 1;
    int index = (power - CLASS_FIRST) * 4 + quarter;
    return index < CLASS_COUNT ? index : -1;
}

static unsigned long long class_bytes(int index)
{
    return (4ull + (unsigned)index % 4) << (CLASS_FIRST - 2 + index / 4);
}

// ---- blocks: aligned to 64 bytes; the word before the data points to the block of the allocator

static void *block_raw(size_t bytes)
{
    if (bytes > PTRDIFF_MAX - STORAGE_ALIGNMENT) return NULL;
    char *block = memory_alloc(bytes + STORAGE_ALIGNMENT);
    if (!block) return NULL;
    uintptr_t data = ((uintptr_t)block + STORAGE_ALIGNMENT) & ~(uintptr_t)(STORAGE_ALIGNMENT - 1);
    ((void **)data)[-1] = block;
    return (void *)data;
}

static void block_raw_free(void *data)
{
    memory_free(((void **)data)[-1]);
}

static void *block_fresh(size_t bytes)
{
    void *data = block_raw(bytes);
    if (data || !idle_bytes) return data;
    storage_flush();
    return block_raw(bytes);
}

static int kept_class(size_t nbytes)
{
    return nbytes >= (size_t)1 << CLASS_FIRST ? class_of(nbytes) : -1;
}

static void *block_alloc(size_t nbytes)
{
    int index = kept_class(nbytes);
    if (index < 0 || class_bytes(index) > IDLE_MAX) return block_fresh(nbytes);
    IdleBlock *block = idle[index];
    if (!block) return block_fresh((size_t)class_bytes(index));
    invariant(idle_bytes >= class_bytes(index), "idle_bytes counts every block that is kept");
    idle[index] = block->next;
    idle_bytes -= (size_t)class_bytes(index);
    return block;
}

static void block_free(void *data, size_t nbytes)
{
    invariant((uintptr_t)data % STORAGE_ALIGNMENT == 0, "the data of a block are aligned");
    int index = kept_class(nbytes);
    if (index < 0 || class_bytes(index) > IDLE_MAX - idle_bytes) {
        block_raw_free(data);
        return;
    }
    IdleBlock *block = data;
    block->next = idle[index];
    idle[index] = block;
    idle_bytes += (size_t)class_bytes(index);
}

void storage_flush(void)
{
    for (int i = 0; i < CLASS_COUNT; i++) {
        while (idle[i]) {
            IdleBlock *block = idle[i];
            idle[i] = block->next;
            idle_bytes -= (size_t)class_bytes(i);
            block_raw_free(block);
        }
    }
    invariant(idle_bytes == 0, "no idle block is left, and none is counted");
}

// ---- storages

// PyTorch's words, where CPython would say MemoryError.
static bool raise_no_room(size_t nbytes)
{
    return raise_error(RuntimeError,
                       "[enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't "
                       "allocate memory: you tried to allocate %zu bytes. Error code 12 (Cannot "
                       "allocate memory)",
                       nbytes);
}

Value storage_new(size_t nbytes)
{
    bool small = nbytes <= STORAGE_INLINE;
    Storage *made = object_alloc_unfilled(&storage_type, sizeof *made + (small ? nbytes : 0));
    if (!made) return VALUE_ERROR;
    made->nbytes = nbytes;
    made->version = made->writes = made->raw_bools = 0;
    made->weakrefs = VALUE_ERROR;
    made->data = small ? made->inlined : block_alloc(nbytes);
    if (made->data) return own(made);
    made->data = made->inlined;
    drop(own(made));
    raise_no_room(nbytes);
    return VALUE_ERROR;
}

static void free_data(Storage *storage)
{
    if (storage->data != storage->inlined) block_free(storage->data, storage->nbytes);
}

static void storage_release(Object *object)
{
    free_data((Storage *)object);
}

bool storage_resize(Storage *storage, size_t nbytes)
{
    if (nbytes == storage->nbytes) return true;
    // The object itself cannot grow: what is inline has room only for what it was made with.
    void *data = block_alloc(nbytes ? nbytes : 1);
    if (!data) return raise_no_room(nbytes);
    memcpy(data, storage->data, nbytes < storage->nbytes ? nbytes : storage->nbytes);
    free_data(storage);
    storage->data = data;
    storage->nbytes = nbytes;
    return true;
}

static Value storage_nbytes(ValueRef self, METHOD_ARGS)
{
    return int_new((int64_t)as_storage(self)->nbytes);
}

static const MethodDef storage_methods[] = {
    {"nbytes", storage_nbytes, NO_ARGS, "nbytes() -> int"},
    {"size", storage_nbytes, NO_ARGS, "size() -> int: the number of bytes."},
    {0},
};

Type storage_type = {
    STATIC_TYPE("torch.UntypedStorage", sizeof(Storage)),
    .doc = "The bytes that tensors share.",
    .weakref_offset = offsetof(Storage, weakrefs),
    .methods = storage_methods,
    .getattribute = object_generic_get,
    .release = storage_release,
};
