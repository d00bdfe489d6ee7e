// See inflate.h: one function for each field of the format; each says what comes next.
#include "objects/bytes/inflate.h"

#include "objects/bytes/checksums.h"
#include "objects/memory.h"

#include <string.h>

// ---- bits

// Are there so many? The input's bytes come as they are needed.
static bool has_bits(Inflater *inflater, int count)
{
    while (inflater->bit_count < count && inflater->input_size > 0) {
        inflater->bits |= (uint64_t)*inflater->input++ << inflater->bit_count;
        inflater->bit_count += 8;
        inflater->input_size--;
    }
    return inflater->bit_count >= count;
}

static unsigned bits_at(const Inflater *inflater, int from, int count)
{
    return (unsigned)(inflater->bits >> from & ((UINT64_C(1) << count) - 1));
}

static void use_bits(Inflater *inflater, int count)
{
    inflater->bits >>= count;
    inflater->bit_count -= count;
}

static unsigned take_bits(Inflater *inflater, int count)
{
    unsigned bits = bits_at(inflater, 0, count);
    use_bits(inflater, count);
    return bits;
}

// Whole bytes that were taken and not used go back. They are still there: none of an earlier input
// is in `bits` when a later one is read to its end, or needs more.
static void give_back(Inflater *inflater, const uint8_t *begin)
{
    while (inflater->bit_count >= 8 && inflater->input > begin) {
        inflater->input--;
        inflater->input_size++;
        inflater->bit_count -= 8;
    }
    inflater->bits &= (UINT64_C(1) << inflater->bit_count) - 1;
}

// A stream that is wrong stays so, whatever comes after.
static StepResult stay_wrong(Inflater *inflater)
{
    (void)inflater;
    return STEP_IS_WRONG;
}

static StepResult wrong(Inflater *inflater, const char *fault)
{
    inflater->fault = fault;
    inflater->step = stay_wrong;
    return STEP_IS_WRONG;
}

static StepResult go_to(Inflater *inflater, Step step)
{
    inflater->step = step;
    return STEP_DONE;
}

// ---- codes

// Are there as many codes as so many bits allow?
static bool count_codes(Decoder *decoder, const uint8_t *lengths, int count)
{
    int left = 1;
    decoder->longest = 0;
    memset(decoder->counts, 0, sizeof decoder->counts);
    for (int symbol = 0; symbol < count; symbol++) decoder->counts[lengths[symbol]]++;
    decoder->counts[0] = 0;
    for (int length = 1; length <= LONGEST_CODE; length++) {
        left = 2 * left - decoder->counts[length];
        if (left < 0) return false;
        if (decoder->counts[length]) decoder->longest = length;
    }
    // A single code of one bit is allowed, and none at all: what is missing may never come.
    return left == 0 || decoder->longest <= 1;
}

// The code of so many bits that comes next; both have their first bit lowest, as a stream has them.
static unsigned next_code(unsigned code, int length)
{
    unsigned bit = 1U << (length - 1);
    for (; code & bit; bit >>= 1) code ^= bit;
    return code | bit;
}

// The bits above a code may be anything: with each length, what is there stands twice.
static void add_quick(Decoder *decoder)
{
    unsigned code = 0;
    const uint16_t *symbol = decoder->symbols;
    decoder->quick[0] = 0;
    for (int length = 1; length <= QUICK_BITS; length++) {
        size_t half = (size_t)1 << (length - 1);
        memcpy(decoder->quick + half, decoder->quick, half * sizeof *decoder->quick);
        for (int i = 0; i < decoder->counts[length]; i++, code = next_code(code, length))
            decoder->quick[code] = (uint16_t)(*symbol++ << 4 | length);
    }
}

static bool build_decoder(Decoder *decoder, const uint8_t *lengths, int count)
{
    uint16_t offsets[LONGEST_CODE + 2] = {0};
    if (!count_codes(decoder, lengths, count)) return false;
    for (int length = 1; length <= LONGEST_CODE; length++)
        offsets[length + 1] = (uint16_t)(offsets[length] + decoder->counts[length]);
    for (int symbol = 0; symbol < count; symbol++)
        if (lengths[symbol]) decoder->symbols[offsets[lengths[symbol]]++] = (uint16_t)symbol;
    add_quick(decoder);
    return true;
}

#define NO_SYMBOL (-1) // no code begins like this
#define MORE_BITS (-2) // it may, if more bits come

// The symbol whose code begins `from` bits on, and that code's length.
static int decode(Inflater *inflater, const Decoder *decoder, int from, int *length)
{
    bool all = has_bits(inflater, from + decoder->longest);
    unsigned found = decoder->quick[bits_at(inflater, from, QUICK_BITS)];
    *length = found & 15;
    if (found && from + *length <= inflater->bit_count) return (int)(found >> 4);
    int code = 0, first = 0, index = 0; // the first code of this length, and its symbol's position
    for (*length = 1; *length <= decoder->longest; ++*length) {
        if (!all && from + *length > inflater->bit_count) return MORE_BITS;
        code |= (int)bits_at(inflater, from + *length - 1, 1);
        int count = decoder->counts[*length];
        if (code < first + count) return decoder->symbols[index + code - first];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    return NO_SYMBOL;
}

// ---- writing

static void note_checksum(Inflater *inflater)
{
    const uint8_t *bytes = inflater->out.bytes + inflater->summed;
    size_t size = inflater->out.size - inflater->summed;
    if (inflater->is_gzip)
        inflater->checksum = zlib_crc32(inflater->checksum, bytes, size);
    else if (inflater->wrapping != INFLATE_RAW)
        inflater->checksum = zlib_adler32(inflater->checksum, bytes, size);
    inflater->written += (uint32_t)size;
    inflater->summed = inflater->out.size;
}

static int most_to_copy(const Inflater *inflater)
{
    size_t most = (size_t)inflater->copy_length;
    return (int)(most < inflater->room ? most : inflater->room);
}

static void wrote(Inflater *inflater, int count)
{
    inflater->out.size += (size_t)count;
    inflater->room -= (size_t)count;
}

static StepResult read_symbol(Inflater *inflater);

static StepResult copy_match(Inflater *inflater)
{
    int count = most_to_copy(inflater);
    if (count > 0 && (size_t)inflater->copy_distance > inflater->out.size)
        return wrong(inflater, "invalid distance too far back");
    if (count == 0 || !bytes_out_room(&inflater->out, (size_t)count)) return STEP_NEEDS_ROOM;
    uint8_t *to = inflater->out.bytes + inflater->out.size, *from = to - inflater->copy_distance;
    for (int i = 0; i < count; i++) to[i] = from[i]; // what was just written may be meant
    wrote(inflater, count);
    inflater->copy_length -= count;
    return inflater->copy_length ? STEP_DONE : go_to(inflater, read_symbol);
}

// ---- a block's symbols

static StepResult write_byte(Inflater *inflater)
{
    if (inflater->room == 0) return STEP_NEEDS_ROOM;
    bytes_out_byte(&inflater->out, (unsigned)inflater->copy_distance);
    inflater->room--;
    return go_to(inflater, read_symbol);
}

static StepResult read_block(Inflater *inflater);
static StepResult read_checksum(Inflater *inflater);

static StepResult end_block(Inflater *inflater)
{
    return go_to(inflater, inflater->is_last_block ? read_checksum : read_block);
}

// The distance that comes `used` bits on; a match is read as a whole.
static StepResult read_distance(Inflater *inflater, int used, int length)
{
    int code_length, symbol = decode(inflater, &inflater->distances, used, &code_length);
    if (symbol == MORE_BITS) return STEP_NEEDS_INPUT;
    if (symbol == NO_SYMBOL || symbol >= DISTANCE_SYMBOLS)
        return wrong(inflater, "invalid distance code");
    int extra = distance_extra_bits[symbol];
    used += code_length;
    if (!has_bits(inflater, used + extra)) return STEP_NEEDS_INPUT;
    inflater->copy_length = length;
    inflater->copy_distance = distance_bases[symbol] + (int)bits_at(inflater, used, extra);
    use_bits(inflater, used + extra);
    return go_to(inflater, copy_match);
}

static StepResult read_length(Inflater *inflater, int symbol, int used)
{
    if (symbol >= LENGTH_SYMBOLS) return wrong(inflater, "invalid literal/length code");
    int extra = length_extra_bits[symbol];
    if (!has_bits(inflater, used + extra)) return STEP_NEEDS_INPUT;
    int length = length_bases[symbol] + (int)bits_at(inflater, used, extra);
    return read_distance(inflater, used + extra, length);
}

// ---- many symbols at once

// While there is enough input, and room, a symbol need not ask for each of its bits: no match has
// more than 38, where its codes are short. What is not usual is left to the steps: long codes,
// faults, the end of a block.
#define ROOM_AHEAD ((size_t)1 << 16)

typedef struct Ahead {
    const uint8_t *input;
    uint64_t bits; // above bit_count: some of the byte that comes next
    unsigned bit_count;
    uint8_t *to;
} Ahead;

static inline void fill_bits(Ahead *ahead)
{
    uint64_t eight;
    memcpy(&eight, ahead->input, sizeof eight); // little-endian, as the machines minivm is for
    ahead->bits |= eight << ahead->bit_count;
    ahead->input += (63 - ahead->bit_count) / 8;
    ahead->bit_count |= 56;
}

static inline int take_ahead(Ahead *ahead, unsigned count)
{
    unsigned bits = (unsigned)(ahead->bits & ((UINT64_C(1) << count) - 1));
    ahead->bits >>= count;
    ahead->bit_count -= count;
    return (int)bits;
}

// What `quick` has: symbol << 4 | length, or 0.
static inline unsigned take_quick(Ahead *ahead, const Decoder *decoder)
{
    unsigned found = decoder->quick[ahead->bits & ((1 << QUICK_BITS) - 1)];
    take_ahead(ahead, found & 15);
    return found;
}

static inline bool match_ahead(const Inflater *inflater, Ahead *ahead, unsigned symbol)
{
    if (symbol >= LENGTH_SYMBOLS) return false;
    int length = length_bases[symbol] + take_ahead(ahead, length_extra_bits[symbol]);
    unsigned found = take_quick(ahead, &inflater->distances), far = found >> 4;
    if (!found || far >= DISTANCE_SYMBOLS) return false;
    int distance = distance_bases[far] + take_ahead(ahead, distance_extra_bits[far]);
    uint8_t *to = ahead->to, *from = to - distance;
    if (distance > to - inflater->out.bytes) return false;
    if (distance < BYTES_AHEAD)
        for (int i = 0; i < length; i++) to[i] = from[i]; // what was just written is meant
    else
        for (int i = 0; i < length; i += BYTES_AHEAD) memcpy(to + i, from + i, BYTES_AHEAD);
    ahead->to += length;
    return true;
}

typedef enum ReadAhead { NOTHING, A_BYTE, A_MATCH } ReadAhead;

// Twice in the loop below, and each time inlined: a call costs what the second one saves.
static inline __attribute__((always_inline)) ReadAhead read_one(const Inflater *inflater,
                                                                Ahead *ahead)
{
    Ahead next = *ahead;
    unsigned found = take_quick(&next, &inflater->literals), symbol = found >> 4;
    bool is_byte = found && symbol < END_OF_BLOCK;
    if (is_byte)
        *next.to++ = (uint8_t)symbol;
    else if (!match_ahead(inflater, &next, symbol - FIRST_LENGTH)) // 0 is none, either
        return NOTHING;
    *ahead = next;
    return is_byte ? A_BYTE : A_MATCH;
}

static void read_ahead(Inflater *inflater)
{
    const uint8_t *begin = inflater->input, *end = begin + inflater->input_size;
    size_t room = inflater->room < ROOM_AHEAD ? inflater->room : ROOM_AHEAD;
    if (end - begin < BYTES_AHEAD || room <= INFLATE_SLACK || !bytes_out_room(&inflater->out, room))
        return;
    uint8_t *start = inflater->out.bytes + inflater->out.size, *stop = start + room - INFLATE_SLACK;
    const uint8_t *last = end - BYTES_AHEAD;
    Ahead ahead = {begin, inflater->bits, (unsigned)inflater->bit_count, start};
    while (ahead.input <= last && ahead.to < stop) {
        fill_bits(&ahead);
        ReadAhead read = read_one(inflater, &ahead);
        if (read == A_BYTE) read = read_one(inflater, &ahead); // its bits leave enough for a match
        if (read == NOTHING) break;
    }
    inflater->bits = ahead.bits;
    inflater->bit_count = (int)ahead.bit_count;
    inflate_take(inflater, ahead.input, (size_t)(end - ahead.input));
    give_back(inflater, begin); // a stored block expects nothing above bit_count
    wrote(inflater, (int)(ahead.to - start));
}

static StepResult read_symbol(Inflater *inflater)
{
    read_ahead(inflater);
    int code_length, symbol = decode(inflater, &inflater->literals, 0, &code_length);
    if (symbol == MORE_BITS) return STEP_NEEDS_INPUT;
    if (symbol == NO_SYMBOL) return wrong(inflater, "invalid literal/length code");
    if (symbol >= FIRST_LENGTH) return read_length(inflater, symbol - FIRST_LENGTH, code_length);
    use_bits(inflater, code_length);
    if (symbol == END_OF_BLOCK) return end_block(inflater);
    inflater->copy_distance = symbol;
    return inflater->room ? write_byte(inflater) : go_to(inflater, write_byte);
}

// ---- the head of a dynamic block

static StepResult end_lengths(Inflater *inflater)
{
    const uint8_t *lengths = inflater->lengths;
    if (lengths[END_OF_BLOCK] == 0) return wrong(inflater, "invalid code -- missing end-of-block");
    // The codes of the lengths are no longer needed: their decoder is that of the distances.
    if (!build_decoder(&inflater->literals, lengths, inflater->literal_count))
        return wrong(inflater, "invalid literal/lengths set");
    if (!build_decoder(&inflater->distances, lengths + inflater->literal_count,
                       inflater->distance_count))
        return wrong(inflater, "invalid distances set");
    return go_to(inflater, read_symbol);
}

static StepResult repeat_length(Inflater *inflater, int symbol, int code_length)
{
    int extra = repeat_extra_bits[symbol], all = inflater->literal_count + inflater->distance_count;
    if (!has_bits(inflater, code_length + extra)) return STEP_NEEDS_INPUT;
    int count = repeat_bases[symbol] + (int)bits_at(inflater, code_length, extra);
    bool is_first = symbol == REPEAT_LAST && inflater->at == 0;
    if (is_first || inflater->at + count > all) return wrong(inflater, "invalid bit length repeat");
    int length = symbol == REPEAT_LAST ? inflater->lengths[inflater->at - 1] : 0;
    use_bits(inflater, code_length + extra);
    memset(inflater->lengths + inflater->at, length, (size_t)count);
    inflater->at += count;
    return STEP_DONE;
}

static StepResult read_lengths(Inflater *inflater)
{
    if (inflater->at == inflater->literal_count + inflater->distance_count)
        return end_lengths(inflater);
    int code_length, symbol = decode(inflater, &inflater->distances, 0, &code_length);
    if (symbol == MORE_BITS) return STEP_NEEDS_INPUT;
    if (symbol == NO_SYMBOL) { // there are no codes: zlib takes a bit for a length of 0
        if (!has_bits(inflater, 1)) return STEP_NEEDS_INPUT;
        symbol = 0;
        code_length = 1;
    }
    if (symbol >= REPEAT_LAST) return repeat_length(inflater, symbol, code_length);
    use_bits(inflater, code_length);
    inflater->lengths[inflater->at++] = (uint8_t)symbol;
    return STEP_DONE;
}

static StepResult read_length_codes(Inflater *inflater)
{
    if (inflater->at < inflater->length_count) {
        if (!has_bits(inflater, 3)) return STEP_NEEDS_INPUT;
        inflater->lengths[length_code_order[inflater->at++]] = (uint8_t)take_bits(inflater, 3);
        return STEP_DONE;
    }
    Decoder *decoder = &inflater->distances;
    bool fits = build_decoder(decoder, inflater->lengths, LENGTH_CODE_SYMBOLS);
    int left = 1 << LONGEST_LENGTH_CODE, used = 0;
    for (int length = 1; length <= LONGEST_LENGTH_CODE; length++)
        used += decoder->counts[length] << (LONGEST_LENGTH_CODE - length);
    if (!fits || (used && used < left)) return wrong(inflater, "invalid code lengths set");
    inflater->at = 0;
    return go_to(inflater, read_lengths);
}

static StepResult read_counts(Inflater *inflater)
{
    if (!has_bits(inflater, 14)) return STEP_NEEDS_INPUT;
    inflater->literal_count = (int)take_bits(inflater, 5) + FIRST_LENGTH;
    inflater->distance_count = (int)take_bits(inflater, 5) + 1;
    inflater->length_count = (int)take_bits(inflater, 4) + 4;
    inflater->at = 0;
    if (inflater->literal_count > LITERAL_SYMBOLS || inflater->distance_count > DISTANCE_SYMBOLS)
        return wrong(inflater, "too many length or distance symbols");
    memset(inflater->lengths, 0, LENGTH_CODE_SYMBOLS);
    return go_to(inflater, read_length_codes);
}

// ---- the other blocks

static void take_fixed_codes(Inflater *inflater)
{
    uint8_t lengths[FIXED_SYMBOLS];
    for (int symbol = 0; symbol < FIXED_SYMBOLS; symbol++)
        lengths[symbol] = (uint8_t)fixed_code_length(symbol);
    build_decoder(&inflater->literals, lengths, FIXED_SYMBOLS);
    memset(lengths, FIXED_DISTANCE_LENGTH, 32);
    build_decoder(&inflater->distances, lengths, 32);
}

// What is in `bits` belongs to the stored bytes too.
static StepResult copy_stored(Inflater *inflater)
{
    if (inflater->copy_length == 0) return end_block(inflater);
    if (inflater->room == 0) return STEP_NEEDS_ROOM;
    if (inflater->bit_count) {
        bytes_out_byte(&inflater->out, take_bits(inflater, 8));
        inflater->room--;
        inflater->copy_length--;
        return STEP_DONE;
    }
    size_t count = (size_t)most_to_copy(inflater);
    if (count > inflater->input_size) count = inflater->input_size;
    if (count == 0) return STEP_NEEDS_INPUT;
    bytes_out_add(&inflater->out, inflater->input, count);
    inflater->room -= count;
    inflater->copy_length -= (int)count;
    inflater->input += count;
    inflater->input_size -= count;
    return STEP_DONE;
}

static StepResult read_stored_size(Inflater *inflater)
{
    if (!has_bits(inflater, 32)) return STEP_NEEDS_INPUT;
    inflater->copy_length = (int)take_bits(inflater, 16);
    if ((take_bits(inflater, 16) ^ 0xffff) != (unsigned)inflater->copy_length)
        return wrong(inflater, "invalid stored block lengths");
    return go_to(inflater, copy_stored);
}

static StepResult read_block(Inflater *inflater)
{
    if (!has_bits(inflater, 3)) return STEP_NEEDS_INPUT;
    inflater->is_last_block = take_bits(inflater, 1);
    switch (take_bits(inflater, 2)) {
    case BLOCK_STORED:
        use_bits(inflater, inflater->bit_count & 7);
        return go_to(inflater, read_stored_size);
    case BLOCK_FIXED: take_fixed_codes(inflater); return go_to(inflater, read_symbol);
    case BLOCK_DYNAMIC: return go_to(inflater, read_counts);
    default: return wrong(inflater, "invalid block type");
    }
}

// ---- the end

static StepResult end_stream(Inflater *inflater)
{
    (void)inflater;
    return STEP_ENDS;
}

static uint32_t big_end_first(uint32_t number)
{
    return number >> 24 | (number >> 8 & 0xff00) | (number << 8 & 0xff0000) | number << 24;
}

static StepResult read_size(Inflater *inflater)
{
    if (!has_bits(inflater, 32)) return STEP_NEEDS_INPUT;
    if (take_bits(inflater, 32) != inflater->written)
        return wrong(inflater, "incorrect length check");
    return go_to(inflater, end_stream);
}

static StepResult read_checksum(Inflater *inflater)
{
    use_bits(inflater, inflater->bit_count & 7);
    if (inflater->wrapping == INFLATE_RAW) return go_to(inflater, end_stream);
    if (!has_bits(inflater, 32)) return STEP_NEEDS_INPUT;
    uint32_t sum = take_bits(inflater, 32);
    note_checksum(inflater);
    if ((inflater->is_gzip ? sum : big_end_first(sum)) != inflater->checksum)
        return wrong(inflater, "incorrect data check");
    return go_to(inflater, inflater->is_gzip ? read_size : end_stream);
}

// ---- zlib's head

static StepResult await_dictionary(Inflater *inflater)
{
    if (!inflater->has_dictionary) return STEP_NEEDS_DICTIONARY;
    inflater->checksum = ADLER32_START;
    return go_to(inflater, read_block);
}

static StepResult read_dictionary_sum(Inflater *inflater)
{
    if (!has_bits(inflater, 32)) return STEP_NEEDS_INPUT;
    inflater->dictionary_sum = big_end_first(take_bits(inflater, 32));
    return go_to(inflater, await_dictionary);
}

static StepResult read_zlib_head(Inflater *inflater, unsigned head)
{
    unsigned window_bits = (head >> 4 & 15) + 8;
    if (((head & 255) << 8 | head >> 8) % 31) return wrong(inflater, "incorrect header check");
    if ((head & 15) != 8) return wrong(inflater, "unknown compression method");
    if (inflater->window_bits == 0) inflater->window_bits = (int)window_bits;
    if (window_bits > LARGEST_WINDOW || window_bits > (unsigned)inflater->window_bits)
        return wrong(inflater, "invalid window size");
    inflater->checksum = ADLER32_START;
    use_bits(inflater, 16);
    return go_to(inflater, head >> 8 & 0x20 ? read_dictionary_sum : read_block);
}

// ---- gzip's head

#define GZIP_HEAD_SUM 2
#define GZIP_EXTRA 4
#define GZIP_NAME 8
#define GZIP_COMMENT 16

// The head may have a checksum of its own.
static void use_head_byte(Inflater *inflater)
{
    uint8_t byte = (uint8_t)take_bits(inflater, 8);
    inflater->head_sum = zlib_crc32(inflater->head_sum, &byte, 1);
}

static void use_head_bytes(Inflater *inflater, int count)
{
    while (count-- > 0) use_head_byte(inflater);
}

static StepResult read_head_sum(Inflater *inflater)
{
    if (inflater->gzip_flags & GZIP_HEAD_SUM) {
        if (!has_bits(inflater, 16)) return STEP_NEEDS_INPUT;
        if (take_bits(inflater, 16) != (inflater->head_sum & 0xffff))
            return wrong(inflater, "header crc mismatch");
    }
    inflater->checksum = CRC32_START;
    return go_to(inflater, read_block);
}

// A name and a comment, each up to a zero byte.
static StepResult read_texts(Inflater *inflater)
{
    unsigned which = inflater->gzip_flags & (GZIP_NAME | GZIP_COMMENT);
    if (!which) return go_to(inflater, read_head_sum);
    if (!has_bits(inflater, 8)) return STEP_NEEDS_INPUT;
    if (bits_at(inflater, 0, 8) == 0)
        inflater->gzip_flags &= ~(unsigned)(which & GZIP_NAME ? GZIP_NAME : GZIP_COMMENT);
    use_head_byte(inflater);
    return STEP_DONE;
}

static StepResult skip_extra(Inflater *inflater)
{
    if (inflater->copy_length == 0) return go_to(inflater, read_texts);
    if (!has_bits(inflater, 8)) return STEP_NEEDS_INPUT;
    use_head_byte(inflater);
    inflater->copy_length--;
    return STEP_DONE;
}

static StepResult read_extra_size(Inflater *inflater)
{
    if (!(inflater->gzip_flags & GZIP_EXTRA)) return go_to(inflater, read_texts);
    if (!has_bits(inflater, 16)) return STEP_NEEDS_INPUT;
    inflater->copy_length = (int)bits_at(inflater, 0, 16);
    use_head_bytes(inflater, 2);
    return go_to(inflater, skip_extra);
}

// The time, how hard was tried, and which system.
static StepResult read_origin(Inflater *inflater)
{
    if (!has_bits(inflater, 48)) return STEP_NEEDS_INPUT;
    use_head_bytes(inflater, 6);
    return go_to(inflater, read_extra_size);
}

static StepResult read_gzip_flags(Inflater *inflater)
{
    if (!has_bits(inflater, 16)) return STEP_NEEDS_INPUT;
    inflater->gzip_flags = bits_at(inflater, 8, 8);
    if (bits_at(inflater, 0, 8) != 8) return wrong(inflater, "unknown compression method");
    if (inflater->gzip_flags & 0xe0) return wrong(inflater, "unknown header flags set");
    use_head_bytes(inflater, 2);
    return go_to(inflater, read_origin);
}

#define GZIP_MAGIC 0x8b1f

static StepResult read_head(Inflater *inflater)
{
    if (!has_bits(inflater, 16)) return STEP_NEEDS_INPUT;
    unsigned head = bits_at(inflater, 0, 16);
    inflater->is_gzip = inflater->wrapping >= INFLATE_GZIP && head == GZIP_MAGIC;
    if (inflater->is_gzip) {
        if (inflater->window_bits == 0) inflater->window_bits = LARGEST_WINDOW;
        use_head_bytes(inflater, 2);
        return go_to(inflater, read_gzip_flags);
    }
    if (inflater->wrapping == INFLATE_GZIP) return wrong(inflater, "incorrect header check");
    return read_zlib_head(inflater, head);
}

// ---- from outside

void inflate_begin(Inflater *inflater, InflateWrapping wrapping, int window_bits)
{
    *inflater = (Inflater){
        .step = wrapping == INFLATE_RAW ? read_block : read_head,
        .wrapping = wrapping,
        .window_bits = window_bits,
        .checksum = ADLER32_START,
    };
}

void inflate_take(Inflater *inflater, const uint8_t *bytes, size_t size)
{
    inflater->input = bytes;
    inflater->input_size = size;
}

// Of what was written before, the bytes stay that a match may mean.
static void forget_written(Inflater *inflater)
{
    BytesOut *out = &inflater->out;
    size_t most = (size_t)1 << inflater->window_bits, kept = out->size < most ? out->size : most;
    if (kept) memmove(out->bytes, out->bytes + out->size - kept, kept);
    out->size = inflater->out_begin = inflater->summed = kept;
}

InflateResult inflate_run(Inflater *inflater, size_t most)
{
    const uint8_t *begin = inflater->input;
    StepResult result = STEP_DONE;
    forget_written(inflater);
    inflater->room = most;
    while (result == STEP_DONE && !inflater->out.failed) result = inflater->step(inflater);
    if (inflater->out.failed) return INFLATE_NO_MEMORY;
    if (result != STEP_NEEDS_INPUT) give_back(inflater, begin);
    if (inflater->summed < inflater->out.size) note_checksum(inflater);
    switch (result) {
    case STEP_ENDS: return INFLATE_END;
    case STEP_IS_WRONG: return INFLATE_WRONG;
    case STEP_NEEDS_DICTIONARY: return INFLATE_NEEDS_DICTIONARY;
    default: return INFLATE_OK;
    }
}

bool inflate_set_dictionary(Inflater *inflater, const uint8_t *bytes, size_t size)
{
    bool is_awaited = inflater->step == await_dictionary;
    uint32_t sum = zlib_adler32(ADLER32_START, bytes, size);
    if (is_awaited && sum != inflater->dictionary_sum) return false;
    bytes_out_add(&inflater->out, bytes, size);
    inflater->summed = inflater->out_begin = inflater->out.size;
    inflater->has_dictionary = true;
    return true;
}

bool inflate_copy(Inflater *copy, const Inflater *inflater)
{
    *copy = *inflater;
    return bytes_out_copy(&copy->out, &inflater->out);
}

void inflate_free(Inflater *inflater)
{
    bytes_out_free(&inflater->out);
}
