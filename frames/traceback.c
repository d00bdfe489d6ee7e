// The type `traceback`.
//
//     exception.__traceback__ -> [frame, lasti, line | next] -> [ ... ] -> where it was raised
#include "frames/traceback.h"

#include "objects/classes/descriptor.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/gc.h"
#include "objects/numbers/int.h"
#include "objects/protocols/items.h"

static Value traceback_new(ValueRef next, ValueRef frame, int lasti, int line)
{
    Traceback *traceback = object_alloc_unfilled(&traceback_type, sizeof(Traceback));
    if (!traceback) return VALUE_ERROR;
    traceback->next = next ? retain(next) : VALUE_ERROR;
    traceback->frame = retain(frame);
    traceback->lasti = lasti;
    traceback->line = line;
    return own(traceback);
}

void traceback_here(Frame *frame)
{
    invariant(error_pending(), "a traceback is of an exception that is pending");
    Value exception = error_take();
    Value old = as_exception(exception)->traceback;
    ValueRef object = frame_object(frame);
    Value traceback = VALUE_ERROR;
    if (object) {
        int line = as_frame_object(object)->trace ? as_frame_object(object)->line : -1;
        traceback = traceback_new(old, object, frame_lasti(frame), line);
    }
    if (!traceback) {
        drop(exception);
        return;
    }
    replace_slot(&as_exception(exception)->traceback, traceback);
    error_restore(exception);
}

int traceback_line(Traceback *traceback)
{
    if (traceback->line < 0) {
        const Frame *frame = as_frame_object(traceback->frame)->frame;
        traceback->line = code_line_at(as_code(frame->code), traceback->lasti);
    }
    return traceback->line;
}

// ---- attributes

static Value get_next(ValueRef self)
{
    Value next = as_traceback(self)->next;
    return next ? retain(next) : NONE;
}

static bool set_next(ValueRef self, ValueRef value)
{
    if (!value) return raise_error(TypeError, "can't delete tb_next attribute");
    if (value != NONE && !traceback_check(value))
        return raise_error(TypeError, "expected traceback object, got '%T'", value);
    for (ValueRef link = value; link && link != NONE; link = as_traceback(link)->next)
        if (link == self) return raise_error(ValueError, "traceback loop detected");
    replace_slot(&as_traceback(self)->next, value == NONE ? VALUE_ERROR : retain(value));
    return true;
}

static const MemberDef members[] = {
    {"tb_frame", MEMBER_VALUE, offsetof(Traceback, frame), true, NULL},
    {"tb_lasti", MEMBER_INT, offsetof(Traceback, lasti), true, NULL},
    {0},
};

static Value get_line(ValueRef self)
{
    return from_small(traceback_line(as_traceback(self)));
}

static const GetSetDef getset[] = {
    {"tb_lineno", get_line, refuse_as_member, NULL},
    {"tb_next", get_next, set_next, NULL},
    {0},
};

static Value traceback_dir(ValueRef self, METHOD_ARGS)
{
    (void)self;
    static const char *const names[] = {"tb_frame", "tb_next", "tb_lasti", "tb_lineno"};
    Value list = list_new(4);
    for (size_t i = 0; list && i < 4; i++)
        if (!list_append_owned(list, str_intern(names[i]))) {
            drop(list);
            return VALUE_ERROR;
        }
    return list;
}

static const MethodDef methods[] = {
    {"__dir__", traceback_dir, NO_ARGS, NULL},
    {0},
};

// TracebackType(tb_next, tb_frame, tb_lasti, tb_lineno)
static Value traceback_type_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"tb_next", "tb_frame", "tb_lasti", "tb_lineno", NULL};
    static const Signature signature = {"TracebackType", names, 4, 4};
    (void)type;
    ValueRef slots[4];
    if (!args_bind(&signature, args, nargs, kwnames, slots)) return VALUE_ERROR;
    if (!is_exactly(slots[1], &frame_type))
        return raise_error(TypeError, "TracebackType() argument 'tb_frame' must be frame, not %T",
                           slots[1]);
    int lasti, line;
    if (!argument_int(slots[2], &lasti) || !argument_int(slots[3], &line)) return VALUE_ERROR;
    if (slots[0] != NONE && !traceback_check(slots[0]))
        return raise_error(TypeError, "expected traceback object or None, got '%T'", slots[0]);
    return traceback_new(slots[0] == NONE ? VALUE_ERROR : slots[0], slots[1], lasti, line);
}

// ---- life

static void traceback_release(Object *self)
{
    Traceback *traceback = (Traceback *)self;
    drop_slot(&traceback->next);
    drop_slot(&traceback->frame);
}

static void traceback_traverse(Object *self, VisitFn visit, void *arg)
{
    const Traceback *traceback = (const Traceback *)self;
    visit_item(traceback->next, visit, arg);
    visit_item(traceback->frame, visit, arg);
}

Type traceback_type = {
    STATIC_TYPE("traceback", sizeof(Traceback)),
    .flags = TYPE_GC,
    .methods = methods,
    .members = members,
    .getset = getset,
    .new_ = traceback_type_new,
    .release = traceback_release,
    .traverse = traceback_traverse,
    .getattribute = object_generic_get,
    .doc = "TracebackType(tb_next, tb_frame, tb_lasti, tb_lineno)\n--\n\nCreate a new traceback "
           "object.",
};
