// Objects: how they are made and freed.
//
//     block -> | front | GcHead | Object ... |      front and GcHead only where the type has them
//
// object_dealloc() is called when the count is 0. It goes through these steps in order:
// 1. call __del__, which may resurrect the object;
// 2. untrack the object;
// 3. clear its weak references and call their callbacks;
// 4. drop its contents;
// 5. free its memory;
// 6. drop the reference to its heap type.
//
// Dropping the contents may bring other counts to 0, and so on down a chain of any length. So at
// most NESTING_MAX calls nest: deeper objects wait in a list, and the outermost call frees them.
// The list is linked through the reference counts, stored as negative numbers, which no live object
// has.
#include "objects/object.h"

#include "objects/classes/weakref.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/singletons.h"
#include "objects/thread_parts.h"
#include "objects/upcalls.h"

#define NESTING_MAX 50

Type *const immediate_types[IMMEDIATE_COUNT] = {
    &none_type, &bool_type, &bool_type, &not_implemented_type, &ellipsis_type, &absent_type,
};

// ---- life

static inline void link_young(Object *object)
{
    gc_link(gc_head(object), &gc_generations[0].head);
    if (++gc_generations[0].count > gc_young_bound) eval_breaker.gc = true;
}

// The bytes before an object in its block.
static inline size_t front_of(const Type *type)
{
    return type->front + (type->flags & TYPE_GC ? sizeof(GcHead) : 0);
}

static inline void *begin(Type *type, void *block, size_t offset)
{
    invariant(is_alive(&type->base), "an instance is made of a type that is alive");
    Object *object = (Object *)(void *)((char *)block + offset);
    object->refcount = 1;
    object->type = type;
    if (type->flags & TYPE_HEAP) type->base.refcount++;
    if (type->flags & TYPE_GC) {
        gc_head(object)->flags = 0;
        link_young(object);
    }
    return object;
}

static __attribute__((noinline)) void *alloc_slow(Type *type, size_t bytes, bool zeroed)
{
    size_t offset = front_of(type);
    void *block = NULL;
    if (bytes <= PTRDIFF_MAX)
        block = zeroed ? memory_alloc_zeroed(offset + bytes) : memory_alloc_object(offset + bytes);
    if (!block) {
        raise_memory_error();
        return NULL;
    }
    memory_mark_object(block, offset);
    return begin(type, block, offset);
}

// Both functions are written so that the compiler needs no register beyond those of the call.
void *object_alloc_bytes(Type *type, size_t bytes)
{
    size_t offset = front_of(type), size = offset + bytes;
    char *block = bytes <= MEMORY_SMALL_MAX ? memory_alloc_quick(size) : NULL;
    if (!block) return alloc_slow(type, bytes, true);
    size_t cleared = 0; // blocks are multiples of 16
    for (; cleared + 32 <= size; cleared += 32) memset(block + cleared, 0, 32);
    for (; cleared < size; cleared += 16) memset(block + cleared, 0, 16);
    return begin(type, block, offset);
}

void *object_alloc_unfilled(Type *type, size_t bytes)
{
    size_t offset = front_of(type);
    void *block = bytes <= MEMORY_SMALL_MAX ? memory_alloc_quick(offset + bytes) : NULL;
    return block ? begin(type, block, offset) : alloc_slow(type, bytes, false);
}

void *object_alloc(Type *type, size_t items)
{
    size_t bytes;
    if (__builtin_mul_overflow(items, type->item_size, &bytes) ||
        __builtin_add_overflow(bytes, type->size, &bytes))
        bytes = SIZE_MAX;
    return object_alloc_bytes(type, bytes);
}

static void free_memory(Object *object, const Type *type)
{
    invariant(!(type->flags & TYPE_GC) || !gc_head(object)->next,
              "what is freed hangs in no list of the collector");
    size_t offset = type->front;
    if (type->flags & TYPE_GC) {
        offset += sizeof(GcHead);
        if (gc_generations[0].count > 0) gc_generations[0].count--;
    }
    memory_free_object((char *)object - offset);
}

// Calls __del__ on an object, which is alive during the call. True if it was resurrected.
static __attribute__((noinline)) bool finalize(Object *object)
{
    if (gc_has_head(object)) {
        GcHead *head = gc_head(object);
        if (head->flags & GC_FINALIZED) return false;
        head->flags |= GC_FINALIZED;
        gc_track(object);
    }
    object->refcount = 1;
    Value pending = error_take();
    object->type->finalize(object);
    invariant(is_alive(object), "a finalizer gives back no more references than it took");
    error_restore(pending);
    return --object->refcount > 0;
}

static __attribute__((noinline)) void clear_weakrefs(Object *object)
{
    Value pending = error_take();
    weakref_clear_all(object);
    error_restore(pending);
}

static int nesting;      // each thread has its own
static Object *deferred; // dead objects that wait to be freed

static __attribute__((noinline)) void defer(Object *object)
{
    invariant(object->refcount == 0, "only dead objects wait to be freed");
    if ((object->type->flags & TYPE_GC) && gc_head(object)->next) gc_unlink(gc_head(object));
    object->refcount = ~(int64_t)(uintptr_t)deferred;
    deferred = object;
}

static __attribute__((noinline)) void dealloc_deferred(void)
{
    while (deferred) {
        Object *object = deferred;
        invariant(object->refcount < 0, "what waits links to the next by a negative count");
        deferred = (Object *)(uintptr_t)~object->refcount;
        object->refcount = 0;
        nesting++; // objects that its contents free wait in the list
        object_dealloc(object);
        nesting--;
    }
}

void object_dealloc(Object *object)
{
    Type *type = object->type;
    invariant(object->refcount == 0, "an object is freed once, when no reference is left");
    invariant(is_alive(&type->base), "a type lives as long as its instances");
    invariant(!(type->flags & TYPE_LEAF) || !(type->flags & (TYPE_GC | TYPE_HEAP)),
              "a leaf refers to nothing, so that it is in no cycle and counts no class");
    if (type->flags & TYPE_LEAF) {
        if (type->release) type->release(object);
        memory_free_object(object);
        return;
    }
    if (nesting >= NESTING_MAX) {
        defer(object);
        return;
    }
    nesting++;
    if (type->finalize && finalize(object)) {
        nesting--;
        return;
    }
    invariant(object->refcount == 0, "an object that __del__ has resurrected is not freed");
    type = object->type; // __del__ may have set __class__
    if ((type->flags & TYPE_GC) && gc_head(object)->next) gc_unlink(gc_head(object));
    if (type->weakref_offset && *(Value *)(void *)((char *)object + type->weakref_offset))
        clear_weakrefs(object);
    if (type->release) type->release(object);
    invariant(object->refcount == 0, "releasing what an object holds makes no new reference to it");
    invariant(!type->weakref_offset || !*(Value *)(void *)((char *)object + type->weakref_offset),
              "no weak reference leads to freed memory");
    free_memory(object, type);
    if (type->flags & TYPE_HEAP) drop(own(type));
    nesting--;
    invariant(nesting >= 0, "each level of freeing ends once");
    if (deferred && nesting == 0) dealloc_deferred();
}

// ---- hashes

// The id() rotated right by 4: its low bits are always 0.
int64_t hash_pointer(const void *pointer)
{
    uint64_t id = (uint64_t)memory_id(pointer);
    return (int64_t)(id >> 4 | id << 60);
}

typedef struct SipState {
    uint64_t a, b, c, d;
} SipState;

static uint64_t rotate(uint64_t bits, int by)
{
    return bits << by | bits >> (64 - by);
}

static inline void sip_round(SipState *s)
{
    s->a += s->b;
    s->c += s->d;
    s->b = rotate(s->b, 13) ^ s->a;
    s->d = rotate(s->d, 16) ^ s->c;
    s->a = rotate(s->a, 32);
    s->c += s->b;
    s->a += s->d;
    s->b = rotate(s->b, 17) ^ s->c;
    s->d = rotate(s->d, 21) ^ s->a;
    s->c = rotate(s->c, 32);
}

static inline void sip_word(SipState *s, uint64_t word)
{
    s->d ^= word;
    sip_round(s);
    sip_round(s);
    s->a ^= word;
}

// Fewer than 8 bytes as a little-endian number.
static uint64_t few_bytes(const unsigned char *at, size_t size)
{
    if (size >= 4) {
        uint32_t low, high;
        memcpy(&low, at, 4);
        memcpy(&high, at + size - 4, 4);
        return low | (uint64_t)high << 8 * (size - 4);
    }
    if (size == 0) return 0;
    size_t middle = size / 2, last = size - 1;
    return at[0] | (uint64_t)at[middle] << 8 * middle | (uint64_t)at[last] << 8 * last;
}

static uint64_t hash_key[2]; // of all hashes of bytes in this process

// CPython's: a linear congruential generator gives the bytes of the key.
void hash_seed(uint32_t seed)
{
    uint32_t state = seed;
    for (int i = 0; i < 16 && seed; i++) {
        state = state * 214013 + 2531011;
        hash_key[i / 8] |= (uint64_t)(state >> 16 & 0xff) << 8 * (i % 8);
    }
}

int64_t hash_bytes(const void *bytes, size_t size)
{
    if (size == 0) return 0;
    SipState s = {0x736f6d6570736575 ^ hash_key[0], 0x646f72616e646f6d ^ hash_key[1],
                  0x6c7967656e657261 ^ hash_key[0], 0x7465646279746573 ^ hash_key[1]};
    const unsigned char *at = bytes;
    uint64_t word;
    size_t left = size;
    for (; left >= 8; left -= 8, at += 8) {
        memcpy(&word, at, 8);
        sip_word(&s, word);
    }
    sip_word(&s, (uint64_t)size << 56 | few_bytes(at, left));
    s.c ^= 0xff;
    for (int i = 0; i < 4; i++) sip_round(&s);
    int64_t hash = (int64_t)(s.a ^ s.b ^ s.c ^ s.d);
    return hash == -1 ? -2 : hash;
}

// ---- what is being printed

static struct {
    ValueRef *values; // borrowed from the callers of repr_enter()
    size_t count, capacity;
} printing;

static bool grow_printing(void)
{
    size_t capacity = printing.capacity ? printing.capacity * 2 : 16;
    ValueRef *values = memory_resize(printing.values, capacity * sizeof *values);
    if (!values) {
        raise_memory_error();
        return false;
    }
    printing.values = values;
    printing.capacity = capacity;
    return true;
}

void object_add_thread_parts(void)
{
    static ThreadPart freeing = {&nesting, sizeof nesting, NULL, NULL, NULL, NULL};
    static ThreadPart showing = {&printing, sizeof printing, NULL, NULL, NULL, NULL};
    thread_part_add(&freeing);
    thread_part_add(&showing);
}

bool repr_enter(ValueRef value, bool *again)
{
    *again = false;
    for (size_t i = printing.count; i > 0; i--) {
        if (printing.values[i - 1] != value) continue;
        *again = true;
        return true;
    }
    if (printing.count == printing.capacity && !grow_printing()) return false;
    printing.values[printing.count++] = value;
    return true;
}

void repr_leave(ValueRef value)
{
    invariant(printing.count > 0, "what leaves has entered");
    for (size_t i = printing.count; i > 0; i--) {
        if (printing.values[i - 1] != value) continue;
        memmove(&printing.values[i - 1], &printing.values[i],
                (printing.count - i) * sizeof *printing.values);
        printing.count--;
        break;
    }
    if (printing.count == 0) {
        memory_free(printing.values);
        printing.values = NULL;
        printing.capacity = 0;
    }
}
