#include "vm/jit/extract.h"

#include <elf.h>
#include <string.h>

const Jump jump = {EM_X86_64, 5, 5, -1, 0xFF, 0xE9, 0xE8};

// ...; jo L; ...; jmp NEXT_; L: jmp EXIT_   becomes   ...; jo EXIT_; ...; jmp NEXT_
bool cut_jump(Piece *piece, size_t label)
{
    Hole *last = &piece->holes[piece->hole_count - 1];
    size_t at = 0;
    while (at < label && !(piece->bytes[at] == 0x70 && at + 2 + piece->bytes[at + 1] == label))
        at++;
    if (at == label) return false;
    memmove(piece->bytes + at + 6, piece->bytes + at + 2, label - at - 2);
    piece->bytes[at] = 0x0F;
    piece->bytes[at + 1] = 0x80; // jo with four bytes of distance
    piece->size = label + 4;
    for (Hole *hole = piece->holes; hole < last; hole++)
        if (hole->at > at) hole->at = (uint16_t)(hole->at + 4);
    last->at = (uint16_t)(at + 2);
    return true;
}
