// Lesson 7: the input is a call and a program that defines f; the answer is the frame's slots.
//
//     call: 2 positional, 1 default, keywords c d
//     def f(a, b, c, d): ...
//
// f is not run. The values are strs made here, so that their references can be counted: one more
// for each slot that holds a value, none more once the frame has ended.
#include "lessons/harness.h"

#include "compiler/compile.h"
#include "frames/bind.h"
#include "objects/cell.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"
#include "objects/upcalls.h"
#include "vm/eval.h"
#include "vm/quicken.h"

#include <stdio.h>
#include <string.h>

#define MOST 32

typedef struct Input {
    int positional, defaults;
    Value keywords; // tuple of names, or 0
    const char *program;
} Input;

static Value no_builtins;

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

// ---- what is called

static Value tuple_of_words(const char *words)
{
    Value items[MOST];
    size_t count = 0;
    while (*words == ' ' && count < MOST) {
        size_t size = strcspn(++words, " ");
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)size, words);
        items[count++] = str_intern(name);
        words += size;
    }
    return count ? tuple_from_owned(items, (ssize_t)count) : VALUE_ERROR;
}

static Input read_input(const char *text)
{
    Input input = {0};
    char line[200];
    int at = 0;
    size_t size = strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", (int)size, text);
    sscanf(line, "call: %d positional, %d default, keywords%n", &input.positional, &input.defaults,
           &at);
    input.keywords = tuple_of_words(line + at);
    input.program = text + size + (text[size] == '\n');
    return input;
}

// The code of f, wherever it is defined: owned.
static Value code_of_f(ValueRef code)
{
    if (strcmp(str_utf8(as_code(code)->name, NULL), "f") == 0) return retain(code);
    ValueRef consts = as_code(code)->consts;
    for (ssize_t i = 0; i < tuple_size(consts); i++) {
        Value found = code_check(tuple_at(consts, i)) ? code_of_f(tuple_at(consts, i)) : 0;
        if (found) return found;
    }
    return VALUE_ERROR;
}

static Value compile_f(const char *program)
{
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value module = compile_source(program, strlen(program), &options);
    Value code = module ? code_of_f(module) : VALUE_ERROR;
    drop(module);
    drop(filename);
    return code;
}

// "positional 0", "positional 1" ...
static Value numbered(const char *word, int count, bool in_cells)
{
    Value items[MOST];
    for (int i = 0; i < count && i < MOST; i++) {
        Value text = format_text("%s %d", word, i);
        items[i] = in_cells ? cell_new(text) : text;
        if (in_cells) drop(text);
    }
    return tuple_from_owned(items, count < MOST ? count : MOST);
}

static Value make_function(ValueRef code, int defaults)
{
    Value globals = dict_new(), function = function_new(code, globals, VALUE_ERROR);
    drop(globals);
    as_function(function)->defaults = numbered("default", defaults, false);
    as_function(function)->closure = numbered("free", code_free_count(as_code(code)), true);
    return function;
}

// ---- what became of it

// How many references there are to the items of a tuple, besides its own.
static int references_to(ValueRef tuple)
{
    int count = 0;
    for (ssize_t i = 0; i < tuple_size(tuple); i++)
        count += (int)object_of(tuple_at(tuple, i))->refcount - 1;
    return count;
}

static void answer_value(ValueRef value)
{
    if (!value) {
        answer("NULL");
        return;
    }
    if (is_exactly(value, &cell_type)) {
        answer("cell, %d %s: ", (int)object_of(value)->refcount,
               object_of(value)->refcount == 1 ? "owner" : "owners");
        answer_value(as_cell(value)->contents);
        return;
    }
    Value text = object_repr(value);
    if (text) answer("%s", str_utf8(text, NULL));
    drop(text);
}

static ValueRef name_of_slot(const Code *code, uint32_t slot)
{
    ssize_t at = (ssize_t)slot - code->nlocals;
    if (at < 0) return tuple_at(code->varnames, slot);
    ssize_t cells = tuple_size(code->cellvars);
    return at < cells ? tuple_at(code->cellvars, at) : tuple_at(code->freevars, at - cells);
}

static void answer_slots(const Frame *frame, const QuickCode *quick)
{
    for (uint32_t i = 0; i < quick->slots; i++) {
        answer("%u %-8s ", i, str_utf8(name_of_slot(quick->code, i), NULL));
        answer_value(frame->localsplus[i]);
        answer("\n");
    }
    answer("value stack: %d\n", quick->code->stacksize);
}

static void answer_exception(void)
{
    Value exception = error_take();
    Value text = exception ? object_str(exception) : VALUE_ERROR;
    if (text)
        answer("raises %s: %s\n", type_of(exception)->name, str_utf8(text, NULL));
    else
        answer("returns false, and raises nothing\n");
    drop(text);
    drop(exception);
    error_clear();
}

static void call(const Function *function, const Input *input)
{
    int keywords = input->keywords ? (int)tuple_size(input->keywords) : 0;
    Value given = numbered("given", input->positional + keywords, false);
    const QuickCode *quick = quicken(as_code(function->code));
    Frame *frame = frame_push(quick);
    frame_init(frame, quick, retain(function->globals), function->globals);
    ValueRef args[2 * MOST] = {0};
    for (ssize_t i = 0; i < tuple_size(given); i++) args[i] = tuple_at(given, i);
    if (bind_arguments(frame, function, args, (size_t)input->positional, input->keywords))
        answer_slots(frame, quick);
    else
        answer_exception();
    frame_pop(frame);
    answer("references left: %d arguments, %d defaults, %d cells\n", references_to(given),
           references_to(function->defaults), references_to(function->closure));
    drop(given);
}

void probe(const char *text, size_t size)
{
    (void)size;
    Input input = read_input(text);
    Value code = compile_f(input.program);
    if (!code) {
        answer("f is not defined\n");
        error_clear();
    } else {
        Value function = make_function(code, input.defaults);
        call(as_function(function), &input);
        drop(function);
    }
    drop(code);
    drop(input.keywords);
}
