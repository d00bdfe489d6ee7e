// The texts of guards: sources, the text of a guard, the printed tree.
//
// The text of a guard is an expression or a short sentence, the same in every run: L['x'] is an
// int, G['scale'] == 2, len(L['xs']) == 3. Nothing here runs script code.
#include "frames/guards/guard_describe.h"
#include "frames/guards/guard_tree.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/upcalls.h"

static const struct AccessorDef {
    const char *name, *before, *after;
} accessors[] = {
#define GUARD(...)
#define ACCESSOR(KIND, method, name, parameters, before, after) {name, before, after},
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
    {"DictGetItemGuardAccessor", "", "[%S]"}, // ACCESS_LOCAL
};

static const char *const guard_names[] = {
#define GUARD(KIND, name, parameters) #KIND,
#define ACCESSOR(...)
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
};

// ---- sources

static const char *text_before(const GuardNode *node)
{
    bool plain = node->kind != ACCESS_GETATTR || str_is_identifier(node->key);
    return plain ? accessors[node->kind].before : "getattr(";
}

static Value text_after(const GuardNode *node)
{
    bool plain = node->kind != ACCESS_GETATTR || str_is_identifier(node->key);
    bool as_name = plain && (node->kind == ACCESS_GETATTR || node->kind == ACCESS_CLASSMETHOD);
    Value key = !node->key ? NONE : as_name ? retain(node->key) : guard_key_text(node->key);
    Value text = key ? format_text(plain ? accessors[node->kind].after : ", %S)", (ValueRef)key)
                     : VALUE_ERROR;
    drop(key);
    return text;
}

static bool append_owned(StrBuilder *builder, Value text)
{
    bool done = text && builder_str(builder, text);
    drop(text);
    return done;
}

// Does the node's source not depend on its parent's? The script gave it, or it is the frame or G.
static bool is_base(const GuardNode *node)
{
    return node->source || node->kind == ACCESS_GLOBALS || !node->parent;
}

static bool append_base(StrBuilder *builder, const GuardNode *base)
{
    if (base->source) return builder_str(builder, base->source);
    return builder_char(builder, base->kind == ACCESS_GLOBALS ? 'G' : 'L');
}

// Appends the texts before ("type(") of all nodes from here up, the base, and the texts after (")")
// back down. `path` has room for all of them.
static bool append_path(StrBuilder *builder, const GuardNode *node, const GuardNode **path)
{
    size_t length = 0;
    bool done = true;
    for (; done && !is_base(node); node = node->parent) {
        path[length++] = node;
        done = builder_text(builder, text_before(node));
    }
    done = done && append_base(builder, node);
    while (done && length > 0) done = append_owned(builder, text_after(path[--length]));
    return done;
}

static bool append_source(StrBuilder *builder, const GuardNode *node)
{
    size_t length = 1;
    for (const GuardNode *at = node; !is_base(at); at = at->parent) length++;
    const GuardNode **path = memory_alloc(length * sizeof *path);
    if (!path) return raise_memory_error();
    bool done = append_path(builder, node, path);
    memory_free(path);
    return done;
}

// Ends the building of a text.
static Value finish(StrBuilder *builder, bool done)
{
    if (done) return builder_finish(builder);
    builder_abandon(builder);
    return VALUE_ERROR;
}

Value guard_source(const GuardNode *node)
{
    StrBuilder builder;
    builder_begin(&builder);
    return finish(&builder, append_source(&builder, node));
}

// ---- guards

static Value made_up(const GuardNode *node, const Guard *guard)
{
    StrBuilder builder;
    builder_begin(&builder);
    bool done = builder_str(&builder, guard->text[0]) &&
                (guard_is_of_machine(guard->kind) || append_source(&builder, node)) &&
                builder_str(&builder, guard->text[1]);
    return finish(&builder, done);
}

Value guard_list_of(ValueRef parts)
{
    return list_from_array(lend(as_tuple(parts)->items), (size_t)tuple_size(parts));
}

Value guard_list_of_one(Value text)
{
    Value list = text ? list_new(1) : VALUE_ERROR;
    if (list && list_append_owned(list, text)) return list;
    if (!list) drop(text);
    drop(list);
    return VALUE_ERROR;
}

Value guard_parts(const GuardNode *node, const Guard *guard)
{
    return guard->parts ? guard_list_of(guard->parts) : guard_list_of_one(made_up(node, guard));
}

Value guard_keys_parts(const GuardNode *node, const Guard *guard)
{
    Value source = guard_source(node);
    Value text = source ? guard_dict_keys_differ(guard, node->value, source) : VALUE_ERROR;
    drop(source);
    return guard_list_of_one(text);
}

// PyTorch's words before the source of what cannot be read.
static const char *read_failure(const GuardNode *node)
{
    switch (node->kind) {
    case ACCESS_GETATTR:
    case ACCESS_CLASSMETHOD:
    case ACCESS_CODE: return "getattr failed on source ";
    case ACCESS_DICT_GETITEM: return "KeyError on ";
    case ACCESS_LIST_GETITEM:
    case ACCESS_TUPLE_GETITEM: return "IndexError on ";
    default: return "";
    }
}

Value guard_source_parts(const GuardNode *node)
{
    Value source = guard_source(node);
    Value text = source ? format_text("%s%S", read_failure(node), (ValueRef)source) : VALUE_ERROR;
    drop(source);
    return guard_list_of_one(text);
}

Value guard_relation_parts(const Relation *relation)
{
    if (relation->parts) return guard_list_of(relation->parts);
    Value x = guard_source(relation->x), y = guard_source(relation->y);
    Value text = x && y ? format_text("%S is %S", (ValueRef)x, (ValueRef)y) : VALUE_ERROR;
    drop(x);
    drop(y);
    return guard_list_of_one(text);
}

// ---- the tree

static bool begin_line(StrBuilder *builder, int64_t depth)
{
    for (int64_t i = 0; i < depth; i++)
        if (!builder_text(builder, "| ")) return false;
    return builder_text(builder, "+- ");
}

// A line for each part. Steals the parts.
static bool append_parts(StrBuilder *builder, int64_t depth, const char *name, Value parts)
{
    bool done = parts;
    for (ssize_t i = 0; done && i < list_size(parts); i++)
        done = begin_line(builder, depth) && builder_text(builder, name) &&
               builder_text(builder, ": ") && builder_str(builder, list_at(parts, i)) &&
               builder_char(builder, '\n');
    drop(parts);
    return done;
}

// The LAMBDA_GUARDs of a node, or its other guards.
static bool append_guards(StrBuilder *builder, int64_t depth, const GuardNode *node, bool lambdas)
{
    for (const Guard *guard = node->guards; guard < node->end; guard++)
        if ((guard->kind == LAMBDA_GUARD) == lambdas &&
            !append_parts(builder, depth, guard_names[guard->kind], guard_parts(node, guard)))
            return false;
    return true;
}

// Under both of its nodes.
static bool append_relations(StrBuilder *builder, int64_t depth, const RootGuardManager *root,
                             const GuardNode *node)
{
    for (size_t i = 0; i < root->relation_count; i++) {
        const Relation *relation = &root->relations[i];
        if (relation->x != node && relation->y != node) continue;
        if (!append_parts(builder, depth, "OBJECT_ALIASING", guard_relation_parts(relation)))
            return false;
    }
    return true;
}

static bool is_about(const NoAliasing *guard, const GuardNode *node)
{
    for (size_t i = 0; i < guard->count; i++)
        if (guard->nodes[i] == node) return true;
    return false;
}

// Under all of its nodes, in full the first time.
static bool append_no_aliasing(StrBuilder *builder, int64_t depth, const RootGuardManager *root,
                               const GuardNode *node)
{
    static const char name[] = "NO_TENSOR_ALIASING";
    bool done = true;
    for (NoAliasing *guard = root->no_aliasing; done && guard; guard = guard->next) {
        if (!is_about(guard, node)) continue;
        if (guard->printed)
            done = begin_line(builder, depth) && builder_text(builder, name) &&
                   builder_char(builder, '\n');
        else
            done = append_parts(builder, depth, name, guard_list_of(guard->parts));
        guard->printed = true;
    }
    return done;
}

// PyTorch's name for them, whose own are functions.
static bool append_shape_guards(StrBuilder *builder, const RootGuardManager *root)
{
    bool done = true;
    for (ShapeGuard *guard = root->shape_guards; done && guard; guard = guard_shape_next(guard))
        done = append_parts(builder, 0, "LAMBDA_GUARD", guard_list_of(guard_shape_parts(guard)));
    return done;
}

static bool append_accessor(StrBuilder *builder, const GuardNode *node)
{
    if (!builder_text(builder, accessors[node->kind].name)) return false;
    if (!node->key || node->kind == ACCESS_GLOBALS) return true;
    bool is_text = str_check_exact(node->key);
    return builder_char(builder, '(') &&
           append_owned(builder, is_text ? retain(node->key) : guard_key_text(node->key)) &&
           builder_char(builder, ')');
}

static bool append_node(StrBuilder *builder, int64_t depth, const RootGuardManager *root,
                        const GuardNode *node)
{
    return begin_line(builder, depth) && builder_text(builder, "GuardManager: source=") &&
           append_source(builder, node) && builder_text(builder, ", accessed_by=") &&
           append_accessor(builder, node) && builder_char(builder, '\n') &&
           append_guards(builder, depth + 1, node, false) &&
           append_guards(builder, depth + 1, node, true) &&
           append_relations(builder, depth + 1, root, node) &&
           append_no_aliasing(builder, depth + 1, root, node) && poll_signals();
}

Value guard_tree_text(RootGuardManager *root)
{
    StrBuilder builder;
    builder_begin(&builder);
    bool done = builder_text(&builder, "\nTREE_GUARD_MANAGER:\n+- RootGuardManager\n") &&
                append_guards(&builder, 1, &root->top, false);
    for (NoAliasing *guard = root->no_aliasing; guard; guard = guard->next) guard->printed = false;
    for (const GuardNode *node = &root->top; done && (node = guard_node_next(node));) {
        int64_t depth = 1;
        for (const GuardNode *up = node->parent; up->parent; up = up->parent) depth++;
        done = append_node(&builder, depth, root, node);
    }
    done =
        done && append_shape_guards(&builder, root) && append_guards(&builder, 0, &root->top, true);
    return finish(&builder, done);
}
