// The type Element. See etree.h.
#include "vm/modules/xml/etree.h"

#include "objects/classes/descriptor.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

static Value or_none(ValueRef value)
{
    return value ? retain(value) : NONE;
}

// The list of children, borrowed; made where there is none.
static ValueRef children_of(Element *self)
{
    if (!self->children) self->children = list_new(0);
    return self->children;
}

static ValueRef attrib_of(Element *self)
{
    if (!self->attrib) self->attrib = dict_new();
    return self->attrib;
}

bool element_expect(ValueRef value)
{
    return element_check(value) ||
           raise_error(TypeError, "expected an Element, not \"%.200T\"", value);
}

// Attributes that a script has given, or made: a dict, or 0.
static bool expect_attrib(ValueRef attrib)
{
    return !attrib || dict_check(attrib) ||
           raise_error(TypeError, "attrib must be dict, not %.200T", attrib);
}

static bool expect_argument(const char *where, ValueRef value)
{
    return element_check(value) ||
           raise_error(TypeError, "%s must be xml.etree.ElementTree.Element, not %.50G", where,
                       value);
}

// ---- making one

Value element_new(ValueRef tag, Value attrib)
{
    Element *made = object_alloc(&element_type, 0);
    if (!made) {
        drop(attrib);
        return VALUE_ERROR;
    }
    made->tag = retain(tag);
    made->attrib = attrib;
    return own(made);
}

bool element_append(Element *element, ValueRef child)
{
    ValueRef children = children_of(element);
    return children && list_append(children, child);
}

// A new dict of what is in two, each of which may be 0; 0 where both are empty.
static bool merge(ValueRef base, ValueRef extra, Value *merged)
{
    bool has_base = base && dict_size(base), has_extra = extra && dict_size(extra);
    if (!has_base && !has_extra) return true;
    Value made = dict_copy(has_base ? base : extra);
    bool ok = made && (!has_base || !has_extra || dict_update(made, extra));
    if (ok)
        *merged = made;
    else
        drop(made);
    return ok;
}

// The keyword `attrib`, taken out of the others: owned, ABSENT where it is not there.
static Value take_named(ValueRef extra)
{
    Value name = str_intern("attrib"), named = name ? dict_pop(extra, name) : VALUE_ERROR;
    drop(name);
    if (!named || named == ABSENT || dict_check(named)) return named;
    raise_error(TypeError, "attrib must be dict, not %.100T", (ValueRef)named);
    drop(named);
    return VALUE_ERROR;
}

// The attributes of Element(tag, attrib={}, **extra), the tag left out; *attrib 0 = there are none.
static bool read_attributes(const char *where, const ValueRef *args, size_t nargs, ValueRef kwnames,
                            Value *attrib)
{
    ValueRef given = nargs > 0 ? args[0] : VALUE_ERROR;
    if (given && !dict_check(given))
        return raise_error(TypeError, "%s must be dict, not %.50G", where, given);
    if (!kwnames) return merge(given, 0, attrib);
    Value extra = args_keywords(args, nargs, kwnames);
    Value named = extra && !given ? take_named(extra) : ABSENT;
    bool ok = extra && named && merge(named == ABSENT ? given : (ValueRef)named, extra, attrib);
    drop(named);
    drop(extra);
    return ok;
}

static Value element_new_slot(Type *type, METHOD_ARGS)
{
    Element *made = object_alloc(type, 0);
    if (made) made->tag = NONE;
    return own(made);
}

static bool element_init(ValueRef value, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Element *self = as_element(value);
    Value attrib = VALUE_ERROR;
    if (nargs < 1 || nargs > 2)
        return raise_error(TypeError, "Element() takes at %s argument%s (%zu given)",
                           nargs ? "most 2" : "least 1", nargs ? "s" : "", nargs);
    Value tag = retain(args[0]);
    if (!read_attributes("Element() argument 2", args + 1, nargs - 1, kwnames, &attrib)) {
        drop(tag);
        return false;
    }
    replace_slot(&self->tag, tag);
    replace_slot(&self->attrib, attrib);
    drop_slot(&self->text);
    drop_slot(&self->tail);
    drop_slot(&self->children);
    return true;
}

Value element_sub(FUNCTION_ARGS)
{
    if (nargs < 2 || nargs > 3)
        return raise_error(TypeError, "SubElement() takes at %s arguments (%zu given)",
                           nargs < 2 ? "least 2" : "most 3", nargs);
    if (!expect_argument("SubElement() argument 1", args[0])) return VALUE_ERROR;
    Value attrib = VALUE_ERROR;
    if (!read_attributes("SubElement() argument 3", args + 2, nargs - 2, kwnames, &attrib))
        return VALUE_ERROR;
    Value made = element_new(args[1], attrib);
    if (made && element_append(as_element(args[0]), made)) return made;
    drop(made);
    return VALUE_ERROR;
}

static Value make_element(FUNCTION_ARGS)
{
    if (!dict_check(args[1]))
        return raise_error(TypeError, "makeelement() argument 2 must be dict, not %.50G", args[1]);
    Value attrib = dict_copy(args[1]);
    return attrib ? element_new(args[0], attrib) : VALUE_ERROR;
}

// ---- the children

static Value append(ValueRef self, METHOD_ARGS)
{
    if (!expect_argument("append() argument", args[0])) return VALUE_ERROR;
    return element_append(as_element(self), args[0]) ? NONE : VALUE_ERROR;
}

static Value extend(ValueRef self, METHOD_ARGS)
{
    Value items = sequence_fast(args[0], "");
    if (!items) {
        if (!error_is(TypeError)) return VALUE_ERROR;
        error_clear();
        return raise_error(TypeError, "expected sequence, not \"%.200T\"", args[0]);
    }
    Value tuple = sequence_tuple(items);
    drop(items);
    bool ok = tuple;
    for (ssize_t i = 0; ok && i < tuple_size(tuple); i++)
        ok = element_expect(tuple_at(tuple, i)) &&
             element_append(as_element(self), tuple_at(tuple, i));
    drop(tuple);
    return ok ? NONE : VALUE_ERROR;
}

static Value insert(ValueRef self, METHOD_ARGS)
{
    ssize_t index;
    if (!argument_ssize(args[0], &index) || !expect_argument("insert() argument 2", args[1]))
        return VALUE_ERROR;
    ValueRef children = children_of(as_element(self));
    return children && list_insert(children, index, args[1]) ? NONE : VALUE_ERROR;
}

static Value remove_child(ValueRef self, METHOD_ARGS)
{
    if (!expect_argument("remove() argument", args[0])) return VALUE_ERROR;
    ValueRef list = children_of(as_element(self));
    if (!list) return VALUE_ERROR;
    Value children = retain(list); // an __eq__ may take it away
    ItemArray items = {&as_list(children)->items, &as_list(children)->size};
    ssize_t index = items_find(items, args[0], 0, PTRDIFF_MAX);
    bool ok = index >= 0 && list_set_slice(children, index, index + 1, 0);
    drop(children);
    if (index == -1) return raise_error(ValueError, "list.remove(x): x not in list");
    return ok ? NONE : VALUE_ERROR;
}

static Value clear(ValueRef value, METHOD_ARGS)
{
    Element *self = as_element(value);
    drop_slot(&self->attrib);
    drop_slot(&self->children);
    drop_slot(&self->text);
    drop_slot(&self->tail);
    return NONE;
}

static bool element_length(ValueRef self, ssize_t *length)
{
    *length = element_size(as_element(self));
    return true;
}

static bool element_truth(ValueRef self, bool *truth)
{
    *truth = element_size(as_element(self)) > 0;
    return warn(FutureWarning, 1,
                "The behavior of this method will change in future versions.  Use specific "
                "'len(elem)' or 'elem is not None' test instead.");
}

static Value element_item(ValueRef self, ssize_t index)
{
    const Element *element = as_element(self);
    if (index < 0 || index >= element_size(element))
        return raise_error(IndexError, "child index out of range");
    return retain(list_at(element->children, index));
}

static Value element_subscript(ValueRef self, ValueRef key)
{
    ssize_t index;
    if (is_index(key)) {
        if (!object_as_ssize(key, &index, IndexError)) return VALUE_ERROR;
        return element_item(self, index < 0 ? index + element_size(as_element(self)) : index);
    }
    if (!slice_check(key)) return raise_error(TypeError, "element indices must be integers");
    ValueRef list = children_of(as_element(self));
    if (!list) return VALUE_ERROR;
    Value children = retain(list); // an __index__ may take it away
    Value found = object_subscript(children, key);
    drop(children);
    return found;
}

// element[slice] = elements: a list of them, checked; the list type does the rest.
static bool set_slice(ValueRef children, ValueRef key, ValueRef elements)
{
    Value items = sequence_fast(elements, "");
    if (!items && error_is(TypeError)) {
        error_clear();
        return raise_error(TypeError, "expected sequence, not \"%.200T\"", elements);
    }
    Value copy = items ? sequence_list(items) : VALUE_ERROR;
    drop(items);
    bool ok = copy;
    for (ssize_t i = 0; ok && i < list_size(copy); i++) ok = element_expect(list_at(copy, i));
    ok = ok && object_set_subscript(children, key, copy);
    drop(copy);
    return ok;
}

static bool element_set_subscript(ValueRef self, ValueRef key, ValueRef value)
{
    bool is_slice = slice_check(key);
    if (!is_slice && !is_index(key))
        return raise_error(TypeError, "element indices must be integers");
    ValueRef list = children_of(as_element(self));
    if (!list || (value && !is_slice && !element_expect(value))) return false;
    Value children = retain(list);
    bool ok = !value     ? object_delete_subscript(children, key)
              : is_slice ? set_slice(children, key, value)
                         : object_set_subscript(children, key, value);
    drop(children);
    if (ok || is_slice || !error_is(IndexError)) return ok;
    error_clear();
    return raise_error(IndexError, "child assignment index out of range");
}

// ---- attributes

static Value get(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"key", "default", NULL};
    static const Signature signature = {"get", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    ValueRef dict = as_element(self)->attrib;
    if (!dict) return or_none(given[1]);
    Value attrib = retain(dict); // a __hash__ or __eq__ may take it away
    Value found = dict_get(attrib, given[0]);
    drop(attrib);
    return found == ABSENT ? or_none(given[1]) : found;
}

static Value set(ValueRef self, METHOD_ARGS)
{
    ValueRef dict = attrib_of(as_element(self));
    if (!dict) return VALUE_ERROR;
    Value attrib = retain(dict);
    bool done = dict_set(attrib, args[0], args[1]);
    drop(attrib);
    return done ? NONE : VALUE_ERROR;
}

static Value keys(ValueRef self, METHOD_ARGS)
{
    ValueRef attrib = as_element(self)->attrib;
    return attrib ? dict_keys(attrib) : list_new(0);
}

static Value items(ValueRef self, METHOD_ARGS)
{
    ValueRef attrib = as_element(self)->attrib;
    return attrib ? dict_items(attrib) : list_new(0);
}

// ---- search

// Is a path more than the tag of a child?
static bool is_path(ValueRef path)
{
    if (!str_check(path)) return true;
    const Str *text = as_str(path);
    bool within_braces = false;
    if (text->length > 1 && str_at(text, 0) == '{' &&
        (str_at(text, 1) == '}' || str_at(text, 1) == '*'))
        return true;
    for (ssize_t i = 0; i < text->length; i++) {
        uint32_t point = str_at(text, i);
        if (point == '{' || point == '}') within_braces = point == '{';
        if (!within_braces && point < 128 && point && strchr("/*[@.:", (int)point)) return true;
    }
    return false;
}

// Calls a function of xml.etree.ElementPath with the element in front.
static Value call_path_function(const char *name, ValueRef self, const ValueRef *args, size_t count)
{
    ValueRef all[4] = {self};
    for (size_t i = 0; i < count; i++) all[i + 1] = args[i];
    Value module = upcalls.import("xml.etree.ElementPath");
    Value key = module ? str_intern(name) : VALUE_ERROR;
    Value function = key ? object_get(module, key) : VALUE_ERROR, result = VALUE_ERROR;
    if (function) result = object_call(function, all, count + 1, 0);
    drop(function);
    drop(key);
    drop(module);
    return result;
}

// The next child from *index on whose tag is this one: owned, ABSENT at the end. A comparison may
// run script code.
static Value next_child(Element *self, ValueRef tag, ssize_t *index)
{
    while (*index < element_size(self)) {
        Value child = retain(list_at(self->children, (*index)++));
        bool same = false;
        bool ok = !element_check(child) || items_equal(as_element(child)->tag, tag, &same);
        if (ok && same) return child;
        drop(child);
        if (!ok) return VALUE_ERROR;
    }
    return ABSENT;
}

static Value find(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"path", "namespaces", NULL};
    static const Signature signature = {"find", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    bool plain = !given[1] || given[1] == NONE;
    if (!plain) return call_path_function("find", self, given, 2);
    if (is_path(given[0])) return call_path_function("find", self, given, 1);
    ssize_t index = 0;
    Value child = next_child(as_element(self), given[0], &index);
    return child == ABSENT ? NONE : child;
}

static Value find_text(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"path", "default", "namespaces", NULL};
    static const Signature signature = {"findtext", names, 1, 3};
    ValueRef given[3];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!given[1]) given[1] = NONE;
    if (!given[2]) given[2] = NONE;
    if (given[2] != NONE || is_path(given[0]))
        return call_path_function("findtext", self, given, 3);
    ssize_t index = 0;
    Value child = next_child(as_element(self), given[0], &index);
    if (child == ABSENT) return retain(given[1]);
    if (!child) return VALUE_ERROR;
    ValueRef text = as_element(child)->text;
    Value result = text && text != NONE ? retain(text) : str_new("");
    drop(child);
    return result;
}

static Value find_all(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"path", "namespaces", NULL};
    static const Signature signature = {"findall", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!given[1]) given[1] = NONE;
    if (given[1] != NONE || is_path(given[0])) return call_path_function("findall", self, given, 2);
    Value found = list_new(0);
    for (ssize_t index = 0; found;) {
        Value child = next_child(as_element(self), given[0], &index);
        if (child == ABSENT) break;
        if (!list_append_owned(found, child)) replace_slot(&found, VALUE_ERROR);
    }
    return found;
}

static Value iter_find(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"path", "namespaces", NULL};
    static const Signature signature = {"iterfind", names, 1, 2};
    ValueRef given[2];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    if (!given[1]) given[1] = NONE;
    return call_path_function("iterfind", self, given, 2);
}

static Value iterate(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"tag", NULL};
    static const Signature signature = {"iter", names, 0, 1};
    ValueRef given[1];
    if (!args_bind(&signature, args, nargs, kwnames, given)) return VALUE_ERROR;
    bool all = !given[0] || (str_check(given[0]) && str_equal_ascii(given[0], "*"));
    return element_iterator_new(self, all ? NONE : given[0]);
}

static Value iterate_text(ValueRef self, METHOD_ARGS)
{
    return element_iterator_new(self, 0);
}

// ---- copies and pickles

static Value copy(ValueRef self, METHOD_ARGS)
{
    const Element *element = as_element(self);
    Value attrib = element->attrib ? dict_copy(element->attrib) : VALUE_ERROR;
    if (element->attrib && !attrib) return VALUE_ERROR;
    Value made = element_new(element->tag, attrib);
    if (!made) return VALUE_ERROR;
    Element *to = as_element(made);
    to->text = element->text ? retain(element->text) : VALUE_ERROR;
    to->tail = element->tail ? retain(element->tail) : VALUE_ERROR;
    if (!element->children) return made;
    to->children = list_slice(element->children, 0, list_size(element->children));
    if (to->children) return made;
    drop(made);
    return VALUE_ERROR;
}

// copy.deepcopy(value, memo) in a field. A script may have changed what it makes of a type.
static bool copy_deep(ValueRef function, Value *to, ValueRef value, ValueRef memo)
{
    if (!value) return true;
    Value held = retain(value), made = object_call_two(function, held, memo);
    drop(held);
    if (made) replace_slot(to, made);
    return made;
}

static bool copy_attrib(ValueRef function, Element *to, ValueRef attrib, ValueRef memo)
{
    Value made = VALUE_ERROR;
    bool ok = copy_deep(function, &made, attrib, memo) && expect_attrib(made);
    if (ok)
        replace_slot(&to->attrib, made);
    else
        drop(made);
    return ok;
}

static bool copy_children(ValueRef function, Element *to, Element *from, ValueRef memo)
{
    for (ssize_t i = 0; i < element_size(from); i++) {
        Value made = VALUE_ERROR;
        bool ok = copy_deep(function, &made, list_at(from->children, i), memo) &&
                  element_expect(made) && element_append(to, made);
        drop(made);
        if (!ok) return false;
    }
    return true;
}

static bool remember_copy(ValueRef memo, ValueRef self, ValueRef made)
{
    Value key = int_new(memory_id(object_of(self)));
    bool ok = key && object_set_subscript(memo, key, made);
    drop(key);
    return ok;
}

static Value deep_copy(ValueRef self, METHOD_ARGS)
{
    Element *from = as_element(self);
    Value module = upcalls.import("copy"), name = module ? str_intern("deepcopy") : VALUE_ERROR;
    Value function = name ? object_get(module, name) : VALUE_ERROR;
    Value made = function ? element_new(NONE, VALUE_ERROR) : VALUE_ERROR;
    Element *to = made ? as_element(made) : NULL;
    bool ok = made && copy_deep(function, &to->tag, from->tag, args[0]) &&
              copy_attrib(function, to, from->attrib, args[0]) &&
              copy_deep(function, &to->text, from->text, args[0]) &&
              copy_deep(function, &to->tail, from->tail, args[0]) &&
              copy_children(function, to, from, args[0]) && remember_copy(args[0], self, made);
    drop(function);
    drop(name);
    drop(module);
    if (ok) return made;
    drop(made);
    return VALUE_ERROR;
}

static Value get_state(ValueRef value, METHOD_ARGS)
{
    Element *self = as_element(value);
    ValueRef children = children_of(self), attrib = attrib_of(self);
    Value list = children && attrib ? list_slice(children, 0, list_size(children)) : VALUE_ERROR;
    Value state = list ? dict_new() : VALUE_ERROR;
    bool ok = state && dict_set_ascii(state, "tag", self->tag) &&
              dict_set_ascii(state, "_children", list) && dict_set_ascii(state, "attrib", attrib) &&
              dict_set_ascii(state, "text", self->text ? (ValueRef)self->text : NONE) &&
              dict_set_ascii(state, "tail", self->tail ? (ValueRef)self->tail : NONE);
    drop(list);
    if (ok) return state;
    drop(state);
    return VALUE_ERROR;
}

static void set_field(Value *field, ValueRef state, const char *name)
{
    ValueRef value = dict_peek_ascii(state, name);
    replace_slot(field, value ? retain(value) : VALUE_ERROR);
}

static Value set_state(ValueRef value, METHOD_ARGS)
{
    Element *self = as_element(value);
    if (!dict_check(args[0]))
        return raise_error(TypeError, "Don't know how to unpickle \"%.200R\" as an Element",
                           args[0]);
    Value state = dict_copy(args[0]);
    ValueRef tag = state ? dict_peek_ascii(state, "tag") : VALUE_ERROR;
    ValueRef attrib = state ? dict_peek_ascii(state, "attrib") : VALUE_ERROR;
    ValueRef given = state ? dict_peek_ascii(state, "_children") : VALUE_ERROR;
    bool ok = state && (tag || raise_error(TypeError, "tag may not be NULL"));
    ok = ok && expect_attrib(attrib);
    if (ok && given && !list_check(given)) ok = raise_error(TypeError, "'_children' is not a list");
    Value children = ok && given ? sequence_list(given) : VALUE_ERROR;
    ok = ok && (children || !given);
    for (ssize_t i = 0; ok && children && i < list_size(children); i++)
        ok = element_expect(list_at(children, i));
    if (ok) {
        set_field(&self->tag, state, "tag");
        set_field(&self->attrib, state, "attrib");
        set_field(&self->text, state, "text");
        set_field(&self->tail, state, "tail");
        replace_slot(&self->children, children);
    } else {
        drop(children);
    }
    drop(state);
    return ok ? NONE : VALUE_ERROR;
}

// ---- fields

#define FIELD(name)                                                                                \
    static Value get_##name(ValueRef self)                                                         \
    {                                                                                              \
        return or_none(as_element(self)->name);                                                    \
    }                                                                                              \
    static bool set_##name(ValueRef self, ValueRef value)                                          \
    {                                                                                              \
        if (!value) return raise_error(AttributeError, "can't delete element attribute");          \
        replace_slot(&as_element(self)->name, retain(value));                                      \
        return true;                                                                               \
    }
FIELD(tag)
FIELD(text)
FIELD(tail)
#undef FIELD

static Value get_attrib(ValueRef self)
{
    ValueRef attrib = attrib_of(as_element(self));
    return attrib ? retain(attrib) : VALUE_ERROR;
}

static bool set_attrib(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(AttributeError, "can't delete element attribute");
    if (!dict_check(value)) return raise_error(TypeError, "attrib must be dict, not %.200T", value);
    replace_slot(&as_element(self)->attrib, retain(value));
    return true;
}

static const GetSetDef getset[] = {
    {"tag", get_tag, set_tag, "A string identifying what kind of data this element represents"},
    {"text", get_text, set_text, "The text before the first child"},
    {"tail", get_tail, set_tail, "The text after the end tag"},
    {"attrib", get_attrib, set_attrib, "The attributes, a dict"},
    {0},
};

// ---- the type

static Value element_repr(ValueRef self)
{
    bool again;
    if (!repr_enter(self, &again)) return VALUE_ERROR;
    Value text = VALUE_ERROR;
    if (again)
        raise_error(RuntimeError, "reentrant call inside %s.__repr__", type_of(self)->name);
    else
        text = format_text("<Element %R at 0x%llx>", (ValueRef)as_element(self)->tag,
                           (long long)memory_id(object_of(self)));
    if (!again) repr_leave(self);
    return text;
}

static void element_traverse(Object *self, VisitFn visit, void *arg)
{
    const Element *element = (const Element *)self;
    visit_item(element->tag, visit, arg);
    visit_item(element->attrib, visit, arg);
    visit_item(element->text, visit, arg);
    visit_item(element->tail, visit, arg);
    visit_item(element->children, visit, arg);
}

static void element_clear(Object *self)
{
    Element *element = (Element *)self;
    drop_slot(&element->attrib);
    drop_slot(&element->text);
    drop_slot(&element->tail);
    drop_slot(&element->children);
    replace_slot(&element->tag, NONE);
}

static const MethodDef methods[] = {
    {"clear", clear, NO_ARGS, NULL},
    {"get", get, KEYWORD_ARGS, NULL},
    {"set", set, ARGS(2, 2), NULL},
    {"find", find, KEYWORD_ARGS, "The first element that a path leads to, or None."},
    {"findtext", find_text, KEYWORD_ARGS, "Its text."},
    {"findall", find_all, KEYWORD_ARGS, "All elements that a path leads to."},
    {"append", append, ONE_ARG, NULL},
    {"extend", extend, ONE_ARG, NULL},
    {"insert", insert, ARGS(2, 2), NULL},
    {"remove", remove_child, ONE_ARG, NULL},
    {"iter", iterate, KEYWORD_ARGS,
     "This element and all below it in the document's order; those with a tag, if one is given."},
    {"itertext", iterate_text, NO_ARGS, "The texts in the document's order."},
    {"iterfind", iter_find, KEYWORD_ARGS, NULL},
    {"items", items, NO_ARGS, NULL},
    {"keys", keys, NO_ARGS, NULL},
    {"makeelement", make_element, ARGS(2, 2), NULL},
    {"__copy__", copy, NO_ARGS, NULL},
    {"__deepcopy__", deep_copy, ONE_ARG, NULL},
    {"__getstate__", get_state, NO_ARGS, NULL},
    {"__setstate__", set_state, ONE_ARG, NULL},
    {0},
};

Type element_type = {
    STATIC_TYPE("xml.etree.ElementTree.Element", sizeof(Element)),
    .flags = TYPE_GC | TYPE_BASE,
    .weakref_offset = offsetof(Element, weakrefs),
    .methods = methods,
    .getset = getset,
    .new_ = element_new_slot,
    .init = element_init,
    .release = element_clear,
    .traverse = element_traverse,
    .clear = element_clear,
    .repr = element_repr,
    .truth = element_truth,
    .length = element_length,
    .item = element_item,
    .subscript = element_subscript,
    .set_subscript = element_set_subscript,
};
