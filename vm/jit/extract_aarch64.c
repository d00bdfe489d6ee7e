#include "vm/jit/extract.h"

#include <elf.h>
#include <string.h>

const Jump jump = {EM_AARCH64, 4, 0, 3, 0xFC, 0x14, 0x94};

// How many bits the distance has in the instruction, if it branches to `label`; else 0.
static int bits_to(const Piece *piece, size_t at, size_t label)
{
    uint32_t code, bits = 0;
    memcpy(&code, piece->bytes + at, sizeof code);
    if (code >> 26 == 0x05) bits = 26;                                      // b
    if ((code & 0x7E000000) == 0x36000000) bits = 14;                       // tbz, tbnz
    if ((code & 0x7E000000) == 0x34000000 || code >> 24 == 0x54) bits = 19; // cbz, cbnz; b.vs, ...
    size_t distance = code >> (bits == 26 ? 0 : 5) & ((1u << bits) - 1);
    return at + 4 * distance == label ? (int)bits : 0;
}

// ...; b.vs L; ...; b NEXT_; L: b EXIT_   becomes   ...; b.vs EXIT_; ...; b NEXT_
bool cut_jump(Piece *piece, size_t label)
{
    for (size_t at = 0; at < label; at += 4)
        if (bits_to(piece, at, label) % 19) return false; // it does not reach far enough
    uint8_t kind = piece->holes[--piece->hole_count].kind;
    for (size_t at = piece->size = label; at > 0 && piece->hole_count < MAX_HOLES; at -= 4)
        if (bits_to(piece, at - 4, label))
            piece->holes[piece->hole_count++] =
                (Hole){(uint16_t)(at - 4), R_AARCH64_CONDBR19, 0, kind};
    return true;
}
