// The type pyexpat.xmlparser: its methods and attributes. See xml_parser.h.
#include "objects/bytes/buffer.h"
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "vm/modules/xml/pyexpat.h"

// ---- errors

static Position event_position(XmlParser *p)
{
    size_t at = p->event;
    return at < p->input.marked ? p->input.mark : input_position(&p->input, at);
}

static Value raise_expat_error(XmlParser *p, XmlError code)
{
    p->error_code = (int)code;
    Position position = event_position(p);
    pyexpat_raise(code, position.line, position.column);
    return VALUE_ERROR;
}

// What a handler has raised is raised by whatever was called last.
static bool give_raised(XmlParser *p)
{
    Value raised = p->raised;
    p->raised = VALUE_ERROR;
    if (raised) error_restore(raised);
    return !raised;
}

// ---- Parse

static bool begin(XmlParser *p)
{
    if (p->has_begun) return true;
    p->has_begun = true;
    if (p->is_parameter) dtd_of(p)->parameter_was_read = true;
    if (p->encoding) {
        const char *name = str_utf8(p->encoding, NULL);
        EncodingFound found = name ? input_force(&p->input, name) : FOUND_ERROR;
        if (found == FOUND_NOTHING) p->wrong = XML_UNKNOWN_ENCODING;
        if (found == FOUND_ERROR) return false;
    }
    p->is_forced = p->encoding;
    if (!p->has_namespaces || p->is_external) return true;
    Value context = str_new("xml=http://www.w3.org/XML/1998/namespace");
    bool done = context && take_context(p, context);
    drop(context);
    return done && give_raised(p);
}

// Parses what has come. What follows an error is the same error.
static bool run(XmlParser *p, bool is_final)
{
    input_forget(&p->input, p->sources[0].at);
    p->sources[0].at = p->event = 0;
    p->is_final = is_final;
    if (!input_convert(&p->input, is_final)) return false;
    p->sources[0].bytes = p->input.text.bytes;
    p->sources[0].size = p->input.text.size;
    p->is_running = true;
    if (!p->wrong) p->wrong = parser_run(p);
    if (!p->wrong) tell_kept_text(p);
    p->is_running = false;
    if (!give_raised(p)) return false;
    if (p->wrong) return raise_expat_error(p, p->wrong);
    p->is_finished = is_final;
    return true;
}

static Value parse(XmlParser *p, const void *bytes, size_t size, bool is_final)
{
    if (p->is_running)
        return raise_error(RuntimeError, "a handler may not call Parse() of its parser");
    if (p->is_finished) return raise_expat_error(p, XML_FINISHED);
    if (!begin(p)) {
        p->is_finished = true;
        return VALUE_ERROR;
    }
    if (p->wrong) return raise_expat_error(p, p->wrong);
    if (!input_feed(&p->input, bytes, size) || !run(p, is_final)) return VALUE_ERROR;
    return from_small(1);
}

static Value parse_text(XmlParser *p, ValueRef text, bool is_final)
{
    size_t size;
    const char *bytes = str_utf8(text, &size);
    if (!bytes) return VALUE_ERROR;
    if (!p->has_begun) {
        Value name = str_new("utf-8");
        if (!name) return VALUE_ERROR;
        replace_slot(&p->encoding, name);
    }
    return parse(p, bytes, size, is_final);
}

static Value parser_parse(ValueRef self, METHOD_ARGS)
{
    XmlParser *p = as_parser(self);
    int is_final = 0;
    if (nargs > 1 && !argument_int(args[1], &is_final)) return VALUE_ERROR;
    if (str_check(args[0])) return parse_text(p, args[0], is_final);
    Buffer buffer;
    if (!buffer_get(args[0], &buffer, false)) return VALUE_ERROR;
    Value result = parse(p, buffer.bytes, (size_t)buffer.size, is_final);
    buffer_release(&buffer);
    return result;
}

#define FILE_PIECE 2048

// One piece of a file: *size 0 at its end.
static bool parse_piece(XmlParser *p, ValueRef read, ssize_t *size)
{
    Value piece = object_call_one(read, from_small(FILE_PIECE)), result = VALUE_ERROR;
    bool is_bytes = piece && (bytes_check(piece) || bytearray_check(piece));
    Buffer buffer;
    if (piece && !is_bytes)
        raise_error(TypeError, "read() did not return a bytes object (type=%.400T)",
                    (ValueRef)piece);
    if (is_bytes && buffer_get(piece, &buffer, false)) {
        *size = buffer.size;
        if (buffer.size > FILE_PIECE)
            raise_error(ValueError,
                        "read() returned too much data: %d bytes requested, %zd returned",
                        FILE_PIECE, buffer.size);
        else
            result = parse(p, buffer.bytes, (size_t)buffer.size, !buffer.size);
        buffer_release(&buffer);
    }
    drop(piece);
    drop(result);
    return result;
}

static Value parser_parse_file(ValueRef self, METHOD_ARGS)
{
    Value name = str_intern("read");
    Value read = name ? object_get_optional(args[0], name) : VALUE_ERROR;
    drop(name);
    if (read == ABSENT) return raise_error(TypeError, "argument must have 'read' attribute");
    ssize_t size = read ? 1 : 0;
    bool ok = read;
    while (ok && size) ok = parse_piece(as_parser(self), read, &size);
    drop(read);
    return ok ? from_small(1) : VALUE_ERROR;
}

// ---- other methods

static Value parser_set_base(ValueRef self, METHOD_ARGS)
{
    if (!str_check(args[0]))
        return raise_error(TypeError, "SetBase() argument must be str, not %.50G", args[0]);
    replace_slot(&as_parser(self)->url, retain(args[0]));
    return NONE;
}

static Value parser_get_base(ValueRef self, METHOD_ARGS)
{
    return or_none(as_parser(self)->url);
}

static Value parser_get_input_context(ValueRef self, METHOD_ARGS)
{
    const XmlParser *p = as_parser(self);
    return p->is_in_handler ? input_rest(&p->input, p->event) : NONE;
}

static Value parser_set_parameter_parsing(ValueRef self, METHOD_ARGS)
{
    XmlParser *p = as_parser(self);
    int flag;
    if (!argument_int(args[0], &flag)) return VALUE_ERROR;
    if (p->has_begun) return from_small(0);
    p->parameter_parsing = (ParameterParsing)flag;
    return from_small(1);
}

static Value parser_use_foreign_dtd(ValueRef self, METHOD_ARGS)
{
    XmlParser *p = as_parser(self);
    bool flag = true;
    if (nargs && !object_truth(args[0], &flag)) return VALUE_ERROR;
    if (p->has_begun) return raise_expat_error(p, XML_CANT_CHANGE_FEATURE_ONCE_PARSING);
    p->uses_foreign_dtd = flag;
    return NONE;
}

// ---- making one

static Source document_source(void)
{
    return (Source){(const uint8_t *)"", 0, 0, NULL, 0, false};
}

// Steals the dtd.
static XmlParser *make(ValueRef encoding, ValueRef intern, Value dtd)
{
    XmlParser *p = dtd ? object_alloc(&xmlparser_type, 0) : NULL;
    Source *sources = p ? memory_alloc(sizeof *sources) : NULL;
    if (!sources) {
        if (p) raise_memory_error();
        drop(dtd);
        drop(own(p));
        return NULL;
    }
    sources[0] = document_source();
    p->sources = sources;
    p->depth = p->source_room = 1;
    p->dtd = dtd;
    p->intern = retain(intern);
    p->encoding = encoding && encoding != NONE ? retain(encoding) : VALUE_ERROR;
    p->buffer_size = 8192;
    p->expands = true;
    p->input.mark.line = 1;
    return p;
}

Value xmlparser_create(ValueRef encoding, ValueRef separator, ValueRef intern)
{
    Value names = intern && intern != NONE ? retain(intern) : dict_new();
    XmlParser *p = names ? make(encoding, names, dtd_new()) : NULL;
    drop(names);
    if (!p) return VALUE_ERROR;
    p->has_namespaces = separator && separator != NONE;
    if (p->has_namespaces && str_length(separator)) p->separator = str_at(as_str(separator), 0);
    return own(p);
}

static void copy_settings(XmlParser *made, const XmlParser *p)
{
    for (int i = 0; i < HANDLER_COUNT; i++)
        if (p->handlers[i]) made->handlers[i] = retain(p->handlers[i]);
    made->has_default = p->handlers[ON_DEFAULT] || p->handlers[ON_DEFAULT_EXPAND];
    made->default_handler = p->handlers[ON_DEFAULT_EXPAND] ? ON_DEFAULT_EXPAND : ON_DEFAULT;
    made->expands = p->expands;
    made->ordered_attributes = p->ordered_attributes;
    made->specified_attributes = p->specified_attributes;
    made->namespace_prefixes = p->namespace_prefixes;
    made->has_triplets = p->has_triplets;
    made->has_namespaces = p->has_namespaces;
    made->separator = p->separator;
    made->parameter_parsing = p->parameter_parsing;
    made->keeps_text = p->keeps_text;
    made->buffer_size = p->buffer_size;
}

static Value parser_create_for_entity(ValueRef self, METHOD_ARGS)
{
    XmlParser *p = as_parser(self);
    ValueRef context = args[0], encoding = nargs > 1 ? args[1] : VALUE_ERROR;
    if (context != NONE && !str_check(context))
        return raise_error(TypeError,
                           "ExternalEntityParserCreate() argument 1 must be str or None, not %.50G",
                           context);
    if (encoding && !str_check(encoding))
        return raise_error(TypeError,
                           "ExternalEntityParserCreate() argument 2 must be str, not %.50G",
                           encoding);
    Value dtd = context == NONE ? retain(p->dtd) : dtd_copy(dtd_of(p));
    XmlParser *made = make(encoding, p->intern, dtd);
    if (!made) return VALUE_ERROR;
    copy_settings(made, p);
    made->root = retain(p->root ? p->root : self);
    made->is_external = true;
    made->is_parameter = made->prolog.is_external = context == NONE;
    made->phase = context != NONE ? PHASE_CONTENT : dtd_of(p)->value ? PHASE_VALUE : PHASE_PROLOG;
    made->prolog.state = context == NONE ? IN_EXTERNAL_BEGINNING : IN_BEGINNING;
    if (context == NONE || (take_context(made, context) && give_raised(made))) return own(made);
    drop(own(made));
    return VALUE_ERROR;
}

// ---- life

static void xmlparser_traverse(Object *self, VisitFn visit, void *arg)
{
    XmlParser *p = (XmlParser *)self;
    visit_items(p->handlers, HANDLER_COUNT, visit, arg);
    visit_item(p->intern, visit, arg);
    visit_item(p->root, visit, arg);
    visit_item(p->raised, visit, arg);
}

// What may be part of a cycle. It is not used any more: nothing can call Parse().
static void xmlparser_clear(Object *self)
{
    XmlParser *p = (XmlParser *)self;
    clear_handlers(p);
    drop_slot(&p->raised);
    drop_slot(&p->root);
}

static void xmlparser_release(Object *self)
{
    XmlParser *p = (XmlParser *)self;
    xmlparser_clear(self);
    forget_attributes(p);
    memory_free(p->attributes);
    while (p->tag_count) drop_slot(&p->tags[--p->tag_count].text);
    memory_free(p->tags);
    memory_free(p->sources);
    names_free(p);
    declaration_free(&p->declaration);
    input_free(&p->input);
    bytes_out_free(&p->scratch);
    bytes_out_free(&p->buffer);
    drop_slot(&p->intern);
    drop_slot(&p->dtd);
    drop_slot(&p->url);
    drop_slot(&p->encoding);
}

// ---- attributes

static bool refuse_delete(ValueRef value)
{
    return value || raise_error(RuntimeError, "Cannot delete attribute");
}

// The handlers: a getter and a setter each, made from the table.
#define HANDLER(name, attribute)                                                                   \
    static Value get_##name(ValueRef self)                                                         \
    {                                                                                              \
        return or_none(as_parser(self)->handlers[ON_##name]);                                      \
    }                                                                                              \
    static bool set_##name(ValueRef self, ValueRef value)                                          \
    {                                                                                              \
        if (!refuse_delete(value)) return false;                                                   \
        set_handler(as_parser(self), ON_##name, value);                                            \
        return give_raised(as_parser(self));                                                       \
    }
#include "vm/modules/xml/handlers.def"
#undef HANDLER

// The flags, likewise.
#define FLAG(name)                                                                                 \
    static Value get_##name(ValueRef self)                                                         \
    {                                                                                              \
        return from_bool(as_parser(self)->name);                                                   \
    }                                                                                              \
    static bool set_##name(ValueRef self, ValueRef value)                                          \
    {                                                                                              \
        return refuse_delete(value) && object_truth(value, &as_parser(self)->name);                \
    }
FLAG(ordered_attributes)
FLAG(specified_attributes)
FLAG(namespace_prefixes)
#undef FLAG

static bool set_prefixes(ValueRef self, ValueRef value)
{
    XmlParser *p = as_parser(self);
    if (!set_namespace_prefixes(self, value)) return false;
    if (!p->has_begun) p->has_triplets = p->namespace_prefixes;
    return true;
}

static Value get_buffer_text(ValueRef self)
{
    return from_bool(as_parser(self)->keeps_text);
}

static bool set_buffer_text(ValueRef self, ValueRef value)
{
    XmlParser *p = as_parser(self);
    bool flag;
    if (!refuse_delete(value) || !object_truth(value, &flag)) return false;
    if (!flag) tell_kept_text(p);
    p->keeps_text = flag;
    return give_raised(p);
}

static Value get_buffer_size(ValueRef self)
{
    return from_small(as_parser(self)->buffer_size);
}

static bool set_buffer_size(ValueRef self, ValueRef value)
{
    XmlParser *p = as_parser(self);
    int64_t size;
    if (!refuse_delete(value)) return false;
    if (!int_check(value)) return raise_error(TypeError, "buffer_size must be an integer");
    if (!int_as_int64(value, &size)) return false;
    if (size <= 0) return raise_error(ValueError, "buffer_size must be greater than zero");
    if (size > INT32_MAX)
        return raise_error(ValueError, "buffer_size must not be greater than %d", INT32_MAX);
    tell_kept_text(p);
    p->buffer_size = (int)size;
    return give_raised(p);
}

static Value get_buffer_used(ValueRef self)
{
    return int_new((int64_t)as_parser(self)->buffer.size);
}

static Value get_error_code(ValueRef self)
{
    return from_small(as_parser(self)->error_code);
}

static Value get_line(ValueRef self)
{
    return int_new(event_position(as_parser(self)).line);
}

static Value get_column(ValueRef self)
{
    return int_new(event_position(as_parser(self)).column);
}

static Value get_byte(ValueRef self)
{
    XmlParser *p = as_parser(self);
    return int_new(p->has_begun ? event_position(p).byte : -1);
}

static const GetSetDef getset[] = {
#define HANDLER(name, attribute) {attribute, get_##name, set_##name, NULL},
#include "vm/modules/xml/handlers.def"
#undef HANDLER
    {"ErrorCode", get_error_code, NULL, NULL},
    {"ErrorLineNumber", get_line, NULL, NULL},
    {"ErrorColumnNumber", get_column, NULL, NULL},
    {"ErrorByteIndex", get_byte, NULL, NULL},
    {"CurrentLineNumber", get_line, NULL, NULL},
    {"CurrentColumnNumber", get_column, NULL, NULL},
    {"CurrentByteIndex", get_byte, NULL, NULL},
    {"buffer_size", get_buffer_size, set_buffer_size, NULL},
    {"buffer_text", get_buffer_text, set_buffer_text, NULL},
    {"buffer_used", get_buffer_used, NULL, NULL},
    {"namespace_prefixes", get_namespace_prefixes, set_prefixes, NULL},
    {"ordered_attributes", get_ordered_attributes, set_ordered_attributes, NULL},
    {"specified_attributes", get_specified_attributes, set_specified_attributes, NULL},
    {0},
};

static const MemberDef members[] = {
    {"intern", MEMBER_VALUE, offsetof(XmlParser, intern), true, NULL},
    {0},
};

static const MethodDef methods[] = {
    {"Parse", parser_parse, ARGS(1, 2),
     "Parse($self, data, isfinal=False, /)\n--\n\nParses data; isfinal: there is no more."},
    {"ParseFile", parser_parse_file, ONE_ARG,
     "ParseFile($self, file, /)\n--\n\nParses what file.read() gives."},
    {"SetBase", parser_set_base, ONE_ARG,
     "SetBase($self, base, /)\n--\n\nSets what the ids of entities are relative to."},
    {"GetBase", parser_get_base, NO_ARGS, "GetBase($self, /)\n--\n\nWhat SetBase() has set."},
    {"GetInputContext", parser_get_input_context, NO_ARGS,
     "GetInputContext($self, /)\n--\n\nThe input from the current event on."},
    {"ExternalEntityParserCreate", parser_create_for_entity, ARGS(1, 2),
     "A parser for the entity that ExternalEntityRefHandler was asked for."},
    {"SetParamEntityParsing", parser_set_parameter_parsing, ONE_ARG,
     "SetParamEntityParsing($self, flag, /)\n--\n\nAre external subsets and parameter entities "
     "parsed? 1: it is set."},
    {"UseForeignDTD", parser_use_foreign_dtd, ARGS(0, 1),
     "UseForeignDTD($self, flag=True, /)\n--\n\nAsks for an external subset though the document "
     "names none."},
    {0},
};

Type xmlparser_type = {
    STATIC_TYPE("pyexpat.xmlparser", sizeof(XmlParser)),
    .doc = "XML parser",
    .flags = TYPE_GC,
    .getset = getset,
    .members = members,
    .methods = methods,
    .release = xmlparser_release,
    .traverse = xmlparser_traverse,
    .clear = xmlparser_clear,
};
