// The attributes of a start tag: those in it, those with defaults, and what their values say. See
// xml_parser.h.
#include "objects/bytes/bytes.h"
#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/modules/xml/text_reading.h"

// ---- values

typedef struct ValueReading {
    TextReading text;
    bool is_cdata, is_declared;
} ValueReading;

// White space: one blank each, or in what is no CDATA one for all, and none at the beginning.
static void add_blank(ValueReading *reading)
{
    BytesOut *out = reading->text.out;
    if (!reading->is_cdata && (!out->size || out->bytes[out->size - 1] == ' ')) return;
    bytes_out_byte(out, ' ');
}

// Must an entity be declared, as nothing was skipped that could declare it?
static bool must_be_declared(const ValueReading *reading)
{
    const Dtd *dtd = dtd_of(reading->text.p);
    if (!reading->is_declared) return !dtd->has_parameter_references || dtd->is_standalone;
    bool alone = dtd->is_standalone ? in_document(reading->text.p) : !dtd->has_parameter_references;
    return !reading->text.p->prolog.is_external && alone;
}

static Status add_entity(ValueReading *reading, const uint8_t *at, const uint8_t *end)
{
    char character = predefined_entity(at + 1, end - 1);
    if (character) {
        bytes_out_byte(reading->text.out, (unsigned char)character);
        return XML_OK;
    }
    Dtd *dtd = dtd_of(reading->text.p);
    Entity *entity = table_find(&dtd->entities, at + 1, (size_t)(end - at - 2));
    bool must = must_be_declared(reading);
    if (!entity) return must ? XML_UNDEFINED_ENTITY : XML_OK;
    if (must && !entity->is_internal) return XML_ENTITY_DECLARED_IN_PE;
    if (entity->is_open) return reading_wrong_at(&reading->text, at, XML_RECURSIVE_ENTITY_REF);
    if (entity->notation) return reading_wrong_at(&reading->text, at, XML_BINARY_ENTITY_REF);
    if (!entity->text)
        return reading_wrong_at(&reading->text, at, XML_ATTRIBUTE_EXTERNAL_ENTITY_REF);
    return reading_push_entity(&reading->text, entity);
}

static Status add_token(ValueReading *reading)
{
    ReadPiece piece;
    Status status = reading_token(&reading->text, attribute_value_token, &piece);
    if (status) return status;
    const uint8_t *at = piece.at, *end = piece.end;
    switch (piece.token) {
    case TOKEN_NONE: return XML_OK;
    case TOKEN_NEWLINE:
    case TOKEN_VALUE_SPACE: add_blank(reading); return XML_OK;
    case TOKEN_CHARACTER_REFERENCE:
        if (referred_character(at, end) != ' ')
            return reading_add_character(&reading->text, &piece);
        add_blank(reading);
        return XML_OK;
    case TOKEN_ENTITY: return add_entity(reading, at, end);
    case TOKEN_TEXT: bytes_out_add(reading->text.out, at, (size_t)(end - at)); return XML_OK;
    default:
        return reading_wrong_at(&reading->text, piece.token == TOKEN_INVALID ? end : at,
                                XML_INVALID_TOKEN);
    }
}

static bool is_plain(const uint8_t *at, const uint8_t *end)
{
    for (; at < end; at++)
        if (*at == '&' || *at == '<' || (is_xml_space(*at) && *at != ' ')) return false;
    return true;
}

Status read_value(XmlParser *p, bool is_cdata, bool is_declared, const uint8_t *at,
                  const uint8_t *end, Value *value)
{
    if (is_cdata && is_plain(at, end)) {
        *value = text_of(p, at, end);
        return XML_OK;
    }
    p->scratch.size = 0;
    ValueReading reading = {{p, &p->scratch, NULL, 0, 0}, is_cdata, is_declared};
    Status status = reading_push(&reading.text, at, end, NULL);
    while (!status && reading.text.count) status = add_token(&reading);
    reading_close(&reading.text);
    if (status) return status;
    BytesOut *out = &p->scratch;
    if (!is_cdata && out->size && out->bytes[out->size - 1] == ' ') out->size--;
    if (out->failed) {
        out->failed = false;
        raise_memory_error();
        parser_fail(p);
        return XML_OK;
    }
    *value = text_of(p, out->bytes, out->bytes + out->size);
    return XML_OK;
}

// ---- the attributes of a tag

static bool add_attribute(XmlParser *p, Name *name, Value value)
{
    if (!value || !parser_room(p, (void **)&p->attributes, p->attribute_count, &p->attribute_room,
                               sizeof *p->attributes)) {
        drop(value);
        return false;
    }
    p->attributes[p->attribute_count++] = (Attribute){name, VALUE_ERROR, value};
    return true;
}

void forget_attributes(XmlParser *p)
{
    while (p->attribute_count) {
        Attribute *last = &p->attributes[--p->attribute_count];
        drop_slot(&last->text);
        drop_slot(&last->value);
    }
}

static bool is_declared_cdata(const ElementType *type, const Name *name)
{
    for (size_t i = 0; type && i < type->count; i++) {
        const Bytes *declared = as_bytes(type->attributes[i].name);
        if (key_is(&name->key, (const uint8_t *)declared->data, (size_t)declared->size))
            return type->attributes[i].is_cdata;
    }
    return true;
}

// Takes an attribute, steals the value: as a binding, where it is one.
static Status take_attribute(XmlParser *p, Name *name, Value value, Binding **bindings)
{
    if (!value || !name->is_binding) {
        add_attribute(p, name, value);
        return XML_OK;
    }
    Status status = namespaces_bind(p, name->prefix, value, bindings, true);
    drop(value);
    return status;
}

// One attribute of the tag, whose name begins at *at.
static Status read_attribute(XmlParser *p, const ElementType *type, Scan *scan, Binding **bindings)
{
    const uint8_t *begin = scan->at;
    scan_qualified_name(scan);
    Name *name = name_of(p, begin, (size_t)(scan->at - begin));
    if (!name) return XML_OK;
    skip_space(scan);
    scan->at++; // "="
    skip_space(scan);
    const uint8_t *value_at = scan->at + 1;
    const uint8_t *end = memchr(value_at, *scan->at, (size_t)(scan->end - value_at));
    scan->at = end + 1;
    if (name->tag == p->tag_number) {
        parser_points_at(p, begin);
        return XML_DUPLICATE_ATTRIBUTE;
    }
    name->tag = p->tag_number;
    Value value = VALUE_ERROR;
    Status status = read_value(p, is_declared_cdata(type, name), false, value_at, end, &value);
    return status ? status : take_attribute(p, name, value, bindings);
}

// A handler may declare more of them meanwhile.
static Status add_defaults(XmlParser *p, const ElementType *type, Binding **bindings)
{
    for (size_t i = 0; i < type->count && !p->raised; i++) {
        ValueRef value = type->attributes[i].value;
        if (!value) continue;
        const Bytes *declared = as_bytes(type->attributes[i].name);
        Name *name = name_of(p, (const uint8_t *)declared->data, (size_t)declared->size);
        if (!name || name->tag == p->tag_number) continue;
        name->tag = p->tag_number;
        Status status = take_attribute(p, name, retain(value), bindings);
        if (status) return status;
    }
    return XML_OK;
}

// The names in their namespaces. Two that differ may then be one.
static Status expand_names(XmlParser *p)
{
    size_t prefixed = 0;
    for (size_t i = 0; i < p->attribute_count && !p->raised; i++) {
        Attribute *attribute = &p->attributes[i];
        Status status = name_expand(p, attribute->name, false, &attribute->text);
        if (status) return status;
        prefixed += attribute->name->prefix != NULL;
    }
    if (prefixed < 2 || p->raised) return XML_OK;
    Value seen = parser_checked(p, dict_new());
    for (size_t i = 0; seen && i < p->attribute_count && !p->raised; i++)
        if (!dict_set(seen, p->attributes[i].text, TRUE)) parser_fail(p);
    bool is_double = seen && !p->raised && dict_size(seen) < (ssize_t)p->attribute_count;
    drop(seen);
    return is_double ? XML_DUPLICATE_ATTRIBUTE : XML_OK;
}

Status read_attributes(XmlParser *p, Name *element, const uint8_t *at, const uint8_t *end,
                       Binding **bindings)
{
    const ElementType *type =
        table_find(&dtd_of(p)->elements, element->key.bytes, element->key.size);
    p->tag_number++;
    Scan scan = {at, end, p->has_namespaces, false};
    for (;;) {
        skip_space(&scan);
        if (p->raised || *scan.at == '/' || *scan.at == '>') break;
        Status status = read_attribute(p, type, &scan, bindings);
        if (status) return status;
    }
    p->specified_count = p->attribute_count;
    Status status = type ? add_defaults(p, type, bindings) : XML_OK;
    return status ? status : expand_names(p);
}
