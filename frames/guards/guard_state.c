// Guards about the state of the machine, which belong to the root: GLOBAL_STATE, DEFAULT_DEVICE and
// TORCH_FUNCTION_MODE_STACK.
//
// The state that operators read is one word, whose bytes are fields:
//
//     | 0 grad_mode | 1 inference_mode | 2 default_dtype | 3 torch_function |
//
// The layer of the operators is above this one, so it gives a function that reads the word
// (guard_global_state). Here tensors live on the CPU only, and there is no stack of modes that a
// program could change. So the other two always hold; they are there because PyTorch's trees have
// them. (PyTorch 2.5's torch/csrc/dynamo/guards.cpp, GlobalStateGuard.)
#include "frames/guards/guard_tree.h"

#include "objects/error.h"

static bool set_whole_text(Guard *guard, const char *text)
{
    guard->text[0] = str_new(text);
    guard->text[1] = str_new("");
    return guard->text[0] && guard->text[1];
}

static uint64_t no_state(void)
{
    return 0;
}

uint64_t (*guard_global_state)(void) = no_state;

static const char *const fields[] = {"grad_mode", "inference_mode", "default_dtype",
                                     "torch_function"};

bool guard_make_global_state(Guard *guard, const ValueRef *args)
{
    (void)args;
    guard->number = (int64_t)guard_global_state();
    return set_whole_text(guard, "___check_global_state()");
}

bool guard_global_state_holds(const Guard *guard, ValueRef value)
{
    (void)value;
    return (uint64_t)guard->number == guard_global_state();
}

Value guard_global_state_found(const Guard *guard, ValueRef value)
{
    (void)value;
    uint64_t changed = (uint64_t)guard->number ^ guard_global_state();
    Value text = str_new("GLOBAL_STATE changed:");
    for (size_t i = 0; text && i < sizeof fields / sizeof *fields; i++) {
        if (!(changed >> 8 * i & 0xFF)) continue;
        Value longer = format_text("%S %s", (ValueRef)text, fields[i]);
        drop(text);
        text = longer;
    }
    return text;
}

bool guard_make_default_device(Guard *guard, const ValueRef *args)
{
    (void)args;
    return set_whole_text(guard, "utils_device.CURRENT_DEVICE == None");
}

bool guard_make_mode_stack(Guard *guard, const ValueRef *args)
{
    (void)args;
    return set_whole_text(guard, "___check_torch_function_mode_stack()");
}

bool guard_always_holds(const Guard *guard, ValueRef value)
{
    (void)guard;
    (void)value;
    return true;
}
