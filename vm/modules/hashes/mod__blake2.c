// The module _blake2: the types blake2b and blake2s, for vm/lib/hashlib.mpy.
#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/modules/hashes/blake2.h"
#include "vm/modules/hashes/hash_values.h"

typedef struct Blake2Object {
    Object base;
    Blake2 hash;
} Blake2Object;

static Blake2 *hash_of(ValueRef value)
{
    return &((Blake2Object *)object_of(value))->hash;
}

// ---- parameters

enum {
    DATA,
    DIGEST_SIZE,
    KEY,
    SALT,
    PERSON,
    FANOUT,
    DEPTH,
    LEAF_SIZE,
    NODE_OFFSET,
    NODE_DEPTH,
    INNER_SIZE,
    LAST_NODE,
    USED_FOR_SECURITY,
    ARGUMENTS
};

static const char *const names[] = {
    "",          "digest_size", "key",        "salt",       "person",    "fanout",          "depth",
    "leaf_size", "node_offset", "node_depth", "inner_size", "last_node", "usedforsecurity", NULL};

// What the arguments say, before it is checked.
typedef struct Wanted {
    int digest_size, fanout, depth, node_depth, inner_size;
    uint64_t leaf_size, node_offset;
    bool last_node;
    Buffer key, salt, person;
} Wanted;

static bool read_int(ValueRef value, int *number)
{
    return !value || argument_int(value, number);
}

static bool read_unsigned(ValueRef value, const char *too_large, uint64_t *number)
{
    if (!value) return true;
    if (!int_check(value)) return raise_error(TypeError, "an integer is required");
    if (int_sign(value) < 0) return raise_error(ValueError, "value must be positive");
    if (int_bit_length(value) > 64) return raise_error(OverflowError, "%s", too_large);
    return int_as_uint64(value, number);
}

static bool read_bytes(ValueRef value, Buffer *buffer)
{
    return !value || buffer_get(value, buffer, false);
}

// In the order of CPython, that of the parameters.
static bool read_arguments(const ValueRef *slots, Wanted *wanted)
{
    return read_int(slots[DIGEST_SIZE], &wanted->digest_size) &&
           read_bytes(slots[KEY], &wanted->key) && read_bytes(slots[SALT], &wanted->salt) &&
           read_bytes(slots[PERSON], &wanted->person) && read_int(slots[FANOUT], &wanted->fanout) &&
           read_int(slots[DEPTH], &wanted->depth) &&
           read_unsigned(slots[LEAF_SIZE], "Python int too large to convert to C unsigned long",
                         &wanted->leaf_size) &&
           read_unsigned(slots[NODE_OFFSET], "int too big to convert", &wanted->node_offset) &&
           read_int(slots[NODE_DEPTH], &wanted->node_depth) &&
           read_int(slots[INNER_SIZE], &wanted->inner_size) &&
           (!slots[LAST_NODE] || object_truth(slots[LAST_NODE], &wanted->last_node));
}

static bool check_length(const char *what, ssize_t size, int longest)
{
    return size <= longest ||
           raise_error(ValueError, "maximum %s length is %d bytes", what, longest);
}

static bool check_number(const char *what, int number, int least)
{
    return (number >= least && number <= 255) ||
           raise_error(ValueError, "%s must be between %d and 255", what, least);
}

static bool check_sizes(const Wanted *wanted, const Blake2Kind *kind)
{
    int longest = kind->words->digest_size, salt_size = blake2_salt_size(kind);
    if (wanted->digest_size <= 0 || wanted->digest_size > longest)
        return raise_error(ValueError, "digest_size must be between 1 and %d bytes", longest);
    return check_length("salt", wanted->salt.size, salt_size) &&
           check_length("person", wanted->person.size, salt_size);
}

static bool check_tree(const Wanted *wanted, const Blake2Kind *kind)
{
    int longest = kind->words->digest_size;
    if (!check_number("fanout", wanted->fanout, 0) || !check_number("depth", wanted->depth, 1))
        return false;
    if (wanted->leaf_size > UINT32_MAX) return raise_error(OverflowError, "leaf_size is too large");
    if (kind->offset_size < 8 && wanted->node_offset >> 8 * kind->offset_size)
        return raise_error(OverflowError, "node_offset is too large");
    if (!check_number("node_depth", wanted->node_depth, 0)) return false;
    if (wanted->inner_size < 0 || wanted->inner_size > longest)
        return raise_error(ValueError, "inner_size must be between 0 and is %d", longest);
    return check_length("key", wanted->key.size, longest);
}

static Piece piece_of(const Buffer *buffer)
{
    return (Piece){(const uint8_t *)buffer->bytes, (size_t)buffer->size};
}

static void begin(Blake2 *hash, const Blake2Kind *kind, const Wanted *wanted)
{
    Blake2Parameters parameters = {.digest_size = wanted->digest_size,
                                   .key = piece_of(&wanted->key),
                                   .salt = piece_of(&wanted->salt),
                                   .person = piece_of(&wanted->person),
                                   .fanout = wanted->fanout,
                                   .depth = wanted->depth,
                                   .node_depth = wanted->node_depth,
                                   .inner_size = wanted->inner_size,
                                   .leaf_size = (uint32_t)wanted->leaf_size,
                                   .node_offset = wanted->node_offset,
                                   .last_node = wanted->last_node};
    blake2_begin(hash, kind, &parameters);
}

// ---- the types

static Type blake2b_type, blake2s_type;

static const Blake2Kind *kind_of(const Type *type)
{
    return type == &blake2b_type ? &blake2b : &blake2s;
}

static bool update(Blake2 *hash, ValueRef data)
{
    Buffer buffer;
    if (!hash_data(data, &buffer)) return false;
    blake2_update(hash, buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return true;
}

static Value make(Type *type, const ValueRef *slots, Wanted *wanted)
{
    const Blake2Kind *kind = kind_of(type);
    if (!read_arguments(slots, wanted) || !check_sizes(wanted, kind) || !check_tree(wanted, kind))
        return VALUE_ERROR;
    Blake2Object *made = object_alloc(type, 0);
    if (!made) return VALUE_ERROR;
    begin(&made->hash, kind, wanted);
    if (!slots[DATA] || update(&made->hash, slots[DATA])) return own(made);
    drop(own(made));
    return VALUE_ERROR;
}

static Value new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    const Blake2Kind *kind = kind_of(type);
    Signature signature = {kind->name, names, 0, 1};
    ValueRef slots[ARGUMENTS];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    Wanted wanted = {.digest_size = kind->words->digest_size, .fanout = 1, .depth = 1};
    Value made = make(type, slots, &wanted);
    buffer_release(&wanted.key);
    buffer_release(&wanted.salt);
    buffer_release(&wanted.person);
    return made;
}

static Value method_update(ValueRef self, METHOD_ARGS)
{
    return update(hash_of(self), args[0]) ? NONE : VALUE_ERROR;
}

static Value method_digest(ValueRef self, METHOD_ARGS)
{
    uint8_t digest[HASH_LONGEST_DIGEST];
    blake2_end(hash_of(self), digest);
    return bytes_new(digest, (size_t)hash_of(self)->digest_size);
}

static Value method_hexdigest(ValueRef self, METHOD_ARGS)
{
    uint8_t digest[HASH_LONGEST_DIGEST];
    blake2_end(hash_of(self), digest);
    return hash_hexadecimal(digest, (size_t)hash_of(self)->digest_size);
}

static Value method_copy(ValueRef self, METHOD_ARGS)
{
    Blake2Object *made = object_alloc(type_of(self), 0);
    if (!made) return VALUE_ERROR;
    made->hash = *hash_of(self);
    return own(made);
}

static Value get_name(ValueRef self)
{
    return str_new(hash_of(self)->kind->name);
}

static Value get_digest_size(ValueRef self)
{
    return from_small(hash_of(self)->digest_size);
}

static Value get_block_size(ValueRef self)
{
    return from_small(hash_of(self)->kind->words->block_size);
}

static const MethodDef methods[] = {
    {"copy", method_copy, NO_ARGS, "Return a copy of the hash object."},
    {"digest", method_digest, NO_ARGS, "Return the digest value as a bytes object."},
    {"hexdigest", method_hexdigest, NO_ARGS,
     "Return the digest value as a string of hexadecimal digits."},
    {"update", method_update, ONE_ARG,
     "Update this hash object's state with the provided bytes-like object."},
    {0},
};

static const GetSetDef getset[] = {
    {"name", get_name, NULL, NULL},
    {"block_size", get_block_size, NULL, NULL},
    {"digest_size", get_digest_size, NULL, NULL},
    {0},
};

#define BLAKE2_TYPE(type_name, text)                                                               \
    {STATIC_TYPE(type_name, sizeof(Blake2Object)), .doc = (text), .methods = methods,              \
     .getset = getset, .new_ = new}
static Type blake2b_type = BLAKE2_TYPE("_blake2.blake2b", "Return a new BLAKE2b hash object.");
static Type blake2s_type = BLAKE2_TYPE("_blake2.blake2s", "Return a new BLAKE2s hash object.");

static bool add_type(ValueRef module, Type *type)
{
    if (!type_ready(type)) return false;
    const Blake2Kind *kind = kind_of(type);
    Value longest = from_small(kind->words->digest_size), salt = from_small(blake2_salt_size(kind));
    return dict_set_ascii(type->dict, "SALT_SIZE", salt) &&
           dict_set_ascii(type->dict, "PERSON_SIZE", salt) &&
           dict_set_ascii(type->dict, "MAX_KEY_SIZE", longest) &&
           dict_set_ascii(type->dict, "MAX_DIGEST_SIZE", longest) && module_add_type(module, type);
}

static bool fill(ValueRef module)
{
    return add_type(module, &blake2b_type) && add_type(module, &blake2s_type);
}

const ModuleDef _blake2_module = {
    .name = "_blake2",
    .doc = "_blake2b provides BLAKE2b for hashlib\n",
    .fill = fill,
};
