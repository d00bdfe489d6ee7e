// The values of the page: the objects that its frames lead to, and what changes in them.
//
// A value is 2 * n + kind: kind 0 is text n, 1 the object n; -1 is an empty slot. Whatever can be
// shared and changed, or leads to such, is an object: containers, instances, the program's classes,
// functions with a closure, cells, tensors, and the storages that views share. All else is a text.
// An object is recorded once, when it comes into sight, and then what changes in it, which the
// frames need not have done themselves: a C function, or a frame of the library, may.
//
//     a = [1]; b = a; c = a[:]       CHANGE_OBJECT 0 "list" [1]        a -> 0, b -> 0
//     a.append(2)                    CHANGE_OBJECT 1 "list" [1]        c -> 1
//                                    CHANGE_ITEMS  0, size 2, from 1, 0 go, [2] come
//
// In a step heap_begin_step() comes first, then value_changes() for what is in the frames, then
// heap_put_reached(), which goes from object to object, the nearest first, and each once. So cycles
// and depth cost nothing. A step reaches WALK_OBJECTS at most; what lies behind is a text. Of an
// object with more than MOST_WORDS items, or where WALK_WORDS are used up, the first and the last
// are recorded, and the whole stands outside the steps: CHANGE_WHOLE. So does that of a long text,
// which ends in U+0001 and the number there, -1 where the page has it not. No script code runs,
// nothing is allocated, no reference is counted.
//
// Nothing keeps these objects alive, so an address may come again. The same object is what stands
// at an address where one was reached in the walk before. After an instruction that can neither
// change nor free an object there need be no walk: such a step is quiet, and what was reached in
// the walk before still stands (trace_page.c decides).
#pragma once

#include "objects/object.h"

enum Change {
    CHANGE_FRAME,    // frame: what follows is about this one
    CHANGE_STACK,    // keep, count, values...: so many values stay, these are pushed
    CHANGE_PUSH,     // value
    CHANGE_POP,      // count
    CHANGE_SLOT,     // slot, value: of localsplus
    CHANGE_BLOCKS,   // count, (handler, level)...: the block stack; a handler that runs is -1
    CHANGE_ENTER,    // frame, code, offset: a new frame, empty, with this number
    CHANGE_DEPTH,    // count: all frames after these have ended
    CHANGE_OUTPUT,   // descriptor, text: was written
    CHANGE_NOTE,     // kind, text: has happened; see Note
    CHANGE_NAME,     // text, value: a new name in a namespace (module or class), after the others
    CHANGE_NO_NAMES, // the namespace is empty
    CHANGE_PLACE,    // offset: of a frame that waits, where it is not that of its last step
    CHANGE_CACHE,    // code, mark, count, (guard, hits, misses, failure, code's name)...: texts
    CHANGE_OBJECT,   // object, form, place, head, class, attributes, size, count, values...: Form
    CHANGE_ITEMS,    // object, size, from, gone, count, values...: these come where so many go
    CHANGE_WHOLE,    // object, whole, stale: of its items: page_whole.h
};

// How the values of an object are to be read. The first are its attributes, a name (a text) and a
// value each; then come its items. `size` is how many items it has. If fewer are recorded, the
// last ENDS of them are its last. Its head is a text: the name of its class, where nothing else is
// said. Its class: where that is one of the program, or EMPTY. Its place: the lowest 32 bits of its
// id(), 0 of a storage.
enum Form {
    FORM_SEQUENCE,
    FORM_SET,
    FORM_DICT, // an item is a key and a value
    FORM_INSTANCE,
    FORM_FUNCTION, // its attributes are the cells of its closure
    FORM_CELL,
    FORM_TENSOR, // its item is its storage; its head is its text
    FORM_STORAGE,
    FORM_CLASS // of the program: its bases that are such, and what it has, functions as texts
};

#define ENDS 8
#define EMPTY (-1)
#define UNKNOWN (-2) // nothing was written yet

// A value as it was written last. An equal word means an equal text only if it is not an object: a
// str with one reference may grow in place. `print` is a fingerprint of a str.
typedef struct Shown {
    ValueRef value;
    int number;
    uint32_t print;
} Shown;

bool heap_set_aside(void); // memory_set_aside(), for the wholes as well; false with errno set
void heap_begin_chunk(void);
bool heap_is_full(void);  // a new chunk is due
bool heap_has_room(void); // for a quiet step
// Quiet: neither has an object changed, nor was one freed, since the step before.
// `others_ran`: code that is not the program's.
void heap_begin_step(bool is_quiet, bool others_ran);
// Is the value, as it is now, another than was written last? Brings `shown` up to date.
bool value_changes(Shown *shown, ValueRef value);
// Writes what is new in the objects that were reached, and in those that they lead to.
void heap_put_reached(void);

// The number of the value's text, and of a text.
int value_text(ValueRef value);
int plain_text(const char *text);
