// A build tool: prints the stencils of an object file as C tables, for stencil.h.
//
//     extract OBJECT      vm/jit/stencils.c, compiled for x86-64 with a section for each function
//
// A function is in the section .text.NAME, with a relocation for each hole. What the compiler took
// for unlikely is in .text.unlikely.NAME, mostly one jump to an exit:
//
//     .text.add            add; jo -> .text.unlikely.add; jmp NEXT_
//     .text.unlikely.add   jmp EXIT_
//
// A jump to such a jump leads to its target at once, and the jump to NEXT_ at the end is left out.
// Whatever is not as described here ends the build, with a message.
#include "vm/jit/stencil.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JUMP_SIZE 5 // E9 and four bytes
#define MAX_SIZE 1000
#define MAX_HOLES 32

typedef struct Piece {
    const char *name;
    uint8_t bytes[MAX_SIZE];
    size_t size;
    Hole holes[MAX_HOLES]; // their kind is an index in kinds[]
    size_t hole_count;
} Piece;

static const struct {
    const char *symbol, *name;
    HoleKind kind;
} kinds[] = {
#define HOLE(symbol, kind) {#symbol, #kind, kind},
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
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
        fail(path, "is no object file of x86-64");
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

// The hole of a relocation to a symbol that stencils.c declares.
static Hole hole_at(const char *name, const Elf64_Rela *relocation)
{
    const char *symbol = symbol_names + symbols[ELF64_R_SYM(relocation->r_info)].st_name;
    uint32_t type = (uint32_t)ELF64_R_TYPE(relocation->r_info);
    bool absolute = type == R_X86_64_32 || type == R_X86_64_32S;
    if (!absolute && type != R_X86_64_PC32 && type != R_X86_64_PLT32)
        fail(name, "a relocation of another type");
    size_t kind = 0;
    while (kind < KIND_COUNT && strcmp(kinds[kind].symbol, symbol) != 0) kind++;
    if (kind == KIND_COUNT) fail(name, "a symbol that holes.def does not have");
    if (absolute != (kinds[kind].kind == HOLE_NUMBER)) fail(name, "an address that is no number");
    return (Hole){(uint16_t)relocation->r_offset, (uint8_t)kind, absolute,
                  (int32_t)relocation->r_addend};
}

// Where a jump to the unlikely part leads at once. The part's first instruction must be a jump.
static Hole hole_through(const char *name, const Elf64_Rela *jump, const Elf64_Shdr *unlikely)
{
    size_t count;
    const Elf64_Rela *relocations = relocations_of(unlikely, &count);
    int64_t target = jump->r_addend + 4;
    for (size_t i = 0; i < count; i++) {
        if ((int64_t)relocations[i].r_offset != target + 1) continue;
        if (file[unlikely->sh_offset + (size_t)target] != 0xE9) break;
        Hole hole = hole_at(name, &relocations[i]);
        hole.at = (uint16_t)jump->r_offset;
        return hole;
    }
    return (Hole){.at = UINT16_MAX};
}

static void add_bytes(Piece *piece, const Elf64_Shdr *section)
{
    if (piece->size + section->sh_size > MAX_SIZE) fail(piece->name, "is too long");
    memcpy(piece->bytes + piece->size, file + section->sh_offset, section->sh_size);
    piece->size += section->sh_size;
}

static void add_hole(Piece *piece, Hole hole)
{
    if (piece->hole_count == MAX_HOLES) fail(piece->name, "has too many holes");
    piece->holes[piece->hole_count++] = hole;
}

// The unlikely part is more than one jump: it follows the rest, which jumps to it.
static void add_unlikely(Piece *piece, const Elf64_Shdr *unlikely, size_t start)
{
    size_t count;
    const Elf64_Rela *relocations = relocations_of(unlikely, &count);
    add_bytes(piece, unlikely);
    for (size_t i = 0; i < count; i++) {
        Hole hole = hole_at(piece->name, &relocations[i]);
        hole.at = (uint16_t)(hole.at + start);
        add_hole(piece, hole);
    }
}

static void add_holes(Piece *piece, const Elf64_Shdr *section, const Elf64_Shdr *unlikely)
{
    size_t count, start = 0;
    const Elf64_Rela *relocations = relocations_of(section, &count);
    for (size_t i = 0; i < count; i++) {
        const Elf64_Sym *symbol = &symbols[ELF64_R_SYM(relocations[i].r_info)];
        if (!unlikely || &sections[symbol->st_shndx] != unlikely) {
            add_hole(piece, hole_at(piece->name, &relocations[i]));
            continue;
        }
        Hole hole = hole_through(piece->name, &relocations[i], unlikely);
        if (hole.at != UINT16_MAX) {
            add_hole(piece, hole);
            continue;
        }
        if (!start) add_unlikely(piece, unlikely, start = piece->size);
        int64_t at = (int64_t)relocations[i].r_offset;
        int32_t distance = (int32_t)((int64_t)start + relocations[i].r_addend - at);
        memcpy(piece->bytes + at, &distance, sizeof distance);
    }
}

static int compare_holes(const void *a, const void *b)
{
    return ((const Hole *)a)->at - ((const Hole *)b)->at;
}

static bool is_jump_to(const Piece *piece, const Hole *hole, HoleKind kind, size_t end)
{
    return kinds[hole->kind].kind == kind && hole->at + 4u == end &&
           piece->bytes[hole->at - 1] == 0xE9;
}

// ...; jo L; ...; jmp NEXT_; L: jmp EXIT_   becomes   ...; jo EXIT_; ...; jmp NEXT_
static void straighten(Piece *piece)
{
    if (piece->hole_count < 2) return;
    Hole *last = &piece->holes[piece->hole_count - 1];
    if (!is_jump_to(piece, last, HOLE_EXIT, piece->size) ||
        !is_jump_to(piece, last - 1, HOLE_NEXT, piece->size - JUMP_SIZE))
        return;
    size_t label = piece->size - JUMP_SIZE, at = 0;
    while (at < label && !(piece->bytes[at] == 0x70 && at + 2 + piece->bytes[at + 1] == label))
        at++;
    if (at == label) return;
    memmove(piece->bytes + at + 6, piece->bytes + at + 2, label - at - 2);
    piece->bytes[at] = 0x0F;
    piece->bytes[at + 1] = 0x80; // jo with four bytes of distance
    piece->size = label + 4;
    for (Hole *hole = piece->holes; hole < last; hole++)
        if (hole->at > at) hole->at = (uint16_t)(hole->at + 4);
    last->at = (uint16_t)(at + 2);
    qsort(piece->holes, piece->hole_count, sizeof(Hole), compare_holes);
}

static void drop_last_jump(Piece *piece)
{
    if (!piece->hole_count) return;
    if (!is_jump_to(piece, &piece->holes[piece->hole_count - 1], HOLE_NEXT, piece->size)) return;
    piece->size -= JUMP_SIZE;
    piece->hole_count--;
}

static Piece *read_piece(const Elf64_Shdr *section)
{
    static Piece piece;
    char unlikely_name[200];
    piece = (Piece){.name = section_name(section) + strlen(".text.")};
    snprintf(unlikely_name, sizeof unlikely_name, ".text.unlikely.%s", piece.name);
    add_bytes(&piece, section);
    add_holes(&piece, section, section_named(unlikely_name));
    qsort(piece.holes, piece.hole_count, sizeof(Hole), compare_holes);
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
            printf("    {%u, %s, %d, %d},\n", hole->at, kinds[hole->kind].name, hole->absolute,
                   (int)hole->addend);
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
