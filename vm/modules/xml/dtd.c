// See dtd.h.
#include "vm/modules/xml/dtd.h"

#include "objects/bytes/bytes.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/text/str.h"

Value dtd_new(void)
{
    Dtd *dtd = object_alloc(&dtd_type, 0);
    if (!dtd) return VALUE_ERROR;
    dtd->keeps = true;
    return own(dtd);
}

// ---- attributes

ElementType *dtd_element(Dtd *dtd, const uint8_t *name, size_t size)
{
    bool added;
    ElementType *element = table_add(&dtd->elements, name, size, sizeof *element, &added);
    if (element && !element->name)
        element->name = str_from_utf8((const char *)name, size);
    return element && element->name ? element : NULL;
}

static bool same_attribute(ValueRef a, ValueRef b)
{
    const Bytes *x = as_bytes(a), *y = as_bytes(b);
    return x->size == y->size && memcmp(x->data, y->data, (size_t)x->size) == 0;
}

static DeclaredAttribute *room_for_attribute(ElementType *element)
{
    if (element->count == element->room) {
        size_t room = element->room ? element->room * 2 : 4;
        DeclaredAttribute *grown = memory_resize(element->attributes, room * sizeof *grown);
        if (!grown) {
            raise_memory_error();
            return NULL;
        }
        element->attributes = grown;
        element->room = room;
    }
    return &element->attributes[element->count++];
}

bool dtd_declare(ElementType *element, ValueRef name, bool is_cdata, bool is_id, ValueRef value)
{
    // A declaration that gives nothing may precede one that gives a default, as in expat.
    for (size_t i = 0; (value || is_id) && i < element->count; i++)
        if (same_attribute(element->attributes[i].name, name)) return true;
    DeclaredAttribute *added = room_for_attribute(element);
    if (!added) return false;
    *added = (DeclaredAttribute){retain(name), value ? retain(value) : VALUE_ERROR, is_cdata};
    return true;
}

// ---- copies

static Value retained(ValueRef value)
{
    return value ? retain(value) : VALUE_ERROR;
}

static bool copy_entities(Table *to, const Table *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const Entity *old = (const Entity *)from->items[i];
        bool added;
        Entity *made = table_add(to, old->key.bytes, old->key.size, sizeof *made, &added);
        if (!made) return false;
        Keyed key = made->key;
        *made = *old;
        made->key = key;
        made->is_open = false;
        Value *values[] = {&made->name,   &made->text,   &made->base,
                           &made->system, &made->public, &made->notation};
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++)
            *values[j] = retained(*values[j]);
    }
    return true;
}

static bool copy_elements(Dtd *to, const Dtd *from)
{
    for (size_t i = 0; i < from->elements.count; i++) {
        const ElementType *old = (const ElementType *)from->elements.items[i];
        ElementType *made = dtd_element(to, old->key.bytes, old->key.size);
        if (!made) return false;
        for (size_t j = 0; j < old->count; j++) {
            DeclaredAttribute *added = room_for_attribute(made);
            if (!added) return false;
            *added = (DeclaredAttribute){retained(old->attributes[j].name),
                                         retained(old->attributes[j].value),
                                         old->attributes[j].is_cdata};
        }
    }
    return true;
}

Value dtd_copy(const Dtd *dtd)
{
    Value copy = dtd_new();
    if (!copy) return VALUE_ERROR;
    Dtd *made = as_dtd(copy);
    made->keeps = dtd->keeps;
    made->has_parameter_references = dtd->has_parameter_references;
    made->is_standalone = dtd->is_standalone;
    if (copy_entities(&made->entities, &dtd->entities) &&
        copy_entities(&made->parameters, &dtd->parameters) && copy_elements(made, dtd))
        return copy;
    drop(copy);
    return VALUE_ERROR;
}

// ---- the type, which no script sees

static void free_entities(Table *entities)
{
    for (size_t i = 0; i < entities->count; i++) {
        Entity *entity = (Entity *)entities->items[i];
        drop_slot(&entity->name);
        drop_slot(&entity->text);
        drop_slot(&entity->base);
        drop_slot(&entity->system);
        drop_slot(&entity->public);
        drop_slot(&entity->notation);
    }
    table_free(entities);
}

static void dtd_release(Object *self)
{
    Dtd *dtd = (Dtd *)self;
    free_entities(&dtd->entities);
    free_entities(&dtd->parameters);
    for (size_t i = 0; i < dtd->elements.count; i++) {
        ElementType *element = (ElementType *)dtd->elements.items[i];
        drop_slot(&element->name);
        while (element->count) {
            DeclaredAttribute *last = &element->attributes[--element->count];
            drop_slot(&last->name);
            drop_slot(&last->value);
        }
        memory_free(element->attributes);
    }
    table_free(&dtd->elements);
    drop_slot(&dtd->public);
    drop_slot(&dtd->system);
    drop_slot(&dtd->subset_base);
}

Type dtd_type = {
    STATIC_TYPE("pyexpat.dtd", sizeof(Dtd)),
    .release = dtd_release,
};
