// The tree of a RootGuardManager, as the files of frames/guards/ share it.
//
//     top (the frame)
//      +- child                  L['x']         guards: TYPE_MATCH, ...
//      |   +- child              L['x'].pos
//      |   +- sibling            L['x'].name
//      +- sibling                G
//
// The root owns the nodes, which live as long as it does. A GuardManager is the object by which a
// script refers to a node. `value` is the value that the node's accessor has read: borrowed, and
// valid during one walk only, since the walk calls nothing that could free it. The walk follows
// these pointers without recursion, so a tree may have any depth.
#pragma once

#include "frames/guards/guard.h"

#include "objects/classes/weakref.h"
#include "objects/text/str.h"

typedef enum GuardKind {
#define GUARD(KIND, name, parameters) KIND,
#define ACCESSOR(...)
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
} GuardKind;

typedef enum AccessorKind {
#define GUARD(...)
#define ACCESSOR(KIND, ...) ACCESS_##KIND,
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
    ACCESS_LOCAL, // dict_getitem_manager() of the root: a variable of the frame
} AccessorKind;

typedef struct Guard {
    GuardKind kind;
    bool contains;  // of DICT_CONTAINS
    bool weak;      // is `expected` a weak reference?
    int64_t number; // a length, a version
    Value expected; // a type, a value, a weak reference to it, a key, a name, a function, ...; or 0
    Value text[2];  // strs before and after the node's source; or:
    Value parts;    // a tuple of strs: the script's verbose_code_parts; or 0
} Guard;

// What is expected; 0 = it has died.
static inline ValueRef guard_expected(const Guard *guard)
{
    return guard->weak ? weakref_target(guard->expected) : guard->expected;
}

// The slot of a node: the index of its variable in localsplus; CELL_SLOT(index) if it is in a cell;
// NOT_LOCAL for other nodes.
#define NOT_LOCAL (-1)
#define CELL_SLOT(index) (-2 - (index))

typedef struct GuardNode {
    struct GuardNode *parent, *child, *sibling;
    struct GuardNode *made; // the one made before this
    AccessorKind kind;
    int32_t slot;
    Value key;    // a str or an int; of ACCESS_GLOBALS the dict; or 0
    Value source; // a str, where the script gave one; or 0
    ValueRef value;
    Guard *guards, *end; // sorted by kind
    const Type *type;    // that of the first guard, if it is a TYPE_MATCH; else NULL; maybe dead
    const Guard *others; // the guards that are still to be asked
    uint32_t capacity;
    int64_t fail_count;
} GuardNode;

// `x is y`: compared when both have been read.
typedef struct Relation {
    GuardNode *x, *y;
    Value parts; // as in Guard
} Relation;

// No two of the nodes have one object as their value. The slots are a hash table for one walk: a
// slot of an earlier round is empty.
typedef struct SeenSlot {
    uint64_t round;
    ValueRef value;
    uint32_t node; // the index of its node
} SeenSlot;

typedef struct NoAliasing {
    struct NoAliasing *next;
    Value names; // a tuple of strs, one for each node
    Value parts; // as in Guard
    bool printed;
    uint64_t round;
    size_t count, mask; // nodes; slots - 1
    GuardNode **nodes;
    SeenSlot slots[];
} NoAliasing;

// A condition on sizes, as a program for a machine with a stack (guard_shape.c).
typedef struct ShapeGuard ShapeGuard;

typedef struct GuardManager {
    Object base;
    Value root; // 0 in the root itself
    GuardNode *node;
} GuardManager;

typedef struct RootGuardManager {
    GuardManager manager;
    GuardNode top;
    GuardNode *made;
    Value code; // a weak reference to the code whose slots the nodes have; or 0
    Relation *relations;
    size_t relation_count;
    NoAliasing *no_aliasing;  // in the order in which they were made
    ShapeGuard *shape_guards; // likewise
    bool has_relations;       // of any of these three kinds
    size_t lambda_count;
    Value dict; // for the attributes cache_entry and extra_state
    Value weakrefs;
} RootGuardManager;

// What GuardManager.check_verbose() answers.
typedef struct GuardDebugInfo {
    Object base;
    bool result;
    Value verbose_code_parts; // a list: the text of what failed
    Value found; // a str: what was found instead; 0 = nothing failed, or the parts say it
    ssize_t num_guards_executed;
} GuardDebugInfo;

static inline RootGuardManager *as_root(ValueRef value)
{
    return (RootGuardManager *)object_of(value);
}
static inline GuardManager *as_manager(ValueRef value)
{
    return (GuardManager *)object_of(value);
}
static inline RootGuardManager *manager_root(ValueRef manager)
{
    ValueRef root = as_manager(manager)->root;
    return as_root(root ? root : manager);
}

// ---- guard_tree.c: building
// The child with this accessor, made if there is none. Borrows; `key` and `source` may be 0. NULL
// with TypeError or MemoryError pending.
GuardNode *guard_node_child(RootGuardManager *root, GuardNode *parent, AccessorKind kind,
                            ValueRef key, ValueRef source);
// Steals the contents of `guard`, also if it fails.
bool guard_node_add(RootGuardManager *root, GuardNode *node, Guard *guard);
bool guard_root_relate(RootGuardManager *root, GuardNode *x, GuardNode *y, Value parts);
void guard_drop(Guard *guard);
void guard_node_clear(GuardNode *node); // drops all guards
// The next node in the order of the walk; NULL at the end.
static inline GuardNode *guard_node_next(const GuardNode *node)
{
    if (node->child) return node->child;
    while (node && !node->sibling) node = node->parent;
    return node ? node->sibling : NULL;
}

// ---- guard.c: deciding with a dict f_locals instead of a frame
int guard_manager_holds_for(ValueRef guard, ValueRef locals);
Value guard_manager_explain(ValueRef guard, ValueRef locals); // a GuardDebugInfo

// ---- guard_leaf.c: the kinds of guards
// Fills a guard from the arguments of its method. TypeError or ValueError for wrong arguments.
bool guard_make(Guard *guard, GuardKind kind, const ValueRef *args);
bool guard_holds(const Guard *guard, ValueRef value);  // no LAMBDA_GUARD; runs no script code
Value guard_found(const Guard *guard, ValueRef value); // a str: what was found instead
// Does guard_found() say what was expected too, and stand for the guard's text?
bool guard_found_says_all(const Guard *guard);
Value guard_dict_keys_differ(const Guard *guard, ValueRef dict, ValueRef source);

// ---- guard_state.c: three of these kinds, which are of the root and not about a value
static inline bool guard_is_of_machine(GuardKind kind)
{
    return kind == DEFAULT_DEVICE || kind == GLOBAL_STATE || kind == TORCH_FUNCTION_MODE_STACK;
}
bool guard_make_global_state(Guard *guard, const ValueRef *args);
bool guard_global_state_holds(const Guard *guard, ValueRef value);
Value guard_global_state_found(const Guard *guard, ValueRef value);
bool guard_make_default_device(Guard *guard, const ValueRef *args);
bool guard_make_mode_stack(Guard *guard, const ValueRef *args);
bool guard_mode_stack_holds(const Guard *guard, ValueRef value);
Value guard_mode_stack_found(const Guard *guard, ValueRef value);
bool guard_always_holds(const Guard *guard, ValueRef value);

// ---- guard_tensor.c: two of these kinds
bool guard_make_tensor_match(Guard *guard, const ValueRef *args);
bool guard_tensor_match_holds(const Guard *guard, ValueRef value);
Value guard_tensor_match_found(const Guard *guard, ValueRef value);
bool guard_make_dynamic_indices(Guard *guard, const ValueRef *args);
bool guard_dynamic_indices_holds(const Guard *guard, ValueRef value);
Value guard_dynamic_indices_found(const Guard *guard, ValueRef value);

// ---- guard_alias.c: NO_TENSOR_ALIASING, decided when the values of all nodes have been read
// Steals `names` and `parts`, also if it fails. The nodes are copied.
bool guard_root_forbid_aliasing(RootGuardManager *root, GuardNode *const *nodes, Value names,
                                Value parts);
bool guard_no_aliasing_holds(NoAliasing *guard);
Value guard_no_aliasing_found(NoAliasing *guard); // a str: which two are one object
void guard_no_aliasing_free(NoAliasing *guard);

// ---- guard_shape.c: decided when the values of all nodes have been read
// Compiles a program, a list of steps. Steals `parts`, also if it fails.
bool guard_root_add_shape(RootGuardManager *root, ValueRef program, Value parts);
bool guard_shape_holds(const ShapeGuard *guard);
Value guard_shape_found(const ShapeGuard *guard); // a str: the sizes that it has read
ValueRef guard_shape_parts(const ShapeGuard *guard);
ShapeGuard *guard_shape_next(const ShapeGuard *guard); // of the same root
void guard_shape_free(ShapeGuard *guard);

// ---- guard_accessor.c
// Reads the node's value from its parent's value, by the accessor: borrowed, 0 = it cannot be read;
// then MemoryError may be pending. Not for ACCESS_LOCAL and ACCESS_GLOBALS. Runs no script code.
ValueRef guard_read(const GuardNode *node, ValueRef parent);
Value guard_read_found(const GuardNode *node); // a str: why it cannot be read

// ---- guard_text.c: strs for the reader
Value guard_source(const GuardNode *node);                    // "L['x'].pos"
Value guard_parts(const GuardNode *node, const Guard *guard); // a list: ["L['x'] is an int"]
// A list: ["list(L['d'].keys())[0] == 'a'"].
Value guard_keys_parts(const GuardNode *node, const Guard *guard);
// A list: ["getattr failed on source L['x'].pos"].
Value guard_source_parts(const GuardNode *node);
Value guard_relation_parts(const Relation *relation); // a list
Value guard_list_of(ValueRef parts);                  // of a tuple
Value guard_list_of_one(Value text);                  // steals the text, also 0
Value guard_tree_text(RootGuardManager *root);        // as TORCH_LOGS=guards prints it
