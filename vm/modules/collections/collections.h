// The part of the module _collections that is in collections_dict.c, and deques for observers.
#pragma once

#include "objects/protocols/items.h"

extern Type defaultdict_type, ordered_dict_type, tuplegetter_type;
extern Type odict_keys_type, odict_values_type, odict_items_type, odict_iterator_type;

bool deque_check(ValueRef value); // or of a subclass
ssize_t deque_size(ValueRef deque);
ValueRef deque_at(ValueRef deque, ssize_t index); // borrowed

// _count_elements(mapping, iterable), for Counter.
Value count_elements(FUNCTION_ARGS);
