// Lesson 4: the input is a program; the answer is its code objects, one in the other.
//
//     f: stack 1, constants: None
//       0 LOAD_FAST            0
//       2 POP_JUMP_IF_FALSE    8
//       ...
//     lines: 0 1, 4 1                 co_lnotab: so many bytes further, so many lines further
#include "lessons/harness.h"

#include "compiler/compile.h"
#include "compiler/opcode.h"
#include "objects/bytes/bytes.h"
#include "objects/code.h"
#include "objects/containers/tuple.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

void probe_begin(void)
{
    objects_init();
}

static void answer_constants(ValueRef constants)
{
    for (ssize_t i = 0; i < tuple_size(constants); i++) {
        ValueRef constant = tuple_at(constants, i);
        Value text = code_check(constant) ? retain(as_code(constant)->name) : object_repr(constant);
        answer(" %s", text ? str_utf8(text, NULL) : "?");
        drop(text);
    }
}

static void answer_instructions(const Code *code)
{
    const uint8_t *bytes = (const uint8_t *)as_bytes(code->code)->data;
    for (ssize_t i = 0; i + 1 < code_size(code); i += 2) {
        const char *name = opcode_name(bytes[i]);
        answer("%3zd ", i);
        if (bytes[i] < HAVE_ARGUMENT)
            answer("%s\n", name ? name : "?");
        else
            answer("%-20s %d\n", name ? name : "?", bytes[i + 1]);
    }
}

static void answer_lines(const Code *code)
{
    const uint8_t *table = (const uint8_t *)as_bytes(code->lnotab)->data;
    answer("lines:");
    for (ssize_t i = 0; i + 1 < as_bytes(code->lnotab)->size; i += 2)
        answer("%s %d %d", i ? "," : "", table[i], (int8_t)table[i + 1]);
    answer("\n");
}

static void answer_code(const Code *code)
{
    answer("%s: stack %d, constants:", str_utf8(code->name, NULL), code->stacksize);
    answer_constants(code->consts);
    answer("\n");
    answer_instructions(code);
    answer_lines(code);
    for (ssize_t i = 0; i < tuple_size(code->consts); i++)
        if (code_check(tuple_at(code->consts, i))) answer_code(as_code(tuple_at(code->consts, i)));
}

static void answer_exception(void)
{
    Value exception = error_take();
    Value text = object_str(exception);
    answer("%s: %s\n", type_of(exception)->name, text ? str_utf8(text, NULL) : "?");
    drop(text);
    drop(exception);
    error_clear();
}

void probe(const char *input, size_t size)
{
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value code = compile_source(input, size, &options);
    if (code)
        answer_code(as_code(code));
    else
        answer_exception();
    drop(code);
    drop(filename);
}
