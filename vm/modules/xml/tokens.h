// The tokens of XML. A Scan reads one token of a text, which may end in the middle of it.
//
//     Scan scan = {at, end, namespaces};
//     Token token = content_token(&scan);      the next token begins at scan.at
//
// A token that is no token leaves scan.at where it is wrong. TOKEN_PARTIAL and what precedes
// TOKEN_WAITS in the enum need the text that follows; `scan.open` says that a token is there, and
// that it might be longer if there were more text.
#pragma once

#include "vm/modules/xml/characters.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum Token {
    TOKEN_NONE,              // there is no text
    TOKEN_PARTIAL,           // it ends within a token
    TOKEN_PARTIAL_CHARACTER, // ... and within a character
    TOKEN_TRAILING_CR,       // a CR ends it, which LF may follow
    TOKEN_TRAILING_BRACKETS, // ] or ]] ends it
    TOKEN_INVALID,
    // in content
    TOKEN_START_TAG,
    TOKEN_EMPTY_TAG,
    TOKEN_END_TAG,
    TOKEN_TEXT,    // without line ends
    TOKEN_NEWLINE, // CR, LF or both
    TOKEN_ENTITY,
    TOKEN_CHARACTER_REFERENCE,
    TOKEN_CDATA_OPEN,
    TOKEN_CDATA_CLOSE,
    TOKEN_VALUE_SPACE, // a space or tab of an attribute's value
    // anywhere
    TOKEN_COMMENT,
    TOKEN_INSTRUCTION,
    TOKEN_XML_DECLARATION,
    // in the prolog
    TOKEN_INSTANCE_START, // the "<" of the first tag, which the token does not contain
    TOKEN_SPACE,
    TOKEN_DECLARATION_OPEN, // <!NAME
    TOKEN_DECLARATION_CLOSE,
    TOKEN_NAME,
    TOKEN_PREFIXED_NAME, // with namespaces only
    TOKEN_NMTOKEN,
    TOKEN_NAME_OPTIONAL, // NAME?
    TOKEN_NAME_ANY,      // NAME*
    TOKEN_NAME_SOME,     // NAME+
    TOKEN_POUND_NAME,    // #NAME
    TOKEN_LITERAL,
    TOKEN_PERCENT,
    TOKEN_PARAMETER_ENTITY,
    TOKEN_OPEN_BRACKET,
    TOKEN_CLOSE_BRACKET,
    TOKEN_OPEN_PAREN,
    TOKEN_CLOSE_PAREN,
    TOKEN_CLOSE_OPTIONAL, // )?
    TOKEN_CLOSE_ANY,      // )*
    TOKEN_CLOSE_SOME,     // )+
    TOKEN_COMMA,
    TOKEN_OR,
    TOKEN_SECTION_OPEN,  // <![
    TOKEN_SECTION_CLOSE, // ]]>
    TOKEN_IGNORED,       // what a section IGNORE holds, with its end
} Token;

typedef struct Scan {
    const uint8_t *at, *end;
    bool namespaces; // a name has at most one colon, between two names
    bool open;
} Scan;

// Does more text decide what the token is?
static inline bool token_waits(Token token)
{
    return token < TOKEN_INVALID;
}

Token content_token(Scan *scan);
Token cdata_token(Scan *scan);
Token prolog_token(Scan *scan);
Token ignored_token(Scan *scan);
// Of the text of an attribute's value, or of an entity's, without quotes.
Token attribute_value_token(Scan *scan);
Token entity_value_token(Scan *scan);

// ---- the parts (token_parts.c): each begins after what its comment names

// Ends the token where it cannot go on.
static inline Token refuse(const Scan *scan)
{
    return scan->at == scan->end ? TOKEN_PARTIAL : TOKEN_INVALID;
}
static inline bool next_is(const Scan *scan, uint8_t byte)
{
    return scan->at < scan->end && *scan->at == byte;
}
// Goes past the white space that begins here.
static inline void skip_space(Scan *scan)
{
    while (scan->at < scan->end && is_xml_space(*scan->at)) scan->at++;
}
// TOKEN_NAME: goes past the name that begins here, which may end with the text. Else what refuses.
Token scan_name(Scan *scan);
Token scan_name_rest(Scan *scan); // the same of what follows its first character
// The same with a colon between two names, where there are namespaces.
Token scan_qualified_name(Scan *scan);
// A character that a document may contain; TOKEN_TEXT: goes past it.
Token scan_character(Scan *scan);
Token scan_reference(Scan *scan);   // after "&"
Token scan_instruction(Scan *scan); // after "<?"
Token scan_comment(Scan *scan);     // after "<!-"
// After "%": a reference, or the sign alone.
Token scan_percent(Scan *scan);
