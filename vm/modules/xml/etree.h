// Elements of xml.etree, and what makes trees of them: the module _elementtree.
//
//     Element       etree_element.c     a tag, attributes, text, tail, and a list of children
//     .iter()       etree_iterator.c     the elements below it, one after the other
//     TreeBuilder   tree_builder.c      makes elements of a parser's events
#pragma once

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/type.h"

typedef struct Element {
    Object base;
    Value tag;
    Value attrib;     // a dict; 0 = none was needed yet
    Value text, tail; // 0 = None
    Value children;   // a list of Elements; 0 = none was needed yet
    Value weakrefs;
} Element;

extern Type element_type, element_iterator_type, tree_builder_type;

static inline bool element_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(object_of(value)->type, &element_type);
}
static inline Element *as_element(ValueRef value)
{
    return (Element *)object_of(value);
}
static inline ssize_t element_size(const Element *element)
{
    return element->children ? list_size(element->children) : 0;
}
// A new element; steals the attributes, a dict or 0.
Value element_new(ValueRef tag, Value attrib);
bool element_append(Element *element, ValueRef child);
// TypeError 'expected an Element, not "T"'.
bool element_expect(ValueRef value);
// _elementtree.SubElement(parent, tag, attrib={}, **extra).
Value element_sub(FUNCTION_ARGS);
// element.iter(tag) where `tag` is not 0, else element.itertext().
Value element_iterator_new(ValueRef element, ValueRef tag);

// _elementtree._set_factories(comment_factory, pi_factory); tree_builder_finish() forgets them.
Value tree_builder_set_factories(FUNCTION_ARGS);
void tree_builder_finish(void);
