// list: the array of items, how it grows, and the list as a sequence.
//
//     +----------+------+------+----------+-------+        +---+---+---+- - -+- - -+
//     | refcount | type | size | capacity | items | -----> | 0 | 1 | 2 |     |     |
//     +----------+------+------+----------+-------+        +---+---+---+- - -+- - -+
//
// Between two calls 0 <= size <= capacity, except during a sort (capacity -1, see sort.c). The
// array grows by an eighth, in CPython's steps, which `__sizeof__` shows. Removed items leave the
// array before they are dropped, because a destructor may read the list.
#include "objects/containers/list.h"

#include "objects/call.h"
#include "objects/containers/set.h"
#include "objects/containers/slice.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/sound.h"
#include "objects/upcalls.h"

#define MAX_ITEMS ((ssize_t)(PTRDIFF_MAX / sizeof(Value)))

bool list_is_sound(const List *list)
{
    invariant(list->size >= 0 && (list->size <= list->capacity || list->capacity == -1),
              "a list has no more items than room");
    invariant(list->capacity <= 0 || list->items, "a list with room has an array");
    invariant(list->capacity != 0 || !list->items, "a list without room has none");
    return true;
}

static ItemArray array_of(ValueRef list)
{
    return (ItemArray){&as_list(list)->items, &as_list(list)->size};
}

// ---- room

static bool set_capacity(List *list, ssize_t capacity)
{
    if (capacity == 0) {
        memory_free(list->items);
        list->items = NULL;
    } else {
        if (capacity > MAX_ITEMS) return raise_memory_error();
        Value *items = memory_resize(list->items, (size_t)capacity * sizeof(Value));
        if (!items && capacity > list->capacity) return raise_memory_error();
        if (!items) return true; // there is no smaller block: the old one stays
        list->items = items;
    }
    list->capacity = capacity;
    return true;
}

// Sets the size; new items are not initialised. Keeps the array while more than half of it is used.
static bool resize(List *list, ssize_t size)
{
    invariant(list_is_sound(list), "a list is whole before it changes its size");
    invariant(size >= 0, "no list has less than no items");
    if (list->capacity >= size && size >= list->capacity >> 1) {
        list->size = size;
        return true;
    }
    if (size > MAX_ITEMS) return raise_memory_error();
    ssize_t capacity = (size + (size >> 3) + 6) & ~(ssize_t)3;
    if (size - list->size > capacity - size) capacity = (size + 3) & ~(ssize_t)3;
    if (size == 0) capacity = 0;
    if (capacity != list->capacity && !set_capacity(list, capacity)) return false;
    list->size = size;
    return true;
}

Value list_new(ssize_t capacity)
{
    List *list = object_alloc_unfilled(&list_type, sizeof(List));
    if (!list) return VALUE_ERROR;
    list->size = list->capacity = 0;
    list->items = NULL;
    if (capacity && !set_capacity(list, capacity)) {
        drop(own(list));
        return VALUE_ERROR;
    }
    return own(list);
}

Value list_from_array(const ValueRef *items, size_t count)
{
    Value list = list_new((ssize_t)count);
    if (!list) return VALUE_ERROR;
    for (size_t i = 0; i < count; i++) as_list(list)->items[i] = retain(items[i]);
    as_list(list)->size = (ssize_t)count;
    return list;
}

// ---- adding

static bool append_growing(List *list, Value item)
{
    ssize_t size = list->size;
    if (!resize(list, size + 1)) {
        drop(item);
        return false;
    }
    list->items[size] = item;
    invariant(list_is_sound(list), "a list that has grown has room for its items");
    return true;
}

bool list_append(ValueRef self, ValueRef item)
{
    List *list = as_list(self);
    if (list->size >= list->capacity) return append_growing(list, retain(item));
    invariant(item, "an item is a value");
    list->items[list->size++] = retain(item);
    return true;
}

bool list_append_owned(ValueRef self, Value item)
{
    List *list = as_list(self);
    if (!item) return false;
    if (list->size >= list->capacity) return append_growing(list, item);
    list->items[list->size++] = item;
    return true;
}

Value list_take_last(ValueRef self)
{
    List *list = as_list(self);
    Value last = list->items[list->size - 1];
    if (!resize(list, list->size - 1)) { // without memory the array stays as it is
        error_clear();
        list->size--;
    }
    return last;
}

bool list_insert(ValueRef self, ssize_t index, ValueRef item)
{
    List *list = as_list(self);
    ssize_t size = list->size;
    if (!resize(list, size + 1)) return false;
    if (index < 0) index = index + size < 0 ? 0 : index + size;
    if (index > size) index = size;
    memmove(list->items + index + 1, list->items + index, (size_t)(size - index) * sizeof(Value));
    list->items[index] = retain(item);
    return true;
}

// Adds the items of a list or a tuple, which may be the list itself.
static bool extend_from_array(List *list, ValueRef source)
{
    bool is_list = list_check(source);
    ssize_t more = is_list ? list_size(source) : tuple_size(source), size = list->size;
    if (more == 0) return true;
    if (more > MAX_ITEMS - size) return raise_memory_error();
    if (!resize(list, size + more)) return false;
    const Value *from = is_list ? as_list(source)->items : as_tuple(source)->items;
    for (ssize_t i = 0; i < more; i++) list->items[size + i] = retain(from[i]);
    return true;
}

// Makes room for the number of items that the length hint of the iterable gives.
static bool make_room(List *list, ValueRef iterable)
{
    ssize_t hint;
    if (!object_length_hint(iterable, 8, &hint)) return false;
    if (hint > MAX_ITEMS - list->size) return true; // the hint may be wrong
    ssize_t size = list->size;
    if (!resize(list, size + hint)) return false;
    list->size = size;
    return true;
}

static bool extend_from_iterator(List *list, ValueRef iterator)
{
    for (;;) {
        Value item = next_of(iterator);
        if (item == ABSENT) return true;
        if (item && list->size < list->capacity)
            list->items[list->size++] = item;
        else if (!list_append_owned(ref_of(list), item))
            return false;
        if (!poll_signals()) return false;
    }
}

static bool extend_from_str(List *list, ValueRef str)
{
    ssize_t more = str_length(str), size = list->size;
    if (more > MAX_ITEMS - size) return raise_memory_error();
    if (!resize(list, size + more)) return false;
    ssize_t made = str_characters(str, list->items + size);
    list->size = size + made;
    return made == more;
}

// What a reversed iterator has left, which then is at its end.
static bool extend_backwards(List *list, ValueRef iterator)
{
    IndexIterator *reversed = as_index_iterator(iterator);
    ssize_t more = reversed->index + 1, size = list->size;
    if (!reversed->sequence || more > list_size(reversed->sequence)) more = 0;
    if (more > MAX_ITEMS - size) return raise_memory_error();
    if (more && !resize(list, size + more)) return false;
    for (ssize_t i = 0; i < more; i++)
        list->items[size + i] = retain(list_at(reversed->sequence, more - 1 - i));
    reversed->index = -1;
    drop_slot(&reversed->sequence);
    return true;
}

static bool extend_from_set(List *list, ValueRef set)
{
    ssize_t more = set_size(set), size = list->size, position = 0;
    ValueRef item;
    if (more > MAX_ITEMS - size) return raise_memory_error();
    if (more && !resize(list, size + more)) return false;
    for (ssize_t i = 0; i < more && set_next(set, &position, &item); i++)
        list->items[size + i] = retain(item);
    return true;
}

// The keys of a plain dict, or the items of a dict view, without an iterator: a list. ABSENT for
// all other iterables.
static Value whole_of(ValueRef iterable)
{
    if (dict_check_exact(iterable)) return dict_keys(iterable);
    const Type *type = type_of(iterable);
    if (type == &dict_keys_type) return dict_keys(as_dict_view(iterable)->dict);
    if (type == &dict_values_type) return dict_values(as_dict_view(iterable)->dict);
    if (type == &dict_items_type) return dict_items(as_dict_view(iterable)->dict);
    return ABSENT;
}

bool list_extend(ValueRef self, ValueRef iterable)
{
    List *list = as_list(self);
    if (list_check_exact(iterable) || tuple_check_exact(iterable) || iterable == self)
        return extend_from_array(list, iterable);
    if (str_check_exact(iterable)) return extend_from_str(list, iterable);
    if (is_exactly(iterable, &set_type) || is_exactly(iterable, &frozenset_type))
        return extend_from_set(list, iterable);
    if (is_exactly(iterable, &list_reverse_iterator_type)) return extend_backwards(list, iterable);
    Value whole = whole_of(iterable);
    if (whole != ABSENT) {
        bool done = whole && extend_from_array(list, whole);
        drop(whole);
        return done;
    }
    Value iterator = object_iter(iterable);
    if (!iterator) return false;
    bool ok = make_room(list, iterable) && extend_from_iterator(list, iterator);
    drop(iterator);
    if (!ok) return false;
    return list->size >= list->capacity || resize(list, list->size);
}

// ---- taking away and replacing

void list_clear(ValueRef self)
{
    List *list = as_list(self);
    Value *items = list->items;
    invariant(list_is_sound(list), "a list is whole until it is emptied");
    if (!items) return;
    ssize_t size = list->size;
    list->items = NULL;
    list->size = list->capacity = 0;
    while (--size >= 0) drop(items[size]);
    memory_free(items);
}

// Replaces the items start..end by `count` others, which are retained.
static bool splice(List *list, ssize_t start, ssize_t end, const Value *items, ssize_t count)
{
    if (start < 0) start = 0;
    if (start > list->size) start = list->size;
    if (end < start) end = start;
    if (end > list->size) end = list->size;
    ssize_t going = end - start, size = list->size;
    if (size - going + count == 0) return list_clear(ref_of(list)), true;
    invariant(0 <= start && start <= end && end <= size, "the part replaced is in the list");
    Value few[8], *gone = few;
    if (going > 8 && !(gone = memory_alloc((size_t)going * sizeof(Value))))
        return raise_memory_error();
    if (going) memcpy(gone, list->items + start, (size_t)going * sizeof(Value));
    if (count > going && !resize(list, size + count - going)) {
        if (gone != few) memory_free(gone);
        return false;
    }
    memmove(list->items + start + count, list->items + end, (size_t)(size - end) * sizeof(Value));
    for (ssize_t i = 0; i < count; i++) list->items[start + i] = retain(items[i]);
    if (count < going) resize(list, size + count - going);
    while (--going >= 0) drop(gone[going]);
    if (gone != few) memory_free(gone);
    return true;
}

bool list_set_slice(ValueRef self, ssize_t start, ssize_t end, ValueRef iterable)
{
    List *list = as_list(self);
    if (!iterable) return splice(list, start, end, NULL, 0);
    Value source = iterable == self ? list_slice(self, 0, list->size)
                                    : sequence_fast(iterable, "can only assign an iterable");
    if (!source) return false;
    bool ok = list_check(source)
                  ? splice(list, start, end, as_list(source)->items, list_size(source))
                  : splice(list, start, end, as_tuple(source)->items, tuple_size(source));
    drop(source);
    return ok;
}

bool list_reverse(ValueRef self)
{
    const List *list = as_list(self);
    ssize_t half = list->size / 2;
    Value *restrict low = list->items, *restrict high = list->items + list->size - half;
    for (ssize_t i = 0; i < half; i++) {
        Value item = low[i];
        low[i] = high[half - 1 - i];
        high[half - 1 - i] = item;
    }
    return true;
}

// ---- copying

Value list_slice(ValueRef self, ssize_t start, ssize_t end)
{
    ssize_t size = list_size(self);
    if (start < 0) start = 0;
    if (end > size) end = size;
    if (end <= start) return list_new(0);
    return list_from_array(lend(as_list(self)->items) + start, (size_t)(end - start));
}

Value list_to_tuple(ValueRef self)
{
    return tuple_from_array(lend(as_list(self)->items), (size_t)list_size(self));
}

// ---- life

static bool list_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    if (list_check_exact(self) && !args_no_keywords("list", kwnames)) return false;
    if (!args_check("list", nargs, 0, 0, 1)) return false;
    list_clear(self);
    if (!nargs) return true;
    ssize_t size = 0;
    if (type_of(args[0])->length && !object_length(args[0], &size)) {
        if (!error_is(TypeError)) return false;
        error_clear();
    }
    if (size > 0 && !as_list(self)->items && !set_capacity(as_list(self), size)) return false;
    return list_extend(self, args[0]);
}

static void list_release(Object *self)
{
    list_clear(ref_of(self));
}

static void list_traverse(Object *self, VisitFn visit, void *arg)
{
    const List *list = (const List *)self;
    visit_items(list->items, list->size, visit, arg);
}

// ---- basics

static Value list_repr(ValueRef self)
{
    if (list_size(self) == 0) return str_new("[]");
    return items_repr(self, array_of(self), "[", NULL, "]", "[...]");
}

static Value list_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!list_check(left) || !list_check(right)) return NOT_IMPLEMENTED;
    if (list_size(left) != list_size(right) && (op == COMPARE_EQ || op == COMPARE_NE))
        return from_bool(op == COMPARE_NE);
    return items_compare(array_of(left), array_of(right), op);
}

// ---- as a sequence

static Value list_iter(ValueRef self)
{
    return index_iterator_new(&list_iterator_type, self, 0);
}

static bool list_length(ValueRef self, ssize_t *length)
{
    *length = list_size(self);
    return true;
}

static Value list_concat(ValueRef left, ValueRef right)
{
    if (!list_check(right))
        return raise_error(TypeError, "can only concatenate list (not \"%T\") to list", right);
    ssize_t count = list_size(left), more = list_size(right);
    Value sum = list_new(count + more);
    if (!sum) return VALUE_ERROR;
    Value *to = as_list(sum)->items;
    for (ssize_t i = 0; i < count; i++) to[i] = retain(list_at(left, i));
    for (ssize_t i = 0; i < more; i++) to[count + i] = retain(list_at(right, i));
    as_list(sum)->size = count + more;
    return sum;
}

static Value list_repeat(ValueRef self, ssize_t times)
{
    ssize_t size = list_size(self);
    if (size == 0 || times <= 0) return list_new(0);
    if (times > MAX_ITEMS / size) return raise_memory_error();
    Value made = list_new(size * times);
    if (!made) return VALUE_ERROR;
    Value *items = as_list(made)->items;
    for (ssize_t i = 0; i < size; i++) {
        items[i] = as_list(self)->items[i];
        if (is_object(items[i])) object_of(items[i])->refcount += times;
    }
    memory_repeat(items, (size_t)size * sizeof *items, (size_t)(size * times) * sizeof *items);
    as_list(made)->size = size * times;
    return made;
}

static Value list_item(ValueRef self, ssize_t index)
{
    if ((size_t)index >= (size_t)list_size(self))
        return raise_error(IndexError, "list index out of range");
    return retain(list_at(self, index));
}

static bool list_set_item(ValueRef self, ssize_t index, ValueRef value)
{
    List *list = as_list(self);
    if ((size_t)index >= (size_t)list->size)
        return raise_error(IndexError, "list assignment index out of range");
    if (!value) return splice(list, index, index + 1, NULL, 0);
    replace_slot(&list->items[index], retain(value));
    return true;
}

static bool list_contains(ValueRef self, ValueRef item, bool *found)
{
    ssize_t index = items_find(array_of(self), item, 0, PTRDIFF_MAX);
    *found = index >= 0;
    return index != -2;
}

static Value list_inplace_concat(ValueRef self, ValueRef other)
{
    return list_extend(self, other) ? retain(self) : VALUE_ERROR;
}

static Value list_inplace_repeat(ValueRef self, ssize_t times)
{
    List *list = as_list(self);
    ssize_t size = list->size;
    if (size == 0 || times == 1) return retain(self);
    if (times <= 0) {
        list_clear(self);
        return retain(self);
    }
    if (times > MAX_ITEMS / size) return raise_memory_error();
    if (!resize(list, size * times)) return VALUE_ERROR;
    Value *items = list->items;
    for (ssize_t i = 0; i < size; i++)
        if (is_object(items[i])) object_of(items[i])->refcount += times - 1;
    memory_repeat(items, (size_t)size * sizeof *items, (size_t)(size * times) * sizeof *items);
    return retain(self);
}

// ---- subscripts

// `count` items from `start` on: parameters, as a variable whose address is known stays in memory.
static void copy_stepping(Value *to, const Value *from, ssize_t start, ssize_t step, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++, start += step) to[i] = retain(from[start]);
}

static Value get_slice(ValueRef self, ValueRef slice)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return VALUE_ERROR;
    slice_adjust(list_size(self), &start, &stop, step, &count);
    if (count <= 0) return list_new(0);
    if (step == 1) return list_slice(self, start, start + count);
    Value made = list_new(count);
    if (!made) return VALUE_ERROR;
    copy_stepping(as_list(made)->items, as_list(self)->items, start, step, count);
    as_list(made)->size = count;
    return made;
}

static Value list_subscript(ValueRef self, ValueRef key)
{
    ssize_t index;
    if (is_small(key) && !ssize_clamped(small_value(key), &index))
        return list_item(self, index < 0 ? index + list_size(self) : index);
    if (is_index(key)) {
        if (!object_as_ssize(key, &index, IndexError)) return VALUE_ERROR;
        return list_item(self, index < 0 ? index + list_size(self) : index);
    }
    if (slice_check(key)) return get_slice(self, key);
    return raise_error(TypeError, "list indices must be integers or slices, not %T", key);
}

// del list[start::step], `count` items, step not 1.
static bool delete_stepping(List *list, ssize_t start, ssize_t step, ssize_t count)
{
    if (count <= 0) return true;
    if (step < 0) {
        start += step * (count - 1);
        step = -step;
    }
    Value *gone = memory_alloc((size_t)count * sizeof(Value));
    if (!gone) return raise_memory_error();
    ssize_t kept = start;
    for (ssize_t i = start, taken = 0; i < list->size; i++)
        if (taken < count && i == start + taken * step)
            gone[taken++] = list->items[i];
        else
            list->items[kept++] = list->items[i];
    resize(list, kept);
    for (ssize_t i = 0; i < count; i++) drop(gone[i]);
    memory_free(gone);
    return true;
}

// Stores `count` items at start, start+step, ... and drops the old ones.
static bool store_stepping(List *list, ssize_t start, ssize_t step, ssize_t count,
                           const Value *items)
{
    if (count == 0) return true;
    Value *gone = memory_alloc((size_t)count * sizeof(Value));
    if (!gone) return raise_memory_error();
    ssize_t going = 0;
    Value *to = list->items;
    for (ssize_t i = 0; i < count; i++, start += step) {
        Value old = to[start];
        to[start] = retain(items[i]);
        if (is_object(old)) gone[going++] = old;
    }
    for (ssize_t i = 0; i < going; i++) drop(gone[i]);
    memory_free(gone);
    return true;
}

// list[start:stop:step] = value. Iterating over the value may change the list, so its length is
// read after that.
static bool assign_stepping(ValueRef self, ssize_t start, ssize_t stop, ssize_t step,
                            ValueRef value)
{
    List *list = as_list(self);
    Value source = value == self ? list_slice(self, 0, list->size)
                                 : sequence_fast(value, "must assign iterable to extended slice");
    if (!source) return false;
    bool is_list = list_check(source), ok;
    ssize_t count, size = is_list ? list_size(source) : tuple_size(source);
    slice_adjust(list->size, &start, &stop, step, &count);
    if (size == count)
        ok = store_stepping(list, start, step, count,
                            is_list ? as_list(source)->items : as_tuple(source)->items);
    else
        ok = raise_error(ValueError,
                         "attempt to assign sequence of size %zd to extended slice of size %zd",
                         size, count);
    drop(source);
    return ok;
}

static bool set_slice(ValueRef self, ValueRef slice, ValueRef value)
{
    ssize_t start, stop, step, count;
    if (!slice_unpack(slice, &start, &stop, &step)) return false;
    if (step != 1 && value) return assign_stepping(self, start, stop, step, value);
    slice_adjust(list_size(self), &start, &stop, step, &count);
    if (step != 1) return delete_stepping(as_list(self), start, step, count);
    return list_set_slice(self, start, stop, value);
}

static bool list_set_subscript(ValueRef self, ValueRef key, ValueRef value)
{
    if (is_index(key)) {
        ssize_t index;
        if (!object_as_ssize(key, &index, IndexError)) return false;
        return list_set_item(self, index < 0 ? index + list_size(self) : index, value);
    }
    if (slice_check(key)) return set_slice(self, key, value);
    return raise_error(TypeError, "list indices must be integers or slices, not %T", key);
}

Type list_type = {
    STATIC_TYPE("list", sizeof(List)),
    .getattribute = object_generic_get,
    .flags = TYPE_BASE | TYPE_GC | TYPE_LIST | TYPE_ITEMS,
    .methods = list_methods,
    .new_ = new_zeroed,
    .init = list_init,
    .release = list_release,
    .traverse = list_traverse,
    .clear = list_release,
    .repr = list_repr,
    .hash = object_hash_unhashable,
    .compare = list_compare,
    .iter = list_iter,
    .length = list_length,
    .concat = list_concat,
    .repeat = list_repeat,
    .item = list_item,
    .set_item = list_set_item,
    .contains = list_contains,
    .inplace_concat = list_inplace_concat,
    .inplace_repeat = list_inplace_repeat,
    .subscript = list_subscript,
    .set_subscript = list_set_subscript,
};
