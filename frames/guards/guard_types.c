// What a script sees of native guards: RootGuardManager, GuardManager, GuardDebugInfo.
//
// The methods that add a guard return their GuardManager, so calls can be chained; in PyTorch they
// return None. Arguments are the types, objects and functions themselves. PyTorch takes their id(),
// which means nothing once the object is dead.
#include "frames/guards/guard_tree.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/protocols/items.h"

// ---- arguments

// verbose_code_parts as a tuple of exactly strs. False with TypeError pending.
static bool take_parts(ValueRef given, Value *parts)
{
    if (!list_check_exact(given) && !tuple_check_exact(given))
        return raise_error(TypeError, "verbose_code_parts must be a list of str, not '%T'", given);
    Value tuple = sequence_tuple(given);
    for (ssize_t i = 0; tuple && i < tuple_size(tuple); i++) {
        if (str_check_exact(tuple_at(tuple, i))) continue;
        raise_error(TypeError, "verbose_code_parts must be a list of str, not of '%T'",
                    tuple_at(tuple, i));
        drop_slot(&tuple);
    }
    if (tuple && tuple_size(tuple) == 0) {
        raise_error(ValueError, "verbose_code_parts is empty");
        drop_slot(&tuple);
    }
    *parts = tuple;
    return tuple != VALUE_ERROR;
}

// ---- adding guards

static Value add_guard(ValueRef self, GuardKind kind, const ValueRef *args, ValueRef parts)
{
    RootGuardManager *root = manager_root(self);
    GuardNode *node = as_manager(self)->node;
    Guard guard;
    if (!node->parent && kind != LAMBDA_GUARD && !guard_is_of_machine(kind))
        return raise_error(TypeError, "a RootGuardManager stands for the frame, which has no value "
                                      "of its own: guards belong to its variables and globals");
    if (!guard_make(&guard, kind, args)) return VALUE_ERROR;
    if (parts && parts != NONE && !take_parts(parts, &guard.parts)) {
        guard_drop(&guard);
        return VALUE_ERROR;
    }
    return guard_node_add(root, node, &guard) ? retain(self) : VALUE_ERROR;
}

// ---- adding nodes

static Value manager_new(ValueRef self, GuardNode *node)
{
    GuardManager *manager = object_alloc(&guard_manager_type, 0);
    if (!manager) return VALUE_ERROR;
    manager->root = retain(ref_of(manager_root(self)));
    manager->node = node;
    return own(manager);
}

static Value add_child(ValueRef self, AccessorKind kind, ValueRef key, ValueRef source)
{
    if (source == NONE) source = VALUE_ERROR;
    if (source && !str_check_exact(source))
        return raise_error(TypeError, "source must be a str, not '%T'", source);
    GuardNode *node =
        guard_node_child(manager_root(self), as_manager(self)->node, kind, key, source);
    return node ? manager_new(self, node) : VALUE_ERROR;
}

// ---- a method for every row of the table

// clang-format off
#define GUARD(KIND, name, parameters)                                                              \
    static Value add_##name(ValueRef self, METHOD_ARGS)                                            \
    {                                                                                              \
        return add_guard(self, KIND, args, nargs > (parameters) ? args[parameters] : VALUE_ERROR); \
    }
#define ACCESSOR(KIND, method, class_name, parameters, before, after)                              \
    static Value method(ValueRef self, METHOD_ARGS)                                                \
    {                                                                                              \
        ValueRef source = nargs > (parameters) ? args[parameters] : VALUE_ERROR;                   \
        return add_child(self, ACCESS_##KIND, (parameters) ? args[0] : VALUE_ERROR, source);       \
    }
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
// clang-format on

static Value get_root(ValueRef self, METHOD_ARGS)
{
    return retain(ref_of(manager_root(self)));
}

static Value get_source(ValueRef self, METHOD_ARGS)
{
    return guard_source(as_manager(self)->node);
}

static Value fail_count(ValueRef self, METHOD_ARGS)
{
    return int_new(as_manager(self)->node->fail_count);
}

static const MethodDef manager_methods[] = {
// clang-format off
#define GUARD(KIND, name, parameters)                                                              \
    {"add_" #name "_guard", add_##name, ARGS(parameters, parameters + 1), NULL},
#define ACCESSOR(KIND, method, class_name, parameters, before, after)                              \
    {#method, method, ARGS(parameters, parameters + 1), NULL},
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
    // clang-format on
    {"get_root", get_root, NO_ARGS, "The RootGuardManager of the tree."},
    {"get_source", get_source, NO_ARGS, "The expression for the value guarded here."},
    {"fail_count", fail_count, NO_ARGS,
     "How often reading or a guard has failed here or below; functions do not count."},
    {0},
};

static void manager_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((GuardManager *)self)->root, visit, arg);
}

static void manager_release(Object *self)
{
    drop(((GuardManager *)self)->root);
}

Type guard_manager_type = {
    STATIC_TYPE("torch._C._dynamo.guards.GuardManager", sizeof(GuardManager)),
    .flags = TYPE_GC,
    .doc = "A value that guards are about, and the way that leads to it.",
    .methods = manager_methods,
    .release = manager_release,
    .traverse = manager_traverse,
    .getattribute = object_generic_get,
};

// ---- the root

static Value root_new(Type *type, METHOD_ARGS)
{
    if (!args_no_keywords("RootGuardManager", kwnames) ||
        !args_check("RootGuardManager", nargs, VALUE_ERROR, 0, 0))
        return VALUE_ERROR;
    RootGuardManager *root = object_alloc(type, 0);
    if (!root) return VALUE_ERROR;
    root->manager.node = &root->top;
    return own(root);
}

static bool check_locals(ValueRef locals)
{
    return dict_check(locals) ||
           raise_error(TypeError, "f_locals must be a dict, not '%T'", locals);
}

static Value root_check(ValueRef self, METHOD_ARGS)
{
    if (!check_locals(args[0])) return VALUE_ERROR;
    int holds = guard_manager_holds_for(self, args[0]);
    return holds < 0 ? VALUE_ERROR : from_bool(holds);
}

static Value root_call(ValueRef self, METHOD_ARGS)
{
    if (!args_no_keywords("RootGuardManager.__call__", kwnames) ||
        !args_check("RootGuardManager.__call__", nargs, VALUE_ERROR, 1, 1))
        return VALUE_ERROR;
    return root_check(self, args, nargs, kwnames);
}

static Value root_check_verbose(ValueRef self, METHOD_ARGS)
{
    return check_locals(args[0]) ? guard_manager_explain(self, args[0]) : VALUE_ERROR;
}

static Value root_str(ValueRef self)
{
    return guard_tree_text(as_root(self));
}

static void visit_node(const GuardNode *node, VisitFn visit, void *arg)
{
    visit_item(node->key, visit, arg);
    for (const Guard *guard = node->guards; guard < node->end; guard++) {
        visit_item(guard->expected, visit, arg);
        visit_item(guard->parts, visit, arg);
    }
}

static void root_traverse(Object *self, VisitFn visit, void *arg)
{
    const RootGuardManager *root = (const RootGuardManager *)self;
    visit_item(root->dict, visit, arg);
    visit_item(root->code, visit, arg);
    visit_node(&root->top, visit, arg);
    for (const GuardNode *node = root->made; node; node = node->made) visit_node(node, visit, arg);
    for (size_t i = 0; i < root->relation_count; i++)
        visit_item(root->relations[i].parts, visit, arg);
}

static void clear_node(GuardNode *node)
{
    guard_node_clear(node);
    if (node->kind == ACCESS_GLOBALS)
        drop_slot(&node->key);
    else if (is_object(node->key) && !str_check_exact(node->key))
        replace_slot(&node->key, NONE); // any object may be a key, also one of this cycle
}

// Guards, globals and keys may be part of a cycle. What is left is an empty tree.
static void root_clear(Object *self)
{
    RootGuardManager *root = (RootGuardManager *)self;
    drop_slot(&root->dict);
    clear_node(&root->top);
    for (GuardNode *node = root->made; node; node = node->made) clear_node(node);
}

static void root_release(Object *self)
{
    RootGuardManager *root = (RootGuardManager *)self;
    root_clear(self);
    drop(root->code);
    for (size_t i = 0; i < root->relation_count; i++) drop(root->relations[i].parts);
    memory_free(root->relations);
    while (root->no_aliasing) {
        NoAliasing *guard = root->no_aliasing;
        root->no_aliasing = guard->next;
        guard_no_aliasing_free(guard);
    }
    while (root->shape_guards) {
        ShapeGuard *guard = root->shape_guards;
        root->shape_guards = guard_shape_next(guard);
        guard_shape_free(guard);
    }
    while (root->made) {
        GuardNode *node = root->made;
        root->made = node->made;
        drop(node->key);
        drop(node->source);
        memory_free(node);
    }
}

static Value root_add_shape(ValueRef self, METHOD_ARGS)
{
    Value parts;
    if (!list_check_exact(args[0]))
        return raise_error(TypeError, "the steps must be a list, not '%T'", args[0]);
    if (!take_parts(args[1], &parts)) return VALUE_ERROR;
    return guard_root_add_shape(as_root(self), args[0], parts) ? retain(self) : VALUE_ERROR;
}

static const MethodDef root_methods[] = {
    {"check", root_check, ONE_ARG, "Do all guards hold for these f_locals?"},
    {"check_verbose", root_check_verbose, ONE_ARG, "The same, with what failed: GuardDebugInfo."},
    {"add_shape_guard", root_add_shape, ARGS(2, 2),
     "A condition on sizes, as steps for a machine with a stack, and its text as a list."},
    {0},
};

static const GetSetDef root_getset[] = {{"__dict__", generic_get_dict, NULL, NULL}, {0}};

Type root_guard_manager_type = {
    STATIC_TYPE("torch._C._dynamo.guards.RootGuardManager", sizeof(RootGuardManager)),
    .flags = TYPE_GC,
    .base_type = &guard_manager_type,
    .dict_offset = offsetof(RootGuardManager, dict),
    .weakref_offset = offsetof(RootGuardManager, weakrefs),
    .doc = "RootGuardManager()\n--\n\nGuards on a frame: its variables and its globals.",
    .methods = root_methods,
    .getset = root_getset,
    .new_ = root_new,
    .release = root_release,
    .traverse = root_traverse,
    .clear = root_clear,
    .str = root_str,
    .call = root_call,
    .getattribute = object_generic_get,
    .setattr = object_generic_set,
};

// ---- what GuardManager.check_verbose() answers

static Value info_repr(ValueRef self)
{
    const GuardDebugInfo *info = (const GuardDebugInfo *)object_of(self);
    return format_text(
        "GuardDebugInfo(\nresult=%R,\nverbose_code_parts=%R,\nfound=%R,\nnum_guards_executed=%zd)",
        (ValueRef)from_bool(info->result), (ValueRef)info->verbose_code_parts,
        info->found ? (ValueRef)info->found : NONE, info->num_guards_executed);
}

static void info_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((GuardDebugInfo *)self)->verbose_code_parts, visit, arg);
}

static void info_release(Object *self)
{
    drop(((GuardDebugInfo *)self)->verbose_code_parts);
    drop(((GuardDebugInfo *)self)->found);
}

static const MemberDef info_members[] = {
    {"result", MEMBER_BOOL, offsetof(GuardDebugInfo, result), true, NULL},
    {"verbose_code_parts", MEMBER_VALUE, offsetof(GuardDebugInfo, verbose_code_parts), true, NULL},
    {"found", MEMBER_VALUE, offsetof(GuardDebugInfo, found), true, NULL},
    {"num_guards_executed", MEMBER_SSIZE, offsetof(GuardDebugInfo, num_guards_executed), true,
     NULL},
    {0},
};

Type guard_debug_info_type = {
    STATIC_TYPE("torch._C._dynamo.guards.GuardDebugInfo", sizeof(GuardDebugInfo)),
    .flags = TYPE_GC,
    .members = info_members,
    .repr = info_repr,
    .release = info_release,
    .traverse = info_traverse,
    .getattribute = object_generic_get,
};

// ---- relations

Value guard_manager_relate(ValueRef x, ValueRef y, ValueRef parts)
{
    const ValueRef both[] = {x, y};
    for (int i = 0; i < 2; i++)
        if (!is_exactly(both[i], &guard_manager_type))
            return raise_error(TypeError, "expected a GuardManager, not '%T'", both[i]);
    RootGuardManager *root = manager_root(x);
    if (root != manager_root(y))
        return raise_error(ValueError, "the two GuardManagers are of different trees");
    Value taken = VALUE_ERROR;
    if (parts && parts != NONE && !take_parts(parts, &taken)) return VALUE_ERROR;
    return guard_root_relate(root, as_manager(x)->node, as_manager(y)->node, taken) ? NONE
                                                                                    : VALUE_ERROR;
}

// The managers as nodes, and names for them. Writes nodes[]; the caller has checked the lengths.
static RootGuardManager *take_nodes(ValueRef managers, ValueRef names, GuardNode **nodes)
{
    RootGuardManager *root = NULL;
    for (ssize_t i = 0; i < list_size(managers); i++) {
        ValueRef manager = list_at(managers, i);
        if (!is_exactly(manager, &guard_manager_type))
            raise_error(TypeError, "expected a GuardManager, not '%T'", manager);
        else if (!str_check_exact(list_at(names, i)))
            raise_error(TypeError, "a name must be a str, not '%T'", list_at(names, i));
        else if (root && root != manager_root(manager))
            raise_error(ValueError, "the GuardManagers are of different trees");
        if (error_pending()) return NULL;
        root = manager_root(manager);
        nodes[i] = as_manager(manager)->node;
    }
    return root;
}

static bool forbid_aliasing(ValueRef managers, ValueRef names, ValueRef parts, GuardNode **nodes)
{
    Value taken;
    RootGuardManager *root = take_nodes(managers, names, nodes);
    if (!root || !take_parts(parts, &taken)) return false;
    Value kept = sequence_tuple(names);
    if (kept) return guard_root_forbid_aliasing(root, nodes, kept, taken);
    drop(taken);
    return false;
}

Value guard_manager_forbid_aliasing(ValueRef managers, ValueRef names, ValueRef parts)
{
    if (!list_check_exact(managers) || !list_check_exact(names))
        return raise_error(TypeError, "expected a list of GuardManagers and a list of their names");
    size_t count = (size_t)list_size(managers);
    if (count == 0 || (size_t)list_size(names) != count)
        return raise_error(ValueError, "%zu GuardManagers and %zd names", count, list_size(names));
    GuardNode **nodes = memory_alloc(count * sizeof *nodes);
    if (!nodes) return raise_memory_error(), VALUE_ERROR;
    bool done = forbid_aliasing(managers, names, parts, nodes);
    memory_free(nodes);
    return done ? NONE : VALUE_ERROR;
}
