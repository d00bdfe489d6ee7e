// The module _hashes: objects that hash, for vm/lib/hashlib.mpy.
//
// new(name, data=b"") -> HASH; ValueError for a name that is not known. CPython has them in _md5,
// _sha1, _sha256, _sha512 and _sha3, and in _hashlib, whose types have the names that these have.
// A HASHXOF (SHAKE) has no size of its own: digest(length). chain() and mix() are the loops of
// pbkdf2_hmac() and scrypt().
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/classes/object_parts.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/modules/hashes/hash.h"
#include "vm/modules/hashes/hash_values.h"
#include "vm/modules/hashes/scrypt.h"

#define MOST_MEMORY ((int64_t)(SIZE_MAX / 8))

typedef struct HashObject {
    Object base;
    Hash hash;
} HashObject;

static Hash *hash_of(ValueRef value)
{
    return &((HashObject *)object_of(value))->hash;
}

static bool update(Hash *hash, ValueRef data)
{
    Buffer buffer;
    if (!hash_data(data, &buffer)) return false;
    hash_update(hash, buffer.bytes, (size_t)buffer.size);
    buffer_release(&buffer);
    return true;
}

static Value hash_method_update(ValueRef self, METHOD_ARGS)
{
    return update(hash_of(self), args[0]) ? NONE : VALUE_ERROR;
}

static Value hash_method_digest(ValueRef self, METHOD_ARGS)
{
    uint8_t digest[HASH_LONGEST_DIGEST];
    hash_end(hash_of(self), digest);
    return bytes_new(digest, (size_t)hash_of(self)->kind->digest_size);
}

static Value hash_method_hexdigest(ValueRef self, METHOD_ARGS)
{
    uint8_t digest[HASH_LONGEST_DIGEST];
    hash_end(hash_of(self), digest);
    return hash_hexadecimal(digest, (size_t)hash_of(self)->kind->digest_size);
}

static Value hash_method_copy(ValueRef self, METHOD_ARGS)
{
    HashObject *made = object_alloc(type_of(self), 0);
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
    return from_small(hash_of(self)->kind->digest_size);
}

static Value get_block_size(ValueRef self)
{
    return from_small(hash_of(self)->kind->block_size);
}

static Value hash_repr(ValueRef self)
{
    return format_text("<%s %T object @ 0x%llx>", hash_of(self)->kind->name, self, value_id(self));
}

static const MethodDef hash_methods[] = {
    {"update", hash_method_update, ONE_ARG, NULL},
    {"digest", hash_method_digest, NO_ARGS, NULL},
    {"hexdigest", hash_method_hexdigest, NO_ARGS, NULL},
    {"copy", hash_method_copy, NO_ARGS, NULL},
    {0},
};

static const GetSetDef hash_getset[] = {
    {"name", get_name, NULL, NULL},
    {"digest_size", get_digest_size, NULL, NULL},
    {"block_size", get_block_size, NULL, NULL},
    {0},
};

static Type hash_type = {
    STATIC_TYPE("_hashlib.HASH", sizeof(HashObject)),
    .repr = hash_repr,
    .methods = hash_methods,
    .getset = hash_getset,
};

// ---- digests of any size

static Value squeeze(const char *function, ValueRef self, METHOD_ARGS, bool hexadecimal)
{
    static const char *const names[] = {"length", NULL};
    Signature signature = {function, names, 1, 1};
    ValueRef given[1];
    ssize_t size;
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        !object_as_ssize(given[0], &size, OverflowError))
        return VALUE_ERROR;
    if (size < 0) return raise_error(ValueError, "length must be non-negative");
    if (size >= 1 << 29) return raise_error(ValueError, "length is too large");
    Value digest = bytes_new(NULL, (size_t)size);
    if (!digest) return VALUE_ERROR;
    hash_squeeze(hash_of(self), (uint8_t *)as_bytes(digest)->data, (size_t)size);
    if (!hexadecimal) return digest;
    Value text = hash_hexadecimal((const uint8_t *)as_bytes(digest)->data, (size_t)size);
    drop(digest);
    return text;
}

static Value any_size_digest(ValueRef self, METHOD_ARGS)
{
    return squeeze("digest", self, args, nargs, kwnames, false);
}

static Value any_size_hexdigest(ValueRef self, METHOD_ARGS)
{
    return squeeze("hexdigest", self, args, nargs, kwnames, true);
}

static const MethodDef any_size_methods[] = {
    {"digest", any_size_digest, KEYWORD_ARGS, NULL},
    {"hexdigest", any_size_hexdigest, KEYWORD_ARGS, NULL},
    {0},
};

static Type any_size_type = {
    STATIC_TYPE("_hashlib.HASHXOF", sizeof(HashObject)),
    .base_type = &hash_type,
    .methods = any_size_methods,
};

// ---- the module

static const HashKind *const kinds[] = {&hash_md5,      &hash_sha1,      &hash_sha224,
                                        &hash_sha256,   &hash_sha384,    &hash_sha512,
                                        &hash_sha3_224, &hash_sha3_256,  &hash_sha3_384,
                                        &hash_sha3_512, &hash_shake_128, &hash_shake_256};

static const HashKind *find_kind(ValueRef name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_equal_ascii(name, kinds[i]->name)) return kinds[i];
    return NULL;
}

static Value new_hash(FUNCTION_ARGS)
{
    if (!str_check(args[0])) return raise_error(TypeError, "name must be a string");
    const HashKind *kind = find_kind(args[0]);
    if (!kind) return raise_error(ValueError, "unsupported hash type %S", args[0]);
    HashObject *made = object_alloc(kind->digest_size ? &hash_type : &any_size_type, 0);
    if (!made) return VALUE_ERROR;
    hash_begin(&made->hash, kind);
    if (nargs < 2 || update(&made->hash, args[1])) return own(made);
    drop(own(made));
    return VALUE_ERROR;
}

// The hash in two steps that HMAC is, again and again: chain(inner, outer, digest, times) -> the
// exclusive or of the digest and all that come of it, each of the one before.
static Value chain(FUNCTION_ARGS)
{
    int times;
    for (int i = 0; i < 2; i++)
        if (!is_exactly(args[i], &hash_type)) return raise_error(TypeError, "HASH expected");
    const HashKind *kind = hash_of(args[0])->kind;
    size_t size = (size_t)kind->digest_size;
    if (!bytes_check(args[2]) || hash_of(args[1])->kind != kind ||
        (size_t)as_bytes(args[2])->size != size)
        return raise_error(ValueError, "a digest of the same kind expected");
    if (!argument_int(args[3], &times)) return VALUE_ERROR;
    uint8_t digest[HASH_LONGEST_DIGEST], total[HASH_LONGEST_DIGEST];
    memcpy(digest, as_bytes(args[2])->data, size);
    memcpy(total, digest, size);
    for (int i = 0; i < times; i++) {
        Hash inner = *hash_of(args[0]), outer = *hash_of(args[1]);
        hash_update(&inner, digest, size);
        hash_end(&inner, digest);
        hash_update(&outer, digest, size);
        hash_end(&outer, digest);
        for (size_t k = 0; k < size; k++) total[k] ^= digest[k];
        if (!(i & 0xFFF) && !poll_signals()) return VALUE_ERROR;
    }
    return bytes_new(total, size);
}

// scrypt's mixing: mix(block, n, r) -> the block as it is then.
static Value mix(FUNCTION_ARGS)
{
    int64_t n, r;
    if (!bytes_check(args[0])) return raise_error(TypeError, "bytes expected");
    if (!int_check(args[1]) || !int_check(args[2])) return raise_error(TypeError, "int expected");
    if (!int_as_int64(args[1], &n) || !int_as_int64(args[2], &r)) return VALUE_ERROR;
    ssize_t size = as_bytes(args[0])->size;
    if (n < 2 || n & (n - 1) || r < 1 || size / 128 != r || size % 128 || n > MOST_MEMORY / size)
        return raise_error(ValueError, "mix() takes a block of 128 * r bytes, and a power of two");
    Value block = bytes_new(as_bytes(args[0])->data, (size_t)size);
    if (!block) return VALUE_ERROR;
    ScryptEnd end = scrypt_mix((uint8_t *)as_bytes(block)->data, (size_t)n, (size_t)r);
    if (end == SCRYPT_DONE) return block;
    drop(block);
    return end == SCRYPT_NO_MEMORY ? raise_memory_error() : VALUE_ERROR;
}

static const MethodDef functions[] = {
    {"mix", mix, ARGS(3, 3), NULL},
    {"new", new_hash, ARGS(1, 2), NULL},
    {"chain", chain, ARGS(4, 4), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&hash_type) && type_ready(&any_size_type) &&
           module_add_type(module, &hash_type) && module_add_type(module, &any_size_type);
}

const ModuleDef _hashes_module = {
    .name = "_hashes",
    .doc = "Objects that hash.",
    .functions = functions,
    .fill = fill,
};
