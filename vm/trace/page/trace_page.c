// The recorder of --trace-html: what each instruction changes, as numbers.
//
// A step is the state before an instruction of the program; the last step is the state at the end.
// It is written as the list of changes since the step before, in numbers:
//
//     [offset, change, arguments..., change, arguments..., ...]
//
// `offset` is the instruction's in the innermost frame, -1 at the end. Frames are numbered from the
// outermost, 0; the first change in a step is about the innermost frame until CHANGE_FRAME or
// CHANGE_ENTER names another. A value is 4 * n + kind: kind 0 is text n, 1 the cell n, 2 the holder
// n (a function with a closure, a tuple of cells: whatever else owns cells), 3 the tensor n; -1 is
// an empty slot. A tensor has a text and a storage, which views share; both are compared in every
// step, because what is written in place changes neither the variable nor the address.
//
// Only the innermost frames are shown. The values of all these frames are compared again in every
// step, because the running frame may change a list that another frame holds. Of a frame that waits
// for a call, only the part of its value stack is known that the call instruction does not use.
#include "vm/trace/page/trace_page.h"

#include "compiler/opcode.h"
#include "frames/cache/cache.h"
#include "frames/guards/guard_tree.h"
#include "frames/observe.h"
#include "vm/io/io.h"
#include "vm/outside/outside.h"
#include "vm/trace/page/page_code.h"
#include "vm/trace/page/page_out.h"
#include "vm/trace/trace_cache.h"
#include "vm/trace/trace_view.h"

#include "objects/cell.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/function.h"
#include "objects/looking/show.h"
#include "objects/looking/show_tensor.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <errno.h>
#include <stdio.h>

enum Change {
    CHANGE_FRAME,    // frame: what follows is about this one
    CHANGE_STACK,    // keep, count, values...: so many values stay, these are pushed
    CHANGE_PUSH,     // value
    CHANGE_POP,      // count
    CHANGE_SLOT,     // slot, value: of localsplus
    CHANGE_BLOCKS,   // count, (handler, level)...: the block stack; a handler that runs is -1
    CHANGE_ENTER,    // frame, code, offset: a new frame, empty, with this number
    CHANGE_DEPTH,    // count: all frames after these have ended
    CHANGE_CELL,     // cell, value: its contents
    CHANGE_HOLDER,   // holder, text, count, cells...
    CHANGE_OUTPUT,   // descriptor, text: was written
    CHANGE_NOTE,     // kind, text: has happened; see Note
    CHANGE_NAME,     // text, value: a new name in a namespace (module or class), after the others
    CHANGE_NO_NAMES, // the namespace is empty
    CHANGE_PLACE,    // offset: of a frame that waits, where it is not that of its last step
    CHANGE_CACHE,    // code, mark, count, (guard, hits, misses, failure, code's name)...: texts
    CHANGE_TENSOR,   // tensor, text, storage: what it is now; storage -1 = it has none
    CHANGE_STORAGE,  // storage, text
};

enum Note { NOTE_CALL, NOTE_RETURN, NOTE_YIELD, NOTE_EXCEPTION, NOTE_UNWIND, NOTE_CACHE };

#define FRAMES_SHOWN 12 // the page knows this number, and those of slots, stack and names
#define MAX_SLOTS 64
#define MAX_STACK 48
#define MAX_BLOCKS 20
#define MAX_NAMES 48
#define MAX_CELLS 512
#define MAX_HOLDERS 256
#define HOLDER_CELLS 16
#define MAX_TENSORS 256 // and as many storages
#define MAX_ENTRIES 8
#define MAX_NOTES 64
#define VALUE_TEXT 1000
#define OUTPUT_PIECE 1000
#define EMPTY (-1)
#define UNKNOWN (-2) // nothing was written yet
#define NEVER (-2)   // no step: the first is 0

static const ShowLimits limits = {.depth = 2, .items = 8, .text = 60};

// A value as it was written last. An equal word means an equal text only if it is not an object: a
// str with one reference may grow in place.
typedef struct Shown {
    ValueRef value;
    int number;
} Shown;

typedef struct ShownFrame {
    int64_t depth; // its number; -1 = none
    const Frame *frame;
    const Code *code;
    Shown slots[MAX_SLOTS], stack[MAX_STACK], names[MAX_NAMES];
    ValueRef keys[MAX_NAMES];
    Block blocks[MAX_BLOCKS];
    int stack_count, block_count, name_count, offset;
} ShownFrame;

typedef struct ShownCell {
    ValueRef cell;
    int64_t id;
    Shown contents;
    int64_t step; // in which it was met last
} ShownCell;

typedef struct Holder {
    ValueRef value;
    int text, count;
    int cells[HOLDER_CELLS];
} Holder;

typedef struct ShownTensor {
    ValueRef value;
    TensorMark mark;
    int64_t step; // in which it was met last
    int text, storage;
} ShownTensor;

typedef struct ShownStorage {
    const Storage *storage;
    int text;
} ShownStorage;

static struct {
    int64_t step, most_steps, depth; // `depth`: how many frames of the program there are
    int64_t shown_depth;             // in the page
    int64_t selected;                // the frame that changes are about
    ShownFrame frames[FRAMES_SHOWN]; // number n is at index n % FRAMES_SHOWN
    ShownCell cells[MAX_CELLS];
    Holder holders[MAX_HOLDERS];
    ShownTensor tensors[MAX_TENSORS];
    ShownStorage storages[MAX_TENSORS];
    int cell_count, holder_count, tensor_count, storage_count;
    int notes; // since the last step
    CacheObserver next_observer;
    bool recording, reached_limit, lost_output;
} page;

static void put_change(enum Change change)
{
    chunk_number(change);
}

// ---- values

static int text_of(ValueRef value)
{
    char text[VALUE_TEXT];
    size_t size = show_value(text, sizeof text, value, &limits);
    return chunk_text(text, size < sizeof text ? size : strlen(text));
}

static int plain_text(const char *text)
{
    return chunk_text(text, strlen(text));
}

static int cell_number(ValueRef cell)
{
    int number = 0;
    while (number < page.cell_count && page.cells[number].cell != cell) number++;
    if (number == MAX_CELLS) return -1;
    if (number == page.cell_count)
        page.cells[page.cell_count++] =
            (ShownCell){cell, memory_id(object_of(cell)), {0, UNKNOWN}, -1};
    page.cells[number].step = page.step;
    return number;
}

// The cells of a closure or of a tuple of cells: 0 = none.
static ValueRef cells_of(ValueRef value)
{
    if (function_check(value)) return as_function(value)->closure;
    if (!tuple_check_exact(value) || !tuple_size(value)) return 0;
    for (ssize_t i = 0; i < tuple_size(value); i++)
        if (!is_exactly(tuple_at(value, i), &cell_type)) return 0;
    return value;
}

static bool holder_is(const Holder *holder, int text, const int *cells, int count)
{
    return holder->text == text && holder->count == count &&
           memcmp(holder->cells, cells, (size_t)count * sizeof *cells) == 0;
}

static int holder_number(ValueRef value, ValueRef tuple)
{
    int number = 0, cells[HOLDER_CELLS], count = 0, text = text_of(value);
    for (ssize_t i = 0; i < tuple_size(tuple) && count < HOLDER_CELLS; i++)
        if ((cells[count] = cell_number(tuple_at(tuple, i))) >= 0) count++;
    while (number < page.holder_count && page.holders[number].value != value) number++;
    if (number == MAX_HOLDERS) return -1;
    Holder *holder = &page.holders[number];
    if (number < page.holder_count && holder_is(holder, text, cells, count)) return number;
    page.holder_count += number == page.holder_count;
    *holder = (Holder){.value = value, .text = text, .count = count};
    memcpy(holder->cells, cells, sizeof cells);
    int64_t head[] = {CHANGE_HOLDER, number, text, count};
    for (int i = 0; i < 4; i++) chunk_number(head[i]);
    for (int i = 0; i < count; i++) chunk_number(cells[i]);
    return number;
}

static void put_storage(int number)
{
    char text[80];
    ShownStorage *shown = &page.storages[number];
    snprintf(text, sizeof text, "%zu bytes, version %llu", shown->storage->nbytes,
             (unsigned long long)shown->storage->version);
    int now = plain_text(text);
    if (now == shown->text) return;
    shown->text = now;
    put_change(CHANGE_STORAGE);
    chunk_number(number);
    chunk_number(now);
}

// -1 = there is none, or no room for one more.
static int storage_number(const Storage *storage)
{
    int number = 0;
    while (number < page.storage_count && page.storages[number].storage != storage) number++;
    if (!storage || number == MAX_TENSORS) return -1;
    if (number == page.storage_count)
        page.storages[page.storage_count++] = (ShownStorage){storage, UNKNOWN};
    put_storage(number);
    return number;
}

// A tensor that was not met in the step before may have died: this may be another at its address.
static bool is_untouched(const ShownTensor *shown, const Tensor *tensor)
{
    TensorMark mark = tensor_mark(tensor);
    return shown->step >= page.step - 1 && tensor_mark_equal(&mark, &shown->mark);
}

static void put_tensor(ShownTensor *shown, int number)
{
    const Tensor *tensor = as_tensor(shown->value);
    int text = text_of(shown->value), storage = storage_number(tensor->storage);
    shown->mark = tensor_mark(tensor);
    if (text == shown->text && storage == shown->storage) return;
    shown->text = text;
    shown->storage = storage;
    put_change(CHANGE_TENSOR);
    chunk_number(number);
    chunk_number(text);
    chunk_number(storage);
}

static int tensor_number(ValueRef value)
{
    int number = 0;
    while (number < page.tensor_count && page.tensors[number].value != value) number++;
    if (number == MAX_TENSORS) return -1;
    if (number == page.tensor_count)
        page.tensors[page.tensor_count++] =
            (ShownTensor){.value = value, .step = NEVER, .text = UNKNOWN, .storage = UNKNOWN};
    ShownTensor *shown = &page.tensors[number];
    if (!is_untouched(shown, as_tensor(value))) put_tensor(shown, number);
    shown->step = page.step;
    return number;
}

// Cells, holders and tensors that find no room in their tables are shown as texts.
static int number_of(ValueRef value)
{
    int number = -1;
    if (value && is_exactly(value, &cell_type)) {
        if ((number = cell_number(value)) >= 0) return 4 * number + 1;
    } else if (value && is_object(value)) {
        ValueRef cells = cells_of(value);
        if (cells && (number = holder_number(value, cells)) >= 0) return 4 * number + 2;
        if (tensor_check(value) && (number = tensor_number(value)) >= 0) return 4 * number + 3;
    }
    return 4 * text_of(value);
}

// Is the value, as it is now, another than was written last? `empty` is what stands for no value.
static bool changes(Shown *shown, ValueRef value)
{
    bool is_immediate = value && !is_object(value);
    if (shown->number != UNKNOWN && shown->value == value && is_immediate) return false;
    int number = number_of(value);
    shown->value = value;
    if (number == shown->number) return false;
    shown->number = number;
    return true;
}

static bool slot_changes(Shown *shown, ValueRef value)
{
    if (value && value != ABSENT) return changes(shown, value);
    bool was_empty = shown->number == EMPTY;
    *shown = (Shown){0, EMPTY};
    return !was_empty;
}

// ---- changes

static void select_frame(int64_t number)
{
    if (page.selected == number) return;
    put_change(CHANGE_FRAME);
    chunk_number(number);
    page.selected = number;
}

static void put_slots(ShownFrame *shown, Frame *frame)
{
    int slots = (int)quick_of(as_code(frame->code))->slots;
    for (int i = 0; i < slots && i < MAX_SLOTS; i++) {
        if (!slot_changes(&shown->slots[i], frame->localsplus[i])) continue;
        select_frame(shown->depth);
        put_change(CHANGE_SLOT);
        chunk_number(i);
        chunk_number(shown->slots[i].number);
    }
}

// So many values from the bottom are certain to be there: of a frame that waits for a call, those
// that the instruction does not take. Where the loop itself has entered the call, it has taken
// them.
static ssize_t certain_depth(Frame *frame, const Frame *called)
{
    ssize_t depth = frame->sp - frame_stack(frame);
    if (called && (called->flags & FRAME_ENTRY) && frame_lasti(frame) >= 0) {
        TraceInstruction at = trace_instruction(as_code(frame->code), frame_lasti(frame));
        int64_t takes = opcode_takes(at.opcode, at.operand);
        depth = takes > depth ? 0 : depth - (ssize_t)takes;
    }
    return depth < 0 ? 0 : depth < MAX_STACK ? depth : MAX_STACK;
}

static void put_stack_change(ShownFrame *shown, int keep, int count)
{
    select_frame(shown->depth);
    if (keep == count) {
        put_change(CHANGE_POP);
        chunk_number(shown->stack_count - keep);
    } else if (keep == shown->stack_count && count == keep + 1) {
        put_change(CHANGE_PUSH);
        chunk_number(shown->stack[keep].number);
    } else {
        put_change(CHANGE_STACK);
        chunk_number(keep);
        chunk_number(count - keep);
        for (int i = keep; i < count; i++) chunk_number(shown->stack[i].number);
    }
}

static void put_stack(ShownFrame *shown, Frame *frame, const Frame *called)
{
    const Value *bottom = frame_stack(frame);
    int count = (int)certain_depth(frame, called), keep = count;
    for (int i = 0; i < count; i++) {
        if (i >= shown->stack_count) shown->stack[i].number = UNKNOWN;
        if (changes(&shown->stack[i], bottom[i]) && keep > i) keep = i;
    }
    if (keep > shown->stack_count) keep = shown->stack_count;
    if (keep < count || count < shown->stack_count) put_stack_change(shown, keep, count);
    shown->stack_count = count;
}

static void put_blocks(ShownFrame *shown, Frame *frame)
{
    const Block *blocks = frame_blocks(frame);
    int count = frame->block_count < MAX_BLOCKS ? (int)frame->block_count : MAX_BLOCKS;
    size_t size = (size_t)count * sizeof *blocks;
    if (count == shown->block_count && (!count || memcmp(blocks, shown->blocks, size) == 0)) return;
    memcpy(shown->blocks, blocks, size);
    shown->block_count = count;
    select_frame(shown->depth);
    put_change(CHANGE_BLOCKS);
    chunk_number(count);
    int bottom = (int)(frame_stack(frame) - frame->localsplus);
    for (int i = 0; i < count; i++) {
        chunk_number(blocks[i].handler == BLOCK_EXCEPT ? -1 : 2 * blocks[i].handler);
        chunk_number(blocks[i].level - bottom);
    }
}

// Names that begin with two underscores are not the program's.
static bool is_shown(ValueRef key)
{
    if (!str_check_exact(key)) return false;
    const Str *name = as_str(key);
    return name->length < 2 || str_at(name, 0) != '_' || str_at(name, 1) != '_';
}

static void put_name(ShownFrame *shown, int index, ValueRef key, ValueRef value)
{
    char name[200];
    if (index == shown->name_count) {
        shown->keys[index] = key;
        shown->names[index] = (Shown){0, UNKNOWN};
        shown->name_count++;
    }
    if (!changes(&shown->names[index], value)) return;
    select_frame(shown->depth);
    put_change(CHANGE_NAME);
    show_text(name, sizeof name, key);
    chunk_number(plain_text(name));
    chunk_number(shown->names[index].number);
}

// Are the names that are shown still the first ones of the dict?
static bool same_names(const ShownFrame *shown, ValueRef dict)
{
    ssize_t position = 0;
    ValueRef key, value;
    int count = 0;
    while (count < shown->name_count && dict_next(dict, &position, &key, &value))
        if (is_shown(key) && shown->keys[count++] != key) return false;
    return count == shown->name_count;
}

// The namespace of a module or a class, where it is a plain dict.
static void put_names(ShownFrame *shown, Frame *frame)
{
    ssize_t position = 0;
    ValueRef key, value;
    if (!(frame->flags & FRAME_LOCALS) || !dict_check_exact(frame->locals)) return;
    if (as_code(frame->code)->flags & CO_OPTIMIZED) return;
    if (!same_names(shown, frame->locals)) {
        shown->name_count = 0;
        select_frame(shown->depth);
        put_change(CHANGE_NO_NAMES);
    }
    for (int i = 0; i < MAX_NAMES && dict_next(frame->locals, &position, &key, &value);)
        if (is_shown(key)) put_name(shown, i++, key, value);
}

// The contents of a cell may own further cells, so the table may grow during this loop.
static void put_cells(void)
{
    for (int i = 0; i < page.cell_count; i++) {
        ShownCell *cell = &page.cells[i];
        if (cell->step != page.step ||
            !slot_changes(&cell->contents, as_cell(cell->cell)->contents))
            continue;
        put_change(CHANGE_CELL);
        chunk_number(i);
        chunk_number(cell->contents.number);
    }
}

// ---- a step

static void forget_frame(ShownFrame *shown, int64_t depth, const Frame *frame)
{
    shown->depth = depth;
    shown->frame = frame;
    shown->code = as_code(frame->code);
    shown->stack_count = shown->block_count = shown->name_count = 0;
    for (int i = 0; i < MAX_SLOTS; i++) shown->slots[i] = (Shown){0, EMPTY};
}

static void put_frame(Frame *frame, int64_t depth, const Frame *called)
{
    ShownFrame *shown = &page.frames[depth % FRAMES_SHOWN];
    const Code *code = as_code(frame->code);
    if (shown->depth != depth || shown->frame != frame || shown->code != code) {
        forget_frame(shown, depth, frame);
        put_change(CHANGE_ENTER);
        chunk_number(depth);
        chunk_number(page_code(code));
        chunk_number(frame_lasti(frame));
        page.selected = depth;
    } else if (called && shown->offset != frame_lasti(frame)) {
        select_frame(depth);
        put_change(CHANGE_PLACE);
        chunk_number(frame_lasti(frame));
    }
    shown->offset = frame_lasti(frame);
    put_slots(shown, frame);
    put_stack(shown, frame, called);
    put_blocks(shown, frame);
    put_names(shown, frame);
}

// The innermost frames of the program, and for each the frame that it called, of the library too.
// Returns how many.
static int find_frames(Frame *innermost, Frame **frames, const Frame **called)
{
    int count = 0;
    const Frame *before = NULL;
    for (Frame *frame = innermost; frame && count < FRAMES_SHOWN; frame = frame->previous) {
        if (trace_is_own(as_code(frame->code))) {
            called[count] = before;
            frames[count++] = frame;
        }
        before = frame;
    }
    return count;
}

static void put_depth(int64_t depth)
{
    if (depth < page.shown_depth) {
        put_change(CHANGE_DEPTH);
        chunk_number(depth);
        for (int i = 0; i < FRAMES_SHOWN; i++)
            if (page.frames[i].depth >= depth) page.frames[i].depth = -1;
    }
    page.shown_depth = depth;
}

static void begin_chunk(int64_t first)
{
    chunk_begin(first);
    for (int i = 0; i < FRAMES_SHOWN; i++) page.frames[i].depth = -1;
    page.cell_count = page.holder_count = page.tensor_count = page.storage_count = 0;
    page.shown_depth = 0;
}

static void end_chunk(void)
{
    int64_t cell_ids[MAX_CELLS];
    for (int i = 0; i < page.cell_count; i++) cell_ids[i] = page.cells[i].id;
    chunk_write(cell_ids, (size_t)page.cell_count);
}

static bool tables_are_full(void)
{
    return page.cell_count > MAX_CELLS / 2 || page.holder_count > MAX_HOLDERS / 2 ||
           page.tensor_count > MAX_TENSORS / 2 || page.storage_count > MAX_TENSORS / 2;
}

static void put_state(Frame *innermost, int offset)
{
    Frame *frames[FRAMES_SHOWN];
    const Frame *called[FRAMES_SHOWN];
    int count = find_frames(innermost, frames, called);
    // The events count the frames, and the frames themselves have the last word.
    if (count < FRAMES_SHOWN || page.depth < count) page.depth = count;
    chunk_number(offset);
    put_depth(page.depth);
    page.selected = page.depth - 1;
    for (int i = count - 1; i >= 0; i--) put_frame(frames[i], page.depth - 1 - i, called[i]);
    put_cells();
    chunk_end_step();
}

static void put_step(Frame *innermost, int offset)
{
    put_state(innermost, offset);
    if (chunk_is_full() || tables_are_full()) {
        end_chunk();
        begin_chunk(page.step);
        put_state(innermost, offset);
    }
    if (page.lost_output)
        page.lost_output = !chunk_note((int64_t[]){CHANGE_OUTPUT, 1, plain_text("\n...\n")}, 3);
    page.notes = 0;
    page.step++;
}

// ---- events

// So many in a step: an exception may leave a thousand frames, and there has to be room for output.
static void put_note(enum Note kind, const char *text)
{
    if (page.notes > MAX_NOTES) return;
    if (page.notes++ == MAX_NOTES) text = "...";
    chunk_note((int64_t[]){CHANGE_NOTE, kind, plain_text(text)}, 3);
}

static void note_event(Frame *frame, enum Note kind, const char *how, ValueRef value)
{
    char text[1400], name[100], shown[VALUE_TEXT] = "";
    show_text(name, sizeof name, as_code(frame->code)->name);
    if (value) show_value(shown, sizeof shown, value, NULL);
    snprintf(text, sizeof text, "%s %s%s%s", name, how, *shown ? " " : "", shown);
    put_note(kind, text);
}

static void note_return(Frame *frame, ValueRef value)
{
    int opcode = trace_instruction(as_code(frame->code), frame_lasti(frame)).opcode;
    bool yields = opcode_is(opcode, SUSPENDS);
    note_event(frame, yields ? NOTE_YIELD : NOTE_RETURN, yields ? "yields" : "returns", value);
}

static void stop(void)
{
    page.recording = false;
    observer_set(OBSERVER_RECORDER, NULL);
    upcalls.observe_output = NULL;
    upcalls.observe_cache = page.next_observer;
}

static void tell_limit(void)
{
    char text[160];
    int size = snprintf(text, sizeof text,
                        "minivm: the record ends here, after %lld instructions; the program goes "
                        "on (--trace-steps N records N)\n",
                        (long long)page.most_steps);
    outside_write_all(2, text, (size_t)size);
}

static void record(Frame *frame, FrameEvent event, ValueRef value)
{
    switch (event) {
    case EVENT_CALL:
        page.frames[page.depth++ % FRAMES_SHOWN].depth = -1; // the number of an ended call
        note_event(frame, NOTE_CALL, frame_lasti(frame) < 0 ? "is called" : "goes on", 0);
        break;
    case EVENT_OPCODE:
        put_step(frame, frame_lasti(frame));
        page.reached_limit = page.step == page.most_steps;
        if (page.reached_limit || page_failed()) stop();
        if (page.reached_limit) tell_limit();
        break;
    case EVENT_RETURN:
        note_return(frame, value);
        page.depth -= page.depth > 0;
        break;
    case EVENT_EXCEPTION: note_event(frame, NOTE_EXCEPTION, "has", value); break;
    case EVENT_UNWIND:
        note_event(frame, NOTE_UNWIND, "is left by", value);
        page.depth -= page.depth > 0;
        break;
    }
}

static bool observe(Frame *frame, FrameEvent event, ValueRef value)
{
    bool pending = error_pending();
    if (trace_is_own(as_code(frame->code))) record(frame, event, value);
    return pending || !error_pending(); // Ctrl-C while the file was written
}

// ---- output

static void note_output(int descriptor, const void *bytes, size_t size)
{
    if (descriptor != 1 && descriptor != 2) return;
    const char *text = bytes;
    while (size > 0) {
        size_t part = size < OUTPUT_PIECE ? size : OUTPUT_PIECE;
        while (part < size && part > OUTPUT_PIECE - 4 && (text[part] & 0xC0) == 0x80) part--;
        page.lost_output |=
            !chunk_note((int64_t[]){CHANGE_OUTPUT, descriptor, chunk_text(text, part)}, 3);
        if (page.lost_output) return;
        text += part;
        size -= part;
    }
}

// ---- the guard cache

static int owned_text(Value str)
{
    if (!str) error_clear();
    size_t size = 0;
    const char *utf8 = str ? str_utf8(str, &size) : NULL;
    if (str && !utf8) error_clear();
    int number = chunk_text(utf8 ? utf8 : "", size);
    drop(str);
    return number;
}

static int guard_text(ValueRef check_fn)
{
    if (!guard_manager_check(check_fn)) return text_of(check_fn);
    Value held = retain(check_fn);
    int number = owned_text(guard_tree_text((RootGuardManager *)object_of(held)));
    drop(held);
    return number;
}

static void note_cache(const Code *code)
{
    const void *extra = extra_state_get(code);
    bool is_mark = extra == SKIP_CODE || extra == SKIP_CODE_RECURSIVE;
    int64_t numbers[4 + 5 * MAX_ENTRIES] = {CHANGE_CACHE, page_code(code),
                                            is_mark ? (int64_t)(intptr_t)extra : 0, 0};
    size_t count = 4;
    ValueRef next = extra && !is_mark ? ((const ExtraState *)extra)->entries : 0;
    for (; next && numbers[3] < MAX_ENTRIES; next = as_cache_entry(next)->next) {
        const CacheEntry *entry = as_cache_entry(next);
        char name[200] = "";
        if (code_check(entry->code)) show_text(name, sizeof name, as_code(entry->code)->name);
        numbers[3]++;
        numbers[count++] = guard_text(entry->check_fn);
        numbers[count++] = entry->hits;
        numbers[count++] = entry->misses;
        numbers[count++] = owned_text(entry->failure ? retain(entry->failure) : str_new(""));
        numbers[count++] = plain_text(name);
    }
    chunk_note(numbers, count);
}

static void note_decision(int decision, Frame *frame, const ExtraState *extra,
                          const CacheEntry *entry)
{
    if (page.next_observer) page.next_observer(decision, frame, extra, entry);
    if (cache_is_step(decision) || !trace_is_own(as_code(frame->code))) return;
    Value error = error_take();
    int text = owned_text(trace_cache_text(decision, frame, extra, entry, error));
    chunk_note((int64_t[]){CHANGE_NOTE, NOTE_CACHE, text}, 3);
    note_cache(as_code(frame->code));
    error_restore(error);
}

// ---- from start to end

bool trace_page_start(const char *path, int64_t most_steps)
{
    if (!page_open(path)) return false;
    begin_chunk(0);
    page.most_steps = most_steps;
    page.recording = true;
    page.next_observer = upcalls.observe_cache;
    upcalls.observe_cache = note_decision;
    upcalls.observe_output = note_output;
    observer_set(OBSERVER_RECORDER, observe);
    return true;
}

bool trace_page_finish(void)
{
    if (page.recording) {
        stop();
        put_step(NULL, -1);
    }
    end_chunk();
    page_begin_record();
    page_put("{\"end\":");
    page_put_number(page.step);
    page_put(page.reached_limit ? ",\"limit\":1}" : ",\"limit\":0}");
    page_end_record();
    errno = page_close();
    return !errno;
}
