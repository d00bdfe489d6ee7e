// Schemas: the text of a signature, parsed at the first call of its row.
//
//     "(Tensor self, Scalar? min=None, *, ScalarType? dtype=None) -> Tensor"
//
//     type          what a caller may give                            in slots[]: plain (op.h)
//     Tensor        a tensor (a number, if the row has NUMBERS)       the Tensor (the number)
//     Scalar        a number, or a tensor that holds one              an int, float or bool
//     int           an int, a tensor of no dimension that holds one   an int of 64 bits
//     SymInt        the same, what has an __index__                   the same
//     float         a number                                          an int or float
//     bool          True, False                                       TRUE, FALSE
//     str           a str                                             the str
//     int[]         a tuple or list of ints, torch.Size; as the       a tuple of ints
//                   first argument also the ints themselves
//     int[2]        the same; a single int stands for all             a tuple, or the int
//     float[]       a sequence of numbers                             a tuple of floats
//     Tensor[]      a sequence of tensors                             a tuple of Tensors
//     Tensor?[]     a sequence of tensors and None                    a tuple of Tensors and NONE
//     ScalarType    torch.float32 ...; float, int, bool               a torch.dtype
//     Layout, Device, Generator, MemoryFormat                         the object
//     Dimname, Dimname[], Scalar[]                                    in messages only
//     T?            the same, or None                                 NONE
//
// A parameter after `*` is given by keyword only. Default values: a number, None, True, False, [],
// a [list of ints], a 'text'. In Python the parameter `self` is called `input` (PyTorch renames it
// in torch.*, wherever it stands). Results: "Tensor", "(Tensor values, Tensor indices)" (a named
// tuple torch.return_types.NAME), "Tensor[]", or anything else for a row whose result is no
// tensor.
#pragma once

#include "objects/object.h"
#include "vm/modules/torch/ops/op_table.h"

#define SCHEMA_PARAMS 20

typedef enum ParamType {
    PARAM_TENSOR,
    PARAM_SCALAR,
    PARAM_INT,
    PARAM_FLOAT,
    PARAM_BOOL,
    PARAM_STR,
    PARAM_INTS,
    PARAM_FLOATS,
    PARAM_TENSORS,
    PARAM_DTYPE,
    PARAM_LAYOUT,
    PARAM_DEVICE,
    PARAM_GENERATOR,
    PARAM_MEMORY_FORMAT,
    PARAM_SCALARS,
    PARAM_DIMNAME,
    PARAM_DIMNAMES,
    PARAM_TYPE_COUNT
} ParamType;

typedef struct Param {
    ParamType type;
    bool optional; // None is allowed
    bool holes;    // of Tensor?[]: items may be None
    bool symbolic; // of an int: it is called SymInt in PyTorch
    bool numbers;  // of a Tensor that is read: a number is allowed (NUMBERS)
    bool keyword_only;
    bool required;  // no default
    uint8_t length; // of int[2]: how often a single int counts; 0 = a single int is refused
    Value name;     // an interned str, owned
    Value fallback; // the default, owned; NONE if there is none
    const char *default_text; // where the default stands in the schema, for messages
    int default_size;
} Param;

typedef struct Schema {
    const OpDef *op;
    int count;      // of the parameters
    int positional; // how many of them may be given by position
    int required;
    int results;        // tensors returned; 0 = something else
    int requires_grad;  // the index of the parameter; -1 = none
    int pin_memory;     // the same, of a function that makes a tensor
    int device;         // the same
    int memory_format;  // the same
    Value result_names; // a tuple of strs; VALUE_ERROR = the results have no names
    Value result_class; // torch.return_types.NAME, once it has been asked for
    Value out_class;    // torch.return_types.NAME_out likewise, for calls with out=
    Value composite;    // the function of a row that is made of other operators, likewise
    Param params[SCHEMA_PARAMS];
} Schema;

// Parses a text that is no row's own, for `op`: owned. NULL with an exception pending.
Schema *schema_parse(const OpDef *op, const char *text);
void schema_free(Schema *schema);
// The parsed schema of a row, borrowed for the rest of the program. NULL with an exception pending.
const Schema *schema_of(OpIndex op);
// Frees all schemas: at the end of the program.
void schemas_finish(void);
// Is this the Tensor self, which a function calls input?
bool schema_is_self(const Schema *schema, int index);
// The index of the parameter of this name, -1 = none. `as_function`: self is called input.
int schema_find(const Schema *schema, ValueRef name, bool as_function);

// ---- op_bind.c

typedef enum BindStyle { BIND_FUNCTION, BIND_METHOD } BindStyle;

// Matches the arguments of a script with the rows of the name `first`, tried in order; fills in
// call->op, schema, slots and out. In a method slots[0] is self. False with PyTorch's TypeError.
bool op_bind_arguments(OpIndex first, BindStyle style, bool inplace, ValueRef self,
                       const ValueRef *args, size_t nargs, ValueRef kwnames, OpCall *call);
