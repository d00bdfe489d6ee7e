// The derivative of an operator, compiled from the text in its row.
//
//     "self: grad * other; other: grad * self"            two clauses
//     "DivBackward1; self: grad / other"                   the name of the node in front, where
//                                                          it is not the operator's with a 0
//     "EluBackward0 EluBackward1; self: ..."               the second is the in-place form's
//     "input, weight, bias: conv_backward(grad, ...)"      one clause for three gradients: a tuple
//     "NotImplemented"                                     no clause: backward() raises
//     "in place EqBackward0; self: ..."                    only the in-place form has a derivative
//
// The text before a colon names parameters of the schema: a Tensor, or a Tensor[], whose gradient
// is a sequence. What follows is an expression. Its free names are
//
//     grad               the gradient of the first result
//     grads              those of all results; None = zeros
//     needs              a bool for each target: whether its gradient is wanted
//     a parameter        the argument of the call
//     result, result1 ...  the results; those that have names also by their names
//     any other name     a function of torch/_derivatives.mpy
//
// A tensor of which the text reads nothing but `.shape`, `.dtype`, `.ndim`, `.device`, `.numel()`,
// `.stride()` or `.storage_offset()` is saved as a fake tensor: the graph does not keep its data
// alive, and the tensor may be written.
//
// A text is compiled when its operator is first recorded, and kept for the rest of the program.
#pragma once

#include "vm/modules/torch/call/op.h"

#define FORMULA_SAVED 24
#define FORMULA_CLAUSES 8
#define FORMULA_ARGUMENTS 24

typedef enum SavedFrom {
    FROM_PARAM,  // the argument of a parameter
    FROM_SHAPE,  // the same: only what the tensor looked like
    FROM_RESULT, // a result
} SavedFrom;

typedef struct SavedSource {
    uint8_t from;  // SavedFrom
    uint8_t index; // of the parameter or the result
} SavedSource;

// What an argument of a clause's function is: one of these, or ARGUMENT_SAVED + an index of
// saved[].
typedef enum ClauseArgument {
    ARGUMENT_GRAD,
    ARGUMENT_GRADS,
    ARGUMENT_NEEDS,
    ARGUMENT_SAVED,
} ClauseArgument;

typedef struct Clause {
    Value function;               // a lambda
    int targets[FORMULA_CLAUSES]; // indices of parameters
    int target_count;
    uint8_t arguments[FORMULA_ARGUMENTS]; // ClauseArgument
    int argument_count;
} Clause;

typedef struct Formula {
    const OpDef *op;
    const Schema *schema;
    Type *type;         // the class of the nodes: "AddBackward0". Owned
    Type *inplace_type; // that of the in-place form: often the same. Owned
    SavedSource saved[FORMULA_SAVED];
    int saved_count;
    Clause clauses[FORMULA_CLAUSES];
    int clause_count;
    uint32_t targets; // a bit for each parameter that a clause is for
} Formula;

// The formula of a row: borrowed, for the rest of the program. NULL with an exception pending (a
// text that is wrong is SyntaxError or SystemError).
const Formula *formula_of(const OpDef *op);
// Has the row, in this form, a derivative at all?
#define FORMULA_IN_PLACE "in place "
static inline bool call_is_differentiable(const OpCall *call)
{
    const char *text = call->op->derivative;
    return *text && (call->inplace || strncmp(text, FORMULA_IN_PLACE, strlen(FORMULA_IN_PLACE)));
}
// The index in saved[] of what a parameter or a result of this name gave; -1 = nothing is saved of
// it.
int formula_saved_named(const Formula *formula, const char *name);
void formulas_finish(void);
