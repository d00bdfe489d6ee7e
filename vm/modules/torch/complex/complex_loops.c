// The loops of ops/complex.def, and which row has what.
#include "vm/modules/torch/complex/complex_ops.h"
#include "vm/modules/torch/complex/complex_math.h"

#define TYPE_COMPLEX(T, R) T
#define TYPE_REAL(T, R) R
#define TYPE_BOOL(T, R) bool
#define CAST_COMPLEX(R)
#define CAST_REAL(R) (R)
#define CAST_BOOL(R)
#define ELEMENTS_1 a = pa[i];
#define ELEMENTS_2 ELEMENTS_1 b = pb[i];
#define ELEMENTS_3 ELEMENTS_2 c = pc[i];
#define UNUSED __attribute__((unused))

// The result may be the same memory as an operand, element by element.
#define LOOP(name, T, R, operands, result, expression)                                             \
    static void name(int64_t n, char *const *data, const void *scalars)                            \
    {                                                                                              \
        TYPE_##result(T, R) *out = (void *)data[0];                                                \
        const T *pa = (const void *)data[1];                                                       \
        UNUSED const T *pb = (const void *)data[operands > 1 ? 2 : 1];                             \
        UNUSED const T *pc = (const void *)data[operands > 2 ? 3 : 1];                             \
        UNUSED T a, b, c, s = *(const T *)scalars;                                                 \
        for (int64_t i = 0; i < n; i++) {                                                          \
            ELEMENTS_##operands out[i] = CAST_##result(R)(expression);                             \
        }                                                                                          \
    }

#define COMPLEX_LOOP(row, operands, result, expression)                                            \
    LOOP(row##_complex64, Complex64, float, operands, result, expression)                          \
    LOOP(row##_complex128, Complex128, double, operands, result, expression)
#define COMPLEX_KERNEL(...)
#define COMPLEX_REFUSES(...)
#define COMPLEX_FORMULA(...)
#include "vm/modules/torch/ops/complex.def"

// What a row has: loops, a kernel, or a sentence.
typedef struct ComplexRow {
    Loop single, wide;
    ComplexResult result;
    bool (*kernel)(OpCall *call);
    const char *refusal;
} ComplexRow;

static const ComplexRow *row_of(const OpDef *op)
{
    switch (op_index(op)) {
#define COMPLEX_LOOP(row, operands, result, expression)                                            \
    case OP_##row: {                                                                               \
        static const ComplexRow found = {row##_complex64, row##_complex128, RESULT_##result, NULL, \
                                         NULL};                                                    \
        return &found;                                                                             \
    }
#define COMPLEX_KERNEL(row, function)                                                              \
    case OP_##row: {                                                                               \
        static const ComplexRow found = {.kernel = function};                                      \
        return &found;                                                                             \
    }
#define COMPLEX_REFUSES(row, message)                                                              \
    case OP_##row: {                                                                               \
        static const ComplexRow found = {.refusal = message};                                      \
        return &found;                                                                             \
    }
#define COMPLEX_FORMULA(...)
#include "vm/modules/torch/ops/complex.def"
    default: return NULL;
    }
}

bool complex_has_formula(const OpDef *op)
{
    switch (op_index(op)) {
#define COMPLEX_LOOP(...)
#define COMPLEX_KERNEL(...)
#define COMPLEX_REFUSES(...)
#define COMPLEX_FORMULA(row) case OP_##row:
#include "vm/modules/torch/ops/complex.def"
        return true;
    default: return false;
    }
}

Loop complex_loop(const OpDef *op, Dtype computed)
{
    const ComplexRow *row = row_of(op);
    return !row ? NULL : computed == DTYPE_complex64 ? row->single : row->wide;
}

bool complex_gives_real(const OpDef *op)
{
    const ComplexRow *row = row_of(op);
    return row && row->single && row->result == RESULT_REAL;
}

const char *complex_refusal(const OpDef *op)
{
    const ComplexRow *row = row_of(op);
    return row ? row->refusal : NULL;
}

bool (*complex_kernel(const OpDef *op))(OpCall *call)
{
    const ComplexRow *row = row_of(op);
    return row ? row->kernel : NULL;
}
