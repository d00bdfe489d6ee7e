// Which copy of the kernels runs: chosen once, by what the processor can do.
#include "vm/modules/torch/kernels/gemm.h"

extern const KernelTables kernel_tables_plain;
const KernelTables *kernel_tables = &kernel_tables_plain;
bool (*gemm_multiply)(Dtype dtype, const Gemm *gemm) = gemm_plain;

#if KERNEL_LEVELS
extern const KernelTables kernel_tables_v3;
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
}
#else
void kernels_choose(void) {}
#endif
