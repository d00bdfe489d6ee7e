// The signatures that arguments are held against once no row has accepted them: between the files
// that say what is wrong (op_bind_error.c, op_bind_list.c).
//
// A name that has several in PyTorch has them in ops/overloads.def, those with names of dimensions
// among them; any other name has its rows. A signature is shown as PyTorch's Python binding has it:
// `self` is `input` in a function and left out in a method, as is out=.
#pragma once

#include "vm/modules/torch/call/op_bind.h"

#define SIGNATURES 12

// What a script has given.
typedef struct Given {
    BindStyle style;
    bool inplace;
    const ValueRef *args;
    size_t nargs;
    ValueRef kwnames; // VALUE_ERROR = none
    const char *name;
    const char *suffix; // "_" of an in-place form
} Given;

typedef struct Signatures {
    const Schema *items[SIGNATURES];
    int count;
    bool listed; // they stand in ops/overloads.def: the call has parsed them
} Signatures;

// False with an exception pending; signatures_end() in both cases.
bool signatures_find(OpIndex first, const Given *given, Signatures *signatures);
void signatures_end(Signatures *signatures);

size_t given_keywords(const Given *given);
bool signature_shows(const Schema *schema, int index, const Given *given);
const char *signature_name(const Schema *schema, int index, const Given *given);
// How many arguments it takes.
int signature_least(const Schema *schema, const Given *given);
int signature_most(const Schema *schema, const Given *given);
// "Tensor", "Number", "tuple of ints".
const char *param_type_text(const Param *param);

// Appends to *text, which is VALUE_ERROR after a failure and stays so. Takes `more`.
void text_append(Value *text, Value more);
// op_bind_list.c: raises the message that lists the signatures. False.
bool raise_invalid_combination(const Given *given, const Signatures *signatures);
