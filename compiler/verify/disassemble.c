// Code as text, as CPython 3.9's dis prints it.
//
//       2     >>    6 LOAD_FAST                0 (n)
//       |     |     | |                        |  what the operand means
//       |     |     | opcode in 20 columns     operand in 5
//       |     |     offset in bytes
//       |     a jump leads here
//       the line, where a new one begins
#include "compiler/verify/disassemble.h"

#include "compiler/opcode.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/stack.h"

#include <stdio.h>

#define NAME_WIDTH 20
#define OPERAND_WIDTH 5

static bool write_owned(StrBuilder *builder, Value text)
{
    bool written = text && builder_str(builder, text);
    drop(text);
    return written;
}

#define write_format(builder, ...) write_owned(builder, format_text(__VA_ARGS__))

static bool write_padded(StrBuilder *builder, const char *text, int width)
{
    int size = (int)strlen(text);
    return builder_ascii(builder, text, (size_t)size) &&
           builder_fill(builder, ' ', size < width ? width - size : 0);
}

static bool write_number(StrBuilder *builder, int number, int width)
{
    char text[16];
    int size = snprintf(text, sizeof text, "%*d", width, number);
    return builder_ascii(builder, text, (size_t)size);
}

// ---- what an operand means

// Joins the words whose bits are set. Returns the length, as snprintf() does.
static int join_words(char *text, size_t size, const char *const *words, int bits)
{
    int length = 0;
    for (int i = 0; bits >> i; i++) {
        if (!(bits & 1 << i)) continue;
        size_t room = (size_t)length < size ? size - (size_t)length : 0;
        length += snprintf(room ? text + length : NULL, room, length ? ", %s" : "%s", words[i]);
    }
    return length;
}

int operand_words(char *text, size_t size, int offset, int opcode, int operand)
{
    static const char *const comparisons[] = {"<", "<=", "==", "!=", ">", ">="};
    static const char *const conversions[] = {"str", "repr", "ascii", "with format"};
    static const char *const flags[] = {"defaults", "kwdefaults", "annotations", "closure"};
    if (size) *text = 0;
    switch (opcode_operand(opcode)) {
    case OPERAND_JUMP_RELATIVE: return snprintf(text, size, "to %d", offset + 2 + operand);
    case OPERAND_COMPARE:
        if (operand < 0 || operand > 5) return 0;
        return snprintf(text, size, "%s", comparisons[operand]);
    case OPERAND_CONVERSION:
        return join_words(text, size, conversions,
                          (1 << (operand & 3)) >> 1 | (operand & 4 ? 8 : 0));
    case OPERAND_FUNCTION_FLAGS: return join_words(text, size, flags, operand & 15);
    default: return 0;
    }
}

static ValueRef item_of(ValueRef tuple, int index)
{
    return index >= 0 && index < tuple_size(tuple) ? tuple_at(tuple, index) : 0;
}

//> lesson 5: meanings
ValueRef operand_item(const Code *code, int opcode, int operand)
{
    int cells = code_cell_count(code);
    switch (opcode_operand(opcode)) {
    case OPERAND_CONST: return item_of(code->consts, operand);
    case OPERAND_NAME: return item_of(code->names, operand);
    case OPERAND_LOCAL: return item_of(code->varnames, operand);
    case OPERAND_FREE:
        return operand < cells ? item_of(code->cellvars, operand)
                               : item_of(code->freevars, operand - cells);
    default: return 0;
    }
}

static bool write_meaning(StrBuilder *builder, const Code *code, int offset, int opcode,
                          int operand)
{
    char words[64];
    ValueRef item = operand_item(code, opcode, operand);
    if (item && opcode_operand(opcode) == OPERAND_CONST)
        return write_format(builder, " (%R)", item);
    if (item) return str_length(item) == 0 || write_format(builder, " (%S)", item);
    if (!operand_words(words, sizeof words, offset, opcode, operand)) return true;
    return write_format(builder, " (%s)", words);
}
//< lesson 5

// ---- an instruction

// The name of an opcode, "<7>" for one that does not exist.
static const char *name_of(int opcode, char *buffer, size_t size)
{
    const char *name = opcode_name(opcode);
    if (name) return name;
    snprintf(buffer, size, "<%d>", opcode);
    return buffer;
}

static bool write_instruction(StrBuilder *builder, const Code *code, int offset, int opcode,
                              int operand)
{
    char buffer[16];
    const char *name = name_of(opcode, buffer, sizeof buffer);
    if (opcode < HAVE_ARGUMENT) return builder_text(builder, name);
    return write_padded(builder, name, NAME_WIDTH) && builder_char(builder, ' ') &&
           write_number(builder, operand, OPERAND_WIDTH) &&
           write_meaning(builder, code, offset, opcode, operand);
}

// ---- a listing

typedef struct Listing {
    StrBuilder *builder;
    const Code *code;
    const uint8_t *bytes;
    int size;      // in bytes
    bool *targets; // for each instruction: a jump leads there
    int *lines;    // for each instruction: the line that begins there, or 0
    int line_width, offset_width;
} Listing;

static int operand_of(const Listing *listing, int offset)
{
    return (int)opcode_operand_at(listing->bytes, offset / 2);
}

//> lesson 5: places
static void find_targets(Listing *listing)
{
    for (int offset = 0; offset + 1 < listing->size; offset += 2) {
        int opcode = listing->bytes[offset], operand = operand_of(listing, offset);
        if (!opcode_is_jump(opcode)) continue;
        bool is_relative = opcode_operand(opcode) == OPERAND_JUMP_RELATIVE;
        int64_t target = (int64_t)operand + (is_relative ? offset + 2 : 0);
        if (target >= 0 && target < listing->size) listing->targets[target / 2] = true;
    }
}

static void begin_line(Listing *listing, int offset, int line, int *most)
{
    if (offset >= listing->size) return;
    if (offset % 2 == 0) listing->lines[offset / 2] = line; // steps of 255 may lead in between
    if (line > *most) *most = line;
}

// dis.findlinestarts(): the last line named for an offset counts, if it is another than before.
// The greatest line is returned.
static int find_lines(Listing *listing)
{
    const Bytes *table = as_bytes(listing->code->lnotab);
    int line = listing->code->firstlineno, last = 0, offset = 0, most = 0;
    for (ssize_t i = 0; i + 1 < table->size; i += 2) {
        int step = (uint8_t)table->data[i];
        if (step) {
            if (line != last) begin_line(listing, offset, line, &most);
            last = line;
            offset += step;
            if (offset >= listing->size) return most;
        }
        line += (int8_t)table->data[i + 1];
    }
    if (line != last) begin_line(listing, offset, line, &most);
    return most;
}
//< lesson 5

static int digits(int number)
{
    char text[16];
    return snprintf(text, sizeof text, "%d", number);
}

static bool write_line_number(const Listing *listing, int line)
{
    if (!listing->line_width) return true;
    if (line) return write_number(listing->builder, line, listing->line_width);
    return builder_fill(listing->builder, ' ', listing->line_width);
}

static bool write_row(const Listing *listing, int offset, int opcode, int operand)
{
    StrBuilder *builder = listing->builder;
    int line = listing->lines[offset / 2];
    if (line && offset > 0 && !builder_char(builder, '\n')) return false;
    return write_line_number(listing, line) &&
           builder_text(builder, listing->line_width ? " " : "") &&
           builder_text(builder, listing->targets[offset / 2] ? "    >> " : "       ") &&
           write_number(builder, offset, listing->offset_width) && builder_char(builder, ' ') &&
           write_instruction(builder, listing->code, offset, opcode, operand) &&
           builder_char(builder, '\n');
}

static bool write_rows(Listing *listing)
{
    find_targets(listing);
    int last_line = find_lines(listing);
    listing->line_width = last_line >= 1000 ? digits(last_line) : last_line > 0 ? 3 : 0;
    int last_offset = listing->size - 2;
    listing->offset_width = last_offset >= 10000 ? digits(last_offset) : 4;
    for (int offset = 0; offset + 1 < listing->size; offset += 2) {
        int opcode = listing->bytes[offset];
        if (!write_row(listing, offset, opcode, operand_of(listing, offset))) return false;
    }
    return true;
}

static bool write_code(StrBuilder *builder, const Code *code)
{
    int size = (int)code_size(code), count = size / 2 + 1;
    Listing listing = {.builder = builder,
                       .code = code,
                       .bytes = (const uint8_t *)as_bytes(code->code)->data,
                       .size = size,
                       .targets = memory_alloc_zeroed((size_t)count * sizeof(bool)),
                       .lines = memory_alloc_zeroed((size_t)count * sizeof(int))};
    bool has_memory = listing.targets && listing.lines;
    bool written = has_memory && write_rows(&listing);
    if (!has_memory) raise_memory_error();
    memory_free(listing.targets);
    memory_free(listing.lines);
    return written;
}

static bool write_recursively(StrBuilder *builder, const Code *code, bool recursive)
{
    if (!stack_check_room() || !write_code(builder, code)) return false;
    for (ssize_t i = 0; recursive && i < tuple_size(code->consts); i++) {
        ValueRef constant = tuple_at(code->consts, i);
        if (!code_check(constant)) continue;
        if (!write_format(builder, "\nDisassembly of %R:\n", constant)) return false;
        if (!write_recursively(builder, as_code(constant), true)) return false;
    }
    return true;
}

Value disassemble(ValueRef code, bool recursive)
{
    StrBuilder builder;
    builder_begin(&builder);
    if (write_recursively(&builder, as_code(code), recursive)) return builder_finish(&builder);
    builder_abandon(&builder);
    return VALUE_ERROR;
}
