// The table of interned strs: open addressing, with weak entries.
//
// An interned str is freed with its last reference like any other; its release then calls
// intern_forget(). Removing an entry moves the following ones back. So the table has no deleted
// marks, and old names do not slow it down.
//
// A str whose count has reached 0 may wait before it is released (object_dealloc). Its entry is
// dead by then: a search that finds it puts the new str into its slot.
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/operators.h"
#include "objects/text/str_parts.h"

#define FIRST_SIZE 1024

static struct {
    Str **slots; // NULL = free
    size_t size; // a power of two, 0 before the first str
    size_t used;
} table;

static size_t home_of(const Str *str)
{
    return (size_t)str_hash(ref_of(str)) & (table.size - 1);
}

// The slot that holds an equal str, or the free one where it would go.
static Str **find_slot(const Str *str)
{
    size_t index = home_of(str);
    while (table.slots[index]) {
        const Str *other = table.slots[index];
        invariant(other->interned, "what is in the table says so");
        invariant(other->hash != -1, "and has its hash");
        if (other->hash == str->hash && str_equal(ref_of(other), ref_of(str))) break;
        index = (index + 1) & (table.size - 1);
    }
    return &table.slots[index];
}

static bool grow(void)
{
    invariant((table.size & (table.size - 1)) == 0, "the table's size is a power of two");
    size_t old_size = table.size, size = old_size ? old_size * 2 : FIRST_SIZE;
    Str **old = table.slots;
    Str **slots = memory_alloc_zeroed(size * sizeof *slots);
    if (!slots) return false;
    table.slots = slots;
    table.size = size;
    for (size_t i = 0; i < old_size; i++)
        if (old[i]) *find_slot(old[i]) = old[i];
    memory_free(old);
    return true;
}

static void insert(Str **slot, Str *str)
{
    invariant(str_is_sound(str), "a str is whole when it is interned");
    invariant(table.used < table.size, "the table has a free slot at which a search ends");
    if (!*slot) table.used++;
    *slot = str;
    str->interned = true;
}

void str_intern_in_place(Value *value)
{
    Str *str = as_str(*value);
    if (!str_check_exact(*value) || str->interned) return;
    // Without memory the str stays as it is.
    if (table.used * 3 >= table.size * 2 && !grow()) return;
    Str **slot = find_slot(str);
    if (!*slot) {
        insert(slot, str);
    } else if ((*slot)->base.refcount <= 0) {
        (*slot)->interned = false;
        insert(slot, str);
    } else {
        replace_slot(value, retain(ref_of(*slot)));
    }
}

Value str_intern(const char *utf8)
{
    Value str = str_new(utf8);
    if (str) str_intern_in_place(&str);
    return str;
}

ValueRef str_find_interned(const char *ascii)
{
    if (!table.size) return VALUE_ERROR;
    int64_t hash = hash_bytes(ascii, strlen(ascii));
    size_t index = (size_t)hash & (table.size - 1);
    for (; table.slots[index]; index = (index + 1) & (table.size - 1)) {
        ValueRef other = ref_of(table.slots[index]);
        if (as_str(other)->hash == hash && str_equal_ascii(other, ascii)) return other;
    }
    return VALUE_ERROR;
}

bool str_is_interned(ValueRef str)
{
    return as_str(str)->interned;
}

// Moves entries back into the gap, so that none is cut off from its home slot.
static void close_gap(size_t gap)
{
    size_t mask = table.size - 1, index = gap;
    for (;;) {
        index = (index + 1) & mask;
        Str *str = table.slots[index];
        if (!str) break;
        if (((index - home_of(str)) & mask) < ((index - gap) & mask)) continue;
        table.slots[gap] = str;
        gap = index;
    }
    table.slots[gap] = NULL;
}

void intern_forget(Str *str)
{
    str->interned = false;
    size_t index = home_of(str);
    invariant(table.used > 0, "what is forgotten was counted");
    while (table.slots[index] != str) index = (index + 1) & (table.size - 1);
    table.used--;
    close_gap(index);
}

void intern_finish(void)
{
    for (size_t i = 0; i < table.size; i++)
        if (table.slots[i]) table.slots[i]->interned = false;
    memory_free(table.slots);
    table.slots = NULL;
    table.size = table.used = 0;
}
