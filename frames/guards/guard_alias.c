// NO_TENSOR_ALIASING: no two of some values are the same object. Two variables that hold one tensor
// would be two inputs of a graph, and one of them would miss what is done to the other in place.
//
//     slots | round value node | round value node | ...      at least two for each node
//
// A check is a new round: it puts each value into the hash table, and finds those that are there
// already. What earlier rounds have left counts as empty, so nothing is cleared and nothing is
// allocated. (PyTorch 2.5's NO_TENSOR_ALIASING in torch/csrc/dynamo/guards.cpp.)
#include "frames/guards/guard_tree.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"

static size_t slots_for(size_t count)
{
    size_t slots = 4;
    while (slots < 2 * count) slots *= 2;
    return slots;
}

static NoAliasing *no_aliasing_new(GuardNode *const *nodes, size_t count)
{
    size_t slots = slots_for(count);
    NoAliasing *guard = memory_alloc_zeroed(sizeof *guard + slots * sizeof *guard->slots);
    GuardNode **copy = guard ? memory_alloc(count * sizeof *copy) : NULL;
    if (!copy) {
        memory_free(guard);
        raise_memory_error();
        return NULL;
    }
    memcpy(copy, nodes, count * sizeof *copy);
    guard->nodes = copy;
    guard->count = count;
    guard->mask = slots - 1;
    return guard;
}

bool guard_root_forbid_aliasing(RootGuardManager *root, GuardNode *const *nodes, Value names,
                                Value parts)
{
    NoAliasing *guard = no_aliasing_new(nodes, (size_t)tuple_size(names));
    if (!guard) {
        drop(names);
        drop(parts);
        return false;
    }
    guard->names = names;
    guard->parts = parts;
    NoAliasing **link = &root->no_aliasing;
    while (*link) link = &(*link)->next;
    *link = guard;
    root->has_relations = true;
    return true;
}

void guard_no_aliasing_free(NoAliasing *guard)
{
    drop(guard->names);
    drop(guard->parts);
    memory_free(guard->nodes);
    memory_free(guard);
}

// Puts the value of a node into the table. The slot that has it already, if there is one.
static inline const SeenSlot *see(NoAliasing *guard, uint32_t node)
{
    ValueRef value = guard->nodes[node]->value;
    size_t i = (size_t)(bits_of(value) >> 4 ^ bits_of(value) >> 12) & guard->mask;
    for (; guard->slots[i].round == guard->round; i = (i + 1) & guard->mask)
        if (guard->slots[i].value == value) return &guard->slots[i];
    guard->slots[i] = (SeenSlot){guard->round, value, node};
    return NULL;
}

// The first node whose value an earlier node has too, which is *earlier; -1 = there is none.
static int find_alias(NoAliasing *guard, uint32_t *earlier)
{
    guard->round++;
    for (uint32_t node = 0; node < guard->count; node++) {
        const SeenSlot *same = see(guard, node);
        if (!same) continue;
        *earlier = same->node;
        return (int)node;
    }
    return -1;
}

bool guard_no_aliasing_holds(NoAliasing *guard)
{
    uint32_t earlier;
    return find_alias(guard, &earlier) < 0;
}

Value guard_no_aliasing_found(NoAliasing *guard)
{
    uint32_t earlier = 0;
    int node = find_alias(guard, &earlier);
    invariant(node >= 0, "two values are one object where this guard fails");
    return format_text("one object in %S and %S", tuple_at(guard->names, earlier),
                       tuple_at(guard->names, node));
}
