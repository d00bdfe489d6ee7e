// The type TreeBuilder: the events of a parser become a tree. See etree.h.
//
// A text waits in `data` until the next event says that it is complete: it is the text of the
// element that was begun last, or the tail of the one that was ended last.
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/modules/xml/etree.h"

typedef struct TreeBuilder {
    Object base;
    Value factory, comment_factory, pi_factory; // 0 = that of the module
    bool inserts_comments, inserts_instructions;
    Value root;     // 0 = none yet
    Value open;     // a list: the elements that have begun and not ended
    Value last;     // 0 = none
    bool has_ended; // `last` has: a text is its tail
    Value data;     // a text, or a list of texts; 0 = none
} TreeBuilder;

static Value comment_factory, pi_factory; // of the module; 0 = none

static TreeBuilder *as_builder(ValueRef value)
{
    return (TreeBuilder *)object_of(value);
}

// ---- making one

// Callables, or None: 0.
static bool take_factory(Value *factory, ValueRef given, const char *what)
{
    bool has = given && given != NONE;
    if (has && what && !object_is_callable(given))
        return raise_error(TypeError, "%s factory must be callable, not %.100T", what, given);
    replace_slot(factory, has ? retain(given) : VALUE_ERROR);
    return true;
}

static Value builder_new(Type *type, METHOD_ARGS)
{
    TreeBuilder *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    made->open = list_new(0);
    if (made->open) return own(made);
    drop(own(made));
    return VALUE_ERROR;
}

static bool builder_init(ValueRef value, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"element_factory", "comment_factory", "pi_factory",
                                        "insert_comments", "insert_pis",      NULL};
    static const Signature signature = {"TreeBuilder", names, 0, 1};
    ValueRef given[5];
    TreeBuilder *self = as_builder(value);
    if (!args_bind(&signature, args, nargs, kwnames, given)) return false;
    self->inserts_comments = self->inserts_instructions = false;
    return take_factory(&self->factory, given[0], NULL) &&
           take_factory(&self->comment_factory, given[1], NULL) &&
           take_factory(&self->pi_factory, given[2], NULL) &&
           (!given[3] || object_truth(given[3], &self->inserts_comments)) &&
           (!given[4] || object_truth(given[4], &self->inserts_instructions));
}

Value tree_builder_set_factories(FUNCTION_ARGS)
{
    Value old[] = {comment_factory ? retain(comment_factory) : NONE,
                   pi_factory ? retain(pi_factory) : NONE};
    Value pair = tuple_from_owned(old, 2);
    if (pair && take_factory(&comment_factory, args[0], "Comment") &&
        take_factory(&pi_factory, args[1], "PI"))
        return pair;
    drop(pair);
    return VALUE_ERROR;
}

void tree_builder_finish(void)
{
    drop_slot(&comment_factory);
    drop_slot(&pi_factory);
}

// ---- texts

static Value joined(ValueRef data)
{
    if (!list_check(data)) return retain(data);
    Value empty = str_new(""), text = empty ? str_join(empty, data) : VALUE_ERROR;
    drop(empty);
    return text;
}

// Adds the text to the field of an element: text or tail.
static bool add_to_field(Element *element, bool is_tail, Value text)
{
    Value *field = is_tail ? &element->tail : &element->text;
    if (*field && *field != NONE) {
        Value before = retain(*field); // an __add__ may set the field
        Value both = object_binary(before, text, OP_ADD);
        drop(before);
        drop(text);
        if (!both) return false;
        text = both;
    }
    replace_slot(field, text);
    return true;
}

// The same by the attribute of an element that is none of ours.
static bool add_to_attribute(ValueRef element, bool is_tail, Value text)
{
    Value name = str_intern(is_tail ? "tail" : "text");
    Value before = name ? object_get(element, name) : VALUE_ERROR;
    if (before && before != NONE) replace_slot(&text, object_binary(before, text, OP_ADD));
    bool ok = before && text && object_set(element, name, text);
    drop(before);
    drop(name);
    drop(text);
    return ok;
}

static bool flush(TreeBuilder *self)
{
    if (!self->data) return true;
    Value data = self->data, last = self->last ? retain(self->last) : VALUE_ERROR;
    self->data = VALUE_ERROR;
    bool is_tail = self->has_ended, ok = true;
    Value text = last ? joined(data) : VALUE_ERROR;
    if (last && !text)
        ok = false;
    else if (last && is_exactly(last, &element_type))
        ok = add_to_field(as_element(last), is_tail, text);
    else if (last)
        ok = add_to_attribute(last, is_tail, text);
    drop(last);
    drop(data);
    return ok;
}

static Value data(ValueRef value, METHOD_ARGS)
{
    TreeBuilder *self = as_builder(value);
    if (!self->data) {
        if (!self->last) return NONE; // text outside of the root
        self->data = retain(args[0]);
        return NONE;
    }
    if (!list_check(self->data)) {
        Value list = list_from_array((const ValueRef[]){self->data}, 1);
        if (!list) return VALUE_ERROR;
        replace_slot(&self->data, list);
    }
    return list_append(self->data, args[0]) ? NONE : VALUE_ERROR;
}

// ---- elements

static bool append_to(ValueRef parent, ValueRef child)
{
    if (is_exactly(parent, &element_type) && element_check(child))
        return element_append(as_element(parent), child);
    Value name = str_intern("append");
    Value result = name ? object_call_method_one(parent, name, child) : VALUE_ERROR;
    drop(name);
    drop(result);
    return result;
}

// The element that is open, borrowed; 0 = none.
static ValueRef parent_of(const TreeBuilder *self)
{
    ssize_t size = list_size(self->open);
    return size ? list_at(self->open, size - 1) : VALUE_ERROR;
}

static bool add_to_parent(TreeBuilder *self, ValueRef element)
{
    ValueRef parent = parent_of(self);
    if (!parent) return true;
    Value held = retain(parent);
    bool ok = append_to(held, element);
    drop(held);
    return ok;
}

static Value make(const TreeBuilder *self, ValueRef tag, ValueRef attrib)
{
    if (self->factory) {
        Value factory = retain(self->factory); // __init__() may replace it meanwhile
        Value element = object_call_two(factory, tag, attrib);
        drop(factory);
        return element;
    }
    if (!dict_check(attrib))
        return raise_error(TypeError, "Element() argument 2 must be dict, not %.50G", attrib);
    return element_new(tag, dict_size(attrib) ? retain(attrib) : VALUE_ERROR);
}

static Value start(ValueRef value, METHOD_ARGS)
{
    TreeBuilder *self = as_builder(value);
    if (!flush(self)) return VALUE_ERROR;
    Value element = make(self, args[0], args[1]);
    if (!element) return VALUE_ERROR;
    if (!add_to_parent(self, element) || !list_append(self->open, element)) {
        drop(element);
        return VALUE_ERROR;
    }
    if (!self->root) self->root = retain(element);
    replace_slot(&self->last, retain(element));
    self->has_ended = false;
    return element;
}

static Value end(ValueRef value, METHOD_ARGS)
{
    TreeBuilder *self = as_builder(value);
    if (!flush(self)) return VALUE_ERROR;
    ssize_t size = list_size(self->open);
    if (!size) return raise_error(IndexError, "pop from empty stack");
    Value element = retain(list_at(self->open, size - 1));
    if (!list_set_slice(self->open, size - 1, size, 0)) {
        drop(element);
        return VALUE_ERROR;
    }
    replace_slot(&self->last, retain(element));
    self->has_ended = true;
    return element;
}

// A comment or an instruction, which has no children: a text that follows is its tail.
static Value add_single(TreeBuilder *self, bool inserts, ValueRef factory, const ValueRef *args,
                        size_t nargs)
{
    Value element =
        factory ? object_call(factory, args, nargs, 0) : (Value)tuple_from_array(args, nargs);
    if (!element || !inserts) return element;
    if (!flush(self) || !add_to_parent(self, element)) {
        drop(element);
        return VALUE_ERROR;
    }
    if (parent_of(self)) {
        replace_slot(&self->last, retain(element));
        self->has_ended = true;
    }
    return element;
}

static Value comment(ValueRef value, METHOD_ARGS)
{
    TreeBuilder *self = as_builder(value);
    Value factory = retain(self->comment_factory ? self->comment_factory : comment_factory);
    Value element =
        factory ? add_single(self, self->inserts_comments, factory, args, 1) : retain(args[0]);
    drop(factory);
    return element;
}

static Value instruction(ValueRef value, METHOD_ARGS)
{
    TreeBuilder *self = as_builder(value);
    ValueRef both[] = {args[0], nargs > 1 ? args[1] : NONE};
    Value factory = retain(self->pi_factory ? self->pi_factory : pi_factory);
    Value element = add_single(self, self->inserts_instructions, factory, both, 2);
    drop(factory);
    return element;
}

static Value close(ValueRef value, METHOD_ARGS)
{
    TreeBuilder *self = as_builder(value);
    if (!flush(self)) return VALUE_ERROR;
    return self->root ? retain(self->root) : NONE;
}

// ---- the type

static void builder_traverse(Object *object, VisitFn visit, void *arg)
{
    const TreeBuilder *self = (const TreeBuilder *)object;
    visit_item(self->factory, visit, arg);
    visit_item(self->comment_factory, visit, arg);
    visit_item(self->pi_factory, visit, arg);
    visit_item(self->root, visit, arg);
    visit_item(self->open, visit, arg);
    visit_item(self->last, visit, arg);
    visit_item(self->data, visit, arg);
}

// The list `open` stays: a method may still be called.
static void builder_clear(Object *object)
{
    TreeBuilder *self = (TreeBuilder *)object;
    drop_slot(&self->factory);
    drop_slot(&self->comment_factory);
    drop_slot(&self->pi_factory);
    drop_slot(&self->root);
    if (self->open) list_clear(self->open);
    drop_slot(&self->last);
    drop_slot(&self->data);
}

static void builder_release(Object *object)
{
    builder_clear(object);
    drop_slot(&((TreeBuilder *)object)->open);
}

static const MethodDef methods[] = {
    {"data", data, ONE_ARG, NULL},
    {"start", start, ARGS(2, 2), NULL},
    {"end", end, ONE_ARG, NULL},
    {"comment", comment, ONE_ARG, NULL},
    {"pi", instruction, ARGS(1, 2), NULL},
    {"close", close, NO_ARGS, "The root of the tree."},
    {0},
};

Type tree_builder_type = {
    STATIC_TYPE("xml.etree.ElementTree.TreeBuilder", sizeof(TreeBuilder)),
    .flags = TYPE_GC | TYPE_BASE,
    .methods = methods,
    .new_ = builder_new,
    .init = builder_init,
    .release = builder_release,
    .traverse = builder_traverse,
    .clear = builder_clear,
};
