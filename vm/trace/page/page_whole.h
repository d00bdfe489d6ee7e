// The whole of what a step has the ends of only: long texts, and containers of many items.
//
// Each version is written once, outside the chunks, to which only its number goes. Versions that
// come one after the other stand in one record, which begins with the number of the first:
//
//     {"wholes":5, "values":[[-1,"a text without its quotes"], [5,"what came after it"],
//                            [-1,0,0,"item","item",...], [7,3,1,"item 3 is another"]]}
//
// The first number is of the version that it is made from (-1 = of none). A text follows that one;
// in a container, whose items are texts, so many (the third) from there (the second) go, and the
// others come. An item of a dict is "key: value".
//
// The page bears WHOLE_BYTES of them, and to look and to write costs: a container is looked at
// again when an instruction has taken it from the stack, when the library has run, and now and
// then; one that holds others that may change, after each step that may have changed some. The cost
// is paid by steps: each earns LOOKS_EARNED. Until it is paid, the version that is known is
// stale: the container may have changed since.
#pragma once

#include "vm/trace/page/page_heap.h"

#define WHOLE_BYTES (16 << 20)
#define WHOLE_ITEMS 300000

typedef struct Whole {
    int number; // -1 = not in the page
    bool is_stale;
} Whole;

// The next item; of a set or a sequence there is no key. *position starts at 0.
bool item_next(enum Form form, ValueRef container, ssize_t *position, ValueRef *key,
               ValueRef *item);
ssize_t sequence_size(ValueRef value);
ValueRef sequence_at(ValueRef value, ssize_t index);

bool wholes_set_aside(void); // memory_set_aside(); false with errno set
// A step begins, with a walk unless it is quiet. `others_ran`: so did code of others.
void whole_begin_step(bool is_quiet, bool others_ran);
// What is at this address, may have changed.
void whole_touch(const void *key);
// Of a str or bytes. `print` is another for another text, 0 where that is not known.
int whole_text(ValueRef value, uint32_t print);
Whole whole_items(enum Form form, ValueRef container, ssize_t size);
