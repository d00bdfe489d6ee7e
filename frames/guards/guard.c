// Deciding a tree of guards.
//
//     walk             reads each node's value and decides its guards; runs no script code
//     relations        compares the values that the walk has read: `x is y`, no two are one object,
//                      sizes
//     LAMBDA_GUARDs    calls a script's functions, which may change anything, also this tree; so
//                      their values are held
//
// The slots of variables in localsplus are looked up once for a code object.
#include "frames/guards/guard_describe.h"
#include "frames/guards/guard_tree.h"

#include "objects/cell.h"
#include "objects/classes/weakref.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"

// From where the walk reads the variables.
typedef struct GuardScope {
    const Value *slots; // localsplus of a function's frame; NULL:
    ValueRef locals;    // the dict f_locals, or 0 = there are no variables
    ValueRef globals;   // 0 = not known
    Frame *frame;       // NULL = not known
} GuardScope;

// What failed: a guard of the node, or one that is about several nodes, or (all of them NULL) the
// reading of the node.
typedef struct Failure {
    GuardNode *node;
    const Guard *guard;
    const Relation *relation;
    NoAliasing *no_aliasing;
    const ShapeGuard *shape;
    ssize_t position; // of a guard about several nodes among these
} Failure;

// ---- variables

static int32_t index_in(ValueRef names, ValueRef name)
{
    for (ssize_t i = tuple_size(names) - 1; i >= 0; i--)
        if (str_equal(tuple_at(names, i), name)) return (int32_t)i;
    return -1;
}

// The slot of a variable. A parameter that has a cell is in the cell.
static int32_t find_slot(const Code *code, ValueRef name)
{
    int32_t index = index_in(code->freevars, name);
    if (index >= 0) return CELL_SLOT(code->nlocals + code_cell_count(code) + index);
    index = index_in(code->cellvars, name);
    if (index >= 0) return CELL_SLOT(code->nlocals + index);
    index = index_in(code->varnames, name);
    return index < code->nlocals ? index : NOT_LOCAL;
}

static bool find_slots(RootGuardManager *root, ValueRef code)
{
    Value reference = weakref_new(code, VALUE_ERROR);
    if (!reference) return false;
    replace_slot(&root->code, reference);
    for (GuardNode *node = root->top.child; node; node = node->sibling)
        if (node->kind == ACCESS_LOCAL) node->slot = find_slot(as_code(code), node->key);
    return true;
}

static inline bool knows_slots(const RootGuardManager *root, ValueRef code)
{
    return root->code && ((const WeakRef *)object_of(root->code))->target == object_of(code);
}

// The slots are those of another code, or of none: looks them up.
static bool change_code(RootGuardManager *root, Frame *frame, GuardScope *scope)
{
    if (as_code(frame->code)->flags & CO_OPTIMIZED) return find_slots(root, frame->code);
    scope->slots = NULL; // of a module or a class
    if ((frame->flags & FRAME_LOCALS) && dict_check_exact(frame->locals))
        scope->locals = frame->locals;
    return true;
}

static inline bool scope_of_frame(RootGuardManager *root, Frame *frame, GuardScope *scope)
{
    *scope = (GuardScope){frame->localsplus, VALUE_ERROR, frame->globals, frame};
    return knows_slots(root, frame->code) || change_code(root, frame, scope);
}

static ValueRef read_local(const GuardNode *node, const GuardScope *scope)
{
    if (!scope->slots) return scope->locals ? dict_peek(scope->locals, node->key) : VALUE_ERROR;
    if (node->slot == NOT_LOCAL) return VALUE_ERROR;
    ValueRef cell = scope->slots[CELL_SLOT(node->slot)];
    return cell ? as_cell(cell)->contents : VALUE_ERROR;
}

static __attribute__((noinline)) ValueRef read_other(const GuardNode *node, const GuardScope *scope)
{
    if (node->kind == ACCESS_LOCAL) return read_local(node, scope);
    if (node->kind != ACCESS_GLOBALS) return guard_read(node, node->parent->value);
    return !scope->globals || scope->globals == node->key ? node->key : VALUE_ERROR;
}

// ---- the walk

static bool failed(Failure *failure, GuardNode *node, const Guard *guard)
{
    *failure = (Failure){.node = node, .guard = guard};
    return false;
}

static inline bool walk(const RootGuardManager *root, const GuardScope *scope, Failure *failure)
{
    const Value *slots = scope->slots;
    for (const Guard *guard = root->top.others; guard < root->top.end; guard++)
        if (!guard_holds(guard, NONE)) return failed(failure, (GuardNode *)&root->top, guard);
    for (GuardNode *node = root->top.child; node; node = guard_node_next(node)) {
        ValueRef value = slots && node->slot >= 0 ? slots[node->slot] : read_other(node, scope);
        if (!value) return failed(failure, node, NULL);
        invariant(!is_object(value) || is_alive(object_of(value)),
                  "what a guard looks at is held by the frame");
        node->value = value;
        if (node->type && type_of(value) != node->type) return failed(failure, node, node->guards);
        for (const Guard *guard = node->others; guard < node->end; guard++)
            if (!guard_holds(guard, value)) return failed(failure, node, guard);
    }
    return true;
}

// On success, failure->position is their number.
static bool relations_hold(const RootGuardManager *root, Failure *failure)
{
    *failure = (Failure){0};
    for (; failure->position < (ssize_t)root->relation_count; failure->position++) {
        failure->relation = &root->relations[failure->position];
        if (failure->relation->x->value != failure->relation->y->value) return false;
    }
    failure->relation = NULL;
    for (NoAliasing *guard = root->no_aliasing; guard; guard = guard->next) {
        failure->no_aliasing = guard;
        if (!guard_no_aliasing_holds(guard)) return false;
        failure->position++;
    }
    failure->no_aliasing = NULL;
    for (ShapeGuard *guard = root->shape_guards; guard; guard = guard_shape_next(guard)) {
        failure->shape = guard;
        if (!guard_shape_holds(guard)) return false;
        failure->position++;
    }
    return true;
}

// The children of a node stay sorted: those that fail often come first.
static void move_forward(GuardNode *node)
{
    invariant(node->parent, "a node that moves forward has siblings");
    GuardNode **link = &node->parent->child, **from;
    while (*link != node && (*link)->fail_count >= node->fail_count) link = &(*link)->sibling;
    if (*link == node) return;
    for (from = link; *from != node;) from = &(*from)->sibling;
    *from = node->sibling;
    node->sibling = *link;
    *link = node;
}

static void note_failure(GuardNode *node)
{
    for (; node; node = node->parent) {
        node->fail_count++;
        if (node->parent) move_forward(node);
    }
}

// ---- functions of the script

typedef struct LambdaCall {
    Value function, value;
    Value parts; // for an explanation: the guard's text; or 0
} LambdaCall;

typedef struct LambdaCalls {
    LambdaCall *calls;
    size_t count, room;
} LambdaCalls;

static bool collect_of(LambdaCalls *all, const GuardNode *node, ValueRef value, bool explain)
{
    for (const Guard *guard = node->guards; guard < node->end; guard++) {
        if (guard->kind != LAMBDA_GUARD || all->count == all->room) continue;
        Value parts = explain ? guard_parts(node, guard) : VALUE_ERROR;
        if (explain && !parts) return false;
        all->calls[all->count++] = (LambdaCall){retain(guard->expected), retain(value), parts};
    }
    return true;
}

// The LAMBDA_GUARDs of the frame itself come last: making f_locals may run script code, after which
// the values of the walk are not valid any more.
static bool collect(LambdaCalls *all, RootGuardManager *root, const GuardScope *scope, bool explain)
{
    for (GuardNode *node = root->top.child; node; node = guard_node_next(node))
        if (!collect_of(all, node, node->value, explain)) return false;
    if (root->top.guards == root->top.end) return true;
    ValueRef locals = scope->frame ? frame_locals(scope->frame) : scope->locals;
    return locals && collect_of(all, &root->top, locals, explain);
}

static void release_calls(LambdaCalls *all)
{
    for (size_t i = 0; i < all->count; i++) {
        drop(all->calls[i].function);
        drop(all->calls[i].value);
        drop(all->calls[i].parts);
    }
    memory_free(all->calls);
}

static int ask(const LambdaCall *call, GuardDebugInfo *info)
{
    bool truth;
    Value answer = object_call_one(call->function, call->value);
    int holds = !answer ? -1 : object_truth(answer, &truth) ? truth : -1;
    if (info && holds == 0) {
        info->found = guard_describe(answer);
        info->verbose_code_parts = retain(call->parts);
        if (!info->found) holds = -1;
    }
    drop(answer);
    return holds;
}

static int ask_lambdas(RootGuardManager *root, const GuardScope *scope, GuardDebugInfo *info)
{
    LambdaCalls all = {.room = root->lambda_count};
    all.calls = memory_alloc(all.room * sizeof *all.calls);
    if (!all.calls) return raise_memory_error(), -1;
    int holds = collect(&all, root, scope, info) ? 1 : -1;
    for (size_t i = 0; holds > 0 && i < all.count; i++) {
        if (info) info->num_guards_executed++;
        holds = ask(&all.calls[i], info);
    }
    release_calls(&all);
    return holds;
}

// ---- the answer

static inline __attribute__((always_inline)) int decide(RootGuardManager *root,
                                                        const GuardScope *scope)
{
    Failure failure;
    if (!walk(root, scope, &failure)) {
        if (error_pending()) return -1;
        note_failure(failure.node);
        return 0;
    }
    if (!root->has_relations && !root->lambda_count) return 1;
    if (!relations_hold(root, &failure)) return 0;
    return root->lambda_count ? ask_lambdas(root, scope, NULL) : 1;
}

int guard_manager_holds(ValueRef guard, Frame *frame)
{
    GuardScope scope;
    RootGuardManager *root = as_root(guard);
    return scope_of_frame(root, frame, &scope) ? decide(root, &scope) : -1;
}

int guard_manager_holds_for(ValueRef guard, ValueRef locals)
{
    GuardScope scope = {.locals = locals};
    return decide(as_root(guard), &scope);
}

// ---- the explanation

// How many guards have been decided, up to the failure.
static ssize_t guards_decided(const RootGuardManager *root, const Failure *failure)
{
    if (failure->node == &root->top) return failure->guard - root->top.guards + 1;
    ssize_t count = 0;
    for (const Guard *guard = root->top.guards; guard < root->top.end; guard++)
        count += guard->kind != LAMBDA_GUARD;
    const GuardNode *node = root->top.child;
    for (; node && node != failure->node; node = guard_node_next(node))
        for (const Guard *guard = node->guards; guard < node->end; guard++)
            count += guard->kind != LAMBDA_GUARD;
    if (failure->guard) count += failure->guard - node->guards + 1;
    return failure->node ? count : count + failure->position + 1;
}

static bool explain_failure(GuardDebugInfo *info, const Failure *failure)
{
    const GuardNode *node = failure->node;
    if (failure->relation) {
        info->verbose_code_parts = guard_relation_parts(failure->relation);
        info->found = str_new("two objects");
    } else if (failure->no_aliasing) {
        info->verbose_code_parts =
            guard_list_of_one(str_new("Duplicate tensor found where not expected!"));
        info->found = guard_no_aliasing_found(failure->no_aliasing);
    } else if (failure->shape) {
        info->verbose_code_parts = guard_list_of(guard_shape_parts(failure->shape));
        info->found = guard_shape_found(failure->shape);
    } else if (failure->guard && guard_found_says_all(failure->guard)) {
        info->verbose_code_parts = guard_list_of_one(guard_found(failure->guard, node->value));
        return info->verbose_code_parts;
    } else if (failure->guard) {
        info->verbose_code_parts = failure->guard->kind == DICT_KEYS
                                       ? guard_keys_parts(node, failure->guard)
                                       : guard_parts(node, failure->guard);
        info->found = guard_found(failure->guard, node->value);
    } else {
        info->verbose_code_parts = guard_source_parts(node);
        info->found = guard_read_found(node);
    }
    return info->verbose_code_parts && info->found;
}

static bool explain(GuardDebugInfo *info, RootGuardManager *root, const GuardScope *scope)
{
    Failure failure = {0};
    bool holds = walk(root, scope, &failure);
    if (!holds && error_pending()) return false;
    holds = holds && relations_hold(root, &failure);
    info->num_guards_executed = guards_decided(root, &failure) - holds;
    if (!holds) return explain_failure(info, &failure);
    int answer = root->lambda_count ? ask_lambdas(root, scope, info) : 1;
    info->result = answer > 0;
    if (answer > 0) info->verbose_code_parts = list_new(0);
    return answer >= 0 && info->verbose_code_parts;
}

static Value explanation(RootGuardManager *root, const GuardScope *scope)
{
    GuardDebugInfo *info = object_alloc(&guard_debug_info_type, 0);
    if (!info) return VALUE_ERROR;
    if (explain(info, root, scope)) return own(info);
    drop(own(info));
    return VALUE_ERROR;
}

Value guard_manager_explain(ValueRef guard, ValueRef locals)
{
    GuardScope scope = {.locals = locals};
    return explanation(as_root(guard), &scope);
}

// "L['x'] is an int: found a str", or a sentence that says both.
static Value failure_text(const GuardDebugInfo *info)
{
    if (info->result) return str_new("all guards hold by now");
    Value and = str_new(" and ");
    Value parts = and? str_join(and, info->verbose_code_parts) : VALUE_ERROR;
    if (parts && info->found) {
        Value text = format_text("%S: found %S", (ValueRef)parts, (ValueRef)info->found);
        replace_slot(&parts, text);
    }
    drop(and);
    return parts;
}

Value guard_manager_failure(ValueRef guard, Frame *frame)
{
    GuardScope scope;
    RootGuardManager *root = as_root(guard);
    Value info = scope_of_frame(root, frame, &scope) ? explanation(root, &scope) : VALUE_ERROR;
    Value text = info ? failure_text((const GuardDebugInfo *)object_of(info)) : VALUE_ERROR;
    drop(info);
    return text;
}
