// The table of names, filled from names.def.
#include "objects/names.h"

#include "objects/text/str.h"

Value name_table[NAME_COUNT];

static const char *const texts[] = {
#define NAME_ROW(identifier) #identifier,
#include "objects/names.def"
#undef NAME_ROW
};

bool names_init(void)
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        name_table[i] = str_intern(texts[i]);
        if (!name_table[i]) return false;
    }
    return true;
}

void names_finish(void)
{
    for (size_t i = 0; i < NAME_COUNT; i++) drop_slot(&name_table[i]);
}
