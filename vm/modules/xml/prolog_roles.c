// See prolog_roles.h.
#include "vm/modules/xml/prolog_roles.h"

#include <string.h>

typedef struct RoleRow {
    PrologState state;
    Token token;
    const char *word; // NULL = whatever it reads
    PrologState next;
    Role role;
} RoleRow;

static const RoleRow rows[] = {
#define STATE(name, quiet)
#define ROLE(state, token, word, next, role)                                                       \
    {IN_##state, TOKEN_##token, word, IN_##next, ROLE_##role},
#include "vm/modules/xml/prolog.def"
#undef STATE
#undef ROLE
};

static const Role quiet_roles[] = {
#define STATE(name, quiet) ROLE_##quiet,
#define ROLE(state, token, word, next, role)
#include "vm/modules/xml/prolog.def"
#undef STATE
#undef ROLE
};

static bool token_fits(const RoleRow *row, Token token)
{
    bool is_name = token >= TOKEN_NAME && token <= TOKEN_NMTOKEN;
    return row->token == token || (is_name && row->token <= TOKEN_NMTOKEN && row->token > token);
}

static bool reads(const uint8_t *at, const uint8_t *end, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(end - at) == size && memcmp(at, word, size) == 0;
}

static const RoleRow *find_row(PrologState state, Token token, const uint8_t *at,
                               const uint8_t *end)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].state == state && token_fits(&rows[i], token) &&
            (!rows[i].word || reads(at, end, rows[i].word)))
            return &rows[i];
    return NULL;
}

static Role wrong(Prolog *prolog)
{
    prolog->state = IN_WRONG;
    return ROLE_WRONG;
}

// What a role changes besides the state.
static Role enter(Prolog *prolog, Role role)
{
    switch (role) {
    case ROLE_SECTION_INCLUDED: prolog->sections++; return ROLE_NOTHING;
    case ROLE_SECTION_END:
        if (!prolog->sections) return wrong(prolog);
        prolog->sections--;
        return ROLE_NOTHING;
    case ROLE_TEXT_END: return prolog->sections ? wrong(prolog) : ROLE_NOTHING;
    case ROLE_ELEMENT_NAME: prolog->groups = 0; return role;
    case ROLE_GROUP_OPEN: prolog->groups++; return role;
    case ROLE_GROUP_CLOSE:
        if (--prolog->groups == 0) prolog->state = IN_ELEMENT_END;
        return role;
    default: return role;
    }
}

Role prolog_role(Prolog *prolog, Token token, const uint8_t *at, const uint8_t *end)
{
    bool is_beginning = prolog->state == IN_EXTERNAL_BEGINNING;
    const RoleRow *row = find_row(prolog->state, token, at, end);
    if (!row && is_beginning) {
        prolog->state = IN_EXTERNAL;
        row = find_row(IN_EXTERNAL, token, at, end);
    }
    if (!row && token == TOKEN_SPACE && prolog->state != IN_WRONG)
        return quiet_roles[prolog->state];
    if (!row && token == TOKEN_PARAMETER_ENTITY && prolog->is_external)
        return ROLE_INNER_PARAMETER_ENTITY;
    if (!row) return wrong(prolog);
    PrologState top = prolog->is_external ? IN_EXTERNAL : IN_INTERNAL;
    prolog->state = row->next == IN_TOP ? top : row->next;
    return enter(prolog, row->role);
}
