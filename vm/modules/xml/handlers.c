// The handlers of a parser: what they are called with, and what becomes of what they raise.
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/modules/xml/xml_parser.h"

// ---- arguments

Value text_of(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    return parser_checked(p, str_from_utf8((const char *)at, (size_t)(end - at)));
}

Value text_with_newlines(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    if (!memchr(at, '\r', (size_t)(end - at))) return text_of(p, at, end);
    BytesOut out = {0};
    for (; at < end; at++) {
        if (*at == '\r' && at + 1 < end && at[1] == '\n') at++;
        bytes_out_byte(&out, *at == '\r' ? '\n' : *at);
    }
    Value text = out.failed ? raise_memory_error() : str_from_utf8((char *)out.bytes, out.size);
    bytes_out_free(&out);
    return parser_checked(p, text);
}

Value or_none(ValueRef value)
{
    return value ? retain(value) : NONE;
}

Value interned(XmlParser *p, Value text)
{
    if (!text || text == NONE) return NONE;
    Value one = parser_checked(p, dict_set_default(p->intern, text, text));
    drop(text);
    return one;
}

// ---- calls

static Value call(XmlParser *p, Handler handler, Value *args, size_t count)
{
    bool complete = !p->raised;
    for (size_t i = 0; i < count; i++) complete = complete && args[i];
    Value result = VALUE_ERROR;
    if (complete) tell_kept_text(p);
    if (complete && has_handler(p, handler)) {
        Value function = retain(p->handlers[handler]);
        p->is_in_handler = true;
        result = parser_checked(p, object_call(function, lend(args), count, 0));
        p->is_in_handler = false;
        drop(function);
    }
    for (size_t i = 0; i < count; i++) drop(args[i]);
    return result;
}

void tell(XmlParser *p, Handler handler, Value *args, size_t count)
{
    drop(call(p, handler, args, count));
}

bool ask(XmlParser *p, Handler handler, Value *args, size_t count)
{
    Value answer = call(p, handler, args, count);
    int number = 1;
    if (answer && !argument_int(answer, &number)) parser_fail(p);
    drop(answer);
    return number && !p->raised;
}

// ---- text

static void call_with_text(XmlParser *p, const uint8_t *at, size_t size)
{
    if (!has_handler(p, ON_TEXT)) return;
    Value function = retain(p->handlers[ON_TEXT]), text = text_of(p, at, at + size);
    p->is_in_handler = true;
    if (text) drop(parser_checked(p, object_call_one(function, text)));
    p->is_in_handler = false;
    drop(text);
    drop(function);
}

// The handler may set buffer_text or buffer_size: the buffer is empty by then.
void tell_kept_text(XmlParser *p)
{
    if (!p->buffer.size || p->raised) return;
    BytesOut kept = p->buffer;
    p->buffer = (BytesOut){0};
    call_with_text(p, kept.bytes, kept.size);
    if (p->buffer.bytes)
        bytes_out_free(&kept);
    else
        p->buffer = (BytesOut){kept.bytes, 0, kept.capacity, false};
}

static void keep_text(XmlParser *p, const uint8_t *at, size_t size)
{
    size_t most = (size_t)p->buffer_size;
    if (p->buffer.size + size > most) {
        tell_kept_text(p);
        if (!has_handler(p, ON_TEXT)) return;
    }
    if (size > most) {
        call_with_text(p, at, size);
        return;
    }
    bytes_out_add(&p->buffer, at, size);
    if (!p->buffer.failed) return;
    p->buffer.failed = false;
    raise_memory_error();
    parser_fail(p);
}

static void pass_text(XmlParser *p, const uint8_t *at, size_t size)
{
    if (p->raised || p->drops_text) return;
    if (p->keeps_text)
        keep_text(p, at, size);
    else
        call_with_text(p, at, size);
}

static void pass_default(XmlParser *p, const uint8_t *at, size_t size)
{
    Value raw[] = {text_of(p, at, at + size)};
    tell(p, p->default_handler, raw, 1);
}

// A document that is not in UTF-8 is converted in pieces of so many bytes, each of which is told.
#define PIECE_MOST 1024

static void in_pieces(XmlParser *p, const uint8_t *at, const uint8_t *end,
                      void (*pass)(XmlParser *, const uint8_t *, size_t))
{
    bool converts = in_document(p) && p->input.converts;
    while (converts && end - at > PIECE_MOST) {
        const uint8_t *piece = at + PIECE_MOST;
        while ((*piece & 0xC0) == 0x80) piece--;
        pass(p, at, (size_t)(piece - at));
        p->event += (size_t)(piece - at);
        at = piece;
    }
    pass(p, at, (size_t)(end - at));
}

bool wants_text(const XmlParser *p)
{
    return has_handler(p, ON_TEXT) || p->drops_text;
}

void tell_text(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    in_pieces(p, at, end, pass_text);
}

void tell_default(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    if (p->has_default && !p->raised) in_pieces(p, at, end, pass_default);
}

// ---- what occurs everywhere

void tell_instruction(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    if (!has_handler(p, ON_INSTRUCTION)) {
        tell_default(p, at, end);
        return;
    }
    Scan scan = {at + 2, end - 2, false, false};
    const uint8_t *target = scan.at;
    scan_name(&scan);
    const uint8_t *target_end = scan.at;
    skip_space(&scan);
    Value args[] = {interned(p, text_of(p, target, target_end)),
                    text_with_newlines(p, scan.at, end - 2)};
    tell(p, ON_INSTRUCTION, args, 2);
}

void tell_comment(XmlParser *p, const uint8_t *at, const uint8_t *end)
{
    if (!has_handler(p, ON_COMMENT)) {
        tell_default(p, at, end);
        return;
    }
    Value args[] = {text_with_newlines(p, at + 4, end - 3)};
    tell(p, ON_COMMENT, args, 1);
}

// ---- setting them

void clear_handlers(XmlParser *p)
{
    p->has_default = p->drops_text = false;
    for (int i = 0; i < HANDLER_COUNT; i++) drop_slot(&p->handlers[i]);
}

// None takes it away. While a handler runs, text that would then be for the default handler is
// dropped, as in CPython.
void set_handler(XmlParser *p, Handler handler, ValueRef function)
{
    bool is_given = function != NONE;
    if (handler == ON_TEXT) {
        tell_kept_text(p);
        p->drops_text = !is_given && p->is_in_handler;
    }
    if (handler == ON_DEFAULT || handler == ON_DEFAULT_EXPAND) {
        p->has_default = is_given;
        p->default_handler = handler;
        if (handler == ON_DEFAULT)
            p->expands = false;
        else if (is_given)
            p->expands = true;
    }
    replace_slot(&p->handlers[handler], is_given ? retain(function) : VALUE_ERROR);
}
