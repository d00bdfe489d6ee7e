// A cell: the variable that a function shares with the functions inside it.
#pragma once

#include "objects/object.h"

typedef struct Cell {
    Object base;
    Value contents; // VALUE_ERROR = empty
} Cell;

extern Type cell_type;

static inline Cell *as_cell(ValueRef value)
{
    invariant(is_allocated(value) && is_exactly(value, &cell_type),
              "what is read as a cell is one");
    return (Cell *)object_of(value);
}
Value cell_new(ValueRef contents); // VALUE_ERROR = empty
