// Complex numbers: what each operator does with them (ops/complex.def), and the functions that do.
//
//     pointwise_run()     -> complex_loop(op, dtype)    two loops for each row
//     compute_elements()  -> complex_compute(call)      for a row with a kernel, where an argument
//                                                       or a result is complex
//
// All of this is compiled once, not for each level of the processor: complex numbers are rarely
// what a program waits for, and their loops would be as large as those of all real dtypes. A kernel
// finds plain tensors, no views that are conjugated on the way: call/plain_elements.c.
#pragma once

#include "objects/tensor/iterate.h"
#include "vm/modules/torch/call/op.h"

typedef enum ComplexResult { RESULT_COMPLEX, RESULT_REAL, RESULT_BOOL } ComplexResult;

// The loop of a pointwise row; NULL = it refuses complex numbers.
Loop complex_loop(const OpDef *op, Dtype computed);
// Has the pointwise row a real result (abs)?
bool complex_gives_real(const OpDef *op);
// The row's sentence of refusal, where it has one: NULL = the usual one.
const char *complex_refusal(const OpDef *op);
// The function of a row with a kernel; NULL = it refuses complex numbers.
bool (*complex_kernel(const OpDef *op))(OpCall *call);
// Is the derivative of the row written for complex numbers? Else autograd conjugates.
bool complex_has_formula(const OpDef *op);
// Fills in the results of a row with a kernel. False with RuntimeError pending if it refuses.
bool complex_compute(OpCall *call);

// ---- for kernels
// The real or the imaginary parts of a complex tensor, as a view: owned.
Value complex_part(Tensor *tensor, bool imaginary);
// The same tensor as reals, with a last dimension of size 2: owned.
Value complex_as_real(Tensor *tensor);
// The row's kernel for real dtypes, for another call of it.
bool complex_run_kernel(OpCall *call);

#define COMPLEX_LOOP(...)
#define COMPLEX_KERNEL(row, function) bool function(OpCall *call);
#define COMPLEX_REFUSES(...)
#define COMPLEX_FORMULA(...)
#include "vm/modules/torch/ops/complex.def"
