// A parser of XML 1.0 that does not validate: the type pyexpat.xmlparser, with the events, errors
// and positions of expat 2.5.
//
//     Parse(bytes)  xmlparser.c   xml_input.h: bytes to text
//     parser_run()  xml_run.c         one token after the other: prolog.c, content.c
//         tokens    tokens.h          roles of the prolog: prolog_roles.h
//         tags      tag_attributes.c  names and namespaces: namespaces.c
//         <!...     declarations.c    what they say is kept in dtd.h
//         &name;    entities.c        its text is a Source on a stack: no document recurses
//     handlers.c    what a handler of the script is called with
//
// A step returns a Status: 0, an XmlError, or WAITS where the token goes on beyond the text. An
// exception (of a handler, or MemoryError) is no Status: parser_fail() keeps it, takes all handlers
// away and stops the parser, which ends when the step does.
//
// While a handler runs, the script may do anything but call Parse() of the same parser. So the
// text, the stacks and the tables of this parser do not move meanwhile, but its handlers and
// settings may change, and so may the Dtd, by way of another parser.
#pragma once

#include "objects/call.h"
#include "objects/error.h"
#include "vm/modules/xml/dtd.h"
#include "vm/modules/xml/prolog_roles.h"
#include "vm/modules/xml/xml_input.h"

typedef enum XmlError {
    XML_OK,
#define ERROR(name, message) XML_##name,
#include "vm/modules/xml/errors.def"
#undef ERROR
    XML_ERROR_COUNT
} XmlError;
typedef int Status;
#define WAITS (-1)

typedef enum Handler {
#define HANDLER(name, attribute) ON_##name,
#include "vm/modules/xml/handlers.def"
#undef HANDLER
    HANDLER_COUNT
} Handler;

typedef enum Phase {
    PHASE_PROLOG,
    PHASE_CONTENT,
    PHASE_CDATA,
    PHASE_EPILOG,
    PHASE_IGNORED, // in a section IGNORE
    PHASE_VALUE,   // the text is part of the value of an entity
} Phase;
typedef enum ParameterParsing {
    PARSE_NEVER,
    PARSE_UNLESS_STANDALONE,
    PARSE_ALWAYS
} ParameterParsing;

// A text that is being parsed: the document, or what an entity stands for.
typedef struct Source {
    const uint8_t *bytes;
    size_t at, size;
    Entity *entity;   // NULL = the document
    size_t tags;      // how many were open where it began
    bool is_separate; // a parameter entity between declarations, not within one
} Source;

typedef struct Binding Binding;

// A name of an element, an attribute or a prefix.
typedef struct Name {
    Keyed key;
    Value text;          // as handlers get it, 0 = none has yet
    struct Name *prefix; // what precedes the colon; of `xmlns` the name of no characters; else NULL
    bool is_split;       // `prefix` and `is_binding` are known
    bool is_binding;     // xmlns or xmlns:prefix
    Binding *binding;    // of this name as a prefix
    Value uri, expanded; // the last namespace it was in, and the name with that
    uint64_t tag;        // the number of the last tag that has it as an attribute
} Name;

// xmlns:prefix="uri", from its start tag to the end tag.
struct Binding {
    Name *prefix;
    Value uri;       // "" = the default namespace is none
    Binding *hidden; // what it hides
    Binding *next;   // of the same tag
};

typedef struct Tag {
    Name *name;
    Value text; // as handlers get the name
    Binding *bindings;
} Tag;

typedef struct Attribute {
    Name *name;
    Value text, value;
} Attribute;

typedef struct Group { // of a content model
    uint8_t separator; // ',' '|' or 0
    int type;
    Value children; // a list; 0 = nobody wants the model
} Group;

// The declaration that is being read. The Values are strs, or 0.
typedef struct Declaration {
    Value doctype, doctype_public, doctype_system;
    bool has_external_subset;
    Entity *entity; // NULL = it is not kept
    Value notation, notation_public;
    ElementType *element;
    Value attribute; // bytes
    bool is_cdata, is_id;
    BytesOut type; // of the attribute
    Group *groups;
    size_t group_count, group_room;
    bool wants_model;
} Declaration;

typedef struct XmlParser {
    Object base;
    Value handlers[HANDLER_COUNT]; // 0 = none
    Value intern;                  // a dict: equal names are one str
    Value dtd;
    Value root; // the parser of the document; 0 = this one
    Value url;  // SetBase()
    Input input;
    bool is_forced; // the encoding was given
    Value encoding; // its name, a str; 0 = none was

    Phase phase;
    Prolog prolog;
    Source *sources; // the first is the document
    size_t depth, source_room;
    Tag *tags;
    size_t tag_count, tag_room;
    Attribute *attributes; // of the tag that is read
    size_t attribute_count, attribute_room, specified_count;
    uint64_t tag_number;
    Table names;
    Declaration declaration;
    BytesOut scratch;         // a value that is being put together
    size_t event;             // the index in the document of the token whose handler is called
    int64_t direct, expanded; // bytes of tokens of the document, and of entities

    bool has_namespaces, has_triplets;
    bool has_braces;    // the name in a namespace is {namespace}local: for xml.etree
    uint32_t separator; // between namespace and name; 0 = none
    ParameterParsing parameter_parsing;
    bool uses_foreign_dtd, is_external, is_parameter;
    bool expands; // entities within the document, though there is a default handler
    Handler default_handler;
    bool has_default, drops_text;
    bool has_token; // one was taken: no declaration may come any more
    bool is_running, is_final, has_begun, is_finished, is_stopped, is_in_handler;
    XmlError wrong; // what stopped the parser
    int error_code;
    Value raised; // the exception that did

    bool ordered_attributes, specified_attributes, namespace_prefixes;
    bool keeps_text; // buffer_text
    int buffer_size;
    BytesOut buffer;
} XmlParser;

extern Type xmlparser_type;

static inline XmlParser *as_parser(ValueRef value)
{
    return (XmlParser *)object_of(value);
}
static inline Dtd *dtd_of(const XmlParser *p)
{
    return as_dtd(p->dtd);
}
static inline Source *source_of(const XmlParser *p)
{
    return &p->sources[p->depth - 1];
}
static inline bool in_document(const XmlParser *p)
{
    return p->depth == 1;
}
static inline bool has_more(const XmlParser *p)
{
    return p->depth == 1 && !p->is_final;
}

// ---- xml_run.c

// Parses what there is of the text. 0, or what is wrong.
XmlError parser_run(XmlParser *p);
// A token that is no token: what is wrong, or WAITS.
Status refused(XmlParser *p, Token token, const Scan *scan);
// The document ends with bytes that are no whole character.
Status half_character(const XmlParser *p);
// Sets where an error is, unless it is in an entity: then it is where that was referred to.
void parser_points_at(XmlParser *p, const uint8_t *at);
// Counts a token. XML_AMPLIFICATION where entities make far more of a document than it is.
Status parser_count(XmlParser *p, size_t size, bool is_expanded);
// Keeps the pending exception, and stops.
void parser_fail(XmlParser *p);
// An exception pending ends in parser_fail(); the value goes through.
Value parser_checked(XmlParser *p, Value value);
// Room for one more item of a stack. False: the parser has failed.
bool parser_room(XmlParser *p, void **items, size_t count, size_t *room, size_t size);

// ---- handlers.c

static inline bool has_handler(const XmlParser *p, Handler handler)
{
    return p->handlers[handler];
}
// Calls a handler if there is one, and drops the arguments. One that is 0 stands for a failure.
void tell(XmlParser *p, Handler handler, Value *args, size_t count);
// The same: is the answer, an int, not 0?
bool ask(XmlParser *p, Handler handler, Value *args, size_t count);
// Text for its handler, and a part of a document for the default handler.
void tell_text(XmlParser *p, const uint8_t *at, const uint8_t *end);
void tell_default(XmlParser *p, const uint8_t *at, const uint8_t *end);
// The text that has been kept (buffer_text).
void tell_kept_text(XmlParser *p);
bool wants_text(const XmlParser *p);
void set_handler(XmlParser *p, Handler handler, ValueRef function);
void clear_handlers(XmlParser *p);
Value text_of(XmlParser *p, const uint8_t *at, const uint8_t *end);
// What the script's dict has for the text, which may be anything: for handlers alone. Steals; None
// for 0.
Value interned(XmlParser *p, Value text);
Value or_none(ValueRef value);
// With the line ends of XML.
Value text_with_newlines(XmlParser *p, const uint8_t *at, const uint8_t *end);
// <?target data?> and <!--text-->, told or passed on.
void tell_instruction(XmlParser *p, const uint8_t *at, const uint8_t *end);
void tell_comment(XmlParser *p, const uint8_t *at, const uint8_t *end);

// ---- namespaces.c

Name *name_of(XmlParser *p, const uint8_t *bytes, size_t size);
Value name_text(XmlParser *p, Name *name);
// The name in its namespace. XML_UNBOUND_PREFIX.
Status name_expand(XmlParser *p, Name *name, bool is_element, Value *text);
Status namespaces_bind(XmlParser *p, Name *prefix, ValueRef uri, Binding **bindings, bool tells);
void namespaces_unbind(XmlParser *p, Binding *bindings);
void names_free(XmlParser *p);
// What ExternalEntityRefHandler gets, and a parser for the entity is made with.
Value context_of(XmlParser *p);
bool take_context(XmlParser *p, ValueRef context);

// ---- tag_attributes.c

// Reads the attributes of the start tag at..end into p->attributes, and binds what they bind.
Status read_attributes(XmlParser *p, Name *element, const uint8_t *at, const uint8_t *end,
                       Binding **bindings);
void forget_attributes(XmlParser *p);
// The value at..end of an attribute; `is_declared`: it is a default.
Status read_value(XmlParser *p, bool is_cdata, bool is_declared, const uint8_t *at,
                  const uint8_t *end, Value *value);

// ---- entities.c

// The code point of &#...;, -1 = it is no character.
int64_t referred_character(const uint8_t *at, const uint8_t *end);
// The character of &lt; and the like, 0 = another entity.
char predefined_entity(const uint8_t *at, const uint8_t *end);
Status open_entity(XmlParser *p, Entity *entity, bool is_separate);
void close_entity(XmlParser *p);
// Asks ExternalEntityRefHandler; `context` is stolen.
Status ask_for_entity(XmlParser *p, Value context, ValueRef base, ValueRef system, ValueRef public);
// The value at..end of an entity's declaration, with what it refers to, is added to dtd->value.
Status read_entity_value(XmlParser *p, const uint8_t *at, const uint8_t *end);
Status check_standalone(XmlParser *p);

// ---- prolog.c, declarations.c, content.c: one token

Status prolog_step(XmlParser *p);
Status ignored_step(XmlParser *p);
Status value_step(XmlParser *p);
Status epilog_step(XmlParser *p);
Status content_step(XmlParser *p);
Status cdata_step(XmlParser *p);
// <?xml ...?>; `is_text`: at the beginning of an external entity.
Status read_xml_declaration(XmlParser *p, bool is_text, const uint8_t *at, const uint8_t *end);
// What a token of a declaration says. *quiet: it is not for the default handler.
Status declare(XmlParser *p, Role role, Token token, const uint8_t *at, const uint8_t *end,
               bool *quiet);
void declaration_free(Declaration *declaration);
// An id of PUBLIC "id", between its quotes, with its white space normalised. XML_PUBLICID.
Status read_public_id(XmlParser *p, const uint8_t *at, const uint8_t *end, Value *id);
