// System calls for WebAssembly: there are none of these (calls.h). See system.h.
#include "vm/outside/calls.h"

#include "vm/outside/outside_parts.h"

int64_t outside_call(SystemCall which, const int64_t numbers[4], CallBytes bytes)
{
    (void)which, (void)numbers, (void)bytes;
    return system_refuse(ENOSYS);
}
