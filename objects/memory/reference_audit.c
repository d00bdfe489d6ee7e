// The audit of reference counts: finds objects that are counted too low, and objects that are
// counted although nothing refers to them any more.
//
// An object is alive because of references to it. So of each live object it is true that
//
//     held <= count    `held` counts the references from other objects, which their types visit
//     seen             its address is in some word: of a live block, of the C stack, of a register
//                      or of the program's variables
//
// The first is exact. The second is conservative: a word may look like an address by accident, so
// an object that was retained once too often can be missed, but none is accused wrongly. An object
// that was not seen can never be dropped again: an owner forgot to, or retained it twice.
//
// A word that points into an object counts as well as one that points to its start, since compiled
// code may keep only that. A word in the object itself does not count, nor does a GcHead, which
// is in front of it. The table of all objects is not from the heap, which it must not change.
#include "objects/memory/reference_audit.h"

#include "objects/memory/memory_headers.h"
#include "objects/object.h"
#include "objects/stack.h"
#include "objects/upcalls.h"

#if MEMORY_HEADERS && !MEMORY_SANITIZED

#include <link.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Audited {
    const Object *object;
    const char *end; // of its block
    const MemoryHeader *header;
    int64_t held;
    bool seen;
} Audited;

static Audited *table; // sorted by address
static size_t count;

static const char *block_of(const MemoryHeader *header)
{
    return (const char *)(header + 1);
}

static int compare_addresses(const void *left, const void *right)
{
    const char *a = (const char *)((const Audited *)left)->object;
    const char *b = (const char *)((const Audited *)right)->object;
    return (a > b) - (a < b);
}

static void list_objects(void)
{
    for (const MemoryHeader *header = memory_newest(); header; header = header->next) {
        if (header->object == NO_OBJECT) continue;
        const char *block = block_of(header);
        const Object *object = (const Object *)(const void *)(block + header->object);
        if (is_alive(object))
            table[count++] = (Audited){object, block + header->size, header, 0, false};
    }
    qsort(table, count, sizeof *table, compare_addresses);
}

// The object that an address leads to: to its start or into it. NULL = none.
static Audited *find(const void *address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((const void *)table[middle].object <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address > (const void *)table[low - 1].end) return NULL;
    return &table[low - 1];
}

// ---- references that types visit

static void count_held(ValueRef child, void *arg)
{
    (void)arg;
    Audited *found = is_object(child) ? find(object_of(child)) : NULL;
    if (found && found->object == object_of(child)) found->held++;
}

static void visit_all(void)
{
    for (size_t i = 0; i < count; i++) {
        Object *object = (Object *)(uintptr_t)table[i].object;
        Type *type = object->type;
        if (type->traverse) type->traverse(object, count_held, NULL);
        if (type->flags & TYPE_HEAP) count_held(ref_of(type), NULL);
    }
}

// ---- words that look like addresses

// Looks at all words of some memory; those that lead to an object in the block `own` do not count.
static void scan(const void *start, const void *end, const MemoryHeader *own)
{
    const char *low = (const char *)table[0].object, *high = table[count - 1].end;
    const char *const *word = start;
    for (; (const void *)(word + 1) <= end; word++) {
        if (*word < low || *word > high) continue;
        Audited *found = find(*word);
        if (found && found->header != own) found->seen = true;
    }
}

static void scan_blocks(void)
{
    for (const MemoryHeader *header = memory_newest(); header; header = header->next)
        scan(header + 1, block_of(header) + header->size, header);
}

// The variables of the program and of every library in it.
static int scan_variables(struct dl_phdr_info *library, size_t size, void *arg)
{
    (void)size, (void)arg;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &library->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W)) continue;
        uintptr_t start = library->dlpi_addr + segment->p_vaddr;
        uintptr_t aligned = (start + sizeof start - 1) / sizeof start * sizeof start;
        scan((const void *)aligned, (const void *)(start + segment->p_memsz), NULL);
    }
    return 0;
}

static __attribute__((noinline)) void scan_stack(void)
{
    __builtin_unwind_init(); // puts the registers of the callers on the stack
    scan(__builtin_frame_address(0), stack_top, NULL);
}

// ---- what was found

static void judge(const Audited *audited, bool owned)
{
    if (audited->held > audited->object->refcount || !owned) memory_describe(audited->header);
    invariant(audited->held <= audited->object->refcount,
              "a count includes every reference that other objects hold");
    invariant(owned, "an object with a count is referred to from somewhere");
}

static size_t count_live(void)
{
    size_t live = 0;
    for (const MemoryHeader *header = memory_newest(); header; header = header->next) live++;
    return live;
}

static void scan_all(void)
{
    scan_blocks();
    dl_iterate_phdr(scan_variables, NULL);
    scan_stack();
}

static bool audit(bool scans, bool collected)
{
    size_t bytes = count_live() * sizeof *table;
    table = bytes ? memory_share(bytes) : NULL;
    if (!table) return true;
    count = 0;
    list_objects();
    if (count > 0) {
        visit_all();
        if (scans) scan_all();
    }
    for (size_t i = 0; i < count; i++)
        judge(&table[i], !scans || table[i].seen || (!collected && table[i].held));
    memory_unshare(table, bytes);
    table = NULL;
    return true;
}

bool references_are_sound(void)
{
    return audit(true, true);
}

// The stack of the machine is not looked at while a thread runs on one of its own.
bool counts_are_sound(void)
{
    return audit(!eval_breaker.strands, false);
}

#else

bool references_are_sound(void)
{
    return true;
}

bool counts_are_sound(void)
{
    return true;
}

#endif
