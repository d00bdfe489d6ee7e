// The generator of random numbers.
#include "vm/modules/torch/random_generator.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/tensor/dense.h"
#include "objects/type.h"
#include "vm/modules/torch/call/torch_objects.h"
#include "vm/modules/torch/kernels/scalar_angles.h"

#define DEFAULT_SEED 67280421310721u

// ---- mt19937

void random_seed(Generator *generator, uint64_t seed)
{
    uint32_t *state = generator->state;
    generator->seed = seed;
    state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < GENERATOR_WORDS; i++)
        state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
    generator->left = 1;
    generator->next = 0;
    generator->has_normal = false;
    generator->normal = 0;
}

static uint32_t twist(uint32_t upper, uint32_t lower)
{
    uint32_t mixed = (upper & 0x80000000u) | (lower & 0x7FFFFFFFu);
    return mixed >> 1 ^ (-(lower & 1) & 0x9908B0DFu);
}

// In three parts, so that no index has to be wrapped around: the first two are loops of vectors.
static void renew(Generator *generator)
{
    enum { AHEAD = 397, REST = GENERATOR_WORDS - AHEAD, LAST = GENERATOR_WORDS - 1 };
    uint32_t *state = generator->state;
    for (int i = 0; i < REST; i++) state[i] = state[i + AHEAD] ^ twist(state[i], state[i + 1]);
    for (int i = REST; i < LAST; i++) state[i] = state[i - REST] ^ twist(state[i], state[i + 1]);
    state[LAST] = state[AHEAD - 1] ^ twist(state[LAST], state[0]);
    generator->left = GENERATOR_WORDS;
    generator->next = 0;
}

static uint32_t temper(uint32_t y)
{
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
}

uint32_t random_draw(Generator *generator)
{
    if (--generator->left == 0) renew(generator);
    invariant(generator->next < GENERATOR_WORDS, "a renewed state has words left");
    return temper(generator->state[generator->next++]);
}

void random_draws(Generator *generator, int64_t n, uint32_t *words)
{
    while (n > 0) {
        if (generator->left == 1) {
            renew(generator);
            generator->left = GENERATOR_WORDS + 1;
        }
        int32_t count = n < generator->left ? (int32_t)n : generator->left - 1;
        const uint32_t *state = generator->state + generator->next;
        for (int32_t i = 0; i < count; i++) words[i] = temper(state[i]);
        generator->left -= count;
        generator->next += (uint32_t)count;
        words += count;
        n -= count;
    }
}

uint64_t random_draw64(Generator *generator)
{
    uint64_t upper = random_draw(generator);
    return upper << 32 | random_draw(generator);
}

float random_float(Generator *generator)
{
    return (float)(random_draw(generator) & 0xFFFFFF) * 0x1p-24f;
}

double random_double(Generator *generator)
{
    return (double)(random_draw64(generator) & 0x1FFFFFFFFFFFFF) * 0x1p-53;
}

double random_normal(Generator *generator)
{
    if (generator->has_normal) {
        generator->has_normal = false;
        return generator->normal;
    }
    double angle = 2 * 3.14159265358979323846 * random_double(generator);
    double radius = sqrt(-2 * m_log1p(-random_double(generator)));
    generator->has_normal = true;
    generator->normal = radius * m_sin(angle);
    return radius * m_cos(angle);
}

// ---- the objects

static Generator the_default = {.base = {1, &random_generator_type}};

Generator *random_default(void)
{
    return &the_default;
}

static Generator *as_generator(ValueRef value)
{
    return (Generator *)object_of(value);
}

bool random_generator_check(ValueRef value)
{
    return is_exactly(value, &random_generator_type);
}

Generator *random_of(ValueRef value)
{
    if (value == NONE) return &the_default;
    if (random_generator_check(value)) return as_generator(value);
    raise_error(TypeError, "expected a torch.Generator, but got %T", value);
    return NULL;
}

// Seeds are 64 bits; those below 0 count from 2^64.
static bool read_seed(ValueRef value, uint64_t *seed)
{
    int64_t small;
    Value exact = object_index(value);
    if (!exact) return false;
    bool done = int_as_int64(exact, &small);
    *seed = (uint64_t)small;
    if (!done && error_is(OverflowError) && int_sign(exact) > 0) {
        error_clear();
        done = int_as_uint64(exact, seed);
    }
    if (!done && error_is(OverflowError)) {
        error_clear();
        raise_error(RuntimeError, "Overflow when unpacking long");
    }
    drop(exact);
    return done;
}

static Value make_generator(Type *type, METHOD_ARGS)
{
    if (nargs > 1)
        return raise_error(TypeError, "Generator() takes at most 1 argument (%zu given)", nargs);
    bool meta;
    if (nargs + (kwnames ? 1 : 0) && !device_read(args[0], &meta)) return VALUE_ERROR;
    Generator *made = object_alloc(type, 0);
    if (made) random_seed(made, DEFAULT_SEED);
    return own(made);
}

// ---- the state as bytes, in PyTorch's layout

// Offsets into the bytes that get_state() returns.
enum {
    AT_SEED = 0,
    AT_LEFT = 8,
    AT_SEEDED = 12,
    AT_NEXT = 16,
    AT_STATE = 24,
    AT_NORMAL = AT_STATE + 8 * GENERATOR_WORDS + 8,
    AT_HAS_NORMAL = AT_STATE + 8 * GENERATOR_WORDS + 24,
};

static void write_state(const Generator *generator, char *bytes)
{
    int32_t seeded = 1, has_normal = generator->has_normal;
    uint64_t next = generator->next;
    memset(bytes, 0, GENERATOR_STATE_BYTES);
    memcpy(bytes + AT_SEED, &generator->seed, 8);
    memcpy(bytes + AT_LEFT, &generator->left, 4);
    memcpy(bytes + AT_SEEDED, &seeded, 4);
    memcpy(bytes + AT_NEXT, &next, 8);
    for (int i = 0; i < GENERATOR_WORDS; i++) {
        uint64_t word = generator->state[i];
        memcpy(bytes + AT_STATE + 8 * i, &word, 8);
    }
    if (has_normal) memcpy(bytes + AT_NORMAL, &generator->normal, 8);
    memcpy(bytes + AT_HAS_NORMAL, &has_normal, 4);
}

// False if the bytes are no state: the generator is then as before.
static bool read_state(Generator *generator, const char *bytes)
{
    int32_t left, has_normal;
    uint64_t next, word;
    memcpy(&left, bytes + AT_LEFT, 4);
    memcpy(&next, bytes + AT_NEXT, 8);
    bool fresh = left == 1 && next == 0;
    if (!fresh && (next > GENERATOR_WORDS || left != (int32_t)(GENERATOR_WORDS + 1 - next)))
        return false;
    memcpy(&generator->seed, bytes + AT_SEED, 8);
    generator->left = left;
    generator->next = (uint32_t)next;
    for (int i = 0; i < GENERATOR_WORDS; i++) {
        memcpy(&word, bytes + AT_STATE + 8 * i, 8);
        generator->state[i] = (uint32_t)word;
    }
    memcpy(&has_normal, bytes + AT_HAS_NORMAL, 4);
    generator->has_normal = has_normal != 0;
    memcpy(&generator->normal, bytes + AT_NORMAL, 8);
    return true;
}

static Value get_state(const Generator *generator)
{
    const Dim sizes[] = {from_small(GENERATOR_STATE_BYTES)};
    Value made = tensor_new(DTYPE_uint8, 1, sizes);
    if (made) write_state(generator, tensor_elements(made));
    return made;
}

static Value set_state(Generator *generator, ValueRef value)
{
    if (!tensor_check(value) || !as_tensor(value)->storage)
        return raise_error(TypeError, "expected a torch.ByteTensor, but got %T", value);
    Tensor *tensor = as_tensor(value);
    if (tensor_dtype(tensor) != DTYPE_uint8)
        return raise_error(TypeError, "expected a torch.ByteTensor, but got %s",
                           dtype_table[tensor->dtype].type);
    if (tensor->numel != GENERATOR_STATE_BYTES)
        return raise_error(RuntimeError, "RNG state is wrong size");
    Value dense = tensor_dense(tensor, DTYPE_uint8);
    if (!dense) return VALUE_ERROR;
    bool valid = read_state(generator, tensor_elements(dense));
    drop(dense);
    return valid ? NONE : raise_error(RuntimeError, "Invalid mt19937 state");
}

// ---- methods

static Value method_manual_seed(ValueRef self, METHOD_ARGS)
{
    uint64_t seed;
    if (!read_seed(args[0], &seed)) return VALUE_ERROR;
    random_seed(as_generator(self), seed);
    return retain(self);
}
static Value method_initial_seed(ValueRef self, METHOD_ARGS)
{
    return int_from_uint64(as_generator(self)->seed);
}
// A seed out of the generator itself: a script prints the same run after run.
static Value method_seed(ValueRef self, METHOD_ARGS)
{
    uint64_t seed = random_draw64(as_generator(self)) & 0x1FFFFFFFFFFFFF;
    random_seed(as_generator(self), seed);
    return int_from_uint64(seed);
}
static Value method_get_state(ValueRef self, METHOD_ARGS)
{
    return get_state(as_generator(self));
}
static Value method_set_state(ValueRef self, METHOD_ARGS)
{
    Value done = set_state(as_generator(self), args[0]);
    return done ? retain(self) : VALUE_ERROR;
}
// A generator of its own that goes on from where this one is.
static Value method_clone_state(ValueRef self, METHOD_ARGS)
{
    Generator *made = object_alloc(&random_generator_type, 0), *from = as_generator(self);
    if (!made) return VALUE_ERROR;
    made->seed = from->seed;
    made->left = from->left;
    made->next = from->next;
    memcpy(made->state, from->state, sizeof from->state);
    made->has_normal = from->has_normal;
    made->normal = from->normal;
    return own(made);
}
// What generators of other devices have.
static Value method_offset(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return raise_error(RuntimeError, "CPU Generator does not use offset");
}
static Value method_graphsafe_get_state(ValueRef self, METHOD_ARGS)
{
    (void)self;
    return raise_error(NotImplementedError,
                       "graphsafe_get_state is not supported in this Generator");
}
static Value method_graphsafe_set_state(ValueRef self, METHOD_ARGS)
{
    (void)self;
    if (!random_generator_check(args[0]))
        return raise_error(TypeError, "expected a Generator, but got %T", args[0]);
    return raise_error(NotImplementedError,
                       "graphsafe_set_state is not supported in this Generator");
}
static Value get_device(ValueRef self)
{
    (void)self;
    return device_new(false);
}

static const MethodDef methods[] = {
    {"manual_seed", method_manual_seed, ONE_ARG, "Seeds the generator, and returns it."},
    {"initial_seed", method_initial_seed, NO_ARGS, "The seed."},
    {"seed", method_seed, NO_ARGS, "Chooses a seed, and returns it."},
    {"get_state", method_get_state, NO_ARGS, "The state as a tensor of bytes."},
    {"set_state", method_set_state, ONE_ARG, "Goes back to a state that get_state() returned."},
    {"clone_state", method_clone_state, NO_ARGS, "Another generator in the same state."},
    {"get_offset", method_offset, NO_ARGS, "Refuses: there is no offset."},
    {"set_offset", method_offset, ONE_ARG, "Refuses: there is no offset."},
    {"graphsafe_get_state", method_graphsafe_get_state, NO_ARGS, "Refuses: there is no graph."},
    {"graphsafe_set_state", method_graphsafe_set_state, ONE_ARG, "Refuses: there is no graph."},
    {0},
};
static const GetSetDef getset[] = {
    {"device", get_device, NULL, NULL},
    {0},
};

Type random_generator_type = {
    STATIC_TYPE("torch._C.Generator", sizeof(Generator)),
    .doc = "Generator(device='cpu') -> Generator\n\nA source of random numbers.",
    .new_ = make_generator,
    .methods = methods,
    .getset = getset,
    .getattribute = object_generic_get,
};

bool random_fill(ValueRef module)
{
    random_seed(&the_default, DEFAULT_SEED);
    return type_ready(&random_generator_type) && module_add_type(module, &random_generator_type) &&
           module_add(module, "default_generator", ref_of(&the_default));
}
