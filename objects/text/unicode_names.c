// Names of code points, in both directions: \N{...} and the error handler "namereplace".
//
// To find a name, its text is converted to the codes of its words (no word is in the list twice)
// and compared with all names in order; no name is unpacked. To read the name of a code point, the
// names are unpacked from the start of its block of 64. unicode_tables.h describes the format.
// Names of Hangul syllables are composed of the names of their parts; names such as "CJK UNIFIED
// IDEOGRAPH-4E00" are made from the code point.
#include "objects/text/unicode.h"
#include "objects/text/unicode_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT 256  // of the text that is looked up
#define WORDS_LIMIT 128 // in one name

// ---- codes of words: numbers to the base 84 in printable letters

#define CODE_BASE 84
#define FIRST_CODE_LETTER ')' // the letters before it say how many words are shared

static int letter_value(char letter)
{
    return letter - FIRST_CODE_LETTER - (letter > '?') - (letter > '\\');
}

static char value_letter(int value)
{
    char letter = (char)(value + FIRST_CODE_LETTER);
    letter += letter >= '?';
    return (char)(letter + (letter >= '\\'));
}

static int shared_words(char letter)
{
    return letter - ' ' - (letter > '"');
}

// Reads a code and moves on; codes of two and three letters count on from the shorter ones.
static int read_code(const char **code)
{
    int one = unicode_codes_of_one, two = unicode_codes_of_two;
    int first = letter_value(*(*code)++);
    if (first < one) return first;
    int second = letter_value(*(*code)++);
    if (first < one + two) return one + (first - one) * CODE_BASE + second;
    int third = letter_value(*(*code)++);
    return one + two * CODE_BASE + ((first - one - two) * CODE_BASE + second) * CODE_BASE + third;
}

static size_t write_code(char *code, int rank)
{
    int one = unicode_codes_of_one, two = unicode_codes_of_two;
    if (rank < one) {
        code[0] = value_letter(rank);
        return 1;
    }
    rank -= one;
    if (rank < two * CODE_BASE) {
        code[0] = value_letter(one + rank / CODE_BASE);
        code[1] = value_letter(rank % CODE_BASE);
        return 2;
    }
    rank -= two * CODE_BASE;
    code[0] = value_letter(one + two + rank / CODE_BASE / CODE_BASE);
    code[1] = value_letter(rank / CODE_BASE % CODE_BASE);
    code[2] = value_letter(rank % CODE_BASE);
    return 3;
}

// ---- words

// The word of this rank, which ends before the next comma.
static const char *word_text(int rank, size_t *size)
{
    const char *word = unicode_words + unicode_word_blocks[rank / UNICODE_WORD_BLOCK] + 1;
    for (int skip = rank % UNICODE_WORD_BLOCK; skip > 0; skip--) word = strchr(word, ',') + 1;
    *size = (size_t)(strchr(word, ',') - word);
    return word;
}

// -1 = not a word of any name.
static int word_rank(const char *word, size_t size)
{
    char pattern[NAME_LIMIT + 2];
    pattern[0] = pattern[size + 1] = ',';
    memcpy(pattern + 1, word, size);
    const char *found = memmem(unicode_words, unicode_words_size, pattern, size + 2);
    if (!found) return -1;
    size_t offset = (size_t)(found - unicode_words);
    size_t block = 0, blocks = (unicode_word_count - 1) / UNICODE_WORD_BLOCK + 1;
    while (block + 1 < blocks && unicode_word_blocks[block + 1] <= offset) block++;
    int rank = (int)block * UNICODE_WORD_BLOCK;
    const char *text = unicode_words + unicode_word_blocks[block];
    for (; text < found; rank++) text = strchr(text + 1, ',');
    return rank;
}

static bool is_letter(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// The length of the first word of the text: letters with a space before them, digits, or one other
// character.
static size_t word_size(const char *text, size_t size)
{
    size_t end = 1;
    if (is_digit(text[0]))
        while (end < size && is_digit(text[end])) end++;
    else if (is_letter(text[0]) || (text[0] == ' ' && size > 1 && is_letter(text[1])))
        while (end < size && is_letter(text[end])) end++;
    return end;
}

// A name in codes: the code of word i begins at start[i]; start[count] is the end.
typedef struct CodedName {
    char codes[3 * WORDS_LIMIT];
    size_t start[WORDS_LIMIT + 1];
    int count;
} CodedName;

static bool encode_name(const char *name, size_t size, CodedName *coded)
{
    coded->count = 0;
    coded->start[0] = 0;
    for (size_t at = 0; at < size;) {
        size_t length = word_size(name + at, size - at);
        int rank = word_rank(name + at, length);
        if (rank < 0 || coded->count == WORDS_LIMIT) return false;
        size_t offset = coded->start[coded->count];
        coded->start[++coded->count] = offset + write_code(coded->codes + offset, rank);
        at += length;
    }
    return coded->count > 0;
}

// ---- all names in order

// Goes through the names and keeps `agree`, the number of leading words that the last name has in
// common with the wanted one. A name that shares more words than that with the last name differs
// from the wanted one in the same word.
static int64_t find_coded(const CodedName *wanted)
{
    const char *at = unicode_names, *end = unicode_names + unicode_names_size;
    int agree = 0;
    for (int64_t index = 0; at < end; index++) {
        int shared = shared_words(*at++);
        if (shared <= agree) {
            agree = shared;
            while (agree < wanted->count) {
                size_t start = wanted->start[agree], length = wanted->start[agree + 1] - start;
                if (strncmp(at, wanted->codes + start, length) != 0) break;
                at += length;
                agree++;
            }
            if (agree == wanted->count && *at < FIRST_CODE_LETTER) return index;
        }
        while (*at >= FIRST_CODE_LETTER) at++;
    }
    return -1;
}

// The row of unicode_name_runs for a code point (column 0) or a number of a name (column 1).
static const uint32_t *find_run(uint32_t number, int column)
{
    size_t low = 0, high = unicode_name_runs_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (unicode_name_runs[middle * 2 + column] <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? unicode_name_runs + (low - 1) * 2 : NULL;
}

static int64_t name_index(uint32_t point)
{
    const uint32_t *run = find_run(point, 0);
    if (!run) return -1;
    uint32_t index = run[1] + point - run[0];
    bool last = run == unicode_name_runs + (unicode_name_runs_count - 1) * 2;
    return index < (last ? unicode_name_count : run[3]) ? (int64_t)index : -1;
}

static size_t unpack_name(int64_t index, char name[UNICODE_NAME_MAX])
{
    int ranks[WORDS_LIMIT], count = 0;
    const char *at = unicode_names + unicode_name_blocks[index / UNICODE_NAME_BLOCK];
    for (int64_t i = index - index % UNICODE_NAME_BLOCK; i <= index; i++) {
        count = shared_words(*at++);
        while (*at >= FIRST_CODE_LETTER) ranks[count++] = read_code(&at);
    }
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        size_t size;
        const char *word = word_text(ranks[i], &size);
        memcpy(name + length, word, size);
        length += size;
    }
    name[length] = 0;
    return length;
}

// ---- computed names

static const char *const leads[] = {"G",  "GG", "N", "D",  "DD", "R", "M", "B", "BB", "S",
                                    "SS", "",   "J", "JJ", "C",  "K", "T", "P", "H"};
static const char *const vowels[] = {"A",   "AE", "YA", "YAE", "EO", "E",  "YEO",
                                     "YE",  "O",  "WA", "WAE", "OE", "YO", "U",
                                     "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
static const char *const trails[] = {"",   "G",  "GG", "GS", "N",  "NJ", "NH", "D", "L",  "LG",
                                     "LM", "LB", "LS", "LT", "LP", "LH", "M",  "B", "BS", "S",
                                     "SS", "NG", "J",  "C",  "K",  "T",  "P",  "H"};
static const char syllable_prefix[] = "HANGUL SYLLABLE ";

#define SYLLABLES 0xAC00
#define SYLLABLE_COUNT (19 * 21 * 28)

static size_t syllable_name(uint32_t index, char *name)
{
    return (size_t)sprintf(name, "%s%s%s%s", syllable_prefix, leads[index / (21 * 28)],
                           vowels[index / 28 % 21], trails[index % 28]);
}

// The longest of the parts with which the text begins, as CPython takes it; -1 = none.
static int longest_part(const char *const *parts, int count, const char **text)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(parts[i]);
        if (strncmp(*text, parts[i], length) == 0 && (found < 0 || length > longest)) {
            found = i;
            longest = length;
        }
    }
    *text += longest;
    return found;
}

static int64_t syllable_by_name(const char *name)
{
    size_t prefix = sizeof syllable_prefix - 1;
    if (strncmp(name, syllable_prefix, prefix) != 0) return -1;
    name += prefix;
    int lead = longest_part(leads, 19, &name);
    int vowel = longest_part(vowels, 21, &name);
    int trail = longest_part(trails, 28, &name);
    if (lead < 0 || vowel < 0 || trail < 0 || *name) return -1;
    return SYLLABLES + (lead * 21 + vowel) * 28 + trail;
}

// The code point that the digits at the end of such a name spell, in exactly four or five digits.
static int64_t parse_number(const char *digits)
{
    size_t size = strlen(digits);
    if (size != 4 && size != 5) return -1;
    if (strspn(digits, "0123456789ABCDEF") != size) return -1;
    return (int64_t)strtoul(digits, NULL, 16);
}

// CPython wants the names of the unified ideographs in capitals, and takes the others in any case.
static int64_t numbered_by_name(const char *exact, const char *upper)
{
    for (size_t i = 0; i < unicode_numbered_names_count; i++) {
        const NumberedNames *range = &unicode_numbered_names[i];
        bool unified = strncmp(range->prefix, "CJK UNIFIED", 11) == 0;
        const char *name = unified ? exact : upper;
        size_t prefix = strlen(range->prefix);
        if (strncmp(name, range->prefix, prefix) != 0) continue;
        int64_t point = parse_number(name + prefix);
        if (point < range->first || point > range->last) continue;
        if (unified || point >= 0x10000 || name[prefix] != '0') return point;
    }
    return -1;
}

static int64_t alias_by_name(const char *name, size_t size)
{
    char pattern[NAME_LIMIT + 2];
    pattern[0] = ',';
    memcpy(pattern + 1, name, size);
    pattern[size + 1] = '=';
    const char *found = memmem(unicode_aliases, unicode_aliases_size, pattern, size + 2);
    return found ? strtoll(found + size + 2, NULL, 10) : -1;
}

// ---- the two directions

// The text in capitals with a NUL; false where it cannot be a name.
static bool copy_upper(const char *name, size_t size, char upper[NAME_LIMIT])
{
    if (size == 0 || size >= NAME_LIMIT) return false;
    for (size_t i = 0; i < size; i++) {
        char c = name[i];
        if (c >= 'a' && c <= 'z') c -= 'a' - 'A';
        if (!is_letter(c) && !is_digit(c) && !strchr(" -()", c)) return false;
        if (c == 0) return false;
        upper[i] = c;
    }
    upper[size] = 0;
    return true;
}

int64_t unicode_by_name(const char *name, size_t size)
{
    char exact[NAME_LIMIT], upper[NAME_LIMIT];
    if (!copy_upper(name, size, upper)) return -1;
    memcpy(exact, name, size);
    exact[size] = 0;
    int64_t point = syllable_by_name(exact);
    if (point < 0) point = numbered_by_name(exact, upper);
    if (point < 0) point = alias_by_name(upper, size);
    if (point >= 0) return point;
    CodedName wanted;
    if (!encode_name(upper, size, &wanted)) return -1;
    int64_t index = find_coded(&wanted);
    if (index < 0) return -1;
    const uint32_t *run = find_run((uint32_t)index, 1);
    return run[0] + (uint32_t)index - run[1];
}

size_t unicode_name(uint32_t point, char name[UNICODE_NAME_MAX])
{
    if (point - SYLLABLES < SYLLABLE_COUNT) return syllable_name(point - SYLLABLES, name);
    for (size_t i = 0; i < unicode_numbered_names_count; i++) {
        const NumberedNames *range = &unicode_numbered_names[i];
        if (point >= range->first && point <= range->last)
            return (size_t)snprintf(name, UNICODE_NAME_MAX, "%s%04X", range->prefix, point);
    }
    int64_t index = name_index(point);
    return index < 0 ? 0 : unpack_name(index, name);
}
