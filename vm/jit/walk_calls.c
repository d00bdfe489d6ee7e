// Calls of script functions that have machine code, and their returns. A call stores the arguments
// where the interpreter would have them, and calls the function's code as C calls a function; so a
// result comes back in a register. The rest of the frame is filled in only if the code is left: by
// complete_frames() in jit.c. What is on a frame's stack, and in its parameters, is borrowed until
// then. A call stores what the caller has in registers.
//
//     caller    may_call  spill_i3  store_i4  spill_i2  call ----> callee's entry
//               move_i4_i0  fill_i2  ...             <---- release  return_i3
//
// Where the call comes back, nothing but machine code has run: what was tested still holds.
#include "objects/function.h"
#include "objects/memory.h"
#include "vm/jit/jit.h"
#include "vm/jit/walk_parts.h"

#define MAX_ARGUMENTS 8

// ---- calls

static CallSite *add_site(int index, const QuickCode *callee, void *const *entry)
{
    if (!walk.sites) walk.sites = memory_alloc(MAX_SITES * sizeof *walk.sites);
    if (!walk.sites || walk.site_count == MAX_SITES) return NULL;
    CallSite *site = &walk.sites[walk.site_count++];
    *site = (CallSite){.code = callee->code,
                       .entry = entry,
                       .call = (Instruction *)instruction_at(index),
                       .base = walk.base,
                       .shape = walk_shape()};
    return site;
}

// The frame to come is after this one: the offset of one of its fields, as if it were a slot.
static int slot_to_come(size_t offset)
{
    return (int)walk.quick->frame_words +
           ((int)offset - (int)offsetof(Frame, localsplus)) / (int)sizeof(Value);
}

static bool pass_arguments(Entry *arguments, int count, int slots)
{
    Entry unbound = {.where = IN_CONSTANT, .sample = VALUE_ERROR};
    for (int i = 0; i < slots; i++) {
        int slot = slot_to_come(offsetof(Frame, localsplus)) + i;
        if (!entry_store(slot, i < count ? &arguments[i] : &unbound)) return false;
        if (i < count) entry_free(&arguments[i]);
    }
    return true;
}

static bool pass_function(Entry *function)
{
    return entry_own_register(function, KIND_OBJECT) &&
           entry_store(slot_to_come(offsetof(Frame, globals_owner)), function) &&
           entry_stencil("globals_of", function, (Patch){0}) &&
           entry_store(slot_to_come(offsetof(Frame, globals)), function);
}

// Where the callee returns to. If there is no room, the call is cut off.
static bool come_back(int index, ValueKind kind)
{
    Entry result = {.where = IN_FRAME, .kind = kind, .number = walk.base + walk.depth};
    registers_free_all();
    walk.result = (Entry){0};
    if (kind == KIND_OTHER) {
        Entry none = {.where = IN_CONSTANT, .sample = NONE};
        if (!entry_store(result.number, &none)) return false;
    } else if (!entry_take(&result, kind) ||
               !(kind == KIND_FLOAT
                     ? walk_stencil_1("result", kind, result.number, (Patch){0})
                     : walk_stencil_2("move", kind, result.number, kind, 0, (Patch){0}))) {
        return false;
    }
    if (!entry_push(result) || !walk_homes("fill", false)) return false;
    walk_begin_statement(index + 1);
    if (kind == KIND_OTHER) return true;
    ++*register_uses(kind, result.number);
    walk.result = result;
    walk.result_slot = walk.base + walk.depth - 1;
    return true;
}

// Do the arguments have the types that the parameters of the function that is compiled have?
static bool are_as_before(const Entry *arguments, int count)
{
    bool same = true;
    for (int i = 0; i < count; i++) {
        ValueRef is = arguments[i].sample, was = variables[i].sample;
        same &= !variables[i].uses ||
                (arguments[i].kind == variables[i].kind &&
                 (arguments[i].kind != KIND_OBJECT || (is && type_of(is) == type_of(was))));
    }
    return same;
}

bool walk_function_call(int index, int count)
{
    Entry arguments[MAX_ARGUMENTS];
    if (count > MAX_ARGUMENTS || walk.changed) return jit_refuse("a call with many arguments");
    for (int i = count - 1; i >= 0; i--) {
        arguments[i] = entry_pop();
        if (!entry_is_plain(&arguments[i])) return jit_refuse("an argument of another kind");
        if (!entry_test(&arguments[i])) return false;
    }
    Entry function = entry_pop();
    if (function.kind != KIND_OBJECT || !function.sample || !function_check(function.sample))
        return jit_refuse("a call of what is no function of a script");
    Code *code = as_code(as_function(function.sample)->code);
    const QuickCode *callee = quick_of(code);
    Loop *loop = jit_loops(code); // a plain function has no other
    if (!callee || !loop || !loop->is_function || callee->simple_argcount != count ||
        callee->cells_and_frees || (!loop->runs && loop->attempts == ATTEMPTS_MAX))
        return jit_refuse(walk_no_callee);
    if (walk.quick->code->flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR))
        return jit_refuse("a call by a generator");
    loop->is_called = true;
    bool is_constant = entry_always(&function);
    bool knows = is_constant && loop == walk.loop && are_as_before(arguments, count) &&
                 as_function(function.sample)->globals == walk.frame->globals;
    const CallSite *site =
        add_site(index, callee, knows ? &loop->machine.inner : &loop->machine.entry);
    if (!site) return jit_refuse("too many calls");
    uint32_t own = walk.quick->frame_words * (uint32_t)sizeof(Value);
    Patch patch = {.number = own, .word = (uint64_t)(uintptr_t)site};
    Patch bound = {.number = own + callee->frame_words * (uint32_t)sizeof(Value)};
    return (is_constant ||
            entry_stencil("code", &function, (Patch){.word = bits_of(ref_of(code))})) &&
           (loop == walk.loop || walk_stencil("may_enter", patch)) &&
           walk_stencil("may_call", bound) && walk_settle() &&
           pass_arguments(arguments, count, (int)callee->slots) && pass_function(&function) &&
           walk_homes("spill", true) && walk_stencil("call", patch) &&
           come_back(index, loop->result);
}

// ---- returns

bool walk_return(int index)
{
    Entry value = entry_pop(), none = {.where = IN_CONSTANT, .kind = KIND_BOOL, .sample = NONE};
    if (walk.arguments < 0) return jit_refuse("RETURN_VALUE");
    if (walk.depth || value.kind != walk.loop->result ||
        (value.kind == KIND_OTHER && value.sample != NONE))
        return jit_refuse("a result of another kind");
    if (!entry_test(&value)) return false;
    bool is_float = value.kind == KIND_FLOAT;
    Entry *result = is_float || value.kind == KIND_OTHER ? &none : &value;
    if (is_float && !entry_stencil("put_result", &value, (Patch){0})) return false;
    int number = entry_register(result, result->kind);
    if (number == NO_REGISTER) return false;
    for (int slot = walk.arguments; slot < walk.base && slot < MAX_VARIABLES; slot++)
        if (variables[slot].kind == KIND_OBJECT &&
            !walk_stencil("release", (Patch){.number = walk_slot_offset(slot)}))
            return false;
    walk.closed = true;
    walk.reachable = false;
    Patch patch = {.word = (uint64_t)(uintptr_t)instruction_at(index)};
    entry_free(&value);
    entry_free(&none);
    return walk_stencil_1("return", KIND_OBJECT, number, patch);
}
