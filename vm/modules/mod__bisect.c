// The module _bisect: where an item belongs in a sorted sequence, for vm/lib/bisect.mpy.
//
// Left is before the items that are equal to it, right after them. The search halves lo..hi; the
// sequence is read by its own __getitem__, and only `<` is asked.
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"

typedef struct Search {
    ValueRef sequence, item;
    ssize_t low, high;
} Search;

static bool read_arguments(const char *function, Search *search, const ValueRef *args, size_t nargs,
                           ValueRef kwnames)
{
    static const char *const names[] = {"a", "x", "lo", "hi", NULL};
    const Signature signature = {function, names, 2, 4};
    ValueRef slots[4];
    *search = (Search){.high = -1};
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return false;
    search->sequence = slots[0];
    search->item = slots[1];
    if (slots[2] && !argument_ssize(slots[2], &search->low)) return false;
    if (slots[3] && slots[3] != NONE && !argument_ssize(slots[3], &search->high)) return false;
    if (search->low < 0) return raise_error(ValueError, "lo must be non-negative");
    return search->high != -1 || object_length(search->sequence, &search->high);
}

// Does the item belong after the one at this index?
static bool belongs_after(const Search *search, ssize_t index, bool right, bool *after)
{
    Value less = VALUE_ERROR, other = sequence_item(search->sequence, index);
    if (other)
        less = right ? object_compare(search->item, other, COMPARE_LT)
                     : object_compare(other, search->item, COMPARE_LT);
    bool ok = less && object_truth(less, after);
    if (right) *after = !*after;
    drop(less);
    drop(other);
    return ok;
}

// False with an exception pending.
static bool find(Search *search, bool right)
{
    while (search->low < search->high) {
        ssize_t middle = search->low + (search->high - search->low) / 2;
        bool after = false;
        if (!belongs_after(search, middle, right, &after)) return false;
        if (after)
            search->low = middle + 1;
        else
            search->high = middle;
    }
    return true;
}

static Value insert(const Search *search)
{
    if (list_check_exact(search->sequence))
        return list_insert(search->sequence, search->low, search->item) ? NONE : VALUE_ERROR;
    Value name = str_intern("insert"), index = name ? int_new(search->low) : VALUE_ERROR;
    Value result = VALUE_ERROR;
    if (index) {
        ValueRef arguments[] = {search->sequence, index, search->item};
        result = object_call_method(name, arguments, 3, 0);
    }
    drop(index);
    drop(name);
    if (!result) return VALUE_ERROR;
    drop(result);
    return NONE;
}

static Value bisect(const char *name, bool right, bool inserts, const ValueRef *args, size_t nargs,
                    ValueRef kwnames)
{
    Search search;
    if (!read_arguments(name, &search, args, nargs, kwnames) || !find(&search, right))
        return VALUE_ERROR;
    return inserts ? insert(&search) : int_new(search.low);
}

static Value bisect_right(FUNCTION_ARGS)
{
    return bisect("bisect_right", true, false, args, nargs, kwnames);
}

static Value bisect_left(FUNCTION_ARGS)
{
    return bisect("bisect_left", false, false, args, nargs, kwnames);
}

static Value insort_right(FUNCTION_ARGS)
{
    return bisect("insort_right", true, true, args, nargs, kwnames);
}

static Value insort_left(FUNCTION_ARGS)
{
    return bisect("insort_left", false, true, args, nargs, kwnames);
}

static const MethodDef functions[] = {
    {"bisect_right", bisect_right, KEYWORD_ARGS, NULL},
    {"bisect_left", bisect_left, KEYWORD_ARGS, NULL},
    {"insort_right", insort_right, KEYWORD_ARGS, NULL},
    {"insort_left", insort_left, KEYWORD_ARGS, NULL},
    {0},
};

const ModuleDef _bisect_module = {
    .name = "_bisect",
    .doc = "Bisection algorithms.",
    .functions = functions,
};
