// See deflate.h: wrappings, the window, flushing.
#include "vm/modules/zlib/deflate.h"

#include "objects/bytes/checksums.h"

#include "objects/memory.h"

#include <string.h>

#define DEFAULT_LEVEL 6

// ---- the beginning and the end of a stream

static void write_number(BytesOut *out, uint32_t number, int size, bool big_end_first)
{
    for (int i = 0; i < size; i++)
        bytes_out_byte(out, number >> 8 * (big_end_first ? size - 1 - i : i) & 255);
}

// 0 to 3, as zlib.h names them: the fastest to the slowest.
static unsigned speed_of(const Deflater *deflater)
{
    if (deflater->strategy >= STRATEGY_HUFFMAN || deflater->level < 2) return 0;
    return deflater->level < 6 ? 1 : deflater->level == 6 ? 2 : 3;
}

// RFC 1950, 2.2. The checksum is the dictionary's so far.
static void write_zlib_head(Deflater *deflater)
{
    BytesOut *out = deflater->blocks.out;
    unsigned head = (8 + ((unsigned)deflater->window_bits - 8) * 16) << 8;
    head |= speed_of(deflater) << 6 | (deflater->has_dictionary ? 0x20 : 0);
    write_number(out, head + 31 - head % 31, 2, true);
    if (deflater->has_dictionary) write_number(out, deflater->checksum, 4, true);
    deflater->checksum = ADLER32_START;
}

// RFC 1952, 2.3: no name, no time; made by Unix.
static void write_gzip_head(Deflater *deflater)
{
    unsigned speed = deflater->level == 9 ? 2 : speed_of(deflater) == 0 ? 4 : 0;
    bytes_out_add(deflater->blocks.out, "\x1f\x8b\x08\0\0\0\0\0", 8);
    write_number(deflater->blocks.out, speed, 1, false);
    write_number(deflater->blocks.out, 3, 1, false);
}

static void write_head(Deflater *deflater)
{
    if (deflater->has_begun) return;
    deflater->has_begun = true;
    if (deflater->wrapping == WRAPPING_ZLIB) write_zlib_head(deflater);
    if (deflater->wrapping == WRAPPING_GZIP) write_gzip_head(deflater);
}

static void write_end(Deflater *deflater)
{
    bool is_gzip = deflater->wrapping == WRAPPING_GZIP;
    if (deflater->wrapping == WRAPPING_NONE) return;
    write_number(deflater->blocks.out, deflater->checksum, 4, !is_gzip);
    if (is_gzip) write_number(deflater->blocks.out, deflater->input_size, 4, false);
}

// ---- the window

static void slide_positions(uint16_t *positions, size_t count, int distance)
{
    for (size_t i = 0; i < count; i++)
        positions[i] = (uint16_t)(positions[i] >= distance ? positions[i] - distance : 0);
}

// Forgets the lower half of the window.
static void slide(Deflater *deflater)
{
    int half = window_size(deflater);
    memmove(deflater->window, deflater->window + half,
            (size_t)(deflater->at + deflater->ahead - half));
    deflater->at -= half;
    deflater->match_start -= half;
    deflater->block_start -= half;
    if (deflater->not_noted > deflater->at) deflater->not_noted = deflater->at;
    slide_positions(deflater->newest, (size_t)1 << deflater->hash_bits, half);
    slide_positions(deflater->older, (size_t)half, half);
}

// The last positions before `at` lacked a byte; now they may have it.
static void note_late(Deflater *deflater)
{
    for (; deflater->not_noted && deflater->ahead + deflater->not_noted >= SHORTEST_MATCH;
         deflater->not_noted--)
        deflate_note(deflater, deflater->at - deflater->not_noted);
}

void deflate_fill(Deflater *deflater, Input *input)
{
    do {
        if (deflater->at >= window_size(deflater) + furthest_match(deflater)) slide(deflater);
        int end = deflater->at + deflater->ahead, room = 2 * window_size(deflater) - end;
        size_t part = input->size < (size_t)room ? input->size : (size_t)room;
        if (part == 0) return;
        memcpy(deflater->window + end, input->bytes, part);
        input->bytes += part;
        input->size -= part;
        deflater->ahead += (int)part;
        note_late(deflater);
    } while (deflater->ahead < LEAST_AHEAD && input->size > 0);
}

void deflate_end_block(Deflater *deflater, bool is_last)
{
    const uint8_t *bytes =
        deflater->block_start < 0 ? NULL : deflater->window + deflater->block_start;
    writer_end_block(&deflater->blocks, deflater->strategy == STRATEGY_FIXED, bytes,
                     (size_t)(deflater->at - deflater->block_start), is_last);
    deflater->block_start = deflater->at;
}

// ---- level 0: the bytes as they are

static void write_stored(Deflater *deflater, Input *input, size_t size, bool is_last)
{
    BytesOut *out = deflater->blocks.out;
    size_t from_window = (size_t)deflater->ahead, from_input = size - from_window;
    writer_begin_stored(&deflater->blocks, size, is_last);
    bytes_out_add(out, deflater->window, from_window);
    bytes_out_add(out, input->bytes, from_input);
    deflater->ahead = 0;
    *input = (Input){input->bytes + from_input, input->size - from_input};
}

// Before a flush, less than half a window waits until there is more.
static void store(Deflater *deflater, Input *input, Flush flush)
{
    size_t least = flush == FLUSH_NONE ? (size_t)window_size(deflater) : flush != FLUSH_FINISH;
    for (bool is_last = false; !is_last;) {
        size_t all = (size_t)deflater->ahead + input->size;
        size_t size = all < STORED_MOST ? all : STORED_MOST;
        if (size < least) break;
        is_last = flush == FLUSH_FINISH && size == all;
        write_stored(deflater, input, size, is_last);
    }
    if (input->size) memcpy(deflater->window + deflater->ahead, input->bytes, input->size);
    deflater->ahead += (int)input->size;
}

// ---- the other levels

static void compress_input(Deflater *deflater, Input *input, Flush flush)
{
    deflate_matches(deflater, input, flush != FLUSH_NONE);
    if (flush == FLUSH_NONE) return;
    bool has_table = deflater->strategy != STRATEGY_HUFFMAN && deflater->strategy != STRATEGY_RUNS;
    int late = SHORTEST_MATCH - 1;
    deflater->not_noted = !has_table ? 0 : deflater->at < late ? deflater->at : late;
    if (flush == FLUSH_FINISH)
        deflate_end_block(deflater, true);
    else if (deflater->blocks.count)
        deflate_end_block(deflater, false);
}

static void forget_all(Deflater *deflater)
{
    deflate_forget(deflater);
    if (deflater->ahead == 0) deflater->at = deflater->block_start = deflater->not_noted = 0;
}

// How much a flush does. One that does no more than the last one did is not done again.
static int rank_of(Flush flush)
{
    static const int ranks[] = {[FLUSH_NONE] = 0, [FLUSH_BLOCK] = 1, [FLUSH_PARTIAL] = 2,
                                [FLUSH_SYNC] = 4, [FLUSH_FULL] = 6,  [FLUSH_FINISH] = 8};
    return ranks[flush];
}

static void write_flush_mark(Deflater *deflater, Flush flush)
{
    if (flush == FLUSH_PARTIAL) writer_add_empty(&deflater->blocks);
    if (flush == FLUSH_SYNC || flush == FLUSH_FULL)
        writer_begin_stored(&deflater->blocks, 0, false);
    if (flush == FLUSH_FULL) forget_all(deflater);
}

static void take_checksum(Deflater *deflater, const uint8_t *bytes, size_t size)
{
    deflater->input_size += (uint32_t)size;
    if (deflater->wrapping == WRAPPING_ZLIB)
        deflater->checksum = zlib_adler32(deflater->checksum, bytes, size);
    if (deflater->wrapping == WRAPPING_GZIP)
        deflater->checksum = zlib_crc32(deflater->checksum, bytes, size);
}

void deflate_add(Deflater *deflater, const uint8_t *bytes, size_t size, Flush flush)
{
    Input input = {bytes, size};
    bool is_new = size > 0 || !deflater->has_begun || flush == FLUSH_FINISH ||
                  rank_of(flush) > rank_of(deflater->last_flush);
    if (!is_new || deflater->has_ended) return;
    deflater->last_flush = flush;
    write_head(deflater);
    take_checksum(deflater, bytes, size);
    if (deflater->level == 0)
        store(deflater, &input, flush);
    else
        compress_input(deflater, &input, flush);
    write_flush_mark(deflater, flush);
    deflater->has_ended = flush == FLUSH_FINISH;
    if (deflater->has_ended) write_end(deflater);
}

// ---- beginning, copying

static bool allocate(Deflater *deflater)
{
    size_t size = (size_t)window_size(deflater);
    deflater->window = memory_alloc(2 * size);
    deflater->newest = memory_alloc(sizeof *deflater->newest << deflater->hash_bits);
    deflater->older = memory_alloc(size * sizeof *deflater->older);
    deflater->blocks.symbols =
        memory_alloc((size_t)deflater->blocks.capacity * sizeof *deflater->blocks.symbols);
    bool done = deflater->window && deflater->newest && deflater->older && deflater->blocks.symbols;
    deflater->blocks.out->failed |= !done;
    return done;
}

// The window begins with the dictionary's end.
static void use_dictionary(Deflater *deflater, const uint8_t *bytes, size_t size)
{
    size_t most = (size_t)window_size(deflater);
    deflater->checksum = zlib_adler32(deflater->checksum, bytes, size);
    deflater->has_dictionary = true;
    if (size > most) {
        bytes += size - most;
        size = most;
    }
    memcpy(deflater->window, bytes, size);
    deflater->at = deflater->block_start = (int)size;
    for (int position = 0; position + SHORTEST_MATCH <= deflater->at; position++)
        deflate_note(deflater, position);
    deflater->not_noted = size < SHORTEST_MATCH ? (int)size : SHORTEST_MATCH - 1;
}

bool deflate_begin(Deflater *deflater, const DeflateOptions *options, BytesOut *out)
{
    *deflater = (Deflater){
        .level = options->level < 0 ? DEFAULT_LEVEL : options->level,
        .window_bits = options->window_bits,
        .hash_bits = options->memory + 7,
        .strategy = options->strategy,
        .wrapping = options->wrapping,
        .checksum = options->wrapping == WRAPPING_GZIP ? CRC32_START : ADLER32_START,
        .match_length = SHORTEST_MATCH - 1,
        .blocks = {.out = out, .capacity = 1 << (options->memory + 6)},
    };
    if (!allocate(deflater)) return false;
    deflate_forget(deflater);
    writer_begin(&deflater->blocks);
    if (options->dictionary)
        use_dictionary(deflater, options->dictionary, options->dictionary_size);
    return true;
}

bool deflate_copy(Deflater *copy, const Deflater *deflater, BytesOut *out)
{
    *copy = *deflater;
    copy->blocks.out = out;
    if (!allocate(copy)) return false;
    size_t size = (size_t)window_size(deflater);
    memcpy(copy->window, deflater->window, 2 * size);
    memcpy(copy->newest, deflater->newest, sizeof *copy->newest << copy->hash_bits);
    memcpy(copy->older, deflater->older, size * sizeof *copy->older);
    memcpy(copy->blocks.symbols, deflater->blocks.symbols,
           (size_t)copy->blocks.count * sizeof *copy->blocks.symbols);
    return true;
}

void deflate_free(Deflater *deflater)
{
    memory_free(deflater->window);
    memory_free(deflater->newest);
    memory_free(deflater->older);
    memory_free(deflater->blocks.symbols);
    deflater->window = NULL;
    deflater->newest = deflater->older = NULL;
    deflater->blocks.symbols = NULL;
}
