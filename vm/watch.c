// See watch.h. A frame is known by its address, and another one may lie there later: so a watch of
// a variable sleeps whenever its frame is left, at a `yield` too, for a generator may be dropped
// there, until a frame of the same code at the same address begins or goes on.
#include "vm/watch.h"

#include "vm/growing.h"
#include "vm/import.h"

#include "objects/cell.h"
#include "objects/dict.h"
#include "objects/list.h"
#include "objects/module.h"
#include "objects/peek.h"
#include "objects/show.h"
#include "objects/str.h"
#include "objects/tuple.h"

#include <stdio.h>

#define SHOWN 200

typedef struct Seen {
    bool live;      // its frame is there
    bool known;     // `value` is what the frame had when it was left
    ValueRef value; // an address to compare with, perhaps of what is no more
    char text[SHOWN];
} Seen;

static Seen seen[MAX_WATCHES];

// ---- the value

static ValueRef slot_value(const Watch *watch)
{
    ValueRef value = watch->frame->localsplus[watch->slot];
    const QuickCode *quick = quick_of(as_code(watch->frame->code));
    bool linked = watch->slot >= (int)(quick->slots - quick->linked);
    return linked && value ? as_cell(value)->contents : value;
}

static ValueRef global_value(const Watch *watch)
{
    ValueRef module = dict_peek_ascii(import_modules(), watch->module);
    if (!module || !module_check(module)) return VALUE_ERROR;
    return dict_peek_ascii(as_module(module)->dict, watch->name);
}

static ValueRef key_value(ValueRef value, const WatchStep *step)
{
    if (!dict_check_exact(value)) return VALUE_ERROR;
    if (step->kind == STEP_KEY) return dict_peek_ascii(value, step->name);
    ValueRef item = peek_key(value, from_small(step->index));
    return item == ABSENT ? VALUE_ERROR : item;
}

static ValueRef item_value(ValueRef value, const WatchStep *step)
{
    if (!list_check_exact(value) && !tuple_check_exact(value)) return key_value(value, step);
    if (step->kind == STEP_KEY) return VALUE_ERROR;
    ValueRef item = peek_item(value, step->index);
    return item == ABSENT ? VALUE_ERROR : item;
}

static ValueRef step_value(ValueRef value, const WatchStep *step)
{
    if (step->kind != STEP_ATTRIBUTE) return item_value(value, step);
    ValueRef name = str_find_interned(step->name);
    ValueRef found = name ? peek_attribute(value, name) : VALUE_ERROR;
    return found == ABSENT ? VALUE_ERROR : found;
}

// 0 where there is nothing.
static ValueRef watch_value(const Watch *watch)
{
    ValueRef value = watch->root == WATCH_SLOT ? slot_value(watch) : global_value(watch);
    for (int i = 0; i < watch->step_count && value; i++)
        value = step_value(value, &watch->steps[i]);
    return value;
}

// ---- changes

// What the variable of a text that grows had before; the store is a change, whatever is stored.
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
    last->value = value;
    if (value && value == growing_in_variable())
        see_old_text(last, as_str(value));
    else if (value)
        show_value(last->text, sizeof last->text, value, NULL);
    else
        snprintf(last->text, sizeof last->text, "(unbound)");
}

static bool on_stack(const Watch *watch, const Frame *frame)
{
    while (frame && frame != watch->frame) frame = frame->previous;
    return frame && frame->code == watch->code;
}

void watches_begin(const Frame *frame)
{
    for (int i = 0; i < session->watch_count; i++) {
        const Watch *watch = &session->watches[i];
        seen[i].live = watch->root == WATCH_GLOBAL || on_stack(watch, frame);
        seen[i].known = seen[i].live;
        if (seen[i].live) see(&seen[i], watch_value(watch));
    }
}

// Puts the watch to sleep where its frame is left, and wakes it up.
static void follow_frame(const Watch *watch, Seen *last, const Frame *frame, FrameEvent event)
{
    if (watch->root == WATCH_GLOBAL || watch->frame != frame) return;
    if (event == EVENT_UNWIND || event == EVENT_RETURN) last->live = false;
    if (event != EVENT_CALL) return;
    last->live = frame->code == watch->code;
    if (!last->live || (last->known && frame_lasti(frame) >= 0)) return;
    last->known = true;
    see(last, watch_value(watch));
}

const Watch *watch_changed(const Frame *frame, FrameEvent event, char *note)
{
    const Watch *changed = NULL;
    for (int i = 0; i < session->watch_count; i++) {
        const Watch *watch = &session->watches[i];
        Seen *last = &seen[i];
        follow_frame(watch, last, frame, event);
        if (!last->live) continue;
        ValueRef value = watch_value(watch);
        if (value && value == growing_in_variable()) {
            last->value = ABSENT; // whatever is stored is another value
            continue;
        }
        if (value == last->value) continue;
        char before[SHOWN];
        snprintf(before, sizeof before, "%s", last->text);
        see(last, value);
        snprintf(note, SESSION_TEXT, "%s -> %s", before, last->text);
        changed = watch;
    }
    return changed;
}
