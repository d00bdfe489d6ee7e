// The codecs that convert byte by byte: tables of the code points for bytes 80..FF. UNDEFINED means
// that there is none.
#include "objects/bytes/codecs_parts.h"
#include "objects/text/text.h"

#define UNDEFINED 0xFFFD

// The first half of every table is ASCII.
#define ROW8(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
#define ROW32(n) ROW8(n), ROW8(n + 8), ROW8(n + 16), ROW8(n + 24)
#define ASCII_HALF ROW32(0), ROW32(32), ROW32(64), ROW32(96)

static const uint16_t cp1252_table[256] = {
    ASCII_HALF, 0x20AC, UNDEFINED, 0x201A, 0x0192,    0x201E, 0x2026,    0x2020,    0x2021, 0x02C6,
    0x2030,     0x0160, 0x2039,    0x0152, UNDEFINED, 0x017D, UNDEFINED, UNDEFINED, 0x2018, 0x2019,
    0x201C,     0x201D, 0x2022,    0x2013, 0x2014,    0x02DC, 0x2122,    0x0161,    0x203A, 0x0153,
    UNDEFINED,  0x017E, 0x0178,    0x00A0, 0x00A1,    0x00A2, 0x00A3,    0x00A4,    0x00A5, 0x00A6,
    0x00A7,     0x00A8, 0x00A9,    0x00AA, 0x00AB,    0x00AC, 0x00AD,    0x00AE,    0x00AF, 0x00B0,
    0x00B1,     0x00B2, 0x00B3,    0x00B4, 0x00B5,    0x00B6, 0x00B7,    0x00B8,    0x00B9, 0x00BA,
    0x00BB,     0x00BC, 0x00BD,    0x00BE, 0x00BF,    0x00C0, 0x00C1,    0x00C2,    0x00C3, 0x00C4,
    0x00C5,     0x00C6, 0x00C7,    0x00C8, 0x00C9,    0x00CA, 0x00CB,    0x00CC,    0x00CD, 0x00CE,
    0x00CF,     0x00D0, 0x00D1,    0x00D2, 0x00D3,    0x00D4, 0x00D5,    0x00D6,    0x00D7, 0x00D8,
    0x00D9,     0x00DA, 0x00DB,    0x00DC, 0x00DD,    0x00DE, 0x00DF,    0x00E0,    0x00E1, 0x00E2,
    0x00E3,     0x00E4, 0x00E5,    0x00E6, 0x00E7,    0x00E8, 0x00E9,    0x00EA,    0x00EB, 0x00EC,
    0x00ED,     0x00EE, 0x00EF,    0x00F0, 0x00F1,    0x00F2, 0x00F3,    0x00F4,    0x00F5, 0x00F6,
    0x00F7,     0x00F8, 0x00F9,    0x00FA, 0x00FB,    0x00FC, 0x00FD,    0x00FE,    0x00FF,
};

static const uint16_t koi8_r_table[256] = {
    ASCII_HALF, 0x2500, 0x2502, 0x250C, 0x2510, 0x2514, 0x2518, 0x251C, 0x2524, 0x252C, 0x2534,
    0x253C,     0x2580, 0x2584, 0x2588, 0x258C, 0x2590, 0x2591, 0x2592, 0x2593, 0x2320, 0x25A0,
    0x2219,     0x221A, 0x2248, 0x2264, 0x2265, 0x00A0, 0x2321, 0x00B0, 0x00B2, 0x00B7, 0x00F7,
    0x2550,     0x2551, 0x2552, 0x0451, 0x2553, 0x2554, 0x2555, 0x2556, 0x2557, 0x2558, 0x2559,
    0x255A,     0x255B, 0x255C, 0x255D, 0x255E, 0x255F, 0x2560, 0x2561, 0x0401, 0x2562, 0x2563,
    0x2564,     0x2565, 0x2566, 0x2567, 0x2568, 0x2569, 0x256A, 0x256B, 0x256C, 0x00A9, 0x044E,
    0x0430,     0x0431, 0x0446, 0x0434, 0x0435, 0x0444, 0x0433, 0x0445, 0x0438, 0x0439, 0x043A,
    0x043B,     0x043C, 0x043D, 0x043E, 0x043F, 0x044F, 0x0440, 0x0441, 0x0442, 0x0443, 0x0436,
    0x0432,     0x044C, 0x044B, 0x0437, 0x0448, 0x044D, 0x0449, 0x0447, 0x044A, 0x042E, 0x0410,
    0x0411,     0x0426, 0x0414, 0x0415, 0x0424, 0x0413, 0x0425, 0x0418, 0x0419, 0x041A, 0x041B,
    0x041C,     0x041D, 0x041E, 0x041F, 0x042F, 0x0420, 0x0421, 0x0422, 0x0423, 0x0416, 0x0412,
    0x042C,     0x042B, 0x0417, 0x0428, 0x042D, 0x0429, 0x0427, 0x042A,
};

static const uint16_t latin1_table[256] = {ASCII_HALF, ROW32(128), ROW32(160), ROW32(192),
                                           ROW32(224)};

// Latin-1 except for eight code points.
static const uint16_t latin9_table[256] = {
    ASCII_HALF, ROW32(128), 0x00A0, 0x00A1, 0x00A2, 0x00A3, 0x20AC, 0x00A5,     0x0160,
    0x00A7,     0x0161,     0x00A9, 0x00AA, 0x00AB, 0x00AC, 0x00AD, 0x00AE,     0x00AF,
    0x00B0,     0x00B1,     0x00B2, 0x00B3, 0x017D, 0x00B5, 0x00B6, 0x00B7,     0x017E,
    0x00B9,     0x00BA,     0x00BB, 0x0152, 0x0153, 0x0178, 0x00BF, ROW32(192), ROW32(224),
};

static const uint16_t ascii_table[256] = {
    ASCII_HALF,
#define NONE8 UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED
#define NONE32 NONE8, NONE8, NONE8, NONE8
    NONE32,     NONE32, NONE32, NONE32,
};

static int32_t read_byte(Decoder *decoder, DecodeProblem *problem)
{
    uint16_t point = decoder->codec->table[*decoder->at];
    if (point == UNDEFINED) {
        bool ascii = decoder->codec == &ascii_codec;
        problem->reason = ascii ? "ordinal not in range(128)" : "character maps to <undefined>";
        problem->size = 1;
        return -1;
    }
    decoder->at++;
    return point;
}

// All up to the first byte that stands for nothing.
static bool read_byte_run(Decoder *decoder)
{
    uint32_t points[RUN];
    const uint16_t *table = decoder->codec->table;
    for (ssize_t count = RUN; count == RUN;) {
        const unsigned char *at = decoder->at;
        for (count = 0; count < RUN && at < decoder->end && table[*at] != UNDEFINED; at++)
            points[count++] = table[*at];
        decoder->at = at;
        if (!builder_points(&decoder->text, points, count)) return false;
    }
    return true;
}

// The bytes of code points from 128 on: a page for each upper half that occurs, with the byte for
// each lower half; 0 = there is none. The first page has none at all.
#define PAGES 8
typedef struct Reverse {
    int count; // of pages in use; 0 = not made yet
    uint8_t page_of[256];
    uint8_t pages[PAGES][256];
} Reverse;

static void reverse_table(const uint16_t *table, Reverse *bytes)
{
    bytes->count = 1;
    for (int byte = 128; byte < 256; byte++) {
        uint16_t point = table[byte];
        if (point == UNDEFINED) continue;
        uint8_t *page = &bytes->page_of[point >> 8];
        if (!*page) *page = (uint8_t)bytes->count++;
        invariant(bytes->count <= PAGES, "a table has code points of few pages");
        bytes->pages[*page][point & 255] = (uint8_t)byte;
    }
}

// The byte of a code point; 0 = there is none, but for U+0000.
static inline unsigned byte_of(const Codec *codec, uint32_t point)
{
    if (point < 128) return point;
    return point > 0xFFFF ? 0 : codec->bytes->pages[codec->bytes->page_of[point >> 8]][point & 255];
}

static int write_byte(const Codec *codec, uint32_t point, char *bytes)
{
    if (!codec->bytes->count) reverse_table(codec->table, codec->bytes);
    unsigned byte = byte_of(codec, point);
    bytes[0] = (char)byte;
    return byte || !point ? 1 : -1;
}

SPECIALISED char *write_bytes(int kind, const Codec *codec, const Str *str, ssize_t *from,
                              char *bytes)
{
    ssize_t at = *from;
    for (; at < str->length; at++) {
        uint32_t point = point_get(kind, str->data, at);
        unsigned byte = byte_of(codec, point);
        if (!byte && point) break;
        *bytes++ = (char)byte;
    }
    *from = at;
    return bytes;
}

static char *write_byte_run(const Codec *codec, const Str *str, ssize_t *at, char *bytes)
{
    if (!codec->bytes->count) reverse_table(codec->table, codec->bytes);
    return BY_KIND(str->kind, write_bytes, codec, str, at, bytes);
}

#define UNMAPPED "character maps to <undefined>"
#define BYTE_CODEC(label, why, points, reverse, map)                                               \
    {.name = (label),                                                                              \
     .read = read_byte,                                                                            \
     .read_run = read_byte_run,                                                                    \
     .write = write_byte,                                                                          \
     .write_run = write_byte_run,                                                                  \
     .widest = 1,                                                                                  \
     .reason = (why),                                                                              \
     .unit = 1,                                                                                    \
     .table = (points),                                                                            \
     .bytes = (reverse),                                                                           \
     .is_map = (map)}

static Reverse ascii_bytes, latin1_bytes, cp1252_bytes, latin9_bytes, koi8_r_bytes;

const Codec ascii_codec =
    BYTE_CODEC("ascii", "ordinal not in range(128)", ascii_table, &ascii_bytes, false);
const Codec latin1_codec =
    BYTE_CODEC("latin-1", "ordinal not in range(256)", latin1_table, &latin1_bytes, false);
#define MAP_CODEC(points, reverse) BYTE_CODEC("charmap", UNMAPPED, points, reverse, true)
const Codec cp1252_codec = MAP_CODEC(cp1252_table, &cp1252_bytes);
const Codec latin9_codec = MAP_CODEC(latin9_table, &latin9_bytes);
const Codec koi8_r_codec = MAP_CODEC(koi8_r_table, &koi8_r_bytes);
