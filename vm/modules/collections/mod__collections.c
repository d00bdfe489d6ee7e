// The module _collections: deque and its iterators. defaultdict and OrderedDict are in
// collections_dict.c.
//
// A deque is a ring:      items   [ 3 | 4 | - | - | - | 0 | 1 | 2 ]
//                                                       ^ first          size 5, capacity 8
//
// The capacity is 0 or a power of two. `state` counts the changes of size and order. Iterators and
// searches run script code, so they compare it and raise "deque mutated during iteration".
#include "vm/modules/collections/collections.h"

#include "objects/call.h"
#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/protocols/iterators.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "objects/upcalls.h"

#define MAX_ITEMS (PTRDIFF_MAX / (ssize_t)sizeof(Value) / 2)

typedef struct Deque {
    Object base;
    ssize_t size, first, capacity;
    ssize_t max; // maxlen, -1 = none
    size_t state;
    Value *items;
    Value weakrefs;
} Deque;

static Type deque_type, deque_iterator_type, deque_reverse_iterator_type;

static Deque *as_deque(ValueRef value)
{
    return (Deque *)object_of(value);
}

bool deque_check(ValueRef value)
{
    return is_object(value) && type_is_subtype(type_of(value), &deque_type);
}

static inline Value *slot_at(const Deque *deque, ssize_t index)
{
    return &deque->items[(deque->first + index) & (deque->capacity - 1)];
}

ssize_t deque_size(ValueRef deque)
{
    return as_deque(deque)->size;
}

ValueRef deque_at(ValueRef deque, ssize_t index)
{
    return *slot_at(as_deque(deque), index);
}

// ---- the ring

// Makes room for so many items, more than there are.
static bool grow(Deque *deque, ssize_t size)
{
    ssize_t capacity = deque->capacity ? deque->capacity * 2 : 64;
    while (capacity < size && capacity <= MAX_ITEMS) capacity *= 2;
    if (capacity > MAX_ITEMS) return raise_memory_error();
    Value *items = memory_alloc((size_t)capacity * sizeof(Value));
    if (!items) return raise_memory_error();
    ssize_t head = deque->capacity - deque->first; // items up to the block's end
    if (head > deque->size) head = deque->size;
    if (deque->items) {
        memcpy(items, deque->items + deque->first, (size_t)head * sizeof(Value));
        memcpy(items + head, deque->items, (size_t)(deque->size - head) * sizeof(Value));
    }
    memory_free(deque->items);
    deque->items = items;
    deque->capacity = capacity;
    deque->first = 0;
    return true;
}

static Value take_left(Deque *deque)
{
    Value item = *slot_at(deque, 0);
    deque->first = (deque->first + 1) & (deque->capacity - 1);
    deque->size--;
    deque->state++;
    return item;
}

static Value take_right(Deque *deque)
{
    deque->size--;
    deque->state++;
    return *slot_at(deque, deque->size);
}

// Both steal the item, in failure too.
static bool push_right_with_care(Deque *deque, Value item)
{
    if (deque->size == deque->capacity && !grow(deque, deque->size + 1)) {
        drop(item);
        return false;
    }
    *slot_at(deque, deque->size++) = item;
    deque->state++;
    if ((size_t)deque->size > (size_t)deque->max) drop(take_left(deque));
    return true;
}

static inline bool push_right(Deque *deque, Value item)
{
    bool has_room = deque->size < deque->capacity && (size_t)deque->size < (size_t)deque->max;
    if (has_room) { // max = -1: no bound
        *slot_at(deque, deque->size++) = item;
        deque->state++;
        return true;
    }
    if (deque->size != deque->max || !deque->max) return push_right_with_care(deque, item);
    Value first = *slot_at(deque, 0); // full: the first one makes room
    deque->first = (deque->first + 1) & (deque->capacity - 1);
    *slot_at(deque, deque->size - 1) = item;
    deque->state++;
    drop(first);
    return true;
}

static bool push_left(Deque *deque, Value item)
{
    if (deque->size == deque->capacity && !grow(deque, deque->size + 1)) {
        drop(item);
        return false;
    }
    deque->first = (deque->first - 1) & (deque->capacity - 1);
    *slot_at(deque, 0) = item;
    deque->size++;
    deque->state++;
    if (deque->max >= 0 && deque->size > deque->max) drop(take_right(deque));
    return true;
}

static void clear_items(Deque *deque)
{
    Deque old = *deque;
    deque->items = NULL;
    deque->size = deque->capacity = deque->first = 0;
    deque->state++;
    for (ssize_t i = 0; i < old.size; i++) drop(*slot_at(&old, i));
    memory_free(old.items);
}

static Value take_at(Deque *deque, ssize_t index)
{
    Value item = *slot_at(deque, index);
    for (ssize_t i = index + 1; i < deque->size; i++) *slot_at(deque, i - 1) = *slot_at(deque, i);
    deque->size--;
    deque->state++;
    return item;
}

// Puts the items of a deque, a list or a tuple at the right end, where no other has to go for them:
// nothing of a script runs.
static bool extend_at_once(Deque *deque, ValueRef source)
{
    bool is_deque = is_exactly(source, &deque_type), is_list = list_check(source);
    const Deque *other = is_deque ? as_deque(source) : NULL;
    const Value *items = is_deque  ? other->items
                         : is_list ? as_list(source)->items
                                   : as_tuple(source)->items;
    ssize_t count = is_deque ? other->size : is_list ? list_size(source) : tuple_size(source);
    ssize_t first = is_deque ? other->first : 0, mask = is_deque ? other->capacity - 1 : -1;
    ssize_t skip = deque->max >= 0 && count > deque->max ? count - deque->max : 0;
    deque->state += (size_t)count;
    count -= skip;
    if (count > MAX_ITEMS - deque->size) return raise_memory_error();
    if (deque->size + count > deque->capacity && !grow(deque, deque->size + count)) return false;
    for (ssize_t i = 0; i < count; i++)
        *slot_at(deque, deque->size + i) = retain(items[(first + skip + i) & mask]);
    deque->size += count;
    return true;
}

static bool is_plain_sequence(ValueRef value)
{
    return is_exactly(value, &deque_type) || list_check_exact(value) || tuple_check_exact(value);
}

static bool extend(Deque *deque, ValueRef iterable, bool left)
{
    if (iterable == ref_of(deque) || str_check_exact(iterable)) {
        Value copy = sequence_list(iterable);
        bool ok = copy && extend(deque, copy, left);
        drop(copy);
        return ok;
    }
    if (!left && (deque->max < 0 || !deque->size) && is_plain_sequence(iterable))
        return extend_at_once(deque, iterable);
    Value iterator = object_iter(iterable);
    bool ok = iterator;
    while (ok) {
        Value item = next_of(iterator);
        if (item == ABSENT) break;
        ok = item && (left ? push_left(deque, item) : push_right(deque, item)) && poll_signals();
    }
    drop(iterator);
    return ok;
}

// ---- life

static Value deque_new(Type *type, METHOD_ARGS)
{
    Deque *deque = object_alloc(type, 0);
    if (deque) deque->max = -1;
    return own(deque);
}

static bool read_max(ValueRef value, ssize_t *max)
{
    if (!value || value == NONE) return true;
    if (!int_check(value)) return raise_error(TypeError, "an integer is required");
    if (!argument_ssize(value, max)) return false;
    return *max >= 0 || raise_error(ValueError, "maxlen must be non-negative");
}

static bool deque_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"iterable", "maxlen", NULL};
    static const Signature signature = {"deque", names, 0, 2};
    ValueRef slots[2];
    ssize_t max = -1;
    if (!args_bind(&signature, args, nargs, kwnames, slots) || !read_max(slots[1], &max))
        return false;
    Deque *deque = as_deque(self);
    deque->max = max;
    if (deque->size > 0) clear_items(deque);
    return !slots[0] || extend(deque, slots[0], false);
}

static void deque_release(Object *self)
{
    clear_items((Deque *)self);
}

static void deque_traverse(Object *self, VisitFn visit, void *arg)
{
    const Deque *deque = (const Deque *)self;
    for (ssize_t i = 0; i < deque->size; i++) visit_item(*slot_at(deque, i), visit, arg);
}

// ---- basics

static Value deque_repr(ValueRef self)
{
    bool shown = false;
    if (!repr_enter(self, &shown)) return VALUE_ERROR;
    if (shown) return str_new("[...]");
    Value name = type_name(type_of(self)), list = name ? sequence_list(self) : VALUE_ERROR;
    Value text = VALUE_ERROR;
    if (list && as_deque(self)->max >= 0)
        text = format_text("%S(%R, maxlen=%zd)", name, list, as_deque(self)->max);
    else if (list)
        text = format_text("%S(%R)", name, list);
    drop(list);
    drop(name);
    repr_leave(self);
    return text;
}

// Compares the items at each index of both, until one deque ends or two items differ.
static Value compare_items(ValueRef ours, ValueRef theirs, CompareOp op)
{
    for (;;) {
        Value a = next_of(ours), b = a ? next_of(theirs) : VALUE_ERROR;
        bool equal = true, ok = b, both = a != ABSENT && b != ABSENT;
        Value result = VALUE_ERROR;
        if (ok && !both)
            result = compare_sizes(a != ABSENT, b != ABSENT, op);
        else if (ok)
            ok = object_equal(a, b, &equal);
        if (ok && !equal) ok = object_compare_bool(a, b, op, &equal), result = from_bool(equal);
        drop(a);
        drop(b);
        if (!ok) return VALUE_ERROR;
        if (result) return result;
    }
}

static Value deque_compare(ValueRef left, ValueRef right, CompareOp op)
{
    if (!deque_check(left) || !deque_check(right)) return NOT_IMPLEMENTED;
    bool equality = op == COMPARE_EQ || op == COMPARE_NE;
    if (equality && left == right) return from_bool(op == COMPARE_EQ);
    if (equality && as_deque(left)->size != as_deque(right)->size)
        return from_bool(op == COMPARE_NE);
    Value ours = object_iter(left), theirs = ours ? object_iter(right) : VALUE_ERROR;
    Value result = theirs ? compare_items(ours, theirs, op) : VALUE_ERROR;
    drop(theirs);
    drop(ours);
    return result;
}

static bool deque_length(ValueRef self, ssize_t *length)
{
    *length = as_deque(self)->size;
    return true;
}

static bool deque_truth(ValueRef self, bool *truth)
{
    *truth = as_deque(self)->size != 0;
    return true;
}

// ---- as a sequence

static Value deque_item(ValueRef self, ssize_t index)
{
    const Deque *deque = as_deque(self);
    if ((size_t)index >= (size_t)deque->size)
        return raise_error(IndexError, "deque index out of range");
    return retain(*slot_at(deque, index));
}

static bool deque_set_item(ValueRef self, ssize_t index, ValueRef value)
{
    Deque *deque = as_deque(self);
    if ((size_t)index >= (size_t)deque->size)
        return raise_error(IndexError, "deque index out of range");
    if (value)
        replace_slot(slot_at(deque, index), retain(value));
    else
        drop(take_at(deque, index));
    return true;
}

// The index of an item within start..stop, -1 = not there, -2 = an exception is pending.
static ssize_t find(const Deque *deque, ValueRef item, ssize_t start, ssize_t stop, Type *error,
                    const char *message)
{
    size_t state = deque->state;
    for (ssize_t i = start; i < stop; i++) {
        bool equal;
        if (!items_equal(*slot_at(deque, i), item, &equal)) return -2;
        bool changed = state != deque->state;
        if (changed && (!equal || error == IndexError))
            return raise_error(error, "%s", message), -2;
        if (equal) return i;
    }
    return -1;
}

static const char mutated[] = "deque mutated during iteration";

static bool deque_contains(ValueRef self, ValueRef item, bool *found)
{
    const Deque *deque = as_deque(self);
    ssize_t index = find(deque, item, 0, deque->size, RuntimeError, mutated);
    *found = index >= 0;
    return index != -2;
}

static Value get_max(ValueRef self)
{
    return as_deque(self)->max < 0 ? NONE : int_new(as_deque(self)->max);
}

// A new deque of the same type, with the same items.
static Value copied(ValueRef self)
{
    const Deque *deque = as_deque(self);
    if (type_of(self) == &deque_type) {
        Value copy = deque_new(&deque_type, NULL, 0, 0);
        if (!copy) return VALUE_ERROR;
        as_deque(copy)->max = deque->max;
        if (extend(as_deque(copy), self, false)) return copy;
        drop(copy);
        return VALUE_ERROR;
    }
    Value max = get_max(self);
    if (!max) return VALUE_ERROR;
    Value copy = max == NONE ? object_call_one(ref_of(type_of(self)), self)
                             : object_call_two(ref_of(type_of(self)), self, max);
    drop(max);
    if (!copy || deque_check(copy)) return copy;
    raise_error(TypeError, "%T() must return a deque, not %T", self, (ValueRef)copy);
    drop(copy);
    return VALUE_ERROR;
}

static Value deque_concat(ValueRef self, ValueRef other)
{
    if (!deque_check(other))
        return raise_error(TypeError, "can only concatenate deque (not \"%T\") to deque", other);
    Value sum = copied(self);
    if (!sum || extend(as_deque(sum), other, false)) return sum;
    drop(sum);
    return VALUE_ERROR;
}

static Value deque_inplace_concat(ValueRef self, ValueRef other)
{
    return extend(as_deque(self), other, false) ? retain(self) : VALUE_ERROR;
}

static Value deque_inplace_repeat(ValueRef self, ssize_t times)
{
    Deque *deque = as_deque(self);
    ssize_t size = deque->size;
    if (size == 0 || times == 1) return retain(self);
    if (times <= 0) {
        clear_items(deque);
        return retain(self);
    }
    if (times > MAX_ITEMS / size) return raise_memory_error();
    if (deque->max >= 0 && size * times > deque->max) times = (deque->max + size - 1) / size;
    Value items = sequence_list(self);
    bool ok = items;
    for (ssize_t i = 1; ok && i < times; i++) ok = extend(deque, items, false);
    drop(items);
    return ok ? retain(self) : VALUE_ERROR;
}

static Value deque_repeat(ValueRef self, ssize_t times)
{
    Value copy = copied(self);
    Value result = copy ? deque_inplace_repeat(copy, times) : VALUE_ERROR;
    drop(copy);
    return result;
}

// ---- methods

static Value append(ValueRef self, METHOD_ARGS)
{
    return push_right(as_deque(self), retain(args[0])) ? NONE : VALUE_ERROR;
}

static Value appendleft(ValueRef self, METHOD_ARGS)
{
    return push_left(as_deque(self), retain(args[0])) ? NONE : VALUE_ERROR;
}

static Value pop(ValueRef self, METHOD_ARGS)
{
    Deque *deque = as_deque(self);
    if (deque->size == 0) return raise_error(IndexError, "pop from an empty deque");
    return take_right(deque);
}

static Value popleft(ValueRef self, METHOD_ARGS)
{
    Deque *deque = as_deque(self);
    if (deque->size == 0) return raise_error(IndexError, "pop from an empty deque");
    return take_left(deque);
}

static Value clear(ValueRef self, METHOD_ARGS)
{
    clear_items(as_deque(self));
    return NONE;
}

static Value copy_method(ValueRef self, METHOD_ARGS)
{
    return copied(self);
}

static Value count(ValueRef self, METHOD_ARGS)
{
    const Deque *deque = as_deque(self);
    size_t state = deque->state;
    ssize_t found = 0;
    for (ssize_t i = 0; i < deque->size; i++) {
        bool equal;
        if (!items_equal(*slot_at(deque, i), args[0], &equal)) return VALUE_ERROR;
        found += equal;
        if (state != deque->state) return raise_error(RuntimeError, mutated);
    }
    return from_small(found);
}

static Value extend_method(ValueRef self, METHOD_ARGS)
{
    return extend(as_deque(self), args[0], false) ? NONE : VALUE_ERROR;
}

static Value extendleft(ValueRef self, METHOD_ARGS)
{
    return extend(as_deque(self), args[0], true) ? NONE : VALUE_ERROR;
}

static Value index_method(ValueRef self, METHOD_ARGS)
{
    const Deque *deque = as_deque(self);
    ssize_t start = 0, stop = deque->size, size = deque->size;
    if (nargs > 1 && !argument_slice_index(args[1], &start)) return VALUE_ERROR;
    if (nargs > 2 && !argument_slice_index(args[2], &stop)) return VALUE_ERROR;
    if (start < 0) start = start + size < 0 ? 0 : start + size;
    if (stop < 0) stop = stop + size < 0 ? 0 : stop + size;
    if (stop > deque->size) stop = deque->size;
    ssize_t index = find(deque, args[0], start, stop, RuntimeError, mutated);
    if (index == -2) return VALUE_ERROR;
    if (index == -1) return raise_error(ValueError, "%R is not in deque", args[0]);
    return from_small(index);
}

static Value insert(ValueRef self, METHOD_ARGS)
{
    Deque *deque = as_deque(self);
    ssize_t index;
    if (!args_no_keywords("insert", kwnames)) return VALUE_ERROR;
    if (nargs != 2)
        return raise_error(TypeError, "insert() takes exactly 2 arguments (%zu given)", nargs);
    if (!argument_ssize(args[0], &index)) return VALUE_ERROR;
    if (deque->max == deque->size)
        return raise_error(IndexError, "deque already at its maximum size");
    if (index < 0) index = index + deque->size < 0 ? 0 : index + deque->size;
    if (index > deque->size) index = deque->size;
    if (!push_right(deque, NONE)) return VALUE_ERROR;
    for (ssize_t i = deque->size - 1; i > index; i--) *slot_at(deque, i) = *slot_at(deque, i - 1);
    *slot_at(deque, index) = retain(args[1]);
    return NONE;
}

static Value remove_item(ValueRef self, METHOD_ARGS)
{
    Deque *deque = as_deque(self);
    ssize_t index =
        find(deque, args[0], 0, deque->size, IndexError, "deque mutated during remove().");
    if (index == -2) return VALUE_ERROR;
    if (index == -1) return raise_error(ValueError, "deque.remove(x): x not in deque");
    drop(take_at(deque, index));
    return NONE;
}

static Value reverse(ValueRef self, METHOD_ARGS)
{
    const Deque deque = *as_deque(self); // which the compiler takes for changed with each item
    for (ssize_t low = 0, high = deque.size - 1; low < high; low++, high--) {
        Value item = *slot_at(&deque, low);
        *slot_at(&deque, low) = *slot_at(&deque, high);
        *slot_at(&deque, high) = item;
    }
    return NONE;
}

static Value rotate(ValueRef self, METHOD_ARGS)
{
    Deque *deque = as_deque(self);
    ssize_t steps = 1;
    if (!args_no_keywords("rotate", kwnames)) return VALUE_ERROR;
    if (nargs > 1)
        return raise_error(TypeError, "rotate() takes at most 1 argument (%zu given)", nargs);
    if (nargs && !argument_ssize(args[0], &steps)) return VALUE_ERROR;
    ssize_t size = deque->size; // __index__() may have changed it
    if (size <= 1) return NONE;
    steps %= size;
    if (steps > size / 2) steps -= size;
    if (steps < -size / 2) steps += size;
    deque->state += steps != 0;
    for (; steps > 0; steps--) {
        Value item = *slot_at(deque, size - 1);
        deque->first = (deque->first - 1) & (deque->capacity - 1);
        *slot_at(deque, 0) = item;
    }
    for (; steps < 0; steps++) {
        Value item = *slot_at(deque, 0);
        deque->first = (deque->first + 1) & (deque->capacity - 1);
        *slot_at(deque, size - 1) = item;
    }
    return NONE;
}

// (type, (), __dict__ or None, iterator), or ((), maxlen) for the arguments.
static Value reduce(ValueRef self, METHOD_ARGS)
{
    Value state = object_get_optional(self, NAME(__dict__));
    if (state == ABSENT) state = NONE;
    Value iterator = state ? object_iter(self) : VALUE_ERROR;
    Value nothing = tuple_new(0), max = get_max(self), arguments = VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (max == NONE)
        arguments = retain(nothing);
    else if (nothing && max)
        arguments = tuple_pack(2, (ValueRef)nothing, (ValueRef)max);
    drop(max);
    if (iterator && arguments)
        result = tuple_pack(4, ref_of(type_of(self)), (ValueRef)arguments, (ValueRef)state,
                            (ValueRef)iterator);
    drop(arguments);
    drop(nothing);
    drop(iterator);
    drop(state);
    return result;
}

// The size under CPython, which keeps 64 items in a block and starts in the middle of one.
static Value size_of(ValueRef self, METHOD_ARGS)
{
    ssize_t blocks = (31 + as_deque(self)->size + 64) / 64;
    return from_small((int64_t)(80 + type_of(self)->size - sizeof(Deque)) + blocks * 528);
}

static Value iterator_over(Type *type, ValueRef self);

static Value reversed(ValueRef self, METHOD_ARGS)
{
    return iterator_over(&deque_reverse_iterator_type, self);
}

static Value deque_iter(ValueRef self)
{
    return iterator_over(&deque_iterator_type, self);
}

static const MethodDef methods[] = {
    {"append", append, ONE_ARG, "Put an item at the right end."},
    {"appendleft", appendleft, ONE_ARG, "Put an item at the left end."},
    {"clear", clear, NO_ARGS, "Take out all items."},
    {"__copy__", copy_method, NO_ARGS, "A new deque with the same items and maxlen."},
    {"copy", copy_method, NO_ARGS, "A new deque with the same items and maxlen."},
    {"count", count, ONE_ARG, "How many items are equal to a value."},
    {"extend", extend_method, ONE_ARG, "Put the items of an iterable at the right end."},
    {"extendleft", extendleft, ONE_ARG,
     "Put the items of an iterable at the left end, one by one: the last is in front."},
    {"index", index_method, ARGS(1, 3),
     "The first index of a value, from start on and before stop; ValueError if it is not there."},
    {"insert", insert, KEYWORD_ARGS, "Put an item in front of the one at an index."},
    {"pop", pop, NO_ARGS, "Take out the item at the right end and return it."},
    {"popleft", popleft, NO_ARGS, "Take out the item at the left end and return it."},
    {"__reduce__", reduce, NO_ARGS, NULL},
    {"remove", remove_item, ONE_ARG, "Take out the first item that is equal to a value."},
    {"__reversed__", reversed, NO_ARGS, NULL},
    {"reverse", reverse, NO_ARGS, "Put the items in the opposite order."},
    {"rotate", rotate, KEYWORD_ARGS,
     "Move n items (1) from the right end to the left one; the other way if n is negative."},
    {"__sizeof__", size_of, NO_ARGS, NULL},
    {"__class_getitem__", class_getitem, METHOD_ONE, METHOD_CLASS, 1, 1, NULL},
    {0},
};

static const GetSetDef getset[] = {
    {"maxlen", get_max, NULL, "The most items that there may be, or None."}, {0}};

static Type deque_type = {
    STATIC_TYPE("collections.deque", sizeof(Deque)),
    .doc = "A row of items, fast at both ends; with maxlen, the other end loses.",
    .getattribute = object_generic_get,
    .flags = TYPE_BASE | TYPE_GC | TYPE_ITEMS,
    .weakref_offset = offsetof(Deque, weakrefs),
    .methods = methods,
    .getset = getset,
    .new_ = deque_new,
    .init = deque_init,
    .release = deque_release,
    .traverse = deque_traverse,
    .clear = deque_release,
    .repr = deque_repr,
    .hash = object_hash_unhashable,
    .compare = deque_compare,
    .iter = deque_iter,
    .truth = deque_truth,
    .length = deque_length,
    .concat = deque_concat,
    .repeat = deque_repeat,
    .item = deque_item,
    .set_item = deque_set_item,
    .contains = deque_contains,
    .inplace_concat = deque_inplace_concat,
    .inplace_repeat = deque_inplace_repeat,
};

// ---- iterators

typedef struct DequeIterator {
    Object base;
    Value deque;
    size_t state;
    ssize_t left;
} DequeIterator;

static Value iterator_over(Type *type, ValueRef self)
{
    DequeIterator *iterator = object_alloc(type, 0);
    if (!iterator) return VALUE_ERROR;
    iterator->deque = retain(self);
    iterator->state = as_deque(self)->state;
    iterator->left = as_deque(self)->size;
    return own(iterator);
}

// deque_iterator(deque, index=0), as __reduce__ has it.
static Value iterator_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    ssize_t skip = 0;
    if (!args_check("_deque_iterator", nargs, kwnames, 1, 2)) return VALUE_ERROR;
    if (!deque_check(args[0]))
        return raise_error(TypeError, "argument 1 must be collections.deque, not %T", args[0]);
    if (nargs > 1 && !argument_ssize(args[1], &skip)) return VALUE_ERROR;
    Value made = iterator_over(type, args[0]);
    if (!made) return VALUE_ERROR;
    DequeIterator *iterator = (DequeIterator *)object_of(made);
    if (skip > 0) iterator->left = skip > iterator->left ? 0 : iterator->left - skip;
    return made;
}

static void iterator_release(Object *self)
{
    drop_slot(&((DequeIterator *)self)->deque);
}

static void iterator_traverse(Object *self, VisitFn visit, void *arg)
{
    visit_item(((DequeIterator *)self)->deque, visit, arg);
}

static Value iterator_step(ValueRef self, bool backwards)
{
    DequeIterator *iterator = (DequeIterator *)object_of(self);
    const Deque *deque = as_deque(iterator->deque);
    if (iterator->state != deque->state) {
        iterator->left = 0;
        return raise_error(RuntimeError, mutated);
    }
    if (iterator->left == 0) return ABSENT;
    iterator->left--;
    return retain(*slot_at(deque, backwards ? iterator->left : deque->size - 1 - iterator->left));
}

static Value iterator_next(ValueRef self)
{
    return iterator_step(self, false);
}

static Value reverse_iterator_next(ValueRef self)
{
    return iterator_step(self, true);
}

static Value iterator_hint(ValueRef self, METHOD_ARGS)
{
    return from_small(((DequeIterator *)object_of(self))->left);
}

static Value iterator_reduce(ValueRef self, METHOD_ARGS)
{
    const DequeIterator *iterator = (const DequeIterator *)object_of(self);
    ssize_t done = as_deque(iterator->deque)->size - iterator->left;
    Value arguments = tuple_pack(2, (ValueRef)iterator->deque, (ValueRef)from_small(done));
    Value result = VALUE_ERROR;
    if (arguments) result = tuple_pack(2, ref_of(type_of(self)), (ValueRef)arguments);
    drop(arguments);
    return result;
}

static const MethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, NO_ARGS, NULL},
    {"__reduce__", iterator_reduce, NO_ARGS, NULL},
    {0},
};

#define ITERATOR_TYPE(variable, type_name, next_function)                                          \
    static Type variable = {                                                                       \
        STATIC_TYPE("_collections." type_name, sizeof(DequeIterator)),                             \
        .getattribute = object_generic_get,                                                        \
        .flags = TYPE_GC,                                                                          \
        .methods = iterator_methods,                                                               \
        .new_ = iterator_new,                                                                      \
        .release = iterator_release,                                                               \
        .traverse = iterator_traverse,                                                             \
        .iter = iterator_self,                                                                     \
        .next = next_function,                                                                     \
    }

ITERATOR_TYPE(deque_iterator_type, "_deque_iterator", iterator_next);
ITERATOR_TYPE(deque_reverse_iterator_type, "_deque_reverse_iterator", reverse_iterator_next);

// ---- the module

static bool fill(ValueRef module)
{
    Type *const types[] = {&deque_type,         &defaultdict_type,    &ordered_dict_type,
                           &tuplegetter_type,   &deque_iterator_type, &deque_reverse_iterator_type,
                           &odict_keys_type,    &odict_values_type,   &odict_items_type,
                           &odict_iterator_type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!type_ready(types[i])) return false;
        if (i < 6 && !module_add_type(module, types[i])) return false;
    }
    return true;
}

static const MethodDef functions[] = {
    {"_count_elements", count_elements, ARGS(2, 2), NULL},
    {0},
};

const ModuleDef _collections_module = {
    .name = "_collections",
    .functions = functions,
    .fill = fill,
};
