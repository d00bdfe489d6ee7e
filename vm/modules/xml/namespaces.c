// Names of elements and attributes, and their namespaces. See xml_parser.h.
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/modules/xml/xml_parser.h"

#define XML_URI "http://www.w3.org/XML/1998/namespace"
#define XMLNS_URI "http://www.w3.org/2000/xmlns/"

// ---- names

static bool find_prefix(XmlParser *p, Name *name)
{
    const uint8_t *bytes = name->key.bytes;
    const uint8_t *colon = memchr(bytes, ':', name->key.size);
    size_t size = colon ? (size_t)(colon - bytes) : name->key.size;
    name->is_split = true;
    name->is_binding = key_is(&(Keyed){0, size, bytes}, (const uint8_t *)"xmlns", 5);
    if (!colon && !name->is_binding) return true;
    const uint8_t *prefix = name->is_binding ? bytes + size + (colon != NULL) : bytes;
    if (name->is_binding) size = (size_t)(bytes + name->key.size - prefix);
    bool added;
    name->prefix = table_add(&p->names, prefix, size, sizeof *name, &added);
    return name->prefix;
}

Name *name_of(XmlParser *p, const uint8_t *bytes, size_t size)
{
    bool added;
    Name *name = table_add(&p->names, bytes, size, sizeof *name, &added);
    if (name && (name->is_split || !p->has_namespaces || find_prefix(p, name))) return name;
    parser_fail(p);
    return NULL;
}

Value name_text(XmlParser *p, Name *name)
{
    if (!name->text) {
        const uint8_t *bytes = name->key.bytes;
        name->text = interned(p, text_of(p, bytes, bytes + name->key.size));
        if (p->raised) return VALUE_ERROR;
    }
    return retain(name->text);
}

void names_free(XmlParser *p)
{
    for (size_t i = 0; i < p->names.count; i++) {
        Name *name = (Name *)p->names.items[i];
        drop_slot(&name->text);
        drop_slot(&name->uri);
        drop_slot(&name->expanded);
        Binding *binding = name->binding;
        while (binding) {
            Binding *hidden = binding->hidden;
            drop(binding->uri);
            memory_free(binding);
            binding = hidden;
        }
    }
    table_free(&p->names);
}

// ---- names with their namespaces

// namespace, separator, local name; and with `has_triplets` the prefix after another separator.
static Value expand(XmlParser *p, const Name *name, ValueRef uri, bool has_prefix)
{
    const char *bytes = (const char *)name->key.bytes;
    size_t skip = has_prefix ? name->prefix->key.size + 1 : 0;
    StrBuilder builder;
    builder_begin(&builder);
    Value local = str_from_utf8(bytes + skip, name->key.size - skip);
    bool ok =
        local && (!p->has_braces || builder_char(&builder, '{')) && builder_str(&builder, uri) &&
        (!p->separator || builder_char(&builder, p->separator)) && builder_str(&builder, local);
    drop(local);
    if (ok && has_prefix && skip > 1 && p->has_triplets && p->separator) {
        Value prefix = str_from_utf8(bytes, skip - 1);
        ok = prefix && builder_char(&builder, p->separator) && builder_str(&builder, prefix);
        drop(prefix);
    }
    Value text = ok ? builder_finish(&builder) : VALUE_ERROR;
    builder_abandon(&builder);
    return interned(p, parser_checked(p, text));
}

Status name_expand(XmlParser *p, Name *name, bool is_element, Value *text)
{
    bool has_prefix = name->prefix && !name->is_binding;
    const Name *prefix = has_prefix ? name->prefix : NULL;
    if (!has_prefix && is_element && p->has_namespaces)
        prefix = table_find(&p->names, (const uint8_t *)"", 0);
    const Binding *binding = prefix ? prefix->binding : NULL;
    if (has_prefix && !binding) return XML_UNBOUND_PREFIX;
    if (!binding || !str_length(binding->uri)) {
        *text = name_text(p, name);
        return XML_OK;
    }
    if (!name->uri || !str_equal(name->uri, binding->uri)) {
        replace_slot(&name->expanded, expand(p, name, binding->uri, has_prefix));
        replace_slot(&name->uri, retain(binding->uri));
    }
    *text = retain(name->expanded);
    return XML_OK;
}

// ---- bindings

static bool is_uri_character(uint32_t point)
{
    if (point >= 0x80) return false;
    if (character_flags[point] & CHAR_NAME) return true;
    return point && strchr("%~:/?#[]@!$&'()*+,;=", (int)point);
}

// Which prefix and namespace cannot be bound to each other?
static Status check_binding(const XmlParser *p, const Name *prefix, ValueRef uri)
{
    if (!str_length(uri) && prefix->key.size) return XML_UNDECLARING_PREFIX;
    bool is_xml = key_is(&prefix->key, (const uint8_t *)"xml", 3);
    if (key_is(&prefix->key, (const uint8_t *)"xmlns", 5)) return XML_RESERVED_PREFIX_XMLNS;
    // A namespace that contains the separator would make names ambiguous.
    if (p->separator && !is_uri_character(p->separator) &&
        str_find_char(uri, p->separator, 0, str_length(uri), 1) >= 0)
        return XML_SYNTAX;
    if (is_xml != str_equal_ascii(uri, XML_URI))
        return is_xml ? XML_RESERVED_PREFIX_XML : XML_RESERVED_NAMESPACE_URI;
    return str_equal_ascii(uri, XMLNS_URI) ? XML_RESERVED_NAMESPACE_URI : XML_OK;
}

static Value prefix_text(XmlParser *p, Name *prefix)
{
    return prefix->key.size ? name_text(p, prefix) : NONE;
}

Status namespaces_bind(XmlParser *p, Name *prefix, ValueRef uri, Binding **bindings, bool tells)
{
    Status status = check_binding(p, prefix, uri);
    if (status) return status;
    Binding *binding = memory_alloc(sizeof *binding);
    if (!binding) {
        raise_memory_error();
        parser_fail(p);
        return XML_OK;
    }
    *binding = (Binding){prefix, retain(uri), prefix->binding, *bindings};
    prefix->binding = *bindings = binding;
    if (tells && has_handler(p, ON_START_NAMESPACE)) {
        Value args[] = {prefix_text(p, prefix), str_length(uri) ? interned(p, retain(uri)) : NONE};
        tell(p, ON_START_NAMESPACE, args, 2);
    }
    return XML_OK;
}

void namespaces_unbind(XmlParser *p, Binding *bindings)
{
    while (bindings) {
        Binding *binding = bindings;
        bindings = binding->next;
        if (has_handler(p, ON_END_NAMESPACE)) {
            Value args[] = {prefix_text(p, binding->prefix)};
            tell(p, ON_END_NAMESPACE, args, 1);
        }
        binding->prefix->binding = binding->hidden;
        drop(binding->uri);
        memory_free(binding);
    }
}

// ---- the context of an entity: "prefix=uri" and the names of open entities, between form feeds

static bool add_separator(StrBuilder *builder)
{
    return !builder->length || builder_char(builder, '\f');
}

static bool add_bindings(XmlParser *p, StrBuilder *builder)
{
    bool ok = true;
    for (size_t i = 0; ok && i < p->names.count; i++) {
        const Name *name = (const Name *)p->names.items[i];
        if (!name->binding || !str_length(name->binding->uri)) continue;
        Value prefix = str_from_utf8((const char *)name->key.bytes, name->key.size);
        ok = prefix && add_separator(builder) && builder_str(builder, prefix) &&
             builder_char(builder, '=') && builder_str(builder, name->binding->uri);
        drop(prefix);
    }
    return ok;
}

Value context_of(XmlParser *p)
{
    StrBuilder builder;
    builder_begin(&builder);
    bool ok = add_bindings(p, &builder);
    const Table *entities = &dtd_of(p)->entities;
    for (size_t i = 0; ok && i < entities->count; i++) {
        const Entity *entity = (const Entity *)entities->items[i];
        if (entity->is_open) ok = add_separator(&builder) && builder_str(&builder, entity->name);
    }
    Value context = ok ? builder_finish(&builder) : VALUE_ERROR;
    builder_abandon(&builder);
    return parser_checked(p, context);
}

static bool take_binding(XmlParser *p, const uint8_t *at, const uint8_t *equals, const uint8_t *end)
{
    Name *prefix = name_of(p, at, (size_t)(equals - at));
    Value uri = prefix ? text_of(p, equals + 1, end) : VALUE_ERROR;
    Binding *all = NULL; // the parser's own: no end tag ends them
    if (uri) namespaces_bind(p, prefix, uri, &all, false);
    drop(uri);
    return !p->raised;
}

bool take_context(XmlParser *p, ValueRef context)
{
    size_t size;
    const uint8_t *at = (const uint8_t *)str_utf8(context, &size);
    if (!at) return false;
    for (const uint8_t *last = at + size; at < last;) {
        const uint8_t *end = memchr(at, '\f', (size_t)(last - at));
        if (!end) end = last;
        const uint8_t *equals = memchr(at, '=', (size_t)(end - at));
        Entity *entity = table_find(&dtd_of(p)->entities, at, (size_t)(end - at));
        if (equals && !take_binding(p, at, equals, end)) return false;
        if (!equals && entity) entity->is_open = true;
        at = end + (end < last);
    }
    return true;
}
