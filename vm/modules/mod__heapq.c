// The module _heapq: a list kept as a heap, for vm/lib/heapq.mpy.
//
// Item k is not larger than items 2k+1 and 2k+2. What is pushed goes up from the end while its
// parent is larger. What is popped leaves a hole at the top: the smaller child moves up into it
// until the hole is at the bottom, then the last item goes in there, and up. That is CPython's
// order of comparisons, so the lists are the same (Modules/_heapqmodule.c).
//
// In a max-heap, which merge(reverse=True) and nsmallest() use, every comparison is turned round.
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"

typedef struct Heap {
    ValueRef list;
    ssize_t size; // a comparison that changes it is an error
    bool is_max;
} Heap;

static bool heap_begin(Heap *heap, ValueRef list, bool is_max)
{
    *heap = (Heap){.list = list, .is_max = is_max};
    if (!list_check(list)) return raise_error(TypeError, "heap argument must be a list");
    heap->size = list_size(list);
    return true;
}

// Does the item at index `a` belong above the one at `b`?
static bool is_above(const Heap *heap, ssize_t a, ssize_t b, bool *above)
{
    ValueRef first = list_at(heap->list, heap->is_max ? b : a);
    ValueRef second = list_at(heap->list, heap->is_max ? a : b);
    int order;
    if (quick_order(first, second, &order)) {
        *above = order < 0;
        return true;
    }
    Value left = retain(first), right = retain(second);
    bool done = object_compare_bool(left, right, COMPARE_LT, above);
    drop(left);
    drop(right);
    if (done && list_size(heap->list) != heap->size)
        return raise_error(RuntimeError, "list changed size during iteration");
    return done;
}

static void swap(const Heap *heap, ssize_t a, ssize_t b)
{
    Value *items = as_list(heap->list)->items;
    Value item = items[a];
    items[a] = items[b];
    items[b] = item;
}

// The item at index `at` goes up, no further than `top`.
static bool rise(const Heap *heap, ssize_t top, ssize_t at)
{
    while (at > top) {
        ssize_t parent = (at - 1) / 2;
        bool above;
        if (!is_above(heap, at, parent, &above)) return false;
        if (!above) break;
        swap(heap, at, parent);
        at = parent;
    }
    return true;
}

// The item at index `top` sinks to its level in the heap below it.
static bool sink(const Heap *heap, ssize_t top)
{
    ssize_t at = top;
    while (at < heap->size / 2) {
        ssize_t child = 2 * at + 1;
        bool above = true;
        if (child + 1 < heap->size && !is_above(heap, child, child + 1, &above)) return false;
        if (!above) child++;
        swap(heap, at, child);
        at = child;
    }
    return rise(heap, top, at);
}

static Value make_heap(ValueRef list, bool is_max)
{
    Heap heap;
    if (!heap_begin(&heap, list, is_max)) return VALUE_ERROR;
    for (ssize_t at = heap.size / 2 - 1; at >= 0; at--)
        if (!sink(&heap, at)) return VALUE_ERROR;
    return NONE;
}

// The item at the top, with another one in its place; that one sinks.
static Value replace_top(const Heap *heap, ValueRef item)
{
    Value *items = as_list(heap->list)->items;
    Value top = items[0];
    items[0] = retain(item);
    if (sink(heap, 0)) return top;
    drop(top);
    return VALUE_ERROR;
}

static Value pop(ValueRef list, bool is_max)
{
    Heap heap;
    if (!heap_begin(&heap, list, is_max)) return VALUE_ERROR;
    if (!heap.size) return raise_error(IndexError, "index out of range");
    Value last = retain(list_at(list, --heap.size));
    bool done = list_set_slice(list, heap.size, heap.size + 1, VALUE_ERROR);
    if (done && heap.size) {
        Value top = replace_top(&heap, last);
        drop(last);
        return top;
    }
    if (!done) drop_slot(&last);
    return last;
}

static Value replace(ValueRef list, ValueRef item, bool is_max)
{
    Heap heap;
    if (!heap_begin(&heap, list, is_max)) return VALUE_ERROR;
    if (!heap.size) return raise_error(IndexError, "index out of range");
    return replace_top(&heap, item);
}

static Value heappush(FUNCTION_ARGS)
{
    Heap heap;
    if (!heap_begin(&heap, args[0], false) || !list_append(args[0], args[1])) return VALUE_ERROR;
    heap.size++;
    return rise(&heap, 0, heap.size - 1) ? NONE : VALUE_ERROR;
}

static Value heappushpop(FUNCTION_ARGS)
{
    Heap heap;
    bool above = false;
    if (!heap_begin(&heap, args[0], false)) return VALUE_ERROR;
    if (heap.size) {
        Value top = retain(list_at(args[0], 0));
        bool done = object_compare_bool(top, args[1], COMPARE_LT, &above);
        drop(top);
        if (!done) return VALUE_ERROR;
    }
    if (!above) return retain(args[1]);
    return replace(args[0], args[1], false);
}

static Value heapify(FUNCTION_ARGS)
{
    return make_heap(args[0], false);
}

static Value heapify_max(FUNCTION_ARGS)
{
    return make_heap(args[0], true);
}

static Value heappop(FUNCTION_ARGS)
{
    return pop(args[0], false);
}

static Value heappop_max(FUNCTION_ARGS)
{
    return pop(args[0], true);
}

static Value heapreplace(FUNCTION_ARGS)
{
    return replace(args[0], args[1], false);
}

static Value heapreplace_max(FUNCTION_ARGS)
{
    return replace(args[0], args[1], true);
}

static const MethodDef functions[] = {
    {"heappush", heappush, ARGS(2, 2), NULL},
    {"heappushpop", heappushpop, ARGS(2, 2), NULL},
    {"heappop", heappop, ONE_ARG, NULL},
    {"heapreplace", heapreplace, ARGS(2, 2), NULL},
    {"heapify", heapify, ONE_ARG, NULL},
    {"_heappop_max", heappop_max, ONE_ARG, NULL},
    {"_heapify_max", heapify_max, ONE_ARG, NULL},
    {"_heapreplace_max", heapreplace_max, ARGS(2, 2), NULL},
    {0},
};

const ModuleDef _heapq_module = {
    .name = "_heapq",
    .doc = "Heap queue algorithm (a.k.a. priority queue).",
    .functions = functions,
};
