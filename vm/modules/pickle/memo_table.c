// The memo of a pickler or an unpickler, and the attribute `memo` that shows it to scripts.
#include "objects/classes/object_parts.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "vm/modules/pickle/pickle.h"

// ---- the table

static MemoEntry *slot_of(const Memo *memo, uint64_t key)
{
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15ull >> 20) & memo->mask;
    while (memo->entries[at].key && memo->entries[at].key != key) at = (at + 1) & memo->mask;
    return &memo->entries[at];
}

const MemoEntry *memo_table_find(const Memo *memo, uint64_t key)
{
    if (!memo->entries) return NULL;
    const MemoEntry *entry = slot_of(memo, key);
    return entry->key ? entry : NULL;
}

const MemoEntry *memo_table_next(const Memo *memo, size_t *position)
{
    while (memo->entries && *position <= memo->mask) {
        const MemoEntry *entry = &memo->entries[(*position)++];
        if (entry->key) return entry;
    }
    return NULL;
}

static bool grow(Memo *memo)
{
    Memo larger = {.mask = memo->entries ? memo->mask * 4 + 3 : 31, .count = memo->count};
    if (larger.mask < SIZE_MAX / sizeof(MemoEntry))
        larger.entries = memory_alloc_zeroed((larger.mask + 1) * sizeof(MemoEntry));
    if (!larger.entries) return raise_memory_error();
    size_t position = 0;
    for (const MemoEntry *entry; (entry = memo_table_next(memo, &position));)
        *slot_of(&larger, entry->key) = *entry;
    memory_free(memo->entries);
    *memo = larger;
    return true;
}

bool memo_table_put(Memo *memo, uint64_t key, ValueRef object, ssize_t index)
{
    if ((!memo->entries || (size_t)memo->count * 3 > memo->mask * 2) && !grow(memo)) return false;
    MemoEntry *entry = slot_of(memo, key);
    memo->count += !entry->key;
    entry->key = key;
    entry->index = index;
    replace_slot(&entry->object, retain(object));
    return true;
}

void memo_table_clear(Memo *memo)
{
    Memo old = *memo;
    *memo = (Memo){0};
    size_t position = 0;
    for (const MemoEntry *entry; (entry = memo_table_next(&old, &position));) drop(entry->object);
    memory_free(old.entries);
}

bool memo_table_copy(Memo *to, const Memo *from)
{
    Memo made = {0};
    size_t position = 0;
    for (const MemoEntry *entry; (entry = memo_table_next(from, &position));)
        if (!memo_table_put(&made, entry->key, entry->object, entry->index)) {
            memo_table_clear(&made);
            return false;
        }
    Memo old = *to;
    *to = made;
    memo_table_clear(&old);
    return true;
}

void memo_table_visit(const Memo *memo, VisitFn visit, void *arg)
{
    size_t position = 0;
    for (const MemoEntry *entry; (entry = memo_table_next(memo, &position));)
        visit_item(entry->object, visit, arg);
}

// ---- the attribute

typedef struct MemoProxy {
    Object base;
    Value owner; // the pickler or the unpickler
} MemoProxy;

static MemoProxy *as_proxy(ValueRef value)
{
    return (MemoProxy *)object_of(value);
}

Value memo_proxy_new(Type *type, ValueRef owner)
{
    MemoProxy *made = object_alloc(type, 0);
    if (made) made->owner = retain(owner);
    return own(made);
}

ValueRef memo_proxy_owner(ValueRef proxy)
{
    return as_proxy(proxy)->owner;
}

static Memo *memo_of(ValueRef self)
{
    ValueRef owner = as_proxy(self)->owner;
    return is_exactly(self, &pickler_memo_type) ? &as_pickler(owner)->memo
                                                : &as_unpickler(owner)->memo;
}

static Value proxy_clear(ValueRef self, METHOD_ARGS)
{
    memo_table_clear(memo_of(self));
    return NONE;
}

// {id: (index, object)} of a pickler.
static bool add_pickled(ValueRef dict, const MemoEntry *entry)
{
    Value id = int_new(value_id(entry->object)), index = id ? int_new(entry->index) : VALUE_ERROR;
    Value pair = index ? tuple_pack(2, (ValueRef)index, (ValueRef)entry->object) : VALUE_ERROR;
    bool done = pair && dict_set(dict, id, pair);
    drop(pair);
    drop(index);
    drop(id);
    return done;
}

// {index: object} of an unpickler.
static bool add_unpickled(ValueRef dict, const MemoEntry *entry)
{
    Value index = int_new(entry->index);
    bool done = index && dict_set(dict, index, entry->object);
    drop(index);
    return done;
}

static Value proxy_copy(ValueRef self, METHOD_ARGS)
{
    bool pickled = is_exactly(self, &pickler_memo_type);
    Value dict = dict_new();
    size_t position = 0;
    for (const MemoEntry *entry; dict && (entry = memo_table_next(memo_of(self), &position));)
        if (!(pickled ? add_pickled : add_unpickled)(dict, entry)) drop_slot(&dict);
    return dict;
}

// (dict, (copy,))
static Value proxy_reduce(ValueRef self, METHOD_ARGS)
{
    Value copy = proxy_copy(self, NULL, 0, VALUE_ERROR);
    Value arguments = copy ? tuple_pack(1, (ValueRef)copy) : VALUE_ERROR;
    Value result = arguments ? tuple_pack(2, ref_of(&dict_type), (ValueRef)arguments) : VALUE_ERROR;
    drop(arguments);
    drop(copy);
    return result;
}

static void proxy_release(Object *self)
{
    drop_slot(&((MemoProxy *)self)->owner);
}

static void proxy_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((MemoProxy *)self)->owner, visit, arg);
}

static const MethodDef proxy_methods[] = {
    {"clear", proxy_clear, NO_ARGS, "Remove all items from memo."},
    {"copy", proxy_copy, NO_ARGS, "Copy the memo to a new object."},
    {"__reduce__", proxy_reduce, NO_ARGS, "Implement pickle support."},
    {0},
};

// The owner stays where a cycle is cleared: it drops its own memo.
#define MEMO_PROXY(type_name)                                                                      \
    {STATIC_TYPE(type_name, sizeof(MemoProxy)),                                                    \
     .flags = TYPE_GC,                                                                             \
     .methods = proxy_methods,                                                                     \
     .getattribute = object_generic_get,                                                           \
     .hash = object_hash_unhashable,                                                               \
     .release = proxy_release,                                                                     \
     .traverse = proxy_traverse}

Type pickler_memo_type = MEMO_PROXY("_pickle.PicklerMemoProxy");
Type unpickler_memo_type = MEMO_PROXY("_pickle.UnpicklerMemoProxy");
