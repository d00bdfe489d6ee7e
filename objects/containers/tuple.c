// tuple: a fixed number of items after the header.
//
//     +----------+------+------+----------+----------+-----
//     | refcount | type | size | items[0] | items[1] | ...
//     +----------+------+------+----------+----------+-----
//
// A tuple never changes once a script can see it. There is one empty tuple, a static object, so
// that `() is ()`. Instances of subclasses have their dict before the object (Type.front).
#include "objects/containers/tuple.h"

#include "objects/call.h"
#include "objects/containers/list.h"
#include "objects/containers/slice.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"

#define MAX_ITEMS ((ssize_t)(PTRDIFF_MAX / sizeof(Value) / 2))

static struct {
    GcHead head;
    Tuple tuple;
} empty = {.tuple = {.base = {1, &tuple_type}}};

// ---- making

static Value tuple_of_type(Type *type, ssize_t size)
{
    if (size > MAX_ITEMS) return raise_memory_error();
    Tuple *tuple = object_alloc(type, (size_t)size);
    if (!tuple) return VALUE_ERROR;
    tuple->size = size;
    return own(tuple);
}

Value tuple_new(ssize_t size)
{
    if (size == 0) return retain(ref_of(&empty.tuple));
    return tuple_of_type(&tuple_type, size);
}

// The same, whose items the caller fills in at once.
static Value tuple_unfilled(size_t size)
{
    if (size == 0) return retain(ref_of(&empty.tuple));
    if (size > (size_t)MAX_ITEMS) return raise_memory_error();
    Tuple *tuple = object_alloc_unfilled(&tuple_type, sizeof(Tuple) + size * sizeof(Value));
    if (!tuple) return VALUE_ERROR;
    tuple->size = (ssize_t)size;
    return own(tuple);
}

Value tuple_from_array(const ValueRef *items, size_t count)
{
    Value tuple = tuple_unfilled(count);
    if (!tuple) return VALUE_ERROR;
    Value *to = as_tuple(tuple)->items;
    for (size_t i = 0; i < count; i++) to[i] = retain(items[i]);
    return tuple;
}

Value tuple_from_owned(Value *items, size_t count)
{
    Value tuple = tuple_unfilled(count);
    if (!tuple) {
        for (size_t i = 0; i < count; i++) drop(items[i]);
        return VALUE_ERROR;
    }
    for (size_t i = 0; i < count; i++) {
        invariant(!is_object(items[i]) || is_alive(object_of(items[i])),
                  "a tuple takes over items that are alive");
        invariant(items[i] != ABSENT, "ABSENT is no value of a script");
        as_tuple(tuple)->items[i] = items[i];
    }
    return tuple;
}

Value tuple_slice(ValueRef tuple, ssize_t start, ssize_t end)
{
    ssize_t size = tuple_size(tuple);
    if (start < 0) start = 0;
    invariant(size >= 0, "no tuple has less than no items");
    if (end > size) end = size;
    if (end < start) end = start;
    if (start == 0 && end == size && tuple_check_exact(tuple)) return retain(tuple);
    return tuple_from_array(lend(as_tuple(tuple)->items) + start, (size_t)(end - start));
}

static Value tuple_new_(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (type == &tuple_type && !args_no_keywords("tuple", kwnames)) return VALUE_ERROR;
    if (!args_check("tuple", nargs, 0, 0, 1)) return VALUE_ERROR;
    Value items = nargs ? sequence_tuple(args[0]) : tuple_new(0);
    if (!items || type == &tuple_type) return items;
    ssize_t size = tuple_size(items);
    Value made = tuple_of_type(type, size);
    if (made)
        for (ssize_t i = 0; i < size; i++) as_tuple(made)->items[i] = retain(tuple_at(items, i));
    drop(items);
    return made;
}

// ---- life

static void tuple_release(Object *self)
{
    Tuple *tuple = (Tuple *)self;
    invariant(tuple->size > 0 || tuple->base.type != &tuple_type,
              "the one empty tuple is never freed");
    for (ssize_t i = tuple->size; --i >= 0;) drop(tuple->items[i]);
}

static void tuple_traverse(Object *self, VisitFn visit, void *arg)
{
    const Tuple *tuple = (const Tuple *)self;
    visit_items(tuple->items, tuple->size, visit, arg);
}

// ---- basics

static Value tuple_repr(ValueRef self)
{
    Value *items = as_tuple(self)->items;
    ItemArray array = {&items, &as_tuple(self)->size};
    if (*array.size == 0) return str_new("()");
    return items_repr(self, array, "(", ",", ")", "(...)");
}

// xxHash over the hashes of the items, as CPython since 3.8.
static bool tuple_hash(ValueRef self, int64_t *hash)
{
    const uint64_t prime1 = 11400714785074694791u, prime2 = 14029467366897019727u,
                   prime5 = 2870177450012600261u;
    const Tuple *tuple = as_tuple(self);
    uint64_t sum = prime5;
    if (!stack_has_room()) return stack_check_room();
    for (ssize_t i = 0; i < tuple->size; i++) {
        int64_t lane;
        if (!item_hash(tuple->items[i], &lane)) return false;
        sum += (uint64_t)lane * prime2;
        sum = (sum << 31 | sum >> 33) * prime1;
    }
    sum += (uint64_t)tuple->size ^ (prime5 ^ 3527539u);
    *hash = sum == (uint64_t)-1 ? 1546275796 : (int64_t)sum;
    return true;
}

static Value tuple_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!tuple_check(left) || !tuple_check(right)) return NOT_IMPLEMENTED;
    Value *a = as_tuple(left)->items, *b = as_tuple(right)->items;
    ItemArray ours = {&a, &as_tuple(left)->size}, theirs = {&b, &as_tuple(right)->size};
    return items_compare(ours, theirs, op);
}

// ---- as a sequence

static bool tuple_length(ValueRef self, ssize_t *length)
{
    *length = tuple_size(self);
    return true;
}

static Value tuple_concat(ValueRef left, ValueRef right)
{
    if (tuple_size(left) == 0 && tuple_check_exact(right)) return retain(right);
    if (!tuple_check(right))
        return raise_error(TypeError, "can only concatenate tuple (not \"%T\") to tuple", right);
    if (tuple_size(right) == 0 && tuple_check_exact(left)) return retain(left);
    ssize_t count = tuple_size(left), more = tuple_size(right);
    Value sum = tuple_new(count + more);
    if (!sum) return VALUE_ERROR;
    Value *to = as_tuple(sum)->items;
    for (ssize_t i = 0; i < count; i++) to[i] = retain(tuple_at(left, i));
    for (ssize_t i = 0; i < more; i++) to[count + i] = retain(tuple_at(right, i));
    return sum;
}

static Value tuple_repeat(ValueRef self, ssize_t times)
{
    ssize_t size = tuple_size(self);
    if ((size == 0 || times == 1) && tuple_check_exact(self)) return retain(self);
    if (size == 0 || times <= 0) return tuple_new(0);
    if (times > MAX_ITEMS / size) return raise_memory_error();
    Value made = tuple_new(size * times);
    if (!made) return VALUE_ERROR;
    Value *items = as_tuple(made)->items;
    for (ssize_t i = 0; i < size; i++) {
        items[i] = as_tuple(self)->items[i];
        if (is_object(items[i])) object_of(items[i])->refcount += times;
    }
    memory_repeat(items, (size_t)size * sizeof *items, (size_t)(size * times) * sizeof *items);
    return made;
}

static Value tuple_item(ValueRef self, ssize_t index)
{
    if ((size_t)index >= (size_t)tuple_size(self))
        return raise_error(IndexError, "tuple index out of range");
    return retain(tuple_at(self, index));
}

static bool tuple_contains(ValueRef self, ValueRef item, bool *found)
{
    Value *items = as_tuple(self)->items;
    ItemArray array = {&items, &as_tuple(self)->size};
    ssize_t index = items_find(array, item, 0, *array.size);
    *found = index >= 0;
    return index != -2;
}

static Value tuple_get_slice(ValueRef self, ValueRef slice)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return VALUE_ERROR;
    slice_adjust(tuple_size(self), &start, &stop, step, &count);
    if (count <= 0) return tuple_new(0);
    if (step == 1) return tuple_slice(self, start, start + count);
    Value made = tuple_new(count);
    if (!made) return VALUE_ERROR;
    for (ssize_t i = 0; i < count; i++)
        as_tuple(made)->items[i] = retain(tuple_at(self, start + i * step));
    return made;
}

static Value tuple_subscript(ValueRef self, ValueRef key)
{
    ssize_t index;
    if (is_small(key) && !ssize_clamped(small_value(key), &index))
        return tuple_item(self, index < 0 ? index + tuple_size(self) : index);
    if (is_index(key)) {
        if (!object_as_ssize(key, &index, IndexError)) return VALUE_ERROR;
        return tuple_item(self, index < 0 ? index + tuple_size(self) : index);
    }
    if (slice_check(key)) return tuple_get_slice(self, key);
    return raise_error(TypeError, "tuple indices must be integers or slices, not %T", key);
}

// ---- methods

static Value tuple_getnewargs(ValueRef self, METHOD_ARGS)
{
    Value plain = tuple_slice(self, 0, tuple_size(self)); // itself, if it is exactly a tuple
    if (!plain) return VALUE_ERROR;
    Value result = tuple_pack(1, (ValueRef)plain);
    drop(plain);
    return result;
}

static Value tuple_index(ValueRef self, METHOD_ARGS)
{
    ssize_t start = 0, stop = PTRDIFF_MAX, size = tuple_size(self);
    if (nargs > 1 && !argument_slice_index(args[1], &start)) return VALUE_ERROR;
    if (nargs > 2 && !argument_slice_index(args[2], &stop)) return VALUE_ERROR;
    if (start < 0) start = start + size < 0 ? 0 : start + size;
    if (stop < 0) stop = stop + size < 0 ? 0 : stop + size;
    Value *items = as_tuple(self)->items;
    ItemArray array = {&items, &as_tuple(self)->size};
    ssize_t index = items_find(array, args[0], start, stop);
    if (index == -2) return VALUE_ERROR;
    if (index == -1) return raise_error(ValueError, "tuple.index(x): x not in tuple");
    return from_small(index);
}

static Value tuple_count(ValueRef self, METHOD_ARGS)
{
    ssize_t count = 0;
    for (ssize_t i = 0; i < tuple_size(self); i++) {
        bool equal;
        int known = quick_equal(tuple_at(self, i), args[0]);
        if (known < 0 && !items_equal(tuple_at(self, i), args[0], &equal)) return VALUE_ERROR;
        count += known < 0 ? equal : known;
    }
    return from_small(count);
}

static const MethodDef methods[] = {
    {"__getnewargs__", tuple_getnewargs, NO_ARGS, NULL},
    {"index", tuple_index, ARGS(1, 3), NULL},
    {"count", tuple_count, ONE_ARG, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

static Value tuple_iter(ValueRef self);

Type tuple_type = {
    STATIC_TYPE("tuple", sizeof(Tuple)),
    .getattribute = object_generic_get,
    .item_size = sizeof(Value),
    .flags = TYPE_BASE | TYPE_GC | TYPE_TUPLE | TYPE_ITEMS,
    .methods = methods,
    .new_ = tuple_new_,
    .release = tuple_release,
    .traverse = tuple_traverse,
    .repr = tuple_repr,
    .hash = tuple_hash,
    .compare = tuple_compare,
    .iter = tuple_iter,
    .length = tuple_length,
    .concat = tuple_concat,
    .repeat = tuple_repeat,
    .item = tuple_item,
    .contains = tuple_contains,
    .subscript = tuple_subscript,
};

// ---- the iterator

static Value tuple_iter(ValueRef self)
{
    return index_iterator_new(&tuple_iterator_type, self, 0);
}

static Value tuple_iterator_next(ValueRef self)
{
    IndexIterator *iterator = as_index_iterator(self);
    if (!iterator->sequence) return ABSENT;
    if (iterator->index < tuple_size(iterator->sequence))
        return retain(tuple_at(iterator->sequence, iterator->index++));
    drop_slot(&iterator->sequence);
    return ABSENT;
}

Type tuple_iterator_type =
    INDEX_ITERATOR("tuple_iterator", index_iterator_methods, tuple_iterator_next);
