// list.sort(): a stable, natural merge sort (timsort), with the comparisons of CPython's in the
// same order, because __lt__ shows them to a script.
//
// During the sort the list is empty: sort() has taken its array away and set capacity to -1. If a
// key function or __lt__ changes the list, the list gets a new array; that is how the change is
// noticed ("list modified during sort"). The array taken away owns the items, so comparisons need
// not retain them.
//
//     pending   [ run 0 ][ run 1 ][ run 2 ][ not scanned yet ]   each run is longer than the next
//                                                                two together
//
// With a key function two arrays are sorted in parallel: the keys are compared, and the values move
// with them. Keys that are all small ints or all floats are not compared: a radix sort orders their
// words. So it does for the first bytes of texts.
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/protocols/items.h"
#include "objects/upcalls.h"

#define MAX_RUNS 85 // enough for 2^64 items
#define FEW_ITEMS 128
#define FEW_TEXTS 64
#define FIRST_GALLOP 7

// Items with the keys they are sorted by. Where there is no key function the items are the keys,
// and values is NULL.
typedef struct SortRun {
    Value *keys;
    Value *values;
} SortRun;

typedef struct Run {
    SortRun base;
    ssize_t length;
} Run;

typedef struct Sorter Sorter;
typedef int (*LessFn)(const Sorter *sorter, ValueRef a, ValueRef b); // 1, 0, or -1: failed

struct Sorter {
    LessFn less;
    LessFn first_less;  // of the first items, where the keys are tuples
    CompareFn compare;  // of the one type that all keys have
    ssize_t min_gallop; // so many wins in a row begin to gallop; less where that pays
    SortRun spare;      // room for the shorter of two runs
    ssize_t spare_size;
    int run_count;
    Run runs[MAX_RUNS];
    Value few[2 * FEW_ITEMS];
};

// ---- a < b, using the properties that all keys share

static int less_any(const Sorter *sorter, ValueRef a, ValueRef b)
{
    (void)sorter;
    if (are_small(a, b)) return small_value(a) < small_value(b);
    bool less;
    return object_compare_bool(a, b, COMPARE_LT, &less) ? less : -1;
}

static int less_same_type(const Sorter *sorter, ValueRef a, ValueRef b)
{
    if (type_of(a)->compare != sorter->compare) return less_any(sorter, a, b);
    Value result = sorter->compare(a, b, COMPARE_LT);
    if (!result) return -1;
    if (result == NOT_IMPLEMENTED) return less_any(sorter, a, b);
    if (is_bool(result)) return result == TRUE;
    bool truth, ok = object_truth(result, &truth);
    drop(result);
    return ok ? truth : -1;
}

static int less_str(const Sorter *sorter, ValueRef a, ValueRef b)
{
    (void)sorter;
    const Str *left = as_str(a), *right = as_str(b);
    if (left->kind != 1 || right->kind != 1) return str_compare(a, b) < 0;
    int order = (unsigned char)*left->data - (unsigned char)*right->data; // mostly they differ
    if (order) return order < 0;
    ssize_t shorter = left->length < right->length ? left->length : right->length;
    order = memcmp(left->data, right->data, (size_t)shorter);
    return order ? order < 0 : left->length < right->length;
}

// Small ints, or bools; the words are in the order of the numbers once the tag is shifted out.
static int less_small(const Sorter *sorter, ValueRef a, ValueRef b)
{
    (void)sorter;
    return (int64_t)(bits_of(a) << 15) < (int64_t)(bits_of(b) << 15);
}

static int less_double(const Sorter *sorter, ValueRef a, ValueRef b)
{
    (void)sorter;
    return double_value(a) < double_value(b);
}

static int less_tuple(const Sorter *sorter, ValueRef a, ValueRef b)
{
    ssize_t i, left = tuple_size(a), right = tuple_size(b);
    for (i = 0; i < left && i < right; i++) {
        bool equal;
        int known = quick_equal(tuple_at(a, i), tuple_at(b, i));
        if (known == 0) break;
        if (known > 0) continue;
        if (!items_equal(tuple_at(a, i), tuple_at(b, i), &equal)) return -1;
        if (!equal) break;
    }
    if (i >= left || i >= right) return left < right;
    return (i ? less_any : sorter->first_less)(sorter, tuple_at(a, i), tuple_at(b, i));
}

// What all the keys (or the first items of all the tuples) have in common.
typedef enum Common { COMMON_NOTHING, COMMON_TYPE, COMMON_STR, COMMON_SMALL, COMMON_DOUBLE } Common;

static Common kind_of_key(ValueRef key)
{
    if (is_small(key) || is_bool(key)) return COMMON_SMALL;
    if (is_double(key)) return COMMON_DOUBLE;
    return str_check_exact(key) ? COMMON_STR : COMMON_TYPE;
}

static Common common_of(const Value *keys, ssize_t count, bool in_tuples)
{
    ValueRef first = in_tuples ? tuple_at(keys[0], 0) : keys[0];
    Common common = kind_of_key(first);
    for (ssize_t i = 1; i < count; i++) {
        ValueRef key = in_tuples ? tuple_at(keys[i], 0) : keys[i];
        if (type_of(key) != type_of(first)) return COMMON_NOTHING;
        if (kind_of_key(key) != common) common = COMMON_TYPE;
    }
    return common;
}

static bool all_tuples(const Value *keys, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++)
        if (!tuple_check_exact(keys[i]) || tuple_size(keys[i]) == 0) return false;
    return true;
}

static const LessFn less_of[] = {
    [COMMON_NOTHING] = less_any, [COMMON_TYPE] = less_same_type, [COMMON_STR] = less_str,
    [COMMON_SMALL] = less_small, [COMMON_DOUBLE] = less_double,
};

static void choose_less(Sorter *sorter, const Value *keys, ssize_t count)
{
    bool in_tuples = all_tuples(keys, count);
    Common common = common_of(keys, count, in_tuples);
    ValueRef first = in_tuples ? tuple_at(keys[0], 0) : keys[0];
    sorter->compare = type_of(first)->compare;
    if (common == COMMON_TYPE && !sorter->compare) common = COMMON_NOTHING;
    sorter->less = less_of[common];
    if (!in_tuples) return;
    sorter->first_less = tuple_check_exact(first) ? less_any : sorter->less;
    sorter->less = less_tuple;
}

static inline int less(const Sorter *sorter, ValueRef a, ValueRef b)
{
    return sorter->less(sorter, a, b);
}

// ---- spans

static inline void copy_one(SortRun to, ssize_t i, SortRun from, ssize_t j)
{
    to.keys[i] = from.keys[j];
    if (to.values) to.values[i] = from.values[j];
}

static void move_many(SortRun to, ssize_t i, SortRun from, ssize_t j, ssize_t count)
{
    memmove(to.keys + i, from.keys + j, (size_t)count * sizeof(Value));
    if (to.values) memmove(to.values + i, from.values + j, (size_t)count * sizeof(Value));
}

static inline void advance(SortRun *span, ssize_t count)
{
    span->keys += count;
    if (span->values) span->values += count;
}

static void reverse_array(Value *items, ssize_t count)
{
    for (ssize_t low = 0, high = count - 1; low < high; low++, high--) {
        Value item = items[low];
        items[low] = items[high];
        items[high] = item;
    }
}

static void reverse_span(SortRun span, ssize_t count)
{
    reverse_array(span.keys, count);
    if (span.values) reverse_array(span.values, count);
}

static bool need_spare(Sorter *sorter, ssize_t count, bool with_values)
{
    if (count <= sorter->spare_size) return true;
    if (sorter->spare.keys != sorter->few) memory_free(sorter->spare.keys);
    sorter->spare_size = 0;
    sorter->spare.keys = memory_alloc((size_t)count * sizeof(Value) * (with_values ? 2 : 1));
    if (!sorter->spare.keys) return raise_memory_error();
    sorter->spare.values = with_values ? sorter->spare.keys + count : NULL;
    sorter->spare_size = count;
    return true;
}

// ---- runs

// Sorts the first `count` items, of which the first `sorted` are in order already.
static bool binary_insertion(const Sorter *sorter, SortRun span, ssize_t count, ssize_t sorted)
{
    for (; sorted < count; sorted++) {
        ssize_t low = 0, high = sorted;
        Value pivot = span.keys[sorted];
        do {
            ssize_t middle = low + ((high - low) >> 1);
            int is_less = less(sorter, pivot, span.keys[middle]);
            if (is_less < 0) return false;
            if (is_less)
                high = middle;
            else
                low = middle + 1;
        } while (low < high);
        size_t bytes = (size_t)(sorted - low) * sizeof(Value);
        memmove(span.keys + low + 1, span.keys + low, bytes);
        span.keys[low] = pivot;
        if (!span.values) continue;
        Value value = span.values[sorted];
        memmove(span.values + low + 1, span.values + low, bytes);
        span.values[low] = value;
    }
    return true;
}

// The length of the run at the start of the keys, or -1. A descending run is strictly descending,
// so that reversing it keeps the sort stable.
static ssize_t count_run(const Sorter *sorter, const Value *keys, ssize_t count, bool *descending)
{
    *descending = false;
    if (count == 1) return 1;
    int is_less = less(sorter, keys[1], keys[0]);
    if (is_less < 0) return -1;
    *descending = is_less;
    ssize_t length = 2;
    for (; length < count; length++) {
        is_less = less(sorter, keys[length], keys[length - 1]);
        if (is_less < 0) return -1;
        if (is_less != *descending) break;
    }
    return length;
}

// ---- galloping: searches the index for `key`, from the hint in steps that double, then by
// bisection

// Bisects low..high, where low may be -1, to the index where `key` belongs: with `after` the one
// after keys equal to it, else the one before them. -1 = failed.
static ssize_t bisect(const Sorter *sorter, ValueRef key, const Value *keys, ssize_t low,
                      ssize_t high, bool after)
{
    low++;
    while (low < high) {
        ssize_t middle = low + ((high - low) >> 1);
        int is_less = after ? less(sorter, key, keys[middle]) : less(sorter, keys[middle], key);
        if (is_less < 0) return -1;
        if (is_less == after)
            high = middle;
        else
            low = middle + 1;
    }
    return high;
}

// Gallops from the hint towards the end (`rightwards`) or the start, while the comparison says that
// `key` belongs further on.
static ssize_t gallop(const Sorter *sorter, ValueRef key, const Value *keys, ssize_t count,
                      ssize_t hint, bool after, bool rightwards)
{
    ssize_t last = 0, offset = 1, most = rightwards ? count - hint : hint + 1;
    bool expect = after != rightwards;
    while (offset < most) {
        ValueRef other = keys[rightwards ? hint + offset : hint - offset];
        int is_less = after ? less(sorter, key, other) : less(sorter, other, key);
        if (is_less < 0) return -1;
        if (is_less != expect) break;
        last = offset;
        offset = (offset << 1) + 1;
    }
    if (offset > most) offset = most;
    if (rightwards) return bisect(sorter, key, keys, hint + last, hint + offset, after);
    return bisect(sorter, key, keys, hint - offset, hint - last, after);
}

// The index before all keys that are not less than `key`.
static ssize_t gallop_left(const Sorter *sorter, ValueRef key, const Value *keys, ssize_t count,
                           ssize_t hint)
{
    int is_less = less(sorter, keys[hint], key);
    if (is_less < 0) return -1;
    return gallop(sorter, key, keys, count, hint, false, is_less);
}

// The index after all keys that are not greater than `key`.
static ssize_t gallop_right(const Sorter *sorter, ValueRef key, const Value *keys, ssize_t count,
                            ssize_t hint)
{
    int is_less = less(sorter, key, keys[hint]);
    if (is_less < 0) return -1;
    return gallop(sorter, key, keys, count, hint, true, !is_less);
}

// ---- merging two neighbours

// A merge in progress. Items move from a and b to `to`. One of the two runs was copied to the spare
// array first, so `to` never overwrites an unread item.
typedef struct Merge {
    SortRun a, b, to;
    ssize_t a_left, b_left;
} Merge;

typedef enum Step { STEP_MORE, STEP_DONE, STEP_LAST, STEP_FAILED } Step;

static inline Step low_takes_b(Merge *m)
{
    copy_one(m->to, 0, m->b, 0);
    advance(&m->to, 1);
    advance(&m->b, 1);
    return --m->b_left ? STEP_MORE : STEP_DONE;
}

static inline Step low_takes_a(Merge *m)
{
    copy_one(m->to, 0, m->a, 0);
    advance(&m->to, 1);
    advance(&m->a, 1);
    return --m->a_left == 1 ? STEP_LAST : STEP_MORE;
}

// Merges one item at a time, until one run wins so often that galloping should pay.
static Step low_one_by_one(const Sorter *sorter, Merge *m, ssize_t min_gallop)
{
    ssize_t a_wins = 0, b_wins = 0;
    while (a_wins < min_gallop && b_wins < min_gallop) {
        int is_less = less(sorter, m->b.keys[0], m->a.keys[0]);
        if (is_less < 0) return STEP_FAILED;
        Step step = is_less ? low_takes_b(m) : low_takes_a(m);
        if (step != STEP_MORE) return step;
        a_wins = is_less ? 0 : a_wins + 1;
        b_wins = is_less ? b_wins + 1 : 0;
    }
    return STEP_MORE;
}

static Step low_gallop(Sorter *sorter, Merge *m, ssize_t *min_gallop)
{
    ssize_t from_a, from_b;
    do {
        *min_gallop -= *min_gallop > 1;
        sorter->min_gallop = *min_gallop;
        from_a = gallop_right(sorter, m->b.keys[0], m->a.keys, m->a_left, 0);
        if (from_a < 0) return STEP_FAILED;
        move_many(m->to, 0, m->a, 0, from_a);
        advance(&m->to, from_a);
        advance(&m->a, from_a);
        m->a_left -= from_a;
        if (from_a && m->a_left == 1) return STEP_LAST;
        if (m->a_left == 0) return STEP_DONE; // only where __lt__ contradicts itself
        if (low_takes_b(m) == STEP_DONE) return STEP_DONE;

        from_b = gallop_left(sorter, m->a.keys[0], m->b.keys, m->b_left, 0);
        if (from_b < 0) return STEP_FAILED;
        move_many(m->to, 0, m->b, 0, from_b);
        advance(&m->to, from_b);
        advance(&m->b, from_b);
        m->b_left -= from_b;
        if (m->b_left == 0) return STEP_DONE;
        if (low_takes_a(m) == STEP_LAST) return STEP_LAST;
    } while (from_a >= FIRST_GALLOP || from_b >= FIRST_GALLOP);
    return STEP_MORE;
}

// Merges run a, the shorter one, with run b after it, from the left.
static bool merge_low(Sorter *sorter, SortRun a, ssize_t a_count, SortRun b, ssize_t b_count)
{
    if (!need_spare(sorter, a_count, a.values)) return false;
    Merge m = {
        {sorter->spare.keys, a.values ? sorter->spare.values : NULL}, b, a, a_count, b_count};
    move_many(m.a, 0, a, 0, a_count);
    Step step = low_takes_b(&m);
    if (step == STEP_MORE && a_count == 1) step = STEP_LAST;
    ssize_t min_gallop = sorter->min_gallop;
    while (step == STEP_MORE) {
        step = low_one_by_one(sorter, &m, min_gallop);
        if (step != STEP_MORE) break;
        min_gallop++;
        step = low_gallop(sorter, &m, &min_gallop);
        if (step != STEP_MORE) break;
        sorter->min_gallop = ++min_gallop; // a penalty for leaving the gallop
    }
    if (step == STEP_LAST) { // the last of a goes after the rest of b
        move_many(m.to, 0, m.b, 0, m.b_left);
        copy_one(m.to, m.b_left, m.a, 0);
    } else {
        move_many(m.to, 0, m.a, 0, m.a_left);
    }
    return step != STEP_FAILED;
}

// In merge_high() the spans point at the last items that are left.
static inline Step high_takes_a(Merge *m)
{
    copy_one(m->to, 0, m->a, 0);
    advance(&m->to, -1);
    advance(&m->a, -1);
    return --m->a_left ? STEP_MORE : STEP_DONE;
}

static inline Step high_takes_b(Merge *m)
{
    copy_one(m->to, 0, m->b, 0);
    advance(&m->to, -1);
    advance(&m->b, -1);
    return --m->b_left == 1 ? STEP_LAST : STEP_MORE;
}

static Step high_one_by_one(const Sorter *sorter, Merge *m, ssize_t min_gallop)
{
    ssize_t a_wins = 0, b_wins = 0;
    while (a_wins < min_gallop && b_wins < min_gallop) {
        int is_less = less(sorter, m->b.keys[0], m->a.keys[0]);
        if (is_less < 0) return STEP_FAILED;
        Step step = is_less ? high_takes_a(m) : high_takes_b(m);
        if (step != STEP_MORE) return step;
        a_wins = is_less ? a_wins + 1 : 0;
        b_wins = is_less ? 0 : b_wins + 1;
    }
    return STEP_MORE;
}

static Step high_gallop(Sorter *sorter, Merge *m, const Value *a_keys, const Value *b_keys,
                        ssize_t *min_gallop)
{
    ssize_t from_a, from_b;
    do {
        *min_gallop -= *min_gallop > 1;
        sorter->min_gallop = *min_gallop;
        from_a = gallop_right(sorter, m->b.keys[0], a_keys, m->a_left, m->a_left - 1);
        if (from_a < 0) return STEP_FAILED;
        from_a = m->a_left - from_a;
        advance(&m->to, -from_a);
        advance(&m->a, -from_a);
        move_many(m->to, 1, m->a, 1, from_a);
        m->a_left -= from_a;
        if (m->a_left == 0) return STEP_DONE;
        if (high_takes_b(m) == STEP_LAST) return STEP_LAST;

        from_b = gallop_left(sorter, m->a.keys[0], b_keys, m->b_left, m->b_left - 1);
        if (from_b < 0) return STEP_FAILED;
        from_b = m->b_left - from_b;
        advance(&m->to, -from_b);
        advance(&m->b, -from_b);
        move_many(m->to, 1, m->b, 1, from_b);
        m->b_left -= from_b;
        if (from_b && m->b_left == 1) return STEP_LAST;
        if (m->b_left == 0) return STEP_DONE; // only where __lt__ contradicts itself
        if (high_takes_a(m) == STEP_DONE) return STEP_DONE;
    } while (from_a >= FIRST_GALLOP || from_b >= FIRST_GALLOP);
    return STEP_MORE;
}

// Merges run a with the shorter run b after it, from the right.
static bool merge_high(Sorter *sorter, SortRun a, ssize_t a_count, SortRun b, ssize_t b_count)
{
    if (!need_spare(sorter, b_count, a.values)) return false;
    SortRun copy = {sorter->spare.keys, a.values ? sorter->spare.values : NULL};
    move_many(copy, 0, b, 0, b_count);
    Merge m = {a, copy, b, a_count, b_count};
    advance(&m.a, a_count - 1);
    advance(&m.b, b_count - 1);
    advance(&m.to, b_count - 1);
    Step step = high_takes_a(&m);
    if (step == STEP_MORE && b_count == 1) step = STEP_LAST;
    ssize_t min_gallop = sorter->min_gallop;
    while (step == STEP_MORE) {
        step = high_one_by_one(sorter, &m, min_gallop);
        if (step != STEP_MORE) break;
        min_gallop++;
        step = high_gallop(sorter, &m, a.keys, copy.keys, &min_gallop);
        if (step != STEP_MORE) break;
        sorter->min_gallop = ++min_gallop;
    }
    if (step == STEP_LAST) { // the first of b goes before the rest of a
        move_many(m.to, 1 - m.a_left, m.a, 1 - m.a_left, m.a_left);
        copy_one(m.to, -m.a_left, m.b, 0);
    } else if (m.b_left) {
        move_many(m.to, 1 - m.b_left, copy, 0, m.b_left);
    }
    return step != STEP_FAILED;
}

// Merges runs i and i+1, except for items at both ends that are in order already.
static bool merge_at(Sorter *sorter, int i)
{
    if (!poll_signals()) return false;
    SortRun a = sorter->runs[i].base, b = sorter->runs[i + 1].base;
    ssize_t a_count = sorter->runs[i].length, b_count = sorter->runs[i + 1].length;
    sorter->runs[i].length = a_count + b_count;
    if (i == sorter->run_count - 3) sorter->runs[i + 1] = sorter->runs[i + 2];
    sorter->run_count--;
    ssize_t sorted = gallop_right(sorter, b.keys[0], a.keys, a_count, 0);
    if (sorted < 0) return false;
    advance(&a, sorted);
    a_count -= sorted;
    if (a_count == 0) return true;
    b_count = gallop_left(sorter, a.keys[a_count - 1], b.keys, b_count, b_count - 1);
    if (b_count <= 0) return b_count == 0;
    return a_count <= b_count ? merge_low(sorter, a, a_count, b, b_count)
                              : merge_high(sorter, a, a_count, b, b_count);
}

// ---- the whole

// Merges until each run is longer than the next two together.
static bool merge_collapse(Sorter *sorter)
{
    const Run *runs = sorter->runs;
    while (sorter->run_count > 1) {
        int n = sorter->run_count - 2;
        if ((n > 0 && runs[n - 1].length <= runs[n].length + runs[n + 1].length) ||
            (n > 1 && runs[n - 2].length <= runs[n - 1].length + runs[n].length)) {
            if (runs[n - 1].length < runs[n + 1].length) n--;
        } else if (runs[n].length > runs[n + 1].length) {
            return true;
        }
        if (!merge_at(sorter, n)) return false;
    }
    return true;
}

static bool merge_all(Sorter *sorter)
{
    const Run *runs = sorter->runs;
    while (sorter->run_count > 1) {
        int n = sorter->run_count - 2;
        if (n > 0 && runs[n - 1].length < runs[n + 1].length) n--;
        if (!merge_at(sorter, n)) return false;
    }
    return true;
}

// Shorter runs are filled up to this many: 32..64, so that the number of runs is about a power
// of 2.
static ssize_t minimum_run(ssize_t count)
{
    ssize_t rest = 0;
    for (; count >= 64; count >>= 1) rest |= count & 1;
    return count + rest;
}

static bool sort_runs(Sorter *sorter, SortRun span, ssize_t count)
{
    ssize_t shortest = minimum_run(count);
    while (count) {
        bool descending;
        ssize_t length = count_run(sorter, span.keys, count, &descending);
        if (length < 0) return false;
        if (descending) reverse_span(span, length);
        if (length < shortest) {
            ssize_t forced = count < shortest ? count : shortest;
            if (!binary_insertion(sorter, span, forced, length)) return false;
            length = forced;
        }
        sorter->runs[sorter->run_count++] = (Run){span, length};
        if (!merge_collapse(sorter)) return false;
        advance(&span, length);
        count -= length;
    }
    return merge_all(sorter);
}

static bool sort_by_comparing(SortRun span, ssize_t count)
{
    Sorter sorter;
    choose_less(&sorter, span.keys, count);
    sorter.min_gallop = FIRST_GALLOP;
    sorter.spare = (SortRun){sorter.few, sorter.few + FEW_ITEMS};
    sorter.spare_size = FEW_ITEMS;
    sorter.run_count = 0;
    bool ok = sort_runs(&sorter, span, count);
    if (sorter.spare.keys != sorter.few) memory_free(sorter.spare.keys);
    return ok;
}

// ---- words: a radix sort of numbers, byte by byte from the lowest

// A word that as an unsigned number has the order of its key, and the item.
typedef struct Ranked {
    uint64_t rank;
    Value value;
} Ranked;

static inline uint64_t rank_of(ValueRef key, bool small)
{
    if (small) return (bits_of(key) ^ (1ull << (SMALL_BITS - 1))) & ((1ull << SMALL_BITS) - 1);
    uint64_t bits = bits_of(key) - FLOAT_OFFSET;
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

// True if the ranks have the same order as the keys. (0.0 and -0.0 are equal, but their words
// differ.)
static bool can_rank(const Value *keys, ssize_t count, bool *small)
{
    *small = is_small(keys[0]) || is_bool(keys[0]);
    if (is_small(keys[0])) {
        for (ssize_t i = 1; i < count; i++)
            if (!is_small(keys[i])) return false;
        return true;
    }
    if (is_bool(keys[0])) {
        for (ssize_t i = 1; i < count; i++)
            if (!is_bool(keys[i])) return false;
        return true;
    }
    const uint64_t minus_zero = (1ull << 63) + FLOAT_OFFSET;
    for (ssize_t i = 0; i < count; i++)
        if (!is_double(keys[i]) || bits_of(keys[i]) == minus_zero) return false;
    return true;
}

static bool in_order(const Value *keys, ssize_t count, bool small)
{
    for (ssize_t i = 1; i < count; i++)
        if (rank_of(keys[i], small) < rank_of(keys[i - 1], small)) return false;
    return true;
}

// In the opposite order, with no two equal ones.
static bool is_falling(const Value *keys, ssize_t count, bool small)
{
    for (ssize_t i = 1; i < count; i++)
        if (rank_of(keys[i], small) >= rank_of(keys[i - 1], small)) return false;
    return true;
}

// Sorts by one byte, from one array into the other. The two halves go side by side, as one number
// after the other would wait for the count that the last one has changed.
static void scatter(const Ranked *from, Ranked *to, ssize_t count, int shift)
{
    ssize_t low[256] = {0}, high[256] = {0}, half = count / 2, sum = 0;
    for (ssize_t i = 0; i < half; i++) {
        low[from[i].rank >> shift & 255]++;
        high[from[half + i].rank >> shift & 255]++;
    }
    if (count & 1) high[from[count - 1].rank >> shift & 255]++;
    for (int byte = 0; byte < 256; byte++) {
        ssize_t here = low[byte], after = high[byte];
        low[byte] = sum;
        high[byte] = sum + here;
        sum += here + after;
    }
    for (ssize_t i = 0; i < half; i++) {
        to[low[from[i].rank >> shift & 255]++] = from[i];
        to[high[from[half + i].rank >> shift & 255]++] = from[half + i];
    }
    if (count & 1) to[high[from[count - 1].rank >> shift & 255]++] = from[count - 1];
}

static Ranked *radix_sort(Ranked *from, Ranked *to, ssize_t count)
{
    uint64_t differ = 0; // the bits that are not the same in all ranks
    for (ssize_t i = 1; i < count; i++) differ |= from[i].rank ^ from[0].rank;
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differ >> shift & 255)) continue;
        scatter(from, to, count, shift);
        Ranked *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

// So many items for each byte that is not the same in all ranks are sorted in less time so than by
// comparing.
#define FEW_FOR_A_BYTE 48

static bool is_worth_ranking(const Value *keys, ssize_t count, bool small)
{
    uint64_t differ = 0;
    if (count >= FEW_ITEMS || count < FEW_FOR_A_BYTE || !small) return count >= FEW_ITEMS;
    for (ssize_t i = 1; i < count; i++) differ |= bits_of(keys[i]) ^ bits_of(keys[0]);
    ssize_t bytes = 0;
    for (; differ; differ >>= 8) bytes += (differ & 255) != 0;
    return count >= bytes * FEW_FOR_A_BYTE;
}

static bool sort_words(SortRun span, ssize_t count, bool small)
{
    Ranked *ranked = memory_alloc((size_t)count * 2 * sizeof(Ranked));
    if (!ranked) return raise_memory_error();
    Value *values = span.values ? span.values : span.keys;
    for (ssize_t i = 0; i < count; i++)
        ranked[i] = (Ranked){rank_of(span.keys[i], small), values[i]};
    const Ranked *sorted = radix_sort(ranked, ranked + count, count);
    for (ssize_t i = 0; i < count; i++) values[i] = sorted[i].value;
    memory_free(ranked);
    return true;
}

// ---- texts: the same by eight bytes of each, then by comparing those that have the same ones

// Have all texts one byte for each character?
static bool can_rank_texts(const Value *keys, ssize_t count)
{
    for (ssize_t i = 0; i < count; i++)
        if (!str_check_exact(keys[i]) || as_str(keys[i])->kind != 1) return false;
    return true;
}

// How many characters all texts begin with alike.
static ssize_t common_start(const Value *keys, ssize_t count)
{
    const Str *first = as_str(keys[0]);
    ssize_t common = first->length;
    for (ssize_t i = 1; i < count && common; i++) {
        const Str *other = as_str(keys[i]);
        if (other->length < common) common = other->length;
        for (ssize_t at = 0; at < common; at++)
            if (first->data[at] != other->data[at]) common = at;
    }
    return common;
}

// Four bytes, the first of them highest.
static uint64_t four_bytes(const char *at)
{
    uint32_t four;
    memcpy(&four, at, sizeof four);
    return __builtin_bswap32(four);
}

// Zeros stand for what is missing.
static uint64_t rank_of_text(const Str *text, ssize_t start)
{
    const char *data = text->data + start;
    ssize_t count = text->length - start;
    if (count > 8) count = 8;
    if (count >= 4) return four_bytes(data) << 32 | four_bytes(data + count - 4) << 8 * (8 - count);
    uint64_t rank = 0;
    for (ssize_t i = 0; i < count; i++) rank |= (uint64_t)(unsigned char)data[i] << 8 * (7 - i);
    return rank;
}

static bool ranks_rise(const Ranked *ranked, ssize_t count)
{
    for (ssize_t i = 1; i < count; i++)
        if (ranked[i].rank < ranked[i - 1].rank) return false;
    return true;
}

static bool sort_texts(Value *texts, ssize_t count)
{
    Ranked *ranked = memory_alloc((size_t)count * 2 * sizeof(Ranked));
    if (!ranked) return raise_memory_error();
    ssize_t start = common_start(texts, count);
    for (ssize_t i = 0; i < count; i++)
        ranked[i] = (Ranked){rank_of_text(as_str(texts[i]), start), texts[i]};
    const Ranked *sorted =
        ranks_rise(ranked, count) ? ranked : radix_sort(ranked, ranked + count, count);
    for (ssize_t i = 0; i < count; i++) texts[i] = sorted[i].value;
    bool ok = true;
    for (ssize_t i = 0, end; ok && i < count; i = end) {
        for (end = i + 1; end < count && sorted[end].rank == sorted[i].rank; end++) {
        }
        if (end > i + 1) ok = sort_by_comparing((SortRun){texts + i, NULL}, end - i);
    }
    memory_free(ranked);
    return ok;
}

// ---- list.sort

static bool sort_upwards(SortRun span, ssize_t count)
{
    bool small, words = can_rank(span.keys, count, &small);
    if (words && in_order(span.keys, count, small)) return true;
    if (words && is_falling(span.keys, count, small)) {
        reverse_span(span, count);
        return true;
    }
    if (words && is_worth_ranking(span.keys, count, small)) return sort_words(span, count, small);
    if (!span.values && count >= FEW_TEXTS && can_rank_texts(span.keys, count))
        return sort_texts(span.keys, count);
    return sort_by_comparing(span, count);
}

static bool sort_span(SortRun span, ssize_t count, bool reverse)
{
    if (count < 2) return true;
    if (reverse) reverse_span(span, count); // and again at the end: equal items keep their order
    bool ok = sort_upwards(span, count);
    if (reverse) reverse_array(span.values ? span.values : span.keys, count);
    return ok;
}

// Sorts by key(item). The keys are owned by an array of their own.
static bool sort_with_key(Value *items, ssize_t count, ValueRef key, bool reverse)
{
    if (count == 0) return true;
    Value *keys = memory_alloc((size_t)count * sizeof(Value));
    if (!keys) return raise_memory_error();
    ssize_t made = 0;
    bool ok = true;
    while (ok && made < count && (keys[made] = object_call_one(key, items[made]))) {
        made++;
        ok = poll_signals();
    }
    ok = ok && made == count && sort_span((SortRun){keys, items}, count, reverse);
    for (ssize_t i = 0; i < made; i++) drop(keys[i]);
    memory_free(keys);
    return ok;
}

bool list_sort(ValueRef self, ValueRef key, bool reverse)
{
    List *list = as_list(self);
    List taken = *list;
    list->items = NULL;
    list->size = 0;
    list->capacity = -1;
    bool ok = key ? sort_with_key(taken.items, taken.size, key, reverse)
                  : sort_span((SortRun){taken.items, NULL}, taken.size, reverse);
    if (ok && list->capacity != -1) ok = raise_error(ValueError, "list modified during sort");
    List meanwhile = *list;
    list->items = taken.items;
    list->size = taken.size;
    list->capacity = taken.capacity;
    while (--meanwhile.size >= 0) drop(meanwhile.items[meanwhile.size]);
    memory_free(meanwhile.items);
    return ok;
}
