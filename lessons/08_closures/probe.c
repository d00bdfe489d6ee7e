// Lesson 8: the input is a program; the answer is what its variables are at the end, the cells of
// their closures among it. There are no builtins.
//
//     add = function f, closure: cell 1           two names for the same cell are the same number
//     cell 1: 3 owners: 10
#include "lessons/08_closures/probe.h"

#include "compiler/compile.h"
#include "lessons/harness.h"
#include "objects/init.h"
#include "objects/memory.h"
#include "objects/text/str.h"
#include "vm/function_call.h"

#include <setjmp.h>
#include <string.h>

#define MOST_CELLS 100
#define MOST_STEPS 100000

static Value no_builtins;
static ValueRef cells[MOST_CELLS]; // those that were met, in their order
static int cell_count, steps;
static jmp_buf stopped;

static ValueRef builtins(void)
{
    return no_builtins;
}

void probe_begin(void)
{
    objects_init();
    no_builtins = dict_new();
    upcalls.builtins = builtins;
    eval_init();
}

// The loop cannot go on where there is neither a function nor an exception. So it is tried before.
static void try_make_function(Frame *frame, const Instruction *ip, const Value *sp)
{
    int count = 2 + function_extras(ip->arg);
    Value made = make_function(frame, (Value *)sp - count, ip->arg);
    if (!made && !error_pending()) {
        answer("make_function gives 0, but there is no exception\n");
        longjmp(stopped, 1);
    }
    drop(made);
    error_clear();
}

void probe_step(Frame *frame, const Instruction *ip, const Value *sp)
{
    int height = stack_height(frame, sp), wanted = stack_height_wanted(frame, ip);
    if (opcode_operand(ip->op) == OPERAND_FREE) count_call();
    if (height == wanted && ++steps <= MOST_STEPS) {
        if (ip->op == MAKE_FUNCTION) try_make_function(frame, ip, sp);
        return;
    }
    answer("before %s the value stack has %d values, not %d\n",
           opcode_name(quick_opcode(quick_of(as_code(frame->code)), ip)), height, wanted);
    longjmp(stopped, 1);
}

// ---- what became of it

static int number_of_cell(ValueRef cell)
{
    for (int i = 0; i < cell_count; i++)
        if (cells[i] == cell) return i + 1;
    if (cell_count < MOST_CELLS) cells[cell_count++] = cell;
    return cell_count;
}

static void answer_value(ValueRef value);

static void answer_tuple(const char *title, ValueRef tuple)
{
    if (!tuple) return;
    answer(", %s:", title);
    for (ssize_t i = 0; i < tuple_size(tuple); i++) {
        answer(" ");
        answer_value(tuple_at(tuple, i));
    }
}

static void answer_extra(const char *title, ValueRef value)
{
    if (!value) return;
    answer(", %s: ", title);
    answer_value(value);
}

static void answer_function(const Function *function)
{
    answer("function %s", str_utf8(function->qualname, NULL));
    answer_tuple("defaults", function->defaults);
    answer_extra("kwdefaults", function->kwdefaults);
    answer_extra("annotations", function->annotations);
    answer_tuple("closure", function->closure);
}

static void answer_value(ValueRef value)
{
    if (function_check(value)) {
        answer_function(as_function(value));
        return;
    }
    if (is_exactly(value, &cell_type)) {
        answer("cell %d", number_of_cell(value));
        return;
    }
    if (tuple_check(value) || list_check(value)) {
        answer("%s", tuple_check(value) ? "(" : "[");
        ssize_t count = tuple_check(value) ? tuple_size(value) : list_size(value);
        for (ssize_t i = 0; i < count; i++) {
            answer(i ? "; " : "");
            answer_value(tuple_check(value) ? tuple_at(value, i) : as_list(value)->items[i]);
        }
        answer("%s", tuple_check(value) ? ")" : "]");
        return;
    }
    Value text = object_repr(value);
    if (text) answer("%s", str_utf8(text, NULL));
    drop(text);
}

static void answer_globals(ValueRef globals)
{
    ssize_t at = 0;
    ValueRef key, value;
    while (dict_next(globals, &at, &key, &value)) {
        answer("%s = ", str_utf8(key, NULL));
        answer_value(value);
        answer("\n");
    }
}

// A cell may hold a function whose cells are met only here.
static void answer_cells(void)
{
    for (int i = 0; i < cell_count; i++) {
        int owners = (int)object_of(cells[i])->refcount;
        answer("cell %d: %d owner%s: ", i + 1, owners, owners == 1 ? "" : "s");
        if (as_cell(cells[i])->contents)
            answer_value(as_cell(cells[i])->contents);
        else
            answer("empty");
        answer("\n");
    }
}

static void answer_exception(void)
{
    Value exception = error_take();
    if (!exception) {
        answer("fails without an exception\n");
        return;
    }
    Value text = object_str(exception);
    answer("raises %s: %s\n", type_of(exception)->name, text ? str_utf8(text, NULL) : "?");
    drop(text);
    drop(exception);
    error_clear();
}

// Makes what the loop would make at the first call, so that it is not counted with the rest.
static void quicken_all(ValueRef code)
{
    quicken(as_code(code));
    for (ssize_t i = 0; i < tuple_size(as_code(code)->consts); i++)
        if (code_check(tuple_at(as_code(code)->consts, i)))
            quicken_all(tuple_at(as_code(code)->consts, i));
}

static void end(Value globals)
{
    dict_clear(globals); // functions and their globals hold each other
    drop(globals);
}

static void run_unseen(ValueRef code)
{
    Value globals = dict_new();
    drop(code_run(as_code(code), globals, globals, NULL));
    error_clear();
    end(globals);
}

// What is made once and kept, as interned names, is made by the first run; the second one is
// counted, the third one shown.
static void run(ValueRef code)
{
    cell_count = steps = 0;
    if (setjmp(stopped)) return;
    run_unseen(code);
    size_t blocks = memory_counts().blocks;
    run_unseen(code);
    int left = (int)(memory_counts().blocks - blocks);
    Value globals = dict_new(), result = code_run(as_code(code), globals, globals, NULL);
    if (!result) answer_exception();
    drop(result);
    answer_globals(globals);
    answer_cells();
    end(globals);
    answer("objects left over: %d\n", left);
}

void probe(const char *text, size_t size)
{
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value code = compile_source(text, size, &options);
    if (code) {
        quicken_all(code);
        run(code);
    } else {
        answer_exception();
    }
    drop(code);
    drop(filename);
}
