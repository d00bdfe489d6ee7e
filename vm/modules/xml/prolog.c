// The prolog, the document type declaration, and the references between declarations. See
// xml_parser.h; declarations.c has what the declarations say.
#include "objects/bytes/bytes.h"
#include "objects/text/str.h"
#include "vm/modules/xml/xml_parser.h"

// ---- the external subset

static Value literal_text(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    return text_of(p, at + 1, end - 1);
}

// Asks for the subset that the declaration names, or that the script says there is.
static Status ask_for_subset(XmlParser *p, bool is_named)
{
    Dtd *dtd = dtd_of(p);
    bool had_references = dtd->has_parameter_references;
    dtd->has_parameter_references = true;
    if (p->parameter_parsing == PARSE_NEVER || !has_handler(p, ON_EXTERNAL_ENTITY)) return XML_OK;
    dtd->parameter_was_read = false;
    ValueRef base = p->uses_foreign_dtd ? p->url : dtd->subset_base;
    Status status = ask_for_entity(p, NONE, base, dtd->system, dtd->public);
    if (status) return status;
    if (dtd->parameter_was_read) return check_standalone(p);
    if (!is_named) dtd->has_parameter_references = had_references;
    return XML_OK;
}

static void tell_doctype(XmlParser *p, bool has_subset)
{
    Declaration *d = &p->declaration;
    if (!d->doctype) return;
    Value args[] = {d->doctype, or_none(d->doctype_system), or_none(d->doctype_public),
                    from_small(has_subset)};
    args[1] = interned(p, args[1]);
    args[2] = interned(p, args[2]);
    d->doctype = VALUE_ERROR;
    tell(p, ON_START_DOCTYPE, args, 4);
}

static Status take_doctype_close(XmlParser *p, bool *quiet)
{
    Declaration *d = &p->declaration;
    if (!in_document(p)) return XML_INVALID_TOKEN; // an entity cannot end the declaration
    *quiet = d->doctype != VALUE_ERROR;
    tell_doctype(p, false);
    Status status = XML_OK;
    if (d->has_external_subset || p->uses_foreign_dtd)
        status = ask_for_subset(p, d->has_external_subset);
    p->uses_foreign_dtd = false;
    if (!status && has_handler(p, ON_END_DOCTYPE)) {
        tell(p, ON_END_DOCTYPE, NULL, 0);
        *quiet = true;
    }
    return status;
}

static Status take_doctype_public(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    Declaration *d = &p->declaration;
    Value id = VALUE_ERROR;
    p->uses_foreign_dtd = false;
    dtd_of(p)->has_parameter_references = true;
    Status status = read_public_id(p, at + 1, end - 1, &id);
    if (status) return status;
    if (has_handler(p, ON_START_DOCTYPE)) {
        replace_slot(&d->doctype_public, or_none(id));
        *quiet = true;
    }
    replace_slot(&dtd_of(p)->public, id);
    return XML_OK;
}

static Status take_doctype_system(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    Declaration *d = &p->declaration;
    Dtd *dtd = dtd_of(p);
    p->uses_foreign_dtd = false;
    dtd->has_parameter_references = true;
    d->has_external_subset = true;
    replace_slot(&dtd->system, literal_text(p, at, end));
    replace_slot(&dtd->subset_base, p->url ? retain(p->url) : VALUE_ERROR);
    if (has_handler(p, ON_START_DOCTYPE)) {
        replace_slot(&d->doctype_system, literal_text(p, at, end));
        *quiet = true;
    }
    return p->parameter_parsing == PARSE_NEVER ? check_standalone(p) : XML_OK;
}

// The first tag: the document has no declaration of its type, but the script may have one.
static Status take_instance(XmlParser *p)
{
    p->phase = PHASE_CONTENT;
    Status status = p->uses_foreign_dtd ? ask_for_subset(p, false) : XML_OK;
    p->uses_foreign_dtd = false;
    return status;
}

// ---- %name;

// The reference names nothing that is known.
static void skip_parameter(XmlParser *p, Role role, const uint8_t *at, const uint8_t *end,
                           bool *quiet)
{
    dtd_of(p)->keeps = dtd_of(p)->is_standalone;
    if (role != ROLE_PARAMETER_ENTITY || !has_handler(p, ON_SKIPPED_ENTITY)) return;
    Value args[] = {interned(p, text_of(p, at + 1, end - 1)), from_small(1)};
    tell(p, ON_SKIPPED_ENTITY, args, 2);
    *quiet = true;
}

static Status ask_for_parameter(XmlParser *p, Entity *entity, bool *quiet)
{
    Dtd *dtd = dtd_of(p);
    if (!has_handler(p, ON_EXTERNAL_ENTITY)) {
        dtd->keeps = dtd->is_standalone;
        return XML_OK;
    }
    dtd->parameter_was_read = false;
    entity->is_open = true;
    Status status = ask_for_entity(p, NONE, entity->base, entity->system, entity->public);
    entity->is_open = false;
    *quiet = true;
    if (status) return status;
    if (dtd->parameter_was_read) return check_standalone(p);
    dtd->keeps = dtd->is_standalone;
    return XML_OK;
}

static Status take_parameter(XmlParser *p, Role role, const uint8_t *at, const uint8_t *end,
                             bool *quiet)
{
    Dtd *dtd = dtd_of(p);
    dtd->has_parameter_references = true;
    if (p->parameter_parsing == PARSE_NEVER) {
        dtd->keeps = dtd->is_standalone;
        return check_standalone(p);
    }
    Entity *entity = table_find(&dtd->parameters, at + 1, (size_t)(end - at - 2));
    bool must = !p->prolog.is_external && dtd->is_standalone && in_document(p);
    if (must && !entity) return XML_UNDEFINED_ENTITY;
    if (must && !entity->is_internal) return XML_ENTITY_DECLARED_IN_PE;
    if (!entity) {
        skip_parameter(p, role, at, end, quiet);
        return XML_OK;
    }
    if (entity->is_open) return XML_RECURSIVE_ENTITY_REF;
    if (!entity->text) return ask_for_parameter(p, entity, quiet);
    *quiet = true;
    return open_entity(p, entity, role == ROLE_PARAMETER_ENTITY);
}

// ---- tokens

static Status wrong_token(Token token)
{
    if (token == TOKEN_PARAMETER_ENTITY) return XML_PARAM_ENTITY_REF;
    return token == TOKEN_XML_DECLARATION ? XML_MISPLACED_XML_PI : XML_SYNTAX;
}

static Status take_doctype_name(XmlParser *p, const uint8_t *at, const uint8_t *end, bool *quiet)
{
    if (!has_handler(p, ON_START_DOCTYPE)) return XML_OK;
    replace_slot(&p->declaration.doctype, interned(p, text_of(p, at, end)));
    *quiet = true;
    return XML_OK;
}

static Status take(XmlParser *p, Role role, Token token, const uint8_t *at, const uint8_t *end,
                   bool *quiet)
{
    switch (role) {
    case ROLE_WRONG: return wrong_token(token);
    case ROLE_NOTHING: return XML_OK;
    case ROLE_XML_DECLARATION:
    case ROLE_TEXT_DECLARATION:
        *quiet = true;
        return read_xml_declaration(p, role == ROLE_TEXT_DECLARATION, at, end);
    case ROLE_INSTRUCTION:
        *quiet = true;
        tell_instruction(p, at, end);
        return XML_OK;
    case ROLE_COMMENT:
        *quiet = true;
        tell_comment(p, at, end);
        return XML_OK;
    case ROLE_DOCTYPE: *quiet = has_handler(p, ON_START_DOCTYPE); return XML_OK;
    case ROLE_DOCTYPE_NAME: return take_doctype_name(p, at, end, quiet);
    case ROLE_DOCTYPE_PUBLIC_ID: return take_doctype_public(p, at, end, quiet);
    case ROLE_DOCTYPE_SYSTEM_ID: return take_doctype_system(p, at, end, quiet);
    case ROLE_DOCTYPE_SUBSET:
        *quiet = p->declaration.doctype != VALUE_ERROR;
        tell_doctype(p, true);
        return XML_OK;
    case ROLE_DOCTYPE_CLOSE: return take_doctype_close(p, quiet);
    case ROLE_PARAMETER_ENTITY:
    case ROLE_INNER_PARAMETER_ENTITY: return take_parameter(p, role, at, end, quiet);
    case ROLE_SECTION_IGNORED:
        tell_default(p, at, end);
        *quiet = true;
        p->phase = PHASE_IGNORED;
        return XML_OK;
    default: return declare(p, role, token, at, end, quiet);
    }
}

// The text of a document ends, or that of an entity.
static Status take_end(XmlParser *p)
{
    const Source *source = source_of(p);
    if (has_more(p)) return WAITS;
    if (in_document(p) && p->input.raw.size) return half_character(p);
    if (in_document(p) && !p->is_parameter) return XML_NO_ELEMENTS;
    if (in_document(p) || source->is_separate) {
        const uint8_t *end = source->bytes + source->size;
        if (prolog_role(&p->prolog, TOKEN_NONE, end, end) == ROLE_WRONG) return XML_INCOMPLETE_PE;
    }
    if (in_document(p)) return WAITS;
    close_entity(p);
    return XML_OK;
}

Status prolog_step(XmlParser *p)
{
    Source *source = source_of(p);
    const uint8_t *at = source->bytes + source->at;
    Scan scan = {at, source->bytes + source->size, p->has_namespaces, false};
    Token token = prolog_token(&scan);
    if (token == TOKEN_NONE) return take_end(p);
    bool begins_subset = p->is_parameter && !p->has_token && !p->input.has_mark;
    if (token == TOKEN_INVALID && begins_subset) return XML_INVALID_TOKEN;
    if (token <= TOKEN_INVALID) return refused(p, token, &scan);
    if (scan.open && has_more(p)) return WAITS;
    Status status = parser_count(p, (size_t)(scan.at - at), !in_document(p));
    if (status) return status;
    Role role = prolog_role(&p->prolog, token, at, scan.at);
    if (role == ROLE_INSTANCE_START) return take_instance(p);
    source->at = (size_t)(scan.at - source->bytes);
    p->has_token = true;
    bool quiet = false;
    status = take(p, role, token, at, scan.at, &quiet);
    if (!status && !quiet) tell_default(p, at, scan.at);
    return status;
}

Status ignored_step(XmlParser *p)
{
    Source *source = source_of(p);
    const uint8_t *at = source->bytes + source->at;
    Scan scan = {at, source->bytes + source->size, p->has_namespaces, false};
    Token token = ignored_token(&scan);
    if (token_waits(token) && has_more(p)) return WAITS;
    if (token == TOKEN_PARTIAL) return XML_SYNTAX;
    if (token != TOKEN_IGNORED) return refused(p, token, &scan);
    Status status = parser_count(p, (size_t)(scan.at - at), !in_document(p));
    if (status) return status;
    source->at = (size_t)(scan.at - source->bytes);
    tell_default(p, at, scan.at);
    p->phase = PHASE_PROLOG;
    return XML_OK;
}

// The text of a parameter entity that the value of another one refers to. The value is being read
// while the parser is asked to parse; later there is nothing to add to.
Status value_step(XmlParser *p)
{
    Source *source = source_of(p);
    const uint8_t *at = source->bytes + source->at, *end = source->bytes + source->size;
    if (has_more(p) || at == end) return WAITS;
    Scan scan = {at, end, p->has_namespaces, false};
    bool is_first = !p->has_token;
    bool declares = is_first && prolog_token(&scan) == TOKEN_XML_DECLARATION;
    p->has_token = true;
    source->at = declares ? (size_t)(scan.at - source->bytes) : source->size;
    if (declares) return read_xml_declaration(p, true, at, scan.at);
    return dtd_of(p)->value ? read_entity_value(p, at, end) : XML_UNEXPECTED_STATE;
}
