// The cycle collector: what reference counts cannot free.
//
// A tracked object has a GcHead directly in front of it, which links it into the list of its
// generation. Collecting a generation goes through CPython's phases by name: update_refs,
// subtract_refs, move_unreachable, handle_weakrefs, finalize_garbage, delete_garbage. Thresholds
// and counts are CPython's (700, 10, 10).
//
// The count that an instance holds on its heap type is the collector's own affair: a `traverse`
// visits what the fields own, never `base.type`, as `release` does not drop it either.
#pragma once

#include "objects/object.h"

typedef struct GcHead {
    struct GcHead *next; // NULL = not tracked
    struct GcHead *previous;
    int64_t refs;  // during a collection: references from outside the generation
    int64_t flags; // finalized, unreachable
} GcHead;

static inline GcHead *gc_head(const Object *object)
{
    return (GcHead *)(uintptr_t)object - 1;
}
static inline bool gc_is_tracked(const Object *object)
{
    return (object->type->flags & TYPE_GC) && gc_head(object)->next;
}

void gc_track(Object *object);   // does nothing where it is tracked already
void gc_untrack(Object *object); // likewise

// Collects generations 0..generation. Returns the number of unreachable objects found. Runs script
// code.
ssize_t gc_collect(int generation);
// Called by the eval loop at safe points (a call, a loop's back edge) when gc_pending is set by an
// allocation.
void gc_poll(void);
extern bool gc_pending;

bool gc_enable(bool enabled); // returns what it was
void gc_init(void);
