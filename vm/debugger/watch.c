// See watch.h. A call is identified by its frame's number, which is the same in every replay
// (frames/observe.h). A cell is identified by its address and its lifetime: addresses are reused,
// so other cells may have the same address before and after it.
#include "vm/debugger/watch.h"

#include "frames/observe.h"
#include "vm/debugger/contents.h"
#include "vm/growing.h"
#include "vm/import/import.h"
#include "vm/quicken.h"

#include "objects/cell.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/looking/peek.h"
#include "objects/looking/show.h"
#include "objects/looking/show_tensor.h"
#include "objects/module.h"
#include "objects/text/str.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 200

typedef struct Seen {
    const Frame *frame; // of the call, while it runs; else NULL
    bool known;         // `value` is the value seen last
    ValueRef value;     // only compared, never read: it may have been freed
    TensorState tensor; // of a value that is a tensor
    Contents contents;
    char text[SHOWN];
} Seen;

static Seen seen[MAX_WATCHES];

// ---- cells

static void (*release_cell)(Object *cell); // cell_type's own, while cells are followed
static void (*cell_gone)(ValueRef cell);

// The moment of the run, also between two events.
static Moment moment_of_run(const Frame *frame)
{
    return (Moment){ticks_now(frame), tick_counter.events};
}

// Both numbers only grow; a cell ends between two events or between two instructions.
static bool is_past(Moment end, Moment now)
{
    return now.event > end.event || (now.event == end.event && now.tick > end.tick);
}

static void on_cell_release(Object *object)
{
    ValueRef cell = ref_of(object);
    if (cell_gone) cell_gone(cell);
    for (int i = 0; i < session->watch_count; i++) {
        Watch *watch = &session->watches[i];
        bool is_it = watch->root == WATCH_CELL && watch->cell == cell;
        if (is_it && watch->born <= tick_counter.events && watch->died.tick == INT64_MAX)
            watch->died = moment_of_run(thread_state.frame);
    }
    release_cell(object);
}

void cells_follow(void (*gone)(ValueRef cell))
{
    cell_gone = gone;
    if (release_cell) return;
    release_cell = cell_type.release;
    cell_type.release = on_cell_release;
}

void cells_unfollow(void)
{
    if (release_cell) cell_type.release = release_cell;
    release_cell = NULL;
}

static bool cell_is_there(const Watch *watch, const Frame *frame)
{
    return watch->born <= tick_counter.events && !is_past(watch->died, moment_of_run(frame));
}

bool frame_owns_cell(const Frame *frame, ValueRef cell)
{
    const Code *code = as_code(frame->code);
    for (ssize_t i = 0; i < code_cell_count(code); i++)
        if (frame->localsplus[code->nlocals + i] == cell) return true;
    return false;
}

// ---- the value

static ValueRef global_value(const Watch *watch)
{
    ValueRef module = dict_peek_ascii(import_modules(), watch->module);
    if (!module || !module_check(module) || as_module(module)->dict != watch->globals)
        return ABSENT;
    return dict_peek_ascii(as_module(module)->dict, watch->name);
}

static ValueRef name_value(const Watch *watch, const Frame *frame)
{
    ValueRef names = frame->globals;
    if (!watch->in_globals && (frame->flags & FRAME_LOCALS)) names = frame->locals;
    return dict_check_exact(names) ? dict_peek_ascii(names, watch->name) : VALUE_ERROR;
}

static ValueRef key_value(ValueRef value, const WatchStep *step)
{
    if (!dict_check_exact(value)) return VALUE_ERROR;
    if (step->kind == PATH_KEY) return dict_peek_ascii(value, step->name);
    ValueRef item = peek_key(value, from_small(step->index));
    return item == ABSENT ? VALUE_ERROR : item;
}

static ValueRef item_value(ValueRef value, const WatchStep *step)
{
    if (!list_check_exact(value) && !tuple_check_exact(value)) return key_value(value, step);
    if (step->kind == PATH_KEY) return VALUE_ERROR;
    ValueRef item = peek_item(value, step->index);
    return item == ABSENT ? VALUE_ERROR : item;
}

static ValueRef step_value(ValueRef value, const WatchStep *step)
{
    if (step->kind != PATH_ATTRIBUTE) return item_value(value, step);
    ValueRef name = str_find_interned(step->name);
    ValueRef found = name ? peek_attribute(value, name) : VALUE_ERROR;
    return found == ABSENT ? VALUE_ERROR : found;
}

// 0 if there is no value, ABSENT if it cannot be seen now.
static ValueRef root_value(const Watch *watch, const Frame *of_call, const Frame *frame)
{
    switch (watch->root) {
    case WATCH_GLOBAL: return global_value(watch);
    case WATCH_CELL: return cell_is_there(watch, frame) ? as_cell(watch->cell)->contents : ABSENT;
    case WATCH_NAME: return of_call ? name_value(watch, of_call) : ABSENT;
    default: return of_call ? of_call->localsplus[watch->slot] : ABSENT;
    }
}

static ValueRef watch_value(const Watch *watch, const Frame *of_call, const Frame *frame)
{
    ValueRef value = root_value(watch, of_call, frame);
    for (int i = 0; i < watch->step_count && value && value != ABSENT; i++)
        value = step_value(value, &watch->steps[i]);
    return value;
}

// ---- changes

// The variable already holds the longer str, which grew in place (growing.h): shows the text that
// it had before. The store that follows is a change, whatever it stores.
static void see_old_text(Seen *last, Str *text)
{
    ssize_t length = text->length;
    last->value = ABSENT;
    text->length = growing_old_length();
    show_value(last->text, sizeof last->text, own(text), NULL);
    text->length = length;
}

static void see(Seen *last, ValueRef value)
{
    last->known = value != ABSENT;
    last->value = value;
    last->contents = last->known && value ? contents_of(value) : (Contents){0, false};
    if (last->known && value && tensor_check(value)) tensor_state(&last->tensor, as_tensor(value));
    if (value && value == growing_in_variable())
        see_old_text(last, as_str(value));
    else if (value && last->known)
        show_value(last->text, sizeof last->text, value, NULL);
    else
        snprintf(last->text, sizeof last->text, "(unbound)");
}

static bool is_of_call(const Watch *watch)
{
    return watch->root == WATCH_SLOT || watch->root == WATCH_NAME;
}

void watches_begin(const Frame *frame, bool leaves)
{
    for (int i = 0; i < session->watch_count; i++) {
        const Watch *watch = &session->watches[i];
        const Frame *of_call = is_of_call(watch) ? frame : NULL;
        if (of_call && leaves) of_call = frame->previous;
        while (of_call && of_call->number != watch->born) of_call = of_call->previous;
        seen[i].frame = of_call;
        see(&seen[i], watch_value(watch, of_call, frame));
    }
}

static void add_line(char *said, const Watch *watch, const char *text)
{
    size_t used = strlen(said);
    snprintf(said + used, SESSION_WATCHES - used, "%s%d %s", used ? "\n" : "", watch->number, text);
}

// What a change of contents does not tell: `resumes`, it was not seen while the generator waited.
static const char *doubt(const Seen *last, bool resumes)
{
    if (resumes) return " (while the generator waited)";
    return last->contents.is_cut ? " (as far as it is compared: it is large)" : "";
}

static bool has_changed(const Watch *watch, Seen *last, ValueRef value, bool resumes, char *said)
{
    char text[2 * SHOWN + 80], before[SHOWN];
    snprintf(before, sizeof before, "%s", last->text);
    see(last, value);
    bool looks_the_same = strcmp(before, last->text) == 0;
    snprintf(text, sizeof text, "%s -> %s%s", before,
             looks_the_same ? "changed where it is not shown" : last->text, doubt(last, resumes));
    add_line(said, watch, text);
    return true;
}

static bool is_gone(const Watch *watch, Seen *last, char *said)
{
    last->known = false;
    add_line(said, watch, "its cell is gone: nothing refers to it any more");
    return true;
}

// Is the value another than the one seen last, or the same with other contents?
static bool is_other(Seen *last, ValueRef value)
{
    if (value != last->value) return true;
    if (!value) return false;
    if (tensor_check(value)) return tensor_state_changes(&last->tensor, as_tensor(value));
    Contents contents = contents_of(value);
    if (contents.is_cut) session->search.is_cut = true;
    return contents.hash != last->contents.hash;
}

static bool look_at(const Watch *watch, Seen *last, const Frame *frame, FrameEvent event,
                    char *said)
{
    bool enters = is_of_call(watch) && event == EVENT_CALL && frame->number == watch->born;
    bool resumes = enters && frame_lasti(frame) >= 0;
    if (enters) last->frame = frame;
    ValueRef value = watch_value(watch, last->frame, frame);
    if (value == ABSENT)
        return watch->root == WATCH_CELL && last->known && is_gone(watch, last, said);
    if (!last->known) see(last, value);
    if (value && value == growing_in_variable()) {
        last->value = ABSENT; // so that whatever is stored is a change
        return false;
    }
    return is_other(last, value) && has_changed(watch, last, value, resumes, said);
}

bool watches_changed(const Frame *frame, FrameEvent event, int wanted, char *said)
{
    char others[SESSION_WATCHES];
    bool changed = false;
    for (int i = 0; i < session->watch_count; i++) {
        const Watch *watch = &session->watches[i];
        bool counts = !wanted || watch->number == wanted;
        if (!counts) others[0] = 0;
        changed |= look_at(watch, &seen[i], frame, event, counts ? said : others) && counts;
    }
    return changed;
}

// ---- beginnings and ends

bool watch_is_born(const Watch *watch, const Frame *frame, FrameEvent event)
{
    bool by_call = is_of_call(watch) || watch->root == WATCH_CELL;
    return by_call && event == EVENT_CALL && frame->number == watch->born && frame_lasti(frame) < 0;
}

// A generator that yields has not ended: it only waits.
static bool call_ends(const Frame *frame, FrameEvent event)
{
    if (event != EVENT_RETURN) return event == EVENT_UNWIND;
    return quick_opcode(quick_of(as_code(frame->code)), frame->ip) == RETURN_VALUE;
}

static void add_bound(char *said, const Watch *watch, const Frame *frame, const char *how)
{
    char text[SHOWN], name[SHOWN / 2];
    show_name(name, sizeof name, as_code(frame->code)->name);
    snprintf(text, sizeof text, "%s() %s it", name, how);
    add_line(said, watch, text);
}

bool watches_ended(const Frame *frame, FrameEvent event, char *said)
{
    bool leaves = event == EVENT_RETURN || event == EVENT_UNWIND, some = false;
    for (int i = 0; leaves && i < session->watch_count; i++) {
        const Watch *watch = &session->watches[i];
        if (!is_of_call(watch) || frame->number != watch->born) continue;
        seen[i].frame = NULL;
        if (!call_ends(frame, event)) continue;
        seen[i].known = false;
        add_bound(said, watch, frame, "ends here: there is nothing to see after");
        some = true;
    }
    return some;
}

bool watches_began(const Frame *frame, FrameEvent event, char *said)
{
    bool some = false;
    for (int i = 0; i < session->watch_count; i++) {
        const Watch *watch = &session->watches[i];
        if (!watch_is_born(watch, frame, event)) continue;
        add_bound(said, watch, frame, "begins here: there is nothing to see before");
        some = true;
    }
    return some;
}

// ---- the list

const Watch *watch_numbered(int number)
{
    for (int i = 0; i < session->watch_count; i++)
        if (session->watches[i].number == number) return &session->watches[i];
    return NULL;
}

void watches_forget_after(Moment moment)
{
    int kept = 0;
    for (int i = 0; i < session->watch_count; i++) {
        Watch *watch = &session->watches[i];
        if (watch->born > moment.event) continue;
        if (is_past(moment, watch->died)) watch->died = (Moment){INT64_MAX, INT64_MAX};
        session->watches[kept++] = *watch;
    }
    session->watch_count = kept;
}
