// See contents.h.
#include "vm/debugger/contents.h"

#include "vm/modules/array/array.h"
#include "vm/modules/collections/collections.h"

#include "objects/bytes/bytes.h"
#include "objects/containers/list.h"
#include "objects/containers/set.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/instance.h"

#include <string.h>

#define PRIME 0x100000001b3u // of FNV-1a, here by words
#define BASIS 0xcbf29ce484222325u

typedef struct Reader {
    Contents contents;
    int64_t left; // values that may still be read
    int depth;
    ValueRef around[CONTENTS_DEPTH]; // the containers being read: one may be in itself
} Reader;

static void read_container(Reader *reader, ValueRef value);

static void add(Reader *reader, uint64_t word)
{
    reader->contents.hash = (reader->contents.hash ^ word) * PRIME;
    reader->contents.hash ^= reader->contents.hash >> 29;
}

static void add_bytes(Reader *reader, const char *bytes, size_t size)
{
    add(reader, size);
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < sizeof word ? size - i : sizeof word);
        add(reader, word);
    }
}

static bool is_container(ValueRef value)
{
    if (!value || value == ABSENT || !is_object(value)) return false;
    return list_check(value) || tuple_check(value) || dict_check(value) || set_check(value) ||
           bytearray_check(value) || array_check(value) || deque_check(value);
}

static void add_value(Reader *reader, ValueRef value)
{
    add(reader, bits_of(value));
    if (--reader->left < 0)
        reader->contents.is_cut = true;
    else if (is_container(value))
        read_container(reader, value);
}

static void add_values(Reader *reader, const Value *items, ssize_t count)
{
    add(reader, (uint64_t)count);
    for (ssize_t i = 0; i < count && reader->left >= 0; i++) add_value(reader, items[i]);
}

static void add_dict(Reader *reader, ValueRef dict)
{
    ssize_t position = 0;
    ValueRef key, value;
    while (reader->left >= 0 && dict_next(dict, &position, &key, &value)) {
        add_value(reader, key);
        add_value(reader, value);
    }
}

static void add_set(Reader *reader, ValueRef set)
{
    ssize_t position = 0;
    ValueRef item;
    while (reader->left >= 0 && set_next(set, &position, &item)) add_value(reader, item);
}

static void add_deque(Reader *reader, ValueRef deque)
{
    ssize_t size = deque_size(deque);
    add(reader, (uint64_t)size);
    for (ssize_t i = 0; i < size && reader->left >= 0; i++) add_value(reader, deque_at(deque, i));
}

static void add_items(Reader *reader, ValueRef value)
{
    if (list_check(value))
        add_values(reader, as_list(value)->items, list_size(value));
    else if (tuple_check(value))
        add_values(reader, as_tuple(value)->items, tuple_size(value));
    else if (dict_check(value))
        add_dict(reader, value);
    else if (set_check(value))
        add_set(reader, value);
    else if (bytearray_check(value))
        add_bytes(reader, as_bytearray(value)->data, (size_t)as_bytearray(value)->size);
    else if (array_check(value))
        add_bytes(reader, as_array(value)->items,
                  (size_t)as_array(value)->size * as_array(value)->kind->size);
    else
        add_deque(reader, value);
}

static void read_container(Reader *reader, ValueRef value)
{
    for (int i = 0; i < reader->depth; i++)
        if (reader->around[i] == value) return;
    if (reader->depth == CONTENTS_DEPTH) {
        reader->contents.is_cut = true;
        return;
    }
    reader->around[reader->depth++] = value;
    add_items(reader, value);
    reader->depth--;
}

// The attributes of an instance of a class written in script.
static void add_attributes(Reader *reader, ValueRef value)
{
    const Type *type = object_of(value)->type;
    Value dict = VALUE_ERROR;
    if (type->flags & TYPE_INLINE) {
        const Instance *instance = as_instance(value);
        add_values(reader, instance->values, instance->count);
        dict = instance->dict;
    } else if (type->dict_offset) {
        dict = *(const Value *)(const void *)((const char *)object_of(value) + type->dict_offset);
    }
    if (dict) add_dict(reader, dict);
}

Contents contents_of(ValueRef value)
{
    Reader reader = {.left = CONTENTS_MOST};
    bool is_instance = is_object(value) && (object_of(value)->type->flags & TYPE_HEAP) &&
                       !(object_of(value)->type->flags & TYPE_TYPE);
    if (!is_instance && !is_container(value)) return reader.contents;
    reader.contents.hash = BASIS;
    if (is_container(value)) read_container(&reader, value);
    if (is_instance) add_attributes(&reader, value);
    return reader.contents;
}
