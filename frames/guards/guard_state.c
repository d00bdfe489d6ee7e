// Guards about the state of the machine, which belong to the root: GLOBAL_STATE, DEFAULT_DEVICE and
// TORCH_FUNCTION_MODE_STACK.
//
// The state that operators read is one word, whose bytes are fields:
//
//     | 0 grad_mode | 1 inference_mode | 2 torch_function | 3 deterministic_algorithms |
//     | 4 ..._warn_only | 5 num_threads | 6 default_dtype |
//
// The layer of the operators is above this one, so it gives a function that reads the word
// (guard_global_state), and the list of the modes that a program has entered, of which the classes
// are guarded. Tensors live on the CPU only, so DEFAULT_DEVICE always holds; it is there because
// PyTorch's trees have it. (PyTorch 2.5's torch/csrc/dynamo/guards.cpp, GlobalStateGuard.)
#include "frames/guards/guard_tree.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/type.h"

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

#define GRAD_MODE ((uint64_t)0xFF)
#define INFERENCE_MODE (GRAD_MODE << 8)
static const char *const fields[] = {"grad_mode",
                                     "inference_mode",
                                     "torch_function",
                                     "deterministic_algorithms",
                                     "deterministic_algorithms_warn_only",
                                     "num_threads",
                                     "default_dtype"};

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
    if (changed & GRAD_MODE) changed &= ~INFERENCE_MODE; // PyTorch sees it by the tensors' keys
    Value text = str_new("GLOBAL_STATE changed: ");
    for (size_t i = 0; text && i < sizeof fields / sizeof *fields; i++) {
        if (!(changed >> 8 * i & 0xFF)) continue;
        Value longer = format_text("%S%s ", (ValueRef)text, fields[i]);
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

// ---- the modes: expected is a tuple of their classes

ValueRef guard_function_modes;

static ssize_t mode_count(void)
{
    return guard_function_modes ? list_size(guard_function_modes) : 0;
}

bool guard_make_mode_stack(Guard *guard, const ValueRef *args)
{
    (void)args;
    guard->expected = tuple_new(mode_count());
    for (ssize_t i = 0; guard->expected && i < mode_count(); i++)
        as_tuple(guard->expected)->items[i] =
            retain(ref_of(type_of(list_at(guard_function_modes, i))));
    return guard->expected && set_whole_text(guard, "___check_torch_function_mode_stack()");
}

bool guard_mode_stack_holds(const Guard *guard, ValueRef value)
{
    (void)value;
    if (tuple_size(guard->expected) != mode_count()) return false;
    for (ssize_t i = 0; i < mode_count(); i++)
        if (ref_of(type_of(list_at(guard_function_modes, i))) != tuple_at(guard->expected, i))
            return false;
    return true;
}

Value guard_mode_stack_found(const Guard *guard, ValueRef value)
{
    (void)value;
    return retain(guard->text[0]);
}

bool guard_always_holds(const Guard *guard, ValueRef value)
{
    (void)guard;
    (void)value;
    return true;
}
