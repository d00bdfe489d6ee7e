// What the codecs share. A codec reads or writes one code point; codecs.c loops over whole texts
// and calls the error handlers.
#pragma once

#include "objects/bytes/codecs.h"
#include "objects/text/str.h"
#include "objects/text/utf8.h"

// How the units of utf-16 and utf-32 are stored: little-endian, big-endian, or by the byte order
// mark.
typedef enum ByteOrder { ORDER_LITTLE, ORDER_BIG, ORDER_BY_MARK } ByteOrder;

// What is done with what cannot be converted.
typedef enum Handler {
    STRICT,
    IGNORE,
    REPLACE,
    BACKSLASH,
    XML,
    NAMED,
    SURROGATE_ESCAPE,
    SURROGATE_PASS,
    UNKNOWN_HANDLER // it is asked for in the registry
} Handler;

typedef struct Codec Codec;

typedef struct Decoder {
    const unsigned char *at, *end; // the bytes not read yet
    const unsigned char *start;
    Value source; // whose bytes these are, if an error handler has given them; else 0
    const Codec *codec;
    const char *errors; // name of the handler, NULL = strict
    Handler handler;
    ByteOrder order;
    uint32_t invalid_escape; // the first character after a backslash that is no escape, 0 = none
    bool literal;            // raw_unicode_escape: the next backslash begins no escape
    StrBuilder text;
} Decoder;

struct Codec {
    const char *name; // in messages
    // Reads the next code point and moves `at` past it; -1 with the problem set if there is none:
    // `at` stays. SKIPPED if it read bytes that stand for no character.
    int32_t (*read)(Decoder *decoder, DecodeProblem *problem);
    // Writes a code point to `bytes`: returns the number of bytes, -1 = it cannot be encoded.
    int (*write)(const Codec *codec, uint32_t point, char *bytes);
    // The same for a surrogate with "surrogatepass"; NULL if that handler does nothing here.
    int (*write_surrogate)(const Codec *codec, uint32_t point, char *bytes);
    // Writes a run of the code points from this index on, and moves it past them: those for which
    // there is nothing to decide. There is room for `widest` bytes each. Returns where they end.
    char *(*write_run)(const Codec *codec, const Str *str, ssize_t *at, char *bytes);
    int widest;
    // Reads a run into the text, and moves `at` past it. False: there is no memory.
    bool (*read_run)(Decoder *decoder);
    const char *reason; // the message if a code point cannot be encoded
    const char *mark;   // the mark at the start of an encoded text, mark_size bytes
    int mark_size;
    int unit;              // bytes of a unit, for utf-16 and utf-32; else 1
    ByteOrder order;       // of units
    const uint16_t *table; // of a codec that goes byte by byte
    bool is_map;           // it is "charmap" in messages
    struct Reverse *bytes; // the same the other way, made when it is first needed
};

#define RUN 256 // code points that are read at once

#define SKIPPED INT32_MAX
#define WRITE_MAX 10 // bytes that `write` makes at most: \U0001f600

extern const Codec utf8_codec, utf8_sig_codec, utf16_codec, utf16_le_codec, utf16_be_codec;
extern const Codec utf32_codec, utf32_le_codec, utf32_be_codec;
extern const Codec ascii_codec, latin1_codec, latin9_codec, cp1252_codec, koi8_r_codec;
extern const Codec unicode_escape_codec, raw_unicode_escape_codec;

// One unit of `unit` bytes.
static inline uint32_t read_unit(const unsigned char *at, int unit, ByteOrder order)
{
    uint32_t value = 0;
    for (int i = 0; i < unit; i++)
        value |= (uint32_t)at[i] << 8 * (order == ORDER_BIG ? unit - 1 - i : i);
    return value;
}
// Skips the byte order mark of the text, and sets the order by it.
void skip_mark(Decoder *decoder);
// The whole text of utf-16 or utf-32, where it can be copied as it is; else ABSENT.
Value decode_units(const Decoder *decoder);
// The name of the codec in messages: that of the order that was found.
const char *decoder_name(const Decoder *decoder);

// codecs_registry.c: what scripts have registered, which may be found after an import.
// Encodes a str, or decodes bytes, by a codec that C does not have.
Value registry_convert(bool encode, ValueRef data, const char *encoding, const char *errors);
Value registry_codec(const char *encoding); // for a file: registered_codec()
// Whether `lookup`, a function of _codecs, finds this name. False: it raised LookupError.
bool registry_has(const char *lookup, const char *name);
// Calls the error handler of this name with the pending UnicodeError, which it takes: what stands
// for the part that cannot be converted, the position to go on at, and (owned) what to go on with,
// which a handler may replace. LookupError, or what the handler raises.
Value registry_handle(const char *errors, ssize_t *position, Value *source);
