// The identifiers that C code uses, interned at the start: NAME(__init__) is a borrowed str.
#pragma once

#include "objects/object.h"

typedef enum NameIndex {
#define NAME_ROW(identifier) NAME_INDEX_##identifier,
#include "objects/names.def"
#undef NAME_ROW
    NAME_COUNT
} NameIndex;

extern Value name_table[NAME_COUNT];
#define NAME(identifier) ((ValueRef)name_table[NAME_INDEX_##identifier])

bool names_init(void);
void names_finish(void);
