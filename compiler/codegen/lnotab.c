// co_lnotab: which bytes of the code are on which line.
//
//     [ +bytes +lines | +bytes +lines | ... ]      from (0, co_firstlineno); a signed byte of lines
//
// Steps too long for a byte take several pairs: first the bytes in 255s, then the lines in 127s or
// -128s. CPython: Objects/lnotab_notes.txt.
#include "compiler/codegen/codegen.h"

static void add_pair(Arena *arena, Bytecode *code, int bytes, int lines)
{
    if (code->lnotab_size == code->lnotab_capacity) {
        int capacity = code->lnotab_capacity ? code->lnotab_capacity * 2 : 32;
        uint8_t *table = arena_alloc(arena, (size_t)capacity);
        if (code->lnotab_size) memcpy(table, code->lnotab, (size_t)code->lnotab_size);
        code->lnotab = table;
        code->lnotab_capacity = capacity;
    }
    code->lnotab[code->lnotab_size++] = (uint8_t)bytes;
    code->lnotab[code->lnotab_size++] = (uint8_t)lines;
}

void lnotab_add(Arena *arena, Bytecode *code, LineTable *table, int start, int line)
{
    int bytes = (start - table->start) * 2, lines = line - table->line;
    if (lines == 0) return;
    if (bytes > 255) {
        for (int i = bytes / 255; i > 0; i--) add_pair(arena, code, 255, 0);
        bytes %= 255;
    }
    if (lines < -128 || lines > 127) {
        int step = lines < 0 ? -128 : 127;
        for (int i = lines / step; i > 0; i--) {
            add_pair(arena, code, bytes, step);
            bytes = 0;
        }
        lines %= step;
    }
    // What is left may be nothing: 3.9 writes the pair all the same.
    add_pair(arena, code, bytes, lines);
    *table = (LineTable){line, start};
}
