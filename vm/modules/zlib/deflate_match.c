// See deflate.h: where the text repeats itself.
//
// At each position the last positions with the same three bytes are tried, as many as the level
// allows, and the longest match is taken. From level 4 on it is taken only if there is no longer
// one at the next position.
#include "vm/modules/zlib/deflate.h"

#include <string.h>

#define FAR 4096 // a match of three bytes is not worth so large a distance
#define FILTERED_LEAST 5

// How hard each level tries.
typedef struct Effort {
    int good; // after a match so long only a quarter of the positions are tried
    int lazy; // a match so long is taken at once; levels 1 to 3: the positions in it are not noted
    int nice; // no longer one is looked for
    int tries;
} Effort;

#define FIRST_LAZY_LEVEL 4
static const Effort efforts[] = {
    {0},
    {4, 4, 8, 4},
    {4, 5, 16, 8},
    {4, 6, 32, 32},
    {4, 4, 16, 16},
    {8, 16, 32, 32},
    {8, 16, 128, 128},
    {8, 32, 128, 256},
    {32, 128, 258, 1024},
    {32, 258, 258, 4096},
};

static unsigned hash_of(const Deflater *deflater, const uint8_t *bytes)
{
    int shift = (deflater->hash_bits + SHORTEST_MATCH - 1) / SHORTEST_MATCH;
    unsigned hash = (unsigned)bytes[0] << 2 * shift ^ (unsigned)bytes[1] << shift ^ bytes[2];
    return hash & ((1U << deflater->hash_bits) - 1);
}

int deflate_note(Deflater *deflater, int position)
{
    unsigned hash = hash_of(deflater, deflater->window + position);
    int before = deflater->newest[hash];
    deflater->older[position & (window_size(deflater) - 1)] = (uint16_t)before;
    deflater->newest[hash] = (uint16_t)position;
    return before;
}

void deflate_forget(Deflater *deflater)
{
    memset(deflater->newest, 0, sizeof *deflater->newest << deflater->hash_bits);
}

static int common_length(const uint8_t *one, const uint8_t *other, int most)
{
    int length = 0;
    while (length < most && one[length] == other[length]) length++;
    return length;
}

static int smaller(int one, int other)
{
    return one < other ? one : other;
}

// The length of the longest match among `position` and those before it that have the same hash. One
// not longer than `known` does not count; the answer is then `known` or less.
static int longest_match(Deflater *deflater, int position, int known)
{
    const Effort *effort = &efforts[deflater->level];
    const uint8_t *window = deflater->window, *here = window + deflater->at;
    int most = smaller(LONGEST_MATCH, deflater->ahead), nice = smaller(effort->nice, most);
    int tries = known >= effort->good ? effort->tries / 4 : effort->tries, best = known;
    int limit =
        deflater->at > furthest_match(deflater) ? deflater->at - furthest_match(deflater) : 0;
    do {
        if (best < most && window[position + best] != here[best]) continue;
        int length = common_length(window + position, here, most);
        if (length <= best) continue;
        deflater->match_start = position;
        best = length;
        if (length >= nice) break;
    } while ((position = deflater->older[position & (window_size(deflater) - 1)]) > limit &&
             --tries > 0);
    return smaller(best, deflater->ahead);
}

static bool can_reach(const Deflater *deflater, int position)
{
    return position && deflater->at - position <= furthest_match(deflater);
}

// Is there enough ahead to go on? Gets more first.
static bool has_ahead(Deflater *deflater, Input *input, bool all, int least)
{
    if (deflater->ahead < least) deflate_fill(deflater, input);
    return deflater->ahead >= least || (all && deflater->ahead > 0);
}

static int note_here(Deflater *deflater)
{
    return deflater->ahead >= SHORTEST_MATCH ? deflate_note(deflater, deflater->at) : 0;
}

static void go_on(Deflater *deflater, int count)
{
    deflater->at += count;
    deflater->ahead -= count;
}

static void add_byte(Deflater *deflater)
{
    bool is_full = writer_add_byte(&deflater->blocks, deflater->window[deflater->at]);
    go_on(deflater, 1);
    if (is_full) deflate_end_block(deflater, false);
}

// ---- levels 1 to 3: the first match is taken

static void take_match(Deflater *deflater, int length)
{
    bool is_full =
        writer_add_match(&deflater->blocks, deflater->at - deflater->match_start, length);
    bool notes_all =
        length <= efforts[deflater->level].lazy && deflater->ahead - length >= SHORTEST_MATCH;
    for (int i = 1; notes_all && i < length; i++) deflate_note(deflater, deflater->at + i);
    go_on(deflater, length);
    if (is_full) deflate_end_block(deflater, false);
}

static void match_at_once(Deflater *deflater, Input *input, bool all)
{
    while (has_ahead(deflater, input, all, LEAST_AHEAD)) {
        int position = note_here(deflater), length = 0;
        if (can_reach(deflater, position))
            length = longest_match(deflater, position, SHORTEST_MATCH - 1);
        if (length >= SHORTEST_MATCH)
            take_match(deflater, length);
        else
            add_byte(deflater);
    }
}

// ---- levels 4 to 9: a match is kept in mind for one more position

static bool is_worth_it(const Deflater *deflater, int length)
{
    if (length > FILTERED_LEAST) return true;
    if (deflater->strategy == STRATEGY_FILTERED) return false;
    return length != SHORTEST_MATCH || deflater->at - deflater->match_start <= FAR;
}

// The match that begins one position before `at`.
static void take_candidate(Deflater *deflater, int start, int length)
{
    bool is_full = writer_add_match(&deflater->blocks, deflater->at - 1 - start, length);
    int last = deflater->at + deflater->ahead - SHORTEST_MATCH;
    for (int i = 1; i < length - 1; i++)
        if (deflater->at + i <= last) deflate_note(deflater, deflater->at + i);
    go_on(deflater, length - 1);
    deflater->has_candidate = false;
    deflater->match_length = SHORTEST_MATCH - 1;
    if (is_full) deflate_end_block(deflater, false);
}

// The byte before `at` begins no match.
static void drop_candidate(Deflater *deflater)
{
    if (writer_add_byte(&deflater->blocks, deflater->window[deflater->at - 1]))
        deflate_end_block(deflater, false);
}

static void match_lazily(Deflater *deflater, Input *input, bool all)
{
    while (has_ahead(deflater, input, all, LEAST_AHEAD)) {
        int position = note_here(deflater);
        int start = deflater->match_start, length = deflater->match_length;
        deflater->match_length = SHORTEST_MATCH - 1;
        if (length < efforts[deflater->level].lazy && can_reach(deflater, position)) {
            int found = longest_match(deflater, position, length);
            if (is_worth_it(deflater, found)) deflater->match_length = found;
        }
        if (length >= SHORTEST_MATCH && deflater->match_length <= length) {
            take_candidate(deflater, start, length);
            continue;
        }
        if (deflater->has_candidate) drop_candidate(deflater);
        deflater->has_candidate = true;
        go_on(deflater, 1);
    }
    if (all && deflater->has_candidate) {
        // The caller ends the block, if this byte fills it or not.
        writer_add_byte(&deflater->blocks, deflater->window[deflater->at - 1]);
        deflater->has_candidate = false;
    }
}

// ---- the other strategies

static void match_nothing(Deflater *deflater, Input *input, bool all)
{
    while (has_ahead(deflater, input, all, 1)) add_byte(deflater);
}

static void match_runs(Deflater *deflater, Input *input, bool all)
{
    while (has_ahead(deflater, input, all, LONGEST_MATCH + 1)) {
        const uint8_t *here = deflater->window + deflater->at;
        int most = smaller(LONGEST_MATCH, deflater->ahead);
        int length = deflater->at > 0 ? common_length(here - 1, here, most) : 0;
        deflater->match_start = deflater->at - 1;
        if (length < SHORTEST_MATCH) {
            add_byte(deflater);
            continue;
        }
        bool is_full = writer_add_match(&deflater->blocks, 1, length);
        go_on(deflater, length);
        if (is_full) deflate_end_block(deflater, false);
    }
}

void deflate_matches(Deflater *deflater, Input *input, bool all)
{
    if (deflater->strategy == STRATEGY_HUFFMAN)
        match_nothing(deflater, input, all);
    else if (deflater->strategy == STRATEGY_RUNS)
        match_runs(deflater, input, all);
    else if (deflater->level < FIRST_LAZY_LEVEL)
        match_at_once(deflater, input, all);
    else
        match_lazily(deflater, input, all);
}
