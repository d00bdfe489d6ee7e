// What is always true of the containers, as conditions for an invariant(): each states the parts by
// its own invariants, and returns true. It takes time in proportion to the object.
#pragma once

#include "objects/object.h"

struct Dict;
struct List;
struct Set;

bool dict_is_sound(const struct Dict *dict);
bool list_is_sound(const struct List *list);
bool set_is_sound(const struct Set *set);
// The collector's lists, between two instructions. Calls look_at() for each tracked object. While a
// collection runs finalizers, nothing is looked at.
bool gc_is_sound(void (*look_at)(const Object *object));
