// The holes of x86-64: four bytes with a number, or with the distance from the hole to an address.
#include "vm/jit/stencil.h"

#include <elf.h>
#include <string.h>

bool hole_fill(uint8_t *bytes, const Hole *hole, uint64_t target, uint64_t place)
{
    bool is_number = hole->kind == HOLE_NUMBER;
    uint32_t value = (uint32_t)(target + (uint64_t)hole->addend - (is_number ? 0 : place));
    memcpy(bytes, &value, sizeof value);
    return is_number ? hole->type == R_X86_64_32 || hole->type == R_X86_64_32S
                     : hole->type == R_X86_64_PC32 || hole->type == R_X86_64_PLT32;
}
