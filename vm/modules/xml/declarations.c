// What declarations of entities, notations, attributes and elements say. See xml_parser.h.
#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/modules/xml/xml_parser.h"

// The types and quantifiers of a content model (pyexpat.model).
enum { MODEL_EMPTY = 1, MODEL_ANY, MODEL_MIXED, MODEL_NAME, MODEL_CHOICE, MODEL_SEQUENCE };
enum { ONCE, OPTIONAL, ANY, SOME };

void declaration_free(Declaration *d)
{
    Value *values[] = {&d->doctype,  &d->doctype_public,  &d->doctype_system,
                       &d->notation, &d->notation_public, &d->attribute};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) drop_slot(values[i]);
    bytes_out_free(&d->type);
    while (d->group_count) drop_slot(&d->groups[--d->group_count].children);
    memory_free(d->groups);
    d->groups = NULL;
    d->group_room = 0;
}

// ---- ids

static bool is_public(uint8_t byte)
{
    if (byte == ' ' || byte == '\r' || byte == '\n') return true;
    if (byte >= 0x80 || !byte) return false;
    return (character_flags[byte] & CHAR_NAME) || strchr("'()+,/:=?;!*#@$%", byte);
}

Status read_public_id(XmlParser *p, const uint8_t *at, const uint8_t *end, Value *id)
{
    p->scratch.size = 0;
    BytesOut *out = &p->scratch;
    for (; at < end; at++) {
        if (!is_public(*at)) {
            parser_points_at(p, at);
            return XML_PUBLICID;
        }
        bool is_space = is_xml_space(*at);
        if (!is_space || (out->size && out->bytes[out->size - 1] != ' '))
            bytes_out_byte(out, is_space ? ' ' : *at);
    }
    if (out->size && out->bytes[out->size - 1] == ' ') out->size--;
    *id = text_of(p, out->bytes, out->bytes + out->size);
    return XML_OK;
}

// ---- entities

static Value literal(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    return text_of(p, at + 1, end - 1);
}

// The first declaration of a name counts.
static void name_entity(XmlParser *p, Role role, const uint8_t *at, const uint8_t *end)
{
    Dtd *dtd = dtd_of(p);
    bool is_parameter = role == ROLE_PARAMETER_NAME, added;
    p->declaration.entity = NULL;
    if (!dtd->keeps || (!is_parameter && predefined_entity(at, end))) return;
    Table *table = is_parameter ? &dtd->parameters : &dtd->entities;
    Entity *entity = table_add(table, at, (size_t)(end - at), sizeof *entity, &added);
    if (!entity) {
        parser_fail(p);
        return;
    }
    if (!added) return;
    entity->name = text_of(p, at, end);
    entity->is_parameter = is_parameter;
    entity->is_internal = !p->root && in_document(p);
    p->declaration.entity = entity;
}

static void tell_entity(XmlParser *p, const Entity *entity)
{
    Value value = NONE;
    if (entity->text) {
        const Bytes *text = as_bytes(entity->text);
        const uint8_t *bytes = (const uint8_t *)text->data;
        value = text_of(p, bytes, bytes + text->size);
    }
    Value args[] = {interned(p, or_none(entity->name)),
                    from_small(entity->is_parameter),
                    value,
                    interned(p, or_none(entity->base)),
                    interned(p, or_none(entity->system)),
                    interned(p, or_none(entity->public)),
                    interned(p, or_none(entity->notation))};
    tell(p, ON_ENTITY, args, 7);
}

static void tell_unparsed_entity(XmlParser *p, const Entity *entity)
{
    Value args[] = {interned(p, or_none(entity->name)), interned(p, or_none(entity->base)),
                    interned(p, or_none(entity->system)), interned(p, or_none(entity->public)),
                    interned(p, or_none(entity->notation))};
    tell(p, ON_UNPARSED_ENTITY, args, 5);
}

// A handler may be called while the value is read, and other declarations with it.
static Status take_entity_value(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    Dtd *dtd = dtd_of(p);
    Entity *entity = p->declaration.entity;
    BytesOut value = {0}, *outer = dtd->value;
    dtd->value = &value;
    Status status = read_entity_value(p, at + 1, end - 1);
    dtd->value = outer;
    if (value.failed) {
        raise_memory_error();
        parser_fail(p);
    }
    if (entity && !p->raised) {
        Value text = parser_checked(p, bytes_new(value.bytes, value.size));
        replace_slot(&entity->text, text);
        replace_slot(&entity->base, p->url ? retain(p->url) : VALUE_ERROR);
        *quiet = text && has_handler(p, ON_ENTITY);
        if (*quiet) tell_entity(p, entity);
    }
    bytes_out_free(&value);
    return status;
}

static void take_system_id(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    Entity *entity = p->declaration.entity;
    if (!entity) return;
    replace_slot(&entity->system, literal(p, at, end));
    replace_slot(&entity->base, p->url ? retain(p->url) : VALUE_ERROR);
    *quiet = has_handler(p, ON_ENTITY);
}

static Status take_entity_public(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    Value id = VALUE_ERROR;
    Status status = read_public_id(p, at + 1, end - 1, &id);
    Entity *entity = p->declaration.entity;
    if (entity) *quiet = has_handler(p, ON_ENTITY);
    if (entity && !status)
        replace_slot(&entity->public, id);
    else
        drop(id);
    return status;
}

static void take_entity_notation(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    Entity *entity = p->declaration.entity;
    if (!entity) return;
    replace_slot(&entity->notation, text_of(p, at, end));
    *quiet = true;
    if (has_handler(p, ON_UNPARSED_ENTITY))
        tell_unparsed_entity(p, entity);
    else if (has_handler(p, ON_ENTITY))
        tell_entity(p, entity);
    else
        *quiet = false;
}

static Status declare_entity(XmlParser *p, Role role, const uint8_t *at, const uint8_t *end,
                             bool *quiet)
{
    const Entity *entity = p->declaration.entity;
    switch (role) {
    case ROLE_ENTITY_NAME:
    case ROLE_PARAMETER_NAME:
        name_entity(p, role, at, end);
        *quiet = p->declaration.entity && has_handler(p, ON_ENTITY);
        return XML_OK;
    case ROLE_ENTITY_VALUE: return dtd_of(p)->keeps ? take_entity_value(p, at, end, quiet) : XML_OK;
    case ROLE_ENTITY_PUBLIC_ID: return take_entity_public(p, at, end, quiet);
    case ROLE_ENTITY_SYSTEM_ID: take_system_id(p, at, end, quiet); return XML_OK;
    case ROLE_ENTITY_NOTATION: take_entity_notation(p, at, end, quiet); return XML_OK;
    case ROLE_ENTITY_COMPLETE:
        *quiet = entity && has_handler(p, ON_ENTITY);
        if (*quiet) tell_entity(p, entity);
        return XML_OK;
    default: *quiet = dtd_of(p)->keeps && has_handler(p, ON_ENTITY); return XML_OK;
    }
}

// ---- notations

static void tell_notation(XmlParser *p, Value system)
{
    Declaration *d = &p->declaration;
    Value args[] = {interned(p, or_none(d->notation)), interned(p, or_none(p->url)),
                    interned(p, system), interned(p, or_none(d->notation_public))};
    tell(p, ON_NOTATION, args, 4);
}

static Status take_notation_public(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    Declaration *d = &p->declaration;
    Value id = VALUE_ERROR;
    Status status = read_public_id(p, at + 1, end - 1, &id);
    if (status) return status;
    *quiet = d->notation != VALUE_ERROR;
    if (d->notation)
        replace_slot(&d->notation_public, id);
    else
        drop(id);
    return XML_OK;
}

static Status declare_notation(XmlParser *p, Role role, const uint8_t *at, const uint8_t *end,
                               bool *quiet)
{
    Declaration *d = &p->declaration;
    bool has = has_handler(p, ON_NOTATION);
    switch (role) {
    case ROLE_NOTATION_NAME:
        drop_slot(&d->notation_public);
        replace_slot(&d->notation, has ? text_of(p, at, end) : VALUE_ERROR);
        *quiet = has;
        return XML_OK;
    case ROLE_NOTATION_PUBLIC_ID: return take_notation_public(p, at, end, quiet);
    case ROLE_NOTATION_SYSTEM_ID:
        *quiet = d->notation && has;
        if (*quiet) tell_notation(p, literal(p, at, end));
        return XML_OK;
    case ROLE_NOTATION_COMPLETE:
        *quiet = d->notation_public && has;
        if (*quiet) tell_notation(p, NONE);
        return XML_OK;
    default: *quiet = has; return XML_OK;
    }
}

// ---- attributes

static void set_type(Declaration *d, const void *text, size_t size)
{
    d->type.size = 0;
    bytes_out_add(&d->type, text, size);
}

// One more of "(a|b" or "NOTATION(a|b".
static void add_word(Declaration *d, Role role, const uint8_t *at, const uint8_t *end)
{
    bool is_notation = role == ROLE_ATTRIBUTE_NOTATION;
    const char *sign = d->type.size ? "|" : is_notation ? "NOTATION(" : "(";
    bytes_out_add(&d->type, sign, strlen(sign));
    bytes_out_add(&d->type, at, (size_t)(end - at));
}

static void tell_attribute(XmlParser *p, ValueRef value, bool is_required)
{
    Declaration *d = &p->declaration;
    if (memchr(d->type.bytes, '(', d->type.size)) bytes_out_byte(&d->type, ')');
    const Bytes *name = as_bytes(d->attribute);
    const uint8_t *bytes = (const uint8_t *)name->data;
    Value args[] = {interned(p, or_none(d->element->name)),
                    interned(p, text_of(p, bytes, bytes + name->size)),
                    text_of(p, d->type.bytes, d->type.bytes + d->type.size), or_none(value),
                    from_small(is_required)};
    tell(p, ON_ATTLIST, args, 5);
}

static Status take_default(XmlParser *p, Role role, const uint8_t *at, const uint8_t *end,
                           bool *quiet)
{
    Declaration *d = &p->declaration;
    bool has_value = role == ROLE_ATTRIBUTE_DEFAULT || role == ROLE_ATTRIBUTE_FIXED;
    if (!dtd_of(p)->keeps || !d->element || !d->attribute) return XML_OK;
    Value value = VALUE_ERROR;
    if (has_value) {
        Status status = read_value(p, d->is_cdata, true, at + 1, end - 1, &value);
        if (status) return status;
    }
    if (!p->raised && !dtd_declare(d->element, d->attribute, d->is_cdata, d->is_id, value))
        parser_fail(p);
    *quiet = has_handler(p, ON_ATTLIST) && d->type.size;
    bool is_required = role == ROLE_ATTRIBUTE_REQUIRED || role == ROLE_ATTRIBUTE_FIXED;
    if (*quiet) tell_attribute(p, value, is_required);
    drop(value);
    return XML_OK;
}

static ElementType *declared_element(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    ElementType *element = dtd_element(dtd_of(p), at, (size_t)(end - at));
    if (!element) parser_fail(p);
    return element;
}

static Status declare_attribute(XmlParser *p, Role role, const uint8_t *at, const uint8_t *end,
                                bool *quiet)
{
    Declaration *d = &p->declaration;
    size_t size = (size_t)(end - at);
    *quiet = dtd_of(p)->keeps && has_handler(p, ON_ATTLIST);
    switch (role) {
    case ROLE_ATTLIST_ELEMENT: d->element = declared_element(p, at, end); return XML_OK;
    case ROLE_ATTRIBUTE_NAME:
        replace_slot(&d->attribute, parser_checked(p, bytes_new(at, size)));
        d->type.size = 0;
        d->is_cdata = d->is_id = false;
        return XML_OK;
    case ROLE_ATTRIBUTE_TYPE:
        set_type(d, at, size);
        d->is_cdata = size == 5 && *at == 'C';
        d->is_id = size == 2;
        return XML_OK;
    case ROLE_ATTRIBUTE_WORD:
    case ROLE_ATTRIBUTE_NOTATION:
        if (*quiet) add_word(d, role, at, end);
        return XML_OK;
    case ROLE_ATTLIST: return XML_OK;
    default: *quiet = false; return take_default(p, role, at, end, quiet);
    }
}

// ---- elements: a model is nested tuples (type, quantifier, name, children)

static Value model(XmlParser *p, int type, int quantifier, Value name, Value children)
{
    if (!children) children = parser_checked(p, tuple_new(0));
    if (!children) {
        drop(name);
        return VALUE_ERROR;
    }
    Value parts[] = {from_small(type), from_small(quantifier), name, children};
    return parser_checked(p, tuple_from_owned(parts, 4));
}

static void tell_model(XmlParser *p, Value content)
{
    Declaration *d = &p->declaration;
    Value args[] = {interned(p, d->element ? or_none(d->element->name) : NONE), content};
    d->wants_model = false;
    tell(p, ON_ELEMENT, args, 2);
}

static int quantifier_of(Token token)
{
    switch (token) {
    case TOKEN_NAME_OPTIONAL:
    case TOKEN_CLOSE_OPTIONAL: return OPTIONAL;
    case TOKEN_NAME_ANY:
    case TOKEN_CLOSE_ANY: return ANY;
    case TOKEN_NAME_SOME:
    case TOKEN_CLOSE_SOME: return SOME;
    default: return ONCE;
    }
}

static void open_group(XmlParser *p)
{
    Declaration *d = &p->declaration;
    if (!parser_room(p, (void **)&d->groups, d->group_count, &d->group_room, sizeof *d->groups))
        return;
    Value children = d->wants_model ? parser_checked(p, list_new(0)) : VALUE_ERROR;
    d->groups[d->group_count++] = (Group){0, MODEL_SEQUENCE, children};
}

static void add_child(XmlParser *p, Value child)
{
    Declaration *d = &p->declaration;
    if (!list_append_owned(d->groups[d->group_count - 1].children, child)) parser_fail(p);
}

static void add_name(XmlParser *p, Token token, const uint8_t *at, const uint8_t *end)
{
    int quantifier = quantifier_of(token);
    Value name = interned(p, text_of(p, at, end - (quantifier != ONCE)));
    if (!p->raised) add_child(p, model(p, MODEL_NAME, quantifier, name, VALUE_ERROR));
}

static void close_group(XmlParser *p, Token token)
{
    Declaration *d = &p->declaration;
    Group group = d->groups[--d->group_count];
    if (!group.children) return;
    Value children = parser_checked(p, list_to_tuple(group.children));
    drop(group.children);
    if (!children) return;
    Value made = model(p, group.type, quantifier_of(token), NONE, children);
    if (!made) return;
    if (d->group_count)
        add_child(p, made);
    else
        tell_model(p, made);
}

// Commas and bars do not mix.
static Status separate(Declaration *d, uint8_t sign)
{
    Group *group = &d->groups[d->group_count - 1];
    if (group->separator && group->separator != sign) return XML_SYNTAX;
    if (sign == '|' && group->type != MODEL_MIXED) group->type = MODEL_CHOICE;
    group->separator = sign;
    return XML_OK;
}

static void name_element(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    Declaration *d = &p->declaration;
    while (d->group_count) drop_slot(&d->groups[--d->group_count].children);
    d->wants_model = has_handler(p, ON_ELEMENT);
    if (d->wants_model) d->element = declared_element(p, at, end);
}

static Status declare_element(XmlParser *p, Role role, Token token, const uint8_t *at,
                              const uint8_t *end, bool *quiet)
{
    Declaration *d = &p->declaration;
    *quiet = has_handler(p, ON_ELEMENT) && (d->wants_model || role == ROLE_ELEMENT);
    switch (role) {
    case ROLE_ELEMENT_NAME:
        name_element(p, at, end);
        *quiet = d->wants_model;
        break;
    case ROLE_CONTENT_EMPTY:
    case ROLE_CONTENT_ANY: {
        int type = role == ROLE_CONTENT_ANY ? MODEL_ANY : MODEL_EMPTY;
        if (*quiet) tell_model(p, model(p, type, ONCE, NONE, VALUE_ERROR));
        break;
    }
    case ROLE_CONTENT_TEXT: d->groups[d->group_count - 1].type = MODEL_MIXED; break;
    case ROLE_CONTENT_NAME:
        if (d->wants_model) add_name(p, token, at, end);
        break;
    case ROLE_GROUP_OPEN: open_group(p); break;
    case ROLE_GROUP_CLOSE: close_group(p, token); break;
    case ROLE_GROUP_COMMA: return separate(d, ',');
    case ROLE_GROUP_OR: return separate(d, '|');
    default: break;
    }
    return XML_OK;
}

Status declare(XmlParser *p, Role role, Token token, const uint8_t *at, const uint8_t *end,
               bool *quiet)
{
    if (role >= ROLE_ELEMENT) return declare_element(p, role, token, at, end, quiet);
    if (role >= ROLE_ATTLIST) return declare_attribute(p, role, at, end, quiet);
    if (role >= ROLE_NOTATION) return declare_notation(p, role, at, end, quiet);
    return declare_entity(p, role, at, end, quiet);
}
