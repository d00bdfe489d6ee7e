// Lesson 3: the input is a program; the answer is its symbol table, as --symtable prints it.
#include "lessons/harness.h"

#include "compiler/compile.h"
#include "objects/error.h"
#include "objects/exceptions/exception.h"
#include "objects/init.h"
#include "objects/operators.h"
#include "objects/text/str.h"

void probe_begin(void)
{
    objects_init();
}

static void answer_exception(void)
{
    Value exception = error_take();
    Value text = object_str(exception);
    answer("%s: %s", type_of(exception)->name, text ? str_utf8(text, NULL) : "?");
    drop(text);
    if (type_of(exception) == SyntaxError) {
        Value offset = object_repr(as_exception(exception)->syntax_error.offset);
        if (offset) answer(", column %s", str_utf8(offset, NULL));
        drop(offset);
    }
    answer("\n");
    drop(exception);
    error_clear();
}

void probe(const char *input, size_t size)
{
    Value filename = str_new("<lesson>");
    CompileOptions options = {.mode = MODE_EXEC, .filename = filename, .is_utf8 = true};
    Value table = symtable_dump(input, size, &options);
    if (table)
        answer("%s", str_utf8(table, NULL));
    else
        answer_exception();
    drop(table);
    drop(filename);
}
