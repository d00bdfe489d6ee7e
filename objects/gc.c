// The cycle collector.
//
// Collecting a generation collects all younger ones with it; `young` is the list of all their
// objects. An object in `young` is reachable if its count is higher than the number of references
// that come from objects in `young`, or if a reachable object refers to it. The phases, in order:
//
//     update_refs       sets refs of each object to its count
//     subtract_refs     subtracts 1 from refs for every reference from within `young`; what is
//                       left counts the references from outside
//     move_unreachable  moves every object to the list `unreachable` that has refs 0 and that no
//                       reachable object refers to
//     handle_weakrefs   clears the weak references to unreachable objects, and calls the callbacks
//                       of those weak references that are reachable themselves
//     finalize_garbage  calls __del__ of each unreachable object, once in its life; objects that
//                       are resurrected by it leave the list
//     delete_garbage    calls `clear` of each object, which breaks the cycles; the reference counts
//                       free the rest
//
// Collections that find nothing are made less often, see gc_poll().
//
// The last three phases run script code. Every list is complete at that time. A list that script
// code may change is not walked: the loop takes its first item again and again.
#include "objects/gc.h"

#include "objects/call.h"
#include "objects/classes/weakref.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/memory/reference_audit.h"
#include "objects/protocols/items.h"
#include "objects/sound.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

GcGeneration gc_generations[GC_GENERATIONS];
int gc_young_bound;
bool gc_save_all;
Value gc_garbage;
Value gc_callbacks;

static GcHead permanent; // frozen objects
static bool enabled, paused, collecting;
static ssize_t long_lived_total;   // objects that survived the last full collection
static ssize_t long_lived_pending; // objects that entered the oldest generation since then
static bool found_no_old;          // the last full collection found nothing
static bool paced;                 // the thresholds are the first ones
static int pace;                   // the youngest generation may have so many times its threshold
#define PACE_MAX 8

// ---- rings

static void ring_init(GcHead *list)
{
    list->next = list->previous = list;
}

static bool ring_is_empty(const GcHead *list)
{
    return list->next == list;
}

static void ring_move(GcHead *head, GcHead *to)
{
    gc_unlink(head);
    gc_link(head, to);
}

static void ring_merge(GcHead *from, GcHead *to)
{
    invariant(from != to, "a list is merged into another one");
    invariant(from->previous->next == from && to->previous->next == to, "both lists are rings");
    if (!ring_is_empty(from)) {
        to->previous->next = from->next;
        from->next->previous = to->previous;
        from->previous->next = to;
        to->previous = from->previous;
    }
    ring_init(from);
    invariant(ring_is_empty(from), "what was merged is in one list only");
}

static ssize_t ring_size(const GcHead *list)
{
    ssize_t size = 0;
    for (GcHead *head = list->next; head != list; head = head->next) size++;
    return size;
}

// True of every object in the list while no collection is running.
static bool ring_is_sound(const GcHead *list)
{
    for (const GcHead *head = list->next; head != list; head = head->next) {
        const Object *object = gc_object(head);
        invariant(head->next && head->next->previous == head, "a list is doubly linked");
        invariant(is_alive(object), "what the collector tracks is alive");
        invariant(gc_has_head(object), "what is tracked is of a type whose instances have a head");
        invariant(object->type->traverse, "a tracked object can visit what it refers to");
        invariant(!(head->flags & (GC_COLLECTING | GC_TENTATIVE)),
                  "between two collections no object is marked");
    }
    return true;
}

static bool generations_are_sound(int oldest)
{
    for (int i = 0; i <= oldest; i++) ring_is_sound(&gc_generations[i].head);
    return true;
}

bool gc_is_sound(void (*look_at)(const Object *object))
{
    if (collecting) return true;
    generations_are_sound(GC_GENERATIONS - 1);
    for (int i = 0; i < GC_GENERATIONS; i++) {
        const GcHead *list = &gc_generations[i].head;
        for (const GcHead *head = list->next; head != list; head = head->next)
            look_at(gc_object(head));
    }
    return true;
}

// ---- tracking

static void update_bound(void)
{
    int threshold = gc_generations[0].threshold;
    bool collects = enabled && !paused;
    gc_young_bound = collects && threshold ? (paced ? pace * threshold : threshold) : INT_MAX;
    if (DEBUG_GC_STRESS && collects) gc_young_bound = -1;
}

void gc_track(Object *object)
{
    invariant(gc_has_head(object), "only what has a head can be tracked");
    if (!gc_head(object)->next) gc_link(gc_head(object), &gc_generations[0].head);
}

// What leaves the lists is no garbage: a spare MemoryError comes back (exceptions/exception.c).
void gc_untrack(Object *object)
{
    invariant(gc_has_head(object), "only what has a head can be tracked");
    GcHead *head = gc_head(object);
    if (head->next) gc_unlink(head);
    head->flags &= (unsigned)~(GC_COLLECTING | GC_TENTATIVE);
}

// Visits all values that an object refers to, and its heap type. Inline, so that the compiler can
// put `visit` itself into the walks over the commonest types.
static inline __attribute__((always_inline)) void traverse(Object *object, VisitFn visit, void *arg)
{
    Type *type = object->type;
    if (type == &list_type)
        visit_items(((List *)object)->items, ((List *)object)->size, visit, arg);
    else if (type == &tuple_type)
        visit_items(((Tuple *)object)->items, ((Tuple *)object)->size, visit, arg);
    else if (type->traverse)
        type->traverse(object, visit, arg);
    if (type->flags & TYPE_HEAP) visit(ref_of(type), arg);
}

// ---- finding what is unreachable

// Part of the walks that call them for each child.
static inline void visit_decref(ValueRef child, void *arg);
static inline void visit_reachable(ValueRef child, void *young);

//> lesson 10: count
static void update_refs(GcHead *young)
{
    for (GcHead *head = young->next; head != young; head = head->next) {
        head->refs = gc_object(head)->refcount;
        head->flags |= GC_COLLECTING;
    }
}

static void visit_decref(ValueRef child, void *arg)
{
    (void)arg;
    invariant(!is_object(child) || is_alive(object_of(child)),
              "what a live object refers to is alive");
    if (!is_object(child) || !gc_has_head(object_of(child))) return;
    GcHead *head = gc_head(object_of(child));
    if (head->flags & GC_COLLECTING) head->refs--;
    invariant(!(head->flags & GC_COLLECTING) || head->refs >= 0,
              "an object's count includes every reference that the tracked objects hold");
}

static void subtract_refs(GcHead *young)
{
    for (GcHead *head = young->next; head != young; head = head->next)
        traverse(gc_object(head), visit_decref, NULL);
}
//< lesson 10

//> lesson 10: reach
// Visits the child of a reachable object: the child is reachable too.
static void visit_reachable(ValueRef child, void *young)
{
    if (!is_object(child) || !gc_has_head(object_of(child))) return;
    GcHead *head = gc_head(object_of(child));
    if (!(head->flags & GC_COLLECTING)) return;
    if (head->flags & GC_TENTATIVE) {
        head->flags &= ~GC_TENTATIVE;
        ring_move(head, young);
        head->refs = 1;
    } else if (head->refs == 0) {
        head->refs = 1; // the walk has not reached it yet
    }
}

// Moves the objects that no reference from outside reaches to `unreachable`. An object moved too
// early goes back to the end of `young`, where the walk will meet it.
static void move_unreachable(GcHead *young, GcHead *unreachable)
{
    invariant(ring_is_empty(unreachable), "nothing seems unreachable at first");
    for (GcHead *head = young->next, *next; head != young; head = next) {
        if (head->refs > 0) {
            traverse(gc_object(head), visit_reachable, young);
            head->flags &= ~GC_COLLECTING;
            next = head->next;
        } else {
            next = head->next;
            head->flags |= GC_TENTATIVE;
            ring_move(head, unreachable);
        }
    }
}
//< lesson 10

// Splits `young`: reachable objects stay in it, the others go to `unreachable` and keep
// GC_COLLECTING set.
static void deduce_unreachable(GcHead *young, GcHead *unreachable)
{
    update_refs(young);
    subtract_refs(young);
    ring_init(unreachable);
    move_unreachable(young, unreachable);
    for (GcHead *head = unreachable->next; head != unreachable; head = head->next) {
        invariant(head->refs == 0, "no reference from outside leads to what is unreachable");
        invariant(head->flags & GC_COLLECTING, "the unreachable keep their mark");
        invariant(head->flags & GC_TENTATIVE, "what was moved to the list knows it");
        head->flags &= ~GC_TENTATIVE;
    }
}

static void clear_collecting(GcHead *list)
{
    for (GcHead *head = list->next; head != list; head = head->next) head->flags &= ~GC_COLLECTING;
}

// Could a reference to this be part of a cycle?
static bool may_join_cycle(ValueRef value)
{
    if (!is_object(value) || !gc_has_head(object_of(value))) return false;
    return !tuple_check_exact(value) || gc_is_tracked(object_of(value));
}

static bool tuple_may_join_cycle(ValueRef tuple)
{
    for (ssize_t i = 0; i < tuple_size(tuple); i++) {
        ValueRef item = tuple_at(tuple, i);
        if (!item || may_join_cycle(item)) return true;
    }
    return false;
}

// Untracks tuples whose items cannot be part of a cycle.
static void untrack_tuples(GcHead *young)
{
    for (GcHead *head = young->next, *next; head != young; head = next) {
        next = head->next;
        ValueRef value = ref_of(gc_object(head));
        if (tuple_check_exact(value) && !tuple_may_join_cycle(value)) gc_unlink(head);
    }
}

// ---- what scripts see

static bool dict_may_join_cycle(ValueRef dict)
{
    ValueRef key, value;
    for (ssize_t at = 0; dict_next(dict, &at, &key, &value);)
        if (may_join_cycle(key) || may_join_cycle(value)) return true;
    return false;
}

// CPython does not track dicts whose items cannot be part of a cycle, nor code objects.
bool gc_seems_tracked(const Object *object)
{
    if (!gc_is_tracked(object) || object->type == &code_type) return false;
    return object->type != &dict_type || dict_may_join_cycle(ref_of(object));
}

// An instance with attributes in itself counts as the dict that CPython would have.
static bool has_implied_dict(const Object *object)
{
    if (!(object->type->flags & TYPE_INLINE)) return false;
    const Instance *instance = (const Instance *)object;
    for (uint32_t i = 0; i < instance->count; i++)
        if (may_join_cycle(instance->values[i])) return true;
    return false;
}

// A tuple that belongs to a code object, and those in it.
static void visit_uncount(ValueRef child, void *count)
{
    if (!is_object(child) || !tuple_check_exact(child)) return;
    if (!(gc_head(object_of(child))->flags & GC_COLLECTING)) return;
    --*(ssize_t *)count;
    if (stack_has_room()) tuple_type.traverse(object_of(child), visit_uncount, count);
}

// The number of objects that CPython would have found.
static ssize_t count_found(const GcHead *garbage)
{
    ssize_t count = 0;
    for (GcHead *head = garbage->next; head != garbage; head = head->next) {
        Object *object = gc_object(head);
        count += gc_seems_tracked(object) + has_implied_dict(object);
        if (object->type == &code_type) code_type.traverse(object, visit_uncount, &count);
    }
    return count;
}

// ---- weak references to the unreachable

static Value *weakref_slot(Object *object)
{
    ssize_t offset = object->type->weakref_offset;
    return offset ? (Value *)(void *)((char *)object + offset) : NULL;
}

// Clears the weak references to one object. Those whose callback must be called go to `to_call`,
// retained.
static void collect_weakrefs(Object *object, GcHead *to_call)
{
    Value *slot = weakref_slot(object);
    while (slot && *slot) {
        WeakRef *reference = (WeakRef *)object_of(*slot);
        invariant(reference->target == object, "a weak reference hangs at its own target");
        weakref_unlink(reference);
        GcHead *head = gc_head(&reference->base);
        // A callback of garbage is garbage.
        if (!reference->callback || (head->flags & GC_COLLECTING)) continue;
        retain(ref_of(reference));
        if (head->next) gc_unlink(head);
        gc_link(head, to_call);
    }
}

static void handle_weakrefs(GcHead *unreachable, GcHead *old)
{
    GcHead to_call;
    ring_init(&to_call);
    for (GcHead *head = unreachable->next; head != unreachable; head = head->next)
        collect_weakrefs(gc_object(head), &to_call);
    while (!ring_is_empty(&to_call)) {
        GcHead *head = to_call.next;
        ring_move(head, old);
        WeakRef *reference = (WeakRef *)gc_object(head);
        weakref_call_back(reference);
        drop(own(reference));
    }
}

// ---- the end of the garbage

//> lesson 10: finalize
static void finalize_garbage(GcHead *unreachable)
{
    GcHead seen;
    ring_init(&seen);
    while (!ring_is_empty(unreachable)) {
        GcHead *head = unreachable->next;
        Object *object = gc_object(head);
        ring_move(head, &seen);
        if ((head->flags & GC_FINALIZED) || !object->type->finalize) continue;
        head->flags |= GC_FINALIZED;
        Value held = retain(ref_of(object));
        object->type->finalize(object);
        if (error_pending()) error_clear();
        drop(held);
    }
    ring_merge(&seen, unreachable);
}
//< lesson 10

// Moves the objects that a finalizer resurrected to `old`.
static void handle_resurrected(GcHead *unreachable, GcHead *still, GcHead *old)
{
    clear_collecting(unreachable);
    deduce_unreachable(unreachable, still);
    ring_merge(unreachable, old);
}

static void save_garbage(Object *object)
{
    if (!gc_garbage) gc_garbage = list_new(0);
    if (!gc_garbage || !list_append(gc_garbage, ref_of(object))) error_clear();
}

//> lesson 10: clear
static void delete_garbage(GcHead *garbage, GcHead *old)
{
    while (!ring_is_empty(garbage)) {
        GcHead *head = garbage->next;
        Object *object = gc_object(head);
        invariant(head->flags & GC_COLLECTING, "garbage is marked until its turn comes");
        invariant(is_alive(object), "garbage that is not cleared yet is kept alive by its cycle");
        Value held = retain(ref_of(object));
        head->flags &= ~GC_COLLECTING;
        if (gc_save_all)
            save_garbage(object);
        else if (object->type->clear)
            object->type->clear(object);
        if (garbage->next == head) ring_move(head, old); // still alive, if only by `held`
        drop(held);
    }
}
//< lesson 10

// ---- collecting

static void merge_younger(int generation)
{
    if (generation + 1 < GC_GENERATIONS) gc_generations[generation + 1].count++;
    for (int i = 0; i <= generation; i++) gc_generations[i].count = 0;
    for (int i = 0; i < generation; i++)
        ring_merge(&gc_generations[i].head, &gc_generations[generation].head);
}

static void promote(GcHead *young, int generation)
{
    if (generation == GC_GENERATIONS - 1) {
        long_lived_pending = 0;
        long_lived_total = ring_size(young);
        return;
    }
    if (generation == GC_GENERATIONS - 2) long_lived_pending += ring_size(young);
    ring_merge(young, &gc_generations[generation + 1].head);
}

// Tells the observer of each object found. With gc.set_debug() it writes to sys.stderr, which may
// run script code that frees some of them: a ring that is not walked, as in finalize_garbage().
static void tell_found(GcHead *unreachable, int generation)
{
    GcHead told;
    ring_init(&told);
    while (upcalls.observe_gc && !ring_is_empty(unreachable)) {
        GcHead *head = unreachable->next;
        ring_move(head, &told);
        upcalls.observe_gc(GC_FINDS, generation, gc_object(head), 0);
    }
    ring_merge(&told, unreachable);
}

static ssize_t collect(int generation)
{
    GcHead *young = &gc_generations[generation].head;
    invariant(generations_are_sound(generation), "no collection leaves a list broken");
    int next = generation + 1 < GC_GENERATIONS ? generation + 1 : generation;
    GcHead *old = &gc_generations[next].head;
    GcHead unreachable, still;
    if (upcalls.observe_gc) upcalls.observe_gc(GC_BEGINS, generation, NULL, 0);
    merge_younger(generation);
    deduce_unreachable(young, &unreachable);
    invariant(ring_is_sound(young), "what is reachable is unmarked again");
    untrack_tuples(young);
    promote(young, generation);
    invariant(generation == GC_GENERATIONS - 1 || ring_is_empty(young),
              "what survives a collection is in the next generation");
    tell_found(&unreachable, generation);
    handle_weakrefs(&unreachable, old);
    finalize_garbage(&unreachable);
    handle_resurrected(&unreachable, &still, old);
    ssize_t found = count_found(&still);
    delete_garbage(&still, old);
    if (generation == GC_GENERATIONS - 1) found_no_old = !found;
    gc_generations[generation].collections++;
    gc_generations[generation].collected += found;
    if (upcalls.observe_gc) upcalls.observe_gc(GC_ENDS, generation, NULL, found);
    invariant(ring_is_empty(&still) && ring_is_empty(&unreachable),
              "garbage is freed or belongs to a generation again");
    invariant(old != young || ring_is_sound(old), "objects that survived are unmarked");
    return found;
}

static Value callback_info(int generation, ssize_t found)
{
    Value info = dict_new();
    if (!info) return VALUE_ERROR;
    if (dict_set_ascii(info, "generation", from_small(generation)) &&
        dict_set_ascii(info, "collected", from_small(found)) &&
        dict_set_ascii(info, "uncollectable", from_small(0)))
        return info;
    drop(info);
    return VALUE_ERROR;
}

static void call_each(ValueRef phase, ValueRef info)
{
    for (ssize_t i = 0; i < list_size(gc_callbacks); i++) {
        Value callback = retain(list_at(gc_callbacks, i));
        Value result = object_call_two(callback, phase, info);
        if (!result) report_unraisable(callback, NULL);
        drop(result);
        drop(callback);
    }
}

static void call_callbacks(const char *phase, int generation, ssize_t found)
{
    if (!gc_callbacks || list_size(gc_callbacks) == 0) return;
    Value name = str_intern(phase), info = callback_info(generation, found);
    if (name && info)
        call_each(name, info);
    else
        report_unraisable(VALUE_ERROR, "Exception ignored in garbage collection");
    drop(name);
    drop(info);
}

ssize_t gc_collect(int generation)
{
    if (collecting) return 0;
    collecting = true;
    Value pending = error_take();
    call_callbacks("start", generation, 0);
    ssize_t found = collect(generation);
    invariant(!error_pending(), "no error of a finalizer gets out of a collection");
    call_callbacks("stop", generation, found);
    error_restore(pending);
    collecting = false;
    invariant(DEBUG_GC_STRESS || generation < GC_GENERATIONS - 1 || references_are_sound(),
              "a full collection leaves objects that are referred to");
    return found;
}

// The oldest generation whose count is over its threshold, -1 = none. A full collection also waits
// until a quarter of the old objects are new, as in CPython.
static int generation_due(void)
{
    ssize_t old = found_no_old && paced ? long_lived_total : long_lived_total / 4;
    for (int i = GC_GENERATIONS - 1; i >= 0; i--) {
        if (gc_generations[i].count <= gc_generations[i].threshold) continue;
        if (i < GC_GENERATIONS - 1 || long_lived_pending >= old) return i;
    }
    return -1;
}

// A program that makes a million objects and keeps them has nothing to collect, and yet each object
// would be looked at seven times until the last one is made. So the youngest generation may grow
// twice as large after each collection that finds nothing, up to PACE_MAX times its threshold, when
// it is collected together with the next one; after a full one that finds nothing, the old
// objects may double. What is found puts all that back. gc.get_threshold() tells the numbers of
// CPython, which are where the pace begins; a program that sets others gets exactly those.
void gc_poll(void)
{
    eval_breaker.gc = false;
    if (!enabled || paused || collecting) return;
    int generation = DEBUG_GC_STRESS ? GC_GENERATIONS - 1 : generation_due();
    if (generation < 0) return;
    if (generation == 0 && paced && pace == PACE_MAX) generation = 1;
    bool found = gc_collect(generation);
    pace = found ? 1 : pace < PACE_MAX ? 2 * pace : PACE_MAX;
    update_bound();
}

// ---- for the module gc

bool gc_enable(bool on)
{
    bool before = enabled;
    enabled = on;
    update_bound();
    return before;
}

bool gc_is_enabled(void)
{
    return enabled;
}

bool gc_pause(bool pause)
{
    bool before = paused;
    paused = pause;
    update_bound();
    return before;
}

void gc_set_threshold(int generation, int threshold)
{
    gc_generations[generation].threshold = threshold;
    paced = false;
    update_bound();
}

bool gc_is_finalized(const Object *object)
{
    return gc_has_head(object) && (gc_head(object)->flags & GC_FINALIZED);
}

// A tuple or list that C is still filling, while an item is made by script code: not to be shown to
// it, as C takes every item for a value.
static bool is_half_made(ValueRef value)
{
    bool half = false, is_tuple = tuple_check(value);
    ssize_t size = is_tuple ? tuple_size(value) : list_check(value) ? list_size(value) : 0;
    for (ssize_t i = 0; !half && i < size; i++) {
        ValueRef item = is_tuple ? tuple_at(value, i) : list_at(value, i);
        half = !item || item == ABSENT;
    }
    return half;
}

static bool append_objects(ValueRef list, const GcHead *generation)
{
    for (GcHead *head = generation->next; head != generation; head = head->next) {
        ValueRef value = ref_of(gc_object(head));
        if (bits_of(value) == bits_of(list) || is_half_made(value)) continue;
        if (!list_append(list, value)) return false;
    }
    return true;
}

Value gc_objects(int generation)
{
    Value list = list_new(0);
    if (!list) return VALUE_ERROR;
    for (int i = 0; i < GC_GENERATIONS; i++) {
        if (generation >= 0 && i != generation) continue;
        if (append_objects(list, &gc_generations[i].head)) continue;
        drop(list);
        return VALUE_ERROR;
    }
    return list;
}

typedef struct ReferrerSearch {
    ValueRef targets;
    bool found;
} ReferrerSearch;

static void visit_search(ValueRef child, void *arg)
{
    ReferrerSearch *search = arg;
    for (ssize_t i = 0; i < tuple_size(search->targets); i++)
        if (bits_of(tuple_at(search->targets, i)) == bits_of(child)) search->found = true;
}

static bool append_referrers(ValueRef list, const GcHead *generation, ValueRef targets)
{
    for (GcHead *head = generation->next; head != generation; head = head->next) {
        ValueRef value = ref_of(gc_object(head));
        if (bits_of(value) == bits_of(list) || bits_of(value) == bits_of(targets)) continue;
        ReferrerSearch search = {targets, false};
        traverse(gc_object(head), visit_search, &search);
        if (search.found && !is_half_made(value) && !list_append(list, value)) return false;
    }
    return true;
}

Value gc_referrers(ValueRef targets)
{
    Value list = list_new(0);
    if (!list) return VALUE_ERROR;
    for (int i = 0; i < GC_GENERATIONS; i++) {
        if (append_referrers(list, &gc_generations[i].head, targets)) continue;
        drop(list);
        return VALUE_ERROR;
    }
    return list;
}

typedef struct Gathering {
    ValueRef list;
    bool failed;
} Gathering;

static void visit_append(ValueRef child, void *arg)
{
    Gathering *gathering = arg;
    if (child && !gathering->failed) gathering->failed = !list_append(gathering->list, child);
}

static void append_immediate(ValueRef item, Gathering *gathering)
{
    if (item && item != ABSENT && !is_object(item)) visit_append(item, gathering);
}

// Numbers and None are no objects that a traversal visits, but a container refers to them.
static void append_immediates(ValueRef source, Gathering *gathering)
{
    ssize_t position = 0;
    ValueRef key, value;
    if (list_check(source))
        for (ssize_t i = 0; i < list_size(source); i++)
            append_immediate(list_at(source, i), gathering);
    else if (tuple_check(source))
        for (ssize_t i = 0; i < tuple_size(source); i++)
            append_immediate(tuple_at(source, i), gathering);
    else if (dict_check(source))
        while (dict_next(source, &position, &key, &value)) {
            append_immediate(key, gathering);
            append_immediate(value, gathering);
        }
    else if (set_check(source))
        while (set_next(source, &position, &key)) append_immediate(key, gathering);
}

Value gc_referents(ValueRef sources)
{
    Value list = list_new(0);
    if (!list) return VALUE_ERROR;
    Gathering gathering = {list, false};
    for (ssize_t i = 0; i < tuple_size(sources); i++) {
        ValueRef source = tuple_at(sources, i);
        if (!is_object(source) || !gc_has_head(object_of(source))) continue;
        traverse(object_of(source), visit_append, &gathering);
        append_immediates(source, &gathering);
    }
    if (!gathering.failed) return list;
    drop(list);
    return VALUE_ERROR;
}

void gc_freeze(void)
{
    for (int i = 0; i < GC_GENERATIONS; i++) {
        ring_merge(&gc_generations[i].head, &permanent);
        gc_generations[i].count = 0;
    }
}

void gc_unfreeze(void)
{
    ring_merge(&permanent, &gc_generations[GC_GENERATIONS - 1].head);
}

ssize_t gc_generation_size(int generation)
{
    return ring_size(&gc_generations[generation].head);
}

ssize_t gc_frozen_count(void)
{
    return ring_size(&permanent);
}

void gc_init(void)
{
    static const int thresholds[GC_GENERATIONS] = {700, 10, 10};
    for (int i = 0; i < GC_GENERATIONS; i++) {
        gc_generations[i] = (GcGeneration){.threshold = thresholds[i]};
        ring_init(&gc_generations[i].head);
    }
    ring_init(&permanent);
    long_lived_total = long_lived_pending = 0;
    found_no_old = false;
    paced = true;
    pace = 1;
    paused = collecting = eval_breaker.gc = gc_save_all = false;
    upcalls.observe_gc = NULL;
    enabled = true;
    update_bound();
}

void gc_settle(void)
{
    GcGeneration *young = &gc_generations[0];
    long_lived_total += ring_size(&young->head);
    ring_merge(&young->head, &gc_generations[GC_GENERATIONS - 1].head);
    young->count = 0;
}

void gc_set_aside(GcYoung *others)
{
    GcGeneration *young = &gc_generations[0];
    ring_init(&others->head);
    ring_merge(&young->head, &others->head);
    others->count = young->count;
}

void gc_settle_new(GcYoung *others)
{
    untrack_tuples(&gc_generations[0].head);
    gc_settle();
    ring_merge(&others->head, &gc_generations[0].head);
    gc_generations[0].count = others->count;
}

void gc_release_kept(void)
{
    gc_save_all = false;
    gc_unfreeze();
    drop_slot(&gc_garbage);
}

void gc_finish(void)
{
    drop_slot(&gc_callbacks);
    gc_release_kept();
    invariant(!collecting, "no collection is at work when the last one begins");
    gc_collect(GC_GENERATIONS - 1);
    gc_enable(false);
}
