// Prints what a frame is made of when it is entered: localsplus, slot by slot.
//
//     minivm --eval-frame show_localsplus.so script.mpy
//
// The fast variables come first, the arguments in front of them; then the cells, variables that
// functions further in share; then the free variables, cells that came from further out. An
// argument that is shared has left its fast slot for its cell before the frame is evaluated. The
// value stack, which follows, is empty at this point.
#include "minivm_plugin.h"

#include <stdio.h>

static const PluginApi *api;
static EvalFrameFn next;
static bool printing; // the __repr__ of a value has frames of its own

static void print_value(ValueRef value)
{
    char text[60];
    fprintf(stderr, "%s\n", value ? api->repr(value, text, sizeof text) : "unbound");
}

static void print_slots(Frame *frame, const Code *code, const CodeInfo *info)
{
    const ValueRef *slots = api->frame_localsplus(frame);
    int fast = info->nlocals, cells = fast + info->ncells, all = cells + info->nfrees;
    for (int i = 0; i < all; i++) {
        const char *kind = i < fast ? "fast" : i < cells ? "cell" : "free";
        fprintf(stderr, "  %2d  %s  %s = ", i, kind, api->code_variable(code, i));
        print_value(i < fast ? slots[i] : api->cell_contents(slots[i]));
    }
}

static Value show(ThreadState *thread, Frame *frame, int throwflag)
{
    if (!printing && api->frame_lasti(frame) < 0) {
        const Code *code = api->frame_code(frame);
        CodeInfo info = api->code_info(code);
        printing = true;
        fprintf(stderr, "%s, line %d\n", info.name, info.firstlineno);
        print_slots(frame, code, &info);
        printing = false;
    }
    return next(thread, frame, throwflag);
}

static bool init(const PluginApi *given)
{
    api = given;
    next = api->eval_frame_get();
    api->eval_frame_set(show);
    return true;
}

MINIVM_PLUGIN(init, NULL);
