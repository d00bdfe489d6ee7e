// The cycle collector: frees cycles of objects, which reference counts cannot free.
//
// A GcHead is directly before every object of a TYPE_GC type. It links a tracked object into the
// list of its generation. A collection goes through CPython's phases, which have CPython's names:
// update_refs, subtract_refs, move_unreachable, handle_weakrefs, finalize_garbage, delete_garbage.
// Thresholds (700, 10, 10) and counts are CPython's.
//
// An instance owns a reference to its heap type. The collector visits it itself: a `traverse`
// function visits what the fields own and never `base.type`, just as a `release` function does not
// drop it.
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
    GC_FINALIZED = 1,  // its finalizer has run, and does not run again
    GC_COLLECTING = 2, // in the generation being collected, not yet known to be reachable
    GC_TENTATIVE = 4,  // in the list of objects that seem unreachable so far
} GcFlag;

#define GC_GENERATIONS 3

typedef struct GcGeneration {
    GcHead head; // of the list of its objects: a ring
    int threshold;
    int count; // generation 0: allocations less frees; others: collections of the one before
    int64_t collections, collected;
} GcGeneration;
extern GcGeneration gc_generations[GC_GENERATIONS];

extern int gc_young_bound; // the threshold of generation 0; INT_MAX while nothing is collected

static inline GcHead *gc_head(const Object *object)
{
    return (GcHead *)(uintptr_t)object - 1;
}
static inline Object *gc_object(const GcHead *head)
{
    return (Object *)(uintptr_t)(head + 1);
}
// The type of a static type is `type`, which is TYPE_GC, but a static type has no GcHead.
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
              "its neighbours in the list point to it");
    head->previous->next = head->next;
    head->next->previous = head->previous;
    head->next = NULL;
}

void gc_track(Object *object);   // does nothing if it is tracked already
void gc_untrack(Object *object); // likewise

// Collects generations 0..generation. Returns the number of unreachable objects found. Runs script
// code.
ssize_t gc_collect(int generation);
// Called by the eval loop at safe points (a call, a loop's back edge) when eval_breaker.gc
// (upcalls.h) is set by an allocation.
void gc_poll(void);

bool gc_enable(bool enabled); // returns the old setting
bool gc_is_enabled(void);
bool gc_pause(bool paused); // only gc_collect() still collects; returns the old setting
void gc_init(void);
void gc_settle(void); // what start-up has made is old: no young collection looks at it
// The same of what is made between these two calls, such as the code of a module, which lives long.
typedef struct GcYoung {
    GcHead head; // of the young objects that are no part of it
    int count;
} GcYoung;
void gc_set_aside(GcYoung *others);
void gc_settle_new(GcYoung *others);
void gc_finish(void); // one last full collection

// ---- for the module gc
void gc_set_threshold(int generation, int threshold);
Value gc_objects(int generation);     // a list of the tracked objects; -1 = of all generations
Value gc_referrers(ValueRef targets); // a list: the objects that refer to an item of the tuple
Value gc_referents(ValueRef sources); // a list: the objects that items of the tuple refer to
bool gc_seems_tracked(const Object *object); // gc.is_tracked(): by CPython's rules
bool gc_is_finalized(const Object *object);
void gc_freeze(void);   // moves all objects to a list that is never collected
void gc_unfreeze(void); // and back, into the oldest generation
ssize_t gc_frozen_count(void);
ssize_t gc_generation_size(int generation);
// The events of a collection that upcalls.observe_gc() gets.
typedef enum GcEvent { GC_BEGINS, GC_FINDS, GC_ENDS } GcEvent;
// DEBUG_SAVEALL: unreachable objects are appended to gc_garbage (a list; VALUE_ERROR = none yet)
// and not freed.
extern bool gc_save_all;
extern Value gc_garbage;
// At the end of the program: treats what it asked to keep (DEBUG_SAVEALL, freeze) as garbage too.
void gc_release_kept(void);
// gc.callbacks: a list; VALUE_ERROR = none yet. Each item is called with "start" or "stop" and a
// dict.
extern Value gc_callbacks;
