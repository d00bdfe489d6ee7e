// See block_writer.h.
#include "vm/modules/zlib/block_writer.h"

#include "vm/modules/zlib/code_lengths.h"

#include <string.h>

#define STORED_HEAD 4 // bytes: the size, and the size with each bit turned over

// ---- bits

static void write_bits(BlockWriter *writer, unsigned bits, int count)
{
    writer->bits |= (uint64_t)bits << writer->bit_count;
    writer->bit_count += count;
    for (; writer->bit_count >= 8; writer->bit_count -= 8) {
        bytes_out_byte(writer->out, writer->bits & 255);
        writer->bits >>= 8;
    }
}

void writer_fill_byte(BlockWriter *writer)
{
    if (writer->bit_count > 0) write_bits(writer, 0, 8 - writer->bit_count);
}

static void write_head(BlockWriter *writer, BlockKind kind, bool is_last)
{
    write_bits(writer, (unsigned)kind << 1 | is_last, 3);
}

// ---- collecting

// The last symbol whose base is not above the number. (A length of 258 has one of its own.)
static int symbol_of(const uint16_t *bases, int count, int number)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (bases[middle] <= number)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int length_symbol(int length)
{
    return symbol_of(length_bases, LENGTH_SYMBOLS, length);
}

static int distance_symbol(int distance)
{
    return symbol_of(distance_bases, DISTANCE_SYMBOLS, distance);
}

void writer_begin(BlockWriter *writer)
{
    memset(writer->literals, 0, sizeof writer->literals);
    memset(writer->distances, 0, sizeof writer->distances);
    writer->literals[END_OF_BLOCK] = 1;
    writer->count = 0;
}

static bool add_symbol(BlockWriter *writer, BlockSymbol symbol)
{
    writer->symbols[writer->count++] = symbol;
    return writer->count == writer->capacity - 1;
}

bool writer_add_byte(BlockWriter *writer, uint8_t byte)
{
    writer->literals[byte]++;
    return add_symbol(writer, (BlockSymbol){0, byte});
}

bool writer_add_match(BlockWriter *writer, int distance, int length)
{
    writer->literals[FIRST_LENGTH + length_symbol(length)]++;
    writer->distances[distance_symbol(distance)]++;
    return add_symbol(writer,
                      (BlockSymbol){(uint16_t)distance, (uint8_t)(length - SHORTEST_MATCH)});
}

// ---- the codes of a block, and how long it gets with them

typedef struct Codes {
    uint8_t lengths[FIXED_SYMBOLS], distance_lengths[DISTANCE_SYMBOLS];
    uint16_t codes[FIXED_SYMBOLS], distance_codes[DISTANCE_SYMBOLS];
    int literal_count, distance_count; // up to the last symbol that has a code
} Codes;

static void fixed_codes(Codes *codes)
{
    for (int symbol = 0; symbol < FIXED_SYMBOLS; symbol++)
        codes->lengths[symbol] = (uint8_t)fixed_code_length(symbol);
    memset(codes->distance_lengths, FIXED_DISTANCE_LENGTH, DISTANCE_SYMBOLS);
    codes_of_lengths(codes->lengths, FIXED_SYMBOLS, codes->codes);
    codes_of_lengths(codes->distance_lengths, DISTANCE_SYMBOLS, codes->distance_codes);
}

static void own_codes(Codes *codes, const BlockWriter *writer)
{
    codes->literal_count =
        code_lengths(writer->literals, LITERAL_SYMBOLS, LONGEST_CODE, codes->lengths);
    codes->distance_count =
        code_lengths(writer->distances, DISTANCE_SYMBOLS, LONGEST_CODE, codes->distance_lengths);
    codes_of_lengths(codes->lengths, LITERAL_SYMBOLS, codes->codes);
    codes_of_lengths(codes->distance_lengths, DISTANCE_SYMBOLS, codes->distance_codes);
}

static size_t bits_of_symbols(const BlockWriter *writer, const Codes *codes)
{
    size_t bits = 0;
    for (int symbol = 0; symbol < LITERAL_SYMBOLS; symbol++) {
        int extra = symbol < FIRST_LENGTH ? 0 : length_extra_bits[symbol - FIRST_LENGTH];
        bits += (size_t)writer->literals[symbol] * (size_t)(codes->lengths[symbol] + extra);
    }
    for (int symbol = 0; symbol < DISTANCE_SYMBOLS; symbol++)
        bits += (size_t)writer->distances[symbol] *
                (size_t)(codes->distance_lengths[symbol] + distance_extra_bits[symbol]);
    return bits;
}

// ---- the head of a dynamic block: the lengths of its codes, in codes

typedef struct LengthList {
    uint8_t symbols[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
    uint8_t repeats[LITERAL_SYMBOLS + DISTANCE_SYMBOLS]; // what the extra bits say
    int count;
    uint16_t frequencies[LENGTH_CODE_SYMBOLS];
    uint8_t lengths[LENGTH_CODE_SYMBOLS]; // of the codes of the symbols above
    uint16_t codes[LENGTH_CODE_SYMBOLS];
    int written; // of those lengths, in length_code_order
} LengthList;

static void add_length(LengthList *list, int symbol, int repeats)
{
    list->symbols[list->count] = (uint8_t)symbol;
    list->repeats[list->count++] = (uint8_t)(repeats - repeat_bases[symbol]);
    list->frequencies[symbol]++;
}

// A run of equal lengths: how it is said depends on how long it is, and on whether it goes on.
static void add_run(LengthList *list, int length, int run, bool follows_itself)
{
    if (length && !follows_itself) {
        add_length(list, length, 0);
        run--;
    }
    if (run < 3)
        while (run-- > 0) add_length(list, length, 0);
    else if (length)
        add_length(list, REPEAT_LAST, run);
    else
        add_length(list, run <= 10 ? REPEAT_ZERO : REPEAT_ZERO_LONGER, run);
}

static void add_lengths(LengthList *list, const uint8_t *lengths, int count)
{
    int before = -1;
    for (int at = 0, run; at < count; at += run) {
        bool follows_itself = lengths[at] == before;
        int most = lengths[at] == 0 ? 138 : follows_itself ? 6 : 7;
        for (run = 1; run < most && at + run < count && lengths[at + run] == lengths[at];) run++;
        add_run(list, lengths[at], run, follows_itself);
        before = lengths[at];
    }
}

static void list_lengths(LengthList *list, const Codes *codes)
{
    memset(list, 0, sizeof *list);
    add_lengths(list, codes->lengths, codes->literal_count);
    add_lengths(list, codes->distance_lengths, codes->distance_count);
    code_lengths(list->frequencies, LENGTH_CODE_SYMBOLS, LONGEST_LENGTH_CODE, list->lengths);
    codes_of_lengths(list->lengths, LENGTH_CODE_SYMBOLS, list->codes);
    list->written = LENGTH_CODE_SYMBOLS;
    while (list->written > 4 && list->lengths[length_code_order[list->written - 1]] == 0)
        list->written--;
}

static size_t bits_of_list(const LengthList *list)
{
    size_t bits = 5 + 5 + 4 + 3 * (size_t)list->written;
    for (int symbol = 0; symbol < LENGTH_CODE_SYMBOLS; symbol++)
        bits += (size_t)list->frequencies[symbol] *
                (size_t)(list->lengths[symbol] + repeat_extra_bits[symbol]);
    return bits;
}

static void write_list(BlockWriter *writer, const LengthList *list, const Codes *codes)
{
    write_bits(writer, (unsigned)codes->literal_count - FIRST_LENGTH, 5);
    write_bits(writer, (unsigned)codes->distance_count - 1, 5);
    write_bits(writer, (unsigned)list->written - 4, 4);
    for (int i = 0; i < list->written; i++)
        write_bits(writer, list->lengths[length_code_order[i]], 3);
    for (int i = 0; i < list->count; i++) {
        int symbol = list->symbols[i];
        write_bits(writer, list->codes[symbol], list->lengths[symbol]);
        write_bits(writer, list->repeats[i], repeat_extra_bits[symbol]);
    }
}

// ---- writing

static void write_literal(BlockWriter *writer, const Codes *codes, int symbol)
{
    write_bits(writer, codes->codes[symbol], codes->lengths[symbol]);
}

static void write_match(BlockWriter *writer, const Codes *codes, int distance, int length)
{
    int symbol = length_symbol(length);
    write_literal(writer, codes, FIRST_LENGTH + symbol);
    write_bits(writer, (unsigned)(length - length_bases[symbol]), length_extra_bits[symbol]);
    symbol = distance_symbol(distance);
    write_bits(writer, codes->distance_codes[symbol], codes->distance_lengths[symbol]);
    write_bits(writer, (unsigned)(distance - distance_bases[symbol]), distance_extra_bits[symbol]);
}

static void write_symbols(BlockWriter *writer, const Codes *codes)
{
    for (int i = 0; i < writer->count; i++) {
        BlockSymbol symbol = writer->symbols[i];
        if (symbol.distance)
            write_match(writer, codes, symbol.distance, symbol.literal + SHORTEST_MATCH);
        else
            write_literal(writer, codes, symbol.literal);
    }
    write_literal(writer, codes, END_OF_BLOCK);
}

void writer_begin_stored(BlockWriter *writer, size_t size, bool is_last)
{
    write_head(writer, BLOCK_STORED, is_last);
    writer_fill_byte(writer);
    write_bits(writer, (unsigned)size, 16);
    write_bits(writer, (unsigned)size ^ 0xffff, 16);
}

void writer_add_empty(BlockWriter *writer)
{
    Codes codes;
    fixed_codes(&codes);
    write_head(writer, BLOCK_FIXED, false);
    write_literal(writer, &codes, END_OF_BLOCK);
}

static size_t whole_bytes(size_t bits)
{
    return (3 + bits + 7) / 8;
}

void writer_end_block(BlockWriter *writer, bool only_fixed, const uint8_t *bytes, size_t size,
                      bool is_last)
{
    Codes fixed, own;
    LengthList list;
    fixed_codes(&fixed);
    own_codes(&own, writer);
    list_lengths(&list, &own);
    size_t fixed_size = whole_bytes(bits_of_symbols(writer, &fixed));
    size_t own_size = whole_bytes(bits_of_list(&list) + bits_of_symbols(writer, &own));
    bool is_fixed = fixed_size <= own_size || only_fixed;
    bool is_stored =
        bytes && size <= STORED_MOST && size + STORED_HEAD <= (is_fixed ? fixed_size : own_size);
    if (is_stored) {
        writer_begin_stored(writer, size, is_last);
        bytes_out_add(writer->out, bytes, size);
    } else {
        write_head(writer, is_fixed ? BLOCK_FIXED : BLOCK_DYNAMIC, is_last);
        if (!is_fixed) write_list(writer, &list, &own);
        write_symbols(writer, is_fixed ? &fixed : &own);
    }
    writer_begin(writer);
    if (is_last) writer_fill_byte(writer);
}
