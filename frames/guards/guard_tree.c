// Building the tree of a RootGuardManager.
#include "frames/guards/guard_tree.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/looking/peek.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/type.h"

// ---- nodes

// Keys that are no constants are the same if they are one object: to compare them may run script
// code.
static bool same_key(const GuardNode *node, ValueRef key)
{
    if (node->key == key) return true;
    return node->key && key && constant_check(node->key) && constant_equal(node->key, key);
}

static GuardNode *find_child(const GuardNode *parent, AccessorKind kind, ValueRef key)
{
    for (GuardNode *child = parent->child; child; child = child->sibling)
        if (child->kind == kind && same_key(child, key)) return child;
    return NULL;
}

static bool check_key(AccessorKind kind, ValueRef key)
{
    switch (kind) {
    case ACCESS_LOCAL:
    case ACCESS_GETATTR:
    case ACCESS_CLASSMETHOD:
        return str_check_exact(key) ||
               raise_error(TypeError, "a name must be a str, not '%T'", key);
    case ACCESS_GLOBALS:
        return dict_check_exact(key) ||
               raise_error(TypeError, "globals must be a dict, not '%T'", key);
    case ACCESS_DICT_KEY:
    case ACCESS_DICT_VALUE:
    case ACCESS_LIST_GETITEM:
    case ACCESS_TUPLE_GETITEM:
    case ACCESS_ITERATOR_GETITEM:
        return is_small(key) || raise_error(TypeError, "an index must be an int, not '%T'", key);
    default: return true;
    }
}

// The top is the frame: variables and globals lead on from there, and from nowhere else.
static bool check_parent(const GuardNode *parent, AccessorKind kind)
{
    bool of_frame = kind == ACCESS_LOCAL || kind == ACCESS_GLOBALS, at_top = parent->parent == NULL;
    if (of_frame == at_top) return true;
    if (at_top)
        return raise_error(TypeError, "a RootGuardManager stands for the frame, which has only "
                                      "dict_getitem_manager() and globals_dict_manager()");
    return raise_error(TypeError, "globals_dict_manager() is for a RootGuardManager only");
}

static void append_child(GuardNode *parent, GuardNode *node)
{
    invariant(!node->parent && !node->sibling, "a node has one parent");
    GuardNode **link = &parent->child;
    while (*link) link = &(*link)->sibling;
    *link = node;
    node->parent = parent;
}

GuardNode *guard_node_child(RootGuardManager *root, GuardNode *parent, AccessorKind kind,
                            ValueRef key, ValueRef source)
{
    if (kind == ACCESS_DICT_GETITEM && !parent->parent) kind = ACCESS_LOCAL;
    if (!check_parent(parent, kind) || !check_key(kind, key)) return NULL;
    GuardNode *node = find_child(parent, kind, key);
    if (node) return node;
    node = memory_alloc_zeroed(sizeof *node);
    if (!node) {
        raise_memory_error();
        return NULL;
    }
    node->kind = kind;
    node->slot = NOT_LOCAL;
    node->key = retain(key);
    if (key && str_check_exact(key)) str_intern_in_place(&node->key);
    node->source = retain(source);
    node->made = root->made;
    root->made = node;
    append_child(parent, node);
    drop_slot(&root->code); // the slot of a new variable is not known yet
    return node;
}

// ---- guards

void guard_drop(Guard *guard)
{
    drop_slot(&guard->expected);
    drop_slot(&guard->text[0]);
    drop_slot(&guard->text[1]);
    drop_slot(&guard->parts);
}

static bool make_room(GuardNode *node)
{
    size_t count = (size_t)(node->end - node->guards);
    if (count < node->capacity) return true;
    uint32_t capacity = node->capacity ? node->capacity * 2 : 2;
    Guard *guards = memory_resize(node->guards, capacity * sizeof(Guard));
    if (!guards) return raise_memory_error();
    node->guards = guards;
    node->end = guards + count;
    node->capacity = capacity;
    return true;
}

// Most guards are on types: the walk finds that of the node at once. A class that has died may have
// the address of another one: its guard is asked too.
static void note_type(GuardNode *node)
{
    const Guard *first = node->guards;
    bool on_type = first < node->end && first->kind == TYPE_MATCH && guard_expected(first);
    node->type = on_type ? as_type(guard_expected(first)) : NULL;
    node->others = on_type && !first->weak ? first + 1 : first;
}

bool guard_node_add(RootGuardManager *root, GuardNode *node, Guard *guard)
{
    if (!make_room(node)) {
        guard_drop(guard);
        return false;
    }
    Guard *at = node->end++;
    for (; at > node->guards && at[-1].kind > guard->kind; at--) *at = at[-1];
    *at = *guard;
    note_type(node);
    invariant(node->end <= node->guards + node->capacity, "a node has room for its guards");
    invariant(at == node->guards || at[-1].kind <= at->kind, "guards are sorted by their kind");
    if (guard->kind == LAMBDA_GUARD) root->lambda_count++;
    return true;
}

// The array is taken away first: what is dropped may come back here.
void guard_node_clear(GuardNode *node)
{
    Guard *guards = node->guards, *end = node->end;
    node->guards = node->end = NULL;
    node->capacity = 0;
    note_type(node);
    for (Guard *guard = guards; guard < end; guard++) guard_drop(guard);
    memory_free(guards);
}

bool guard_root_relate(RootGuardManager *root, GuardNode *x, GuardNode *y, Value parts)
{
    size_t size = (root->relation_count + 1) * sizeof(Relation);
    Relation *relations = memory_resize(root->relations, size);
    if (!relations) {
        drop(parts);
        return raise_memory_error();
    }
    root->relations = relations;
    relations[root->relation_count++] = (Relation){x, y, parts};
    root->has_relations = true;
    return true;
}
