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

#include <limits.h>

typedef struct GcHead {
    struct GcHead *next; // NULL = not tracked
    struct GcHead *previous;
    int64_t refs : 56;  // during a collection: references from outside the generation
    uint64_t flags : 8; // GcFlag
} GcHead;

typedef enum GcFlag {
    GC_FINALIZED = 1, // its finalizer has run: never again
    GC_COLLECTING =
        2, // in the generation that is being looked at, and not yet known to be reachable
    GC_TENTATIVE = 4, // in the list of what seems unreachable so far
} GcFlag;

#define GC_GENERATIONS 3

typedef struct GcGeneration {
    GcHead head; // of the list of its objects: a ring
    int threshold;
    int count; // generation 0: allocations less frees; others: collections of the one before
    int64_t collections, collected;
} GcGeneration;
extern GcGeneration gc_generations[GC_GENERATIONS];

extern bool gc_pending;    // an allocation asks for a collection: see gc_poll()
extern int gc_young_bound; // the threshold of generation 0, or what no count reaches

static inline GcHead *gc_head(const Object *object)
{
    return (GcHead *)(uintptr_t)object - 1;
}
static inline Object *gc_object(const GcHead *head)
{
    return (Object *)(uintptr_t)(head + 1);
}
// Static types are of the TYPE_GC type `type`, but have no head.
static inline bool gc_has_head(const Object *object)
{
    uint32_t flags = object->type->flags;
    if (!(flags & TYPE_GC)) return false;
    return !(flags & TYPE_TYPE) || (((const Type *)object)->flags & TYPE_HEAP);
}
static inline bool gc_is_tracked(const Object *object)
{
    return gc_has_head(object) && gc_head(object)->next;
}

static inline void gc_link(GcHead *head, GcHead *list)
{
    invariant(list->previous->next == list && list->next->previous == list,
              "a list of the collector is a ring");
    head->next = list;
    head->previous = list->previous;
    list->previous->next = head;
    list->previous = head;
}
static inline void gc_unlink(GcHead *head)
{
    invariant(head->next && head->previous, "an object that leaves its list is in one");
    invariant(head->previous->next == head && head->next->previous == head,
              "its neighbours in the list know it");
    head->previous->next = head->next;
    head->next->previous = head->previous;
    head->next = NULL;
}

void gc_track(Object *object);   // does nothing where it is tracked already
void gc_untrack(Object *object); // likewise

// Collects generations 0..generation. Returns the number of unreachable objects found. Runs script
// code.
ssize_t gc_collect(int generation);
// Called by the eval loop at safe points (a call, a loop's back edge) when gc_pending is set by an
// allocation.
void gc_poll(void);

bool gc_enable(bool enabled); // returns what it was
bool gc_is_enabled(void);
bool gc_pause(bool paused); // nothing is collected but by gc_collect(); returns what it was
void gc_init(void);
void gc_finish(void); // one last full collection

// ---- for the module gc
void gc_set_threshold(int generation, int threshold);
Value gc_objects(int generation);     // a list of the tracked objects; -1 = of all generations
Value gc_referrers(ValueRef targets); // a list: who refers to one of the tuple
Value gc_referents(ValueRef sources); // a list: to whom those in the tuple refer
bool gc_seems_tracked(const Object *object); // gc.is_tracked(): by CPython's rules
bool gc_is_finalized(const Object *object);
void gc_freeze(void);   // moves all objects to where no collection looks
void gc_unfreeze(void); // and back, into the oldest generation
ssize_t gc_frozen_count(void);
ssize_t gc_generation_size(int generation);
// The steps of a collection that upcalls.observe_gc is told.
typedef enum GcEvent { GC_BEGINS, GC_FINDS, GC_ENDS } GcEvent;
// DEBUG_SAVEALL: what is unreachable is appended to gc_garbage (a list, 0 = none yet), not freed.
extern bool gc_save_all;
extern Value gc_garbage;
// The program ends: what it asked to keep (DEBUG_SAVEALL, freeze) is garbage like any other.
void gc_release_kept(void);
// gc.callbacks: a list, 0 = none yet. Each is called with "start" or "stop" and a dict.
extern Value gc_callbacks;
