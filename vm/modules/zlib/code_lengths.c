// See code_lengths.h.
#include "vm/modules/zlib/code_lengths.h"

#include "objects/bytes/deflate_codes.h"

#include <stdbool.h>
#include <string.h>

#define MOST_NODES (2 * LITERAL_SYMBOLS + 1)

typedef struct Forest {
    uint32_t frequencies[MOST_NODES]; // a symbol's, or all of those below a joint
    uint16_t parents[MOST_NODES];
    uint8_t depths[MOST_NODES]; // of the tree below a node
    uint16_t heap[MOST_NODES];  // nodes without a parent, from 1: the most seldom one first
    int heap_size;
    uint16_t order[MOST_NODES]; // nodes in the order in which they got their parents
    int ordered;
} Forest;

static bool comes_first(const Forest *forest, int one, int other)
{
    if (forest->frequencies[one] != forest->frequencies[other])
        return forest->frequencies[one] < forest->frequencies[other];
    return forest->depths[one] <= forest->depths[other];
}

static void heap_sink(Forest *forest, int index)
{
    int node = forest->heap[index];
    for (int child; (child = 2 * index) <= forest->heap_size; index = child) {
        if (child < forest->heap_size &&
            comes_first(forest, forest->heap[child + 1], forest->heap[child]))
            child++;
        if (comes_first(forest, node, forest->heap[child])) break;
        forest->heap[index] = forest->heap[child];
    }
    forest->heap[index] = (uint16_t)node;
}

// Replaces the first one by `node`.
static void heap_replace_first(Forest *forest, int node)
{
    forest->heap[1] = (uint16_t)node;
    heap_sink(forest, 1);
}

// The heap gets the symbols that occur. Returns the number of symbols up to the last one.
static int plant(Forest *forest, const uint16_t *frequencies, int count)
{
    int last = -1;
    forest->heap_size = forest->ordered = 0;
    memset(forest->depths, 0, sizeof forest->depths);
    for (int symbol = 0; symbol < count; symbol++) {
        forest->frequencies[symbol] = frequencies[symbol];
        if (frequencies[symbol] == 0) continue;
        last = symbol;
        forest->heap[++forest->heap_size] = (uint16_t)symbol;
    }
    while (forest->heap_size < 2) {
        int symbol = last < 2 ? ++last : 0;
        forest->frequencies[symbol] = 1;
        forest->heap[++forest->heap_size] = (uint16_t)symbol;
    }
    for (int index = forest->heap_size / 2; index >= 1; index--) heap_sink(forest, index);
    return last + 1;
}

static int deeper(const Forest *forest, int one, int other)
{
    int depth =
        forest->depths[one] > forest->depths[other] ? forest->depths[one] : forest->depths[other];
    return depth + 1;
}

// Joins the two first ones until there is one tree. Joints are numbered from `joint` on.
static void grow(Forest *forest, int joint)
{
    do {
        int one = forest->heap[1];
        heap_replace_first(forest, forest->heap[forest->heap_size--]);
        int other = forest->heap[1];
        forest->order[forest->ordered++] = (uint16_t)one;
        forest->order[forest->ordered++] = (uint16_t)other;
        forest->frequencies[joint] = forest->frequencies[one] + forest->frequencies[other];
        forest->depths[joint] = (uint8_t)deeper(forest, one, other);
        forest->parents[one] = forest->parents[other] = (uint16_t)joint;
        heap_replace_first(forest, joint++);
    } while (forest->heap_size >= 2);
    forest->order[forest->ordered++] = forest->heap[1];
}

// Each symbol's length is its depth, or `longest`. Returns how many nodes are deeper than that.
static int measure(const Forest *forest, int symbols, int longest, uint8_t *lengths)
{
    uint8_t depths[MOST_NODES];
    int too_deep = 0;
    depths[forest->order[forest->ordered - 1]] = 0;
    for (int i = forest->ordered - 2; i >= 0; i--) {
        int node = forest->order[i], depth = depths[forest->parents[node]] + 1;
        if (depth > longest) {
            depth = longest;
            too_deep++;
        }
        depths[node] = (uint8_t)depth;
        if (node < symbols) lengths[node] = (uint8_t)depth;
    }
    return too_deep;
}

// Codes that were cut to `longest` are too many of that length. For two of them, one that is
// shorter gets longer and makes room; then the most seldom symbols get the longest codes.
static void make_room(const Forest *forest, int symbols, int longest, int too_deep,
                      uint8_t *lengths)
{
    int counts[LONGEST_CODE + 1] = {0}, length = longest;
    for (int symbol = 0; symbol < symbols; symbol++) counts[lengths[symbol]]++;
    for (; too_deep > 0; too_deep -= 2) {
        int shorter = longest - 1;
        while (counts[shorter] == 0) shorter--;
        counts[shorter]--;
        counts[shorter + 1] += 2;
        counts[longest]--;
    }
    for (int i = 0; i < forest->ordered; i++) {
        if (forest->order[i] >= symbols) continue;
        while (counts[length] == 0) length--;
        counts[length]--;
        lengths[forest->order[i]] = (uint8_t)length;
    }
}

int code_lengths(const uint16_t *frequencies, int count, int longest, uint8_t *lengths)
{
    Forest forest;
    int symbols = plant(&forest, frequencies, count);
    memset(lengths, 0, (size_t)count);
    grow(&forest, count);
    int too_deep = measure(&forest, symbols, longest, lengths);
    if (too_deep) make_room(&forest, symbols, longest, too_deep, lengths);
    return symbols;
}

void codes_of_lengths(const uint8_t *lengths, int count, uint16_t *codes)
{
    int counts[LONGEST_CODE + 1] = {0}, next[LONGEST_CODE + 1] = {0};
    for (int symbol = 0; symbol < count; symbol++) counts[lengths[symbol]]++;
    counts[0] = 0;
    for (int length = 1; length <= LONGEST_CODE; length++)
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
    for (int symbol = 0; symbol < count; symbol++) {
        int code = lengths[symbol] ? next[lengths[symbol]]++ : 0;
        codes[symbol] = 0;
        for (int bit = 0; bit < lengths[symbol]; bit++)
            codes[symbol] = (uint16_t)(codes[symbol] << 1 | (code >> bit & 1));
    }
}
