// Ordering items.
#include "objects/tensor/order.h"

#include "objects/tensor/element.h"

// ---- keys

#define KEYS(name, type, expression)                                                               \
    static void name(Item *items, const type *elements, int64_t n, uint64_t turned)                \
    {                                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                          \
            type x = elements[i];                                                                  \
            items[i] = (Item){(expression) ^ turned, i};                                           \
        }                                                                                          \
    }

static inline uint64_t real_key(double x)
{
    uint64_t bits, sign = (uint64_t)1 << 63;
    double plain = x == 0 ? 0 : x;
    memcpy(&bits, &plain, sizeof bits);
    return x != x ? ~(uint64_t)0 : bits & sign ? ~bits : bits | sign;
}
static inline uint64_t whole_key(int64_t x)
{
    return (uint64_t)x ^ (uint64_t)1 << 63;
}
KEYS(keys_float32, float, real_key((double)x))
KEYS(keys_float64, double, real_key(x))
KEYS(keys_int64, int64_t, whole_key(x))
KEYS(keys_int32, int32_t, whole_key(x))
KEYS(keys_bool, uint8_t, whole_key(x))

void order_items(Item *items, const void *elements, Dtype computed, int64_t n, bool descending)
{
    uint64_t turned = descending ? ~(uint64_t)0 : 0;
    switch (computed) {
    case DTYPE_float32: keys_float32(items, elements, n, turned); return;
    case DTYPE_float64: keys_float64(items, elements, n, turned); return;
    case DTYPE_int64: keys_int64(items, elements, n, turned); return;
    case DTYPE_int32: keys_int32(items, elements, n, turned); return;
    default: keys_bool(items, elements, n, turned); return;
    }
}

// ---- merge sort, from runs of 16

#define RUN 16

static void insertion_sort(Item *items, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        Item item = items[i];
        int64_t at = i;
        for (; at > 0 && item.key < items[at - 1].key; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

// Merges two runs that are next to each other.
static void merge(const Item *from, int64_t first, int64_t n, Item *to)
{
    const Item *a = from, *a_end = from + first, *b = a_end, *b_end = from + n;
    while (a < a_end && b < b_end) *to++ = b->key < a->key ? *b++ : *a++;
    while (a < a_end) *to++ = *a++;
    while (b < b_end) *to++ = *b++;
}

void order_sort(Item *items, int64_t n, Item *other)
{
    Item *from = items, *to = other;
    for (int64_t i = 0; i < n; i += RUN) insertion_sort(items + i, n - i < RUN ? n - i : RUN);
    for (int64_t run = RUN; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t rest = n - i;
            merge(from + i, rest < run ? rest : run, rest < 2 * run ? rest : 2 * run, to + i);
        }
        Item *kept = from;
        from = to;
        to = kept;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof(Item));
}

// ---- heaps: the largest item is the first

static bool less(const Item *items, int64_t a, int64_t b)
{
    return items[a].key < items[b].key;
}

static void swap(Item *items, int64_t a, int64_t b)
{
    Item kept = items[a];
    items[a] = items[b];
    items[b] = kept;
}

// The hole goes down to a leaf, along the larger children; then the item goes up from there.
static void adjust_heap(Item *items, int64_t hole, int64_t n, Item item)
{
    int64_t top = hole, child = hole;
    while (child < (n - 1) / 2) {
        child = 2 * (child + 1);
        if (less(items, child, child - 1)) child--;
        items[hole] = items[child];
        hole = child;
    }
    if (n % 2 == 0 && child == (n - 2) / 2) {
        child = 2 * child + 1;
        items[hole] = items[child];
        hole = child;
    }
    for (; hole > top && items[(hole - 1) / 2].key < item.key; hole = (hole - 1) / 2)
        items[hole] = items[(hole - 1) / 2];
    items[hole] = item;
}

static void make_heap(Item *items, int64_t n)
{
    for (int64_t parent = n < 2 ? -1 : (n - 2) / 2; parent >= 0; parent--)
        adjust_heap(items, parent, n, items[parent]);
}

// The largest item of the heap goes to `at`, whose item goes into the heap.
static void pop_heap(Item *items, int64_t n, int64_t at)
{
    Item item = items[at];
    items[at] = items[0];
    adjust_heap(items, 0, n, item);
}

// The k smallest items become a heap in front.
static void select_heap(Item *items, int64_t n, int64_t k)
{
    make_heap(items, k);
    for (int64_t i = k; i < n; i++)
        if (less(items, i, 0)) pop_heap(items, k, i);
}

void order_top(Item *items, int64_t n, int64_t k)
{
    if (k <= 0) return;
    select_heap(items, n, k);
    for (int64_t last = k - 1; last > 0; last--) pop_heap(items, last, last);
}

// ---- quicksort with a limited depth

static void median_to_first(Item *items, int64_t a, int64_t b, int64_t c)
{
    int64_t median;
    if (less(items, a, b))
        median = less(items, b, c) ? b : less(items, a, c) ? c : a;
    else
        median = less(items, a, c) ? a : less(items, b, c) ? c : b;
    swap(items, 0, median);
}

// Splits the items around the median of three: where the second part begins.
static int64_t partition(Item *items, int64_t n)
{
    median_to_first(items, 1, n / 2, n - 1);
    uint64_t pivot = items[0].key;
    int64_t first = 1, last = n;
    for (;;) {
        while (items[first].key < pivot) first++;
        do last--;
        while (pivot < items[last].key);
        if (first >= last) return first;
        swap(items, first++, last);
    }
}

static int depth_limit(int64_t n)
{
    return 2 * (63 - __builtin_clzll((unsigned long long)n));
}

static void sort_parts(Item *items, int64_t n, int depth)
{
    while (n > RUN) {
        if (depth-- == 0) {
            order_top(items, n, n);
            return;
        }
        int64_t cut = partition(items, n);
        sort_parts(items + cut, n - cut, depth);
        n = cut;
    }
}

void order_unstable(Item *items, int64_t n)
{
    if (n < 2) return;
    sort_parts(items, n, depth_limit(n));
    insertion_sort(items, n);
}

void order_select(Item *items, int64_t n, int64_t nth)
{
    if (n == 0 || nth >= n) return;
    int depth = depth_limit(n);
    while (n > 3) {
        if (depth-- == 0) {
            select_heap(items, n, nth + 1);
            swap(items, 0, nth);
            return;
        }
        int64_t cut = partition(items, n);
        if (cut <= nth) {
            items += cut;
            nth -= cut;
            n -= cut;
        } else {
            n = cut;
        }
    }
    insertion_sort(items, n);
}

// ---- PyTorch's selection

// Orders items low, low + 1 and high so that the middle one is at `low`.
static void order_three(Item *items, int64_t low, int64_t high)
{
    swap(items, (low + high) / 2, low + 1);
    if (less(items, high, low + 1)) swap(items, low + 1, high);
    if (less(items, high, low)) swap(items, low, high);
    if (less(items, low, low + 1)) swap(items, low + 1, low);
}

void order_quick_select(Item *items, int64_t n, int64_t k)
{
    int64_t low = 0, high = n - 1;
    while (high > low + 1) {
        order_three(items, low, high);
        int64_t i = low + 1, j = high;
        uint64_t pivot = items[low].key;
        for (;;) {
            do i++;
            while (items[i].key < pivot);
            do j--;
            while (items[j].key > pivot);
            if (j < i) break;
            swap(items, i, j);
        }
        swap(items, low, j);
        if (j <= k) low = i;
        if (j >= k) high = j - 1;
    }
    if (high == low + 1 && less(items, high, low)) swap(items, low, high);
}
