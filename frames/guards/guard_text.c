// The texts of guards: sources, the text of a guard, the printed tree, and short descriptions of
// values.
//
// The text of a guard is an expression or a short sentence, the same in every run: L['x'] is an
// int, G['scale'] == 2, len(L['xs']) == 3. Nothing here runs script code.
#include "frames/guards/guard_tree.h"

#include "objects/bytes/bytes.h"
#include "objects/classes/method.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/looking/peek.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/int.h"
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
    {"DictGetItemGuardAccessor", "", "[%R]"}, // ACCESS_LOCAL
};

static const char *const guard_names[] = {
#define GUARD(KIND, name, parameters) #KIND,
#define ACCESSOR(...)
#include "frames/guards/guard.def"
#undef ACCESSOR
#undef GUARD
};

// ---- values

#define LONG_TEXT 60
#define LONG_INT_BITS 200
#define LONG_TUPLE 10
#define DEEP_TUPLE 3

// __name__ as exactly a str: that of a class may be of a subclass, whose __str__ is script code.
Value guard_class_name(const Type *type)
{
    Value name = type_name(type);
    Value text = name ? str_substring(name, 0, str_length(name)) : VALUE_ERROR;
    drop(name);
    return text;
}

// As type.__repr__() shows a class, also one whose metaclass has another __repr__.
Value guard_class_text(const Type *type)
{
    Value module = type_module(type);
    if (!module) error_clear(); // a class may have lost its __module__
    Value name = type_qualname(type), text = VALUE_ERROR;
    bool plain = module && str_check_exact(module) && name && str_check_exact(name);
    if (plain && !str_equal_ascii(module, "builtins"))
        text = format_text("<class '%S.%S'>", (ValueRef)module, (ValueRef)name);
    else if (name)
        text = format_text("<class '%s'>", type->name);
    drop(module);
    drop(name);
    return text;
}

Value guard_type_phrase(const Type *type)
{
    if (type == type_of(NONE)) return str_new("None");
    Value name = guard_class_name(type);
    if (!name) return VALUE_ERROR;
    uint32_t first = str_length(name) ? str_at(as_str(name), 0) | 0x20 : 0;
    bool vowel = first && first < 128 && strchr("aeiou", (int)first);
    Value phrase = format_text("%s %S", vowel ? "an" : "a", (ValueRef)name);
    drop(name);
    return phrase;
}

// Steals the text.
static Value shortened(Value text)
{
    Value whole = text ? format_text("%R...", (ValueRef)text) : VALUE_ERROR;
    drop(text);
    return whole;
}

static Value describe(ValueRef value, int depth);

static Value describe_tuple(ValueRef tuple, int depth)
{
    StrBuilder builder;
    ssize_t size = tuple_size(tuple), shown = size <= LONG_TUPLE ? size : LONG_TUPLE;
    builder_begin(&builder);
    bool done = builder_char(&builder, '(');
    for (ssize_t i = 0; done && i < shown; i++) {
        Value item = describe(tuple_at(tuple, i), depth + 1);
        done = item && (i == 0 || builder_text(&builder, ", ")) && builder_str(&builder, item);
        drop(item);
    }
    done = done && builder_text(&builder, shown < size ? ", ...)" : size == 1 ? ",)" : ")");
    if (done) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}

static Value describe_constant(ValueRef value, int depth)
{
    if (tuple_check_exact(value))
        return depth < DEEP_TUPLE ? describe_tuple(value, depth) : str_new("(...)");
    if (str_check_exact(value) && str_length(value) > LONG_TEXT)
        return shortened(str_substring(value, 0, LONG_TEXT));
    if (is_exactly(value, &bytes_type) && as_bytes(value)->size > LONG_TEXT)
        return shortened(bytes_new(as_bytes(value)->data, LONG_TEXT));
    if (int_check_exact(value) && int_bit_length(value) > LONG_INT_BITS)
        return format_text("an int of %lld bits", (long long)int_bit_length(value));
    return object_repr(value);
}

// A name that a script may have set.
static Value named(const char *what, ValueRef name)
{
    bool good = name && str_check_exact(name);
    return good ? format_text("<%s %S>", what, name) : format_text("<%s>", what);
}

static Value describe(ValueRef value, int depth)
{
    if (constant_check(value)) return describe_constant(value, depth);
    if (function_check(value)) return named("function", as_function(value)->qualname);
    if (code_check(value)) return named("code", as_code(value)->name);
    if (is_exactly(value, &module_type) && as_module(value)->dict)
        return named("module", dict_peek(as_module(value)->dict, NAME(__name__)));
    if (is_exactly(value, &builtin_type))
        return format_text("<built-in function %s>", as_builtin(value)->def->name);
    bool is_class = type_check(value);
    Value name = guard_class_name(is_class ? as_type(value) : type_of(value));
    Value text = !name      ? VALUE_ERROR
                 : is_class ? format_text("<class %S>", (ValueRef)name)
                            : format_text("<%S object>", (ValueRef)name);
    drop(name);
    return text;
}

Value guard_describe(ValueRef value)
{
    return describe(value, 0);
}

// ---- sources

static const char *text_before(const GuardNode *node)
{
    bool plain = node->kind != ACCESS_GETATTR || str_is_identifier(node->key);
    return plain ? accessors[node->kind].before : "getattr(";
}

static Value text_after(const GuardNode *node)
{
    bool plain = node->kind != ACCESS_GETATTR || str_is_identifier(node->key);
    return format_text(plain ? accessors[node->kind].after : ", %R)", (ValueRef)node->key);
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

// Under both of its nodes, in full the first time.
static bool append_relations(StrBuilder *builder, int64_t depth, const RootGuardManager *root,
                             const GuardNode *node)
{
    static const char name[] = "OBJECT_ALIASING";
    bool done = true;
    for (size_t i = 0; done && i < root->relation_count; i++) {
        Relation *relation = &root->relations[i];
        if (relation->x != node && relation->y != node) continue;
        if (relation->printed)
            done = begin_line(builder, depth) && builder_text(builder, name) &&
                   builder_char(builder, '\n');
        else
            done = append_parts(builder, depth, name, guard_relation_parts(relation));
        relation->printed = true;
    }
    return done;
}

static bool is_about(const NoAliasing *guard, const GuardNode *node)
{
    for (size_t i = 0; i < guard->count; i++)
        if (guard->nodes[i] == node) return true;
    return false;
}

// Likewise.
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
    return builder_char(builder, '(') && append_owned(builder, object_str(node->key)) &&
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
    for (size_t i = 0; i < root->relation_count; i++) root->relations[i].printed = false;
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
