// The module _lsprof, what cProfile is made of: who calls whom, how often, and how long it takes.
//
//     profiler = Profiler(timer=None, timeunit=0.0, subcalls=True, builtins=True)
//     profiler.enable(); ...; profiler.disable(); profiler.getstats()
//
// A Profiler has a Row for each function, and with `subcalls` one for each pair of a caller and
// what it calls. Rows are found by a hash table of their indices, which is never more than half
// full. A stack of Calls has what has not returned yet: when it began, and how long the calls
// inside it took. A function in Python is known by its code, a function in C by its MethodDef.
//
// The timer and repr() may run script code, which may use the same Profiler: so no pointer into the
// rows or calls is kept over them.
#include "objects/call.h"
#include "objects/classes/method.h"
#include "objects/classes/struct_sequence.h"
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/error.h"
#include "objects/memory.h"
#include "objects/module.h"
#include "objects/names.h"
#include "objects/numbers/float.h"
#include "objects/numbers/int.h"
#include "objects/operators.h"
#include "objects/protocols/items.h"
#include "objects/text/str.h"
#include "objects/type.h"
#include "vm/outside/outside.h"
#include "vm/settrace/trace.h"

#include <string.h>

#define NO_ROW UINT32_MAX

typedef struct Row {
    const void *caller; // NULL = by whomever it is called
    const void *function;
    Value shown; // the code, or a str that describes the function in C; 0 in the row of a pair
    int64_t calls, recursive_calls, total, own;
    uint32_t active; // of its calls have not returned
} Row;

typedef struct Call {
    uint32_t row, pair; // indices of rows; NO_ROW
    int64_t begin, inside;
} Call;

typedef struct Profiler {
    Object base;
    Value timer; // 0 = the system's
    double unit; // seconds; 0 = the timer answers seconds
    bool has_pairs, has_builtins, lacks_memory;
    Row *rows;
    Call *calls;
    uint32_t *slots; // 1 + the index of a row; 0 = empty
    uint32_t row_count, row_room, call_count, call_room, slot_count;
} Profiler;

static Profiler *as_profiler(ValueRef value)
{
    return (Profiler *)object_of(value);
}

// ---- rows

static uint32_t first_slot(const Profiler *self, const void *caller, const void *function)
{
    uint64_t mixed = (uint64_t)(uintptr_t)caller * UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (uint64_t)(uintptr_t)function) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed >> 32) & (self->slot_count - 1);
}

// The slot that has the row, or where it would be.
static uint32_t *slot_of(const Profiler *self, const void *caller, const void *function)
{
    uint32_t at = first_slot(self, caller, function);
    for (;; at = (at + 1) & (self->slot_count - 1)) {
        if (!self->slots[at]) return &self->slots[at];
        const Row *row = &self->rows[self->slots[at] - 1];
        if (row->caller == caller && row->function == function) return &self->slots[at];
    }
}

static uint32_t find_row(const Profiler *self, const void *caller, const void *function)
{
    return self->slot_count ? *slot_of(self, caller, function) - 1 : NO_ROW;
}

// Twice as much room for items of this size, 16 at first.
static bool grow(void **items, uint32_t *room, size_t size)
{
    uint32_t wanted = *room ? 2 * *room : 16;
    void *larger = wanted > *room ? memory_resize(*items, wanted * size) : NULL;
    if (!larger) return false;
    *items = larger;
    *room = wanted;
    return true;
}

static bool make_slots(Profiler *self)
{
    uint32_t count = 2 * self->row_room;
    uint32_t *slots = memory_alloc_zeroed(count * sizeof *slots);
    if (!slots) return false;
    memory_free(self->slots);
    self->slots = slots;
    self->slot_count = count;
    for (uint32_t i = 0; i < self->row_count; i++)
        *slot_of(self, self->rows[i].caller, self->rows[i].function) = i + 1;
    return true;
}

// `shown` is stolen. NO_ROW: there is no memory.
static uint32_t add_row(Profiler *self, const void *caller, const void *function, Value shown)
{
    bool fits = self->row_count < self->row_room ||
                grow((void **)&self->rows, &self->row_room, sizeof *self->rows);
    if (!fits || (self->slot_count < 2 * self->row_room && !make_slots(self))) {
        drop(shown);
        self->lacks_memory = true;
        return NO_ROW;
    }
    self->rows[self->row_count] = (Row){.caller = caller, .function = function, .shown = shown};
    *slot_of(self, caller, function) = self->row_count + 1;
    return self->row_count++;
}

// A method of an object is described by what its type has under that name.
static Value describe(const Builtin *function)
{
    const char *name = function->def->name;
    bool has_module = function->module && str_check(function->module);
    if (!function->self)
        return has_module && !str_equal_ascii(function->module, "builtins")
                   ? format_text("<%S.%s>", function->module, name)
                   : format_text("<%s>", name);
    Value text = str_intern(name);
    ValueRef member = text ? type_lookup(type_of(function->self), text) : VALUE_ERROR;
    Value held = member ? retain(member) : VALUE_ERROR;
    Value shown = held ? object_repr(held) : VALUE_ERROR;
    drop(held);
    drop(text);
    if (shown) return shown;
    error_clear();
    return has_module ? format_text("<built-in method %S.%s>", function->module, name)
                      : format_text("<built-in method %s>", name);
}

static const void *key_of(ValueRef function)
{
    return code_check(function) ? (const void *)as_code(function) : as_builtin(function)->def;
}

// The row of a code object or of a function in C, made where there is none.
static uint32_t row_of(Profiler *self, ValueRef function)
{
    const void *key = key_of(function);
    uint32_t row = find_row(self, NULL, key);
    if (row != NO_ROW) return row;
    Value shown = code_check(function) ? retain(function) : describe(as_builtin(function));
    if (!shown) error_clear();
    self->lacks_memory = self->lacks_memory || !shown;
    row = shown ? find_row(self, NULL, key) : NO_ROW; // describe() may have run a script
    if (row == NO_ROW) return shown ? add_row(self, NULL, key, shown) : NO_ROW;
    drop(shown);
    return row;
}

static uint32_t pair_of(Profiler *self, uint32_t caller, uint32_t row)
{
    const void *from = self->rows[caller].function, *to = self->rows[row].function;
    uint32_t pair = find_row(self, from, to);
    return pair == NO_ROW ? add_row(self, from, to, VALUE_ERROR) : pair;
}

// ---- time

static bool timer_number(const Profiler *self, ValueRef answer, int64_t *time)
{
    double seconds;
    if (self->unit > 0) {
        Value index = object_index(answer);
        bool done = index && int_as_int64(index, time);
        drop(index);
        return done;
    }
    if (!float_from_value(answer, &seconds)) return false;
    *time = seconds > -9e9 && seconds < 9e9 ? (int64_t)(seconds * 1e9) : 0;
    return true;
}

static int64_t time_now(const Profiler *self)
{
    if (!self->timer) return outside_clock(CLOCK_STEADY);
    int64_t time = 0;
    Value timer = retain(self->timer), answer = object_call_none(timer);
    if (!answer || !timer_number(self, answer, &time)) {
        report_unraisable(timer, NULL);
        time = 0;
    }
    drop(answer);
    drop(timer);
    return time;
}

// ---- events

static void enter(Profiler *self, ValueRef function)
{
    uint32_t row = row_of(self, function);
    if (row == NO_ROW) return;
    uint32_t rows = self->row_count;
    int64_t now = time_now(self);
    if (self->row_count < rows) return; // the timer has cleared it
    bool fits = self->call_count < self->call_room ||
                grow((void **)&self->calls, &self->call_room, sizeof *self->calls);
    self->lacks_memory = self->lacks_memory || !fits;
    if (!fits) return;
    uint32_t pair = NO_ROW;
    if (self->has_pairs && self->call_count)
        pair = pair_of(self, self->calls[self->call_count - 1].row, row);
    self->calls[self->call_count++] = (Call){row, pair, now, 0};
    self->rows[row].active++;
    if (pair != NO_ROW) self->rows[pair].active++;
}

static void count_call(Row *row, int64_t total, int64_t own)
{
    row->calls++;
    row->own += own;
    if (--row->active)
        row->recursive_calls++;
    else
        row->total += total;
}

static void leave(Profiler *self)
{
    if (!self->call_count) return;
    int64_t now = time_now(self);
    if (!self->call_count) return;
    const Call *call = &self->calls[--self->call_count];
    int64_t total = now - call->begin;
    if (self->call_count) self->calls[self->call_count - 1].inside += total;
    count_call(&self->rows[call->row], total, total - call->inside);
    if (call->pair != NO_ROW) count_call(&self->rows[call->pair], total, total - call->inside);
}

static void on_event(ValueRef profiler, const Frame *frame, ValueRef event, ValueRef function)
{
    Profiler *self = as_profiler(profiler);
    if (event == NAME(call))
        enter(self, frame->code);
    else if (event == NAME(return))
        leave(self);
    else if (!self->has_builtins)
        return;
    else if (event == NAME(c_call))
        enter(self, function);
    else
        leave(self);
}

// ---- the type

static void forget(Profiler *self)
{
    Row *rows = self->rows;
    uint32_t count = self->row_count;
    memory_free(self->calls);
    memory_free(self->slots);
    self->rows = NULL;
    self->calls = NULL;
    self->slots = NULL;
    self->row_count = self->row_room = self->call_count = self->call_room = self->slot_count = 0;
    for (uint32_t i = 0; i < count; i++) drop(rows[i].shown);
    memory_free(rows);
}

static void profiler_release(Object *object)
{
    Profiler *self = (Profiler *)object;
    forget(self);
    drop_slot(&self->timer);
}

static void profiler_traverse(Object *object, VisitFn visit, void *arg)
{
    const Profiler *self = (const Profiler *)object;
    visit_item(self->timer, visit, arg);
    for (uint32_t i = 0; i < self->row_count; i++) visit_item(self->rows[i].shown, visit, arg);
}

static Value profiler_new(Type *type, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    (void)args, (void)nargs, (void)kwnames;
    return own(object_alloc(type, 0));
}

static bool set_flag(ValueRef value, bool *flag)
{
    return !value || object_truth(value, flag);
}

static bool profiler_init(ValueRef self, const ValueRef *args, size_t nargs, ValueRef kwnames)
{
    static const char *const names[] = {"timer", "timeunit", "subcalls", "builtins", NULL};
    static const Signature signature = {"Profiler", names, 0, 4};
    ValueRef given[4];
    bool has_pairs = true, has_builtins = true;
    double unit = 0;
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        (given[1] && !float_from_value(given[1], &unit)) || !set_flag(given[2], &has_pairs) ||
        !set_flag(given[3], &has_builtins))
        return false;
    Profiler *profiler = as_profiler(self);
    profiler->unit = unit;
    profiler->has_pairs = has_pairs;
    profiler->has_builtins = has_builtins;
    replace_slot(&profiler->timer, given[0] && given[0] != NONE ? retain(given[0]) : VALUE_ERROR);
    return true;
}

static Value enable(ValueRef self, METHOD_ARGS)
{
    static const char *const names[] = {"subcalls", "builtins", NULL};
    static const Signature signature = {"enable", names, 0, 2};
    ValueRef given[2];
    Profiler *profiler = as_profiler(self);
    if (!args_bind(&signature, args, nargs, kwnames, given) ||
        !set_flag(given[0], &profiler->has_pairs) || !set_flag(given[1], &profiler->has_builtins))
        return VALUE_ERROR;
    trace_set_profiler(self, on_event);
    return NONE;
}

static bool memory_sufficed(Profiler *self)
{
    bool lacked = self->lacks_memory;
    self->lacks_memory = false;
    return !lacked || raise_error(MemoryError, "memory was exhausted while profiling");
}

// What has not returned is ended now.
static Value disable(ValueRef self, METHOD_ARGS)
{
    trace_set_profiler(VALUE_ERROR, NULL);
    while (as_profiler(self)->call_count) leave(as_profiler(self));
    return memory_sufficed(as_profiler(self)) ? NONE : VALUE_ERROR;
}

static Value clear(ValueRef self, METHOD_ARGS)
{
    forget(as_profiler(self));
    return NONE;
}

// ---- results

#define ENTRY_FIELDS                                                                               \
    STRUCT_FIELD("code", 0), STRUCT_FIELD("callcount", 1), STRUCT_FIELD("reccallcount", 2),        \
        STRUCT_FIELD("totaltime", 3), STRUCT_FIELD("inlinetime", 4)
static const MemberDef entry_fields[] = {ENTRY_FIELDS, STRUCT_FIELD("calls", 5), {0}};
static StructType entry_type = STRUCT_SEQUENCE("_lsprof.profiler_entry", entry_fields, 6);
static const MemberDef subentry_fields[] = {ENTRY_FIELDS, {0}};
static StructType subentry_type = STRUCT_SEQUENCE("_lsprof.profiler_subentry", subentry_fields, 5);

// A list of what the function calls, or None.
static Value calls_of(const Profiler *self, const void *caller, double unit)
{
    Value list = VALUE_ERROR;
    for (uint32_t i = 0; i < self->row_count; i++) {
        const Row *row = &self->rows[i];
        if (row->caller != caller) continue;
        if (!list && !(list = list_new(0))) return VALUE_ERROR;
        Value items[] = {retain(self->rows[find_row(self, NULL, row->function)].shown),
                         int_new(row->calls), int_new(row->recursive_calls),
                         float_new(unit * (double)row->total), float_new(unit * (double)row->own)};
        if (!list_append_owned(list, struct_sequence_from_owned(&subentry_type, items))) {
            drop(list);
            return VALUE_ERROR;
        }
    }
    return list ? list : NONE;
}

static Value getstats(ValueRef object, METHOD_ARGS)
{
    Profiler *self = as_profiler(object);
    double unit = self->timer && self->unit > 0 ? self->unit : 1e-9;
    Value list = memory_sufficed(self) ? list_new(0) : VALUE_ERROR;
    for (uint32_t i = 0; list && i < self->row_count; i++) {
        const Row *row = &self->rows[i];
        if (row->caller) continue;
        Value items[] = {retain(row->shown),
                         int_new(row->calls),
                         int_new(row->recursive_calls),
                         float_new(unit * (double)row->total),
                         float_new(unit * (double)row->own),
                         calls_of(self, row->function, unit)};
        if (!list_append_owned(list, struct_sequence_from_owned(&entry_type, items)))
            drop_slot(&list);
    }
    return list;
}

static const MethodDef profiler_methods[] = {
    {"enable", enable, KEYWORD_ARGS,
     "enable(subcalls=True, builtins=True)\n\nFrom now on calls are recorded, also by their "
     "callers (subcalls), and those of functions in C (builtins)."},
    {"disable", disable, NO_ARGS, "disable()\n\nNo more calls are recorded."},
    {"clear", clear, NO_ARGS, "clear()\n\nForgets all that was recorded."},
    {"getstats", getstats, NO_ARGS,
     "getstats() -> list of profiler_entry objects\n\nOne for each function: `calls` is None, or a "
     "list of profiler_subentry objects, one for each function that it has called."},
    {0},
};

static Type profiler_type = {
    STATIC_TYPE("_lsprof.Profiler", sizeof(Profiler)),
    .doc = "Profiler(timer=None, timeunit=None, subcalls=True, builtins=True)",
    .flags = TYPE_BASE | TYPE_GC,
    .methods = profiler_methods,
    .new_ = profiler_new,
    .init = profiler_init,
    .release = profiler_release,
    .traverse = profiler_traverse,
    .clear = profiler_release,
    .getattribute = object_generic_get,
};

static bool fill(ValueRef module)
{
    return type_ready(&profiler_type) && module_add_type(module, &profiler_type) &&
           struct_sequence_ready(&entry_type) && module_add_type(module, &entry_type.type) &&
           struct_sequence_ready(&subentry_type) && module_add_type(module, &subentry_type.type);
}

const ModuleDef _lsprof_module = {
    .name = "_lsprof",
    .doc = "Fast profiler",
    .fill = fill,
};
