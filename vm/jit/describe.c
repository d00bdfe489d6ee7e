// What the JIT has made of a code object, as a script is told (vm/modules/mod__jit.c), and what the
// exits mean.
#include "vm/jit/walk.h"

#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/text/str.h"
#include "vm/jit/jit.h"

#include <string.h>

// ---- exits

const char *const jit_exit_names[] = {
    [EXIT_ENTRY] = "refused at the entry",
    [EXIT_GUARD] = "left as a guard failed",
    [EXIT_END] = "ended",
    [EXIT_LEFT] = "left for a statement without code",
};

// The length of the stencil's name without `_constant` and without its registers: `_i0_i1`.
static size_t stem_of(const char *stencil)
{
    size_t length = strlen(stencil);
    while (length > 3 && stencil[length - 3] == '_' && strchr("id", stencil[length - 2]) &&
           stencil[length - 1] >= '0' && stencil[length - 1] <= '9')
        length -= 3;
    const size_t constant = sizeof "_constant" - 1;
    if (length > constant && strncmp(stencil + length - constant, "_constant", constant) == 0)
        length -= constant;
    return length;
}

const char *jit_reason(const char *guard)
{
    static const char *const reasons[][2] = {
#define REASON(stencil, text) {#stencil, text},
#include "vm/jit/reasons.def"
    };
    if (guard && strncmp(guard, "check_", 6) == 0) guard += 6;
    for (size_t i = 0; guard && i < sizeof reasons / sizeof *reasons; i++) {
        size_t length = strlen(reasons[i][0]);
        if (stem_of(guard) == length && strncmp(guard, reasons[i][0], length) == 0)
            return reasons[i][1];
    }
    return "";
}

// ---- values for the script

// A tuple of the items, which it steals; where one of them is VALUE_ERROR, there is none.
static Value packed(Value *items, size_t count)
{
    bool complete = true;
    for (size_t i = 0; i < count; i++) complete &= items[i] != VALUE_ERROR;
    if (complete) return tuple_from_owned(items, count);
    for (size_t i = 0; i < count; i++) drop(items[i]);
    return VALUE_ERROR;
}

static Value text_or_none(const char *text)
{
    return text ? str_new(text) : NONE;
}

static const char *type_name_of(const Top *top)
{
    static const char *const names[] = {[KIND_INT] = "int",
                                        [KIND_FLOAT] = "float",
                                        [KIND_BOOL] = "bool",
                                        [KIND_OBJECT] = "instance of a class",
                                        [KIND_RANGE] = "range_iterator"};
    return top->kind == KIND_OBJECT && top->type ? top->type->name : names[top->kind];
}

// Each makes a tuple, or None, of what the machine has under this number.
typedef Value DescribeFn(const Machine *machine, int number);

// (type or None, "constant" or "variable" or "register" or "stack", register or None)
static Value describe_top(const Machine *machine, int number)
{
    static const char *const wheres[] = {[IN_CONSTANT] = "constant",
                                         [IN_VARIABLE] = "variable",
                                         [IN_REGISTER] = "register",
                                         [IN_FRAME] = "stack"};
    const Top *top = &machine->tops[number];
    if (!top->known) return NONE;
    char name[3] = {REGISTER_LETTER(top->kind), (char)('0' + top->number), 0};
    Value items[] = {text_or_none(type_name_of(top)), str_new(wheres[top->where]),
                     text_or_none(top->number == NO_REGISTER ? NULL : name)};
    return packed(items, 3);
}

// (offset of the instruction, or -1 at the entry and -2 at the exits; stencil; bytes; why it may
// exit, or None)
static Value describe_piece(const Machine *machine, int number)
{
    const Piece *piece = &machine->pieces[number];
    const char *name = piece->stencil->name, *guard = emit_guard(name);
    int at = piece->instruction;
    Value items[] = {from_small(at < 0 ? at : 2 * at), str_new(name),
                     from_small(piece->stencil->size),
                     text_or_none(guard ? jit_reason(guard) : NULL)};
    return packed(items, 4);
}

// (offset, what it is, the guard or None, why or None, how often)
static Value describe_exit(const Machine *machine, int number)
{
    const Exit *way = &machine->exits[number];
    Value items[] = {from_small(2 * way->instruction), str_new(jit_exit_names[way->kind]),
                     text_or_none(way->guard),
                     text_or_none(way->guard ? jit_reason(way->guard) : NULL),
                     from_small(way->count)};
    return packed(items, 5);
}

static Value list_of(const Machine *machine, int count, DescribeFn *describe)
{
    Value list = list_new(count);
    for (int i = 0; list && i < count; i++)
        if (!list_append_owned(list, describe(machine, i))) drop_slot(&list);
    return list;
}

// (is it a function, first offset, last offset, bytes, tops, pieces, exits), or with a reason and
// its offset: (is it a function, first offset, last offset, reason, offset)
static Value describe_loop(const Loop *loop)
{
    const Machine *machine = &loop->machine;
    Value items[7] = {from_bool(loop->is_function), from_small(2 * loop->head),
                      from_small(2 * loop->end)};
    if (!loop->runs) {
        items[3] = str_new(loop->problem ? loop->problem : "it did not pay");
        items[4] = from_small(2 * loop->problem_at);
        return packed(items, 5);
    }
    items[3] = from_small((int64_t)machine->size);
    items[4] = list_of(machine, loop->end - loop->head + 1, describe_top);
    items[5] = list_of(machine, machine->piece_count, describe_piece);
    items[6] = list_of(machine, (int)machine->exit_count, describe_exit);
    return packed(items, 7);
}

Value jit_describe(const Code *code)
{
    Value list = list_new(0);
    for (const Loop *loop = jit_loops(code); list && loop; loop = loop->next)
        if (!list_append_owned(list, describe_loop(loop))) drop_slot(&list);
    return list;
}
