// What C knows of an operator: its row of the table (ops.def), as data.
//
// op_table[OP_add_Tensor] is the row `BINARY(add, Tensor, ...)`; a UNARY row has the overload "",
// so it is OP_exp_. Loops and kernels are apart, because there is a copy of them for each
// processor: kernels/kernels.h.
#pragma once

#include "objects/object.h"
#include "objects/tensor/tensor.h"

typedef struct OpCall OpCall; // call/op.h
typedef struct OpDef OpDef;

// Where an operator is reached, and what it is.
typedef enum OpKind {
    EVERYWHERE = 1 | 2 | 4 | 8, // the first four
    FUNCTION = 1 << 0,          // torch.name
    METHOD = 1 << 1,            // Tensor.name
    INPLACE = 1 << 2,           // Tensor.name_, with NN torch._C._nn.name_: the result goes into
                                // the first parameter
    OUT = 1 << 3,               // torch.name(..., out=tensor)
    NN = 1 << 4,                // torch._C._nn.name, which torch.nn.functional wraps
    INTERNAL = 1 << 5,          // torch._C._aten.name only
    MUTATES = 1 << 6,           // writes into its first parameter and returns it: fill_, copy_
    NUMBERS = 1 << 7,           // a Tensor parameter takes a Python number too (torch.add(2, x))
    IN_ORDER = 1 << 8,          // the result is contiguous, whatever the operands are
    FACTORY = 1 << 9,           // makes a tensor out of no tensor: takes device and requires_grad
    RANDOM = 1 << 10,           // draws from the generator
    // Set by the kind of row.
    POINTWISE = 1 << 11,
    VIEWS = 1 << 12,
    DATA_DEPENDENT = 1 << 13,
    COMPOSED = 1 << 14,
    // An OP row that changes some elements of its first parameter, as scatter: its kernel finds a
    // copy of the parameter in the result. The in-place form works on the parameter itself.
    UPDATES = 1 << 15,
    PROMOTES = 1 << 16,         // the Scalar parameters after the operands take part in promotion
    DIVIDES = 1 << 17,          // of integers by the second operand: it must not be 0
    INPLACE_FUNCTION = 1 << 18, // torch.name_
    LINALG = 1 << 19,           // torch._C._linalg.name, which torch.linalg wraps
    SPECIAL = 1 << 20,          // torch._C._special.name, which torch.special wraps
    NARROW = 1 << 21,           // a Scalar that the dtype of the result cannot hold is refused
    OVERLAP_SELF = 1 << 22,     // may write a tensor whose elements share memory (an expanded one)
    OVERLAP_PART = 1 << 23,     // refuses one that shares some memory with a tensor that it reads,
                                // as all pointwise rows do
    OVERLAP_ALL = 1 << 24,      // refuses one that shares all of its memory, too
    FIRST_GRADED = 1 << 25,     // of several results only the first one has a gradient
    FFT = 1 << 26,              // torch._C._fft.name, which torch.fft wraps
    NAMED = 1 << 27,            // takes names=None: its dimensions have none
    OVERLAP_SOONER = 1 << 28,   // refuses an expanded out= also where it would be resized
    AS_CLONED = 1 << 29, // a pointwise row whose result has the layout of a clone of the first
                         // operand
    FOLLOWS =
        1 << 30, // the results are channels last in memory if the first parameter is; those of
                 // a gradient (grad_output, self, ...) if self is
    ANY_FUNCTION = FUNCTION | NN | INTERNAL | LINALG | SPECIAL | FFT,
    ALL_FORMS = EVERYWHERE | INPLACE_FUNCTION,
} OpKind;

// What happens to the dtypes of the arguments before the rule runs. "Common" is the dtype that
// promote.h computes from all Tensors and Scalars among the operands.
typedef enum Promotion {
    PROMOTE_NONE,       // nothing: the rule gives the dtype; else it is that of the first Tensor
    PROMOTE_COMMON,     // computed in the common dtype, which the result has
    PROMOTE_NUMERIC,    // the same, but there is no loop for bool
    PROMOTE_REAL,       // the same, but there are loops for floating dtypes only
    PROMOTE_INTEGRAL,   // the same, but there are loops for integers and bool only
    PROMOTE_INTEGER,    // the same, but there are loops for integers only
    PROMOTE_FLOATING,   // the same; integers and bool become the default dtype first
    PROMOTE_BOOLEAN,    // computed in the common dtype, the result is bool
    PROMOTE_SUM,        // dtype=..., else integers and bool become int64
    PROMOTE_MEAN,       // dtype=..., else it must be floating
    PROMOTE_ANGLE,      // as FLOATING; the expression knows of far angles (kernels/scalar_angles.h)
    PROMOTE_QUOTIENT,   // as NUMERIC; the expression knows of numbers that are far from each other
    PROMOTE_POWER,      // as NUMERIC; plain powers have a loop of their own
    PROMOTE_COUNTED,    // as NUMERIC; bools become int64 first
    PROMOTE_QUICK,      // as FLOATING; wide float32 loops are quick (kernels/scalar_quick.h)
    PROMOTE_QUICK_REAL, // as REAL; the same
    PROMOTE_QUICK_NUMERIC, // as NUMERIC; the same
} Promotion;

struct OpDef {
    const char *name;       // "add"
    const char *overload;   // "Tensor"; "" = the only one, or the default
    const char *schema;     // "(Tensor self, ...) -> Tensor"
    uint32_t kinds;         // OpKind
    uint8_t promotion;      // Promotion
    uint8_t operands;       // of a pointwise row: 1, 2, 3
    const char *expression; // of a pointwise row
    bool (*rule)(OpCall *call);
    const char *rule_name, *kernel_name; // for the backend and for help; "" = none
    const char *derivative;
    const char *decomposition;
    const char *doc;
    const OpDef *called; // of an ALIAS row: the row that it calls; else NULL
};

typedef enum OpIndex {
#define UNARY(name, schema, kinds, promotion, expression, derivative, decomposition, doc)          \
    OP_##name##_,
#define BINARY(name, overload, ...) OP_##name##_##overload,
#define UNARY_WITH(name, overload, ...) OP_##name##_##overload,
#define TERNARY(name, overload, ...) OP_##name##_##overload,
#define OP(name, overload, ...) OP_##name##_##overload,
#define VIEW(name, overload, ...) OP_##name##_##overload,
#define DATA(name, overload, ...) OP_##name##_##overload,
#define COMPOSITE(name, overload, ...) OP_##name##_##overload,
#define ALIAS(name, overload, ...) OP_##name##_##overload,
#define NODE(name, overload, ...) OP_##name##_##overload,
#include "vm/modules/torch/ops/ops.def"
    OP_COUNT
} OpIndex;

extern const OpDef op_table[OP_COUNT];

static inline OpIndex op_index(const OpDef *op)
{
    return (OpIndex)(op - op_table);
}

// Those of a function that makes indices.
#define INDEX_OPTIONS                                                                              \
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
// What the functions take that make a tensor like another one.
#define LIKE_OPTIONS                                                                               \
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, "   \
    "bool? requires_grad=False, MemoryFormat? memory_format=None"
// The parameters that a function which makes a tensor takes after its own.
#define OPTIONS                                                                                    \
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, "   \
    "bool? requires_grad=False"
