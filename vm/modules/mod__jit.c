// The module `_jit`: what the JIT has made of a code object, for dis.machine()
// (vm/lib/_machine_code.mpy).
#include "objects/code.h"
#include "objects/containers/list.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/module.h"
#include "objects/text/str.h"
#include "vm/jit/jit.h"
#include "vm/jit/walk.h"

#if JIT
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

static Value describe_code(const Code *code)
{
    Value list = list_new(0);
    for (const Loop *loop = jit_loops(code); list && loop; loop = loop->next)
        if (!list_append_owned(list, describe_loop(loop))) drop_slot(&list);
    return list;
}
#else // nothing is ever compiled
static Value describe_code(const Code *code)
{
    return (void)code, list_new(0);
}
#endif

static Value exists(FUNCTION_ARGS)
{
    return from_bool(JIT);
}

static Value is_on(FUNCTION_ARGS)
{
    return from_bool(jit_is_on());
}

static Value describe(FUNCTION_ARGS)
{
    if (!code_check(args[0]))
        return raise_error(TypeError, "describe() argument must be code, not %.200T", args[0]);
    return describe_code(as_code(args[0]));
}

static const MethodDef functions[] = {
    {"exists", exists, NO_ARGS, NULL},
    {"is_on", is_on, NO_ARGS, NULL},
    {"describe", describe, ONE_ARG, NULL},
    {0},
};

const ModuleDef _jit_module = {
    .name = "_jit",
    .functions = functions,
};
