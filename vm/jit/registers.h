// The variables of a loop, and the machine's registers.
//
// A variable has one type in the whole loop: the one that it has when the loop is compiled. The
// variables used most have a home, a register that holds them from the loop's entry to its exit.
// All other variables stay in the frame. The registers without a variable are for intermediate
// results; each counts how many entries of the walk's stack use it.
//
//     registers_begin()           forgets everything
//     variable_note(...)          each use of a variable in the loop
//     registers_settle(most)      chooses the homes, at most so many of a kind
//     register_take(), register_uses()
#pragma once

#include "objects/value.h"
#include "vm/jit/stencil.h"

typedef enum ValueKind {
    KIND_OTHER, // no code for it, or unbound
    KIND_INT,   // a small int
    KIND_FLOAT, // no NaN
    KIND_BOOL,
    KIND_OBJECT, // an instance of exactly one type
    KIND_RANGE   // an iterator over a range, on the value stack only
} ValueKind;

#define MAX_VARIABLES 64
#define NO_REGISTER (-1)

typedef struct Variable {
    ValueKind kind;
    ValueRef sample; // the value that it has while the loop is compiled
    int uses;        // those in inner loops count more
    bool stored, may_have_home;
    int home; // a register, or NO_REGISTER
} Variable;

extern Variable variables[MAX_VARIABLES]; // by their slots in localsplus

typedef struct Homes {
    int ints, floats;
} Homes;

static inline bool is_in_float_register(ValueKind kind)
{
    return kind == KIND_FLOAT;
}
#define REGISTER_LETTER(kind) (is_in_float_register(kind) ? 'd' : 'i') // as stencils name it
ValueKind kind_of_value(ValueRef value);
void registers_begin(void);
void variable_note(int slot, ValueRef value, int uses, bool stored, bool may_have_home);
void registers_settle(Homes most);
int register_take(ValueKind kind);              // NO_REGISTER = none is free
int *register_uses(ValueKind kind, int number); // of the walk's entries; one of them ends: --
void registers_free_all(void);                  // but the homes
