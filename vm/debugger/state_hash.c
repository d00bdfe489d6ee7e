// See state_hash.h.
#include "vm/debugger/state_hash.h"

#include "objects/bytes/bytes.h"
#include "objects/gc.h"
#include "objects/looking/show_tensor.h"
#include "objects/memory.h"
#include "objects/text/str.h"

#include <string.h>

#define PRIME 0x100000001b3u // of FNV-1a, here by words
#define BASIS 0xcbf29ce484222325u

typedef uint64_t Hash;

static void add(Hash *hash, uint64_t word)
{
    *hash = (*hash ^ word) * PRIME;
    *hash ^= *hash >> 29;
}

static void add_bytes(Hash *hash, const char *bytes, size_t size)
{
    add(hash, size);
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, sizeof word);
        add(hash, word);
    }
    for (; size > 0; size--) add(hash, (unsigned char)*bytes++);
}

// The contents of an object that the collector does not track.
static void add_contents(Hash *hash, ValueRef value)
{
    const Type *type = type_of(value);
    if (type->flags & TYPE_STR)
        add_bytes(hash, as_str(value)->data, (size_t)(str_length(value) * as_str(value)->kind));
    else if (type->flags & TYPE_BYTES)
        add_bytes(hash, (const char *)as_bytes(value)->data, (size_t)as_bytes(value)->size);
    else if (type->flags & (TYPE_INT | TYPE_FLOAT))
        add_bytes(hash, (const char *)(object_of(value) + 1), type->size - sizeof(Object));
}

static void add_value(Hash *hash, ValueRef value)
{
    if (!value || value == ABSENT || !is_object(value)) {
        add(hash, bits_of(value));
        return;
    }
    const Object *object = object_of(value);
    add(hash, (uint64_t)memory_id(object));
    add(hash, (uint64_t)memory_id(object->type));
    if (gc_has_head(object)) return; // the walk over the collector's list hashes it
    add(hash, (uint64_t)object->refcount);
    add_contents(hash, value);
}

static void add_child(ValueRef child, void *hash)
{
    add_value(hash, child);
}

static void add_tensor(Hash *hash, const Tensor *tensor)
{
    TensorState state;
    tensor_state(&state, tensor);
    add(hash, state.mark.shape);
    add(hash, state.elements);
}

static void add_tracked(Hash *hash, Object *object)
{
    add(hash, (uint64_t)memory_id(object));
    add(hash, (uint64_t)object->refcount);
    add(hash, gc_head(object)->flags);
    object->type->traverse(object, add_child, hash);
    if (tensor_check(ref_of(object))) add_tensor(hash, as_tensor(ref_of(object)));
}

static void add_frame(Hash *hash, Frame *frame)
{
    const QuickCode *quick = quick_of(as_code(frame->code));
    add_value(hash, frame->code);
    add(hash, (uint64_t)(frame->ip - quick->instructions));
    add(hash, frame->flags & ~(uint32_t)(FRAME_LINES_SEEN | FRAME_SKIPPED));
    if (frame->flags & FRAME_LINES) add(hash, (uint64_t)frame->passed[LINES_OF_TRACE].at);
    for (const Value *slot = frame->localsplus; slot < frame->sp; slot++) add_value(hash, *slot);
    for (uint32_t i = 0; i < frame->block_count; i++) {
        add(hash, (uint64_t)frame_blocks(frame)[i].handler);
        add(hash, (uint64_t)frame_blocks(frame)[i].level);
    }
}

uint64_t state_hash(const Frame *innermost)
{
    Hash hash = BASIS;
    for (const Frame *frame = innermost; frame; frame = frame->previous)
        add_frame(&hash, (Frame *)(uintptr_t)frame);
    for (int i = 0; i < GC_GENERATIONS; i++) {
        const GcGeneration *generation = &gc_generations[i];
        add(&hash, (uint64_t)generation->count);
        for (const GcHead *head = generation->head.next; head != &generation->head;
             head = head->next)
            add_tracked(&hash, gc_object(head));
    }
    return hash;
}
