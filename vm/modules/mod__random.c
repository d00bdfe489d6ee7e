// The module _random: the Mersenne Twister MT19937 (Matsumoto and Nishimura) as the type
// _random.Random, seeded and read as CPython does, so that the same seed gives the same numbers.
// vm/lib/random.mpy builds the module random on it.
//
// The state is 624 words of 32 bits and the index of the next word to return. When all have been
// returned, each is computed anew from itself, its neighbour and the word 397 further on.
#include "objects/bytes/bytes.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/type.h"
#include "vm/modules/hashes/hash.h"
#include "vm/outside/outside.h"

#include <errno.h>
#include <limits.h>

#define STATE_SIZE 624
#define MIDDLE 397

typedef struct Random {
    Object base;
    int index;
    uint32_t state[STATE_SIZE];
} Random;

static Random *as_random(ValueRef value)
{
    return (Random *)object_of(value);
}

// ---- the generator

static uint32_t twist(uint32_t high, uint32_t low)
{
    uint32_t mixed = (high & 0x80000000u) | (low & 0x7FFFFFFFu);
    return mixed >> 1 ^ (low & 1 ? 0x9908B0DFu : 0);
}

static void renew(Random *self)
{
    uint32_t *mt = self->state;
    int i = 0;
    for (; i < STATE_SIZE - MIDDLE; i++) mt[i] = mt[i + MIDDLE] ^ twist(mt[i], mt[i + 1]);
    for (; i < STATE_SIZE - 1; i++) mt[i] = mt[i + MIDDLE - STATE_SIZE] ^ twist(mt[i], mt[i + 1]);
    mt[i] = mt[MIDDLE - 1] ^ twist(mt[i], mt[0]);
    self->index = 0;
}

static uint32_t next_word(Random *self)
{
    if (self->index >= STATE_SIZE) renew(self);
    uint32_t word = self->state[self->index++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9D2C5680u;
    word ^= word << 15 & 0xEFC60000u;
    return word ^ word >> 18;
}

static void seed_by_number(Random *self, uint32_t seed)
{
    uint32_t *mt = self->state;
    mt[0] = seed;
    for (uint32_t i = 1; i < STATE_SIZE; i++)
        mt[i] = 1812433253u * (mt[i - 1] ^ mt[i - 1] >> 30) + i;
    self->index = STATE_SIZE;
}

// Goes on to the next word of the state, round the end to the second.
static uint32_t step(uint32_t *mt, uint32_t i)
{
    if (i < STATE_SIZE - 1) return i + 1;
    mt[0] = mt[STATE_SIZE - 1];
    return 1;
}

static void seed_by_array(Random *self, const uint32_t *key, size_t length)
{
    uint32_t *mt = self->state, i = 1;
    size_t j = 0;
    seed_by_number(self, 19650218u);
    for (size_t k = length > STATE_SIZE ? length : STATE_SIZE; k; k--) {
        uint32_t before = mt[i - 1];
        mt[i] = (mt[i] ^ (before ^ before >> 30) * 1664525u) + key[j] + (uint32_t)j;
        i = step(mt, i);
        if (++j == length) j = 0;
    }
    for (int k = STATE_SIZE - 1; k; k--) {
        uint32_t before = mt[i - 1];
        mt[i] = (mt[i] ^ (before ^ before >> 30) * 1566083941u) - i;
        i = step(mt, i);
    }
    mt[0] = 0x80000000u;
}

// ---- seeding

static bool seed_from_outside(Random *self)
{
    uint32_t key[STATE_SIZE];
    if (!outside_random(key, sizeof key)) return raise_os_error(errno, VALUE_ERROR);
    seed_by_array(self, key, STATE_SIZE);
    return true;
}

// By the absolute value of an int, 32 bits after 32 bits.
static bool seed_from_int(Random *self, ValueRef number)
{
    Value positive = int_sign(number) < 0 ? int_negative(number) : int_exact(number);
    if (!positive) return false;
    int64_t bits = int_bit_length(positive);
    size_t length = bits ? (size_t)(bits - 1) / 32 + 1 : 1;
    uint8_t *bytes = memory_alloc(length * 8);
    bool done = false;
    if (!bytes) {
        raise_memory_error();
    } else if (int_to_bytes(positive, bytes, length * 4, true, false)) {
        uint32_t *key = (uint32_t *)(void *)(bytes + length * 4);
        for (size_t i = 0; i < length; i++) {
            const uint8_t *at = bytes + 4 * i;
            key[i] = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24;
        }
        seed_by_array(self, key, length);
        done = true;
    }
    memory_free(bytes);
    drop(positive);
    return done;
}

static bool seed(Random *self, ValueRef value)
{
    if (!value || value == NONE) return seed_from_outside(self);
    if (int_check(value)) return seed_from_int(self, value);
    int64_t hash;
    if (!object_hash(value, &hash)) return false;
    Value number = int_from_uint64((uint64_t)hash);
    if (!number) return false;
    bool done = seed_from_int(self, number);
    drop(number);
    return done;
}

static Type random_type;

static Value random_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &random_type && !args_no_keywords("Random()", kwnames)) return VALUE_ERROR;
    Random *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    if (seed(made, nargs == 1 && !kwnames ? args[0] : VALUE_ERROR)) return own(made);
    drop(own(made));
    return VALUE_ERROR;
}

// ---- methods

static Value random_seed(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)kwnames;
    return seed(as_random(self), nargs ? args[0] : VALUE_ERROR) ? NONE : VALUE_ERROR;
}

// 53 bits as a fraction of 1.
static Value random_random(ValueRef self, METHOD_ARGS)
{
    uint32_t high = next_word(as_random(self)) >> 5, low = next_word(as_random(self)) >> 6;
    return from_double((high * 67108864.0 + low) * (1.0 / 9007199254740992.0));
}

static Value many_bits(Random *self, int64_t bits)
{
    size_t size = ((size_t)bits - 1) / 32 * 4 + 4;
    uint8_t *bytes = memory_alloc(size);
    if (!bytes) return raise_memory_error();
    for (size_t i = 0; i < size; i += 4, bits -= 32) {
        uint32_t word = next_word(self);
        if (bits < 32) word >>= 32 - bits;
        for (int j = 0; j < 4; j++) bytes[i + (size_t)j] = (uint8_t)(word >> 8 * j);
    }
    Value number = int_from_bytes(bytes, size, true, false);
    memory_free(bytes);
    return number;
}

static Value random_getrandbits(ValueRef self, METHOD_ARGS)
{
    int bits;
    if (!argument_int(args[0], &bits)) return VALUE_ERROR;
    if (bits < 0) return raise_error(ValueError, "number of bits must be non-negative");
    if (!bits) return from_small(0);
    if (bits <= 32) return from_small(next_word(as_random(self)) >> (32 - bits));
    return many_bits(as_random(self), bits);
}

static Value random_getstate(ValueRef self, METHOD_ARGS)
{
    Value state = tuple_new(STATE_SIZE + 1);
    if (!state) return VALUE_ERROR;
    Value *items = as_tuple(state)->items;
    for (int i = 0; i < STATE_SIZE; i++) items[i] = from_small(as_random(self)->state[i]);
    items[STATE_SIZE] = from_small(as_random(self)->index);
    return state;
}

static bool read_word(ValueRef item, uint64_t *word)
{
    if (int_check(item)) return int_as_uint64(item, word);
    return raise_error(TypeError, "an integer is required (got type %T)", item);
}

static Value random_setstate(ValueRef self, METHOD_ARGS)
{
    if (!tuple_check(args[0])) return raise_error(TypeError, "state vector must be a tuple");
    if (tuple_size(args[0]) != STATE_SIZE + 1)
        return raise_error(ValueError, "state vector is the wrong size");
    uint32_t state[STATE_SIZE];
    uint64_t word;
    for (int i = 0; i < STATE_SIZE; i++) {
        if (!read_word(tuple_at(args[0], i), &word)) return VALUE_ERROR;
        state[i] = (uint32_t)word;
    }
    int64_t index;
    ValueRef last = tuple_at(args[0], STATE_SIZE);
    if (!int_check(last))
        return raise_error(TypeError, "an integer is required (got type %T)", last);
    if (!int_as_int64(last, &index)) return VALUE_ERROR;
    if (index < 0 || index > STATE_SIZE) return raise_error(ValueError, "invalid state");
    memcpy(as_random(self)->state, state, sizeof state);
    as_random(self)->index = (int)index;
    return NONE;
}

static const MethodDef random_methods[] = {
    {"random", random_random, NO_ARGS, NULL},
    {"seed", random_seed, ARGS(0, 1), NULL},
    {"getstate", random_getstate, NO_ARGS, NULL},
    {"setstate", random_setstate, ONE_ARG, NULL},
    {"getrandbits", random_getrandbits, ONE_ARG, NULL},
    {0},
};

static Type random_type = {
    STATIC_TYPE("_random.Random", sizeof(Random)),
    .flags = TYPE_BASE,
    .methods = random_methods,
    .new_ = random_new,
    .getattribute = object_generic_get,
};

// ---- for random.mpy

static Value module_sha512(FUNCTION_ARGS)
{
    Value data = bytes_from_value(args[0]);
    if (!data) return VALUE_ERROR;
    uint8_t digest[HASH_LONGEST_DIGEST];
    hash_whole(&hash_sha512, as_bytes(data)->data, (size_t)as_bytes(data)->size, digest);
    drop(data);
    return bytes_new(digest, sizeof digest);
}

// So many bytes from the system's source.
static Value module_urandom(FUNCTION_ARGS)
{
    ssize_t size;
    if (!object_as_ssize(args[0], &size, OverflowError)) return VALUE_ERROR;
    if (size < 0) return raise_error(ValueError, "negative argument not allowed");
    Value bytes = bytes_new(NULL, (size_t)size);
    if (!bytes || outside_random(as_bytes(bytes)->data, (size_t)size)) return bytes;
    drop(bytes);
    return raise_os_error(errno, VALUE_ERROR);
}

static const MethodDef random_functions[] = {
    {"_sha512", module_sha512, ONE_ARG, NULL},
    {"_urandom", module_urandom, ONE_ARG, NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&random_type) && module_add_type(module, &random_type);
}

const ModuleDef _random_module = {
    .name = "_random",
    .doc = "The Mersenne Twister.",
    .functions = random_functions,
    .fill = fill,
};
