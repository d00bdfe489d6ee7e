// Calls of script functions that have machine code, and their returns. A call makes the frame that
// the interpreter would make, and a return ends it; so at every exit all frames are as the
// interpreter needs them. A call stores what the caller has in registers. The code after it trusts
// nothing: the interpreter may have called as well.
//
//     caller    may_call  pass_i0  pass_value_i1  spill_i2  call ----> callee's entry
//               check_int  fill_i2  ...  <---- leave_frame  result_i0  may_return
#include "frames/bind.h"
#include "objects/function.h"
#include "objects/memory.h"
#include "vm/jit/jit.h"
#include "vm/jit/walk_parts.h"

#define MAX_ARGUMENTS 8

// ---- calls

static CallSite *add_site(int index, const QuickCode *callee, void *const *entry)
{
    if (!walk.sites) walk.sites = memory_alloc(MAX_SITES * sizeof *walk.sites);
    int label = emit_label();
    if (!walk.sites || walk.site_count == MAX_SITES || label < 0) return NULL;
    CallSite *site = &walk.sites[walk.site_count++];
    *site = (CallSite){.code = callee->code,
                       .entry = entry,
                       .call = (Instruction *)instruction_at(index),
                       .first = (Instruction *)callee->instructions - 1,
                       .frame_words = callee->frame_words,
                       .stack = walk_slot_offset(walk.base + walk.depth),
                       .label = label};
    return site;
}

// Into the frame to come.
static bool pass(size_t offset, Entry *value)
{
    Patch patch = {.number = (uint32_t)offset};
    if (value->where == IN_CONSTANT) {
        patch.word = bits_of(value->sample);
        return walk_stencil("pass_constant", patch);
    }
    return entry_stencil(entry_is_number(value) ? "pass" : "pass_value", value, patch) &&
           (value->kind != KIND_OBJECT || entry_stencil("retain", value, patch));
}

static bool pass_arguments(Entry *arguments, int count, int slots)
{
    Entry unbound = {.where = IN_CONSTANT, .sample = VALUE_ERROR};
    for (int i = 0; i < slots; i++) {
        Entry *value = i < count ? &arguments[i] : &unbound;
        if (!pass(offsetof(Frame, localsplus) + (size_t)i * sizeof(Value), value)) return false;
        if (i < count) entry_free(value);
    }
    return true;
}

static bool spill_homes(void)
{
    for (int slot = 0; slot < MAX_VARIABLES; slot++) {
        const Variable *variable = &variables[slot];
        if (variable->home == NO_REGISTER || !variable->stored) continue;
        if (!walk_stencil_1("spill", variable->kind, variable->home,
                            (Patch){.number = walk_slot_offset(slot)}))
            return false;
    }
    return true;
}

// The code to which the callee returns, at the instruction after the call. Its guards exit there.
// If they find no room, the call is cut off too: the interpreter begins at the statement.
static bool come_back(int index, ValueKind result)
{
    int slot = walk.base + walk.depth, statement = walk.statement, depth = walk.statement_depth;
    walk.changed = false;
    registers_free_all();
    if (!entry_push((Entry){.where = IN_FRAME, .kind = result, .number = slot})) return false;
    walk.statement = index + 1;
    walk.statement_depth = walk.depth;
    emit_bind(walk.sites[walk.site_count - 1].label);
    if (walk_enter()) return true;
    walk.statement = statement;
    walk.statement_depth = depth;
    return false;
}

// May it wait on the stack, or be passed?
static bool is_plain(const Entry *value)
{
    if (value->where == IN_CONSTANT) return !is_object(value->sample);
    return value->kind != KIND_OTHER && value->kind != KIND_RANGE;
}

bool walk_function_call(int index, int count)
{
    Entry arguments[MAX_ARGUMENTS];
    if (count > MAX_ARGUMENTS || walk.changed) return jit_refuse("a call with many arguments");
    for (int i = count - 1; i >= 0; i--) {
        arguments[i] = entry_pop();
        if (!is_plain(&arguments[i])) return jit_refuse("an argument of another kind");
        if (!entry_test(&arguments[i])) return false;
    }
    Entry function = entry_pop();
    if (function.kind != KIND_OBJECT || !function_check(function.sample))
        return jit_refuse("a call of what is no function of a script");
    const QuickCode *callee = quick_of(as_code(as_function(function.sample)->code));
    ValueKind result;
    void *const *entry = callee ? jit_function_entry(callee->code, &result) : NULL;
    if (!entry || callee->simple_argcount != count || callee->cells_and_frees)
        return jit_refuse("a call of a function without machine code");
    int number = entry_register(&function, KIND_OBJECT);
    const CallSite *site = number == NO_REGISTER ? NULL : add_site(index, callee, entry);
    if (!site) return number != NO_REGISTER && jit_refuse("too many calls");
    uint64_t address = (uint64_t)(uintptr_t)site;
    return walk_stencil_1("may_call", KIND_OBJECT, number, (Patch){.word = address}) &&
           walk_settle() && pass_arguments(arguments, count, (int)callee->slots) &&
           pass(offsetof(Frame, globals_owner), &function) && spill_homes() &&
           walk_stencil("call", (Patch){.word = address}) && come_back(index, result);
}

// ---- returns

// The variables that may hold an object. All others were seen to hold none.
static bool may_hold_object(int slot)
{
    ValueKind kind = slot < walk.arguments && slot < MAX_VARIABLES && variables[slot].uses
                         ? variables[slot].kind
                         : KIND_OBJECT;
    return kind == KIND_OBJECT || kind == KIND_OTHER;
}

// Nothing may die when the frame ends.
static bool drop_variables(const char *name, uint64_t held)
{
    for (int slot = 0; slot < walk.base; slot++)
        if (may_hold_object(slot) &&
            !walk_stencil(name, (Patch){.number = walk_slot_offset(slot), .word = held}))
            return false;
    return true;
}

bool walk_return(void)
{
    Entry value = entry_pop();
    if (walk.depth || !is_plain(&value)) return jit_refuse("a return of another kind");
    if (!entry_test(&value)) return false;
    uint64_t held = 1;
    for (int slot = 0; slot < walk.base; slot++) held += may_hold_object(slot);
    if (!drop_variables("may_drop", held) ||
        !walk_stencil_guarded("may_return", EXIT_END, (Patch){0}))
        return false;
    walk.changed = true;
    const char *name = entry_is_number(&value) ? "result" : "result_value";
    if (value.where == IN_CONSTANT
            ? !walk_stencil("result", (Patch){.word = bits_of(value.sample)})
            : !entry_stencil(name, &value, (Patch){0}) ||
                  (value.kind == KIND_OBJECT && !entry_stencil("retain", &value, (Patch){0})))
        return false;
    entry_free(&value);
    walk.closed = true;
    walk.reachable = false;
    return drop_variables("release", held) && walk_stencil("leave_frame", (Patch){0});
}
