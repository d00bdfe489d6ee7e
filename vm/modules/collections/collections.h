// What collections_dict.c gives to the module _collections.
#pragma once

#include "objects/protocols/items.h"

extern Type defaultdict_type, ordered_dict_type, tuplegetter_type;
extern Type odict_keys_type, odict_values_type, odict_items_type, odict_iterator_type;

// _count_elements(mapping, iterable): what Counter is made of.
Value count_elements(FUNCTION_ARGS);
