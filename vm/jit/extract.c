// A build tool: prints the stencils of an object file as C tables, for stencil.h.
//
//     extract OBJECT      vm/jit/stencils.c, compiled with a section for each function
//
// A function is in the section .text.NAME, with a relocation for each hole. What the compiler took
// for unlikely is in .text.unlikely.NAME, mostly one jump to an exit:
//
//     .text.add            add; jo -> .text.unlikely.add; jmp NEXT_
//     .text.unlikely.add   jmp EXIT_
//
// A jump to such a jump leads to its target at once, and the jump to NEXT_ at the end is left out.
// Whatever is not as described here ends the build, with a message.
#include "vm/jit/extract.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *symbol;
    HoleKind kind;
} kinds[] = {
#define HOLE(symbol, kind) {#symbol, kind},
#define VARIABLE(symbol) HOLE(symbol, HOLE_##symbol)
#include "vm/jit/holes.def"
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

static uint8_t *file;
static const Elf64_Shdr *sections;
static size_t section_count;
static const char *section_names, *symbol_names;
static const Elf64_Sym *symbols;

static _Noreturn void fail(const char *name, const char *problem)
{
    fprintf(stderr, "extract: %s: %s\n", name, problem);
    exit(1);
}

static const char *section_name(const Elf64_Shdr *section)
{
    return section_names + section->sh_name;
}

static const Elf64_Shdr *section_named(const char *name)
{
    for (size_t i = 0; i < section_count; i++)
        if (strcmp(section_name(&sections[i]), name) == 0) return &sections[i];
    return NULL;
}

// ---- the object file

static void read_object(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream || fseek(stream, 0, SEEK_END)) fail(path, "cannot be read");
    size_t size = (size_t)ftell(stream);
    rewind(stream);
    file = malloc(size);
    if (!file || fread(file, 1, size, stream) != size) fail(path, "cannot be read");
    fclose(stream);
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file;
    if (size < sizeof *header || memcmp(file, ELFMAG, SELFMAG) ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != jump.machine)
        fail(path, "is no object file of this machine");
    sections = (const Elf64_Shdr *)(const void *)(file + header->e_shoff);
    section_count = header->e_shnum;
    section_names = (const char *)file + sections[header->e_shstrndx].sh_offset;
    const Elf64_Shdr *table = section_named(".symtab");
    if (!table) fail(path, "has no symbols");
    symbols = (const Elf64_Sym *)(const void *)(file + table->sh_offset);
    symbol_names = (const char *)file + sections[table->sh_link].sh_offset;
}

static const Elf64_Rela *relocations_of(const Elf64_Shdr *section, size_t *count)
{
    for (size_t i = 0; i < section_count; i++) {
        if (sections[i].sh_type != SHT_RELA || &sections[sections[i].sh_info] != section) continue;
        *count = sections[i].sh_size / sizeof(Elf64_Rela);
        return (const Elf64_Rela *)(const void *)(file + sections[i].sh_offset);
    }
    *count = 0;
    return NULL;
}

// ---- a stencil

#define IN_UNLIKELY UINT8_MAX // the kind of a hole whose target is in the unlikely part

// The hole of a relocation to a symbol that stencils.c declares, or to the unlikely part.
static Hole hole_of(const Piece *piece, const Elf64_Rela *relocation, const Elf64_Shdr *unlikely)
{
    const Elf64_Sym *target = &symbols[ELF64_R_SYM(relocation->r_info)];
    const char *symbol = symbol_names + target->st_name;
    size_t kind = 0;
    while (kind < KIND_COUNT && strcmp(kinds[kind].symbol, symbol) != 0) kind++;
    bool inside = unlikely && &sections[target->st_shndx] == unlikely;
    if (kind == KIND_COUNT && !inside) fail(piece->name, "a symbol that holes.def does not have");
    Hole hole = {(uint16_t)(piece->size + relocation->r_offset),
                 (uint16_t)ELF64_R_TYPE(relocation->r_info), (int16_t)relocation->r_addend,
                 inside ? IN_UNLIKELY : (uint8_t)kinds[kind].kind};
    if (hole.kind <= HOLE_EXIT && (piece->bytes[hole.at + jump.at] & jump.mask) == jump.call)
        fail(piece->name, "calls where it should jump: was it compiled by gcc with -O2?");
    if (hole.addend != relocation->r_addend || !hole_fill((uint8_t[4]){0}, &hole, 0, 0))
        fail(piece->name, "a relocation that hole_fill() does not know");
    return hole;
}

static void add_section(Piece *piece, const Elf64_Shdr *section, const Elf64_Shdr *unlikely)
{
    size_t count;
    const Elf64_Rela *relocations = relocations_of(section, &count);
    if (piece->size + section->sh_size > MAX_SIZE) fail(piece->name, "is too long");
    if (piece->hole_count + count > MAX_HOLES) fail(piece->name, "has too many holes");
    memcpy(piece->bytes + piece->size, file + section->sh_offset, section->sh_size);
    for (size_t i = 0; i < count; i++)
        piece->holes[piece->hole_count++] = hole_of(piece, &relocations[i], unlikely);
    piece->size += section->sh_size;
}

static bool is_jump(const Piece *piece, const Hole *hole)
{
    return (piece->bytes[hole->at + jump.at] & jump.mask) == jump.bits;
}

// A jump into the unlikely part, which begins at `start`. True: it leads to a jump, and now to the
// target of that one.
static bool leads_through(const Piece *piece, Hole *hole, size_t start)
{
    for (const Hole *next = piece->holes; next < piece->holes + piece->hole_count; next++) {
        if (next->at != start + (size_t)(hole->addend + jump.to_hole) || !is_jump(piece, next))
            continue;
        hole->kind = next->kind;
        hole->addend = next->addend;
        return true;
    }
    return false;
}

// The unlikely part follows the first, which jumps to it; unless all such jumps lead through it.
static void join(Piece *piece, size_t start, size_t first_holes)
{
    size_t kept = 0;
    for (size_t i = 0; i < piece->hole_count; i++) {
        Hole hole = piece->holes[i];
        if (hole.kind == IN_UNLIKELY && !leads_through(piece, &hole, start))
            hole_fill(piece->bytes + hole.at, &hole, start, hole.at);
        else
            piece->holes[kept++] = hole;
    }
    bool needed = kept < piece->hole_count;
    if (!needed) piece->size = start;
    piece->hole_count = needed ? kept : first_holes;
}

static int compare_holes(const void *a, const void *b)
{
    return ((const Hole *)a)->at - ((const Hole *)b)->at;
}

// Is the hole that of a jump, which ends at `end`?
static bool ends_in_jump(const Piece *piece, const Hole *hole, size_t end)
{
    return hole->at + 4u == end && is_jump(piece, hole);
}

static void straighten(Piece *piece)
{
    while (true) {
        qsort(piece->holes, piece->hole_count, sizeof(Hole), compare_holes);
        if (piece->hole_count < 2) return;
        const Hole *last = &piece->holes[piece->hole_count - 1];
        size_t label = piece->size - jump.size;
        if (!ends_in_jump(piece, last, piece->size) || !ends_in_jump(piece, last - 1, label) ||
            !cut_jump(piece, label))
            return;
    }
}

static void drop_last_jump(Piece *piece)
{
    if (!piece->hole_count) return;
    const Hole *last = &piece->holes[piece->hole_count - 1];
    if (last->kind != HOLE_NEXT || !ends_in_jump(piece, last, piece->size)) return;
    piece->size -= jump.size;
    piece->hole_count--;
}

static Piece *read_piece(const Elf64_Shdr *section)
{
    static Piece piece;
    char unlikely_name[200];
    piece = (Piece){.name = section_name(section) + strlen(".text.")};
    snprintf(unlikely_name, sizeof unlikely_name, ".text.unlikely.%s", piece.name);
    const Elf64_Shdr *unlikely = section_named(unlikely_name);
    add_section(&piece, section, unlikely);
    size_t start = piece.size, holes = piece.hole_count;
    if (unlikely) add_section(&piece, unlikely, unlikely);
    join(&piece, start, holes);
    straighten(&piece);
    drop_last_jump(&piece);
    return &piece;
}

// ---- the tables

static bool is_stencil(const Elf64_Shdr *section)
{
    const char *name = section_name(section);
    return section->sh_type == SHT_PROGBITS && strncmp(name, ".text.", 6) == 0 &&
           strncmp(name, ".text.unlikely.", 15) != 0;
}

static int compare_sections(const void *a, const void *b)
{
    const Elf64_Shdr *const *left = a, *const *right = b;
    return strcmp(section_name(*left), section_name(*right));
}

static void print_tables(const Elf64_Shdr **found, size_t count)
{
    printf("const uint8_t stencil_code[] = {");
    for (size_t i = 0; i < count; i++) {
        const Piece *piece = read_piece(found[i]);
        printf("\n    /* %s */", piece->name);
        for (size_t k = 0; k < piece->size; k++) printf("%u,", piece->bytes[k]);
    }
    printf("0};\nconst Hole stencil_holes[] = {\n");
    for (size_t i = 0; i < count; i++) {
        const Piece *piece = read_piece(found[i]);
        for (const Hole *hole = piece->holes; hole < piece->holes + piece->hole_count; hole++)
            printf("    {%u, %u, %d, %u},\n", hole->at, hole->type, hole->addend, hole->kind);
    }
    printf("    {0, 0, 0, 0}};\nconst Stencil stencils[] = {\n");
    size_t code = 0, hole = 0;
    for (size_t i = 0; i < count; i++) {
        const Piece *piece = read_piece(found[i]);
        printf("    {\"%s\", %zu, %zu, %zu, %zu},\n", piece->name, code, piece->size,
               piece->hole_count, hole);
        code += piece->size;
        hole += piece->hole_count;
    }
    printf("    {0, 0, 0, 0, 0}};\nconst size_t stencil_count = %zu;\n", count);
}

int main(int argc, char **argv)
{
    if (argc != 2) fail("usage", "extract OBJECT");
    read_object(argv[1]);
    const Elf64_Shdr **found = calloc(section_count, sizeof *found);
    size_t count = 0;
    for (size_t i = 0; found && i < section_count; i++)
        if (is_stencil(&sections[i])) found[count++] = &sections[i];
    qsort(found, count, sizeof *found, compare_sections);
    printf(
        "// Made by vm/jit/extract.c from vm/jit/stencils.c.\n#include \"vm/jit/stencil.h\"\n\n");
    print_tables(found, count);
    return fflush(stdout) || ferror(stdout);
}
