// The holes of aarch64: some bits of an instruction, which has four bytes. Two instructions make a
// number of 32 bits. Two more reach an address: the first has the distance of its page of 4,096
// bytes, the second the place in the page.
//
//     movz x6, NUMBER_ & 0xFFFF        adrp x7, page of WORD_
//     movk x6, NUMBER_ >> 16           ldr x7, [x7, place of WORD_]
#include "vm/jit/stencil.h"

#include <elf.h>
#include <string.h>

static const struct {
    uint16_t type;
    uint8_t shift, bits, position; // so many bits of the value, above `shift`, are there
    uint64_t from;                 // counted from these bits of the place
} fields[] = {
    {R_AARCH64_JUMP26, 2, 26, 0, ~0ull},
    {R_AARCH64_CONDBR19, 2, 19, 5, ~0ull},
    {R_AARCH64_ADR_PREL_PG_HI21, 12, 2, 29, ~0xFFFull},
    {R_AARCH64_ADR_PREL_PG_HI21, 14, 19, 5, ~0xFFFull},
    {R_AARCH64_ADD_ABS_LO12_NC, 0, 12, 10, 0},
    {R_AARCH64_LDST8_ABS_LO12_NC, 0, 12, 10, 0},
    {R_AARCH64_LDST16_ABS_LO12_NC, 1, 11, 10, 0},
    {R_AARCH64_LDST32_ABS_LO12_NC, 2, 10, 10, 0},
    {R_AARCH64_LDST64_ABS_LO12_NC, 3, 9, 10, 0},
    {R_AARCH64_MOVW_UABS_G0_NC, 0, 16, 5, 0},
    {R_AARCH64_MOVW_UABS_G1, 16, 16, 5, 0},
};

bool hole_fill(uint8_t *bytes, const Hole *hole, uint64_t target, uint64_t place)
{
    bool found = false;
    uint32_t instruction;
    memcpy(&instruction, bytes, sizeof instruction);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].type != hole->type) continue;
        uint64_t value = target + (uint64_t)hole->addend - (place & fields[i].from);
        uint32_t mask = ((1u << fields[i].bits) - 1) << fields[i].position;
        value = value >> fields[i].shift << fields[i].position;
        instruction = (instruction & ~mask) | ((uint32_t)value & mask);
        found = true;
    }
    memcpy(bytes, &instruction, sizeof instruction);
    return found;
}
