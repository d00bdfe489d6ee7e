// Magnitudes as text and back.
//
// Bases that are powers of two are converted bit by bit. In other bases long numbers are halved.
// With P = 10^(19 * 2^i), the upper digits are number / P and the lower ones number % P, and each
// is halved again. Reading multiplies the upper half by P and adds the lower one. Both cost about
// as much as one division or multiplication of that size, times the number of levels. The powers
// are made once, by squaring:
//
//     powers[0] = 10^19, powers[1] = 10^38, powers[2] = 10^76, ...
#include "objects/numbers/bigint.h"

#include "objects/error.h"
#include "objects/memory.h"

#define DECIMAL_CHUNK 19 // digits that fit one limb
#define DECIMAL_POWER 10000000000000000000ull
#define PLAIN_LIMBS 40 // up to here one pass per limb is faster than halving
#define POWER_COUNT 48

typedef struct Power {
    Limb *limbs; // owned
    size_t size;
    size_t digits; // the base to this
} Power;

typedef struct PowerTable {
    Power powers[POWER_COUNT];
    int count;
} PowerTable;

static void powers_release(PowerTable *table)
{
    for (int i = 0; i < table->count; i++) memory_free(table->powers[i].limbs);
}

static bool powers_add(PowerTable *table, size_t size)
{
    Power *power = &table->powers[table->count];
    power->limbs = memory_alloc(size * sizeof(Limb));
    if (!power->limbs) return raise_memory_error();
    power->size = size;
    table->count++;
    return true;
}

// Squares the last power until it has `enough` limbs or more. False with all of them released.
static bool powers_make(PowerTable *table, Limb chunk_power, size_t chunk_digits, size_t enough)
{
    table->count = 0;
    if (!powers_add(table, 1)) return false;
    table->powers[0].limbs[0] = chunk_power;
    table->powers[0].digits = chunk_digits;
    while (table->powers[table->count - 1].size < enough) {
        const Power *last = &table->powers[table->count - 1];
        if (!powers_add(table, 2 * last->size)) goto failed;
        Power *next = &table->powers[table->count - 1];
        if (!bigint_multiply(next->limbs, last->limbs, last->size, last->limbs, last->size))
            goto failed;
        next->size = bigint_normal_size(next->limbs, next->size);
        next->digits = 2 * last->digits;
    }
    return true;
failed:
    powers_release(table);
    return false;
}

size_t bigint_decimal_size(const Limb *a, size_t size)
{
    // 0.30103 is a little above log10(2).
    uint64_t bits = (uint64_t)bigint_bit_length(a, size);
    return (size_t)(bits / 100000 * 30103 + bits % 100000 * 30103 / 100000) + 2;
}

static void write_chunk(Limb chunk, char *text, size_t width)
{
    while (width--) {
        text[width] = (char)('0' + chunk % 10);
        chunk /= 10;
    }
}

void bigint_write_decimal(Limb *a, size_t size, char *text, size_t width)
{
    static const LimbDivisor by_chunk = {DECIMAL_POWER, 0xd83c94fb6d2ac34aull, 0};
    while (width) {
        Limb chunk = 0;
        for (size_t i = size; i-- > 0;) a[i] = limb_divide(&by_chunk, chunk, a[i], &chunk);
        size = bigint_normal_size(a, size);
        size_t part = width < DECIMAL_CHUNK ? width : DECIMAL_CHUNK;
        width -= part;
        write_chunk(chunk, text + width, part);
    }
}

// Exactly `width` digits of a, which is normal and used up.
static bool write_by_halves(Limb *a, size_t size, char *text, size_t width, const PowerTable *table,
                            int level)
{
    if (size < PLAIN_LIMBS) {
        bigint_write_decimal(a, size, text, width);
        return true;
    }
    while (table->powers[level].digits >= width) level--;
    const Power *power = &table->powers[level];
    size_t upper_width = width - power->digits;
    char *lower_text = text + upper_width;
    if (size < power->size) {
        memset(text, '0', upper_width);
        return write_by_halves(a, size, lower_text, power->digits, table, level - 1);
    }
    size_t digits = size - power->size + 1;
    Limb *quotient = memory_alloc((digits + power->size) * sizeof(Limb));
    if (!quotient) return raise_memory_error();
    Limb *rest = quotient + digits;
    bool done = bigint_divide(quotient, rest, a, size, power->limbs, power->size) &&
                write_by_halves(quotient, bigint_normal_size(quotient, digits), text, upper_width,
                                table, level) &&
                write_by_halves(rest, bigint_normal_size(rest, power->size), lower_text,
                                power->digits, table, level - 1);
    memory_free(quotient);
    return done;
}

static size_t strip_zeros(char *text, size_t width)
{
    size_t zeros = 0;
    while (zeros + 1 < width && text[zeros] == '0') zeros++;
    memmove(text, text + zeros, width - zeros);
    return width - zeros;
}

bool bigint_to_decimal(const Limb *a, size_t size, char *text, size_t *length)
{
    size_t width = bigint_decimal_size(a, size);
    PowerTable table = {.count = 0};
    bool by_halves = size >= PLAIN_LIMBS;
    if (by_halves && !powers_make(&table, DECIMAL_POWER, DECIMAL_CHUNK, (size + 1) / 2))
        return false;
    Limb *work = memory_alloc((size ? size : 1) * sizeof(Limb));
    bool done = work != NULL;
    if (!work) {
        raise_memory_error();
    } else {
        memcpy(work, a, size * sizeof(Limb));
        if (by_halves)
            done = write_by_halves(work, size, text, width, &table, table.count - 1);
        else
            bigint_write_decimal(work, size, text, width);
    }
    memory_free(work);
    powers_release(&table);
    if (done) *length = strip_zeros(text, width);
    return done;
}

size_t bigint_to_bits(const Limb *a, size_t size, int bits, char *text)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    const Limb *end = a + size;
    size_t length = ((size_t)bigint_bit_length(a, size) + (size_t)bits - 1) / (size_t)bits;
    Limb rest = 0, mask = ((Limb)1 << bits) - 1; // the bits of *a that are not written yet
    int left = 0;
    for (char *to = text + length; to > text;) {
        ptrdiff_t count = left / bits < to - text ? left / bits : to - text;
        left -= (int)count * bits;
        for (char *last = to - count; to > last; rest >>= bits) *--to = digits[rest & mask];
        if (to == text) break;
        Limb low = rest; // the digit that ends in the next limb
        rest = a < end ? *a++ : 0;
        *--to = digits[(low | rest << left) & mask];
        rest >>= bits - left;
        left += LIMB_BITS - bits;
    }
    if (length) return length;
    text[0] = '0';
    return 1;
}

size_t bigint_digits_limbs(size_t count, int base)
{
    int bits = limb_bit_length((Limb)(base - 1));
    return count / LIMB_BITS * (size_t)bits + count % LIMB_BITS * (size_t)bits / LIMB_BITS + 2;
}

static size_t from_bits_digits(const unsigned char *digits, size_t count, int bits, Limb *result)
{
    size_t size = 0;
    Limb limb = 0;
    int offset = 0; // in the limb, of the next digit
    const unsigned char *at = digits + count;
    for (; bits == 4 && at - digits >= LIMB_BITS / 4; at -= LIMB_BITS / 4) {
        for (int i = 0; i < LIMB_BITS / 4; i++) limb |= (Limb)at[-1 - i] << 4 * i;
        result[size++] = limb;
        limb = 0;
    }
    while (at > digits) {
        Limb digit = *--at;
        limb |= digit << offset;
        offset += bits;
        if (offset < LIMB_BITS) continue;
        result[size++] = limb;
        offset -= LIMB_BITS;
        limb = digit >> (bits - offset);
    }
    if (offset) result[size++] = limb;
    return bigint_normal_size(result, size);
}

// Digits chunk by chunk: result = result * base^chunk + chunk's value.
static size_t read_plain(const unsigned char *digits, size_t count, Limb base, size_t chunk_digits,
                         Limb *result)
{
    size_t size = 0;
    for (size_t i = 0; i < count;) {
        size_t end = i + ((count - i - 1) % chunk_digits + 1);
        Limb chunk = 0, power = 1;
        for (; i < end; i++, power *= base) chunk = chunk * base + digits[i];
        Limb top = bigint_multiply_limb(result, result, size, power, chunk);
        if (top) result[size++] = top;
    }
    return size;
}

static bool read_by_halves(const unsigned char *digits, size_t count, int base,
                           const PowerTable *table, int level, Limb *result, size_t *size)
{
    while (level > 0 && table->powers[level].digits >= count) level--;
    const Power *power = &table->powers[level];
    if (power->size < PLAIN_LIMBS / 2 || power->digits >= count) {
        *size = read_plain(digits, count, (Limb)base, table->powers[0].digits, result);
        return true;
    }
    size_t upper_count = count - power->digits, upper_size, lower_size;
    Limb *work = memory_alloc(2 * bigint_digits_limbs(count, base) * sizeof(Limb));
    if (!work) return raise_memory_error();
    Limb *lower = work + bigint_digits_limbs(count, base);
    bool done = read_by_halves(digits, upper_count, base, table, level, work, &upper_size) &&
                read_by_halves(digits + upper_count, power->digits, base, table, level - 1, lower,
                               &lower_size) &&
                bigint_multiply(result, work, upper_size, power->limbs, power->size);
    if (done) {
        size_t total = upper_size + power->size;
        bigint_add(result, result, total, lower, lower_size);
        *size = bigint_normal_size(result, total);
    }
    memory_free(work);
    return done;
}

bool bigint_from_digits(const unsigned char *digits, size_t count, int base, Limb *result,
                        size_t *size)
{
    if (!(base & (base - 1))) {
        *size = from_bits_digits(digits, count, limb_bit_length((Limb)base) - 1, result);
        return true;
    }
    size_t chunk_digits = 1;
    Limb power = (Limb)base;
    while (power <= ~(Limb)0 / (Limb)base) {
        power *= (Limb)base;
        chunk_digits++;
    }
    if (count <= PLAIN_LIMBS * chunk_digits) {
        *size = read_plain(digits, count, (Limb)base, chunk_digits, result);
        return true;
    }
    PowerTable table;
    if (!powers_make(&table, power, chunk_digits, count / chunk_digits / 2)) return false;
    bool done = read_by_halves(digits, count, base, &table, table.count - 1, result, size);
    powers_release(&table);
    return done;
}
