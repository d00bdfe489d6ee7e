// Runs a program in the machine: see program.h.
//
// Standard output is an io.StringIO, made anew for each program, since the process has no files.
// Each program has a `__main__` that is empty at first, and begins without a callback of the cache.
#include "lessons/program.h"

#include "compiler/compile.h"
#include "frames/cache/cache.h"
#include "lessons/harness.h"
#include "objects/call.h"
#include "objects/dict.h"
#include "objects/error.h"
#include "objects/gc.h"
#include "objects/memory.h"
#include "objects/names.h"
#include "objects/operators.h"
#include "objects/stack.h"
#include "objects/text/str.h"
#include "vm/builtins/builtins.h"
#include "vm/function_call.h"
#include "vm/import/import.h"
#include "vm/vm.h"

#include <stdlib.h>

static Value output; // the standard output of the program that runs: owned

// Adds what it has, and drops it.
static void answer_output(void)
{
    Value name = str_intern("getvalue");
    Value text = output ? object_call_method_none(output, name) : VALUE_ERROR;
    if (text) answer("%s", str_utf8(text, NULL));
    drop(text);
    drop(name);
    drop(output);
    output = VALUE_ERROR;
}

// A sanitizer calls it on a stack of its own, which is none that the machine has measured.
static void answer_rest_of_output(void)
{
    stack_floor = NULL;
    recursion_depth = 0;
    answer_output();
}

void machine_begin(void)
{
    static const char *const none[] = {NULL};
    static const char *const arguments[] = {"program", NULL};
    SysOptions options = {.argc = 1, .argv = arguments, .executable = "program", .warnings = none};
    if (!vm_init(&options)) exit(EXIT_FAILURE);
}

static void open_output(void)
{
    Value name = str_intern("StringIO"), module = import_module("io");
    Value kind = module ? object_get(module, name) : VALUE_ERROR;
    output = kind ? object_call_none(kind) : VALUE_ERROR;
    if (!output || !sys_set("stdout", output)) exit(EXIT_FAILURE);
    drop(kind);
    drop(module);
    drop(name);
}

static ValueRef fresh_main(void)
{
    ValueRef globals = import_main_globals();
    dict_clear(globals);
    Value name = str_new("__main__");
    dict_set(globals, NAME(__name__), name);
    dict_set(globals, NAME(__builtins__), builtins_module());
    drop(name);
    return globals;
}

static bool run(const char *text, size_t size)
{
    Value filename = str_new("<program>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value code = compile_source(text, size, &options);
    ValueRef globals = fresh_main();
    Value result = code ? code_run(as_code(code), globals, globals, NULL) : VALUE_ERROR;
    drop(result);
    drop(code);
    drop(filename);
    return result != VALUE_ERROR;
}

static void answer_exception(Value exception)
{
    if (!exception) {
        answer("the program failed without an exception\n");
        return;
    }
    Value text = format_text("%T: %S", (ValueRef)exception, (ValueRef)exception);
    answer("%s\n", text ? str_utf8(text, NULL) : "an exception without a text");
    drop(text);
    drop(exception);
    error_clear();
}

void answer_program(const char *text, size_t size)
{
    open_output();
    answer_rest = answer_rest_of_output;
    bool done = run(text, size);
    answer_rest = NULL;
    Value exception = error_take();
    answer_output();
    if (!done) answer_exception(exception);
    drop(cache_set_callback(NONE));
}

// How many blocks there are without the program's globals and without garbage.
static size_t blocks_in_use(void)
{
    fresh_main();
    gc_collect(GC_GENERATIONS - 1);
    type_lookups_clear();
    return memory_counts().blocks;
}

void answer_left_over(const char *text, size_t size)
{
    size_t blocks = blocks_in_use();
    open_output();
    if (!run(text, size)) drop(error_take());
    replace_slot(&output, VALUE_ERROR);
    drop(cache_set_callback(NONE));
    answer("objects left over: %d\n", (int)(blocks_in_use() - blocks));
}
