// The loop of a parser over the tokens of a document, and how it stops. See xml_parser.h.
#include "objects/memory.h"
#include "objects/upcalls.h"
#include "vm/modules/xml/xml_parser.h"

// ---- stopping

void parser_fail(XmlParser *p)
{
    Value error = error_take();
    if (p->raised)
        drop(error);
    else
        p->raised = error;
    p->is_stopped = p->is_finished = true;
    clear_handlers(p);
}

Value parser_checked(XmlParser *p, Value value)
{
    if (!value) parser_fail(p);
    return value;
}

bool parser_room(XmlParser *p, void **items, size_t count, size_t *room, size_t size)
{
    if (count < *room) return true;
    size_t wanted = *room ? *room * 2 : 8;
    void *grown = wanted < SIZE_MAX / size ? memory_resize(*items, wanted * size) : NULL;
    if (!grown) {
        raise_memory_error();
        parser_fail(p);
        return false;
    }
    *items = grown;
    *room = wanted;
    return true;
}

void parser_points_at(XmlParser *p, const uint8_t *at)
{
    if (in_document(p)) p->event = (size_t)(at - p->sources[0].bytes);
}

Status refused(XmlParser *p, Token token, const Scan *scan)
{
    if (token == TOKEN_INVALID) {
        parser_points_at(p, scan->at);
        return XML_INVALID_TOKEN;
    }
    if (has_more(p)) return WAITS;
    return token == TOKEN_PARTIAL_CHARACTER ? XML_PARTIAL_CHAR : XML_UNCLOSED_TOKEN;
}

// Half of a UTF-16 unit, or of a pair of them; or part of a byte order mark.
Status half_character(const XmlParser *p)
{
    return p->input.raw.size == 1 || !p->has_token ? XML_UNCLOSED_TOKEN : XML_PARTIAL_CHAR;
}

// ---- entities that grow without bound

#define AMPLIFICATION_BEGINS 8388608 // bytes: less is never too much
#define AMPLIFICATION_MOST 100       // times the document

Status parser_count(XmlParser *p, size_t size, bool is_expanded)
{
    XmlParser *root = p->root ? as_parser(p->root) : p;
    if (is_expanded)
        root->expanded += (int64_t)size;
    else
        root->direct += (int64_t)size;
    int64_t total = root->direct + root->expanded;
    if (total <= AMPLIFICATION_BEGINS || !root->direct) return XML_OK;
    return (double)total / (double)root->direct > AMPLIFICATION_MOST ? XML_AMPLIFICATION : XML_OK;
}

// ---- the loop

static Status step(XmlParser *p)
{
    switch (p->phase) {
    case PHASE_PROLOG: return prolog_step(p);
    case PHASE_CONTENT: return content_step(p);
    case PHASE_CDATA: return cdata_step(p);
    case PHASE_EPILOG: return epilog_step(p);
    case PHASE_IGNORED: return ignored_step(p);
    case PHASE_VALUE: return value_step(p);
    }
    return XML_UNEXPECTED_STATE;
}

// The first token was taken: no declaration of an encoding can come any more.
static bool settle(XmlParser *p)
{
    Input *input = &p->input;
    if (input->is_settled || !p->sources[0].at) return true;
    input_settle(input);
    if (!input_convert(input, p->is_final)) return false;
    p->sources[0].bytes = input->text.bytes;
    p->sources[0].size = input->text.size;
    return true;
}

XmlError parser_run(XmlParser *p)
{
    while (!p->is_stopped) {
        if (!settle(p) || !poll_signals()) {
            parser_fail(p);
            break;
        }
        if (in_document(p)) p->event = p->sources[0].at;
        Status status = step(p);
        if (status == WAITS) return XML_OK;
        if (status) return (XmlError)status;
    }
    if (in_document(p) && p->phase != PHASE_PROLOG) p->event = p->sources[0].at;
    return XML_ABORTED;
}
