// Properties of single code points, and normal forms.
//
// Everything is read from the tables that unicode_tables.h describes. Nothing here allocates or
// fails. A normal form takes the steps of the standard: decompose fully, sort runs of combining
// marks by their class, and for NFC and NFKC compose again. Hangul syllables are computed:
//
//     syllable = 0xAC00 + (lead * 21 + vowel) * 28 + trail
#include "objects/text/unicode.h"
#include "objects/text/unicode_tables.h"

#include <string.h>

bool unicode_is_alpha(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_ALPHA;
}

bool unicode_is_decimal(uint32_t point)
{
    return unicode_decimal_value(point) >= 0;
}

bool unicode_is_digit(uint32_t point)
{
    return unicode_digit_value(point) >= 0;
}

bool unicode_is_numeric(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_NUMERIC;
}

bool unicode_is_lower(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_LOWER;
}

bool unicode_is_upper(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_UPPER;
}

bool unicode_is_title(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_TITLE;
}

bool unicode_is_cased(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_CASED;
}

bool unicode_is_case_ignorable(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_IGNORABLE;
}

bool unicode_is_space(uint32_t point)
{
    if (point < 128) return point == ' ' || point - 9 < 5 || point - 0x1C < 4;
    return unicode_kind_of(point) & UNICODE_SPACE;
}

bool unicode_is_line_break(uint32_t point)
{
    if (point < 128) return point - 10 < 4 || point - 0x1C < 3;
    return unicode_kind_of(point) & UNICODE_BREAK;
}

bool unicode_is_printable(uint32_t point)
{
    if (point < 127) return point >= 32;
    return unicode_kind_of(point) & UNICODE_PRINTABLE;
}

bool unicode_is_identifier_start(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_ID_START;
}

bool unicode_is_identifier_part(uint32_t point)
{
    return unicode_kind_of(point) & UNICODE_ID_PART;
}

// ---- digits

// The last of the sorted rows (of `width` numbers each) that begins at `point` or before, or NULL.
static const uint32_t *find_row(const uint32_t *rows, size_t count, int width, uint32_t point)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (rows[middle * width] <= point)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? rows + (low - 1) * width : NULL;
}

int unicode_decimal_value(uint32_t point)
{
    if (point < 128) return point - '0' < 10 ? (int)(point - '0') : -1;
    if (!(unicode_kind_of(point) & UNICODE_NUMERIC)) return -1;
    const uint32_t *zero = find_row(unicode_decimal_zeros, unicode_decimal_zeros_count, 1, point);
    return zero && point - *zero < 10 ? (int)(point - *zero) : -1;
}

int unicode_digit_value(uint32_t point)
{
    int decimal = unicode_decimal_value(point);
    if (decimal >= 0 || point < 128) return decimal;
    const uint32_t *run = find_row(unicode_digit_runs, unicode_digit_runs_count, 3, point);
    return run && point <= run[1] ? (int)(run[2] + point - run[0]) : -1;
}

bool unicode_numeric_value(uint32_t point, double *value)
{
    int digit = unicode_digit_value(point);
    if (digit >= 0) *value = digit;
    if (digit >= 0 || point < 128) return digit >= 0;
    const uint32_t *run = find_row(unicode_number_runs, unicode_number_runs_count, 2, point);
    if (!run || point > run[1]) return false;
    *value = unicode_numbers[(run - unicode_number_runs) / 2] + (point - run[0]);
    return true;
}

// ---- categories

static const UnicodeProperties *properties_of(uint32_t point)
{
    int shift = unicode_property_shift;
    uint32_t block = unicode_property_blocks[point >> shift];
    uint32_t low = point & ((1u << shift) - 1);
    return &unicode_properties[unicode_property_items[block << shift | low]];
}

const char *unicode_category(uint32_t point)
{
    return properties_of(point)->category;
}

const char *unicode_bidirectional(uint32_t point)
{
    return properties_of(point)->bidirectional;
}

const char *unicode_east_asian_width(uint32_t point)
{
    return properties_of(point)->east_asian_width;
}

bool unicode_is_mirrored(uint32_t point)
{
    return properties_of(point)->mirrored;
}

bool unicode_differs_in_3_2(uint32_t point, const char *texts[3], bool *mirrored, int *decimal)
{
    const uint32_t *run = find_row(unicode_3_2_runs, unicode_3_2_runs_count, 3, point);
    if (!run || point > run[1]) return false;
    const UnicodeProperties32 *then = &unicode_3_2_properties[run[2]];
    texts[0] = then->properties.category;
    texts[1] = then->properties.bidirectional;
    texts[2] = then->properties.east_asian_width;
    *mirrored = then->properties.mirrored;
    *decimal = then->decimal;
    return true;
}

// ---- case

static int map_case(uint32_t point, UnicodeCase form, uint32_t mapped[3])
{
    int32_t change = unicode_case_change(point, form);
    if (change < UNICODE_SPECIAL) {
        mapped[0] = point + (uint32_t)change;
        return 1;
    }
    const uint16_t *special = unicode_special_cases + 3 * (change - UNICODE_SPECIAL);
    int count = 0;
    while (count < 3 && special[count]) {
        mapped[count] = special[count];
        count++;
    }
    return count;
}

int unicode_to_lower(uint32_t point, uint32_t mapped[3])
{
    return map_case(point, UNICODE_TO_LOWER, mapped);
}

int unicode_to_upper(uint32_t point, uint32_t mapped[3])
{
    return map_case(point, UNICODE_TO_UPPER, mapped);
}

int unicode_to_title(uint32_t point, uint32_t mapped[3])
{
    return map_case(point, UNICODE_TO_TITLE, mapped);
}

int unicode_to_folded(uint32_t point, uint32_t mapped[3])
{
    return map_case(point, UNICODE_TO_FOLDED, mapped);
}

// ---- normalisation

#define SYLLABLES 0xAC00u
#define LEADS 0x1100u
#define VOWELS 0x1161u
#define TRAILS 0x11A7u
#define LEAD_COUNT 19u
#define VOWEL_COUNT 21u
#define TRAIL_COUNT 28u
#define SYLLABLE_COUNT (LEAD_COUNT * VOWEL_COUNT * TRAIL_COUNT)

// Code points are written to `points` as far as `capacity` goes, and counted beyond.
typedef struct Output {
    uint32_t *points;
    size_t count, capacity;
} Output;

static void put(Output *output, uint32_t point)
{
    if (output->count < output->capacity) output->points[output->count] = point;
    output->count++;
}

static void decompose_syllable(Output *output, uint32_t index)
{
    put(output, LEADS + index / (VOWEL_COUNT * TRAIL_COUNT));
    put(output, VOWELS + index / TRAIL_COUNT % VOWEL_COUNT);
    if (index % TRAIL_COUNT) put(output, TRAILS + index % TRAIL_COUNT);
}

const uint32_t *unicode_decomposition(uint32_t point, const char **tag, int *count)
{
    const uint32_t *row = find_row(unicode_decompositions, unicode_decompositions_count, 2, point);
    bool found = row && row[0] == point;
    *tag = unicode_decomposition_tags[found ? row[1] >> 5 & 31 : 0];
    *count = found ? (int)(row[1] & 31) : 0;
    return found ? unicode_decomposed + (row[1] >> 10) : NULL;
}

// The database's chains of steps are short: this goes four deep at most.
static void decompose(Output *output, uint32_t point, bool compatible)
{
    if (point - SYLLABLES < SYLLABLE_COUNT) {
        decompose_syllable(output, point - SYLLABLES);
        return;
    }
    const char *tag;
    int count;
    const uint32_t *points = unicode_decomposition(point, &tag, &count);
    if (count == 0 || (*tag && !compatible)) {
        put(output, point);
        return;
    }
    for (int i = 0; i < count; i++) decompose(output, points[i], compatible);
}

unsigned unicode_combining_class(uint32_t point)
{
    if (point < 0x300) return 0;
    const uint32_t *run = find_row(unicode_combining_runs, unicode_combining_runs_count, 3, point);
    return run && point <= run[1] ? run[2] : 0;
}

// The index for a mark of this class in the sorted marks points[first..end): after its equals.
static size_t index_of_mark(const uint32_t *points, size_t first, size_t end, uint32_t class)
{
    while (first < end) {
        size_t middle = (first + end) / 2;
        if (unicode_combining_class(points[middle]) <= class)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

// Each run of combining marks by class; marks of one class keep their order.
static void sort_marks(uint32_t *points, size_t count)
{
    size_t run = 0; // where the run begins that points[i] continues
    for (size_t i = 0; i < count; i++) {
        uint32_t point = points[i], class = unicode_combining_class(point);
        if (!class) {
            run = i + 1;
            continue;
        }
        size_t index = index_of_mark(points, run, i, class);
        memmove(points + index + 1, points + index, (i - index) * sizeof *points);
        points[index] = point;
    }
}

// The composition of the two, 0 = there is none.
static uint32_t compose_pair(uint32_t first, uint32_t second)
{
    if (first - LEADS < LEAD_COUNT && second - VOWELS < VOWEL_COUNT)
        return SYLLABLES + ((first - LEADS) * VOWEL_COUNT + second - VOWELS) * TRAIL_COUNT;
    if (first - SYLLABLES < SYLLABLE_COUNT && (first - SYLLABLES) % TRAIL_COUNT == 0 &&
        second - TRAILS - 1 < TRAIL_COUNT - 1)
        return first + second - TRAILS;
    size_t low = 0, high = unicode_compositions_count;
    while (low < high) {
        const uint32_t *row = unicode_compositions + (low + high) / 2 * 3;
        if (row[0] == first && row[1] == second) return row[2];
        if (row[0] < first || (row[0] == first && row[1] < second))
            low = (low + high) / 2 + 1;
        else
            high = (low + high) / 2;
    }
    return 0;
}

static size_t compose(uint32_t *points, size_t count)
{
    size_t length = 0, starter = 0;
    bool have_starter = false;
    uint32_t last_class = 0; // of the last mark kept after the starter
    for (size_t i = 0; i < count; i++) {
        uint32_t point = points[i], class = unicode_combining_class(point);
        bool adjacent = have_starter && length == starter + 1;
        if (have_starter && (adjacent || (last_class < class && last_class))) {
            uint32_t composed = compose_pair(points[starter], point);
            if (composed) {
                points[starter] = composed;
                continue;
            }
        }
        if (!class) {
            starter = length;
            have_starter = true;
        }
        last_class = class;
        points[length++] = point;
    }
    return length;
}

size_t unicode_normalize(UnicodeForm form, const uint32_t *points, size_t count,
                         uint32_t *normalized, size_t capacity)
{
    Output output = {normalized, 0, capacity};
    for (size_t i = 0; i < count; i++) decompose(&output, points[i], form & UNICODE_COMPATIBLE);
    if (output.count > capacity) return output.count;
    sort_marks(normalized, output.count);
    return form & UNICODE_COMPOSED ? compose(normalized, output.count) : output.count;
}
