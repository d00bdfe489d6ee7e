// Ordering items.
#include "objects/tensor/order.h"

#include "objects/tensor/element.h"

Value order_memory(int64_t n)
{
    const Dim sizes[] = {dim_of(n), dim_of((int64_t)(sizeof(Item) / sizeof(int64_t)))};
    return tensor_new(DTYPE_int64, 2, sizes);
}

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

// Back from the key: what is in order in memory is read sooner than elements here and there.
static inline double real_of_key(uint64_t key)
{
    uint64_t sign = (uint64_t)1 << 63, bits = key & sign ? key ^ sign : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
// Neither a zero, which may have a sign, nor a NaN, of which there are many.
static inline bool has_one_element(uint64_t key)
{
    return key != (uint64_t)1 << 63 && key != ~(uint64_t)0;
}

#define ELEMENTS(name, type, expression)                                                           \
    static void name(type *to, const Item *items, int64_t n, uint64_t turned, const type *from)    \
    {                                                                                              \
        (void)from;                                                                                \
        for (int64_t i = 0; i < n; i++) {                                                          \
            uint64_t key = items[i].key ^ turned;                                                  \
            to[i] = (type)(expression);                                                            \
        }                                                                                          \
    }
ELEMENTS(reals_float32, float, has_one_element(key) ? real_of_key(key) : from[items[i].index])
ELEMENTS(reals_float64, double, has_one_element(key) ? real_of_key(key) : from[items[i].index])
ELEMENTS(wholes_int64, int64_t, whole_key((int64_t)key))
ELEMENTS(wholes_int32, int32_t, whole_key((int64_t)key))
ELEMENTS(wholes_bool, uint8_t, whole_key((int64_t)key))

void order_elements(void *to, const Item *items, const void *from, Dtype computed, int64_t n,
                    bool descending)
{
    uint64_t turned = descending ? ~(uint64_t)0 : 0;
    switch (computed) {
    case DTYPE_float32: reals_float32(to, items, n, turned, from); return;
    case DTYPE_float64: reals_float64(to, items, n, turned, from); return;
    case DTYPE_int64: wholes_int64(to, items, n, turned, from); return;
    case DTYPE_int32: wholes_int32(to, items, n, turned, from); return;
    default: wholes_bool(to, items, n, turned, from); return;
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

static void merge_sort(Item *items, int64_t n, Item *other)
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

// ---- radix sort: by one digit of the keys after another, the last one first. A pass is stable.
// There are digits only where keys differ: two for indices up to 2^18, four for most floats.

#define DIGIT_BITS 9
#define DIGITS (1 << DIGIT_BITS)
#define RADIX_LEAST 128 // of fewer items a merge is made sooner
#define DIGIT_OF(item) ((((item).key - low) >> shift) & (DIGITS - 1))

// The smallest key, and which bits a key has that the smallest one is subtracted from.
static uint64_t key_bits(const Item *items, int64_t n, uint64_t *smallest)
{
    uint64_t low = ~(uint64_t)0, bits = 0;
    for (int64_t i = 0; i < n; i++) low = items[i].key < low ? items[i].key : low;
    for (int64_t i = 0; i < n; i++) bits |= items[i].key - low;
    *smallest = low;
    return bits;
}

// counts[d] becomes the number of items whose digit is less than d.
static void count_digits(const Item *items, int64_t n, uint64_t low, int shift, int64_t *counts)
{
    int64_t before = 0;
    memset(counts, 0, DIGITS * sizeof *counts);
    for (int64_t i = 0; i < n; i++) counts[DIGIT_OF(items[i])]++;
    for (int d = 0; d < DIGITS; d++) {
        int64_t count = counts[d];
        counts[d] = before;
        before += count;
    }
}

static void radix_sort(Item *items, int64_t n, Item *other)
{
    int64_t places[DIGITS];
    Item *from = items, *to = other;
    uint64_t low, bits = key_bits(items, n, &low);
    int shift = bits ? __builtin_ctzll(bits) : 64;
    for (; shift < 64 && bits >> shift; shift += DIGIT_BITS) {
        count_digits(from, n, low, shift, places);
        for (int64_t i = 0; i < n; i++) to[places[DIGIT_OF(from[i])]++] = from[i];
        Item *kept = from;
        from = to;
        to = kept;
    }
    if (from != items) memcpy(items, from, (size_t)n * sizeof(Item));
}

void order_sort(Item *items, int64_t n, Item *other)
{
    (n < RADIX_LEAST ? merge_sort : radix_sort)(items, n, other);
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

// Passes over elements that are certainly not before `edge`: the next index that may be.
#define PASSES(name, type)                                                                         \
    static int64_t name(const type *x, int64_t i, int64_t n, type edge, bool descending)           \
    {                                                                                              \
        if (descending)                                                                            \
            while (i < n && x[i] <= edge) i++;                                                     \
        else                                                                                       \
            while (i < n && x[i] >= edge) i++;                                                     \
        return i;                                                                                  \
    }
PASSES(pass_float32, float)
PASSES(pass_float64, double)

static int64_t next_candidate(const void *elements, Dtype computed, int64_t i, int64_t n,
                              int64_t edge, bool descending)
{
    const float *single = elements;
    const double *twice = elements;
    if (computed == DTYPE_float32) return pass_float32(single, i, n, single[edge], descending);
    if (computed == DTYPE_float64) return pass_float64(twice, i, n, twice[edge], descending);
    return i;
}

void order_few(Item *items, const void *elements, Dtype computed, int64_t n, int64_t k,
               bool descending)
{
    size_t size = dtype_size(computed);
    order_items(items, elements, computed, k, descending);
    make_heap(items, k);
    for (int64_t i = k; i < n; i++) {
        i = next_candidate(elements, computed, i, n, items[0].index, descending);
        if (i == n) break;
        order_items(items + k, (const char *)elements + (size_t)i * size, computed, 1, descending);
        items[k].index = i;
        if (less(items, k, 0)) pop_heap(items, k, k);
    }
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

// ---- the item that a stable sort would put at `nth`

static int64_t nth_of_few(Item *items, int64_t n, int64_t nth)
{
    order_select(items, n, nth);
    uint64_t key = items[nth].key;
    for (int64_t i = 0; i < n; i++) {
        int64_t before = 0;
        for (int64_t j = 0; items[i].key == key && j < n; j++)
            before +=
                items[j].key < key || (items[j].key == key && items[j].index < items[i].index);
        if (items[i].key == key && before == nth) return i;
    }
    return nth;
}

// Digits from the first one on: of each, the items that have the digit which holds `nth` remain.
static int64_t nth_of_many(Item *items, int64_t n, int64_t nth)
{
    int64_t places[DIGITS];
    uint64_t low, bits = key_bits(items, n, &low);
    int top = bits ? 64 - __builtin_clzll(bits) : 0;
    for (; n > 1 && top > 0; top -= DIGIT_BITS) {
        int shift = top > DIGIT_BITS ? top - DIGIT_BITS : 0;
        uint64_t digit = 0;
        int64_t kept = 0;
        count_digits(items, n, low, shift, places);
        while (digit + 1 < DIGITS && places[digit + 1] <= nth) digit++;
        nth -= places[digit];
        for (int64_t i = 0; i < n; i++)
            if (DIGIT_OF(items[i]) == digit) items[kept++] = items[i];
        n = kept;
    }
    return nth;
}

int64_t order_nth(Item *items, int64_t n, int64_t nth)
{
    return (n < RADIX_LEAST ? nth_of_few : nth_of_many)(items, n, nth);
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
