// Calls of functions in C, where no stencil does the work: subscripts, comparisons, displays,
// builtins. They are quiet: they run no script code, and change nothing that a script could see. So
// what a guard has tested still holds after one, and the statement may be run again.
//
// The arguments are stored where the interpreter would have them, on the frame's value stack. To
// the walk the result is borrowed, as all values are: what a function makes is held by
// quiet_made until the loop's next turn, or until the code is left. Where a function cannot do
// it, or raises an exception, a guard fails, and the interpreter does it again.
//
//     text[a:b]    store_i4 spill_i0 spill_i1 quiet(span) result_i3 type_i3
#include "objects/text/str.h"
#include "vm/jit/walk_parts.h"
#include "vm/quiet.h"

// A value such as the entry will stand for; NONE = nothing is known of it.
static ValueRef sample_of(const Entry *entry)
{
    const ValueRef samples[] = {NONE, from_small(0), from_double(1), TRUE, NONE, NONE};
    ValueRef sample = entry->sample;
    bool fits = sample && (entry->where == IN_CONSTANT || kind_of_value(sample) == entry->kind);
    return fits ? sample : samples[entry->kind];
}

// Takes `count` entries from the stack, and pushes what the function gives for them.
bool walk_quiet(QuietFn *function, int count, size_t operand)
{
    ValueRef samples[MAX_DEPTH];
    int first = walk.depth - count;
    for (int i = 0; i < count; i++) samples[i] = sample_of(&walk.stack[first + i]);
    Entry result = {.sample = function(samples, operand)};
    if (!result.sample) return jit_refuse("the operands are of other kinds");
    Patch patch = {.number = walk_slot_offset(walk.base + first),
                   .word = (uint64_t)(uintptr_t)function | (uint64_t)operand << 48};
    if (!walk_settle_from(first)) return false;
    walk.depth = first;
    walk.makes = true;
    return walk_stencil("quiet", patch) && entry_take(&result, KIND_OBJECT) &&
           walk_stencil_1("result", KIND_OBJECT, result.number, (Patch){0}) &&
           entry_unbox(&result, result.sample) && entry_push(result);
}

bool walk_contains(int index)
{
    return walk_quiet(quiet_contains, 2, (size_t)operand_at(index));
}

bool walk_build(int index)
{
    int count = operand_at(index);
    bool cuts = opcode_at(index) == BUILD_SLICE && count == 2 && walk.depth > 2 &&
                opcode_at(walk.next) == BINARY_SUBSCR;
    if (cuts && entry_is(&walk.stack[walk.depth - 3], &str_type)) // as the interpreter does
        return walk.next++, walk_quiet(quiet_span, 3, 0);
    return walk_quiet(opcode_at(index) == BUILD_TUPLE ? quiet_tuple : quiet_slice, count,
                      (size_t)count);
}

bool walk_quiet_call(int count, ValueRef function)
{
    QuietFn *call = quiet_call_of(function);
    return call ? walk_quiet(call, count + 1, (size_t)count)
                : jit_refuse("a call of a builtin function");
}
