// Trace and profile functions: see the header. CPython: ceval.c (call_trace and its callers,
// C_TRACE), sysmodule.c (trace_trampoline, profile_trampoline).
#include "vm/settrace/trace.h"

#include "compiler/opcode.h"
#include "frames/observe.h"
#include "frames/traceback.h"
#include "vm/quicken.h"
#include "vm/settrace/line_events.h"

#include "objects/classes/descriptor.h"
#include "objects/classes/method.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/names.h"
#include "objects/protocols/items.h"
#include "objects/thread_parts.h"
#include "objects/upcalls.h"

bool trace_wants_c_calls;

// Each thread has its own.
static struct {
    Value tracer, profiler; // functions, or 0
    ProfilerFn native;      // what is called for the profiler; NULL = the profiler itself
    int busy;               // inside a trace or profile function
} mine;

// ---- setting

static bool observe(Frame *frame, FrameEvent event, ValueRef value);

static void tell_readers(void)
{
    trace_wants_c_calls = mine.profiler && !mine.busy;
    line_events_read(LINES_OF_TRACE, mine.tracer && !mine.busy);
}

static void update(void)
{
    observer_set(OBSERVER_TRACE, mine.tracer || mine.profiler ? observe : NULL);
    upcalls.observe_stop_iteration = mine.tracer != VALUE_ERROR;
    tell_readers();
}

// Another thread runs now.
static void change_thread(void)
{
    static bool observed;
    if (mine.tracer || mine.profiler || observed) update();
    observed = mine.tracer || mine.profiler;
}

static void set_function(Value *function, ValueRef value)
{
    static ThreadPart part = {&mine, sizeof mine, NULL, change_thread, trace_finish, NULL};
    thread_part_add(&part);
    Value old = *function, wanted = !value || value == NONE ? VALUE_ERROR : retain(value);
    *function = VALUE_ERROR; // while the old one goes
    update();
    drop(old);
    old = *function;
    *function = wanted;
    update();
    drop(old);
}

Value sys_settrace(FUNCTION_ARGS)
{
    set_function(&mine.tracer, args[0]);
    return NONE;
}

Value sys_setprofile(FUNCTION_ARGS)
{
    mine.native = NULL;
    set_function(&mine.profiler, args[0]);
    return NONE;
}

void trace_set_profiler(ValueRef profiler, ProfilerFn native)
{
    mine.native = NULL;
    set_function(&mine.profiler, profiler);
    mine.native = mine.profiler ? native : NULL;
}

Value sys_gettrace(FUNCTION_ARGS)
{
    return mine.tracer ? retain(mine.tracer) : NONE;
}

Value sys_getprofile(FUNCTION_ARGS)
{
    return mine.profiler ? retain(mine.profiler) : NONE;
}

static void set_busy(int depth)
{
    mine.busy = depth;
    tell_readers();
}

Value sys_call_tracing(FUNCTION_ARGS)
{
    if (!tuple_check(args[1]))
        return raise_error(TypeError, "call_tracing() argument 2 must be tuple, not %G", args[1]);
    int before = mine.busy;
    set_busy(0);
    Value result = object_call_spread(args[0], args[1], VALUE_ERROR);
    set_busy(before);
    return result;
}

void trace_finish(void)
{
    set_function(&mine.tracer, VALUE_ERROR);
    set_function(&mine.profiler, VALUE_ERROR);
}

// ---- telling

// Nothing that goes wrong here matters: the variables keep what they have.
static void write_locals_back(Frame *frame)
{
    Value pending = error_take();
    if (!frame_locals_to_fast(frame, true)) error_clear();
    error_restore(pending);
}

static Value call_with_locals(ValueRef function, Frame *frame, ValueRef what, ValueRef arg)
{
    ValueRef object = frame_object(frame);
    if (!object || !frame_locals(frame)) return VALUE_ERROR;
    Value held = retain(function);
    ValueRef args[] = {object, what, arg};
    Value result = object_call(held, args, 3, VALUE_ERROR);
    drop(held);
    write_locals_back(frame);
    if (!result) traceback_here(frame);
    return result;
}

// What was pending before is pending afterwards, unless the function raises.
static Value call_function(ValueRef function, Frame *frame, ValueRef what, ValueRef arg)
{
    Value pending = error_take();
    set_busy(mine.busy + 1);
    Value result = call_with_locals(function, frame, what, arg);
    set_busy(mine.busy - 1);
    if (result)
        error_restore(pending);
    else
        drop(pending);
    return result;
}

static FrameObject *known_object(const Frame *frame)
{
    return frame->flags & FRAME_OBJECT ? as_frame_object(frame->object) : NULL;
}

// Calls the trace function, of a call, or else the frame's own; what it returns is f_trace then.
static bool tell_tracer(Frame *frame, ValueRef what, ValueRef arg)
{
    const FrameObject *known = known_object(frame);
    ValueRef function = mine.tracer;
    if (what != NAME(call)) function = known && known->trace ? known->trace : VALUE_ERROR;
    if (!function) return true;
    Value result = call_function(function, frame, what, arg);
    FrameObject *object = known_object(frame);
    if (!result) {
        set_function(&mine.tracer, VALUE_ERROR);
        if (object) drop_slot(&object->trace);
    } else if (result != NONE) {
        replace_slot(&object->trace, result);
    }
    return result != VALUE_ERROR;
}

// The events of what a function in C does are not told, either.
static void call_native(const Frame *frame, ValueRef what, ValueRef arg)
{
    Value pending = error_take(), held = retain(mine.profiler);
    set_busy(mine.busy + 1);
    mine.native(held, frame, what, arg);
    set_busy(mine.busy - 1);
    drop(held);
    error_restore(pending);
}

static bool tell_profiler(Frame *frame, ValueRef what, ValueRef arg)
{
    if (mine.native) return call_native(frame, what, arg), true;
    Value result = call_function(mine.profiler, frame, what, arg);
    if (!result) set_function(&mine.profiler, VALUE_ERROR);
    drop(result);
    return result != VALUE_ERROR;
}

// ---- events

static bool tell_call(Frame *frame)
{
    if (mine.tracer && !tell_tracer(frame, NAME(call), NONE)) return false;
    return !mine.profiler || tell_profiler(frame, NAME(call), NONE);
}

// `value` is 0 where an exception leaves the frame: that is pending. The profile function is told
// also where the trace function has raised.
static bool tell_return(Frame *frame, ValueRef value)
{
    bool traced = !mine.tracer || tell_tracer(frame, NAME(return), value ? value : NONE);
    if (!traced) value = VALUE_ERROR;
    return (!mine.profiler || tell_profiler(frame, NAME(return), value ? value : NONE)) && traced;
}

static bool tell_exception(Frame *frame, ValueRef exception)
{
    ValueRef traceback = as_exception(exception)->traceback;
    Value pending = error_take();
    Value held = retain(exception);
    Value arg = tuple_pack(3, ref_of(type_of(held)), (ValueRef)held,
                           traceback ? traceback : (ValueRef)NONE);
    if (!arg) error_clear();
    error_restore(pending);
    bool told = !arg || tell_tracer(frame, NAME(exception), arg);
    drop(arg);
    drop(held);
    return told;
}

// f_lineno of a frame that is traced says where the last line began, and it may be changed now.
static bool tell_known_instruction(Frame *frame)
{
    FrameObject *object = known_object(frame);
    const QuickCode *quick = quick_of(as_code(frame->code));
    if (!object) return true;
    if (quick->has_prefix && quick->instructions + frame_lasti(frame) / 2 != frame->ip) return true;
    bool begins = line_event(frame, LINES_OF_TRACE);
    if (begins) object->line = frame_line(frame);
    if (!object->trace) return true;
    object->may_jump = JUMP_BEFORE_INSTRUCTION;
    bool told = !begins || !object->trace_lines || tell_tracer(frame, NAME(line), NONE);
    if (told && object->trace_opcodes) told = tell_tracer(frame, NAME(opcode), NONE);
    object->may_jump = JUMP_NEVER;
    return told;
}

// Also the instruction that the trace function saw last is remembered: it may be set again.
static bool tell_instruction(Frame *frame)
{
    bool told = tell_known_instruction(frame);
    if (!mine.tracer) line_event_passed_by(frame, LINES_OF_TRACE);
    return told;
}

// At a `yield` f_lineno may be changed as well.
static bool tell_value(Frame *frame, ValueRef value)
{
    bool yields = (frame->flags & FRAME_DELEGATES) ||
                  quick_opcode(quick_of(as_code(frame->code)), frame->ip) == YIELD_VALUE;
    if (yields && (frame->flags & FRAME_OBJECT)) known_object(frame)->may_jump = JUMP_AT_YIELD;
    bool told = tell_return(frame, value);
    if (frame->flags & FRAME_OBJECT) known_object(frame)->may_jump = JUMP_NEVER;
    return told;
}

static bool observe(Frame *frame, FrameEvent event, ValueRef value)
{
    if (mine.busy) return true;
    switch (event) {
    case EVENT_CALL: return tell_call(frame);
    case EVENT_OPCODE: return !mine.tracer || tell_instruction(frame);
    case EVENT_RETURN: return tell_value(frame, value);
    case EVENT_EXCEPTION: return !mine.tracer || tell_exception(frame, value);
    case EVENT_UNWIND: return tell_return(frame, VALUE_ERROR);
    }
    return true;
}

void trace_stop_iteration(Frame *frame)
{
    if (mine.tracer && !mine.busy) tell_exception(frame, error_peek());
}

bool trace_stop_value(Frame *frame, ValueRef value)
{
    if (!mine.tracer || mine.busy) return true;
    const FrameObject *object = known_object(frame);
    if (!object || !object->trace) return true;
    raise_stop_iteration(value);
    bool told = error_is(StopIteration) && tell_exception(frame, error_peek());
    if (told) error_clear();
    return told;
}

// ---- calls of functions written in C

bool trace_is_c_call(ValueRef callable, size_t nargs)
{
    if (is_exactly(callable, &builtin_type)) return true;
    return is_exactly(callable, &method_descriptor_type) && nargs > 0;
}

static Value finish_c_call(Frame *frame, ValueRef function, Value result)
{
    if (!mine.profiler || mine.busy) return result;
    if (!result)
        tell_profiler(frame, NAME(c_exception), function);
    else if (!tell_profiler(frame, NAME(c_return), function))
        drop_slot(&result);
    return result;
}

// The function that the profile function is told of: a method is bound for it.
static Value told_function(ValueRef callable, ValueRef self)
{
    if (is_exactly(callable, &builtin_type)) return retain(callable);
    return method_descriptor_type.get(callable, self, ref_of(type_of(self)));
}

Value trace_c_call(ValueRef callable, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    Frame *frame = thread_state.frame;
    Value function = told_function(callable, nargs ? args[0] : VALUE_ERROR);
    if (!function) return VALUE_ERROR;
    size_t bound = !is_exactly(callable, &builtin_type);
    Value result = VALUE_ERROR;
    if (tell_profiler(frame, NAME(c_call), function)) {
        result = object_call(function, args + bound, nargs - bound, kwnames);
        result = finish_c_call(frame, function, result);
    }
    drop(function);
    return result;
}

Value trace_c_call_spread(ValueRef callable, ValueRef args, ValueRef kwargs)
{
    Frame *frame = thread_state.frame;
    ValueRef self = tuple_size(args) ? tuple_at(args, 0) : VALUE_ERROR;
    Value function = told_function(callable, self), result = VALUE_ERROR;
    if (!function) return VALUE_ERROR;
    if (tell_profiler(frame, NAME(c_call), function)) {
        result = object_call_spread(callable, args, kwargs);
        result = finish_c_call(frame, function, result);
    }
    drop(function);
    return result;
}
