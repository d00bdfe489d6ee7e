// Ordering elements: keys that compare as the elements do, and the algorithms that PyTorch uses.
//
//     element      -2.5   -0.0   0.0   1.0   NaN           int64: the sign bit turned over
//     key           low   k      k     ...   the highest   descending: all bits turned over
//
// An Item is a key and the index of its element, so one sort serves all dtypes and both directions.
// order_sort() is stable. order_select(), order_top() and order_unstable() answer as nth_element,
// partial_sort and sort of libstdc++ do, which PyTorch calls: which one of several equal
// elements stands where is part of the answer.
//
// (libstdc++: bits/stl_algo.h, bits/stl_heap.h; PyTorch: ATen/native/Sorting.cpp
// quick_select_template)
#pragma once

#include "objects/tensor/tensor.h"

typedef struct Item {
    uint64_t key;
    int64_t index;
} Item;

// Memory for n items, as a tensor: owned. Storages are kept for the next one, so its pages are
// seldom fresh, which would cost more than a sort of small integers.
Value order_memory(int64_t n);

// The items of n elements of a dtype that is computed in.
void order_items(Item *items, const void *elements, Dtype computed, int64_t n, bool descending);
// The elements of n such items, which are made of `from`.
void order_elements(void *to, const Item *items, const void *from, Dtype computed, int64_t n,
                    bool descending);

// Stable. `other` has room for n items.
void order_sort(Item *items, int64_t n, Item *other);
// Where the item is that order_sort() would put at `nth`. The others are lost.
int64_t order_nth(Item *items, int64_t n, int64_t nth);
// Puts the item that belongs at `nth` there; those before it are not larger.
void order_select(Item *items, int64_t n, int64_t nth);
// Sorts; not stable: equal items may be reordered.
void order_unstable(Item *items, int64_t n);
// Sorts the first k.
void order_top(Item *items, int64_t n, int64_t k);
// The first k > 0 items of n elements, sorted, where there are more: as order_items() and
// order_top() make them, but of elements that cannot be among them no items are made. `items` has
// room for one more than k.
void order_few(Item *items, const void *elements, Dtype computed, int64_t n, int64_t k,
               bool descending);
// PyTorch's own selection of the k-th item, which kthvalue() uses.
void order_quick_select(Item *items, int64_t n, int64_t k);
