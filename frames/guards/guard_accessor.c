// Accessors: how a node reads its value from that of its parent.
//
// An accessor reads only what needs no script code: items of a dict, list or tuple, as these have
// them whatever a subclass defines, and attributes that peek.h can read. All else fails, and
// guard_read_found() says why.
#include "frames/guards/guard_describe.h"
#include "frames/guards/guard_tree.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/instance.h"
#include "objects/looking/peek.h"
#include "objects/names.h"
#include "objects/protocols/iterators.h"
#include "objects/type.h"

// The item of a dict or sequence, as peek.h answers; refused where it is none of these, or where a
// subclass could have items of its own.
static ValueRef item_of(ValueRef parent, ValueRef key)
{
    if (dict_check_exact(parent)) return peek_key(parent, key);
    if (!(type_of(parent)->flags & TYPE_ITEMS)) return PEEK_REFUSED;
    return is_small(key) ? peek_item(parent, small_value(key)) : ABSENT;
}

// The item that comes after `index` others. A tuple_iterator at its end has no tuple any more.
static ValueRef item_ahead(ValueRef parent, ValueRef index)
{
    const IndexIterator *iterator = as_index_iterator(parent);
    int64_t ahead = small_value(index);
    if (!iterator->sequence || ahead < 0) return ABSENT;
    return peek_item(iterator->sequence, iterator->index + ahead);
}

// The index-th key of a dict, or its value.
static ValueRef pair_item(ValueRef parent, ValueRef index, bool of_value)
{
    ssize_t position = 0;
    ValueRef key, value;
    for (int64_t left = small_value(index); dict_next(parent, &position, &key, &value); left--)
        if (left == 0) return of_value ? value : key;
    return ABSENT;
}

// Makes __dict__ if there is none yet; if that fails, it cannot be read, and MemoryError is
// pending. That of a class is no dict.
static ValueRef namespace_of(ValueRef parent)
{
    const Type *type = type_of(parent);
    bool has_one = is_object(parent) && (type->dict_offset || (type->flags & TYPE_INLINE));
    return has_one && !type_check(parent) ? object_dict(parent) : ABSENT;
}

static ValueRef referent_of(ValueRef parent)
{
    ValueRef target = weakref_target(parent);
    return target ? target : NONE;
}

// What type the parent must have, NULL = any.
static Type *parent_type(AccessorKind kind)
{
    switch (kind) {
    case ACCESS_DICT_GETITEM:
    case ACCESS_DICT_KEY:
    case ACCESS_DICT_VALUE: return &dict_type;
    case ACCESS_LIST_GETITEM: return &list_type;
    case ACCESS_TUPLE_GETITEM: return &tuple_type;
    case ACCESS_ITERATOR_GETITEM: return &tuple_iterator_type;
    case ACCESS_WEAKREF_CALL: return &weakref_type;
    default: return NULL;
    }
}

// Items are read as the base class has them; a weak reference with its own __call__ is refused.
static bool parent_fits(AccessorKind kind, ValueRef parent)
{
    Type *wanted = parent_type(kind);
    if (wanted == &weakref_type) return is_exactly(parent, wanted);
    return !wanted || type_is_subtype(type_of(parent), wanted);
}

// As peek.h answers.
static ValueRef peek(const GuardNode *node, ValueRef parent)
{
    if (!parent_fits(node->kind, parent)) return PEEK_REFUSED;
    switch (node->kind) {
    case ACCESS_DICT_GETITEM: return peek_key(parent, node->key);
    case ACCESS_DICT_KEY: return pair_item(parent, node->key, false);
    case ACCESS_DICT_VALUE: return pair_item(parent, node->key, true);
    case ACCESS_LIST_GETITEM:
    case ACCESS_TUPLE_GETITEM: return peek_item(parent, small_value(node->key));
    case ACCESS_GETITEM: return item_of(parent, node->key);
    case ACCESS_ITERATOR_GETITEM: return item_ahead(parent, node->key);
    case ACCESS_GETATTR: return peek_attribute(parent, node->key);
    case ACCESS_CLASSMETHOD: return peek_classmethod(parent, node->key);
    case ACCESS_GENERIC_DICT: return namespace_of(parent);
    case ACCESS_TYPE: return ref_of(type_of(parent));
    case ACCESS_WEAKREF_CALL: return referent_of(parent);
    case ACCESS_DEFAULTS: return peek_attribute(parent, NAME(__defaults__));
    case ACCESS_KWDEFAULTS: return peek_attribute(parent, NAME(__kwdefaults__));
    case ACCESS_CLOSURE: return peek_attribute(parent, NAME(__closure__));
    case ACCESS_CODE: return peek_attribute(parent, NAME(__code__));
    default: return PEEK_REFUSED;
    }
}

ValueRef guard_read(const GuardNode *node, ValueRef parent)
{
    ValueRef found = peek(node, parent);
    return found == ABSENT ? VALUE_ERROR : found;
}

static Value absent_text(AccessorKind kind)
{
    switch (kind) {
    case ACCESS_LOCAL: return str_new("no such variable");
    case ACCESS_GLOBALS: return str_new("a frame with other globals");
    case ACCESS_DICT_GETITEM: return str_new("no such key");
    case ACCESS_DICT_KEY:
    case ACCESS_DICT_VALUE:
    case ACCESS_GETITEM:
    case ACCESS_LIST_GETITEM:
    case ACCESS_TUPLE_GETITEM:
    case ACCESS_ITERATOR_GETITEM: return str_new("no such item");
    default: return str_new("no such attribute");
    }
}

static Value refused_text(const GuardNode *node, ValueRef parent)
{
    const Type *wanted = parent_type(node->kind);
    if (!wanted && node->kind != ACCESS_GETITEM)
        return str_new("an attribute that only code could give");
    if (wanted == &dict_type ? dict_check(parent) : !wanted && dict_check_exact(parent))
        return str_new("a key that only its own __eq__ can tell from it");
    Value phrase = guard_type_phrase(type_of(parent));
    const char *wanted_name = wanted ? wanted->name : "dict, list, tuple or deque";
    Value text =
        phrase ? format_text("%S in place of a %s", (ValueRef)phrase, wanted_name) : VALUE_ERROR;
    drop(phrase);
    return text;
}

Value guard_read_found(const GuardNode *node)
{
    bool of_frame = node->kind == ACCESS_LOCAL || node->kind == ACCESS_GLOBALS;
    ValueRef parent = node->parent->value;
    if (of_frame || peek(node, parent) == ABSENT) return absent_text(node->kind);
    return refused_text(node, parent);
}
