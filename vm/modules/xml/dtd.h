// What the declarations of a document say. A parser of an external subset shares the Dtd with the
// parser that asked for the subset; one of an external entity gets a copy.
//
// Entities stay where they are as long as the Dtd lives, so a pointer to one is kept while script
// code runs. The list of an element's attributes may grow meanwhile: it is read by index.
#pragma once

#include "objects/bytes/bytes_out.h"
#include "objects/type.h"
#include "vm/modules/xml/table.h"

typedef struct Entity {
    Keyed key;
    Value name; // the ids and names of an entity are strs, or 0
    Value text; // what it stands for, bytes in UTF-8; 0 = it is outside of the document
    Value base, system, public, notation;
    bool is_parameter;
    bool is_internal; // declared in the document, not in what it refers to
    bool is_open;     // its text is being parsed: a reference to it would not end
} Entity;

typedef struct DeclaredAttribute {
    Value name;  // bytes
    Value value; // the default, a str; 0 = none
    bool is_cdata;
} DeclaredAttribute;

typedef struct ElementType {
    Keyed key;
    Value name; // a str
    DeclaredAttribute *attributes;
    size_t count, room;
} ElementType;

typedef struct Dtd {
    Object base;
    Table entities, parameters, elements;
    Value public, system; // of the external subset, strs or 0
    Value subset_base;
    bool keeps;                 // declarations count: none was skipped that could say otherwise
    bool has_parameter_references;
    bool is_standalone;
    bool parameter_was_read;    // a parser was made for the parameter entity that is asked for
    BytesOut *value;            // of an entity that is being declared, which others may add to
} Dtd;

extern Type dtd_type;

Value dtd_new(void);
Value dtd_copy(const Dtd *dtd);
// The element of this name, made where there is none; NULL with MemoryError pending.
ElementType *dtd_element(Dtd *dtd, const uint8_t *name, size_t size);
// Declares an attribute, unless an earlier declaration says more. Borrows. MemoryError if false.
bool dtd_declare(ElementType *element, ValueRef name, bool is_cdata, bool is_id, ValueRef value);

static inline Dtd *as_dtd(ValueRef value)
{
    return (Dtd *)object_of(value);
}
