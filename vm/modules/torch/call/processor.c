// Which copy of the kernels runs: chosen once, by what the processor can do.
#include "vm/modules/torch/kernels/gemm.h"

extern const KernelTables kernel_tables_plain;
const KernelTables *kernel_tables = &kernel_tables_plain;
bool (*gemm_multiply)(Dtype dtype, const Gemm *gemm) = gemm_plain;

#if KERNEL_LEVELS
extern const KernelTables kernel_tables_v3;
extern const Loop wide_loops_v4[OP_COUNT];
static const Loop *wide_loops; // NULL = this processor has no vectors of 512 bits
bool gemm_v3(Dtype dtype, const Gemm *gemm);
bool gemm_v4(Dtype dtype, const Gemm *gemm);

void kernels_choose(void)
{
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (!v3) return;
    kernel_tables = &kernel_tables_v3;
    gemm_multiply = v4 ? gemm_v4 : gemm_v3;
    if (v4) wide_loops = wide_loops_v4;
}
#else
static const Loop *const wide_loops = NULL;

void kernels_choose(void) {}
#endif

Loop kernel_loop(int op, Computed computed)
{
    Loop wide = wide_loops && computed == COMPUTED_float32 ? wide_loops[op] : NULL;
    return wide ? wide : kernel_tables->loops[op][computed];
}
