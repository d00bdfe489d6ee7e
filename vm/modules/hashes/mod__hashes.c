// The module _hashes: objects that hash, for vm/lib/hashlib.mpy.
//
// new(name, data=b"") -> HASH; ValueError for a name that is not known. CPython has them in _md5,
// _sha1, _sha256 and _sha512, and in _hashlib, whose type has the name that this one has.
#include "objects/bytes/bytes.h"
#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"
#include "vm/modules/hashes/hash.h"
#include "vm/modules/hashes/hash_values.h"

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
    return hash_hexadecimal(digest, hash_of(self)->kind->digest_size);
}

static Type hash_type;

static Value hash_method_copy(ValueRef self, METHOD_ARGS)
{
    HashObject *made = object_alloc(&hash_type, 0);
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
    .methods = hash_methods,
    .getset = hash_getset,
};

// ---- the module

static const HashKind *const kinds[] = {&hash_md5,    &hash_sha1,   &hash_sha224,
                                        &hash_sha256, &hash_sha384, &hash_sha512};

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
    HashObject *made = object_alloc(&hash_type, 0);
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

static const MethodDef functions[] = {
    {"new", new_hash, ARGS(1, 2), NULL},
    {"chain", chain, ARGS(4, 4), NULL},
    {0},
};

static bool fill(ValueRef module)
{
    return type_ready(&hash_type) && module_add_type(module, &hash_type);
}

const ModuleDef _hashes_module = {
    .name = "_hashes",
    .doc = "Objects that hash.",
    .functions = functions,
    .fill = fill,
};
