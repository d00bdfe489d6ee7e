// What each token of the prolog stands for: the machine of prolog.def.
#pragma once

#include "vm/modules/xml/tokens.h"

#include <stddef.h>

typedef enum PrologState {
#define STATE(name, quiet) IN_##name,
#define ROLE(state, token, word, next, role)
#include "vm/modules/xml/prolog.def"
#undef STATE
#undef ROLE
} PrologState;

typedef enum Role {
    ROLE_WRONG,
    ROLE_NOTHING,
    ROLE_XML_DECLARATION,
    ROLE_TEXT_DECLARATION,
    ROLE_INSTRUCTION,
    ROLE_COMMENT,
    ROLE_INSTANCE_START,
    ROLE_DOCTYPE, // a part of it that says nothing; so are ENTITY, NOTATION, ATTLIST, ELEMENT
    ROLE_DOCTYPE_NAME,
    ROLE_DOCTYPE_PUBLIC_ID,
    ROLE_DOCTYPE_SYSTEM_ID,
    ROLE_DOCTYPE_SUBSET,
    ROLE_DOCTYPE_CLOSE,
    ROLE_PARAMETER_ENTITY,
    ROLE_INNER_PARAMETER_ENTITY, // within a declaration
    ROLE_SECTION_INCLUDED,
    ROLE_SECTION_IGNORED,
    ROLE_SECTION_END,
    ROLE_TEXT_END,
    ROLE_ENTITY,
    ROLE_ENTITY_NAME,
    ROLE_PARAMETER_NAME,
    ROLE_ENTITY_VALUE,
    ROLE_ENTITY_PUBLIC_ID,
    ROLE_ENTITY_SYSTEM_ID,
    ROLE_ENTITY_COMPLETE,
    ROLE_ENTITY_NOTATION,
    ROLE_NOTATION,
    ROLE_NOTATION_NAME,
    ROLE_NOTATION_PUBLIC_ID,
    ROLE_NOTATION_SYSTEM_ID,
    ROLE_NOTATION_COMPLETE,
    ROLE_ATTLIST,
    ROLE_ATTLIST_ELEMENT,
    ROLE_ATTRIBUTE_NAME,
    ROLE_ATTRIBUTE_TYPE,
    ROLE_ATTRIBUTE_WORD,
    ROLE_ATTRIBUTE_NOTATION,
    ROLE_ATTRIBUTE_IMPLIED,
    ROLE_ATTRIBUTE_REQUIRED,
    ROLE_ATTRIBUTE_DEFAULT,
    ROLE_ATTRIBUTE_FIXED,
    ROLE_ELEMENT,
    ROLE_ELEMENT_NAME,
    ROLE_CONTENT_EMPTY,
    ROLE_CONTENT_ANY,
    ROLE_CONTENT_TEXT,
    ROLE_CONTENT_NAME,
    ROLE_GROUP_OPEN,
    ROLE_GROUP_CLOSE,
    ROLE_GROUP_COMMA,
    ROLE_GROUP_OR,
} Role;

typedef struct Prolog {
    PrologState state;
    bool is_external; // declarations that are not in the document: they may hold references
    size_t groups;    // open ones of a content model
    size_t sections;  // open sections INCLUDE
} Prolog;

// The role of a token, whose text is at..end.
Role prolog_role(Prolog *prolog, Token token, const uint8_t *at, const uint8_t *end);
