// The type `frame`: what a script sees of a frame.
//
// While its frame lives, the object points to it; afterwards it owns the contents (`kept`).
// Attributes come in CPython's order.
#include "frames/frame.h"
#include "frames/generators/generator.h"
#include "frames/traceback.h"

#include "objects/classes/descriptor.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/upcalls.h"

ValueRef frame_object(Frame *frame)
{
    invariant(!(frame->flags & FRAME_OBJECT) || as_frame_object(frame->object)->frame == frame,
              "a frame and its object know each other");
    if (frame->flags & FRAME_OBJECT) return frame->object;
    size_t slots = quick_of(as_code(frame->code))->slots;
    FrameObject *object =
        object_alloc_bytes(&frame_type, sizeof(FrameObject) + slots * sizeof(Value));
    if (!object) return VALUE_ERROR;
    object->frame = frame;
    object->trace_lines = true;
    object->line = as_code(frame->code)->firstlineno;
    frame->object = own(object);
    frame->flags |= FRAME_OBJECT;
    return frame->object;
}

static Frame *frame_of(ValueRef self)
{
    invariant(as_frame_object(self)->frame, "a frame object always has contents");
    return as_frame_object(self)->frame;
}

static bool has_ended(const FrameObject *object)
{
    return object->frame == &object->kept;
}

// ---- attributes

static Value get_back(ValueRef self)
{
    const FrameObject *object = as_frame_object(self);
    if (has_ended(object)) return object->back ? retain(object->back) : NONE;
    Frame *previous = object->frame->previous;
    if (!previous) return NONE;
    ValueRef back = frame_object(previous);
    return back ? retain(back) : VALUE_ERROR;
}

static Value get_code(ValueRef self)
{
    return retain(frame_of(self)->code);
}

static Value get_builtins(ValueRef self)
{
    return retain(globals_builtins(frame_of(self)->globals));
}

static Value get_globals(ValueRef self)
{
    return retain(frame_of(self)->globals);
}

static Value get_lasti(ValueRef self)
{
    return from_small(frame_lasti(frame_of(self)));
}

static Value get_trace_lines(ValueRef self)
{
    return from_bool(as_frame_object(self)->trace_lines);
}

static Value get_trace_opcodes(ValueRef self)
{
    return from_bool(as_frame_object(self)->trace_opcodes);
}

static bool set_flag(bool *flag, ValueRef value)
{
    if (!value) return raise_error(TypeError, "can't delete numeric/char attribute");
    if (!is_bool(value)) return raise_error(TypeError, "attribute value type must be bool");
    *flag = value == TRUE;
    return true;
}

static bool set_trace_lines(ValueRef self, ValueRef value)
{
    return set_flag(&as_frame_object(self)->trace_lines, value);
}

static bool set_trace_opcodes(ValueRef self, ValueRef value)
{
    return set_flag(&as_frame_object(self)->trace_opcodes, value);
}

static Value get_locals(ValueRef self)
{
    Frame *frame = frame_of(self);
    bool is_generator = frame->flags & FRAME_GENERATOR;
    ValueRef locals = is_generator ? generator_locals(frame) : frame_locals(frame);
    return locals ? retain(locals) : VALUE_ERROR;
}

int frame_object_line(const FrameObject *object)
{
    return object->trace ? object->line : frame_line(object->frame);
}

static Value get_lineno(ValueRef self)
{
    return from_small(frame_object_line(as_frame_object(self)));
}

static FrameJump jump_now(const FrameObject *object)
{
    if (has_ended(object) || object->may_jump) return object->may_jump;
    Frame *frame = object->frame;
    bool waits = (frame->flags & FRAME_GENERATOR) && !generator_running(frame);
    return waits ? JUMP_AT_YIELD : JUMP_NEVER;
}

static bool jump(FrameObject *object, int64_t line)
{
    FrameJump now = jump_now(object);
    if (now == JUMP_NEVER || !upcalls.jump)
        return raise_error(ValueError, "can only jump from a 'line' trace event");
    if (line > INT32_MAX || line < INT32_MIN) return raise_error(ValueError, "lineno out of range");
    uint8_t before = object->may_jump;
    object->may_jump = JUMP_NEVER; // what is dropped may come here again
    bool done = upcalls.jump(object->frame, (int)line, now == JUMP_AT_YIELD);
    object->may_jump = before;
    return done;
}

static bool set_lineno(ValueRef self, ValueRef value)
{
    FrameObject *object = as_frame_object(self);
    int64_t line;
    if (!value) return raise_error(AttributeError, "cannot delete attribute");
    if (!int_check_exact(value)) return raise_error(ValueError, "lineno must be an integer");
    if (frame_lasti(object->frame) < 0)
        return raise_error(ValueError, "can't jump from the 'call' trace event of a new frame");
    if (!object->trace)
        return raise_error(ValueError, "f_lineno can only be set by a trace function");
    int_as_int64_clamped(value, &line);
    return jump(object, line);
}

static Value get_trace(ValueRef self)
{
    Value trace = as_frame_object(self)->trace;
    return trace ? retain(trace) : NONE;
}

static bool set_trace(ValueRef self, ValueRef value)
{
    bool none = !value || value == NONE;
    as_frame_object(self)->line = frame_object_line(as_frame_object(self));
    replace_slot(&as_frame_object(self)->trace, none ? VALUE_ERROR : retain(value));
    return true;
}

static const GetSetDef getset[] = {
    {"f_back", get_back, refuse_as_member, NULL},
    {"f_code", get_code, refuse_as_member, NULL},
    {"f_builtins", get_builtins, refuse_as_member, NULL},
    {"f_globals", get_globals, refuse_as_member, NULL},
    {"f_lasti", get_lasti, refuse_as_member, NULL},
    {"f_trace_lines", get_trace_lines, set_trace_lines, NULL},
    {"f_trace_opcodes", get_trace_opcodes, set_trace_opcodes, NULL},
    {"f_locals", get_locals, NULL, NULL},
    {"f_lineno", get_lineno, set_lineno, NULL},
    {"f_trace", get_trace, set_trace, NULL},
    {0},
};

// ---- methods

static void clear_variables(FrameObject *object)
{
    drop_slot(&object->trace);
    if (!has_ended(object)) return;
    Frame *frame = &object->kept;
    uint32_t count = quick_of(as_code(frame->code))->slots;
    for (uint32_t i = 0; i < count; i++) drop_slot(&frame->localsplus[i]);
}

static Value frame_clear(ValueRef self, METHOD_ARGS)
{
    FrameObject *object = as_frame_object(self);
    if (!has_ended(object)) {
        if (!(object->frame->flags & FRAME_GENERATOR) || generator_running(object->frame))
            return raise_error(RuntimeError, "cannot clear an executing frame");
        generator_abandon(object->frame);
    }
    clear_variables(object);
    return NONE;
}

static Value frame_sizeof(ValueRef self, METHOD_ARGS)
{
    const QuickCode *quick = quick_of(as_code(frame_of(self)->code));
    return int_new((int64_t)(sizeof(FrameObject) + quick->frame_words * sizeof(Value)));
}

static const MethodDef methods[] = {
    {"clear", frame_clear, NO_ARGS, "F.clear(): clear most references held by the frame"},
    {"__sizeof__", frame_sizeof, NO_ARGS, "F.__sizeof__() -> size of F in memory, in bytes"},
    {0},
};

static Value frame_repr(ValueRef self)
{
    const Frame *frame = frame_of(self);
    const Code *code = as_code(frame->code);
    return format_text("<frame at 0x%llx, file %R, line %d, code %S>",
                       (long long)memory_id(object_of(self)), code->filename,
                       frame_object_line(as_frame_object(self)), code->name);
}

// ---- life

static void frame_release(Object *self)
{
    FrameObject *object = (FrameObject *)self;
    drop_slot(&object->trace);
    drop_slot(&object->back);
    invariant(has_ended(object) || !object->frame, "a frame that lives owns its object");
    if (!has_ended(object)) return;
    Frame *frame = &object->kept;
    clear_variables(object);
    if (frame->flags & FRAME_LOCALS) drop_slot(&frame->locals);
    drop_slot(&frame->globals_owner);
    drop_slot(&frame->code);
}

static void frame_object_traverse(Object *self, VisitFn visit, void *arg)
{
    FrameObject *object = (FrameObject *)self;
    visit_item(object->trace, visit, arg);
    visit_item(object->back, visit, arg);
    if (has_ended(object)) frame_traverse(&object->kept, visit, arg);
}

static void frame_object_clear(Object *self)
{
    FrameObject *object = (FrameObject *)self;
    clear_variables(object);
    drop_slot(&object->back);
    if (has_ended(object) && (object->kept.flags & FRAME_LOCALS)) {
        object->kept.flags &= ~(uint32_t)FRAME_LOCALS;
        drop_slot(&object->kept.locals);
    }
}

Type frame_type = {
    STATIC_TYPE("frame", sizeof(FrameObject)),
    .flags = TYPE_GC,
    .methods = methods,
    .getset = getset,
    .release = frame_release,
    .traverse = frame_object_traverse,
    .clear = frame_object_clear,
    .repr = frame_repr,
    .getattribute = object_generic_get,
    .setattr = object_generic_set,
};

// ---- the types of frames/

#define TYPE_ROW(type) extern Type type;
#include "frames/frame_types.def"
#undef TYPE_ROW

bool frame_types_init(void)
{
    static Type *const types[] = {
#define TYPE_ROW(type) &type,
#include "frames/frame_types.def"
#undef TYPE_ROW
    };
    return types_ready(types, sizeof types / sizeof *types);
}
