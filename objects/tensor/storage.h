// The memory that tensors share: a row of bytes with a version.
//
//     +-----------------+---------------------------+------------------+-----------+
//     | refcount   type | nbytes   version   writes | data    weakrefs | 448 bytes |
//     |                 |          raw_bools        |                  | of data   |
//     +-----------------+---------------------------+--|---------------+-----------+
//                                                      |               ^
//                                                      +---------------+   small: in the object
//                                                      +--> a block aligned to 64 bytes, all else
//
// Calls in order of use: storage_new(), `data`, storage_resize(), drop() as any object.
// `writes` counts the operations that changed the data in place; `version` those of them that
// autograd knows of. It is here because all views of one memory share it: autograd compares it with
// the version it has saved. `x.data` has another one (`counter` in objects/tensor/tensor.h).
//
// A bool is a byte, 0 or 1, and kernels rely on that. `raw_bools` says that the bytes are elements
// of bool and of another dtype, because of `x.view(torch.bool)`: then a bool may be any byte, and
// what is not 0 counts as true. vm/modules/torch/call/plain_elements.c gives kernels a 0 or 1.
//
// Blocks above 64 KiB come from size classes, four for each power of two. A block that is freed is
// kept for the next storage of its class, up to 256 MiB in all: a fresh block costs a page fault
// for every 4 KiB, which is more than the arithmetic on it. storage_flush() frees what is kept; an
// allocation that fails flushes and tries once more.
//
// The contents of a new storage are undefined.
#pragma once

#include "objects/object.h"

#define STORAGE_INLINE 448 // bytes: with them a storage is a block of the allocator's fast path
#define STORAGE_ALIGNMENT 64

typedef struct Storage {
    Object base;
    size_t nbytes;
    uint64_t version;
    uint64_t writes : 63, raw_bools : 1;
    void *data;
    Value weakrefs;
    _Alignas(16) char inlined[];
} Storage;

extern Type storage_type;

static inline Storage *as_storage(ValueRef value)
{
    invariant(is_allocated(value) && is_exactly(value, &storage_type),
              "what is read as a storage is one");
    return (Storage *)object_of(value);
}

// A storage of `nbytes` bytes with version 0: owned, VALUE_ERROR with MemoryError pending.
Value storage_new(size_t nbytes);
// Makes it longer or shorter; the bytes that both lengths have stay. False with MemoryError
// pending, and then nothing has changed.
bool storage_resize(Storage *storage, size_t nbytes);
// Frees the idle blocks: for the end of the program, and where memory is short.
void storage_flush(void);
