#include "vm/jit/emit.h"

#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/upcalls.h"
#include "vm/jit/jit.h"
#include "vm/quiet.h"

#include <stdlib.h>
#include <string.h>

#define MAX_CODE (64 << 10)
#define MAX_WORDS 1024
#define MAX_FIXES 4096
#define MAX_LABELS 4096
#define MAX_PIECES 8192

// A hole of the code that gets an address, or the distance to one.
typedef struct Fix {
    int at;
    Hole hole;
    int number; // of the label or the constant; of HOLE_NEXT: the offset in the code
} Fix;

static uint8_t code[MAX_CODE];
static uint64_t words[MAX_WORDS];
static Fix fixes[MAX_FIXES];
static int labels[MAX_LABELS], label_count; // offset in the code, -1 = not bound yet
static Piece pieces[MAX_PIECES];
static int instruction; // whose code is appended
EmitMark emit_now;
static uint8_t *start; // of the code, in executable memory
const char *jit_problem;
const char emit_no_stencil[] = "operands that are no ints";

bool jit_refuse(const char *why)
{
    jit_problem = why;
    return false;
}

void emit_begin(int count)
{
    emit_now = (EmitMark){0, 0, 0, 0};
    instruction = FOR_ENTRY;
    for (label_count = 0; label_count < count; label_count++) labels[label_count] = -1;
}

void emit_for(int index)
{
    instruction = index;
}

static int compare_names(const void *name, const void *stencil)
{
    return strcmp(name, ((const Stencil *)stencil)->name);
}

static const Stencil *find_stencil(const char *name)
{
    return bsearch(name, stencils, stencil_count, sizeof *stencils, compare_names);
}

const char *emit_guard(const char *name)
{
    const Stencil *stencil = find_stencil(name);
    for (int i = 0; stencil && i < stencil->hole_count; i++)
        if (stencil_holes[stencil->first_hole + (uint32_t)i].kind == HOLE_EXIT)
            return stencil->name;
    return NULL;
}

// A constant that several holes use is there once for each stencil that uses it.
//> lesson 17: patch
static void fill(const Stencil *stencil, const Hole *hole, const Patch *patch, int from)
{
    int at = from + hole->at, number = 0;
    switch ((HoleKind)hole->kind) {
    case HOLE_NUMBER: hole_fill(code + at, hole, patch->number, 0); return;
    case HOLE_WORD: number = emit_now.words - 1; break;
    case HOLE_TAKEN: number = patch->target; break;
    case HOLE_EXIT: number = patch->exit; break;
    case HOLE_NEXT: number = from + stencil->size; break;
    default: break;
    }
    fixes[emit_now.fixes++] = (Fix){at, *hole, number};
}
//< lesson 17

bool emit_stencil(const char *name, const Patch *patch)
{
    const Stencil *stencil = find_stencil(name);
    if (!stencil) return jit_refuse(emit_no_stencil);
    if (patch->target < 0 || patch->exit < 0 || emit_now.size + stencil->size > MAX_CODE ||
        emit_now.words == MAX_WORDS || emit_now.fixes + stencil->hole_count > MAX_FIXES ||
        emit_now.pieces == MAX_PIECES)
        return jit_refuse("too long");
    const Hole *holes = stencil_holes + stencil->first_hole;
    int from = emit_now.size;
    memcpy(code + from, stencil_code + stencil->code, stencil->size);
    words[emit_now.words++] = patch->word;
    bool has_word = false;
    for (int i = 0; i < stencil->hole_count; i++) {
        has_word |= holes[i].kind == HOLE_WORD;
        fill(stencil, &holes[i], patch, from);
    }
    emit_now.words -= !has_word;
    emit_now.size += stencil->size;
    pieces[emit_now.pieces++] = (Piece){stencil, instruction};
    return true;
}

int emit_label(void)
{
    if (label_count == MAX_LABELS) return -1;
    labels[label_count] = -1;
    return label_count++;
}

void emit_bind(int label)
{
    labels[label] = emit_now.size;
}

Piece *emit_pieces(int *count)
{
    size_t size = (size_t)emit_now.pieces * sizeof(Piece);
    Piece *all = memory_alloc(size + 1);
    if (all) memcpy(all, pieces, size);
    *count = emit_now.pieces;
    return all;
}

// What the hole refers to.
static const uint8_t *address_of(const Fix *fix, const uint8_t *base)
{
    switch ((HoleKind)fix->hole.kind) {
    case HOLE_WORD: return base + (size_t)fix->number * sizeof *words;
#define HOLE(symbol, kind)
#define VARIABLE(symbol)                                                                           \
    case HOLE_##symbol: return (const uint8_t *)(uintptr_t) & symbol;
#include "vm/jit/holes.def"
    case HOLE_NEXT: return start + fix->number;
    default: return labels[fix->number] < 0 ? NULL : start + labels[fix->number];
    }
}

void *emit_address(int label)
{
    return start + labels[label];
}

bool emit_finish(CodeBlock *block, void **entry)
{
    size_t before = (size_t)emit_now.words * sizeof *words;
    if (!code_memory_take(block, before + (size_t)emit_now.size))
        return jit_refuse("no memory for code");
    start = block->bytes + before;
    bool bound = true;
    for (const Fix *fix = fixes; fix < fixes + emit_now.fixes; fix++) {
        const uint8_t *address = address_of(fix, block->bytes);
        hole_fill(code + fix->at, &fix->hole, (uintptr_t)address, (uintptr_t)start + fix->at);
        bound &= address != NULL;
    }
    memcpy(block->bytes, words, before);
    memcpy(start, code, (size_t)emit_now.size);
    *entry = start;
    if (bound && code_memory_seal(block)) return true;
    code_memory_give_back(block);
    return jit_refuse(bound ? "the system refuses executable memory" : "a jump into a statement");
}
