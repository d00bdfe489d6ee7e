// The stack of an unpickler and its marks, and the instructions that move what is on it; the memo,
// the protocol and frames.
#include "objects/containers/tuple.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/text/str.h"
#include "vm/modules/pickle/pickle.h"

// ---- the stack

Value unpickler_underflow(const Unpickler *self)
{
    return unpickling_error(self->mark_count ? "unexpected MARK found"
                                             : "unpickling stack underflow");
}

// Room for one more item in an array. False: MemoryError.
static bool room(void *array, size_t item_size, ssize_t size, ssize_t *capacity)
{
    if (size < *capacity) return true;
    ssize_t larger = *capacity + *capacity / 2 + 16;
    void *items = memory_resize(*(void **)array, (size_t)larger * item_size);
    if (!items) return raise_memory_error();
    *(void **)array = items;
    *capacity = larger;
    return true;
}

bool unpickler_push(Unpickler *self, Value value)
{
    if (!value) return false;
    if (!room(&self->stack, sizeof(Value), self->size, &self->capacity)) {
        drop(value);
        return false;
    }
    self->stack[self->size++] = value;
    return true;
}

Value unpickler_pop(Unpickler *self)
{
    if (self->size <= self->fence) return unpickler_underflow(self);
    return self->stack[--self->size];
}

ValueRef unpickler_top(Unpickler *self)
{
    if (self->size <= self->fence) return unpickler_underflow(self);
    return self->stack[self->size - 1];
}

Value unpickler_pop_tuple(Unpickler *self, ssize_t start)
{
    if (start < self->fence || start > self->size) return unpickler_underflow(self);
    Value tuple = tuple_new(self->size - start);
    if (!tuple) return VALUE_ERROR;
    for (ssize_t i = start; i < self->size; i++) as_tuple(tuple)->items[i - start] = self->stack[i];
    self->size = start;
    return tuple;
}

bool unpickler_cut(Unpickler *self, ssize_t start)
{
    if (start < self->fence) return unpickler_underflow(self);
    while (self->size > start) drop(self->stack[--self->size]);
    return true;
}

void unpickler_unmark(Unpickler *self)
{
    self->mark_count--;
    self->fence = self->mark_count ? self->marks[self->mark_count - 1] : 0;
}

bool unpickler_mark(Unpickler *self, ssize_t *mark)
{
    if (!self->mark_count) return unpickling_error("could not find MARK");
    *mark = self->marks[self->mark_count - 1];
    unpickler_unmark(self);
    return true;
}

bool load_MARK(Unpickler *self)
{
    if (!room(&self->marks, sizeof(ssize_t), self->mark_count, &self->mark_capacity)) return false;
    self->marks[self->mark_count++] = self->fence = self->size;
    return true;
}

// A mark counts as a value that is popped.
bool load_POP(Unpickler *self)
{
    if (self->mark_count && self->marks[self->mark_count - 1] == self->size) {
        unpickler_unmark(self);
        return true;
    }
    return self->size > self->fence ? unpickler_cut(self, self->size - 1)
                                    : (bool)unpickler_underflow(self);
}

bool load_POP_MARK(Unpickler *self)
{
    ssize_t mark = 0;
    return unpickler_mark(self, &mark) && unpickler_cut(self, mark);
}

bool load_DUP(Unpickler *self)
{
    ValueRef top = unpickler_top(self);
    return top && unpickler_push(self, retain(top));
}

// ---- operands

bool unpickler_size(Unpickler *self, int size, const char *what, ssize_t *number)
{
    uint64_t operand;
    if (!unpickler_operand(self, size, &operand)) return false;
    *number = (ssize_t)operand;
    return operand <= PTRDIFF_MAX ||
           raise_error(OverflowError, "%s exceeds system's maximum size of %zd bytes", what,
                       (ssize_t)PTRDIFF_MAX);
}

// A line with an index in digits, as a str.
static Value read_digits(Unpickler *self)
{
    ssize_t size;
    const char *line = input_line(&self->input, &size);
    if (!line) return VALUE_ERROR;
    return size < 2 ? pickle_truncated() : str_from_latin1(line, (size_t)size);
}

// Steals the digits.
static bool index_of(Value digits, ssize_t *index)
{
    Value number = int_from_text(digits, 10);
    bool done = number && int_as_ssize(number, index);
    drop(number);
    drop(digits);
    return done;
}

// ---- the memo

static bool get(Unpickler *self, int64_t index)
{
    const MemoEntry *entry = index < 0 ? NULL : memo_table_find(&self->memo, (uint64_t)index + 1);
    if (!entry) return unpickling_error("Memo value not found at index %lld", (long long)index);
    return unpickler_push(self, retain(entry->object));
}

static bool get_operand(Unpickler *self, int size)
{
    uint64_t index;
    return unpickler_operand(self, size, &index) && get(self, (int64_t)index);
}

bool load_GET(Unpickler *self)
{
    ssize_t index;
    Value digits = read_digits(self);
    return digits && index_of(digits, &index) && get(self, index);
}

bool load_BINGET(Unpickler *self)
{
    return get_operand(self, 1);
}

bool load_LONG_BINGET(Unpickler *self)
{
    return get_operand(self, 4);
}

static bool put(Unpickler *self, int64_t index)
{
    ValueRef top = unpickler_top(self);
    return top && memo_table_put(&self->memo, (uint64_t)index + 1, top, (ssize_t)index);
}

static bool put_operand(Unpickler *self, int size)
{
    uint64_t index;
    return unpickler_operand(self, size, &index) && put(self, (int64_t)index);
}

bool load_PUT(Unpickler *self)
{
    ssize_t index;
    Value digits = read_digits(self);
    if (digits && !unpickler_top(self)) drop_slot(&digits);
    if (!digits || !index_of(digits, &index)) return false;
    if (index < 0) return raise_error(ValueError, "negative PUT argument");
    return put(self, index);
}

bool load_BINPUT(Unpickler *self)
{
    return put_operand(self, 1);
}

bool load_LONG_BINPUT(Unpickler *self)
{
    return put_operand(self, 4);
}

bool load_MEMOIZE(Unpickler *self)
{
    return put(self, self->memo.count);
}

// ---- the protocol and frames

bool load_PROTO(Unpickler *self)
{
    uint64_t protocol;
    if (!unpickler_operand(self, 1, &protocol)) return false;
    if (protocol > HIGHEST_PROTOCOL)
        return raise_error(ValueError, "unsupported pickle protocol: %d", (int)protocol);
    self->protocol = (int)protocol;
    return true;
}

// All of the frame is read at once.
bool load_FRAME(Unpickler *self)
{
    uint64_t size;
    if (!unpickler_operand(self, 8, &size)) return false;
    if (size > PTRDIFF_MAX)
        return raise_error(OverflowError, "FRAME length exceeds system's maximum of %zd bytes",
                           (ssize_t)PTRDIFF_MAX);
    if (!input_read(&self->input, (ssize_t)size)) return false;
    self->input.at -= (ssize_t)size;
    return true;
}
