// Kernels: they fill the results that a rule has described, and loops, which kernels are made of.
//
//     bool KERNEL(kernel_arange)(OpCall *call)
//     {
//         Tensor *result = call->results[0].tensor;       contiguous, of the rule's shape and dtype
//         ...
//         return true;
//     }
//
// Each file of this folder is compiled once for each processor level (x86-64-v3, any), and
// KERNEL(name) adds the level to the name, so the copies differ. kernels_choose() asks the
// processor once; then kernel_tables points to the tables of its copy. Static functions need no
// KERNEL(). gemm.c and pointwise_loops.c have a third copy, for vectors of 512 bits (x86-64-v4).
//
// The result's memory is uninitialised, and no input overlaps it. In-place forms and out= are no
// business of a kernel: op_call() copies. A pointwise row needs no kernel: its loops run by the
// iteration (objects/tensor/iterate.h), which writes in place, and converts. A kernel calls no
// script code, and checks what a rule cannot (the values of indices). It returns false with an
// exception pending.
//
// The same bits on every machine: sums are added in one fixed order whatever the vector width,
// nothing is contracted, and functions such as m_exp() come from scalar_math.h, never from libm.
#pragma once

#include "objects/tensor/iterate.h"
#include "vm/modules/torch/ops/op_table.h"

typedef bool (*Kernel)(OpCall *call);

// The dtypes that are computed in, as indices of a row of loops.
typedef enum Computed {
    COMPUTED_float32,
    COMPUTED_float64,
    COMPUTED_int64,
    COMPUTED_int32,
    COMPUTED_bool,
    COMPUTED_COUNT
} Computed;

typedef struct KernelTables {
    Kernel kernels[OP_COUNT]; // NULL = the row has none; of composed rows: shortcuts.def
    Loop loops[OP_COUNT][COMPUTED_COUNT]; // of pointwise rows; NULL = not for this dtype
} KernelTables;

extern const KernelTables *kernel_tables; // of this processor, after kernels_choose()
void kernels_choose(void);
Loop kernel_loop(int op, Computed computed); // of a pointwise row; NULL = not for this dtype

// For loops whose vectors stay in registers: a function becomes a part of its caller, where its
// numbers are constants, and a short loop has no counter.
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")

// The copy being compiled: -DKERNEL_LEVEL=v3.
#ifndef KERNEL_LEVEL
#define KERNEL_LEVEL plain
#endif
#define KERNEL_NAME(name, level) name##_##level
#define KERNEL_NAME_OF(name, level) KERNEL_NAME(name, level)
#define KERNEL(name) KERNEL_NAME_OF(name, KERNEL_LEVEL)

#define UNARY(...)
#define UNARY_WITH(...)
#define BINARY(...)
#define TERNARY(...)
#define OP(name, overload, schema, kinds, promotion, rule, kernel, ...)                            \
    bool KERNEL(kernel)(OpCall * call);
#define VIEW(...)
#define DATA(name, overload, schema, kinds, kernel, ...) bool KERNEL(kernel)(OpCall * call);
#define COMPOSITE(...)
#define ALIAS(...)
#define NODE(...)
#include "vm/modules/torch/ops/ops.def"

// Which copies have shortcuts? Where there are levels, the one for any processor is small.
#if !defined(__x86_64__) || defined(__AVX2__)
#define HAS_SHORTCUTS 1
#endif
#define SHORTCUT(row, kernel) bool KERNEL(kernel)(OpCall * call);
#include "vm/modules/torch/ops/shortcuts.def"
