// Which copy of the kernels runs: chosen once, by what the processor can do.
#include "vm/modules/torch/kernels/kernels.h"

extern const KernelTables kernel_tables_plain;
const KernelTables *kernel_tables = &kernel_tables_plain;

#if KERNEL_LEVELS
extern const KernelTables kernel_tables_v3, kernel_tables_v4;

void kernels_choose(void)
{
    __builtin_cpu_init();
    bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
    bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    kernel_tables = v4 ? &kernel_tables_v4 : v3 ? &kernel_tables_v3 : &kernel_tables_plain;
}
#else
void kernels_choose(void) {}
#endif
