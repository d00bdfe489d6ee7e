// See plugin_evaluating.h.
#include "vm/plugin_evaluating.h"

#include "compiler/opcode.h"
#include "frames/observe.h"
#include "frames/traceback.h"
#include "vm/eval.h"
#include "vm/ops.h"
#include "vm/quicken.h"

#include "objects/bytes/bytes.h"
#include "objects/call.h"
#include "objects/containers/tuple.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"

#include <string.h>

// ---- running a frame

static bool may_run(ThreadState *thread, const Frame *frame, FrameRunFn run)
{
    if (thread != &thread_state || !frame || !run) return raise_bad_call("run_frame");
    if (frame->flags & FRAME_GENERATOR)
        return raise_error(ValueError, "run_frame: only minivm itself runs a generator's frame");
    if ((frame->flags & FRAME_ENTRY) || frame_lasti(frame) >= 0)
        return raise_error(SystemError, "run_frame: the frame of '%S' has run already",
                           (ValueRef)as_code(frame->code)->name);
    return !error_pending() || raise_bad_call("run_frame");
}

// A plugin may return 0 without an exception, or a value with one.
static Value checked(Frame *frame, Value result)
{
    if (result && error_pending()) drop_slot(&result);
    if (!result && !error_pending())
        raise_error(SystemError, "the plugin's evaluator gives no value for '%S', nor an exception",
                    (ValueRef)as_code(frame->code)->name);
    if (!result) traceback_here(frame);
    return result;
}

Value plugin_run_frame(ThreadState *thread, Frame *frame, FrameRunFn run, void *arg)
{
    if (!may_run(thread, frame, run) || !stack_enter("")) return VALUE_ERROR;
    frame->previous = thread->frame;
    thread->frame = frame;
    frame->flags |= FRAME_ENTRY;
    frame->ip++; // the first instruction: it has begun
    ticks_move_frame(frame->previous, frame);
    Value result = checked(frame, run(frame, arg));
    frame->flags &= ~(uint32_t)FRAME_ENTRY;
    thread->frame = frame->previous;
    ticks_move_frame(frame, frame->previous);
    stack_leave();
    return result;
}

static bool is_running(const Frame *frame, const char *function)
{
    return (frame && thread_state.frame == frame && (frame->flags & FRAME_ENTRY)) ||
           raise_error(SystemError, "%s: the frame is not the one that a plugin runs", function);
}

bool plugin_frame_at(Frame *frame, int offset)
{
    if (!is_running(frame, "frame_at")) return false;
    const QuickCode *quick = quick_of(as_code(frame->code));
    if (offset < 0 || offset % 2 || (uint32_t)offset / 2 >= quick->count)
        return raise_error(IndexError, "frame_at: no instruction is at %d", offset);
    Instruction *ip = (Instruction *)quick->instructions + offset / 2;
    ticks_move(frame->ip, ip);
    frame->ip = ip;
    return eval_poll();
}

bool plugin_set_local(Frame *frame, int index, Value value)
{
    bool fits = frame && index >= 0 && index < as_code(frame->code)->nlocals;
    if (is_running(frame, "frame_set_local") && fits) {
        replace_slot(&frame->localsplus[index], value);
        return true;
    }
    drop(value);
    return error_pending() || raise_error(IndexError, "frame_set_local: no variable %d", index);
}

Value plugin_find_global(Frame *frame, ValueRef name)
{
    if (!frame || !name || !str_check(name)) return raise_bad_call("find_global");
    ValueRef found = dict_peek(frame->globals, name), builtins = VALUE_ERROR;
    if (!found) builtins = globals_builtins(frame->globals);
    if (builtins && dict_check(builtins)) found = dict_peek(builtins, name);
    return found ? retain(found) : raise_error(NameError, "name '%.200S' is not defined", name);
}

// ---- code

const unsigned char *plugin_bytecode(const Code *code, size_t *size)
{
    *size = (size_t)code_size(code);
    return (const unsigned char *)as_bytes(code->code)->data;
}

static ValueRef item_at(ValueRef tuple, int index, const char *what)
{
    if (index >= 0 && index < tuple_size(tuple)) return tuple_at(tuple, index);
    return raise_error(IndexError, "the code has no %s %d", what, index);
}

ValueRef plugin_constant(const Code *code, int index)
{
    return item_at(code->consts, index, "constant");
}

ValueRef plugin_name(const Code *code, int index)
{
    return item_at(code->names, index, "name");
}

// ---- values

Value plugin_singleton(PluginSingleton which)
{
    return which == PLUGIN_NONE ? NONE : from_bool(which == PLUGIN_TRUE);
}

bool plugin_int_of(ValueRef value, int64_t *number)
{
    if (!value || !int_check(value))
        return raise_error(TypeError, "int_of: expected an int, not %.200T", value ? value : NONE);
    return int_as_int64(value, number);
}

bool plugin_plain_int(ValueRef value, int64_t *number)
{
    return value && int_check_exact(value) && int_as_int64_clamped(value, number) == 0;
}

Value plugin_text(const char *text)
{
    return text ? str_from_utf8(text, strlen(text)) : raise_bad_call("text");
}

static Value operate_on_one(int opcode, ValueRef value)
{
    bool truth;
    switch (opcode) {
    case UNARY_NEGATIVE: return object_negative(value);
    case UNARY_POSITIVE: return object_positive(value);
    case UNARY_INVERT: return object_invert(value);
    case UNARY_NOT: return object_truth(value, &truth) ? from_bool(!truth) : VALUE_ERROR;
    case GET_ITER: return object_iter(value);
    default: return raise_error(SystemError, "operate: opcode %d takes no single value", opcode);
    }
}

Value plugin_operate(int opcode, ValueRef left, ValueRef right)
{
    if (!left) return raise_bad_call("operate");
    if (!right) return operate_on_one(opcode, left);
    if (opcode == BINARY_SUBSCR) return object_subscript(left, right);
    const char *name = opcode >= 0 && opcode < 256 ? opcode_name(opcode) : NULL;
    if (name && (strncmp(name, "BINARY_", 7) == 0 || strncmp(name, "INPLACE_", 8) == 0))
        return binary_operation(opcode, left, right);
    return raise_error(SystemError, "operate: opcode %d takes no two values", opcode);
}

Value plugin_compare(ValueRef left, ValueRef right, int op)
{
    if (!left || !right || op < COMPARE_LT || op > COMPARE_GE) return raise_bad_call("compare");
    return compare_operation(left, right, (uint32_t)op);
}

Value plugin_call(ValueRef callable, const ValueRef *args, size_t nargs)
{
    bool given = callable && (args || !nargs);
    for (size_t i = 0; given && i < nargs; i++) given = args[i];
    return given ? object_call(callable, args, nargs, VALUE_ERROR) : raise_bad_call("call");
}

Value plugin_next(ValueRef iterator, bool *ended)
{
    *ended = false;
    Value item = iterator ? object_next(iterator) : raise_bad_call("next");
    if (item != ABSENT) return item;
    *ended = true;
    return VALUE_ERROR;
}
