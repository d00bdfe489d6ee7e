// The recorder of --trace-html: what each instruction changes, as numbers.
//
// A step is the state before an instruction of the program; the last step is the state at the end.
// It is written as the list of changes since the step before, in numbers:
//
//     [offset, change, arguments..., change, arguments..., ...]
//
// `offset` is the instruction's in the innermost frame, -1 at the end. Frames are numbered from the
// outermost, 0; the first change in a step is about the innermost frame until CHANGE_FRAME or
// CHANGE_ENTER names another. page_heap.h has the list of changes, and says what a value is.
//
// Only the innermost frames are shown. All their values are compared again in every step that is
// not quiet (page_heap.h), because whoever runs may change a list that another frame holds. Of a
// frame that waits for a call, only the part of its value stack is known that the call instruction
// does not use.
#include "vm/trace/page/trace_page.h"

#include "compiler/opcode.h"
#include "frames/cache/cache.h"
#include "frames/guards/guard_tree.h"
#include "frames/observe.h"
#include "vm/io/io.h"
#include "vm/outside/outside.h"
#include "vm/trace/page/page_code.h"
#include "vm/trace/page/page_heap.h"
#include "vm/trace/page/page_out.h"
#include "vm/trace/page/page_whole.h"
#include "vm/trace/trace_cache.h"
#include "vm/trace/trace_view.h"

#include "objects/dict.h"
#include "objects/error.h"
#include "objects/looking/show.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"

#include <errno.h>
#include <stdio.h>

enum Note { NOTE_CALL, NOTE_RETURN, NOTE_YIELD, NOTE_EXCEPTION, NOTE_UNWIND, NOTE_CACHE };

#define FRAMES_SHOWN 12 // the page knows this number, and those of slots, stack and names
#define MAX_SLOTS 64
#define MAX_STACK 48
#define MAX_BLOCKS 20
#define MAX_NAMES 48
#define MAX_ENTRIES 8
#define MAX_NOTES 64
#define VALUE_TEXT 1000
#define OUTPUT_PIECE 1000

typedef struct ShownFrame {
    int64_t depth; // its number; -1 = none
    const Frame *frame;
    const Code *code;
    Shown slots[MAX_SLOTS], stack[MAX_STACK], names[MAX_NAMES];
    ValueRef keys[MAX_NAMES];
    Block blocks[MAX_BLOCKS];
    int stack_count, block_count, name_count, offset;
} ShownFrame;

static struct {
    int64_t step, most_steps, depth; // `depth`: how many frames of the program there are
    int64_t shown_depth;             // in the page
    int64_t selected;                // the frame that changes are about
    ShownFrame frames[FRAMES_SHOWN]; // number n is at index n % FRAMES_SHOWN
    int notes;                       // since the last step
    const Frame *last;               // executes the last step; NULL = other code ran since
    CacheObserver next_observer;
    bool recording, reached_limit, lost_output;
    bool others_ran; // code that is not the program's, since the last step
} page;

static void put_change(enum Change change)
{
    chunk_number(change);
}

static bool slot_changes(Shown *shown, ValueRef value)
{
    if (value && value != ABSENT) return value_changes(shown, value);
    bool was_empty = shown->number == EMPTY;
    *shown = (Shown){0, EMPTY, 0};
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
        if (value_changes(&shown->stack[i], bottom[i]) && keep > i) keep = i;
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
        shown->names[index] = (Shown){0, UNKNOWN, 0};
        shown->name_count++;
    }
    if (!value_changes(&shown->names[index], value)) return;
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

// ---- a step

static void forget_frame(ShownFrame *shown, int64_t depth, const Frame *frame)
{
    shown->depth = depth;
    shown->frame = frame;
    shown->code = as_code(frame->code);
    shown->stack_count = shown->block_count = shown->name_count = 0;
    for (int i = 0; i < MAX_SLOTS; i++) shown->slots[i] = (Shown){0, EMPTY, 0};
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
    heap_begin_chunk();
    page.shown_depth = 0;
}

// Are the last values on the stack, as it was before the instruction, no objects?
static bool took_immediates(const ShownFrame *shown, int64_t count)
{
    if (count > shown->stack_count || shown->stack_count == MAX_STACK) return false;
    for (int64_t i = shown->stack_count - count; i < shown->stack_count; i++)
        if (is_object(shown->stack[i].value)) return false;
    return true;
}

// After this instruction, is there no object that it has changed or freed? Then it has also run no
// code.
static bool leaves_objects(const ShownFrame *shown, TraceInstruction last)
{
    switch (last.opcode) {
    case LOAD_FAST:
    case LOAD_CONST:
    case LOAD_GLOBAL:
    case LOAD_NAME:
    case LOAD_DEREF:
    case LOAD_CLOSURE:
    case DUP_TOP:
    case DUP_TOP_TWO:
    case ROT_TWO:
    case ROT_THREE:
    case ROT_FOUR:
    case NOP:
    case EXTENDED_ARG:
    case JUMP_FORWARD:
    case JUMP_ABSOLUTE:
    case SETUP_FINALLY:
    case BUILD_LIST:
    case BUILD_TUPLE: return true;
    case STORE_FAST:
        return last.operand < MAX_SLOTS && !is_object(shown->slots[last.operand].value);
    case POP_TOP:
    case POP_JUMP_IF_FALSE:
    case POP_JUMP_IF_TRUE: return took_immediates(shown, 1);
    default:
        return opcode_is(last.opcode, COMPUTES) &&
               took_immediates(shown, opcode_takes(last.opcode, last.operand));
    }
}

static bool is_quiet(const Frame *innermost)
{
    const ShownFrame *shown = &page.frames[(page.depth + FRAMES_SHOWN - 1) % FRAMES_SHOWN];
    if (!innermost || page.last != innermost || shown->frame != innermost) return false;
    if (shown->depth != page.depth - 1 || shown->offset < 0 || !heap_has_room()) return false;
    return leaves_objects(shown, trace_instruction(shown->code, shown->offset));
}

static void put_frames(Frame *innermost)
{
    Frame *frames[FRAMES_SHOWN];
    const Frame *called[FRAMES_SHOWN];
    int count = find_frames(innermost, frames, called);
    // The events count the frames, and the frames themselves have the last word.
    if (count < FRAMES_SHOWN || page.depth < count) page.depth = count;
    put_depth(page.depth);
    page.selected = page.depth - 1;
    for (int i = count - 1; i >= 0; i--) put_frame(frames[i], page.depth - 1 - i, called[i]);
}

static void put_state(Frame *innermost, int offset, bool quiet)
{
    heap_begin_step(quiet, page.others_ran);
    page.others_ran = false;
    chunk_number(offset);
    page.selected = page.depth - 1;
    if (quiet)
        put_frame(innermost, page.depth - 1, NULL);
    else
        put_frames(innermost);
    heap_put_reached();
    chunk_end_step();
}

// What the instruction is to take from the stack may be another after it.
static void touch_operands(const ShownFrame *shown)
{
    TraceInstruction next = trace_instruction(shown->code, shown->offset);
    int64_t takes = opcode_takes(next.opcode, next.operand), count = shown->stack_count;
    for (int64_t i = takes < count ? count - takes : 0; i < count; i++)
        if (is_object(shown->stack[i].value)) whole_touch(object_of(shown->stack[i].value));
}

static void put_step(Frame *innermost, int offset)
{
    put_state(innermost, offset, is_quiet(innermost));
    if (chunk_is_full() || heap_is_full()) {
        chunk_write();
        begin_chunk(page.step);
        put_state(innermost, offset, false);
    }
    if (page.lost_output)
        page.lost_output = !chunk_note((int64_t[]){CHANGE_OUTPUT, 1, plain_text("\n...\n")}, 3);
    if (innermost) touch_operands(&page.frames[(page.depth + FRAMES_SHOWN - 1) % FRAMES_SHOWN]);
    page.notes = 0;
    page.last = innermost;
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
    if (event != EVENT_OPCODE) page.last = NULL;
    if (trace_is_own(as_code(frame->code)))
        record(frame, event, value);
    else
        page.others_ran = true;
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
    if (!guard_manager_check(check_fn)) return value_text(check_fn);
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

bool trace_page_set_aside(void)
{
    return chunk_set_aside() && heap_set_aside();
}

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
    chunk_write();
    page_begin_record();
    page_put("{\"end\":");
    page_put_number(page.step);
    page_put(page.reached_limit ? ",\"limit\":1}" : ",\"limit\":0}");
    page_end_record();
    errno = page_close();
    return !errno;
}
