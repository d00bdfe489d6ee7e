// The iterators of element.iter() and element.itertext(): through the tree in the document's order,
// with the elements that are open on a list, so that no tree is too deep. See etree.h.
#include "objects/memory.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "vm/modules/xml/etree.h"

typedef struct OpenElement {
    Value element;
    ssize_t child; // the index of the next one
} OpenElement;

typedef struct ElementIterator {
    Object base;
    Value root; // 0 = it was given already
    Value tag;  // of those that are given: None = any; 0 = texts are given
    OpenElement *open;
    size_t count, room;
} ElementIterator;

static bool push(ElementIterator *self, ValueRef element)
{
    if (self->count == self->room) {
        size_t room = self->room ? self->room * 2 : 8;
        OpenElement *grown = memory_resize(self->open, room * sizeof *grown);
        if (!grown) return raise_memory_error();
        self->open = grown;
        self->room = room;
    }
    self->open[self->count++] = (OpenElement){retain(element), 0};
    return true;
}

// What the iterator gives of an element that it comes to: owned, ABSENT = nothing.
static Value of_element(const ElementIterator *self, ValueRef element)
{
    ValueRef text = as_element(element)->text;
    if (!self->tag) return text && text != NONE ? retain(text) : ABSENT;
    bool same = self->tag == NONE;
    Value tag = retain(self->tag), held = retain(as_element(element)->tag);
    bool ok = same || items_equal(held, tag, &same);
    drop(held);
    drop(tag);
    if (!ok) return VALUE_ERROR;
    return same ? retain(element) : ABSENT;
}

// Goes on to the next element, or back to the one whose last child was given. ABSENT = nothing to
// give there; *ended: the tree is through.
static Value step(ElementIterator *self, bool *ended)
{
    if (self->root) {
        Value root = self->root;
        self->root = VALUE_ERROR;
        Value given = push(self, root) ? of_element(self, root) : VALUE_ERROR;
        drop(root);
        return given;
    }
    *ended = self->count == 0;
    if (*ended) return ABSENT;
    OpenElement *last = &self->open[self->count - 1];
    const Element *element = as_element(last->element);
    if (last->child < element_size(element)) {
        Value child = retain(list_at(element->children, last->child++));
        Value given = ABSENT;
        if (element_check(child)) given = push(self, child) ? of_element(self, child) : VALUE_ERROR;
        drop(child);
        return given;
    }
    Value done = last->element;
    self->count--;
    ValueRef tail = as_element(done)->tail;
    bool gives = !self->tag && self->count && tail && tail != NONE;
    Value given = gives ? retain(tail) : ABSENT;
    drop(done);
    return given;
}

// A text that is empty, or otherwise false, is not given.
static bool is_worth(const ElementIterator *self, Value *given)
{
    bool truth = true;
    if (self->tag || *given == ABSENT || !*given) return *given != ABSENT;
    if (!object_truth(*given, &truth)) {
        replace_slot(given, VALUE_ERROR);
        return true;
    }
    if (!truth) replace_slot(given, ABSENT);
    return truth;
}

static Value iterator_next(ValueRef value)
{
    ElementIterator *self = (ElementIterator *)object_of(value);
    bool ended = false;
    for (;;) {
        Value given = step(self, &ended);
        if (ended || is_worth(self, &given)) return given;
    }
}

Value element_iterator_new(ValueRef element, ValueRef tag)
{
    ElementIterator *made = object_alloc(&element_iterator_type, 0);
    if (!made) return VALUE_ERROR;
    made->root = retain(element);
    made->tag = tag ? retain(tag) : VALUE_ERROR;
    return own(made);
}

static void iterator_traverse(Object *object, VisitFn visit, void *arg)
{
    const ElementIterator *self = (const ElementIterator *)object;
    visit_item(self->root, visit, arg);
    visit_item(self->tag, visit, arg);
    for (size_t i = 0; i < self->count; i++) visit_item(self->open[i].element, visit, arg);
}

static void iterator_clear(Object *object)
{
    ElementIterator *self = (ElementIterator *)object;
    drop_slot(&self->root);
    while (self->count) drop_slot(&self->open[--self->count].element);
}

static void iterator_release(Object *object)
{
    ElementIterator *self = (ElementIterator *)object;
    iterator_clear(object);
    drop_slot(&self->tag);
    memory_free(self->open);
}

Type element_iterator_type = {
    STATIC_TYPE("_elementtree._element_iterator", sizeof(ElementIterator)),
    .flags = TYPE_GC,
    .release = iterator_release,
    .traverse = iterator_traverse,
    .clear = iterator_clear,
    .iter = iterator_self,
    .next = iterator_next,
};
